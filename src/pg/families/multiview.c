/*
 * multiview.c - mixtures seen through three views: arguments of the fit and the driver.
 */
#include "server/tlv_pg.h"

#include "utils/builtins.h"

#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/model/views.h"

/* ---- fitting ---- */

#define VIEW_OPTION(member) offsetof(tlv_multiview_learn_options, member)

/* Of tlv_fit_multiview and tlv_multiview. */
static const TlvArgument multiview_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, VIEW_OPTION(fit.k), .least = 1},
	{"max_k", TLV_ARGUMENT_COUNT, VIEW_OPTION(fit.max_k), .least = 1},
	{"refine", TLV_ARGUMENT_CHOICE, VIEW_OPTION(refine), .what = "refinement",
	 .names = tlv_multiview_refinement_names},
	{"iterations", TLV_ARGUMENT_NUMBER, VIEW_OPTION(fit.iterations), .least = 0},
	{"iterations", TLV_ARGUMENT_NUMBER, VIEW_OPTION(iterations), .least = 0},
	TLV_DECOMPOSE_ARGUMENTS(tlv_multiview_learn_options, fit.decompose, fit.seed),
	{NULL}};

static tlv_multiview_learn_options
read_multiview_arguments(FunctionCallInfo fcinfo)
{
	tlv_multiview_learn_options options = {
		.fit.iterations = -1, .refine = TLV_MULTIVIEW_REFINE_AUTO, .iterations = -1};

	TlvReadArguments(fcinfo, multiview_arguments, &options);
	return options;
}

static tlv_status
fit_multiview(tlv_context *ctx, const tlv_frame *moments, const void *options, void **image,
			  size_t *size)
{
	if (moments->header->kind == TLV_KIND_VIEW_MOMENTS ||
		moments->header->kind == TLV_KIND_CATEGORY_VIEWS)
		return tlv_multiview_fit(ctx, moments, options, image, size);
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "tlv_fit_multiview needs moments of three views, not of kind %s",
			 TlvKind(moments)->name);
	return tlv_fail_hint(ctx, "Collect them with tlv_view_moments(x1, x2, x3).");
}

/* tlv_fit_multiview(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_multiview)
{
	tlv_multiview_learn_options options = read_multiview_arguments(fcinfo);

	return TlvFit(fcinfo, fit_multiview, &options.fit);
}

/* tlv_multiview(query, ...): refinement of vectors reads the rows again and again. */
TLV_DRIVER_FUNCTION(tlv_multiview)
{
	tlv_multiview_learn_options options = read_multiview_arguments(fcinfo);
	TlvDriver *driver = TlvDriverBegin(fcinfo);
	TlvSource *rows;
	bool again;

	rows = TlvReadViews(driver, TlvQueryText(fcinfo, "views"));
	again = rows->form == TLV_ROW_VIEWS && options.refine == TLV_MULTIVIEW_REFINE_EM;
	TlvSourceReady(rows, again ? TLV_SOURCE_AGAIN : TLV_SOURCE_ONCE);
	return TlvDriverLearn(fcinfo, driver, &tlv_multiview_procedure, &options);
}

/* ---- the number of components ---- */

static tlv_multiview_learn_options
multiview_search(const TlvSearch *search)
{
	return (tlv_multiview_learn_options){.fit = {.iterations = -1,
												 .max_k = search->max_k,
												 .seed = search->seed,
												 .decompose.seed = search->seed},
										 .refine = TLV_MULTIVIEW_REFINE_AUTO,
										 .iterations = -1};
}

static void
learn_multiview_search(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
					   tlv_held *model)
{
	tlv_multiview_learn_options options = multiview_search(search);

	TlvSourceReady(TlvReadViews(driver, TlvQueryText(fcinfo, "views")), TLV_SOURCE_ONCE);
	TlvDriverRunProcedure(driver, &tlv_multiview_procedure, &options, model);
}

static tlv_status
fit_multiview_search(tlv_context *ctx, const tlv_frame *moments, const void *search, void **image,
					 size_t *size)
{
	tlv_multiview_learn_options options = multiview_search(search);

	return fit_multiview(ctx, moments, &options.fit, image, size);
}

static const char *const multiview_criteria[] = {TLV_SUGGEST_RANK, NULL};
const TlvSearcher TlvSearchMultiview = {multiview_criteria, fit_multiview_search, false,
										learn_multiview_search};
