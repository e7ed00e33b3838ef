/*
 * partition.h - communities from the 3-stars between four parts of a
 * graph: centres in X, one leaf each in A, B and C (Anandkumar, Ge, Hsu,
 * Kakade 2014; Huang 2016, section 3.1.2 and appendix B).
 *
 * The three edges of such a star are independent given the centre's memberships, so that no star
 * repeats an edge and no correction is needed; the whole-graph moments (star_moments.h) use every
 * star instead and are more accurate.
 */
#ifndef TENSORLV_MMSB_PARTITION_H
#define TENSORLV_MMSB_PARTITION_H

#include "tensorlv/num/decompose.h"
#include "tensorlv/num/sparse.h"

typedef struct tlv_partition_options
{
	size_t k;	   /* communities, 1 .. 500 */
	double alpha0; /* sum of the Dirichlet parameters, of either side; 0: one community a node */
	uint64_t seed; /* of the parts and of the random starts */
	tlv_decompose_options decompose;
} tlv_partition_options;

typedef struct tlv_partition_result
{
	size_t k;
	size_t rows;
	size_t columns;
	float *scores;			/* k x rows: memberships before projection on the simplex, 0 for a
							 * node without edges */
	float *column_scores;	/* k x columns; NULL for one-set graphs */
	double *weights;		/* k: alpha_i / alpha0 of the rows, descending, summing to 1 */
	double *eigenvalues;	/* k: of the second moment, descending */
	double weight_sum;		/* of the weights before they were made to sum to 1: 1 without noise */
	double residual;		/* of the decomposition, in 0 .. 1 */
	double column_residual; /* the same of the column side; NAN for one-set graphs */
	int iterations;			/* of the decomposition */
	int steps;				/* of the subspace iteration */
	bool converged;			/* the decomposition */
} tlv_partition_result;

/* Bytes that the fit needs at most, beyond the graph itself, result included. */
extern double tlv_partition_memory(const tlv_csr *out, bool bipartite,
								   const tlv_partition_options *options);

/*
 * Memberships pi_u of the model E g_uv = pi_u' P pi_v (one-set graphs; P need not be symmetric, the
 * edges out of a node are used) or pi_u' P rho_v (bipartite: every row is a centre, the columns
 * are split in A, B and C).
 *
 *   out  rows x columns, no self-loops; one-set graphs: square, undirected ones symmetric
 *   in   its transposed
 *
 * With F_A = E[g_uA | pi_u] and so on: Pairs(B, C) = G_XB' G_XC / n_X in factored form of rank k,
 * Z_B = Pairs(A, C) Pairs(B, C)^+ and Z_C = Pairs(A, B) Pairs(C, B)^+ carry the leaves in B and C
 * over to A, where the moments of (g_A, Z_B g_B, Z_C g_C) are those of a Dirichlet mixture with
 * components F_A (dirichlet.h).  Every node, in whatever part, then has three estimates of its
 * memberships, from its edges to A, B and C, with the communities in one order: no second run with
 * exchanged roles has to be aligned.  The columns are regressed on these estimates; the instruments
 * are the simplex projections of the mean of the two other estimates, which keeps the noise of the
 * estimates out of their covariance.  A least-squares fit of these F_v to all edges of a node gives
 * its scores.  For the columns of a bipartite graph F_v = P rho_v is a Dirichlet mixture again, of
 * the columns of P, seen from three groups of rows; its components are numbered so that P has the
 * largest trace.  alpha0 of both sides is the same.
 *
 * The moment identities hold exactly for expected adjacency.  Communities are numbered by
 * decreasing weight.  Cost: 4 to 20 times four sparse products with k + 10 vectors, each on a
 * sixteenth of the edges (a third of a bipartite graph's), 3 n_X k^3 flops, and half a dozen
 * products with k vectors on all edges.
 *
 * Errors: TLV_BAD_PARAMETER for k, alpha0 or too few nodes (2 k are needed in every part),
 * TLV_LIMIT for k > 500, TLV_NOT_IDENTIFIABLE with the eigenvalues, TLV_MEMORY_LIMIT before
 * anything is allocated, TLV_OUT_OF_MEMORY, TLV_CANCELLED, those of tlv_decompose.
 */
extern tlv_status tlv_partition_fit(tlv_context *ctx, const tlv_csr *out, const tlv_csr *in,
									bool bipartite, const tlv_partition_options *options,
									tlv_partition_result *result);
extern void tlv_partition_result_free(tlv_context *ctx, tlv_partition_result *result);

#endif /* TENSORLV_MMSB_PARTITION_H */
