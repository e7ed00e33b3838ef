/*
 * learn.c - the whole of learning templates (convolution.h): one pass for the moments, one more
 * where windows of a length that is chosen are collected, and the fit.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

/* Moments of so many lags, or of windows of that length. */
static tlv_statistic
moments_of(size_t lags, bool windows)
{
	return (tlv_statistic){.aggregate = &tlv_aggregate_series_moments,
						   .order = (int32_t) lags,
						   .refine = windows ? "windows" : NULL};
}

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

/* Moments and length where the length is not given.  The model's lags are a part of the most lags;
 * windows are cut by the length, and so need a pass of their own. */
static tlv_status
collect_unknown_length(tlv_context *ctx, tlv_source *series, bool windows,
					   tlv_convolution_options *fit, tlv_value **moments,
					   tlv_diagnostics *diagnostics)
{
	const tlv_statistic lags = moments_of(TLV_SERIES_MOST_LAGS, false);
	tlv_statistic cut;

	TLV_TRY(tlv_collect_first(ctx, series, "moments", windows ? 2 : 1, &lags, "values", moments));
	TLV_TRY(choose_length(ctx, &(*moments)->frame, fit->k, &fit->length, diagnostics));
	if (!windows)
		return TLV_OK;
	tlv_value_drop(*moments);
	cut = moments_of(fit->length, true);
	TLV_TRY(tlv_collect_again(ctx, series, "moments", 1, &cut, moments));
	return tlv_require_rows(ctx, *moments, "values");
}

static tlv_status
convolution_learn(tlv_context *ctx, tlv_source *series, const void *argument, tlv_held *model)
{
	const tlv_convolution_learn_options *options = argument;
	const tlv_statistic known = moments_of(options->fit.length, options->windows);
	tlv_convolution_options fit = options->fit;
	tlv_diagnostics diagnostics = {0};
	tlv_held fitted = {0};
	tlv_value *moments;
	tlv_making made;

	TLV_TRY(
		fit.length > 0
			? tlv_collect_first(ctx, series, "moments", 1, &known, "values", &moments)
			: collect_unknown_length(ctx, series, options->windows, &fit, &moments, &diagnostics));
	TLV_TRY(TLV_MAKE(ctx, &made, &fitted,
					 tlv_convolution_fit(ctx, &moments->frame, &fit, &made.image, &made.size)));
	tlv_value_drop(moments);
	return tlv_source_finish_after(ctx, series, &fitted.frame, &diagnostics, model);
}

const tlv_procedure tlv_convolution_procedure = {.learn = convolution_learn};
