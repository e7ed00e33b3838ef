/*
 * errors.c - estimates of a tree (tensorlv/model/errors.h): the lengths of its edges, whose errors
 * it has from where its structure was learnt.
 */
#include "errors.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/tree_parameters.h"

/* What node v is called: its name, whose line begins at *line, or its number. */
static void
name_node(const tlv_tree_parts *parts, size_t v, const char **line, tlv_estimate *one)
{
	if (v < parts->p && parts->names_length > 0)
	{
		size_t left = parts->names_length - (size_t) (*line - parts->names);
		const char *end = memchr(*line, '\n', left);

		one->name[0] = (tlv_text){*line, (size_t) (end - *line)};
		*line = end + 1;
		return;
	}
	one->name[0] = (tlv_text){v < parts->p ? "v" : "h", 1};
	one->between = "";
	one->number[1] = (int64_t) (v < parts->p ? v : v - parts->p) + 1;
}

tlv_status
tlv_tree_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_tree_parts parts;
	const char *line;

	tlv_tree_read(model, &parts);
	line = parts.names;
	for (size_t v = 0; v < parts.nodes; v++)
	{
		tlv_estimate one = {.part = TLV_ESTIMATE_LENGTH,
							.has_item = true,
							.item = (int64_t) v + 1,
							.estimate = parts.length[v]};

		name_node(&parts, v, &line, &one);
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
