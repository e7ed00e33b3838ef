/*
 * expect.c - responsibilities of a block of rows under a mixture and their statistics (mixture.h).
 */
#include <math.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/assert.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

/* Columns of a triangular matrix that are multiplied together. */
#define TRIANGLE 32
/* A log density so far below the largest adds nothing. */
#define LEAST_LOG -700.0
/* Sums run in so many lanes. */
#define MIXTURE_LANES 8

/* ---- statistics ---- */

tlv_status
tlv_mixture_sums_create(tlv_context *ctx, const tlv_mixture *mixture, tlv_mixture_sums *sums)
{
	size_t k = mixture->k, d = mixture->d;
	size_t each = 3 + d + tlv_mixture_variances(d, mixture->covariance);

	TLV_TRY_NEW_ROWS(ctx, sums->responsibilities, k, each);
	sums->weighted = sums->responsibilities + k;
	sums->logs = sums->weighted + k;
	sums->sums = sums->logs + k;
	sums->squares = sums->sums + d * k;
	tlv_mixture_sums_clear(mixture, sums);
	return TLV_OK;
}

void
tlv_mixture_sums_clear(const tlv_mixture *mixture, tlv_mixture_sums *sums)
{
	size_t each = 3 + mixture->d + tlv_mixture_variances(mixture->d, mixture->covariance);

	sums->rows = sums->log_likelihood = sums->entropy = 0;
	memset(sums->responsibilities, 0, mixture->k * each * sizeof(double));
}

void
tlv_mixture_sums_free(tlv_context *ctx, tlv_mixture_sums *sums)
{
	tlv_free(ctx, sums->responsibilities);
	sums->responsibilities = NULL;
}

/* ---- single precision ---- */

TLV_CLONES bool
mixture_all_narrow(size_t n, const double *x)
{
	/* Numbers beyond this would leave the range of single precision when they are multiplied. */
	const double narrow_most = 1e15;
	bool narrow = true;

	for (size_t i = 0; i < n; i++)
		narrow &= fabs(x[i]) <= narrow_most;
	return narrow;
}

TLV_CLONES void
mixture_to_float(size_t n, const double *restrict from, float *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (float) from[i];
}

TLV_CLONES static void
add_float(size_t n, const float *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* ---- log densities ---- */

/* shares = X' linear + constant */
static tlv_status
linear_terms(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			worker->shares[j * TLV_MIXTURE_BLOCK + t] = worker->constant[j];
	worker->narrow_rows = worker->is_narrow && mixture_all_narrow(d * n, x);
	if (!worker->narrow_rows)
		return tlv_gemm(ctx, true, false, n, k, d, 1, x, d, worker->linear, d, 1, worker->shares,
						TLV_MIXTURE_BLOCK);
	mixture_to_float(d * n, x, worker->narrow);
	TLV_TRY(tlv_gemm_float(ctx, true, n, k, d, worker->narrow, d, mixture_narrow_linear(worker), d,
						   mixture_narrow_shares(worker), TLV_MIXTURE_BLOCK));
	for (size_t j = 0; j < k; j++)
		add_float(n, mixture_narrow_shares(worker) + j * TLV_MIXTURE_BLOCK,
				  worker->shares + j * TLV_MIXTURE_BLOCK);
	return TLV_OK;
}

TLV_CLONES static void
subtract_squares(size_t n, size_t k, const double *restrict squares, const double *restrict inverse,
				 double *restrict shares)
{
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * TLV_MIXTURE_BLOCK + t] -= 0.5 * inverse[j] * squares[t];
}

/* |x|^2 of every row. */
TLV_CLONES static void
sum_squares(size_t n, size_t d, const double *restrict x, double *restrict squares)
{
	for (size_t t = 0; t < n; t++)
	{
		const double *row = x + t * d;
		double lane[MIXTURE_LANES] = {0}, rest = 0;
		size_t i = 0;

		for (; i + MIXTURE_LANES <= d; i += MIXTURE_LANES)
			for (size_t l = 0; l < MIXTURE_LANES; l++)
				lane[l] += row[i + l] * row[i + l];
		for (; i < d; i++)
			rest += row[i] * row[i];
		for (size_t l = 0; l < MIXTURE_LANES; l++)
			rest += lane[l];
		squares[t] = rest;
	}
}

TLV_CLONES static void
square(size_t n, const double *restrict x, double *restrict squares)
{
	for (size_t i = 0; i < n; i++)
		squares[i] = x[i] * x[i];
}

/* A column of n for every coordinate, of stride TLV_MIXTURE_BLOCK. */
static void
mixture_transpose(size_t n, size_t d, const double *restrict x, double *restrict columns)
{
	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < d; i++)
			columns[i * TLV_MIXTURE_BLOCK + t] = x[t * d + i];
}

/* Products of coordinates, packed, a column each: n x packed, of stride TLV_MIXTURE_BLOCK. */
TLV_CLONES static void
multiply_coordinates(size_t n, size_t d, const double *restrict columns, double *restrict products)
{
	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c <= i; c++)
		{
			const double *a = columns + i * TLV_MIXTURE_BLOCK, *b = columns + c * TLV_MIXTURE_BLOCK;
			double *into = products + tlv_packed2_index(i, c) * TLV_MIXTURE_BLOCK;

			for (size_t t = 0; t < n; t++)
				into[t] = a[t] * b[t];
		}
}

/* What densities and statistics need of a block beside its rows. */
static void
form_squares(tlv_mixture_worker *worker, size_t n, const double *x)
{
	const tlv_mixture *mixture = worker->mixture;

	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return;
	if (mixture->covariance <= TLV_COVARIANCE_SPHERICAL)
		sum_squares(n, mixture->d, x, worker->squares);
	else if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		square(n * mixture->d, x, worker->squares);
	else
		mixture_transpose(n, mixture->d, x, worker->scaled);
	if (mixture_forms_products(mixture))
		multiply_coordinates(n, mixture->d, worker->scaled, worker->squares);
}

/* shares -= |y - mean|^2 / 2 for the rows of y, d columns of n. */
TLV_CLONES static void
subtract_distances(size_t n, size_t d, const double *restrict y, const double *restrict mean,
				   double *restrict shares)
{
	for (size_t i = 0; i < d; i++)
		for (size_t t = 0; t < n; t++)
		{
			double difference = y[i * TLV_MIXTURE_BLOCK + t] - mean[i];

			shares[t] -= 0.5 * difference * difference;
		}
}

/* |L^-1 (x - mean)|^2 by component, of the transposed rows. */
static tlv_status
mixture_full_densities(tlv_context *ctx, tlv_mixture_worker *worker, size_t n)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	for (size_t j = 0; j < k; j++)
	{
		const double *inverse = worker->inverse + j * d * d;
		double *shares = worker->shares + j * TLV_MIXTURE_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		for (size_t first = 0; first < d; first += TRIANGLE)
		{
			size_t end = first + TRIANGLE < d ? first + TRIANGLE : d;

			TLV_TRY(tlv_gemm(ctx, false, false, n, end - first, end, 1, worker->scaled,
							 TLV_MIXTURE_BLOCK, inverse + first * d, d, 0,
							 worker->squares + first * TLV_MIXTURE_BLOCK, TLV_MIXTURE_BLOCK));
		}
		for (size_t t = 0; t < n; t++)
			shares[t] = worker->constant[j];
		subtract_distances(n, d, worker->squares, worker->linear + j * d, shares);
	}
	return TLV_OK;
}

/* Log densities of all components, without the squares' part where that is spherical. */
static tlv_status
mixture_log_densities(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;

	if (tlv_is_matrix(mixture->covariance) && !mixture_forms_products(mixture))
		return mixture_full_densities(ctx, worker, n);
	TLV_TRY(linear_terms(ctx, worker, n, x));
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return TLV_OK;
	if (tlv_is_matrix(mixture->covariance))
		return tlv_gemm(ctx, false, false, n, k, tlv_packed2_size(d), 1, worker->squares,
						TLV_MIXTURE_BLOCK, worker->inverse, tlv_packed2_size(d), 1, worker->shares,
						TLV_MIXTURE_BLOCK);
	if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		return tlv_gemm(ctx, true, false, n, k, d, -0.5, worker->squares, d, worker->inverse, d, 1,
						worker->shares, TLV_MIXTURE_BLOCK);
	subtract_squares(n, k, worker->squares, worker->inverse, worker->shares);
	return TLV_OK;
}

/*
 * Log densities of Gaussians to those of t distributions of the same scale, and the precisions that
 * are expected of the rows.
 */
static void
widen_tails(const tlv_mixture_worker *worker, size_t n)
{
	double d = (double) worker->mixture->d;

	for (size_t j = 0; j < worker->mixture->k; j++)
	{
		double *shares = worker->shares + j * TLV_MIXTURE_BLOCK;
		double *heavy = worker->heavy + j * TLV_MIXTURE_BLOCK, nu = worker->mixture->degrees[j];

		for (size_t t = 0; t < n; t++)
		{
			double distance = fmax(2 * (worker->peak[j] - shares[t]), 0); /* rounding */

			heavy[t] = (nu + d) / (nu + distance);
			shares[t] = worker->summit[j] - (nu + d) / 2 * log1p(distance / nu);
		}
	}
}

/*
 * Log densities of components to responsibilities; density[t] = the largest of them, total[t] =
 * 1 / sum_j exp(density - largest), entropy[t] = sum_j of the responsibility times that difference.
 */
TLV_CLONES static void
mixture_normalize(size_t n, size_t k, double *restrict shares, double *restrict density,
				  double *restrict total, double *restrict entropy)
{
	for (size_t t = 0; t < n; t++)
		density[t] = shares[t];
	for (size_t j = 1; j < k; j++)
		for (size_t t = 0; t < n; t++)
			density[t] = shares[j * TLV_MIXTURE_BLOCK + t] > density[t]
							 ? shares[j * TLV_MIXTURE_BLOCK + t]
							 : density[t];
	for (size_t t = 0; t < n; t++)
		total[t] = entropy[t] = 0;
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
		{
			double below = shares[j * TLV_MIXTURE_BLOCK + t] - density[t];
			double share = tlv_exp_nonpositive(below);

			shares[j * TLV_MIXTURE_BLOCK + t] = share;
			total[t] += share;
			entropy[t] += share * (below > LEAST_LOG ? below : LEAST_LOG);
		}
	for (size_t t = 0; t < n; t++)
	{
		total[t] = 1 / total[t];
		entropy[t] *= total[t];
	}
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * TLV_MIXTURE_BLOCK + t] *= total[t];
	for (size_t t = 0; t < n; t++)
		tlv_assert(tlv_is_distribution(k, shares + t, TLV_MIXTURE_BLOCK));
}

/* ---- adding up ---- */

TLV_CLONES static double
mixture_sum_of(size_t n, const double *restrict a)
{
	double lane[MIXTURE_LANES] = {0}, sum = 0;
	size_t t = 0;

	for (; t + MIXTURE_LANES <= n; t += MIXTURE_LANES)
		for (size_t l = 0; l < MIXTURE_LANES; l++)
			lane[l] += a[t + l];
	for (; t < n; t++)
		sum += a[t];
	for (size_t l = 0; l < MIXTURE_LANES; l++)
		sum += lane[l];
	return sum;
}

static double
weighted_sum(size_t n, const double *restrict weights, const double *restrict a)
{
	double sum = 0;

	for (size_t t = 0; t < n; t++)
		sum += weights[t] * a[t];
	return sum;
}

/* Responsibilities become those of as many rows as the weights say. */
TLV_CLONES static void
multiply_shares(size_t n, size_t k, const double *restrict weights, double *restrict shares)
{
	for (size_t j = 0; j < k; j++)
		for (size_t t = 0; t < n; t++)
			shares[j * TLV_MIXTURE_BLOCK + t] *= weights[t];
}

/* Rows times the root of their share, those of no account left out; returns how many are there. */
TLV_CLONES static size_t
mixture_scale_rows(size_t n, size_t d, const double *restrict shares, const double *restrict x,
				   double *restrict scaled)
{
	/* Rows of a smaller share do not enter products: of many dimensions, most rows have one
	 * component. */
	const double least_share = 1e-14;
	size_t taken = 0;

	for (size_t t = 0; t < n; t++)
	{
		double root = sqrt(shares[t]);

		if (shares[t] < least_share)
			continue;
		for (size_t i = 0; i < d; i++)
			scaled[taken * d + i] = root * x[t * d + i];
		taken++;
	}
	return taken;
}

/* Products of the rows with themselves, weighted by each component's responsibilities. */
static tlv_status
mixture_add_products(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x,
					 tlv_mixture_sums *sums)
{
	size_t k = worker->mixture->k, d = worker->mixture->d, packed = tlv_packed2_size(d);

	for (size_t j = 0; j < k; j++)
	{
		double *into = sums->squares + j * packed;
		size_t taken;

		TLV_TRY_CONTINUE(ctx);
		taken = mixture_scale_rows(n, d, worker->shares + j * TLV_MIXTURE_BLOCK, x, worker->scaled);
		if (taken == 0)
			continue;
		TLV_TRY(tlv_syrk(ctx, false, d, taken, 1, worker->scaled, d, 0, worker->product, d, false));
		for (size_t i = 0; i < d; i++)
			for (size_t c = 0; c <= i; c++)
				into[tlv_packed2_index(i, c)] += worker->product[c * d + i];
	}
	return TLV_OK;
}

/* Of t distributions, shares become those times the rows' precisions. */
static void
mixture_weigh_rows(const tlv_mixture_worker *worker, size_t n, tlv_mixture_sums *sums)
{
	for (size_t j = 0; j < worker->mixture->k; j++)
	{
		double *shares = worker->shares + j * TLV_MIXTURE_BLOCK;
		const double *heavy = worker->heavy + j * TLV_MIXTURE_BLOCK;

		for (size_t t = 0; t < n; t++)
		{
			sums->logs[j] += shares[t] > 0 ? shares[t] * log(heavy[t]) : 0;
			shares[t] *= heavy[t];
		}
		sums->weighted[j] += mixture_sum_of(n, shares);
	}
}

/* sums += X shares, of the rows that linear_terms has left in single precision where there are
 * such. */
static tlv_status
mixture_add_rows(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x,
				 double *sums)
{
	size_t k = worker->mixture->k, d = worker->mixture->d;

	if (!worker->narrow_rows)
		return tlv_gemm(ctx, false, false, d, k, n, 1, x, d, worker->shares, TLV_MIXTURE_BLOCK, 1,
						sums, d);
	mixture_to_float(TLV_MIXTURE_BLOCK * (k - 1) + n, worker->shares,
					 mixture_narrow_shares(worker));
	TLV_TRY(tlv_gemm_float(ctx, false, d, k, n, worker->narrow, d, mixture_narrow_shares(worker),
						   TLV_MIXTURE_BLOCK, mixture_narrow_sums(worker), d));
	add_float(d * k, mixture_narrow_sums(worker), sums);
	return TLV_OK;
}

/* The part of a block in the statistics, given its responsibilities and squares. */
static tlv_status
mixture_add_block(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x,
				  tlv_mixture_sums *sums)
{
	const tlv_mixture *mixture = worker->mixture;
	size_t k = mixture->k, d = mixture->d;

	sums->rows += worker->weights == NULL ? (double) n : mixture_sum_of(n, worker->weights);
	for (size_t j = 0; j < k; j++)
		sums->responsibilities[j] += mixture_sum_of(n, worker->shares + j * TLV_MIXTURE_BLOCK);
	if (worker->heavy != NULL)
		mixture_weigh_rows(worker, n, sums);
	TLV_TRY(mixture_add_rows(ctx, worker, n, x, sums->sums));
	if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		return TLV_OK;
	if (mixture_forms_products(mixture))
		return tlv_gemm(ctx, true, false, tlv_packed2_size(d), k, n, 1, worker->squares,
						TLV_MIXTURE_BLOCK, worker->shares, TLV_MIXTURE_BLOCK, 1, sums->squares,
						tlv_packed2_size(d));
	if (tlv_is_matrix(mixture->covariance))
		return mixture_add_products(ctx, worker, n, x, sums);
	if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		return tlv_gemm(ctx, false, false, d, k, n, 1, worker->squares, d, worker->shares,
						TLV_MIXTURE_BLOCK, 1, sums->squares, d);
	return tlv_gemm(ctx, false, false, 1, k, n, 1, worker->squares, 1, worker->shares,
					TLV_MIXTURE_BLOCK, 1, sums->squares, 1);
}

tlv_status
tlv_mixture_expect(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x,
				   tlv_mixture_sums *sums)
{
	size_t k = worker->mixture->k;

	TLV_TRY_CONTINUE(ctx);
	form_squares(worker, n, x);
	TLV_TRY(mixture_log_densities(ctx, worker, n, x));
	if (worker->heavy != NULL)
		widen_tails(worker, n);
	mixture_normalize(n, k, worker->shares, worker->density, worker->total, worker->entropy);
	for (size_t t = 0; t < n; t++)
	{
		double sum = -log(worker->total[t]); /* the reciprocal */

		worker->density[t] += sum;
		worker->entropy[t] = fmax(sum - worker->entropy[t], 0); /* rounding */
		if (!(worker->density[t] > -TLV_MIXTURE_LARGEST))
			return tlv_refuse_far_row(ctx);
	}
	if (sums == NULL)
		return TLV_OK;
	if (worker->weights == NULL)
	{
		sums->log_likelihood += mixture_sum_of(n, worker->density);
		sums->entropy += mixture_sum_of(n, worker->entropy);
		return mixture_add_block(ctx, worker, n, x, sums);
	}
	sums->log_likelihood += weighted_sum(n, worker->weights, worker->density);
	sums->entropy += weighted_sum(n, worker->weights, worker->entropy);
	multiply_shares(n, k, worker->weights, worker->shares);
	return mixture_add_block(ctx, worker, n, x, sums);
}

tlv_status
tlv_mixture_add_labelled(tlv_context *ctx, tlv_mixture_worker *worker, size_t n, const double *x,
						 const int32_t *label, tlv_mixture_sums *sums)
{
	TLV_TRY_CONTINUE(ctx);
	memset(worker->shares, 0, worker->mixture->k * TLV_MIXTURE_BLOCK * sizeof(double));
	for (size_t t = 0; t < n; t++)
		worker->shares[(size_t) label[t] * TLV_MIXTURE_BLOCK + t] = 1;
	for (size_t i = 0; i < worker->mixture->k * TLV_MIXTURE_BLOCK && worker->heavy != NULL; i++)
		worker->heavy[i] = 1;
	form_squares(worker, n, x);
	return mixture_add_block(ctx, worker, n, x, sums);
}
