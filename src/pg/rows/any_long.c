/*
 * any_long.c - rows of (variable, value) in an argument that is declared "any": two arrays, as
 * ROW(array_agg(variable), array_agg(value)) makes them of a long table; of a model of numbers
 * beside categories three, ROW(variables, categories, numbers).
 */
#include "any_internal.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/query.h"
#include "server/arrays.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"

/* One array of the two. */
typedef struct LongSide
{
	AnyType type; /* of its elements */
	Datum *values;
	bool *nulls;
	int n;
} LongSide;

bool
TlvAnyIsLong(const AnyCall *call)
{
	const AnyRecord *record = &call->row->record;
	tlv_code_names names;

	return (call->takes & (TLV_ROW_CODES | TLV_ROW_VECTOR)) != 0 &&
		   (call->takes & TLV_ROW_VIEWS) == 0 &&
		   (record->n == 2 || (record->n == 3 && TlvAnyMixedNames(call, &names) &&
							   record->type[2].form == ANY_ARRAY)) &&
		   record->type[0].form == ANY_ARRAY && record->type[1].form == ANY_ARRAY;
}

/* ---- variables by name ---- */

/* Copies of the names, since the model may be closed. */
static void
any_long_copy_names(AnyRecord *record, tlv_value_names names)
{
	tlv_value_names walk = names;
	size_t total = 0;
	tlv_text name;
	char *bytes;

	while (tlv_value_names_next(&walk, &name))
		total += name.length;
	if (record->names != NULL)
		pfree(record->names);
	record->names = NULL;
	record->names = MemoryContextAllocExtended(record->mcxt, names.n * sizeof(tlv_text) + total,
											   MCXT_ALLOC_HUGE);
	bytes = (char *) (record->names + names.n);
	for (size_t i = 0; tlv_value_names_next(&names, &name); i++)
	{
		TlvLoopCheck(i);
		memcpy(bytes, name.bytes, name.length);
		tlv_lines_decode(bytes, name.length);
		record->names[i] = (tlv_text){bytes, name.length};
		bytes += name.length;
	}
	record->d = names.n;
}

/* By the ids of their names, in time that no choice of names makes more than linear. */
static void
sort_variables(AnyRecord *record)
{
	static const tlv_sort_form form = {sizeof(AnyVariable), sizeof(uint64), 0, 64};
	size_t n = record->d;
	AnyVariable *sorted;
	tlv_context ctx = TlvCallContext();

	if (record->variables != NULL)
		pfree(record->variables);
	record->variables = NULL;
	record->variables =
		MemoryContextAllocExtended(record->mcxt, 2 * n * sizeof(AnyVariable), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < n; i++)
	{
		tlv_text name = record->names[i];

		record->variables[i] = (AnyVariable){(uint64) TlvTermId(name.bytes, name.length), i};
	}
	TlvCheck(&ctx, tlv_radix_sort(&ctx, &form, n, record->variables, record->variables + n,
								  (void **) &sorted));
	memmove(record->variables, sorted, n * sizeof(AnyVariable));
}

/* The model's variables; known until another model comes. */
static void
learn_variables(const AnyCall *call)
{
	AnyRecord *record = &call->row->record;
	const tlv_frame *model = &call->model->frame;
	tlv_value_names names = tlv_value_names_of(model);

	if (record->matched && tlv_digest_equal(&record->model, &model->header->digest))
		return;
	record->matched = false;
	if (names.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the variables of the model have no names"),
				 errhint("Give the values of a row as one array, in the order of variables.")));
	any_long_copy_names(record, names);
	sort_variables(record);
	record->model = model->header->digest;
	record->matched = true;
}

/* The place of the variable that is called so in the rows of the model; -1: none is. */
static int64
find_variable(const AnyRecord *record, tlv_text name)
{
	uint64 id = (uint64) TlvTermId(name.bytes, name.length);
	size_t low = 0, high = record->d;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (record->variables[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < record->d && record->variables[low].id == id; low++)
	{
		tlv_text known = record->names[record->variables[low].at];

		if (known.length == name.length && memcmp(known.bytes, name.bytes, name.length) == 0)
			return (int64) record->variables[low].at;
	}
	return -1;
}

/* The same of one that is called so, or by an equal name.  One that the model does not know is
 * counted as an unknown category is. */
static int64
variable_called(const AnyCall *call, const AnyCode *variable)
{
	const AnyRecord *record = &call->row->record;
	int64 at = find_variable(record, variable->name);
	const tlv_text *equal;
	size_t n = at >= 0 || variable->equality == NULL
				   ? 0
				   : TlvEqualNames(variable->equality, &call->model->frame, variable->name, &equal);

	for (size_t i = 0; i < n && at < 0; i++)
		at = find_variable(record, equal[i]);
	if (at < 0 && !call->row->unknown.found)
		call->row->unknown = (TlvUnknown){true, TLV_NO_PART, variable->name};
	return at;
}

/* ---- the two arrays ---- */

static LongSide
side_of(const AnyCall *call, int i)
{
	static const char *const called[] = {"variables", "values", "numbers"};
	AnyRecord *record = &call->row->record;
	ArrayType *array;
	LongSide side = {0};

	if (TlvAnyColumnIsNull(record, i))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("the array of %s is null", called[i])));
	array = TlvFetchArray(record->values[record->columns[i]]);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("the array of %s has %d dimensions, not one", called[i], ARR_NDIM(array)),
				 errhint("Give one row at a time.")));
	side.type.type = ARR_ELEMTYPE(array);
	side.type.base = getBaseType(side.type.type);
	/* Ids that are numbers are called by their digits. */
	side.type.equality = record->type[i].equality;
	side.type.form = i > 0 && TlvIsNumberType(side.type.base) ? ANY_NUMBER : ANY_OTHER;
	if (side.type.form != ANY_NUMBER && !TlvIsIdType(side.type.base))
		TlvAnyRefuseColumn(call, i);
	side.n = TlvArrayElements(array, 0, &side.values, &side.nulls);
	return side;
}

/* Which of the row's values the next one of the variable at that place is: as many as there are
 * copies. */
static int64
next_slot(const AnyCode *variable, int64 at, size_t copies, int *seen)
{
	tlv_text name = variable->name;

	if ((size_t) seen[at] == copies)
		ereport(ERROR, (errcode(ERRCODE_CARDINALITY_VIOLATION),
						errmsg("variable \"%s\" has %zu values in one row",
							   TlvWhole(pnstrdup(name.bytes, name.length)), copies + 1),
						errhint("Say which value is to be taken.")));
	return at * (int64) copies + seen[at]++;
}

static void
any_long_require_equal(const LongSide *variables, const LongSide *values)
{
	if (variables->n != values->n)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the row has %d %s, but %d %s", variables->n,
							   tlv_plural((double) variables->n, "variable", "variables"),
							   values->n, tlv_plural((double) values->n, "value", "values")),
						errhint("The arrays have one element for every value of the row.")));
}

/* ---- rows ---- */

static void
open_codes(const AnyCall *call, const LongSide *variables, const LongSide *values)
{
	size_t d = call->row->record.d, copies;
	int *seen = palloc0(d * sizeof(int));
	tlv_code_names names;
	AnyCode *codes;

	if (!TlvAnyCodeNames(call, &names) && values->type.form != ANY_NUMBER)
		TlvAnyRefuseColumn(call, 1);
	copies = Max(names.copies, 1);
	codes = palloc(d * copies * sizeof(AnyCode));
	for (size_t s = 0; s < d * copies; s++)
		codes[s] = (AnyCode){.missing = true};
	any_long_require_equal(variables, values);
	for (int i = 0; i < values->n; i++)
	{
		AnyCode variable;
		int64 at;

		TlvLoopCheck(i);
		if (variables->nulls[i] || values->nulls[i])
			continue;
		variable = TlvAnyCodeOf(&variables->type, variables->values[i]);
		at = variable_called(call, &variable);
		if (at >= 0)
			codes[next_slot(&variable, at, copies, seen)] =
				TlvAnyCodeOf(&values->type, values->values[i]);
	}
	TlvAnyOpenCodes(call, &names, d * copies, codes);
}

/* The value of a variable at that place: of those of categories its code, of others the number. */
static double
mixed_value(const AnyCall *call, const tlv_code_names *names, const size_t *first, size_t at,
			const LongSide *values, int column, int i)
{
	if (at < names->variables)
		return TlvAnyCodeNumber(call, names, at, first[at], &values->type, values->values[i]);
	if (values->type.form != ANY_NUMBER)
		TlvAnyRefuseColumn(call, column);
	return TlvNumberOf(values->type.base, values->values[i]);
}

/* The first category of every variable among those of all. */
static size_t *
first_categories(const tlv_code_names *names)
{
	size_t *first = palloc((names->variables + 1) * sizeof(size_t));

	first[0] = 0;
	for (size_t j = 0; j < names->variables; j++)
		first[j + 1] = first[j] + (size_t) names->states[j];
	return first;
}

static _Noreturn void
refuse_side(const AnyCode *variable, bool number)
{
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("variable \"%s\" has a value among the %s, and is a %s",
						   TlvWhole(pnstrdup(variable->name.bytes, variable->name.length)),
						   number ? "categories" : "numbers", number ? "number" : "category"),
					errhint("ROW(variables, categories, numbers) has a value of each variable in "
							"one of the two arrays, and NULL in the other.")));
	pg_unreachable();
}

/* Categories, as many as have names, and numbers in an array of their own (or NULL: among the
 * categories). */
static void
open_mixed(const AnyCall *call, const tlv_code_names *names, const LongSide *variables,
		   const LongSide *values, const LongSide *numbers)
{
	const AnyRecord *record = &call->row->record;
	int *seen = palloc0(record->d * sizeof(int));
	size_t *first = first_categories(names);
	double *row = palloc0(record->d * sizeof(double));
	bool *nulls = palloc(record->d * sizeof(bool));

	memset(nulls, true, record->d * sizeof(bool));
	if (numbers != NULL && numbers->type.form != ANY_NUMBER)
		TlvAnyRefuseColumn(call, 2);
	if (names->variables == 0 && values->type.form != ANY_NUMBER)
		TlvAnyRefuseColumn(call, 1);
	any_long_require_equal(variables, values);
	any_long_require_equal(variables, numbers != NULL ? numbers : values);
	for (int i = 0; i < variables->n; i++)
	{
		AnyCode variable;
		int64 at;
		bool own;

		TlvLoopCheck(i);
		if (variables->nulls[i] || (values->nulls[i] && (numbers == NULL || numbers->nulls[i])))
			continue;
		variable = TlvAnyCodeOf(&variables->type, variables->values[i]);
		at = variable_called(call, &variable);
		if (at < 0)
			continue;
		own = at >= (int64) names->variables && numbers != NULL;
		if (numbers != NULL && !(own ? values : numbers)->nulls[i])
			refuse_side(&variable, own);
		if ((own ? numbers : values)->nulls[i])
			continue;
		(void) next_slot(&variable, at, 1, seen);
		row[at] =
			mixed_value(call, names, first, (size_t) at, own ? numbers : values, own ? 2 : 1, i);
		nulls[at] = at < (int64) names->variables && isnan(row[at]);
	}
	TlvAnyOpenNumbers(call, record->d, row, nulls);
}

void
TlvAnyOpenLong(const AnyCall *call)
{
	LongSide variables, values, numbers = {0};
	bool three = call->row->record.n == 3;
	tlv_code_names names;

	learn_variables(call);
	variables = side_of(call, 0);
	values = side_of(call, 1);
	if (three)
		numbers = side_of(call, 2);
	if (!TlvAnyMixedNames(call, &names) && (call->takes & TLV_ROW_CODES) != 0)
		open_codes(call, &variables, &values);
	else
		open_mixed(call, &names, &variables, &values, three ? &numbers : NULL);
}
