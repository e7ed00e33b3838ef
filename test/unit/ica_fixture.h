/*
 * ica_fixture.h - simulated models and rows, fits and their refinement, what their
 * diagnostics say.
 */
#ifndef TENSORLV_TEST_ICA_FIXTURE_H
#define TENSORLV_TEST_ICA_FIXTURE_H

#include "pool_setup.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/ica.h"

/* Rows of a model, all of them in memory. */
typedef struct rows
{
	size_t n, d;
	double *x;
} rows;

static inline tlv_status
keep_row(tlv_context *c, void *argument, size_t row, const double *x, const double *sources)
{
	rows *r = argument;

	memcpy(r->x + (row - 1) * r->d, x, r->d * sizeof(double));
	return TLV_OK;
}

static inline tlv_frame
truth(size_t d, size_t k, double noise, uint64_t seed)
{
	tlv_ica_simulation options = {.d = d, .k = k, .noise = noise, .mixed = true, .seed = seed};

	return MADE(tlv_ica_simulate_model, &options);
}

static inline rows
draw(const tlv_frame *model, size_t n, uint64_t seed)
{
	rows r = {n, tlv_frame_find(model, "mixing")->rows, NULL};

	r.x = tlv_alloc(&ctx, r.n * r.d, sizeof(double));
	assert_ok(tlv_ica_simulate(&ctx, model, n, seed, keep_row, &r));
	return r;
}

static inline tlv_frame
collect(const rows *r, tlv_accumulator *accumulator)
{
	for (size_t i = 0; i < r->n; i++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(r->d, r->x + i * r->d)));
	return stored(accumulator);
}

static inline tlv_frame
moments_of(const rows *r, int order)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_dense_moments_create(&ctx, order, &accumulator));
	return collect(r, accumulator);
}

static inline tlv_frame
fit(const tlv_frame *moments, const tlv_ica_options *options)
{
	return MADE(tlv_ica_fit, moments, options);
}

/* One refinement step of a method. */
static inline tlv_frame
step_by(const rows *r, const tlv_frame *model, const char *method)
{
	return updated(*model, collect(r, statistics_begin(*model, method)));
}

static inline tlv_frame
step(const rows *r, const tlv_frame *model)
{
	return step_by(r, model, "tanh");
}

static inline tlv_frame
refine_by(const rows *r, tlv_frame model, int most, const char *method)
{
	for (int i = 0; i < most && !tlv_ica_settled(&model); i++)
		model = step_by(r, &model, method);
	return model;
}

static inline tlv_frame
refine(const rows *r, tlv_frame model, int most)
{
	return refine_by(r, model, most, "tanh");
}

static inline double
amari(const tlv_frame *true_model, const tlv_frame *model)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	double index;

	assert_ok(tlv_ica_amari(&ctx, section->rows, section->columns,
							tlv_frame_float64(model, "mixing"),
							tlv_frame_float64(true_model, "mixing"), &index));
	return index;
}

/* The diagnostic of that name and number. */
static inline double
diagnostic_of(const tlv_frame *model, const char *name, size_t number)
{
	char wanted[64];
	double value;

	snprintf(wanted, sizeof(wanted), "%s%zu", name, number);
	value = tlv_diagnostics_find(model, wanted, NAN);
	if (isnan(value))
		fail_msg("there is no diagnostic %s", wanted);
	return value;
}

/* Conventions of the stored form: order, signs, outputs of variance 1, inverse of mixing. */
static inline void
assert_conventions(const rows *r, const tlv_frame *model)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	size_t d = section->rows, k = section->columns;
	const double *mixing = tlv_section_data(model, section);
	const double *kurtosis = tlv_frame_float64(model, "kurtosis");
	double *y = tlv_alloc(&ctx, k, sizeof(double)), *square = tlv_alloc0(&ctx, k * k, 8);
	tlv_model *opened = open_model(*model);

	for (size_t i = 0; i < r->n; i++)
	{
		assert_ok(tlv_ica_unmix(&ctx, opened, d, r->x + i * d, y));
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < k; b++)
				square[a + b * k] += y[a] * y[b] / (double) r->n;
	}
	for (size_t j = 0; j < k; j++)
	{
		double largest = 0;

		if (j != 0)
			assert_at_most(fabs(kurtosis[j]), fabs(kurtosis[j - 1]));
		for (size_t i = 0; i < d; i++)
			largest = fabs(mixing[i + j * d]) > fabs(largest) ? mixing[i + j * d] : largest;
		assert_above(largest, 0);
		assert_close(square[j + j * k], 1, 1e-8);
		for (size_t i = 0; i < k && tlv_frame_scalar(model, "noise", 0) == 0; i++)
			if (i != j)
				assert_below(fabs(square[i + j * k]), 1e-8);
	}
}

#endif /* TENSORLV_TEST_ICA_FIXTURE_H */
