/*
 * compressed.c - the compressed moments of documents in a subspace, up to order 3 (counts.h).
 *
 * y = W'c of a document (W = scale * basis) is gathered and scattered back to its items: cost
 * proportional to non-zeros times width (block.h).  Rows are collected in blocks, which enter the
 * small dense moments by BLAS-3.
 */
#include "tensorlv/model/counts.h"

#include <math.h>
#include <string.h>

#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

/* Directions of compressed moments: their cubes would not fit a value beyond. */
#define TRIPLES_MOST_WIDTH 1000

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2
#define SIZE_RITZ	   TLV_SIZE_3 /* of triples: as many as the subspace has directions */
#define SIZE_HELD	   TLV_SIZE_4 /* of triples: the items, or 0 where they refer to their subspace */
#define SIZE_DOCUMENTS TLV_SIZE_5 /* of triples that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_6

typedef struct compressed_state
{
	tlv_within_state head; /* correction: sum of s2 c, or s2 c^2 in distinct mode */

	double *ritz;
	double *basis; /* width x d */

	/* sums over rows seen here since the last flush, not yet corrected for repeated tokens */
	double *scattered;	 /* width x d: sum of s3 c_i y */
	double *correction3; /* d: sum of s3 c */

	/* sums complete in themselves, merged ones included */
	double *pairs;	/* packed */
	double *cubes;	/* packed, but for the correction of what is uncorrected */
	double *totals; /* d: sum of c */
	double *mean;	/* width: sum of y */
	double *z_sum;	/* width (distinct) */
	double *z_squares;

	double *work;
} compressed_state;

/* Per-item sums of the block's non-zeros. */
static void
add_item_sums(compressed_state *state)
{
	const tlv_count_block *block = &state->head.block;

	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count;

		state->head.correction[entry->item] +=
			block->s2[entry->row] * (state->head.within.distinct != 0 ? c * c : c);
		state->correction3[entry->item] += block->s3[entry->row] * c;
		tlv_count_add(&state->totals[entry->item], block->times[entry->row] * c);
	}
}

/* q_tj = (y_tj^2 - sum of c_ti^2 W_ij^2) / (L (L - 1)): pairs of distinct items only */
static tlv_status
add_quotients(tlv_context *ctx, compressed_state *state)
{
	tlv_count_block *block = &state->head.block;
	const tlv_subspace *subspace = state->head.within.subspace;
	size_t width = subspace->width;
	double *squares = state->head.scaled; /* which has served */

	TLV_TRY(tlv_count_block_squares(ctx, block, subspace->weights, squares));
	for (size_t t = 0; t < block->rows; t++)
	{
		double length = 1 + 1 / block->s2[t];
		double s = block->s2[t] / length;

		for (size_t j = 0; j < width; j++)
		{
			double y = block->y[t * width + j];
			double q = s * (y * y - squares[t * width + j]);

			state->z_sum[j] += q;
			state->z_squares[j] += q * q;
		}
	}
	return TLV_OK;
}

static tlv_status
triples_take(tlv_context *ctx, tlv_within_state *head)
{
	compressed_state *state = (compressed_state *) head;
	tlv_count_block *block = &head->block;
	size_t width = head->within.subspace->width;

	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s3, state->scattered));
	add_item_sums(state);
	for (size_t t = 0; t < block->rows; t++)
		for (size_t j = 0; j < width; j++)
			state->mean[j] += block->times[t] * block->y[t * width + j];
	tlv_packed3_add_cubes(width, block->rows, block->y, block->s3, state->cubes, state->work);
	return head->within.distinct != 0 ? add_quotients(ctx, state) : TLV_OK;
}

static tlv_status
triples_allocate(tlv_context *ctx, tlv_within_state *head)
{
	compressed_state *state = (compressed_state *) head;
	size_t width = head->within.subspace->width, d = head->within.subspace->d;

	TLV_TRY(tlv_alloc_numbers(ctx, &state->scattered, width * d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction3, d));
	return tlv_alloc_numbers(ctx, &state->work, tlv_tensor3_work(width, head->block.room_rows));
}

tlv_status
tlv_count_triples_create(tlv_context *ctx, const tlv_subspace *subspace,
						 tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {subspace->width, subspace->d, subspace->block, subspace->d};
	compressed_state *state;

	TLV_TRY(tlv_within_create(ctx, &tlv_kind_count_triples, subspace, sizes, accumulator));
	state = (compressed_state *) *accumulator;
	state->head.within.closed =
		subspace->distinct; /* quotients, which choose k, are of documents at once */
	memcpy(state->ritz, tlv_frame_float64(&subspace->frame, "ritz"),
		   subspace->block * sizeof(double));
	return TLV_OK;
}

/*
 * T = sum_t s3 y^(x)3 + Sym3[sum_i w_i (x) w_i (x) r_i], r_i = -u_i + (2/3) g3_i w_i,
 * u_i = sum_t s3 c_ti y_t: exactly the triples of distinct tokens.
 */
static tlv_status
correct_cubes(tlv_context *ctx, const compressed_state *state)
{
	const tlv_subspace *subspace = state->head.within.subspace;
	size_t width = subspace->width, d = subspace->d;
	const double *weights = subspace->weights;
	double *r = tlv_alloc(ctx, width * d, sizeof(double));

	TLV_TRY_ALLOC(ctx, r);
	for (size_t i = 0; i < d; i++)
	{
		double g = 2 * state->correction3[i] / 3;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < width; j++)
			r[i * width + j] = g * weights[i * width + j] - state->scattered[i * width + j];
	}
	TLV_TRY(tlv_packed3_add_squares(ctx, width, d, weights, r, state->cubes));
	tlv_free(ctx, r);
	return TLV_OK;
}

static tlv_status
triples_correct(tlv_context *ctx, tlv_within_state *head)
{
	compressed_state *state = (compressed_state *) head;
	const tlv_subspace *subspace = head->within.subspace;

	TLV_TRY(tlv_within_subtract_repeats(ctx, subspace, head->correction, head->square));
	tlv_within_add_square(subspace->width, head->square, state->pairs);
	TLV_TRY(correct_cubes(ctx, state));
	memset(state->scattered, 0, subspace->width * subspace->d * sizeof(double));
	memset(state->correction3, 0, subspace->d * sizeof(double));
	return TLV_OK;
}

/* ---- stored values ---- */

/* The value as sums of distinct pairs is of documents at once. */
static tlv_status
triples_check_documents(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double summed;

	if (tlv_frame_scalar(frame, "distinct", 0) != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "documents are held of distinct pairs");
	return tlv_within_check_documents(ctx, frame, sizes[SIZE_ITEMS], &summed);
}

static tlv_status
triples_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t width = sizes[SIZE_BASIS], ritz = sizes[SIZE_RITZ];

	if (ritz < width || ritz > sizes[SIZE_ITEMS] ||
		tlv_frame_scalar(frame, "rank", 0) != (double) width)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"ritz\" has the wrong shape");
	if (sizes[SIZE_HELD] != 0 && sizes[SIZE_HELD] != sizes[SIZE_ITEMS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" has the wrong shape");
	TLV_TRY(tlv_count_check_counters(ctx, frame));
	if (tlv_documents_told(frame))
		TLV_TRY(triples_check_documents(ctx, frame, sizes));
	return sizes[SIZE_HELD] == 0 ? tlv_count_check_reference(ctx, frame, "basis", width)
								 : tlv_count_check_subspace(ctx, frame, "basis");
}

/* Numbers of the subspace, beside sums. */
static double
held_numbers(const size_t *sizes)
{
	return (double) sizes[SIZE_HELD] * (double) (sizes[SIZE_BASIS] + 3);
}

static bool
triples_to_refer(const tlv_accumulator *accumulator)
{
	/*
	 * Triples hold the items, scales, shares and basis of their subspace, so that they can be
	 * fitted alone, if these are at most this number of values for every token.  With fewer
	 * documents, such as those of a month, they would be most of the value, which then refers to
	 * its subspace by the digest.
	 */
	const int held_tokens = 8;
	const tlv_within_state *state = (const tlv_within_state *) accumulator;

	return held_numbers(state->declared.sizes) > held_tokens * state->tokens;
}

/* Documents are worth holding where they refer to their subspace, and are less than sums. */
static bool
triples_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	const size_t *sizes = ((const tlv_declared *) accumulator)->sizes;
	size_t width = sizes[SIZE_BASIS];
	double numbers =
		(double) width + (double) tlv_packed2_size(width) + (double) tlv_packed3_size(width);

	return (sizes[SIZE_HELD] == 0 || triples_to_refer(accumulator)) &&
		   bytes < sizeof(double) * numbers + TLV_TOTAL_BYTES * (double) items;
}

#define AT(member) offsetof(compressed_state, member)
#define TRIPLES_LIST                                                                               \
	TLV_WITHIN_COUNTERS, TLV_WITHIN_SQUARES, TLV_WITHIN_LIST, TLV_WITHIN_ITEMS(SIZE_HELD),         \
		{"totals", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(totals)},        \
		{"ritz", TLV_FLOAT64, SIZE_RITZ, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(ritz)},                   \
		{"basis", TLV_FLOAT64, SIZE_BASIS, SIZE_HELD, TLV_ANY, TLV_EQUAL, AT(basis)},              \
		{"mean", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_SUM, AT(mean)},                    \
		{"pairs", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(pairs)},                \
		{"triples", TLV_FLOAT64, TLV_CUBES_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(cubes)},               \
		{"z_sum", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_SUM, AT(z_sum)},                  \
	{                                                                                              \
		"z_squares", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(z_squares)     \
	}

TLV_WITHIN_FORMS(TLV_KIND_COUNT_TRIPLES, compressed_state, SIZE_DOCUMENTS, SIZE_ENTRIES,
				 TRIPLES_MOST_WIDTH, TRIPLES_LIST, .least = {1, 1, 1}, .check_more = triples_check);

static const tlv_within_class triples_class = {
	.class = {.name = "count_triples", TLV_WITHIN_CLASS(&sums_sections)},
	.told = &told_sections,
	.items = SIZE_HELD,
	.sums = TLV_ONE,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.basis = AT(basis),
	.create = tlv_count_triples_create,
	.allocate = triples_allocate,
	.take = triples_take,
	.correct = triples_correct,
	.smaller = triples_smaller,
	.refers = triples_to_refer,
};

const tlv_kind tlv_kind_count_triples = {TLV_KIND_LINE(COUNT_TRIPLES, count_triples),
										 .check = tlv_within_check,
										 .accumulator = &triples_class.class};
