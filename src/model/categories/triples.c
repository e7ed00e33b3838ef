/*
 * triples.c - tables of triples of a block of rows: the intersections
 * of two variables' planes against a third's, or tables of three codes.
 */
#include <string.h>

#include "tensorlv/num/bit_planes.h"
#include "internal.h"

/* Intersections of the planes of two variables, kept at once. */
#define MOST_INTERSECTIONS ((size_t) 512)

typedef struct triple_work
{
	const category_block *block;
	double *triples;
	uint64_t *planes; /* MOST_INTERSECTIONS */
	uint32_t *key;	  /* n: of the two first codes */
	uint32_t *counts; /* intersections x planes of a third variable */
	uint32_t *table;  /* the largest table, with missing values */
	uint32_t *joint;
	uint32_t scratch[TLV_TABLE_SCRATCH];
} triple_work;

/* Three variables in the order of the table. */
typedef struct triple
{
	size_t v[3];
	size_t d[3];
	size_t planes[3];
} triple;

static inline uint32_t
extended_pair(const category_block *block, size_t a, size_t b, size_t x, size_t y)
{
	const category_layout *layout = block->layout;

	return block->pairs[category_pair_offset(layout, a, b) + x * (size_t) layout->states[b] + y];
}

/* One entry of the extended table: where a variable is always present, it is that of a pair. */
static inline uint32_t
extended_entry(const triple_work *work, const triple *t, size_t x, size_t y, size_t z)
{
	if (x >= t->planes[0])
		return extended_pair(work->block, t->v[1], t->v[2], y, z);
	if (y >= t->planes[1])
		return extended_pair(work->block, t->v[0], t->v[2], x, z);
	if (z >= t->planes[2])
		return extended_pair(work->block, t->v[0], t->v[1], x, y);
	return work->counts[(x * t->planes[1] + y) * t->planes[2] + z];
}

/* The last states from what the others leave, variable by variable. */
static void
complete_triples(const size_t d[3], uint32_t *table)
{
	size_t plane = d[1] * d[2], last = (d[0] - 1) * plane;

	for (size_t i = 0; i < d[0] * d[1]; i++)
		for (size_t z = 0; z + 1 < d[2]; z++)
			table[i * d[2] + d[2] - 1] -= table[i * d[2] + z];
	for (size_t x = 0; x < d[0]; x++)
		for (size_t y = 0; y + 1 < d[1]; y++)
			for (size_t z = 0; z < d[2]; z++)
				table[x * plane + (d[1] - 1) * d[2] + z] -= table[x * plane + y * d[2] + z];
	for (size_t x = 0; x + 1 < d[0]; x++)
		for (size_t i = 0; i < plane; i++)
			table[last + i] -= table[x * plane + i];
}

static void
count_by_planes(triple_work *work, const triple *t, const uint64_t *third)
{
	uint32_t *entry = work->table;

	tlv_planes_count(work->block->words, t->planes[0] * t->planes[1], work->planes, t->planes[2],
					 third, work->counts);
	for (size_t x = 0; x < t->d[0]; x++)
		for (size_t y = 0; y < t->d[1]; y++)
			for (size_t z = 0; z < t->d[2]; z++)
				*entry++ = extended_entry(work, t, x, y, z);
	complete_triples(t->d, work->table);
}

static void
count_by_table(triple_work *work, const triple *t)
{
	const category_block *block = work->block;
	size_t codes[3] = {t->d[0] + 1, t->d[1] + 1, t->d[2] + 1};

	tlv_keys_count(block->n, work->key, (uint32_t) codes[2], block->columns + t->v[2] * block->room,
				   codes[0] * codes[1] * codes[2], work->scratch, work->joint);
	for (size_t x = 0; x < t->d[0]; x++)
		for (size_t y = 0; y < t->d[1]; y++)
			memcpy(work->table + (x * t->d[1] + y) * t->d[2],
				   work->joint + ((x + 1) * codes[1] + y + 1) * codes[2] + 1,
				   t->d[2] * sizeof(uint32_t));
}

static bool
triples_planes_are_cheaper(const category_block *block, const triple *t)
{
	double by_planes = tlv_plane_cost() * (double) (64 * block->words) *
					   (double) (t->planes[0] * t->planes[1] * t->planes[2]);
	double cells = (double) ((t->d[0] + 1) * (t->d[1] + 1) * (t->d[2] + 1));

	return t->planes[0] * t->planes[1] <= MOST_INTERSECTIONS &&
		   by_planes <= CATEGORY_TABLE_COST * (double) block->n + 2 * cells;
}

/* ---- all triples of two variables and a third ---- */

static void
set_variable(const category_block *block, const size_t *position, triple *t, int i, size_t v)
{
	t->v[i] = v;
	t->d[i] = (size_t) block->layout->states[v];
	t->planes[i] = category_planes(block, position[v]);
}

static const uint64_t *
planes_of(const category_block *block, const size_t *position, size_t v)
{
	return block->planes + block->first_plane[position[v]] * block->words;
}

static void
intersect(triple_work *work, const size_t *position, const triple *t)
{
	const category_block *block = work->block;
	size_t words = block->words;
	const uint64_t *a = planes_of(block, position, t->v[0]);
	const uint64_t *b = planes_of(block, position, t->v[1]);

	for (size_t x = 0; x < t->planes[0]; x++)
		for (size_t y = 0; y < t->planes[1]; y++)
			tlv_plane_and(words, a + x * words, b + y * words,
						  work->planes + (x * t->planes[1] + y) * words);
}

static tlv_status
count_with_pair(tlv_context *ctx, triple_work *work, const size_t *position, triple *t)
{
	const category_block *block = work->block;
	const category_layout *layout = block->layout;
	bool intersected = false, joined = false;

	for (size_t c = t->v[1] + 1; c < layout->p; c++)
	{
		double *sums = work->triples + category_triple_offset(layout, t->v[0], t->v[1], c);

		TLV_TRY_CONTINUE(ctx);
		set_variable(block, position, t, 2, c);
		if (t->d[2] == 0)
			continue;
		if (triples_planes_are_cheaper(block, t))
		{
			if (!intersected)
				intersect(work, position, t);
			intersected = true;
			count_by_planes(work, t, planes_of(block, position, c));
		}
		else
		{
			if (!joined)
				tlv_codes_join(block->n, block->columns + t->v[0] * block->room,
							   (uint32_t) t->d[1] + 1, block->columns + t->v[1] * block->room,
							   work->key);
			joined = true;
			count_by_table(work, t);
		}
		for (size_t i = 0; i < t->d[0] * t->d[1] * t->d[2]; i++)
			sums[i] += work->table[i];
	}
	return TLV_OK;
}

/* Room for the largest three numbers of states. */
static tlv_status
triples_create_work(tlv_context *ctx, triple_work *work)
{
	const category_block *block = work->block;
	size_t cells = 1, p = block->layout->p;

	for (size_t i = p < 3 ? 0 : p - 3; i < p; i++)
		cells *= (size_t) block->layout->states[block->order[i]] + 1;
	TLV_TRY_NEW(ctx, work->planes, MOST_INTERSECTIONS * block->words);
	TLV_TRY_NEW(ctx, work->key, block->n);
	TLV_TRY_NEW(ctx, work->counts, MOST_INTERSECTIONS * (TLV_CATEGORY_MOST_STATES + 1));
	TLV_TRY_NEW(ctx, work->table, cells);
	TLV_TRY_NEW(ctx, work->joint, cells);
	return TLV_OK;
}

static void
triples_free_work(tlv_context *ctx, triple_work *work)
{
	tlv_free(ctx, work->joint);
	tlv_free(ctx, work->table);
	tlv_free(ctx, work->counts);
	tlv_free(ctx, work->key);
	tlv_free(ctx, work->planes);
}

tlv_status
category_count_triples(tlv_context *ctx, const category_block *block, double *triples)
{
	triple_work work = {.block = block, .triples = triples};
	size_t p = block->layout->p;
	size_t *position = tlv_alloc(ctx, p, sizeof(size_t));
	triple t = {{0}, {0}, {0}};

	TLV_TRY_ALLOC(ctx, position);
	for (size_t i = 0; i < p; i++)
		position[block->order[i]] = i;
	TLV_TRY(triples_create_work(ctx, &work));
	for (size_t a = 0; a < p; a++)
	{
		set_variable(block, position, &t, 0, a);
		for (size_t b = a + 1; b < p && t.d[0] > 0; b++)
		{
			set_variable(block, position, &t, 1, b);
			if (t.d[1] > 0)
				TLV_TRY(count_with_pair(ctx, &work, position, &t));
		}
	}
	triples_free_work(ctx, &work);
	tlv_free(ctx, position);
	return TLV_OK;
}
