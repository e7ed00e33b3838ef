/*
 * test_learn.c - learning communities from edges in memory: the same model as the fit to
 * the graph, known labels and what is refused of them, and everything that can go wrong on the way.
 */
#include "mmsb_fixture.h"
#include "source_fixture.h"

static source_fixture f;

/* Edges as rows. */
static fixture_rows
rows_of(edge_list list)
{
	tlv_row *rows = room(list.n, sizeof(tlv_row));

	for (size_t i = 0; i < list.n; i++)
		rows[i] = (tlv_row){.form = TLV_ROW_EDGE, .edge = list.edges[i]};
	return (fixture_rows){list.n, rows};
}

static fixture_rows
drawn_rows(const tlv_mmsb_parts *truth, uint64_t seed)
{
	return rows_of(draw_edges(truth, seed));
}

/* The truth's labels of every tenth node, as rows; the sixth of them `times` times. */
static fixture_rows
true_labels(const tlv_mmsb_parts *truth, int times)
{
	const tlv_memberships *m = &truth->side[0].memberships;
	edge_list list = {0};

	for (size_t u = 0; u < m->n; u += 10)
		for (int i = 0; i < (u == 50 ? times : 1); i++)
			assert_ok(
				list_edge(&ctx, &list, truth->side[0].nodes[u], m->community[m->start[u]] + 1, 1));
	return rows_of(list);
}

static void
use_rows(fixture_rows edges, fixture_rows labels, fixture_rows changed)
{
	fixture_begin(&f, &ctx, &memory);
	f.told.form = TLV_ROW_EDGE;
	f.rows[0] = edges;
	f.rows[1] = labels;
	f.changed = changed;
}

/* ---- the fit ---- */

/* The model is that of the fit to the graph of the same edges, byte by byte. */
static void
check_same(tlv_mmsb_simulation simulation, double most)
{
	tlv_mmsb_learn_options options = {.fit = options_of(4, 0), .graph = simulation.graph};
	world w = simulate(simulation);
	fitted expected = fit(&w, options.fit);
	tlv_frame model;

	assert_below(expected.error, most);
	use_rows(drawn_rows(&w.truth, simulation.seed + 100), (fixture_rows){0}, (fixture_rows){0});
	model = procedure_small_model(&f, &tlv_mmsb_procedure, &options, 1);
	assert_int_equal(f.passes, 1);
	assert_same_bytes(model, expected.frame);
}

TEST(test_fit)
{
	tlv_mmsb_simulation simulation = plain;

	check_same(simulation, 0.01);
	simulation.graph = TLV_GRAPH_DIRECTED;
	check_same(simulation, 0.01);
	simulation.graph = TLV_GRAPH_BIPARTITE;
	check_same(simulation, 0.01);
}

/* ---- labels ---- */

/* Communities are numbered as the labels are: every node's truth is its community. */
TEST(test_labels)
{
	world w = simulate(plain);
	tlv_mmsb_learn_options options = {.fit = options_of(4, 0), .graph = TLV_GRAPH_UNDIRECTED};
	const tlv_memberships *m;
	tlv_mmsb_parts parts;
	tlv_frame model;
	double wrong = 0;

	for (int times = 1; times <= 2; times++) /* a label that is told twice is one */
	{
		use_rows(drawn_rows(&w.truth, plain.seed + 100), true_labels(&w.truth, times),
				 (fixture_rows){0});
		model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
		assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
		m = &parts.side[0].memberships;
		for (size_t u = 0; u < m->n; u++)
			if (m->start[u] < m->start[u + 1])
			{
				size_t node = (size_t) parts.side[0].nodes[u] - 1;
				const tlv_memberships *truth = &w.truth.side[0].memberships;

				wrong += m->community[m->start[u]] != truth->community[truth->start[node]];
			}
		assert_below(wrong / (double) m->n, 0.01);
	}
}

/* The first node in order that has no label, or more than one, whatever the order of rows. */
TEST(test_refused_labels)
{
	static const struct
	{
		int64_t node, label, other_node, other_label;
		tlv_status status;
		const char *words;
	} cases[] = {
		{7, 1, 7, 2, TLV_BAD_DATA, "node 7 has more than one label"},
		{7, 3, 7, 2, TLV_BAD_DATA, "node 7 has more than one label"},
		{7, 0, 8, 1, TLV_BAD_PARAMETER, "label 0 of node 7 is not the number of a community"},
		{7, 2, 7, -3, TLV_BAD_PARAMETER, "label -3 of node 7 is not"},
		{9, 0, 8, -1, TLV_BAD_PARAMETER, "label -1 of node 8 is not"},
		{-5, 1, 9, 70000, TLV_BAD_PARAMETER, "label 70000 of node 9 is not"},
		{7, 1, 8, 9, TLV_BAD_PARAMETER, ""}, /* by the fit: there are 4 communities */
	};
	tlv_mmsb_learn_options options = {.fit = options_of(4, 0), .graph = TLV_GRAPH_UNDIRECTED};
	world w = simulate(plain);
	fixture_rows edges = drawn_rows(&w.truth, 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		tlv_edge labels[] = {
			{.source = cases[i].node, .target = cases[i].label, .weight = 1},
			{.source = cases[i].other_node, .target = cases[i].other_label, .weight = 1}};

		use_rows(edges, rows_of((edge_list){.n = 2, .edges = labels}), (fixture_rows){0});
		assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), cases[i].status,
					 cases[i].words);
	}
}

/* ---- what can go wrong ---- */

TEST(test_faults)
{
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	world w;

	simulation.nodes = 120;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1), (fixture_rows){0}, drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	options.graph = TLV_GRAPH_DIRECTED;
	use_rows(drawn_rows(&w.truth, 1), (fixture_rows){0}, drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	options.graph = TLV_GRAPH_UNDIRECTED;
	options.fit.k = 4;
	use_rows(drawn_rows(&w.truth, 1), true_labels(&w.truth, 1), drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
}

RUN_TESTS(setup, teardown)
