/*
 * reader.c - going through the rows of a call, whatever they are.
 */
#include "reader.h"

tlv_row_form
TlvRowForm(const TlvRowReader *reader, unsigned takes)
{
	for (int i = 0; i < (int) lengthof(reader->forms) && reader->forms[i] != 0; i++)
		if ((takes & reader->forms[i]) != 0)
			return reader->forms[i];
	return reader->forms[0];
}

bool
TlvRowIsNull(FunctionCallInfo fcinfo, int first, const TlvRowReader *reader, unsigned takes)
{
	int nulls = 0;

	for (int i = 0; i < reader->arguments; i++)
		nulls += PG_ARGISNULL(first + i);
	return (takes & TLV_ROWS_MISSING_VIEWS) != 0 ? nulls == reader->arguments : nulls > 0;
}

void
TlvCursorOpen(FunctionCallInfo fcinfo, int first, const TlvRowReader *reader, unsigned takes,
			  TlvRowCursor *cursor)
{
	cursor->left = cursor->rows = 1;
	cursor->nulls = 0;
	cursor->many = false;
	cursor->parts = 0;
	cursor->n_owned = 0;
	cursor->bags = NULL;
	cursor->row.form = TlvRowForm(reader, takes);
	reader->open(fcinfo, first, takes, cursor);
}

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
TlvCursorNext(TlvRowCursor *cursor)
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
TlvCursorClose(TlvRowCursor *cursor)
{
	while (cursor->n_owned > 0)
		pfree(cursor->owned[--cursor->n_owned]);
	if (cursor->bags != NULL)
	{
		pfree(cursor->bags);
		pfree(cursor->bag_nulls);
	}
}
