/*
 * slices.c - slices T(., l, l) of the third moment of documents in a basis, which is what a step of
 * all components at once needs of it (counts.h, decompose.h): the memory is that of the basis, not
 * the cube of its directions.
 *
 * The value refers to its subspace.  While documents take less than pairs of directions, it holds
 * them (within_documents.h).
 */
#include "tensorlv/model/counts.h"

#include <string.h>

#include "block.h"
#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2
#define SIZE_DOCUMENTS TLV_SIZE_3 /* of values that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_4

/* Most directions: sums are of pairs of them. */
#define MOST_DIRECTIONS 4000

typedef struct slice_state
{
	tlv_declared declared;
	tlv_within within;

	double documents;
	double tokens;

	/* sums over rows seen here since the last flush, not yet corrected for repeated tokens */
	size_t uncorrected;	 /* documents */
	double *scattered;	 /* width x d: sum of s3 c y */
	double *correction;	 /* d: sum of s2 c */
	double *correction3; /* d: sum of s3 c */
	double *square;		 /* width x width, lower triangle: sum of s2 y y' */
	double *running;	 /* width x width: sum of s3 (y * y - sum of c w * w) y' */

	/* sums complete in themselves, merged ones included */
	double *totals; /* d: sum of c */
	double *mean;	/* width: sum of y */
	double *pairs;	/* packed: sum of s2 (y y' - sum of c w w') */
	double *slices; /* width x width: entry l of column a is T(a, l, l) */

	tlv_count_block block; /* rows that are not in the sums yet */
	double *scaled;		   /* width x rows of the block */
	double *squares;	   /* likewise */
	tlv_document document;
} slice_state;

/* Per-item sums of the block's non-zeros. */
static void
add_items(slice_state *state)
{
	const tlv_count_block *block = &state->block;

	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];

		tlv_count_add(&state->totals[entry->item], block->times[entry->row] * entry->count);
		state->correction[entry->item] += block->s2[entry->row] * entry->count;
		state->correction3[entry->item] += block->s3[entry->row] * entry->count;
	}
}

/* scaled = factor_t y_t */
static void
scale_rows(slice_state *state, const double *factor)
{
	const tlv_count_block *block = &state->block;
	size_t width = state->within.subspace->width;

	for (size_t t = 0; t < block->rows; t++)
		for (size_t j = 0; j < width; j++)
			state->scaled[t * width + j] = factor[t] * block->y[t * width + j];
}

/* All rows of the block into the sums. */
static tlv_status
slice_flush_block(tlv_context *ctx, slice_state *state)
{
	tlv_count_block *block = &state->block;
	size_t width = state->within.subspace->width, rows = block->rows;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(ctx, block, state->within.subspace->weights));
	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s3, state->scattered));
	TLV_TRY(tlv_count_block_repeats(ctx, block, state->within.subspace->weights, state->squares));
	add_items(state);
	scale_rows(state, block->s2);
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->scaled, width, block->y, width,
					 1, state->square, width));
	scale_rows(state, block->s3);
	for (size_t i = 0; i < rows * width; i++)
		state->squares[i] = block->y[i] * block->y[i] - state->squares[i];
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->squares, width, state->scaled,
					 width, 1, state->running, width));
	for (size_t t = 0; t < rows; t++)
		for (size_t j = 0; j < width; j++)
			state->mean[j] += block->times[t] * block->y[t * width + j];
	state->uncorrected += rows;
	tlv_count_block_reset(block);
	return TLV_OK;
}

static tlv_status
slice_enter(tlv_context *ctx, tlv_accumulator *accumulator, tlv_document *document, double times)
{
	slice_state *state = (slice_state *) accumulator;
	bool full;

	TLV_TRY(tlv_count_block_add(ctx, &state->block, document, times, &full));
	return full ? slice_flush_block(ctx, state) : TLV_OK;
}

static tlv_status
slice_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	slice_state *state = (slice_state *) accumulator;
	tlv_document *document = &state->document;
	bool counts;

	TLV_TRY(tlv_within_read(ctx, accumulator, &state->within, row->bag, document, &counts));
	if (!counts)
		return TLV_OK;
	TLV_TRY(state->within.closed ? slice_enter(ctx, accumulator, document, 1)
								 : tlv_within_hold(ctx, accumulator, document));
	state->documents++;
	state->tokens += document->length;
	return TLV_OK;
}

/* What only rows need. */
static tlv_status
slice_allocate_rows(tlv_context *ctx, slice_state *state)
{
	size_t width = state->within.subspace->width, d = state->within.subspace->d;

	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, width * width));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->running, width * width));
	TLV_TRY(tlv_count_block_init(ctx, &state->block, width, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->scattered, width * d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction3, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->squares, width * state->block.room_rows));
	return tlv_alloc_numbers(ctx, &state->scaled, width * state->block.room_rows);
}

tlv_status
tlv_slice_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
						 tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {subspace->width, subspace->d};
	slice_state *state;

	TLV_TRY(tlv_within_require_all_pairs(ctx, subspace, "slices"));
	if (subspace->width > MOST_DIRECTIONS)
	{
		tlv_fail(ctx, TLV_LIMIT, "slices in %zu directions are more than %d", subspace->width,
				 MOST_DIRECTIONS);
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_slice_moments.accumulator, sizes, accumulator));
	state = (slice_state *) *accumulator;
	tlv_within_begin(*accumulator, subspace, &state->within);
	return slice_allocate_rows(ctx, state);
}

/*
 * What tokens of the same place add: sum_i c_i w_i w_i' of the pairs, and of slice l
 * 2 sum_i w_i (w_il (D_il - g3_i w_il)), D_i = sum_t s3 c_ti y_t, g3_i = sum_t s3 c_ti.
 */
static tlv_status
slice_subtract_repeats(tlv_context *ctx, slice_state *state)
{
	size_t width = state->within.subspace->width, d = state->within.subspace->d;
	const double *weights = state->within.subspace->weights;
	double *work;

	TLV_TRY(
		tlv_within_subtract_repeats(ctx, state->within.subspace, state->correction, state->square));
	TLV_TRY_NEW_ROWS(ctx, work, d, width);
	for (size_t i = 0; i < d; i++)
	{
		const double *sums = state->scattered + i * width, *row = weights + i * width;

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
			work[i * width + j] = row[j] * (sums[j] - state->correction3[i] * row[j]);
	}
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, d, -2, work, width, weights, width, 1,
					 state->running, width));
	tlv_free(ctx, work);
	return TLV_OK;
}

/* Rows that wait enter the sums, and what is uncorrected becomes complete. */
static tlv_status
slice_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	slice_state *state = (slice_state *) accumulator;
	size_t width, d;

	if (state->within.subspace == NULL)
		return TLV_OK;
	TLV_TRY(slice_flush_block(ctx, state));
	if (state->uncorrected == 0)
		return TLV_OK;
	width = state->within.subspace->width;
	d = state->within.subspace->d;
	TLV_TRY(slice_subtract_repeats(ctx, state));
	tlv_within_add_square(width, state->square, state->pairs);
	for (size_t i = 0; i < width * width; i++)
		state->slices[i] += state->running[i];
	memset(state->scattered, 0, width * d * sizeof(double));
	memset(state->correction, 0, d * sizeof(double));
	memset(state->correction3, 0, d * sizeof(double));
	memset(state->square, 0, width * width * sizeof(double));
	memset(state->running, 0, width * width * sizeof(double));
	state->uncorrected = 0;
	return TLV_OK;
}

static tlv_status
slice_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double summed;

	if (tlv_frame_scalar(frame, "rank", 0) != (double) sizes[SIZE_BASIS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"mean\" has the wrong shape");
	if (tlv_documents_told(frame))
		return tlv_within_check_documents(ctx, frame, sizes[SIZE_ITEMS], &summed);
	return TLV_OK;
}

/* Either refers to its subspace. */
static bool
slices_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	size_t width = ((const slice_state *) accumulator)->declared.sizes[SIZE_BASIS];
	double numbers = (double) (width + 1) * (double) width + (double) tlv_packed2_size(width);

	return bytes < sizeof(double) * numbers + TLV_TOTAL_BYTES * (double) items;
}

tlv_status
tlv_slice_moments_sums(tlv_context *ctx, const tlv_frame *moments, const tlv_frame *subspace,
					   tlv_frame *sums)
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	*sums = *moments;
	if (!tlv_documents_told(moments))
		return TLV_OK;
	TLV_TRY(tlv_subspace_open(ctx, subspace, true, &opened));
	TLV_TRY(tlv_slice_moments_create(ctx, opened, &accumulator));
	return tlv_within_sums(ctx, accumulator, moments, sums);
}

#define AT(member) offsetof(slice_state, member)
#define SLICE_LIST                                                                                 \
	TLV_WITHIN_COUNTERS(slice_state, TLV_ONE), TLV_WITHIN_LIST(slice_state),                       \
		{"totals", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(totals)},        \
		{"mean", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_SUM, AT(mean)},                    \
		{"pairs", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(pairs)},                \
	{                                                                                              \
		"slices", TLV_FLOAT64, SIZE_BASIS, SIZE_BASIS, TLV_ANY, TLV_SUM, AT(slices)                \
	}

static const tlv_declaration slice_list[] = {SLICE_LIST};
/* Of slices that hold documents; their sums are of what came otherwise. */
static const tlv_declaration told_list[] = {
	SLICE_LIST, TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, slice_state, within.documents)};
#undef AT
#define SLICE_SECTIONS(of)                                                                         \
	.state = sizeof(slice_state), .kind = TLV_KIND_SLICE_MOMENTS, TLV_LIST(of), .least = {1, 1},   \
	.flush = slice_flush, .check_more = slice_check, .no_sums = tlv_document_no_sums
#define SLICE_MOST MOST_DIRECTIONS, (size_t) TLV_DICTIONARY_MAX
static const tlv_sections slice_sections = {
	SLICE_SECTIONS(slice_list),
	.most = {SLICE_MOST},
};
static const tlv_sections slices_told = {
	SLICE_SECTIONS(told_list),
	.takes_away = true,
	.most = {SLICE_MOST, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};

static const tlv_within_class slice_class = {
	.class =
		{
			.name = "slice_moments",
			TLV_WITHIN_CLASS(&slice_sections),
			.rows = TLV_ROW_BAG,
			.add = slice_add,
		},
	.within = offsetof(slice_state, within),
	.told = &slices_told,
	.items = TLV_ONE,
	.sums = TLV_ONE,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.enter = slice_enter,
	.smaller = slices_smaller,
};
const tlv_kind tlv_kind_slice_moments = {TLV_KIND_LINE(SLICE_MOMENTS, slice_moments),
										 .check = tlv_within_check,
										 .accumulator = &slice_class.class};
