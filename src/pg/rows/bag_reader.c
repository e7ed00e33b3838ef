/*
 * bag_reader.c - rows that are bags, arrays of bags, or nodes with bags of their neighbours.
 */
#include "reader.h"

#include "utils/lsyscache.h"

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
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(first);
	int16 length;
	bool by_value;
	char align;
	int n;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &length, &by_value, &align);
	deconstruct_array(array, ARR_ELEMTYPE(array), length, by_value, align, &cursor->bags,
					  &cursor->bag_nulls, &n);
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
