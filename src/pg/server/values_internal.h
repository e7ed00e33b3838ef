/*
 * values_internal.h - what values.c, value_frames.c and value_info.c share.
 */
#ifndef TLV_VALUES_INTERNAL_H
#define TLV_VALUES_INTERNAL_H

#include "tlv_pg.h"

/* What the types of values are called, by tlv_frame_type. */
extern const char *const TlvTypeNames[];

/* As TlvPlain; sections of more bytes are not set. */
extern struct varlena *TlvPlainSections(struct varlena *value, size_t most);

/* The value of so many bytes that a packing is. */
extern struct varlena *TlvPackedValue(tlv_context *ctx, tlv_packing *packing, size_t size);

#endif /* TLV_VALUES_INTERNAL_H */
