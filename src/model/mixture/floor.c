/*
 * floor.c - the least variances of mixtures, which the data decide, and columns whose values do not
 * resolve smaller ones (mixture.h).
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- columns ---- */

/* Units below least count as none, and differences below a part of it as rounding. */
static double
column_unit(size_t n, size_t d, const double *x, double least)
{
	const double exact = 0.01;
	double unit = 0;

	for (size_t t = 1; t < n; t++)
	{
		double difference = fabs(x[t * d] - x[0]);

		if (difference <= exact * least)
			continue;
		unit = tlv_common_divisor(difference, unit, exact * least);
		if (unit <= least)
			return 0;
	}
	return unit;
}

static int
compare_coordinates(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* The longest run of equal numbers. */
static void
find_mode(size_t n, double *x, tlv_mixture_column *column)
{
	qsort(x, n, sizeof(double), compare_coordinates);
	for (size_t t = 0, first = 0; t < n; t++)
	{
		first = x[t] == x[first] ? first : t;
		if ((double) (t - first + 1) > column->share * (double) n)
		{
			column->share = (double) (t - first + 1) / (double) n;
			column->value = x[t];
		}
	}
}

tlv_status
tlv_mixture_look_at_column(tlv_context *ctx, size_t n, size_t d, const double *x, double variance,
						   tlv_mixture_column *column)
{
	/* Rows of which the most frequent value is sought. */
	const size_t most_sorted = 2000;
	size_t sorted = tlv_least(n, most_sorted);
	double *copy;

	*column = (tlv_mixture_column){.variance = variance};
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY_NEW(ctx, copy, sorted);
	for (size_t t = 0; t < sorted; t++)
		copy[t] = x[t * d];
	find_mode(sorted, copy, column);
	column->unit = column_unit(n, d, x, sqrt(2 * M_PI * TLV_MIXTURE_FLOOR * variance));
	tlv_free(ctx, copy);
	return TLV_OK;
}

/* ---- the floor ---- */

tlv_status
tlv_mixture_floor(tlv_context *ctx, size_t d, const double *variance,
				  const tlv_mixture_column *columns, double *floor)
{
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += fmax(variance[i], 0) / (double) d;
	/* Equal rows have no scale of their own. */
	if (!(TLV_MIXTURE_FLOOR * mean > DBL_MIN))
		mean = 1;
	for (size_t i = 0; i < d; i++)
	{
		floor[i] = TLV_MIXTURE_FLOOR * variance[i];
		/* What is constant but for rounding is constant. */
		if (!(variance[i] > DBL_EPSILON * DBL_EPSILON * mean && floor[i] > DBL_MIN))
			floor[i] = TLV_MIXTURE_FLOOR * mean;
		if (columns != NULL)
			floor[i] =
				fmax(floor[i], fmin(variance[i], columns[i].unit * columns[i].unit / (2 * M_PI)));
	}
	return TLV_OK;
}

double
mixture_mean_floor(size_t d, const double *floor)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += floor[i] / (double) d;
	return fmax(sum, DBL_MIN);
}

/* A covariance in units of the floor. */
static void
divide_by_floor(size_t d, const double *floor, const double *covariance, double *scaled)
{
	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c < d; c++)
			scaled[i + c * d] = covariance[i + c * d] / (sqrt(floor[i]) * sqrt(floor[c]));
}

/* Are all eigenvalues of the scaled covariance above the limit?  It is overwritten. */
static tlv_status
exceeds_floor(tlv_context *ctx, size_t d, double limit, double *scaled, bool *above)
{
	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 0; i < d; i++)
		scaled[i * (d + 1)] -= limit;
	*above = tlv_cholesky(ctx, d, scaled) == TLV_OK;
	return *above || ctx->error.code == TLV_BAD_DATA ? TLV_OK : ctx->error.code;
}

tlv_status
tlv_mixture_raise(tlv_context *ctx, size_t d, const double *floor, double *covariance)
{
	double *vectors, *values;
	bool above = true;

	TLV_TRY_NEW_ROWS(ctx, vectors, d, d + 1);
	values = vectors + d * d;
	divide_by_floor(d, floor, covariance, vectors);
	TLV_TRY(exceeds_floor(ctx, d, 1, vectors, &above));
	for (size_t i = 0; i < d && !above && d > TLV_EIGEN_LIMIT; i++)
		covariance[i * (d + 1)] = fmax(covariance[i * (d + 1)], 0) + floor[i];
	if (!above && d <= TLV_EIGEN_LIMIT)
	{
		divide_by_floor(d, floor, covariance, vectors);
		TLV_TRY(tlv_eigen_symmetric(ctx, d, vectors, values));
		for (size_t e = 0; e < d; e++)
			for (size_t c = 0; c < d && values[e] < 1; c++)
				for (size_t i = 0; i < d; i++)
					covariance[i + c * d] += (1 - values[e]) * (sqrt(floor[i]) * sqrt(floor[c])) *
											 vectors[i + e * d] * vectors[c + e * d];
	}
	tlv_free(ctx, vectors);
	return TLV_OK;
}

/* ---- variances at the floor ---- */

/* Part of the floor above which a variance is the data's own. */
#define NEAR_FLOOR 1e-3

static tlv_status
full_at_floor(tlv_context *ctx, size_t d, const double *covariance, const double *floor,
			  bool *at_floor)
{
	double *matrix;
	bool above;

	TLV_TRY_NEW_ROWS(ctx, matrix, d, 2 * d);
	tlv_packed2_unpack(d, covariance, matrix + d * d);
	divide_by_floor(d, floor, matrix + d * d, matrix);
	TLV_TRY(exceeds_floor(ctx, d, 1 + NEAR_FLOOR, matrix, &above));
	*at_floor = !above;
	tlv_free(ctx, matrix);
	return TLV_OK;
}

tlv_status
tlv_mixture_at_floor(tlv_context *ctx, const tlv_mixture *mixture, const double *floor,
					 size_t *found)
{
	size_t d = mixture->d, variances = tlv_mixture_variances(d, mixture->covariance);
	bool directed = mixture->covariance == TLV_COVARIANCE_DIRECTION;
	double least = directed ? 0 : mixture_mean_floor(d, floor);

	*found = 0;
	for (size_t j = 0; j < mixture->k; j++)
	{
		const double *own = mixture->variances + j * variances;
		bool low = directed
					   ? own[0] >= TLV_DIRECTIONS_MOST_KAPPA * (double) d
					   : !tlv_is_matrix(mixture->covariance) && variances == 1 && own[0] <= least;

		for (size_t i = 0; i < d && mixture->covariance == TLV_COVARIANCE_DIAGONAL; i++)
			low |= own[i] <= floor[i];
		if (tlv_is_matrix(mixture->covariance))
			TLV_TRY(full_at_floor(ctx, d, own, floor, &low));
		*found += low;
	}
	return TLV_OK;
}

tlv_status
tlv_mixture_floor_shares(tlv_context *ctx, size_t d, const double *covariance, const double *floor,
						 double *shares)
{
	double *vectors, *values;

	TLV_TRY_NEW_ROWS(ctx, vectors, d, d + 1);
	values = vectors + d * d;
	divide_by_floor(d, floor, covariance, vectors);
	TLV_TRY(tlv_eigen_symmetric(ctx, d, vectors, values));
	memset(shares, 0, d * sizeof(double));
	for (size_t e = 0; e < d; e++)
		for (size_t i = 0; i < d && values[e] <= 1 + NEAR_FLOOR; i++)
			shares[i] += vectors[i + e * d] * vectors[i + e * d];
	tlv_free(ctx, vectors);
	return TLV_OK;
}
