/*
 * json_fields.h - how the fields of a model are read from JSON (json_fields.c), for json_read.c.
 */
#ifndef TENSORLV_JSON_FIELDS_H
#define TENSORLV_JSON_FIELDS_H

#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"

/* Fields of one kind at most. */
#define MOST_FIELDS 64
/* The key of the list of all keys that sections are of, in the order of these. */
#define JSON_ORDER "sections"

typedef struct json_reader
{
	tlv_json json;
	const tlv_kind *kind;
	const tlv_field *field; /* of which errors are */
	size_t n;
	tlv_given given[MOST_FIELDS];
	tlv_diagnostics diagnostics;
} json_reader;

/* What a field is called in the JSON. */
extern const char *json_field_key(const tlv_field *field);

/* A node of the JSON. */
extern const tlv_json_node *json_node_at(const json_reader *reader, size_t at);

/* Is it an array? */
extern bool json_is_array(const json_reader *reader, size_t at);

/* Reads a finite number; false if it is not one. */
extern bool json_read_real(const json_reader *reader, size_t at, double *value);

/* Reads an integer, perhaps with a fraction of zeros; false if it is not one. */
extern bool json_read_whole(const json_reader *reader, size_t at, int64_t *value);

/* Of what element the section of a field is declared. */
extern tlv_element json_declared_element(const json_reader *reader, const tlv_field *field);

/* Room for rows x columns numbers of a field.  Error: memory. */
extern tlv_status json_allocate_numbers(tlv_context *ctx, tlv_given *given, size_t rows,
										size_t columns);

/* Reads a list of strings, or null: offsets (number of strings + 1) and bytes; errors name the
 * field `what`. Errors: TLV_BAD_PARAMETER, memory. */
extern tlv_status json_read_texts(tlv_context *ctx, const json_reader *reader, size_t at,
								  const char *what, int64_t **offsets, char **bytes);

/* The value of a field, in its form.  Errors: TLV_BAD_PARAMETER that names the field and the entry,
 * memory, TLV_CANCELLED. */
extern tlv_status json_read_form(tlv_context *ctx, const json_reader *reader, size_t at,
								 tlv_given *given);

#endif /* TENSORLV_JSON_FIELDS_H */
