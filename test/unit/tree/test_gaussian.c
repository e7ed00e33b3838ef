/*
 * test_gaussian.c - Gaussian trees: inference and likelihood against dense
 * conditioning, parameters from the covariance, vectors as variables, refusals.
 */
#include "tree_fixture.h"

/* The covariance of all nodes' elements (one each) of a tree of numbers. */
static void
dense_covariance(tlv_frame frame, double *c)
{
	tlv_tree_parts parts;
	size_t *offset;
	size_t nodes;

	tlv_tree_read(&frame, &parts);
	nodes = parts.nodes;
	offset = room(nodes + 1, sizeof(size_t));
	tlv_tree_table_offsets(&parts, offset);
	memset(c, 0, nodes * nodes * sizeof(double));
	for (size_t v = 0; v < nodes; v++)
		for (size_t u = 0; u < nodes; u++)
		{
			/* Common ancestors: both as sums of noises with path weights. */
			double weight_v = 1, sum = 0;

			for (int64_t a = (int64_t) v; a >= 0; a = parts.parent[a])
			{
				double weight_u = 1;

				for (int64_t b = (int64_t) u; b >= 0; b = parts.parent[b])
				{
					if (a == b)
						sum += weight_v * weight_u * parts.noise[a];
					weight_u *= parts.parent[b] >= 0 ? parts.tables[offset[b]] : 0;
				}
				weight_v *= parts.parent[a] >= 0 ? parts.tables[offset[a]] : 0;
			}
			c[v * nodes + u] = sum;
		}
}

/* Means, variances and likelihood by inverting the covariance of what is seen. */
TEST(test_dense)
{
	static const int32_t ends[] = {0, 5, 1, 5, 5, 6, 2, 6, 3, 6, 4, 3};
	tlv_tree tree = tree_of(5, 7, 6, ends);
	tlv_frame frame = simulated(&tree, true, 0, 0, 2);
	tlv_model *model = open_model(frame);
	double *x = drawn_numbers(frame, 30, 5), c[49];
	tlv_posterior means = {0}, variances = {0};

	dense_covariance(frame, c);
	for (size_t i = 0; i < 30; i++)
	{
		double *row = x + 5 * i, gram[25] = {0}, inverse[25] = {0}, value, exact = 0;
		size_t seen[5], n = 0, at = 0;

		for (size_t v = 0; v < 5; v++)
			if (tlv_rng_uniform(&rng) < 0.3)
				row[v] = NAN;
			else
				seen[n++] = v;
		for (size_t a = 0; a < n; a++)
			for (size_t b = 0; b < n; b++)
			{
				gram[a * n + b] = c[seen[a] * 7 + seen[b]];
				inverse[a * n + b] = a == b;
			}
		assert_ok(n > 0 ? tlv_solve_spd(&ctx, n, n, gram, inverse) : TLV_OK);
		for (size_t a = 0; a < n; a++)
		{
			exact -= log(gram[a * n + a]) + 0.5 * log(2 * M_PI);
			for (size_t b = 0; b < n; b++)
				exact -= 0.5 * row[seen[a]] * inverse[a * n + b] * row[seen[b]];
		}
		assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_VECTOR(5, row), &value));
		assert_close(value, exact, 1e-10);
		assert_ok(tlv_tree_infer_gaussian(&ctx, model, 5, row, &means, &variances));
		assert_int_equal(means.total, 7 - n);
		assert_int_equal(means.n, 7 - n);
		for (size_t e = 0; e < 7; e++)
		{
			size_t v = e < 2 ? 5 + e : e - 2;
			double mean = 0, variance = c[v * 7 + v];

			if (v < 5 && !isnan(row[v]))
				continue;
			for (size_t a = 0; a < n; a++)
				for (size_t b = 0; b < n; b++)
				{
					mean += c[v * 7 + seen[a]] * inverse[a * n + b] * row[seen[b]];
					variance -= c[v * 7 + seen[a]] * inverse[a * n + b] * c[v * 7 + seen[b]];
				}
			assert_close(means.values[at], mean, 1e-10);
			assert_close(variances.values[at++], variance, 1e-10);
		}
	}
}

/* Held-out likelihood beside the truth's; EM on the covariance raises that of its own rows. */
TEST(test_accuracy)
{
	enum
	{
		p = 20,
		n = 5000
	};
	for (uint64_t seed = 1; seed <= 3; seed += EVERY(3))
	{
		tlv_tree tree = random_tree_of(p, seed);
		tlv_frame truth = simulated(&tree, true, 0, 0, seed), moments, model;
		double *x = drawn_numbers(truth, 2 * n, p), *held = x + n * p, before, best;

		for (size_t e = 0; e < 2 * n * p; e++)
			x[e] = 5 + 100 * x[e];
		moments = dense_moments(p, n, x);
		before = -HUGE_VAL;
		for (int steps = 0; steps <= 20; steps += 5)
		{
			model = fitted_tree(moments, &tree, (tlv_tree_fit_options){.iterations = steps});
			assert_above(diagnostic(model, "log_likelihood_per_row"), before - 1e-9);
			before = diagnostic(model, "log_likelihood_per_row");
			assert_close(mean_of_numbers(model, p, n, x), before, 1e-8);
		}
		model = fitted_tree(moments, &tree, (tlv_tree_fit_options){.iterations = 50});
		for (size_t e = 0; e < n * p; e++)
			held[e] = (held[e] - 5) / 100;
		best = mean_of_numbers(truth, p, n, held) - p * log(100);
		for (size_t e = 0; e < n * p; e++)
			held[e] = 5 + 100 * held[e];
		assert_below(best - mean_of_numbers(model, p, n, held), 0.012);
	}
}

/* Variables of two columns around hidden nodes of two dimensions; partly missing ones too. */
TEST(test_vectors)
{
	static const int32_t ends[] = {0, 6, 1, 6, 2, 6, 3, 7, 4, 7, 5, 7, 6, 7};
	static const int64_t column[] = {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5};
	tlv_tree tree = tree_of(6, 8, 7, ends);
	double *x = room(4000 * 12, sizeof(double)), before = -HUGE_VAL, y[12];
	tlv_posterior means = {0}, variances = {0};
	tlv_tree_fit_options options = {.states = 2, .groups = 6, .column = column};
	tlv_frame moments, model;
	tlv_model *open;
	void *image;
	size_t size;

	for (size_t i = 0; i < 4000; i++)
	{
		double h[4], *row = x + 12 * i;

		tlv_rng_fill_normal(&rng, 4, h);
		h[2] = 0.8 * h[0] + 0.6 * h[2];
		h[3] = 0.5 * h[1] + 0.866 * h[3];
		tlv_rng_fill_normal(&rng, 12, row);
		for (size_t v = 0; v < 6; v++)
		{
			double *of = v < 3 ? h : h + 2;

			row[v] = 0.5 * row[v] + of[0] + (double) v * 0.2 * of[1];
			row[v + 6] = 0.5 * row[v + 6] - 0.3 * of[0] + of[1] + 10;
		}
	}
	moments = dense_moments(12, 4000, x);
	for (int steps = 0; steps <= 40; steps += 10)
	{
		options.iterations = steps;
		model = fitted_tree(moments, &tree, options);
		assert_above(diagnostic(model, "log_likelihood_per_row"), before - 1e-9);
		before = diagnostic(model, "log_likelihood_per_row");
		assert_close(mean_of_numbers(model, 12, 4000, x), before, 1e-8);
	}
	/* A missing element is told by the others: much less than its variance is left. */
	memcpy(y, x, sizeof(y));
	y[7] = NAN;
	open = open_model(model);
	assert_ok(tlv_tree_infer_gaussian(&ctx, open, 12, y, &means, &variances));
	assert_int_equal(means.total, 5);
	assert_below(variances.values[4], 0.45);
	assert_above(variances.values[4], 0.2);
	assert_close(means.values[4], x[7], 4 * sqrt(variances.values[4]));
	options.states = 3;
	assert_int_equal(tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size),
					 TLV_NOT_IDENTIFIABLE);
}

TEST(test_refusals)
{
	static const int32_t ends[] = {0, 3, 1, 3, 2, 3};
	tlv_tree tree = tree_of(3, 4, 3, ends);
	double x[] = {1, 2, 5, 2, 3, 5, 4, 1, 5, 0, 0, 5}, value;
	int64_t column[] = {0, 1, 3};
	tlv_tree_fit_options options = {.iterations = 5};
	tlv_frame moments = dense_moments(3, 4, x), model;
	tlv_model *open;
	void *image;
	size_t size;

	model = fitted_tree(moments, &tree, options);
	assert_true(model_warns(&model, "dependent_columns", NULL));
	open = open_model(model);
	assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(3, x), &value));
	assert_true(isfinite(value));
	x[2] = 7;
	moments = dense_moments(3, 4, x);
	model = fitted_tree(moments, &tree, options);
	options.groups = 3;
	options.column = column;
	assert_int_equal(tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	open = open_model(model);
	assert_int_equal(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(2, x), &value),
					 TLV_BAD_DATA);
	x[0] = INFINITY;
	assert_int_equal(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(3, x), &value),
					 TLV_BAD_DATA);
	assert_true(refused_with(model, "noise", 0, 0));
	assert_true(refused_with(model, "column", 0, 5e-324 * 7));
}

RUN_TESTS(setup, teardown)
