/*
 * driver.c - the one driver (driver.h).
 */
#include "driver_internal.h"

#include "arguments.h"
#include "fit.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

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

/* Every pass, with its statement, for those who look for what a driver does. */
static void
pass_begins(TlvDriver *driver, int passes_left, const char *stage, const char *statement)
{
	TlvProgressPass(++driver->passes, passes_left, stage);
	elog(DEBUG1, "tensorlv: pass %d: %s", driver->passes, statement);
}

/* The same of one whose value is collected in pieces. */
static void
pieces_begin(const tlv_pass *pass)
{
	if (pass->pieces > 1)
		elog(DEBUG1, "tensorlv: the value is collected in %zu pieces", pass->pieces);
}

void
TlvDriverReport(TlvDriver *driver, const char *what)
{
	pass_begins(driver, 0, what, what);
}

/* ---- rows ---- */

TlvSource *
TlvSourceOpen(TlvDriver *driver, int source, const char *text, const char *what)
{
	TlvSource *rows = &driver->rows[source];

	rows->driver = driver;
	rows->query = TlvQueryOpen(text, driver->function, what);
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

/* Once: to a tuple store. */
static void
rows_store(TlvSource *rows)
{
	TlvStatement statement = rows->made;

	TlvDriverReport(rows->driver, "storing the rows");
	if (rows->form == TLV_ROW_BAG)
		rows_settle(rows);
	else if (rows->marks != NULL)
		rows_store_marked(rows);
	else
		(void) TlvStatementStore(&statement, rows->n, rows->columns, rows->types, 0);
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

/* Less than this is sent without a look at the rows. */
#define SENT_LIGHTLY 0x1p20

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
static void
rows_fetch_if_less(TlvSource *rows, const tlv_pass *pass)
{
	TlvStatement statement = rows->made;
	double sent = pass_sends(pass) * Max(list_length(rows->query->parts), 1);

	if (!rows->elsewhere || !rows->shippable || rows->once || rows->weighed ||
		rows->query->store != NULL || sent < SENT_LIGHTLY)
		return;
	rows->weighed = true;
	TlvDriverReport(rows->driver, "storing the rows");
	if (!rows_weigh_more(rows, sent) &&
		TlvStatementStore(&statement, rows->n, rows->columns, rows->types, sent) &&
		rows->form == TLV_ROW_BAG)
		rows_settle(rows);
}

/* They are stored in that of their contents; another server sorts its own where they are. */
static void
rows_require_order(TlvSource *rows, const tlv_pass *pass)
{
	if (rows->form == TLV_ROW_BAG && TlvSourceNeedsOrder(rows, pass) && !rows->foreign)
		rows_store(rows);
}

void
TlvSourceHold(TlvSource *rows)
{
	if (TlvQueryRepeatable(rows->query))
		return;
	TlvDriverReport(rows->driver, "running the query");
	TlvQueryHold(rows->query);
}

void
TlvSourceRelease(TlvSource *rows)
{
	TlvQueryRelease(rows->query);
}

void
TlvSourceReady(TlvSource *rows, TlvSourceUse use)
{
	rows->shippable = use != TLV_SOURCE_MADE;
	rows->once = use == TLV_SOURCE_ONCE;
	if (use == TLV_SOURCE_MADE ||
		(use == TLV_SOURCE_AGAIN &&
		 (TlvStatementIsVolatile(&rows->made) || !TlvQueryRepeatable(rows->query))))
		rows_store(rows);
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

/* ---- values of passes ---- */

typedef struct PassValue
{
	tlv_value value; /* first */
	struct varlena *image;
} PassValue;

static void
pass_value_release(tlv_value *value)
{
	pfree(((PassValue *) value)->image);
	pfree(value);
}

/* A detoasted copy, taken over. */
static tlv_value *
pass_value(struct varlena *image)
{
	PassValue *value = palloc0(sizeof(PassValue));

	image = TlvPlainCopy(image);
	value->value.frame = TlvSumsFrame(image);
	if ((void *) value->value.frame.header != image)
	{
		pfree(image);
		image = (struct varlena *) value->value.frame.header;
	}
	value->value.release = pass_value_release;
	value->image = image;
	return &value->value;
}

typedef struct PassResult
{
	TlvDriver *driver;
	size_t n;	   /* columns of values */
	size_t pieces; /* above 1: rows of values, one of each piece; the last column says which */
	tlv_value **values;
	bool complete; /* a column says how many rows are left out */
	bool counted;  /* and one how many there are */
	double left_out, rows;
} PassResult;

/* What one part of the rows has given, with what those before it gave. */
static void
result_add(tlv_value **sum, tlv_value *value)
{
	tlv_value *before = *sum;

	*sum = value;
	if (before == NULL)
		return;
	*sum = pass_value(TlvSum(&before->frame, &value->frame));
	before->release(before);
	value->release(value);
}

/* The piece that a row is of: its last column, which is NULL where there is no id. */
static size_t
piece_of(const TupleTableSlot *slot)
{
	int last = slot->tts_tupleDescriptor->natts - 1;

	return slot->tts_isnull[last] ? 0 : (size_t) DatumGetInt64(slot->tts_values[last]);
}

static void
pass_take(void *argument, TupleTableSlot *slot)
{
	PassResult *result = argument;
	MemoryContext before = MemoryContextSwitchTo(result->driver->values);
	tlv_value **values = result->values;
	size_t column = result->n;

	if (result->pieces > 1)
		values += piece_of(slot);
	for (size_t i = 0; i < result->n; i++)
		if (!slot->tts_isnull[i])
			result_add(&values[i],
					   pass_value((struct varlena *) PG_DETOAST_DATUM_COPY(slot->tts_values[i])));
	if (result->complete)
		result->left_out += (double) DatumGetInt64(slot->tts_values[column++]);
	if (result->counted)
		result->rows += (double) DatumGetInt64(slot->tts_values[column++]);
	MemoryContextSwitchTo(before);
}

/* Empty, before the first part; what an earlier pass has counted stays unless this one counts. */
static void
result_begin(PassResult *result, const tlv_pass *pass)
{
	size_t n = result->n * Max(result->pieces, 1);

	for (size_t i = 0; i < n; i++)
		if (result->values[i] != NULL)
			result->values[i]->release(result->values[i]);
	memset(result->values, 0, n * sizeof(tlv_value *));
	result->complete = pass->complete;
	if (pass->complete)
		result->left_out = 0;
	result->rows = 0;
}

/*
 * Another server has made the values: whatever it calls by the names of our aggregates, what comes
 * is a value of that type and no more.  One that merges with rows under the same constants is of
 * the kind and the sizes that the fit asked for.
 */
static void
require_values(const tlv_pass *pass, const PassResult *result)
{
	for (size_t i = 0; i < pass->n * Max(result->pieces, 1); i++)
	{
		TlvWork *work;
		tlv_accumulator *accumulator;

		if (result->values[i] == NULL)
			continue;
		work = TlvWorkBegin("tensorlv check");
		TlvCheck(&work->ctx,
				 tlv_statistic_create(&work->ctx, &pass->statistics[i % pass->n], &accumulator));
		TlvMerge(&work->ctx, accumulator, &result->values[i]->frame);
		TlvWorkEnd(work);
	}
}

static const char *
pass_stage(const tlv_pass *pass)
{
	return pass->stage != NULL ? pass->stage : pass->statistics[0].aggregate->name;
}

/* The statement over each part of a UNION ALL, if nowhere rows would have to travel. */
static bool
run_over_parts(TlvStatement *statement, int n, const Oid *types, TlvTakeRow take, void *argument)
{
	bool foreign = false, elsewhere = false;
	ListCell *cell;

	foreach (cell, statement->query->parts)
	{
		statement->part = lfirst_node(Query, cell);
		if (!TlvStatementRun(statement, n, types, take, argument))
			return false;
		foreign |= statement->foreign;
		elsewhere |= statement->elsewhere;
	}
	statement->foreign = foreign;
	statement->elsewhere = elsewhere;
	return statement->query->parts != NIL;
}

/* False when rows would have to travel to us. */
static bool
run_where_rows_are(TlvSource *rows, TlvStatement *statement, int n, const Oid *types,
				   TlvTakeRow take, void *argument)
{
	bool together = !rows->apart || rows->query->store != NULL;

	if (together && TlvStatementRun(statement, n, types, take, argument))
		return true;
	rows->apart = run_over_parts(statement, n, types, take, argument);
	return rows->apart;
}

/* Two passes that see different numbers of rows are worth a warning. */
static void
rows_compare(TlvSource *rows, double n)
{
	if (!rows->counted)
		rows->count = n;
	else if (rows->count != n)
		rows->other_count = n;
	rows->counted = true;
}

/* One pass; what it takes to make the statement goes with a context of its own. */
static void
run_pass(TlvSource *rows, const tlv_pass *pass, PassResult *result)
{
	TlvDriver *driver = rows->driver;
	MemoryContext mcxt =
		AllocSetContextCreate(driver->mcxt, "tensorlv statement", ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(mcxt);
	Oid *types = palloc((pass->n + 3) * sizeof(Oid));
	TlvStatement statement;
	StringInfoData select;
	int n;

	rows_fetch_if_less(rows, pass);
	rows_require_order(rows, pass);
	initStringInfo(&select);
	n = TlvPassStatement(rows, pass, &statement, &select, types, &result->counted);
	pass_begins(driver, pass->passes_left, pass_stage(pass), select.data);
	pieces_begin(pass);
	result_begin(result, pass);
	if (!run_where_rows_are(rows, &statement, n, types, pass_take, result))
	{
		if (!rows->once)
			rows_store(rows);
		rows->shippable = false;
		result_begin(result, pass);
		resetStringInfo(&select);
		n = TlvPassStatement(rows, pass, &statement, &select, types, &result->counted);
		(void) TlvStatementRun(&statement, n, types, pass_take, result);
	}
	rows->foreign = statement.foreign;
	rows->elsewhere = statement.elsewhere;
	if (result->counted)
		rows_compare(rows, result->rows);
	if (statement.foreign)
		require_values(pass, result);
	MemoryContextSwitchTo(before);
	MemoryContextDelete(mcxt);
}

static bool
has_nulls(size_t n, tlv_value *const *values)
{
	for (size_t i = 0; i < n; i++)
		if (values[i] != NULL && tlv_frame_scalar(&values[i]->frame, "nulls", 0) > 0)
			return true;
	return false;
}

/* ---- the rows as the source of a fit ---- */

/* One pass, and what is known after it.  Errors of the statement are raised: they leave the fit by
 * a jump, and its memory goes with the driver's. */
static tlv_status
source_pass(tlv_context *ctx, tlv_source *source, const tlv_pass *pass, tlv_value **values)
{
	TlvPassSource *own = (TlvPassSource *) source;
	TlvDriver *driver = own->driver;
	TlvSource *rows = &driver->rows[own->number];
	PassResult result = {.driver = driver, .n = pass->n, .pieces = pass->pieces, .values = values};

	CHECK_FOR_INTERRUPTS();
	run_pass(rows, pass, &result);
	if (pass->complete)
		source->rows.left_out = result.left_out;
	source->rows.count = rows->count;
	source->rows.other_count = rows->other_count;
	source->rows.same_time = rows->marked;
	if (rows->null_columns == NULL &&
		(has_nulls(pass->n * Max(pass->pieces, 1), values) || result.left_out > 0))
		TlvNameNullColumns(rows);
	if (rows->null_columns != NULL && rows->null_columns[0] != '\0')
		source->rows.null_columns = rows->null_columns;
	driver->sources[0].source.rows.passes = driver->passes;
	CHECK_FOR_INTERRUPTS();
	return TLV_OK;
}

/* An estimate may be a hundred times too low. */
#define ESTIMATE_ERROR 100

/* Of a piece: some are larger than others. */
#define PIECE_BYTES (0.6 * (double) TLV_FRAME_MAX_BYTES)

/* Most pieces: they are 2 TB. */
#define PIECES_MOST 4096

/* Pieces of rows that have to travel, which are not counted first. */
#define PIECES_UNCOUNTED 16

/* What values have of a row, at most: so many bytes, its weights, and texts of so many bytes. */
typedef struct RowsSize
{
	double row_bytes;
	double rows, text_bytes;
} RowsSize;

static void
take_size(void *argument, TupleTableSlot *slot)
{
	RowsSize *size = argument;

	size->rows += (double) DatumGetInt64(slot->tts_values[0]);
	size->text_bytes += (double) DatumGetInt64(slot->tts_values[1]);
}

/* How many rows there are and how long their texts; false when they would have to travel. */
static bool
rows_count(TlvSource *rows, RowsSize *size)
{
	const Oid types[] = {INT8OID, INT8OID};
	TlvStatement statement;

	TlvSourceBegin(rows, &statement);
	appendStringInfoString(&statement.sql, "SELECT pg_catalog.count(*), 0::pg_catalog.int8");
	for (int i = 0; i < rows->n; i++)
		if (rows->types[i] == TEXTOID)
			appendStringInfo(&statement.sql,
							 " OPERATOR(pg_catalog.+) COALESCE(pg_catalog.sum("
							 "pg_catalog.octet_length(%s)), 0::pg_catalog.int8)",
							 rows->columns[i]);
	TlvSourceFrom(rows, &statement);
	return run_where_rows_are(rows, &statement, lengthof(types), types, take_size, size);
}

/* Are there so few rows, by any estimate, that one value has them? */
static bool
rows_are_few(TlvSource *rows, double row_bytes)
{
	TlvStatement statement;

	TlvSourceBegin(rows, &statement);
	appendStringInfo(&statement.sql, "SELECT %s", rows->columns[0]);
	TlvSourceFrom(rows, &statement);
	return TlvStatementExpects(&statement) * ESTIMATE_ERROR * row_bytes < PIECE_BYTES;
}

/* Rows are counted only where there may be too many for one value. */
static size_t
source_pieces(tlv_source *source, double row_bytes)
{
	const TlvPassSource *own = (const TlvPassSource *) source;
	TlvSource *rows = &own->driver->rows[own->number];
	RowsSize size = {.row_bytes = row_bytes};
	size_t pieces = 1;

	for (int i = 0; i < rows->n; i++)
		size.row_bytes += rows->types[i] == FLOAT8OID ? sizeof(double) : 0;
	if (rows_are_few(rows, size.row_bytes))
		return 1;
	if (!rows_count(rows, &size))
		return PIECES_UNCOUNTED;
	while (size.rows * size.row_bytes + size.text_bytes > PIECE_BYTES * (double) pieces &&
		   pieces < PIECES_MOST)
		pieces *= 2;
	return pieces;
}

/* With what the readers have found out. */
tlv_source *
TlvDriverSource(TlvDriver *driver)
{
	for (int number = 0; number < TLV_SOURCES; number++)
	{
		const TlvSource *rows = &driver->rows[number];
		tlv_source *source = &driver->sources[number].source;

		*source = (tlv_source){.pass = source_pass,
							   .pieces = source_pieces,
							   .rows = {.form = rows->form,
										.width = {rows->width[0], rows->width[1], rows->width[2]},
										.names = rows->names,
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
	tlv_frame frame;

	if (status != TLV_OK)
		TlvFailed(fcinfo, driver->ctx);
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
	tlv_held model;
	tlv_status status =
		tlv_learn(driver->ctx, procedure, options, TlvDriverSource(driver), errors, &model);

	return driver_return(fcinfo, driver, status, model.image, model.size);
}
