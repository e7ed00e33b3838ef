/*
 * connectivity.h - estimates of the connectivity P from memberships.
 */
#ifndef TENSORLV_MMSB_CONNECTIVITY_H
#define TENSORLV_MMSB_CONNECTIVITY_H

#include "../internal.h"

/*
 * Non-backtracking estimate from the least-squares memberships M (unprojected) of all sides and the
 * regressors R they come from (tlv_mmsb_solve_scores): Ge's Q G Q' (2013, Algorithm 8.1) in which
 * no edge meets a membership that it was itself used for, which takes the bias out:
 *
 *   A = M1'G M2 - R1'D2 M2 - M1'D1 R2 + R1'G3'R2,  u = (M'd - R'D)/s,  s = M'1,
 *   P = (a0+1)^2 A/(s1 s2') - a0(a0+1) (u1/n2 + u2'/n1) + a0^2/(n1 n2) sum(g)
 *
 * D the sums of squared weights, G3 the cubed ones.  *sound is false when the memberships are no
 * basis for it (a sum s or the trace of P not positive).
 */
extern tlv_status tlv_connectivity_unbiased(tlv_context *ctx, tlv_mmsb_fit_state *fit,
											double *connectivity, bool *sound);

/*
 * Least squares from shares: (X1'X1 + r I)^-1 X1'G X2 (X2'X2 + r I)^-1, r = n / (100 k), rows of X
 * times propensities when these are estimated.
 */
extern tlv_status tlv_connectivity_least_squares(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
												 double *connectivity);

/*
 * edges (k x k, column-major) = sum over edges u -> v of g_uv pi_u rho_v': how much weight joins
 * community a of the rows with b of the columns, by their shares or labels.  Of an undirected graph
 * every edge is counted in both directions.
 */
extern tlv_status tlv_community_edges(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									  double *edges);

#endif /* TENSORLV_MMSB_CONNECTIVITY_H */
