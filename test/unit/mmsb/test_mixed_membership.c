/*
 * test_mixed_membership.c - variational steps and the check after them against
 * the same in plain loops over all pairs.
 */
#include "model/mmsb/mixed/mixed_membership.h"
#include "graph_fixture.h"
#include "tensorlv/num/special.h"

#define K	 3
#define ROWS 30

/* A graph, memberships to start from, and the same in double precision. */
typedef struct trial
{
	dense graph;
	tlv_csr *rows; /* and the transposed */
	tlv_mixed_model model;
	size_t n[2];
	double *share[2]; /* K x n: the reference's */
	double *theta[2];
	double *gamma[2];
	double p[K * K];
	double assigned[K * K];
	double sums[K];
} trial;

static double
cell(const trial *t, size_t s, size_t u, size_t v)
{
	return s == 0 ? *entry(&t->graph, u, v) : *entry(&t->graph, v, u);
}

static double
rate_entry(const trial *t, size_t s, size_t a, size_t b)
{
	return s == 0 ? t->p[a + K * b] : t->p[b + K * a];
}

static trial
make_trial(size_t sides, bool weighted, bool corrected, bool fixed)
{
	trial t = {.n = {ROWS, sides == 1 ? ROWS : 22}};
	double alpha[K] = {1, 1, 1}, start[K];

	t.graph = random_dense(t.n[0], t.n[1], sides == 1, weighted, K, 0.6, 0.15);
	t.rows = room(2, sizeof(tlv_csr));
	t.rows[0] = sparse_rows(&t.graph, weighted);
	assert_ok(tlv_csr_transpose(&ctx, &t.rows[0], &t.rows[1]));
	t.model.k = K;
	t.model.sides = sides;
	t.model.alpha = 0.2;
	t.model.connectivity = numbers(K * K);
	for (size_t b = 0; b < K; b++)
		for (size_t a = 0; a < K; a++)
			t.p[a + K * b] =
				sides == 1 && a > b ? t.p[b + K * a] : 0.1 + (a == b) + tlv_rng_uniform(&rng);
	for (size_t b = 0; b < K && sides == 1; b++)
		for (size_t a = 0; a < b; a++)
			t.p[b + K * a] = t.p[a + K * b];
	memcpy(t.model.connectivity, t.p, sizeof(t.p));
	for (size_t s = 0; s < sides; s++)
	{
		tlv_mixed_side *side = &t.model.side[s];
		double *degree = numbers(t.n[s]);
		int32_t *known = room(t.n[s], sizeof(int32_t));

		side->n = t.n[s];
		side->edges = &t.rows[s];
		side->share = room(K * t.n[s], sizeof(float));
		side->propensity = corrected ? numbers(t.n[s]) : NULL;
		t.share[s] = numbers(K * t.n[s]);
		t.theta[s] = numbers(t.n[s]);
		t.gamma[s] = numbers(K * t.n[s]);
		tlv_csr_row_sums(side->edges, degree);
		side->degree = degree;
		side->fixed = fixed ? known : NULL;
		for (size_t u = 0; u < t.n[s]; u++)
		{
			tlv_rng_dirichlet(&rng, K, alpha, start);
			known[u] = u % 5 == 0 ? (int32_t) (u % K) : -1;
			for (size_t a = 0; a < K; a++)
			{
				t.share[s][u * K + a] =
					fixed && known[u] >= 0 ? (known[u] == (int32_t) a) : start[a];
				side->share[u * K + a] = (float) t.share[s][u * K + a];
			}
			t.theta[s][u] = 1;
			if (corrected)
				side->propensity[u] = t.theta[s][u] = 0.5 + tlv_rng_uniform(&rng);
		}
	}
	return t;
}

/* ---- the reference ---- */

static size_t
other(const trial *t, size_t s)
{
	return t->model.sides == 1 ? 0 : 1 - s;
}

/* F_v of the nodes that side s sees, and their sums. */
static double *
rates_seen(trial *t, size_t s)
{
	size_t o = other(t, s);
	double *f = numbers(K * t->n[o]);

	memset(t->sums, 0, sizeof(t->sums));
	for (size_t v = 0; v < t->n[o]; v++)
		for (size_t a = 0; a < K; a++)
		{
			for (size_t b = 0; b < K; b++)
				f[v * K + a] += t->theta[o][v] * rate_entry(t, s, a, b) * t->share[o][v * K + b];
			t->sums[a] += f[v * K + a];
		}
	return f;
}

static bool
is_fixed(const trial *t, size_t s, size_t u)
{
	return t->model.side[s].fixed != NULL && t->model.side[s].fixed[u] >= 0;
}

/* pi = gamma / sums, normalised */
static void
settle(trial *t, size_t s, size_t u)
{
	double total = 0;

	if (is_fixed(t, s, u))
		return;
	for (size_t a = 0; a < K; a++)
		total += t->gamma[s][u * K + a] / t->sums[a];
	for (size_t a = 0; a < K; a++)
		t->share[s][u * K + a] = t->gamma[s][u * K + a] / t->sums[a] / total;
}

static void
reference_start(trial *t)
{
	for (size_t s = 0; s < t->model.sides; s++)
	{
		(void) rates_seen(t, s);
		for (size_t u = 0; u < t->n[s]; u++)
		{
			double total = 0;

			for (size_t a = 0; a < K; a++)
				total += t->share[s][u * K + a] * t->sums[a];
			for (size_t a = 0; a < K; a++)
				t->gamma[s][u * K + a] = t->model.alpha + t->model.side[s].degree[u] *
															  t->share[s][u * K + a] * t->sums[a] /
															  total;
			settle(t, s, u);
		}
	}
}

static void
reference_side(trial *t, size_t s)
{
	size_t o = other(t, s);
	double *f = rates_seen(t, s), *before = numbers(K * t->n[o]);

	memcpy(before, t->share[o], K * t->n[o] * sizeof(double));
	if (s == 0)
		memset(t->assigned, 0, sizeof(t->assigned));
	for (size_t u = 0; u < t->n[s]; u++)
	{
		double *gamma = t->gamma[s] + u * K, w[K], sum[K] = {0}, total = 0;

		for (size_t a = 0; a < K; a++)
			total += gamma[a];
		for (size_t a = 0; a < K; a++)
			w[a] = is_fixed(t, s, u) ? t->model.side[s].fixed[u] == (int32_t) a
									 : exp(tlv_digamma(gamma[a]) - tlv_digamma(total)) / t->sums[a];
		for (size_t v = 0; v < t->n[o]; v++)
		{
			double g = cell(t, s, u, v), dot = 0;

			for (size_t a = 0; a < K; a++)
				dot += w[a] * f[v * K + a];
			for (size_t a = 0; a < K && g != 0; a++)
			{
				sum[a] += g * w[a] * f[v * K + a] / dot;
				for (size_t b = 0; b < K && s == 0; b++)
					t->assigned[a + K * b] += g * w[a] * t->theta[o][v] * before[v * K + b] / dot;
			}
		}
		for (size_t a = 0; a < K && !is_fixed(t, s, u); a++)
			gamma[a] = t->model.alpha + sum[a];
		settle(t, s, u);
	}
}

static void
reference_propensities(trial *t, size_t s)
{
	double total = 0;

	if (t->model.side[s].propensity == NULL)
		return;
	for (size_t u = 0; u < t->n[s]; u++)
	{
		double expected = 0;

		for (size_t a = 0; a < K; a++)
			expected += t->share[s][u * K + a] * t->sums[a];
		total += t->theta[s][u] = t->model.side[s].degree[u] / expected;
	}
	for (size_t u = 0; u < t->n[s]; u++)
		t->theta[s][u] *= (double) t->n[s] / total;
}

static void
weigh_shares(const trial *t, size_t s, double *sums)
{
	memset(sums, 0, K * sizeof(double));
	for (size_t u = 0; u < t->n[s]; u++)
		for (size_t a = 0; a < K; a++)
			sums[a] += t->theta[s][u] * t->share[s][u * K + a];
}

static void
reference_connectivity(trial *t)
{
	double rows[K], columns[K], largest = 0;

	weigh_shares(t, 0, rows);
	weigh_shares(t, t->model.sides - 1, columns);
	for (size_t b = 0; b < K; b++)
		for (size_t a = 0; a < K; a++)
			t->p[a + K * b] *= t->assigned[a + K * b] / (rows[a] * columns[b]);
	for (size_t b = 0; b < K && t->model.sides == 1; b++)
		for (size_t a = 0; a < b; a++)
			t->p[a + K * b] = t->p[b + K * a] = (t->p[a + K * b] + t->p[b + K * a]) / 2;
	for (size_t i = 0; i < K * K; i++)
		largest = fmax(largest, t->p[i]);
	for (size_t i = 0; i < K * K; i++)
		t->p[i] = fmax(t->p[i], 1e-3 * largest);
}

static void
compare(const trial *t)
{
	for (size_t s = 0; s < t->model.sides; s++)
		for (size_t u = 0; u < t->n[s]; u++)
		{
			double sum = 0;

			for (size_t a = 0; a < K; a++)
			{
				assert_close(t->model.side[s].share[u * K + a], t->share[s][u * K + a], 2e-4);
				sum += t->model.side[s].share[u * K + a];
			}
			assert_close(sum, 1, 1e-5);
			if (t->model.side[s].propensity != NULL)
				assert_close(t->model.side[s].propensity[u], t->theta[s][u],
							 1e-3 * (1 + t->theta[s][u]));
		}
	for (size_t i = 0; i < K * K; i++)
		assert_close(t->model.connectivity[i], t->p[i], 2e-3 * (0.1 + t->p[i]));
}

TEST(test_steps)
{
	for (int which = 0; which < 32; which++)
	{
		bool update = (which & 16) != 0;

		for (int steps = 1; steps <= 3; steps++)
		{
			trial t =
				make_trial(which & 1 ? 2 : 1, (which & 2) != 0, (which & 4) != 0, (which & 8) != 0);
			int taken = 0;

			reference_start(&t);
			for (int i = 0; i < steps; i++)
			{
				for (size_t s = 0; s < t.model.sides; s++)
				{
					reference_side(&t, s);
					reference_propensities(&t, s);
				}
				if (update)
					reference_connectivity(&t);
			}
			assert_ok(tlv_mixed_variational(&ctx, &t.model, update, steps, 0, &taken));
			assert_int_equal(taken, steps);
			compare(&t);
			pool_reset(&memory, &ctx);
		}
	}
}

/* One rate for all pairs has no inverse: P is updated in the direct way. */
TEST(test_same_rates)
{
	trial t = make_trial(1, false, true, false);
	int taken = 0;

	for (size_t i = 0; i < K * K; i++)
		t.model.connectivity[i] = t.p[i] = 0.4;
	reference_start(&t);
	reference_side(&t, 0);
	reference_propensities(&t, 0);
	reference_connectivity(&t);
	assert_ok(tlv_mixed_variational(&ctx, &t.model, true, 1, 0, &taken));
	compare(&t);
}

/* Ends when nothing moves, and stays there. */
TEST(test_convergence)
{
	trial t = make_trial(1, false, false, true);
	int taken = 0, again = 0;

	assert_ok(tlv_mixed_variational(&ctx, &t.model, false, 2000, 1e-6, &taken));
	assert_below(taken, 2000);
	for (size_t u = 0; u < t.n[0]; u++)
		if (is_fixed(&t, 0, u))
			for (size_t a = 0; a < K; a++)
				assert_equal(t.model.side[0].share[u * K + a],
							 (float) (t.model.side[0].fixed[u] == (int32_t) a));
	assert_ok(tlv_mixed_variational(&ctx, &t.model, false, 50, 0.05, &again));
	assert_at_most(again, 2);
}

TEST(test_check)
{
	for (int which = 0; which < 8; which++)
	{
		trial t = make_trial(which & 1 ? 2 : 1, (which & 2) != 0, (which & 4) != 0, false);
		size_t o = other(&t, 0);
		double *f = rates_seen(&t, 0), rows[K], columns[K], one[K * K] = {0}, two[K * K];
		double assigned = 0, expected = 0, distance = 0, off = 0, same[2] = {0, 0}, d, r;

		weigh_shares(&t, 0, rows);
		weigh_shares(&t, o, columns);
		for (size_t u = 0; u < t.n[0]; u++)
			for (size_t v = 0; v < t.n[o]; v++)
			{
				double dot = 0;

				for (size_t a = 0; a < K; a++)
					dot += t.share[0][u * K + a] * f[v * K + a];
				for (size_t i = 0; i < K * K; i++)
					one[i] += cell(&t, 0, u, v) * t.share[0][u * K + i % K] * t.p[i] *
							  t.theta[o][v] * t.share[o][v * K + i / K] / dot;
			}
		for (size_t i = 0; i < K * K; i++)
		{
			two[i] = t.p[i] * rows[i % K] * columns[i / K];
			assigned += one[i];
			expected += two[i];
		}
		for (size_t i = 0; i < K * K; i++)
		{
			distance += fabs(one[i] / assigned - two[i] / expected);
			same[0] += i % K == i / K ? one[i] / assigned : 0;
			same[1] += i % K == i / K ? two[i] / expected : 0;
		}
		off = (1 - same[0]) / (1 - same[1]);
		assert_ok(tlv_mixed_check(&ctx, &t.model, &d, &r));
		assert_close(d, distance, 1e-4);
		assert_close(r, off, 1e-4);
	}
}

/* The expected graph of the model itself: nothing to find fault with. */
TEST(test_check_fits)
{
	trial t = make_trial(2, true, true, false);
	double distance, off;

	for (size_t u = 0; u < t.n[0]; u++)
		for (size_t v = 0; v < t.n[1]; v++)
		{
			double *g = entry(&t.graph, u, v);

			*g = 0;
			for (size_t i = 0; i < K * K; i++)
				*g += t.theta[0][u] * t.share[0][u * K + i % K] * t.p[i] * t.theta[1][v] *
					  t.share[1][v * K + i / K];
		}
	t.rows[0] = sparse_rows(&t.graph, true);
	assert_ok(tlv_mixed_check(&ctx, &t.model, &distance, &off));
	assert_close(distance, 0, 1e-5);
	assert_close(off, 1, 1e-5);
}

TEST(test_memory_and_cancel)
{
	for (int update = 0; update < 2; update++)
	{
		trial t = make_trial(2, true, true, false);
		size_t before = ctx.arena.used;
		int steps;

		ctx.arena.peak = before;
		assert_ok(tlv_mixed_variational(&ctx, &t.model, update == 1, 3, 0, &steps));
		/* a few rows and small matrices beside what is stated */
		assert_below((double) (ctx.arena.peak - before),
					 tlv_mixed_memory(&t.model, update == 1) + 4096);
		assert_int_equal(ctx.arena.used, before);
		assert_cancelled_anywhere(1, SIZE_MAX,
								  tlv_mixed_variational(&ctx, &t.model, update == 1, 3, 0, &steps));
	}
}

/* ---- threads ---- */

/* A graph of enough nodes for several lanes; the shares after some steps, and P. */
static float *
steps_on(int threads, size_t n, double *p)
{
	tlv_mixed_model model = {.k = K, .sides = 1, .alpha = 0.2, .connectivity = p};
	tlv_csr edges = {.rows = n, .columns = n, .entries = 8 * n};
	double *degree = numbers(n), distance, off;
	float *share = room(K * n, sizeof(float));
	int steps;

	edges.start = room(n + 1, sizeof(size_t));
	edges.index = room(8 * n, sizeof(int32_t));
	for (size_t u = 0; u < n; u++)
	{
		edges.start[u + 1] = 8 * (u + 1);
		degree[u] = 8;
		/* a circulant graph: columns ascending but where they go around */
		for (size_t e = 0; e < 8; e++)
			edges.index[8 * u + e] = (int32_t) ((u + n + (e < 4 ? e - 4 : e - 3) * (e + 1)) % n);
		for (size_t a = 0; a < K; a++)
			share[u * K + a] = (u / 1000 % K == a ? 0.8F : 0.1F);
	}
	for (size_t b = 0; b < K; b++)
		for (size_t a = 0; a < K; a++)
			p[a + K * b] = a == b ? 1.0 + (double) a / 8 : 0.1;
	model.side[0] = (tlv_mixed_side){.n = n, .edges = &edges, .degree = degree, .share = share};
	ctx.threads = threads;
	assert_ok(tlv_mixed_variational(&ctx, &model, true, 3, 0, &steps));
	assert_ok(tlv_mixed_check(&ctx, &model, &distance, &off));
	ctx.threads = 1;
	p[K * K] = distance;
	p[K * K + 1] = off;
	return share;
}

TEST(test_threads)
{
	size_t n = 12000;
	double one[K * K + 2], more[K * K + 2];
	float *share;

	share = steps_on(1, n, one);
	for (int threads = 2; threads <= 3; threads++)
	{
		assert_memory_equal(steps_on(threads, n, more), share, K * n * sizeof(float));
		assert_memory_equal(more, one, sizeof(one));
	}
}

RUN_TESTS(setup, teardown)
