/*
 * mmsb_fixture.h - graphs drawn from a model of communities, and fits measured
 * against it; shared by the tests of tlv_mmsb_fit.
 */
#ifndef TENSORLV_TEST_MMSB_FIXTURE_H
#define TENSORLV_TEST_MMSB_FIXTURE_H

#include "graph_fixture.h"

/* A graph and the model it was drawn from. */
typedef struct world
{
	tlv_mmsb_parts truth;
	tlv_frame graph;
} world;

/* A fit, matched to the truth. */
typedef struct fitted
{
	tlv_mmsb_parts parts;
	tlv_frame frame;
	int64_t match[64]; /* of the truth's communities */
	double error;	   /* mean half L1 distance of memberships, worse side */
	double rates;	   /* largest error of P over its largest entry */
} fitted;

static const tlv_mmsb_simulation plain = {.graph = TLV_GRAPH_UNDIRECTED,
										  .nodes = 600,
										  .targets = 400,
										  .k = 4,
										  .within = 0.2,
										  .between = 0.02,
										  .degree_exponent = NAN,
										  .seed = 1};

static inline tlv_mmsb_options
options_of(size_t k, double alpha0)
{
	return (tlv_mmsb_options){.k = k, .max_k = 20, .alpha0 = alpha0, .seed = 1};
}

static inline tlv_status
put_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	return tlv_add(context, argument, TLV_AS_EDGE(src, dst, weight));
}

/* The model of a graph, and its parts. */
static inline tlv_frame
fit_graph(const tlv_frame *graph, tlv_mmsb_options options, tlv_mmsb_parts *parts)
{
	tlv_frame model = MADE(tlv_mmsb_fit, graph, &options);

	assert_ok(tlv_mmsb_read(&ctx, &model, parts));
	return model;
}

static inline tlv_frame
draw_graph(const tlv_mmsb_parts *truth, uint64_t seed)
{
	tlv_accumulator *edges = begin_graph(truth->graph, truth->poisson);

	assert_ok(tlv_mmsb_simulate_edges(&ctx, truth, seed, put_edge, edges));
	return end_graph(edges);
}

static inline world
simulate(tlv_mmsb_simulation options)
{
	tlv_frame model = MADE(tlv_mmsb_simulate_model, &options);
	world w;

	assert_ok(tlv_mmsb_read(&ctx, &model, &w.truth));
	w.graph = draw_graph(&w.truth, options.seed + 100);
	return w;
}

/* True memberships of the nodes that the fit has seen, by their ids; the others keep 0. */
static inline double *
known_truth(const tlv_mmsb_parts *truth, const tlv_mmsb_parts *parts, size_t s)
{
	double *all = full_memberships(truth, s), *known = numbers(parts->side[s].n * truth->k);

	for (size_t u = 0; u < parts->side[s].n; u++)
		memcpy(known + u * truth->k, all + (size_t) (parts->side[s].nodes[u] - 1) * truth->k,
			   truth->k * sizeof(double));
	return known;
}

/* Half L1 distance of one side with communities numbered by match, of nodes that have edges. */
static inline double
side_error(const tlv_mmsb_parts *truth, const tlv_mmsb_parts *parts, size_t s, const int64_t *match)
{
	double *pi = known_truth(truth, parts, s), *found = full_memberships(parts, s), error = 0;
	const tlv_memberships *m = &parts->side[s].memberships;
	size_t k = truth->k, n = 0;

	for (size_t u = 0; u < m->n; u++)
	{
		if (m->start[u] == m->start[u + 1])
			continue;
		n++;
		for (size_t a = 0; a < k; a++)
			error += fabs(pi[u * k + a] - found[u * k + (size_t) match[a]]) / 2;
	}
	return error / (double) n;
}

static inline void
check_parts(const tlv_mmsb_parts *parts)
{
	for (size_t s = 0; s < parts->sides; s++)
	{
		double sum = 0, sizes = 0;

		for (size_t a = 0; a < parts->k; a++)
		{
			sum += parts->alpha[s * parts->k + a];
			sizes += parts->sizes[s * parts->k + a];
		}
		assert_close(sum, parts->alpha0, 1e-9 * (1 + sum));
		assert_at_most(sizes, (double) parts->side[s].n + 1e-3);
	}
	for (size_t a = 0; a < parts->k; a++)
		for (size_t b = 0; b < parts->k; b++)
		{
			double p = parts->connectivity[a + parts->k * b];

			assert_at_least(p, 0);
			if (parts->sides == 1)
				assert_close(p, parts->connectivity[b + parts->k * a], 1e-9 * p);
		}
}

static inline fitted
fit(const world *w, tlv_mmsb_options options)
{
	fitted f;
	double largest = 0;
	size_t k;

	f.frame = fit_graph(&w->graph, options, &f.parts);
	check_parts(&f.parts);
	k = w->truth.k;
	f.error = f.rates = NAN;
	if (f.parts.k != k)
		return f;
	(void) match_communities(k, f.parts.side[0].n, known_truth(&w->truth, &f.parts, 0),
							 full_memberships(&f.parts, 0), f.match);
	f.error = side_error(&w->truth, &f.parts, 0, f.match);
	if (f.parts.sides == 2)
		f.error = fmax(f.error, side_error(&w->truth, &f.parts, 1, f.match));
	f.rates = 0;
	for (size_t i = 0; i < k * k; i++)
		largest = fmax(largest, w->truth.connectivity[i]);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			f.rates = fmax(
				f.rates, fabs(w->truth.connectivity[a + k * b] -
							  f.parts.connectivity[(size_t) f.match[a] + k * (size_t) f.match[b]]) /
							 largest);
	return f;
}

/* ---- graphs as rows ---- */

typedef struct edge_list
{
	size_t n, room;
	tlv_edge *edges;
} edge_list;

static inline tlv_status
list_edge(tlv_context *context, void *argument, int64_t src, int64_t dst, double weight)
{
	edge_list *list = argument;

	if (list->n == list->room)
	{
		list->room = 2 * list->room + 1024;
		list->edges = tlv_realloc(context, list->edges, list->room, sizeof(tlv_edge));
		TLV_TRY_ALLOC(context, list->edges);
	}
	list->edges[list->n++] = (tlv_edge){.source = src, .target = dst, .weight = weight};
	return TLV_OK;
}

/* The edges of a graph of that model. */
static inline edge_list
draw_edges(const tlv_mmsb_parts *truth, uint64_t seed)
{
	edge_list list = {0};

	assert_ok(tlv_mmsb_simulate_edges(&ctx, truth, seed, list_edge, &list));
	return list;
}

#endif /* TENSORLV_TEST_MMSB_FIXTURE_H */
