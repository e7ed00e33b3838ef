/*
 * errors.c - estimates of latent classes and mixed membership, and the score of a row (errors.h).
 *
 * Of mixed membership the shares of an item are those of the collapsed posterior's fixed point, and
 * alpha, which no likelihood has been maximised by, has no standard error.
 *
 * Where parameters are too many for one block, those of every variable are one, with the weights
 * known: variables that are independent given the components tell little of each other's
 * probabilities.
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/num/tuning.h"

/* ---- estimates ---- */

static tlv_status
list_weights(tlv_context *ctx, const tlv_membership_parts *parts, bool mixed, tlv_estimates *list)
{
	for (size_t h = 0; h < parts->k; h++)
		TLV_TRY(tlv_estimates_add(
			ctx, list,
			&(tlv_estimate){.part = mixed ? TLV_ESTIMATE_ALPHA : TLV_ESTIMATE_WEIGHT,
							.component = h + 1,
							.estimate = parts->weights[h],
							.group = mixed ? 0 : 1,
							.fixed = mixed || parts->k == 1 || parts->weights[h] == 0}));
	return TLV_OK;
}

/* The categories of variable j from `first` on, component after component, each in a block of its
 * own where they are many. */
static tlv_status
list_variable(tlv_context *ctx, const tlv_membership_parts *parts, size_t j, size_t first,
			  tlv_text variable, size_t *block, tlv_estimates *list)
{
	const tlv_code_names names = tlv_membership_names(parts);
	size_t states = (size_t) parts->states[j];
	bool many = parts->k * states > TLV_SCORES_MOST_BLOCK;

	for (size_t h = 0; h < parts->k; h++)
	{
		*block += many && h > 0;
		for (size_t c = 0; c < states; c++)
			TLV_TRY(tlv_estimates_add(
				ctx, list,
				&(tlv_estimate){.part = TLV_ESTIMATE_PROBABILITY,
								.component = h + 1,
								.has_item = true,
								.item = (int64_t) (first + c) + 1,
								.name = {variable, tlv_name_at(&names.names, first + c)},
								.number = {(int64_t) j + 1, (int64_t) c},
								.between = "=",
								.estimate = parts->probabilities[(first + c) * parts->k + h],
								.group = 2 + j * parts->k + h,
								.block = *block,
								.fixed = states == 1 || parts->weights[h] == 0}));
	}
	return TLV_OK;
}

/* Number s beside the categories: its means, and its variances where they are known and no count's.
 */
static tlv_status
list_number(tlv_context *ctx, const tlv_membership_parts *parts, size_t s, tlv_text name,
			size_t block, tlv_estimates *list)
{
	bool known = parts->scalar_variances != NULL;
	bool varies = known && parts->scalar_counts[s] != TLV_NUMBER_POISSON;

	for (size_t h = 0; h < parts->k; h++)
		for (int part = 0; part < (varies ? 2 : 1); part++)
			TLV_TRY(tlv_estimates_add(
				ctx, list,
				&(tlv_estimate){.part = part == 0 ? TLV_ESTIMATE_MEAN : TLV_ESTIMATE_VARIANCE,
								.component = h + 1,
								.has_item = true,
								.item = (int64_t) (parts->p + s) + 1,
								.name = {name},
								.estimate = (part == 0 ? parts->scalar_means
													   : parts->scalar_variances)[s * parts->k + h],
								.block = block,
								.fixed = !known || parts->weights[h] == 0}));
	return TLV_OK;
}

/* Parameters in all. */
static size_t
count_parameters(const tlv_membership_parts *parts)
{
	return parts->k * (parts->categories + 1 + 2 * parts->scalars);
}

tlv_status
membership_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_value_names names = tlv_value_names_of(model);
	tlv_membership_parts parts;
	size_t first = 0, block = 0;
	bool whole;

	tlv_membership_read(model, &parts);
	whole = count_parameters(&parts) <= TLV_SCORES_MOST_BLOCK;
	TLV_TRY(list_weights(ctx, &parts, tlv_membership_is_mixed(model), list));
	for (size_t j = 0; j < parts.p; first += (size_t) parts.states[j++])
	{
		tlv_text variable = {NULL, 0};

		if (names.n > 0)
			(void) tlv_value_names_next(&names, &variable);
		block += !whole;
		TLV_TRY(list_variable(ctx, &parts, j, first, variable, &block, list));
	}
	for (size_t s = 0; s < parts.scalars; s++)
	{
		tlv_text number = {NULL, 0};

		if (names.n > 0)
			(void) tlv_value_names_next(&names, &number);
		block += !whole;
		TLV_TRY(list_number(ctx, &parts, s, number, block, list));
	}
	return TLV_OK;
}

/* ---- the score of a row ---- */

/* One item was seen, in components by these shares: of all categories of its variable. */
static void
score_item(const membership_model *model, size_t variable, size_t item, const double *shares,
		   double *scores, double *counts)
{
	size_t k = model->parts.k, states = (size_t) model->parts.states[variable];
	size_t first = model->offset[variable];

	for (size_t h = 0; h < k; h++)
	{
		size_t own = k + first * k + h * states;

		for (size_t c = 0; c < states; c++)
		{
			scores[own + c] -= shares[h] * model->parts.probabilities[(first + c) * k + h];
			counts[own + c] += shares[h];
		}
		scores[own + item - first] += shares[h];
	}
}

/* Number s was seen; returns how many parameters it has. */
static size_t
score_number(const membership_model *model, size_t s, bool seen, const double *shares,
			 double *scores)
{
	const membership_numbers *numbers = &model->numbers;
	size_t k = model->parts.k, each = numbers->form[s] != TLV_NUMBER_POISSON ? 2 : 1;

	for (size_t h = 0; seen && h < k; h++)
	{
		double score[2];

		membership_number_form(numbers->form[s])
			->score(model->worker.x[s], numbers->mean[s * k + h], numbers->variance[s * k + h],
					score);
		for (size_t part = 0; part < each; part++)
			scores[h * each + part] = shares[h] * score[part];
	}
	return k * each;
}

/* The numbers of a row, whose items stand behind those of its categories from i on. */
static void
score_numbers(const membership_model *model, size_t i, size_t n, double *scores)
{
	size_t k = model->parts.k;

	for (size_t s = 0; s < model->numbers.q; s++)
	{
		bool seen = i < n && (size_t) model->items[i] == model->parts.categories + s;

		scores +=
			score_number(model, s, seen,
						 model->mixed ? model->worker.given + i * k : model->worker.shares, scores);
		i += seen;
	}
}

tlv_status
membership_score(tlv_context *ctx, tlv_model *opened, const tlv_row *row, tlv_score_sink *sink)
{
	membership_model *model = (membership_model *) opened;
	size_t k = model->parts.k, categories = model->parts.categories, n, variable = 0, i = 0;
	double *scores, *counts;

	TLV_TRY(membership_items(ctx, model, row, &n));
	(void) membership_infer(&model->worker, n, model->items);
	TLV_TRY(tlv_scores_next(ctx, sink, 1, &scores, &counts));
	for (size_t h = 0; !model->mixed && h < k; h++)
	{
		scores[h] = model->worker.shares[h] - model->parts.weights[h];
		counts[h] += 1;
	}
	for (; i < n && (size_t) model->items[i] < categories; i++)
	{
		size_t item = (size_t) model->items[i];

		while (item >= model->offset[variable + 1])
			variable++;
		score_item(model, variable, item,
				   model->mixed ? model->worker.given + i * k : model->worker.shares, scores,
				   counts);
	}
	score_numbers(model, i, n, scores + k * (categories + 1));
	return TLV_OK;
}

/* ---- other values ---- */

/* Of number s the means, and the variances where they are listed; returns how many values. */
static size_t
redraw_number(const tlv_membership_parts *parts, size_t s, const double *values)
{
	int64_t form = parts->scalar_variances != NULL ? parts->scalar_counts[s] : TLV_NUMBER_POISSON;
	size_t k = parts->k, each = form != TLV_NUMBER_POISSON ? 2 : 1;

	for (size_t h = 0; h < k; h++)
	{
		double *mean = (double *) parts->scalar_means + s * k + h, *variance;

		*mean = form == TLV_NUMBER_NORMAL ? values[h * each]
										  : fmax(values[h * each], *mean / TLV_MOST_FACTOR);
		if (form == TLV_NUMBER_POISSON)
			continue;
		variance = (double *) parts->scalar_variances + s * k + h;
		*variance *= exp(fmin(fmax(values[h * each + 1] / *variance - 1, -log(TLV_MOST_FACTOR)),
							  log(TLV_MOST_FACTOR)));
	}
	return k * each;
}

tlv_status
membership_redraw(tlv_context *ctx, const tlv_frame *model, const double *values, void **image,
				  size_t *size)
{
	tlv_membership_parts parts;
	tlv_frame copy;
	size_t first = 0;

	TLV_TRY(tlv_frame_copy(ctx, model, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &copy));
	tlv_membership_read(&copy, &parts);
	if (!tlv_membership_is_mixed(&copy)) /* alpha stays as it is */
		tlv_draw_shares(parts.k, values, parts.weights, 1);
	values += parts.k;
	for (size_t j = 0; j < parts.p; first += (size_t) parts.states[j++])
		for (size_t h = 0; h < parts.k; h++, values += parts.states[j])
			tlv_draw_shares((size_t) parts.states[j], values,
							parts.probabilities + first * parts.k + h, parts.k);
	for (size_t s = 0; s < parts.scalars; s++)
		values += redraw_number(&parts, s, values);
	return TLV_OK;
}
