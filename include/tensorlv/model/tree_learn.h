/*
 * tree_learn.h - a latent tree from moments in one call: distances, structure, support by the
 * bootstrap, parameters.
 */
#ifndef TENSORLV_TREE_LEARN_H
#define TENSORLV_TREE_LEARN_H

#include "tensorlv/model/tree_structure.h"
#include "tensorlv/model/tree.h"

typedef struct tlv_tree_learn_options
{
	/* distance.states 0: chosen.  Two states (one dimension) give a first tree; when its hidden
	 * nodes show more, the distances are taken again with the number that most of them show. */
	tlv_tree_distance_options distance;
	tlv_tree_options structure;
	tlv_tree_fit_options fit; /* states, groups and column are those of distance */
	/* Gaussian variables: covariances drawn from the Wishart distribution of the moments' own, the
	 * parametric bootstrap (Efron, Tibshirani 1993, section 6.5); categories have replicates in
	 * their moments. */
	size_t replicates;
} tlv_tree_learn_options;

/*
 * Learns a tree from category_moments or dense_moments of order >= 2.  The model's edges have their
 * support when there are replicates.  Diagnostics: variables, hidden_nodes, components,
 * distance_states, contracted..., those of the fit, warnings.  Errors: those of the steps;
 * TLV_BAD_PARAMETER for replicates of categories.
 */
extern tlv_status tlv_tree_learn(tlv_context *ctx, const tlv_frame *moments,
								 const tlv_tree_learn_options *options, void **image, size_t *size);

/*
 * Dense moments of order 2 whose covariance is drawn from the Wishart distribution with the given
 * moments' covariance and rows - 1 degrees of freedom, divided by these (Bartlett's
 * decomposition, Smith and Hocking 1972).  Errors: TLV_LIMIT for more than TLV_EIGEN_LIMIT columns.
 */
typedef struct tlv_wishart tlv_wishart;
extern tlv_status tlv_wishart_create(tlv_context *ctx, const tlv_frame *moments, uint64_t seed,
									 tlv_wishart **wishart);
extern tlv_status tlv_wishart_draw(tlv_context *ctx, tlv_wishart *wishart, void **image,
								   size_t *size);
extern void tlv_wishart_free(tlv_context *ctx, tlv_wishart *wishart);

#endif /* TENSORLV_TREE_LEARN_H */
