/*
 * propose.c - communities by local moves (levels.h), their number and whether degrees are corrected
 * for by integrated likelihood.
 *
 * The planted partition's two rates give a resolution, moves at that resolution give a partition,
 * and this gives rates, a few times (Newman 2016); of all partitions on the way the one of largest
 * integrated likelihood is taken.
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#include "levels.h"
#include "merge.h"

/* Resolutions tried after the first one, and how close two of them are to be the same. */
#define MORE_RESOLUTIONS 8
#define SAME_RESOLUTION	 0.02

/* So many in a row that are no better end the search; fewer of a large graph. */
#define MOST_IN_VAIN  2
#define LARGE_IN_VAIN 1

/* How far behind the plain model may be before it is not tried. */
#define PLAIN_MARGIN 2

/* Rounds over all levels, at the best resolution; fewer of a graph with so many entries. */
#define ROUNDS		  10
#define LARGE_ROUNDS  2
#define LARGE_ENTRIES 200000

/* Parts that are moved on the way: of so many levels, grown at so much the resolution. */
#define PARTS_LEVELS 2
#define PARTS_FINER	 2

/* More than parts explain, so that they were none of communities. */
#define MUCH_MORE 1.25

/* Towards more communities than are found: the resolution's factor, and how often at most. */
#define FINER	   1.6
#define MOST_FINER 60

/* What rates between communities must explain, each its own, of what one rate does, for finer ones
 * to be looked for. */
#define OWN_RATES 1.1

/* So many resolutions in a row that are no better end the search for finer ones, fewer of a large
 * graph, and so does one that loses so much of what is explained. */
#define FINER_IN_VAIN		3
#define LARGE_FINER_IN_VAIN 2
#define FINER_FALL			0.05

/* Towards fewer: what the resolution is divided by, and how often at most. */
#define COARSER		 1.6
#define MOST_COARSER 8

/* Cuts of a graph that give less modularity are none. */
#define LEAST_MODULARITY 0.3

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
	tlv_parts_graph parts;	  /* which no partition on the way divides; part NULL: there are none */
} proposal;

/* ---- the graph ---- */

/* Sources and targets as nodes of one graph. */
static tlv_status
join_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit, tlv_csr *joined)
{
	size_t first = fit->side[0].n, n = first + fit->side[1].n, at = 0;
	size_t entries = fit->side[0].edges.entries;

	TLV_TRY(tlv_csr_create(ctx, n, n, 2 * entries, fit->side[0].edges.value != NULL, joined));
	for (size_t s = 0; s < 2; s++)
	{
		const tlv_csr *own = &fit->side[s].edges;

		for (size_t u = 0; u < own->rows; u++)
		{
			if (u % 4096 == 0)
				TLV_TRY_CONTINUE(ctx);
			for (size_t e = own->start[u]; e < own->start[u + 1]; e++, at++)
			{
				joined->index[at] = own->index[e] + (s == 0 ? (int32_t) first : 0);
				if (own->value != NULL)
					joined->value[at] = own->value[e];
			}
			joined->start[s * first + u + 1] = at;
		}
	}
	return TLV_OK;
}

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

static void
split_sides(const proposal *work, int32_t *label, int32_t *sides[2])
{
	sides[0] = label;
	sides[1] = work->fit->sides == 2 ? label + work->fit->side[0].n : NULL;
}

static tlv_status
weigh_one(tlv_context *ctx, proposal *work)
{
	int32_t *sides[2];

	memset(work->label, 0, work->n * sizeof(int32_t));
	split_sides(work, work->label, sides);
	return tlv_mmsb_moves_evidence(ctx, work->fit, sides, 1, work->one);
}

double
tlv_mmsb_proposal_memory(size_t n, size_t entries, size_t sides)
{
	tlv_level_task size = {.edges = {.rows = n, .entries = entries}};

	return tlv_levels_memory(&size) + 40 * (double) n + 8 * (double) entries * (double) (sides - 1);
}

static tlv_status
open_proposal(tlv_context *ctx, tlv_mmsb_fit_state *fit, proposal *work)
{
	memset(work, 0, sizeof(*work));
	work->fit = fit;
	work->n = fit->side[0].n + (fit->sides == 2 ? fit->side[1].n : 0);
	TLV_TRY(tlv_require_memory(
		ctx, tlv_mmsb_proposal_memory(work->n, fit->side[0].edges.entries * fit->sides, fit->sides),
		"moving nodes between communities"));
	if (fit->sides == 2)
		TLV_TRY(join_sides(ctx, fit, &work->edges));
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
	return weigh_one(ctx, work);
}

static void
close_proposal(tlv_context *ctx, proposal *work)
{
	for (int corrected = 0; corrected < 2; corrected++)
		for (size_t s = 0; s < work->fit->sides; s++)
			tlv_free(ctx, work->mass[corrected][s]);
	if (work->fit->sides == 2)
		tlv_csr_free(ctx, &work->edges);
	tlv_free(ctx, work->label);
	tlv_free(ctx, work->best);
}

/* ---- partitions ---- */

static bool
is_large(const proposal *work)
{
	return work->edges.entries > LARGE_ENTRIES;
}

static int
last_rounds(const proposal *work)
{
	return is_large(work) ? LARGE_ROUNDS : ROUNDS;
}

static tlv_level_task
level_task(const proposal *work, bool corrected, double resolution)
{
	return (tlv_level_task){.edges = work->edges,
							.mass = {work->mass[corrected][0], work->mass[corrected][1]},
							.sides = work->fit->sides == 2,
							.total = work->fit->total,
							.resolution = resolution,
							.seed = work->fit->options->seed,
							.rounds = 1,
							.once = is_large(work)};
}

/* Never more than the smaller side has nodes. */
static size_t
most_communities(const tlv_mmsb_fit_state *fit)
{
	size_t most = fit->options->max_k > 0 ? fit->options->max_k : TLV_MMSB_MOST;

	for (size_t s = 0; s < fit->sides; s++)
		most = most < fit->side[s].n ? most : fit->side[s].n;
	return most;
}

/* The partition looked at, merged to so many communities. */
static tlv_status
merge_found(tlv_context *ctx, proposal *work, bool corrected, size_t most)
{
	tlv_level_task task = level_task(work, corrected, 1);

	TLV_TRY(tlv_merge_communities(ctx, &task, work->found, most, work->label));
	work->found = most;
	return TLV_OK;
}

static void
separate_nodes(proposal *work)
{
	for (size_t u = 0; u < work->n; u++)
		work->label[u] = (int32_t) u;
	work->found = work->n;
}

/* From the partition looked at to one at the resolution, of at most so many communities. */
static tlv_status
search_at(tlv_context *ctx, proposal *work, bool corrected, double resolution, size_t most,
		  int rounds)
{
	tlv_level_task task = level_task(work, corrected, resolution);

	task.rounds = rounds;
	TLV_TRY(tlv_levels_search(ctx, &task, work->label, &work->found));
	return work->found > most ? merge_found(ctx, work, corrected, most) : TLV_OK;
}

/*
 * The parts of the best partition's communities that moves on the way leave whole: small ones,
 * since finer communities are looked for, too.
 */
static tlv_status
find_parts(tlv_context *ctx, proposal *work)
{
	tlv_level_task task = level_task(work, work->corrected, PARTS_FINER * work->resolution);

	return tlv_levels_contract(ctx, &task, PARTS_LEVELS, work->best, &work->parts);
}

/* As search_at, from and to a partition that leaves the parts whole. */
static tlv_status
search_parts(tlv_context *ctx, proposal *work, bool corrected, double resolution, size_t most)
{
	tlv_level_task task = level_task(work, corrected, resolution);
	const tlv_parts_graph *parts = &work->parts;
	int32_t *label;

	task.edges = parts->edges;
	task.mass[0] = parts->mass[0];
	task.mass[1] = parts->mass[1];
	TLV_TRY_NEW(ctx, label, parts->edges.rows);
	for (size_t u = 0; u < work->n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		label[parts->part[u]] = work->label[u];
	}
	TLV_TRY(tlv_levels_search(ctx, &task, label, &work->found));
	for (size_t u = 0; u < work->n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		work->label[u] = label[parts->part[u]];
	}
	tlv_free(ctx, label);
	return work->found > most ? merge_found(ctx, work, corrected, most) : TLV_OK;
}

/*
 * At a resolution on the way.  Of a large graph from the partition before, by moves of its parts:
 * in a tenth of the time of a search.  A small one is searched anew: of 60 graphs of 1000 nodes in
 * 5 weak communities 59 are found exactly, where one round from the partition before finds 26 and
 * leaves the others in up to 36 parts.
 */
static tlv_status
search_on_the_way(tlv_context *ctx, proposal *work, bool corrected, double resolution, size_t most)
{
	if (work->parts.part != NULL)
		return search_parts(ctx, work, corrected, resolution, most);
	if (is_large(work))
		return search_at(ctx, work, corrected, resolution, most, 1);
	separate_nodes(work);
	return search_at(ctx, work, corrected, resolution, most, ROUNDS);
}

/* Whether a model, plain or degree-corrected, may be chosen. */
static bool
may_be(const tlv_mmsb_fit_state *fit, int corrected)
{
	tlv_degree_correction wanted = fit->options->degree_corrected;

	if (wanted == TLV_DEGREES_CHOSEN && fit->options->partition)
		return corrected == 0; /* four parts have no other */
	/* The parts of nodes in several communities differ in degree without any propensities. */
	if (wanted == TLV_DEGREES_CHOSEN && fit->options->alpha0 > 0)
		return corrected == 0;
	return wanted == TLV_DEGREES_CHOSEN || (wanted == TLV_DEGREES_CORRECTED) == (corrected == 1);
}

/* Takes the partition looked at for the best one, where it is that. */
static tlv_status
compare_partition(tlv_context *ctx, proposal *work, double resolution, bool *better)
{
	int32_t *sides[2];

	split_sides(work, work->label, sides);
	TLV_TRY(tlv_mmsb_moves_evidence(ctx, work->fit, sides, work->found, work->evidence));
	*better = false;
	for (int corrected = 0; corrected < 2; corrected++)
	{
		double value = work->evidence[corrected];

		if (!may_be(work->fit, corrected) || value <= work->value)
			continue;
		work->value = value;
		work->corrected = corrected;
		work->resolution = resolution;
		work->k = work->found;
		memcpy(work->best, work->label, work->n * sizeof(int32_t));
		*better = true;
	}
	return TLV_OK;
}

/* Edge ends inside the communities looked at, and those expected there. */
static tlv_status
count_inside(tlv_context *ctx, const proposal *work, bool corrected, double *inside,
			 double *expected)
{
	double *sums;

	*inside = *expected = 0;
	TLV_TRY_NEW0(ctx, sums, 2 * work->found);
	for (size_t u = 0; u < work->n; u++)
	{
		size_t c = (size_t) work->label[u];

		if (u % 4096 == 0)
			TLV_TRY_CONTINUE(ctx);
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

/* The resolution that the rates of the partition looked at ask for. */
static tlv_status
own_resolution(tlv_context *ctx, const proposal *work, bool corrected, double *resolution)
{
	double inside, expected, in, out, total = work->fit->total;

	TLV_TRY(count_inside(ctx, work, corrected, &inside, &expected));
	in = inside / fmax(expected, 1e-300);
	out = (total - inside + 1) / (fmax(total - expected, 0) + 1);
	*resolution = in > out ? (in - out) / log(in / out) : 1;
	return TLV_OK;
}

/*
 * Whether the plain model may yet win: not where, of the partition of the moves that correct for
 * degrees, it is behind by more than it would explain of a partition that is twice as good for it.
 */
static bool
plain_may_win(const proposal *work)
{
	double behind = work->evidence[1] - work->evidence[0];

	return behind <= PLAIN_MARGIN * (work->evidence[0] - work->one[0]);
}

/* At resolution 1, by every model that may be. */
static tlv_status
begin_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	bool better;

	for (int c = 1; c >= 0; c--)
	{
		if (!may_be(work->fit, c) || (c == 0 && may_be(work->fit, 1) && !plain_may_win(work)))
			continue;
		separate_nodes(work);
		TLV_TRY(search_at(ctx, work, c, 1, most, is_large(work) ? 1 : ROUNDS));
		TLV_TRY(compare_partition(ctx, work, 1, &better));
	}
	return TLV_OK;
}

static void
return_to_best(proposal *work)
{
	memcpy(work->label, work->best, work->n * sizeof(int32_t));
	work->found = work->k;
}

/*
 * Parts of communities ask for a resolution at which they stay apart.  Of a large graph, which was
 * not searched anew at every resolution: from the best partition at lower and lower ones, as long
 * as the likelihood rises.
 */
static tlv_status
coarsen(tlv_context *ctx, proposal *work, size_t most)
{
	double resolution = work->resolution;
	bool better;

	for (int i = 0, vain = 0; is_large(work) && i < MOST_COARSER && vain < MOST_IN_VAIN; i++)
	{
		return_to_best(work);
		if (work->found < 3)
			break;
		resolution /= COARSER;
		TLV_TRY(search_on_the_way(ctx, work, work->corrected, resolution, most));
		TLV_TRY(compare_partition(ctx, work, resolution, &better));
		vain = better ? 0 : vain + 1;
	}
	return TLV_OK;
}

/*
 * Whether the best partition is much better than one that explained so much: then it may yet be far
 * from the communities, and parts of it would be no parts of these.
 */
static bool
explains_much_more(const proposal *work, double explained)
{
	return work->value - work->one[work->corrected] > MUCH_MORE * explained;
}

/*
 * Resolutions from 1 on, of a large graph each from the partition of the one before, until the
 * likelihood falls; then coarser ones.  Of a large graph all nodes move until this is not much
 * better any more, then parts of the best partition.
 */
static tlv_status
walk_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	double resolution = 1, before, explained;
	int vain = 0, in_vain = is_large(work) ? LARGE_IN_VAIN : MOST_IN_VAIN;
	bool better, corrected = work->corrected;

	return_to_best(work);
	for (int i = 0; i < MORE_RESOLUTIONS && vain < in_vain; i++)
	{
		before = resolution;
		explained = work->value - work->one[work->corrected];
		TLV_TRY(own_resolution(ctx, work, corrected, &resolution));
		if (work->found < 2 || fabs(resolution - before) <= SAME_RESOLUTION * before)
			break;
		TLV_TRY(search_on_the_way(ctx, work, corrected, resolution, most));
		TLV_TRY(compare_partition(ctx, work, resolution, &better));
		vain = better ? 0 : vain + 1;
		if (is_large(work) && work->parts.part == NULL && !explains_much_more(work, explained))
			TLV_TRY(find_parts(ctx, work));
	}
	TLV_TRY(coarsen(ctx, work, most));
	tlv_parts_graph_free(ctx, &work->parts);
	return TLV_OK;
}

/* The best partition of those that the resolutions give, with moves at its own to the end. */
static tlv_status
follow_resolutions(tlv_context *ctx, proposal *work, size_t most)
{
	bool better;

	TLV_TRY(begin_resolutions(ctx, work, most));
	TLV_TRY(walk_resolutions(ctx, work, most));
	return_to_best(work);
	TLV_TRY(search_at(ctx, work, work->corrected, work->resolution, most, last_rounds(work)));
	TLV_TRY(compare_partition(ctx, work, work->resolution, &better));
	return_to_best(work);
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
	return merge_found(ctx, work, fit->corrected, k);
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
		TLV_TRY(search_at(ctx, work, work->corrected, resolution, work->n, 1));
	}
	if (work->found >= k)
		return merge_found(ctx, work, work->corrected, k);
	for (size_t u = 0; u < work->n; u++)
		work->label[u] = (int32_t) (u % k);
	work->found = k;
	return TLV_OK;
}

/* The partition looked at, as the proposal of the fit. */
static tlv_status
keep_proposal(tlv_context *ctx, const proposal *work)
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

static tlv_status
weigh_rates(tlv_context *ctx, proposal *work, double *evidence)
{
	tlv_mmsb_evidences all;
	int32_t *sides[2];

	split_sides(work, work->label, sides);
	TLV_TRY(tlv_mmsb_evidence(ctx, work->fit, sides, work->found, &all));
	*evidence = all.of[work->corrected][1];
	return TLV_OK;
}

/*
 * Finer communities than one rate between all of them gives, as long as the likelihood rises in
 * which every two have a rate of their own, as they have in the model; and where that explains so
 * much more than one rate does.
 */
static tlv_status
refine_resolution(tlv_context *ctx, proposal *work, size_t most)
{
	double one = work->one[work->corrected], wanted = one + OWN_RATES * (work->value - one);
	double resolution = work->resolution, best, evidence;
	int rounds = is_large(work) ? 1 : ROUNDS;
	int most_in_vain = is_large(work) ? LARGE_FINER_IN_VAIN : FINER_IN_VAIN;

	return_to_best(work);
	if (work->found < 2)
		return TLV_OK;
	TLV_TRY(weigh_rates(ctx, work, &best));
	for (int vain = 0; vain < most_in_vain;)
	{
		resolution *= FINER;
		separate_nodes(work);
		TLV_TRY(search_at(ctx, work, work->corrected, resolution, most, rounds));
		TLV_TRY(weigh_rates(ctx, work, &evidence));
		if (evidence < best - FINER_FALL * (best - one))
			break;
		vain = evidence > best ? 0 : vain + 1;
		best = fmax(best, evidence);
		if (vain > 0 || evidence <= wanted)
			continue;
		work->value = evidence;
		work->resolution = resolution;
		work->k = work->found;
		memcpy(work->best, work->label, work->n * sizeof(int32_t));
	}
	return_to_best(work);
	return TLV_OK;
}

/* The partition of largest likelihood, which may be all in one. */
static tlv_status
best_communities(tlv_context *ctx, proposal *work)
{
	size_t most = most_communities(work->fit);
	bool better;

	TLV_TRY(follow_resolutions(ctx, work, most));
	TLV_TRY(refine_resolution(ctx, work, most));
	memset(work->label, 0, work->n * sizeof(int32_t));
	work->found = 1;
	TLV_TRY(compare_partition(ctx, work, 1, &better));
	return_to_best(work);
	return TLV_OK;
}

/* The partition of largest modularity, or all in one where that is not much. */
static tlv_status
cut_communities(tlv_context *ctx, proposal *work)
{
	double inside, expected;

	separate_nodes(work);
	TLV_TRY(search_at(ctx, work, true, 1, most_communities(work->fit), last_rounds(work)));
	work->corrected = may_be(work->fit, 1);
	TLV_TRY(count_inside(ctx, work, true, &inside, &expected));
	if (inside - expected >= LEAST_MODULARITY * work->fit->total)
		return TLV_OK;
	memset(work->label, 0, work->n * sizeof(int32_t));
	work->found = 1;
	return TLV_OK;
}

tlv_status
tlv_mmsb_choose_correction(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	fit->corrected = may_be(fit, 1);
	return may_be(fit, 0) && may_be(fit, 1) ? tlv_mmsb_propose(ctx, fit, TLV_PROPOSE_SOME, fit->k)
											: TLV_OK;
}

tlv_status
tlv_mmsb_propose(tlv_context *ctx, tlv_mmsb_fit_state *fit, tlv_proposal wanted, size_t k)
{
	proposal work;

	TLV_TRY(open_proposal(ctx, fit, &work));
	if (wanted == TLV_PROPOSE_SOME)
		TLV_TRY(reach_communities(ctx, &work, k));
	else if (wanted == TLV_PROPOSE_BEST)
		TLV_TRY(best_communities(ctx, &work));
	else
		TLV_TRY(cut_communities(ctx, &work));
	fit->corrected = work.corrected;
	fit->k = work.found;
	TLV_TRY(keep_proposal(ctx, &work));
	close_proposal(ctx, &work);
	return TLV_OK;
}
