/*
 * neighbours_plan.c - communities from rows of an adjacency matrix: summary, products until the
 * subspace stands, star moments, then the mean field of the block model, one pass a step
 * (neighbours.h).  What is kept between passes is of the size of the nodes.
 */
#include "neighbours_plan.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"

/* The subspace stands when its leading Ritz values move by less, or after so many steps. */
#define SUBSPACE_TOLERANCE 0.01
#define SUBSPACE_MIN_STEPS 4
#define SUBSPACE_MAX_STEPS 12

/* Steps of both block models before one is chosen, of graphs that are not large, and of that one;
 * where nodes move by less on average (half L1) it stands. */
#define FIRST_STEPS		 5
#define LAST_STEPS		 50
#define LARGE_LAST_STEPS 10
#define TOLERANCE		 1e-4

/* The full model's rates must raise the criterion by this part. */
#define FULL_MARGIN 0.1

/* What of the edges between communities may differ by direction: rounding. */
#define ASYMMETRY 1e-6

#define SUMMARY 0 /* a value that is kept */

/* ---- asking ---- */

static tlv_statistic *
ask(tlv_plan *base, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
	tlv_plan_step then)
{
	struct neighbours_plan *own = neighbours_of(base);

	pass->damp = own->damp;
	pass->parts = own->support.part > 0 ? TLV_SUPPORT_PARTS : 0;
	pass->part = own->support.part - 1;
	own->step = then;
	return tlv_plan_ask(base, pass, stage, aggregate,
						own->support.part > 0 ? tlv_neighbours_guard : then);
}

/* Of the bags alone, as documents. */
static tlv_statistic *
ask_contents(tlv_plan *base, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
			 tlv_plan_step then)
{
	tlv_statistic *statistic = ask(base, pass, stage, aggregate, then);

	statistic->contents = true;
	return statistic;
}

void
tlv_neighbours_ask_statistics(tlv_plan *base, tlv_pass *pass, const char *stage, tlv_plan_step then)
{
	struct neighbours_plan *own = neighbours_of(base);

	for (size_t i = 0; i < own->n; i++)
		ask(base, pass, stage, &tlv_aggregate_statistics, then)->constant =
			&own->candidates[i].model.frame;
}

/* ---- steps ---- */

/* The sum over nodes of half the L1 distance between memberships before and after. */
static tlv_status
measure_move(tlv_context *ctx, const tlv_mmsb_parts *before, const tlv_mmsb_parts *after,
			 double *moved)
{
	const tlv_memberships *a = &before->side[0].memberships, *b = &after->side[0].memberships;
	size_t u = 0;

	*moved = 0;
	for (size_t v = 0; v < b->n; v++)
	{
		double common = 0;
		size_t i;

		TLV_TRY_CONTINUE_AT(ctx, v);
		while (u < a->n && before->side[0].nodes[u] < after->side[0].nodes[v])
			u++;
		i = u < a->n && before->side[0].nodes[u] == after->side[0].nodes[v] ? a->start[u]
																			: SIZE_MAX;
		for (size_t j = b->start[v]; j < b->start[v + 1] && i != SIZE_MAX; j++)
		{
			while (i < a->start[u + 1] && a->community[i] < b->community[j])
				i++;
			if (i < a->start[u + 1] && a->community[i] == b->community[j])
				common += fmin(a->share[i], b->share[j]);
		}
		*moved += b->start[v] < b->start[v + 1] ? fmax(0, 1 - common) : 0;
	}
	return TLV_OK;
}

static tlv_status
make_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
		  const tlv_neighbour_step *step, tlv_making *made, double *moved)
{
	tlv_mmsb_parts before, after;
	tlv_frame frame;

	TLV_TRY(tlv_neighbour_update(ctx, model, statistics, step, &made->image, &made->size));
	TLV_TRY(tlv_frame_open(ctx, made->image, made->size, &frame));
	TLV_TRY(tlv_mmsb_read(ctx, model, &before));
	TLV_TRY(tlv_mmsb_read(ctx, &frame, &after));
	TLV_TRY(measure_move(ctx, &before, &after, moved));
	*moved /= fmax((double) after.side[0].n, 1);
	return TLV_OK;
}

tlv_status
tlv_neighbours_step(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics,
					const tlv_neighbour_step *step, double *moved)
{
	tlv_making made;

	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, model,
						 make_step(ctx, &model->frame, statistics, step, &made, moved));
}

/* Scores of a model whose connectivity is that of its edges: of one rate between communities, and
 * full. */
static tlv_status
score_model(tlv_context *ctx, const tlv_frame *model, tlv_mmsb_evidences *evidence, double score[2])
{
	tlv_mmsb_evidences one;
	tlv_neighbour_sums sums;
	tlv_block_sums block;
	tlv_mmsb_parts parts;
	double used;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	TLV_TRY(tlv_neighbour_sums_of(ctx, &parts, &sums));
	TLV_TRY(tlv_neighbours_weigh(ctx, &parts, &sums, evidence, &one, &used));
	block = (tlv_block_sums){parts.k, 1, sums.edges, sums.expected};
	for (int full = 0; full < 2; full++)
		score[full] = tlv_block_score(&block, full == 0, used, sums.nodes * (sums.nodes - 1) / 2);
	tlv_free(ctx, sums.size);
	tlv_free(ctx, parts.side[0].memberships.start);
	return TLV_OK;
}

/* The same of the model that statistics lead to. */
static tlv_status
score_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, bool corrected,
		   tlv_mmsb_evidences *evidence, double score[2])
{
	const tlv_neighbour_step step = {.raw = true, .corrected = corrected};
	tlv_scratch scratch;
	tlv_frame frame;
	tlv_status status;
	void *image;
	size_t size;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_neighbour_update(ctx, model, statistics, &step, &image, &size);
	if (status == TLV_OK)
		status = tlv_frame_open(ctx, image, size, &frame);
	if (status == TLV_OK)
		status = score_model(ctx, &frame, evidence, score);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

void
tlv_neighbours_drop(tlv_context *ctx, struct neighbours_plan *own, size_t i)
{
	tlv_free(ctx, own->candidates[i].model.image);
	for (own->n--; i < own->n; i++)
		own->candidates[i] = own->candidates[i + 1];
}

tlv_status
tlv_neighbours_require_rows(tlv_context *ctx, const tlv_frame *statistics, bool first)
{
	size_t k = tlv_frame_find(statistics, "edges")->rows;
	const double *edges = tlv_frame_float64(statistics, "edges");
	double strangers = first ? 0 : tlv_frame_scalar(statistics, "strangers", 0);
	double total = 0, apart = 0;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			total += edges[a + k * b];
			apart = fmax(apart, fabs(edges[a + k * b] - edges[b + k * a]));
		}
	if (strangers == 0 && (!first || apart <= ASYMMETRY * total))
		return TLV_OK;
	if (strangers > 0)
		tlv_fail(ctx, TLV_BAD_DATA, "neighbours of weight %g in all have no row of their own",
				 strangers);
	else
		tlv_fail(ctx, TLV_BAD_DATA, "not all neighbours are neighbours the other way round");
	return tlv_fail_hint(ctx, "Every edge belongs to the bags of both of its ends: collect them "
							  "from SELECT src, dst FROM edges UNION ALL SELECT dst, src FROM "
							  "edges.");
}

/* ---- the last pass ---- */

/* The edges between the labels are known: the model of these, with the memberships found before. */
static tlv_status
take_edges(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	const tlv_neighbour_step step = {
		.raw = true, .corrected = own->corrected, .known = &own->options};
	tlv_held *model = &own->candidates[0].model, whole;
	tlv_making made;
	double moved;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_neighbours_step(ctx, model, &values[0]->frame, &step, &moved));
	whole = *model;
	*model = own->soft;
	own->soft = (tlv_held){0};
	if (own->options.alpha0 == 0)
	{
		tlv_plan_make(ctx, &made);
		TLV_TRY(tlv_plan_made(
			ctx, &made, model,
			tlv_neighbour_soften(ctx, &whole.frame, &model->frame, &made.image, &made.size)));
	}
	if (own->options.n_labels == 0)
		TLV_TRY(tlv_neighbours_order(ctx, !own->chosen, &whole, model));
	TLV_TRY(tlv_neighbours_diagnose(ctx, own, &whole.frame));
	tlv_free(ctx, whole.image);
	if (own->support.part > 0)
		return tlv_neighbours_take_part(ctx, base, &model->frame, pass);
	TLV_TRY(tlv_plan_finish(ctx, base, &model->frame, &own->diagnostics, 0, NULL));
	return base->errors ? tlv_neighbours_begin_support(ctx, base, pass) : TLV_OK;
}

tlv_status
tlv_neighbours_ask_edges(tlv_context *ctx, tlv_plan *base, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_making made;

	own->soft = own->candidates[0].model;
	own->candidates[0].model = (tlv_held){0};
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &own->candidates[0].model,
						  tlv_neighbour_harden(ctx, &own->soft.frame, &made.image, &made.size)));
	tlv_neighbours_ask_statistics(base, pass, "edges", take_edges);
	pass->passes_left = base->errors ? 0 : 1;
	return TLV_OK;
}

/* ---- refinement ---- */

static tlv_status take_step(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass);

static void
ask_step(tlv_plan *base, tlv_pass *pass)
{
	tlv_neighbours_ask_statistics(base, pass, "refinement", take_step);
}

/* The better of the two block models, where both have made their first steps. */
static tlv_status
choose_candidate(tlv_context *ctx, struct neighbours_plan *own, tlv_value **values)
{
	tlv_mmsb_evidences evidence;
	double score[2][2];

	for (size_t i = 0; i < own->n; i++)
		TLV_TRY(score_step(ctx, &own->candidates[i].model.frame, &values[i]->frame, own->corrected,
						   &evidence, score[i]));
	if (own->n == 2)
	{
		bool full = score[1][1] > score[0][0] + FULL_MARGIN * fabs(score[0][0]);
		size_t left = full ? 0 : 1;

		if (left == 0)
		{
			tlv_value *first = values[0];

			values[0] = values[1];
			values[1] = first;
		}
		tlv_neighbours_drop(ctx, own, left);
	}
	return TLV_OK;
}

static tlv_status
take_step(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	int most = own->large ? LARGE_LAST_STEPS : LAST_STEPS;
	bool last;

	for (size_t i = 0; i < own->n; i++)
	{
		TLV_TRY(tlv_plan_require(ctx, values[i]));
		TLV_TRY(tlv_neighbours_require_rows(ctx, &values[i]->frame, false));
	}
	own->steps++;
	own->self_loops = tlv_frame_scalar(&values[0]->frame, "self_loops", 0);
	if (own->n > 1 && own->steps == FIRST_STEPS)
		TLV_TRY(choose_candidate(ctx, own, values));
	last = own->n == 1 && (own->steps >= most || own->candidates[0].moved <= TOLERANCE ||
						   own->options.refine == TLV_MMSB_REFINE_NONE);
	for (size_t i = 0; i < own->n; i++)
	{
		const tlv_neighbour_step step = {.diagonal = own->candidates[i].diagonal,
										 .corrected = own->corrected,
										 .keep = true,
										 .known = &own->options};

		TLV_TRY(tlv_neighbours_step(ctx, &own->candidates[i].model, &values[i]->frame, &step,
									&own->candidates[i].moved));
	}
	if (last)
		return tlv_neighbours_ask_edges(ctx, base, pass);
	ask_step(base, pass);
	return TLV_OK;
}

/* ---- from starts to models ---- */

/* The best starts of the two block models, and whether degrees are corrected for. */
static tlv_status
weigh_starts(tlv_context *ctx, struct neighbours_plan *own, tlv_value **values, size_t best[2],
			 double score[2])
{
	bool chosen = own->options.degree_corrected == TLV_DEGREES_CHOSEN;
	double most = -HUGE_VAL, tried[2];
	tlv_mmsb_evidences evidence;

	own->corrected = own->options.degree_corrected == TLV_DEGREES_CORRECTED;
	for (size_t i = 0; i < own->n && chosen; i++)
	{
		TLV_TRY(score_step(ctx, &own->candidates[i].model.frame, &values[i]->frame, false,
						   &evidence, tried));
		for (int c = 0; c < 2; c++)
			for (int full = 0; full < 2; full++)
				if (evidence.of[c][full] > most)
				{
					most = evidence.of[c][full];
					own->corrected = c == 1;
				}
	}
	score[0] = score[1] = -HUGE_VAL;
	best[0] = best[1] = 0;
	for (size_t i = 0; i < own->n; i++)
	{
		TLV_TRY(score_step(ctx, &own->candidates[i].model.frame, &values[i]->frame, own->corrected,
						   &evidence, tried));
		for (int full = 0; full < 2; full++)
		{
			TLV_TRY(tlv_diagnose(ctx, &own->diagnostics, tried[full], "criterion_%s_%s_%zu",
								 full ? "full" : "assortative", own->candidates[i].name, i + 1));
			if (tried[full] > score[full])
			{
				score[full] = tried[full];
				best[full] = i;
			}
		}
	}
	return TLV_OK;
}

/* The edges of the starts are known: one candidate of each block model, or the better one. */
static tlv_status
take_starts(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	neighbour_candidate starts[STARTS];
	size_t best[2], n = own->n, nodes;
	double score[2];
	bool full;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY(tlv_plan_require(ctx, values[i]));
		TLV_TRY(tlv_neighbours_require_rows(ctx, &values[i]->frame, true));
	}
	nodes = tlv_frame_find(&values[0]->frame, "nodes")->rows;
	if (nodes < own->options.k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu nodes with edges",
				 own->options.k, nodes);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	own->large = nodes > LARGE_NODES;
	TLV_TRY(weigh_starts(ctx, own, values, best, score));
	if (own->options.alpha0 > 0)
		return tlv_neighbours_begin_mixed(ctx, base, values, pass);
	full = score[1] > score[0] + FULL_MARGIN * fabs(score[0]);
	memcpy(starts, own->candidates, sizeof(starts));
	memset(own->candidates, 0, sizeof(own->candidates));
	own->n = 0;
	for (int model = 0; model < 2; model++)
	{
		neighbour_candidate *to = &own->candidates[own->n];
		const neighbour_candidate *from = &starts[best[model]];
		const tlv_neighbour_step step = {.diagonal = model == 0,
										 .corrected = own->corrected,
										 .keep = true,
										 .known = &own->options};
		tlv_making made;

		if ((own->large || own->options.k == 1) && (model == 1) != full)
			continue;
		*to = (neighbour_candidate){.diagonal = model == 0, .name = from->name, .moved = 1};
		tlv_plan_make(ctx, &made);
		TLV_TRY(
			tlv_plan_made(ctx, &made, &to->model,
						  tlv_neighbour_update(ctx, &from->model.frame, &values[best[model]]->frame,
											   &step, &made.image, &made.size)));
		own->n++;
	}
	for (size_t i = 0; i < n; i++)
		tlv_free(ctx, starts[i].model.image);
	ask_step(base, pass);
	return TLV_OK;
}

/* ---- starts ---- */

tlv_status
tlv_neighbours_add_start(tlv_context *ctx, tlv_plan *base, tlv_neighbour_start start,
						 const char *name, size_t k, const tlv_frame *moments)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_held *held = &own->candidates[own->n].model;
	tlv_mmsb_options options = own->options;
	double *rates = NULL;
	tlv_status status;
	tlv_making made;

	options.k = k;
	if (own->options.k == 0) /* k is chosen among whole communities */
		options.alpha0 = 0;
	if (options.alpha0 > 0 && start == TLV_NEIGHBOUR_TENSOR)
		TLV_TRY_NEW(ctx, rates, k * k);
	tlv_plan_make(ctx, &made);
	status = tlv_plan_made(ctx, &made, held,
						   tlv_neighbour_begin(ctx, &options, start, &base->kept[SUMMARY]->frame,
											   &own->subspace.frame, moments, own->poisson, rates,
											   &made.image, &made.size));
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	own->candidates[own->n].rates = rates;
	own->candidates[own->n++].name = name;
	return status;
}

tlv_status
tlv_neighbours_begin_starts(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments,
							tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	size_t k = own->options.k;

	if (moments != NULL && (own->options.alpha0 == 0 || own->options.n_labels == 0))
		TLV_TRY(tlv_neighbours_add_start(ctx, base, TLV_NEIGHBOUR_TENSOR, "tensor", k, moments));
	if (own->options.alpha0 == 0 || own->n == 0)
		TLV_TRY(tlv_neighbours_add_start(ctx, base, TLV_NEIGHBOUR_CLUSTERS, "pairs", k, NULL));
	tlv_free(ctx, own->subspace.image);
	own->subspace.image = NULL;
	tlv_neighbours_ask_statistics(base, pass, "start", take_starts);
	return TLV_OK;
}

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	TLV_TRY(tlv_plan_require(ctx, values[0]));
	return tlv_neighbours_begin_starts(ctx, base, &values[0]->frame, pass);
}

void
tlv_neighbours_ask_moments(tlv_plan *base, tlv_pass *pass)
{
	ask_contents(base, pass, "moments", &tlv_aggregate_count_moments, take_moments)->constant =
		&neighbours_of(base)->subspace.frame;
}

/* ---- the subspace ---- */

static tlv_status take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								tlv_pass *pass);

static tlv_status
next_subspace(tlv_context *ctx, tlv_plan *base, const tlv_frame *moments,
			  const tlv_subspace_options *options, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_held *subspace = &own->subspace;
	tlv_making made;

	tlv_free(ctx, subspace->image); /* the moments hold what they need of it */
	subspace->image = NULL;
	tlv_plan_make(ctx, &made);
	TLV_TRY(
		tlv_plan_made(ctx, &made, subspace,
					  tlv_subspace_from_moments(ctx, moments, options, &made.image, &made.size)));
	if (own->subspace_steps >= SUBSPACE_MAX_STEPS ||
		(own->subspace_steps >= SUBSPACE_MIN_STEPS &&
		 tlv_subspace_change(&subspace->frame) < SUBSPACE_TOLERANCE))
	{
		if (own->chosen)
			return tlv_neighbours_choose(ctx, base, pass);
		if (own->options.k == 1 || own->options.k > MOST_TENSOR)
			return tlv_neighbours_begin_starts(ctx, base, NULL, pass);
		tlv_neighbours_ask_moments(base, pass);
		return TLV_OK;
	}
	ask_contents(base, pass, "subspace", &tlv_aggregate_count_products, take_products)->constant =
		&subspace->frame;
	return TLV_OK;
}

static tlv_status
take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	const tlv_subspace_options same = {0};

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	neighbours_of(base)->subspace_steps++;
	return next_subspace(ctx, base, &values[0]->frame, &same, pass);
}

/* Are there weights other than 1? */
static bool
has_weights(const tlv_frame *summary)
{
	const double *totals = tlv_frame_float64(summary, "totals");
	const double *frequency = tlv_frame_float64(summary, "frequency");

	for (size_t i = 0; i < tlv_frame_find(summary, "items")->rows; i++)
		if (totals[i] != frequency[i])
			return true;
	return false;
}

/* The summary of those nodes that a subspace is of, where it cannot be of all; else *image is NULL.
 * It is no value: the tokens are those of all nodes. */
static tlv_status
find_landmarks(tlv_context *ctx, const struct neighbours_plan *own, const tlv_frame *summary,
			   void **image, tlv_frame *landmarks)
{
	size_t k = own->rank, directions = 2 * k > k + 10 ? 2 * k : k + 10, size;
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = tlv_neighbour_landmarks(ctx, summary, directions, own->directions, own->options.seed,
									 image, &size);
	if (status == TLV_OK && *image != NULL)
		tlv_scratch_keep(ctx, *image);
	tlv_scratch_end(ctx, &scratch);
	if (status != TLV_OK || *image == NULL)
		return status;
	return tlv_frame_open(ctx, *image, size, landmarks);
}

static tlv_status
take_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	struct neighbours_plan *own = neighbours_of(base);
	tlv_subspace_options options = {.fewer = true, .seed = own->options.seed};
	void *image = NULL;
	tlv_frame landmarks;

	if (values[0] == NULL || tlv_frame_scalar(&values[0]->frame, "skipped", 0) == 0)
		TLV_TRY(tlv_plan_require_rows(ctx, values[0], "documents"));
	if (tlv_frame_scalar(&values[0]->frame, "documents", 0) == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "no node has %d neighbours or more", TLV_MIN_LENGTH);
		return tlv_fail_hint(ctx, "Communities of so few edges are found from (src, dst) rows.");
	}
	own->poisson = own->options.edges == TLV_EDGES_POISSON ||
				   (own->options.edges == TLV_EDGES_AUTO && has_weights(&values[0]->frame));
	tlv_plan_keep(base, SUMMARY, &values[0]);
	landmarks = base->kept[SUMMARY]->frame;
	if (own->options.n_labels > 0)
		TLV_TRY(tlv_neighbours_check_labels(ctx, &own->options, &landmarks));
	own->rank = own->chosen ? tlv_neighbours_most(&own->options) : own->options.k;
	options.rank = own->rank;
	TLV_TRY(find_landmarks(ctx, own, &base->kept[SUMMARY]->frame, &image, &landmarks));
	TLV_TRY(next_subspace(ctx, base, &landmarks, &options, pass));
	tlv_free(ctx, image);
	return TLV_OK;
}

/* ---- the beginning ---- */

/* What rows of neighbours cannot do. */
static tlv_status
refuse_options(tlv_context *ctx, const tlv_mmsb_plan_options *options)
{
	const tlv_mmsb_options *fit = &options->fit;

	if (options->graph != TLV_GRAPH_UNDIRECTED || fit->partition ||
		(fit->refine == TLV_MMSB_REFINE_EM && fit->alpha0 == 0))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "rows of nodes and their neighbours are fitted as an undirected graph, by steps "
				 "over all of it: %s",
				 options->graph != TLV_GRAPH_UNDIRECTED ? "directed and bipartite must be false"
				 : fit->partition						? "partition must be false"
														: "refine 'em' is for alpha0 > 0");
		return tlv_fail_hint(ctx, "For all else give the edges as (src, dst [, weight]) rows.");
	}
	if (fit->refine == TLV_MMSB_REFINE_LIKELIHOOD && fit->alpha0 > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "refinement by likelihood is for alpha0 = 0, not %g",
				 fit->alpha0);
		return tlv_fail_hint(ctx, "Mixed memberships are refined by 'em'.");
	}
	return TLV_OK;
}

/* ---- known labels ---- */

void
tlv_neighbours_ask_summary(tlv_plan *base, tlv_pass *pass)
{
	ask_contents(base, pass, "summary", &tlv_aggregate_count_summary, take_summary);
}

static tlv_status
take_labels(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	if (values[0] != NULL)
		TLV_TRY(tlv_mmsb_labels_of_graph(ctx, &values[0]->frame, &neighbours_of(base)->options));
	tlv_neighbours_ask_summary(base, pass);
	return TLV_OK;
}

tlv_status
tlv_mmsb_ask_neighbours(tlv_context *ctx, mmsb_plan *plan, tlv_pass *pass)
{
	const tlv_mmsb_options *fit = &plan->options.fit;
	struct neighbours_plan *own;

	TLV_TRY(refuse_options(ctx, &plan->options));
	if (fit->k > TLV_MMSB_MOST || fit->max_k > TLV_MMSB_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "%s = %zu is more than %d",
						fit->k > TLV_MMSB_MOST ? "k" : "max_k",
						fit->k > TLV_MMSB_MOST ? fit->k : fit->max_k, TLV_MMSB_MOST);
	TLV_TRY_NEW0(ctx, own, 1);
	own->options = *fit;
	own->chosen = fit->k == 0;
	own->directions = plan->options.directions;
	own->damp = fit->edges == TLV_EDGES_BERNOULLI ? 1 : 0;
	plan->neighbours = own;
	if (!plan->options.labels)
	{
		tlv_neighbours_ask_summary(&plan->base, pass);
		return TLV_OK;
	}
	tlv_plan_ask(&plan->base, pass, "labels", &tlv_aggregate_bigraph, take_labels);
	pass->source = 1;
	return TLV_OK;
}
