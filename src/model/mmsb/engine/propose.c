/*
 * propose.c - communities by local moves (levels.h), their number and whether degrees are corrected
 * for by integrated likelihood.
 *
 * The planted partition's two rates give a resolution, moves at that resolution give a partition,
 * and this gives rates, a few times (Newman 2016); of all partitions on the way the one of largest
 * integrated likelihood is taken.
 */
#include "../internal.h"
#include "levels.h"
#include "merge.h"
#include "../tuning.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

#include <math.h>
#include <string.h>

/* The partition that is looked at on the way to a proposal, and the best one so far. */
typedef struct proposal
{
	tlv_mmsb_fit_state *fit;
	size_t n; /* nodes of both sides */
	tlv_csr edges;
	double *mass[2][2]; /* by model, side */
	int32_t *label;		/* n, the partition looked at */
	int32_t *best;		/* n, the best one */
	size_t found, k;	/* their communities */
	bool corrected;
	double resolution, value; /* of the best one */
	double evidence[2];		  /* plain and corrected, of the last one compared */
	double one[2];			  /* of all nodes in one */
	uint64_t start;			  /* the number of the random order that nodes move in */
	bool weak; /* its best communities are hardly likelier than one: search with care */
} proposal;

/* What a node has of the ends on a side: none on the other one. */
static tlv_status
fill_mass(tlv_context *ctx, const proposal *work, bool corrected, size_t s, double **mass)
{
	const tlv_mmsb_fit_state *fit = work->fit;
	size_t first = s == 0 ? 0 : fit->side[0].n;

	TLV_TRY_NEW0(ctx, *mass, work->n);
	for (size_t u = 0; u < fit->side[s].n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		(*mass)[first + u] =
			corrected ? fit->side[s].degree[u] : fit->total / (double) fit->side[s].n;
	}
	return TLV_OK;
}

/* The labels of each side; NULL: there is no second one. */
static void
proposal_sides(const proposal *work, int32_t *label, int32_t *sides[2])
{
	sides[0] = label;
	sides[1] = work->fit->sides == 2 ? label + work->fit->side[0].n : NULL;
}

double
tlv_mmsb_proposal_memory(size_t n, size_t entries, size_t sides)
{
	tlv_level_task size = {.edges = {.rows = n, .entries = entries}};

	return tlv_levels_memory(&size) + 40 * (double) n + 8 * (double) entries * (double) (sides - 1);
}

/* Makes a graph of both sides, and weighs all nodes in one community. */
static tlv_status
proposal_open(tlv_context *ctx, tlv_mmsb_fit_state *fit, proposal *work)
{
	int32_t *sides[2];

	memset(work, 0, sizeof(*work));
	work->fit = fit;
	work->n = fit->side[0].n + (fit->sides == 2 ? fit->side[1].n : 0);
	TLV_TRY(tlv_require_memory(
		ctx, tlv_mmsb_proposal_memory(work->n, fit->side[0].edges.entries * fit->sides, fit->sides),
		"moving nodes between communities"));
	if (fit->sides == 2)
		TLV_TRY(tlv_mmsb_join_sides(ctx, fit, &work->edges));
	else
		work->edges = fit->side[0].edges;
	for (int corrected = 0; corrected < 2; corrected++)
	{
		TLV_TRY(fill_mass(ctx, work, corrected, 0, &work->mass[corrected][0]));
		if (fit->sides == 2)
			TLV_TRY(fill_mass(ctx, work, corrected, 1, &work->mass[corrected][1]));
		else
			work->mass[corrected][1] = work->mass[corrected][0];
	}
	TLV_TRY_NEW(ctx, work->label, work->n);
	TLV_TRY_NEW(ctx, work->best, work->n);
	work->value = -HUGE_VAL;
	memset(work->label, 0, work->n * sizeof(int32_t));
	proposal_sides(work, work->label, sides);
	return tlv_mmsb_moves_evidence(ctx, fit, sides, 1, work->one);
}

static void
proposal_close(tlv_context *ctx, proposal *work)
{
	for (int corrected = 0; corrected < 2; corrected++)
		for (size_t s = 0; s < work->fit->sides; s++)
			tlv_free(ctx, work->mass[corrected][s]);
	if (work->fit->sides == 2)
		tlv_csr_free(ctx, &work->edges);
	tlv_free(ctx, work->label);
	tlv_free(ctx, work->best);
}

/* ---- from partition to partition ---- */

static tlv_level_task
level_task(const proposal *work, bool corrected, double resolution)
{
	return (tlv_level_task){.edges = work->edges,
							.mass = {work->mass[corrected][0], work->mass[corrected][1]},
							.sides = work->fit->sides == 2,
							.total = work->fit->total,
							.resolution = resolution,
							.seed = work->fit->options->seed + work->start,
							.rounds = 1};
}

size_t
tlv_proposal_most(const tlv_mmsb_fit_state *fit)
{
	size_t most = fit->options->max_k > 0 ? fit->options->max_k : TLV_MMSB_MOST;

	for (size_t s = 0; s < fit->sides; s++)
		most = most < fit->side[s].n ? most : fit->side[s].n;
	return most;
}

/* The present partition, merged to that number of communities. */
static tlv_status
proposal_merge(tlv_context *ctx, proposal *work, bool corrected, size_t most)
{
	tlv_level_task task = level_task(work, corrected, 1);

	TLV_TRY(tlv_merge_communities(ctx, &task, work->found, most, work->label));
	work->found = most;
	return TLV_OK;
}

/* Every node is a community. */
static void
proposal_separate(proposal *work)
{
	for (size_t u = 0; u < work->n; u++)
		work->label[u] = (int32_t) u;
	work->found = work->n;
}

/* From the present partition to one at the resolution, of at most that number of communities. */
static tlv_status
proposal_search(tlv_context *ctx, proposal *work, bool corrected, double resolution, size_t most,
				int rounds)
{
	tlv_level_task task = level_task(work, corrected, resolution);

	task.rounds = rounds;
	TLV_TRY(tlv_levels_search(ctx, &task, work->label, &work->found));
	return work->found > most ? proposal_merge(ctx, work, corrected, most) : TLV_OK;
}

bool
tlv_proposal_may_be(const tlv_mmsb_fit_state *fit, int corrected)
{
	tlv_degree_correction wanted = fit->options->degree_corrected;

	/* The parts of nodes in several communities differ in degree without any propensities. */
	if (wanted == TLV_DEGREES_CHOSEN && fit->options->alpha0 > 0)
		return corrected == 0;
	return wanted == TLV_DEGREES_CHOSEN || (wanted == TLV_DEGREES_CORRECTED) == (corrected == 1);
}

/* The partition looked at is the best one, of this likelihood at this resolution. */
static void
proposal_take(proposal *work, double value, double resolution)
{
	work->value = value;
	work->resolution = resolution;
	work->k = work->found;
	memcpy(work->best, work->label, work->n * sizeof(int32_t));
}

/* Takes the partition looked at for the best one, where it is that. */
static tlv_status
proposal_compare(tlv_context *ctx, proposal *work, double resolution, bool *better)
{
	int32_t *sides[2];

	proposal_sides(work, work->label, sides);
	TLV_TRY(tlv_mmsb_moves_evidence(ctx, work->fit, sides, work->found, work->evidence));
	*better = false;
	for (int corrected = 0; corrected < 2; corrected++)
	{
		double value = work->evidence[corrected];

		if (!tlv_proposal_may_be(work->fit, corrected) || value <= work->value)
			continue;
		proposal_take(work, value, resolution);
		work->corrected = corrected;
		*better = true;
	}
	return TLV_OK;
}

/* Edge ends inside the communities looked at, and those expected there. */
static tlv_status
proposal_count_inside(tlv_context *ctx, const proposal *work, bool corrected, double *inside,
					  double *expected)
{
	double *sums;

	*inside = *expected = 0;
	TLV_TRY_NEW0(ctx, sums, 2 * work->found);
	for (size_t u = 0; u < work->n; u++)
	{
		size_t c = (size_t) work->label[u];

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		sums[2 * c] += work->mass[corrected][0][u];
		sums[2 * c + 1] += work->mass[corrected][1][u];
		for (size_t e = work->edges.start[u]; e < work->edges.start[u + 1]; e++)
		{
			bool same = work->label[u] == work->label[work->edges.index[e]];

			*inside += same ? (work->edges.value == NULL ? 1 : (double) work->edges.value[e]) : 0;
		}
	}
	*inside /= (double) work->fit->sides; /* of two sides every edge was met from both */
	for (size_t c = 0; c < work->found; c++)
	{
		TLV_TRY_CONTINUE_AT(ctx, c);
		*expected += sums[2 * c] * sums[2 * c + 1] / work->fit->total;
	}
	tlv_free(ctx, sums);
	return TLV_OK;
}

/* The best partition is looked at again. */
static void
proposal_return_to_best(proposal *work)
{
	memcpy(work->label, work->best, work->n * sizeof(int32_t));
	work->found = work->k;
}

/* The partition looked at, as the proposal of the fit. */
static tlv_status
proposal_keep(tlv_context *ctx, const proposal *work)
{
	tlv_mmsb_fit_state *fit = work->fit;

	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_free(ctx, fit->side[s].proposed);
		TLV_TRY_NEW(ctx, fit->side[s].proposed, fit->side[s].n);
		memcpy(fit->side[s].proposed, work->label + (s == 0 ? 0 : fit->side[0].n),
			   fit->side[s].n * sizeof(int32_t));
	}
	fit->proposals = work->found;
	return TLV_OK;
}

/* ---- resolutions ---- */

/* The resolution that the rates of the partition looked at ask for. */
static tlv_status
own_resolution(tlv_context *ctx, const proposal *work, bool corrected, double *resolution)
{
	double inside, expected, in, out, total = work->fit->total;

	TLV_TRY(proposal_count_inside(ctx, work, corrected, &inside, &expected));
	in = inside / fmax(expected, TLV_TINY);
	out = (total - inside + 1) / (fmax(total - expected, 0) + 1);
	*resolution = in > out ? (in - out) / log(in / out) : 1;
	return TLV_OK;
}

/* Moves at a resolution from the partition looked at; of a weak graph from single nodes on, several
 * rounds, for the optimum that is near is seldom the best. */
static tlv_status
search_resolution(tlv_context *ctx, proposal *work, bool corrected, double resolution, size_t most)
{
	if (work->weak)
		proposal_separate(work);
	return proposal_search(ctx, work, corrected, resolution, most, work->weak ? WEAK_ROUNDS : 1);
}

/* At resolution 1, by the moves that correct for degrees where these may be: communities of the
 * plain model that differ from theirs were never much likelier. */
static tlv_status
begin_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	bool better;

	proposal_separate(work);
	TLV_TRY(search_resolution(ctx, work, tlv_proposal_may_be(work->fit, 1), 1, most));
	return proposal_compare(ctx, work, 1, &better);
}

/*
 * Parts of communities ask for a resolution at which they stay apart: from the last resolution on
 * lower and lower ones, as long as the likelihood rises; from the partition before, and below the
 * best resolution from the best one.  Where one community is likelier, all lead to it.
 */
static tlv_status
coarsen(tlv_context *ctx, proposal *work, double resolution, size_t most)
{
	bool better;

	if (work->value <= work->one[work->corrected])
		return TLV_OK;
	for (int i = 0, vain = 0; i < MOST_COARSER && vain < TLV_IN_VAIN; i++)
	{
		bool finer = resolution > work->resolution;

		if (!finer)
			proposal_return_to_best(work);
		if (work->found < 3)
			break;
		resolution /= RESOLUTION_FACTOR;
		TLV_TRY(search_resolution(ctx, work, work->corrected, resolution, most));
		TLV_TRY(proposal_compare(ctx, work, resolution, &better));
		vain = better || finer ? 0 : vain + 1;
	}
	return TLV_OK;
}

/* Resolutions from 1 on, each from the partition of the one before, until the likelihood falls;
 * then coarser ones. */
static tlv_status
walk_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	double resolution = work->resolution, own;
	bool better = true, corrected = work->corrected;

	proposal_return_to_best(work);
	for (int i = 0; i < MOST_COARSER && better; i++)
	{
		TLV_TRY(own_resolution(ctx, work, corrected, &own));
		if (work->found < 2 || fabs(own - resolution) <= SAME_RESOLUTION * resolution)
			break;
		resolution = own;
		TLV_TRY(search_resolution(ctx, work, corrected, resolution, most));
		TLV_TRY(proposal_compare(ctx, work, resolution, &better));
	}
	return coarsen(ctx, work, resolution, most);
}

/*
 * Joins two of a few communities as long as the likelihood rises: a resolution at which these two
 * stay together may join others, too.  Sources and targets move by each other, and small parts of
 * communities stay apart: of more than a few of them a tenth is joined at a time.
 */
static tlv_status
join_pairs(tlv_context *ctx, proposal *work, size_t most)
{
	bool joined = work->value > work->one[work->corrected], better;

	while (joined && work->k > 2 && (work->k <= FEW_JOINED || work->fit->sides == 2))
	{
		double before = work->value;
		size_t joins = work->k <= FEW_JOINED ? 1 : work->k / FEW_JOINED;

		proposal_return_to_best(work);
		TLV_TRY(proposal_merge(ctx, work, work->corrected, work->found - joins));
		TLV_TRY(proposal_compare(ctx, work, work->resolution, &better));
		TLV_TRY(proposal_search(ctx, work, work->corrected, work->resolution, most, 1));
		TLV_TRY(proposal_compare(ctx, work, work->resolution, &better));
		joined = work->value > before;
	}
	return TLV_OK;
}

/* The best partition of those that the resolutions give, with moves at its own to the end. */
static tlv_status
follow_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	bool better;

	TLV_TRY(begin_resolutions(ctx, work, most));
	TLV_TRY(walk_resolutions(ctx, work, most));
	proposal_return_to_best(work);
	TLV_TRY(proposal_search(ctx, work, work->corrected, work->resolution, most,
							work->weak ? WEAK_ROUNDS : BEST_ROUNDS));
	TLV_TRY(proposal_compare(ctx, work, work->resolution, &better));
	TLV_TRY(join_pairs(ctx, work, most));
	proposal_return_to_best(work);
	return TLV_OK;
}

/* The same from other random orders of the nodes, of a graph whose edges are few: a weak one has
 * many optima, and the best of them is not to depend on the seed. */
static tlv_status
follow_again(tlv_context *ctx, proposal *work, size_t most)
{
	size_t orders = tlv_least(ORDERS_IN_VAIN, ORDERS_ENDS / work->edges.entries);

	if (work->fit->draft && tlv_mmsb_decides(work->fit, work->value - work->one[work->corrected]))
		return TLV_OK;
	work->fit->draft = false;
	for (size_t vain = 0; vain < orders;)
	{
		double before = work->value;

		work->start++;
		work->weak = !tlv_mmsb_decides(work->fit, before - work->one[work->corrected]);
		TLV_TRY(follow_resolutions(ctx, work, most));
		vain = work->value > before ? 0 : vain + 1;
	}
	work->weak = false;
	return TLV_OK;
}

/* From the proposal before, which has more communities than are wanted. */
static tlv_status
merge_proposal(tlv_context *ctx, proposal *work, size_t k)
{
	tlv_mmsb_fit_state *fit = work->fit;

	for (size_t s = 0; s < fit->sides; s++)
		memcpy(work->label + (s == 0 ? 0 : fit->side[0].n), fit->side[s].proposed,
			   fit->side[s].n * sizeof(int32_t));
	work->found = fit->proposals;
	work->corrected = fit->corrected;
	return proposal_merge(ctx, work, fit->corrected, k);
}

/* Exactly k communities: merged from the first partition that has as many or more. */
static tlv_status
reach_communities(tlv_context *ctx, proposal *work, size_t k)
{
	double resolution;

	if (work->fit->proposals >= k)
		return merge_proposal(ctx, work, k);
	TLV_TRY(follow_resolutions(ctx, work, work->n));
	resolution = work->resolution;
	for (int i = 0; i < MOST_FINER && work->found < k; i++)
	{
		resolution *= RESOLUTION_FACTOR;
		TLV_TRY(proposal_search(ctx, work, work->corrected, resolution, work->n, 1));
	}
	if (work->found >= k)
		return proposal_merge(ctx, work, work->corrected, k);
	for (size_t u = 0; u < work->n; u++)
		work->label[u] = (int32_t) (u % k);
	work->found = k;
	return TLV_OK;
}

/* Evidence of the partition looked at, of one rate between communities and of one for every two. */
static tlv_status
weigh_rates(tlv_context *ctx, proposal *work, double evidence[2])
{
	int32_t *sides[2];

	proposal_sides(work, work->label, sides);
	return tlv_mmsb_evidence(ctx, work->fit, sides, work->found, work->corrected, evidence);
}

/*
 * Finer communities than one rate between all of them gives, as long as the likelihood rises in
 * which every two have a rate of their own, as they have in the model; and where that explains so
 * much more than one rate does.  Finer ones that are likelier with one rate are taken, too.
 */
static tlv_status
refine_resolution(tlv_context *ctx, proposal *work, size_t most)
{
	double one = work->one[work->corrected], wanted = one + OWN_RATES * (work->value - one);
	double resolution = work->resolution, best, evidence[2];

	proposal_return_to_best(work);
	if (work->found < 2)
		return TLV_OK;
	TLV_TRY(weigh_rates(ctx, work, evidence));
	best = evidence[1];
	for (int vain = 0; vain < FINER_IN_VAIN;)
	{
		resolution *= RESOLUTION_FACTOR;
		proposal_separate(work);
		TLV_TRY(proposal_search(ctx, work, work->corrected, resolution, most, 1));
		TLV_TRY(weigh_rates(ctx, work, evidence));
		if (evidence[1] > best && evidence[1] > wanted)
			proposal_take(work, evidence[1], resolution);
		else if (evidence[0] > work->value)
			proposal_take(work, evidence[0], resolution);
		vain = evidence[1] > best ? 0 : vain + 1;
		best = fmax(best, evidence[1]);
	}
	proposal_return_to_best(work);
	return TLV_OK;
}

/* The partition of largest likelihood, which may be all in one. */
static tlv_status
best_communities(tlv_context *ctx, proposal *work)
{
	size_t most = tlv_proposal_most(work->fit);
	bool better;

	if (most > 1) /* one node on a side, as in a star, leaves nothing to look for */
	{
		TLV_TRY(follow_resolutions(ctx, work, most));
		TLV_TRY(follow_again(ctx, work, most));
		TLV_TRY(refine_resolution(ctx, work, most));
	}
	memset(work->label, 0, work->n * sizeof(int32_t));
	work->found = 1;
	TLV_TRY(proposal_compare(ctx, work, 1, &better));
	proposal_return_to_best(work);
	return TLV_OK;
}

/* The partition of largest modularity, or all in one where that is not much. */
static tlv_status
cut_communities(tlv_context *ctx, proposal *work)
{
	double inside, expected;

	proposal_separate(work);
	TLV_TRY(proposal_search(ctx, work, true, 1, tlv_proposal_most(work->fit), BEST_ROUNDS));
	work->corrected = tlv_proposal_may_be(work->fit, 1);
	TLV_TRY(proposal_count_inside(ctx, work, true, &inside, &expected));
	if (inside - expected >= LEAST_MODULARITY * work->fit->total)
		return TLV_OK;
	memset(work->label, 0, work->n * sizeof(int32_t));
	work->found = 1;
	return TLV_OK;
}

tlv_status
tlv_mmsb_choose_correction(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	fit->corrected = tlv_proposal_may_be(fit, 1);
	return tlv_proposal_may_be(fit, 0) && tlv_proposal_may_be(fit, 1)
			   ? tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_SOME, fit->k)
			   : TLV_OK;
}

tlv_status
tlv_mmsb_propose(tlv_context *ctx, tlv_mmsb_fit_state *fit, tlv_proposal wanted, size_t k)
{
	proposal work;

	TLV_TRY(proposal_open(ctx, fit, &work));
	if (wanted == TLV_PROPOSE_SOME)
		TLV_TRY(reach_communities(ctx, &work, k));
	else if (wanted == TLV_PROPOSE_BEST)
		TLV_TRY(best_communities(ctx, &work));
	else
		TLV_TRY(cut_communities(ctx, &work));
	fit->corrected = work.corrected;
	fit->k = work.found;
	TLV_TRY(proposal_keep(ctx, &work));
	proposal_close(ctx, &work);
	return TLV_OK;
}
