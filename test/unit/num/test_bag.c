/*
 * test_bag.c - bags: every width, the ends of bigint,
 * one canonical form and nothing else accepted, text form, sorting.
 */
#include <float.h>
#include <inttypes.h>

#define RNG_SEED 11
#include "malloc_setup.h"
#include "tensorlv/num/bag.h"

static tlv_bag_image *
encode(size_t n, const int64_t *items, const double *weights, size_t *size)
{
	tlv_bag_image *image;

	*size = tlv_bag_size(n, items, weights);
	image = tlv_alloc(&ctx, *size, 1);
	memset(image, 0xa5, *size); /* padding must be written, too */
	image->length_word = 0;
	tlv_bag_write(n, items, weights, image);
	return image;
}

/* Writes, validates, decodes and compares; checks the widths. */
static void
round_trip(size_t n, const int64_t *items, const double *weights, int item_width, int weight_width)
{
	size_t size;
	tlv_bag_image *image = encode(n, items, weights, &size);
	int64_t *back = tlv_alloc(&ctx, n, sizeof(int64_t));
	double *back_weights = tlv_alloc(&ctx, n, sizeof(double));

	assert_int_equal(image->item_width, item_width);
	assert_int_equal(image->weight_width, weight_width);
	assert_int_equal(tlv_bag_image_size(image), size);
	assert_ok(tlv_bag_validate(&ctx, image, size));
	assert_ok(tlv_bag_read(&ctx, image, back, back_weights));
	for (size_t i = 0; i < n; i++)
	{
		assert_equal(items[i], back[i]);
		assert_equal(weights[i], back_weights[i]);
	}
	tlv_free(&ctx, back_weights);
	tlv_free(&ctx, back);
	tlv_free(&ctx, image);
}

TEST(test_widths)
{
	static const struct
	{
		uint64_t range;
		int width;
	} ranges[] = {{2, 2},
				  {UINT16_MAX, 2},
				  {UINT16_MAX + 1, 4},
				  {UINT32_MAX, 4},
				  {(uint64_t) UINT32_MAX + 1, 8},
				  {INT64_MAX, 8}};
	static const struct
	{
		double weight;
		int width;
	} weights[] = {{1, 0},
				   {2, 1},
				   {255, 1},
				   {256, 2},
				   {65535, 2},
				   {65536, 4},
				   {4294967295.0, 4},
				   {4294967296.0, 8},
				   {0.5, 8},
				   {1.0000000001, 8},
				   {DBL_MAX, 8},
				   {DBL_MIN, 8},
				   {4.9e-324, 8}};

	for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		for (size_t w = 0; w < sizeof(weights) / sizeof(weights[0]); w++)
			for (int64_t base = -3; base <= 0; base += 3)
			{
				/* Three items: with 2-byte items there is padding before the weights. */
				const int64_t items[3] = {base, base + 1, base + (int64_t) ranges[r].range};
				const double values[3] = {1, weights[w].weight, 1};

				round_trip(3, items, values, ranges[r].width, weights[w].width);
			}
	round_trip(0, NULL, NULL, 2, 0);
}

TEST(test_ends_of_bigint)
{
	const int64_t all[5] = {INT64_MIN, INT64_MIN + 1, 0, INT64_MAX - 1, INT64_MAX};
	const double ones[5] = {1, 1, 1, 1, 1}, mixed[5] = {1, 2, 3, 4, 5.5};

	round_trip(5, all, ones, 8, 0);
	round_trip(5, all, mixed, 8, 8);
	round_trip(1, all, ones, 2, 0);
	round_trip(1, all + 4, ones, 2, 0);
	round_trip(2, all, ones, 2, 0);
	round_trip(2, all + 3, ones, 2, 0);
}

static void
assert_corrupt(const void *image, size_t size)
{
	char *copy = tlv_alloc(&ctx, size, 1); /* of the exact size, so that ASan sees overruns */

	memcpy(copy, image, size);
	assert_int_equal(tlv_bag_validate(&ctx, copy, size), TLV_CORRUPT);
	tlv_free(&ctx, copy);
}

/* Changes one field of a good image and expects it to be refused. */
#define REFUSED(image, size, field, value)                                                         \
	do                                                                                             \
	{                                                                                              \
		tlv_bag_image saved = *(image);                                                            \
		(image)->field = (value);                                                                  \
		assert_corrupt(image, size);                                                               \
		*(image) = saved;                                                                          \
	} while (0)

TEST(test_header_rules)
{
	const int64_t items[3] = {5, 7, 9};
	const double weights[3] = {1, 300, 2};
	size_t size;
	tlv_bag_image *image = encode(3, items, weights, &size);

	for (size_t n = 0; n < size; n++)
		assert_corrupt(image, n);
	REFUSED(image, size, version, 0);
	REFUSED(image, size, version, 2);
	for (int width = 0; width < 256; width++)
	{
		if (width != 2)
			REFUSED(image, size, item_width, (uint8_t) width);
		if (width != 2)
			REFUSED(image, size, weight_width, (uint8_t) width);
	}
	REFUSED(image, size, reserved, 1);
	REFUSED(image, size, reserved2, 1);
	REFUSED(image, size, n, 2);
	REFUSED(image, size, n, 4);
	REFUSED(image, size, n, UINT32_MAX);
	/* length word and base are free */
	image->length_word = 12345;
	image->base = INT64_MIN;
	assert_ok(tlv_bag_validate(&ctx, image, size));
	/* the third distance wraps around the end of bigint */
	REFUSED(image, size, base, INT64_MAX - 3);
	tlv_free(&ctx, image);
}

/* A bag in a form wider than needed, written by hand. */
static void
assert_wide_refused(size_t n, const int64_t *items, const double *weights, int item_width,
					int weight_width)
{
	size_t offset = sizeof(tlv_bag_image) + n * (size_t) item_width, size;
	char *bytes;
	tlv_bag_image *image;

	if (weight_width > 1)
		offset = (offset + (size_t) weight_width - 1) & ~((size_t) weight_width - 1);
	size = offset + n * (size_t) weight_width;
	image = tlv_alloc0(&ctx, size, 1);
	bytes = (char *) image;
	image->version = TLV_BAG_VERSION;
	image->item_width = (uint8_t) item_width;
	image->weight_width = (uint8_t) weight_width;
	image->n = (uint32_t) n;
	image->base = n > 0 ? items[0] : 0;
	for (size_t i = 0; i < n; i++)
	{
		uint64_t distance = (uint64_t) items[i] - (uint64_t) items[0];
		uint32_t count = weights[i] > 0 ? (uint32_t) weights[i]
										: 0; /* a weight that is no count is written as it is */

		memcpy(bytes + sizeof(*image) + i * (size_t) item_width, &distance, (size_t) item_width);
		if (weight_width == 8)
			memcpy(bytes + offset + 8 * i, &weights[i], 8);
		else
			memcpy(bytes + offset + i * (size_t) weight_width, &count, (size_t) weight_width);
	}
	assert_int_equal(tlv_bag_image_size(image), size);
	assert_int_equal(tlv_bag_validate(&ctx, image, size), TLV_CORRUPT);
	tlv_free(&ctx, image);
}

TEST(test_only_canonical)
{
	const int64_t items[3] = {5, 7, 9}, equal[3] = {5, 7, 7}, descending[3] = {5, 9, 7};
	const double counts[3] = {1, 3, 2}, ones[3] = {1, 1, 1};
	const double bad[] = {0, -1, NAN, INFINITY, -INFINITY};
	size_t size;
	tlv_bag_image *image;

	assert_wide_refused(3, items, counts, 4, 1);
	assert_wide_refused(3, items, counts, 8, 1);
	assert_wide_refused(3, items, counts, 2, 2);
	assert_wide_refused(3, items, counts, 2, 4);
	assert_wide_refused(3, items, counts, 2, 8);
	assert_wide_refused(3, items, ones, 2, 1);
	assert_wide_refused(3, equal, counts, 2, 1);
	assert_wide_refused(3, descending, counts, 2, 1);
	assert_wide_refused(0, items, counts, 4, 0);
	assert_wide_refused(0, items, counts, 2, 8);
	for (size_t i = 0; i < 5; i++)
	{
		const double weights[3] = {0.5, bad[i], 2};

		assert_wide_refused(3, items, weights, 2, 8);
	}
	image = encode(3, items, (const double[]){1, 70000, 2}, &size);
	((char *) image)[sizeof(*image) + 6] = 1; /* padding before 4-byte weights */
	assert_corrupt(image, size);
	tlv_free(&ctx, image);
	image = encode(0, NULL, NULL, &size);
	REFUSED(image, size, base, 1); /* the empty bag has one image */
	tlv_free(&ctx, image);
}

static void
assert_parses(const char *text, size_t n, const int64_t *items, const double *weights)
{
	size_t count;
	int64_t *got;
	double *got_weights;

	assert_ok(tlv_bag_parse(&ctx, text, &count, &got, &got_weights));
	assert_int_equal(count, n);
	for (size_t i = 0; i < n; i++)
	{
		assert_equal(got[i], items[i]);
		assert_equal(got_weights[i], weights[i]);
	}
	tlv_free(&ctx, got);
	tlv_free(&ctx, got_weights);
}

TEST(test_parse)
{
	assert_parses("{}", 0, NULL, NULL);
	assert_parses(" \t\n{ \r } ", 0, NULL, NULL);
	assert_parses("{3:2,17:1}", 2, (int64_t[]){3, 17}, (double[]){2, 1});
	assert_parses("{3,17}", 2, (int64_t[]){3, 17}, (double[]){1, 1});
	assert_parses(" { 17 : 1.5 , 3 } ", 2, (int64_t[]){3, 17}, (double[]){1, 1.5});
	assert_parses("{5:1,5,5:0.5}", 1, (int64_t[]){5}, (double[]){2.5});
	assert_parses("{-9223372036854775808:1e300,9223372036854775807:1e-300}", 2,
				  (int64_t[]){INT64_MIN, INT64_MAX}, (double[]){1e300, 1e-300});
}

/* What is wrong is said with its place, and nothing leaks. */
static void
assert_syntax(const char *text, const char *expected, int place)
{
	size_t n;
	int64_t *items;
	double *weights;
	char message[128];

	assert_int_equal(tlv_bag_parse(&ctx, text, &n, &items, &weights), TLV_BAD_DATA);
	if (place > 0)
		snprintf(message, sizeof(message), "expected %s at character %d ", expected, place);
	else
		snprintf(message, sizeof(message), "%s", expected);
	if (strstr(ctx.error.message, message) == NULL)
		fail_msg("%s: \"%s\" instead of \"%s\"", text, ctx.error.message, message);
	assert_int_equal(ctx.arena.used, 0);
}

TEST(test_syntax_errors)
{
	assert_syntax("", "\"{\"", 1);
	assert_syntax("  3:2}", "\"{\"", 3);
	assert_syntax("{", "an item", 2);
	assert_syntax("{3", "\",\" or \"}\"", 3);
	assert_syntax("{3:", "a weight", 4);
	assert_syntax("{3:}", "a weight", 4);
	assert_syntax("{3:2", "\",\" or \"}\"", 5);
	assert_syntax("{3:2,", "an item", 6);
	assert_syntax("{3:2,}", "an item", 6);
	assert_syntax("{,}", "an item", 2);
	assert_syntax("{a:1}", "an item", 2);
	assert_syntax("{1.5:1}", "\",\" or \"}\"", 3);
	assert_syntax("{1 2}", "\",\" or \"}\"", 4);
	assert_syntax("{1:2:3}", "\",\" or \"}\"", 5);
	assert_syntax("{1}x", "the end", 4);
	assert_syntax("{1}{2}", "the end", 4);
	assert_syntax("{9223372036854775808}", "an item within bigint", 2);
	assert_syntax("{0,-9223372036854775809:1}", "an item within bigint", 4);
	assert_syntax("{3:0}", "count 0 of item 3", 0);
	assert_syntax("{1,3:-2}", "count -2 of item 3", 0);
	assert_syntax("{3:nan}", "of item 3 is not a positive number", 0);
	assert_syntax("{3:inf}", "count inf of item 3", 0);
	assert_syntax("{3:1e999}", "count inf of item 3", 0);
	assert_syntax("{3:1e-999}", "count 0 of item 3", 0);
	/* Found only when duplicates are added up: arrays exist already then. */
	assert_syntax("{1:5,3:1.5e308,3:1.5e308}", "count inf of item 3", 0);
}

TEST(test_check_weight)
{
	assert_ok(tlv_bag_check_weight(&ctx, 1, 4.9e-324));
	assert_ok(tlv_bag_check_weight(&ctx, 1, DBL_MAX));
	assert_fails(tlv_bag_check_weight(&ctx, -7, 0), TLV_BAD_DATA, "item -7");
	assert_string_not_equal(ctx.error.hint, "");
	assert_int_equal(tlv_bag_check_weight(&ctx, 1, NAN), TLV_BAD_DATA);
}

/* 17 digits where 15 do not read back the same; a whole bag printed and parsed again. */
TEST(test_print_round_trip)
{
	static char text[64 * 2000];
	static int64_t items[2000];
	static double weights[2000];
	size_t at = 0;
	char entry[64];

	assert_int_equal(tlv_bag_print_entry(3, 2, entry), 3);
	assert_string_equal(entry, "3:2");
	tlv_bag_print_entry(INT64_MIN, 0.1, entry);
	assert_string_equal(entry, "-9223372036854775808:0.1");
	tlv_bag_print_entry(1, nextafter(0.1, 1), entry);
	assert_string_equal(entry, "1:0.10000000000000002");
	tlv_bag_print_entry(INT64_MIN, 2.2250738585072011e-308, entry); /* the longest there is */
	assert_below(strlen(entry), 64);
	text[at++] = '{';
	for (size_t i = 0; i < 2000; i++)
	{
		uint64_t bits = tlv_rng_next(&rng) >> 1; /* any positive float8 */

		items[i] = (i < 1000 ? INT64_MIN : 0) + (int64_t) (i * UINT64_C(1152921504606846));
		memcpy(&weights[i], &bits, 8);
		if (!isfinite(weights[i]) || weights[i] == 0)
			weights[i] = 1;
		at += tlv_bag_print_entry(items[i], weights[i], text + at);
		text[at++] = i < 1999 ? ',' : '}';
	}
	text[at] = '\0';
	assert_parses(text, 2000, items, weights);
}

static int
compare_entries(const void *a, const void *b)
{
	const tlv_bag_entry *x = a, *y = b;

	return x->item < y->item ? -1 : x->item > y->item;
}

/*
 * Against qsort and a plain sum, at sizes around the runs and merges of the sort; weights are
 * integers and their sums exact, so that no entry can be lost or doubled unseen.
 */
static void
check_sort(size_t n, uint64_t distinct, int order)
{
	tlv_bag_entry *entries = calloc(n + 1, sizeof(tlv_bag_entry));
	tlv_bag_entry *expected = calloc(n + 1, sizeof(tlv_bag_entry));
	tlv_bag_entry *work = calloc(n + 1, sizeof(tlv_bag_entry));
	size_t left = 0, kept;

	for (size_t i = 0; i < n; i++)
	{
		int64_t item = (int64_t) (tlv_rng_below(&rng, distinct) - distinct / 2);

		entries[i].item = order == 1 ? (int64_t) i : order == 2 ? -(int64_t) i : item;
		entries[i].weight = (double) (1 + tlv_rng_below(&rng, 1000));
	}
	memcpy(expected, entries, n * sizeof(tlv_bag_entry));
	qsort(expected, n, sizeof(tlv_bag_entry), compare_entries);
	for (size_t i = 0; i < n; i++)
		if (left > 0 && expected[left - 1].item == expected[i].item)
			expected[left - 1].weight += expected[i].weight;
		else
			expected[left++] = expected[i];
	assert_int_equal(tlv_bag_sort(&ctx, n, entries, work, &kept), TLV_OK);
	assert_int_equal(kept, left);
	for (size_t i = 0; i < left; i++)
	{
		assert_equal(entries[i].item, expected[i].item);
		assert_equal(entries[i].weight, expected[i].weight);
	}
	free(entries);
	free(expected);
	free(work);
}

TEST(test_sort)
{
	for (size_t n = 0; n <= 5000; n += n < 70 ? 1 : n / 7)
	{
		check_sort(n, 10, 0);
		check_sort(n, n + 1, 0);
		check_sort(n, UINT64_MAX, 0);
		check_sort(n, 1, 1);
		check_sort(n, 1, 2);
	}
	check_sort(5000, 2500, 0);
}

/* Stable: duplicates are added in the order they came, so sums do not depend on chance. */
TEST(test_sort_is_stable)
{
	enum
	{
		N = 300
	};
	tlv_bag_entry entries[N], work[N];
	double sums[7] = {0};
	size_t distinct;

	for (int i = 0; i < N; i++)
	{
		entries[i] = (tlv_bag_entry){6 - i % 7, 1 / (double) (i + 1)};
		sums[6 - i % 7] += entries[i].weight;
	}
	assert_int_equal(tlv_bag_sort(&ctx, N, entries, work, &distinct), TLV_OK);
	assert_int_equal(distinct, 7);
	for (int i = 0; i < 7; i++)
		assert_equal(entries[i].weight, sums[i]); /* to the last bit */
}

/* At every memory limit an error instead of a crash, and nothing leaks. */
TEST(test_memory_limits)
{
	const char *text = "{1:2,2:3,3:4,4:5,5:6,6:7.5,90000:1}";
	const int64_t items[3] = {1, 5, 1000000};
	const double weights[3] = {1, 2.5, 3};
	int64_t *items_read;
	double *weights_read;
	size_t size, n;
	tlv_bag_image *image = encode(3, items, weights, &size);

	assert_above(COUNT_REFUSALS(16, tlv_bag_validate(&ctx, image, size)), 0);
	assert_above(COUNT_REFUSALS(16, tlv_bag_parse(&ctx, text, &n, &items_read, &weights_read)), 0);
	tlv_free(&ctx, items_read);
	tlv_free(&ctx, weights_read);
	tlv_free(&ctx, image);
}

RUN_TESTS(setup, teardown)
