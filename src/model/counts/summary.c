/*
 * summary.c - values of the first pass over documents: how they merge, which form they are stored
 * in, and what is checked of them (summary.h).
 */
#include "summary.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

/* Of the tokens: what a sum of the totals of all items may be rounded by. */
#define TOKENS_TOLERANCE 1e-6

/* The sizes. */
#define SIZE_ITEMS	   TLV_SIZE_1
#define SIZE_DOCUMENTS TLV_SIZE_2 /* of values that hold documents */
#define SIZE_ENTRIES   TLV_SIZE_3

tlv_status
tlv_count_summary_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return tlv_sections_create(ctx, tlv_kind_count_summary.accumulator, NULL, accumulator);
}

tlv_status
tlv_count_pairs_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_count_pairs.accumulator, NULL, accumulator));
	((tlv_summary_state *) *accumulator)->with_pairs = true;
	return TLV_OK;
}

tlv_status
tlv_pair_moments_create(tlv_context *ctx, const tlv_subspace *subspace,
						tlv_accumulator **accumulator)
{
	TLV_TRY(tlv_count_pairs_create(ctx, accumulator));
	((tlv_summary_state *) *accumulator)->keep = subspace;
	return TLV_OK;
}

static tlv_status
merge_pairs(tlv_context *ctx, tlv_summary_state *state, size_t d, const int32_t *position,
			const double *pairs)
{
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < i; j++)
			state->pairs[tlv_packed2_index((size_t) position[i], (size_t) position[j])] +=
				pairs[tlv_packed2_index(i, j)];
	}
	return TLV_OK;
}

/* Of the sums, by item, in the order of their arrival: a hash table takes a small value into a
 * large one in the time of the small one, which a union of sorted lists would not. */
static tlv_status
count_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_summary_state *state = (tlv_summary_state *) accumulator;
	size_t d = tlv_frame_find(frame, "items")->rows;
	const int64_t *items = tlv_frame_int64(frame, "items");
	const double *totals = tlv_frame_float64(frame, "totals");
	const double *frequency = tlv_frame_float64(frame, "frequency");
	const double *correction = tlv_frame_float64(frame, "correction");
	const double *squares = tlv_frame_float64(frame, "squares");
	int32_t *position = tlv_alloc(ctx, d, sizeof(int32_t));

	TLV_TRY_ALLOC(ctx, position);
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		TLV_TRY(tlv_summary_place(ctx, state, items[i], &position[i]));
	}
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		state->totals[position[i]] += totals[i];
		state->frequency[position[i]] += frequency[i];
		tlv_summary_add_scaled(state, position[i], correction[i], squares[i], 1);
		state->fractions |= totals[i] != floor(totals[i]) || frequency[i] != floor(frequency[i]);
	}
	if (d > 0) /* documents that are held separately have no items here */
		state->summed += tlv_frame_scalar(frame, "documents", 0);
	if (state->with_pairs)
		TLV_TRY(merge_pairs(ctx, state, d, position, tlv_frame_float64(frame, "pairs")));
	tlv_free(ctx, position);
	return TLV_OK;
}

/* One block for all arrays of d items and the given number of pairs. */
static tlv_status
allocate_stored(tlv_context *ctx, size_t d, size_t n_pairs, tlv_summary_arrays *stored)
{
	double *block = tlv_alloc(ctx, 5 * d + n_pairs, sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	for (int s = 0; s < 4; s++)
		stored->numbers[s] = block + (size_t) s * d;
	stored->items = (int64_t *) (block + 4 * d);
	stored->pairs = block + 5 * d;
	return TLV_OK;
}

/* Those that are new go between the others: of windows every value is made, and few items are new.
 */
static tlv_status
order_items(tlv_context *ctx, tlv_summary_state *state)
{
	size_t d = state->dictionary.n, old = state->ordered, n = d - old;
	tlv_bag_entry *order, *added;

	if (n == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, order, d);
	TLV_TRY_NEW(ctx, added, 2 * n);
	for (size_t i = 0; i < n; i++)
		added[i] = (tlv_bag_entry){state->dictionary.items[old + i], (double) (old + i)};
	TLV_TRY(tlv_bag_sort(ctx, n, added, added + n, &n));
	for (size_t i = 0, a = 0, b = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		order[i] = b == n || (a < old && state->order[a].item < added[b].item) ? state->order[a++]
																			   : added[b++];
	}
	tlv_free(ctx, added);
	tlv_free(ctx, state->order);
	state->order = order;
	state->ordered = d;
	return TLV_OK;
}

/* The items that documents hold, ascending: all, unless documents were taken out. */
static tlv_status
items_left(tlv_context *ctx, tlv_summary_state *state, tlv_bag_entry *order, size_t *n)
{
	const char *names[3] = {"totals", "correction", "squares"};
	double *sums[3] = {state->totals, state->correction, state->squares};
	size_t d = state->dictionary.n, left = 0;

	TLV_TRY(order_items(ctx, state));
	for (size_t at = 0; at < d; at++)
	{
		size_t i = (size_t) state->order[at].weight;

		TLV_TRY_CONTINUE_OFTEN(ctx, at);
		if (state->frequency[i] == 0 && fabs(state->totals[i]) < 0.5)
			continue;
		order[left++] = state->order[at];
		TLV_TRY(tlv_require_left(ctx, "frequency", 1, NULL, state->frequency + i));
		for (int s = 0; s < 3; s++)
			TLV_TRY(tlv_require_left(ctx, names[s], 1, NULL, sums[s] + i));
	}
	*n = left;
	return TLV_OK;
}

/* The documents of a value, to sums. */
static tlv_status
add_told(tlv_context *ctx, tlv_summary_state *state, const tlv_frame *frame)
{
	tlv_held_documents told = {0};

	TLV_TRY(tlv_documents_hold_frame(ctx, &told, frame));
	state->told += told.total;
	TLV_TRY(tlv_documents_tell(ctx, &told, state, tlv_summary_enter));
	tlv_documents_drop(ctx, &told);
	return TLV_OK;
}

/* A value has sums or documents; of the latter it is those that are held. */
static tlv_status
count_take(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_summary_state *state = (tlv_summary_state *) accumulator;
	bool many;

	if (!tlv_documents_told(frame))
	{
		if (tlv_frame_find(frame, "items")->rows > 0)
			TLV_TRY(tlv_summary_close(ctx, state));
		return tlv_sections_merge(ctx, accumulator, frame);
	}
	TLV_TRY(tlv_sections_merge(ctx, accumulator, frame));
	if (state->closed)
		return add_told(ctx, state, frame);
	tlv_summary_leave_held(ctx, state);
	TLV_TRY(tlv_documents_hold_frame(ctx, &state->held, frame));
	TLV_TRY(tlv_summary_settle_some(ctx, state, &many));
	return many ? tlv_summary_close(ctx, state) : TLV_OK;
}

/* Items ascending, so that equal moments are equal bytes whatever the order of the rows. */
static tlv_status
count_describe(tlv_context *ctx, tlv_accumulator *accumulator, void **owned)
{
	tlv_summary_state *state = (tlv_summary_state *) accumulator;
	tlv_summary_arrays *stored = &state->stored;
	size_t d = state->dictionary.n;
	tlv_bag_entry *order = tlv_alloc(ctx, d, sizeof(tlv_bag_entry));
	const double *source[4] = {state->totals, state->frequency, state->correction, state->squares};

	TLV_TRY_ALLOC(ctx, order);
	TLV_TRY(allocate_stored(ctx, d, state->with_pairs ? tlv_packed2_size(d) : 0, stored));
	*owned = stored->numbers[0];
	state->declared.sizes[SIZE_ITEMS] = d;
	TLV_TRY(items_left(ctx, state, order, &d));
	state->declared.sizes[SIZE_ITEMS] = d;
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		stored->items[i] = order[i].item;
		for (int s = 0; s < 4; s++)
			stored->numbers[s][i] = source[s][(size_t) order[i].weight];
	}
	for (size_t i = 0; i < d && state->with_pairs; i++)
	{
		double *row = stored->pairs + tlv_packed2_index(i, 0);
		size_t at = (size_t) order[i].weight;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < i; j++)
			row[j] = fmax(0, state->pairs[tlv_packed2_index(at, (size_t) order[j].weight)]);
		row[i] = state->squares[at];
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

static tlv_status
count_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	TLV_TRY(tlv_summary_enter_held(ctx, (tlv_summary_state *) accumulator));
	return tlv_sections_build(ctx, accumulator, builder);
}

/* Counters that every kind of document moments carries. */
tlv_status
tlv_count_check_counters(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const names[] = {"documents", "skipped", "nulls", "tokens",
										"squared_lengths"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, names[i], TLV_FLOAT64, 1, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, names[i], 0));
	}
	/* Shorter documents are not counted; shares divide by tokens, which are rounded above 2^53. */
	if (tlv_frame_scalar(frame, "tokens", 0) <
		(1 - TOKENS_TOLERANCE) * TLV_MIN_LENGTH * tlv_frame_scalar(frame, "documents", 0))
		return tlv_fail(ctx, TLV_CORRUPT, "the documents have too few tokens");
	return TLV_OK;
}

/* "items": ascending, d of them; *d gets their number. */
tlv_status
tlv_count_check_items(tlv_context *ctx, const tlv_frame *frame, uint64_t *d)
{
	const tlv_section *section = tlv_frame_find(frame, "items");

	if (section == NULL || section->rows > (uint64_t) TLV_DICTIONARY_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" is missing or too long");
	*d = section->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "items", TLV_INT64, *d, 1, NULL));
	return tlv_frame_require_ascending(ctx, frame, "items");
}

static bool
about(double a, double b)
{
	return fabs(a - b) <= TOKENS_TOLERANCE * fmax(fabs(a), fabs(b));
}

/* The counters are those of the documents, and there are no other sums. */
static tlv_status
documents_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *rest = tlv_frame_float64(frame, "document_rest");
	tlv_document_sums sums;

	TLV_TRY(tlv_documents_check(ctx, frame, 0));
	for (size_t t = 0; t < sizes[SIZE_DOCUMENTS]; t++)
		if (rest[t] != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "document %zu has tokens of no item", t + 1);
	tlv_documents_add_up(frame, &sums);
	if (sizes[SIZE_ITEMS] > 0 || sizes[SIZE_DOCUMENTS] == 0 || !(sums.least_times > 0) ||
		!about(sums.documents, tlv_frame_scalar(frame, "documents", 0)) ||
		!about(sums.tokens, tlv_frame_scalar(frame, "tokens", 0)) ||
		!about(sums.squared_lengths, tlv_frame_scalar(frame, "squared_lengths", 0)))
		return tlv_fail(ctx, TLV_CORRUPT,
						"the documents are %g of %g tokens, and the counters say otherwise",
						sums.documents, sums.tokens);
	return TLV_OK;
}

/* Tokens are those of the items: shares are totals over tokens, and sum to 1 but for rounding. */
static tlv_status
summary_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *totals = tlv_frame_float64(frame, "totals");
	double tokens = tlv_frame_scalar(frame, "tokens", 0), sum = 0;

	TLV_TRY(tlv_count_check_counters(ctx, frame));
	for (size_t i = 0; i < sizes[SIZE_ITEMS]; i++)
		sum += totals[i];
	if (tlv_documents_told(frame))
		return documents_check(ctx, frame, sizes);
	if (!(fabs(sum - tokens) <= TOKENS_TOLERANCE * tokens))
		return tlv_fail(ctx, TLV_CORRUPT, "the totals of all items are %g, and there are %g tokens",
						sum, tokens);
	return TLV_OK;
}

#define AT(member) offsetof(tlv_summary_state, member)
/* Of both kinds. */
#define COUNT_LIST                                                                                 \
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(documents)},               \
		{"skipped", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(skipped)},               \
		{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},     \
		{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(tokens)},           \
		{"squared_lengths", TLV_FLOAT64,		TLV_ONE, TLV_ONE, TLV_NONNEGATIVE,                 \
		 TLV_SUM,			AT(squared_lengths)},                                                  \
		{"items", TLV_INT64, SIZE_ITEMS, TLV_ONE, TLV_ASCENDING, TLV_OWN, AT(stored.items)},       \
		{"totals",		  TLV_FLOAT64, SIZE_ITEMS,			 TLV_ONE,                              \
		 TLV_NONNEGATIVE, TLV_OWN,	   AT(stored.numbers[0])},                                     \
		{"frequency",	  TLV_FLOAT64, SIZE_ITEMS,			 TLV_ONE,                              \
		 TLV_NONNEGATIVE, TLV_OWN,	   AT(stored.numbers[1])},                                     \
		{"correction",	  TLV_FLOAT64, SIZE_ITEMS,			 TLV_ONE,                              \
		 TLV_NONNEGATIVE, TLV_OWN,	   AT(stored.numbers[2])},                                     \
	{                                                                                              \
		"squares", TLV_FLOAT64, SIZE_ITEMS, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN,                     \
			AT(stored.numbers[3])                                                                  \
	}

#define PAIRS_LINE                                                                                 \
	{                                                                                              \
		"pairs", TLV_FLOAT64, TLV_PACKED_1, TLV_ONE, TLV_NONNEGATIVE, TLV_OWN, AT(stored.pairs)    \
	}

/* The last section is of pairs only. */
static const tlv_declaration count_list[] = {COUNT_LIST, PAIRS_LINE};
/* Of values that hold documents: no items. */
static const tlv_declaration told_list[] = {
	COUNT_LIST, TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, tlv_summary_state, held),
	PAIRS_LINE};
#undef AT

/* A kind of documents and one of its two lists, whose last section is of pairs. */
#define COUNT_SECTIONS(code, of, more)                                                             \
	.state = sizeof(tlv_summary_state), .kind = (code),                                            \
	.n = sizeof(of) / sizeof((of)[0]) - ((more) ? 0 : 1), .list = (of),                            \
	.describe = count_describe, .takes_away = true, .check_more = summary_check,                   \
	.merge_own = count_merge, .no_sums = tlv_document_no_sums
static const tlv_sections summary_sections = {
	COUNT_SECTIONS(TLV_KIND_COUNT_SUMMARY, count_list, false),
	.most = {(size_t) TLV_DICTIONARY_MAX},
};
static const tlv_sections pairs_sections = {
	COUNT_SECTIONS(TLV_KIND_COUNT_PAIRS, count_list, true),
	.most = {TLV_COUNT_PAIRS_MAX_ITEMS},
};
static const tlv_sections summary_told = {
	COUNT_SECTIONS(TLV_KIND_COUNT_SUMMARY, told_list, false),
	.most = {0, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};
static const tlv_sections pairs_told = {
	COUNT_SECTIONS(TLV_KIND_COUNT_PAIRS, told_list, true),
	.most = {0, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};

static const tlv_sections *
count_form_of(const tlv_frame *frame)
{
	bool pairs = frame->header->kind == TLV_KIND_COUNT_PAIRS;

	if (tlv_documents_told(frame))
		return pairs ? &pairs_told : &summary_told;
	return pairs ? &pairs_sections : &summary_sections;
}

static tlv_status
count_check(tlv_context *ctx, const tlv_frame *frame)
{
	return tlv_sections_check(ctx, frame, count_form_of(frame));
}

/* Whether documents take fewer bytes than the sums over them: an item and its numbers, and pairs.
 */
static tlv_status
documents_smaller(tlv_context *ctx, const tlv_summary_state *state, bool *smaller)
{
	/* And of a pair of items. */
	const int pairs_bytes = 8;

	/* Of an item in the sums: what its four numbers take. */
	const int sums_bytes = 18;
	double bytes, each = 0;
	size_t items;

	TLV_TRY(tlv_documents_size(ctx, &state->held, &bytes, &items));
	for (size_t i = 0; i < state->held.entries; i++)
		each = fmax(each, fabs((double) state->held.items[i]));
	each = fmax(1, log2(1 + each / (1 + (double) items)) / 7) + sums_bytes;
	each += state->with_pairs ? pairs_bytes * (double) items / 2 : 0;
	*smaller = bytes < each * (double) items;
	return TLV_OK;
}

static tlv_status
count_store(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	tlv_summary_state *state = (tlv_summary_state *) accumulator;
	const tlv_sections *form = state->with_pairs ? &pairs_told : &summary_told;
	bool smaller;

	TLV_TRY(tlv_documents_settle(ctx, &state->held));
	if (state->closed || state->held.n == 0)
		return count_build(ctx, accumulator, builder);
	TLV_TRY(tlv_documents_require_left(ctx, &state->held));
	TLV_TRY(documents_smaller(ctx, state, &smaller));
	if (!smaller)
		return count_build(ctx, accumulator, builder);
	tlv_summary_leave_held(ctx, state);
	TLV_TRY(tlv_documents_describe(ctx, &state->held));
	state->declared.sizes[SIZE_DOCUMENTS] = state->held.n;
	state->declared.sizes[SIZE_ENTRIES] = state->held.entries;
	return tlv_sections_build_form(ctx, accumulator, form, builder);
}

/*
 * Documents of both are held separately.  Sums are exact except for pairs, provided that the
 * remainder alone would be stored as sums.
 */
static bool
count_exact(const tlv_accumulator *accumulator, const tlv_frame *frame)
{
	const tlv_summary_state *state = (const tlv_summary_state *) accumulator;
	bool told = tlv_documents_told(frame);
	double summed = state->summed, left = state->told;

	if (!state->closed)
		return tlv_frame_find(frame, "items")->rows == 0;
	if (told)
		left -= (double) (tlv_frame_find(frame, "document_items")->rows +
						  tlv_frame_find(frame, "document_times")->rows);
	else
		summed -= tlv_frame_scalar(frame, "documents", 0);
	return !state->with_pairs && !state->fractions && state->tokens == floor(state->tokens) &&
		   (summed >= 0.5 || left > TLV_HELD_ENTRIES);
}

/* What holds documents, as sums. */
static tlv_status
count_sums(tlv_context *ctx, const tlv_frame *frame, void **image, size_t *size)
{
	const tlv_kind *kind = frame->kind;
	tlv_frame_builder *builder;
	tlv_accumulator *accumulator;

	*image = NULL;
	if (!tlv_documents_told(frame))
		return TLV_OK;
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(tlv_accumulator_create(ctx, kind->accumulator, &accumulator));
	TLV_TRY(kind->accumulator->merge(ctx, accumulator, frame));
	TLV_TRY(kind->accumulator->build(ctx, accumulator, builder));
	return tlv_frame_finish(ctx, builder, image, size);
}

#define COUNT_CLASS(of)                                                                            \
	.sections = (of), .form = count_form_of, .merge = count_take, .build = count_build,            \
	.store = count_store, .sums = count_sums, .exact = count_exact, .rows = TLV_ROW_BAG,           \
	.add = tlv_summary_add
static const tlv_accumulator_class summary_class = {
	.name = "count_summary",
	COUNT_CLASS(&summary_sections),
};
static const tlv_accumulator_class pairs_class = {
	.name = "count_pairs",
	.create = tlv_count_pairs_create,
	COUNT_CLASS(&pairs_sections),
};

const tlv_kind tlv_kind_count_summary = {TLV_KIND_LINE(COUNT_SUMMARY, count_summary),
										 .check = count_check, .accumulator = &summary_class};
const tlv_kind tlv_kind_count_pairs = {TLV_KIND_LINE(COUNT_PAIRS, count_pairs),
									   .check = count_check, .accumulator = &pairs_class};
