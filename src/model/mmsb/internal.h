/*
 * internal.h - a fit of communities to a graph, shared by the files that
 * do its parts (mmsb_*.c).
 */
#ifndef TENSORLV_MMSB_INTERNAL_H
#define TENSORLV_MMSB_INTERNAL_H

#include "block_model.h"
#include "memberships.h"
#include "mixed_membership.h"
#include "tensorlv/model/star_moments.h"
#include "tensorlv/model/mmsb.h"

/* One side of the graph; of an undirected graph the only one. */
typedef struct tlv_mmsb_side
{
	size_t all;			/* nodes, also those without edges on this side */
	const int64_t *ids; /* of all */
	size_t n;			/* nodes with edges; everything below is of these */
	int32_t *position;	/* n: among all; by decreasing number of edges */
	int32_t *place;		/* all: position among the n, or -1 */
	tlv_csr edges;		/* n x n of the other side */
	double *degree;		/* n: sums of weights */
	int32_t *fixed;		/* n: known communities, -1 elsewhere; NULL: none known */
	int32_t *label;		/* n: block model */
	float *share;		/* k x n: mixed memberships; NULL for a block model */
	double *propensity; /* n: mixed and degree-corrected; else NULL */
} tlv_mmsb_side;

/* What the moments of one side of the graph gave. */
typedef struct tlv_mmsb_moments
{
	tlv_star_moments stars;
	double *eigenvalues; /* k, of the whitened second moment */
	double *values;		 /* k, of the tensor; NULL of four parts */
	double residual;
	int iterations;
	int sweeps;
	bool converged;
	double *inverse; /* k x k: pseudo-inverse of the components, from scores to memberships */
	double *weights; /* k: alpha / alpha0 as the tensor has them, sum 1 */
} tlv_mmsb_moments;

typedef struct tlv_mmsb_fit_state
{
	const tlv_mmsb_options *options;
	tlv_graph_header header;
	size_t k;
	bool poisson;
	size_t sides;
	double total; /* sum of all degrees of side 0 */
	tlv_mmsb_side side[2];
	tlv_mmsb_moments moments[2];
	double *connectivity; /* k x k */
	tlv_diagnostics diagnostics;
} tlv_mmsb_fit_state;

static inline size_t
tlv_mmsb_other(const tlv_mmsb_fit_state *fit, size_t s)
{
	return fit->sides == 1 ? 0 : 1 - s;
}

/* graph.c: sides, edges and known labels from a loaded graph, whose rows are taken over. */
extern tlv_status tlv_mmsb_open_graph(tlv_context *ctx, tlv_graph *graph, tlv_mmsb_fit_state *fit);

/* rank.c: k from cross-validated eigenvalues; z (max_k of them) goes to the diagnostics. */
extern tlv_status tlv_mmsb_choose_k(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* moments.c */

/* Star moments and their decomposition, for every side. */
extern tlv_status tlv_mmsb_decompose(tlv_context *ctx, tlv_mmsb_fit_state *fit, bool normalized);

/*
 * Memberships of side s by least squares, before projection: k x n, in place of the scores; and
 * what one edge adds to those of its other end, k x n of the other side, in place of the basis.
 */
extern tlv_status tlv_mmsb_solve_scores(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t s);

/* Projects columns (k x n) on the simplex; those of a row normalised by its degree when given. */
extern void tlv_mmsb_project(size_t k, size_t n, const float *score, const double *degree,
							 double *work, float *share);

/* Number of work doubles of tlv_mmsb_project. */
static inline size_t
tlv_mmsb_project_work(size_t k)
{
	return 2 * k;
}

/* The nodes of a side as points: rows of directions, scaled and then normalised. */
typedef struct tlv_mmsb_points
{
	size_t n;
	const float *directions; /* k x n */
	const double *values;	 /* k: of the directions */
	bool root;				 /* scaled by the roots of values, not by their moduli */
} tlv_mmsb_points;

/* k-means of the points, best of `starts` but of fewer where that is much work; stream: the seed's.
 */
extern tlv_status tlv_mmsb_cluster(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
								   const tlv_mmsb_points *points, int starts, uint64_t stream,
								   int32_t *label);

/* four_parts.c: scores from the stars between four parts of the graph instead. */
extern tlv_status tlv_mmsb_decompose_parts(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* blocks.c: labels of a block model, from the best of several starts. */
extern tlv_status tlv_mmsb_fit_blocks(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/* mixed.c: shares and connectivity of a mixed membership model. */
extern tlv_status tlv_mmsb_fit_mixed(tlv_context *ctx, tlv_mmsb_fit_state *fit);

/*
 * write.c: the model's frame, communities in their order.  Adds diagnostics of them, and the
 * connectivity and propensities of a block model, which follow from its labels.
 */
extern tlv_status tlv_mmsb_write_fit(tlv_context *ctx, tlv_mmsb_fit_state *fit, void **image,
									 size_t *size);

/* labels.c */

/*
 * Assignments (new[a] of old a) that bring the labels of side 1 to meet those of side 0, by the
 * edges between them, and those of both sides to meet the known labels.
 */
extern tlv_status tlv_mmsb_align_sides(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									   int32_t *const label[2], int64_t *assignment);
extern tlv_status tlv_mmsb_align_known(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
									   int32_t *const label[2], int64_t *assignment);

/* label <- assignment[label] */
extern void tlv_mmsb_relabel(size_t n, const int64_t *assignment, int32_t *label);

/* Both alignments, where they apply, and known labels put in place. */
extern tlv_status tlv_mmsb_settle_labels(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
										 int32_t *const label[2]);

#endif /* TENSORLV_MMSB_INTERNAL_H */
