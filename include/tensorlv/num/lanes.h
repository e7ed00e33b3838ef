/*
 * lanes.h - loops over rows on more than one core.
 *
 * Rows are cut into lanes, whose number and bounds follow from the data alone.  A lane is worked
 * off in steps, in order, by one thread at a time, with sums and work space of its own, and what
 * lanes have summed is added in their order: results have the same bits however many threads
 * there are.
 *
 * Threads last as long as the call, take no signals, and are joined before tlv_should_stop() is
 * asked, from which an error may leave.  So a step knows no context: it neither allocates nor
 * fails nor looks whether to stop, and calls BLAS only where tlv_blas_in_threads().
 */
#ifndef TENSORLV_LANES_H
#define TENSORLV_LANES_H

#include "tensorlv/num/context.h"

#define TLV_LANES_MOST 32

/* Rows next .. end - 1 of every lane are to be done. */
typedef struct tlv_lanes
{
	const size_t *start; /* n + 1, or NULL */
	size_t each;
	size_t count;				 /* 1 .. TLV_LANES_MOST */
	size_t next[TLV_LANES_MOST]; /* for the step of the lane to move */
	size_t end[TLV_LANES_MOST];
} tlv_lanes;

/*
 * n rows in at most `most` lanes of about equal work.  Row i takes start[i + 1] - start[i] + each
 * units, or `each` where start is NULL; a unit is some 10 ns.  Less than 4 ms of work is not
 * divided.
 */
extern void tlv_lanes_divide(size_t n, const size_t *start, size_t each, size_t most,
							 tlv_lanes *lanes);

/* Does some 5 ms of a lane's work or the rest of it; returns whether there is more. */
typedef bool (*tlv_lane_step)(void *argument, size_t lane);

/*
 * Works off all lanes, at most TLV_LANES_MOST, on at most ctx->threads threads, the calling one
 * included; on fewer where the system gives no more.  Errors: TLV_CANCELLED, with some steps done.
 */
extern tlv_status tlv_lanes_run(tlv_context *ctx, size_t lanes, tlv_lane_step step, void *argument);

typedef void (*tlv_lane_rows)(void *argument, size_t lane, size_t first, size_t n);

/*
 * The same for lanes of rows that can be done apart: rows first .. first + n - 1 of a lane at a
 * time, as many as take some 5 ms, at least one.
 */
extern tlv_status tlv_lanes_rows(tlv_context *ctx, tlv_lanes *lanes, tlv_lane_rows rows,
								 void *argument);

/*
 * Has the system find memory for a new block whose numbers nobody needs yet: some of them become 0.
 * It clears a page when that is first written to, which takes a while for large blocks.
 */
extern tlv_status tlv_lanes_touch(tlv_context *ctx, void *block, size_t bytes);

#endif /* TENSORLV_LANES_H */
