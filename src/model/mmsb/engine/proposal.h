/*
 * proposal.h - the partition that is looked at on the way to a proposal of communities, and the
 * best one so far (proposal.c); propose.c says at which resolutions they are looked for.
 */
#ifndef TENSORLV_MMSB_PROPOSAL_H
#define TENSORLV_MMSB_PROPOSAL_H

#include "../internal.h"
#include "levels.h"

typedef struct proposal
{
	tlv_mmsb_fit_state *fit;
	size_t n; /* nodes of both sides */
	tlv_csr edges;
	double *mass[2][2]; /* by model, side */
	int32_t *label;		/* n, the partition looked at */
	int32_t *best;		/* n, the best one */
	size_t found, k;	/* their communities */
	bool corrected;
	double resolution, value; /* of the best one */
	double evidence[2];		  /* plain and corrected, of the last one compared */
	double one[2];			  /* of all nodes in one */
	uint64_t start;			  /* the number of the random order that nodes move in */
	bool weak; /* its best communities are hardly likelier than one: search with care */
} proposal;

/* Makes a graph of both sides, and weighs all nodes in one community.  Errors: memory,
 * TLV_CANCELLED. */
extern tlv_status tlv_proposal_open(tlv_context *ctx, tlv_mmsb_fit_state *fit, proposal *work);
extern void tlv_proposal_close(tlv_context *ctx, proposal *work);

/* The partition looked at, as the proposal of the fit. */
extern tlv_status tlv_proposal_keep(tlv_context *ctx, const proposal *work);

/* The labels of each side; NULL: there is no second one. */
extern void tlv_proposal_sides(const proposal *work, int32_t *label, int32_t *sides[2]);

/* Communities at most: never more than the smaller side has nodes. */
extern size_t tlv_proposal_most(const tlv_mmsb_fit_state *fit);

/* Whether a model, plain or degree-corrected, may be chosen. */
extern bool tlv_proposal_may_be(const tlv_mmsb_fit_state *fit, int corrected);

/* ---- from partition to partition ---- */

/* Every node is a community. */
extern void tlv_proposal_separate(proposal *work);

/* The partition looked at, merged to so many communities. */
extern tlv_status tlv_proposal_merge(tlv_context *ctx, proposal *work, bool corrected, size_t most);

/* From the partition looked at to one at the resolution, of at most so many communities. */
extern tlv_status tlv_proposal_search(tlv_context *ctx, proposal *work, bool corrected,
									  double resolution, size_t most, int rounds);

/* ---- what a partition is worth ---- */

/* The partition looked at is the best one, of this likelihood at this resolution. */
extern void tlv_proposal_take(proposal *work, double value, double resolution);

/* Takes the partition looked at for the best one, where it is that. */
extern tlv_status tlv_proposal_compare(tlv_context *ctx, proposal *work, double resolution,
									   bool *better);

/* The best partition is looked at again. */
extern void tlv_proposal_return_to_best(proposal *work);

/* Edge ends inside the communities looked at, and those expected there. */
extern tlv_status tlv_proposal_count_inside(tlv_context *ctx, const proposal *work, bool corrected,
											double *inside, double *expected);

#endif /* TENSORLV_MMSB_PROPOSAL_H */
