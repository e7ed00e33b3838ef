/*
 * test_fit.c - multi-view mixtures: exactness on population moments,
 * accuracy on samples, shifts and merging, categories, refusals.
 */
#include "tensorlv/model/view_sums.h"
#include "tensorlv/model/multiview.h"
#include "view_fixture.h"
#include "infer.h"

#define K 3
static const size_t wide[3] = {5, 6, 4};

/* Weights, and means of every view (d x K). */
typedef struct truth
{
	double weights[K];
	double means[3][6 * K];
} truth;

static truth
random_truth(double offset)
{
	truth t = {.weights = {0.5, 0.3, 0.2}};

	for (int v = 0; v < 3; v++)
		for (size_t e = 0; e < wide[v] * K; e++)
			t.means[v][e] = offset + 2 * tlv_rng_normal(&rng);
	return t;
}

static tlv_status
fit_status(tlv_frame moments, size_t k, tlv_frame *model)
{
	tlv_multiview_options options = {.k = k, .iterations = 100, .seed = 1};
	void *image;
	size_t size;

	TLV_TRY(tlv_multiview_fit(&ctx, &moments, &options, &image, &size));
	*model = checked(TLV_FRAME_MODEL, image, size);
	return TLV_OK;
}

static tlv_frame
fitted(tlv_frame moments, size_t k)
{
	tlv_frame model = {0};

	assert_ok(fit_status(moments, k, &model));
	return model;
}

/* Mean distance of the means of each view, components assigned by view 2. */
static void
compare(const truth *t, tlv_frame model, double errors[3])
{
	tlv_multiview_parts p;
	int64_t as[K], own[K];

	tlv_multiview_read(&model, &p);
	for (int v = 0; v < 3; v++)
	{
		errors[v] = match(K, wide[v], true, t->means[v], wide[v], 1, p.means[v], wide[v], 1,
						  v == 0 ? as : own);
		for (size_t j = 0; v > 0 && j < K; j++)
			assert_int_equal(as[j], own[j]); /* the views' components go together */
	}
	for (size_t j = 0; j < K; j++)
		assert_close(p.weights[as[j]], t->weights[j], 0.05);
}

static void
draw(const truth *t, double noise, double *x[3])
{
	double u = tlv_rng_uniform(&rng);
	size_t j = u < t->weights[0] ? 0 : u < t->weights[0] + t->weights[1] ? 1 : 2;

	for (int v = 0; v < 3; v++)
		for (size_t i = 0; i < wide[v]; i++)
			x[v][i] = t->means[v][j * wide[v] + i] + noise * tlv_rng_normal(&rng);
}

static tlv_accumulator *
sampled(const truth *t, double noise, size_t n)
{
	double room1[6], room2[6], room3[6], *x[3] = {room1, room2, room3};
	tlv_accumulator *accumulator;

	assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	for (size_t r = 0; r < n; r++)
	{
		draw(t, noise, x);
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(wide, (const double *const *) x)));
	}
	return accumulator;
}

/* Rows that are the means themselves, in proportion to the weights: exact moments. */
TEST(test_population)
{
	truth t = random_truth(0);
	tlv_accumulator *accumulator;
	double errors[3];
	tlv_frame model;

	assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	for (size_t r = 0; r < 10; r++)
	{
		size_t j = r < 5 ? 0 : r < 8 ? 1 : 2;
		const double *x[3];

		for (int v = 0; v < 3; v++)
			x[v] = t.means[v] + j * wide[v];
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(wide, x)));
	}
	model = fitted(stored(accumulator), K);
	compare(&t, model, errors);
	for (int v = 0; v < 3; v++)
		assert_below(errors[v], 1e-7);
	assert_below(diagnostic(model, "residual"), 1e-6);
	assert_below(diagnostic(model, "asymmetry_3"), 1e-12);
	assert_int_equal(fit_status(stored(accumulator), K + 1, &model), TLV_NOT_IDENTIFIABLE);
	assert_non_null(strstr(ctx.error.hint, "At most 3"));
}

TEST(test_sample)
{
	double offsets[2] = {0, 1e5}, errors[3];

	for (int o = 0; o < 2; o++)
	{
		truth t = random_truth(offsets[o]);
		tlv_frame model = fitted(stored(sampled(&t, 1, 20000)), K);
		tlv_multiview_parts p;

		compare(&t, model, errors);
		for (int v = 0; v < 3; v++)
			assert_below(errors[v], 0.15);
		tlv_multiview_read(&model, &p);
		for (size_t i = 0; i < wide[1]; i++)
			assert_close(p.variances[1][i], 1, 0.2);
		print_message("offset %g: errors %.4f %.4f %.4f\n", offsets[o], errors[0], errors[1],
					  errors[2]);
	}
}

/* Sums of any shift, and of parts merged, are those of the rows themselves. */
TEST(test_sums)
{
	const size_t d[3] = {2, 3, 2};
	tlv_view_sums parts[2], plain;
	double zero[3] = {0, 0, 0};
	const double *zeros[3] = {zero, zero, zero};
	double pairs[3][6] = {{0}}, triples[12] = {0};

	assert_ok(tlv_view_sums_create(&ctx, d, true, &parts[0]));
	assert_ok(tlv_view_sums_create(&ctx, d, true, &parts[1]));
	for (int r = 0; r < 1000; r++)
	{
		double x1[2], x2[3], x3[2];
		const double *x[3] = {x1, x2, x3};

		tlv_rng_fill_normal(&rng, 2, x1);
		tlv_rng_fill_normal(&rng, 3, x2);
		tlv_rng_fill_normal(&rng, 2, x3);
		x1[0] += x2[0] + 3;
		x3[1] += x1[0] * x2[2];
		assert_ok(tlv_view_sums_add(&ctx, &parts[r < 300], x));
		for (size_t a = 0; a < 2; a++)
			for (size_t b = 0; b < 3; b++)
			{
				pairs[0][b * 2 + a] += x1[a] * x2[b];
				pairs[2][a * 3 + b] += x2[b] * x3[a];
				for (size_t c = 0; c < 2; c++)
					triples[(c * 3 + b) * 2 + a] += x1[a] * x2[b] * x3[c];
			}
	}
	assert_ok(tlv_view_sums_flush(&ctx, &parts[0]));
	assert_ok(tlv_view_sums_flush(&ctx, &parts[1]));
	tlv_view_sums_merge(&parts[0], &parts[1]);
	plain = parts[0];
	tlv_view_sums_move(&plain, zeros);
	assert_equal(plain.rows, 1000);
	for (size_t e = 0; e < 6; e++)
	{
		assert_close(plain.pairs[0][e], pairs[0][e], 1e-8);
		assert_close(plain.pairs[2][e], pairs[2][e], 1e-8);
	}
	assert_all_close(12, plain.triples, triples, 1e-7);
}

/* ---- categories ---- */

static tlv_accumulator *
category_sample(const double p[3][K][4], size_t n)
{
	static const double weights[K] = {0.5, 0.3, 0.2};
	tlv_accumulator *accumulator;

	assert_ok(tlv_category_views_create(&ctx, &accumulator));
	for (size_t r = 0; r < n; r++)
	{
		double u = tlv_rng_uniform(&rng);
		size_t j = u < weights[0] ? 0 : u < weights[0] + weights[1] ? 1 : 2;
		int64_t x[3];

		for (int v = 0; v < 3; v++)
		{
			double left = tlv_rng_uniform(&rng);

			x[v] = 0;
			while (x[v] < 3 && (left -= p[v][j][x[v]]) >= 0)
				x[v]++;
			x[v] = 10 * x[v] - 15;
		}
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CATEGORIES(x)));
	}
	return accumulator;
}

TEST(test_categories)
{
	double p[3][K][4];
	const double ones[4] = {0.3, 0.3, 0.3, 0.3};
	tlv_accumulator *accumulator, *merged;
	tlv_multiview_parts parts;
	tlv_frame moments, model, again;
	tlv_model *open;
	double row[3] = {-15, 5, 15}, shares[K], value;

	for (int v = 0; v < 3; v++)
		for (size_t j = 0; j < K; j++)
		{
			tlv_rng_dirichlet(&rng, 4, ones, p[v][j]);
		}
	accumulator = category_sample(p, 30000);
	moments = stored(accumulator);
	model = fitted(moments, K);
	tlv_multiview_read(&model, &parts);
	for (int v = 0; v < 3; v++)
	{
		int64_t as[K];
		double error = match(K, 4, false, &p[v][0][0], 4, 1, parts.means[v], 4, 1, as);

		print_message("view %d: L1 %.4f\n", v + 1, error);
		assert_below(error, 0.1);
		assert_int_equal(parts.items[v][0], -15);
	}
	/* Twice the same rows: the same model; merging keeps the order of items. */
	assert_ok(tlv_category_views_create(&ctx, &merged));
	assert_ok(merged->class->merge(&ctx, merged, &moments));
	again = stored(merged);
	assert_true(tlv_digest_equal(&again.header->digest, &moments.header->digest));
	open = open_model(model);
	assert_ok(infer_values(&ctx, open, TLV_AS_VECTOR(3, row), shares));
	assert_close(shares[0] + shares[1] + shares[2], 1, 1e-12);
	assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(3, row), &value));
	assert_below(value, 0);
	row[1] = 1234; /* unknown: says nothing */
	assert_ok(infer_values(&ctx, open, TLV_AS_VECTOR(3, row), shares));
	assert_close(shares[0] + shares[1] + shares[2], 1, 1e-12);
	row[1] = 5.5;
	assert_int_equal(infer_values(&ctx, open, TLV_AS_VECTOR(3, row), shares), TLV_BAD_DATA);
	assert_int_equal(infer_values(&ctx, open, TLV_AS_VECTOR(4, row), shares), TLV_BAD_DATA);
	assert_int_equal(fit_status(moments, 5, &model), TLV_BAD_PARAMETER);
	assert_true(refused_with(moments, "counts", 0, 1.5));
}

TEST(test_refusals)
{
	const size_t large[3] = {300, 300, 300}, none[3] = {1, 0, 1}, other[3] = {5, 6, 5};
	double *x = room(300, sizeof(double)), bad[1] = {NAN};
	const double *views[3] = {x, x, x}, *broken[3] = {bad, bad, bad};
	const size_t one[3] = {1, 1, 1};
	tlv_accumulator *accumulator;
	truth t = random_truth(0);
	tlv_frame model, moments;

	assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	assert_int_equal(fit_status(stored(accumulator), 2, &model), TLV_BAD_DATA);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(large, views)), TLV_LIMIT);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(none, views)), TLV_BAD_DATA);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(one, broken)), TLV_BAD_DATA);
	accumulator = sampled(&t, 1, 100);
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(other, views)), TLV_BAD_DATA);
	moments = stored(accumulator);
	assert_ok(fit_status(moments, 0, &model)); /* as many as the views tell apart */
	assert_int_equal(fit_status(moments, 6, &model), TLV_BAD_PARAMETER);
	model = fitted(moments, 1); /* one component: the means */
	assert_true(refused_with(model, "weights", 0, 0));
	assert_true(refused_with(model, "variances2", 0, 0));
	assert_short_of_memory(1000, fit_status(moments, 2, &model));
}

/* A column that never changes says nothing and does no harm. */
TEST(test_constant_column)
{
	const size_t d[3] = {3, 3, 3};
	tlv_accumulator *accumulator;
	tlv_multiview_parts p;
	tlv_frame model;

	assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	for (int r = 0; r < 5000; r++)
	{
		double sign = tlv_rng_uniform(&rng) < 0.6 ? 1 : -1, x[3][3];
		const double *views[3] = {x[0], x[1], x[2]};

		for (int v = 0; v < 3; v++)
		{
			x[v][0] = 2 * sign + tlv_rng_normal(&rng);
			x[v][1] = 0.1;
			x[v][2] = tlv_rng_normal(&rng);
		}
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(d, views)));
	}
	model = fitted(stored(accumulator), 2);
	tlv_multiview_read(&model, &p);
	assert_close(p.weights[0], 0.6, 0.03);
	for (int v = 0; v < 3; v++)
		for (size_t j = 0; j < 2; j++)
		{
			assert_close(p.means[v][j * 3], j == 0 ? 2 : -2, 0.15);
			assert_equal(p.means[v][j * 3 + 1], 0.1);
		}
}

/* A constant view, nothing that varies, and views of less rank than components. */
TEST(test_uninformative)
{
	const size_t d[3] = {3, 3, 3};
	tlv_accumulator *accumulators[4];
	tlv_frame model;

	for (int a = 0; a < 4; a++)
		assert_ok(tlv_view_moments_create(&ctx, &accumulators[a]));
	for (int r = 0; r < 3000; r++)
	{
		double x[3][3], equal[3] = {1, 2, 3}, line[3], tiny[3];
		const double *constant[3] = {x[0], equal, x[2]}, *all[3] = {equal, equal, equal};
		const double *flat[3] = {x[0], line, x[2]}, *small[3] = {tiny, tiny, tiny};
		int j = r % 3;

		for (int v = 0; v < 3; v++)
			for (int i = 0; i < 3; i++)
				x[v][i] = (i == j ? 4 : 0) + tlv_rng_normal(&rng);
		for (int i = 0; i < 3; i++)
		{
			line[i] = (i + 1) * (double) (j == 0 ? -2 : 2); /* two values for three components */
			tiny[i] = 1e-300 * x[0][i];
		}
		assert_ok(tlv_add(&ctx, accumulators[0], TLV_AS_VIEWS(d, constant)));
		assert_ok(tlv_add(&ctx, accumulators[1], TLV_AS_VIEWS(d, all)));
		assert_ok(tlv_add(&ctx, accumulators[2], TLV_AS_VIEWS(d, flat)));
		assert_ok(tlv_add(&ctx, accumulators[3], TLV_AS_VIEWS(d, small)));
	}
	assert_fails(fit_status(stored(accumulators[0]), 2, &model), TLV_NOT_IDENTIFIABLE,
				 "view 2 is constant");
	assert_ok(fit_status(stored(accumulators[0]), 1, &model));
	assert_ok(fit_status(stored(accumulators[1]), 1, &model));
	assert_int_equal(fit_status(stored(accumulators[2]), 3, &model), TLV_NOT_IDENTIFIABLE);
	assert_non_null(strstr(ctx.error.detail, "of the second moment: "));
	assert_non_null(strstr(ctx.error.hint, "At most 2"));
	assert_int_equal(fit_status(stored(accumulators[3]), 2, &model), TLV_NOT_IDENTIFIABLE);
}

RUN_TESTS(setup, teardown)
