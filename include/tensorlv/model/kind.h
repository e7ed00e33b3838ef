/*
 * kind.h - one record per kind of stored value: its name and what its frame
 * must hold.  Output, validation, roll-up, tlv_info and the tests iterate
 * over these records, so that a new kind is a new line of kinds.def.
 *
 * What a kind does with rows is in its accumulator class (accumulator.h) and its model class
 * (model.h); which functions of SQL it has is in kind_functions.h.
 */
#ifndef TENSORLV_KIND_H
#define TENSORLV_KIND_H

#include "tensorlv/model/accumulator.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/model.h"

typedef struct tlv_kind
{
	tlv_frame_type type;
	uint8_t code; /* of the image: never reused */
	const char *name;
	/* sections, shapes and ranges; TLV_CORRUPT otherwise.  The frame itself is already valid.  NULL
	 * when the kind is declared (sections.h): called through tlv_kind_check. */
	tlv_status (*check)(tlv_context *ctx, const tlv_frame *frame);
	const tlv_accumulator_class *accumulator; /* moments and graphs */
	const tlv_model_class *model;			  /* models only */
} tlv_kind;

/*
 * All kinds, in the order of type and code, *count gets their number; and the record of a type and
 * code, or NULL.  They are defined in kinds.c, which depends on every room: whoever makes a context
 * hands tlv_kind_find in as kind_of, and the rooms take the kind from the frame.
 */
extern const tlv_kind *const *tlv_kinds(size_t *count);
extern const tlv_kind *tlv_kind_find(unsigned type, unsigned code);

/* TLV_BAD_PARAMETER unless the frame is of that kind; function names who needs it. */
extern tlv_status tlv_kind_require(tlv_context *ctx, const tlv_frame *frame, const tlv_kind *kind,
								   const char *function);

/* Says that what is not defined for a model of this kind, and where it is told what is. */
extern tlv_status tlv_kind_undefined(tlv_context *ctx, const tlv_frame *model, const char *what);

/* What it declares (sections.h), or NULL. */
static inline const tlv_sections *
tlv_kind_sections(const tlv_kind *kind)
{
	if (kind->accumulator != NULL)
		return kind->accumulator->sections;
	return kind->model != NULL ? kind->model->sections : NULL;
}

/* The error of a frame without a kind: TLV_GONE, with what takes its place, of a kind that there
 * was before, else TLV_CORRUPT. */
extern tlv_status tlv_kind_refuse_unknown(tlv_context *ctx, const tlv_frame *frame);

/* Whether a frame that is valid in itself is what its kind must be; TLV_CORRUPT otherwise. */
extern tlv_status tlv_kind_check(tlv_context *ctx, const tlv_kind *kind, const tlv_frame *frame);

/* Validates an image of unknown origin completely; frame->kind is its record. */
extern tlv_status tlv_kind_validate(tlv_context *ctx, const void *image, size_t size,
									tlv_frame_type type, tlv_frame *frame);

/*
 * What a fit, a step or a simulation has made, before it is handed on: TLV_BAD_DATA unless it is
 * what its kind must be.  Numbers at the edge of what can be stored, and parts of forged values
 * that do not fit together, lead there; only the digest is not looked at.
 */
extern tlv_status tlv_kind_require_made(tlv_context *ctx, const void *image, size_t size);

/* For assertions: what our own functions have written passes its kind's check. */
extern bool tlv_kind_accepts(tlv_context *ctx, const void *image, size_t size);

/* Codes of the images, TLV_KIND_LDA and so on, and their types, TLV_TYPE_LDA. */
enum
{
#define TLV_KIND(type, code, name, constant, record) TLV_KIND_##constant = (code),
#include "tensorlv/model/kinds.def"
#undef TLV_KIND
};

enum
{
#define TLV_KIND(type, code, name, constant, record) TLV_TYPE_##constant = TLV_FRAME_##type,
#include "tensorlv/model/kinds.def"
#undef TLV_KIND
};

/* The records, and names of their own, for TLV_KIND_LINE. */
#define TLV_KIND(type, code, name, constant, record)                                               \
	extern const tlv_kind tlv_kind_##record;                                                       \
	extern const char tlv_kind_name_##record[];
#include "tensorlv/model/kinds.def"
#undef TLV_KIND

/* What kinds.def says, as the first members of a record. */
#define TLV_KIND_LINE(constant, record)                                                            \
	.type = (tlv_frame_type) TLV_TYPE_##constant, .code = TLV_KIND_##constant,                     \
	.name = tlv_kind_name_##record

#endif /* TENSORLV_KIND_H */
