/*
 * choose.c - corners of the simplex that points lie in, one after the other (anchors.h).
 *
 * Points stay where they are: with orthonormal directions b of the hull so far, what is left of a
 * point's squared distance from it falls by (b . (x - corner 1))^2 with every new one, which takes
 * one product of all points with b.
 */
#include "tensorlv/model/anchors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"

/* Relative to the largest squared norm: a residual below is rounding error. */
#define ANCHORS_ROUNDING 1e-12

typedef struct chooser
{
	const tlv_anchor_points *points;
	tlv_anchor_corners *corners;
	double *left;	   /* n: square of the distance from the hull */
	double *along;	   /* n: product with the newest direction */
	uint8_t *taken;	   /* n */
	double *direction; /* d x k: orthonormal, those of corners 2, 3, ... */
	double largest;	   /* of the squares at the start */
	size_t penalty;	   /* of those below */
} chooser;

static const double penalties[] = {TLV_ANCHORS_PENALTY, 3, 2, 1, .5, 0};
#define PENALTIES (sizeof(penalties) / sizeof(penalties[0]))

static double
noise_of(const tlv_anchor_points *points, size_t i)
{
	return points->noise != NULL ? points->noise[i] : 0;
}

static tlv_status
chooser_create(tlv_context *ctx, const tlv_anchor_points *points, size_t k, chooser *c)
{
	TLV_TRY_NEW0(ctx, c->left, points->n);
	TLV_TRY_NEW0(ctx, c->along, points->n);
	TLV_TRY_NEW0(ctx, c->taken, points->n);
	TLV_TRY_NEW0_ROWS(ctx, c->direction, points->d, k);
	TLV_TRY_NEW0(ctx, c->corners->points, k);
	TLV_TRY_NEW0(ctx, c->corners->distance, k);
	TLV_TRY_NEW0_ROWS(ctx, c->corners->corners, points->d, k);
	c->points = points;
	return TLV_OK;
}

/* Squares of the distances from a point (NULL: the origin). */
static tlv_status
squares_from(tlv_context *ctx, chooser *c, const double *origin)
{
	const tlv_anchor_points *points = c->points;

	for (size_t i = 0; i < points->n; i++)
	{
		double sum = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < points->d; j++)
		{
			double x = points->rows[i * points->d + j] - (origin != NULL ? origin[j] : 0);

			sum += x * x;
		}
		if (!isfinite(sum) || !isfinite(noise_of(points, i)))
			return tlv_fail(ctx, TLV_BAD_DATA, "point %zu of those with corners is not finite",
							i + 1);
		c->left[i] = sum;
		c->largest = fmax(c->largest, sum);
	}
	return TLV_OK;
}

/* The candidate with the largest square less the penalty; n where none is outside the hull. */
static size_t
farthest(const chooser *c, double penalty, double *excess)
{
	const tlv_anchor_points *points = c->points;
	size_t best = points->n;

	*excess = -HUGE_VAL;
	for (size_t i = 0; i < points->n; i++)
	{
		double value = c->left[i] - penalty * noise_of(points, i);

		if (value > *excess && !c->taken[i] && c->left[i] > ANCHORS_ROUNDING * c->largest &&
			(points->candidate == NULL || points->candidate[i]))
		{
			*excess = value;
			best = i;
		}
	}
	return best;
}

/* The next corner, with as large a penalty as leaves any. */
static size_t
next_point(chooser *c)
{
	for (;;)
	{
		double excess;
		size_t best = farthest(c, penalties[c->penalty], &excess);

		if (best == c->points->n || excess > 0 || c->penalty == PENALTIES - 1)
			return best;
		c->penalty++;
	}
}

/*
 * The corner enters the hull: its direction from the first one, orthogonal to those before (twice,
 * against rounding), and what is left of all points.  False where it lies in the hull already.
 */
static tlv_status
enter_corner(tlv_context *ctx, chooser *c, const double *corner, double *square, bool *outside)
{
	const tlv_anchor_points *points = c->points;
	size_t d = points->d, at = c->corners->k;
	double *b = c->direction + at * d, shift = 0;
	const double *first = c->corners->corners;

	*square = 0;
	for (size_t j = 0; j < d; j++)
		b[j] = corner[j] - first[j];
	for (size_t again = 0; again < 2; again++)
		for (size_t e = 1; e < at; e++)
		{
			const double *other = c->direction + e * d;
			double product = 0;

			for (size_t j = 0; j < d; j++)
				product += b[j] * other[j];
			for (size_t j = 0; j < d; j++)
				b[j] -= product * other[j];
		}
	for (size_t j = 0; j < d; j++)
		*square += b[j] * b[j];
	*outside = *square > ANCHORS_ROUNDING * c->largest;
	if (!*outside)
		return TLV_OK;
	for (size_t j = 0; j < d; j++)
	{
		b[j] /= sqrt(*square);
		shift += b[j] * first[j];
	}
	TLV_TRY(tlv_gemm(ctx, true, false, 1, points->n, d, 1, b, d, points->rows, d, 0, c->along, 1));
	for (size_t i = 0; i < points->n; i++)
	{
		double x = c->along[i] - shift;

		c->left[i] = fmax(c->left[i] - x * x, 0);
	}
	return TLV_OK;
}

/* Adds a corner, which is at the point `at` or has it as its first member. */
static tlv_status
add_corner(tlv_context *ctx, chooser *c, const double *corner, size_t at, double noise,
		   bool *outside)
{
	tlv_anchor_corners *to = c->corners;
	size_t d = c->points->d;
	double square = 0;

	*outside = true;
	if (to->k == 0)
	{
		for (size_t j = 0; j < d; j++)
			square += corner[j] * corner[j];
		memcpy(to->corners, corner, d * sizeof(double));
		TLV_TRY(squares_from(ctx, c, corner));
	}
	else
		TLV_TRY(enter_corner(ctx, c, corner, &square, outside));
	c->taken[at] = 1;
	if (!*outside)
		return TLV_OK;
	memcpy(to->corners + to->k * d, corner, d * sizeof(double));
	to->points[to->k] = (int32_t) at;
	to->distance[to->k] = sqrt(square) - sqrt(TLV_ANCHORS_PENALTY * noise);
	to->k++;
	return TLV_OK;
}

/* Corners that are given; one that lies in the hull of others is an error. */
static tlv_status
add_given(tlv_context *ctx, chooser *c, const tlv_anchor_seeds *given)
{
	const tlv_anchor_points *points = c->points;
	double *mean = tlv_alloc(ctx, points->d, sizeof(double));

	TLV_TRY_ALLOC(ctx, mean);
	for (size_t g = 0; g < given->n; g++)
	{
		double total = 0, noise = 0;
		bool outside;

		memset(mean, 0, points->d * sizeof(double));
		for (size_t m = given->first[g]; m < given->first[g + 1]; m++)
			total += points->weights != NULL ? points->weights[given->members[m]] : 1;
		for (size_t m = given->first[g]; m < given->first[g + 1]; m++)
		{
			size_t i = (size_t) given->members[m];
			double share = (points->weights != NULL ? points->weights[i] : 1) / total;

			tlv_assert(i < points->n);
			c->taken[i] = 1;
			noise += share * share * noise_of(points, i);
			for (size_t j = 0; j < points->d; j++)
				mean[j] += share * points->rows[i * points->d + j];
		}
		TLV_TRY(
			add_corner(ctx, c, mean, (size_t) given->members[given->first[g]], noise, &outside));
		if (!outside)
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER,
					 "anchor %zu is a mixture of those before it: it shows no topic of its own",
					 g + 1);
			return tlv_fail_hint(ctx, "Give this topic another anchor.");
		}
	}
	tlv_free(ctx, mean);
	return TLV_OK;
}

/* Corners among the candidates, until there are k or none is left. */
static tlv_status
add_found(tlv_context *ctx, chooser *c, size_t k)
{
	const tlv_anchor_points *points = c->points;

	while (c->corners->k < k)
	{
		bool outside;
		size_t at;

		TLV_TRY_CONTINUE(ctx);
		at = next_point(c);
		if (c->penalty == 0 && at < points->n)
			c->corners->visible = c->corners->k + 1;
		if (at == points->n)
			return TLV_OK;
		TLV_TRY(
			add_corner(ctx, c, points->rows + at * points->d, at, noise_of(points, at), &outside));
		if (!outside)
			c->left[at] = 0;
	}
	return TLV_OK;
}

tlv_status
tlv_anchors_choose(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
				   const tlv_anchor_seeds *given, tlv_anchor_corners *corners)
{
	chooser c = {.corners = corners};

	memset(corners, 0, sizeof(*corners));
	if (k == 0 || (given != NULL && given->n > k))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is less than the %zu anchors", k,
						given != NULL ? given->n : 1);
	TLV_TRY(chooser_create(ctx, points, k, &c));
	TLV_TRY(squares_from(ctx, &c, NULL));
	if (given != NULL)
		TLV_TRY(add_given(ctx, &c, given));
	corners->visible = corners->k;
	TLV_TRY(add_found(ctx, &c, k));
	if (corners->visible > corners->k)
		corners->visible = corners->k;
	corners->penalty = penalties[c.penalty];
	tlv_free(ctx, c.left);
	tlv_free(ctx, c.along);
	tlv_free(ctx, c.taken);
	tlv_free(ctx, c.direction);
	return TLV_OK;
}
