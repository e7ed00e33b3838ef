/*
 * run.c - sorted, delta-coded runs of edges: from a buffer of edges, and
 * from two runs (internal.h).
 */
#include "internal.h"

#include <math.h>

/* Bytes that one edge takes at most: end of a row, source, target. */
#define EDGE_MAX (1 + 2 * VARINT_MAX)
#define TINY	 24 /* edges that are sorted in place */

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
grow(tlv_context *ctx, uint8_t **bytes, size_t *room, size_t needed)
{
	size_t larger = *room + *room / 2 + needed;
	uint8_t *grown = tlv_realloc(ctx, *bytes, larger, 1);

	TLV_TRY_ALLOC(ctx, grown);
	*bytes = grown;
	*room = larger;
	return TLV_OK;
}

static bool
is_whole(double weight)
{
	return weight <= GRAPH_MAX_WHOLE && weight == floor(weight);
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
put_weight(tlv_context *ctx, run_writer *writer, size_t entries, double weight)
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
		TLV_TRY(grow(ctx, &run->weights, &writer->weights_room, VARINT_MAX));
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
widen(edge_run *run, int end, uint64_t id)
{
	run->low[end] = id < run->low[end] ? id : run->low[end];
	run->high[end] = id > run->high[end] ? id : run->high[end];
}

tlv_status
tlv_run_put(tlv_context *ctx, run_writer *writer, uint64_t src, uint64_t dst, double weight)
{
	edge_run *run = &writer->run;
	uint8_t *at;

	if (writer->room - run->size < EDGE_MAX)
		TLV_TRY(grow(ctx, &run->bytes, &writer->room, EDGE_MAX));
	at = run->bytes + run->size;
	if (src != writer->src || run->rows == 0)
	{
		if (run->rows > 0)
			widen(run, 1, writer->dst);
		*at++ = 0;
		at = put_varint(at, src - writer->src);
		at = put_varint(at, zigzag(dst - writer->first));
		writer->first = dst;
		writer->src = src;
		run->rows++;
		widen(run, 0, src);
		widen(run, 1, dst);
	}
	else
		at = put_gap(at, dst - writer->dst);
	writer->dst = dst;
	run->size = (size_t) (at - run->bytes);
	if (run->form != RUN_ONES || weight != 1)
		TLV_TRY(put_weight(ctx, writer, run->entries, weight));
	run->entries++;
	return TLV_OK;
}

static void
shrink(tlv_context *ctx, uint8_t **bytes, size_t size, size_t room)
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
		widen(&writer->run, 1, writer->dst);
	shrink(ctx, &writer->run.bytes, writer->run.size, writer->room);
	shrink(ctx, &writer->run.weights, writer->run.weights_size, writer->weights_room);
}

/* ---- two runs into one ---- */

static tlv_status
put_next(tlv_context *ctx, run_writer *writer, run_cursor *cursor, bool *more)
{
	TLV_TRY(tlv_run_put(ctx, writer, cursor->src, cursor->dst, cursor->weight));
	*more = run_next(cursor);
	return TLV_OK;
}

static tlv_status
put_both(tlv_context *ctx, run_writer *writer, bool one_set, run_cursor *a, run_cursor *b)
{
	double weight = one_set && a->src == a->dst ? 1 : a->weight + b->weight;

	return tlv_run_put(ctx, writer, a->src, a->dst, weight);
}

static tlv_status
merge_into(tlv_context *ctx, run_writer *writer, bool one_set, run_cursor *a, run_cursor *b)
{
	bool more_a = run_next(a), more_b = run_next(b);

	while (more_a || more_b)
	{
		if (writer->run.entries % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(ctx);
		if (!more_b || (more_a && (a->src < b->src || (a->src == b->src && a->dst < b->dst))))
			TLV_TRY(put_next(ctx, writer, a, &more_a));
		else if (!more_a || a->src != b->src || a->dst != b->dst)
			TLV_TRY(put_next(ctx, writer, b, &more_b));
		else
		{
			TLV_TRY(put_both(ctx, writer, one_set, a, b));
			more_a = run_next(a);
			more_b = run_next(b);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_run_merge(tlv_context *ctx, bool one_set, const edge_run *a, const edge_run *b, edge_run *sum)
{
	run_writer writer;
	run_cursor at_a, at_b;
	tlv_status status;

	run_open(&at_a, a);
	run_open(&at_b, b);
	TLV_TRY(tlv_run_begin(ctx, &writer, a->size + b->size));
	status = merge_into(ctx, &writer, one_set, &at_a, &at_b);
	if (status != TLV_OK)
	{
		tlv_run_free(ctx, &writer.run);
		return status;
	}
	tlv_run_end(ctx, &writer);
	*sum = writer.run;
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

static bool
edge_before(raw_edge a, raw_edge b)
{
	return a.src < b.src || (a.src == b.src && a.dst < b.dst);
}

static tlv_status
fold_tiny(edge_fold *fold, size_t n, raw_edge *edge, double *weight)
{
	for (size_t i = 1; i < n; i++)
	{
		raw_edge e = edge[i];
		double w = weight != NULL ? weight[i] : 1;
		size_t j = i;

		for (; j > 0 && edge_before(e, edge[j - 1]); j--)
		{
			edge[j] = edge[j - 1];
			if (weight != NULL)
				weight[j] = weight[j - 1];
		}
		edge[j] = e;
		if (weight != NULL)
			weight[j] = w;
	}
	for (size_t i = 0; i < n; i++)
		TLV_TRY(fold_add(fold, edge[i].src, edge[i].dst, weight != NULL ? weight[i] : 1));
	return TLV_OK;
}

/* One pass of a radix sort by `digit` bits from `shift` on; weights, if any, go along. */
static void
radix_pass(size_t n, unsigned shift, unsigned digit, const uint64_t *restrict key,
		   const double *restrict weight, uint64_t *restrict to, double *restrict to_weight)
{
	size_t count[1 << 11], at = 0;
	uint64_t mask = (UINT64_C(1) << digit) - 1;

	memset(count, 0, (mask + 1) * sizeof(size_t));
	for (size_t i = 0; i < n; i++)
		count[(key[i] >> shift) & mask]++;
	for (size_t d = 0; d <= mask; d++)
	{
		size_t next = at + count[d];

		count[d] = at;
		at = next;
	}
	if (weight == NULL)
		for (size_t i = 0; i < n; i++)
			to[count[(key[i] >> shift) & mask]++] = key[i];
	else
		for (size_t i = 0; i < n; i++)
		{
			size_t place = count[(key[i] >> shift) & mask]++;

			to[place] = key[i];
			to_weight[place] = weight[i];
		}
}

typedef struct id_range
{
	uint64_t low[2];
	unsigned bits[2]; /* that hold the distances from low */
} id_range;

static unsigned
bits_of(uint64_t value)
{
	return value == 0 ? 0 : 64 - (unsigned) __builtin_clzll(value);
}

static id_range
range_of(size_t n, const raw_edge *edge)
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
					  {bits_of(high.src - low.src), bits_of(high.dst - low.dst)}};
}

/* Both ends fit into one 64-bit key; key has room for 2 n, weights (NULL: 1) for n beside weight.
 */
static tlv_status
fold_packed(edge_fold *fold, id_range range, size_t n, const raw_edge *edge, double *weight,
			uint64_t *key, double *weights)
{
	unsigned bits = range.bits[0] + range.bits[1], most = n < 65536 ? 8 : 11;
	unsigned passes = (bits + most - 1) / most;
	unsigned digit = passes > 0 ? (bits + passes - 1) / passes : 0;
	unsigned by = range.bits[1];
	uint64_t *from = key, *to = key + n, mask = by < 64 ? (UINT64_C(1) << by) - 1 : UINT64_MAX;

	for (size_t i = 0; i < n; i++)
		from[i] = (by < 64 ? (edge[i].src - range.low[0]) << by : 0) | (edge[i].dst - range.low[1]);
	for (unsigned pass = 0; pass < passes; pass++)
	{
		uint64_t *swap = from;
		double *swap_weight = weight;

		TLV_TRY_CONTINUE(fold->ctx);
		radix_pass(n, pass * digit, digit, from, weight, to, weights);
		from = to;
		to = swap;
		if (weight != NULL)
		{
			weight = weights;
			weights = swap_weight;
		}
	}
	for (size_t i = 0; i < n; i++)
	{
		if (i % GRAPH_STOP_STRIDE == 0)
			TLV_TRY_CONTINUE(fold->ctx);
		TLV_TRY(fold_add(fold, range.low[0] + (by < 64 ? from[i] >> by : 0),
						 range.low[1] + (from[i] & mask), weight != NULL ? weight[i] : 1));
	}
	return TLV_OK;
}

typedef struct wide_edge
{
	uint64_t end[2]; /* target, source: the lower part first */
	double weight;
} wide_edge;

/* One byte of a 128-bit key. */
static void
wide_pass(size_t n, int end, unsigned shift, const wide_edge *restrict from, wide_edge *restrict to)
{
	size_t count[256] = {0}, at = 0;

	for (size_t i = 0; i < n; i++)
		count[(from[i].end[end] >> shift) & 255]++;
	for (size_t d = 0; d < 256; d++)
	{
		size_t next = at + count[d];

		count[d] = at;
		at = next;
	}
	for (size_t i = 0; i < n; i++)
		to[count[(from[i].end[end] >> shift) & 255]++] = from[i];
}

/* work has room for 2 n. */
static tlv_status
fold_wide(edge_fold *fold, id_range range, size_t n, const raw_edge *edge, const double *weight,
		  wide_edge *work)
{
	wide_edge *from = work, *to = work + n;

	for (size_t i = 0; i < n; i++)
		from[i] = (wide_edge){{edge[i].dst - range.low[1], edge[i].src - range.low[0]},
							  weight != NULL ? weight[i] : 1};
	for (int end = 0; end < 2; end++)
		for (unsigned shift = 0; shift < range.bits[1 - end]; shift += 8)
		{
			wide_edge *swap = from;

			TLV_TRY_CONTINUE(fold->ctx);
			wide_pass(n, end, shift, from, to);
			from = to;
			to = swap;
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
fold_edges(edge_fold *fold, size_t n, raw_edge *edge, double *weight)
{
	tlv_context *ctx = fold->ctx;
	tlv_status status = TLV_OUT_OF_MEMORY;
	id_range range;

	if (n <= TINY)
		return fold_tiny(fold, n, edge, weight);
	range = range_of(n, edge);
	if (range.bits[0] + range.bits[1] > 64)
	{
		wide_edge *work = tlv_alloc(ctx, 2 * n, sizeof(wide_edge));

		TLV_TRY_ALLOC(ctx, work);
		status = fold_wide(fold, range, n, edge, weight, work);
		tlv_free(ctx, work);
	}
	else
	{
		uint64_t *key = tlv_alloc(ctx, 2 * n, sizeof(uint64_t));
		double *weights = weight != NULL ? tlv_alloc(ctx, n, sizeof(double)) : NULL;

		if (key != NULL && (weight == NULL || weights != NULL))
			status = fold_packed(fold, range, n, edge, weight, key, weights);
		else
			status = ctx->error.code;
		tlv_free(ctx, weights);
		tlv_free(ctx, key);
	}
	return status;
}

tlv_status
tlv_run_from_edges(tlv_context *ctx, bool one_set, size_t n, raw_edge *edge, double *weight,
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
