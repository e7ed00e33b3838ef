/*
 * tree_compare.c - the Robinson-Foulds distance of two trees, or of a tree and the edges that a
 * query returns.
 */
#include "tree.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "query/query.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/sort.h"

/* Names of nodes and their numbers. */
typedef struct NamedNode
{
	const char *name;
	int32_t node;
} NamedNode;

static int
compare_named(const void *a, const void *b)
{
	return strcmp(((const NamedNode *) a)->name, ((const NamedNode *) b)->name);
}

static int
compare_sorted(const void *a, const void *b, const void *unused)
{
	return compare_named(a, b);
}

static NamedNode *
sort_names(size_t n, char *const *names)
{
	NamedNode *sorted = palloc_extended((n + 1) * sizeof(NamedNode), MCXT_ALLOC_HUGE);
	tlv_context ctx = TlvCallContext();

	for (size_t v = 0; v < n; v++)
	{
		tlv_assert(names[v] != NULL);
		sorted[v] = (NamedNode){names[v], (int32_t) v};
	}
	TlvCheck(&ctx, tlv_merge_sort(&ctx, n, sizeof(NamedNode), sorted, compare_sorted, NULL));
	return sorted;
}

/* A value may come from elsewhere: nodes that fall together would close circles. */
static void
refuse_repeated(size_t n, const NamedNode *sorted)
{
	for (size_t i = 1; i < n; i++)
		if (strcmp(sorted[i - 1].name, sorted[i].name) == 0)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("two variables of a tree have the name \"%s\"", sorted[i].name),
							errhint("Trees are compared by the names of their variables.")));
}

static const NamedNode *
tree_compare_find_name(const NamedNode *sorted, size_t n, const char *name)
{
	NamedNode key = {name, 0};

	return bsearch(&key, sorted, n, sizeof(NamedNode), compare_named);
}

static Datum
put_distance(FunctionCallInfo fcinfo, tlv_context *ctx, const tlv_tree *a, const tlv_tree *b)
{
	size_t different, total;

	TlvCheck(ctx, tlv_tree_robinson_foulds(ctx, a, b, &different, &total));
	TlvInitRows(fcinfo);
	TlvPutRow(fcinfo, TlvInt4((int32) different), TlvInt4((int32) total),
			  TlvFloat8(total > 0 ? (double) different / (double) total : 0));
	return (Datum) 0;
}

static void
refuse_variable(const char *name)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("variable \"%s\" is in one tree only", name),
					errhint("Trees are compared that have the same variables by name.")));
}

/* tlv_robinson_foulds(a, b): one row (different, total, distance) */
TLV_FUNCTION(tlv_robinson_foulds_models)
{
	TlvTreeModel a = TlvTreeOpen(fcinfo, 0, "tlv_robinson_foulds");
	TlvTreeModel b = TlvTreeOpen(fcinfo, 1, "tlv_robinson_foulds");
	tlv_context *ctx = &a.work->ctx;
	const NamedNode *sorted = sort_names(a.parts.p, a.names);
	tlv_tree first, second;
	int32_t *node;

	if (a.parts.p != b.parts.p)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("one tree has %zu variables, the other %zu", a.parts.p, b.parts.p),
						errhint("Learn both from the same variables.")));
	refuse_repeated(a.parts.p, sorted);
	refuse_repeated(b.parts.p, sort_names(b.parts.p, b.names));
	TlvCheck(ctx, tlv_tree_of_model(ctx, &a.parts, &first));
	TlvCheck(ctx, tlv_tree_of_model(ctx, &b.parts, &second));
	node = palloc(b.parts.nodes * sizeof(int32_t));
	for (size_t v = 0; v < b.parts.nodes; v++)
	{
		const NamedNode *found =
			v < b.parts.p ? tree_compare_find_name(sorted, a.parts.p, b.names[v]) : NULL;

		if (v < b.parts.p && found == NULL)
			refuse_variable(b.names[v]);
		node[v] = found != NULL ? found->node : (int32_t) v;
	}
	for (size_t e = 0; e < 2 * second.edges; e++)
		second.ends[e] = node[second.ends[e]];
	put_distance(fcinfo, ctx, &first, &second);
	TlvWorkEnd(b.work);
	TlvWorkEnd(a.work);
	return (Datum) 0;
}

/* ---- edges of a query ---- */

typedef struct EdgeNames
{
	size_t rows;
	size_t edges; /* the first of the rows; the others have one name only: nodes alone */
	char **ends;  /* 2 x rows, the name of a node alone twice */
} EdgeNames;

/* Pairs of names as they come; either may be NULL. */
typedef struct EdgeList
{
	MemoryContext mcxt;
	size_t n, room;
	char **names; /* 2 x room */
} EdgeList;

static void
tree_compare_take_edge(void *argument, TupleTableSlot *slot)
{
	EdgeList *list = argument;
	MemoryContext before;

	if (slot->tts_isnull[0] && slot->tts_isnull[1]) /* by the cast */
		return;
	before = MemoryContextSwitchTo(list->mcxt);
	if (list->n == list->room)
	{
		list->room *= 2;
		list->names = repalloc_huge(list->names, list->room * 2 * sizeof(char *));
	}
	for (int i = 0; i < 2; i++)
		list->names[2 * list->n + i] =
			slot->tts_isnull[i] ? NULL : TextDatumGetCString(slot->tts_values[i]);
	list->n++;
	MemoryContextSwitchTo(before);
}

static EdgeList
tree_compare_read_edges(TlvQuery *query)
{
	EdgeList list = {.mcxt = CurrentMemoryContext, .room = 64};
	TlvStatement statement;

	list.names = palloc(list.room * 2 * sizeof(char *));
	TlvStatementBegin(&statement, query);
	for (int i = 0; i < 2; i++)
		TlvStatementAllowCast(&statement, TupleDescAttr(query->desc, i)->atttypid, TEXTOID);
	appendStringInfoString(&statement.sql,
						   "SELECT a::pg_catalog.text, b::pg_catalog.text FROM " TLV_QUERY_ROWS
						   " AS q(a, b) WHERE a IS NOT NULL OR b IS NOT NULL");
	(void) TlvStatementRun(&statement, 2, (Oid[]){TEXTOID, TEXTOID}, tree_compare_take_edge, &list);
	return list;
}

static EdgeNames
collect_edges(TlvQuery *query)
{
	EdgeNames result = {0, 0, NULL};
	EdgeList list;
	size_t last;

	if (query->desc->natts != 2)
		TlvRefuseColumns(query->desc, "edges of a tree",
						 "It must return (parent, child), names of nodes.");
	list = tree_compare_read_edges(query);
	result.rows = last = list.n;
	result.ends = palloc_extended(Max(list.n, 1) * 2 * sizeof(char *), MCXT_ALLOC_HUGE);
	for (size_t r = 0; r < list.n; r++)
	{
		char *parent = list.names[2 * r], *child = list.names[2 * r + 1];
		size_t at = parent != NULL && child != NULL ? result.edges++ : --last;

		result.ends[2 * at] = parent != NULL ? parent : child;
		result.ends[2 * at + 1] = child != NULL ? child : parent;
	}
	return result;
}

/* Joins two components; false when they are one already: the edge closes a circle. */
static bool
join(int32_t *leader, int32_t a, int32_t b)
{
	while (leader[a] != a)
		a = leader[a] = leader[leader[a]];
	while (leader[b] != b)
		b = leader[b] = leader[leader[b]];
	leader[a] = b;
	return a != b;
}

/* The edges as a tree whose observed nodes are the model's. */
static tlv_tree
tree_of_edges(tlv_context *ctx, const EdgeNames *edges, const TlvTreeModel *model)
{
	size_t p = model->parts.p, n = 2 * edges->rows, nodes = p, seen = 0;
	const NamedNode *observed = sort_names(p, model->names);
	NamedNode *ends = sort_names(n, edges->ends);
	int32_t *node = palloc_extended((n + 1) * sizeof(int32_t), MCXT_ALLOC_HUGE), *leader;
	tlv_tree tree;

	for (size_t i = 0; i < n; i++)
	{
		bool again = i > 0 && strcmp(ends[i - 1].name, ends[i].name) == 0;
		const NamedNode *found = again ? NULL : tree_compare_find_name(observed, p, ends[i].name);

		CHECK_FOR_INTERRUPTS();
		if (again)
			node[ends[i].node] = node[ends[i - 1].node];
		else
			node[ends[i].node] = found != NULL ? found->node : (int32_t) nodes++;
		seen += found != NULL;
	}
	if (seen < p)
		for (size_t v = 0; v < p; v++)
			if (tree_compare_find_name(ends, n, model->names[v]) == NULL)
				refuse_variable(model->names[v]);
	TlvCheck(ctx, tlv_tree_create(ctx, p, nodes, edges->edges, &tree));
	leader = palloc_extended(nodes * sizeof(int32_t), MCXT_ALLOC_HUGE);
	for (size_t v = 0; v < nodes; v++)
		leader[v] = (int32_t) v;
	for (size_t e = 0; e < edges->edges; e++)
	{
		if (!join(leader, node[2 * e], node[2 * e + 1]))
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("the edge from \"%s\" to \"%s\" closes a circle",
								   edges->ends[2 * e], edges->ends[2 * e + 1]),
							errhint("A tree has one path between two nodes.")));
		tree.ends[2 * e] = node[2 * e];
		tree.ends[2 * e + 1] = node[2 * e + 1];
	}
	return tree;
}

/* tlv_robinson_foulds(model, edges text): one row (different, total, distance) */
TLV_QUERY_FUNCTION(tlv_robinson_foulds_edges)
{
	TlvTreeModel model = TlvTreeOpen(fcinfo, 0, "tlv_robinson_foulds");
	tlv_context *ctx = &model.work->ctx;
	TlvQuery *query;
	EdgeNames edges;
	tlv_tree mine, other;

	TlvCheck(ctx, tlv_tree_of_model(ctx, &model.parts, &mine));
	query =
		TlvQueryOpen(text_to_cstring(PG_GETARG_TEXT_PP(1)), fcinfo->flinfo->fn_oid, "edges", NULL);
	edges = collect_edges(query);
	other = tree_of_edges(ctx, &edges, &model);
	TlvQueryClose(query);
	put_distance(fcinfo, ctx, &mine, &other);
	TlvWorkEnd(model.work);
	return (Datum) 0;
}
