/*
 * html.c - the page of any model (page.h).
 */
#include "server/tlv_pg.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "tensorlv/model/page.h"
#include "html.h"

static tlv_text
title_argument(FunctionCallInfo fcinfo)
{
	text *given;

	if (PG_ARGISNULL(1))
		return (tlv_text){NULL, 0};
	given = PG_GETARG_TEXT_PP(1);
	if (pg_mbstrlen_with_len(VARDATA_ANY(given), (int) VARSIZE_ANY_EXHDR(given)) > TLV_PAGE_TITLE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("title has more than %d characters", TLV_PAGE_TITLE)));
	return TlvUtf8(text_to_cstring(given), VARSIZE_ANY_EXHDR(given));
}

tlv_json *
TlvExamplesArgument(FunctionCallInfo fcinfo, int i, tlv_context *ctx)
{
	tlv_json *json;
	char *given;

	if (PG_ARGISNULL(i))
		return NULL;
	json = palloc0(sizeof(*json));
	given = text_to_cstring(PG_GETARG_TEXT_PP(i));
	TlvCheck(ctx, tlv_json_read(ctx, given, strlen(given), GetDatabaseEncoding() != PG_UTF8, json));
	return json;
}

/* tlv_html(model, title, examples, graph, before) */
TLV_FUNCTION(tlv_html)
{
	tlv_page_request request = {.title.bytes = NULL};
	tlv_frame model, graph, before;
	tlv_json_writer html;
	tlv_page page;
	tlv_text data, plain;
	TlvWork *work;
	text *result;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	request.title = title_argument(fcinfo);
	if (!PG_ARGISNULL(3))
	{
		graph = TlvFrameOf(PG_GETARG_DATUM(3));
		request.graph = &graph;
	}
	if (!PG_ARGISNULL(4))
	{
		before = TlvFrameOf(PG_GETARG_DATUM(4));
		request.before = &before;
	}
	work = TlvWorkBegin("tensorlv html");
	work->ctx.arena.limit = TlvValueMemory();
	request.examples = TlvExamplesArgument(fcinfo, 2, &work->ctx);
	TlvCheck(&work->ctx, tlv_page_digest(&work->ctx, &model, &request, &page));
	data = TlvUtf8(page.data.bytes, page.data.n);
	plain = TlvUtf8(page.plain.bytes, page.plain.n);
	TlvCheck(&work->ctx, tlv_page_finish(&work->ctx, &model, request.title, data, plain, &html));
	result = cstring_to_text_with_len(html.bytes, (int) html.n);
	TlvWorkEnd(work);
	PG_RETURN_TEXT_P(result);
}
