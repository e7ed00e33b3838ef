/*
 * test_simulate.c - simulated block models and graphs: edge
 * frequencies against their probabilities, every kind of graph.
 */
#include "pool_setup.h"
#include "tensorlv/model/mmsb.h"

#define MOST   60
#define GRAPHS (3000.0 / EVERY(10))

static tlv_frame
model_of(tlv_mmsb_simulation options)
{
	tlv_frame frame;

	frame = MADE(tlv_mmsb_simulate_model, &options);
	assert_ptr_equal(frame.kind, &tlv_kind_mmsb);
	return frame;
}

/* What came of many graphs. */
typedef struct edges
{
	size_t columns;
	double count[MOST * MOST];	 /* graphs that have the edge */
	double weight[MOST * MOST];	 /* sum of its weights */
	double squares[MOST * MOST]; /* and of their squares */
	double total;

	size_t in_graph;
	int64_t last_src, last_dst;
} edges;

static tlv_status
count_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	edges *e = argument;
	size_t at = (size_t) (src - 1) * MOST + (size_t) (dst - 1);

	/* in order, each once */
	assert_at_least(src, e->last_src);
	if (src == e->last_src)
		assert_above(dst, e->last_dst);
	e->last_src = src;
	e->last_dst = dst;
	e->count[at]++;
	e->weight[at] += weight;
	e->squares[at] += weight * weight;
	e->total += weight;
	e->in_graph++;
	return TLV_OK;
}

static double
rate_of(const tlv_mmsb_parts *m, size_t u, size_t v)
{
	const tlv_memberships *a = &m->side[0].memberships, *b = &m->side[m->sides - 1].memberships;
	double rate = 0;

	for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
		for (size_t j = b->start[v]; j < b->start[v + 1]; j++)
			rate += a->share[i] * b->share[j] *
					m->connectivity[a->community[i] + m->k * b->community[j]];
	if (m->degree_corrected)
		rate *= m->side[0].propensity[u] * m->side[m->sides - 1].propensity[v];
	return rate;
}

/*
 * Draws many graphs and compares every pair: frequencies within 5 standard deviations, their sum of
 * squared z values like a chi square, and the number of edges of a graph with the variance of
 * independent ones.
 */
static void
check_frequencies(const tlv_mmsb_parts *m, uint64_t seed)
{
	edges *e = tlv_alloc0(&ctx, 1, sizeof(edges));
	double chi = 0, pairs = 0, mean = 0, variance = 0, squared = 0;

	for (uint64_t g = 0; g < GRAPHS; g++)
	{
		e->in_graph = 0;
		e->last_src = e->last_dst = 0;
		assert_ok(tlv_mmsb_simulate_edges(&ctx, m, seed + g, count_edge, e));
		squared += (double) e->in_graph * (double) e->in_graph;
	}
	for (size_t u = 0; u < m->side[0].n; u++)
		for (size_t v = 0; v < m->side[m->sides - 1].n; v++)
		{
			size_t at = u * MOST + v;
			double rate = rate_of(m, u, v), p = m->poisson ? -expm1(-rate) : fmin(rate, 1), z;

			if ((m->graph == TLV_GRAPH_UNDIRECTED && v <= u) ||
				(m->graph == TLV_GRAPH_DIRECTED && v == u))
			{
				assert_equal(e->count[at], 0);
				continue;
			}
			mean += p;
			variance += p * (1 - p);
			if (p >= 1 || p == 0)
			{
				assert_equal(e->count[at], p > 0 ? GRAPHS : 0);
				continue;
			}
			if (m->poisson)
			{
				assert_close(e->weight[at], GRAPHS * rate, 5.5 * sqrt(GRAPHS * rate) + 1);
				assert_close(e->squares[at], GRAPHS * (rate + rate * rate),
							 5.5 * sqrt(GRAPHS * (rate + 6 * rate * rate + 4 * pow(rate, 3))) + 3);
			}
			else
				assert_equal(e->weight[at], e->count[at]);
			z = (e->count[at] - GRAPHS * p) / sqrt(GRAPHS * p * (1 - p));
			if (GRAPHS * p * (1 - p) > 20)
			{
				assert_below(fabs(z), 5);
				chi += z * z;
				pairs++;
			}
		}
	assert_close(chi, pairs, 4.5 * sqrt(2 * pairs));
	/* no correlation between pairs: variance of the number of edges */
	assert_close(squared / GRAPHS - mean * mean, variance,
				 4.5 * (variance * sqrt(2.0 / GRAPHS) + 2 * mean * sqrt(variance / GRAPHS)));
}

static const tlv_mmsb_simulation base = {.graph = TLV_GRAPH_UNDIRECTED,
										 .nodes = 40,
										 .k = 3,
										 .alpha0 = 0.5,
										 .within = 0.3,
										 .between = 0.05,
										 .degree_exponent = NAN,
										 .seed = 4};

static void
check_model(tlv_mmsb_simulation options)
{
	tlv_frame frame = model_of(options);
	tlv_mmsb_parts parts;

	assert_ok(tlv_mmsb_read(&ctx, &frame, &parts));
	check_frequencies(&parts, 1000 * options.seed);
	pool_reset(&memory, &ctx);
}

TEST(test_frequencies)
{
	for (int graph = TLV_GRAPH_UNDIRECTED; graph <= TLV_GRAPH_BIPARTITE; graph++)
		for (int poisson = 0; poisson < 2; poisson++)
			for (int corrected = 0; corrected < 2; corrected++)
			{
				tlv_mmsb_simulation o = base;

				o.graph = (tlv_graph_kind) graph;
				o.targets = 25;
				o.poisson = poisson == 1;
				o.alpha0 = graph == TLV_GRAPH_DIRECTED ? 0 : 0.5;
				o.degree_exponent = corrected == 1 ? 2.5 : NAN;
				o.seed = (uint64_t) graph * 4 + (uint64_t) poisson * 2 + (uint64_t) corrected;
				check_model(o);
			}
}

/* Sparse, so that few candidates are drawn; dense, up to probability 1 and beyond. */
ACCURACY_TEST(test_rates)
{
	tlv_mmsb_simulation o = base;

	o.within = 0.06;
	o.between = 0.01;
	check_model(o);
	o.nodes = 60;
	o.k = 12;
	o.alpha0 = 0;
	o.within = 1;
	o.between = 0.01; /* hot pairs next to rare ones */
	check_model(o);
	o.alpha0 = 0.3;
	o.within = 0.95;
	check_model(o);
	o.degree_exponent = 2.1;
	check_model(o);
	o.graph = TLV_GRAPH_DIRECTED;
	check_model(o);
	o.within = o.between = 0;
	check_model(o);
	o.within = o.between = 1;
	check_model(o);
	o.poisson = true;
	o.within = 5;
	o.between = 0.001;
	check_model(o);
}

static tlv_status
sum_degrees(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	double *degree = argument;

	degree[src - 1] += weight;
	degree[dst - 1] += weight;
	return TLV_OK;
}

/* A large model: memberships are Dirichlet, propensities Pareto, degrees follow them. */
TEST(test_large)
{
	tlv_mmsb_simulation o = base;
	tlv_mmsb_parts parts;
	tlv_frame frame;
	double *degree, second = 0, sum = 0, heavy = 0, error = 0, expected = 0;
	const tlv_memberships *memberships;

	o.nodes = 20000;
	o.k = 20;
	o.alpha0 = 1;
	o.within = 0.02;
	o.between = 0.001;
	o.degree_exponent = 3.5;
	frame = model_of(o);
	assert_ok(tlv_mmsb_read(&ctx, &frame, &parts));
	memberships = &parts.side[0].memberships;
	for (size_t e = 0; e < memberships->start[o.nodes]; e++)
		second += memberships->share[e] * memberships->share[e] / (double) o.nodes;
	/* sum of E pi_a^2 = (alpha + 1) / (alpha0 + 1) */
	assert_close(second, 1.05 / 2, 0.006);
	for (size_t a = 0; a < o.k; a++)
	{
		assert_close(parts.sizes[a], 1000, 150);
		if (a != 0)
			assert_at_most(parts.sizes[a], parts.sizes[a - 1]);
	}
	for (size_t u = 0; u < o.nodes; u++)
	{
		sum += parts.side[0].propensity[u];
		assert_above(parts.side[0].propensity[u], 0.5);
		assert_below(parts.side[0].propensity[u], 145);
	}
	assert_close(sum / (double) o.nodes, 1, 1e-12);
	/* P(theta > 3 m) = 3^-2.5 where m, the smallest, is 0.6 */
	for (size_t u = 0; u < o.nodes; u++)
		heavy += parts.side[0].propensity[u] > 1.8;
	assert_close(heavy / (double) o.nodes, pow(3, -2.5), 0.006);
	degree = tlv_alloc0(&ctx, o.nodes, sizeof(double));
	assert_ok(tlv_mmsb_simulate_edges(&ctx, &parts, 8, sum_degrees, degree));
	for (size_t u = 0; u < o.nodes; u++)
	{
		error += pow(degree[u] - parts.side[0].degree[u], 2) / parts.side[0].degree[u];
		expected += parts.side[0].degree[u];
	}
	/* Poisson-like about the mean degrees that the model says */
	assert_close(error / (double) o.nodes, 1, 0.05);
	assert_above(expected, 20 * (double) o.nodes);
}

/* The same seed, the same bytes and the same edges; another one, others. */
static tlv_status
mix_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	uint64_t *hash = argument;

	*hash =
		tlv_mix64(*hash ^ tlv_mix64((uint64_t) src * 1000003 + (uint64_t) dst) ^ (uint64_t) weight);
	return TLV_OK;
}

TEST(test_seeds)
{
	tlv_mmsb_simulation o = base;
	tlv_frame frame = model_of(o), other;
	tlv_mmsb_parts parts;
	uint64_t hash[3] = {0, 0, 0};

	assert_true(tlv_digest_equal(&model_of(o).header->digest, &frame.header->digest));
	o.seed = 5;
	other = model_of(o);
	assert_false(tlv_digest_equal(&other.header->digest, &frame.header->digest));
	assert_ok(tlv_mmsb_read(&ctx, &frame, &parts));
	for (uint64_t i = 0; i < 3; i++)
		assert_ok(tlv_mmsb_simulate_edges(&ctx, &parts, 1 + i / 2, mix_edge, &hash[i]));
	assert_equal(hash[0], hash[1]);
	assert_unequal(hash[0], hash[2]);
	assert_unequal(hash[0], 0);
}

#define REFUSE(field, value)                                                                       \
	do                                                                                             \
	{                                                                                              \
		tlv_mmsb_simulation o = base;                                                              \
		void *image;                                                                               \
		size_t size;                                                                               \
		o.field = (value);                                                                         \
		assert_int_equal(tlv_mmsb_simulate_model(&ctx, &o, &image, &size), TLV_BAD_PARAMETER);     \
	} while (0)

TEST(test_refused)
{
	REFUSE(nodes, 0);
	REFUSE(nodes, SIZE_MAX);
	REFUSE(graph, TLV_GRAPH_BIPARTITE); /* without targets */
	REFUSE(k, 0);
	REFUSE(k, 70000);
	REFUSE(alpha0, -1);
	REFUSE(alpha0, NAN);
	REFUSE(within, -0.1);
	REFUSE(within, 1.1);
	REFUSE(between, NAN);
	REFUSE(between, HUGE_VAL);
	REFUSE(degree_exponent, 2);
	REFUSE(degree_exponent, HUGE_VAL);
}

static tlv_status
refuse_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	size_t *left = argument;

	return (*left)-- > 0 ? TLV_OK : tlv_fail(context, TLV_LIMIT, "enough");
}

static tlv_status
ignore_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	return TLV_OK;
}

TEST(test_faults)
{
	tlv_mmsb_simulation o = base;
	tlv_mmsb_parts parts;
	tlv_frame frame;
	size_t left = 10, used;

	o.nodes = 3000;
	o.degree_exponent = 2.5;
	frame = model_of(o);
	assert_ok(tlv_mmsb_read(&ctx, &frame, &parts));
	used = ctx.arena.used;
	assert_int_equal(tlv_mmsb_simulate_edges(&ctx, &parts, 1, refuse_edge, &left), TLV_LIMIT);
	assert_above(COUNT_REFUSALS(10000, tlv_mmsb_simulate_edges(&ctx, &parts, 1, ignore_edge, NULL)),
				 0);
	assert_cancelled_anywhere(10, 20, tlv_mmsb_simulate_edges(&ctx, &parts, 1, ignore_edge, NULL));
	assert_int_equal(ctx.arena.used, used); /* nothing is left behind */
}

RUN_TESTS(setup, teardown)
