/*
 * values.c - tlv_moments, tlv_subspace, tlv_model and tlv_graph as types: text and
 * binary input and output, equality, order, hashing.
 *
 * The text form is a head for people, of the kind's name and a few sizes, a colon, and the base64
 * of the image: exact, whatever the settings of the session, so that dumps restore what they read.
 * Input goes by the name and the image.
 */
#include "values_internal.h"

#include "access/detoast.h"
#include "common/base64.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"

/* Is the error about the image, not about a computation that was cut short? */
static bool
is_about_image(const tlv_error *error)
{
	return error->code != TLV_CANCELLED && error->code != TLV_OUT_OF_MEMORY &&
		   error->code != TLV_MEMORY_LIMIT;
}

static tlv_status
validate_image(tlv_context *ctx, const void *image, size_t size, tlv_frame_type type,
			   tlv_frame *frame)
{
	void *plain;

	if (!tlv_frame_is_packed(image, size))
		return tlv_kind_validate(ctx, image, size, type, frame);
	TLV_TRY(tlv_frame_unpack(ctx, image, size, &plain, &size));
	return tlv_kind_validate(ctx, plain, size, type, frame);
}

/*
 * Validates an image of unknown origin and returns it as it is stored: there is one image of a
 * value, whatever version it came in.  An error has the given SQLSTATE, a soft one gives NULL.
 */
static struct varlena *
value_validate(struct varlena *value, tlv_frame_type type, int sqlstate, Node *escape)
{
	TlvWork *work = TlvWorkBegin("tensorlv input");
	const char *wrong = NULL, *hint = NULL;
	tlv_packing *packing;
	tlv_frame frame;
	size_t size;

	work->ctx.arena.limit = SIZE_MAX;
	if (validate_image(&work->ctx, value, VARSIZE(value), type, &frame) == TLV_OK)
	{
		TlvCheck(&work->ctx, tlv_frame_pack_image(&work->ctx, &frame, &packing, &size));
		value = TlvPackedValue(&work->ctx, packing, size);
	}
	else
	{
		if (!is_about_image(&work->ctx.error))
			TlvRaise(&work->ctx);
		wrong = TlvWhole(work->ctx.error.message);
		if (work->ctx.error.code == TLV_GONE)
		{
			sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
			hint = pstrdup(work->ctx.error.hint);
		}
	}
	TlvWorkEnd(work);
	if (wrong != NULL)
		ereturn(escape, NULL,
				(errcode(sqlstate), errmsg("invalid %s", TlvTypeNames[type]),
				 errdetail("%s", wrong), hint != NULL ? errhint("%s", hint) : 0));
	return value;
}

/* Digits of base64 that are read or written between two looks at interrupts: whole groups. */
#define DIGITS_PIECE (4 << 20)
#define BYTES_PIECE	 (DIGITS_PIECE / 4 * 3)

/* Returns the number of bytes, or -1. */
static int64
decode_base64(const char *text, size_t length, char *bytes)
{
	int64 n = 0;

	for (size_t at = 0; at < length; at += DIGITS_PIECE)
	{
		size_t piece = Min(length - at, DIGITS_PIECE);
		int got;

		CHECK_FOR_INTERRUPTS();
		got = pg_b64_decode((const void *) (text + at), (int) piece, (void *) (bytes + n),
							(int) (piece / 4 * 3 + 3));
		/* Only the last piece may end in padding. */
		if (got < 0 || (at + piece < length && got != BYTES_PIECE))
			return -1;
		n += got;
	}
	return n;
}

#define WHITE_SPACE " \t\n\r"

/* The digits alone, which a line break now and then would put out of step with the pieces. */
static const char *
without_space(const char *digits)
{
	char *copy, *end;

	if (digits[strcspn(digits, WHITE_SPACE)] == '\0')
		return digits;
	copy = end = palloc_extended(strlen(digits) + 1, MCXT_ALLOC_HUGE);
	for (size_t i = 0; digits[i] != '\0'; i++)
	{
		TlvLoopCheck(i);
		if (strchr(WHITE_SPACE, digits[i]) == NULL)
			*end++ = digits[i];
	}
	*end = '\0';
	return copy;
}

/* The value that base64 digits stand for, not yet checked; NULL where they are none. */
static struct varlena *
value_of_digits(const char *text)
{
	const char *digits = without_space(text);
	size_t length = strlen(digits), room = length / 4 * 3 + 3 + VARHDRSZ;
	struct varlena *value = palloc(room + sizeof(tlv_frame_header));
	int64 bytes = decode_base64(digits, length, VARDATA(value));

	if (bytes < 0)
		return NULL;
	SET_VARSIZE(value, bytes + VARHDRSZ);
	memset(VARDATA(value) + bytes, 0, sizeof(tlv_frame_header));
	return value;
}

static Datum
value_in(const char *text, tlv_frame_type type, Node *escape)
{
	const char *colon = strchr(text, ':');
	struct varlena *value;
	const tlv_kind *kind;
	size_t name;

	if (colon == NULL)
		ereturn(
			escape, (Datum) 0,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid %s: \"%s\"", TlvTypeNames[type], TlvClip(text, 40)),
			 type == TLV_FRAME_MODEL && strchr(text, ' ') == NULL
				 ? errhint("A model is a value, not a name: (SELECT model FROM models WHERE ...).")
				 : errhint("The text form is the kind, a colon, and base64 digits.")));
	name = strcspn(text, ": ");
	value = value_of_digits(colon + 1);
	if (value == NULL)
		ereturn(escape, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid %s: no base64 after the colon", TlvTypeNames[type])));
	value = value_validate(value, type, ERRCODE_INVALID_TEXT_REPRESENTATION, escape);
	if (value == NULL)
		return (Datum) 0;
	kind = tlv_kind_find(type, ((tlv_frame_header *) value)->kind);
	if (strlen(kind->name) != name || strncmp(kind->name, text, name) != 0)
		ereturn(escape, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid %s: \"%s\" before the colon, \"%s\" behind it", TlvTypeNames[type],
						TlvClip(text, (int) Min(name, 40)), kind->name)));
	PG_RETURN_POINTER(value);
}

/* Counts that say at a glance how much is in a value, as far as its kind has them. */
static const char *const head_counts[] = {"documents", "rows", "sequences", "entries"};

/* What people read: lda k=20 items=97620 bytes=1412345: */
static void
append_head(StringInfo text, struct varlena *value)
{
	tlv_frame frame = TlvFrame(TlvPlainSections(value, sizeof(double))); /* numbers alone */
	const tlv_kind *kind = TlvKind(&frame);
	const tlv_section *items = tlv_frame_find(&frame, "items");

	appendStringInfoString(text, kind->name);
	if (kind->type == TLV_FRAME_MODEL)
		appendStringInfo(text, " k=%zu", tlv_model_components(&frame));
	for (size_t i = 0; i < lengthof(head_counts); i++)
		if (tlv_frame_scalar(&frame, head_counts[i], -1) >= 0)
			appendStringInfo(text, " %s=%.15g", head_counts[i],
							 tlv_frame_scalar(&frame, head_counts[i], 0));
	if (items != NULL && items->rows > 0)
		appendStringInfo(text, " items=%llu", (unsigned long long) items->rows);
	appendStringInfo(text, " bytes=%zu:", (size_t) VARSIZE(value));
	if (frame.header != (const tlv_frame_header *) value)
		pfree(unconstify(tlv_frame_header *, frame.header));
}

static Datum
value_out(struct varlena *value)
{
	size_t length = VARSIZE(value) - VARHDRSZ;
	StringInfoData head;
	char *text, *end;

	initStringInfo(&head);
	append_head(&head, value);
	text = palloc((size_t) head.len + (length + 2) / 3 * 4 + 1);
	memcpy(text, head.data, (size_t) head.len);
	end = text + head.len;
	for (size_t at = 0; at < length; at += BYTES_PIECE)
	{
		size_t piece = Min(length - at, BYTES_PIECE), room = (piece + 2) / 3 * 4;

		CHECK_FOR_INTERRUPTS();
		if (pg_b64_encode((const void *) (VARDATA(value) + at), (int) piece, end, (int) room) < 0)
			elog(ERROR, "could not encode a value");
		end += room;
	}
	*end = '\0';
	PG_RETURN_CSTRING(text);
}

struct varlena *
TlvReceive(StringInfo message, int length, size_t header)
{
	struct varlena *value = palloc((size_t) length + VARHDRSZ + header);

	TlvCopy(VARDATA(value), pq_getmsgbytes(message, length), (size_t) length);
	memset(VARDATA(value) + length, 0, header);
	SET_VARSIZE(value, length + VARHDRSZ);
	return value;
}

bytea *
TlvSend(struct varlena *value)
{
	bytea *bytes = palloc(VARSIZE(value));

	SET_VARSIZE(bytes, VARSIZE(value));
	TlvCopy(VARDATA(bytes), VARDATA(value), VARSIZE(value) - VARHDRSZ);
	return bytes;
}

static Datum
value_recv(StringInfo buffer, tlv_frame_type type)
{
	struct varlena *value =
		TlvReceive(buffer, buffer->len - buffer->cursor, sizeof(tlv_frame_header));

	PG_RETURN_POINTER(value_validate(value, type, ERRCODE_INVALID_BINARY_REPRESENTATION, NULL));
}

#define VALUE_TYPE(name, type, INPUT_FUNCTION)                                                     \
	INPUT_FUNCTION(name##_in)                                                                      \
	{                                                                                              \
		return value_in(PG_GETARG_CSTRING(0), type, fcinfo->context);                              \
	}                                                                                              \
	TLV_FUNCTION(name##_out)                                                                       \
	{                                                                                              \
		return value_out(PG_GETARG_TLV(0));                                                        \
	}                                                                                              \
	TLV_FUNCTION(name##_recv)                                                                      \
	{                                                                                              \
		return value_recv((StringInfo) PG_GETARG_POINTER(0), type);                                \
	}                                                                                              \
	TLV_FUNCTION(name##_send)                                                                      \
	{                                                                                              \
		PG_RETURN_BYTEA_P(TlvSend(PG_GETARG_TLV(0)));                                              \
	}

VALUE_TYPE(tlv_moments, TLV_FRAME_MOMENTS, TLV_FUNCTION)
VALUE_TYPE(tlv_subspace, TLV_FRAME_SUBSPACE, TLV_FUNCTION)
VALUE_TYPE(tlv_model, TLV_FRAME_MODEL, TLV_KEEPING_FUNCTION)
VALUE_TYPE(tlv_graph, TLV_FRAME_GRAPH, TLV_FUNCTION)

/* ---- equality, order and hash: of the bytes, for every type of ours ---- */

/* Bytes that a comparison fetches at a time of a value that is stored out of line. */
#define SLICE ((size_t) 256 * 1024)

/* Every slice of what is compressed would have to be decompressed from the first byte on. */
static size_t
slice_length(Datum value)
{
	return toast_datum_size(value) + VARHDRSZ < toast_raw_datum_size(value) ? SIZE_MAX : SLICE;
}

/* At most the given number of bytes of a value from offset on; the caller frees *fetched. */
static const char *
value_slice(Datum value, size_t offset, size_t most, size_t *length, struct varlena **fetched)
{
	struct varlena *stored = (struct varlena *) DatumGetPointer(value);

	*fetched = NULL;
	*length = Min(toast_raw_datum_size(value) - VARHDRSZ - offset, most);
	if (!VARATT_IS_EXTERNAL(stored) && !VARATT_IS_COMPRESSED(stored))
		return VARDATA_ANY(stored) + offset;
	*fetched = (struct varlena *) PG_DETOAST_DATUM_SLICE(value, offset, *length);
	return VARDATA_ANY(*fetched);
}

/*
 * Bytes first, then the length: a total order that means nothing, for sorting and DISTINCT.  What
 * is stored out of line is fetched in slices, as far as the values are equal.
 */
static int
compare_values(FunctionCallInfo fcinfo)
{
	Datum a = PG_GETARG_DATUM(0), b = PG_GETARG_DATUM(1);
	size_t la = toast_raw_datum_size(a) - VARHDRSZ, lb = toast_raw_datum_size(b) - VARHDRSZ;
	size_t slice = Max(slice_length(a), slice_length(b)), at = 0;
	int order = 0;

	for (; at < Min(la, lb) && order == 0; at += Min(slice, Min(la, lb)))
	{
		struct varlena *fetched[2];
		size_t na, nb;
		const char *from_a = value_slice(a, at, slice, &na, &fetched[0]);
		const char *from_b = value_slice(b, at, slice, &nb, &fetched[1]);

		CHECK_FOR_INTERRUPTS();
		order = memcmp(from_a, from_b, Min(na, nb));
		for (int i = 0; i < 2; i++)
			if (fetched[i] != NULL)
				pfree(fetched[i]);
	}
	return order != 0 ? order : la < lb ? -1 : la > lb;
}

TLV_FUNCTION(tlv_value_eq)
{
	PG_RETURN_BOOL(toast_raw_datum_size(PG_GETARG_DATUM(0)) ==
					   toast_raw_datum_size(PG_GETARG_DATUM(1)) &&
				   compare_values(fcinfo) == 0);
}

TLV_FUNCTION(tlv_value_ne)
{
	return BoolGetDatum(!DatumGetBool(tlv_value_eq(fcinfo)));
}

TLV_FUNCTION(tlv_value_cmp)
{
	PG_RETURN_INT32(compare_values(fcinfo));
}

#define VALUE_COMPARISON(name, OPERATION)                                                          \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		PG_RETURN_BOOL(compare_values(fcinfo) OPERATION 0);                                        \
	}

VALUE_COMPARISON(tlv_value_lt, <)
VALUE_COMPARISON(tlv_value_le, <=)
VALUE_COMPARISON(tlv_value_gt, >)
VALUE_COMPARISON(tlv_value_ge, >=)

/* Values of equal bytes have equal first bytes, and among these are the digests of large ones. */
static uint64
hash_value(Datum value, uint64 seed)
{
	struct varlena *fetched;
	size_t length;
	const char *bytes = value_slice(value, 0, SLICE, &length, &fetched);
	uint64 hash = tlv_fingerprint(bytes, length, seed);

	if (fetched != NULL)
		pfree(fetched);
	return hash;
}

TLV_FUNCTION(tlv_value_hash)
{
	PG_RETURN_INT32((int32) hash_value(PG_GETARG_DATUM(0), 0));
}

TLV_FUNCTION(tlv_value_hash_extended)
{
	PG_RETURN_INT64((int64) hash_value(PG_GETARG_DATUM(0), (uint64) PG_GETARG_INT64(1)));
}
