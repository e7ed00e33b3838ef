/*
 * test_bit_planes.c - planes of codes, their counts, and tables of codes and keys, against plain
 * loops over rows, at and around the ends of words, planes and chunks.
 */
#include "assertions.h"
#include "tensorlv/num/bit_planes.h"
#include "tensorlv/num/context.h"
#include "tensorlv/num/rng.h"

#define MOST_ROWS 20000
#define VARIABLES 37

static const size_t sizes[] = {1, 63, 64, 65, 511, 512, 513, 4096, 16385, MOST_ROWS};
#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static tlv_rng rng;
static uint8_t codes[2][MOST_ROWS + TLV_PLANE_ROWS];
static uint32_t key[MOST_ROWS], scratch[TLV_TABLE_SCRATCH];

static int
setup(void **state)
{
	tlv_rng_seed(&rng, 17);
	return 0;
}

/* n random codes below `end`; 0 behind them. */
static void
draw_codes(size_t n, uint64_t end, uint8_t *to)
{
	memset(to, 0, MOST_ROWS + TLV_PLANE_ROWS);
	for (size_t r = 0; r < n; r++)
		to[r] = (uint8_t) tlv_rng_below(&rng, end);
}

static bool
bit_of(const uint64_t *plane, size_t r)
{
	return (plane[r / 64] >> (r % 64) & 1) != 0;
}

TEST(test_transpose)
{
	static uint8_t rows[600 * VARIABLES], columns[VARIABLES * 700];

	for (size_t n = 0; n <= 600; n = n < 70 ? n + 1 : n + 53)
		for (size_t p = 1; p <= VARIABLES; p += 6)
		{
			size_t room = n + 11;

			for (size_t i = 0; i < n * p; i++)
				rows[i] = (uint8_t) tlv_rng_below(&rng, 256);
			memset(columns, 0xee, sizeof(columns));
			tlv_codes_transpose(n, p, rows, room, columns);
			for (size_t v = 0; v < p; v++)
				for (size_t r = 0; r < n; r++)
					assert_int_equal(columns[v * room + r], rows[r * p + v]);
			/* behind the last row of the last column nothing is written */
			for (size_t i = (p - 1) * room + n; i < sizeof(columns); i++)
				assert_int_equal(columns[i], 0xee);
		}
}

TEST(test_planes)
{
	enum
	{
		WORDS = (MOST_ROWS + TLV_PLANE_ROWS) / 64
	};
	static uint64_t equal[WORDS], present[WORDS], both[WORDS];

	for (size_t s = 0; s < SIZES; s++)
	{
		size_t n = sizes[s], words = tlv_plane_words(n);
		uint32_t threes = 0;

		assert_int_equal(words % TLV_PLANE_WORDS, 0);
		assert_between(64 * words, n, n + TLV_PLANE_ROWS - 1);
		draw_codes(n, 6, codes[0]);
		for (size_t r = 0; r < n; r += 7)
			codes[0][r] = 127;
		tlv_plane_equal(words, codes[0], 3, equal);
		tlv_plane_present(words, codes[0], present);
		tlv_plane_and(words, equal, present, both);
		for (size_t r = 0; r < 64 * words; r++)
		{
			assert_equal(bit_of(equal, r), codes[0][r] == 3);
			assert_equal(bit_of(present, r), codes[0][r] != 0);
			assert_equal(bit_of(both, r), codes[0][r] == 3);
			threes += codes[0][r] == 3;
		}
		assert_int_equal(tlv_plane_count(words, equal), threes);
		assert_int_equal(tlv_plane_count(words, both), threes);
	}
	assert_above(tlv_plane_cost(), 0);
}

TEST(test_planes_count)
{
	enum
	{
		MOST = 21,
		WORDS = 5 * TLV_PLANE_WORDS
	};
	static uint64_t a[MOST * WORDS], b[MOST * WORDS];
	uint32_t counts[MOST * MOST];

	for (size_t words = TLV_PLANE_WORDS; words <= WORDS; words += TLV_PLANE_WORDS)
		for (size_t n_a = 1; n_a <= MOST; n_a += 5)
			for (size_t n_b = 1; n_b <= MOST; n_b += 4)
			{
				for (size_t i = 0; i < MOST * words; i++)
				{
					a[i] = tlv_rng_next(&rng) & tlv_rng_next(&rng);
					b[i] = i % 9 == 0 ? ~UINT64_C(0) : tlv_rng_next(&rng);
				}
				tlv_planes_count(words, n_a, a, n_b, b, counts);
				for (size_t i = 0; i < n_a; i++)
					for (size_t j = 0; j < n_b; j++)
					{
						uint32_t count = 0;

						for (size_t w = 0; w < words; w++)
							count += (uint32_t) __builtin_popcountll(a[i * words + w] &
																	 b[j * words + w]);
						assert_int_equal(counts[i * n_b + j], count);
					}
			}
}

/* Few cells, whose counters take turns, and many; short keys and long ones. */
TEST(test_tables)
{
	static const uint32_t widths[][2] = {{2, 3}, {11, 7}, {40, 40}, {100, 100}, {255, 256}};
	static uint32_t counts[256 * 256], expected[256 * 256], keys[256 * 256];

	for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++)
		for (size_t s = 0; s < SIZES; s++)
		{
			size_t n = sizes[s], cells = (size_t) widths[w][0] * widths[w][1];
			uint32_t stride = widths[w][1];

			draw_codes(n, widths[w][0], codes[0]);
			draw_codes(n, stride, codes[1]);
			memset(expected, 0, cells * sizeof(uint32_t));
			for (size_t r = 0; r < n; r++)
				expected[codes[0][r] * stride + codes[1][r]]++;
			memset(counts, 0x55, sizeof(counts));
			tlv_codes_count(n, codes[0], stride, codes[1], cells, scratch, counts);
			assert_memory_equal(counts, expected, cells * sizeof(uint32_t));

			tlv_codes_join(n, codes[0], stride, codes[1], key);
			for (size_t r = 0; r < n; r++)
				assert_int_equal(key[r], codes[0][r] * stride + codes[1][r]);
			if (cells > sizeof(keys) / sizeof(keys[0]) / 4)
				continue;
			draw_codes(n, 4, codes[0]);
			memset(expected, 0, 4 * cells * sizeof(uint32_t));
			for (size_t r = 0; r < n; r++)
				expected[4 * key[r] + codes[0][r]]++;
			tlv_keys_count(n, key, 4, codes[0], 4 * cells, scratch, keys);
			assert_memory_equal(keys, expected, 4 * cells * sizeof(uint32_t));
		}
}

RUN_TESTS_OF_GROUP(setup, NULL, NULL, NULL)
