/*
 * closure.c - whether communities explain that neighbours of a node are joined: they do in a graph
 * that a block model drew; where nodes lie in a space, as on a map, near ones are joined, and
 * communities are pieces of it without a boundary of their own.
 */
#include "internal.h"

#include <math.h>
#include <stdlib.h>

#include "tensorlv/num/rng.h"

/* Pairs of neighbours that are looked at. */
#define PAIRS 20000

/* Joined so many times as often as the communities let expect is what a warning is for. */
#define MOST_CLOSED 1.6

/* Fewer joined pairs than this tell nothing. */
#define LEAST_JOINED 200

static int
compare_nodes(const void *a, const void *b)
{
	int32_t x = *(const int32_t *) a, y = *(const int32_t *) b;

	return x < y ? -1 : x > y;
}

static bool
are_joined(const tlv_csr *edges, int32_t u, int32_t v)
{
	return bsearch(&v, edges->index + edges->start[u], edges->start[u + 1] - edges->start[u],
				   sizeof(int32_t), compare_nodes) != NULL;
}

tlv_status
tlv_mmsb_check_closure(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *edges)
{
	const tlv_mmsb_side *side = &fit->side[0];
	const tlv_csr *rows = &side->edges;
	size_t k = fit->k;
	double *mass, joined = 0, expected = 0;
	tlv_rng rng;

	TLV_TRY_NEW0(ctx, mass, k);
	for (size_t u = 0; u < side->n; u++)
		mass[side->label[u]] += fit->corrected ? side->degree[u] : 1;
	tlv_rng_seed(&rng, tlv_mix64(fit->options->seed + 2));
	for (size_t i = 0; i < PAIRS; i++)
	{
		/* an end of a random edge, and two of its neighbours */
		size_t e = tlv_rng_below(&rng, rows->entries), c = (size_t) rows->index[e];
		size_t n = rows->start[c + 1] - rows->start[c];
		int32_t u, v;
		size_t a, b;
		double rate;

		if (i % 1024 == 0)
			TLV_TRY_CONTINUE(ctx);
		if (n < 2)
			continue;
		u = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		v = rows->index[rows->start[c] + tlv_rng_below(&rng, n)];
		if (u == v)
			continue;
		a = (size_t) side->label[u];
		b = (size_t) side->label[v];
		rate = edges[a + k * b] / (mass[a] * (mass[b] - (a == b && !fit->corrected)));
		if (fit->corrected)
			rate *= side->degree[u] * side->degree[v];
		expected += fmin(rate, 1);
		joined += are_joined(rows, u, v);
	}
	tlv_free(ctx, mass);
	if (joined < LEAST_JOINED)
		return TLV_OK;
	TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, joined / expected, "closure"));
	/* a plain model that was asked for misses more than communities do */
	if (!(joined > MOST_CLOSED * expected) || fit->options->degree_corrected == TLV_DEGREES_PLAIN)
		return TLV_OK;
	return tlv_warn(
		ctx, &fit->diagnostics,
		&(tlv_warning){.code = "closed_neighbourhoods",
					   .score = joined / expected,
					   .hint = "communities may be pieces of a map or of a likeness, which "
							   "have no boundaries: take them for a division"},
		"neighbours of a node are joined %.1f times as often as the communities explain",
		joined / expected);
}
