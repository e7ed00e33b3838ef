/*
 * fit.c - from dense moments of order 3 to the parameters of a mixture of spherical
 * Gaussians (gmm.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tensor3.h"

/* Variances below this part of the mean one are not believed. */
#define GMM_LEAST_VARIANCE 0.05

typedef struct gmm_fit
{
	size_t k;
	size_t d; /* of the moments: all dimensions, or the directions of a subspace */
	bool common;
	gmm_space space;
	double *unit; /* d: what coordinates are measured in; NULL: as they are */
	tlv_dense_central moments;
	double *eigenvalues;  /* d, of the covariance, descending */
	double *eigenvectors; /* d x d */
	double noise;		  /* mean of the smallest but k - 1, of all dimensions */
	double *skew;		  /* d: M1 */
	double *root;		  /* k - 1: sqrt(l) */
	double *whitening;	  /* d x (k - 1) */
	tlv_decomposition decomposition;
	tlv_mixture mixture; /* spherical */
} gmm_fit;

/* ---- what is fitted ---- */

static tlv_status
check_moments(tlv_context *ctx, const tlv_frame *moments, const tlv_gmm_options *options)
{
	int order = (int) tlv_frame_scalar(moments, "order", 0);

	if (moments->header->type != TLV_FRAME_MOMENTS ||
		(moments->header->kind != TLV_KIND_DENSE_MOMENTS &&
		 moments->header->kind != TLV_KIND_DENSE_COMPRESSED))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a mixture of Gaussians is fitted to dense "
				 "moments of vectors");
		return tlv_fail_hint(ctx, "Collect them with tlv_dense_moments(x, 3).");
	}
	if (options->k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %d", options->k,
						TLV_MIXTURE_MOST_COMPONENTS);
	if (order < 3 && options->k != 1)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments of order %d do not tell components "
				 "apart",
				 order);
		return tlv_fail_hint(ctx,
							 "Collect moments of order 3: tlv_dense_moments(x, 3), of more than %d "
							 "dimensions tlv_dense_moments(x, tlv_find_subspace(moments, %zu)).",
							 TLV_DENSE_MOST_3, options->k > 0 ? options->k : 2);
	}
	if (tlv_frame_scalar(moments, "rows", 0) < (double) options->k)
		return tlv_refuse_few(ctx, tlv_frame_scalar(moments, "rows", 0), "rows", options->k,
							  "components");
	return TLV_OK;
}

static tlv_status
allocate_fit(tlv_context *ctx, gmm_fit *fit)
{
	size_t k = fit->k, d = fit->d;

	TLV_TRY_NEW_ROWS(ctx, fit->eigenvalues, d, 4 + d + k);
	fit->skew = fit->eigenvalues + d;
	fit->eigenvectors = fit->skew + d;
	fit->whitening = fit->eigenvectors + d * d;
	TLV_TRY_NEW_ROWS(ctx, fit->root, k, k + 2);
	fit->decomposition.k = k;
	fit->decomposition.values = fit->root + k;
	fit->decomposition.vectors = fit->root + 2 * k;
	return tlv_mixture_create(ctx, k, d, TLV_COVARIANCE_SPHERICAL, &fit->mixture);
}

static void
free_fit(tlv_context *ctx, gmm_fit *fit)
{
	tlv_free(ctx, fit->unit);
	tlv_mixture_free(ctx, &fit->mixture);
	tlv_free(ctx, fit->root);
	tlv_free(ctx, fit->eigenvalues);
	tlv_dense_central_free(ctx, &fit->moments);
}

/*
 * For covariances that do not depend on the units of the coordinates the moments are taken in
 * units of every coordinate's standard deviation; a constant coordinate keeps its own.
 */
static tlv_status
choose_units(tlv_context *ctx, gmm_fit *fit)
{
	tlv_dense_central *moments = &fit->moments;
	size_t d = fit->d;

	TLV_TRY_NEW(ctx, fit->unit, d);
	for (size_t i = 0; i < d; i++)
	{
		double variance = moments->covariance[i * d + i];

		fit->unit[i] = variance > 0 ? sqrt(variance) : 1;
		moments->mean[i] /= fit->unit[i];
	}
	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c < d; c++)
			moments->covariance[i * d + c] /= fit->unit[i] * fit->unit[c];
	for (size_t i = 0; i < d && moments->third != NULL; i++)
		for (size_t c = 0; c <= i; c++)
			for (size_t b = 0; b <= c; b++)
				moments->third[tlv_packed3_index(i, c, b)] /=
					fit->unit[i] * fit->unit[c] * fit->unit[b];
	return TLV_OK;
}

/* ---- second order: noise and signal ---- */

static tlv_status
refuse_fit(tlv_context *ctx, const gmm_fit *fit, size_t found)
{
	if (fit->k > fit->space.dimensions)
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
				 "third moments in %zu %s do not identify %zu components", fit->space.dimensions,
				 tlv_plural((double) fit->space.dimensions, "dimension", "dimensions"), fit->k);
	else if (fit->k > fit->d + 1)
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "moments in %zu %s do not identify %zu components",
				 fit->d, tlv_plural((double) fit->d, "direction", "directions"), fit->k);
	else
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
				 "the covariance has %zu %s of signal, %zu components need %zu", found,
				 tlv_plural((double) found, "direction", "directions"), fit->k, fit->k - 1);
	tlv_fail_values(ctx,
					fit->d > 20 ? "Eigenvalues of the covariance, the first 20:"
								: "Eigenvalues of the covariance:",
					4, tlv_least(fit->d, 20), fit->eigenvalues);
	return tlv_fail_hint(ctx,
						 "Use a smaller k; or tlv_gmm, which sees the rows and has other starts.");
}

/* Eigenvalues, noise, and the signal's whitening. */
static tlv_status
split_noise(tlv_context *ctx, gmm_fit *fit)
{
	/* Eigenvalues nearer to the noise than this part of the largest are noise. */
	const double least_signal = 1e-10;
	size_t k = fit->k, d = fit->d, first = k - 1;
	double *values = fit->eigenvalues, left = (double) (fit->space.dimensions - first);

	memcpy(fit->eigenvectors, fit->moments.covariance, d * d * sizeof(double));
	/* One component needs the trace only, which the variances, already there, sum up to. */
	if (k > 1 || d <= TLV_EIGEN_LIMIT)
		TLV_TRY(tlv_eigen_symmetric(ctx, d, fit->eigenvectors, values));
	if (k > fit->space.dimensions || first > d)
		return refuse_fit(ctx, fit, 0);
	fit->noise = fit->space.outside / left;
	for (size_t i = first; i < d; i++)
		fit->noise += fmax(values[i], 0) / left;
	for (size_t a = 0; a < first; a++)
	{
		double signal = values[a] - fit->noise;

		if (!(signal > least_signal * values[0]))
			return refuse_fit(ctx, fit, a);
		fit->root[a] = sqrt(signal);
		for (size_t i = 0; i < d; i++)
			fit->whitening[a * d + i] = fit->eigenvectors[a * d + i] / fit->root[a];
	}
	return TLV_OK;
}

/* ---- third order ---- */

/* out_a += sum_bc T_abc N_bc for packed symmetric T and symmetric N. */
static void
gmm_contract(size_t d, const double *packed, const double *n, double *out)
{
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			const double *row = packed + tlv_packed3_index(a, b, 0);

			for (size_t c = 0; c <= b; c++)
			{
				double twice = 2 * row[c];

				out[a] += (b == c ? row[c] : twice) * n[b * d + c];
				if (b != a)
					out[b] += twice * n[a * d + c];
				if (c != b)
					out[c] += (a == b ? row[c] : twice) * n[a * d + b];
			}
		}
}

/* M1 = E[(x - m) a(x)]: the third moment contracted with the noise's projection. */
static tlv_status
noise_skew(tlv_context *ctx, gmm_fit *fit)
{
	size_t d = fit->d, first = fit->k - 1, q = d - first;
	double *projection, left = (double) (fit->space.dimensions - first);

	memset(fit->skew, 0, d * sizeof(double));
	if (fit->common)
		return TLV_OK;
	for (size_t a = 0; a < d && fit->space.skew != NULL; a++)
		fit->skew[a] = fit->space.skew[a] / left;
	if (q == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, projection, d, d);
	TLV_TRY(tlv_syrk(ctx, false, d, q, 1 / left, fit->eigenvectors + first * d, d, 0, projection, d,
					 true));
	gmm_contract(d, fit->moments.third, projection, fit->skew);
	tlv_free(ctx, projection);
	return TLV_OK;
}

/* The whitened third moment of the extended data, packed. */
static tlv_status
whiten_third(tlv_context *ctx, const gmm_fit *fit, double *packed)
{
	size_t k = fit->k, d = fit->d, first = k - 1;
	double *inverse = tlv_alloc0(ctx, first, (first + 1) * sizeof(double)), *skew;

	TLV_TRY_ALLOC(ctx, inverse);
	skew = inverse + first * first;
	memset(packed, 0, tlv_packed3_size(k) * sizeof(double));
	TLV_TRY(tlv_packed3_compress(ctx, d, first, fit->moments.third, fit->whitening, packed));
	TLV_TRY(tlv_gemm(ctx, true, false, first, 1, d, 1, fit->whitening, d, fit->skew, d, 0, skew,
					 first));
	for (size_t a = 0; a < first; a++)
		inverse[a * first + a] = 1 / (fit->root[a] * fit->root[a]);
	tlv_packed3_add_product(first, -1, inverse, skew, packed);
	for (size_t a = 0; a < first; a++)
		packed[tlv_packed3_index(first, a, a)] = 1;
	packed[tlv_packed3_index(first, first, first)] = 1;
	tlv_free(ctx, inverse);
	return TLV_OK;
}

static tlv_status
decompose(tlv_context *ctx, gmm_fit *fit, const tlv_decompose_options *options)
{
	double *packed = tlv_alloc(ctx, tlv_packed3_size(fit->k), sizeof(double));

	TLV_TRY_ALLOC(ctx, packed);
	TLV_TRY(noise_skew(ctx, fit));
	TLV_TRY(whiten_third(ctx, fit, packed));
	TLV_TRY(tlv_decompose(ctx, fit->k, packed, options, &fit->decomposition));
	tlv_free(ctx, packed);
	return TLV_OK;
}

/* ---- parameters ---- */

/* Weights and means from the components of the whitened tensor. */
static tlv_status
recover_means(tlv_context *ctx, gmm_fit *fit)
{
	/* Square roots of weights below this are not believed. */
	const double least_root = 1e-2;
	size_t k = fit->k, d = fit->d, first = k - 1;
	double *vectors = fit->decomposition.vectors, total = 0;
	tlv_mixture *mixture = &fit->mixture;

	for (size_t j = 0; j < k; j++)
	{
		double *v = vectors + j * k;
		double root = fmax(fabs(v[first]), least_root);

		for (size_t a = 0; a < first; a++)
			v[a] *= (v[first] < 0 ? -1 : 1) * fit->root[a] / root;
		total += mixture->weights[j] = root * root;
		memcpy(mixture->means + j * d, fit->moments.mean, d * sizeof(double));
	}
	for (size_t j = 0; j < k; j++)
		mixture->weights[j] /= total;
	return tlv_gemm(ctx, false, false, d, k, first, 1, fit->eigenvectors, d, vectors, k, 1,
					mixture->means, d);
}

/* Differing variances: sum w_i s_i (mu_i - m) = M1 and sum w_i s_i = s2, by least squares. */
static tlv_status
recover_variances(tlv_context *ctx, gmm_fit *fit)
{
	size_t k = fit->k, d = fit->d, rows = d + 1, rank;
	const tlv_mixture *mixture = &fit->mixture;
	double importance = 3 * sqrt(fit->noise), *a, *b, *inverse;

	for (size_t j = 0; j < k; j++)
		mixture->variances[j] = fit->noise;
	if (fit->common || !(fit->noise > 0))
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, a, rows, 2 * k + 1);
	inverse = a + rows * k;
	b = inverse + rows * k;
	for (size_t j = 0; j < k; j++)
	{
		for (size_t i = 0; i < d; i++)
			a[j * rows + i] =
				mixture->weights[j] * (mixture->means[j * d + i] - fit->moments.mean[i]);
		a[j * rows + d] = importance * mixture->weights[j];
	}
	memcpy(b, fit->skew, d * sizeof(double));
	b[d] = importance * fit->noise;
	TLV_TRY(tlv_pseudo_inverse(ctx, rows, k, a, 1e-12, inverse, &rank));
	TLV_TRY(
		tlv_gemm(ctx, false, false, k, 1, rows, 1, inverse, k, b, rows, 0, mixture->variances, k));
	for (size_t j = 0; j < k; j++)
		if (!(mixture->variances[j] > GMM_LEAST_VARIANCE * fit->noise))
			mixture->variances[j] = fit->noise;
	tlv_free(ctx, a);
	return TLV_OK;
}

/* S - sum w_i (mu_i - m)(mu_i - m)', eigenvalues at least `least`: d x d. */
static tlv_status
covariance_within(tlv_context *ctx, const gmm_fit *fit, double least, double *within)
{
	size_t k = fit->k, d = fit->d;
	double *scaled, *vectors, *values;

	if (k == 1)
	{
		memcpy(within, fit->moments.covariance, d * d * sizeof(double));
		return TLV_OK;
	}
	TLV_TRY_NEW_ROWS(ctx, scaled, d, k + d + 1);
	vectors = scaled + d * k;
	values = vectors + d * d;
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			scaled[j * d + i] = sqrt(fit->mixture.weights[j]) *
								(fit->mixture.means[j * d + i] - fit->moments.mean[i]);
	memcpy(vectors, fit->moments.covariance, d * d * sizeof(double));
	TLV_TRY(tlv_syrk(ctx, false, d, k, -1, scaled, d, 1, vectors, d, true));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, vectors, values));
	for (size_t c = 0; c < d; c++)
		for (size_t i = 0; i < d; i++)
			vectors[c * d + i] *= sqrt(fmax(values[c], least));
	TLV_TRY(tlv_syrk(ctx, false, d, d, 1, vectors, d, 0, within, d, true));
	tlv_free(ctx, scaled);
	return TLV_OK;
}

/* One variance by coordinate, or a covariance, for all components. */
static tlv_status
shape_within(tlv_context *ctx, const gmm_fit *fit, const double *within, const double *floor,
			 tlv_mixture *mixture)
{
	size_t d = mixture->d, variances = tlv_mixture_variances(d, mixture->covariance);
	bool full = tlv_is_matrix(mixture->covariance);
	double *lifted;

	if (full)
	{
		TLV_TRY_NEW_ROWS(ctx, lifted, d, d);
		TLV_TRY(tlv_gmm_lift_covariance(ctx, &fit->space, within, lifted));
		TLV_TRY(tlv_mixture_raise(ctx, d, floor, lifted));
		tlv_packed2_pack(d, lifted, mixture->variances);
		tlv_free(ctx, lifted);
	}
	else
	{
		TLV_TRY(tlv_gmm_lift_variances(ctx, &fit->space, within, mixture->variances));
		for (size_t i = 0; i < d; i++)
			mixture->variances[i] = fmax(mixture->variances[i], floor[i]);
	}
	for (size_t j = 1; j < mixture->k; j++)
		memcpy(mixture->variances + j * variances, mixture->variances, variances * sizeof(double));
	return TLV_OK;
}

/* Variances of the wanted shape, at the floor or above. */
static tlv_status
shape_variances(tlv_context *ctx, const gmm_fit *fit, const double *floor, tlv_mixture *mixture)
{
	size_t k = fit->k, d = fit->d;
	double least = 0, *within;

	for (size_t i = 0; i < mixture->d; i++)
		least += floor[i] / (double) mixture->d;
	if (mixture->covariance <= TLV_COVARIANCE_SPHERICAL)
	{
		for (size_t j = 0; j < k; j++)
			mixture->variances[j] = fmax(fit->mixture.variances[j], least);
		return TLV_OK;
	}
	TLV_TRY_NEW_ROWS(ctx, within, d, d);
	TLV_TRY(covariance_within(ctx, fit, GMM_LEAST_VARIANCE * fit->noise, within));
	for (size_t j = 0; j < d && fit->unit != NULL; j++)
		for (size_t i = 0; i < d; i++)
			within[i + j * d] *= fit->unit[i] * fit->unit[j];
	TLV_TRY(shape_within(ctx, fit, within, floor, mixture));
	tlv_free(ctx, within);
	return TLV_OK;
}

/* ---- what is said about it ---- */

static tlv_status
gmm_warn_of_residual(tlv_context *ctx, const gmm_fit *fit, const tlv_names *names,
					 tlv_diagnostics *diagnostics)
{
	double residual = fit->decomposition.residual;
	bool named = fit->space.basis == NULL;
	char shown[TLV_SHOWN_NAME];

	if (!(fit->k > 1 && residual > TLV_GMM_RESIDUAL))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "large_residual",
					   .score = residual,
					   .hint = "Use the parameters as initial estimates for refinement only: "
							   "spherical components fit the moments badly."},
		"the relative residual of the decomposition is above %g%s%s", TLV_GMM_RESIDUAL,
		named ? ", and components explain least of the skewness of column " : "",
		named ? tlv_names_show(names, gmm_least_explained(&fit->moments, &fit->mixture, fit->unit),
							   shown)
			  : "");
}

static tlv_status
gmm_warn(tlv_context *ctx, const gmm_fit *fit, const tlv_names *names, double signal,
		 tlv_diagnostics *diagnostics)
{
	double least =
		fit->space.dimensions > fit->d ? fit->space.variance : fit->eigenvalues[fit->d - 1];

	if (fit->k > 1 && signal < TLV_GMM_SIGNAL)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "weak_signal",
						   .score = signal,
						   .hint = "Refine the model on rows, or use a smaller k or more rows."},
			"the weakest direction of signal is hardly above the noise (signal below %g)",
			TLV_GMM_SIGNAL));
	TLV_TRY(gmm_warn_of_residual(ctx, fit, names, diagnostics));
	if (fit->k > 1 && (double) fit->k > TLV_GMM_MOST_SHARE * (double) fit->space.dimensions)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "few_directions_left",
										.score = (double) fit->k,
										.hint = "Refine the model on rows, or use a smaller k."},
						 "k is close to the number of dimensions, which leaves few directions to "
						 "estimate the noise"));
	TLV_TRY(tlv_dense_warn_dependent(ctx,
									 &(tlv_dense_space){.dimensions = fit->space.dimensions,
														.directions = fit->space.directions,
														.basis = fit->space.basis,
														.outside = fit->space.outside},
									 fit->moments.covariance, names, least, diagnostics));
	if (fit->k > 1 && !fit->decomposition.converged)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = fit->decomposition.iterations,
										.hint = "Use a smaller k, or give more rows."},
						 "the decomposition did not converge"));
	return TLV_OK;
}

/* k was chosen, and is 1. */
static tlv_status
warn_one_shown(tlv_context *ctx, tlv_diagnostics *diagnostics)
{
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = 1,
								   .hint = "Give k, or use tlv_gmm, which reads the rows."},
					"the moments show one component only");
}

static tlv_status
gmm_diagnose_fit(tlv_context *ctx, const gmm_fit *fit, const tlv_names *names,
				 tlv_diagnostics *diagnostics)
{
	/* Eigenvalues that are reported beyond the signal's. */
	const int most_eigenvalues = 20;
	size_t k = fit->k, d = fit->d;
	const double *values = fit->eigenvalues;
	double signal = k > 1 ? (values[k - 2] - fit->noise) / fmax(fit->noise, 1e-12 * values[0]) *
								sqrt(fit->moments.rows / (double) fit->space.dimensions)
						  : 0;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->moments.rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) fit->space.dimensions, "dimensions"));
	if (fit->space.basis != NULL)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) d, "directions"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->noise, "noise_variance"));
	if (k > 1)
	{
		double condition = (values[0] - fit->noise) / (values[k - 2] - fit->noise);

		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->decomposition.residual, "residual"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, signal, "signal"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, condition, "condition_number"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->decomposition.iterations, "iterations"));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->decomposition.converged, "converged"));
	}
	TLV_TRY(gmm_warn(ctx, fit, names, signal, diagnostics));
	for (size_t j = 0; k > 1 && j < k; j++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->decomposition.values[j],
							 "tensor_eigenvalue_%zu", j + 1));
	for (size_t i = 0; i < d && i < k + most_eigenvalues; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, values[i], "eigenvalue_%zu", i + 1));
	return TLV_OK;
}

/* ---- all of it ---- */

static tlv_status
gmm_write_fit(tlv_context *ctx, gmm_fit *fit, const tlv_gmm_options *options, const double *floor,
			  void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_gmm_parts parts = {0};
	tlv_mixture mixture;

	TLV_TRY(tlv_mixture_create(ctx, fit->k, fit->space.dimensions, options->covariance, &mixture));
	if (options->tails == TLV_TAILS_T)
		tlv_mixture_use_tails(&mixture);
	memcpy(mixture.weights, fit->mixture.weights, fit->k * sizeof(double));
	TLV_TRY(shape_variances(ctx, fit, floor, &mixture));
	for (size_t i = 0; i < fit->k * fit->d && fit->unit != NULL; i++)
		fit->mixture.means[i] *= fit->unit[i % fit->d];
	TLV_TRY(tlv_gmm_lift_means(ctx, &fit->space, fit->k, fit->mixture.means, mixture.means));
	TLV_TRY(gmm_diagnose_fit(ctx, fit, options->names, &diagnostics));
	for (size_t i = 0; i < options->n_noise; i++)
		TLV_TRY(tlv_diagnose(ctx, &diagnostics, options->noise[i], "above_noise_%zu", i + 1));
	if (options->one_shown)
		TLV_TRY(warn_one_shown(ctx, &diagnostics));
	TLV_TRY(tlv_warn_k_at_limit(ctx, &diagnostics, options->shown, options->max_k));
	parts.mixture = &mixture;
	parts.floor = floor;
	parts.rows = fit->moments.rows;
	parts.seed = (double) options->seed;
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

tlv_status
tlv_gmm_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_gmm_options *options,
			void **image, size_t *size)
{
	gmm_fit fit = {0};
	double *floor;
	int order;

	TLV_TRY(check_moments(ctx, moments, options));
	if (options->k == 0)
		return tlv_gmm_fit_chosen(ctx, moments, options, image, size);
	if (options->any_covariance)
		return tlv_gmm_fit_any(ctx, moments, options, image, size);
	fit.k = options->k;
	fit.common = options->covariance == TLV_COVARIANCE_COMMON;
	TLV_TRY(tlv_gmm_space_open(ctx, moments, &fit.space));
	fit.d = fit.space.directions;
	order = (int) tlv_frame_scalar(moments, "order", 0);
	TLV_TRY(tlv_require_memory(ctx, tlv_gmm_fit_memory(&fit.space, order, options), "the fit"));
	TLV_TRY(tlv_dense_central_compute(ctx, moments, &fit.moments));
	TLV_TRY(allocate_fit(ctx, &fit));
	TLV_TRY_NEW_ROWS(ctx, floor, fit.space.dimensions, 2);
	TLV_TRY(tlv_gmm_lift_variances(ctx, &fit.space, fit.moments.covariance,
								   floor + fit.space.dimensions));
	TLV_TRY(tlv_mixture_floor(ctx, fit.space.dimensions, floor + fit.space.dimensions,
							  options->columns, floor));
	/* In a subspace the units are chosen already. */
	if (options->covariance >= TLV_COVARIANCE_DIAGONAL && fit.space.basis == NULL)
		TLV_TRY(choose_units(ctx, &fit));
	for (size_t i = 0; i < fit.d; i++)
		fit.eigenvalues[i] = fit.moments.covariance[i * fit.d + i];
	TLV_TRY(split_noise(ctx, &fit));
	if (fit.k > 1)
	{
		TLV_TRY(decompose(ctx, &fit, &options->decompose));
		TLV_TRY(recover_means(ctx, &fit));
		TLV_TRY(recover_variances(ctx, &fit));
	}
	else
	{
		fit.mixture.weights[0] = 1;
		memcpy(fit.mixture.means, fit.moments.mean, fit.d * sizeof(double));
		fit.mixture.variances[0] = fit.noise;
	}
	TLV_TRY(gmm_write_fit(ctx, &fit, options, floor, image, size));
	tlv_free(ctx, floor);
	tlv_gmm_space_close(ctx, &fit.space);
	free_fit(ctx, &fit);
	return TLV_OK;
}
