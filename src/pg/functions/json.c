/*
 * json.c - models as JSON and back (model_json.h).
 */
#include "server/tlv_pg.h"

#include "common/shortest_dec.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "tensorlv/model/model_json.h"

/* The model may come from a database of another encoding.  Errors: 22021. */
static void
verify_text(const char *bytes, size_t n)
{
	for (size_t at = 0; at < n;)
	{
		size_t length = Min(TLV_COPY_PIECE, n - at);
		const char *end =
			at + length < n ? memchr(bytes + at + length, '\n', n - at - length) : NULL;

		if (at + length < n)
			length = end != NULL ? (size_t) (end - bytes) - at : n - at;
		CHECK_FOR_INTERRUPTS();
		(void) pg_verifymbstr(bytes + at, (int) length, false);
		at += length;
	}
}

/* tlv_to_json(model) */
TLV_KEEPING_FUNCTION(tlv_to_json)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_json_writer writer = {.most = MaxAllocSize - VARHDRSZ - 1,
							  .number = double_to_shortest_decimal_bufn};
	TlvWork *work = TlvWorkBegin("tensorlv json");
	text *json;

	work->ctx.arena.limit = TlvValueMemory();
	TlvCheck(&work->ctx, tlv_model_put_json(&work->ctx, &model, &writer));
	verify_text(writer.bytes, writer.n);
	json = (text *) palloc(writer.n + VARHDRSZ);
	SET_VARSIZE(json, writer.n + VARHDRSZ);
	TlvCheck(&work->ctx, tlv_copy(&work->ctx, VARDATA(json), writer.bytes, writer.n));
	TlvWorkEnd(work);
	PG_RETURN_TEXT_P(json);
}

/* Whether covariances are positive definite, their factors show: those that opening makes. */
static void
require_covariances(TlvMaker *maker)
{
	tlv_frame frame;
	tlv_model *model;

	TlvCheck(maker->ctx, tlv_frame_open(maker->ctx, maker->image, maker->size, &frame));
	if (tlv_frame_find(&frame, "covariances") != NULL)
		TlvCheck(maker->ctx, tlv_model_open(maker->ctx, &frame, &model));
}

/* tlv_from_json(json) */
TLV_KEEPING_FUNCTION(tlv_from_json)
{
	char *json = text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool ascii = GetDatabaseEncoding() != PG_UTF8;
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv json");
	TlvCheck(maker.ctx,
			 tlv_model_from_json(maker.ctx, json, strlen(json), ascii, &maker.image, &maker.size));
	require_covariances(&maker);
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}
