/*
 * json_fields.c - the fields of a model in JSON: numbers, lists, matrices, texts, memberships
 * (model_json.h).
 */
#include "json_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/sections.h"

/* ---- errors ---- */

const char *
json_field_key(const tlv_field *field)
{
	return field->json != NULL ? field->json : field->name;
}

static tlv_status
refuse_field(tlv_context *ctx, const json_reader *reader, const char *expected)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON of a model of kind %s is not %s",
					json_field_key(reader->field), reader->kind->name, expected);
}

/* Of entry i, of its entry j where that is not below 0; both from 0. */
static tlv_status
layout_refuse_entry(tlv_context *ctx, const json_reader *reader, size_t i, int64_t j,
					const char *expected)
{
	if (j < 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu] in the JSON is not %s",
						json_field_key(reader->field), i, expected);
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\"[%zu][%lld] in the JSON is not %s",
					json_field_key(reader->field), i, (long long) j, expected);
}

/* ---- numbers ---- */

const tlv_json_node *
json_node_at(const json_reader *reader, size_t at)
{
	return reader->json.nodes + at;
}

bool
json_is_array(const json_reader *reader, size_t at)
{
	return json_node_at(reader, at)->type == TLV_JSON_ARRAY;
}

bool
json_read_real(const json_reader *reader, size_t at, double *value)
{
	const tlv_json_node *node = json_node_at(reader, at);

	if (node->type == TLV_JSON_INTEGER)
		*value = (double) node->integer;
	else if (node->type == TLV_JSON_NUMBER)
		*value = node->number;
	else
		return false;
	return true;
}

/* Integers; those of a jsonb value may have a fraction of zeros. */
bool
json_read_whole(const json_reader *reader, size_t at, int64_t *value)
{
	const tlv_json_node *node = json_node_at(reader, at);

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
tlv_element
json_declared_element(const json_reader *reader, const tlv_field *field)
{
	const tlv_sections *sections = reader->kind->model->sections;

	for (size_t i = 0; sections != NULL && i < sections->n; i++)
		if (strcmp(sections->list[i].name, field->name) == 0)
			return sections->list[i].element;
	return field->form == TLV_FIELD_IDS ? TLV_INT64 : TLV_FLOAT64;
}

tlv_status
json_allocate_numbers(tlv_context *ctx, tlv_given *given, size_t rows, size_t columns)
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
		return json_read_whole(reader, node, (int64_t *) given->data + at);
	return json_read_real(reader, node, given->numbers + at);
}

static tlv_status
read_list(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	size_t n, node = at + 1;

	if (!json_is_array(reader, at))
		return refuse_field(ctx, reader, "a list of numbers");
	n = json_node_at(reader, at)->n;
	TLV_TRY(json_allocate_numbers(ctx, given, n, 1));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!read_entry(reader, given, node, i))
			return layout_refuse_entry(ctx, reader, i, -1,
									   given->element == TLV_INT64 ? "an integer" : "a number");
		node = json_node_at(reader, node)->next;
	}
	return TLV_OK;
}

/*
 * Whether every list in a list has the given number of entries.  This is checked before memory for
 * all of them is allocated, so that the allocation is bounded by the length of the text.  Otherwise
 * *odd is the first list of another length.
 */
static bool
lists_are_even(const json_reader *reader, size_t at, size_t inner, size_t *odd)
{
	size_t list = at + 1;

	for (*odd = 0; *odd < json_node_at(reader, at)->n; (*odd)++)
	{
		if (!json_is_array(reader, list) || json_node_at(reader, list)->n != inner)
			return false;
		list = json_node_at(reader, list)->next;
	}
	return true;
}

/* A list of lists that all have as many numbers. */
static tlv_status
read_matrix(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	bool by_rows = given->field->form == TLV_FIELD_BY_ROWS;
	size_t outer, inner = 0, list = at + 1, odd;

	if (!json_is_array(reader, at))
		return refuse_field(ctx, reader, "a list of lists");
	outer = json_node_at(reader, at)->n;
	if (outer > 0 && json_is_array(reader, list))
		inner = json_node_at(reader, list)->n;
	if (!lists_are_even(reader, at, inner, &odd))
		return layout_refuse_entry(ctx, reader, odd, -1, "a list as long as the first");
	TLV_TRY(json_allocate_numbers(ctx, given, by_rows ? outer : inner, by_rows ? inner : outer));
	for (size_t i = 0; i < outer; i++)
	{
		size_t node = list + 1;

		for (size_t j = 0; j < inner; j++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i * inner + j);
			if (!read_entry(reader, given, node, by_rows ? i + j * outer : i * inner + j))
				return layout_refuse_entry(ctx, reader, i, (int64_t) j, "a number");
			node = json_node_at(reader, node)->next;
		}
		list = json_node_at(reader, list)->next;
	}
	return TLV_OK;
}

/* One d x d matrix into its packed lower triangle: what differs by rounding is averaged. */
static tlv_status
read_symmetric_matrix(tlv_context *ctx, const json_reader *reader, size_t at, size_t d,
					  double *square, double *packed)
{
	/* How far a matrix may be from symmetric, of its diagonal. */
	const double symmetry_tolerance = 1e-9;
	size_t list = at + 1;

	if (!json_is_array(reader, at) || json_node_at(reader, at)->n != d)
		return refuse_field(ctx, reader, "a list of square matrices, all of one size");
	for (size_t i = 0; i < d; i++)
	{
		size_t node = list + 1;

		if (!json_is_array(reader, list) || json_node_at(reader, list)->n != d)
			return refuse_field(ctx, reader, "a list of square matrices, all of one size");
		for (size_t j = 0; j < d; j++, node = json_node_at(reader, node)->next)
			if (!json_read_real(reader, node, square + i * d + j))
				return refuse_field(ctx, reader, "a list of matrices of numbers");
		list = json_node_at(reader, list)->next;
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j <= i; j++)
		{
			double a = square[i * d + j], b = square[j * d + i];
			double scale = sqrt(fabs(square[i * d + i])) * sqrt(fabs(square[j * d + j]));

			if (!(fabs(a - b) <= symmetry_tolerance * scale))
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

	if (!json_is_array(reader, at))
		return refuse_field(ctx, reader, "a list of matrices");
	k = json_node_at(reader, at)->n;
	if (k > 0 && json_is_array(reader, matrix))
		d = json_node_at(reader, matrix)->n;
	if (k > 0 && (!json_is_array(reader, matrix) || !lists_are_even(reader, matrix, d, &odd) ||
				  !lists_are_even(reader, at, d, &odd)))
		return refuse_field(ctx, reader, "a list of square matrices, all of one size");
	TLV_TRY(json_allocate_numbers(ctx, given, d * (d + 1) / 2, k));
	TLV_TRY_NEW_ROWS(ctx, square, d, d);
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(read_symmetric_matrix(ctx, reader, matrix, d, square,
									  given->numbers + j * given->rows));
		matrix = json_node_at(reader, matrix)->next;
	}
	tlv_free(ctx, square);
	return TLV_OK;
}

/* ---- texts ---- */

/* A list of n texts, or null: offsets (n + 1) and bytes.  `what` they are of, in errors. */
tlv_status
json_read_texts(tlv_context *ctx, const json_reader *reader, size_t at, const char *what,
				int64_t **offsets, char **bytes)
{
	size_t n, node = at + 1;

	if (!json_is_array(reader, at))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%s\" in the JSON is not a list of strings",
						what);
	n = json_node_at(reader, at)->n;
	TLV_TRY_NEW(ctx, *offsets, n + 1);
	TLV_TRY_NEW(ctx, *bytes, reader->json.filled + 1);
	(*offsets)[0] = 0;
	for (size_t i = 0; i < n; i++)
	{
		const tlv_json_node *text = json_node_at(reader, node);
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

	TLV_TRY(json_read_texts(ctx, reader, at, json_field_key(given->field), &offsets, &bytes));
	n = json_node_at(reader, at)->n;
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

	TLV_TRY(json_read_texts(ctx, reader, at, json_field_key(given->field), &offsets, &texts));
	n = json_node_at(reader, at)->n;
	TLV_TRY_NEW(ctx, lines, (size_t) offsets[n] + n);
	given->element = TLV_BYTES;
	given->columns = 1;
	given->data = lines;
	for (size_t i = 0; i < n; i++)
	{
		size_t length = (size_t) (offsets[i + 1] - offsets[i]);

		if (memchr(texts + offsets[i], '\0', length) != NULL)
			return layout_refuse_entry(ctx, reader, i, -1, "a text without \\u0000");
		memcpy(lines + given->rows, texts + offsets[i], length);
		tlv_lines_encode(lines + given->rows, length);
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

	if (!json_is_array(reader, at) || json_node_at(reader, at)->n != 2 ||
		!json_read_whole(reader, at + 1, &number) || !json_read_real(reader, at + 2, &value))
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

	if (!json_is_array(reader, at))
		return refuse_field(ctx, reader, "a list of lists of [community, share]");
	n = json_node_at(reader, at)->n;
	most = json_node_at(reader, at)->next - at;
	TLV_TRY_NEW(ctx, support, n);
	TLV_TRY_NEW(ctx, community, most);
	TLV_TRY_NEW(ctx, share, most);
	for (size_t u = 0; u < n; u++)
	{
		size_t entry = node + 1;

		TLV_TRY_CONTINUE_AT(ctx, u);
		if (!json_is_array(reader, node) || json_node_at(reader, node)->n > UINT16_MAX)
			return layout_refuse_entry(ctx, reader, u, -1, "a list of [community, share]");
		support[u] = (uint16_t) json_node_at(reader, node)->n;
		for (size_t i = 0; i < support[u]; i++, entries++)
		{
			if (!read_share(reader, entry, community + entries, share + entries))
				return layout_refuse_entry(ctx, reader, u, (int64_t) i, "[community, share]");
			entry = json_node_at(reader, entry)->next;
		}
		node = json_node_at(reader, node)->next;
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
	const tlv_json_node *node = json_node_at(reader, at);
	tlv_text text = {NULL, 0};

	TLV_TRY(json_allocate_numbers(ctx, given, 1, 1));
	if (node->type == TLV_JSON_STRING)
		text = tlv_json_text(&reader->json, at);
	for (size_t i = 0; text.length > 0 && given->field->names[i] != NULL; i++)
		if (tlv_text_equal((tlv_text){given->field->names[i], strlen(given->field->names[i])},
						   text))
		{
			*given->numbers = (double) i;
			return TLV_OK;
		}
	return refuse_field(ctx, reader, "one of its names");
}

static tlv_status
layout_read_scalar(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	const tlv_json_node *node = json_node_at(reader, at);

	TLV_TRY(json_allocate_numbers(ctx, given, 1, 1));
	if (given->field->form == TLV_FIELD_NUMBER)
		return json_read_real(reader, at, given->numbers) ? TLV_OK
														  : refuse_field(ctx, reader, "a number");
	if (node->type != TLV_JSON_TRUE && node->type != TLV_JSON_FALSE)
		return refuse_field(ctx, reader, "true or false");
	*given->numbers = node->type == TLV_JSON_TRUE;
	return TLV_OK;
}

tlv_status
json_read_form(tlv_context *ctx, const json_reader *reader, size_t at, tlv_given *given)
{
	switch (given->field->form)
	{
		case TLV_FIELD_NUMBER:
		case TLV_FIELD_FLAG:
			return layout_read_scalar(ctx, reader, at, given);
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
