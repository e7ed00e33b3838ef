/*
 * gmm_expect.c - responsibilities of a block of rows under a mixture of Gaussians and their
 * statistics (gmm_internal.h).
 */
#include <math.h>
#include <string.h>

#include "gmm_exp.h"
#include "gmm_internal.h"
#include "tensorlv/linalg.h"

#define LOG_2PI 1.8378770664093454836

/* Squares of a block, by coordinate (diagonal) or summed up. */
static size_t
squares_room(const tlv_mixture *mixture)
{
	return mixture->covariance == TLV_COVARIANCE_COMMON ||
				   mixture->covariance == TLV_COVARIANCE_SPHERICAL
			   ? GMM_BLOCK
			   : mixture->d * GMM_BLOCK;
}

static size_t
inverse_room(const tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;

	if (mixture->covariance == TLV_COVARIANCE_FULL)
		return d * d * k;
	return mixture->covariance == TLV_COVARIANCE_DIAGONAL ? d * k : k;
}

/* ---- statistics ---- */

tlv_status
tlv_gmm_sums_create(tlv_context *ctx, const tlv_mixture *mixture, gmm_sums *sums)
{
	size_t k = mixture->k, d = mixture->d;
	size_t each = 1 + d + tlv_mixture_variances(d, mixture->covariance);

	sums->responsibilities = tlv_alloc(ctx, k, each * sizeof(double));
	TLV_TRY_ALLOC(ctx, sums->responsibilities);
	sums->sums = sums->responsibilities + k;
	sums->squares = sums->sums + d * k;
	tlv_gmm_sums_clear(mixture, sums);
	return TLV_OK;
}

void
tlv_gmm_sums_clear(const tlv_mixture *mixture, gmm_sums *sums)
{
	size_t each = 1 + mixture->d + tlv_mixture_variances(mixture->d, mixture->covariance);

	sums->rows = sums->log_likelihood = 0;
	memset(sums->responsibilities, 0, mixture->k * each * sizeof(double));
}

void
tlv_gmm_sums_free(tlv_context *ctx, gmm_sums *sums)
{
	tlv_free(ctx, sums->responsibilities);
	sums->responsibilities = NULL;
}

/* ---- preparing ---- */

/* Center and the means about it, which are left in linear. */
static void
prepare_means(gmm_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;

	memset(worker->center, 0, d * sizeof(double));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			worker->center[i] += mixture->weights[j] * mixture->means[j * d + i];
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			worker->linear[j * d + i] = mixture->means[j * d + i] - worker->center[i];
}

/* Linear terms of the log density, and its value at the center; variances of stride 0 or 1. */
static void
prepare_diagonal(gmm_worker *worker, size_t j, const double *variance, double *inverse, size_t step)
{
	size_t d = worker->mixture->d;
	double *linear = worker->linear + j * d, sum = (double) d * LOG_2PI;

	for (size_t i = 0; i < d; i++)
	{
		double mean = linear[i];

		inverse[step * i] = 1 / variance[step * i];
		linear[i] = mean * inverse[step * i];
		sum += log(variance[step * i]) + mean * linear[i];
	}
	worker->constant[j] = log(worker->mixture->weights[j]) - sum / 2;
}

/* inverse = L^-1, lower triangle of a zeroed matrix, for the lower triangle of L. */
static void
invert_lower(size_t d, const double *l, double *inverse)
{
	for (size_t c = 0; c < d; c++)
	{
		double *column = inverse + c * d;

		column[c] = 1;
		for (size_t i = c; i < d; i++)
		{
			column[i] /= l[i * d + i];
			for (size_t r = i + 1; r < d; r++)
				column[r] -= column[i] * l[i * d + r];
		}
	}
}

static tlv_status
prepare_full(tlv_context *ctx, gmm_worker *worker, size_t j)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t d = mixture->d;
	double *l = worker->product, *linear = worker->linear + j * d, *inverse;
	double sum = (double) d * LOG_2PI;

	TLV_TRY_CONTINUE(ctx);
	tlv_packed2_unpack(d, mixture->variances + j * tlv_packed2_size(d), l);
	if (tlv_solve_spd(ctx, d, 0, l, NULL) != TLV_OK) /* for its Cholesky factor */
	{
		if (ctx->error.code != TLV_BAD_DATA)
			return ctx->error.code;
		return tlv_fail(ctx, TLV_BAD_DATA,
						"the covariance of component %zu is not positive "
						"definite",
						j + 1);
	}
	inverse = worker->inverse + j * d * d;
	memset(inverse, 0, d * d * sizeof(double));
	invert_lower(d, l, inverse);
	for (size_t i = 0; i < d; i++)
		sum += 2 * log(l[i * d + i]);
	TLV_TRY(tlv_gemm(ctx, false, false, d, 1, d, 1, inverse, d, linear, d, 0, worker->scaled, d));
	memcpy(linear, worker->scaled, d * sizeof(double));
	worker->constant[j] = log(mixture->weights[j]) - sum / 2;
	return TLV_OK;
}

static tlv_status
allocate_worker(tlv_context *ctx, gmm_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;
	bool full = mixture->covariance == TLV_COVARIANCE_FULL;

	worker->center = tlv_alloc(ctx, d + k + d * k, sizeof(double));
	TLV_TRY_ALLOC(ctx, worker->center);
	worker->constant = worker->center + d;
	worker->linear = worker->constant + k;
	worker->inverse = tlv_alloc(ctx, inverse_room(mixture), sizeof(double));
	TLV_TRY_ALLOC(ctx, worker->inverse);
	worker->squares = tlv_alloc(ctx, squares_room(mixture), sizeof(double));
	TLV_TRY_ALLOC(ctx, worker->squares);
	worker->shares = tlv_alloc(ctx, k + 2, GMM_BLOCK * sizeof(double));
	TLV_TRY_ALLOC(ctx, worker->shares);
	worker->density = worker->shares + k * GMM_BLOCK;
	worker->total = worker->density + GMM_BLOCK;
	if (full)
	{
		worker->scaled = tlv_alloc(ctx, d, GMM_BLOCK * sizeof(double));
		TLV_TRY_ALLOC(ctx, worker->scaled);
		worker->product = tlv_alloc(ctx, d, d * sizeof(double));
		TLV_TRY_ALLOC(ctx, worker->product);
	}
	return TLV_OK;
}

tlv_status
tlv_gmm_worker_create(tlv_context *ctx, const tlv_mixture *mixture, gmm_worker *worker)
{
	size_t d = mixture->d;

	memset(worker, 0, sizeof(*worker));
	worker->mixture = mixture;
	TLV_TRY(allocate_worker(ctx, worker));
	prepare_means(worker);
	for (size_t j = 0; j < mixture->k; j++)
		if (mixture->covariance == TLV_COVARIANCE_FULL)
			TLV_TRY(prepare_full(ctx, worker, j));
		else if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
			prepare_diagonal(worker, j, mixture->variances + j * d, worker->inverse + j * d, 1);
		else
			prepare_diagonal(worker, j, mixture->variances + j, worker->inverse + j, 0);
	return TLV_OK;
}

void
tlv_gmm_worker_free(tlv_context *ctx, gmm_worker *worker)
{
	tlv_free(ctx, worker->center);
	tlv_free(ctx, worker->inverse);
	tlv_free(ctx, worker->squares);
	tlv_free(ctx, worker->shares);
	tlv_free(ctx, worker->scaled);
	tlv_free(ctx, worker->product);
	memset(worker, 0, sizeof(*worker));
}

/* ---- log densities ---- */

/* shares = X' linear + constant */
static tlv_status
linear_terms(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			worker->shares[j * GMM_BLOCK + t] = worker->constant[j];
	return tlv_gemm(ctx, true, false, n, k, d, 1, x, d, worker->linear, d, 1, worker->shares,
					GMM_BLOCK);
}

TLV_CLONES static void
subtract_squares(size_t n, size_t k, const double *restrict squares, const double *restrict inverse,
				 double *restrict shares)
{
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * GMM_BLOCK + t] -= 0.5 * inverse[j] * squares[t];
}

static tlv_status
spherical_densities(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x)
{
	size_t d = worker->mixture->d;

	for (size_t t = 0; t < n; t++)
	{
		double sum = 0;

		for (size_t i = 0; i < d; i++)
			sum += x[t * d + i] * x[t * d + i];
		worker->squares[t] = sum;
	}
	TLV_TRY(linear_terms(ctx, worker, n, x));
	subtract_squares(n, worker->mixture->k, worker->squares, worker->inverse, worker->shares);
	return TLV_OK;
}

static tlv_status
diagonal_densities(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t i = 0; i < n * d; i++)
		worker->squares[i] = x[i] * x[i];
	TLV_TRY(linear_terms(ctx, worker, n, x));
	return tlv_gemm(ctx, true, false, n, k, d, -0.5, worker->squares, d, worker->inverse, d, 1,
					worker->shares, GMM_BLOCK);
}

/* |L^-1 (x - mean)|^2 by component. */
static tlv_status
full_densities(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t j = 0; j < k; j++)
	{
		const double *mean = worker->linear + j * d;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, false, false, d, n, d, 1, worker->inverse + j * d * d, d, x, d, 0,
						 worker->squares, d));
		for (size_t t = 0; t < n; t++)
		{
			const double *y = worker->squares + t * d;
			double sum = 0;

			for (size_t i = 0; i < d; i++)
				sum += (y[i] - mean[i]) * (y[i] - mean[i]);
			worker->shares[j * GMM_BLOCK + t] = worker->constant[j] - sum / 2;
		}
	}
	return TLV_OK;
}

/* Log densities of components to responsibilities; density[t] = log sum_j exp. */
TLV_CLONES static void
normalize(size_t n, size_t k, double *restrict shares, double *restrict density,
		  double *restrict total)
{
	for (size_t t = 0; t < n; t++)
		density[t] = shares[t];
	for (size_t j = 1; j < k; j++)
		for (size_t t = 0; t < n; t++)
			density[t] =
				shares[j * GMM_BLOCK + t] > density[t] ? shares[j * GMM_BLOCK + t] : density[t];
	for (size_t t = 0; t < n; t++)
		total[t] = 0;
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
		{
			double share = tlv_exp_nonpositive(shares[j * GMM_BLOCK + t] - density[t]);

			shares[j * GMM_BLOCK + t] = share;
			total[t] += share;
		}
	for (size_t t = 0; t < n; t++)
		total[t] = 1 / total[t];
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * GMM_BLOCK + t] *= total[t];
}

/* ---- adding up ---- */

/* Products of the rows with themselves, weighted by each component's responsibilities. */
static tlv_status
add_products(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x, gmm_sums *sums)
{
	size_t k = worker->mixture->k, d = worker->mixture->d, packed = tlv_packed2_size(d);

	for (size_t j = 0; j < k; j++)
	{
		double *into = sums->squares + j * packed;

		TLV_TRY_CONTINUE(ctx);
		for (size_t t = 0; t < n; t++)
		{
			double root = sqrt(worker->shares[j * GMM_BLOCK + t]);

			for (size_t i = 0; i < d; i++)
				worker->scaled[t * d + i] = root * x[t * d + i];
		}
		TLV_TRY(tlv_syrk(ctx, false, d, n, 1, worker->scaled, d, 0, worker->product, d, false));
		for (size_t i = 0; i < d; i++)
			for (size_t c = 0; c <= i; c++)
				into[tlv_packed2_index(i, c)] += worker->product[c * d + i];
	}
	return TLV_OK;
}

static tlv_status
add_block(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x, gmm_sums *sums)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t t = 0; t < n; t++)
		sums->log_likelihood += worker->density[t];
	sums->rows += (double) n;
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			sums->responsibilities[j] += worker->shares[j * GMM_BLOCK + t];
	TLV_TRY(
		tlv_gemm(ctx, false, false, d, k, n, 1, x, d, worker->shares, GMM_BLOCK, 1, sums->sums, d));
	if (worker->mixture->covariance == TLV_COVARIANCE_FULL)
		return add_products(ctx, worker, n, x, sums);
	if (worker->mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		return tlv_gemm(ctx, false, false, d, k, n, 1, worker->squares, d, worker->shares,
						GMM_BLOCK, 1, sums->squares, d);
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			sums->squares[j] += worker->shares[j * GMM_BLOCK + t] * worker->squares[t];
	return TLV_OK;
}

tlv_status
tlv_gmm_expect(tlv_context *ctx, gmm_worker *worker, size_t n, const double *x, gmm_sums *sums)
{
	size_t k = worker->mixture->k;

	TLV_TRY_CONTINUE(ctx);
	if (worker->mixture->covariance == TLV_COVARIANCE_FULL)
		TLV_TRY(full_densities(ctx, worker, n, x));
	else if (worker->mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		TLV_TRY(diagonal_densities(ctx, worker, n, x));
	else
		TLV_TRY(spherical_densities(ctx, worker, n, x));
	normalize(n, k, worker->shares, worker->density, worker->total);
	for (size_t t = 0; t < n; t++)
	{
		worker->density[t] -= log(worker->total[t]); /* the reciprocal of the sum */
		if (!(worker->density[t] > -TLV_GMM_LARGEST))
			return tlv_fail(ctx, TLV_BAD_DATA, "a row lies beyond reckoning from all components");
	}
	return sums != NULL ? add_block(ctx, worker, n, x, sums) : TLV_OK;
}
