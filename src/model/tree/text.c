/*
 * text.c - growing text (text.h), and trees in the formats of Newick and Graphviz
 * (tree_pictures.h).
 */
#include "text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/tree_pictures.h"

#define REPLACEMENT 0xFFFD

/* ---- text ---- */

void
tree_text_begin(tree_text *t, tlv_context *ctx)
{
	memset(t, 0, sizeof(*t));
	t->ctx = ctx;
}

static void
tree_text_bytes(tree_text *t, const char *bytes, size_t n)
{
	if (t->failed)
		return;
	if (t->room - t->length < n + 1)
	{
		size_t room = 2 * t->room + n + 256;
		char *grown = tlv_realloc(t->ctx, t->text, room, 1);

		if (grown == NULL)
		{
			t->failed = true;
			return;
		}
		t->text = grown;
		t->room = room;
	}
	memcpy(t->text + t->length, bytes, n);
	t->length += n;
	t->text[t->length] = 0;
}

tlv_status
tree_text_end(tree_text *t, char **text)
{
	*text = NULL;
	tree_text_bytes(t, "", 0);
	if (t->failed)
	{
		tlv_free(t->ctx, t->text);
		return t->ctx->error.code;
	}
	*text = t->text;
	return TLV_OK;
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

/* Continuation bytes of a lead byte and the least character written so; -1: no lead byte. */
static int
sequence_length(unsigned char lead, uint32_t *bits, uint32_t *least)
{
	static const uint32_t leasts[4] = {0, 0x80, 0x800, 0x10000};
	int more = lead < 0x80 ? 0 : lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;

	if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4)
		return -1;
	*bits = more == 0 ? lead : lead & (0x3FU >> more);
	*least = leasts[more];
	return more;
}

uint32_t
tree_text_next(const char **at)
{
	uint32_t character = 0, least = 0;
	int more = sequence_length((unsigned char) **at, &character, &least);

	if (**at == 0)
		return 0;
	(*at)++;
	if (more < 0)
		return REPLACEMENT;
	for (; more > 0; more--)
	{
		if (((unsigned char) **at & 0xC0) != 0x80)
			return REPLACEMENT;
		character = character << 6 | ((unsigned char) *(*at)++ & 0x3FU);
	}
	if (character < least || character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
		return REPLACEMENT;
	return character;
}

void
tree_text_character(tree_text *t, uint32_t c)
{
	char bytes[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		bytes[i] = (char) (0x80 | (c & 0x3F));
	bytes[0] = (char) (n == 1 ? c : (0xF00U >> n & 0xF0) | c);
	tree_text_bytes(t, bytes, n);
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
