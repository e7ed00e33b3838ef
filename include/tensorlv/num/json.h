/*
 * json.h - JSON texts (RFC 8259): read into a flat list of nodes, and written piece by piece.
 */
#ifndef TENSORLV_JSON_H
#define TENSORLV_JSON_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/names.h"

/* ---- reading ---- */

typedef enum tlv_json_type
{
	TLV_JSON_NULL,
	TLV_JSON_FALSE,
	TLV_JSON_TRUE,
	TLV_JSON_INTEGER, /* written without fraction and exponent, within int64 */
	TLV_JSON_NUMBER,
	TLV_JSON_STRING,
	TLV_JSON_ARRAY,
	TLV_JSON_OBJECT /* of every member its key, a string, and its value */
} tlv_json_type;

/* Nodes lie in the order of the text: the first child of node i is i + 1. */
typedef struct tlv_json_node
{
	uint32_t type; /* tlv_json_type */
	uint32_t next; /* the first node behind it and all it holds */
	union
	{
		double number;
		int64_t integer;
		uint64_t n; /* entries of an array, members of an object */
		struct
		{
			uint32_t offset, length; /* in the document's strings */
		} string;
	};
} tlv_json_node;

typedef struct tlv_json
{
	size_t n;
	tlv_json_node *nodes;
	char *strings; /* unescaped */
	size_t filled;
	/* the reader's own */
	size_t room;
	const char *text;
	size_t length, at;
} tlv_json;

/* Arrays and objects in each other. */
#define TLV_JSON_DEPTH 32

/*
 * Reads a text of length bytes, behind which there is a '\0'.  Escapes are resolved, those of
 * characters to UTF-8; `ascii` refuses such as are not ASCII, of texts in another encoding.
 * Errors: TLV_BAD_PARAMETER for what is no JSON, with the place, and for numbers beyond those of
 * float8; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_json_read(tlv_context *ctx, const char *text, size_t length, bool ascii,
								tlv_json *json);
extern void tlv_json_free(tlv_context *ctx, tlv_json *json);

/* The text of a string. */
static inline tlv_text
tlv_json_text(const tlv_json *json, size_t node)
{
	return (tlv_text){json->strings + json->nodes[node].string.offset,
					  json->nodes[node].string.length};
}

/* The value of a member of an object; 0 where it has none. */
extern size_t tlv_json_member(const tlv_json *json, size_t object, const char *key);

/* ---- writing ---- */

/* Bytes that a number takes at most. */
#define TLV_JSON_NUMBER_ROOM 32

typedef struct tlv_json_writer
{
	char *bytes;
	size_t n, room;
	size_t most;						   /* bytes that there may be */
	int (*number)(double value, char *to); /* writes the shortest text that reads as the value */
} tlv_json_writer;

/* Errors: memory, TLV_LIMIT for too many bytes. */
extern tlv_status tlv_json_put(tlv_context *ctx, tlv_json_writer *writer, const char *bytes);
extern tlv_status tlv_json_append(tlv_context *ctx, tlv_json_writer *writer, const char *bytes,
								  size_t n);
extern tlv_status tlv_json_put_number(tlv_context *ctx, tlv_json_writer *writer, double value);
extern tlv_status tlv_json_put_integer(tlv_context *ctx, tlv_json_writer *writer, int64_t value);
extern tlv_status tlv_json_put_string(tlv_context *ctx, tlv_json_writer *writer, tlv_text text);

#endif /* TENSORLV_JSON_H */
