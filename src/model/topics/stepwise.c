/*
 * stepwise.c - a pass of Gibbs-EM in which the topics move with every document (topics.h).
 *
 * A document's rows are computed when it comes, into a block of their own: a step of the
 * model costs as much as a warm step of the document, whatever the number of items, and what the
 * worker holds stays as it was for others.
 */
#include "worker.h"
#include "tensorlv/num/numbers.h"

#include <math.h>

/* row_j = kept_j begun_j + taken_j found_j + base_j, a probability: the mass of a topic is that of
 * each document's last sweep and its counts are those of all, so a topic with hardly any mass may
 * have more. */
static TLV_CLONES void
move_row(size_t k, const double *restrict factors, const double *restrict begun,
		 const double *restrict found, float *restrict row)
{
	const double *restrict kept = factors;
	const double *restrict taken = factors + k;
	const double *restrict base = factors + 2 * k;

	for (size_t j = 0; j < k; j++)
	{
		float p = (float) (kept[j] * begun[j] + taken[j] * found[j] + base[j]);

		p = p > TLV_PHI_FLOOR ? p : TLV_PHI_FLOOR; /* what is no number too */
		row[j] = p < 1 ? p : 1;
	}
}

/* Room for n rows behind worker->moved, the first at a multiple of 64. */
static tlv_status
reserve_rows(tlv_context *ctx, tlv_topic_worker *worker, size_t n, float **rows)
{
	size_t before = worker->moved_at_room;
	uintptr_t address;

	worker->moved = tlv_topic_reserve(ctx, worker->moved, &worker->moved_room,
									  n * worker->width + TLV_REGISTER_FLOATS, sizeof(float));
	TLV_TRY_ALLOC(ctx, worker->moved);
	worker->moved_at =
		tlv_topic_reserve(ctx, worker->moved_at, &worker->moved_at_room, n, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, worker->moved_at);
	if (worker->moved_at_room != before)
		for (size_t i = 0; i < worker->moved_at_room; i++)
			worker->moved_at[i] = (int32_t) i;
	address = ((uintptr_t) worker->moved + 63) & ~(uintptr_t) 63;
	*rows = (float *) address;
	return TLV_OK;
}

/* What the topics at the beginning, the statistics and the smoothing count. */
static void
moves_factors(const tlv_topic_moves *moves, double seen)
{
	size_t k = moves->begun.k;
	double smoothing = moves->eta * (double) moves->begun.d;
	double left = seen < moves->tokens ? 1 - seen / moves->tokens : 0;

	for (size_t j = 0; j < k; j++)
	{
		double before = left * (moves->tokens * moves->weights[j] + smoothing);
		double sum = before + moves->mass[j] + (1 - left) * smoothing;

		moves->factors[j] = before / sum;
		moves->factors[k + j] = 1 / sum;
		moves->factors[2 * k + j] = (1 - left) * moves->eta / sum;
		if (moves->fixed != NULL && moves->fixed[j] != 0)
		{
			moves->factors[j] = 1;
			moves->factors[k + j] = moves->factors[2 * k + j] = 0;
		}
	}
}

static tlv_status
move_rows(tlv_context *ctx, const tlv_topic_worker *worker, size_t n, const int32_t *index,
		  const tlv_topic_moves *moves, const double *items, float *rows)
{
	size_t k = worker->k, chunk = tlv_topic_chunk(worker);

	for (size_t i = 0; i < n; i++)
	{
		size_t at = (size_t) index[i] * k;
		float *row = rows + i * worker->width;

		if (i % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		move_row(k, moves->factors, moves->begun.phi + at, items + at, row);
		for (size_t j = k; j < worker->width; j++)
			row[j] = 0;
	}
	return TLV_OK;
}

tlv_status
tlv_topic_stepwise(tlv_context *ctx, tlv_topic_worker *worker, size_t n, const int32_t *index,
				   const double *count, const tlv_gibbs_options *options, tlv_topic_moves *moves,
				   tlv_topic_statistics *statistics)
{
	float *phi = worker->phi, *rows;
	tlv_status status;

	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, true, NULL));
	TLV_TRY(reserve_rows(ctx, worker, n, &rows));
	moves_factors(moves, statistics->tokens);
	TLV_TRY(move_rows(ctx, worker, n, index, moves, statistics->items, rows));
	worker->phi = rows;
	status =
		tlv_topic_gibbs_rows(ctx, worker, n, index, worker->moved_at, count, options, statistics);
	worker->phi = phi;
	if (status == TLV_OK && n > 0)
		for (size_t j = 0; j < worker->k; j++)
			moves->mass[j] += worker->totals[j];
	return status;
}
