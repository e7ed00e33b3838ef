/*
 * block_moves.c - whole memberships in the Poisson block model: moves of single nodes
 * (block_model.h).
 */
#include "block_model.h"

#include <string.h>

#include "tensorlv/num/lanes.h"

typedef struct block_moves
{
	const tlv_block_model *model;
	size_t side;	  /* whose nodes move */
	double *edges;	  /* k x k: E, source by target */
	double *expected; /* k x k: X at rate 1 */
	double *rate;	  /* k x k */
	double *log_rate; /* k x k */
	double *mine;	  /* k x k: log_rate, the community of the side that moves first */
	double *offset;	  /* k: expected edges of a node of propensity 1 */
	double *theta;	  /* k: sums of propensities of the other side */
	double *count;	  /* k: weight of a node's edges by the community that they lead to */
	double *score;	  /* k: log-likelihood of a node */
	int32_t *touched; /* k + 1: communities that its edges lead to */
} block_moves;

static tlv_status
create_block_moves(tlv_context *ctx, const tlv_block_model *model, block_moves *work)
{
	size_t k = model->k;

	*work = (block_moves){.model = model};
	TLV_TRY_NEW0(ctx, work->edges, 5 * k * k + 4 * k);
	work->expected = work->edges + k * k;
	work->rate = work->expected + k * k;
	work->log_rate = work->rate + k * k;
	work->mine = work->log_rate + k * k;
	work->offset = work->mine + k * k;
	work->theta = work->offset + k;
	work->count = work->theta + k;
	work->score = work->count + k;
	TLV_TRY_NEW(ctx, work->touched, k + 1);
	return TLV_OK;
}

/* Estimates the rates from the current labels, and arranges them for the nodes of side s. */
static tlv_status
rate_labels(tlv_context *ctx, block_moves *work, size_t s)
{
	const tlv_block_model *model = work->model;
	const tlv_block_side *other = &model->side[model->sides == 1 ? 0 : 1 - s];
	size_t k = model->k;
	const tlv_block_sums sums = {k, model->sides, work->edges, work->expected};

	work->side = s;
	TLV_TRY(tlv_block_count_partition(ctx, model, work->edges, work->expected));
	tlv_block_rates(&sums, model->diagonal, work->rate, work->log_rate);
	memset(work->theta, 0, k * sizeof(double));
	for (size_t v = 0; v < other->n; v++)
		work->theta[other->label[v]] += other->propensity[v];
	for (size_t a = 0; a < k; a++)
	{
		work->offset[a] = 0;
		for (size_t b = 0; b < k; b++)
		{
			size_t i = s == 0 ? a + k * b : b + k * a;

			work->mine[a + k * b] = work->log_rate[i];
			work->offset[a] += model->total * work->rate[i] * work->theta[b];
		}
	}
	return TLV_OK;
}

/* Log-likelihoods of a node in all communities, at the current rates and labels. */
TLV_CLONES static void
score_communities(block_moves *work, size_t u)
{
	const tlv_block_model *model = work->model;
	const tlv_block_side *side = &model->side[work->side];
	const int32_t *other = model->side[model->sides == 1 ? 0 : 1 - work->side].label;
	double *restrict score = work->score;
	size_t k = model->k, n = 0;

	for (size_t e = side->edges->start[u]; e < side->edges->start[u + 1]; e++)
	{
		int32_t b = other[side->edges->index[e]];

		work->touched[n] = b;
		n += work->count[b] == 0;
		work->count[b] += side->edges->value == NULL ? 1 : (double) side->edges->value[e];
	}
	for (size_t a = 0; a < k; a++)
		score[a] = -side->propensity[u] * work->offset[a];
	for (size_t i = 0; i < n; i++)
	{
		const double *restrict column = work->mine + k * (size_t) work->touched[i];
		double count = work->count[work->touched[i]];

		for (size_t a = 0; a < k; a++)
			score[a] += count * column[a];
		work->count[work->touched[i]] = 0;
	}
}

/* Moves a node to another community; in a graph of one side the expected edges change with it. */
static void
move_block_node(block_moves *work, size_t u, size_t to)
{
	const tlv_block_model *model = work->model;
	const tlv_block_side *side = &model->side[work->side];
	size_t k = model->k, from = (size_t) side->label[u];
	double mass = model->total * side->propensity[u];

	side->label[u] = (int32_t) to;
	for (size_t a = 0; a < k && model->sides == 1; a++)
		work->offset[a] += mass * (work->rate[a + k * to] - work->rate[a + k * from]);
}

/* Moves each node of a side to its best community; *moved counts the moves. */
static tlv_status
move_block_nodes(tlv_context *ctx, block_moves *work, size_t s, size_t *moved)
{
	const tlv_block_side *side = &work->model->side[s];

	TLV_TRY(rate_labels(ctx, work, s));
	for (size_t u = 0; u < side->n; u++)
	{
		size_t best = (size_t) side->label[u];

		if (u % 256 == 0)
			TLV_TRY_CONTINUE(ctx);
		if (side->fixed != NULL && side->fixed[u] >= 0)
			continue;
		score_communities(work, u);
		for (size_t a = 0; a < work->model->k; a++)
			best = work->score[a] > work->score[best] ? a : best;
		if (best == (size_t) side->label[u])
			continue;
		move_block_node(work, u, best);
		++*moved;
	}
	return TLV_OK;
}

tlv_status
tlv_block_reassign(tlv_context *ctx, const tlv_block_model *model, int max_steps, int *steps)
{
	block_moves work;
	size_t moved = 1;

	TLV_TRY(create_block_moves(ctx, model, &work));
	for (*steps = 0; *steps < max_steps && moved > 0; ++*steps)
	{
		moved = 0;
		for (size_t s = 0; s < model->sides; s++)
			TLV_TRY(move_block_nodes(ctx, &work, s, &moved));
	}
	tlv_free(ctx, work.touched);
	tlv_free(ctx, work.edges);
	return TLV_OK;
}
