/*
 * bootstrap.c - the Poisson bootstrap of category moments: every row
 * weighs Poisson(1) in every replicate, all replicates in one pass.
 *
 * Tables of few states: the weights are cut into planes, one for every bit of every replicate, and
 * counted against the planes of the cells.  Of many: the rows' vectors of weights are added to the
 * vector of their cell.
 */
#include <string.h>

#include "tensorlv/num/bit_planes.h"
#include "internal.h"
#include "tensorlv/num/rng.h"

/* P(w < j) for j = 1, 2, ... as a part of 2^32; what is behind the last has probability 1e-11. */
static const uint32_t poisson_limit[] = {
	1580030169, 3160060337, 3950075422, 4213413783, 4279248374, 4292415292,
	4294609778, 4294923276, 4294962463, 4294966817, 4294967253, 4294967292,
};
#define POISSON_LIMITS (sizeof(poisson_limit) / sizeof(poisson_limit[0]))
/* Bits of the largest weight, 12. */
#define WEIGHT_BITS 4

/* Planes of cells counted at once. */
#define CELL_PLANES ((size_t) 32)
/* Cells of a run of tables, at least, before they are added to the sums. */
#define RUN_CELLS ((size_t) 256)

/* ---- weights ---- */

TLV_CLONES static void
draw_weights(size_t n, uint64_t key, uint8_t *restrict weights)
{
	for (size_t i = 0; i < n; i += 2)
	{
		uint64_t word = tlv_mix64(key + i * UINT64_C(0x9e3779b97f4a7c15));
		uint32_t low = (uint32_t) word, high = (uint32_t) (word >> 32), a = 0, b = 0;

		for (size_t j = 0; j < POISSON_LIMITS; j++)
		{
			a += low >= poisson_limit[j];
			b += high >= poisson_limit[j];
		}
		weights[i] = (uint8_t) a;
		if (i + 1 < n)
			weights[i + 1] = (uint8_t) b;
	}
}

void
category_draw_weights(category_state *state, const uint8_t *codes, uint8_t *weights)
{
	state->chain = tlv_fingerprint(codes, state->layout.p, state->chain);
	draw_weights(state->replicates, state->chain, weights);
}

/* ---- the block's weights as planes ---- */

typedef struct replicate_work
{
	const category_block *block;
	size_t replicates;
	const uint8_t *weights; /* n x replicates */
	size_t n_planes;
	uint64_t *weight_planes;
	uint32_t *plane_replicate; /* n_planes */
	uint32_t *plane_value;	   /* n_planes: a power of 2 */
	uint64_t *cell_planes;	   /* CELL_PLANES */
	size_t *cell_index;		   /* CELL_PLANES */
	size_t n_cells;			   /* planes that wait to be counted */
	uint32_t *counts;		   /* CELL_PLANES x n_planes */
	uint32_t *singles;		   /* all states x replicates, extended */
	uint32_t *rows;			   /* replicates */
	uint32_t *cell;			   /* n: cell of every row */
	uint32_t *joint;		   /* cells with missing values x replicates */
	uint32_t *run;			   /* cells x replicates */
} replicate_work;

static bool
is_empty(size_t words, const uint64_t *plane)
{
	for (size_t w = 0; w < words; w++)
		if (plane[w] != 0)
			return false;
	return true;
}

/* High bits are rare: planes without any are left out. */
static tlv_status
make_weight_planes(tlv_context *ctx, replicate_work *work)
{
	size_t words = work->block->words, room = 64 * words + 64, n = work->block->n;
	size_t most = work->replicates * WEIGHT_BITS;
	uint8_t *columns = tlv_alloc0(ctx, work->replicates, room);

	TLV_TRY_ALLOC(ctx, columns);
	TLV_TRY_NEW(ctx, work->weight_planes, most * words);
	TLV_TRY_NEW(ctx, work->plane_replicate, most);
	TLV_TRY_NEW(ctx, work->plane_value, most);
	tlv_codes_transpose(n, work->replicates, work->weights, room, columns);
	for (size_t r = 0; r < work->replicates; r++)
		for (int bit = 0; bit < WEIGHT_BITS; bit++)
		{
			uint64_t *plane = work->weight_planes + work->n_planes * words;

			tlv_plane_bit(words, columns + r * room, bit, plane);
			if (is_empty(words, plane))
				continue;
			work->plane_replicate[work->n_planes] = (uint32_t) r;
			work->plane_value[work->n_planes++] = 1u << bit;
		}
	tlv_free(ctx, columns);
	return TLV_OK;
}

/* counts of planes of cells against planes of weights -> weighted counts of the cells. */
static void
count_waiting(replicate_work *work, uint32_t *table)
{
	tlv_planes_count(work->block->words, work->n_cells, work->cell_planes, work->n_planes,
					 work->weight_planes, work->counts);
	for (size_t i = 0; i < work->n_cells; i++)
	{
		uint32_t *sums = table + work->cell_index[i] * work->replicates;
		const uint32_t *counts = work->counts + i * work->n_planes;

		memset(sums, 0, work->replicates * sizeof(uint32_t));
		for (size_t j = 0; j < work->n_planes; j++)
			sums[work->plane_replicate[j]] += counts[j] * work->plane_value[j];
	}
	work->n_cells = 0;
}

/* Room for the plane of a cell of the table. */
static uint64_t *
next_plane(replicate_work *work, size_t cell, uint32_t *table)
{
	if (work->n_cells == CELL_PLANES)
		count_waiting(work, table);
	work->cell_index[work->n_cells] = cell;
	return work->cell_planes + work->n_cells++ * work->block->words;
}

/* ---- vectors of replicates ---- */

TLV_CLONES static void
bootstrap_subtract(size_t n, const uint32_t *restrict from, uint32_t *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] -= from[i];
}

/* The last states from what the others leave. */
static void
complete_replicates(size_t da, size_t db, size_t replicates, uint32_t *table)
{
	size_t row = db * replicates, last = (da - 1) * row;

	for (size_t x = 0; x < da; x++)
		for (size_t y = 0; y + 1 < db; y++)
			bootstrap_subtract(replicates, table + x * row + y * replicates,
							   table + x * row + (db - 1) * replicates);
	for (size_t x = 0; x + 1 < da; x++)
		bootstrap_subtract(row, table + x * row, table + last);
}

/* sums[r * stride + i] += run[i * replicates + r] */
static void
add_run(size_t cells, size_t replicates, const uint32_t *run, size_t stride, double *sums)
{
	for (size_t r = 0; r < replicates; r++)
		for (size_t i = 0; i < cells; i++)
			sums[r * stride + i] += run[i * replicates + r];
}

static tlv_status
count_replicate_singles(tlv_context *ctx, replicate_work *work, category_sums *sums)
{
	const category_block *block = work->block;
	const category_layout *layout = block->layout;
	size_t p = layout->p, replicates = work->replicates, words = block->words;

	memset(work->rows, 0, replicates * sizeof(uint32_t));
	for (size_t t = 0; t < block->n; t++)
		for (size_t r = 0; r < replicates; r++)
			work->rows[r] += work->weights[t * replicates + r];
	for (size_t i = 0; i < p; i++)
	{
		size_t v = block->order[i], d = (size_t) layout->states[v];
		const uint64_t *plane = block->planes + block->first_plane[i] * words;

		TLV_TRY_CONTINUE(ctx);
		for (size_t s = 0; s < category_planes(block, i); s++)
			memcpy(next_plane(work, layout->offset[v] + s, work->singles), plane + s * words,
				   words * sizeof(uint64_t));
		if (d > 0 && !block->missing[v])
			memcpy(work->singles + (layout->offset[v] + d - 1) * replicates, work->rows,
				   replicates * sizeof(uint32_t));
	}
	count_waiting(work, work->singles);
	for (size_t r = 0; r < replicates; r++)
		sums->replicate_rows[r] += work->rows[r];
	return TLV_OK;
}

/* Those of the states themselves. */
static void
add_replicate_singles(replicate_work *work, category_sums *sums)
{
	const category_layout *layout = work->block->layout;
	size_t replicates = work->replicates;

	for (size_t v = 0; v < layout->p; v++)
	{
		size_t d = (size_t) layout->states[v];

		if (d == 0)
			continue;
		memcpy(work->joint, work->singles + layout->offset[v] * replicates,
			   d * replicates * sizeof(uint32_t));
		complete_replicates(1, d, replicates, work->joint);
		add_run(d, replicates, work->joint, layout->offset[layout->p],
				sums->replicate_singles + layout->offset[v]);
	}
}

/* ---- pairs ---- */

static void
replicate_pair_by_planes(replicate_work *work, const size_t *position, size_t a, size_t b,
						 uint32_t *table)
{
	const category_block *block = work->block;
	const category_layout *layout = block->layout;
	size_t da = (size_t) layout->states[a], db = (size_t) layout->states[b];
	size_t replicates = work->replicates, words = block->words;
	size_t planes_a = category_planes(block, position[a]);
	size_t planes_b = category_planes(block, position[b]);
	const uint64_t *plane_a = block->planes + block->first_plane[position[a]] * words;
	const uint64_t *plane_b = block->planes + block->first_plane[position[b]] * words;

	for (size_t x = 0; x < planes_a; x++)
		for (size_t y = 0; y < planes_b; y++)
			tlv_plane_and(words, plane_a + x * words, plane_b + y * words,
						  next_plane(work, x * db + y, table));
	count_waiting(work, table);
	for (size_t x = 0; x < planes_a && planes_b < db; x++)
		memcpy(table + (x * db + db - 1) * replicates,
			   work->singles + (layout->offset[a] + x) * replicates, replicates * sizeof(uint32_t));
	if (planes_a < da)
		memcpy(table + (da - 1) * db * replicates, work->singles + layout->offset[b] * replicates,
			   db * replicates * sizeof(uint32_t));
	complete_replicates(da, db, replicates, table);
}

static void
replicate_pair_by_rows(replicate_work *work, size_t a, size_t b, uint32_t *table)
{
	const category_block *block = work->block;
	size_t da = (size_t) block->layout->states[a], db = (size_t) block->layout->states[b];
	size_t replicates = work->replicates;

	tlv_codes_join(block->n, block->columns + a * block->room, (uint32_t) db + 1,
				   block->columns + b * block->room, work->cell);
	memset(work->joint, 0, (da + 1) * (db + 1) * replicates * sizeof(uint32_t));
	tlv_cells_sum(block->n, work->cell, replicates, work->weights, work->joint);
	for (size_t x = 0; x < da; x++)
		memcpy(table + x * db * replicates, work->joint + ((x + 1) * (db + 1) + 1) * replicates,
			   db * replicates * sizeof(uint32_t));
}

/* Tables of a variable with those behind it, in runs whose cells stand together in the sums. */
static tlv_status
replicate_pairs_of(tlv_context *ctx, replicate_work *work, const size_t *position, size_t a,
				   double *sums)
{
	/* Cycles for adding a row's weight to a cell, beside tlv_plane_cost(). */
	const double weight_cost = 0.3;
	const category_block *block = work->block;
	const category_layout *layout = block->layout;
	size_t da = (size_t) layout->states[a], cells = 0, begin = layout->pair_row[a];

	for (size_t b = a + 1; b < layout->p; b++)
	{
		size_t db = (size_t) layout->states[b];
		uint32_t *table = work->run + cells * work->replicates;
		double by_planes = tlv_plane_cost() * (double) (64 * block->words) *
						   (double) work->n_planes * (double) category_planes(block, position[a]) *
						   (double) category_planes(block, position[b]);

		TLV_TRY_CONTINUE(ctx);
		if (da * db == 0)
			continue;
		if (by_planes < weight_cost * (double) block->n * (double) work->replicates)
			replicate_pair_by_planes(work, position, a, b, table);
		else
			replicate_pair_by_rows(work, a, b, table);
		cells += da * db;
		if (cells < RUN_CELLS && b + 1 < layout->p)
			continue;
		add_run(cells, work->replicates, work->run, layout->pair_row[layout->p], sums + begin);
		begin += cells;
		cells = 0;
	}
	if (cells > 0)
		add_run(cells, work->replicates, work->run, layout->pair_row[layout->p], sums + begin);
	return TLV_OK;
}

/* ---- all of it ---- */

static tlv_status
create_work(tlv_context *ctx, replicate_work *work)
{
	const category_block *block = work->block;
	const category_layout *layout = block->layout;
	size_t d = layout->p == 0 ? 0 : (size_t) layout->states[block->order[layout->p - 1]];
	size_t replicates = work->replicates;

	TLV_TRY(make_weight_planes(ctx, work));
	TLV_TRY_NEW(ctx, work->cell_planes, CELL_PLANES * block->words);
	TLV_TRY_NEW(ctx, work->cell_index, CELL_PLANES);
	TLV_TRY_NEW(ctx, work->counts, CELL_PLANES * work->n_planes);
	TLV_TRY_NEW(ctx, work->singles, layout->offset[layout->p] * replicates);
	TLV_TRY_NEW(ctx, work->rows, replicates);
	TLV_TRY_NEW(ctx, work->cell, block->n);
	TLV_TRY_NEW(ctx, work->joint, (d + 1) * (d + 1) * replicates);
	TLV_TRY_NEW(ctx, work->run, (RUN_CELLS + d * d) * replicates);
	return TLV_OK;
}

static void
free_work(tlv_context *ctx, replicate_work *work)
{
	tlv_free(ctx, work->run);
	tlv_free(ctx, work->joint);
	tlv_free(ctx, work->cell);
	tlv_free(ctx, work->rows);
	tlv_free(ctx, work->singles);
	tlv_free(ctx, work->counts);
	tlv_free(ctx, work->cell_index);
	tlv_free(ctx, work->cell_planes);
	tlv_free(ctx, work->plane_value);
	tlv_free(ctx, work->plane_replicate);
	tlv_free(ctx, work->weight_planes);
}

tlv_status
category_count_replicates(tlv_context *ctx, const category_block *block, size_t replicates,
						  const uint8_t *weights, category_sums *sums)
{
	replicate_work work = {.block = block, .replicates = replicates, .weights = weights};
	size_t p = block->layout->p;
	size_t *position = tlv_alloc(ctx, p, sizeof(size_t));

	TLV_TRY_ALLOC(ctx, position);
	for (size_t i = 0; i < p; i++)
		position[block->order[i]] = i;
	TLV_TRY(create_work(ctx, &work));
	TLV_TRY(count_replicate_singles(ctx, &work, sums));
	add_replicate_singles(&work, sums);
	for (size_t a = 0; a < p; a++)
		TLV_TRY(replicate_pairs_of(ctx, &work, position, a, sums->replicate_pairs));
	free_work(ctx, &work);
	tlv_free(ctx, position);
	return TLV_OK;
}
