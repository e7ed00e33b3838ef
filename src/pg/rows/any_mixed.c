/*
 * any_mixed.c - rows of categories and numbers in an argument that is declared "any", for models of
 * both (any_internal.h).
 */
#include "any_internal.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "server/arrays.h"
#include "vectors.h"
#include "tensorlv/model/dimension_names.h"

/* The dimensions of a row of categories and numbers, in the order of the model. */
typedef struct MixedRow
{
	const tlv_code_names *names;
	double *values;
	bool *nulls;
	size_t first; /* the first category of the next variable among those of all */
} MixedRow;

static MixedRow
mixed_row(const tlv_code_names *names, size_t d)
{
	return (MixedRow){.names = names,
					  .values = palloc0(Max(d, 1) * sizeof(double)),
					  .nulls = palloc0(Max(d, 1) * sizeof(bool))};
}

/* Sets dimension i, which is a category of a type, or a number that has been read. */
static void
set_mixed(const AnyCall *call, MixedRow *row, size_t i, const AnyType *type, Datum value, bool null)
{
	double number = NAN;

	if (i < row->names->variables)
	{
		if (!null)
			number = TlvAnyCodeNumber(call, row->names, i, row->first, type, value);
		row->first += (size_t) row->names->states[i];
		null = isnan(number);
	}
	else if (!null)
		number = TlvNumberOf(type->base, value);
	row->nulls[i] = null || (isnan(number) && type->base == DATEOID);
	row->values[i] = number;
}

void
TlvAnyOpenMixedColumns(const AnyCall *call, const tlv_code_names *names)
{
	AnyRecord *record = &call->row->record;
	MixedRow row;

	row = mixed_row(names, record->d);
	for (size_t i = 0; i < record->d; i++)
	{
		int column = record->order != NULL ? record->order[i] : (int) i;
		const AnyType *type = &record->type[column];
		bool null = TlvAnyColumnIsNull(record, column);

		if (!null && i >= names->variables && !TlvAnyIsMeasure(type))
			TlvAnyRefuseColumn(call, column);
		set_mixed(call, &row, i, type, record->values[record->columns[column]], null);
	}
	TlvAnyOpenNumbers(call, record->d, row.values, row.nulls);
}

/* ---- literals ---- */

/* The fields of a row literal, (a,b,c), of n columns as texts. */
static void
read_record_literal(char *given, size_t n, Datum *texts, bool *nulls)
{
	TupleDesc desc = CreateTemplateTupleDesc((int) n);
	HeapTupleData tuple;

	for (size_t i = 1; i <= n; i++)
		TupleDescInitEntry(desc, (AttrNumber) i, "f", TEXTOID, -1, 0);
	BlessTupleDesc(desc);
	tuple.t_data = DatumGetHeapTupleHeader(
		OidInputFunctionCall(F_RECORD_IN, given, RECORDOID, desc->tdtypmod));
	tuple.t_len = HeapTupleHeaderGetDatumLength(tuple.t_data);
	ItemPointerSetInvalid(&tuple.t_self);
	tuple.t_tableOid = InvalidOid;
	heap_deform_tuple(&tuple, desc, texts, nulls);
}

ArrayType *
TlvAnyRecordArray(char *given, size_t n, Oid element)
{
	Datum *texts = palloc(n * sizeof(Datum));
	bool *nulls = palloc(n * sizeof(bool));
	double *numbers;

	read_record_literal(given, n, texts, nulls);
	if (element == TEXTOID)
		return construct_md_array(texts, nulls, 1, (int[]){(int) n}, (int[]){1}, TEXTOID, -1, false,
								  TYPALIGN_INT);
	numbers = palloc0(n * sizeof(double));
	for (size_t i = 0; i < n; i++)
		if (!nulls[i])
			numbers[i] = DatumGetFloat8(
				OidInputFunctionCall(F_FLOAT8IN, TextDatumGetCString(texts[i]), FLOAT8OID, -1));
	return TlvFloat8Nulls(n, numbers, nulls);
}

/* "infinity" is a date where a client writes a row, and a number where somebody types it. */
static void
count_infinite(const AnyCall *call, size_t variable, const char *shown)
{
	static const char hint[] = "Write null for a date that is missing, and a finite number for a "
							   "number: \"Infinity\", as numbers are written, is refused.";

	if (TlvCountsRows() && !TlvCountRow(call->row->function, hint))
		TlvCountFirstRow(call->row->function, "infinite dates",
						 psprintf("\"%s\" of variable %s", shown,
								  TlvVariableName(&call->model->frame, variable)),
						 "In a row without types \"infinity\" is a date, and is missing.", hint);
}

/* A number, or a date, which begins with a year of at least four digits and is in days; an infinite
 * date, which its type writes in small letters and a number does not, is missing. */
double
TlvAnyLiteralNumber(const AnyCall *call, size_t variable, char *shown, bool *null)
{
	size_t year = strspn(shown, "0123456789");

	if (year >= 4 && shown[year] == '-')
		return TlvNumberOf(DATEOID, OidInputFunctionCall(F_DATE_IN, shown, DATEOID, -1));
	*null = strcmp(shown, "infinity") == 0 || strcmp(shown, "-infinity") == 0;
	if (*null)
		count_infinite(call, variable, shown);
	return DatumGetFloat8(OidInputFunctionCall(F_FLOAT8IN, shown, FLOAT8OID, -1));
}

static ArrayType *
read_array_literal(char *given)
{
	ArrayType *array = TlvArrayOfText(given, TEXTOID);

	if (ARR_NDIM(array) > 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
			 errmsg("a row of categories and numbers has one dimension, not %d", ARR_NDIM(array)),
			 errhint("Give one row at a time, '{a,b,1.5}', in the order of the variables.")));
	return array;
}

void
TlvAnyOpenMixedLiteral(const AnyCall *call, const tlv_code_names *names, char *given)
{
	static const AnyType category = {.form = ANY_LITERAL, .type = TEXTOID, .base = TEXTOID};
	static const AnyType number = {.form = ANY_NUMBER, .type = FLOAT8OID, .base = FLOAT8OID};
	int n = (int) tlv_value_names_of(&call->model->frame).n;
	Datum *texts = palloc((size_t) n * sizeof(Datum));
	bool *nulls = palloc((size_t) n * sizeof(bool));
	MixedRow row;

	if (*given == '(')
		read_record_literal(given, (size_t) n, texts, nulls);
	else
		n = TlvArrayElements(read_array_literal(given), 0, &texts, &nulls);
	row = mixed_row(names, (size_t) n);
	for (size_t i = 0; i < (size_t) n; i++)
		if (i < names->variables)
			set_mixed(call, &row, i, &category, texts[i], nulls[i]);
		else
		{
			double value =
				nulls[i] ? 0
						 : TlvAnyLiteralNumber(call, i, TextDatumGetCString(texts[i]), &nulls[i]);

			set_mixed(call, &row, i, &number, Float8GetDatum(value), nulls[i]);
		}
	TlvAnyOpenNumbers(call, (size_t) n, row.values, row.nulls);
}
