/*
 * incomplete.c - vectors of which numbers are missing: densities of what is there, and the expected
 * statistics of what is not (internal.h).  One step and one state at a time: such steps are few.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

bool
tlv_hmm_is_incomplete(size_t d, const double *x)
{
	bool missing = false;

	for (size_t i = 0; i < d; i++)
		missing |= isnan(x[i]);
	return missing;
}

/* ---- variances of coordinates ---- */

static double
density_of_coordinates(const tlv_hmm_parts *parts, size_t j, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < parts->d; i++)
	{
		double variance = tlv_hmm_variance(parts, j, i),
			   off = x[i] - parts->emissions[j * parts->d + i];

		if (!isnan(x[i]))
			sum -= 0.5 * (log(2 * M_PI * variance) + off * off / variance);
	}
	return sum;
}

static void
complete_coordinates(const tlv_hmm_model *model, size_t j, const double *x, double share,
					 double *deviations, double *squares)
{
	const tlv_hmm_parts *parts = &model->parts;
	bool single = model->variances == 1;

	for (size_t i = 0; i < parts->d; i++)
	{
		double off = isnan(x[i]) ? 0 : x[i] - parts->emissions[j * parts->d + i];
		double square = isnan(x[i]) ? tlv_hmm_variance(parts, j, i) : off * off;

		deviations[i * model->stride] += share * off;
		squares[(single ? 0 : i) * model->stride] += share * square;
	}
}

/* ---- full covariances ---- */

/*
 * Factor of the covariance of the n numbers that are there (rows of n x n), by Cholesky; what is
 * given to it: which of the d they are.
 */
static void
factor_present(const tlv_hmm_parts *parts, size_t j, size_t n, const size_t *at, double *factor)
{
	for (size_t i = 0; i < n; i++)
		for (size_t c = 0; c <= i; c++)
		{
			double sum = tlv_hmm_covariance(parts, j, at[i], at[c]);

			for (size_t e = 0; e < c; e++)
				sum -= factor[i * n + e] * factor[c * n + e];
			factor[i * n + c] = c < i ? sum / factor[c * n + c] : sqrt(fmax(sum, TLV_TINY));
		}
}

/* factor^-1 y, in place. */
static void
solve_lower(size_t n, const double *factor, double *y)
{
	for (size_t i = 0; i < n; i++)
	{
		for (size_t e = 0; e < i; e++)
			y[i] -= factor[i * n + e] * y[e];
		y[i] /= factor[i * n + i];
	}
}

/* Places of what is there, then of what is missing; returns how many are there. */
static size_t
sort_places(size_t d, const double *x, size_t *at)
{
	size_t n = 0, missing;

	for (size_t i = 0; i < d; i++)
		if (!isnan(x[i]))
			at[n++] = i;
	missing = n;
	for (size_t i = 0; i < d; i++)
		if (isnan(x[i]))
			at[missing++] = i;
	return n;
}

static double
density_of_present(const tlv_hmm_model *model, size_t j, const double *x)
{
	const tlv_hmm_parts *parts = &model->parts;
	size_t d = parts->d, n = sort_places(d, x, model->places);
	double *factor = model->incomplete, *y = factor + d * d, sum = 0;

	factor_present(parts, j, n, model->places, factor);
	for (size_t i = 0; i < n; i++)
		y[i] = x[model->places[i]] - parts->emissions[j * d + model->places[i]];
	solve_lower(n, factor, y);
	for (size_t i = 0; i < n; i++)
		sum -= 0.5 * (log(2 * M_PI) + y[i] * y[i]) + log(factor[i * n + i]);
	return sum;
}

/*
 * What is missing is expected where the regression on what is there says, and its residual
 * covariance is added: with S_po = B L' of the present p, mean += B y and S_oo - B B'.
 */
static void
complete_full(const tlv_hmm_model *model, size_t j, const double *x, double share,
			  double *deviations, double *squares)
{
	const tlv_hmm_parts *parts = &model->parts;
	size_t d = parts->d, n = sort_places(d, x, model->places), *at = model->places;
	double *factor = model->incomplete, *y = factor + d * d, *off = y + d, *b = off + d;

	factor_present(parts, j, n, at, factor);
	for (size_t i = 0; i < n; i++)
		y[i] = off[at[i]] = x[at[i]] - parts->emissions[j * d + at[i]];
	solve_lower(n, factor, y);
	for (size_t m = n; m < d; m++)
	{
		double *row = b + (m - n) * d;

		for (size_t i = 0; i < n; i++)
			row[i] = tlv_hmm_covariance(parts, j, at[m], at[i]);
		solve_lower(n, factor, row);
		off[at[m]] = 0;
		for (size_t i = 0; i < n; i++)
			off[at[m]] += row[i] * y[i];
	}
	for (size_t i = 0; i < d; i++)
		deviations[i * model->stride] += share * off[i];
	for (size_t r = 0; r < d; r++)
		for (size_t c = 0; c <= r; c++)
			squares[(r * (r + 1) / 2 + c) * model->stride] += share * off[r] * off[c];
	for (size_t r = n; r < d; r++)
		for (size_t c = n; c <= r; c++)
		{
			size_t high = at[r] > at[c] ? at[r] : at[c], low = at[r] > at[c] ? at[c] : at[r];
			double rest = tlv_hmm_covariance(parts, j, high, low);

			for (size_t i = 0; i < n; i++)
				rest -= b[(r - n) * d + i] * b[(c - n) * d + i];
			squares[(high * (high + 1) / 2 + low) * model->stride] += share * rest;
		}
}

/* ---- of all states ---- */

void
tlv_hmm_incomplete_densities(const tlv_hmm_model *model, const double *x, double *out)
{
	for (size_t j = 0; j < model->stride; j++)
		out[j] = j >= model->parts.k ? 0
				 : model->parts.covariance == TLV_COVARIANCE_FULL
					 ? density_of_present(model, j, x)
					 : density_of_coordinates(&model->parts, j, x);
}

void
tlv_hmm_add_incomplete(const tlv_hmm_model *model, const double *x, const double *gamma,
					   double *sums)
{
	size_t d = model->parts.d, stride = model->stride;

	for (size_t j = 0; j < model->parts.k; j++)
	{
		double *deviations = sums + stride + j, *squares = deviations + d * stride;

		sums[j] += gamma[j];
		if (model->parts.covariance == TLV_COVARIANCE_FULL)
			complete_full(model, j, x, gamma[j], deviations, squares);
		else
			complete_coordinates(model, j, x, gamma[j], deviations, squares);
	}
}
