/*
 * distinctive.c - the order of a topic's items that tells the topic from the others (lda.h).
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"

/* exp(-H), H the entropy in nats of the proportions: the proportion of a typical item.  They are
 * scaled by the largest one, since those of a forged model may add up to infinity. */
static tlv_status
typical_proportion(tlv_context *ctx, size_t d, const double *shares, double *typical)
{
	double most = 0, sum = 0, logarithms = 0;

	*typical = 1;
	for (size_t i = 0; i < d; i++)
		most = fmax(most, shares[i]);
	if (!(most > 0))
		return TLV_OK;
	for (size_t i = 0; i < d; i++)
	{
		double x = shares[i] / most;

		TLV_TRY_CONTINUE_AT(ctx, i);
		sum += x;
		if (x > 0)
			logarithms += x * log(x);
	}
	*typical = exp(logarithms / sum) / sum;
	return TLV_OK;
}

tlv_status
tlv_lda_shrinkage(tlv_context *ctx, const tlv_frame *model, double *shrinkage)
{
	/* Tokens of the corpus where the model does not contain them: a model that was made by hand. */
	const double assumed_tokens = 1e5;

	double tokens = tlv_diagnostics_find(model, "tokens", 0), typical;

	if (!(tokens >= 1 && isfinite(tokens)))
		tokens = assumed_tokens;
	TLV_TRY(typical_proportion(ctx, tlv_frame_find(model, "phi")->columns,
							   tlv_frame_float64(model, "shares"), &typical));
	*shrinkage = SHRINKAGE_TOKENS / tokens + typical;
	return TLV_OK;
}
