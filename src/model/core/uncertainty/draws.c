/*
 * draws.c - models that the rows might as well have given, and what these say of a row on average
 * (errors.h).
 *
 * The posteriors of an estimated model are those of a model that is known: rows near a border are
 * given to one side with more certainty than the border has.  Averaging over draws of the
 * estimates takes that back.  Draws come in pairs to either side of the estimates, whose mean is
 * the estimates' own.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tuning.h"
#include "tensorlv/num/numbers.h"

tlv_status
tlv_frame_copy(tlv_context *ctx, const tlv_frame *model, void **image, size_t *size)
{
	double *copy; /* aligned as frames are */

	*size = model->header->size;
	TLV_TRY_NEW(ctx, copy, *size / sizeof(double) + 1);
	memcpy(copy, model->header, *size);
	*image = copy;
	return TLV_OK;
}

void
tlv_draw_shares(size_t n, const double *values, double *shares, size_t stride)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		if (shares[i * stride] > 0)
			sum += shares[i * stride] = fmax(values[i], TLV_LEAST_PROBABILITY);
	for (size_t i = 0; i < n; i++)
		shares[i * stride] /= sum;
}

/* ---- values ---- */

/* What a model keeps: standard errors, counts and draws. */
typedef struct kept_errors
{
	size_t n;
	const double *errors, *counts, *draws; /* draws NULL: there are none */
} kept_errors;

static tlv_status
find_kept(tlv_context *ctx, const tlv_frame *model, const char *what, kept_errors *kept)
{
	const tlv_section *section = tlv_frame_find(model, tlv_errors_section);
	bool any = false;

	*kept = (kept_errors){.n = section == NULL ? 0 : section->rows};
	if (section != NULL)
	{
		kept->errors = tlv_section_data(model, section);
		kept->counts = kept->errors + kept->n;
		kept->draws = section->columns > 2 ? kept->counts + kept->n : NULL;
	}
	for (size_t i = 0; i < kept->n && !any; i++)
		any = kept->errors[i] >= 0;
	if (any)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s: the model has no standard errors", what);
	return tlv_fail_hint(
		ctx, "Learn it from enough rows with errors => true, or give it errors by tlv_jackknife.");
}

/* How far estimate i is away in the draw, as tlv_estimates says. */
static double
apart_in_draw(const kept_errors *kept, const tlv_estimate *estimate, size_t i, size_t draw,
			  tlv_rng *rng)
{
	double sign = draw < TLV_DRAWS ? 1 : -1, error = kept->errors[i];

	if (kept->draws != NULL)
		return sign * kept->draws[(draw % TLV_DRAWS) * kept->n + i];
	if (estimate->group != 0 && estimate->estimate > 0)
		error /= estimate->estimate;
	return sign * error * tlv_rng_normal(rng);
}

static double
value_in_draw(const kept_errors *kept, const tlv_estimate *estimate, size_t i, size_t draw,
			  tlv_rng *rng)
{
	double own = estimate->estimate, count = kept->counts[i], apart;

	if (estimate->fixed)
		return own;
	if (!(kept->errors[i] >= 0)) /* of a category that was hardly seen */
		return estimate->group != 0 && count > 0 ? tlv_rng_gamma(rng, own * count + 0.5) / count
												 : own;
	apart = apart_in_draw(kept, estimate, i, draw, rng);
	if (estimate->group == 0)
		return own + apart;
	return own * exp(fmin(fmax(apart, -TLV_MOST_LOGARITHM), TLV_MOST_LOGARITHM));
}

/* ---- models ---- */

uint64_t
tlv_draws_seed(const tlv_frame *model, size_t n)
{
	return (uint64_t) model->header->kind << 32 | n;
}

/* The rest of a pair has the same random numbers. */
static void
seed_draw(const tlv_frame *model, size_t n, size_t draw, tlv_rng *rng)
{
	tlv_rng_stream(rng, tlv_draws_seed(model, n), draw % TLV_DRAWS + 1);
}

static tlv_status
open_draw(tlv_context *ctx, const tlv_frame *model, const kept_errors *kept,
		  const tlv_estimates *list, size_t draw, tlv_model **opened)
{
	tlv_frame frame;
	double *values;
	tlv_rng rng;
	void *image;
	size_t size;

	seed_draw(model, list->n, draw, &rng);
	TLV_TRY_NEW(ctx, values, list->n);
	for (size_t i = 0; i < list->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		values[i] = value_in_draw(kept, list->list + i, i, draw, &rng);
	}
	TLV_TRY(model->kind->model->redraw(ctx, model, values, &image, &size));
	tlv_free(ctx, values);
	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	return tlv_model_open(ctx, &frame, opened);
}

tlv_status
tlv_drawn_open(tlv_context *ctx, const tlv_frame *model, const char *what, tlv_drawn **drawn)
{
	const tlv_model_class *class = model->kind->model;
	tlv_estimates list = {0};
	kept_errors kept;

	if (class->redraw == NULL)
		return tlv_kind_undefined(ctx, model, what);
	if (class->certain != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%s is not offered for a model of kind %s", what,
				 model->kind->name);
		return tlv_fail_hint(ctx, "%s", class->certain);
	}
	TLV_TRY(find_kept(ctx, model, what, &kept));
	TLV_TRY(class->estimates(ctx, model, &list));
	TLV_TRY_NEW0(ctx, *drawn, 1);
	for (size_t draw = 0; draw < 2 * (size_t) TLV_DRAWS; draw++)
		TLV_TRY(open_draw(ctx, model, &kept, &list, draw, &(*drawn)->models[draw]));
	tlv_estimates_free(ctx, &list);
	return TLV_OK;
}

tlv_status
tlv_drawn_infer(tlv_context *ctx, tlv_drawn *drawn, const tlv_row *row, tlv_posterior *posterior)
{
	const double share = 1.0 / (2 * TLV_DRAWS);

	TLV_TRY(tlv_model_infer(ctx, drawn->models[0], row, posterior));
	for (size_t i = 0; i < posterior->total; i++)
		posterior->values[i] *= share;
	for (size_t draw = 1; draw < 2 * (size_t) TLV_DRAWS; draw++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_model_infer(ctx, drawn->models[draw], row, &drawn->one));
		for (size_t i = 0; i < posterior->total; i++)
			posterior->values[i] += share * drawn->one.values[i];
	}
	return TLV_OK;
}
