/*
 * tree_belief.h - an opened tree, and exact belief propagation in one of categories (Pearl 1988).
 *
 * This is a header of the room tree/parameters.  Tables are estimated in tree_parameters.h, and
 * trees of numbers are in tree_gaussian.h.
 */
#ifndef TENSORLV_TREE_BELIEF_H
#define TENSORLV_TREE_BELIEF_H

#include "tensorlv/model/tree_parameters.h"

/* Rows that go through the tree at once; a multiple of TREE_LANES. */
#define TREE_BLOCK ((size_t) 64)
#define TREE_LANES ((size_t) 8)

struct tree_gaussian;

typedef struct tree_model
{
	tlv_model base;
	tlv_tree_parts parts;
	tree_shape shape;
	size_t *offset; /* nodes + 1: of tables */
	size_t *widths; /* nodes + columns: work space of a posterior */
	struct tree_gaussian *gaussian;
	/* categorical */
	uint8_t *codes;		   /* p x TREE_BLOCK: state + 1, or 0 */
	double *likelihoods;   /* of leaves: [x * (states + 1) + code], 1 for code 0 */
	size_t *likelihood_at; /* nodes */
	double **belief;	   /* nodes: states x TREE_BLOCK; NULL for leaves */
	double **message;	   /* nodes: parent's states x TREE_BLOCK; NULL for leaves and roots */
	double *work;		   /* most states x TREE_BLOCK */
	double *counts;		   /* most states squared */
	double *mantissa;	   /* TREE_BLOCK */
	int64_t *exponent;	   /* TREE_BLOCK */
} tree_model;

/* Whether a node has messages of its own: not an observed leaf below another node. */
static inline bool
tree_is_inner(const tree_shape *shape, size_t v)
{
	return v >= shape->p || shape->parent[v] < 0 || shape->first[v + 1] > shape->first[v];
}

extern tlv_status tlv_tree_belief_open(tlv_context *ctx, tree_model *model);

/* Checks a row and writes it to place `at` of a block of codes: the model's, or one that waits. */
extern tlv_status tlv_tree_belief_row(tlv_context *ctx, const tree_model *model, size_t p,
									  const int32_t *values, uint8_t *codes, size_t at);

/* Upward pass over the n rows of the block: log-likelihoods (n), posteriors of the roots. */
extern tlv_status tlv_tree_belief_up(tlv_context *ctx, tree_model *model, size_t n,
									 double *log_likelihood);

/* Downward pass: posteriors of all inner nodes in belief, times the weights of the n rows (NULL:
 * 1); counts, when wanted: expected pair counts are added, as the tables lie. */
extern tlv_status tlv_tree_belief_down(tlv_context *ctx, tree_model *model, size_t n,
									   const double *weight, double *counts);

/* Entries of the model class (model.h). */
extern tlv_status tlv_tree_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									  tlv_accumulator **accumulator);
extern tlv_status tlv_tree_update(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *statistics, const tlv_step *step, void **image,
								  size_t *size);

#endif /* TENSORLV_TREE_BELIEF_H */
