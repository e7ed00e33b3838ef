/*
 * infer.c - what a row of three views, all or some of them known, says of its component
 * (multiview.h).
 */
#include <math.h>

#include "internal.h"

/* A row less likely than this under all components is not assigned to any. */
#define LEAST_LOGARITHM (-TLV_MIXTURE_LARGEST)

/* ---- checks ---- */

tlv_status
tlv_multiview_check_vectors(tlv_context *ctx, const tlv_multiview_parts *parts, const size_t d[3],
							const double *const x[3])
{
	for (int t = 0; t < 3; t++)
	{
		if (x[t] == NULL)
			continue;
		if (d[t] != parts->d[t])
			return tlv_fail(ctx, TLV_BAD_DATA, "view %d of a row has %zu numbers, the model's %zu",
							t + 1, d[t], parts->d[t]);
		for (size_t i = 0; i < d[t]; i++)
			if (isnan(x[t][i]))
				return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of view %d is NaN", i + 1, t + 1);
			else if (!(fabs(x[t][i]) <= TLV_MIXTURE_LARGEST))
				return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of view %d is %g, beyond %g", i + 1,
								t + 1, x[t][i], TLV_MIXTURE_LARGEST);
	}
	return TLV_OK;
}

static tlv_status
refuse_category(tlv_context *ctx, int view, double category)
{
	tlv_status status = tlv_fail(
		ctx, TLV_BAD_DATA, "the model does not know category %.17g of view %d", category, view + 1);

	tlv_fail_hint(ctx, "A view that is not known may be NULL in tlv_infer(model, x1, x2, x3); "
					   "tlv_view_categories(model) has the categories.");
	return status;
}

tlv_status
tlv_multiview_position(tlv_context *ctx, const multiview_model *model, int view, int64_t category,
					   size_t *position)
{
	int32_t at = tlv_dictionary_find(&model->dictionary[view], category);

	if (at < 0)
		return refuse_category(ctx, view, (double) category);
	*position = (size_t) at;
	return TLV_OK;
}

tlv_status
tlv_multiview_refuse_row(tlv_context *ctx, const tlv_multiview_parts *parts)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "the views of this model are %s",
					is_categorical(parts) ? "categories, not vectors" : "vectors, not categories");
}

/* ---- inference ---- */

/* -1/2 sum of (x - mean)^2 / variance */
static double
exponent(size_t d, const double *restrict x, const double *restrict mean,
		 const double *restrict inverse)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += (x[i] - mean[i]) * (x[i] - mean[i]) * inverse[i];
	return -sum / 2;
}

/* ln p(x, j) of the views that are known. */
static tlv_status
joint_logarithms(tlv_context *ctx, const multiview_model *model, const tlv_view_row *row,
				 double *joint)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t k = parts->k, at = 0;

	for (size_t j = 0; j < k; j++)
		joint[j] = model->log_weights[j];
	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		if (!row->known[t])
			continue;
		if (is_categorical(parts))
			TLV_TRY(tlv_multiview_position(ctx, model, t, row->category[t], &at));
		for (size_t j = 0; j < k; j++)
			joint[j] += is_categorical(parts) ? log(model->probabilities[t][at * k + j])
											  : model->constant[t][j] +
													exponent(d, row->x[t], parts->means[t] + j * d,
															 model->inverse[t] + j * d);
	}
	return TLV_OK;
}

tlv_status
tlv_multiview_infer(tlv_context *ctx, tlv_model *model, const tlv_view_row *row, double *shares,
					double *log_likelihood)
{
	multiview_model *own = (multiview_model *) model;
	size_t k = own->parts.k;
	const double *x[3] = {NULL, NULL, NULL};
	double *joint = own->joint, largest, sum = 0;

	if (row->vectors == is_categorical(&own->parts))
		return tlv_multiview_refuse_row(ctx, &own->parts);
	for (int t = 0; t < 3 && row->vectors; t++)
		x[t] = row->known[t] ? row->x[t] : NULL;
	TLV_TRY(tlv_multiview_check_vectors(ctx, &own->parts, row->d, x));
	TLV_TRY(joint_logarithms(ctx, own, row, joint));
	largest = joint[0];
	for (size_t j = 1; j < k; j++)
		largest = fmax(largest, joint[j]);
	if (!(largest > LEAST_LOGARITHM))
		return tlv_fail(ctx, TLV_BAD_DATA, "a row lies beyond reckoning from all components");
	for (size_t j = 0; j < k; j++)
		sum += joint[j] = exp(joint[j] - largest);
	for (size_t j = 0; j < k && shares != NULL; j++)
		shares[j] = joint[j] / sum;
	if (log_likelihood != NULL)
		*log_likelihood = largest + log(sum);
	return TLV_OK;
}

/* ---- rows in one piece ---- */

static tlv_status
split_row(tlv_context *ctx, const tlv_multiview_parts *parts, size_t d, const double *x,
		  tlv_view_row *row)
{
	size_t wide = is_categorical(parts) ? 3 : parts->d[0] + parts->d[1] + parts->d[2];

	*row = (tlv_view_row){.vectors = !is_categorical(parts), .known = {true, true, true}};
	if (d != wide)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_DATA, "%zu numbers under a model of %zu", d, wide);

		tlv_fail_hint(ctx, "Give the three views one behind the other, or as three arguments.");
		return status;
	}
	for (int t = 0; t < 3; t++)
	{
		if (is_categorical(parts))
		{
			if (!(fabs(x[t]) < 0x1p62 && x[t] == floor(x[t])))
				return refuse_category(ctx, t, x[t]);
			row->category[t] = (int64_t) x[t];
			continue;
		}
		row->d[t] = parts->d[t];
		row->x[t] = x;
		x += parts->d[t];
	}
	return TLV_OK;
}

/* The views of a row of any of the three forms. */
static tlv_status
views_of_row(tlv_context *ctx, const tlv_multiview_parts *parts, const tlv_row *row,
			 tlv_view_row *views)
{
	if (row->form == TLV_ROW_VECTOR)
		return split_row(ctx, parts, row->part[0].d, row->part[0].float64, views);
	*views = (tlv_view_row){.vectors = row->form == TLV_ROW_VIEWS};
	for (int t = 0; t < 3; t++)
	{
		const tlv_part *part = &row->part[t];

		views->known[t] = part->type != TLV_PART_NONE;
		if (!views->known[t])
			continue;
		if (!views->vectors)
			views->category[t] = part->ids[0];
		else
		{
			views->d[t] = part->d;
			views->x[t] = part->float64;
		}
	}
	return TLV_OK;
}

tlv_status
tlv_multiview_infer_row(tlv_context *ctx, tlv_model *model, const tlv_row *row,
						tlv_posterior *posterior)
{
	const tlv_multiview_parts *parts = &((multiview_model *) model)->parts;
	tlv_view_row views;

	TLV_TRY(views_of_row(ctx, parts, row, &views));
	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, parts->k));
	return tlv_multiview_infer(ctx, model, &views, posterior->values, NULL);
}

tlv_status
tlv_multiview_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	tlv_view_row views;

	TLV_TRY(views_of_row(ctx, &((multiview_model *) model)->parts, row, &views));
	return tlv_multiview_infer(ctx, model, &views, NULL, value);
}
