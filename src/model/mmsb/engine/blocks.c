/*
 * blocks.c - alpha0 = 0: one community a node, from initialisations by local moves and by clusters
 * of the directions of the graph.
 *
 * From each, a few mean-field steps of an assortative block model, with one rate between all
 * different communities, and of a full one, whose rates are all free. The labels of the largest
 * integrated likelihood are taken to convergence.
 */
#include "../internal.h"
#include "../tuning.h"
#include "tensorlv/num/assert.h"

#include <math.h>
#include <string.h>

typedef struct block_fit
{
	tlv_mmsb_fit_state *fit;
	tlv_block_model model;
	double *propensity[2];
	bool large;
	int32_t *trial[2]; /* labels that change with the steps */
	int32_t *best[2];  /* the likeliest of those with the most communities so far */
	size_t used;	   /* their communities that have nodes */
	double evidence;   /* of these */
	bool full;		   /* in which model */
} block_fit;

static tlv_status
new_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *label[2])
{
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW(ctx, label[s], fit->side[s].n);
	return TLV_OK;
}

static void
copy_labels(const tlv_mmsb_fit_state *fit, int32_t *const from[2], int32_t *const to[2])
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_assert(to[s] != NULL && from[s] != NULL);
		memcpy(to[s], from[s], fit->side[s].n * sizeof(int32_t));
	}
}

/* Expected shares of edges: by degree, or the same for all. */
static tlv_status
open_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, block_fit *work)
{
	double k = (double) fit->k, step = 0;

	*work = (block_fit){.fit = fit,
						.evidence = -HUGE_VAL,
						.model = {.k = fit->k, .sides = fit->sides, .total = fit->total}};
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_mmsb_side *side = &fit->side[s];

		TLV_TRY_NEW(ctx, work->propensity[s], side->n);
		for (size_t u = 0; u < side->n; u++)
			work->propensity[s][u] =
				fit->corrected ? side->degree[u] / fit->total : 1 / (double) side->n;
		work->model.side[s] = (tlv_block_side){.n = side->n,
											   .edges = &side->edges,
											   .propensity = work->propensity[s],
											   .fixed = side->fixed};
		step += (double) side->edges.entries * k + (double) side->n * k * k;
	}
	work->large = step > LARGE_STEP;
	return TLV_OK;
}

static void
close_blocks(tlv_context *ctx, block_fit *work)
{
	for (size_t s = 0; s < work->fit->sides; s++)
		tlv_free(ctx, work->propensity[s]);
}

static void
use_labels(block_fit *work, bool full, int32_t *const label[2])
{
	work->model.diagonal = !full;
	for (size_t s = 0; s < work->fit->sides; s++)
		work->model.side[s].label = label[s];
}

static tlv_status
diagnose_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool full, int steps)
{
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, steps, "refinement_steps"));
	return tlv_diagnose(ctx, &fit->diagnostics, full, "full_block_model");
}

static bool
is_too_large(tlv_context *ctx, const block_fit *work)
{
	return work->large ||
		   tlv_require_memory(ctx, tlv_block_memory(&work->model), "steps") != TLV_OK;
}

tlv_status
tlv_mmsb_step_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool full, int32_t *const label[2])
{
	block_fit work;
	int steps = 0;

	TLV_TRY(open_blocks(ctx, fit, &work));
	use_labels(&work, full, label);
	if (!is_too_large(ctx, &work))
		TLV_TRY(tlv_block_mean_field(ctx, &work.model, FIRST_STEPS, STEPS_TOLERANCE, &steps));
	close_blocks(ctx, &work);
	return diagnose_blocks(ctx, fit, full, steps);
}

/* Communities that have a node; all where their number is not given. */
static tlv_status
count_used(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2], size_t *used)
{
	bool *met;

	*used = fit->k;
	if (fit->options->k == 0)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, met, fit->k);
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			met[label[s][u]] = true;
	*used = 0;
	for (size_t a = 0; a < fit->k; a++)
		*used += met[a];
	tlv_free(ctx, met);
	return TLV_OK;
}

/* First steps of both models from an initialisation.  The likeliest labels are kept of those that
 * leave the fewest communities without nodes: a weak graph is likeliest with all nodes in one. */
static tlv_status
first_steps(tlv_context *ctx, block_fit *work, const char *name, int32_t *const label[2])
{
	tlv_mmsb_fit_state *fit = work->fit;
	size_t used;
	int steps;

	for (int full = 0; full < 2; full++)
	{
		double evidence[2], value;

		copy_labels(fit, label, work->trial);
		use_labels(work, full == 1, work->trial);
		if (!work->large)
			TLV_TRY(tlv_block_mean_field(ctx, &work->model, FIRST_STEPS, STEPS_TOLERANCE, &steps));
		TLV_TRY(tlv_mmsb_evidence(ctx, fit, work->trial, fit->k, fit->corrected, evidence));
		TLV_TRY(count_used(ctx, fit, work->trial, &used));
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, evidence[full], "criterion_%s_%s",
							 full ? "full" : "assortative", name));
		value = fmax(evidence[0], evidence[1]);
		if (used < work->used || (used == work->used && value <= work->evidence))
			continue;
		work->used = used;
		work->evidence = value;
		work->full = evidence[1] > evidence[0];
		copy_labels(fit, work->trial, work->best);
	}
	return TLV_OK;
}

/* From the labels proposed; both sides are numbered alike, but not as known labels are. */
static tlv_status
begin_with_moves(tlv_context *ctx, block_fit *work, int32_t *const label[2])
{
	tlv_mmsb_fit_state *fit = work->fit;
	int32_t *proposed[2] = {fit->side[0].proposed, fit->side[1].proposed};

	copy_labels(fit, proposed, label);
	if (fit->side[0].fixed != NULL)
		TLV_TRY(tlv_mmsb_settle_labels(ctx, fit, label));
	return first_steps(ctx, work, "moves", label);
}

/* From clusters of the directions of every side's nodes. */
static tlv_status
begin_with_clusters(tlv_context *ctx, block_fit *work, int32_t *const label[2])
{
	tlv_mmsb_fit_state *fit = work->fit;

	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(tlv_mmsb_cluster(ctx, fit, s, 1, label[s]));
	TLV_TRY(tlv_mmsb_settle_labels(ctx, fit, label));
	return first_steps(ctx, work, "clusters", label);
}

/* The labels of the fit from the best initialisation. */
static tlv_status
block_fit_labels(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	int32_t *label[2] = {NULL, NULL};
	size_t used;
	int steps;

	TLV_TRY(tlv_require_memory(ctx, tlv_block_memory(&work->model), "the block model"));
	TLV_TRY(new_labels(ctx, fit, label));
	TLV_TRY(new_labels(ctx, fit, work->trial));
	TLV_TRY(new_labels(ctx, fit, work->best));
	if (fit->side[0].proposed != NULL)
		TLV_TRY(begin_with_moves(ctx, work, label));
	if (fit->embedded)
		TLV_TRY(begin_with_clusters(ctx, work, label));
	copy_labels(fit, work->best, work->trial);
	use_labels(work, work->full, work->trial);
	TLV_TRY(tlv_block_mean_field(ctx, &work->model, work->large ? LARGE_LAST_STEPS : LAST_STEPS,
								 STEPS_TOLERANCE, &steps));
	TLV_TRY(count_used(ctx, fit, work->trial, &used));
	if (used >= work->used)
		copy_labels(fit, work->trial, work->best);
	tlv_assert(fit->sides <= 2);
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].label = work->best[s];
		tlv_free(ctx, label[s]);
		tlv_free(ctx, work->trial[s]);
	}
	return diagnose_blocks(ctx, fit, work->full, steps);
}

/* The labels proposed as they are: of so many communities, every step would be much work. */
static tlv_status
take_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	int32_t *proposed[2] = {fit->side[0].proposed, fit->side[1].proposed}, *label[2];

	TLV_TRY(new_labels(ctx, fit, label));
	copy_labels(fit, proposed, label);
	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].label = label[s];
	return TLV_OK;
}

tlv_status
tlv_mmsb_fit_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	block_fit work;

	TLV_TRY(open_blocks(ctx, fit, &work));
	if (!fit->embedded && is_too_large(ctx, &work))
		TLV_TRY(take_proposal(ctx, fit));
	else
		TLV_TRY(block_fit_labels(ctx, &work));
	close_blocks(ctx, &work);
	return TLV_OK;
}
