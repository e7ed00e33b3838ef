/*
 * svg.c - a drawing of a tree (tree_pictures.h).
 *
 * The tree hangs from its centre, the middle of the picture.  Every observed node has a slot on
 * the ring around it, in the order of a walk through the tree; an inner node stands in the middle
 * of the directions of what hangs from it, and between its parent and the ring where its edge ends
 * on the longest path to a node below.  So edges do not cross, names do not overlap, however many
 * there are, and every branch has the room that it needs.
 */
#include "tensorlv/model/tree_pictures.h"
#include "tensorlv/num/special.h"
#include "text.h"

#include <math.h>
#include <string.h>

#define FONT		12.0 /* height of names */
#define SLOT		15.0 /* of the ring, for one name */
#define NAME_MOST	32	 /* characters of a name that are drawn */
#define TREE_MARGIN 14.0
#define TREE_GAP	8.0	 /* from the ring to a name */
#define SHORTEST	0.03 /* least length drawn, as a part of the longest path from the centre */

typedef struct drawing
{
	const tlv_tree *tree;
	tlv_tree_neighbours around;
	tlv_tree_rooting rooting; /* from the centres */
	double *depth;			  /* path from the centre, then the radius */
	double *height;			  /* longest path to a node below */
	double *direction;		  /* of every node */
	double *slot;			  /* direction of every observed node's name */
	double *first, *last;	  /* directions of a node's arc */
	double ring;
	double left, right, top, bottom; /* of the picture from the middle */
	const char *const *names;
} drawing;

static size_t
tree_degree(const drawing *w, int32_t v)
{
	return w->around.start[v + 1] - w->around.start[v];
}

/* ---- layout ---- */

/* The nodes of a tree from root on, order[at] and on, with their depths; the first place behind. */
static size_t
hang(drawing *w, int32_t root, size_t at)
{
	const tlv_tree_rooting *rooting = &w->rooting;
	size_t end = at;

	tlv_tree_hang(&w->around, &w->rooting, root, &end);
	w->depth[root] = 0;
	for (size_t i = at + 1; i < end; i++)
	{
		int32_t v = rooting->order[i];

		w->depth[v] = w->depth[rooting->parent[v]] + w->tree->length[rooting->edge[v]];
	}
	return end;
}

/* Of the nodes from root on. */
static int32_t
tree_farthest(drawing *w, int32_t root, size_t at)
{
	int32_t best = root;
	size_t end = hang(w, root, at);

	for (size_t i = at + 1; i < end; i++)
		if (w->depth[w->rooting.order[i]] > w->depth[best])
			best = w->rooting.order[i];
	return best;
}

/* The inner node nearest to the middle of the longest path. */
static int32_t
centre_of(drawing *w, int32_t any, size_t at)
{
	int32_t v = tree_farthest(w, tree_farthest(w, any, at), at), best = v;
	double half = 0.5 * w->depth[v];

	for (; v >= 0; v = w->rooting.parent[v])
		if (tree_degree(w, v) > 1 &&
			(tree_degree(w, best) <= 1 || fabs(w->depth[v] - half) < fabs(w->depth[best] - half)))
			best = v;
	return best;
}

/* Components by their first nodes, each from its centre. */
static void
hang_components(drawing *w)
{
	size_t at = 0;

	memset(w->rooting.edge, 0xfe, w->tree->nodes * sizeof(int32_t)); /* neither -1 nor an edge */
	for (size_t v = 0; v < w->tree->nodes; v++)
	{
		if (w->rooting.edge[v] >= -1)
			continue;
		at = hang(w, centre_of(w, (int32_t) v, at), at);
		w->rooting.components++;
	}
}

/* Edges that are hardly any are drawn as long as `shortest`. */
static double
drawn_length(const drawing *w, int32_t v, double shortest)
{
	return fmax(w->tree->length[w->rooting.edge[v]], shortest);
}

static void
set_radii(drawing *w)
{
	/* Centres of several components stand around the middle. */
	double inner = w->rooting.components > 1 ? 0.25 * w->ring : 0, shortest = 1e-9;

	for (size_t v = 0; v < w->tree->nodes; v++)
	{
		shortest = fmax(shortest, SHORTEST * w->depth[v]);
		w->height[v] = 0;
	}
	for (size_t i = w->tree->nodes; i-- > 0;)
	{
		int32_t v = w->rooting.order[i], parent = w->rooting.parent[v];

		if (parent >= 0)
			w->height[parent] =
				fmax(w->height[parent], w->height[v] + drawn_length(w, v, shortest));
	}
	for (size_t i = 0; i < w->tree->nodes; i++)
	{
		int32_t v = w->rooting.order[i], parent = w->rooting.parent[v];
		double length, part;

		w->depth[v] = inner;
		if (parent < 0)
			continue;
		/* A leaf ends where it does among its siblings, an inner node leaves the rest to its
		 * branch. */
		length = drawn_length(w, v, shortest);
		part =
			tree_degree(w, v) == 1 ? length / w->height[parent] : length / (length + w->height[v]);
		w->depth[v] = w->depth[parent] + part * (w->ring - w->depth[parent]);
	}
}

/*
 * Slots in the order of a walk: children by neighbour lists, an inner observed node's own before
 * theirs; *slot is the next one.  Directions of the others follow from below.
 */
static void
take_slots(drawing *w, int32_t root, size_t *at, double width, double *slot)
{
	int32_t v = root, from = -1;

	for (;;)
	{
		int32_t next = -1;

		if (from < 0 && (size_t) v < w->tree->p)
			w->slot[v] = width * (*slot)++;
		while (next < 0 && at[v] < w->around.start[v + 1])
		{
			next = w->around.neighbour[at[v]++];
			next = next == w->rooting.parent[v] ? -1 : next;
		}
		from = next >= 0 ? -1 : v;
		if (next < 0 && v == root)
			return;
		v = next >= 0 ? next : w->rooting.parent[v];
	}
}

/* From the last nodes to the first: every node amid its slot and its children. */
static void
set_directions(drawing *w)
{
	for (size_t v = 0; v < w->tree->nodes; v++)
	{
		w->first[v] = v < w->tree->p ? w->slot[v] : HUGE_VAL;
		w->last[v] = v < w->tree->p ? w->slot[v] : -HUGE_VAL;
	}
	for (size_t i = w->tree->nodes; i-- > 0;)
	{
		int32_t v = w->rooting.order[i], parent = w->rooting.parent[v];

		w->direction[v] = w->first[v] <= w->last[v] ? 0.5 * (w->first[v] + w->last[v]) : 0;
		if (parent < 0)
			continue;
		w->first[parent] = fmin(w->first[parent], w->direction[v]);
		w->last[parent] = fmax(w->last[parent], w->direction[v]);
	}
}

static tlv_status
lay_out(tlv_context *ctx, drawing *w)
{
	const double least_ring = 150.0;
	size_t nodes = w->tree->nodes, *at;
	double slots = (double) w->tree->p, slot = 0;

	hang_components(w);
	/* A free slot parts the components. */
	slots += w->rooting.components > 1 ? (double) w->rooting.components : 0;
	w->ring = fmax(least_ring, slots * SLOT / TLV_TWO_PI);
	set_radii(w);
	TLV_TRY_NEW(ctx, at, nodes);
	memcpy(at, w->around.start, nodes * sizeof(size_t));
	for (size_t i = 0; i < nodes; i++)
		if (w->rooting.parent[w->rooting.order[i]] < 0)
		{
			take_slots(w, w->rooting.order[i], at, TLV_TWO_PI / slots, &slot);
			slot++;
		}
	tlv_free(ctx, at);
	set_directions(w);
	return TLV_OK;
}

/* ---- writing ---- */

static size_t
characters_of_name(const char *name)
{
	size_t n = 0;

	while (tree_text_next(&name) != 0)
		n++;
	return n;
}

/* A name as far as it is drawn: characters that XML takes, and no markup.  Of a long one both ends
 * are, since names often differ at the end. */
static void
tree_add_name(tree_text *t, const char *name, size_t most)
{
	size_t all = characters_of_name(name), tail = most / 3, head = most - tail;
	bool cut = all > most && all - most > 1;
	uint32_t c;

	for (size_t n = 0; (c = tree_text_next(&name)) != 0; n++)
	{
		if (cut && n >= head && n < all - tail)
		{
			if (n == head)
				tree_text_character(t, 0x2026);
			continue;
		}
		if (c == '<')
			tree_text_add(t, "&lt;");
		else if (c == '>')
			tree_text_add(t, "&gt;");
		else if (c == '&')
			tree_text_add(t, "&amp;");
		else if (c == '\\')
			tree_text_add(t, "&#92;");
		else if (c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF)
			tree_text_character(t, 0xFFFD);
		else
			tree_text_character(t, c);
	}
}

static void
add_point(tree_text *t, const drawing *w, double radius, double direction)
{
	tree_text_number(t, w->left + radius * cos(direction), 1);
	tree_text_add(t, " ");
	tree_text_number(t, w->top + radius * sin(direction), 1);
}

static void
add_line(tree_text *t, const drawing *w, double from, double to, double direction)
{
	tree_text_add(t, "M");
	add_point(t, w, from, direction);
	tree_text_add(t, "L");
	add_point(t, w, to, direction);
}

static void
add_arc(tree_text *t, const drawing *w, double radius, double from, double to)
{
	tree_text_add(t, "M");
	add_point(t, w, radius, from);
	tree_text_add(t, "A");
	tree_text_number(t, radius, 1);
	tree_text_add(t, " ");
	tree_text_number(t, radius, 1);
	tree_text_add(t, fabs(to - from) > TLV_TWO_PI / 2 ? " 0 1 " : " 0 0 ");
	tree_text_add(t, to > from ? "1 " : "0 ");
	add_point(t, w, radius, to);
}

/* What an edge says when pointed at: length, its error, support. */
static void
add_edge_title(tree_text *t, const tlv_tree *tree, int32_t e)
{
	tree_text_add(t, "<title>length ");
	tree_text_number(t, tree->length[e], 3);
	if (!isnan(tree->error[e]))
	{
		tree_text_add(t, " \xC2\xB1 ");
		tree_text_number(t, tree->error[e], 3);
	}
	if (!isnan(tree->support[e]))
	{
		tree_text_add(t, ", support ");
		tree_text_number(t, 100 * tree->support[e], 0);
		tree_text_add(t, " %");
	}
	tree_text_add(t, "</title>");
}

/* Along the parent's circle to the node's direction, then out to it. */
static void
add_edge(tree_text *t, const drawing *w, int32_t v)
{
	int32_t parent = w->rooting.parent[v], e = w->rooting.edge[v];
	double inner = w->depth[parent];

	tree_text_add(t, "<path stroke-width=\"");
	tree_text_number(t, 0.8 + 2.7 * exp(-w->tree->length[e]), 2);
	if (w->tree->support[e] < 0.5)
		tree_text_add(t, "\" stroke-dasharray=\"5 3");
	tree_text_add(t, "\" d=\"");
	if (inner > 0.5 && w->direction[v] != w->direction[parent])
	{
		add_arc(t, w, inner, w->direction[parent], w->direction[v]);
		tree_text_add(t, "L");
		add_point(t, w, w->depth[v], w->direction[v]);
	}
	else
		add_line(t, w, inner, w->depth[v], w->direction[v]);
	tree_text_add(t, "\">");
	add_edge_title(t, w->tree, e);
	tree_text_add(t, "</path>\n");
}

/* From an observed node to its name on the ring. */
static void
add_leader(tree_text *t, const drawing *w, int32_t v)
{
	double radius = w->depth[v], slot = w->slot[v];

	if (radius > 0.5 && slot != w->direction[v])
		add_arc(t, w, radius, w->direction[v], slot);
	add_line(t, w, radius, w->ring + TREE_GAP / 2, slot);
}

static void
add_label(tree_text *t, const drawing *w, int32_t v)
{
	double slot = w->slot[v];
	bool left = cos(slot) < 0;
	double turn = slot * 360 / TLV_TWO_PI + (left ? 180 : 0);

	tree_text_add(t, "<text transform=\"translate(");
	add_point(t, w, w->ring + TREE_GAP, slot);
	tree_text_add(t, ") rotate(");
	tree_text_number(t, turn, 2);
	tree_text_add(t, left ? ")\" y=\"4.2\" text-anchor=\"end\"><title>" : ")\" y=\"4.2\"><title>");
	tree_add_name(t, w->names[v], SIZE_MAX);
	tree_text_add(t, "</title>");
	tree_add_name(t, w->names[v], NAME_MOST);
	tree_text_add(t, "</text>\n");
}

static void
add_dot(tree_text *t, const drawing *w, int32_t v)
{
	double x = w->left + w->depth[v] * cos(w->direction[v]);
	double y = w->top + w->depth[v] * sin(w->direction[v]);

	tree_text_add(t, "<circle cx=\"");
	tree_text_number(t, x, 1);
	tree_text_add(t, "\" cy=\"");
	tree_text_number(t, y, 1);
	tree_text_add(t, (size_t) v < w->tree->p ? "\" r=\"2.4\" fill=\"#b5651d\">" : "\" r=\"3\">");
	tree_text_add(t, "<title>");
	tree_add_name(t, w->names[v], SIZE_MAX);
	tree_text_add(t, "</title></circle>\n");
}

/* How far the names reach: most letters are not wider than .62 of their height. */
static void
measure_picture(drawing *w)
{
	w->left = w->right = w->top = w->bottom = w->ring;
	for (size_t v = 0; v < w->tree->p; v++)
	{
		const char *at = w->names[v];
		double reach = w->ring + TREE_GAP, x, y;

		for (size_t n = 0; n <= NAME_MOST && tree_text_next(&at) != 0; n++)
			reach += 0.62 * FONT;
		x = reach * cos(w->slot[v]);
		y = reach * sin(w->slot[v]);
		w->left = fmax(w->left, -x);
		w->right = fmax(w->right, x);
		w->top = fmax(w->top, -y);
		w->bottom = fmax(w->bottom, y);
	}
	w->left = ceil(w->left + TREE_MARGIN);
	w->right = ceil(w->right + TREE_MARGIN);
	w->top = ceil(w->top + TREE_MARGIN);
	w->bottom = ceil(w->bottom + TREE_MARGIN);
}

static void
add_head(tree_text *t, const drawing *w)
{
	double width = w->left + w->right, height = w->top + w->bottom;

	tree_text_add(
		t, "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 ");
	tree_text_number(t, width, 0);
	tree_text_add(t, " ");
	tree_text_number(t, height, 0);
	tree_text_add(t, "\" width=\"");
	tree_text_number(t, width, 0);
	tree_text_add(t, "\" height=\"");
	tree_text_number(t, height, 0);
	tree_text_add(t, "\" font-family=\"sans-serif\" font-size=\"");
	tree_text_number(t, FONT, 0);
	tree_text_add(t, "\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n");
}

static tlv_status
drawing_write(tlv_context *ctx, drawing *w, tree_text *t)
{
	size_t nodes = w->tree->nodes;

	measure_picture(w);
	add_head(t, w);
	tree_text_add(t, "<path fill=\"none\" stroke=\"#c8ccd2\" stroke-width=\"0.8\" "
					 "stroke-dasharray=\"2 3\" d=\"");
	for (size_t v = 0; v < w->tree->p; v++)
		add_leader(t, w, (int32_t) v);
	tree_text_add(t, "\"/>\n<g fill=\"none\" stroke=\"#4a5a6a\" stroke-linejoin=\"round\" "
					 "stroke-linecap=\"round\">\n");
	TLV_TRY_CONTINUE(ctx);
	for (size_t v = 0; v < nodes; v++)
		if (w->rooting.parent[v] >= 0)
			add_edge(t, w, (int32_t) v);
	tree_text_add(t, "</g>\n<g fill=\"#2f6690\" stroke=\"#fff\" stroke-width=\"0.8\">\n");
	TLV_TRY_CONTINUE(ctx);
	for (size_t v = 0; v < nodes; v++)
		add_dot(t, w, (int32_t) v);
	tree_text_add(t, "</g>\n<g fill=\"#222\">\n");
	TLV_TRY_CONTINUE(ctx);
	for (size_t v = 0; v < w->tree->p; v++)
		add_label(t, w, (int32_t) v);
	tree_text_add(t, "</g>\n</svg>\n");
	return TLV_OK;
}

static tlv_status
drawing_begin(tlv_context *ctx, drawing *w)
{
	size_t nodes = w->tree->nodes;

	TLV_TRY(tlv_tree_neighbours_create(ctx, w->tree, &w->around));
	TLV_TRY_NEW(ctx, w->rooting.parent, 3 * nodes);
	w->rooting.edge = w->rooting.parent + nodes;
	w->rooting.order = w->rooting.edge + nodes;
	TLV_TRY_NEW0(ctx, w->depth, 6 * nodes);
	w->direction = w->depth + nodes;
	w->first = w->direction + nodes;
	w->last = w->first + nodes;
	w->slot = w->last + nodes;
	w->height = w->slot + nodes;
	return TLV_OK;
}

tlv_status
tlv_tree_svg(tlv_context *ctx, const tlv_tree *tree, const char *const *names, char **text)
{
	drawing w = {.tree = tree, .names = names};
	tree_text t;
	tlv_status status;

	*text = NULL;
	tree_text_begin(&t, ctx);
	status = drawing_begin(ctx, &w);
	if (status == TLV_OK)
		status = lay_out(ctx, &w);
	if (status == TLV_OK)
		status = drawing_write(ctx, &w, &t);
	if (status == TLV_OK)
		status = tree_text_end(&t, text);
	else
		tlv_free(ctx, t.text.bytes);
	tlv_free(ctx, w.depth);
	tlv_free(ctx, w.rooting.parent);
	tlv_tree_neighbours_free(ctx, &w.around);
	return status;
}
