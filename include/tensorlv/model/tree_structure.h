/*
 * tree_structure.h - latent trees: the observed variables of a table as leaves (or inner nodes) of
 * a tree of hidden ones, from distances that are additive along its paths (Choi, Tan, Anandkumar,
 * Willsky 2011; Huang et al. 2020).
 *
 * Nodes: 0 .. p-1 are observed, p .. nodes-1 hidden.  A tree may be a forest: variables that depend
 * on nothing else stand alone.
 *
 * The room knows distances and splits.  It knows neither where distances come from
 * (tree_parameters.h, tree_gaussian.h) nor parameters or rows.
 */
#ifndef TENSORLV_TREE_STRUCTURE_H
#define TENSORLV_TREE_STRUCTURE_H

#include "tensorlv/num/context.h"

/* ---- distances ---- */

typedef struct tlv_tree_distances
{
	size_t p;
	double *distance;	 /* p x p, symmetric, 0 on the diagonal, finite */
	double *error;		 /* p x p: standard errors */
	double *independent; /* p x p: p-value of the hypothesis that the two are independent */
	double rows;		 /* that they were estimated from */
} tlv_tree_distances;

typedef enum tlv_tree_metric
{
	TLV_METRIC_CANONICAL,  /* - sum of the logarithms of the k - 1 (Gaussian: r) largest canonical
							* correlations: additive also for more categories than hidden states */
	TLV_METRIC_DETERMINANT /* Huang (5.3), with whole determinants of the marginals */
} tlv_tree_metric;

typedef struct tlv_tree_distance_options
{
	size_t states; /* k of the hidden nodes: k - 1 correlations of categorical variables; of vectors
					* the dimension r of the hidden nodes, and 1 for single numbers */
	tlv_tree_metric metric;
	double shrinkage;	   /* of the marginals in the whitening, lambda / d; 0: none */
	size_t groups;		   /* of dense moments: number of variables, 0: every column is one */
	const int64_t *column; /* groups > 0: variable (from 0) of every column */
	size_t columns;		   /* groups > 0: length of column */
} tlv_tree_distance_options;

/* Rows that two variables must share for anything to be said about them. */
#define TREE_LEAST_ROWS 4

/* No correlation is taken for larger. */
#define TREE_MOST_GAUSSIAN (1 - 1e-9)
#define TREE_MOST_CATEGORY (1 - 1e-6)

/*
 * Distances of p variables that are all 0; arrays from the arena.  Errors: TLV_BAD_PARAMETER for a
 * shrinkage out of range, TLV_BAD_DATA for fewer than 2 variables or TREE_LEAST_ROWS rows, memory.
 */
extern tlv_status tlv_tree_distances_create(tlv_context *ctx, size_t p, double rows,
											const tlv_tree_distance_options *options,
											tlv_tree_distances *distances);

/*
 * Distance, error and p-value of one pair from its r canonical correlations s (changed), r = 0
 * where none is known, of `rows` rows; `wanted` are expected of variables that are large enough.
 */
extern void tlv_tree_distance_set(tlv_tree_distances *distances, size_t a, size_t b, size_t r,
								  double *s, size_t wanted, bool gaussian, double rows,
								  double p_value);
extern void tlv_tree_distances_free(tlv_context *ctx, tlv_tree_distances *distances);

/* ---- structure ---- */

/* Most nodes of a tree; one of TLV_CATEGORY_MOST_VARIABLES leaves has fewer than twice as many. */
#define TLV_TREE_MOST_NODES (1 << 20)

typedef struct tlv_tree
{
	size_t p;		 /* observed nodes */
	size_t nodes;	 /* all nodes */
	size_t edges;	 /* nodes less the number of components */
	int32_t *ends;	 /* 2 x edges: ends[2 e], ends[2 e + 1] */
	double *length;	 /* edges, >= 0 */
	double *error;	 /* edges: standard error of the length, NaN where not known */
	double *support; /* edges: share of the bootstrap's trees with this split, NaN without bootstrap
					  * and for edges to leaves */
} tlv_tree;

typedef enum tlv_tree_method
{
	TLV_TREE_CLNJ,
	TLV_TREE_CLRG,
	TLV_TREE_NJ,
	TLV_TREE_CHOW_LIU,
	TLV_TREE_FACTORS /* of numbers: one hidden node of several dimensions above all variables; by
					  * tlv_tree_learn only */
} tlv_tree_method;

typedef struct tlv_tree_options
{
	tlv_tree_method method;
	double
		z; /* edges between hidden nodes shorter than z standard errors are contracted; 0: none */
	/* Variables whose dependence on all others is not significant at this level, after
	 * Bonferroni's correction, are apart; 0: never. */
	double significance;
	bool observed_inside; /* an observed variable may be an inner node: an edge to a leaf shorter
						   * than z standard errors is contracted */
} tlv_tree_options;

/* Learns the structure; arrays from the arena.  Errors: TLV_BAD_DATA for fewer than 3 variables
 * (chow-liu: 2), memory, TLV_CANCELLED. */
extern tlv_status tlv_tree_structure(tlv_context *ctx, const tlv_tree_distances *distances,
									 const tlv_tree_options *options, tlv_tree *tree);
/* A tree without edges' lengths and ends; errors: TLV_LIMIT for too many nodes, memory. */
extern tlv_status tlv_tree_create(tlv_context *ctx, size_t p, size_t nodes, size_t edges,
								  tlv_tree *tree);
extern void tlv_tree_free(tlv_context *ctx, tlv_tree *tree);

/* Neighbours as compressed rows: those of node v are neighbour[start[v]] .. [start[v+1]-1], edge[]
 * the edges' numbers beside them. */
typedef struct tlv_tree_neighbours
{
	size_t *start;		/* nodes + 1 */
	int32_t *neighbour; /* 2 x edges */
	int32_t *edge;		/* 2 x edges */
} tlv_tree_neighbours;
extern tlv_status tlv_tree_neighbours_create(tlv_context *ctx, const tlv_tree *tree,
											 tlv_tree_neighbours *neighbours);
extern void tlv_tree_neighbours_free(tlv_context *ctx, tlv_tree_neighbours *neighbours);

/* Every component rooted at its hidden node of most neighbours (an observed one where there is
 * none): parent (-1: a root) and edge to it (-1) of every node, and an order, parents first. */
typedef struct tlv_tree_rooting
{
	int32_t *parent; /* nodes */
	int32_t *edge;	 /* nodes */
	int32_t *order;	 /* nodes */
	size_t components;
} tlv_tree_rooting;
extern tlv_status tlv_tree_root(tlv_context *ctx, const tlv_tree *tree, tlv_tree_rooting *rooting);
extern void tlv_tree_rooting_free(tlv_context *ctx, tlv_tree_rooting *rooting);

/* Breadth first from root: parents and edges of its component, which is appended to the order from
 * *at on. */
extern void tlv_tree_hang(const tlv_tree_neighbours *neighbours, tlv_tree_rooting *rooting,
						  int32_t root, size_t *at);

/*
 * Robinson-Foulds: splits of the observed nodes (of at least two on both sides) in one tree but not
 * in the other, and the number of splits of both together.  In forests an edge splits its
 * component. TLV_BAD_PARAMETER for different p.
 */
extern tlv_status tlv_tree_robinson_foulds(tlv_context *ctx, const tlv_tree *a, const tlv_tree *b,
										   size_t *different, size_t *total);

/* Adds to sums (3 x edges), for every edge of tree whose split, of at least one observed node on
 * both sides, is one of replicate's, too: 1, how much longer the edge is there, and its square. */
extern tlv_status tlv_tree_add_lengths(tlv_context *ctx, const tlv_tree *tree,
									   const tlv_tree *replicate, double *sums);

/* A random tree of p >= 3 leaves; contractions: how many edges between hidden nodes are contracted
 * after the random insertion of leaves (fewer when there are no more).  Lengths are - log of
 * numbers uniform from .6 to .9. */
extern tlv_status tlv_tree_random(tlv_context *ctx, size_t p, size_t contractions, uint64_t seed,
								  tlv_tree *tree);

#endif /* TENSORLV_TREE_STRUCTURE_H */
