/*
 * components.c - connected components and two-colourability, by sets of nodes that edges join
 * (graph.h).
 */
#include "internal.h"

#include "tensorlv/num/sort.h"

/*
 * Sets of connected nodes, in one numbering, targets of bipartite graphs behind the sources.  Every
 * node leads to the first one of its set, through lower and lower ones; that leads to itself.
 */
typedef struct node_sets
{
	int32_t *towards;
	bool *differs; /* whether neighbours of different colours give it another one than that node */
	bool clash;	   /* two neighbours of one colour */
} node_sets;

/* The first node of a set, to which all on the way lead then; *differs: from the colour of that. */
static int32_t
first_of_set(node_sets *sets, int32_t node, bool *differs)
{
	int32_t first = node;

	*differs = false;
	for (; sets->towards[first] != first; first = sets->towards[first])
		*differs ^= sets->differs[first];
	for (bool left = *differs; node != first;)
	{
		int32_t next = sets->towards[node];
		bool step = sets->differs[node];

		sets->towards[node] = first;
		sets->differs[node] = left;
		left ^= step;
		node = next;
	}
	return first;
}

/* An edge makes one set of two. */
static void
join_sets(node_sets *sets, int32_t u, int32_t v)
{
	bool differs[2];
	int32_t a = sets->towards[u], b;
	bool alike;

	if (a == sets->towards[v] && a == sets->towards[a])
	{
		/* Of nearly all edges both nodes lead to the first one of their set at once. */
		sets->clash |= sets->differs[u] == sets->differs[v];
		return;
	}
	a = first_of_set(sets, u, &differs[0]);
	b = first_of_set(sets, v, &differs[1]);
	alike = differs[0] == differs[1];
	sets->clash |= a == b && alike;
	if (a == b)
		return;
	sets->towards[a > b ? a : b] = a > b ? b : a;
	sets->differs[a > b ? a : b] = alike;
}

static tlv_status
graph_join_all(tlv_context *ctx, const tlv_graph *graph, node_sets *sets)
{
	const tlv_csr *out = &graph->out;
	size_t shift = graph->header.kind == TLV_GRAPH_BIPARTITE ? out->rows : 0, looked = 0;

	for (size_t u = 0; u < out->rows; u++)
		for (size_t e = out->start[u]; e < out->start[u + 1]; e++)
		{
			join_sets(sets, (int32_t) u, out->index[e] + (int32_t) shift);
			TLV_TRY(graph_count_work(ctx, &looked, 1));
		}
	return TLV_OK;
}

/* From nodes that lead to the first ones of their sets to labels in the order of these. */
static tlv_status
label_sets(tlv_context *ctx, size_t n, node_sets *sets, size_t *count)
{
	int32_t *label = sets->towards;
	bool differs;

	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		label[u] = first_of_set(sets, (int32_t) u, &differs);
	}
	*count = 0;
	for (size_t u = 0; u < n; u++)
	{
		TLV_TRY_CONTINUE_AT(ctx, u);
		label[u] = label[u] == (int32_t) u ? (int32_t) (*count)++ : label[label[u]];
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
tlv_graph_components(tlv_context *ctx, const tlv_graph *graph, int32_t *component, size_t *count,
					 bool *two_colourable)
{
	const tlv_graph_header *header = &graph->header;
	size_t n = header->rows + (header->kind == TLV_GRAPH_BIPARTITE ? header->columns : 0);
	node_sets sets = {.towards = component};
	tlv_status status;

	*count = 0;
	if (n > INT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "a graph of %zu nodes is too large", n);
	TLV_TRY_NEW0(ctx, sets.differs, n);
	for (size_t u = 0; u < n; u++)
		component[u] = (int32_t) u;
	status = graph_join_all(ctx, graph, &sets);
	if (status == TLV_OK)
		status = label_sets(ctx, n, &sets, count);
	tlv_free(ctx, sets.differs);
	TLV_TRY(status);
	/* a tree has fewer edges */
	*two_colourable =
		header->kind == TLV_GRAPH_UNDIRECTED && !sets.clash && header->entries > n - *count;
	return relabel(ctx, n, *count, component);
}
