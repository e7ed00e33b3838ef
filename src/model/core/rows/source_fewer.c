/*
 * source_fewer.c - a number of components that the rows cannot have: the most that they can
 * (source.h).
 */
#include "tensorlv/model/source.h"
#include "tensorlv/num/plural.h"

#include <string.h>

/* Is it said of the rows, or of what was asked of them? */
static bool
source_fewer_is_refusal(tlv_status status)
{
	return status == TLV_NOT_IDENTIFIABLE || status == TLV_BAD_DATA || status == TLV_BAD_PARAMETER;
}

tlv_status
tlv_fit_fewer(tlv_context *ctx, const tlv_frame *from, size_t k, tlv_attempt attempt,
			  void *argument, tlv_fewer *fewer)
{
	/* Above, every other attempt is of half as many. */
	const int one_by_one = 16;
	tlv_status status = attempt(ctx, argument, from, k), first = status;

	*fewer = (tlv_fewer){.asked = k, .k = k};
	if (!source_fewer_is_refusal(first) || k < 2)
		return first;
	fewer->refused = ctx->error;
	while (source_fewer_is_refusal(status) && fewer->k > 1)
	{
		TLV_TRY_CONTINUE(ctx);
		fewer->k = fewer->k > one_by_one ? fewer->k / 2 : fewer->k - 1;
		memset(&ctx->error, 0, sizeof(ctx->error));
		status = attempt(ctx, argument, from, fewer->k);
	}
	if (!source_fewer_is_refusal(status))
		return status;
	ctx->error = fewer->refused; /* it is not the number */
	return first;
}

tlv_status
tlv_warn_fewer(tlv_context *ctx, const tlv_fewer *fewer, tlv_diagnostics *diagnostics)
{
	const char *hint = fewer->refused.hint;

	if (fewer->k >= fewer->asked)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "fewer_components",
								   .score = (double) fewer->asked,
								   .hint = hint[0] != '\0' ? hint : "Give more rows, or omit k."},
					"the model has %zu %s instead of %zu: %s", fewer->k,
					tlv_plural((double) fewer->k, "component", "components"), fewer->asked,
					fewer->refused.message);
}
