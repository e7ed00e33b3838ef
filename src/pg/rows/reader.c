/*
 * reader.c - going through the rows of a call, whatever they are, and the readers of rows that are
 * bags, arrays of bags, or nodes with bags of their neighbours.
 */
#include "reader.h"

#include "server/arrays.h"

/* The next bag of an array that is not NULL. */
static bool
next_bag(TlvRowCursor *cursor)
{
	size_t at;

	if (cursor->n_owned > 0) /* the bag before */
		pfree(cursor->owned[--cursor->n_owned]);
	while (cursor->left > 0)
	{
		at = cursor->rows - cursor->left--;
		if (!cursor->bag_nulls[at])
		{
			struct varlena *bag = PG_DETOAST_DATUM(cursor->bags[at]);

			TlvCursorOwn(cursor, TLV_COPY_OF(bag, cursor->bags[at]));
			cursor->row.bag = TLV_BAG(bag);
			return true;
		}
		cursor->nulls++;
	}
	return false;
}

static void
step_part(tlv_part *part)
{
	size_t count = part->n * part->d;

	if (part->type == TLV_PART_FLOAT64)
		part->float64 += count;
	if (part->missing != NULL)
		part->missing += count;
}

bool
TlvCursorNextOfMany(TlvRowCursor *cursor)
{
	if (cursor->bags != NULL)
		return next_bag(cursor);
	if (cursor->left == 0)
		return false;
	if (cursor->left < cursor->rows)
		for (int p = 0; p < cursor->parts; p++)
			step_part(&cursor->row.part[p]);
	cursor->left--;
	return true;
}

void
TlvCursorFree(TlvRowCursor *cursor)
{
	while (cursor->n_owned > 0)
		pfree(cursor->owned[--cursor->n_owned]);
	if (cursor->bags != NULL)
	{
		pfree(cursor->bags);
		pfree(cursor->bag_nulls);
	}
}

static void
bag_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	Datum value = PG_GETARG_DATUM(first);
	struct varlena *bag = PG_DETOAST_DATUM(value);

	cursor->row.bag = TLV_BAG(bag);
	TlvCursorOwn(cursor, TLV_COPY_OF(bag, value));
}

const TlvRowReader TlvBagRows = {1, {TLV_ROW_BAG}, bag_open};

/* Every bag that is NULL is a row that is NULL. */
static void
bag_array_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	int n = TlvArrayElements(TLV_GETARG_ARRAY(first), 0, &cursor->bags, &cursor->bag_nulls);

	cursor->rows = cursor->left = (size_t) n;
	cursor->many = true;
}

const TlvRowReader TlvBagArrayRows = {1, {TLV_ROW_BAG}, bag_array_open};

static void
neighbours_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	bag_open(fcinfo, first + 1, takes, cursor);
	cursor->row.neighbours.node = PG_GETARG_INT64(first);
}

const TlvRowReader TlvNeighbourRows = {2, {TLV_ROW_NEIGHBOURS}, neighbours_open};
