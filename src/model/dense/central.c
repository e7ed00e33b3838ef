/*
 * central.c - central moments of a stored value, and the subspace of
 * its leading directions (dense.h).
 */
#include "tensorlv/model/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sums.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tensor3.h"

static tlv_status
vanishes(tlv_context *ctx, size_t j, double deviation, int order)
{
	tlv_fail(ctx, TLV_BAD_DATA,
			 "element %zu of the vectors varies by %g only: its power of order "
			 "%d vanishes",
			 j + 1, deviation, order);
	return tlv_fail_hint(ctx, "Multiply this element by a constant in all rows.");
}

/* Of values that were collected they are; of a forged one anything may come out. */
static tlv_status
check_finite(tlv_context *ctx, const tlv_dense_central *central)
{
	size_t d = central->d, sizes[4] = {d, d * d, tlv_packed3_size(d), tlv_packed4_size(d)};
	const double *arrays[4] = {central->mean, central->covariance, central->third, central->fourth};

	for (int a = 0; a < 4; a++)
	{
		double sum = 0;

		for (size_t i = 0; arrays[a] != NULL && i < sizes[a]; i++)
			sum += arrays[a][i] * 0;
		if (sum != 0) /* infinity or NaN times zero */
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the moments are not finite");
			return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
		}
	}
	return TLV_OK;
}

/* A variance whose powers up to the order fall below the normal numbers is no variance any more. */
static tlv_status
check_variances(tlv_context *ctx, const tlv_dense_central *central)
{
	double least = pow(DBL_MIN / DBL_EPSILON, 1.0 / central->order);

	for (size_t j = 0; j < central->d; j++)
	{
		double deviation = sqrt(central->covariance[j * (central->d + 1)]);

		if (deviation > 0 && deviation < least)
			return vanishes(ctx, j, deviation, central->order);
	}
	return TLV_OK;
}

static void
scale_array(size_t n, double factor, double *x)
{
	for (size_t i = 0; x != NULL && i < n; i++)
		x[i] *= factor;
}

/* Sums about the mean, divided by the rows. */
static void
fill_central(dense_sums *sums, tlv_dense_central *central)
{
	size_t d = sums->d;
	double *square = sums->sum2, each = 1 / sums->rows;

	scale_array(d * d, each, square);
	for (size_t j = 0; j < d; j++)
		for (size_t i = j + 1; i < d; i++)
			square[j + d * i] = square[i + d * j];
	central->d = d;
	central->order = sums->order;
	central->rows = sums->rows;
	central->covariance = square;
	central->third = sums->sum3;
	central->fourth = sums->sum4;
	scale_array(sums->order >= 3 ? tlv_packed3_size(d) : 0, each, sums->sum3);
	scale_array(sums->order >= 4 ? tlv_packed4_size(d) : 0, each, sums->sum4);
}

tlv_status
tlv_dense_central_compute(tlv_context *ctx, const tlv_frame *moments, tlv_dense_central *central)
{
	bool shifted = moments->header->kind == TLV_KIND_DENSE_MOMENTS;
	const double *shift = shifted ? tlv_frame_float64(moments, "shift") : NULL;
	dense_sums sums;
	double *delta;

	memset(central, 0, sizeof(*central));
	if (moments->header->kind != TLV_KIND_DENSE_MOMENTS &&
		moments->header->kind != TLV_KIND_DENSE_COMPRESSED)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "moments of vectors are needed");
		return tlv_fail_hint(ctx, "Collect them with tlv_dense_moments(x, 2).");
	}
	if (tlv_frame_scalar(moments, "rows", 0) == 0)
		return tlv_refuse_empty(ctx, "the moments hold", "rows");
	TLV_TRY(dense_sums_read(ctx, moments, &sums));
	central->mean = sums.sum1; /* to be freed even after an error */
	TLV_TRY_NEW(ctx, delta, sums.d);
	for (size_t j = 0; j < sums.d; j++)
		delta[j] = -sums.sum1[j] / sums.rows;
	for (size_t j = 0; j < sums.d; j++) /* squares that are not even the least number */
		if (delta[j] != 0 && sums.sum2[j * (sums.d + 1)] == 0)
			return vanishes(ctx, j, fabs(delta[j]), sums.order);
	dense_sums_translate(&sums, delta);
	fill_central(&sums, central);
	for (size_t j = 0; j < sums.d; j++)
		central->mean[j] = (shift != NULL ? shift[j] : 0) - delta[j];
	tlv_free(ctx, delta);
	TLV_TRY(check_finite(ctx, central));
	return check_variances(ctx, central);
}

/* One block of memory, which begins with the mean. */
void
tlv_dense_central_free(tlv_context *ctx, tlv_dense_central *central)
{
	tlv_free(ctx, central->mean);
	memset(central, 0, sizeof(*central));
}

/* ---- subspace ---- */

typedef struct leading
{
	size_t known;	/* eigenvalues */
	double *values; /* known, descending */
	double *basis;	/* d x p */
	double noise;	/* mean of those left out */
} leading;

/* What the leading values leave of the trace. */
static double
mean_left(size_t d, size_t p, double trace, const double *values)
{
	for (size_t j = 0; j < p; j++)
		trace -= values[j];
	return d > p ? fmax(0, trace) / (double) (d - p) : 0;
}

static tlv_status
covariance_apply(tlv_context *ctx, void *argument, size_t d, size_t l, const double *x, double *z)
{
	return tlv_gemm(ctx, false, false, l, d, d, 1, x, l, argument, d, 0, z, l);
}

/* The basis is kept transposed by the iteration: turned round into columns. */
static tlv_status
iterate_leading(tlv_context *ctx, const tlv_dense_central *central, size_t p, leading *out)
{
	/* The iteration for leading directions of a large covariance. */
	const double leading_tolerance = 1e-8;
	const int leading_steps = 100;
	size_t d = central->d, l = p + 10 < d ? p + 10 : d;
	tlv_eigen_task task = {
		.n = d, .k = p, .l = l, .tolerance = leading_tolerance, .max_steps = leading_steps};
	tlv_rng rng;
	double *x = tlv_alloc(ctx, l * d, sizeof(double));
	int steps;

	TLV_TRY_ALLOC(ctx, x);
	TLV_TRY_NEW(ctx, out->values, l);
	TLV_TRY_NEW(ctx, out->basis, d * p);
	tlv_rng_seed(&rng, 1);
	TLV_TRY(tlv_subspace_iteration(ctx, &task, covariance_apply, central->covariance, &rng, x,
								   out->values, &steps));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < p; j++)
			out->basis[i + d * j] = x[j + l * i];
	out->known = p;
	tlv_free(ctx, x);
	return TLV_OK;
}

static tlv_status
leading_directions(tlv_context *ctx, tlv_dense_central *central, size_t p, leading *out)
{
	size_t d = central->d;
	double trace = 0;

	for (size_t j = 0; j < d; j++)
		trace += central->covariance[j * (d + 1)];
	if (d > TLV_EIGEN_LIMIT)
		TLV_TRY(iterate_leading(ctx, central, p, out));
	else
	{
		out->known = d;
		TLV_TRY_NEW(ctx, out->values, d);
		out->basis = central->covariance;
		TLV_TRY(tlv_eigen_symmetric(ctx, d, out->basis, out->values));
	}
	for (size_t j = 0; j < out->known; j++)
		out->values[j] = fmax(0, out->values[j]); /* rounding */
	out->noise = mean_left(d, p, trace, out->values);
	if (isfinite(out->noise) && isfinite(out->values[0]))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "the variances overflow");
	return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
}

tlv_status
tlv_dense_subspace(tlv_context *ctx, const tlv_frame *moments, size_t p, void **image, size_t *size)
{
	tlv_dense_central central;
	tlv_frame_builder builder;
	leading out;
	size_t d = tlv_frame_find(moments, "sum1") != NULL ? tlv_frame_find(moments, "sum1")->rows : 0;

	*image = NULL;
	*size = 0;
	if (moments->header->kind != TLV_KIND_DENSE_MOMENTS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a subspace of vectors needs moments of kind dense_moments");
		return tlv_fail_hint(ctx, "Collect them with tlv_dense_moments(x, 2).");
	}
	if (p < 1 || p > d || p > TLV_DENSE_MOST_3)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"k = %zu is not between 1 and %zu, for vectors of length %zu", p,
						d < TLV_DENSE_MOST_3 ? d : TLV_DENSE_MOST_3, d);
	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	TLV_TRY(leading_directions(ctx, &central, p, &out));
	tlv_frame_begin(&builder, TLV_FRAME_SUBSPACE, TLV_KIND_DENSE_SUBSPACE);
	tlv_frame_add_scalar(&builder, "rank", (double) p);
	tlv_frame_add_scalar(&builder, "rows", central.rows);
	tlv_frame_add_scalar(&builder, "noise", out.noise);
	tlv_frame_add(&builder, "mean", TLV_FLOAT64, d, 1, central.mean);
	tlv_frame_add(&builder, "covariance_values", TLV_FLOAT64, out.known, 1, out.values);
	tlv_frame_add(&builder, "basis", TLV_FLOAT64, d, p, out.basis);
	TLV_TRY(tlv_frame_finish(ctx, &builder, image, size));
	if (out.basis != central.covariance)
		tlv_free(ctx, out.basis);
	tlv_free(ctx, out.values);
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}
