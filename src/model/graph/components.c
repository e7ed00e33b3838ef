/*
 * components.c - connected components and two-colourability, both by
 * breadth-first search (graph.h).
 */
#include "internal.h"

#include "tensorlv/num/sort.h"

/* Nodes of both sides in one numbering; targets of bipartite graphs behind the sources. */
typedef struct search
{
	tlv_context *ctx;
	const tlv_graph *graph;
	size_t n;
	size_t head, tail;
	int32_t *queue;	 /* nodes in the order they were found */
	int32_t *parent; /* NULL: not wanted */
	size_t looked;	 /* work since the last look at whether to stop */
} search;

static tlv_status
search_begin(search *s, tlv_context *ctx, const tlv_graph *graph, bool with_parents)
{
	const tlv_graph_header *header = &graph->header;

	*s = (search){.ctx = ctx, .graph = graph, .n = header->rows};
	if (header->kind == TLV_GRAPH_BIPARTITE)
		s->n += header->columns;
	if (s->n > INT32_MAX)
	{
		tlv_fail(ctx, TLV_LIMIT, "a graph of %zu nodes is too large", s->n);
		return TLV_LIMIT;
	}
	TLV_TRY_NEW(ctx, s->queue, s->n);
	if (with_parents)
	{
		s->parent = tlv_alloc(ctx, s->n, sizeof(int32_t));
		if (s->parent == NULL)
		{
			tlv_free(ctx, s->queue);
			return ctx->error.code;
		}
	}
	return TLV_OK;
}

static void
search_end(search *s)
{
	tlv_free(s->ctx, s->parent);
	tlv_free(s->ctx, s->queue);
}

/* Neighbours of a node: up to two lists, to be moved by shift. */
typedef struct neighbour_list
{
	const int32_t *index;
	size_t n;
	size_t shift;
} neighbour_list;

static neighbour_list
list_of(const tlv_csr *a, size_t row, size_t shift)
{
	return (neighbour_list){a->index + a->start[row], a->start[row + 1] - a->start[row], shift};
}

static int
neighbours_of(const search *s, size_t node, neighbour_list list[2])
{
	const tlv_graph *graph = s->graph;
	size_t rows = graph->header.rows;

	switch (graph->header.kind)
	{
		case TLV_GRAPH_BIPARTITE:
			list[0] = node < rows ? list_of(&graph->out, node, rows)
								  : list_of(&graph->in, node - rows, 0);
			return 1;
		case TLV_GRAPH_DIRECTED:
			list[0] = list_of(&graph->out, node, 0);
			list[1] = list_of(&graph->in, node, 0);
			return 2;
		default:
			list[0] = list_of(&graph->out, node, 0);
			return 1;
	}
}

/* Marks everything connected to the root with its label. */
static tlv_status
spread(search *s, size_t root, int32_t label, int32_t *component)
{
	neighbour_list list[2];

	component[root] = label;
	s->queue[s->tail++] = (int32_t) root;
	while (s->head < s->tail)
	{
		size_t node = (size_t) s->queue[s->head++];
		int lists = neighbours_of(s, node, list);

		for (int l = 0; l < lists; l++)
		{
			for (size_t e = 0; e < list[l].n; e++)
			{
				size_t other = (size_t) list[l].index[e] + list[l].shift;

				if (component[other] >= 0)
					continue;
				component[other] = label;
				s->queue[s->tail++] = (int32_t) other;
			}
			s->looked += list[l].n + 1;
		}
		if (s->looked >= GRAPH_STOP_STRIDE)
		{
			s->looked = 0;
			TLV_TRY_CONTINUE(s->ctx);
		}
	}
	return TLV_OK;
}

typedef struct component_size
{
	uint64_t fewer; /* nodes than the graph has: the largest component first */
	int32_t label;	/* in the order of the first nodes */
} component_size;

/* The components by decreasing size, and those of one size in the order of their first nodes. */
static tlv_status
sort_components(tlv_context *ctx, size_t n, size_t count, const int32_t *component,
				component_size *sizes, component_size **sorted)
{
	static const tlv_sort_form form = {sizeof(component_size), sizeof(uint64_t), 0, 32};
	void *result;

	for (size_t c = 0; c < count; c++)
		sizes[c] = (component_size){n, (int32_t) c};
	for (size_t i = 0; i < n; i++)
	{
		if (i % GRAPH_STOP_STRIDE == GRAPH_STOP_STRIDE - 1)
			TLV_TRY_CONTINUE(ctx);
		sizes[component[i]].fewer--;
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, count, sizes, sizes + count, &result));
	*sorted = result;
	return TLV_OK;
}

static tlv_status
set_labels(tlv_context *ctx, size_t n, const int32_t *label, int32_t *component)
{
	for (size_t i = 0; i < n; i++)
	{
		if (i % GRAPH_STOP_STRIDE == GRAPH_STOP_STRIDE - 1)
			TLV_TRY_CONTINUE(ctx);
		component[i] = label[component[i]];
	}
	return TLV_OK;
}

/* From labels in the order of first nodes to labels by decreasing size. */
static tlv_status
relabel(tlv_context *ctx, size_t n, size_t count, int32_t *component)
{
	component_size *sizes, *sorted = NULL;
	int32_t *label = NULL;
	tlv_status status;

	TLV_TRY_NEW_ROWS(ctx, sizes, count, 2);
	status = sort_components(ctx, n, count, component, sizes, &sorted);
	if (status == TLV_OK && (label = tlv_alloc(ctx, count, sizeof(int32_t))) == NULL)
		status = ctx->error.code;
	if (status == TLV_OK && label != NULL && sorted != NULL)
	{
		for (size_t c = 0; c < count; c++)
			label[sorted[c].label] = (int32_t) c;
		status = set_labels(ctx, n, label, component);
	}
	tlv_free(ctx, label);
	tlv_free(ctx, sizes);
	return status;
}

tlv_status
tlv_graph_components(tlv_context *ctx, const tlv_graph *graph, int32_t *component, size_t *count)
{
	tlv_status status = TLV_OK;
	search s;

	*count = 0;
	TLV_TRY(search_begin(&s, ctx, graph, false));
	memset(component, 0xff, s.n * sizeof(int32_t));
	for (size_t root = 0; root < s.n && status == TLV_OK; root++)
		if (component[root] < 0)
			status = spread(&s, root, (int32_t) (*count)++, component);
	if (status == TLV_OK)
		status = relabel(ctx, s.n, *count, component);
	search_end(&s);
	return status;
}

/*
 * Colours everything connected to the root in turns.  *clash: two neighbours of one colour.
 * *cycle: an edge besides those of the search tree (a pair of opposite edges is one).
 */
static tlv_status
colour(search *s, size_t root, int8_t *colours, bool *clash, bool *cycle)
{
	neighbour_list list[2];

	colours[root] = 0;
	s->parent[root] = -1;
	s->queue[s->tail++] = (int32_t) root;
	while (s->head < s->tail && !*clash)
	{
		int32_t node = s->queue[s->head++];
		int lists = neighbours_of(s, (size_t) node, list);

		for (int l = 0; l < lists; l++)
		{
			for (size_t e = 0; e < list[l].n; e++)
			{
				int32_t other = list[l].index[e];

				if (colours[other] < 0)
				{
					colours[other] = (int8_t) (1 - colours[node]);
					s->parent[other] = node;
					s->queue[s->tail++] = other;
					continue;
				}
				*clash |= colours[other] == colours[node];
				*cycle |= s->parent[other] != node && s->parent[node] != other;
			}
			s->looked += list[l].n + 1;
		}
		if (s->looked >= GRAPH_STOP_STRIDE)
		{
			s->looked = 0;
			TLV_TRY_CONTINUE(s->ctx);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_graph_is_two_colourable(tlv_context *ctx, const tlv_graph *graph, bool *two_colourable)
{
	bool clash = false, cycle = false;
	tlv_status status = TLV_OK;
	int8_t *colours;
	search s;

	*two_colourable = false;
	if (graph->header.kind == TLV_GRAPH_BIPARTITE)
		return TLV_OK;
	TLV_TRY(search_begin(&s, ctx, graph, true));
	colours = tlv_alloc(ctx, s.n, sizeof(int8_t));
	if (colours == NULL)
	{
		search_end(&s);
		return ctx->error.code;
	}
	memset(colours, 0xff, s.n);
	for (size_t root = 0; root < s.n && status == TLV_OK && !clash; root++)
		if (colours[root] < 0)
			status = colour(&s, root, colours, &clash, &cycle);
	*two_colourable = status == TLV_OK && cycle && !clash;
	tlv_free(ctx, colours);
	search_end(&s);
	return status;
}
