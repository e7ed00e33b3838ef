/*
 * repair.c - who belongs to a set, by all counts with its members (internal.h).
 *
 * Whether three items are a hyperedge is known for most threes but not for all: of rows with
 * flipped items the counts scatter about the threshold.  The mean count of an item with all pairs
 * of a set's other members hardly scatters.  An item belongs to the set if that is a good part of
 * what the members have; sets that have become one are one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/triple_table.h"

/* Sets in a pass over the counts: bits of a word. */
#define SETS 64

typedef struct repair
{
	size_t items;
	const tlv_network_threes *threes;
	size_t n;		   /* sets in work */
	uint64_t *members; /* items: a bit for every set */
	double *sums;	   /* n x items: counts with two members of the set */
	double *sorted;	   /* work: items */
	int32_t *set;	   /* work: TLV_NETWORK_MOST_ON */
	size_t changed;	   /* in this pass */
	double gap[SETS];  /* of the members' means to others' */
	double mean[SETS]; /* of the median member */
} repair;

static void
add_to_sums(repair *r, uint64_t sets, size_t item, double count)
{
	for (; sets != 0; sets &= sets - 1)
		r->sums[(size_t) __builtin_ctzll(sets) * r->items + item] += count;
}

/* One pass over the counts of threes. */
static tlv_status
add_up(tlv_context *ctx, repair *r)
{
	size_t n = r->threes->n;
	const int64_t *cells = r->threes->cells;
	const double *counts = r->threes->counts;

	memset(r->sums, 0, r->n * r->items * sizeof(double));
	for (size_t i = 0; i < n; i++)
	{
		size_t x = tlv_triple_part(cells[i], 0), y = tlv_triple_part(cells[i], 1),
			   z = tlv_triple_part(cells[i], 2);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!tlv_is_three(cells[i]))
			continue;
		add_to_sums(r, r->members[x] & r->members[y], z, counts[i]);
		add_to_sums(r, r->members[x] & r->members[z], y, counts[i]);
		add_to_sums(r, r->members[y] & r->members[z], x, counts[i]);
	}
	return TLV_OK;
}

static int
descending(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x < y) - (x > y);
}

/* The means that a gap may begin with, descending, and one below them if there is one. */
static size_t
network_sort_candidates(repair *r, const double *means, double lowest)
{
	size_t n = 0;

	for (size_t v = 0; v < r->items; v++)
		if (means[v] >= lowest)
			r->sorted[n++] = means[v];
	qsort(r->sorted, n, sizeof(double), descending);
	if (n < r->items)
		r->sorted[n++] = 0;
	return n;
}

/* Where the means, descending, fall most from one to the next, between shares of the median member.
 */
static double
widest_gap(repair *r, const double *means, double median, double *least)
{
	double widest = 1;
	size_t n = network_sort_candidates(r, means, LOWEST_CUT * median);

	*least = HIGHEST_CUT * median;
	for (size_t i = 0; i + 1 < n; i++)
	{
		double above = r->sorted[i], below = fmax(r->sorted[i + 1], LOWEST_CUT * median);

		if (below > HIGHEST_CUT * median || above <= widest * below)
			continue;
		widest = above / below;
		*least = sqrt(above * below);
	}
	return widest;
}

/* Estimates the members again, ascending, into r->set. Returns their number, or 0 if it is not a
 * set. */
static size_t
choose_members(repair *r, size_t s)
{
	double *sums = r->sums + s * r->items, least;
	size_t n = 0, m = 0;

	r->mean[s] = r->gap[s] = 0;
	for (size_t v = 0; v < r->items; v++)
		n += (r->members[v] >> s) & 1;
	if (n < 3)
		return 0;
	for (size_t v = 0; v < r->items; v++)
	{
		bool member = (r->members[v] >> s) & 1;
		double others = (double) (member ? n - 1 : n);

		sums[v] /= others * (others - 1) / 2;
		if (member)
			r->sorted[m++] = sums[v];
	}
	qsort(r->sorted, n, sizeof(double), descending);
	least = r->mean[s] = r->sorted[n / 2];
	r->gap[s] = widest_gap(r, sums, least, &least);
	m = 0;
	for (size_t v = 0; v < r->items && m < TLV_NETWORK_MOST_ON; v++)
		if (sums[v] >= least)
			r->set[m++] = (int32_t) v;
	return m < 4 ? 0 : m;
}

static void
put_members(repair *r, size_t s, size_t n)
{
	uint64_t bit = UINT64_C(1) << s;
	size_t at = 0;

	for (size_t v = 0; v < r->items; v++)
	{
		bool is = at < n && (size_t) r->set[at] == v;

		at += is;
		r->changed += is != ((r->members[v] & bit) != 0);
		r->members[v] = is ? r->members[v] | bit : r->members[v] & ~bit;
	}
}

/* Sets from `first` on, as many as a word has bits. */
static tlv_status
repair_some(tlv_context *ctx, repair *r, const tlv_network_sets *sets, size_t first)
{
	memset(r->members, 0, r->items * sizeof(uint64_t));
	r->n = tlv_least(SETS, sets->n - first);
	for (size_t s = 0; s < r->n; s++)
		for (int64_t i = sets->starts[first + s]; i < sets->starts[first + s + 1]; i++)
			r->members[sets->places[i]] |= UINT64_C(1) << s;
	for (int pass = 0; pass < NETWORK_PASSES; pass++)
	{
		r->changed = 0;
		TLV_TRY(add_up(ctx, r));
		for (size_t s = 0; s < r->n; s++)
		{
			size_t n = choose_members(r, s);

			if (n > 0)
				put_members(r, s, n);
		}
		if (r->changed == 0)
			break;
	}
	return TLV_OK;
}

/* How many members two sets have in common. */
static size_t
in_common(const tlv_network_sets *sets, size_t a, size_t b)
{
	int64_t i = sets->starts[a], j = sets->starts[b];
	size_t n = 0;

	while (i < sets->starts[a + 1] && j < sets->starts[b + 1])
	{
		int32_t x = sets->places[i], y = sets->places[j];

		n += x == y;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

/* Appends a set unless it is one that is there. */
static void
append_set(tlv_network_sets *to, const int32_t *set, size_t n, double mean, bool apart)
{
	memcpy(to->places + to->starts[to->n], set, n * sizeof(int32_t));
	to->starts[to->n + 1] = to->starts[to->n] + (int64_t) n;
	for (size_t s = 0; s < to->n; s++)
	{
		size_t members = (size_t) (to->starts[s + 1] - to->starts[s]);
		size_t both = in_common(to, s, to->n);

		if ((double) both >= MEMBER_SHARE * (double) (n + members - both))
			return;
	}
	to->means[to->n] = mean;
	to->stands[to->n++] = apart;
	to->apart += apart;
}

tlv_status
tlv_network_repair(tlv_context *ctx, const tlv_network_threes *threes, tlv_network_sets *sets)
{
	repair r = {.items = threes->items, .threes = threes};
	size_t some = tlv_least(SETS, sets->n);
	tlv_network_sets to = *sets;

	if (sets->n == 0)
		return TLV_OK;
	TLV_TRY(
		tlv_require_memory(ctx,
						   8.0 * (double) (some * r.items) +
							   4.0 * (double) (sets->n * tlv_least(r.items, TLV_NETWORK_MOST_ON)),
						   "the members of sets"));
	TLV_TRY_NEW(ctx, r.members, r.items);
	TLV_TRY_NEW(ctx, r.sums, some * r.items);
	TLV_TRY_NEW(ctx, r.sorted, r.items);
	TLV_TRY_NEW(ctx, r.set, TLV_NETWORK_MOST_ON);
	TLV_TRY_NEW0(ctx, to.starts, sets->n + 1);
	TLV_TRY_NEW(ctx, to.places, sets->n * tlv_least(r.items, TLV_NETWORK_MOST_ON));
	TLV_TRY_NEW(ctx, to.means, sets->n);
	TLV_TRY_NEW(ctx, to.stands, sets->n);
	to.n = 0;
	to.apart = 0;
	for (size_t first = 0; first < sets->n; first += SETS)
	{
		TLV_TRY(repair_some(ctx, &r, sets, first));
		for (size_t s = 0; s < r.n; s++)
		{
			size_t n = 0;

			for (size_t v = 0; v < r.items && n < TLV_NETWORK_MOST_ON; v++)
				if ((r.members[v] >> s) & 1)
					r.set[n++] = (int32_t) v;
			append_set(&to, r.set, n, r.mean[s], r.gap[s] >= LEAST_GAP);
		}
	}
	tlv_free(ctx, r.members);
	tlv_free(ctx, r.sums);
	tlv_free(ctx, r.sorted);
	tlv_free(ctx, r.set);
	*sets = to;
	return TLV_OK;
}
