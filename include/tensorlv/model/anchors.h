/*
 * anchors.h - points in a simplex whose corners are among them: words whose co-occurrence is that
 * of one topic alone (Ge 2013, chapter 4; Arora et al. 2013), and rows of a matrix that is
 * separable.
 *
 * A point is a row of d coordinates; point i is rows + i d.
 *
 * The room chooses corners and expresses all other points by them.  It does not know documents:
 * collecting the rows is in counts.h, and topics are made of the coefficients in lda.h.
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

/*
 * RecoverKL (Ge 2013, algorithm 4.2): rows are distributions, and of every point the mixture of the
 * corners (d x k, distributions, too) that is nearest to it in Kullback-Leibler divergence, by
 * sequential quadratic programs from where `shares` (k x n) is, which are replaced.  Steps end when
 * the duality gap is below 1e-7 nats, or after 100.  The gradient of the thesis takes some hundred
 * steps to 1e-5, these about ten.  Time of a step: k + s^2 / 2 for every entry of a row that is not
 * zero, with s corners in the mixture.  Errors: those of tlv_quadratic_nonnegative, memory,
 * TLV_CANCELLED.
 */
extern tlv_status tlv_anchors_recover_kl(tlv_context *ctx, const tlv_anchor_points *points,
										 size_t k, const double *corners, double *shares);

/*
 * Recover (Ge 2013, algorithm 3.3), the thesis' baseline: of every point the coordinates in which
 * its entries at the k columns `columns` are those of the corners, by the inverse of a k x k
 * matrix. They sum to about 1, and noise makes some negative.  Errors: TLV_NOT_IDENTIFIABLE where
 * the matrix has no inverse, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_anchors_invert(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
									 const double *corners, const int32_t *columns, double *shares);

/* ---- separable matrices ---- */

/* Most rows that are looked at for loners: each is compared with mixtures of all others. */
#define TLV_SEPARABLE_MOST_LONERS 1000
/* Most of those that are looked at in pairs, each pair by a program over all rows. */
#define TLV_SEPARABLE_MOST_ALMOST 200

/* By which rows the others are told: those that stand out farthest, one after the other; robust
 * loners, one of each neighbourhood; robust loners that are almost pure, by components. */
typedef enum tlv_separable_method
{
	TLV_SEPARABLE_ANCHORS,
	TLV_SEPARABLE_LONER,
	TLV_SEPARABLE_ALMOST
} tlv_separable_method;

typedef struct tlv_separable_factors
{
	size_t k;
	int32_t *anchors; /* k: rows */
	double *weights;  /* k x n: row i is the sum of weights_ij times anchor row j */
} tlv_separable_factors;

/*
 * A non-negative matrix (row i is matrix + i d) as non-negative weights times k of its own rows.
 * Rows are scaled to sum 1.  Anchors are those that stand out farthest, one after the other;
 * loners, rows of which each stands more than 2 eps from the hull of those that are not near it (Ge
 * 2013, theorems 2.46 and 2.48, in the Euclidean norm), one of each neighbourhood; or of almost
 * pure ones, where near is what is that row but for a small part and a mixture of any rows for
 * the rest (theorems 3.9 and 3.20), one of each set of loners that are near to each other.  eps:
 * how far a scaled row may be from where it belongs.  k = 0: as many as stand out.  Arrays are from
 * the arena. Errors: TLV_BAD_PARAMETER for k > n, eps outside of 0 .. 1 and entries that are
 * negative or not finite, TLV_BAD_DATA for a matrix of zeros, TLV_NOT_IDENTIFIABLE where fewer than
 * k stand out, TLV_LIMIT, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_separable_factorize(tlv_context *ctx, size_t n, size_t d,
										  const double *matrix, size_t k,
										  tlv_separable_method method, double eps,
										  tlv_separable_factors *factors);

#endif /* TENSORLV_ANCHORS_H */
