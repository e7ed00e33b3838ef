/*
 * text.c - growing text (text.h), and trees in the formats of Newick and Graphviz
 * (tree_pictures.h).
 */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/tree_pictures.h"

/* ---- text ---- */

void
tree_text_begin(tree_text *t, tlv_context *ctx)
{
	*t = (tree_text){.ctx = ctx, .text = {.most = SIZE_MAX / 2}};
}

static void
tree_text_bytes(tree_text *t, const char *bytes, size_t n)
{
	if (t->status == TLV_OK)
		t->status = tlv_json_append(t->ctx, &t->text, bytes, n);
}

tlv_status
tree_text_end(tree_text *t, char **text)
{
	tree_text_bytes(t, "", 1);
	if (t->status != TLV_OK)
		tlv_free(t->ctx, t->text.bytes);
	*text = t->status == TLV_OK ? t->text.bytes : NULL;
	return t->status;
}

void
tree_text_add(tree_text *t, const char *string)
{
	tree_text_bytes(t, string, strlen(string));
}

void
tree_text_number(tree_text *t, double x, int decimals)
{
	static const uint64_t power[7] = {1, 10, 100, 1000, 10000, 100000, 1000000};
	uint64_t unit = power[decimals], whole, part;
	char digits[48];
	int n;

	whole = (uint64_t) floor(fmin(fabs(x), 1e12) * (double) unit + 0.5);
	part = whole % unit;
	if (x < 0 && whole > 0)
		tree_text_add(t, "-");
	n = snprintf(digits, sizeof(digits), "%llu", (unsigned long long) (whole / unit));
	tree_text_bytes(t, digits, (size_t) n);
	if (part == 0)
		return;
	n = snprintf(digits, sizeof(digits), ".%0*llu", decimals, (unsigned long long) part);
	while (digits[n - 1] == '0')
		n--;
	tree_text_bytes(t, digits, (size_t) n);
}

uint32_t
tree_text_next(const char **at)
{
	size_t taken = 0;
	uint32_t character = **at == 0 ? 0 : tlv_utf8_next(*at, strnlen(*at, 4), &taken);

	*at += taken;
	return character;
}

void
tree_text_character(tree_text *t, uint32_t c)
{
	char bytes[4];

	tree_text_bytes(t, bytes, tlv_utf8_put(c, bytes));
}

/* ---- Newick ---- */

static bool
is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* May stand without quotes; an underscore would be read as a blank. */
static bool
is_plain(const char *name)
{
	if (*name == 0)
		return false;
	for (const char *at = name; *at != 0; at++)
		if ((unsigned char) *at <= ' ' || (unsigned char) *at >= 0x7F ||
			strchr("()[]{}/\\,;:=*'\"`+-<>_", *at) != NULL)
			return false;
	return true;
}

static void
newick_name(tree_text *t, const char *name)
{
	uint32_t c;

	if (is_plain(name))
	{
		tree_text_add(t, name);
		return;
	}
	tree_text_add(t, "'");
	while ((c = tree_text_next(&name)) != 0)
	{
		if (c == '\'')
			tree_text_add(t, "'");
		tree_text_character(t, is_control(c) ? ' ' : c);
	}
	tree_text_add(t, "'");
}

/* Where the reading of a rooted tree, children in the order of neighbour lists, has come to. */
typedef struct walk
{
	const tlv_tree *tree;
	tlv_tree_neighbours around;
	tlv_tree_rooting rooting;
	size_t *at; /* of every node: position in its neighbour list */
} walk;

static tlv_status
walk_begin(tlv_context *ctx, const tlv_tree *tree, walk *w)
{
	memset(w, 0, sizeof(*w));
	w->tree = tree;
	TLV_TRY(tlv_tree_root(ctx, tree, &w->rooting));
	TLV_TRY(tlv_tree_neighbours_create(ctx, tree, &w->around));
	TLV_TRY_NEW(ctx, w->at, tree->nodes);
	memcpy(w->at, w->around.start, tree->nodes * sizeof(size_t));
	return TLV_OK;
}

static void
walk_end(tlv_context *ctx, walk *w)
{
	tlv_free(ctx, w->at);
	tlv_tree_neighbours_free(ctx, &w->around);
	tlv_tree_rooting_free(ctx, &w->rooting);
}

/* The next child of v, or -1. */
static int32_t
next_child(walk *w, int32_t v)
{
	while (w->at[v] < w->around.start[v + 1])
	{
		int32_t u = w->around.neighbour[w->at[v]++];

		if (u != w->rooting.parent[v])
			return u;
	}
	return -1;
}

static void
newick_label(tree_text *t, const walk *w, int32_t v, const char *const *names)
{
	int32_t e = w->rooting.edge[v];

	newick_name(t, names[v]);
	if (e < 0)
		return;
	if (!isnan(w->tree->support[e]))
	{
		tree_text_add(t, "[&support=");
		tree_text_number(t, 100 * w->tree->support[e], 1);
		tree_text_add(t, "]");
	}
	tree_text_add(t, ":");
	tree_text_number(t, w->tree->length[e], 6);
}

/* Down into children and up again without recursion: trees may be as deep as they are large. */
static void
newick_component(tree_text *t, walk *w, int32_t root, const char *const *names)
{
	int32_t v = root;

	for (;;)
	{
		bool opened = w->at[v] > w->around.start[v];
		int32_t child = next_child(w, v);

		if (child >= 0)
		{
			tree_text_add(t, opened ? "," : "(");
			v = child;
			continue;
		}
		if (w->around.start[v + 1] - w->around.start[v] > (w->rooting.parent[v] >= 0))
			tree_text_add(t, ")");
		newick_label(t, w, v, names);
		if (v == root)
			break;
		v = w->rooting.parent[v];
	}
	tree_text_add(t, ";\n");
}

tlv_status
tlv_tree_newick(tlv_context *ctx, const tlv_tree *tree, const char *const *names, char **text)
{
	tree_text t;
	walk w;

	*text = NULL;
	TLV_TRY(walk_begin(ctx, tree, &w));
	tree_text_begin(&t, ctx);
	for (size_t i = 0; i < tree->nodes; i++)
		if (w.rooting.parent[w.rooting.order[i]] < 0)
			newick_component(&t, &w, w.rooting.order[i], names);
	walk_end(ctx, &w);
	return tree_text_end(&t, text);
}

/* ---- Graphviz ---- */

static void
dot_name(tree_text *t, const char *name)
{
	uint32_t c;

	tree_text_add(t, "\"");
	while ((c = tree_text_next(&name)) != 0)
	{
		if (c == '"' || c == '\\')
			tree_text_add(t, "\\");
		tree_text_character(t, is_control(c) ? ' ' : c);
	}
	tree_text_add(t, "\"");
}

/* Numbers name the nodes, so that variables of one name stay apart. */
static void
dot_node(tree_text *t, const tlv_tree *tree, size_t v, const char *name)
{
	tree_text_add(t, "  ");
	tree_text_number(t, (double) v, 0);
	tree_text_add(t, " [label=");
	dot_name(t, name);
	tree_text_add(t, v < tree->p ? "];\n" : ", shape=circle, fontsize=8, color=gray50];\n");
}

static void
dot_edge(tree_text *t, const tlv_tree *tree, size_t e)
{
	tree_text_add(t, "  ");
	tree_text_number(t, tree->ends[2 * e], 0);
	tree_text_add(t, " -- ");
	tree_text_number(t, tree->ends[2 * e + 1], 0);
	tree_text_add(t, " [len=");
	tree_text_number(t, tree->length[e], 6);
	tree_text_add(t, ", penwidth=");
	tree_text_number(t, 0.5 + 3 * exp(-tree->length[e]), 2);
	if (!isnan(tree->support[e]))
	{
		tree_text_add(t, ", fontsize=8, label=\"");
		tree_text_number(t, 100 * tree->support[e], 0);
		tree_text_add(t, " %\"");
	}
	tree_text_add(t, "];\n");
}

tlv_status
tlv_tree_dot(tlv_context *ctx, const tlv_tree *tree, const char *const *names, char **text)
{
	tree_text t;

	tree_text_begin(&t, ctx);
	tree_text_add(&t, "graph tree {\n"
					  "  graph [layout=neato, overlap=false];\n"
					  "  node [shape=box, style=rounded, height=0.2, margin=0.05, fontsize=11];\n");
	for (size_t v = 0; v < tree->nodes; v++)
		dot_node(&t, tree, v, names[v]);
	for (size_t e = 0; e < tree->edges; e++)
		dot_edge(&t, tree, e);
	tree_text_add(&t, "}\n");
	return tree_text_end(&t, text);
}
