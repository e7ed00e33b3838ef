/*
 * model.c - the stored form of a multi-view mixture and what it can
 * do (multiview.h, model.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"

/* No category is impossible, no variance zero, no component without weight. */
#define LEAST_PROBABILITY 1e-10
#define LEAST_VARIANCE	  1e-200

static void
name_section(char *name, const char *what, int view)
{
	snprintf(name, TLV_FRAME_NAME_SIZE, "%s%d", what, view + 1);
}

/* ---- writing ---- */

static void
copy_ordered(size_t d, size_t k, const double *from, const int64_t *order, double smallest,
			 bool normalise, double *to)
{
	for (size_t j = 0; j < k; j++)
	{
		const double *column = from + (size_t) order[j] * d;
		double sum = 0;

		for (size_t i = 0; i < d; i++)
			sum += to[j * d + i] = fmax(column[i], smallest);
		for (size_t i = 0; normalise && i < d; i++)
			to[j * d + i] /= sum;
	}
}

tlv_status
tlv_multiview_write(tlv_context *ctx, const tlv_multiview_parts *parts, void **image, size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));
	size_t k = parts->k, wide = parts->d[0] + parts->d[1] + parts->d[2];
	bool vectors = parts->variances[0] != NULL;
	char name[TLV_FRAME_NAME_SIZE];
	double *weights, *at;
	int64_t *order;

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY_NEW(ctx, weights, 2 * k + 2 * k * wide);
	order = (int64_t *) (weights + k);
	at = weights + 2 * k;
	tlv_order_weights(k, parts->weights, order);
	copy_ordered(1, k, parts->weights, order, LEAST_PROBABILITY, false, weights);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_MULTIVIEW);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", parts->rows);
	tlv_frame_add_scalar(builder, "steps", parts->steps);
	tlv_frame_add_scalar(builder, "seed", parts->seed);
	tlv_frame_add(builder, "weights", TLV_FLOAT64, k, 1, weights);
	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		if (!vectors)
		{
			name_section(name, "items", t);
			tlv_frame_add(builder, name, TLV_INT64, d, 1, parts->items[t]);
		}
		name_section(name, "means", t);
		copy_ordered(d, k, parts->means[t], order, vectors ? -HUGE_VAL : LEAST_PROBABILITY,
					 !vectors, at);
		tlv_frame_add(builder, name, TLV_FLOAT64, d, k, at);
		at += d * k;
		if (!vectors)
			continue;
		name_section(name, "variances", t);
		copy_ordered(d, k, parts->variances[t], order, LEAST_VARIANCE, false, at);
		tlv_frame_add(builder, name, TLV_FLOAT64, d, k, at);
		at += d * k;
		name_section(name, "floor", t);
		tlv_frame_add(builder, name, TLV_FLOAT64, d, 1, parts->floors[t]);
	}
	TLV_TRY(tlv_diagnostics_permute(ctx, parts->diagnostics, "tensor_eigenvalue_1", k, order));
	tlv_diagnostics_add(parts->diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, weights);
	tlv_free(ctx, builder);
	return TLV_OK;
}

void
tlv_multiview_read(const tlv_frame *frame, tlv_multiview_parts *parts)
{
	/* Only what the check has looked at: a value may hold more sections than it should. */
	bool categories = tlv_frame_find(frame, "items1") != NULL;
	char name[TLV_FRAME_NAME_SIZE];

	memset(parts, 0, sizeof(*parts));
	parts->k = tlv_frame_find(frame, "weights")->rows;
	parts->rows = tlv_frame_scalar(frame, "rows", 0);
	parts->steps = tlv_frame_scalar(frame, "steps", 0);
	parts->seed = tlv_frame_scalar(frame, "seed", 0);
	parts->weights = tlv_frame_float64(frame, "weights");
	for (int t = 0; t < 3; t++)
	{
		name_section(name, "means", t);
		parts->d[t] = tlv_frame_find(frame, name)->rows;
		parts->means[t] = tlv_frame_float64(frame, name);
		name_section(name, categories ? "items" : "variances", t);
		if (categories)
		{
			parts->items[t] = tlv_frame_int64(frame, name);
			continue;
		}
		parts->variances[t] = tlv_frame_float64(frame, name);
		name_section(name, "floor", t);
		parts->floors[t] = tlv_frame_float64(frame, name);
	}
}

double
tlv_multiview_parameters(const tlv_multiview_parts *parts)
{
	double k = (double) parts->k, sum = k - 1;

	for (int t = 0; t < 3; t++)
		sum +=
			is_categorical(parts) ? k * ((double) parts->d[t] - 1) : 2 * k * (double) parts->d[t];
	return sum;
}

/* ---- validation ---- */

static tlv_status
check_categories(tlv_context *ctx, const tlv_frame *frame, int view, uint64_t d, uint64_t k,
				 const double *means)
{
	char name[TLV_FRAME_NAME_SIZE];

	name_section(name, "items", view);
	if (d > TRIPLE_MOST)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is too long", name);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_INT64, d, 1, NULL));
	TLV_TRY(tlv_frame_require_ascending(ctx, frame, name));
	for (uint64_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (uint64_t i = 0; i < d; i++)
		{
			if (!(means[j * d + i] >= LEAST_PROBABILITY / 10))
				return tlv_fail(ctx, TLV_CORRUPT, "view %d has a probability of %g", view + 1,
								means[j * d + i]);
			sum += means[j * d + i];
		}
		if (!(fabs(sum - 1) < 1e-6))
			return tlv_fail(ctx, TLV_CORRUPT, "probabilities of view %d sum to %g", view + 1, sum);
	}
	return TLV_OK;
}

static tlv_status
check_view(tlv_context *ctx, const tlv_frame *frame, int view, uint64_t k, bool categories)
{
	char name[TLV_FRAME_NAME_SIZE];
	const tlv_section *means;

	name_section(name, "means", view);
	means = tlv_frame_find(frame, name);
	if (means == NULL || means->rows == 0 || means->rows > TLV_VIEW_MOST_TRIPLES)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or has a wrong length", name);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, means->rows, k, NULL));
	if (categories)
		return check_categories(ctx, frame, view, means->rows, k, tlv_frame_float64(frame, name));
	name_section(name, "variances", view);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, means->rows, k, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, name, LEAST_VARIANCE / 10));
	name_section(name, "floor", view);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, means->rows, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, name, 0);
}

static tlv_status
multiview_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *weights = tlv_frame_find(frame, "weights");
	bool categories = tlv_frame_find(frame, "items1") != NULL;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "steps"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	if (weights == NULL || weights->rows == 0 || weights->rows > TLV_VIEW_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" is missing or empty");
	TLV_TRY(tlv_frame_require(ctx, frame, "weights", TLV_FLOAT64, weights->rows, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "weights", LEAST_PROBABILITY / 10));
	for (int t = 0; t < 3; t++)
		TLV_TRY(check_view(ctx, frame, t, weights->rows, categories));
	return tlv_diagnostics_check(ctx, frame);
}

/* ---- use ---- */

/* Inverse variances, and the log density of a view at each component's mean. */
static tlv_status
open_vectors(tlv_context *ctx, multiview_model *model)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t k = parts->k;

	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		TLV_TRY_NEW_ROWS(ctx, model->inverse[t], k, d + 1);
		model->constant[t] = model->inverse[t] + d * k;
		for (size_t j = 0; j < k; j++)
		{
			double sum = 0;

			for (size_t i = 0; i < d; i++)
			{
				double variance = parts->variances[t][j * d + i];

				model->inverse[t][j * d + i] = 1 / variance;
				sum += log(2 * M_PI) + log(variance);
			}
			model->constant[t][j] = -sum / 2;
		}
	}
	return TLV_OK;
}

static tlv_status
open_categories(tlv_context *ctx, multiview_model *model)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t k = parts->k;

	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		TLV_TRY(tlv_dictionary_freeze(ctx, &model->dictionary[t], d, parts->items[t]));
		TLV_TRY_NEW_ROWS(ctx, model->probabilities[t], k, d);
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < k; j++)
				model->probabilities[t][i * k + j] = parts->means[t][j * d + i];
	}
	return TLV_OK;
}

static tlv_status
multiview_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	multiview_model *model = tlv_alloc0(ctx, 1, sizeof(multiview_model));

	TLV_TRY_ALLOC(ctx, model);
	model->base.class = tlv_kind_multiview.model;
	model->base.frame = *frame;
	tlv_multiview_read(frame, &model->parts);
	TLV_TRY_NEW_ROWS(ctx, model->log_weights, model->parts.k, 2);
	model->joint = model->log_weights + model->parts.k;
	for (size_t j = 0; j < model->parts.k; j++)
		model->log_weights[j] = log(model->parts.weights[j]);
	TLV_TRY(is_categorical(&model->parts) ? open_categories(ctx, model) : open_vectors(ctx, model));
	*opened = &model->base;
	return TLV_OK;
}

static size_t
multiview_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "weights")->rows;
}

static tlv_status
multiview_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_multiview_parts parts_a, parts_b;

	tlv_multiview_read(a, &parts_a);
	tlv_multiview_read(b, &parts_b);
	return tlv_multiview_match(ctx, &parts_a, &parts_b, match->component, match->distance);
}

static const tlv_model_class multiview_class = {
	.open = multiview_open,
	.components = multiview_components,
	.rows = TLV_ROW_VECTOR | TLV_ROW_VIEWS | TLV_ROW_CATEGORIES | TLV_ROWS_MISSING_VIEWS,
	.infer = tlv_multiview_infer,
	.log_likelihood = tlv_multiview_log_likelihood,
	.statistics = tlv_multiview_statistics,
	.update = tlv_multiview_update,
	.match = multiview_match,
};
const tlv_kind tlv_kind_multiview = {TLV_KIND_LINE(MULTIVIEW, multiview), .check = multiview_check,
									 .model = &multiview_class};
