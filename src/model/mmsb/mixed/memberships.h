/*
 * memberships.h - memberships of many nodes, zeros left out: building them,
 * and what follows from them and a graph.
 */
#ifndef TENSORLV_MEMBERSHIPS_H
#define TENSORLV_MEMBERSHIPS_H

#include "tensorlv/model/mmsb.h"

/* Memberships that grow node by node. */
typedef struct tlv_membership_builder
{
	tlv_memberships memberships;
	size_t nodes, entries; /* room of the arrays of start, and of the others */
	double least;		   /* shares below this are left out, the others sum to 1 then */
} tlv_membership_builder;

/*
 * Room for n nodes and all their entries, which grows when there are more; a builder that is
 * all 0 may be appended to, too.  least is TLV_LEAST_SHARE, and may be set to more.
 */
extern tlv_status tlv_memberships_begin(tlv_context *ctx, size_t n, size_t entries,
										tlv_membership_builder *builder);
/* The next node's k shares, summing to 1; NULL for a node without edges.  The largest stays. */
extern tlv_status tlv_memberships_append(tlv_context *ctx, tlv_membership_builder *builder,
										 size_t k, const double *share);
/* The next node's n communities, in any order, and what they have of it; numbers in proportion. */
extern tlv_status tlv_memberships_append_some(tlv_context *ctx, tlv_membership_builder *builder,
											  size_t n, const uint16_t *community,
											  const double *share);
/* The next node's, which are those of node u of others, or of these. */
extern tlv_status tlv_memberships_copy(tlv_context *ctx, tlv_membership_builder *builder,
									   const tlv_memberships *from, size_t u);
extern void tlv_memberships_free(tlv_context *ctx, tlv_memberships *memberships);

/* Every node in the one community of its label; a negative label: none. */
extern tlv_status tlv_memberships_from_labels(tlv_context *ctx, size_t n, const int32_t *label,
											  tlv_memberships *memberships);

/* sizes[j] = sum over nodes of weight[u] (NULL: 1) times the share in j. */
extern void tlv_memberships_sums(const tlv_memberships *memberships, size_t k, const double *weight,
								 double *sums);

/* Requires of stored memberships, support[u] of node u, that the communities of every node ascend
 * below k and its shares, if any, sum to 1: TLV_CORRUPT. */
extern tlv_status tlv_memberships_check(tlv_context *ctx, size_t k, size_t n,
										const uint16_t *support, const uint16_t *community,
										const float *share);

/* Those of a valid value: sections of the numbers of communities of n nodes (support: bytes, two
 * each), of these, and of their shares.  They stay there but for start, which is allocated. */
extern tlv_status tlv_memberships_open(tlv_context *ctx, const tlv_frame *frame, size_t n,
									   const char *support, const char *communities,
									   const char *shares, tlv_memberships *memberships);

/*
 * Community a becomes to[a] < k, of several the sum, or goes where that is UINT16_MAX.  Those of a
 * node ascend then, and where one has gone the others sum to 1 again.  moved has memory of its own.
 */
extern tlv_status tlv_memberships_move(tlv_context *ctx, const tlv_memberships *from, size_t k,
									   const uint16_t *to, tlv_memberships *moved);

/* Renumbers the communities: the new i-th is the old order[i]-th.  Those of a node ascend then. */
extern tlv_status tlv_memberships_reorder(tlv_context *ctx, size_t k, const int64_t *order,
										  tlv_memberships *memberships);

/*
 * Modularity (Newman, Girvan 2004; of two sides: Barber 2007) sum_c [E_cc / W - K_c L_c / W^2], E
 * the community edges, K and L its row and column sums, W their total; conductance[c] = the part of
 * the weight at c's ends that leaves c, of the smaller of c and its complement (NaN where that has
 * none).
 */
extern double tlv_modularity(size_t k, const double *edges, double *conductance);

#endif /* TENSORLV_MEMBERSHIPS_H */
