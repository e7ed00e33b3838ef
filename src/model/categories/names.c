/*
 * names.c - categories of rows that are told by name: codes in the order of arrival while rows are
 * counted, in that of the names where values are stored (categories.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/layout.h"

tlv_status
category_tell(tlv_context *ctx, category_state *state, int told)
{
	if (state->told == 0)
		state->told = told;
	if (state->told == told)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "categories identified by number and by name cannot be combined");
	return tlv_fail_hint(ctx, "Give all rows as integer[], or all of them as text[].");
}

/* ---- codes ---- */

/* Byte by byte. */
static int
compare_names(tlv_text a, tlv_text b)
{
	size_t both = a.length < b.length ? a.length : b.length;
	int order =
		both == 0 || a.bytes == NULL || b.bytes == NULL ? 0 : memcmp(a.bytes, b.bytes, both);

	return order != 0 || a.length == b.length ? order : a.length < b.length ? -1 : 1;
}

static tlv_status
add_name(tlv_context *ctx, size_t variable, category_names *names, tlv_text name)
{
	char *bytes;

	if (names->n == TLV_CATEGORY_MOST_STATES)
	{
		tlv_fail(ctx, TLV_LIMIT, "variable %zu has more than %d categories", variable + 1,
				 TLV_CATEGORY_MOST_STATES);
		return tlv_fail_hint(ctx, "Join the rare ones, and leave out what is no category.");
	}
	if (name.length > TLV_LABEL_MOST)
	{
		tlv_fail(ctx, TLV_LIMIT, "a category of variable %zu is a text of %zu bytes", variable + 1,
				 name.length);
		return tlv_fail_hint(ctx, "Categories are names of at most %d bytes.", TLV_LABEL_MOST);
	}
	if (names->n == names->room)
	{
		size_t room = names->room == 0 ? 4 : 2 * names->room;
		tlv_text *grown = tlv_realloc(ctx, names->name, room, sizeof(tlv_text));

		TLV_TRY_ALLOC(ctx, grown);
		names->name = grown;
		names->room = room;
	}
	TLV_TRY_NEW(ctx, bytes, name.length + 1);
	if (name.length > 0)
		memcpy(bytes, name.bytes, name.length);
	names->name[names->n++] = (tlv_text){bytes, name.length};
	return TLV_OK;
}

/* The code of a category here, a new one where it has not been seen; they are 100 at most. */
static tlv_status
code_of_name(tlv_context *ctx, size_t variable, category_names *names, tlv_text name, int32_t *code)
{
	for (size_t c = 0; c < names->n; c++)
		if (compare_names(names->name[c], name) == 0)
		{
			*code = (int32_t) c;
			return TLV_OK;
		}
	*code = (int32_t) names->n;
	return add_name(ctx, variable, names, name);
}

static tlv_status
names_begin(tlv_context *ctx, category_state *state, size_t p)
{
	if (state->names != NULL)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, state->names, p);
	TLV_TRY_NEW(ctx, state->codes, p);
	return TLV_OK;
}

tlv_status
category_codes_of_names(tlv_context *ctx, category_state *state, const tlv_part *part)
{
	TLV_TRY(names_begin(ctx, state, part->d));
	for (size_t v = 0; v < part->d; v++)
	{
		state->codes[v] = TLV_CATEGORY_MISSING;
		if (part->codes[v] != TLV_CATEGORY_MISSING)
			TLV_TRY(code_of_name(ctx, v, &state->names[v], part->names[v], &state->codes[v]));
	}
	return TLV_OK;
}

tlv_status
category_map_names(tlv_context *ctx, category_state *state, const tlv_category_tables *tables,
				   int32_t **map)
{
	const tlv_name_list list = {tables->name_offsets, tables->names};

	TLV_TRY(names_begin(ctx, state, tables->p));
	TLV_TRY_NEW(ctx, *map, tables->offset[tables->p]);
	for (size_t v = 0; v < tables->p; v++)
		for (size_t i = tables->offset[v]; i < tables->offset[v + 1]; i++)
		{
			tlv_text name = tlv_name_at(&list, i);

			TLV_TRY(code_of_name(ctx, v, &state->names[v], name, &(*map)[i]));
		}
	return TLV_OK;
}

tlv_status
category_grow_to_names(tlv_context *ctx, category_state *state)
{
	size_t p = state->layout.p;
	int64_t *states;
	tlv_status status;

	if (p == 0 || state->names == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, states, p);
	for (size_t v = 0; v < p; v++)
		states[v] = (int64_t) state->names[v].n;
	status = category_grow(ctx, state, p, states);
	tlv_free(ctx, states);
	return status;
}

/* ---- the order of the names ---- */

/* Puts the names of a variable in order; map gets where each of them went. */
static bool
sort_variable(category_names *names, int32_t *map)
{
	tlv_text sorted[TLV_CATEGORY_MOST_STATES];
	bool moved = false;

	for (size_t c = 0; c < names->n; c++)
	{
		size_t before = 0;

		for (size_t other = 0; other < names->n; other++)
			before += compare_names(names->name[other], names->name[c]) < 0;
		map[c] = (int32_t) before;
		sorted[before] = names->name[c];
		moved |= before != c;
	}
	if (moved)
		memcpy(names->name, sorted, names->n * sizeof(tlv_text));
	return moved;
}

tlv_status
category_sort_names(tlv_context *ctx, category_state *state)
{
	const category_layout *layout = &state->layout;
	bool moved = false;
	int32_t *map;

	if (state->told != TLV_CATEGORIES_BY_NAME || layout->p == 0)
		return TLV_OK;
	TLV_TRY(category_grow_to_names(ctx, state));
	TLV_TRY_NEW(ctx, map, layout->offset[layout->p]);
	for (size_t v = 0; v < layout->p; v++)
		moved |= sort_variable(&state->names[v], map + layout->offset[v]);
	if (moved)
		TLV_TRY(category_rearrange(ctx, state, map));
	tlv_free(ctx, map);
	return TLV_OK;
}

/* ---- the stored form ---- */

tlv_status
category_add_names(tlv_context *ctx, const category_state *state, tlv_frame_builder *builder)
{
	size_t p = state->layout.p, total = state->layout.offset[p], bytes = 0, at = 0;
	int64_t *offsets;
	char *text;

	for (size_t v = 0; v < p; v++)
		for (size_t c = 0; c < state->names[v].n; c++)
			bytes += state->names[v].name[c].length;
	builder->owned = offsets = tlv_alloc(ctx, total + 2 + bytes / sizeof(int64_t), sizeof(int64_t));
	TLV_TRY_ALLOC(ctx, offsets);
	text = (char *) (offsets + total + 1);
	bytes = 0;
	for (size_t v = 0; v < p; v++)
		for (size_t c = 0; c < state->names[v].n; c++)
		{
			tlv_text name = state->names[v].name[c];

			offsets[at++] = (int64_t) bytes;
			if (name.length > 0)
				memcpy(text + bytes, name.bytes, name.length);
			bytes += name.length;
		}
	offsets[total] = (int64_t) bytes;
	tlv_frame_add(builder, "name_offsets", TLV_INT64, total + 1, 1, offsets);
	tlv_frame_add(builder, "names", TLV_BYTES, bytes, 1, text);
	return TLV_OK;
}

tlv_status
category_check_names(tlv_context *ctx, const tlv_frame *frame, const category_layout *layout)
{
	const tlv_section *bytes = tlv_frame_find(frame, "names");
	size_t total = layout->offset[layout->p];
	const int64_t *offsets = NULL;
	tlv_name_list list;

	if (bytes == NULL && tlv_frame_find(frame, "name_offsets") == NULL)
		return TLV_OK;
	TLV_TRY(tlv_frame_require(ctx, frame, "name_offsets", TLV_INT64, total + 1, 1,
							  (const void **) &offsets));
	if (bytes == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"names\" is missing");
	TLV_TRY(tlv_frame_require(ctx, frame, "names", TLV_BYTES, bytes->rows, 1, NULL));
	for (size_t i = 0; i < total; i++)
		if (offsets[i + 1] < offsets[i] || offsets[i + 1] - offsets[i] > TLV_LABEL_MOST)
			return tlv_fail(ctx, TLV_CORRUPT, "name %zu does not end where one may", i + 1);
	if (offsets[0] != 0 || (uint64_t) offsets[total] != bytes->rows ||
		(bytes->rows > 0 && memchr(tlv_section_data(frame, bytes), 0, bytes->rows) != NULL))
		return tlv_fail(ctx, TLV_CORRUPT, "the names of categories are not %llu bytes of text",
						(unsigned long long) bytes->rows);
	list = (tlv_name_list){offsets, tlv_section_data(frame, bytes)};
	for (size_t v = 0; v < layout->p; v++)
		for (size_t i = layout->offset[v]; i + 1 < layout->offset[v + 1]; i++)
			if (compare_names(tlv_name_at(&list, i), tlv_name_at(&list, i + 1)) >= 0)
				return tlv_fail(ctx, TLV_CORRUPT, "the names of variable %zu are out of order",
								v + 1);
	return TLV_OK;
}

tlv_status
tlv_category_tree_names(tlv_context *ctx, const tlv_category_tables *tables, int64_t **offsets,
						size_t *n)
{
	size_t at = 0;

	*n = 0;
	for (size_t v = 0; v < tables->p; v++)
		*n += tables->states[v] > 0 ? (size_t) tables->states[v] : 1;
	TLV_TRY_NEW(ctx, *offsets, *n + 1);
	for (size_t v = 0; v < tables->p; v++)
		for (size_t i = tables->offset[v]; i < tables->offset[v + 1] || i == tables->offset[v]; i++)
			(*offsets)[at++] = tables->name_offsets[i];
	(*offsets)[*n] = tables->name_offsets[tables->offset[tables->p]];
	return TLV_OK;
}
