/*
 * json_read.c - models from JSON (model_json.h).
 *
 * Every section that the layout describes is read in its form; what was not given is filled in
 * where that is known; then the frame is checked as any value from outside is.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"
#include "tensorlv/model/sections.h"

/* Fields of one kind at most, and keys beside them. */
#define MOST_FIELDS 64
#define KEYS_BESIDE 7
/* How far a matrix may be from symmetric, of its diagonal. */
#define SYMMETRY_TOLERANCE 1e-9

static const char *const keys_beside[KEYS_BESIDE] = {
	"tensorlv", "kind", "diagnostics", "warnings", "labels", "dimension_names", "standard_errors"};

typedef struct json_reader
{
	tlv_json json;
	const tlv_kind *kind;
	const tlv_field *field; /* of which errors are */
	size_t n;
	tlv_given given[MOST_FIELDS];
	tlv_diagnostics diagnostics;
} json_reader;

/* ---- errors ---- */

static const char *
field_key(const tlv_field *field)
{
	return field->json != NULL ? field->json : field->name;
}

static tlv_status
refuse_field(tlv_context *ctx, const json_reader *reader, const char *expected)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON of a model of kind %s is not %s",
					field_key(reader->field), reader->kind->name, expected);
}

/* Of entry i, of its entry j where that is not below 0; both from 0. */
static tlv_status
refuse_entry(tlv_context *ctx, const json_reader *reader, size_t i, int64_t j, const char *expected)
{
	if (j < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu] in the JSON is not %s",
						field_key(reader->field), i, expected);
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu][%lld] in the JSON is not %s",
					field_key(reader->field), i, (long long) j, expected);
}

/* ---- numbers ---- */

static const tlv_json_node *
node_at(const json_reader *reader, size_t at)
{
	return reader->json.nodes + at;
}

static bool
is_array(const json_reader *reader, size_t at)
{
	return node_at(reader, at)->type == TLV_JSON_ARRAY;
}

static bool
read_real(const json_reader *reader, size_t at, double *value)
{
	const tlv_json_node *node = node_at(reader, at);

	if (node->type == TLV_JSON_INTEGER)
		*value = (double) node->integer;
	else if (node->type == TLV_JSON_NUMBER)
		*value = node->number;
	else
		return false;
	return true;
}

/* Whole numbers; from jsonb they may have come with a fraction of zeros. */
static bool
read_whole(const json_reader *reader, size_t at, int64_t *value)
{
	const tlv_json_node *node = node_at(reader, at);

	if (node->type == TLV_JSON_NUMBER && fabs(node->number) <= 0x1p53 &&
		node->number == floor(node->number))
		*value = (int64_t) node->number;
	else if (node->type == TLV_JSON_INTEGER)
		*value = node->integer;
	else
		return false;
	return true;
}

/* The element of a declared section. */
static tlv_element
declared_element(const json_reader *reader, const tlv_field *field)
{
	const tlv_sections *sections = reader->kind->model->sections;

	for (size_t i = 0; sections != NULL && i < sections->n; i++)
		if (strcmp(sections->list[i].name, field->name) == 0)
			return sections->list[i].element;
	return field->form == TLV_FIELD_IDS ? TLV_INT64 : TLV_FLOAT64;
}

static tlv_status
allocate_numbers(tlv_context *ctx, tlv_given *given, size_t rows, size_t columns)
{
	given->rows = rows;
	given->columns = columns;
	TLV_TRY_NEW_ROWS(ctx, given->numbers, columns, rows);
	given->data = given->numbers;
	return TLV_OK;
}

/* One number: of int64 sections as such. */
static bool
read_entry(const json_reader *reader, const tlv_given *given, size_t node, size_t at)
{
	if (given->element == TLV_INT64)
		return read_whole(reader, node, (int64_t *) given->data + at);
	return read_real(reader, node, given->numbers + at);
}

static tlv_status
read_list(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	size_t n, node = at + 1;

	if (!is_array(reader, at))
		return refuse_field(ctx, reader, "a list of numbers");
	n = node_at(reader, at)->n;
	TLV_TRY(allocate_numbers(ctx, given, n, 1));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!read_entry(reader, given, node, i))
			return refuse_entry(ctx, reader, i, -1,
								given->element == TLV_INT64 ? "a whole number" : "a number");
		node = node_at(reader, node)->next;
	}
	return TLV_OK;
}

/*
 * Has every list in a list that many entries?  Asked before there is memory for all of them: what
 * says yes is no longer than the text.  Otherwise *odd is the first that has not.
 */
static bool
lists_are_even(const json_reader *reader, size_t at, size_t inner, size_t *odd)
{
	size_t list = at + 1;

	for (*odd = 0; *odd < node_at(reader, at)->n; (*odd)++)
	{
		if (!is_array(reader, list) || node_at(reader, list)->n != inner)
			return false;
		list = node_at(reader, list)->next;
	}
	return true;
}

/* A list of lists that all have as many numbers. */
static tlv_status
read_matrix(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	bool by_rows = given->field->form == TLV_FIELD_BY_ROWS;
	size_t outer, inner = 0, list = at + 1, odd;

	if (!is_array(reader, at))
		return refuse_field(ctx, reader, "a list of lists");
	outer = node_at(reader, at)->n;
	if (outer > 0 && is_array(reader, list))
		inner = node_at(reader, list)->n;
	if (!lists_are_even(reader, at, inner, &odd))
		return refuse_entry(ctx, reader, odd, -1, "a list as long as the first");
	TLV_TRY(allocate_numbers(ctx, given, by_rows ? outer : inner, by_rows ? inner : outer));
	for (size_t i = 0; i < outer; i++)
	{
		size_t node = list + 1;

		for (size_t j = 0; j < inner; j++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i * inner + j);
			if (!read_entry(reader, given, node, by_rows ? i + j * outer : i * inner + j))
				return refuse_entry(ctx, reader, i, (int64_t) j, "a number");
			node = node_at(reader, node)->next;
		}
		list = node_at(reader, list)->next;
	}
	return TLV_OK;
}

/* One d x d matrix into its packed lower triangle: what differs by rounding is averaged. */
static tlv_status
read_symmetric_matrix(tlv_context *ctx, const json_reader *reader, size_t at, size_t d,
					  double *square, double *packed)
{
	size_t list = at + 1;

	if (!is_array(reader, at) || node_at(reader, at)->n != d)
		return refuse_field(ctx, reader, "a list of square matrices, all of one size");
	for (size_t i = 0; i < d; i++)
	{
		size_t node = list + 1;

		if (!is_array(reader, list) || node_at(reader, list)->n != d)
			return refuse_field(ctx, reader, "a list of square matrices, all of one size");
		for (size_t j = 0; j < d; j++, node = node_at(reader, node)->next)
			if (!read_real(reader, node, square + i * d + j))
				return refuse_field(ctx, reader, "a list of matrices of numbers");
		list = node_at(reader, list)->next;
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j <= i; j++)
		{
			double a = square[i * d + j], b = square[j * d + i];
			double scale = sqrt(fabs(square[i * d + i])) * sqrt(fabs(square[j * d + j]));

			if (!(fabs(a - b) <= SYMMETRY_TOLERANCE * scale))
				return refuse_field(ctx, reader, "a list of symmetric matrices");
			packed[i * (i + 1) / 2 + j] = a == b ? a : a / 2 + b / 2;
		}
	return TLV_OK;
}

static tlv_status
read_symmetric(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	size_t k, d = 0, matrix = at + 1, odd;
	double *square;

	if (!is_array(reader, at))
		return refuse_field(ctx, reader, "a list of matrices");
	k = node_at(reader, at)->n;
	if (k > 0 && is_array(reader, matrix))
		d = node_at(reader, matrix)->n;
	if (k > 0 && (!is_array(reader, matrix) || !lists_are_even(reader, matrix, d, &odd) ||
				  !lists_are_even(reader, at, d, &odd)))
		return refuse_field(ctx, reader, "a list of square matrices, all of one size");
	TLV_TRY(allocate_numbers(ctx, given, d * (d + 1) / 2, k));
	TLV_TRY_NEW_ROWS(ctx, square, d, d);
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(read_symmetric_matrix(ctx, reader, matrix, d, square,
									  given->numbers + j * given->rows));
		matrix = node_at(reader, matrix)->next;
	}
	tlv_free(ctx, square);
	return TLV_OK;
}

/* ---- texts ---- */

/* A list of n texts, or null: offsets (n + 1) and bytes.  `what` they are of, in errors. */
static tlv_status
read_texts(tlv_context *ctx, const json_reader *reader, size_t at, const char *what,
		   int64_t **offsets, char **bytes)
{
	size_t n, node = at + 1;

	if (!is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list of texts", what);
	n = node_at(reader, at)->n;
	TLV_TRY_NEW(ctx, *offsets, n + 1);
	TLV_TRY_NEW(ctx, *bytes, reader->json.filled + 1);
	(*offsets)[0] = 0;
	for (size_t i = 0; i < n; i++)
	{
		const tlv_json_node *text = node_at(reader, node);
		size_t length = text->type == TLV_JSON_STRING ? text->string.length : 0;

		if (text->type != TLV_JSON_STRING && text->type != TLV_JSON_NULL)
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu] in the JSON is not a text", what,
							i);
		if (length > 0)
			memcpy(*bytes + (*offsets)[i], tlv_json_text(&reader->json, node).bytes, length);
		(*offsets)[i + 1] = (*offsets)[i] + (int64_t) length;
		node = text->next;
	}
	return TLV_OK;
}

static tlv_status
read_text_sections(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	bool bytes_first = (given->field->flags & TLV_BYTES_FIRST) != 0;
	int64_t *offsets;
	char *bytes;
	size_t n;

	TLV_TRY(read_texts(ctx, reader, at, field_key(given->field), &offsets, &bytes));
	n = node_at(reader, at)->n;
	given->columns = 1;
	given->element = bytes_first ? TLV_BYTES : TLV_INT64;
	given->rows = bytes_first ? (size_t) offsets[n] : n + 1;
	given->data = bytes_first ? (void *) bytes : offsets;
	given->beside_rows = bytes_first ? n + 1 : (size_t) offsets[n];
	given->beside = bytes_first ? (void *) offsets : bytes;
	return TLV_OK;
}

static tlv_status
read_lines(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	int64_t *offsets;
	char *texts, *lines;
	size_t n;

	TLV_TRY(read_texts(ctx, reader, at, field_key(given->field), &offsets, &texts));
	n = node_at(reader, at)->n;
	TLV_TRY_NEW(ctx, lines, (size_t) offsets[n] + n);
	given->element = TLV_BYTES;
	given->columns = 1;
	given->data = lines;
	for (size_t i = 0; i < n; i++)
	{
		size_t length = (size_t) (offsets[i + 1] - offsets[i]);

		if (memchr(texts + offsets[i], '\n', length) != NULL)
			return refuse_entry(ctx, reader, i, -1, "a text on one line");
		memcpy(lines + given->rows, texts + offsets[i], length);
		lines[given->rows + length] = '\n';
		given->rows += length + 1;
	}
	return TLV_OK;
}

/* ---- memberships ---- */

/* [community, share] */
static bool
read_share(const json_reader *reader, size_t at, uint16_t *community, float *share)
{
	int64_t number;
	double value;

	if (!is_array(reader, at) || node_at(reader, at)->n != 2 ||
		!read_whole(reader, at + 1, &number) || !read_real(reader, at + 2, &value))
		return false;
	*community = (uint16_t) (number - 1);
	*share = (float) value;
	return number >= 1 && number <= UINT16_MAX;
}

static tlv_status
read_memberships(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	size_t n, entries = 0, node = at + 1, most;
	uint16_t *support, *community;
	float *share;

	if (!is_array(reader, at))
		return refuse_field(ctx, reader, "a list of lists of [community, share]");
	n = node_at(reader, at)->n;
	most = node_at(reader, at)->next - at;
	TLV_TRY_NEW(ctx, support, n);
	TLV_TRY_NEW(ctx, community, most);
	TLV_TRY_NEW(ctx, share, most);
	for (size_t u = 0; u < n; u++)
	{
		size_t entry = node + 1;

		TLV_TRY_CONTINUE_AT(ctx, u);
		if (!is_array(reader, node) || node_at(reader, node)->n > UINT16_MAX)
			return refuse_entry(ctx, reader, u, -1, "a list of [community, share]");
		support[u] = (uint16_t) node_at(reader, node)->n;
		for (size_t i = 0; i < support[u]; i++, entries++)
		{
			if (!read_share(reader, entry, community + entries, share + entries))
				return refuse_entry(ctx, reader, u, (int64_t) i, "[community, share]");
			entry = node_at(reader, entry)->next;
		}
		node = node_at(reader, node)->next;
	}
	*given = (tlv_given){.field = given->field,
						 .given = true,
						 .element = TLV_BYTES,
						 .rows = 2 * n,
						 .columns = 1,
						 .data = support,
						 .beside_rows = 2 * entries,
						 .beside = community,
						 .behind_rows = 4 * entries,
						 .behind = share};
	return TLV_OK;
}

/* ---- fields ---- */

static tlv_status
read_choice(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	const tlv_json_node *node = node_at(reader, at);
	tlv_text text = {NULL, 0};

	TLV_TRY(allocate_numbers(ctx, given, 1, 1));
	if (node->type == TLV_JSON_STRING)
		text = tlv_json_text(&reader->json, at);
	for (size_t i = 0; text.length > 0 && given->field->names[i] != NULL; i++)
		if (strlen(given->field->names[i]) == text.length &&
			memcmp(given->field->names[i], text.bytes, text.length) == 0)
		{
			*given->numbers = (double) i;
			return TLV_OK;
		}
	return refuse_field(ctx, reader, "one of its names");
}

static tlv_status
read_scalar(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	const tlv_json_node *node = node_at(reader, at);

	TLV_TRY(allocate_numbers(ctx, given, 1, 1));
	if (given->field->form == TLV_FIELD_NUMBER)
		return read_real(reader, at, given->numbers) ? TLV_OK
													 : refuse_field(ctx, reader, "a number");
	if (node->type != TLV_JSON_TRUE && node->type != TLV_JSON_FALSE)
		return refuse_field(ctx, reader, "true or false");
	*given->numbers = node->type == TLV_JSON_TRUE;
	return TLV_OK;
}

static tlv_status
read_form(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	switch (given->field->form)
	{
		case TLV_FIELD_NUMBER:
		case TLV_FIELD_FLAG:
			return read_scalar(ctx, reader, at, given);
		case TLV_FIELD_CHOICE:
			return read_choice(ctx, reader, at, given);
		case TLV_FIELD_LIST:
		case TLV_FIELD_IDS:
			return read_list(ctx, reader, at, given);
		case TLV_FIELD_SYMMETRIC:
			return read_symmetric(ctx, reader, at, given);
		case TLV_FIELD_TEXTS:
			return read_text_sections(ctx, reader, at, given);
		case TLV_FIELD_LINES:
			return read_lines(ctx, reader, at, given);
		case TLV_FIELD_MEMBERSHIPS:
			return read_memberships(ctx, reader, at, given);
		default:
			return read_matrix(ctx, reader, at, given);
	}
}

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
	TLV_TRY(allocate_numbers(ctx, own, rows, 1));
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
		size_t at = tlv_json_member(&reader->json, 0, field_key(field));

		if (reader->n == MOST_FIELDS)
			return tlv_fail(ctx, TLV_INTERNAL, "%s has too many fields", reader->kind->name);
		reader->field = field;
		*given = (tlv_given){
			.field = field, .given = at > 0, .element = declared_element(reader, field)};
		if (at > 0)
			TLV_TRY(read_form(ctx, reader, at, given));
		else if ((field->flags & TLV_DEFAULT_ZERO) != 0)
		{
			TLV_TRY(allocate_numbers(ctx, given, 1, 1));
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
							field_key(reader->given[i].field), reader->kind->name);
	return TLV_OK;
}

/* ---- the rest ---- */

/* A text of a diagnostic, ended by '\0': NULL where it is none. */
static tlv_status
read_plain(tlv_context *ctx, const json_reader *reader, size_t at, char **text)
{
	tlv_text given;

	if (at == 0 || node_at(reader, at)->type != TLV_JSON_STRING)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "diagnostics and warnings in the JSON need texts");
	given = tlv_json_text(&reader->json, at);
	TLV_TRY_NEW(ctx, *text, given.length + 1);
	memcpy(*text, given.bytes, given.length);
	(*text)[given.length] = '\0';
	return TLV_OK;
}

static tlv_status
read_diagnostics(tlv_context *ctx, json_reader *reader)
{
	size_t at = tlv_json_member(&reader->json, 0, "diagnostics"), node = at + 1;

	if (at == 0)
		return TLV_OK;
	if (!is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"diagnostics\" in the JSON is not a list");
	for (uint64_t i = 0; i < node_at(reader, at)->n; i++)
	{
		double value;
		char *name;

		if (!is_array(reader, node) || node_at(reader, node)->n != 2 ||
			!read_real(reader, node_at(reader, node + 1)->next, &value))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"diagnostics\"[%zu] in the JSON is not [name, value]", (size_t) i);
		TLV_TRY(read_plain(ctx, reader, node + 1, &name));
		TLV_TRY(tlv_diagnose(ctx, &reader->diagnostics, value, "%s", name));
		tlv_free(ctx, name);
		node = node_at(reader, node)->next;
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
	if (component == 0 || score == 0 || !read_whole(reader, component, &number) || number < 0 ||
		!read_real(reader, score, &warning.score))
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
	if (!is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"warnings\" in the JSON is not a list");
	for (uint64_t i = 0; i < node_at(reader, at)->n; i++)
	{
		if (node_at(reader, node)->type != TLV_JSON_OBJECT)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"warnings\"[%zu] in the JSON is not an object", (size_t) i);
		TLV_TRY(read_warning(ctx, reader, node));
		node = node_at(reader, node)->next;
	}
	return TLV_OK;
}

static bool
is_key(const json_reader *reader, size_t at, const char *key)
{
	tlv_text text = tlv_json_text(&reader->json, at);

	return text.length == strlen(key) && memcmp(text.bytes, key, text.length) == 0;
}

/* Keys that mean nothing are mistakes, and so is one that is there twice. */
static tlv_status
check_keys(tlv_context *ctx, const json_reader *reader)
{
	const tlv_field *fields = reader->kind->model->layout->fields;
	size_t at = 1;

	for (uint64_t i = 0; i < node_at(reader, 0)->n; i++)
	{
		tlv_text key = tlv_json_text(&reader->json, at);
		bool known = false;

		for (size_t j = 0; j < KEYS_BESIDE; j++)
			known |= is_key(reader, at, keys_beside[j]);
		for (const tlv_field *field = fields; field->form != TLV_FIELDS_END; field++)
			known |= is_key(reader, at, field_key(field));
		if (!known)
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"there is no \"%.*s\" in the JSON of a model of kind %s",
							tlv_shown_length(key), key.bytes, reader->kind->name);
		for (size_t before = 1; before < at; before = node_at(reader, before + 1)->next)
			if (tlv_json_text(&reader->json, before).length == key.length &&
				memcmp(tlv_json_text(&reader->json, before).bytes, key.bytes, key.length) == 0)
				return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%.*s\" is in the JSON twice",
								tlv_shown_length(key), key.bytes);
		at = node_at(reader, at + 1)->next;
	}
	return TLV_OK;
}

/* The version of the schema and the kind. */
static tlv_status
read_head(tlv_context *ctx, json_reader *reader)
{
	size_t n, version, kind;
	const tlv_kind *const *kinds = tlv_kinds(&n);
	int64_t number = 1;

	if (node_at(reader, 0)->type != TLV_JSON_OBJECT)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON of a model is an object");
	version = tlv_json_member(&reader->json, 0, "tensorlv");
	kind = tlv_json_member(&reader->json, 0, "kind");
	if (version != 0 && (!read_whole(reader, version, &number) || number != 1))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"tensorlv\" in the JSON is not 1");
	if (kind == 0 || node_at(reader, kind)->type != TLV_JSON_STRING)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON of a model needs a \"kind\"");
	for (size_t i = 0; i < n; i++)
		if (kinds[i]->type == TLV_FRAME_MODEL && is_key(reader, kind, kinds[i]->name))
			reader->kind = kinds[i];
	if (reader->kind != NULL)
		return check_keys(ctx, reader);
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "there are no models of kind \"%.*s\"",
					tlv_shown_length(tlv_json_text(&reader->json, kind)),
					tlv_json_text(&reader->json, kind).bytes);
}

/* ---- the model ---- */

/* Real numbers as they are stored. */
static void
narrow_numbers(tlv_given *given)
{
	float *to = (float *) given->numbers;

	for (size_t i = 0; given->element == TLV_FLOAT32 && i < given->rows * given->columns; i++)
	{
		float value = (float) given->numbers[i];

		memcpy(to + i, &value, sizeof(value));
	}
}

static void
add_field(tlv_frame_builder *builder, tlv_given *given)
{
	const tlv_field *field = given->field;

	narrow_numbers(given);
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

/* A list of texts under a key, as two sections behind all others. */
static tlv_status
add_names(tlv_context *ctx, const json_reader *reader, const char *key,
		  const tlv_name_sections *sections, tlv_frame_builder *builder)
{
	size_t at = tlv_json_member(&reader->json, 0, key);
	int64_t *offsets;
	char *bytes;

	if (at == 0)
		return TLV_OK;
	TLV_TRY(read_texts(ctx, reader, at, key, &offsets, &bytes));
	tlv_name_list_add(builder, sections, node_at(reader, at)->n, &(tlv_name_list){offsets, bytes});
	return TLV_OK;
}

/* Standard errors and counts, which the check of the model looks at. */
static tlv_status
add_errors(tlv_context *ctx, const json_reader *reader, tlv_frame_builder *builder)
{
	size_t at = tlv_json_member(&reader->json, 0, tlv_errors_section), node = at + 1, n;
	double *kept;

	if (!is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list",
						tlv_errors_section);
	n = node_at(reader, at)->n;
	TLV_TRY_NEW_ROWS(ctx, kept, n, 2);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!is_array(reader, node) || node_at(reader, node)->n != 2 ||
			!read_real(reader, node + 1, kept + i) ||
			!read_real(reader, node_at(reader, node + 1)->next, kept + n + i))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"\"%s\"[%zu] in the JSON is not [standard error, count]",
							tlv_errors_section, i);
		node = node_at(reader, node)->next;
	}
	tlv_frame_add(builder, tlv_errors_section, TLV_FLOAT64, n, 2, kept);
	return TLV_OK;
}

/* The sections of a key, in their place. */
static tlv_status
add_key(tlv_context *ctx, json_reader *reader, size_t key, tlv_frame_builder *builder)
{
	static const tlv_name_sections labels = {"component_offsets", "component_labels"};

	for (size_t i = 0; i < reader->n; i++)
		if (is_key(reader, key, field_key(reader->given[i].field)))
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

/* Sections are in the order of the keys, and what was filled in comes first. */
static tlv_status
make_model(tlv_context *ctx, json_reader *reader, void **image, size_t *size)
{
	tlv_frame_builder *builder;
	size_t key = 1;

	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, reader->kind->code);
	for (size_t i = 0; i < reader->n; i++)
		if (reader->given[i].given &&
			tlv_json_member(&reader->json, 0, field_key(reader->given[i].field)) == 0)
			add_field(builder, reader->given + i);
	for (uint64_t i = 0; i < node_at(reader, 0)->n; i++, key = node_at(reader, key + 1)->next)
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
	const tlv_kind *kind;
	tlv_frame frame;
	tlv_status status = tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &frame, &kind);
	tlv_error why = ctx->error;

	if (status != TLV_CORRUPT)
		return status;
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "the JSON is no model: %s", why.message);
}

tlv_status
tlv_model_from_json(tlv_context *ctx, const char *text, size_t length, bool ascii, void **image,
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
