/*
 * fold.c - the undirected graph of rows of neighbours, which are collected as a directed graph
 * with every edge from both of its ends (graph.h).
 */
#include "internal.h"
#include "tensorlv/num/numbers.h"

#include <math.h>

/*
 * Differences between the two ends of all edges, as sums of hashes from the lower end minus those
 * from the upper one, modulo 2^64: of the edges, and of integer weights times the hashes.  Both are
 * 0 where the ends agree, and otherwise with a probability of 2^-64.  Of fractional weights, which
 * sums of several rows round, the sum is one of doubles: it does not show a difference that is
 * small relative to all weights.
 */
typedef struct fold_sums
{
	uint64_t edges, exact;
	bool fractional;
	double weights;
	double total;
} fold_sums;

static void
sum_end(fold_sums *sums, uint32_t row, uint32_t column, double weight)
{
	const double most_exact = 0x1p53; /* integers of a double */
	bool up = column > row;
	uint64_t low = up ? row : column, high = up ? column : row;
	uint64_t hash = tlv_mix64(low << 32 | high);

	sums->edges += up ? hash : -hash;
	if (weight == floor(weight) && weight <= most_exact)
		sums->exact += (up ? hash : -hash) * (uint64_t) weight;
	else
		sums->fractional = true;
	sums->weights += (up ? weight : -weight) * ((double) (hash >> 11) * 0x1p-53);
	sums->total += weight;
}

/* The entries of a row that are behind it are the row of the undirected graph. */
static tlv_status
fold_rows(tlv_context *ctx, run_writer *writer, const tlv_frame *directed, const int64_t *ids,
		  fold_sums *sums)
{
	size_t looked = 0;
	entry_cursor cursor;
	entry_batch batch;

	tlv_entry_open(directed, &cursor);
	while (entry_next_batch(&cursor, &batch))
	{
		uint32_t row = (uint32_t) cursor.row - 1;

		if (batch.n == 0) /* the node is there because of a self-loop */
			TLV_TRY(tlv_run_put(ctx, writer, bias(ids[row]), bias(ids[row]), 1));
		for (size_t i = 0; i < batch.n; i++)
		{
			sum_end(sums, row, batch.column[i], batch.weight[i]);
			if (batch.column[i] > row)
				TLV_TRY(tlv_run_put(ctx, writer, bias(ids[row]), bias(ids[batch.column[i]]),
									batch.weight[i]));
		}
		TLV_TRY(graph_count_work(ctx, &looked, batch.n + 1));
	}
	return TLV_OK;
}

static tlv_status
require_both_ends(tlv_context *ctx, const fold_sums *sums)
{
	if (sums->edges == 0 &&
		(sums->fractional ? fabs(sums->weights) <= TLV_ROUNDING * sums->total : sums->exact == 0))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "not all neighbours are neighbours the other way round");
	return tlv_fail_hint(ctx, "Every edge belongs to the bags of both of its ends: collect them "
							  "from SELECT src, dst FROM edges UNION ALL SELECT dst, src FROM "
							  "edges.");
}

tlv_status
tlv_graph_fold(tlv_context *ctx, const tlv_frame *directed, void **image, size_t *size)
{
	const tlv_name_table none[2] = {{0}};
	tlv_frame_builder *builder;
	run_writer writer = {.room = 0};
	tlv_graph_header header;
	graph_totals totals;
	fold_sums sums = {0};
	int64_t *ids;

	tlv_graph_read_header(directed, &header);
	totals = (graph_totals){.kind = TLV_GRAPH_UNDIRECTED,
							.weighted = header.weighted,
							.self_loops = header.self_loops,
							.self_loop_weight = header.self_loop_weight,
							.nulls = header.nulls,
							.large = true};
	TLV_TRY(tlv_graph_decode_nodes(ctx, directed, "nodes", header.rows, &ids));
	TLV_TRY(tlv_run_begin(ctx, &writer, 2 * header.entries + 8 * header.rows));
	TLV_TRY(fold_rows(ctx, &writer, directed, ids, &sums));
	TLV_TRY(require_both_ends(ctx, &sums));
	tlv_free(ctx, ids);
	tlv_run_end(ctx, &writer);
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(tlv_graph_build_image(ctx, &totals, writer.run.entries > 0 ? &writer.run : NULL, none,
								  builder));
	builder->large = true;
	return tlv_frame_finish(ctx, builder, image, size);
}
