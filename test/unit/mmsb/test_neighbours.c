/*
 * test_neighbours.c - communities from rows of nodes and their neighbours: the model of the same
 * edges, byte by byte; statistics of rows under a model that are put together, what is refused, and
 * everything that can go wrong on the way.
 */
#include "rows.h"
#include "mmsb_fixture.h"
#include "model/mmsb/adjacency/neighbours.h"
#include "source_fixture.h"

static source_fixture f;

/* ---- rows of neighbours ---- */

static int
by_ends(const void *a, const void *b)
{
	const tlv_edge *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

/* The same edges, each from both of its ends. */
static edge_list
both_ends(edge_list edges)
{
	edge_list both = {0};

	for (size_t i = 0; i < edges.n; i++)
	{
		const tlv_edge *e = &edges.edges[i];

		assert_ok(list_edge(&ctx, &both, e->source, e->target, e->weight));
		assert_ok(list_edge(&ctx, &both, e->target, e->source, e->weight));
	}
	return both;
}

/* A row for every node that edges come from. */
static fixture_rows
rows_of(edge_list *list)
{
	tlv_row *rows = tlv_alloc(&ctx, list->n, sizeof(tlv_row));
	int64_t *items = tlv_alloc(&ctx, list->n, sizeof(int64_t));
	double *weights = tlv_alloc(&ctx, list->n, sizeof(double));
	size_t n = 0, end;

	qsort(list->edges, list->n, sizeof(tlv_edge), by_ends);
	for (size_t first = 0; first < list->n; first = end)
	{
		void *bag;

		for (end = first; end < list->n && list->edges[end].source == list->edges[first].source;
			 end++)
		{
			items[end - first] = list->edges[end].target;
			weights[end - first] = list->edges[end].weight;
		}
		bag = tlv_alloc0(&ctx, tlv_bag_size(end - first, items, weights), 1);
		tlv_bag_write(end - first, items, weights, bag);
		rows[n++] = *TLV_AS_NEIGHBOURS(list->edges[first].source, bag);
	}
	return (fixture_rows){n, rows};
}

static fixture_rows
drawn_rows(const tlv_mmsb_parts *truth, uint64_t seed)
{
	edge_list list = both_ends(draw_edges(truth, seed));

	return rows_of(&list);
}

static void
use_rows(fixture_rows rows)
{
	fixture_begin(&f, &ctx, &memory);
	f.told.form = TLV_ROW_NEIGHBOURS;
	f.rows[0] = rows;
}

/* ---- the fit ---- */

/* The model of the rows is that of the graph, in one pass; with errors as well. */
static void
check_same(const char *name, tlv_mmsb_simulation simulation, tlv_mmsb_options fit_options)
{
	tlv_mmsb_learn_options options = {.fit = fit_options, .graph = TLV_GRAPH_UNDIRECTED};
	world w = simulate(simulation);
	fitted expected = fit(&w, options.fit);
	tlv_frame model;

	print_message("%s: %zu nodes\n", name, expected.parts.side[0].n);
	use_rows(drawn_rows(&w.truth, simulation.seed + 100));
	model = procedure_small_model(&f, &tlv_mmsb_procedure, &options, 1);
	assert_same_bytes(model, expected.frame);
}

TEST(test_fit)
{
	tlv_mmsb_simulation simulation = plain;

	check_same("plain", simulation, options_of(simulation.k, 0));
	check_same("k chosen", simulation, options_of(0, 0));
	simulation.alpha0 = 0.2;
	check_same("mixed", simulation, options_of(simulation.k, 0.2));
	simulation = plain;
	simulation.poisson = true;
	simulation.within = 0.3;
	check_same("weights", simulation, options_of(simulation.k, 0));
	simulation = plain;
	simulation.degree_exponent = 2.8;
	check_same("degrees", simulation, options_of(simulation.k, 0));
	simulation.k = 1;
	check_same("one", simulation, options_of(1, 0));
}

/* ---- the graph ---- */

/* A directed graph of these edges. */
static tlv_frame
directed_graph(size_t n, const tlv_edge *edges)
{
	tlv_accumulator *accumulator = begin_graph(TLV_GRAPH_DIRECTED, true);

	for (size_t i = 0; i < n; i++)
		assert_ok(tlv_add(&ctx, accumulator,
						  TLV_AS_EDGE(edges[i].source, edges[i].target, edges[i].weight)));
	return end_graph(accumulator);
}

/* Both ends of every edge become one, nodes of self-loops alone stay, weights may be rounded; an
 * edge from one end, or of two weights, is refused, also where the sums of weights agree. */
TEST(test_fold)
{
	static const tlv_edge both[] = {{.source = 1, .target = 2, .weight = 1},
									{.source = 2, .target = 1, .weight = 1},
									{.source = -3, .target = 2, .weight = 0.1 + 0.2},
									{.source = 2, .target = -3, .weight = 0.3},
									{.source = 9, .target = 9, .weight = 4}};
	static const tlv_edge one_end[] = {{.source = 1, .target = 2, .weight = 1},
									   {.source = 3, .target = 1, .weight = 1}};
	static const tlv_edge other_weights[] = {{.source = 1, .target = 2, .weight = 2},
											 {.source = 2, .target = 1, .weight = 1},
											 {.source = 1, .target = 3, .weight = 1},
											 {.source = 3, .target = 1, .weight = 2}};
	/* a difference of 1 beside a total of 4e9 */
	static const tlv_edge small_difference[] = {{.source = 1, .target = 2, .weight = 2e9},
												{.source = 2, .target = 1, .weight = 2e9},
												{.source = 1, .target = 3, .weight = 1},
												{.source = 3, .target = 1, .weight = 2}};
	tlv_graph_cursor *cursor;
	tlv_graph_header header;
	tlv_frame frame;
	int64_t src, dst;
	double weight;
	void *image;
	size_t size;

	frame = directed_graph(5, both);
	frame = MADE(tlv_graph_fold, &frame);
	tlv_graph_read_header(&frame, &header);
	assert_int_equal(header.kind, TLV_GRAPH_UNDIRECTED);
	assert_int_equal(header.rows, 4);
	assert_int_equal(header.entries, 2);
	assert_close(header.self_loops, 1, 0);
	assert_close(header.self_loop_weight, 4, 0);
	assert_ok(tlv_graph_cursor_open(&ctx, &frame, &cursor));
	assert_true(tlv_graph_cursor_next(cursor, &src, &dst, &weight));
	assert_true(src == -3 && dst == 2);
	assert_close(weight, 0.3, 1e-15);
	assert_true(tlv_graph_cursor_next(cursor, &src, &dst, &weight));
	assert_true(src == 1 && dst == 2 && weight == 1);
	assert_false(tlv_graph_cursor_next(cursor, &src, &dst, &weight));
	frame = directed_graph(2, one_end);
	assert_fails(tlv_graph_fold(&ctx, &frame, &image, &size), TLV_BAD_DATA, "the other way round");
	frame = directed_graph(4, other_weights);
	assert_fails(tlv_graph_fold(&ctx, &frame, &image, &size), TLV_BAD_DATA, "the other way round");
	frame = directed_graph(4, small_difference);
	assert_fails(tlv_graph_fold(&ctx, &frame, &image, &size), TLV_BAD_DATA, "the other way round");
}

/* ---- values ---- */

static tlv_frame
collect(const tlv_frame *model, size_t from, size_t to)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics, .constant = model};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, &f.rows[0].rows[t]));
	return stored(accumulator);
}

/* Parts in whatever order are the whole; a row that comes twice is refused; an update moves the
 * nodes that have a row, and no other. */
TEST(test_values)
{
	static const char *const exact[] = {"nodes", "degree", "support", "communities", "shares"};
	tlv_mmsb_learn_options options = {.fit = options_of(4, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	tlv_frame model, whole, parts[2], sum, next;
	tlv_mmsb_parts before, after;
	tlv_accumulator *merged;
	const double *a, *b;
	size_t n, size;
	void *image;
	world w;

	simulation.nodes = 200;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 7));
	model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
	n = f.rows[0].n;
	whole = collect(&model, 0, n);
	parts[0] = collect(&model, 0, n / 3);
	parts[1] = collect(&model, n / 3, n);
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_neighbour_statistics.accumulator, &merged));
	for (int i = 2; i-- > 0;)
		assert_ok(merged->class->merge(&ctx, merged, &parts[i]));
	sum = stored(merged);
	for (size_t i = 0; i < sizeof(exact) / sizeof(exact[0]); i++)
	{
		const tlv_section *x = tlv_frame_find(&whole, exact[i]),
						  *y = tlv_frame_find(&sum, exact[i]);

		assert_int_equal(x->rows, y->rows);
		assert_memory_equal(tlv_section_data(&whole, x), tlv_section_data(&sum, y),
							x->rows * (x->element == TLV_BYTES ? 1 : 8));
	}
	a = tlv_frame_float64(&whole, "edges");
	b = tlv_frame_float64(&sum, "edges");
	for (size_t i = 0; i < 16; i++)
		assert_close(a[i], b[i], 1e-9 * a[i]);
	assert_ok(merged->class->merge(&ctx, merged, &parts[0]));
	assert_fails(merged->class->build(&ctx, merged, &builder), TLV_BAD_DATA, "has two rows");

	assert_ok(tlv_mmsb_read(&ctx, &model, &before));
	next = MADE(tlv_model_update, &model, &parts[0], 1);
	assert_ok(tlv_mmsb_read(&ctx, &next, &after));
	assert_int_equal(after.side[0].n, n);
	for (size_t u = n / 3; u < n; u++)
		assert_memory_equal(before.side[0].memberships.share + before.side[0].memberships.start[u],
							after.side[0].memberships.share + after.side[0].memberships.start[u],
							sizeof(float));
	assert_fails(tlv_model_update(&ctx, &model, &parts[0], 0.5, &image, &size), TLV_BAD_PARAMETER,
				 "no step of weight 0.5");
	assert_fails(tlv_model_update(&ctx, &next, &parts[0], 1, &image, &size), TLV_BAD_PARAMETER,
				 "collected under another model");
}

/* ---- what is kept of a posterior ---- */

/* A value of so many nodes has room for them, and for fewer shares the more they are. */
TEST(test_kept_shares)
{
	double share[6] = {0.1, 0.3, 0.1, 0.3, 0.1, 0.1}, flat[50], work[8];
	const double kept[6] = {0.1, 0.3, 0, 0.3, 0, 0};

	for (double n = 1; n < 2e7; n *= 10)
		assert_below(n * (34 + 6 * (double) tlv_neighbour_most_shares((size_t) n)),
					 (double) TLV_FRAME_MAX_BYTES);
	assert_int_equal(tlv_neighbour_most_shares(10000000), 5);
	assert_true(tlv_neighbour_most_shares(1000000) >= 100);
	assert_int_equal(tlv_neighbour_most_shares(TLV_FRAME_MAX_BYTES), 1);

	assert_close(tlv_neighbour_keep(6, 3, share, work), 0.7, 1e-15);
	assert_all_close(6, share, kept, 0);
	/* what has room stays as it is: all, or those that count */
	assert_close(tlv_neighbour_keep(6, 6, share, work), 1, 0);
	assert_close(tlv_neighbour_keep(6, 4, share, work), 1, 0);
	for (size_t a = 0; a < 50; a++)
		flat[a] = 0.02;
	assert_close(tlv_neighbour_keep(50, 8, flat, work), 0.16, 1e-15);
	assert_true(flat[7] > 0 && flat[8] == 0);
}

/* ---- what is refused ---- */

TEST(test_refused)
{
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	edge_list list, half;
	world w;

	simulation.nodes = 120;
	w = simulate(simulation);
	half = draw_edges(&w.truth, 1);
	list = both_ends(half);
	use_rows(rows_of(&half));
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA,
				 "the other way round");
	options.graph = TLV_GRAPH_DIRECTED; /* where it is no mistake */
	(void) procedure_model(&f, &tlv_mmsb_procedure, &options, false);
	options.graph = TLV_GRAPH_UNDIRECTED;
	use_rows(rows_of(&list));
	f.rows[0].n -= 10; /* whose neighbours' rows are there */
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA,
				 "the other way round");
}

/* ---- what can go wrong ---- */

/* What follows the graph is that of edges (test_learn.c). */
TEST(test_faults)
{
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	world w;

	simulation.nodes = 120;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1));
	f.changed = drawn_rows(&w.truth, 2);
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
}

RUN_TESTS(setup, teardown)
