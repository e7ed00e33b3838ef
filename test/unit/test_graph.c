/*
 * test_graph.c - graphs: what goes in comes out, for every kind, any ids, any
 * order of rows and any tree of merges; runs that are merged many times;
 * damaged images; cancelling and limits.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"
#include "tensorlv/graph.h"
#include "tensorlv/kind.h"
#include "tensorlv/rng.h"

#define MOST 4000

typedef struct edge
{
	int64_t src, dst;
	double weight;
} edge;

typedef struct image
{
	void *bytes;
	size_t size;
	tlv_frame frame;
} image;

static tlv_context ctx;
static pool memory;
static tlv_rng rng;
static tlv_frame_builder builder;

static int
setup(void **state)
{
	(void) state;
	pool_init(&memory, &ctx);
	tlv_rng_seed(&rng, 5);
	return 0;
}

/* Nothing here may leak, not even on error: the free functions are complete. */
static int
teardown(void **state)
{
	bool leak = ctx.arena.used != 0;

	(void) state;
	pool_reset(&memory, &ctx);
	return leak ? -1 : 0;
}

static void
assert_ok(tlv_status status)
{
	if (status != TLV_OK)
		fail_msg("status %d: %s", (int) status, ctx.error.message);
}

static tlv_accumulator *
create(tlv_graph_kind kind, bool weighted, size_t buffer)
{
	tlv_accumulator *accumulator = NULL;

	assert_ok(tlv_graph_accumulator_create(&ctx, kind, weighted, &accumulator));
	if (buffer > 0)
		tlv_graph_accumulator_set_buffer(accumulator, buffer);
	return accumulator;
}

/* The stored form; it must pass its own check. */
static image
build(tlv_accumulator *accumulator)
{
	const tlv_kind *kind;
	image result;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &result.bytes, &result.size));
	assert_ok(
		tlv_kind_validate(&ctx, result.bytes, result.size, TLV_FRAME_GRAPH, &result.frame, &kind));
	assert_true(kind->accumulator == accumulator->class);
	return result;
}

static void
add(tlv_accumulator *accumulator, size_t n, const edge *edges)
{
	for (size_t i = 0; i < n; i++)
		assert_ok(
			tlv_graph_add_edge(&ctx, accumulator, edges[i].src, edges[i].dst, edges[i].weight));
}

static image
collect(tlv_graph_kind kind, size_t buffer, size_t n, const edge *edges)
{
	tlv_accumulator *accumulator = create(kind, false, buffer);
	image result;

	add(accumulator, n, edges);
	result = build(accumulator);
	tlv_graph_accumulator_free(&ctx, accumulator);
	return result;
}

static void
drop(image *i)
{
	tlv_free(&ctx, i->bytes);
}

static void
assert_same(image a, image b)
{
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.bytes, b.bytes, a.size);
}

static int
compare_edges(const void *a, const void *b)
{
	const edge *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* What a graph of these rows holds, the slow way; returns the number of edges. */
static size_t
expected_edges(tlv_graph_kind kind, size_t n, const edge *rows, edge *edges, double *loops)
{
	size_t m = 0, k = 0;

	*loops = 0;
	for (size_t i = 0; i < n; i++)
	{
		edge e = rows[i];

		if (kind == TLV_GRAPH_UNDIRECTED && e.src > e.dst)
			e = (edge){e.dst, e.src, e.weight};
		if (kind != TLV_GRAPH_BIPARTITE && e.src == e.dst)
			++*loops;
		else
			edges[m++] = e;
	}
	qsort(edges, m, sizeof(edge), compare_edges);
	for (size_t i = 0; i < m; i++)
		if (k > 0 && compare_edges(&edges[k - 1], &edges[i]) == 0)
			edges[k - 1].weight += edges[i].weight;
		else
			edges[k++] = edges[i];
	return k;
}

/* The graph holds these edges and no others. */
static void
assert_edges(image graph, size_t n, const edge *edges)
{
	tlv_graph_cursor *cursor = NULL;
	int64_t src, dst;
	double weight;
	size_t i = 0;

	assert_ok(tlv_graph_cursor_open(&ctx, &graph.frame, &cursor));
	for (; tlv_graph_cursor_next(cursor, &src, &dst, &weight); i++)
	{
		assert_true(i < n);
		assert_true(src == edges[i].src && dst == edges[i].dst);
		assert_true(fabs(weight - edges[i].weight) <= 1e-12 * weight);
	}
	assert_int_equal(i, n);
	assert_false(tlv_graph_cursor_next(cursor, &src, &dst, &weight));
	tlv_graph_cursor_close(&ctx, cursor);
}

/* Ids of many shapes. */
static int64_t
random_id(int shape, uint64_t nodes)
{
	uint64_t u = tlv_rng_below(&rng, nodes);

	switch (shape)
	{
		case 0:
			return (int64_t) u; /* narrow */
		case 1:
			return (int64_t) (u * UINT64_C(0x9e3779b97f4a7c15)); /* everywhere */
		case 2:
			return u % 2 ? INT64_MAX - (int64_t) (u / 2) : INT64_MIN + (int64_t) (u / 2);
		case 3:
			return INT64_MIN + (int64_t) u;
		default:
			return (int64_t) (u * u) - 1000000;
	}
}

static void
random_edges(int shape, int weights, uint64_t nodes, size_t n, edge *rows)
{
	for (size_t i = 0; i < n; i++)
		rows[i] = (edge){random_id(shape, nodes), random_id(shape, nodes),
						 weights == 0	? 1
						 : weights == 1 ? 1 + (double) tlv_rng_below(&rng, 300)
										: 0.25 * (double) (1 + tlv_rng_below(&rng, 9))};
}

static void
shuffle(size_t n, edge *rows)
{
	for (size_t i = n; i > 1; i--)
	{
		size_t j = tlv_rng_below(&rng, i);
		edge swap = rows[j];

		rows[j] = rows[i - 1];
		rows[i - 1] = swap;
	}
}

/* Weights are multiples of 1/4: sums are exact, so every way gives the same bytes. */
static void
check_every_way(tlv_graph_kind kind, size_t n, edge *rows)
{
	edge *edges = malloc(sizeof(edge) * (n + 1));
	double loops;
	size_t m = expected_edges(kind, n, rows, edges, &loops);
	image direct = collect(kind, 0, n, rows), other, half;
	tlv_accumulator *accumulator = create(kind, false, 0);
	tlv_graph_header header;

	tlv_graph_read_header(&direct.frame, &header);
	assert_int_equal(header.entries, m);
	assert_true(header.self_loops == loops);
	assert_edges(direct, m, edges);
	for (size_t buffer = 1; buffer <= 4096; buffer *= 8)
	{
		shuffle(n, rows);
		other = collect(kind, buffer, n, rows);
		assert_same(direct, other);
		drop(&other);
	}
	for (size_t from = 0, part = 1; from < n; from += part, part = 1 + tlv_rng_below(&rng, n))
	{
		half = collect(kind, 7, part < n - from ? part : n - from, rows + from);
		assert_ok(accumulator->class->merge(&ctx, accumulator, &half.frame));
		if (from % 2 == 0) /* a build in between changes nothing */
		{
			other = build(accumulator);
			drop(&other);
		}
		drop(&half);
	}
	other = build(accumulator);
	assert_same(direct, other);
	drop(&other);
	drop(&direct);
	tlv_graph_accumulator_free(&ctx, accumulator);
	free(edges);
}

static void
test_round_trip(void **state)
{
	static const size_t sizes[] = {0, 1, 2, 20, 30, 200, MOST};
	edge *rows = malloc(sizeof(edge) * MOST);

	(void) state;
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int shape = 0; shape < 5; shape++)
			for (int weights = 0; weights < 3; weights++)
				for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
				{
					random_edges(shape, weights, 1 + sizes[s] / (s % 2 ? 3 : 30), sizes[s], rows);
					check_every_way((tlv_graph_kind) kind, sizes[s], rows);
				}
	free(rows);
}

static void
test_ends_of_bigint(void **state)
{
	edge rows[] = {{INT64_MIN, INT64_MAX, 1}, {INT64_MAX, INT64_MIN, 1}, {0, INT64_MAX, 2},
				   {-1, INT64_MIN, 3},		  {INT64_MAX, INT64_MAX, 5}, {INT64_MIN, -1, 1}};

	(void) state;
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		check_every_way((tlv_graph_kind) kind, sizeof(rows) / sizeof(rows[0]), rows);
}

static void
test_self_loops_only(void **state)
{
	static const edge rows[] = {{7, 7, 2}, {7, 7, 1}, {-3, -3, 0.5}};
	image graph = collect(TLV_GRAPH_DIRECTED, 2, 3, rows);
	tlv_graph_header header;
	tlv_graph loaded;
	int64_t degree[2];
	double weight[2];

	(void) state;
	tlv_graph_read_header(&graph.frame, &header);
	assert_int_equal(header.rows, 2);
	assert_int_equal(header.columns, 2);
	assert_int_equal(header.entries, 0);
	assert_true(header.self_loops == 3 && header.self_loop_weight == 3.5);
	assert_ok(tlv_graph_load(&ctx, &graph.frame, false, &loaded));
	assert_true(loaded.nodes[0][0] == -3 && loaded.nodes[0][1] == 7);
	assert_ok(tlv_graph_degrees(&ctx, &graph.frame, true, degree, weight));
	assert_true(degree[0] == 0 && degree[1] == 0 && weight[0] == 0);
	tlv_graph_free(&ctx, &loaded);
	drop(&graph);
}

static void
test_weight_forms(void **state)
{
	static const struct
	{
		edge rows[3];
		const char *section;
	} cases[] = {
		{{{1, 2, 1}, {2, 3, 1}, {3, 4, 1}}, NULL},
		{{{1, 2, 0.5}, {2, 3, 1}, {1, 2, 0.5}}, NULL},
		{{{1, 2, 1}, {2, 3, 1}, {2, 1, 1}}, "multiplicities"},
		{{{1, 2, 0.5}, {2, 3, 1}, {1, 2, 1.5}}, "multiplicities"},
		{{{1, 2, 0x1p53}, {2, 3, 1}, {3, 4, 1}}, "multiplicities"},
		{{{1, 2, 0x1p53}, {2, 3, 1}, {1, 2, 2}}, "weights"},
		{{{1, 2, 0.5}, {2, 3, 1}, {3, 4, 1}}, "weights"},
		{{{1, 2, 3}, {2, 3, DBL_MIN}, {3, 4, 1}}, "weights"},
	};

	(void) state;
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (size_t buffer = 1; buffer < 4; buffer++)
		{
			image graph = collect(TLV_GRAPH_UNDIRECTED, buffer, 3, cases[c].rows);

			for (int s = 0; s < 2; s++)
			{
				const char *name = s == 0 ? "multiplicities" : "weights";
				bool wanted = cases[c].section != NULL && strcmp(cases[c].section, name) == 0;

				assert_true((tlv_frame_find(&graph.frame, name) != NULL) == wanted);
			}
			drop(&graph);
		}
}

static void
test_bad_weights(void **state)
{
	static const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
	tlv_accumulator *accumulator = create(TLV_GRAPH_UNDIRECTED, true, 0);

	(void) state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		assert_int_equal(tlv_graph_add_edge(&ctx, accumulator, -17, 23, bad[i]), TLV_BAD_DATA);
		assert_non_null(strstr(ctx.error.message, "from -17 to 23"));
		assert_non_null(strstr(ctx.error.hint, "WHERE"));
	}
	/* A sum that overflows is noticed when the value is made. */
	for (int i = 0; i < 2; i++)
		assert_ok(tlv_graph_add_edge(&ctx, accumulator, -17, 23, DBL_MAX));
	assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA);
	assert_non_null(strstr(ctx.error.message, "from -17 to 23"));
	tlv_graph_accumulator_free(&ctx, accumulator);
	accumulator = create(TLV_GRAPH_UNDIRECTED, true, 0);
	for (int64_t i = 0; i < 2; i++)
		assert_ok(tlv_graph_add_edge(&ctx, accumulator, i, 23, DBL_MAX));
	assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA);
	tlv_graph_accumulator_free(&ctx, accumulator);
}

/* ---- loading ---- */

static double
value_at(const tlv_csr *a, size_t row, size_t column)
{
	for (size_t e = a->start[row]; e < a->start[row + 1]; e++)
		if (a->index[e] == (int32_t) column)
			return a->value != NULL ? (double) a->value[e] : 1;
	return 0;
}

static void
assert_rows(const tlv_csr *a, size_t rows, size_t columns, size_t entries)
{
	assert_int_equal(a->rows, rows);
	assert_int_equal(a->columns, columns);
	assert_int_equal(a->entries, entries);
	assert_int_equal(a->start[0], 0);
	assert_int_equal(a->start[rows], entries);
	for (size_t i = 0; i < rows; i++)
		for (size_t e = a->start[i]; e < a->start[i + 1]; e++)
		{
			assert_true(a->index[e] >= 0 && a->index[e] < (int32_t) columns);
			assert_true(e == a->start[i] || a->index[e] > a->index[e - 1]);
		}
}

static size_t
position_of(const int64_t *nodes, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++)
		if (nodes[i] == id)
			return i;
	fail_msg("node %lld is missing", (long long) id);
	return 0;
}

static void
check_load(tlv_graph_kind kind, bool binary, size_t n, const edge *rows)
{
	edge *edges = malloc(sizeof(edge) * (n + 1));
	double loops;
	size_t m = expected_edges(kind, n, rows, edges, &loops);
	image image = collect(kind, 0, n, rows);
	tlv_graph graph;
	size_t both = kind == TLV_GRAPH_UNDIRECTED ? 2 : 1;

	assert_ok(tlv_graph_load(&ctx, &image.frame, binary, &graph));
	assert_rows(&graph.out, graph.header.rows, graph.header.columns, both * m);
	assert_rows(&graph.in, graph.header.columns, graph.header.rows, both * m);
	for (size_t i = 0; i < m; i++)
	{
		size_t row = position_of(graph.nodes[0], graph.header.rows, edges[i].src);
		size_t column = position_of(graph.nodes[1], graph.header.columns, edges[i].dst);
		double weight = binary ? 1 : edges[i].weight;

		assert_true(value_at(&graph.out, row, column) == weight);
		assert_true(value_at(&graph.in, column, row) == weight);
		if (kind == TLV_GRAPH_UNDIRECTED)
			assert_true(value_at(&graph.out, column, row) == weight);
	}
	tlv_graph_free(&ctx, &graph);
	drop(&image);
	free(edges);
}

static void
test_load(void **state)
{
	edge rows[500];

	(void) state;
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int weights = 0; weights < 3; weights++)
			for (size_t n = 0; n <= 500; n += 100)
			{
				random_edges(weights, weights, 60, n, rows);
				check_load((tlv_graph_kind) kind, false, n, rows);
				check_load((tlv_graph_kind) kind, true, n, rows);
			}
}

/* What is promised beforehand is enough, and not far too much. */
static void
test_load_memory(void **state)
{
	edge *rows = malloc(sizeof(edge) * MOST);

	(void) state;
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
	{
		image image;
		tlv_graph graph;
		double promised;
		size_t before;

		random_edges(0, 1, MOST / 4, MOST, rows);
		image = collect((tlv_graph_kind) kind, 0, MOST, rows);
		tlv_graph_read_header(&image.frame, &graph.header);
		promised = tlv_graph_load_memory(&graph.header, false);
		before = ctx.arena.peak = ctx.arena.used;
		ctx.arena.limit = before + (size_t) promised + 1;
		assert_ok(tlv_graph_load(&ctx, &image.frame, false, &graph));
		assert_true((double) (ctx.arena.peak - before) > 0.8 * promised);
		tlv_graph_free(&ctx, &graph);
		ctx.arena.limit = before + (size_t) promised / 2;
		assert_int_equal(tlv_graph_load(&ctx, &image.frame, false, &graph), TLV_MEMORY_LIMIT);
		ctx.arena.limit = SIZE_MAX;
		drop(&image);
	}
	free(rows);
}

static void
test_weights_beyond_float(void **state)
{
	static const edge rows[] = {{1, 2, 1e300}, {2, 3, 0.5}};
	image image = collect(TLV_GRAPH_UNDIRECTED, 0, 2, rows);
	tlv_graph graph;

	(void) state;
	assert_int_equal(tlv_graph_load(&ctx, &image.frame, false, &graph), TLV_BAD_DATA);
	assert_ok(tlv_graph_load(&ctx, &image.frame, true, &graph));
	tlv_graph_free(&ctx, &graph);
	drop(&image);
}

static void
test_neighbours(void **state)
{
	edge rows[300], edges[301] = {{0, 0, 0}};
	double loops;

	(void) state;
	random_edges(0, 2, 40, 300, rows);
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int sources = 0; sources < 2; sources++)
		{
			size_t m = expected_edges((tlv_graph_kind) kind, 300, rows, edges, &loops);
			image image = collect((tlv_graph_kind) kind, 0, 300, rows);
			tlv_graph_neighbours neighbours;
			int64_t degree[64];
			double weight[64], total = 0;

			assert_ok(tlv_graph_neighbours_load(&ctx, &image.frame, sources, &neighbours));
			assert_ok(tlv_graph_degrees(&ctx, &image.frame, sources, degree, weight));
			assert_int_equal(neighbours.start[neighbours.nodes],
							 m * (kind == TLV_GRAPH_UNDIRECTED ? 2 : 1));
			for (size_t i = 0; i < neighbours.nodes; i++)
			{
				double sum = 0;

				for (size_t e = neighbours.start[i]; e < neighbours.start[i + 1]; e++)
				{
					sum += neighbours.weight[e];
					assert_true(e == neighbours.start[i] ||
								neighbours.index[e] > neighbours.index[e - 1]);
				}
				assert_true(sum == weight[i]);
				assert_int_equal(degree[i], neighbours.start[i + 1] - neighbours.start[i]);
				total += sum;
			}
			assert_true(total == tlv_frame_scalar(&image.frame, "total", 0) *
									 (kind == TLV_GRAPH_UNDIRECTED ? 2 : 1));
			tlv_graph_neighbours_free(&ctx, &neighbours);
			drop(&image);
		}
}

/* ---- components ---- */

static void
assert_components(tlv_graph_kind kind, size_t n, const edge *rows, size_t nodes,
				  const int32_t *expected, bool two_colourable)
{
	image image = collect(kind, 0, n, rows);
	tlv_graph graph;
	int32_t component[32];
	size_t count;
	int32_t most = -1;
	bool colours;

	assert_ok(tlv_graph_load(&ctx, &image.frame, true, &graph));
	assert_ok(tlv_graph_components(&ctx, &graph, component, &count));
	for (size_t i = 0; i < nodes; i++)
	{
		assert_int_equal(component[i], expected[i]);
		most = expected[i] > most ? expected[i] : most;
	}
	assert_int_equal(count, most + 1);
	assert_ok(tlv_graph_is_two_colourable(&ctx, &graph, &colours));
	assert_int_equal(colours, two_colourable);
	tlv_graph_free(&ctx, &graph);
	drop(&image);
}

static void
test_components(void **state)
{
	static const edge triangle_and_path[] = {{1, 2, 1}, {3, 4, 1}, {4, 5, 1}, {5, 3, 1},
											 {5, 6, 1}, {9, 9, 1}, {7, 8, 1}};
	static const edge square[] = {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 1, 1}};
	static const edge tree[] = {{1, 2, 1}, {1, 3, 1}, {3, 4, 1}, {3, 5, 1}};
	static const edge both_ways[] = {{1, 2, 1}, {2, 1, 1}, {2, 3, 1}};
	static const edge two_sets[] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 1}, {4, 3, 1}, {4, 4, 1}};

	(void) state;
	assert_components(TLV_GRAPH_UNDIRECTED, 7, triangle_and_path, 9,
					  (int32_t[]){1, 1, 0, 0, 0, 0, 2, 2, 3}, false);
	assert_components(TLV_GRAPH_DIRECTED, 7, triangle_and_path, 9,
					  (int32_t[]){1, 1, 0, 0, 0, 0, 2, 2, 3}, false);
	assert_components(TLV_GRAPH_UNDIRECTED, 4, square, 4, (int32_t[]){0, 0, 0, 0}, true);
	assert_components(TLV_GRAPH_DIRECTED, 4, square, 4, (int32_t[]){0, 0, 0, 0}, true);
	assert_components(TLV_GRAPH_UNDIRECTED, 4, tree, 5, (int32_t[]){0, 0, 0, 0, 0}, false);
	assert_components(TLV_GRAPH_DIRECTED, 3, both_ways, 3, (int32_t[]){0, 0, 0}, false);
	assert_components(TLV_GRAPH_BIPARTITE, 5, two_sets, 8, (int32_t[]){0, 0, 2, 1, 0, 2, 1, 1},
					  false);
	assert_components(TLV_GRAPH_UNDIRECTED, 0, NULL, 0, NULL, false);
}

/* ---- stopping, memory, damage ---- */

static void
test_cancel(void **state)
{
	edge *rows = malloc(sizeof(edge) * MOST);
	tlv_accumulator *accumulator;
	tlv_status status = TLV_OK;
	image image = {.size = 0}, other = {.size = 0};

	(void) state;
	random_edges(1, 2, 300, MOST, rows);
	image = collect(TLV_GRAPH_DIRECTED, 0, MOST, rows);
	/* Whenever it is stopped: what is there stays valid, and going on gives the same. */
	for (size_t stop = 1; stop < 40; stop += 3)
	{
		size_t i = 0;

		accumulator = create(TLV_GRAPH_DIRECTED, false, 500);
		memory.calls = 0;
		memory.stop_at = stop;
		while (i < MOST)
		{
			status =
				tlv_graph_add_edge(&ctx, accumulator, rows[i].src, rows[i].dst, rows[i].weight);
			if (status == TLV_CANCELLED)
				memory.stop_at = 0;
			else
			{
				assert_ok(status);
				i++;
			}
		}
		if (accumulator->class->build(&ctx, accumulator, &builder) == TLV_OK)
			tlv_free(&ctx, builder.owned);
		memory.stop_at = 0;
		other = build(accumulator);
		assert_same(image, other);
		drop(&other);
		tlv_graph_accumulator_free(&ctx, accumulator);
	}
	drop(&image);
	free(rows);
}

static void
test_memory_limit(void **state)
{
	edge *rows = malloc(sizeof(edge) * MOST);
	bool finished = false;

	(void) state;
	random_edges(1, 2, 3000, MOST, rows);
	for (size_t limit = 1000; !finished; limit += limit / 8)
	{
		tlv_accumulator *accumulator = create(TLV_GRAPH_UNDIRECTED, false, 700);
		tlv_status status = TLV_OK;
		tlv_graph graph;
		image image;

		ctx.arena.limit = limit;
		for (size_t i = 0; i < MOST && status == TLV_OK; i++)
			status =
				tlv_graph_add_edge(&ctx, accumulator, rows[i].src, rows[i].dst, rows[i].weight);
		if (status == TLV_OK)
			status = accumulator->class->build(&ctx, accumulator, &builder);
		if (status == TLV_OK)
		{
			tlv_free(&ctx, builder.owned);
			ctx.arena.limit = SIZE_MAX;
			image = build(accumulator);
			ctx.arena.limit = limit;
			status = tlv_graph_load(&ctx, &image.frame, false, &graph);
			finished = status == TLV_OK;
			if (finished)
				tlv_graph_free(&ctx, &graph);
			drop(&image);
		}
		assert_true(status == TLV_OK || status == TLV_MEMORY_LIMIT);
		ctx.arena.limit = SIZE_MAX;
		tlv_graph_accumulator_free(&ctx, accumulator);
	}
	free(rows);
}

static tlv_status
check_image(const image *i)
{
	const tlv_kind *kind;
	tlv_frame frame;

	return tlv_kind_validate(&ctx, i->bytes, i->size, TLV_FRAME_GRAPH, &frame, &kind);
}

static void
sign(image *i)
{
	tlv_frame_header *header = i->bytes;

	header->fingerprint = tlv_fingerprint(header + 1, header->size - sizeof(*header),
										  ((uint64_t) header->type << 8) | header->kind);
}

/*
 * Every byte of every section, with every value: either it is refused, or it
 * is another graph that gives exactly these bytes again.
 */
static void
test_every_byte(void **state)
{
	static const edge rows[] = {{5, 9, 1},	{9, 5, 1},	 {5, 11, 300},
								{11, 9, 2}, {200, 9, 1}, {7, 7, 1}};

	(void) state;
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
	{
		image image = collect((tlv_graph_kind) kind, 0, 6, rows);
		uint8_t *bytes = image.bytes;
		size_t from = image.frame.table[0].offset, accepted = 0, changes = 0;

		for (size_t at = from; at < image.size; at++)
			for (int value = 0; value < 256; value++)
			{
				uint8_t right = bytes[at];
				tlv_accumulator *accumulator;
				struct image again;

				if (value == right)
					continue;
				bytes[at] = (uint8_t) value;
				sign(&image);
				changes++;
				if (check_image(&image) == TLV_OK)
				{
					accepted++;
					accumulator = create((tlv_graph_kind) kind, false, 0);
					assert_ok(accumulator->class->merge(&ctx, accumulator, &image.frame));
					again = build(accumulator);
					assert_same(image, again);
					drop(&again);
					tlv_graph_accumulator_free(&ctx, accumulator);
				}
				bytes[at] = right;
			}
		assert_true(accepted > 0 && accepted < changes / 2);
		sign(&image);
		assert_ok(check_image(&image));
		drop(&image);
	}
}

/* Claims of many rows or entries must not cost memory. */
static void
test_claims(void **state)
{
	static const char *const names[] = {"rows", "columns", "entries", "self_loops"};
	static const edge rows[] = {{1, 2, 1}, {2, 3, 1}};
	image image = collect(TLV_GRAPH_UNDIRECTED, 0, 2, rows);

	(void) state;
	for (int several = 1; several < 16; several++)
	{
		double kept[4];

		for (int i = 0; i < 4; i++)
		{
			double *number = (double *) tlv_frame_float64(&image.frame, names[i]);

			kept[i] = *number;
			if (several & (1 << i))
				*number = 4e8;
		}
		sign(&image);
		ctx.arena.limit = ctx.arena.used + 10000;
		assert_int_equal(check_image(&image), TLV_CORRUPT);
		ctx.arena.limit = SIZE_MAX;
		for (int i = 0; i < 4; i++)
			*(double *) tlv_frame_float64(&image.frame, names[i]) = kept[i];
	}
	drop(&image);
}

/* Hundreds of thousands of edges: rows of more than 127 entries, both dictionaries, large sorts. */
static void
test_large(void **state)
{
	size_t n = 300000;
	edge *rows = malloc(sizeof(edge) * n);

	(void) state;
	for (int shape = 0; shape < 2; shape++)
	{
		image direct, other;

		random_edges(shape, 1, 20000, n, rows);
		for (size_t i = 0; i < n; i += 3)
			rows[i].src = 17; /* a hub */
		direct = collect(TLV_GRAPH_DIRECTED, 0, n, rows);
		shuffle(n, rows);
		other = collect(TLV_GRAPH_DIRECTED, 10000, n, rows);
		assert_same(direct, other);
		drop(&other);
		drop(&direct);
	}
	free(rows);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ends_of_bigint, setup, teardown),
		cmocka_unit_test_setup_teardown(test_self_loops_only, setup, teardown),
		cmocka_unit_test_setup_teardown(test_weight_forms, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_weights, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load_memory, setup, teardown),
		cmocka_unit_test_setup_teardown(test_weights_beyond_float, setup, teardown),
		cmocka_unit_test_setup_teardown(test_neighbours, setup, teardown),
		cmocka_unit_test_setup_teardown(test_components, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cancel, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_every_byte, setup, teardown),
		cmocka_unit_test_setup_teardown(test_claims, setup, teardown),
		cmocka_unit_test_setup_teardown(test_large, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
