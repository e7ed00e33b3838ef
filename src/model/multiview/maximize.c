/*
 * maximize.c - a multi-view mixture after the step of expectation maximisation that its
 * statistics are for (statistics.c).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"

/* Statistics of another model or of nothing are refused. */
static tlv_status
multiview_check_statistics(tlv_context *ctx, const tlv_frame *model,
						   const tlv_multiview_parts *parts, const tlv_frame *statistics)
{
	const int64_t *d;

	if (statistics->header->type != TLV_FRAME_MOMENTS ||
		statistics->header->kind != TLV_KIND_VIEW_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "a multi-view mixture");
	d = tlv_frame_int64(statistics, "dimensions");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	/* Equal digests mean equal shapes, but a value may come from anywhere. */
	if (tlv_frame_find(statistics, "responsibilities")->rows != parts->k ||
		(tlv_frame_find(statistics, "center")->rows == 0) != is_categorical(parts) ||
		(size_t) d[0] != parts->d[0] || (size_t) d[1] != parts->d[1] ||
		(size_t) d[2] != parts->d[2])
		return tlv_refuse_foreign_statistics(ctx);
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	return TLV_OK;
}

/* ---- vectors ---- */

/* Views one behind the other, d x k, into arrays of their own. */
static tlv_status
part_views(tlv_context *ctx, const size_t d[3], size_t k, const double *from, const double *to[3])
{
	for (int t = 0; t < 3; t++)
	{
		double *own = tlv_alloc(ctx, k, d[t] * sizeof(double));

		TLV_TRY_ALLOC(ctx, own);
		for (size_t j = 0; j < k; j++)
			memcpy(own + j * d[t], from + j * (d[0] + d[1] + d[2]), d[t] * sizeof(double));
		from += d[t];
		to[t] = own;
	}
	return TLV_OK;
}

void
tlv_multiview_join(const size_t d[3], size_t k, const double *const from[3], double *to)
{
	for (size_t j = 0; j < k; j++)
		for (int t = 0; t < 3; t++)
		{
			memcpy(to, from[t] + j * d[t], d[t] * sizeof(double));
			to += d[t];
		}
}

static tlv_status
maximize_vectors(tlv_context *ctx, const tlv_frame *statistics, double weight,
				 tlv_multiview_parts *parts)
{
	size_t k = parts->k, d = parts->d[0] + parts->d[1] + parts->d[2];
	tlv_mixture mixture = {0}, before = {0};
	tlv_mixture_sums sums = {0};
	double *floor;

	sums.rows = tlv_frame_scalar(statistics, "rows", 0);
	sums.responsibilities = (double *) tlv_frame_float64(statistics, "responsibilities");
	sums.sums = (double *) tlv_frame_float64(statistics, "sums");
	sums.squares = (double *) tlv_frame_float64(statistics, "squares");
	TLV_TRY(tlv_mixture_create(ctx, k, d, TLV_COVARIANCE_DIAGONAL, &mixture));
	TLV_TRY_NEW(ctx, floor, d);
	tlv_multiview_join(parts->d, k, parts->means, mixture.means);
	tlv_multiview_join(parts->d, k, parts->variances, mixture.variances);
	tlv_multiview_join(parts->d, 1, parts->floors, floor);
	TLV_TRY(tlv_mixture_create(ctx, k, d, TLV_COVARIANCE_DIAGONAL, &before));
	memcpy(before.weights, parts->weights, k * sizeof(double));
	memcpy(before.means, mixture.means, k * d * sizeof(double));
	memcpy(before.variances, mixture.variances, k * d * sizeof(double));
	TLV_TRY(
		tlv_mixture_maximize(ctx, &sums, tlv_frame_float64(statistics, "center"), floor, &mixture));
	if (weight < 1)
		TLV_TRY(tlv_mixture_blend(ctx, &before, weight, &mixture));
	tlv_mixture_free(ctx, &before);
	parts->weights = mixture.weights;
	TLV_TRY(part_views(ctx, parts->d, k, mixture.means, parts->means));
	TLV_TRY(part_views(ctx, parts->d, k, mixture.variances, parts->variances));
	tlv_free(ctx, floor);
	return TLV_OK;
}

/* ---- categories ---- */

static tlv_status
maximize_categories(tlv_context *ctx, const tlv_frame *statistics, double weight,
					tlv_multiview_parts *parts)
{
	/* A component with fewer rows than this keeps its means. */
	const double least_rows = 1e-6;
	static const char *const names[3] = {"counts1", "counts2", "counts3"};
	const double *responsibilities = tlv_frame_float64(statistics, "responsibilities");
	size_t k = parts->k;
	double rows = tlv_frame_scalar(statistics, "rows", 0);
	double *weights = tlv_alloc(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, weights);
	for (size_t j = 0; j < k; j++)
		weights[j] = weight * (responsibilities[j] / rows) + (1 - weight) * parts->weights[j];
	for (int t = 0; t < 3; t++)
	{
		const double *counts = tlv_frame_float64(statistics, names[t]);
		size_t d = parts->d[t];
		double *means = tlv_alloc(ctx, k, d * sizeof(double));

		TLV_TRY_ALLOC(ctx, means);
		memcpy(means, parts->means[t], k * d * sizeof(double));
		for (size_t j = 0; j < k; j++)
		{
			double old = (1 - weight) * parts->weights[j] * rows;
			double total = weight * responsibilities[j] + old;

			for (size_t i = 0; i < d && responsibilities[j] > least_rows; i++)
				means[j * d + i] =
					(weight * counts[i * k + j] + old * parts->means[t][j * d + i]) / total;
		}
		parts->means[t] = means;
	}
	parts->weights = weights;
	return TLV_OK;
}

/* ---- a step of a stored model ---- */

tlv_status
tlv_multiview_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
					 const tlv_step *step, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_multiview_parts parts;

	tlv_multiview_read(model, &parts);
	TLV_TRY(multiview_check_statistics(ctx, model, &parts, statistics));
	TLV_TRY(is_categorical(&parts) ? maximize_categories(ctx, statistics, step->weight, &parts)
								   : maximize_vectors(ctx, statistics, step->weight, &parts));
	parts.order = step->order;
	parts.rows = tlv_frame_scalar(statistics, "rows", 0);
	parts.steps++;
	TLV_TRY(tlv_mixture_diagnose_step(ctx, model, statistics, parts.steps, &diagnostics));
	TLV_TRY(tlv_warnings_follow_weights(ctx, &diagnostics, parts.k, parts.weights));
	parts.diagnostics = &diagnostics;
	return tlv_multiview_write(ctx, &parts, image, size);
}
