/*
 * examples.c - rows of the caller's that a page shows with the components (page.h): checked, cut
 * and counted.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* What an example may have. */
enum
{
	HAS_NUMBER,
	HAS_TEXT,
	HAS_NUMBERS,
	HAS_STATES,
	HAS_REASONS
};
static const struct
{
	const char *key;
	int form;
	size_t most;
} members[] = {{"component", HAS_NUMBER, 0},
			   {"id", HAS_TEXT, TLV_PAGE_TITLE},
			   {"title", HAS_TEXT, TLV_PAGE_TITLE},
			   {"share", HAS_NUMBER, 0},
			   {"text", HAS_TEXT, TLV_PAGE_EXAMPLE_TEXT},
			   {"x", HAS_NUMBERS, TLV_PAGE_EXAMPLE_X},
			   {"path", HAS_STATES, TLV_PAGE_EXAMPLE_PATH},
			   {"why", HAS_REASONS, TLV_PAGE_EXAMPLE_WHY}};

typedef struct example_reader
{
	const tlv_json *json;
	size_t k;
	size_t number; /* of the example, from 1, for errors */
	tlv_json_writer *data;
} example_reader;

tlv_status
page_refuse_member(tlv_context *ctx, size_t number, const char *key, const char *expected)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "\"%.60s\" of example %zu is not %s", key, number, expected);
	return tlv_fail_hint(
		ctx, "Give an array of objects {\"component\": 1, \"id\": \"...\", \"title\": \"...\", "
			 "\"share\": 0.9, \"text\": \"...\", \"x\": [...], \"path\": [...], \"why\": "
			 "[[\"name\", 0.5]]}.");
}

/* ---- values ---- */

bool
page_read_number(const tlv_json_node *node, double *value)
{
	*value = node->type == TLV_JSON_INTEGER ? (double) node->integer : node->number;
	return node->type == TLV_JSON_INTEGER || node->type == TLV_JSON_NUMBER;
}

/* A text that is too long ends behind a word, if one ends near by, and with dots. */
static tlv_status
put_cut_text(tlv_context *ctx, example_reader *r, tlv_text text, size_t most)
{
	static const char dots[] = "...";
	char cut[TLV_PAGE_EXAMPLE_TEXT + 1];
	size_t length = tlv_cut_length(text, most - strlen(dots)), word = length;

	while (word > 0 && text.bytes[word] != ' ' && length - word < most / 10)
		word--;
	if (text.bytes[word] == ' ')
		length = word;
	memcpy(cut, text.bytes, length);
	memcpy(cut + length, dots, sizeof(dots));
	return tlv_page_put_text(ctx, r->data, (tlv_text){cut, length + strlen(dots)});
}

/* Numbers and booleans are texts, too: ids often are. */
static tlv_status
put_text_value(tlv_context *ctx, example_reader *r, const char *key, size_t at, size_t most)
{
	const tlv_json_node *node = r->json->nodes + at;
	char digits[40];
	tlv_text text;
	double value;

	if (node->type == TLV_JSON_NULL)
		return tlv_json_put(ctx, r->data, "null");
	if (node->type == TLV_JSON_STRING)
		text = tlv_json_text(r->json, at);
	else if (page_read_number(node, &value))
		text = (tlv_text){
			digits,
			(size_t) (node->type == TLV_JSON_INTEGER
						  ? snprintf(digits, sizeof(digits), "%lld", (long long) node->integer)
						  : snprintf(digits, sizeof(digits), "%.15g", value))};
	else
		return page_refuse_member(ctx, r->number, key, "a string");
	if (text.length > most && strcmp(key, "id") != 0)
		return put_cut_text(ctx, r, text, most);
	text.length = tlv_cut_length(text, most);
	return tlv_page_put_text(ctx, r->data, text);
}

static tlv_status
put_number_value(tlv_context *ctx, example_reader *r, const char *key, size_t at)
{
	double value;

	if (r->json->nodes[at].type == TLV_JSON_NULL)
		return tlv_json_put(ctx, r->data, "null");
	if (!page_read_number(r->json->nodes + at, &value))
		return page_refuse_member(ctx, r->number, key, "a number");
	return tlv_page_put_number(ctx, r->data, value, 6);
}

/* A reason: [name, score]. */
static tlv_status
put_reason(tlv_context *ctx, example_reader *r, const char *key, size_t at)
{
	const tlv_json_node *nodes = r->json->nodes;

	if (nodes[at].type != TLV_JSON_ARRAY || nodes[at].n != 2)
		return page_refuse_member(ctx, r->number, key, "an array of pairs of a name and a score");
	TLV_TRY(tlv_json_put(ctx, r->data, "["));
	TLV_TRY(put_text_value(ctx, r, key, at + 1, TLV_PAGE_TITLE));
	TLV_TRY(tlv_json_put(ctx, r->data, ","));
	TLV_TRY(put_number_value(ctx, r, key, nodes[at + 1].next));
	return tlv_json_put(ctx, r->data, "]");
}

/* A state of a path is a component's number. */
static tlv_status
put_state(tlv_context *ctx, example_reader *r, const char *key, size_t at)
{
	const tlv_json_node *node = r->json->nodes + at;

	if (node->type != TLV_JSON_INTEGER || node->integer < 1 || node->integer > (int64_t) r->k)
		return page_refuse_member(ctx, r->number, key, "an array of numbers of components");
	return tlv_json_put_integer(ctx, r->data, node->integer);
}

/* An array that is cut has beside it how many entries it had: "path_given". */
static tlv_status
put_array(tlv_context *ctx, example_reader *r, size_t member, size_t at)
{
	const tlv_json_node *nodes = r->json->nodes;
	const char *key = members[member].key;
	size_t entry = at + 1;
	char given[16];

	if (nodes[at].type == TLV_JSON_NULL)
		return tlv_json_put(ctx, r->data, "null");
	if (nodes[at].type != TLV_JSON_ARRAY)
		return page_refuse_member(ctx, r->number, key, "an array");
	TLV_TRY(tlv_json_put(ctx, r->data, "["));
	for (size_t i = 0; i < tlv_least((size_t) nodes[at].n, members[member].most); i++)
	{
		if (i > 0)
			TLV_TRY(tlv_json_put(ctx, r->data, ","));
		if (members[member].form == HAS_NUMBERS)
			TLV_TRY(put_number_value(ctx, r, key, entry));
		else if (members[member].form == HAS_STATES)
			TLV_TRY(put_state(ctx, r, key, entry));
		else
			TLV_TRY(put_reason(ctx, r, key, entry));
		entry = nodes[entry].next;
	}
	TLV_TRY(tlv_json_put(ctx, r->data, "]"));
	if (nodes[at].n <= members[member].most)
		return TLV_OK;
	snprintf(given, sizeof(given), "%s_given", key);
	TLV_TRY(tlv_page_put_key(ctx, r->data, given));
	return tlv_json_put_integer(ctx, r->data, (int64_t) nodes[at].n);
}

/* ---- examples ---- */

static tlv_status
page_put_member(tlv_context *ctx, example_reader *r, tlv_text key, size_t at)
{
	for (size_t m = 0; m < sizeof(members) / sizeof(*members); m++)
	{
		if (key.length != strlen(members[m].key) ||
			memcmp(key.bytes, members[m].key, key.length) != 0)
			continue;
		TLV_TRY(tlv_page_put_key(ctx, r->data, members[m].key));
		if (members[m].form == HAS_NUMBER)
			return put_number_value(ctx, r, members[m].key, at);
		if (members[m].form == HAS_TEXT)
			return put_text_value(ctx, r, members[m].key, at, members[m].most);
		return put_array(ctx, r, m, at);
	}
	tlv_fail(ctx, TLV_BAD_PARAMETER, "example %zu has an unknown key \"%.*s\"", r->number,
			 tlv_shown_length(key), key.bytes);
	return tlv_fail_hint(ctx, "Use component, id, title, share, text, x, path and why.");
}

/* The component of an example, from 0; it must have one. */
static tlv_status
read_component(tlv_context *ctx, const example_reader *r, size_t at, size_t *component)
{
	size_t member =
		r->json->nodes[at].type == TLV_JSON_OBJECT ? tlv_json_member(r->json, at, "component") : 0;
	const tlv_json_node *node = r->json->nodes + member;

	if (member == 0 || node->type != TLV_JSON_INTEGER || node->integer < 1 ||
		node->integer > (int64_t) r->k)
	{
		char expected[64];

		snprintf(expected, sizeof(expected), "an integer between 1 and %zu", r->k);
		return page_refuse_member(ctx, r->number, "component", expected);
	}
	*component = (size_t) node->integer - 1;
	return TLV_OK;
}

static tlv_status
put_example(tlv_context *ctx, example_reader *r, size_t at, bool first)
{
	size_t key = at + 1;

	TLV_TRY(tlv_json_put(ctx, r->data, first ? "{\"n\":" : ",{\"n\":"));
	TLV_TRY(tlv_json_put_integer(ctx, r->data, (int64_t) r->number));
	for (uint64_t i = 0; i < r->json->nodes[at].n; i++)
	{
		TLV_TRY(page_put_member(ctx, r, tlv_json_text(r->json, key), key + 1));
		key = r->json->nodes[key + 1].next;
	}
	return tlv_json_put(ctx, r->data, "}");
}

tlv_status
page_put_examples(tlv_context *ctx, const tlv_json *json, size_t k, tlv_json_writer *data)
{
	example_reader r = {.json = json, .k = k, .data = data};
	size_t at = 1, start = data->n, *given;
	bool first = true;

	if (json->nodes[0].type != TLV_JSON_ARRAY)
	{
		r.number = 0;
		tlv_fail(ctx, TLV_BAD_PARAMETER, "examples are not a JSON array");
		return tlv_fail_hint(ctx, "Aggregate the objects with json_agg.");
	}
	if (k == 0 && json->nodes[0].n > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a model without components has no examples");
		return tlv_fail_hint(ctx, "Omit examples.");
	}
	TLV_TRY_NEW0(ctx, given, k + 1);
	TLV_TRY(tlv_page_put_key(ctx, data, "examples"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (uint64_t i = 0; i < json->nodes[0].n; i++, at = json->nodes[at].next)
	{
		size_t component = 0;

		TLV_TRY_CONTINUE_AT(ctx, i);
		r.number = i + 1;
		TLV_TRY(read_component(ctx, &r, at, &component));
		if (given[component]++ >= TLV_PAGE_EXAMPLES || data->n - start > TLV_PAGE_EXAMPLE_ALL)
			continue;
		TLV_TRY(put_example(ctx, &r, at, first));
		first = false;
	}
	TLV_TRY(tlv_json_put(ctx, data, "]"));
	TLV_TRY(tlv_page_put_key(ctx, data, "given"));
	TLV_TRY(tlv_page_put_integers(ctx, data, k, (const int64_t *) given));
	tlv_free(ctx, given);
	return TLV_OK;
}
