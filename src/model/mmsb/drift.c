/*
 * drift.c - is the graph of a day one of the model's, beside graphs of days that were as they
 * should be? (mmsb.h)
 *
 * The score of P_ab is the number of edges between a and b less what is expected of it.  What is
 * expected of a pair of nodes on a day, where all days are alike, is its mean over this day and
 * those of the reference, with the variance over these days: whatever the model was fitted to, and
 * where its communities are wrong, too.  Pairs are independent given the model, so that sums over
 * pairs have the sums of their variances.  Of one day of reference and edges that are there or not
 * this is McNemar's test (1947).
 *
 * Nodes that change their community leave these sums nearly as they were.  Of a node u and a
 * community b, D is the sum over the edges between u and the members of b of what they differ from
 * their expectation, once blocks are what they are today: D^2 less the sum of the squares has mean
 * 0 and variance 2 (V^2 - sum of v^2), V = sum of v the variance of D.
 */
#include <math.h>

#include "mixed/memberships.h"
#include "tuning.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tuning.h"

/* ---- pairs of nodes, over several days ---- */

typedef struct day
{
	tlv_graph_cursor *cursor;
	bool any; /* there is a pair, not yet taken */
	int64_t source, target;
	double weight;
} day;

typedef struct day_walk
{
	size_t n; /* days: the first is today */
	day *days;
	double unit; /* of weights that are counts; 0: edges are there or not */
	size_t seen;
	size_t edges, unknown; /* of today; those with a node that the model does not have */
} day_walk;

/* What a pair has today, its mean over all days, and its variance. */
typedef struct day_pair
{
	int64_t source, target;
	double today, mean, variance;
} day_pair;

static void
day_next(day *own)
{
	own->any = tlv_graph_cursor_next(own->cursor, &own->source, &own->target, &own->weight);
}

static tlv_status
open_days(tlv_context *ctx, const tlv_frame *graph, size_t n, const tlv_frame *reference,
		  double unit, day_walk *walk)
{
	*walk = (day_walk){.n = n + 1, .unit = unit};
	TLV_TRY_NEW0(ctx, walk->days, walk->n);
	for (size_t i = 0; i < walk->n; i++)
	{
		TLV_TRY(
			tlv_graph_cursor_open(ctx, i == 0 ? graph : reference + i - 1, &walk->days[i].cursor));
		day_next(&walk->days[i]);
	}
	return TLV_OK;
}

static void
close_days(tlv_context *ctx, day_walk *walk)
{
	for (size_t i = 0; i < walk->n; i++)
		tlv_graph_cursor_close(ctx, walk->days[i].cursor);
	tlv_free(ctx, walk->days);
}

static bool
is_before(const day *a, const day *b)
{
	return a->source < b->source || (a->source == b->source && a->target < b->target);
}

/* The next pair that has an edge on any day; false: there is none. */
static bool
next_pair(day_walk *walk, day_pair *pair)
{
	const day *first = NULL;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < walk->n; i++)
		if (walk->days[i].any && (first == NULL || is_before(&walk->days[i], first)))
			first = &walk->days[i];
	if (first == NULL)
		return false;
	*pair = (day_pair){.source = first->source, .target = first->target};
	for (size_t i = 0; i < walk->n; i++)
	{
		day *own = &walk->days[i];
		double x;

		if (!own->any || own->source != pair->source || own->target != pair->target)
			continue;
		x = walk->unit > 0 ? own->weight / walk->unit : 1;
		pair->today = i == 0 ? x : pair->today;
		sum += x;
		squares += x * x;
		day_next(own);
	}
	pair->mean = sum / (double) walk->n;
	pair->variance = fmax(squares / (double) walk->n - pair->mean * pair->mean, 0);
	return true;
}

/* ---- communities ---- */

typedef struct block_sum
{
	double today, mean, variance;
} block_sum;

/* Of a node and a community. */
typedef struct node_sum
{
	double mean, apart, squares, variance, of_squares;
} node_sum;

typedef struct graph_drift
{
	tlv_mmsb_parts parts;
	size_t to;		   /* the side of targets */
	int32_t *label[2]; /* of every node the largest membership; -1: none */
	size_t pairs;	   /* of nodes that are in communities */
	block_sum *blocks; /* k x k, of undirected graphs those a <= b alone */
	node_sum *nodes[2];
} graph_drift;

static tlv_status
find_labels(tlv_context *ctx, graph_drift *state, size_t s)
{
	const tlv_memberships *memberships = &state->parts.side[s].memberships;

	TLV_TRY_NEW(ctx, state->label[s], memberships->n);
	for (size_t u = 0; u < memberships->n; u++)
	{
		float best = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		state->label[s][u] = -1;
		for (size_t e = memberships->start[u]; e < memberships->start[u + 1]; e++)
			if (memberships->share[e] > best)
			{
				best = memberships->share[e];
				state->label[s][u] = memberships->community[e];
			}
	}
	return TLV_OK;
}

/* The next pair of nodes that are both in communities, their places and their communities. */
static tlv_status
next_known_pair(tlv_context *ctx, const graph_drift *state, day_walk *walk, day_pair *pair,
				size_t place[2], size_t community[2], bool *any)
{
	const tlv_mmsb_parts *parts = &state->parts;
	bool unknown;

	for (;;)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, walk->seen++);
		*any = next_pair(walk, pair);
		if (!*any)
			return TLV_OK;
		place[0] = tlv_mmsb_find_node(parts, 0, pair->source);
		place[1] = tlv_mmsb_find_node(parts, state->to, pair->target);
		unknown = place[0] == parts->side[0].n || place[1] == parts->side[state->to].n;
		walk->edges += pair->today != 0;
		walk->unknown += unknown && pair->today != 0;
		if (unknown || state->label[0][place[0]] < 0 || state->label[state->to][place[1]] < 0)
			continue;
		community[0] = (size_t) state->label[0][place[0]];
		community[1] = (size_t) state->label[state->to][place[1]];
		return TLV_OK;
	}
}

static block_sum *
block_of(const graph_drift *state, const size_t community[2])
{
	size_t a = community[0], b = community[1];

	if (state->parts.graph == TLV_GRAPH_UNDIRECTED && a > b)
		return &state->blocks[b * state->parts.k + a];
	return &state->blocks[a * state->parts.k + b];
}

static tlv_status
sum_blocks(tlv_context *ctx, graph_drift *state, day_walk *walk)
{
	size_t place[2], community[2];
	day_pair pair;
	bool any;

	for (;;)
	{
		block_sum *block;

		TLV_TRY(next_known_pair(ctx, state, walk, &pair, place, community, &any));
		if (!any)
			return TLV_OK;
		block = block_of(state, community);
		state->pairs++;
		block->today += pair.today;
		block->mean += pair.mean;
		block->variance += pair.variance;
	}
}

static void
add_to_node(node_sum *sum, double mean, double apart, double variance)
{
	sum->mean += mean;
	sum->apart += apart;
	sum->squares += apart * apart;
	sum->variance += variance;
	sum->of_squares += variance * variance;
}

static tlv_status
sum_nodes(tlv_context *ctx, graph_drift *state, day_walk *walk)
{
	size_t k = state->parts.k, place[2], community[2];
	day_pair pair;
	bool any;

	for (;;)
	{
		const block_sum *block;
		double more, apart;

		TLV_TRY(next_known_pair(ctx, state, walk, &pair, place, community, &any));
		if (!any)
			return TLV_OK;
		block = block_of(state, community);
		more = block->today / block->mean;
		apart = pair.today - more * pair.mean;
		add_to_node(&state->nodes[0][place[0] * k + community[1]], pair.mean, apart,
					more * pair.variance);
		add_to_node(&state->nodes[state->to][place[1] * k + community[0]], pair.mean, apart,
					more * pair.variance);
	}
}

/* ---- tests ---- */

/* The blocks of a community, of both of its sides; of all with component 0, however few edges. */
static tlv_status
mmsb_test_blocks(tlv_context *ctx, const graph_drift *state, size_t component, tlv_drift *drift)
{
	block_sum few = {0};
	size_t k = state->parts.k;
	double statistic = 0, degrees = 0;

	for (size_t a = 0; a < k; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = 0; b < k; b++)
		{
			const block_sum *own = &state->blocks[a * k + b];
			double apart = own->today - own->mean;

			if (component > 0 && a + 1 != component && b + 1 != component)
				continue;
			if (own->variance >= TLV_LEAST_EXPECTED)
			{
				statistic += apart * apart / own->variance;
				degrees++;
				continue;
			}
			few.today += apart;
			few.variance += own->variance;
		}
	}
	if (few.variance >= TLV_LEAST_EXPECTED || (component == 0 && degrees == 0))
	{
		statistic += few.variance > 0 ? few.today * few.today / few.variance : 0;
		degrees++;
	}
	if (degrees == 0)
		return TLV_OK;
	return tlv_drift_put(ctx, drift, component == 0 ? "scores" : "score", component, statistic,
						 tlv_chisq_survival(statistic, degrees));
}

/*
 * What the scaling of its block has taken from the mean of D^2 of node u of side s and community b:
 * with w its part of the block, V_B the block's variance, 2 w V - w^2 V_B.
 */
static double
taken_by_block(const graph_drift *state, size_t s, size_t u, size_t b, const node_sum *own)
{
	size_t a = (size_t) state->label[s][u], community[2] = {s == 0 ? a : b, s == 0 ? b : a};
	const block_sum *block = block_of(state, community);
	double part = own->mean / block->mean;

	return part * (2 * own->variance - part * block->variance * block->today / block->mean);
}

static tlv_status
test_nodes(tlv_context *ctx, const graph_drift *state, tlv_drift *drift)
{
	double sum = 0, variance = 0, z;
	size_t k = state->parts.k;

	for (size_t s = 0; s < state->parts.sides; s++)
		for (size_t i = 0; i < state->parts.side[s].n * k; i++)
		{
			const node_sum *own = &state->nodes[s][i];

			TLV_TRY_CONTINUE_AT(ctx, i);
			if (!(own->mean > 0))
				continue;
			sum += own->apart * own->apart - own->squares +
				   taken_by_block(state, s, i / k, i % k, own);
			variance += 2 * (own->variance * own->variance - own->of_squares);
		}
	if (!(variance > 0))
		return TLV_OK;
	z = sum / sqrt(variance);
	return tlv_drift_put(ctx, drift, "nodes", 0, z, 0.5 * erfc(z / M_SQRT2));
}

/* ---- all of it ---- */

tlv_status
tlv_mmsb_require_graphs(tlv_context *ctx, const tlv_frame *model, const tlv_frame_header *graph,
						size_t n, const tlv_frame_header *const *reference)
{
	tlv_mmsb_parts parts;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	if (n == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a graph is tested against graphs of a reference");
		return tlv_fail_hint(ctx, "Give graphs of days that are as they should be, each of as long "
								  "a time: tlv_drift(model, graph, ARRAY[before, ...]).");
	}
	for (size_t i = 0; i <= n; i++)
	{
		const tlv_frame_header *own = i == 0 ? graph : reference[i - 1];

		if (own->kind == (uint8_t) parts.graph)
			continue;
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a graph is %s, the model of graphs that are %s",
				 tlv_graph_kind_name((tlv_graph_kind) own->kind), tlv_graph_kind_name(parts.graph));
		return tlv_fail_hint(ctx, "Collect it with %s.",
							 parts.graph == TLV_GRAPH_UNDIRECTED ? "tlv_graph_agg"
							 : parts.graph == TLV_GRAPH_DIRECTED ? "tlv_digraph_agg"
																 : "tlv_bigraph_agg");
	}
	return TLV_OK;
}

static tlv_status
begin_drift(tlv_context *ctx, graph_drift *state)
{
	size_t k = state->parts.k;

	state->to = state->parts.sides - 1;
	for (size_t s = 0; s < state->parts.sides; s++)
	{
		TLV_TRY(find_labels(ctx, state, s));
		TLV_TRY(tlv_require_memory(
			ctx, (double) state->parts.side[s].n * (double) k * (double) sizeof(node_sum),
			"the edges of every node with every community"));
		TLV_TRY_NEW0_ROWS(ctx, state->nodes[s], state->parts.side[s].n, k);
	}
	TLV_TRY_NEW0_ROWS(ctx, state->blocks, k, k);
	return TLV_OK;
}

tlv_status
tlv_mmsb_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph, size_t n,
			   const tlv_frame *reference, tlv_drift *drift)
{
	graph_drift state = {0};
	day_walk walk;
	double unit;

	TLV_TRY(tlv_mmsb_read(ctx, model, &state.parts));
	unit = state.parts.poisson ? state.parts.unit : 0;
	TLV_TRY(begin_drift(ctx, &state));
	TLV_TRY(open_days(ctx, graph, n, reference, unit, &walk));
	TLV_TRY(sum_blocks(ctx, &state, &walk));
	close_days(ctx, &walk);
	drift->edges = walk.edges;
	drift->unknown_edges = walk.unknown;
	if (state.pairs == 0 || (walk.edges > 0 && walk.unknown == walk.edges))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "no edge of the graph%s is between nodes of the model",
				 state.pairs == 0 ? "s" : "");
		return tlv_fail_hint(ctx, "Give graphs of the nodes that the model was fitted to, "
								  "with ids of the same type.");
	}
	TLV_TRY(open_days(ctx, graph, n, reference, unit, &walk));
	TLV_TRY(sum_nodes(ctx, &state, &walk));
	close_days(ctx, &walk);
	for (size_t component = 0; component <= state.parts.k; component++)
		TLV_TRY(mmsb_test_blocks(ctx, &state, component, drift));
	return test_nodes(ctx, &state, drift);
}
