/*
 * labels.c - labels of the largest shares; numbering communities alike on both sides, and as known
 * labels do.
 */
#include "internal.h"

#include <math.h>
#include <string.h>
#include <inttypes.h>

#include "tensorlv/num/optimize.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/plural.h"

/* The assignment of largest total gain, gain[a + k b] of a to b. */
static tlv_status
assign_labels(tlv_context *ctx, size_t k, const double *gain, int64_t *assignment)
{
	double *cost = tlv_alloc(ctx, k * k, sizeof(double)), total;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, cost);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			cost[a * k + b] = -gain[a + k * b];
	status = tlv_assignment(ctx, k, k, cost, assignment, &total);
	tlv_free(ctx, cost);
	return status;
}

tlv_status
tlv_mmsb_align_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
					 int64_t *assignment)
{
	size_t k = fit->k;
	double *weight = tlv_alloc0(ctx, k * k + 2 * k, sizeof(double)), *rows, *columns;

	TLV_TRY_ALLOC(ctx, weight);
	rows = weight + k * k;
	columns = rows + k;
	TLV_TRY(tlv_block_edges(ctx, &fit->side[1].edges, label[1], label[0], k, true, weight));
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
		{
			rows[a] += weight[b + k * a];
			columns[b] += weight[b + k * a];
		}
	/* by the excess over chance, so that large communities do not take all */
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			weight[b + k * a] = (weight[b + k * a] - rows[a] * columns[b] / fit->total) /
								sqrt(rows[a] * columns[b] + 1);
	TLV_TRY(assign_labels(ctx, k, weight, assignment));
	tlv_free(ctx, weight);
	return TLV_OK;
}

tlv_status
tlv_mmsb_align_known(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2],
					 int64_t *assignment)
{
	size_t k = fit->k;
	double *together = tlv_alloc0(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, together);
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			if (fit->side[s].fixed[u] >= 0)
				together[(size_t) label[s][u] + k * (size_t) fit->side[s].fixed[u]] += 1;
	TLV_TRY(assign_labels(ctx, k, together, assignment));
	tlv_free(ctx, together);
	return TLV_OK;
}

tlv_status
tlv_mmsb_largest(tlv_context *ctx, size_t k, size_t n, const float *share, int32_t **label)
{
	TLV_TRY_NEW(ctx, *label, n);
	for (size_t u = 0; u < n; u++)
	{
		size_t best = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t a = 1; a < k; a++)
			best = share[u * k + a] > share[u * k + best] ? a : best;
		(*label)[u] = (int32_t) best;
	}
	return TLV_OK;
}

void
tlv_mmsb_relabel(size_t n, const int64_t *assignment, int32_t *label)
{
	for (size_t u = 0; u < n; u++)
		label[u] = (int32_t) assignment[label[u]];
}

tlv_status
tlv_mmsb_settle_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2])
{
	int64_t *assignment = tlv_alloc(ctx, fit->k, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, assignment);
	if (fit->sides == 2)
	{
		TLV_TRY(tlv_mmsb_align_sides(ctx, fit, label, assignment));
		tlv_mmsb_relabel(fit->side[1].n, assignment, label[1]);
	}
	if (fit->side[0].fixed != NULL)
	{
		TLV_TRY(tlv_mmsb_align_known(ctx, fit, label, assignment));
		for (size_t s = 0; s < fit->sides; s++)
		{
			tlv_mmsb_relabel(fit->side[s].n, assignment, label[s]);
			for (size_t u = 0; u < fit->side[s].n; u++)
				if (fit->side[s].fixed[u] >= 0)
					label[s][u] = fit->side[s].fixed[u];
		}
	}
	tlv_free(ctx, assignment);
	return TLV_OK;
}

/* ---- known labels ---- */

static const char *const label_hint = "Labels must be integers from 1 to k, one for each node.";

static tlv_status
labels_alloc(tlv_context *ctx, size_t n, int64_t **nodes, int32_t **labels)
{
	TLV_TRY_NEW(ctx, *nodes, n);
	TLV_TRY_NEW(ctx, *labels, n);
	return TLV_OK;
}

static void
labels_give(size_t n, const int64_t *nodes, const int32_t *labels, tlv_mmsb_options *options)
{
	options->n_labels = n;
	options->label_nodes = nodes;
	options->label = labels;
}

tlv_status
tlv_mmsb_labels_of_bag(tlv_context *ctx, const tlv_bag_image *bag, tlv_mmsb_options *options)
{
	int64_t *nodes;
	int32_t *labels;
	double *told;

	TLV_TRY(labels_alloc(ctx, bag->n, &nodes, &labels));
	TLV_TRY_NEW(ctx, told, bag->n);
	TLV_TRY(tlv_bag_read(ctx, bag, nodes, told));
	for (size_t i = 0; i < bag->n; i++)
	{
		if (!(told[i] >= 1 && told[i] <= UINT16_MAX) || told[i] != (int32_t) told[i])
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "label %g of node %" PRId64 " is not the number of a community", told[i],
					 nodes[i]);
			return tlv_fail_hint(ctx, "%s", label_hint);
		}
		labels[i] = (int32_t) told[i] - 1;
	}
	tlv_free(ctx, told);
	labels_give(bag->n, nodes, labels, options);
	return TLV_OK;
}

/* Edges come by node, and of a node by label: the least label first.  names are those of the nodes.
 */
static tlv_status
labels_take_edges(tlv_context *ctx, tlv_graph_cursor *cursor, const tlv_name_list *names,
				  int64_t *nodes, int32_t *labels, size_t *n)
{
	char shown[TLV_SHOWN_NAME];
	int64_t node, label;
	double weight;

	for (*n = 0; tlv_graph_cursor_next(cursor, &node, &label, &weight); ++*n)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, *n);
		if (*n > 0 && nodes[*n - 1] == node)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "node %s has more than one label",
					 tlv_show_id(tlv_name_at(names, *n - 1), node, shown));
			return tlv_fail_hint(ctx, "%s", label_hint);
		}
		if (label < 1 || label > UINT16_MAX)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "label %" PRId64 " of node %s is not the number of a community", label,
					 tlv_show_id(tlv_name_at(names, *n), node, shown));
			return tlv_fail_hint(ctx, "%s", label_hint);
		}
		nodes[*n] = node;
		labels[*n] = (int32_t) (label - 1);
	}
	return TLV_OK;
}

/* The names of the nodes, which may stay longer than the graph. */
static tlv_status
labels_keep_names(tlv_context *ctx, const tlv_name_list *names, size_t n, tlv_mmsb_options *options)
{
	int64_t *offsets;
	char *bytes;

	if (names->offsets == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, offsets, n + 1);
	memcpy(offsets, names->offsets, (n + 1) * sizeof(int64_t));
	TLV_TRY_NEW(ctx, bytes, (size_t) offsets[n] + 1);
	memcpy(bytes, names->bytes, (size_t) offsets[n]);
	options->label_names = (tlv_name_list){offsets, bytes};
	return TLV_OK;
}

tlv_status
tlv_mmsb_labels_of_graph(tlv_context *ctx, const tlv_frame *graph, tlv_mmsb_options *options)
{
	const tlv_name_list names = tlv_graph_names(graph, 0);
	tlv_graph_cursor *cursor;
	tlv_graph_header header;
	int64_t *nodes;
	int32_t *labels;
	size_t n;

	tlv_graph_read_header(graph, &header);
	options->null_labels = header.nulls;
	TLV_TRY(labels_alloc(ctx, header.rows, &nodes, &labels));
	TLV_TRY(tlv_graph_cursor_open(ctx, graph, &cursor));
	TLV_TRY(labels_take_edges(ctx, cursor, &names, nodes, labels, &n));
	tlv_graph_cursor_close(ctx, cursor);
	labels_give(n, nodes, labels, options);
	return labels_keep_names(ctx, &names, n, options);
}

tlv_status
tlv_mmsb_check_labels(tlv_context *ctx, const tlv_mmsb_options *options, const bool *met,
					  tlv_diagnostics *to)
{
	size_t unmet = 0, first = 0;
	char shown[TLV_SHOWN_NAME];

	for (size_t i = options->n_labels; i-- > 0;)
		if (!met[i])
			unmet++, first = i;
	if (options->empty_labels)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "unmatched_labels",
										.hint = "Correct the query, or omit labels."},
						 "the query of labels has no rows"));
	if (options->null_labels > 0)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "unmatched_labels",
										.score = options->null_labels,
										.hint = "Leave nodes without a label out."},
						 "%.0f %s skipped, since the node or the community is null",
						 options->null_labels,
						 tlv_plural(options->null_labels, "label was", "labels were")));
	if (unmet == 0)
		return TLV_OK;
	(void) tlv_show_id(tlv_name_at(&options->label_names, first), options->label_nodes[first],
					   shown);
	if (unmet == options->n_labels)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "none of the %zu labels is of a node with edges", unmet);
		tlv_fail_detail(ctx, "The first is of node %s.", shown);
		return tlv_fail_hint(ctx, "Labels are (node, community) with the nodes' ids in the edges.");
	}
	return tlv_warn(ctx, to,
					&(tlv_warning){.code = "unmatched_labels",
								   .score = (double) unmet,
								   .hint = "Spell the nodes of labels as the edges do."},
					unmet == 1 ? "%zu label is of a node without edges, %s"
							   : "%zu labels are of nodes without edges, the first of which is %s",
					unmet, shown);
}
