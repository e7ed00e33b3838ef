/*
 * moments.c - moments of vectors in one pass (dense.h).
 */
#include "tensorlv/model/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "sums.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"

/* The sizes. */
#define SIZE_D		 TLV_SIZE_1
#define SIZE_CUBES	 TLV_SIZE_2 /* of sum3: packed3 of d, or 0 below order 3 */
#define SIZE_FOURTHS TLV_SIZE_3 /* of sum4: packed4 of d, or 0 below order 4 */

typedef struct moments_state
{
	tlv_declared declared;
	double order;	 /* 0: that of the first value merged */
	dense_sums sums; /* d is 0 before the first row */
	double *shift;	 /* d: the first row */
	double *pairs;	 /* of the stored form: sum2, packed */
} moments_state;

static size_t
most_dimensions(int order)
{
	return order == 2 ? TLV_DENSE_MOST_2 : order == 3 ? TLV_DENSE_MOST_3 : TLV_DENSE_MOST_4;
}

static tlv_status
refuse_dimension(tlv_context *ctx, int order, size_t d)
{
	tlv_fail(ctx, TLV_LIMIT, "vectors of length %zu: moments of order %d are kept up to %zu", d,
			 order, most_dimensions(order));
	return tlv_fail_hint(ctx, "%s",
						 order == 2 ? "Reduce the vectors before collecting."
									: "Collect order 2 first, then tlv_dense_moments(x, "
									  "tlv_find_subspace(moments, k)) in the leading directions.");
}

/* The first row says how long all are, and where the sums are taken about. */
static tlv_status
dense_moments_begin(tlv_context *ctx, moments_state *state, size_t d, const double *first)
{
	if (d == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "a vector has no elements");
	if (d > most_dimensions((int) state->order))
		return refuse_dimension(ctx, (int) state->order, d);
	for (size_t j = 0; j < d; j++)
		if (!isfinite(first[j]))
			return tlv_refuse_element(ctx, j, first[j]);
	TLV_TRY_NEW(ctx, state->shift, d);
	memcpy(state->shift, first, d * sizeof(double));
	return dense_sums_init(ctx, &state->sums, d, (int) state->order);
}

static tlv_status
moments_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	moments_state *state = (moments_state *) accumulator;
	const double *x = row->part[0].float64;
	size_t d = row->part[0].d;
	double *slot;

	if (state->sums.d == 0)
		TLV_TRY(dense_moments_begin(ctx, state, d, x));
	if (d != state->sums.d)
		return tlv_refuse_length(ctx, d, state->sums.d);
	TLV_TRY(dense_sums_next(ctx, &state->sums, &slot));
	TLV_TRY(dense_sums_shift(ctx, state->sums.order, d, x, state->shift, slot));
	TLV_TRY(dense_sums_weigh(ctx, &state->sums, tlv_row_weight(row)));
	state->sums.block_rows++;
	return TLV_OK;
}

tlv_status
tlv_dense_moments_create(tlv_context *ctx, int order, tlv_accumulator **accumulator)
{
	*accumulator = NULL;
	if (order < 2 || order > 4)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "max_order = %d is not 2, 3 or 4", order);
		return tlv_fail_hint(ctx,
							 "Order 2 is mean and covariance, 3 is for mixtures, 4 for independent "
							 "components.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_dense_moments.accumulator, NULL, accumulator));
	((moments_state *) *accumulator)->order = order;
	return TLV_OK;
}

static tlv_status
moments_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	moments_state *state = (moments_state *) accumulator;

	return state->sums.d > 0 ? dense_sums_flush(ctx, &state->sums) : TLV_OK;
}

/* ---- merging ---- */

/* The point of more rows is kept; of as many, the smaller one: a + b is b + a. */
static bool
dense_keeps_shift(const moments_state *state, double rows, const double *shift)
{
	if (state->sums.rows != rows)
		return state->sums.rows > rows;
	for (size_t j = 0; j < state->sums.d; j++)
		if (state->shift[j] != shift[j])
			return state->shift[j] < shift[j];
	return true;
}

static tlv_status
check_distance(tlv_context *ctx, const moments_state *state, const double *shift)
{
	double reach = dense_sums_reach(state->sums.order);

	for (size_t j = 0; j < state->sums.d; j++)
	{
		double distance = state->shift[j] - shift[j];

		if (!(fabs(distance) <= reach))
		{
			tlv_fail(ctx, TLV_BAD_DATA,
					 "element %zu differs by %g between the moments to be "
					 "merged: its power of order %d would overflow",
					 j + 1, distance, state->sums.order);
			return tlv_fail_hint(ctx, "Divide this element by a constant in all rows.");
		}
	}
	return TLV_OK;
}

/* Moves the sums of fewer rows to the point of the other and adds. */
static tlv_status
dense_merge_sums(tlv_context *ctx, moments_state *state, dense_sums *other, const double *shift)
{
	size_t d = state->sums.d;
	bool keeps = dense_keeps_shift(state, other->rows, shift);
	double *delta = tlv_alloc(ctx, d, sizeof(double));

	TLV_TRY_ALLOC(ctx, delta);
	for (size_t j = 0; j < d; j++)
		delta[j] = keeps ? shift[j] - state->shift[j] : state->shift[j] - shift[j];
	dense_sums_translate(keeps ? other : &state->sums, delta);
	dense_sums_add(&state->sums, other);
	if (!keeps)
		memcpy(state->shift, shift, d * sizeof(double));
	tlv_free(ctx, delta);
	return TLV_OK;
}

/* All rows have been taken out: it is empty again, up to what rounding leaves. */
static tlv_status
none_left(tlv_context *ctx, moments_state *state)
{
	if (state->sums.rows < 0)
		return tlv_refuse_taken(ctx, "rows");
	dense_sums_free(ctx, &state->sums);
	memset(&state->sums, 0, sizeof(state->sums));
	return TLV_OK;
}

static tlv_status
dense_merge_rows(tlv_context *ctx, moments_state *state, const tlv_frame *frame)
{
	const double *shift = tlv_frame_float64(frame, "shift");
	size_t d = tlv_frame_find(frame, "shift")->rows;
	dense_sums other;

	if (state->sums.d == 0)
	{
		if (tlv_frame_scalar(frame, "rows", 0) < 0)
			return tlv_refuse_taken(ctx, "rows");
		TLV_TRY_NEW(ctx, state->shift, d);
		memcpy(state->shift, shift, d * sizeof(double));
		return dense_sums_read(ctx, frame, &state->sums);
	}
	if (d != state->sums.d)
	{
		tlv_fail(ctx, TLV_BAD_DATA,
				 "moments of vectors of length %zu cannot be merged with those of length %zu",
				 state->sums.d, d);
		return tlv_fail_hint(ctx, "All parts must have the same columns.");
	}
	TLV_TRY(check_distance(ctx, state, shift));
	TLV_TRY(dense_sums_read(ctx, frame, &other));
	TLV_TRY(dense_merge_sums(ctx, state, &other, shift));
	if (other.rows < 0 && state->sums.rows > 0)
		for (size_t j = 0; j < d; j++)
			TLV_TRY(tlv_require_left(ctx, "sum2", 1, other.sum2 + j + d * j,
									 state->sums.sum2 + j + d * j));
	dense_sums_free(ctx, &other);
	return state->sums.rows <= 0 ? none_left(ctx, state) : TLV_OK;
}

/* Shifted sums are merged about one point. */
static tlv_status
moments_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	moments_state *state = (moments_state *) accumulator;
	double order = tlv_frame_scalar(frame, "order", 0);

	if (state->order == 0)
		state->order = order;
	if (order != state->order)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments up to order %g cannot be merged with moments up to order %g",
				 state->order, order);
		return tlv_fail_hint(ctx, "Collect all of them with the same max_order.");
	}
	return tlv_frame_scalar(frame, "rows", 0) != 0 ? dense_merge_rows(ctx, state, frame) : TLV_OK;
}

/* ---- the stored value ---- */

static tlv_status
moments_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	moments_state *state = (moments_state *) accumulator;
	dense_sums *sums = &state->sums;
	size_t d = sums->d;

	if (d == 0) /* of NULLs alone there are no sums */
		return TLV_OK;
	if (sums->weights != NULL) /* they add up to an integer, up to rounding */
		sums->rows = round(sums->rows);
	TLV_TRY(dense_sums_require_finite(ctx, sums));
	state->declared.sizes[SIZE_D] = d;
	state->declared.sizes[SIZE_CUBES] = sums->order >= 3 ? tlv_packed3_size(d) : 0;
	state->declared.sizes[SIZE_FOURTHS] = sums->order >= 4 ? tlv_packed4_size(d) : 0;
	TLV_TRY_NEW(ctx, state->pairs, tlv_packed2_size(d));
	*owned = state->pairs;
	for (size_t i = 0; i < d; i++) /* the lower triangle by rows */
		for (size_t j = 0; j <= i; j++)
			state->pairs[tlv_packed2_index(i, j)] = sums->sum2[i + d * j];
	return TLV_OK;
}

static tlv_status
moments_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double rows = tlv_frame_scalar(frame, "rows", 0);

	if ((sizes[SIZE_D] == 0) != (rows == 0))
		return tlv_fail(ctx, TLV_CORRUPT, "%g rows of %zu elements", rows, sizes[SIZE_D]);
	return dense_sums_check(ctx, frame, sizes[SIZE_D]);
}

#define AT(member) offsetof(moments_state, member)
static const tlv_declaration moments_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"shift", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_ANY, TLV_OWN, AT(shift)},
	{"order", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(order)},
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_OWN, AT(sums.rows)},
	{"sum1", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.sum1)},
	{"sum2", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_OWN, AT(pairs)},
	{"sum3", TLV_FLOAT64, SIZE_CUBES, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.sum3)},
	{"sum4", TLV_FLOAT64, SIZE_FOURTHS, TLV_ONE, TLV_ANY, TLV_OWN, AT(sums.sum4)},
};
#undef AT
static const char *const moments_no_sums[] = {"shift", "order", NULL};
static const tlv_sections moments_sections = {
	.state = sizeof(moments_state),
	.kind = TLV_KIND_DENSE_MOMENTS,
	TLV_LIST(moments_list),
	.most = {TLV_DENSE_MOST_2, TLV_FRAME_MAX_BYTES / sizeof(double),
			 TLV_FRAME_MAX_BYTES / sizeof(double)},
	.flush = moments_flush,
	.describe = moments_describe,
	.takes_away = true,
	.no_sums = moments_no_sums,
	.check_more = moments_check,
	.merge_own = moments_merge,
};

static const tlv_accumulator_class moments_class = {.name = "dense_moments",
													TLV_DECLARED(&moments_sections),
													.rows = TLV_ROW_VECTOR,
													.weighting = TLV_WEIGHTING_EFFECTIVE,
													.add = moments_add};

const tlv_kind tlv_kind_dense_moments = {TLV_KIND_LINE(DENSE_MOMENTS, dense_moments),
										 .accumulator = &moments_class};
