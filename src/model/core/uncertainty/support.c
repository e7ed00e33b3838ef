/*
 * support.c - tests which components are real: those that recur in fits to parts of the rows
 * (support.h).
 */
#include "tensorlv/model/support.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"

/* Numbers that are added up between two looks at tlv_should_stop(). */
#define NUMBERS_BETWEEN ((size_t) 1 << 16)

typedef struct support
{
	const void *fit; /* the options of the procedure */
	const tlv_support_class *class;
	tlv_frame model;
	size_t k;
	size_t n;
	tlv_row *rows; /* of the sample */
	bool complete; /* it is all rows */
	double *sizes; /* k: sums of posteriors over the rows */
	double *apart; /* k: mean distance to the partners */
	bool known;
} support;

/* ---- two models on the same rows ---- */

/* Sums of the smaller of two posteriors of a row, and of either. */
typedef struct overlap_sums
{
	size_t ka, kb;
	double *common, *a, *b; /* ka x kb, ka, kb; one block */
} overlap_sums;

static tlv_status
overlap_create(tlv_context *ctx, size_t ka, size_t kb, overlap_sums *overlap)
{
	*overlap = (overlap_sums){.ka = ka, .kb = kb};
	TLV_TRY_NEW0(ctx, overlap->common, ka * kb + ka + kb);
	overlap->a = overlap->common + ka * kb;
	overlap->b = overlap->a + ka;
	return TLV_OK;
}

static void
overlap_add(overlap_sums *overlap, const double *a, const double *b)
{
	for (size_t i = 0; i < overlap->ka; i++)
		for (size_t j = 0; j < overlap->kb; j++)
			overlap->common[i * overlap->kb + j] += fmin(a[i], b[j]);
	for (size_t i = 0; i < overlap->ka; i++)
		overlap->a[i] += a[i];
	for (size_t j = 0; j < overlap->kb; j++)
		overlap->b[j] += b[j];
}

/* Adds to apart (ka) the distances to the partners, over TLV_SUPPORT_PARTS; 1 without one. */
static tlv_status
overlap_distances(tlv_context *ctx, const overlap_sums *sums, double *apart)
{
	int64_t *partner;
	double *cost, *own;

	TLV_TRY_NEW_ROWS(ctx, cost, sums->ka, sums->kb);
	TLV_TRY_NEW(ctx, own, sums->ka);
	TLV_TRY_NEW(ctx, partner, sums->ka);
	for (size_t i = 0; i < sums->ka; i++)
		for (size_t j = 0; j < sums->kb; j++)
		{
			double both = sums->a[i] + sums->b[j];

			cost[i * sums->kb + j] = both > 0 ? 1 - 2 * sums->common[i * sums->kb + j] / both : 1;
		}
	TLV_TRY(tlv_assign_components(ctx, sums->ka, sums->kb, cost, 1, partner, own));
	for (size_t i = 0; i < sums->ka; i++)
		apart[i] += (partner[i] >= 0 ? own[i] : 1) / TLV_SUPPORT_PARTS;
	tlv_free(ctx, partner);
	tlv_free(ctx, own);
	tlv_free(ctx, cost);
	return TLV_OK;
}

static tlv_status
add_row(tlv_context *ctx, tlv_model *a, tlv_model *b, const tlv_row *row,
		tlv_posterior posterior[2], overlap_sums *sums)
{
	TLV_TRY(tlv_model_infer(ctx, a, row, &posterior[0]));
	TLV_TRY(tlv_model_infer(ctx, b, row, &posterior[1]));
	for (size_t t = 0; t < posterior[0].n; t++)
	{
		if (t % (NUMBERS_BETWEEN / (sums->ka * sums->kb) + 1) == 0)
			TLV_TRY_CONTINUE(ctx);
		overlap_add(sums, posterior[0].values + t * sums->ka, posterior[1].values + t * sums->kb);
	}
	return TLV_OK;
}

static tlv_status
compare_models(tlv_context *ctx, const support *state, const tlv_frame *other, overlap_sums *sums)
{
	tlv_posterior posterior[2] = {0};
	tlv_model *a, *b;

	TLV_TRY(tlv_model_open(ctx, &state->model, &a));
	TLV_TRY(tlv_model_open(ctx, other, &b));
	TLV_TRY(overlap_create(ctx, state->k, tlv_model_components(other), sums));
	for (size_t i = 0; i < state->n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(add_row(ctx, a, b, &state->rows[i], posterior, sums));
	}
	return TLV_OK;
}

/* ---- parts ---- */

static tlv_status
learn_without(tlv_context *ctx, support *state, size_t part)
{
	tlv_row *rows;
	tlv_frame other;
	overlap_sums sums;
	void *image;
	size_t size, n = 0;

	TLV_TRY_NEW(ctx, rows, state->n);
	for (size_t i = 0; i < state->n; i++)
		if (i % TLV_SUPPORT_PARTS != part)
			rows[n++] = state->rows[i];
	TLV_TRY(state->class->learn(ctx, state->fit, &state->model, n, rows, part + 1, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &other));
	TLV_TRY(compare_models(ctx, state, &other, &sums));
	for (size_t i = 0; i < state->k; i++)
		state->sizes[i] = sums.a[i];
	TLV_TRY(overlap_distances(ctx, &sums, state->apart));
	tlv_free(ctx, image);
	return TLV_OK;
}

static tlv_status
learn_parts(tlv_context *ctx, support *state)
{
	state->known = state->n >= TLV_SUPPORT_PARTS * state->k;
	for (size_t part = 0; state->known && part < TLV_SUPPORT_PARTS; part++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_report(ctx, "support", (double) part, TLV_SUPPORT_PARTS);
		tlv_scratch_begin(ctx, &scratch);
		status = learn_without(ctx, state, part);
		tlv_scratch_end(ctx, &scratch);
		if (status == TLV_BAD_DATA || status == TLV_NOT_IDENTIFIABLE || status == TLV_NO_ROWS ||
			status == TLV_MEMORY_LIMIT || status == TLV_LIMIT)
			state->known = false; /* there is no telling */
		else
			TLV_TRY(status);
	}
	return TLV_OK;
}

/* ---- what was found ---- */

static bool
is_told(const support *state, size_t j)
{
	/* Rows of a component in the sample, where that is not all rows, of which something can be
	 * said. */
	const double least_rows = 20.0;

	return state->known && (state->complete || state->sizes[j] >= least_rows);
}

tlv_status
tlv_support_diagnose(tlv_context *ctx, const char *component, const char *code, const char *from,
					 size_t k, const double *apart, tlv_diagnostics *to)
{
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_diagnose(ctx, to, apart[j], "recurrence_%zu", j + 1));
	for (size_t j = 0; j < k; j++)
		if (apart[j] > TLV_SUPPORT_LIMIT)
			TLV_TRY(tlv_warn(ctx, to,
							 &(tlv_warning){.code = code,
											.component = j + 1,
											.score = apart[j],
											.hint = "Use a smaller k, or collect more rows."},
							 "%s %zu does not recur in fits to three quarters of the %s", component,
							 j + 1, from));
	return TLV_OK;
}

static tlv_status
diagnose(tlv_context *ctx, const support *state, tlv_diagnostics *to)
{
	for (size_t j = 0; j < state->k; j++)
		if (!is_told(state, j))
			state->apart[j] = NAN;
	return tlv_support_diagnose(ctx, state->class->component, state->class->code, "rows", state->k,
								state->apart, to);
}

static tlv_status
write_support(tlv_context *ctx, const support *state, void **image, size_t *size)
{
	void *without = *image;
	tlv_diagnostics all = {0};

	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &state->model, NULL));
	TLV_TRY(diagnose(ctx, state, &all));
	TLV_TRY(tlv_diagnostics_rewrite(ctx, &state->model, &all, image, size));
	tlv_diagnostics_free(ctx, &all);
	tlv_free(ctx, without);
	return TLV_OK;
}

static tlv_status
find_support(tlv_context *ctx, support *state, const tlv_frame *sample)
{
	TLV_TRY_NEW0(ctx, state->apart, 2 * state->k);
	state->sizes = state->apart + state->k;
	TLV_TRY(
		state->class->rows(ctx, &state->model, sample, &state->n, &state->rows, &state->complete));
	return learn_parts(ctx, state);
}

/* The model with its support, in place of that without. */
static tlv_status
put_support(tlv_context *ctx, support *state, const tlv_frame *sample, void **image, size_t *size)
{
	const void *without = *image;
	tlv_scratch scratch;
	tlv_status status;

	TLV_TRY(tlv_frame_open(ctx, *image, *size, &state->model));
	state->k = tlv_model_components(&state->model);
	tlv_scratch_begin(ctx, &scratch);
	status = find_support(ctx, state, sample);
	if (status == TLV_OK)
		status = write_support(ctx, state, image, size);
	if (*image != without)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

tlv_status
tlv_find_support(tlv_context *ctx, const tlv_support_class *class, const void *options,
				 tlv_source *source, tlv_held *model)
{
	support state = {.fit = options, .class = class};
	tlv_value *sample;

	tlv_source_rows(source)->passes_after = 1;
	if (tlv_model_components(&model->frame) < 2)
		return TLV_OK;
	TLV_TRY(tlv_collect_again(ctx, source, "support", 1,
							  &(tlv_statistic){.aggregate = class->sample,
											   .count = class->count(options, &model->frame),
											   .seed = 1},
							  &sample));
	TLV_TRY(put_support(ctx, &state, &sample->frame, &model->image, &model->size));
	tlv_value_drop(sample);
	return tlv_frame_open(ctx, model->image, model->size, &model->frame);
}
