/*
 * distance.c - distances of categorical variables from their tables (tree_structure.h).
 *
 * The canonical correlations of a table are the singular values of (p_ij - p_i p_j) / sqrt(p_i
 * p_j).  Half a row is spread over every table against zeros.
 */
#include "tensorlv/model/tree_parameters.h"
#include "tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/special.h"

#define STATES TLV_CATEGORY_MOST_STATES

/* One table without the states that were not seen. */
typedef struct table
{
	size_t a, b;				   /* states */
	double rows;				   /* both present */
	double left[STATES];		   /* rows of every state of a */
	double right[STATES];		   /* and of b */
	double count[STATES * STATES]; /* [x + y * a]: column-major */
} table;

typedef struct pair_work
{
	table seen, pooled;
	double scaled[STATES * STATES];
	double s[STATES];
	double singular[]; /* scratch */
} pair_work;

static void
margins(table *t)
{
	t->rows = 0;
	memset(t->left, 0, t->a * sizeof(double));
	memset(t->right, 0, t->b * sizeof(double));
	for (size_t y = 0; y < t->b; y++)
		for (size_t x = 0; x < t->a; x++)
		{
			t->left[x] += t->count[x + y * t->a];
			t->right[y] += t->count[x + y * t->a];
		}
	for (size_t x = 0; x < t->a; x++)
		t->rows += t->left[x];
}

/* Counts (n x m, b's state running fastest) into t, states x of map_a[x], y of map_b[y]. */
static void
tree_collect(table *t, size_t n, size_t m, const double *counts, const int *map_a, const int *map_b)
{
	memset(t->count, 0, t->a * t->b * sizeof(double));
	for (size_t x = 0; x < n; x++)
		for (size_t y = 0; y < m; y++)
			if (map_a[x] >= 0 && map_b[y] >= 0)
				t->count[(size_t) map_a[x] + (size_t) map_b[y] * t->a] += counts[x * m + y];
	margins(t);
}

/* States seen among the rows in which both are present, numbered on; -1: not seen. */
static void
read_table(table *t, size_t n, size_t m, const double *counts)
{
	double left[STATES] = {0}, right[STATES] = {0};
	int map_a[STATES], map_b[STATES];

	for (size_t x = 0; x < n; x++)
		for (size_t y = 0; y < m; y++)
		{
			left[x] += counts[x * m + y];
			right[y] += counts[x * m + y];
		}
	t->a = t->b = 0;
	for (size_t x = 0; x < n; x++)
		map_a[x] = left[x] > 0 ? (int) t->a++ : -1;
	for (size_t y = 0; y < m; y++)
		map_b[y] = right[y] > 0 ? (int) t->b++ : -1;
	tree_collect(t, n, m, counts, map_a, map_b);
}

/* ---- test of independence ---- */

/* States of fewer rows than `least` together as one, with the rarest of the others if need be. */
static size_t
pool_states(size_t n, const double *rows, double least, int *map)
{
	size_t kept = 0, rarest = n;
	double pooled = 0;

	for (size_t x = 0; x < n; x++)
	{
		map[x] = -1;
		if (rows[x] < least)
			pooled += rows[x];
		else
		{
			if (rarest == n || rows[x] < rows[rarest])
				rarest = x;
			map[x] = (int) kept++;
		}
	}
	if (kept == n)
		return kept;
	if (pooled < least && kept > 2)
		for (size_t x = 0; x < n; x++)
			map[x] = map[x] < 0 ? map[rarest] : map[x];
	else
	{
		for (size_t x = 0; x < n; x++)
			map[x] = map[x] < 0 ? (int) kept : map[x];
		kept++;
	}
	return kept;
}

/* 2 sum O log(O / E). */
static double
likelihood_ratio(const table *t)
{
	double sum = t->rows * log(t->rows);

	for (size_t x = 0; x < t->a; x++)
		sum -= t->left[x] * log(t->left[x]);
	for (size_t y = 0; y < t->b; y++)
		sum -= t->right[y] * log(t->right[y]);
	for (size_t i = 0; i < t->a * t->b; i++)
		if (t->count[i] > 0)
			sum += t->count[i] * log(t->count[i]);
	return fmax(0, 2 * sum);
}

/* Williams' (1976) correction, for tables larger than 2 x 2. */
static double
correction(const table *t)
{
	double left = 0, right = 0;

	for (size_t x = 0; x < t->a; x++)
		left += t->rows / t->left[x];
	for (size_t y = 0; y < t->b; y++)
		right += t->rows / t->right[y];
	return 1 + (left - 1) * (right - 1) / (6 * t->rows * ((double) t->a - 1) * ((double) t->b - 1));
}

/*
 * p-value of the likelihood ratio, which unlike Pearson's sum does not take single rows in cells of
 * small expectation for evidence.  Rare states are pooled.
 */
static double
tree_independence(pair_work *w)
{
	table *t = &w->seen;
	int map_a[STATES], map_b[STATES];
	size_t a, b;

	if (t->a == 2 && t->b == 2)
		return 2 * tlv_normal_cdf(-sqrt(likelihood_ratio(t)));
	a = pool_states(t->a, t->left, sqrt(t->rows), map_a);
	b = pool_states(t->b, t->right, sqrt(t->rows), map_b);
	if (a < t->a || b < t->b)
	{
		w->pooled.a = a;
		w->pooled.b = b;
		/* The table is stored by columns: b's states are the slow ones. */
		memset(w->pooled.count, 0, a * b * sizeof(double));
		for (size_t y = 0; y < t->b; y++)
			for (size_t x = 0; x < t->a; x++)
				w->pooled.count[(size_t) map_a[x] + (size_t) map_b[y] * a] +=
					t->count[x + y * t->a];
		margins(&w->pooled);
		t = &w->pooled;
	}
	if (a < 2 || b < 2) /* every state is rare: the table is no evidence of dependence */
		return 1;
	return tlv_chisq_survival(likelihood_ratio(t) / correction(t),
							  ((double) a - 1) * ((double) b - 1));
}

/* ---- correlations ---- */

/* The correlation of a table 2 x 2 in closed form. */
static double
phi(const table *t, double cell)
{
	double n11 = t->count[0] + cell, n21 = t->count[1] + cell;
	double n12 = t->count[2] + cell, n22 = t->count[3] + cell;

	return fabs(n11 * n22 - n12 * n21) / sqrt((n11 + n12) * (n21 + n22)) /
		   sqrt((n11 + n21) * (n12 + n22));
}

/* The r largest into w->s. */
static tlv_status
tree_correlations(tlv_context *ctx, pair_work *w, double shrinkage, size_t r)
{
	const table *t = &w->seen;
	double cell = shrinkage > 0 ? 0 : PSEUDO_ROWS / sqrt((double) (t->a * t->b));
	double total = t->rows + cell * (double) (t->a * t->b);
	double more_left = cell * (double) t->b, more_right = cell * (double) t->a;

	if (t->a == 2 && t->b == 2 && shrinkage == 0)
	{
		w->s[0] = phi(t, cell);
		return TLV_OK;
	}
	for (size_t y = 0; y < t->b; y++)
		for (size_t x = 0; x < t->a; x++)
		{
			double left = t->left[x] + more_left, right = t->right[y] + more_right;
			double width = left + shrinkage * total / (double) t->a;
			double height = right + shrinkage * total / (double) t->b;

			w->scaled[x + y * t->a] =
				(t->count[x + y * t->a] + cell - left * right / total) / sqrt(width * height);
		}
	return tlv_singular_values(ctx, t->a, t->b, w->scaled, r, w->s, w->singular);
}

/* Huang (5.3): singular values of the joint probabilities, determinants of the marginals. */
static tlv_status
tree_determinant_distance(tlv_context *ctx, pair_work *w, size_t k, double *distance)
{
	const table *t = &w->seen;
	double cells = (double) (t->a * t->b), cell = PSEUDO_ROWS / sqrt(cells);
	double total = t->rows + cell * cells, sum = 0;
	double least = 0.5 / sqrt(t->rows * cells);

	for (size_t i = 0; i < t->a * t->b; i++)
		w->scaled[i] = (t->count[i] + cell) / total;
	TLV_TRY(tlv_singular_values(ctx, t->a, t->b, w->scaled, k, w->s, w->singular));
	for (size_t i = 0; i < k; i++)
		sum -= log(fmax(w->s[i], least));
	for (size_t x = 0; x < t->a; x++)
		sum += 0.5 * log((t->left[x] + cell * (double) t->b) / total);
	for (size_t y = 0; y < t->b; y++)
		sum += 0.5 * log((t->right[y] + cell * (double) t->a) / total);
	*distance = sum;
	return TLV_OK;
}

static tlv_status
tree_measure_pair(tlv_context *ctx, const tlv_category_tables *tables, size_t a, size_t b,
				  const tlv_tree_distance_options *options, pair_work *w,
				  tlv_tree_distances *distances)
{
	size_t k = options->states, least, r = 0;
	double p_value = 1, distance;

	read_table(&w->seen, (size_t) tables->states[a], (size_t) tables->states[b],
			   tlv_category_pair(tables, a, b));
	least = w->seen.a < w->seen.b ? w->seen.a : w->seen.b;
	least = least < k ? least : k;
	if (w->seen.rows >= TREE_LEAST_ROWS && least > 1)
	{
		r = least - 1;
		p_value = tree_independence(w);
		TLV_TRY(tree_correlations(ctx, w, options->shrinkage, r));
	}
	tlv_tree_distance_set(distances, a, b, r, w->s, k - 1, false, w->seen.rows, p_value);
	if (options->metric != TLV_METRIC_DETERMINANT || r == 0)
		return TLV_OK;
	TLV_TRY(tree_determinant_distance(ctx, w, least, &distance));
	distances->distance[a * distances->p + b] = distance;
	distances->distance[b * distances->p + a] = distance;
	return TLV_OK;
}

static tlv_status
tree_measure_all(tlv_context *ctx, const tlv_category_tables *tables,
				 const tlv_tree_distance_options *options, pair_work *w,
				 tlv_tree_distances *distances)
{
	for (size_t a = 0; a < tables->p; a++)
	{
		size_t work = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t b = a + 1; b < tables->p; b++)
		{
			size_t larger = (size_t) (tables->states[a] > tables->states[b] ? tables->states[a]
																			: tables->states[b]);

			TLV_TRY(tree_measure_pair(ctx, tables, a, b, options, w, distances));
			work += larger * larger * larger + 100;
			if (work < 1000000)
				continue;
			work = 0;
			TLV_TRY_CONTINUE(ctx);
		}
		tlv_report(ctx, "distances", (double) a + 1, (double) tables->p);
	}
	return TLV_OK;
}

tlv_status
tlv_tree_distances_of_tables(tlv_context *ctx, const tlv_category_tables *tables,
							 const tlv_tree_distance_options *options,
							 tlv_tree_distances *distances)
{
	size_t scratch = tlv_singular_values_work(STATES, STATES);
	pair_work *w;
	tlv_status status;

	memset(distances, 0, sizeof(*distances));
	if (options->states < 2 || options->states > STATES)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"hidden nodes of %zu %s: there must be from 2 to %d", options->states,
						tlv_plural((double) options->states, "state", "states"), STATES);
	if (options->groups > 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"groups of columns are for vectors, not for categories");
	TLV_TRY(tlv_tree_distances_create(ctx, tables->p, tables->rows, options, distances));
	w = tlv_alloc(ctx, 1, sizeof(pair_work) + scratch * sizeof(double));
	status = w == NULL ? ctx->error.code : tree_measure_all(ctx, tables, options, w, distances);
	tlv_free(ctx, w);
	if (status != TLV_OK)
		tlv_tree_distances_free(ctx, distances);
	return status;
}
