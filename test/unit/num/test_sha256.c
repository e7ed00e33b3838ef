/*
 * test_sha256.c - SHA-256 against the vectors of FIPS 180-4 and its companions, in one piece and in
 * many, with and without the processor's instructions.
 */
#include "assertions.h"
#include "tensorlv/num/sha256.h"

static void
assert_digest(const char *message, size_t repeats, const char *expected)
{
	for (int plain = 0; plain < 2; plain++)
	{
		unsigned char digest[TLV_SHA256_SIZE];
		char hex[2 * TLV_SHA256_SIZE + 1];
		tlv_sha256 hash;

		tlv_sha256_init(&hash);
		hash.plain = plain != 0;
		for (size_t i = 0; i < repeats; i++)
			tlv_sha256_add(&hash, message, strlen(message));
		tlv_sha256_finish(&hash, digest);
		for (size_t i = 0; i < TLV_SHA256_SIZE; i++)
			snprintf(hex + 2 * i, 3, "%02x", digest[i]);
		assert_string_equal(hex, expected);
	}
}

/* FIPS 180-4's examples, and the million of a's. */
TEST(test_vectors)
{
	assert_digest("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_digest("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
				  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	assert_digest("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
				  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
				  1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
	assert_digest("a", 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void
digest_of(const unsigned char *bytes, size_t size, size_t piece, bool plain, unsigned char *digest)
{
	tlv_sha256 hash;

	tlv_sha256_init(&hash);
	hash.plain = plain;
	for (size_t at = 0; at < size; at += piece)
		tlv_sha256_add(&hash, bytes + at, size - at < piece ? size - at : piece);
	tlv_sha256_finish(&hash, digest);
}

/* Every length around the ends of blocks, in pieces of every sort, both ways. */
TEST(test_pieces)
{
	static const size_t pieces[] = {1, 7, 55, 63, 64, 65, 300};
	unsigned char bytes[300];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (unsigned char) (i * 37 + i / 7);
	for (size_t size = 0; size <= sizeof(bytes); size++)
	{
		unsigned char whole[TLV_SHA256_SIZE], digest[TLV_SHA256_SIZE];

		digest_of(bytes, size, sizeof(bytes), true, whole);
		for (size_t p = 0; p < sizeof(pieces) / sizeof(pieces[0]); p++)
			for (int plain = 0; plain < 2; plain++)
			{
				digest_of(bytes, size, pieces[p], plain != 0, digest);
				assert_memory_equal(digest, whole, TLV_SHA256_SIZE);
			}
	}
}

RUN_TESTS(NULL, NULL)
