/*
 * fuzz_page.c - any texts as labels, title and example of a model: what encodes them must return
 * them, and pages and pictures have the same tags whatever the texts are.  The first byte chooses:
 * odd, all encodings and both documents; even, the encodings alone, which are faster.  Texts are
 * separated by bytes of 0.
 */
#include <stdlib.h>
#include <string.h>

#include "document_tags.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/layout.h"

#define MAX_SIZE 512
#define TEXTS	 3

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tlv_context ctx;

static void
must(bool right)
{
	if (!right)
		abort();
}

/* ---- encodings ---- */

/* Bytes of the character in UTF-8 that begins here, or 0 where there is none. */
static size_t
character_size(const unsigned char *s, size_t n)
{
	size_t size = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (size == 0 || size > n || s[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
		(s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return size;
}

static bool
is_utf8(tlv_text text)
{
	const unsigned char *s = (const unsigned char *) text.bytes;

	for (size_t i = 0, size; i < text.length; i += size)
		if ((size = character_size(s + i, text.length - i)) == 0)
			return false;
	return true;
}

/* A string of JSON reads back as the text. */
static void
check_json(tlv_text text)
{
	tlv_json_writer writer = {.most = DOCUMENT_MOST};
	tlv_json json = {.n = 0};
	tlv_text again;

	if (!is_utf8(text))
		return;
	must(tlv_json_put_string(&ctx, &writer, text) == TLV_OK);
	must(tlv_json_read(&ctx, writer.bytes, writer.n, false, &json) == TLV_OK);
	again = tlv_json_text(&json, 0);
	must(again.length == text.length && memcmp(again.bytes, text.bytes, text.length) == 0);
	tlv_json_free(&ctx, &json);
	tlv_free(&ctx, writer.bytes);
}

static unsigned
digit_of(char c)
{
	must((c >= '0' && c <= '9') || (c >= 'A' && c <= 'F'));
	return (unsigned) (c <= '9' ? c - '0' : c - 'A' + 10);
}

/* A string of the digest is printable ASCII that ends no element and no string, and is
 * the text when it is decoded. */
static void
check_digest(tlv_text text)
{
	tlv_json_writer encoded = {.most = DOCUMENT_MOST}, ascii = {.most = DOCUMENT_MOST};
	size_t n = 0;

	must(tlv_page_put_text(&ctx, &encoded, text) == TLV_OK);
	must(tlv_page_put_ascii(&ctx, &ascii, (tlv_text){encoded.bytes, encoded.n}, true) == TLV_OK);
	must(ascii.n >= 2 && ascii.bytes[0] == '"' && ascii.bytes[ascii.n - 1] == '"');
	for (size_t i = 1; i < ascii.n - 1; i++, n++)
	{
		char c = ascii.bytes[i];

		must(c >= ' ' && c < 0x7f && strchr("\\<>&\"", c) == NULL);
		if (c == '%')
		{
			c = (char) (16 * digit_of(ascii.bytes[i + 1]) + digit_of(ascii.bytes[i + 2]));
			i += 2;
		}
		if (is_utf8(text))
			must(n < text.length && c == text.bytes[n]);
	}
	must(!is_utf8(text) || n == text.length);
	tlv_free(&ctx, ascii.bytes);
	tlv_free(&ctx, encoded.bytes);
}

/* Of HTML the text has no character that means anything but references. */
static void
check_plain(tlv_text text)
{
	tlv_json_writer encoded = {.most = DOCUMENT_MOST}, ascii = {.most = DOCUMENT_MOST};

	must(tlv_page_put_plain(&ctx, &encoded, text) == TLV_OK);
	must(tlv_page_put_ascii(&ctx, &ascii, (tlv_text){encoded.bytes, encoded.n}, false) == TLV_OK);
	for (size_t i = 0; i < ascii.n; i++)
	{
		must(ascii.bytes[i] >= ' ' && ascii.bytes[i] < 0x7f);
		must(strchr("\\<>\"'", ascii.bytes[i]) == NULL);
		must(ascii.bytes[i] != '&' || (i + 2 < ascii.n && ascii.bytes[i + 1] == '#'));
	}
	tlv_free(&ctx, ascii.bytes);
	tlv_free(&ctx, encoded.bytes);
}

/* ---- documents ---- */

/* Three states over six symbols. */
static const tlv_hmm_simulation options = {3, 6, 0, 0.7, 0.3, 4, 40};
static void *simulated;
static size_t simulated_size;

static void
simulate(void)
{
	tlv_scratch scratch;
	void *image;

	tlv_scratch_begin(&ctx, &scratch);
	must(tlv_hmm_simulate_model(&ctx, &options, &image, &simulated_size) == TLV_OK);
	simulated = malloc(simulated_size);
	memcpy(simulated, image, simulated_size);
	tlv_scratch_end(&ctx, &scratch);
}

/* The same with labels of two states. */
static tlv_frame
labelled(tlv_text first, tlv_text second)
{
	tlv_frame model, renamed;
	void *image;
	size_t n;

	must(tlv_kind_validate(&ctx, simulated, simulated_size, TLV_FRAME_MODEL, &model) == TLV_OK);
	must(tlv_labels_put(&ctx, &model, (tlv_text[]){first, {NULL, 0}, second}, &image, &n) ==
		 TLV_OK);
	must(tlv_kind_validate(&ctx, image, n, TLV_FRAME_MODEL, &renamed) == TLV_OK);
	return renamed;
}

/* The tags of the page and of the picture; returns the length of the first. */
static size_t
tags_of(const tlv_text texts[TEXTS], char *page, char *svg, size_t *svg_n)
{
	tlv_frame model = labelled(texts[0], texts[1]);
	tlv_page_request request = {.title = texts[2]};
	size_t n;
	bool right;

	must(page_document_tags(&ctx, &model, &request, page, &n, &right) == TLV_OK && right);
	must(picture_document_tags(&ctx, &model, svg, svg_n, &right) == TLV_OK && right);
	return n;
}

static void
check_documents(const tlv_text texts[TEXTS])
{
	static char page[DOCUMENT_MOST], svg[DOCUMENT_MOST], other[DOCUMENT_MOST], drawn[DOCUMENT_MOST];
	static size_t page_n, svg_n;
	/* Longer texts may be cut and then have a title: test_hostile.c compares them. */
	const size_t never_cut = 16;
	const tlv_text plain = {"x", 1};
	tlv_text few[TEXTS];
	size_t n, m;

	if (page_n == 0)
		page_n = tags_of((tlv_text[]){plain, plain, plain}, page, svg, &svg_n);
	for (size_t t = 0; t < TEXTS; t++)
		few[t] = (tlv_text){texts[t].bytes, tlv_least(texts[t].length, never_cut)};
	n = tags_of(few, other, drawn, &m);
	must(n == page_n && memcmp(other, page, n) == 0);
	must(m == svg_n && memcmp(drawn, svg, m) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	tlv_scratch scratch;
	tlv_text texts[TEXTS] = {{"x", 1}, {"x", 1}, {"x", 1}};
	char bytes[MAX_SIZE];
	size_t at = 0;

	if (size == 0 || size > MAX_SIZE)
		return 0;
	if (!ready)
	{
		tlv_context_init_malloc(&ctx);
		ctx.kind_of = tlv_kind_find;
		simulate();
	}
	ready = true;
	tlv_scratch_begin(&ctx, &scratch);
	memcpy(bytes, data, size);
	for (size_t i = 1, t = 0; i < size && t < TEXTS; i = at + 1)
	{
		for (at = i; at < size && bytes[at] != '\0';)
			at++;
		if (at > i && at - i <= TLV_LABEL_MOST)
			texts[t++] = (tlv_text){bytes + i, at - i};
	}
	for (size_t t = 0; t < TEXTS; t++)
	{
		check_json(texts[t]);
		check_digest(texts[t]);
		check_plain(texts[t]);
	}
	if (data[0] % 2 == 1)
		check_documents(texts);
	tlv_scratch_end(&ctx, &scratch);
	must(ctx.arena.used == 0);
	return 0;
}
