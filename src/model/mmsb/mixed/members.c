/*
 * members.c - tables by which members of communities are drawn (members.h).
 */
#include "members.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/sort.h"

static tlv_status
allocate_members(tlv_context *ctx, bool heavy, member_tables *t)
{
	size_t entries = t->memberships->start[t->memberships->n], k = t->k;

	TLV_TRY(tlv_require_memory(ctx,
							   (double) entries * (heavy ? 20 : 16) + 32 * (double) k +
								   8 * (double) k * (double) k +
								   (heavy ? 32 * (double) t->memberships->n : 0) + 4096,
							   "the simulation of edges"));
	TLV_TRY_NEW0(ctx, t->start, k + 1);
	TLV_TRY_NEW(ctx, t->member, entries);
	TLV_TRY_NEW(ctx, t->cumulative, entries);
	TLV_TRY_NEW(ctx, t->guide, entries);
	TLV_TRY_NEW0(ctx, t->passed, k);
	t->heavy = heavy ? tlv_alloc(ctx, entries, sizeof(int32_t)) : t->member;
	TLV_TRY_ALLOC(ctx, t->heavy);
	return TLV_OK;
}

/* Which part of a community's weight, of n equal ones, x lies in; never decreasing in x. */
static size_t
guide_slot(double x, double total, size_t n)
{
	size_t slot = (size_t) (x / total * (double) n);

	return slot < n ? slot : n - 1;
}

static void
fill_guide(size_t n, const double *cumulative, int32_t *guide)
{
	size_t i = 0;

	for (size_t slot = 0; slot < n; slot++)
	{
		while (i + 1 < n && guide_slot(cumulative[i], cumulative[n - 1], n) < slot)
			i++;
		guide[slot] = (int32_t) i;
	}
}

/* A node and its theta as a number that falls while theta, which is at least 0, rises. */
typedef struct ranked_node
{
	uint64_t falling;
	int64_t node;
} ranked_node;

/* Nodes by decreasing theta; those of the same theta in their order. */
static tlv_status
order_by_propensity(tlv_context *ctx, const member_tables *t, ranked_node **order)
{
	size_t n = t->memberships->n;
	tlv_sort_form form = {sizeof(ranked_node), sizeof(uint64_t), 0, 64};
	void *sorted;

	TLV_TRY_NEW(ctx, *order, 2 * n);
	for (size_t v = 0; v < n; v++)
	{
		uint64_t bits;

		/* The bits of numbers that are not negative are in the numbers' order. */
		memcpy(&bits, &t->propensity[v], sizeof(bits));
		(*order)[v] = (ranked_node){~bits, (int64_t) v};
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, *order, *order + n, &sorted));
	if (sorted != *order)
		memcpy(*order, sorted, n * sizeof(ranked_node));
	return TLV_OK;
}

/* Puts every node into the lists of its communities, in the given order (NULL: as they come). */
static void
list_members(const member_tables *t, const ranked_node *order, int32_t *list, size_t *at)
{
	const tlv_memberships *memberships = t->memberships;

	memcpy(at, t->start, t->k * sizeof(size_t));
	for (size_t i = 0; i < memberships->n; i++)
	{
		size_t v = order == NULL ? i : (size_t) order[i].node;

		for (size_t e = memberships->start[v]; e < memberships->start[v + 1]; e++)
		{
			size_t place = at[memberships->community[e]]++;

			list[place] = (int32_t) v;
			if (order == NULL)
				t->cumulative[place] =
					(t->propensity == NULL ? 1 : t->propensity[v]) * memberships->share[e];
		}
	}
}

/* Running sums of the weights in a community, and the guide to them. */
static tlv_status
sum_weights(tlv_context *ctx, member_tables *t, size_t b)
{
	size_t n = t->start[b + 1] - t->start[b];
	double *cumulative = t->cumulative + t->start[b];

	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 1; i < n; i++)
		cumulative[i] += cumulative[i - 1];
	if (n > 0 && cumulative[n - 1] > 0)
		fill_guide(n, cumulative, t->guide + t->start[b]);
	return TLV_OK;
}

static tlv_status
fill_members(tlv_context *ctx, member_tables *t, size_t *at)
{
	const tlv_memberships *memberships = t->memberships;
	ranked_node *order = NULL;

	for (size_t e = 0; e < memberships->start[memberships->n]; e++)
		t->start[memberships->community[e] + 1]++;
	for (size_t b = 0; b < t->k; b++)
		t->start[b + 1] += t->start[b];
	TLV_TRY_CONTINUE(ctx);
	list_members(t, NULL, t->member, at);
	TLV_TRY_CONTINUE(ctx);
	if (t->heavy != t->member)
	{
		TLV_TRY(order_by_propensity(ctx, t, &order));
		list_members(t, order, t->heavy, at);
		tlv_free(ctx, order);
	}
	for (size_t b = 0; b < t->k; b++)
		TLV_TRY(sum_weights(ctx, t, b));
	return TLV_OK;
}

tlv_status
tlv_members_create(tlv_context *ctx, const tlv_memberships *memberships, const double *propensity,
				   size_t k, bool heavy, member_tables *tables)
{
	size_t *at;
	tlv_status status;

	*tables = (member_tables){.memberships = memberships, .propensity = propensity, .k = k};
	TLV_TRY(allocate_members(ctx, heavy && propensity != NULL, tables));
	TLV_TRY_NEW(ctx, at, k);
	status = fill_members(ctx, tables, at);
	tlv_free(ctx, at);
	return status;
}

void
tlv_members_free(tlv_context *ctx, member_tables *tables)
{
	if (tables->heavy != tables->member)
		tlv_free(ctx, tables->heavy);
	tlv_free(ctx, tables->passed);
	tlv_free(ctx, tables->guide);
	tlv_free(ctx, tables->cumulative);
	tlv_free(ctx, tables->member);
	tlv_free(ctx, tables->start);
}

void
tlv_pass_node(member_tables *tables, size_t u)
{
	const tlv_memberships *memberships = tables->memberships;

	for (size_t e = memberships->start[u]; e < memberships->start[u + 1]; e++)
		tables->passed[memberships->community[e]]++;
}

static double
passed_weight(const member_tables *t, size_t b)
{
	return t->passed[b] == 0 ? 0 : t->cumulative[t->start[b] + t->passed[b] - 1];
}

double
tlv_weight_left(const member_tables *tables, size_t b)
{
	size_t n = tables->start[b + 1] - tables->start[b];
	double total = n == 0 ? 0 : tables->cumulative[tables->start[b + 1] - 1];

	return fmax(total - passed_weight(tables, b), 0);
}

size_t
tlv_draw_member(const member_tables *tables, size_t b, tlv_rng *rng)
{
	const double *cumulative = tables->cumulative + tables->start[b];
	size_t n = tables->start[b + 1] - tables->start[b], at;
	double total = cumulative[n - 1], from = passed_weight(tables, b);
	double x = from + (total - from) * tlv_rng_uniform(rng);

	at = (size_t) tables->guide[tables->start[b] + guide_slot(x, total, n)];
	if (at < tables->passed[b])
		at = tables->passed[b];
	while (at + 1 < n && cumulative[at] <= x)
		at++;
	return (size_t) tables->member[tables->start[b] + at];
}
