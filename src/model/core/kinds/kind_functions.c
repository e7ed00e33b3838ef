/*
 * kind_functions.c - which SQL functions have to do with a kind of value (kind_functions.h).
 */
#include "tensorlv/model/kind_functions.h"

#include <stdio.h>
#include <string.h>

const tlv_kind_functions tlv_kind_functions_list[] = {
#define TLV_FUNCTIONS(constant, ...) {TLV_TYPE_##constant, TLV_KIND_##constant, __VA_ARGS__},
#include "tensorlv/model/kind_functions.def"
#undef TLV_FUNCTIONS
	{0, 0, NULL, NULL, NULL, NULL, NULL}};

static const char *
readers_of(const tlv_kind *kind)
{
	for (const tlv_kind_functions *own = tlv_kind_functions_list; own->type != 0; own++)
		if (own->type == (int) kind->type && own->code == kind->code)
			return own->reads;
	return "";
}

const char *
tlv_kind_hint(tlv_context *ctx, const tlv_kind *kind)
{
	static const char format[] = "A model of kind %s is read by %.*s%s%s.";
	const char *readers = readers_of(kind), *last = readers;
	size_t room = sizeof(format) + strlen(readers) + strlen(kind->name) + sizeof(" and ");
	char *hint;

	if (kind->type != TLV_FRAME_MODEL || *readers == '\0')
		return NULL;
	for (const char *comma = readers; (comma = strstr(comma, ", ")) != NULL;)
		last = comma += 2;
	hint = tlv_alloc(ctx, room, 1);
	if (hint == NULL)
		return NULL;
	snprintf(hint, room, format, kind->name, last == readers ? 0 : (int) (last - readers - 2),
			 readers, last == readers ? "" : " and ", last);
	return hint;
}
