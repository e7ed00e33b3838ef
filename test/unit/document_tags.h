/*
 * document_tags.h - the tags of a page or a picture: whatever the texts of a document are, its
 * tags are the same (page.h, picture.h).
 */
#ifndef TENSORLV_TEST_DOCUMENT_TAGS_H
#define TENSORLV_TEST_DOCUMENT_TAGS_H

#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"

#define DOCUMENT_MOST (1 << 21)

/* Every tag of a document, one behind another: what lies between is text.  False where a byte is
 * not printable ASCII or a backslash, or where a tag does not end. */
static inline bool
document_tags(const char *bytes, size_t size, char *tags, size_t *n)
{
	bool inside = false;

	*n = 0;
	for (size_t i = 0; i < size; i++)
	{
		char c = bytes[i];

		if (c < ' ' || c >= 0x7f || c == '\\' || (inside && c == '<'))
			return false;
		inside |= c == '<';
		if (inside)
			tags[(*n)++] = c;
		inside &= c != '>';
	}
	return !inside;
}

/* The script is the same whatever the data are, and has comparisons: the bytes that lie before it,
 * or 0 where the page has not two elements of this name. */
static inline size_t
bytes_before_script(const char *html, size_t size)
{
	size_t scripts = 0, at = 0;

	for (size_t i = 0; i + 7 <= size; i++)
		if (memcmp(html + i, "<script", 7) == 0)
		{
			scripts++;
			at = i;
		}
	return scripts == 2 ? at : 0;
}

/* The tags of a model's page before its script. */
static inline tlv_status
page_document_tags(tlv_context *ctx, const tlv_frame *model, const tlv_page_request *request,
				   char *tags, size_t *n, bool *right)
{
	tlv_json_writer html;
	tlv_page page;
	size_t size;

	TLV_TRY(tlv_page_digest(ctx, model, request, &page));
	TLV_TRY(tlv_page_finish(ctx, model, request->title, (tlv_text){page.data.bytes, page.data.n},
							(tlv_text){page.plain.bytes, page.plain.n}, &html));
	size = bytes_before_script(html.bytes, html.n);
	*right = size > 0 && document_tags(html.bytes, size, tags, n);
	tlv_free(ctx, html.bytes);
	tlv_free(ctx, page.data.bytes);
	tlv_free(ctx, page.plain.bytes);
	return TLV_OK;
}

/* The tags of a model's picture. */
static inline tlv_status
picture_document_tags(tlv_context *ctx, const tlv_frame *model, char *tags, size_t *n, bool *right)
{
	tlv_picture picture = {.utf8 = true};
	tlv_json_writer svg = {.most = DOCUMENT_MOST};

	TLV_TRY(model->kind->model->draw(ctx, model, &picture));
	TLV_TRY(tlv_picture_finish(ctx, &picture));
	TLV_TRY(tlv_page_put_ascii(ctx, &svg, (tlv_text){picture.text.bytes, picture.text.n}, false));
	*right = document_tags(svg.bytes, svg.n, tags, n);
	tlv_free(ctx, svg.bytes);
	tlv_free(ctx, picture.text.bytes);
	return TLV_OK;
}

#endif /* TENSORLV_TEST_DOCUMENT_TAGS_H */
