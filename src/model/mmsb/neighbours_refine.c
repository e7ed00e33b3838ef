/*
 * neighbours_refine.c - from starts over rows of neighbours to a model: the mean field of the block
 * models, one pass a step, and at last the edges between whole communities (neighbours_plan.h).
 */
#include "neighbours_plan.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"

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

tlv_status
tlv_neighbours_take_starts(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
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
