/*
 * reading.c - functions that run the caller's query, which only reads (query.h).
 */
#include "query.h"

#include "access/xact.h"
#include "miscadmin.h"
#if PG_VERSION_NUM < 160000
#include "utils/guc.h"
#include "utils/guc_tables.h"
#endif

/* Is a query run?  Its own code may neither write nor end the mode in which it cannot. */
static bool reading;

static _Noreturn void
refuse_writing_mode(void)
{
	ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
					errmsg("cannot set transaction read-write mode inside a query that is read"),
					errhint("Write before or after the statement that reads the query.")));
}

#if PG_VERSION_NUM < 160000

static GucBoolAssignHook assign_before;

/*
 * Before 16, RESET and set_config() with NULL bypass the check of transaction_read_only.  At the
 * end of a (sub)transaction the server gives back a value of before the query.
 */
static void
assign_read_only(bool value, void *extra)
{
	if (reading && !value && IsTransactionState())
		refuse_writing_mode();
	if (assign_before != NULL)
		assign_before(value, extra);
}

void
TlvGuardReading(void)
{
	struct config_generic **settings = get_guc_variables();

	for (int i = 0; i < GetNumConfigOptions(); i++)
		if (strcmp(settings[i]->name, "transaction_read_only") == 0)
		{
			struct config_bool *setting = (struct config_bool *) settings[i];

			assign_before = setting->assign_hook;
			setting->assign_hook = assign_read_only;
			return;
		}
}

#else

void
TlvGuardReading(void)
{
}

#endif

/* Functions, types, operators and casts are not locked while they are used. */
static bool
is_dropped(const ErrorData *error)
{
	static const char *const messages[] = {"cache lookup failed for ",
										   "could not open relation with OID "};

	for (size_t i = 0; i < lengthof(messages); i++)
		if (error->sqlerrcode == ERRCODE_INTERNAL_ERROR && error->message != NULL &&
			strncmp(error->message, messages[i], strlen(messages[i])) == 0)
			return true;
	return false;
}

/* The error that is being handled; one about a dropped object with the state that belongs to it. */
static _Noreturn void
rethrow(MemoryContext mcxt)
{
	MemoryContext handler = MemoryContextSwitchTo(mcxt);
	ErrorData *error = CopyErrorData();

	MemoryContextSwitchTo(handler);
	if (!is_dropped(error))
		PG_RE_THROW();
	FlushErrorState();
	MemoryContextSwitchTo(mcxt);
	error->sqlerrcode = ERRCODE_UNDEFINED_OBJECT;
	error->detail = psprintf("The server reports: %s.", error->message);
	error->message = pstrdup("an object that the query uses was dropped while the query was run");
	error->hint = pstrdup("Run the statement again once the object exists.");
	ReThrowError(error);
}

Datum
TlvReadQuery(PGFunction body, FunctionCallInfo fcinfo)
{
	MemoryContext mcxt = CurrentMemoryContext;
	bool read_only = XactReadOnly, was_reading = reading;
	volatile Datum result = (Datum) 0;

	PG_TRY();
	{
		XactReadOnly = reading = true;
		result = body(fcinfo);
		if (!XactReadOnly)
			refuse_writing_mode();
	}
	PG_CATCH();
	{
		reading = was_reading;
		rethrow(mcxt);
	}
	PG_END_TRY();
	reading = was_reading;
	XactReadOnly = read_only;
	return result;
}
