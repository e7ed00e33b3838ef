/*
 * choose.c - how many communities a block model has: local moves propose a partition and its k;
 * where this is not much likelier than one community, the spectrum proposes another k, and the one
 * whose integrated likelihood is larger is taken.
 *
 * Where the moves find one community, two or three of the spectrum must not be much less likely
 * than it: in graphs of few edges one direction in ten that stands out is chance, since the folds
 * that are set aside share most of the others.  Many at once are no chance, though labels of few
 * nodes cost more to tell than they explain.
 */
#include "../internal.h"
#include "../tuning.h"
#include "tensorlv/num/tuning.h"

#include <math.h>
#include <string.h>

typedef struct choice
{
	size_t k;
	double assortative, evidence; /* of one rate between communities; of the better model */
	int32_t *label[2];
	tlv_diagnostics diagnostics;
} choice;

/* Evidence of labels 0 .. k - 1. */
static tlv_status
weigh_choice(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2], size_t k,
			 choice *weighed)
{
	double evidence[2];

	TLV_TRY(tlv_mmsb_evidence(ctx, fit, label, k, fit->corrected, evidence));
	weighed->k = k;
	weighed->assortative = evidence[0];
	weighed->evidence = fmax(evidence[0], evidence[1]);
	return TLV_OK;
}

/* Of one community. */
static tlv_status
weigh_one(tlv_context *ctx, const tlv_mmsb_fit_state *fit, choice *one)
{
	int32_t *label[2] = {NULL, NULL};

	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW0(ctx, label[s], fit->side[s].n);
	TLV_TRY(weigh_choice(ctx, fit, label, 1, one));
	tlv_free(ctx, label[0]);
	tlv_free(ctx, label[1]);
	return TLV_OK;
}

/* Communities without nodes are left out. */
static tlv_status
drop_empty(tlv_context *ctx, const tlv_mmsb_fit_state *fit, choice *of)
{
	int32_t *number, used = 0;

	TLV_TRY_NEW0(ctx, number, of->k);
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			number[of->label[s][u]] = 1;
	for (size_t c = 0; c < of->k; c++)
		number[c] = number[c] > 0 ? used++ : 0;
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			of->label[s][u] = number[of->label[s][u]];
	of->k = (size_t) used;
	tlv_free(ctx, number);
	return TLV_OK;
}

/* A fit of k communities, whose labels and diagnostics are the choice's. */
static tlv_status
try_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t k, choice *tried)
{
	tlv_diagnostics kept = fit->diagnostics;

	fit->k = k;
	fit->diagnostics = (tlv_diagnostics){0};
	TLV_TRY(tlv_mmsb_fit_k_blocks(ctx, fit));
	tried->diagnostics = fit->diagnostics;
	fit->diagnostics = kept;
	for (size_t s = 0; s < fit->sides; s++)
		tried->label[s] = fit->side[s].label;
	TLV_TRY(weigh_choice(ctx, fit, tried->label, k, tried));
	return drop_empty(ctx, fit, tried);
}

static void
copy_proposed(const tlv_mmsb_fit_state *fit, const choice *to)
{
	for (size_t s = 0; s < fit->sides; s++)
		memcpy(to->label[s], fit->side[s].proposed, fit->side[s].n * sizeof(int32_t));
}

/*
 * The partition proposed, or that of a few steps of the likelier of the two block models, where
 * that is likelier still.
 */
static tlv_status
refine_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, choice *moves)
{
	tlv_diagnostics kept = fit->diagnostics;
	choice before;

	for (size_t s = 0; s < fit->sides; s++)
		TLV_TRY_NEW(ctx, moves->label[s], fit->side[s].n);
	copy_proposed(fit, moves);
	TLV_TRY(weigh_choice(ctx, fit, moves->label, fit->k, moves));
	if (fit->k == 1)
		return TLV_OK;
	before = *moves;
	fit->diagnostics = (tlv_diagnostics){0};
	TLV_TRY(tlv_mmsb_step_blocks(ctx, fit, moves->evidence > moves->assortative, moves->label));
	moves->diagnostics = fit->diagnostics;
	fit->diagnostics = kept;
	TLV_TRY(weigh_choice(ctx, fit, moves->label, fit->k, moves));
	if (moves->evidence <= before.evidence)
	{
		moves->evidence = before.evidence;
		copy_proposed(fit, moves);
	}
	return drop_empty(ctx, fit, moves);
}

bool
tlv_mmsb_decides(const tlv_mmsb_fit_state *fit, double gain)
{
	return gain > DECISIVE_GAIN * fit->total / (fit->sides == 1 ? 2 : 1);
}

static tlv_status
take_choice(tlv_context *ctx, tlv_mmsb_fit_state *fit, const choice *taken)
{
	fit->k = taken->k;
	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].label = taken->label[s];
	return tlv_diagnostics_append(ctx, &fit->diagnostics, &taken->diagnostics);
}

/* All nodes in one community, whatever was found. */
static void
community_unite(const tlv_mmsb_fit_state *fit, choice *found)
{
	for (size_t s = 0; s < fit->sides; s++)
		memset(found->label[s], 0, fit->side[s].n * sizeof(int32_t));
	found->k = 1;
	found->diagnostics = (tlv_diagnostics){0};
}

/* The integrated likelihoods that were compared, of every k the greatest. */
static tlv_status
tell_evidence(tlv_context *ctx, const choice *one, const choice *moves, const choice *spectrum,
			  tlv_diagnostics *diagnostics)
{
	const choice *all[3] = {one, moves, spectrum};

	for (size_t i = 0; i < 3; i++)
	{
		double best = all[i]->evidence;
		bool told = !isfinite(best) || all[i]->k == 0;

		for (size_t j = 0; j < 3; j++)
			if (all[j]->k == all[i]->k && j != i)
			{
				told |= j < i && isfinite(all[j]->evidence);
				best = fmax(best, all[j]->evidence);
			}
		if (!told)
			TLV_TRY(tlv_diagnose(ctx, diagnostics, best, "evidence_%zu", all[i]->k));
	}
	return TLV_OK;
}

/* ---- trees ---- */

/* Takes off the nodes that hang on one other, again and again; what is left, of all. */
static tlv_status
core_share(tlv_context *ctx, const tlv_mmsb_fit_state *fit, double *share)
{
	size_t first = fit->side[0].n, n = first + (fit->sides == 2 ? fit->side[1].n : 0), taken = 0;
	size_t *left = tlv_alloc(ctx, n, sizeof(size_t)), *queue = tlv_alloc(ctx, n, sizeof(size_t));

	TLV_TRY_ALLOC(ctx, left);
	TLV_TRY_ALLOC(ctx, queue);
	for (size_t u = 0, waiting = 0; u < n; u++)
	{
		const tlv_csr *edges = &fit->side[u >= first].edges;
		size_t row = u >= first ? u - first : u;

		left[u] = edges->start[row + 1] - edges->start[row];
		if (left[u] == 1)
			queue[waiting++] = u;
		taken = waiting;
	}
	for (size_t i = 0; i < taken; i++)
	{
		size_t u = queue[i], row = u >= first ? u - first : u;
		const tlv_csr *edges = &fit->side[u >= first].edges;
		size_t other = fit->sides == 2 && u < first ? first : 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t e = edges->start[row]; e < edges->start[row + 1]; e++)
		{
			size_t v = other + (size_t) edges->index[e];

			if (left[v] > 0 && --left[v] == 1)
				queue[taken++] = v;
		}
	}
	*share = 1 - (double) taken / (double) n;
	tlv_free(ctx, queue);
	tlv_free(ctx, left);
	return TLV_OK;
}

/*
 * Of a tree every edge is told by one of its ends, so that no partition explains anything; what
 * there is to find are parts that few edges join, as in any tree.
 */
static tlv_status
choose_in_tree(tlv_context *ctx, tlv_mmsb_fit_state *fit, double core)
{
	fit->tree = true;
	TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_CUTS, 0));
	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].label = fit->side[s].proposed;
	if (fit->k == 1)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){.code = "tree_like",
					   .score = core,
					   .hint =
						   "Treat the communities as a division of the graph, not as a finding."},
		"the graph is nearly a tree: its communities are parts that few edges join, "
		"which a random tree has, too");
}

/* ---- the choice ---- */

static tlv_status
community_count_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t proposed,
						   size_t *directions)
{
	size_t most = fit->options->max_k, first = FIRST_DIRECTIONS + 3 * proposed / 2;

	most = most == 0 || most > TLV_TESTED_RANK ? TLV_TESTED_RANK : most;
	*directions = proposed;
	if (proposed <= TLV_TESTED_RANK || fit->side[0].edges.entries <= LARGE_ENDS)
	{
		first = first < most ? first : most;
		TLV_TRY(tlv_mmsb_count_directions(ctx, fit, first, directions));
		if (*directions == first && first < most)
			TLV_TRY(tlv_mmsb_count_directions(ctx, fit, most, directions));
	}
	return tlv_diagnose(ctx, &fit->diagnostics, (double) *directions, "k_of_spectrum");
}

/* The fit of as many communities as there are directions, or one where these may be chance. */
static tlv_status
try_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t directions, const choice *one,
			   bool alone, choice *spectrum)
{
	TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_SOME, directions));
	TLV_TRY(try_blocks(ctx, fit, directions, spectrum));
	if (alone && directions <= FEW_DIRECTIONS &&
		spectrum->evidence < one->evidence - TLV_STRONG_EVIDENCE)
		community_unite(fit, spectrum);
	return TLV_OK;
}

tlv_status
tlv_mmsb_choose_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	choice one = {0}, moves = {0}, spectrum = {.evidence = -HUGE_VAL};
	size_t proposed, directions;
	double core = 1;
	bool open, better;

	TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_BEST, 0));
	proposed = directions = fit->k;
	TLV_TRY(weigh_one(ctx, fit, &one));
	TLV_TRY(refine_proposal(ctx, fit, &moves));
	open = !tlv_mmsb_decides(fit, moves.evidence - one.evidence);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) proposed, "k_of_moves"));
	if (open || fit->options->directions)
		TLV_TRY(community_count_directions(ctx, fit, proposed, &directions));
	/* sources and targets apart, a path is but pairs: tied.c asks for trees without directions */
	if (open && proposed == 1 && directions == 1 && fit->header.kind != TLV_GRAPH_DIRECTED)
		TLV_TRY(core_share(ctx, fit, &core));
	if (core < TREE_CORE)
		return choose_in_tree(ctx, fit, core);
	if (open && directions > 1 && directions != proposed)
		TLV_TRY(try_directions(ctx, fit, directions, &one, proposed == 1, &spectrum));
	TLV_TRY(tell_evidence(ctx, &one, &moves, &spectrum, &fit->diagnostics));
	better = spectrum.k > 0 && (proposed == 1 || spectrum.evidence > moves.evidence);
	return take_choice(ctx, fit, better ? &spectrum : &moves);
}

/* ---- communities that were asked for ---- */

/* The community of every node in which it has most. */
static tlv_status
whole_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *label[2])
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_mmsb_side *side = &fit->side[s];

		if (side->share != NULL)
		{
			TLV_TRY(tlv_mmsb_largest(ctx, fit->k, side->n, side->share, &label[s]));
			continue;
		}
		TLV_TRY_NEW(ctx, label[s], side->n);
		memcpy(label[s], side->label, side->n * sizeof(int32_t));
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_doubt(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	int32_t *label[2] = {NULL, NULL};
	choice asked, alone;
	double gain;

	if (fit->options->k == 0 && fit->k == 1)
		return tlv_warn(ctx, &fit->diagnostics,
						&(tlv_warning){.code = "no_structure",
									   .score = 1,
									   .hint = "Collect more edges, or give k."},
						"the graph shows no communities: the model has one");
	if (fit->options->k < 2 || fit->k < 2 || fit->options->n_labels > 0 || fit->followed)
		return TLV_OK;
	TLV_TRY(whole_labels(ctx, fit, label));
	TLV_TRY(weigh_choice(ctx, fit, label, fit->k, &asked));
	TLV_TRY(weigh_one(ctx, fit, &alone));
	for (size_t s = 0; s < fit->sides; s++)
		tlv_free(ctx, label[s]);
	gain = asked.evidence - alone.evidence;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, gain / fit->total, "gain_over_one"));
	/* Both are equal if all nodes are in one community. */
	if (asked.evidence > alone.evidence - TLV_STRONG_EVIDENCE && gain != 0)
		return TLV_OK;
	return tlv_warn(ctx, &fit->diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = gain / fit->total,
								   .hint = "Omit k, or collect more edges."},
					"the graph shows no communities: it is as likely without them");
}
