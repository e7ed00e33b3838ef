/*
 * bit_planes.c - making bit planes and counting their intersections (bit_planes.h).
 */
#include "tensorlv/num/bit_planes.h"

#include <string.h>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "tensorlv/num/context.h"

/* The widest count of bits is chosen at run time, never by -march. */
#if defined(__GNUC__) && defined(__x86_64__)
#define WIDE_COUNT __attribute__((target("avx512f,avx512vpopcntdq,popcnt")))
#define WORD_COUNT __attribute__((target("popcnt")))
#endif

/* Rows and columns of a tile of the transposition: both fit the first cache. */
#define TRANSPOSE_TILE ((size_t) 64)

/* Exchanges the halves of two words: those of `mask` in y with those above them in x. */
static inline void
exchange(uint64_t *x, uint64_t *y, int shift, uint64_t mask)
{
	uint64_t moved = ((*x >> shift) ^ *y) & mask;

	*y ^= moved;
	*x ^= moved << shift;
}

/* 8 x 8 codes: words are rows before, columns after, the first code in the lowest byte. */
static inline void
transpose8(uint64_t word[8])
{
	for (int i = 0; i < 4; i++)
		exchange(&word[i], &word[i + 4], 32, UINT64_C(0x00000000ffffffff));
	for (int i = 0; i < 8; i += i % 4 == 1 ? 3 : 1)
		exchange(&word[i], &word[i + 2], 16, UINT64_C(0x0000ffff0000ffff));
	for (int i = 0; i < 8; i += 2)
		exchange(&word[i], &word[i + 1], 8, UINT64_C(0x00ff00ff00ff00ff));
}

/* Whole groups of 8 rows and 8 variables by words, the rest one by one. */
static void
transpose_tile(size_t n, size_t m, const uint8_t *rows, size_t p, size_t room, uint8_t *columns)
{
	size_t whole_n = n / 8 * 8, whole_m = m / 8 * 8;

	for (size_t j = 0; j < whole_m; j += 8)
		for (size_t i = 0; i < whole_n; i += 8)
		{
			uint64_t word[8];

			for (size_t l = 0; l < 8; l++)
				memcpy(&word[l], rows + (i + l) * p + j, 8);
			transpose8(word);
			for (size_t l = 0; l < 8; l++)
				memcpy(columns + (j + l) * room + i, &word[l], 8);
		}
	for (size_t j = 0; j < m; j++)
		for (size_t i = j < whole_m ? whole_n : 0; i < n; i++)
			columns[j * room + i] = rows[i * p + j];
}

void
tlv_codes_transpose(size_t n, size_t p, const uint8_t *rows, size_t room, uint8_t *columns)
{
	for (size_t r = 0; r < n; r += TRANSPOSE_TILE)
		for (size_t v = 0; v < p; v += TRANSPOSE_TILE)
			transpose_tile(tlv_least(TRANSPOSE_TILE, n - r), tlv_least(TRANSPOSE_TILE, p - v),
						   rows + r * p + v, p, room, columns + v * room + r);
}

/* ---- making planes ---- */

#ifdef __SSE2__

static inline uint64_t
top_bits(__m128i bytes)
{
	return (uint64_t) (uint32_t) _mm_movemask_epi8(bytes);
}

static inline __m128i
load16(const uint8_t *codes)
{
	return _mm_loadu_si128((const __m128i *) codes);
}

void
tlv_plane_equal(size_t words, const uint8_t *codes, uint8_t code, uint64_t *plane)
{
	const __m128i wanted = _mm_set1_epi8((char) code);

	for (size_t w = 0; w < words; w++, codes += 64)
	{
		plane[w] = 0;
		for (int i = 0; i < 4; i++)
			plane[w] |= top_bits(_mm_cmpeq_epi8(load16(codes + 16 * i), wanted)) << (16 * i);
	}
}

#else

void
tlv_plane_equal(size_t words, const uint8_t *codes, uint8_t code, uint64_t *plane)
{
	for (size_t w = 0; w < words; w++, codes += 64)
	{
		plane[w] = 0;
		for (int i = 0; i < 64; i++)
			plane[w] |= (uint64_t) (codes[i] == code) << i;
	}
}

#endif

void
tlv_plane_present(size_t words, const uint8_t *codes, uint64_t *plane)
{
	tlv_plane_equal(words, codes, 0, plane);
	for (size_t w = 0; w < words; w++)
		plane[w] = ~plane[w];
}

void
tlv_plane_and(size_t words, const uint64_t *a, const uint64_t *b, uint64_t *plane)
{
	for (size_t w = 0; w < words; w++)
		plane[w] = a[w] & b[w];
}

/* ---- counting by words ---- */

/* Inlined into callers of each instruction set. */
static inline __attribute__((always_inline)) void
count_by_words(size_t words, size_t n_a, const uint64_t *a, size_t n_b, const uint64_t *b,
			   uint32_t *counts)
{
	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
		{
			const uint64_t *x = a + i * words, *y = b + j * words;
			uint64_t sum = 0;

			for (size_t w = 0; w < words; w++)
				sum += (uint64_t) __builtin_popcountll(x[w] & y[w]);
			counts[i * n_b + j] = (uint32_t) sum;
		}
}

static void
count_plain(size_t words, size_t n_a, const uint64_t *a, size_t n_b, const uint64_t *b,
			uint32_t *counts)
{
	count_by_words(words, n_a, a, n_b, b, counts);
}

#ifdef WORD_COUNT

/* Loops over a tile must be unrolled, or its sums live in memory. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 4")
#endif

WORD_COUNT static void
count_words(size_t words, size_t n_a, const uint64_t *a, size_t n_b, const uint64_t *b,
			uint32_t *counts)
{
	count_by_words(words, n_a, a, n_b, b, counts);
}

/* ---- counting by 512 bits ---- */

WIDE_COUNT static inline __attribute__((always_inline)) void
count_tile(size_t words, size_t m_a, const uint64_t *a, size_t m_b, const uint64_t *b, size_t n_b,
		   uint32_t *counts)
{
	__m512i sums[4][4];

	UNROLL
	for (size_t i = 0; i < m_a; i++)
		UNROLL
	for (size_t j = 0; j < m_b; j++)
		sums[i][j] = _mm512_setzero_si512();
	for (size_t w = 0; w < words; w += TLV_PLANE_WORDS)
	{
		__m512i y[4];

		UNROLL
		for (size_t j = 0; j < m_b; j++)
			y[j] = _mm512_loadu_si512(b + j * words + w);
		UNROLL
		for (size_t i = 0; i < m_a; i++)
		{
			const __m512i x = _mm512_loadu_si512(a + i * words + w);

			UNROLL
			for (size_t j = 0; j < m_b; j++)
				sums[i][j] =
					_mm512_add_epi64(sums[i][j], _mm512_popcnt_epi64(_mm512_and_si512(x, y[j])));
		}
	}
	UNROLL
	for (size_t i = 0; i < m_a; i++)
		UNROLL
	for (size_t j = 0; j < m_b; j++)
		counts[i * n_b + j] = (uint32_t) _mm512_reduce_add_epi64(sums[i][j]);
}

WIDE_COUNT static void
count_wide(size_t words, size_t n_a, const uint64_t *a, size_t n_b, const uint64_t *b,
		   uint32_t *counts)
{
	size_t whole_a = n_a / 4 * 4, whole_b = n_b / 4 * 4;

	for (size_t i = 0; i < whole_a; i += 4)
	{
		for (size_t j = 0; j < whole_b; j += 4)
			count_tile(words, 4, a + i * words, 4, b + j * words, n_b, counts + i * n_b + j);
		for (size_t j = whole_b; j < n_b; j++)
			count_tile(words, 4, a + i * words, 1, b + j * words, n_b, counts + i * n_b + j);
	}
	for (size_t i = whole_a; i < n_a; i++)
	{
		for (size_t j = 0; j < whole_b; j += 4)
			count_tile(words, 1, a + i * words, 4, b + j * words, n_b, counts + i * n_b + j);
		for (size_t j = whole_b; j < n_b; j++)
			count_tile(words, 1, a + i * words, 1, b + j * words, n_b, counts + i * n_b + j);
	}
}

#endif

void
tlv_planes_count(size_t words, size_t n_a, const uint64_t *a, size_t n_b, const uint64_t *b,
				 uint32_t *counts)
{
#ifdef WORD_COUNT
	if (__builtin_cpu_supports("avx512vpopcntdq"))
		count_wide(words, n_a, a, n_b, b, counts);
	else if (__builtin_cpu_supports("popcnt"))
		count_words(words, n_a, a, n_b, b, counts);
	else
#endif
		count_plain(words, n_a, a, n_b, b, counts);
}

uint32_t
tlv_plane_count(size_t words, const uint64_t *plane)
{
	uint32_t count;

	tlv_planes_count(words, 1, plane, 1, plane, &count);
	return count;
}

double
tlv_plane_cost(void)
{
#ifdef WORD_COUNT
	if (__builtin_cpu_supports("avx512vpopcntdq"))
		return 1.5 / 512;
	if (__builtin_cpu_supports("popcnt"))
		return 1.8 / 64;
	return 12.0 / 64;
#else
	return 4.0 / 64;
#endif
}
