/*
 * pass.c - one pass over the rows of a source: the statement is run where the rows are, and the
 * values of its parts are merged (driver.h).
 */
#include "driver_internal.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"

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
	bool complete;		   /* a column says how many rows are left out */
	const TlvSource *once; /* NULL, or columns count the nulls of its columns */
	TlvNulls null_counts[TLV_ROW_COLUMNS];
	bool counted; /* and one how many rows there are */
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
	int column = (int) result->n;

	if (result->pieces > 1)
		values += piece_of(slot);
	for (size_t i = 0; i < result->n; i++)
		if (!slot->tts_isnull[i])
			result_add(&values[i],
					   pass_value((struct varlena *) PG_DETOAST_DATUM_COPY(slot->tts_values[i])));
	if (result->complete)
		result->left_out += (double) DatumGetInt64(slot->tts_values[column++]);
	for (int i = 0; result->once != NULL && i < result->once->n; i++)
		TlvTakeNulls(result->once, i, slot, &column, &result->null_counts[i]);
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
	memset(result->null_counts, 0, sizeof(result->null_counts));
	result->rows = 0;
}

/*
 * Another server has made the values: whatever it calls by the names of our aggregates, what comes
 * is a value of that type and no more.  One that merges with rows under the same constants is of
 * the kind and the sizes that the fit asked for.
 */
static void
pass_require_values(const tlv_pass *pass, const PassResult *result)
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

/* The debug message of a pass whose value is collected in pieces. */
static void
pieces_begin(const tlv_pass *pass)
{
	if (pass->pieces > 1)
		elog(DEBUG1, "tensorlv: the value is collected in %zu pieces", pass->pieces);
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

/* The statement of a pass; rows that have to travel do so first. */
static void
run_statement(TlvSource *rows, const tlv_pass *pass, TlvStatement *statement, StringInfo select,
			  int n, Oid *types, PassResult *result)
{
	if (run_where_rows_are(rows, statement, n, types, pass_take, result))
		return;
	if (!rows->once)
		TlvSourceStore(rows);
	rows->shippable = false;
	result_begin(result, pass);
	resetStringInfo(select);
	n = TlvPassStatement(rows, pass, statement, select, types, &result->counted);
	(void) TlvStatementRun(statement, n, types, pass_take, result);
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

/* ---- numbers that are refused ---- */

/* A number of the rows that a message is about, between what is before and behind its place. */
typedef struct RefusedNumber
{
	int before, after;		  /* bytes of the message up to its position, and behind that */
	size_t position;		  /* from 1 */
	size_t view;			  /* from 1; 0: rows are no views */
	const char *noun, *where; /* in their place */
} RefusedNumber;

/* The position of an item, from 1; 0 where it has no name. */
static size_t
item_position(const tlv_names *names, int64 item)
{
	for (size_t i = 0; names->ids != NULL && i < names->n; i++)
		if (names->ids[i] == item)
			return i + 1;
	return 0;
}

/* The messages of vectors, views, steps, variables and items: statements elsewhere have sent only
 * these. */
static bool
read_refused(const tlv_names *names, const char *message, RefusedNumber *refused)
{
	long long item;

	*refused = (RefusedNumber){.noun = "number ", .where = " of a row"};
	sscanf(message, "element %zu of a vector%n", &refused->position, &refused->after);
	if (refused->after == 0)
		sscanf(message, "number %zu of a row%n", &refused->position, &refused->after);
	if (refused->after == 0)
		sscanf(message, "number %zu of view %zu%n", &refused->position, &refused->view,
			   &refused->after);
	if (refused->after > 0)
		return true;
	refused->where = "";
	if (sscanf(message, "element %zu of the vectors%n", &refused->position, &refused->after) == 1 &&
		refused->after > 0)
	{
		refused->noun = "column ";
		return true;
	}
	if (sscanf(message, "number %zu of step%n", &refused->position, &refused->after) == 1 &&
		refused->after > 0)
	{
		refused->after -= (int) strlen(" of step");
		return true;
	}
	refused->noun = "";
	sscanf(message, "value %*s of variable %n%zu%n", &refused->before, &refused->position,
		   &refused->after);
	if (refused->after == 0 &&
		sscanf(message, "count %*s of item %n%lld%n", &refused->before, &item, &refused->after) > 0)
		refused->position = item_position(names, item);
	return refused->after > 0;
}

const char *
TlvNameNumber(const TlvSource *rows, const char *message)
{
	const tlv_names *names = rows->names;
	char name[TLV_SHOWN_NAME], element[TLV_SHOWN_NAME];
	RefusedNumber refused;
	size_t at;

	if (names == NULL || message == NULL || !read_refused(names, message, &refused))
		return message;
	at = refused.view > 0 ? refused.view : refused.position;
	if (at == 0 || (names->array.length == 0 && at > names->n))
		return message;
	tlv_names_show(names, at - 1, name);
	if (refused.view > 0)
		tlv_show_element(name, refused.position - 1, element);
	return psprintf("%.*s%s%s%s%s", refused.before, message, refused.noun,
					refused.view > 0 ? element : name, refused.where, message + refused.after);
}

/* The error that is being handled, with the column or the variable that it is about. */
static _Noreturn void
rethrow_named(const TlvSource *rows, MemoryContext mcxt)
{
	ErrorData *error;

	MemoryContextSwitchTo(mcxt);
	error = CopyErrorData();
	FlushErrorState();
	error->message = unconstify(char *, TlvNameNumber(rows, error->message));
	ReThrowError(error);
	pg_unreachable();
}

/* One pass; what it takes to make the statement goes with a context of its own. */
static void
run_pass(TlvSource *rows, const tlv_pass *pass, PassResult *result)
{
	TlvDriver *driver = rows->driver;
	MemoryContext mcxt =
		AllocSetContextCreate(driver->mcxt, "tensorlv statement", ALLOCSET_DEFAULT_SIZES);
	MemoryContext before = MemoryContextSwitchTo(mcxt);
	Oid *types = palloc((pass->n + TLV_ROW_COLUMNS * NULL_COLUMNS + 3) * sizeof(Oid));
	TlvStatement statement;
	StringInfoData select;
	int n;

	TlvSourceFetchIfLess(rows, pass);
	TlvSourceRequireOrder(rows, pass);
	initStringInfo(&select);
	n = TlvPassStatement(rows, pass, &statement, &select, types, &result->counted);
	TlvPassBegins(driver, pass->passes_left, pass_stage(pass), select.data);
	pieces_begin(pass);
	result_begin(result, pass);
	TlvPassRunBegin();
	PG_TRY();
	{
		run_statement(rows, pass, &statement, &select, n, types, result);
	}
	PG_CATCH();
	{
		TlvPassRunEnd();
		rethrow_named(rows, mcxt);
	}
	PG_END_TRY();
	TlvPassRunEnd();
	rows->query->read = true;
	rows->foreign = statement.foreign;
	rows->elsewhere = statement.elsewhere;
	if (result->counted)
		rows_compare(rows, result->rows);
	if (statement.foreign)
		pass_require_values(pass, result);
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
tlv_status
TlvSourcePass(tlv_context *ctx, tlv_source *source, const tlv_pass *pass, tlv_value **values)
{
	TlvPassSource *own = (TlvPassSource *) source;
	TlvDriver *driver = own->driver;
	TlvSource *rows = &driver->rows[own->number];
	PassResult result = {.driver = driver,
						 .n = pass->n,
						 .pieces = pass->pieces,
						 .values = values,
						 .once = rows->once ? rows : NULL};

	CHECK_FOR_INTERRUPTS();
	run_pass(rows, pass, &result);
	if (pass->complete)
		source->rows.left_out = result.left_out;
	source->rows.count = rows->count;
	source->rows.other_count = rows->other_count;
	source->rows.same_time = rows->marked;
	if (rows->null_columns == NULL &&
		(has_nulls(pass->n * Max(pass->pieces, 1), values) || result.left_out > 0))
		TlvNameNullColumns(rows, result.null_counts);
	if (rows->null_columns != NULL && rows->null_columns[0] != '\0')
	{
		source->rows.null_columns = rows->null_columns;
		source->rows.null_total = rows->null_total;
	}
	driver->sources[0].source.rows.passes = driver->passes;
	CHECK_FOR_INTERRUPTS();
	return TLV_OK;
}

/* An estimate may be a hundred times too low. */
#define ESTIMATE_ERROR 100

/* Of a piece: some are larger than others. */
#define PIECE_BYTES (0.6 * (double) TLV_FRAME_MAX_BYTES)

/* What values have of the rows at most: bytes of one row, or of one item of its bag, how many of
 * these there are, and bytes of texts. */
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

/* Adds the sum of a function of all columns of a type. */
static void
append_sums(TlvSource *rows, Oid type, const char *function, StringInfo sql)
{
	for (int i = 0; i < rows->n; i++)
		if (rows->types[i] == type)
			appendStringInfo(sql,
							 " OPERATOR(pg_catalog.+) COALESCE(pg_catalog.sum(%s(%s)), "
							 "0::pg_catalog.int8)",
							 function, rows->columns[i]);
}

/* How many rows or items there are and how long their texts; false when they would have to travel.
 */
static bool
rows_count(TlvSource *rows, RowsSize *size)
{
	const Oid types[] = {INT8OID, INT8OID};
	Oid bag = TlvQueryType(rows->query, "tlv_bag");
	TlvStatement statement;

	TlvSourceBegin(rows, &statement);
	appendStringInfoString(&statement.sql, "SELECT pg_catalog.count(*)");
	append_sums(rows, bag, TlvStatementCall(&statement, "tlv_bag_size", 1, &bag, NULL),
				&statement.sql);
	appendStringInfoString(&statement.sql, ", 0::pg_catalog.int8");
	append_sums(rows, TEXTOID, "pg_catalog.octet_length", &statement.sql);
	TlvSourceFrom(rows, &statement);
	return run_where_rows_are(rows, &statement, lengthof(types), types, take_size, size);
}

/*
 * Would the rows be few enough even if there were ESTIMATE_ERROR times as many as estimated, or as
 * many as the pages of their tables can hold?  Of rows of any width these say nothing.
 */
static bool
rows_are_few(TlvSource *rows, double row_bytes)
{
	Oid bag = TlvQueryType(rows->query, "tlv_bag");
	TlvStatement statement;
	TlvExpected expected;
	double most;
	bool fixed = true;

	TlvSourceBegin(rows, &statement);
	appendStringInfo(&statement.sql, "SELECT %s", rows->columns[0]);
	for (int i = 1; i < rows->n; i++)
		if (rows->types[i] == bag)
			appendStringInfo(&statement.sql, ", %s", rows->columns[i]);
	TlvSourceFrom(rows, &statement);
	TlvStatementExpects(&statement, &expected);
	for (int i = 0; i < rows->n; i++)
		fixed &= rows->types[i] != bag && rows->types[i] != TEXTOID;
	most = expected.rows * ESTIMATE_ERROR;
	if (fixed)
		most = Min(most, expected.most_rows);
	return most * (row_bytes + expected.width) < PIECE_BYTES;
}

/* Rows are counted only where there may be too many for one value. */
size_t
TlvSourcePieces(tlv_source *source, double row_bytes)
{
	/* Pieces of rows that have to travel, which are not counted first. */
	const int pieces_uncounted = 16;

	/* Most pieces: they are 2 TB. */
	const int pieces_most = 4096;
	const TlvPassSource *own = (const TlvPassSource *) source;
	TlvSource *rows = &own->driver->rows[own->number];
	Oid bag = TlvQueryType(rows->query, "tlv_bag");
	RowsSize size = {.row_bytes = row_bytes};
	size_t pieces = 1;

	for (int i = 0; i < rows->n; i++)
		size.row_bytes += rows->types[i] == FLOAT8OID || rows->types[i] == bag ? sizeof(double) : 0;
	if (rows_are_few(rows, size.row_bytes))
		return 1;
	if (!rows_count(rows, &size))
		return pieces_uncounted;
	while (size.rows * size.row_bytes + size.text_bytes > PIECE_BYTES * (double) pieces &&
		   pieces < pieces_most)
		pieces *= 2;
	return pieces;
}
