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
#include "tensorlv/num/assert.h"

#include <math.h>
#include <string.h>

/*
 * Communities are groups that are denser inside: blocks of another kind, and such as the spectrum
 * proposes, must explain so much more, of what they explain.
 */
#define FULL_MARGIN 0.5

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

/* Whether b explains more than a by the margin, of what a explains beyond one community. */
static bool
explains_more(const choice *one, const choice *a, const choice *b)
{
	return b->evidence > one->evidence + (1 + FULL_MARGIN) * (a->evidence - one->evidence);
}

/* Models that do not come near explaining more than another choice are not finished. */
static void
want_more(tlv_mmsb_fit_state *fit, int full, const choice *one, const choice *beside)
{
	/* What the last steps of a fit add to what it explains, at most, and with it some room. */
	const double last_gain = 1.25;
	double wanted = (1 + FULL_MARGIN) * (beside->evidence - one->evidence);

	fit->least_evidence[full] = one->evidence + wanted / last_gain;
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
	return weigh_choice(ctx, fit, tried->label, k, tried);
}

/* The partition proposed, refined where that is better by the same model, or much by any. */
static tlv_status
try_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, const choice *one, choice *tried)
{
	choice proposal = {.label = {fit->side[0].proposed, fit->side[1].proposed}};

	TLV_TRY(weigh_choice(ctx, fit, proposal.label, fit->k, &proposal));
	want_more(fit, 1, one, &proposal);
	TLV_TRY(try_blocks(ctx, fit, fit->k, tried));
	if (tried->assortative >= proposal.assortative || explains_more(one, &proposal, tried))
		return TLV_OK;
	tried->evidence = proposal.evidence;
	for (size_t s = 0; s < fit->sides; s++)
		memcpy(tried->label[s], proposal.label[s], fit->side[s].n * sizeof(int32_t));
	return TLV_OK;
}

/* Communities without nodes are left out. */
static tlv_status
drop_empty(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	int32_t *number = tlv_alloc0(ctx, fit->k, sizeof(int32_t)), used = 0;

	TLV_TRY_ALLOC(ctx, number);
	tlv_assert(fit->side[0].label != NULL && fit->side[fit->sides - 1].label != NULL);
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			number[fit->side[s].label[u]] = 1;
	for (size_t c = 0; c < fit->k; c++)
		number[c] = number[c] > 0 ? used++ : 0;
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			fit->side[s].label[u] = number[fit->side[s].label[u]];
	fit->k = (size_t) used;
	tlv_free(ctx, number);
	return TLV_OK;
}

static tlv_status
take_choice(tlv_context *ctx, tlv_mmsb_fit_state *fit, const choice *taken)
{
	fit->k = taken->k;
	for (size_t s = 0; s < fit->sides; s++)
		fit->side[s].label = taken->label[s];
	TLV_TRY(drop_empty(ctx, fit));
	return tlv_diagnostics_append(ctx, &fit->diagnostics, &taken->diagnostics);
}

/* Whether the communities of the moves are so much likelier than one that the spectrum, which costs
 * more than they do, is not asked. */
static bool
moves_decide(const tlv_mmsb_fit_state *fit, const choice *one, const choice *proposal)
{
	/* Gain over one community, in nats an edge, that decides. */
	const double decisive_gain = 0.1;

	return proposal->evidence - one->evidence >
		   decisive_gain * fit->total / (fit->sides == 1 ? 2 : 1);
}

/*
 * The partition proposed, its nodes moved under the likelier of the two block models, where that is
 * likelier still.
 */
static tlv_status
move_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, choice *proposal)
{
	choice moved = {.k = proposal->k};

	for (size_t s = 0; s < fit->sides; s++)
	{
		TLV_TRY_NEW(ctx, moved.label[s], fit->side[s].n);
		memcpy(moved.label[s], proposal->label[s], fit->side[s].n * sizeof(int32_t));
	}
	TLV_TRY(
		tlv_mmsb_move_blocks(ctx, fit, proposal->evidence > proposal->assortative, moved.label));
	TLV_TRY(weigh_choice(ctx, fit, moved.label, proposal->k, &moved));
	if (moved.evidence > proposal->evidence)
		*proposal = moved;
	TLV_TRY(take_choice(ctx, fit, proposal));
	proposal->k = fit->k;
	return TLV_OK;
}

/* All nodes in one community, whatever was found. */
static void
community_unite(const tlv_mmsb_fit_state *fit, choice *found)
{
	for (size_t s = 0; s < fit->sides; s++)
		memset(found->label[s], 0, fit->side[s].n * sizeof(int32_t));
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

		if (i % 4096 == 0)
			TLV_TRY_CONTINUE(ctx);
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
	/* Directions of the spectrum that are looked at, at most; at first no more than these and half
	 * as many again as there are communities of the moves. */
	const int most_directions = 50, first_directions = 5;

	/* Above so many communities of a graph of so many edge ends the spectrum is not asked. */
	const int large_entries = 200000;
	size_t most = fit->options->max_k, first = first_directions + 3 * proposed / 2;

	most = most == 0 || most > most_directions ? most_directions : most;
	*directions = proposed;
	if (proposed <= most_directions || fit->side[0].edges.entries <= large_entries)
	{
		first = first < most ? first : most;
		TLV_TRY(tlv_mmsb_count_directions(ctx, fit, first, directions));
		if (*directions == first && first < most)
			TLV_TRY(tlv_mmsb_count_directions(ctx, fit, most, directions));
	}
	return tlv_diagnose(ctx, &fit->diagnostics, (double) *directions, "k_of_spectrum");
}

tlv_status
tlv_mmsb_choose_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	/* So few communities that only the spectrum sees may be chance, and are none where one is by so
	 * many nats the likelier: such as doubt.c warns of where they are asked for. */
	const int few_directions = 3;
	const double strong_evidence = 5.0;

	/* A graph with a smaller share of its nodes in the core counts as a tree. */
	const double tree_core = 0.1;
	choice one = {0}, moves = {.evidence = -HUGE_VAL}, spectrum = {.evidence = -HUGE_VAL};
	choice proposal = {0};
	size_t proposed, directions;
	double core = 1;
	bool decided;

	TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_BEST, 0));
	proposed = fit->k;
	for (size_t s = 0; s < fit->sides; s++)
		proposal.label[s] = fit->side[s].proposed;
	TLV_TRY(weigh_one(ctx, fit, &one));
	TLV_TRY(weigh_choice(ctx, fit, proposal.label, proposed, &proposal));
	decided = moves_decide(fit, &one, &proposal);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (double) proposed, "k_of_moves"));
	if (!decided || fit->options->directions)
		TLV_TRY(community_count_directions(ctx, fit, proposed, &directions));
	if (decided)
	{
		TLV_TRY(move_proposal(ctx, fit, &proposal));
		return tell_evidence(ctx, &one, &proposal, &spectrum, &fit->diagnostics);
	}
	if (proposed == 1 && directions == 1)
		TLV_TRY(core_share(ctx, fit, &core));
	if (core < tree_core)
		return choose_in_tree(ctx, fit, core);
	if (proposed > 1 || directions == 1)
		TLV_TRY(try_proposal(ctx, fit, &one, &moves));
	if (directions > 1 && directions != proposed)
	{
		TLV_TRY(tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_SOME, directions));
		for (int full = 0; full < 2 && moves.label[0] != NULL; full++)
			want_more(fit, full, &one, &moves);
		TLV_TRY(try_blocks(ctx, fit, directions, &spectrum));
		if (moves.label[0] == NULL && directions <= few_directions &&
			spectrum.evidence < one.evidence - strong_evidence)
			community_unite(fit, &spectrum);
	}
	TLV_TRY(tell_evidence(ctx, &one, &moves, &spectrum, &fit->diagnostics));
	return take_choice(ctx, fit, explains_more(&one, &moves, &spectrum) ? &spectrum : &moves);
}
