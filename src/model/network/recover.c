/*
 * recover.c - sets of items of which any three are often on together (internal.h).
 *
 * RecoverGraph3Wise of Ge 2013, algorithm 6.6, without degrees: three items that are on together
 * in more rows than a threshold are a hyperedge.  From a hyperedge that is in no set yet, the items
 * that are one with every two of its items, less those that are one with fewer than C(0.7 (s - 1),
 * 2) pairs of the s items, are a set.  Of sets that are nearly others the larger one is kept.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "recover.h"
#include "tuning.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/sort.h"

#define LINKS_BETWEEN ((size_t) 1 << 16) /* between two looks */
/* Most hyperedges: triples of items, which are kept in memory. */
#define MOST_HYPEREDGES 5e7

typedef struct candidate
{
	int64_t start; /* in the list of places */
	size_t n;
	size_t inside; /* hyperedges within it */
	double fresh;  /* share of them that no larger set has */
} candidate;

/* ---- hyperedges ---- */

size_t
tlv_hyperedge(const recovery *r, size_t a, size_t b, size_t c)
{
	size_t x = a < b ? a : b, y = a < b ? b : a;
	int64_t key = c < x ? tlv_triple_key(c, x, y)
						: (c < y ? tlv_triple_key(x, c, y) : tlv_triple_key(x, y, c));

	return tlv_find_id(r->keys, r->n, key);
}

static uint64_t
link_of(size_t a, size_t b, size_t c)
{
	return (uint64_t) tlv_triple_key(a, b, c);
}

/* Where links of the key begin, or of the next one. */
static size_t
first_link(const recovery *r, uint64_t key)
{
	size_t low = 0, high = 3 * r->n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (r->links[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static tlv_status
collect_hyperedges(tlv_context *ctx, const tlv_network_threes *threes, double threshold,
				   recovery *r)
{
	size_t n = threes->n, hyperedges = 0;
	const int64_t *cells = threes->cells;
	const double *counts = threes->counts;
	uint64_t *links, *work;
	void *sorted;

	for (size_t i = 0; i < n; i++)
		hyperedges += tlv_is_three(cells[i]) && counts[i] >= threshold;
	if ((double) hyperedges > MOST_HYPEREDGES)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu threes of items are on together in %.0f rows or more",
				 hyperedges, threshold);
		return tlv_fail_hint(ctx, "Use a larger threshold.");
	}
	TLV_TRY(tlv_require_memory(ctx, 61.0 * (double) hyperedges, "the threes of items"));
	TLV_TRY_NEW(ctx, r->keys, hyperedges);
	TLV_TRY_NEW0(ctx, r->marked, hyperedges);
	TLV_TRY_NEW(ctx, links, 3 * hyperedges);
	TLV_TRY_NEW(ctx, work, 3 * hyperedges);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (tlv_is_three(cells[i]) && counts[i] >= threshold)
		{
			size_t x = tlv_triple_part(cells[i], 0), y = tlv_triple_part(cells[i], 1),
				   z = tlv_triple_part(cells[i], 2), at = 3 * r->n;

			r->keys[r->n++] = cells[i];
			links[at] = link_of(x, y, z);
			links[at + 1] = link_of(x, z, y);
			links[at + 2] = link_of(y, z, x);
		}
	}
	TLV_TRY(tlv_radix_sort(ctx, &(tlv_sort_form){.record = 8, .key = 8, .bits = 63}, 3 * r->n,
						   links, work, &sorted));
	r->links = sorted;
	return TLV_OK;
}

/* ---- one candidate ---- */

/* The items that are a hyperedge with any two of x, y and z, and these. */
static tlv_status
common_items(tlv_context *ctx, recovery *r, size_t x, size_t y, size_t z)
{
	size_t looked = 0;

	r->set_n = 0;
	r->set[r->set_n++] = (int32_t) x;
	r->set[r->set_n++] = (int32_t) y;
	r->set[r->set_n++] = (int32_t) z;
	for (size_t i = first_link(r, link_of(x, y, 0)); i < 3 * r->n; i++)
	{
		size_t v = tlv_triple_part((int64_t) r->links[i], 2);

		if (++looked % LINKS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		if (r->links[i] >= link_of(x, y + 1, 0))
			break;
		if (v != z && tlv_hyperedge(r, x, z, v) < r->n && tlv_hyperedge(r, y, z, v) < r->n)
			r->set[r->set_n++] = (int32_t) v;
	}
	return TLV_OK;
}

/* Leaves out the items that are a hyperedge with too few pairs of the others. */
static tlv_status
keep_members(tlv_context *ctx, recovery *r)
{
	double share = MEMBER_SHARE * (double) (r->set_n - 1), least = share * (share - 1) / 2;
	size_t n = 0;

	memset(r->degree, 0, r->set_n * sizeof(uint32_t));
	for (size_t a = 2; a < r->set_n; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 1; b < a; b++)
			for (size_t c = 0; c < b; c++)
				if (tlv_hyperedge(r, (size_t) r->set[a], (size_t) r->set[b], (size_t) r->set[c]) <
					r->n)
				{
					r->degree[a]++;
					r->degree[b]++;
					r->degree[c]++;
				}
	}
	for (size_t a = 0; a < r->set_n; a++)
		if (r->degree[a] >= fmax(1, least))
			r->set[n++] = r->set[a];
	r->set_n = n;
	return TLV_OK;
}

/* Marks the hyperedges within; *inside: how many there are. */
static tlv_status
mark_inside(tlv_context *ctx, recovery *r, size_t *inside)
{
	*inside = 0;
	for (size_t a = 2; a < r->set_n; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 1; b < a; b++)
			for (size_t c = 0; c < b; c++)
			{
				size_t e =
					tlv_hyperedge(r, (size_t) r->set[a], (size_t) r->set[b], (size_t) r->set[c]);

				if (e == r->n)
					continue;
				r->marked[e] = true;
				++*inside;
			}
	}
	return TLV_OK;
}

/* ---- all candidates ---- */

typedef struct candidates
{
	size_t n, room;
	candidate *list;
	size_t places_n, places_room;
	int32_t *places;
} candidates;

static tlv_status
keep_candidate(tlv_context *ctx, const recovery *r, size_t inside, candidates *all)
{
	if (all->n == all->room)
	{
		all->room = 2 * all->room + 64;
		all->list = tlv_realloc(ctx, all->list, all->room, sizeof(candidate));
		TLV_TRY_ALLOC(ctx, all->list);
	}
	if (all->places_n + r->set_n > all->places_room)
	{
		all->places_room = 2 * all->places_room + r->set_n + 1024;
		all->places = tlv_realloc(ctx, all->places, all->places_room, sizeof(int32_t));
		TLV_TRY_ALLOC(ctx, all->places);
	}
	memcpy(all->places + all->places_n, r->set, r->set_n * sizeof(int32_t));
	all->list[all->n++] = (candidate){(int64_t) all->places_n, r->set_n, inside, 0};
	all->places_n += r->set_n;
	return TLV_OK;
}

/* A set that has this number of members in common with two others is rejected, because the counts
 * do not distinguish its units. */
static tlv_status
require_small(tlv_context *ctx, const recovery *r)
{
	if (r->set_n <= TLV_NETWORK_MOST_ON)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "%zu items are all often on together", r->set_n);
	return tlv_fail_hint(ctx, "Use a larger threshold.");
}

static tlv_status
find_candidates(tlv_context *ctx, recovery *r, candidates *all)
{
	int64_t *order;

	TLV_TRY_NEW(ctx, order, r->n);
	TLV_TRY(tlv_rng_permutation(ctx, &r->rng, r->n, order));
	for (size_t i = 0; i < r->n; i++)
	{
		int64_t key = r->keys[order[i]];
		size_t inside;

		if (r->marked[order[i]])
			continue;
		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "sets of items", (double) i, (double) r->n);
		TLV_TRY(common_items(ctx, r, tlv_triple_part(key, 0), tlv_triple_part(key, 1),
							 tlv_triple_part(key, 2)));
		TLV_TRY(require_small(ctx, r));
		TLV_TRY(keep_members(ctx, r));
		TLV_TRY(mark_inside(ctx, r, &inside));
		r->marked[order[i]] = true;
		if (r->set_n >= 3)
			TLV_TRY(keep_candidate(ctx, r, inside, all));
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

/* ---- choosing among them ---- */

/* By hyperedges within, the most first: insertion into runs that are short would be quadratic. */
static tlv_status
order_candidates(tlv_context *ctx, candidates *all, uint64_t **order)
{
	struct
	{
		uint64_t key, at;
	} * records, *work, *to;
	void *sorted;

	TLV_TRY_NEW(ctx, records, all->n);
	TLV_TRY_NEW(ctx, work, all->n);
	TLV_TRY_NEW(ctx, *order, all->n);
	for (size_t i = 0; i < all->n; i++)
	{
		records[i].key = UINT64_C(0xffffffff) - all->list[i].inside;
		records[i].at = i;
	}
	TLV_TRY(tlv_radix_sort(ctx, &(tlv_sort_form){.record = 16, .key = 8, .bits = 32}, all->n,
						   records, work, &sorted));
	to = sorted;
	for (size_t i = 0; i < all->n; i++)
		(*order)[i] = to[i].at;
	tlv_free(ctx, records);
	tlv_free(ctx, work);
	return TLV_OK;
}

/* Takes a candidate unless most of it is within those that were taken. */
static tlv_status
take_candidate(tlv_context *ctx, recovery *r, const candidates *all, candidate *c, bool *taken)
{
	size_t fresh = 0, inside;

	memcpy(r->set, all->places + c->start, c->n * sizeof(int32_t));
	r->set_n = c->n;
	for (size_t a = 2; a < r->set_n; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 1; b < a; b++)
			for (size_t d = 0; d < b; d++)
			{
				size_t e =
					tlv_hyperedge(r, (size_t) r->set[a], (size_t) r->set[b], (size_t) r->set[d]);

				fresh += e < r->n && !r->marked[e];
			}
	}
	c->fresh = (double) fresh / fmax(1, (double) c->inside);
	*taken = fresh > 0 && c->fresh >= MAJORITY;
	return *taken ? mark_inside(ctx, r, &inside) : TLV_OK;
}

static void
network_sort_places(size_t n, int32_t *places)
{
	for (size_t i = 1; i < n; i++)
	{
		int32_t place = places[i];
		size_t at = i;

		for (; at > 0 && places[at - 1] > place; at--)
			places[at] = places[at - 1];
		places[at] = place;
	}
}

/* The members of the median set, where sets count by their hyperedges: mixtures of sets are many,
 * and small. */
static double
usual_members(const candidates *all, const uint64_t *chosen, size_t n)
{
	double total = 0, sizes[TLV_NETWORK_MOST_ON + 1] = {0}, seen = 0;

	for (size_t i = 0; i < n; i++)
	{
		const candidate *c = &all->list[chosen[i]];

		sizes[tlv_least(c->n, TLV_NETWORK_MOST_ON)] += (double) c->inside;
		total += (double) c->inside;
	}
	for (size_t s = 0; s <= TLV_NETWORK_MOST_ON; s++)
		if ((seen += sizes[s]) >= total / 2)
			return (double) s;
	return 0;
}

/* Is it one, or a mixture of others?  Small ones must be whole, and share next to nothing. */
static bool
is_set(const candidate *c, double usual)
{
	double n = (double) c->n, whole = n * (n - 1) * (n - 2) / 6;

	if (n >= MAJORITY * usual)
		return true;
	return n >= SMALL_SHARE * usual && c->fresh >= SMALL_FRESH &&
		   (double) c->inside >= SMALL_FRESH * whole;
}

static tlv_status
choose_sets(tlv_context *ctx, recovery *r, const candidates *all, uint64_t *order,
			tlv_network_sets *sets)
{
	size_t chosen = 0;
	double usual;

	memset(r->marked, 0, r->n * sizeof(bool));
	for (size_t i = 0; i < all->n; i++)
	{
		bool taken = false;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(take_candidate(ctx, r, all, &all->list[order[i]], &taken));
		if (taken)
			order[chosen++] = order[i];
	}
	usual = usual_members(all, order, chosen);
	TLV_TRY_NEW0(ctx, sets->starts, chosen + 1);
	TLV_TRY_NEW0(ctx, sets->shares, chosen);
	TLV_TRY_NEW(ctx, sets->places, all->places_n);
	for (size_t i = 0; i < chosen; i++)
	{
		const candidate *c = &all->list[order[i]];
		int32_t *to = sets->places + sets->starts[sets->n];

		if (!is_set(c, usual))
			continue;
		memcpy(to, all->places + c->start, c->n * sizeof(int32_t));
		network_sort_places(c->n, to);
		sets->starts[sets->n + 1] = sets->starts[sets->n] + (int64_t) c->n;
		sets->n++;
	}
	return TLV_OK;
}

static tlv_status
find_sets(tlv_context *ctx, const tlv_network_threes *threes, uint64_t seed, tlv_network_sets *sets)
{
	recovery r = {.items = threes->items};
	candidates all = {0};
	uint64_t *order;

	TLV_TRY(collect_hyperedges(ctx, threes, sets->threshold, &r));
	sets->hyperedges = (double) r.n;
	TLV_TRY_NEW(ctx, r.set, r.items + 3);
	TLV_TRY_NEW(ctx, r.degree, r.items + 3);
	tlv_rng_seed(&r.rng, seed);
	TLV_TRY(find_candidates(ctx, &r, &all));
	TLV_TRY(order_candidates(ctx, &all, &order));
	TLV_TRY(choose_sets(ctx, &r, &all, order, sets));
	TLV_TRY(tlv_network_repair(ctx, threes, sets));
	TLV_TRY(tlv_network_drop_mixtures(ctx, &r, sets));
	return tlv_network_measure_sets(ctx, &r, threes->frame, sets);
}

/* Leaves nothing behind but the sets. */
static tlv_status
recover_at(tlv_context *ctx, const tlv_network_threes *threes, uint64_t seed,
		   tlv_network_sets *sets)
{
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = find_sets(ctx, threes, seed, sets);
	if (status == TLV_OK)
	{
		tlv_scratch_keep(ctx, sets->starts);
		tlv_scratch_keep(ctx, sets->places);
		tlv_scratch_keep(ctx, sets->shares);
		if (sets->means != NULL)
			tlv_scratch_keep(ctx, sets->means);
		if (sets->stands != NULL)
			tlv_scratch_keep(ctx, sets->stands);
	}
	tlv_scratch_end(ctx, &scratch);
	return status;
}

static int
network_ascending(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* What the sets say: a share of the count that threes of the median set have. */
static double
threshold_of_sets(const tlv_network_sets *sets)
{
	qsort(sets->means, sets->n, sizeof(double), network_ascending);
	return SET_SHARE * sets->means[sets->n / 2];
}

/* Hyperedges that a member explains, of sets that are apart from other items: few large sets
 * explain more than many small parts of them. */
static double
worth(const tlv_network_sets *sets)
{
	double members = (double) sets->starts[sets->n];

	return sets->n == 0 ? 0 : sets->explained / members * (double) sets->apart / (double) sets->n;
}

static void
free_sets(tlv_context *ctx, tlv_network_sets *sets)
{
	tlv_free(ctx, sets->starts);
	tlv_free(ctx, sets->places);
	tlv_free(ctx, sets->shares);
	tlv_free(ctx, sets->means);
	tlv_free(ctx, sets->stands);
}

tlv_status
tlv_network_recover(tlv_context *ctx, const tlv_frame *counts, double threshold, uint64_t seed,
					tlv_network_sets *sets)
{
	tlv_network_threes threes = {.frame = counts,
								 .items = tlv_frame_find(counts, "items")->rows,
								 .n = tlv_frame_find(counts, "cells")->rows,
								 .cells = tlv_frame_int64(counts, "cells"),
								 .counts = tlv_frame_float64(counts, "counts")};
	tlv_network_sets old;
	double *excess = NULL;
	tlv_status status;
	bool better = true;

	memset(sets, 0, sizeof(*sets));
	sets->threshold = threshold;
	sets->gap = !isnan(threshold);
	if (isnan(threshold))
	{
		TLV_TRY(tlv_network_excess(ctx, counts, &excess));
		threes.counts = excess;
		TLV_TRY(tlv_network_choose_threshold(ctx, &threes, sets));
	}
	TLV_TRY(recover_at(ctx, &threes, seed, sets));
	for (int again = 0; again < TIMES_AGAIN && better && isnan(threshold) && sets->n > 0; again++)
	{
		tlv_network_sets next = {.threshold = threshold_of_sets(sets), .gap = true};

		sets->gap |= 2 * sets->apart >= sets->n;
		if (!(next.threshold > 0) ||
			fabs(next.threshold - sets->threshold) < NEAR_ENOUGH * sets->threshold)
			break;
		status = recover_at(ctx, &threes, seed, &next);
		if (status == TLV_LIMIT)
			break; /* the sets that are there stay */
		TLV_TRY(status);
		/* without a gap it may be chance that a few items are on together */
		better = worth(&next) > worth(sets) && (sets->gap || 2 * next.apart >= next.n);
		old = *sets;
		if (better)
			*sets = next;
		free_sets(ctx, better ? &old : &next);
	}
	tlv_free(ctx, excess);
	return TLV_OK;
}
