/*
 * test_fit.c - mixtures of Gaussians: fit to moments, expectation maximisation, starts from rows,
 * inference, stored forms, and what is refused.
 */
#include "gmm_fixture.h"

/* ---- fit and refinement ---- */

TEST(test_fit)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_SPHERICAL; c++)
	{
		data rows = simulate(20000, 10, 5, 4, (tlv_covariance) c);
		tlv_frame model = fit(&rows, 5, (tlv_covariance) c);
		double start = mean_error(rows.truth, model), before = -HUGE_VAL;
		tlv_mixture mixture;

		assert_below(start, 0.15);
		for (int step = 0; step < 5; step++)
		{
			tlv_frame sums = statistics(model, &rows);
			double likelihood = tlv_frame_scalar(&sums, "log_likelihood", 0);

			assert_above(likelihood, before);
			before = likelihood;
			model = updated(model, sums);
			assert_equal(tlv_frame_scalar(&model, "steps", 0), step + 1);
		}
		assert_below(mean_error(rows.truth, model), 0.08);
		assert_below(mean_error(rows.truth, model), start);
		tlv_gmm_read(&model, &mixture);
		for (size_t j = 1; j < 5; j++)
		{
			assert_at_most(mixture.weights[j], mixture.weights[j - 1]);
			if (c <= 0)
				assert_equal(mixture.variances[j], mixture.variances[0]);
		}
		pool_reset(&memory, &ctx);
	}
}

/* Third moments that are exactly those of a mixture give its parameters back. */
TEST(test_exact)
{
	/* Points at the corners of cubes about two centers: covariance 1, no skew. */
	enum
	{
		d = 3,
		corners = 8
	};
	const double center[3][d] = {{4, 0, 1}, {-1, 3, 0}, {-2, -2, -2}};
	const size_t copies[3] = {6, 3, 3};
	data rows = {.n = corners * 12, .d = d};
	size_t t = 0;
	tlv_frame model;
	tlv_mixture mixture;

	rows.x = tlv_alloc(&ctx, rows.n * d, sizeof(double));
	for (size_t j = 0; j < 3; j++)
		for (size_t r = 0; r < copies[j]; r++)
			for (size_t c = 0; c < corners; c++, t++)
				for (size_t i = 0; i < d; i++)
					rows.x[t * d + i] = center[j][i] + ((c >> i & 1) ? 1 : -1);
	for (int shared = 0; shared < 2; shared++)
	{
		model = fit(&rows, 3, shared ? TLV_COVARIANCE_COMMON : TLV_COVARIANCE_SPHERICAL);
		tlv_gmm_read(&model, &mixture);
		assert_close(mixture.weights[0], 0.5, 1e-9);
		assert_all_close(d, mixture.means, center[0], 1e-8);
		for (size_t j = 0; j < 3; j++)
			assert_close(mixture.variances[j], 1, 1e-8);
	}
}

/* What the parts of a mixture do does not depend on where the origin lies. */
TEST(test_shift)
{
	data rows = simulate(4000, 6, 3, 5, TLV_COVARIANCE_SPHERICAL);
	tlv_frame model = fit(&rows, 3, TLV_COVARIANCE_SPHERICAL), far;
	tlv_mixture a, b;

	model = updated(model, statistics(model, &rows));
	for (size_t i = 0; i < rows.n * rows.d; i++)
		rows.x[i] += 1e6;
	far = fit(&rows, 3, TLV_COVARIANCE_SPHERICAL);
	far = updated(far, statistics(far, &rows));
	tlv_gmm_read(&model, &a);
	tlv_gmm_read(&far, &b);
	for (size_t j = 0; j < 3; j++)
	{
		assert_close(a.weights[j], b.weights[j], 1e-6);
		assert_close(a.variances[j], b.variances[j], 1e-6);
		for (size_t i = 0; i < rows.d; i++)
			assert_close(a.means[j * rows.d + i] + 1e6, b.means[j * rows.d + i], 1e-5);
	}
}

/* ---- all covariances from rows ---- */

TEST(test_start)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		data rows = simulate(3000, 4, 5, 8, (tlv_covariance) c);
		const tlv_gmm_sample sample = sample_of(&rows);
		tlv_gmm_start_options options = {
			.k = 5, .covariance = (tlv_covariance) c, .seed = 1, .starts = 6, .steps = 60};
		double floor[4], variance[4] = {20, 20, 20, 20}, likelihood, best;
		tlv_frame model, again;
		void *image;
		size_t size;

		assert_ok(tlv_mixture_floor(&ctx, 4, variance, NULL, floor));
		model = MADE(tlv_gmm_start, &sample, floor, &options);
		assert_below(mean_error(rows.truth, model), 0.15);
		refine_on(&model, &sample, 3, &likelihood, &image, &size);
		again = checked(TLV_FRAME_MODEL, image, size);
		assert_below(mean_error(model, again), 0.01);
		/* as good as what the truth becomes */
		refine_on(&rows.truth, &sample, 60, &best, &image, &size);
		assert_above(likelihood, best - 1e-3);
		/* the same seed gives the same bytes */
		again = MADE(tlv_gmm_start, &sample, floor, &options);
		assert_true(tlv_digest_equal(&again.header->digest, &model.header->digest));
		pool_reset(&memory, &ctx);
	}
}

/* One step in the accumulator is one step in memory, whatever the covariance. */
TEST(test_step)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		data rows = simulate(1000, 3, 2, 4, (tlv_covariance) c), part[2];
		const tlv_gmm_sample sample = sample_of(&rows);
		tlv_frame model = fit(&rows, 2, (tlv_covariance) c), whole, step, sums[2], joined;
		tlv_accumulator *merged;
		double likelihood;
		tlv_mixture a, b;
		void *image;
		size_t size;

		whole = statistics(model, &rows);
		part[0] = part[1] = rows;
		part[0].n = 333;
		part[1].n -= 333;
		part[1].x += 333 * 3;
		assert_ok(tlv_accumulator_create(&ctx, tlv_kind_mixture_statistics.accumulator, &merged));
		assert_int_equal(tlv_add(&ctx, merged, TLV_AS_VECTOR(3, rows.x)), TLV_BAD_PARAMETER);
		for (int p = 0; p < 2; p++)
		{
			sums[p] = statistics(model, &part[p]);
			assert_ok(merged->class->merge(&ctx, merged, &sums[p]));
		}
		assert_ok(merged->class->build(&ctx, merged, &builder));
		joined = MADE(tlv_frame_finish, &builder);
		step = updated(model, whole);
		tlv_gmm_read(&step, &a);
		step = updated(model, joined);
		tlv_gmm_read(&step, &b);
		assert_all_close(2 * 3, a.means, b.means, 1e-12);
		refine_on(&model, &sample, 1, &likelihood, &image, &size);
		step = checked(TLV_FRAME_MODEL, image, size);
		tlv_gmm_read(&step, &b);
		assert_all_close(2 * 3, a.means, b.means, 1e-10);
		assert_all_close(2 * tlv_mixture_variances(3, a.covariance), a.variances, b.variances,
						 1e-10);
		/* statistics of another model are refused */
		sums[0] = statistics(step, &rows);
		assert_int_equal(merged->class->merge(&ctx, merged, &sums[0]), TLV_BAD_PARAMETER);
		assert_int_equal(tlv_kind_gaussian_mixture.model->update(&ctx, &model, &sums[0],
																 &tlv_whole_step, &image, &size),
						 TLV_BAD_PARAMETER);
		pool_reset(&memory, &ctx);
	}
}

/* k = 0: never more components than there are, most of them found, and one of rows without any. */
TEST(test_chosen)
{
	for (size_t k = 1; k <= 5; k += 2)
		for (uint64_t seed = 1; seed <= 3; seed += EVERY(3))
		{
			data rows = simulate(10000, 8, k, 4 + (double) seed, TLV_COVARIANCE_COMMON);
			tlv_warning found_warning;
			tlv_frame model;
			size_t found;

			assert_ok(try_fit(moments(&rows, 3), 0, TLV_COVARIANCE_COMMON, &model));
			found = tlv_model_components(&model);
			assert_at_most((double) found, (double) k);
			assert_at_least((double) found, k == 1 ? 1 : (double) k - 1);
			assert_equal(model_warns(&model, "no_structure", &found_warning), k == 1);
			pool_reset(&memory, &ctx);
		}
}

/* ---- what is refused, and what is borne ---- */

TEST(test_refusals)
{
	data rows = simulate(200, 3, 2, 5, TLV_COVARIANCE_COMMON);
	tlv_frame third = moments(&rows, 3), second = moments(&rows, 2), model, truth = rows.truth;
	double x[3] = {0, 0, 1e101}, shares[2];
	tlv_accumulator *accumulator;
	tlv_model *open;

	assert_int_equal(try_fit(third, 4, TLV_COVARIANCE_COMMON, &model), TLV_NOT_IDENTIFIABLE);
	assert_non_null(strstr(ctx.error.detail, "Eigenvalues"));
	assert_int_equal(try_fit(third, 201, TLV_COVARIANCE_COMMON, &model), TLV_BAD_DATA);
	assert_int_equal(try_fit(second, 2, TLV_COVARIANCE_COMMON, &model), TLV_BAD_PARAMETER);
	assert_int_equal(try_fit(second, 0, TLV_COVARIANCE_COMMON, &model), TLV_BAD_PARAMETER);
	assert_ok(try_fit(second, 1, TLV_COVARIANCE_FULL, &model));
	assert_int_equal(try_fit(truth, 1, TLV_COVARIANCE_FULL, &model), TLV_BAD_PARAMETER);
	open = open_model(truth);
	assert_int_equal(open->class->statistics(&ctx, open, "gibbs", &accumulator), TLV_BAD_PARAMETER);
	assert_int_equal(infer_values(&ctx, open, TLV_AS_VECTOR(3, x), shares), TLV_BAD_DATA);
	x[2] = NAN;
	assert_int_equal(infer_values(&ctx, open, TLV_AS_VECTOR(3, x), shares), TLV_BAD_DATA);
	assert_int_equal(infer_values(&ctx, open, TLV_AS_VECTOR(2, x), shares), TLV_BAD_DATA);
	for (size_t i = 0; i < rows.n * rows.d; i++)
		rows.x[i] = 7;
	assert_int_equal(try_fit(moments(&rows, 3), 2, TLV_COVARIANCE_COMMON, &model),
					 TLV_NOT_IDENTIFIABLE);
}

/* Constant, equal and collinear columns, equal rows: variances end at the floor. */
TEST(test_degenerate)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
		for (int bad = 0; bad < 3; bad++)
		{
			data rows = simulate(300, 4, 2, 6, TLV_COVARIANCE_COMMON);
			tlv_frame model;

			for (size_t t = 0; t < rows.n; t++)
				if (bad == 0)
					rows.x[4 * t] = 1e5;
				else if (bad == 1)
					rows.x[4 * t] = rows.x[4 * t + 1] - rows.x[4 * t + 2];
				else
					memcpy(rows.x + 4 * t, rows.x + 4 * (t % 3), 4 * sizeof(double));
			model = fit(&rows, 2, (tlv_covariance) c);
			for (int step = 0; step < 4; step++)
				model = updated(model, statistics(model, &rows));
			pool_reset(&memory, &ctx);
		}
}

/* Compressed moments in k - 1 directions or more know of a mixture what all moments know. */
TEST(test_compressed)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
		for (size_t p = 2; p <= 8; p += 3)
		{
			data rows = simulate(4000, 8, 3, 6, TLV_COVARIANCE_SPHERICAL);
			tlv_frame second = moments(&rows, 2), subspace, whole, model;
			tlv_accumulator *accumulator;
			tlv_mixture a, b;

			subspace = MADE(tlv_dense_subspace, &second, p);
			assert_ok(tlv_dense_compressed_create_order(&ctx, &subspace, 3, &accumulator));
			assert_ok(try_fit(collect(accumulator, &rows), 3, (tlv_covariance) c, &model));
			whole = fit(&rows, 3, (tlv_covariance) c);
			tlv_gmm_read(&whole, &a);
			tlv_gmm_read(&model, &b);
			assert_int_equal(b.d, 8);
			/* one variance for all components is not what these have */
			assert_below(mean_error(rows.truth, model), c == TLV_COVARIANCE_COMMON ? 0.5 : 0.13);
			if (c <= TLV_COVARIANCE_SPHERICAL) /* others measure in other units */
			{
				assert_below(mean_error(whole, model), 1e-9);
				assert_all_close(3, a.variances, b.variances, 1e-9);
			}
			for (size_t i = 0; i < 8 && c == TLV_COVARIANCE_DIAGONAL; i++)
				assert_close(b.variances[i] / a.variances[i], 1, 0.35);
			model = updated(model, statistics(model, &rows));
			pool_reset(&memory, &ctx);
		}
}

/* Where the covariance is not said, the moments tell as much of it as they can. */
TEST(test_any_covariance)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
		for (size_t k = 1; k <= 3; k += 2)
		{
			data rows = simulate(20000, 6, k, 6, (tlv_covariance) c);
			tlv_gmm_options options = {.k = k, .any_covariance = true, .seed = 1};
			tlv_frame sums = moments(&rows, 3), model;
			double found;

			model = MADE(tlv_gmm_fit, &sums, &options);
			found = tlv_frame_scalar(&model, "covariance", NAN);
			if (c == TLV_COVARIANCE_FULL || k == 1) /* one component has one variance */
				assert_equal(found, k == 1 && c <= TLV_COVARIANCE_SPHERICAL ? 0 : c);
			else if (c <= TLV_COVARIANCE_SPHERICAL)
				assert_equal(found, c);
			assert_below(mean_error(rows.truth, model), 0.6);
			pool_reset(&memory, &ctx);
		}
}

/* A given start competes with the others, and variances at the floor are counted. */
TEST(test_given)
{
	data rows = simulate(3000, 5, 4, 5, TLV_COVARIANCE_FULL);
	tlv_gmm_sample sample = sample_of(&rows);
	double floor[5] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6}, high[5] = {100, 100, 100, 100, 100};
	tlv_gmm_start_options options = {
		.k = 4, .covariance = TLV_COVARIANCE_FULL, .seed = 1, .starts = 1, .steps = 50};
	tlv_mixture truth;
	tlv_frame model;
	size_t found;

	tlv_gmm_read(&rows.truth, &truth);
	options.given = &truth;
	model = MADE(tlv_gmm_start, &sample, floor, &options);
	assert_below(mean_error(rows.truth, model), 0.2);
	tlv_gmm_read(&model, &truth);
	assert_ok(tlv_mixture_at_floor(&ctx, &truth, floor, &found));
	assert_int_equal(found, 0);
	assert_ok(tlv_mixture_at_floor(&ctx, &truth, high, &found));
	assert_int_equal(found, 4);
	for (size_t t = 0; t < rows.n; t++) /* one direction without variance */
		rows.x[5 * t] = rows.x[5 * t + 1] + rows.x[5 * t + 2];
	sample = sample_of(&rows);
	options.given = NULL;
	options.starts = 4;
	model = MADE(tlv_gmm_start, &sample, floor, &options);
	tlv_gmm_read(&model, &truth);
	assert_ok(tlv_mixture_at_floor(&ctx, &truth, floor, &found));
	assert_int_equal(found, 4);
}

/* Two components of 50 rows each, of these variances: what the M step makes of those of the first.
 */
static void
maximize_two(tlv_covariance covariance, double part, const double first[2], const double second[2],
			 double found[3])
{
	double rows[2] = {50, 50}, sums[4] = {0}, squares[6] = {0}, zero[2] = {0};
	size_t each = tlv_mixture_variances(2, covariance);
	double floor[2] = {1e-12, 1e-12};
	tlv_mixture_sums given = {
		.rows = 100, .responsibilities = rows, .sums = sums, .squares = squares};
	tlv_mixture mixture;

	for (size_t i = 0; i < 2; i++)
	{
		squares[covariance == TLV_COVARIANCE_FULL ? tlv_packed2_index(i, i) : i] = 50 * first[i];
		squares[each + (covariance == TLV_COVARIANCE_FULL ? tlv_packed2_index(i, i) : i)] =
			50 * second[i];
	}
	assert_ok(tlv_mixture_create(&ctx, 2, 2, covariance, &mixture));
	assert_ok(tlv_mixture_maximize(&ctx, &given, zero, floor, part, &mixture));
	memcpy(found, mixture.variances, each * sizeof(double));
}

/* Variances of few rows are drawn to those within components, but by no more than their standard
 * error where components are of different size, and not at all where one has no variance. */
TEST(test_prior_of_variances)
{
	const double one[2] = {1, 1}, larger[2] = {1.5, 1}, narrow[2] = {1e-4, 1e-4}, flat[2] = {1, 0};
	double found[3];

	maximize_two(TLV_COVARIANCE_DIAGONAL, 1, one, larger, found);
	assert_close(found[0], (50 * 1 + 3 * 1.25) / 53, 1e-12);
	assert_close(found[1], 1, 1e-12);
	maximize_two(TLV_COVARIANCE_DIAGONAL, .1, one, larger, found);
	assert_close(found[0], (50 * 1 + .3 * 1.25) / 50.3, 1e-12);
	maximize_two(TLV_COVARIANCE_FULL, 1, one, larger, found);
	assert_close(found[0], (50 * 1 + 4 * 1.25) / 54, 1e-12);
	assert_close(found[1], 0, 1e-12);
	for (int c = TLV_COVARIANCE_DIAGONAL; c <= TLV_COVARIANCE_FULL; c++)
	{
		maximize_two(c, 1, narrow, one, found);
		assert_between(found[0] / 1e-4, 1, 1 + sqrt(2. / 50));
		maximize_two(c, 1, flat, one, found);
		assert_close(found[0], 1, 1e-12);
		assert_close(found[c == TLV_COVARIANCE_FULL ? 2 : 1], 1e-12, 1e-15);
	}
}

/* ---- the floor ---- */

static tlv_mixture_column
look_at(size_t n, double (*value)(size_t), double variance)
{
	double *x = room(n, sizeof(double));
	tlv_mixture_column column;

	for (size_t t = 0; t < n; t++)
		x[t] = value(t);
	assert_ok(tlv_mixture_look_at_column(&ctx, n, 1, x, variance, &column));
	return column;
}

static double
of_tenths(size_t t)
{
	return 0.1 * (double) (t * t % 23) - 0.7;
}

static double
of_float4(size_t t)
{
	return (float) of_tenths(t);
}

static double
of_coarse(size_t t) /* no two values are neighbours */
{
	return 1000 + (double) (t % 3 == 0 ? 0 : t % 3 == 1 ? 6 : 15);
}

static double
of_sines(size_t t)
{
	return sin((double) (t * t));
}

static double
of_zeros(size_t t)
{
	return t % 3 == 1 ? of_sines(t) : 0;
}

static double
of_one(size_t t)
{
	return 7;
}

/* Units are found, of whatever precision, and only where they matter. */
TEST(test_columns)
{
	assert_below(fabs(look_at(500, of_tenths, 0.4).unit - (0.1)), 1e-9);
	assert_below(fabs(look_at(500, of_float4, 0.4).unit - (0.1)), 1e-6);
	assert_below(fabs(look_at(500, of_coarse, 40).unit - (3)), 1e-9);
	assert_equal(look_at(500, of_tenths, 1e5).unit, 0);
	assert_equal(look_at(500, of_sines, 0.5).unit, 0);
	assert_equal(look_at(5, of_sines, 0.5).unit, 0);
	assert_equal(look_at(500, of_one, 0).unit, 0);
	assert_equal(look_at(500, of_zeros, 0.2).unit, 0);
	assert_equal(look_at(600, of_zeros, 0.2).value, 0);
	assert_below(fabs(look_at(600, of_zeros, 0.2).share - (2.0 / 3)), 1e-12);
	assert_equal(look_at(1, of_one, 0).share, 1);
}

/* Variances are raised in the directions in which they are below the floor, and nowhere else. */
TEST(test_raise)
{
	const double variance[] = {4, 4, 1e-3}, floor[] = {1, 4};
	const tlv_mixture_column columns[] = {{4, 1, 0, 0.1}, {4, 0, 0, 0.1}, {1e-3, 1, 0, 0.1}};
	double found[3], shares[2], above[] = {5, 1, 1, 5}, below[] = {2, 4, 4, 8};

	assert_ok(tlv_mixture_floor(&ctx, 3, variance, columns, found));
	assert_below(fabs(found[0] - (1 / (2 * M_PI))), 1e-12);
	assert_below(fabs(found[1] - (4e-6)), 1e-15);
	assert_below(fabs(found[2] - (1e-3)), 1e-15); /* the column's own */
	assert_ok(tlv_mixture_raise(&ctx, 2, floor, above));
	assert_equal(above[0], 5);
	assert_equal(above[1], 1);
	/* in units of the floor {2, 2; 2, 2}: 4 in one direction, 0 in the other, which becomes 1 */
	assert_ok(tlv_mixture_raise(&ctx, 2, floor, below));
	assert_below(fabs(below[0] - (2.5)), 1e-12);
	assert_below(fabs(below[1] - (3)), 1e-12);
	assert_below(fabs(below[2] - (3)), 1e-12);
	assert_below(fabs(below[3] - (10)), 1e-12);
	assert_ok(tlv_mixture_floor_shares(&ctx, 2, below, floor, shares));
	assert_below(fabs(shares[0] - (0.5)), 1e-9);
	assert_below(fabs(shares[1] - (0.5)), 1e-9);
}

RUN_TESTS(setup, teardown)
