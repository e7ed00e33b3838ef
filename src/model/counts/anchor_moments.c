/*
 * anchor_moments.c - what anchor words need of documents: the pair moment in a basis, and how noisy
 * each item's row of the co-occurrence is (counts.h).
 */
#include "tensorlv/model/counts.h"

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

typedef struct anchor_state
{
	tlv_within_state head; /* correction: sum of s2 c */

	double *basis; /* width x d */

	/* sums complete in themselves, merged ones included */
	double *totals;	   /* d: sum of c */
	double *frequency; /* d: documents that hold the item */
	double *noise;	   /* d: sum of (s2 c)^2 |y|^2 */
	double *pairs;	   /* packed: sum of s2 (y y' - sum of c w w') */

	double *norm; /* the block's (s2 |y|)^2, as often as it came */
} anchor_state;

/* Lengths of the block's rows, then the sums of its non-zeros by item. */
static tlv_status
anchors_take(tlv_context *ctx, tlv_within_state *head)
{
	anchor_state *state = (anchor_state *) head;
	const tlv_count_block *block = &head->block;
	size_t width = head->within.subspace->width;

	(void) ctx;
	for (size_t t = 0; t < block->rows; t++)
	{
		double sum = 0;

		for (size_t j = 0; j < width; j++)
			sum += head->scaled[t * width + j] * head->scaled[t * width + j];
		state->norm[t] = sum / block->times[t]; /* s2 has it, too */
	}
	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count, times = block->times[entry->row];

		tlv_count_add(&state->totals[entry->item], times * c);
		tlv_count_add(&state->frequency[entry->item], times);
		head->correction[entry->item] += block->s2[entry->row] * c;
		state->noise[entry->item] += c * c * state->norm[entry->row];
	}
	return TLV_OK;
}

static tlv_status
anchors_allocate(tlv_context *ctx, tlv_within_state *head)
{
	return tlv_alloc_numbers(ctx, &((anchor_state *) head)->norm, head->block.room_rows);
}

tlv_status
tlv_anchor_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
						  tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {subspace->width, subspace->d, subspace->d};

	TLV_TRY(tlv_within_require_all_pairs(ctx, subspace, "anchors"));
	return tlv_within_create(ctx, &tlv_kind_anchor_moments, subspace, sizes, accumulator);
}

static tlv_status
anchors_correct(tlv_context *ctx, tlv_within_state *head)
{
	anchor_state *state = (anchor_state *) head;
	const tlv_subspace *subspace = head->within.subspace;

	TLV_TRY(tlv_within_subtract_repeats(ctx, subspace, head->correction, head->square));
	tlv_within_add_square(subspace->width, head->square, state->pairs);
	for (size_t i = 0; i < subspace->d; i++) /* of documents that were taken out again: rounding */
		state->noise[i] = state->noise[i] > 0 ? state->noise[i] : 0;
	return TLV_OK;
}

/* No item is in more documents than there are, nor has fewer tokens than documents. */
static tlv_status
anchor_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	/* Of documents that count fractions of times: what counters may be rounded by. */
	const double rounding = 1e-6;
	const double *totals = tlv_frame_float64(frame, "totals");
	const double *frequency = tlv_frame_float64(frame, "frequency");
	double documents = tlv_frame_scalar(frame, "documents", 0);

	for (size_t i = 0; i < sizes[SIZE_ITEMS]; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (frequency[i] > (1 + rounding) * documents || (frequency[i] > 0) != (totals[i] > 0))
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
	const tlv_within_state *state = (const tlv_within_state *) accumulator;
	size_t width = state->declared.sizes[SIZE_BASIS];

	return tlv_within_few(&state->within, bytes,
						  (double) (width + 3) * (double) state->declared.sizes[SIZE_HELD] +
							  3 * (double) items + (double) tlv_packed2_size(width));
}

#define AT(member) offsetof(anchor_state, member)
#define ANCHOR_LIST                                                                                \
	TLV_WITHIN_COUNTERS, TLV_WITHIN_LIST, TLV_WITHIN_ITEMS(SIZE_HELD),                             \
		{"basis", TLV_FLOAT64, SIZE_BASIS, SIZE_HELD, TLV_ANY, TLV_EQUAL, AT(basis)},              \
		{"totals", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(totals)},        \
		{"frequency", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(frequency)},  \
		{"noise", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(noise)},          \
	{                                                                                              \
		"pairs", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_ANY, TLV_SUM, AT(pairs)                   \
	}

TLV_WITHIN_FORMS(TLV_KIND_ANCHOR_MOMENTS, anchor_state, SIZE_DOCUMENTS, SIZE_ENTRIES,
				 TLV_DICTIONARY_MAX, ANCHOR_LIST, .least = {1, 1}, .check_more = anchor_check);

static const tlv_within_class anchor_class = {
	.class = {.name = "anchor_moments", TLV_WITHIN_CLASS(&sums_sections)},
	.told = &told_sections,
	.items = SIZE_HELD,
	.sums = TLV_ONE,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.basis = AT(basis),
	.create = tlv_anchor_moments_create,
	.allocate = anchors_allocate,
	.take = anchors_take,
	.correct = anchors_correct,
	.smaller = anchor_smaller,
};
const tlv_kind tlv_kind_anchor_moments = {TLV_KIND_LINE(ANCHOR_MOMENTS, anchor_moments),
										  .check = tlv_within_check,
										  .accumulator = &anchor_class.class};
