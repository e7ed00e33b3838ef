/*
 * diagnose.c - what mixtures of every kind say of a step and of the steps' end (mixture.h).
 */
#include "tensorlv/model/mixture.h"

tlv_status
tlv_mixture_diagnose_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						  double step, tlv_diagnostics *diagnostics)
{
	static const char *const renewed[] = {"refinement_steps", "rows", NULL};
	double rows = tlv_frame_scalar(statistics, "rows", 1);

	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, renewed));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, step, "refinement_steps"));
	return tlv_diagnose(ctx, diagnostics, tlv_frame_scalar(statistics, "log_likelihood", 0) / rows,
						"mean_log_likelihood_before_step_%.0f", step);
}

tlv_status
tlv_mixture_warn_empty(tlv_context *ctx, tlv_diagnostics *diagnostics, size_t k,
					   const double *weights, double rows)
{
	size_t empty = 0;

	for (size_t j = 0; j < k; j++)
		empty += weights[j] * rows < 1;
	if (empty == 0)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "empty_component",
								   .score = (double) empty,
								   .hint = "Use a smaller k."},
					"components with less than one row: %zu", empty);
}
