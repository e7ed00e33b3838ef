/*
 * source_memory.c - passes over rows in memory (source.h).
 */
#include "tensorlv/model/source.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

typedef struct memory_value
{
	tlv_value base; /* first */
	tlv_context *ctx;
	void *image;
} memory_value;

static void
memory_value_release(tlv_value *value)
{
	memory_value *own = (memory_value *) value;

	tlv_free(own->ctx, own->image);
	tlv_free(own->ctx, own);
}

tlv_status
tlv_value_of_image(tlv_context *ctx, void *image, size_t size, tlv_value **value)
{
	memory_value *own;

	TLV_TRY_NEW0(ctx, own, 1);
	own->ctx = ctx;
	own->base.release = memory_value_release;
	own->image = image;
	*value = &own->base;
	return tlv_frame_open(ctx, image, size, &own->base.frame);
}

/* Rows of piece p of n: p, p + n, p + 2 n and so on. */
static tlv_status
add_list(tlv_context *ctx, const tlv_memory_source *rows, size_t piece, size_t pieces,
		 tlv_accumulator *accumulator)
{
	for (size_t t = piece; t < rows->n; t += pieces)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, t / pieces);
		TLV_TRY(tlv_add(ctx, accumulator, &rows->list[t]));
	}
	return TLV_OK;
}

/* Row t, shifted back to where it came from, or as codes, in x or codes. */
static tlv_row
row_in(const tlv_memory_source *rows, size_t t, double *x, int32_t *codes)
{
	const double *from = rows->x + t * rows->d;

	for (size_t i = 0; i < rows->d; i++)
		if (rows->form == TLV_ROW_CODES)
			codes[i] = (int32_t) from[i];
		else
			x[i] = from[i] + (rows->center != NULL ? rows->center[i] : 0);
	return rows->form == TLV_ROW_CODES ? *TLV_AS_CODES(rows->d, codes) : *TLV_AS_VECTOR(rows->d, x);
}

/* Each once with its weight, or as many copies of it as the accumulator needs instead. */
static tlv_status
memory_add_rows(tlv_context *ctx, const tlv_memory_source *rows, tlv_accumulator *accumulator)
{
	tlv_weighting weighting =
		rows->weights != NULL ? accumulator->class->weighting : TLV_WEIGHTING_NONE;
	int32_t *codes;
	double *x;

	TLV_TRY_NEW(ctx, x, rows->d);
	TLV_TRY_NEW(ctx, codes, rows->d);
	for (size_t t = 0; t < rows->n; t++)
	{
		bool copied = rows->weights != NULL && weighting == TLV_WEIGHTING_NONE;
		tlv_row row = row_in(rows, t, x, codes);

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		if (weighting != TLV_WEIGHTING_NONE)
			row.weight =
				rows->weights[t] * (weighting == TLV_WEIGHTING_EFFECTIVE ? rows->factor : 1);
		for (uint32_t c = copied ? rows->copies[t] : 1; c > 0; c--)
			TLV_TRY(tlv_add(ctx, accumulator, &row));
	}
	return TLV_OK;
}

/* The value of a statistic; what it takes on the way is in a scratch. */
static tlv_status
collect(tlv_context *ctx, const tlv_memory_source *rows, size_t piece, size_t pieces,
		const tlv_statistic *statistic, void **image, size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));
	tlv_accumulator *accumulator;

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY(tlv_statistic_create(ctx, statistic, &accumulator));
	TLV_TRY(rows->list != NULL ? add_list(ctx, rows, piece, pieces, accumulator)
							   : memory_add_rows(ctx, rows, accumulator));
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_scratch_keep(ctx, *image);
	return TLV_OK;
}

static tlv_status
memory_value_create(tlv_context *ctx, const tlv_memory_source *rows, size_t piece, size_t pieces,
					const tlv_statistic *statistic, tlv_value **value)
{
	tlv_scratch scratch;
	tlv_status status;
	size_t size;
	void *image;

	tlv_scratch_begin(ctx, &scratch);
	status = collect(ctx, rows, piece, pieces, statistic, &image, &size);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	return tlv_value_of_image(ctx, image, size, value);
}

static tlv_status
memory_pass(tlv_context *ctx, tlv_source *source, const tlv_pass *pass, tlv_value **values)
{
	const tlv_memory_source *rows = (const tlv_memory_source *) source;
	size_t pieces = pass->pieces > 1 ? pass->pieces : 1, n = pieces * pass->n;
	tlv_status status = TLV_OK;

	tlv_assert(pass->folds == 0 && pass->damp == 0 && pass->scale == 0 && !pass->complete);
	tlv_assert(pieces == 1 || (pass->n == 1 && rows->list != NULL));
	for (size_t i = 0; i < n && status == TLV_OK; i++)
		status = memory_value_create(ctx, rows, i / pass->n, pieces, &pass->statistics[i % pass->n],
									 &values[i]);
	for (size_t i = 0; i < n && status != TLV_OK; i++)
	{
		tlv_value_drop(values[i]);
		values[i] = NULL;
	}
	return status;
}

void
tlv_source_of_list(tlv_memory_source *source, size_t n, const tlv_row *rows)
{
	*source = (tlv_memory_source){.source.pass = memory_pass, .n = n, .list = rows};
}

tlv_status
tlv_source_hold_vectors(tlv_context *ctx, tlv_source *source, size_t n, size_t d, const double *x,
						const double *center)
{
	tlv_memory_source *held;

	if (source->held != NULL) /* with weights, or by an earlier call */
		return TLV_OK;
	TLV_TRY_NEW0(ctx, held, 1);
	*held = (tlv_memory_source){.source.pass = memory_pass,
								.n = n,
								.d = d,
								.form = TLV_ROW_VECTOR,
								.x = x,
								.center = center};
	source->held = &held->source;
	return TLV_OK;
}

/* ---- weights ---- */

/* Where systematic sampling begins: irrational, so that weights in simple proportions do not meet
 * the border between two copies but for rounding. */
#define FIRST_COPY 0.70710678118654752

/* Whole rows in the proportions of the weights, as many as `total` together: systematic sampling.
 */
static tlv_status
draw_copies(tlv_context *ctx, const tlv_memory_source *held, double total, uint32_t **copies)
{
	double sum = 0, drawn = 0;

	TLV_TRY_NEW(ctx, *copies, held->n);
	for (size_t t = 0; t < held->n; t++)
	{
		double to = floor((sum += held->weights[t] * held->factor) + FIRST_COPY);

		to = t + 1 == held->n ? total : fmin(to, total);
		(*copies)[t] = (uint32_t) (to - drawn);
		drawn = to;
	}
	return TLV_OK;
}

tlv_status
tlv_source_hold_weighted(tlv_context *ctx, tlv_source *source, tlv_row_form form, size_t n,
						 size_t d, const double *x, double *weights)
{
	/* Numbers of rows are integers up to this one; and a weight is never 0, which says 1. */
	const double most_rows = 9007199254740992.0, least_weight = 1e-200;
	double largest = 0, sum = 0, squares = 0, effective;
	bool counts;
	tlv_memory_source *held;
	uint32_t *copies;

	for (size_t t = 0; t < n; t++)
		largest = fmax(largest, weights[t]);
	for (size_t t = 0; t < n; t++) /* their squares do not overflow then */
	{
		sum += weights[t] / largest;
		squares += weights[t] / largest * (weights[t] / largest);
	}
	effective = fmax(round(sum * sum / squares), 1);
	counts = sum * largest >= effective && sum * largest <= most_rows; /* else proportions, say */
	for (size_t t = 0; t < n; t++)
		weights[t] =
			fmax(counts ? weights[t] : weights[t] / largest / sum * effective, least_weight);
	sum = counts ? sum * largest : effective;
	TLV_TRY_NEW0(ctx, held, 1);
	*held = (tlv_memory_source){.source.pass = memory_pass,
								.n = n,
								.d = d,
								.form = form,
								.x = x,
								.weights = weights,
								.factor = effective / sum};
	TLV_TRY(draw_copies(ctx, held, effective, &copies));
	held->copies = copies;
	source->held = &held->source;
	source->rows.effective = effective;
	return TLV_OK;
}

tlv_status
tlv_source_require_iterations(tlv_context *ctx, const tlv_source *source, bool refine,
							  int iterations)
{
	if (source->rows.effective == 0 || (refine && iterations != 0))
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "weights have no effect without iterations");
	return tlv_fail_hint(ctx, "%s", refine ? "Omit iterations." : "Use refine => 'auto'.");
}
