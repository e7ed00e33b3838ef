/*
 * memberships.c - sparse memberships and the edges between communities
 * (memberships.h).
 */
#include "memberships.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

tlv_status
tlv_memberships_begin(tlv_context *ctx, size_t n, tlv_membership_builder *builder)
{
	/* Entries per node that room is made for at first. */
	const int first_entries = 2;
	tlv_memberships *memberships = &builder->memberships;

	memset(builder, 0, sizeof(*builder));
	builder->room = first_entries * n + 16;
	builder->least = TLV_LEAST_SHARE;
	TLV_TRY_NEW(ctx, memberships->start, n + 1);
	TLV_TRY_NEW(ctx, memberships->community, builder->room);
	TLV_TRY_NEW(ctx, memberships->share, builder->room);
	memberships->start[0] = 0;
	return TLV_OK;
}

static tlv_status
mixed_reserve(tlv_context *ctx, tlv_membership_builder *builder, size_t more)
{
	size_t used = builder->memberships.start[builder->memberships.n];
	size_t room = builder->room;
	void *grown;

	if (room - used >= more)
		return TLV_OK;
	room = room + room / 2 + more;
	grown = tlv_realloc(ctx, builder->memberships.community, room, sizeof(uint16_t));
	TLV_TRY_ALLOC(ctx, grown);
	builder->memberships.community = grown;
	grown = tlv_realloc(ctx, builder->memberships.share, room, sizeof(float));
	TLV_TRY_ALLOC(ctx, grown);
	builder->memberships.share = grown;
	builder->room = room;
	return TLV_OK;
}

static size_t
largest_share(size_t k, const double *share)
{
	size_t best = 0;

	for (size_t j = 1; j < k; j++)
		best = share[j] > share[best] ? j : best;
	return best;
}

tlv_status
tlv_memberships_append(tlv_context *ctx, tlv_membership_builder *builder, size_t k,
					   const double *share)
{
	tlv_memberships *memberships = &builder->memberships;
	size_t first = memberships->start[memberships->n], at = first;
	double sum = 0;

	TLV_TRY(mixed_reserve(ctx, builder, k));
	tlv_assert(k <= UINT16_MAX);
	for (size_t j = 0; share != NULL && j < k; j++)
		if (share[j] >= builder->least)
		{
			memberships->community[at++] = (uint16_t) j;
			sum += share[j];
		}
	if (share != NULL && at == first)
	{
		memberships->community[at++] = (uint16_t) largest_share(k, share);
		sum = share[memberships->community[first]];
	}
	tlv_assert(share == NULL || sum > 0);
	for (size_t i = first; i < at; i++)
		memberships->share[i] = (float) (share[memberships->community[i]] / sum);
	memberships->start[++memberships->n] = at;
	return TLV_OK;
}

tlv_status
tlv_memberships_append_some(tlv_context *ctx, tlv_membership_builder *builder, size_t n,
							const uint16_t *community, const double *share)
{
	tlv_memberships *memberships = &builder->memberships;
	size_t at = memberships->start[memberships->n];
	double sum = 0;

	TLV_TRY(mixed_reserve(ctx, builder, n));
	for (size_t i = 0; i < n; i++)
		sum += share[i];
	for (size_t i = 0; i < n; i++)
	{
		float x = (float) (share[i] / sum);

		if (!((double) x > builder->least))
			continue;
		memberships->community[at] = community[i];
		memberships->share[at++] = x;
	}
	memberships->start[++memberships->n] = at;
	return TLV_OK;
}

tlv_status
tlv_memberships_repeat(tlv_context *ctx, tlv_membership_builder *builder, size_t u)
{
	tlv_memberships *memberships = &builder->memberships;
	size_t from = memberships->start[u], n = memberships->start[u + 1] - from;
	size_t at = memberships->start[memberships->n];

	TLV_TRY(mixed_reserve(ctx, builder, n));
	memcpy(memberships->community + at, memberships->community + from, n * sizeof(uint16_t));
	memcpy(memberships->share + at, memberships->share + from, n * sizeof(float));
	memberships->start[++memberships->n] = at + n;
	return TLV_OK;
}

void
tlv_memberships_free(tlv_context *ctx, tlv_memberships *memberships)
{
	tlv_free(ctx, memberships->start);
	tlv_free(ctx, memberships->community);
	tlv_free(ctx, memberships->share);
	memset(memberships, 0, sizeof(*memberships));
}

tlv_status
tlv_memberships_from_labels(tlv_context *ctx, size_t n, const int32_t *label,
							tlv_memberships *memberships)
{
	size_t at = 0;

	memberships->n = n;
	TLV_TRY_NEW(ctx, memberships->start, n + 1);
	TLV_TRY_NEW(ctx, memberships->community, n);
	TLV_TRY_NEW(ctx, memberships->share, n);
	for (size_t u = 0; u < n; u++)
	{
		memberships->start[u] = at;
		if (label[u] < 0)
			continue;
		memberships->community[at] = (uint16_t) label[u];
		memberships->share[at++] = 1;
	}
	memberships->start[n] = at;
	return TLV_OK;
}

void
tlv_memberships_sums(const tlv_memberships *memberships, size_t k, const double *weight,
					 double *sums)
{
	memset(sums, 0, k * sizeof(double));
	for (size_t u = 0; u < memberships->n; u++)
		for (size_t i = memberships->start[u]; i < memberships->start[u + 1]; i++)
			sums[memberships->community[i]] +=
				(weight == NULL ? 1 : weight[u]) * memberships->share[i];
}

/* One node's communities ascend below k, and its shares, if any, sum to 1. */
static tlv_status
check_node(tlv_context *ctx, size_t k, size_t n, const uint16_t *community, const float *share,
		   size_t node)
{
	/* How far the shares of a node, single precision, may sum from 1. */
	const double share_tolerance = 1e-3;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		if (community[i] >= k || (i > 0 && community[i] <= community[i - 1]))
			return tlv_fail(ctx, TLV_CORRUPT, "the communities of node %zu are not ascending",
							node + 1);
		if (!(share[i] > 0 && share[i] <= 2))
			return tlv_fail(ctx, TLV_CORRUPT, "a share of node %zu is %g", node + 1,
							(double) share[i]);
		sum += share[i];
	}
	if (n > 0 && !(fabs(sum - 1) <= share_tolerance))
		return tlv_fail(ctx, TLV_CORRUPT, "the shares of node %zu sum to %g", node + 1, sum);
	return TLV_OK;
}

tlv_status
tlv_memberships_check(tlv_context *ctx, size_t k, size_t n, const uint16_t *support,
					  const uint16_t *community, const float *share)
{
	/* Nodes between two looks at tlv_should_stop(): milliseconds, whatever their communities. */
	const int chunk_nodes = 64;
	size_t at = 0;

	for (size_t u = 0; u < n; at += support[u], u++)
	{
		if (u % chunk_nodes == 0)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(check_node(ctx, k, support[u], community + at, share + at, u));
	}
	return TLV_OK;
}

/* Words of a set of k communities. */
static size_t
set_words(size_t k)
{
	return (k + 63) / 64;
}

/*
 * One node's n memberships by rank: shares laid out in order of the ranks, of which the set says
 * what there is; both are left empty.
 */
static void
reorder_node(size_t k, const uint16_t *rank, size_t n, uint16_t *community, float *share,
			 uint64_t *set, float *laid_out)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint16_t to = rank[community[i]];

		laid_out[to] = share[i];
		set[to / 64] |= (uint64_t) 1 << to % 64;
	}
	for (size_t w = 0; w < set_words(k); w++)
		for (; set[w] != 0; set[w] &= set[w] - 1)
		{
			size_t c = 64 * w + (size_t) __builtin_ctzll(set[w]);

			community[at] = (uint16_t) c;
			share[at++] = laid_out[c];
		}
	tlv_assert(at == n);
}

tlv_status
tlv_memberships_reorder(tlv_context *ctx, size_t k, const int64_t *order,
						tlv_memberships *memberships)
{
	uint16_t *rank = tlv_alloc(ctx, k, sizeof(uint16_t));
	uint64_t *set = tlv_alloc0(ctx, set_words(k), sizeof(uint64_t));
	float *laid_out = tlv_alloc(ctx, k, sizeof(float));

	TLV_TRY_ALLOC(ctx, rank);
	TLV_TRY_ALLOC(ctx, set);
	TLV_TRY_ALLOC(ctx, laid_out);
	for (size_t i = 0; i < k; i++)
		rank[order[i]] = (uint16_t) i;
	for (size_t u = 0; u < memberships->n; u++)
	{
		size_t first = memberships->start[u];

		TLV_TRY_CONTINUE(ctx);
		reorder_node(k, rank, memberships->start[u + 1] - first, memberships->community + first,
					 memberships->share + first, set, laid_out);
	}
	tlv_free(ctx, laid_out);
	tlv_free(ctx, set);
	tlv_free(ctx, rank);
	return TLV_OK;
}

double
tlv_modularity(size_t k, const double *edges, double *conductance)
{
	double total = 0, modularity = 0;

	for (size_t i = 0; i < k * k; i++)
		total += edges[i];
	for (size_t c = 0; c < k; c++)
	{
		double out = 0, in = 0, own = edges[c + k * c], ends, smaller;

		for (size_t b = 0; b < k; b++)
		{
			out += edges[c + k * b];
			in += edges[b + k * c];
		}
		ends = (out + in) / 2;
		smaller = ends < total - ends ? ends : total - ends;
		conductance[c] = smaller > 0 ? (ends - own) / smaller : NAN;
		modularity += own / total - out * in / (total * total);
	}
	return modularity;
}

double
tlv_bridgeness(size_t k, size_t n, const float *share)
{
	double sum = 0, squares = 0, part = 1 / (double) k;

	if (k < 2 || n == 0)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += share[i];
	for (size_t i = 0; i < n; i++)
		squares += (share[i] / sum - part) * (share[i] / sum - part);
	squares += (double) (k - n) * part * part;
	return fmax(0, 1 - sqrt((double) k / (double) (k - 1) * squares));
}
