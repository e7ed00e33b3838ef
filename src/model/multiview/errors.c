/*
 * errors.c - estimates of multi-view mixtures, and the score of a row (errors.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/errors.h"

/* ---- estimates ---- */

/* The numbers of all views one behind the other, as components of one mixture. */
static tlv_status
list_vectors(tlv_context *ctx, const tlv_multiview_parts *parts, tlv_estimates *list)
{
	size_t d = parts->d[0] + parts->d[1] + parts->d[2];
	tlv_mixture_listing listing = {.rows = parts->rows,
								   .views = parts->d,
								   .penalised = parts->steps > 0,
								   .student = true,
								   .list = list};
	tlv_mixture mixture;
	double *floor;

	TLV_TRY(tlv_mixture_create(ctx, parts->k, d, TLV_COVARIANCE_DIAGONAL, &mixture));
	TLV_TRY_NEW(ctx, floor, d);
	for (size_t j = 0; j < parts->k; j++)
		mixture.weights[j] = parts->weights[j];
	tlv_multiview_join(parts->d, parts->k, parts->means, mixture.means);
	tlv_multiview_join(parts->d, parts->k, parts->variances, mixture.variances);
	tlv_multiview_join(parts->d, 1, parts->floors, floor);
	listing.mixture = &mixture;
	listing.floor = floor;
	listing.whole =
		tlv_mixture_parameters(parts->k, d, TLV_COVARIANCE_DIAGONAL, false) < TLV_SCORES_MOST_BLOCK;
	TLV_TRY(tlv_mixture_list_weights(ctx, &listing));
	TLV_TRY(tlv_mixture_list_components(ctx, &listing));
	tlv_free(ctx, floor);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

/* Probabilities of a component in a view are a group, and a block where parameters are divided. */
static tlv_status
list_categories(tlv_context *ctx, const tlv_multiview_parts *parts, tlv_estimates *list)
{
	size_t d = parts->d[0] + parts->d[1] + parts->d[2], group = 1, block = 0;
	bool whole = (double) parts->k * (double) (d + 1) <= TLV_SCORES_MOST_BLOCK;

	for (size_t j = 0; j < parts->k; j++)
	{
		size_t item = 0;

		for (int t = 0; t < 3; t++)
		{
			tlv_name_list names = tlv_multiview_names(parts, t);
			bool many = parts->d[t] > TLV_SCORES_MOST_BLOCK;

			group++;
			block += !whole;
			for (size_t i = 0; i < parts->d[t]; i++)
			{
				item++;
				TLV_TRY(tlv_estimates_add(
					ctx, list,
					&(tlv_estimate){.part = TLV_ESTIMATE_PROBABILITY,
									.component = j + 1,
									.has_item = true,
									.item = (int64_t) item,
									.name = {{NULL, 0}, tlv_name_at(&names, i)},
									.number = {t + 1, parts->items[t][i]},
									.between = "=",
									.estimate = parts->means[t][j * parts->d[t] + i],
									.group = group,
									.block = block,
									.fixed = many || parts->d[t] == 1 || parts->weights[j] == 0,
									.penalised = true}));
				block += many && i + 1 < parts->d[t];
			}
		}
	}
	return TLV_OK;
}

tlv_status
tlv_multiview_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_multiview_parts parts;
	tlv_mixture mixture;
	tlv_mixture_listing listing = {.mixture = &mixture, .whole = true, .list = list};

	tlv_multiview_read(model, &parts);
	if (!is_categorical(&parts))
		return list_vectors(ctx, &parts, list);
	mixture = (tlv_mixture){.k = parts.k, .weights = (double *) parts.weights};
	TLV_TRY(tlv_mixture_list_weights(ctx, &listing));
	return list_categories(ctx, &parts, list);
}

/* ---- the score of a row ---- */

/* The category at that place of a view was seen: of all of the view's, in every component. */
static void
score_category(const tlv_multiview_parts *parts, int view, size_t at, const double *shares,
			   double *scores, double *counts)
{
	size_t d = parts->d[0] + parts->d[1] + parts->d[2], first = 0;

	for (int t = 0; t < view; t++)
		first += parts->d[t];
	for (size_t j = 0; j < parts->k; j++)
	{
		size_t own = j * d + first;

		for (size_t i = 0; i < parts->d[view]; i++)
		{
			scores[own + i] -= shares[j] * parts->means[view][j * parts->d[view] + i];
			counts[own + i] += shares[j];
		}
		scores[own + at] += shares[j];
	}
}

static tlv_status
score_views(tlv_context *ctx, multiview_model *own, const tlv_row *row, const double *shares,
			tlv_score_sink *sink)
{
	const tlv_multiview_parts *parts = &own->parts;
	size_t k = parts->k, at[3] = {0};
	double *scores, *counts;

	for (int t = 0; is_categorical(parts) && t < 3; t++)
		if (!tlv_multiview_knows(own, t, &row->part[t], &at[t]))
		{
			tlv_scores_leave_out(sink); /* as statistics do */
			return TLV_OK;
		}
	TLV_TRY(tlv_scores_next(ctx, sink, 1, &scores, &counts));
	for (size_t j = 0; j < k; j++)
	{
		scores[j] = shares[j] - parts->weights[j];
		counts[j] += 1;
	}
	if (is_categorical(parts))
	{
		for (int t = 0; t < 3; t++)
			score_category(parts, t, at[t], shares, scores + k, counts + k);
		return TLV_OK;
	}
	for (int t = 0, first = 0; t < 3; first += (int) parts->d[t++])
		memcpy(own->joined + first, row->part[t].float64, parts->d[t] * sizeof(double));
	for (size_t j = 0; j < k; j++)
		tlv_mixture_score(&own->scorer, j, shares[j], own->joined, scores + k);
	return TLV_OK;
}

tlv_status
tlv_multiview_score(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_score_sink *sink)
{
	multiview_model *own = (multiview_model *) model;
	const tlv_multiview_parts *parts = &own->parts;
	tlv_posterior posterior = {0};
	tlv_row whole;
	int64_t ids[3];

	if (row->form == TLV_ROW_VECTOR)
	{
		TLV_TRY(tlv_multiview_views_of_row(ctx, parts, row, &whole, ids));
		row = &whole;
	}
	TLV_TRY(tlv_row_require_parts(ctx, row));
	if (!is_categorical(parts) && own->joined == NULL)
	{
		TLV_TRY(tlv_mixture_scorer_open(ctx, &own->mixture, &own->scorer));
		TLV_TRY_NEW(ctx, own->joined, own->mixture.d);
	}
	TLV_TRY(tlv_multiview_infer(ctx, model, row, &posterior));
	TLV_TRY(score_views(ctx, own, row, posterior.values, sink));
	tlv_posterior_free(ctx, &posterior);
	return TLV_OK;
}

/* ---- other values ---- */

static tlv_status
redraw_vectors(tlv_context *ctx, const tlv_multiview_parts *parts, const double *values)
{
	size_t d = parts->d[0] + parts->d[1] + parts->d[2], first = 0;
	tlv_mixture mixture;

	TLV_TRY(tlv_mixture_create(ctx, parts->k, d, TLV_COVARIANCE_DIAGONAL, &mixture));
	tlv_multiview_join(parts->d, parts->k, parts->variances, mixture.variances);
	TLV_TRY(tlv_mixture_redraw(ctx, values, &mixture));
	for (int t = 0; t < 3; first += parts->d[t++])
		for (size_t j = 0; j < parts->k; j++)
		{
			size_t to = j * parts->d[t], from = j * d + first, bytes = parts->d[t] * sizeof(double);

			memcpy((double *) parts->means[t] + to, mixture.means + from, bytes);
			memcpy((double *) parts->variances[t] + to, mixture.variances + from, bytes);
		}
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

tlv_status
tlv_multiview_redraw(tlv_context *ctx, const tlv_frame *model, const double *values, void **image,
					 size_t *size)
{
	tlv_multiview_parts parts;
	tlv_frame copy;

	TLV_TRY(tlv_frame_copy(ctx, model, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &copy));
	tlv_multiview_read(&copy, &parts);
	tlv_draw_shares(parts.k, values, (double *) parts.weights, 1);
	values += parts.k;
	if (!is_categorical(&parts))
		return redraw_vectors(ctx, &parts, values);
	for (size_t j = 0; j < parts.k; j++)
		for (int t = 0; t < 3; values += parts.d[t++])
			tlv_draw_shares(parts.d[t], values, (double *) parts.means[t] + j * parts.d[t], 1);
	return TLV_OK;
}
