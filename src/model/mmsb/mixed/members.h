/*
 * members.h - the members of every community, to be drawn by weight theta_v pi_vb in a few steps.
 */
#ifndef TENSORLV_MMSB_MEMBERS_H
#define TENSORLV_MMSB_MEMBERS_H

#include "tensorlv/model/mmsb.h"

typedef struct member_tables
{
	const tlv_memberships *memberships;
	const double *propensity; /* theta by node; NULL: 1 */
	size_t k;
	size_t *start;		/* k + 1 */
	int32_t *member;	/* positions of nodes, in order of node */
	double *cumulative; /* weights up to and with this member, within the community */
	int32_t *guide;		/* by share of the weight: the first member that can be meant */
	int32_t *heavy;		/* members by decreasing theta; the same array as member if all alike */
	size_t *passed;		/* k: members that are drawn no more, the first ones */
} member_tables;

/*
 * Tables of all communities; heavy: members by decreasing theta are wanted, too, where it differs.
 * On error what there is can be freed.  Errors: memory, TLV_CANCELLED.
 */
extern tlv_status tlv_members_create(tlv_context *ctx, const tlv_memberships *memberships,
									 const double *propensity, size_t k, bool heavy,
									 member_tables *tables);
extern void tlv_members_free(tlv_context *ctx, member_tables *tables);

/* Node u, each in its turn from the first on, is drawn no more. */
extern void tlv_pass_node(member_tables *tables, size_t u);

/* The weight of the members of b that can still be drawn. */
extern double tlv_weight_left(const member_tables *tables, size_t b);

/* One of them, by weight. */
extern size_t tlv_draw_member(const member_tables *tables, size_t b, tlv_rng *rng);

#endif /* TENSORLV_MMSB_MEMBERS_H */
