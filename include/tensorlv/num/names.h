/*
 * names.h - what ids are called: texts of ids that were made from texts.
 *
 * An id that was made from a text is a hash of it; the text is kept beside.  A stored list has the
 * names of n ids, in their order, one behind the other: offsets (n + 1) and bytes.  An id whose
 * name is empty has none: it is a number, or the id of the empty text.
 */
#ifndef TENSORLV_NAMES_H
#define TENSORLV_NAMES_H

#include "tensorlv/num/context.h"
#include "tensorlv/num/frame.h"

/* A text, not ended by '\0'. */
typedef struct tlv_text
{
	const char *bytes; /* NULL: there is none */
	size_t length;
} tlv_text;

/* Whether they have the same bytes; a text without bytes is as the empty one. */
extern bool tlv_text_equal(tlv_text a, tlv_text b);

/* Length of the longest prefix of at most the given number of bytes that ends between two
 * characters of UTF-8. */
extern size_t tlv_cut_length(tlv_text text, size_t most);

/* The same for what an error shows of a text. */
extern int tlv_shown_length(tlv_text text);

/* The character of UTF-8 that begins at bytes, of which there are left, and how many it takes:
 * U+FFFD of one byte where there is none.  Overlong forms, surrogates and what is beyond Unicode
 * are none. */
extern uint32_t tlv_utf8_next(const char *bytes, size_t left, size_t *taken);

/* The bytes of a character, at most 4; returns their number. */
extern size_t tlv_utf8_put(uint32_t character, char *to);

/* ---- lines ---- */

/*
 * Names may be kept one a line, each ended by '\n'.  A line end within a name is '\0' there, which
 * no text of the caller's holds.  In place, of n bytes: from names to lines, and back.
 */
extern void tlv_lines_encode(char *bytes, size_t n);
extern void tlv_lines_decode(char *bytes, size_t n);

/* ---- stored lists ---- */

typedef struct tlv_name_list
{
	const int64_t *offsets; /* n + 1, from 0; NULL: no id has a name */
	const char *bytes;
} tlv_name_list;

/* Sections: the offsets (int64, n + 1) and the bytes, called by these names. */
typedef struct tlv_name_sections
{
	const char *offsets, *bytes;
} tlv_name_sections;

/* The list of a frame; empty where it has no such sections. */
extern tlv_name_list tlv_name_list_of(const tlv_frame *frame, const tlv_name_sections *sections);

/* Adds the sections to a frame, unless the list of n names is empty; it must stay until the frame
 * is finished. */
extern void tlv_name_list_add(tlv_frame_builder *builder, const tlv_name_sections *sections,
							  size_t n, const tlv_name_list *list);

/* Checks that a frame has both sections, for n ids, or neither; what they hold need not be of an
 * encoding.  Error: TLV_CORRUPT. */
extern tlv_status tlv_name_list_check(tlv_context *ctx, const tlv_frame *frame,
									  const tlv_name_sections *sections, size_t n);

/* The same of "name_offsets" and "names", which the frame has: n ids have names. */
extern tlv_status tlv_id_names_check(tlv_context *ctx, const tlv_frame *frame, size_t n);

/* The name of the i-th id, bytes NULL where it has none. */
static inline tlv_text
tlv_name_at(const tlv_name_list *list, size_t i)
{
	if (list->offsets == NULL || list->offsets[i] == list->offsets[i + 1])
		return (tlv_text){NULL, 0};
	return (tlv_text){list->bytes + list->offsets[i],
					  (size_t) (list->offsets[i + 1] - list->offsets[i])};
}

/* ---- names that are being collected ---- */

typedef struct tlv_name_slot
{
	int64_t id;
	size_t at;	   /* first byte */
	size_t length; /* plus 1; 0: the slot is free */
} tlv_name_slot;

/* All zero it is empty, without memory. */
typedef struct tlv_name_table
{
	size_t n;
	tlv_name_slot *slots; /* hash.h */
	size_t mask;
	char *bytes;
	size_t filled, room;
} tlv_name_table;

/*
 * Notes the name of an id; an empty one says nothing.  Errors: TLV_BAD_DATA where it has another
 * one already (two texts of one hash), memory.
 */
extern tlv_status tlv_name_table_add(tlv_context *ctx, tlv_name_table *table, int64_t id,
									 tlv_text name);

/* The same for the n ids of a list. */
extern tlv_status tlv_name_table_add_list(tlv_context *ctx, tlv_name_table *table, size_t n,
										  const int64_t *ids, const tlv_name_list *list);

/* The same for the ids "name_ids" of a frame, whose list is in "name_offsets" and "names"; nothing
 * where it has none. */
extern tlv_status tlv_name_table_add_frame(tlv_context *ctx, tlv_name_table *table,
										   const tlv_frame *frame);

/* The name of an id, bytes NULL where it has none. */
extern tlv_text tlv_name_table_find(const tlv_name_table *table, int64_t id);

/*
 * The list of n ids: offsets has room for n + 1, bytes for the table's `filled`; false, and nothing
 * is written, where none of them has a name.
 */
extern bool tlv_name_table_list(const tlv_name_table *table, size_t n, const int64_t *ids,
								int64_t *offsets, char *bytes);

/* The ids that have names, ascending: the table's n.  Errors: memory, TLV_CANCELLED. */
extern tlv_status tlv_name_table_ids(tlv_context *ctx, const tlv_name_table *table, int64_t *ids);

extern void tlv_name_table_free(tlv_context *ctx, tlv_name_table *table);

#endif /* TENSORLV_NAMES_H */
