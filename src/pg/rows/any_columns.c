/*
 * any_columns.c - rows of aggregates whose arguments are declared "any": vectors, and three views,
 * each a vector or a category, by the types of the arguments alone.
 */
#include "any_internal.h"
#include "keys.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/query.h"
#include "server/arrays.h"

/* What a call site knows of its arguments. */
typedef struct AnyColumns
{
	MemoryContext mcxt;
	AnyType type[3];
	AnyRecord record[3];
	uint64 checked[3]; /* the version of the record whose columns are dimensions all */
	bool categories;
} AnyColumns;

/* ---- the types, found out once at every call site ---- */

static bool
is_category(const AnyType *type)
{
	return TlvIsIntegerType(type->base) ||
		   (type->form != ANY_ARRAY && type->form != ANY_CAST && TlvIsIdType(type->base));
}

static AnyColumns *
input_columns_of(FunctionCallInfo fcinfo, int first, int n)
{
	TlvCallNote *note = TlvNoteOfCall(fcinfo);
	AnyColumns *columns = note->kept;

	if (columns != NULL)
		return columns;
	columns = MemoryContextAllocZero(note->mcxt, sizeof(AnyColumns));
	columns->mcxt = note->mcxt;
	for (int i = 0; i < n; i++)
	{
		TlvAnyType(TlvAnyArgument(fcinfo, first + i), PG_GET_COLLATION(), note->mcxt,
				   &columns->type[i]);
		columns->categories |= is_category(&columns->type[i]);
	}
	note->kept = columns;
	return columns;
}

bool
TlvAnyAreCategories(FunctionCallInfo fcinfo, int first)
{
	return input_columns_of(fcinfo, first, 3)->categories;
}

/* ---- vectors ---- */

static _Noreturn void
refuse_vector(const AnyType *type)
{
	const char *step = TlvVectorStep(type->type);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a value of type %s is no vector", format_type_be(type->type)),
			 step != NULL ? errhint("Cast it: x::%s.", step)
						  : errhint("A vector is an array of numbers, or of a type with a cast to "
									"real[], as pgvector's are: ARRAY[a, b, c] or ROW(a, b, c) of "
									"three columns.")));
	pg_unreachable();
}

/* Every column of a row is a dimension: numbers, and of a table's rows not the key. */
static void
check_columns(const AnyRecord *record)
{
	Oid table = get_typ_typrelid(record->desc->tdtypeid);

	for (int i = 0; i < record->n; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(record->desc, record->columns[i]);

		if (record->type[i].form != ANY_NUMBER)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column %d (%s) of a row is of type %s, not a number", i + 1,
							TlvWhole(NameStr(column->attname)), format_type_be(column->atttypid)),
					 errhint("Every column of the row is a dimension: write ROW(a, b, c) of those "
							 "that are, or cast it to a number.")));
		if (OidIsValid(table))
			TlvRefuseKey(table, column->attnum, TlvWhole(NameStr(column->attname)),
						 "Write ROW(a, b, c) of the columns that are.");
	}
}

static ArrayType *
vector_of_record(AnyColumns *columns, int i, Datum value)
{
	AnyRecord *record = &columns->record[i];

	TlvAnyReadRecord(record, DatumGetHeapTupleHeader(value), columns->mcxt);
	if (record->version != columns->checked[i])
	{
		check_columns(record);
		columns->checked[i] = record->version;
	}
	return TlvAnyColumnNumbers(record, (size_t) record->n, NULL);
}

/* As float8[]; one that is a float8[] itself is given back as it came. */
static ArrayType *
vector_of(AnyColumns *columns, int i, Datum value)
{
	AnyType *type = &columns->type[i];
	ArrayType *array;

	if (type->form == ANY_LITERAL)
		return TlvArrayOfText(DatumGetCString(value), FLOAT8OID);
	if (type->form == ANY_CAST)
		return TlvFloat8Numbers(TlvAnyCast(type, value), FLOAT4OID);
	if (type->form == ANY_RECORD)
		return vector_of_record(columns, i, value);
	if (type->form != ANY_ARRAY)
		refuse_vector(type);
	array = TlvFetchArray(value);
	if (!TlvIsNumberType(TlvAnyElement(type, array)))
		refuse_vector(type);
	return TlvFloat8Numbers(array, type->base);
}

static void
vector_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	AnyColumns *columns = input_columns_of(fcinfo, first, 1);

	TlvOpenVectors(vector_of(columns, 0, PG_GETARG_DATUM(first)), takes, cursor);
}

const TlvRowReader TlvAnyTypeVectors = {1, {TLV_ROW_VECTOR}, vector_open};

/* ---- three views ---- */

void
TlvPutCategory(const AnyType *type, Datum value, int view, TlvRowCursor *cursor)
{
	tlv_part *part = &cursor->row.part[view];

	*part = (tlv_part) TLV_PART(TLV_PART_IDS, 1, 1, &cursor->ids[view]);
	if (TlvIsIntegerType(type->base))
	{
		cursor->ids[view] = TlvIdOf(type->base, value);
		return;
	}
	if (type->form == ANY_LITERAL)
		cursor->names[view] = (tlv_text){DatumGetCString(value), strlen(DatumGetCString(value))};
	else
		cursor->names[view] = TlvAnyCodeOf(type, value).name;
	cursor->ids[view] = TlvTermId(cursor->names[view].bytes, cursor->names[view].length);
	part->names = &cursor->names[view];
	cursor->equality[view] = type->equality;
}

static void
categories_open(FunctionCallInfo fcinfo, int first, const AnyColumns *columns, TlvRowCursor *cursor)
{
	TlvCursorBegin(cursor, TLV_ROW_CATEGORIES);
	for (int t = 0; t < 3; t++)
	{
		const AnyType *type = &columns->type[t];

		if (!is_category(type) && type->form != ANY_LITERAL)
			ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
							errmsg("view %d is of type %s, not a category", t + 1,
								   format_type_be(type->type)),
							errhint("The three views must all be vectors, or all be categories: "
									"integers, strings, values of enumerations or booleans.")));
		if (PG_ARGISNULL(first + t))
			cursor->row.part[t].type = TLV_PART_NONE;
		else
			TlvPutCategory(type, PG_GETARG_DATUM(first + t), t, cursor);
	}
}

static void
three_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	AnyColumns *columns = input_columns_of(fcinfo, first, 3);
	ArrayType *views[3];
	bool arrays = true;

	if (columns->categories)
	{
		categories_open(fcinfo, first, columns, cursor);
		return;
	}
	for (int t = 0; t < 3; t++)
		arrays &= columns->type[t].form == ANY_ARRAY;
	if (arrays)
		TlvRequireArrays(fcinfo, first, 3);
	TlvCursorBegin(cursor, TLV_ROW_VIEWS);
	for (int t = 0; t < 3; t++)
		views[t] =
			PG_ARGISNULL(first + t) ? NULL : vector_of(columns, t, PG_GETARG_DATUM(first + t));
	TlvOpenViews(views, takes, cursor);
}

const TlvRowReader TlvAnyThreeRows = {
	3, {TLV_ROW_VIEWS, TLV_ROW_CATEGORIES}, three_open, .settled = true};
