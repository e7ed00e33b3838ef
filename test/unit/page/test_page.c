/*
 * test_page.c - encoding of strings and numbers, the map by classical scaling, the order of scores
 * and the placement of a graph (page.h); long texts in a picture (picture.h).
 */
#include "tensorlv/model/page.h"

#include "pool_setup.h"
#include "tensorlv/num/rng.h"

#define NODES 2000
#define EDGES 10000

static tlv_json_writer written;

static void
begin_text(void)
{
	written = (tlv_json_writer){.most = 1 << 20};
}

static void
assert_written(const char *expected)
{
	assert_int_equal(written.n, strlen(expected));
	assert_memory_equal(written.bytes, expected, written.n);
}

/* Printable ASCII without anything that JSON, HTML or COPY gives a meaning. */
static void
assert_harmless(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
	{
		assert_true(written.bytes[i] >= ' ' && written.bytes[i] < 0x7f);
		assert_null(memchr("\\<>&\"", written.bytes[i], 5));
	}
}

/* What decodeURIComponent makes of the string in the digest. */
static size_t
decode(char *to)
{
	size_t n = 0;

	for (size_t i = 1; i + 1 < written.n; i++)
		if (written.bytes[i] == '%')
		{
			const char hex[3] = {written.bytes[i + 1], written.bytes[i + 2], '\0'};

			to[n++] = (char) strtol(hex, NULL, 16);
			i += 2;
		}
		else
			to[n++] = written.bytes[i];
	return n;
}

/* A digest string becomes ASCII in two steps, as in a page. */
static void
write_digest(tlv_text text)
{
	tlv_json_writer string = {.most = 1 << 20};

	assert_ok(tlv_page_put_text(&ctx, &string, text));
	begin_text();
	assert_ok(tlv_page_put_ascii(&ctx, &written, (tlv_text){string.bytes, string.n}, true));
}

TEST(test_every_byte)
{
	for (int c = 1; c < 256; c++)
	{
		const char text[] = {'a', (char) c, 'b'};
		char back[16];
		size_t n;

		write_digest((tlv_text){text, 3});
		assert_harmless(1, written.n - 1);
		n = decode(back);
		if (c < 0x80)
		{
			assert_int_equal(n, 3);
			assert_memory_equal(back, text, 3);
		}
		else
		{
			assert_int_equal(n, 5);
			assert_memory_equal(back,
								"a\xef\xbf\xbd"
								"b",
								5);
		}
	}
	begin_text();
	assert_ok(tlv_page_put_text(&ctx, &written, (tlv_text){NULL, 0}));
	assert_written("null");
}

static void
assert_ascii(const char *utf8, bool percent, const char *expected)
{
	begin_text();
	assert_ok(tlv_page_put_ascii(&ctx, &written, (tlv_text){utf8, strlen(utf8)}, percent));
	assert_written(expected);
}

TEST(test_utf8)
{
	assert_ascii("caf\xc3\xa9", true, "caf%C3%A9");
	assert_ascii("caf\xc3\xa9", false, "caf&#233;");
	assert_ascii("\xf0\x9f\x98\x80", false, "&#128512;");
	assert_ascii("\xf0\x9f\x98\x80", true, "%F0%9F%98%80");
	/* A surrogate, an overlong slash, what is beyond Unicode, and a character that ends early. */
	assert_ascii("\xed\xa0\x80", false, "&#65533;&#65533;&#65533;");
	assert_ascii("\xc0\xaf", false, "&#65533;&#65533;");
	assert_ascii("\xf4\x90\x80\x80", false, "&#65533;&#65533;&#65533;&#65533;");
	assert_ascii("x\xe2\x82", false, "x&#65533;&#65533;");
}

TEST(test_plain)
{
	const char text[] = "a<b>&\"c'\\\x01\x7f";

	begin_text();
	assert_ok(tlv_page_put_plain(&ctx, &written, (tlv_text){text, sizeof(text) - 1}));
	assert_written("a&#60;b&#62;&#38;&#34;c&#39;&#92;  ");
}

/* Hostile strings in any order and length; the string is longer than a piece of the encoder. */
TEST(test_random_strings)
{
	static const char *const pieces[] = {
		"</script>", "<!--<script>",	 "\"",	  "'",	  "\\ud800", "\n", "%", "\xe2\x80\xae",
		"\xd7\xa9",	 "\xf0\x9f\x98\x80", "&amp;", "\x1b", "x"};
	tlv_rng rng;

	tlv_rng_seed(&rng, 40);
	for (int trial = 0; trial < 500; trial++)
	{
		char text[2000], back[2000];
		size_t n = 0;

		for (size_t i = tlv_rng_below(&rng, 120); i > 0; i--)
		{
			const char *piece = pieces[tlv_rng_below(&rng, sizeof(pieces) / sizeof(*pieces))];

			while (*piece != '\0')
				text[n++] = *piece++;
		}
		write_digest((tlv_text){text, n});
		assert_harmless(1, written.n - 1);
		assert_int_equal(decode(back), n);
		assert_memory_equal(back, text, n);
	}
}

TEST(test_numbers)
{
	const int64_t integers[] = {-1, 0, 12};

	begin_text();
	assert_ok(tlv_page_put_number(&ctx, &written, NAN, 4));
	assert_ok(tlv_json_put(&ctx, &written, " "));
	assert_ok(tlv_page_put_number(&ctx, &written, -0.0, 4));
	assert_ok(tlv_json_put(&ctx, &written, " "));
	assert_ok(tlv_page_put_number(&ctx, &written, 0.123456, 4));
	assert_ok(tlv_json_put(&ctx, &written, " "));
	assert_ok(tlv_page_put_integers(&ctx, &written, 3, integers));
	assert_written("null 0 0.1235 [-1,0,12]");
}

TEST(test_scaling)
{
	/* A right triangle of sides 3, 4 and 5, and a second object at its first corner. */
	const double distance[] = {0, 3, 4, 0, 3, 0, 5, 3, 4, 5, 0, 4, 0, 3, 4, 0};
	const double equal[] = {0, 0, 0, 0}, infinite[] = {0, INFINITY, INFINITY, 0};
	double positions[8], explained;
	bool possible;

	assert_ok(tlv_page_scale(&ctx, 4, distance, positions, &explained, &possible));
	assert_true(possible);
	assert_close(explained, 1, 1e-9);
	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < 4; j++)
			assert_close(hypot(positions[2 * i] - positions[2 * j],
							   positions[2 * i + 1] - positions[2 * j + 1]),
						 distance[4 * i + j], 1e-7);
	assert_ok(tlv_page_scale(&ctx, 1, equal, positions, &explained, &possible));
	assert_true(possible && positions[0] == 0 && positions[1] == 0 && explained == 1);
	assert_ok(tlv_page_scale(&ctx, 2, equal, positions, &explained, &possible));
	assert_true(possible && positions[0] == positions[2] && positions[1] == positions[3]);
	assert_ok(tlv_page_scale(&ctx, 2, infinite, positions, &explained, &possible));
	assert_false(possible);
}

TEST(test_order)
{
	const double scores[] = {0, 2, 1, 2, 1e300, 0};
	const size_t expected[] = {4, 1, 3, 2, 0, 5};
	size_t order[6];

	assert_ok(tlv_page_order(&ctx, 6, scores, order));
	assert_memory_equal(order, expected, sizeof(expected));
}

/* ---- the placement of a graph ---- */

static int32_t ends[2 * EDGES];
static double positions[2 * NODES];

/* Two halves with edges inside of them, and a few between. */
static void
make_halves(size_t nodes, size_t edges)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, 7);
	memset(positions, 0, sizeof(positions));
	for (size_t e = 0; e < edges; e++)
	{
		size_t half = nodes / 2, a = tlv_rng_below(&rng, nodes), b = tlv_rng_below(&rng, half);

		ends[2 * e] = (int32_t) a;
		ends[2 * e + 1] =
			(int32_t) (e % 20 == 0 ? tlv_rng_below(&rng, nodes) : a / half * half + b);
	}
}

TEST(test_place)
{
	double within = 0, between = 0;

	make_halves(100, 800);
	assert_ok(tlv_page_place(&ctx, 100, 800, ends, positions));
	for (size_t i = 0; i < 100; i++)
	{
		assert_true(positions[2 * i] >= 0 && positions[2 * i] <= 1000);
		for (size_t j = 0; j < i; j++)
		{
			double d = hypot(positions[2 * i] - positions[2 * j],
							 positions[2 * i + 1] - positions[2 * j + 1]);

			if (i / 50 == j / 50)
				within += d / 2450;
			else
				between += d / 2500;
		}
	}
	assert_true(between > 1.3 * within);
	positions[0] = positions[1] = 3;
	assert_ok(tlv_page_place(&ctx, 1, 0, ends, positions));
	assert_true(isfinite(positions[0]) && isfinite(positions[1]));
}

/* The largest graph that is drawn: it stops at a look, and there are many. */
TEST(test_place_stops)
{
	make_halves(NODES, EDGES);
	assert_cancelled_at(101, tlv_page_place(&ctx, NODES, EDGES, ends, positions));
	assert_cancelled_anywhere(3000, 1, tlv_page_place(&ctx, NODES, EDGES, ends, positions));
}

/* Names share a part of the page by what they take there: few long ones are cut, short ones not. */
TEST(test_long_names)
{
	static const char letters[] =
		"\xd0\xb6\xd0\xb6\xd0\xb6\xd0\xb6\xd0\xb6\xd0\xb6\xd0\xb6\xd0\xb6";
	const tlv_text cyrillic = {letters, 16}, word = {"word", 4};
	tlv_page_lengths lengths = {{0}};
	char endless[1000];

	memset(endless, 'x', sizeof(endless));
	tlv_page_count_name(&lengths, cyrillic);
	tlv_page_count_name(&lengths, (tlv_text){NULL, 0});
	assert_int_equal(tlv_page_name_length(&lengths), TLV_PAGE_TEXT);
	assert_int_equal(tlv_page_cut_name(cyrillic, 48).length, 16);
	assert_int_equal(tlv_page_cut_name(cyrillic, 47).length, 14);
	assert_int_equal(tlv_page_cut_name(cyrillic, 2).length, 0);
	for (int i = 0; i < 2000; i++)
	{
		tlv_page_count_name(&lengths, word);
		tlv_page_count_name(&lengths, (tlv_text){endless, 1000});
	}
	/* 2,000 words of 4 bytes and one of 48 leave 145.976 bytes to each of the others. */
	assert_int_equal(tlv_page_name_length(&lengths), 145);
	for (int i = 0; i < 20000; i++)
		tlv_page_count_name(&lengths, (tlv_text){endless, 1000});
	assert_int_equal(tlv_page_name_length(&lengths), 36);
}

/* ---- long texts in a picture ---- */

/* What is drawn of a text, with its title before it. */
static void
assert_drawn(const char *text, size_t most, const char *expected)
{
	tlv_picture picture = {.utf8 = true};

	assert_ok(tlv_picture_text(&ctx, &picture, 0, 0, "", (tlv_text){text, strlen(text)}, most));
	assert_int_equal(picture.body.n, strlen(expected));
	assert_memory_equal(picture.body.bytes, expected, picture.body.n);
}

/* Three characters more are not cut, since the dots would take as much; cuts are between
 * characters. */
TEST(test_both_ends)
{
	assert_drawn("123456789012", 9,
				 "<text x=\"0\" y=\"0\" ><title>123456789012</title>123456789012</text>");
	assert_drawn("1234567890123", 9,
				 "<text x=\"0\" y=\"0\" ><title>1234567890123</title>123456...123</text>");
	assert_drawn("12345", 1, "<text x=\"0\" y=\"0\" ><title>12345</title>1...</text>");
	assert_drawn("\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
				 "e\xc3\xa8",
				 3,
				 "<text x=\"0\" y=\"0\" ><title>\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
				 "e\xc3\xa8</title>\xc3\xa9\xc3\xa9...\xc3\xa8</text>");
}

static void
assert_contains(const tlv_json_writer *in, const char *text)
{
	size_t n = strlen(text), at = 0;

	while (at + n <= in->n && memcmp(in->bytes + at, text, n) != 0)
		at++;
	assert_true(at + n <= in->n);
}

/* Labels of which the middle differs have their numbers; the picture reaches as far as they do. */
TEST(test_long_labels)
{
	static const char label[] = "the same before and after 1 and so on to the end";
	const tlv_picture_component short_one = {{"short", 5}, "topic", 1, 0.5},
								long_one = {{label, sizeof(label) - 1}, "topic", 12, NAN};
	tlv_picture picture = {.utf8 = true};

	assert_ok(tlv_picture_name(&ctx, &picture, 100, 0, "text-anchor=\"end\"", &short_one));
	assert_contains(&picture.body, ">short<");
	assert_true(picture.left == 0);
	assert_ok(tlv_picture_name(&ctx, &picture, 100, 0, "text-anchor=\"end\"", &long_one));
	assert_contains(&picture.body, label);
	assert_contains(&picture.body, ">the same before ... the end (12)</text>");
	assert_true(picture.left > 100 && picture.width <= 100);
	assert_ok(tlv_picture_finish(&ctx, &picture));
	assert_contains(&picture.text, "translate(147 16)");
}

RUN_TESTS(setup, teardown)
