/*
 * dirichlet.h - from compressed moments of a Dirichlet mixture to its
 * components: shift, whitening and decomposition, for every model whose
 * observations are drawn from mixtures of k components with Dirichlet(alpha)
 * shares (topics, communities).
 *
 * Raw moments of the observations in a basis of `width` directions:
 *
 *   mean    E[x1]          width
 *   pairs   E[x1 x2']      width x width
 *   triples E[x1 x2 x3]    packed symmetric (tensor3.h)
 *
 * With alpha0 = sum of alpha and components mu_j,
 *
 *   M2 = pairs - a0/(a0+1) mean mean'                            = sum_j w_j/(a0+1) mu_j mu_j'
 *   M3 = triples - a0/(a0+2) Sym3[pairs (x) mean]
 *        + 2 a0^2/((a0+1)(a0+2)) mean (x) mean (x) mean          = sum_j 2 w_j/((a0+1)(a0+2))
 * mu_j^(x)3
 *
 * where w_j = alpha_j/a0 (Anandkumar, Foster, Hsu, Kakade, Liu 2012); a0 = 0 is the
 * model in which every observation has one component.
 *
 * The moments are collected in counts.h and star_moments.h.  The decomposition itself is on floor
 * 1 (decompose.h).
 */
#ifndef TENSORLV_DIRICHLET_H
#define TENSORLV_DIRICHLET_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/decompose.h"

typedef struct tlv_dirichlet_moments
{
	size_t width;
	const double *mean;	   /* width */
	const double *pairs;   /* width x width, symmetric */
	const double *triples; /* packed */
} tlv_dirichlet_moments;

/* What is said when the moments do not identify k components. */
typedef struct tlv_dirichlet_words
{
	const char *components; /* "topics" */
	const char *hint;		/* follows "At most %zu are positive: " */
} tlv_dirichlet_words;

typedef struct tlv_dirichlet_solver
{
	size_t k;
	tlv_dirichlet_moments moments;
	tlv_dirichlet_words words;
	tlv_decompose_options options;
	tlv_decomposition decomposition; /* of the whitened tensor: values 2/(a0+2) sqrt((a0+1)/w_j) */
	double *eigenvalues;			 /* width, of M2, descending */
	double *components;				 /* width x k: sqrt(w_j/(a0+1)) mu_j */
	/* work space */
	double *eigenvectors; /* width x width, of M2 */
	double *whitening;	  /* width x k */
	double *moment3;	  /* packed, width */
	double *whitened;	  /* packed, k */
	double *start;		  /* k x k */
	bool warm;
} tlv_dirichlet_solver;

/* Bytes that a solver and its decompositions take. */
extern double tlv_dirichlet_memory(size_t width, size_t k, const tlv_decompose_options *options);

/* A solver for k <= width components; moments, words and options must outlive it. */
extern tlv_status tlv_dirichlet_solver_create(tlv_context *ctx,
											  const tlv_dirichlet_moments *moments, size_t k,
											  const tlv_decompose_options *options,
											  const tlv_dirichlet_words *words,
											  tlv_dirichlet_solver *solver);
extern void tlv_dirichlet_solver_free(tlv_context *ctx, tlv_dirichlet_solver *solver);

/*
 * Components at a given alpha0 >= 0.  Errors: TLV_NOT_IDENTIFIABLE with the
 * eigenvalues of M2 when fewer than k are positive; those of tlv_decompose.
 */
extern tlv_status tlv_dirichlet_decompose(tlv_context *ctx, tlv_dirichlet_solver *solver,
										  double alpha0);

/* How many components the second moment of the last decomposition tried, be it refused, allows. */
extern size_t tlv_dirichlet_identified(const tlv_dirichlet_solver *solver);

/*
 * The alpha0 of least residual between .02 and 50: a grid in the logarithm, then golden section,
 * each decomposition started from its neighbour's.  The solver is left at some other alpha0.
 */
extern tlv_status tlv_dirichlet_search(tlv_context *ctx, tlv_dirichlet_solver *solver,
									   double *alpha0);

#endif /* TENSORLV_DIRICHLET_H */
