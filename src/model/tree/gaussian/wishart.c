/*
 * wishart.c - random covariances for the parametric bootstrap (tree_gaussian.h).
 */
#include "tuning.h"
#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/num/numbers.h"

struct tlv_wishart
{
	tlv_rng rng;
	size_t d, rank;
	double rows;
	double *mean;		/* d */
	double *root;		/* d x rank: root root' is the covariance */
	double *factor;		/* rank x rank, lower: Bartlett's */
	double *product;	/* d x rank */
	double *covariance; /* d x d */
	double *sum1;		/* d, zero */
	double *sum2;		/* packed2 */
};

static tlv_status
take_root(tlv_context *ctx, tlv_wishart *w, tlv_dense_central *central)
{
	double *values = tlv_alloc(ctx, w->d, sizeof(double));

	TLV_TRY_ALLOC(ctx, values);
	memcpy(w->mean, central->mean, w->d * sizeof(double));
	TLV_TRY(tlv_eigen_symmetric(ctx, w->d, central->covariance, values));
	while (w->rank < w->d && (double) w->rank < w->rows - 1 &&
		   values[w->rank] > TLV_DEPENDENT * values[0])
		w->rank++;
	TLV_TRY_NEW(ctx, w->root, w->d * w->rank);
	for (size_t j = 0; j < w->rank; j++)
		for (size_t i = 0; i < w->d; i++)
			w->root[i + j * w->d] = central->covariance[i + j * w->d] * sqrt(values[j]);
	tlv_free(ctx, values);
	return TLV_OK;
}

tlv_status
tlv_wishart_create(tlv_context *ctx, const tlv_frame *moments, uint64_t seed, tlv_wishart **wishart)
{
	tlv_dense_central central;
	tlv_wishart *w;
	tlv_status status;

	*wishart = w = tlv_alloc0(ctx, 1, sizeof(tlv_wishart));
	TLV_TRY_ALLOC(ctx, w);
	tlv_rng_seed(&w->rng, seed);
	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	w->d = central.d;
	w->rows = central.rows;
	TLV_TRY_NEW(ctx, w->mean, w->d);
	status = take_root(ctx, w, &central);
	tlv_dense_central_free(ctx, &central);
	TLV_TRY(status);
	if (w->rank == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the bootstrap needs columns that vary and 2 rows");
	TLV_TRY_NEW0(ctx, w->factor, w->rank * w->rank);
	w->product = tlv_alloc(ctx, w->d * w->rank, sizeof(double));
	TLV_TRY_ALLOC(ctx, w->product);
	TLV_TRY_NEW(ctx, w->covariance, w->d * w->d);
	w->sum1 = tlv_alloc0(ctx, w->d, sizeof(double));
	TLV_TRY_ALLOC(ctx, w->sum1);
	TLV_TRY_NEW(ctx, w->sum2, tlv_packed2_size(w->d));
	return TLV_OK;
}

void
tlv_wishart_free(tlv_context *ctx, tlv_wishart *wishart)
{
	if (wishart == NULL)
		return;
	tlv_free(ctx, wishart->sum2);
	tlv_free(ctx, wishart->sum1);
	tlv_free(ctx, wishart->covariance);
	tlv_free(ctx, wishart->product);
	tlv_free(ctx, wishart->factor);
	tlv_free(ctx, wishart->root);
	tlv_free(ctx, wishart->mean);
	tlv_free(ctx, wishart);
}

tlv_status
tlv_wishart_draw(tlv_context *ctx, tlv_wishart *wishart, void **image, size_t *size)
{
	tlv_wishart *w = wishart;
	double freedom = w->rows - 1;
	tlv_frame_builder builder;

	for (size_t j = 0; j < w->rank; j++)
	{
		w->factor[j + j * w->rank] = sqrt(2 * tlv_rng_gamma(&w->rng, (freedom - (double) j) / 2));
		for (size_t i = j + 1; i < w->rank; i++)
			w->factor[i + j * w->rank] = tlv_rng_normal(&w->rng);
	}
	TLV_TRY(tlv_gemm(ctx, false, false, w->d, w->rank, w->rank, 1, w->root, w->d, w->factor,
					 w->rank, 0, w->product, w->d));
	/* Moments are over rows, not over the degrees of freedom. */
	TLV_TRY(tlv_syrk(ctx, false, w->d, w->rank, w->rows / freedom, w->product, w->d, 0,
					 w->covariance, w->d, false));
	tlv_packed2_pack(w->d, w->covariance, w->sum2);
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_DENSE_MOMENTS);
	tlv_frame_add_scalar(&builder, "rows", w->rows);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "order", 2);
	tlv_frame_add(&builder, "shift", TLV_FLOAT64, w->d, 1, w->mean);
	tlv_frame_add(&builder, "sum1", TLV_FLOAT64, w->d, 1, w->sum1);
	tlv_frame_add(&builder, "sum2", TLV_FLOAT64, tlv_packed2_size(w->d), 1, w->sum2);
	tlv_frame_add(&builder, "sum3", TLV_FLOAT64, 0, 1, NULL);
	tlv_frame_add(&builder, "sum4", TLV_FLOAT64, 0, 1, NULL);
	return tlv_frame_finish(ctx, &builder, image, size);
}
