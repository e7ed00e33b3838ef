/*
 * convolution_fixture.h - simulated series, their moments and models, and how near templates are.
 */
#ifndef TENSORLV_TEST_CONVOLUTION_FIXTURE_H
#define TENSORLV_TEST_CONVOLUTION_FIXTURE_H

#include "source_setup.h"
#include "tensorlv/model/convolution.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"

/* A series in memory, with its activations. */
typedef struct series_rows
{
	size_t n, k, filled;
	double *x;
	double *activations; /* n x k */
} series_rows;

static inline tlv_status
keep_step(tlv_context *context, void *argument, size_t series, size_t t, double x,
		  const double *activations)
{
	series_rows *r = argument;

	memcpy(r->activations + r->filled * r->k, activations, r->k * sizeof(double));
	r->x[r->filled++] = x;
	return TLV_OK;
}

static inline tlv_frame
true_model(const tlv_convolution_simulation *options)
{
	return MADE(tlv_convolution_simulate_model, options);
}

static inline series_rows
draw_series(const tlv_frame *model, size_t n, uint64_t seed)
{
	series_rows r = {.n = n, .k = tlv_model_components(model)};

	r.x = room(n * (r.k + 1), sizeof(double));
	r.activations = r.x + n;
	assert_ok(tlv_convolution_simulate(&ctx, model, 1, n, seed, keep_step, &r));
	return r;
}

static inline tlv_accumulator *
empty_moments(int lags, const char *method)
{
	tlv_statistic statistic = {
		.aggregate = &tlv_aggregate_series_moments, .order = lags, .refine = method};
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	return accumulator;
}

static inline tlv_frame
moments_of(size_t n, const double *x, int lags)
{
	tlv_accumulator *accumulator = empty_moments(lags, NULL);

	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(n, 1, x)));
	return stored(accumulator);
}

static inline tlv_frame
fit(const tlv_frame *moments, size_t k)
{
	tlv_convolution_options options = {.k = k, .max_k = 4, .iterations = -1, .seed = 1};

	return MADE(tlv_convolution_fit, moments, &options);
}

/* The least correlation of a true template with the one that it is matched with, at the best shift.
 */
static inline double
least_correlation(const tlv_frame *truth, const tlv_frame *model)
{
	double least = 1;
	tlv_match match;

	assert_ok(tlv_model_match(&ctx, truth, model, &match));
	for (size_t i = 0; i < match.k; i++)
		least =
			fmin(least, match.component[i] < 0 ? 0 : 1 - match.distance[i] * match.distance[i] / 2);
	return least;
}

#endif
