/*
 * views.h - moments of three views of one hidden choice, which are independent given it.
 *
 * Moments of vectors (kind view_moments): scalars "rows", "nulls"; for each
 * view t = 1, 2, 3 "shift<t>" (d_t: the reference that was subtracted from every row, the first
 * row of the group), "sum<t>" and "square<t>" (d_t: sums of the shifted numbers and of their
 * squares); "pairs12", "pairs13", "pairs23" (d_s x d_t) and "triples" (d_1 x d_2 d_3) of the
 * shifted rows.  Values of different shifts merge exactly up to rounding.
 *
 * Moments of categories (kind category_views): scalars "rows", "nulls"; "items1", "items2",
 * "items3" (the categories, ascending); "cells" (which triples occurred, three positions packed
 * in a word, ascending) and "counts" (how often).  Where the categories of a view are told by name:
 * "told" (of each view, 1: by number, 2: by name, whose hashes the categories are), "name_ids"
 * (those that have a name, ascending), "name_offsets" and "names" (names.h).
 *
 * The room collects; its other headers are view_sums.h, view_solver.h and triple_table.h.  The
 * model is in multiview.h, and more than three variables are in categories.h.
 */
#ifndef TENSORLV_VIEWS_H
#define TENSORLV_VIEWS_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/num/names.h"

/* Most entries of the third moment of vectors, d1 d2 d3. */
#define TLV_VIEW_MOST_TRIPLES 8000000
/* Most distinct categories of one view. */
#define TLV_VIEW_MOST_CATEGORIES 2097152

/*
 * The accumulators.  Adding a row fails with TLV_BAD_DATA for a view without numbers or of another
 * dimension than those before, with TLV_LIMIT above the numbers here, and for want of memory;
 * vectors must be finite.  Errors of create: memory.
 */
extern tlv_status tlv_view_moments_create(tlv_context *ctx, tlv_accumulator **accumulator);
extern tlv_status tlv_category_views_create(tlv_context *ctx, tlv_accumulator **accumulator);
extern const tlv_aggregate tlv_aggregate_view_moments;	 /* three vectors */
extern const tlv_aggregate tlv_aggregate_category_views; /* three categories */

#endif /* TENSORLV_VIEWS_H */
