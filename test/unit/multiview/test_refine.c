/*
 * test_refine.c - multi-view mixtures: simulation, refinement over rows, rows with views that
 * are not known, matching of models.
 */
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/model/multiview.h"
#include "view_fixture.h"
#include "infer.h"

#define K	 3
#define ROWS 20000

static const size_t wide[3] = {5, 8, 3};
static const size_t many[3] = {10, 20, 30};

/* Rows drawn from a true model. */
typedef struct sample
{
	tlv_frame truth;
	tlv_multiview_parts parts;
	double *x[3]; /* d_t x ROWS */
	int64_t (*category)[3];
	size_t *component;
} sample;

static tlv_frame
random_model(bool categories, uint64_t seed)
{
	tlv_multiview_simulation options = {
		.k = K, .categories = categories, .separation = 3, .concentration = 0.5, .seed = seed};

	memcpy(options.d, categories ? many : wide, sizeof(options.d));
	return MADE(tlv_multiview_random, &options);
}

static sample
draw_sample(bool categories, uint64_t seed)
{
	sample s = {.truth = random_model(categories, seed)};

	tlv_multiview_read(&s.truth, &s.parts);
	for (int t = 0; t < 3; t++)
		s.x[t] = room(s.parts.d[t] * ROWS, sizeof(double));
	s.category = room(ROWS, sizeof(*s.category));
	s.component = room(ROWS, sizeof(size_t));
	for (size_t r = 0; r < ROWS; r++)
	{
		double *x[3];

		for (int t = 0; t < 3; t++)
			x[t] = s.x[t] + r * s.parts.d[t];
		s.component[r] = tlv_multiview_draw(&s.parts, &rng, x, s.category[r]);
	}
	return s;
}

static void
add_rows(const sample *s, tlv_accumulator *accumulator, size_t first, size_t stop)
{
	for (size_t r = first; r < stop; r++)
	{
		const double *x[3];

		for (int t = 0; t < 3; t++)
			x[t] = s->x[t] + r * s->parts.d[t];
		if (s->parts.items[0] != NULL)
			assert_ok(tlv_add(&ctx, accumulator, TLV_AS_CATEGORIES(s->category[r])));
		else
			assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(s->parts.d, x)));
	}
}

static tlv_frame
fitted(const sample *s, int iterations)
{
	tlv_multiview_options options = {.k = K, .iterations = iterations, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_frame moments;

	if (s->parts.items[0] != NULL)
		assert_ok(tlv_category_views_create(&ctx, &accumulator));
	else
		assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	add_rows(s, accumulator, 0, ROWS);
	moments = stored(accumulator);
	return MADE(tlv_multiview_fit, &moments, &options);
}

static tlv_frame
statistics(const sample *s, const tlv_frame *frame, size_t first, size_t stop)
{
	tlv_accumulator *accumulator = statistics_begin(*frame, "em");

	add_rows(s, accumulator, first, stop);
	return stored(accumulator);
}

/* Mean error of the components, one to one. */
static double
mean_error(const tlv_frame *found, const sample *s)
{
	tlv_multiview_parts parts;
	int64_t assignment[K];
	double error[K], sum = 0;

	tlv_multiview_read(found, &parts);
	assert_ok(tlv_multiview_match(&ctx, &parts, &s->parts, assignment, error));
	for (size_t j = 0; j < K; j++)
	{
		assert_close(parts.weights[j], s->parts.weights[assignment[j]], 0.015);
		sum += error[j] / K;
	}
	return sum;
}

/* EM over the rows until it stands: better than the moments, and as good as the truth. */
TEST(test_vectors)
{
	sample s = draw_sample(false, 2);
	tlv_frame model = fitted(&s, 0), sums;
	double before = -HUGE_VAL, first = mean_error(&model, &s), likelihood = 0, last;
	int steps = 0;

	for (;; steps++)
	{
		sums = statistics(&s, &model, 0, ROWS);
		likelihood = tlv_frame_scalar(&sums, "log_likelihood", 0) / ROWS;
		assert_above(likelihood, before - 1e-12);
		if (likelihood - before < 1e-8)
			break;
		before = likelihood;
		model = updated(model, sums);
	}
	last = mean_error(&model, &s);
	sums = statistics(&s, &s.truth, 0, ROWS);
	print_message("vectors: %.4f from moments, %.4f after %d steps; log-likelihood %.4f, truth's "
				  "%.4f\n",
				  first, last, steps, likelihood,
				  tlv_frame_scalar(&sums, "log_likelihood", 0) / ROWS);
	assert_below(first, 0.075);
	assert_below(last, 0.045);
	assert_below(steps, 12);
	assert_above(likelihood, tlv_frame_scalar(&sums, "log_likelihood", 0) / ROWS);
	assert_equal(tlv_frame_scalar(&model, "steps", 0), steps);
	assert_below(diagnostic(model, "mean_log_likelihood_before_step_1"), likelihood);
}

/* EM over the rows of categories and on their counts climb to the same place. */
TEST(test_categories)
{
	sample s = draw_sample(true, 2);
	tlv_frame start = fitted(&s, 0), counted = fitted(&s, 1000), model = start, sums;
	double first = mean_error(&start, &s), last, on_counts = mean_error(&counted, &s);
	double likelihood = 0;

	for (int step = 0; step < 100; step++)
	{
		sums = statistics(&s, &model, 0, ROWS);
		likelihood = tlv_frame_scalar(&sums, "log_likelihood", 0) / ROWS;
		model = updated(model, sums);
	}
	last = mean_error(&model, &s);
	print_message("categories: %.4f from moments, %.4f over rows, %.4f on counts\n", first, last,
				  on_counts);
	assert_below(first, 0.065);
	assert_below(on_counts, 0.045);
	assert_close(last, on_counts, 1e-3);
	assert_close(likelihood, diagnostic(counted, "mean_log_likelihood"), 1e-6);
}

/* Parts of the rows, merged in either order, say what all of them do. */
TEST(test_merge)
{
	for (int categories = 0; categories < 2; categories++)
	{
		sample s = draw_sample(categories, 3);
		tlv_frame other = random_model(categories, 4), whole, parts[3], merged, wrong;
		const char *section = categories ? "counts2" : "squares";
		tlv_accumulator *accumulator;

		whole = statistics(&s, &s.truth, 0, ROWS);
		parts[0] = statistics(&s, &s.truth, 0, 777);
		parts[1] = statistics(&s, &s.truth, 777, 777);
		parts[2] = statistics(&s, &s.truth, 777, ROWS);
		assert_ok(tlv_accumulator_create(&ctx, tlv_kind_view_statistics.accumulator, &accumulator));
		for (int p = 2; p >= 0; p--)
			assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[p]));
		merged = stored(accumulator);
		assert_equal(tlv_frame_scalar(&merged, "rows", 0), ROWS);
		for (size_t e = 0; e < tlv_frame_find(&whole, section)->rows * K; e++)
		{
			double a = tlv_frame_float64(&whole, section)[e];

			assert_close(tlv_frame_float64(&merged, section)[e], a, 1e-9 * fabs(a) + 1e-9);
		}
		wrong = statistics(&s, &other, 0, 10);
		assert_int_equal(accumulator->class->merge(&ctx, accumulator, &wrong), TLV_BAD_PARAMETER);
		assert_int_equal(
			tlv_kind_multiview.model->update(&ctx, &s.truth, &wrong, &tlv_whole_step, NULL, NULL),
			TLV_BAD_PARAMETER);
		assert_int_equal(tlv_kind_multiview.model->update(&ctx, &s.truth, &parts[1],
														  &tlv_whole_step, NULL, NULL),
						 TLV_NO_ROWS);
		assert_true(refused_with(whole, "responsibilities", 0, -1));
		assert_true(refused_with(whole, section, 0, -1));
	}
}

/* The posterior of a row and, unless it is NULL, the logarithm of its density. */
static void
infer_both(tlv_model *model, const tlv_row *row, double *shares, double *value)
{
	assert_ok(infer_values(&ctx, model, row, shares));
	if (value != NULL)
		assert_ok(tlv_model_log_likelihood(&ctx, model, row, value));
}

static void
know(tlv_row *row, int view, bool known)
{
	row->part[view].type = known ? TLV_PART_FLOAT64 : TLV_PART_NONE;
}

/* What views that are not known do not say. */
TEST(test_missing)
{
	sample s = draw_sample(false, 2);
	tlv_model *model = open_model(s.truth);
	double all[K], some[K], none[K], value, parts[3], right[2] = {0, 0}, whole[16];
	const double *x[3] = {s.x[0], s.x[1], s.x[2]};
	tlv_row row = *TLV_AS_VIEWS(wide, x);

	for (size_t r = 0; r < ROWS; r++)
	{
		size_t best[2] = {0, 0};

		for (int t = 0; t < 3; t++)
			row.part[t].float64 = x[t] = s.x[t] + r * wide[t];
		know(&row, 1, true);
		infer_both(model, &row, all, NULL);
		know(&row, 1, false);
		infer_both(model, &row, some, NULL);
		for (size_t j = 1; j < K; j++)
		{
			best[0] = all[j] > all[best[0]] ? j : best[0];
			best[1] = some[j] > some[best[1]] ? j : best[1];
		}
		right[0] += best[0] == s.component[r];
		right[1] += best[1] == s.component[r];
	}
	print_message("assigned: %.4f with three views, %.4f with two\n", right[0] / ROWS,
				  right[1] / ROWS);
	assert_above(right[0] / ROWS, 0.985);
	assert_above(right[1] / ROWS, 0.96);
	assert_below(right[1], right[0]);
	/* One component's density is the product of its views'. */
	know(&row, 0, false);
	know(&row, 2, false);
	infer_both(model, &row, none, &value);
	assert_below(fabs(value), 1e-12);
	assert_all_close(K, none, s.parts.weights, 1e-12);
	for (int t = 0; t < 3; t++)
	{
		know(&row, t, true);
		infer_both(model, &row, some, &parts[t]);
		know(&row, t, false);
		for (size_t j = 0; j < K; j++)
			none[j] *= some[j] / s.parts.weights[j] * exp(parts[t]);
	}
	for (int t = 0; t < 3; t++)
		know(&row, t, true);
	infer_both(model, &row, all, &value);
	for (size_t j = 0; j < K; j++)
		assert_close(none[j] / exp(value), all[j], 1e-9);
	memcpy(whole, x[0], 5 * sizeof(double));
	memcpy(whole + 5, x[1], 8 * sizeof(double));
	memcpy(whole + 13, x[2], 3 * sizeof(double));
	assert_ok(infer_values(&ctx, model, TLV_AS_VECTOR(16, whole), some));
	assert_memory_equal(some, all, sizeof(all));
}

TEST(test_refusals)
{
	sample s = draw_sample(false, 2), c = draw_sample(true, 2);
	tlv_model *vectors = open_model(s.truth), *categories = open_model(c.truth);
	const double *x[3] = {s.x[0], s.x[1], s.x[2]};
	const int64_t category[3] = {1, 2, 31};
	tlv_row row = *TLV_AS_VIEWS(wide, x);
	double bad[8] = {0, 0, NAN}, error[K], shares[K];
	tlv_accumulator *accumulator;
	int64_t assignment[K];
	tlv_multiview_simulation options = {
		.k = 2, .d = {2, 0, 2}, .separation = 1, .concentration = 1};
	void *image;
	size_t size;

	assert_int_equal(infer_values(&ctx, categories, &row, shares), TLV_BAD_PARAMETER);
	row.part[1].float64 = bad;
	assert_fails(infer_values(&ctx, vectors, &row, shares), TLV_BAD_DATA, "number 3 of view 2");
	bad[2] = 1e99;
	assert_fails(infer_values(&ctx, vectors, &row, shares), TLV_BAD_DATA,
				 "too far from all components");
	row.part[2].d = 4;
	assert_int_equal(infer_values(&ctx, vectors, &row, shares), TLV_BAD_DATA);
	row = *TLV_AS_CATEGORIES(category);
	assert_int_equal(infer_values(&ctx, vectors, &row, shares), TLV_BAD_PARAMETER);
	assert_ok(infer_values(&ctx, categories, &row, shares));
	row.part[2].type = TLV_PART_NONE; /* as a category that the model does not know */
	assert_ok(infer_values(&ctx, categories, &row, error));
	assert_memory_equal(error, shares, sizeof(shares));
	assert_int_equal(vectors->class->statistics(&ctx, vectors, "vb", &accumulator),
					 TLV_BAD_PARAMETER);
	assert_ok(vectors->class->statistics(&ctx, vectors, "", &accumulator));
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_CATEGORIES(c.category[0])),
					 TLV_BAD_PARAMETER);
	assert_ok(categories->class->statistics(&ctx, categories, NULL, &accumulator));
	assert_int_equal(tlv_add(&ctx, accumulator, TLV_AS_VIEWS(wide, x)), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_multiview_match(&ctx, &s.parts, &c.parts, assignment, error),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_multiview_random(&ctx, &options, &image, &size), TLV_BAD_PARAMETER);
	assert_true(refused_with(s.truth, "floor1", 0, -1));
}

/* A column that is constant, and one component whose view is, stay at their floors. */
TEST(test_floor)
{
	sample s = draw_sample(false, 2);
	tlv_multiview_parts parts;
	tlv_frame model, sums;

	for (size_t r = 0; r < ROWS; r++)
	{
		s.x[0][r * wide[0]] = 0.1;
		if (s.component[r] == 0)
			s.x[2][r * wide[2]] = 7;
	}
	model = fitted(&s, 0);
	for (int step = 0; step < 20; step++)
	{
		sums = statistics(&s, &model, 0, ROWS);
		model = updated(model, sums);
	}
	tlv_multiview_read(&model, &parts);
	for (size_t j = 0; j < K; j++)
	{
		assert_close(parts.means[0][j * wide[0]], 0.1, 1e-12);
		assert_equal(parts.variances[0][j * wide[0]], parts.floors[0][0]);
	}
	assert_close(parts.means[2][0], 7, 1e-3);
	assert_at_most(parts.variances[2][0], 2 * parts.floors[2][0]);
}

/* Order, signs and scales of columns do not matter; a category one model lacks has probability 0.
 */
TEST(test_match)
{
	const double a[6] = {3, 4, 0, 1, 1e-200, 0}, b[4] = {1e200, 0, -6, -8};
	const int64_t items_a[2] = {1, 2}, items_b[2] = {2, 3};
	const double halves[2] = {0.5, 0.5}, one[1] = {1};
	tlv_multiview_parts p = {.k = 1, .d = {2, 2, 2}, .weights = one}, q = p;
	int64_t assignment[3];
	double error[3];

	assert_ok(tlv_mixing_match(&ctx, 2, 3, a, 2, b, assignment, error));
	assert_int_equal(assignment[0], 1);
	assert_int_equal(assignment[1], -1);
	assert_int_equal(assignment[2], 0);
	assert_below(error[0], 1e-12);
	assert_below(error[2], 1e-12);
	assert_true(isnan(error[1]));
	assert_ok(tlv_mixing_match(&ctx, 2, 1, a + 2, 1, b, assignment, error));
	assert_close(error[0], sqrt(2), 1e-12);
	for (int t = 0; t < 3; t++)
	{
		p.means[t] = q.means[t] = halves;
		p.items[t] = items_a;
		q.items[t] = t == 0 ? items_b : items_a;
	}
	assert_ok(tlv_multiview_match(&ctx, &p, &q, assignment, error));
	assert_close(error[0], 1.0 / 3, 1e-12);
}

RUN_TESTS(setup, teardown)
