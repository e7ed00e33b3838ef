/*
 * multiview_driver.c - tlv_multiview(query, ...): a mixture of the three views of a query in one
 * call: moments, fit, refinement; a loop over aggregate queries with the caller's rights.
 */
#include "multiview.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/old_query.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/model/multiview.h"
#include "rows/vector_query.h"

/* Passes of refinement at most, and steps on counts when their number is left to us. */
#define MOST_STEPS		100
#define MOST_CELL_STEPS 1000
/* Refinement that moves means by more, in standard deviations, fits another model. */
#define MOST_SHIFT 0.2

typedef struct ViewDriver
{
	TlvRowSource rows;
	tlv_multiview_options options;
	bool unsaid; /* whether to refine: categories yes, vectors no */
	bool refine;
	int32 iterations; /* -1: until the likelihood stands */
	bool vectors;
	double likelihood; /* mean over the rows, after refinement */
	bool stands;
	double shift; /* of the means of vectors by refinement, standard deviations */
} ViewDriver;

/* ---- the query ---- */

/* Whole numbers, or arrays of numbers; all three of one sort.  False: neither. */
static bool
are_views(TupleDesc desc, bool *vectors)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Oid type = getBaseType(TupleDescAttr(desc, i)->atttypid);
		Oid element = get_element_type(type);
		bool numbers = OidIsValid(element) && TlvIsNumberType(getBaseType(element));

		if ((!numbers && !TlvIsIntegerType(type)) || (i > 0 && numbers != *vectors))
			return false;
		*vectors = numbers;
	}
	return desc->natts == 3;
}

/* Refinement of vectors runs over the rows again and again: they must stay the same. */
static void
open_query(ViewDriver *driver, const char *query, Oid function)
{
	TlvRowSource *rows = &driver->rows;
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "views"), stored;
	const char *cast, *sql;

	if (!are_views(desc, &driver->vectors))
		TlvRefuseColumns(desc, "views",
						 "It must return (x1, x2, x3): three arrays of numbers, or three whole "
						 "numbers.");
	if (driver->unsaid)
		driver->refine = !driver->vectors;
	cast = driver->vectors ? "pg_catalog.float8[]" : "pg_catalog.int4";
	sql = psprintf("SELECT x1::%s AS x1, x2::%s AS x2, x3::%s AS x3 FROM (%s\n) AS q(x1, x2, x3)",
				   cast, cast, cast, rows->query);
	if (!driver->refine || !driver->vectors || TlvTextRepeatable(rows->query))
	{
		MemoryContextSwitchTo(rows->mcxt);
		rows->source = psprintf("FROM (%s) AS v", sql);
		return;
	}
	MemoryContextSwitchTo(rows->mcxt);
	stored = CreateTemplateTupleDesc(3);
	for (int t = 0; t < 3; t++)
		TupleDescInitEntry(stored, (AttrNumber) (t + 1), psprintf("x%d", t + 1), FLOAT8ARRAYOID, -1,
						   0);
	TlvRowSourceStoreRows(rows, sql, stored);
}

/* ---- refinement ---- */

/*
 * Expectation maximisation over rows of vectors, a pass a step; one more pass tells the
 * likelihood at the end.
 */
static struct varlena *
refine_vectors(ViewDriver *driver, struct varlena *fitted)
{
	struct varlena *model = fitted, *next;
	int32 limit = driver->iterations >= 0 ? driver->iterations : MOST_STEPS;
	char *expression = psprintf("%s.tlv_statistics(x1, x2, x3, $1)", driver->rows.schema);
	double before = -HUGE_VAL;

	for (int32 step = 0;; step++)
	{
		struct varlena *statistics =
			TlvRowSourceAgain(&driver->rows, expression, "tlv_model", model);

		driver->likelihood =
			TlvScalar(statistics, "log_likelihood") / fmax(TlvScalar(statistics, "rows"), 1);
		driver->stands = driver->likelihood - before < TLV_GMM_TOLERANCE * (fabs(before) + 1);
		if (step >= limit || (driver->iterations < 0 && driver->stands))
			return model;
		before = driver->likelihood;
		next = TlvUpdateModel(model, statistics);
		pfree(statistics);
		if (model != fitted)
			pfree(model);
		model = next;
	}
}

/*
 * How far the means have moved: of the components, the largest distance over the standard deviation
 * of all coordinates together.
 */
static double
measure_shift(struct varlena *before, struct varlena *after)
{
	tlv_frame a = TlvFrame(before), b = TlvFrame(after);
	TlvWork *work = TlvWorkBegin("tensorlv match");
	tlv_multiview_parts fitted, refined;
	double *error, largest = 0;
	int64_t *assignment;

	tlv_multiview_read(&a, &fitted);
	tlv_multiview_read(&b, &refined);
	assignment = MemoryContextAlloc(work->mcxt, refined.k * sizeof(int64_t));
	error = MemoryContextAlloc(work->mcxt, refined.k * sizeof(double));
	TlvCheck(&work->ctx, tlv_multiview_match(&work->ctx, &refined, &fitted, assignment, error));
	for (size_t j = 0; j < refined.k; j++)
	{
		double variance = 0;

		for (int t = 0; t < 3; t++)
			for (size_t i = 0; i < refined.d[t]; i++)
				variance += refined.variances[t][j * refined.d[t] + i];
		largest = fmax(largest, error[j] / sqrt(variance));
	}
	TlvWorkEnd(work);
	return largest;
}

/* ---- the model with what only the driver knows ---- */

/*
 * Copies what is no warning, where the model was refined: warnings of a start do not hold for what
 * came of it.  What EM on counts has said of the likelihood is taken note of.
 */
static void
copy_diagnostics(tlv_context *ctx, ViewDriver *driver, const tlv_frame *model,
				 tlv_diagnostics *diagnostics)
{
	const tlv_section *names = tlv_frame_find(model, "diagnostic_names");
	const double *values = tlv_frame_float64(model, "diagnostics");
	const char *at = tlv_section_data(model, names), *end = at + names->rows;

	for (size_t i = 0; at < end; i++)
	{
		const char *stop = memchr(at, '\n', (size_t) (end - at));

		if (strncmp(at, "mean_log_likelihood\n", 20) == 0)
			driver->likelihood = values[i];
		if (strncmp(at, "count_stands\n", 13) == 0)
			driver->stands = values[i] > 0;
		if (!driver->refine || strncmp(at, "warning: ", 9) != 0)
			TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, values[i], "%.*s", (int) (stop - at), at));
		at = stop + 1;
	}
}

/* Components at their floors, or without rows; a likelihood that still rises. */
static void
add_warnings(tlv_context *ctx, const ViewDriver *driver, const tlv_multiview_parts *parts,
			 tlv_diagnostics *diagnostics)
{
	size_t low = 0, empty = 0;

	for (size_t j = 0; j < parts->k; j++)
	{
		bool at_floor = false;

		for (int t = 0; t < 3 && driver->vectors; t++)
			for (size_t i = 0; i < parts->d[t]; i++)
				at_floor |= parts->variances[t][j * parts->d[t] + i] <= parts->floors[t][i];
		low += at_floor;
		empty += parts->weights[j] * parts->rows < 1;
	}
	if (driver->shift > MOST_SHIFT)
		TlvCheck(ctx,
				 tlv_diagnose(ctx, diagnostics, driver->shift,
							  "warning: refinement moved means by so many standard deviations: "
							  "the moments are uncertain, or the numbers of a view are no "
							  "independent Gaussians given the component; refine => 'none' "
							  "does not assume that they are"));
	if (low > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, (double) low,
								   "warning: variances of so many components are at their floor, "
								   "a millionth of the data's: constant columns or equal rows"));
	if (empty > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, (double) empty,
								   "warning: so many components have less than one row: use a "
								   "smaller k"));
	if (driver->refine && driver->iterations < 0 && !driver->stands)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, driver->vectors ? MOST_STEPS : MOST_CELL_STEPS,
								   "warning: the likelihood still rises after so many steps"));
}

static void
add_criteria(tlv_context *ctx, const ViewDriver *driver, const tlv_multiview_parts *parts,
			 tlv_diagnostics *diagnostics)
{
	double parameters = tlv_multiview_parameters(parts);
	double deviance = -2 * parts->rows * driver->likelihood;

	if (driver->vectors)
	{
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, driver->likelihood, "mean_log_likelihood"));
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, driver->shift, "refinement_shift"));
	}
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, parameters * log(parts->rows) + deviance, "bic"));
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, 2 * parameters + deviance, "aic"));
}

static struct varlena *
finish_model(ViewDriver *driver, struct varlena *model)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	tlv_frame frame = TlvFrame(model);
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_frame_builder *builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	tlv_diagnostics diagnostics = {0};
	tlv_context *ctx = &work->ctx;
	tlv_multiview_parts parts;
	struct varlena *result;

	tlv_multiview_read(&frame, &parts);
	copy_diagnostics(ctx, driver, &frame, &diagnostics);
	if (driver->refine)
		add_criteria(ctx, driver, &parts, &diagnostics);
	add_warnings(ctx, driver, &parts, &diagnostics);
	TlvRowSourceDiagnose(&driver->rows, ctx, &diagnostics);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_MULTIVIEW);
	tlv_frame_add_from(builder, &frame, replaced);
	tlv_diagnostics_add(&diagnostics, builder);
	result = TlvBuild(ctx, builder);
	TlvWorkEnd(work);
	return result;
}

/* ---- the call ---- */

/* Arguments: query, k, refine, iterations, method, seed, restarts, steps */
static void
read_arguments(FunctionCallInfo fcinfo, ViewDriver *driver)
{
	char *refine = PG_ARGISNULL(2) ? "em" : text_to_cstring(PG_GETARG_TEXT_PP(2));

	driver->options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	driver->unsaid = PG_ARGISNULL(2);
	driver->refine = strcmp(refine, "em") == 0;
	if (!driver->refine && strcmp(refine, "none") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no refinement \"%.40s\"", refine),
						errhint("Use 'em' or 'none'.")));
	driver->iterations = TlvIterationsArgument(fcinfo, 3, -1);
	driver->options.seed = TlvDecomposeOptions(fcinfo, 4, &driver->options.decompose);
	if (driver->refine)
		driver->options.iterations = driver->iterations >= 0 ? driver->iterations : MOST_CELL_STEPS;
}

/* The model in the driver's memory; NULL without rows. */
static struct varlena *
run(ViewDriver *driver, const char *query, Oid function)
{
	struct varlena *moments, *model, *fitted;

	open_query(driver, query, function);
	moments = TlvRowSourcePass(&driver->rows,
							   psprintf("%s.tlv_view_moments(x1, x2, x3)", driver->rows.schema),
							   NULL, NULL, NULL);
	if (moments == NULL)
		return NULL;
	model = fitted = TlvViewFit(moments, &driver->options);
	if (driver->refine && driver->vectors)
	{
		model = refine_vectors(driver, fitted);
		driver->shift = measure_shift(fitted, model);
	}
	return finish_model(driver, model);
}

PG_FUNCTION_INFO_V1(tlv_multiview);

/* tlv_multiview(query, ...): see read_arguments */
Datum
tlv_multiview(PG_FUNCTION_ARGS)
{
	struct varlena *model;
	ViewDriver *driver;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(ViewDriver));
	read_arguments(fcinfo, driver);
	TlvRowSourceBegin(&driver->rows);
	model = run(driver, text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo->flinfo->fn_oid);
	model = TlvRowSourceEnd(&driver->rows, model);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}
