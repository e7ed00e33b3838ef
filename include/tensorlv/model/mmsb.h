/*
 * mmsb.h - mixed membership stochastic block models (Airoldi, Blei,
 * Fienberg, Xing 2008) and block models (alpha0 = 0) of graphs.
 *
 * Node u has memberships pi_u on the simplex of k communities, Dirichlet(alpha)
 * with sum alpha0; an edge u -> v has probability (Bernoulli) or mean (Poisson)
 * theta_u theta_v pi_u' P pi_v, theta = 1 unless degree-corrected.  A directed
 * or bipartite graph has two sides, source and target, with memberships of
 * their own, of a directed graph also the same; rows of P belong to the source's
 * community, columns to the target's.
 *
 * The room contains block models and mixed memberships of graphs in memory, the choice of
 * communities, degrees and sides, weights of edges, rows of neighbours, standard errors and
 * simulation.  Graphs as values are in graph.h, moments of their stars in star_moments.h, and
 * measures against known labels in evaluate.h.
 */
#ifndef TENSORLV_COMMUNITIES_H
#define TENSORLV_COMMUNITIES_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/decompose.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/graph.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"
#include "tensorlv/num/rng.h"

/* ---- memberships of many nodes, zeros left out ---- */

typedef struct tlv_memberships
{
	size_t n;			 /* nodes */
	size_t *start;		 /* n + 1 */
	uint16_t *community; /* 0 .. k - 1, ascending for a node; none for a node without edges */
	float *share;		 /* > 0, summing to 1 */
} tlv_memberships;

/* ---- the stored model ---- */

typedef struct tlv_mmsb_parts
{
	size_t k;
	size_t sides; /* 1; 2 for directed and bipartite graphs */
	bool tied;	  /* two sides: every node has the same memberships on both */
	tlv_graph_kind graph;
	bool poisson;
	bool degree_corrected;
	double alpha0;
	double seed;
	double unit;				/* Poisson: weights are counts of it */
	const double *alpha;		/* k x sides */
	const double *sizes;		/* k x sides: sums of memberships */
	const double *connectivity; /* k x k, P[a + k b] of source community a and target community b */
	struct
	{
		size_t n;
		const int64_t *nodes;	  /* ascending */
		const double *degree;	  /* n: sum of the weights of a node's edges on that side */
		const double *propensity; /* n: theta; NULL unless degree_corrected */
		tlv_name_list names;	  /* n: what nodes are called; empty: they are numbers */
		tlv_memberships memberships;
	} side[2];
	const tlv_diagnostics *diagnostics;
} tlv_mmsb_parts;

/*
 * The model as a frame.  Sections: scalars "alpha0", "graph" (tlv_graph_kind), "poisson",
 * "degree_corrected", "seed", "unit" (missing where it is 1), "tied" (missing where it is 0);
 * "alpha", "sizes" (k x sides), "connectivity" (k x k); for side s = 1 and 2: "nodes_s" (int64, n),
 * "degree_s" (n), "propensity_s" (n, degree-corrected only), and the memberships: "support_s"
 * (bytes, 2 n: uint16 number of communities of every node), "communities_s" (bytes, 2 each),
 * "shares_s" (bytes, float32 each); where nodes have names, "name_offsets_s" and "names_s"
 * (names.h); diagnostics.
 */
extern tlv_status tlv_mmsb_write(tlv_context *ctx, const tlv_mmsb_parts *parts, void **image,
								 size_t *size);

/* The parts of a valid model, pointing into the frame but for the memberships' start, which is
 * allocated. parts->diagnostics is NULL. */
extern tlv_status tlv_mmsb_read(tlv_context *ctx, const tlv_frame *frame, tlv_mmsb_parts *parts);

/* Place of a node among those of a side; n of the side where it is not known (model.c). */
extern size_t tlv_mmsb_find_node(const tlv_mmsb_parts *parts, size_t side, int64_t node);

/*
 * Probability of an edge from a node to another: theta_u theta_v pi_u' P pi_v, at most 1; of a
 * Poisson model that of at least one, 1 - exp(-mean).  Of undirected graphs the order does not
 * matter.  NaN where a node is not in the model or has no memberships (model.c).
 */
extern double tlv_mmsb_edge_probability(const tlv_mmsb_parts *parts, int64_t source,
										int64_t target);

/* ---- fit (fit.c) ---- */

typedef enum tlv_mmsb_refinement
{
	TLV_MMSB_REFINE_AUTO,	   /* likelihood for alpha0 = 0, variational otherwise */
	TLV_MMSB_REFINE_NONE,	   /* the moments' answer as it is */
	TLV_MMSB_REFINE_EM,		   /* mixed memberships */
	TLV_MMSB_REFINE_LIKELIHOOD /* block model: profile likelihood over reassignments */
} tlv_mmsb_refinement;

/* 'auto', 'none', 'em', 'likelihood', in the order of the enumeration; NULL ends them. */
extern const char *const tlv_mmsb_refinement_names[];

typedef enum tlv_edge_model
{
	TLV_EDGES_AUTO,		 /* Poisson for Poisson counts of a unit, else Bernoulli beside ranks */
	TLV_EDGES_BERNOULLI, /* an edge is there or not, whatever its weight */
	TLV_EDGES_POISSON	 /* weights are counts */
} tlv_edge_model;

/* 'auto', 'bernoulli', 'poisson'; NULL ends them. */
extern const char *const tlv_edge_model_names[];

/* Whether the nodes of a directed graph have one membership as sources and as targets. */
typedef enum tlv_side_choice
{
	TLV_SIDES_AUTO, /* of block models by likelihood; mixed memberships are of each side */
	TLV_SIDES_TIED,
	TLV_SIDES_SEPARATE
} tlv_side_choice;

/* 'auto', 'tied', 'separate'; NULL ends them. */
extern const char *const tlv_side_choice_names[];

/* Whether nodes have propensities of their own. */
typedef enum tlv_degree_correction
{
	TLV_DEGREES_PLAIN,
	TLV_DEGREES_CORRECTED,
	TLV_DEGREES_CHOSEN /* by likelihood */
} tlv_degree_correction;

typedef struct tlv_mmsb_options
{
	size_t k;	   /* communities; 0: chosen, at most max_k */
	size_t max_k;  /* 0: 1000 of a block model, 50 of mixed memberships */
	double alpha0; /* sum of the Dirichlet parameters; 0: one community a node */
	tlv_mmsb_refinement refine;
	tlv_edge_model edges;
	double unit; /* of the weights of Poisson edges; 0: 1 */
	tlv_degree_correction degree_corrected;
	tlv_side_choice sides; /* of a directed graph */
	bool directions; /* those of the spectrum are counted even where k does not depend on them */
	uint64_t seed;
	tlv_decompose_options decompose;
	/* nodes whose community is known, ascending ids; community 1 .. k is then the labels' c */
	size_t n_labels;
	const int64_t *label_nodes;
	const int32_t *label;	   /* 0 .. k - 1 */
	tlv_name_list label_names; /* of the nodes; empty: they are numbers */
	bool empty_labels;		   /* the query of the labels has returned no rows */
	double null_labels;		   /* rows of labels that were skipped, since a value is null */
	const char *null_columns;  /* of the rows, for a warning (source.h); NULL: not known */
} tlv_mmsb_options;

/*
 * Fits the model to a stored graph.  Communities are numbered by decreasing size, or as the labels
 * are.  Every graph with edges has a fit: where its moments do not tell k communities apart, other
 * starts do, and a warning says so.  Errors: TLV_BAD_PARAMETER, TLV_BAD_DATA (no edges, labels
 * without nodes), memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_fit(tlv_context *ctx, const tlv_frame *graph,
							   const tlv_mmsb_options *options, void **image, size_t *size);

/*
 * Known labels, from a bag (item: node, weight: label) or a bipartite graph of nodes and labels, to
 * the options; arrays from the arena.  Errors: TLV_BAD_PARAMETER for a label that is no
 * community's number, TLV_BAD_DATA for a node with two labels, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_labels_of_bag(tlv_context *ctx, const tlv_bag_image *bag,
										 tlv_mmsb_options *options);
extern tlv_status tlv_mmsb_labels_of_graph(tlv_context *ctx, const tlv_frame *graph,
										   tlv_mmsb_options *options);

/* ---- from edges to a model ---- */

typedef struct tlv_mmsb_learn_options
{
	tlv_mmsb_options fit; /* its labels are read from the rows */
	tlv_graph_kind graph;
	bool errors; /* support and standard errors of the communities are found, too */
} tlv_mmsb_learn_options;

/*
 * The procedure; its options are tlv_mmsb_learn_options.  Scans: the graph; where the source has
 * labels, rows (node, label), labels from 1 to k, these as a bipartite graph of nodes and labels.
 * Errors: those of tlv_mmsb_fit and tlv_mmsb_labels_of_graph.
 *
 * Rows are edges, or nodes with the bags of their neighbours: of an undirected graph each edge is
 * in the rows of both of its ends, with the same weight (TLV_BAD_DATA otherwise), and the model is
 * that of these edges as weighted rows.
 */
extern const tlv_procedure tlv_mmsb_procedure;

/*
 * b = 1 - sqrt(k/(k-1) sum_j (pi_j - 1/k)^2) of the n shares given (the others are 0): 0 for one
 * community, 1 for all alike (Huang 2016, section 3.4.2; Nepusz et al. 2008).  0 for k = 1.
 */
extern double tlv_bridgeness(size_t k, size_t n, const float *share);

/*
 * Tests of the graph of a day under a model, beside n graphs of days that were as they should be,
 * all of as long a time and of the model's kind (drift.c): "scores" of the edges between all
 * communities (chi squared), "score" of those of each, and "nodes", whether single nodes have
 * others of their edges than before (z).  A node counts as of its largest membership; edges with
 * nodes that the model does not know are left out.  The days need not be those of the fit, and
 * better are not.  The graphs have passed tlv_mmsb_require_graphs.  Errors: TLV_BAD_DATA where no
 * edge is between nodes of the model, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph,
								 size_t n, const tlv_frame *reference, tlv_drift *drift);

/* TLV_BAD_PARAMETER for n = 0 and for graphs of another kind than the model's, by their headers. */
extern tlv_status tlv_mmsb_require_graphs(tlv_context *ctx, const tlv_frame *model,
										  const tlv_frame_header *graph, size_t n,
										  const tlv_frame_header *const *reference);

/* ---- simulation (simulate.c) ---- */

typedef struct tlv_mmsb_simulation
{
	tlv_graph_kind graph;
	size_t nodes;
	size_t targets; /* bipartite: nodes of the other side */
	size_t k;
	double alpha0; /* 0: one community a node */
	double within; /* P on the diagonal and elsewhere; probabilities at propensity 1 */
	double between;
	double degree_exponent; /* NAN: all alike; else propensities are Pareto with this exponent of
							 * the density (> 2), cut at sqrt(nodes), with mean 1 */
	bool poisson;
	uint64_t seed;
} tlv_mmsb_simulation;

/* A true model: nodes 1 .. n (targets 1 .. n of their own), memberships Dirichlet(alpha0 / k). */
extern tlv_status tlv_mmsb_simulate_model(tlv_context *ctx, const tlv_mmsb_simulation *options,
										  void **image, size_t *size);

/*
 * Edges of a graph drawn from a model, any model, in time proportional to their number: for every
 * pair of communities a Poisson number of candidate pairs, thinned to the exact Bernoulli
 * probabilities (or kept with multiplicity for a Poisson model).  No self-loops.  put is called for
 * every distinct edge (undirected: once).
 */
typedef tlv_status (*tlv_put_edge)(tlv_context *ctx, void *argument, int64_t src, int64_t dst,
								   double weight);
extern tlv_status tlv_mmsb_simulate_edges(tlv_context *ctx, const tlv_mmsb_parts *model,
										  uint64_t seed, tlv_put_edge put, void *argument);

#endif /* TENSORLV_COMMUNITIES_H */
