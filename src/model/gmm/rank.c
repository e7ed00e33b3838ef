/*
 * rank.c - how many components moments show, where k is not given (gmm.h).
 *
 * Means that span r directions add to r eigenvalues of the covariance, and the third central moment
 * is theirs alone.  So where it is that of one Gaussian there is one component, as far as moments
 * can tell; else there are at least two, and one more for every direction above the noise.
 */
#include <float.h>
#include <math.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tensor3.h"

/* Below this p-value a third moment is no Gaussian's. */
#define SIGNIFICANT 0.001

/* Of so many directions the model tells how they stand. */
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
