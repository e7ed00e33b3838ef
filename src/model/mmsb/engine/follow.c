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
#include "../tuning.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tuning.h"

#include <math.h>
#include <string.h>

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
	tlv_csr edges;	 /* of a directed graph those from a node before those to it */
	size_t *split;	 /* where the latter begin; NULL: undirected */
	size_t *node;	 /* directed: the nodes that have edges to others, which the rows are */
	int32_t *number; /* directed: the row of each node that is one */
	tlv_rank_scores scores;
	tlv_group_task task;
	float *value;	/* of the entries: exp(score) */
	double *degree; /* n: their sums */
	int32_t *label; /* n: of the partition looked at */
	candidate
		best[2]; /* with a rate of its own for each pair of groups, and with one between all */
} follow_work;

/* ---- nodes and sides ---- */

/* Leaves nodes without edges to others out: they are in no community. */
static void
number_nodes(follow_work *work)
{
	const tlv_mmsb_side *side = work->fit->side;
	tlv_csr *edges = &work->edges;
	size_t n = 0;

	for (size_t i = 0; i < edges->rows; i++)
	{
		if (side[0].place[i] < 0 && side[1].place[i] < 0)
			continue;
		work->number[i] = (int32_t) n;
		work->node[n] = i;
		edges->start[n] = edges->start[i];
		work->split[n++] = work->split[i];
	}
	edges->start[n] = edges->entries;
	edges->rows = edges->columns = n;
	for (size_t e = 0; e < edges->entries; e++)
		edges->index[e] = work->number[edges->index[e]];
}

/* The edges of both directions of every node, with their weights. */
static tlv_status
open_directions(tlv_context *ctx, follow_work *work)
{
	TLV_TRY_NEW(ctx, work->split, work->fit->side[0].all);
	TLV_TRY_NEW(ctx, work->node, work->fit->side[0].all);
	TLV_TRY_NEW(ctx, work->number, work->fit->side[0].all);
	TLV_TRY(tlv_mmsb_use_weights(ctx, work->fit, true));
	TLV_TRY(tlv_mmsb_join_directions(ctx, work->fit, work->split, &work->edges));
	TLV_TRY(tlv_mmsb_use_weights(ctx, work->fit, false));
	number_nodes(work);
	return TLV_OK;
}

/* The labels of the fit, by row. */
static void
read_labels(const follow_work *work, int32_t *label)
{
	const tlv_mmsb_side *side = work->fit->side;

	for (size_t r = 0; r < work->edges.rows; r++)
	{
		size_t i = work->node == NULL ? r : work->node[r];
		size_t s = work->node == NULL || side[0].place[i] >= 0 ? 0 : 1;

		label[r] = side[s].label[work->node == NULL ? (int32_t) r : side[s].place[i]];
	}
}

static void
write_labels(const follow_work *work, const int32_t *label)
{
	const tlv_mmsb_fit_state *fit = work->fit;

	for (size_t r = 0; r < work->edges.rows; r++)
		for (size_t s = 0; s < fit->sides; s++)
		{
			int32_t place = work->node == NULL ? (int32_t) r : fit->side[s].place[work->node[r]];

			if (place >= 0)
				fit->side[s].label[place] = label[r];
		}
}

/* ---- the search ---- */

/* Moves at a resolution, from every node by itself. */
static tlv_status
begin_moves(tlv_context *ctx, follow_work *work, double resolution, size_t *k)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	tlv_level_task task = {.edges = work->edges,
						   .mass = {work->degree, work->degree},
						   .resolution = resolution,
						   .seed = fit->options->seed,
						   .rounds = WEAK_ROUNDS};
	size_t most = work->task.k > TLV_TESTED_RANK ? work->task.k : TLV_TESTED_RANK;

	for (size_t e = 0; e < task.edges.entries; e++)
		work->value[e] = (float) exp((double) work->scores.score[e]);
	task.edges.value = work->value;
	tlv_csr_row_sums(&task.edges, work->degree);
	for (size_t u = 0; u < work->edges.rows; u++)
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
	memcpy(best->label, work->label, work->edges.rows * sizeof(int32_t));
	return TLV_OK;
}

/* From random groups, none of them empty: as many as are wanted, and more. */
static tlv_status
begin_at_random(tlv_context *ctx, follow_work *work)
{
	const size_t groups[2] = {work->task.k, RANDOM_GROUPS};
	tlv_rng rng;

	tlv_rng_seed(&rng, work->fit->options->seed);
	for (int i = 0; i < 2 * RANDOM_DRAWS; i++)
	{
		size_t n = work->edges.rows, k = tlv_least(groups[i % 2], n);

		if (k == 0 || k < work->task.k)
			continue;
		for (size_t u = 0; u < n; u++)
			work->label[u] = (int32_t) (u < k ? u : tlv_rng_below(&rng, k));
		TLV_TRY(try_labels(ctx, work, k));
	}
	return TLV_OK;
}

static tlv_status
try_beginnings(tlv_context *ctx, follow_work *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;

	if (fit->k <= TLV_TESTED_RANK || fit->k == work->task.k)
	{
		read_labels(work, work->label);
		TLV_TRY(try_labels(ctx, work, fit->k));
	}
	for (size_t i = 0; i < sizeof(resolutions) / sizeof(resolutions[0]); i++)
	{
		size_t found;

		TLV_TRY(begin_moves(ctx, work, resolutions[i], &found));
		TLV_TRY(try_labels(ctx, work, found));
	}
	return work->task.follow ? begin_at_random(ctx, work) : TLV_OK;
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
	TLV_TRY(tlv_scores_alike(ctx, work->edges.entries, &work->scores, &work->task.alike));
	memset(work->label, 0, work->edges.rows * sizeof(int32_t));
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
	size_t n;

	*work = (follow_work){.fit = fit, .edges = fit->side[0].edges};
	if (fit->sides == 2)
		TLV_TRY(open_directions(ctx, work));
	n = work->edges.rows;
	TLV_TRY(tlv_rank_scores_create(ctx, &work->edges, work->split,
								   work->split == NULL ? fit->side[0].weight : work->edges.value,
								   &work->scores));
	work->task = (tlv_group_task){.fit = fit,
								  .edges = &work->edges,
								  .split = work->split,
								  .number = work->number,
								  .scores = &work->scores,
								  .k = fit->options->k > 0 ? fit->k : 0,
								  .most = fit->options->max_k,
								  .seed = fit->options->seed};
	TLV_TRY_NEW(ctx, work->value, work->edges.entries);
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
	if (work->fit->sides == 2)
		tlv_csr_free(ctx, &work->edges);
	tlv_free(ctx, work->split);
	tlv_free(ctx, work->node);
	tlv_free(ctx, work->number);
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
	follow_work work;
	double one, gain;

	if ((fit->sides == 2 && !fit->tied) || fit->side[0].fixed != NULL || fit->k == 0 ||
		fit->side[0].edges.entries > LARGE_ENDS / fit->sides)
		return TLV_OK;
	TLV_TRY(open_work(ctx, fit, &work));
	TLV_TRY(choose_model(ctx, &work, &one));
	for (int follow = 0; follow < 2; follow++)
	{
		work.task.follow = follow == 1;
		TLV_TRY(try_beginnings(ctx, &work));
	}
	work.task.follow = false;
	memcpy(work.label, work.best[1].label, work.edges.rows * sizeof(int32_t));
	TLV_TRY(try_labels(ctx, &work, work.best[1].k));
	gain = work.best[1].evidence -
		   (work.task.k == 0 ? fmax(work.best[0].evidence, one) : work.best[0].evidence);
	/* where a weak graph is asked for k groups, nearly all nodes are in one of the likeliest */
	if (gain > (work.task.k == 0 ? 0 : TLV_STRONG_EVIDENCE))
	{
		write_labels(&work, work.best[1].label);
		fit->k = work.best[1].k;
		fit->corrected = work.task.corrected;
		fit->followed = true;
	}
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, gain, "evidence_of_weights"));
	close_work(ctx, &work);
	return TLV_OK;
}
