/*
 * svg.c - a picture of any model (picture.h, tree_pictures.h).
 */
#include "server/tlv_pg.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "families/tree.h"

/* Printable ASCII on one line: every client encoding and COPY write the same file, which opens.  A
 * model of a database in another encoding may hold characters that are U+FFFD then. */
static text *
one_line(TlvWork *work, tlv_text utf8)
{
	tlv_json_writer svg = {.most = MaxAllocSize / 2};

	TlvCheck(&work->ctx, tlv_page_put_ascii(&work->ctx, &svg, utf8, false));
	for (size_t i = 0; i < svg.n; i++)
		if (svg.bytes[i] == '\n')
			svg.bytes[i] = ' ';
	return cstring_to_text_with_len(svg.bytes, (int) svg.n);
}

/* tlv_svg(model) */
TLV_FUNCTION(tlv_svg)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	const tlv_model_class *class = TlvKind(&model)->model;
	tlv_picture picture = {.utf8 = GetDatabaseEncoding() == PG_UTF8};
	TlvWork *work;
	text *svg;

	work = TlvWorkBegin("tensorlv svg");
	work->ctx.arena.limit = TlvValueMemory();
	if (class->draw == NULL)
	{
		char *drawn = TlvTreeSvg(fcinfo);

		svg = one_line(work, (tlv_text){drawn, strlen(drawn)});
	}
	else
	{
		TlvCheck(&work->ctx, class->draw(&work->ctx, &model, &picture));
		TlvCheck(&work->ctx, tlv_picture_finish(&work->ctx, &picture));
		svg = one_line(work, TlvUtf8(picture.text.bytes, picture.text.n));
	}
	TlvWorkEnd(work);
	PG_RETURN_TEXT_P(svg);
}
