/*
 * names.c - what ids are called (names.h).
 */
#include "tensorlv/num/names.h"

#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/bag.h"

#define TLV_HASH_NAME			   name
#define TLV_HASH_TABLE			   tlv_name_table
#define TLV_HASH_SLOT			   tlv_name_slot
#define TLV_HASH_USED(table, slot) ((slot).length != 0)
#define TLV_HASH_KEY(table, slot)  ((uint64_t) (slot).id)
#include "tensorlv/num/hash.h"

/* ---- stored lists ---- */

static const tlv_name_sections id_name_sections = {"name_offsets", "names"};

tlv_name_list
tlv_name_list_of(const tlv_frame *frame, const tlv_name_sections *sections)
{
	const tlv_section *bytes = tlv_frame_find(frame, sections->bytes);

	if (bytes == NULL)
		return (tlv_name_list){NULL, NULL};
	return (tlv_name_list){tlv_frame_int64(frame, sections->offsets),
						   tlv_section_data(frame, bytes)};
}

void
tlv_name_list_add(tlv_frame_builder *builder, const tlv_name_sections *sections, size_t n,
				  const tlv_name_list *list)
{
	if (list->offsets == NULL)
		return;
	tlv_frame_add(builder, sections->offsets, TLV_INT64, n + 1, 1, list->offsets);
	tlv_frame_add(builder, sections->bytes, TLV_BYTES, (uint64_t) list->offsets[n], 1, list->bytes);
}

tlv_status
tlv_name_list_check(tlv_context *ctx, const tlv_frame *frame, const tlv_name_sections *sections,
					size_t n)
{
	const tlv_section *offset = tlv_frame_find(frame, sections->offsets);
	const tlv_section *bytes = tlv_frame_find(frame, sections->bytes);
	const int64_t *offsets = NULL;

	if (offset == NULL && bytes == NULL)
		return TLV_OK;
	if (offset == NULL || bytes == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "of sections \"%s\" and \"%s\" one is missing",
						sections->offsets, sections->bytes);
	TLV_TRY(tlv_frame_require(ctx, frame, sections->offsets, TLV_INT64, n + 1, 1,
							  (const void **) &offsets));
	TLV_TRY(tlv_frame_require(ctx, frame, sections->bytes, TLV_BYTES, bytes->rows, 1, NULL));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (offsets[i + 1] < offsets[i])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" does not ascend", sections->offsets);
	}
	if (offsets[0] != 0 || offsets[n] <= 0 || (uint64_t) offsets[n] != bytes->rows)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" does not cover the names",
						sections->offsets);
	if (memchr(tlv_section_data(frame, bytes), 0, bytes->rows) != NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "a name has a zero byte");
	return TLV_OK;
}

tlv_status
tlv_id_names_check(tlv_context *ctx, const tlv_frame *frame, size_t n)
{
	if (n > 0)
		return tlv_name_list_check(ctx, frame, &id_name_sections, n);
	if (tlv_frame_int64(frame, "name_offsets")[0] != 0 || tlv_frame_find(frame, "names")->rows > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "names of no ids");
	return TLV_OK;
}

/* ---- names that are being collected ---- */

bool
tlv_text_equal(tlv_text a, tlv_text b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.bytes, b.bytes, a.length) == 0);
}

size_t
tlv_cut_length(tlv_text name, size_t most)
{
	size_t length = name.length < most ? name.length : most;

	while (length > 0 && length < name.length &&
		   ((unsigned char) name.bytes[length] & 0xc0) == 0x80)
		length--;
	return length;
}

int
tlv_shown_length(tlv_text name)
{
	/* Bytes of a name that an error shows. */
	const int shown_length = 40;

	return (int) tlv_cut_length(name, shown_length);
}

uint32_t
tlv_utf8_next(const char *bytes, size_t left, size_t *taken)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t character = (unsigned char) bytes[0];
	size_t length = character >= 0xf0 ? 4 : character >= 0xe0 ? 3 : character >= 0xc0 ? 2 : 1;

	*taken = 1;
	if (character < 0x80)
		return character;
	if (length == 1 || length > left || character > 0xf4)
		return 0xfffd;
	character &= 0xffu >> (length + 1);
	for (size_t i = 1; i < length; i++)
	{
		if (((unsigned char) bytes[i] & 0xc0) != 0x80)
			return 0xfffd;
		character = character << 6 | ((unsigned char) bytes[i] & 0x3f);
	}
	if (character < least[length] || character > 0x10ffff ||
		(character >= 0xd800 && character < 0xe000))
		return 0xfffd;
	*taken = length;
	return character;
}

size_t
tlv_utf8_put(uint32_t character, char *to)
{
	static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
	size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; character >>= 6)
		to[i] = (char) (0x80 | (character & 0x3f));
	to[0] = (char) (first[n] | character);
	return n;
}

static void
replace_bytes(char *bytes, size_t n, char from, char to)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] == from)
			bytes[i] = to;
}

void
tlv_lines_encode(char *bytes, size_t n)
{
	replace_bytes(bytes, n, '\n', '\0');
}

void
tlv_lines_decode(char *bytes, size_t n)
{
	replace_bytes(bytes, n, '\0', '\n');
}

static tlv_status
refuse_second(tlv_context *ctx, tlv_text name)
{
	tlv_fail(ctx, TLV_BAD_DATA, "two names have the same tlv_term_id, one of them \"%.*s\"",
			 tlv_shown_length(name), name.bytes);
	return tlv_fail_hint(ctx, "Use numbers in their place.");
}

tlv_status
tlv_name_table_add(tlv_context *ctx, tlv_name_table *table, int64_t id, tlv_text name)
{
	tlv_name_slot *slot;

	if (name.length == 0)
		return TLV_OK;
	TLV_TRY(name_reserve(ctx, table, table->n + 1));
	slot = name_slot_of(table, (uint64_t) id);
	if (slot->length != 0)
		return tlv_text_equal((tlv_text){table->bytes + slot->at, slot->length - 1}, name)
				   ? TLV_OK
				   : refuse_second(ctx, name);
	TLV_TRY(tlv_reserve(ctx, &table->bytes, table->filled + name.length, &table->room, 1));
	memcpy(table->bytes + table->filled, name.bytes, name.length);
	*slot = (tlv_name_slot){id, table->filled, name.length + 1};
	table->filled += name.length;
	table->n++;
	return TLV_OK;
}

tlv_status
tlv_name_table_add_list(tlv_context *ctx, tlv_name_table *table, size_t n, const int64_t *ids,
						const tlv_name_list *list)
{
	for (size_t i = 0; i < n && list->offsets != NULL; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(tlv_name_table_add(ctx, table, ids[i], tlv_name_at(list, i)));
	}
	return TLV_OK;
}

tlv_status
tlv_name_table_add_frame(tlv_context *ctx, tlv_name_table *table, const tlv_frame *frame)
{
	const tlv_section *ids = tlv_frame_find(frame, "name_ids");
	tlv_name_list list = tlv_name_list_of(frame, &id_name_sections);

	if (ids == NULL || list.offsets == NULL)
		return TLV_OK;
	return tlv_name_table_add_list(ctx, table, ids->rows, tlv_frame_int64(frame, "name_ids"),
								   &list);
}

tlv_text
tlv_name_table_find(const tlv_name_table *table, int64_t id)
{
	const tlv_name_slot *slot = table->n > 0 ? name_slot_of(table, (uint64_t) id) : NULL;

	if (slot == NULL || slot->length == 0)
		return (tlv_text){NULL, 0};
	return (tlv_text){table->bytes + slot->at, slot->length - 1};
}

bool
tlv_name_table_list(const tlv_name_table *table, size_t n, const int64_t *ids, int64_t *offsets,
					char *bytes)
{
	size_t filled = 0;

	if (table->n == 0)
		return false;
	for (size_t i = 0; i < n; i++)
	{
		tlv_text name = tlv_name_table_find(table, ids[i]);

		offsets[i] = (int64_t) filled;
		if (name.length > 0)
			memcpy(bytes + filled, name.bytes, name.length);
		filled += name.length;
	}
	offsets[n] = (int64_t) filled;
	return filled > 0;
}

tlv_status
tlv_name_table_ids(tlv_context *ctx, const tlv_name_table *table, int64_t *ids)
{
	tlv_bag_entry *entries;
	size_t n = 0;

	if (table->n == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, entries, 2 * table->n);
	for (size_t i = 0; i <= table->mask; i++)
		if (table->slots[i].length != 0)
			entries[n++] = (tlv_bag_entry){table->slots[i].id, 1};
	tlv_assert(n == table->n);
	TLV_TRY(tlv_bag_sort(ctx, n, entries, entries + n, &n));
	for (size_t i = 0; i < n; i++)
		ids[i] = entries[i].item;
	tlv_free(ctx, entries);
	return TLV_OK;
}

void
tlv_name_table_free(tlv_context *ctx, tlv_name_table *table)
{
	tlv_free(ctx, table->slots);
	tlv_free(ctx, table->bytes);
	memset(table, 0, sizeof(*table));
}
