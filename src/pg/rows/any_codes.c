/*
 * any_codes.c - values of categorical variables in an argument that is declared "any", by name or
 * by number, as codes.
 */
#include "any_internal.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"

#include "query/query.h"
#include "vectors.h"
#include "server/arrays.h"
#include "tensorlv/model/categories.h"
#include "tensorlv/model/dimension_names.h"

/* Looked up once: to find them among the sections of a model takes longer than a row. */
static const tlv_code_names *
names_of_model(const AnyCall *call)
{
	const tlv_frame *frame = &call->model->frame;
	AnyNames *known = &call->row->names;

	if (known->header != frame->header || !tlv_digest_equal(&known->digest, &frame->header->digest))
	{
		known->header = NULL;
		memset(&known->names, 0, sizeof(known->names));
		call->model->class->code_names(frame, &known->names);
		known->digest = frame->header->digest;
		known->header = frame->header;
	}
	return &known->names;
}

static bool
names_of_form(const AnyCall *call, tlv_row_form form, tlv_code_names *names)
{
	memset(names, 0, sizeof(*names));
	if ((call->takes & form) != 0 && call->model->class->code_names != NULL)
		*names = *names_of_model(call);
	return names->names.offsets != NULL;
}

bool
TlvAnyCodeNames(const AnyCall *call, tlv_code_names *names)
{
	return names_of_form(call, TLV_ROW_CODES, names);
}

bool
TlvAnyMixedNames(const AnyCall *call, tlv_code_names *names)
{
	if (names_of_form(call, TLV_ROW_VECTOR, names))
		return true;
	memset(names, 0, sizeof(*names)); /* variables that have no categories are numbers */
	return false;
}

/* A name in a literal that is none of the variable's but a whole number: the code. */
static double
literal_code(tlv_text name)
{
	double code = 0;

	for (size_t i = 0; i < name.length; i++)
	{
		if (name.bytes[i] < '0' || name.bytes[i] > '9')
			return -1;
		code = 10 * code + (name.bytes[i] - '0');
	}
	return name.length > 0 && code < TLV_CATEGORY_MOST_STATES ? code : -1;
}

/* A name in a literal that is none of the variable's but spells a boolean, as its type reads it:
 * the code of true or false, if the variable has it and no category besides these. */
static double
boolean_code(const tlv_code_names *names, size_t variable, size_t first, tlv_text name)
{
	static const tlv_text spelled[] = {{"false", 5}, {"true", 4}};
	int64_t known = 0;
	double code[2];
	bool value;

	if (!parse_bool_with_len(name.bytes, name.length, &value))
		return -1;
	for (int i = 0; i < 2; i++)
	{
		code[i] = tlv_code_called(names, variable, first, spelled[i]);
		known += code[i] >= 0;
	}
	return known == names->states[variable] ? code[value] : -1;
}

/* The code of the category that is called so, or by an equal name; -1: the model knows none. */
static double
called_code(const AnyCall *call, const tlv_code_names *names, size_t variable, size_t first,
			const AnyCode *value)
{
	double code = tlv_code_called(names, variable, first, value->name);
	const tlv_text *equal;
	size_t n;

	if (code >= 0 || value->equality == NULL)
		return code;
	n = TlvEqualNames(value->equality, &call->model->frame, value->name, &equal);
	for (size_t i = 0; i < n && code < 0; i++)
		code = tlv_code_called(names, variable, first, equal[i]);
	return code;
}

static tlv_text
digits_of(double number)
{
	char *digits = psprintf("%.0f", number);

	return (tlv_text){digits, strlen(digits)};
}

/* The code of a value that is there; -1: the model does not know the category. */
static double
known_code(const AnyCall *call, const tlv_code_names *names, size_t variable, size_t first,
		   const AnyCode *value)
{
	bool numbered = tlv_codes_are_numbered(names, variable, first);
	double code;

	if (value->named)
	{
		code = called_code(call, names, variable, first, value);
		if (code < 0 && value->literal)
			code = boolean_code(names, variable, first, value->name);
		return code < 0 && value->literal && !numbered ? literal_code(value->name) : code;
	}
	if (!numbered)
		return value->number;
	return tlv_code_called(names, variable, first, digits_of(value->number));
}

/* The number that a value of a variable of ranges is; NaN: it is missing, or the name of a range.
 */
static double
ranged_number(const AnyCall *call, const tlv_code_names *names, size_t variable, size_t first,
			  const AnyCode *value)
{
	bool null = value->missing, finite = !value->dated;
	double number = value->number;

	if (!null && value->named && !value->dated)
	{
		if (tlv_code_called(names, variable, first, value->name) >= 0)
			return NAN;
		number = TlvAnyLiteralNumber(call, variable,
									 pnstrdup(value->name.bytes, value->name.length), &null);
	}
	if (!null && finite && !isfinite(number))
		TlvRefuseNumber(&call->model->frame, variable);
	return null ? NAN : number;
}

/* The code, or -1 where there is none: a category that the model does not know counts as missing.
 */
static double
code_of(const AnyCall *call, const tlv_code_names *names, size_t variable, size_t first,
		const AnyCode *value, double number)
{
	TlvUnknown *unknown = &call->row->unknown;
	double code;

	if (value->missing)
		return -1;
	if (tlv_code_is_ranged(names, variable))
		return isnan(number) ? tlv_code_called(names, variable, first, value->name)
							 : tlv_code_of_number(names, variable, first, number);
	code = known_code(call, names, variable, first, value);
	if (code < 0 && !unknown->found)
		*unknown =
			(TlvUnknown){true, variable, value->named ? value->name : digits_of(value->number)};
	return code;
}

double
TlvAnyCodeNumber(const AnyCall *call, const tlv_code_names *names, size_t variable, size_t first,
				 const AnyType *type, Datum value)
{
	AnyCode own = TlvAnyCodeOf(type, value);
	double code = code_of(call, names, variable, first, &own, NAN);

	return code >= 0 ? code : get_float8_nan();
}

void
TlvAnyOpenCodes(const AnyCall *call, const tlv_code_names *names, size_t n, const AnyCode *values)
{
	double *codes = palloc(Max(n, 1) * sizeof(double));
	bool *nulls = palloc(Max(n, 1) * sizeof(bool));
	double *numbers = names->ranges.ranged != NULL ? palloc(Max(n, 1) * sizeof(double)) : NULL;

	for (size_t i = 0, first = 0; i < n; i++)
	{
		size_t variable = i / names->copies;
		bool known = variable < names->variables; /* a row that is too long is refused later */
		bool ranged = known && tlv_code_is_ranged(names, variable);
		double number = ranged ? ranged_number(call, names, variable, first, &values[i]) : NAN;
		double code = known ? code_of(call, names, variable, first, &values[i], number) : -1;

		TlvLoopCheck(i);
		if (numbers != NULL)
			numbers[i] = number;
		nulls[i] = code == -1 && (!known || values[i].missing || values[i].named || ranged ||
								  tlv_codes_are_numbered(names, variable, first));
		codes[i] = code;
		if (known && (i + 1) % names->copies == 0)
			first += (size_t) names->states[variable];
	}
	TlvAnyOpenAs(call, &TlvIntegerRows, TLV_ROW_CODES,
				 PointerGetDatum(TlvInt4Numbers(TlvFloat8Nulls(n, codes, nulls), FLOAT8OID)));
	call->cursor->numbers = numbers;
}

void
TlvAnyOpenCodeArray(const AnyCall *call, const tlv_code_names *names, ArrayType *array, Oid element)
{
	bool literal = call->row->type.form == ANY_LITERAL || call->row->type.form == ANY_TEXT;
	bool text = !TlvIsNumberType(element), *nulls;
	AnyCode *values;
	Datum *datums;
	int n;

	array = text ? TlvTexts(array, element) : TlvFloat8Numbers(array, element);
	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a row of categorical variables has one dimension, not %d",
							   ARR_NDIM(array)),
						errhint("Give one row at a time.")));
	n = TlvArrayElements(array, sizeof(AnyCode), &datums, &nulls);
	values = palloc_extended((size_t) Max(n, 1) * sizeof(AnyCode), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		values[i] = (AnyCode){.missing = nulls[i],
							  .named = text,
							  .literal = literal,
							  .equality = call->row->type.equality};
		if (!nulls[i] && text)
			values[i].name = (tlv_text){VARDATA_ANY(datums[i]), VARSIZE_ANY_EXHDR(datums[i])};
		else if (!nulls[i])
			values[i].number = DatumGetFloat8(datums[i]);
	}
	TlvAnyOpenCodes(call, names, (size_t) n, values);
}

AnyCode
TlvAnyCodeOf(const AnyType *type, Datum value)
{
	text *name;

	if (type->form == ANY_NUMBER)
		return (AnyCode){.number = TlvNumberOf(type->base, value)};
	name = TlvTextOf(type->base, value);
	return (AnyCode){.named = true,
					 .dated = type->base == DATEOID,
					 .number = type->base == DATEOID ? TlvNumberOf(DATEOID, value) : 0,
					 .literal = type->form == ANY_LITERAL,
					 .name = {VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)},
					 .equality = type->equality};
}
