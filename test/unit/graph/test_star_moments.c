/*
 * test_star_moments.c - moments of 2-stars and 3-stars against sums over all
 * distinct pairs and triples of columns, and the directions they are in.
 */
#include "tensorlv/model/star_moments.h"
#include "graph_fixture.h"
#include "tensorlv/num/tensor3.h"

#define ROWS	24
#define COLUMNS 18
#define WIDTH	3

typedef struct star_case
{
	dense graph;
	tlv_csr out, in;
	tlv_star_side side;
	bool weighted;
	tlv_star_moments stars;
	double *s[3]; /* weights of the rows */
} star_case;

static void
weigh_by_definition(star_case *c)
{
	size_t n = c->graph.rows, d = c->graph.columns;
	double *length = numbers(n), total = 0;

	for (int i = 0; i < 3; i++)
		c->s[i] = numbers(n);
	for (size_t u = 0; u < n; u++)
	{
		size_t entries = 0;

		for (size_t v = 0; v < d; v++)
		{
			entries += *entry(&c->graph, u, v) != 0;
			length[u] += *entry(&c->graph, u, v);
		}
		length[u] = entries < 3 ? 0 : length[u];
		total += length[u];
	}
	for (size_t u = 0; u < n; u++)
	{
		double l = length[u];

		if (!c->side.normalized)
			c->s[0][u] = c->s[1][u] = c->s[2][u] = 1 / (double) n;
		else if (l > 0)
		{
			c->s[0][u] = 1 / total;
			c->s[1][u] = 1 / ((l - 1) * total);
			c->s[2][u] = 1 / ((l - 1) * (l - 2) * total);
		}
	}
}

static void
compute(star_case *c, size_t width)
{
	tlv_star_options options = {.width = width, .max_steps = 300, .tolerance = 1e-9, .seed = 3};

	c->out = sparse_rows(&c->graph, c->weighted);
	assert_ok(tlv_csr_transpose(&ctx, &c->out, &c->in));
	c->side.out = &c->out;
	c->side.in = &c->in;
	assert_ok(tlv_star_moments_compute(&ctx, &c->side, &options, &c->stars));
	weigh_by_definition(c);
}

static star_case
random_case(bool symmetric, bool weighted, bool normalized)
{
	star_case c = {.weighted = weighted};

	c.graph = random_dense(ROWS, symmetric ? ROWS : COLUMNS, symmetric, weighted, WIDTH, 0.7, 0.1);
	c.side.symmetric = symmetric;
	c.side.normalized = normalized;
	compute(&c, WIDTH);
	return c;
}

/* Sums over distinct columns, n d^3 of them. */
static void
sum_by_definition(const star_case *c, double *mean, double *pairs, double *triples)
{
	size_t w = c->stars.moments.width, d = c->graph.columns;
	const float *b = c->stars.basis;

	for (size_t u = 0; u < c->graph.rows; u++)
		for (size_t j = 0; j < d; j++)
		{
			double g = *entry(&c->graph, u, j);

			for (size_t i = 0; i < w && g != 0; i++)
				mean[i] += c->s[0][u] * g * b[j * w + i];
			for (size_t l = 0; l < d && g != 0; l++)
			{
				double h = g * *entry(&c->graph, u, l);

				if (l == j || h == 0)
					continue;
				for (size_t i = 0; i < w; i++)
					for (size_t k = 0; k < w; k++)
						pairs[i + w * k] += c->s[1][u] * h * b[j * w + i] * b[l * w + k];
				for (size_t m = 0; m < d; m++)
				{
					double f = c->s[2][u] * h * *entry(&c->graph, u, m);

					if (m == j || m == l || f == 0)
						continue;
					for (size_t x = 0; x < w; x++)
						for (size_t y = 0; y <= x; y++)
							for (size_t z = 0; z <= y; z++)
								triples[tlv_packed3_index(x, y, z)] +=
									f * b[j * w + x] * b[l * w + y] * b[m * w + z];
				}
			}
		}
}

static double
largest(size_t n, const double *x)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = fmax(most, fabs(x[i]));
	return most;
}

static void
check_moments(const star_case *c)
{
	size_t w = c->stars.moments.width, cubes = tlv_packed3_size(w);
	double *mean = numbers(w), *pairs = numbers(w * w), *triples = numbers(cubes);

	sum_by_definition(c, mean, pairs, triples);
	assert_all_close(w, c->stars.moments.mean, mean, 1e-5 * largest(w, mean));
	assert_all_close(w * w, c->stars.moments.pairs, pairs, 1e-5 * largest(w * w, pairs));
	assert_all_close(cubes, c->stars.moments.triples, triples, 3e-5 * largest(cubes, triples));
	/* scores */
	for (size_t u = 0; u < c->graph.rows; u++)
		for (size_t i = 0; i < w; i++)
		{
			double sum = 0;

			for (size_t j = 0; j < c->graph.columns; j++)
				sum += *entry(&c->graph, u, j) * c->stars.basis[j * w + i];
			assert_close(c->stars.scores[u * w + i], sum, 1e-5 * (1 + fabs(sum)));
		}
}

/* S_j = 1 / sqrt(m_j + mean(m) / 4) */
static void
check_scale(const star_case *c)
{
	size_t d = c->graph.columns;
	double *mean = numbers(d), average = 0;

	for (size_t j = 0; j < d; j++)
	{
		for (size_t u = 0; u < c->graph.rows; u++)
			mean[j] += c->s[0][u] * *entry(&c->graph, u, j);
		average += mean[j] / (double) d;
	}
	for (size_t j = 0; j < d; j++)
	{
		double s = 1 / sqrt(mean[j] + average / 4);

		assert_close(c->stars.scale[j], s, 1e-6 * s);
	}
}

/* S pairs S, or S G S; d x d */
static double *
scaled_operator(const star_case *c, bool of_pairs)
{
	size_t d = c->graph.columns;
	double *m = numbers(d * d);

	for (size_t j = 0; j < d; j++)
		for (size_t l = 0; l < d; l++)
		{
			double sum = of_pairs ? 0 : *entry(&c->graph, j, l);

			for (size_t u = 0; u < c->graph.rows && of_pairs && j != l; u++)
				sum += c->s[1][u] * *entry(&c->graph, u, j) * *entry(&c->graph, u, l);
			m[j + d * l] = c->stars.scale[j] * c->stars.scale[l] * sum;
		}
	return m;
}

/* U = S^-1 W is orthonormal; how much of trace(U' M^p U) the best w directions have it keeps. */
static double
kept_part(const star_case *c, const double *m, bool squared)
{
	size_t w = c->stars.moments.width, d = c->graph.columns;
	double *copy = numbers(d * d), *value = numbers(d), kept = 0, best = 0, *v = numbers(d);

	for (size_t i = 0; i < w; i++)
		for (size_t k = 0; k < w; k++)
		{
			double sum = 0;

			for (size_t j = 0; j < d; j++)
				sum += (double) c->stars.basis[j * w + i] * c->stars.basis[j * w + k] /
					   ((double) c->stars.scale[j] * c->stars.scale[j]);
			assert_close(sum, i == k, 1e-4);
		}
	for (size_t i = 0; i < w; i++)
	{
		for (size_t j = 0; j < d; j++)
		{
			v[j] = 0;
			for (size_t l = 0; l < d; l++)
				v[j] += m[j + d * l] * c->stars.basis[l * w + i] / c->stars.scale[l];
		}
		for (size_t j = 0; j < d; j++)
			kept += v[j] * (squared ? v[j] : c->stars.basis[j * w + i] / c->stars.scale[j]);
	}
	memcpy(copy, m, d * d * sizeof(double));
	assert_ok(tlv_eigen_symmetric(&ctx, d, copy, value));
	if (squared)
		for (size_t i = 0; i < d; i++)
			for (size_t k = i; k > 0 && value[k] * value[k] > value[k - 1] * value[k - 1]; k--)
			{
				double swap = value[k];

				value[k] = value[k - 1];
				value[k - 1] = swap;
			}
	for (size_t i = 0; i < w; i++)
		best += squared ? value[i] * value[i] : value[i];
	return kept / best;
}

static void
check_sums(const star_case *c)
{
	size_t w = c->stars.moments.width;

	for (size_t i = 0; i < w; i++)
	{
		double sum = 0;

		for (size_t j = 0; j < c->graph.columns; j++)
			sum += c->stars.basis[j * w + i] / ((double) c->stars.scale[j] * c->stars.scale[j]);
		assert_close(c->stars.sums[i], sum, 1e-3 * (1 + fabs(sum)));
	}
}

TEST(test_moments)
{
	for (int symmetric = 0; symmetric < 2; symmetric++)
		for (int weighted = 0; weighted < 2; weighted++)
			for (int normalized = 0; normalized < 2; normalized++)
			{
				star_case c = random_case(symmetric == 1, weighted == 1, normalized == 1);

				check_scale(&c);
				check_moments(&c);
				check_sums(&c);
			}
}

/* The basis: of pairs, or of a symmetric graph with plain weights the largest of S G S. */
TEST(test_subspace)
{
	for (int weighted = 0; weighted < 2; weighted++)
	{
		star_case c = random_case(false, weighted == 1, false);

		assert_close(kept_part(&c, scaled_operator(&c, true), false), 1, 1e-4);
		c = random_case(false, weighted == 1, true);
		assert_close(kept_part(&c, scaled_operator(&c, true), false), 1, 1e-4);
		c = random_case(true, weighted == 1, false);
		assert_close(kept_part(&c, scaled_operator(&c, false), false), 1, 1e-4);
		c = random_case(true, weighted == 1, true);
		/* of S G S squared, which pairs without repetitions are about */
		assert_above(kept_part(&c, scaled_operator(&c, false), true), 0.9);
	}
}

/* Two groups that only meet each other: one large value, and its negative. */
TEST(test_disassortative)
{
	star_case c = {.weighted = false};

	c.graph = random_dense(60, 60, true, false, 2, 0.03, 0.6);
	c.side.symmetric = true;
	compute(&c, 2);
	assert_true(c.stars.disassortative);
	assert_close(kept_part(&c, scaled_operator(&c, false), true), 1, 1e-4);
	check_moments(&c);
	c.graph = random_dense(60, 60, true, false, 2, 0.6, 0.03);
	compute(&c, 2);
	assert_false(c.stars.disassortative);
}

/* Rows too short for a 3-star count only where rows are not normalised. */
TEST(test_short_rows)
{
	star_case c = {.weighted = false};

	c.graph = random_dense(ROWS, ROWS, true, false, WIDTH, 0.6, 0.05);
	for (size_t v = 2; v < ROWS; v++)
		*entry(&c.graph, 0, v) = *entry(&c.graph, v, 0) = 0;
	c.side.symmetric = true;
	for (int normalized = 0; normalized < 2; normalized++)
	{
		c.side.normalized = normalized == 1;
		compute(&c, WIDTH);
		check_moments(&c);
		assert_below(c.stars.stars, ROWS);
	}
}

/* Means alone: every row counts for them, none for pairs and triples. */
static void
check_no_products(const tlv_star_moments *stars)
{
	double mean = 0;

	for (size_t i = 0; i < stars->moments.width; i++)
		mean += fabs(stars->moments.mean[i]);
	assert_at_least(mean, 1e-3);
	for (size_t i = 0; i < stars->moments.width * stars->moments.width; i++)
		assert_close(stars->moments.pairs[i], 0, 1e-9);
	for (size_t i = 0; i < tlv_packed3_size(stars->moments.width); i++)
		assert_close(stars->moments.triples[i], 0, 1e-9);
}

TEST(test_no_stars)
{
	star_case c = {.weighted = false};
	tlv_star_options options = {.width = 2, .max_steps = 50, .tolerance = 1e-5, .seed = 3};

	c.graph = dense_graph(10, 10);
	for (size_t u = 0; u < 10; u++)
		*entry(&c.graph, u, (u + 1) % 10) = *entry(&c.graph, (u + 1) % 10, u) = 1;
	c.side.symmetric = c.side.normalized = true;
	c.out = sparse_rows(&c.graph, false);
	c.side.out = c.side.in = &c.out;
	assert_ok(tlv_star_moments_compute(&ctx, &c.side, &options, &c.stars));
	check_no_products(&c.stars);
	/* edges enough, but of little weight */
	c.graph = random_dense(10, 10, true, false, 1, 0.9, 0);
	for (size_t i = 0; i < 100; i++)
		c.graph.g[i] *= 0.01;
	c.out = sparse_rows(&c.graph, true);
	assert_ok(tlv_star_moments_compute(&ctx, &c.side, &options, &c.stars));
	check_no_products(&c.stars);
}

/* What is needed at most, and what is left, of a graph of some size. */
TEST(test_memory)
{
	for (int symmetric = 0; symmetric < 2; symmetric++)
		for (int normalized = 0; normalized < 2; normalized++)
			for (size_t width = 4; width <= 40; width += 36)
			{
				star_case c = {.weighted = true};
				tlv_star_options options = {
					.width = width, .max_steps = 20, .tolerance = 1e-3, .seed = 3};
				size_t before;

				c.graph = random_dense(900, symmetric == 1 ? 900 : 700, symmetric == 1, true, width,
									   0.5, 0.05);
				c.side.symmetric = symmetric == 1;
				c.side.normalized = normalized == 1;
				c.out = sparse_rows(&c.graph, true);
				assert_ok(tlv_csr_transpose(&ctx, &c.out, &c.in));
				c.side.out = &c.out;
				c.side.in = &c.in;
				before = ctx.arena.used;
				ctx.arena.peak = before;
				assert_ok(tlv_star_moments_compute(&ctx, &c.side, &options, &c.stars));
				assert_below((double) (ctx.arena.peak - before), tlv_star_memory(&c.side, width));
				tlv_star_moments_free(&ctx, &c.stars);
				assert_int_equal(ctx.arena.used, before);
				pool_reset(&memory, &ctx);
			}
}

TEST(test_cancel)
{
	star_case c = {.weighted = true};
	tlv_star_options options = {.width = 3, .max_steps = 50, .tolerance = 1e-5, .seed = 3};

	c.graph = random_dense(80, 80, true, true, 3, 0.5, 0.1);
	c.side.symmetric = c.side.normalized = true;
	c.out = sparse_rows(&c.graph, true);
	c.side.out = c.side.in = &c.out;
	assert_cancelled_anywhere(3, SIZE_MAX,
							  tlv_star_moments_compute(&ctx, &c.side, &options, &c.stars));
}

RUN_TESTS(setup, teardown)
