/*
 * summary.h - the state of the first pass over documents, which moments.c fills from rows, and
 * summary.c from values and into them.
 */
#ifndef TENSORLV_COUNT_SUMMARY_H
#define TENSORLV_COUNT_SUMMARY_H

#include "documents.h"
#include "tensorlv/model/counts.h"

/* The stored form, items ascending. */
typedef struct tlv_summary_arrays
{
	int64_t *items;
	double *numbers[4]; /* totals, frequency, correction, squares */
	double *pairs;		/* packed */
} tlv_summary_arrays;

typedef struct tlv_summary_state
{
	tlv_declared declared;
	bool with_pairs;
	const tlv_subspace *keep; /* items that are distinguished; NULL: all */
	double documents;
	double skipped;
	double tokens;
	double squared_lengths;
	tlv_dictionary dictionary;
	size_t room; /* items that the arrays below can hold */
	double *totals;
	double *frequency;	/* documents that hold the item */
	double *correction; /* sum of c / (L - 1) */
	double *squares;	/* sum of c^2 / (L - 1) */
	double *rests[2];	/* of both: what their doubles leave off, so that parts come out */
	double *pairs;		/* packed; only below the diagonal, which is `squares` */
	tlv_document document;
	tlv_bag_entry *entries; /* positions and counts of one document, sorted */
	size_t entries_room;
	tlv_held_documents held; /* in the counters, and not in the sums unless they are entered */
	bool entered;
	bool closed;	/* documents go into the sums at once */
	bool fractions; /* documents counted a fraction of a time are in the sums */
	double summed;	/* documents that came as sums */
	double told;	/* and those that came as such, with their entries, as they are counted there */
	tlv_summary_arrays stored;
	tlv_bag_entry *order; /* of the last value: items ascending, with their positions */
	size_t ordered;
} tlv_summary_state;

/* ---- moments.c ---- */

/* The position of an item, a new one if need be. */
extern tlv_status tlv_summary_place(tlv_context *ctx, tlv_summary_state *state, int64_t item,
									int32_t *position);

/* Adds c / (L - 1) and c^2 / (L - 1) of an item, multiplied by the given number, to its sums. */
extern void tlv_summary_add_scaled(tlv_summary_state *state, int32_t position, double correction,
								   double square, double times);

/* Into the sums; the counters are those of the documents already. */
extern tlv_status tlv_summary_enter(tlv_context *ctx, void *argument,
									const tlv_told_document *document);

/* Documents that are held, into the sums, which have no others; they go on to be held. */
extern tlv_status tlv_summary_enter_held(tlv_context *ctx, tlv_summary_state *state);

/* Before documents that are held change: there are no sums. */
extern void tlv_summary_leave_held(tlv_context *ctx, tlv_summary_state *state);

/* No documents are held from now on. */
extern tlv_status tlv_summary_close(tlv_context *ctx, tlv_summary_state *state);

/* More items than pairs can have are found when their documents come. */
extern tlv_status tlv_summary_settle_some(tlv_context *ctx, tlv_summary_state *state, bool *many);

/* The member add of the class. */
extern tlv_status tlv_summary_add(tlv_context *ctx, tlv_accumulator *accumulator,
								  const tlv_row *row);

#endif /* TENSORLV_COUNT_SUMMARY_H */
