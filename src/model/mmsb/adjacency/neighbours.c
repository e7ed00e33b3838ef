/*
 * neighbours.c - rows of an adjacency matrix under a block model: posteriors of their nodes, and
 * the edges between communities (neighbours.h).
 */
#include "neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../infer.h"
#include "../mixed/memberships.h"
#include "../tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

#define SIZE_K			 TLV_SIZE_1
#define SIZE_NODES		 TLV_SIZE_2
#define SIZE_SUPPORT	 TLV_SIZE_3
#define SIZE_COMMUNITIES TLV_SIZE_4
#define SIZE_SHARES		 TLV_SIZE_5

/* A node that has come. */
typedef struct node_entry
{
	int64_t id;
	double degree;
} node_entry;

typedef struct neighbours_state
{
	tlv_declared declared;
	/* under a model; NULL when only stored values are merged */
	tlv_model *model;
	double *share; /* k */
	double *work;  /* k */
	size_t most;   /* shares of a node that are kept */
	/* sums */
	tlv_digest fingerprint;
	double rows, log_likelihood, self_loops, strangers;
	size_t k;
	double *edges;
	size_t room;
	node_entry *nodes;
	tlv_membership_builder builder; /* their memberships */
	/* the stored form */
	int64_t *stored_nodes;
	double *stored_degree;
	uint16_t *stored_support, *stored_communities;
	float *stored_shares;
} neighbours_state;

/* ---- what a model says ---- */

double
tlv_neighbour_pairs(const tlv_neighbour_sums *sums, bool corrected, size_t a, size_t b)
{
	bool own = a == b && !corrected && sums->theta[a] > 1; /* no node is its own neighbour */

	return sums->theta[a] * (sums->theta[b] - own);
}

static void
sum_node(const tlv_mmsb_parts *parts, size_t u, tlv_neighbour_sums *sums)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	double theta = parts->degree_corrected ? parts->side[0].propensity[u] : 1;

	sums->total += parts->side[0].degree[u];
	sums->nodes += m->start[u + 1] > m->start[u];
	for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
	{
		size_t a = m->community[i];

		sums->size[a] += m->share[i];
		sums->degree[a] += m->share[i] * parts->side[0].degree[u];
		sums->theta[a] += m->share[i] * theta;
	}
}

tlv_status
tlv_neighbour_sums_of(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_neighbour_sums *sums)
{
	size_t k = parts->k;
	bool corrected = parts->degree_corrected;

	*sums = (tlv_neighbour_sums){.k = k};
	sums->size = tlv_alloc0(ctx, 2 * k + 3, k * sizeof(double));
	TLV_TRY_ALLOC(ctx, sums->size);
	sums->degree = sums->size + k;
	sums->theta = sums->degree + k;
	sums->edges = sums->theta + k;
	sums->expected = sums->edges + k * k;
	for (size_t u = 0; u < parts->side[0].n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		sum_node(parts, u, sums);
	}
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			size_t i = a + k * b;

			sums->edges[i] = parts->connectivity[i] * tlv_neighbour_pairs(sums, corrected, a, b);
			sums->expected[i] = corrected
									? sums->degree[a] * sums->degree[b] / fmax(sums->total, DBL_MIN)
									: sums->total * sums->size[a] * sums->size[b] /
										  fmax(sums->nodes * sums->nodes, 1);
		}
	return TLV_OK;
}

/* ---- rows ---- */

static tlv_status
reserve_nodes(tlv_context *ctx, neighbours_state *state, size_t n)
{
	void *grown;

	if (state->builder.memberships.n + n <= state->room)
		return TLV_OK;
	state->room = state->room + state->room / 2 + n + 64;
	grown = tlv_realloc(ctx, state->nodes, state->room, sizeof(node_entry));
	TLV_TRY_ALLOC(ctx, grown);
	state->nodes = grown;
	return TLV_OK;
}

/* Appends the node, with the shares unless it has none. */
static tlv_status
put_node(tlv_context *ctx, neighbours_state *state, int64_t id, const tlv_node_row *node)
{
	const tlv_memberships *m = &state->builder.memberships;
	size_t k = state->k, n = m->n;
	bool blocks = node->counts != NULL, member = node->member;

	TLV_TRY(reserve_nodes(ctx, state, 1));
	/* the edges of mixed memberships are assigned with all of them */
	member =
		member && (tlv_neighbour_keep(k, state->most, state->share, state->work) >= 0.5 || !blocks);
	state->nodes[n] = (node_entry){id, node->degree};
	TLV_TRY(tlv_memberships_append(ctx, &state->builder, k, member ? state->share : NULL));
	for (size_t i = m->start[n]; i < m->start[n + 1]; i++)
		for (size_t b = 0; b < k && blocks; b++)
			state->edges[m->community[i] + k * b] += m->share[i] * node->counts[b];
	return TLV_OK;
}

static tlv_status
neighbours_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	neighbours_state *state = (neighbours_state *) accumulator;
	const tlv_neighbours *own = &row->neighbours;
	tlv_node_row node;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_mmsb_infer_node(ctx, state->model, own, state->share, state->edges, &node));
	if (!(node.degree <= TLV_LARGEST_NUMBER))
	{
		tlv_fail(ctx, TLV_BAD_DATA,
				 "the weights of the edges of node %lld are %g, more "
				 "than %g",
				 (long long) own->node, node.degree, TLV_LARGEST_NUMBER);
		return tlv_fail_hint(ctx, "Divide all weights by a constant.");
	}
	if (!isfinite(node.log_likelihood))
		return tlv_fail(ctx, TLV_BAD_DATA,
						"the likelihood of the edges of node %lld is not a "
						"number",
						(long long) own->node);
	state->log_likelihood += node.log_likelihood;
	state->self_loops += node.self_loops;
	state->strangers += node.strangers;
	TLV_TRY(tlv_count_one(ctx, "rows", &state->rows));
	return put_node(ctx, state, own->node, &node);
}

tlv_status
tlv_mmsb_statistics(tlv_context *ctx, tlv_model *model, const char *method,
					tlv_accumulator **accumulator)
{
	const tlv_dictionary *dictionary;
	const tlv_mmsb_parts *parts = tlv_mmsb_opened(model, &dictionary);
	neighbours_state *state;
	size_t k = parts->k;

	if (method != NULL && strcmp(method, "likelihood") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'likelihood'.");
	}
	if (parts->sides != 1)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "statistics of neighbours are of undirected graphs, not of graphs with two sides");
		return tlv_fail_hint(ctx, "Use a model that is neither directed nor bipartite.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_neighbour_statistics.accumulator, NULL, accumulator));
	state = (neighbours_state *) *accumulator;
	TLV_TRY_NEW0(ctx, state->edges, k * k + 2 * k);
	state->share = state->edges + k * k;
	state->work = state->share + k;
	state->k = k;
	state->most = tlv_neighbour_most_shares(parts->side[0].n);
	state->model = model;
	state->fingerprint = model->frame.header->digest;
	state->builder.least = TLV_LEAST_SHARE;
	state->declared.known = true;
	return TLV_OK;
}

/* ---- stored values ---- */

static tlv_status
neighbours_merge_own(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	neighbours_state *state = (neighbours_state *) accumulator;
	size_t n = tlv_frame_find(frame, "nodes")->rows, k = tlv_frame_find(frame, "edges")->rows;
	const double *edges = tlv_frame_float64(frame, "edges");
	const double *degree = tlv_frame_float64(frame, "degree");
	const int64_t *nodes = tlv_frame_int64(frame, "nodes");
	tlv_memberships own;

	if (state->edges == NULL)
	{
		TLV_TRY_NEW0(ctx, state->edges, k * k);
		state->k = k;
	}
	if (state->k != k)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "statistics of %zu and of %zu communities cannot be combined", state->k, k);
		return tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
	}
	for (size_t i = 0; i < k * k; i++)
		state->edges[i] += edges[i];
	TLV_TRY(reserve_nodes(ctx, state, n));
	TLV_TRY(tlv_memberships_open(ctx, frame, n, "support", "communities", "shares", &own));
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		state->nodes[state->builder.memberships.n] = (node_entry){nodes[u], degree[u]};
		TLV_TRY(tlv_memberships_copy(ctx, &state->builder, &own, u));
	}
	tlv_free(ctx, own.start);
	return TLV_OK;
}

/* An id as an unsigned number of the same order, and the place of its node. */
typedef struct node_key
{
	uint64_t id;
	uint64_t at;
} node_key;

/* Nodes by id, at *sorted, within *keys, which is to be freed. */
static tlv_status
sort_nodes(tlv_context *ctx, const neighbours_state *state, node_key **keys, node_key **sorted)
{
	const tlv_sort_form form = {sizeof(node_key), sizeof(uint64_t), 0, 64};
	size_t n = state->builder.memberships.n;
	void *result;

	TLV_TRY_NEW(ctx, *keys, 2 * n + 1);
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		(*keys)[u] = (node_key){(uint64_t) state->nodes[u].id ^ UINT64_C(1) << 63, u};
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, *keys, *keys + n, &result));
	*sorted = result;
	for (size_t u = 1; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		if ((*sorted)[u].id == (*sorted)[u - 1].id)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "node %lld has two rows",
					 (long long) state->nodes[(*sorted)[u].at].id);
			return tlv_fail_hint(ctx, "Give every node one row with all of its neighbours: "
									  "tlv_bag_agg(dst) with GROUP BY src.");
		}
	}
	return TLV_OK;
}

static tlv_status
neighbours_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	neighbours_state *state = (neighbours_state *) accumulator;
	const tlv_memberships *m = &state->builder.memberships;
	size_t n = m->n, entries = n > 0 ? m->start[n] : 0, at = 0;
	node_key *keys, *sorted = NULL;

	TLV_TRY(sort_nodes(ctx, state, &keys, &sorted));
	*owned = tlv_alloc(ctx, 18 * n + 6 * entries + 16, 1);
	TLV_TRY_ALLOC(ctx, *owned);
	state->stored_nodes = *owned;
	state->stored_degree = (double *) (state->stored_nodes + n);
	state->stored_shares = (float *) (state->stored_degree + n);
	state->stored_support = (uint16_t *) (state->stored_shares + entries);
	state->stored_communities = state->stored_support + n;
	for (size_t u = 0; u < n; u++)
	{
		size_t v = sorted[u].at, of_node = m->start[v + 1] - m->start[v];

		TLV_TRY_CONTINUE_AT(ctx, u);
		state->stored_nodes[u] = state->nodes[v].id;
		state->stored_degree[u] = state->nodes[v].degree;
		state->stored_support[u] = (uint16_t) of_node;
		memcpy(state->stored_communities + at, m->community + m->start[v],
			   of_node * sizeof(uint16_t));
		memcpy(state->stored_shares + at, m->share + m->start[v], of_node * sizeof(float));
		at += of_node;
	}
	tlv_free(ctx, keys);
	state->declared.sizes[SIZE_K] = state->k;
	state->declared.sizes[SIZE_NODES] = n;
	state->declared.sizes[SIZE_SUPPORT] = n * sizeof(uint16_t);
	state->declared.sizes[SIZE_COMMUNITIES] = at * sizeof(uint16_t);
	state->declared.sizes[SIZE_SHARES] = at * sizeof(float);
	return TLV_OK;
}

static tlv_status
neighbours_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *degree = tlv_frame_float64(frame, "degree");
	size_t n = sizes[SIZE_NODES], entries = 0;
	const uint16_t *support = tlv_frame_data(frame, "support");

	if (sizes[SIZE_SUPPORT] != n * sizeof(uint16_t))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"support\" has the wrong shape");
	for (size_t u = 0; u < n; u++)
		entries += support[u];
	if (sizes[SIZE_COMMUNITIES] != entries * sizeof(uint16_t) ||
		sizes[SIZE_SHARES] != entries * sizeof(float))
		return tlv_fail(ctx, TLV_CORRUPT, "the sections of memberships have the wrong shape");
	for (size_t u = 0; u < n; u++)
		if (degree[u] > TLV_LARGEST_NUMBER)
			return tlv_fail(ctx, TLV_CORRUPT, "the degree of a node is %g", degree[u]);
	return tlv_memberships_check(ctx, sizes[SIZE_K], n, support,
								 tlv_frame_data(frame, "communities"),
								 tlv_frame_data(frame, "shares"));
}

#define AT(member) offsetof(neighbours_state, member)
static const tlv_declaration neighbours_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(log_likelihood)},
	{"self_loops", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(self_loops)},
	{"strangers", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(strangers)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"edges", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_NONNEGATIVE, TLV_OWN, AT(edges)},
	{"nodes", TLV_INT64, SIZE_NODES, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(stored_nodes)},
	{"degree", TLV_FLOAT64, SIZE_NODES, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(stored_degree)},
	{"support", TLV_BYTES, SIZE_SUPPORT, TLV_ONE, TLV_ANY, TLV_OWN, AT(stored_support)},
	{"communities", TLV_BYTES, SIZE_COMMUNITIES, TLV_ONE, TLV_ANY, TLV_OWN, AT(stored_communities)},
	{"shares", TLV_BYTES, SIZE_SHARES, TLV_ONE, TLV_ANY, TLV_OWN, AT(stored_shares)},
};
#undef AT

/* A node has one row: values of the same nodes are no sums. */
static const char *const neighbours_no_sums[] = {"degree", "support", "communities", "shares",
												 NULL};

static const tlv_sections neighbours_sections = {
	.state = sizeof(neighbours_state),
	.kind = TLV_KIND_NEIGHBOUR_STATISTICS,
	TLV_LIST(neighbours_list),
	.least = {1},
	.most = {UINT16_MAX, TLV_DICTIONARY_MAX, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES,
			 TLV_FRAME_MAX_BYTES},
	.describe = neighbours_describe,
	.check_more = neighbours_check_more,
	.no_sums = neighbours_no_sums,
	.merge_own = neighbours_merge_own,
};

static const tlv_accumulator_class neighbours_class = {
	.name = "neighbour_statistics",
	TLV_DECLARED(&neighbours_sections),
	.rows = TLV_ROW_NEIGHBOURS,
	.add = neighbours_add,
};

const tlv_kind tlv_kind_neighbour_statistics = {
	TLV_KIND_LINE(NEIGHBOUR_STATISTICS, neighbour_statistics), .accumulator = &neighbours_class};

/* ---- shares that are stored ---- */

/* Bytes of a value for each node, and for each of its shares, and those that all may take. */
#define NODE_BYTES	34.0
#define SHARE_BYTES 6.0
#define VALUE_BYTES (0.95 * (double) TLV_FRAME_MAX_BYTES)

size_t
tlv_neighbour_most_shares(size_t n)
{
	double nodes = fmax((double) n, 1);

	return (size_t) fmax((VALUE_BYTES - NODE_BYTES * nodes) / (SHARE_BYTES * nodes), 1);
}

double
tlv_mmsb_most_nodes(void)
{
	return floor(VALUE_BYTES / (NODE_BYTES + SHARE_BYTES));
}

/* The `most` largest shares that count, or fewer, descending; returns their number. */
static size_t
adjacency_find_largest(size_t k, size_t most, const double *share, double *largest)
{
	size_t n = 0;

	for (size_t a = 0; a < k; a++)
	{
		size_t i;

		if (share[a] < TLV_LEAST_SHARE || (n == most && share[a] <= largest[n - 1]))
			continue;
		for (i = n < most ? n++ : n - 1; i > 0 && largest[i - 1] < share[a]; i--)
			largest[i] = largest[i - 1];
		largest[i] = share[a];
	}
	return n;
}

double
tlv_neighbour_keep(size_t k, size_t most, double *share, double *work)
{
	size_t n, equal = 0;
	double sum = 0;

	if (k <= most)
		return 1;
	n = adjacency_find_largest(k, most, share, work);
	if (n < most)
		return 1;
	for (size_t i = n; i > 0 && work[i - 1] == work[n - 1]; i--)
		equal++;
	for (size_t a = 0; a < k; a++)
	{
		bool kept = share[a] > work[n - 1] || (share[a] == work[n - 1] && equal > 0);

		equal -= share[a] == work[n - 1] && equal > 0;
		share[a] = kept ? share[a] : 0;
		sum += share[a];
	}
	return sum;
}
