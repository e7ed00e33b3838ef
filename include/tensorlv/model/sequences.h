/*
 * sequences.h - moments of the windows of three steps of sequences of symbols or of vectors.
 *
 * Moments (kind sequence_moments): scalars "sequences", "short" (sequences of fewer than 3
 * steps: skipped), "nulls", "steps"; of symbols "items" (ascending), "initial" (how often each is a
 * sequence's first), "cells" and "counts" (windows, as in views.h, all parts being positions in
 * "items"); of vectors the sections of view_moments over the windows' three vectors and
 * "initial" (the sum of the first vectors, shifted by "shift1").  Windows in which something is
 * missing are left out.  Steps that follow each other in
 * the array are adjacent in time: gaps are not known here.
 *
 * The room contains the moments and the sample of sequences.  Hidden Markov models are in hmm.h,
 * and sums of three vectors, which views share, in view_sums.h.
 */
#ifndef TENSORLV_SEQUENCES_H
#define TENSORLV_SEQUENCES_H

#include "tensorlv/model/aggregate.h"

/* Sequences shorter than this have no window. */
#define TLV_WINDOW 3

/*
 * The accumulator.  Adding a sequence fails with TLV_BAD_DATA where one of symbols meets those of
 * vectors or dimensions differ, with TLV_LIMIT beyond the numbers of views.h, and for want of
 * memory; vectors must be finite.  Errors of create: memory.
 */
extern tlv_status tlv_sequence_moments_create(tlv_context *ctx, tlv_accumulator **accumulator);
extern const tlv_aggregate tlv_aggregate_sequence_moments; /* of vectors or of symbols */

/* What stands for a symbol that is missing. */
#define TLV_SYMBOL_MISSING INT64_MIN

/*
 * A random sample of whole sequences (kind sequence_sample), of at most so many symbols or numbers
 * (count); of a sequence that is longer its beginning.  Scalars "sequences" and "steps" (seen),
 * "nulls", "count", "seed"; "lengths" of those kept, of equal ones once, "counts" of the equal
 * ones, and their steps one after the other: "numbers" (d x steps; -DBL_MAX where one is missing)
 * or "symbols".  Sequences without steps are not counted.
 */
#define TLV_SEQUENCE_MOST_SAMPLE (1 << 26)
extern const tlv_aggregate tlv_aggregate_sequence_sample;

/*
 * The sequences of a sample, equal ones repeated and in a random order.  Where there are more than
 * `most`, or where they have more numbers than the sample may hold, fewer stand for all of them in
 * proportion.  They point into the sample, but for vectors of which numbers are missing.
 */
extern tlv_status tlv_sequence_sample_rows(tlv_context *ctx, const tlv_frame *sample, size_t most,
										   size_t *n, tlv_row **rows);

#endif /* TENSORLV_SEQUENCES_H */
