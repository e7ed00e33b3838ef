/*
 * anchors.h - points in a simplex whose corners are among them: words whose co-occurrence is that
 * of one topic alone (Ge 2013, chapter 4; Arora et al. 2013), and rows of a matrix that is
 * separable.
 *
 * A point is a row of d coordinates; point i is rows + i d.
 */
#ifndef TENSORLV_ANCHORS_H
#define TENSORLV_ANCHORS_H

#include "tensorlv/num/context.h"

/* How many times its noise a corner must stand out by to be told from it. */
#define TLV_ANCHORS_PENALTY 5.0

typedef struct tlv_anchor_points
{
	size_t n;
	size_t d;
	const double *rows; /* d x n */
	const double
		*noise; /* n: expected square of a point's distance from where it belongs; NULL: 0 */
	const double *weights;	  /* n: of points that share a corner; NULL: equal ones */
	const uint8_t *candidate; /* n: whether a point may be a corner; NULL: all may */
} tlv_anchor_points;

/* Corners that are given: corner g is the weighted mean of members first[g] .. first[g + 1] - 1. */
typedef struct tlv_anchor_seeds
{
	size_t n;
	const size_t *first;	/* n + 1 */
	const int32_t *members; /* points */
} tlv_anchor_seeds;

typedef struct tlv_anchor_corners
{
	size_t k;		 /* corners that were found, those given first: at most as many as asked for */
	size_t visible;	 /* found before none stood out of the noise by the penalty */
	double penalty;	 /* that the last one was chosen with, of 5, 3, 2, 1, .5 and 0 */
	int32_t *points; /* k: the point, or of a given one its first member */
	/* k: how far it stands from the hull of those before it, less the root of the penalty times its
	 * noise: below 0 where it cannot be told from it. */
	double *distance;
	double *corners; /* d x k */
} tlv_anchor_corners;

/*
 * FastAnchorWords, affine and with a penalty for noise: the point farthest from the origin, then
 * again and again the one farthest from the affine hull of those chosen, by the square of that
 * distance less the penalty times its noise.  The penalty falls when no point is left above it.
 * Fewer than k where no candidate is left outside of the hull.  Time k n d.  Arrays are from the
 * arena.  Errors: TLV_BAD_PARAMETER for k = 0 or fewer than are given, TLV_BAD_DATA for numbers
 * that are not finite, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_anchors_choose(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
									 const tlv_anchor_seeds *given, tlv_anchor_corners *corners);

/*
 * RecoverL2: of every point the mixture of the corners (d x k) that is nearest to it, exactly, by
 * an active set.  shares is k x n; each sums to 1.  Errors: those of tlv_quadratic_nonnegative,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_anchors_recover(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
									  const double *corners, double *shares);

#endif /* TENSORLV_ANCHORS_H */
