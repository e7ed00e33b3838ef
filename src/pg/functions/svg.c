/*
 * svg.c - a picture of any model (picture.h, tree_pictures.h).
 */
#include "server/tlv_pg.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "tensorlv/model/picture.h"
#include "families/tree.h"

/* On one line: what COPY writes is then a file that opens. */
static text *
one_line(char *svg, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (svg[i] == '\n')
			svg[i] = ' ';
	/* The model may come from a database of another encoding. */
	(void) pg_verifymbstr(svg, (int) n, false);
	return cstring_to_text_with_len(svg, (int) n);
}

/* tlv_svg(model) */
TLV_FUNCTION(tlv_svg)
{
	tlv_frame model = TlvFrameOf(PG_GETARG_DATUM(0));
	const tlv_model_class *class = TlvKind(&model)->model;
	tlv_picture picture = {.utf8 = GetDatabaseEncoding() == PG_UTF8};
	TlvWork *work;
	text *svg;

	if (class->draw == NULL)
	{
		char *drawn = TlvTreeSvg(fcinfo);

		PG_RETURN_TEXT_P(one_line(drawn, strlen(drawn)));
	}
	work = TlvWorkBegin("tensorlv svg");
	work->ctx.arena.limit = TlvValueMemory();
	TlvCheck(&work->ctx, class->draw(&work->ctx, &model, &picture));
	TlvCheck(&work->ctx, tlv_picture_finish(&work->ctx, &picture));
	svg = one_line(picture.text.bytes, picture.text.n);
	TlvWorkEnd(work);
	PG_RETURN_TEXT_P(svg);
}
