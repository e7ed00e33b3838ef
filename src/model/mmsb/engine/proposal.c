/*
 * proposal.c - one partition after another of the nodes of a graph: from one to the next at a
 * resolution, and the best of them by integrated likelihood (proposal.h).
 */
#include "proposal.h"

#include <math.h>
#include <string.h>

#include "merge.h"

tlv_status
tlv_mmsb_join_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit, tlv_csr *joined)
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

void
tlv_proposal_sides(const proposal *work, int32_t *label, int32_t *sides[2])
{
	sides[0] = label;
	sides[1] = work->fit->sides == 2 ? label + work->fit->side[0].n : NULL;
}

static tlv_status
proposal_weigh_one(tlv_context *ctx, proposal *work)
{
	int32_t *sides[2];

	memset(work->label, 0, work->n * sizeof(int32_t));
	tlv_proposal_sides(work, work->label, sides);
	return tlv_mmsb_moves_evidence(ctx, work->fit, sides, 1, work->one);
}

double
tlv_mmsb_proposal_memory(size_t n, size_t entries, size_t sides)
{
	tlv_level_task size = {.edges = {.rows = n, .entries = entries}};

	return tlv_levels_memory(&size) + 40 * (double) n + 8 * (double) entries * (double) (sides - 1);
}

tlv_status
tlv_proposal_open(tlv_context *ctx, tlv_mmsb_fit_state *fit, proposal *work)
{
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
	return proposal_weigh_one(ctx, work);
}

void
tlv_proposal_close(tlv_context *ctx, proposal *work)
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

tlv_status
tlv_proposal_merge(tlv_context *ctx, proposal *work, bool corrected, size_t most)
{
	tlv_level_task task = level_task(work, corrected, 1);

	TLV_TRY(tlv_merge_communities(ctx, &task, work->found, most, work->label));
	work->found = most;
	return TLV_OK;
}

void
tlv_proposal_separate(proposal *work)
{
	for (size_t u = 0; u < work->n; u++)
		work->label[u] = (int32_t) u;
	work->found = work->n;
}

tlv_status
tlv_proposal_search(tlv_context *ctx, proposal *work, bool corrected, double resolution,
					size_t most, int rounds)
{
	tlv_level_task task = level_task(work, corrected, resolution);

	task.rounds = rounds;
	TLV_TRY(tlv_levels_search(ctx, &task, work->label, &work->found));
	return work->found > most ? tlv_proposal_merge(ctx, work, corrected, most) : TLV_OK;
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

void
tlv_proposal_take(proposal *work, double value, double resolution)
{
	work->value = value;
	work->resolution = resolution;
	work->k = work->found;
	memcpy(work->best, work->label, work->n * sizeof(int32_t));
}

tlv_status
tlv_proposal_compare(tlv_context *ctx, proposal *work, double resolution, bool *better)
{
	int32_t *sides[2];

	tlv_proposal_sides(work, work->label, sides);
	TLV_TRY(tlv_mmsb_moves_evidence(ctx, work->fit, sides, work->found, work->evidence));
	*better = false;
	for (int corrected = 0; corrected < 2; corrected++)
	{
		double value = work->evidence[corrected];

		if (!tlv_proposal_may_be(work->fit, corrected) || value <= work->value)
			continue;
		tlv_proposal_take(work, value, resolution);
		work->corrected = corrected;
		*better = true;
	}
	return TLV_OK;
}

tlv_status
tlv_proposal_count_inside(tlv_context *ctx, const proposal *work, bool corrected, double *inside,
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

void
tlv_proposal_return_to_best(proposal *work)
{
	memcpy(work->label, work->best, work->n * sizeof(int32_t));
	work->found = work->k;
}

tlv_status
tlv_proposal_keep(tlv_context *ctx, const proposal *work)
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
