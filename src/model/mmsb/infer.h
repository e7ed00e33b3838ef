/*
 * infer.h - what a mixed membership block model can do once it is open
 * (infer.c).
 */
#ifndef TENSORLV_MMSB_INFER_H
#define TENSORLV_MMSB_INFER_H

#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/dictionary.h"

extern tlv_status tlv_mmsb_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model);

/*
 * Memberships of a new node on the source side, k numbers summing to 1, from the weights of
 * its edges to known nodes of the target side; unknown ones are left out.  Without any known
 * neighbour alpha over its sum (alpha0 = 0: the shares of the communities).
 * Error: TLV_BAD_DATA for a weight above 1e100.
 */
extern tlv_status tlv_mmsb_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row,
								 tlv_posterior *posterior);

/*
 * Log-likelihood of a new node's edges to known nodes, nats: given its inferred memberships, or,
 * alpha0 = 0, over all communities.  Poisson (for a Bernoulli model its approximation for sparse
 * graphs); degree-corrected: multinomial, given the sum of the weights.
 */
extern tlv_status tlv_mmsb_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row,
										  double *value);

/* What a row of neighbours says of its node. */
typedef struct tlv_node_row
{
	bool member;   /* it has communities */
	double degree; /* without self-loops, in units of the model */
	double self_loops,
		strangers;		   /* weights: those, and of neighbours that the model does not know */
	double log_likelihood; /* of the known neighbours, but for what no model changes */
	const double *counts; /* k: neighbours by community, whose edges have not been added; or NULL */
} tlv_node_row;

/*
 * The shares (k) of a row's node: of a node of the model after one step from those that it has, of
 * a new one as tlv_mmsb_infer has them; as they are where no neighbour says anything.  Of mixed
 * memberships the node's edges by pairs of communities are added to edges[a + k b].  Undirected
 * models.  Errors: TLV_BAD_DATA for a weight above 1e100, memory, TLV_CANCELLED.
 */
extern tlv_status tlv_mmsb_infer_node(tlv_context *ctx, tlv_model *model, const tlv_neighbours *row,
									  double *share, double *edges, tlv_node_row *node);

/* The parts of a model that is open, and where its nodes of the target side are found. */
extern const tlv_mmsb_parts *tlv_mmsb_opened(const tlv_model *model,
											 const tlv_dictionary **dictionary);

#endif /* TENSORLV_MMSB_INFER_H */
