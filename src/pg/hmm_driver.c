/*
 * hmm_driver.c - tlv_hmm(query, ...): a hidden Markov model from the text of a
 * query, in one call: sequences, moments of their windows, fit, Baum-Welch
 * steps until the likelihood stands.
 */
#include "views.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "tensorlv/hmm.h"
#include "tensorlv/multiview.h"

typedef struct HmmDriver
{
	TlvRowSource rows;
	tlv_hmm_options options;
	bool refine;
	int32 iterations; /* -1: until the likelihood stands */
} HmmDriver;

static struct varlena *
fit_moments(HmmDriver *driver)
{
	struct varlena *moments =
		TlvRowSourcePass(&driver->rows, psprintf("%s.tlv_sequence_moments(s)", driver->rows.schema),
						 NULL, NULL, NULL);
	struct varlena *model;
	tlv_frame frame;
	TlvWork *work;
	void *image;
	size_t size;

	if (moments == NULL || TlvScalar(moments, "sequences") < 1)
	{
		double too_short = moments != NULL ? TlvScalar(moments, "short") : 0;

		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the query returns no sequence of at least %d steps", TLV_WINDOW),
						too_short > 0 ? errdetail("%.0f sequences are shorter.", too_short) : 0));
	}
	frame = TlvFrame(moments);
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, tlv_hmm_fit(&work->ctx, &frame, &driver->options, &image, &size));
	model = TlvValue(image, size);
	TlvWorkEnd(work);
	return model;
}

static struct varlena *
refine_model(HmmDriver *driver, struct varlena *model)
{
	int limit = driver->iterations >= 0 ? driver->iterations : TLV_HMM_MAX_STEPS;
	char *expression = psprintf("%s.tlv_sequence_statistics(s, $1)", driver->rows.schema);
	double before = -HUGE_VAL;

	for (int step = 1; step <= limit; step++)
	{
		struct varlena *statistics =
			TlvRowSourcePass(&driver->rows, expression, NULL, "tlv_model", model);
		double now = TlvScalar(statistics, "log_likelihood") / TlvScalar(statistics, "steps");
		struct varlena *next = TlvUpdateModel(model, statistics);

		pfree(model);
		pfree(statistics);
		model = next;
		if (driver->iterations < 0 && now - before < TLV_HMM_TOLERANCE)
			break;
		before = now;
	}
	return model;
}

/* The model with what only the driver knows: passes, seconds. */
static struct varlena *
finish_model(HmmDriver *driver, struct varlena *model)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	tlv_frame frame = TlvFrame(model);
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_frame_builder *builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	tlv_diagnostics diagnostics = {0};
	struct varlena *result;

	TlvCheck(&work->ctx, tlv_diagnostics_copy(&work->ctx, &diagnostics, &frame, NULL));
	TlvRowSourceDiagnose(&driver->rows, &work->ctx, &diagnostics);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_HMM);
	tlv_frame_add_from(builder, &frame, replaced);
	tlv_diagnostics_add(&diagnostics, builder);
	result = TlvBuild(&work->ctx, builder);
	TlvWorkEnd(work);
	return result;
}

/* Arguments: query, k, refine, iterations, method, seed, restarts, steps */
static void
read_arguments(FunctionCallInfo fcinfo, HmmDriver *driver)
{
	char *refine = PG_ARGISNULL(2) ? "none" : text_to_cstring(PG_GETARG_TEXT_PP(2));

	driver->options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	driver->refine = strcmp(refine, "baum-welch") == 0;
	if (!driver->refine && strcmp(refine, "windows") != 0 && strcmp(refine, "none") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no refinement \"%.40s\"", refine),
						errhint("Use 'baum-welch', 'windows' or 'none'.")));
	driver->options.iterations = strcmp(refine, "none") == 0 ? 0 : TLV_CELL_ITERATIONS;
	driver->iterations = TlvIterationsArgument(fcinfo, 3, -1);
	driver->options.seed = TlvViewOptions(fcinfo, 4, &driver->options.decompose);
}

PG_FUNCTION_INFO_V1(tlv_hmm);

/* tlv_hmm(query, ...): see read_arguments */
Datum
tlv_hmm(PG_FUNCTION_ARGS)
{
	struct varlena *model;
	HmmDriver *driver;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(HmmDriver));
	read_arguments(fcinfo, driver);
	TlvRowSourceBegin(&driver->rows);
	TlvSequenceQueryOpen(&driver->rows, text_to_cstring(PG_GETARG_TEXT_PP(0)),
						 fcinfo->flinfo->fn_oid);
	model = fit_moments(driver);
	if (driver->refine)
		model = refine_model(driver, model);
	PG_RETURN_POINTER(TlvRowSourceEnd(&driver->rows, finish_model(driver, model)));
}
