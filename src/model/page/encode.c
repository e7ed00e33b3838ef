/*
 * encode.c - texts and numbers of a page as printable ASCII (page.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Characters that neither JSON nor HTML nor COPY gives a meaning, and that stay as they are. */
static bool
is_harmless(char c)
{
	return (unsigned char) c >= 0x80 || (c >= ' ' && c < 0x7f && strchr("\"\\<>&%", c) == NULL);
}

tlv_status
tlv_page_put_text(tlv_context *ctx, tlv_json_writer *data, tlv_text text)
{
	char code[4];

	if (text.bytes == NULL)
		return tlv_json_put(ctx, data, "null");
	TLV_TRY(tlv_json_put(ctx, data, "\""));
	for (size_t i = 0; i < text.length; i++)
	{
		size_t first = i;

		while (i < text.length && is_harmless(text.bytes[i]))
			i++;
		TLV_TRY(tlv_json_append(ctx, data, text.bytes + first, i - first));
		if (i == text.length)
			break;
		snprintf(code, sizeof(code), "%%%02X", (unsigned char) text.bytes[i]);
		TLV_TRY(tlv_json_put(ctx, data, code));
	}
	return tlv_json_put(ctx, data, "\"");
}

/* Bytes that one byte of a text has in the page: what is not ASCII is percent-encoded there, too.
 */
static size_t
encoded_length(char c)
{
	return is_harmless(c) && (unsigned char) c < 0x80 ? 1 : 3;
}

tlv_text
tlv_page_cut_name(tlv_text name, size_t most)
{
	size_t length = 0;

	for (size_t bytes = 0; length < name.length; length++)
	{
		bytes += encoded_length(name.bytes[length]);
		if (bytes > most)
			break;
	}
	name.length = tlv_cut_length(name, length);
	return name;
}

void
tlv_page_count_name(tlv_page_lengths *lengths, tlv_text name)
{
	size_t bytes = 0;

	for (size_t i = 0; i < name.length && bytes < TLV_PAGE_TEXT; i++)
		bytes += encoded_length(name.bytes[i]);
	lengths->n[bytes < TLV_PAGE_TEXT ? bytes : TLV_PAGE_TEXT]++;
}

size_t
tlv_page_name_length(const tlv_page_lengths *lengths)
{
	/* Bytes that a name of a long list keeps. */
	const int least_name = 36;
	size_t longer = 0, bytes = 0, most = 0;

	for (size_t length = 1; length <= TLV_PAGE_TEXT; length++)
		longer += lengths->n[length];
	/* Each step adds a byte to the names that are longer than the limit so far. */
	while (most < TLV_PAGE_TEXT && (most < least_name || bytes + longer <= TLV_PAGE_NAMES))
	{
		bytes += longer;
		longer -= lengths->n[++most];
	}
	return most;
}

/* One byte as HTML has it; control characters are spaces. */
static tlv_status
put_plain_byte(tlv_context *ctx, tlv_json_writer *plain, char c)
{
	char text[8] = {c, '\0'};

	if ((unsigned char) c < ' ' || c == 0x7f)
		text[0] = ' ';
	else if (strchr("\"\\<>&'", c) != NULL)
		snprintf(text, sizeof(text), "&#%d;", c);
	return tlv_json_put(ctx, plain, text);
}

tlv_status
tlv_page_put_plain(tlv_context *ctx, tlv_json_writer *plain, tlv_text text)
{
	for (size_t i = 0; i < text.length; i++)
		TLV_TRY(put_plain_byte(ctx, plain, text.bytes[i]));
	return TLV_OK;
}

tlv_status
tlv_page_put_number(tlv_context *ctx, tlv_json_writer *data, double value, int digits)
{
	char number[40];
	const char *zero = number;

	if (!isfinite(value))
		return tlv_json_put(ctx, data, "null");
	snprintf(number, sizeof(number), "%.*g", digits, value);
	if (strcmp(number, "-0") == 0)
		zero++;
	return tlv_json_put(ctx, data, zero);
}

tlv_status
tlv_page_put_integers(tlv_context *ctx, tlv_json_writer *data, size_t n, const int64_t *values)
{
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0)
			TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_json_put_integer(ctx, data, values[i]));
	}
	return tlv_json_put(ctx, data, "]");
}

tlv_status
tlv_page_put_key(tlv_context *ctx, tlv_json_writer *data, const char *key)
{
	TLV_TRY(tlv_json_put(ctx, data, ",\""));
	TLV_TRY(tlv_json_put(ctx, data, key));
	return tlv_json_put(ctx, data, "\":");
}

/* A character above ASCII. */
static size_t
print_character(char *to, uint32_t character, bool percent)
{
	char utf8[4];
	size_t n = 0;

	if (!percent)
		return (size_t) snprintf(to, 16, "&#%" PRIu32 ";", character);
	for (size_t i = 0, length = tlv_utf8_put(character, utf8); i < length; i++)
		n += (size_t) snprintf(to + n, 4, "%%%02X", (unsigned char) utf8[i]);
	return n;
}

tlv_status
tlv_page_put_ascii(tlv_context *ctx, tlv_json_writer *to, tlv_text utf8, bool percent)
{
	char encoded[16];
	size_t looked = 0;

	for (size_t i = 0, taken; i < utf8.length; i += taken)
	{
		TLV_TRY_CONTINUE_AT(ctx, looked++);
		taken = 0;
		while (i + taken < utf8.length && (unsigned char) utf8.bytes[i + taken] < 0x80)
			taken++;
		TLV_TRY(tlv_json_append(ctx, to, utf8.bytes + i, taken));
		if (taken == 0)
		{
			uint32_t character = tlv_utf8_next(utf8.bytes + i, utf8.length - i, &taken);

			TLV_TRY(
				tlv_json_append(ctx, to, encoded, print_character(encoded, character, percent)));
		}
	}
	return TLV_OK;
}
