/*
 * test_choose.c - every graph has a fit, whatever its shape and k; k left out is what the graph
 * was drawn with, and one where there is nothing to find.
 */
#include "mmsb_fixture.h"

/* ---- graphs that no block model drew ---- */

typedef struct shape
{
	const char *name;
	size_t k; /* groups that are joined by few edges */
	size_t nodes;
	size_t (*group)(size_t u);
	void (*put)(tlv_accumulator *edges);
} shape;

static void
join(tlv_accumulator *edges, size_t u, size_t v)
{
	assert_ok(tlv_add(&ctx, edges, TLV_AS_EDGE((int64_t) u, (int64_t) v, 1)));
}

/* 20 centres, of 100 leaves each, joined through the first one. */
static void
put_stars(tlv_accumulator *edges)
{
	for (size_t u = 20; u < 2020; u++)
		join(edges, u, u % 20);
	for (size_t c = 1; c < 20; c++)
		join(edges, c, 0);
}

static size_t
star_of(size_t u)
{
	return u % 20;
}

/* 20 times two nodes that are both joined to five, in a ring. */
static void
put_bicliques(tlv_accumulator *edges)
{
	for (size_t b = 0; b < 20; b++)
	{
		for (size_t i = 0; i < 10; i++)
			join(edges, 7 * b + i % 2, 7 * b + 2 + i / 2);
		join(edges, 7 * b, 7 * ((b + 1) % 20));
	}
}

static size_t
biclique_of(size_t u)
{
	return u / 7;
}

/* 10 groups of 20 hubs, all joined inside a group; most nodes hang on one or two hubs. */
static void
put_hubs(tlv_accumulator *edges)
{
	for (size_t u = 200; u < 3000; u++)
	{
		join(edges, u, u % 200);
		if (u < 1500 && u % 200 / 20 == (u * 7 + 1) % 200 / 20 && u % 200 != (u * 7 + 1) % 200)
			join(edges, u, (u * 7 + 1) % 200);
	}
	for (size_t a = 0; a < 200; a++)
		for (size_t b = a + 1; b < 200; b++)
			if (a / 20 == b / 20 || b == a + 20)
				join(edges, a, b);
}

static size_t
hub_group_of(size_t u)
{
	return u % 200 / 20;
}

static const shape shapes[] = {{"stars", 20, 2020, star_of, put_stars},
							   {"bicliques", 20, 140, biclique_of, put_bicliques},
							   {"hubs", 10, 3000, hub_group_of, put_hubs}};

static tlv_mmsb_parts
fit_shape(const shape *of, tlv_mmsb_options options, tlv_frame *model)
{
	tlv_accumulator *edges = begin_graph(TLV_GRAPH_UNDIRECTED, false);
	tlv_mmsb_parts parts;
	tlv_frame graph;

	of->put(edges);
	graph = end_graph(edges);
	*model = fit_graph(&graph, options, &parts);
	check_parts(&parts);
	return parts;
}

static size_t
label_of(const tlv_mmsb_parts *parts, size_t u)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	size_t best = m->start[u];

	for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
		best = m->share[e] > m->share[best] ? e : best;
	return m->community[best];
}

/* Nodes that are not with most of their group. */
static double
misplaced(const shape *of, const tlv_mmsb_parts *parts)
{
	double *count = numbers(of->k * parts->k), wrong = (double) of->nodes;

	for (size_t u = 0; u < of->nodes; u++)
		count[of->group(u) * parts->k + label_of(parts, u)]++;
	for (size_t g = 0; g < of->k; g++)
	{
		double most = 0;

		for (size_t c = 0; c < parts->k; c++)
			most = fmax(most, count[g * parts->k + c]);
		wrong -= most;
	}
	return wrong / (double) of->nodes;
}

/* With k given, and left out, plain, corrected and as it comes. */
ACCURACY_TEST(test_shapes)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (int corrected = 0; corrected < 3; corrected++)
			for (int given = 0; given < 2; given++)
			{
				tlv_mmsb_options options = options_of(given ? shapes[i].k : 0, 0);
				tlv_mmsb_parts parts;
				tlv_frame model;
				double wrong;

				options.max_k = 0;
				options.degree_corrected = (tlv_degree_correction) corrected;
				parts = fit_shape(&shapes[i], options, &model);
				if (corrected == TLV_DEGREES_PLAIN)
					continue; /* groups of hubs and of leaves are as good */
				wrong = misplaced(&shapes[i], &parts);
				if (parts.k != shapes[i].k || wrong > 0.02)
					fail_msg("%s, %d, %s: k = %zu, %g misplaced", shapes[i].name, corrected,
							 given ? "k given" : "k left out", parts.k, wrong);
				if (i == 0 && !given)
					assert_true(model_warns(&model, "tree_like", NULL));
				pool_reset(&memory, &ctx);
			}
}

/* Mixed memberships, and k far from what there is. */
ACCURACY_TEST(test_any_k)
{
	static const size_t k[] = {2, 33};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		for (size_t j = 0; j < sizeof(k) / sizeof(k[0]); j++)
			for (int mixed = 0; mixed < 2; mixed++)
			{
				tlv_mmsb_options options = options_of(k[j], 0.5 * mixed);
				tlv_frame model;

				options.degree_corrected = TLV_DEGREES_CHOSEN;
				assert_int_equal(fit_shape(&shapes[i], options, &model).k, k[j]);
				pool_reset(&memory, &ctx);
			}
}

/* ---- graphs that one drew ---- */

/* All is chosen: the number of communities and the correction for degrees. */
static const tlv_mmsb_options chosen = {
	.alpha0 = 0, .seed = 1, .degree_corrected = TLV_DEGREES_CHOSEN};

/* A graph of plain, or corrected, communities, and what is chosen for it. */
static fitted
fit_drawn(size_t k, size_t nodes, double within, double between, double exponent, uint64_t seed)
{
	tlv_mmsb_simulation o = plain;
	world w;

	o.k = k;
	o.nodes = nodes;
	o.within = within;
	o.between = between;
	o.degree_exponent = exponent;
	o.seed = seed;
	w = simulate(o);
	return fit(&w, chosen);
}

/* More communities than directions are looked at; sizes differ. */
TEST(test_many)
{
	fitted f = fit_drawn(60, 1500, 0.5, 0.003, NAN, 1);

	assert_int_equal(f.parts.k, 60);
	assert_false(f.parts.degree_corrected);
	assert_below(f.error, 0.01);
}

/* Plain or corrected as the graph was drawn. */
TEST(test_degrees)
{
	for (int unequal = 0; unequal < 2; unequal++)
		for (uint64_t seed = 1; seed <= 3; seed++)
		{
			fitted f = fit_drawn(4, 800, 0.2, 0.02, unequal ? 2.5 : NAN, seed);

			assert_int_equal(f.parts.degree_corrected, unequal);
			assert_int_equal(f.parts.k, 4);
			assert_below(f.error, 0.01);
			pool_reset(&memory, &ctx);
		}
}

/* Nothing to find, at ten mean degrees. */
ACCURACY_TEST(test_nothing)
{
	for (uint64_t seed = 1; seed <= 10; seed++)
	{
		size_t nodes = 300 + 100 * seed;

		assert_int_equal(
			fit_drawn(1, nodes, (2 + (double) seed) / (double) nodes, 0, NAN, seed).parts.k, 1);
		pool_reset(&memory, &ctx);
	}
}

/* Sparse graphs of few nodes: in one of ten a direction of the spectrum stands out by chance. */
ACCURACY_TEST(test_chance)
{
	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		assert_int_equal(fit_drawn(1, 400, 6.0 / 400, 0, NAN, seed).parts.k, 1);
		pool_reset(&memory, &ctx);
	}
}

/*
 * Communities that are not much denser inside are counted, and not left in parts: of a small graph
 * and of a large one, whose moves are fewer.
 */
ACCURACY_TEST(test_weak)
{
	size_t exact = 0;

	for (uint64_t seed = 1; seed <= 12; seed++)
	{
		bool large = seed > 10;
		size_t k = large ? 10 : 5, nodes = large ? 20000 : 1000;
		size_t found =
			fit_drawn(k, nodes, large ? .004 : .04, large ? .0003 : .006, NAN, seed).parts.k;

		print_message("%zu nodes in %zu communities: %zu\n", nodes, k, found);
		exact += found == k;
		pool_reset(&memory, &ctx);
	}
	assert_at_least(exact, 11);
}

/* 8 groups of 4 communities of 30 nodes: one rate between communities would have the groups. */
static void
put_nested(tlv_accumulator *edges)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, 5);
	for (size_t u = 0; u < 960; u++)
		for (size_t v = 0; v < u; v++)
			if (tlv_rng_uniform(&rng) < (u / 30 == v / 30 ? .6 : u / 120 == v / 120 ? .05 : .002))
				join(edges, u, v);
}

static size_t
nested_of(size_t u)
{
	return u / 30;
}

TEST(test_nested)
{
	static const shape nested = {"nested", 32, 960, nested_of, put_nested};
	tlv_frame model;
	tlv_mmsb_parts parts = fit_shape(&nested, chosen, &model);

	print_message("32 communities in 8 groups: %zu, misplaced %.3f\n", parts.k,
				  misplaced(&nested, &parts));
	assert_int_equal(parts.k, 32);
	assert_below(misplaced(&nested, &parts), .02);
}

/* A given k of a graph without communities is fitted, and doubted; of one with some it is not. */
TEST(test_doubt)
{
	for (uint64_t seed = 1; seed <= 12; seed++)
	{
		tlv_mmsb_simulation o = plain;
		tlv_mmsb_options options = options_of(2 + seed % 3, seed % 2 == 0 ? 0 : 1);
		fitted f;
		world w;

		o.k = seed > 8 ? 3 : 1;
		o.nodes = 400;
		o.within = seed > 8 ? 0.12 : 0.03;
		o.between = 0.02;
		o.seed = seed;
		w = simulate(o);
		options.degree_corrected = TLV_DEGREES_CHOSEN;
		f = fit(&w, options);
		assert_int_equal(f.parts.k, options.k);
		assert_int_equal(model_warns(&f.frame, "no_structure", NULL), seed <= 8);
		if (seed <= 8)
			assert_below(diagnostic(f.frame, "gain_over_one"), 0);
		else
			assert_above(diagnostic(f.frame, "gain_over_one"), 0);
		pool_reset(&memory, &ctx);
	}
}

/* ---- what is said of a fit ---- */

/* Nodes are points of a square, joined when they are near. */
TEST(test_geometric)
{
	tlv_accumulator *edges = begin_graph(TLV_GRAPH_UNDIRECTED, false);
	tlv_mmsb_options options = options_of(0, 0);
	double *x = numbers(1600);
	tlv_mmsb_parts parts;
	tlv_frame graph, model;

	for (size_t i = 0; i < 1600; i++)
		x[i] = tlv_rng_uniform(&rng);
	for (size_t u = 0; u < 800; u++)
		for (size_t v = 0; v < u; v++)
			if (hypot(x[2 * u] - x[2 * v], x[2 * u + 1] - x[2 * v + 1]) < 0.08)
				join(edges, u, v);
	graph = end_graph(edges);
	options.degree_corrected = TLV_DEGREES_CHOSEN;
	model = fit_graph(&graph, options, &parts);
	assert_true(model_warns(&model, "closed_neighbourhoods", NULL));
	/* a graph that a block model drew has no such */
	model = fit(&(world){simulate(plain).truth, simulate(plain).graph}, options).frame;
	assert_false(model_warns(&model, "closed_neighbourhoods", NULL));
	assert_close(diagnostic(model, "closure"), 1, 0.1);
}

/* Three communities too many of mixed memberships: they are empty and named, the others right. */
TEST(test_spurious)
{
	for (uint64_t seed = 1; seed <= 2; seed++)
	{
		tlv_mmsb_simulation o = plain;
		tlv_warnings_walk walk;
		size_t named = 0;
		world w;
		fitted f;

		o.k = 5;
		o.nodes = 1000;
		o.alpha0 = 0.5;
		o.within = 0.3;
		o.seed = seed;
		w = simulate(o);
		f = fit(&w, options_of(8, 0.5));
		assert_int_equal(f.parts.k, 8);
		walk = tlv_warnings_of(&f.frame);
		while (tlv_warnings_next(&walk))
			if (strcmp(walk.warning.code, "spurious_component") == 0)
			{
				assert_below(f.parts.sizes[walk.warning.component - 1], 0.5);
				named++;
			}
		assert_int_equal(named, 3);
		for (size_t c = 0; c < 5; c++)
			assert_at_least(f.parts.sizes[c], 100);
		f = fit(&w, options_of(5, 0.5));
		assert_false(model_warns(&f.frame, "spurious_component", NULL));
		pool_reset(&memory, &ctx);
	}
}

/* Of nodes that a block model drew, as many are right as their memberships say. */
TEST(test_posterior)
{
	double sure = 0, right = 0, n = 0;

	for (uint64_t seed = 1; seed <= 4; seed++)
	{
		tlv_mmsb_simulation o = plain;
		const tlv_memberships *m, *truth;
		world w;
		fitted f;

		o.k = 2;
		o.within = 0.06;
		o.between = 0.022;
		o.seed = seed;
		w = simulate(o);
		f = fit(&w, options_of(2, 0));
		m = &f.parts.side[0].memberships;
		truth = &w.truth.side[0].memberships;
		for (size_t u = 0; u < m->n; u++)
			for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
			{
				size_t node = (size_t) f.parts.side[0].nodes[u] - 1;

				if (m->share[e] < 0.5)
					continue;
				sure += m->share[e];
				right += f.match[truth->community[truth->start[node]]] == m->community[e];
				n++;
			}
		pool_reset(&memory, &ctx);
	}
	assert_below(sure / n, 0.995);
	assert_close(sure / n, right / n, 0.01);
}

/* Four groups of 400 nodes of few edges, and 60 of six that are all joined. */
static tlv_frame
uneven_groups(void)
{
	tlv_accumulator *edges = begin_graph(TLV_GRAPH_UNDIRECTED, false);

	for (size_t u = 0; u < 1600; u++)
		for (int i = 0; i < 2; i++)
		{
			size_t other = tlv_rng_below(&rng, 1600);

			if (tlv_rng_uniform(&rng) < 0.8)
				other = other / 4 * 4 + u % 4;
			if (other != u)
				join(edges, u, other);
		}
	for (size_t c = 0; c < 60; c++)
		for (size_t i = 0; i < 6; i++)
		{
			for (size_t j = 0; j < i; j++)
				join(edges, 1600 + 6 * c + i, 1600 + 6 * c + j);
			join(edges, 1600 + 6 * c + i, tlv_rng_below(&rng, 1600));
		}
	return end_graph(edges);
}

/* Nodes of few edges do not take part in every one of many small communities. */
TEST(test_small_shares)
{
	tlv_frame graph = uneven_groups();
	tlv_mmsb_parts parts;
	const tlv_memberships *m;
	double sure = 0, n = 0;

	(void) fit_graph(&graph, options_of(64, 0), &parts);
	m = &parts.side[0].memberships;
	for (size_t u = 0; u < m->n; u++)
	{
		double most = 0;

		for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
			most = fmax(most, m->share[e]);
		sure += parts.side[0].nodes[u] < 1600 ? most : 0;
		n += parts.side[0].nodes[u] < 1600;
	}
	assert_above(sure / n, 0.7);
	assert_below((double) m->start[m->n] / (double) m->n, 8);
	for (size_t e = 0; e < m->start[m->n]; e++)
		assert_at_least(m->share[e], 0.0064);
}

RUN_TESTS(setup, teardown)
