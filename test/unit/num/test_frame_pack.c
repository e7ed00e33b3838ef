/*
 * test_frame_pack.c - frames as they are stored, in fewer bytes: what is packed comes back bit by
 * bit, in its one form; damaged bytes are refused or come back as frames for validation.
 */
#include "frame_fixture.h"
#include "tensorlv/num/rng.h"

#define ROWS	5
#define COLUMNS 2000
#define N		(ROWS * COLUMNS)

/* A section of every kind of content that is stored in a form of its own. */
typedef struct content
{
	int64_t ids[COLUMNS], wild[7];
	double counts[COLUMNS], shares[COLUMNS], singles[COLUMNS], noise[COLUMNS], floors[N];
	double few[N], signs[40], zeros[N];
	float narrow[N], narrow_noise[COLUMNS];
	char text[100];
} content;

static content *
make_content(void)
{
	content *c = tlv_alloc0(&ctx, 1, sizeof(content));
	double total = 0;
	tlv_rng rng;

	tlv_rng_seed(&rng, 7);
	for (int i = 0; i < COLUMNS; i++)
	{
		c->ids[i] = i * 1000 + (int64_t) (tlv_rng_uniform(&rng) * 999);
		total += c->counts[i] = 3 + floor(exp(5 * tlv_rng_uniform(&rng)));
		c->singles[i] = (float) tlv_rng_normal(&rng);
		c->noise[i] = tlv_rng_normal(&rng);
		c->narrow_noise[i] = (float) c->noise[i];
	}
	for (int i = 0; i < COLUMNS; i++)
		c->shares[i] = c->counts[i] / total;
	for (int i = 0; i < N; i++)
	{
		bool kept = tlv_rng_uniform(&rng) < .05;

		c->floors[i] = kept ? (float) tlv_rng_uniform(&rng) : 1e-7 * (1 + i % ROWS);
		c->few[i] = kept ? c->noise[i % COLUMNS] : 0;
		c->narrow[i] = kept ? (float) c->noise[i % COLUMNS] : 1e-30F;
	}
	for (int i = 0; i < 40; i++)
		c->signs[i] = i % 2 == 0 ? -0.0 : i;
	c->wild[0] = INT64_MIN;
	c->wild[1] = INT64_MAX;
	memcpy(c->text, "a text, which is stored as it is", 32);
	return c;
}

static char *
packable(size_t *size)
{
	content *c = make_content();
	void *image;

	tlv_frame_begin(&builder, TLV_FRAME_MODEL, 77);
	tlv_frame_add_scalar(&builder, "weight", 0.1);
	tlv_frame_add(&builder, "ids", TLV_INT64, COLUMNS, 1, c->ids);
	tlv_frame_add(&builder, "wild", TLV_INT64, 7, 1, c->wild);
	tlv_frame_add(&builder, "counts", TLV_FLOAT64, COLUMNS, 1, c->counts);
	tlv_frame_add(&builder, "shares", TLV_FLOAT64, COLUMNS, 1, c->shares);
	tlv_frame_add(&builder, "singles", TLV_FLOAT64, COLUMNS, 1, c->singles);
	tlv_frame_add(&builder, "noise", TLV_FLOAT64, COLUMNS, 1, c->noise);
	tlv_frame_add(&builder, "floors", TLV_FLOAT64, ROWS, COLUMNS, c->floors);
	tlv_frame_add(&builder, "few", TLV_FLOAT64, N, 1, c->few);
	tlv_frame_add(&builder, "sparse", TLV_SPARSE, ROWS, COLUMNS, c->few);
	tlv_frame_add(&builder, "signs", TLV_FLOAT64, 8, 5, c->signs);
	tlv_frame_add(&builder, "zeros", TLV_FLOAT64, ROWS, COLUMNS, c->zeros);
	tlv_frame_add(&builder, "no_entries", TLV_SPARSE, ROWS, COLUMNS, c->zeros);
	tlv_frame_add(&builder, "narrow", TLV_FLOAT32, ROWS, COLUMNS, c->narrow);
	tlv_frame_add(&builder, "narrow_noise", TLV_FLOAT32, COLUMNS, 1, c->narrow_noise);
	tlv_frame_add(&builder, "text", TLV_BYTES, 100, 1, c->text);
	tlv_frame_add(&builder, "nothing", TLV_FLOAT64, 0, 5, NULL);
	tlv_frame_add(&builder, "none", TLV_FLOAT64, 5, 0, NULL);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, size));
	return image;
}

/* From the builder and from what it has written. */
static void *
packed(const char *image, size_t whole, size_t *size)
{
	tlv_packing *packing;
	tlv_frame frame;
	void *bytes, *again;
	size_t same;

	assert_ok(tlv_frame_pack(&ctx, &builder, &packing, size));
	bytes = tlv_alloc0(&ctx, *size, 1);
	assert_ok(tlv_packing_write(&ctx, packing, bytes, *size));
	assert_ok(tlv_frame_validate(&ctx, image, whole, &frame));
	assert_ok(tlv_frame_pack_image(&ctx, &frame, &packing, &same));
	assert_int_equal(same, *size);
	again = tlv_alloc0(&ctx, same, 1);
	assert_ok(tlv_packing_write(&ctx, packing, again, same));
	assert_memory_equal(bytes, again, same);
	return bytes;
}

TEST(test_round_trip)
{
	size_t whole, size, back_size;
	char *image = packable(&whole), *bytes = packed(image, whole, &size);
	void *back;

	assert_true(tlv_frame_is_packed(bytes, size));
	assert_false(tlv_frame_is_packed(image, whole));
	assert_ok(tlv_frame_unpack(&ctx, bytes, size, &back, &back_size));
	assert_int_equal(back_size, whole);
	assert_memory_equal(back, image, whole);
	/* ids and distances of 2 bytes, counts and shares of 1 to 2, singles of 4, noise of 8, the
	 * twentieth of floors, few, entries and narrow of 1 and 4 or 8, noise of 4 */
	assert_at_most(size, 2000 * (2 + 1.6 + 1.6 + 4 + 8 + 4) + 500 * (5 + 9 + 9 + 5) * 1.1 + 1500);
}

/* What would not be much smaller stays as it is. */
TEST(test_not_worth_it)
{
	content *c = make_content();
	size_t whole, size;
	tlv_packing *packing;
	void *image, *bytes;

	tlv_frame_begin(&builder, TLV_FRAME_MODEL, 77);
	tlv_frame_add(&builder, "noise", TLV_FLOAT64, COLUMNS, 1, c->noise);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &whole));
	assert_ok(tlv_frame_pack(&ctx, &builder, &packing, &size));
	assert_int_equal(size, whole);
	bytes = tlv_alloc0(&ctx, size, 1);
	assert_ok(tlv_packing_write(&ctx, packing, bytes, size));
	assert_memory_equal(bytes, image, size);
}

/* Every byte changed in some bits, and every length: an error, or the same frame (the form of a
 * section of no numbers says nothing). */
TEST(test_damaged)
{
	size_t whole, size, back_size;
	char *image = packable(&whole), *bytes = packed(image, whole, &size);
	size_t refused = 0, damages = 0;

	for (size_t at = 4; at < size; at += EVERY(3) * (at < 800 ? 1 : 97))
		for (int bit = 0; bit < 8; bit += 3)
		{
			char *copy = tlv_alloc(&ctx, size, 1); /* of the exact size, for ASan */
			tlv_frame frame;
			void *back;

			memcpy(copy, bytes, size);
			copy[at] = (char) (copy[at] ^ (1 << bit));
			damages++;
			if (tlv_frame_unpack(&ctx, copy, size, &back, &back_size) != TLV_OK)
				refused++;
			else
			{
				if (tlv_frame_validate(&ctx, back, back_size, &frame) != TLV_OK)
					refused++;
				else
					assert_memory_equal(image, back, whole);
				tlv_free(&ctx, back);
			}
			tlv_free(&ctx, copy);
		}
	assert_at_least(refused, damages - 10);
	for (size_t length = 0; length < size; length += EVERY(3) * (length < 800 ? 1 : 97))
	{
		char *copy = tlv_alloc(&ctx, length > 0 ? length : 1, 1);
		void *back;

		memcpy(copy, bytes, length);
		if (length >= sizeof(tlv_frame_header))
			((tlv_frame_header *) copy)->size = length;
		assert_int_equal(tlv_frame_unpack(&ctx, copy, length, &back, &back_size), TLV_CORRUPT);
		tlv_free(&ctx, copy);
	}
}

/* A few bytes must not become hundreds of megabytes. */
TEST(test_growth)
{
	double *zeros = tlv_alloc0(&ctx, 30000000, sizeof(double));
	size_t size, back_size;
	tlv_packing *packing;
	void *bytes, *back;

	tlv_frame_begin(&builder, TLV_FRAME_MODEL, 77);
	tlv_frame_add(&builder, "zeros", TLV_FLOAT64, 30000000, 1, zeros);
	assert_ok(tlv_frame_pack(&ctx, &builder, &packing, &size));
	assert_true(size > 200000000);
	tlv_packing_free(&ctx, packing);
	tlv_frame_begin(&builder, TLV_FRAME_MODEL, 77);
	tlv_frame_add(&builder, "zeros", TLV_FLOAT64, 300000, 1, zeros);
	assert_ok(tlv_frame_pack(&ctx, &builder, &packing, &size));
	assert_at_most(size, 100.);
	bytes = tlv_alloc0(&ctx, size, 1);
	assert_ok(tlv_packing_write(&ctx, packing, bytes, size));
	assert_ok(tlv_frame_unpack(&ctx, bytes, size, &back, &back_size));
	((unsigned char *) bytes)[sizeof(tlv_frame_header) + 3] = 0x7f; /* the size: 266 MB */
	assert_int_equal(tlv_frame_unpack(&ctx, bytes, size, &back, &back_size), TLV_CORRUPT);
}

TEST(test_stops)
{
	size_t whole, size, back_size;
	char *image = packable(&whole), *bytes = packed(image, whole, &size);
	tlv_packing *packing;
	void *back;

	assert_cancelled_at(1, tlv_frame_unpack(&ctx, bytes, size, &back, &back_size));
	assert_cancelled_at(1, tlv_frame_pack(&ctx, &builder, &packing, &size));
}

RUN_TESTS(setup, teardown)
