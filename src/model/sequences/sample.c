/*
 * sample.c - a random sample of whole sequences (sequences.h): those of the smallest keys, which
 * are hashes of their content, so that it is the same in whatever order and parts they arrive.
 *
 * Equal sequences have one key and are kept once, with their number: short sequences of few symbols
 * are often equal, and all of them have room then.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/model/keyed_sample.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sequences.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/sort.h"

/* Numbers that there is room for at first. */
#define FIRST_ROOM ((size_t) 1024)
/* Numbers that are copied or hashed between two looks at whether to stop. */
#define NUMBERS_BETWEEN ((size_t) 1 << 20)
/* A missing number of a vector, as it is stored. */
#define MISSING (-DBL_MAX)

/* The sizes: sequences, numbers of a vector, steps of vectors, steps of symbols. */
#define SIZE_N		 TLV_SIZE_1
#define SIZE_D		 TLV_SIZE_2
#define SIZE_STEPS	 TLV_SIZE_3
#define SIZE_SYMBOLS TLV_SIZE_4

typedef struct sample_entry
{
	uint64_t key;
	uint32_t at;	/* its first number: at most three times TLV_SEQUENCE_MOST_SAMPLE */
	uint32_t steps; /* of d numbers, or symbols */
	double count;	/* of equal sequences */
} sample_entry;

typedef struct sample_state
{
	tlv_keyed_sample base; /* of numbers */
	double seen;		   /* sequences, the sample among them */
	double steps;		   /* of these */
	bool symbols;		   /* what they are of, once `begun` */
	bool begun;
	size_t d; /* numbers of a step; 1 of symbols */
	size_t n, room;
	sample_entry *entries;
	size_t filled, number_room;
	int64_t *numbers; /* of vectors their bits */
	/* the stored form */
	int64_t *lengths; /* n */
	double *counts;	  /* n */
	double *stored_x;
	int64_t *stored_symbols;
} sample_state;

static uint64_t
sequence_key_of(uint64_t seed, size_t n, const void *numbers)
{
	return tlv_keyed_sample_key(seed, n * sizeof(int64_t), numbers);
}

/* The entries by their keys; those of equal keys stay in the order of their numbers. */
static tlv_status
sequence_sample_sort(tlv_context *ctx, sample_state *state)
{
	static const tlv_sort_form form = {sizeof(sample_entry), sizeof(uint64_t), 0, 64};
	sample_entry *work;
	void *sorted;
	tlv_status status;

	TLV_TRY_NEW(ctx, work, state->room);
	status = tlv_radix_sort(ctx, &form, state->n, state->entries, work, &sorted);
	if (status == TLV_OK && sorted == work)
	{
		work = state->entries;
		state->entries = sorted;
	}
	tlv_free(ctx, work);
	return status;
}

/* The numbers of the first n sequences, one after the other; nothing changes unless all are there.
 */
static tlv_status
gather_numbers(tlv_context *ctx, const sample_state *state, size_t n, int64_t *numbers)
{
	size_t looked = 0;

	for (size_t i = 0; i < n; i++)
	{
		const sample_entry *entry = &state->entries[i];
		size_t own = entry->steps * state->d;

		looked += own + 1;
		if (looked >= NUMBERS_BETWEEN)
		{
			TLV_TRY_CONTINUE(ctx);
			looked = 0;
		}
		memcpy(numbers, state->numbers + entry->at, own * sizeof(int64_t));
		numbers += own;
	}
	return TLV_OK;
}

static bool
is_same_sequence(const sample_state *state, const sample_entry *a, const sample_entry *b)
{
	return a->key == b->key && a->steps == b->steps &&
		   memcmp(state->numbers + a->at, state->numbers + b->at,
				  a->steps * state->d * sizeof(int64_t)) == 0;
}

/* Counts equal sequences, which follow each other, as one. */
static tlv_status
join_equal(tlv_context *ctx, sample_state *state)
{
	size_t n = 1;

	for (size_t i = 1; i < state->n; i++)
	{
		sample_entry *last = &state->entries[n - 1], *entry = &state->entries[i];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (is_same_sequence(state, last, entry))
			last->count += entry->count;
		else
			state->entries[n++] = *entry;
	}
	state->n = n;
	return TLV_OK;
}

/* Keeps the sequences of the smallest keys, as many as there is room for, in their order. */
static tlv_status
sequence_sample_cut(tlv_context *ctx, sample_state *state)
{
	size_t n = 0, filled = 0;
	int64_t *numbers;
	tlv_status status;

	if (state->n == 0)
		return TLV_OK;
	TLV_TRY(sequence_sample_sort(ctx, state));
	TLV_TRY(join_equal(ctx, state));
	while (n < state->n && filled + state->entries[n].steps * state->d <= state->base.count)
		filled += state->entries[n++].steps * state->d;
	TLV_TRY_NEW(ctx, numbers, filled);
	status = gather_numbers(ctx, state, n, numbers);
	if (status != TLV_OK)
	{
		tlv_free(ctx, numbers);
		return status;
	}
	if (n < state->n)
		state->base.largest = state->entries[n].key;
	tlv_free(ctx, state->numbers);
	state->numbers = numbers;
	state->number_room = state->filled = filled;
	state->n = n;
	for (size_t i = 0, at = 0; i < n; at += state->entries[i++].steps * state->d)
		state->entries[i].at = (uint32_t) at;
	return TLV_OK;
}

/* Reserves memory for one more sequence of the given number of values. */
static tlv_status
sequence_sample_grow(tlv_context *ctx, sample_state *state, size_t more)
{
	size_t room = state->number_room < FIRST_ROOM ? FIRST_ROOM : state->number_room;
	void *grown;

	if (state->filled + more > 2 * state->base.count)
		TLV_TRY(sequence_sample_cut(ctx, state));
	while (room < state->filled + more)
		room *= 2;
	if (room != state->number_room)
	{
		grown = tlv_realloc(ctx, state->numbers, room, sizeof(int64_t));
		TLV_TRY_ALLOC(ctx, grown);
		state->numbers = grown;
		state->number_room = room;
	}
	if (state->n < state->room)
		return TLV_OK;
	grown = tlv_realloc(ctx, state->entries, 2 * state->room + 16, sizeof(sample_entry));
	TLV_TRY_ALLOC(ctx, grown);
	state->entries = grown;
	state->room = 2 * state->room + 16;
	return TLV_OK;
}

/* Sequences are of one form and width. */
static tlv_status
sequence_check_form(tlv_context *ctx, sample_state *state, bool symbols, size_t d)
{
	if (!state->begun)
	{
		state->begun = true;
		state->symbols = symbols;
		state->d = d;
	}
	if (symbols != state->symbols)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "sequences of symbols and of vectors cannot be combined");
		return tlv_fail_hint(ctx, "Collect them separately.");
	}
	if (d != state->d)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a sequence of vectors of %zu %s among vectors of %zu", d,
				 tlv_plural((double) d, "number", "numbers"), state->d);
		return tlv_fail_hint(ctx, "All sequences must have the same columns.");
	}
	return TLV_OK;
}

/* The last sequence that has been put behind the others stays, if its key has a chance. */
static void
sample_keep(sample_state *state, size_t steps, double count)
{
	uint64_t key =
		sequence_key_of(state->base.seed, steps * state->d, state->numbers + state->filled);

	if (key > state->base.largest)
		return;
	state->entries[state->n++] =
		(sample_entry){key, (uint32_t) state->filled, (uint32_t) steps, count};
	state->filled += steps * state->d;
}

static tlv_status
sequence_check_numbers(tlv_context *ctx, const tlv_part *part)
{
	for (size_t i = 0; i < part->n * part->d; i++)
		if (!isfinite(part->float64[i]) && (part->missing == NULL || !part->missing[i]))
			return tlv_refuse_step(ctx, i, part->d, part->float64[i]);
	return TLV_OK;
}

static tlv_status
sequence_sample_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sample_state *state = (sample_state *) accumulator;
	const tlv_part *part = &row->part[0];
	bool symbols = row->form == TLV_ROW_SYMBOLS;
	size_t d = symbols ? 1 : part->d, steps = part->n;

	if (steps == 0)
		return TLV_OK;
	if (!symbols)
		TLV_TRY(sequence_check_numbers(ctx, part));
	TLV_TRY(sequence_check_form(ctx, state, symbols, d));
	state->seen++;
	state->steps += (double) steps;
	steps = tlv_least(steps, state->base.count / d); /* of a longer one the beginning */
	if (steps == 0)
		return TLV_OK;
	TLV_TRY(sequence_sample_grow(ctx, state, steps * d));
	memcpy(state->numbers + state->filled, part->data, steps * d * sizeof(int64_t));
	for (size_t i = 0; !symbols && part->missing != NULL && i < steps * d; i++)
		if (part->missing[i])
			((double *) state->numbers)[state->filled + i] = MISSING;
	sample_keep(state, steps, 1);
	return TLV_OK;
}

/* ---- aggregate and merging ---- */

static tlv_status
sequence_sample_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_keyed_sample_create(ctx, tlv_kind_sequence_sample.accumulator, accumulator);
}

static tlv_status
sequence_sample_begin(tlv_context *ctx, const tlv_statistic *constants,
					  tlv_accumulator **accumulator)
{
	return tlv_keyed_sample_begin(ctx, tlv_kind_sequence_sample.accumulator, constants,
								  TLV_SEQUENCE_MOST_SAMPLE, "numbers", accumulator);
}

const tlv_aggregate tlv_aggregate_sequence_sample = {"tlv_sequence_sample", NULL,
													 sequence_sample_begin};

/* Where the steps of a stored sample lie, and their width: 0 where there are none. */
static const int64_t *
stored_numbers(const tlv_frame *frame, bool *symbols, size_t *d)
{
	const tlv_section *x = tlv_frame_find(frame, "numbers");

	*symbols = tlv_frame_find(frame, "symbols")->rows > 0;
	*d = *symbols ? 1 : x->rows;
	return *symbols ? tlv_frame_int64(frame, "symbols")
					: (const int64_t *) tlv_section_data(frame, x);
}

static tlv_status
sequence_sample_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sample_state *state = (sample_state *) accumulator;
	size_t n = tlv_frame_find(frame, "lengths")->rows, d;
	const int64_t *lengths = tlv_frame_int64(frame, "lengths"), *numbers;
	const double *counts = tlv_frame_float64(frame, "counts");
	bool symbols;

	TLV_TRY(tlv_keyed_sample_join(ctx, &state->base, frame, "numbers"));
	numbers = stored_numbers(frame, &symbols, &d);
	if (n > 0)
		TLV_TRY(sequence_check_form(ctx, state, symbols, d));
	for (size_t i = 0; i < n; i++)
	{
		size_t own = (size_t) lengths[i] * d;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		TLV_TRY(sequence_sample_grow(ctx, state, own));
		memcpy(state->numbers + state->filled, numbers, own * sizeof(int64_t));
		sample_keep(state, (size_t) lengths[i], counts[i]);
		numbers += own;
	}
	return TLV_OK;
}

/* ---- the stored value ---- */

static tlv_status
sequence_sample_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sample_state *state = (sample_state *) accumulator;
	size_t steps = 0;

	TLV_TRY(sequence_sample_cut(ctx, state));
	TLV_TRY_NEW(ctx, state->counts, 2 * state->n);
	state->lengths = (int64_t *) (state->counts + state->n);
	*owned = state->counts;
	for (size_t i = 0; i < state->n; i++)
	{
		steps += (size_t) (state->lengths[i] = (int64_t) state->entries[i].steps);
		state->counts[i] = state->entries[i].count;
	}
	state->base.declared.sizes[SIZE_N] = state->n;
	state->base.declared.sizes[SIZE_D] = state->symbols || steps == 0 ? 0 : state->d;
	state->base.declared.sizes[SIZE_STEPS] = state->symbols ? 0 : steps;
	state->base.declared.sizes[SIZE_SYMBOLS] = state->symbols ? steps : 0;
	state->stored_x = (double *) state->numbers;
	state->stored_symbols = state->numbers;
	tlv_keyed_sample_describe(&state->base);
	return TLV_OK;
}

/* Lengths that make up the steps, in the order of their keys. */
static tlv_status
check_sequences(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes, uint64_t seed)
{
	const int64_t *lengths = tlv_frame_int64(frame, "lengths"), *numbers;
	size_t left = sizes[SIZE_STEPS] + sizes[SIZE_SYMBOLS], d;
	size_t looked = 0;
	uint64_t before = 0;
	bool symbols;

	numbers = stored_numbers(frame, &symbols, &d);
	for (size_t i = 0; i < sizes[SIZE_N]; i++)
	{
		uint64_t key;

		if (looked >= NUMBERS_BETWEEN)
		{
			TLV_TRY_CONTINUE(ctx);
			looked = 0;
		}
		if ((uint64_t) lengths[i] > left)
			return tlv_fail(ctx, TLV_CORRUPT,
							"the sequences of a sample are longer than its steps");
		key = sequence_key_of(seed, (size_t) lengths[i] * d, numbers);
		if (key < before)
			return tlv_fail(ctx, TLV_CORRUPT, "sequence %zu of a sample is out of order", i + 1);
		before = key;
		left -= (size_t) lengths[i];
		numbers += (size_t) lengths[i] * d;
		looked += (size_t) lengths[i] * d + 1;
	}
	if (left > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "a sample has steps of no sequence");
	return TLV_OK;
}

static tlv_status
sequence_sample_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double held = (double) (sizes[SIZE_D] * sizes[SIZE_STEPS] + sizes[SIZE_SYMBOLS]);
	const int64_t *lengths = tlv_frame_int64(frame, "lengths");
	const double *counts = tlv_frame_float64(frame, "counts");
	double sequences = 0, copied = 0;
	uint64_t seed;

	TLV_TRY(tlv_keyed_sample_check(ctx, frame, held, TLV_SEQUENCE_MOST_SAMPLE, "numbers", &seed));
	if ((sizes[SIZE_STEPS] > 0 && sizes[SIZE_SYMBOLS] > 0) ||
		(sizes[SIZE_D] > 0) != (sizes[SIZE_STEPS] > 0))
		return tlv_fail(ctx, TLV_CORRUPT, "the numbers of a sample are not as many as it says");
	for (size_t i = 0; i < sizes[SIZE_N]; i++)
	{
		sequences += counts[i];
		copied += counts[i] * (double) lengths[i];
	}
	if (sequences > tlv_frame_scalar(frame, "sequences", 0) ||
		copied > tlv_frame_scalar(frame, "steps", 0))
		return tlv_fail(ctx, TLV_CORRUPT, "a sample holds more than it has seen");
	return check_sequences(ctx, frame, sizes, seed);
}

#define AT(member) offsetof(sample_state, member)
static const tlv_declaration sample_list[] = {
	{"sequences", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(seen)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(base.declared.base.nulls)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(steps)},
	TLV_KEYED_SAMPLE_COUNT,
	TLV_KEYED_SAMPLE_SEED,
	{"lengths", TLV_INT64, SIZE_N, TLV_ONE, TLV_POSITIVE, TLV_OWN, AT(lengths)},
	{"counts", TLV_FLOAT64, SIZE_N, TLV_ONE, TLV_COUNTED, TLV_OWN, AT(counts)},
	{"numbers", TLV_FLOAT64, SIZE_D, SIZE_STEPS, TLV_ANY, TLV_OWN, AT(stored_x)},
	{"symbols", TLV_INT64, SIZE_SYMBOLS, TLV_ONE, TLV_ANY, TLV_OWN, AT(stored_symbols)},
};
#undef AT
static const tlv_sections sample_sections = {
	.state = sizeof(sample_state),
	.kind = TLV_KIND_SEQUENCE_SAMPLE,
	TLV_LIST(sample_list),
	.most = {TLV_SEQUENCE_MOST_SAMPLE, TLV_SEQUENCE_MOST_SAMPLE, TLV_SEQUENCE_MOST_SAMPLE,
			 TLV_SEQUENCE_MOST_SAMPLE},
	.describe = sequence_sample_describe,
	.check_more = sequence_sample_check,
	.merge_own = sequence_sample_merge,
};

static const tlv_accumulator_class sample_class = {.name = "sequence_sample",
												   .create = sequence_sample_create,
												   TLV_DECLARED(&sample_sections),
												   .rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS |
														   TLV_ROWS_MISSING_ELEMENTS,
												   .add = sequence_sample_add};

const tlv_kind tlv_kind_sequence_sample = {TLV_KIND_LINE(SEQUENCE_SAMPLE, sequence_sample),
										   .accumulator = &sample_class};

/* ---- the sample as rows ---- */

/* What is missing is NaN, and said. */
static tlv_status
mark_missing(tlv_context *ctx, size_t n, const double **x, bool **missing)
{
	size_t found = 0;
	double *copy;

	for (size_t i = 0; i < n; i++)
		found += (*x)[i] == MISSING;
	if (found == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, copy, n);
	TLV_TRY_NEW(ctx, *missing, n);
	for (size_t i = 0; i < n; i++)
	{
		(*missing)[i] = (*x)[i] == MISSING;
		copy[i] = (*missing)[i] ? NAN : (*x)[i];
	}
	*x = copy;
	return TLV_OK;
}

/* How many rows stand for all sequences of the sample: all, at most as many as their numbers and
 * `most` leave. */
static double
rows_of_sample(const tlv_frame *sample, size_t n, size_t d, size_t most, double *sequences)
{
	const int64_t *lengths = tlv_frame_int64(sample, "lengths");
	const double *counts = tlv_frame_float64(sample, "counts");
	double wanted = tlv_frame_scalar(sample, "count", 0), numbers = 0, rows;

	*sequences = 0;
	for (size_t i = 0; i < n; i++)
	{
		*sequences += counts[i];
		numbers += counts[i] * (double) lengths[i] * (double) d;
	}
	rows = fmin(*sequences, (double) most);
	return numbers > wanted ? fmax(fmin(rows, floor(*sequences * (wanted / numbers))), 1) : rows;
}

/* Equal rows do not follow each other: the first rows stand for all of them. */
static tlv_status
shuffle_rows(tlv_context *ctx, const tlv_frame *sample, size_t n, tlv_row **rows)
{
	tlv_row *shuffled;
	int64_t *order;
	tlv_rng rng;

	TLV_TRY_NEW(ctx, order, n);
	TLV_TRY_NEW(ctx, shuffled, n);
	tlv_rng_stream(&rng, (uint64_t) tlv_frame_scalar(sample, "seed", 0), 1);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, n, order));
	for (size_t i = 0; i < n; i++)
		shuffled[i] = (*rows)[order[i]];
	tlv_free(ctx, order);
	tlv_free(ctx, *rows);
	*rows = shuffled;
	return TLV_OK;
}

tlv_status
tlv_sequence_sample_rows(tlv_context *ctx, const tlv_frame *sample, size_t most, size_t *n,
						 tlv_row **rows)
{
	size_t different = tlv_frame_find(sample, "lengths")->rows, d, at = 0;
	const int64_t *lengths = tlv_frame_int64(sample, "lengths"), *numbers;
	double sequences, room, sum = 0.5, *share;
	bool *missing = NULL, symbols;
	const double *x;

	numbers = stored_numbers(sample, &symbols, &d);
	x = (const double *) numbers;
	room = rows_of_sample(sample, different, d, most, &sequences);
	TLV_TRY_NEW(ctx, *rows, (size_t) room);
	TLV_TRY_NEW(ctx, share, different);
	tlv_keyed_sample_share(different, tlv_frame_float64(sample, "counts"),
						   tlv_frame_scalar(sample, "sequences", 1), room, share);
	if (!symbols)
		TLV_TRY(mark_missing(ctx, d * tlv_frame_find(sample, "numbers")->columns, &x, &missing));
	*n = 0;
	for (size_t i = 0; i < different; i++)
	{
		size_t steps = (size_t) lengths[i];
		tlv_row row =
			symbols ? *TLV_AS_SYMBOLS(steps, numbers + at) : *TLV_AS_SEQUENCE(steps, d, x + at);

		row.part[0].missing = missing != NULL ? missing + at : NULL;
		for (sum += share[i]; (double) *n < room && (double) *n + 1 <= sum; (*n)++)
			(*rows)[*n] = row;
		at += steps * d;
	}
	tlv_free(ctx, share);
	return sequences > (double) different ? shuffle_rows(ctx, sample, *n, rows) : TLV_OK;
}
