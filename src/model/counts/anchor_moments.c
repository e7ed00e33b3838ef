/*
 * anchor_moments.c - what anchor words need of documents: the pair moment in a basis, and how noisy
 * each item's row of the co-occurrence is (counts.h).
 */
#include "tensorlv/model/counts.h"

#include <string.h>

#include "block.h"
#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2
#define SIZE_HELD	   TLV_SIZE_3 /* the items, or 0 where the value refers to its subspace */
#define SIZE_DOCUMENTS TLV_SIZE_4 /* of values that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_5

/* Of documents that count fractions of times: what counters may be rounded by. */
#define ROUNDING 1e-6

typedef struct anchor_state
{
	tlv_declared declared;
	tlv_within within;

	double *basis; /* width x d */

	double documents;
	double tokens;

	/* sums over rows seen here since the last flush */
	size_t uncorrected; /* documents */
	double *correction; /* d: sum of s2 c */
	double *square;		/* width x width, lower triangle: sum of s2 y y' */

	/* sums complete in themselves, merged ones included */
	double *totals;	   /* d: sum of c */
	double *frequency; /* d: documents that hold the item */
	double *noise;	   /* d: sum of (s2 c)^2 |y|^2 */
	double *pairs;	   /* packed: sum of s2 (y y' - sum of c w w') */

	tlv_count_block block; /* rows that are not in the sums yet */
	double *scaled;		   /* the block's y times s2 */
	double *norm;		   /* the block's (s2 |y|)^2, as often as it came */
	tlv_document document;
} anchor_state;

/* Per-item sums of the block's non-zeros. */
static void
add_items(anchor_state *state)
{
	const tlv_count_block *block = &state->block;

	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count, times = block->times[entry->row];

		tlv_count_add(&state->totals[entry->item], times * c);
		tlv_count_add(&state->frequency[entry->item], times);
		state->correction[entry->item] += block->s2[entry->row] * c;
		state->noise[entry->item] += c * c * state->norm[entry->row];
	}
}

/* All rows of the block into the sums. */
static tlv_status
anchor_flush_block(tlv_context *ctx, anchor_state *state)
{
	tlv_count_block *block = &state->block;
	size_t width = state->within.subspace->width, rows = block->rows;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(ctx, block, state->within.subspace->weights));
	for (size_t t = 0; t < rows; t++)
	{
		double sum = 0;

		for (size_t j = 0; j < width; j++)
		{
			double scaled = block->s2[t] * block->y[t * width + j];

			state->scaled[t * width + j] = scaled;
			sum += scaled * scaled;
		}
		state->norm[t] = sum / block->times[t]; /* s2 has it, too */
	}
	add_items(state);
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->scaled, width, block->y, width,
					 1, state->square, width));
	state->uncorrected += rows;
	tlv_count_block_reset(block);
	return TLV_OK;
}

static tlv_status
anchor_enter(tlv_context *ctx, tlv_accumulator *accumulator, tlv_document *document, double times)
{
	anchor_state *state = (anchor_state *) accumulator;
	bool full;

	TLV_TRY(tlv_count_block_add(ctx, &state->block, document, times, &full));
	return full ? anchor_flush_block(ctx, state) : TLV_OK;
}

static tlv_status
anchor_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	anchor_state *state = (anchor_state *) accumulator;
	tlv_document *document = &state->document;
	bool counts;

	TLV_TRY(tlv_within_read(ctx, accumulator, &state->within, row->bag, document, &counts));
	if (!counts)
		return TLV_OK;
	TLV_TRY(state->within.closed ? anchor_enter(ctx, accumulator, document, 1)
								 : tlv_within_hold(ctx, accumulator, document));
	state->documents++;
	state->tokens += document->length;
	return TLV_OK;
}

/* What only rows need. */
static tlv_status
anchor_allocate_rows(tlv_context *ctx, tlv_accumulator *accumulator)
{
	anchor_state *state = (anchor_state *) accumulator;
	size_t width = state->within.subspace->width, d = state->within.subspace->d;

	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, width * width));
	TLV_TRY(tlv_count_block_init(ctx, &state->block, width, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->norm, state->block.room_rows));
	return tlv_alloc_numbers(ctx, &state->scaled, width * state->block.room_rows);
}

tlv_status
tlv_anchor_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
						  tlv_accumulator **accumulator)
{
	size_t width = subspace->width;
	const size_t sizes[TLV_SIZES] = {width, subspace->d, subspace->d};
	anchor_state *state;

	TLV_TRY(tlv_within_require_all_pairs(ctx, subspace, "anchors"));
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_anchor_moments.accumulator, sizes, accumulator));
	state = (anchor_state *) *accumulator;
	tlv_within_begin(*accumulator, subspace, &state->within);
	tlv_within_basis(subspace, state->basis);
	return anchor_allocate_rows(ctx, *accumulator);
}

/* Rows that wait enter the sums, and what is uncorrected becomes complete. */
static tlv_status
anchor_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	anchor_state *state = (anchor_state *) accumulator;
	size_t width, d;

	if (state->within.subspace == NULL)
		return TLV_OK;
	TLV_TRY(anchor_flush_block(ctx, state));
	if (state->uncorrected == 0)
		return TLV_OK;
	width = state->within.subspace->width;
	d = state->within.subspace->d;
	TLV_TRY(
		tlv_within_subtract_repeats(ctx, state->within.subspace, state->correction, state->square));
	tlv_within_add_square(width, state->square, state->pairs);
	for (size_t i = 0; i < d; i++) /* of documents that were taken out again: rounding */
		state->noise[i] = state->noise[i] > 0 ? state->noise[i] : 0;
	memset(state->correction, 0, d * sizeof(double));
	memset(state->square, 0, width * width * sizeof(double));
	state->uncorrected = 0;
	return TLV_OK;
}

/* No item is in more documents than there are, nor has fewer tokens than documents. */
static tlv_status
anchor_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *totals = tlv_frame_float64(frame, "totals");
	const double *frequency = tlv_frame_float64(frame, "frequency");
	double documents = tlv_frame_scalar(frame, "documents", 0);

	for (size_t i = 0; i < sizes[SIZE_ITEMS]; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (frequency[i] > (1 + ROUNDING) * documents || (frequency[i] > 0) != (totals[i] > 0))
			return tlv_fail(ctx, TLV_CORRUPT, "%g of %g documents hold item %zu, %g times",
							frequency[i], documents, i + 1, totals[i]);
	}
	if (tlv_frame_scalar(frame, "rank", 0) != (double) sizes[SIZE_BASIS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"basis\" has the wrong shape");
	if (tlv_documents_told(frame))
		TLV_TRY(tlv_within_check_documents(ctx, frame, sizes[SIZE_ITEMS], &documents));
	if (sizes[SIZE_HELD] == 0 && sizes[SIZE_BASIS] <= sizes[SIZE_ITEMS])
		return tlv_count_check_reference(ctx, frame, "basis", sizes[SIZE_BASIS]);
	if (sizes[SIZE_HELD] != sizes[SIZE_ITEMS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" has the wrong shape");
	return tlv_count_check_subspace(ctx, frame, "basis");
}

static bool
anchor_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	const anchor_state *state = (const anchor_state *) accumulator;
	size_t width = state->declared.sizes[SIZE_BASIS];

	return tlv_within_few(&state->within, bytes,
						  (double) (width + 3) * (double) state->declared.sizes[SIZE_HELD] +
							  3 * (double) items + (double) tlv_packed2_size(width));
}

tlv_status
tlv_anchor_moments_sums(tlv_context *ctx, const tlv_frame *moments, const tlv_frame *subspace,
						tlv_frame *sums)
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	TLV_TRY(tlv_subspace_open(ctx, subspace, true, &opened));
	TLV_TRY(tlv_anchor_moments_create(ctx, opened, &accumulator));
	return tlv_within_sums(ctx, accumulator, moments, sums);
}

#define AT(member) offsetof(anchor_state, member)
#define ANCHOR_LIST                                                                                \
	TLV_WITHIN_COUNTERS(anchor_state), TLV_WITHIN_LIST(anchor_state),                              \
		TLV_WITHIN_ITEMS(anchor_state, SIZE_HELD),                                                 \
		{"basis", TLV_FLOAT64, SIZE_BASIS, SIZE_HELD, TLV_ANY, TLV_EQUAL, AT(basis)},              \
		{"totals", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(totals)},        \
		{"frequency", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(frequency)},  \
		{"noise", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(noise)},          \
	{                                                                                              \
		"pairs", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(pairs)                   \
	}

static const tlv_declaration anchor_list[] = {ANCHOR_LIST};
/* Of moments that hold documents; their sums are of what came otherwise. */
static const tlv_declaration told_list[] = {
	ANCHOR_LIST, TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, anchor_state, within.documents)};
#undef AT
#define ANCHOR_SECTIONS(of)                                                                        \
	.state = sizeof(anchor_state), .kind = TLV_KIND_ANCHOR_MOMENTS, TLV_LIST(of), .least = {1, 1}, \
	.flush = anchor_flush, .check_more = anchor_check, .no_sums = tlv_document_no_sums
#define ANCHOR_MOST                                                                                \
	(size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX
static const tlv_sections anchor_sections = {
	ANCHOR_SECTIONS(anchor_list),
	.most = {ANCHOR_MOST},
};
static const tlv_sections anchor_told = {
	ANCHOR_SECTIONS(told_list),
	.takes_away = true,
	.most = {ANCHOR_MOST, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};

static const tlv_within_class anchor_class = {
	.class =
		{
			.name = "anchor_moments",
			TLV_WITHIN_CLASS(&anchor_sections),
			.rows = TLV_ROW_BAG,
			.add = anchor_add,
		},
	.within = offsetof(anchor_state, within),
	.told = &anchor_told,
	.items = SIZE_HELD,
	.sums = TLV_ONE,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.enter = anchor_enter,
	.basis = offsetof(anchor_state, basis),
	.allocate = anchor_allocate_rows,
	.smaller = anchor_smaller,
};
const tlv_kind tlv_kind_anchor_moments = {TLV_KIND_LINE(ANCHOR_MOMENTS, anchor_moments),
										  .check = tlv_within_check,
										  .accumulator = &anchor_class.class};
