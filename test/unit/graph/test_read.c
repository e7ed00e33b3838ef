/*
 * test_read.c - reading stored graphs: sparse rows, neighbours and
 * degrees, components; damaged images.
 */
#include "edge_fixture.h"

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
			assert_at_least(a->index[e], 0);
			assert_below(a->index[e], (int32_t) columns);
			if (e != a->start[i])
				assert_above(a->index[e], a->index[e - 1]);
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

	assert_ok(tlv_graph_load(&ctx, &image.frame, binary ? 0 : 1, &graph));
	assert_rows(&graph.out, graph.header.rows, graph.header.columns, both * m);
	assert_rows(&graph.in, graph.header.columns, graph.header.rows, both * m);
	for (size_t i = 0; i < m; i++)
	{
		size_t row = position_of(graph.nodes[0], graph.header.rows, edges[i].src);
		size_t column = position_of(graph.nodes[1], graph.header.columns, edges[i].dst);
		double weight = binary ? 1 : edges[i].weight;

		assert_equal(value_at(&graph.out, row, column), weight);
		assert_equal(value_at(&graph.in, column, row), weight);
		if (kind == TLV_GRAPH_UNDIRECTED)
			assert_equal(value_at(&graph.out, column, row), weight);
	}
	tlv_graph_free(&ctx, &graph);
	drop(&image);
	free(edges);
}

TEST(test_load)
{
	edge rows[500];

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
TEST(test_load_memory)
{
	edge *rows = malloc(sizeof(edge) * MOST);

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
		assert_ok(tlv_graph_load(&ctx, &image.frame, 1, &graph));
		assert_above((double) (ctx.arena.peak - before), 0.8 * promised);
		tlv_graph_free(&ctx, &graph);
		assert_short_of_memory((size_t) promised / 2,
							   tlv_graph_load(&ctx, &image.frame, 1, &graph));
		drop(&image);
	}
	free(rows);
}

TEST(test_weights_beyond_float)
{
	static const edge rows[] = {{1, 2, 1e300}, {2, 3, 0.5}};
	image image = collect(TLV_GRAPH_UNDIRECTED, 0, 2, rows);
	tlv_graph graph;

	assert_int_equal(tlv_graph_load(&ctx, &image.frame, 1, &graph), TLV_BAD_DATA);
	assert_ok(tlv_graph_load(&ctx, &image.frame, 0, &graph));
	tlv_graph_free(&ctx, &graph);
	drop(&image);
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

	assert_ok(tlv_graph_load(&ctx, &image.frame, 0, &graph));
	assert_ok(tlv_graph_components(&ctx, &graph, component, &count, &colours));
	for (size_t i = 0; i < nodes; i++)
	{
		assert_int_equal(component[i], expected[i]);
		most = expected[i] > most ? expected[i] : most;
	}
	assert_int_equal(count, most + 1);
	assert_int_equal(colours, two_colourable);
	tlv_graph_free(&ctx, &graph);
	drop(&image);
}

TEST(test_components)
{
	static const edge triangle_and_path[] = {{1, 2, 1}, {3, 4, 1}, {4, 5, 1}, {5, 3, 1},
											 {5, 6, 1}, {9, 9, 1}, {7, 8, 1}};
	static const edge square[] = {{1, 2, 1}, {2, 3, 1}, {3, 4, 1}, {4, 1, 1}};
	static const edge tree[] = {{1, 2, 1}, {1, 3, 1}, {3, 4, 1}, {3, 5, 1}};
	static const edge both_ways[] = {{1, 2, 1}, {2, 1, 1}, {2, 3, 1}};
	static const edge two_sets[] = {{1, 1, 1}, {2, 1, 1}, {3, 2, 1}, {4, 3, 1}, {4, 4, 1}};

	assert_components(TLV_GRAPH_UNDIRECTED, 7, triangle_and_path, 9,
					  (int32_t[]){1, 1, 0, 0, 0, 0, 2, 2, 3}, false);
	assert_components(TLV_GRAPH_DIRECTED, 7, triangle_and_path, 9,
					  (int32_t[]){1, 1, 0, 0, 0, 0, 2, 2, 3}, false);
	assert_components(TLV_GRAPH_UNDIRECTED, 4, square, 4, (int32_t[]){0, 0, 0, 0}, true);
	assert_components(TLV_GRAPH_DIRECTED, 4, square, 4, (int32_t[]){0, 0, 0, 0}, false);
	assert_components(TLV_GRAPH_UNDIRECTED, 4, tree, 5, (int32_t[]){0, 0, 0, 0, 0}, false);
	assert_components(TLV_GRAPH_DIRECTED, 3, both_ways, 3, (int32_t[]){0, 0, 0}, false);
	assert_components(TLV_GRAPH_BIPARTITE, 5, two_sets, 8, (int32_t[]){0, 0, 2, 1, 0, 2, 1, 1},
					  false);
	assert_components(TLV_GRAPH_UNDIRECTED, 0, NULL, 0, NULL, false);
}

/* Many components: every tenth pair of nodes has a third one. */
TEST(test_many_components)
{
	static edge rows[1100];
	static int32_t component[2100];
	size_t n = 0, count;
	tlv_graph graph;
	image image;
	bool colours;

	for (int64_t pair = 0; pair < 1000; pair++)
	{
		rows[n++] = (edge){3 * pair, 3 * pair + 1, 1};
		if (pair % 10 == 0)
			rows[n++] = (edge){3 * pair, 3 * pair + 2, 1};
	}
	image = collect(TLV_GRAPH_UNDIRECTED, 0, n, rows);
	assert_ok(tlv_graph_load(&ctx, &image.frame, 0, &graph));
	assert_ok(tlv_graph_components(&ctx, &graph, component, &count, &colours));
	assert_int_equal(count, 1000);
	for (int32_t pair = 0, at = 0; pair < 1000; pair++)
	{
		assert_int_equal(component[at], pair % 10 == 0 ? pair / 10 : 99 + pair - pair / 10);
		at += pair % 10 == 0 ? 3 : 2;
	}
	assert_cancelled_at(1, tlv_graph_components(&ctx, &graph, component, &count, &colours));
	tlv_graph_free(&ctx, &graph);
	drop(&image);
}

/* ---- damage ---- */

static tlv_status
check_image(const image *i)
{
	tlv_frame frame;

	return tlv_kind_validate(&ctx, i->bytes, i->size, TLV_FRAME_GRAPH, &frame);
}

static void
sign(image *i)
{
	assert_ok(tlv_frame_seal(&ctx, i->bytes));
}

/*
 * Every byte of every section, with every value: either it is refused, or it
 * is another graph that gives exactly these bytes again.
 */
TEST(test_every_byte)
{
	static const edge rows[] = {{5, 9, 1},	{9, 5, 1},	 {5, 11, 300},
								{11, 9, 2}, {200, 9, 1}, {7, 7, 1}};

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
		assert_above(accepted, 0);
		assert_below(2.0 * accepted, changes);
		sign(&image);
		assert_ok(check_image(&image));
		drop(&image);
	}
}

/* Claims of many rows or entries must not cost memory. */
TEST(test_claims)
{
	static const char *const names[] = {"rows", "columns", "entries", "self_loops"};
	static const edge rows[] = {{1, 2, 1}, {2, 3, 1}};
	image image = collect(TLV_GRAPH_UNDIRECTED, 0, 2, rows);

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

RUN_TESTS(setup, teardown_all_freed)
