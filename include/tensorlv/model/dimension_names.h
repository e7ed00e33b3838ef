/*
 * dimension_names.h - what the dimensions of a model of vectors are called: the columns that its
 * rows came from.
 *
 * Sections of a model's frame, where there are names: "dimension_name_offsets" and
 * "dimension_names" (names.h).  A fit whose rows have names puts them into its model
 * (tlv_source_finish), and refinement steps keep them.
 *
 * Names of categories are those of tlv_code_names (model.h); names of items and of nodes are
 * sections of their kinds.
 */
#ifndef TENSORLV_DIMENSION_NAMES_H
#define TENSORLV_DIMENSION_NAMES_H

#include "tensorlv/model/kind.h"
#include "tensorlv/num/names.h"

/* The sections, and how many they are. */
#define TLV_DIMENSION_NAMES_SECTIONS 2
extern const tlv_name_sections tlv_dimension_names_sections;

/* How many dimensions the rows of a model have; 0: they are not vectors. */
extern size_t tlv_model_dimensions(const tlv_frame *model);

/* The names of that many dimensions; an empty list where they have none. */
extern tlv_name_list tlv_dimension_names(const tlv_frame *model);

/*
 * What the values of a row are called, one after the other: the dimensions, or, where the model has
 * them elsewhere, the variables.  n = 0: they have no names.
 */
typedef struct tlv_value_names
{
	size_t n, next;
	tlv_name_list list;
	const char *lines; /* names that end in '\n' (num/names.h); NULL: the list's */
} tlv_value_names;
extern tlv_value_names tlv_value_names_of(const tlv_frame *model);
/* The next one, of lines as it stands in these (tlv_lines_decode); false: there are no more. */
extern bool tlv_value_names_next(tlv_value_names *names, tlv_text *name);

/* Of the sections, how many a frame has. */
extern size_t tlv_dimension_names_found(const tlv_frame *frame);

/* Whether a frame that is otherwise of that kind has names for all of its dimensions, or none:
 * TLV_CORRUPT. */
extern tlv_status tlv_dimension_names_check(tlv_context *ctx, const tlv_kind *kind,
											const tlv_frame *frame);

/* A model that follows from another gets its names, unless it has names: *image is made anew. */
extern tlv_status tlv_dimension_names_keep(tlv_context *ctx, const tlv_frame *before, void **image,
										   size_t *size);

#endif /* TENSORLV_DIMENSION_NAMES_H */
