/*
 * refine.c - from starts over rows of neighbours to a model: the mean field of the block
 * models, one pass a step, and at last the edges between whole communities (learn.h).
 */
#include "learn.h"

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

	return TLV_MAKE(ctx, &made, model,
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

/* ---- refinement of block models ---- */

/* One candidate less, and its statistics. */
static void
drop_candidate(tlv_context *ctx, neighbours_fit *fit, size_t i, tlv_value *values[STARTS])
{
	tlv_free(ctx, fit->candidates[i].model.image);
	tlv_value_drop(values[i]);
	for (fit->n--; i < fit->n; i++)
	{
		fit->candidates[i] = fit->candidates[i + 1];
		values[i] = values[i + 1];
	}
}

/* The better of the two block models, where both have made their first iterations. */
static tlv_status
choose_candidate(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS])
{
	tlv_mmsb_evidences evidence;
	double score[2][2] = {{0}};
	bool full;

	for (size_t i = 0; i < fit->n; i++)
		TLV_TRY(score_step(ctx, &fit->candidates[i].model.frame, &values[i]->frame, fit->corrected,
						   &evidence, score[i]));
	full = score[1][1] > score[0][0] + FULL_MARGIN * fabs(score[0][0]);
	drop_candidate(ctx, fit, full ? 0 : 1, values);
	return TLV_OK;
}

static tlv_status
refine_once(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit, bool *last)
{
	int most = fit->large ? LARGE_LAST_STEPS : LAST_STEPS;
	tlv_value *values[STARTS];

	TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "refinement", false, values));
	fit->iterations++;
	fit->self_loops = tlv_frame_scalar(&values[0]->frame, "self_loops", 0);
	if (fit->n == 2 && fit->iterations == FIRST_STEPS)
		TLV_TRY(choose_candidate(ctx, fit, values));
	*last = fit->n == 1 && (fit->iterations >= most || fit->candidates[0].moved <= TOLERANCE ||
							fit->options.refine == TLV_MMSB_REFINE_NONE);
	for (size_t i = 0; i < fit->n; i++)
	{
		const tlv_neighbour_step step = {.diagonal = fit->candidates[i].diagonal,
										 .corrected = fit->corrected,
										 .keep = true,
										 .known = &fit->options};

		TLV_TRY(tlv_neighbours_step(ctx, &fit->candidates[i].model, &values[i]->frame, &step,
									&fit->candidates[i].moved));
	}
	tlv_neighbours_drop_values(fit, values);
	return TLV_OK;
}

/* ---- from initial estimates to models ---- */

/* The best starts of the two block models, and whether degrees are corrected for. */
static tlv_status
weigh_starts(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS], size_t best[2],
			 double score[2])
{
	bool chosen = fit->options.degree_corrected == TLV_DEGREES_CHOSEN;
	double most = -HUGE_VAL, tried[2];
	tlv_mmsb_evidences evidence;

	fit->corrected = fit->options.degree_corrected == TLV_DEGREES_CORRECTED;
	for (size_t i = 0; i < fit->n && chosen; i++)
	{
		TLV_TRY(score_step(ctx, &fit->candidates[i].model.frame, &values[i]->frame, false,
						   &evidence, tried));
		for (int c = 0; c < 2; c++)
			for (int full = 0; full < 2; full++)
				if (evidence.of[c][full] > most)
				{
					most = evidence.of[c][full];
					fit->corrected = c == 1;
				}
	}
	score[0] = score[1] = -HUGE_VAL;
	best[0] = best[1] = 0;
	for (size_t i = 0; i < fit->n; i++)
	{
		TLV_TRY(score_step(ctx, &fit->candidates[i].model.frame, &values[i]->frame, fit->corrected,
						   &evidence, tried));
		for (int full = 0; full < 2; full++)
		{
			TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, tried[full], "criterion_%s_%s_%zu",
								 full ? "full" : "assortative", fit->candidates[i].name, i + 1));
			if (tried[full] > score[full])
			{
				score[full] = tried[full];
				best[full] = i;
			}
		}
	}
	return TLV_OK;
}

/* The first iteration of one block model from its best initial estimate. */
static tlv_status
begin_model(tlv_context *ctx, neighbours_fit *fit, const neighbour_candidate *from,
			const tlv_frame *statistics, bool diagonal)
{
	const tlv_neighbour_step step = {
		.diagonal = diagonal, .corrected = fit->corrected, .keep = true, .known = &fit->options};
	neighbour_candidate *to = &fit->candidates[fit->n];
	tlv_making made;

	*to = (neighbour_candidate){.diagonal = diagonal, .name = from->name, .moved = 1};
	TLV_TRY(TLV_MAKE(
		ctx, &made, &to->model,
		tlv_neighbour_update(ctx, &from->model.frame, statistics, &step, &made.image, &made.size)));
	fit->n++;
	return TLV_OK;
}

/* One candidate of each block model, or of large graphs and of one community the better one. */
static tlv_status
begin_models(tlv_context *ctx, neighbours_fit *fit, tlv_value *values[STARTS], const size_t best[2],
			 const double score[2])
{
	bool full = score[1] > score[0] + FULL_MARGIN * fabs(score[0]);
	neighbour_candidate starts[STARTS];
	size_t n = fit->n;

	memcpy(starts, fit->candidates, sizeof(starts));
	memset(fit->candidates, 0, sizeof(fit->candidates));
	fit->n = 0;
	for (int model = 0; model < 2; model++)
		if (!(fit->large || fit->options.k == 1) || (model == 1) == full)
			TLV_TRY(begin_model(ctx, fit, &starts[best[model]], &values[best[model]]->frame,
								model == 0));
	for (size_t i = 0; i < n; i++)
	{
		tlv_free(ctx, starts[i].model.image);
		tlv_value_drop(values[i]);
	}
	return TLV_OK;
}

static tlv_status
require_nodes(tlv_context *ctx, size_t nodes, size_t k)
{
	if (nodes >= k)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu nodes with edges", k, nodes);
	return tlv_fail_hint(ctx, "Use a smaller k.");
}

tlv_status
tlv_neighbours_refine(tlv_context *ctx, tlv_source *rows, neighbours_fit *fit)
{
	tlv_value *values[STARTS];
	double score[2];
	size_t best[2], nodes;
	bool last = false;

	TLV_TRY(tlv_neighbours_collect(ctx, rows, fit, "start", true, values));
	nodes = tlv_frame_find(&values[0]->frame, "nodes")->rows;
	TLV_TRY(require_nodes(ctx, nodes, fit->options.k));
	fit->large = nodes > LARGE_NODES;
	TLV_TRY(weigh_starts(ctx, fit, values, best, score));
	if (fit->options.alpha0 > 0)
	{
		TLV_TRY(tlv_neighbours_refine_mixed(ctx, rows, fit, &values[0]->frame));
		tlv_neighbours_drop_values(fit, values);
		return TLV_OK;
	}
	TLV_TRY(begin_models(ctx, fit, values, best, score));
	while (!last)
		TLV_TRY(refine_once(ctx, rows, fit, &last));
	return TLV_OK;
}
