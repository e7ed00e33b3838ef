/*
 * moments.c - the first pass over documents: item totals, document frequencies, length statistics,
 * and the exact packed matrix of pairs (counts.h).
 */
#include <math.h>
#include <string.h>

#include "summary.h"
#include "tensorlv/num/linalg.h"

static tlv_status
grow_array(tlv_context *ctx, double **array, size_t from, size_t to)
{
	double *grown = tlv_realloc(ctx, *array, to, sizeof(double));

	TLV_TRY_ALLOC(ctx, grown);
	memset(grown + from, 0, (to - from) * sizeof(double));
	*array = grown;
	return TLV_OK;
}

/* Room for one more item in every array. */
static tlv_status
grow_items(tlv_context *ctx, tlv_summary_state *state)
{
	size_t room = state->room == 0 ? 16 : 2 * state->room;

	if (state->with_pairs && state->room == TLV_COUNT_PAIRS_MAX_ITEMS)
	{
		tlv_fail(ctx, TLV_LIMIT, "more than %d distinct items: too many for exact pair moments",
				 TLV_COUNT_PAIRS_MAX_ITEMS);
		return tlv_fail_hint(ctx, "Use tlv_count_summary(bag), tlv_find_subspace(summary, k), "
								  "tlv_count_products(bag, subspace) and tlv_count_moments(bag, "
								  "subspace), or tlv_lda(query), which does all of it.");
	}
	if (state->with_pairs)
	{
		if (room > TLV_COUNT_PAIRS_MAX_ITEMS)
			room = TLV_COUNT_PAIRS_MAX_ITEMS;
		TLV_TRY(
			grow_array(ctx, &state->pairs, tlv_packed2_size(state->room), tlv_packed2_size(room)));
	}
	TLV_TRY(grow_array(ctx, &state->totals, state->room, room));
	TLV_TRY(grow_array(ctx, &state->frequency, state->room, room));
	TLV_TRY(grow_array(ctx, &state->correction, state->room, room));
	TLV_TRY(grow_array(ctx, &state->squares, state->room, room));
	for (int s = 0; s < 2; s++)
		TLV_TRY(grow_array(ctx, &state->rests[s], state->room, room));
	state->room = room;
	return TLV_OK;
}

tlv_status
tlv_summary_place(tlv_context *ctx, tlv_summary_state *state, int64_t item, int32_t *position)
{
	*position = tlv_dictionary_find(&state->dictionary, item);
	if (*position >= 0)
		return TLV_OK;
	if (state->dictionary.n == state->room)
		TLV_TRY(grow_items(ctx, state));
	return tlv_dictionary_add(ctx, &state->dictionary, item, position);
}

/* pairs += c c' / (L - 1) below the diagonal; rows of the packed matrix are contiguous. */
static tlv_status
count_add_pairs(tlv_context *ctx, tlv_summary_state *state, size_t n, double scale)
{
	const tlv_bag_entry *entries = state->entries;

	for (size_t a = 1; a < n; a++)
	{
		double *restrict row = state->pairs + tlv_packed2_index((size_t) entries[a].item, 0);
		double factor = scale * entries[a].weight;

		TLV_TRY_CONTINUE_OFTEN(ctx, a);
		for (size_t b = 0; b < a; b++)
			row[entries[b].item] += factor * entries[b].weight;
	}
	return TLV_OK;
}

/* Items that are not distinguished become one item, the last one, whose id is the largest. */
static tlv_status
run_off(tlv_context *ctx, const tlv_subspace *keep, tlv_document *document)
{
	double rest = 0;
	size_t n = 0;

	for (size_t i = 0; i < document->n; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		if (document->items[i] == TLV_RUNOFF_ITEM ||
			tlv_dictionary_find(&keep->dictionary, document->items[i]) < 0)
		{
			rest += document->counts[i];
			continue;
		}
		document->items[n] = document->items[i];
		document->counts[n++] = document->counts[i];
	}
	if (rest > 0)
	{
		document->items[n] = TLV_RUNOFF_ITEM;
		document->counts[n++] = rest;
	}
	document->n = n;
	return TLV_OK;
}

/* a * b is the returned product and *rest. */
static double
product(double a, double b, double *rest)
{
	double result = a * b;

	*rest = b == 1 || b == -1 ? 0 : fma(a, b, -result);
	return result;
}

/* To a sum of two doubles, which is rounded at 2^-104 (Dekker 1971): in whatever order numbers are
 * added and taken out again, the first is the sum to its last bit. */
static void
add_both(double *sum, double *rest, double number, double number_rest)
{
	double high = *sum + number, part = high - *sum;
	double low = (*sum - (high - part)) + (number - part) + *rest + number_rest;

	*sum = high + low;
	*rest = low - (*sum - high);
}

void
tlv_summary_add_scaled(tlv_summary_state *state, int32_t position, double correction, double square,
					   double times)
{
	double rests[2];
	double numbers[2] = {product(correction, times, &rests[0]), product(square, times, &rests[1])};

	add_both(state->correction + position, state->rests[0] + position, numbers[0], rests[0]);
	add_both(state->squares + position, state->rests[1] + position, numbers[1], rests[1]);
}

tlv_status
tlv_summary_enter(tlv_context *ctx, void *argument, const tlv_told_document *document)
{
	tlv_summary_state *state = argument;
	double scale = 1 / (document->length - 1), times = document->times;

	state->fractions |= times != floor(times);
	if (state->with_pairs && document->n > state->entries_room)
	{
		size_t room = document->n + document->n / 2;

		tlv_free(ctx, state->entries);
		state->entries_room = 0;
		TLV_TRY_NEW(ctx, state->entries, 2 * room);
		state->entries_room = room;
	}
	for (size_t i = 0; i < document->n; i++)
	{
		double count = document->counts[i];
		int32_t position;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		TLV_TRY(tlv_summary_place(ctx, state, document->items[i], &position));
		state->totals[position] += times * count;
		state->frequency[position] += times;
		tlv_summary_add_scaled(state, position, scale * count, scale * count * count, times);
		if (state->with_pairs)
			state->entries[i] = (tlv_bag_entry){position, count};
	}
	if (state->with_pairs)
	{
		size_t n;

		TLV_TRY(tlv_bag_sort(ctx, document->n, state->entries, state->entries + state->entries_room,
							 &n));
		TLV_TRY(count_add_pairs(ctx, state, document->n, times * scale));
	}
	return TLV_OK;
}

tlv_status
tlv_summary_enter_held(tlv_context *ctx, tlv_summary_state *state)
{
	if (!state->entered)
		TLV_TRY(tlv_documents_tell(ctx, &state->held, state, tlv_summary_enter));
	state->entered = true;
	return TLV_OK;
}

void
tlv_summary_leave_held(tlv_context *ctx, tlv_summary_state *state)
{
	size_t n = state->dictionary.n;

	if (!state->entered)
		return;
	state->entered = false;
	tlv_dictionary_clear(ctx, &state->dictionary);
	state->ordered = 0;
	memset(state->totals, 0, n * sizeof(double));
	memset(state->frequency, 0, n * sizeof(double));
	memset(state->correction, 0, n * sizeof(double));
	memset(state->squares, 0, n * sizeof(double));
	for (int s = 0; s < 2; s++)
		memset(state->rests[s], 0, n * sizeof(double));
	state->fractions = false;
	if (state->with_pairs)
		memset(state->pairs, 0, tlv_packed2_size(n) * sizeof(double));
}

tlv_status
tlv_summary_close(tlv_context *ctx, tlv_summary_state *state)
{
	if (!state->closed)
		state->told = state->held.total;
	state->closed = true;
	TLV_TRY(tlv_summary_enter_held(ctx, state));
	tlv_documents_drop(ctx, &state->held);
	return TLV_OK;
}

tlv_status
tlv_summary_settle_some(tlv_context *ctx, tlv_summary_state *state, bool *many)
{
	TLV_TRY(tlv_documents_settle_some(ctx, &state->held, many));
	*many |= state->with_pairs && state->held.total > TLV_COUNT_PAIRS_MAX_ITEMS;
	return TLV_OK;
}

tlv_status
tlv_summary_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	tlv_summary_state *state = (tlv_summary_state *) accumulator;
	tlv_document *document = &state->document;
	bool many = false;

	TLV_TRY(tlv_document_decode(ctx, document, row->bag));
	if (document->length < TLV_MIN_LENGTH)
	{
		*(document->length == 0 ? &accumulator->nulls : &state->skipped) += 1;
		return TLV_OK;
	}
	if (state->keep != NULL)
		TLV_TRY(run_off(ctx, state->keep, document));
	if (state->closed)
	{
		tlv_told_document told = {.times = 1,
								  .length = document->length,
								  .n = document->n,
								  .items = document->items,
								  .counts = document->counts};

		TLV_TRY(tlv_summary_enter(ctx, state, &told));
		state->told += (double) document->n + 1;
	}
	else
	{
		tlv_held_document held = {.times = 1, .n = document->n};

		tlv_summary_leave_held(ctx, state);
		TLV_TRY(tlv_documents_hold(ctx, &state->held, &held, document->items, document->counts));
		TLV_TRY(tlv_summary_settle_some(ctx, state, &many));
	}
	state->documents++;
	state->tokens += document->length;
	state->squared_lengths += document->length * document->length;
	return many ? tlv_summary_close(ctx, state) : TLV_OK;
}
