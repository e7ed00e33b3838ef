/*
 * show.c - what messages call the variables of a tree (tree_parameters.h).
 */
#include "tensorlv/model/tree_parameters.h"

#include <stdio.h>
#include <string.h>

#include "tensorlv/num/names.h"

const char *
tlv_tree_show_variable(const tlv_tree_fit_options *options, size_t j, char shown[TLV_SHOWN_NAME])
{
	const char *line = options->names, *end = line != NULL ? line + options->names_length : line;

	for (size_t i = 0; line != NULL && i <= j && line < end; i++)
	{
		const char *stop = memchr(line, '\n', (size_t) (end - line));
		const tlv_text name = {line, (size_t) ((stop != NULL ? stop : end) - line)};

		if (i == j && name.length > 0)
			return tlv_show_name(name, shown);
		line = stop != NULL ? stop + 1 : end;
	}
	snprintf(shown, TLV_SHOWN_NAME, "%zu", j + 1);
	return shown;
}

/* Is the node v, or above it? */
static bool
is_above(const tlv_tree_parts *parts, size_t node, size_t v)
{
	int64_t at = (int64_t) v;

	while (at >= 0 && at != (int64_t) node)
		at = parts->parent[at];
	return at >= 0;
}

const char *
tlv_tree_show_below(const tlv_tree_parts *parts, size_t node, tlv_shown_list *list)
{
	const tlv_tree_fit_options names = {.names = parts->names, .names_length = parts->names_length};
	char shown[TLV_SHOWN_NAME];

	for (size_t v = 0; v < parts->p; v++)
		if (is_above(parts, node, v))
			tlv_shown_add(list, tlv_tree_show_variable(&names, v, shown));
	return tlv_shown_text(list, "variable");
}
