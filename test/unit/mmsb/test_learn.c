/*
 * test_learn.c - learning communities from edges in memory: the same model as the fit to
 * the graph, known labels and what is refused of them, and everything that can go wrong on the way.
 */
#include "assertions.h"
#include "mmsb_fixture.h"
#include "source_fixture.h"

static source_fixture f;

/* Edges as rows. */
typedef struct row_list
{
	size_t n, room;
	tlv_row *rows;
} row_list;

static tlv_status
put_row(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	row_list *list = argument;

	if (list->n == list->room)
	{
		list->room = 2 * list->room + 1024;
		list->rows = tlv_realloc(context, list->rows, list->room, sizeof(tlv_row));
		TLV_TRY_ALLOC(context, list->rows);
	}
	list->rows[list->n++] = *TLV_AS_EDGE(src, dst, weight);
	return TLV_OK;
}

static row_list
drawn_rows(const tlv_mmsb_parts *truth, uint64_t seed)
{
	row_list list = {0};

	assert_ok(tlv_mmsb_simulate_edges(&ctx, truth, seed, put_row, &list));
	return list;
}

/* The truth's labels of every tenth node, as rows. */
static row_list
true_labels(const tlv_mmsb_parts *truth)
{
	const tlv_memberships *m = &truth->side[0].memberships;
	row_list list = {0};

	for (size_t u = 0; u < m->n; u += 10)
		assert_ok(put_row(&ctx, &list, truth->side[0].nodes[u], m->community[m->start[u]] + 1, 1));
	return list;
}

static void
use_rows(row_list edges, row_list labels, row_list changed)
{
	fixture_begin(&f, &ctx, &memory);
	f.told.form = TLV_ROW_EDGE;
	f.rows[0] = (fixture_rows){edges.n, edges.rows};
	f.rows[1] = (fixture_rows){labels.n, labels.rows};
	f.changed = (fixture_rows){changed.n, changed.rows};
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
	use_rows(drawn_rows(&w.truth, simulation.seed + 100), (row_list){0}, (row_list){0});
	model = procedure_small_model(&f, &tlv_mmsb_procedure, &options, 1);
	assert_int_equal(f.passes, 1);
	assert_int_equal(model.header->size, expected.size);
	assert_memory_equal(model.header, expected.image, expected.size);
	fixture_forget(&f);
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
	row_list labels = true_labels(&w.truth);
	tlv_mmsb_learn_options options = {.fit = options_of(4, 0), .graph = TLV_GRAPH_UNDIRECTED};
	const tlv_memberships *m;
	tlv_mmsb_parts parts;
	tlv_frame model;
	double wrong = 0;

	use_rows(drawn_rows(&w.truth, plain.seed + 100), labels, (row_list){0});
	for (int again = 0; again < 2; again++) /* a label that is told twice is one */
	{
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
		fixture_forget(&f);
		assert_ok(
			put_row(&ctx, &labels, labels.rows[5].edge.source, labels.rows[5].edge.target, 1));
		f.rows[1] = (fixture_rows){labels.n, labels.rows};
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
	row_list edges = drawn_rows(&w.truth, 1);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		row_list labels = {0};

		assert_ok(put_row(&ctx, &labels, cases[i].node, cases[i].label, 1));
		assert_ok(put_row(&ctx, &labels, cases[i].other_node, cases[i].other_label, 1));
		use_rows(edges, labels, (row_list){0});
		assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), cases[i].status,
					 cases[i].words);
		fixture_forget(&f);
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
	use_rows(drawn_rows(&w.truth, 1), (row_list){0}, drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
	options.graph = TLV_GRAPH_DIRECTED;
	use_rows(drawn_rows(&w.truth, 1), (row_list){0}, drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
	options.graph = TLV_GRAPH_UNDIRECTED;
	options.fit.k = 4;
	use_rows(drawn_rows(&w.truth, 1), true_labels(&w.truth), drawn_rows(&w.truth, 2));
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
}

RUN_TESTS(setup, teardown)
