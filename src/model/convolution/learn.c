/*
 * learn.c - the whole of learning templates (convolution.h): one pass for the moments, and
 * the fit.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

/* The length that moments of the most lags choose. */
static tlv_status
choose_length(tlv_context *ctx, const tlv_frame *moments, size_t k, size_t *length,
			  tlv_diagnostics *diagnostics)
{
	TLV_TRY(tlv_convolution_choose_length(ctx, moments, k, length));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) *length, "length"));
	if (*length < TLV_SERIES_MOST_LAGS && k * (*length + 1) <= TLV_CONVOLUTION_MOST_NUMBERS)
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "length_at_limit",
					   .score = (double) *length,
					   .hint =
						   "Average several steps into one, or remove trends and seasons first."},
		"the length, %zu steps, is the largest possible: templates may be longer", *length);
}

static tlv_status
convolution_learn(tlv_context *ctx, tlv_source *series, const void *argument, tlv_held *model)
{
	tlv_convolution_options fit = *(const tlv_convolution_options *) argument;
	const size_t given = fit.length;
	const tlv_statistic lags = {.aggregate = &tlv_aggregate_series_moments,
								.order = (int32_t) (given > 0 ? given : TLV_SERIES_MOST_LAGS)};
	tlv_diagnostics diagnostics = {0};
	tlv_held fitted = {0};
	tlv_value *moments;
	tlv_making made;

	TLV_TRY(tlv_collect_first(ctx, series, "moments", 1, &lags, "values", &moments));
	if (given == 0) /* a model's lags are a part of the most lags */
		TLV_TRY(choose_length(ctx, &moments->frame, fit.k, &fit.length, &diagnostics));
	TLV_TRY(TLV_MAKE(ctx, &made, &fitted,
					 tlv_convolution_fit(ctx, &moments->frame, &fit, &made.image, &made.size)));
	tlv_value_drop(moments);
	return tlv_source_finish_after(ctx, series, &fitted.frame, &diagnostics, model);
}

const tlv_procedure tlv_convolution_procedure = {.learn = convolution_learn};
