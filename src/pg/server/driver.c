/*
 * driver.c - the one driver (driver.h).
 */
#include "driver_internal.h"

#include "arguments.h"
#include "fit.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

TlvDriver *
TlvDriverBegin(FunctionCallInfo fcinfo)
{
	MemoryContext mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "tensorlv driver", ALLOCSET_DEFAULT_SIZES);
	TlvDriver *driver = MemoryContextAllocZero(mcxt, sizeof(TlvDriver));

	INSTR_TIME_SET_CURRENT(driver->start);
	MemoryContextSwitchTo(mcxt);
	driver->mcxt = mcxt;
	driver->values = AllocSetContextCreate(mcxt, "tensorlv values", ALLOCSET_DEFAULT_SIZES);
	driver->work = TlvWorkBegin("tensorlv fit");
	driver->ctx = &driver->work->ctx;
	driver->function = fcinfo->flinfo->fn_oid;
	if (!TlvArgumentIsNull(fcinfo, "weights"))
		driver->weights = TextDatumGetCString(TlvNamedValue(fcinfo, "weights"));
	if (!TlvArgumentIsNull(fcinfo, "k"))
		driver->k = DatumGetInt32(TlvNamedValue(fcinfo, "k"));
	return driver;
}

void
TlvDriverEnd(TlvDriver *driver)
{
	MemoryContextSwitchTo(MemoryContextGetParent(driver->mcxt));
	for (int source = TLV_SOURCES; source-- > 0;)
		if (driver->rows[source].query != NULL)
			TlvQueryClose(driver->rows[source].query);
	MemoryContextDelete(driver->mcxt);
}

void
TlvPassBegins(TlvDriver *driver, int passes_left, const char *stage, const char *statement)
{
	TlvProgressPass(++driver->passes, passes_left, stage);
	elog(DEBUG1, "tensorlv: pass %d: %s", driver->passes, statement);
}

void
TlvDriverReport(TlvDriver *driver, const char *what)
{
	TlvPassBegins(driver, 0, what, what);
}

/* ---- rows ---- */

TlvSource *
TlvSourceOpen(TlvDriver *driver, int source, const char *text, const char *what)
{
	TlvSource *rows = &driver->rows[source];

	rows->driver = driver;
	rows->query =
		TlvQueryOpen(text, driver->function, what, source > 0 ? driver->rows[0].query : NULL);
	if (driver->weights != NULL && source == 0)
		TlvSourceWeigh(rows, what);
	TlvStatementBegin(&rows->made, rows->query);
	return rows;
}

void
TlvSourceColumn(TlvSource *rows, const char *name, Oid type)
{
	rows->columns[rows->n] = name;
	rows->types[rows->n++] = type;
}

static void
rows_settle(TlvSource *rows)
{
	TlvStatement statement;

	TlvStatementLike(&statement, &rows->made);
	appendStringInfo(&statement.sql, "SELECT %s", rows->columns[0]);
	TlvSourceFrom(rows, &statement);
	TlvSourceAppendOrder(rows, &statement, &statement.sql);
	(void) TlvStatementStore(&statement, rows->n, rows->columns, rows->types, 0);
}

static void
take_marked(void *argument, TupleTableSlot *slot)
{
	TlvSource *rows = argument;

	if (!slot->tts_isnull[0])
		rows->marked += (double) DatumGetInt64(slot->tts_values[0]);
}

/* What is stored has a column more, which is read here alone. */
static void
rows_store_marked(TlvSource *rows)
{
	TlvStatement statement = rows->made;
	const Oid type = INT8OID;

	TlvSourceColumn(rows, rows->marks, type);
	(void) TlvStatementStore(&statement, rows->n, rows->columns, rows->types, 0);
	rows->n--;
	rows->marked = 0;
	TlvStatementLike(&statement, &rows->made);
	appendStringInfo(&statement.sql, "SELECT %s", rows->marks);
	TlvSourceFrom(rows, &statement);
	(void) TlvStatementRun(&statement, 1, &type, take_marked, rows);
}

/* Once: to a tuple store.  A query that may return other rows the next time is run by itself, so
 * that the nulls of its columns are counted in the rows that are stored. */
void
TlvSourceStore(TlvSource *rows)
{
	bool hold = rows->query->held == NULL && !TlvQueryRepeatable(rows->query);
	TlvStatement statement = rows->made;

	TlvDriverReport(rows->driver, "storing the rows");
	if (hold)
		TlvQueryHold(rows->query);
	if (rows->form == TLV_ROW_BAG)
		rows_settle(rows);
	else if (rows->marks != NULL)
		rows_store_marked(rows);
	else
		(void) TlvStatementStore(&statement, rows->n, rows->columns, rows->types, 0);
	if (hold)
		TlvQueryRelease(rows->query);
}

/* Bytes of the subspace or model that the pass sends to every server. */
static double
pass_sends(const tlv_pass *pass)
{
	double bytes = 0;

	for (size_t i = 0; i < pass->n; i++)
		if (pass->statistics[i].constant != NULL)
			bytes = Max(bytes, (double) pass->statistics[i].constant->header->size);
	return bytes;
}

static void
take_weight(void *argument, TupleTableSlot *slot)
{
	if (!slot->tts_isnull[0])
		*(double *) argument = DatumGetFloat8(slot->tts_values[0]);
}

/*
 * Whether the rows take more than that, by their own servers, where these answer: then no row need
 * come to find it out.  postgres_fdw does not ask them, as pg_column_size is not immutable.
 */
static bool
rows_weigh_more(TlvSource *rows, double most)
{
	const Oid type = FLOAT8OID;
	TlvStatement statement;
	double bytes = 0;

	TlvSourceBegin(rows, &statement);
	appendStringInfoString(&statement.sql, "SELECT (");
	for (int i = 0; i < rows->n; i++)
		appendStringInfo(&statement.sql,
						 "%sCOALESCE(pg_catalog.sum(pg_catalog.pg_column_size(%s)), "
						 "0::pg_catalog.int8)",
						 i > 0 ? " OPERATOR(pg_catalog.+) " : "", rows->columns[i]);
	appendStringInfoString(&statement.sql, ")::pg_catalog.float8");
	TlvSourceFrom(rows, &statement);
	return TlvStatementRun(&statement, 1, &type, take_weight, &bytes) && bytes > most;
}

/*
 * The one rule of rows against states, for every engine: rows that take less than the model that
 * would have to travel to them, and to every other server, in every pass come once.
 */
void
TlvSourceFetchIfLess(TlvSource *rows, const tlv_pass *pass)
{
	/* Less than this is sent without a look at the rows. */
	const double sent_lightly = 0x1p20;
	TlvStatement statement = rows->made;
	double sent = pass_sends(pass) * Max(list_length(rows->query->parts), 1);

	if (!rows->elsewhere || !rows->shippable || rows->once || rows->weighed ||
		rows->query->store != NULL || sent < sent_lightly)
		return;
	rows->weighed = true;
	TlvDriverReport(rows->driver, "storing the rows");
	if (!rows_weigh_more(rows, sent) &&
		TlvStatementStore(&statement, rows->n, rows->columns, rows->types, sent) &&
		rows->form == TLV_ROW_BAG)
		rows_settle(rows);
}

/*
 * They are stored in that of their contents.  One other server sorts its own where they are;
 * several would give theirs one server after the other.
 */
void
TlvSourceRequireOrder(TlvSource *rows, const tlv_pass *pass)
{
	bool several = list_length(rows->query->parts) > 1;

	if (rows->query->store != NULL || !TlvSourceNeedsOrder(rows, pass))
		return;
	if (several || (rows->form == TLV_ROW_BAG && !rows->foreign))
		TlvSourceStore(rows);
}

void
TlvSourceHold(TlvSource *rows)
{
	if (rows->query->held != NULL || TlvQueryRepeatable(rows->query))
		return;
	TlvDriverReport(rows->driver, "running the query");
	TlvQueryHold(rows->query);
}

static bool
rows_are_split(TlvSource *rows)
{
	TlvStatement statement;

	TlvSourceBegin(rows, &statement);
	appendStringInfo(&statement.sql, "SELECT pg_catalog.count(%s)", rows->columns[0]);
	TlvSourceFrom(rows, &statement);
	return TlvStatementIsSplit(&statement);
}

void
TlvSourceReady(TlvSource *rows, TlvSourceUse use)
{
	rows->shippable = use != TLV_SOURCE_MADE;
	rows->once = use == TLV_SOURCE_ONCE;
	if (use == TLV_SOURCE_MADE ||
		(use == TLV_SOURCE_AGAIN &&
		 (TlvStatementIsVolatile(&rows->made) || !TlvQueryRepeatable(rows->query))))
		TlvSourceStore(rows);
	else
		rows->split = rows_are_split(rows);
}

void
TlvSourceBegin(TlvSource *rows, TlvStatement *statement)
{
	TlvStatementLike(statement, &rows->made);
	statement->small_scan = rows->small_scan;
	statement->shipped = rows->shippable && rows->query->store == NULL;
}

void
TlvSourceFrom(TlvSource *rows, TlvStatement *statement)
{
	if (rows->query->store != NULL)
		appendStringInfoString(&statement->sql, " FROM " TLV_STORED_ROWS);
	else
		appendStringInfo(&statement->sql, " FROM (%s) AS v", rows->made.sql.data);
}

/* With what the readers have found out. */
tlv_source *
TlvDriverSource(TlvDriver *driver)
{
	for (int number = 0; number < TLV_SOURCES; number++)
	{
		const TlvSource *rows = &driver->rows[number];
		tlv_source *source = &driver->sources[number].source;

		*source = (tlv_source){.pass = TlvSourcePass,
							   .pieces = TlvSourcePieces,
							   .rows = {.form = rows->form,
										.width = {rows->width[0], rows->width[1], rows->width[2]},
										.names = rows->names,
										.lacking = rows->lacking,
										.skipped_columns = rows->skipped_columns,
										.skipped = rows->skipped_n,
										.skipped_hint = rows->skipped_hint,
										.same_time = rows->marked,
										.passes = driver->passes}};
		driver->sources[number].driver = driver;
		driver->sources[number].number = number;
	}
	if (driver->rows[1].query != NULL)
		driver->sources[0].source.labels = &driver->sources[1].source;
	MemoryContextSwitchTo(driver->mcxt);
	return &driver->sources[0].source;
}

/* Ends the driver; the model, or NULL (TlvFailed). */
static Datum
driver_return(FunctionCallInfo fcinfo, TlvDriver *driver, tlv_status status, void *image,
			  size_t size)
{
	struct varlena *model = NULL;
	tlv_error *error = &driver->ctx->error;
	tlv_frame frame;

	if (status != TLV_OK)
	{
		const char *nulls = driver->rows[0].null_columns;
		const char *named = TlvNameNumber(&driver->rows[0], error->message);

		if (error->code == TLV_NO_ROWS && nulls != NULL && nulls[0] != '\0' &&
			error->detail[0] != '\0')
			snprintf(error->detail + strlen(error->detail),
					 sizeof(error->detail) - strlen(error->detail), " Nulls are in %s.", nulls);
		if (named != error->message)
			strlcpy(error->message, named, sizeof(error->message));
		TlvFailed(fcinfo, driver->ctx);
	}
	else
	{
		MemoryContextSwitchTo(MemoryContextGetParent(driver->mcxt));
		TlvCheck(driver->ctx, tlv_model_round(driver->ctx, image, size));
		TlvCheck(driver->ctx, tlv_frame_open(driver->ctx, image, size, &frame));
		TlvRaiseWarnings(&frame, NULL);
		model = TlvValue(image, size);
	}
	TlvDriverEnd(driver);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}

bool
TlvWantsErrors(FunctionCallInfo fcinfo)
{
	return !TlvArgumentIsNull(fcinfo, "errors") && TlvNamedFlag(fcinfo, "errors");
}

void
TlvDriverCheck(TlvDriver *driver, const tlv_procedure *procedure, const void *options)
{
	if (procedure->check != NULL)
		TlvCheck(driver->ctx, procedure->check(driver->ctx, options));
}

void
TlvDriverRunProcedure(TlvDriver *driver, const tlv_procedure *procedure, const void *options,
					  tlv_held *model)
{
	TlvCheck(driver->ctx,
			 tlv_learn(driver->ctx, procedure, options, TlvDriverSource(driver), false, model));
}

Datum
TlvDriverLearn(FunctionCallInfo fcinfo, TlvDriver *driver, const tlv_procedure *procedure,
			   const void *options)
{
	bool errors = TlvWantsErrors(fcinfo);
	tlv_source *source = TlvDriverSource(driver);
	tlv_held model = {0};
	tlv_status status = driver->weights != NULL ? TlvHoldWeighted(driver, source) : TLV_OK;

	if (status == TLV_OK)
		status = tlv_learn(driver->ctx, procedure, options, source, errors, &model);

	return driver_return(fcinfo, driver, status, model.image, model.size);
}
