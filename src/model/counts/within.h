/*
 * within.h - what passes over documents within a subspace have in common.
 */
#ifndef TENSORLV_COUNT_WITHIN_H
#define TENSORLV_COUNT_WITHIN_H

#include "documents.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/sections.h"

/* Of the state of an accumulator: the subspace, and what its value says of it. */
typedef struct tlv_within
{
	const tlv_subspace *subspace; /* NULL when only stored values are merged */
	bool no_rows;				  /* it is what stored values held of it (within_documents.c) */
	tlv_digest fingerprint;
	double rank, steps, distinct, seed, minimum_documents, trace;
	int64_t *items; /* d, of values that hold them */
	double *scale;
	double *shares;
	double skipped; /* documents that are too short */

	/* of kinds that hold documents in the place of sums (within_documents.h): */
	tlv_held_documents documents; /* in the counters, and not in the sums */
	bool closed;				  /* documents go into the sums at once */
	bool summed;				  /* the sums are of some */
	int64_t *places;			  /* of the items of a document */
	size_t places_room;
} tlv_within;

/* What a state counts of its documents: members of its own, but for those that
 * are too short. */
#define TLV_WITHIN_COUNTERS(state)                                                                 \
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, offsetof(state, documents)},  \
		{"skipped",                                                                                \
		 TLV_FLOAT64,                                                                              \
		 TLV_ONE,                                                                                  \
		 TLV_ONE,                                                                                  \
		 TLV_WHOLE,                                                                                \
		 TLV_SUM,                                                                                  \
		 offsetof(state, within.skipped)},                                                         \
		{"nulls",                                                                                  \
		 TLV_FLOAT64,                                                                              \
		 TLV_ONE,                                                                                  \
		 TLV_ONE,                                                                                  \
		 TLV_WHOLE,                                                                                \
		 TLV_SUM,                                                                                  \
		 offsetof(state, declared.base.nulls)},                                                    \
	{                                                                                              \
		"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, offsetof(state, tokens) \
	}
#define TLV_WITHIN_SQUARES(state)                                                                  \
	{                                                                                              \
		"squared_lengths", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM,                \
			offsetof(state, squared_lengths)                                                       \
	}

/* The declarations of these sums in a state with a member `within`: TLV_WITHIN_LIST has all but
 * those of the items, TLV_WITHIN_ITEMS those of the items, of which there are n. */
#define TLV_WITHIN_LIST(state)                                                                       \
	{"rank", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_EQUAL, offsetof(state, within.rank)},     \
		{"steps",                                                                                    \
		 TLV_FLOAT64,                                                                                \
		 TLV_ONE,                                                                                    \
		 TLV_ONE,                                                                                    \
		 TLV_WHOLE,                                                                                  \
		 TLV_EQUAL,                                                                                  \
		 offsetof(state, within.steps)},                                                             \
		{"distinct",                                                                                 \
		 TLV_FLOAT64,                                                                                \
		 TLV_ONE,                                                                                    \
		 TLV_ONE,                                                                                    \
		 TLV_NONNEGATIVE,                                                                            \
		 TLV_EQUAL,                                                                                  \
		 offsetof(state, within.distinct)},                                                          \
		{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_EQUAL, offsetof(state, within.seed)}, \
		{"minimum_documents",                                                                        \
		 TLV_FLOAT64,                                                                                \
		 TLV_ONE,                                                                                    \
		 TLV_ONE,                                                                                    \
		 TLV_NONNEGATIVE,                                                                            \
		 TLV_EQUAL,                                                                                  \
		 offsetof(state, within.minimum_documents)},                                                 \
		{"trace", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_EQUAL, offsetof(state, within.trace)}, \
	{                                                                                                \
		"subspace", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL,                          \
			offsetof(state, within.fingerprint)                                                      \
	}
#define TLV_WITHIN_ITEMS(state, n)                                                                 \
	{"items", TLV_INT64, n, TLV_ONE, TLV_ASCENDING, TLV_EQUAL, offsetof(state, within.items)},     \
		{"scale",                                                                                  \
		 TLV_FLOAT64,                                                                              \
		 n,                                                                                        \
		 TLV_ONE,                                                                                  \
		 TLV_NONNEGATIVE,                                                                          \
		 TLV_EQUAL,                                                                                \
		 offsetof(state, within.scale)},                                                           \
	{                                                                                              \
		"shares", TLV_FLOAT64, n, TLV_ONE, TLV_NONNEGATIVE, TLV_EQUAL,                             \
			offsetof(state, within.shares)                                                         \
	}

/* Rows of the accumulator, whose member it is, are in that subspace. */
extern void tlv_within_begin(tlv_accumulator *accumulator, const tlv_subspace *subspace,
							 tlv_within *within);

/*
 * The document of a bag, and its items that the subspace knows; *counts: it has tokens enough, else
 * it is counted as skipped.  Errors: those of tlv_document_decode, and rows where there is no
 * subspace.
 */
extern tlv_status tlv_within_read(tlv_context *ctx, tlv_accumulator *accumulator,
								  tlv_within *within, const tlv_bag_image *bag,
								  tlv_document *document, bool *counts);

/* TLV_BAD_PARAMETER, with a hint, for a subspace of distinct pairs; what needs the others. */
extern tlv_status tlv_within_require_all_pairs(tlv_context *ctx, const tlv_subspace *subspace,
											   const char *what);

/* The leading directions of the subspace's block: basis is width x d. */
extern void tlv_within_basis(const tlv_subspace *subspace, double *basis);

/* square -= sum_i correction_i w_i w_i': what tokens of the same place add to pairs. */
extern tlv_status tlv_within_subtract_repeats(tlv_context *ctx, const tlv_subspace *subspace,
											  const double *correction, double *square);

/* pairs (packed) += the lower triangle of a square of width rows. */
extern void tlv_within_add_square(size_t width, const double *square, double *pairs);

#endif /* TENSORLV_COUNT_WITHIN_H */
