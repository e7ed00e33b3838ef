/*
 * compressed.c - the second pass over vectors of large dimension:
 * moments in the leading directions of a subspace (dense.h).
 */
#include "tensorlv/model/dense.h"

#include <math.h>
#include <string.h>

#include "sums.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

typedef struct compressed_state
{
	tlv_accumulator base;
	int order;
	size_t d; /* 0: of the first value merged */
	size_t p;
	tlv_frame origin;  /* where the subspace's sections are: the subspace or the first value */
	void *origin_copy; /* memory of the latter */
	tlv_digest fingerprint;
	const double *mean;	 /* d */
	const double *basis; /* d x p */
	dense_sums sums;	 /* of U'(x - m) */
	double radial;		 /* sum of |r|^2 */
	double *radial1;	 /* p: sum of |r|^2 U'(x - m) */

	double *block; /* d x block_rows, of block_room: x - m */
	size_t block_rows;
	size_t block_room;
} compressed_state;

static tlv_status
open_origin(tlv_context *ctx, compressed_state *state)
{
	const tlv_section *basis = tlv_frame_find(&state->origin, "basis");

	state->mean = tlv_frame_float64(&state->origin, "mean");
	state->basis = tlv_section_data(&state->origin, basis);
	state->d = basis->rows;
	state->p = basis->columns;
	state->radial1 = tlv_alloc0(ctx, state->p, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->radial1);
	return TLV_OK;
}

static tlv_status
create_empty(tlv_context *ctx, tlv_accumulator **accumulator)
{
	compressed_state *state = tlv_alloc0(ctx, 1, sizeof(compressed_state));

	*accumulator = NULL;
	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_dense_compressed.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

tlv_status
tlv_dense_compressed_create_order(tlv_context *ctx, const tlv_frame *subspace, int order,
								  tlv_accumulator **accumulator)
{
	size_t p = tlv_frame_find(subspace, "basis")->columns;
	compressed_state *state;

	*accumulator = NULL;
	if (order < 2 || order > 4)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "max_order = %d is not 2, 3 or 4", order);
	if (order == 4 && p > TLV_DENSE_MOST_4)
		return tlv_fail(ctx, TLV_LIMIT, "%zu directions: moments of order 4 are kept up to %d", p,
						TLV_DENSE_MOST_4);
	TLV_TRY(create_empty(ctx, accumulator));
	state = (compressed_state *) *accumulator;
	state->order = order;
	state->origin = *subspace;
	state->fingerprint = subspace->header->digest;
	TLV_TRY(open_origin(ctx, state));
	return dense_sums_init(ctx, &state->sums, p, order);
}

tlv_status
tlv_dense_compressed_create(tlv_context *ctx, const tlv_frame *subspace,
							tlv_accumulator **accumulator)
{
	size_t p = tlv_frame_find(subspace, "basis")->columns;

	return tlv_dense_compressed_create_order(ctx, subspace, p <= TLV_DENSE_MOST_4 ? 4 : 3,
											 accumulator);
}

static tlv_status
dense_begin(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	const tlv_frame *subspace = constants->constant;

	if (subspace == NULL)
		return tlv_dense_moments_create(ctx, constants->order, accumulator);
	TLV_TRY(tlv_kind_require(ctx, subspace, &tlv_kind_dense_subspace, "tlv_dense_moments"));
	return constants->order == 0
			   ? tlv_dense_compressed_create(ctx, subspace, accumulator)
			   : tlv_dense_compressed_create_order(ctx, subspace, constants->order, accumulator);
}

const tlv_aggregate tlv_aggregate_dense_moments = {"tlv_dense_moments", NULL, dense_begin};

/* ---- rows ---- */

static double
squared_norm(size_t n, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i] * x[i];
	return sum;
}

/* Block by block into the basis, from there into the sums. */
static tlv_status
dense_compressed_flush(tlv_context *ctx, compressed_state *state)
{
	size_t d = state->d, p = state->p, rows = state->block_rows;
	dense_sums *sums = &state->sums;

	if (rows == 0)
		return TLV_OK;
	while (sums->block_room < rows)
		TLV_TRY(dense_block_grow(ctx, p, &sums->block, &sums->block_room));
	TLV_TRY(tlv_gemm(ctx, true, false, p, rows, d, 1, state->basis, d, state->block, d, 0,
					 sums->block, p));
	for (size_t t = 0; t < rows; t++)
	{
		const double *y = sums->block + t * p;
		/* What lies outside the basis; below rounding when all of it is inside. */
		double outside = fmax(0, squared_norm(d, state->block + t * d) - squared_norm(p, y));

		state->radial += outside;
		for (size_t j = 0; j < p; j++)
			state->radial1[j] += outside * y[j];
	}
	sums->block_rows = rows;
	state->block_rows = 0;
	return dense_sums_flush(ctx, sums);
}

static tlv_status
compressed_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	compressed_state *state = (compressed_state *) accumulator;
	const double *x = row->part[0].float64;
	size_t d = row->part[0].d;

	if (d != state->d)
		return tlv_fail(ctx, TLV_BAD_DATA, "a vector has length %zu, those of the subspace %zu", d,
						state->d);
	if (state->block_rows == state->block_room)
	{
		if (state->block_room < DENSE_BLOCK)
			TLV_TRY(dense_block_grow(ctx, d, &state->block, &state->block_room));
		else
			TLV_TRY(dense_compressed_flush(ctx, state));
	}
	TLV_TRY(dense_sums_shift(ctx, state->order, d, x, state->mean,
							 state->block + state->block_rows * d));
	state->block_rows++;
	return TLV_OK;
}

/* ---- merging ---- */

/* The first value merged into an empty accumulator describes the subspace from then on. */
static tlv_status
adopt(tlv_context *ctx, compressed_state *state, const tlv_frame *frame)
{
	size_t size = frame->header->size;

	state->origin_copy = tlv_alloc(ctx, size, 1);
	TLV_TRY_ALLOC(ctx, state->origin_copy);
	memcpy(state->origin_copy, frame->header, size);
	TLV_TRY(tlv_frame_open(ctx, state->origin_copy, size, &state->origin));
	state->order = (int) tlv_frame_scalar(frame, "order", 0);
	state->fingerprint = *tlv_frame_digest(frame, "subspace");
	TLV_TRY(open_origin(ctx, state));
	return dense_sums_init(ctx, &state->sums, state->p, state->order);
}

static tlv_status
compressed_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	compressed_state *state = (compressed_state *) accumulator;
	int order = (int) tlv_frame_scalar(frame, "order", 0);
	const double *radial1 = tlv_frame_float64(frame, "radial1");
	dense_sums other;

	if (state->d == 0)
		TLV_TRY(adopt(ctx, state, frame));
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "subspace")) ||
		tlv_frame_find(frame, "basis")->rows != state->d ||
		tlv_frame_find(frame, "basis")->columns != state->p)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"moments in two different subspaces cannot be merged");
	if (order != state->order)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"moments up to order %d cannot be merged with moments up to order %d",
						state->order, order);
	TLV_TRY(dense_sums_read(ctx, frame, &other));
	TLV_TRY(dense_compressed_flush(ctx, state));
	dense_sums_add(&state->sums, &other);
	dense_sums_free(ctx, &other);
	state->radial += tlv_frame_scalar(frame, "radial", 0);
	for (size_t j = 0; j < state->p; j++)
		state->radial1[j] += radial1[j];
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	return TLV_OK;
}

/* ---- the stored value ---- */

static const char *const own_sections[] = {"rows", "nulls",	 "order",	"sum1",		"sum2", "sum3",
										   "sum4", "radial", "radial1", "subspace", NULL};

static tlv_status
compressed_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	compressed_state *state = (compressed_state *) accumulator;
	double *numbers;

	if (state->d == 0)
		return tlv_fail(ctx, TLV_INTERNAL, "compressed moments without a subspace");
	TLV_TRY(dense_compressed_flush(ctx, state));
	if (!isfinite(state->radial))
		return tlv_fail(ctx, TLV_BAD_DATA, "the sum of squares outside the subspace overflows");
	numbers = tlv_alloc(ctx, dense_sums_packed(&state->sums), sizeof(double));
	TLV_TRY_ALLOC(ctx, numbers);
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_DENSE_COMPRESSED);
	builder->owned = numbers;
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_digest(builder, "subspace", &state->fingerprint);
	TLV_TRY(dense_sums_write(ctx, &state->sums, numbers, builder));
	tlv_frame_add_scalar(builder, "radial", state->radial);
	tlv_frame_add(builder, "radial1", TLV_FLOAT64, state->p, 1, state->radial1);
	tlv_frame_add_from(builder, &state->origin, own_sections);
	return TLV_OK;
}

/* U'U = I to 1e-6. */
static tlv_status
check_orthonormal(tlv_context *ctx, size_t d, size_t p, const double *basis)
{
	double *gram = tlv_alloc(ctx, p * p, sizeof(double));
	bool orthonormal = true;

	TLV_TRY_ALLOC(ctx, gram);
	TLV_TRY(tlv_syrk(ctx, true, p, d, 1, basis, d, 0, gram, p, false));
	for (size_t j = 0; j < p; j++)
		for (size_t i = j; i < p; i++)
			orthonormal &= fabs(gram[i + p * j] - (i == j)) <= 1e-6;
	tlv_free(ctx, gram);
	return orthonormal ? TLV_OK
					   : tlv_fail(ctx, TLV_CORRUPT, "section \"basis\" is not orthonormal");
}

/* What a subspace says of itself: in its own value and in compressed moments. */
static tlv_status
check_subspace(tlv_context *ctx, const tlv_frame *frame, size_t *p)
{
	const tlv_section *basis = tlv_frame_find(frame, "basis");
	const tlv_section *values = tlv_frame_find(frame, "covariance_values");
	const void *numbers = NULL;

	if (basis == NULL || basis->rows > TLV_DENSE_MOST_2 || basis->columns < 1 ||
		basis->columns > basis->rows || basis->columns > TLV_DENSE_MOST_3)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"basis\" is missing or has the wrong shape");
	if (values == NULL || values->rows < basis->columns || values->rows > basis->rows)
		return tlv_fail(ctx, TLV_CORRUPT,
						"section \"covariance_values\" is missing or has the wrong shape");
	TLV_TRY(
		tlv_frame_require(ctx, frame, "basis", TLV_FLOAT64, basis->rows, basis->columns, &numbers));
	TLV_TRY(tlv_frame_require(ctx, frame, "mean", TLV_FLOAT64, basis->rows, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "covariance_values", TLV_FLOAT64, values->rows, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "covariance_values", 0));
	TLV_TRY(tlv_frame_require(ctx, frame, "noise", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "noise", 0));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rank"));
	if (tlv_frame_scalar(frame, "rank", 0) != (double) basis->columns)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"rank\" is not the number of directions");
	*p = basis->columns;
	return check_orthonormal(ctx, basis->rows, basis->columns, numbers);
}

static tlv_status
subspace_check(tlv_context *ctx, const tlv_frame *frame)
{
	size_t p = 0;

	TLV_TRY(tlv_frame_require(ctx, frame, "rows", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "rows", 0));
	return check_subspace(ctx, frame, &p);
}

static tlv_status
compressed_check(tlv_context *ctx, const tlv_frame *frame)
{
	size_t p = 0;

	TLV_TRY(check_subspace(ctx, frame, &p));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "subspace"));
	TLV_TRY(tlv_frame_require(ctx, frame, "radial", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "radial", 0));
	TLV_TRY(tlv_frame_require(ctx, frame, "radial1", TLV_FLOAT64, p, 1, NULL));
	return dense_sums_check(ctx, frame, p);
}

static const tlv_accumulator_class compressed_class = {.name = "dense_compressed",
													   .create = create_empty,
													   .merge = compressed_merge,
													   .build = compressed_build,
													   .rows = TLV_ROW_VECTOR,
													   .add = compressed_add};

const tlv_kind tlv_kind_dense_subspace = {TLV_KIND_LINE(DENSE_SUBSPACE, dense_subspace),
										  .check = subspace_check};
const tlv_kind tlv_kind_dense_compressed = {TLV_KIND_LINE(DENSE_COMPRESSED, dense_compressed),
											.check = compressed_check,
											.accumulator = &compressed_class};
