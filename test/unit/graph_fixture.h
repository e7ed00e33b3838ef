/*
 * graph_fixture.h - small graphs as dense matrices, sparse rows and stored
 * values, and fitted communities compared with true ones; shared by the tests
 * of communities.
 */
#ifndef TENSORLV_TEST_GRAPH_FIXTURE_H
#define TENSORLV_TEST_GRAPH_FIXTURE_H

#define RNG_SEED 11
#include "pool_setup.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/num/optimize.h"

/* ---- graphs ---- */

typedef struct dense
{
	size_t rows, columns;
	double *g; /* g[u * columns + v] */
} dense;

static inline dense
dense_graph(size_t rows, size_t columns)
{
	return (dense){rows, columns, numbers(rows * columns)};
}

static inline double *
entry(const dense *a, size_t u, size_t v)
{
	return &a->g[u * a->columns + v];
}

/* The entries that are not 0; weighted: with their values, else only where they are. */
static inline tlv_csr
sparse_rows(const dense *a, bool weighted)
{
	tlv_csr result;
	size_t entries = 0, at = 0;

	for (size_t i = 0; i < a->rows * a->columns; i++)
		entries += a->g[i] != 0;
	assert_ok(tlv_csr_create(&ctx, a->rows, a->columns, entries, weighted, &result));
	for (size_t u = 0; u < a->rows; u++)
	{
		for (size_t v = 0; v < a->columns; v++)
			if (*entry(a, u, v) != 0)
			{
				result.index[at] = (int32_t) v;
				if (weighted)
					result.value[at] = (float) *entry(a, u, v);
				at++;
			}
		result.start[u + 1] = at;
	}
	return result;
}

/*
 * Draws edges; the weights of a weighted graph are 1, 2 or 3.  Blocks of `blocks` communities of
 * consecutive nodes are joined with probability within, others with probability between.
 */
static inline dense
random_dense(size_t rows, size_t columns, bool symmetric, bool weighted, size_t blocks,
			 double within, double between)
{
	dense a = dense_graph(rows, columns);

	for (size_t u = 0; u < rows; u++)
		for (size_t v = 0; v < columns; v++)
		{
			bool same = u * blocks / rows == v * blocks / columns;

			if (symmetric && v <= u)
				*entry(&a, u, v) = v < u ? *entry(&a, v, u) : 0;
			else if (tlv_rng_uniform(&rng) < (same ? within : between))
				*entry(&a, u, v) = weighted ? 1 + (double) tlv_rng_below(&rng, 3) : 1;
		}
	return a;
}

/* ---- stored graphs ---- */

static inline tlv_accumulator *
begin_graph(tlv_graph_kind kind, bool weighted)
{
	tlv_accumulator *accumulator = NULL;

	assert_ok(tlv_graph_accumulator_create(&ctx, kind, weighted, &accumulator));
	return accumulator;
}

static inline tlv_frame
end_graph(tlv_accumulator *accumulator)
{
	tlv_frame frame = stored(accumulator);

	tlv_graph_accumulator_free(&ctx, accumulator);
	return frame;
}

/* Node u has the id u + 1. */
static inline tlv_frame
stored_graph(const dense *a, tlv_graph_kind kind, bool weighted)
{
	tlv_accumulator *accumulator = begin_graph(kind, weighted);

	for (size_t u = 0; u < a->rows; u++)
		for (size_t v = kind == TLV_GRAPH_UNDIRECTED ? u + 1 : 0; v < a->columns; v++)
			if (*entry(a, u, v) != 0)
				assert_ok(tlv_add(&ctx, accumulator,
								  TLV_AS_EDGE((int64_t) u + 1, (int64_t) v + 1, *entry(a, u, v))));
	return end_graph(accumulator);
}

/* ---- comparison with the truth ---- */

/* Memberships of one side as k x n numbers, in the order of the nodes. */
static inline double *
full_memberships(const tlv_mmsb_parts *parts, size_t s)
{
	const tlv_memberships *m = &parts->side[s].memberships;
	double *pi = numbers(m->n * parts->k);

	for (size_t u = 0; u < m->n; u++)
		for (size_t i = m->start[u]; i < m->start[u + 1]; i++)
			pi[u * parts->k + m->community[i]] = m->share[i];
	return pi;
}

/* match[a]: which of b's k communities is a's a-th, by the least L1 distance over n nodes. */
static inline double
match_communities(size_t k, size_t n, const double *a, const double *b, int64_t *match)
{
	double *cost = numbers(k * k), total = 0;

	for (size_t u = 0; u < n; u++)
		for (size_t i = 0; i < k; i++)
			for (size_t j = 0; j < k; j++)
				cost[i * k + j] += fabs(a[u * k + i] - b[u * k + j]);
	assert_ok(tlv_assignment(&ctx, k, k, cost, match, &total));
	tlv_free(&ctx, cost);
	return total / (2 * (double) n);
}

#endif /* TENSORLV_TEST_GRAPH_FIXTURE_H */
