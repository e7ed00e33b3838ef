/*
 * value_info.c - what is told of a stored value: tlv_info, its kind, diagnostics and warnings.
 */
#include "values_internal.h"

#include <ctype.h>
#include <math.h>

#include "access/detoast.h"
#include "access/htup_details.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "tensorlv/model/counts.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/layout.h"

/* A number, or the digest of another value. */
static bool
value_info_is_single(const tlv_section *section)
{
	return section->rows == 1 &&
		   section->columns == (section->element == TLV_BYTES ? TLV_DIGEST_SIZE : 1);
}

static void
value_info_append_number(StringInfo json, double value)
{
	char number[32];

	/* The shortest of these that reads back the same. */
	for (int digits = 15; digits <= 17; digits++)
	{
		snprintf(number, sizeof(number), "%.*g", digits, value);
		if (strtod(number, NULL) == value)
			break;
	}
	appendStringInfoString(json, number);
}

/* A setting of a model that is one of some names, or yes or no (layout.h). */
static bool
append_setting(StringInfo json, const tlv_frame *frame, const tlv_section *section)
{
	const tlv_field *field = NULL;
	double number = tlv_frame_scalar(frame, section->name, 0);

	if (frame->header->type == TLV_FRAME_MODEL)
		field = tlv_layout_field(tlv_layout_of(frame), section->name);
	if (field != NULL && field->form == TLV_FIELD_CHOICE)
		escape_json(json, field->names[(int) number]);
	else if (field != NULL && field->form == TLV_FIELD_FLAG)
		appendStringInfoString(json, number != 0 ? "true" : "false");
	else
		return false;
	return true;
}

static void
append_digest(StringInfo json, const unsigned char *digest, size_t bytes)
{
	appendStringInfoChar(json, '"');
	for (size_t i = 0; i < bytes; i++)
		appendStringInfo(json, "%02x", digest[i]);
	appendStringInfoChar(json, '"');
}

static void
append_single(StringInfo json, const tlv_frame *frame, const tlv_section *section)
{
	const void *data = tlv_section_data(frame, section);
	tlv_context ctx;
	double number;

	if (append_setting(json, frame, section))
		return;
	if (section->element == TLV_INT64)
		appendStringInfo(json, INT64_FORMAT, *(const int64 *) data);
	else if (section->element == TLV_BYTES)
		append_digest(json, data, TLV_DIGEST_SIZE);
	else
	{
		ctx = TlvCallContext();
		TlvCheck(&ctx, tlv_section_numbers(&ctx, frame, section, &number));
		value_info_append_number(json, number);
	}
}

void
TlvVerifyWarning(const tlv_warning *warning)
{
	(void) pg_verifymbstr(warning->code, (int) strlen(warning->code), false);
	(void) pg_verifymbstr(warning->message, (int) strlen(warning->message), false);
	(void) pg_verifymbstr(warning->hint, (int) strlen(warning->hint), false);
}

/* Message and hint in one line. */
static char *
warning_text(const tlv_warning *warning)
{
	TlvVerifyWarning(warning);
	return psprintf("%s%s%s", warning->message, warning->hint[0] != '\0' ? ": " : "",
					warning->hint);
}

/* As users are told them; the list lives as long as the call. */
static tlv_warnings_walk
told_warnings(const tlv_frame *frame)
{
	tlv_diagnostics told = {0};
	tlv_context ctx;

	TlvContextInit(&ctx, CurrentMemoryContext, TlvValueMemory());
	TlvCheck(&ctx, tlv_warnings_tell(&ctx, frame, &told));
	return tlv_warnings_of_list(&told);
}

static void
append_warnings(StringInfo json, const tlv_frame *frame)
{
	tlv_warnings_walk walk;
	const char *separator = "";

	if (frame->header->type != TLV_FRAME_MODEL)
		return;
	walk = told_warnings(frame);
	appendStringInfoString(json, ", \"warnings\": [");
	while (tlv_warnings_next(&walk))
	{
		appendStringInfoString(json, separator);
		escape_json(json, warning_text(&walk.warning));
		separator = ", ";
	}
	appendStringInfoChar(json, ']');
}

/* Of the subspace of items: how far the last step of its iteration has moved it. */
static void
append_change(StringInfo json, const tlv_frame *frame)
{
	double change;

	if (TlvKind(frame) != &tlv_kind_item_subspace)
		return;
	change = tlv_subspace_change(frame);
	appendStringInfoString(json, ", \"change\": ");
	if (isfinite(change))
		value_info_append_number(json, change);
	else
		appendStringInfoString(json, "null");
}

/* What the columns of the rows were called. */
static void
append_dimension_names(StringInfo json, const tlv_frame *frame)
{
	const tlv_name_list names = tlv_dimension_names(frame);
	size_t n = names.offsets != NULL ? tlv_model_dimensions(frame) : 0;

	for (size_t i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		appendStringInfoString(json, i == 0 ? ", \"dimension_names\": [" : ", ");
		escape_json(json, TlvNameText(&names, i, (int64) i + 1));
	}
	if (n > 0)
		appendStringInfoChar(json, ']');
}

/* Kind, size, single numbers, names of dimensions, and the shapes of everything else. */
static Datum
frame_info(const tlv_frame *frame, size_t bytes)
{
	StringInfoData json;
	bool first = true;

	initStringInfo(&json);
	appendStringInfo(&json, "{\"type\": \"%s\", \"kind\": \"%s\", \"version\": %u, \"bytes\": %zu",
					 TlvTypeNames[frame->header->type], TlvKind(frame)->name,
					 frame->header->version, bytes);
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];

		if (!value_info_is_single(section))
			continue;
		appendStringInfo(&json, ", \"%s\": ", section->name);
		append_single(&json, frame, section);
	}
	/* Values of equal content have the same; nothing else has it. */
	appendStringInfoString(&json, ", \"fingerprint\": ");
	append_digest(&json, (const unsigned char *) &frame->header->digest,
				  sizeof(frame->header->digest));
	append_change(&json, frame);
	append_dimension_names(&json, frame);
	append_warnings(&json, frame);
	appendStringInfoString(&json, ", \"arrays\": {");
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];

		if (value_info_is_single(section))
			continue;
		appendStringInfo(&json, "%s\"%s\": [%llu, %llu]", first ? "" : ", ", section->name,
						 (unsigned long long) section->rows, (unsigned long long) section->columns);
		first = false;
	}
	appendStringInfoString(&json, "}}");
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

/* Of a value that is read for it. */
TLV_FUNCTION(tlv_value_info)
{
	Datum value = PG_GETARG_DATUM(0);
	tlv_frame frame = TlvFrameOf(value);

	return frame_info(&frame, toast_raw_datum_size(value));
}

/* Of a model. */
TLV_FUNCTION(tlv_model_info)
{
	/* Models of more bytes are looked at where the session has them open: triggers ask for the
	 * fingerprint of the model for every row. */
	const int info_of_opened = 16384;
	size_t bytes = toast_raw_datum_size(PG_GETARG_DATUM(0));
	TlvModelCache *cache;
	Datum info;

	if (bytes < info_of_opened)
		return tlv_value_info(fcinfo);
	cache = TlvCachedModel(fcinfo, 0);
	info = frame_info(&cache->model->frame, bytes);
	TlvCachedModelEnd(cache);
	return info;
}

/* The name of a value's kind, of its first bytes. */
TLV_FUNCTION(tlv_value_kind)
{
	struct varlena *head = (struct varlena *) PG_DETOAST_DATUM_SLICE(
		PG_GETARG_DATUM(0), 0, sizeof(tlv_frame_header) - VARHDRSZ);
	tlv_frame_header header;
	const tlv_kind *kind;

	memset(&header, 0, sizeof(header));
	memcpy((char *) &header + VARHDRSZ, VARDATA_ANY(head),
		   Min(VARSIZE_ANY_EXHDR(head), sizeof(header) - VARHDRSZ));
	kind = tlv_kind_find((tlv_frame_type) header.type, header.kind);
	if (kind == NULL) /* it is damaged: the one error for that */
		kind = TlvKind(&(tlv_frame){.header = TlvFrameOf(PG_GETARG_DATUM(0)).header});
	PG_RETURN_TEXT_P(cstring_to_text(kind->name));
}

/* A name that ends in _<digits> is one of a series: they are its place there. */
static void
put_diagnostic(FunctionCallInfo fcinfo, const char *name, double value)
{
	size_t length = strlen(name), end = length;
	int32 place = 0;

	while (end > 0 && isdigit((unsigned char) name[end - 1]))
		end--;
	if (end < 2 || end == length || length - end > 9 || name[end - 1] != '_')
		end = length + 1;
	else
		place = pg_strtoint32(name + end);
	TlvPutRow(fcinfo, TlvText(pnstrdup(name, end - 1)), TlvNullIf(end > length, TlvInt4(place)),
			  TlvFloat8(value));
}

/* Numbers of the model itself that tell how far its components reach. */
static void
put_component_numbers(FunctionCallInfo fcinfo, const tlv_frame *frame, const char *section,
					  const char *measure)
{
	const tlv_section *numbers = tlv_frame_find(frame, section);

	for (size_t j = 0; numbers != NULL && j < tlv_model_components(frame); j++)
		TlvPutRow(fcinfo, TlvText(measure), TlvInt4((int32) j + 1),
				  TlvFloat8(tlv_frame_float64(frame, section)[j]));
}

/* Rows (measure, component, score) of a model. */
TLV_FUNCTION(tlv_diagnostics_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_diagnostics_walk walk = tlv_diagnostics_of(&frame);

	TlvInitRows(fcinfo);
	while (tlv_diagnostics_next(&walk))
		put_diagnostic(fcinfo, walk.name, walk.value);
	if (TlvKind(&frame) == &tlv_kind_gaussian_mixture)
		put_component_numbers(fcinfo, &frame, "degrees", "degrees_of_freedom");
	if (TlvKind(&frame) == &tlv_kind_direction_mixture)
		put_component_numbers(fcinfo, &frame, "kappas", "concentration");
	return (Datum) 0;
}

/* Rows (code, component, score, message, hint) of a model; of the whole model component is NULL. */
TLV_FUNCTION(tlv_warnings_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_warnings_walk walk = told_warnings(&frame);

	TlvInitRows(fcinfo);
	while (tlv_warnings_next(&walk))
	{
		const tlv_warning *warning = &walk.warning;

		TlvVerifyWarning(warning);
		TlvPutRow(fcinfo, TlvText(warning->code),
				  TlvNullIf(warning->component == 0 || warning->component > PG_INT32_MAX,
							TlvInt4((int32) warning->component)),
				  TlvFloat8(warning->score), TlvText(warning->message),
				  TlvText(warning->hint[0] != '\0' ? warning->hint : NULL));
	}
	return (Datum) 0;
}
