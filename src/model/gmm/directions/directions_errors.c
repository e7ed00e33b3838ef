/*
 * directions_errors.c - estimates of mixtures of directions, and the score of a row (errors.h).
 *
 * A mean has length 1: its largest coordinate follows from the others, which are the parameters,
 * and has no standard error.  With r_j the share of a row x, the score of mu_i is
 * kappa r_j (x_i - x_m mu_i / mu_m), m the largest; that of kappa is r_j (mu'x - A(kappa)), A the
 * length of the mean of such directions.
 */
#include <math.h>

#include "directions.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"

static size_t
largest_of(const tlv_directions *own, size_t j)
{
	const double *mean = own->means + j * own->d;
	size_t best = 0;

	for (size_t i = 1; i < own->d; i++)
		best = fabs(mean[i]) > fabs(mean[best]) ? i : best;
	return best;
}

/* A component in a block of its own, unless all of them are one (block 0). */
static tlv_status
list_component(tlv_context *ctx, const tlv_directions *own, const tlv_name_list *names, size_t j,
			   size_t block, tlv_estimates *list)
{
	size_t largest = largest_of(own, j);
	double kappa = own->kappas[j];
	bool fixed = own->weights[j] == 0 || !(kappa > 0) ||
				 kappa >= TLV_DIRECTIONS_MOST_KAPPA * (double) own->d;

	/* one that is wider than a block: every number by itself, without an error */
	bool wide = own->d >= TLV_SCORES_MOST_BLOCK;

	for (size_t i = 0; i < own->d; i++)
		TLV_TRY(tlv_estimates_add(ctx, list,
								  &(tlv_estimate){.part = TLV_ESTIMATE_MEAN,
												  .component = j + 1,
												  .has_item = true,
												  .item = (int64_t) i + 1,
												  .name = {tlv_name_at(names, i)},
												  .estimate = own->means[j * own->d + i],
												  .block = block + (wide ? i : 0),
												  .fixed = fixed || wide || i == largest}));
	return tlv_estimates_add(ctx, list,
							 &(tlv_estimate){.part = TLV_ESTIMATE_HIDDEN,
											 .component = j + 1,
											 .estimate = kappa,
											 .block = block + (wide ? own->d : 0),
											 .fixed = fixed});
}

tlv_status
directions_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	const tlv_name_list names = tlv_dimension_names(model);
	tlv_directions own;
	size_t each, block;
	bool whole, many;

	tlv_directions_read(model, &own);
	each = own.d >= TLV_SCORES_MOST_BLOCK ? own.d + 1 : 1;
	whole = (double) own.k * (double) (own.d + 2) <= TLV_SCORES_MOST_BLOCK;
	many = own.k > TLV_SCORES_MOST_BLOCK;
	for (size_t j = 0; j < own.k; j++)
		TLV_TRY(
			tlv_estimates_add(ctx, list,
							  &(tlv_estimate){.part = TLV_ESTIMATE_WEIGHT,
											  .component = j + 1,
											  .estimate = own.weights[j],
											  .group = 1,
											  .block = many ? j : 0,
											  .fixed = many || own.k == 1 || own.weights[j] == 0}));
	block = many ? own.k : 1;
	for (size_t j = 0; j < own.k; j++, block += each)
		TLV_TRY(list_component(ctx, &own, &names, j, whole ? 0 : block, list));
	return TLV_OK;
}

tlv_status
directions_score(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_score_sink *sink)
{
	directions_model *opened = (directions_model *) model;
	const tlv_directions *own = &opened->directions;
	const tlv_part *part = &row->part[0];
	size_t d = own->d;
	double length, *scores, *counts;

	for (size_t i = 0; part->missing != NULL && i < part->d; i++)
		if (part->missing[i]) /* the fit left it out, too */
			return TLV_OK;
	TLV_TRY(directions_row(ctx, d, part->d, part->float64, opened->row, &length));
	if (length == 0)
		return TLV_OK;
	TLV_TRY(directions_expect(ctx, &opened->worker, 1, opened->row, NULL));
	TLV_TRY(tlv_scores_next(ctx, sink, 1, &scores, &counts));
	for (size_t j = 0; j < own->k; j++)
	{
		const double *mean = own->means + j * d, *x = opened->row;
		double share = opened->worker.shares[j * DIRECTIONS_BLOCK], along = 0;
		double *to = scores + own->k + j * (d + 1);
		size_t m = largest_of(own, j);

		scores[j] = share - own->weights[j];
		counts[j] += 1;
		for (size_t i = 0; i < d; i++)
		{
			along += mean[i] * x[i];
			to[i] = own->kappas[j] * share * (x[i] - x[m] * mean[i] / mean[m]);
		}
		to[d] = share * (along - tlv_directions_length(d, own->kappas[j]));
	}
	return TLV_OK;
}

/* A mean by its length again, its largest coordinate as it was; a kappa within a factor. */
tlv_status
directions_redraw(tlv_context *ctx, const tlv_frame *model, const double *values, void **image,
				  size_t *size)
{
	tlv_directions own;
	tlv_frame copy;

	TLV_TRY(tlv_frame_copy(ctx, model, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &copy));
	tlv_directions_read(&copy, &own);
	tlv_draw_shares(own.k, values, own.weights, 1);
	values += own.k;
	for (size_t j = 0; j < own.k; j++, values += own.d + 1)
	{
		double *mean = own.means + j * own.d, kappa = own.kappas[j];
		size_t m = largest_of(&own, j);
		double others = 0, rest;

		for (size_t i = 0; i < own.d; i++)
			others += i == m ? 0 : values[i] * values[i];
		rest = others < 1 ? sqrt(1 - others) : 0;
		for (size_t i = 0; i < own.d; i++)
			mean[i] =
				i == m ? copysign(rest, mean[m]) : values[i] / (others < 1 ? 1 : sqrt(others));
		own.kappas[j] =
			fmin(fmax(values[own.d], kappa / DIRECTIONS_MOST_FACTOR),
				 fmin(kappa * DIRECTIONS_MOST_FACTOR, TLV_DIRECTIONS_MOST_KAPPA * (double) own.d));
	}
	return TLV_OK;
}
