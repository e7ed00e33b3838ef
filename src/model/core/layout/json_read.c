/*
 * json_read.c - models from JSON (model_json.h).
 *
 * Every section that the layout describes is read in its form (json_fields.c); what was not given
 * is filled in where that is known; then the frame is checked as any value from outside is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "json_fields.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/sections.h"

/* Keys beside those of fields. */
#define KEYS_BESIDE 8

static const char *const keys_beside[KEYS_BESIDE] = {
	"tensorlv",		   "kind",	  "diagnostics", "warnings", "labels", "dimension_names",
	"standard_errors", JSON_ORDER};

tlv_given *
tlv_given_find(tlv_given *given, const char *name)
{
	for (; given->field != NULL; given++)
		if (strcmp(given->field->name, name) == 0)
			return given;
	return NULL;
}

tlv_status
tlv_given_fill(tlv_context *ctx, tlv_given *given, const char *name, size_t rows, double **numbers)
{
	tlv_given *own = tlv_given_find(given, name);

	own->given = true;
	TLV_TRY(json_allocate_numbers(ctx, own, rows, 1));
	*numbers = own->numbers;
	return TLV_OK;
}

static tlv_status
read_fields(tlv_context *ctx, json_reader *reader)
{
	const tlv_layout *layout = reader->kind->model->layout;

	for (const tlv_field *field = layout->fields; field->form != TLV_FIELDS_END; field++)
	{
		tlv_given *given = reader->given + reader->n++;
		size_t at = tlv_json_member(&reader->json, 0, json_field_key(field));

		if (reader->n == MOST_FIELDS)
			return tlv_fail(ctx, TLV_INTERNAL, "%s has too many fields", reader->kind->name);
		reader->field = field;
		*given = (tlv_given){
			.field = field, .given = at > 0, .element = json_declared_element(reader, field)};
		if (at > 0)
			TLV_TRY(json_read_form(ctx, reader, at, given));
		else if ((field->flags & TLV_DEFAULT_ZERO) != 0)
		{
			TLV_TRY(json_allocate_numbers(ctx, given, 1, 1));
			given->given = true;
			*given->numbers = 0;
		}
	}
	if (layout->complete != NULL)
		TLV_TRY(layout->complete(ctx, reader->given));
	for (size_t i = 0; i < reader->n; i++)
		if (!reader->given[i].given && (reader->given[i].field->flags & TLV_MAY_BE_EMPTY) == 0)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"%s\" is missing in the JSON of a model of kind %s",
							json_field_key(reader->given[i].field), reader->kind->name);
	return TLV_OK;
}

/* ---- the rest ---- */

/* A string of a diagnostic, ended by '\0'; NULL if the value is not a string. */
static tlv_status
read_plain(tlv_context *ctx, const json_reader *reader, size_t at, char **text)
{
	tlv_text given;

	if (at == 0 || json_node_at(reader, at)->type != TLV_JSON_STRING)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"diagnostics and warnings in the JSON need strings");
	given = tlv_json_text(&reader->json, at);
	TLV_TRY_NEW(ctx, *text, given.length + 1);
	memcpy(*text, given.bytes, given.length);
	(*text)[given.length] = '\0';
	return TLV_OK;
}

/* The member of that name is a list of at most `most` entries. */
static tlv_status
require_list(tlv_context *ctx, const json_reader *reader, const char *key, size_t at, size_t most)
{
	if (!json_is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list", key);
	if (json_node_at(reader, at)->n <= most)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "\"%s\" in the JSON has %llu entries", key,
			 (unsigned long long) json_node_at(reader, at)->n);
	return tlv_fail_hint(ctx, "Keep at most %zu of them.", most);
}

static tlv_status
read_diagnostics(tlv_context *ctx, json_reader *reader)
{
	size_t at = tlv_json_member(&reader->json, 0, "diagnostics"), node = at + 1;

	if (at == 0)
		return TLV_OK;
	TLV_TRY(require_list(ctx, reader, "diagnostics", at, TLV_DIAGNOSTICS_MAX));
	for (uint64_t i = 0; i < json_node_at(reader, at)->n; i++)
	{
		double value;
		char *name;

		if (!json_is_array(reader, node) || json_node_at(reader, node)->n != 2 ||
			!json_read_real(reader, json_node_at(reader, node + 1)->next, &value))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"diagnostics\"[%zu] in the JSON is not [name, value]", (size_t) i);
		TLV_TRY(read_plain(ctx, reader, node + 1, &name));
		TLV_TRY(tlv_diagnose(ctx, &reader->diagnostics, value, "%s", name));
		tlv_free(ctx, name);
		node = json_node_at(reader, node)->next;
	}
	return TLV_OK;
}

static tlv_status
read_warning(tlv_context *ctx, json_reader *reader, size_t node)
{
	size_t component = tlv_json_member(&reader->json, node, "component");
	size_t score = tlv_json_member(&reader->json, node, "score");
	char *code, *message, *hint;
	tlv_warning warning = {.score = 0};
	int64_t number;

	TLV_TRY(read_plain(ctx, reader, tlv_json_member(&reader->json, node, "code"), &code));
	TLV_TRY(read_plain(ctx, reader, tlv_json_member(&reader->json, node, "message"), &message));
	TLV_TRY(read_plain(ctx, reader, tlv_json_member(&reader->json, node, "hint"), &hint));
	if (component == 0 || score == 0 || !json_read_whole(reader, component, &number) ||
		number < 0 || !json_read_real(reader, score, &warning.score))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"a warning in the JSON needs a component and a score");
	warning.code = code;
	warning.component = (size_t) number;
	warning.hint = hint;
	TLV_TRY(tlv_warn(ctx, &reader->diagnostics, &warning, "%s", message));
	tlv_free(ctx, hint);
	tlv_free(ctx, message);
	tlv_free(ctx, code);
	return TLV_OK;
}

static tlv_status
read_warnings(tlv_context *ctx, json_reader *reader)
{
	size_t at = tlv_json_member(&reader->json, 0, "warnings"), node = at + 1;

	if (at == 0)
		return TLV_OK;
	TLV_TRY(require_list(ctx, reader, "warnings", at, TLV_WARNINGS_MAX));
	for (uint64_t i = 0; i < json_node_at(reader, at)->n; i++)
	{
		if (json_node_at(reader, node)->type != TLV_JSON_OBJECT)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"warnings\"[%zu] in the JSON is not an object", (size_t) i);
		TLV_TRY(read_warning(ctx, reader, node));
		node = json_node_at(reader, node)->next;
	}
	return TLV_OK;
}

static bool
is_key(const json_reader *reader, size_t at, const char *key)
{
	return tlv_text_equal(tlv_json_text(&reader->json, at), (tlv_text){key, strlen(key)});
}

/* Keys that mean nothing are mistakes, and so is one that is there twice. */
static tlv_status
check_keys(tlv_context *ctx, const json_reader *reader)
{
	const tlv_field *fields = reader->kind->model->layout->fields;
	size_t at = 1;

	for (uint64_t i = 0; i < json_node_at(reader, 0)->n; i++)
	{
		tlv_text key = tlv_json_text(&reader->json, at);
		bool known = false;

		for (size_t j = 0; j < KEYS_BESIDE; j++)
			known |= is_key(reader, at, keys_beside[j]);
		for (const tlv_field *field = fields; field->form != TLV_FIELDS_END; field++)
			known |= is_key(reader, at, json_field_key(field));
		if (!known)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"there is no \"%.*s\" in the JSON of a model of kind %s",
							tlv_shown_length(key), key.bytes, reader->kind->name);
		for (size_t before = 1; before < at; before = json_node_at(reader, before + 1)->next)
			if (tlv_text_equal(tlv_json_text(&reader->json, before), key))
				return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%.*s\" is in the JSON twice",
								tlv_shown_length(key), key.bytes);
		at = json_node_at(reader, at + 1)->next;
	}
	return TLV_OK;
}

/* The version of the schema and the kind. */
static tlv_status
read_head(tlv_context *ctx, json_reader *reader)
{
	size_t version, kind;
	int64_t number = 1;

	if (json_node_at(reader, 0)->type != TLV_JSON_OBJECT)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON of a model is an object");
		return tlv_fail_hint(ctx, "tlv_to_json(model) shows how it is written.");
	}
	version = tlv_json_member(&reader->json, 0, "tensorlv");
	kind = tlv_json_member(&reader->json, 0, "kind");
	if (version != 0 && (!json_read_whole(reader, version, &number) || number != 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"tensorlv\" in the JSON is not 1");
	if (kind == 0 || json_node_at(reader, kind)->type != TLV_JSON_STRING)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON of a model needs a \"kind\"");
		return tlv_fail_hint(ctx, "tlv_to_json(model) shows how it is written.");
	}
	for (unsigned code = 0; code <= UINT8_MAX && reader->kind == NULL; code++)
	{
		const tlv_kind *known = ctx->kind_of(TLV_FRAME_MODEL, code);

		if (known != NULL && is_key(reader, kind, known->name))
			reader->kind = known;
	}
	if (reader->kind != NULL)
		return check_keys(ctx, reader);
	tlv_fail(ctx, TLV_BAD_PARAMETER, "there are no models of kind \"%.*s\"",
			 tlv_shown_length(tlv_json_text(&reader->json, kind)),
			 tlv_json_text(&reader->json, kind).bytes);
	return tlv_fail_hint(ctx, "tlv_kinds() lists the kinds of models.");
}

/* ---- the model ---- */

static void
add_field(tlv_frame_builder *builder, tlv_given *given)
{
	const tlv_field *field = given->field;

	tlv_narrow_numbers(given->element, given->rows * given->columns, given->numbers);
	tlv_frame_add(builder, field->name, given->element, given->rows, given->columns, given->data);
	if (field->beside != NULL)
		tlv_frame_add(builder, field->beside,
					  field->form == TLV_FIELD_TEXTS && (field->flags & TLV_BYTES_FIRST) != 0
						  ? TLV_INT64
						  : TLV_BYTES,
					  given->beside_rows, 1, given->beside);
	if (field->behind != NULL)
		tlv_frame_add(builder, field->behind, TLV_BYTES, given->behind_rows, 1, given->behind);
}

/* Stores a list of strings under a key as two sections after all others. */
static tlv_status
add_names(tlv_context *ctx, const json_reader *reader, const char *key,
		  const tlv_name_sections *sections, tlv_frame_builder *builder)
{
	size_t at = tlv_json_member(&reader->json, 0, key);
	int64_t *offsets;
	char *bytes;

	if (at == 0)
		return TLV_OK;
	TLV_TRY(json_read_texts(ctx, reader, at, key, &offsets, &bytes));
	tlv_name_list_add(builder, sections, json_node_at(reader, at)->n,
					  &(tlv_name_list){offsets, bytes});
	return TLV_OK;
}

/* Standard errors and counts, and draws where there are any, which the check of the model looks at.
 */
static tlv_status
add_errors(tlv_context *ctx, const json_reader *reader, tlv_frame_builder *builder)
{
	size_t at = tlv_json_member(&reader->json, 0, tlv_errors_section), node = at + 1, n, columns;
	double *kept;

	if (!json_is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list",
						tlv_errors_section);
	n = json_node_at(reader, at)->n;
	columns = n > 0 && json_is_array(reader, node) && json_node_at(reader, node)->n > 2
				  ? 2 + TLV_DRAWS
				  : 2;
	TLV_TRY_NEW_ROWS(ctx, kept, n, columns);
	for (size_t i = 0; i < n; i++)
	{
		bool right = json_is_array(reader, node) && json_node_at(reader, node)->n == columns;
		size_t number = node + 1;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t c = 0; right && c < columns; c++, number = json_node_at(reader, number)->next)
			right = json_read_real(reader, number, kept + c * n + i);
		if (!right)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"%s\"[%zu] in the JSON is not [standard error, count%s]",
							tlv_errors_section, i, columns > 2 ? ", draws" : "");
		node = json_node_at(reader, node)->next;
	}
	tlv_frame_add(builder, tlv_errors_section, TLV_FLOAT64, n, columns, kept);
	return TLV_OK;
}

/* The sections of a key, in their place. */
static tlv_status
add_key(tlv_context *ctx, json_reader *reader, size_t key, tlv_frame_builder *builder)
{
	static const tlv_name_sections labels = {"component_offsets", "component_labels"};

	for (size_t i = 0; i < reader->n; i++)
		if (is_key(reader, key, json_field_key(reader->given[i].field)))
			add_field(builder, reader->given + i);
	if (is_key(reader, key, "diagnostics"))
		tlv_diagnostics_add(&reader->diagnostics, builder);
	if (is_key(reader, key, tlv_errors_section))
		return add_errors(ctx, reader, builder);
	if (is_key(reader, key, "dimension_names"))
		return add_names(ctx, reader, "dimension_names", &tlv_dimension_names_sections, builder);
	if (is_key(reader, key, "labels"))
		return add_names(ctx, reader, "labels", &labels, builder);
	return TLV_OK;
}

/* The key that the text of a list names, and how many are before it; 0: none. */
static size_t
key_node(const json_reader *reader, size_t text, uint64_t *before)
{
	size_t key = 1;

	for (*before = 0; *before < json_node_at(reader, 0)->n; (*before)++)
	{
		if (tlv_text_equal(tlv_json_text(&reader->json, key), tlv_json_text(&reader->json, text)))
			return key;
		key = json_node_at(reader, key + 1)->next;
	}
	return 0;
}

/* Sections of the keys of a list, in its order, as far as they are there; listed (one for every
 * key) gets which these are. */
static tlv_status
add_listed(tlv_context *ctx, json_reader *reader, tlv_frame_builder *builder, bool *listed)
{
	size_t list = tlv_json_member(&reader->json, 0, JSON_ORDER), at = list + 1;

	if (list == 0)
		return TLV_OK;
	if (!json_is_array(reader, list))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list of keys",
						JSON_ORDER);
	for (uint64_t i = 0; i < json_node_at(reader, list)->n;
		 i++, at = json_node_at(reader, at)->next)
	{
		uint64_t before;
		size_t key;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (json_node_at(reader, at)->type != TLV_JSON_STRING)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu] in the JSON is not a key",
							JSON_ORDER, (size_t) i);
		key = key_node(reader, at, &before);
		if (key == 0 || listed[before])
			continue;
		listed[before] = true;
		TLV_TRY(add_key(ctx, reader, key, builder));
	}
	return TLV_OK;
}

/* Sections are in the order that is given, or else in that of the keys, and what was filled in
 * comes first. */
static tlv_status
make_model(tlv_context *ctx, json_reader *reader, void **image, size_t *size)
{
	tlv_frame_builder *builder;
	size_t key = 1;
	bool *listed;

	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY_NEW0(ctx, listed, json_node_at(reader, 0)->n);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, reader->kind->code);
	for (size_t i = 0; i < reader->n; i++)
		if (reader->given[i].given &&
			tlv_json_member(&reader->json, 0, json_field_key(reader->given[i].field)) == 0)
			add_field(builder, reader->given + i);
	TLV_TRY(add_listed(ctx, reader, builder, listed));
	for (uint64_t i = 0; i < json_node_at(reader, 0)->n;
		 i++, key = json_node_at(reader, key + 1)->next)
		if (!listed[i])
			TLV_TRY(add_key(ctx, reader, key, builder));
	if (tlv_json_member(&reader->json, 0, "diagnostics") == 0)
		tlv_diagnostics_add(&reader->diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

/* As any input is checked; what is wrong is the caller's JSON. */
static tlv_status
check_model(tlv_context *ctx, const void *image, size_t size)
{
	tlv_frame frame;
	tlv_status status = tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &frame);
	tlv_error why = ctx->error;

	if (status != TLV_CORRUPT)
		return status;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON is no model: %s", why.message);
	return why.hint[0] == '\0' ? TLV_BAD_PARAMETER : tlv_fail_hint(ctx, "%s", why.hint);
}

static tlv_status
read_model(tlv_context *ctx, const char *text, size_t length, bool ascii, void **image,
		   size_t *size)
{
	json_reader *reader;

	TLV_TRY_NEW0(ctx, reader, 1);
	TLV_TRY(tlv_json_read(ctx, text, length, ascii, &reader->json));
	TLV_TRY(read_head(ctx, reader));
	TLV_TRY(read_fields(ctx, reader));
	TLV_TRY(read_diagnostics(ctx, reader));
	TLV_TRY(read_warnings(ctx, reader));
	TLV_TRY(make_model(ctx, reader, image, size));
	tlv_json_free(ctx, &reader->json);
	tlv_free(ctx, reader);
	return check_model(ctx, *image, *size);
}

tlv_status
tlv_model_from_json(tlv_context *ctx, const char *text, size_t length, bool ascii, void **image,
					size_t *size)
{
	tlv_status status = read_model(ctx, text, length, ascii, image, size);

	if (status == TLV_BAD_PARAMETER && ctx->error.hint[0] == '\0')
		return tlv_fail_hint(ctx, "Compare it with tlv_to_json of a model of this kind.");
	return status;
}
