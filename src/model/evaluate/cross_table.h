/*
 * cross_table.h - counts of pairs of labels (any 64-bit integers), sparse: what
 * the comparison of partitions and that of covers have in common.
 *
 * Sections: "labels_a", "labels_b" (int64, ascending); "pairs" (int64, ascending): position of
 * the label in a times 2^32 plus that in b; "counts" (float64, whole, > 0).
 */
#ifndef TENSORLV_CROSS_TABLE_H
#define TENSORLV_CROSS_TABLE_H

#include <stddef.h>

#include "tensorlv/model/sections.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/frame.h"

/* An integer for every entry of a dictionary. */
typedef struct tlv_tally
{
	tlv_dictionary keys;
	double *counts;
	size_t room;
} tlv_tally;

/* Adds to the count of a key; *position gets where it is.  Errors: memory, TLV_LIMIT. */
extern tlv_status tlv_tally_add(tlv_context *ctx, tlv_tally *tally, int64_t key, double count,
								int32_t *position);

typedef struct tlv_cross_table
{
	tlv_tally labels[2]; /* with sizes of their own */
	tlv_tally pairs;	 /* keys of positions in the order of arrival */
	size_t gone;		 /* times that all of a pair has been taken out again */
} tlv_cross_table;

static inline int64_t
tlv_pair_key(int32_t a, int32_t b)
{
	return (int64_t) a << 32 | (int64_t) b;
}

static inline size_t
tlv_pair_a(int64_t key)
{
	return (size_t) ((uint64_t) key >> 32);
}

static inline size_t
tlv_pair_b(int64_t key)
{
	return (size_t) ((uint64_t) key & UINT32_MAX);
}

/* A stored table. */
typedef struct tlv_cross_view
{
	size_t n[2]; /* labels */
	const int64_t *labels[2];
	size_t n_pairs;
	const int64_t *pairs;
	const double *counts;
} tlv_cross_view;

extern void tlv_cross_table_view(const tlv_frame *frame, tlv_cross_view *view);

/* The stored form of a live table: labels ascending with their sizes, pairs in order. */
typedef struct tlv_cross_arrays
{
	int64_t *labels[2];
	int64_t *pairs;
	double *counts;
	double *sizes[2];
} tlv_cross_arrays;

/* The state of a kind of such counts, or the head of it. */
typedef struct tlv_cross_state
{
	tlv_declared declared;
	double nodes;
	tlv_cross_table table;
	tlv_cross_arrays stored;
} tlv_cross_state;

/* Members of the kind (sections.h, accumulator.h).  The sizes of the labels are in "sizes_a" and
 * "sizes_b", where a value has them; what is gone is left out of what is stored. */
extern tlv_status tlv_cross_merge(tlv_context *ctx, tlv_accumulator *accumulator,
								  const tlv_frame *frame);
extern tlv_status tlv_cross_subtract(tlv_context *ctx, tlv_accumulator *accumulator,
									 const tlv_frame *frame, bool exactly, bool *done);
extern tlv_status tlv_cross_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned);

/* The sizes of the sections of such counts (sections.h), and their declarations. */
#define SIZE_A	   TLV_SIZE_1
#define SIZE_B	   TLV_SIZE_2
#define SIZE_PAIRS TLV_SIZE_3
#define CROSS_MOST                                                                                 \
	{                                                                                              \
		(size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX      \
	}
#define CROSS(member) offsetof(tlv_cross_state, member)
#define CROSS_LIST                                                                                 \
	{"nodes", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, CROSS(nodes)},                    \
		{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, CROSS(declared.base.nulls)},  \
		{"labels_a", TLV_INT64, SIZE_A, TLV_ONE, TLV_ASCENDING, TLV_OWN, CROSS(stored.labels[0])}, \
		{"labels_b", TLV_INT64, SIZE_B, TLV_ONE, TLV_ASCENDING, TLV_OWN, CROSS(stored.labels[1])}, \
		{"pairs", TLV_INT64, SIZE_PAIRS, TLV_ONE, TLV_ASCENDING, TLV_OWN, CROSS(stored.pairs)},    \
	{                                                                                              \
		"counts", TLV_FLOAT64, SIZE_PAIRS, TLV_ONE, TLV_COUNTED, TLV_OWN, CROSS(stored.counts)     \
	}

/* Pairs of a table that is as declared name its labels: TLV_CORRUPT otherwise. */
extern tlv_status tlv_cross_table_check(tlv_context *ctx, const tlv_frame *frame);

#endif /* TENSORLV_CROSS_TABLE_H */
