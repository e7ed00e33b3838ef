/*
 * edge_fixture.h - graphs collected from rows of edges, and what they should
 * hold; shared by the tests of stored graphs.
 */
#ifndef TENSORLV_TEST_EDGE_FIXTURE_H
#define TENSORLV_TEST_EDGE_FIXTURE_H

#include "pool_setup.h"
#include "tensorlv/model/graph.h"

#define MOST 4000

typedef struct edge
{
	int64_t src, dst;
	double weight;
} edge;

typedef struct image
{
	void *bytes;
	size_t size;
	tlv_frame frame;
} image;

/* Nothing here may leak, not even on error: the free functions are complete. */
static inline int
teardown_all_freed(void **state)
{
	bool leak = ctx.arena.used != 0;

	(void) teardown(state);
	return leak ? -1 : 0;
}

static inline tlv_accumulator *
create(tlv_graph_kind kind, bool weighted, size_t buffer)
{
	tlv_accumulator *accumulator = NULL;

	assert_ok(tlv_graph_accumulator_create(&ctx, kind, weighted, &accumulator));
	if (buffer > 0)
		tlv_graph_accumulator_set_buffer(accumulator, buffer);
	return accumulator;
}

/* The stored form; it must pass its own check. */
static inline image
build(tlv_accumulator *accumulator)
{
	image result;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &result.bytes, &result.size));
	assert_ok(tlv_kind_validate(&ctx, result.bytes, result.size, TLV_FRAME_GRAPH, &result.frame));
	assert_ptr_equal(result.frame.kind->accumulator, accumulator->class);
	return result;
}

static inline void
add(tlv_accumulator *accumulator, size_t n, const edge *edges)
{
	for (size_t i = 0; i < n; i++)
		assert_ok(
			tlv_add(&ctx, accumulator, TLV_AS_EDGE(edges[i].src, edges[i].dst, edges[i].weight)));
}

static inline image
collect(tlv_graph_kind kind, size_t buffer, size_t n, const edge *edges)
{
	tlv_accumulator *accumulator = create(kind, false, buffer);
	image result;

	add(accumulator, n, edges);
	result = build(accumulator);
	tlv_graph_accumulator_free(&ctx, accumulator);
	return result;
}

static inline void
drop(image *i)
{
	tlv_free(&ctx, i->bytes);
}

static inline void
assert_same(image a, image b)
{
	assert_int_equal(a.size, b.size);
	assert_memory_equal(a.bytes, b.bytes, a.size);
}

static inline int
compare_edges(const void *a, const void *b)
{
	const edge *x = a, *y = b;

	if (x->src != y->src)
		return x->src < y->src ? -1 : 1;
	return x->dst < y->dst ? -1 : x->dst > y->dst;
}

/* What a graph of these rows holds, the slow way; returns the number of edges. */
static inline size_t
expected_edges(tlv_graph_kind kind, size_t n, const edge *rows, edge *edges, double *loops)
{
	size_t m = 0, k = 0;

	*loops = 0;
	for (size_t i = 0; i < n; i++)
	{
		edge e = rows[i];

		if (kind == TLV_GRAPH_UNDIRECTED && e.src > e.dst)
			e = (edge){e.dst, e.src, e.weight};
		if (kind != TLV_GRAPH_BIPARTITE && e.src == e.dst)
			++*loops;
		else
			edges[m++] = e;
	}
	qsort(edges, m, sizeof(edge), compare_edges);
	for (size_t i = 0; i < m; i++)
		if (k > 0 && compare_edges(&edges[k - 1], &edges[i]) == 0)
			edges[k - 1].weight += edges[i].weight;
		else
			edges[k++] = edges[i];
	return k;
}

/* Ids of many shapes. */
static inline int64_t
random_id(int shape, uint64_t nodes)
{
	uint64_t u = tlv_rng_below(&rng, nodes);

	switch (shape)
	{
		case 0:
			return (int64_t) u; /* narrow */
		case 1:
			return (int64_t) (u * UINT64_C(0x9e3779b97f4a7c15)); /* everywhere */
		case 2:
			return u % 2 ? INT64_MAX - (int64_t) (u / 2) : INT64_MIN + (int64_t) (u / 2);
		case 3:
			return INT64_MIN + (int64_t) u;
		default:
			return (int64_t) (u * u) - 1000000;
	}
}

static inline void
random_edges(int shape, int weights, uint64_t nodes, size_t n, edge *rows)
{
	for (size_t i = 0; i < n; i++)
		rows[i] = (edge){random_id(shape, nodes), random_id(shape, nodes),
						 weights == 0	? 1
						 : weights == 1 ? 1 + (double) tlv_rng_below(&rng, 300)
										: 0.25 * (double) (1 + tlv_rng_below(&rng, 9))};
}

#endif /* TENSORLV_TEST_EDGE_FIXTURE_H */
