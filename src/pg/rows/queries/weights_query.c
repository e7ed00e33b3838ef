/*
 * weights_query.c - rows with weights from a driver's query (queries.h).
 *
 * The column of weights is not one of the columns that readers see: it becomes the last one of the
 * query, behind those, by a level of our own.  Weighted rows are read once and held in memory.
 */
#include "rows/queries.h"
#include "rows/reader.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "server/arrays.h"
#include "server/driver_internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/sort.h"

/* ---- the column ---- */

/* The names of the columns, as a hint has them. */
static const char *
weights_list_names(TupleDesc desc)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < desc->natts; i++)
		appendStringInfo(&list, "%s\"%s\"", i > 0 ? ", " : "", TlvColumnName(desc, i));
	return list.data;
}

static int
find_weights(TupleDesc desc, const char *name)
{
	int found = -1, n = 0;

	for (int i = 0; i < desc->natts; i++)
		if (strcmp(TlvColumnName(desc, i), name) == 0)
		{
			found = i;
			n++;
		}
	if (n > 1)
		ereport(ERROR, (errcode(ERRCODE_AMBIGUOUS_COLUMN),
						errmsg("the query returns %d columns \"%s\"", n, name),
						errhint("Give the column of weights a name of its own.")));
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("the query returns no column \"%s\" of weights", TlvClip(name, 40)),
				 errhint("Use the name of one of its columns: %s.", weights_list_names(desc))));
	if (!TlvIsNumberType(TlvColumnType(desc, found)))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("column \"%s\" of weights is of type %s, not a number", name,
							   format_type_be(TupleDescAttr(desc, found)->atttypid)),
						errhint("Cast it to float8.")));
	if (desc->natts == 1)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("the query returns no columns beside the weights"),
						errhint("Add the columns of the rows to the query.")));
	return found;
}

/* Rows of weight 0 are left out here: neither their categories nor their nulls count. */
static char *
weighted_text(const TlvQuery *query, int weights)
{
	TupleDesc desc = query->desc;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < desc->natts; i++)
		if (i != weights)
			appendStringInfo(&sql, "q.x%d AS %s, ", i + 1,
							 quote_identifier(TlvColumnName(desc, i)));
	appendStringInfo(&sql, "q.x%d::pg_catalog.float8 AS " TLV_WEIGHT_COLUMN " FROM (%s\n) AS q(",
					 weights + 1, query->statement);
	TlvAppendColumns(&sql, desc->natts);
	appendStringInfo(&sql,
					 ") WHERE (q.x%d::pg_catalog.float8 OPERATOR(pg_catalog.<>) "
					 "0::pg_catalog.float8) IS NOT FALSE",
					 weights + 1);
	return sql.data;
}

void
TlvSourceWeigh(TlvSource *rows, const char *what)
{
	TlvQuery *given = rows->query;
	int weights = find_weights(given->desc, rows->driver->weights);
	TlvQuery *query =
		TlvQueryOpen(weighted_text(given, weights), rows->driver->function, what, NULL);
	MemoryContext before = MemoryContextSwitchTo(query->mcxt);
	TupleDesc all = query->desc;

	query->text = pstrdup(given->text);
	query->statement = pstrdup(given->statement);
	query->desc = CreateTemplateTupleDesc(all->natts - 1);
	for (int i = 1; i < all->natts; i++)
		TupleDescCopyEntry(query->desc, (AttrNumber) i, all, (AttrNumber) i);
	MemoryContextSwitchTo(before);
	TlvQueryClose(given);
	rows->query = query;
}

void
TlvRequireWeighedRows(const TlvSource *rows, bool whole)
{
	if (rows->driver->weights != NULL && !whole)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("weights are of rows with one column for each variable"),
						TlvLooksWide(rows->query->desc)
							? errhint("Use %s if every column is a variable.", TlvHintWide(rows))
							: errhint("Use one column for each variable.")));
}

void
TlvAppendWeight(TlvSource *rows, StringInfo sql)
{
	if (rows->driver->weights != NULL)
		appendStringInfoString(sql, ", q." TLV_WEIGHT_COLUMN " AS w");
}

void
TlvWeightColumn(TlvSource *rows)
{
	if (rows->driver->weights != NULL)
		TlvSourceColumn(rows, "w", FLOAT8OID);
}

/* ---- the rows ---- */

typedef struct WeightedRows
{
	tlv_context *ctx;
	TlvStatement statement; /* that reads them */
	const char *column;		/* of the weights */
	tlv_row_form form;
	size_t n, room, d;
	double *x, *weights;
	double nulls;				/* rows with a null */
	bool numbered;				/* categories are numbers of the caller's, which are not negative */
	bool refused, refused_null; /* the first weight that is neither positive nor 0 */
	double refused_weight;
} WeightedRows;

/* Stores the one value of the statement as a string. */
static void
take_text(void *row, TupleTableSlot *slot)
{
	if (!slot->tts_isnull[0])
		*(char **) row = TextDatumGetCString(slot->tts_values[0]);
}

/* A row of the query that has the refused weight, as a row literal; NULL where the query, read once
 * more, returns none. */
static char *
refused_row(TlvSource *rows, const WeightedRows *taken)
{
	int n = rows->query->desc->natts;
	char *text = NULL;
	TlvStatement statement;

	TlvStatementBegin(&statement, rows->query);
	appendStringInfoString(&statement.sql, "SELECT ROW(");
	for (int i = 0; i < n; i++)
		appendStringInfo(&statement.sql, "%sq.x%d", i > 0 ? ", " : "", i + 1);
	appendStringInfoString(&statement.sql, ")::pg_catalog.text");
	TlvAppendQuery(&statement.sql, n);
	appendStringInfoString(&statement.sql, " WHERE q." TLV_WEIGHT_COLUMN);
	if (taken->refused_null)
		appendStringInfoString(&statement.sql, " IS NULL");
	else
		appendStringInfo(
			&statement.sql, " OPERATOR(pg_catalog.=) $%d",
			TlvStatementParameter(&statement, FLOAT8OID, Float8GetDatum(taken->refused_weight)));
	appendStringInfoString(&statement.sql, " LIMIT 1");
	(void) TlvStatementRun(&statement, 1, (Oid[]){TEXTOID}, take_text, &text);
	return text;
}

/* The column with 0 for weights like the one that is refused; of these, NaN is the greatest. */
static char *
usable_weight(const WeightedRows *taken)
{
	const char *column = quote_identifier(taken->column);

	if (taken->refused_null)
		return psprintf("coalesce(%s, 0)", column);
	if (taken->refused_weight < 0)
		return psprintf("greatest(%s, 0)", column);
	return psprintf("coalesce(nullif(%s, '%s'), 0)", column,
					isnan(taken->refused_weight) ? "NaN" : "Infinity");
}

static _Noreturn void
weights_refuse(TlvSource *rows, const WeightedRows *taken)
{
	const char *column = taken->column;
	char *row = refused_row(rows, taken);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 taken->refused_null ? errmsg("weight \"%s\" of a row is null", column)
								 : errmsg("weight \"%s\" of a row is %g, neither positive nor 0",
										  column, taken->refused_weight),
			 row == NULL ? 0 : errdetail("The other columns of the row are %s.", TlvClip(row, 200)),
			 errhint("Leave such rows out with WHERE, or use %s in place of the column.",
					 usable_weight(taken))));
}

static void
grow_rows(WeightedRows *rows)
{
	if (rows->n < rows->room)
		return;
	rows->room = rows->room == 0 ? 64 : 2 * rows->room;
	rows->x = tlv_realloc(rows->ctx, rows->x, rows->room, rows->d * sizeof(double));
	rows->weights = tlv_realloc(rows->ctx, rows->weights, rows->room, sizeof(double));
	if (rows->x == NULL || rows->weights == NULL)
		TlvCheck(rows->ctx, rows->ctx->error.code);
}

/* The elements of an array, those that are null of categories -1; false where a number is null, or
 * all categories are.  A number of the caller's for a category must not pass for one that is
 * missing. */
static bool
take_elements(WeightedRows *rows, const ArrayType *array)
{
	const bits8 *bitmap = ARR_NULLBITMAP(array);
	const double *from = (const double *) ARR_DATA_PTR(array);
	double *to = rows->x + rows->n * rows->d;
	bool any = false;

	for (size_t i = 0; i < rows->d; i++)
	{
		bool null = bitmap != NULL && (bitmap[i / 8] & (1 << (i % 8))) == 0;

		if (null && rows->form == TLV_ROW_VECTOR)
			return false;
		to[i] = null ? -1 : *from++;
		if (to[i] < 0 && !null && rows->numbered)
			TlvRefuseState(i, (int32) to[i]);
		any |= !null;
	}
	return any;
}

static void
take_weighted(void *argument, TupleTableSlot *slot)
{
	WeightedRows *rows = argument;
	double weight = slot->tts_isnull[1] ? -1 : DatumGetFloat8(slot->tts_values[1]);
	ArrayType *array;

	if (!(weight > 0) || isinf(weight))
	{
		rows->refused = rows->statement.enough = true;
		rows->refused_null = slot->tts_isnull[1];
		rows->refused_weight = weight;
		return;
	}
	if (slot->tts_isnull[0])
	{
		rows->nulls++;
		return;
	}
	array = TlvFetchArray(slot->tts_values[0]);
	if (ARR_NDIM(array) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("a weighted row has one dimension, not %d", ARR_NDIM(array)),
				 errhint("Give one row at a time; a row that is missing altogether is null.")));
	if (rows->d == 0)
		rows->d = (size_t) ARR_DIMS(array)[0];
	if ((size_t) ARR_DIMS(array)[0] != rows->d)
		TlvCheck(rows->ctx, tlv_refuse_length(rows->ctx, (size_t) ARR_DIMS(array)[0], rows->d));
	grow_rows(rows);
	if (take_elements(rows, array))
		rows->weights[rows->n++] = weight;
	else
		rows->nulls++;
	if ((Pointer) array != DatumGetPointer(slot->tts_values[0]))
		pfree(array);
}

/* ---- their order ---- */

typedef struct RowKey
{
	uint64 key;
	double weight; /* above 0, so that its bits have its order */
	size_t at;
} RowKey;

/* That of hashes of their contents, a random one, whatever the plan of the query and the unit of
 * the weights; of equal rows the lighter ones come first. */
static void
weights_order_rows(WeightedRows *rows)
{
	static const tlv_sort_form by_weight = {sizeof(RowKey), sizeof(uint64), 8, 64};
	static const tlv_sort_form by_key = {sizeof(RowKey), sizeof(uint64), 0, 64};
	size_t bytes = rows->d * sizeof(double);
	RowKey *keys = tlv_alloc(rows->ctx, rows->n, sizeof(RowKey)), *work;
	double *x = tlv_alloc(rows->ctx, rows->n, bytes);
	double *weights = tlv_alloc(rows->ctx, rows->n, sizeof(double));
	void *lighter, *ordered;

	work = tlv_alloc(rows->ctx, rows->n, sizeof(RowKey));
	if (keys == NULL || work == NULL || x == NULL || weights == NULL)
	{
		TlvCheck(rows->ctx, rows->ctx->error.code);
		return;
	}
	for (size_t t = 0; t < rows->n; t++)
		keys[t] = (RowKey){tlv_fingerprint(rows->x + t * rows->d, bytes, 1), rows->weights[t], t};
	TlvCheck(rows->ctx, tlv_radix_sort(rows->ctx, &by_weight, rows->n, keys, work, &lighter));
	TlvCheck(rows->ctx, tlv_radix_sort(rows->ctx, &by_key, rows->n, lighter,
									   lighter == keys ? work : keys, &ordered));
	for (size_t t = 0; t < rows->n; t++)
	{
		size_t from = ((const RowKey *) ordered)[t].at;

		memcpy(x + t * rows->d, rows->x + from * rows->d, bytes);
		weights[t] = rows->weights[from];
	}
	tlv_free(rows->ctx, rows->x);
	tlv_free(rows->ctx, rows->weights);
	tlv_free(rows->ctx, keys);
	tlv_free(rows->ctx, work);
	rows->x = x;
	rows->weights = weights;
}

static void
fetch_rows(TlvSource *rows, WeightedRows *taken)
{
	TlvStatement *statement = &taken->statement;

	TlvDriverReport(rows->driver, "reading the weighted rows");
	TlvSourceBegin(rows, statement);
	statement->shipped = false; /* the rows themselves are wanted here */
	appendStringInfo(&statement->sql, "SELECT %s, %s", rows->columns[0], rows->columns[1]);
	TlvSourceFrom(rows, statement);
	(void) TlvStatementRun(statement, rows->n, rows->types, take_weighted, taken);
	if (taken->refused)
		weights_refuse(rows, taken);
}

tlv_status
TlvHoldWeighted(TlvDriver *driver, tlv_source *source)
{
	TlvSource *rows = &driver->rows[0];
	WeightedRows taken = {.ctx = driver->ctx,
						  .column = driver->weights,
						  .form = rows->form,
						  .numbered = rows->form == TLV_ROW_CODES && rows->names == NULL};

	if (rows->names != NULL && rows->names->n == 0 && rows->names->array.length == 0)
	{
		tlv_fail(driver->ctx, TLV_NO_ROWS, "no row of a weight above 0 has a value");
		return TLV_NO_ROWS;
	}
	fetch_rows(rows, &taken);
	source->rows.passes = driver->passes;
	source->rows.nulls = taken.nulls;
	if (taken.nulls > 0)
	{
		if (rows->null_columns == NULL)
			TlvNameNullColumns(rows, NULL);
		if (rows->null_columns[0] != '\0')
			source->rows.null_columns = rows->null_columns;
	}
	if (taken.n == 0)
	{
		tlv_fail(driver->ctx, TLV_NO_ROWS,
				 taken.nulls > 0 ? "every row of a weight above 0 has a null"
								 : "the query returns no rows of a weight above 0");
		return TLV_NO_ROWS;
	}
	weights_order_rows(&taken);
	return tlv_source_hold_weighted(driver->ctx, source, taken.form, taken.n, taken.d, taken.x,
									taken.weights);
}
