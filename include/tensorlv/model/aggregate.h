/*
 * aggregate.h - the aggregates by name: one record each, from which the server's transition
 * functions, the procedures' passes and the tests make their accumulators.
 *
 * The sums themselves are in the rooms of their rows (counts.h, dense.h, views.h, categories.h,
 * sequences.h, graph.h) and of the models.  The readers that turn arguments of SQL into rows are
 * on floor 3.
 */
#ifndef TENSORLV_AGGREGATE_H
#define TENSORLV_AGGREGATE_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

typedef struct tlv_statistic tlv_statistic;

typedef struct tlv_aggregate
{
	const char *name; /* in SQL */
	/*
	 * Opens the constant: what all groups share, which is made once by whoever runs the aggregate
	 * and handed to every create in constants->opened.  The frame's memory outlives it.  NULL:
	 * there is no constant, or its frame is used as it is.  Errors: TLV_BAD_PARAMETER for a
	 * constant of another kind.
	 */
	tlv_status (*open)(tlv_context *ctx, const tlv_frame *constant, void **opened);
	/*
	 * An empty accumulator for rows, from the constants of the statistic: those that it does not
	 * need are ignored.  The constant and what was opened of it outlive the accumulator.  Called
	 * through tlv_statistic_create.
	 */
	tlv_status (*create)(tlv_context *ctx, const tlv_statistic *constants,
						 tlv_accumulator **accumulator);
} tlv_aggregate;

/*
 * One aggregate with its constants, which are its arguments after the row, in this order, each
 * only where it is given: constant, order, count, seed, refine.
 */
struct tlv_statistic
{
	const tlv_aggregate *aggregate;
	const tlv_frame *constant; /* subspace or model, or NULL */
	int32_t order;			   /* 0: not given */
	size_t count;			   /* replicates, top items, rows of a sample; 0: not given */
	uint64_t seed;			   /* 0: not given */
	const char *refine;		   /* a refinement's name; NULL: the usual one */
	/* The constant, opened: NULL unless whoever runs the aggregate has done it already. */
	void *opened;
};

/* An empty accumulator for the rows of one group; opens the constant where that was not done. */
extern tlv_status tlv_statistic_create(tlv_context *ctx, const tlv_statistic *statistic,
									   tlv_accumulator **accumulator);

/* ---- aggregates of any model that can do it; the constant is the model ---- */

extern const tlv_aggregate tlv_aggregate_statistics; /* refine */
extern const tlv_aggregate tlv_aggregate_perplexity; /* held-out likelihood */
extern const tlv_aggregate tlv_aggregate_completion; /* the same, as a value */
/* Top items of a coherence where none are given. */
#define TLV_COHERENCE_TOP 10
extern const tlv_aggregate tlv_aggregate_coherence; /* count: top items, usually 10 */

#endif /* TENSORLV_AGGREGATE_H */
