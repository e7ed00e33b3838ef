/*
 * frame_packing.h - how the sections of a packed frame are written (frame_pack.c, frame_unpack.c).
 *
 * A packed frame is the header of a frame, of version TLV_FRAME_PACKED, whose size is its own and
 * whose digest is that of the frame that it stands for; then, as numbers of 7 bits a byte, low ones
 * first, the size of that frame; then for every section its name (length and bytes), element,
 * entries, rows, columns, form and the bytes that follow for it; then these, without padding.
 *
 * Numbers are stored in the narrowest of four codes that gives back their bits: as they are, in
 * single precision, as integers, or as integers over one divisor.  In a sparse form every
 * row of a section has one number that fills more than half of it (of one column, or of very many
 * rows, the whole is one row), and the others stand behind with the distances between them.
 */
#ifndef TENSORLV_FRAME_PACKING_H
#define TENSORLV_FRAME_PACKING_H

#include "tensorlv/num/frame.h"

/* Forms of a section, a byte; numbers have their code in the low bits. */
#define PACKED_PLAIN  0	   /* the bytes of integers and strings */
#define PACKED_STEPS  1	   /* integers: the distance of each from the one before, zigzag */
#define PACKED_DENSE  0x10 /* all numbers */
#define PACKED_SPARSE 0x20 /* those of every row, then what differs */
#define PACKED_ENTRIES                                                                             \
	0x30 /* of a section that is sparse already: distances of positions, then numbers */
#define PACKED_FORM 0xf0
#define PACKED_CODE 0x0f

typedef enum packed_code
{
	CODE_DOUBLE,
	CODE_SINGLE,
	CODE_WHOLE,
	CODE_RATIO, /* the divisor, then integers */
	CODES
} packed_code;

/* A section of more rows than these is one row. */
#define PACKED_MOST_ROWS 4096

/* What is packed into less than this part of its size may be anything. */
#define PACKED_MOST_GROWTH 65536

static inline uint64_t
packed_rows(const tlv_section *section)
{
	return section->columns == 1 || section->rows > PACKED_MOST_ROWS ? 1 : section->rows;
}

/* The digest that the builder's frame has once it is written (frame_build.c).  Errors: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_builder_digest(tlv_context *ctx, const tlv_frame_builder *builder,
									 tlv_digest *digest);

static inline uint64_t
bits_of(double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

#endif /* TENSORLV_FRAME_PACKING_H */
