/*
 * value_frames.c - the frame behind a stored value, and values of frames that were made.
 */
#include "values_internal.h"

#include "tensorlv/model/kind_functions.h"

const char *const TlvTypeNames[] = {"", "tlv_moments", "tlv_subspace", "tlv_model", "tlv_graph"};

struct varlena *
TlvPlainSections(struct varlena *value, size_t most)
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
	return TlvPlainSections(value, SIZE_MAX);
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
						errmsg("%s of unknown kind %u", TlvTypeNames[frame->header->type],
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
