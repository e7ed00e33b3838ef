/*
 * sandwich.c - how scores change with the parameters, for errors that hold where rows are not the
 * model's.
 *
 * Of rows that the model is wrong about, the variance of a row's score K is not its mean curvature
 * H, and the covariance of the estimates is H^-1 K H^-1 / n (Huber 1967, White 1982).  Column i of
 * H is half the difference of the rows' scores at models whose parameter i is a step larger and a
 * step smaller, over the step: such models are opened once, and every row is scored by all of them.
 */
#include <math.h>
#include <string.h>

#include "scores_internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

/* Steps, in deviations of what the parameter is of. */
#define STEP 1e-3

typedef struct probe
{
	size_t block, place; /* the parameter's block, and its place in it */
	double step;
	tlv_model *models[2]; /* below and above */
} probe;

struct tlv_probes
{
	size_t n;
	probe *list;
	scores_state side; /* scores of one row under one of them */
};

/* ---- opening ---- */

/* Of the variance of that component, or of all, in that dimension, or in all; 1 without. */
static double
deviation_of(const tlv_estimates *list, size_t component, int64_t dimension)
{
	for (size_t i = 0; i < list->n; i++)
	{
		const tlv_estimate *own = list->list + i;

		if (own->part == TLV_ESTIMATE_VARIANCE &&
			(own->component == component || own->component == 0) &&
			(!own->has_item || own->item == dimension))
			return sqrt(own->estimate);
	}
	return 1;
}

static double
step_of(const tlv_estimates *list, const tlv_estimate *own)
{
	switch (own->part)
	{
		case TLV_ESTIMATE_MEAN:
			return STEP * deviation_of(list, own->component, own->item);
		case TLV_ESTIMATE_COVARIANCE:
			return STEP * deviation_of(list, own->component, own->number[0]) *
				   deviation_of(list, own->component, own->number[1]);
		case TLV_ESTIMATE_VARIANCE:
		case TLV_ESTIMATE_HIDDEN:
			return STEP * own->estimate;
		default:
			return STEP; /* of the logarithm of a probability */
	}
}

static tlv_status
open_probe(tlv_context *ctx, const tlv_model *model, const tlv_estimates *list, size_t i,
		   probe *own)
{
	double *values;

	own->step = step_of(list, list->list + i);
	for (int side = 0; side < 2; side++)
	{
		double apart = side == 0 ? -own->step : own->step;
		tlv_frame frame;
		void *image;
		size_t size;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY_NEW(ctx, values, list->n);
		for (size_t e = 0; e < list->n; e++)
			values[e] = list->list[e].estimate;
		if (list->list[i].group != 0)
			values[i] *= exp(apart);
		else
			values[i] += apart;
		TLV_TRY(model->class->redraw(ctx, &model->frame, values, &image, &size));
		TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
		TLV_TRY(tlv_model_open(ctx, &frame, &own->models[side]));
		tlv_free(ctx, values);
	}
	return TLV_OK;
}

tlv_status
tlv_probes_open(tlv_context *ctx, scores_state *state, const tlv_estimates *list)
{
	tlv_probes *probes;
	size_t first = 0;

	if (list->n > SANDWICH_MOST)
	{
		tlv_fail(ctx, TLV_LIMIT, "sandwich errors of %zu parameters are too many: the limit is %d",
				 list->n, SANDWICH_MOST);
		return tlv_fail_hint(ctx, "tlv_jackknife has no such limit.");
	}
	if (state->model->class->redraw == NULL)
		return tlv_refuse_sandwich(ctx, state->model->frame.kind->name);
	TLV_TRY_NEW0(ctx, probes, 1);
	TLV_TRY_NEW0(ctx, probes->list, list->n);
	TLV_TRY_NEW0(ctx, probes->side.scores, 2 * list->n);
	probes->side.counts = probes->side.scores + list->n;
	probes->side.declared.sizes[SIZE_PARAMETERS] = list->n;
	for (size_t i = 0; i < list->n; i++)
	{
		probe *own = probes->list + probes->n;

		first = i > 0 && list->list[i].block == list->list[i - 1].block ? first : i;
		if (list->list[i].fixed || !(list->list[i].estimate != 0 || list->list[i].group == 0))
			continue;
		*own = (probe){.block = first, .place = i - first};
		TLV_TRY(open_probe(ctx, state->model, list, i, own));
		probes->n++;
	}
	state->probes = probes;
	return TLV_OK;
}

/* ---- rows ---- */

/* Where the block that begins with that parameter has its curvature, and how many it has. */
static double *
block_curvature(const scores_state *state, size_t first, size_t *n)
{
	double *at = state->curvature;
	size_t before = 0;

	for (size_t b = 0;; b++)
	{
		*n = (size_t) state->blocks[b];
		if (before == first)
			return at;
		before += *n;
		at += *n * *n;
	}
}

tlv_status
tlv_probes_add(tlv_context *ctx, scores_state *state, const tlv_row *row)
{
	tlv_probes *probes = state->probes;
	scores_state *side = &probes->side;

	for (size_t q = 0; q < probes->n; q++)
	{
		const probe *own = probes->list + q;
		size_t n;
		double *column = block_curvature(state, own->block, &n);

		column += own->place * n;
		for (int above = 0; above < 2; above++)
		{
			double factor = (above ? 0.5 : -0.5) / own->step;

			TLV_TRY_CONTINUE(ctx);
			memset(side->scores, 0, side->declared.sizes[SIZE_PARAMETERS] * sizeof(double));
			TLV_TRY(own->models[above]->class->score(ctx, own->models[above], row, side));
			TLV_TRY(tlv_scores_flush(ctx, &side->declared.base));
			for (size_t i = 0; i < n; i++)
				column[i] += factor * side->scores[own->block + i];
		}
	}
	return TLV_OK;
}
