/*
 * tree_driver.c - tlv_tree(query, ...): a latent tree from the text of a query, in one call: rows,
 * moments, structure, triples where the moments had none, refinement steps; a loop over aggregate
 * queries with the caller's rights.
 */
#include "tree.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "server/old_query.h"
#include "server/row_source.h"
#include "rows/vector_query.h"

/* Steps of belief-propagation EM, unless said otherwise, and when they stop before: the likelihood
 * of a row, per variable, rises by less. */
#define USUAL_STEPS 10
#define TOLERANCE	1e-5

static const char *const accepted =
	"It must return (row, variable, value), variables by text or whole numbers, or one column of "
	"arrays: integer[] of categories, numbered from 0, or float8[].";

typedef struct TreeDriver
{
	TlvRowSource rows;
	tlv_tree_learn_options options;
	bool gaussian;
	size_t replicates;
	int iterations;		 /* -1: until the likelihood stands, USUAL_STEPS at most */
	const char *columns; /* names given to those of the long form */
} TreeDriver;

/* ---- rows ---- */

typedef enum TreeForm
{
	FORM_NONE,
	FORM_CATEGORIES,
	FORM_NUMBERS
} TreeForm;

static TreeForm
form_of(Oid type)
{
	Oid base = getBaseType(type);

	if (TlvIsIntegerType(base) || base == BOOLOID)
		return FORM_CATEGORIES;
	return TlvIsNumberType(base) ? FORM_NUMBERS : FORM_NONE;
}

static bool
is_variable(TupleDesc desc, int column)
{
	Oid type = getBaseType(TupleDescAttr(desc, column)->atttypid);

	return TlvIsTextType(type) || TlvIsIntegerType(type);
}

/*
 * (row, variable, value).  Where only the first can be a variable, as in (stock, day, return), the
 * second is the row.  Returns the variable's column, -1 when there is none.
 */
static int
order_columns(TreeDriver *driver, TupleDesc desc)
{
	int variable = is_variable(desc, 1) ? 1 : 0;

	driver->columns = variable == 1 ? "r, variable, value" : "variable, r, value";
	return is_variable(desc, variable) ? variable : -1;
}

/* What the rows are; kind may make numbers of whole ones. */
static void
recognize_kind(TreeDriver *driver, TupleDesc desc, const char *kind)
{
	Oid last = TupleDescAttr(desc, desc->natts - 1)->atttypid;
	TreeForm form = FORM_NONE;

	if (desc->natts == 1)
	{
		Oid element = get_element_type(getBaseType(last));

		form = OidIsValid(element) ? form_of(element) : FORM_NONE;
	}
	else if (desc->natts == 3 && order_columns(driver, desc) >= 0)
		form = form_of(last);
	if (form == FORM_NONE)
		TlvRefuseColumns(desc, "rows of variables", accepted);
	driver->gaussian = form == FORM_NUMBERS;
	if (kind == NULL)
		return;
	if (strcmp(kind, "gaussian") == 0)
		driver->gaussian = true;
	else if (strcmp(kind, "categorical") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no kind of tree \"%.40s\"", kind),
						errhint("Use 'categorical' or 'gaussian'.")));
	else if (driver->gaussian)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the query returns numbers, which are no categories"),
						errhint("Number the categories from 0 and cast them to integer.")));
}

/* The names of the variables as the literal of a text[]; *n gets their number. */
static char *
collect_names(TreeDriver *driver, bool text, int *n)
{
	TlvRowSource *rows = &driver->rows;
	Datum *names;
	char **strings;

	TlvRunQuery(psprintf("SELECT variable::pg_catalog.text FROM (SELECT DISTINCT variable FROM "
						 "(%s\n) AS q(%s) WHERE variable IS NOT NULL) AS d ORDER BY d.variable%s",
						 rows->query, driver->columns,
						 text ? "::pg_catalog.text COLLATE pg_catalog.\"C\"" : ""),
				0, NULL, NULL);
	MemoryContextSwitchTo(rows->mcxt);
	rows->passes++;
	if (SPI_processed > TLV_CATEGORY_MOST_VARIABLES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the query returns " UINT64_FORMAT " variables, more than %d",
							   (uint64) SPI_processed, TLV_CATEGORY_MOST_VARIABLES)));
	*n = (int) SPI_processed;
	names = palloc((Size) Max(*n, 1) * sizeof(Datum));
	strings = palloc((Size) Max(*n, 1) * sizeof(char *));
	for (int i = 0; i < *n; i++)
	{
		strings[i] = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
		names[i] = CStringGetTextDatum(strings[i]);
	}
	SPI_freetuptable(SPI_tuptable);
	if (*n == 0)
		return NULL;
	driver->options.fit.names =
		TlvTreeNames((size_t) *n, strings, &driver->options.fit.names_length);
	return quote_literal_cstr(OidOutputFunctionCall(
		F_ARRAY_OUT,
		PointerGetDatum(construct_array(names, *n, TEXTOID, -1, false, TYPALIGN_INT))));
}

/* (row, variable, value) rows as one array each. */
static char *
pivot_query(TreeDriver *driver, TupleDesc desc)
{
	TlvRowSource *rows = &driver->rows;
	int variable = order_columns(driver, desc);
	bool text = TlvIsTextType(getBaseType(TupleDescAttr(desc, variable)->atttypid));
	int n;
	char *names = collect_names(driver, text, &n);

	if (names == NULL)
		return NULL;
	return psprintf(
		"SELECT %s.%s(v.at::pg_catalog.int4, q.value::%s, %d) AS v FROM (%s\n) AS q(%s) "
		"JOIN pg_catalog.unnest(%s::pg_catalog.text[]) WITH ORDINALITY "
		"AS v(name, at) ON v.name OPERATOR(pg_catalog.=) q.variable::pg_catalog.text "
		"COLLATE pg_catalog.\"C\" WHERE q.r IS DISTINCT FROM NULL GROUP BY q.r",
		rows->schema, driver->gaussian ? "tlv_number_row" : "tlv_category_row",
		driver->gaussian ? "pg_catalog.float8" : "pg_catalog.int4", n, rows->query, driver->columns,
		names);
}

/* Prepares passes over arrays v; false when there are no rows. */
static bool
open_rows(TreeDriver *driver, const char *query, Oid function, const char *kind)
{
	TlvRowSource *rows = &driver->rows;
	TupleDesc desc = TlvRowSourceProbe(rows, query, function, "rows of variables");
	const char *type;
	char *sql;

	recognize_kind(driver, desc, kind);
	type = driver->gaussian ? "pg_catalog.float8[]" : "pg_catalog.int4[]";
	if (desc->natts == 3)
	{
		if (driver->options.distance.groups > 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("groups are of the elements of arrays"),
							errhint("Let the query return one array for each row.")));
		sql = pivot_query(driver, desc);
		if (sql == NULL)
			return false;
	}
	else
		sql = psprintf("SELECT v::%s AS v FROM (%s\n) AS q(v)", type, rows->query);
	if (desc->natts == 1 && TlvTextRepeatable(rows->query))
	{
		MemoryContextSwitchTo(rows->mcxt);
		rows->source = psprintf("FROM (%s) AS q", sql);
	}
	else
		TlvRowSourceStore(rows, sql, "v", driver->gaussian ? FLOAT8ARRAYOID : INT4ARRAYOID);
	MemoryContextSwitchTo(rows->mcxt);
	return true;
}

/* ---- passes ---- */

static struct varlena *
collect_moments(TreeDriver *driver)
{
	TlvRowSource *rows = &driver->rows;

	if (driver->gaussian) /* no covariance of what is missing: whole rows only */
		return TlvRowSourcePass(rows, psprintf("%s.tlv_dense_moments(v, 2)", rows->schema),
								"pg_catalog.array_position(v, NULL) IS NULL", NULL, NULL);
	if (driver->replicates > 0)
		return TlvRowSourcePass(rows,
								psprintf("%s.tlv_category_moments(v, %zu, " UINT64_FORMAT ")",
										 rows->schema, driver->replicates,
										 (uint64) driver->options.fit.seed),
								NULL, NULL, NULL);
	return TlvRowSourcePass(rows, psprintf("%s.tlv_category_moments(v)", rows->schema), NULL, NULL,
							NULL);
}

/* Rows that were left out, because a number was missing in them. */
static double
count_partial_rows(TreeDriver *driver)
{
	char *sql = psprintf("SELECT pg_catalog.count(*)::pg_catalog.float8 %s WHERE "
						 "pg_catalog.array_position(v, NULL) IS NOT NULL",
						 driver->rows.source);
	bool isnull;
	double result;

	TlvRunQuery(sql, 0, NULL, NULL);
	result =
		DatumGetFloat8(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	SPI_freetuptable(SPI_tuptable);
	MemoryContextSwitchTo(driver->rows.mcxt);
	return result;
}

static struct varlena *
pass_statistics(TreeDriver *driver, struct varlena *model)
{
	struct varlena *statistics =
		TlvRowSourcePass(&driver->rows, psprintf("%s.tlv_statistics(v, $1)", driver->rows.schema),
						 NULL, "tlv_model", model);

	if (statistics == NULL)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("the query returned rows once and none when it was run again"),
						errhint("A function in it gives other results each time although it is not "
								"declared VOLATILE.")));
	return statistics;
}

static bool
has_parameters(struct varlena *model)
{
	tlv_frame frame = TlvFrame(model);

	return tlv_frame_find(&frame, "tables") != NULL;
}

/* Tables of triples where the moments had none, then steps until the likelihood stands. */
static struct varlena *
refine_model(TreeDriver *driver, struct varlena *model)
{
	int limit = driver->iterations >= 0 ? driver->iterations : USUAL_STEPS;
	double before = -HUGE_VAL;
	tlv_frame frame;

	if (!has_parameters(model))
		model = TlvUpdateModel(model, pass_statistics(driver, model));
	for (int step = 0; step < limit; step++)
	{
		struct varlena *statistics = pass_statistics(driver, model);
		double likelihood, variables;

		frame = TlvFrame(statistics);
		likelihood = tlv_frame_scalar(&frame, "log_likelihood", 0) /
					 fmax(tlv_frame_scalar(&frame, "rows", 0), 1);
		frame = TlvFrame(model);
		variables = tlv_frame_scalar(&frame, "observed", 1);
		model = TlvUpdateModel(model, statistics);
		pfree(statistics);
		if (driver->iterations < 0 && likelihood - before < TOLERANCE * variables)
			break;
		before = likelihood;
	}
	return model;
}

/* ---- the model with what only the driver knows ---- */

static struct varlena *
finish_model(TreeDriver *driver, struct varlena *model, double partial)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_context *ctx = &work->ctx;
	tlv_frame frame = TlvFrame(model);
	tlv_diagnostics diagnostics = {0};
	tlv_frame_builder builder;
	struct varlena *result;

	TlvCheck(ctx, tlv_diagnostics_copy(ctx, &diagnostics, &frame, NULL));
	if (partial > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, partial,
								   "warning: so many rows were left out, since a number is missing "
								   "in them"));
	TlvRowSourceDiagnose(&driver->rows, ctx, &diagnostics);
	tlv_frame_begin(&builder, TLV_FRAME_MODEL, TLV_KIND_TREE);
	tlv_frame_add_from(&builder, &frame, replaced);
	tlv_diagnostics_add(&diagnostics, &builder);
	result = TlvBuild(ctx, &builder);
	TlvWorkEnd(work);
	return result;
}

static struct varlena *
fit_rows(TreeDriver *driver)
{
	struct varlena *moments = collect_moments(driver), *model;
	double partial = driver->gaussian ? count_partial_rows(driver) : 0;

	if (moments == NULL)
	{
		if (partial > 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("in every one of the %.0f rows a number is missing", partial),
							errhint("Leave out the variables that are rarely known.")));
		return NULL;
	}
	if (driver->gaussian)
		driver->options.replicates = driver->replicates;
	model = TlvTreeFit(moments, &driver->options);
	pfree(moments);
	if (!driver->gaussian)
		model = refine_model(driver, model);
	return finish_model(driver, model, partial);
}

PG_FUNCTION_INFO_V1(tlv_tree_sql);

/*
 * tlv_tree(query, states, structure, z, metric, shrinkage, significance, observed_inside,
 * regularise, groups, kind, bootstrap, iterations, seed)
 */
Datum
tlv_tree_sql(PG_FUNCTION_ARGS)
{
	TreeDriver driver = {.iterations = -1};
	tlv_tree_fit_options *fit = &driver.options.fit;
	struct varlena *model = NULL;
	char *kind;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvTreeOptions(fcinfo, 1, &driver.options);
	TlvTreeGroups(fcinfo, 9, &driver.options.distance);
	kind = PG_ARGISNULL(10) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(10));
	if (!PG_ARGISNULL(11))
		driver.replicates = TlvCountArgument(fcinfo, 11, "bootstrap", 0);
	if (!PG_ARGISNULL(12))
		driver.iterations = (int) TlvCountArgument(fcinfo, 12, "iterations", 0);
	fit->iterations = driver.iterations < 0 ? TLV_TREE_GAUSSIAN_STEPS : driver.iterations;
	fit->seed = fit->decompose.seed = TlvSeedArgument(fcinfo, 13);
	TlvRowSourceBegin(&driver.rows);
	if (open_rows(&driver, text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo->flinfo->fn_oid, kind))
		model = fit_rows(&driver);
	model = TlvRowSourceEnd(&driver.rows, model);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}
