/*
 * page.c - the digest of a block model for its page (page.h): nodes with their memberships, and
 * the drawing of a graph of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "arrange.h"
#include "tensorlv/model/mmsb.h"
#include "tensorlv/model/page.h"
#include "tensorlv/num/special.h"

/* Membership below which a community of a node is not listed; nodes that describe a community. */
#define MMSB_LEAST 0.01f
#define DESCRIBING 40
/* Communities above which a row of the connectivity has its largest entries alone, and these. */
#define MMSB_DENSE_MOST	  64
#define MMSB_PAGE_LARGEST 10

/* The nodes of one side that the page has. */
typedef struct page_side
{
	size_t n;
	size_t *order;	/* places of the side's nodes, of the highest degree first */
	int64_t *place; /* of every node of the side: on the page, -1 where it is not there */
} page_side;

typedef struct community_page
{
	tlv_mmsb_parts parts;
	page_side side[2];
	double *positions; /* 2 for each node on the page, of the first side first; NULL: no drawing */
	int32_t *ends;	   /* of the edges, 2 each */
	size_t edges, unknown;
} community_page;

static tlv_status
choose_nodes(tlv_context *ctx, const tlv_mmsb_parts *parts, size_t s, page_side *side)
{
	size_t n = parts->side[s].n;

	side->n = tlv_least(n, TLV_PAGE_NODES / parts->sides);
	TLV_TRY_NEW(ctx, side->order, n);
	TLV_TRY_NEW(ctx, side->place, n);
	TLV_TRY(tlv_page_order(ctx, n, parts->side[s].degree, side->order));
	for (size_t u = 0; u < n; u++)
		side->place[side->order[u]] = u < side->n ? (int64_t) u : -1;
	return TLV_OK;
}

/* ---- the drawing ---- */

/* A node of the graph on the page; -1: it is not there.  Of bipartite graphs targets are behind. */
static int64_t
page_node(const community_page *p, size_t s, int64_t id)
{
	bool two = p->parts.graph == TLV_GRAPH_BIPARTITE;
	size_t side = two ? s : 0, u = tlv_mmsb_find_node(&p->parts, side, id);
	int64_t place = u < p->parts.side[side].n ? p->side[side].place[u] : -1;

	return place < 0 ? -1 : place + (int64_t) (two && s == 1 ? p->side[0].n : 0);
}

/* Edges between nodes of the page; a directed pair is one line. */
static tlv_status
read_edges(tlv_context *ctx, const tlv_frame *graph, size_t entries, community_page *p)
{
	tlv_graph_cursor *cursor;
	int64_t source, target;
	double weight;

	TLV_TRY_NEW(ctx, p->ends, 2 * entries + 1);
	TLV_TRY(tlv_graph_cursor_open(ctx, graph, &cursor));
	while (p->edges < entries && tlv_graph_cursor_next(cursor, &source, &target, &weight))
	{
		int64_t a = page_node(p, 0, source), b = page_node(p, 1, target);

		if (a < 0 || b < 0 || a == b)
			continue;
		p->ends[2 * p->edges] = (int32_t) a;
		p->ends[2 * p->edges++ + 1] = (int32_t) b;
	}
	tlv_graph_cursor_close(ctx, cursor);
	return TLV_OK;
}

static tlv_status
count_unknown(tlv_context *ctx, const tlv_frame *graph, const char *name, size_t s, size_t n,
			  community_page *p)
{
	int64_t *ids;

	TLV_TRY(tlv_graph_decode_nodes(ctx, graph, name, n, &ids));
	for (size_t u = 0; u < n; u++)
	{
		size_t side = p->parts.graph == TLV_GRAPH_BIPARTITE ? s : 0;

		p->unknown += tlv_mmsb_find_node(&p->parts, side, ids[u]) >= p->parts.side[side].n;
	}
	tlv_free(ctx, ids);
	return TLV_OK;
}

/* Every node begins at the barycentre of its memberships, communities being on a circle. */
static void
begin_positions(const community_page *p, size_t s, double *positions)
{
	const tlv_memberships *m = &p->parts.side[s].memberships;

	for (size_t i = 0; i < p->side[s].n; i++)
	{
		size_t u = p->side[s].order[i];

		positions[2 * i] = positions[2 * i + 1] = 0;
		for (size_t at = m->start[u]; at < m->start[u + 1]; at++)
		{
			double angle = TLV_TWO_PI * m->community[at] / (double) p->parts.k;

			positions[2 * i] += (double) m->share[at] * cos(angle);
			positions[2 * i + 1] += (double) m->share[at] * sin(angle);
		}
	}
}

/* A graph beyond the limits is not drawn; the list of nodes is there all the same. */
static tlv_status
place_graph(tlv_context *ctx, const tlv_frame *graph, community_page *p)
{
	bool two = p->parts.graph == TLV_GRAPH_BIPARTITE;
	size_t n = p->side[0].n + (two ? p->side[1].n : 0);
	tlv_graph_header header;

	tlv_graph_read_header(graph, &header);
	if (header.kind != p->parts.graph)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the graph is %s, that of the model %s",
				 tlv_graph_kind_name(header.kind), tlv_graph_kind_name(p->parts.graph));
		return tlv_fail_hint(ctx, "Aggregate the edges as they were for the model.");
	}
	TLV_TRY(count_unknown(ctx, graph, "nodes", 0, header.rows, p));
	if (two)
		TLV_TRY(count_unknown(ctx, graph, "targets", 1, header.columns, p));
	if (n > TLV_PAGE_DRAWN_NODES || header.entries > TLV_PAGE_DRAWN_EDGES)
		return TLV_OK;
	TLV_TRY(read_edges(ctx, graph, header.entries, p));
	TLV_TRY_NEW0(ctx, p->positions, 2 * n + 1);
	begin_positions(p, 0, p->positions);
	if (two)
		begin_positions(p, 1, p->positions + 2 * p->side[0].n);
	return tlv_page_place(ctx, n, p->edges, p->ends, p->positions);
}

/* ---- writing ---- */

static tlv_text
node_name(const tlv_mmsb_parts *parts, size_t s, size_t u, char digits[24])
{
	tlv_text name = tlv_name_at(&parts->side[s].names, u);

	if (name.bytes == NULL)
		name =
			(tlv_text){digits, (size_t) snprintf(digits, 24, "%" PRId64, parts->side[s].nodes[u])};
	name.length = tlv_cut_length(name, TLV_PAGE_TITLE);
	return name;
}

/* The communities of a node from 1 with thousandths, the largest first; small ones are not listed.
 */
static tlv_status
page_put_memberships(tlv_context *ctx, const tlv_memberships *m, size_t u, tlv_json_writer *data)
{
	float last = 2;
	size_t after = 0;

	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (bool first = true;; first = false)
	{
		size_t best = m->start[u + 1];

		for (size_t at = m->start[u]; at < m->start[u + 1]; at++)
			if (m->share[at] >= MMSB_LEAST &&
				(m->share[at] < last || (m->share[at] == last && at > after)) &&
				(best == m->start[u + 1] || m->share[at] > m->share[best]))
				best = at;
		if (best == m->start[u + 1])
			break;
		last = m->share[best];
		after = best;
		TLV_TRY(tlv_json_put(ctx, data, first ? "[" : ",["));
		TLV_TRY(tlv_json_put_integer(ctx, data, m->community[best] + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) floorf(1000 * last + 0.5f)));
		TLV_TRY(tlv_json_put(ctx, data, "]"));
	}
	return tlv_json_put(ctx, data, "]");
}

/* [name, degree, memberships, x, y, propensity]; null for what there is not. */
static tlv_status
mmsb_put_node(tlv_context *ctx, const community_page *p, size_t s, size_t i, size_t name_length,
			  tlv_json_writer *data)
{
	size_t u = p->side[s].order[i];
	const double *at = p->positions;
	tlv_text name;
	char digits[24];

	if (at != NULL)
		at = s == 0 || p->parts.graph == TLV_GRAPH_BIPARTITE
				 ? at + 2 * (i + (s == 1 ? p->side[0].n : 0))
				 : NULL;
	TLV_TRY(tlv_json_put(ctx, data, i > 0 ? ",[" : "["));
	name = node_name(&p->parts, s, u, digits);
	TLV_TRY(tlv_page_put_text(ctx, data, tlv_page_cut_name(name, name_length)));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_page_put_number(ctx, data, p->parts.side[s].degree[u], 6));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(page_put_memberships(ctx, &p->parts.side[s].memberships, u, data));
	for (int axis = 0; axis < 2 && (at != NULL || p->parts.degree_corrected); axis++)
	{
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, at != NULL ? floor(at[axis] + 0.5) : NAN, 5));
	}
	if (p->parts.degree_corrected)
	{
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, p->parts.side[s].propensity[u], 4));
	}
	return tlv_json_put(ctx, data, "]");
}

static tlv_status
put_nodes(tlv_context *ctx, const community_page *p, size_t s, tlv_json_writer *data)
{
	tlv_page_lengths lengths = {{0}};
	char digits[24];

	for (size_t i = 0; i < p->side[s].n; i++)
		tlv_page_count_name(&lengths, node_name(&p->parts, s, p->side[s].order[i], digits));
	TLV_TRY(tlv_page_put_key(ctx, data, s == 0 ? "nodes" : "targets"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t i = 0; i < p->side[s].n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(mmsb_put_node(ctx, p, s, i, tlv_page_name_length(&lengths), data));
	}
	return tlv_json_put(ctx, data, "]");
}

/* A row as a list of all, or as [community, value] of the largest ones. */
static tlv_status
put_connectivity_row(tlv_context *ctx, const tlv_mmsb_parts *parts, size_t a, double *row,
					 size_t *order, tlv_json_writer *data)
{
	bool dense = parts->k <= MMSB_DENSE_MOST;

	for (size_t b = 0; b < parts->k; b++)
		row[b] = parts->connectivity[a + parts->k * b];
	if (!dense)
		TLV_TRY(tlv_page_order(ctx, parts->k, row, order));
	TLV_TRY(tlv_json_put(ctx, data, a > 0 ? ",[" : "["));
	for (size_t i = 0; i < (dense ? parts->k : MMSB_PAGE_LARGEST); i++)
	{
		TLV_TRY(tlv_json_put(ctx, data, i > 0 ? "," : ""));
		if (dense)
		{
			TLV_TRY(tlv_page_put_number(ctx, data, row[i], 3));
			continue;
		}
		TLV_TRY(tlv_json_put(ctx, data, "["));
		TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) order[i] + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, row[order[i]], 3));
		TLV_TRY(tlv_json_put(ctx, data, "]"));
	}
	return tlv_json_put(ctx, data, "]");
}

static tlv_status
put_connectivity(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_json_writer *data)
{
	double *row;
	size_t *order;

	TLV_TRY_NEW(ctx, row, parts->k);
	TLV_TRY_NEW(ctx, order, parts->k);
	TLV_TRY(tlv_page_put_key(
		ctx, data, parts->k <= MMSB_DENSE_MOST ? "connectivity" : "connectivity_largest"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t a = 0; a < tlv_least(parts->k, TLV_PAGE_COMPONENTS); a++)
		TLV_TRY(put_connectivity_row(ctx, parts, a, row, order, data));
	tlv_free(ctx, row);
	tlv_free(ctx, order);
	return tlv_json_put(ctx, data, "]");
}

static tlv_status
put_edges(tlv_context *ctx, const community_page *p, tlv_json_writer *data)
{
	TLV_TRY(tlv_page_put_key(ctx, data, "edges"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t e = 0; e < p->edges; e++)
	{
		const int64_t ends[2] = {p->ends[2 * e], p->ends[2 * e + 1]};

		TLV_TRY(tlv_json_put(ctx, data, e > 0 ? "," : ""));
		TLV_TRY(tlv_page_put_integers(ctx, data, 2, ends));
	}
	return tlv_json_put(ctx, data, "]");
}

static tlv_status
mmsb_put_page(tlv_context *ctx, const tlv_frame *model, const tlv_frame *graph, tlv_page *page)
{
	community_page p = {.positions = NULL};
	size_t dropped = 0;

	TLV_TRY(tlv_mmsb_read(ctx, model, &p.parts));
	for (size_t s = 0; s < p.parts.sides; s++)
	{
		TLV_TRY(choose_nodes(ctx, &p.parts, s, p.side + s));
		dropped += p.parts.side[s].n - p.side[s].n;
	}
	if (graph != NULL)
		TLV_TRY(place_graph(ctx, graph, &p));
	for (size_t s = 0; s < p.parts.sides; s++)
		TLV_TRY(put_nodes(ctx, &p, s, &page->data));
	TLV_TRY(put_connectivity(ctx, &p.parts, &page->data));
	if (p.positions != NULL)
		TLV_TRY(put_edges(ctx, &p, &page->data));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "graph"));
	TLV_TRY(tlv_json_put_string(ctx, &page->data,
								(tlv_text){tlv_graph_kind_name(p.parts.graph),
										   strlen(tlv_graph_kind_name(p.parts.graph))}));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "given_graph"));
	TLV_TRY(tlv_json_put(ctx, &page->data, graph != NULL ? "true" : "false"));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "poisson"));
	TLV_TRY(tlv_json_put(ctx, &page->data, p.parts.poisson ? "true" : "false"));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "unknown"));
	TLV_TRY(tlv_json_put_integer(ctx, &page->data, (int64_t) p.unknown));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "dropped"));
	return tlv_json_put_integer(ctx, &page->data, (int64_t) dropped);
}

/* ---- communities in words ---- */

typedef struct description
{
	tlv_json_writer text;
	size_t n;
} description;

/* The nodes that belong to each community more than to any other, of the highest degree first. */
static tlv_status
describe_side(tlv_context *ctx, const tlv_mmsb_parts *parts, size_t s, size_t n,
			  description *described)
{
	const tlv_memberships *m = &parts->side[s].memberships;
	page_side side;
	char digits[24];

	TLV_TRY(choose_nodes(ctx, parts, s, &side));
	for (size_t i = 0; i < parts->side[s].n; i++)
	{
		size_t u = side.order[i], best = m->start[u];
		description *d;
		tlv_text name;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t at = m->start[u]; at < m->start[u + 1]; at++)
			if (m->share[at] > m->share[best])
				best = at;
		if (best == m->start[u + 1] || m->community[best] >= n)
			continue;
		d = described + m->community[best];
		if (d->n++ >= DESCRIBING)
			continue;
		name = node_name(parts, s, u, digits);
		TLV_TRY(tlv_json_put(ctx, &d->text, d->n > 1 ? ", " : ""));
		TLV_TRY(tlv_json_append(ctx, &d->text, name.bytes, name.length));
	}
	tlv_free(ctx, side.order);
	tlv_free(ctx, side.place);
	return TLV_OK;
}

static tlv_status
mmsb_describe(tlv_context *ctx, const tlv_frame *model, size_t n, tlv_text *texts)
{
	tlv_mmsb_parts parts;
	description *described;

	TLV_TRY(tlv_mmsb_read(ctx, model, &parts));
	TLV_TRY_NEW0(ctx, described, n);
	for (size_t j = 0; j < n; j++)
		described[j].text.most = TLV_PAGE_DIGEST_MOST;
	for (size_t s = 0; s < (parts.graph == TLV_GRAPH_BIPARTITE ? 2 : 1); s++)
		TLV_TRY(describe_side(ctx, &parts, s, n, described));
	for (size_t j = 0; j < n; j++)
		texts[j] = (tlv_text){described[j].text.bytes, described[j].text.n};
	tlv_free(ctx, described);
	return TLV_OK;
}

const tlv_page_view tlv_mmsb_page = {.view = "communities",
									 .what = "community",
									 .put = mmsb_put_page,
									 .describe = mmsb_describe,
									 .graphs = true};
