/*
 * test_sort.c - the radix sort against the merge sort: every form of record, few and
 * many records, keys of few and of all bits.
 */
#define RNG_SEED 17
#include "malloc_setup.h"
#include "tensorlv/num/sort.h"

#define MOST ((size_t) 70000)

static uint64_t
key_of(const tlv_sort_form *form, const char *record)
{
	uint64_t wide;
	uint32_t narrow;

	memcpy(&wide, record + form->at, form->key == 8 ? 8 : 0);
	memcpy(&narrow, record + form->at, 4);
	return form->key == 8 ? wide : narrow;
}

/* Random records: the key, and in the rest of the record where it was. */
static void
fill(const tlv_sort_form *form, size_t n, char *records)
{
	for (size_t i = 0; i < n; i++)
	{
		char *record = records + i * form->record;
		uint64_t key = tlv_rng_next(&rng);
		uint32_t narrow;

		key = form->bits < 64 ? key & ((UINT64_C(1) << form->bits) - 1) : key;
		narrow = (uint32_t) key;
		for (size_t word = 0; word < form->record / 4; word++)
			memcpy(record + 4 * word, &(uint32_t){(uint32_t) i}, 4);
		memcpy(record + form->at, form->key == 8 ? (void *) &key : (void *) &narrow, form->key);
	}
}

static int
compare_keys(const void *a, const void *b, const void *form)
{
	uint64_t x = key_of(form, a), y = key_of(form, b);

	return (x > y) - (x < y);
}

static void
check_sort(tlv_sort_form form, size_t n)
{
	char *block = room(4 * n, form.record), *work = block + n * form.record;
	char *expected = work + n * form.record;
	void *sorted;

	fill(&form, n, block);
	memcpy(expected, block, n * form.record);
	assert_int_equal(tlv_merge_sort(&ctx, n, form.record, expected, compare_keys, &form), TLV_OK);
	for (size_t i = 1; i < n; i++)
		assert_true(
			compare_keys(expected + (i - 1) * form.record, expected + i * form.record, &form) <= 0);
	assert_int_equal(tlv_radix_sort(&ctx, &form, n, block, work, &sorted), TLV_OK);
	if (sorted != block)
		assert_ptr_equal(sorted, work);
	assert_memory_equal(sorted, expected, n * form.record);
}

TEST(test_radix_sort)
{
	static const tlv_sort_form forms[] = {{4, 4, 0, 0},	 {8, 8, 0, 0},	{16, 4, 0, 0},
										  {16, 8, 0, 0}, {24, 8, 0, 0}, {24, 8, 8, 0}};
	static const unsigned bits[] = {0, 1, 7, 11, 12, 31, 32, 33, 63, 64};
	static const size_t sizes[] = {0, 1, 2, 47, 48, 49, 1000, MOST};

	for (size_t f = 0; f < sizeof(forms) / sizeof(*forms); f++)
		for (size_t b = 0; b < sizeof(bits) / sizeof(*bits); b++)
			for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			{
				tlv_sort_form form = forms[f];

				form.bits = bits[b];
				if (bits[b] <= 8 * form.key && (sizes[s] < MOST || bits[b] % 11 < 2))
					check_sort(form, sizes[s]);
			}
}

TEST(test_radix_sort_errors)
{
	uint64_t *keys = room(2 * MOST, sizeof(uint64_t));
	tlv_sort_form form = {8, 8, 0, 64};
	void *sorted;

	for (size_t i = 0; i < MOST; i++)
		keys[i] = tlv_rng_next(&rng);
	/* six passes of two loops */
	for (size_t look = 1; look <= 12; look++)
	{
		assert_cancelled_at(look, tlv_radix_sort(&ctx, &form, MOST, keys, keys + MOST, &sorted));
		/* whatever happened, one of the arrays is what was given back */
		if (sorted != keys)
			assert_ptr_equal(sorted, keys + MOST);
	}
	assert_ok(tlv_radix_sort(&ctx, &form, MOST, keys, keys + MOST, &sorted));
	form.bits = 65;
	assert_int_equal(tlv_radix_sort(&ctx, &form, 2, keys, keys + 2, &sorted), TLV_INTERNAL);
	form = (tlv_sort_form){12, 8, 0, 64};
	assert_int_equal(tlv_radix_sort(&ctx, &form, 2, keys, keys + 2, &sorted), TLV_INTERNAL);
}

RUN_TESTS(setup, teardown)
