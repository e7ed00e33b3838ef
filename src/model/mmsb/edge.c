/*
 * edge.c - what a mixed membership block model says of one pair of nodes (mmsb.h).
 */
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/sort.h"

#include <math.h>

size_t
tlv_mmsb_find_node(const tlv_mmsb_parts *parts, size_t side, int64_t node)
{
	return tlv_find_id(parts->side[side].nodes, parts->side[side].n, node);
}

double
tlv_mmsb_edge_probability(const tlv_mmsb_parts *parts, int64_t source, int64_t target)
{
	size_t to = parts->sides - 1, u = tlv_mmsb_find_node(parts, 0, source),
		   v = tlv_mmsb_find_node(parts, to, target);
	const tlv_memberships *a = &parts->side[0].memberships, *b = &parts->side[to].memberships;
	double rate = 0, sums[2] = {0, 0};

	if (u == parts->side[0].n || v == parts->side[to].n || a->start[u] == a->start[u + 1] ||
		b->start[v] == b->start[v + 1])
		return NAN;
	for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
		for (size_t j = b->start[v]; j < b->start[v + 1]; j++)
			rate += (double) a->share[i] * b->share[j] *
					parts->connectivity[a->community[i] + parts->k * b->community[j]];
	for (size_t i = a->start[u]; i < a->start[u + 1]; i++)
		sums[0] += a->share[i];
	for (size_t j = b->start[v]; j < b->start[v + 1]; j++)
		sums[1] += b->share[j];
	rate /= sums[0] * sums[1];
	if (parts->degree_corrected)
		rate *= parts->side[0].propensity[u] * parts->side[to].propensity[v];
	return parts->poisson ? -expm1(-rate) : fmin(rate, 1);
}
