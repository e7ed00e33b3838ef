/*
 * hmm_driver.c - tlv_hmm(query, ...): a hidden Markov model from the text of a
 * query, in one call: sequences, moments of their windows, fit, Baum-Welch
 * steps until the likelihood stands.
 */
#include "multiview.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "tensorlv/model/hmm.h"
#include "tensorlv/model/multiview.h"

typedef struct HmmDriver
{
	TlvRowSource rows;
	tlv_hmm_options options;
	bool refine;
	int32 iterations; /* -1: until the likelihood stands */
	int stopped;	  /* after so many steps, though it did not stand; 0: it did */
	double growth;	  /* of the log-likelihood per step of time, then */
} HmmDriver;

/* NULL when the query returns no sequence. */
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

		if (too_short == 0)
			return NULL;
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the query returns no sequence of at least %d steps", TLV_WINDOW),
						errdetail("%.0f sequences are shorter.", too_short)));
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
	bool until = driver->iterations < 0;
	int limit = until ? TLV_HMM_MAX_STEPS : driver->iterations;
	char *expression = psprintf("%s.tlv_sequence_statistics(s, $1)", driver->rows.schema);
	double before = -HUGE_VAL;

	for (int step = 1; step <= limit; step++)
	{
		struct varlena *statistics =
			TlvRowSourceAgain(&driver->rows, expression, "tlv_model", model);
		double now = TlvScalar(statistics, "log_likelihood") / TlvScalar(statistics, "steps");
		struct varlena *next = TlvUpdateModel(model, statistics);

		pfree(model);
		pfree(statistics);
		model = next;
		if (until && now - before < TLV_HMM_TOLERANCE)
			return model;
		driver->growth = now - before;
		before = now;
	}
	driver->stopped = until ? limit : 0;
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
	if (driver->stopped > 0)
		TlvCheck(&work->ctx,
				 tlv_diagnose(&work->ctx, &diagnostics, driver->growth,
							  "warning: Baum-Welch stopped at its limit of %d steps, while the "
							  "log-likelihood per step of time still grew: more iterations help",
							  driver->stopped));
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
	driver->options.seed = TlvDecomposeOptions(fcinfo, 4, &driver->options.decompose);
}

/*
 * Arrays of long sequences are stored out of line: their table looks small, and the planner
 * would not give it workers, however much a row costs.  Until AtEOXact_GUC, as after an error.
 */
static int
begin_small_tables(void)
{
	int level = NewGUCNestLevel();

	(void) set_config_option("min_parallel_table_scan_size", "0", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

PG_FUNCTION_INFO_V1(tlv_hmm);

/* tlv_hmm(query, ...): see read_arguments */
Datum
tlv_hmm(PG_FUNCTION_ARGS)
{
	struct varlena *model;
	HmmDriver *driver;
	int level;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(HmmDriver));
	read_arguments(fcinfo, driver);
	TlvRowSourceBegin(&driver->rows);
	TlvSequenceQueryOpen(&driver->rows, text_to_cstring(PG_GETARG_TEXT_PP(0)),
						 fcinfo->flinfo->fn_oid);
	level = begin_small_tables();
	model = fit_moments(driver);
	if (driver->refine && model != NULL)
		model = refine_model(driver, model);
	AtEOXact_GUC(true, level);
	model = TlvRowSourceEnd(&driver->rows, model != NULL ? finish_model(driver, model) : NULL);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}
