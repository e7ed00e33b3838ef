/*
 * block_model.h - mean-field inference in the Poisson block model, plain or
 * degree-corrected (Karrer, Newman 2011), from a given partition.
 *
 * g_uv ~ Poisson(M theta_u theta_v r_{z_u z_v}), theta = degree / M when
 * degree-corrected and 1/n otherwise, M the sum of all weights.  The rate
 * ratios r are given gamma priors fitted to them (empirical Bayes), apart for
 * the diagonal and the rest; the communities' prior is uniform, so that small
 * ones are not swallowed.
 */
#ifndef TENSORLV_BLOCK_MODEL_H
#define TENSORLV_BLOCK_MODEL_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/sparse.h"

typedef struct tlv_block_side
{
	size_t n;
	const tlv_csr *edges;	  /* n x nodes of the other side (of one side: its own) */
	const double *propensity; /* theta, sum 1 */
	const int32_t *fixed;	  /* known labels, -1 elsewhere; NULL: none */
	int32_t *label;			  /* the partition: in and out */
} tlv_block_side;

typedef struct tlv_block_model
{
	size_t k;
	size_t sides;  /* 1: undirected; 2: rows and columns of one matrix */
	double total;  /* M */
	bool diagonal; /* one common rate between different communities; else all k x k are free */
	tlv_block_side side[2];
} tlv_block_model;

/* What a partition's likelihood depends on, whatever the rows of the graph are. */
typedef struct tlv_block_sums
{
	size_t k;
	size_t sides;
	const double *edges;	/* k x k: E, source by target */
	const double *expected; /* k x k: X, at rate 1 */
} tlv_block_sums;

/*
 * Adds the weight of the edges that join community a of the rows with b of the columns: to
 * edges[a + k b], or, where those between communities are not wanted, to edges[a] for a = b.
 * Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_block_edges(tlv_context *ctx, const tlv_csr *rows, const int32_t *own,
								  const int32_t *other, size_t k, bool between, double *edges);

/* Posterior means of the rates and of their logarithms (k x k); diagonal: one common rate between
 * different communities. */
extern void tlv_block_rates(const tlv_block_sums *sums, bool diagonal, double *rate,
							double *log_rate);

/* Bytes of work space. */
extern double tlv_block_memory(const tlv_block_model *model);

/*
 * Mean-field steps from the partition until the memberships move by less than tolerance on average
 * (half L1), at most max_steps; the labels become those of the largest membership.
 */
extern tlv_status tlv_block_mean_field(tlv_context *ctx, const tlv_block_model *model,
									   int max_steps, double tolerance, int *steps);

#endif /* TENSORLV_BLOCK_MODEL_H */
