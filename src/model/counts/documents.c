/*
 * documents.c - documents that are held in the place of sums (documents.h).
 */
#include "documents.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/sort.h"

/* Number of entries below which equal documents are not merged. */
#define FEW_ENTRIES ((size_t) 4096)

const char *const tlv_document_no_sums[] = {"document_rest", "document_sizes", "document_counts",
											NULL};

bool
tlv_documents_told(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "document_items") != NULL;
}

static tlv_status
reserve_documents(tlv_context *ctx, tlv_held_documents *held, size_t n)
{
	size_t room = held->room == 0 ? 16 : held->room;
	tlv_held_document *grown;

	if (n <= held->room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	grown = tlv_realloc(ctx, held->list, room, sizeof(*grown));
	TLV_TRY_ALLOC(ctx, grown);
	held->list = grown;
	held->room = room;
	return TLV_OK;
}

static tlv_status
reserve_entries(tlv_context *ctx, tlv_held_documents *held, size_t n)
{
	size_t room = held->entries_room == 0 ? 256 : held->entries_room;
	int64_t *items;
	double *counts;

	if (n <= held->entries_room)
		return TLV_OK;
	while (room < n)
		room *= 2;
	items = tlv_realloc(ctx, held->items, room, sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, items);
	held->items = items;
	counts = tlv_realloc(ctx, held->counts, room, sizeof(double));
	TLV_TRY_ALLOC(ctx, counts);
	held->counts = counts;
	held->entries_room = room;
	return TLV_OK;
}

tlv_status
tlv_documents_hold(tlv_context *ctx, tlv_held_documents *held, const tlv_held_document *document,
				   const int64_t *items, const double *counts)
{
	size_t n = document->n;

	TLV_TRY(reserve_documents(ctx, held, held->n + 1));
	TLV_TRY(reserve_entries(ctx, held, held->entries + n));
	if (n > 0)
	{
		TLV_TRY(tlv_copy(ctx, held->items + held->entries, items, n * sizeof(int64_t)));
		TLV_TRY(tlv_copy(ctx, held->counts + held->entries, counts, n * sizeof(double)));
	}
	held->list[held->n] = *document;
	held->list[held->n++].at = held->entries;
	held->entries += n;
	held->total += document->times > 0 ? (double) n + 1 : -(double) n - 1;
	return TLV_OK;
}

tlv_status
tlv_documents_hold_frame(tlv_context *ctx, tlv_held_documents *held, const tlv_frame *frame)
{
	const double *times, *rest, *sizes, *counts;
	const int64_t *items;
	size_t n, at = 0;

	if (!tlv_documents_told(frame))
		return TLV_OK;
	times = tlv_frame_float64(frame, "document_times");
	rest = tlv_frame_float64(frame, "document_rest");
	sizes = tlv_frame_float64(frame, "document_sizes");
	items = tlv_frame_int64(frame, "document_items");
	counts = tlv_frame_float64(frame, "document_counts");
	n = tlv_frame_find(frame, "document_times")->rows;
	for (size_t t = 0; t < n; t++)
	{
		tlv_held_document document = {.times = times[t], .rest = rest[t], .n = (size_t) sizes[t]};

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		TLV_TRY(tlv_documents_hold(ctx, held, &document, items + at, counts + at));
		at += document.n;
	}
	return TLV_OK;
}

/* ---- order ---- */

/* By size, rest, items and counts: -1, 0 or 1. */
static int
compare_documents(const tlv_held_document *a, const int64_t *items_a, const double *counts_a,
				  const tlv_held_document *b, const int64_t *items_b, const double *counts_b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	if (a->rest != b->rest)
		return a->rest < b->rest ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (items_a[i] != items_b[i])
			return items_a[i] < items_b[i] ? -1 : 1;
	for (size_t i = 0; i < a->n; i++)
		if (counts_a[i] != counts_b[i])
			return counts_a[i] < counts_b[i] ? -1 : 1;
	return 0;
}

static int
compare_held(const void *a, const void *b, const void *documents)
{
	const tlv_held_document *first = a, *second = b;
	const tlv_held_documents *held = documents;

	return compare_documents(first, held->items + first->at, held->counts + first->at, second,
							 held->items + second->at, held->counts + second->at);
}

/* The entries of those that are left, one document after the other. */
static tlv_status
count_gather_entries(tlv_context *ctx, tlv_held_documents *held)
{
	int64_t *items;
	double *counts;
	size_t entries = 0, room;

	for (size_t t = 0; t < held->n; t++)
		entries += held->list[t].n;
	room = entries < 256 ? 256 : entries;
	TLV_TRY_NEW(ctx, items, room);
	TLV_TRY_NEW(ctx, counts, room);
	entries = 0;
	for (size_t t = 0; t < held->n; t++)
	{
		tlv_held_document *document = &held->list[t];

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		if (document->n > 0) /* the arrays are NULL while no document has items */
		{
			memcpy(items + entries, held->items + document->at, document->n * sizeof(int64_t));
			memcpy(counts + entries, held->counts + document->at, document->n * sizeof(double));
		}
		document->at = entries;
		entries += document->n;
	}
	tlv_free(ctx, held->items);
	tlv_free(ctx, held->counts);
	held->items = items;
	held->counts = counts;
	held->entries_room = room;
	held->entries = entries;
	return TLV_OK;
}

tlv_status
tlv_documents_settle(tlv_context *ctx, tlv_held_documents *held)
{
	size_t n = 0;

	if (held->n == 0)
		return TLV_OK;
	TLV_TRY(
		tlv_merge_sort(ctx, held->n, sizeof(tlv_held_document), held->list, compare_held, held));
	for (size_t t = 0; t < held->n; t++)
	{
		if (n > 0 && held->list[n - 1].times == 0)
			n--;
		if (n > 0 && compare_held(held->list + n - 1, held->list + t, held) == 0)
			held->list[n - 1].times += held->list[t].times;
		else
			held->list[n++] = held->list[t];
	}
	if (n > 0 && held->list[n - 1].times == 0)
		n--;
	held->n = n;
	TLV_TRY(count_gather_entries(ctx, held));
	held->settled = held->entries;
	held->settled_documents = held->n;
	return TLV_OK;
}

tlv_status
tlv_documents_settle_some(tlv_context *ctx, tlv_held_documents *held, bool *many)
{
	if (held->entries > 2 * held->settled + FEW_ENTRIES ||
		held->n > 2 * held->settled_documents + FEW_ENTRIES)
		TLV_TRY(tlv_documents_settle(ctx, held));
	*many = held->total > TLV_HELD_ENTRIES;
	return TLV_OK;
}

/* ---- handing over and storing ---- */

tlv_status
tlv_documents_tell(tlv_context *ctx, tlv_held_documents *held, void *state, tlv_document_taker take)
{
	TLV_TRY(tlv_documents_settle(ctx, held));
	for (size_t t = 0; t < held->n; t++)
	{
		const tlv_held_document *document = &held->list[t];
		tlv_told_document told = {.times = document->times,
								  .length = document->rest,
								  .n = document->n,
								  .items = held->items + document->at,
								  .counts = held->counts + document->at};

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		for (size_t i = 0; i < told.n; i++)
			told.length += told.counts[i];
		TLV_TRY(take(ctx, state, &told));
	}
	return TLV_OK;
}

void
tlv_documents_drop(tlv_context *ctx, tlv_held_documents *held)
{
	tlv_free(ctx, held->list);
	tlv_free(ctx, held->items);
	tlv_free(ctx, held->counts);
	tlv_free(ctx, held->block);
	memset(held, 0, sizeof(*held));
}

tlv_status
tlv_documents_describe(tlv_context *ctx, tlv_held_documents *held)
{
	size_t n = held->n;
	double *block;

	tlv_free(ctx, held->block);
	held->block = NULL;
	TLV_TRY_NEW(ctx, block, 3 * n + 1);
	held->block = block;
	held->stored_times = block;
	held->stored_rest = block + n;
	held->stored_sizes = block + 2 * n;
	for (size_t t = 0; t < n; t++)
	{
		held->stored_times[t] = held->list[t].times;
		held->stored_rest[t] = held->list[t].rest;
		held->stored_sizes[t] = (double) held->list[t].n;
	}
	held->stored_items = held->items;
	held->stored_counts = held->counts;
	return TLV_OK;
}

/* Bytes of an integer stored with 7 bits a byte (frame_pack.c). */
static double
whole_bytes(uint64_t number)
{
	double bytes = 1;

	for (; number > 0x7f; number >>= 7)
		bytes++;
	return bytes;
}

tlv_status
tlv_documents_size(tlv_context *ctx, const tlv_held_documents *held, double *bytes,
				   size_t *distinct)
{
	tlv_dictionary dictionary;
	int64_t before = 0;
	int32_t position;

	tlv_dictionary_init(&dictionary);
	*bytes = 3 * (double) held->n;
	for (size_t i = 0; i < held->entries; i++)
	{
		uint64_t step = (uint64_t) held->items[i] - (uint64_t) before;

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		TLV_TRY(tlv_dictionary_add(ctx, &dictionary, held->items[i], &position));
		before = held->items[i];
		*bytes += whole_bytes((step << 1) ^ ((int64_t) step < 0 ? UINT64_MAX : 0)) +
				  (held->counts[i] == 1 ? 1 : whole_bytes((uint64_t) held->counts[i]));
	}
	*distinct = dictionary.n;
	tlv_dictionary_clear(ctx, &dictionary);
	return TLV_OK;
}

tlv_status
tlv_documents_require_left(tlv_context *ctx, const tlv_held_documents *held)
{
	for (size_t t = 0; t < held->n; t++)
		if (held->list[t].times < 0)
		{
			tlv_fail(ctx, TLV_BAD_DATA,
					 "a document of %zu items is taken away, and it is not there", held->list[t].n);
			return tlv_fail_hint(ctx, "Subtract only what was added before.");
		}
	return TLV_OK;
}

/* ---- stored documents ---- */

void
tlv_documents_add_up(const tlv_frame *frame, tlv_document_sums *sums)
{
	const double *times, *rest, *sizes, *counts;
	size_t n, at = 0;

	*sums = (tlv_document_sums){.least_times = HUGE_VAL};
	if (!tlv_documents_told(frame))
		return;
	times = tlv_frame_float64(frame, "document_times");
	rest = tlv_frame_float64(frame, "document_rest");
	sizes = tlv_frame_float64(frame, "document_sizes");
	counts = tlv_frame_float64(frame, "document_counts");
	n = tlv_frame_find(frame, "document_times")->rows;
	for (size_t t = 0; t < n; t++)
	{
		double length = rest[t];

		for (size_t i = 0; i < (size_t) sizes[t]; i++)
			length += counts[at++];
		sums->documents += times[t];
		sums->tokens += times[t] * length;
		sums->squared_lengths += times[t] * length * length;
		sums->least_times = fmin(sums->least_times, times[t]);
	}
}

static tlv_status
check_document(tlv_context *ctx, size_t t, const tlv_held_document *document, const int64_t *items,
			   const double *counts, size_t below)
{
	double length = document->rest;

	for (size_t i = 0; i < document->n; i++)
	{
		if ((i > 0 && items[i] <= items[i - 1]) ||
			(below > 0 && (items[i] < 0 || (uint64_t) items[i] >= below)))
			return tlv_fail(ctx, TLV_CORRUPT, "item %zu of document %zu is %lld", i + 1, t + 1,
							(long long) items[i]);
		length += counts[i];
	}
	if (!(length >= TLV_MIN_LENGTH && length <= TLV_MAX_LENGTH))
		return tlv_fail(ctx, TLV_CORRUPT, "document %zu has %g tokens", t + 1, length);
	if (document->times == 0 || !(fabs(document->times) <= TLV_MAX_LENGTH))
		return tlv_fail(ctx, TLV_CORRUPT, "document %zu came %g times", t + 1, document->times);
	return TLV_OK;
}

tlv_status
tlv_documents_check(tlv_context *ctx, const tlv_frame *frame, size_t below)
{
	const double *times = tlv_frame_float64(frame, "document_times");
	const double *rest = tlv_frame_float64(frame, "document_rest");
	const double *sizes = tlv_frame_float64(frame, "document_sizes");
	const double *counts = tlv_frame_float64(frame, "document_counts");
	const int64_t *items = tlv_frame_int64(frame, "document_items");
	size_t n = tlv_frame_find(frame, "document_times")->rows;
	size_t entries = tlv_frame_find(frame, "document_items")->rows, at = 0;
	tlv_held_document before = {0};

	for (size_t t = 0; t < n; t++)
	{
		tlv_held_document document = {.times = times[t], .rest = rest[t], .at = at};

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		if (sizes[t] > (double) (entries - at))
			return tlv_fail(ctx, TLV_CORRUPT, "document %zu has more items than there are", t + 1);
		document.n = (size_t) sizes[t];
		TLV_TRY(check_document(ctx, t, &document, items + at, counts + at, below));
		if (t > 0 && compare_documents(&before, items + before.at, counts + before.at, &document,
									   items + at, counts + at) >= 0)
			return tlv_fail(ctx, TLV_CORRUPT, "document %zu is not behind the one before it",
							t + 1);
		before = document;
		at += document.n;
	}
	return at == entries ? TLV_OK
						 : tlv_fail(ctx, TLV_CORRUPT, "items are left behind the last document");
}
