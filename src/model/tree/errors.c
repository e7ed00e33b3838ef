/*
 * errors.c - estimates of a tree (tensorlv/model/errors.h): the lengths of its edges, whose errors
 * it has from where its structure was learnt.
 */
#include "errors.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/tree_parameters.h"

/* The names of variables, if they have any, and what precedes the numbers of hidden nodes, from
 * the arena: estimates keep them. */
static tlv_status
copy_names(tlv_context *ctx, const tlv_tree_parts *parts, char **lines, tlv_text *hidden)
{
	size_t prefix = tree_hidden_prefix(parts);

	*lines = tlv_alloc(ctx, parts->names_length + prefix, 1);
	TLV_TRY_ALLOC(ctx, *lines);
	if (parts->names_length > 0)
		memcpy(*lines, parts->names, parts->names_length);
	*hidden = (tlv_text){memset(*lines + parts->names_length, 'h', prefix), prefix};
	return TLV_OK;
}

/* What a variable is called whose line begins at *line. */
static tlv_text
next_name(char **line)
{
	char *name = *line, *end = name;

	while (*end != '\n')
		end++;
	*line = end + 1;
	tlv_lines_decode(name, (size_t) (end - name));
	return (tlv_text){name, (size_t) (end - name)};
}

tlv_status
tlv_tree_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_tree_parts parts;
	tlv_text hidden;
	char *line;

	tlv_tree_read(model, &parts);
	TLV_TRY(copy_names(ctx, &parts, &line, &hidden));
	for (size_t v = 0; v < parts.nodes; v++)
	{
		tlv_estimate one = {.part = TLV_ESTIMATE_LENGTH,
							.has_item = true,
							.item = (int64_t) v + 1,
							.estimate = parts.length[v]};

		if (v < parts.p && parts.names_length > 0)
			one.name[0] = next_name(&line);
		else
		{
			one.name[0] = v < parts.p ? (tlv_text){"v", 1} : hidden;
			one.between = "";
			one.number[1] = (int64_t) (v < parts.p ? v : v - parts.p) + 1;
		}
		if (parts.parent[v] >= 0)
			TLV_TRY(tlv_estimates_add(ctx, list, &one));
	}
	return TLV_OK;
}

tlv_status
tlv_tree_standard_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
						 tlv_estimates *list)
{
	tlv_tree_parts parts;

	(void) ctx;
	(void) errors;
	tlv_tree_read(model, &parts);
	for (size_t i = 0; i < list->n; i++)
	{
		double error = parts.error[list->list[i].item - 1];

		list->list[i].standard_error = error > 0 ? error : NAN;
	}
	return TLV_OK;
}
