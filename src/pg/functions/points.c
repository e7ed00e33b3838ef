/*
 * points.c - the neighbours of points, as a window function over the rows of a pattern.
 */
#include "server/tlv_pg.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "windowapi.h"

#include "tensorlv/num/points.h"
#include "tensorlv/num/sort.h"

/* The arguments in their order. */
enum
{
	ARGUMENT_X,
	ARGUMENT_Y,
	ARGUMENT_MARK,
	ARGUMENT_RADIUS
};

/* Rows between two looks at interrupts. */
#define POINTS_ROWS_BETWEEN 0xfff

/* The points of a partition; it goes with the partition's memory. */
typedef struct Pattern
{
	MemoryContext mcxt; /* NULL: not made */
	tlv_context ctx;
	double radius;
	size_t n;
	double *coordinate[2];
	bool *missing;	 /* x or y is null */
	uint32_t *mark;	 /* a number of a mark, or TLV_POINTS_NO_MARK */
	int64_t *marks;	 /* ids of marks, ascending */
	double *weights; /* scratch, as many; and items */
	int64_t *items;
	MemoryContext values; /* of arguments, while they are read */
	tlv_points *points;
} Pattern;

static void *
room_for(Pattern *pattern, size_t n, size_t size)
{
	void *room = tlv_alloc0(&pattern->ctx, n, size);

	if (room == NULL)
		TlvRaise(&pattern->ctx);
	return room;
}

/* An argument of row i of the partition.  What its expression leaves in memory is given back every
 * some rows: the server does so only after the row that all of this is made for. */
static Datum
argument_of(WindowObject window, const Pattern *pattern, int argument, size_t i, bool *isnull)
{
	MemoryContext before;
	bool outside;
	Datum value;

	if ((i & POINTS_ROWS_BETWEEN) == POINTS_ROWS_BETWEEN)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(pattern->values);
	}
	before = MemoryContextSwitchTo(pattern->values);
	value = WinGetFuncArgInPartition(window, argument, (int) i, WINDOW_SEEK_HEAD, false, isnull,
									 &outside);
	MemoryContextSwitchTo(before);
	return value;
}

/* One argument after the other: going through the rows three times is faster than going back at
 * every row. */
static void
read_coordinates(WindowObject window, Pattern *pattern)
{
	static const char *const names[] = {"x", "y"};

	for (int axis = ARGUMENT_X; axis <= ARGUMENT_Y; axis++)
		for (size_t i = 0; i < pattern->n; i++)
		{
			bool isnull;
			Datum value = argument_of(window, pattern, axis, i, &isnull);

			pattern->missing[i] |= isnull;
			if (isnull)
				continue;
			pattern->coordinate[axis][i] = DatumGetFloat8(value);
			TlvCheck(&pattern->ctx,
					 tlv_points_check(&pattern->ctx, names[axis], pattern->coordinate[axis][i]));
		}
}

/* Ids of the marks as entries, one for each row that has a mark and is somewhere. */
static size_t
read_marks(WindowObject window, Pattern *pattern, bool texts, tlv_bag_entry *entries)
{
	size_t n = 0;

	for (size_t i = 0; i < pattern->n; i++)
	{
		bool isnull;
		Datum value = argument_of(window, pattern, ARGUMENT_MARK, i, &isnull);

		pattern->mark[i] = TLV_POINTS_NO_MARK;
		if (isnull || pattern->missing[i])
			continue;
		pattern->mark[i] = 0;
		entries[n].weight = 1;
		if (texts)
		{
			text *mark = DatumGetTextPP(value);

			entries[n++].item = TlvTermId(VARDATA_ANY(mark), VARSIZE_ANY_EXHDR(mark));
			if ((Pointer) mark != DatumGetPointer(value))
				pfree(mark);
		}
		else
			entries[n++].item = DatumGetInt64(value);
	}
	return n;
}

/* Ids of marks become numbers; returns how many there are. */
static size_t
number_marks(WindowObject window, Pattern *pattern, bool texts)
{
	tlv_context *ctx = &pattern->ctx;
	tlv_bag_entry *entries = room_for(pattern, pattern->n, sizeof(tlv_bag_entry));
	tlv_bag_entry *work = room_for(pattern, pattern->n, sizeof(tlv_bag_entry));
	int64_t *id = room_for(pattern, pattern->n, sizeof(int64_t));
	size_t n = read_marks(window, pattern, texts, entries), marks = 0, at = 0;

	for (size_t i = 0; i < n; i++)
		id[i] = entries[i].item;
	TlvCheck(ctx, tlv_bag_sort(ctx, n, entries, work, &marks));
	tlv_free(ctx, work);
	pattern->marks = room_for(pattern, marks, sizeof(int64_t));
	for (size_t i = 0; i < marks; i++)
		pattern->marks[i] = entries[i].item;
	tlv_free(ctx, entries);
	for (size_t i = 0; i < pattern->n; i++)
	{
		TlvLoopCheck(i);
		if (pattern->mark[i] != TLV_POINTS_NO_MARK)
			pattern->mark[i] = (uint32_t) tlv_find_id(pattern->marks, marks, id[at++]);
	}
	tlv_free(ctx, id);
	return marks;
}

/* A point that is nowhere lies where another lies, and is nobody's neighbour. */
static void
put_missing(Pattern *pattern)
{
	size_t first = 0;

	while (first < pattern->n && pattern->missing[first])
		first++;
	for (size_t i = 0; i < pattern->n; i++)
	{
		TlvLoopCheck(i);
		for (int axis = 0; axis < 2 && pattern->missing[i]; axis++)
			pattern->coordinate[axis][i] =
				first < pattern->n ? pattern->coordinate[axis][first] : 0;
	}
}

static double
radius_argument(WindowObject window)
{
	bool isnull;
	Datum value = WinGetFuncArgCurrent(window, ARGUMENT_RADIUS, &isnull);

	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("the radius is null")));
	return DatumGetFloat8(value);
}

/* All points of the partition, and the index over them. */
static void
make_pattern(WindowObject window, Pattern *pattern, bool texts)
{
	MemoryContext mcxt = AllocSetContextCreate(GetMemoryChunkContext(pattern), "tensorlv points",
											   ALLOCSET_DEFAULT_SIZES);
	tlv_context *ctx = &pattern->ctx;
	size_t marks;

	TlvContextInit(ctx, mcxt, TlvWorkMemory());
	pattern->radius = radius_argument(window);
	TlvCheck(ctx, tlv_points_check_radius(ctx, pattern->radius));
	pattern->n = (size_t) WinGetPartitionRowCount(window);
	if (pattern->n >= INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("%zu points are more than 2147483646", pattern->n),
						errhint("Divide them by PARTITION BY.")));
	TlvCheck(ctx, tlv_require_memory(ctx, 93.0 * (double) pattern->n, "a pattern of points"));
	for (int axis = 0; axis < 2; axis++)
		pattern->coordinate[axis] = room_for(pattern, pattern->n, sizeof(double));
	pattern->values =
		AllocSetContextCreate(mcxt, "tensorlv point arguments", ALLOCSET_DEFAULT_SIZES);
	pattern->missing = room_for(pattern, pattern->n, sizeof(bool));
	pattern->mark = room_for(pattern, pattern->n, sizeof(uint32_t));
	read_coordinates(window, pattern);
	marks = number_marks(window, pattern, texts);
	MemoryContextDelete(pattern->values);
	put_missing(pattern);
	pattern->weights = room_for(pattern, marks, sizeof(double));
	pattern->items = room_for(pattern, marks, sizeof(int64_t));
	TlvCheck(ctx, tlv_points_make(ctx, pattern->n, pattern->coordinate[0], pattern->coordinate[1],
								  pattern->mark, marks, pattern->radius, &pattern->points));
	pattern->mcxt = mcxt;
}

/* The bag of the marks around point i, without its own. */
static struct varlena *
features_of(Pattern *pattern, size_t i)
{
	const uint32_t *found, *count;
	size_t n, left = 0;

	TlvCheck(&pattern->ctx,
			 tlv_points_count(&pattern->ctx, pattern->points, pattern->coordinate[0][i],
							  pattern->coordinate[1][i], &n, &found, &count));
	for (size_t j = 0; j < n; j++)
	{
		uint32_t others = count[found[j]] - (found[j] == pattern->mark[i]);

		if (others == 0)
			continue;
		pattern->items[left] = pattern->marks[found[j]];
		pattern->weights[left++] = others;
	}
	return TlvBagValue(left, pattern->items, pattern->weights);
}

static Datum
point_features(FunctionCallInfo fcinfo, bool texts)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Pattern *pattern;
	size_t i;
	double radius;

	if (!WindowObjectIsValid(window))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("tlv_point_features is called over a window"),
						errhint("Write tlv_point_features(x, y, mark, radius) OVER ().")));
	pattern = WinGetPartitionLocalMemory(window, sizeof(Pattern));
	if (pattern->mcxt == NULL)
		make_pattern(window, pattern, texts);
	radius = radius_argument(window);
	if (radius != pattern->radius)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the radius is %g in one row and %g in another", pattern->radius, radius),
				 errhint("All points of a partition have one radius.")));
	i = (size_t) WinGetCurrentPosition(window);
	WinSetMarkPosition(window, (int64) i);
	if (pattern->missing[i])
		PG_RETURN_NULL();
	PG_RETURN_POINTER(features_of(pattern, i));
}

/* tlv_point_features(x, y, mark bigint, radius) OVER (...) */
TLV_FUNCTION(tlv_point_features)
{
	return point_features(fcinfo, false);
}

/* tlv_point_features(x, y, mark text, radius) OVER (...) */
TLV_FUNCTION(tlv_point_features_text)
{
	return point_features(fcinfo, true);
}
