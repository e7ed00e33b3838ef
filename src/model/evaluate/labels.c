/*
 * labels.c - two partitions of the same nodes: contingency table,
 * normalised mutual information, adjusted Rand index (evaluate.h).
 */
#include "tensorlv/model/evaluate.h"

#include <math.h>

#include "cross_table.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

static tlv_status
label_pairs_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_label_pairs.accumulator, NULL, accumulator);
}

const tlv_aggregate tlv_aggregate_label_pairs = {"tlv_label_pairs", NULL, label_pairs_begin};

static tlv_status
label_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	tlv_cross_state *state = (tlv_cross_state *) accumulator;
	int64_t a = row->part[0].ids[0], b = row->part[1].ids[0];
	int32_t at_a = 0, at_b = 0, pair = 0;

	TLV_TRY(tlv_count_one(ctx, "nodes", &state->nodes));
	TLV_TRY(tlv_tally_add(ctx, &state->table.labels[0], a, 0, &at_a));
	TLV_TRY(tlv_tally_add(ctx, &state->table.labels[1], b, 0, &at_b));
	return tlv_tally_add(ctx, &state->table.pairs, tlv_pair_key(at_a, at_b), 1, &pair);
}

static tlv_status
label_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *counts = tlv_frame_float64(frame, "counts");
	double nodes = 0;

	TLV_TRY(tlv_cross_table_check(ctx, frame));
	for (size_t i = 0; i < sizes[SIZE_PAIRS]; i++)
		nodes += counts[i];
	if (nodes != tlv_frame_scalar(frame, "nodes", -1))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"counts\" sums to %g instead of %g", nodes,
						tlv_frame_scalar(frame, "nodes", -1));
	return TLV_OK;
}

static const tlv_declaration label_list[] = {CROSS_LIST};
static const tlv_sections label_sections = {
	.state = sizeof(tlv_cross_state),
	.kind = TLV_KIND_LABEL_PAIRS,
	TLV_LIST(label_list),
	.most = CROSS_MOST,
	.describe = tlv_cross_describe,
	.takes_away = true,
	.check_more = label_check,
	.merge_own = tlv_cross_merge,
};

/* ---- measures ---- */

typedef struct contingency
{
	tlv_cross_view view;
	double nodes;
	double *sizes[2]; /* of the clusters */
} contingency;

static tlv_status
open_contingency(tlv_context *ctx, const tlv_frame *frame, contingency *table)
{
	tlv_cross_table_view(frame, &table->view);
	table->nodes = tlv_frame_scalar(frame, "nodes", 0);
	TLV_TRY_NEW0(ctx, table->sizes[0], table->view.n[0] + table->view.n[1]);
	table->sizes[1] = table->sizes[0] + table->view.n[0];
	for (size_t i = 0; i < table->view.n_pairs; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		table->sizes[0][tlv_pair_a(table->view.pairs[i])] += table->view.counts[i];
		table->sizes[1][tlv_pair_b(table->view.pairs[i])] += table->view.counts[i];
	}
	return TLV_OK;
}

/* Entropy of cluster sizes, nats; *clusters: how many are not empty. */
static double
entropy(size_t n, const double *sizes, double nodes, size_t *clusters)
{
	double sum = 0;

	*clusters = 0;
	for (size_t i = 0; i < n; i++)
		if (sizes[i] > 0)
		{
			sum -= sizes[i] / nodes * log(sizes[i] / nodes);
			(*clusters)++;
		}
	return sum;
}

/* Mutual information, nats. */
static tlv_status
mutual_information(tlv_context *ctx, const contingency *table, double *information)
{
	const tlv_cross_view *view = &table->view;
	double sum = 0;

	for (size_t i = 0; i < view->n_pairs; i++)
	{
		double a = table->sizes[0][tlv_pair_a(view->pairs[i])] / table->nodes;
		double b = table->sizes[1][tlv_pair_b(view->pairs[i])] / table->nodes;
		double both = view->counts[i] / table->nodes;

		TLV_TRY_CONTINUE_AT(ctx, i);
		sum += both * (log(both) - log(a) - log(b));
	}
	*information = sum;
	return TLV_OK;
}

tlv_status
tlv_label_nmi(tlv_context *ctx, const tlv_frame *pairs, double *nmi)
{
	contingency table = {0};
	size_t clusters_a, clusters_b;
	double h_a, h_b, shared = 0;

	*nmi = NAN;
	TLV_TRY(open_contingency(ctx, pairs, &table));
	if (table.nodes > 0)
	{
		h_a = entropy(table.view.n[0], table.sizes[0], table.nodes, &clusters_a);
		h_b = entropy(table.view.n[1], table.sizes[1], table.nodes, &clusters_b);
		if (clusters_a == 1 || clusters_b == 1)
			*nmi = clusters_a == clusters_b;
		else
		{
			TLV_TRY(mutual_information(ctx, &table, &shared));
			*nmi = fmin(fmax(2 * shared / (h_a + h_b), 0), 1);
		}
	}
	tlv_free(ctx, table.sizes[0]);
	return TLV_OK;
}

/* Ordered pairs of nodes in the same cluster, n (n - 1) each. */
static double
together(size_t n, const double *sizes)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += sizes[i] * (sizes[i] - 1);
	return sum;
}

tlv_status
tlv_label_ari(tlv_context *ctx, const tlv_frame *pairs, double *ari)
{
	contingency table = {0};
	double both, only_a, only_b, neither;

	*ari = NAN;
	TLV_TRY(open_contingency(ctx, pairs, &table));
	if (table.nodes > 0)
	{
		both = together(table.view.n_pairs, table.view.counts);
		only_a = together(table.view.n[0], table.sizes[0]) - both;
		only_b = together(table.view.n[1], table.sizes[1]) - both;
		neither = table.nodes * (table.nodes - 1) - both - only_a - only_b;
		*ari =
			only_a == 0 && only_b == 0
				? 1
				: 2 * (both * neither - only_a * only_b) /
					  ((both + only_a) * (only_a + neither) + (both + only_b) * (only_b + neither));
	}
	tlv_free(ctx, table.sizes[0]);
	return TLV_OK;
}

static const tlv_accumulator_class label_class = {
	.name = "label_pairs",
	.rows = TLV_ROW_LABELS,
	.add = label_add,
	TLV_DECLARED(&label_sections),
	.subtract = tlv_cross_subtract,
};
const tlv_kind tlv_kind_label_pairs = {TLV_KIND_LINE(LABEL_PAIRS, label_pairs),
									   .accumulator = &label_class};
