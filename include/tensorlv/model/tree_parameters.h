/*
 * tree_parameters.h - the stored form of a tree with parameters, and those of trees of categories:
 * conditional tables by one triplet decomposition for every hidden node, linear solves and
 * belief-propagation EM (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014; Huang et al. 2020).
 *
 * Nodes 0 .. p-1 are the observed variables, p .. nodes-1 hidden, as in tree_structure.h.  The
 * model's frame (kind tree): scalars "gaussian" (0 or 1), "observed" (p), "rows", "steps" (of EM),
 * "seed", "regularise" (0 or 1: weak hidden nodes are to go once there are parameters); for all
 * nodes "parent" (int64, -1: a root), "length", "error" and "support" of the edge to the parent
 * (-1: not known; 0, -1, -1 of a root), "states" (int64: of a categorical node their number, of a
 * Gaussian one its dimension); "names" (bytes: the variables' names, each ended by '\n'; missing
 * when they have none); "category_offsets" and "category_names" (names.h: of the states of the
 * observed variables, variable after variable; missing where they have none); "ranged", "lower" and
 * "centres" (model.h: tlv_code_ranges; missing where no variable is a number); "tables", below;
 * diagnostics.
 *
 * Categorical: "tables" has for every node in the order of nodes, of a root its distribution
 * (states), of another P(node = y | parent = x) at [x * states[node] + y]; rows sum to 1.  As
 * long as these are not known (a tree from tables of pairs only) there are instead "triples"
 * (3 x hidden nodes, int64: three observed nodes in three directions from the node, -1 where
 * there are no three) and "pairs": the tables of pairs that the other parameters need, so that
 * one pass for the tables of triples completes the model.  In the order of nodes: of an observed
 * root the counts of its states, of a hidden one nothing, of every other node, for every
 * observed node a that stands for it and for every c that stands for its parent, counts at
 * [x_a * states[c] + x_c].  An observed node stands for itself, a hidden one is stood for by those
 * of its triple that are in another direction than the edge, in their order.
 *
 * Gaussian: "column" (int64, columns: the variable of every column), "means" (columns); hidden
 * nodes have mean 0 and covariance I; "tables": of every node but the roots its regression on the
 * parent, dimension x parent's dimension, column by column; "noise": of every node the
 * covariance of what its parent leaves (of a root its own), dimension x dimension.  The columns of
 * a variable are in the order of columns.
 *
 * This is the header of the room tree/parameters.  The tables of pairs and triples that parameters
 * are estimated from are in categories.h, the structure is in tree_structure.h, and parameters of
 * trees of numbers, but for their stored form, are in tree_gaussian.h.
 */
#ifndef TENSORLV_TREE_PARAMETERS_H
#define TENSORLV_TREE_PARAMETERS_H

#include "tensorlv/model/categories.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/model/tree_shape.h"
#include "tensorlv/num/decompose.h"

/* Added to every expected count by a step of EM. */
#define TLV_TREE_PRIOR 0.1
/* Steps of EM on the covariance, unless said otherwise: they need no pass over the data. */
#define TLV_TREE_GAUSSIAN_STEPS 50
/* Most numbers of all tables together. */
#define TLV_TREE_MOST_ENTRIES ((size_t) 1 << 26)

/* ---- fitting ---- */

typedef struct tlv_tree_fit_options
{
	size_t states;	 /* of every hidden node; 0: chosen for each by singular values (Gaussian: the
					  * dimension, 0: 1) */
	bool regularise; /* categories: hidden nodes that the Bayesian information criterion does not
					  * support are merged into their parents */
	int iterations;	 /* Gaussian: most steps of EM on the covariance, 0: none */
	const struct tlv_factors *factors; /* Gaussian: begin with these (tree_gaussian.h), of a tree
										* that tlv_tree_factors made; NULL: by triples */
	size_t groups;					   /* Gaussian: number of variables, 0: every column is one */
	const int64_t *column;			   /* groups > 0: variable (from 0) of every column */
	const char *names;				   /* the variables' names, each ended by '\n'; NULL: none */
	size_t names_length;
	/* What the categories of the variables are called, variable after variable; NULL: nothing. */
	const struct tlv_names *categories;
	uint64_t seed;
	tlv_decompose_options decompose;
} tlv_tree_fit_options;

/* What messages call variable j, from 0: its name in quotes, or its number from 1 where it has
 * none; returns shown. */
extern const char *tlv_tree_show_variable(const tlv_tree_fit_options *options, size_t j,
										  char shown[TLV_SHOWN_NAME]);

/* tlv_tree_fit (tree.h) of category_moments. */
extern tlv_status tlv_tree_fit_categories(tlv_context *ctx, const tlv_frame *moments,
										  const tlv_tree *tree, const tlv_tree_fit_options *options,
										  void **image, size_t *size);

/* tlv_tree_distances_compute (tree_learn.h) of opened tables: also of a replicate of the bootstrap.
 */
extern tlv_status tlv_tree_distances_of_tables(tlv_context *ctx, const tlv_category_tables *tables,
											   const tlv_tree_distance_options *options,
											   tlv_tree_distances *distances);

/* ---- the parts of a model ---- */

typedef struct tlv_tree_parts
{
	size_t p;
	size_t nodes;
	bool gaussian;
	bool regularise;
	double rows;
	double steps;
	double seed;
	const int64_t *parent; /* nodes */
	const double *length;  /* nodes */
	const double *error;   /* nodes, -1: not known */
	const double *support; /* nodes, -1: not known */
	const int64_t *states; /* nodes */
	const char *names;	   /* NULL: none */
	size_t names_length;
	const int64_t *category_offsets; /* NULL: categories have no names */
	size_t category_ends;			 /* of the offsets: one more than there are categories */
	const char *category_names;
	size_t category_bytes;
	tlv_code_ranges ranges; /* of those variables that are numbers */
	size_t variables;		/* of ranges.ranged: p where there are ranges */
	size_t range_ends;		/* numbers of ranges.lower, and of centres: categories */
	const double *tables;	/* NULL: not known yet */
	size_t entries;			/* of tables */
	const int64_t *triples; /* without tables: 3 x (nodes - p) */
	const double *pairs;	/* without tables */
	size_t pair_entries;
	size_t columns;		   /* Gaussian, as are the following */
	const int64_t *column; /* columns */
	const double *means;   /* columns */
	const double *noise;   /* entries of "noise" */
	size_t noise_entries;
	tlv_diagnostics *diagnostics; /* for writing */
} tlv_tree_parts;

/* What messages call a hidden node, by the variables below it: "variables "a", "b" and 2 more", in
 * the list's own text. */
extern const char *tlv_tree_show_below(const tlv_tree_parts *parts, size_t node,
									   tlv_shown_list *list);

/* Writes a model; probabilities are raised to TLV_LEAST_PROBABILITY and normalised. */
extern tlv_status tlv_tree_write(tlv_context *ctx, const tlv_tree_parts *parts, void **image,
								 size_t *size);

/* The parts of a stored model; they point into it. */
extern void tlv_tree_read(const tlv_frame *frame, tlv_tree_parts *parts);

/* What the states of the observed variables are called (model.h). */
extern tlv_code_names tlv_tree_category_names(const tlv_tree_parts *parts);

/* Where the tables of every node begin in parts->tables: offset (nodes + 1). */
extern void tlv_tree_table_offsets(const tlv_tree_parts *parts, size_t *offset);

/* The structure of a model as a tree of its own; errors and support NaN where not known. */
extern tlv_status tlv_tree_of_model(tlv_context *ctx, const tlv_tree_parts *parts, tlv_tree *tree);

/* The sections of a stored tree (sections.h). */
extern const tlv_sections tlv_tree_sections;

#endif /* TENSORLV_TREE_PARAMETERS_H */
