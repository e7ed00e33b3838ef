/*
 * vectors.c - moments of sequences of vectors: sums over windows (sequences.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/views.h"
#include "tensorlv/num/plural.h"

static tlv_status
sequence_refuse_dimension(tlv_context *ctx, size_t d, size_t expected)
{
	tlv_fail(ctx, TLV_BAD_DATA, "a sequence of vectors of %zu %s among vectors of %zu", d,
			 tlv_plural((double) d, "number", "numbers"), expected);
	return tlv_fail_hint(ctx, "All sequences must have the same columns.");
}

static tlv_status
create_vectors(tlv_context *ctx, sequence_state *state, size_t d)
{
	const size_t all[3] = {d, d, d};

	TLV_TRY(tlv_view_sums_create(ctx, all, true, &state->sums));
	return sequence_grow_initial(ctx, state, d);
}

static bool
sequence_is_wide(size_t d)
{
	return (double) d * (double) d * (double) d > TLV_VIEW_MOST_TRIPLES;
}

static tlv_status
set_wide(tlv_context *ctx, sequence_state *state, size_t d)
{
	if (state->form == FORM_WIDE && state->wide != d)
		return sequence_refuse_dimension(ctx, d, state->wide);
	if (state->form == FORM_VECTORS)
		return sequence_refuse_dimension(ctx, d, state->sums.d[0]);
	TLV_TRY(sequence_set_form(ctx, state, FORM_WIDE));
	if (d > MOST_NUMBERS)
	{
		tlv_fail(ctx, TLV_LIMIT, "vectors of %zu numbers have more than %zu", d, MOST_NUMBERS);
		return tlv_fail_hint(
			ctx, "Reduce the dimensions first, for instance to the leading principal components.");
	}
	state->wide = d;
	return sequence_grow_initial(ctx, state, d);
}

/* Of wide vectors only how sequences begin is kept. */
static tlv_status
add_wide(tlv_context *ctx, sequence_state *state, size_t d, const double *x)
{
	TLV_TRY(set_wide(ctx, state, d));
	for (size_t i = 0; i < d; i++)
		state->initial[i] += isnan(x[i]) ? 0 : x[i];
	return TLV_OK;
}

static tlv_status
sequence_check_finite(tlv_context *ctx, size_t n, size_t d, const double *x, const bool *missing)
{
	for (size_t i = 0; i < n * d; i++)
		if (!isfinite(x[i]) && (missing == NULL || !missing[i]))
			return tlv_refuse_step(ctx, i, d, x[i]);
	return TLV_OK;
}

/* The first window says what sums are taken about: those of the first steps so far move there. */
static void
move_initial(sequence_state *state, const double *first)
{
	if (state->sums.rows > 0 || state->sums.waiting > 0)
		return;
	for (size_t i = 0; i < state->sums.d[0]; i++)
		state->initial[i] += state->sequences * (state->sums.shift[0][i] - first[i]);
}

tlv_status
sequence_add_vectors(tlv_context *ctx, sequence_state *state, size_t n, size_t d, const double *x,
					 const bool *missing)
{
	TLV_TRY(sequence_check_finite(ctx, n, d, x, missing));
	if (sequence_is_wide(d))
		return add_wide(ctx, state, d, x);
	if (state->form == FORM_WIDE)
		return sequence_refuse_dimension(ctx, d, state->wide);
	TLV_TRY(sequence_set_form(ctx, state, FORM_VECTORS));
	if (state->sums.d[0] == 0)
		TLV_TRY(create_vectors(ctx, state, d));
	if (state->sums.d[0] != d)
		return sequence_refuse_dimension(ctx, d, state->sums.d[0]);
	for (size_t i = 0; i + 2 < n; i++)
	{
		const double *views[3] = {x + i * d, x + (i + 1) * d, x + (i + 2) * d};

		if (i % 1024 == 1023)
			TLV_TRY_CONTINUE(ctx);
		if (missing != NULL && memchr(missing + i * d, 1, 3 * d) != NULL)
			continue;
		move_initial(state, views[0]);
		TLV_TRY(tlv_view_sums_add(ctx, &state->sums, views));
	}
	for (size_t i = 0; i < d; i++) /* a number that is missing is taken for the reference */
		state->initial[i] += isnan(x[i]) ? 0 : x[i] - state->sums.shift[0][i];
	return TLV_OK;
}

/* ---- merging ---- */

tlv_status
sequence_merge_vectors(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	const double *initial = tlv_frame_float64(frame, "initial");
	const double *shift = tlv_frame_float64(frame, "shift1");
	double sequences = tlv_frame_scalar(frame, "sequences", 0);
	double *before;
	tlv_view_sums other;
	size_t d;

	TLV_TRY(sequence_set_form(ctx, state, FORM_VECTORS));
	TLV_TRY(tlv_view_sums_read(ctx, frame, false, &other));
	d = other.d[0];
	if (state->sums.d[0] == 0)
	{
		TLV_TRY(create_vectors(ctx, state, d));
		memcpy(state->sums.shift[0], shift, d * sizeof(double));
	}
	if (state->sums.d[0] != d)
		return sequence_refuse_dimension(ctx, d, state->sums.d[0]);
	TLV_TRY_NEW(ctx, before, d);
	memcpy(before, state->sums.shift[0], d * sizeof(double));
	tlv_view_sums_merge(&state->sums, &other);
	for (size_t i = 0; i < d; i++)
		state->initial[i] += state->sequences * (before[i] - state->sums.shift[0][i]) + initial[i] +
							 sequences * (shift[i] - state->sums.shift[0][i]);
	tlv_free(ctx, before);
	tlv_view_sums_free(ctx, &other);
	return TLV_OK;
}

tlv_status
sequence_merge_wide(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;
	const double *initial = tlv_frame_float64(frame, "initial");
	size_t d = tlv_frame_find(frame, "initial")->rows;

	TLV_TRY(set_wide(ctx, state, d));
	for (size_t i = 0; i < d; i++)
		state->initial[i] += initial[i];
	return TLV_OK;
}

tlv_status
sequence_flush_vectors(tlv_context *ctx, tlv_accumulator *accumulator)
{
	return tlv_view_sums_flush(ctx, &((sequence_state *) accumulator)->sums);
}

/* ---- the stored form ---- */

static tlv_status
check_initial(tlv_context *ctx, const sequence_state *state, size_t d)
{
	for (size_t i = 0; i < d; i++)
		if (!isfinite(state->initial[i]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too large for third moments");
			return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
		}
	return TLV_OK;
}

tlv_status
sequence_describe_vectors(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sequence_state *state = (sequence_state *) accumulator;

	(void) owned;
	memcpy(state->declared.sizes, state->sums.d, sizeof(state->sums.d));
	TLV_TRY(check_initial(ctx, state, state->sums.d[0]));
	return tlv_view_sums_require_finite(ctx, &state->sums);
}

tlv_status
sequence_describe_wide(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sequence_state *state = (sequence_state *) accumulator;

	(void) owned;
	state->declared.sizes[SIZE_ITEMS] = state->wide;
	return check_initial(ctx, state, state->wide);
}

tlv_status
sequence_check_wide(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	(void) frame;
	if (!sequence_is_wide(sizes[SIZE_ITEMS]))
		return tlv_fail(ctx, TLV_CORRUPT, "the sequences' windows are missing");
	return TLV_OK;
}

tlv_status
sequence_check_vectors(tlv_context *ctx, const tlv_frame *frame, const size_t *d)
{
	(void) frame;
	if (d[0] != d[1] || d[0] != d[2])
		return tlv_fail(ctx, TLV_CORRUPT, "the windows' vectors differ in length");
	return tlv_view_sums_check(ctx, d);
}
