/*
 * multiview_model.c - the stored form of a multi-view mixture and what it can
 * do (multiview.h, model.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/dictionary.h"
#include "tensorlv/kind.h"
#include "tensorlv/multiview.h"
#include "triple_table.h"
#include "view_solver.h"

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
	weights = tlv_alloc(ctx, 2 * k + 2 * k * wide, sizeof(double));
	TLV_TRY_ALLOC(ctx, weights);
	order = (int64_t *) (weights + k);
	at = weights + 2 * k;
	tlv_order_weights(k, parts->weights, order);
	copy_ordered(1, k, parts->weights, order, LEAST_PROBABILITY, false, weights);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_MULTIVIEW);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "rows", parts->rows);
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
		if (vectors)
		{
			name_section(name, "variances", t);
			copy_ordered(d, k, parts->variances[t], order, LEAST_VARIANCE, false, at);
			tlv_frame_add(builder, name, TLV_FLOAT64, d, k, at);
			at += d * k;
		}
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
	char name[TLV_FRAME_NAME_SIZE];

	memset(parts, 0, sizeof(*parts));
	parts->k = tlv_frame_find(frame, "weights")->rows;
	parts->rows = tlv_frame_scalar(frame, "rows", 0);
	parts->seed = tlv_frame_scalar(frame, "seed", 0);
	parts->weights = tlv_frame_float64(frame, "weights");
	for (int t = 0; t < 3; t++)
	{
		name_section(name, "means", t);
		parts->d[t] = tlv_frame_find(frame, name)->rows;
		parts->means[t] = tlv_frame_float64(frame, name);
		name_section(name, "variances", t);
		parts->variances[t] = tlv_frame_float64(frame, name);
		name_section(name, "items", t);
		parts->items[t] = tlv_frame_int64(frame, name);
	}
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
	if (means == NULL || means->rows == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or empty", name);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, means->rows, k, NULL));
	if (categories)
		return check_categories(ctx, frame, view, means->rows, k, tlv_frame_float64(frame, name));
	name_section(name, "variances", view);
	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, means->rows, k, NULL));
	return tlv_frame_require_minimum(ctx, frame, name, LEAST_VARIANCE / 10);
}

static tlv_status
multiview_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *weights = tlv_frame_find(frame, "weights");
	bool categories = tlv_frame_find(frame, "items1") != NULL;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	if (weights == NULL || weights->rows == 0 || weights->rows > UINT16_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" is missing or empty");
	TLV_TRY(tlv_frame_require(ctx, frame, "weights", TLV_FLOAT64, weights->rows, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "weights", LEAST_PROBABILITY / 10));
	for (int t = 0; t < 3; t++)
		TLV_TRY(check_view(ctx, frame, t, weights->rows, categories));
	return tlv_diagnostics_check(ctx, frame);
}

/* ---- use ---- */

typedef struct multiview_model
{
	tlv_model base;
	tlv_multiview_parts parts;
	tlv_dictionary dictionary[3];
} multiview_model;

static tlv_status
multiview_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	multiview_model *model = tlv_alloc0(ctx, 1, sizeof(multiview_model));

	TLV_TRY_ALLOC(ctx, model);
	model->base.class = tlv_kind_multiview.model;
	model->base.frame = *frame;
	tlv_multiview_read(frame, &model->parts);
	for (int t = 0; t < 3 && model->parts.items[0] != NULL; t++)
		TLV_TRY(tlv_dictionary_freeze(ctx, &model->dictionary[t], model->parts.d[t],
									  model->parts.items[t]));
	*opened = &model->base;
	return TLV_OK;
}

static size_t
multiview_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "weights")->rows;
}

static tlv_status
check_row(tlv_context *ctx, const tlv_multiview_parts *parts, size_t d, const double *x)
{
	size_t wide = parts->items[0] != NULL ? 3 : parts->d[0] + parts->d[1] + parts->d[2];
	tlv_status status;

	if (d != wide)
	{
		status = tlv_fail(ctx, TLV_BAD_DATA, "%zu numbers under a model of %zu", d, wide);
		tlv_fail_hint(ctx, "Give the three views one behind the other.");
		return status;
	}
	for (size_t i = 0; i < d; i++)
		if (!isfinite(x[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "number %zu is %s", i + 1,
							isnan(x[i]) ? "NaN" : "infinite");
	return TLV_OK;
}

/* ln p(x, j), unknown categories left out. */
static void
joint_logarithms(const multiview_model *model, const double *x, double *out)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t k = parts->k;

	for (size_t j = 0; j < k; j++)
		out[j] = log(parts->weights[j]);
	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		if (parts->items[0] != NULL)
		{
			double value = x[t];
			int32_t at = fabs(value) < 0x1p62 && value == floor(value)
							 ? tlv_dictionary_find(&model->dictionary[t], (int64_t) value)
							 : -1;

			for (size_t j = 0; at >= 0 && j < k; j++)
				out[j] += log(parts->means[t][j * d + (size_t) at]);
			continue;
		}
		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < d; i++)
			{
				double variance = parts->variances[t][j * d + i];
				double difference = x[i] - parts->means[t][j * d + i];

				out[j] -= 0.5 * (difference * difference / variance + log(2 * M_PI * variance));
			}
		x += d;
	}
	for (size_t j = 0; j < k; j++)
		out[j] = fmax(out[j], -1e300);
}

/* Turns logarithms into shares; returns the logarithm of their sum. */
static double
normalise_logarithms(size_t k, double *values)
{
	double largest = values[0], sum = 0;

	for (size_t j = 1; j < k; j++)
		largest = fmax(largest, values[j]);
	for (size_t j = 0; j < k; j++)
		sum += values[j] = exp(values[j] - largest);
	for (size_t j = 0; j < k; j++)
		values[j] /= sum;
	return largest + log(fmax(sum, 1)); /* the largest term is 1 */
}

static tlv_status
multiview_infer(tlv_context *ctx, tlv_model *model, size_t d, const double *x, double *shares)
{
	multiview_model *own = (multiview_model *) model;

	TLV_TRY(check_row(ctx, &own->parts, d, x));
	joint_logarithms(own, x, shares);
	(void) normalise_logarithms(own->parts.k, shares);
	return TLV_OK;
}

static tlv_status
multiview_log_likelihood(tlv_context *ctx, tlv_model *model, size_t d, const double *x,
						 double *value)
{
	multiview_model *own = (multiview_model *) model;
	double *joint;

	TLV_TRY(check_row(ctx, &own->parts, d, x));
	joint = tlv_alloc(ctx, own->parts.k, sizeof(double));
	TLV_TRY_ALLOC(ctx, joint);
	joint_logarithms(own, x, joint);
	*value = normalise_logarithms(own->parts.k, joint);
	tlv_free(ctx, joint);
	return TLV_OK;
}

static const tlv_model_class multiview_class = {
	.open = multiview_open,
	.components = multiview_components,
	.infer_vector = multiview_infer,
	.log_likelihood_vector = multiview_log_likelihood,
};
const tlv_kind tlv_kind_multiview = {
	TLV_FRAME_MODEL, TLV_KIND_MULTIVIEW, "multiview", multiview_check, NULL, &multiview_class};
