/*
 * view_sums.h - sums over rows of three vectors, shifted by a reference, up to
 * the full third-order tensor; what view_moments and windows of sequences of
 * vectors have in common.
 *
 * This is a header of the room of views.  The stored values are declared where they are collected
 * (views.h, sequences.h).
 */
#ifndef TLV_VIEW_SUMS_H
#define TLV_VIEW_SUMS_H

#include <stddef.h>

#include "tensorlv/model/sections.h"
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

/* The sums of a frame: copies. */
extern tlv_status tlv_view_sums_read(tlv_context *ctx, const tlv_frame *frame, bool with_rows,
									 tlv_view_sums *sums);

/* Their declarations (sections.h), where member is the tlv_view_sums in the state of the kind; the
 * first three sizes are d. */
#define VIEW_SUMS_LIST(state, member)                                                              \
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, offsetof(state, member.rows)},     \
		VIEW_SUMS_VIEW(state, member, 0, TLV_SIZE_1, "1"),                                         \
		VIEW_SUMS_VIEW(state, member, 1, TLV_SIZE_2, "2"),                                         \
		VIEW_SUMS_VIEW(state, member, 2, TLV_SIZE_3, "3"), {"pairs12",                             \
															TLV_FLOAT64,                           \
															TLV_SIZE_1,                            \
															TLV_SIZE_2,                            \
															TLV_ANY,                               \
															TLV_OWN,                               \
															offsetof(state, member.pairs[0])},     \
		{"pairs13",                                                                                \
		 TLV_FLOAT64,                                                                              \
		 TLV_SIZE_1,                                                                               \
		 TLV_SIZE_3,                                                                               \
		 TLV_ANY,                                                                                  \
		 TLV_OWN,                                                                                  \
		 offsetof(state, member.pairs[1])},                                                        \
		{"pairs23",                                                                                \
		 TLV_FLOAT64,                                                                              \
		 TLV_SIZE_2,                                                                               \
		 TLV_SIZE_3,                                                                               \
		 TLV_ANY,                                                                                  \
		 TLV_OWN,                                                                                  \
		 offsetof(state, member.pairs[2])},                                                        \
	{                                                                                              \
		"triples", TLV_FLOAT64, TLV_SIZE_1, TLV_2_TIMES_3, TLV_ANY, TLV_OWN,                       \
			offsetof(state, member.triples)                                                        \
	}
#define VIEW_SUMS_VIEW(state, member, t, size, number)                                             \
	{"shift" number,                                                                               \
	 TLV_FLOAT64,                                                                                  \
	 size,                                                                                         \
	 TLV_ONE,                                                                                      \
	 TLV_ANY,                                                                                      \
	 TLV_OWN,                                                                                      \
	 offsetof(state, member.shift[t])},                                                            \
		{"sum" number,                                                                             \
		 TLV_FLOAT64,                                                                              \
		 size,                                                                                     \
		 TLV_ONE,                                                                                  \
		 TLV_ANY,                                                                                  \
		 TLV_OWN,                                                                                  \
		 offsetof(state, member.sum[t])},                                                          \
	{                                                                                              \
		"square" number, TLV_FLOAT64, size, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN,                     \
			offsetof(state, member.square[t])                                                      \
	}

/* TLV_CORRUPT for dimensions that no sums have. */
extern tlv_status tlv_view_sums_check(tlv_context *ctx, const size_t d[3]);

/* TLV_BAD_DATA when sums have overflowed. */
extern tlv_status tlv_view_sums_require_finite(tlv_context *ctx, const tlv_view_sums *sums);

#endif /* TLV_VIEW_SUMS_H */
