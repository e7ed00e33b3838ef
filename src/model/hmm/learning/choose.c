/*
 * choose.c - the number of states, by the likelihood of sequences that were left out (learn.h,
 * choice.h), beyond that of their steps alone: under the same model without its chain, whose steps
 * are independent.  One state is at 0.  The density of single steps, whose form no state has, would
 * pay for any number of states that do not follow each other in any way.
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/model/choice.h"

/* A part of the sequences is held out, each in turn: two first, the others where these leave the
 * choice open. */
#define FIRST_FOLDS ((size_t) 2)
/* Pieces into which fewer sequences are cut, and the least length of one. */
#define LEAST_PIECES ((size_t) 40)
#define LEAST_LENGTH ((size_t) 20)

typedef struct fold_data
{
	tlv_hmm_data training;
	tlv_hmm_data groups[TLV_CHOICE_GROUPS]; /* what is held out */
} fold_data;

typedef struct state_search
{
	tlv_hmm_search starts;
	tlv_hmm_data pieces;
	int64_t *folds; /* of each piece */
} state_search;

static tlv_status
take_row(tlv_context *ctx, const tlv_row *row, size_t room, tlv_hmm_data *data)
{
	if (data->rows == NULL)
		TLV_TRY_NEW(ctx, data->rows, room);
	data->rows[data->n++] = *row;
	data->steps += (double) row->part[0].n;
	return TLV_OK;
}

/* The sequences of one fold are held out, and dealt out to the groups by their place among all: a
 * group that several folds filled would hide how their sequences differ. */
static tlv_status
take_fold(tlv_context *ctx, const state_search *search, size_t fold, fold_data *of)
{
	const tlv_hmm_data *data = &search->pieces;
	size_t room = data->n / TLV_CHOICE_GROUPS + 1;

	memset(of, 0, sizeof(*of));
	for (size_t i = 0; i < data->n; i++)
		if (search->folds[i] != (int64_t) fold)
			TLV_TRY(take_row(ctx, &data->rows[i], data->n, &of->training));
		else
			TLV_TRY(take_row(ctx, &data->rows[i], room, &of->groups[i % TLV_CHOICE_GROUPS]));
	return TLV_OK;
}

/* Adds the log-likelihoods of the groups under a model, with that sign. */
static tlv_status
score_groups(tlv_context *ctx, const tlv_frame *model, const fold_data *of, double sign,
			 double *scores)
{
	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		tlv_frame frame;
		void *image;
		size_t size;

		if (of->groups[g].n == 0)
			continue;
		TLV_TRY(tlv_hmm_evaluate(ctx, model, &of->groups[g], &image, &size));
		TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
		scores[g] += sign * of->groups[g].steps * tlv_mean_likelihood(&frame, "steps");
		tlv_free(ctx, image);
	}
	return TLV_OK;
}

/* The model without its chain: every step is drawn from the states' shares of all steps. */
static tlv_status
without_chain(tlv_context *ctx, const tlv_frame *model, const tlv_hmm_data *training,
			  tlv_held *alone)
{
	tlv_diagnostics diagnostics = {0};
	tlv_hmm_parts parts;
	tlv_making made;
	tlv_frame frame;
	double *shares, *rows;
	const double *pairs;
	void *image;
	size_t size, k;

	tlv_hmm_read(model, &parts);
	k = parts.k;
	TLV_TRY_NEW0(ctx, shares, k + k * k);
	rows = shares + k;
	TLV_TRY(tlv_hmm_evaluate(ctx, model, training, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	pairs = tlv_frame_float64(&frame, "pairs");
	memcpy(shares, tlv_frame_float64(&frame, "initial"), k * sizeof(double));
	for (size_t from = 0; from < k; from++)
		for (size_t to = 0; to < k; to++)
			shares[to] += pairs[to + k * from];
	for (size_t from = 0; from < k; from++)
		memcpy(rows + k * from, shares, k * sizeof(double));
	parts.initial = shares;
	parts.transitions = rows;
	parts.constraints = 0;
	parts.in_order = true;
	parts.diagnostics = &diagnostics;
	return TLV_MAKE(ctx, &made, alone, tlv_hmm_write(ctx, &parts, &made.image, &made.size));
}

/* What the chain adds to the likelihoods of the groups. */
static tlv_status
score_chain(tlv_context *ctx, const tlv_frame *model, const fold_data *of, double *score,
			double *count)
{
	tlv_hmm_parts parts;
	tlv_held alone = {0};

	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
		count[g] += of->groups[g].steps;
	tlv_hmm_read(model, &parts);
	if (parts.k == 1)
		return TLV_OK;
	TLV_TRY(without_chain(ctx, model, &of->training, &alone));
	TLV_TRY(score_groups(ctx, model, of, 1, score));
	return score_groups(ctx, &alone.frame, of, -1, score);
}

static tlv_status
score_fold(tlv_context *ctx, void *of, size_t k, size_t fold, double *score, double *count)
{
	const state_search *search = of;
	tlv_hmm_search own = search->starts;
	tlv_hmm_ascent ascent = {.limit = CLIMB};
	fold_data data;

	TLV_TRY(take_fold(ctx, search, fold, &data));
	own.start.k = k;
	own.data = &data.training;
	own.quick = true;
	TLV_TRY(tlv_hmm_search_start(ctx, &own, NULL, &ascent.current));
	TLV_TRY(tlv_hmm_climb(ctx, &data.training, NULL, &ascent));
	return score_chain(ctx, &ascent.current.frame, &data, score, count);
}

/* Pieces enough for the folds: whole sequences where there are many. */
static tlv_status
choice_data(tlv_context *ctx, const tlv_hmm_data *data, tlv_hmm_data *pieces)
{
	tlv_hmm_data head;
	size_t most;

	TLV_TRY(tlv_hmm_data_head(ctx, data, CHOICE_STEPS, &head));
	if (head.n >= LEAST_PIECES)
	{
		*pieces = head;
		return TLV_OK;
	}
	most = (size_t) (head.steps / (double) LEAST_PIECES);
	TLV_TRY(tlv_hmm_data_cut(ctx, &head, most > LEAST_LENGTH ? most : LEAST_LENGTH, pieces));
	tlv_free(ctx, head.rows);
	return TLV_OK;
}

tlv_status
tlv_hmm_choose(tlv_context *ctx, const tlv_hmm_search *starts, size_t max_k, tlv_choice *curve,
			   size_t *k)
{
	state_search search = {.starts = *starts};
	double most;

	*k = 1;
	search.starts.start.seed = TLV_CHOICE_SEED;
	TLV_TRY(choice_data(ctx, starts->data, &search.pieces));
	most = floor(sqrt(search.pieces.steps * (TLV_FOLDS - 1) / TLV_FOLDS / TRANSITION_STEPS));
	if (search.pieces.n < TLV_FOLDS || most < 1)
		return TLV_OK;
	TLV_TRY(tlv_choice_draw_folds(ctx, search.pieces.n, TLV_FOLDS, &search.folds));
	tlv_choice_begin(1, most < (double) max_k ? (size_t) most : max_k, true, curve);
	TLV_TRY(tlv_choice_follow(ctx, curve, score_fold, &search, FIRST_FOLDS, TLV_FOLDS));
	*k = curve->points[curve->chosen].k;
	tlv_free(ctx, search.pieces.rows);
	return TLV_OK;
}
