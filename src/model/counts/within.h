/*
 * within.h - what passes over documents within a subspace have in common.
 */
#ifndef TENSORLV_COUNT_WITHIN_H
#define TENSORLV_COUNT_WITHIN_H

#include "block.h"
#include "documents.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/sections.h"

/* The subspace of an accumulator, and what its value says of it. */
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

/* The head of the state of an accumulator: what all of them sum up, and how. */
typedef struct tlv_within_state
{
	tlv_declared declared;
	tlv_within within;
	double documents;
	double tokens;
	double squared_lengths;

	/* sums over rows seen here since the last flush, not yet corrected for repeated tokens */
	size_t uncorrected; /* documents */
	double *correction; /* d: of each item, as the kind says */
	double *square;		/* width x width, lower triangle: sum of s2 y y' */

	tlv_count_block block; /* rows that are not in the sums yet */
	double *scaled;		   /* the block's y times s2 */
	tlv_document document;
} tlv_within_state;

#define TLV_WITHIN_AT(member) offsetof(tlv_within_state, member)
#define TLV_WITHIN_SCALAR(name, range, merge, member)                                              \
	{                                                                                              \
		name, TLV_FLOAT64, TLV_ONE, TLV_ONE, range, merge, TLV_WITHIN_AT(member)                   \
	}

/* The declarations of what it counts; of its subspace, and of the items of that, of which there are
 * n. */
#define TLV_WITHIN_COUNTERS                                                                        \
	TLV_WITHIN_SCALAR("documents", TLV_WHOLE, TLV_SUM, documents),                                 \
		TLV_WITHIN_SCALAR("skipped", TLV_WHOLE, TLV_SUM, within.skipped),                          \
		TLV_WITHIN_SCALAR("nulls", TLV_WHOLE, TLV_SUM, declared.base.nulls),                       \
		TLV_WITHIN_SCALAR("tokens", TLV_NONNEGATIVE, TLV_SUM, tokens)
#define TLV_WITHIN_SQUARES                                                                         \
	TLV_WITHIN_SCALAR("squared_lengths", TLV_NONNEGATIVE, TLV_SUM, squared_lengths)
#define TLV_WITHIN_LIST                                                                            \
	TLV_WITHIN_SCALAR("rank", TLV_WHOLE, TLV_EQUAL, within.rank),                                  \
		TLV_WITHIN_SCALAR("steps", TLV_WHOLE, TLV_EQUAL, within.steps),                            \
		TLV_WITHIN_SCALAR("distinct", TLV_NONNEGATIVE, TLV_EQUAL, within.distinct),                \
		TLV_WITHIN_SCALAR("seed", TLV_WHOLE, TLV_EQUAL, within.seed),                              \
		TLV_WITHIN_SCALAR("minimum_documents", TLV_NONNEGATIVE, TLV_EQUAL,                         \
						  within.minimum_documents),                                               \
		TLV_WITHIN_SCALAR("trace", TLV_ANY, TLV_EQUAL, within.trace),                              \
	{                                                                                              \
		"subspace", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL,                        \
			TLV_WITHIN_AT(within.fingerprint)                                                      \
	}
#define TLV_WITHIN_ITEMS(n)                                                                          \
	{"items", TLV_INT64, n, TLV_ONE, TLV_ASCENDING, TLV_EQUAL, TLV_WITHIN_AT(within.items)},         \
		{"scale", TLV_FLOAT64, n, TLV_ONE, TLV_NONNEGATIVE, TLV_EQUAL, TLV_WITHIN_AT(within.scale)}, \
	{                                                                                                \
		"shares", TLV_FLOAT64, n, TLV_ONE, TLV_NONNEGATIVE, TLV_EQUAL,                               \
			TLV_WITHIN_AT(within.shares)                                                             \
	}

/* TLV_BAD_PARAMETER, with a hint, for a subspace of distinct pairs; what needs the others. */
extern tlv_status tlv_within_require_all_pairs(tlv_context *ctx, const tlv_subspace *subspace,
											   const char *what);

/* square -= sum_i correction_i w_i w_i': what tokens of the same place add to pairs. */
extern tlv_status tlv_within_subtract_repeats(tlv_context *ctx, const tlv_subspace *subspace,
											  const double *correction, double *square);

/* pairs (packed) += the lower triangle of a square of width rows. */
extern void tlv_within_add_square(size_t width, const double *square, double *pairs);

#endif /* TENSORLV_COUNT_WITHIN_H */
