/*
 * test_hostile.c - pages and pictures of models whose labels, titles and examples are hostile:
 * whatever these are, the document has the same elements (page.h, picture.h).
 */
#include "tensorlv/model/page.h"

#include "hmm_fixture.h"
#include "tensorlv/model/layout.h"

#define TRIALS 300
#define MOST   (1 << 21)

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

/* Every tag of a document, one behind another: what lies between is text. */
static size_t
tags_of(const tlv_json_writer *document, char *tags)
{
	size_t n = 0;
	bool inside = false;

	for (size_t i = 0; i < document->n; i++)
	{
		char c = document->bytes[i];

		assert_true(c >= ' ' && c < 0x7f);
		assert_true(c != '\\');
		assert_false(inside && c == '<');
		inside |= c == '<';
		if (inside)
			tags[n++] = c;
		inside &= c != '>';
	}
	assert_false(inside);
	return n;
}

/* The script is the same whatever the data are, and has comparisons: only what lies before it. */
static void
cut_before_script(tlv_json_writer *html)
{
	const char *at = NULL;
	size_t scripts = 0;

	html->bytes[html->n - 1] = '\0';
	for (const char *s = html->bytes; (s = strstr(s, "<script")) != NULL; s++, scripts++)
		at = s;
	assert_int_equal(scripts, 2);
	html->n = at == NULL ? 0 : (size_t) (at - html->bytes);
}

static size_t
page_tags(const tlv_frame *model, const tlv_page_request *request, char *tags)
{
	tlv_json_writer html;
	tlv_page page;
	size_t n;

	assert_ok(tlv_page_digest(&ctx, model, request, &page));
	assert_ok(tlv_page_finish(&ctx, model, request->title, (tlv_text){page.data.bytes, page.data.n},
							  (tlv_text){page.plain.bytes, page.plain.n}, &html));
	cut_before_script(&html);
	n = tags_of(&html, tags);
	tlv_free(&ctx, html.bytes);
	tlv_free(&ctx, page.data.bytes);
	tlv_free(&ctx, page.plain.bytes);
	return n;
}

static size_t
picture_tags(const tlv_frame *model, char *tags)
{
	tlv_picture picture = {.utf8 = true};
	tlv_json_writer svg = {.most = MOST};
	size_t n;

	assert_ok(model->kind->model->draw(&ctx, model, &picture));
	assert_ok(tlv_picture_finish(&ctx, &picture));
	assert_ok(
		tlv_page_put_ascii(&ctx, &svg, (tlv_text){picture.text.bytes, picture.text.n}, false));
	n = tags_of(&svg, tags);
	tlv_free(&ctx, svg.bytes);
	tlv_free(&ctx, picture.text.bytes);
	return n;
}

static tlv_frame
labelled(tlv_frame model, tlv_text first, tlv_text second)
{
	void *image;
	size_t size;

	assert_ok(tlv_labels_put(&ctx, &model, (tlv_text[]){first, {NULL, 0}, second}, &image, &size));
	return checked(TLV_FRAME_MODEL, image, size);
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

static void
test_hostile_texts(void **state)
{
	const tlv_text plain = {"x", 1};
	tlv_frame model = simulated_model(6, 0, 3, 40), benign = labelled(model, plain, plain);
	char *page = room(MOST, 1), *svg = room(MOST, 1), *tags = room(MOST, 1);
	tlv_json none = example_of(plain);
	size_t page_n = page_tags(&benign, &(tlv_page_request){plain, &none, NULL, NULL}, page);
	size_t svg_n = picture_tags(&benign, svg);

	(void) state;
	for (int trial = 0; trial < TRIALS; trial++)
	{
		char first[TLV_LABEL_MOST], second[TLV_LABEL_MOST];
		tlv_text a = {first, random_text(first, sizeof(first))};
		tlv_text b = {second, random_text(second, sizeof(second))};
		tlv_frame hostile = labelled(model, a, b);
		tlv_json example = example_of(a);
		tlv_page_request request = {b, &example, NULL, NULL};

		assert_same_tags(page_tags(&hostile, &request, tags), tags, page_n, page);
		assert_same_tags(picture_tags(&hostile, tags), tags, svg_n, svg);
	}
}

/* The negative control: an element that came of a text is seen. */
static void
test_control(void **state)
{
	char text[] = "<p>a</p>", open[] = "<p><b>a</p>", tags[16], other[16];
	size_t n = tags_of(&(tlv_json_writer){.bytes = text, .n = 8}, tags);

	(void) state;
	assert_int_equal(n, 7);
	assert_memory_equal(tags, "<p></p>", 7);
	assert_int_equal(tags_of(&(tlv_json_writer){.bytes = open, .n = 11}, other), 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile_texts),
		cmocka_unit_test(test_control),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
