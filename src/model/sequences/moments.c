/*
 * moments.c - windows of three steps of sequences, and how sequences
 * begin (sequences.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/sequences.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/views.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_sums.h"

/* Steps between two looks at whether to stop. */
#define STEPS_BETWEEN ((size_t) 65536)

typedef enum sequence_form
{
	FORM_UNKNOWN,
	FORM_SYMBOLS,
	FORM_VECTORS
} sequence_form;

typedef struct sequence_state
{
	tlv_accumulator base;
	sequence_form form;
	double sequences;
	double too_short;
	double steps;
	/* symbols */
	tlv_dictionary dictionary;
	tlv_triple_table table;
	double *initial; /* by position: how often first; of vectors, the sum of the first ones */
	size_t room;
	/* vectors */
	tlv_view_sums sums;
} sequence_state;

tlv_status
tlv_sequence_moments_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	sequence_state *state = tlv_alloc0(ctx, 1, sizeof(sequence_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_sequence_moments.accumulator;
	tlv_dictionary_init(&state->dictionary);
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
sequence_moments_begin(tlv_context *ctx, const tlv_statistic *constants,
					   tlv_accumulator **accumulator)
{
	return tlv_sequence_moments_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_sequence_moments = {"tlv_sequence_moments", NULL,
													  sequence_moments_begin};

static tlv_status
set_form(tlv_context *ctx, sequence_state *state, sequence_form form)
{
	if (state->form == FORM_UNKNOWN)
		state->form = form;
	if (state->form != form)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"sequences of symbols and of vectors cannot be put together");
	return TLV_OK;
}

/* Room for the first symbols of `n` positions. */
static tlv_status
grow_initial(tlv_context *ctx, sequence_state *state, size_t n)
{
	size_t room = state->room < 16 ? 16 : state->room;
	double *grown;

	if (n <= state->room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	grown = tlv_realloc(ctx, state->initial, room, sizeof(double));
	TLV_TRY_ALLOC(ctx, grown);
	memset(grown + state->room, 0, (room - state->room) * sizeof(double));
	state->initial = grown;
	state->room = room;
	return TLV_OK;
}

static tlv_status
add_symbols(tlv_context *ctx, sequence_state *state, size_t n, const int64_t *symbols)
{
	int32_t at[3] = {0, 0, 0};

	TLV_TRY(set_form(ctx, state, FORM_SYMBOLS));
	for (size_t i = 0; i < n; i++)
	{
		if (i % STEPS_BETWEEN == STEPS_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		at[0] = at[1];
		at[1] = at[2];
		TLV_TRY(tlv_category_position(ctx, &state->dictionary, symbols[i], "symbols", &at[2]));
		if (i == 0)
		{
			TLV_TRY(grow_initial(ctx, state, state->dictionary.n));
			state->initial[at[2]]++;
		}
		if (i >= 2)
			TLV_TRY(tlv_triple_add(ctx, &state->table,
								   tlv_triple_key((size_t) at[0], (size_t) at[1], (size_t) at[2]),
								   1));
	}
	return grow_initial(ctx, state, state->dictionary.n);
}

static tlv_status
refuse_dimension(tlv_context *ctx, size_t d, size_t expected)
{
	return tlv_fail(ctx, TLV_BAD_DATA, "a sequence of vectors of %zu numbers among vectors of %zu",
					d, expected);
}

static tlv_status
create_vectors(tlv_context *ctx, sequence_state *state, size_t d)
{
	const size_t all[3] = {d, d, d};

	TLV_TRY(tlv_view_sums_create(ctx, all, true, &state->sums));
	return grow_initial(ctx, state, d);
}

static tlv_status
add_vectors(tlv_context *ctx, sequence_state *state, size_t n, size_t d, const double *x)
{
	TLV_TRY(set_form(ctx, state, FORM_VECTORS));
	if (state->sums.d[0] == 0)
		TLV_TRY(create_vectors(ctx, state, d));
	if (state->sums.d[0] != d)
		return refuse_dimension(ctx, d, state->sums.d[0]);
	for (size_t i = 0; i < n * d; i++)
		if (!isfinite(x[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of step %zu is %s", i % d + 1, i / d + 1,
							isnan(x[i]) ? "NaN" : "infinite");
	for (size_t i = 0; i + 2 < n; i++)
	{
		const double *views[3] = {x + i * d, x + (i + 1) * d, x + (i + 2) * d};

		if (i % 1024 == 1023)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_view_sums_add(ctx, &state->sums, views));
	}
	for (size_t i = 0; i < d; i++)
		state->initial[i] += x[i] - state->sums.shift[0][i];
	return TLV_OK;
}

static tlv_status
sequence_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sequence_state *state = (sequence_state *) accumulator;
	const tlv_part *part = &row->part[0];
	size_t n = part->n;

	if (n < TLV_WINDOW)
	{
		state->too_short++;
		return TLV_OK;
	}
	TLV_TRY(row->form == TLV_ROW_SYMBOLS ? add_symbols(ctx, state, n, part->ids)
										 : add_vectors(ctx, state, n, part->d, part->float64));
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
}

/* ---- merging ---- */

static tlv_status
merge_symbols(tlv_context *ctx, sequence_state *state, const tlv_frame *frame)
{
	size_t m = tlv_frame_find(frame, "items")->rows, n = tlv_frame_find(frame, "cells")->rows;
	const int64_t *items = tlv_frame_int64(frame, "items");
	const int64_t *cells = tlv_frame_int64(frame, "cells");
	const double *counts = tlv_frame_float64(frame, "counts");
	const double *initial = tlv_frame_float64(frame, "initial");
	int32_t *at = tlv_alloc(ctx, m, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, at);
	TLV_TRY(set_form(ctx, state, FORM_SYMBOLS));
	TLV_TRY(tlv_category_positions(ctx, &state->dictionary, m, items, "symbols", at));
	TLV_TRY(grow_initial(ctx, state, state->dictionary.n));
	for (size_t i = 0; i < m; i++)
		state->initial[at[i]] += initial[i];
	for (size_t i = 0; i < n; i++)
	{
		size_t part[3];

		if (i % TRIPLES_BETWEEN == TRIPLES_BETWEEN - 1)
			TLV_TRY_CONTINUE(ctx);
		for (int t = 0; t < 3; t++)
			part[t] = (size_t) at[tlv_triple_part(cells[i], t)];
		TLV_TRY(tlv_triple_add(ctx, &state->table, tlv_triple_key(part[0], part[1], part[2]),
							   counts[i]));
	}
	tlv_free(ctx, at);
	return TLV_OK;
}

static tlv_status
merge_vectors(tlv_context *ctx, sequence_state *state, const tlv_frame *frame)
{
	const double *initial = tlv_frame_float64(frame, "initial");
	const double *shift = tlv_frame_float64(frame, "shift1");
	double sequences = tlv_frame_scalar(frame, "sequences", 0);
	double *before;
	tlv_view_sums other;
	size_t d;

	TLV_TRY(set_form(ctx, state, FORM_VECTORS));
	TLV_TRY(tlv_view_sums_read(ctx, frame, false, &other));
	d = other.d[0];
	if (state->sums.d[0] == 0)
	{
		TLV_TRY(create_vectors(ctx, state, d));
		memcpy(state->sums.shift[0], shift, d * sizeof(double));
	}
	if (state->sums.d[0] != d)
		return refuse_dimension(ctx, d, state->sums.d[0]);
	TLV_TRY(tlv_view_sums_flush(ctx, &state->sums));
	before = tlv_alloc(ctx, d, sizeof(double));
	TLV_TRY_ALLOC(ctx, before);
	memcpy(before, state->sums.shift[0], d * sizeof(double));
	tlv_view_sums_merge(&state->sums, &other);
	for (size_t i = 0; i < d; i++)
		state->initial[i] += state->sequences * (before[i] - state->sums.shift[0][i]) + initial[i] +
							 sequences * (shift[i] - state->sums.shift[0][i]);
	tlv_free(ctx, before);
	tlv_view_sums_free(ctx, &other);
	return TLV_OK;
}

static tlv_status
sequence_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sequence_state *state = (sequence_state *) accumulator;

	if (tlv_frame_find(frame, "items") != NULL)
		TLV_TRY(merge_symbols(ctx, state, frame));
	else if (tlv_frame_find(frame, "sum1") != NULL)
		TLV_TRY(merge_vectors(ctx, state, frame));
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->sequences += tlv_frame_scalar(frame, "sequences", 0);
	state->too_short += tlv_frame_scalar(frame, "short", 0);
	state->steps += tlv_frame_scalar(frame, "steps", 0);
	return TLV_OK;
}

/* ---- the stored form ---- */

static tlv_status
build_symbols(tlv_context *ctx, sequence_state *state, tlv_frame_builder *builder)
{
	size_t n = state->table.n, m = state->dictionary.n;
	int64_t *block = tlv_alloc(ctx, 2 * n + 3 * m, sizeof(int64_t)), *items;
	double *initial;
	int32_t *rank, *ranks[3];

	TLV_TRY_ALLOC(ctx, block);
	items = block + 2 * n;
	initial = (double *) (items + m);
	rank = (int32_t *) (initial + m);
	ranks[0] = ranks[1] = ranks[2] = rank;
	TLV_TRY(tlv_dictionary_order(ctx, &state->dictionary, items, rank));
	TLV_TRY(tlv_triple_list(ctx, &state->table, ranks, block, (double *) (block + n)));
	for (size_t i = 0; i < m; i++)
		initial[rank[i]] = state->initial[i];
	builder->owned = block;
	tlv_frame_add(builder, "items", TLV_INT64, m, 1, items);
	tlv_frame_add(builder, "initial", TLV_FLOAT64, m, 1, initial);
	tlv_frame_add(builder, "cells", TLV_INT64, n, 1, block);
	tlv_frame_add(builder, "counts", TLV_FLOAT64, n, 1, block + n);
	return TLV_OK;
}

static tlv_status
sequence_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	sequence_state *state = (sequence_state *) accumulator;

	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_SEQUENCE_MOMENTS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "sequences", state->sequences);
	tlv_frame_add_scalar(builder, "short", state->too_short);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "steps", state->steps);
	if (state->form == FORM_SYMBOLS)
		return build_symbols(ctx, state, builder);
	if (state->form == FORM_UNKNOWN)
		return TLV_OK;
	TLV_TRY(tlv_view_sums_flush(ctx, &state->sums));
	for (size_t i = 0; i < state->sums.d[0]; i++)
		if (!isfinite(state->initial[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too large for third moments");
	tlv_frame_add(builder, "initial", TLV_FLOAT64, state->sums.d[0], 1, state->initial);
	return tlv_view_sums_build(ctx, &state->sums, builder);
}

static tlv_status
check_symbols(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *items = tlv_frame_find(frame, "items");
	uint64_t m = items->rows, d[3] = {m, m, m}, n;

	if (m > TRIPLE_MOST)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" is too long");
	TLV_TRY(tlv_frame_require(ctx, frame, "items", TLV_INT64, m, 1, NULL));
	TLV_TRY(tlv_frame_require_ascending(ctx, frame, "items"));
	TLV_TRY(tlv_frame_require(ctx, frame, "initial", TLV_FLOAT64, m, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "initial", 0));
	return tlv_triple_check(ctx, frame, d, &n);
}

static tlv_status
sequence_check(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const scalars[] = {"sequences", "short", "nulls", "steps"};
	uint64_t d[3];

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		TLV_TRY(tlv_frame_require_whole(ctx, frame, scalars[i]));
	if (tlv_frame_find(frame, "items") != NULL)
		return check_symbols(ctx, frame);
	if (tlv_frame_find(frame, "sum1") == NULL)
	{
		if (tlv_frame_scalar(frame, "sequences", 0) > 0)
			return tlv_fail(ctx, TLV_CORRUPT, "the sequences' windows are missing");
		return TLV_OK;
	}
	TLV_TRY(tlv_view_sums_check(ctx, frame, d));
	if (d[0] != d[1] || d[0] != d[2])
		return tlv_fail(ctx, TLV_CORRUPT, "the windows' vectors differ in length");
	return tlv_frame_require(ctx, frame, "initial", TLV_FLOAT64, d[0], 1, NULL);
}

static const tlv_accumulator_class sequence_class = {
	.name = "sequence_moments",
	.create = tlv_sequence_moments_create,
	.merge = sequence_merge,
	.build = sequence_build,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS,
	.add = sequence_add,
};
const tlv_kind tlv_kind_sequence_moments = {TLV_KIND_LINE(SEQUENCE_MOMENTS, sequence_moments),
											.check = sequence_check,
											.accumulator = &sequence_class};
