/*
 * separable.h - a non-negative matrix on its way to its anchors, between separable.c and almost.c.
 */
#ifndef TENSORLV_ANCHORS_SEPARABLE_H
#define TENSORLV_ANCHORS_SEPARABLE_H

#include <math.h>

#include "tensorlv/model/anchors.h"

typedef struct separable
{
	size_t n; /* rows that are not zero */
	size_t d;
	double eps;
	double *rows;  /* d x n: of sum 1 */
	double *norms; /* n: their sums before */
	int32_t *from; /* n: which rows they are */
	double *gram;  /* n x n; for loners only */
	uint8_t *loner;
} separable;

/* Squared distance of two rows. */
static inline double
separable_square(const separable *s, size_t a, size_t b)
{
	return fmax(s->gram[a * s->n + a] + s->gram[b * s->n + b] - 2 * s->gram[a * s->n + b], 0);
}

/* The distance of row i from the hull of those of the m others; infinite where there are none. */
extern tlv_status tlv_separable_distance(tlv_context *ctx, const separable *s, size_t i, size_t m,
										 const int32_t *others, double *distance);

/* How far the least separate corner stands from the hull of the others. */
extern tlv_status tlv_separable_apart(tlv_context *ctx, const separable *s,
									  const tlv_anchor_corners *corners, double *least);

/* almost.c: corners by almost pure rows; k of them, where k is not 0.  TLV_NOT_IDENTIFIABLE where
 * no row stands out. */
extern tlv_status tlv_separable_almost(tlv_context *ctx, separable *s, size_t k,
									   tlv_anchor_corners *corners);

#endif /* TENSORLV_ANCHORS_SEPARABLE_H */
