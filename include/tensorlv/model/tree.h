/*
 * tree.h - latent trees with parameters, of categories (tree_parameters.h) or Gaussian
 * variables (tree_gaussian.h): fitting, names, simulation.
 *
 * The room joins its three folders: it contains what a tree can do as a model, names, clusters of
 * variables, pictures, simulation and the procedure (tree_learn.h).  The structure is in
 * tree_structure.h, whose folder knows distances only.
 */
#ifndef TENSORLV_TREE_H
#define TENSORLV_TREE_H

#include "tensorlv/model/tree_parameters.h"
#include "tensorlv/num/rng.h"

/*
 * Fits the parameters of a tree to category_moments or dense_moments.  Of categories: complete when
 * tables of triples were kept or no node is hidden, otherwise the structure with its selection of
 * triples, which statistics() and update() complete.  A node all of whose triples are too weak
 * starts from a random table, with a warning; where no hidden node shows so many states, each has
 * those that it shows (warning fewer_components).
 * Errors: TLV_BAD_PARAMETER, TLV_BAD_DATA (a constant column, other variables than the tree's),
 * memory, TLV_CANCELLED.
 */
extern tlv_status tlv_tree_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_tree *tree,
							   const tlv_tree_fit_options *options, void **image, size_t *size);

/*
 * Names of all nodes, each ended by '\0', from one block (names[0] is its start): the variables'
 * own or v1, v2, ..., hidden ones h1, h2, ....  names is freed with its block by
 * tlv_tree_names_free.
 */
extern tlv_status tlv_tree_names(tlv_context *ctx, const tlv_tree_parts *parts, char ***names);
extern void tlv_tree_names_free(tlv_context *ctx, char **names);

/*
 * Numbers of groups of the variables (p, from 1, by decreasing size): the tree is cut at so many
 * edges that there are that number of groups, each time where it takes most of the groups' inertia
 * away; at least as many as there are components, at most p.  groups = 0: the variables of one
 * hidden node are one group.  O(groups nodes).  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_tree_clusters(tlv_context *ctx, const tlv_tree_parts *parts, size_t groups,
									int32_t *cluster);

typedef struct tlv_tree_simulation
{
	bool gaussian;
	size_t hidden_states;	/* categorical: k */
	size_t observed_states; /* categorical: d */
	double low, high; /* every edge's strength is uniform between: of categories r of the channel
					   * r I + (1 - r) (random table), of Gaussians the correlation, of either
					   * sign; 0 < low <= high < 1 */
	uint64_t seed;
} tlv_tree_simulation;

/*
 * Random parameters for a tree; a random table's rows are Dirichlet(2), the roots' distributions
 * Dirichlet(10), the Gaussian variables standard.  Lengths are the information distances that these
 * parameters have.  Errors: TLV_BAD_PARAMETER, memory.
 */
extern tlv_status tlv_tree_simulate_model(tlv_context *ctx, const tlv_tree *tree,
										  const tlv_tree_simulation *options, void **image,
										  size_t *size);

/* What draws rows from a model with parameters, of either kind. */
typedef struct tlv_tree_sampler tlv_tree_sampler;
extern tlv_status tlv_tree_sampler_create(tlv_context *ctx, const tlv_frame *model,
										  tlv_tree_sampler **sampler);
/*
 * One row: of a categorical tree the states of all nodes (codes, nodes), of a Gaussian one the
 * columns (x).  The other may be NULL.
 */
extern void tlv_tree_sample(tlv_tree_sampler *sampler, tlv_rng *rng, int32_t *codes, double *x);

#endif /* TENSORLV_TREE_H */
