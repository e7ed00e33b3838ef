/*
 * fit.c - from moments of order 4 to independent components (ica.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/cumulant4.h"
#include "tensorlv/num/tensor4.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/numbers.h"

/* So much more than what noise => true would add in uncertainty it must promise to take away. */
#define NOISE_GAIN		  2.5
#define ICA_RESIDUAL_WARN 0.9
/* Directions that sampling leaves uncertain by more than this, radians. */
#define UNCERTAINTY_WARN 0.3

typedef struct ica_fit
{
	tlv_dense_central central;
	size_t p;			 /* dimension of the moments */
	size_t d;			 /* of the rows: above p when the moments are compressed */
	const double *basis; /* d x p, or NULL */
	size_t k;
	size_t rank;
	double *eigenvalues; /* p */
	double *whitening;	 /* p x k: W, W'CW = I */
	double *unwhitening; /* p x k: CW */
	double *cumulant;	 /* packed, k */
	double *orthogonal;	 /* k x k: the solution without noise */
	double *free;		 /* k x k: the solution with noise */
	double *values;		 /* k */
	double *free_values; /* k */
	double disagreement; /* Amari index of the two; NaN: not compared */
	tlv_decomposition decomposition;
	tlv_decomposition cp;
} ica_fit;

double
tlv_ica_fit_memory(size_t p, size_t k, const tlv_ica_options *options)
{
	double n = (double) p, size = n * (n + 1) * (n + 2) * (n + 3) / 24;
	double compress = tlv_cumulant4_compress_memory(p, k);
	double decompose = tlv_decompose4_memory(k, &options->decompose);

	return sizeof(double) * (2 * size + 10 * n * n) + fmax(compress, decompose) + 8192;
}

/* ---- whitening ---- */

static tlv_status
ica_refuse_rank(tlv_context *ctx, const ica_fit *fit, size_t k)
{
	if (fit->rank == 0)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "no dimension of the %.0f %s varies", fit->central.rows,
				 tlv_plural((double) fit->central.rows, "row", "rows"));
		return tlv_fail_hint(ctx, "Components are found in how the dimensions vary together.");
	}
	(void) tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
					"the covariance of the rows has %zu %s, fewer than %zu %s", fit->rank,
					tlv_plural((double) fit->rank, "dimension", "dimensions"), k,
					tlv_plural((double) k, "component", "components"));
	tlv_fail_values(ctx, "Eigenvalues of the correlations:", 3, fit->p, fit->eigenvalues);
	return tlv_fail_hint(ctx,
						 "Use a smaller k, or NULL for as many as there are; dimensions that do "
						 "not vary, or are sums of others, add none.");
}

/* a (p x p) = C_ij / (s_i s_j); dimensions that do not vary become zero. */
static void
scale_covariance(const tlv_dense_central *central, const double *scale, double *a)
{
	size_t p = central->d;

	for (size_t j = 0; j < p; j++)
		for (size_t i = 0; i < p; i++)
			a[i + j * p] = scale[i] > 0 && scale[j] > 0
							   ? central->covariance[i + j * p] / scale[i] / scale[j]
							   : 0;
}

/*
 * Eigenvectors (in a) and eigenvalues of the correlations, and the rank; when
 * k is less, of the covariance, whose leading directions are then kept.
 */
static tlv_status
find_directions(tlv_context *ctx, ica_fit *fit, const tlv_ica_options *options, double *scale,
				double *a)
{
	size_t p = fit->p;
	double largest = 0;

	for (size_t i = 0; i < p; i++)
	{
		scale[i] = sqrt(fit->central.covariance[i * (p + 1)]);
		largest = fmax(largest, scale[i]);
	}
	scale_covariance(&fit->central, scale, a);
	TLV_TRY(tlv_eigen_symmetric(ctx, p, a, fit->eigenvalues));
	while (fit->rank < p && fit->eigenvalues[fit->rank] > TLV_DEPENDENT * fit->eigenvalues[0])
		fit->rank++;
	fit->k = options->k > 0 ? options->k : fit->rank;
	if (options->k == 0 && options->max_k > 0)
		fit->k = tlv_least(fit->k, options->max_k);
	if (fit->k > fit->rank || fit->rank == 0)
		return ica_refuse_rank(ctx, fit, fit->k > 0 ? fit->k : 1);
	if (fit->k == fit->rank)
		return TLV_OK;
	for (size_t i = 0; i < p; i++)
		scale[i] = scale[i] > 0 ? largest : 0;
	scale_covariance(&fit->central, scale, a);
	TLV_TRY(tlv_eigen_symmetric(ctx, p, a, fit->eigenvalues));
	if (!(fit->eigenvalues[fit->k - 1] > TLV_DEPENDENT * fit->eigenvalues[0]))
		return ica_refuse_rank(ctx, fit, fit->k);
	return TLV_OK;
}

static tlv_status
ica_whiten(tlv_context *ctx, ica_fit *fit, const tlv_ica_options *options)
{
	size_t p = fit->p;
	double *scale = tlv_alloc(ctx, p + p * p, sizeof(double)), *a;

	TLV_TRY_ALLOC(ctx, scale);
	a = scale + p;
	TLV_TRY(find_directions(ctx, fit, options, scale, a));
	TLV_TRY_NEW(ctx, fit->whitening, 2 * p * fit->k);
	fit->unwhitening = fit->whitening + p * fit->k;
	for (size_t j = 0; j < fit->k; j++)
		for (size_t i = 0; i < p; i++)
		{
			double length = sqrt(fit->eigenvalues[j]);

			fit->whitening[i + j * p] = scale[i] > 0 ? a[i + j * p] / length / scale[i] : 0;
			fit->unwhitening[i + j * p] = a[i + j * p] * length * scale[i];
		}
	tlv_free(ctx, scale);
	return TLV_OK;
}

/* ---- decomposition ---- */

/* Gradient steps leave vectors that are only nearly orthogonal. */
static tlv_status
orthogonalize(tlv_context *ctx, ica_fit *fit)
{
	tlv_decompose_options options = {.method = TLV_METHOD_JOINT, .steps = 1};
	double *start = tlv_alloc(ctx, fit->k * fit->k, sizeof(double));
	int iterations = fit->decomposition.iterations;
	bool converged = fit->decomposition.converged;

	TLV_TRY_ALLOC(ctx, start);
	memcpy(start, fit->orthogonal, fit->k * fit->k * sizeof(double));
	TLV_TRY(tlv_polar(ctx, fit->k, start));
	options.initial = start;
	TLV_TRY(tlv_decompose4(ctx, fit->k, fit->cumulant, &options, &fit->decomposition));
	fit->decomposition.iterations += iterations;
	fit->decomposition.converged = converged;
	tlv_free(ctx, start);
	return TLV_OK;
}

static tlv_status
ica_decompose(tlv_context *ctx, ica_fit *fit, const tlv_ica_options *options)
{
	/* Up to here the fit without noise looks for noise, too; the sweeps it takes are few. */
	const int most_compared = 30, compared_sweeps = 100;

	/* and they stand still where they move by so little of what sampling moves them by. */
	const double compared_tolerance = 0.01;
	size_t k = fit->k;
	tlv_decompose_options again = {.initial = NULL};

	TLV_TRY_NEW(ctx, fit->orthogonal, 2 * (k * k + k));
	fit->free = fit->orthogonal + k * k;
	fit->values = fit->free + k * k;
	fit->free_values = fit->values + k;
	fit->decomposition.vectors = fit->orthogonal;
	fit->decomposition.values = fit->values;
	fit->cp.vectors = fit->free;
	fit->cp.values = fit->free_values;
	fit->disagreement = NAN;
	TLV_TRY(tlv_decompose4(ctx, k, fit->cumulant, &options->decompose, &fit->decomposition));
	if (options->decompose.method != TLV_METHOD_JOINT)
		TLV_TRY(orthogonalize(ctx, fit));
	if (!options->noise && k > most_compared)
		return TLV_OK;
	again.initial = fit->orthogonal;
	again.steps = options->noise ? options->decompose.steps : compared_sweeps;
	if (!options->noise)
		again.tolerance = compared_tolerance / sqrt(fit->central.rows);
	TLV_TRY(tlv_decompose4_cp(ctx, k, fit->cumulant, &again, &fit->cp));
	return tlv_ica_amari(ctx, k, k, fit->orthogonal, fit->free, &fit->disagreement);
}

/* ---- the model ---- */

/* out (rows x k) = basis a, or a itself */
static tlv_status
from_basis(tlv_context *ctx, const ica_fit *fit, const double *a, double *out)
{
	if (fit->basis != NULL)
		return tlv_gemm(ctx, false, false, fit->d, fit->k, fit->p, 1, fit->basis, fit->d, a, fit->p,
						0, out, fit->d);
	memcpy(out, a, fit->p * fit->k * sizeof(double));
	return TLV_OK;
}

/* mixing = CW B and unmixing = (W B)' for unit columns B. */
static tlv_status
recover_mixing(tlv_context *ctx, const ica_fit *fit, const double *vectors, double *mixing,
			   double *unmixing)
{
	size_t k = fit->k, p = fit->p, d = fit->d;
	double *work = tlv_alloc(ctx, (p + d) * k, sizeof(double)), *wide;

	TLV_TRY_ALLOC(ctx, work);
	wide = work + p * k;
	TLV_TRY(tlv_gemm(ctx, false, false, p, k, k, 1, fit->unwhitening, p, vectors, k, 0, work, p));
	TLV_TRY(from_basis(ctx, fit, work, mixing));
	TLV_TRY(tlv_gemm(ctx, false, false, p, k, k, 1, fit->whitening, p, vectors, k, 0, work, p));
	TLV_TRY(from_basis(ctx, fit, work, wide));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			unmixing[j + i * k] = wide[i + j * d];
	for (size_t i = 0; i < d * k; i++)
		if (!isfinite(mixing[i]) || !isfinite(unmixing[i]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the variances are too large or too small");
			return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
		}
	tlv_free(ctx, work);
	return TLV_OK;
}

/* The mean in all dimensions: that of the subspace, and what its basis adds. */
static tlv_status
full_mean(tlv_context *ctx, const ica_fit *fit, const tlv_frame *moments, double *mean)
{
	tlv_assert(fit->central.mean != NULL);
	if (fit->basis == NULL)
	{
		memcpy(mean, fit->central.mean, fit->d * sizeof(double));
		return TLV_OK;
	}
	memcpy(mean, tlv_frame_float64(moments, "mean"), fit->d * sizeof(double));
	return tlv_gemm(ctx, false, false, fit->d, 1, fit->p, 1, fit->basis, fit->d, fit->central.mean,
					fit->p, 1, mean, fit->d);
}

/*
 * How far sampling may turn component j, radians: to first order the cumulant of its output y = w'z
 * three times with another direction moves its column, and that has a variance of about
 * (6 + 6 kappa^2) |w|^6 / rows, kappa the excess kurtosis of y where positive (6 of Gaussian, 63 of
 * Laplace, 220 of exponential outputs; 4 and 2 of binary and uniform ones).  Over 576
 * simulated components errors were .4 to 1.1 times this in the median, at the 90th percentile .8
 * to 1.8 times.
 */
static double
uncertainty(const ica_fit *fit, const double *inverse, size_t j)
{
	size_t k = fit->k;
	double square = 0, kurtosis;

	for (size_t i = 0; i < k; i++)
		square += inverse[j + i * k] * inverse[j + i * k];
	kurtosis = fmax(0, fit->free_values[j] / (square * square));
	return sqrt((double) (k - 1) * 6 * (1 + kurtosis * kurtosis) * square / fit->central.rows) *
		   square / fmax(fabs(fit->free_values[j]), TLV_TINY);
}

/* Of all components, at most a right angle. */
static tlv_status
find_uncertainty(tlv_context *ctx, const ica_fit *fit, double *angles)
{
	size_t k = fit->k, rank;
	double *inverse = tlv_alloc(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, inverse);
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, fit->free, 1e-12, inverse, &rank));
	for (size_t j = 0; j < k; j++)
		angles[j] = fmin(uncertainty(fit, inverse, j), acos(0));
	tlv_free(ctx, inverse);
	return TLV_OK;
}

/* What is in the middle of them, which are left in ascending order. */
static double
median_angle(size_t k, double *angles)
{
	for (size_t j = 1; j < k; j++)
		for (size_t i = j; i > 0 && angles[i - 1] > angles[i]; i--)
		{
			double swap = angles[i];

			angles[i] = angles[i - 1];
			angles[i - 1] = swap;
		}
	return (angles[(k - 1) / 2] + angles[k / 2]) / 2;
}

/* uncertainty_1 .., and a warning of the components for which it is large. */
static tlv_status
diagnose_uncertainty(tlv_context *ctx, const ica_fit *fit, const tlv_ica_parts *parts)
{
	size_t k = fit->k;
	tlv_diagnostics *diag = parts->diagnostics;
	tlv_shown_list large = {0};
	double *angles = tlv_alloc(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, angles);
	TLV_TRY(find_uncertainty(ctx, fit, angles));
	for (size_t j = 0; j < k; j++)
	{
		if (angles[j] > UNCERTAINTY_WARN)
			tlv_ica_list(parts, j, &large);
		TLV_TRY(tlv_diagnose(ctx, diag, angles[j], "uncertainty_%zu", j + 1));
	}
	tlv_free(ctx, angles);
	if (large.n == 0)
		return TLV_OK;
	return tlv_warn(
		ctx, diag,
		&(tlv_warning){.code = "uncertain_directions",
					   .score = (double) large.n,
					   .hint = "Give more rows, above all where large values are frequent."},
		"sampling error leaves the directions of %s uncertain by more than %g radian",
		tlv_shown_text(&large, "component"), UNCERTAINTY_WARN);
}

/* The component that is least one of the fit to noise, too, by the cosine. */
static size_t
find_disagreeing(const ica_fit *fit)
{
	size_t k = fit->k, found = 0;
	double least = 2;

	for (size_t j = 0; j < k; j++)
	{
		double best = 0;

		for (size_t l = 0; l < k; l++)
		{
			double cosine = 0;

			for (size_t i = 0; i < k; i++)
				cosine += fit->orthogonal[i + j * k] * fit->free[i + l * k];
			best = fmax(best, fabs(cosine));
		}
		found = best < least ? j : found;
		least = fmin(best, least);
	}
	return found;
}

/*
 * The warning of noise, with the hint to fit to it where that would be the better fit.
 *
 * What sampling alone makes the two solutions differ by is of the size of 1 / sqrt(rows): measured
 * over 480 simulated fits, .35 (binary sources) to 1.5 (Laplace) times that in the mean, at
 * most 2.1 with k = 5 to 20 and 3.3 with k = 2; with noise of a third of the sources' deviation 4
 * to 16 times from 20,000 rows on.  Tails heavier than those widen it as they widen the uncertainty
 * of the directions, which is what the fit to noise pays: turned by u in k - 1 directions, a
 * component adds .8 u / sqrt(k - 1) to the index.  Over 130 fits of heavy tails and of series whose
 * level changes slowly the quotient was below 1.4 without noise (1.8 of t(3)); with noise of the
 * sources' size, where it was above 2.5, the fit to noise halved the error or better.
 */
static tlv_status
diagnose_noise(tlv_context *ctx, const ica_fit *fit, const tlv_ica_parts *parts)
{
	/* The bases differ by so much more than sampling makes them: see diagnose_noise. */
	const double disagreement_warn = 3.0;
	size_t k = fit->k;
	double *angles, median;
	char shown[TLV_SHOWN_NAME];
	bool promising;

	if (!(fit->disagreement > disagreement_warn / sqrt(fit->central.rows)))
		return TLV_OK;
	TLV_TRY_NEW(ctx, angles, k);
	TLV_TRY(find_uncertainty(ctx, fit, angles));
	median = median_angle(k, angles);
	tlv_free(ctx, angles);
	promising = fit->disagreement * sqrt((double) k - 1) > NOISE_GAIN * 0.8 * median;
	return tlv_warn(
		ctx, parts->diagnostics,
		&(tlv_warning){
			.code = "gaussian_noise",
			.score = fit->disagreement,
			.hint = promising ? "Try noise => true: there may be Gaussian noise."
							  : "Give more rows: there may be Gaussian noise, or components depend "
								"on each other, and these rows are too few for noise => true."},
		"the components that the covariance allows differ from those of the cumulant alone, most "
		"of all component %s",
		tlv_ica_show(parts, find_disagreeing(fit), shown));
}

/* The column whose own fourth cumulant, relative to its variance, the components explain least. */
static size_t
least_explained(const ica_fit *fit, const tlv_ica_parts *parts)
{
	size_t p = fit->p, found = 0;
	double most = -1;

	for (size_t i = 0; i < p; i++)
	{
		double variance = fit->central.covariance[i * (p + 1)];
		double rest = fit->central.fourth[tlv_packed4_index(i, i, i, i)] - 3 * variance * variance;

		for (size_t j = 0; j < fit->k; j++)
			rest -= parts->kurtosis[j] * pow(parts->mixing[i + j * p], 4);
		rest = fabs(rest) / (variance * variance);
		found = rest > most ? i : found;
		most = fmax(most, rest);
	}
	return found;
}

static tlv_status
ica_warn_of_residual(tlv_context *ctx, const ica_fit *fit, const tlv_ica_parts *parts,
					 double residual)
{
	bool named = fit->basis == NULL;
	char shown[TLV_SHOWN_NAME];

	if (!(residual > ICA_RESIDUAL_WARN))
		return TLV_OK;
	return tlv_warn(
		ctx, parts->diagnostics, &(tlv_warning){.code = "large_residual", .score = residual},
		"the relative residual is above %g: hardly any of the fourth cumulant is that of "
		"independent components%s%s",
		ICA_RESIDUAL_WARN, named ? ", least that of column " : "",
		named ? tlv_names_show(parts->names, least_explained(fit, parts), shown) : "");
}

static tlv_status
ica_diagnose_fit(tlv_context *ctx, const ica_fit *fit, const tlv_frame *moments,
				 const tlv_ica_options *options, const tlv_ica_parts *parts)
{
	tlv_diagnostics *diag = parts->diagnostics;
	const tlv_decomposition *dec = options->noise ? &fit->cp : &fit->decomposition;
	const double *kurtosis = options->noise ? fit->free_values : fit->values;
	/* what is not identified settles nowhere, and differs from fit to fit: one warning is enough */
	bool free_to_turn = tlv_ica_gaussian(fit->k, kurtosis, fit->central.rows) > 1;

	TLV_TRY(tlv_diagnose(ctx, diag, fit->central.rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diag, tlv_frame_scalar(moments, "nulls", 0), "nulls"));
	TLV_TRY(tlv_diagnose(ctx, diag, (double) fit->d, "dimensions"));
	TLV_TRY(tlv_diagnose(ctx, diag, (double) fit->rank, "rank"));
	if (fit->rank < fit->p && fit->basis == NULL)
		TLV_TRY(tlv_dense_warn_dependent(
			ctx, &(tlv_dense_space){.dimensions = fit->p, .directions = fit->p},
			fit->central.covariance, parts->names, fit->eigenvalues[fit->p - 1], diag));
	if (options->k == 0)
		TLV_TRY(tlv_warn_k_at_limit(ctx, diag, fit->rank, options->max_k));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, diag, fit->eigenvalues[0] / fit->eigenvalues[fit->k - 1],
						 "condition_number"));
	TLV_TRY(tlv_diagnose(ctx, diag, fit->decomposition.iterations, "iterations"));
	TLV_TRY(tlv_diagnose(ctx, diag, fit->decomposition.sweeps, "sweeps"));
	TLV_TRY(tlv_diagnose(ctx, diag, dec->converged, "converged"));
	TLV_TRY(tlv_diagnose(ctx, diag, fit->disagreement, "disagreement"));
	if (options->noise)
	{
		TLV_TRY(tlv_diagnose(ctx, diag, fit->cp.iterations, "noise_sweeps"));
		TLV_TRY(diagnose_uncertainty(ctx, fit, parts));
	}
	if (!options->noise && !free_to_turn)
		TLV_TRY(diagnose_noise(ctx, fit, parts));
	TLV_TRY(ica_warn_of_residual(ctx, fit, parts, dec->residual));
	if (!dec->converged && !free_to_turn)
		TLV_TRY(tlv_warn(ctx, diag,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = dec->iterations,
										.hint = "Use a smaller k, or give more rows."},
						 "the decomposition did not converge"));
	for (size_t j = 0; j < fit->p; j++)
		TLV_TRY(tlv_diagnose(ctx, diag, fit->eigenvalues[j], "eigenvalue_%zu", j + 1));
	return TLV_OK;
}

static tlv_status
ica_open_moments(tlv_context *ctx, const tlv_frame *moments, const tlv_ica_options *options,
				 ica_fit *fit)
{
	const tlv_section *basis;

	if (moments->header->type != TLV_FRAME_MOMENTS ||
		(moments->header->kind != TLV_KIND_DENSE_MOMENTS &&
		 moments->header->kind != TLV_KIND_DENSE_COMPRESSED))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "moments of vectors are needed");
		return tlv_fail_hint(ctx, "Collect them with tlv_dense_moments(x, 4).");
	}
	if (tlv_frame_scalar(moments, "order", 0) < 4)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "independent components need moments of order 4, not %g",
				 tlv_frame_scalar(moments, "order", 0));
		return tlv_fail_hint(ctx, "Collect them with tlv_dense_moments(x, 4).");
	}
	basis = moments->header->kind == TLV_KIND_DENSE_COMPRESSED ? tlv_frame_find(moments, "basis")
															   : NULL;
	fit->p = tlv_frame_find(moments, "sum1")->rows;
	fit->d = basis != NULL ? basis->rows : fit->p;
	fit->basis = basis != NULL ? tlv_section_data(moments, basis) : NULL;
	if (options->k > fit->p)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu dimensions of the moments",
				 options->k, fit->p);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	TLV_TRY(tlv_require_memory(
		ctx, tlv_ica_fit_memory(fit->p, options->k > 0 ? options->k : fit->p, options), "the fit"));
	return tlv_dense_central_compute(ctx, moments, &fit->central);
}

static tlv_status
fit_components(tlv_context *ctx, ica_fit *fit, const tlv_ica_options *options)
{
	size_t k;

	TLV_TRY_NEW(ctx, fit->eigenvalues, fit->p);
	TLV_TRY(ica_whiten(ctx, fit, options));
	k = fit->k;
	if (!(fit->central.rows > (double) k))
		return tlv_refuse_few(ctx, fit->central.rows, "rows", k, "components");
	TLV_TRY_NEW(ctx, fit->cumulant, tlv_packed4_size(k));
	TLV_TRY(
		tlv_cumulant4_compress(ctx, fit->p, k, fit->central.fourth, fit->whitening, fit->cumulant));
	tlv_cumulant4_subtract_gaussian(k, fit->cumulant);
	return ica_decompose(ctx, fit, options);
}

static void
ica_free_fit(tlv_context *ctx, ica_fit *fit)
{
	tlv_dense_central_free(ctx, &fit->central);
	tlv_free(ctx, fit->eigenvalues);
	tlv_free(ctx, fit->whitening);
	tlv_free(ctx, fit->cumulant);
	tlv_free(ctx, fit->orthogonal);
}

tlv_status
tlv_ica_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_ica_options *options,
			void **image, size_t *size)
{
	ica_fit fit = {.d = 0};
	tlv_diagnostics diagnostics = {0};
	tlv_ica_parts parts = {0};
	double *mean;

	TLV_TRY(ica_open_moments(ctx, moments, options, &fit));
	TLV_TRY(fit_components(ctx, &fit, options));
	parts.d = fit.d;
	parts.k = fit.k;
	parts.rows = fit.central.rows;
	parts.noise = options->noise;
	parts.seed = (double) options->seed;
	parts.change = 1;
	parts.diagnostics = &diagnostics;
	parts.kurtosis = options->noise ? fit.free_values : fit.values;
	parts.names = options->names;
	TLV_TRY_NEW(ctx, mean, fit.d + 2 * fit.d * fit.k);
	parts.mean = mean;
	parts.mixing = mean + fit.d;
	parts.unmixing = parts.mixing + fit.d * fit.k;
	TLV_TRY(full_mean(ctx, &fit, moments, mean));
	TLV_TRY(recover_mixing(ctx, &fit, options->noise ? fit.free : fit.orthogonal, parts.mixing,
						   parts.unmixing));
	TLV_TRY(tlv_ica_order(ctx, &parts));
	if (!options->keep_gaussian)
		TLV_TRY(tlv_ica_require_sources(ctx, &parts));
	TLV_TRY(ica_diagnose_fit(ctx, &fit, moments, options, &parts));
	TLV_TRY(tlv_ica_diagnose(ctx, &parts));
	TLV_TRY(tlv_ica_write(ctx, &parts, image, size));
	tlv_free(ctx, mean);
	tlv_diagnostics_free(ctx, &diagnostics);
	ica_free_fit(ctx, &fit);
	return TLV_OK;
}
