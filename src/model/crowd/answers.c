/*
 * answers.c - answers of workers as they come, and merged (crowd.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/sort.h"

#define SIZE_ITEMS	 TLV_SIZE_1
#define SIZE_NAMES	 TLV_SIZE_2
#define SIZE_WORKERS TLV_SIZE_3
#define SIZE_ANSWERS TLV_SIZE_4
#define SIZE_ENTRIES TLV_SIZE_5
#define SIZE_BYTES	 TLV_SIZE_6

/* Of a known answer, which no worker gave. */
#define CROWD_NOBODY (-1)

const char *const tlv_crowd_set_names[TLV_CROWD_SETS] = {"items", "workers", "answers"};

/* Positions of an item, a worker and an answer in their dictionaries. */
typedef struct crowd_entry
{
	int32_t at[TLV_CROWD_SETS];
} crowd_entry;

typedef struct answers_state
{
	tlv_declared declared;
	double told[TLV_CROWD_SETS]; /* as in models: 1 numbers, 2 names */
	tlv_dictionary sets[TLV_CROWD_SETS];
	tlv_name_table names;
	size_t n, room;
	crowd_entry *entries;
	size_t n_taken, taken_room; /* entries that are taken out again when it is stored */
	crowd_entry *taken;
	bool shrunk; /* some have been */
	bool *used;	 /* while it is stored: of all ids, those that have entries; NULL: all have */
	/* the stored form */
	int64_t *ids[TLV_CROWD_SETS];
	int64_t *stored; /* entries x 3, by columns */
	tlv_named_ids named;
} answers_state;

tlv_status
tlv_crowd_answers_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_crowd_answers.accumulator, NULL, accumulator);
}

static tlv_status
answers_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	(void) constants;
	return tlv_crowd_answers_create(ctx, accumulator);
}

const tlv_aggregate tlv_aggregate_crowd_answers = {"tlv_crowd_answers", NULL, answers_begin};
const tlv_aggregate tlv_aggregate_gold_answers = {"tlv_crowd_answers", NULL, answers_begin};

/* ---- rows ---- */

/* Ids of a set are all numbers or all of names. */
static tlv_status
tell(tlv_context *ctx, answers_state *state, int set, double told)
{
	if (state->told[set] == 0)
		state->told[set] = told;
	if (told == 0 || state->told[set] == told)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s identified by number and by name cannot be combined",
			 tlv_crowd_set_names[set]);
	return tlv_fail_hint(ctx, "Cast all of them to bigint, or all to text.");
}

static tlv_status
entries_grow(tlv_context *ctx, crowd_entry **entries, size_t *room, size_t n)
{
	size_t wanted = *room < 64 ? 64 : *room;
	crowd_entry *grown;

	if (n <= *room)
		return TLV_OK;
	while (wanted < n)
		wanted *= 2;
	grown = tlv_realloc(ctx, *entries, wanted, sizeof(crowd_entry));
	TLV_TRY_ALLOC(ctx, grown);
	*entries = grown;
	*room = wanted;
	return TLV_OK;
}

static tlv_status
answers_grow(tlv_context *ctx, answers_state *state, size_t more)
{
	return entries_grow(ctx, &state->entries, &state->room, state->n + more);
}

static tlv_status
answers_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	answers_state *state = (answers_state *) accumulator;
	crowd_entry entry;

	for (int s = 0; s < TLV_CROWD_SETS; s++)
	{
		const tlv_part *part = &row->part[s];

		entry.at[s] = CROWD_NOBODY;
		if (part->type == TLV_PART_NONE)
			continue;
		TLV_TRY(tell(ctx, state, s, part->names == NULL ? 1 : 2));
		if (part->names != NULL)
			TLV_TRY(tlv_name_table_add(ctx, &state->names, part->ids[0], part->names[0]));
		TLV_TRY(tlv_dictionary_add(ctx, &state->sets[s], part->ids[0], &entry.at[s]));
	}
	TLV_TRY(answers_grow(ctx, state, 1));
	state->entries[state->n++] = entry;
	return TLV_OK;
}

/* ---- merging ---- */

static const char *const id_sections[TLV_CROWD_SETS] = {"items", "workers", "answers"};

/* Positions here of a value's ids. */
static tlv_status
merge_ids(tlv_context *ctx, answers_state *state, int set, const tlv_frame *frame, int32_t *at)
{
	size_t n = tlv_frame_find(frame, id_sections[set])->rows;
	const int64_t *ids = tlv_frame_int64(frame, id_sections[set]);

	TLV_TRY(tell(ctx, state, set, tlv_frame_float64(frame, "told")[set]));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(tlv_dictionary_add(ctx, &state->sets[set], ids[i], &at[i]));
	}
	return TLV_OK;
}

static tlv_status
answers_merge_own(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	answers_state *state = (answers_state *) accumulator;
	size_t n = tlv_frame_find(frame, "entries")->rows, more[TLV_CROWD_SETS];
	const int64_t *entries = tlv_frame_int64(frame, "entries");
	int32_t *at[TLV_CROWD_SETS];

	for (int s = 0; s < TLV_CROWD_SETS; s++)
		more[s] = tlv_frame_find(frame, id_sections[s])->rows;
	TLV_TRY_NEW(ctx, at[0], more[0] + more[1] + more[2]);
	at[1] = at[0] + more[0];
	at[2] = at[1] + more[1];
	for (int s = 0; s < TLV_CROWD_SETS; s++)
		TLV_TRY(merge_ids(ctx, state, s, frame, at[s]));
	TLV_TRY(tlv_name_table_add_frame(ctx, &state->names, frame));
	TLV_TRY(answers_grow(ctx, state, n));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (int s = 0; s < TLV_CROWD_SETS; s++)
		{
			int64_t position = entries[i + (size_t) s * n];

			state->entries[state->n].at[s] = position < 0 ? CROWD_NOBODY : at[s][position];
		}
		state->n++;
	}
	tlv_free(ctx, at[0]);
	return TLV_OK;
}

/* ---- the stored form ---- */

static unsigned
crowd_bits_of(size_t n)
{
	return n == 0 ? 0 : 64 - (unsigned) __builtin_clzll((unsigned long long) n);
}

/* Ranks of all ids, one set behind the other. */
static tlv_status
order_ids(tlv_context *ctx, answers_state *state, int32_t *ranks[TLV_CROWD_SETS])
{
	static const int sizes[TLV_CROWD_SETS] = {SIZE_ITEMS, SIZE_WORKERS, SIZE_ANSWERS};
	const bool *used = state->used;

	for (int s = 0; s < TLV_CROWD_SETS; s++)
	{
		TLV_TRY(tlv_dictionary_order_used(ctx, &state->sets[s], used, state->ids[s], ranks[s],
										  &state->declared.sizes[sizes[s]]));
		if (used != NULL)
			used += state->sets[s].n;
	}
	return TLV_OK;
}

/* Where the parts of an entry are in one number: item, worker (known answers first), answer. */
typedef struct entry_bits
{
	unsigned low, middle, all;
} entry_bits;

static entry_bits
bits_of_entries(const answers_state *state)
{
	entry_bits bits;

	bits.low = crowd_bits_of(state->sets[TLV_CROWD_ANSWERS].n);
	bits.middle = bits.low + crowd_bits_of(state->sets[TLV_CROWD_WORKERS].n);
	bits.all = bits.middle + crowd_bits_of(state->sets[TLV_CROWD_ITEMS].n);
	/* ids are counted in 32 bits */
	tlv_assert(bits.low < 32 && bits.middle < 64);
	return bits;
}

static uint64_t
entry_number(const entry_bits *bits, int64_t item, int64_t worker, int64_t answer)
{
	return (uint64_t) answer | (uint64_t) (worker + 1) << bits->low |
		   (uint64_t) item << bits->middle;
}

static crowd_entry
entry_of(const entry_bits *bits, uint64_t number)
{
	uint64_t above = number >> bits->middle;

	return (crowd_entry){{(int32_t) above,
						  (int32_t) ((number - (above << bits->middle)) >> bits->low) - 1,
						  (int32_t) (number & ((UINT64_C(1) << bits->low) - 1))}};
}

/* Entries as numbers, of positions or, where these are given, of ranks, in their order: at *sorted,
 * within *keys, which is to be freed. */
static tlv_status
sort_numbers(tlv_context *ctx, const answers_state *state, size_t n, const crowd_entry *entries,
			 int32_t *const *ranks, uint64_t **keys, uint64_t **sorted)
{
	const entry_bits bits = bits_of_entries(state);
	const tlv_sort_form form = {sizeof(uint64_t), sizeof(uint64_t), 0, bits.all};
	void *result;

	if (bits.all > 64)
		return tlv_fail(ctx, TLV_LIMIT, "too many items, workers and answers: %zu, %zu and %zu",
						state->sets[0].n, state->sets[1].n, state->sets[2].n);
	TLV_TRY_NEW(ctx, *keys, 2 * n + 1);
	for (size_t i = 0; i < n; i++)
	{
		const int32_t *at = entries[i].at;
		int64_t worker = at[1];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (ranks != NULL && worker != CROWD_NOBODY)
			worker = ranks[1][worker];
		(*keys)[i] = ranks == NULL ? entry_number(&bits, at[0], worker, at[2])
								   : entry_number(&bits, ranks[0][at[0]], worker, ranks[2][at[2]]);
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, *keys, *keys + n, &result));
	*sorted = result;
	return TLV_OK;
}

/* Entries by item, worker and answer. */
static tlv_status
crowd_sort_entries(tlv_context *ctx, answers_state *state, int32_t *const ranks[TLV_CROWD_SETS])
{
	const entry_bits bits = bits_of_entries(state);
	size_t n = state->n;
	uint64_t *keys, *sorted;

	TLV_TRY(sort_numbers(ctx, state, n, state->entries, ranks, &keys, &sorted));
	for (size_t i = 0; i < n; i++)
	{
		crowd_entry entry = entry_of(&bits, sorted[i]);

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t s = 0; s < TLV_CROWD_SETS; s++)
			state->stored[i + s * n] = entry.at[s];
	}
	tlv_free(ctx, keys);
	return TLV_OK;
}

/* ---- taking away ---- */

static tlv_status
crowd_refuse_more(tlv_context *ctx)
{
	return tlv_refuse_taken(ctx, "answers");
}

/* Those that are taken wait until the value is stored. */
static tlv_status
answers_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
				 bool exactly, bool *done)
{
	answers_state *state = (answers_state *) accumulator;
	size_t n = tlv_frame_find(frame, "entries")->rows;
	const int64_t *entries = tlv_frame_int64(frame, "entries");
	double nulls = tlv_frame_scalar(frame, "nulls", 0);

	/* A state to which entries were added and from which they were subtracted is rebuilt when most
	 * of its entries are gone. */
	*done = !(exactly && state->shrunk && state->sets[0].n > 4096 + 4 * state->n);
	if (!*done)
		return TLV_OK;
	if (nulls > state->declared.base.nulls || state->n_taken + n > state->n)
		return crowd_refuse_more(ctx);
	TLV_TRY(entries_grow(ctx, &state->taken, &state->taken_room, state->n_taken + n));
	for (size_t i = 0; i < n; i++)
	{
		crowd_entry *taken = &state->taken[state->n_taken + i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t s = 0; s < TLV_CROWD_SETS; s++)
		{
			int64_t at = entries[i + s * n];
			bool nobody = s == TLV_CROWD_WORKERS && at < 0;

			taken->at[s] = nobody ? CROWD_NOBODY
								  : tlv_dictionary_find(&state->sets[s],
														tlv_frame_int64(frame, id_sections[s])[at]);
			if (taken->at[s] < 0 && !nobody)
				return crowd_refuse_more(ctx);
		}
	}
	state->n_taken += n;
	state->declared.base.nulls -= nulls;
	return TLV_OK;
}

/* Takes out what waits to be taken: both in order. */
static tlv_status
settle_taken(tlv_context *ctx, answers_state *state)
{
	const entry_bits bits = bits_of_entries(state);
	uint64_t *keys, *sorted, *taken_keys, *taken;
	size_t left = 0, at = 0;

	TLV_TRY(sort_numbers(ctx, state, state->n, state->entries, NULL, &keys, &sorted));
	TLV_TRY(sort_numbers(ctx, state, state->n_taken, state->taken, NULL, &taken_keys, &taken));
	for (size_t i = 0; i < state->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (at < state->n_taken && taken[at] == sorted[i])
			at++;
		else
			state->entries[left++] = entry_of(&bits, sorted[i]);
	}
	tlv_free(ctx, taken_keys);
	tlv_free(ctx, keys);
	if (at < state->n_taken)
		return crowd_refuse_more(ctx);
	state->n = left;
	state->n_taken = 0;
	return TLV_OK;
}

/* Determines which ids still have entries, and whether the ids of each set with entries are numbers
 * or names. */
static tlv_status
mark_used(tlv_context *ctx, answers_state *state)
{
	size_t first[TLV_CROWD_SETS] = {0, state->sets[0].n, state->sets[0].n + state->sets[1].n};
	bool some[TLV_CROWD_SETS] = {false};

	TLV_TRY_NEW0(ctx, state->used, first[2] + state->sets[2].n);
	for (size_t i = 0; i < state->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t s = 0; s < TLV_CROWD_SETS; s++)
			if (state->entries[i].at[s] != CROWD_NOBODY)
				some[s] = state->used[first[s] + (size_t) state->entries[i].at[s]] = true;
	}
	for (size_t s = 0; s < TLV_CROWD_SETS; s++)
		if (!some[s])
			state->told[s] = 0;
	return TLV_OK;
}

/* ---- all of it ---- */

/* The names of the ids that are there. */
static tlv_status
describe_names(tlv_context *ctx, answers_state *state, int64_t *block)
{
	bool by_name[TLV_CROWD_SETS], *used[TLV_CROWD_SETS], *next = state->used;

	for (int s = 0; s < TLV_CROWD_SETS; s++)
	{
		by_name[s] = state->told[s] == 2;
		used[s] = next;
		next = next == NULL ? NULL : next + state->sets[s].n;
	}
	TLV_TRY(
		tlv_named_ids_list(ctx, &state->names, state->sets, by_name, used, block, &state->named));
	state->declared.sizes[SIZE_NAMES] = state->named.n;
	state->declared.sizes[SIZE_BYTES] = state->named.bytes_n;
	return TLV_OK;
}

static tlv_status
answers_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	answers_state *state = (answers_state *) accumulator;
	size_t ids = state->sets[0].n + state->sets[1].n + state->sets[2].n, named = state->names.n;
	size_t bytes = state->names.filled / sizeof(int64_t) + 1;
	int32_t *ranks[TLV_CROWD_SETS];
	int64_t *block;

	state->shrunk |= state->n_taken > 0;
	state->used = NULL;
	if (state->n_taken > 0)
		TLV_TRY(settle_taken(ctx, state));
	if (state->shrunk)
		TLV_TRY(mark_used(ctx, state));
	block = tlv_alloc(ctx, ids + 3 * state->n + 2 * named + 1 + bytes, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, block);
	*owned = block;
	TLV_TRY_NEW(ctx, ranks[0], ids);
	for (int s = 0; s < TLV_CROWD_SETS; s++)
	{
		state->ids[s] = s == 0 ? block : state->ids[s - 1] + state->sets[s - 1].n;
		ranks[s] = ranks[0] + (state->ids[s] - block);
	}
	state->stored = block + ids;
	state->declared.sizes[SIZE_ENTRIES] = state->n;
	TLV_TRY(describe_names(ctx, state, state->stored + 3 * state->n));
	TLV_TRY(order_ids(ctx, state, ranks));
	TLV_TRY(crowd_sort_entries(ctx, state, ranks));
	tlv_free(ctx, ranks[0]);
	tlv_free(ctx, state->used);
	return TLV_OK;
}

/* Is entry i not before the one above it? */
static bool
in_order(const int64_t *entries, size_t n, size_t i)
{
	for (size_t s = 0; s < TLV_CROWD_SETS; s++)
		if (entries[i + s * n] != entries[i - 1 + s * n])
			return entries[i + s * n] > entries[i - 1 + s * n];
	return true;
}

static tlv_status
answers_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const size_t most[TLV_CROWD_SETS] = {sizes[SIZE_ITEMS], sizes[SIZE_WORKERS],
										 sizes[SIZE_ANSWERS]};
	const int64_t *entries = tlv_frame_int64(frame, "entries");
	const double *told = tlv_frame_float64(frame, "told");
	size_t n = sizes[SIZE_ENTRIES];

	for (int s = 0; s < TLV_CROWD_SETS; s++)
		if (!(told[s] == (most[s] == 0 ? 0 : 1) || (most[s] > 0 && told[s] == 2)))
			return tlv_fail(ctx, TLV_CORRUPT, "ids of %s have the unknown form %g",
							tlv_crowd_set_names[s], told[s]);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t s = 0; s < TLV_CROWD_SETS; s++)
		{
			int64_t at = entries[i + s * n];

			if (at < (s == TLV_CROWD_WORKERS ? CROWD_NOBODY : 0) || at >= (int64_t) most[s])
				return tlv_fail(ctx, TLV_CORRUPT, "entry %zu is of %s number %lld of %zu", i + 1,
								tlv_crowd_set_names[s], (long long) at + 1, most[s]);
		}
		if (i > 0 && !in_order(entries, n, i))
			return tlv_fail(ctx, TLV_CORRUPT, "entries %zu and %zu are out of order", i, i + 1);
	}
	return tlv_id_names_check(ctx, frame, sizes[SIZE_NAMES]);
}

#define AT(member) offsetof(answers_state, member)
static const tlv_declaration answers_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"told", TLV_FLOAT64, TLV_THREE, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(told)},
	{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(ids[0])},
	{"workers", TLV_INT64, SIZE_WORKERS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(ids[1])},
	{"answers", TLV_INT64, SIZE_ANSWERS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(ids[2])},
	{"entries", TLV_INT64, SIZE_ENTRIES, TLV_THREE, TLV_ANY, TLV_OWN, AT(stored)},
	{"name_ids", TLV_INT64, SIZE_NAMES, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(named.ids)},
	{"name_offsets", TLV_INT64, TLV_2_AND_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(named.offsets)},
	{"names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_OWN, AT(named.bytes)},
};
#undef AT

static const tlv_sections answers_sections = {
	.state = sizeof(answers_state),
	.kind = TLV_KIND_CROWD_ANSWERS,
	TLV_LIST(answers_list),
	.most = {TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX, TLV_DICTIONARY_MAX,
			 TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES},
	.describe = answers_describe,
	.check_more = answers_check_more,
	.merge_own = answers_merge_own,
};

static const tlv_accumulator_class answers_class = {
	.name = "crowd_answers",
	TLV_DECLARED(&answers_sections),
	.subtract = answers_subtract,
	.rows = TLV_ROW_ANSWER,
	.add = answers_add,
};
const tlv_kind tlv_kind_crowd_answers = {TLV_KIND_LINE(CROWD_ANSWERS, crowd_answers),
										 .accumulator = &answers_class};

/* ---- for the fit ---- */

tlv_status
tlv_crowd_load(tlv_context *ctx, const tlv_frame *frame, crowd_answers *a)
{
	const int64_t *entries = tlv_frame_int64(frame, "entries");

	memset(a, 0, sizeof(*a));
	a->frame = frame;
	a->items = tlv_frame_find(frame, "items")->rows;
	a->workers = tlv_frame_find(frame, "workers")->rows;
	a->answers = tlv_frame_find(frame, "answers")->rows;
	a->names = tlv_frame_find(frame, "name_ids")->rows;
	a->n = tlv_frame_find(frame, "entries")->rows;
	if (a->n == 0)
		return tlv_fail(ctx, TLV_NO_ROWS, "there are no answers to learn from");
	if (a->answers > TLV_CROWD_MOST_ANSWERS)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu different answers are more than %zu", a->answers,
				 TLV_CROWD_MOST_ANSWERS);
		return tlv_fail_hint(ctx, "Use answers that are chosen from a list, not free text.");
	}
	a->columns = a->workers * a->answers;
	if (a->columns + a->answers > UINT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "%zu workers with %zu answers to choose from", a->workers,
						a->answers);
	TLV_TRY_NEW0(ctx, a->start, a->items + 1);
	TLV_TRY_NEW(ctx, a->column, a->n);
	TLV_TRY_NEW0(ctx, a->given, a->workers);
	TLV_TRY_NEW0(ctx, a->said, a->answers);
	for (size_t i = 0; i < a->n; i++)
	{
		int64_t worker = entries[i + a->n];

		TLV_TRY_CONTINUE_AT(ctx, i);
		a->start[entries[i] + 1]++;
		if (worker >= 0)
			a->given[worker]++;
		a->said[entries[i + 2 * a->n]] |= worker >= 0;
		a->column[i] = (uint32_t) ((worker < 0 ? a->columns : (size_t) worker * a->answers) +
								   (size_t) entries[i + 2 * a->n]);
	}
	for (size_t i = 0; i < a->items; i++)
		a->start[i + 1] += a->start[i];
	return TLV_OK;
}
