/*
 * belief.c - exact belief propagation in a tree of categories over a
 * block of rows (Pearl 1988): messages are states x rows with the rows side by side.
 *
 * A leaf's message is looked up; a missing leaf's is 1.  Beliefs are scaled after every few
 * children, the scales kept as mantissa and exponent, so that no logarithm is taken but the last.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* Tables from this size on go through BLAS. */
#define BLAS_SIZE 64

/* ---- opening ---- */

static void
fill_likelihoods(tree_model *model)
{
	const tlv_tree_parts *parts = &model->parts;

	for (size_t v = 0; v < parts->p; v++)
	{
		size_t states = (size_t) parts->states[v], parents;
		double *to = model->likelihoods + model->likelihood_at[v];

		if (tree_is_inner(&model->shape, v))
			continue;
		parents = (size_t) parts->states[parts->parent[v]];
		for (size_t x = 0; x < parents; x++)
		{
			to[x * (states + 1)] = 1;
			memcpy(to + x * (states + 1) + 1, parts->tables + model->offset[v] + x * states,
				   states * sizeof(double));
		}
	}
}

/* Blocks of all inner nodes in one piece of memory. */
static tlv_status
allocate_beliefs(tlv_context *ctx, tree_model *model)
{
	const tlv_tree_parts *parts = &model->parts;
	size_t n = 0;
	double *block;

	for (size_t v = 0; v < parts->nodes; v++)
		if (tree_is_inner(&model->shape, v))
			n += (size_t) parts->states[v] +
				 (parts->parent[v] >= 0 ? (size_t) parts->states[parts->parent[v]] : 0);
	TLV_TRY_NEW0_ROWS(ctx, block, n, TREE_BLOCK);
	TLV_TRY_NEW0(ctx, model->belief, 2 * parts->nodes);
	model->message = model->belief + parts->nodes;
	for (size_t v = 0; v < parts->nodes; v++)
	{
		if (!tree_is_inner(&model->shape, v))
			continue;
		model->belief[v] = block;
		block += (size_t) parts->states[v] * TREE_BLOCK;
		if (parts->parent[v] < 0)
			continue;
		model->message[v] = block;
		block += (size_t) parts->states[parts->parent[v]] * TREE_BLOCK;
	}
	return TLV_OK;
}

tlv_status
tlv_tree_belief_open(tlv_context *ctx, tree_model *model)
{
	const tlv_tree_parts *parts = &model->parts;
	size_t total = 0, most = 0;

	model->codes = tlv_alloc0(ctx, parts->p, TREE_BLOCK);
	TLV_TRY_ALLOC(ctx, model->codes);
	TLV_TRY_NEW0(ctx, model->likelihood_at, parts->p);
	for (size_t v = 0; v < parts->nodes; v++)
	{
		most = most > (size_t) parts->states[v] ? most : (size_t) parts->states[v];
		if (tree_is_inner(&model->shape, v))
			continue;
		model->likelihood_at[v] = total;
		total += (size_t) (parts->states[v] + 1) * (size_t) parts->states[parts->parent[v]];
	}
	TLV_TRY_NEW0(ctx, model->likelihoods, total);
	fill_likelihoods(model);
	TLV_TRY_NEW0_ROWS(ctx, model->work, most + 1, TREE_BLOCK);
	model->mantissa = model->work + most * TREE_BLOCK;
	TLV_TRY_NEW0(ctx, model->counts, most * (most + 1));
	TLV_TRY_NEW0(ctx, model->exponent, TREE_BLOCK);
	return allocate_beliefs(ctx, model);
}

tlv_status
tlv_tree_belief_row(tlv_context *ctx, const tree_model *model, size_t p, const int32_t *values,
					uint8_t *codes, size_t at)
{
	const int64_t *states = model->parts.states;

	if (p != model->parts.p)
		return tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, but the tree %zu %s", p,
						tlv_plural((double) p, "value", "values"), model->parts.p,
						tlv_plural((double) model->parts.p, "variable", "variables"));
	for (size_t v = 0; v < p; v++)
	{
		if (values[v] < TLV_CATEGORY_MISSING || values[v] >= states[v])
		{
			tlv_fail(ctx, TLV_BAD_DATA,
					 "value %d of variable %zu is not one of its states, 0 to %lld", values[v],
					 v + 1, (long long) states[v] - 1);
			return tlv_fail_hint(ctx, "Values that the model has not seen can be given as NULL.");
		}
		codes[v * TREE_BLOCK + at] = (uint8_t) (values[v] + 1);
	}
	return TLV_OK;
}

/* ---- kernels: n is a multiple of TREE_LANES ---- */

/* Belief times a leaf's likelihood of its codes. */
TLV_CLONES static void
multiply_leaf(size_t n, size_t k, size_t width, const uint8_t *restrict codes,
			  const double *restrict likelihoods, double *restrict belief)
{
	for (size_t x = 0; x < k; x++, likelihoods += width, belief += TREE_BLOCK)
		for (size_t r = 0; r < n; r++)
			belief[r] *= likelihoods[codes[r]];
}

TLV_CLONES static void
multiply_block(size_t n, size_t k, const double *restrict message, double *restrict belief)
{
	for (size_t x = 0; x < k; x++)
		for (size_t r = 0; r < n; r++)
			belief[x * TREE_BLOCK + r] *= message[x * TREE_BLOCK + r];
}

TLV_CLONES static void
tree_divide_block(size_t n, size_t k, const double *restrict belief, double *restrict message)
{
	for (size_t x = 0; x < k; x++)
		for (size_t r = 0; r < n; r++)
			message[x * TREE_BLOCK + r] = belief[x * TREE_BLOCK + r] / message[x * TREE_BLOCK + r];
}

/* Splits m * c into a mantissa in [1, 2) and an exponent that is added. */
TLV_CLONES static void
split_scale(size_t n, const double *restrict scale, double *restrict mantissa,
			int64_t *restrict exponent)
{
	for (size_t r = 0; r < n; r++)
	{
		double product = mantissa[r] * scale[r];
		uint64_t bits;

		memcpy(&bits, &product, sizeof(bits));
		exponent[r] += (int64_t) (bits >> 52) - 1023;
		bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
		memcpy(&mantissa[r], &bits, sizeof(bits));
	}
}

/* Columns of belief summing to 1; their sums before. */
TLV_CLONES static void
scale_belief(size_t n, size_t k, double *restrict belief, double *restrict sum)
{
	for (size_t r = 0; r < n; r++)
		sum[r] = belief[r];
	for (size_t x = 1; x < k; x++)
		for (size_t r = 0; r < n; r++)
			sum[r] += belief[x * TREE_BLOCK + r];
	for (size_t x = 0; x < k; x++)
		for (size_t r = 0; r < n; r++)
			belief[x * TREE_BLOCK + r] /= sum[r];
	for (size_t r = 0; r < n; r++)
		tlv_assert(tlv_is_distribution(k, belief + r, TREE_BLOCK));
}

/* to[x] = sum over y of table[x][y] from[y], or with the table turned. */
TLV_CLONES static void
table_times(size_t n, size_t k, size_t m, size_t step_x, size_t step_y,
			const double *restrict table, const double *restrict from, double *restrict to)
{
	for (size_t x = 0; x < k; x++, to += TREE_BLOCK)
	{
		const double *row = table + x * step_x;

		for (size_t r = 0; r < n; r++)
			to[r] = row[0] * from[r];
		for (size_t y = 1; y < m; y++)
			for (size_t r = 0; r < n; r++)
				to[r] += row[y * step_y] * from[y * TREE_BLOCK + r];
	}
}

TLV_CLONES static double
lane_product(size_t n, const double *restrict a, const double *restrict b)
{
	double lanes[TREE_LANES] = {0}, sum = 0;

	for (size_t r = 0; r < n; r += TREE_LANES)
		for (size_t j = 0; j < TREE_LANES; j++)
			lanes[j] += a[r + j] * b[r + j];
	for (size_t j = 0; j < TREE_LANES; j++)
		sum += lanes[j];
	return sum;
}

/* 1 where a code is the given one, otherwise 0: bytes are widened once for all states of a parent.
 */
static inline void
indicate(size_t n, const uint8_t *restrict codes, uint8_t code, double *restrict indicator)
{
	for (size_t r = 0; r < n; r++)
		indicator[r] = codes[r] == code;
}

/* counts[x][y] += sum of belief[x] over the rows of code y + 1. */
TLV_CLONES static void
count_few(size_t n, size_t k, size_t states, const uint8_t *restrict codes,
		  const double *restrict belief, double *restrict counts)
{
	double is[TREE_BLOCK] = {0};

	for (size_t y = 0; y < states; y++)
	{
		indicate(n, codes, (uint8_t) (y + 1), is);
		for (size_t x = 0; x < k; x++)
		{
			double lanes[TREE_LANES] = {0}, sum = 0;

			for (size_t r = 0; r < n; r += TREE_LANES)
				for (size_t j = 0; j < TREE_LANES; j++)
					lanes[j] += belief[x * TREE_BLOCK + r + j] * is[r + j];
			for (size_t j = 0; j < TREE_LANES; j++)
				sum += lanes[j];
			counts[x * states + y] += sum;
		}
	}
}

/* ---- upward ---- */

/* Rounds the rows up to a multiple of the lanes; the added rows have missing values only. */
static size_t
pad_rows(tree_model *model, size_t n)
{
	size_t padded = (n + TREE_LANES - 1) / TREE_LANES * TREE_LANES;

	for (size_t v = 0; padded > n && v < model->parts.p; v++)
		memset(model->codes + v * TREE_BLOCK + n, 0, padded - n);
	return padded;
}

/* What a node says of itself: 1, and of an observed one its state. */
static void
start_belief(tree_model *model, size_t v, size_t n)
{
	size_t states = (size_t) model->parts.states[v];
	const uint8_t *codes = model->codes + v * TREE_BLOCK;
	double *belief = model->belief[v];

	for (size_t y = 0; y < states; y++)
		for (size_t r = 0; r < n; r++)
			belief[y * TREE_BLOCK + r] = 1;
	for (size_t y = 0; v < model->parts.p && y < states; y++)
		for (size_t r = 0; r < n; r++)
			belief[y * TREE_BLOCK + r] = codes[r] == 0 || codes[r] == y + 1 ? 1 : 0;
}

static void
scale_node(tree_model *model, size_t v, size_t n)
{
	scale_belief(n, (size_t) model->parts.states[v], model->belief[v], model->work);
	split_scale(n, model->work, model->mantissa, model->exponent);
}

static void
collect_children(tree_model *model, size_t v, size_t n)
{
	/* Children between two scalings: probabilities are at least TLV_LEAST_PROBABILITY / 100. */
	const int children_between = 8;
	const tree_shape *shape = &model->shape;
	const int64_t *states = model->parts.states;
	size_t k = (size_t) states[v];
	int since = 0;

	start_belief(model, v, n);
	for (size_t e = shape->first[v]; e < shape->first[v + 1]; e++)
	{
		size_t c = (size_t) shape->child[e];

		if (tree_is_inner(shape, c))
			multiply_block(n, k, model->message[c], model->belief[v]);
		else
			multiply_leaf(n, k, (size_t) states[c] + 1, model->codes + c * TREE_BLOCK,
						  model->likelihoods + model->likelihood_at[c], model->belief[v]);
		if (++since == children_between)
		{
			scale_node(model, v, n);
			since = 0;
		}
	}
}

/* to (n x k) = from (n x m) through a node's table, up to the parent (k) or down to it. */
static tlv_status
through_table(tlv_context *ctx, const tree_model *model, size_t v, bool up, size_t n,
			  const double *from, double *to)
{
	size_t states = (size_t) model->parts.states[v];
	size_t parents = (size_t) model->parts.states[model->parts.parent[v]];
	const double *table = model->parts.tables + model->offset[v];
	size_t k = up ? parents : states, m = up ? states : parents;

	if (states * parents >= BLAS_SIZE)
		return tlv_gemm(ctx, false, !up, n, k, m, 1, from, TREE_BLOCK, table, states, 0, to,
						TREE_BLOCK);
	table_times(n, k, m, up ? states : 1, up ? 1 : states, table, from, to);
	return TLV_OK;
}

/* A root's posterior, and with it the last factor of the likelihood. */
static void
finish_root(tree_model *model, size_t v, size_t n)
{
	size_t k = (size_t) model->parts.states[v];
	const double *prior = model->parts.tables + model->offset[v];

	for (size_t x = 0; x < k; x++)
		for (size_t r = 0; r < n; r++)
			model->belief[v][x * TREE_BLOCK + r] *= prior[x];
	scale_node(model, v, n);
}

tlv_status
tlv_tree_belief_up(tlv_context *ctx, tree_model *model, size_t n, double *log_likelihood)
{
	const tree_shape *shape = &model->shape;
	size_t padded = pad_rows(model, n);

	for (size_t r = 0; r < padded; r++)
	{
		model->mantissa[r] = 1;
		model->exponent[r] = 0;
	}
	for (size_t at = shape->nodes; at-- > 0;)
	{
		size_t v = (size_t) shape->order[at];

		TLV_TRY_CONTINUE_OFTEN(ctx, at);
		if (!tree_is_inner(shape, v))
			continue;
		collect_children(model, v, padded);
		if (shape->parent[v] < 0)
		{
			finish_root(model, v, padded);
			continue;
		}
		scale_node(model, v, padded);
		TLV_TRY(through_table(ctx, model, v, true, padded, model->belief[v], model->message[v]));
	}
	for (size_t r = 0; r < n; r++)
		log_likelihood[r] = log(model->mantissa[r]) + M_LN2 * (double) model->exponent[r];
	return TLV_OK;
}

/* ---- downward ---- */

/* Expected counts of a leaf's table: the parent's posterior where the leaf is seen. */
static void
count_leaf(const tree_model *model, size_t c, size_t n, double *counts)
{
	/* States of a leaf up to which its counts are products with indicators. */
	const int few_states = 4;
	size_t states = (size_t) model->parts.states[c];
	size_t parent = (size_t) model->parts.parent[c];
	size_t parents = (size_t) model->parts.states[parent];
	const uint8_t *codes = model->codes + c * TREE_BLOCK;
	double *to = counts + model->offset[c];

	if (states <= few_states)
	{
		count_few(n, parents, states, codes, model->belief[parent], to);
		return;
	}
	for (size_t x = 0; x < parents; x++, to += states)
	{
		const double *belief = model->belief[parent] + x * TREE_BLOCK;

		for (size_t r = 0; r < n; r++)
			if (codes[r] > 0)
				to[codes[r] - 1] += belief[r];
	}
}

/* Expected counts of an edge between inner nodes: table times beliefs of both sides. */
static tlv_status
count_edge(tlv_context *ctx, const tree_model *model, size_t v, size_t n, const double *outer,
		   double *counts)
{
	size_t states = (size_t) model->parts.states[v];
	size_t parents = (size_t) model->parts.states[model->parts.parent[v]];
	const double *table = model->parts.tables + model->offset[v];
	double *to = counts + model->offset[v];

	if (states * parents >= BLAS_SIZE)
	{
		TLV_TRY(tlv_gemm(ctx, true, false, states, parents, n, 1, model->belief[v], TREE_BLOCK,
						 outer, TREE_BLOCK, 0, model->counts, states));
		for (size_t e = 0; e < states * parents; e++)
			to[e] += table[e] * model->counts[e];
		return TLV_OK;
	}
	for (size_t x = 0; x < parents; x++)
		for (size_t y = 0; y < states; y++)
			to[x * states + y] +=
				table[x * states + y] *
				lane_product(n, outer + x * TREE_BLOCK, model->belief[v] + y * TREE_BLOCK);
	return TLV_OK;
}

/* Rows that only fill the lanes weigh nothing, others what they are given; all posteriors below
 * follow. */
static void
weigh_root(tree_model *model, size_t v, size_t n, size_t padded, const double *weight,
		   double *counts)
{
	for (size_t x = 0; x < (size_t) model->parts.states[v]; x++)
	{
		double *belief = model->belief[v] + x * TREE_BLOCK;

		for (size_t r = 0; weight != NULL && r < n; r++)
			belief[r] *= weight[r];
		for (size_t r = n; r < padded; r++)
			belief[r] = 0;
		for (size_t r = 0; counts != NULL && r < n; r++)
			if (v >= model->parts.p || model->codes[v * TREE_BLOCK + r] > 0 ||
				model->shape.first[v + 1] > model->shape.first[v])
				counts[model->offset[v] + x] += belief[r];
	}
}

tlv_status
tlv_tree_belief_down(tlv_context *ctx, tree_model *model, size_t n, const double *weight,
					 double *counts)
{
	const tree_shape *shape = &model->shape;
	size_t padded = (n + TREE_LANES - 1) / TREE_LANES * TREE_LANES;

	for (size_t at = 0; at < shape->nodes; at++)
	{
		size_t v = (size_t) shape->order[at];
		double *outer = model->message[v];

		TLV_TRY_CONTINUE_OFTEN(ctx, at);
		if (!tree_is_inner(shape, v))
		{
			if (counts != NULL)
				count_leaf(model, v, padded, counts);
			continue;
		}
		if (shape->parent[v] < 0)
		{
			weigh_root(model, v, n, padded, weight, counts);
			continue;
		}
		/* The parent's posterior without what came from here. */
		tree_divide_block(padded, (size_t) model->parts.states[shape->parent[v]],
						  model->belief[shape->parent[v]], outer);
		if (counts != NULL)
			TLV_TRY(count_edge(ctx, model, v, padded, outer, counts));
		TLV_TRY(through_table(ctx, model, v, false, padded, outer, model->work));
		multiply_block(padded, (size_t) model->parts.states[v], model->work, model->belief[v]);
	}
	return TLV_OK;
}
