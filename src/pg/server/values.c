/*
 * values.c - tlv_moments, tlv_subspace, tlv_model and tlv_graph as types: text and
 * binary input and output, equality, hashing, tlv_info.
 *
 * The text form is a head for people, of the kind's name and a few sizes, a colon, and the base64
 * of the image: exact, whatever the settings of the session, so that dumps restore what they read.
 * Input goes by the name and the image.
 */
#include "tlv_pg.h"

#include <ctype.h>
#include <math.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "common/base64.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "tensorlv/model/counts.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind_functions.h"
#include "tensorlv/model/layout.h"

static const char *const type_names[] = {"", "tlv_moments", "tlv_subspace", "tlv_model",
										 "tlv_graph"};

/* Sections of more bytes are not set. */
static struct varlena *
plain_sections(struct varlena *value, size_t most)
{
	struct varlena *plain;
	tlv_context ctx;
	size_t size;

	if (!tlv_frame_is_packed(value, VARSIZE(value)))
		return value;
	TlvContextInit(&ctx, CurrentMemoryContext, SIZE_MAX);
	TlvCheck(&ctx, tlv_frame_unpacked_size(&ctx, value, VARSIZE(value), &size));
	plain = palloc(size);
	TlvCheck(&ctx, tlv_frame_unpack_small(&ctx, value, VARSIZE(value), most, plain));
	SET_VARSIZE(plain, size);
	return plain;
}

struct varlena *
TlvPlain(struct varlena *value)
{
	return plain_sections(value, SIZE_MAX);
}

struct varlena *
TlvPlainCopy(struct varlena *copy)
{
	struct varlena *plain = TlvPlain(copy);

	if (plain != copy)
		pfree(copy);
	return plain;
}

tlv_frame
TlvFrame(struct varlena *value)
{
	struct varlena *plain = TlvPlain(value);
	tlv_frame frame;
	tlv_context ctx;

	TlvContextInit(&ctx, CurrentMemoryContext, SIZE_MAX);
	TlvCheck(&ctx, tlv_frame_open(&ctx, plain, VARSIZE(plain), &frame));
	return frame;
}

tlv_frame
TlvSumsFrame(struct varlena *value)
{
	tlv_frame frame = TlvFrame(value);
	const tlv_kind *kind = TlvKind(&frame);
	MemoryContext mcxt;
	tlv_context ctx;
	void *image, *copy;
	size_t size;

	if (kind->accumulator == NULL || kind->accumulator->sums == NULL)
		return frame;
	mcxt = AllocSetContextCreate(CurrentMemoryContext, "tensorlv sums", ALLOCSET_DEFAULT_SIZES);
	TlvContextInit(&ctx, mcxt, SIZE_MAX);
	TlvCheck(&ctx, kind->accumulator->sums(&ctx, &frame, &image, &size));
	if (image != NULL)
	{
		copy = palloc(size);
		TlvCheck(&ctx, tlv_copy(&ctx, copy, image, size));
		TlvCheck(&ctx, tlv_frame_open(&ctx, copy, size, &frame));
	}
	MemoryContextDelete(mcxt);
	return frame;
}

void
TlvRequireMade(tlv_context *ctx, struct varlena *value)
{
	struct varlena *plain = TlvPlain(value);

	TlvCheck(ctx, tlv_kind_require_made(ctx, plain, VARSIZE(plain)));
	if (plain != value)
		pfree(plain);
}

bool
TlvAccepts(tlv_context *ctx, struct varlena *value)
{
	struct varlena *plain = TlvPlain(value);
	bool accepts = tlv_kind_accepts(ctx, plain, VARSIZE(plain));

	if (plain != value)
		pfree(plain);
	return accepts;
}

const tlv_kind *
TlvKind(const tlv_frame *frame)
{
	const tlv_kind *kind = tlv_kind_find((tlv_frame_type) frame->header->type, frame->header->kind);

	if (kind == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
						errmsg("%s of unknown kind %u", type_names[frame->header->type],
							   frame->header->kind),
						errhint("It was probably written by a newer version of tensorlv.")));
	return kind;
}

void
TlvRequireKind(const tlv_frame *frame, const tlv_kind *kind, const char *function)
{
	const tlv_kind *own;
	const char *hint;
	tlv_context ctx;

	if (frame->header->type == kind->type && frame->header->kind == kind->code)
		return;
	own = TlvKind(frame);
	TlvContextInit(&ctx, CurrentMemoryContext, SIZE_MAX);
	hint = tlv_kind_hint(&ctx, own);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s needs a %s of kind %s, not %s", function, type_names[kind->type],
						   kind->name, own->name),
					hint != NULL ? errhint("%s", hint) : 0));
}

static struct varlena *
packing_value(tlv_context *ctx, tlv_packing *packing, size_t size)
{
	struct varlena *value = palloc(size);

	SET_VARSIZE(value, size);
	TlvCheck(ctx, tlv_packing_write(ctx, packing, value, size));
	return value;
}

struct varlena *
TlvValue(const void *image, size_t size)
{
	TlvWork *work = TlvWorkBegin("tensorlv value");
	struct varlena *value;
	tlv_packing *packing;
	tlv_frame frame;

	work->ctx.arena.limit = SIZE_MAX;
	TlvCheck(&work->ctx, tlv_frame_open(&work->ctx, image, size, &frame));
	TlvCheck(&work->ctx, tlv_frame_pack_image(&work->ctx, &frame, &packing, &size));
	value = packing_value(&work->ctx, packing, size);
	TlvWorkEnd(work);
	return value;
}

struct varlena *
TlvBuild(tlv_context *ctx, tlv_frame_builder *builder)
{
	tlv_packing *packing;
	size_t size;

	TlvCheck(ctx, tlv_frame_require_finite(ctx, builder));
	TlvCheck(ctx, tlv_frame_pack(ctx, builder, &packing, &size));
	return packing_value(ctx, packing, size);
}

/* Is the error about the image, not about a computation that was cut short? */
static bool
is_about_image(const tlv_error *error)
{
	return error->code != TLV_CANCELLED && error->code != TLV_OUT_OF_MEMORY &&
		   error->code != TLV_MEMORY_LIMIT;
}

/* A number, or the digest of another value. */
static bool
is_single(const tlv_section *section)
{
	return section->rows == 1 &&
		   section->columns == (section->element == TLV_BYTES ? TLV_DIGEST_SIZE : 1);
}

static tlv_status
validate_image(tlv_context *ctx, const void *image, size_t size, tlv_frame_type type,
			   tlv_frame *frame)
{
	const tlv_kind *kind;
	void *plain;

	if (!tlv_frame_is_packed(image, size))
		return tlv_kind_validate(ctx, image, size, type, frame, &kind);
	TLV_TRY(tlv_frame_unpack(ctx, image, size, &plain, &size));
	return tlv_kind_validate(ctx, plain, size, type, frame, &kind);
}

/*
 * Validates an image of unknown origin and returns it as it is stored: there is one image of a
 * value, whatever version it came in.  An error has the given SQLSTATE, a soft one gives NULL.
 */
static struct varlena *
value_validate(struct varlena *value, tlv_frame_type type, int sqlstate, Node *escape)
{
	TlvWork *work = TlvWorkBegin("tensorlv input");
	const char *wrong = NULL;
	tlv_packing *packing;
	tlv_frame frame;
	size_t size;

	work->ctx.arena.limit = SIZE_MAX;
	if (validate_image(&work->ctx, value, VARSIZE(value), type, &frame) == TLV_OK)
	{
		TlvCheck(&work->ctx, tlv_frame_pack_image(&work->ctx, &frame, &packing, &size));
		value = packing_value(&work->ctx, packing, size);
	}
	else
	{
		if (!is_about_image(&work->ctx.error))
			TlvRaise(&work->ctx);
		wrong = TlvWhole(work->ctx.error.message);
	}
	TlvWorkEnd(work);
	if (wrong != NULL)
		ereturn(
			escape, NULL,
			(errcode(sqlstate), errmsg("invalid %s", type_names[type]), errdetail("%s", wrong)));
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
			 errmsg("invalid %s: \"%s\"", type_names[type], TlvClip(text, 40)),
			 type == TLV_FRAME_MODEL && strchr(text, ' ') == NULL
				 ? errhint("A model is a value, not a name: (SELECT model FROM models WHERE ...).")
				 : errhint("The text form is the kind, a colon, and base64 digits.")));
	name = strcspn(text, ": ");
	value = value_of_digits(colon + 1);
	if (value == NULL)
		ereturn(escape, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid %s: no base64 after the colon", type_names[type])));
	value = value_validate(value, type, ERRCODE_INVALID_TEXT_REPRESENTATION, escape);
	if (value == NULL)
		return (Datum) 0;
	kind = tlv_kind_find(type, ((tlv_frame_header *) value)->kind);
	if (strlen(kind->name) != name || strncmp(kind->name, text, name) != 0)
		ereturn(escape, (Datum) 0,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid %s: \"%s\" before the colon, \"%s\" behind it", type_names[type],
						TlvClip(text, (int) Min(name, 40)), kind->name)));
	PG_RETURN_POINTER(value);
}

/* Counts that say at a glance how much is in a value, as far as its kind has them. */
static const char *const head_counts[] = {"documents", "rows", "sequences", "entries"};

/* What people read: lda k=20 items=97620 bytes=1412345: */
static void
append_head(StringInfo text, struct varlena *value)
{
	tlv_frame frame = TlvFrame(plain_sections(value, sizeof(double))); /* numbers alone */
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

#define VALUE_TYPE(name, type)                                                                     \
	TLV_FUNCTION(name##_in)                                                                        \
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

VALUE_TYPE(tlv_moments, TLV_FRAME_MOMENTS)
VALUE_TYPE(tlv_subspace, TLV_FRAME_SUBSPACE)
VALUE_TYPE(tlv_model, TLV_FRAME_MODEL)
VALUE_TYPE(tlv_graph, TLV_FRAME_GRAPH)

/* ---- equality, order and hash: of the bytes, for every type of ours ---- */

TLV_FUNCTION(tlv_value_eq)
{
	struct varlena *a = PG_GETARG_TLV(0), *b = PG_GETARG_TLV(1);

	PG_RETURN_BOOL(VARSIZE(a) == VARSIZE(b) &&
				   memcmp(VARDATA(a), VARDATA(b), VARSIZE(a) - VARHDRSZ) == 0);
}

TLV_FUNCTION(tlv_value_ne)
{
	return BoolGetDatum(!DatumGetBool(tlv_value_eq(fcinfo)));
}

/* Bytes first, then the length: a total order that means nothing, for sorting and DISTINCT. */
static int
compare_values(FunctionCallInfo fcinfo)
{
	struct varlena *a = PG_GETARG_TLV(0), *b = PG_GETARG_TLV(1);
	size_t la = VARSIZE(a) - VARHDRSZ, lb = VARSIZE(b) - VARHDRSZ;
	int order = memcmp(VARDATA(a), VARDATA(b), Min(la, lb));

	if (order == 0)
		order = la < lb ? -1 : la > lb;
	/* A sort compares often: what was detoasted must not stay. */
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return order;
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

TLV_FUNCTION(tlv_value_hash)
{
	struct varlena *value = PG_GETARG_TLV(0);

	PG_RETURN_INT32((int32) tlv_fingerprint(VARDATA(value), VARSIZE(value) - VARHDRSZ, 0));
}

TLV_FUNCTION(tlv_value_hash_extended)
{
	struct varlena *value = PG_GETARG_TLV(0);

	PG_RETURN_INT64((int64) tlv_fingerprint(VARDATA(value), VARSIZE(value) - VARHDRSZ,
											(uint64) PG_GETARG_INT64(1)));
}

/* ---- header view ---- */

static void
append_number(StringInfo json, double value)
{
	char number[32];

	/* The shortest of these that reads back the same. */
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(number, sizeof(number), "%.*g", digits, value);
		if (strtod(number, NULL) == value)
			break;
	}
	appendStringInfoString(json, number);
}

/* A setting of a model that is one of some names, or yes or no (layout.h). */
static bool
append_setting(StringInfo json, const tlv_frame *frame, const tlv_section *section)
{
	const tlv_field *field = NULL;
	double number = tlv_frame_scalar(frame, section->name, 0);

	if (frame->header->type == TLV_FRAME_MODEL)
		field = tlv_layout_field(tlv_layout_of(frame), section->name);
	if (field != NULL && field->form == TLV_FIELD_CHOICE)
		escape_json(json, field->names[(int) number]);
	else if (field != NULL && field->form == TLV_FIELD_FLAG)
		appendStringInfoString(json, number != 0 ? "true" : "false");
	else
		return false;
	return true;
}

static void
append_single(StringInfo json, const tlv_frame *frame, const tlv_section *section)
{
	const void *data = tlv_section_data(frame, section);
	double number;

	if (append_setting(json, frame, section))
		return;
	if (section->element == TLV_INT64)
		appendStringInfo(json, INT64_FORMAT, *(const int64 *) data);
	else if (section->element == TLV_BYTES)
	{
		appendStringInfoChar(json, '"');
		for (int i = 0; i < TLV_DIGEST_SIZE; i++)
			appendStringInfo(json, "%02x", ((const unsigned char *) data)[i]);
		appendStringInfoChar(json, '"');
	}
	else
	{
		tlv_section_numbers(frame, section, &number);
		append_number(json, number);
	}
}

/* Message and hint in one line. */
static char *
warning_text(const tlv_warning *warning)
{
	return psprintf("%s%s%s", warning->message, warning->hint[0] != '\0' ? ": " : "",
					warning->hint);
}

static void
append_warnings(StringInfo json, const tlv_frame *frame)
{
	tlv_warnings_walk walk = tlv_warnings_of(frame);
	const char *separator = "";

	if (frame->header->type != TLV_FRAME_MODEL)
		return;
	appendStringInfoString(json, ", \"warnings\": [");
	while (tlv_warnings_next(&walk))
	{
		appendStringInfoString(json, separator);
		escape_json(json, warning_text(&walk.warning));
		separator = ", ";
	}
	appendStringInfoChar(json, ']');
}

/* Values of equal content have the same; nothing else has it. */
static void
append_fingerprint(StringInfo json, const tlv_frame *frame)
{
	const uint8 *digest = (const uint8 *) &frame->header->digest;

	appendStringInfoString(json, ", \"fingerprint\": \"");
	for (size_t i = 0; i < sizeof(frame->header->digest); i++)
		appendStringInfo(json, "%02x", digest[i]);
	appendStringInfoChar(json, '"');
}

/* Of the subspace of items: how far the last step of its iteration has moved it. */
static void
append_change(StringInfo json, const tlv_frame *frame)
{
	double change;

	if (TlvKind(frame) != &tlv_kind_item_subspace)
		return;
	change = tlv_subspace_change(frame);
	appendStringInfoString(json, ", \"change\": ");
	if (isfinite(change))
		append_number(json, change);
	else
		appendStringInfoString(json, "null");
}

/* What the columns of the rows were called. */
static void
append_dimension_names(StringInfo json, const tlv_frame *frame)
{
	const tlv_name_list names = tlv_dimension_names(frame);
	size_t n = names.offsets != NULL ? tlv_model_dimensions(frame) : 0;

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		appendStringInfoString(json, i == 0 ? ", \"dimension_names\": [" : ", ");
		escape_json(json, TlvNameText(&names, i, (int64) i + 1));
	}
	if (n > 0)
		appendStringInfoChar(json, ']');
}

/* Kind, size, single numbers, names of dimensions, and the shapes of everything else. */
static Datum
frame_info(const tlv_frame *frame, size_t bytes)
{
	StringInfoData json;
	bool first = true;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"type\": \"%s\", \"kind\": \"%s\", \"version\": %u, \"bytes\": %zu",
					 type_names[frame->header->type], TlvKind(frame)->name, frame->header->version,
					 bytes);
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];

		if (!is_single(section))
			continue;
		appendStringInfo(&json, ", \"%s\": ", section->name);
		append_single(&json, frame, section);
	}
	append_fingerprint(&json, frame);
	append_change(&json, frame);
	append_dimension_names(&json, frame);
	append_warnings(&json, frame);
	appendStringInfoString(&json, ", \"arrays\": {");
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];

		if (is_single(section))
			continue;
		appendStringInfo(&json, "%s\"%s\": [%llu, %llu]", first ? "" : ", ", section->name,
						 (unsigned long long) section->rows, (unsigned long long) section->columns);
		first = false;
	}
	appendStringInfoString(&json, "}}");
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* Of a value that is read for it. */
TLV_FUNCTION(tlv_value_info)
{
	struct varlena *value = PG_GETARG_TLV(0);
	tlv_frame frame = TlvFrame(value);

	return frame_info(&frame, VARSIZE(value));
}

/* Models of more bytes are looked at where the session has them open: triggers ask for the
 * fingerprint of the model for every row. */
#define INFO_OF_OPENED 16384

/* Of a model. */
TLV_FUNCTION(tlv_model_info)
{
	size_t bytes = toast_raw_datum_size(PG_GETARG_DATUM(0));
	TlvModelCache *cache;
	Datum info;

	if (bytes < INFO_OF_OPENED)
		return tlv_value_info(fcinfo);
	cache = TlvCachedModel(fcinfo, 0);
	info = frame_info(&cache->model->frame, bytes);
	TlvCachedModelEnd(cache);
	return info;
}

/* The name of a value's kind, of its first bytes. */
TLV_FUNCTION(tlv_value_kind)
{
	struct varlena *head = (struct varlena *) PG_DETOAST_DATUM_SLICE(
		PG_GETARG_DATUM(0), 0, sizeof(tlv_frame_header) - VARHDRSZ);
	tlv_frame_header header;
	const tlv_kind *kind;

	memset(&header, 0, sizeof(header));
	memcpy((char *) &header + VARHDRSZ, VARDATA_ANY(head),
		   Min(VARSIZE_ANY_EXHDR(head), sizeof(header) - VARHDRSZ));
	kind = tlv_kind_find((tlv_frame_type) header.type, header.kind);
	if (kind == NULL) /* it is damaged: the one error for that */
		kind = TlvKind(&(tlv_frame){.header = TlvFrame(PG_GETARG_TLV(0)).header});
	PG_RETURN_TEXT_P(cstring_to_text(kind->name));
}

/* A name that ends in _<digits> is one of a series: they are its place there. */
static void
put_diagnostic(FunctionCallInfo fcinfo, const char *name, double value)
{
	size_t length = strlen(name), end = length;
	int32 place = 0;

	while (end > 0 && isdigit((unsigned char) name[end - 1]))
		end--;
	if (end < 2 || end == length || length - end > 9 || name[end - 1] != '_')
		end = length + 1;
	else
		place = pg_strtoint32(name + end);
	TlvPutRow(fcinfo, TlvText(pnstrdup(name, end - 1)), TlvNullIf(end > length, TlvInt4(place)),
			  TlvFloat8(value));
}

/* Numbers of the model itself that tell how far its components reach. */
static void
put_component_numbers(FunctionCallInfo fcinfo, const tlv_frame *frame, const char *section,
					  const char *measure)
{
	const tlv_section *numbers = tlv_frame_find(frame, section);

	for (size_t j = 0; numbers != NULL && j < tlv_model_components(frame); j++)
		TlvPutRow(fcinfo, TlvText(measure), TlvInt4((int32) j + 1),
				  TlvFloat8(tlv_frame_float64(frame, section)[j]));
}

/* Rows (measure, component, score) of a model. */
TLV_FUNCTION(tlv_diagnostics_rows)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	tlv_diagnostics_walk walk = tlv_diagnostics_of(&frame);

	TlvInitRows(fcinfo);
	while (tlv_diagnostics_next(&walk))
		put_diagnostic(fcinfo, walk.name, walk.value);
	if (TlvKind(&frame) == &tlv_kind_gaussian_mixture)
		put_component_numbers(fcinfo, &frame, "degrees", "degrees_of_freedom");
	if (TlvKind(&frame) == &tlv_kind_direction_mixture)
		put_component_numbers(fcinfo, &frame, "kappas", "concentration");
	return (Datum) 0;
}

/* Rows (code, component, score, message, hint) of a model; of the whole model component is NULL. */
TLV_FUNCTION(tlv_warnings_rows)
{
	tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
	tlv_warnings_walk walk = tlv_warnings_of(&frame);

	TlvInitRows(fcinfo);
	while (tlv_warnings_next(&walk))
	{
		const tlv_warning *warning = &walk.warning;

		TlvPutRow(fcinfo, TlvText(warning->code),
				  TlvNullIf(warning->component == 0 || warning->component > PG_INT32_MAX,
							TlvInt4((int32) warning->component)),
				  TlvFloat8(warning->score), TlvText(warning->message),
				  TlvText(warning->hint[0] != '\0' ? warning->hint : NULL));
	}
	return (Datum) 0;
}
