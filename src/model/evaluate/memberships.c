/*
 * memberships.c - true and estimated memberships of the same nodes,
 * collected: means, co-moments and absolute differences of every pair of
 * components (evaluate.h).
 *
 * Co-moments are kept about the running means (Chan, Golub, LeVeque 1983): a
 * component that does not vary has a sum of squares of exactly 0.
 */
#include "tensorlv/model/evaluate.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/numbers.h"

static const char *const names[2] = {"true", "estimated"};
static const char *const mean_names[2] = {"means_a", "means_b"};
static const char *const square_names[2] = {"squares_a", "squares_b"};
static const char *const absolute_names[2] = {"absolutes_a", "absolutes_b"};

/* The sizes. */
#define SIZE_A TLV_SIZE_1
#define SIZE_B TLV_SIZE_2

typedef struct membership_state
{
	tlv_declared declared;
	double nodes;
	size_t k[2];
	double *means[2];
	double *squares[2];	  /* sums of squares about the means */
	double *absolutes[2]; /* sums of |a_i|, |b_j| */
	double *deviation;	  /* k_b: of one row */
	double *products;	  /* k_a x k_b by rows: co-moments */
	double *differences;  /* k_a x k_b by rows: sums of |a_i - b_j| */
} membership_state;

static tlv_status
membership_pairs_begin(tlv_context *ctx, const tlv_statistic *constants,
					   tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_membership_pairs.accumulator, NULL, accumulator);
}

const tlv_aggregate tlv_aggregate_membership_pairs = {"tlv_membership_pairs", NULL,
													  membership_pairs_begin};

/* Settles the numbers of components, once. */
static tlv_status
allocate_sums(tlv_context *ctx, membership_state *state, size_t k_a, size_t k_b)
{
	double *block;

	if (k_a == 0 || k_b == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a row has no %s memberships", names[k_a > 0]);
	if ((double) k_a * (double) k_b * 2 * sizeof(double) > (double) TLV_FRAME_MAX_BYTES)
		return tlv_fail(ctx, TLV_LIMIT, "%zu x %zu pairs of components are too many for one value",
						k_a, k_b);
	TLV_TRY_NEW0(ctx, block, 2 * k_a * k_b + 3 * k_a + 4 * k_b);
	state->k[0] = k_a;
	state->k[1] = k_b;
	state->products = block;
	state->differences = block + k_a * k_b;
	block += 2 * k_a * k_b;
	for (int s = 0; s < 2; s++)
	{
		state->means[s] = block;
		state->squares[s] = block + state->k[s];
		state->absolutes[s] = block + 2 * state->k[s];
		block += 3 * state->k[s];
	}
	state->deviation = block;
	return TLV_OK;
}

static tlv_status
check_row(tlv_context *ctx, const membership_state *state, int side, size_t k, const double *x)
{
	if (k != state->k[side])
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s memberships, those before it %zu", k,
				 names[side], state->k[side]);
		return tlv_fail_hint(ctx, "Take all memberships of a side from one model.");
	}
	for (size_t j = 0; j < k; j++)
		if (!(fabs(x[j]) <= TLV_LARGEST_NUMBER))
			return tlv_fail(ctx, TLV_BAD_DATA, "%s membership %zu is %g, not a number to compare",
							names[side], j + 1, x[j]);
	return TLV_OK;
}

TLV_CLONES static void
evaluate_add_products(size_t k, double a, double deviation_a, const double *restrict b,
					  const double *restrict deviation_b, double *restrict products,
					  double *restrict differences)
{
	for (size_t j = 0; j < k; j++)
	{
		products[j] += deviation_a * deviation_b[j];
		differences[j] += fabs(a - b[j]);
	}
}

static tlv_status
membership_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	membership_state *state = (membership_state *) accumulator;
	const double *a = row->part[0].float64, *b = row->part[1].float64;
	size_t k_a = row->part[0].d, k_b = row->part[1].d;

	if (state->products == NULL)
		TLV_TRY(allocate_sums(ctx, state, k_a, k_b));
	TLV_TRY_ALLOC(ctx, state->products);
	TLV_TRY(check_row(ctx, state, 0, k_a, a));
	TLV_TRY(check_row(ctx, state, 1, k_b, b));
	state->nodes++;
	for (size_t j = 0; j < k_b; j++)
	{
		double before = b[j] - state->means[1][j];

		state->means[1][j] += before / state->nodes;
		state->deviation[j] = b[j] - state->means[1][j]; /* from the new mean */
		state->squares[1][j] += before * state->deviation[j];
		state->absolutes[1][j] += fabs(b[j]);
	}
	for (size_t i = 0; i < k_a; i++)
	{
		double before = a[i] - state->means[0][i]; /* from the old mean */

		if (i % 1024 == 1023)
			TLV_TRY_CONTINUE(ctx);
		evaluate_add_products(k_b, a[i], before, b, state->deviation, state->products + i * k_b,
							  state->differences + i * k_b);
		state->means[0][i] += before / state->nodes;
		state->squares[0][i] += before * (a[i] - state->means[0][i]);
		state->absolutes[0][i] += fabs(a[i]);
	}
	return TLV_OK;
}

/* Sums of two sets of rows; the means of *state are still its own. */
static tlv_status
merge_products(tlv_context *ctx, membership_state *state, const tlv_frame *frame, double weight)
{
	const double *mean_a = tlv_frame_float64(frame, mean_names[0]);
	const double *mean_b = tlv_frame_float64(frame, mean_names[1]);
	const double *products = tlv_frame_float64(frame, "products");
	const double *differences = tlv_frame_float64(frame, "differences");

	for (size_t i = 0; i < state->k[0]; i++)
		for (size_t j = 0; j < state->k[1]; j++)
		{
			size_t at = i * state->k[1] + j;

			state->products[at] += products[at] + weight * (mean_a[i] - state->means[0][i]) *
													  (mean_b[j] - state->means[1][j]);
			state->differences[at] += differences[at];
			TLV_TRY_CONTINUE_AT(ctx, at);
		}
	return TLV_OK;
}

static void
merge_side(membership_state *state, int side, const tlv_frame *frame, double weight, double share)
{
	const double *means = tlv_frame_float64(frame, mean_names[side]);
	const double *squares = tlv_frame_float64(frame, square_names[side]);
	const double *absolutes = tlv_frame_float64(frame, absolute_names[side]);

	for (size_t j = 0; j < state->k[side]; j++)
	{
		double difference = means[j] - state->means[side][j];

		state->squares[side][j] += squares[j] + weight * difference * difference;
		/* Between the two, however it is rounded. */
		state->means[side][j] = fmin(
			fmax(state->means[side][j] + share * difference, fmin(state->means[side][j], means[j])),
			fmax(state->means[side][j], means[j]));
		state->absolutes[side][j] += absolutes[j];
	}
}

static tlv_status
membership_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	membership_state *state = (membership_state *) accumulator;
	double nodes = tlv_frame_scalar(frame, "nodes", 0), before = state->nodes;
	size_t k_a = tlv_frame_find(frame, mean_names[0])->rows;
	size_t k_b = tlv_frame_find(frame, mean_names[1])->rows;

	if (nodes == 0)
		return TLV_OK;
	if (state->products == NULL)
		TLV_TRY(allocate_sums(ctx, state, k_a, k_b));
	TLV_TRY_ALLOC(ctx, state->products);
	if (k_a != state->k[0] || k_b != state->k[1])
	{
		int side = k_a == state->k[0];

		tlv_fail(ctx, TLV_BAD_PARAMETER, "some rows have %zu %s memberships, and others %zu",
				 state->k[side], names[side], side ? k_b : k_a);
		return tlv_fail_hint(ctx, "Take all memberships of a side from one model.");
	}
	state->nodes += nodes;
	TLV_TRY(merge_products(ctx, state, frame, before / state->nodes * nodes));
	for (int s = 0; s < 2; s++)
		merge_side(state, s, frame, before / state->nodes * nodes, nodes / state->nodes);
	return TLV_OK;
}

static tlv_status
membership_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	membership_state *state = (membership_state *) accumulator;

	(void) ctx;
	(void) owned;
	memcpy(state->declared.sizes, state->k, sizeof(state->k));
	return TLV_OK;
}

/*
 * Cauchy and Schwarz, but for rounding, which adds up with the nodes.  A square below DBL_MIN may
 * have been lost, and its product with a large number not.
 */
static tlv_status
check_products(tlv_context *ctx, const tlv_frame *frame, const size_t *k)
{
	const double *products = tlv_frame_float64(frame, "products");
	const double *square_a = tlv_frame_float64(frame, square_names[0]);
	const double *square_b = tlv_frame_float64(frame, square_names[1]);
	double nodes = tlv_frame_scalar(frame, "nodes", 0), lost = nodes * DBL_MIN;

	for (size_t i = 0; i < k[0]; i++)
		for (size_t j = 0; j < k[1]; j++)
		{
			size_t at = i * k[1] + j;
			double most = sqrt(square_a[i] + lost) * sqrt(square_b[j] + lost);

			TLV_TRY_CONTINUE_AT(ctx, at);
			if (!(fabs(products[at]) <= 1.000001 * most + 1e-100 * nodes))
				return tlv_fail(ctx, TLV_CORRUPT, "section \"products\" exceeds the squares");
		}
	return TLV_OK;
}

static tlv_status
membership_check(tlv_context *ctx, const tlv_frame *frame, const size_t *k)
{
	bool empty = tlv_frame_scalar(frame, "nodes", 0) == 0;

	for (int s = 0; s < 2; s++)
	{
		const double *means = tlv_frame_float64(frame, mean_names[s]);

		if ((k[s] == 0) != empty)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has the wrong shape", mean_names[s]);
		for (size_t j = 0; j < k[s]; j++)
			if (!(fabs(means[j]) <= TLV_LARGEST_NUMBER))
				return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g", j + 1,
								mean_names[s], means[j]);
	}
	return check_products(ctx, frame, k);
}

#define AT(member) offsetof(membership_state, member)
static const tlv_declaration membership_list[] = {
	{"nodes", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(nodes)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"means_a", TLV_FLOAT64, SIZE_A, TLV_ONE, TLV_ANY, TLV_OWN, AT(means[0])},
	{"squares_a", TLV_FLOAT64, SIZE_A, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(squares[0])},
	{"absolutes_a", TLV_FLOAT64, SIZE_A, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(absolutes[0])},
	{"means_b", TLV_FLOAT64, SIZE_B, TLV_ONE, TLV_ANY, TLV_OWN, AT(means[1])},
	{"squares_b", TLV_FLOAT64, SIZE_B, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(squares[1])},
	{"absolutes_b", TLV_FLOAT64, SIZE_B, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(absolutes[1])},
	{"products", TLV_FLOAT64, SIZE_B, SIZE_A, TLV_ANY, TLV_OWN, AT(products)},
	{"differences", TLV_FLOAT64, SIZE_B, SIZE_A, TLV_NONNEGATIVE, TLV_OWN, AT(differences)},
};
#undef AT
static const tlv_sections membership_sections = {
	.state = sizeof(membership_state),
	.kind = TLV_KIND_MEMBERSHIP_PAIRS,
	TLV_LIST(membership_list),
	.most = {TLV_FRAME_MAX_BYTES / sizeof(double), TLV_FRAME_MAX_BYTES / sizeof(double)},
	.describe = membership_describe,
	.check_more = membership_check,
	.merge_own = membership_merge,
};

static const tlv_accumulator_class membership_class = {
	.name = "membership_pairs",
	.rows = TLV_ROW_MEMBERSHIPS,
	.add = membership_add,
	TLV_DECLARED(&membership_sections),
};
const tlv_kind tlv_kind_membership_pairs = {TLV_KIND_LINE(MEMBERSHIP_PAIRS, membership_pairs),
											.accumulator = &membership_class};
