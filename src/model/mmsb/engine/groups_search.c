/*
 * groups_search.c - moves of nodes and joins of groups while the evidence grows (groups.h).
 *
 * Moves come before joins, and begin with priors as weak as one edge: those that are fitted to a
 * partition that explains nothing say that nothing differs, and would keep it.
 */
#include "groups.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"

/* A move or a join gains at least this, in nats. */
#define LEAST_STEP 1e-9

/* All gains of joins are computed again after these many joins. */
#define JOINS_BETWEEN 16

typedef struct search
{
	tlv_groups *groups;
	int64_t *order;	  /* n: nodes as they are looked at */
	bool *candidate;  /* k: groups of the neighbours of a node, and one at random */
	int32_t *touched; /* k: the same as a list */
	double *leave;	  /* k: what the pairs of a node's group gain where the node leaves it */
	double *gain;	  /* k x k: of joins */
	bool *stale;	  /* k: groups whose gains are to be computed again */
} search;

static tlv_status
open_search(tlv_context *ctx, tlv_groups *groups, search *work)
{
	size_t k = groups->k;

	*work = (search){.groups = groups};
	TLV_TRY_NEW(ctx, work->order, groups->n);
	TLV_TRY_NEW0(ctx, work->candidate, k);
	TLV_TRY_NEW(ctx, work->touched, k + 1);
	TLV_TRY_NEW(ctx, work->leave, k);
	TLV_TRY_NEW0_ROWS(ctx, work->gain, k, k);
	TLV_TRY_NEW(ctx, work->stale, k);
	return TLV_OK;
}

static void
close_search(tlv_context *ctx, search *work)
{
	tlv_free(ctx, work->order);
	tlv_free(ctx, work->candidate);
	tlv_free(ctx, work->touched);
	tlv_free(ctx, work->leave);
	tlv_free(ctx, work->gain);
	tlv_free(ctx, work->stale);
}

/* ---- moves ---- */

/* Sums of a node's edges by group; the number of candidates. */
static size_t
count_node(search *work, size_t u)
{
	tlv_groups *groups = work->groups;
	const tlv_csr *rows = groups->edges;
	const tlv_rank_scores *scores = groups->task->scores;
	size_t n = 0;

	memset(groups->own_count, 0, 3 * groups->room * sizeof(double));
	for (size_t e = rows->start[u]; e <= rows->start[u + 1]; e++)
	{
		bool random = e == rows->start[u + 1];
		size_t a = random ? tlv_rng_below(&groups->rng, groups->k)
						  : (size_t) groups->label[rows->index[e]];

		if (!work->candidate[a])
			work->touched[n++] = (int32_t) a;
		work->candidate[a] = true;
		if (random)
			continue;
		groups->own_count[a] += 1;
		groups->own_sum[a] += scores == NULL ? 0 : (double) scores->score[e];
		groups->own_squares[a] += scores == NULL ? 0 : (double) scores->square[e];
	}
	return n;
}

/* A group that a node is about to leave or to enter. */
typedef struct changed_group
{
	size_t group;
	double size, degree, told; /* afterwards */
} changed_group;

static changed_group
change_group(const tlv_groups *groups, size_t u, size_t a, int by)
{
	double degree = (double) (groups->edges->start[u + 1] - groups->edges->start[u]), run = 0;
	changed_group changed = {a, groups->size[a] + by, groups->degree[a] + by * degree, 0};

	if (groups->grades > 0)
	{
		run = groups->run[a * groups->grades + (size_t) groups->grade[u]];
		changed.told = groups->told[a] + (by > 0 ? log(run + 1) : -log(run));
	}
	return changed;
}

/* The pair of a changed group and t as it is, with by times the node's edges to t. */
static double
changed_pair(tlv_groups *groups, const changed_group *changed, size_t t, int by)
{
	size_t a = changed->group, i = a * groups->room + t;
	double x = tlv_groups_expected(groups, false, (double[]){changed->size, groups->size[t]},
								   (double[]){changed->degree, groups->degree[t]});

	return tlv_groups_pair(groups, 1, groups->count[i] + by * groups->own_count[t],
						   groups->sum[i] + by * groups->own_sum[t],
						   groups->squares[i] + by * groups->own_squares[t], x) -
		   groups->value[i];
}

/* A changed group with itself. */
static double
changed_inside(tlv_groups *groups, const changed_group *changed, int by)
{
	size_t a = changed->group, i = a * groups->room + a;
	double x = tlv_groups_expected(groups, true, (double[]){changed->size, changed->size},
								   (double[]){changed->degree, changed->degree});

	return tlv_groups_pair(groups, 0, groups->count[i] + by * groups->own_count[a],
						   groups->sum[i] + by * groups->own_sum[a],
						   groups->squares[i] + by * groups->own_squares[a], x) -
		   groups->value[i];
}

/* The pair of both groups: what led from the node to its old group leads there from the new one. */
static double
changed_both(tlv_groups *groups, const changed_group *from, const changed_group *to)
{
	size_t r = from->group, s = to->group, i = r * groups->room + s;
	double x = tlv_groups_expected(groups, false, (double[]){from->size, to->size},
								   (double[]){from->degree, to->degree});

	return tlv_groups_pair(
			   groups, 1, groups->count[i] - groups->own_count[s] + groups->own_count[r],
			   groups->sum[i] - groups->own_sum[s] + groups->own_sum[r],
			   groups->squares[i] - groups->own_squares[s] + groups->own_squares[r], x) -
		   groups->value[i];
}

static double
members_gain(const tlv_groups *groups, const changed_group *changed)
{
	size_t a = changed->group;

	return tlv_groups_members(groups, changed->size, changed->degree, changed->told) -
		   tlv_groups_members(groups, groups->size[a], groups->degree[a], groups->told[a]);
}

/* Sums and values of the groups after a node has moved. */
static void
community_move_node(tlv_groups *groups, size_t u, const changed_group *from,
					const changed_group *to)
{
	const changed_group *both[2] = {from, to};
	size_t room = groups->room;

	for (int i = 0; i < 2; i++)
	{
		size_t a = both[i]->group;
		int by = i == 0 ? -1 : 1;

		groups->size[a] = both[i]->size;
		groups->degree[a] = both[i]->degree;
		groups->told[a] = both[i]->told;
		if (groups->grades > 0)
			groups->run[a * groups->grades + (size_t) groups->grade[u]] += by;
		for (size_t t = 0; t < groups->k; t++)
		{
			groups->count[a * room + t] += by * groups->own_count[t];
			groups->sum[a * room + t] += by * groups->own_sum[t];
			groups->squares[a * room + t] += by * groups->own_squares[t];
			if (t == a)
				continue;
			groups->count[t * room + a] += by * groups->own_count[t];
			groups->sum[t * room + a] += by * groups->own_sum[t];
			groups->squares[t * room + a] += by * groups->own_squares[t];
		}
	}
	groups->label[u] = (int32_t) to->group;
	for (int i = 0; i < 2; i++)
		for (size_t a = both[i]->group, t = 0; t < groups->k; t++)
			groups->value[a * room + t] = groups->value[t * room + a] = tlv_groups_pair(
				groups, a != t, groups->count[a * room + t], groups->sum[a * room + t],
				groups->squares[a * room + t],
				tlv_groups_expected(groups, a == t, (double[]){groups->size[a], groups->size[t]},
									(double[]){groups->degree[a], groups->degree[t]}));
}

/* The best group of a node; a group is left by its last node only in a join. */
static bool
try_node(search *work, size_t u)
{
	tlv_groups *groups = work->groups;
	size_t r = (size_t) groups->label[u], n;
	changed_group from, to, best = {0};
	double most = LEAST_STEP, leaving = 0;

	if (groups->size[r] < 2)
		return false;
	n = count_node(work, u);
	from = change_group(groups, u, r, -1);
	for (size_t t = 0; t < groups->k && n > (size_t) work->candidate[r]; t++)
		if (t != r)
			leaving += work->leave[t] = changed_pair(groups, &from, t, -1);
	if (n > (size_t) work->candidate[r])
		leaving += changed_inside(groups, &from, -1) + members_gain(groups, &from);
	for (size_t i = 0; i < n; i++)
	{
		size_t s = (size_t) work->touched[i];
		double gain;

		work->candidate[s] = false;
		if (s == r)
			continue;
		to = change_group(groups, u, s, 1);
		gain = leaving - work->leave[s] + changed_inside(groups, &to, 1) +
			   members_gain(groups, &to) + changed_both(groups, &from, &to);
		for (size_t t = 0; t < groups->k; t++)
			if (t != r && t != s)
				gain += changed_pair(groups, &to, t, 1);
		if (gain > most)
		{
			most = gain;
			best = to;
		}
	}
	if (most <= LEAST_STEP)
		return false;
	community_move_node(groups, u, &from, &best);
	return true;
}

/* Until no node moves, no more than the given number of sweeps. */
static tlv_status
sweep_nodes(tlv_context *ctx, search *work, int sweeps)
{
	/* Evaluations of pairs of a search: about a second. */
	const int most_evaluations = 10000000;
	tlv_groups *groups = work->groups;
	bool moved = true;

	for (int i = 0; i < sweeps && moved && groups->k > 1; i++)
	{
		moved = false;
		TLV_TRY(tlv_rng_permutation(ctx, &groups->rng, groups->n, work->order));
		for (size_t j = 0; j < groups->n && groups->evaluations < most_evaluations; j++)
		{
			if (j % 16 == 0)
				TLV_TRY_CONTINUE(ctx);
			moved |= try_node(work, (size_t) work->order[j]);
		}
	}
	return TLV_OK;
}

/* ---- joins ---- */

/* told of both groups as one. */
static double
joined_told(const tlv_groups *groups, size_t r, size_t s)
{
	double told = groups->told[r] + groups->told[s];

	for (size_t g = 0; g < groups->grades; g++)
	{
		double a = groups->run[r * groups->grades + g], b = groups->run[s * groups->grades + g];

		if (a > 0 && b > 0)
			told += tlv_fast_lgamma(a + b + 1) - tlv_fast_lgamma(a + 1) - tlv_fast_lgamma(b + 1);
	}
	return told;
}

static double
join_gain(tlv_groups *groups, size_t r, size_t s)
{
	size_t room = groups->room, rr = r * room + r, ss = s * room + s, rs = r * room + s;
	double size = groups->size[r] + groups->size[s], degree = groups->degree[r] + groups->degree[s];
	double gain = tlv_groups_number(groups, groups->k - 1) - tlv_groups_number(groups, groups->k);

	gain += tlv_groups_members(groups, size, degree, joined_told(groups, r, s)) -
			tlv_groups_members(groups, groups->size[r], groups->degree[r], groups->told[r]) -
			tlv_groups_members(groups, groups->size[s], groups->degree[s], groups->told[s]);
	gain += tlv_groups_pair(
		groups, 0, groups->count[rr] + groups->count[ss] + groups->count[rs],
		groups->sum[rr] + groups->sum[ss] + groups->sum[rs],
		groups->squares[rr] + groups->squares[ss] + groups->squares[rs],
		tlv_groups_expected(groups, true, (double[]){size, size}, (double[]){degree, degree}));
	gain -= groups->value[rr] + groups->value[ss] + groups->value[rs];
	for (size_t t = 0; t < groups->k; t++)
	{
		size_t a = r * room + t, b = s * room + t;

		if (t == r || t == s)
			continue;
		gain += tlv_groups_pair(
					groups, 1, groups->count[a] + groups->count[b], groups->sum[a] + groups->sum[b],
					groups->squares[a] + groups->squares[b],
					tlv_groups_expected(groups, false, (double[]){size, groups->size[t]},
										(double[]){degree, groups->degree[t]})) -
				groups->value[a] - groups->value[b];
	}
	return gain;
}

/* Row and column `from` of a square are added to those of `to`. */
static void
add_group(const tlv_groups *groups, double *square, size_t from, size_t to)
{
	size_t room = groups->room;

	square[to * room + to] += square[from * room + from] + square[from * room + to];
	for (size_t t = 0; t < groups->k; t++)
	{
		if (t == from || t == to)
			continue;
		square[to * room + t] += square[from * room + t];
		square[t * room + to] = square[to * room + t];
	}
}

/* Group `from` becomes number `to`, whose own is gone. */
static void
renumber_square(const tlv_groups *groups, double *square, size_t from, size_t to)
{
	size_t room = groups->room;

	square[to * room + to] = square[from * room + from];
	for (size_t t = 0; t < groups->k; t++)
		if (t != from && t != to)
			square[to * room + t] = square[t * room + to] = square[from * room + t];
}

/* Group r into s < r; the last group gets the number r. */
static void
join_groups(search *work, size_t r, size_t s)
{
	tlv_groups *groups = work->groups;
	size_t last = groups->k - 1, grades = groups->grades;
	double *squares[3] = {groups->count, groups->sum, groups->squares};

	groups->told[s] = joined_told(groups, r, s);
	groups->size[s] += groups->size[r];
	groups->degree[s] += groups->degree[r];
	for (size_t g = 0; g < grades; g++)
		groups->run[s * grades + g] += groups->run[r * grades + g];
	for (int i = 0; i < 3; i++)
	{
		add_group(groups, squares[i], r, s);
		renumber_square(groups, squares[i], last, r);
	}
	renumber_square(groups, groups->value, last, r);
	renumber_square(groups, work->gain, last, r);
	groups->size[r] = groups->size[last];
	groups->degree[r] = groups->degree[last];
	groups->told[r] = groups->told[last];
	work->stale[r] = work->stale[last];
	if (grades > 0 && r != last)
		memcpy(groups->run + r * grades, groups->run + last * grades, grades * sizeof(int32_t));
	for (size_t u = 0; u < groups->n; u++)
	{
		int32_t a = groups->label[u];

		groups->label[u] = a == (int32_t) r ? (int32_t) s : a == (int32_t) last ? (int32_t) r : a;
	}
	groups->k--;
	work->stale[s] = true;
	for (size_t t = 0; t < groups->k; t++)
	{
		size_t i = s * groups->room + t;

		groups->value[i] = groups->value[t * groups->room + s] = tlv_groups_pair(
			groups, s != t, groups->count[i], groups->sum[i], groups->squares[i],
			tlv_groups_expected(groups, s == t, (double[]){groups->size[s], groups->size[t]},
								(double[]){groups->degree[s], groups->degree[t]}));
	}
}

/* The best pair, its gains computed where they are stale. */
static double
best_join(search *work, size_t *r, size_t *s)
{
	tlv_groups *groups = work->groups;
	double most = -HUGE_VAL;

	for (size_t a = 1; a < groups->k; a++)
		for (size_t b = 0; b < a; b++)
		{
			double *gain = &work->gain[a * groups->room + b];

			if (work->stale[a] || work->stale[b])
				*gain = work->gain[b * groups->room + a] = join_gain(groups, a, b);
			if (*gain > most)
			{
				most = *gain;
				*r = a;
				*s = b;
			}
		}
	memset(work->stale, 0, groups->room * sizeof(bool));
	return most;
}

/* Joins that gain, or those to the number of groups that is wanted. */
static tlv_status
join_all(tlv_context *ctx, search *work)
{
	tlv_groups *groups = work->groups;
	size_t wanted = groups->task->k, r = 0, s = 0;

	memset(work->stale, 1, groups->room * sizeof(bool));
	for (size_t done = 0; groups->k > (wanted > 0 ? wanted : 1); done++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (best_join(work, &r, &s) <= LEAST_STEP && wanted == 0)
			break;
		join_groups(work, r, s);
		if (done % JOINS_BETWEEN == JOINS_BETWEEN - 1)
			memset(work->stale, 1, groups->room * sizeof(bool));
	}
	return TLV_OK;
}

/* ---- the search ---- */

static tlv_status
search_groups(tlv_context *ctx, search *work, double *evidence)
{
	/* Rounds of joins and moves, and the gain in nats of a round below which it is the last. */
	const int rounds = 5;
	const double least_gain = 1e-3;

	/* Sweeps over the nodes at most, with weak priors and with those that are fitted. */
	const int weak_sweeps = 15, fitted_sweeps = 10;
	tlv_groups *groups = work->groups;

	*evidence = -HUGE_VAL;
	TLV_TRY(tlv_groups_fit(ctx, groups, true));
	TLV_TRY(sweep_nodes(ctx, work, weak_sweeps));
	for (int i = 0; i < rounds; i++)
	{
		double before = *evidence;

		TLV_TRY(join_all(ctx, work));
		TLV_TRY(tlv_groups_fit(ctx, groups, false));
		TLV_TRY(sweep_nodes(ctx, work, fitted_sweeps));
		TLV_TRY(join_all(ctx, work));
		TLV_TRY(tlv_groups_fit(ctx, groups, false));
		*evidence = tlv_groups_evidence(groups);
		if (*evidence < before + least_gain)
			break;
	}
	return TLV_OK;
}

tlv_status
tlv_groups_search(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t *k,
				  double *evidence)
{
	tlv_groups groups;
	search work;

	TLV_TRY(tlv_groups_open(ctx, task, label, *k, &groups));
	TLV_TRY(open_search(ctx, &groups, &work));
	TLV_TRY(search_groups(ctx, &work, evidence));
	*k = groups.k;
	close_search(ctx, &work);
	tlv_groups_close(ctx, &groups);
	return TLV_OK;
}

tlv_status
tlv_groups_weigh(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t k,
				 double *evidence)
{
	tlv_groups groups;

	TLV_TRY(tlv_groups_open(ctx, task, label, k, &groups));
	*evidence = tlv_groups_evidence(&groups);
	tlv_groups_close(ctx, &groups);
	return TLV_OK;
}
