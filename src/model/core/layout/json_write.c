/*
 * json_write.c - any model as JSON (model_json.h).
 */
#include "json_fields.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"

#include <string.h>

typedef struct json_section
{
	const tlv_section *section;
	double *numbers;		 /* of real numbers */
	const int64_t *integers; /* of int64 */
} json_section;

static tlv_status
put_key(tlv_context *ctx, tlv_json_writer *writer, const char *name)
{
	TLV_TRY(tlv_json_put(ctx, writer, ",\n\""));
	TLV_TRY(tlv_json_put(ctx, writer, name));
	return tlv_json_put(ctx, writer, "\":");
}

static tlv_status
put_entry(tlv_context *ctx, tlv_json_writer *writer, const json_section *from, size_t at)
{
	if (from->integers != NULL)
		return tlv_json_put_integer(ctx, writer, from->integers[at]);
	return tlv_json_put_number(ctx, writer, from->numbers[at]);
}

/* n numbers, every stride-th from `at` on, as a list. */
static tlv_status
put_line(tlv_context *ctx, tlv_json_writer *writer, const json_section *from, size_t at, size_t n,
		 size_t stride)
{
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (i > 0)
			TLV_TRY(tlv_json_put(ctx, writer, ","));
		TLV_TRY(put_entry(ctx, writer, from, at + i * stride));
	}
	return tlv_json_put(ctx, writer, "]");
}

/* A packed symmetric matrix of d x d. */
static tlv_status
put_symmetric(tlv_context *ctx, tlv_json_writer *writer, const double *packed, size_t d)
{
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY(tlv_json_put(ctx, writer, i > 0 ? ",[" : "["));
		for (size_t j = 0; j < d; j++)
		{
			size_t row = i > j ? i : j, column = i > j ? j : i;

			if (j > 0)
				TLV_TRY(tlv_json_put(ctx, writer, ","));
			TLV_TRY(tlv_json_put_number(ctx, writer, packed[row * (row + 1) / 2 + column]));
		}
		TLV_TRY(tlv_json_put(ctx, writer, "]"));
	}
	return tlv_json_put(ctx, writer, "]");
}

/* d of d (d + 1) / 2. */
static size_t
packed_side(size_t packed)
{
	size_t d = 0;

	while (d * (d + 1) / 2 < packed)
		d++;
	return d;
}

static tlv_status
put_matrix(tlv_context *ctx, tlv_json_writer *writer, const json_section *from, tlv_field_form form)
{
	size_t rows = from->section->rows, columns = from->section->columns;
	bool by_rows = form == TLV_FIELD_BY_ROWS;

	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (size_t i = 0; i < (by_rows ? rows : columns); i++)
	{
		if (i > 0)
			TLV_TRY(tlv_json_put(ctx, writer, ",\n"));
		if (form == TLV_FIELD_SYMMETRIC)
			TLV_TRY(put_symmetric(ctx, writer, from->numbers + i * rows, packed_side(rows)));
		else if (by_rows)
			TLV_TRY(put_line(ctx, writer, from, i, columns, rows));
		else
			TLV_TRY(put_line(ctx, writer, from, i * rows, rows, 1));
	}
	return tlv_json_put(ctx, writer, "]");
}

/* ---- texts ---- */

static tlv_status
put_texts(tlv_context *ctx, tlv_json_writer *writer, size_t n, const int64_t *offsets,
		  const char *bytes)
{
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (size_t i = 0; i < n; i++)
	{
		tlv_text text = {bytes + offsets[i], (size_t) (offsets[i + 1] - offsets[i])};

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (i > 0)
			TLV_TRY(tlv_json_put(ctx, writer, ","));
		if (text.length == 0)
			TLV_TRY(tlv_json_put(ctx, writer, "null"));
		else
			TLV_TRY(tlv_json_put_string(ctx, writer, text));
	}
	return tlv_json_put(ctx, writer, "]");
}

static tlv_status
put_text_sections(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model,
				  const tlv_field *field)
{
	bool bytes_first = (field->flags & TLV_BYTES_FIRST) != 0;
	const char *offsets = bytes_first ? field->beside : field->name;
	const tlv_section *bytes = tlv_frame_find(model, bytes_first ? field->name : field->beside);

	return put_texts(ctx, writer, tlv_frame_find(model, offsets)->rows - 1,
					 tlv_frame_int64(model, offsets), tlv_section_data(model, bytes));
}

static tlv_status
put_one_line(tlv_context *ctx, tlv_json_writer *writer, const char *line, size_t n)
{
	char *name = tlv_alloc(ctx, n + 1, 1);

	TLV_TRY_ALLOC(ctx, name);
	memcpy(name, line, n);
	tlv_lines_decode(name, n);
	TLV_TRY(tlv_json_put_string(ctx, writer, (tlv_text){name, n}));
	tlv_free(ctx, name);
	return TLV_OK;
}

static tlv_status
put_lines(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model,
		  const tlv_section *section)
{
	const char *at = tlv_section_data(model, section), *end = at + section->rows;

	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (bool first = true; at < end; first = false)
	{
		const char *line = memchr(at, '\n', (size_t) (end - at));
		size_t n = line != NULL ? (size_t) (line - at) : (size_t) (end - at);

		if (!first)
			TLV_TRY(tlv_json_put(ctx, writer, ","));
		TLV_TRY(put_one_line(ctx, writer, at, n));
		at += n + 1;
	}
	return tlv_json_put(ctx, writer, "]");
}

/* Of every node its communities from 1 and its shares. */
static tlv_status
put_memberships(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model,
				const tlv_field *field)
{
	const tlv_section *section = tlv_frame_find(model, field->name);
	const uint16_t *support = tlv_section_data(model, section);
	const uint16_t *community = tlv_section_data(model, tlv_frame_find(model, field->beside));
	const float *share = tlv_section_data(model, tlv_frame_find(model, field->behind));
	size_t at = 0;

	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (size_t u = 0; u < section->rows / 2; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		TLV_TRY(tlv_json_put(ctx, writer, u > 0 ? ",[" : "["));
		for (size_t i = 0; i < support[u]; i++, at++)
		{
			TLV_TRY(tlv_json_put(ctx, writer, i > 0 ? ",[" : "["));
			TLV_TRY(tlv_json_put_integer(ctx, writer, community[at] + 1));
			TLV_TRY(tlv_json_put(ctx, writer, ","));
			TLV_TRY(tlv_json_put_number(ctx, writer, (double) share[at]));
			TLV_TRY(tlv_json_put(ctx, writer, "]"));
		}
		TLV_TRY(tlv_json_put(ctx, writer, "]"));
	}
	return tlv_json_put(ctx, writer, "]");
}

/* ---- fields ---- */

static tlv_status
layout_put_numbers(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model,
				   const tlv_field *field, const tlv_section *section)
{
	json_section from = {.section = section, .integers = tlv_frame_int64(model, section->name)};
	size_t count = section->rows * section->columns;

	if (from.integers == NULL)
	{
		TLV_TRY_NEW(ctx, from.numbers, count);
		TLV_TRY(tlv_section_numbers(ctx, model, section, from.numbers));
	}
	if (field->form == TLV_FIELD_NUMBER)
		TLV_TRY(put_entry(ctx, writer, &from, 0));
	else if (field->form == TLV_FIELD_LIST || field->form == TLV_FIELD_IDS)
		TLV_TRY(put_line(ctx, writer, &from, 0, count, 1));
	else
		TLV_TRY(put_matrix(ctx, writer, &from, field->form));
	tlv_free(ctx, from.numbers);
	return TLV_OK;
}

/* The name of a choice; a number that is none was refused when the model was checked. */
static tlv_status
put_choice(tlv_context *ctx, tlv_json_writer *writer, const tlv_field *field, double number)
{
	const char *name = field->names[(size_t) number];

	return tlv_json_put_string(ctx, writer, (tlv_text){name, strlen(name)});
}

static tlv_status
put_field(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model, const tlv_field *field)
{
	const tlv_section *section = tlv_frame_find(model, field->name);

	if (section == NULL)
		return TLV_OK;
	TLV_TRY(put_key(ctx, writer, json_field_key(field)));
	switch (field->form)
	{
		case TLV_FIELD_FLAG:
			return tlv_json_put(ctx, writer,
								tlv_frame_scalar(model, field->name, 0) != 0 ? "true" : "false");
		case TLV_FIELD_CHOICE:
			return put_choice(ctx, writer, field, tlv_frame_scalar(model, field->name, 0));
		case TLV_FIELD_TEXTS:
			return put_text_sections(ctx, writer, model, field);
		case TLV_FIELD_LINES:
			return put_lines(ctx, writer, model, section);
		case TLV_FIELD_MEMBERSHIPS:
			return put_memberships(ctx, writer, model, field);
		default:
			return layout_put_numbers(ctx, writer, model, field, section);
	}
}

/* ---- diagnostics, warnings, labels ---- */

static tlv_status
put_diagnostics(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model)
{
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);
	bool first = true;

	TLV_TRY(put_key(ctx, writer, "diagnostics"));
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (; tlv_diagnostics_next(&walk); first = false)
	{
		TLV_TRY(tlv_json_put(ctx, writer, first ? "[" : ",["));
		TLV_TRY(tlv_json_put_string(ctx, writer, (tlv_text){walk.name, strlen(walk.name)}));
		TLV_TRY(tlv_json_put(ctx, writer, ","));
		TLV_TRY(tlv_json_put_number(ctx, writer, walk.value));
		TLV_TRY(tlv_json_put(ctx, writer, "]"));
	}
	return tlv_json_put(ctx, writer, "]");
}

static tlv_status
put_member(tlv_context *ctx, tlv_json_writer *writer, const char *key, const char *text)
{
	TLV_TRY(tlv_json_put(ctx, writer, key));
	return tlv_json_put_string(ctx, writer, (tlv_text){text, strlen(text)});
}

static tlv_status
put_warnings(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model)
{
	tlv_warnings_walk walk = tlv_warnings_of(model);
	bool first = true;

	if (walk.left == 0)
		return TLV_OK;
	TLV_TRY(put_key(ctx, writer, "warnings"));
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (; tlv_warnings_next(&walk); first = false)
	{
		TLV_TRY(tlv_json_put(ctx, writer, first ? "{" : ",{"));
		TLV_TRY(put_member(ctx, writer, "\"code\":", walk.warning.code));
		TLV_TRY(tlv_json_put(ctx, writer, ",\"component\":"));
		TLV_TRY(tlv_json_put_integer(ctx, writer, (int64_t) walk.warning.component));
		TLV_TRY(tlv_json_put(ctx, writer, ",\"score\":"));
		TLV_TRY(tlv_json_put_number(ctx, writer, walk.warning.score));
		TLV_TRY(put_member(ctx, writer, ",\"message\":", walk.warning.message));
		TLV_TRY(put_member(ctx, writer, ",\"hint\":", walk.warning.hint));
		TLV_TRY(tlv_json_put(ctx, writer, "}"));
	}
	return tlv_json_put(ctx, writer, "]");
}

/* A list of names of n components or dimensions. */
static tlv_status
put_names(tlv_context *ctx, tlv_json_writer *writer, const char *key, size_t n, tlv_name_list names)
{
	TLV_TRY(put_key(ctx, writer, key));
	return put_texts(ctx, writer, n, names.offsets, names.bytes);
}

/* Of every estimate its standard error, -1 without one, its count, and its draws. */
static tlv_status
put_errors(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model)
{
	json_section from = {.section = tlv_frame_find(model, tlv_errors_section)};

	from.numbers = (double *) tlv_frame_float64(model, tlv_errors_section);
	TLV_TRY(put_key(ctx, writer, tlv_errors_section));
	return put_matrix(ctx, writer, &from, TLV_FIELD_BY_ROWS);
}

/* A section, with those that belong to it and stand behind it; these themselves: nothing. */
static tlv_status
put_section(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model, const char *name)
{
	const tlv_field *field = tlv_layout_field(tlv_layout_of(model), name);

	if (field != NULL)
		return put_field(ctx, writer, model, field);
	if (strcmp(name, "diagnostics") == 0)
		return put_diagnostics(ctx, writer, model);
	if (strcmp(name, "warnings") == 0)
		return put_warnings(ctx, writer, model);
	if (strcmp(name, tlv_errors_section) == 0)
		return put_errors(ctx, writer, model);
	if (strcmp(name, tlv_dimension_names_sections.offsets) == 0)
		return put_names(ctx, writer, "dimension_names", tlv_model_dimensions(model),
						 tlv_dimension_names(model));
	if (strcmp(name, tlv_label_sections[0]) == 0)
		return put_names(ctx, writer, "labels", tlv_model_components(model), tlv_labels_of(model));
	return TLV_OK;
}

/* The key of a section; NULL for one that belongs to another, or is not written. */
static const char *
key_of(const tlv_frame *model, const char *name)
{
	const tlv_field *field = tlv_layout_field(tlv_layout_of(model), name);

	if (field != NULL)
		return json_field_key(field);
	if (strcmp(name, "diagnostics") == 0 || strcmp(name, tlv_errors_section) == 0)
		return name;
	if (strcmp(name, "warnings") == 0)
		return tlv_warnings_of(model).left > 0 ? name : NULL;
	if (strcmp(name, tlv_dimension_names_sections.offsets) == 0)
		return "dimension_names";
	return strcmp(name, tlv_label_sections[0]) == 0 ? "labels" : NULL;
}

/* The order of the keys, which jsonb does not keep. */
static tlv_status
put_order(tlv_context *ctx, tlv_json_writer *writer, const tlv_frame *model)
{
	const char *separator = "";

	TLV_TRY(put_key(ctx, writer, JSON_ORDER));
	TLV_TRY(tlv_json_put(ctx, writer, "["));
	for (uint32_t s = 0; s < model->header->sections; s++)
	{
		const char *key = key_of(model, model->table[s].name);

		if (key == NULL)
			continue;
		TLV_TRY(put_member(ctx, writer, separator, key));
		separator = ",";
	}
	return tlv_json_put(ctx, writer, "]");
}

tlv_status
tlv_model_put_json(tlv_context *ctx, const tlv_frame *model, tlv_json_writer *writer)
{
	const tlv_kind *kind = model->kind;

	TLV_TRY(tlv_json_put(ctx, writer, "{\"tensorlv\":1"));
	TLV_TRY(put_member(ctx, writer, ",\"kind\":", kind->name));
	for (uint32_t s = 0; s < model->header->sections; s++)
		TLV_TRY(put_section(ctx, writer, model, model->table[s].name));
	TLV_TRY(put_order(ctx, writer, model));
	return tlv_json_put(ctx, writer, "}");
}
