/*
 * worker.c - a mixture of Gaussians or t distributions prepared for blocks of rows (mixture.h).
 */
#include <math.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/model/mixture.h"

#define LOG_2PI 1.8378770664093454836

/* Squares of a block: summed up, by coordinate, or all products. */
static size_t
squares_room(const tlv_mixture *mixture)
{
	if (mixture->covariance <= TLV_COVARIANCE_SPHERICAL)
		return TLV_MIXTURE_BLOCK;
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION) /* all are 1 long */
		return 1;
	return (mixture_forms_products(mixture) ? tlv_packed2_size(mixture->d) : mixture->d) *
		   TLV_MIXTURE_BLOCK;
}

static size_t
inverse_room(const tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;

	if (tlv_is_matrix(mixture->covariance))
		return (mixture_forms_products(mixture) ? tlv_packed2_size(d) : d * d) * k;
	return mixture->covariance == TLV_COVARIANCE_DIAGONAL ? d * k : k;
}

/* The center, where none was given (of directions the origin), and the means about it, which are
 * left in linear. */
static void
prepare_means(tlv_mixture_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	bool weighted = !worker->given_center && mixture->covariance != TLV_COVARIANCE_DIRECTION;
	size_t k = mixture->k, d = mixture->d;

	if (!worker->given_center)
		memset(worker->center, 0, d * sizeof(double));
	for (size_t j = 0; j < k && weighted; j++)
		for (size_t i = 0; i < d; i++)
			worker->center[i] += mixture->weights[j] * mixture->means[j * d + i];
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			worker->linear[j * d + i] = mixture->means[j * d + i] - worker->center[i];
}

/*
 * The log density at the center, for sum = d log 2 pi + log |S| and the mean's distance from there;
 * the full form keeps that distance to itself and gives 0.  Of a t distribution, that at its mean,
 * too.
 */
static void
prepare_constants(tlv_mixture_worker *worker, size_t j, double sum, double distance)
{
	/* Means whose squared distance from the center, in variances, is at most this: the products of
	 * a log density err by some thousandths in single precision, at most. */
	const double narrow_distance = 2e4;
	double d = (double) worker->mixture->d, nu, peak = log(worker->mixture->weights[j]) - sum / 2;

	worker->constant[j] = peak - distance / 2;
	worker->is_narrow = worker->is_narrow && distance <= narrow_distance;
	if (worker->heavy == NULL)
		return;
	nu = worker->mixture->degrees[j];
	worker->peak[j] = peak;
	worker->summit[j] = peak + tlv_lgamma((nu + d) / 2) - tlv_lgamma(nu / 2) + d / 2 * log(2 / nu);
}

/* Linear terms of the log density, and its value at the center; variances of stride 0 or 1. */
static void
prepare_diagonal(tlv_mixture_worker *worker, size_t j, const double *variance, double *inverse,
				 size_t step)
{
	size_t d = worker->mixture->d;
	double *linear = worker->linear + j * d, sum = (double) d * LOG_2PI, distance = 0;

	for (size_t i = 0; i < d; i++)
	{
		double mean = linear[i];

		inverse[step * i] = 1 / variance[step * i];
		linear[i] = mean * inverse[step * i];
		sum += log(variance[step * i]);
		distance += mean * linear[i];
	}
	prepare_constants(worker, j, sum, distance);
}

/*
 * The log density as a quadratic form of the products: -1/2 A packed, off-diagonal elements twice,
 * for A = WW', W' the inverse Cholesky factor; linear, W'(mean - center), becomes
 * A(mean - center).
 * Returns (mean - center)'A(mean - center).  work: d.
 */
static double
prepare_products(size_t d, const double *w, double *linear, double *work, double *form)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
	{
		sum += linear[i] * linear[i];
		work[i] = 0;
		for (size_t r = i; r < d; r++)
			work[i] += w[r * d + i] * linear[r];
		for (size_t c = 0; c <= i; c++)
		{
			double element = 0;

			for (size_t r = i; r < d; r++)
				element += w[r * d + i] * w[r * d + c];
			form[tlv_packed2_index(i, c)] = i == c ? -0.5 * element : -element;
		}
	}
	memcpy(linear, work, d * sizeof(double));
	return sum;
}

static tlv_status
prepare_full(tlv_context *ctx, tlv_mixture_worker *worker, size_t j)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t d = mixture->d;
	double *l = worker->product, *linear = worker->linear + j * d, *inverse;
	double sum = (double) d * LOG_2PI, distance = 0;
	bool products;

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
	products = mixture_forms_products(mixture);
	inverse = products ? worker->scaled : worker->inverse + j * d * d;
	TLV_TRY(tlv_invert_triangle(ctx, true, d, l, inverse));
	for (size_t i = 0; i < d; i++)
		sum += 2 * log(l[i * d + i]);
	TLV_TRY(tlv_gemm(ctx, true, false, d, 1, d, 1, inverse, d, linear, d, 0, l, d));
	memcpy(linear, l, d * sizeof(double));
	if (products)
		distance = prepare_products(d, inverse, linear, worker->product,
									worker->inverse + j * tlv_packed2_size(d));
	prepare_constants(worker, j, sum, distance);
	return TLV_OK;
}

static void
prepare_direction(tlv_mixture_worker *worker, size_t j)
{
	size_t d = worker->mixture->d;
	double kappa = worker->mixture->variances[j];

	worker->constant[j] = log(worker->mixture->weights[j]) + tlv_directions_log_norm(d, kappa);
	for (size_t i = 0; i < d; i++)
		worker->linear[j * d + i] *= kappa;
}

static tlv_status
allocate_worker(tlv_context *ctx, tlv_mixture_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;
	bool full = tlv_is_matrix(mixture->covariance);

	TLV_TRY_NEW(ctx, worker->center, d + k + d * k);
	worker->constant = worker->center + d;
	worker->linear = worker->constant + k;
	TLV_TRY_NEW(ctx, worker->inverse, inverse_room(mixture));
	TLV_TRY_NEW(ctx, worker->squares, squares_room(mixture));
	TLV_TRY_NEW_ROWS(ctx, worker->shares, k + 3, TLV_MIXTURE_BLOCK);
	worker->density = worker->shares + k * TLV_MIXTURE_BLOCK;
	worker->total = worker->density + TLV_MIXTURE_BLOCK;
	worker->entropy = worker->total + TLV_MIXTURE_BLOCK;
	if (mixture->degrees != NULL)
	{
		TLV_TRY_NEW_ROWS(ctx, worker->heavy, k, TLV_MIXTURE_BLOCK + 2);
		worker->peak = worker->heavy + k * TLV_MIXTURE_BLOCK;
		worker->summit = worker->peak + k;
	}
	if (full)
	{
		TLV_TRY_NEW_ROWS(ctx, worker->scaled, d, TLV_MIXTURE_BLOCK > d ? TLV_MIXTURE_BLOCK : d);
		worker->product = tlv_alloc(ctx, d, d * sizeof(double));
		TLV_TRY_ALLOC(ctx, worker->product);
	}
	return TLV_OK;
}

tlv_status
tlv_mixture_worker_prepare(tlv_context *ctx, tlv_mixture_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t d = mixture->d;

	prepare_means(worker);
	worker->is_narrow = worker->narrow != NULL;
	for (size_t j = 0; j < mixture->k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (tlv_is_matrix(mixture->covariance))
			TLV_TRY(prepare_full(ctx, worker, j));
		else if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
			prepare_direction(worker, j);
		else if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
			prepare_diagonal(worker, j, mixture->variances + j * d, worker->inverse + j * d, 1);
		else
			prepare_diagonal(worker, j, mixture->variances + j, worker->inverse + j, 0);
	}
	worker->is_narrow = worker->is_narrow && mixture_all_narrow(d * mixture->k, worker->linear);
	if (worker->is_narrow)
		mixture_to_float(d * mixture->k, worker->linear, mixture_narrow_linear(worker));
	return TLV_OK;
}

tlv_status
tlv_mixture_worker_narrow(tlv_context *ctx, tlv_mixture_worker *worker)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;

	tlv_assert(mixture->covariance <= TLV_COVARIANCE_SPHERICAL);
	if (2.0 * (double) (TLV_MIXTURE_BLOCK * k) * (double) d > TLV_GEMM_FLOAT_MOST)
		return TLV_OK;
	TLV_TRY_NEW(ctx, worker->narrow, 2 * d * k + (d + k) * TLV_MIXTURE_BLOCK);
	return TLV_OK;
}

tlv_status
tlv_mixture_worker_open(tlv_context *ctx, const tlv_mixture *mixture, const double *center,
						tlv_mixture_worker *worker)
{
	memset(worker, 0, sizeof(*worker));
	worker->mixture = mixture;
	worker->given_center = center != NULL;
	TLV_TRY(allocate_worker(ctx, worker));
	if (center != NULL)
		memcpy(worker->center, center, mixture->d * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_mixture_worker_create(tlv_context *ctx, const tlv_mixture *mixture, tlv_mixture_worker *worker)
{
	TLV_TRY(tlv_mixture_worker_open(ctx, mixture, NULL, worker));
	return tlv_mixture_worker_prepare(ctx, worker);
}

void
tlv_mixture_worker_free(tlv_context *ctx, tlv_mixture_worker *worker)
{
	tlv_free(ctx, worker->center);
	tlv_free(ctx, worker->inverse);
	tlv_free(ctx, worker->squares);
	tlv_free(ctx, worker->heavy);
	tlv_free(ctx, worker->shares);
	tlv_free(ctx, worker->scaled);
	tlv_free(ctx, worker->product);
	tlv_free(ctx, worker->narrow);
	memset(worker, 0, sizeof(*worker));
}

/* ---- rows that wait for a block ---- */

tlv_status
tlv_mixture_rows_next(tlv_context *ctx, tlv_mixture_rows *rows, size_t d, double **row)
{
	if (rows->x == NULL)
		TLV_TRY_NEW_ROWS(ctx, rows->x, d, TLV_MIXTURE_BLOCK);
	*row = rows->x + rows->n * d;
	return TLV_OK;
}

tlv_status
tlv_mixture_rows_added(tlv_context *ctx, tlv_mixture_rows *rows, double weight,
					   tlv_mixture_worker *worker, tlv_mixture_sums *sums)
{
	rows->weighted |= weight != 1;
	rows->weights[rows->n] = weight;
	return ++rows->n == TLV_MIXTURE_BLOCK ? tlv_mixture_rows_flush(ctx, rows, worker, sums)
										  : TLV_OK;
}

tlv_status
tlv_mixture_rows_flush(tlv_context *ctx, tlv_mixture_rows *rows, tlv_mixture_worker *worker,
					   tlv_mixture_sums *sums)
{
	size_t n = rows->n;
	tlv_status status;

	rows->n = 0;
	if (n == 0)
		return TLV_OK;
	worker->weights = rows->weighted ? rows->weights : NULL;
	status = tlv_mixture_expect(ctx, worker, n, rows->x, sums);
	worker->weights = NULL;
	return status;
}

/* ---- parameters ---- */

size_t
tlv_mixture_variances(size_t d, tlv_covariance covariance)
{
	if (tlv_is_matrix(covariance))
		return tlv_packed2_size(d);
	return covariance == TLV_COVARIANCE_DIAGONAL ? d : 1;
}

double
tlv_mixture_parameters(size_t k, size_t d, tlv_covariance covariance, bool tails)
{
	double variances = (tlv_is_shared(covariance) ? 1 : (double) k) *
					   (double) tlv_mixture_variances(d, covariance);

	if (covariance == TLV_COVARIANCE_DIRECTION) /* a mean is 1 long */
		variances = 0;
	return (double) k - 1 + (double) k * (double) d + variances + (tails ? (double) k : 0);
}

tlv_status
tlv_mixture_create(tlv_context *ctx, size_t k, size_t d, tlv_covariance covariance,
				   tlv_mixture *mixture)
{
	mixture->k = k;
	mixture->d = d;
	mixture->covariance = covariance;
	mixture->degrees = NULL;
	TLV_TRY_NEW0_ROWS(ctx, mixture->weights, k, (2 + d + tlv_mixture_variances(d, covariance)));
	mixture->means = mixture->weights + k;
	mixture->variances = mixture->means + d * k;
	return TLV_OK;
}

void
tlv_mixture_use_tails(tlv_mixture *mixture)
{
	mixture->degrees =
		mixture->variances + mixture->k * tlv_mixture_variances(mixture->d, mixture->covariance);
	for (size_t j = 0; j < mixture->k; j++)
		mixture->degrees[j] = TLV_FIRST_DEGREES;
}

void
tlv_mixture_free(tlv_context *ctx, tlv_mixture *mixture)
{
	tlv_free(ctx, mixture->weights);
	mixture->weights = NULL;
}
