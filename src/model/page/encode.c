/*
 * encode.c - texts and numbers of a page as printable ASCII (page.h).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Bytes of a piece that is handed to the writer. */
#define PIECE 256

/* Characters that neither JSON nor HTML nor COPY gives a meaning, and that stay as they are. */
static bool
is_harmless(char c)
{
	return (unsigned char) c >= 0x80 || (c >= ' ' && c < 0x7f && strchr("\"\\<>&%", c) == NULL);
}

tlv_status
tlv_page_put_text(tlv_context *ctx, tlv_json_writer *data, tlv_text text)
{
	char piece[PIECE + 8];
	size_t n = 0;

	if (text.bytes == NULL)
		return tlv_json_put(ctx, data, "null");
	TLV_TRY(tlv_json_put(ctx, data, "\""));
	for (size_t i = 0; i < text.length; i++)
	{
		char c = text.bytes[i];

		if (is_harmless(c))
			piece[n++] = c;
		else
			n += (size_t) snprintf(piece + n, 4, "%%%02X", (unsigned char) c);
		if (n < PIECE && i + 1 < text.length)
			continue;
		piece[n] = '\0';
		n = 0;
		TLV_TRY(tlv_json_put(ctx, data, piece));
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

/* ---- UTF-8 ---- */

/* The character at bytes and how many bytes it takes; U+FFFD of one byte where it is none: overlong
 * forms, surrogates and what is beyond Unicode are none. */
static uint32_t
next_character(const unsigned char *bytes, size_t left, size_t *taken)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : bytes[0] >= 0xc0 ? 2 : 1;
	uint32_t character = bytes[0] & (0xffu >> (length + 1));

	*taken = 1;
	if (length == 1 || length > left || bytes[0] > 0xf4)
		return 0xfffd;
	for (size_t i = 1; i < length; i++)
	{
		if ((bytes[i] & 0xc0) != 0x80)
			return 0xfffd;
		character = character << 6 | (bytes[i] & 0x3f);
	}
	if (character < least[length] || character > 0x10ffff ||
		(character >= 0xd800 && character < 0xe000))
		return 0xfffd;
	*taken = length;
	return character;
}

/* A character above ASCII. */
static size_t
print_character(char *to, uint32_t character, bool percent)
{
	unsigned char utf8[4];
	size_t length = character >= 0x10000 ? 4 : character >= 0x800 ? 3 : 2, n = 0;

	if (!percent)
		return (size_t) snprintf(to, 16, "&#%" PRIu32 ";", character);
	for (size_t i = length; i-- > 1; character >>= 6)
		utf8[i] = (unsigned char) (0x80 | (character & 0x3f));
	utf8[0] = (unsigned char) ((length == 4 ? 0xf0 : length == 3 ? 0xe0 : 0xc0) | character);
	for (size_t i = 0; i < length; i++)
		n += (size_t) snprintf(to + n, 4, "%%%02X", utf8[i]);
	return n;
}

tlv_status
tlv_page_put_ascii(tlv_context *ctx, tlv_json_writer *to, tlv_text utf8, bool percent)
{
	char piece[PIECE + 16];
	size_t n = 0;

	for (size_t i = 0, taken; i < utf8.length; i += taken)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		taken = 1;
		if ((unsigned char) utf8.bytes[i] < 0x80)
			piece[n++] = utf8.bytes[i];
		else
			n += print_character(
				piece + n,
				next_character((const unsigned char *) utf8.bytes + i, utf8.length - i, &taken),
				percent);
		if (n < PIECE && i + taken < utf8.length)
			continue;
		piece[n] = '\0';
		n = 0;
		TLV_TRY(tlv_json_put(ctx, to, piece));
	}
	return TLV_OK;
}
