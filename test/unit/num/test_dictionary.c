/*
 * test_dictionary.c - item dictionaries: growing, and frozen in either form,
 * with items at both ends of bigint.
 */
#include "malloc_setup.h"
#include "tensorlv/num/dictionary.h"
#include "tensorlv/num/hash.h"

TEST(test_dictionary_add)
{
	tlv_dictionary dictionary;
	int32_t position;

	tlv_dictionary_init(&dictionary);
	assert_int_equal(tlv_dictionary_find(&dictionary, 0), -1);
	/* two rounds: new positions in order of arrival, then the same ones again */
	for (int round = 0; round < 2; round++)
		for (int32_t i = 0; i < 20000; i++)
		{
			/* colliding low bits, both signs, both ends */
			int64_t item = i % 2 == 0 ? (int64_t) i << 40 : INT64_MIN + i;

			item = i == 4 ? INT64_MAX : item;
			assert_ok(tlv_dictionary_add(&ctx, &dictionary, item, &position));
			assert_int_equal(position, i);
			assert_int_equal(tlv_dictionary_find(&dictionary, item), i);
		}
	assert_int_equal(dictionary.n, 20000);
	assert_int_equal(tlv_dictionary_find(&dictionary, 1), -1);
	assert_int_equal(tlv_dictionary_find(&dictionary, INT64_MAX - 1), -1);
	tlv_dictionary_clear(&ctx, &dictionary);
	assert_int_equal(tlv_dictionary_find(&dictionary, INT64_MAX), -1);
}

static void
check_frozen(size_t n, const int64_t *items, bool direct)
{
	tlv_dictionary dictionary;

	assert_ok(tlv_dictionary_freeze(&ctx, &dictionary, n, items));
	assert_int_equal(dictionary.direct != NULL, direct);
	for (size_t i = 0; i < n; i++)
	{
		assert_int_equal(tlv_dictionary_find(&dictionary, items[i]), (int32_t) i);
		for (int64_t step = -1; step <= 1; step += 2)
		{
			int64_t neighbour = (int64_t) ((uint64_t) items[i] + (uint64_t) step);
			int32_t expected = -1;

			for (size_t j = 0; j < n; j++)
				if (items[j] == neighbour)
					expected = (int32_t) j;
			assert_int_equal(tlv_dictionary_find(&dictionary, neighbour), expected);
		}
	}
	assert_int_equal(tlv_dictionary_find(&dictionary, 777777777), -1);
	assert_int_equal(tlv_dictionary_find(&dictionary, -777777777), -1);
	tlv_dictionary_clear(&ctx, &dictionary);
}

TEST(test_dictionary_freeze)
{
	const int64_t ends[4] = {INT64_MIN, -1, 1, INT64_MAX};
	const int64_t low[3] = {INT64_MIN, INT64_MIN + 2, INT64_MIN + 3};
	const int64_t high[3] = {INT64_MAX - 5, INT64_MAX - 1, INT64_MAX};
	int64_t many[1000];

	check_frozen(0, NULL, false);
	check_frozen(1, ends, true);
	check_frozen(4, ends, false);
	check_frozen(3, low, true);
	check_frozen(3, high, true);
	for (size_t i = 0; i < 1000; i++)
		many[i] = (int64_t) i * 3 - 1000;
	check_frozen(1000, many, true);
	for (size_t i = 0; i < 1000; i++)
		many[i] = (int64_t) i * 1000003 - 1000;
	check_frozen(1000, many, false);
}

/* Positions do not depend on the key of the hash; growing many slots may be interrupted. */
TEST(test_dictionary_key)
{
	const int32_t many = 1 << 18;
	tlv_dictionary dictionary;
	tlv_status status = TLV_OK;
	int32_t position, n = 0;

	tlv_hash_key = UINT64_C(0x123456789abcdef1);
	tlv_dictionary_init(&dictionary);
	ctx.stop = fault_stops;
	ctx.stop_argument = &(fault_looks){.at = 1};
	while (n < many && (status = tlv_dictionary_add(&ctx, &dictionary, -n, &position)) == TLV_OK)
		assert_int_equal(position, n++);
	assert_int_equal(status, TLV_CANCELLED);
	ctx.stop = NULL;
	for (int32_t i = 0; i <= n; i++)
	{
		assert_ok(tlv_dictionary_add(&ctx, &dictionary, -i, &position));
		assert_int_equal(position, i);
	}
	tlv_dictionary_clear(&ctx, &dictionary);
	tlv_hash_key = 0;
}

TEST(test_dictionary_map)
{
	const int64_t items[4] = {10, 20, 30, 40};
	const int64_t words[6] = {5, 10, 25, 30, 40, 99};
	const double counts[6] = {1, 2, 3, 4, 5, 6};
	int32_t index[6];
	double known[6];
	size_t found;
	tlv_dictionary dictionary;

	assert_ok(tlv_dictionary_freeze(&ctx, &dictionary, 4, items));
	assert_ok(tlv_dictionary_map(&ctx, &dictionary, 6, words, counts, index, known, &found));
	assert_int_equal(found, 3);
	assert_int_equal(index[0], 0);
	assert_int_equal(index[1], 2);
	assert_int_equal(index[2], 3);
	assert_equal(known[0], 2);
	assert_equal(known[1], 4);
	assert_equal(known[2], 5);
	assert_ok(tlv_dictionary_map(&ctx, &dictionary, 1, words + 5, counts, index, known, &found));
	assert_int_equal(found, 0);
	tlv_dictionary_clear(&ctx, &dictionary);
}

/* Many items far apart, hashed and looked for. */
TEST(test_stop)
{
	const size_t n = 80000;
	int64_t *items = room(n, sizeof(int64_t));
	double *counts = room(n, sizeof(double)), *known = room(n, sizeof(double));
	int32_t *index = room(n, sizeof(int32_t));
	size_t found;
	tlv_dictionary dictionary;

	for (size_t i = 0; i < n; i++)
		items[i] = (int64_t) i * 1000003;
	ctx.stop = fault_stops;
	ctx.stop_argument = &(fault_looks){.at = 1};
	assert_int_equal(tlv_dictionary_freeze(&ctx, &dictionary, n, items), TLV_CANCELLED);
	tlv_dictionary_clear(&ctx, &dictionary);
	ctx.stop = NULL;
	assert_ok(tlv_dictionary_freeze(&ctx, &dictionary, n, items));
	assert_ok(tlv_dictionary_map(&ctx, &dictionary, n, items, counts, index, known, &found));
	assert_int_equal(found, n);
	assert_cancelled_at(
		1, tlv_dictionary_map(&ctx, &dictionary, n, items, counts, index, known, &found));
	tlv_dictionary_clear(&ctx, &dictionary);
}

RUN_TESTS(setup, teardown)
