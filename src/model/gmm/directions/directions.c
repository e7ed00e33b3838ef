/*
 * directions.c - mixtures of directions: norm and concentration, a step of expectation maximisation
 * (directions.h).
 */
#include "directions.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/mixture.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

#define LOG_2PI 1.8378770664093454836

/* Steps of Newton's method for kappa at most, and where it has converged. */
#define NEWTON_STEPS	 20
#define NEWTON_TOLERANCE 1e-12

/* A component with fewer rows than this keeps its direction. */
#define LEAST_ROWS 1e-6
/* No weight is less. */
#define LEAST_WEIGHT 1e-100

/* ---- one component ---- */

double
tlv_directions_log_norm(size_t d, double kappa)
{
	return -0.5 * (double) d * LOG_2PI - tlv_log_bessel((double) d / 2 - 1, kappa);
}

double
tlv_directions_length(size_t d, double kappa)
{
	return kappa > 0 ? tlv_bessel_ratio((double) d / 2 - 1, kappa) : 0;
}

double
tlv_directions_kappa(size_t d, double length)
{
	double n = (double) d, most = TLV_DIRECTIONS_MOST_KAPPA * n, kappa;

	if (!(length > 0))
		return 0;
	if (1 - length * length <= (n - 1) / most)
		return most;
	kappa = fmin(length * (n - length * length) / (1 - length * length), most);
	for (int step = 0; step < NEWTON_STEPS; step++)
	{
		double ratio = tlv_bessel_ratio(n / 2 - 1, kappa);
		double slope = 1 - ratio * ratio - (n - 1) / kappa * ratio;
		double next = kappa - (ratio - length) / slope;

		if (!(slope > 0) || !(next > 0))
			break;
		next = fmin(next, most);
		if (fabs(next - kappa) <= NEWTON_TOLERANCE * kappa)
			return next;
		kappa = next;
	}
	return kappa;
}

tlv_status
directions_row(tlv_context *ctx, size_t d, size_t width, const double *x, double *row,
			   double *length)
{
	double largest = 0, sum = 0;

	if (width != d)
		return tlv_refuse_width(ctx, width, d);
	for (size_t i = 0; i < d; i++)
	{
		if (!(fabs(x[i]) <= TLV_MIXTURE_LARGEST))
			return tlv_refuse_number(ctx, i, x[i], TLV_MIXTURE_LARGEST);
		largest = fmax(largest, fabs(x[i]));
	}
	for (size_t i = 0; i < d && largest > 0; i++)
	{
		row[i] = x[i] / largest;
		sum += row[i] * row[i];
	}
	for (size_t i = 0; i < d && largest > 0; i++)
		row[i] /= sqrt(sum);
	*length = largest * sqrt(sum);
	return TLV_OK;
}

/* ---- parameters ---- */

tlv_status
tlv_directions_create(tlv_context *ctx, size_t k, size_t d, tlv_directions *directions)
{
	directions->k = k;
	directions->d = d;
	TLV_TRY_NEW0(ctx, directions->weights, k * (d + 2));
	directions->kappas = directions->weights + k;
	directions->means = directions->kappas + k;
	return TLV_OK;
}

void
tlv_directions_free(tlv_context *ctx, tlv_directions *directions)
{
	tlv_free(ctx, directions->weights);
	directions->weights = NULL;
}

/* ---- expectation ---- */

tlv_status
directions_worker_open(tlv_context *ctx, const tlv_directions *directions,
					   directions_worker *worker)
{
	size_t k = directions->k, d = directions->d;

	worker->directions = directions;
	TLV_TRY_NEW_ROWS(ctx, worker->constant, k, d + 1);
	worker->linear = worker->constant + k;
	TLV_TRY_NEW_ROWS(ctx, worker->shares, k + 2, DIRECTIONS_BLOCK);
	worker->density = worker->shares + k * DIRECTIONS_BLOCK;
	worker->total = worker->density + DIRECTIONS_BLOCK;
	directions_worker_prepare(worker);
	return TLV_OK;
}

void
directions_worker_prepare(directions_worker *worker)
{
	const tlv_directions *directions = worker->directions;
	size_t d = directions->d;

	for (size_t j = 0; j < directions->k; j++)
	{
		double kappa = directions->kappas[j];

		worker->constant[j] = log(directions->weights[j]) + tlv_directions_log_norm(d, kappa);
		for (size_t i = 0; i < d; i++)
			worker->linear[j * d + i] = kappa * directions->means[j * d + i];
	}
}

void
directions_worker_free(tlv_context *ctx, directions_worker *worker)
{
	tlv_free(ctx, worker->constant);
	tlv_free(ctx, worker->shares);
	memset(worker, 0, sizeof(*worker));
}

/* Log densities of components to responsibilities; density[t] = log sum_j exp. */
TLV_CLONES static void
directions_normalize(size_t n, size_t k, double *restrict shares, double *restrict density,
					 double *restrict total)
{
	memcpy(density, shares, n * sizeof(double));
	for (size_t j = 1; j < k; j++)
		for (size_t t = 0; t < n; t++)
			density[t] = shares[j * DIRECTIONS_BLOCK + t] > density[t]
							 ? shares[j * DIRECTIONS_BLOCK + t]
							 : density[t];
	for (size_t t = 0; t < n; t++)
		total[t] = 0;
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
		{
			double share = tlv_exp_nonpositive(shares[j * DIRECTIONS_BLOCK + t] - density[t]);

			shares[j * DIRECTIONS_BLOCK + t] = share;
			total[t] += share;
		}
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * DIRECTIONS_BLOCK + t] /= total[t];
}

tlv_status
directions_expect(tlv_context *ctx, directions_worker *worker, size_t n, const double *x,
				  directions_sums *sums)
{
	size_t k = worker->directions->k, d = worker->directions->d;

	TLV_TRY_CONTINUE(ctx);
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			worker->shares[j * DIRECTIONS_BLOCK + t] = worker->constant[j];
	TLV_TRY(tlv_gemm(ctx, true, false, n, k, d, 1, x, d, worker->linear, d, 1, worker->shares,
					 DIRECTIONS_BLOCK));
	directions_normalize(n, k, worker->shares, worker->density, worker->total);
	for (size_t t = 0; t < n; t++)
		worker->density[t] += log(worker->total[t]);
	if (sums == NULL)
		return TLV_OK;
	sums->rows += (double) n;
	for (size_t t = 0; t < n; t++)
		sums->log_likelihood += worker->density[t];
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			sums->responsibilities[j] += worker->shares[j * DIRECTIONS_BLOCK + t];
	return tlv_gemm(ctx, false, false, d, k, n, 1, x, d, worker->shares, DIRECTIONS_BLOCK, 1,
					sums->sums, d);
}

/* ---- maximisation ---- */

void
directions_maximize(const directions_sums *sums, tlv_directions *directions)
{
	size_t d = directions->d;
	double total = 0;

	for (size_t j = 0; j < directions->k; j++)
		total += directions->weights[j] =
			fmax(sums->responsibilities[j] / fmax(sums->rows, 1), LEAST_WEIGHT);
	for (size_t j = 0; j < directions->k; j++)
	{
		const double *sum = sums->sums + j * d;
		double square = 0, rows = sums->responsibilities[j];

		directions->weights[j] /= total;
		for (size_t i = 0; i < d; i++)
			square += sum[i] * sum[i];
		if (!(rows > LEAST_ROWS))
			continue;
		directions->kappas[j] = tlv_directions_kappa(d, sqrt(square) / rows);
		for (size_t i = 0; i < d && square > 0; i++)
			directions->means[j * d + i] = sum[i] / sqrt(square);
	}
}
