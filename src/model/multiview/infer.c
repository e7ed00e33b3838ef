/*
 * infer.c - what a row of three views, all or some of them known, says of its component
 * (multiview.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/plural.h"

/* A row less likely than this under all components is not assigned to any. */
#define LEAST_LOGARITHM (-TLV_MIXTURE_LARGEST)

/* ---- checks ---- */

tlv_status
tlv_multiview_check_vectors(tlv_context *ctx, const tlv_multiview_parts *parts,
							const tlv_part view[3])
{
	for (int t = 0; t < 3; t++)
	{
		const double *x = view[t].float64;

		if (view[t].type == TLV_PART_NONE)
			continue;
		if (view[t].d != parts->d[t])
		{
			tlv_fail(ctx, TLV_BAD_DATA, "view %d of a row has %zu %s, the model's %zu", t + 1,
					 view[t].d, tlv_plural((double) view[t].d, "number", "numbers"), parts->d[t]);
			return tlv_fail_hint(ctx,
								 "Give the columns that the model was fitted to, in their order.");
		}
		for (size_t i = 0; i < view[t].d; i++)
			if (isnan(x[i]))
			{
				tlv_fail(ctx, TLV_BAD_DATA, "number %zu of view %d is NaN", i + 1, t + 1);
				return tlv_fail_hint(ctx, "Leave such rows out, or replace the number.");
			}
			else if (!(fabs(x[i]) <= TLV_MIXTURE_LARGEST))
			{
				tlv_fail(ctx, TLV_BAD_DATA, "number %zu of view %d is %g, beyond %g", i + 1, t + 1,
						 x[i], TLV_MIXTURE_LARGEST);
				return tlv_fail_hint(ctx, "Leave such rows out, or replace the number.");
			}
	}
	return TLV_OK;
}

bool
tlv_multiview_knows(const multiview_model *model, int view, const tlv_part *part, size_t *position)
{
	int32_t at = 0;

	if (part->type == TLV_PART_NONE)
		return false;
	if (is_categorical(&model->parts))
		at = tlv_dictionary_find(&model->dictionary[view], part->ids[0]);
	*position = (size_t) at;
	return at >= 0;
}

tlv_status
tlv_multiview_refuse_row(tlv_context *ctx, const tlv_multiview_parts *parts)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "the views of this model are %s",
					is_categorical(parts) ? "categories, not vectors" : "vectors, not categories");
}

/* ---- inference ---- */

/* ln p(x, j) of the categories that are known. */
static void
joint_logarithms(const multiview_model *model, const tlv_part view[3], double *joint)
{
	size_t k = model->parts.k, at = 0;

	for (size_t j = 0; j < k; j++)
		joint[j] = log(model->parts.weights[j]);
	for (int t = 0; t < 3; t++)
		for (size_t j = 0; tlv_multiview_knows(model, t, &view[t], &at) && j < k; j++)
			joint[j] += log(model->probabilities[t][at * k + j]);
}

static tlv_status
infer_categories(tlv_context *ctx, multiview_model *own, const tlv_part view[3], double *shares,
				 double *log_likelihood)
{
	size_t k = own->parts.k;
	double largest, sum = 0;

	joint_logarithms(own, view, shares);
	largest = shares[0];
	for (size_t j = 1; j < k; j++)
		largest = fmax(largest, shares[j]);
	if (!(largest > LEAST_LOGARITHM))
		return tlv_refuse_far_row(ctx);
	for (size_t j = 0; j < k; j++)
		sum += shares[j] = exp(shares[j] - largest);
	for (size_t j = 0; j < k; j++)
		shares[j] /= sum;
	*log_likelihood = largest + log(sum);
	return TLV_OK;
}

void
tlv_multiview_join_row(const multiview_model *model, const tlv_part view[3], double *row)
{
	const double *center = model->worker.center;

	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < view[t].d; i++)
			*row++ = view[t].float64[i] - *center++;
}

/* What a row says of whose views some are missing. */
static tlv_status
infer_given(tlv_context *ctx, const multiview_model *own, const tlv_part view[3], double *shares,
			double *log_likelihood)
{
	size_t at = 0;

	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < own->parts.d[t]; i++, at++)
		{
			own->missing[at] = view[t].type == TLV_PART_NONE;
			own->row[at] = own->missing[at] ? 0 : view[t].float64[i];
		}
	return tlv_mixture_infer_given(ctx, &own->mixture, own->row, own->missing, shares,
								   log_likelihood);
}

static tlv_status
infer_vectors(tlv_context *ctx, multiview_model *own, const tlv_part view[3], double *shares,
			  double *log_likelihood)
{
	TLV_TRY(tlv_multiview_check_vectors(ctx, &own->parts, view));
	for (int t = 0; t < 3; t++)
		if (view[t].type == TLV_PART_NONE)
			return infer_given(ctx, own, view, shares, log_likelihood);
	tlv_multiview_join_row(own, view, own->row);
	TLV_TRY(tlv_mixture_expect(ctx, &own->worker, 1, own->row, NULL));
	for (size_t j = 0; j < own->parts.k; j++)
		shares[j] = own->worker.shares[j * TLV_MIXTURE_BLOCK];
	*log_likelihood = own->worker.density[0];
	return TLV_OK;
}

/* The posterior of the components and the logarithm of the density. */
static tlv_status
infer_views(tlv_context *ctx, multiview_model *own, const tlv_row *row, double *shares,
			double *log_likelihood)
{
	if (is_categorical(&own->parts) != (row->form == TLV_ROW_CATEGORIES))
		return tlv_multiview_refuse_row(ctx, &own->parts);
	return (is_categorical(&own->parts) ? infer_categories : infer_vectors)(ctx, own, row->part,
																			shares, log_likelihood);
}

/* ---- rows ---- */

tlv_status
tlv_multiview_views_of_row(tlv_context *ctx, const tlv_multiview_parts *parts, const tlv_row *row,
						   tlv_row *whole, int64_t ids[3])
{
	size_t wide = is_categorical(parts) ? 3 : parts->d[0] + parts->d[1] + parts->d[2];
	const double *x = row->part[0].float64;

	if (row->part[0].d != wide)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "%zu %s under a model of %zu", row->part[0].d,
				 tlv_plural((double) row->part[0].d, "number", "numbers"), wide);
		return tlv_fail_hint(ctx,
							 "Give the three views one behind the other, or as ROW(x1, x2, x3).");
	}
	if (!is_categorical(parts))
	{
		*whole = *TLV_AS_VIEWS(
			parts->d, ((const double *[]){x, x + parts->d[0], x + parts->d[0] + parts->d[1]}));
		return TLV_OK;
	}
	*whole = *TLV_AS_CATEGORIES(ids);
	for (int t = 0; t < 3; t++)
	{
		if (row->part[0].missing != NULL && row->part[0].missing[t])
		{
			whole->part[t].type = TLV_PART_NONE;
			continue;
		}
		if (!(fabs(x[t]) < 0x1p62 && x[t] == floor(x[t])))
			return tlv_fail(ctx, TLV_BAD_DATA, "category %.17g of view %d is not an integer", x[t],
							t + 1);
		ids[t] = (int64_t) x[t];
		if (tlv_multiview_is_named(parts, t))
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "the categories of view %d are strings, and %lld is a number", t + 1,
					 (long long) ids[t]);
			return tlv_fail_hint(ctx, "Give a text[], or ROW(x1, x2, x3).");
		}
	}
	return TLV_OK;
}

static tlv_status
infer_any(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *shares,
		  double *log_likelihood)
{
	multiview_model *own = (multiview_model *) model;
	tlv_row whole = {0};
	int64_t ids[3];

	if (row->form != TLV_ROW_VECTOR)
		return infer_views(ctx, own, row, shares, log_likelihood);
	TLV_TRY(tlv_multiview_views_of_row(ctx, &own->parts, row, &whole, ids));
	return infer_views(ctx, own, &whole, shares, log_likelihood);
}

tlv_status
tlv_multiview_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
					tlv_posterior *posterior)
{
	double value;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, ((multiview_model *) model)->parts.k));
	return infer_any(ctx, model, row, posterior->values, &value);
}

/* A missing view's expected numbers. */
static void
expect_view(const tlv_multiview_parts *parts, int t, const double *shares, double *filled)
{
	size_t d = parts->d[t];

	for (size_t i = 0; i < d; i++)
		filled[i] = 0;
	for (size_t j = 0; j < parts->k; j++)
		for (size_t i = 0; i < d; i++)
			filled[i] += shares[j] * parts->means[t][j * d + i];
}

/* A missing view's most probable category. */
static tlv_status
expect_category(tlv_context *ctx, const tlv_multiview_parts *parts, int t, const double *shares,
				double *filled)
{
	const tlv_name_list names = tlv_multiview_names(parts, t);
	size_t d = parts->d[t], best = 0;
	double most = -1;

	for (size_t i = 0; i < d; i++)
	{
		double probability = 0;

		for (size_t j = 0; j < parts->k; j++)
			probability += shares[j] * parts->means[t][j * d + i];
		if (probability > most)
		{
			most = probability;
			best = i;
		}
	}
	*filled = (double) parts->items[t][best];
	return tlv_require_exact_id(ctx, parts->items[t][best], tlv_name_at(&names, best));
}

/* View t of a row: as it is, or what is expected of one that says nothing. */
static tlv_status
fill_view(tlv_context *ctx, const multiview_model *model, int t, const tlv_part *part,
		  const double *shares, double *filled)
{
	const tlv_multiview_parts *parts = &model->parts;
	bool categories = is_categorical(parts);
	size_t at;

	if (!tlv_multiview_knows(model, t, part, &at) && categories)
		return expect_category(ctx, parts, t, shares, filled);
	if (part->type == TLV_PART_NONE)
		expect_view(parts, t, shares, filled);
	else if (categories)
	{
		TLV_TRY(tlv_require_exact_id(ctx, part->ids[0],
									 part->names != NULL ? part->names[0] : (tlv_text){NULL, 0}));
		*filled = (double) part->ids[0];
	}
	else
		memcpy(filled, part->float64, parts->d[t] * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_multiview_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *filled)
{
	const multiview_model *own = (multiview_model *) model;
	const tlv_multiview_parts *parts = &own->parts;
	bool categories = is_categorical(parts);
	tlv_row whole = *row;
	double *shares, *at, value;
	int64_t ids[3];

	TLV_TRY_NEW(ctx, shares, parts->k);
	TLV_TRY(infer_any(ctx, model, row, shares, &value));
	if (row->form == TLV_ROW_VECTOR)
		TLV_TRY(tlv_multiview_views_of_row(ctx, parts, row, &whole, ids));
	TLV_TRY(tlv_posterior_begin(ctx, filled, 1,
								categories ? 3 : parts->d[0] + parts->d[1] + parts->d[2]));
	at = filled->values;
	for (int t = 0; t < 3; at += categories ? 1 : parts->d[t], t++)
		TLV_TRY(fill_view(ctx, own, t, &whole.part[t], shares, at));
	tlv_free(ctx, shares);
	return TLV_OK;
}

tlv_status
tlv_multiview_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	return infer_any(ctx, model, row, ((multiview_model *) model)->joint, value);
}
