/*
 * block.c - tables of pairs of a block of rows: by bit planes where
 * variables have few states, by tables of two codes where they have many.
 *
 * Of d states only d - 1 planes are made, and one of the rows where the
 * variable is present if it is not so everywhere: the last state is what is left.
 */
#include <string.h>

#include "tensorlv/num/bit_planes.h"
#include "internal.h"

/* Planes, and variables, of a group: the planes of two groups are counted against each other. */
#define GROUP_PLANES ((size_t) 64)
/* One variable alone may have more: of 100 states. */
#define MOST_PLANES ((size_t) 104)
/* Bytes of a column of the few rows whose planes are made at once. */
#define FEW_ROOM (TLV_PLANE_ROWS + 64)
/* Entries of the largest table of two codes. */
#define MOST_CELLS ((size_t) (TLV_CATEGORY_MOST_STATES + 1) * (TLV_CATEGORY_MOST_STATES + 1))

/* Work space of a pair. */
typedef struct pair_work
{
	uint32_t counts[MOST_PLANES * MOST_PLANES]; /* of the planes of two groups */
	uint32_t scratch[TLV_TABLE_SCRATCH];
	uint32_t joint[MOST_CELLS];
	uint32_t table[MOST_CELLS];
} pair_work;

/* ---- groups of variables, by position in the order ---- */

typedef struct group
{
	size_t first, end; /* positions */
	size_t planes;
	size_t codes; /* sum of states + 1 */
} group;

static group
next_group(const category_block *block, size_t first)
{
	group g = {first, first, 0, 0};

	while (g.end < block->layout->p && g.end - first < GROUP_PLANES)
	{
		size_t planes = category_planes(block, g.end);

		if (g.end > first && g.planes + planes > GROUP_PLANES)
			break;
		g.planes += planes;
		g.codes += (size_t) block->layout->states[block->order[g.end]] + 1;
		g.end++;
	}
	return g;
}

static bool
planes_are_cheaper(const category_block *block, const group *g, const group *h)
{
	double by_planes =
		tlv_plane_cost() * (double) (64 * block->words) * (double) (g->planes * h->planes);
	double pairs = (double) ((g->end - g->first) * (h->end - h->first));

	return by_planes <=
		   CATEGORY_TABLE_COST * (double) block->n * pairs + 2.0 * (double) (g->codes * h->codes);
}

/* Whether any pair of groups is counted by tables of codes. */
static bool
needs_tables(const category_block *block)
{
	group g, h;

	for (size_t i = 0; i < block->layout->p; i = g.end)
	{
		g = next_group(block, i);
		for (size_t j = i; j < block->layout->p; j = h.end)
		{
			h = next_group(block, j);
			if (!planes_are_cheaper(block, &g, &h))
				return true;
		}
	}
	return false;
}

/* ---- the block ---- */

/* Variables by their number of states, few first. */
static void
sort_by_states(const category_layout *layout, size_t *order)
{
	size_t begin[TLV_CATEGORY_MOST_STATES + 2] = {0};

	for (size_t v = 0; v < layout->p; v++)
		begin[layout->states[v] + 1]++;
	for (size_t d = 1; d < TLV_CATEGORY_MOST_STATES + 2; d++)
		begin[d] += begin[d - 1];
	for (size_t v = 0; v < layout->p; v++)
		order[begin[layout->states[v]]++] = v;
}

static void
place_planes(category_block *block)
{
	const category_layout *layout = block->layout;

	block->first_plane[0] = 0;
	for (size_t i = 0; i < layout->p; i++)
	{
		size_t v = block->order[i], d = (size_t) layout->states[v];

		block->first_plane[i + 1] =
			block->first_plane[i] + (d == 0 ? 0 : d - 1 + (block->missing[v] ? 1 : 0));
	}
}

/* Planes of the words from `word` on, of columns that begin there. */
static void
make_planes(category_block *block, size_t word, const uint8_t *columns, size_t room)
{
	for (size_t i = 0; i < block->layout->p; i++)
	{
		size_t v = block->order[i], d = (size_t) block->layout->states[v];
		const uint8_t *column = columns + v * room;
		uint64_t *plane = block->planes + block->first_plane[i] * block->words + word;

		for (size_t s = 0; s + 1 < d; s++, plane += block->words)
			tlv_plane_equal(TLV_PLANE_WORDS, column, (uint8_t) (s + 1), plane);
		if (d > 0 && block->missing[v])
			tlv_plane_present(TLV_PLANE_WORDS, column, plane);
	}
}

/* A few rows at a time, whose columns fit the cache; all columns are kept where tables of codes are
 * counted. */
static tlv_status
make_columns(tlv_context *ctx, const category_state *state, category_block *block)
{
	size_t p = state->layout.p, n = block->n;
	uint8_t *few = NULL, *columns;

	if (block->columns == NULL)
	{
		few = tlv_alloc(ctx, p, FEW_ROOM);
		TLV_TRY_ALLOC(ctx, few);
	}
	for (size_t r = 0; r < n; r += TLV_PLANE_ROWS)
	{
		size_t rows = n - r < TLV_PLANE_ROWS ? n - r : TLV_PLANE_ROWS;
		size_t room = few != NULL ? FEW_ROOM : block->room;

		columns = few != NULL ? few : block->columns + r;
		for (size_t v = 0; v < p && rows < TLV_PLANE_ROWS; v++)
			memset(columns + v * room + rows, 0, TLV_PLANE_ROWS - rows);
		tlv_codes_transpose(rows, p, state->block + r * p, room, columns);
		make_planes(block, r / 64, columns, room);
	}
	tlv_free(ctx, few);
	return TLV_OK;
}

static tlv_status
create_block(tlv_context *ctx, const category_state *state, category_block *block)
{
	size_t p = state->layout.p, n = state->block_rows;

	memset(block, 0, sizeof(*block));
	block->layout = &state->layout;
	block->n = n;
	block->words = tlv_plane_words(n);
	/* Columns a multiple of 4096 bytes apart would share few places of the cache. */
	block->room = 64 * block->words + 64;
	TLV_TRY_NEW(ctx, block->order, p);
	TLV_TRY_NEW(ctx, block->first_plane, p + 1);
	TLV_TRY_NEW(ctx, block->missing, p);
	TLV_TRY_NEW0(ctx, block->singles, state->layout.offset[p]);
	if (state->sums.triples != NULL)
		TLV_TRY_NEW(ctx, block->pairs, state->layout.pair_row[p]);
	sort_by_states(&state->layout, block->order);
	for (size_t v = 0; v < p; v++)
		block->missing[v] = state->least[v] == 0;
	place_planes(block);
	if (state->sums.triples != NULL || needs_tables(block))
	{
		block->columns = tlv_alloc(ctx, p, block->room);
		TLV_TRY_ALLOC(ctx, block->columns);
	}
	TLV_TRY_NEW_ROWS(ctx, block->planes, block->first_plane[p], block->words);
	return make_columns(ctx, state, block);
}

static void
free_block(tlv_context *ctx, category_block *block)
{
	tlv_free(ctx, block->planes);
	tlv_free(ctx, block->columns);
	tlv_free(ctx, block->pairs);
	tlv_free(ctx, block->singles);
	tlv_free(ctx, block->missing);
	tlv_free(ctx, block->first_plane);
	tlv_free(ctx, block->order);
}

/* ---- single variables ---- */

static void
count_singles(category_block *block, double *singles)
{
	const category_layout *layout = block->layout;

	for (size_t i = 0; i < layout->p; i++)
	{
		size_t v = block->order[i], d = (size_t) layout->states[v];
		uint32_t *extended = block->singles + layout->offset[v], left;

		if (d == 0)
			continue;
		for (size_t s = 0; s < category_planes(block, i); s++)
			extended[s] = tlv_plane_count(
				block->words, block->planes + (block->first_plane[i] + s) * block->words);
		if (!block->missing[v])
			extended[d - 1] = (uint32_t) block->n;
		left = extended[d - 1];
		for (size_t s = 0; s + 1 < d; s++)
		{
			singles[layout->offset[v] + s] += extended[s];
			left -= extended[s];
		}
		singles[layout->offset[v] + d - 1] += left;
	}
}

/* ---- pairs ---- */

/* The extended table of a < b from counts of planes, [x * stride_a + y * stride_b]. */
static void
extend_counts(const category_block *block, size_t a, size_t b, const uint32_t *counts,
			  size_t stride_a, size_t stride_b, uint32_t *table)
{
	const category_layout *layout = block->layout;
	const uint32_t *single_a = block->singles + layout->offset[a];
	const uint32_t *single_b = block->singles + layout->offset[b];
	size_t da = (size_t) layout->states[a], db = (size_t) layout->states[b];
	size_t planes_a = block->missing[a] ? da : da - 1, planes_b = block->missing[b] ? db : db - 1;

	for (size_t x = 0; x < planes_a; x++)
	{
		for (size_t y = 0; y < planes_b; y++)
			table[x * db + y] = counts[x * stride_a + y * stride_b];
		if (planes_b < db)
			table[x * db + db - 1] = single_a[x];
	}
	if (planes_a < da)
		memcpy(table + (da - 1) * db, single_b, db * sizeof(uint32_t));
}

/* The last states from what the others leave. */
static void
complete_pairs(size_t da, size_t db, uint32_t *table)
{
	for (size_t x = 0; x < da; x++)
		for (size_t y = 0; y + 1 < db; y++)
			table[x * db + db - 1] -= table[x * db + y];
	for (size_t x = 0; x + 1 < da; x++)
		for (size_t y = 0; y < db; y++)
			table[(da - 1) * db + y] -= table[x * db + y];
}

/* The inverse of complete. */
static void
extend(size_t da, size_t db, uint32_t *table)
{
	for (size_t x = 0; x + 1 < da; x++)
		for (size_t y = 0; y < db; y++)
			table[(da - 1) * db + y] += table[x * db + y];
	for (size_t x = 0; x < da; x++)
		for (size_t y = 0; y + 1 < db; y++)
			table[x * db + db - 1] += table[x * db + y];
}

static inline void
add_counts(size_t n, const uint32_t *restrict counts, double *restrict sums)
{
	for (size_t i = 0; i < n; i++)
		sums[i] += counts[i];
}

/* The usual case, two states each, without loops. */
static void
count_binary_pair(category_block *block, size_t a, size_t b, const uint32_t *counts,
				  size_t stride_a, size_t stride_b, double *pairs)
{
	const category_layout *layout = block->layout;
	const uint32_t *single_a = block->singles + layout->offset[a];
	const uint32_t *single_b = block->singles + layout->offset[b];
	bool gone_a = block->missing[a], gone_b = block->missing[b];
	size_t at = category_pair_offset(layout, a, b);
	uint32_t both = counts[0];
	uint32_t first_a = gone_b ? counts[stride_b] : single_a[0];
	uint32_t first_b = gone_a ? counts[stride_a] : single_b[0];
	uint32_t all = !gone_a ? single_b[1] : !gone_b ? single_a[1] : counts[stride_a + stride_b];

	if (block->pairs != NULL)
		memcpy(block->pairs + at, (uint32_t[4]){both, first_a, first_b, all}, 4 * sizeof(uint32_t));
	pairs[at] += both;
	pairs[at + 1] += first_a - both;
	pairs[at + 2] += first_b - both;
	pairs[at + 3] += all - first_a - (first_b - both);
}

static void
count_pair_by_planes(category_block *block, size_t a, size_t b, const uint32_t *counts,
					 size_t stride_a, size_t stride_b, pair_work *work, double *pairs)
{
	const category_layout *layout = block->layout;
	size_t da = (size_t) layout->states[a], db = (size_t) layout->states[b];
	size_t at = category_pair_offset(layout, a, b);

	if (da == 2 && db == 2)
	{
		count_binary_pair(block, a, b, counts, stride_a, stride_b, pairs);
		return;
	}
	extend_counts(block, a, b, counts, stride_a, stride_b, work->table);
	if (block->pairs != NULL)
		memcpy(block->pairs + at, work->table, da * db * sizeof(uint32_t));
	complete_pairs(da, db, work->table);
	add_counts(da * db, work->table, pairs + at);
}

static void
count_pair_by_table(category_block *block, size_t a, size_t b, pair_work *work, double *pairs)
{
	const category_layout *layout = block->layout;
	size_t da = (size_t) layout->states[a], db = (size_t) layout->states[b];
	size_t at = category_pair_offset(layout, a, b);

	tlv_codes_count(block->n, block->columns + a * block->room, (uint32_t) db + 1,
					block->columns + b * block->room, (da + 1) * (db + 1), work->scratch,
					work->joint);
	for (size_t x = 0; x < da; x++)
		memcpy(work->table + x * db, work->joint + (x + 1) * (db + 1) + 1, db * sizeof(uint32_t));
	add_counts(da * db, work->table, pairs + at);
	if (block->pairs != NULL)
	{
		extend(da, db, work->table);
		memcpy(block->pairs + at, work->table, da * db * sizeof(uint32_t));
	}
}

/* ---- pairs of groups ---- */

/* Pairs of a variable of one group with one of another, or of the same. */
static void
count_groups(category_block *block, const group *g, const group *h, pair_work *work, double *pairs)
{
	bool by_planes = planes_are_cheaper(block, g, h);

	if (by_planes)
		tlv_planes_count(block->words, g->planes,
						 block->planes + block->first_plane[g->first] * block->words, h->planes,
						 block->planes + block->first_plane[h->first] * block->words, work->counts);
	for (size_t i = g->first; i < g->end; i++)
		for (size_t j = h->first > i ? h->first : i + 1; j < h->end; j++)
		{
			size_t u = block->order[i], v = block->order[j];
			const uint32_t *counts =
				work->counts + (block->first_plane[i] - block->first_plane[g->first]) * h->planes +
				(block->first_plane[j] - block->first_plane[h->first]);

			if (block->layout->states[u] == 0 || block->layout->states[v] == 0)
				continue;
			if (!by_planes)
				count_pair_by_table(block, u < v ? u : v, u < v ? v : u, work, pairs);
			else if (u < v)
				count_pair_by_planes(block, u, v, counts, h->planes, 1, work, pairs);
			else
				count_pair_by_planes(block, v, u, counts, 1, h->planes, work, pairs);
		}
}

static tlv_status
count_pairs(tlv_context *ctx, category_block *block, double *pairs)
{
	pair_work *work = tlv_alloc(ctx, 1, sizeof(pair_work));
	size_t p = block->layout->p;
	group g, h;

	TLV_TRY_ALLOC(ctx, work);
	for (size_t i = 0; i < p; i = g.end)
	{
		g = next_group(block, i);
		for (size_t j = i; j < p; j = h.end)
		{
			TLV_TRY_CONTINUE(ctx);
			h = next_group(block, j);
			count_groups(block, &g, &h, work, pairs);
		}
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

/* ---- all of it ---- */

tlv_status
category_count(tlv_context *ctx, category_state *state)
{
	category_block block;

	TLV_TRY(create_block(ctx, state, &block));
	count_singles(&block, state->sums.singles);
	TLV_TRY(count_pairs(ctx, &block, state->sums.pairs));
	if (state->sums.triples != NULL)
		TLV_TRY(category_count_triples(ctx, &block, state->sums.triples));
	free_block(ctx, &block);
	return TLV_OK;
}

tlv_status
category_flush(tlv_context *ctx, category_state *state)
{
	size_t p = state->layout.p;
	int64_t *states;
	tlv_status status;

	if (state->block_rows == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, states, p);
	for (size_t v = 0; v < p; v++)
		states[v] = state->largest[v];
	status = category_grow(ctx, state, p, states);
	tlv_free(ctx, states);
	TLV_TRY(status);
	TLV_TRY(category_count(ctx, state));
	if (state->replicates > 0)
		TLV_TRY(category_count_parts(ctx, state));
	state->rows += (double) state->block_rows;
	state->block_rows = 0;
	memset(state->largest, 0, p);
	memset(state->least, UINT8_MAX, p);
	return TLV_OK;
}
