/*
 * points.c - points within a radius (points.h): strips, sorted by x, and a sweep over three of
 * them.
 */
#include "tensorlv/num/points.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/sort.h"

/* Strips and sweeps are wider than the radius by that part of it, so that no rounding leaves a
 * point out whose distance, as it is computed, is within. */
#define POINTS_MARGIN 1.01

typedef struct place
{
	double x, y;
	uint32_t mark;
} place;

/* The key of a strip, that of x in it, and whose they are. */
typedef struct sort_record
{
	uint64_t strip, x, point;
} sort_record;

struct tlv_points
{
	size_t n;
	place *places; /* by strip, then by x */
	size_t strips; /* that have points */
	uint64_t *strip;
	size_t *start;	/* strips + 1 */
	size_t looked;	/* places, by all calls */
	size_t n_found; /* marks of the last call, and what the call before has to clear */
	uint32_t *found, *sorted, *count;
	double radius, lowest;
};

tlv_status
tlv_points_check_radius(tlv_context *ctx, double radius)
{
	if (radius >= 1 / TLV_POINTS_MOST && radius <= TLV_POINTS_MOST)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "radius = %g is not a number between 1e-150 and 1e150",
			 radius);
	return tlv_fail_hint(ctx, "The radius is a distance in the units of x and y.");
}

tlv_status
tlv_points_check(tlv_context *ctx, const char *axis, double coordinate)
{
	if (fabs(coordinate) <= TLV_POINTS_MOST)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "%s = %g is not a number between -1e150 and 1e150", axis,
			 coordinate);
	return tlv_fail_hint(ctx, "Leave such points out, or make the coordinate null.");
}

/* Compares integers in ascending order. */
static uint64_t
ordered(double number)
{
	uint64_t bits;

	number += 0.0; /* not -0 */
	memcpy(&bits, &number, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double
strip_of(const tlv_points *points, double y)
{
	return floor((y - points->lowest) / (points->radius * POINTS_MARGIN));
}

/* Checks all coordinates; finds the lowest y, and whether strips can be numbered. */
static tlv_status
measure(tlv_context *ctx, tlv_points *points, size_t n, const double *x, const double *y)
{
	double least[2] = {INFINITY, INFINITY}, most[2] = {-INFINITY, -INFINITY}, extent;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(tlv_points_check(ctx, "x", x[i]));
		TLV_TRY(tlv_points_check(ctx, "y", y[i]));
		least[0] = fmin(least[0], x[i]);
		most[0] = fmax(most[0], x[i]);
		least[1] = fmin(least[1], y[i]);
		most[1] = fmax(most[1], y[i]);
	}
	points->lowest = n > 0 ? least[1] : 0;
	extent = n > 0 ? fmax(most[0] - least[0], most[1] - least[1]) : 0;
	if (extent / points->radius <= TLV_POINTS_STRIPS)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "radius = %g is too small for points that extend over %g",
			 points->radius, extent);
	return tlv_fail_hint(ctx, "Is a coordinate wrong, or in other units than the radius?");
}

static tlv_status
fill_records(tlv_context *ctx, tlv_points *points, size_t n, const double *x, const double *y,
			 const uint32_t *mark, sort_record *records)
{
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (mark[i] != TLV_POINTS_NO_MARK)
			records[points->n++] =
				(sort_record){(uint64_t) strip_of(points, y[i]), ordered(x[i]), i};
	}
	return TLV_OK;
}

/* The points in their order, and where each strip begins. */
static tlv_status
place_points(tlv_context *ctx, tlv_points *points, const double *x, const double *y,
			 const uint32_t *mark, const sort_record *records)
{
	size_t strips = 0;

	for (size_t i = 0; i < points->n; i++)
		strips += i == 0 || records[i].strip != records[i - 1].strip;
	TLV_TRY_NEW(ctx, points->places, points->n);
	TLV_TRY_NEW(ctx, points->strip, strips);
	TLV_TRY_NEW(ctx, points->start, strips + 1);
	for (size_t i = 0; i < points->n; i++)
	{
		size_t point = (size_t) records[i].point;

		TLV_TRY_CONTINUE_AT(ctx, i);
		points->places[i] = (place){x[point], y[point], mark[point]};
		if (i == 0 || records[i].strip != records[i - 1].strip)
		{
			points->strip[points->strips] = records[i].strip;
			points->start[points->strips++] = i;
		}
	}
	points->start[points->strips] = points->n;
	return TLV_OK;
}

static tlv_status
sort_points(tlv_context *ctx, tlv_points *points, size_t n, const double *x, const double *y,
			const uint32_t *mark)
{
	tlv_sort_form form = {sizeof(sort_record), sizeof(uint64_t), sizeof(uint64_t), 64};
	sort_record *records, *work;
	void *by_x, *sorted;

	TLV_TRY_NEW(ctx, records, n);
	TLV_TRY_NEW(ctx, work, n);
	TLV_TRY(fill_records(ctx, points, n, x, y, mark, records));
	TLV_TRY(tlv_radix_sort(ctx, &form, points->n, records, work, &by_x));
	form.at = 0;
	form.bits = 42; /* TLV_POINTS_STRIPS */
	TLV_TRY(tlv_radix_sort(ctx, &form, points->n, by_x, by_x == records ? work : records, &sorted));
	TLV_TRY(place_points(ctx, points, x, y, mark, sorted));
	tlv_free(ctx, work);
	tlv_free(ctx, records);
	return TLV_OK;
}

tlv_status
tlv_points_make(tlv_context *ctx, size_t n, const double *x, const double *y, const uint32_t *mark,
				size_t marks, double radius, tlv_points **to)
{
	tlv_points *points;

	tlv_assert(n < UINT32_MAX);
	TLV_TRY(tlv_points_check_radius(ctx, radius));
	TLV_TRY(tlv_require_memory(ctx, 72.0 * (double) n + 12.0 * (double) marks, "neighbours"));
	TLV_TRY_NEW0(ctx, points, 1);
	points->radius = radius;
	TLV_TRY(measure(ctx, points, n, x, y));
	TLV_TRY(sort_points(ctx, points, n, x, y, mark));
	TLV_TRY_NEW(ctx, points->found, marks);
	TLV_TRY_NEW(ctx, points->sorted, marks);
	TLV_TRY_NEW0(ctx, points->count, marks);
	*to = points;
	return TLV_OK;
}

/* ---- counting ---- */

/* The first strip that is at least that one. */
static size_t
find_strip(const tlv_points *points, double strip)
{
	size_t low = 0, high = points->strips;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if ((double) points->strip[middle] < strip)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The first place of those from low to high whose x is at least that. */
static size_t
find_place(const tlv_points *points, size_t low, size_t high, double x)
{
	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (points->places[middle].x < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static tlv_status
count_strip(tlv_context *ctx, tlv_points *points, size_t strip, double x, double y)
{
	double reach = points->radius * POINTS_MARGIN, square = points->radius * points->radius;
	size_t end = points->start[strip + 1];

	for (size_t i = find_place(points, points->start[strip], end, x - reach); i < end; i++)
	{
		const place *other = &points->places[i];
		double dx = other->x - x, dy = other->y - y;

		if (dx > reach)
			break;
		points->looked++;
		TLV_TRY_CONTINUE_AT(ctx, points->looked);
		if (dx * dx + dy * dy > square)
			continue;
		if (points->count[other->mark]++ == 0)
			points->found[points->n_found++] = other->mark;
	}
	return TLV_OK;
}

tlv_status
tlv_points_count(tlv_context *ctx, tlv_points *points, double x, double y, size_t *n,
				 const uint32_t **found, const uint32_t **count)
{
	static const tlv_sort_form form = {sizeof(uint32_t), sizeof(uint32_t), 0, 32};
	double strip = strip_of(points, y);
	void *sorted;

	for (size_t i = 0; i < points->n_found; i++)
		points->count[points->found[i]] = 0;
	points->n_found = 0;
	for (size_t s = find_strip(points, strip - 1);
		 s < points->strips && (double) points->strip[s] <= strip + 1; s++)
		TLV_TRY(count_strip(ctx, points, s, x, y));
	TLV_TRY(tlv_radix_sort(ctx, &form, points->n_found, points->found, points->sorted, &sorted));
	if (sorted == points->sorted)
	{
		points->sorted = points->found;
		points->found = sorted;
	}
	*n = points->n_found;
	*found = points->found;
	*count = points->count;
	return TLV_OK;
}
