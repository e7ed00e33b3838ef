/*
 * mixed.h - mixed memberships of rows of neighbours: the posterior of a row's node, and the model
 * that follows from all rows (neighbours.h).
 *
 * The steps are those of mixed_membership.h, which has all edges at hand, with the Dirichlet
 * parameters of a node as its shares tell them: alpha + degree times the shares of its edge ends.
 */
#ifndef TENSORLV_MMSB_NEIGHBOURS_MIXED_H
#define TENSORLV_MMSB_NEIGHBOURS_MIXED_H

#include "neighbours.h"

/* A model of mixed memberships, opened for rows. */
typedef struct tlv_mixed_rows tlv_mixed_rows;

/* The parts must outlive it; memory from the arena. */
extern tlv_status tlv_mixed_rows_open(tlv_context *ctx, const tlv_mmsb_parts *parts,
									  tlv_mixed_rows **rows);

/*
 * Shares of the communities (k, sum 1) of a node at place u of the model (-1: it is not there) with
 * n neighbours at their places; adds its edges by pairs of communities to edges[a + k b]. Returns
 * the log-likelihood of the neighbours, edge end by edge end, under what stood for the shares.
 */
extern double tlv_mixed_rows_infer(tlv_mixed_rows *rows, int32_t u, double degree, size_t n,
								   const int32_t *neighbour, const double *weight, double *share,
								   double *edges);

/* The connectivity (k x k), alpha (k) and propensities (n) of the parts' memberships, from edges as
 * rows have assigned them to communities under the model before. */
extern tlv_status tlv_mixed_rows_update(tlv_context *ctx, const tlv_mmsb_parts *before,
										const double *edges, tlv_mmsb_parts *parts,
										double *connectivity, double *alpha, double *propensity);

#endif /* TENSORLV_MMSB_NEIGHBOURS_MIXED_H */
