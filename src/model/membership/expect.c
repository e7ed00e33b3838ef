/*
 * expect.c - what all rows in memory add, and how they predict what is held out of them
 * (internal.h), on as many cores as a loop may use.
 *
 * Lanes of a block of rows find out what each adds; then it is added in the order of the rows,
 * items by as many lanes of their own.  So the sums have the bits of rows that are added one by
 * one.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/lanes.h"
#include "tensorlv/num/numbers.h"

/* What is kept of a block of rows, in bytes: on more than one core, and on one, in its cache. */
#define BLOCK_BYTES ((size_t) 1 << 23)
#define CACHE_BYTES ((size_t) 1 << 14)

/* Components whose shares of an item of a class take a unit (lanes.h); an item is as many more. */
#define CLASS_UNIT ((size_t) 10)

size_t
membership_row_members(const membership_rows *rows, const uint16_t *codes, size_t i,
					   membership_worker *worker, int32_t *items)
{
	const uint16_t *row = codes + i * rows->slots;
	size_t n = 0, counted = rows->slots - rows->scalars;

	if (rows->scalars == 0)
		return membership_row_items(rows, codes, i, items);
	for (size_t s = 0; s < counted; s++)
		if (row[s] != 0)
			items[n++] = (int32_t) (rows->offset[s] + row[s] - 1);
	for (size_t s = 0; s < rows->scalars; s++)
		if (row[counted + s] != 0)
			items[n++] = membership_worker_take(worker, s, rows->numbers[i * rows->scalars + s]);
	return n;
}

/* ---- blocks of rows ---- */

typedef struct row_block
{
	const membership_rows *rows;
	tlv_lanes lanes; /* of a whole block */
	size_t most;	 /* rows of a block */
	size_t numbers;	 /* of a row, which the lanes find out */
	size_t units;	 /* of a row's work (lanes.h) */
	membership_worker worker[TLV_LANES_MOST];
	size_t first, n; /* rows of this block */
	int32_t *items;	 /* most x slots */
	size_t *count;	 /* most: of the items */
	double *found;	 /* most x numbers */
} row_block;

static size_t
row_units(const membership_worker *worker, size_t slots)
{
	size_t units = slots * (worker->k + CLASS_UNIT);

	return worker->mixed ? units : 1 + units / CLASS_UNIT;
}

/* More than one core takes blocks that are worth dividing, one core those that stay in a cache. */
static tlv_status
block_begin(tlv_context *ctx, const membership_worker *worker, row_block *block)
{
	const membership_rows *rows = block->rows;
	size_t bytes = sizeof(double) * block->numbers + sizeof(int32_t) * rows->slots + sizeof(size_t);
	size_t room = ctx->threads > 1 ? BLOCK_BYTES : CACHE_BYTES;

	room = tlv_least(room, (ctx->arena.limit - ctx->arena.used) / 4);
	block->units = row_units(worker, rows->slots);
	block->most = tlv_least(room / bytes + 1, rows->n > 0 ? rows->n : 1);
	tlv_lanes_divide(block->most, NULL, block->units, TLV_LANES_MOST, &block->lanes);
	if (ctx->threads <= 1)
		block->lanes.count = 1;
	for (size_t i = 0; i < block->lanes.count; i++)
		TLV_TRY(membership_worker_second(ctx, worker, &block->worker[i]));
	TLV_TRY_NEW_ROWS(ctx, block->items, block->most, rows->slots);
	TLV_TRY_NEW(ctx, block->count, block->most);
	TLV_TRY_NEW_ROWS(ctx, block->found, block->most, block->numbers);
	return TLV_OK;
}

static void
block_end(tlv_context *ctx, row_block *block)
{
	tlv_free(ctx, block->found);
	tlv_free(ctx, block->count);
	tlv_free(ctx, block->items);
	for (size_t i = 0; i < block->lanes.count; i++)
		membership_worker_free_second(ctx, &block->worker[i]);
}

/* The rows from first on, at most as many as there is room for. */
static tlv_status
block_run(tlv_context *ctx, row_block *block, size_t first, tlv_lane_rows run, void *argument)
{
	tlv_lanes lanes;

	block->first = first;
	block->n = tlv_least(block->most, block->rows->n - first);
	tlv_lanes_divide(block->n, NULL, block->units, block->lanes.count, &lanes);
	return tlv_lanes_rows(ctx, &lanes, run, argument);
}

/* ---- expected sums ---- */

typedef struct row_expectation
{
	row_block block;
	uint64_t seed;
	int step;
	uint8_t *draws;
	membership_sums *sums;
	size_t lanes; /* of items */
} row_expectation;

/* Row j of the block. */
static membership_row
block_row(const row_block *block, size_t j)
{
	const membership_rows *rows = block->rows;
	double *found = block->found + j * block->numbers;

	return (membership_row){
		.n = block->count[j],
		.items = block->items + j * rows->slots,
		.x = rows->scalars > 0 ? rows->numbers + (block->first + j) * rows->scalars : NULL,
		.weight = 1,
		.log_likelihood = found[0],
		.weights = found + 1,
		.kept = found + 1 + block->worker[0].k};
}

static void
run_rows(void *argument, size_t lane, size_t first, size_t n)
{
	row_expectation *own = argument;
	row_block *block = &own->block;
	const membership_rows *rows = block->rows;

	for (size_t j = first; j < first + n; j++)
	{
		size_t i = block->first + j;
		membership_chain chain = {NULL, own->step > 0};
		membership_row row;

		block->count[j] = membership_row_members(rows, rows->codes, i, &block->worker[lane],
												 block->items + j * rows->slots);
		row = block_row(block, j);
		if (own->draws != NULL)
			chain.draws = own->draws + i * rows->slots;
		membership_run(&block->worker[lane], tlv_mix64(own->seed + i) + (uint64_t) own->step,
					   own->draws != NULL ? &chain : NULL, &row);
		block->found[j * block->numbers] = row.log_likelihood;
	}
}

/* The first item of a lane of items, of whole variables. */
static size_t
lane_item(const row_expectation *own, size_t lane)
{
	const membership_rows *rows = own->block.rows;
	size_t counted = rows->p - rows->scalars;

	return lane < own->lanes ? rows->offset[lane * counted / own->lanes] : SIZE_MAX;
}

static bool
add_items(void *argument, size_t lane)
{
	row_expectation *own = argument;
	size_t from = lane_item(own, lane), below = lane_item(own, lane + 1);

	for (size_t j = 0; j < own->block.n; j++)
	{
		membership_row row = block_row(&own->block, j);

		membership_add_items(&own->block.worker[0], &row, from, below, own->sums);
	}
	return false;
}

tlv_status
membership_expect_rows(tlv_context *ctx, const membership_rows *rows,
					   const membership_worker *worker, uint64_t seed, int step, uint8_t *draws,
					   membership_sums *sums)
{
	row_expectation own = {.seed = seed, .step = step, .draws = draws, .sums = sums};

	own.block.rows = rows;
	own.block.numbers = 1 + worker->k + membership_kept(worker);
	TLV_TRY(block_begin(ctx, worker, &own.block));
	/* each of them goes through all rows of a block */
	own.lanes = tlv_least(own.block.lanes.count, (size_t) (ctx->threads > 1 ? ctx->threads : 1));
	for (size_t first = 0; first < rows->n; first += own.block.most)
	{
		TLV_TRY(block_run(ctx, &own.block, first, run_rows, &own));
		TLV_TRY(tlv_lanes_run(ctx, own.lanes, add_items, &own));
		for (size_t j = 0; j < own.block.n; j++)
		{
			membership_row row = block_row(&own.block, j);

			membership_add_row(worker, &row, sums);
		}
	}
	block_end(ctx, &own.block);
	return TLV_OK;
}

/* ---- cells held out ---- */

/* Logarithm of what an item is among all rows: a share, or the density, normal or log-normal, under
 * which all rows are likelier. */
static double
log_marginal(const membership_worker *worker, const membership_rows *rows, int32_t item)
{
	size_t s = (size_t) item - worker->first;
	const number_scale *scale;
	double beyond, deviation;

	if ((size_t) item < worker->first)
		return log(fmax(rows->marginal[item], 1e-3 / (double) rows->n));
	scale = &rows->scale[s];
	beyond = (worker->x[s] - scale->centre) / scale->deviation;
	deviation = scale->deviation;
	if (scale->log_deviation > 0 && scale->log_centre + log(scale->log_deviation) < log(deviation))
	{
		beyond = (log(worker->x[s]) - scale->log_centre) / scale->log_deviation;
		deviation = scale->log_deviation * worker->x[s];
	}
	return -beyond * beyond / 2 - log(2 * M_PI) / 2 - log(deviation);
}

/* Of every item its logarithm under the row's shares and that of all rows: 2 x n. */
static void
score_row(const membership_worker *worker, const membership_rows *rows, size_t n,
		  const int32_t *items, double *scores)
{
	for (size_t s = 0; s < n; s++, scores += 2)
	{
		const double *own = membership_item(worker, items[s]);
		double p = 0;

		for (size_t h = 0; h < worker->k; h++)
			p += worker->shares[h] * own[h];
		scores[0] = log(fmax(p, TLV_LEAST_PROBABILITY));
		if ((size_t) items[s] >= worker->first)
			scores[0] += worker->largest[(size_t) items[s] - worker->first];
		scores[1] = log_marginal(worker, rows, items[s]);
	}
}

static void
score_held_rows(void *argument, size_t lane, size_t first, size_t n)
{
	row_block *block = argument;
	const membership_rows *rows = block->rows;
	membership_worker *worker = &block->worker[lane];

	for (size_t j = first; j < first + n; j++)
	{
		size_t i = block->first + j;
		int32_t *items = block->items + j * rows->slots;
		size_t own = membership_row_members(rows, rows->codes, i, worker, items);

		(void) membership_infer(worker, own, items);
		block->count[j] = membership_row_members(rows, rows->held, i, worker, items);
		score_row(worker, rows, block->count[j], items, block->found + j * block->numbers);
	}
}

typedef struct held_score
{
	double cells, sum, marginal, squares; /* of the difference of both */
} held_score;

static void
add_held_scores(size_t n, const double *scores, held_score *score)
{
	for (size_t s = 0; s < n; s++, scores += 2)
	{
		double difference = scores[0] - scores[1];

		score->cells++;
		score->sum += scores[0];
		score->marginal += scores[1];
		score->squares += difference * difference;
	}
}

tlv_status
membership_score_held(tlv_context *ctx, const membership_rows *rows,
					  const membership_worker *worker, membership_held *held)
{
	row_block block = {.rows = rows, .numbers = 2 * rows->slots};
	held_score score = {0};
	double mean;

	memset(held, 0, sizeof(*held));
	TLV_TRY(block_begin(ctx, worker, &block));
	for (size_t first = 0; first < rows->n; first += block.most)
	{
		TLV_TRY(block_run(ctx, &block, first, score_held_rows, &block));
		for (size_t j = 0; j < block.n; j++)
		{
			size_t group = (first + j) % TLV_CHOICE_GROUPS;
			double before = score.sum;

			add_held_scores(block.count[j], block.found + j * block.numbers, &score);
			held->score[group] += score.sum - before;
			held->count[group] += (double) block.count[j];
		}
	}
	score.cells = fmax(score.cells, 1);
	held->mean = score.sum / score.cells;
	held->marginal = score.marginal / score.cells;
	mean = held->mean - held->marginal;
	held->error = sqrt(fmax(score.squares / score.cells - mean * mean, 0) / score.cells);
	block_end(ctx, &block);
	return TLV_OK;
}
