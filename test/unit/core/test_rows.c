/*
 * test_rows.c - rows of the wrong form are refused in one way by every class, posteriors keep their
 * memory, accumulators are made from statistics, models are matched.
 */
#include "infer.h"
#include "pool_setup.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/multiview.h"

#define LAST_FORM TLV_ROW_ENTRY

static tlv_frame
mixture(size_t k, size_t d)
{
	return MADE(tlv_gmm_random, k, d, 4, TLV_COVARIANCE_SPHERICAL, 1);
}

/* ---- forms ---- */

TEST(test_accumulators)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);

	for (size_t i = 0; i < n; i++)
	{
		const tlv_accumulator_class *class = kinds[i]->accumulator;
		tlv_accumulator *accumulator;

		if (class == NULL)
			continue;
		assert_unequal(class->rows, 0);
		assert_below(class->rows & ~(TLV_ROWS_MISSING_ELEMENTS | TLV_ROWS_MISSING_VIEWS),
					 2 * LAST_FORM);
		assert_non_null(class->add);
		assert_ok(tlv_accumulator_create(&ctx, class, &accumulator));
		for (unsigned form = 1; form <= LAST_FORM; form *= 2)
		{
			const tlv_row row = {.form = (tlv_row_form) form};
			char words[128];

			if ((class->rows & form) != 0)
			{
				assert_ok(tlv_accumulator_require(&ctx, accumulator, row.form));
				continue;
			}
			snprintf(words, sizeof(words), "rows of %s are not %s", class->name,
					 tlv_row_name(row.form));
			assert_fails(tlv_add(&ctx, accumulator, &row), TLV_BAD_PARAMETER, words);
			assert_non_null(strstr(ctx.error.hint, "They are "));
		}
	}
}

TEST(test_models)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);
	tlv_frame frame = mixture(3, 2);
	tlv_model *model = open_model(frame);
	tlv_posterior posterior = {0};
	int32_t states[1];
	double value;

	for (size_t i = 0; i < n; i++)
		if (kinds[i]->model != NULL)
		{
			const tlv_model_class *class = kinds[i]->model;

			assert_equal(class->rows != 0, class->infer != NULL);
			assert_equal(class->rows != 0, class->log_likelihood != NULL);
			if (class->decode != NULL)
				assert_unequal(class->rows & (TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS), 0);
		}
	for (unsigned form = 1; form <= LAST_FORM; form *= 2)
	{
		const tlv_row row = {.form = (tlv_row_form) form};
		char words[128];

		if (form == TLV_ROW_VECTOR)
			continue;
		snprintf(words, sizeof(words),
				 "is not defined for %s under a model of kind gaussian_mixture",
				 tlv_row_name(row.form));
		assert_fails(tlv_model_infer(&ctx, model, &row, &posterior), TLV_BAD_PARAMETER, words);
		assert_fails(tlv_model_log_likelihood(&ctx, model, &row, &value), TLV_BAD_PARAMETER, words);
	}
	assert_fails(tlv_model_decode(&ctx, model, TLV_AS_VECTOR(2, ((double[]){1, 2})), states),
				 TLV_BAD_PARAMETER, "decoding is not defined for a model of kind");
}

/* A view that is missing is no row for sums; it is one for a mixture of views. */
TEST(test_missing_views)
{
	const double numbers[3] = {1, 2, 3};
	const int64_t ids[3] = {1, 2, 3};
	tlv_row views = *TLV_AS_VIEWS(((size_t[]){1, 1, 1}),
								  ((const double *[]){numbers, numbers + 1, numbers + 2}));
	tlv_row categories = *TLV_AS_CATEGORIES(ids);
	tlv_accumulator *accumulator;

	views.part[1].type = categories.part[2].type = TLV_PART_NONE;
	assert_ok(tlv_view_moments_create(&ctx, &accumulator));
	assert_fails(tlv_add(&ctx, accumulator, &views), TLV_BAD_DATA, "view 2");
	assert_ok(tlv_category_views_create(&ctx, &accumulator));
	assert_fails(tlv_add(&ctx, accumulator, &categories), TLV_BAD_DATA, "view 3");
}

/* ---- posteriors ---- */

TEST(test_posterior)
{
	const size_t widths[3] = {2, 5, 3};
	tlv_posterior posterior = {0};
	double *values;

	assert_ok(tlv_posterior_begin(&ctx, &posterior, 4, 3));
	assert_int_equal(posterior.total, 12);
	assert_null(posterior.widths);
	values = posterior.values;
	assert_ok(tlv_posterior_begin_blocks(&ctx, &posterior, 3, widths));
	assert_int_equal(posterior.total, 10);
	assert_memory_equal(posterior.widths, widths, sizeof(widths));
	assert_ptr_equal(posterior.values, values); /* no new memory for fewer numbers */
	assert_ok(tlv_posterior_begin(&ctx, &posterior, 0, 3));
	assert_int_equal(posterior.total, 0);
	assert_non_null(posterior.values);
	assert_ok(tlv_posterior_begin_blocks(&ctx, &posterior, 0, NULL));
	assert_non_null(posterior.widths);
	assert_fails(tlv_posterior_begin(&ctx, &posterior, SIZE_MAX / 16, 3), TLV_LIMIT, "times 3");
	assert_short_of_memory(100, tlv_posterior_begin(&ctx, &posterior, 100, 3));
	assert_ok(tlv_posterior_begin(&ctx, &posterior, 100, 3));
	memset(posterior.values, 0, 300 * sizeof(double));
	tlv_posterior_free(&ctx, &posterior);
	assert_null(posterior.values);
}

/* ---- statistics ---- */

/* The statistics of ten rows under a mixture: opened by us, or by whoever runs the aggregate. */
static tlv_frame
statistics_of(const tlv_frame *model, void *open)
{
	const tlv_statistic statistic = {
		.aggregate = &tlv_aggregate_statistics, .constant = model, .opened = open};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (int i = 0; i < 10; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(2, ((double[]){i, -i}))));
	return stored(accumulator);
}

TEST(test_statistics)
{
	tlv_frame model = mixture(3, 2), moments, other;
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_statistics};
	tlv_accumulator *accumulator;

	moments = statistics_of(&model, NULL);
	other = statistics_of(&model, open_model(model));
	assert_int_equal(moments.header->size, other.header->size);
	assert_memory_equal(moments.header, other.header, moments.header->size);

	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "tlv_statistics needs a model");
	statistic.constant = &moments;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "is no model");
	statistic.constant = &model;
	statistic.refine = "gibbs";
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "there is no refinement \"gibbs\"");
	statistic.aggregate = &tlv_aggregate_coherence;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "tlv_coherence is not defined for a model of kind gaussian_mixture");
	statistic.aggregate = &tlv_aggregate_perplexity;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "tlv_perplexity is not defined for a model of kind gaussian_mixture");
}

/* A constant of another kind, and one that is wanted and not there. */
TEST(test_constants)
{
	tlv_frame model = mixture(3, 2);
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_count_products};
	tlv_accumulator *accumulator;

	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "tlv_count_products needs a subspace");
	statistic.constant = &model;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "needs a tlv_subspace of kind items, not gaussian_mixture");
	statistic.aggregate = &tlv_aggregate_dense_moments;
	assert_fails(tlv_statistic_create(&ctx, &statistic, &accumulator), TLV_BAD_PARAMETER,
				 "needs a tlv_subspace of kind dense_subspace, not gaussian_mixture");
	statistic = (tlv_statistic){.aggregate = &tlv_aggregate_digraph};
	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	assert_string_equal(accumulator->class->name, "directed");
}

/* ---- two models ---- */

static tlv_frame
other_model(void)
{
	tlv_multiview_simulation options = {
		.k = 2, .d = {2, 2, 2}, .separation = 2, .concentration = 1, .seed = 1};

	return MADE(tlv_multiview_random, &options);
}

TEST(test_match)
{
	tlv_frame a = mixture(3, 2), wide = mixture(3, 4), few = mixture(2, 2), views = other_model();
	tlv_match match;

	assert_ok(tlv_model_match(&ctx, &a, &a, &match));
	assert_int_equal(match.k, 3);
	for (size_t j = 0; j < 3; j++)
	{
		assert_int_equal(match.component[j], j);
		assert_below(match.distance[j], 1e-12);
	}
	assert_ok(tlv_model_match(&ctx, &a, &few, &match));
	for (size_t j = 0; j < 3; j++)
		assert_equal(match.component[j] < 0, isnan(match.distance[j]));
	assert_fails(tlv_model_match(&ctx, &a, &wide, &match), TLV_BAD_PARAMETER, "2 and 4");
	assert_fails(tlv_model_match(&ctx, &a, &views, &match), TLV_BAD_PARAMETER,
				 "tlv_match needs a tlv_model of kind gaussian_mixture, not multiview");
}

RUN_TESTS(setup, teardown)
