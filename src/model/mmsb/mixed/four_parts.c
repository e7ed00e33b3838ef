/*
 * four_parts.c - partition => true: the scores of a fit from the stars
 * between four parts of the graph, in place of those of the whole one.
 */
#include "../internal.h"

#include <math.h>
#include <string.h>

#include "partition.h"

/* The scores of one side move to where those of the whole graph would be. */
static void
take_scores(tlv_mmsb_fit_state *fit, size_t s, float **scores)
{
	tlv_star_moments *stars = &fit->moments[s].stars;

	memset(stars, 0, sizeof(*stars));
	stars->rows = fit->side[s].n;
	stars->columns = fit->side[tlv_mmsb_other(fit, s)].n;
	stars->scores = *scores;
	*scores = NULL;
}

tlv_status
tlv_mmsb_decompose_parts(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	const tlv_mmsb_options *options = fit->options;
	tlv_partition_options parts = {.k = fit->k,
								   .alpha0 = options->alpha0,
								   .seed = options->seed,
								   .decompose = options->decompose};
	const tlv_csr *out = &fit->side[0].edges, *in = &fit->side[tlv_mmsb_other(fit, 0)].edges;
	tlv_partition_result result;

	if (fit->corrected)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the four-part method has no degree-corrected variant");
	TLV_TRY(tlv_partition_fit(ctx, out, in, fit->sides == 2, &parts, &result));
	for (size_t s = 0; s < fit->sides; s++)
	{
		tlv_mmsb_moments *moments = &fit->moments[s];

		take_scores(fit, s, s == 0 ? &result.scores : &result.column_scores);
		TLV_TRY_NEW(ctx, moments->eigenvalues, fit->k);
		memcpy(moments->eigenvalues, result.eigenvalues, fit->k * sizeof(double));
		moments->rank = fit->k;
		moments->residual = s == 0 ? result.residual : result.column_residual;
		moments->iterations = result.iterations;
		moments->converged = result.converged;
		moments->stars.steps = result.steps;
	}
	tlv_partition_result_free(ctx, &result);
	return TLV_OK;
}
