/*
 * search.c - the best of several starts, by the likelihood after a few steps of Baum-Welch
 * (learn.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/tuning.h"

/* All starts, the moments' first. */
typedef struct contest
{
	int n;
	tlv_held models[TLV_HMM_STARTS + 1];
	double means[TLV_HMM_STARTS + 1];
	bool moments[TLV_HMM_STARTS + 1];
} contest;

static double
round_steps(size_t k, double usual)
{
	return fmax(HMM_SEARCH_LEAST_STEPS,
				fmin(usual, usual * STATE_STEPS / HMM_SEARCH_FIRST_STEPS / (double) (k * k)));
}

/* A few steps from one of the starts. */
static tlv_status
hmm_run_start(tlv_context *ctx, const tlv_hmm_data *data, contest *c, int which, int evaluations)
{
	tlv_hmm_ascent ascent = {.current = c->models[which], .limit = evaluations};
	tlv_status status = tlv_hmm_climb(ctx, data, NULL, &ascent);

	c->models[which] = ascent.current;
	c->means[which] = ascent.mean;
	return status;
}

static void
swap_starts(contest *c, int a, int b)
{
	tlv_held model = c->models[a];
	double mean = c->means[a];
	bool moments = c->moments[a];

	c->models[a] = c->models[b];
	c->means[a] = c->means[b];
	c->moments[a] = c->moments[b];
	c->models[b] = model;
	c->means[b] = mean;
	c->moments[b] = moments;
}

/* The best likelihoods first; the moments' start, where none is better by more than a climb's last
 * steps. */
static void
sort_starts(contest *c)
{
	for (int i = 1; i < c->n; i++)
		for (int j = i; j > 0 && c->means[j] > c->means[j - 1]; j--)
			swap_starts(c, j, j - 1);
	for (int i = 1; i < c->n; i++)
		if (c->moments[i] && c->means[i] >= c->means[0] - TLV_EM_TOLERANCE)
			swap_starts(c, i, 0);
}

/* Makes the starts; those that cannot be are left out. */
static tlv_status
make_starts(tlv_context *ctx, const tlv_hmm_search *search, const tlv_hmm_data *data, contest *c)
{
	int starts = search->m > 0 ? TLV_HMM_STARTS : TLV_HMM_LABEL_STARTS;

	for (int which = 0; which < starts; which++)
	{
		tlv_making made;
		tlv_status status;

		if (which > 0 &&
			(search->start.k == 1 || (search->start.constraints & TLV_HMM_LEFT_RIGHT) != 0))
			break;
		if (search->quick && which % TLV_HMM_LABEL_STARTS >= HMM_THINNING_STARTS)
			continue;
		tlv_make(ctx, &made);
		status = tlv_made(ctx, &made, &c->models[c->n],
						  tlv_hmm_start(ctx, data, &search->start, search->m, search->items, which,
										&made.image, &made.size));
		if (status == TLV_OK)
			c->n++;
		else if (status != TLV_NOT_IDENTIFIABLE)
			return status;
	}
	return TLV_OK;
}

static tlv_status
copy_moments(tlv_context *ctx, const tlv_frame *moments, contest *c)
{
	size_t size = moments->header->size;
	tlv_making made;

	tlv_make(ctx, &made);
	made.image = tlv_alloc(ctx, size, 1);
	if (made.image != NULL)
		memcpy(made.image, moments->header, size);
	made.size = size;
	c->moments[c->n] = true;
	return tlv_made(ctx, &made, &c->models[c->n++], made.image != NULL ? TLV_OK : ctx->error.code);
}

static tlv_status
run_rounds(tlv_context *ctx, const tlv_hmm_search *search, contest *c)
{
	tlv_hmm_data part;

	TLV_TRY(tlv_hmm_data_head(ctx, search->data,
							  round_steps(search->start.k, HMM_SEARCH_FIRST_STEPS), &part));
	TLV_TRY(make_starts(ctx, search, &part, c));
	if (c->n == 0)
		return tlv_refuse_few(ctx, search->data->steps, "steps", search->start.k, "states");
	for (int i = 0; c->n > 1 && i < c->n; i++)
	{
		tlv_report(ctx, "starts", i, c->n);
		TLV_TRY(hmm_run_start(ctx, &part, c, i, HMM_FIRST_STEPS));
	}
	sort_starts(c);
	tlv_free(ctx, part.rows);
	if (search->quick)
		return TLV_OK;
	TLV_TRY(
		tlv_hmm_data_head(ctx, search->data, round_steps(search->start.k, SECOND_STEPS), &part));
	for (int i = 0; c->n > 1 && i < c->n && i < SECOND_BEST; i++)
		TLV_TRY(hmm_run_start(ctx, &part, c, i, SECOND_ROUND));
	for (int i = SECOND_BEST; i < c->n; i++)
		c->means[i] = -HUGE_VAL;
	sort_starts(c);
	tlv_free(ctx, part.rows);
	return TLV_OK;
}

tlv_status
tlv_hmm_search_start(tlv_context *ctx, tlv_hmm_search *search, const tlv_frame *moments,
					 tlv_held *best)
{
	contest c = {.n = 0};

	if (moments != NULL)
		TLV_TRY(copy_moments(ctx, moments, &c));
	TLV_TRY(run_rounds(ctx, search, &c));
	*best = c.models[0];
	search->starts = c.n;
	search->moments_won = c.moments[0];
	for (int i = 1; i < c.n; i++)
		tlv_free(ctx, c.models[i].image);
	return TLV_OK;
}
