/*
 * almost.c - anchors of a matrix whose rows are not pure, but almost (Ge 2013, section 3.5,
 * theorems 3.9 and 3.20), by quadratic programs, in the Euclidean norm, in the place of linear
 * ones.
 *
 * Row j is close to row i where i is j for a share of 1 - delta at least, and for the rest any
 * mixture of rows.  That does not hold the other way round: a pure row is close to those that are
 * nearly so, but not they to it.  So a row that stands out of the hull of all but those that it is
 * close to is as pure as can be, and such rows that are close to each other are of one component.
 */
#include <string.h>

#include "separable.h"
#include "tensorlv/num/optimize.h"

/* How far corners are apart, in parts of eps, at first; and the parts of eps over that distance
 * that a row may be another's and still be close: to tell loners, and to join them. */
#define FIRST_APART 100.0
#define LONER_SHARE 6.0
#define JOIN_SHARE	10.0

typedef struct closeness
{
	const separable *s;
	double delta, eps;
	double *moment, *x, *work; /* n, n, and what the program takes */
} closeness;

static tlv_status
open_closeness(tlv_context *ctx, const separable *s, closeness *c)
{
	*c = (closeness){.s = s};
	TLV_TRY_NEW(ctx, c->moment, 2 * s->n);
	c->x = c->moment + s->n;
	TLV_TRY_NEW_ROWS(ctx, c->work, s->n, s->n + 5);
	return TLV_OK;
}

/* Is row j close to row i?  farthest: of any row from j. */
static tlv_status
is_close(tlv_context *ctx, closeness *c, size_t j, size_t i, double farthest, bool *close)
{
	const separable *s = c->s;
	size_t n = s->n;
	double kept = 1 - c->delta, apart = sqrt(separable_square(s, i, j)), square;

	*close = apart <= c->eps;
	/* the rest moves the mixture by delta times the farthest row at most */
	if (*close || apart > c->delta * farthest + c->eps)
		return TLV_OK;
	TLV_TRY_CONTINUE(ctx);
	square = s->gram[i * n + i] - 2 * kept * s->gram[i * n + j] + kept * kept * s->gram[j * n + j];
	for (size_t a = 0; a < n; a++)
		c->moment[a] = (s->gram[a * n + i] - kept * s->gram[a * n + j]) / c->delta;
	TLV_TRY(tlv_quadratic_nonnegative(ctx, n, s->gram, c->moment, true, c->x, c->work));
	for (size_t a = 0; a < n; a++)
	{
		square -= 2 * c->delta * c->delta * c->x[a] * c->moment[a];
		for (size_t b = 0; b < n && c->x[a] != 0; b++)
			square += c->delta * c->delta * c->x[a] * c->x[b] * s->gram[a * n + b];
	}
	*close = square <= c->eps * c->eps;
	return TLV_OK;
}

static double
farthest_from(const separable *s, size_t j)
{
	double most = 0;

	for (size_t i = 0; i < s->n; i++)
		most = fmax(most, separable_square(s, i, j));
	return sqrt(most);
}

/* Rows more than 2 eps from the hull of those that they are not close to; distance (n): how far. */
static tlv_status
find_almost_loners(tlv_context *ctx, separable *s, closeness *c, double *distance)
{
	int32_t *others;

	TLV_TRY_NEW(ctx, others, s->n);
	for (size_t j = 0; j < s->n; j++)
	{
		double farthest = farthest_from(s, j);
		size_t m = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < s->n; i++)
		{
			bool close = i == j;

			if (!close)
				TLV_TRY(is_close(ctx, c, j, i, farthest, &close));
			if (!close)
				others[m++] = (int32_t) i;
		}
		TLV_TRY(tlv_separable_distance(ctx, s, j, m, others, &distance[j]));
		s->loner[j] = distance[j] > 2 * s->eps;
	}
	tlv_free(ctx, others);
	return TLV_OK;
}

/* first[j]: the loner of the least number that loner j comes together with. */
static tlv_status
join_loners(tlv_context *ctx, const separable *s, closeness *c, size_t *first)
{
	for (size_t j = 0; j < s->n; j++)
		first[j] = j;
	for (size_t j = 0; j < s->n; j++)
	{
		double farthest = farthest_from(s, j);

		for (size_t i = 0; s->loner[j] && i < s->n; i++)
		{
			size_t a = first[i], b = first[j];
			bool close;

			if (!s->loner[i] || a == b)
				continue;
			TLV_TRY(is_close(ctx, c, j, i, farthest, &close));
			for (size_t l = 0; close && l < s->n; l++)
				if (first[l] == (a > b ? a : b))
					first[l] = a < b ? a : b;
		}
	}
	return TLV_OK;
}

/* Of every set of loners the one that stands out farthest; by decreasing distance, at most k. */
static void
take_corners(const separable *s, const size_t *first, const double *distance, size_t k,
			 tlv_anchor_corners *corners)
{
	int32_t *points = corners->points;
	size_t n = 0;

	for (size_t j = 0; j < s->n; j++)
	{
		size_t at = 0, to;

		if (!s->loner[j])
			continue;
		while (at < n && first[points[at]] != first[j])
			at++;
		if (at < n && distance[points[at]] >= distance[j])
			continue;
		n += at == n;
		for (to = at; to > 0 && distance[points[to - 1]] < distance[j]; to--)
			points[to] = points[to - 1];
		points[to] = (int32_t) j;
	}
	corners->visible = n;
	corners->k = k > 0 && k < n ? k : n;
	for (size_t j = 0; j < corners->k; j++)
	{
		size_t row = (size_t) points[j];

		corners->distance[j] = distance[row];
		memcpy(corners->corners + j * s->d, s->rows + row * s->d, s->d * sizeof(double));
	}
}

/* The corners, where these are taken to be so far apart. */
static tlv_status
almost_corners(tlv_context *ctx, separable *s, size_t k, double apart, closeness *c, size_t *first,
			   double *distance, tlv_anchor_corners *corners)
{
	c->eps = 2 * s->eps;
	c->delta = fmin(LONER_SHARE * s->eps / apart, .5);
	TLV_TRY(find_almost_loners(ctx, s, c, distance));
	c->delta = fmin(JOIN_SHARE * s->eps / apart, .5);
	TLV_TRY(join_loners(ctx, s, c, first));
	take_corners(s, first, distance, k, corners);
	return TLV_OK;
}

tlv_status
tlv_separable_almost(tlv_context *ctx, separable *s, size_t k, tlv_anchor_corners *corners)
{
	double apart = FIRST_APART * s->eps, measured, *distance;
	size_t *first;
	closeness c;

	*corners = (tlv_anchor_corners){0};
	TLV_TRY(open_closeness(ctx, s, &c));
	TLV_TRY_NEW(ctx, first, s->n);
	TLV_TRY_NEW(ctx, distance, s->n);
	TLV_TRY_NEW(ctx, corners->points, s->n);
	TLV_TRY_NEW(ctx, corners->distance, s->n);
	TLV_TRY_NEW_ROWS(ctx, corners->corners, s->d, s->n);
	TLV_TRY(almost_corners(ctx, s, k, apart, &c, first, distance, corners));
	if (corners->k > 1)
	{
		TLV_TRY(tlv_separable_apart(ctx, s, corners, &measured));
		if (measured - 2 * s->eps > apart)
			TLV_TRY(almost_corners(ctx, s, k, measured - 2 * s->eps, &c, first, distance, corners));
	}
	tlv_free(ctx, first);
	tlv_free(ctx, distance);
	tlv_free(ctx, c.moment);
	tlv_free(ctx, c.work);
	if (corners->k > 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
			 "no anchor row was found: the matrix is not separable within eps");
	return tlv_fail_hint(ctx, "Use another eps, or method => 'anchors'.");
}
