/*
 * pair_reader.c - rows of two things each: edges, and pairs of labels, of sets and of memberships.
 */
#include "any.h"

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "query/query.h"
#include "server/arrays.h"

/* ---- edges ---- */

static void
edge_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	cursor->row.edge.source = PG_GETARG_INT64(first);
	cursor->row.edge.target = PG_GETARG_INT64(first + 1);
	cursor->row.edge.weight = 1;
}

static void
weighted_edge_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	edge_open(fcinfo, first, takes, cursor);
	cursor->row.edge.weight = PG_GETARG_FLOAT8(first + 2);
}

/* A node with a name: its id is the name's hash. */
static void
pair_reader_put_name(FunctionCallInfo fcinfo, int argument, int64_t *id, tlv_text *name,
					 TlvRowCursor *cursor)
{
	text *given = PG_GETARG_TEXT_PP(argument);

	TlvCursorOwn(cursor, TLV_COPY_OF(given, PG_GETARG_DATUM(argument)));
	*name = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
	*id = TlvTermId(name->bytes, name->length);
}

static void
named_edge_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	tlv_edge *edge = &cursor->row.edge;
	int64_t *ids[2] = {&edge->source, &edge->target};

	for (int s = 0; s < 2; s++)
		if ((cursor->texts & (1 << s)) != 0)
			pair_reader_put_name(fcinfo, first + s, ids[s], &edge->name[s], cursor);
		else
		{
			*ids[s] = PG_GETARG_INT64(first + s);
			edge->name[s] = (tlv_text){NULL, 0};
		}
	edge->weight = 1;
}

static void
weighted_named_edge_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	named_edge_open(fcinfo, first, takes, cursor);
	cursor->row.edge.weight = PG_GETARG_FLOAT8(first + 2);
}

#define NAMED_EDGES(reader, mask)                                                                  \
	const TlvRowReader reader##Rows = {2, {TLV_ROW_NAMED_EDGE}, named_edge_open, .texts = mask};   \
	const TlvRowReader reader##WeightedRows = {                                                    \
		3, {TLV_ROW_NAMED_EDGE}, weighted_named_edge_open, .texts = mask};

NAMED_EDGES(TlvNamedEdge, 3)
NAMED_EDGES(TlvNamedSource, 1)
NAMED_EDGES(TlvNamedTarget, 2)

const TlvRowReader TlvEdgeRows = {2, {TLV_ROW_EDGE}, edge_open};
const TlvRowReader TlvWeightedEdgeRows = {3, {TLV_ROW_EDGE}, weighted_edge_open};

/* ---- labels ---- */

/* What a call site knows of the labels in its two arguments. */
typedef struct LabelSite
{
	Oid type[2];
	TlvEquality *equality[2]; /* NULL: by their text, or as the numbers they are */
} LabelSite;

/* The type of a label, without its domain.  Error: 42804 for one that is no id. */
static Oid
label_type(FunctionCallInfo fcinfo, int argument)
{
	Oid type = TlvAnyArgument(fcinfo, argument), base;

	if (type == INT8OID || type == INT4OID || type == TEXTOID || type == UNKNOWNOID)
		return type;
	base = getBaseType(type);
	if (!TlvIsIdType(base))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("labels cannot be of type %s", format_type_be(type)),
						errhint("Cast them to bigint or text.")));
	return base;
}

/* The labels of both arguments, looked up once. */
static const LabelSite *
label_site(FunctionCallInfo fcinfo, int first)
{
	TlvCallNote *note = TlvNoteOfCall(fcinfo);
	LabelSite *site = note->kept;

	if (site != NULL)
		return site;
	site = MemoryContextAllocZero(note->mcxt, sizeof(LabelSite));
	for (int s = 0; s < 2; s++)
	{
		site->type[s] = label_type(fcinfo, first + s);
		if (!TlvIsIntegerType(site->type[s]) && site->type[s] != UNKNOWNOID)
			site->equality[s] = TlvEqualityOf(site->type[s], PG_GET_COLLATION(), note->mcxt);
	}
	note->kept = site;
	return site;
}

/* Partitions are compared by which labels are equal, so that what they are called need not be kept:
 * whole numbers are themselves, others the hashes of their texts, or of their type's own where it
 * takes several texts for equal. */
static int64
label_of(const LabelSite *site, int side, Datum value, TlvRowCursor *cursor)
{
	Oid type = site->type[side];
	text *name;

	if (type == UNKNOWNOID)
		return TlvTermId(DatumGetCString(value), strlen(DatumGetCString(value)));
	if (site->equality[side] != NULL)
		return TlvEqualId(site->equality[side], value);
	if (TlvIsIntegerType(type))
		return TlvIdOf(type, value);
	name = TlvTextOf(type, value);
	TlvCursorOwn(cursor, TLV_COPY_OF(name, value));
	return TlvTermId(VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
}

static void
labels_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	const LabelSite *site = label_site(fcinfo, first);

	for (int s = 0; s < 2; s++)
	{
		cursor->ids[s] = label_of(site, s, PG_GETARG_DATUM(first + s), cursor);
		cursor->row.part[s] = (tlv_part) TLV_PART(TLV_PART_IDS, 1, 1, &cursor->ids[s]);
	}
}

const TlvRowReader TlvLabelRows = {2, {TLV_ROW_LABELS}, labels_open};

/* ---- arrays ---- */

/* The elements of a one-dimensional array without NULL. */
static char *
elements_of(FunctionCallInfo fcinfo, int argument, const char *what, TlvRowCursor *cursor,
			size_t *n)
{
	ArrayType *array = TLV_GETARG_ARRAY(argument);

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("an array of %s has %d dimensions, not one", what, ARR_NDIM(array)),
						errhint("One row describes one node.")));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("an array of %s has an element that is null", what),
						errhint("A node that is not to be compared needs no row, or null instead "
								"of the array.")));
	TlvCursorOwn(cursor, TLV_COPY_OF(array, PG_GETARG_DATUM(argument)));
	*n = ARR_NDIM(array) == 0 ? 0 : (size_t) ARR_DIMS(array)[0];
	return ARR_DATA_PTR(array);
}

static void
covers_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	TlvRequireArrays(fcinfo, first, 2);
	for (int s = 0; s < 2; s++)
	{
		size_t n;
		const void *ids = elements_of(fcinfo, first + s, "communities", cursor, &n);

		cursor->row.part[s] = (tlv_part) TLV_PART(TLV_PART_IDS, n, 1, ids);
	}
}

static void
memberships_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	TlvRequireArrays(fcinfo, first, 2);
	for (int s = 0; s < 2; s++)
	{
		size_t k;
		const void *x = elements_of(fcinfo, first + s, "memberships", cursor, &k);

		cursor->row.part[s] = (tlv_part) TLV_PART(TLV_PART_FLOAT64, 1, k, x);
	}
}

const TlvRowReader TlvCoverRows = {2, {TLV_ROW_COVERS}, covers_open};

/* Ids of the elements of a one-dimensional array of texts without NULL. */
static int64_t *
term_ids(FunctionCallInfo fcinfo, int argument, TlvRowCursor *cursor, size_t *n)
{
	char *at = elements_of(fcinfo, argument, "communities", cursor, n);
	int64_t *ids = TlvAllocElements(*n, sizeof(int64_t));

	TlvCursorOwn(cursor, ids);
	for (size_t i = 0; i < *n; i++)
	{
		TlvLoopCheck(i);
		ids[i] = TlvTermId(VARDATA_ANY(at), VARSIZE_ANY_EXHDR(at));
		at = att_addlength_pointer(at, -1, at);
		at = (char *) att_align_nominal(at, TYPALIGN_INT);
	}
	return ids;
}

static void
named_covers_open(FunctionCallInfo fcinfo, int first, unsigned takes, TlvRowCursor *cursor)
{
	TlvRequireArrays(fcinfo, first, 2);
	for (int s = 0; s < 2; s++)
	{
		size_t n;
		const int64_t *ids = term_ids(fcinfo, first + s, cursor, &n);

		cursor->row.part[s] = (tlv_part) TLV_PART(TLV_PART_IDS, n, 1, ids);
	}
}

const TlvRowReader TlvNamedCoverRows = {2, {TLV_ROW_COVERS}, named_covers_open};
const TlvRowReader TlvMembershipRows = {2, {TLV_ROW_MEMBERSHIPS}, memberships_open};
