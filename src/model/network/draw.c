/*
 * draw.c - the items of every unit of the first layer, or the units below of those above, as a
 * matrix of edges (internal.h).
 */
#include "internal.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/picture.h"

/* The children of the first units, by how many of these they have. */
static tlv_status
choose_children(tlv_context *ctx, const tlv_network_parts *parts, size_t n, size_t *columns,
				int64_t **children)
{
	double *edges;

	*columns = tlv_least(parts->items_n, TLV_PICTURE_COLUMNS);
	TLV_TRY_NEW0(ctx, edges, parts->items_n);
	TLV_TRY_NEW(ctx, *children, *columns);
	for (size_t i = 0; i < parts->edges_n; i++)
	{
		/* children of the layers above are units, not items */
		TLV_TRY_CONTINUE_AT(ctx, i);
		if ((double) parts->edge_units[i] < (double) n &&
			(double) parts->edge_units[i] < parts->layers[0])
			edges[parts->edge_children[i]]++;
	}
	for (size_t c = 0; c < *columns; c++)
	{
		size_t most = 0;

		for (size_t v = 1; v < parts->items_n; v++)
			most = edges[v] > edges[most] ? v : most;
		(*children)[c] = (int64_t) most;
		edges[most] = -1;
	}
	tlv_free(ctx, edges);
	return TLV_OK;
}

/* The names of the chosen items; none where they have none. */
static tlv_status
name_children(tlv_context *ctx, const tlv_network_parts *parts, size_t columns,
			  const int64_t *children, tlv_name_list *heads)
{
	int64_t *offsets;
	char *bytes;
	size_t at = 0;

	*heads = (tlv_name_list){NULL, NULL};
	if (parts->item_offsets == NULL)
		return TLV_OK;
	TLV_TRY_NEW(ctx, offsets, columns + 1);
	TLV_TRY_NEW(ctx, bytes, parts->bytes_n);
	for (size_t c = 0; c < columns; c++)
	{
		offsets[c] = (int64_t) at;
		for (int64_t i = parts->item_offsets[children[c]]; i < parts->item_offsets[children[c] + 1];
			 i++)
			bytes[at++] = parts->item_names[i];
	}
	offsets[columns] = (int64_t) at;
	*heads = (tlv_name_list){offsets, bytes};
	return TLV_OK;
}

tlv_status
tlv_network_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_network_parts parts;
	tlv_picture_component *components;
	tlv_name_list heads;
	int64_t *children;
	double *numbers;
	size_t n, columns;

	tlv_network_read(model, &parts);
	n = tlv_least((size_t) parts.layers[0], TLV_PICTURE_COMPONENTS);
	TLV_TRY_NEW(ctx, components, n);
	for (size_t u = 0; u < n; u++)
		components[u] =
			(tlv_picture_component){tlv_component_label(model, u), "unit", u + 1, parts.weights[u]};
	TLV_TRY(choose_children(ctx, &parts, n, &columns, &children));
	TLV_TRY(name_children(ctx, &parts, columns, children, &heads));
	TLV_TRY_NEW0_ROWS(ctx, numbers, n, columns);
	for (size_t i = 0; i < parts.edges_n && (size_t) parts.edge_units[i] < n; i++)
		for (size_t c = 0; c < columns; c++)
			if (children[c] == parts.edge_children[i])
				numbers[(size_t) parts.edge_units[i] + n * c] = parts.edge_weights[i];
	TLV_TRY(tlv_draw_matrix(ctx, picture, n, components, columns, numbers, &heads));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}
