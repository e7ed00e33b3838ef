/*
 * test_fit.c - independent components of simulated rows: accuracy, noise,
 * refinement, bad input.
 */
#include "ica_fixture.h"

/* Mean index over seeds, of the moments alone, refined, and fitted to noise. */
ACCURACY_TEST(test_accuracy)
{
	static const struct
	{
		size_t n, d;
		double noise;
		double joint, refined, free; /* at most: the reference figures with their margin */
	} cases[] = {
		{20000, 5, 0, 0.0076 * 1.1 + 0.005, 0.0062 * 1.15 + 0.01, 0.0116 * 1.1 + 0.005},
		{20000, 10, 0, 0.0100 * 1.1 + 0.005, 0.0058 * 1.15 + 0.01, 0.0110 * 1.1 + 0.005},
		{100000, 6, 1, 1, 1, 0.0236 * 1.1 + 0.005},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double joint = 0, refined = 0, free_mixing = 0, steps = 0;
		const int seeds = 5;

		for (uint64_t seed = 1; seed <= (uint64_t) seeds; seed++)
		{
			tlv_frame t = truth(cases[i].d, cases[i].d, cases[i].noise, seed);
			rows r = draw(&t, cases[i].n, seed);
			tlv_frame m = moments_of(&r, 4);
			tlv_ica_options options = {.seed = 1};
			tlv_frame model = fit(&m, &options), better;

			joint += amari(&t, &model) / seeds;
			assert_conventions(&r, &model);
			assert_equal(model_warns(&model, "gaussian_noise", NULL), cases[i].noise > 0);
			better = refine(&r, model, 50);
			refined += amari(&t, &better) / seeds;
			steps += tlv_frame_scalar(&better, "steps", 0) / seeds;
			assert_conventions(&r, &better);
			options.noise = true;
			model = fit(&m, &options);
			assert_conventions(&r, &model);
			free_mixing += amari(&t, &model) / seeds;
			pool_reset(&memory, &ctx);
		}
		print_message("d %zu n %zu noise %g: joint %.4f, tanh %.4f (%.1f steps), noise %.4f\n",
					  cases[i].d, cases[i].n, cases[i].noise, joint, refined, steps, free_mixing);
		assert_below(joint, cases[i].joint);
		assert_below(refined, cases[i].refined);
		assert_below(free_mixing, cases[i].free);
	}
}

/* Units of the dimensions do not matter, and neither does where zero is. */
TEST(test_units)
{
	static const double units[] = {1e-40, 1e-5, 1, 1e5, 1e40};
	tlv_frame t = truth(5, 5, 0, 3), m, model, other;
	rows r = draw(&t, 5000, 3);
	tlv_ica_options options = {.seed = 1};

	m = moments_of(&r, 4);
	model = fit(&m, &options);
	for (size_t i = 0; i < r.n; i++)
		for (size_t j = 0; j < 5; j++)
			r.x[i * 5 + j] = units[j] * (r.x[i * 5 + j] + 3);
	m = moments_of(&r, 4);
	other = fit(&m, &options);
	for (size_t j = 0; j < 5; j++)
	{
		/* The sign is chosen by the largest entry, which another unit makes another one. */
		const double *a = tlv_frame_float64(&model, "mixing") + 5 * j;
		const double *b = tlv_frame_float64(&other, "mixing") + 5 * j;
		double sign = b[4] / units[4] * a[4] > 0 ? 1 : -1;

		for (size_t i = 0; i < 5; i++)
			assert_close(sign * b[i] / units[i], a[i], 1e-6);
	}
}

/* Fewer components than dimensions, dimensions that are constant or sums of others. */
TEST(test_rank)
{
	tlv_frame t = truth(6, 3, 0, 5), m, model;
	rows r = draw(&t, 20000, 5), wide = {r.n, 8, NULL};
	tlv_ica_options options = {.seed = 1};
	void *image;
	size_t size;

	m = moments_of(&r, 4);
	model = fit(&m, &options);
	assert_int_equal(tlv_frame_find(&model, "mixing")->columns, 3);
	assert_below(amari(&t, &model), 0.03);
	assert_conventions(&r, &model);
	options.k = 3;
	model = fit(&m, &options);
	assert_below(amari(&t, &model), 0.03);
	options.k = 4;
	assert_fails(tlv_ica_fit(&ctx, &m, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "3 dimensions");
	options.k = 7;
	assert_int_equal(tlv_ica_fit(&ctx, &m, &options, &image, &size), TLV_BAD_PARAMETER);
	wide.x = tlv_alloc(&ctx, wide.n * 8, sizeof(double));
	for (size_t i = 0; i < r.n; i++)
	{
		memcpy(wide.x + 8 * i, r.x + 6 * i, 6 * sizeof(double));
		wide.x[8 * i + 6] = 42;
		wide.x[8 * i + 7] = r.x[6 * i] - 2 * r.x[6 * i + 1];
	}
	m = moments_of(&wide, 4);
	options.k = 0;
	model = fit(&m, &options);
	assert_int_equal(tlv_frame_find(&model, "mixing")->columns, 3);
	assert_conventions(&wide, &model);
	for (size_t j = 0; j < 3; j++)
		assert_equal(tlv_frame_float64(&model, "mixing")[6 + 8 * j], 0);
	options.k = 2; /* the leading directions of the covariance: something, and white */
	options.keep_gaussian = true;
	model = fit(&m, &options);
	assert_conventions(&wide, &model);
}

/* Moments in the leading directions of many dimensions. */
TEST(test_compressed)
{
	tlv_frame t = truth(90, 4, 0, 8), pairs, subspace, m, model;
	rows r = draw(&t, 20000, 8);
	tlv_ica_options options = {.seed = 1};
	tlv_accumulator *accumulator;
	void *image;
	size_t size;

	pairs = moments_of(&r, 2);
	assert_int_equal(tlv_ica_fit(&ctx, &pairs, &options, &image, &size), TLV_BAD_PARAMETER);
	subspace = MADE(tlv_dense_subspace, &pairs, 4);
	assert_ok(tlv_dense_compressed_create(&ctx, &subspace, &accumulator));
	m = collect(&r, accumulator);
	model = fit(&m, &options);
	assert_int_equal(tlv_frame_find(&model, "mixing")->rows, 90);
	assert_below(amari(&t, &model), 0.03);
	assert_conventions(&r, &model);
	model = refine(&r, model, 20);
	assert_below(amari(&t, &model), 0.02);
	assert_conventions(&r, &model);
}

TEST(test_single)
{
	tlv_frame t = truth(1, 1, 0, 6), m, model;
	rows r = draw(&t, 1000, 6);
	tlv_ica_options options = {.seed = 1, .k = 1};

	m = moments_of(&r, 4);
	model = fit(&m, &options);
	assert_conventions(&r, &model);
	model = step(&r, &model);
	assert_conventions(&r, &model);
	options.noise = true;
	model = fit(&m, &options);
	assert_conventions(&r, &model);
}

/* Gradient steps from random starts come to what joint diagonalisation finds, whatever the seed. */
TEST(test_sgd)
{
	static const size_t sides[] = {5, 10};

	for (size_t i = 0; i < sizeof(sides) / sizeof(sides[0]); i++)
	{
		tlv_frame t = truth(sides[i], sides[i], 0, 2);
		rows r = draw(&t, 20000, 2);
		tlv_frame m = moments_of(&r, 4);
		tlv_ica_options options = {.seed = 1};
		tlv_frame joint = fit(&m, &options);

		options.decompose.method = TLV_METHOD_SGD;
		for (options.seed = 1; options.seed <= 10; options.seed += EVERY(10))
		{
			tlv_frame model;

			options.decompose.seed = options.seed;
			model = fit(&m, &options);
			assert_conventions(&r, &model);
			if (!(amari(&joint, &model) < 0.002))
				fail_msg("d %zu, seed %d: %.4f", sides[i], (int) options.seed,
						 amari(&joint, &model));
		}
		pool_reset(&memory, &ctx);
	}
}

/* Parts of the rows, merged: the same statistics. */
TEST(test_merge)
{
	tlv_frame t = truth(5, 5, 0, 2), m, model, parts[2], whole, both;
	rows r = draw(&t, 1111, 2);
	tlv_ica_options options = {.seed = 3, .keep_gaussian = true};
	tlv_accumulator *accumulator;
	tlv_model *opened;
	void *image;
	size_t size;

	m = moments_of(&r, 4);
	model = fit(&m, &options);
	opened = open_model(model);
	assert_ok(opened->class->statistics(&ctx, opened, "tanh", &accumulator));
	whole = collect(&r, accumulator);
	for (int part = 0; part < 2; part++)
	{
		rows half = {part == 0 ? 400 : 711, 5, r.x + (part == 0 ? 0 : 400 * 5)};

		assert_ok(opened->class->statistics(&ctx, opened, "tanh", &accumulator));
		parts[part] = collect(&half, accumulator);
	}
	assert_ok(
		tlv_accumulator_create(&ctx, tlv_kind_component_statistics.accumulator, &accumulator));
	for (int part = 0; part < 2; part++)
		assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[part]));
	both = stored(accumulator);
	assert_all_close(25, tlv_frame_float64(&both, "responses"),
					 tlv_frame_float64(&whole, "responses"), 1e-9 * 1111);
	assert_equal(tlv_frame_scalar(&both, "rows", 0), 1111);
	/* Statistics of one model do not update another. */
	assert_ok(opened->class->update(&ctx, &model, &both, &tlv_whole_step, &image, &size));
	model = frame_of(image, size);
	assert_int_equal(opened->class->update(&ctx, &model, &both, &tlv_whole_step, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(opened->class->statistics(&ctx, opened, "gibbs", &accumulator),
					 TLV_BAD_PARAMETER);
}

TEST(test_bad_rows)
{
	tlv_frame t = truth(3, 3, 0, 2);
	double x[3] = {1, NAN, 2}, y[3];
	tlv_model *opened = open_model(t);

	assert_fails(tlv_ica_unmix(&ctx, opened, 3, x, y), TLV_BAD_DATA, "element 2");
	assert_int_equal(tlv_ica_unmix(&ctx, opened, 2, x, y), TLV_BAD_DATA);
	x[1] = INFINITY;
	assert_int_equal(tlv_ica_unmix(&ctx, opened, 3, x, y), TLV_BAD_DATA);
}

TEST(test_amari)
{
	double a[6] = {1, 2, 3, -1, 0, 4}, b[6] = {3, -1 * 3.0, 0, 2, 4, 6}, c[6] = {1, 2, 3, 2, 4, 6};
	double index;

	b[0] = 3 * a[3];
	b[1] = 3 * a[4];
	b[2] = 3 * a[5];
	assert_ok(tlv_ica_amari(&ctx, 3, 2, a, b, &index));
	assert_below(fabs(index), 1e-12);
	assert_int_equal(tlv_ica_amari(&ctx, 3, 2, c, b, &index), TLV_BAD_DATA);
	b[4] = NAN;
	assert_int_equal(tlv_ica_amari(&ctx, 3, 2, a, b, &index), TLV_BAD_DATA);
	assert_ok(tlv_ica_amari(&ctx, 3, 1, a, c, &index));
	assert_equal(index, 0);
}

/* Announced memory covers what is used; a cancelled fit stops at once. */
TEST(test_limits)
{
	tlv_frame t = truth(9, 9, 0, 2), m;
	rows r = draw(&t, 20000, 2);
	tlv_ica_options options = {.seed = 3, .keep_gaussian = true};
	size_t used, size;
	void *image;

	m = moments_of(&r, 4);
	used = ctx.arena.used;
	ctx.arena.peak = used;
	assert_ok(tlv_ica_fit(&ctx, &m, &options, &image, &size));
	assert_at_most((double) (ctx.arena.peak - used), tlv_ica_fit_memory(9, 9, &options) + 1e5);
	assert_short_of_memory(1000, tlv_ica_fit(&ctx, &m, &options, &image, &size));
	for (size_t look = 1; look < 400; look += 37)
		assert_cancelled_at(look, tlv_ica_fit(&ctx, &m, &options, &image, &size));
}

RUN_TESTS(setup, teardown)
