/*
 * rotation.c - bases in which the second moment is white, and their rotation towards the
 * components, by slices of the third moment (counts.h; notes: decompose.h, tlv_decompose_step).
 *
 * With S the scale, U the basis and E diag(sigma) E' the second moment of a Dirichlet mixture in
 * it, B = U E diag(sigma)^-1/2 V is a basis in which that moment is the identity, whatever the
 * rotation V.  Where V are the components, the slices are diagonal.
 */
#include <math.h>
#include <string.h>

#include "subspace_parts.h"
#include "tensorlv/model/dirichlet.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

/* Of alpha0 / (alpha0 + 1): no more can be told from 1. */
#define MOST_FACTOR (1 - 1e-9)

/* The trace of a white moment is the number of its directions, to so great a part. */
#define NOT_WHITE 0.25

/* ---- whitening ---- */

typedef struct whitening
{
	const tlv_frame *moments;
	size_t width, d, k;
	const double *scale, *basis;
	double *mean;	   /* width */
	double *pairs;	   /* width x width */
	double *vectors;   /* width x width: E */
	double *values;	   /* width */
	double *rotation;  /* k x k, vector l in row l */
	double *transform; /* width x k: E diag(sigma)^-1/2 V */
} whitening;

/* W'P1 and Q of anchor moments. */
static tlv_status
open_whitening(tlv_context *ctx, whitening *w)
{
	double tokens = tlv_frame_scalar(w->moments, "tokens", 0);
	const double *totals = tlv_frame_float64(w->moments, "totals");
	size_t width = w->width;

	TLV_TRY_NEW0(ctx, w->mean, width);
	TLV_TRY_NEW_ROWS(ctx, w->pairs, width, width);
	TLV_TRY_NEW_ROWS(ctx, w->vectors, width, width);
	TLV_TRY_NEW(ctx, w->values, width);
	for (size_t i = 0; i < w->d; i++)
	{
		double factor = w->scale[i] * totals[i] / tokens;

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
			w->mean[j] += factor * w->basis[i * width + j];
	}
	tlv_packed2_unpack(width, tlv_frame_float64(w->moments, "pairs"), w->pairs);
	for (size_t i = 0; i < width * width; i++)
		w->pairs[i] /= tokens;
	return TLV_OK;
}

/* As many directions as were asked for, or as the second moment has. */
static tlv_status
find_white(tlv_context *ctx, const tlv_whitening_options *options, whitening *w)
{
	tlv_dirichlet_moments moments = {w->width, w->mean, w->pairs, NULL};
	size_t positive;

	TLV_TRY(tlv_dirichlet_eigen(ctx, &moments, options->alpha0, w->vectors, w->values));
	positive = tlv_dirichlet_positive(w->width, w->values);
	if (positive >= w->k)
		return TLV_OK;
	if (!options->fewer || positive == 0)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "the moments identify %zu of %zu topics", positive,
				 w->k);
		return tlv_fail_hint(ctx, "Use a smaller k, or more documents.");
	}
	w->k = positive;
	return TLV_OK;
}

/*
 * A rotation (k x k, vector l in row l): random, or where topics are given near to their places,
 * sigma^-1/2 E'U'S mu_l.
 */
static tlv_status
begin_rotation(tlv_context *ctx, const tlv_whitening_options *options, whitening *w)
{
	size_t k = w->k, width = w->width;
	size_t given = options->topics < k ? options->topics : k, all = options->topics;
	double *scaled, *compressed;
	tlv_rng rng;

	TLV_TRY_NEW_ROWS(ctx, w->rotation, k, k);
	tlv_rng_seed(&rng, options->seed);
	TLV_TRY(tlv_fill_normal(ctx, &rng, k * k, w->rotation));
	if (given == 0)
		return tlv_polar(ctx, k, w->rotation);
	TLV_TRY_NEW_ROWS(ctx, scaled, w->d, all);
	TLV_TRY_NEW_ROWS(ctx, compressed, width, all);
	for (size_t i = 0; i < w->d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t l = 0; l < all; l++)
			scaled[i * all + l] = w->scale[i] * options->phi[i * all + l];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, width, all, w->d, 1, w->basis, width, scaled, all, 0,
					 compressed, width));
	for (size_t l = 0; l < given; l++)
	{
		double norm = 0;

		for (size_t j = 0; j < k; j++)
		{
			double sum = 0;

			for (size_t i = 0; i < width; i++)
				sum += w->vectors[j * width + i] * compressed[l * width + i];
			w->rotation[l + j * k] = sum / sqrt(w->values[j]);
			norm += w->rotation[l + j * k] * w->rotation[l + j * k];
		}
		for (size_t j = 0; j < k && norm > 0; j++)
			w->rotation[l + j * k] /= sqrt(norm);
	}
	/* those that are not given are as long as the others */
	for (size_t l = given; l < k; l++)
		for (size_t j = 0; j < k; j++)
			w->rotation[l + j * k] /= sqrt((double) k);
	tlv_free(ctx, scaled);
	tlv_free(ctx, compressed);
	return tlv_polar(ctx, k, w->rotation);
}

static tlv_status
transform_of(tlv_context *ctx, whitening *w)
{
	size_t width = w->width, k = w->k;
	double *white;

	TLV_TRY_NEW_ROWS(ctx, white, width, k);
	TLV_TRY_NEW_ROWS(ctx, w->transform, width, k);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < width; i++)
			white[j * width + i] = w->vectors[j * width + i] / sqrt(w->values[j]);
	TLV_TRY(tlv_gemm(ctx, false, true, width, k, k, 1, white, width, w->rotation, k, 0,
					 w->transform, width));
	tlv_free(ctx, white);
	return TLV_OK;
}

/* What a basis inherits from moments or from another one. */
static void
inherit(const tlv_frame *from, tlv_subspace_parts *p)
{
	p->seed = tlv_frame_scalar(from, "seed", 0);
	p->minimum_documents = tlv_frame_scalar(from, "minimum_documents", 0);
	p->documents = tlv_frame_scalar(from, "documents", 0);
	p->tokens = tlv_frame_scalar(from, "tokens", 0);
	p->trace = tlv_frame_scalar(from, "trace", 0);
	p->items = tlv_frame_int64(from, "items");
	p->scale = tlv_frame_float64(from, "scale");
	p->shares = tlv_frame_float64(from, "shares");
}

static tlv_status
check_whitening(tlv_context *ctx, const tlv_whitening_options *options, whitening *w)
{
	double width = (double) w->width, d = (double) w->d, k;

	if (!(options->alpha0 >= 0 && options->alpha0 <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha0 = %g is not between 0 and 1e6",
						options->alpha0);
	w->k = options->rank > 0 ? options->rank : w->width;
	if (options->fewer && w->k > w->width)
		w->k = w->width;
	if (w->k > w->width)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu directions of the moments",
				 w->k, w->width);
		return tlv_fail_hint(ctx, "Collect the moments in a subspace of at least k directions.");
	}
	if (!(tlv_frame_scalar(w->moments, "tokens", 0) > 0))
		return tlv_refuse_empty(ctx, "the moments hold", "documents");
	k = (double) w->k;
	return tlv_require_memory(
		ctx, sizeof(double) * (5 * width * width + 2 * d * k + (double) options->topics * d),
		"whitening");
}

tlv_status
tlv_subspace_whiten(tlv_context *ctx, const tlv_frame *moments,
					const tlv_whitening_options *options, void **image, size_t *size)
{
	tlv_subspace_parts p = {0};
	tlv_frame complete;
	whitening w = {.moments = &complete};
	double *basis, *none;

	TLV_TRY(tlv_count_complete(ctx, moments, options->subspace,
							   "tlv_find_subspace(moments, subspace => ...)", &complete));
	moments = &complete;
	w.width = tlv_frame_find(moments, "basis")->rows;
	w.d = tlv_frame_find(moments, "basis")->columns;
	w.scale = tlv_frame_float64(moments, "scale");
	w.basis = tlv_frame_float64(moments, "basis");
	TLV_TRY(check_whitening(ctx, options, &w));
	TLV_TRY(open_whitening(ctx, &w));
	TLV_TRY(find_white(ctx, options, &w));
	TLV_TRY(begin_rotation(ctx, options, &w));
	TLV_TRY(transform_of(ctx, &w));
	TLV_TRY_NEW_ROWS(ctx, basis, w.k, w.d);
	TLV_TRY_NEW0(ctx, none, w.k);
	TLV_TRY(tlv_gemm(ctx, true, false, w.k, w.d, w.width, 1, w.transform, w.width, w.basis, w.width,
					 0, basis, w.k));
	inherit(moments, &p);
	p.d = w.d;
	p.rank = p.block = w.k;
	p.ritz = w.values;
	p.ritz_before = none;
	p.basis = basis;
	TLV_TRY(tlv_subspace_write(ctx, &p, image, size));
	tlv_free(ctx, basis);
	tlv_free(ctx, none);
	tlv_free(ctx, w.rotation);
	tlv_free(ctx, w.transform);
	tlv_free(ctx, w.mean);
	tlv_free(ctx, w.pairs);
	tlv_free(ctx, w.vectors);
	tlv_free(ctx, w.values);
	return TLV_OK;
}

/* ---- slices of M3, and a step ---- */

static tlv_status
refuse_basis(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the second moment is not white in this subspace");
	return tlv_fail_hint(ctx, "Make one by tlv_find_subspace(tlv_anchor_moments(...), "
							  "alpha0 => ...).");
}

tlv_status
tlv_slices_complete(tlv_context *ctx, const tlv_frame *subspace, const tlv_frame *slices,
					tlv_frame *complete)
{
	if (!tlv_digest_equal(tlv_frame_digest(slices, "subspace"), &subspace->header->digest))
		return tlv_refuse_foreign_subspace(ctx);
	if (tlv_frame_find(slices, "totals")->rows != tlv_frame_find(subspace, "items")->rows)
		return tlv_refuse_foreign_subspace(ctx);
	if (tlv_frame_find(slices, "mean")->rows != tlv_frame_find(subspace, "basis")->rows)
		return refuse_basis(ctx);
	if (!(tlv_frame_scalar(slices, "tokens", 0) > 0))
		return tlv_refuse_empty(ctx, "the moments hold", "documents");
	return tlv_slice_moments_sums(ctx, slices, subspace, complete);
}

/*
 * alpha0 of a basis in which M2 is white: Q = I + f m m', f = alpha0 / (alpha0 + 1).
 */
static double
alpha0_of(size_t k, const double *pairs, const double *mean)
{
	double along = 0, squared = 0, factor;

	for (size_t a = 0; a < k; a++)
	{
		squared += mean[a] * mean[a];
		for (size_t b = 0; b < k; b++)
			along += mean[a] * pairs[a * k + b] * mean[b];
	}
	factor = squared > 0 ? (along - squared) / (squared * squared) : 0;
	factor = fmin(fmax(factor, 0), MOST_FACTOR);
	return factor / (1 - factor);
}

/* Slices of another basis are no step of anything; rows that it was not made of may differ a bit.
 */
static tlv_status
require_white(tlv_context *ctx, size_t k, const double *pairs, const double *mean, double alpha0)
{
	double trace = 0;

	for (size_t a = 0; a < k; a++)
		trace += pairs[a * k + a] - alpha0 / (alpha0 + 1) * mean[a] * mean[a];
	if (fabs(trace - (double) k) <= NOT_WHITE * (double) k)
		return TLV_OK;
	return refuse_basis(ctx);
}

tlv_status
tlv_subspace_slices(tlv_context *ctx, const tlv_frame *subspace, const tlv_frame *moments,
					double *alpha0, double *slices)
{
	size_t k = tlv_frame_find(moments, "mean")->rows;
	double tokens = tlv_frame_scalar(moments, "tokens", 0);
	double *mean, *pairs, *q, *m, shift, cube;
	const double *sums;
	tlv_frame complete;

	TLV_TRY(tlv_slices_complete(ctx, subspace, moments, &complete));
	moments = &complete;
	sums = tlv_frame_float64(moments, "slices");
	TLV_TRY_NEW_ROWS(ctx, pairs, k + 1, k);
	q = pairs;
	m = mean = pairs + k * k;
	tlv_packed2_unpack(k, tlv_frame_float64(moments, "pairs"), pairs);
	for (size_t i = 0; i < k * k; i++)
		pairs[i] /= tokens;
	for (size_t a = 0; a < k; a++)
		mean[a] = tlv_frame_float64(moments, "mean")[a] / tokens;
	*alpha0 = alpha0_of(k, pairs, mean);
	TLV_TRY(require_white(ctx, k, pairs, mean, *alpha0));
	shift = -*alpha0 / (*alpha0 + 2);
	cube = 2 * *alpha0 * *alpha0 / ((*alpha0 + 1) * (*alpha0 + 2));
	for (size_t a = 0; a < k; a++)
		for (size_t l = 0; l < k; l++)
			slices[l + a * k] = sums[l + a * k] / tokens +
								shift * (q[l + l * k] * m[a] + 2 * q[l + a * k] * m[l]) +
								cube * m[a] * m[l] * m[l];
	tlv_free(ctx, pairs);
	return TLV_OK;
}

tlv_status
tlv_subspace_rotate(tlv_context *ctx, const tlv_frame *subspace, const tlv_frame *moments,
					tlv_rotation *step, void **image, size_t *size)
{
	size_t k = tlv_frame_find(subspace, "basis")->rows;
	size_t d = tlv_frame_find(subspace, "basis")->columns;
	const double *before = tlv_frame_float64(subspace, "ritz_before");
	double *slices, *rotation, *values, *basis;
	tlv_subspace_parts p = {0};

	TLV_TRY(tlv_require_memory(
		ctx, sizeof(double) * (8 * (double) k * (double) k + 2 * (double) k * (double) d),
		"the rotation"));
	TLV_TRY_NEW_ROWS(ctx, slices, k, k);
	TLV_TRY_NEW_ROWS(ctx, rotation, k, k);
	TLV_TRY_NEW(ctx, values, k);
	TLV_TRY(tlv_subspace_slices(ctx, subspace, moments, &step->alpha0, slices));
	TLV_TRY(tlv_decompose_step(ctx, k, slices, rotation, values, &step->change));
	tlv_free(ctx, slices);
	step->objective = step->before = 0;
	for (size_t l = 0; l < k; l++)
	{
		step->objective += values[l] * values[l];
		step->before += before[l] * before[l];
	}
	TLV_TRY_NEW_ROWS(ctx, basis, k, d);
	TLV_TRY(tlv_gemm(ctx, false, false, k, d, k, 1, rotation, k,
					 tlv_frame_float64(subspace, "basis"), k, 0, basis, k));
	inherit(subspace, &p);
	p.d = d;
	p.rank = p.block = k;
	p.steps = tlv_frame_scalar(subspace, "steps", 0) + 1;
	p.ritz = tlv_frame_float64(subspace, "ritz");
	p.ritz_before = values;
	p.basis = basis;
	TLV_TRY(tlv_subspace_write(ctx, &p, image, size));
	tlv_free(ctx, basis);
	tlv_free(ctx, rotation);
	tlv_free(ctx, values);
	return TLV_OK;
}
