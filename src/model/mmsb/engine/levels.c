/*
 * levels.c - local moves on levels of a graph (levels.h).
 */
#include "levels.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/rng.h"

/* One level: its nodes are parts of the graph. */
typedef struct level
{
	tlv_csr edges; /* without loops */
	double *mass[2];
	int32_t *label; /* n */
} level;

typedef struct level_work
{
	const tlv_level_task *task;
	double cost; /* resolution over total */
	tlv_rng rng;
	size_t entries;	   /* since the last look at tlv_should_stop() */
	double *ends[2];   /* n: masses of communities; of one side the first */
	int32_t *members;  /* n: nodes of communities */
	double *weight;	   /* n: of the edges from a node to communities */
	int32_t *touched;  /* n + 1: communities with such edges */
	int32_t *empty;	   /* n: communities without nodes */
	int32_t *queue;	   /* n, a ring */
	bool *waits;	   /* n: nodes that are in it */
	int64_t *shuffled; /* n */
} level_work;

double
tlv_levels_memory(const tlv_level_task *task)
{
	double n = (double) task->edges.rows;

	return 8 * 8 * n + 5 * 4 * n + n + 4 * (12 * (double) task->edges.entries + 24 * n);
}

static tlv_status
create_level_work(tlv_context *ctx, const tlv_level_task *task, level_work *work)
{
	size_t n = task->edges.rows;

	memset(work, 0, sizeof(*work));
	work->task = task;
	work->cost = task->resolution / task->total;
	tlv_rng_seed(&work->rng, task->seed);
	TLV_TRY_NEW(ctx, work->ends[0], n);
	if (task->sides)
		TLV_TRY_NEW(ctx, work->ends[1], n);
	TLV_TRY_NEW(ctx, work->members, n);
	TLV_TRY_NEW0(ctx, work->weight, n);
	TLV_TRY_NEW(ctx, work->touched, n + 1);
	TLV_TRY_NEW(ctx, work->empty, n);
	TLV_TRY_NEW(ctx, work->queue, n);
	TLV_TRY_NEW(ctx, work->waits, n);
	TLV_TRY_NEW(ctx, work->shuffled, n);
	return TLV_OK;
}

static void
free_level_work(tlv_context *ctx, level_work *work)
{
	tlv_free(ctx, work->ends[0]);
	tlv_free(ctx, work->ends[1]);
	tlv_free(ctx, work->members);
	tlv_free(ctx, work->weight);
	tlv_free(ctx, work->touched);
	tlv_free(ctx, work->empty);
	tlv_free(ctx, work->queue);
	tlv_free(ctx, work->waits);
	tlv_free(ctx, work->shuffled);
}

/* What a node costs in a community: its expected edges there, by the resolution. */
static inline double
expected_cost(const level_work *work, const level *at, size_t u, int32_t c)
{
	if (!work->task->sides)
		return work->cost * at->mass[0][u] * work->ends[0][c];
	return work->cost * (at->mass[0][u] * work->ends[1][c] + at->mass[1][u] * work->ends[0][c]);
}

/* Adds a node to a community (by = 1), or takes it away (by = -1). */
static inline void
count_member(level_work *work, const level *at, size_t u, int32_t c, int by)
{
	work->ends[0][c] += by * at->mass[0][u];
	if (work->task->sides)
		work->ends[1][c] += by * at->mass[1][u];
	work->members[c] += by;
}

/* Sums over communities, those without nodes, and all nodes in the queue, in random order. */
static tlv_status
levels_begin_moves(tlv_context *ctx, level_work *work, const level *at, size_t *empties)
{
	size_t n = at->edges.rows;

	/* New pages of millions of nodes take their time. */
	TLV_TRY_CONTINUE(ctx);
	memset(work->ends[0], 0, n * sizeof(double));
	TLV_TRY_CONTINUE(ctx);
	if (work->task->sides)
		memset(work->ends[1], 0, n * sizeof(double));
	TLV_TRY_CONTINUE(ctx);
	memset(work->members, 0, n * sizeof(int32_t));
	TLV_TRY_CONTINUE(ctx);
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		count_member(work, at, u, at->label[u], 1);
	}
	*empties = 0;
	for (size_t c = n; c-- > 0;)
		if (work->members[c] == 0)
			work->empty[(*empties)++] = (int32_t) c;
	TLV_TRY(tlv_rng_permutation(ctx, &work->rng, n, work->shuffled));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		work->queue[i] = (int32_t) work->shuffled[i];
		work->waits[i] = true;
	}
	return TLV_OK;
}

/*
 * Adds the weight of each edge of a node to that of the label at its other end; with parts, of the
 * edges inside the node's own part only.  n labels have been touched before; returns how many are
 * afterwards.  Whether a label is met for the first time is as good as random: it is counted, not
 * branched on.
 */
static inline __attribute__((always_inline)) size_t
add_end_weights(level_work *work, const level *at, const float *value, const int32_t *part,
				const int32_t *label, size_t u, size_t n)
{
	size_t end = at->edges.start[u + 1];
	const int32_t *restrict index = at->edges.index;
	int32_t *restrict touched = work->touched;
	double *restrict weight = work->weight;

	for (size_t e = at->edges.start[u]; e < end; e++)
	{
		int32_t c = label[index[e]];
		bool inside = part == NULL || part[index[e]] == part[u];
		double before = weight[c], edge = value == NULL ? 1 : (double) value[e];

		touched[n] = c;
		n += inside & !(before > 0);
		weight[c] = before + (part == NULL ? edge : edge * inside);
	}
	return n;
}

/* Weights of a node's edges to communities, of those inside its own part where there are parts. */
static size_t
weigh_communities(level_work *work, const level *at, const int32_t *part, size_t u)
{
	const float *value = at->edges.value;

	if (value == NULL)
		return part == NULL ? add_end_weights(work, at, NULL, NULL, at->label, u, 0)
							: add_end_weights(work, at, NULL, part, at->label, u, 0);
	return part == NULL ? add_end_weights(work, at, value, NULL, at->label, u, 0)
						: add_end_weights(work, at, value, part, at->label, u, 0);
}

/* The community where u, which is in none, is best; its own when as good, a new one when all lose.
 */
static int32_t
best_community(level_work *work, const level *at, size_t u, size_t touched, size_t empties)
{
	/* A move gains at least this part of an edge. */
	const double least_gain = 1e-7;
	int32_t own = at->label[u], best = own;
	double most = work->weight[own] - expected_cost(work, at, u, own) + least_gain;

	for (size_t i = 0; i < touched; i++)
	{
		int32_t c = work->touched[i];
		double gain = work->weight[c] - expected_cost(work, at, u, c);

		if (c != own && gain > most)
		{
			most = gain;
			best = c;
		}
	}
	if (most < 0 && work->members[own] > 0 && empties > 0)
		best = work->empty[empties - 1];
	for (size_t i = 0; i < touched; i++)
		work->weight[work->touched[i]] = 0;
	return best;
}

/* Counts the entries of a node's row, now and then with a look at tlv_should_stop(). */
static inline tlv_status
community_count_entries(tlv_context *ctx, level_work *work, const level *at, size_t u)
{
	/* Entries between two looks at tlv_should_stop(). */
	const int chunk_entries = 200000;
	work->entries += at->edges.start[u + 1] - at->edges.start[u] + 1;
	if (work->entries <= chunk_entries)
		return TLV_OK;
	work->entries = 0;
	TLV_TRY_CONTINUE(ctx);
	return TLV_OK;
}

/* Moves nodes of a level until none gains; *moves counts. */
static tlv_status
move_nodes(tlv_context *ctx, level_work *work, level *at, size_t *moves)
{
	/* Looks at a node of one level, on average, after which it is left as it is. */
	const int most_looks = 100;
	size_t n = at->edges.rows, empties = 0, waiting = n, first = 0, looks = 0;

	*moves = 0;
	TLV_TRY(levels_begin_moves(ctx, work, at, &empties));
	for (; waiting > 0 && looks < most_looks * n; looks++)
	{
		size_t u = (size_t) work->queue[first], touched;
		int32_t own = at->label[u], best;

		first = first + 1 < n ? first + 1 : 0;
		waiting--;
		work->waits[u] = false;
		TLV_TRY(community_count_entries(ctx, work, at, u));
		touched = weigh_communities(work, at, NULL, u);
		count_member(work, at, u, own, -1);
		best = best_community(work, at, u, touched, empties);
		count_member(work, at, u, best, 1);
		if (best == own)
			continue;
		empties -= work->members[best] == 1;
		if (work->members[own] == 0)
			work->empty[empties++] = own;
		at->label[u] = best;
		++*moves;
		for (size_t e = at->edges.start[u]; e < at->edges.start[u + 1]; e++)
		{
			int32_t v = at->edges.index[e];

			if (work->waits[v] || at->label[v] == best)
				continue;
			work->waits[v] = true;
			work->queue[(first + waiting++) % n] = v;
		}
	}
	return TLV_OK;
}

/* The labels of n nodes, below most, to 0 .. *found - 1, in the order in which they occur; work of
 * most. */
static tlv_status
compact_labels(tlv_context *ctx, size_t n, size_t most, int32_t *label, int32_t *work,
			   size_t *found)
{
	for (size_t c = 0; c < most; c++)
		work[c] = -1;
	*found = 0;
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		if (work[label[u]] < 0)
			work[label[u]] = (int32_t) (*found)++;
		label[u] = work[label[u]];
	}
	return TLV_OK;
}

static void
free_level(tlv_context *ctx, level *at)
{
	tlv_csr_free(ctx, &at->edges);
	tlv_free(ctx, at->mass[0]);
	tlv_free(ctx, at->mass[1]);
	tlv_free(ctx, at->label);
}

tlv_status
tlv_level_members(tlv_context *ctx, size_t n, const int32_t *part, size_t parts, size_t **begin,
				  int32_t **members)
{
	TLV_TRY_NEW0(ctx, *begin, parts + 2);
	TLV_TRY_NEW(ctx, *members, n);
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		(*begin)[part[u] + 2]++;
	}
	for (size_t c = 2; c < parts + 2; c++)
		(*begin)[c] += (*begin)[c - 1];
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		(*members)[(*begin)[part[u] + 1]++] = (int32_t) u;
	}
	return TLV_OK;
}

/* No more room than for n entries. */
static tlv_status
trim_entries(tlv_context *ctx, tlv_csr *edges, size_t n)
{
	size_t room = n > 0 ? n : 1;

	edges->entries = n;
	edges->index = tlv_realloc(ctx, edges->index, room, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, edges->index);
	edges->value = tlv_realloc(ctx, edges->value, room, sizeof(float));
	TLV_TRY_ALLOC(ctx, edges->value);
	return TLV_OK;
}

/* Adds the edges of a node, those inside its part with them, to what its part has with others. */
static size_t
weigh_parts(level_work *work, const level *at, const int32_t *part, size_t u, size_t n)
{
	return at->edges.value == NULL ? add_end_weights(work, at, NULL, NULL, part, u, n)
								   : add_end_weights(work, at, at->edges.value, NULL, part, u, n);
}

/* The edges between parts of a level. */
static tlv_status
join_edges(tlv_context *ctx, level_work *work, const level *at, const int32_t *part, size_t parts,
		   level *next)
{
	size_t *begin, n = 0;
	int32_t *members;

	TLV_TRY(tlv_level_members(ctx, at->edges.rows, part, parts, &begin, &members));
	TLV_TRY(tlv_csr_create(ctx, parts, parts, at->edges.entries, true, &next->edges));
	for (size_t c = 0; c < parts; c++)
	{
		size_t touched = 0;

		for (size_t i = begin[c]; i < begin[c + 1]; i++)
		{
			TLV_TRY(community_count_entries(ctx, work, at, (size_t) members[i]));
			touched = weigh_parts(work, at, part, (size_t) members[i], touched);
		}
		for (size_t i = 0; i < touched; i++)
		{
			int32_t to = work->touched[i];

			if (to != (int32_t) c)
			{
				next->edges.index[n] = to;
				next->edges.value[n++] = (float) work->weight[to];
			}
			work->weight[to] = 0;
		}
		next->edges.start[c + 1] = n;
	}
	tlv_free(ctx, members);
	tlv_free(ctx, begin);
	return trim_entries(ctx, &next->edges, n);
}

/* The level whose nodes are the parts of this one, labelled as their first nodes are. */
static tlv_status
join_parts(tlv_context *ctx, level_work *work, const level *at, const int32_t *part, size_t parts,
		   level *next)
{
	size_t found;

	memset(next, 0, sizeof(*next));
	TLV_TRY(join_edges(ctx, work, at, part, parts, next));
	TLV_TRY_NEW0(ctx, next->mass[0], parts);
	TLV_TRY_NEW0(ctx, next->mass[1], parts);
	TLV_TRY_NEW(ctx, next->label, parts);
	for (size_t u = at->edges.rows; u-- > 0;)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		for (int s = 0; s < 2; s++)
			next->mass[s][part[u]] += at->mass[s][u];
		next->label[part[u]] = at->label[u];
	}
	/* there are no more labels than parts */
	return compact_labels(ctx, parts, at->edges.rows, next->label, work->queue, &found);
}

/*
 * Every node that is still a part by itself, in random order, goes where it gains most within its
 * community, once.
 */
static tlv_status
grow_parts(tlv_context *ctx, level_work *work, level *single, const int32_t *community)
{
	size_t n = single->edges.rows, empties;

	TLV_TRY(levels_begin_moves(ctx, work, single, &empties));
	for (size_t i = 0; i < n; i++)
	{
		size_t u = (size_t) work->queue[i], touched;

		TLV_TRY(community_count_entries(ctx, work, single, u));
		if (work->members[single->label[u]] > 1)
			continue;
		touched = weigh_communities(work, single, community, u);
		count_member(work, single, u, single->label[u], -1);
		single->label[u] = best_community(work, single, u, touched, 0);
		count_member(work, single, u, single->label[u], 1);
	}
	return TLV_OK;
}

/* Parts of the communities of a level, each grown from single nodes. */
static tlv_status
refine_parts(tlv_context *ctx, level_work *work, const level *at, int32_t *part, size_t *parts)
{
	level single = *at;
	size_t n = at->edges.rows;

	single.label = part;
	for (size_t u = 0; u < n; u++)
		part[u] = (int32_t) u;
	TLV_TRY(grow_parts(ctx, work, &single, at->label));
	return compact_labels(ctx, n, n, part, work->queue, parts);
}

/* All levels from this one up; its labels are what they come to. */
static tlv_status
community_climb(tlv_context *ctx, level_work *work, level *at, int height, size_t *moves)
{
	/* Levels; each has at most the nodes of the one below. */
	const int most_levels = 40;
	size_t n = at->edges.rows, parts, above;
	int32_t *part;
	level next;

	TLV_TRY(move_nodes(ctx, work, at, moves));
	TLV_TRY_NEW(ctx, part, n);
	TLV_TRY(refine_parts(ctx, work, at, part, &parts));
	if (parts < n && height < most_levels)
	{
		TLV_TRY(join_parts(ctx, work, at, part, parts, &next));
		TLV_TRY(community_climb(ctx, work, &next, height + 1, &above));
		*moves += above;
		for (size_t u = 0; u < n; u++)
		{
			TLV_TRY_CONTINUE_AT(ctx, u);
			at->label[u] = next.label[part[u]];
		}
		free_level(ctx, &next);
	}
	tlv_free(ctx, part);
	return TLV_OK;
}

static level
level_of_task(const tlv_level_task *task, int32_t *label)
{
	return (level){.edges = task->edges,
				   .mass = {(double *) task->mass[0], (double *) task->mass[1]},
				   .label = label};
}

tlv_status
tlv_levels_search(tlv_context *ctx, const tlv_level_task *task, int32_t *label, size_t *found)
{
	level bottom = level_of_task(task, label);
	level_work work;
	size_t moves = 1;

	TLV_TRY(create_level_work(ctx, task, &work));
	for (int round = 0; round < task->rounds && moves > 0; round++)
		TLV_TRY(community_climb(ctx, &work, &bottom, 0, &moves));
	TLV_TRY(compact_labels(ctx, task->edges.rows, task->edges.rows, label, work.queue, found));
	free_level_work(ctx, &work);
	TLV_TRY_CONTINUE(ctx); /* large blocks take their time */
	return TLV_OK;
}
