/*
 * page.c - the parts of a page put together (page.h).
 */
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/sha256.h"

/* The scripts and the style, made by assets.awk. */
#include "page_assets.h"

/* ---- the digest ---- */

static tlv_status
check_request(tlv_context *ctx, const tlv_frame *model, const tlv_page_request *request)
{
	const tlv_kind *kind = model->kind;

	if (request->graph != NULL && !kind->model->page->graphs)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a model of kind \"%s\" shows no graph", kind->name);
		return tlv_fail_hint(ctx, "Omit graph.");
	}
	if (request->before == NULL || kind->model->match != NULL)
		return TLV_OK;
	if (kind->model->page->before != NULL)
		return tlv_kind_require(ctx, request->before, kind, "tlv_html");
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "components of two models of kind \"%s\" cannot be paired, since each is one of many "
			 "equivalent bases",
			 kind->name);
	return tlv_fail_hint(ctx, "Omit before, and make a page of each model.");
}

/* "plane": the dimensions that are drawn first, from 1; and the rows of the examples. */
static tlv_status
put_plane(tlv_context *ctx, const tlv_frame *model, const tlv_picture_rows *rows,
		  const tlv_json *examples, tlv_json_writer *data)
{
	tlv_picture_normals normals;
	size_t plane[2];

	TLV_TRY(model->kind->model->normals(ctx, model, &normals));
	TLV_TRY(tlv_picture_plane(ctx, &normals, plane));
	TLV_TRY(tlv_page_put_key(ctx, data, "plane"));
	TLV_TRY(tlv_page_put_integers(ctx, data, 2,
								  (int64_t[]){(int64_t) plane[0] + 1, (int64_t) plane[1] + 1}));
	return rows != NULL ? page_put_rows(ctx, rows, examples, plane, data) : TLV_OK;
}

/* The drawing of tlv_svg, which the script puts into its view. */
static tlv_status
put_picture(tlv_context *ctx, const tlv_frame *model, const tlv_picture_rows *rows, tlv_page *page)
{
	tlv_picture picture = {.utf8 = true, .rows = rows};

	if (model->kind->model->draw == NULL)
		return TLV_OK;
	TLV_TRY(model->kind->model->draw(ctx, model, &picture));
	TLV_TRY(tlv_picture_finish(ctx, &picture));
	TLV_TRY(tlv_json_put(ctx, &page->plain, "<figure id=\"picture\">"));
	if (picture.text.n > TLV_PAGE_PICTURE)
		TLV_TRY(tlv_json_put(ctx, &page->plain,
							 "<figcaption>The drawing is too large for this page; the function "
							 "tlv_svg returns it.</figcaption>"));
	else
		TLV_TRY(tlv_json_append(ctx, &page->plain, picture.text.bytes, picture.text.n));
	tlv_free(ctx, picture.text.bytes);
	return tlv_json_put(ctx, &page->plain, "</figure>");
}

static tlv_status
put_string_member(tlv_context *ctx, tlv_json_writer *data, const char *key, const char *text)
{
	TLV_TRY(tlv_page_put_key(ctx, data, key));
	return tlv_page_put_text(ctx, data, (tlv_text){text, strlen(text)});
}

tlv_status
tlv_page_digest(tlv_context *ctx, const tlv_frame *model, const tlv_page_request *request,
				tlv_page *page)
{
	const tlv_page_view *view = model->kind->model->page;
	const bool vectors = model->kind->model->normals != NULL;
	tlv_picture_rows rows, *drawn = NULL;

	page->data = page->plain = (tlv_json_writer){.most = TLV_PAGE_DIGEST_MOST};
	TLV_TRY(check_request(ctx, model, request));
	if (vectors && request->examples != NULL)
	{
		TLV_TRY(tlv_page_rows(ctx, request->examples, model, &rows));
		drawn = &rows;
	}
	TLV_TRY(tlv_json_put(ctx, &page->data, "{\"version\":1"));
	TLV_TRY(put_string_member(ctx, &page->data, "page", view->view));
	TLV_TRY(put_string_member(ctx, &page->data, "kind", model->kind->name));
	TLV_TRY(put_string_member(ctx, &page->data, "what", view->what));
	TLV_TRY(page_put_facts(ctx, model, page));
	TLV_TRY(page_put_warnings(ctx, model, page));
	TLV_TRY(page_put_components(ctx, model, view, page));
	TLV_TRY(page_put_measures(ctx, model, &page->data));
	if (view->fields != NULL)
	{
		TLV_TRY(page_put_fields(ctx, model, view, &page->data));
		TLV_TRY(put_picture(ctx, model, drawn, page));
	}
	/* Topics have those of their words beside the probabilities. */
	if (view->fields != NULL || (view->graphs && tlv_model_components(model) <= TLV_PAGE_MAP))
		TLV_TRY(page_put_intervals(ctx, model, &page->data));
	if (vectors)
		TLV_TRY(put_plane(ctx, model, drawn, request->examples, &page->data));
	if (view->put != NULL)
		TLV_TRY(view->put(ctx, model, request->graph, page));
	if (request->examples != NULL)
		TLV_TRY(
			page_put_examples(ctx, request->examples, tlv_model_components(model), &page->data));
	if (request->before != NULL)
		TLV_TRY(page_put_before(ctx, model, request->before, view, page));
	return tlv_json_put(ctx, &page->data, "}");
}

/* ---- the document ---- */

static const char *const *
script_of(const char *view)
{
	for (size_t i = 0; i < sizeof(page_scripts) / sizeof(*page_scripts); i++)
		if (strcmp(page_scripts[i].view, view) == 0)
			return page_scripts[i].lines;
	return NULL;
}

/* Base64 digits of the digest of an element, by which the policy of the page identifies it. */
#define PAGE_HASH (4 * ((TLV_SHA256_SIZE + 2) / 3) + 1)

static void
hash_element(const char *const *const *parts, char hash[PAGE_HASH])
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char digest[TLV_SHA256_SIZE + 1] = {0};
	tlv_sha256 state;

	tlv_sha256_init(&state);
	for (; *parts != NULL; parts++)
		for (const char *const *line = *parts; *line != NULL; line++)
			tlv_sha256_add(&state, *line, strlen(*line));
	tlv_sha256_finish(&state, digest);
	for (size_t i = 0; i < PAGE_HASH - 1; i++)
	{
		const unsigned char *three = digest + i / 4 * 3;
		unsigned bits = (unsigned) three[0] << 16 | (unsigned) three[1] << 8 | three[2];

		hash[i] = digits[bits >> (18 - i % 4 * 6) & 63];
	}
	memcpy(hash + PAGE_HASH - 2, "=", 2);
}

static tlv_status
put_pieces(tlv_context *ctx, tlv_json_writer *html, const char *const *pieces)
{
	for (; *pieces != NULL; pieces++)
		TLV_TRY(tlv_json_put(ctx, html, *pieces));
	return TLV_OK;
}

/* Nothing but the script and the style of this build may run, and nothing is loaded. */
static tlv_status
put_head(tlv_context *ctx, const char *const *script, tlv_text title, tlv_json_writer *html)
{
	char script_hash[PAGE_HASH], style_hash[PAGE_HASH];

	hash_element((const char *const *const[]){page_script_head, script, page_script_tail, NULL},
				 script_hash);
	hash_element((const char *const *const[]){page_style, NULL}, style_hash);
	TLV_TRY(put_pieces(
		ctx, html,
		(const char *const[]){"<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">"
							  "<meta http-equiv=\"Content-Security-Policy\" "
							  "content=\"default-src 'none'; script-src 'sha256-",
							  script_hash, "'; style-src 'sha256-", style_hash,
							  "'; base-uri 'none'; form-action 'none'; "
							  "require-trusted-types-for 'script'\">"
							  "<meta name=\"viewport\" content=\"width=device-width, "
							  "initial-scale=1\"><meta name=\"referrer\" "
							  "content=\"no-referrer\"><meta name=\"generator\" "
							  "content=\"tensorlv\"><title>",
							  NULL}));
	TLV_TRY(tlv_json_append(ctx, html, title.bytes, title.length));
	TLV_TRY(tlv_json_put(ctx, html, "</title><style>"));
	TLV_TRY(put_pieces(ctx, html, page_style));
	return tlv_json_put(ctx, html, "</style></head>");
}

/* The title as HTML: the caller's, or the plural of a component, "Topics". */
static tlv_status
make_title(tlv_context *ctx, const tlv_page_view *view, tlv_text title, tlv_json_writer *shown)
{
	tlv_json_writer escaped = {.most = TLV_PAGE_DIGEST_MOST};
	char word[64];

	if (title.bytes != NULL)
	{
		TLV_TRY(tlv_page_put_plain(ctx, &escaped, title));
		return tlv_page_put_ascii(ctx, shown, (tlv_text){escaped.bytes, escaped.n}, false);
	}
	page_plural(view, word);
	word[0] = (char) (word[0] - 'a' + 'A');
	return tlv_json_put(ctx, shown, word);
}

tlv_status
tlv_page_finish(tlv_context *ctx, const tlv_frame *model, tlv_text title, tlv_text data,
				tlv_text plain, tlv_json_writer *html)
{
	const tlv_page_view *view = model->kind->model->page;
	const char *const *script = script_of(view->view);
	tlv_json_writer heading = {.most = TLV_PAGE_DIGEST_MOST};
	tlv_text shown;

	*html = (tlv_json_writer){.most = 2 * TLV_PAGE_DIGEST_MOST};
	TLV_TRY(make_title(ctx, view, title, &heading));
	shown = (tlv_text){heading.bytes, heading.n};
	TLV_TRY(put_head(ctx, script, shown, html));
	TLV_TRY(tlv_json_put(ctx, html, "<body><header><h1><bdi>"));
	TLV_TRY(tlv_json_append(ctx, html, shown.bytes, shown.length));
	TLV_TRY(tlv_json_put(ctx, html,
						 "</bdi></h1></header><main id=\"app\"></main><section id=\"plain\" "
						 "class=\"card\">"));
	TLV_TRY(tlv_page_put_ascii(ctx, html, plain, false));
	TLV_TRY(tlv_json_put(ctx, html, "</section><script type=\"application/json\" id=\"data\">"));
	TLV_TRY(tlv_page_put_ascii(ctx, html, data, true));
	TLV_TRY(tlv_json_put(ctx, html, "</script><script>"));
	TLV_TRY(put_pieces(ctx, html, page_script_head));
	TLV_TRY(put_pieces(ctx, html, script));
	TLV_TRY(put_pieces(ctx, html, page_script_tail));
	return tlv_json_put(ctx, html, "</script></body></html>");
}
