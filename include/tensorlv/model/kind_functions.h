/*
 * kind_functions.h - which SQL functions have to do with a kind of value (kind_functions.def), for
 * tlv_kinds() and for hints.
 *
 * The functions themselves are declared in sql/; scripts/check-kinds compares the table with
 * kinds.def.
 */
#ifndef TENSORLV_KIND_FUNCTIONS_H
#define TENSORLV_KIND_FUNCTIONS_H

#include "tensorlv/model/kind.h"

/* Names are separated by a comma and a space. */
typedef struct tlv_kind_functions
{
	int type, code;
	const char *collects, *fits, *drives, *reads, *applies;
} tlv_kind_functions;

/* All kinds that have any, in the order of the table; the last one's type is 0. */
extern const tlv_kind_functions tlv_kind_functions_list[];

/*
 * A hint from the arena to whoever has a value of that kind where another is needed: what reads a
 * model; NULL for kinds that are no models, or read by no function of their own, and when memory
 * is short.
 */
extern const char *tlv_kind_hint(tlv_context *ctx, const tlv_kind *kind);

#endif /* TENSORLV_KIND_FUNCTIONS_H */
