/*
 * test_block_model.c - mean-field steps of the block model against the same in
 * plain loops over all pairs.
 */
#include "model/mmsb/engine/block_model.h"
#include "graph_fixture.h"
#include "tensorlv/num/special.h"

#define K 3

typedef struct trial
{
	dense graph;
	tlv_csr *rows; /* and the transposed */
	tlv_block_model model;
	size_t n[2];
	int32_t *label[2]; /* the reference's */
	double *share[2];  /* K x n */
	double edges[K * K], expected[K * K], rate[K * K], log_rate[K * K];
} trial;

/* Planted blocks, and a start with some labels wrong. */
static trial
make_trial(size_t sides, bool weighted, bool corrected, bool diagonal, bool fixed)
{
	trial t = {.n = {40, sides == 1 ? 40 : 27}};

	t.graph = random_dense(t.n[0], t.n[1], sides == 1, weighted, K, 0.6, 0.12);
	t.rows = room(2, sizeof(tlv_csr));
	t.rows[0] = sparse_rows(&t.graph, weighted);
	assert_ok(tlv_csr_transpose(&ctx, &t.rows[0], &t.rows[1]));
	t.model = (tlv_block_model){.k = K, .sides = sides, .diagonal = diagonal};
	for (size_t i = 0; i < t.n[0] * t.n[1]; i++)
		t.model.total += t.graph.g[i];
	for (size_t s = 0; s < sides; s++)
	{
		tlv_block_side *side = &t.model.side[s];
		double *theta = numbers(t.n[s]);
		int32_t *known = room(t.n[s], sizeof(int32_t));

		tlv_csr_row_sums(&t.rows[s], theta);
		side->n = t.n[s];
		side->edges = &t.rows[s];
		side->label = room(t.n[s], sizeof(int32_t));
		t.label[s] = room(t.n[s], sizeof(int32_t));
		t.share[s] = numbers(K * t.n[s]);
		for (size_t u = 0; u < t.n[s]; u++)
		{
			int32_t truth = (int32_t) (u * K / t.n[s]);

			theta[u] = corrected ? theta[u] / t.model.total : 1 / (double) t.n[s];
			known[u] = u % 6 == 0 ? truth : -1;
			t.label[s][u] = tlv_rng_uniform(&rng) < 0.3 ? (int32_t) tlv_rng_below(&rng, K) : truth;
			if (fixed && known[u] >= 0)
				t.label[s][u] = known[u];
			side->label[u] = t.label[s][u];
			t.share[s][u * K + (size_t) t.label[s][u]] = 1;
		}
		side->propensity = theta;
		side->fixed = fixed ? known : NULL;
	}
	return t;
}

/* ---- the reference ---- */

static void
count_expected(trial *t)
{
	size_t o = t->model.sides - 1;

	memset(t->expected, 0, sizeof(t->expected));
	for (size_t u = 0; u < t->n[0]; u++)
		for (size_t v = 0; v < t->n[o]; v++)
			for (size_t i = 0; i < K * K; i++)
				t->expected[i] += t->model.total * t->model.side[0].propensity[u] *
								  t->model.side[o].propensity[v] * t->share[0][u * K + i % K] *
								  t->share[o][v * K + i / K];
}

static void
count_both(trial *t)
{
	size_t o = t->model.sides - 1;

	memset(t->edges, 0, sizeof(t->edges));
	for (size_t u = 0; u < t->n[0]; u++)
		for (size_t v = 0; v < t->n[o]; v++)
			for (size_t i = 0; i < K * K; i++)
				t->edges[i] += *entry(&t->graph, u, v) * t->share[0][u * K + i % K] *
							   t->share[o][v * K + i / K];
	count_expected(t);
}

/* A gamma prior of the mean and variance of the class, its posterior for every rate. */
static void
estimate_class(trial *t, bool diagonal)
{
	double e = 0, x = 0, squares = 0, x2 = 0, mean, variance;
	double part = t->model.sides == 1 && diagonal ? 0.5 : 1;

	for (size_t i = 0; i < K * K; i++)
	{
		if ((i % K == i / K) != diagonal)
			continue;
		e += t->edges[i];
		x += t->expected[i];
	}
	mean = (e + 1) / (x + 1);
	for (size_t i = 0; i < K * K; i++)
	{
		if ((i % K == i / K) != diagonal)
			continue;
		/* a count of mean m X, whose rate varies, has variance 2 m X (pairs count twice) + v X^2 */
		squares += pow(t->edges[i] - mean * t->expected[i], 2) - 2 * mean * t->expected[i];
		x2 += t->expected[i] * t->expected[i];
	}
	variance = fmax(squares / x2, 1e-3 * mean * mean);
	for (size_t i = 0; i < K * K; i++)
	{
		double shape = part * t->edges[i] + mean * mean / variance;
		double inverse = part * t->expected[i] + mean / variance;

		if ((i % K == i / K) != diagonal)
			continue;
		t->rate[i] = shape / inverse;
		t->log_rate[i] = tlv_digamma(shape) - log(inverse);
	}
}

static void
estimate(trial *t)
{
	double e = 0, x = 0;

	estimate_class(t, true);
	if (!t->model.diagonal)
	{
		estimate_class(t, false);
		return;
	}
	for (size_t i = 0; i < K * K; i++)
	{
		e += i % K == i / K ? 0 : t->edges[i];
		x += i % K == i / K ? 0 : t->expected[i];
	}
	for (size_t i = 0; i < K * K; i++)
		if (i % K != i / K)
		{
			t->rate[i] = (e + 1) / (x + 1);
			t->log_rate[i] = log(t->rate[i]);
		}
}

/* log pi_ua = sum_v g_uv sum_b pi_vb log r_ab - M theta_u theta_v pi_vb r_ab, all v */
static double
move_side(trial *t, size_t s)
{
	size_t o = t->model.sides == 1 ? 0 : 1 - s, n = t->n[s];
	double *now = numbers(K * n), moved = 0;

	for (size_t u = 0; u < n; u++)
	{
		double own[K] = {0}, sum = 0, largest;
		size_t best = 0;

		for (size_t v = 0; v < t->n[o]; v++)
			for (size_t i = 0; i < K * K; i++)
			{
				size_t a = s == 0 ? i % K : i / K, b = s == 0 ? i / K : i % K;
				double g = s == 0 ? *entry(&t->graph, u, v) : *entry(&t->graph, v, u);

				own[a] += t->share[o][v * K + b] *
						  (g * t->log_rate[i] - t->model.total * t->rate[i] *
													t->model.side[s].propensity[u] *
													t->model.side[o].propensity[v]);
			}
		for (size_t a = 0; a < K; a++)
			best = own[a] > own[best] ? a : best;
		largest = own[best];
		for (size_t a = 0; a < K; a++)
			sum += own[a] = exp(own[a] - largest);
		for (size_t a = 0; a < K; a++)
			now[u * K + a] = own[a] / sum;
		if (t->model.side[s].fixed != NULL && t->model.side[s].fixed[u] >= 0)
			memcpy(now + u * K, t->share[s] + u * K, K * sizeof(double));
		else
			t->label[s][u] = (int32_t) best;
		for (size_t a = 0; a < K; a++)
			moved += fabs(now[u * K + a] - t->share[s][u * K + a]) / 2;
	}
	memcpy(t->share[s], now, K * n * sizeof(double));
	tlv_free(&ctx, now);
	return moved;
}

static void
reference_step(trial *t)
{
	count_both(t);
	estimate(t);
	(void) move_side(t, 0);
	if (t->model.sides == 2)
		(void) move_side(t, 1);
}

static void
compare(const trial *t)
{
	for (size_t s = 0; s < t->model.sides; s++)
		for (size_t u = 0; u < t->n[s]; u++)
			assert_int_equal(t->model.side[s].label[u], t->label[s][u]);
}

TEST(test_steps)
{
	for (int which = 0; which < 32; which++)
		for (int steps = 1; steps <= 3; steps++)
		{
			trial t = make_trial(which & 1 ? 2 : 1, (which & 2) != 0, (which & 4) != 0,
								 (which & 8) != 0, (which & 16) != 0);
			int taken = 0;

			for (int i = 0; i < steps; i++)
				reference_step(&t);
			assert_ok(tlv_block_mean_field(&ctx, &t.model, steps, 0, &taken));
			assert_int_equal(taken, steps);
			compare(&t);
			pool_reset(&memory, &ctx);
		}
}

/* Known labels stay, whatever their neighbours say; the others are found. */
TEST(test_fixed)
{
	trial t = make_trial(1, false, false, true, true);
	int taken = 0;
	size_t wrong = 0;
	int32_t *known = (int32_t *) t.model.side[0].fixed;

	t.model.side[0].label[12] = known[12] = 2; /* in truth 0 */
	assert_ok(tlv_block_mean_field(&ctx, &t.model, 100, 1e-4, &taken));
	for (size_t u = 0; u < t.n[0]; u++)
	{
		if (known[u] >= 0)
			assert_int_equal(t.model.side[0].label[u], known[u]);
		wrong += t.model.side[0].label[u] != (int32_t) (u * K / t.n[0]);
	}
	assert_at_most(wrong, 6);
}

TEST(test_memory_and_cancel)
{
	trial t = make_trial(2, true, true, false, false);
	size_t before = ctx.arena.used;
	int steps;

	ctx.arena.peak = before;
	assert_ok(tlv_block_mean_field(&ctx, &t.model, 5, 0, &steps));
	assert_below((double) (ctx.arena.peak - before), tlv_block_memory(&t.model) + 4096);
	assert_int_equal(ctx.arena.used, before);
	assert_cancelled_anywhere(5, 3, tlv_block_mean_field(&ctx, &t.model, 5, 0, &steps));
}

RUN_TESTS(setup, teardown)
