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
	int32_t *queue;		/* nodes in the order they were found */
	int32_t *component; /* n; -1: not found yet */
	int32_t *parent;	/* NULL: neither it nor colours are wanted */
	int8_t *colour;		/* of the nodes found, in turns from the root */
	bool clash;			/* two neighbours of one colour */
	bool cycle;	   /* an edge besides those of the search tree (a pair of opposite edges is one) */
	size_t looked; /* work since the last look at whether to stop */
} search;

static tlv_status
search_begin(search *s, tlv_context *ctx, const tlv_graph *graph, int32_t *component)
{
	const tlv_graph_header *header = &graph->header;

	*s = (search){.ctx = ctx, .graph = graph, .n = header->rows, .component = component};
	if (header->kind == TLV_GRAPH_BIPARTITE)
		s->n += header->columns;
	if (s->n > INT32_MAX)
	{
		tlv_fail(ctx, TLV_LIMIT, "a graph of %zu nodes is too large", s->n);
		return TLV_LIMIT;
	}
	TLV_TRY_NEW(ctx, s->queue, s->n);
	memset(component, 0xff, s->n * sizeof(int32_t));
	return TLV_OK;
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

static void
find_node(search *s, int32_t node, int32_t from, int32_t label)
{
	s->component[node] = label;
	s->queue[s->tail++] = node;
	if (s->parent == NULL)
		return;
	s->parent[node] = from;
	s->colour[node] = (int8_t) (from < 0 ? 0 : 1 - s->colour[from]);
}

/* Marks everything connected to the root with its label, until two neighbours have one colour. */
static tlv_status
spread(search *s, size_t root, int32_t label)
{
	neighbour_list list[2];

	find_node(s, (int32_t) root, -1, label);
	while (s->head < s->tail && !s->clash)
	{
		int32_t node = s->queue[s->head++];
		int lists = neighbours_of(s, (size_t) node, list);

		for (int l = 0; l < lists; l++)
		{
			for (size_t e = 0; e < list[l].n; e++)
			{
				int32_t other = list[l].index[e] + (int32_t) list[l].shift;

				if (s->component[other] < 0)
					find_node(s, other, node, label);
				else if (s->parent != NULL)
				{
					s->clash |= s->colour[other] == s->colour[node];
					s->cycle |= s->parent[other] != node && s->parent[node] != other;
				}
			}
			TLV_TRY(graph_count_work(s->ctx, &s->looked, list[l].n + 1));
		}
	}
	return TLV_OK;
}

/* All components, labelled in the order of their first nodes. */
static tlv_status
search_all(search *s, size_t *count)
{
	*count = 0;
	for (size_t root = 0; root < s->n && !s->clash; root++)
		if (s->component[root] < 0)
			TLV_TRY(spread(s, root, (int32_t) (*count)++));
	return TLV_OK;
}

typedef struct component_size
{
	uint64_t fewer; /* nodes than the graph has: the largest component first */
	int32_t label;	/* in the order of the first nodes */
} component_size;

/* The components by decreasing size, and those of one size in the order of their first nodes. */
static tlv_status
graph_sort_components(tlv_context *ctx, size_t n, size_t count, const int32_t *component,
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
	status = graph_sort_components(ctx, n, count, component, sizes, &sorted);
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
	tlv_status status;
	search s;

	*count = 0;
	TLV_TRY(search_begin(&s, ctx, graph, component));
	status = search_all(&s, count);
	if (status == TLV_OK)
		status = relabel(ctx, s.n, *count, component);
	tlv_free(ctx, s.queue);
	return status;
}

tlv_status
tlv_graph_is_two_colourable(tlv_context *ctx, const tlv_graph *graph, bool *two_colourable)
{
	size_t n = graph->header.rows, count;
	tlv_status status;
	int32_t *nodes;
	search s;

	*two_colourable = false;
	if (graph->header.kind == TLV_GRAPH_BIPARTITE)
		return TLV_OK;
	nodes = tlv_alloc(ctx, n, 2 * sizeof(int32_t) + sizeof(int8_t));
	TLV_TRY_ALLOC(ctx, nodes);
	status = search_begin(&s, ctx, graph, nodes);
	s.parent = nodes + n;
	s.colour = (int8_t *) (nodes + 2 * n);
	if (status == TLV_OK)
		status = search_all(&s, &count);
	*two_colourable = status == TLV_OK && s.cycle && !s.clash;
	tlv_free(ctx, s.queue);
	tlv_free(ctx, nodes);
	return status;
}
