/*
 * match.c - which estimated component is which true one, and how well
 * the memberships agree (evaluate.h).
 */
#include "tensorlv/model/evaluate.h"

#include <float.h>
#include <math.h>

#include "tensorlv/num/bag.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/special.h"

/* A component whose values differ by less, relative to their mean, does not vary. */
#define CONSTANT 1e-12
/* No correlation is known to be nearer to 1: t stays finite. */
#define LARGEST_CORRELATION (1 - DBL_EPSILON)

static bool
varies(double square, double mean, double nodes)
{
	return square > nodes * CONSTANT * CONSTANT * mean * mean;
}

/* Correlation and its right tail under independence. */
static void
test_pair(tlv_component_pair *pair, double product, double square_a, double square_b, double nodes)
{
	double r = product / sqrt(square_a) / sqrt(square_b);

	pair->correlation = fmin(fmax(r, -1), 1);
	if (nodes < 3)
		return;
	r = fmin(fmax(r, -LARGEST_CORRELATION), LARGEST_CORRELATION);
	pair->t = r * sqrt((nodes - 2) / ((1 - r) * (1 + r)));
	pair->p_value = tlv_student_survival(pair->t, nodes - 2);
}

static tlv_status
fill_pairs(tlv_context *ctx, const tlv_frame *frame, tlv_membership_match *match)
{
	const double *mean_a = tlv_frame_float64(frame, "means_a");
	const double *mean_b = tlv_frame_float64(frame, "means_b");
	const double *square_a = tlv_frame_float64(frame, "squares_a");
	const double *square_b = tlv_frame_float64(frame, "squares_b");
	const double *products = tlv_frame_float64(frame, "products");
	const double *differences = tlv_frame_float64(frame, "differences");

	for (size_t i = 0; i < match->k_a; i++)
		for (size_t j = 0; j < match->k_b; j++)
		{
			size_t at = i * match->k_b + j;
			tlv_component_pair *pair = &match->pairs[at];

			TLV_TRY_CONTINUE_OFTEN(ctx, at);
			*pair =
				(tlv_component_pair){NAN, NAN, 1, 1, differences[at] / match->nodes, false, false};
			if (varies(square_a[i], mean_a[i], match->nodes) &&
				varies(square_b[j], mean_b[j], match->nodes))
				test_pair(pair, products[at], square_a[i], square_b[j], match->nodes);
		}
	return TLV_OK;
}

/* The bits of a number in 0 .. 1 are in its order. */
static int64_t
order_bits(double x)
{
	union
	{
		double number;
		int64_t bits;
	} both = {.number = x};

	return both.bits;
}

/* q_(r) = min over r' >= r of p_(r') m / r', ranks r by ascending p; ties share the last rank. */
static tlv_status
adjust(tlv_context *ctx, tlv_membership_match *match, double alpha)
{
	size_t m = match->k_a * match->k_b, distinct;
	tlv_bag_entry *entries = tlv_alloc(ctx, m, 2 * sizeof(tlv_bag_entry)), *work;
	double rank = (double) m, least = 1;

	TLV_TRY_ALLOC(ctx, entries);
	work = entries + m;
	for (size_t e = 0; e < m; e++)
		entries[e] = (tlv_bag_entry){order_bits(match->pairs[e].p_value), 1};
	TLV_TRY(tlv_bag_sort(ctx, m, entries, work, &distinct));
	for (size_t e = distinct; e-- > 0;)
	{
		union
		{
			int64_t bits;
			double number;
		} p = {.bits = entries[e].item};

		least = fmin(least, p.number * (double) m / rank);
		rank -= entries[e].weight;
		entries[e].weight = least;
	}
	for (size_t e = 0; e < m; e++)
	{
		int64_t bits = order_bits(match->pairs[e].p_value);
		size_t low = 0, high = distinct;

		TLV_TRY_CONTINUE_OFTEN(ctx, e);
		while (high - low > 1)
		{
			size_t middle = (low + high) / 2;

			if (entries[middle].item <= bits)
				low = middle;
			else
				high = middle;
		}
		match->pairs[e].q_value = entries[low].weight;
		match->pairs[e].matched = entries[low].weight <= alpha;
	}
	tlv_free(ctx, entries);
	return TLV_OK;
}

/* One-to-one, filled up with components that are 0 everywhere. */
static tlv_status
assign_pairs(tlv_context *ctx, const tlv_frame *frame, tlv_membership_match *match)
{
	const double *absolute_a = tlv_frame_float64(frame, "absolutes_a");
	const double *absolute_b = tlv_frame_float64(frame, "absolutes_b");
	const double *differences = tlv_frame_float64(frame, "differences");
	size_t k_a = match->k_a, k_b = match->k_b, k = k_a > k_b ? k_a : k_b;
	double *cost = tlv_alloc(ctx, k, k * sizeof(double)), total = 0;
	int64_t *assignment;

	TLV_TRY_ALLOC(ctx, cost);
	TLV_TRY_NEW(ctx, assignment, k);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			cost[i * k + j] = i >= k_a	 ? absolute_b[j]
							  : j >= k_b ? absolute_a[i]
										 : differences[i * k_b + j];
	TLV_TRY(tlv_assignment(ctx, k, k, cost, assignment, &total));
	for (size_t i = 0; i < k_a; i++)
		if ((size_t) assignment[i] < k_b)
			match->pairs[i * k_b + (size_t) assignment[i]].assigned = true;
	match->l1 = total / match->nodes / 2;
	tlv_free(ctx, assignment);
	tlv_free(ctx, cost);
	return TLV_OK;
}

static void
summarise(tlv_membership_match *match)
{
	for (size_t i = 0; i < match->k_a; i++)
	{
		bool found = false;

		for (size_t j = 0; j < match->k_b; j++)
			if (match->pairs[i * match->k_b + j].matched)
			{
				found = true;
				match->error += match->pairs[i * match->k_b + j].error;
			}
		match->recovery_ratio += found;
	}
	match->recovery_ratio /= (double) match->k_a;
	match->error /= (double) match->k_a;
}

tlv_status
tlv_membership_compare(tlv_context *ctx, const tlv_frame *pairs, double alpha,
					   tlv_membership_match *match)
{
	*match = (tlv_membership_match){0};
	if (!(alpha >= 0 && alpha <= 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "alpha = %g is not between 0 and 1", alpha);
	match->nodes = tlv_frame_scalar(pairs, "nodes", 0);
	if (!(match->nodes > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "there are no memberships to compare");
	match->k_a = tlv_frame_find(pairs, "means_a")->rows;
	match->k_b = tlv_frame_find(pairs, "means_b")->rows;
	TLV_TRY_NEW(ctx, match->pairs, match->k_a * match->k_b);
	TLV_TRY(fill_pairs(ctx, pairs, match));
	TLV_TRY(adjust(ctx, match, alpha));
	TLV_TRY(assign_pairs(ctx, pairs, match));
	summarise(match);
	return TLV_OK;
}
