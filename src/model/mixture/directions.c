/*
 * directions.c - components of directions (mixture.h): norm and concentration, the maximisation
 * step, estimates and their scores (errors.h).
 *
 * A mean has length 1: its largest coordinate follows from the others, which are the parameters,
 * and has no standard error.  With r_j the share of a row x, the score of mu_i is
 * kappa r_j (x_i - x_m mu_i / mu_m), m the largest; that of kappa is r_j (mu'x - A(kappa)), A the
 * length of the mean of such directions.
 */
#include <math.h>

#include "worker.h"

#include "tensorlv/model/refusals.h"
#include "tensorlv/num/special.h"

/* The largest ratio of a drawn kappa to its estimate, or of the estimate to it. */
#define MIXTURE_MOST_FACTOR 50.0

/* ---- one component ---- */

double
tlv_directions_log_norm(size_t d, double kappa)
{
	const double log_2pi = 1.8378770664093454836;

	return -0.5 * (double) d * log_2pi - tlv_log_bessel((double) d / 2 - 1, kappa);
}

double
tlv_directions_length(size_t d, double kappa)
{
	return kappa > 0 ? tlv_bessel_ratio((double) d / 2 - 1, kappa) : 0;
}

double
tlv_directions_kappa(size_t d, double length)
{
	/* Steps of Newton's method for kappa at most, and where it has converged. */
	const int newton_steps = 20;
	const double newton_tolerance = 1e-12;
	double n = (double) d, most = TLV_DIRECTIONS_MOST_KAPPA * n, kappa;

	if (!(length > 0))
		return 0;
	if (1 - length * length <= (n - 1) / most)
		return most;
	kappa = fmin(length * (n - length * length) / (1 - length * length), most);
	for (int step = 0; step < newton_steps; step++)
	{
		double ratio = tlv_bessel_ratio(n / 2 - 1, kappa);
		double slope = 1 - ratio * ratio - (n - 1) / kappa * ratio;
		double next = kappa - (ratio - length) / slope;

		if (!(slope > 0) || !(next > 0))
			break;
		next = fmin(next, most);
		if (fabs(next - kappa) <= newton_tolerance * kappa)
			return next;
		kappa = next;
	}
	return kappa;
}

tlv_status
tlv_directions_row(tlv_context *ctx, size_t d, const double *x, double *row, double *length)
{
	double largest = 0, sum = 0;

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

tlv_status
tlv_directions_refuse_zeros(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_DATA, "a row of zeros has no direction");
	return tlv_fail_hint(ctx, "Leave such rows out.");
}

void
mixture_set_direction(tlv_mixture *mixture, size_t j, double rows, const double *sum)
{
	size_t d = mixture->d;
	double square = 0;

	for (size_t i = 0; i < d; i++)
		square += sum[i] * sum[i];
	mixture->variances[j] = tlv_directions_kappa(d, sqrt(square) / rows);
	for (size_t i = 0; i < d && square > 0; i++)
		mixture->means[j * d + i] = sum[i] / sqrt(square);
}

/* ---- estimates ---- */

static size_t
mixture_largest_of(const tlv_mixture *own, size_t j)
{
	const double *mean = own->means + j * own->d;
	size_t best = 0;

	for (size_t i = 1; i < own->d; i++)
		best = fabs(mean[i]) > fabs(mean[best]) ? i : best;
	return best;
}

tlv_status
mixture_list_direction(tlv_context *ctx, tlv_mixture_listing *listing, size_t j)
{
	const tlv_mixture *own = listing->mixture;
	size_t largest = mixture_largest_of(own, j);
	double kappa = own->variances[j];
	bool fixed = own->weights[j] == 0 || !(kappa > 0) ||
				 kappa >= TLV_DIRECTIONS_MOST_KAPPA * (double) own->d;

	/* one that is wider than a block: every number by itself, without an error */
	bool wide = own->d >= TLV_SCORES_MOST_BLOCK;

	for (size_t i = 0; i < own->d; i++)
		TLV_TRY(mixture_add_estimate(ctx, listing, i == 0 || wide,
									 (tlv_estimate){.part = TLV_ESTIMATE_MEAN,
													.component = j + 1,
													.has_item = true,
													.item = (int64_t) i + 1,
													.name = {tlv_name_at(&listing->names, i)},
													.estimate = own->means[j * own->d + i],
													.fixed = fixed || wide || i == largest}));
	return mixture_add_estimate(
		ctx, listing, wide,
		(tlv_estimate){
			.part = TLV_ESTIMATE_HIDDEN, .component = j + 1, .estimate = kappa, .fixed = fixed});
}

void
mixture_score_direction(const tlv_mixture *mixture, size_t j, double share, const double *x,
						double *scores)
{
	size_t d = mixture->d, m = mixture_largest_of(mixture, j);
	const double *mean = mixture->means + j * d;
	double kappa = mixture->variances[j], along = 0;

	for (size_t i = 0; i < d; i++)
	{
		along += mean[i] * x[i];
		scores[i] += kappa * share * (x[i] - x[m] * mean[i] / mean[m]);
	}
	scores[d] += share * (along - tlv_directions_length(d, kappa));
}

/* The mean by its length again, its largest coordinate as it was; kappa within a factor. */
void
mixture_redraw_direction(tlv_mixture *mixture, size_t j, const double *values)
{
	size_t d = mixture->d, m = mixture_largest_of(mixture, j);
	double *mean = mixture->means + j * d, *kappa = &mixture->variances[j], others = 0, rest;

	for (size_t i = 0; i < d; i++)
		others += i == m ? 0 : values[i] * values[i];
	rest = others < 1 ? sqrt(1 - others) : 0;
	for (size_t i = 0; i < d; i++)
		mean[i] = i == m ? copysign(rest, mean[m]) : values[i] / (others < 1 ? 1 : sqrt(others));
	*kappa = fmin(fmax(values[d], *kappa / MIXTURE_MOST_FACTOR),
				  fmin(*kappa * MIXTURE_MOST_FACTOR, TLV_DIRECTIONS_MOST_KAPPA * (double) d));
}
