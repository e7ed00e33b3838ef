/*
 * choose.c - the number of states, by the likelihood of sequences that were left out (learn.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"

/* A part of the sequences is held out, each in turn. */
#define FOLDS 5
/* Steps that are looked at, and into how many pieces fewer sequences are cut. */
#define CHOICE_STEPS 30000.0
#define LEAST_PIECES ((size_t) 40)
#define LEAST_LENGTH ((size_t) 20)
/* Evaluations from the best start; numbers of states without gain after which it ends. */
#define CLIMB	   60
#define MOST_WORSE 2

/* Sequences of one fold, or all others. */
static tlv_status
take_fold(tlv_context *ctx, const tlv_hmm_data *data, size_t fold, bool others, tlv_hmm_data *part)
{
	memset(part, 0, sizeof(*part));
	TLV_TRY_NEW(ctx, part->rows, data->n);
	for (size_t i = 0; i < data->n; i++)
		if ((i % FOLDS == fold) != others)
		{
			part->rows[part->n++] = data->rows[i];
			part->steps += (double) data->rows[i].part[0].n;
		}
	return TLV_OK;
}

/* Log-likelihood per step of a fold under k states that are learnt from all others. */
static tlv_status
held_out(tlv_context *ctx, const tlv_hmm_search *search, const tlv_hmm_data *data, size_t fold,
		 double *mean)
{
	tlv_hmm_data learnt_from, left_out;
	tlv_hmm_search own = *search;
	tlv_held best = {0};
	tlv_hmm_ascent ascent;
	tlv_frame frame;
	void *image;
	size_t size;

	TLV_TRY(take_fold(ctx, data, fold, true, &learnt_from));
	TLV_TRY(take_fold(ctx, data, fold, false, &left_out));
	own.data = &learnt_from;
	own.quick = true;
	TLV_TRY(tlv_hmm_search_start(ctx, &own, NULL, &best));
	tlv_hmm_ascent_begin(&ascent, &best, CLIMB);
	TLV_TRY(tlv_hmm_climb(ctx, &learnt_from, &ascent));
	TLV_TRY(tlv_hmm_evaluate(ctx, &ascent.current.frame, &left_out, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	*mean = tlv_mean_likelihood(&frame, "steps");
	return TLV_OK;
}

/* Of all folds, nothing of which stays in the arena. */
static tlv_status
held_out_folds(tlv_context *ctx, const tlv_hmm_search *search, const tlv_hmm_data *data,
			   double *folds, double *mean)
{
	*mean = 0;
	for (size_t fold = 0; fold < FOLDS; fold++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = held_out(ctx, search, data, fold, &folds[fold]);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
		*mean += folds[fold] / FOLDS;
	}
	return TLV_OK;
}

/* By how much `best` is better than `few`, and the standard error of that over the folds. */
static double
fold_difference(const double *few, const double *best, double *error)
{
	double mean = 0, square = 0;

	for (size_t f = 0; f < FOLDS; f++)
		mean += (best[f] - few[f]) / FOLDS;
	for (size_t f = 0; f < FOLDS; f++)
		square += (best[f] - few[f] - mean) * (best[f] - few[f] - mean);
	*error = sqrt(square / (FOLDS - 1) / FOLDS);
	return mean;
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

/*
 * How many states the expected transitions of a model of k states tell apart.  States that others
 * lead to alike, and that lead to others alike, only describe what one state emits.
 */
static tlv_status
transition_rank(tlv_context *ctx, const tlv_hmm_search *search, const tlv_hmm_data *data,
				size_t *rank)
{
	tlv_hmm_search own = *search;
	tlv_held best = {0};
	tlv_hmm_ascent ascent;
	tlv_hmm_rank pairs;
	tlv_frame frame;
	void *image;
	size_t size;

	own.data = data;
	TLV_TRY(tlv_hmm_search_start(ctx, &own, NULL, &best));
	tlv_hmm_ascent_begin(&ascent, &best, CLIMB);
	TLV_TRY(tlv_hmm_climb(ctx, data, &ascent));
	TLV_TRY(tlv_hmm_evaluate(ctx, &ascent.current.frame, data, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	TLV_TRY(tlv_hmm_table_rank(ctx, own.start.k, tlv_frame_float64(&frame, "pairs"), &pairs));
	*rank = pairs.k;
	return TLV_OK;
}

/* No more states than that, and two at least where there are any. */
static tlv_status
limit_states(tlv_context *ctx, tlv_hmm_search *search, const tlv_hmm_data *data, size_t *k)
{
	tlv_scratch scratch;
	tlv_status status;
	size_t rank = 0;

	if (*k <= 2)
		return TLV_OK;
	search->start.k = *k;
	tlv_scratch_begin(ctx, &scratch);
	status = transition_rank(ctx, search, data, &rank);
	tlv_scratch_end(ctx, &scratch);
	if (status == TLV_OK && rank < *k)
		*k = rank > 2 ? rank : 2;
	return status;
}

tlv_status
tlv_hmm_choose(tlv_context *ctx, tlv_hmm_search *search, size_t max_k, double *curve,
			   double *errors, size_t *tried, size_t *k)
{
	tlv_hmm_data pieces;
	double *folds;
	size_t best = 1;

	TLV_TRY(choice_data(ctx, search->data, &pieces));
	TLV_TRY_NEW(ctx, folds, (max_k + 1) * FOLDS);
	*tried = 0;
	*k = 1;
	if (pieces.n < FOLDS)
		return TLV_OK;
	for (size_t j = 1; j <= max_k && j <= best + MOST_WORSE; j++)
	{
		if (pieces.steps * (FOLDS - 1) / FOLDS < 2.0 * (double) (j * j))
			break;
		tlv_report(ctx, "number of states", (double) j, (double) max_k);
		search->start.k = j;
		TLV_TRY(held_out_folds(ctx, search, &pieces, folds + j * FOLDS, &curve[j - 1]));
		*tried = j;
		best = curve[j - 1] > curve[best - 1] ? j : best;
	}
	*k = best;
	for (size_t j = *tried; j >= 1; j--)
	{
		double less = fold_difference(folds + j * FOLDS, folds + best * FOLDS, &errors[j - 1]);

		if (j <= best && less <= errors[j - 1])
			*k = j;
	}
	TLV_TRY(limit_states(ctx, search, &pieces, k));
	tlv_free(ctx, folds);
	tlv_free(ctx, pieces.rows);
	return TLV_OK;
}
