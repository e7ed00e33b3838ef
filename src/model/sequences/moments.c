/*
 * moments.c - windows of three steps of sequences, and how sequences
 * begin (sequences.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/views.h"

tlv_status
tlv_sequence_moments_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_sequence_moments.accumulator, NULL, accumulator);
}

static tlv_status
sequence_moments_begin(tlv_context *ctx, const tlv_statistic *constants,
					   tlv_accumulator **accumulator)
{
	return tlv_sequence_moments_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_sequence_moments = {"tlv_sequence_moments", NULL,
													  sequence_moments_begin};

tlv_status
sequence_set_form(tlv_context *ctx, sequence_state *state, sequence_form form)
{
	if (state->form == FORM_UNKNOWN)
		state->form = form;
	if (state->form != form)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "sequences of symbols and of vectors cannot be combined");
		return tlv_fail_hint(ctx, "Collect them separately.");
	}
	return TLV_OK;
}

tlv_status
sequence_grow_initial(tlv_context *ctx, sequence_state *state, size_t n)
{
	size_t room = state->room < 16 ? 16 : state->room;
	double *grown;
	bool *apart;

	if (n <= state->room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	grown = tlv_realloc(ctx, state->initial, room, sizeof(double));
	TLV_TRY_ALLOC(ctx, grown);
	memset(grown + state->room, 0, (room - state->room) * sizeof(double));
	state->initial = grown;
	apart = tlv_realloc(ctx, state->apart, room, sizeof(bool));
	TLV_TRY_ALLOC(ctx, apart);
	memset(apart + state->room, 0, (room - state->room) * sizeof(bool));
	state->apart = apart;
	state->room = room;
	return TLV_OK;
}

/* A sequence without a window: its symbols are in the vocabulary. */
static tlv_status
sequence_add_short(tlv_context *ctx, sequence_state *state, const tlv_row *row)
{
	const tlv_part *part = &row->part[0];

	state->too_short++;
	if (row->form != TLV_ROW_SYMBOLS || part->n == 0)
		return TLV_OK;
	return sequence_note_symbols(ctx, state, part);
}

static tlv_status
sequence_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sequence_state *state = (sequence_state *) accumulator;
	const tlv_part *part = &row->part[0];
	size_t n = part->n;

	if (row->form == TLV_ROW_SYMBOLS && part->names != NULL)
		TLV_TRY(sequence_note_names(ctx, state, part));
	if (n < TLV_WINDOW)
		return sequence_add_short(ctx, state, row);
	TLV_TRY(row->form == TLV_ROW_SYMBOLS
				? sequence_add_symbols(ctx, state, n, part->ids, part->missing)
				: sequence_add_vectors(ctx, state, n, part->d, part->float64, part->missing));
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
}

/* ---- taking away ---- */

tlv_status
sequence_refuse_more(tlv_context *ctx)
{
	return tlv_refuse_taken(ctx, "sequences");
}

static tlv_status
sequence_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				  bool exactly, bool *done)
{
	sequence_state *state = (sequence_state *) accumulator;
	static const char *const names[] = {"sequences", "short", "nulls", "steps"};
	double *own[] = {&state->sequences, &state->too_short, &state->declared.base.nulls,
					 &state->steps};
	bool symbols = tlv_frame_find(frame, "items") != NULL;

	/* Symbols of short sequences are kept, too: which of those remain is not known. */
	*done = (symbols && state->form == FORM_SYMBOLS && state->too_short == 0 &&
			 !tlv_triple_is_stale(&state->table)) ||
			tlv_frame_find(frame, "initial") == NULL;
	if (*done && symbols && exactly)
		TLV_TRY(sequence_all_counted(ctx, state, done));
	if (!*done && exactly)
		return TLV_OK;
	if (!symbols && tlv_frame_find(frame, "initial") != NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "sequences cannot be subtracted from moments of sequences of vectors");
		return tlv_fail_hint(ctx, "Add up the other parts instead, by tlv_rollup.");
	}
	*done = true;
	state->taken = true;
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (tlv_frame_scalar(frame, names[i], 0) > *own[i])
			return sequence_refuse_more(ctx);
	if (symbols)
		TLV_TRY(sequence_take_symbols(ctx, state, frame));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		*own[i] -= tlv_frame_scalar(frame, names[i], 0);
	return TLV_OK;
}

/* ---- the stored form ---- */

static tlv_status
check_nothing(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	(void) sizes;
	if (tlv_frame_scalar(frame, "sequences", 0) > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the sequences' windows are missing");
	return TLV_OK;
}

#define AT(member) offsetof(sequence_state, member)
#define COUNTERS                                                                                   \
	{"sequences", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sequences)},               \
		{"short", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(too_short)},               \
		{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},     \
	{                                                                                              \
		"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(steps)                      \
	}
static const tlv_declaration counter_list[] = {COUNTERS};
#define SYMBOLS                                                                                    \
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(items)},                  \
		{"initial", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(first)},        \
		{"cells", TLV_INT64, SIZE_CELLS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(cells)},              \
	{                                                                                              \
		"counts", TLV_FLOAT64, SIZE_CELLS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(counts)           \
	}
static const tlv_declaration symbol_list[] = {COUNTERS, SYMBOLS};
static const tlv_declaration named_list[] = {
	COUNTERS,
	SYMBOLS,
	{"name_ids", TLV_INT64, SIZE_NAMES, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(name_ids)},
	{"name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(name_offsets)},
	{"names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_OWN, AT(name_bytes)},
};
static const tlv_declaration vector_list[] = {
	COUNTERS,
	{"initial", TLV_FLOAT64, TLV_SIZE_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(initial)},
	VIEW_SUMS_LIST(sequence_state, sums),
};
static const tlv_declaration wide_list[] = {
	COUNTERS,
	{"initial", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_ANY, TLV_OWN, AT(initial)},
};
#undef COUNTERS
#undef AT

/* What a value holds says of what its sequences are: a declaration for each form. */
static const tlv_sections forms[] = {
	[FORM_UNKNOWN] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(counter_list),
					  .check_more = check_nothing},
	[FORM_SYMBOLS] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(symbol_list),
					  .most = {TRIPLE_MOST, 0, TLV_FRAME_MAX_BYTES / sizeof(double)},
					  .describe = sequence_describe_symbols,
					  .takes_away = true,
					  .check_more = sequence_check_symbols,
					  .merge_own = sequence_merge_symbols},
	[FORM_NAMED] = {.state = sizeof(sequence_state),
					.kind = TLV_KIND_SEQUENCE_MOMENTS,
					.n = sizeof(named_list) / sizeof(named_list[0]),
					.list = named_list,
					.most = {TRIPLE_MOST, TLV_DICTIONARY_MAX, TLV_FRAME_MAX_BYTES / sizeof(double),
							 TLV_FRAME_MAX_BYTES},
					.describe = sequence_describe_symbols,
					.takes_away = true,
					.check_more = sequence_check_named,
					.merge_own = sequence_merge_named},
	[FORM_VECTORS] = {.state = sizeof(sequence_state),
					  .kind = TLV_KIND_SEQUENCE_MOMENTS,
					  TLV_LIST(vector_list),
					  .most = {TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES},
					  .flush = sequence_flush_vectors,
					  .describe = sequence_describe_vectors,
					  .check_more = sequence_check_vectors,
					  .merge_own = sequence_merge_vectors},
	[FORM_WIDE] = {.state = sizeof(sequence_state),
				   .kind = TLV_KIND_SEQUENCE_MOMENTS,
				   .n = sizeof(wide_list) / sizeof(wide_list[0]),
				   .list = wide_list,
				   .most = {MOST_NUMBERS},
				   .describe = sequence_describe_wide,
				   .check_more = sequence_check_wide,
				   .merge_own = sequence_merge_wide},
};

static const tlv_sections *
sequence_form_of(const tlv_frame *frame)
{
	return &forms[tlv_frame_find(frame, "name_ids") != NULL	 ? FORM_NAMED
				  : tlv_frame_find(frame, "items") != NULL	 ? FORM_SYMBOLS
				  : tlv_frame_find(frame, "sum1") != NULL	 ? FORM_VECTORS
				  : tlv_frame_find(frame, "initial") != NULL ? FORM_WIDE
															 : FORM_UNKNOWN];
}

static tlv_status
sequence_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	return tlv_sections_merge_form(ctx, accumulator, sequence_form_of(frame), frame);
}

static tlv_status
sequence_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	sequence_state *state = (sequence_state *) accumulator;
	sequence_form form = state->form;
	bool named;

	TLV_TRY(sequence_symbols_named(ctx, state, &named));
	if (named)
		form = FORM_NAMED;
	if (form == FORM_SYMBOLS && state->taken && state->sequences == 0)
		form = FORM_UNKNOWN; /* as before the first */
	return tlv_sections_build_form(ctx, accumulator, &forms[form], builder);
}

static tlv_status
sequence_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, sequence_form_of(frame));
}

static const tlv_accumulator_class sequence_class = {
	.name = "sequence_moments",
	.sections = &forms[FORM_UNKNOWN],
	.form = sequence_form_of,
	.merge = sequence_merge,
	.build = sequence_build,
	.subtract = sequence_subtract,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.add = sequence_add,
};
const tlv_kind tlv_kind_sequence_moments = {TLV_KIND_LINE(SEQUENCE_MOMENTS, sequence_moments),
											.check = sequence_check,
											.accumulator = &sequence_class};
