/*
 * shape.c - which covariance a fit to moments has, and how many components, where it is not said
 * (gmm.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tensor3.h"

static tlv_status
fit_shape(tlv_context *ctx, const tlv_frame *moments, const tlv_gmm_options *options,
		  tlv_covariance covariance, tlv_held *fitted)
{
	tlv_gmm_options own = *options;
	tlv_making made;

	own.any_covariance = false;
	own.covariance = covariance;
	tlv_make(ctx, &made);
	return tlv_made(ctx, &made, fitted, tlv_gmm_fit(ctx, moments, &own, &made.image, &made.size));
}

/* Do variances of their own explain more than one for all does? */
static bool
variances_differ(const tlv_held *common, const tlv_held *spherical, double n)
{
	/* Variances of their own, which third moments tell with much noise, are believed where they
	 * leave less than this part of the residual. */
	const double better = 0.8;
	double mean = 0, logs = 0, gain;
	tlv_mixture mixture;

	tlv_gmm_read(&spherical->frame, &mixture);
	for (size_t j = 0; j < mixture.k; j++)
	{
		mean += mixture.weights[j] * mixture.variances[j];
		logs += mixture.weights[j] * log(mixture.variances[j]);
	}
	gain = n * (double) mixture.d * (log(fmax(mean, DBL_MIN)) - logs);
	return gain > (double) (mixture.k - 1) * log(n) &&
		   tlv_diagnostics_find(&spherical->frame, "residual", 0) <
			   better * tlv_diagnostics_find(&common->frame, "residual", 0);
}

/*
 * The criterion of one covariance within components, d x d, for rows that are known to belong to
 * theirs, without what is the same for all.  within is overwritten.
 */
static tlv_status
compare_shapes(tlv_context *ctx, size_t d, double n, double *within, const double *floor,
			   double criterion[TLV_COVARIANCES])
{
	double trace = 0, diagonal = 0, full = 0;

	TLV_TRY(tlv_mixture_raise(ctx, d, floor, within));
	for (size_t i = 0; i < d; i++)
	{
		trace += within[i * d + i] / (double) d;
		diagonal += log(within[i * d + i]);
	}
	criterion[TLV_COVARIANCE_COMMON] = n * (double) d * log(fmax(trace, DBL_MIN)) + log(n);
	criterion[TLV_COVARIANCE_DIAGONAL] = n * diagonal + (double) d * log(n);
	criterion[TLV_COVARIANCE_FULL] = HUGE_VAL;
	if (d > TLV_DENSE_MOST_3)
		return TLV_OK;
	if (tlv_solve_spd(ctx, d, 0, within, NULL) != TLV_OK) /* for its Cholesky factor */
		return ctx->error.code == TLV_BAD_DATA ? TLV_OK : ctx->error.code;
	for (size_t i = 0; i < d; i++)
		full += 2 * log(within[i * d + i]);
	criterion[TLV_COVARIANCE_FULL] = n * full + (double) tlv_packed2_size(d) * log(n);
	return TLV_OK;
}

/* The shape of what the means leave of the covariance of all dimensions. */
static tlv_status
choose_shape(tlv_context *ctx, const tlv_frame *moments, const tlv_held *fitted,
			 tlv_covariance *best)
{
	const double *floor = tlv_frame_float64(&fitted->frame, "floor");
	double criterion[TLV_COVARIANCES], *scaled;
	tlv_dense_central central;
	tlv_mixture mixture;

	tlv_gmm_read(&fitted->frame, &mixture);
	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	TLV_TRY_NEW_ROWS(ctx, scaled, mixture.d, mixture.k);
	for (size_t j = 0; j < mixture.k; j++)
		for (size_t i = 0; i < mixture.d; i++)
			scaled[j * mixture.d + i] =
				sqrt(mixture.weights[j]) * (mixture.means[j * mixture.d + i] - central.mean[i]);
	TLV_TRY(tlv_syrk(ctx, false, mixture.d, mixture.k, -1, scaled, mixture.d, 1, central.covariance,
					 mixture.d, true));
	TLV_TRY(compare_shapes(ctx, mixture.d, central.rows, central.covariance, floor, criterion));
	for (int c = TLV_COVARIANCE_DIAGONAL; c <= TLV_COVARIANCE_FULL; c++)
		if (criterion[c] < criterion[TLV_COVARIANCE_COMMON])
		{
			criterion[TLV_COVARIANCE_COMMON] = criterion[c];
			*best = (tlv_covariance) c;
		}
	tlv_free(ctx, scaled);
	tlv_dense_central_free(ctx, &central);
	return TLV_OK;
}

tlv_status
tlv_gmm_fit_any(tlv_context *ctx, const tlv_frame *moments, const tlv_gmm_options *options,
				void **image, size_t *size)
{
	tlv_covariance best = TLV_COVARIANCE_COMMON;
	tlv_held common = {0}, other = {0};

	TLV_TRY(fit_shape(ctx, moments, options, TLV_COVARIANCE_COMMON, &common));
	if (moments->header->kind == TLV_KIND_DENSE_MOMENTS &&
		tlv_frame_find(&common.frame, "means")->rows > 1)
		TLV_TRY(choose_shape(ctx, moments, &common, &best));
	if (best == TLV_COVARIANCE_COMMON && options->k > 1)
		best = TLV_COVARIANCE_SPHERICAL;
	if (best != TLV_COVARIANCE_COMMON)
		TLV_TRY(fit_shape(ctx, moments, options, best, &other));
	if (best == TLV_COVARIANCE_SPHERICAL &&
		!variances_differ(&common, &other, tlv_frame_scalar(&other.frame, "rows", 0)))
	{
		tlv_free(ctx, other.image);
		other = (tlv_held){0};
	}
	if (other.image != NULL)
	{
		tlv_free(ctx, common.image);
		common = other;
	}
	*image = common.image;
	*size = common.size;
	return TLV_OK;
}

/* ---- the number of components ---- */

/*
 * Means that span r directions add to r eigenvalues of the covariance, and the third central moment
 * is theirs alone.  So where it is that of one Gaussian there is one component, as far as moments
 * can tell; else there are at least two, and one more for every direction above the noise.
 */

/* Below this p-value a third moment is no Gaussian's. */
#define SIGNIFICANT 0.001

/* The number of directions whose place the model tells. */
#define MOST_TOLD 32

/* p of the third moments, whitened, being those of a Gaussian (Mardia 1970). */
static tlv_status
skewness_p(tlv_context *ctx, const tlv_dense_central *central, const double *values,
		   const double *vectors, double *p)
{
	/* Directions of less than this part of the largest variance are rounding. */
	const double least_variance = 1e-12;
	size_t d = central->d, r = 0;
	double *whiten, *packed, norm;

	while (r < d && values[r] > least_variance * values[0])
		r++;
	*p = 1;
	if (r == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, whiten, d, r);
	TLV_TRY_NEW0(ctx, packed, tlv_packed3_size(r));
	for (size_t a = 0; a < r; a++)
		for (size_t i = 0; i < d; i++)
			whiten[a * d + i] = vectors[a * d + i] / sqrt(values[a]);
	TLV_TRY(tlv_packed3_compress(ctx, d, r, central->third, whiten, packed));
	norm = tlv_packed3_norm(r, packed);
	*p = tlv_chisq_survival(central->rows * norm * norm / 6, (double) tlv_packed3_size(r));
	tlv_free(ctx, packed);
	tlv_free(ctx, whiten);
	return TLV_OK;
}

/* Eigenvalues above what noise of the others' mean variance would have; in place of the values, how
 * many times that they are. */
static size_t
directions_above(const gmm_space *space, size_t d, double *values, double rows)
{
	/* Above the largest eigenvalue of noise by this factor, a direction is no noise. */
	const double above_noise = 1.05;
	double edge = 1 + sqrt((double) space->dimensions / rows), sum = space->outside;
	size_t above = 0;

	for (size_t i = d; i-- > 0;)
	{
		double left = (double) (space->dimensions - 1 - i), value = fmax(values[i], 0);

		values[i] = left > 0 ? value / fmax(edge * edge * sum / left, DBL_MIN) : NAN;
		if (above == 0 && values[i] > above_noise)
			above = i + 1;
		sum += value;
	}
	return above;
}

/* The most components that the moments may show, 1: they are those of one Gaussian; and what stands
 * of directions above the noise, of n at most. */
static tlv_status
most_components(tlv_context *ctx, const tlv_frame *moments, size_t *k, size_t *n, double *noise)
{
	tlv_gmm_options two = {.k = 2};
	tlv_dense_central central;
	double *values, *vectors, p;
	gmm_space space;
	size_t d, above;

	TLV_TRY(tlv_gmm_space_open(ctx, moments, &space));
	TLV_TRY(tlv_require_memory(ctx, tlv_gmm_fit_memory(&space, 3, &two), "the fit"));
	TLV_TRY(tlv_dense_central_compute(ctx, moments, &central));
	d = central.d;
	TLV_TRY_NEW(ctx, values, d);
	vectors = central.covariance;
	TLV_TRY(tlv_eigen_symmetric(ctx, d, vectors, values));
	TLV_TRY(skewness_p(ctx, &central, values, vectors, &p));
	*k = 1;
	above = directions_above(&space, d, values, central.rows);
	if (p < SIGNIFICANT)
		*k += tlv_least(above, d);
	*n = 0;
	for (size_t i = 0; i < d && i < MOST_TOLD && isfinite(values[i]); i++)
		noise[(*n)++] = values[i];
	if (p < SIGNIFICANT && *k == 1)
		*k = 2;
	*k = tlv_least(tlv_least(*k, space.dimensions), TLV_MIXTURE_MOST_COMPONENTS);
	tlv_free(ctx, values);
	tlv_dense_central_free(ctx, &central);
	tlv_gmm_space_close(ctx, &space);
	return TLV_OK;
}

tlv_status
tlv_gmm_fit_chosen(tlv_context *ctx, const tlv_frame *moments, const tlv_gmm_options *options,
				   void **image, size_t *size)
{
	tlv_gmm_options own = *options;
	tlv_status status = TLV_NOT_IDENTIFIABLE;
	double noise[MOST_TOLD];
	size_t shown;

	TLV_TRY(most_components(ctx, moments, &shown, &own.n_noise, noise));
	own.noise = noise;
	own.k = options->max_k > 0 ? tlv_least(shown, options->max_k) : shown;
	own.shown = shown > own.k ? shown : 0;
	for (; own.k > 0 && status == TLV_NOT_IDENTIFIABLE; own.k--)
	{
		tlv_scratch scratch;

		own.one_shown = own.k == 1 && own.shown == 0;
		tlv_scratch_begin(ctx, &scratch);
		status = tlv_gmm_fit(ctx, moments, &own, image, size);
		if (status == TLV_OK)
			tlv_scratch_keep(ctx, *image);
		tlv_scratch_end(ctx, &scratch);
	}
	return status;
}
