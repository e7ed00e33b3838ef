/*
 * doubt.c - whether a graph in which so many communities were asked for shows any: the integrated
 * likelihood of theirs beside that of one.
 */
#include "../internal.h"

#include <math.h>
#include <string.h>

/* The community of every node in which it has most. */
static tlv_status
whole_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *label[2])
{
	for (size_t s = 0; s < fit->sides; s++)
	{
		const tlv_mmsb_side *side = &fit->side[s];

		if (side->share != NULL)
		{
			TLV_TRY(tlv_mmsb_largest(ctx, fit->k, fit->k, side->n, side->share, &label[s]));
			continue;
		}
		TLV_TRY_NEW(ctx, label[s], side->n);
		memcpy(label[s], side->label, side->n * sizeof(int32_t));
	}
	return TLV_OK;
}

static tlv_status
weigh(tlv_context *ctx, const tlv_mmsb_fit_state *fit, int32_t *const label[2], size_t k,
	  double *evidence)
{
	double found[2];

	TLV_TRY(tlv_mmsb_evidence(ctx, fit, label, k, fit->corrected, found));
	*evidence = fmax(found[0], found[1]);
	return TLV_OK;
}

tlv_status
tlv_mmsb_doubt(tlv_context *ctx, tlv_mmsb_fit_state *fit)
{
	/* What one community must be the more likely by, in nats (Kass, Raftery 1995: very strong). */
	const double strong_evidence = 5.0;
	int32_t *label[2] = {NULL, NULL};
	double found, one;

	if (fit->options->k == 0 && fit->k == 1)
		return tlv_warn(ctx, &fit->diagnostics,
						&(tlv_warning){.code = "no_structure",
									   .score = 1,
									   .hint = "Collect more edges, or give k."},
						"the graph shows no communities: the model has one");
	if (fit->options->k < 2 || fit->k < 2 || fit->options->n_labels > 0)
		return TLV_OK;
	TLV_TRY(whole_labels(ctx, fit, label));
	TLV_TRY(weigh(ctx, fit, label, fit->k, &found));
	for (size_t s = 0; s < fit->sides; s++)
		for (size_t u = 0; u < fit->side[s].n; u++)
			label[s][u] = 0;
	TLV_TRY(weigh(ctx, fit, label, 1, &one));
	for (size_t s = 0; s < fit->sides; s++)
		tlv_free(ctx, label[s]);
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, (found - one) / fit->total, "gain_over_one"));
	/* Both are equal if all nodes are in one community. */
	if (found > one - strong_evidence && found != one)
		return TLV_OK;
	return tlv_warn(ctx, &fit->diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = (found - one) / fit->total,
								   .hint = "Omit k, or collect more edges."},
					"the graph shows no communities: it is as likely without them");
}
