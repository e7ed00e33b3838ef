/*
 * points.h - points of a plane, each with a mark, and how many of which mark lie within a radius.
 */
#ifndef TENSORLV_POINTS_H
#define TENSORLV_POINTS_H

#include "tensorlv/num/context.h"

/* Coordinates are at most that in modulus, and a radius is between its inverse and it: squares of
 * distances are numbers. */
#define TLV_POINTS_MOST 1e150

/* The extent of the points in parts of the radius is at most that: a strip has a number. */
#define TLV_POINTS_STRIPS 1e12

/* A point that is nobody's neighbour. */
#define TLV_POINTS_NO_MARK UINT32_MAX

typedef struct tlv_points tlv_points;

/* A radius that is no number above 0 within those bounds is TLV_BAD_PARAMETER. */
extern tlv_status tlv_points_check_radius(tlv_context *ctx, double radius);

/* A coordinate, called axis in the message, that is not finite or not within the bounds is
 * TLV_BAD_DATA. */
extern tlv_status tlv_points_check(tlv_context *ctx, const char *axis, double coordinate);

/*
 * An index over n points at (x[i], y[i]) with marks mark[i] < marks, or TLV_POINTS_NO_MARK, which
 * are left out.  Points are sorted into strips as high as the radius, by x within each: 3 strips of
 * two radii hold all neighbours of a point.  n < UINT32_MAX.  The arrays are not needed afterwards.
 * Time n, memory 24 n bytes, twice 24 n more while it is made.  Errors: TLV_BAD_PARAMETER for a
 * radius that is no number above 0 or below 1e-12 of the extent; TLV_BAD_DATA for coordinates out
 * of their bounds; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_points_make(tlv_context *ctx, size_t n, const double *x, const double *y,
								  const uint32_t *mark, size_t marks, double radius,
								  tlv_points **points);

/*
 * Counts of the marks of all points whose distance from (x, y) is at most the radius, whoever
 * stands there included: found[0 .. *n - 1] are the marks that there are, ascending, count[m] > 0
 * how often mark m.  Both arrays are the index's own and stay until the next call.
 * Error: TLV_CANCELLED.
 */
extern tlv_status tlv_points_count(tlv_context *ctx, tlv_points *points, double x, double y,
								   size_t *n, const uint32_t **found, const uint32_t **count);

#endif /* TENSORLV_POINTS_H */
