/*
 * diagnostics.h - named numbers and warnings in words, kept with every model.
 */
#ifndef TENSORLV_DIAGNOSTICS_H
#define TENSORLV_DIAGNOSTICS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

#define TLV_DIAGNOSTICS_MAX 4096

typedef struct tlv_diagnostics
{
	char *names; /* lines, each ended by '\n'; warnings begin with "warning: " */
	size_t names_length;
	size_t names_room;
	double *values;
	size_t n;
	size_t room;
} tlv_diagnostics;

extern tlv_status tlv_diagnose(tlv_context *ctx, tlv_diagnostics *diagnostics, double value,
							   const char *format, ...) __attribute__((format(printf, 4, 5)));

/* ---- reading a model's, one after another or by name ---- */

typedef struct tlv_diagnostic
{
	const char *name; /* of `length` bytes, not ended by a zero */
	size_t length;
	double value;
	bool warning; /* the name is a warning in words, after "warning: " */
} tlv_diagnostic;

typedef struct tlv_diagnostics_walk
{
	const char *at, *end;
	const double *values;
} tlv_diagnostics_walk;

extern tlv_diagnostics_walk tlv_diagnostics_begin(const tlv_frame *model);
/* The next one; false at the end. */
extern bool tlv_diagnostics_next(tlv_diagnostics_walk *walk, tlv_diagnostic *found);
extern bool tlv_diagnostic_is(const tlv_diagnostic *diagnostic, const char *name);
/* The number of that name, or missing. */
extern double tlv_diagnostics_find(const tlv_frame *model, const char *name, double missing);

/* ---- writing ---- */

/* Adds one of a model's. */
extern tlv_status tlv_diagnostics_append(tlv_context *ctx, tlv_diagnostics *diagnostics,
										 const tlv_diagnostic *one);
/* Copies those of a model but the named ones (a list that NULL ends, or NULL). */
extern tlv_status tlv_diagnostics_copy(tlv_context *ctx, tlv_diagnostics *diagnostics,
									   const tlv_frame *model, const char *const *except);
/*
 * Reorders the k values from the one called first on: the new i-th is the old order[i]-th.  A
 * model without that name is left as it is.
 */
extern tlv_status tlv_diagnostics_permute(tlv_context *ctx, tlv_diagnostics *diagnostics,
										  const char *first, size_t k, const int64_t *order);
/* Adds the sections "diagnostics" and "diagnostic_names" to a model's frame. */
extern void tlv_diagnostics_add(const tlv_diagnostics *diagnostics, tlv_frame_builder *builder);
/* Checks them in a frame: as many lines as values. */
extern tlv_status tlv_diagnostics_check(tlv_context *ctx, const tlv_frame *model);

#endif /* TENSORLV_DIAGNOSTICS_H */
