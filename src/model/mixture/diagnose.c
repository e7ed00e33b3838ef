/*
 * diagnose.c - what mixtures of every kind say of a step and of the steps' end (mixture.h).
 */
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/source.h"

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
	tlv_shown_list empty = {0};

	for (size_t j = 0; j < k; j++)
		if (weights[j] * rows < 1)
			tlv_shown_add_number(&empty, j + 1);
	if (empty.n == 0)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "empty_component",
								   .score = (double) empty.n,
								   .hint = "Use a smaller k."},
					"%s %s less than one row", tlv_shown_text(&empty, "component"),
					empty.n == 1 ? "has" : "have");
}
