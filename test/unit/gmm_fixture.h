/*
 * gmm_fixture.h - rows of simulated mixtures of Gaussians, their moments, fits and
 * steps of EM.
 */
#ifndef TENSORLV_TEST_GMM_FIXTURE_H
#define TENSORLV_TEST_GMM_FIXTURE_H

#include "tensorlv/model/dense.h"
#include "gmm_refine.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "infer.h"

/* ---- data ---- */

/* The rows as a sample; they stay as they are. */
static inline tlv_gmm_sample
sample_of(const data *rows)
{
	double *copy = tlv_alloc(&ctx, rows->n * rows->d, sizeof(double));
	tlv_gmm_sample sample;

	assert_non_null(copy);
	memcpy(copy, rows->x, rows->n * rows->d * sizeof(double));
	assert_ok(tlv_gmm_sample_open(&ctx, rows->n, rows->d, copy, false, 1, &sample));
	return sample;
}

static inline tlv_frame
collect(tlv_accumulator *accumulator, const data *rows)
{
	for (size_t t = 0; t < rows->n; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_VECTOR(rows->d, rows->x + t * rows->d)));
	return stored(accumulator);
}

static inline tlv_frame
moments(const data *rows, int order)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_dense_moments_create(&ctx, order, &accumulator));
	return collect(accumulator, rows);
}

static inline tlv_status
try_fit(tlv_frame from, size_t k, tlv_covariance covariance, tlv_frame *model)
{
	tlv_gmm_options options = {.k = k, .covariance = covariance, .seed = 1};
	void *image;
	size_t size;

	TLV_TRY(tlv_gmm_fit(&ctx, &from, &options, &image, &size));
	*model = checked(TLV_FRAME_MODEL, image, size);
	return TLV_OK;
}

static inline tlv_frame
fit(const data *rows, size_t k, tlv_covariance covariance)
{
	tlv_frame model = {0};

	assert_ok(try_fit(moments(rows, 3), k, covariance, &model));
	return model;
}

static inline tlv_frame
statistics(tlv_frame model, const data *rows)
{
	return collect(statistics_begin(model, "em"), rows);
}

#endif /* TENSORLV_TEST_GMM_FIXTURE_H */
