/*
 * propose.c - communities by local moves (levels.h), their number and whether degrees are corrected
 * for by integrated likelihood.
 *
 * The planted partition's two rates give a resolution, moves at that resolution give a partition,
 * and this gives rates, a few times (Newman 2016); of all partitions on the way the one of largest
 * integrated likelihood is taken.
 */
#include "proposal.h"

#include <math.h>
#include <string.h>

/* Towards more communities than are found: the resolution's factor, and how often at most. */
#define FINER	   1.6
#define MOST_FINER 60

/* Rounds over all levels at the best resolution. */
#define BEST_ROUNDS 2

/* Rounds over all levels of a weak graph, at every resolution. */
#define WEAK_ROUNDS 10

/* The resolution that the rates of the partition looked at ask for. */
static tlv_status
own_resolution(tlv_context *ctx, const proposal *work, bool corrected, double *resolution)
{
	double inside, expected, in, out, total = work->fit->total;

	TLV_TRY(tlv_proposal_count_inside(ctx, work, corrected, &inside, &expected));
	in = inside / fmax(expected, 1e-300);
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
		tlv_proposal_separate(work);
	return tlv_proposal_search(ctx, work, corrected, resolution, most,
							   work->weak ? WEAK_ROUNDS : 1);
}

/* At resolution 1, by the moves that correct for degrees where these may be: communities of the
 * plain model that differ from theirs were never much likelier. */
static tlv_status
begin_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	bool better;

	tlv_proposal_separate(work);
	TLV_TRY(search_resolution(ctx, work, tlv_proposal_may_be(work->fit, 1), 1, most));
	return tlv_proposal_compare(ctx, work, 1, &better);
}

/*
 * Parts of communities ask for a resolution at which they stay apart: from the last resolution on
 * lower and lower ones, as long as the likelihood rises; from the partition before, and below the
 * best resolution from the best one.  Where one community is likelier, all lead to it.
 */
static tlv_status
coarsen(tlv_context *ctx, proposal *work, double resolution, size_t most)
{
	/* Towards fewer: what the resolution is divided by, and how often at most. */
	const double coarser = 1.6;
	const int most_coarser = 8, most_in_vain = 2;
	bool better;

	if (work->value <= work->one[work->corrected])
		return TLV_OK;
	for (int i = 0, vain = 0; i < most_coarser && vain < most_in_vain; i++)
	{
		bool finer = resolution > work->resolution;

		if (!finer)
			tlv_proposal_return_to_best(work);
		if (work->found < 3)
			break;
		resolution /= coarser;
		TLV_TRY(search_resolution(ctx, work, work->corrected, resolution, most));
		TLV_TRY(tlv_proposal_compare(ctx, work, resolution, &better));
		vain = better || finer ? 0 : vain + 1;
	}
	return TLV_OK;
}

/* Resolutions from 1 on, each from the partition of the one before, until the likelihood falls;
 * then coarser ones. */
static tlv_status
walk_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	/* Resolutions tried after the first one, and how close two of them are to be the same. */
	const int more_resolutions = 8;
	const double same_resolution = 0.02;
	double resolution = work->resolution, own;
	bool better = true, corrected = work->corrected;

	tlv_proposal_return_to_best(work);
	for (int i = 0; i < more_resolutions && better; i++)
	{
		TLV_TRY(own_resolution(ctx, work, corrected, &own));
		if (work->found < 2 || fabs(own - resolution) <= same_resolution * resolution)
			break;
		resolution = own;
		TLV_TRY(search_resolution(ctx, work, corrected, resolution, most));
		TLV_TRY(tlv_proposal_compare(ctx, work, resolution, &better));
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
	/* Communities of which pairs are joined. */
	const size_t few = 10;
	bool joined = work->value > work->one[work->corrected], better;

	while (joined && work->k > 2 && (work->k <= few || work->fit->sides == 2))
	{
		double before = work->value;
		size_t joins = work->k <= few ? 1 : work->k / few;

		tlv_proposal_return_to_best(work);
		TLV_TRY(tlv_proposal_merge(ctx, work, work->corrected, work->found - joins));
		TLV_TRY(tlv_proposal_compare(ctx, work, work->resolution, &better));
		TLV_TRY(tlv_proposal_search(ctx, work, work->corrected, work->resolution, most, 1));
		TLV_TRY(tlv_proposal_compare(ctx, work, work->resolution, &better));
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
	tlv_proposal_return_to_best(work);
	TLV_TRY(tlv_proposal_search(ctx, work, work->corrected, work->resolution, most,
								work->weak ? WEAK_ROUNDS : BEST_ROUNDS));
	TLV_TRY(tlv_proposal_compare(ctx, work, work->resolution, &better));
	TLV_TRY(join_pairs(ctx, work, most));
	tlv_proposal_return_to_best(work);
	return TLV_OK;
}

/* The same from other random orders of the nodes, of a graph whose edges are few: a weak one has
 * many optima, and the best of them is not to depend on the seed. */
static tlv_status
follow_again(tlv_context *ctx, proposal *work, size_t most)
{
	/* Random orders in a row that bring nothing better, which end the search, and the entries of
	 * these together. */
	const size_t most_in_vain = 6, most_entries = 40000;
	size_t orders = tlv_least(most_in_vain, most_entries / work->edges.entries);

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

/* From the proposal before, where it has more communities than are wanted; *done says so. */
static tlv_status
merge_proposal(tlv_context *ctx, proposal *work, size_t k, bool *done)
{
	tlv_mmsb_fit_state *fit = work->fit;

	*done = fit->proposals >= k;
	if (!*done)
		return TLV_OK;
	for (size_t s = 0; s < fit->sides; s++)
		memcpy(work->label + (s == 0 ? 0 : fit->side[0].n), fit->side[s].proposed,
			   fit->side[s].n * sizeof(int32_t));
	work->found = fit->proposals;
	work->corrected = fit->corrected;
	return tlv_proposal_merge(ctx, work, fit->corrected, k);
}

/* Exactly k communities: merged from the first partition that has as many or more. */
static tlv_status
reach_communities(tlv_context *ctx, proposal *work, size_t k)
{
	double resolution;
	bool done;

	TLV_TRY(merge_proposal(ctx, work, k, &done));
	if (done)
		return TLV_OK;
	TLV_TRY(follow_resolutions(ctx, work, work->n));
	resolution = work->resolution;
	for (int i = 0; i < MOST_FINER && work->found < k; i++)
	{
		resolution *= FINER;
		TLV_TRY(tlv_proposal_search(ctx, work, work->corrected, resolution, work->n, 1));
	}
	if (work->found >= k)
		return tlv_proposal_merge(ctx, work, work->corrected, k);
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

	tlv_proposal_sides(work, work->label, sides);
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
	/* Resolutions in a row that are no better end the search for finer ones, and so does one that
	 * loses this part of what is explained. */
	const int most_in_vain = 3;
	const double finer_fall = 0.05;

	/* What rates between communities must explain, each its own, of what one rate does, for finer
	 * ones to be looked for. */
	const double own_rates = 1.1;
	double one = work->one[work->corrected], wanted = one + own_rates * (work->value - one);
	double resolution = work->resolution, best, evidence[2];

	tlv_proposal_return_to_best(work);
	if (work->found < 2)
		return TLV_OK;
	TLV_TRY(weigh_rates(ctx, work, evidence));
	best = evidence[1];
	for (int vain = 0; vain < most_in_vain;)
	{
		resolution *= FINER;
		tlv_proposal_separate(work);
		TLV_TRY(tlv_proposal_search(ctx, work, work->corrected, resolution, most, 1));
		TLV_TRY(weigh_rates(ctx, work, evidence));
		if (evidence[1] > best && evidence[1] > wanted)
			tlv_proposal_take(work, evidence[1], resolution);
		else if (evidence[0] > work->value)
			tlv_proposal_take(work, evidence[0], resolution);
		if (evidence[1] < best - finer_fall * (best - one))
			break;
		vain = evidence[1] > best ? 0 : vain + 1;
		best = fmax(best, evidence[1]);
	}
	tlv_proposal_return_to_best(work);
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
	TLV_TRY(tlv_proposal_compare(ctx, work, 1, &better));
	tlv_proposal_return_to_best(work);
	return TLV_OK;
}

/* The partition of largest modularity, or all in one where that is not much. */
static tlv_status
cut_communities(tlv_context *ctx, proposal *work)
{
	/* Cuts of a graph that give less modularity are none. */
	const double least_modularity = 0.3;
	double inside, expected;

	tlv_proposal_separate(work);
	TLV_TRY(tlv_proposal_search(ctx, work, true, 1, tlv_proposal_most(work->fit), BEST_ROUNDS));
	work->corrected = tlv_proposal_may_be(work->fit, 1);
	TLV_TRY(tlv_proposal_count_inside(ctx, work, true, &inside, &expected));
	if (inside - expected >= least_modularity * work->fit->total)
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

	TLV_TRY(tlv_proposal_open(ctx, fit, &work));
	if (wanted == TLV_PROPOSE_SOME)
		TLV_TRY(reach_communities(ctx, &work, k));
	else if (wanted == TLV_PROPOSE_BEST)
		TLV_TRY(best_communities(ctx, &work));
	else
		TLV_TRY(cut_communities(ctx, &work));
	fit->corrected = work.corrected;
	fit->k = work.found;
	TLV_TRY(tlv_proposal_keep(ctx, &work));
	tlv_proposal_close(ctx, &work);
	return TLV_OK;
}
