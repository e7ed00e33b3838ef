/*
 * svg.c - a picture of any model (picture.h, tree_pictures.h).
 */
#include "server/tlv_pg.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "families/tree.h"
#include "html.h"

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

/* The rows of the examples. */
static void
read_rows(TlvWork *work, const tlv_frame *model, const tlv_json *examples, tlv_picture_rows *rows)
{
	if (TlvKind(model)->model->normals == NULL)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a picture of kind \"%s\" shows no rows", TlvKind(model)->name),
						errhint("Omit examples.")));
	TlvCheck(&work->ctx, tlv_page_rows(&work->ctx, examples, model, rows));
}

/* tlv_svg(model, examples) */
TLV_FUNCTION(tlv_svg)
{
	tlv_picture picture = {.utf8 = GetDatabaseEncoding() == PG_UTF8};
	const tlv_model_class *class;
	const tlv_json *examples;
	tlv_picture_rows rows;
	tlv_frame model;
	TlvWork *work;
	text *svg;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	model = TlvFrameOf(PG_GETARG_DATUM(0));
	class = TlvKind(&model)->model;
	work = TlvWorkBegin("tensorlv svg");
	work->ctx.arena.limit = TlvValueMemory();
	examples = TlvExamplesArgument(fcinfo, 1, &work->ctx);
	if (examples != NULL)
	{
		read_rows(work, &model, examples, &rows);
		picture.rows = &rows;
	}
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
