/*
 * test_fit.c - communities of expected graphs and of planted graphs of
 * every kind against the truth.
 *
 * Bounds are a little above what the fit reaches at the seeds given.
 */
#include "mmsb_fixture.h"

/* ---- graphs of expected weights ---- */

/* Memberships of n nodes: pure ones for some, Dirichlet(1/k) for the others. */
static double *
draw_memberships(size_t n, size_t k, double alpha)
{
	double *pi = numbers(n * k), parameters[16];

	for (size_t a = 0; a < k; a++)
		parameters[a] = alpha;
	for (size_t u = 0; u < n; u++)
		tlv_rng_dirichlet(&rng, k, parameters, pi + u * k);
	return pi;
}

/* As a model, whose side s has the memberships pi of n nodes. */
static void
set_side(tlv_mmsb_parts *truth, size_t s, size_t n, const double *pi)
{
	tlv_memberships *m = &truth->side[s].memberships;
	size_t k = truth->k, at = 0;
	int64_t *ids = room(n, sizeof(int64_t));

	truth->side[s].nodes = ids;
	truth->side[s].degree = numbers(n);
	m->n = truth->side[s].n = n;
	m->start = room(n + 1, sizeof(size_t));
	m->community = room(n * k, sizeof(uint16_t));
	m->share = room(n * k, sizeof(float));
	for (size_t u = 0; u < n; u++)
	{
		ids[u] = (int64_t) u + 1;
		for (size_t a = 0; a < k; a++)
			if (pi[u * k + a] > 1e-5)
			{
				m->community[at] = (uint16_t) a;
				m->share[at++] = (float) pi[u * k + a];
			}
		m->start[u + 1] = at;
	}
}

static world
expected_world(tlv_graph_kind kind, size_t n, size_t targets, size_t k, const double *p,
			   double alpha)
{
	world w = {.truth = {.k = k, .sides = kind == TLV_GRAPH_UNDIRECTED ? 1 : 2, .graph = kind}};
	size_t m = kind == TLV_GRAPH_BIPARTITE ? targets : n;
	double *pi = draw_memberships(n, k, alpha);
	double *rho = kind == TLV_GRAPH_UNDIRECTED ? pi : draw_memberships(m, k, alpha);
	dense g = dense_graph(n, m);

	w.truth.connectivity = p;
	w.truth.poisson = true;
	set_side(&w.truth, 0, n, pi);
	if (w.truth.sides == 2)
		set_side(&w.truth, 1, m, rho);
	for (size_t u = 0; u < n; u++)
		for (size_t v = 0; v < m; v++)
			for (size_t a = 0; a < k && (kind == TLV_GRAPH_BIPARTITE || u != v); a++)
				for (size_t b = 0; b < k; b++)
					*entry(&g, u, v) += pi[u * k + a] * p[a + k * b] * rho[v * k + b];
	w.graph = stored_graph(&g, kind, true);
	return w;
}

static const double symmetric_p[9] = {0.5, 0.05, 0.1, 0.05, 0.4, 0.02, 0.1, 0.02, 0.6};
static const double sparse_p[9] = {0.15, 0.09, 0.006, 0.015, 0.12, 0.09, 0.06, 0.006, 0.18};
static const double directed_p[9] = {0.5, 0.3, 0.02, 0.05, 0.4, 0.3, 0.2, 0.02, 0.6};

/*
 * The moments are of distinct neighbours, and a graph has no self-loops: what is left of the error
 * falls as 1/n.
 */
TEST(test_expected)
{
	static const double most[3][2] = {{0.012, 0.04}, {0.012, 0.035}, {0.02, 0.08}};

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
	{
		const double *p = kind == TLV_GRAPH_UNDIRECTED ? symmetric_p : directed_p;
		tlv_mmsb_options options = options_of(3, 0.6);
		double errors[2];

		options.refine = TLV_MMSB_REFINE_NONE;
		options.edges = TLV_EDGES_POISSON;
		for (int large = 0; large < 2; large++)
		{
			size_t n = large == 0 ? 150 : 600;
			world w = expected_world((tlv_graph_kind) kind, n, n * 2 / 3, 3, p, 0.2);
			fitted f = fit(&w, options);

			errors[large] = f.error;
			if (large == 1)
			{
				assert_below(f.error, most[kind - 1][0]);
				assert_below(f.rates, most[kind - 1][1]);
				assert_below(diagnostic(f.frame, kind == 1 ? "residual" : "source_residual"), 0.05);
			}
		}
		assert_below(errors[1], errors[0]);
	}
}

/* ---- planted graphs ---- */

TEST(test_blocks)
{
	tlv_mmsb_simulation o = plain;
	world w = simulate(o);
	fitted f = fit(&w, options_of(4, 0));

	assert_equal(f.error, 0);
	assert_below(f.rates, 0.03);
	for (size_t a = 1; a < 4; a++)
		assert_at_least(f.parts.sizes[a - 1], f.parts.sizes[a]);
	/* sparse: mean degree 12 */
	o.nodes = 1500;
	o.within = 0.025;
	o.between = 0.0025;
	w = simulate(o);
	f = fit(&w, options_of(4, 0));
	assert_below(f.error, 0.008);
	/* every method of the tensor */
	for (int method = 0; method < 4; method++)
	{
		tlv_mmsb_options options = options_of(4, 0);

		options.decompose.method = (tlv_method) method;
		w = simulate(plain);
		f = fit(&w, options);
		assert_below(f.error, 0.005);
	}
}

TEST(test_mixed)
{
	tlv_mmsb_simulation o = plain;
	tlv_mmsb_options options = options_of(4, 1);
	world w;
	fitted f;

	o.alpha0 = 1;
	o.within = 0.3;
	o.nodes = 1000;
	w = simulate(o);
	options.refine = TLV_MMSB_REFINE_NONE;
	f = fit(&w, options);
	assert_below(f.error, 0.11);
	options.refine = TLV_MMSB_REFINE_AUTO;
	f = fit(&w, options);
	assert_below(f.error, 0.1);
	assert_below(f.rates, 0.08);
	/* no labels are lost where one community a node is asked for */
	o = plain;
	w = simulate(o);
	options = options_of(4, 0);
	options.refine = TLV_MMSB_REFINE_EM;
	f = fit(&w, options);
	assert_below(f.error, 0.03);
	options.refine = TLV_MMSB_REFINE_NONE;
	f = fit(&w, options);
	assert_below(f.error, 0.08);
}

TEST(test_degree_corrected)
{
	tlv_mmsb_simulation o = plain;
	tlv_mmsb_options options = options_of(4, 0);
	double ratio = 0, off = 0;
	world w;
	fitted f;

	o.nodes = 1200;
	o.degree_exponent = 2.5;
	w = simulate(o);
	options.degree_corrected = true;
	f = fit(&w, options);
	assert_below(f.error, 0.005);
	/* propensities, relative to their mean */
	for (size_t u = 0; u < f.parts.side[0].n; u++)
	{
		size_t at = (size_t) (f.parts.side[0].nodes[u] - 1);
		double truth = w.truth.side[0].propensity[at], found = f.parts.side[0].propensity[u];

		ratio += found;
		off += fabs(found - truth);
	}
	assert_close(ratio / (double) f.parts.side[0].n, 1, 0.01);
	assert_below(off / (double) f.parts.side[0].n, 0.17);
	/* without the correction the fit says what is wrong */
	options.degree_corrected = false;
	f = fit(&w, options);
	assert_true(model_warns(&f.frame, "unequal_degrees", NULL));
	/* mixed memberships */
	o.alpha0 = 0.3;
	w = simulate(o);
	options = options_of(4, 0.3);
	options.degree_corrected = true;
	f = fit(&w, options);
	assert_below(f.error, 0.08);
}

TEST(test_disassortative)
{
	tlv_mmsb_simulation o = plain;
	world w;
	fitted f;

	o.within = 0.02;
	o.between = 0.2;
	w = simulate(o);
	f = fit(&w, options_of(4, 0));
	assert_below(f.error, 0.005);
	assert_below(f.rates, 0.03);
	/* one rate for all pairs of communities says it all */
	assert_equal(diagnostic(f.frame, "full_block_model"), 0);
	o.alpha0 = 0.4;
	o.nodes = 1000;
	w = simulate(o);
	f = fit(&w, options_of(4, 0.4));
	assert_below(f.error, 0.11);
}

TEST(test_sides)
{
	tlv_mmsb_simulation o = plain;
	world w;
	fitted f;

	o.graph = TLV_GRAPH_BIPARTITE;
	w = simulate(o);
	f = fit(&w, options_of(4, 0));
	assert_below(f.error, 0.005);
	assert_below(f.rates, 0.035);
	o.alpha0 = 0.5;
	o.within = 0.3;
	w = simulate(o);
	f = fit(&w, options_of(4, 0.5));
	assert_below(f.error, 0.1);
	o.graph = TLV_GRAPH_DIRECTED;
	w = simulate(o);
	f = fit(&w, options_of(4, 0.5));
	assert_below(f.error, 0.09);
}

/* Weights of a source community are not those of a target community. */
TEST(test_directed)
{
	world w = expected_world(TLV_GRAPH_DIRECTED, 600, 0, 3, sparse_p, 0.001);
	fitted f;

	w.truth.poisson = false;
	w.graph = draw_graph(&w.truth, 5);
	f = fit(&w, options_of(3, 0));
	assert_below(f.error, 0.006);
	assert_below(f.rates, 0.03);
	/* here it does not */
	assert_equal(diagnostic(f.frame, "full_block_model"), 1);
	assert_false(f.parts.tied);
	assert_below(diagnostic(f.frame, "gain_of_tied_sides"), 0);
}

TEST(test_weighted)
{
	tlv_mmsb_simulation o = plain;
	world w;
	fitted f, binary;
	tlv_mmsb_options options = options_of(4, 0);

	o.poisson = true;
	o.within = 0.9;
	o.between = 0.3;
	o.nodes = 300;
	w = simulate(o);
	f = fit(&w, options);
	assert_true(f.parts.poisson);
	assert_below(f.error, 0.01);
	assert_below(f.rates, 0.05);
	options.edges = TLV_EDGES_BERNOULLI;
	binary = fit(&w, options);
	assert_false(binary.parts.poisson);
	assert_at_most(f.error, binary.error);
	o.alpha0 = 0.5;
	o.within = 2;
	w = simulate(o);
	f = fit(&w, options_of(4, 0.5));
	assert_below(f.error, 0.065);
}

/* Communities are numbered as the labels are, and labelled nodes keep theirs. */
TEST(test_labels)
{
	tlv_mmsb_simulation o = plain;

	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int mixed = 0; mixed < 2; mixed++)
		{
			tlv_mmsb_options options = options_of(4, mixed == 1 ? 0.2 : 0);
			int64_t node[40], identity[4] = {2, 0, 3, 1};
			int32_t label[40];
			world w;
			fitted f;

			o.graph = (tlv_graph_kind) kind;
			w = simulate(o);
			options.n_labels = 40;
			options.label_nodes = node;
			options.label = label;
			for (size_t i = 0; i < 40; i++)
			{
				const tlv_memberships *m = &w.truth.side[0].memberships;

				/* of bipartite graphs sources alone have these ids */
				node[i] = (int64_t) (kind == TLV_GRAPH_BIPARTITE ? 401 : 1) + (int64_t) (5 * i);
				node[i] = kind == TLV_GRAPH_BIPARTITE ? 401 + (int64_t) i : node[i];
				label[i] = (int32_t) identity[m->community[m->start[node[i] - 1]]];
			}
			f = fit(&w, options);
			assert_below(side_error(&w.truth, &f.parts, 0, identity), mixed == 1 ? 0.09 : 0.005);
			for (size_t i = 0; i < 40; i++)
			{
				const tlv_memberships *m = &f.parts.side[0].memberships;
				size_t u = (size_t) node[i] - 1;

				assert_equal(f.parts.side[0].nodes[u], node[i]);
				assert_int_equal(m->start[u + 1] - m->start[u], 1);
				assert_int_equal(m->community[m->start[u]], label[i]);
			}
		}
}

/* Where the graph alone tells little, labels help. */
TEST(test_labels_help)
{
	tlv_mmsb_simulation o = plain;
	tlv_mmsb_options options = options_of(4, 0);
	int64_t node[150], identity[4] = {0, 1, 2, 3};
	int32_t label[150];
	world w;
	fitted f;
	double without;

	o.within = 0.06;
	o.between = 0.025;
	w = simulate(o);
	without = fit(&w, options).error;
	options.n_labels = 150;
	options.label_nodes = node;
	options.label = label;
	for (size_t i = 0; i < 150; i++)
	{
		const tlv_memberships *m = &w.truth.side[0].memberships;

		node[i] = (int64_t) (4 * i + 1);
		label[i] = (int32_t) m->community[m->start[node[i] - 1]];
	}
	f = fit(&w, options);
	assert_below(side_error(&w.truth, &f.parts, 0, identity), without - 0.3);
}

TEST(test_choose_k)
{
	tlv_mmsb_simulation o = plain;
	world w;
	fitted f;

	for (size_t k = 2; k <= 6; k += 2)
	{
		o.k = k;
		o.nodes = 200 * k;
		w = simulate(o);
		f = fit(&w, options_of(0, 0));
		assert_int_equal(f.parts.k, k);
		assert_equal(diagnostic(f.frame, "k_chosen"), 1);
		assert_below(f.error, 0.01);
	}
	/* no communities: one */
	o.between = o.within = 0.1;
	w = simulate(o);
	f = fit(&w, options_of(0, 0));
	assert_int_equal(f.parts.k, 1);
	assert_close(f.parts.connectivity[0], 0.1, 0.005);
	/* two sides: never more than the smaller one has */
	o = plain;
	o.graph = TLV_GRAPH_BIPARTITE;
	o.k = 3;
	w = simulate(o);
	f = fit(&w, options_of(0, 0));
	assert_int_equal(f.parts.k, 3);
}

TEST(test_one)
{
	for (int kind = TLV_GRAPH_UNDIRECTED; kind <= TLV_GRAPH_BIPARTITE; kind++)
		for (int corrected = 0; corrected < 2; corrected++)
		{
			tlv_mmsb_options options = options_of(1, 0.5);
			dense g = dense_graph(5, 5);
			world w = {.truth = {.k = 0}};
			fitted f;

			for (size_t u = 1; u < 5; u++)
				*entry(&g, 0, u) = *entry(&g, u, 0) = 1;
			w.graph = stored_graph(&g, (tlv_graph_kind) kind, false);
			options.degree_corrected = corrected == 1;
			f = fit(&w, options);
			assert_int_equal(f.parts.k, 1);
			/* 8 ends among 20 pairs, or among all 25 where a node may meet itself */
			assert_close(f.parts.connectivity[0],
						 kind == TLV_GRAPH_UNDIRECTED && corrected == 0 ? 8.0 / 20 : 8.0 / 25,
						 1e-12);
			if (corrected == 1)
				assert_close(f.parts.side[0].propensity[0], 2.5, 1e-9);
		}
}

RUN_TESTS(setup, teardown)
