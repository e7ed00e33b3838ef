/*
 * parts.h - what the files of latent tree models share: the rooted
 * forest, the selection of triples, belief propagation.
 */
#ifndef TLV_TREE_PARTS_H
#define TLV_TREE_PARTS_H

#include "tensorlv/model/categories.h"
#include "tensorlv/model/tree.h"

/* n zeros from the arena. */
static inline tlv_status
tree_take(tlv_context *ctx, double **array, size_t n)
{
	*array = tlv_alloc0(ctx, n, sizeof(double));
	TLV_TRY_ALLOC(ctx, *array);
	return TLV_OK;
}

/* ---- the forest of a model (tree_forest.c) ---- */

typedef struct tree_shape
{
	size_t p;
	size_t nodes;
	const int64_t *parent;
	int32_t *order; /* nodes, parents before children */
	size_t *first;	/* nodes + 1: children of v are child[first[v]] .. child[first[v + 1] - 1] */
	int32_t *child;
	int32_t *root;	/* nodes: that of the component */
	int32_t *enter; /* nodes: numbers of a subtree are enter[v] .. leave[v] - 1 */
	int32_t *leave;
} tree_shape;

/* Errors: TLV_CORRUPT when the parents are out of range or go in circles, memory. */
extern tlv_status tlv_tree_shape_create(tlv_context *ctx, size_t p, size_t nodes,
										const int64_t *parent, tree_shape *shape);
extern void tlv_tree_shape_free(tlv_context *ctx, tree_shape *shape);

/* The neighbour of v behind which a lies; -1 when a is v or in another component. */
extern int64_t tlv_tree_direction(const tree_shape *shape, size_t v, size_t a);

/* A learned tree in the model's form. */
typedef struct tree_rooted
{
	int64_t *parent; /* in one block with states */
	double *length;	 /* in one block with error and support */
	double *error;
	double *support;
	int64_t *states; /* zero */
} tree_rooted;
extern tlv_status tlv_tree_rooted_create(tlv_context *ctx, const tlv_tree *tree,
										 tree_rooted *rooted);

/* ---- the selection of triples (structure/selection.c) ---- */

typedef struct tree_selection
{
	tree_shape shape;
	const int64_t *states;
	const int64_t *triples; /* 3 x hidden; -1 where there is none */
	int64_t *direction;		/* 3 x hidden: neighbours of the hidden node */
} tree_selection;

/* Errors: TLV_CORRUPT when a triple is not in three directions, memory. */
extern tlv_status tlv_tree_selection_create(tlv_context *ctx, const tlv_tree_parts *parts,
											tree_selection *selection);
extern void tlv_tree_selection_free(tlv_context *ctx, tree_selection *selection);

/* Which observed nodes stand for node on its edge to other; their number, at most 3. */
extern size_t tlv_tree_stand_ins(const tree_selection *selection, size_t node, size_t other,
								 size_t stand[3]);

/* Numbers in all tables of pairs; in the table of triples of hidden node j. */
extern double tlv_tree_pair_entries(const tree_selection *selection);
extern size_t tlv_tree_triple_entries(const tree_selection *selection, size_t hidden);

/* ---- the choice of triples (tree_choose.c) ---- */

/* The nearest observed nodes of a direction, distances beside them. */
#define TREE_NEAR 3
typedef struct tree_near
{
	int n;
	int32_t node[TREE_NEAR];
	double distance[TREE_NEAR];
} tree_near;

/* below[v]: of v's subtree, from v; above[v]: of all else, from v. */
extern tlv_status tlv_tree_nearest(tlv_context *ctx, const tree_shape *shape, const double *length,
								   tree_near *below, tree_near *above);

/* The nearest three directions' nearest nodes, without a look at data; false: fewer directions. */
extern bool tlv_tree_nearest_triple(const tree_shape *shape, const double *length,
									const tree_near *below, const tree_near *above, size_t node,
									int64_t triple[3]);

/*
 * Chooses triples (3 x hidden, ascending) whose pairs show the states of their hidden node, and
 * with states = 0 these, too (node_states of hidden nodes are written).  Errors:
 * TLV_NOT_IDENTIFIABLE when no hidden node shows so many.
 */
extern tlv_status tlv_tree_choose(tlv_context *ctx, const tree_shape *shape, const double *length,
								  const tlv_category_tables *tables, size_t states,
								  int64_t *node_states, int64_t *triples,
								  tlv_diagnostics *diagnostics);

/* ---- parameters of categorical trees (tree_parameters.c, tree_cross.c) ---- */

/*
 * Tables of all nodes (tlv_tree_table_offsets) from those of triples, one after the other, and of
 * pairs, both in the order of the selection.
 */
extern tlv_status tlv_tree_solve(tlv_context *ctx, const tlv_tree_parts *parts,
								 const double *triple_tables, const double *pairs,
								 const tlv_decompose_options *decompose, double *tables,
								 tlv_diagnostics *diagnostics);

/* One end of an edge and what stands for it: E[stand-in a | end] = A_a. */
typedef struct tree_side
{
	size_t k;			/* columns of all A */
	size_t n;			/* stand-ins */
	size_t d[3];		/* rows of A */
	const double *a[3]; /* d x k, column by column; NULL: the identity */
} tree_side;

/*
 * J of least sum |P_ac - A_a J A_c'|^2 over the stand-ins a of u and c of v, at
 * [x_u * k_v + x_v]; pairs[a * v.n + c]: P_ac at [x_a * d_c + x_c].
 */
extern tlv_status tlv_tree_cross_solve(tlv_context *ctx, const tree_side *u, const tree_side *v,
									   const double *const *pairs, double *joint);

/* ---- belief propagation (tree_belief.c) ---- */

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

/* Downward pass: posteriors of all inner nodes in belief; counts, when wanted: expected pair counts
 * are added, as the tables lie. */
extern tlv_status tlv_tree_belief_down(tlv_context *ctx, tree_model *model, size_t n,
									   double *counts);

/* ---- statistics and updates (tree_em.c, tree_triples.c, tree_fit.c, tree_regularise.c) ---- */

extern tlv_status tlv_tree_statistics(tlv_context *ctx, tlv_model *model, const char *method,
									  tlv_accumulator **accumulator);
extern tlv_status tlv_tree_triples_create(tlv_context *ctx, tlv_model *model,
										  tlv_accumulator **accumulator);
extern tlv_status tlv_tree_update(tlv_context *ctx, const tlv_frame *model,
								  const tlv_frame *statistics, void **image, size_t *size);
/* The model that tables of triples complete. */
extern tlv_status tlv_tree_complete(tlv_context *ctx, const tlv_frame *model,
									const tlv_frame *statistics, void **image, size_t *size);

/* Writes a categorical model after weak hidden nodes have been merged into their parents. */
extern tlv_status tlv_tree_regularise(tlv_context *ctx, const tlv_tree_parts *parts, void **image,
									  size_t *size);

/* ---- Gaussian trees (tree_gaussian.c, tree_gaussian_fit.c, tree_gaussian_em.c) ---- */

extern tlv_status tlv_tree_gaussian_open(tlv_context *ctx, tree_model *model);
extern tlv_status tlv_tree_gaussian_log_likelihood(tlv_context *ctx, tlv_model *model, size_t d,
												   const double *x, double *value);
extern tlv_status tlv_tree_gaussian_fit(tlv_context *ctx, const tlv_frame *moments,
										const tlv_tree *tree, const tlv_tree_fit_options *options,
										void **image, size_t *size);

#endif /* TLV_TREE_PARTS_H */
