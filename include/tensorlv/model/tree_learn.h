/*
 * tree_learn.h - a latent tree from moments in one call: distances, structure, support by the
 * bootstrap, parameters.
 *
 * The steps themselves are in tree_structure.h, tree_parameters.h and tree_gaussian.h.
 */
#ifndef TENSORLV_TREE_LEARN_H
#define TENSORLV_TREE_LEARN_H

#include "tensorlv/model/source.h"
#include "tensorlv/model/tree.h"

/*
 * Of category_moments or dense_moments of order >= 2.  Arrays from the arena, freed by
 * tlv_tree_distances_free.
 *
 * A pair of variables of which one is constant, or which were seen together in fewer than 4
 * rows, is as far apart as can be told from that many rows, with the p-value 1.  A categorical
 * variable of r + 1 < states states has r correlations, which count (states - 1) / r times.  Pairs
 * that share fewer rows than there are have their correlations lowered by what that many rows
 * overstate them more.  The determinant metric can be negative, between siblings of more states
 * than the hidden nodes have.
 *
 * Standard errors of categories are approximate: right for evenly split variables of two states.
 *
 * Cost: p^2 d^2 to read the tables and p^2 d^3 for d > 2 states; the structure p^2 for the spanning
 * tree and the cube of every neighbourhood in it (of p for neighbour joining).
 *
 * Errors: TLV_BAD_PARAMETER for another kind of moments, states (categories: 2 to 100; vectors:
 * from 1), groups or shrinkage out of range; TLV_BAD_DATA for fewer than 2 variables or 4 rows;
 * memory, TLV_CANCELLED.
 */
extern tlv_status tlv_tree_distances_compute(tlv_context *ctx, const tlv_frame *moments,
											 const tlv_tree_distance_options *options,
											 tlv_tree_distances *distances);

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

/*
 * The names of variables as the fit takes them: one a line.  Error: TLV_BAD_PARAMETER for a name
 * that is there twice.
 */
extern tlv_status tlv_tree_join_names(tlv_context *ctx, const tlv_names *names, char **lines,
									  size_t *length);

/* ---- from rows to a model, as a procedure (source.h) ---- */

typedef struct tlv_tree_procedure_options
{
	/* Its replicates, names and the iterations of its fit follow from what is below and from the
	 * rows. */
	tlv_tree_learn_options learn;
	size_t replicates;		/* of the bootstrap; 0: none */
	int iterations;			/* of refinement; -1: as many as usual, categories until the likelihood
							 * stands */
	tlv_code_ranges ranges; /* of categories with names, those that are ranges of numbers */
} tlv_tree_procedure_options;

/*
 * Passes over rows of codes (source->rows.form is TLV_ROW_CODES): category_moments, tree_triples
 * where these held none, tree_statistics for every step.  Over rows of numbers (TLV_ROW_VECTOR):
 * dense_moments of the complete ones.  source->rows.names become the variables' names.
 * Errors: those of tlv_tree_learn, of tlv_tree_join_names and of the steps; TLV_BAD_DATA when a
 * number is missing in every row.
 */
extern const tlv_procedure tlv_tree_procedure; /* its options are tlv_tree_procedure_options */

#endif /* TENSORLV_TREE_LEARN_H */
