/*
 * internal.h - what the models of tensors share.
 */
#ifndef TENSORLV_TENSORS_INTERNAL_H
#define TENSORLV_TENSORS_INTERNAL_H

#include "tensorlv/model/sections.h"
#include "tensorlv/model/tensors.h"

/* The sizes of a value that has items: of the three modes, ids with names, bytes of these. */
#define SIZE_I	   TLV_SIZE_1
#define SIZE_NAMES TLV_SIZE_2
#define SIZE_J	   TLV_SIZE_3
#define SIZE_L	   TLV_SIZE_4
#define SIZE_BYTES TLV_SIZE_5

/* A section of one column in a tlv_tensor_ids `ids` of a state. */
#define TENSOR_IDS(state, merge, name, element, rows, range, member)                               \
	{                                                                                              \
		name, element, rows, TLV_ONE, range, merge, offsetof(state, ids.member)                    \
	}

/* The sections of items, of a state with such ids; those of all modes in a row. */
#define TENSOR_ID_SECTIONS(state, merge)                                                           \
	TENSOR_IDS(state, merge, "told", TLV_FLOAT64, TLV_THREE, TLV_NONNEGATIVE, told),               \
		TENSOR_IDS(state, merge, "items_1", TLV_INT64, SIZE_I, TLV_ASCENDING, items[0]),           \
		TENSOR_IDS(state, merge, "items_2", TLV_INT64, SIZE_J, TLV_ASCENDING, items[1]),           \
		TENSOR_IDS(state, merge, "items_3", TLV_INT64, SIZE_L, TLV_ASCENDING, items[2]),           \
		TENSOR_IDS(state, merge, "name_ids", TLV_INT64, SIZE_NAMES, TLV_ASCENDING, name_ids),      \
		TENSOR_IDS(state, merge, "name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ANY, name_offsets),   \
		TENSOR_IDS(state, merge, "names", TLV_BYTES, SIZE_BYTES, TLV_ANY, names)

/* Where their sizes are, for size_at. */
#define TENSOR_ID_SIZES(state)                                                                     \
	offsetof(state, ids.d[0]), offsetof(state, ids.names_n), offsetof(state, ids.d[1]),            \
		offsetof(state, ids.d[2]), offsetof(state, ids.bytes_n)

/* Their fields in a layout, but for the first, items by their numbers. */
#define TENSOR_ID_FIELDS                                                                           \
	{"told", TLV_FIELD_LIST, .flags = 0}, {"items_1", TLV_FIELD_IDS, .flags = 0},                  \
		{"items_2", TLV_FIELD_IDS, .flags = 0}, {"items_3", TLV_FIELD_IDS, .flags = 0},            \
		{"name_ids", TLV_FIELD_IDS, .flags = 0},                                                   \
	{                                                                                              \
		"name_offsets", TLV_FIELD_TEXTS, .beside = "names", .json = "names"                        \
	}

/* Part of a check: every mode has ids of a known form, and the number of names agrees with it.
 * TLV_CORRUPT. */
extern tlv_status tlv_tensor_check_ids(tlv_context *ctx, const tlv_frame *frame,
									   const size_t *sizes);

/* Single entries, at places within the sides. */
extern double tlv_tucker_entry(const tlv_tucker_parts *parts, const size_t place[TLV_MODES]);
extern double tlv_train_entry(const tlv_train_parts *parts, const size_t place[TLV_MODES]);

/* ---- missing entries (cp_missing.c) ---- */

/* As tlv_cp, for the known entries of a tensor some of which are missing; with options->nonnegative
 * no factor has a negative element. */
extern tlv_status tlv_cp_of_known(tlv_context *ctx, const tlv_tensor_source *source,
								  const tlv_cp_fit_options *options, double *factors,
								  double *scales, tlv_factors_found *found);

/* Why they have no estimates (model.h). */
extern const char tlv_tensor_no_estimates[];

#endif /* TENSORLV_TENSORS_INTERNAL_H */
