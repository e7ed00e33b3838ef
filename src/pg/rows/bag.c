/*
 * bag.c - the type tlv_bag: input and output, functions.
 */
#include "any.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "tsearch/ts_type.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/jsonb.h"

#include "server/arrays.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/rng.h"

struct varlena *
TlvBagValue(size_t n, const int64_t *items, const double *weights)
{
	/* Bags from this size on are written with looks at interrupts. */
	const int many_entries = 65536;
	struct varlena *bag;
	tlv_context ctx;
	size_t size;

	if (n > TLV_BAG_MAX_ITEMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a bag of %zu items: at most %d are allowed", n, TLV_BAG_MAX_ITEMS)));
	size = tlv_bag_size(n, items, weights);
	bag = palloc(size);
	SET_VARSIZE(bag, size);
	if (n < many_entries)
	{
		tlv_bag_write(n, items, weights, bag);
		return bag;
	}
	ctx = TlvCallContext();
	TlvCheck(&ctx, tlv_bag_make(&ctx, n, items, weights, bag));
	return bag;
}

size_t
TlvBagDecode(struct varlena *value, int64_t **items, double **weights)
{
	const tlv_bag_image *bag = TLV_BAG(value);
	tlv_context ctx = TlvCallContext();

	*items = palloc(Max(bag->n, 1) * sizeof(int64_t));
	*weights = palloc(Max(bag->n, 1) * sizeof(double));
	TlvCheck(&ctx, tlv_bag_read(&ctx, bag, *items, *weights));
	return bag->n;
}

/* Sorts entries, adds up duplicates and makes the bag. */
static struct varlena *
bag_from_entries(size_t n, tlv_bag_entry *entries)
{
	tlv_bag_entry *work = palloc_extended((n + 1) * sizeof(tlv_bag_entry), MCXT_ALLOC_HUGE);
	int64_t *items;
	double *weights;
	struct varlena *bag;
	tlv_context ctx = TlvCallContext();

	TlvCheck(&ctx, tlv_bag_sort(&ctx, n, entries, work, &n));
	items = (int64_t *) work;
	weights = palloc_extended((n + 1) * sizeof(double), MCXT_ALLOC_HUGE);
	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		TlvCheck(&ctx, tlv_bag_check_weight(&ctx, entries[i].item, entries[i].weight));
		items[i] = entries[i].item;
		weights[i] = entries[i].weight;
	}
	bag = TlvBagValue(n, items, weights);
	pfree(weights);
	pfree(work);
	return bag;
}

TLV_FUNCTION(tlv_bag_in)
{
	char *text = PG_GETARG_CSTRING(0);
	tlv_context ctx = TlvCallContext();
	int64_t *items;
	double *weights;
	size_t n;
	tlv_status status;

	status = tlv_bag_parse(&ctx, text, &n, &items, &weights);
	if (status == TLV_BAD_DATA)
		ereturn(fcinfo->context, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid tlv_bag: \"%s\"", TlvClip(text, 60)),
				 errdetail("%s.", TlvWhole(ctx.error.message)),
				 errhint("The text form is {item:weight,...}, as in {3:2,17:1}.")));
	if (status == TLV_LIMIT)
		ereturn(
			fcinfo->context, (Datum) 0,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s", TlvWhole(ctx.error.message))));
	TlvCheck(&ctx, status);
	PG_RETURN_POINTER(TlvBagValue(n, items, weights));
}

TLV_FUNCTION(tlv_bag_out)
{
	StringInfoData text;
	int64_t *items;
	double *weights;
	size_t n = TlvBagDecode(PG_GETARG_TLV(0), &items, &weights);
	char entry[64];

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (i > 0)
			appendStringInfoChar(&text, ',');
		appendBinaryStringInfo(&text, entry,
							   (int) tlv_bag_print_entry(items[i], weights[i], entry));
	}
	appendStringInfoChar(&text, '}');
	PG_RETURN_CSTRING(text.data);
}

TLV_FUNCTION(tlv_bag_recv)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	int length = buffer->len - buffer->cursor;
	struct varlena *bag = TlvReceive(buffer, length, sizeof(tlv_bag_image));
	tlv_context ctx = TlvCallContext();

	TlvCheck(&ctx, tlv_bag_validate(&ctx, bag, VARSIZE(bag)));
	PG_RETURN_POINTER(bag);
}

TLV_FUNCTION(tlv_bag_send)
{
	PG_RETURN_BYTEA_P(TlvSend(PG_GETARG_TLV(0)));
}

/* ---- terms ---- */

/*
 * FNV-1a over the bytes, mixed (splitmix64), without the sign bit.  Part of
 * the stored format: it must never change.
 */
int64
TlvTermId(const char *text, size_t length)
{
	uint64 hash = UINT64CONST(0xcbf29ce484222325);

	for (size_t i = 0; i < length; i++)
	{
		if (unlikely(i % TLV_COPY_PIECE == TLV_COPY_PIECE - 1))
			CHECK_FOR_INTERRUPTS();
		hash = (hash ^ (unsigned char) text[i]) * UINT64CONST(0x100000001b3);
	}
	hash ^= hash >> 30;
	hash *= UINT64CONST(0xbf58476d1ce4e5b9);
	hash ^= hash >> 27;
	hash *= UINT64CONST(0x94d049bb133111eb);
	hash ^= hash >> 31;
	return (int64) (hash & UINT64CONST(0x7fffffffffffffff));
}

/* Once at every call site; fn_extra has no other use. */
static void
require_bytes_once(FunctionCallInfo fcinfo)
{
	static char checked;

	if (fcinfo->flinfo == NULL || fcinfo->flinfo->fn_extra != NULL)
		return;
	TlvRequireByteEquality(fcinfo, false);
	fcinfo->flinfo->fn_extra = &checked;
}

TLV_FUNCTION(tlv_term_id)
{
	text *term = PG_GETARG_TEXT_PP(0);

	require_bytes_once(fcinfo);
	PG_RETURN_INT64(TlvTermId(VARDATA_ANY(term), VARSIZE_ANY_EXHDR(term)));
}

/* ---- bags from other values ---- */

/* The weights of n items, of argument 1; NULL: all 1. */
static Datum *
weight_values(FunctionCallInfo fcinfo, int n, bool **nulls)
{
	Datum *values;
	int n_weights;

	if (PG_ARGISNULL(1))
		return NULL;
	n_weights = TlvArrayElements(TLV_GETARG_ARRAY(1), 0, &values, nulls);
	if (n_weights != n)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("items has %d %s, but weights has %d", n,
							   tlv_plural((double) n, "element", "elements"), n_weights),
						errhint("Give one weight for every item.")));
	return values;
}

static tlv_bag_entry
array_entry(tlv_context *ctx, bool terms, Datum item, double weight)
{
	tlv_text term = {NULL, 0};

	if (!terms)
	{
		TlvCheck(ctx, tlv_bag_check_weight(ctx, DatumGetInt64(item), weight));
		return (tlv_bag_entry){DatumGetInt64(item), weight};
	}
	term.bytes = VARDATA_ANY(DatumGetPointer(item));
	term.length = VARSIZE_ANY_EXHDR(DatumGetPointer(item));
	TlvCheck(ctx, tlv_bag_check_term_weight(ctx, term, weight));
	return (tlv_bag_entry){TlvTermId(term.bytes, term.length), weight};
}

/* Elements of an array of ids or of texts, with their weights; those of weight 0 are left out. */
static Datum
bag_of_array(FunctionCallInfo fcinfo, ArrayType *array, bool terms)
{
	Datum *items, *weights;
	bool *item_nulls, *weight_nulls = NULL;
	tlv_bag_entry *entries;
	tlv_context ctx = TlvCallContext();
	size_t left = 0;
	int n = TlvArrayElements(array, 2 * sizeof(tlv_bag_entry), &items, &item_nulls);

	weights = weight_values(fcinfo, n, &weight_nulls);
	entries = palloc_extended((Size) (n + 1) * sizeof(tlv_bag_entry), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (item_nulls[i] || (weights != NULL && weight_nulls[i]))
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of the items or weights is null", i + 1),
							errhint("Leave nulls out, as array_remove does.")));
		if (weights == NULL || DatumGetFloat8(weights[i]) != 0)
			entries[left++] = array_entry(&ctx, terms, items[i],
										  weights != NULL ? DatumGetFloat8(weights[i]) : 1);
	}
	PG_RETURN_POINTER(bag_from_entries(left, entries));
}

Datum
TlvBagOfTerms(Datum terms)
{
	LOCAL_FCINFO(unweighted, 2);

	InitFunctionCallInfoData(*unweighted, NULL, 2, InvalidOid, NULL, NULL);
	unweighted->args[1].isnull = true;
	return bag_of_array(unweighted, TlvFetchArray(terms), true);
}

/* tlv_to_bag(items bigint[], weights float8[]); weights NULL: all 1 */
TLV_FUNCTION(tlv_to_bag_arrays)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvRequireArrays(fcinfo, 0, 2);
	return bag_of_array(fcinfo, TLV_GETARG_ARRAY(0), false);
}

/* tlv_to_bag(terms text[], weights float8[]) */
TLV_FUNCTION(tlv_to_bag_terms)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	require_bytes_once(fcinfo);
	TlvRequireArrays(fcinfo, 0, 2);
	return bag_of_array(fcinfo, TLV_GETARG_ARRAY(0), true);
}

/* An item is the id of a lexeme, its weight the number of positions (1 when stripped). */
TLV_FUNCTION(tlv_to_bag_tsvector)
{
	TSVector vector = PG_GETARG_TSVECTOR(0);
	WordEntry *words = ARRPTR(vector);
	int n = vector->size;
	tlv_bag_entry *entries = palloc((Size) (n + 1) * sizeof(tlv_bag_entry));

	for (int i = 0; i < n; i++)
	{
		int positions = words[i].haspos ? POSDATALEN(vector, &words[i]) : 1;

		entries[i].item = TlvTermId(STRPTR(vector) + words[i].pos, words[i].len);
		entries[i].weight = positions > 0 ? positions : 1;
	}
	PG_RETURN_POINTER(bag_from_entries((size_t) n, entries));
}

/* ---- text forms, as clients send values without a type ---- */

#define SPACE "\t\n\v\f\r "

/* Does a number, with a weight if one is asked for, or nothing follow the brace of a text? */
static bool
begins_with_item(const char *text, bool weighted)
{
	text += 1 + strspn(text + 1, SPACE);
	if (*text == '}')
		return true;
	text += *text == '-' || *text == '+';
	return *text >= '0' && *text <= '9' &&
		   (!weighted || text[strspn(text, "0123456789" SPACE)] == ':');
}

bool
TlvBagOfText(char *text, Datum *bag, Datum *words)
{
	text += strspn(text, SPACE);
	*words = (Datum) 0;
	if (*text == '\0' || *text == '\'')
	{
		*words = DirectFunctionCall1(tsvectorin, CStringGetDatum(text));
		*bag = DirectFunctionCall1(tlv_to_bag_tsvector, *words);
	}
	else if (*text == '{' && begins_with_item(text, false))
		*bag = DirectFunctionCall1(tlv_bag_in, CStringGetDatum(text));
	else
		return false;
	return true;
}

/* tlv_to_bag(items text, weights float8[]): an array of items or terms, a bag, or lexemes */
TLV_FUNCTION(tlv_to_bag_text)
{
	char *given;
	ArrayType *array;
	bool is_array;
	Datum bag, words;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvRequireArrays(fcinfo, 0, 2);
	given = text_to_cstring(PG_GETARG_TEXT_PP(0));
	given += strspn(given, SPACE);
	is_array = *given == '{' && !begins_with_item(given, true);
	if (PG_ARGISNULL(1) && !is_array && TlvBagOfText(given, &bag, &words))
		PG_RETURN_DATUM(bag);
	if (*given != '{')
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("\"%s\" is not an array of items, a tlv_bag or a tsvector",
							   TlvClip(given, 40)),
						errhint("Use to_tsvector(%s) for a text of words, and ARRAY[...] for "
								"items.",
								quote_literal_cstr(TlvClip(given, 60)))));
	array = TlvArrayOfText(given, TEXTOID);
	if (!TlvAreNumbers(array))
		return bag_of_array(fcinfo, array, true);
	array = TlvArrayOfText(given, INT8OID);
	return bag_of_array(fcinfo, array, false);
}

/* Rows (item, weight), ascending. */
TLV_FUNCTION(tlv_bag_items)
{
	int64_t *items;
	double *weights;
	size_t n = TlvBagDecode(PG_GETARG_TLV(0), &items, &weights);

	TlvInitRows(fcinfo);
	for (size_t i = 0; i < n; i++)
		TlvPutRow(fcinfo, TlvInt8(items[i]), TlvFloat8(weights[i]));
	return (Datum) 0;
}

/* Number of distinct items. */
TLV_FUNCTION(tlv_bag_size_sql)
{
	PG_RETURN_INT32((int32) TLV_BAG(PG_GETARG_TLV(0))->n);
}

/* Sum of the weights: the length of a document. */
TLV_FUNCTION(tlv_bag_total)
{
	int64_t *items;
	double *weights, total = 0;
	size_t n = TlvBagDecode(PG_GETARG_TLV(0), &items, &weights);

	for (size_t i = 0; i < n; i++)
		total += weights[i];
	if (isinf(total))
		float_overflow_error();
	PG_RETURN_FLOAT8(total);
}

/* Every weight at most cap. */
TLV_FUNCTION(tlv_bag_damp)
{
	double cap = PG_GETARG_FLOAT8(1);
	int64_t *items;
	double *weights;
	size_t n;

	if (!(cap > 0) || isinf(cap))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cap = %g is not a finite number above 0", cap)));
	n = TlvBagDecode(PG_GETARG_TLV(0), &items, &weights);
	for (size_t i = 0; i < n; i++)
		weights[i] = Min(weights[i], cap);
	PG_RETURN_POINTER(TlvBagValue(n, items, weights));
}

/* A fold 0 .. folds-1 by the bag's content: the same on every plan and server. */
TLV_FUNCTION(tlv_fold)
{
	struct varlena *bag = PG_GETARG_TLV(0);
	int32 folds = PG_GETARG_INT32(1);
	uint64 hash;

	if (folds < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("folds = %d is not at least 1", folds),
						errhint("Give the number of parts that documents are split into.")));
	hash = tlv_fingerprint(VARDATA(bag), VARSIZE(bag) - VARHDRSZ, (uint64) PG_GETARG_INT64(2));
	PG_RETURN_INT32((int32) ((hash >> 11) % (uint64) folds));
}

/* a + b: weights of common items are added up. */
TLV_FUNCTION(tlv_bag_add)
{
	struct varlena *arguments[2] = {PG_GETARG_TLV(0), PG_GETARG_TLV(1)};
	tlv_bag_entry *entries;
	size_t n = 0;

	entries = palloc_extended(((Size) TLV_BAG(arguments[0])->n + TLV_BAG(arguments[1])->n + 1) *
								  sizeof(tlv_bag_entry),
							  MCXT_ALLOC_HUGE);
	for (int a = 0; a < 2; a++)
	{
		int64_t *items;
		double *weights;
		size_t m = TlvBagDecode(arguments[a], &items, &weights);

		for (size_t i = 0; i < m; i++)
			entries[n++] = (tlv_bag_entry){items[i], weights[i]};
	}
	PG_RETURN_POINTER(bag_from_entries(n, entries));
}

/* a - b: items of which nothing is left are gone. */
TLV_FUNCTION(tlv_bag_subtract)
{
	int64_t *items[2];
	double *weights[2];
	size_t n[2], left = 0, j = 0;

	for (int a = 0; a < 2; a++)
		n[a] = TlvBagDecode(PG_GETARG_TLV(a), &items[a], &weights[a]);
	for (size_t i = 0; i < n[0]; i++)
	{
		double weight = weights[0][i];
		bool common = j < n[1] && items[1][j] == items[0][i];

		TlvLoopCheck(i);
		if (common)
			weight -= weights[1][j++];
		if (weight < 0 || (j < n[1] && items[1][j] < items[0][i]))
			break;
		if (weight > 0)
		{
			items[0][left] = items[0][i];
			weights[0][left++] = weight;
		}
		if (i + 1 == n[0] && j == n[1])
			PG_RETURN_POINTER(TlvBagValue(left, items[0], weights[0]));
	}
	if (n[1] > 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("more is subtracted from the bag than it contains"),
						errhint("Subtract only what was added before.")));
	PG_RETURN_POINTER(TlvBagValue(0, items[0], weights[0]));
}

/* Every weight so many times. */
TLV_FUNCTION(tlv_bag_scale)
{
	double factor = PG_GETARG_FLOAT8(0);
	int64_t *items;
	double *weights;
	size_t n = TlvBagDecode(PG_GETARG_TLV(1), &items, &weights);
	tlv_context ctx = TlvCallContext();

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		weights[i] *= factor;
		TlvCheck(&ctx, tlv_bag_check_weight(&ctx, items[i], weights[i]));
	}
	PG_RETURN_POINTER(TlvBagValue(n, items, weights));
}

TLV_FUNCTION(tlv_bag_kind)
{
	PG_RETURN_TEXT_P(cstring_to_text("bag"));
}

TLV_FUNCTION(tlv_bag_info)
{
	const tlv_bag_image *bag = TLV_BAG(PG_GETARG_TLV(0));
	double total = DatumGetFloat8(tlv_bag_total(fcinfo));
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfo(&json,
					 "{\"type\": \"tlv_bag\", \"version\": %u, \"bytes\": %zu, \"items\": %u, "
					 "\"total\": %.17g}",
					 bag->version, (size_t) VARSIZE(bag), bag->n, total);
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}
