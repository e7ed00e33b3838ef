/*
 * closure.c - whether communities explain that neighbours of a node are joined: they do in a graph
 * that a block model drew; where nodes lie in a space, as on a map, near ones are joined, and
 * communities are pieces of it without a boundary of their own.
 */
#include "../internal.h"

#include <math.h>
#include <stdlib.h>

#include "tensorlv/num/rng.h"

static int
community_compare_nodes(const void *a, const void *b)
{
	int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;

	return x < y ? -1 : x > y;
}

static bool
are_joined(const tlv_csr *edges, int32_t u, int32_t v)
{
	return bsearch(&v, edges->index + edges->start[u], edges->start[u + 1] - edges->start[u],
				   sizeof(int32_t), community_compare_nodes) != NULL;
}

typedef struct closure
{
	const tlv_mmsb_fit_state *fit;
	const double *edges; /* k x k */
	double *mass;		 /* k */
	double joined, expected;
} closure;

/* A pair of neighbours. */
static void
community_add_pair(closure *sums, int32_t u, int32_t v)
{
	const tlv_mmsb_side *side = &sums->fit->side[0];
	size_t k = sums->fit->k, a = (size_t) side->label[u], b = (size_t) side->label[v];
	bool corrected = sums->fit->corrected;
	double rate =
		sums->edges[a + k * b] / (sums->mass[a] * (sums->mass[b] - (a == b && !corrected)));

	if (corrected)
		rate *= side->degree[u] * side->degree[v];
	sums->expected += fmin(rate, 1);
	sums->joined += are_joined(&side->edges, u, v);
}

/* An end of a random edge, and two of its neighbours. */
static tlv_status
draw_pairs(tlv_context *ctx, closure *sums)
{
	/* Pairs of neighbours that are drawn. */
	const int pairs = 20000;
	const tlv_csr *rows = &sums->fit->side[0].edges;
	tlv_rng rng;

	tlv_rng_seed(&rng, tlv_mix64(sums->fit->options->seed + 2));
	for (size_t i = 0; i < pairs; i++)
	{
		size_t e = tlv_rng_below(&rng, rows->entries), c = (size_t) rows->index[e];
		size_t n = rows->start[c + 1] - rows->start[c];
		int32_t u, v;

		if (i % 1024 == 0)
			TLV_TRY_CONTINUE(ctx);
		if (n < 2)
			continue;
		u = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		v = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		if (u != v)
			community_add_pair(sums, u, v);
	}
	return TLV_OK;
}

tlv_status
tlv_mmsb_check_closure(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges)
{
	/* Fewer joined pairs than this tell nothing. */
	const int least_joined = 200;

	/* Joined so many times as often as the communities let expect is what a warning is for. */
	const double most_closed = 1.6;
	const tlv_mmsb_side *side = &fit->side[0];
	closure sums = {.fit = fit, .edges = edges};
	double joined, expected;

	TLV_TRY_NEW0(ctx, sums.mass, fit->k);
	for (size_t u = 0; u < side->n; u++)
		sums.mass[side->label[u]] += fit->corrected ? side->degree[u] : 1;
	TLV_TRY(draw_pairs(ctx, &sums));
	joined = sums.joined;
	expected = sums.expected;
	tlv_free(ctx, sums.mass);
	if (joined < least_joined)
		return TLV_OK;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, joined / expected, "closure"));
	/* a plain model that was asked for misses more than communities do */
	if (!(joined > most_closed * expected) || fit->options->degree_corrected == TLV_DEGREES_PLAIN)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){.code = "closed_neighbourhoods",
					   .score = joined / expected,
					   .hint = "Treat the communities as a division of the graph, not as a "
							   "finding: pieces of a map or of a similarity have no boundaries."},
		"neighbours of a node are joined %.1f times as often as the communities explain",
		joined / expected);
}
