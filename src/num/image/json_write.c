/*
 * json_write.c - writing JSON texts (json.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/json.h"

/* Bytes that there is room for at first. */
#define FIRST_ROOM ((size_t) 4096)

static tlv_status
reserve(tlv_context *ctx, tlv_json_writer *writer, size_t more)
{
	size_t room = writer->room < FIRST_ROOM ? FIRST_ROOM : writer->room;
	void *grown;

	if (writer->n + more > writer->most)
		return tlv_fail(ctx, TLV_LIMIT, "the JSON would have more than %zu bytes", writer->most);
	if (writer->room - writer->n >= more)
		return TLV_OK;
	while (room - writer->n < more)
		room += room / 2;
	TLV_TRY_CONTINUE(ctx);
	grown = tlv_realloc(ctx, writer->bytes, room, 1);
	TLV_TRY_ALLOC(ctx, grown);
	writer->bytes = grown;
	writer->room = room;
	return TLV_OK;
}

tlv_status
tlv_json_append(tlv_context *ctx, tlv_json_writer *writer, const char *bytes, size_t n)
{
	TLV_TRY(reserve(ctx, writer, n));
	if (n > 0)
		memcpy(writer->bytes + writer->n, bytes, n);
	writer->n += n;
	return TLV_OK;
}

tlv_status
tlv_json_put(tlv_context *ctx, tlv_json_writer *writer, const char *bytes)
{
	return tlv_json_append(ctx, writer, bytes, strlen(bytes));
}

tlv_status
tlv_json_put_number(tlv_context *ctx, tlv_json_writer *writer, double value)
{
	TLV_TRY(reserve(ctx, writer, TLV_JSON_NUMBER_ROOM));
	writer->n += (size_t) writer->number(value, writer->bytes + writer->n);
	return TLV_OK;
}

tlv_status
tlv_json_put_integer(tlv_context *ctx, tlv_json_writer *writer, int64_t value)
{
	TLV_TRY(reserve(ctx, writer, TLV_JSON_NUMBER_ROOM));
	writer->n +=
		(size_t) snprintf(writer->bytes + writer->n, TLV_JSON_NUMBER_ROOM, "%" PRId64, value);
	return TLV_OK;
}

tlv_status
tlv_json_put_string(tlv_context *ctx, tlv_json_writer *writer, tlv_text text)
{
	TLV_TRY(reserve(ctx, writer, 6 * text.length + 2));
	writer->bytes[writer->n++] = '"';
	for (size_t i = 0; i < text.length; i++)
	{
		unsigned char c = (unsigned char) text.bytes[i];

		if (c < 0x20)
		{
			writer->n += (size_t) snprintf(writer->bytes + writer->n, 8, "\\u%04x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			writer->bytes[writer->n++] = '\\';
		writer->bytes[writer->n++] = (char) c;
	}
	writer->bytes[writer->n++] = '"';
	return TLV_OK;
}
