/*
 * regularise.c - merging of hidden nodes that the Bayesian information
 * criterion (Schwarz 1978) does not support into their parents (internal.h).
 *
 * Without node h below g, h's children depend on each other only through g.  What the
 * log-likelihood of a row loses is their conditional multi-information given g; that of one
 * observed node behind every child, and of a tree among these (Chow, Liu 1968), is a lower bound of
 * it, which the model's tables give.  h goes when rows times this is less than half the logarithm
 * of the rows times the parameters saved.
 */
#include <math.h>
#include <string.h>

#include "internal.h"

/* Children of a node whose dependence is looked at. */
#define MOST_CHILDREN 6

typedef struct merging
{
	const tlv_tree_parts *parts;
	int64_t *parent; /* changed; -2: gone */
	double *length;
	double *error;
	double *support;
	double **table;	  /* nodes */
	tree_shape shape; /* of the present parents */
	int64_t *roots;	  /* parents with -1 for nodes that are gone */
	double **channel; /* nodes: states x states of the node that stands for it; NULL: itself */
	int32_t *stand;	  /* nodes: observed node below, -1: none */
	double *distance; /* nodes: to it */
	double **margin;  /* nodes */
	size_t merged;
} merging;

/* c (m x n) = a (m x k) b (k x n), row by row; a NULL b is the identity. */
static void
tree_multiply(size_t m, size_t k, size_t n, const double *a, const double *b, double *c)
{
	memset(c, 0, m * n * sizeof(double));
	for (size_t i = 0; i < m; i++)
		for (size_t l = 0; l < k; l++)
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += a[i * k + l] * (b != NULL ? b[l * n + j] : l == j ? 1 : 0);
}

/* The nearest observed node below each, and its table given the node. */
static tlv_status
find_stands(tlv_context *ctx, merging *m)
{
	const int64_t *states = m->parts->states;

	for (size_t at = m->shape.nodes; at-- > 0;)
	{
		size_t v = (size_t) m->shape.order[at];
		int64_t best = -1;

		tlv_free(ctx, m->channel[v]);
		m->channel[v] = NULL;
		m->stand[v] = v < m->shape.p ? (int32_t) v : -1;
		m->distance[v] = 0;
		for (size_t e = m->shape.first[v]; v >= m->shape.p && e < m->shape.first[v + 1]; e++)
		{
			size_t c = (size_t) m->shape.child[e];

			if (m->stand[c] >= 0 && (best < 0 || m->length[c] + m->distance[c] < m->distance[v]))
			{
				best = (int64_t) c;
				m->distance[v] = m->length[c] + m->distance[c];
			}
		}
		if (best < 0)
			continue;
		m->stand[v] = m->stand[best];
		TLV_TRY(tlv_alloc_numbers(ctx, &m->channel[v], (size_t) (states[v] * states[m->stand[v]])));
		tree_multiply((size_t) states[v], (size_t) states[best], (size_t) states[m->stand[v]],
					  m->table[best], m->channel[best], m->channel[v]);
	}
	return TLV_OK;
}

static void
find_margins(merging *m)
{
	const int64_t *states = m->parts->states;

	for (size_t at = 0; at < m->shape.nodes; at++)
	{
		size_t v = (size_t) m->shape.order[at];

		if (m->shape.parent[v] < 0)
			memcpy(m->margin[v], m->table[v], (size_t) states[v] * sizeof(double));
		else
			tree_multiply(1, (size_t) states[m->shape.parent[v]], (size_t) states[v],
						  m->margin[m->shape.parent[v]], m->table[v], m->margin[v]);
	}
}

/* Mutual information, nats, of a table of shares (a x b); both margins are worked out. */
static double
information(size_t a, size_t b, const double *joint, double *margins)
{
	double sum = 0;

	memset(margins, 0, (a + b) * sizeof(double));
	for (size_t x = 0; x < a; x++)
		for (size_t y = 0; y < b; y++)
		{
			margins[x] += joint[x * b + y];
			margins[a + y] += joint[x * b + y];
		}
	for (size_t x = 0; x < a; x++)
		for (size_t y = 0; y < b; y++)
			if (joint[x * b + y] > 0)
				sum += joint[x * b + y] * log(joint[x * b + y] / (margins[x] * margins[a + y]));
	return fmax(sum, 0);
}

/* Of the stand-ins of children c and d of v, given v's parent. */
static tlv_status
conditional_information(tlv_context *ctx, const merging *m, size_t v, const double *c, size_t sc,
						const double *d, size_t sd, double *result)
{
	size_t g = (size_t) m->shape.parent[v], k = (size_t) m->parts->states[v];
	double *joint;

	*result = 0;
	TLV_TRY(tlv_alloc_numbers(ctx, &joint, sc * sd + sc + sd));
	for (size_t x = 0; x < (size_t) m->parts->states[g]; x++)
	{
		const double *row = m->table[v] + x * k;

		TLV_TRY_CONTINUE(ctx);
		memset(joint, 0, sc * sd * sizeof(double));
		for (size_t h = 0; h < k; h++)
			for (size_t i = 0; i < sc; i++)
				for (size_t j = 0; j < sd; j++)
					joint[i * sd + j] += row[h] * c[h * sc + i] * d[h * sd + j];
		*result += m->margin[g][x] * information(sc, sd, joint, joint + sc * sd);
	}
	tlv_free(ctx, joint);
	return TLV_OK;
}

/* Weight of the heaviest tree over n <= MOST_CHILDREN nodes (Prim). */
static double
spanning_weight(size_t n, double weight[MOST_CHILDREN][MOST_CHILDREN])
{
	double best[MOST_CHILDREN], sum = 0;
	bool in[MOST_CHILDREN] = {true};

	for (size_t i = 0; i < n; i++)
		best[i] = weight[0][i];
	for (size_t step = 1; step < n; step++)
	{
		size_t at = n;

		for (size_t i = 1; i < n; i++)
			if (!in[i] && (at == n || best[i] > best[at]))
				at = i;
		in[at] = true;
		sum += best[at];
		for (size_t i = 1; i < n; i++)
			best[i] = fmax(best[i], weight[at][i]);
	}
	return sum;
}

/* Lower bound of what a row loses when v goes. */
static tlv_status
loss_without(tlv_context *ctx, const merging *m, size_t v, double *loss)
{
	double weight[MOST_CHILDREN][MOST_CHILDREN] = {{0}}, *table[MOST_CHILDREN];
	const int64_t *states = m->parts->states;
	size_t k = (size_t) states[v], n = 0, size[MOST_CHILDREN];

	for (size_t e = m->shape.first[v]; e < m->shape.first[v + 1] && n < MOST_CHILDREN; e++)
	{
		size_t c = (size_t) m->shape.child[e];

		if (m->stand[c] < 0)
			continue;
		size[n] = (size_t) states[m->stand[c]];
		TLV_TRY(tlv_alloc_numbers(ctx, &table[n], k * size[n]));
		tree_multiply(k, (size_t) states[c], size[n], m->table[c], m->channel[c], table[n]);
		n++;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
		{
			TLV_TRY(conditional_information(ctx, m, v, table[i], size[i], table[j], size[j],
											&weight[i][j]));
			weight[j][i] = weight[i][j];
		}
	*loss = spanning_weight(n, weight);
	for (size_t i = 0; i < n; i++)
		tlv_free(ctx, table[i]);
	return TLV_OK;
}

static double
parameters_saved(const merging *m, size_t v)
{
	const int64_t *states = m->parts->states;
	double g = (double) states[m->shape.parent[v]], h = (double) states[v];
	double saved = g * (h - 1);

	for (size_t e = m->shape.first[v]; e < m->shape.first[v + 1]; e++)
		saved += (h - g) * (double) (states[m->shape.child[e]] - 1);
	return saved;
}

/* v's children become its parent's. */
static tlv_status
merge_node(tlv_context *ctx, merging *m, size_t v)
{
	const int64_t *states = m->parts->states;
	size_t g = (size_t) m->shape.parent[v];

	for (size_t e = m->shape.first[v]; e < m->shape.first[v + 1]; e++)
	{
		size_t c = (size_t) m->shape.child[e];
		double *table;

		TLV_TRY(tlv_alloc_numbers(ctx, &table, (size_t) (states[g] * states[c])));
		tree_multiply((size_t) states[g], (size_t) states[v], (size_t) states[c], m->table[v],
					  m->table[c], table);
		tlv_free(ctx, m->table[c]);
		m->table[c] = table;
		m->parent[c] = (int64_t) g;
		m->length[c] += m->length[v];
		m->error[c] = m->support[c] = -1;
	}
	m->parent[v] = -2;
	m->merged++;
	return TLV_OK;
}

/* Merges weak nodes none of whose neighbours has changed; *changed: there were any. */
static tlv_status
sweep(tlv_context *ctx, merging *m, bool *changed)
{
	double rows = fmax(m->parts->rows, 1);
	size_t before = m->merged;
	bool *touched;

	for (size_t v = 0; v < m->parts->nodes; v++)
		m->roots[v] = m->parent[v] < 0 ? -1 : m->parent[v];
	TLV_TRY(tlv_tree_shape_create(ctx, m->parts->p, m->parts->nodes, m->roots, &m->shape));
	TLV_TRY(find_stands(ctx, m));
	find_margins(m);
	TLV_TRY_NEW0(ctx, touched, m->parts->nodes);
	for (size_t v = m->parts->p; v < m->parts->nodes; v++)
	{
		int64_t g = m->shape.parent[v];
		double loss;

		TLV_TRY_CONTINUE(ctx);
		if (m->parent[v] < 0 || touched[v] || touched[g])
			continue;
		TLV_TRY(loss_without(ctx, m, v, &loss));
		if (rows * loss >= 0.5 * log(rows) * parameters_saved(m, v))
			continue;
		TLV_TRY(merge_node(ctx, m, v));
		touched[g] = true;
		for (size_t e = m->shape.first[v]; e < m->shape.first[v + 1]; e++)
			touched[m->shape.child[e]] = true;
	}
	tlv_free(ctx, touched);
	tlv_tree_shape_free(ctx, &m->shape);
	*changed = m->merged > before;
	return TLV_OK;
}

static tlv_status
open_merging(tlv_context *ctx, const tlv_tree_parts *parts, merging *m)
{
	size_t nodes = parts->nodes, states = 0, *offset;

	m->parts = parts;
	TLV_TRY_NEW(ctx, m->parent, 2 * nodes);
	m->roots = m->parent + nodes;
	memcpy(m->parent, parts->parent, nodes * sizeof(int64_t));
	TLV_TRY(tlv_alloc_numbers(ctx, &m->length, 4 * nodes));
	m->error = m->length + nodes;
	m->support = m->error + nodes;
	m->distance = m->support + nodes;
	memcpy(m->length, parts->length, nodes * sizeof(double));
	memcpy(m->error, parts->error, nodes * sizeof(double));
	memcpy(m->support, parts->support, nodes * sizeof(double));
	TLV_TRY_NEW(ctx, m->stand, nodes);
	TLV_TRY_NEW0(ctx, m->table, 3 * nodes);
	m->channel = m->table + nodes;
	m->margin = m->channel + nodes;
	TLV_TRY_NEW(ctx, offset, nodes + 1);
	tlv_tree_table_offsets(parts, offset);
	for (size_t v = 0; v < nodes; v++)
		states += (size_t) parts->states[v];
	TLV_TRY(tlv_alloc_numbers(ctx, &m->margin[0], states));
	for (size_t v = 0; v < nodes; v++)
	{
		if (v > 0)
			m->margin[v] = m->margin[v - 1] + parts->states[v - 1];
		TLV_TRY(tlv_alloc_numbers(ctx, &m->table[v], offset[v + 1] - offset[v]));
		memcpy(m->table[v], parts->tables + offset[v],
			   (offset[v + 1] - offset[v]) * sizeof(double));
	}
	tlv_free(ctx, offset);
	return TLV_OK;
}

/* The parts without the nodes that are gone: arrays are moved together in place. */
static tlv_status
compact(tlv_context *ctx, merging *m, tlv_tree_parts *after)
{
	size_t nodes = m->parts->nodes, kept = 0, at = 0, *offset;
	int64_t *states = tlv_alloc(ctx, 2 * nodes, sizeof(int64_t)), *number;
	double *tables;

	TLV_TRY_ALLOC(ctx, states);
	number = states + nodes;
	for (size_t v = 0; v < nodes; v++)
		number[v] = m->parent[v] == -2 ? -1 : (int64_t) kept++;
	for (size_t v = 0; v < nodes; v++)
	{
		if (number[v] < 0)
			continue;
		m->roots[number[v]] = m->parent[v] < 0 ? -1 : number[m->parent[v]];
		states[number[v]] = m->parts->states[v];
		m->length[number[v]] = m->length[v];
		m->error[number[v]] = m->error[v];
		m->support[number[v]] = m->support[v];
		m->table[number[v]] = m->table[v];
	}
	after->nodes = kept;
	after->parent = m->roots;
	after->states = states;
	after->length = m->length;
	after->error = m->error;
	after->support = m->support;
	TLV_TRY_NEW(ctx, offset, kept + 1);
	tlv_tree_table_offsets(after, offset);
	after->entries = offset[kept];
	TLV_TRY(tlv_alloc_numbers(ctx, &tables, after->entries));
	for (size_t v = 0; v < kept; v++, at = offset[v])
		memcpy(tables + at, m->table[v], (offset[v + 1] - at) * sizeof(double));
	after->tables = tables;
	tlv_free(ctx, offset);
	return TLV_OK;
}

tlv_status
tlv_tree_regularise(tlv_context *ctx, const tlv_tree_parts *parts, void **image, size_t *size)
{
	tlv_tree_parts after = *parts;
	merging m = {0};
	bool changed = true;

	TLV_TRY(open_merging(ctx, parts, &m));
	while (changed)
		TLV_TRY(sweep(ctx, &m, &changed));
	TLV_TRY(compact(ctx, &m, &after));
	after.regularise = false; /* it is done */
	/* What was said of the nodes before holds no more. */
	tlv_diagnostics_replace(after.diagnostics, "hidden_nodes", (double) (after.nodes - after.p));
	TLV_TRY(tlv_diagnose(ctx, after.diagnostics, (double) m.merged, "merged_nodes"));
	return tlv_tree_write(ctx, &after, image, size);
}
