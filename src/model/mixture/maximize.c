/*
 * maximize.c - the maximisation step of mixtures (mixture.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/source.h"

/* A component with fewer rows than this keeps its mean and variances. */
#define MIXTURE_LEAST_ROWS 1e-6

static void
maximize_weights(const tlv_mixture_sums *sums, tlv_mixture *mixture)
{
	/* No weight is less. */
	const double least_weight = 1e-100;
	double total = 0;

	for (size_t j = 0; j < mixture->k; j++)
		total += mixture->weights[j] =
			fmax(sums->responsibilities[j] / fmax(sums->rows, 1), least_weight);
	for (size_t j = 0; j < mixture->k; j++)
		mixture->weights[j] /= total;
}

/* Rows as they count in sums and squares. */
static double
rows_in_sums(const tlv_mixture_sums *sums, const tlv_mixture *mixture, size_t j)
{
	return mixture->degrees != NULL ? sums->weighted[j] : sums->responsibilities[j];
}

/* Sum of squares within a component, all coordinates, from that about the center. */
static double
squares_within(const tlv_mixture_sums *sums, const tlv_mixture *mixture, size_t j)
{
	const double *sum = sums->sums + j * mixture->d;
	double squares = sums->squares[j], rows = rows_in_sums(sums, mixture, j);

	for (size_t i = 0; i < mixture->d; i++)
		squares -= sum[i] * (sum[i] / rows);
	return squares;
}

static bool
has_rows(const tlv_mixture_sums *sums, const tlv_mixture *mixture, size_t j)
{
	return sums->responsibilities[j] > MIXTURE_LEAST_ROWS &&
		   rows_in_sums(sums, mixture, j) > MIXTURE_LEAST_ROWS;
}

static void
maximize_common(const tlv_mixture_sums *sums, const double *floor, tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;
	double least = mixture_mean_floor(d, floor), squares = 0, rows = 0, variance;

	for (size_t j = 0; j < k; j++)
		if (has_rows(sums, mixture, j))
		{
			squares += squares_within(sums, mixture, j);
			rows += sums->responsibilities[j];
		}
	variance = rows > 0 ? fmax(squares / (rows * (double) d), least) : mixture->variances[0];
	for (size_t j = 0; j < k; j++)
		mixture->variances[j] = variance;
}

/* The products of the rows of a component about its mean. */
static void
mixture_sum_products(const tlv_mixture_sums *sums, size_t j, const tlv_mixture *mixture,
					 double *products)
{
	size_t d = mixture->d;
	const double *sum = sums->sums + j * d, *squares = sums->squares + j * tlv_packed2_size(d);
	double rows = rows_in_sums(sums, mixture, j);

	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c <= i; c++)
			products[tlv_packed2_index(i, c)] +=
				squares[tlv_packed2_index(i, c)] - sum[i] * (sum[c] / rows);
}

/* A packed covariance whose variances in every direction are at the floor or above. */
static tlv_status
raise_packed(tlv_context *ctx, size_t d, const double *floor, double *covariance)
{
	double *matrix;

	TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	tlv_packed2_unpack(d, covariance, matrix);
	TLV_TRY(tlv_mixture_raise(ctx, d, floor, matrix));
	tlv_packed2_pack(d, matrix, covariance);
	tlv_free(ctx, matrix);
	return TLV_OK;
}

/* One covariance for all components, which is collected in that of the first. */
static tlv_status
maximize_tied(tlv_context *ctx, const tlv_mixture_sums *sums, const double *floor,
			  tlv_mixture *mixture)
{
	size_t d = mixture->d, packed = tlv_packed2_size(d);
	double *covariance = mixture->variances, rows = 0;

	for (size_t j = 0; j < mixture->k; j++)
		rows += has_rows(sums, mixture, j) ? sums->responsibilities[j] : 0;
	if (!(rows > 0))
		return TLV_OK;
	memset(covariance, 0, packed * sizeof(double));
	for (size_t j = 0; j < mixture->k; j++)
		if (has_rows(sums, mixture, j))
			mixture_sum_products(sums, j, mixture, covariance);
	for (size_t e = 0; e < packed; e++)
		covariance[e] /= rows;
	TLV_TRY(raise_packed(ctx, d, floor, covariance));
	for (size_t j = 1; j < mixture->k; j++)
		memcpy(mixture->variances + j * packed, covariance, packed * sizeof(double));
	return TLV_OK;
}

/* ---- variances of each component's own ---- */

/* Adds the sums of squares of a component about its mean, as many as it has variances. */
static void
add_within(const tlv_mixture_sums *sums, const tlv_mixture *mixture, size_t j, double *within)
{
	size_t d = mixture->d;
	double rows = rows_in_sums(sums, mixture, j);

	if (mixture->covariance == TLV_COVARIANCE_FULL)
		mixture_sum_products(sums, j, mixture, within);
	else if (mixture->covariance == TLV_COVARIANCE_SPHERICAL)
		within[0] += squares_within(sums, mixture, j) / (double) d;
	for (size_t i = 0; i < d && mixture->covariance == TLV_COVARIANCE_DIAGONAL; i++)
		within[i] +=
			sums->squares[j * d + i] - sums->sums[j * d + i] * (sums->sums[j * d + i] / rows);
}

static tlv_status
raise_variances(tlv_context *ctx, const tlv_mixture *mixture, const double *floor, double *own)
{
	size_t d = mixture->d;

	if (mixture->covariance == TLV_COVARIANCE_FULL)
		return raise_packed(ctx, d, floor, own);
	if (mixture->covariance == TLV_COVARIANCE_SPHERICAL)
		own[0] = fmax(own[0], mixture_mean_floor(d, floor));
	for (size_t i = 0; i < d && mixture->covariance == TLV_COVARIANCE_DIAGONAL; i++)
		own[i] = fmax(own[i], floor[i]);
	return TLV_OK;
}

/* The trace of W S^-1 for the covariance of a component's rows, packed or not; infinite where it
 * has no inverse. */
static tlv_status
trace_of_prior(tlv_context *ctx, const tlv_mixture *mixture, const double *pooled,
			   const double *own, double *trace)
{
	size_t d = mixture->d, n = tlv_mixture_variances(d, mixture->covariance);
	double *matrix;
	tlv_status status;

	*trace = 0;
	for (size_t e = 0; e < n && mixture->covariance != TLV_COVARIANCE_FULL; e++)
		*trace += own[e] > 0 ? pooled[e] / own[e] : HUGE_VAL;
	if (mixture->covariance != TLV_COVARIANCE_FULL)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, matrix, d, 2 * d);
	tlv_packed2_unpack(d, own, matrix);
	tlv_packed2_unpack(d, pooled, matrix + d * d);
	status = tlv_solve_spd(ctx, d, d, matrix, matrix + d * d);
	if (status != TLV_OK && ctx->error.code != TLV_BAD_DATA)
		return status;
	for (size_t i = 0; i < d; i++)
		*trace += status == TLV_OK ? matrix[d * d + i * (d + 1)] : HUGE_VAL;
	tlv_free(ctx, matrix);
	return TLV_OK;
}

/*
 * Pseudo-rows of the prior in a component: no more than move its variances, in the mean of its
 * directions, by one standard error, sqrt(2 / n_j) of a variance.
 */
static tlv_status
prior_of(tlv_context *ctx, const tlv_mixture *mixture, double rows, const double *pooled,
		 const double *own, double *prior)
{
	/* Pseudo-rows of the prior of variances that are no matrix. */
	const double usual = 3;
	bool full = mixture->covariance == TLV_COVARIANCE_FULL;
	double directions = mixture->covariance == TLV_COVARIANCE_SPHERICAL ? 1 : (double) mixture->d;
	double trace;

	TLV_TRY(trace_of_prior(ctx, mixture, pooled, own, &trace));
	*prior = fmin(full ? directions + 2 : usual, sqrt(2 * rows) * directions / trace);
	return TLV_OK;
}

/* Of components that have variances of their own; part is that of the prior (mixture.h). */
static tlv_status
maximize_variances(tlv_context *ctx, const tlv_mixture_sums *sums, const double *floor, double part,
				   tlv_mixture *mixture)
{
	size_t variances = tlv_mixture_variances(mixture->d, mixture->covariance);
	double total = 0, *pooled;

	TLV_TRY_NEW0(ctx, pooled, variances);
	for (size_t j = 0; j < mixture->k; j++)
		if (has_rows(sums, mixture, j))
		{
			add_within(sums, mixture, j, pooled);
			total += rows_in_sums(sums, mixture, j);
		}
	for (size_t e = 0; e < variances; e++)
		pooled[e] /= total;
	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * variances, rows = rows_in_sums(sums, mixture, j);
		double prior;

		if (!has_rows(sums, mixture, j))
			continue;
		memset(own, 0, variances * sizeof(double));
		add_within(sums, mixture, j, own);
		for (size_t e = 0; e < variances; e++)
			own[e] /= rows;
		TLV_TRY(prior_of(ctx, mixture, rows, pooled, own, &prior));
		prior *= part;
		for (size_t e = 0; e < variances; e++)
			own[e] = (rows * own[e] + prior * pooled[e]) / (rows + prior);
		TLV_TRY(raise_variances(ctx, mixture, floor, own));
	}
	tlv_free(ctx, pooled);
	return TLV_OK;
}

/*
 * The degrees of freedom of the gamma distribution of the precisions whose mean is that of u and
 * whose mean logarithm is expected to be log u + digamma((nu + d) / 2) - log((nu + d) / 2); of one
 * common variance, of mean 1.
 */
static void
maximize_degrees(const tlv_mixture_sums *sums, size_t j, tlv_mixture *mixture)
{
	/* Steps to the degrees of freedom, at most, and the part of themselves that they stay off. */
	const int degrees_steps = 40;
	const double degrees_tolerance = 1e-10;
	double rows = sums->responsibilities[j],
		   shape = (mixture->degrees[j] + (double) mixture->d) / 2;
	double mean = sums->weighted[j] / rows;
	double logs = sums->logs[j] / rows + tlv_digamma(shape) - log(shape);
	double excess = tlv_is_shared(mixture->covariance) ? logs - mean + 1 : logs - log(mean);
	double low = TLV_LEAST_DEGREES / 2, high = TLV_MOST_DEGREES / 2;
	double half = fmin(fmax(mixture->degrees[j] / 2, low), high);

	/* log h - digamma h is u / 2 + u^2 / 12 for u = 1 / h, nearly: Newton's steps with its slope,
	 * within the interval. */
	for (int step = 0; step < degrees_steps && high - low > degrees_tolerance * low; step++)
	{
		double value = log(half) - tlv_digamma(half) + excess, last = half;
		double inverse = 1 / half, slope = 0.5 + inverse / 6;

		if (value > 0)
			low = half;
		else
			high = half;
		half = 1 / (inverse - value / slope);
		if (!(half > low && half < high))
			half = sqrt(low * high);
		if (fabs(half - last) <= degrees_tolerance * last)
			break;
	}
	mixture->degrees[j] = 2 * half;
}

tlv_status
tlv_mixture_maximize(tlv_context *ctx, const tlv_mixture_sums *sums, const double *center,
					 const double *floor, double part, tlv_mixture *mixture)
{
	size_t k = mixture->k, d = mixture->d;

	maximize_weights(sums, mixture);
	if (mixture->covariance == TLV_COVARIANCE_COMMON)
		maximize_common(sums, floor, mixture);
	if (mixture->covariance == TLV_COVARIANCE_TIED)
		TLV_TRY(maximize_tied(ctx, sums, floor, mixture));
	if (mixture->covariance != TLV_COVARIANCE_DIRECTION && !tlv_is_shared(mixture->covariance))
		TLV_TRY(maximize_variances(ctx, sums, floor, part, mixture));
	for (size_t j = 0; j < k; j++)
	{
		if (!has_rows(sums, mixture, j))
			continue;
		if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		{
			mixture_set_direction(mixture, j, sums->responsibilities[j], sums->sums + j * d);
			continue;
		}
		for (size_t i = 0; i < d; i++)
			mixture->means[j * d + i] =
				center[i] + sums->sums[j * d + i] / rows_in_sums(sums, mixture, j);
		if (mixture->degrees != NULL)
			maximize_degrees(sums, j, mixture);
	}
	return TLV_OK;
}

/* ---- what is said of a step, and of the end ---- */

tlv_status
tlv_mixture_diagnose_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						  double step, tlv_diagnostics *diagnostics)
{
	static const char *const renewed[] = {"refinement_steps", "rows", NULL};
	double rows = tlv_frame_scalar(statistics, "rows", 1);

	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, renewed));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, step, "refinement_steps"));
	return tlv_diagnose(ctx, diagnostics, tlv_frame_scalar(statistics, "log_likelihood", 0) / rows,
						"mean_log_likelihood_before_step_%.0f", step);
}

tlv_status
tlv_mixture_warn_empty(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k,
					   const double *weights, double rows)
{
	tlv_shown_list empty = {0};

	for (size_t j = 0; j < k; j++)
		if (weights[j] * rows < 1)
			tlv_shown_add_number(&empty, j + 1);
	if (empty.n == 0)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "empty_component",
								   .score = (double) empty.n,
								   .hint = "Use a smaller k."},
					"%s %s less than one row", tlv_shown_text(&empty, "component"),
					empty.n == 1 ? "has" : "have");
}

/* ---- part of the old model ---- */

/* Parts of a component: of the old mixture and of the new one, summing to 1. */
typedef struct blend_parts
{
	double before, now;
} blend_parts;

/* The square between the means of a component that a variance takes up. */
static double
mixture_between(blend_parts parts, double a, double b, double c, double d)
{
	return parts.before * parts.now * (a - b) * (c - d);
}

/* Variances of one component, whose means are still those of either mixture. */
static void
blend_variances(const tlv_mixture *before, size_t j, blend_parts parts, tlv_mixture *mixture)
{
	size_t d = mixture->d, each = tlv_mixture_variances(d, mixture->covariance), e = 0;
	const double *x = before->means + j * d, *y = mixture->means + j * d;
	const double *old = before->variances + j * each;
	double *own = mixture->variances + j * each, moved = 0;

	for (size_t i = 0; i < each; i++)
		own[i] = parts.before * old[i] + parts.now * own[i];
	for (size_t i = 0; i < d; i++)
		if (tlv_is_matrix(mixture->covariance))
			for (size_t c = 0; c <= i; c++)
				own[e++] += mixture_between(parts, x[i], y[i], x[c], y[c]);
		else if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
			own[i] += mixture_between(parts, x[i], y[i], x[i], y[i]);
		else
			moved += mixture_between(parts, x[i], y[i], x[i], y[i]);
	if (each == 1)
		own[0] += moved / (double) d;
}

/* The means of the rows of both, as long as their concentrations make them. */
static tlv_status
blend_direction(tlv_context *ctx, const tlv_mixture *before, size_t j, blend_parts parts,
				tlv_mixture *mixture)
{
	size_t d = mixture->d;
	double old = parts.before * tlv_directions_length(d, before->variances[j]);
	double now = parts.now * tlv_directions_length(d, mixture->variances[j]);
	double *sum;

	TLV_TRY_NEW(ctx, sum, d);
	for (size_t i = 0; i < d; i++)
		sum[i] = old * before->means[j * d + i] + now * mixture->means[j * d + i];
	mixture_set_direction(mixture, j, 1, sum);
	tlv_free(ctx, sum);
	return TLV_OK;
}

/* Rounding must not lead beyond the bounds. */
static double
blend_degrees(blend_parts parts, double before, double now)
{
	double degrees = parts.before * before + parts.now * now;

	return fmin(fmax(degrees, TLV_LEAST_DEGREES), TLV_MOST_DEGREES);
}

/* What all components share: the mean of theirs. */
static void
blend_shared(tlv_mixture *mixture)
{
	size_t each = tlv_mixture_variances(mixture->d, mixture->covariance);

	for (size_t i = 0; i < each; i++)
	{
		double mean = 0;

		for (size_t j = 0; j < mixture->k; j++)
			mean += mixture->weights[j] * mixture->variances[j * each + i];
		for (size_t j = 0; j < mixture->k; j++)
			mixture->variances[j * each + i] = mean;
	}
}

tlv_status
tlv_mixture_blend(tlv_context *ctx, const tlv_mixture *before, double weight, tlv_mixture *mixture)
{
	size_t d = mixture->d;

	for (size_t j = 0; j < mixture->k; j++)
	{
		double old = (1 - weight) * before->weights[j], now = weight * mixture->weights[j];
		blend_parts parts = {old / (old + now), now / (old + now)};

		mixture->weights[j] = old + now;
		if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		{
			TLV_TRY(blend_direction(ctx, before, j, parts, mixture));
			continue;
		}
		blend_variances(before, j, parts, mixture);
		for (size_t i = 0; i < d; i++)
			mixture->means[j * d + i] =
				parts.before * before->means[j * d + i] + parts.now * mixture->means[j * d + i];
		if (mixture->degrees != NULL)
			mixture->degrees[j] = blend_degrees(parts, before->degrees[j], mixture->degrees[j]);
	}
	if (tlv_is_shared(mixture->covariance))
		blend_shared(mixture);
	return TLV_OK;
}
