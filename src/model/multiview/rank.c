/*
 * rank.c - how many components the dependence of views tells apart (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"

/* Fewer rows say nothing. */
#define MULTIVIEW_LEAST_ROWS 20.0

/* The views of a pair. */
static const int pair_from[3] = {0, 0, 1}, pair_to[3] = {1, 2, 2};

/* ---- categories: tables ---- */

/* The class of every category of a view, the frequent ones first, and how many there are. */
static tlv_status
classify(tlv_context *ctx, const tlv_view_source *source, int view, int32_t *class, size_t *classes)
{
	/* The most frequent categories of a view are told apart, the others are one: so many at most,
	 * and so that rows for a cell of a table are no fewer. */
	const int most_classes = 50;
	const double rows_by_class = 5.0;
	size_t d = source->d[view];
	double most = fmax(2, fmin(most_classes, sqrt(source->total / rows_by_class)));
	double *counts;

	TLV_TRY_NEW0(ctx, counts, d);
	for (size_t e = 0; e < source->n; e++)
		counts[tlv_triple_part(source->cells[e], view)] += source->counts[e];
	TLV_TRY(tlv_frequent_classes(ctx, d, counts, (size_t) most, class, classes));
	tlv_free(ctx, counts);
	return TLV_OK;
}

/* Counts of pairs of classes. */
static tlv_status
tabulate_views(tlv_context *ctx, const tlv_view_source *source, int pair, int32_t *const class[3],
			   const size_t classes[3], tlv_view_rank *rank)
{
	int s = pair_from[pair], t = pair_to[pair];
	double *table;

	TLV_TRY_NEW0(ctx, table, classes[s] * classes[t]);
	for (size_t e = 0; e < source->n; e++)
	{
		size_t i = (size_t) class[s][tlv_triple_part(source->cells[e], s)];
		size_t j = (size_t) class[t][tlv_triple_part(source->cells[e], t)];

		table[j * classes[s] + i] += source->counts[e];
	}
	TLV_TRY(tlv_view_table_rank(ctx, classes[s], classes[t], table, MULTIVIEW_LEAST_ROWS, rank));
	tlv_free(ctx, table);
	return TLV_OK;
}

/* ---- all three pairs ---- */

static double
middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* p that k components are enough. */
static double
p_enough(const tlv_view_rank *rank, size_t k)
{
	return k <= rank->tested ? rank->enough[k - 1] : 1;
}

/* The middle of three ranks and, of independence, of their p-values. */
static void
take_middle(const tlv_view_rank ranks[3], multiview_rank *found)
{
	for (int pair = 0; pair < 3; pair++)
		found->by_pair[pair] = ranks[pair].k;
	found->k = (size_t) middle_of((double) ranks[0].k, (double) ranks[1].k, (double) ranks[2].k);
	found->p_value = middle_of(ranks[0].p_value, ranks[1].p_value, ranks[2].p_value);
	for (size_t k = 1; k <= tlv_least(found->k, TLV_VIEW_RANKS); k++)
		found->enough[k - 1] =
			middle_of(p_enough(&ranks[0], k), p_enough(&ranks[1], k), p_enough(&ranks[2], k));
}

static tlv_status
rank_of_vectors(tlv_context *ctx, const tlv_frame *moments, multiview_rank *found)
{
	tlv_view_rank ranks[3];
	tlv_view_sums sums;

	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &sums));
	for (int pair = 0; pair < 3; pair++)
		TLV_TRY(tlv_view_vector_rank(ctx, &sums, pair, MULTIVIEW_LEAST_ROWS, &ranks[pair]));
	take_middle(ranks, found);
	tlv_view_sums_free(ctx, &sums);
	return TLV_OK;
}

static tlv_status
rank_of_categories(tlv_context *ctx, const tlv_view_source *source, multiview_rank *found)
{
	tlv_view_rank ranks[3];
	int32_t *class[3];
	size_t classes[3];

	for (int t = 0; t < 3; t++)
	{
		TLV_TRY_NEW(ctx, class[t], source -> d[t]);
		TLV_TRY(classify(ctx, source, t, class[t], &classes[t]));
	}
	for (int pair = 0; pair < 3; pair++)
		TLV_TRY(tabulate_views(ctx, source, pair, class, classes, &ranks[pair]));
	take_middle(ranks, found);
	for (int t = 0; t < 3; t++)
		tlv_free(ctx, class[t]);
	return TLV_OK;
}

tlv_status
tlv_multiview_rank(tlv_context *ctx, const tlv_frame *moments, multiview_rank *found)
{
	tlv_view_source cells = {0};

	*found = (multiview_rank){.k = 1, .by_pair = {1, 1, 1}, .p_value = NAN};
	for (size_t i = 0; i < TLV_VIEW_RANKS; i++)
		found->enough[i] = NAN;
	if (moments->header->kind == TLV_KIND_VIEW_MOMENTS)
		return tlv_frame_scalar(moments, "rows", 0) < MULTIVIEW_LEAST_ROWS
				   ? TLV_OK
				   : rank_of_vectors(ctx, moments, found);
	tlv_multiview_cells(moments, &cells);
	return cells.total < MULTIVIEW_LEAST_ROWS ? TLV_OK : rank_of_categories(ctx, &cells, found);
}

tlv_status
tlv_multiview_warn_rank(tlv_context *ctx, double p_value, tlv_diagnostics *diagnostics)
{
	if (!(p_value > TLV_VIEW_SIGNIFICANCE))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "no_structure",
					   .score = p_value,
					   .hint = "Give more rows, or views that have the components in common."},
		"the views do not depend on each other: there are no components to distinguish");
}
