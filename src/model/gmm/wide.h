/*
 * wide.h - starts and the number of components of mixtures over wide rows, embeddings say, whose
 * means lie in the leading directions of the covariance.
 *
 * Source: the subspace of the leading directions holds the means of spherical components and less
 * of the noise than all dimensions (Vempala, Wang 2004; Kumar, Kannan 2010).  Clusters of k-means
 * there, more than are wanted, are merged where the classification likelihood loses least (Fraley
 * 1998), which needs no second start and gives the criterion of every number on the way. Directions
 * are merged by the likelihood of von Mises-Fisher components.
 */
#ifndef TENSORLV_GMM_WIDE_H
#define TENSORLV_GMM_WIDE_H

#include "choose.h"

/* Dimensions from which on rows are wide; directions are wide above the second number. */
#define GMM_WIDE		   100
#define GMM_FEW_DIMENSIONS 20

/* The largest k of wide rows that is tried when it is left out, the most directions, and the most
 * components that third moments are collected for: their cost is n k^3. */
#define GMM_WIDE_MOST_K			 200
#define GMM_WIDE_MOST_DIRECTIONS 100

/* Clusters whose rows belong to one each, to so much (mean entropy of responsibilities), are those
 * that the third moments would give. */
#define GMM_WIDE_SEPARATE 0.01

/* The criterion by number of components: -2 log classification likelihood + parameters log n, which
 * is the integrated completed likelihood (ICL). */
typedef struct gmm_wide_choice
{
	size_t k;
	size_t tried; /* 1 .. tried */
	double *icl;  /* tried */
} gmm_wide_choice;

/* The rows of the sample in the leading directions, as floats. */
typedef struct gmm_projected
{
	size_t p; /* directions above the noise; of rows that are directions one more, for what all of
			   * them have outside */
	float *points; /* p x n */
} gmm_projected;

extern tlv_status gmm_wide_project(tlv_context *ctx, const gmm_evidence *evidence,
								   const tlv_frame *subspace, gmm_projected *to);

/*
 * The number of components, 1 .. max_k, of the least ICL of the projected rows, where clusters of
 * k-means are merged.  Errors: those of tlv_kmeans.
 */
extern tlv_status gmm_wide_choose(tlv_context *ctx, const gmm_evidence *evidence,
								  const gmm_projected *of, size_t max_k, gmm_wide_choice *choice);

/*
 * The start of start->k components, into an empty start: clusters of the projected rows, merged
 * from more, refined on the sample.
 */
extern tlv_status gmm_wide_clusters(tlv_context *ctx, const gmm_evidence *evidence,
									const gmm_projected *of, gmm_start *start);

/* The better by likelihood, into start: its fit to the moments, if there is one, refined on the
 * sample, or the clusters, which are taken over. */
extern tlv_status gmm_wide_better(tlv_context *ctx, const gmm_evidence *evidence,
								  gmm_start *clusters, gmm_start *start);

#endif /* TENSORLV_GMM_WIDE_H */
