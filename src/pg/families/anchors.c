/*
 * anchors.c - topics by anchor words: given anchors, and reading those of a model.
 */
#include "anchors.h"

#include "miscadmin.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "server/arrays.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/sort.h"

/* ---- given anchors ---- */

/* The texts of topics' anchors, a text or a row of texts each, without NULLs. */
static void
add_text(TlvGivenAnchors *given, Datum value, size_t *n)
{
	given->texts[*n] = TextDatumGetCString(value);
	if (given->texts[*n][0] == '\0')
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("an anchor is empty")));
	(*n)++;
}

void
TlvReadAnchors(Datum array, TlvGivenAnchors *given)
{
	ArrayType *texts = TlvFetchArray(array);
	int columns = ARR_NDIM(texts) == 2 ? ARR_DIMS(texts)[1] : 1, n;
	/* A text, an item, and where the anchors of a topic begin. */
	const size_t of_anchor = sizeof(char *) + sizeof(int64) + sizeof(size_t);
	Datum *values;
	bool *nulls;
	size_t used = 0;

	if (ARR_NDIM(texts) > 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("anchors has %d dimensions", ARR_NDIM(texts)),
						errhint("One anchor a topic, or one row of anchors a topic.")));
	n = TlvArrayElements(texts, of_anchor, &values, &nulls);
	if (n == 0)
		return;
	given->texts = palloc_extended(n * sizeof(char *), MCXT_ALLOC_HUGE);
	given->items = palloc_extended(n * sizeof(int64), MCXT_ALLOC_HUGE);
	given->first = palloc_extended((n / columns + 1) * sizeof(size_t), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		if (i % columns == 0)
			given->first[given->n++] = used;
		if (!nulls[i])
			add_text(given, values[i], &used);
		if (i % columns == columns - 1 && used == given->first[given->n - 1])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("topic %zu has no anchor", given->n)));
	}
	given->first[given->n] = used;
}

/* A text that is an item's number. */
static int64
item_of(const char *text)
{
	char *end;
	int64 item;

	errno = 0;
	item = strtoll(text, &end, 10);
	if (errno != 0 || end == text || *end != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the anchor \"%s\" is no item: these are numbers", TlvClip(text, 60)),
				 errhint("Of bags made of terms it is the digits of tlv_term_id(term).")));
	return item;
}

void
TlvFindAnchors(const TlvGivenAnchors *given, bool terms)
{
	for (size_t i = 0; given->n > 0 && i < given->first[given->n]; i++)
	{
		const char *text = given->texts[i];

		CHECK_FOR_INTERRUPTS();
		given->items[i] = terms ? TlvTermId(text, strlen(text)) : item_of(text);
	}
}

/* ---- anchors of a model ---- */

static void
put_anchor(FunctionCallInfo fcinfo, const tlv_frame *model, const tlv_name_list *names,
		   size_t topic)
{
	size_t d = tlv_frame_find(model, "items")->rows;
	int64 item = tlv_frame_int64(model, "anchors")[topic];
	double distance = tlv_frame_float64(model, "anchor_distances")[topic];
	size_t at = tlv_find_id(tlv_frame_int64(model, "items"), d, item);
	const tlv_name_list none = {0};

	if (distance == 0)
		return;
	TlvPutRow(fcinfo, TlvInt4((int32) topic + 1), TlvComponentLabel(model, topic), TlvInt8(item),
			  TlvNameCell(at == d ? &none : names, at == d ? 0 : at, item), TlvFloat8(distance));
}

/* Rows (topic, label, item, item_name, distance). */
TLV_FUNCTION(tlv_topic_anchors_rows)
{
	tlv_frame model = TlvModelFrame(fcinfo, 0, &tlv_kind_lda, "tlv_topic_anchors");
	const tlv_section *texts = tlv_frame_find(&model, "labels");
	tlv_name_list names = {0};

	TlvInitRows(fcinfo);
	if (tlv_frame_find(&model, "anchors") == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no anchors"),
				 errhint("Learn it with tlv_lda(query, k, method => 'anchors').")));
	if (texts != NULL)
		names = (tlv_name_list){tlv_frame_int64(&model, "label_offsets"),
								(const char *) tlv_section_data(&model, texts)};
	for (size_t j = 0; j < tlv_frame_find(&model, "phi")->rows; j++)
		put_anchor(fcinfo, &model, &names, j);
	return (Datum) 0;
}
