/*
 * test_fit.c - templates of simulated series: figures, what is refused, warnings, k, activations,
 * the plan with every fault.
 */
#include "convolution_fixture.h"

TEST(test_figures)
{
	static const struct
	{
		tlv_convolution_simulation s;
		double least; /* correlation, over seeds */
	} cases[] = {
		{{1, 24, .1, .01, 0}, .97},
		{{2, 16, .1, .02, 0}, .88},
		{{2, 16, .5, .02, 0}, .9},
		{{3, 24, .2, .02, 0}, .75},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double least = 1;

		for (uint64_t seed = 1; seed <= 3; seed += EVERY(3))
		{
			tlv_convolution_simulation s = cases[i].s;
			tlv_frame truth, moments, model;
			series_rows r;
			double reached;

			s.seed = seed;
			truth = true_model(&s);
			r = draw_series(&truth, 20000, seed);
			moments = moments_of(r.n, r.x, (int) s.length);
			model = fit(&moments, s.k);
			reached = least_correlation(&truth, &model);
			least = fmin(least, reached);
			print_message("k %zu noise %g seed %d: %.3f residual %.3f, by chance %.3f\n", s.k,
						  s.noise, (int) seed, reached, diagnostic(model, "residual"),
						  diagnostic(model, "residual_by_chance"));
			pool_reset(&memory, &ctx);
		}
		assert_above(least, cases[i].least);
	}
}

static tlv_status
try_fit(const tlv_frame *moments, size_t k, size_t length)
{
	tlv_convolution_options options = {
		.k = k, .length = length, .max_k = 4, .iterations = -1, .seed = 1};
	void *image;
	size_t size;

	return tlv_convolution_fit(&ctx, moments, &options, &image, &size);
}

/* What cannot be told: too many, too long, no third moments, nothing there. */
TEST(test_refusals)
{
	const size_t n = 5000;
	double *x = room(n, sizeof(double));
	tlv_frame moments;
	tlv_rng rng;

	tlv_rng_seed(&rng, 1);
	tlv_rng_fill_normal(&rng, n, x);
	for (size_t t = n - 1; t > 0; t--)
		x[t] += .9 * x[t - 1];
	moments = moments_of(n, x, 16);
	assert_fails(try_fit(&moments, 1, 0), TLV_NOT_IDENTIFIABLE,
				 "the third moments of the series do not exceed their sampling error");
	assert_fails(try_fit(&moments, 5, 0), TLV_BAD_PARAMETER,
				 "5 templates of 16 steps are not identified");
	assert_fails(try_fit(&moments, 1, 17), TLV_BAD_PARAMETER,
				 "length = 17, but moments were collected of 16 lags");
	assert_fails(try_fit(&moments, 1, 3), TLV_BAD_PARAMETER, "length = 3 is below 4");
	moments = moments_of(n, x, 128);
	assert_fails(try_fit(&moments, 17, 0), TLV_LIMIT, "17 templates of 128 steps are more than");
	moments = moments_of(9, x, 16);
	assert_fails(try_fit(&moments, 1, 0), TLV_BAD_DATA,
				 "no segment of the series is longer than 9 steps");
	moments = moments_of(0, x, 16);
	assert_fails(try_fit(&moments, 1, 0), TLV_NO_ROWS, "the moments are of no numbers");
	for (size_t t = 0; t < n; t++)
		x[t] = 7;
	moments = moments_of(n, x, 16);
	assert_fails(try_fit(&moments, 1, 0), TLV_BAD_DATA, "the series is constant");
}

/* Activations of both signs: the series is as good as Gaussian in its third moments. */
TEST(test_both_signs)
{
	const size_t n = 20000;
	tlv_convolution_simulation s = {1, 16, .1, .5, 1};
	tlv_frame truth = true_model(&s), moments;
	series_rows up = draw_series(&truth, n, 1), down = draw_series(&truth, n, 2);

	for (size_t t = 0; t < n; t++)
		up.x[t] -= down.x[t];
	moments = moments_of(n, up.x, 16);
	assert_fails(try_fit(&moments, 1, 0), TLV_NOT_IDENTIFIABLE,
				 "the third moments of the series do not exceed their sampling error");
}

/* The series itself may be symmetric: a template that is odd has no third power of its own. */
TEST(test_odd_template)
{
	tlv_convolution_simulation s = {1, 16, 0, .03, 1};
	tlv_frame truth = true_model(&s), moments, model;
	tlv_convolution_parts parts;
	series_rows r;

	tlv_convolution_read(&truth, &parts);
	for (size_t t = 0; t < 16; t++)
		parts.templates[t] = (t < 8 ? 1 : -1) / 4.0;
	r = draw_series(&truth, 20000, 3);
	moments = moments_of(r.n, r.x, 16);
	model = fit(&moments, 1);
	assert_above(least_correlation(&truth, &model), .97);
}

TEST(test_k)
{
	for (size_t k = 1; k <= 2; k++)
	{
		tlv_convolution_simulation s = {k, 16, .1, .02, 2};
		tlv_frame truth = true_model(&s), moments, model;
		series_rows r = draw_series(&truth, 20000, 2);

		moments = moments_of(r.n, r.x, 16);
		model = fit(&moments, 0);
		assert_int_equal(tlv_model_components(&model), k);
	}
}

TEST(test_warnings)
{
	tlv_convolution_simulation s = {1, 32, .1, .01, 1};
	tlv_frame truth = true_model(&s), moments, model;
	series_rows r = draw_series(&truth, 20000, 1);
	tlv_warning warning;

	moments = moments_of(r.n, r.x, 12);
	model = fit(&moments, 1);
	assert_true(model_warns(&model, "length_at_limit", &warning));
	assert_int_equal(warning.component, 1);
	moments = moments_of(2000, r.x, 32);
	model = fit(&moments, 6);
	assert_true(model_warns(&model, "spurious_component", &warning) ||
				model_warns(&model, "spurious_component", &warning));
	assert_int_not_equal(warning.component, 0);
}

/* Without noise what is begun comes back; a long series in pieces as in one. */
TEST(test_activations)
{
	const size_t n = 20000, s = 16;
	tlv_convolution_simulation options = {2, 16, 0, .02, 3};
	tlv_frame truth = true_model(&options);
	series_rows r = draw_series(&truth, n, 3);
	double *whole = room(2 * n, sizeof(double)), *part = room(2 * n, sizeof(double)), apart = 0;
	double product = 0, own = 0, other = 0;

	assert_ok(tlv_convolution_activations(&ctx, &truth, TLV_AS_SEQUENCE(n, 1, r.x), whole));
	/* Far from its ends a stretch says what the whole says. */
	assert_ok(
		tlv_convolution_activations(&ctx, &truth, TLV_AS_SEQUENCE(4000, 1, r.x + 7000), part));
	for (size_t t = 20 * s; t < 4000 - 20 * s; t++)
		for (size_t l = 0; l < 2; l++)
			apart = fmax(apart, fabs(whole[2 * (7000 + t) + l] - part[2 * t + l]));
	assert_below(apart, .05);
	for (size_t i = 0; i < 2 * n; i++)
	{
		product += whole[i] * r.activations[i];
		own += whole[i] * whole[i];
		other += r.activations[i] * r.activations[i];
	}
	assert_above(product / sqrt(own * other), .6);
}

/* The share of a template is large where it alone is. */
TEST(test_infer)
{
	tlv_convolution_simulation options = {2, 16, 0, .02, 3};
	tlv_frame truth = true_model(&options);
	tlv_convolution_parts parts;
	tlv_posterior posterior = {0};
	double *x = room(200, sizeof(double)), sum;
	tlv_model *model;

	tlv_convolution_read(&truth, &parts);
	for (size_t t = 0; t < 200; t++)
		x[t] = parts.mean;
	for (size_t t = 0; t < 16; t++)
	{
		x[40 + t] += 5 * parts.templates[t];
		x[140 + t] += 5 * parts.templates[16 + t];
	}
	assert_ok(tlv_model_open(&ctx, &truth, &model));
	assert_ok(tlv_model_infer(&ctx, model, TLV_AS_SEQUENCE(200, 1, x), &posterior));
	assert_int_equal(posterior.n, 200);
	for (size_t t = 0; t < 200; t++)
	{
		sum = posterior.values[2 * t] + posterior.values[2 * t + 1];
		assert_close(sum, 1, 1e-12);
	}
	assert_above(posterior.values[2 * 48], .7);
	assert_above(posterior.values[2 * 148 + 1], .7);
}

TEST(test_plan)
{
	tlv_convolution_options options = {
		.k = 1, .length = 8, .max_k = 4, .restarts = 2, .iterations = 5, .seed = 1};
	tlv_convolution_simulation s = {1, 8, .1, .05, 1};
	tlv_frame truth = true_model(&s), model;
	series_rows r = draw_series(&truth, 2000, 1);
	tlv_row rows[2] = {*TLV_AS_SEQUENCE(1000, 1, r.x), *TLV_AS_SEQUENCE(1000, 1, r.x + 1000)};

	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{2, rows}}};
	passes.told.form = TLV_ROW_SEQUENCE;
	passes.changed = (fixture_rows){1, rows};
	model = procedure_model(&passes, &tlv_convolution_procedure, &options, false);
	assert_above(least_correlation(&truth, &model), .9);
	assert_int_equal(
		procedure_fail_everywhere(&passes, &tlv_convolution_procedure, &options, false), 2);
}

/* The length is chosen from the correlations: about as long as templates are, whatever k and noise,
 * within what the series have, and half as long again as chance could make them at the most. */
TEST(test_length)
{
	static const struct
	{
		tlv_convolution_simulation s;
		size_t n, least, most;
	} cases[] = {
		{{1, 8, .1, .02, 0}, 20000, 8, 12},	  {{1, 16, .5, .02, 0}, 20000, 12, 24},
		{{2, 32, .1, .02, 0}, 20000, 18, 44}, {{1, 60, .5, .02, 0}, 20000, 40, 84},
		{{1, 60, .5, .02, 0}, 30, 8, 30},	  {{1, 8, .1, .02, 0}, 5, 5, 5},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (uint64_t seed = 1; seed <= 3; seed += EVERY(3))
		{
			tlv_convolution_simulation s = cases[i].s;
			tlv_frame truth, moments;
			series_rows r;
			size_t length;

			s.seed = seed;
			truth = true_model(&s);
			r = draw_series(&truth, cases[i].n, seed);
			moments = moments_of(r.n, r.x, TLV_SERIES_MOST_LAGS);
			assert_ok(tlv_convolution_choose_length(&ctx, &moments, s.k, &length));
			print_message("length %zu noise %g n %zu seed %d: %zu\n", s.length, s.noise, cases[i].n,
						  (int) seed, length);
			assert_true(length >= cases[i].least && length <= cases[i].most);
			pool_reset(&memory, &ctx);
		}
}

ACCURACY_TEST(test_chosen_length)
{
	tlv_convolution_options options = {
		.k = 1, .max_k = 4, .restarts = 2, .iterations = 5, .seed = 1};
	tlv_convolution_simulation s = {1, 16, .1, .05, 1};
	tlv_frame truth = true_model(&s), model;
	series_rows r = draw_series(&truth, 4000, 1);
	tlv_row row = *TLV_AS_SEQUENCE(4000, 1, r.x);
	tlv_warning warning = {0};
	tlv_warnings_walk walk;

	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{1, &row}}};
	passes.told.form = TLV_ROW_SEQUENCE;
	model = procedure_model(&passes, &tlv_convolution_procedure, &options, false);
	assert_equal(tlv_frame_find(&model, "templates")->rows, diagnostic(model, "length"));
	assert_equal(diagnostic(model, "passes"), 1);
	assert_above(least_correlation(&truth, &model), .8);
	procedure_fail_everywhere(&passes, &tlv_convolution_procedure, &options, false);
	for (size_t t = 0; t < 4000; t++)
		r.x[t] = pow((double) (t % 1000), 4);
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{1, &row}}};
	passes.told.form = TLV_ROW_SEQUENCE;
	model = procedure_model(&passes, &tlv_convolution_procedure, &options, false);
	for (walk = tlv_warnings_of(&model); tlv_warnings_next(&walk);)
		if (strcmp(walk.warning.code, "length_at_limit") == 0 && walk.warning.component == 0)
			warning = walk.warning; /* of the length, beside those of its templates */
	assert_string_equal(warning.message, "the length, 128 steps, is the largest possible: "
										 "templates may be longer");
	/* of 20 templates no more numbers than they may have */
	options.k = 20;
	options.restarts = options.iterations = 1;
	passes = (source_fixture){.ctx = &ctx, .memory = &memory, .rows = {{1, &row}}};
	passes.told.form = TLV_ROW_SEQUENCE;
	model = procedure_model(&passes, &tlv_convolution_procedure, &options, false);
	assert_int_equal(tlv_frame_find(&model, "templates")->rows, TLV_CONVOLUTION_MOST_NUMBERS / 20);
	assert_true(model_warns(&model, "length_at_limit", NULL));
}

TEST(test_no_rows)
{
	tlv_convolution_options options = {.length = 8, .max_k = 4, .iterations = -1};

	passes = (source_fixture){.ctx = &ctx, .memory = &memory};
	assert_fails(procedure_run(&passes, &tlv_convolution_procedure, &options), TLV_NO_ROWS,
				 "the query returns no rows");
}

RUN_TESTS(setup, teardown)
