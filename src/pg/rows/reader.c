/*
 * reader.c - going through the rows of a call, whatever they are.
 */
#include "reader.h"

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
