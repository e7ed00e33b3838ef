/*
 * compressed.c - the second pass over vectors of large dimension:
 * moments in the leading directions of a subspace (dense.h).
 */
#include "tensorlv/model/dense.h"

#include <math.h>
#include <string.h>

#include "sums.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"
#include "tensorlv/num/numbers.h"

/* The sizes. */
#define SIZE_BASIS	 TLV_SIZE_1 /* p: directions */
#define SIZE_CUBES	 TLV_SIZE_2 /* of sum3: packed3 of p, or 0 below order 3 */
#define SIZE_FOURTHS TLV_SIZE_3 /* of sum4: packed4 of p, or 0 below order 4 */
#define SIZE_SPACE	 TLV_SIZE_4 /* d */
#define SIZE_VALUES	 TLV_SIZE_5 /* eigenvalues that are known */

typedef struct compressed_state
{
	tlv_declared declared;
	bool takes_rows; /* false when only stored values are merged */
	/* what the subspace says */
	tlv_digest fingerprint;
	double rank, noise;
	double *values;
	double *mean;  /* d */
	double *basis; /* d x p */

	double order;
	dense_sums sums; /* of U'(x - m); sum2 is of the rows since the last flush */
	double *pairs;	 /* packed: sum2 of all before */
	double radial;	 /* sum of |r|^2 */
	double *radial1; /* p: sum of |r|^2 U'(x - m) */

	double *block; /* d x block_rows, of block_room: x - m */
	size_t block_rows;
	size_t block_room;
} compressed_state;

tlv_status
tlv_dense_compressed_create_order(tlv_context *ctx, const tlv_frame *subspace, int order,
								  tlv_accumulator **accumulator)
{
	const tlv_section *basis = tlv_frame_find(subspace, "basis");
	size_t p = basis->columns;
	const size_t sizes[TLV_SIZES] = {p, order >= 3 ? tlv_packed3_size(p) : 0,
									 order >= 4 ? tlv_packed4_size(p) : 0, basis->rows,
									 tlv_frame_find(subspace, "covariance_values")->rows};
	compressed_state *state;

	*accumulator = NULL;
	if (order < 2 || order > 4)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "max_order = %d is not 2, 3 or 4", order);
	if (order == 4 && p > TLV_DENSE_MOST_4)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu directions: moments of order 4 are kept up to %d", p,
				 TLV_DENSE_MOST_4);
		return tlv_fail_hint(ctx, "Find the subspace with a smaller k.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_dense_compressed.accumulator, sizes, accumulator));
	state = (compressed_state *) *accumulator;
	tlv_sections_take(*accumulator, subspace);
	state->fingerprint = subspace->header->digest;
	state->takes_rows = true;
	state->order = order;
	state->sums.d = p;
	state->sums.order = order;
	return tlv_alloc_numbers(ctx, &state->sums.sum2, p * p);
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
dense_flush_block(tlv_context *ctx, compressed_state *state)
{
	size_t d = state->declared.sizes[SIZE_SPACE], p = state->sums.d, rows = state->block_rows;
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
dense_compressed_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	compressed_state *state = (compressed_state *) accumulator;
	size_t p = state->sums.d;

	if (!state->takes_rows)
		return TLV_OK;
	TLV_TRY(dense_flush_block(ctx, state));
	for (size_t i = 0; i < p; i++) /* the lower triangle by rows */
		for (size_t j = 0; j <= i; j++)
			state->pairs[tlv_packed2_index(i, j)] += state->sums.sum2[i + p * j];
	memset(state->sums.sum2, 0, p * p * sizeof(double));
	return TLV_OK;
}

static tlv_status
compressed_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	compressed_state *state = (compressed_state *) accumulator;
	const double *x = row->part[0].float64;
	size_t d = row->part[0].d, expected = state->declared.sizes[SIZE_SPACE];

	if (!state->takes_rows)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (d != expected)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a vector has length %zu, those of the subspace %zu", d,
				 expected);
		return tlv_fail_hint(ctx,
							 "Give the columns that the subspace was found in, in their order.");
	}
	if (state->block_rows == state->block_room)
	{
		if (state->block_room < TLV_BLOCK_ROWS)
			TLV_TRY(dense_block_grow(ctx, d, &state->block, &state->block_room));
		else
			TLV_TRY(dense_flush_block(ctx, state));
	}
	TLV_TRY(dense_sums_shift(ctx, state->sums.order, d, x, state->mean,
							 state->block + state->block_rows * d));
	state->block_rows++;
	return TLV_OK;
}

/* ---- the stored value ---- */

static tlv_status
compressed_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const compressed_state *state = (const compressed_state *) accumulator;
	double order = tlv_frame_scalar(frame, "order", 0);

	if (state->declared.known && order != state->order)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "moments up to order %g cannot be merged with moments up to order %g",
				 state->order, order);
		return tlv_fail_hint(ctx, "Collect all of them with the same max_order.");
	}
	return tlv_sections_merge(ctx, accumulator, frame);
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
dense_subspace_check(tlv_context *ctx, const tlv_frame *frame)
{
	size_t p = 0;

	TLV_TRY(tlv_frame_require(ctx, frame, "rows", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "rows", 0));
	return check_subspace(ctx, frame, &p);
}

static tlv_status
compressed_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t p;

	TLV_TRY(check_subspace(ctx, frame, &p));
	return dense_sums_check(ctx, frame, sizes[SIZE_BASIS]);
}

#define AT(member) offsetof(compressed_state, member)
static const tlv_declaration compressed_list[] = {
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"subspace", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"order", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_EQUAL, AT(order)},
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"sum1", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.sum1)},
	{"sum2", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(pairs)},
	{"sum3", TLV_FLOAT64, SIZE_CUBES, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.sum3)},
	{"sum4", TLV_FLOAT64, SIZE_FOURTHS, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.sum4)},
	{"radial", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(radial)},
	{"radial1", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_SUM, AT(radial1)},
	{"rank", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_EQUAL, AT(rank)},
	{"noise", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_EQUAL, AT(noise)},
	{"mean", TLV_FLOAT64, SIZE_SPACE, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(mean)},
	{"covariance_values", TLV_FLOAT64, SIZE_VALUES, TLV_ONE, TLV_NONNEGATIVE, TLV_EQUAL,
	 AT(values)},
	{"basis", TLV_FLOAT64, SIZE_SPACE, SIZE_BASIS, TLV_ANY, TLV_EQUAL, AT(basis)},
};
#undef AT
static const tlv_sections compressed_sections = {
	.state = sizeof(compressed_state),
	.kind = TLV_KIND_DENSE_COMPRESSED,
	TLV_LIST(compressed_list),
	.least = {1, 0, 0, 1, 1},
	.most = {TLV_DENSE_MOST_3, TLV_FRAME_MAX_BYTES / sizeof(double),
			 TLV_FRAME_MAX_BYTES / sizeof(double), TLV_DENSE_MOST_2, TLV_DENSE_MOST_2},
	.flush = dense_compressed_flush,
	.check_more = compressed_check,
};

static const tlv_accumulator_class compressed_class = {.name = "dense_compressed",
													   .sections = &compressed_sections,
													   .merge = compressed_merge,
													   .build = tlv_sections_build,
													   .rows = TLV_ROW_VECTOR,
													   .add = compressed_add};

const tlv_kind tlv_kind_dense_subspace = {TLV_KIND_LINE(DENSE_SUBSPACE, dense_subspace),
										  .check = dense_subspace_check};
const tlv_kind tlv_kind_dense_compressed = {TLV_KIND_LINE(DENSE_COMPRESSED, dense_compressed),
											.accumulator = &compressed_class};
