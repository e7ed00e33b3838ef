/*
 * covers.c - two covers of the same nodes, whose communities may
 * overlap: overlapping normalised mutual information, F1 (evaluate.h).
 */
#include "tensorlv/model/evaluate.h"

#include <math.h>
#include <string.h>

#include "cross_table.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"

typedef struct cover_state
{
	tlv_cross_state cross;
	int32_t *own[2]; /* positions of the communities of one node */
	size_t room[2];
} cover_state;

static tlv_status
cover_pairs_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_cover_pairs.accumulator, NULL, accumulator);
}

const tlv_aggregate tlv_aggregate_cover_pairs = {"tlv_cover_pairs", NULL, cover_pairs_begin};

/*
 * Adds a node to its communities of one side; their positions, each once, are left in own.  Whether
 * one was named before is seen in its sign bit: a node's few communities need no sorting.
 */
static tlv_status
add_side(tlv_context *ctx, cover_state *state, int side, size_t n, const int64_t *communities,
		 size_t *distinct)
{
	tlv_tally *tally = &state->cross.table.labels[side];

	*distinct = 0;
	if (n > state->room[side])
	{
		tlv_free(ctx, state->own[side]);
		state->room[side] = 0;
		TLV_TRY_NEW(ctx, state->own[side], 2 * n);
		state->room[side] = 2 * n;
	}
	for (size_t i = 0; i < n; i++)
	{
		int32_t at = 0;

		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(tlv_tally_add(ctx, tally, communities[i], 0, &at));
		if (signbit(tally->counts[at]))
			continue;
		tally->counts[at] = -(tally->counts[at] + 1);
		state->own[side][(*distinct)++] = at;
	}
	for (size_t i = 0; i < *distinct; i++)
		tally->counts[state->own[side][i]] = fabs(tally->counts[state->own[side][i]]);
	return TLV_OK;
}

static tlv_status
cover_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	cover_state *state = (cover_state *) accumulator;
	size_t n_a, n_b;
	int32_t pair = 0;

	TLV_TRY(tlv_count_one(ctx, "nodes", &state->cross.nodes));
	TLV_TRY(add_side(ctx, state, 0, row->part[0].n, row->part[0].ids, &n_a));
	TLV_TRY(add_side(ctx, state, 1, row->part[1].n, row->part[1].ids, &n_b));
	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i * n_b + j);
			TLV_TRY(tlv_tally_add(ctx, &state->cross.table.pairs,
								  tlv_pair_key(state->own[0][i], state->own[1][j]), 1, &pair));
		}
	return TLV_OK;
}

/* A stored value with the sizes of its communities. */
typedef struct covers
{
	tlv_cross_view view;
	double nodes;
	const double *sizes[2];
} covers;

static void
open_covers(const tlv_frame *frame, covers *c)
{
	tlv_cross_table_view(frame, &c->view);
	c->nodes = tlv_frame_scalar(frame, "nodes", 0);
	c->sizes[0] = tlv_frame_float64(frame, "sizes_a");
	c->sizes[1] = tlv_frame_float64(frame, "sizes_b");
}

static tlv_status
cover_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	covers c;

	(void) sizes;
	TLV_TRY(tlv_cross_table_check(ctx, frame));
	open_covers(frame, &c);
	for (int s = 0; s < 2; s++)
		for (size_t i = 0; i < c.view.n[s]; i++)
			if (c.sizes[s][i] > c.nodes)
				return tlv_fail(ctx, TLV_CORRUPT, "a community has %g of %g nodes", c.sizes[s][i],
								c.nodes);
	for (size_t i = 0; i < c.view.n_pairs; i++)
	{
		double a = c.sizes[0][tlv_pair_a(c.view.pairs[i])];
		double b = c.sizes[1][tlv_pair_b(c.view.pairs[i])];

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (c.view.counts[i] > fmin(a, b) || c.view.counts[i] < a + b - c.nodes)
			return tlv_fail(ctx, TLV_CORRUPT, "communities of %g and %g nodes share %g of %g", a, b,
							c.view.counts[i], c.nodes);
	}
	return TLV_OK;
}

/* ---- overlapping normalised mutual information ---- */

/* -p ln p */
static double
entropy_term(double p)
{
	return p > 0 ? -p * log(p) : 0;
}

/* Entropy of belonging to a community. */
static double
community_entropy(double size, double nodes)
{
	return entropy_term(size / nodes) + entropy_term((nodes - size) / nodes);
}

/*
 * H(A | B) / H(A) of two communities that share `both` nodes; 1 where the pair
 * is not accepted, B then rather resembling what A is not; 1 for an A of all nodes.
 */
static double
conditional(double a, double b, double both, double nodes)
{
	double same = entropy_term(both / nodes) + entropy_term(fmax(nodes - a - b + both, 0) / nodes);
	double different = entropy_term((a - both) / nodes) + entropy_term((b - both) / nodes);

	if (a == nodes || !(same > different))
		return 1;
	return fmax(same + different - community_entropy(b, nodes), 0) / community_entropy(a, nodes);
}

static void
take_pair(const covers *c, size_t i, size_t j, double both, double *best_a, double *best_b)
{
	double a = c->sizes[0][i], b = c->sizes[1][j];

	best_a[i] = fmin(best_a[i], conditional(a, b, both, c->nodes));
	best_b[j] = fmin(best_b[j], conditional(b, a, both, c->nodes));
}

/*
 * Disjoint communities tell of each other, too, where they nearly cover all nodes.  That takes more
 * than half of them, so that one of the two has more than a quarter: such communities are few.
 * mark (n_b, zero) and large (n_b) are work space.
 */
static tlv_status
take_disjoint(tlv_context *ctx, const covers *c, double *best_a, double *best_b, size_t *mark,
			  size_t *large)
{
	size_t n_large = 0, pair = 0, work = 0;

	for (size_t j = 0; j < c->view.n[1]; j++)
		if (c->sizes[1][j] > c->nodes / 4)
			large[n_large++] = j;
	for (size_t i = 0; i < c->view.n[0]; i++)
	{
		bool all = c->sizes[0][i] > c->nodes / 4;
		size_t n = all ? c->view.n[1] : n_large;

		for (; pair < c->view.n_pairs && tlv_pair_a(c->view.pairs[pair]) == i; pair++)
			mark[tlv_pair_b(c->view.pairs[pair])] = i + 1;
		for (size_t l = 0; l < n; l++, work++)
		{
			size_t j = all ? l : large[l];

			TLV_TRY_CONTINUE_AT(ctx, work);
			if (mark[j] != i + 1 && c->sizes[0][i] + c->sizes[1][j] > c->nodes / 2)
				take_pair(c, i, j, 0, best_a, best_b);
		}
	}
	return TLV_OK;
}

/* Mean over the communities of one side; those of all nodes have no entropy to divide by. */
static double
mean_conditional(const covers *c, int side, const double *best)
{
	double sum = 0, without = 1;

	for (size_t j = 0; j < c->view.n[1 - side]; j++)
		without = c->sizes[1 - side][j] == c->nodes ? 0 : without;
	for (size_t i = 0; i < c->view.n[side]; i++)
		sum += c->sizes[side][i] == c->nodes ? without : best[i];
	return sum / (double) c->view.n[side];
}

/* The value when there is nothing to compare; true then. */
static bool
nothing_to_compare(const covers *c, double *value)
{
	*value = c->view.n[0] == 0 && c->view.n[1] == 0 ? NAN : 0;
	return c->view.n[0] == 0 || c->view.n[1] == 0;
}

tlv_status
tlv_cover_nmi(tlv_context *ctx, const tlv_frame *pairs, double *nmi)
{
	covers c;
	double *best_a, *best_b;
	size_t *mark;
	tlv_status status;

	TLV_TRY_CONTINUE(ctx);
	open_covers(pairs, &c);
	if (nothing_to_compare(&c, nmi))
		return TLV_OK;
	TLV_TRY_NEW(ctx, best_a, c.view.n[0] + c.view.n[1]);
	best_b = best_a + c.view.n[0];
	TLV_TRY_NEW0(ctx, mark, 2 * c.view.n[1]);
	for (size_t i = 0; i < c.view.n[0] + c.view.n[1]; i++)
		best_a[i] = 1;
	for (size_t i = 0; i < c.view.n_pairs; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		take_pair(&c, tlv_pair_a(c.view.pairs[i]), tlv_pair_b(c.view.pairs[i]), c.view.counts[i],
				  best_a, best_b);
	}
	status = take_disjoint(ctx, &c, best_a, best_b, mark, mark + c.view.n[1]);
	*nmi = 1 - (mean_conditional(&c, 0, best_a) + mean_conditional(&c, 1, best_b)) / 2;
	tlv_free(ctx, mark);
	tlv_free(ctx, best_a);
	return status;
}

/* ---- F1 ---- */

tlv_status
tlv_cover_f1(tlv_context *ctx, const tlv_frame *pairs, double *f1)
{
	covers c;
	double *best, sum[2] = {0, 0};

	open_covers(pairs, &c);
	if (nothing_to_compare(&c, f1))
		return TLV_OK;
	TLV_TRY_NEW0(ctx, best, c.view.n[0] + c.view.n[1]);
	for (size_t p = 0; p < c.view.n_pairs; p++)
	{
		size_t i = tlv_pair_a(c.view.pairs[p]), j = tlv_pair_b(c.view.pairs[p]);
		double score = 2 * c.view.counts[p] / (c.sizes[0][i] + c.sizes[1][j]);

		TLV_TRY_CONTINUE_AT(ctx, p);
		best[i] = fmax(best[i], score);
		best[c.view.n[0] + j] = fmax(best[c.view.n[0] + j], score);
	}
	for (size_t i = 0; i < c.view.n[0] + c.view.n[1]; i++)
		sum[i >= c.view.n[0]] += best[i];
	*f1 = (sum[0] / (double) c.view.n[0] + sum[1] / (double) c.view.n[1]) / 2;
	tlv_free(ctx, best);
	return TLV_OK;
}

static const tlv_declaration cover_list[] = {
	CROSS_LIST,
	{"sizes_a", TLV_FLOAT64, SIZE_A, TLV_ONE, TLV_COUNTED, TLV_OWN, CROSS(stored.sizes[0])},
	{"sizes_b", TLV_FLOAT64, SIZE_B, TLV_ONE, TLV_COUNTED, TLV_OWN, CROSS(stored.sizes[1])},
};
static const tlv_sections cover_sections = {
	.state = sizeof(cover_state),
	.kind = TLV_KIND_COVER_PAIRS,
	TLV_LIST(cover_list),
	.most = CROSS_MOST,
	.describe = tlv_cross_describe,
	.takes_away = true,
	.check_more = cover_check,
	.merge_own = tlv_cross_merge,
};

static const tlv_accumulator_class cover_class = {
	.name = "cover_pairs",
	.rows = TLV_ROW_COVERS,
	.add = cover_add,
	TLV_DECLARED(&cover_sections),
	.subtract = tlv_cross_subtract,
};
const tlv_kind tlv_kind_cover_pairs = {TLV_KIND_LINE(COVER_PAIRS, cover_pairs),
									   .accumulator = &cover_class};
