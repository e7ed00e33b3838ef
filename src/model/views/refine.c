/*
 * refine.c - a mixture of three categories, independent given the component, refined on counts of
 * triples (view_solver.h).
 */

#include "tensorlv/model/step_prior.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/linalg.h"

/* The parameters, and their expectations under the counts. */
typedef struct cell_state
{
	const tlv_cell_mixture *own;
	double *weighted; /* view 1 times the weights */
	double *g[3];	  /* as in tlv_cell_expectations */
} cell_state;

static tlv_status
expect_cells(tlv_context *ctx, void *state, double *likelihood)
{
	const cell_state *step = state;
	const tlv_cell_mixture *own = step->own;
	size_t k = own->k;

	for (size_t i = 0; i < own->source->d[0]; i++)
		for (size_t j = 0; j < k; j++)
			step->weighted[i * k + j] = own->weights[j] * own->means[0][i * k + j];
	return tlv_cell_expectations(ctx, own->source, k, step->weighted, own->means[1], own->means[2],
								 step->g[0], step->g[1], step->g[2], likelihood);
}

static tlv_status
normalize_cells(tlv_context *ctx, void *state)
{
	const tlv_cell_mixture *own = ((const cell_state *) state)->own;

	(void) ctx;
	tlv_normalize_columns(own->k, 1, 0, own->weights);
	for (int t = 0; t < 3; t++)
		tlv_normalize_rows(own->k, own->source->d[t], 0, own->means[t]);
	return TLV_OK;
}

static tlv_status
maximize_cells(tlv_context *ctx, void *state)
{
	const cell_state *step = state;
	const tlv_cell_mixture *own = step->own;
	size_t k = own->k;

	for (int t = 0; t < 3; t++)
	{
		const double *factor = t == 0 ? step->weighted : own->means[t];
		size_t d = own->source->d[t];

		for (size_t j = 0; j < k; j++)
		{
			double rows = own->weights[j] * own->source->total;
			double prior = own->prior > 0 ? own->prior : tlv_category_prior(rows, d);

			for (size_t e = j; e < d * k; e += k)
				own->means[t][e] = factor[e] * step->g[t][e] + prior;
		}
	}
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < own->source->d[0]; i++)
			sum += own->means[0][i * k + j];
		own->weights[j] = sum;
	}
	return normalize_cells(ctx, state);
}

tlv_status
tlv_cell_refine(tlv_context *ctx, const tlv_cell_mixture *own, tlv_em *em)
{
	size_t k = own->k;
	const size_t *d = own->source->d;
	cell_state state = {.own = own};

	TLV_TRY_NEW_ROWS(ctx, state.weighted, k, 2 * d[0] + d[1] + d[2]);
	state.g[0] = state.weighted + k * d[0];
	state.g[1] = state.g[0] + k * d[0];
	state.g[2] = state.g[1] + k * d[1];
	em->state = &state;
	em->expect = expect_cells;
	em->maximize = maximize_cells;
	em->changed = normalize_cells;
	em->block[0] = own->weights;
	em->numbers[0] = k;
	for (int t = 0; t < 3; t++)
	{
		em->block[1 + t] = own->means[t];
		em->numbers[1 + t] = k * d[t];
	}
	TLV_TRY(tlv_em_run(ctx, em));
	tlv_free(ctx, state.weighted);
	return TLV_OK;
}
