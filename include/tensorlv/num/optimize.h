/*
 * optimize.h - small constrained problems: projection on the simplex,
 * non-negative least squares, optimal assignment.
 */
#ifndef TENSORLV_OPTIMIZE_H
#define TENSORLV_OPTIMIZE_H

#include "tensorlv/num/context.h"

/*
 * Euclidean projection of x (n entries, stride between them) on the
 * probability simplex, in place (Held, Wolfe, Crowder 1974; Condat's
 * expected-linear scan).  work has n doubles.
 */
extern void tlv_project_simplex(size_t n, double *x, size_t stride, double *work);

/*
 * argmin_{x >= 0} ||A x - b||, A m x n column-major (Lawson, Hanson 1974): the quadratic program
 * of the normal equations, begun with all columns.  *residual gets ||A x - b||.  Errors: memory,
 * TLV_LIMIT for no rows, no columns or more than 20,000 of these, TLV_BAD_DATA for numbers that are
 * not finite, TLV_CANCELLED.
 */
extern tlv_status tlv_nnls(tlv_context *ctx, size_t m, size_t n, const double *a, const double *b,
						   double *x, double *residual);

/*
 * argmin x' G x - 2 h' x over x >= 0, and sum x = 1 when `simplex`, for positive
 * semi-definite G (gram, n x n) and h (moment); an active set that starts from one
 * entry and grows.  Dependent columns are told apart by a ridge of rounding size.
 * work: n (n + 5) doubles.  Errors: TLV_BAD_DATA for numbers that are not finite.
 */
extern tlv_status tlv_quadratic_nonnegative(tlv_context *ctx, size_t n, const double *gram,
											const double *moment, bool simplex, double *x,
											double *work);

/*
 * Assignment of least total cost (Kuhn-Munkres by shortest augmenting paths,
 * O(n^2 m)).  cost is n x m row-major (cost[i * m + j]), n <= m;
 * assignment[i] is the column of row i.
 */
extern tlv_status tlv_assignment(tlv_context *ctx, size_t n, size_t m, const double *cost,
								 int64_t *assignment, double *total);

/* Minimum of f on [low, high] by golden section in the logarithm; low > 0. */
typedef tlv_status (*tlv_scalar_function)(tlv_context *ctx, void *argument, double x,
										  double *value);
extern tlv_status tlv_minimize_log(tlv_context *ctx, tlv_scalar_function f, void *argument,
								   double low, double high, double tolerance, double *x,
								   double *value);

#endif /* TENSORLV_OPTIMIZE_H */
