/*
 * separable.c - a non-negative matrix of which some rows are those that all others are mixtures of
 * (anchors.h; Ge 2013, chapter 2; Arora, Ge, Kannan, Moitra 2012).
 */
#include "tensorlv/model/anchors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"

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

/* Rows that are not zero, scaled to sum 1. */
static tlv_status
anchors_scale_rows(tlv_context *ctx, size_t n, size_t d, const double *matrix, separable *s)
{
	TLV_TRY_NEW_ROWS(ctx, s->rows, d, n);
	TLV_TRY_NEW(ctx, s->norms, n);
	TLV_TRY_NEW(ctx, s->from, n);
	for (size_t i = 0; i < n; i++)
	{
		double sum = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < d; j++)
		{
			if (!(matrix[i * d + j] >= 0 && isfinite(matrix[i * d + j])))
				return tlv_fail(ctx, TLV_BAD_PARAMETER,
								"entry %zu of row %zu is %g, not a number of at least 0", j + 1,
								i + 1, matrix[i * d + j]);
			sum += matrix[i * d + j];
		}
		if (!isfinite(sum))
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "row %zu is too large", i + 1);
		if (sum < DBL_MIN)
			continue;
		for (size_t j = 0; j < d; j++)
			s->rows[s->n * d + j] = matrix[i * d + j] / sum;
		s->norms[s->n] = sum;
		s->from[s->n++] = (int32_t) i;
	}
	if (s->n == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "all rows are zero");
	return TLV_OK;
}

/* The distance of row i from the hull of those of the m others; infinite where there are none. */
static tlv_status
separable_distance(tlv_context *ctx, const separable *s, size_t i, size_t m, const int32_t *others,
				   double *distance)
{
	double *gram, *moment, *x, *work, square = s->gram[i * s->n + i];

	*distance = HUGE_VAL;
	if (m == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, gram, m, m);
	TLV_TRY_NEW(ctx, moment, 2 * m);
	TLV_TRY_NEW_ROWS(ctx, work, m, m + 5);
	x = moment + m;
	for (size_t a = 0; a < m; a++)
	{
		moment[a] = s->gram[(size_t) others[a] * s->n + i];
		for (size_t b = 0; b < m; b++)
			gram[a * m + b] = s->gram[(size_t) others[a] * s->n + (size_t) others[b]];
	}
	TLV_TRY(tlv_quadratic_nonnegative(ctx, m, gram, moment, true, x, work));
	for (size_t a = 0; a < m; a++)
	{
		square -= 2 * x[a] * moment[a];
		for (size_t b = 0; b < m && x[a] != 0; b++)
			square += x[a] * x[b] * gram[a * m + b];
	}
	*distance = sqrt(fmax(square, 0));
	tlv_free(ctx, gram);
	tlv_free(ctx, moment);
	tlv_free(ctx, work);
	return TLV_OK;
}

/* Rows that are not mixtures of those that are not near them. */
static tlv_status
find_loners(tlv_context *ctx, separable *s, double near)
{
	int32_t *others;

	TLV_TRY_NEW(ctx, others, s->n);
	for (size_t i = 0; i < s->n; i++)
	{
		size_t m = 0;
		double distance;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < s->n; j++)
			if (j != i && separable_square(s, i, j) > near * near)
				others[m++] = (int32_t) j;
		TLV_TRY(separable_distance(ctx, s, i, m, others, &distance));
		s->loner[i] = distance > 2 * s->eps;
	}
	tlv_free(ctx, others);
	return TLV_OK;
}

/* Corners among the candidates that stand out by more than `least`; k of them, where k is not 0. */
static tlv_status
choose_corners(tlv_context *ctx, const separable *s, const uint8_t *candidate, double least,
			   size_t k, tlv_anchor_corners *corners)
{
	tlv_anchor_points points = {.n = s->n, .d = s->d, .rows = s->rows, .candidate = candidate};
	size_t most = k > 0 ? k : s->n < s->d ? s->n : s->d;
	double *noise;

	TLV_TRY_NEW(ctx, noise, s->n);
	for (size_t i = 0; i < s->n; i++)
		noise[i] = least * least / TLV_ANCHORS_PENALTY;
	points.noise = noise;
	TLV_TRY(tlv_anchors_choose(ctx, &points, most, NULL, corners));
	if (k == 0)
		corners->k = corners->visible > 0 ? corners->visible : 1;
	tlv_free(ctx, noise);
	return TLV_OK;
}

/* How far the least separate corner stands from the hull of the others. */
static tlv_status
separable_apart(tlv_context *ctx, const separable *s, const tlv_anchor_corners *corners,
				double *least)
{
	int32_t *others;

	*least = HUGE_VAL;
	TLV_TRY_NEW(ctx, others, corners->k);
	for (size_t i = 0; i < corners->k; i++)
	{
		double distance;
		size_t m = 0;

		for (size_t j = 0; j < corners->k; j++)
			if (j != i)
				others[m++] = corners->points[j];
		TLV_TRY(separable_distance(ctx, s, (size_t) corners->points[i], m, others, &distance));
		*least = fmin(*least, distance);
	}
	tlv_free(ctx, others);
	return TLV_OK;
}

/* ---- almost pure rows ---- */

/*
 * Anchors of a matrix whose rows are not pure, but almost (Ge 2013, section 3.5,
 * theorems 3.9 and 3.20), by quadratic programs, in the Euclidean norm, in the place of linear
 * ones.
 *
 * Row j is close to row i where i is j for a share of 1 - delta at least, and for the rest any
 * mixture of rows.  That does not hold the other way round: a pure row is close to those that are
 * nearly so, but not they to it.  So a row that stands out of the hull of all but those that it is
 * close to is as pure as can be, and such rows that are close to each other are of one component.
 */

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
		TLV_TRY(separable_distance(ctx, s, j, m, others, &distance[j]));
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

/* Corners by almost pure rows; k of them, where k is not 0.  TLV_NOT_IDENTIFIABLE where
 * no row stands out. */
static tlv_status
separable_almost(tlv_context *ctx, separable *s, size_t k, tlv_anchor_corners *corners)
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
		TLV_TRY(separable_apart(ctx, s, corners, &measured));
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

/*
 * Robust loners: near are rows within 10 eps / apart + 2 eps, where apart is how far corners stand
 * from the hull of each other, which is measured until it agrees with what is found.
 */
static tlv_status
loner_corners(tlv_context *ctx, separable *s, size_t k, tlv_anchor_corners *corners)
{
	/* How far a corner is taken to stand from the hull of the others, at first; and how often it is
	 * measured again. */
	const double apart = 0.5;
	const int apart_rounds = 8;
	double least = apart, measured;

	for (int round = 0; round < apart_rounds; round++)
	{
		double near = 10 * s->eps / least + 2 * s->eps;

		TLV_TRY(find_loners(ctx, s, near));
		TLV_TRY(choose_corners(ctx, s, s->loner, 2 * (near + s->eps), k, corners));
		if (corners->k == 0)
			break;
		TLV_TRY(separable_apart(ctx, s, corners, &measured));
		if (measured >= least || !(measured > 0))
			break;
		least = measured;
	}
	if (corners->k > 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
			 "no anchor row was found: the matrix is not separable within eps");
	return tlv_fail_hint(ctx, "Use a smaller eps, or method => 'anchors'.");
}

/* Every row by the corners: shares of the scaled ones, times what scaling took away. */
static tlv_status
weigh_rows(tlv_context *ctx, const separable *s, size_t n, const tlv_anchor_corners *corners,
		   tlv_separable_factors *factors)
{
	tlv_anchor_points points = {.n = s->n, .d = s->d, .rows = s->rows};
	size_t k = corners->k;
	double *shares;

	TLV_TRY_NEW_ROWS(ctx, shares, k, s->n);
	TLV_TRY(tlv_anchors_recover(ctx, &points, k, corners->corners, shares));
	factors->k = k;
	TLV_TRY_NEW(ctx, factors->anchors, k);
	TLV_TRY_NEW0_ROWS(ctx, factors->weights, k, n);
	for (size_t j = 0; j < k; j++)
		factors->anchors[j] = s->from[corners->points[j]];
	for (size_t i = 0; i < s->n; i++)
		for (size_t j = 0; j < k; j++)
			factors->weights[(size_t) s->from[i] * k + j] =
				shares[i * k + j] * (s->norms[i] / s->norms[corners->points[j]]);
	tlv_free(ctx, shares);
	return TLV_OK;
}

tlv_status
tlv_separable_factorize(tlv_context *ctx, size_t n, size_t d, const double *matrix, size_t k,
						tlv_separable_method method, double eps, tlv_separable_factors *factors)
{
	/* What a row may be apart from where it belongs when nothing is said: rounding. */
	const double rounding = 1e-7;
	const size_t most =
		method == TLV_SEPARABLE_ALMOST ? TLV_SEPARABLE_MOST_ALMOST : TLV_SEPARABLE_MOST_LONERS;
	bool loners = method != TLV_SEPARABLE_ANCHORS;
	separable s = {.d = d, .eps = fmax(eps, rounding)};
	double rows = (double) n, side = (double) d;
	tlv_anchor_corners corners;

	if (n == 0 || d == 0 || k > n)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu rows", k, n);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	if (!(eps >= 0 && eps < 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "eps = %g is not between 0 and 1", eps);
	if (loners && n > most)
		return tlv_fail(ctx, TLV_LIMIT,
						"%zu rows are more than %zu, of which each is compared with "
						"mixtures of all others",
						n, most);
	TLV_TRY(tlv_require_memory(ctx,
							   sizeof(double) *
								   (rows * (2 * side + 8) + (loners ? 4 * rows * rows : 0) +
									rows * (double) (k > 0	 ? k
													 : n < d ? n
															 : d)),
							   "the factorisation"));
	TLV_TRY(anchors_scale_rows(ctx, n, d, matrix, &s));
	if (loners)
	{
		TLV_TRY_NEW_ROWS(ctx, s.gram, s.n, s.n);
		TLV_TRY_NEW0(ctx, s.loner, s.n);
		TLV_TRY(tlv_syrk(ctx, true, s.n, d, 1, s.rows, d, 0, s.gram, s.n, true));
	}
	if (method == TLV_SEPARABLE_ALMOST)
		TLV_TRY(separable_almost(ctx, &s, k, &corners));
	else if (loners)
		TLV_TRY(loner_corners(ctx, &s, k, &corners));
	else
		TLV_TRY(choose_corners(ctx, &s, NULL, s.eps, k, &corners));
	if (k > corners.k)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "only %zu of %zu anchor rows were found", corners.k, k);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	return weigh_rows(ctx, &s, n, &corners, factors);
}
