/*
 * run.c - sorted, delta-coded runs of edges: from a buffer of edges, and
 * from two runs (internal.h).
 */
#include "internal.h"

#include <inttypes.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

/* Bytes that one edge takes at most: end of a row, source, target. */
#define EDGE_MAX (1 + 2 * VARINT_MAX)

tlv_status
tlv_run_begin(tlv_context *ctx, run_writer *writer, size_t room)
{
	memset(writer, 0, sizeof(*writer));
	writer->run.low[0] = writer->run.low[1] = UINT64_MAX;
	writer->room = room + EDGE_MAX;
	writer->run.bytes = tlv_alloc(ctx, writer->room, 1);
	TLV_TRY_ALLOC(ctx, writer->run.bytes);
	return TLV_OK;
}

void
tlv_run_free(tlv_context *ctx, edge_run *run)
{
	tlv_free(ctx, run->bytes);
	tlv_free(ctx, run->weights);
	memset(run, 0, sizeof(*run));
}

static tlv_status
run_grow(tlv_context *ctx, uint8_t **bytes, size_t *room, size_t needed)
{
	size_t larger = *room + *room / 2 + needed;
	uint8_t *grown = tlv_realloc(ctx, *bytes, larger, 1);

	TLV_TRY_ALLOC(ctx, grown);
	*bytes = grown;
	*room = larger;
	return TLV_OK;
}

/* Whole numbers become float64; those of the entries before the last one. */
static tlv_status
weights_to_float(tlv_context *ctx, run_writer *writer, size_t entries)
{
	edge_run *run = &writer->run;
	size_t room = (entries + 64) * sizeof(double);
	uint8_t *numbers = tlv_alloc(ctx, room, 1);
	const uint8_t *from = run->weights;

	TLV_TRY_ALLOC(ctx, numbers);
	for (size_t i = 0; i < entries; i++)
	{
		uint64_t whole = 1;
		double weight;

		if (run->form == RUN_WHOLE)
			from = get_varint(from, &whole);
		weight = (double) whole;
		memcpy(numbers + i * sizeof(double), &weight, sizeof(double));
	}
	tlv_free(ctx, run->weights);
	run->weights = numbers;
	run->weights_size = entries * sizeof(double);
	writer->weights_room = room;
	run->form = RUN_FLOAT;
	return TLV_OK;
}

/* The first weight other than 1: all before it were. */
static tlv_status
weights_to_whole(tlv_context *ctx, run_writer *writer, size_t entries)
{
	edge_run *run = &writer->run;

	writer->weights_room = entries + entries / 4 + 64;
	run->weights = tlv_alloc(ctx, writer->weights_room, 1);
	TLV_TRY_ALLOC(ctx, run->weights);
	memset(run->weights, 1, entries);
	run->weights_size = entries;
	run->form = RUN_WHOLE;
	return TLV_OK;
}

/* The weight of the entry behind `entries` others. */
static tlv_status
run_put_weight(tlv_context *ctx, run_writer *writer, size_t entries, double weight)
{
	edge_run *run = &writer->run;

	if (run->form == RUN_WHOLE && weight == 1 && run->weights_size < writer->weights_room)
	{
		run->weights[run->weights_size++] = 1;
		return TLV_OK;
	}
	if (run->form != RUN_FLOAT && !is_whole(weight))
		TLV_TRY(weights_to_float(ctx, writer, entries));
	else if (run->form == RUN_ONES)
		TLV_TRY(weights_to_whole(ctx, writer, entries));
	if (writer->weights_room - run->weights_size < VARINT_MAX)
		TLV_TRY(run_grow(ctx, &run->weights, &writer->weights_room, VARINT_MAX));
	if (run->form == RUN_FLOAT)
	{
		memcpy(run->weights + run->weights_size, &weight, sizeof(double));
		run->weights_size += sizeof(double);
	}
	else
	{
		uint8_t *at = put_varint(run->weights + run->weights_size, (uint64_t) weight);

		run->weights_size = (size_t) (at - run->weights);
	}
	return TLV_OK;
}

static void
run_widen(edge_run *run, int end, uint64_t id)
{
	run->low[end] = id < run->low[end] ? id : run->low[end];
	run->high[end] = id > run->high[end] ? id : run->high[end];
}

tlv_status
tlv_run_put(tlv_context *ctx, run_writer *writer, uint64_t src, uint64_t dst, double weight)
{
	edge_run *run = &writer->run;
	uint8_t *at;

	/* Weights that cancel each other are no edge, in whichever parts they were added up. */
	if (weight == 0)
		return TLV_OK;
	tlv_assert(run->rows == 0 || src > writer->src || (src == writer->src && dst > writer->dst));
	if (writer->room - run->size < EDGE_MAX)
		TLV_TRY(run_grow(ctx, &run->bytes, &writer->room, EDGE_MAX));
	at = run->bytes + run->size;
	if (src != writer->src || run->rows == 0)
	{
		if (run->rows > 0)
			run_widen(run, 1, writer->dst);
		*at++ = 0;
		at = put_varint(at, src - writer->src);
		at = put_varint(at, zigzag(dst - writer->first));
		writer->first = dst;
		writer->src = src;
		run->rows++;
		run_widen(run, 0, src);
		run_widen(run, 1, dst);
	}
	else
		at = put_gap(at, dst - writer->dst);
	writer->dst = dst;
	run->size = (size_t) (at - run->bytes);
	if (run->form != RUN_ONES || weight != 1)
		TLV_TRY(run_put_weight(ctx, writer, run->entries, weight));
	run->entries++;
	return TLV_OK;
}

static void
run_shrink(tlv_context *ctx, uint8_t **bytes, size_t size, size_t room)
{
	uint8_t *smaller;

	if (*bytes == NULL || room - size < 1024 || (room - size) / 8 < size / 32)
		return;
	smaller = tlv_realloc(ctx, *bytes, size, 1);
	if (smaller != NULL)
		*bytes = smaller;
}

void
tlv_run_end(tlv_context *ctx, run_writer *writer)
{
	if (writer->run.rows > 0)
		run_widen(&writer->run, 1, writer->dst);
	run_shrink(ctx, &writer->run.bytes, writer->run.size, writer->room);
	run_shrink(ctx, &writer->run.weights, writer->run.weights_size, writer->weights_room);
}

/* ---- two runs into one ---- */

void
tlv_graph_show_edge(const tlv_name_table names[2], bool one_set, const run_cursor *edge,
					char shown[2][TLV_SHOWN_NAME])
{
	const int64_t ids[2] = {unbias(edge->src), unbias(edge->dst)};

	for (int end = 0; end < 2; end++)
		(void) tlv_show_id(tlv_name_table_find(&names[one_set ? 0 : end], ids[end]), ids[end],
						   shown[end]);
}

static tlv_status
graph_refuse_more(tlv_context *ctx, const run_combination *of, const run_cursor *edge)
{
	char shown[2][TLV_SHOWN_NAME];

	tlv_graph_show_edge(of->names, of->one_set, edge, shown);
	tlv_fail(ctx, TLV_BAD_DATA,
			 "more of the edge from %s to %s is subtracted than the graph contains", shown[0],
			 shown[1]);
	return tlv_fail_hint(ctx, "Subtract only what was added before.");
}

/* An edge of a, of b, or of both; NULL: it is not there. */
static tlv_status
run_put_combined(tlv_context *ctx, run_writer *writer, const run_combination *of,
				 const run_cursor *a, const run_cursor *b)
{
	const run_cursor *edge = a != NULL ? a : b;
	double own = a != NULL ? a->weight : 0, other = b != NULL ? b->weight : 0;
	double weight = of->subtract ? own - other : own + other;

	if (of->one_set && edge->src == edge->dst)
	{
		if (of->subtract && (a == NULL || !of->with_nodes))
			return TLV_OK;
		weight = 1;
	}
	else if (of->subtract && b != NULL)
	{
		bool fractions = b->form == RUN_FLOAT || (a != NULL && a->form == RUN_FLOAT);

		if (fabs(weight) <= (fractions ? TLV_ROUNDING : 0) * fabs(other))
			return TLV_OK;
		if (weight < 0 && !of->negative)
			return graph_refuse_more(ctx, of, edge);
	}
	return tlv_run_put(ctx, writer, edge->src, edge->dst, weight);
}

static int
run_compare(const run_cursor *a, const run_cursor *b)
{
	if (a->src != b->src)
		return a->src < b->src ? -1 : 1;
	return a->dst < b->dst ? -1 : a->dst > b->dst;
}

static tlv_status
run_combine_into(tlv_context *ctx, run_writer *writer, const run_combination *of, run_cursor *a,
				 run_cursor *b)
{
	bool more_a = run_next(a), more_b = run_next(b);

	for (size_t looked = 1; more_a || more_b; looked++)
	{
		int order = !more_b ? -1 : !more_a ? 1 : run_compare(a, b);

		if (looked % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(run_put_combined(ctx, writer, of, order <= 0 ? a : NULL, order >= 0 ? b : NULL));
		more_a = order <= 0 ? run_next(a) : more_a;
		more_b = order >= 0 ? run_next(b) : more_b;
	}
	return TLV_OK;
}

tlv_status
tlv_run_combine(tlv_context *ctx, const run_combination *of, const edge_run *a, const edge_run *b,
				edge_run *run)
{
	run_writer writer;
	run_cursor at_a, at_b;
	tlv_status status;

	run_open(&at_a, a);
	run_open(&at_b, b);
	TLV_TRY(tlv_run_begin(ctx, &writer, a->size + (of->subtract ? 0 : b->size)));
	status = run_combine_into(ctx, &writer, of, &at_a, &at_b);
	if (status != TLV_OK)
	{
		tlv_run_free(ctx, &writer.run);
		return status;
	}
	tlv_run_end(ctx, &writer);
	*run = writer.run;
	return TLV_OK;
}

/* ---- a buffer of edges into a run ---- */

/* Adds up equal edges that follow each other. */
typedef struct edge_fold
{
	tlv_context *ctx;
	run_writer writer;
	bool one_set;
	bool pending;
	uint64_t src, dst;
	double weight;
} edge_fold;

static tlv_status
fold_flush(edge_fold *fold)
{
	if (!fold->pending)
		return TLV_OK;
	if (fold->one_set && fold->src == fold->dst)
		fold->weight = 1;
	fold->pending = false;
	return tlv_run_put(fold->ctx, &fold->writer, fold->src, fold->dst, fold->weight);
}

static inline tlv_status
fold_add(edge_fold *fold, uint64_t src, uint64_t dst, double weight)
{
	if (fold->pending && src == fold->src && dst == fold->dst)
	{
		fold->weight += weight;
		return TLV_OK;
	}
	TLV_TRY(fold_flush(fold));
	fold->src = src;
	fold->dst = dst;
	fold->weight = weight;
	fold->pending = true;
	return TLV_OK;
}

typedef struct id_range
{
	uint64_t low[2];
	unsigned bits[2]; /* that hold the distances from low */
} id_range;

static unsigned
graph_bits_of(uint64_t value)
{
	return value == 0 ? 0 : 64 - (unsigned) __builtin_clzll(value);
}

static id_range
edges_range(size_t n, const raw_edge *edge)
{
	raw_edge low = edge[0], high = edge[0];

	for (size_t i = 1; i < n; i++)
	{
		low.src = edge[i].src < low.src ? edge[i].src : low.src;
		low.dst = edge[i].dst < low.dst ? edge[i].dst : low.dst;
		high.src = edge[i].src > high.src ? edge[i].src : high.src;
		high.dst = edge[i].dst > high.dst ? edge[i].dst : high.dst;
	}
	return (id_range){{low.src, low.dst},
					  {graph_bits_of(high.src - low.src), graph_bits_of(high.dst - low.dst)}};
}

/* An edge whose ends fit into one key. */
typedef struct packed_edge
{
	uint64_t key;
	double weight;
} packed_edge;

_Static_assert(sizeof(packed_edge) == sizeof(raw_edge), "packed in place");

typedef struct wide_edge
{
	uint64_t end[2]; /* target, source: the lower word first */
	double weight;
} wide_edge;

static uint64_t
pack_edge(id_range range, raw_edge edge)
{
	uint64_t source = edge.src - range.low[0];

	return (range.bits[1] < 64 ? source << range.bits[1] : 0) | (edge.dst - range.low[1]);
}

/* Entries that are a key and its weight or, all weights being 1, the key alone; work has room for
 * n. */
static tlv_status
fold_keys(edge_fold *fold, id_range range, bool weighted, size_t n, void *entries, void *work)
{
	tlv_sort_form form = {weighted ? sizeof(packed_edge) : sizeof(uint64_t), sizeof(uint64_t), 0,
						  range.bits[0] + range.bits[1]};
	unsigned by = range.bits[1];
	uint64_t mask = by < 64 ? (UINT64_C(1) << by) - 1 : UINT64_MAX;
	void *sorted;

	TLV_TRY(tlv_radix_sort(fold->ctx, &form, n, entries, work, &sorted));
	for (size_t i = 0; i < n; i++)
	{
		packed_edge edge =
			weighted ? ((packed_edge *) sorted)[i] : (packed_edge){((uint64_t *) sorted)[i], 1};

		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(fold->ctx);
		TLV_TRY(fold_add(fold, range.low[0] + (by < 64 ? edge.key >> by : 0),
						 range.low[1] + (edge.key & mask), edge.weight));
	}
	return TLV_OK;
}

/* Keys take half the room of the edges: the other half is the work space of the sort. */
static tlv_status
fold_plain(edge_fold *fold, id_range range, size_t n, raw_edge *edge)
{
	uint64_t *key = (uint64_t *) edge;

	for (size_t i = 0; i < n; i++)
		key[i] = pack_edge(range, edge[i]);
	return fold_keys(fold, range, false, n, key, key + n);
}

/* Keys and weights where the edges were; work has room for n. */
static tlv_status
fold_packed(edge_fold *fold, id_range range, size_t n, raw_edge *edge, const double *weight,
			packed_edge *work)
{
	packed_edge *packed = (packed_edge *) edge;

	for (size_t i = 0; i < n; i++)
		packed[i] = (packed_edge){pack_edge(range, edge[i]), weight[i]};
	return fold_keys(fold, range, true, n, packed, work);
}

/* work has room for 2 n. */
static tlv_status
fold_wide(edge_fold *fold, id_range range, size_t n, const raw_edge *edge, const double *weight,
		  wide_edge *work)
{
	wide_edge *from = work;
	void *sorted;

	for (size_t i = 0; i < n; i++)
		from[i] = (wide_edge){{edge[i].dst - range.low[1], edge[i].src - range.low[0]},
							  weight != NULL ? weight[i] : 1};
	for (size_t word = 0; word < 2; word++)
	{
		tlv_sort_form form = {sizeof(wide_edge), sizeof(uint64_t), word * sizeof(uint64_t),
							  range.bits[1 - word]};

		TLV_TRY(tlv_radix_sort(fold->ctx, &form, n, from, from == work ? work + n : work, &sorted));
		from = sorted;
	}
	for (size_t i = 0; i < n; i++)
	{
		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(fold->ctx);
		TLV_TRY(fold_add(fold, from[i].end[1] + range.low[0], from[i].end[0] + range.low[1],
						 from[i].weight));
	}
	return TLV_OK;
}

static tlv_status
fold_edges(edge_fold *fold, size_t n, raw_edge *edge, const double *weight)
{
	id_range range = edges_range(n, edge);
	bool wide = range.bits[0] + range.bits[1] > 64;
	void *work;
	tlv_status status;

	if (!wide && weight == NULL)
		return fold_plain(fold, range, n, edge);
	work = tlv_alloc(fold->ctx, n, wide ? 2 * sizeof(wide_edge) : sizeof(packed_edge));
	TLV_TRY_ALLOC(fold->ctx, work);
	status = wide ? fold_wide(fold, range, n, edge, weight, work)
				  : fold_packed(fold, range, n, edge, weight, work);
	tlv_free(fold->ctx, work);
	return status;
}

tlv_status
tlv_run_from_edges(tlv_context *ctx, bool one_set, size_t n, raw_edge *edge, const double *weight,
				   edge_run *run)
{
	edge_fold fold = {.ctx = ctx, .one_set = one_set};
	tlv_status status;

	TLV_TRY(tlv_run_begin(ctx, &fold.writer, 5 * n));
	status = fold_edges(&fold, n, edge, weight);
	if (status == TLV_OK)
		status = fold_flush(&fold);
	if (status != TLV_OK)
	{
		tlv_run_free(ctx, &fold.writer.run);
		return status;
	}
	tlv_run_end(ctx, &fold.writer);
	*run = fold.writer.run;
	return TLV_OK;
}
