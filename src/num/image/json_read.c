/*
 * json_read.c - reading JSON texts (json.h).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/json.h"

/* What is open: an array or object, and how many entries it has. */
typedef struct json_open
{
	size_t node;
	uint64_t n;
} json_open;

static tlv_status
refuse_text(tlv_context *ctx, const tlv_json *json, const char *what)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s at byte %zu of the JSON", what, json->at + 1);
}

static void
json_read_skip_space(tlv_json *json)
{
	while (json->at < json->length &&
		   (json->text[json->at] == ' ' || json->text[json->at] == '\t' ||
			json->text[json->at] == '\n' || json->text[json->at] == '\r'))
		json->at++;
}

/* The next character is that one, which is taken. */
static bool
take(tlv_json *json, char c)
{
	if (json->at >= json->length || json->text[json->at] != c)
		return false;
	json->at++;
	return true;
}

static tlv_status
add_node(tlv_context *ctx, tlv_json *json, tlv_json_type type, size_t *node)
{
	TLV_TRY(tlv_reserve(ctx, &json->nodes, json->n + 1, &json->room, sizeof(tlv_json_node)));
	TLV_TRY_CONTINUE_AT(ctx, json->n);
	*node = json->n++;
	json->nodes[*node] = (tlv_json_node){.type = type, .next = (uint32_t) json->n};
	return TLV_OK;
}

/* ---- strings ---- */

/* The value of four hexadecimal digits, or below 0 if they are not digits. */
static int32_t
read_hex(const tlv_json *json, size_t at)
{
	int32_t value = 0;

	for (size_t i = at; i < at + 4; i++)
	{
		char c = i < json->length ? json->text[i] : '\0';

		if (c >= '0' && c <= '9')
			value = value * 16 + (c - '0');
		else if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
			value = value * 16 + ((c | 0x20) - 'a' + 10);
		else
			return -1;
	}
	return value;
}

/* Behind "\u". */
static tlv_status
read_character(tlv_context *ctx, tlv_json *json, bool ascii)
{
	int32_t c = read_hex(json, json->at), low;

	if (c <= 0)
		return refuse_text(ctx, json, "a character that cannot be");
	json->at += 4;
	if (c >= 0xd800 && c < 0xdc00)
	{
		low = take(json, '\\') && take(json, 'u') ? read_hex(json, json->at) : -1;
		if (low < 0xdc00 || low > 0xdfff)
			return refuse_text(ctx, json, "half a character");
		json->at += 4;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	else if (c >= 0xdc00 && c <= 0xdfff)
		return refuse_text(ctx, json, "half a character");
	if (ascii && c > 127)
		return refuse_text(ctx, json, "a character that the encoding may not have");
	json->filled += tlv_utf8_put((uint32_t) c, json->strings + json->filled);
	return TLV_OK;
}

/* Behind a backslash. */
static tlv_status
read_escape(tlv_context *ctx, tlv_json *json, bool ascii)
{
	static const char names[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (take(json, 'u'))
		return read_character(ctx, json, ascii);
	found = json->at < json->length && json->text[json->at] != '\0'
				? strchr(names, json->text[json->at])
				: NULL;
	if (found == NULL)
		return refuse_text(ctx, json, "an unknown escape");
	json->at++;
	json->strings[json->filled++] = meant[found - names];
	return TLV_OK;
}

/* Behind the first quote. */
static tlv_status
read_string(tlv_context *ctx, tlv_json *json, bool ascii)
{
	size_t begin = json->filled, node;

	TLV_TRY(add_node(ctx, json, TLV_JSON_STRING, &node));
	while (!take(json, '"'))
	{
		if (json->at >= json->length || (unsigned char) json->text[json->at] < 0x20)
			return refuse_text(ctx, json, "a string without an end");
		if (take(json, '\\'))
			TLV_TRY(read_escape(ctx, json, ascii));
		else
			json->strings[json->filled++] = json->text[json->at++];
	}
	json->nodes[node].string.offset = (uint32_t) begin;
	json->nodes[node].string.length = (uint32_t) (json->filled - begin);
	return TLV_OK;
}

/* ---- numbers ---- */

static size_t
take_digits(tlv_json *json)
{
	size_t n = 0;

	for (; json->at < json->length && json->text[json->at] >= '0' && json->text[json->at] <= '9';
		 json->at++)
		n++;
	return n;
}

/* A text of digits as int64; false where it does not fit, and for -0. */
static bool
read_integer(const char *text, size_t digits, bool negative, int64_t *value)
{
	/* Digits of an integer that surely fits. */
	const int integer_digits = 18;
	char *end;

	errno = 0;
	*value = strtoll(text, &end, 10);
	return (digits <= integer_digits || errno == 0) && !(negative && *value == 0);
}

static tlv_status
read_number(tlv_context *ctx, tlv_json *json)
{
	const char *text = json->text + json->at;
	bool negative = take(json, '-'), zero = json->at < json->length && json->text[json->at] == '0';
	size_t digits = take_digits(json), node;
	bool whole = true, right = digits > 0 && !(zero && digits > 1);
	int64_t integer = 0;

	if (take(json, '.'))
	{
		whole = false;
		right &= take_digits(json) > 0;
	}
	if (take(json, 'e') || take(json, 'E'))
	{
		whole = false;
		(void) (take(json, '+') || take(json, '-'));
		right &= take_digits(json) > 0;
	}
	if (!right)
		return refuse_text(ctx, json, "no number");
	whole = whole && read_integer(text, digits, negative, &integer);
	TLV_TRY(add_node(ctx, json, whole ? TLV_JSON_INTEGER : TLV_JSON_NUMBER, &node));
	if (whole)
	{
		json->nodes[node].integer = integer;
		return TLV_OK;
	}
	json->nodes[node].number = strtod(text, NULL);
	return isfinite(json->nodes[node].number) ? TLV_OK
											  : refuse_text(ctx, json, "a number out of range");
}

/* ---- values ---- */

static bool
take_word(tlv_json *json, const char *word)
{
	size_t n = strlen(word);

	if (json->length - json->at < n || memcmp(json->text + json->at, word, n) != 0)
		return false;
	json->at += n;
	return true;
}

/* Anything that holds nothing else. */
static tlv_status
read_scalar(tlv_context *ctx, tlv_json *json, bool ascii)
{
	size_t node;

	if (take(json, '"'))
		return read_string(ctx, json, ascii);
	if (take_word(json, "null"))
		return add_node(ctx, json, TLV_JSON_NULL, &node);
	if (take_word(json, "true"))
		return add_node(ctx, json, TLV_JSON_TRUE, &node);
	if (take_word(json, "false"))
		return add_node(ctx, json, TLV_JSON_FALSE, &node);
	return read_number(ctx, json);
}

/* A member's key and the colon. */
static tlv_status
read_key(tlv_context *ctx, tlv_json *json, bool ascii)
{
	json_read_skip_space(json);
	if (!take(json, '"'))
		return refuse_text(ctx, json, "no key");
	TLV_TRY(read_string(ctx, json, ascii));
	json_read_skip_space(json);
	return take(json, ':') ? TLV_OK : refuse_text(ctx, json, "no colon");
}

/* Closes what ends here, and all around it that ends behind it; *depth is what remains open. */
static tlv_status
close_values(tlv_context *ctx, tlv_json *json, json_open *open, size_t *depth)
{
	while (*depth > 0)
	{
		json_open *inner = open + *depth - 1;
		bool object = json->nodes[inner->node].type == TLV_JSON_OBJECT;

		json_read_skip_space(json);
		if (take(json, ','))
			return TLV_OK;
		if (!take(json, object ? '}' : ']'))
			return refuse_text(ctx, json, "no comma and no end");
		json->nodes[inner->node].n = inner->n;
		json->nodes[inner->node].next = (uint32_t) json->n;
		--*depth;
	}
	return TLV_OK;
}

/* An array or object begins; *empty: and ends. */
static tlv_status
open_value(tlv_context *ctx, tlv_json *json, bool object, json_open *open, size_t *depth,
		   bool *empty)
{
	size_t node;

	TLV_TRY(add_node(ctx, json, object ? TLV_JSON_OBJECT : TLV_JSON_ARRAY, &node));
	json_read_skip_space(json);
	*empty = take(json, object ? '}' : ']');
	if (*empty)
		return TLV_OK;
	if (*depth == TLV_JSON_DEPTH)
		return refuse_text(ctx, json, "too many arrays in each other");
	open[(*depth)++] = (json_open){.node = node};
	return TLV_OK;
}

static tlv_status
read_values(tlv_context *ctx, tlv_json *json, bool ascii)
{
	json_open open[TLV_JSON_DEPTH];
	size_t depth = 0;

	do
	{
		bool object, complete = true;

		if (depth > 0)
		{
			open[depth - 1].n++;
			if (json->nodes[open[depth - 1].node].type == TLV_JSON_OBJECT)
				TLV_TRY(read_key(ctx, json, ascii));
		}
		json_read_skip_space(json);
		object = take(json, '{');
		if (object || take(json, '['))
			TLV_TRY(open_value(ctx, json, object, open, &depth, &complete));
		else
			TLV_TRY(read_scalar(ctx, json, ascii));
		if (complete)
			TLV_TRY(close_values(ctx, json, open, &depth));
	} while (depth > 0);
	json_read_skip_space(json);
	return json->at == json->length ? TLV_OK : refuse_text(ctx, json, "something behind the end");
}

tlv_status
tlv_json_read(tlv_context *ctx, const char *text, size_t length, bool ascii, tlv_json *json)
{
	*json = (tlv_json){.text = text, .length = length};
	if (length > UINT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "the JSON has %zu bytes", length);
	TLV_TRY_NEW(ctx, json->strings, length + 1);
	return read_values(ctx, json, ascii);
}

void
tlv_json_free(tlv_context *ctx, tlv_json *json)
{
	tlv_free(ctx, json->strings);
	tlv_free(ctx, json->nodes);
	*json = (tlv_json){.n = 0};
}

size_t
tlv_json_member(const tlv_json *json, size_t object, const char *key)
{
	size_t at = object + 1;

	for (uint64_t i = 0; i < json->nodes[object].n; i++)
	{
		if (tlv_text_equal(tlv_json_text(json, at), (tlv_text){key, strlen(key)}))
			return at + 1;
		at = json->nodes[at + 1].next;
	}
	return 0;
}
