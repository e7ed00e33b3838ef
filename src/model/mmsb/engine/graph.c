/*
 * graph.c - the graph as a fit of communities sees it: sides without
 * nodes that have no edges there, and the labels that are known.
 */
#include "../internal.h"

#include <string.h>

#include "tensorlv/num/lanes.h"
#include "tensorlv/num/sort.h"

/* Entries whose places are asked for together. */
#define BATCH 64

/*
 * Rows with entries, by decreasing number of them: the rows that most edges lead to are then
 * together, and stay in the caches.
 */
static tlv_status
order_nodes(tlv_context *ctx, const tlv_csr *a, tlv_mmsb_side *side)
{
	size_t most = 0, *begin;

	for (size_t u = 0; u < a->rows; u++)
	{
		size_t entries = a->start[u + 1] - a->start[u];

		most = entries > most ? entries : most;
		side->n += entries > 0;
	}
	side->all = a->rows;
	TLV_TRY_NEW(ctx, side->position, side->n);
	TLV_TRY_NEW(ctx, side->place, side->all);
	TLV_TRY_NEW0(ctx, begin, most + 2);
	/* a counting sort: begin[i] counts the rows with more than i entries */
	for (size_t u = 0; u < a->rows; u++)
		begin[a->start[u + 1] - a->start[u]]++;
	for (size_t i = most + 1, above = 0; i-- > 0;)
	{
		size_t here = begin[i];

		begin[i] = above;
		above += here;
	}
	for (size_t u = 0; u < a->rows; u++)
	{
		size_t entries = a->start[u + 1] - a->start[u];

		side->place[u] = entries > 0 ? (int32_t) begin[entries]++ : -1;
		if (entries > 0)
			side->position[side->place[u]] = (int32_t) u;
	}
	tlv_free(ctx, begin);
	return TLV_OK;
}

/*
 * The rows of a side in their order, columns ascending: written column by column, from the other
 * side's rows.  The columns of lane 0 come in ascending order and fill rows from their fronts,
 * those of lane 1 in descending order from their ends.  Both meet where they must, so that neither
 * needs to know how many entries the other has in a row.
 */
typedef struct row_filler
{
	const tlv_csr *other;
	tlv_mmsb_side *rows;
	const int32_t *column; /* the other side's row of each column */
	size_t *cursor[2];	   /* of a row: where the next entry goes, behind where it goes */
	size_t first[2], left[2];
} row_filler;

/*
 * Entries first .. first + n - 1 of the other side's column v go to the ends of what is filled of
 * their rows.  Where these lie, a processor cannot guess: it is asked for before it is written to.
 */
static void
place_batch(const row_filler *filler, size_t lane, size_t n, size_t first, int32_t v)
{
	const tlv_csr *to = &filler->rows->edges, *other = filler->other;
	size_t *cursor = filler->cursor[lane];
	int32_t row[BATCH];

	for (size_t i = 0; i < n; i++)
	{
		row[i] = filler->rows->place[other->index[first + i]];
		__builtin_prefetch(&cursor[row[i]], 1);
	}
	for (size_t i = 0; i < n; i++)
	{
		__builtin_prefetch(&to->index[cursor[row[i]] - lane], 1);
		if (to->value != NULL)
			__builtin_prefetch(&to->value[cursor[row[i]] - lane], 1);
	}
	for (size_t i = 0; i < n; i++)
	{
		size_t at = lane == 0 ? cursor[row[i]]++ : --cursor[row[i]];

		to->index[at] = v;
		if (to->value != NULL)
			to->value[at] = other->value[first + i];
	}
}

/* tlv_lane_step: some columns of a lane. */
static bool
fill_columns(void *argument, size_t lane)
{
	/* Entries of a step. */
	const int step_entries = 200000;
	row_filler *filler = argument;
	const tlv_csr *other = filler->other;

	for (size_t done = 0; done < step_entries && filler->left[lane] > 0; filler->left[lane]--)
	{
		size_t v = lane == 0 ? filler->first[0]++ : filler->first[1]--;
		size_t from = (size_t) filler->column[v], end = other->start[from + 1];

		for (size_t e = other->start[from]; e < end; e += BATCH)
			place_batch(filler, lane, tlv_least(BATCH, end - e), e, (int32_t) v);
		done += end - other->start[from] + 1;
	}
	return filler->left[lane] > 0;
}

/* Half of the entries to each lane, or all to the first one. */
static void
community_divide_columns(row_filler *filler, size_t columns, size_t lanes)
{
	const tlv_csr *other = filler->other;
	size_t n = 0;

	for (size_t before = 0; n < columns && (lanes == 1 || before < other->entries / 2); n++)
	{
		size_t from = (size_t) filler->column[n];

		before += other->start[from + 1] - other->start[from];
	}
	filler->left[0] = n;
	filler->left[1] = columns - n;
	filler->first[0] = 0;
	filler->first[1] = columns - 1;
}

static tlv_status
permute_rows(tlv_context *ctx, const tlv_csr *own, const tlv_csr *other, tlv_mmsb_side *rows,
			 const tlv_mmsb_side *columns)
{
	row_filler filler = {.other = other, .rows = rows, .column = columns->position};
	size_t lanes = ctx->threads > 1 ? 2 : 1;
	tlv_csr *to = &rows->edges;

	TLV_TRY(tlv_csr_create(ctx, rows->n, columns->n, own->entries, own->value != NULL, to));
	TLV_TRY_NEW_ROWS(ctx, filler.cursor[0], lanes, rows->n);
	filler.cursor[1] = filler.cursor[0] + (lanes - 1) * rows->n;
	to->start[0] = 0;
	for (size_t u = 0; u < rows->n; u++)
	{
		size_t from = (size_t) rows->position[u];

		to->start[u + 1] = to->start[u] + own->start[from + 1] - own->start[from];
		filler.cursor[1][u] = to->start[u + 1];
		filler.cursor[0][u] = to->start[u];
	}
	community_divide_columns(&filler, columns->n, lanes);
	TLV_TRY(tlv_lanes_run(ctx, lanes, fill_columns, &filler));
	tlv_free(ctx, filler.cursor[0]);
	return TLV_OK;
}

/* Cubes of weights, and their sums, must stay within single precision. */
static tlv_status
community_check_weights(tlv_context *ctx, const tlv_csr *edges)
{
	/* Weights of an edge that can be computed with. */
	const double least_weight = 1e-9, most_weight = 1e9;

	for (size_t e = 0; e < edges->entries && edges->value != NULL; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		if (edges->value[e] >= (float) least_weight && edges->value[e] <= (float) most_weight)
			continue;
		tlv_fail(ctx, TLV_BAD_DATA, "an edge's weight %g is not between %g and %g",
				 (double) edges->value[e], least_weight, most_weight);
		return tlv_fail_hint(ctx, "Weights are taken as counts: use another unit, or edges => "
								  "'bernoulli' to leave them out.");
	}
	return TLV_OK;
}

static tlv_status
sum_degrees(tlv_context *ctx, tlv_mmsb_side *side)
{
	TLV_TRY_NEW(ctx, side->degree, side->n);
	tlv_csr_row_sums(&side->edges, side->degree);
	return TLV_OK;
}

/* Known labels of a side's nodes; met (n_labels) marks those that some node has. */
static tlv_status
place_labels(tlv_context *ctx, const tlv_mmsb_options *options, tlv_mmsb_side *side, bool *met)
{
	TLV_TRY_NEW(ctx, side->fixed, side->n);
	for (size_t u = 0; u < side->n; u++)
	{
		size_t i =
			tlv_find_id(options->label_nodes, options->n_labels, side->ids[side->position[u]]);

		side->fixed[u] = i < options->n_labels ? options->label[i] : -1;
		if (i < options->n_labels)
			met[i] = true;
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_open_graph(tlv_context *ctx, tlv_graph *graph, tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_options *options = fit->options;
	bool *met = NULL;

	if (options->edges == TLV_EDGES_POISSON)
		TLV_TRY(community_check_weights(ctx, &graph->out));
	fit->header = graph->header;
	fit->sides = graph->header.kind == TLV_GRAPH_UNDIRECTED ? 1 : 2;
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].ids = graph->nodes[s];
		TLV_TRY(order_nodes(ctx, s == 0 ? &graph->out : &graph->in, &fit->side[s]));
	}
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(permute_rows(ctx, s == 0 ? &graph->out : &graph->in,
							 s == 0 ? &graph->in : &graph->out, &fit->side[s],
							 &fit->side[tlv_mmsb_other(fit, s)]));
	if (fit->sides == 2)
		tlv_csr_free(ctx, &graph->in);
	tlv_csr_free(ctx, &graph->out);
	TLV_TRY_NEW0(ctx, met, options->n_labels);
	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY(sum_degrees(ctx, &fit->side[s]));
		if (options->n_labels > 0)
			TLV_TRY(place_labels(ctx, options, &fit->side[s], met));
	}
	for (size_t u = 0; u < fit->side[0].n; u++)
		fit->total += fit->side[0].degree[u];
	TLV_TRY(tlv_mmsb_check_labels(ctx, options, met, &fit->diagnostics));
	tlv_free(ctx, met);
	return TLV_OK;
}

tlv_status
tlv_mmsb_join_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit, tlv_csr *joined)
{
	size_t first = fit->side[0].n, n = first + fit->side[1].n, at = 0;
	size_t entries = fit->side[0].edges.entries;

	TLV_TRY(tlv_csr_create(ctx, n, n, 2 * entries, fit->side[0].edges.value != NULL, joined));
	for (size_t s = 0; s < 2; s++)
	{
		const tlv_csr *own = &fit->side[s].edges;

		for (size_t u = 0; u < own->rows; u++)
		{
			TLV_TRY_CONTINUE_OFTEN(ctx, u);
			for (size_t e = own->start[u]; e < own->start[u + 1]; e++, at++)
			{
				joined->index[at] = own->index[e] + (s == 0 ? (int32_t) first : 0);
				if (own->value != NULL)
					joined->value[at] = own->value[e];
			}
			joined->start[s * first + u + 1] = at;
		}
	}
	return TLV_OK;
}
