/*
 * choose.c - how many communities rows of neighbours have, and what labels must be for
 * them (learn.h).
 *
 * One subspace serves every k: the leading directions are clustered at several k, one pass counts
 * the edges between the clusters of all of them, and what these say decides, as it does for a graph
 * in memory (engine/choose.c).  Clusters that are parts of one community are merged without another
 * pass: edges between unions are sums.
 */
#include "learn.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../internal.h"
#include "../engine/merge.h"
#include "tensorlv/model/kind.h"

/* Most communities that are looked at where max_k does not say. */
#define MOST_CHOSEN 50

/* Blocks of another kind than groups that are denser inside must explain so much more, of what
 * these explain (engine/choose.c). */
#define FULL_MARGIN 0.5

/* Merges that do not raise the evidence, one after another, end the search. */
#define PATIENCE 4

/* Steps of the mean field before the communities of a graph that is not large are weighed: clusters
 * of weak ones are worth less than what becomes of them. */
#define CHOICE_ITERATIONS 4

/* The best division so far, of those of one rate between communities and of full ones. */
typedef struct best_division
{
	double evidence; /* -infinity: none */
	size_t candidate;
	size_t k;
	int32_t into[TLV_MMSB_MOST]; /* where the candidate's communities go */
} best_division;

size_t
tlv_neighbours_most(const tlv_mmsb_options *options)
{
	return options->max_k > 0 ? options->max_k : MOST_CHOSEN;
}

/* ---- labels ---- */

/* The largest label plus 1; 0: there are none. */
static size_t
least_communities(const tlv_mmsb_options *options)
{
	size_t least = 0;

	for (size_t i = 0; i < options->n_labels; i++)
		least = (size_t) options->label[i] >= least ? (size_t) options->label[i] + 1 : least;
	return least;
}

tlv_status
tlv_neighbours_check_labels(tlv_context *ctx, const tlv_mmsb_options *options,
							const tlv_frame *summary, tlv_diagnostics *to)
{
	size_t most = options->k > 0 ? options->k : tlv_neighbours_most(options);
	size_t n = tlv_frame_find(summary, "items")->rows, u = 0;
	const int64_t *nodes = tlv_frame_int64(summary, "items");
	bool *met;

	TLV_TRY_NEW(ctx, met, options->n_labels);

	for (size_t i = 0; i < options->n_labels; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if ((size_t) options->label[i] >= most)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "label %" PRId32 " of node %" PRId64 " is not between 1 and %s = %zu",
					 options->label[i] + 1, options->label_nodes[i], options->k > 0 ? "k" : "max_k",
					 most);
			return tlv_fail_hint(ctx, "Give %s, at least the largest label.",
								 options->k > 0 ? "k" : "max_k");
		}
		while (u < n && nodes[u] < options->label_nodes[i])
			u++;
		met[i] = u < n && nodes[u] == options->label_nodes[i];
	}
	TLV_TRY(tlv_mmsb_check_labels(ctx, options, met, to));
	tlv_free(ctx, met);
	return TLV_OK;
}

/* ---- divisions ---- */

/* Edges between communities and the masses of these, as merge.c takes them. */
static tlv_status
open_task(tlv_context *ctx, const tlv_division *division, bool corrected, tlv_level_task *task)
{
	size_t k = division->k, n = division->fit.side[0].n, *start;
	double total = division->fit.total, *mass;
	int32_t *index;
	float *value;

	TLV_TRY_NEW(ctx, start, k + 1);
	TLV_TRY_NEW(ctx, index, k * k);
	TLV_TRY_NEW(ctx, value, k * k);
	TLV_TRY_NEW0(ctx, mass, k);
	for (size_t u = 0; u < n; u++)
		mass[division->label[u]] += corrected ? division->degree[u] : total / (double) n;
	for (size_t a = 0; a <= k; a++)
		start[a] = a * k;
	for (size_t i = 0; i < k * k; i++)
	{
		index[i] = (int32_t) (i % k);
		value[i] = (float) division->edges[i];
	}
	*task = (tlv_level_task){
		.edges = {.rows = k, .entries = k * k, .start = start, .index = index, .value = value},
		.mass = {mass, mass},
		.total = total};
	return TLV_OK;
}

static void
close_task(tlv_context *ctx, tlv_level_task *task)
{
	tlv_free(ctx, task->edges.start);
	tlv_free(ctx, task->edges.index);
	tlv_free(ctx, task->edges.value);
	tlv_free(ctx, (void *) task->mass[0]);
}

/* Evidence of the division whose communities have gone into k others. */
static tlv_status
weigh_union(tlv_context *ctx, tlv_division *division, size_t k, const int32_t *into,
			tlv_mmsb_evidences *evidence)
{
	size_t n = division->fit.side[0].n;
	int32_t *label;
	double *edges;

	TLV_TRY_NEW(ctx, label, n);
	TLV_TRY_NEW0(ctx, edges, k * k);
	for (size_t u = 0; u < n; u++)
		label[u] = into[division->label[u]];
	for (size_t b = 0; b < division->k; b++)
		for (size_t a = 0; a < division->k; a++)
			edges[(size_t) into[a] + k * (size_t) into[b]] += division->edges[a + division->k * b];
	TLV_TRY(tlv_mmsb_evidence_of_edges(ctx, &division->fit, label, k, edges, evidence));
	tlv_free(ctx, edges);
	tlv_free(ctx, label);
	return TLV_OK;
}

/* What is weighed, and what was found. */
typedef struct choice_work
{
	neighbours_fit *fit;
	tlv_value **values;
	double one;			   /* evidence of one community */
	double *seen;		   /* TLV_MMSB_MOST + 1: the greatest of every k; -infinity: none */
	best_division best[2]; /* of one rate between communities; full */
} choice_work;

/* Notes the division that a candidate becomes with those unions; is it better than those before? */
static bool
note(choice_work *work, const tlv_mmsb_evidences *evidence, size_t candidate, size_t k,
	 const int32_t *into, size_t n)
{
	tlv_degree_correction wanted = work->fit->options.degree_corrected;
	bool raised = false;

	for (int c = 0; c < 2; c++)
		for (int full = 0; full < 2; full++)
		{
			double found = evidence->of[c][full];
			best_division *to = &work->best[full];

			if (wanted != TLV_DEGREES_CHOSEN && c != (wanted == TLV_DEGREES_CORRECTED))
				continue;
			work->seen[k] = fmax(work->seen[k], found);
			if (found <= to->evidence)
				continue;
			to->evidence = found;
			to->candidate = candidate;
			to->k = k;
			memcpy(to->into, into, n * sizeof(int32_t));
			raised = true;
		}
	return raised;
}

/* One candidate: as it is, or also with its communities merged as long as that pays. */
static tlv_status
weigh_division(tlv_context *ctx, choice_work *work, size_t candidate, bool merge,
			   tlv_division *division)
{
	size_t k = division->k, idle = 0;
	tlv_mmsb_evidences evidence;
	tlv_level_task task;
	int32_t *into;

	TLV_TRY_NEW(ctx, into, k);
	for (size_t left = k; left > 1 && idle < PATIENCE; left--)
	{
		for (size_t a = 0; a < k; a++)
			into[a] = (int32_t) a;
		if (left < k)
		{
			TLV_TRY(open_task(ctx, division,
							  work->fit->options.degree_corrected != TLV_DEGREES_PLAIN, &task));
			TLV_TRY(tlv_merge_communities(ctx, &task, k, left, into));
			close_task(ctx, &task);
		}
		TLV_TRY(weigh_union(ctx, division, left, into, &evidence));
		idle = note(work, &evidence, candidate, left, into, k) ? 0 : idle + 1;
		if (!merge)
			break;
	}
	for (size_t a = 0; a < k; a++)
		into[a] = 0;
	TLV_TRY(weigh_union(ctx, division, 1, into, &evidence));
	work->one = fmax(evidence.of[0][0], evidence.of[1][0]);
	if (work->fit->options.degree_corrected != TLV_DEGREES_CHOSEN)
		work->one = evidence.of[work->fit->options.degree_corrected == TLV_DEGREES_CORRECTED][0];
	work->seen[1] = work->one;
	tlv_free(ctx, into);
	return TLV_OK;
}

/* The division of a candidate's model after the statistics of its edges. */
static tlv_status
open_division(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  tlv_division *division)
{
	const tlv_neighbour_step step = {.raw = true};
	tlv_neighbour_sums sums;
	tlv_mmsb_parts parts;
	tlv_frame frame;
	void *image;
	size_t size;

	TLV_TRY(tlv_neighbour_update(ctx, model, statistics, &step, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	TLV_TRY(tlv_mmsb_read(ctx, &frame, &parts));
	TLV_TRY(tlv_neighbour_sums_of(ctx, &parts, &sums));
	return tlv_division_open(ctx, &parts, &sums, division);
}

static tlv_status
weigh_candidate(tlv_context *ctx, choice_work *work, size_t i, bool merge)
{
	tlv_division division;
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = open_division(ctx, &work->fit->candidates[i].model.frame, &work->values[i]->frame,
						   &division);
	if (status == TLV_OK)
		status = weigh_division(ctx, work, i, merge, &division);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

/* ---- the choice ---- */

/* The better of the best divisions; NULL: one community. */
static const best_division *
decide(const choice_work *work)
{
	double plain = work->best[0].evidence, full = work->best[1].evidence, one = work->one;
	const best_division *taken =
		&work->best[full > plain && full > one + (1 + FULL_MARGIN) * fmax(plain - one, 0)];

	return taken->evidence > one || (work->fit->options.n_labels > 0 && taken->k > 0) ? taken
																					  : NULL;
}

/* A start that is a candidate's with its communities merged, in the first place of all. */
static tlv_status
make_union(tlv_context *ctx, const tlv_frame *model, const best_division *taken, void **image,
		   size_t *size)
{
	tlv_mmsb_parts parts;
	double *zeros;
	int32_t *label;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	TLV_TRY_NEW(ctx, label, parts.side[0].n);
	for (size_t u = 0; u < parts.side[0].n; u++)
	{
		const tlv_memberships *m = &parts.side[0].memberships;

		label[u] = m->start[u] < m->start[u + 1] ? taken->into[m->community[m->start[u]]] : -1;
	}
	parts.k = taken->k;
	TLV_TRY_NEW0(ctx, zeros, parts.k * (parts.k + 2));
	parts.alpha = parts.sizes = zeros;
	parts.connectivity = zeros + parts.k;
	TLV_TRY(tlv_memberships_from_labels(ctx, parts.side[0].n, label, &parts.side[0].memberships));
	return tlv_mmsb_write(ctx, &parts, image, size);
}

static tlv_status
keep_taken(tlv_context *ctx, neighbours_fit *fit, const best_division *taken)
{
	neighbour_candidate united = {.name = "merged"};
	tlv_making made;

	if (taken != NULL && taken->k > 1)
	{
		TLV_TRY(TLV_MAKE(ctx, &made, &united.model,
						 make_union(ctx, &fit->candidates[taken->candidate].model.frame, taken,
									&made.image, &made.size)));
	}
	for (size_t i = 0; i < fit->n; i++)
		tlv_free(ctx, fit->candidates[i].model.image);
	memset(fit->candidates, 0, sizeof(fit->candidates));
	fit->n = 0;
	if (united.model.image != NULL)
		fit->candidates[fit->n++] = united;
	return TLV_OK;
}

/* All candidates as they are, and then the best one and the one of more communities next to it
 * with communities merged. */
static tlv_status
weigh_all(tlv_context *ctx, choice_work *work)
{
	neighbours_fit *fit = work->fit;
	size_t best;

	for (size_t i = 0; i < fit->n; i++)
		TLV_TRY(weigh_candidate(ctx, work, i, false));
	if (fit->options.n_labels > 0)
		return TLV_OK;
	best = work->best[work->best[1].evidence > work->best[0].evidence].candidate;
	for (size_t i = best; i < fit->n && i <= best + 1; i++)
		TLV_TRY(weigh_candidate(ctx, work, i, true));
	return TLV_OK;
}

/* The edges between whole communities are known: k, and a candidate where it is to be kept. */
static tlv_status
choose_division(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS])
{
	const best_division *taken;
	choice_work *work;

	TLV_TRY_NEW0(ctx, work, 1);
	TLV_TRY_NEW(ctx, work->seen, TLV_MMSB_MOST + 1);
	work->fit = fit;
	work->values = values;
	work->best[0].evidence = work->best[1].evidence = -HUGE_VAL;
	for (size_t k = 0; k <= TLV_MMSB_MOST; k++)
		work->seen[k] = -HUGE_VAL;
	TLV_TRY(weigh_all(ctx, work));
	for (size_t k = 1; k <= TLV_MMSB_MOST; k++)
		if (work->seen[k] > -HUGE_VAL)
			TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, work->seen[k], "evidence_%zu", k));
	taken = decide(work); /* a division into whole communities */
	fit->options.k = taken != NULL ? taken->k : 1;
	fit->limited = fit->options.k >= 3 && fit->options.k >= tlv_neighbours_most(&fit->options);
	tlv_neighbours_drop_values(fit, values);
	TLV_TRY(
		keep_taken(ctx, fit, fit->options.n_labels > 0 || fit->options.alpha0 > 0 ? NULL : taken));
	tlv_free(ctx, work->seen);
	tlv_free(ctx, work);
	return TLV_OK;
}

/* ---- the steps before ---- */

static tlv_status
harden_all(tlv_context *ctx, neighbours_fit *fit)
{
	for (size_t i = 0; i < fit->n; i++)
	{
		tlv_held *model = &fit->candidates[i].model;
		tlv_making made;

		TLV_TRY(TLV_MAKE(ctx, &made, model,
						 tlv_neighbour_harden(ctx, &model->frame, &made.image, &made.size)));
	}
	return TLV_OK;
}

static tlv_status
step_all(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS])
{
	for (size_t i = 0; i < fit->n; i++)
	{
		neighbour_candidate *candidate = &fit->candidates[i];
		const tlv_neighbour_step step = {.diagonal = candidate->diagonal,
										 .corrected = candidate->corrected,
										 .keep = true,
										 .known = &fit->options};

		TLV_TRY(tlv_neighbours_step(ctx, &candidate->model, &values[i]->frame, &step,
									&candidate->moved));
	}
	return TLV_OK;
}

/* The block model that a candidate's clusters are the more likely by. */
static tlv_status
choose_model(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS], size_t i)
{
	neighbour_candidate *candidate = &fit->candidates[i];
	tlv_degree_correction wanted = fit->options.degree_corrected;
	tlv_mmsb_evidences evidence;
	tlv_division division;

	TLV_TRY(open_division(ctx, &candidate->model.frame, &values[i]->frame, &division));
	TLV_TRY(tlv_mmsb_evidence_of_edges(ctx, &division.fit, division.label, division.k,
									   division.edges, &evidence));
	candidate->corrected =
		wanted == TLV_DEGREES_CORRECTED ||
		(wanted == TLV_DEGREES_CHOSEN &&
		 fmax(evidence.of[1][0], evidence.of[1][1]) > fmax(evidence.of[0][0], evidence.of[0][1]));
	candidate->diagonal =
		evidence.of[candidate->corrected][0] >= evidence.of[candidate->corrected][1];
	return TLV_OK;
}

/* Iterations of the mean field, each candidate by its own block model, and then whole communities.
 */
static tlv_status
refine_clusters(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit, tlv_value *values[STARTS])
{
	for (size_t i = 0; i < fit->n; i++)
	{
		tlv_scratch scratch;
		tlv_status status;

		tlv_scratch_begin(ctx, &scratch);
		status = choose_model(ctx, fit, values, i);
		tlv_scratch_end(ctx, &scratch);
		TLV_TRY(status);
	}
	TLV_TRY(step_all(ctx, fit, values));
	for (int iteration = 0; iteration < CHOICE_ITERATIONS; iteration++)
	{
		tlv_neighbours_drop_values(fit, values);
		TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "k", false, values));
		TLV_TRY(step_all(ctx, fit, values));
	}
	tlv_neighbours_drop_values(fit, values);
	return harden_all(ctx, fit);
}

/* Clusters of the subspace's nodes, of several k up to the most, as candidates. */
static tlv_status
add_clusters(tlv_context *ctx, neighbours_fit *fit)
{
	static const size_t tried[STARTS] = {2, 3, 5, 8, 12, 20, 32, 50};
	size_t nodes = tlv_frame_find(&fit->summary->frame, "items")->rows;
	size_t most = tlv_least(tlv_neighbours_most(&fit->options), nodes);
	size_t least = least_communities(&fit->options), before = 1;

	for (size_t i = 0; i < STARTS; i++)
	{
		/* up to the bound, and the same steps stretched where it is larger than they are */
		double stretched = most > tried[STARTS - 1]
							   ? 2 * pow((double) most / 2, (double) i / (STARTS - 1))
							   : (double) tried[i];
		size_t k = tlv_least((size_t) lround(stretched), most);

		k = k > least ? k : tlv_least(least, most);
		if (k <= before)
			continue;
		TLV_TRY(tlv_neighbours_add_start(ctx, fit, TLV_NEIGHBOUR_CLUSTERS, "pairs", k, NULL));
		before = k;
	}
	return TLV_OK;
}

tlv_status
tlv_neighbours_choose(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	tlv_value *values[STARTS];

	TLV_TRY(add_clusters(ctx, fit));
	if (fit->n == 0)
	{
		fit->options.k = 1;
		return TLV_OK;
	}
	TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "k", true, values));
	if (tlv_frame_find(&values[0]->frame, "nodes")->rows <= LARGE_NODES)
	{
		TLV_TRY(refine_clusters(ctx, rows, fit, values));
		TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "k", true, values));
	}
	return choose_division(ctx, fit, values);
}
