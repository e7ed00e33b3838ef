/*
 * test_layout.c - labels, components renumbered, aligned and dropped, steps that keep numbers:
 * what every kind of model shares.
 */
#include "pool_setup.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/sections.h"

/* A value that a call made, which whoever stores it accepts. */
static tlv_frame
accepted(tlv_frame made)
{
	assert_true(tlv_kind_accepts(&ctx, (void *) (uintptr_t) made.header, made.header->size));
	return made;
}

static tlv_frame
mixture(size_t k, tlv_covariance covariance)
{
	return accepted(MADE(tlv_gmm_random, k, 3, 6, covariance, 1));
}

static tlv_frame
arranged(const tlv_frame *model, const tlv_frame *reference, size_t n, const tlv_place *places)
{
	return accepted(MADE(tlv_model_arrange, model, reference, n, places));
}

static tlv_frame
aligned(const tlv_frame *model, const tlv_frame *reference)
{
	return accepted(MADE(tlv_model_align, model, reference, NAN));
}

static bool
same(const tlv_frame *a, const tlv_frame *b)
{
	return tlv_digest_equal(&a->header->digest, &b->header->digest);
}

/* By a field of its own, or beside another one. */
static bool
described(const tlv_layout *layout, const char *name)
{
	if (tlv_layout_field(layout, name) != NULL)
		return true;
	for (const tlv_field *field = layout->fields; field->form != TLV_FIELDS_END; field++)
		if (field->beside != NULL && strcmp(field->beside, name) == 0)
			return true;
	return false;
}

/* Every section of every kind of model that has components' numbers is described. */
TEST(test_records)
{
	size_t n;
	const tlv_kind *const *kinds = tlv_kinds(&n);

	for (size_t i = 0; i < n; i++)
	{
		const tlv_sections *sections;

		if (kinds[i]->model == NULL)
			continue;
		assert_non_null(kinds[i]->model->layout);
		sections = kinds[i]->model->sections;
		for (size_t s = 0; sections != NULL && s < sections->n; s++)
		{
			const char *name = sections->list[s].name;

			if (!described(kinds[i]->model->layout, name))
				fail_msg("section \"%s\" of %s is not described", name, kinds[i]->name);
		}
	}
}

/* Renumbered and aligned again, a model is what it was, with its labels. */
TEST(test_align)
{
	static const tlv_place turned[] = {{2, -1}, {0, -1}, {3, -1}, {1, -1}};

	for (tlv_covariance c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		tlv_frame model = mixture(4, c), other, back, labelled;
		void *image;
		size_t size;

		assert_ok(tlv_label_component(&ctx, &model, 1, (tlv_text){"two", 3}, &image, &size));
		labelled = accepted(frame_of(image, size));
		other = arranged(&labelled, NULL, 4, turned);
		assert_false(same(&other, &labelled));
		assert_int_equal(tlv_component_label(&other, 3).length, 3);
		assert_null(tlv_component_label(&other, 1).bytes);
		back = aligned(&other, &labelled);
		assert_true(same(&back, &labelled));
		assert_ok(tlv_label_component(&ctx, &back, 1, (tlv_text){NULL, 0}, &image, &size));
		back = accepted(frame_of(image, size));
		assert_true(same(&back, &model));
	}
}

/* What is gone keeps its number and parameters at weight 0, infers 0, and comes back. */
TEST(test_absent)
{
	static const tlv_place three[] = {{3, -1}, {0, -1}, {2, -1}};
	tlv_frame model = mixture(4, TLV_COVARIANCE_FULL), fewer, whole, again;
	double x[3] = {1, -2, 0.5}, weights[4];
	tlv_row row = {.form = TLV_ROW_VECTOR, .part = {{.n = 1, .d = 3, .float64 = x}}};
	bool missing[3] = {false, true, false};
	tlv_posterior one = {0}, other = {0};
	tlv_accumulator *accumulator;
	tlv_model *a, *b;

	fewer = arranged(&model, NULL, 3, three);
	whole = aligned(&fewer, &model);
	assert_int_equal(tlv_model_components(&whole), 4);
	assert_true(tlv_component_is_absent(&whole, 1));
	assert_memory_equal(tlv_frame_float64(&whole, "means"), tlv_frame_float64(&model, "means"),
						12 * sizeof(double));
	assert_ok(tlv_model_weights(&ctx, &whole, weights));
	assert_close(weights[0] + weights[2] + weights[3], 1, 1e-12);
	assert_ok(tlv_model_open(&ctx, &whole, &a));
	assert_ok(tlv_model_open(&ctx, &fewer, &b));
	assert_ok(tlv_model_infer(&ctx, a, &row, &one));
	assert_ok(tlv_model_infer(&ctx, b, &row, &other));
	assert_int_equal(one.total, 4);
	assert_true(one.values[1] == 0);
	assert_close(one.values[3], other.values[0], 1e-12);
	assert_close(one.values[0], other.values[1], 1e-12);
	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_statistics, .constant = &whole},
		&accumulator));
	assert_ok(tlv_add(&ctx, accumulator, &row));
	assert_fails(tlv_statistic_create(&ctx,
									  &(tlv_statistic){.aggregate = &tlv_aggregate_error_statistics,
													   .constant = &whole},
									  &accumulator),
				 TLV_BAD_PARAMETER, "components of weight 0");
	assert_non_null(strstr(ctx.error.hint, "error statistics of tlv_compact(model)"));
	row.part[0].missing = missing;
	assert_ok(tlv_model_impute(&ctx, a, &row, &one));
	assert_ok(tlv_model_impute(&ctx, b, &row, &other));
	assert_close(one.values[1], other.values[1], 1e-12);
	again = aligned(&model, &whole);
	assert_true(same(&again, &model));
}

TEST(test_refused)
{
	tlv_frame model = mixture(2, TLV_COVARIANCE_COMMON);
	char long_label[TLV_LABEL_MOST + 1] = {0};
	void *image;
	size_t size;

	assert_int_equal(tlv_label_component(&ctx, &model, 2, (tlv_text){"x", 1}, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_label_component(&ctx, &model, 0,
										 (tlv_text){long_label, TLV_LABEL_MOST + 1}, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_model_compact(&ctx, &model, 0.9999, 0, NULL, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_model_compact(&ctx, &model, NAN, 0, NULL, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_model_align(&ctx, &model, &model, -1, &image, &size), TLV_BAD_PARAMETER);
}

RUN_TESTS(setup, teardown)
