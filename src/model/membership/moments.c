/*
 * moments.c - second moments of different variables, and their leading directions (internal.h).
 *
 * The pairs of a variable with itself say nothing of the model, since a row has one value of it:
 * their block is completed from the others by the k leading directions themselves (HeteroPCA,
 * Zhang, Cai, Wu 2022), in every round of subspace iteration, unless different copies of the
 * variable show it.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tuning.h"

/* Directions beside those that are wanted. */
#define MORE_DIRECTIONS 8

static tlv_status
create_moments(tlv_context *ctx, size_t p, size_t copies, const int64_t *states,
			   const size_t *offset, membership_moments *moments)
{
	size_t v = offset[p];

	memset(moments, 0, sizeof(*moments));
	moments->p = p;
	moments->copies = copies;
	moments->states = states;
	moments->offset = offset;
	moments->categories = v;
	moments->own = copies > 1;
	if (v > TLV_MEMBERSHIP_MOST_CATEGORIES)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu categories of all variables are more than %d", v,
				 TLV_MEMBERSHIP_MOST_CATEGORIES);
		return tlv_fail_hint(ctx, "Join rare categories, or use fewer variables.");
	}
	TLV_TRY(tlv_require_memory(ctx, 8.0 * (double) v * (double) v, "the pairs of categories"));
	TLV_TRY_NEW0(ctx, moments->mean, v);
	TLV_TRY_NEW0(ctx, moments->present, p);
	TLV_TRY_NEW0_ROWS(ctx, moments->pairs, v, v);
	return TLV_OK;
}

static void
normalize_means(membership_moments *moments, double cells)
{
	for (size_t j = 0; j < moments->p; j++)
	{
		double sum = 0, states = (double) moments->states[j];

		for (size_t c = moments->offset[j]; c < moments->offset[j + 1]; c++)
			sum += moments->mean[c];
		moments->present[j] = sum / cells;
		for (size_t c = moments->offset[j]; c < moments->offset[j + 1]; c++)
			moments->mean[c] = sum > 0 ? moments->mean[c] / sum : 1 / states;
	}
}

/* Counts of a block, both triangles, as shares; of variables that are never together the product
 * of theirs. */
static void
normalize_block(membership_moments *moments, size_t a, size_t b)
{
	size_t v = moments->categories;
	size_t end_a = moments->offset[a + 1], end_b = moments->offset[b + 1];
	double sum = 0;

	for (size_t x = moments->offset[a]; x < end_a; x++)
		for (size_t y = moments->offset[b]; y < end_b; y++)
		{
			if (x > y)
				continue;
			if (a == b && x != y) /* (x, y) and (y, x) were counted where they came */
				moments->pairs[x * v + y] = moments->pairs[y * v + x] =
					(moments->pairs[x * v + y] + moments->pairs[y * v + x]) / 2;
			sum += (a == b && x != y ? 2 : 1) * moments->pairs[x * v + y];
		}
	for (size_t x = moments->offset[a]; x < end_a; x++)
		for (size_t y = moments->offset[b]; y < end_b; y++)
		{
			if (x > y)
				continue;
			moments->pairs[x * v + y] =
				sum > 0 ? moments->pairs[x * v + y] / sum : moments->mean[x] * moments->mean[y];
			moments->pairs[y * v + x] = moments->pairs[x * v + y];
		}
}

static tlv_status
normalize_pairs(tlv_context *ctx, membership_moments *moments)
{
	for (size_t a = 0; a < moments->p; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t b = moments->own ? a : a + 1; b < moments->p; b++)
			normalize_block(moments, a, b);
	}
	return TLV_OK;
}

tlv_status
membership_moments_of_rows(tlv_context *ctx, const membership_rows *rows,
						   membership_moments *moments)
{
	double pairs = (double) rows->slots * (double) rows->slots / 2;
	size_t n = rows->n;

	TLV_TRY(create_moments(ctx, rows->p, rows->copies, rows->states, rows->offset, moments));
	if ((double) n * pairs > MEMBERSHIP_MOST_PAIRS) /* the first ones are a random part */
		n = (size_t) fmax(MEMBERSHIP_MOST_PAIRS / pairs, 100) < n
				? (size_t) fmax(MEMBERSHIP_MOST_PAIRS / pairs, 100)
				: n;
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t items = membership_row_items(rows, rows->codes, i, rows->items);

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t s = 0; s < items; s++)
			moments->mean[rows->items[s]]++;
		for (size_t s = 0; s < items && i < n; s++)
		{
			double *own = moments->pairs + (size_t) rows->items[s] * rows->categories;

			for (size_t t = s + 1; t < items; t++)
				own[rows->items[t]]++;
		}
	}
	normalize_means(moments, (double) rows->n * (double) rows->copies);
	return normalize_pairs(ctx, moments);
}

/* ---- from tables ---- */

static void
membership_add_table(const tlv_category_tables *tables, size_t a, size_t b,
					 membership_moments *moments)
{
	const double *pair = tlv_category_pair(tables, a, b);
	size_t x0 = moments->offset[a / moments->copies], y0 = moments->offset[b / moments->copies];
	size_t states = (size_t) tables->states[b];

	for (size_t x = 0; x < (size_t) tables->states[a]; x++)
		for (size_t y = 0; y < states; y++)
			moments->pairs[(x0 + x) * moments->categories + y0 + y] += pair[x * states + y];
}

tlv_status
membership_moments_of_tables(tlv_context *ctx, const tlv_category_tables *tables, size_t copies,
							 membership_moments *moments)
{
	size_t p = tables->p / copies, *offset;
	int64_t *states;

	TLV_TRY_NEW0(ctx, states, p);
	TLV_TRY_NEW0(ctx, offset, p + 1);
	for (size_t s = 0; s < tables->p; s++)
		if (tables->states[s] > states[s / copies])
			states[s / copies] = tables->states[s];
	for (size_t j = 0; j < p; j++)
		offset[j + 1] = offset[j] + (size_t) states[j];
	TLV_TRY(create_moments(ctx, p, copies, states, offset, moments));
	for (size_t a = 0; a < tables->p; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t x = 0; x < (size_t) tables->states[a]; x++)
			moments->mean[offset[a / copies] + x] += tables->singles[tables->offset[a] + x];
		for (size_t b = a + 1; b < tables->p; b++)
			membership_add_table(tables, a, b, moments);
	}
	normalize_means(moments, tables->rows * (double) copies);
	return normalize_pairs(ctx, moments);
}

/* ---- leading directions ---- */

typedef struct pair_operator
{
	const membership_moments *moments;
	const double *scale;
	double factor;	   /* of the products of the means */
	double *completed; /* own blocks, one behind the other, scaled */
	double *scaled;	   /* l x categories */
} pair_operator;

/* z += the completed block of a variable times x, and what its means' products took too much. */
static void
apply_own_block(const pair_operator *own, size_t j, const double *block, size_t l, const double *x,
				double *z)
{
	const membership_moments *moments = own->moments;
	size_t first = moments->offset[j], states = (size_t) moments->states[j];

	for (size_t a = 0; a < states; a++)
		for (size_t b = 0; b < states; b++)
		{
			size_t u = first + a, v = first + b;
			double weight = block[a * states + b] + own->factor * moments->mean[u] *
														moments->mean[v] * own->scale[u] *
														own->scale[v];

			for (size_t i = 0; i < l; i++)
				z[u * l + i] += weight * x[v * l + i];
		}
}

static tlv_status
membership_apply_pairs(tlv_context *ctx, void *argument, size_t d, size_t l, const double *x,
					   double *z)
{
	const pair_operator *own = argument;
	const membership_moments *moments = own->moments;
	double *y = own->scaled, along[2 * TLV_MEMBERSHIP_MOST_COMPONENTS + MORE_DIRECTIONS] = {0};
	const double *block = own->completed;

	for (size_t v = 0; v < d; v++)
		for (size_t i = 0; i < l; i++)
		{
			y[v * l + i] = own->scale[v] * x[v * l + i];
			along[i] += moments->mean[v] * y[v * l + i];
		}
	TLV_TRY(tlv_gemm(ctx, false, false, l, d, d, 1, y, l, moments->pairs, d, 0, z, l));
	for (size_t v = 0; v < d; v++)
		for (size_t i = 0; i < l; i++)
			z[v * l + i] =
				own->scale[v] * (z[v * l + i] - own->factor * moments->mean[v] * along[i]);
	for (size_t j = 0; j < moments->p && !moments->own; j++)
	{
		apply_own_block(own, j, block, l, x, z);
		block += moments->states[j] * moments->states[j];
	}
	return TLV_OK;
}

static void
complete_blocks(const pair_operator *own, size_t k, size_t l, const double *ritz, const double *x)
{
	const membership_moments *moments = own->moments;
	double *block = own->completed;

	for (size_t j = 0; j < moments->p; j++)
		for (size_t a = moments->offset[j]; a < moments->offset[j + 1]; a++)
			for (size_t b = moments->offset[j]; b < moments->offset[j + 1]; b++)
			{
				double sum = 0;

				for (size_t h = 0; h < k; h++)
					sum += fmax(ritz[h], 0) * x[a * l + h] * x[b * l + h];
				*block++ = sum;
			}
}

/* Rounds in which directions and blocks follow from each other; x and z are l x d. */
static tlv_status
complete_rounds(tlv_context *ctx, pair_operator *own, size_t k, size_t l, tlv_rng *rng, double *x)
{
	size_t d = own->moments->categories, rank;
	double *z, *ritz, *before, *b;

	TLV_TRY_NEW_ROWS(ctx, z, d, l);
	TLV_TRY_NEW0(ctx, ritz, 2 * l + l * l);
	before = ritz + l;
	b = before + l;
	TLV_TRY(tlv_fill_normal(ctx, rng, d * l, x));
	TLV_TRY(tlv_orthonormalize(ctx, l, d, x, rng, &rank));
	for (int round = 0; round < MOST_ROUNDS; round++)
	{
		memcpy(before, ritz, l * sizeof(double));
		TLV_TRY(membership_apply_pairs(ctx, own, d, l, x, z));
		TLV_TRY(tlv_gemm(ctx, false, true, l, l, d, 1, x, l, z, l, 0, b, l));
		TLV_TRY(tlv_subspace_step(ctx, d, l, x, z, b, rng, ritz));
		complete_blocks(own, k, l, ritz, x);
		if (round >= LEAST_ROUNDS && tlv_ritz_change(k, before, ritz) < MEMBERSHIP_SETTLED)
			break;
	}
	tlv_free(ctx, ritz);
	tlv_free(ctx, z);
	return TLV_OK;
}

/* Directions, values and the whitening from a block of l directions. */
static void
take_basis(const membership_moments *moments, size_t l, const double *x, const double *ritz,
		   membership_basis *basis)
{
	size_t k = basis->k;

	for (size_t h = 0; h <= k; h++)
		basis->value[h] = h < l ? ritz[h] : 0;
	for (size_t v = 0; v < moments->categories; v++)
		for (size_t h = 0; h < k; h++)
		{
			double value = fmax(ritz[h], TLV_NOISE_DIRECTION * ritz[0]);

			basis->vector[v * k + h] = x[v * l + h];
			basis->whiten[v * k + h] = value > 0 ? basis->scale[v] * x[v * l + h] / sqrt(value) : 0;
		}
}

tlv_status
membership_whiten(tlv_context *ctx, const membership_moments *moments, size_t k, double alpha0,
				  uint64_t seed, membership_basis *basis)
{
	size_t d = moments->categories, l = tlv_least(d, k + MORE_DIRECTIONS), blocks = 0;
	pair_operator own = {.moments = moments, .factor = alpha0 / (alpha0 + 1)};
	tlv_eigen_task task = {
		.n = d, .k = k, .l = l, .tolerance = MEMBERSHIP_SETTLED, .max_steps = MOST_ROUNDS};
	double *x, *ritz;
	tlv_rng rng;
	int steps;

	for (size_t j = 0; j < moments->p; j++)
		blocks += (size_t) (moments->states[j] * moments->states[j]);
	basis->k = k;
	basis->alpha0 = alpha0;
	TLV_TRY_NEW(ctx, basis->scale, d);
	TLV_TRY_NEW_ROWS(ctx, basis->vector, d, k);
	TLV_TRY_NEW_ROWS(ctx, basis->whiten, d, k);
	TLV_TRY_NEW(ctx, basis->value, k + 1);
	for (size_t v = 0; v < d; v++)
		basis->scale[v] = 1 / sqrt(moments->mean[v] + SHARE_FLOOR);
	own.scale = basis->scale;
	TLV_TRY_NEW_ROWS(ctx, x, d, l);
	TLV_TRY_NEW_ROWS(ctx, own.scaled, d, l);
	TLV_TRY_NEW0(ctx, own.completed, blocks);
	TLV_TRY_NEW(ctx, ritz, l);
	tlv_rng_seed(&rng, seed);
	if (!moments->own)
		TLV_TRY(complete_rounds(ctx, &own, k, l, &rng, x));
	TLV_TRY(
		tlv_subspace_iteration(ctx, &task, membership_apply_pairs, &own, &rng, x, ritz, &steps));
	take_basis(moments, l, x, ritz, basis);
	tlv_free(ctx, ritz);
	tlv_free(ctx, own.completed);
	tlv_free(ctx, own.scaled);
	tlv_free(ctx, x);
	return TLV_OK;
}

/* ---- how many ---- */

/* The largest eigenvalue that the pairs of independent variables have: of a symmetric matrix of
 * entries of variance 1 / n, in as many dimensions as there are categories to choose from. */
static double
membership_noise_edge(const membership_moments *moments, double rows)
{
	double p = (double) moments->p, free = (double) moments->categories - p, share = 0;

	for (size_t j = 0; j < moments->p; j++)
		share += moments->present[j] / p;
	return 2 * sqrt(fmax(free, 1) * (1 - 1 / p) / fmax(rows * share * share, 1));
}

/* Eigenvalues above the edge by the factor among the leading ones; *all: there may be more of them.
 */
static tlv_status
count_above(tlv_context *ctx, pair_operator *own, size_t wanted, double edge, uint64_t seed,
			membership_shown *shown, size_t *above, bool *all)
{
	size_t d = own->moments->categories, k = tlv_least(d, wanted);
	size_t l = tlv_least(d, k + MORE_DIRECTIONS);
	tlv_eigen_task task = {
		.n = d, .k = k, .l = l, .tolerance = MEMBERSHIP_SETTLED, .max_steps = MOST_ROUNDS};
	double *x, *ritz;
	tlv_rng rng;
	int steps;

	TLV_TRY_NEW_ROWS(ctx, x, d, l);
	TLV_TRY_NEW_ROWS(ctx, own->scaled, d, l);
	TLV_TRY_NEW(ctx, ritz, l);
	tlv_rng_seed(&rng, seed);
	TLV_TRY(tlv_subspace_iteration(ctx, &task, membership_apply_pairs, own, &rng, x, ritz, &steps));
	for (*above = 0; *above < l && ritz[*above] > ABOVE_NOISE * edge; (*above)++)
		;
	for (shown->n = 0; shown->n < tlv_least(k, MEMBERSHIP_TOLD); shown->n++)
		shown->noise[shown->n] = ritz[shown->n] / edge;
	*all = 2 * *above >= k && k < d;
	tlv_free(ctx, ritz);
	tlv_free(ctx, own->scaled);
	tlv_free(ctx, x);
	return TLV_OK;
}

tlv_status
membership_rank(tlv_context *ctx, const membership_moments *moments, double rows, uint64_t seed,
				membership_shown *shown)
{
	pair_operator own = {.moments = moments, .factor = 1};
	size_t d = moments->categories, blocks = 0, above = 0;
	double edge = membership_noise_edge(moments, rows), *scale;
	bool all = true;

	for (size_t j = 0; j < moments->p; j++)
		blocks += (size_t) (moments->states[j] * moments->states[j]);
	TLV_TRY_NEW(ctx, scale, d);
	TLV_TRY_NEW0(ctx, own.completed, blocks); /* own blocks are left out */
	for (size_t v = 0; v < d; v++)
		scale[v] = 1 / sqrt(moments->mean[v] + SHARE_FLOOR);
	own.scale = scale;
	for (size_t wanted = 16; all && wanted <= TLV_MEMBERSHIP_MOST_COMPONENTS; wanted *= 3)
		TLV_TRY(count_above(ctx, &own, wanted, edge, seed, shown, &above, &all));
	shown->k = tlv_least(tlv_least(above + 1, TLV_MEMBERSHIP_MOST_COMPONENTS),
						 d > moments->p ? d - moments->p + 1 : 1);
	tlv_free(ctx, own.completed);
	tlv_free(ctx, scale);
	return TLV_OK;
}
