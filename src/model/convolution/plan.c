/*
 * plan.c - templates as a plan (convolution.h): one pass for the moments, and the fit; a pass
 * more where windows of a length that is to be chosen are collected.
 */
#include "internal.h"
#include "tensorlv/model/kind.h"

typedef struct convolution_plan
{
	tlv_plan base;
	tlv_convolution_plan_options options;
	tlv_held model;
	bool chosen;				 /* the length, by a pass before */
	tlv_diagnostics diagnostics; /* of it */
} convolution_plan;

/* A length that is chosen: of these moments of as many lags as can be. */
static tlv_status
choose_length(tlv_context *ctx, convolution_plan *plan, const tlv_frame *moments)
{
	size_t *length = &plan->options.fit.length;

	TLV_TRY(tlv_convolution_choose_length(ctx, moments, plan->options.fit.k, length));
	TLV_TRY(tlv_diagnose(ctx, &plan->diagnostics, (double) *length, "length"));
	if (*length < TLV_SERIES_MOST_LAGS &&
		plan->options.fit.k * (*length + 1) <= TLV_CONVOLUTION_MOST_NUMBERS)
		return TLV_OK;
	return tlv_warn(
		ctx, &plan->diagnostics,
		&(tlv_warning){.code = "length_at_limit",
					   .score = (double) *length,
					   .hint =
						   "Average several steps into one, or remove trends and seasons first."},
		"the length, %zu steps, is the largest possible: templates may be longer", *length);
}

static tlv_status
fit_moments(tlv_context *ctx, convolution_plan *plan, const tlv_frame *moments)
{
	tlv_making made;

	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_convolution_fit(ctx, moments, &plan->options.fit, &made.image, &made.size)));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &plan->diagnostics, 0, NULL);
}

/* Moments of the length that is known by now. */
static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	convolution_plan *plan = (convolution_plan *) base;

	(void) pass;
	if (plan->chosen)
		TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "values"));
	return fit_moments(ctx, plan, &values[0]->frame);
}

static void
ask_moments_of(convolution_plan *plan, tlv_pass *pass, size_t lags, bool windows,
			   tlv_plan_step then)
{
	tlv_statistic *statistic =
		tlv_plan_ask(&plan->base, pass, "moments", &tlv_aggregate_series_moments, then);

	statistic->order = (int32_t) lags;
	statistic->refine = windows ? "windows" : NULL;
	pass->passes_left = 1;
}

/* Moments of all lags, of which the model's are a part; windows are cut by the length. */
static tlv_status
take_lags(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	convolution_plan *plan = (convolution_plan *) base;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "values"));
	TLV_TRY(choose_length(ctx, plan, &values[0]->frame));
	if (!plan->options.windows)
		return fit_moments(ctx, plan, &values[0]->frame);
	plan->chosen = true;
	ask_moments_of(plan, pass, plan->options.fit.length, true, take_moments);
	return TLV_OK;
}

static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	convolution_plan *plan = (convolution_plan *) base;
	size_t length = plan->options.fit.length;

	(void) ctx;
	(void) values;
	if (length > 0)
		ask_moments_of(plan, pass, length, plan->options.windows, take_moments);
	else
		ask_moments_of(plan, pass, TLV_SERIES_MOST_LAGS, false, take_lags);
	if (length == 0 && plan->options.windows)
		pass->passes_left = 2;
	return TLV_OK;
}

tlv_status
tlv_convolution_plan_create(tlv_context *ctx, const tlv_convolution_plan_options *options,
							tlv_plan **created)
{
	static const tlv_plan_class class = {.name = "tlv_convolution", .next = ask_moments};
	convolution_plan *plan = tlv_alloc0(ctx, 1, sizeof(convolution_plan));

	TLV_TRY_ALLOC(ctx, plan);
	plan->base.class = &class;
	plan->options = *options;
	*created = &plan->base;
	return TLV_OK;
}
