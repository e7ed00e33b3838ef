/*
 * kind.c - what holds for values of every kind (kind.h): is a value one, of the kind that is
 * needed, and may it be stored?
 */
#include "tensorlv/model/kind.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind_functions.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/assert.h"

tlv_status
tlv_kind_refuse_unknown(tlv_context *ctx, const tlv_frame *frame)
{
	static const struct
	{
		tlv_frame_type type;
		uint32_t code;
		const char *name, *hint;
	} gone[] = {
#define TLV_KIND(type, code, name, constant, record)
#define TLV_KIND_GONE(type, code, name, hint) {TLV_FRAME_##type, code, name, hint},
#include "tensorlv/model/kinds.def"
#undef TLV_KIND
	};

	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if (gone[i].type == frame->header->type && gone[i].code == frame->header->kind)
		{
			tlv_fail(ctx, TLV_GONE, "values of kind %s are no longer supported", gone[i].name);
			return tlv_fail_hint(ctx, "%s", gone[i].hint);
		}
	tlv_fail(ctx, TLV_CORRUPT, "the value is of unknown kind %u", frame->header->kind);
	return tlv_fail_hint(ctx, "It was probably written by a newer version of tensorlv.");
}

tlv_status
tlv_kind_require(tlv_context *ctx, const tlv_frame *frame, const tlv_kind *kind,
				 const char *function)
{
	static const char *const types[] = {"", "tlv_moments", "tlv_subspace", "tlv_model",
										"tlv_graph"};
	const tlv_kind *own = frame->kind;
	const char *hint;

	if (own == kind)
		return TLV_OK;
	if (own == NULL)
		return tlv_kind_refuse_unknown(ctx, frame);
	hint = tlv_kind_hint(ctx, own);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s needs a %s of kind %s, not %s", function,
			 types[kind->type], kind->name, own->name);
	return hint != NULL ? tlv_fail_hint(ctx, "%s", hint) : TLV_BAD_PARAMETER;
}

tlv_status
tlv_kind_undefined(tlv_context *ctx, const tlv_frame *model, const char *what)
{
	const tlv_kind *kind = model->kind;

	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s is not defined for a model of kind %s", what,
			 kind != NULL ? kind->name : "unknown");
	return tlv_fail_hint(ctx, "tlv_kinds() lists the functions that apply to each kind.");
}

tlv_status
tlv_kind_check(tlv_context *ctx, const tlv_kind *kind, const tlv_frame *frame)
{
	if (kind->check != NULL)
		TLV_TRY(kind->check(ctx, frame));
	else
		TLV_TRY(tlv_sections_check(ctx, frame, tlv_kind_sections(kind)));
	TLV_TRY(tlv_dimension_names_check(ctx, kind, frame));
	if (kind->model == NULL)
		return TLV_OK;
	TLV_TRY(tlv_labels_check(ctx, frame));
	return tlv_errors_check(ctx, frame);
}

tlv_status
tlv_accumulator_create(tlv_context *ctx, const tlv_accumulator_class *class,
					   tlv_accumulator **accumulator)
{
	if (class->create != NULL)
		return class->create(ctx, accumulator);
	return tlv_sections_create(ctx, class, NULL, accumulator);
}

tlv_status
tlv_accumulator_store(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	const tlv_accumulator_class *class = accumulator->class;

	return class->store != NULL ? class->store(ctx, accumulator, builder)
								: class->build(ctx, accumulator, builder);
}

tlv_status
tlv_kind_validate(tlv_context *ctx, const void *image, size_t size, tlv_frame_type type,
				  tlv_frame *frame)
{
	static const char *const names[] = {"", "moments", "a subspace", "a model", "a graph"};

	TLV_TRY(tlv_frame_validate(ctx, image, size, frame));
	if (frame->header->type != type)
		return tlv_fail(ctx, TLV_CORRUPT, "the value is %s, not %s", names[frame->header->type],
						names[type]);
	if (frame->kind == NULL)
		return tlv_kind_refuse_unknown(ctx, frame);
	return tlv_kind_check(ctx, frame->kind, frame);
}

tlv_status
tlv_kind_require_made(tlv_context *ctx, const void *image, size_t size)
{
	const tlv_kind *kind;
	tlv_frame frame;
	tlv_status status;
	tlv_error why;

	TLV_TRY(tlv_frame_open(ctx, image, size, &frame));
	kind = frame.kind;
	tlv_assert(kind != NULL);
	status = tlv_kind_check(ctx, kind, &frame);
	if (status != TLV_CORRUPT)
		return status;
	why = ctx->error;
	tlv_fail(ctx, TLV_BAD_DATA,
			 "what follows from these numbers is not a valid value of kind %s: %s", kind->name,
			 why.message);
	tlv_fail_hint(ctx, "They are too large or too small, or do not belong together.");
	return TLV_BAD_DATA;
}

bool
tlv_kind_accepts(tlv_context *ctx, const void *image, size_t size)
{
	const tlv_frame_header *header = image;
	tlv_frame_type type = (tlv_frame_type) header->type;
	tlv_error before = ctx->error;
	bool (*stop)(void *) = ctx->stop;
	tlv_frame frame;
	tlv_status status;

	ctx->stop = NULL; /* whoever looks for interrupts is to find them himself */
	status = tlv_kind_validate(ctx, image, size, type, &frame);
	ctx->stop = stop;
	if (status != TLV_CORRUPT) /* memory may have run out */
		ctx->error = before;
	return status != TLV_CORRUPT;
}
