/*
 * groups.c - moves of nodes and joins of groups while the evidence grows (groups.h).
 *
 * Moves come before joins, and begin with priors as weak as one edge: those that are fitted to a
 * partition that explains nothing imply that nothing differs, and would keep it.
 */
#include "groups.h"
#include "class_prior.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/rng.h"

/* A move or a join gains at least this, in nats. */
#define LEAST_STEP 1e-9

#define INSIDE	0
#define BETWEEN 1

/* The nodes of a group, and their edges from it and to it; undirected: both the same. */
typedef struct group
{
	double size, degree[2];
} group;

typedef struct groups
{
	const tlv_group_task *task;
	const tlv_csr *edges;
	const size_t *split; /* where the edges to a node begin; undirected: where its edges end */
	bool directed;
	size_t n, k, room;
	double total, ends, constant; /* edges; sum of degrees; what the labels do not change */
	int32_t *label;
	group *group;			  /* room */
	tlv_score_sums *pairs;	  /* room x room, source by target */
	double *value;			  /* room x room: evidence of pairs, of both directions together */
	tlv_score_sums *own[2];	  /* room: of one node's edges, by direction; undirected: the same */
	double *kept;			  /* room: values of a group before a trial */
	int64_t *order;			  /* n: nodes as they are looked at */
	bool *candidate;		  /* room: groups of a node's neighbours, and one at random */
	tlv_class_prior prior[2]; /* inside groups, between them */
	size_t evaluations;
	tlv_rng rng;
} groups;

/* ---- evidence ---- */

/* Edges that a group is expected to have with another or with itself, at rate 1. */
static double
groups_expected(const groups *g, const group *from, const group *to)
{
	double part = from == to && !g->directed ? 0.5 : 1;

	if (g->task->corrected)
		return part * from->degree[0] * to->degree[1] / g->ends;
	return part * from->size * (from == to ? to->size - 1 : to->size);
}

static double
pair_evidence(groups *g, const tlv_score_sums *pair, const group *from, const group *to)
{
	g->evaluations++;
	return tlv_class_evidence(&g->prior[from == to ? INSIDE : BETWEEN], pair,
							  groups_expected(g, from, to));
}

static void
set_value(groups *g, size_t a, size_t b)
{
	double value = pair_evidence(g, &g->pairs[a * g->room + b], &g->group[a], &g->group[b]);

	if (g->directed && a != b)
		value += pair_evidence(g, &g->pairs[b * g->room + a], &g->group[b], &g->group[a]);
	g->value[a * g->room + b] = g->value[b * g->room + a] = value;
}

/* Evidence of who is in a group, and of the degrees there given their sums. */
static double
members_evidence(const groups *g, const group *of)
{
	double value = tlv_fast_lgamma(of->size + 1);

	for (size_t s = 0; s < (g->directed ? 2 : 1) && g->task->corrected; s++)
		if (of->degree[s] > 0)
			value += of->degree[s] * log(of->degree[s] / g->ends) + tlv_fast_lgamma(of->size) -
					 tlv_fast_lgamma(of->size + of->degree[s]);
	return value;
}

static double
number_evidence(const groups *g, size_t k)
{
	double n = (double) g->n;

	return tlv_fast_lgamma((double) k) + tlv_fast_lgamma(n - (double) k + 1) - tlv_fast_lgamma(n);
}

static double
groups_evidence(const groups *g)
{
	double value = g->constant + number_evidence(g, g->k);

	for (size_t a = 0; a < g->k; a++)
	{
		value += members_evidence(g, &g->group[a]);
		for (size_t b = a; b < g->k; b++)
			value += g->value[a * g->room + b];
	}
	return value;
}

/* ---- priors ---- */

/* The priors of largest evidence, or weak ones; then values of all pairs. */
static tlv_status
fit_priors(tlv_context *ctx, groups *g, bool weak)
{
	tlv_score_sums *pairs;
	double *expected;

	TLV_TRY_NEW_ROWS(ctx, pairs, g->k, g->k);
	TLV_TRY_NEW_ROWS(ctx, expected, g->k, g->k);
	for (size_t class = INSIDE; class <= BETWEEN; class ++)
	{
		size_t n = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < g->k; a++)
			for (size_t b = g->directed ? 0 : a; b < g->k; b++)
			{
				if ((a == b) != (class == INSIDE))
					continue;
				expected[n] = groups_expected(g, &g->group[a], &g->group[b]);
				pairs[n++] = g->pairs[a * g->room + b];
			}
		TLV_TRY(tlv_class_fit(ctx, n, pairs, expected, weak, &g->prior[class]));
	}
	tlv_free(ctx, expected);
	tlv_free(ctx, pairs);
	for (size_t a = 0; a < g->k; a++)
		for (size_t b = a; b < g->k; b++)
			set_value(g, a, b);
	return TLV_OK;
}

/* ---- opening ---- */

/* Adds a node to what its group has of nodes and edges, or takes it away (by = -1). */
static void
add_member(groups *g, size_t u, size_t a, int by)
{
	double from = (double) (g->split[u] - g->edges->start[u]);
	double to = g->directed ? (double) (g->edges->start[u + 1] - g->split[u]) : from;

	g->group[a].size += by;
	g->group[a].degree[0] += by * from;
	g->group[a].degree[1] += by * to;
}

/* Sums over the edges; undirected ones inside a group are met from both ends. */
static tlv_status
sum_groups(tlv_context *ctx, groups *g)
{
	const tlv_rank_scores *scores = g->task->scores;

	memset(g->pairs, 0, g->room * g->room * sizeof(tlv_score_sums));
	memset(g->group, 0, g->room * sizeof(group));
	for (size_t u = 0; u < g->n; u++)
	{
		size_t a = (size_t) g->label[u];

		TLV_TRY_CONTINUE_AT(ctx, u);
		add_member(g, u, a, 1);
		for (size_t e = g->edges->start[u]; e < g->split[u]; e++)
		{
			size_t b = (size_t) g->label[g->edges->index[e]];
			tlv_score_sums *pair = &g->pairs[a * g->room + b];
			double part = a == b && !g->directed ? 0.5 : 1;

			pair->n += part;
			pair->sum += part * (double) scores->score[e];
			pair->squares += part * (double) scores->square[e];
		}
	}
	return TLV_OK;
}

static tlv_status
open_groups(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t k, groups *g)
{
	size_t n = task->edges->rows, directed = task->split != NULL;
	double square = (double) k * (double) k, total = (double) task->edges->entries / 2;

	*g = (groups){.task = task,
				  .edges = task->edges,
				  .split = directed ? task->split : task->edges->start + 1,
				  .directed = directed,
				  .n = n,
				  .k = k,
				  .room = k,
				  .total = total,
				  .ends = directed ? total : 2 * total,
				  .label = label};
	tlv_rng_seed(&g->rng, task->seed);
	g->constant =
		-tlv_fast_lgamma((double) n + 1) - log((double) n) + (task->follow ? 0 : task->alike);
	for (size_t u = 0; u < n && task->corrected; u++)
		g->constant += tlv_fast_lgamma((double) (g->split[u] - g->edges->start[u]) + 1) +
					   tlv_fast_lgamma((double) (g->edges->start[u + 1] - g->split[u]) + 1);
	g->constant += task->corrected ? total * log(g->ends) : 0;
	TLV_TRY(tlv_require_memory(ctx, 64 * square + 128 * (double) k + 8 * (double) n,
							   "the edges between groups"));
	TLV_TRY_NEW_ROWS(ctx, g->pairs, k + 2, k);
	TLV_TRY_NEW_ROWS(ctx, g->value, k + 1, k);
	TLV_TRY_NEW(ctx, g->group, k);
	TLV_TRY_NEW(ctx, g->order, n);
	TLV_TRY_NEW0(ctx, g->candidate, k);
	for (int class = INSIDE; class <= BETWEEN; class ++)
		TLV_TRY(tlv_class_prior_create(ctx, task->edges->entries, task->follow, &g->prior[class]));
	g->own[0] = g->pairs + k * k;
	g->own[1] = g->own[0] + directed * k;
	g->kept = g->value + k * k;
	TLV_TRY(sum_groups(ctx, g));
	return fit_priors(ctx, g, false);
}

static void
close_groups(tlv_context *ctx, groups *g)
{
	tlv_free(ctx, g->pairs);
	tlv_free(ctx, g->value);
	tlv_free(ctx, g->group);
	tlv_free(ctx, g->order);
	tlv_free(ctx, g->candidate);
	tlv_class_prior_free(ctx, &g->prior[INSIDE]);
	tlv_class_prior_free(ctx, &g->prior[BETWEEN]);
}

/* ---- moves ---- */

/* Sums of a node's edges by group, and the groups that it may move to. */
static void
groups_sum_node(groups *g, size_t u)
{
	const tlv_rank_scores *scores = g->task->scores;

	memset(g->own[0], 0, g->k * sizeof(tlv_score_sums));
	memset(g->own[1], 0, g->k * sizeof(tlv_score_sums));
	memset(g->candidate, 0, g->k * sizeof(bool));
	g->candidate[tlv_rng_below(&g->rng, g->k)] = true;
	for (size_t e = g->edges->start[u]; e < g->edges->start[u + 1]; e++)
	{
		size_t b = (size_t) g->label[g->edges->index[e]];
		tlv_score_sums *own = &g->own[e >= g->split[u]][b];

		g->candidate[b] = true;
		own->n += 1;
		own->sum += (double) scores->score[e];
		own->squares += (double) scores->square[e];
	}
}

static void
groups_add_sums(tlv_score_sums *to, const tlv_score_sums *from, int by)
{
	to->n += by * from->n;
	to->sum += by * from->sum;
	to->squares += by * from->squares;
}

/* Adds a node, whose edges are summed, to group a (by = 1), or takes it away (by = -1). */
static void
count_in_group(groups *g, size_t u, size_t a, int by)
{
	add_member(g, u, a, by);
	for (size_t t = 0; t < g->k; t++)
	{
		groups_add_sums(&g->pairs[a * g->room + t], &g->own[0][t], by);
		if (g->directed || t != a)
			groups_add_sums(&g->pairs[t * g->room + a], &g->own[1][t], by);
	}
}

/* Evidence of all that a group takes part in. */
static double
row_evidence(const groups *g, size_t a)
{
	double value = members_evidence(g, &g->group[a]);

	for (size_t t = 0; t < g->k; t++)
		value += g->value[a * g->room + t];
	return value;
}

/* The same with values of the group as it is; returns the gain. */
static double
put_in_group(groups *g, size_t u, size_t a, int by)
{
	double before = row_evidence(g, a);

	count_in_group(g, u, a, by);
	for (size_t t = 0; t < g->k; t++)
		set_value(g, a, t);
	return row_evidence(g, a) - before;
}

/* The gain of a node, which is in no group, in group a; everything is as before. */
static double
gain_in_group(groups *g, size_t u, size_t a)
{
	double gain, *row = g->value + a * g->room;

	memcpy(g->kept, row, g->k * sizeof(double));
	gain = put_in_group(g, u, a, 1);
	count_in_group(g, u, a, -1);
	for (size_t t = 0; t < g->k; t++)
		row[t] = g->value[t * g->room + a] = g->kept[t];
	return gain;
}

/* The best group of a node; a group is left by its last node only in a join. */
static bool
try_node(groups *g, size_t u)
{
	size_t r = (size_t) g->label[u], best = r;
	double most;

	if (g->group[r].size < 2)
		return false;
	groups_sum_node(g, u);
	(void) put_in_group(g, u, r, -1);
	most = gain_in_group(g, u, r) + LEAST_STEP;
	for (size_t s = 0; s < g->k; s++)
	{
		double gain = s != r && g->candidate[s] ? gain_in_group(g, u, s) : -HUGE_VAL;

		best = gain > most ? s : best;
		most = fmax(most, gain);
	}
	(void) put_in_group(g, u, best, 1);
	g->label[u] = (int32_t) best;
	return best != r;
}

/* Until no node moves, no more than the given number of sweeps. */
static tlv_status
sweep_nodes(tlv_context *ctx, groups *g, int sweeps)
{
	bool moved = true;

	for (int i = 0; i < sweeps && moved && g->k > 1; i++)
	{
		moved = false;
		TLV_TRY(tlv_rng_permutation(ctx, &g->rng, g->n, g->order));
		for (size_t j = 0; j < g->n && g->evaluations < GROUP_EVALUATIONS; j++)
		{
			if (j % 16 == 0)
				TLV_TRY_CONTINUE(ctx);
			moved |= try_node(g, (size_t) g->order[j]);
		}
	}
	return TLV_OK;
}

/* ---- joins ---- */

/* Evidence of the edges that the union of groups r and s has with group t. */
static double
joined_evidence(groups *g, const group *both, size_t r, size_t s, size_t t)
{
	tlv_score_sums from = g->pairs[r * g->room + t], to = g->pairs[t * g->room + r];

	groups_add_sums(&from, &g->pairs[s * g->room + t], 1);
	groups_add_sums(&to, &g->pairs[t * g->room + s], 1);
	return pair_evidence(g, &from, both, &g->group[t]) +
		   (g->directed ? pair_evidence(g, &to, &g->group[t], both) : 0);
}

static double
join_gain(groups *g, size_t r, size_t s)
{
	const size_t room = g->room, own[4] = {r * room + r, s * room + s, r * room + s, s * room + r};
	const group *a = &g->group[r], *b = &g->group[s];
	group both = {a->size + b->size, {a->degree[0] + b->degree[0], a->degree[1] + b->degree[1]}};
	double gain = number_evidence(g, g->k - 1) - number_evidence(g, g->k) +
				  members_evidence(g, &both) - members_evidence(g, a) - members_evidence(g, b);
	tlv_score_sums joined = {0, 0, 0};

	for (int i = 0; i < (g->directed ? 4 : 3); i++)
	{
		groups_add_sums(&joined, &g->pairs[own[i]], 1);
		gain -= i < 3 ? g->value[own[i]] : 0;
	}
	gain += pair_evidence(g, &joined, &both, &both);
	for (size_t t = 0; t < g->k; t++)
		if (t != r && t != s)
			gain += joined_evidence(g, &both, r, s, t) - g->value[r * room + t] -
					g->value[s * room + t];
	return gain;
}

/* Group r into s < r; the last group gets the number r. */
static tlv_status
join_groups(tlv_context *ctx, groups *g, size_t r, size_t s)
{
	int32_t last = (int32_t) g->k - 1;

	for (size_t u = 0; u < g->n; u++)
	{
		g->label[u] = g->label[u] == (int32_t) r ? (int32_t) s : g->label[u];
		g->label[u] = g->label[u] == last ? (int32_t) r : g->label[u];
	}
	g->k--;
	TLV_TRY(sum_groups(ctx, g));
	for (size_t a = 0; a < g->k; a++)
		for (size_t b = a; b < g->k; b++)
			set_value(g, a, b);
	return TLV_OK;
}

/* Joins that gain, or those to the number of groups that is wanted. */
static tlv_status
join_all(tlv_context *ctx, groups *g)
{
	size_t wanted = g->task->k;

	while (g->k > (wanted > 0 ? wanted : 1))
	{
		size_t r = 1, s = 0;
		double most = -HUGE_VAL;

		for (size_t a = 1; a < g->k; a++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t b = 0; b < a; b++)
			{
				double gain = join_gain(g, a, b);

				r = gain > most ? a : r;
				s = gain > most ? b : s;
				most = fmax(most, gain);
			}
		}
		if (most <= LEAST_STEP && wanted == 0 && (g->task->most == 0 || g->k <= g->task->most))
			break;
		TLV_TRY(join_groups(ctx, g, r, s));
	}
	return TLV_OK;
}

/* ---- the search ---- */

static tlv_status
search_groups(tlv_context *ctx, groups *g, double *evidence)
{
	double before;
	int rounds = 0;

	*evidence = -HUGE_VAL;
	TLV_TRY(fit_priors(ctx, g, true));
	TLV_TRY(sweep_nodes(ctx, g, GROUP_SWEEPS));
	do
	{
		before = *evidence;
		TLV_TRY(join_all(ctx, g));
		TLV_TRY(fit_priors(ctx, g, false));
		TLV_TRY(sweep_nodes(ctx, g, GROUP_SWEEPS));
		TLV_TRY(join_all(ctx, g));
		TLV_TRY(fit_priors(ctx, g, false));
		*evidence = groups_evidence(g);
	} while (++rounds < GROUP_ROUNDS && *evidence >= before + LEAST_STEP);
	return TLV_OK;
}

/* Rates are of any number of edges between two nodes: what the condition gains that there is at
 * most one. */
static tlv_status
add_condition(tlv_context *ctx, const groups *g, double *evidence)
{
	const tlv_mmsb_side *side = g->task->fit->side;
	int32_t *label[2] = {g->label, NULL};
	double gain;

	for (size_t s = 0; s < 2 && g->directed; s++)
	{
		TLV_TRY_NEW(ctx, label[s], side[s].n);
		for (size_t u = 0; u < side[s].n; u++)
			label[s][u] = g->label[g->task->number[side[s].position[u]]];
	}
	TLV_TRY(tlv_mmsb_simple_gain(ctx, g->task->fit, label, g->k, g->task->corrected, &gain));
	for (size_t s = 0; s < 2 && g->directed; s++)
		tlv_free(ctx, label[s]);
	*evidence += gain;
	return TLV_OK;
}

tlv_status
tlv_groups_search(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t *k,
				  double *evidence)
{
	groups g;

	TLV_TRY(open_groups(ctx, task, label, *k, &g));
	TLV_TRY(search_groups(ctx, &g, evidence));
	TLV_TRY(add_condition(ctx, &g, evidence));
	*k = g.k;
	close_groups(ctx, &g);
	return TLV_OK;
}

tlv_status
tlv_groups_weigh(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t k,
				 double *evidence)
{
	groups g;

	TLV_TRY(open_groups(ctx, task, label, k, &g));
	*evidence = groups_evidence(&g);
	TLV_TRY(add_condition(ctx, &g, evidence));
	close_groups(ctx, &g);
	return TLV_OK;
}
