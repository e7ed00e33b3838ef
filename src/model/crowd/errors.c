/*
 * errors.c - estimates of what workers answer, and their standard errors, which follow from the
 * model (errors.h).
 *
 * Of a confusion they are those of as many answers as were seen of that class, with those that its
 * prior stands for (crowd_prior_of).  Of the weight of a class they are those of as many items as
 * its posteriors tell: sum (q_i - w)^2 / (w (1 - w)), the scores' products over what they would be
 * of known items.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/errors.h"

/* ---- estimates ---- */

static tlv_status
list_worker(tlv_context *ctx, const tlv_crowd_parts *parts, size_t worker, tlv_estimates *list)
{
	tlv_text name = tlv_crowd_name(parts, TLV_CROWD_WORKERS, parts->workers[worker]);

	for (size_t h = 0; h < parts->k; h++)
		for (size_t l = 0; l < parts->answers_n; l++)
		{
			size_t column = worker * parts->answers_n + l;

			TLV_TRY(tlv_estimates_add(
				ctx, list,
				&(tlv_estimate){
					.part = TLV_ESTIMATE_PROBABILITY,
					.component = h + 1,
					.has_item = true,
					.item = (int64_t) column + 1,
					.name = {name, tlv_crowd_name(parts, TLV_CROWD_ANSWERS, parts->answers[l])},
					.number = {parts->workers[worker], parts->answers[l]},
					.between = ": ",
					.estimate = parts->confusions[h + parts->k * column],
					.fixed = parts->answers_n == 1}));
		}
	return TLV_OK;
}

static tlv_status
read_parts(tlv_context *ctx, const tlv_frame *model, tlv_crowd_parts *parts)
{
	tlv_crowd_read(model, parts);
	return tlv_require_memory(
		ctx, 3.0 * sizeof(tlv_estimate) * (double) parts->k * (1 + (double) parts->columns),
		"the estimates of the workers");
}

tlv_status
tlv_crowd_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_crowd_parts parts;

	TLV_TRY(read_parts(ctx, model, &parts));
	for (size_t h = 0; h < parts.k; h++)
		TLV_TRY(tlv_estimates_add(ctx, list,
								  &(tlv_estimate){.part = TLV_ESTIMATE_WEIGHT,
												  .component = h + 1,
												  .estimate = parts.weights[h],
												  .fixed = parts.k == 1}));
	for (size_t j = 0; j < parts.workers_n; j++)
		TLV_TRY(list_worker(ctx, &parts, j, list));
	return TLV_OK;
}

/* ---- standard errors ---- */

double
tlv_crowd_confusion_error(const tlv_crowd_parts *parts, size_t h, size_t column)
{
	double p = parts->confusions[h + parts->k * column];
	size_t worker = column / parts->answers_n;
	crowd_prior prior = crowd_prior_of(parts->shrink, parts->worker_answers[worker]);
	/* The worker's own model is estimated from the same answers. */
	double own = fmin(prior.own, parts->worker_answers[worker]);
	double n = parts->seen[h + parts->k * worker] + own + prior.shared;

	return sqrt(p * (1 - p) / (n + 1));
}

static tlv_status
weight_errors(tlv_context *ctx, const tlv_crowd_parts *parts, tlv_estimate *list)
{
	for (size_t h = 0; h < parts->k; h++)
	{
		double w = parts->weights[h], squares = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < parts->items_n; i++)
		{
			double apart = parts->posterior[h + parts->k * i] - w;

			TLV_TRY_CONTINUE_AT(ctx, i);
			squares += apart * apart;
		}
		if (list[h].fixed || !(w > 0 && w < 1) || !(squares > 0))
			continue;
		list[h].count = squares / (w * (1 - w));
		list[h].standard_error = sqrt(w * (1 - w) / list[h].count);
	}
	return TLV_OK;
}

tlv_status
tlv_crowd_standard_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
						  tlv_estimates *list)
{
	tlv_crowd_parts parts;
	tlv_estimate *own = list->list;

	(void) errors;
	TLV_TRY(read_parts(ctx, model, &parts));
	TLV_TRY(weight_errors(ctx, &parts, own));
	own += parts.k;
	for (size_t j = 0; j < parts.workers_n; j++)
		for (size_t h = 0; h < parts.k; h++)
			for (size_t l = 0; l < parts.answers_n; l++, own++)
			{
				TLV_TRY_CONTINUE_AT(ctx, (size_t) (own - list->list));
				if (own->fixed)
					continue;
				own->standard_error = tlv_crowd_confusion_error(&parts, h, j * parts.answers_n + l);
				own->count = parts.seen[h + parts.k * j];
			}
	return TLV_OK;
}
