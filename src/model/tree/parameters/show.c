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
		{
			snprintf(shown, TLV_SHOWN_NAME, "\"%.*s\"", tlv_shown_length(name), name.bytes);
			return shown;
		}
		line = stop != NULL ? stop + 1 : end;
	}
	snprintf(shown, TLV_SHOWN_NAME, "%zu", j + 1);
	return shown;
}
