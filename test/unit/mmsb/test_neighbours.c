/*
 * test_neighbours.c - communities from rows of an adjacency matrix: the labels and the connectivity
 * of the fit to the graph, values that are put together, landmarks, what is refused, and everything
 * that can go wrong on the way.
 */
#include "assertions.h"
#include "mmsb_fixture.h"
#include "model/mmsb/mixed/memberships.h"
#include "model/mmsb/adjacency/neighbours.h"
#include "source_fixture.h"
#include "tensorlv/model/counts.h"

static source_fixture f;

/* ---- rows of neighbours ---- */

typedef struct edge_list
{
	size_t n, room;
	tlv_edge *edges;
} edge_list;

static tlv_status
put_ends(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	edge_list *list = argument;

	if (list->n + 2 > list->room)
	{
		list->room = 2 * list->room + 1024;
		list->edges = tlv_realloc(context, list->edges, list->room, sizeof(tlv_edge));
		TLV_TRY_ALLOC(context, list->edges);
	}
	list->edges[list->n++] = (tlv_edge){.source = src, .target = dst, .weight = weight};
	list->edges[list->n++] = (tlv_edge){.source = dst, .target = src, .weight = weight};
	return TLV_OK;
}

static int
by_ends(const void *a, const void *b)
{
	const tlv_edge *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return x->target < y->target ? -1 : x->target > y->target;
}

/* A row for every node, of both directions of every edge. */
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
	edge_list list = {0};

	assert_ok(tlv_mmsb_simulate_edges(&ctx, truth, seed, put_ends, &list));
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

/* The labels are those of the fit to the graph, and the rates between them; at most so many wrong
 * of the truth.  directions: most numbers of a block of them. */
static void
check_same(const char *name, tlv_mmsb_simulation simulation, double directions, double most)
{
	tlv_mmsb_learn_options options = {.fit = options_of(simulation.k, 0),
									  .graph = TLV_GRAPH_UNDIRECTED,
									  .directions = directions};
	world w;
	fitted expected;
	tlv_mmsb_parts parts;
	tlv_frame model;
	size_t apart = 0;

	options.fit.degree_corrected = TLV_DEGREES_CHOSEN;
	w = simulate(simulation);
	expected = fit(&w, options.fit);
	print_message("%s: %zu nodes\n", name, expected.parts.side[0].n);
	assert_below(expected.error, most);
	use_rows(drawn_rows(&w.truth, simulation.seed + 100));
	model = procedure_small_model(&f, &tlv_mmsb_procedure, &options, 1);
	assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
	assert_int_equal(parts.side[0].n, expected.parts.side[0].n);
	assert_int_equal(parts.degree_corrected, expected.parts.degree_corrected);
	assert_int_equal(parts.poisson, expected.parts.poisson);
	for (size_t u = 0; u < parts.side[0].n; u++)
	{
		const tlv_memberships *a = &parts.side[0].memberships;
		const tlv_memberships *b = &expected.parts.side[0].memberships;
		size_t x = a->start[u], y = b->start[u];

		assert_true(parts.side[0].nodes[u] == expected.parts.side[0].nodes[u]);
		assert_true(parts.side[0].degree[u] == expected.parts.side[0].degree[u]);
		for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
			x = a->share[i] > a->share[x] ? i : x;
		for (size_t i = b->start[u]; i < b->start[u + 1]; i++)
			y = b->share[i] > b->share[y] ? i : y;
		apart += a->community[x] != b->community[y];
	}
	assert_at_most((double) apart, 0);
	for (size_t i = 0; i < parts.k * parts.k; i++)
		assert_close(parts.connectivity[i], expected.parts.connectivity[i], 1e-12);
	fixture_forget(&f);
}

static void
test_fit(void **state)
{
	tlv_mmsb_simulation simulation = plain;

	(void) state;
	check_same("plain", simulation, 0, 0.01);
	simulation.poisson = true;
	simulation.within = 0.3;
	check_same("weights", simulation, 0, 0.01);
	simulation = plain;
	simulation.degree_exponent = 2.8;
	check_same("degrees", simulation, 0, 0.03);
	simulation = plain;
	simulation.within = 0.02;
	simulation.between = 0.15;
	check_same("disassortative", simulation, 0, 0.03);
	simulation.k = 1;
	check_same("one", simulation, 0, 0.01);
	check_same("landmarks", plain, 14 * 100, 0.01); /* of 600 nodes */
	simulation = plain;
	simulation.degree_exponent = 2.8;
	check_same("landmarks, degrees", simulation, 14 * 100, 0.03);
}

/* ---- mixed memberships ---- */

/* Half the L1 distance to the truth's memberships, on average, communities matched greedily. */
static double
membership_error(const tlv_mmsb_parts *truth, const tlv_mmsb_parts *parts)
{
	double *all = full_memberships(truth, 0), *own = full_memberships(parts, 0), sum = 0;
	size_t k = truth->k, n = parts->side[0].n;

	for (size_t b = 0; b < k; b++)
	{
		double best = HUGE_VAL;

		for (size_t a = 0; a < k; a++)
		{
			double distance = 0;

			for (size_t u = 0; u < n; u++)
				distance +=
					fabs(own[u * k + b] - all[(size_t) (parts->side[0].nodes[u] - 1) * k + a]);
			best = fmin(best, distance);
		}
		sum += best;
	}
	return sum / 2 / (double) n;
}

/* Rows of a graph of mixed memberships: nearly as near to the truth as the fit to the graph,
 * whether k is given or not; steps by hand stand. */
static void
check_mixed(const char *name, tlv_mmsb_simulation simulation, bool labels, double most)
{
	tlv_mmsb_learn_options options = {.graph = TLV_GRAPH_UNDIRECTED};
	const tlv_memberships *truth;
	fixture_rows told = {0};
	world w;

	w = simulate(simulation);
	truth = &w.truth.side[0].memberships;
	told.rows = tlv_alloc(&ctx, truth->n, sizeof(tlv_row));
	for (size_t u = 0; labels && u < truth->n; u++)
		if (truth->share[truth->start[u]] > 0.99)
			((tlv_row *) told.rows)[told.n++] =
				*TLV_AS_EDGE(w.truth.side[0].nodes[u], truth->community[truth->start[u]] + 1, 1);
	for (int chosen = 0; chosen < 2; chosen++)
	{
		tlv_mmsb_parts parts;
		tlv_frame model;
		double error;

		options.fit = options_of(chosen ? 0 : simulation.k, simulation.alpha0);
		options.fit.degree_corrected = TLV_DEGREES_CHOSEN;
		use_rows(drawn_rows(&w.truth, simulation.seed + 100));
		if (labels)
			f.rows[1] = told;
		model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
		assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
		assert_int_equal(parts.k, simulation.k);
		error = membership_error(&w.truth, &parts);
		print_message("%s%s: %.4f\n", name, chosen ? ", k chosen" : "", error);
		assert_below(error, most);
		fixture_forget(&f);
	}
}

static void
test_mixed(void **state)
{
	tlv_mmsb_simulation simulation = plain;

	(void) state;
	simulation.alpha0 = 0.2;
	check_mixed("mixed", simulation, false, 0.065);
	simulation.degree_exponent = 2.8;
	check_mixed("mixed, degrees", simulation, false, 0.075);
	simulation = plain;
	simulation.alpha0 = 1;
	simulation.k = 3;
	simulation.nodes = 900;
	check_mixed("very mixed", simulation, false, 0.1);
	simulation = plain;
	simulation.alpha0 = 0.2;
	check_mixed("mixed, labels", simulation, true, 0.1);
}

/* ---- k that is chosen ---- */

/* As many communities as there are, and of nodes at most so many wrong. */
static void
check_chosen(const char *name, tlv_mmsb_simulation simulation, double most)
{
	tlv_mmsb_learn_options options = {.fit = options_of(0, 0), .graph = TLV_GRAPH_UNDIRECTED};
	const tlv_memberships *m, *truth;
	size_t wrong = 0, together[32][32] = {{0}};
	tlv_mmsb_parts parts;
	tlv_frame model;
	world w;

	options.fit.degree_corrected = TLV_DEGREES_CHOSEN;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, simulation.seed + 100));
	model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
	assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
	print_message("%s: %zu communities\n", name, parts.k);
	assert_int_equal(parts.k, simulation.k);
	m = &parts.side[0].memberships;
	truth = &w.truth.side[0].memberships;
	for (size_t u = 0; u < m->n; u++)
	{
		size_t v = truth->start[parts.side[0].nodes[u] - 1];

		together[tlv_memberships_largest(m, u)][truth->community[v]]++;
	}
	for (size_t a = 0; a < parts.k; a++)
	{
		size_t all = 0, best = 0;

		for (size_t b = 0; b < simulation.k; b++)
		{
			all += together[a][b];
			best = together[a][b] > best ? together[a][b] : best;
		}
		wrong += all - best;
	}
	assert_at_most((double) wrong / (double) m->n, most);
	fixture_forget(&f);
}

static void
test_chosen(void **state)
{
	tlv_mmsb_simulation simulation = plain;

	(void) state;
	check_chosen("four", simulation, 0.01);
	simulation.degree_exponent = 2.8;
	check_chosen("degrees", simulation, 0.03);
	simulation = plain;
	simulation.within = 0.02;
	simulation.between = 0.15;
	check_chosen("disassortative", simulation, 0.03);
	simulation = plain;
	simulation.k = 1;
	check_chosen("one", simulation, 0);
	simulation.k = 13;
	simulation.nodes = 900;
	simulation.within = 0.4;
	check_chosen("thirteen", simulation, 0.01);
	simulation.k = 5;
	simulation.within = 0.08;
	simulation.between = 0.015;
	simulation.nodes = 1000;
	check_chosen("weak", simulation, 0.03);
}

/* ---- labels ---- */

/* Communities are numbered as the labels are, which stay, and k may be left out. */
static void
test_labels(void **state)
{
	tlv_mmsb_simulation simulation = plain;
	tlv_mmsb_learn_options options = {.graph = TLV_GRAPH_UNDIRECTED};
	const tlv_memberships *truth;
	tlv_row *labels;
	size_t n;
	world w;

	(void) state;
	simulation.within = 0.08;
	w = simulate(simulation);
	truth = &w.truth.side[0].memberships;
	n = truth->n / 10;
	labels = tlv_alloc(&ctx, n, sizeof(tlv_row));
	for (size_t i = 0; i < n; i++)
		labels[i] = *TLV_AS_EDGE(w.truth.side[0].nodes[10 * i],
								 truth->community[truth->start[10 * i]] + 1, 1);
	for (size_t k = 0; k <= 4; k += 4)
	{
		tlv_mmsb_parts parts;
		tlv_frame model;
		size_t wrong = 0;

		options.fit = options_of(k, 0);
		use_rows(drawn_rows(&w.truth, simulation.seed + 100));
		f.rows[1] = (fixture_rows){n, labels};
		model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
		assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
		assert_int_equal(parts.k, 4);
		for (size_t u = 0; u < parts.side[0].n; u++)
		{
			size_t v = (size_t) parts.side[0].nodes[u] - 1;
			bool same = tlv_memberships_largest(&parts.side[0].memberships, u) ==
						truth->community[truth->start[v]];

			wrong += !same;
			assert_true(same || v % 10 != 0);
		}
		assert_at_most((double) wrong / (double) parts.side[0].n, 0.03);
		fixture_forget(&f);
	}
	labels[3].edge.target = 9;
	options.fit = options_of(4, 0);
	use_rows(drawn_rows(&w.truth, 1));
	f.rows[1] = (fixture_rows){n, labels};
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_PARAMETER,
				 "label 9 of node 31");
	fixture_forget(&f);
	options.fit.k = 0;
	options.fit.max_k = 8;
	use_rows(drawn_rows(&w.truth, 1));
	f.rows[1] = (fixture_rows){n, labels};
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_PARAMETER, "max_k = 8");
	fixture_forget(&f);
	for (size_t i = 0; i < n; i++)
		labels[i].edge.source += 1000000;
	labels[3].edge.target = 1;
	use_rows(drawn_rows(&w.truth, 1));
	f.rows[1] = (fixture_rows){n, labels};
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA,
				 "none of the 60 labels");
	fixture_forget(&f);
}

/* More communities than there are: a model all the same, the truth's communities whole or in parts,
 * and what has no node is said. */
static void
test_too_many(void **state)
{
	tlv_mmsb_learn_options options = {.fit = options_of(12, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	tlv_mmsb_parts parts;
	tlv_frame model;
	bool has_node[12] = {false};
	size_t empty = 0;
	world w;

	(void) state;
	simulation.nodes = 200;
	simulation.k = 2;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1));
	model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
	assert_ok(tlv_mmsb_read(&ctx, &model, &parts));
	assert_int_equal(parts.k, 12);
	for (size_t u = 0; u < parts.side[0].n; u++)
	{
		const tlv_memberships *m = &parts.side[0].memberships;
		size_t best = m->start[u];

		for (size_t i = best; i < m->start[u + 1]; i++)
			best = m->share[i] > m->share[best] ? i : best;
		has_node[m->community[best]] = true;
	}
	for (size_t a = 0; a < 12; a++)
		empty += !has_node[a];
	assert_int_equal(tlv_warnings_find(&model, "empty_component", &(tlv_warning){0}), empty > 0);
	assert_true(parts.sizes[0] >= parts.sizes[11]);
	fixture_forget(&f);
}

/* ---- values ---- */

static tlv_frame
finished_value(tlv_accumulator *accumulator)
{
	tlv_frame_builder *builder = tlv_alloc0(&ctx, 1, sizeof(tlv_frame_builder));
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(accumulator->class->build(&ctx, accumulator, builder));
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &frame));
	return frame;
}

static tlv_accumulator *
collect(const tlv_frame *model, size_t from, size_t to)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics, .constant = model};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, &f.rows[0].rows[t]));
	return accumulator;
}

/* Parts in whatever order are the whole; a row that comes twice is refused; an update moves the
 * nodes that have a row, and no other. */
static void
test_values(void **state)
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

	(void) state;
	simulation.nodes = 200;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 7));
	model = procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
	n = f.rows[0].n;
	whole = finished_value(collect(&model, 0, n));
	parts[0] = finished_value(collect(&model, 0, n / 3));
	parts[1] = finished_value(collect(&model, n / 3, n));
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_neighbour_statistics.accumulator, &merged));
	for (int i = 2; i-- > 0;)
		assert_ok(merged->class->merge(&ctx, merged, &parts[i]));
	sum = finished_value(merged);
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
	assert_fails(merged->class->build(&ctx, merged, tlv_alloc0(&ctx, 1, sizeof(tlv_frame_builder))),
				 TLV_BAD_DATA, "has two rows");

	assert_ok(tlv_mmsb_read(&ctx, &model, &before));
	assert_ok(tlv_model_update(&ctx, &model, &parts[0], 1, &image, &size));
	next = validated_model(image, size);
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
	fixture_forget(&f);
}

/* So many of the nodes that have most neighbours. */
static void
test_landmarks(void **state)
{
	const double *kept, *all;
	tlv_accumulator *summary;
	tlv_frame full, part;
	double least = HUGE_VAL;
	size_t above = 0, size;
	void *image;
	world w = simulate(plain);

	(void) state;
	use_rows(drawn_rows(&w.truth, 3));
	assert_ok(tlv_count_summary_create(&ctx, &summary));
	for (size_t t = 0; t < f.rows[0].n; t++)
	{
		tlv_row row = f.rows[0].rows[t];

		row.form = TLV_ROW_BAG;
		assert_ok(tlv_add(&ctx, summary, &row));
	}
	full = finished_value(summary);
	assert_ok(tlv_neighbour_landmarks(&ctx, &full, 20, 0, 1, &image, &size));
	assert_null(image);
	assert_ok(tlv_neighbour_landmarks(&ctx, &full, 20, 2000, 1, &image, &size));
	assert_ok(tlv_frame_open(&ctx, image, size, &part));
	assert_int_equal(tlv_frame_find(&part, "items")->rows, 100);
	kept = tlv_frame_float64(&part, "frequency");
	all = tlv_frame_float64(&full, "frequency");
	for (size_t i = 0; i < 100; i++)
		least = fmin(least, kept[i]);
	for (size_t i = 0; i < tlv_frame_find(&full, "items")->rows; i++)
		above += all[i] > least;
	assert_below(above, 101);
}

/* ---- what is kept of a posterior ---- */

/* A value of so many nodes has room for them, and for fewer shares the more they are. */
static void
test_kept_shares(void **state)
{
	double share[6] = {0.1, 0.3, 0.1, 0.3, 0.1, 0.1}, flat[50], work[8];
	const double kept[6] = {0.1, 0.3, 0, 0.3, 0, 0};

	(void) state;
	for (double n = 1; n < 2e7; n *= 10)
		assert_below(n * (34 + 6 * (double) tlv_neighbour_most_shares((size_t) n)),
					 (double) TLV_FRAME_MAX_BYTES);
	assert_int_equal(tlv_neighbour_most_shares(10000000), 5);
	assert_true(tlv_neighbour_most_shares(1000000) >= 100);
	assert_int_equal(tlv_neighbour_most_shares(TLV_FRAME_MAX_BYTES), 1);

	assert_close(tlv_neighbour_keep(6, 3, share, work), 0.7, 1e-15);
	for (size_t a = 0; a < 6; a++)
		assert_close(share[a], kept[a], 0);
	/* what has room stays as it is: all, or those that count */
	assert_close(tlv_neighbour_keep(6, 6, share, work), 1, 0);
	assert_close(tlv_neighbour_keep(6, 4, share, work), 1, 0);
	for (size_t a = 0; a < 50; a++)
		flat[a] = 0.02;
	assert_close(tlv_neighbour_keep(50, 8, flat, work), 0.16, 1e-15);
	assert_true(flat[7] > 0 && flat[8] == 0);
}

/* ---- what is refused ---- */

static void
test_refused(void **state)
{
	const struct
	{
		tlv_mmsb_learn_options options;
		const char *words;
	} cases[] = {
		{{.fit = options_of(2, 0), .graph = TLV_GRAPH_DIRECTED}, "directed and bipartite"},
		{{.fit = options_of(500, 0), .graph = TLV_GRAPH_UNDIRECTED}, "more than the 120 nodes"},
	};
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	edge_list list = {0}, half = {0};
	world w;

	(void) state;
	simulation.nodes = 120;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &cases[i].options), TLV_BAD_PARAMETER,
					 cases[i].words);
		fixture_forget(&f);
	}
	assert_ok(tlv_mmsb_simulate_edges(&ctx, &w.truth, 1, put_ends, &list));
	for (size_t i = 0; i < list.n; i++) /* every edge once */
		if (list.edges[i].source < list.edges[i].target)
		{
			assert_ok(put_ends(&ctx, &half, list.edges[i].source, list.edges[i].target, 1));
			half.n--;
		}
	use_rows(rows_of(&half));
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA,
				 "the other way round");
	fixture_forget(&f);
	use_rows(rows_of(&list));
	f.rows[0].n -= 10; /* whose neighbours' rows are there */
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA, "neighbours");
	fixture_forget(&f);
	list = (edge_list){0};
	assert_ok(put_ends(&ctx, &list, 1, 2, 1));
	assert_ok(put_ends(&ctx, &list, 2, 3, 1));
	use_rows(rows_of(&list));
	assert_fails(procedure_run(&f, &tlv_mmsb_procedure, &options), TLV_BAD_DATA,
				 "no node has 3 neighbours");
	fixture_forget(&f);
}

/* ---- what can go wrong ---- */

/* Products of few edges are these, and refer to the subspace of the step before, which is given
 * back when the next one is there. */
static void
test_few_edges(void **state)
{
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	size_t referring;
	world w;

	(void) state;
	simulation.nodes = 200;
	simulation.k = 2;
	simulation.within = 0.03;
	simulation.between = 0.002;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1));
	(void) procedure_model(&f, &tlv_mmsb_procedure, &options, options.errors);
	referring = fixture_referring_passes(&f);
	assert_at_least(referring, 4);
	assert_int_equal(fixture_steady_passes(&f, "subspace", 0), referring - 1);
	fixture_forget(&f);
}

static void
test_faults(void **state)
{
	tlv_mmsb_learn_options options = {.fit = options_of(2, 0), .graph = TLV_GRAPH_UNDIRECTED};
	tlv_mmsb_simulation simulation = plain;
	world w;

	(void) state;
	simulation.nodes = 60;
	simulation.k = 2;
	w = simulate(simulation);
	use_rows(drawn_rows(&w.truth, 1));
	f.changed = drawn_rows(&w.truth, 2);
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
	options.fit.alpha0 = 0.3;
	use_rows(drawn_rows(&w.truth, 1));
	f.changed = drawn_rows(&w.truth, 2);
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
	options.fit = options_of(0, 0);
	options.fit.max_k = 3;
	use_rows(drawn_rows(&w.truth, 1));
	f.changed = drawn_rows(&w.truth, 2);
	procedure_fail_everywhere(&f, &tlv_mmsb_procedure, &options, options.errors);
	fixture_forget(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_mixed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_chosen, setup, teardown),
		cmocka_unit_test_setup_teardown(test_labels, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many, setup, teardown),
		cmocka_unit_test_setup_teardown(test_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_landmarks, setup, teardown),
		cmocka_unit_test(test_kept_shares),
		cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_few_edges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
