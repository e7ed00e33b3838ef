/*
 * maximize.c - the maximisation step of mixtures of Gaussians, and the floor that keeps their
 * variances (mixture.h).
 */
#include <float.h>
#include <math.h>

#include "tensorlv/model/mixture.h"
#include "tensorlv/num/linalg.h"

/* A component with fewer rows than this keeps its mean and variances. */
#define LEAST_ROWS 1e-6
/* No weight is less. */
#define LEAST_WEIGHT 1e-100

tlv_status
tlv_mixture_floor(tlv_context *ctx, size_t d, const double *variance, double *floor)
{
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += fmax(variance[i], 0) / (double) d;
	if (!(TLV_MIXTURE_FLOOR * mean > DBL_MIN))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the variance of the rows is %g", mean);
		return tlv_fail_hint(ctx, "A mixture needs rows that differ, by more than 1e-150.");
	}
	for (size_t i = 0; i < d; i++)
	{
		floor[i] = TLV_MIXTURE_FLOOR * variance[i];
		/* What is constant but for rounding is constant. */
		if (!(variance[i] > DBL_EPSILON * DBL_EPSILON * mean && floor[i] > DBL_MIN))
			floor[i] = TLV_MIXTURE_FLOOR * mean;
	}
	return TLV_OK;
}

static void
maximize_weights(const tlv_mixture_sums *sums, tlv_mixture *mixture)
{
	double total = 0;

	for (size_t j = 0; j < mixture->k; j++)
		total += mixture->weights[j] =
			fmax(sums->responsibilities[j] / fmax(sums->rows, 1), LEAST_WEIGHT);
	for (size_t j = 0; j < mixture->k; j++)
		mixture->weights[j] /= total;
}

/* Of all coordinates; never below the least variance, although the shares are rounded. */
static double
mean_floor(size_t d, const double *floor)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += floor[i] / (double) d;
	return fmax(sum, DBL_MIN);
}

/* Sum of squares within a component, all coordinates, from that about the center. */
static double
squares_within(const tlv_mixture_sums *sums, size_t d, size_t j)
{
	const double *sum = sums->sums + j * d;
	double squares = sums->squares[j];

	for (size_t i = 0; i < d; i++)
		squares -= sum[i] * (sum[i] / sums->responsibilities[j]);
	return squares;
}

static void
maximize_common(const tlv_mixture_sums *sums, const double *floor, tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;
	double least = mean_floor(d, floor), squares = 0, rows = 0, variance;

	for (size_t j = 0; j < k; j++)
		if (sums->responsibilities[j] > LEAST_ROWS)
		{
			squares += squares_within(sums, d, j);
			rows += sums->responsibilities[j];
		}
	variance = rows > 0 ? fmax(squares / (rows * (double) d), least) : mixture->variances[0];
	for (size_t j = 0; j < k; j++)
		mixture->variances[j] = variance;
}

static void
maximize_variances(const tlv_mixture_sums *sums, const double *floor, size_t j,
				   tlv_mixture *mixture)
{
	size_t d = mixture->d;
	double rows = sums->responsibilities[j];

	if (mixture->covariance == TLV_COVARIANCE_SPHERICAL)
		mixture->variances[j] =
			fmax(squares_within(sums, d, j) / (rows * (double) d), mean_floor(d, floor));
	for (size_t i = 0; i < d && mixture->covariance == TLV_COVARIANCE_DIAGONAL; i++)
	{
		double mean = sums->sums[j * d + i] / rows;

		mixture->variances[j * d + i] =
			fmax(sums->squares[j * d + i] / rows - mean * mean, floor[i]);
	}
}

static void
maximize_covariance(const tlv_mixture_sums *sums, const double *floor, size_t j,
					tlv_mixture *mixture)
{
	size_t d = mixture->d, packed = tlv_packed2_size(d);
	const double *sum = sums->sums + j * d, *squares = sums->squares + j * packed;
	double *covariance = mixture->variances + j * packed;
	double rows = sums->responsibilities[j];

	for (size_t i = 0; i < d; i++)
	{
		for (size_t c = 0; c <= i; c++)
			covariance[tlv_packed2_index(i, c)] =
				squares[tlv_packed2_index(i, c)] / rows - (sum[i] / rows) * (sum[c] / rows);
		covariance[tlv_packed2_index(i, i)] =
			fmax(covariance[tlv_packed2_index(i, i)], 0) + floor[i];
	}
}

void
tlv_mixture_maximize(const tlv_mixture_sums *sums, const double *center, const double *floor,
					 tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;

	maximize_weights(sums, mixture);
	if (mixture->covariance == TLV_COVARIANCE_COMMON)
		maximize_common(sums, floor, mixture);
	for (size_t j = 0; j < k; j++)
	{
		if (!(sums->responsibilities[j] > LEAST_ROWS))
			continue;
		for (size_t i = 0; i < d; i++)
			mixture->means[j * d + i] =
				center[i] + sums->sums[j * d + i] / sums->responsibilities[j];
		if (mixture->covariance == TLV_COVARIANCE_FULL)
			maximize_covariance(sums, floor, j, mixture);
		else
			maximize_variances(sums, floor, j, mixture);
	}
}

/* ---- variances at the floor ---- */

/* A full covariance is one with the floor added: less half as much again, is it still one? */
static tlv_status
full_at_floor(tlv_context *ctx, size_t d, const double *covariance, const double *floor,
			  double *matrix, bool *at_floor)
{
	*at_floor = false;
	TLV_TRY_CONTINUE(ctx);
	tlv_packed2_unpack(d, covariance, matrix);
	for (size_t i = 0; i < d; i++)
		matrix[i * d + i] -= 1.5 * floor[i];
	if (tlv_solve_spd(ctx, d, 0, matrix, NULL) == TLV_OK)
		return TLV_OK;
	*at_floor = true;
	return ctx->error.code == TLV_BAD_DATA ? TLV_OK : ctx->error.code;
}

tlv_status
tlv_mixture_at_floor(tlv_context *ctx, const tlv_mixture *mixture, const double *floor,
					 size_t *found)
{
	size_t d = mixture->d, variances = tlv_mixture_variances(d, mixture->covariance);
	bool full = mixture->covariance == TLV_COVARIANCE_FULL;
	double least = mean_floor(d, floor), *matrix = NULL;

	*found = 0;
	if (full)
	{
		TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	}
	for (size_t j = 0; j < mixture->k; j++)
	{
		const double *own = mixture->variances + j * variances;
		bool low = !full && variances == 1 && own[0] <= least;

		for (size_t i = 0; i < d && mixture->covariance == TLV_COVARIANCE_DIAGONAL; i++)
			low |= own[i] <= floor[i];
		if (full)
			TLV_TRY(full_at_floor(ctx, d, own, floor, matrix, &low));
		*found += low;
	}
	tlv_free(ctx, matrix);
	return TLV_OK;
}
