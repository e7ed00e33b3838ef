/*
 * independent.c - complete dictionaries are independent components: whitening, then symmetric
 * fixed-point steps of the fourth cumulant (Hyvarinen 1999), over rows in memory.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* Rows in the k leading directions of their second moments, of variance 1 (k x n), and what takes
 * these back (d x k). */
static tlv_status
whiten(tlv_context *ctx, const tlv_coding_learner *learner, double *white, double *back)
{
	/* Eigenvalues of the second moments below this part of the largest are rounding. */
	const double rank_tolerance = 1e-11;
	size_t d = learner->d, k = learner->k;
	double *moments, *values;

	TLV_TRY_NEW_ROWS(ctx, moments, d, d + 1);
	values = moments + d * d;
	TLV_TRY(tlv_syrk(ctx, false, d, learner->n, 1 / (double) learner->n, learner->rows, d, 0,
					 moments, d, true));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, moments, values));
	if (!(values[k - 1] > rank_tolerance * values[0]))
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the rows span fewer than %zu %s", k,
				 tlv_plural((double) k, "dimension", "dimensions"));
		return tlv_fail_hint(ctx, "Use fewer atoms, or method => 'mod'.");
	}
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			back[i + j * d] = moments[i + j * d] / sqrt(values[j]);
	TLV_TRY(
		tlv_gemm(ctx, true, false, k, learner->n, d, 1, back, d, learner->rows, d, 0, white, k));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			back[i + j * d] *= values[j];
	tlv_free(ctx, moments);
	return TLV_OK;
}

/* y <- y^3 */
TLV_CLONES static void
cube(size_t n, double *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] *= y[i] * y[i];
}

/* Next = polar(E[z (z'v)^3] - 3 v), all columns at once; how far they turned. */
static tlv_status
fixed_point(tlv_context *ctx, const tlv_coding_learner *learner, const double *white,
			double *outputs, double *vectors, double *next, double *turned)
{
	size_t k = learner->k, n = learner->n;

	TLV_TRY(tlv_gemm(ctx, true, false, k, n, k, 1, vectors, k, white, k, 0, outputs, k));
	cube(k * n, outputs);
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1 / (double) n, white, k, outputs, k, 0, next, k));
	for (size_t i = 0; i < k * k; i++)
		next[i] -= 3 * vectors[i];
	TLV_TRY(tlv_polar(ctx, k, next));
	*turned = 0;
	for (size_t j = 0; j < k; j++)
	{
		double cosine = 0;

		for (size_t i = 0; i < k; i++)
			cosine += next[i + j * k] * vectors[i + j * k];
		*turned = fmax(*turned, 1 - fabs(cosine));
	}
	memcpy(vectors, next, k * k * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_coding_start_ica(tlv_context *ctx, tlv_coding_learner *learner)
{
	const double tolerance = 1e-7;
	const int most_steps = 200;
	size_t k = learner->k, d = learner->d, n = learner->n;
	double *white, *back, *vectors, *next, turned = 1;

	TLV_TRY(tlv_require_memory(ctx,
							   16.0 * (double) n * (double) k + 8.0 * (double) (d * (d + k + 1)),
							   "independent components of the sample"));
	TLV_TRY_NEW_ROWS(ctx, white, 2 * k, n);
	TLV_TRY_NEW_ROWS(ctx, back, d, k);
	TLV_TRY_NEW_ROWS(ctx, vectors, 2 * k, k);
	next = vectors + k * k;
	TLV_TRY(whiten(ctx, learner, white, back));
	TLV_TRY(tlv_fill_normal(ctx, &learner->rng, k * k, vectors));
	TLV_TRY(tlv_polar(ctx, k, vectors));
	for (int step = 0; step < most_steps && turned > tolerance; step++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(fixed_point(ctx, learner, white, white + k * n, vectors, next, &turned));
	}
	TLV_TRY(tlv_gemm(ctx, false, false, d, k, k, 1, back, d, vectors, k, 0, learner->atoms, d));
	for (size_t j = 0; j < k; j++)
	{
		double length = 0;

		for (size_t i = 0; i < d; i++)
			length += learner->atoms[i + j * d] * learner->atoms[i + j * d];
		for (size_t i = 0; i < d; i++)
			learner->atoms[i + j * d] /= sqrt(length);
	}
	tlv_free(ctx, vectors);
	tlv_free(ctx, back);
	tlv_free(ctx, white);
	return TLV_OK;
}
