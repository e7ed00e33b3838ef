/*
 * merge.c - communities merged two at a time (merge.h).
 *
 * Communities are the nodes of a graph of their own, whose lists of neighbours are kept as
 * arrays; each remembers its best partner.  The next pair is read off two trees of winners, of
 * gains and of sizes.
 */
#include "merge.h"
#include "tensorlv/num/numbers.h"

#include <math.h>
#include <string.h>

#define COMMUNITY_NOBODY (-1)

typedef struct neighbour
{
	int32_t community;
	double edges;
} neighbour;

typedef struct community
{
	neighbour *near; /* NULL: merged into another one */
	size_t n, room;
	double inside;	/* edges */
	double mass[2]; /* of its nodes */
	int32_t partner;
	double gain; /* of the merge with it */
} community;

/* A tree of winners: leaf c, at[places + c], is c or COMMUNITY_NOBODY; at[i] the winner of 2 i and
 * 2 i + 1.
 */
typedef struct winners
{
	size_t places; /* a power of 2 */
	int32_t *at;
} winners;

typedef struct merge_work
{
	const tlv_level_task *task;
	size_t n, left;
	community *all;
	winners gains, sizes; /* the largest gain, the smallest community; of equals the first */
	int32_t *into;		  /* n: where a community has gone */
	double between;		  /* the rate between communities */
	double part;		  /* of one side every pair is met twice */
} merge_work;

/* e log(e / x) - e, the likelihood of e edges at their own rate, x expected at rate 1 */
static double
own_rate(double e, double x)
{
	return e > 0 ? e * log(e / fmax(x, TLV_TINY)) - e : 0;
}

static double
expected_inside(const merge_work *work, const community *a)
{
	return work->part * a->mass[0] * a->mass[1] / work->task->total;
}

static double
merge_expected_between(const merge_work *work, const community *a, const community *b)
{
	return work->part * (a->mass[0] * b->mass[1] + a->mass[1] * b->mass[0]) / work->task->total;
}

/* What the likelihood gains, mostly less than 0, when a and b, joined by so many edges, merge. */
static double
merge_gain(const merge_work *work, const community *a, const community *b, double edges)
{
	double xa = expected_inside(work, a), xb = expected_inside(work, b);
	double x = merge_expected_between(work, a, b);

	return own_rate(a->inside + b->inside + edges, xa + xb + x) - own_rate(a->inside, xa) -
		   own_rate(b->inside, xb) - edges * log(work->between) + work->between * x;
}

static void
find_partner(merge_work *work, size_t c)
{
	community *own = &work->all[c];

	own->partner = COMMUNITY_NOBODY;
	own->gain = -HUGE_VAL;
	for (size_t i = 0; i < own->n; i++)
	{
		double gain = merge_gain(work, own, &work->all[own->near[i].community], own->near[i].edges);

		if (gain > own->gain)
		{
			own->gain = gain;
			own->partner = own->near[i].community;
		}
	}
}

/* ---- the largest gain and the smallest communities ---- */

typedef bool (*ahead_of)(const community *a, const community *b);

static bool
gains_more(const community *a, const community *b)
{
	return a->gain > b->gain;
}

static bool
is_smaller(const community *a, const community *b)
{
	return a->mass[0] + a->mass[1] < b->mass[0] + b->mass[1];
}

static int32_t
winner_of(const merge_work *work, ahead_of ahead, int32_t a, int32_t b)
{
	int32_t first = a < b ? a : b, second = a < b ? b : a;

	if (first == COMMUNITY_NOBODY)
		return second;
	return ahead(&work->all[second], &work->all[first]) ? second : first;
}

static void
enter_winner(const merge_work *work, winners *tree, ahead_of ahead, size_t c, bool present)
{
	size_t i = tree->places + c;

	tree->at[i] = present ? (int32_t) c : COMMUNITY_NOBODY;
	while ((i /= 2) > 0)
		tree->at[i] = winner_of(work, ahead, tree->at[2 * i], tree->at[2 * i + 1]);
}

/* What community c has become. */
static void
enter_community(merge_work *work, size_t c)
{
	const community *own = &work->all[c];

	enter_winner(work, &work->gains, gains_more, c,
				 own->near != NULL && own->partner != COMMUNITY_NOBODY);
	enter_winner(work, &work->sizes, is_smaller, c, own->near != NULL);
}

/* The winner if the first one were not there. */
static int32_t
second_winner(const merge_work *work, const winners *tree, ahead_of ahead)
{
	int32_t second = COMMUNITY_NOBODY;

	for (size_t i = tree->places + (size_t) tree->at[1]; i > 1; i /= 2)
		second = winner_of(work, ahead, second, tree->at[i ^ 1]);
	return second;
}

static tlv_status
create_winners(tlv_context *ctx, size_t n, winners *tree)
{
	tree->places = 1;
	while (tree->places < n)
		tree->places *= 2;
	TLV_TRY_NEW(ctx, tree->at, 2 * tree->places);
	for (size_t i = 0; i < 2 * tree->places; i++)
		tree->at[i] = COMMUNITY_NOBODY;
	return TLV_OK;
}

/* ---- the graph of communities ---- */

static tlv_status
reserve_neighbours(tlv_context *ctx, community *own, size_t n)
{
	void *grown;

	if (n <= own->room && own->near != NULL)
		return TLV_OK;
	own->room = n + n / 2 + 4;
	grown = tlv_realloc(ctx, own->near, own->room, sizeof(neighbour));
	TLV_TRY_ALLOC(ctx, grown);
	own->near = grown;
	return TLV_OK;
}

/* The edges of one community's nodes; weight and touched are as many as there are communities. */
static tlv_status
count_neighbours(tlv_context *ctx, merge_work *work, const int32_t *label, size_t c,
				 const int32_t *members, size_t n, double *weight, int32_t *touched)
{
	const tlv_csr *edges = &work->task->edges;
	community *own = &work->all[c];
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (int s = 0; s < 2; s++)
			own->mass[s] += work->task->mass[s][members[i]];
		for (size_t e = edges->start[members[i]]; e < edges->start[members[i] + 1]; e++)
		{
			int32_t to = label[edges->index[e]];
			double g = edges->value == NULL ? 1 : (double) edges->value[e];

			if (to == (int32_t) c)
			{
				own->inside += g / 2; /* from both of its ends */
				continue;
			}
			if (weight[to] == 0)
				touched[found++] = to;
			weight[to] += g;
		}
	}
	TLV_TRY(reserve_neighbours(ctx, own, found));
	own->n = found;
	for (size_t i = 0; i < found; i++)
	{
		own->near[i] = (neighbour){touched[i], weight[touched[i]]};
		weight[touched[i]] = 0;
	}
	return TLV_OK;
}

static tlv_status
open_merge(tlv_context *ctx, merge_work *work, const int32_t *label)
{
	double edges = 0, expected = 0, all = work->part * work->task->total;
	size_t *begin;
	int32_t *members, *touched;
	double *weight;

	TLV_TRY_NEW0(ctx, work->all, work->n);
	TLV_TRY_NEW(ctx, work->into, work->n);
	TLV_TRY_NEW0(ctx, weight, work->n);
	TLV_TRY_NEW(ctx, touched, work->n);
	TLV_TRY(tlv_level_members(ctx, work->task->edges.rows, label, work->n, &begin, &members));
	for (size_t c = 0; c < work->n; c++)
	{
		community *own = &work->all[c];

		TLV_TRY(count_neighbours(ctx, work, label, c, members + begin[c], begin[c + 1] - begin[c],
								 weight, touched));
		work->into[c] = (int32_t) c;
		expected += expected_inside(work, own);
		for (size_t i = 0; i < own->n; i++)
			edges += own->near[i].edges / 2;
	}
	/* never 0, and never above the rate inside by chance alone */
	work->between = (edges + 1) / (fmax(all - expected, 0) + 1);
	TLV_TRY(create_winners(ctx, work->n, &work->gains));
	TLV_TRY(create_winners(ctx, work->n, &work->sizes));
	for (size_t c = 0; c < work->n; c++)
	{
		TLV_TRY_CONTINUE(ctx);
		find_partner(work, c);
		enter_community(work, c);
	}
	tlv_free(ctx, members);
	tlv_free(ctx, begin);
	tlv_free(ctx, touched);
	tlv_free(ctx, weight);
	return TLV_OK;
}

static void
close_merge(tlv_context *ctx, merge_work *work)
{
	for (size_t c = 0; c < work->n; c++)
		tlv_free(ctx, work->all[c].near);
	tlv_free(ctx, work->all);
	tlv_free(ctx, work->into);
	tlv_free(ctx, work->gains.at);
	tlv_free(ctx, work->sizes.at);
}

/* ---- merges ---- */

static neighbour *
find_neighbour(community *own, size_t c)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->near[i].community == (int32_t) c)
			return &own->near[i];
	return NULL;
}

/* The pair to be merged next: the best one that edges join, or the two smallest communities. */
static void
community_next_pair(const merge_work *work, size_t *a, size_t *b)
{
	const community *all = work->all;
	int32_t best = work->gains.at[1];
	const neighbour *joint;

	*a = (size_t) work->sizes.at[1];
	*b = (size_t) second_winner(work, &work->sizes, is_smaller);
	joint = find_neighbour(&work->all[*a], *b);
	if (best != COMMUNITY_NOBODY &&
		all[best].gain >= merge_gain(work, &all[*a], &all[*b], joint != NULL ? joint->edges : 0))
	{
		*a = (size_t) best;
		*b = (size_t) all[best].partner;
	}
}

/* In the list of t, b's edges become a's. */
static void
redirect(community *t, size_t a, size_t b)
{
	neighbour *of_b = find_neighbour(t, b), *of_a = find_neighbour(t, a);

	if (of_a == NULL)
		of_b->community = (int32_t) a;
	else
	{
		of_a->edges += of_b->edges;
		*of_b = t->near[--t->n];
	}
}

/* b into a */
static tlv_status
merge_pair(tlv_context *ctx, merge_work *work, size_t a, size_t b)
{
	community *to = &work->all[a], *from = &work->all[b];
	neighbour *joint = find_neighbour(to, b);

	to->inside += from->inside;
	if (joint != NULL)
	{
		to->inside += joint->edges;
		*joint = to->near[--to->n];
	}
	for (int s = 0; s < 2; s++)
		to->mass[s] += from->mass[s];
	TLV_TRY(reserve_neighbours(ctx, to, to->n + from->n));
	for (size_t i = 0; i < from->n; i++)
	{
		size_t t = (size_t) from->near[i].community;
		neighbour *known;

		if (t == a)
			continue;
		redirect(&work->all[t], a, b);
		known = find_neighbour(to, t);
		if (known != NULL)
			known->edges += from->near[i].edges;
		else
			to->near[to->n++] = from->near[i];
	}
	tlv_free(ctx, from->near);
	from->near = NULL;
	from->n = 0;
	work->into[b] = (int32_t) a;
	work->left--;
	find_partner(work, a);
	for (size_t i = 0; i < to->n; i++)
	{
		community *t = &work->all[to->near[i].community];
		double gain = merge_gain(work, t, to, to->near[i].edges);

		if (t->partner == (int32_t) a || t->partner == (int32_t) b)
			find_partner(work, (size_t) to->near[i].community);
		else if (gain > t->gain)
		{
			t->gain = gain;
			t->partner = (int32_t) a;
		}
		enter_community(work, (size_t) to->near[i].community);
	}
	enter_community(work, a);
	enter_community(work, b);
	return TLV_OK;
}

static int32_t
final_community(merge_work *work, int32_t c)
{
	while (work->into[c] != c)
		c = work->into[c] = work->into[work->into[c]];
	return c;
}

/* Labels 0 .. left - 1 of where the communities have gone. */
static tlv_status
relabel_merged(tlv_context *ctx, merge_work *work, int32_t *label)
{
	int32_t *number, next = 0;

	TLV_TRY_NEW(ctx, number, work->n);
	for (size_t c = 0; c < work->n; c++)
		number[c] = work->into[c] == (int32_t) c ? next++ : COMMUNITY_NOBODY;
	for (size_t u = 0; u < work->task->edges.rows; u++)
		label[u] = number[final_community(work, label[u])];
	tlv_free(ctx, number);
	return TLV_OK;
}

tlv_status
tlv_merge_communities(tlv_context *ctx, const tlv_level_task *task, size_t n, size_t k,
					  int32_t *label)
{
	merge_work work = {.task = task, .n = n, .left = n, .part = task->sides ? 1 : 0.5};

	if (n <= k)
		return TLV_OK;
	TLV_TRY(open_merge(ctx, &work, label));
	while (work.left > k)
	{
		size_t a, b;

		if (work.left % 16 == 0 || work.n > 65536)
			TLV_TRY_CONTINUE(ctx);
		community_next_pair(&work, &a, &b);
		TLV_TRY(merge_pair(ctx, &work, a, b));
	}
	TLV_TRY(relabel_merged(ctx, &work, label));
	close_merge(ctx, &work);
	return TLV_OK;
}
