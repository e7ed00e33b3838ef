/*
 * frame.h - the image of a stored value: moments, subspaces, models and graphs alike.
 *
 * A frame is a header, a table of named sections, and their numbers, every
 * section aligned to 8 bytes and in the order of the table, padding zero.
 * The first four bytes belong to the server (its length word) and take no part
 * in validation, equality or the digest.  Numbers are little-endian, as
 * on every machine that is supported; a frame of the other byte order fails
 * the version check.  Two frames of equal content are equal byte by byte.
 *
 * What sections a kind of value has is said once, in its tlv_kind record
 * (kind.h).
 */
#ifndef TENSORLV_FRAME_H
#define TENSORLV_FRAME_H

#include <string.h>

#include "tensorlv/num/context.h"

#define TLV_FRAME_VERSION	   1
#define TLV_FRAME_PACKED	   2 /* the version of a packed one */
#define TLV_FRAME_NAME_SIZE	   24
#define TLV_FRAME_MAX_SECTIONS 256
#define TLV_DIGEST_SIZE		   16
/* A datum is below 1 GiB and its base64 text, 4/3 as long, too.  A build for tests has less. */
#ifndef TLV_FRAME_MAX_BYTES
#define TLV_FRAME_MAX_BYTES ((size_t) 700 * 1024 * 1024)
#endif

typedef enum tlv_frame_type
{
	TLV_FRAME_MOMENTS = 1,
	TLV_FRAME_SUBSPACE = 2,
	TLV_FRAME_MODEL = 3,
	TLV_FRAME_GRAPH = 4
} tlv_frame_type;

typedef enum tlv_element
{
	TLV_FLOAT64 = 1,
	TLV_INT64 = 2,
	TLV_BYTES = 3,
	TLV_FLOAT32 = 4,
	TLV_SPARSE = 5 /* float64, of which only those that are not 0 are kept */
} tlv_element;

/* The first 16 bytes of SHA-256: what a value is recognised by. */
typedef struct tlv_digest
{
	unsigned char bytes[TLV_DIGEST_SIZE];
} tlv_digest;

typedef struct tlv_frame_header
{
	uint32_t length_word; /* the server's */
	uint16_t version;
	uint8_t type; /* tlv_frame_type */
	uint8_t kind; /* of its type, kind.h */
	uint32_t sections;
	uint32_t reserved; /* zero */
	uint64_t size;	   /* bytes of the whole frame */
	tlv_digest digest; /* of the header from version to size, and of the bytes behind this one */
} tlv_frame_header;

typedef struct tlv_section
{
	char name[TLV_FRAME_NAME_SIZE]; /* lower case, zero-padded */
	uint32_t element;				/* tlv_element */
	uint32_t entries;				/* of a sparse section, zero of others */
	uint64_t rows;
	uint64_t columns; /* rows x columns, column-major */
	uint64_t offset;  /* from the start of the frame */
} tlv_section;

/*
 * A sparse section of rows x columns numbers (at most 2^32): the numbers that are not 0, in the
 * order of the column-major block, then their positions in it, ascending, uint32_t each.
 */
typedef struct tlv_sparse
{
	size_t n;
	const double *values;
	const uint32_t *positions;
} tlv_sparse;

/* A frame opened for reading; points into the image. */
typedef struct tlv_frame
{
	const tlv_frame_header *header;
	const tlv_section *table;
	const struct tlv_kind *kind; /* by the context that opened it; NULL: unknown there */
} tlv_frame;

/*
 * Opens an image that this library wrote: header and table are checked
 * against size, the numbers are not.  image must be aligned to 8 bytes.
 * Error: TLV_CORRUPT, also for an unknown version, naming both versions.
 */
extern tlv_status tlv_frame_open(tlv_context *ctx, const void *image, size_t size,
								 tlv_frame *frame);

/*
 * Validates an image of unknown origin completely, but for its kind's own
 * rules (tlv_kind_check): version, canonical layout, names, zero padding,
 * finite numbers, positions of sparse sections, digest.
 */
extern tlv_status tlv_frame_validate(tlv_context *ctx, const void *image, size_t size,
									 tlv_frame *frame);

/* The section of that name, or NULL. */
extern const tlv_section *tlv_frame_find(const tlv_frame *frame, const char *name);

static inline const void *
tlv_section_data(const tlv_frame *frame, const tlv_section *section)
{
	return (const char *) frame->header + section->offset;
}

/* Bytes of one element of a section, or of one entry of a sparse one. */
static inline size_t
tlv_element_size(uint32_t element)
{
	switch (element)
	{
		case TLV_BYTES:
			return 1;
		case TLV_FLOAT32:
			return 4;
		case TLV_SPARSE:
			return 12;
		default:
			return 8;
	}
}

/* Bytes of a section without its padding; false when they do not fit a size_t, or when a sparse
 * section is too large for its positions. */
extern bool tlv_section_bytes(const tlv_section *section, size_t *bytes);

/* The data of a section; NULL when it is missing. */
extern const void *tlv_frame_data(const tlv_frame *frame, const char *name);

/* The numbers of a section; NULL when it is missing or of another element type. */
extern const double *tlv_frame_float64(const tlv_frame *frame, const char *name);
extern const int64_t *tlv_frame_int64(const tlv_frame *frame, const char *name);
extern const float *tlv_frame_float32(const tlv_frame *frame, const char *name);

/* The entries of a sparse section; false when it is missing or of another element type. */
extern bool tlv_frame_sparse(const tlv_frame *frame, const char *name, tlv_sparse *sparse);

/* All rows x columns numbers of a section of float64, float32 or sparse elements. */
extern tlv_status tlv_section_numbers(tlv_context *ctx, const tlv_frame *frame,
									  const tlv_section *section, double *numbers);

/* n numbers of a section become float32, in their own place, where that is its element. */
extern void tlv_narrow_numbers(uint32_t element, size_t n, double *numbers);

/* The digest that a section holds, 1 x 16 bytes; NULL when there is no such section. */
extern const tlv_digest *tlv_frame_digest(const tlv_frame *frame, const char *name);

static inline bool
tlv_digest_equal(const tlv_digest *a, const tlv_digest *b)
{
	return memcmp(a->bytes, b->bytes, TLV_DIGEST_SIZE) == 0;
}

/* Its first eight bytes, as a seed. */
static inline uint64_t
tlv_digest_word(const tlv_digest *digest)
{
	uint64_t word;

	memcpy(&word, digest->bytes, sizeof(word));
	return word;
}

/* The single number of a 1 x 1 section, or missing. */
extern double tlv_frame_scalar(const tlv_frame *frame, const char *name, double missing);

/*
 * Requires a section of the given element and shape; TLV_CORRUPT names the
 * section and both shapes otherwise.  *data may be NULL when not wanted.
 */
extern tlv_status tlv_frame_require(tlv_context *ctx, const tlv_frame *frame, const char *name,
									tlv_element element, uint64_t rows, uint64_t columns,
									const void **data);

/* Requires every number of a float64 section to be at least minimum. */
extern tlv_status tlv_frame_require_minimum(tlv_context *ctx, const tlv_frame *frame,
											const char *name, double minimum);

/* Requires a 1 x 1 float64 section with a whole number from 0 to 2^53. */
extern tlv_status tlv_frame_require_whole(tlv_context *ctx, const tlv_frame *frame,
										  const char *name);

/* Requires an int64 section to be strictly ascending. */
extern tlv_status tlv_frame_require_ascending(tlv_context *ctx, const tlv_frame *frame,
											  const char *name);

/* ---- writing ---- */

/*
 * Collects sections that point to the writer's own arrays, which must stay
 * until the frame is written; nothing is copied before that.
 */
typedef struct tlv_frame_builder
{
	tlv_frame_type type;
	uint8_t kind;
	uint32_t sections;
	tlv_section table[TLV_FRAME_MAX_SECTIONS];
	const void *data[TLV_FRAME_MAX_SECTIONS];
	double scalars[TLV_FRAME_MAX_SECTIONS]; /* storage of scalars handed in by value */
	bool packed[TLV_FRAME_MAX_SECTIONS];	/* sparse, and data is the section as it is stored */
	size_t size;							/* of the frame so far */
	bool overflow;							/* a size did not fit; reported by tlv_frame_size */
	bool large;	 /* the frame stays in this process: it may have more than TLV_FRAME_MAX_BYTES */
	void *owned; /* scratch that sections point to; the caller frees it after writing */
} tlv_frame_builder;

extern void tlv_frame_begin(tlv_frame_builder *builder, tlv_frame_type type, uint8_t kind);
/* data of a sparse section are all its numbers, zeros among them. */
extern void tlv_frame_add(tlv_frame_builder *builder, const char *name, tlv_element element,
						  uint64_t rows, uint64_t columns, const void *data);
extern void tlv_frame_add_scalar(tlv_frame_builder *builder, const char *name, double value);

/* Whether a list that NULL ends has that name; the list itself may be NULL. */
extern bool tlv_is_listed(const char *const *list, const char *name);

/* Adds all sections of a frame but those listed; the frame must stay. */
extern void tlv_frame_add_from(tlv_frame_builder *builder, const tlv_frame *frame,
							   const char *const *except);

/* Writes the frame, whose numbers must be finite, into memory of its own from the arena; frees
 * builder->owned. */
extern tlv_status tlv_frame_finish(tlv_context *ctx, tlv_frame_builder *builder, void **image,
								   size_t *size);

/* Bytes of the finished frame; TLV_LIMIT above TLV_FRAME_MAX_BYTES, unless it may be large, naming
 * what is too large. */
extern tlv_status tlv_frame_size(tlv_context *ctx, const tlv_frame_builder *builder, size_t *size);

/* Requires every number to be finite, as a reader of the frame will: TLV_BAD_DATA names the
 * section. */
extern tlv_status tlv_frame_require_finite(tlv_context *ctx, const tlv_frame_builder *builder);

/* Writes the frame into size bytes at image; the length word is left as it is.  Error:
 * TLV_CANCELLED. */
extern tlv_status tlv_frame_write(tlv_context *ctx, const tlv_frame_builder *builder, void *image,
								  size_t size);

/* ---- packing: values as they are stored ---- */

/*
 * A frame may be stored packed, in fewer bytes: whole numbers, numbers of single precision and
 * those that fill most of a row take no more room than what they hold, ascending ids the distances
 * between them.  Unpacking gives back the same bytes, digest included.  There is one packed form of
 * a frame, and none where it would be more than 7/8 of it.
 */
typedef struct tlv_packing tlv_packing;

/* How the builder's frame is stored; *packing is freed by writing it or by tlv_packing_free, and
 * the builder must stay.  *size: the bytes, as tlv_frame_size has them where it is not packed.
 * Errors: memory, TLV_LIMIT, TLV_CANCELLED. */
extern tlv_status tlv_frame_pack(tlv_context *ctx, const tlv_frame_builder *builder,
								 tlv_packing **packing, size_t *size);

/* Writes it into size bytes at image, which is aligned to 8; the length word is left as it is. */
extern tlv_status tlv_packing_write(tlv_context *ctx, tlv_packing *packing, void *image,
									size_t size);
extern void tlv_packing_free(tlv_context *ctx, tlv_packing *packing);

/* The same of a frame that is written already: its digest is believed. */
extern tlv_status tlv_frame_pack_image(tlv_context *ctx, const tlv_frame *frame,
									   tlv_packing **packing, size_t *size);

static inline bool
tlv_frame_is_packed(const void *image, size_t size)
{
	const tlv_frame_header *header = image;

	return size >= sizeof(*header) && header->version == TLV_FRAME_PACKED;
}

/*
 * The frame that a packed image of any origin stands for, from the arena and not yet validated: the
 * digest is the one that the image claims.  Errors: TLV_CORRUPT, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_frame_unpack(tlv_context *ctx, const void *image, size_t size, void **frame,
								   size_t *frame_size);

/* The same in two steps: its size, then into that number of bytes of the caller's, aligned to 8,
 * the table and the sections of at most `most` bytes; what others hold is not set. */
extern tlv_status tlv_frame_unpacked_size(tlv_context *ctx, const void *image, size_t size,
										  size_t *frame_size);
extern tlv_status tlv_frame_unpack_small(tlv_context *ctx, const void *image, size_t size,
										 size_t most, void *frame);

/* Makes the digest of a frame's header that of its content.  Error: TLV_CANCELLED. */
extern tlv_status tlv_frame_seal(tlv_context *ctx, tlv_frame_header *header);

/* Hash of a block of bytes (multiply-mix over 64-bit words). */
extern uint64_t tlv_fingerprint(const void *bytes, size_t size, uint64_t seed);

#endif /* TENSORLV_FRAME_H */
