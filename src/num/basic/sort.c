/*
 * sort.c - radix sort and merge sort (sort.h).  The radix sort is one loop, compiled for every form
 * of record in use, because a record that is moved by a call costs several times as much.
 */
#include "tensorlv/num/sort.h"

#include <string.h>

#include "tensorlv/num/assert.h"

/* Records that are sorted by insertion: fewer than the counters of a pass. */
#define FEW ((size_t) 48)

/* Bits of a pass: counters that stay in the first-level cache, fewer for few records. */
#define MANY_BITS 11
#define FEW_BITS  8
#define MANY	  ((size_t) 65536)

/* Records between two looks at tlv_should_stop(): a few milliseconds. */
#define CHUNK ((size_t) 1 << 18)

/* One pass: `digit` bits of the key from `shift` on. */
typedef struct sort_pass
{
	unsigned shift;
	unsigned digit;
	size_t start[1 << MANY_BITS]; /* where the next record of a digit goes */
} sort_pass;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE uint64_t
record_key(const char *record, tlv_sort_form form)
{
	uint64_t wide;
	uint32_t narrow;

	if (form.key == sizeof(wide))
	{
		memcpy(&wide, record + form.at, sizeof(wide));
		return wide;
	}
	memcpy(&narrow, record + form.at, sizeof(narrow));
	return narrow;
}

ALWAYS_INLINE size_t
record_digit(const char *record, tlv_sort_form form, unsigned shift, uint64_t mask)
{
	return (size_t) (record_key(record, form) >> shift & mask);
}

ALWAYS_INLINE void
insertion_sort(tlv_sort_form form, size_t n, char *records)
{
	for (size_t i = 1; i < n; i++)
	{
		char moved[24];
		uint64_t key = record_key(records + i * form.record, form);
		size_t j = i;

		memcpy(moved, records + i * form.record, form.record);
		for (; j > 0 && record_key(records + (j - 1) * form.record, form) > key; j--)
			memcpy(records + j * form.record, records + (j - 1) * form.record, form.record);
		memcpy(records + j * form.record, moved, form.record);
	}
}

ALWAYS_INLINE void
count_digits(sort_pass *pass, tlv_sort_form form, size_t n, const char *restrict from)
{
	unsigned shift = pass->shift;
	uint64_t mask = (UINT64_C(1) << pass->digit) - 1;

	for (size_t i = 0; i < n; i++)
		pass->start[record_digit(from + i * form.record, form, shift, mask)]++;
}

ALWAYS_INLINE void
move_records(sort_pass *pass, tlv_sort_form form, size_t n, const char *restrict from,
			 char *restrict to)
{
	unsigned shift = pass->shift;
	uint64_t mask = (UINT64_C(1) << pass->digit) - 1;

	for (size_t i = 0; i < n; i++)
	{
		const char *record = from + i * form.record;
		size_t place = pass->start[record_digit(record, form, shift, mask)]++;

		memcpy(to + place * form.record, record, form.record);
	}
}

/* From numbers of records to where the first of each digit goes. */
static void
add_up_counts(sort_pass *pass)
{
	size_t at = 0;

	for (size_t d = 0; d < (size_t) 1 << pass->digit; d++)
	{
		size_t next = at + pass->start[d];

		pass->start[d] = at;
		at = next;
	}
}

ALWAYS_INLINE tlv_status
run_pass(tlv_context *ctx, sort_pass *pass, tlv_sort_form form, size_t n, const char *from,
		 char *to)
{
	memset(pass->start, 0, sizeof(size_t) << pass->digit);
	for (size_t i = 0; i < n; i += CHUNK)
	{
		TLV_TRY_CONTINUE(ctx);
		count_digits(pass, form, n - i < CHUNK ? n - i : CHUNK, from + i * form.record);
	}
	add_up_counts(pass);
	tlv_assert(pass->start[((size_t) 1 << pass->digit) - 1] <= n);
	for (size_t i = 0; i < n; i += CHUNK)
	{
		TLV_TRY_CONTINUE(ctx);
		move_records(pass, form, n - i < CHUNK ? n - i : CHUNK, from + i * form.record, to);
	}
	return TLV_OK;
}

/* For an assertion. */
ALWAYS_INLINE bool
records_ascend(tlv_sort_form form, size_t n, const char *records)
{
	for (size_t i = 1; i < n; i++)
		if (record_key(records + (i - 1) * form.record, form) >
			record_key(records + i * form.record, form))
			return false;
	return true;
}

ALWAYS_INLINE tlv_status
sort_records(tlv_context *ctx, tlv_sort_form form, size_t n, char *from, char *to, void **sorted)
{
	unsigned most = n < MANY ? FEW_BITS : MANY_BITS, passes = (form.bits + most - 1) / most;
	sort_pass pass;

	*sorted = from;
	if (n <= FEW)
	{
		insertion_sort(form, n, from);
		tlv_assert(records_ascend(form, n, from));
		return TLV_OK;
	}
	pass.digit = passes > 0 ? (form.bits + passes - 1) / passes : 0;
	for (pass.shift = 0; pass.shift < form.bits; pass.shift += pass.digit)
	{
		char *swap = from;

		TLV_TRY(run_pass(ctx, &pass, form, n, from, to));
		from = to;
		to = swap;
	}
	tlv_assert(records_ascend(form, n, from));
	*sorted = from;
	return TLV_OK;
}

tlv_status
tlv_radix_sort(tlv_context *ctx, const tlv_sort_form *form, size_t n, void *records, void *work,
			   void **sorted)
{
#define SORT(RECORD, KEY, AT)                                                                      \
	if (form->record == (RECORD) && form->key == (KEY) && form->at == (AT))                        \
	return sort_records(ctx, (tlv_sort_form){RECORD, KEY, AT, form->bits}, n, records, work, sorted)

	*sorted = records;
	if (form->bits > 8 * form->key)
		return tlv_fail(ctx, TLV_INTERNAL, "keys of %u bits in %zu bytes", form->bits, form->key);
	SORT(4, 4, 0);
	SORT(8, 8, 0);
	SORT(16, 4, 0);
	SORT(16, 8, 0);
	SORT(24, 8, 0);
	SORT(24, 8, 8);
	return tlv_fail(ctx, TLV_INTERNAL, "records of %zu bytes with a key of %zu at %zu",
					form->record, form->key, form->at);
#undef SORT
}

/* From sorted runs of that width to runs of twice it. */
static tlv_status
merge_pass(tlv_context *ctx, size_t n, size_t size, size_t width, const char *from, char *to,
		   tlv_compare compare, const void *argument)
{
	for (size_t start = 0; start < n; start += 2 * width)
	{
		size_t middle = tlv_least(start + width, n), end = tlv_least(middle + width, n);
		size_t i = start, j = middle;

		for (size_t out = start; out < end; out++)
		{
			bool first = j == end ||
						 (i < middle && compare(from + i * size, from + j * size, argument) <= 0);

			TLV_TRY_CONTINUE_OFTEN(ctx, out);
			memcpy(to + out * size, from + (first ? i++ : j++) * size, size);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_merge_sort(tlv_context *ctx, size_t n, size_t size, void *records, tlv_compare compare,
			   const void *argument)
{
	char *work = tlv_alloc(ctx, n + 1, size), *from = records, *to = work;
	tlv_status status = TLV_OK;

	TLV_TRY_ALLOC(ctx, work);
	for (size_t width = 1; width < n && status == TLV_OK; width *= 2)
	{
		char *swap = from;

		status = merge_pass(ctx, n, size, width, from, to, compare, argument);
		from = to;
		to = swap;
	}
	if (from == work)
		memcpy(records, work, n * size);
	tlv_free(ctx, work);
	return status;
}

size_t
tlv_find_id(const int64_t *ids, size_t n, int64_t id)
{
	size_t low = 0, high = n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && ids[low] == id ? low : n;
}

void
tlv_order_weights(size_t k, const double *weights, int64_t *order)
{
	for (size_t j = 0; j < k; j++)
	{
		size_t at = j;

		/* Insertion, which is stable. */
		while (at > 0 && weights[order[at - 1]] < weights[j])
		{
			order[at] = order[at - 1];
			at--;
		}
		order[at] = (int64_t) j;
	}
}
