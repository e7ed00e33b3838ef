/*
 * parameters.c - what statements of ours are given: constants where they are planned (query.h).
 *
 * Long values that stay where they are until the statement has run are planned as pointers to them,
 * in this process only.
 */
#include "query.h"

#include "access/detoast.h"
#include "lib/ilist.h"
#include "nodes/makefuncs.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"

#include "query_internal.h"

typedef struct StatementParameter
{
	Oid type;
	Datum value;
	bool held; /* stays where it is until the statement has run */
} StatementParameter;

static bool
is_by_reference(const TlvStatement *statement, const StatementParameter *parameter)
{
	return statement->by_reference && parameter->held;
}

int
TlvStatementParameter(TlvStatement *statement, Oid type, Datum value)
{
	StatementParameter *parameter;
	ListCell *cell;

	foreach (cell, statement->parameters)
	{
		parameter = lfirst(cell);
		if (parameter->type == type && parameter->value == value)
			return foreach_current_index(cell) + 1;
	}
	parameter = palloc0(sizeof(StatementParameter));
	parameter->type = type;
	parameter->value = value;
	statement->parameters = lappend(statement->parameters, parameter);
	return list_length(statement->parameters);
}

int
TlvStatementHeld(TlvStatement *statement, Oid type, struct varlena *value)
{
	int number = TlvStatementParameter(statement, type, PointerGetDatum(value));
	StatementParameter *parameter = list_nth(statement->parameters, number - 1);

	parameter->held = true;
	return number;
}

/* ---- as constants ---- */

static Datum
reference_to(Datum value)
{
	struct varatt_indirect to = {(struct varlena *) DatumGetPointer(value)};
	struct varlena *reference = palloc(INDIRECT_POINTER_SIZE);

	SET_VARTAG_EXTERNAL(reference, VARTAG_INDIRECT);
	memcpy(VARDATA_EXTERNAL(reference), &to, sizeof(to));
	return PointerGetDatum(reference);
}

Const *
TlvParameterConstant(const TlvStatement *statement, int number)
{
	const StatementParameter *parameter;
	Const *constant;
	int16 length;
	bool by_value;

	if (number < 1 || number > list_length(statement->parameters))
		return NULL;
	parameter = list_nth(statement->parameters, number - 1);
	get_typlenbyval(parameter->type, &length, &by_value);
	constant = makeNullConst(parameter->type, -1, get_typcollation(parameter->type));
	/* makeConst would read what a reference points to. */
	constant->constvalue =
		is_by_reference(statement, parameter) ? reference_to(parameter->value) : parameter->value;
	constant->constisnull = false;
	return constant;
}

double
TlvStatementParametersSize(const TlvStatement *statement)
{
	double size = 0;
	ListCell *cell;

	foreach (cell, statement->parameters)
	{
		const StatementParameter *parameter = lfirst(cell);
		int16 length;
		bool by_value;

		get_typlenbyval(parameter->type, &length, &by_value);
		if (!by_value && !is_by_reference(statement, parameter))
			size += (double) datumGetSize(parameter->value, by_value, length);
	}
	return size;
}

/* ---- what statements that run refer to ---- */

bool
TlvStatementHolds(const TlvStatement *statement)
{
	ListCell *cell;

	foreach (cell, statement->parameters)
		if (((const StatementParameter *) lfirst(cell))->held)
			return true;
	return false;
}

typedef struct HeldValues
{
	dlist_node node;
	MemoryContextCallback callback; /* takes it out of the list */
	List *values;
} HeldValues;

/* Of all statements that run. */
static dlist_head held_values = DLIST_STATIC_INIT(held_values);

static void
end_holding(void *argument)
{
	dlist_delete(&((HeldValues *) argument)->node);
}

void
TlvBeginHolding(const TlvStatement *statement)
{
	HeldValues *held = palloc0(sizeof(HeldValues));
	ListCell *cell;

	foreach (cell, statement->parameters)
	{
		const StatementParameter *parameter = lfirst(cell);

		if (parameter->held)
			held->values = lappend(held->values, DatumGetPointer(parameter->value));
	}
	held->callback.func = end_holding;
	held->callback.arg = held;
	dlist_push_head(&held_values, &held->node);
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &held->callback);
}

bool
TlvIsHeld(const struct varlena *value)
{
	dlist_iter iter;

	dlist_foreach(iter, &held_values)
	{
		if (list_member_ptr(dlist_container(HeldValues, node, iter.cur)->values, value))
			return true;
	}
	return false;
}
