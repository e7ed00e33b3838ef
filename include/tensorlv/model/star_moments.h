/*
 * star_moments.h - moments of the 2-stars and 3-stars of a graph, compressed into a dominant
 * subspace.  Every row of the adjacency matrix is an observation, as a document is of topics: its
 * entries take the place of words.
 *
 * This is a header of the room of graphs.  What is made of the moments is in dirichlet.h and
 * mmsb.h.
 */
#ifndef TENSORLV_STAR_MOMENTS_H
#define TENSORLV_STAR_MOMENTS_H

#include "tensorlv/model/dirichlet.h"
#include "tensorlv/num/sparse.h"

/* One side of a graph: rows observe, columns are observed. */
typedef struct tlv_star_side
{
	const tlv_csr *out; /* rows x columns */
	const tlv_csr *in;	/* its transposed */
	bool symmetric;		/* rows and columns are the same nodes, and an edge leads both ways */
	bool normalized;	/* rows count by their direction, whatever their degree */
} tlv_star_side;

typedef struct tlv_star_options
{
	size_t width;  /* directions kept */
	int max_steps; /* of subspace iteration */
	double tolerance;
	bool directions; /* no more than these, whatever the weights by decreasing eigenvalues */
	uint64_t seed;
} tlv_star_options;

/*
 * Compressed factorial moments over rows u with sparse entries g_u and weights
 * s1, s2, s3 (1/n each; normalised: so that a star of a row counts by its degree):
 *
 *   mean    sum_u s1 W'g_u
 *   pairs   sum_u s2 W'[g_u g_u' - diag(g_u^2)]W         pairs of distinct columns
 *   triples sum_u s3 [W'g_u]^(x)3 less the triples that repeat a column
 *
 * W = S U, S_j = 1/sqrt(m_j + mean(m)/4), m_j the mean of column j, and U the dominant directions
 * of S pairs S, found by block subspace iteration; of a symmetric graph those of S G S of largest
 * modulus, which are the same but for weights and repetitions.  With plain weights U of a symmetric
 * graph is of the algebraically largest eigenvalues instead: pairs square the spectrum of G, and
 * large negative eigenvalues would displace communities; but where the smallest one is clearly
 * larger in modulus than the second (a disassortative graph), those of largest modulus.
 */
typedef struct tlv_star_moments
{
	tlv_dirichlet_moments moments;
	size_t rows;
	size_t columns;
	float *basis;	   /* W': width x columns */
	float *scores;	   /* W'g_u: width x rows */
	float *scale;	   /* S: columns */
	float *directions; /* U: width x columns */
	double *values;	   /* width: roots of their eigenvalues, of S G S moduli of these */
	double *sums;	   /* width: sum over columns of S^-2 W', for sums of S^-1 U b */
	bool disassortative;
	int steps;
	double stars; /* rows with at least three entries */
} tlv_star_moments;

/* Bytes that the computation needs at most, and what it leaves. */
extern double tlv_star_memory(const tlv_star_side *side, size_t width);

extern tlv_status tlv_star_moments_compute(tlv_context *ctx, const tlv_star_side *side,
										   const tlv_star_options *options,
										   tlv_star_moments *stars);
extern void tlv_star_moments_free(tlv_context *ctx, tlv_star_moments *stars);

#endif /* TENSORLV_STAR_MOMENTS_H */
