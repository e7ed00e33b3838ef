/*
 * memberships.c - sparse memberships and the edges between communities
 * (memberships.h).
 */
#include "memberships.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"

/* Room for another node with its entries. */
static tlv_status
mixed_reserve(tlv_context *ctx, tlv_membership_builder *builder, size_t more)
{
	tlv_memberships *memberships = &builder->memberships;
	size_t needed;
	void *grown;

	if (memberships->n + 2 > builder->nodes)
	{
		builder->nodes = builder->nodes + builder->nodes / 2 + 64;
		grown = tlv_realloc(ctx, memberships->start, builder->nodes, sizeof(size_t));
		TLV_TRY_ALLOC(ctx, grown);
		memberships->start = grown;
		memberships->start[0] = 0;
	}
	needed = memberships->start[memberships->n] + more;
	if (needed <= builder->entries)
		return TLV_OK;
	builder->entries = builder->entries / 2 + needed;
	grown = tlv_realloc(ctx, memberships->community, builder->entries, sizeof(uint16_t));
	TLV_TRY_ALLOC(ctx, grown);
	memberships->community = grown;
	grown = tlv_realloc(ctx, memberships->share, builder->entries, sizeof(float));
	TLV_TRY_ALLOC(ctx, grown);
	memberships->share = grown;
	return TLV_OK;
}

tlv_status
tlv_memberships_begin(tlv_context *ctx, size_t n, size_t entries, tlv_membership_builder *builder)
{
	tlv_memberships *memberships = &builder->memberships;

	*builder =
		(tlv_membership_builder){.nodes = n + 1, .entries = entries, .least = TLV_LEAST_SHARE};
	TLV_TRY_NEW(ctx, memberships->start, n + 1);
	TLV_TRY_NEW(ctx, memberships->community, entries);
	TLV_TRY_NEW(ctx, memberships->share, entries);
	memberships->start[0] = 0;
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
	size_t first, at;
	double sum = 0;

	TLV_TRY(mixed_reserve(ctx, builder, k));
	first = at = memberships->start[memberships->n];
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
	size_t at;
	double sum = 0;

	TLV_TRY(mixed_reserve(ctx, builder, n));
	at = memberships->start[memberships->n];
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
tlv_memberships_copy(tlv_context *ctx, tlv_membership_builder *builder, const tlv_memberships *from,
					 size_t u)
{
	tlv_memberships *memberships = &builder->memberships;
	size_t first = from->start[u], n = from->start[u + 1] - first, at;

	TLV_TRY(mixed_reserve(ctx, builder, n));
	at = memberships->start[memberships->n];
	memcpy(memberships->community + at, from->community + first, n * sizeof(uint16_t));
	memcpy(memberships->share + at, from->share + first, n * sizeof(float));
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
	size_t at = 0;

	for (size_t u = 0; u < n; at += support[u], u++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		TLV_TRY(check_node(ctx, k, support[u], community + at, share + at, u));
	}
	return TLV_OK;
}

tlv_status
tlv_memberships_open(tlv_context *ctx, const tlv_frame *frame, size_t n, const char *support,
					 const char *communities, const char *shares, tlv_memberships *memberships)
{
	const uint16_t *own = tlv_frame_data(frame, support);

	*memberships = (tlv_memberships){.n = n,
									 .community = (uint16_t *) tlv_frame_data(frame, communities),
									 .share = (float *) tlv_frame_data(frame, shares)};
	TLV_TRY_NEW(ctx, memberships->start, n + 1);
	memberships->start[0] = 0;
	for (size_t u = 0; u < n; u++)
		memberships->start[u + 1] = memberships->start[u] + own[u];
	return TLV_OK;
}

/* Words of a set of k communities. */
static size_t
set_words(size_t k)
{
	return (k + 63) / 64;
}

/* Where the communities of a node are laid out in order: shares (k), and the set of those that
 * there are; both are empty between two nodes. */
typedef struct laid_out
{
	size_t k;
	uint64_t *set;
	float *share;
} laid_out;

/* The memberships of node u after a move; returns how many there are. */
static size_t
move_node(const tlv_memberships *from, size_t u, const uint16_t *to, const laid_out *work,
		  uint16_t *community, float *share)
{
	size_t at = 0, had = from->start[u + 1] - from->start[u];
	double sum = 0;

	for (size_t e = from->start[u]; e < from->start[u + 1]; e++)
	{
		uint16_t place = to[from->community[e]];

		if (place == UINT16_MAX)
			continue;
		sum += from->share[e];
		work->share[place] += from->share[e];
		work->set[place / 64] |= (uint64_t) 1 << place % 64;
	}
	for (size_t w = 0; w < set_words(work->k); w++)
		for (; work->set[w] != 0; work->set[w] &= work->set[w] - 1)
		{
			size_t c = 64 * w + (size_t) __builtin_ctzll(work->set[w]);

			community[at] = (uint16_t) c;
			share[at++] = work->share[c];
			work->share[c] = 0;
		}
	for (size_t i = 0; i < at && at < had; i++)
		share[i] = (float) (share[i] / sum);
	return at;
}

/* moved may be from where every community goes to another one. */
static tlv_status
mixed_move_nodes(tlv_context *ctx, const tlv_memberships *from, size_t k, const uint16_t *to,
				 tlv_memberships *moved)
{
	laid_out work = {.k = k};
	size_t at = 0;

	TLV_TRY_NEW0(ctx, work.set, set_words(k));
	TLV_TRY_NEW0(ctx, work.share, k);
	for (size_t u = 0; u < from->n; u++)
	{
		TLV_TRY_CONTINUE(ctx);
		moved->start[u] = at;
		at += move_node(from, u, to, &work, moved->community + at, moved->share + at);
	}
	moved->start[from->n] = at;
	tlv_free(ctx, work.set);
	tlv_free(ctx, work.share);
	return TLV_OK;
}

tlv_status
tlv_memberships_move(tlv_context *ctx, const tlv_memberships *from, size_t k, const uint16_t *to,
					 tlv_memberships *moved)
{
	tlv_membership_builder builder;

	TLV_TRY(tlv_memberships_begin(ctx, from->n, from->start[from->n], &builder));
	*moved = builder.memberships;
	moved->n = from->n;
	return mixed_move_nodes(ctx, from, k, to, moved);
}

tlv_status
tlv_memberships_reorder(tlv_context *ctx, size_t k, const int64_t *order,
						tlv_memberships *memberships)
{
	uint16_t *rank;

	TLV_TRY_NEW(ctx, rank, k);
	for (size_t i = 0; i < k; i++)
		rank[order[i]] = (uint16_t) i;
	TLV_TRY(mixed_move_nodes(ctx, memberships, k, rank, memberships));
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
