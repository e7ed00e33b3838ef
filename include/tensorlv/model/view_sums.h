/*
 * view_sums.h - sums over rows of three vectors, shifted by a reference, up to
 * the full third-order tensor; what view_moments and windows of sequences of
 * vectors have in common.
 */
#ifndef TLV_VIEW_SUMS_H
#define TLV_VIEW_SUMS_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

typedef struct tlv_view_sums
{
	size_t d[3];
	double rows;
	double *shift[3];  /* d_t; in one block with everything below */
	double *sum[3];	   /* d_t */
	double *square[3]; /* d_t: sums of squares, coordinate by coordinate */
	double *pairs[3];  /* 12, 13, 23: d_s x d_t */
	double *triples;   /* d_1 x d_2 d_3 */
	/* rows that wait, shifted */
	size_t waiting;
	size_t room;
	double *row[3];	  /* d_t x room */
	double *products; /* d_2 d_3 x room */
} tlv_view_sums;

/*
 * Zero sums of these dimensions, all shifts zero.  with_rows: also what add needs.  Errors:
 * TLV_BAD_DATA for a dimension of 0, TLV_LIMIT above TLV_VIEW_MOST_TRIPLES, memory.
 */
extern tlv_status tlv_view_sums_create(tlv_context *ctx, const size_t d[3], bool with_rows,
									   tlv_view_sums *sums);
extern void tlv_view_sums_free(tlv_context *ctx, tlv_view_sums *sums);

/* Adds a row; its numbers must be finite. */
extern tlv_status tlv_view_sums_add(tlv_context *ctx, tlv_view_sums *sums,
									const double *const x[3]);
/* Adds the rows that wait. */
extern tlv_status tlv_view_sums_flush(tlv_context *ctx, tlv_view_sums *sums);

/* The same sums of rows shifted by other references. */
extern void tlv_view_sums_move(tlv_view_sums *sums, const double *const shift[3]);

/* sums += other (both without waiting rows); the shift becomes that of the one with more rows. */
extern void tlv_view_sums_merge(tlv_view_sums *sums, tlv_view_sums *other);

/* The sections of a frame, and back; reading copies. */
extern tlv_status tlv_view_sums_build(tlv_context *ctx, const tlv_view_sums *sums,
									  tlv_frame_builder *builder);
extern tlv_status tlv_view_sums_read(tlv_context *ctx, const tlv_frame *frame, bool with_rows,
									 tlv_view_sums *sums);
extern tlv_status tlv_view_sums_check(tlv_context *ctx, const tlv_frame *frame, uint64_t d[3]);

#endif /* TLV_VIEW_SUMS_H */
