/*
 * any_columns.c - rows of aggregates whose arguments are declared "any": vectors, and three views,
 * each a vector or a category, by the types of the arguments alone.
 */
#include "any_internal.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "server/query.h"

/* What a call site knows of its arguments. */
typedef struct AnyColumns
{
	AnyType type[3];
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
columns_of(FunctionCallInfo fcinfo, int first, int n)
{
	void **note = TlvCallSiteNote(fcinfo);
	MemoryContext mcxt = fcinfo->flinfo->fn_mcxt;
	AnyColumns *columns = *note;

	if (columns != NULL)
		return columns;
	columns = MemoryContextAllocZero(mcxt, sizeof(AnyColumns));
	for (int i = 0; i < n; i++)
	{
		Oid type = get_fn_expr_argtype(fcinfo->flinfo, first + i);

		if (!OidIsValid(type))
			ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
							errmsg("the type of the row is not known")));
		TlvAnyType(type, mcxt, &columns->type[i]);
		columns->categories |= is_category(&columns->type[i]);
	}
	*note = columns;
	return columns;
}

bool
TlvAnyAreCategories(FunctionCallInfo fcinfo, int first)
{
	return columns_of(fcinfo, first, 3)->categories;
}

/* ---- vectors ---- */

static _Noreturn void
refuse_vector(const AnyType *type)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("a value of type %s is no vector", format_type_be(type->type)),
					errhint("A vector is an array of numbers, or of a type with a cast to real[], "
							"as pgvector's are: ARRAY[a, b, c] of three columns.")));
	pg_unreachable();
}

/* As float8[]; one that is a float8[] itself is given back as it came. */
static Datum
vector_of(AnyType *type, Datum value)
{
	ArrayType *array;

	if (type->form == ANY_LITERAL)
		return OidInputFunctionCall(F_ARRAY_IN, DatumGetCString(value), FLOAT8OID, -1);
	if (type->form == ANY_CAST)
		return PointerGetDatum(TlvFloat8Numbers(TlvAnyCast(type, value), FLOAT4OID));
	if (type->form != ANY_ARRAY)
		refuse_vector(type);
	array = DatumGetArrayTypeP(value);
	if (!TlvIsNumberType(TlvAnyElement(type, array)))
		refuse_vector(type);
	return PointerGetDatum(TlvFloat8Numbers(array, type->base));
}

static void
vector_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	AnyColumns *columns = columns_of(fcinfo, first, 1);

	TlvOpenVectors(vector_of(&columns->type[0], PG_GETARG_DATUM(first)), takes, cursor);
}

const TlvRowReader TlvAnyTypeVectors = {1, {TLV_ROW_VECTOR}, vector_open};

/* ---- three views ---- */

static int64
integer_of(Oid base, Datum value)
{
	switch (base)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		default:
			return DatumGetInt64(value);
	}
}

void
TlvPutCategory(const AnyType *type, Datum value, int view, TlvRowCursor *cursor)
{
	tlv_part *part = &cursor->row.part[view];

	*part = (tlv_part) TLV_PART(TLV_PART_IDS, 1, 1, &cursor->ids[view]);
	if (TlvIsIntegerType(type->base))
	{
		cursor->ids[view] = integer_of(type->base, value);
		return;
	}
	if (type->form == ANY_LITERAL)
		cursor->names[view] = (tlv_text){DatumGetCString(value), strlen(DatumGetCString(value))};
	else
		cursor->names[view] = TlvAnyCodeOf(type, value).name;
	cursor->ids[view] = TlvTermId(cursor->names[view].bytes, cursor->names[view].length);
	part->names = &cursor->names[view];
}

static void
categories_open(FunctionCallInfo fcinfo, int first, const AnyColumns *columns, TlvRowCursor *cursor)
{
	TlvCursorBegin(cursor, TLV_ROW_CATEGORIES);
	for (int t = 0; t < 3; t++)
	{
		const AnyType *type = &columns->type[t];

		if (!is_category(type) && type->form != ANY_LITERAL)
			ereport(
				ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("view %d is of type %s, not a category", t + 1, format_type_be(type->type)),
				 errhint("The three views are vectors all, or categories all: whole numbers, "
						 "texts, values of enumerations or booleans.")));
		if (PG_ARGISNULL(first + t))
			cursor->row.part[t].type = TLV_PART_NONE;
		else
			TlvPutCategory(type, PG_GETARG_DATUM(first + t), t, cursor);
	}
}

static void
three_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	AnyColumns *columns = columns_of(fcinfo, first, 3);
	LOCAL_FCINFO(vectors, 3);

	if (columns->categories)
	{
		categories_open(fcinfo, first, columns, cursor);
		return;
	}
	InitFunctionCallInfoData(*vectors, NULL, 3, InvalidOid, NULL, NULL);
	for (int t = 0; t < 3; t++)
	{
		vectors->args[t].isnull = PG_ARGISNULL(first + t);
		if (!vectors->args[t].isnull)
			vectors->args[t].value = vector_of(&columns->type[t], PG_GETARG_DATUM(first + t));
	}
	TlvCursorOpen(vectors, 0, &TlvViewRows, TLV_ROW_VIEWS, takes, cursor);
}

const TlvRowReader TlvAnyThreeRows = {3, {TLV_ROW_VIEWS, TLV_ROW_CATEGORIES}, three_open};
