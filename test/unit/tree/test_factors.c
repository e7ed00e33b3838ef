/*
 * test_factors.c - factor analysis beside trees of numbers: the number of factors and what they
 * explain, the tree that they are, and the warning where they are the better model.
 */
#include "tensorlv/model/tree_learn.h"
#include "tree_fixture.h"

enum
{
	D = 12
};

/* n rows of q factors above D variables; loadings (D x q) and noise .4 beside them. */
static double *
factor_rows(size_t q, size_t n, double *loadings)
{
	double *x = room(n * D, sizeof(double)), *h = room(q + 1, sizeof(double)), noise[D];

	tlv_rng_fill_normal(&rng, D * q, loadings);
	for (size_t i = 0; i < n; i++)
	{
		tlv_rng_fill_normal(&rng, q, h);
		tlv_rng_fill_normal(&rng, D, noise);
		for (size_t v = 0; v < D; v++)
		{
			x[i * D + v] = 10 + 0.6 * noise[v];
			for (size_t a = 0; a < q; a++)
				x[i * D + v] += loadings[a * D + v] * h[a];
		}
	}
	return x;
}

static tlv_tree_learn_options
usual_options(tlv_tree_method method)
{
	return (tlv_tree_learn_options){
		.structure = {.method = method, .z = 2, .significance = 0.01},
		.fit = {.iterations = TLV_TREE_GAUSSIAN_STEPS, .seed = 1},
	};
}

static tlv_frame
learnt(tlv_frame moments, tlv_tree_method method)
{
	tlv_tree_learn_options options = usual_options(method);

	return MADE(tlv_tree_learn, &moments, &options);
}

/* Log-likelihood of a row under the covariance L L' + .36 I, about the mean 10. */
static double
mean_of_truth(size_t q, const double *loadings, size_t n, const double *x)
{
	double c[D * D], *y = room(n * D, sizeof(double)), sum = 0;

	for (size_t v = 0; v < D; v++)
		for (size_t u = 0; u < D; u++)
		{
			c[u * D + v] = u == v ? 0.36 : 0;
			for (size_t a = 0; a < q; a++)
				c[u * D + v] += loadings[a * D + v] * loadings[a * D + u];
		}
	for (size_t e = 0; e < n * D; e++)
		y[e] = x[e] - 10;
	assert_ok(tlv_solve_spd(&ctx, D, n, c, y));
	for (size_t e = 0; e < n * D; e++)
		sum += (x[e] - 10) * y[e] / (double) n;
	for (size_t v = 0; v < D; v++)
		sum += 2 * log(c[v * D + v]) + log(2 * M_PI);
	return -sum / 2;
}

/* Where the factors leave hardly anything they are found as well: the likelihood of the truth. */
TEST(test_little_left)
{
	const size_t q = 3;
	double loadings[D * 3], r[D * D], factor[D * D], left = 0.0005, truth = D * (log(2 * M_PI) + 1);
	tlv_factors factors;

	tlv_rng_fill_normal(&rng, D * q, loadings);
	for (size_t v = 0; v < D; v++)
	{
		double square = 0;

		for (size_t a = 0; a < q; a++)
			square += loadings[a * D + v] * loadings[a * D + v];
		for (size_t a = 0; a < q; a++)
			loadings[a * D + v] *= sqrt((1 - left * (double) (v + 1)) / square);
	}
	for (size_t v = 0; v < D; v++)
		for (size_t u = 0; u < D; u++)
		{
			r[u * D + v] = 0;
			for (size_t a = 0; a < q; a++)
				r[u * D + v] += loadings[a * D + v] * loadings[a * D + u];
			r[u * D + v] += u == v ? left * (double) (v + 1) : 0;
		}
	memcpy(factor, r, sizeof(r));
	assert_ok(tlv_cholesky(&ctx, D, factor));
	for (size_t v = 0; v < D; v++)
		truth += 2 * log(factor[v * (D + 1)]);
	assert_ok(tlv_factors_fit(&ctx, D, r, 1000, q, 1000, &factors));
	assert_close(factors.log_likelihood, -truth / 2, 1e-3);
	tlv_free(&ctx, factors.loadings);
}

/* Correlations of five lengths of 200 crabs (Campbell, Mahon 1974): from the principal axes the
 * likelihood ends in a Heywood case, .45 below the optimum. */
TEST(test_heywood)
{
	static const double r[25] = {1,		 .90699, .97884, .96496, .98763, .90699, 1,
								 .89274, .9004,	 .88921, .97884, .89274, 1,		 .99502,
								 .9832,	 .96496, .9004,	 .99502, 1,		 .96781, .98763,
								 .88921, .9832,	 .96781, 1};
	tlv_factors factors;

	assert_ok(tlv_factors_fit(&ctx, 5, r, 200, 2, 2000, &factors));
	assert_close(factors.log_likelihood, -.1456, 1e-2);
	tlv_free(&ctx, factors.loadings);
}

/* As many factors as there are, whose model is the truth's on rows that it has not seen; the tree
 * beside it is worse and says so. */
TEST(test_factors_found)
{
	for (size_t q = 2; q <= 5; q++)
	{
		double *loadings = room(D * q, sizeof(double)), *x = factor_rows(q, 6000, loadings);
		tlv_frame moments = dense_moments(D, 3000, x), model = learnt(moments, TLV_TREE_FACTORS),
				  tree;
		double *held = x + 3000 * D, best = mean_of_truth(q, loadings, 3000, held), seen;
		tlv_warning warning;

		assert_equal(diagnostic(model, "distance_states"), (double) q);
		seen = mean_of_numbers(model, D, 3000, x);
		assert_close(diagnostic(model, "log_likelihood_per_row"), seen, 1e-8);
		assert_above(seen, mean_of_truth(q, loadings, 3000, x));
		assert_below(best - mean_of_numbers(model, D, 3000, held), 0.02);
		assert_false(model_warns(&model, "factors_fit_better", NULL));

		tree = learnt(moments, TLV_TREE_CLNJ);
		assert_true(model_warns(&tree, "factors_fit_better", &warning));
		assert_close(warning.score, seen - diagnostic(tree, "log_likelihood_per_row"), 1e-3);
		assert_equal(diagnostic(tree, "factors"), (double) q);
		assert_above(mean_of_numbers(model, D, 3000, held), mean_of_numbers(tree, D, 3000, held));
	}
}

/* Rows of trees: no warning.  Independent ones: no factor, and a model of variables apart. */
TEST(test_no_false_alarm)
{
	size_t alarms = 0;

	for (uint64_t seed = 1; seed <= 40; seed++)
	{
		tlv_tree tree = random_tree_of(D, seed);
		tlv_frame truth = simulated(&tree, true, 0, 0, seed), model;

		model = learnt(dense_moments(D, 2000, drawn_numbers(truth, 2000, D)), TLV_TREE_CLNJ);
		alarms += model_warns(&model, "factors_fit_better", NULL);
	}
	assert_at_most((double) alarms, 0);
	for (int set = 0; set < 20; set++)
	{
		double *x = room(500 * D, sizeof(double));
		tlv_frame moments, model;

		tlv_rng_fill_normal(&rng, 500 * D, x);
		moments = dense_moments(D, 500, x);
		model = learnt(moments, TLV_TREE_FACTORS);
		assert_equal(diagnostic(model, "hidden_nodes"), 0);
		assert_equal(diagnostic(model, "components"), D);
		model = learnt(moments, TLV_TREE_CLNJ);
		assert_false(model_warns(&model, "factors_fit_better", NULL));
	}
}

/* Ledermann's bound, and what the structure is not of. */
TEST(test_factor_limits)
{
	double *loadings = room(D * 2, sizeof(double)), *x = factor_rows(2, 200, loadings);
	static const int64_t column[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5};
	tlv_tree_learn_options options = usual_options(TLV_TREE_FACTORS);
	tlv_frame moments = dense_moments(D, 200, x);
	void *image;
	size_t size;

	assert_int_equal(tlv_factors_most(2), 0);
	assert_int_equal(tlv_factors_most(3), 1);
	assert_int_equal(tlv_factors_most(6), 3);
	assert_int_equal(tlv_factors_most(12), 7);
	options.distance.states = 8;
	assert_fails(tlv_tree_learn(&ctx, &moments, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "8 factors are more than 12 variables identify");
	options.distance.states = 7;
	assert_ok(tlv_tree_learn(&ctx, &moments, &options, &image, &size));
	options.distance.states = 0;
	options.distance.groups = 6;
	options.distance.column = column;
	options.distance.columns = D;
	assert_fails(tlv_tree_learn(&ctx, &moments, &options, &image, &size), TLV_BAD_PARAMETER,
				 "structure factors is of single numbers, not of groups of them");
}

RUN_TESTS(setup, teardown)
