/*
 * arguments.c - arguments of fits and drivers (arguments.h).
 */
#include "arguments.h"

#include "arrays.h"

#include "catalog/pg_proc.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/syscache.h"

const char *const TlvCovarianceNames[] = {"common", "spherical", "diagonal", "full", NULL};

const char *const tlv_method_names[] = {"joint", "power", "als", "sgd", NULL};

/* 'a', 'b' or 'c' */
static const char *
quoted_list(const char *const *names)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; names[i] != NULL; i++)
		appendStringInfo(&list, "%s'%s'",
						 i == 0					? ""
						 : names[i + 1] == NULL ? " or "
												: ", ",
						 names[i]);
	return list.data;
}

int
TlvChoice(const char *value, const char *const *names, const char *what)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(value, names[i]) == 0)
			return i;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("there is no %s \"%s\"", what, TlvClip(value, 40)),
					errhint("Use %s.", quoted_list(names))));
	pg_unreachable();
}

int
TlvChoiceAmong(const char *value, const char *const *names, const char *const *allowed,
			   const char *what)
{
	for (int i = 0; names[i] != NULL; i++)
		if (strcmp(value, names[i]) == 0)
			return i;
	return TlvChoice(value, allowed, what);
}

static int
whole_argument(FunctionCallInfo fcinfo, int n, const TlvArgument *argument)
{
	return (int) TlvCountArgument(fcinfo, n, argument->name, argument->least);
}

static double
real_argument(FunctionCallInfo fcinfo, int n, const TlvArgument *argument)
{
	double value = PG_GETARG_FLOAT8(n);

	if (argument->most_text != NULL && !(value >= 0 && value <= argument->most))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s = %g is not between 0 and %s", argument->name, value,
							   argument->most_text),
						argument->hint != NULL ? errhint("%s", argument->hint) : 0));
	return value;
}

/* Argument n, which is not NULL, to where it goes. */
static void
argument_read(FunctionCallInfo fcinfo, int n, const TlvArgument *argument, void *to)
{
	switch (argument->type)
	{
		case TLV_ARGUMENT_COUNT:
			*(size_t *) to = (size_t) whole_argument(fcinfo, n, argument);
			break;
		case TLV_ARGUMENT_NUMBER:
			*(int *) to = whole_argument(fcinfo, n, argument);
			break;
		case TLV_ARGUMENT_REAL:
			*(double *) to = real_argument(fcinfo, n, argument);
			break;
		case TLV_ARGUMENT_FLAG:
			*(bool *) to = PG_GETARG_BOOL(n);
			break;
		case TLV_ARGUMENT_TEXT:
			*(const char **) to = text_to_cstring(PG_GETARG_TEXT_PP(n));
			break;
		case TLV_ARGUMENT_CHOICE:
			*(int *) to =
				TlvChoice(text_to_cstring(PG_GETARG_TEXT_PP(n)), argument->names, argument->what);
			break;
		case TLV_ARGUMENT_SEED:
			*(uint64_t *) to = TlvSeedArgument(fcinfo, n);
			break;
		case TLV_ARGUMENT_DATUM:
			*(Datum *) to = PG_GETARG_DATUM(n);
			break;
	}
}

/* The names of a function's arguments; returns their number. */
static int
argument_names(FunctionCallInfo fcinfo, char ***names)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	bool none, all_in;
	Datum declared, modes;
	int n;

	if (!HeapTupleIsValid(tuple))
		TlvRaiseDropped(fcinfo->flinfo->fn_oid);
	declared = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargnames, &none);
	modes = SysCacheGetAttr(PROCOID, tuple, Anum_pg_proc_proargmodes, &all_in);
	n = none ? 0
			 : get_func_input_arg_names(declared, all_in ? PointerGetDatum(NULL) : modes, names);
	ReleaseSysCache(tuple);
	return n;
}

static int
argument_number(const char *name, int n, char *const *names)
{
	for (int i = 0; i < n; i++)
		if (names[i] != NULL && strcmp(names[i], name) == 0)
			return i;
	return -1;
}

bool
TlvArgumentIsNull(FunctionCallInfo fcinfo, const char *name)
{
	char **names = NULL;
	int declared = argument_names(fcinfo, &names);
	int at = argument_number(name, Min(declared, PG_NARGS()), names);

	return at < 0 || PG_ARGISNULL(at);
}

static int
declared_number(FunctionCallInfo fcinfo, const char *name)
{
	char **names = NULL;
	int declared = argument_names(fcinfo, &names);
	int at = argument_number(name, Min(declared, PG_NARGS()), names);

	if (at < 0)
		TlvRaiseMismatch("function %u has no argument %s", fcinfo->flinfo->fn_oid, name);
	return at;
}

/* The same of one that is not NULL. */
static int
given_number(FunctionCallInfo fcinfo, const char *name)
{
	int at = declared_number(fcinfo, name);

	if (PG_ARGISNULL(at))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s is null", name)));
	return at;
}

size_t
TlvNamedCount(FunctionCallInfo fcinfo, const char *name, int minimum)
{
	return TlvCountArgument(fcinfo, given_number(fcinfo, name), name, minimum);
}

double
TlvNamedNumber(FunctionCallInfo fcinfo, const char *name)
{
	return PG_GETARG_FLOAT8(given_number(fcinfo, name));
}

int
TlvNamedChoice(FunctionCallInfo fcinfo, const char *name, const char *const *names,
			   const char *what)
{
	int at = declared_number(fcinfo, name);

	return PG_ARGISNULL(at) ? 0 : TlvChoice(text_to_cstring(PG_GETARG_TEXT_PP(at)), names, what);
}

bool
TlvNamedFlag(FunctionCallInfo fcinfo, const char *name)
{
	int at = declared_number(fcinfo, name);

	return !PG_ARGISNULL(at) && PG_GETARG_BOOL(at);
}

ArrayType *
TlvNamedArray(FunctionCallInfo fcinfo, const char *name)
{
	return TLV_GETARG_ARRAY(given_number(fcinfo, name));
}

Datum
TlvNamedValue(FunctionCallInfo fcinfo, const char *name)
{
	return PG_GETARG_DATUM(given_number(fcinfo, name));
}

uint64
TlvNamedSeed(FunctionCallInfo fcinfo)
{
	return TlvSeedArgument(fcinfo, declared_number(fcinfo, "seed"));
}

static bool
argument_known(const char *name, const TlvArgument *table)
{
	for (; table->name != NULL; table++)
		if (strcmp(table->name, name) == 0)
			return true;
	return false;
}

/* options => '{...}' is for keys to come: there are none yet. */
static void
refuse_options(Jsonb *options)
{
	JsonbIterator *iterator = JsonbIteratorInit(&options->root);
	JsonbValue value;

	if (JsonbIteratorNext(&iterator, &value, true) != WJB_BEGIN_OBJECT)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("options are no object"),
						errhint("An object of no keys, '{}', or NULL is what they may be.")));
	if (JsonbIteratorNext(&iterator, &value, true) == WJB_KEY)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no option \"%s\"",
							   TlvClip(pnstrdup(value.val.string.val, value.val.string.len), 40)),
						errhint("All options of this version are arguments of the function.")));
}

bool
TlvFailureIsNull(FunctionCallInfo fcinfo)
{
	static const char *const failures[] = {"error", "null", NULL};

	return !TlvArgumentIsNull(fcinfo, "on_failure") &&
		   TlvNamedChoice(fcinfo, "on_failure", failures, "on_failure") == 1;
}

void
TlvReadArguments(FunctionCallInfo fcinfo, const TlvArgument *table, void *options)
{
	char **names = NULL;
	int declared = argument_names(fcinfo, &names), n = Min(declared, PG_NARGS());

	(void) TlvFailureIsNull(fcinfo);
	for (int i = 1; i < n; i++)
		if (names[i] != NULL && strcmp(names[i], "options") == 0)
		{
			if (!PG_ARGISNULL(i))
				refuse_options(PG_GETARG_JSONB_P(i));
		}
		else if (names[i] != NULL &&
				 (strcmp(names[i], "on_failure") == 0 || strcmp(names[i], "errors") == 0 ||
				  strcmp(names[i], "more_queries") == 0 || strcmp(names[i], "weights") == 0))
			continue;
		else if (names[i] == NULL || !argument_known(names[i], table))
			TlvRaiseMismatch("argument %d of function %u is not known", i + 1,
							 fcinfo->flinfo->fn_oid);
	for (const TlvArgument *argument = table; argument->name != NULL; argument++)
	{
		void *to = (char *) options + argument->offset;
		int at = argument_number(argument->name, n, names);

		if (at < 0)
			continue;
		if (!PG_ARGISNULL(at))
			argument_read(fcinfo, at, argument, to);
		else if (argument->type == TLV_ARGUMENT_SEED)
			*(uint64_t *) to = 1;
		else if (argument->required)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("%s is null", argument->name)));
	}
}
