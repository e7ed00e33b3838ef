/*
 * blocks.c - alpha0 = 0: one community a node, from the best of several initialisations by
 * likelihood: local moves, and clusters of the directions of the graph.
 *
 * From each a few mean-field steps of an assortative and of a full block model are taken; the model
 * is chosen by integrated likelihood, where the full one must explain clearly more, and its best
 * initialisation is taken to convergence.
 */
#include "../internal.h"
#include "tensorlv/num/assert.h"

#include <math.h>
#include <string.h>

#define COMMUNITY_FIRST_STEPS	   5
#define COMMUNITY_LAST_STEPS	   50
#define COMMUNITY_BLOCKS_TOLERANCE 1e-4

/* Work of a step (edges x communities and more) above which starts are compared as they are. */
#define LARGE_STEP		 5e7
#define LARGE_LAST_STEPS 10

/* Moves, and clusters of the directions. */
#define MOST_STARTS 2

typedef struct start
{
	const char *name;
	int32_t *label[2];	  /* as found */
	double criterion[2];  /* assortative, full */
	int32_t *first[2][2]; /* after the first steps: by model, side */
} start;

typedef struct block_fit
{
	tlv_mmsb_fit_state *fit;
	tlv_block_model model;
	double *propensity[2];
	bool large;
	size_t n_starts;
	start starts[MOST_STARTS];
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
	for (size_t s = 0; s < 2 && s < fit->sides; s++)
		if (to[s] != NULL && from[s] != NULL)
			memcpy(to[s], from[s], fit->side[s].n * sizeof(int32_t));
}

static start *
add_start(block_fit *work, const char *name)
{
	start *added = &work->starts[work->n_starts++];

	memset(added, 0, sizeof(*added));
	added->name = name;
	return added;
}

/* Clusters of the directions of every side's nodes. */
static tlv_status
cluster_start(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	start *added = add_start(work, "clusters");

	TLV_TRY(new_labels(ctx, fit, added->label));
	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY(tlv_mmsb_cluster(ctx, fit, s, 1, added->label[s]));
	return tlv_mmsb_settle_labels(ctx, fit, added->label);
}

static tlv_status
proposed_start(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	int32_t *proposed[2] = {fit->side[0].proposed, fit->side[1].proposed};
	start *added = add_start(work, "moves");

	TLV_TRY(new_labels(ctx, fit, added->label));
	copy_labels(fit, proposed, added->label);
	if (fit->side[0].fixed == NULL)
		return TLV_OK; /* both sides are numbered alike */
	return tlv_mmsb_settle_labels(ctx, fit, added->label);
}

static tlv_status
find_starts(tlv_context *ctx, block_fit *work)
{
	const tlv_mmsb_fit_state *fit = work->fit;

	if (fit->side[0].proposed != NULL)
		TLV_TRY(proposed_start(ctx, work));
	return fit->embedded ? cluster_start(ctx, work) : TLV_OK;
}

static void
use_labels(block_fit *work, int32_t *const label[2])
{
	tlv_assert(work->fit->sides <= 2);
	for (size_t s = 0; s < work->fit->sides; s++)
		work->model.side[s].label = label[s];
}

/* The first steps of both models from every start, and what they reach. */
static tlv_status
first_steps(tlv_context *ctx, block_fit *work)
{
	const double first_sharpness = 1.5;
	int steps;

	work->model.sharpness = first_sharpness;
	for (size_t i = 0; i < work->n_starts; i++)
		for (int full = 0; full < 2; full++)
		{
			start *from = &work->starts[i];

			TLV_TRY(new_labels(ctx, work->fit, from->first[full]));
			copy_labels(work->fit, from->label, from->first[full]);
			use_labels(work, from->first[full]);
			work->model.diagonal = !full;
			if (!work->large)
				TLV_TRY(tlv_block_mean_field(ctx, &work->model, COMMUNITY_FIRST_STEPS,
											 COMMUNITY_BLOCKS_TOLERANCE, &steps));
			TLV_TRY(tlv_block_criterion(ctx, &work->model, &from->criterion[full]));
		}
	work->model.sharpness = 1;
	return TLV_OK;
}

static double
best_criterion(const block_fit *work, int full)
{
	double best = -HUGE_VAL;

	for (size_t i = 0; i < work->n_starts; i++)
		best = fmax(best, work->starts[i].criterion[full]);
	return best;
}

/* Whole reassignments from every start, which do not empty communities; the fullest, then best. */
static tlv_status
keep_communities(tlv_context *ctx, block_fit *work, int32_t *const label[2], double *criterion)
{
	const int hard_steps = 30;
	int32_t *trial[2] = {NULL, NULL};
	size_t most = 0;
	double best = -HUGE_VAL, value;
	int steps;

	TLV_TRY(new_labels(ctx, work->fit, trial));
	for (size_t i = 0; i < work->n_starts; i++)
	{
		size_t used;

		copy_labels(work->fit, work->starts[i].label, trial);
		use_labels(work, trial);
		TLV_TRY(tlv_block_reassign(ctx, &work->model, hard_steps, &steps));
		TLV_TRY(tlv_block_criterion(ctx, &work->model, &value));
		used = tlv_block_used(&work->model);
		if (used < most || (used == most && value <= best))
			continue;
		most = used;
		best = value;
		copy_labels(work->fit, trial, label);
	}
	*criterion = best;
	tlv_free(ctx, trial[0]);
	tlv_free(ctx, trial[1]);
	return TLV_OK;
}

/* The best start of a model to convergence, of a large graph for a few steps. */
static tlv_status
last_steps(tlv_context *ctx, block_fit *work, int full, int32_t *const label[2])
{
	/* Less than this part of the communities left: whole reassignments keep more of them. */
	const double least_used = 0.9;
	tlv_mmsb_fit_state *fit = work->fit;
	const start *best = &work->starts[0];
	double value, used;
	int steps;

	for (size_t i = 1; i < work->n_starts; i++)
		best = work->starts[i].criterion[full] > best->criterion[full] ? &work->starts[i] : best;
	work->model.diagonal = !full;
	use_labels(work, best->label);
	used = (double) tlv_block_used(&work->model);
	copy_labels(fit, best->first[full], label);
	use_labels(work, label);
	TLV_TRY(tlv_block_mean_field(ctx, &work->model,
								 work->large ? LARGE_LAST_STEPS : COMMUNITY_LAST_STEPS,
								 COMMUNITY_BLOCKS_TOLERANCE, &steps));
	TLV_TRY(tlv_block_criterion(ctx, &work->model, &value));
	if ((double) tlv_block_used(&work->model) < least_used * used)
		TLV_TRY(keep_communities(ctx, work, label, &value));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, value, "criterion"));
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, steps, "refinement_steps"));
	return tlv_diagnose(ctx, &fit->diagnostics, full, "full_block_model");
}

static tlv_status
diagnose_starts(tlv_context *ctx, block_fit *work)
{
	for (size_t i = 0; i < work->n_starts; i++)
		for (int full = 0; full < 2; full++)
			TLV_TRY(tlv_diagnose(ctx, &work->fit->diagnostics, work->starts[i].criterion[full],
								 "criterion_%s_%s_%zu", full ? "full" : "assortative",
								 work->starts[i].name, i + 1));
	return TLV_OK;
}

/* Expected shares of edges: by degree, or the same for all. */
static tlv_status
prepare_model(tlv_context *ctx, block_fit *work)
{
	tlv_mmsb_fit_state *fit = work->fit;
	double k = (double) fit->k, step = 0;

	work->model.k = fit->k;
	work->model.sides = fit->sides;
	work->model.total = fit->total;
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

static bool
is_too_large(tlv_context *ctx, const block_fit *work)
{
	return work->large ||
		   tlv_require_memory(ctx, tlv_block_memory(&work->model), "steps") != TLV_OK;
}

/* The labels proposed as they are: of so many communities, every step would be much work. */
static tlv_status
take_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, block_fit *work)
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY_NEW(ctx, fit->side[s].label, fit->side[s].n);
		memcpy(fit->side[s].label, fit->side[s].proposed, fit->side[s].n * sizeof(int32_t));
		tlv_free(ctx, work->propensity[s]);
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_move_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool full, int32_t *const label[2])
{
	/* Sweeps over the nodes at most. */
	const int most_sweeps = 30;
	block_fit work = {.fit = fit};
	int sweeps = 0;

	TLV_TRY(prepare_model(ctx, &work));
	work.model.diagonal = !full;
	use_labels(&work, label);
	if (!is_too_large(ctx, &work))
		TLV_TRY(tlv_block_reassign(ctx, &work.model, most_sweeps, &sweeps));
	for (size_t s = 0; s < fit->sides; s++)
		tlv_free(ctx, work.propensity[s]);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, sweeps, "refinement_steps"));
	return tlv_diagnose(ctx, &fit->diagnostics, full, "full_block_model");
}

tlv_status
tlv_mmsb_fit_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	/* The full model's rates must raise the criterion by this part. */
	const double full_margin = 0.1;
	block_fit work = {.fit = fit};
	int32_t *label[2] = {NULL, NULL};
	int full;

	TLV_TRY(prepare_model(ctx, &work));
	if (!fit->embedded && is_too_large(ctx, &work))
		return take_proposal(ctx, fit, &work);
	TLV_TRY(tlv_require_memory(ctx, tlv_block_memory(&work.model), "the block model"));
	TLV_TRY(find_starts(ctx, &work));
	TLV_TRY(first_steps(ctx, &work));
	TLV_TRY(diagnose_starts(ctx, &work));
	full = best_criterion(&work, 1) >
		   best_criterion(&work, 0) + full_margin * fabs(best_criterion(&work, 0));
	TLV_TRY(new_labels(ctx, fit, label));
	TLV_TRY(last_steps(ctx, &work, full, label));
	tlv_assert(fit->sides <= 2);
	for (size_t s = 0; s < fit->sides; s++)
	{
		fit->side[s].label = label[s];
		tlv_free(ctx, work.propensity[s]);
		for (size_t i = 0; i < work.n_starts; i++)
		{
			tlv_free(ctx, work.starts[i].label[s]);
			tlv_free(ctx, work.starts[i].first[0][s]);
			tlv_free(ctx, work.starts[i].first[1][s]);
		}
	}
	return TLV_OK;
}
