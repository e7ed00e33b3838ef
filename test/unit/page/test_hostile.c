/*
 * test_hostile.c - pages and pictures of models whose labels, titles and examples are hostile:
 * whatever these are, the document has the same elements (page.h, picture.h).
 */
#include "tensorlv/model/page.h"

#include "document_tags.h"
#include "hmm_fixture.h"
#include "tensorlv/model/layout.h"

#define TRIALS 300
#define MOST   DOCUMENT_MOST

static const char *const pieces[] = {"</script>",
									 "<!--<script>",
									 "-->",
									 "<img src=x onerror=alert(1)>",
									 "]]>",
									 "<![CDATA[",
									 "\"",
									 "'",
									 "\" onload=\"alert(1)",
									 "\\",
									 "\\ud800",
									 "\\u003c",
									 "\n",
									 "\r",
									 "\t",
									 "\x1b",
									 "\x7f",
									 "%",
									 "%3C",
									 "&amp;",
									 "&#60;",
									 "&",
									 "<",
									 ">",
									 "</title>",
									 "</svg>",
									 "</text>",
									 "=",
									 "{{7*7}}",
									 "${x}",
									 "`",
									 "\xe2\x80\xae",
									 "\xe2\x80\xa8",
									 "\xd7\xa9",
									 "\xf0\x9f\x98\x80",
									 "\xef\xbf\xbf",
									 "\xc3",
									 "\xff",
									 "\xed\xa0\x80",
									 "x",
									 " ",
									 "-"};

static size_t
random_text(char *to, size_t most)
{
	size_t n = 0;

	for (size_t i = 1 + tlv_rng_below(&rng, 20); i > 0; i--)
	{
		const char *piece = pieces[tlv_rng_below(&rng, sizeof(pieces) / sizeof(*pieces))];

		if (n + strlen(piece) > most)
			break;
		for (const char *c = piece; *c != '\0'; c++) /* texts have lengths, and no end */
			to[n++] = *c;
	}
	if (n == 0)
		to[n++] = 'x';
	return n;
}

static size_t
page_tags(const tlv_frame *model, const tlv_page_request *request, char *tags)
{
	size_t n;
	bool right;

	assert_ok(page_document_tags(&ctx, model, request, tags, &n, &right));
	assert_true(right);
	return n;
}

static size_t
picture_tags(const tlv_frame *model, char *tags)
{
	size_t n;
	bool right;

	assert_ok(picture_document_tags(&ctx, model, tags, &n, &right));
	assert_true(right);
	return n;
}

static tlv_frame
labelled(tlv_frame model, tlv_text first, tlv_text second)
{
	return MADE(tlv_labels_put, &model, (tlv_text[]){first, {NULL, 0}, second});
}

/* One example whose texts are all the same. */
static tlv_json
example_of(tlv_text text)
{
	static const char *const keys[] = {
		"{\"component\":1,\"title\":", ",\"id\":", ",\"text\":", ",\"why\":[["};
	tlv_json_writer writer = {.most = MOST};
	tlv_json json = {.n = 0};

	assert_ok(tlv_json_put(&ctx, &writer, "["));
	for (int i = 0; i < 4; i++)
	{
		assert_ok(tlv_json_put(&ctx, &writer, keys[i]));
		assert_ok(tlv_json_put_string(&ctx, &writer, text));
	}
	assert_ok(tlv_json_put(&ctx, &writer, ",1]]}]"));
	assert_ok(tlv_json_read(&ctx, writer.bytes, writer.n, false, &json));
	return json;
}

static void
assert_same_tags(size_t n, const char *tags, size_t expected_n, const char *expected)
{
	assert_int_equal(n, expected_n);
	assert_memory_equal(tags, expected, n);
}

/* As many letters as the text has characters. */
static tlv_text
plain_like(tlv_text text, char *letters)
{
	size_t n = 0;

	for (size_t i = 0; i < text.length; i++)
		if (((unsigned char) text.bytes[i] & 0xC0) != 0x80)
			letters[n++] = 'x';
	return (tlv_text){letters, n};
}

/* Elements are those of plain texts of the same length: a text that is cut has a title. */
TEST(test_hostile_texts)
{
	const tlv_text one = {"x", 1};
	tlv_frame model = simulated_model(6, 0, 3, 40);
	char *page = room(MOST, 1), *svg = room(MOST, 1), *tags = room(MOST, 1);
	tlv_json none = example_of(one);

	for (int trial = 0; trial < TRIALS; trial++)
	{
		char first[TLV_LABEL_MOST], second[TLV_LABEL_MOST];
		char plain_first[TLV_LABEL_MOST], plain_second[TLV_LABEL_MOST];
		tlv_text a = {first, random_text(first, sizeof(first))};
		tlv_text b = {second, random_text(second, sizeof(second))};
		tlv_text plain = plain_like(b, plain_second);
		tlv_frame hostile = labelled(model, a, b);
		tlv_frame benign = labelled(model, plain_like(a, plain_first), plain);
		tlv_json example = example_of(a);
		tlv_page_request request = {b, &example, NULL, NULL}, harmless = {plain, &none, NULL, NULL};
		size_t page_n = page_tags(&benign, &harmless, page), svg_n = picture_tags(&benign, svg);

		assert_same_tags(page_tags(&hostile, &request, tags), tags, page_n, page);
		assert_same_tags(picture_tags(&hostile, tags), tags, svg_n, svg);
	}
}

/* The negative control: an element that came of a text is seen, and so are bytes that are not
 * allowed, an open tag and a third script. */
TEST(test_control)
{
	char tags[64];
	size_t n;

	assert_true(document_tags("<p>a</p>", 8, tags, &n));
	assert_int_equal(n, 7);
	assert_memory_equal(tags, "<p></p>", 7);
	assert_true(document_tags("<p><b>a</p>", 11, tags, &n));
	assert_int_equal(n, 10);
	assert_false(document_tags("a\\", 2, tags, &n));
	assert_false(document_tags("a\n", 2, tags, &n));
	assert_false(document_tags("<p><b", 5, tags, &n));
	assert_int_equal(bytes_before_script("a<script><script>", 17), 9);
	assert_int_equal(bytes_before_script("<script><script><script>", 24), 0);
}

RUN_TESTS_OF_GROUP(setup, teardown, NULL, NULL)
