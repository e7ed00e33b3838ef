/*
 * value_frames.c - the frame behind a stored value, and values of frames that were made.
 */
#include "values_internal.h"

#include "access/detoast.h"

#include "tensorlv/model/kind_functions.h"

const char *const TlvTypeNames[] = {"", "tlv_moments", "tlv_subspace", "tlv_model", "tlv_graph"};

/* ---- memory of values that are open ---- */

/*
 * A value of a few kilobytes may stand for hundreds of megabytes, and a call may open as many
 * values as an array has.  What is unpacked or fetched lives in a memory context of its own below
 * the caller's, is charged to tensorlv.work_mem, and is given back with that context.
 */
typedef struct ValueCharge
{
	size_t bytes;
	MemoryContextCallback callback;
} ValueCharge;

static size_t charged_bytes = 0;

size_t
TlvChargedBytes(void)
{
	return charged_bytes;
}

static void
charge_end(void *argument)
{
	charged_bytes -= ((ValueCharge *) argument)->bytes;
}

void
TlvRequireBytes(double bytes, const char *what)
{
	tlv_context ctx;

	if (bytes + (double) charged_bytes <= (double) TLV_LEAST_MEMORY)
		return;
	TlvContextInit(&ctx, CurrentMemoryContext, TlvValueMemory());
	ctx.memory = NULL; /* it is no progress */
	ctx.arena.used = charged_bytes;
	/* Whoever opens a value computes something of its size. */
	tlv_expect_memory(&ctx, 2 * bytes);
	TlvCheck(&ctx, tlv_require_memory(&ctx, bytes, what));
}

static MemoryContext
value_context(void)
{
	return AllocSetContextCreate(CurrentMemoryContext, "tensorlv value", ALLOCSET_SMALL_SIZES);
}

/* What the context holds is charged until it ends. */
static void
charge(MemoryContext mcxt, size_t bytes)
{
	ValueCharge *own = MemoryContextAlloc(mcxt, sizeof(ValueCharge));

	own->bytes = bytes;
	own->callback.func = charge_end;
	own->callback.arg = own;
	charged_bytes += bytes;
	MemoryContextRegisterResetCallback(mcxt, &own->callback);
}

size_t
TlvUnpackedBytes(struct varlena *value)
{
	tlv_context ctx;
	size_t size;

	if (!tlv_frame_is_packed(value, VARSIZE(value)))
		return 0;
	ctx = TlvCallContext();
	TlvCheck(&ctx, tlv_frame_unpacked_size(&ctx, value, VARSIZE(value), &size));
	return size;
}

/* ---- plain forms ---- */

struct varlena *
TlvPlainSections(struct varlena *value, size_t most)
{
	size_t size = TlvUnpackedBytes(value);
	struct varlena *plain;
	tlv_context ctx;

	if (!tlv_frame_is_packed(value, VARSIZE(value)))
		return value;
	ctx = TlvCallContext();
	plain = palloc(size);
	TlvCheck(&ctx, tlv_frame_unpack_small(&ctx, value, VARSIZE(value), most, plain));
	SET_VARSIZE(plain, size);
	return plain;
}

struct varlena *
TlvPlainCopy(struct varlena *copy)
{
	struct varlena *plain = TlvPlainSections(copy, SIZE_MAX);

	if (plain != copy)
		pfree(copy);
	return plain;
}

/* What a packed value stands for, in a memory context of its own below the current one and charged.
 */
static struct varlena *
plain_of(struct varlena *value)
{
	size_t size = TlvUnpackedBytes(value);
	MemoryContext old, mcxt;

	if (!tlv_frame_is_packed(value, VARSIZE(value)))
		return value;
	TlvRequireBytes((double) size, "the unpacked value");
	mcxt = value_context();
	old = MemoryContextSwitchTo(mcxt);
	value = TlvPlainSections(value, SIZE_MAX);
	MemoryContextSwitchTo(old);
	charge(mcxt, size);
	return value;
}

struct varlena *
TlvPlainFor(tlv_context *ctx, Datum value)
{
	struct varlena *image = (struct varlena *) DatumGetPointer(value), *plain;
	size_t size;

	if (VARATT_IS_EXTENDED(image))
	{
		TlvCheck(ctx, tlv_require_memory(ctx, (double) toast_raw_datum_size(value), "the value"));
		image = (struct varlena *) PG_DETOAST_DATUM(value);
	}
	size = VARSIZE(image);
	if (tlv_frame_is_packed(image, size))
		TlvCheck(ctx, tlv_frame_unpack(ctx, image, size, (void **) &plain, &size));
	else
	{
		plain = tlv_alloc(ctx, size, 1);
		if (plain == NULL)
			TlvRaise(ctx);
		TlvCheck(ctx, tlv_copy(ctx, plain, image, size));
	}
	SET_VARSIZE(plain, size);
	if ((Pointer) image != DatumGetPointer(value))
		pfree(image);
	return plain;
}

/* ---- frames ---- */

tlv_frame
TlvFrame(struct varlena *value)
{
	struct varlena *plain = plain_of(value);
	tlv_frame frame;
	tlv_context ctx = TlvCallContext();

	TlvCheck(&ctx, tlv_frame_open(&ctx, plain, VARSIZE(plain), &frame));
	return frame;
}

/* Of a value in memory its header, packed or not. */
static void
require_kind_of_header(struct varlena *value, const tlv_kind *kind, const char *function)
{
	tlv_frame head = {.header = (const tlv_frame_header *) value};

	/* A damaged header is refused where it is opened. */
	if (kind != NULL && VARSIZE(value) >= sizeof(tlv_frame_header) &&
		tlv_kind_find((tlv_frame_type) head.header->type, head.header->kind) != NULL)
		TlvRequireKind(&head, kind, function);
}

tlv_frame
TlvKindFrame(Datum datum, const tlv_kind *kind, const char *function)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(datum);
	MemoryContext fetched, old;
	tlv_frame frame;

	if (!VARATT_IS_EXTENDED(value) || VARATT_IS_EXTERNAL_EXPANDED(value))
	{
		value = (struct varlena *) PG_DETOAST_DATUM(datum);
		require_kind_of_header(value, kind, function);
		return TlvFrame(value);
	}
	TlvRequireBytes((double) toast_raw_datum_size(datum), "the value");
	fetched = value_context();
	old = MemoryContextSwitchTo(fetched);
	value = (struct varlena *) PG_DETOAST_DATUM(datum);
	MemoryContextSwitchTo(old);
	require_kind_of_header(value, kind, function);
	frame = TlvFrame(value);
	if (frame.header != (const tlv_frame_header *) value)
		MemoryContextDelete(fetched);
	else
		charge(fetched, VARSIZE(value));
	return frame;
}

tlv_frame
TlvFrameOf(Datum datum)
{
	return TlvKindFrame(datum, NULL, NULL);
}

/* The sums of moments that are stored as documents; another frame is returned as it is. */
static tlv_frame
value_frames_sums_of(tlv_frame frame)
{
	const tlv_kind *kind = TlvKind(&frame);
	MemoryContext mcxt;
	tlv_context ctx;
	void *image, *copy;
	size_t size;

	if (kind->accumulator == NULL || kind->accumulator->sums == NULL)
		return frame;
	mcxt = AllocSetContextCreate(CurrentMemoryContext, "tensorlv sums", ALLOCSET_DEFAULT_SIZES);
	TlvContextInit(&ctx, mcxt, TlvValueMemory());
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

tlv_frame
TlvSumsFrame(struct varlena *value)
{
	return value_frames_sums_of(TlvFrame(value));
}

tlv_frame
TlvSumsFrameOf(Datum datum)
{
	return value_frames_sums_of(TlvFrameOf(datum));
}

void
TlvRequireMade(tlv_context *ctx, struct varlena *value)
{
	struct varlena *plain = TlvPlainSections(value, SIZE_MAX);

	TlvCheck(ctx, tlv_kind_require_made(ctx, plain, VARSIZE(plain)));
	if (plain != value)
		pfree(plain);
}

bool
TlvAccepts(tlv_context *ctx, struct varlena *value)
{
	struct varlena *plain = TlvPlainSections(value, SIZE_MAX);
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
	{
		tlv_context ctx = TlvCallContext();

		TlvCheck(&ctx, tlv_kind_refuse_unknown(&ctx, frame));
	}
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
	ctx = TlvCallContext();
	hint = tlv_kind_hint(&ctx, own);
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s needs a %s of kind %s, not %s", function, TlvTypeNames[kind->type],
						   kind->name, own->name),
					hint != NULL ? errhint("%s", hint) : 0));
}

struct varlena *
TlvPackedValue(tlv_context *ctx, tlv_packing *packing, size_t size)
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
	value = TlvPackedValue(&work->ctx, packing, size);
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
	return TlvPackedValue(ctx, packing, size);
}
