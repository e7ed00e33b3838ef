/*
 * follow.c - communities that weights follow: whether what edges weigh differs between groups, by
 * the evidence of groups.h.
 *
 * Weights that are no counts have not decided the communities so far.  Partitions are looked for
 * twice from the same beginnings: with scores of the weights that are alike for all edges, and with
 * scores that have a distribution of their own for every pair of groups.  Those of the second
 * search are taken where they are the likelier; else the communities of the edges stay as they are,
 * so that weights which have nothing to do with the groups change nothing.
 */
#include "groups.h"
#include "levels.h"
#include "merge.h"
#include "tensorlv/num/rng.h"

#include <math.h>
#include <string.h>

/* Groups at most that a search begins with, and those of the one that begins at random. */
#define MOST_GROUPS	  60
#define RANDOM_GROUPS 12

/* Resolutions of the moves that searches begin with; edges count exp(score) in them. */
static const double resolutions[] = {1, 2};

/* The likeliest partition of one kind. */
typedef struct candidate
{
	int32_t *label; /* n */
	size_t k;
	double evidence;
} candidate;

typedef struct follow_work
{
	tlv_mmsb_fit_state *fit;
	tlv_rank_scores scores;
	tlv_group_task task;
	float *value;	/* of the entries: exp(score) */
	double *degree; /* n: their sums */
	int32_t *label; /* n: of the partition looked at */
	candidate
		best[2]; /* with a rate of its own for each pair of groups, and with one between all */
} follow_work;

/* Moves at a resolution, from every node by itself. */
static tlv_status
begin_moves(tlv_context *ctx, follow_work *work, double resolution, size_t *k)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	tlv_level_task task = {.edges = fit->side[0].edges,
						   .mass = {work->degree, work->degree},
						   .resolution = resolution,
						   .seed = fit->options->seed,
						   .rounds = 10};
	size_t most = work->task.k > MOST_GROUPS ? work->task.k : MOST_GROUPS;

	for (size_t e = 0; e < task.edges.entries; e++)
		work->value[e] = (float) exp((double) work->scores.score[e]);
	task.edges.value = work->value;
	tlv_csr_row_sums(&task.edges, work->degree);
	for (size_t u = 0; u < fit->side[0].n; u++)
	{
		task.total += work->degree[u];
		work->label[u] = (int32_t) u;
	}
	TLV_TRY(tlv_levels_search(ctx, &task, work->label, k));
	if (*k <= most)
		return TLV_OK;
	TLV_TRY(tlv_merge_communities(ctx, &task, *k, most, work->label));
	*k = most;
	return TLV_OK;
}

/* The partition looked at is refined, and taken where it is the likeliest of its kind so far. */
static tlv_status
try_labels(tlv_context *ctx, follow_work *work, size_t k)
{
	candidate *best = &work->best[work->task.follow];
	double evidence;

	if (k < work->task.k)
		return TLV_OK;
	TLV_TRY(tlv_groups_search(ctx, &work->task, work->label, &k, &evidence));
	if (evidence <= best->evidence)
		return TLV_OK;
	best->evidence = evidence;
	best->k = k;
	memcpy(best->label, work->label, work->fit->side[0].n * sizeof(int32_t));
	return TLV_OK;
}

static tlv_status
try_beginnings(tlv_context *ctx, follow_work *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t n = fit->side[0].n, k = work->task.k > 0 ? work->task.k : RANDOM_GROUPS;
	tlv_rng rng;

	if (fit->k <= MOST_GROUPS || fit->k == work->task.k)
	{
		memcpy(work->label, fit->side[0].label, n * sizeof(int32_t));
		TLV_TRY(try_labels(ctx, work, fit->k));
	}
	for (size_t i = 0; i < sizeof(resolutions) / sizeof(resolutions[0]); i++)
	{
		size_t found;

		TLV_TRY(begin_moves(ctx, work, resolutions[i], &found));
		TLV_TRY(try_labels(ctx, work, found));
	}
	k = tlv_least(k, n);
	tlv_rng_seed(&rng, fit->options->seed);
	for (size_t u = 0; u < n; u++)
		work->label[u] = (int32_t) (u < k ? u : tlv_rng_below(&rng, k));
	return try_labels(ctx, work, k);
}

/* The likelier model of the edges of one community, beside scores that are all alike, unless the
 * options have decided; *one: its evidence. */
static tlv_status
choose_model(tlv_context *ctx, follow_work *work, double *one)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	bool chosen = fit->options->degree_corrected == TLV_DEGREES_CHOSEN;
	double evidence;

	*one = -HUGE_VAL;
	TLV_TRY(tlv_scores_alike(ctx, fit->side[0].edges.entries, &work->scores, &work->task.alike));
	memset(work->label, 0, fit->side[0].n * sizeof(int32_t));
	for (int corrected = 0; corrected < 2; corrected++)
	{
		tlv_group_task task = work->task;

		if (!chosen && fit->corrected != (corrected == 1))
			continue;
		task.corrected = corrected == 1;
		TLV_TRY(tlv_groups_weigh(ctx, &task, work->label, 1, &evidence));
		if (evidence > *one)
			work->task = task;
		*one = fmax(*one, evidence);
	}
	return TLV_OK;
}

static tlv_status
open_work(tlv_context *ctx, tlv_mmsb_fit_state *fit, follow_work *work)
{
	size_t n = fit->side[0].n;

	*work = (follow_work){.fit = fit};
	work->task = (tlv_group_task){
		.fit = fit, .k = fit->options->k > 0 ? fit->k : 0, .seed = fit->options->seed};
	TLV_TRY(tlv_rank_scores_create(ctx, &fit->side[0].edges, fit->side[0].weight, &work->scores));
	work->task.scores = &work->scores;
	TLV_TRY_NEW(ctx, work->value, fit->side[0].edges.entries);
	TLV_TRY_NEW(ctx, work->degree, n);
	TLV_TRY_NEW(ctx, work->label, n);
	for (int i = 0; i < 2; i++)
	{
		work->best[i].evidence = -HUGE_VAL;
		TLV_TRY_NEW(ctx, work->best[i].label, n);
	}
	return TLV_OK;
}

static void
close_work(tlv_context *ctx, follow_work *work)
{
	tlv_rank_scores_free(ctx, &work->scores);
	tlv_free(ctx, work->value);
	tlv_free(ctx, work->degree);
	tlv_free(ctx, work->label);
	tlv_free(ctx, work->best[0].label);
	tlv_free(ctx, work->best[1].label);
}

tlv_status
tlv_mmsb_follow_weights(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	/* A larger graph has the communities of its edges alone. */
	const int most_entries = 200000;
	follow_work work;
	double one;

	if (fit->sides == 2 || fit->side[0].fixed != NULL || fit->k == 0 ||
		fit->side[0].edges.entries > most_entries)
		return TLV_OK;
	TLV_TRY(open_work(ctx, fit, &work));
	TLV_TRY(choose_model(ctx, &work, &one));
	for (int follow = 0; follow < 2; follow++)
	{
		work.task.follow = follow == 1;
		TLV_TRY(try_beginnings(ctx, &work));
	}
	work.task.follow = false;
	memcpy(work.label, work.best[1].label, fit->side[0].n * sizeof(int32_t));
	TLV_TRY(try_labels(ctx, &work, work.best[1].k));
	if (work.task.k == 0)
		work.best[0].evidence = fmax(work.best[0].evidence, one);
	if (work.best[1].evidence > work.best[0].evidence)
	{
		memcpy(fit->side[0].label, work.best[1].label, fit->side[0].n * sizeof(int32_t));
		fit->k = work.best[1].k;
		fit->corrected = work.task.corrected;
	}
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, work.best[1].evidence - work.best[0].evidence,
						 "evidence_of_weights"));
	close_work(ctx, &work);
	return TLV_OK;
}
