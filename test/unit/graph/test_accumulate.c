/*
 * test_accumulate.c - making graphs: what goes in comes out, for every kind, any
 * ids, any order of rows and any tree of merges; forms of weights; cancelling
 * and limits.
 */
#include <float.h>

#include "rows.h"
#include "edge_fixture.h"

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
		assert_below(i, n);
		assert_equal(src, edges[i].src);
		assert_equal(dst, edges[i].dst);
		assert_close(weight, edges[i].weight, 1e-12 * weight);
	}
	assert_int_equal(i, n);
	assert_false(tlv_graph_cursor_next(cursor, &src, &dst, &weight));
	tlv_graph_cursor_close(&ctx, cursor);
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
	assert_equal(header.self_loops, loops);
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

TEST(test_round_trip)
{
	static const size_t sizes[] = {0, 1, 2, 20, 30, 200, MOST};
	edge *rows = malloc(sizeof(edge) * MOST);

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int shape = 0; shape < 5; shape++)
			for (int weights = shape % EVERY(3); weights < 3; weights += EVERY(3))
				for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++)
				{
					random_edges(shape, weights, 1 + sizes[s] / (s % 2 ? 3 : 30), sizes[s], rows);
					check_every_way((tlv_graph_kind) kind, sizes[s], rows);
				}
	free(rows);
}

TEST(test_ends_of_bigint)
{
	edge rows[] = {{INT64_MIN, INT64_MAX, 1}, {INT64_MAX, INT64_MIN, 1}, {0, INT64_MAX, 2},
				   {-1, INT64_MIN, 3},		  {INT64_MAX, INT64_MAX, 5}, {INT64_MIN, -1, 1}};

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		check_every_way((tlv_graph_kind) kind, sizeof(rows) / sizeof(rows[0]), rows);
}

TEST(test_self_loops_only)
{
	static const edge rows[] = {{7, 7, 2}, {7, 7, 1}, {-3, -3, 0.5}};
	image graph = collect(TLV_GRAPH_DIRECTED, 2, 3, rows);
	tlv_graph_header header;
	tlv_graph loaded;

	tlv_graph_read_header(&graph.frame, &header);
	assert_int_equal(header.rows, 2);
	assert_int_equal(header.columns, 2);
	assert_int_equal(header.entries, 0);
	assert_equal(header.self_loops, 3);
	assert_equal(header.self_loop_weight, 3.5);
	assert_ok(tlv_graph_load(&ctx, &graph.frame, 1, &loaded));
	assert_equal(loaded.nodes[0][0], -3);
	assert_equal(loaded.nodes[0][1], 7);
	tlv_graph_free(&ctx, &loaded);
	drop(&graph);
}

/* Edges first, first + 2, ... of ten between names of ids; of a bipartite graph targets have
 * others.
 */
static void
add_named(tlv_accumulator *accumulator, int first)
{
	static const char *const names[] = {"ada", "bob", "", "dot", "zo\xc3\xab"};

	for (int i = first; i < 10; i += 2)
		assert_ok(tlv_add(&ctx, accumulator,
						  TLV_AS_NAMED_EDGE(1000 * (i % 5) - 7, names[i % 5],
											1000 * (i * 3 % 5) - 7, names[i * 3 % 5], 1)));
}

/* Names are those of the nodes, in their order, in whatever parts they come. */
TEST(test_names)
{

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
	{
		tlv_accumulator *whole, *parts[2], *merged;
		void *images[4];
		size_t sizes[4];
		tlv_frame frame;
		tlv_name_list list;

		assert_ok(tlv_graph_accumulator_create(&ctx, (tlv_graph_kind) kind, false, &whole));
		assert_ok(tlv_graph_accumulator_create(&ctx, (tlv_graph_kind) kind, false, &merged));
		for (int p = 0; p < 2; p++)
		{
			assert_ok(tlv_graph_accumulator_create(&ctx, (tlv_graph_kind) kind, false, &parts[p]));
			add_named(parts[p], 1 - p);
			add_named(whole, p);
			assert_ok(parts[p]->class->build(&ctx, parts[p], &builder));
			assert_ok(tlv_frame_finish(&ctx, &builder, &images[p], &sizes[p]));
			assert_ok(tlv_frame_open(&ctx, images[p], sizes[p], &frame));
			assert_ok(merged->class->merge(&ctx, merged, &frame));
		}
		for (int i = 2; i < 4; i++)
		{
			tlv_accumulator *from = i == 2 ? whole : merged;

			assert_ok(from->class->build(&ctx, from, &builder));
			assert_ok(tlv_frame_finish(&ctx, &builder, &images[i], &sizes[i]));
			assert_ok(tlv_frame_open(&ctx, images[i], sizes[i], &frame));
			assert_ok(tlv_kind_check(&ctx, frame.kind, &frame));
		}
		assert_equal(sizes[2], sizes[3]);
		assert_memory_equal(images[2], images[3], sizes[2]);
		list = tlv_graph_names(&frame, 1);
		assert_memory_equal(tlv_name_at(&list, 1).bytes, "bob", 3);
		assert_null(tlv_name_at(&list, 2).bytes);
		assert_equal(tlv_name_at(&list, 4).length, 4);
		assert_equal(tlv_frame_find(&frame, "target_names") != NULL, kind == TLV_GRAPH_BIPARTITE);
		assert_fails(tlv_add(&ctx, whole, TLV_AS_NAMED_EDGE(-7, "eve", 1, "x", 1)), TLV_BAD_DATA,
					 "eve");
		tlv_graph_accumulator_free(&ctx, whole);
		tlv_graph_accumulator_free(&ctx, merged);
		for (int i = 0; i < 4; i++)
		{
			if (i < 2)
				tlv_graph_accumulator_free(&ctx, parts[i]);
			tlv_free(&ctx, images[i]);
		}
	}
}

TEST(test_weight_forms)
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

	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++)
		for (size_t buffer = 1; buffer < 4; buffer++)
		{
			image graph = collect(TLV_GRAPH_UNDIRECTED, buffer, 3, cases[c].rows);

			for (int s = 0; s < 2; s++)
			{
				const char *name = s == 0 ? "multiplicities" : "weights";
				bool wanted = cases[c].section != NULL && strcmp(cases[c].section, name) == 0;

				assert_equal(tlv_frame_find(&graph.frame, name) != NULL, wanted);
			}
			drop(&graph);
		}
}

/* A weight of 0 is no edge, nor are weights that add up to 0, in one part or in several; their
 * nodes are those of other edges or none. */
TEST(test_zero_weights)
{
	edge rows[] = {{1, 2, 0},  {3, 3, -0.0}, {2, 4, 2}, {4, 1, 0},
				   {1, 2, -1}, {2, 1, 1},	 {5, 1, -3}};
	image zeros = collect(TLV_GRAPH_UNDIRECTED, 0, 4, rows);
	image cancelled = collect(TLV_GRAPH_UNDIRECTED, 0, 6, rows);
	image none = collect(TLV_GRAPH_UNDIRECTED, 0, 1, rows + 2);
	image both = collect(TLV_GRAPH_UNDIRECTED, 0, 7, rows);
	tlv_graph_header header;
	tlv_frame frame;

	assert_ok(tlv_kind_validate(&ctx, both.bytes, both.size, TLV_FRAME_GRAPH, &frame));
	tlv_graph_read_header(&frame, &header);
	assert_int_equal(header.entries, 2);
	assert_close(header.total, -1, 0);
	assert_same(zeros, none);
	assert_same(cancelled, none);
	drop(&both);
	drop(&cancelled);
	drop(&zeros);
	drop(&none);
}

TEST(test_bad_weights)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	tlv_accumulator *accumulator = create(TLV_GRAPH_UNDIRECTED, true, 0);

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
	{
		assert_fails(tlv_add(&ctx, accumulator, TLV_AS_EDGE(-17, 23, bad[i])), TLV_BAD_DATA,
					 "from -17 to 23");
		assert_non_null(strstr(ctx.error.hint, "WHERE"));
	}
	/* A sum that overflows is noticed when the value is made. */
	for (int i = 0; i < 2; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_EDGE(-17, 23, DBL_MAX)));
	assert_fails(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA,
				 "from -17 to 23");
	tlv_graph_accumulator_free(&ctx, accumulator);
	accumulator = create(TLV_GRAPH_UNDIRECTED, true, 0);
	for (int64_t i = 0; i < 2; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_EDGE(i, 23, DBL_MAX)));
	assert_int_equal(accumulator->class->build(&ctx, accumulator, &builder), TLV_BAD_DATA);
	tlv_graph_accumulator_free(&ctx, accumulator);
}

/* ---- stopping, memory, size ---- */

TEST(test_cancel)
{
	edge *rows = malloc(sizeof(edge) * MOST);
	tlv_accumulator *accumulator;
	tlv_status status = TLV_OK;
	image image = {.size = 0}, other = {.size = 0};

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
				tlv_add(&ctx, accumulator, TLV_AS_EDGE(rows[i].src, rows[i].dst, rows[i].weight));
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

TEST(test_memory_limit)
{
	edge *rows = malloc(sizeof(edge) * MOST);
	bool finished = false;

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
				tlv_add(&ctx, accumulator, TLV_AS_EDGE(rows[i].src, rows[i].dst, rows[i].weight));
		if (status == TLV_OK)
			status = accumulator->class->build(&ctx, accumulator, &builder);
		if (status == TLV_OK)
		{
			tlv_free(&ctx, builder.owned);
			ctx.arena.limit = SIZE_MAX;
			image = build(accumulator);
			ctx.arena.limit = limit;
			status = tlv_graph_load(&ctx, &image.frame, 1, &graph);
			finished = status == TLV_OK;
			if (finished)
				tlv_graph_free(&ctx, &graph);
			drop(&image);
		}
		if (status != TLV_OK)
			assert_equal(status, TLV_MEMORY_LIMIT);
		ctx.arena.limit = SIZE_MAX;
		tlv_graph_accumulator_free(&ctx, accumulator);
	}
	free(rows);
}

/* Hundreds of thousands of edges: rows of more than 127 entries, both dictionaries, large sorts. */
TEST(test_large)
{
	size_t n = 300000;
	edge *rows = malloc(sizeof(edge) * n);

	for (int shape = 0; shape < 2; shape += EVERY(2))
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

/* What was merged and is taken out again leaves what there was, byte by byte: weights are multiples
 * of 1/4, and no node has only a loop. */
TEST(test_subtract)
{
	edge *rows = malloc(sizeof(edge) * 600), kept[600];
	size_t n = 0;
	bool done;

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int weights = 0; weights < 3; weights++)
		{
			tlv_accumulator *accumulator = create((tlv_graph_kind) kind, false, 0);
			image parts[2], left;

			random_edges(1, weights, 40, 600, rows);
			n = 0;
			for (size_t i = 0; i < 600; i++)
				if (rows[i].src != rows[i].dst || kind == TLV_GRAPH_BIPARTITE)
					kept[n++] = rows[i];
			parts[0] = collect((tlv_graph_kind) kind, 0, n / 3, kept);
			parts[1] = collect((tlv_graph_kind) kind, 0, n - n / 3, kept + n / 3);
			for (int i = 0; i < 2; i++)
				assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[i].frame));
			assert_ok(tlv_accumulator_subtract(&ctx, accumulator, &parts[1].frame, false, &done));
			assert_true(done);
			left = build(accumulator);
			assert_same(left, parts[0]);
			drop(&left);
			assert_int_equal(
				tlv_accumulator_subtract(&ctx, accumulator, &parts[1].frame, false, &done),
				TLV_BAD_DATA);
			tlv_graph_accumulator_free(&ctx, accumulator);
			drop(&parts[0]);
			drop(&parts[1]);
		}
	free(rows);
}

RUN_TESTS(setup, teardown_all_freed)
