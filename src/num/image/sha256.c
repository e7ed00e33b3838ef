/*
 * sha256.c - SHA-256 (sha256.h): as FIPS 180-4 writes it, and with the SHA instructions of x86-64
 * where the processor has them, several times as fast.
 */
#include "tensorlv/num/sha256.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_SHA_NI 1
#include <cpuid.h>
#include <immintrin.h>
#endif

/*
 * FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube roots of the first 64
 * primes.
 */
static const uint32_t sha_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static inline uint32_t
rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t
big_endian(const unsigned char *p)
{
	return (uint32_t) p[0] << 24 | (uint32_t) p[1] << 16 | (uint32_t) p[2] << 8 | p[3];
}

/* The message schedule of a block: FIPS 180-4, 6.2.2, step 1 with equations 4.6 and 4.7. */
static void
expand_block(const unsigned char *block, uint32_t w[64])
{
	for (int t = 0; t < 16; t++)
		w[t] = big_endian(block + 4 * t);
	for (int t = 16; t < 64; t++)
	{
		uint32_t low = rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
		uint32_t high = rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;

		w[t] = high + w[t - 7] + low + w[t - 16];
	}
}

/*
 * A round: FIPS 180-4, 6.2.2, step 3 with equations 4.2 to 4.5.  The caller renames the eight
 * variables instead of moving them.
 */
static inline void
round_plain(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e, uint32_t f, uint32_t g,
			uint32_t *h, uint32_t word)
{
	uint32_t first = *h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
	uint32_t second =
		(rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));

	*d += first + word;
	*h = first + word + second;
}

static void
compress_plain(uint32_t state[8], const unsigned char *data, size_t blocks)
{
	for (; blocks > 0; blocks--, data += TLV_SHA256_BLOCK)
	{
		uint32_t w[64], v[8];

		expand_block(data, w);
		memcpy(v, state, sizeof(v));
		for (int t = 0; t < 64; t += 8)
#pragma GCC unroll 8
			for (unsigned i = 0; i < 8; i++)
				round_plain(v[-i & 7], v[(1 - i) & 7], v[(2 - i) & 7], &v[(3 - i) & 7],
							v[(4 - i) & 7], v[(5 - i) & 7], v[(6 - i) & 7], &v[(7 - i) & 7],
							sha_constants[t + (int) i] + w[t + (int) i]);
		for (int i = 0; i < 8; i++)
			state[i] += v[i];
	}
}

#ifdef HAVE_SHA_NI
/* Four rounds with words w and constants from t on. */
#define FOUR_ROUNDS(w, t)                                                                          \
	do                                                                                             \
	{                                                                                              \
		__m128i sum = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *) (sha_constants + (t))));  \
		cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);                                             \
		abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));                    \
	} while (0)

/* The next four words of the schedule, into a, from the sixteen before: a, b, c, d. */
#define NEXT_WORDS(a, b, c, d)                                                                     \
	(a) = _mm_sha256msg2_epu32(                                                                    \
		_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)

/* The instructions hold the state as (a, b, e, f) and (c, d, g, h), high words first. */
__attribute__((target("sha,sse4.1,ssse3"))) static void
compress_sha(uint32_t state[8], const unsigned char *data, size_t blocks)
{
	const __m128i swap = _mm_set_epi64x(INT64_C(0x0c0d0e0f08090a0b), INT64_C(0x0405060700010203));
	__m128i dcba = _mm_loadu_si128((const __m128i *) state);
	__m128i hgfe = _mm_loadu_si128((const __m128i *) (state + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xb1), efgh = _mm_shuffle_epi32(hgfe, 0x1b);
	__m128i abef = _mm_alignr_epi8(cdab, efgh, 8), cdgh = _mm_blend_epi16(efgh, cdab, 0xf0);

	for (; blocks > 0; blocks--, data += TLV_SHA256_BLOCK)
	{
		__m128i abef_before = abef, cdgh_before = cdgh, w[4];

		for (int i = 0; i < 4; i++)
			w[i] =
				_mm_shuffle_epi8(_mm_loadu_si128((const __m128i *) (data + (size_t) 16 * i)), swap);
		for (int t = 0; t < 64; t += 16)
		{
			if (t > 0)
				NEXT_WORDS(w[0], w[1], w[2], w[3]);
			FOUR_ROUNDS(w[0], t);
			if (t > 0)
				NEXT_WORDS(w[1], w[2], w[3], w[0]);
			FOUR_ROUNDS(w[1], t + 4);
			if (t > 0)
				NEXT_WORDS(w[2], w[3], w[0], w[1]);
			FOUR_ROUNDS(w[2], t + 8);
			if (t > 0)
				NEXT_WORDS(w[3], w[0], w[1], w[2]);
			FOUR_ROUNDS(w[3], t + 12);
		}
		abef = _mm_add_epi32(abef, abef_before);
		cdgh = _mm_add_epi32(cdgh, cdgh_before);
	}
	cdab = _mm_shuffle_epi32(abef, 0x1b);
	efgh = _mm_shuffle_epi32(cdgh, 0xb1);
	_mm_storeu_si128((__m128i *) state, _mm_blend_epi16(cdab, efgh, 0xf0));
	_mm_storeu_si128((__m128i *) (state + 4), _mm_alignr_epi8(efgh, cdab, 8));
}

bool
tlv_sha256_accelerated(void)
{
	static int known = -1;

	if (known < 0)
	{
		unsigned a, b = 0, c = 0, d;
		bool found = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b >> 29 & 1) != 0;

		/* SSE4.1 and SSSE3, which every processor with the SHA instructions should have. */
		known = found && __get_cpuid(1, &a, &b, &c, &d) != 0 && (c >> 19 & 1) && (c >> 9 & 1);
	}
	return known != 0;
}
#else
bool
tlv_sha256_accelerated(void)
{
	return false;
}
#endif

static void
compress_blocks(tlv_sha256 *hash, const unsigned char *data, size_t blocks)
{
#ifdef HAVE_SHA_NI
	if (!hash->plain && tlv_sha256_accelerated())
	{
		compress_sha(hash->state, data, blocks);
		return;
	}
#endif
	compress_plain(hash->state, data, blocks);
}

void
tlv_sha256_init(tlv_sha256 *hash)
{
	/* FIPS 180-4, 5.3.3. */
	static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
									  0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

	memcpy(hash->state, start, sizeof(start));
	hash->length = 0;
	hash->plain = false;
}

void
tlv_sha256_add(tlv_sha256 *hash, const void *bytes, size_t size)
{
	const unsigned char *data = bytes;
	size_t held = hash->length % TLV_SHA256_BLOCK;

	hash->length += size;
	if (held > 0)
	{
		size_t n = size < TLV_SHA256_BLOCK - held ? size : TLV_SHA256_BLOCK - held;

		memcpy(hash->block + held, data, n);
		if (held + n < TLV_SHA256_BLOCK)
			return;
		compress_blocks(hash, hash->block, 1);
		data += n;
		size -= n;
	}
	compress_blocks(hash, data, size / TLV_SHA256_BLOCK);
	if (size % TLV_SHA256_BLOCK > 0)
		memcpy(hash->block, data + size - size % TLV_SHA256_BLOCK, size % TLV_SHA256_BLOCK);
}

/* One bit, zeros, and the length in bits as the last eight bytes of a block. */
void
tlv_sha256_finish(tlv_sha256 *hash, unsigned char digest[TLV_SHA256_SIZE])
{
	static const unsigned char padding[TLV_SHA256_BLOCK] = {0x80};
	uint64_t bits = 8 * hash->length;
	size_t held = hash->length % TLV_SHA256_BLOCK;
	unsigned char length[8];

	for (int i = 0; i < 8; i++)
		length[i] = (unsigned char) (bits >> (56 - 8 * i));
	tlv_sha256_add(hash, padding, (held < 56 ? 56 : 120) - held);
	tlv_sha256_add(hash, length, sizeof(length));
	for (int i = 0; i < TLV_SHA256_SIZE; i++)
		digest[i] = (unsigned char) (hash->state[i / 4] >> (24 - 8 * (i % 4)));
}
