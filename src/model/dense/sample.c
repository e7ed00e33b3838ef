/*
 * sample.c - a random sample of rows (dense.h): those of the smallest keys, which are hashes of
 * their content, so that it is the same in whatever order and parts the rows arrive.  Equal rows
 * have one key, and are kept as one row that counts as many.
 */
#include "tensorlv/model/dense.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/keyed_sample.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/sort.h"

typedef struct sample_key
{
	uint64_t key;
	size_t at;	  /* of its row */
	double count; /* rows that are equal to it, itself among them */
} sample_key;

/* The sizes: of a row, and how many different rows there are. */
#define SIZE_D TLV_SIZE_1
#define SIZE_N TLV_SIZE_2

typedef struct sample_state
{
	tlv_keyed_sample base;
	double seen; /* rows, the sample among them */
	size_t d;	 /* 0 before the first row */
	size_t n, room;
	size_t sorted;	  /* the first keys, in order already */
	sample_key *keys; /* room of them: behind the n in use, the places that are free */
	double *rows;	  /* d x room */
	double *counts;	  /* n, the stored form */
	double *codes;	  /* of the last row of categories or views */
	size_t codes_room;
} sample_state;

static uint64_t
dense_key_of(uint64_t seed, size_t d, const double *x)
{
	return tlv_keyed_sample_key(seed, d * sizeof(double), x);
}

/* Into order, by a sorted copy of those that were not: the last of all comes from either. */
static void
merge_keys(size_t before, sample_key *keys, size_t left, const sample_key *added)
{
	for (size_t to = before + left; left > 0;)
		if (before > 0 && keys[before - 1].key > added[left - 1].key)
			keys[--to] = keys[--before];
		else
			keys[--to] = added[--left];
}

static tlv_status
sample_sort(tlv_context *ctx, sample_state *state)
{
	static const tlv_sort_form form = {sizeof(sample_key), sizeof(uint64_t), 0, 64};
	size_t n = state->n - state->sorted;
	sample_key *added = state->keys + state->sorted, *work;
	void *sorted;
	tlv_status status;

	if (n == 0)
		return TLV_OK;
	work = tlv_alloc(ctx, n, sizeof(sample_key));
	TLV_TRY_ALLOC(ctx, work);
	status = tlv_radix_sort(ctx, &form, n, added, work, &sorted);
	if (status == TLV_OK && sorted == added)
		memcpy(work, added, n * sizeof(sample_key));
	if (status == TLV_OK)
		merge_keys(state->sorted, state->keys, n, work);
	tlv_free(ctx, work);
	return status;
}

/* Makes one of the keys that are equal; the others give back the places of their rows. */
static void
sample_unite(sample_state *state)
{
	sample_key *keys = state->keys;
	size_t n = 0;

	for (size_t i = 0; i < state->n; i++)
		if (n > 0 && keys[n - 1].key == keys[i].key)
			keys[n - 1].count += keys[i].count;
		else
		{
			sample_key key = keys[i];

			keys[i] = keys[n];
			keys[n++] = key;
		}
	state->n = n;
}

/* Keeps the smallest keys, in order. */
static tlv_status
sample_cut(tlv_context *ctx, sample_state *state)
{
	TLV_TRY(sample_sort(ctx, state));
	sample_unite(state);
	state->n = state->sorted = state->n < state->base.count ? state->n : state->base.count;
	if (state->n > 0 && state->n == state->base.count)
		state->base.largest = state->keys[state->n - 1].key;
	return TLV_OK;
}

/*
 * Twice the room, soon all that is wanted (steps near it would leave large holes behind), then a
 * little more, between two cuts.
 */
static size_t
next_room(const sample_state *state)
{
	/* Rows that there is room for at first, and beyond the sample: these, and that part of it. */
	const int first_room = 64, more_room = 1024, more_share = 16;

	/* From this part of the sample on there is room for all of it. */
	const int soon = 16;
	size_t room = state->room < first_room ? first_room : 2 * state->room;

	if (state->room >= state->base.count)
		return state->base.count + state->base.count / more_share + more_room;
	return room < state->base.count / soon ? room : state->base.count;
}

/* Room for one more row. */
static tlv_status
sample_grow(tlv_context *ctx, sample_state *state)
{
	size_t room = next_room(state);
	double *rows;
	sample_key *keys;

	if (state->n < state->room)
		return TLV_OK;
	if (state->room == room)
		return sample_cut(ctx, state);
	rows = tlv_realloc(ctx, state->rows, room, state->d * sizeof(double));
	TLV_TRY_ALLOC(ctx, rows);
	state->rows = rows;
	keys = tlv_realloc(ctx, state->keys, room, sizeof(sample_key));
	TLV_TRY_ALLOC(ctx, keys);
	state->keys = keys;
	for (; state->room < room; state->room++)
		keys[state->room].at = state->room;
	return TLV_OK;
}

static tlv_status
sample_add_vector(tlv_context *ctx, sample_state *state, const double *x, double count)
{
	uint64_t key = dense_key_of(state->base.seed, state->d, x);
	sample_key *fresh;

	if (key > state->base.largest)
		return TLV_OK;
	TLV_TRY(sample_grow(ctx, state));
	fresh = &state->keys[state->n++];
	fresh->key = key;
	fresh->count = count;
	memcpy(state->rows + fresh->at * state->d, x, state->d * sizeof(double));
	return TLV_OK;
}

static tlv_status
check_vector(tlv_context *ctx, const sample_state *state, size_t d, const double *x)
{
	if (d == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a vector has no elements");
	if (state->d > 0 && d != state->d)
		return tlv_refuse_length(ctx, d, state->d);
	for (size_t i = 0; i < d; i++)
		if (!isfinite(x[i]))
			return tlv_refuse_element(ctx, i, x[i]);
	return TLV_OK;
}

/* Room for a row that is not made of numbers, or not of one array. */
static tlv_status
room_for_row(tlv_context *ctx, sample_state *state, size_t d)
{
	double *room;

	if (d <= state->codes_room)
		return TLV_OK;
	room = tlv_realloc(ctx, state->codes, d, sizeof(double));
	TLV_TRY_ALLOC(ctx, room);
	state->codes = room;
	state->codes_room = d;
	return TLV_OK;
}

/* A row of categories as numbers; what is missing is -1. */
static tlv_status
sample_codes(tlv_context *ctx, sample_state *state, const tlv_part *part)
{
	TLV_TRY(room_for_row(ctx, state, part->d));
	for (size_t i = 0; i < part->d; i++)
		state->codes[i] = part->codes[i];
	return TLV_OK;
}

/* Three views one behind the other; of ids both halves, since a double does not hold every id. */
static tlv_status
sample_views(tlv_context *ctx, sample_state *state, const tlv_row *row, size_t *d)
{
	bool ids = row->form == TLV_ROW_CATEGORIES;
	double *to;

	TLV_TRY(tlv_row_require_parts(ctx, row));
	*d = ids ? TLV_SAMPLE_HALVES : row->part[0].d + row->part[1].d + row->part[2].d;
	TLV_TRY(room_for_row(ctx, state, *d));
	to = state->codes;
	for (int t = 0; t < 3; to += ids ? TLV_SAMPLE_HALVES / 3 : row->part[t].d, t++)
		if (ids)
			tlv_sample_halves(*row->part[t].ids, to);
		else
			memcpy(to, row->part[t].float64, row->part[t].d * sizeof(double));
	return TLV_OK;
}

void
tlv_sample_halves(int64_t id, double halves[2])
{
	halves[0] = (double) ((uint64_t) id >> 32);
	halves[1] = (double) ((uint64_t) id & UINT32_MAX);
}

int64_t
tlv_sample_id(const double halves[2])
{
	return (int64_t) ((uint64_t) halves[0] << 32 | (uint64_t) halves[1]);
}

static tlv_status
sample_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	sample_state *state = (sample_state *) accumulator;
	const double *x = row->part[0].float64;
	size_t d = row->part[0].d;

	if (row->form == TLV_ROW_CODES && tlv_codes_missing(d, row->part[0].codes))
	{
		accumulator->nulls++;
		return TLV_OK;
	}
	if (row->form == TLV_ROW_CODES)
		TLV_TRY(sample_codes(ctx, state, &row->part[0]));
	else if (row->form != TLV_ROW_VECTOR)
		TLV_TRY(sample_views(ctx, state, row, &d));
	x = row->form == TLV_ROW_VECTOR ? x : state->codes;
	TLV_TRY(check_vector(ctx, state, d, x));
	state->d = d;
	TLV_TRY(tlv_count_one(ctx, "seen", &state->seen));
	return sample_add_vector(ctx, state, x, 1);
}

/* ---- aggregate and merging ---- */

static tlv_status
sample_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_keyed_sample_create(ctx, tlv_kind_row_sample.accumulator, accumulator);
}

static tlv_status
sample_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return tlv_keyed_sample_begin(ctx, tlv_kind_row_sample.accumulator, constants,
								  TLV_DENSE_MOST_SAMPLE, "rows", accumulator);
}

const tlv_aggregate tlv_aggregate_row_sample = {"tlv_row_sample", NULL, sample_begin};

static tlv_status
sample_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	sample_state *state = (sample_state *) accumulator;
	const tlv_section *rows = tlv_frame_find(frame, "rows");
	const double *x = tlv_section_data(frame, rows), *counts = tlv_frame_float64(frame, "counts");

	TLV_TRY(tlv_keyed_sample_join(ctx, &state->base, frame, "rows"));
	if (rows->columns > 0 && state->d > 0 && rows->rows != state->d)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "samples of vectors of length %zu and %zu cannot be merged",
				 state->d, (size_t) rows->rows);
		return tlv_fail_hint(ctx, "All parts must have the same columns.");
	}
	state->d = rows->columns > 0 ? rows->rows : state->d;
	for (size_t t = 0; t < rows->columns; t++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		TLV_TRY(sample_add_vector(ctx, state, x + t * state->d, counts[t]));
	}
	return TLV_OK;
}

/* ---- the stored value ---- */

/* Moves the rows to where their keys are, each circle of moves through one more place. */
static tlv_status
sample_arrange(tlv_context *ctx, sample_state *state)
{
	size_t d = state->d, from;
	sample_key *keys = state->keys;
	double *rows = state->rows, *moved = tlv_alloc(ctx, d, sizeof(double));

	TLV_TRY_ALLOC(ctx, moved);
	for (size_t first = 0; first < state->n; first++)
	{
		size_t to = first;

		TLV_TRY_CONTINUE_OFTEN(ctx, first);
		memcpy(moved, rows + first * d, d * sizeof(double));
		for (; (from = keys[to].at) != first; to = from)
		{
			memcpy(rows + to * d, rows + from * d, d * sizeof(double));
			keys[to].at = to;
		}
		memcpy(rows + to * d, moved, d * sizeof(double));
		keys[to].at = to;
	}
	tlv_free(ctx, moved);
	return TLV_OK;
}

static tlv_status
sample_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	sample_state *state = (sample_state *) accumulator;

	TLV_TRY(sample_cut(ctx, state));
	TLV_TRY(sample_arrange(ctx, state));
	TLV_TRY_NEW(ctx, state->counts, state->n);
	*owned = state->counts;
	for (size_t i = 0; i < state->n; i++)
		state->counts[i] = state->keys[i].count;
	state->base.declared.sizes[SIZE_D] = state->d;
	state->base.declared.sizes[SIZE_N] = state->n;
	tlv_keyed_sample_describe(&state->base);
	return TLV_OK;
}

/* The rows are in the order of their keys. */
static tlv_status
check_order(tlv_context *ctx, uint64_t seed, size_t n, size_t d, const double *x)
{
	uint64_t before = 0;

	for (size_t t = 0; t < n; t++)
	{
		uint64_t key = dense_key_of(seed, d, x + t * d);

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		if (t > 0 && key <= before)
			return tlv_fail(ctx, TLV_CORRUPT, "row %zu of a sample is out of order", t + 1);
		before = key;
	}
	return TLV_OK;
}

/* Rows are left out only when there are as many as were wanted. */
static tlv_status
dense_check_counts(tlv_context *ctx, const tlv_frame *frame, size_t n, double wanted)
{
	const double *counts = tlv_frame_float64(frame, "counts");
	double seen = tlv_frame_scalar(frame, "seen", 0), total = 0;

	for (size_t t = 0; t < n; t++)
		total += counts[t];
	if (total > seen || (total < seen && (double) n < wanted))
		return tlv_fail(ctx, TLV_CORRUPT, "the rows of a sample are not as many as it says");
	return TLV_OK;
}

static tlv_status
sample_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t d = sizes[SIZE_D], n = sizes[SIZE_N];
	uint64_t seed;

	TLV_TRY(tlv_keyed_sample_check(ctx, frame, (double) n, TLV_DENSE_MOST_SAMPLE, "rows", &seed));
	if ((d == 0) != (n == 0))
		return tlv_fail(ctx, TLV_CORRUPT, "the rows of a sample are not as many as it says");
	TLV_TRY(dense_check_counts(ctx, frame, n, tlv_frame_scalar(frame, "count", 0)));
	return check_order(ctx, seed, n, d, tlv_frame_float64(frame, "rows"));
}

#define AT(member) offsetof(sample_state, member)
static const tlv_declaration sample_list[] = {
	{"seen", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(seen)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(base.declared.base.nulls)},
	TLV_KEYED_SAMPLE_COUNT,
	TLV_KEYED_SAMPLE_SEED,
	{"rows", TLV_FLOAT64, SIZE_D, SIZE_N, TLV_ANY, TLV_OWN, AT(rows)},
	{"counts", TLV_FLOAT64, SIZE_N, TLV_ONE, TLV_COUNTED, TLV_OWN, AT(counts)},
};
#undef AT
static const tlv_sections sample_sections = {
	.state = sizeof(sample_state),
	.kind = TLV_KIND_ROW_SAMPLE,
	TLV_LIST(sample_list),
	.most = {TLV_FRAME_MAX_BYTES / sizeof(double), TLV_DENSE_MOST_SAMPLE},
	.describe = sample_describe,
	.check_more = sample_check,
	.merge_own = sample_merge,
};

/* ---- the sample as rows ---- */

tlv_status
tlv_row_sample_rows(tlv_context *ctx, const tlv_frame *sample, size_t *n, double **rows)
{
	const tlv_section *section = tlv_frame_find(sample, "rows");
	const double *from = tlv_section_data(sample, section);
	size_t d = section->rows, at = 0;
	double wanted = fmin(tlv_frame_scalar(sample, "count", 0), tlv_frame_scalar(sample, "seen", 0));
	double *share, sum = 0.5;

	*n = section->columns == 0 ? 0 : (size_t) wanted;
	TLV_TRY_NEW(ctx, *rows, *n * d);
	share = tlv_alloc(ctx, section->columns, sizeof(double));
	TLV_TRY_ALLOC(ctx, share);
	tlv_keyed_sample_share(section->columns, tlv_frame_float64(sample, "counts"),
						   tlv_frame_scalar(sample, "seen", 1), wanted, share);
	for (size_t t = 0; t < section->columns; t++)
		for (sum += share[t]; at < *n && (double) at + 1 <= sum; at++)
		{
			TLV_TRY_CONTINUE_OFTEN(ctx, at);
			memcpy(*rows + at * d, from + t * d, d * sizeof(double));
		}
	for (; at > 0 && at < *n; at++) /* what rounding has left */
		memcpy(*rows + at * d, *rows, d * sizeof(double));
	tlv_free(ctx, share);
	return TLV_OK;
}

static const tlv_accumulator_class sample_class = {.name = "row_sample",
												   .create = sample_create,
												   TLV_DECLARED(&sample_sections),
												   .rows = TLV_ROW_VECTOR | TLV_ROW_CODES |
														   TLV_ROW_VIEWS | TLV_ROW_CATEGORIES,
												   .add = sample_add};

const tlv_kind tlv_kind_row_sample = {TLV_KIND_LINE(ROW_SAMPLE, row_sample),
									  .accumulator = &sample_class};
