/*
 * scalars.c - numbers beside the categories of a row: their scale, and their means in the
 * components (internal.h).
 *
 * Of a row with memberships x the expectation of a number is mu' x, whatever its distribution: only
 * its means mu enter.  A number is a variable of two "categories": 1, which has probability 1 in
 * every component, and the number, the "probability" of which is its mean; sums over all categories
 * of other variables become the first one's entry here.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* x becomes scale * (x - centre), where before its two states in a table come so many rows, and
 * behind each of them so many numbers. */
static void
standardize_table(size_t rows, size_t behind, double centre, double scale, double *table)
{
	for (size_t r = 0; r < rows; r++, table += 2 * behind)
		for (size_t i = 0; i < behind; i++)
			table[behind + i] = scale * (table[behind + i] - centre * table[i]);
}

/* All tables of one number. */
static void
standardize_number(const tlv_category_tables *tables, size_t s, double centre, double scale,
				   double *pairs, double *triples)
{
	size_t p = tables->p;
	const int64_t *states = tables->states;

	for (size_t a = 0; a < p; a++)
	{
		if (a == s)
			continue;
		if (a < s)
			standardize_table((size_t) states[a], 1, centre, scale,
							  pairs + (tlv_category_pair(tables, a, s) - tables->pairs));
		else
			standardize_table(1, (size_t) states[a], centre, scale,
							  pairs + (tlv_category_pair(tables, s, a) - tables->pairs));
		for (size_t b = a + 1; b < p && triples != NULL; b++)
		{
			size_t low = s < a ? s : a, high = s > b ? s : b, middle = a + b + s - low - high;
			double *table;

			if (b == s)
				continue;
			table = triples + (tlv_category_triple(tables, low, middle, high) - tables->triples);
			standardize_table((size_t) ((s > a ? states[a] : 1) * (s > b ? states[b] : 1)),
							  (size_t) ((s < a ? states[a] : 1) * (s < b ? states[b] : 1)), centre,
							  scale, table);
		}
	}
}

tlv_status
membership_standardize(tlv_context *ctx, const tlv_category_tables *tables,
					   tlv_category_tables *standard, double **centre, double **deviation)
{
	size_t first = tables->p - tables->scalars, entries = tables->triple_row[tables->p];
	double *singles, *pairs, *triples = NULL;

	TLV_TRY_NEW0(ctx, *centre, tables->scalars + 1);
	TLV_TRY_NEW0(ctx, *deviation, tables->scalars + 1);
	TLV_TRY_NEW(ctx, singles, tables->offset[tables->p]);
	TLV_TRY_NEW(ctx, pairs, tables->pair_entries);
	memcpy(singles, tables->singles, tables->offset[tables->p] * sizeof(double));
	memcpy(pairs, tables->pairs, tables->pair_entries * sizeof(double));
	if (tables->triples != NULL)
	{
		TLV_TRY_NEW(ctx, triples, entries);
		memcpy(triples, tables->triples, entries * sizeof(double));
	}
	*standard = *tables;
	for (size_t s = first; s < tables->p; s++)
	{
		double *own = singles + tables->offset[s], n = own[0];
		double mean = n > 0 ? own[1] / n : 0;
		double square = n > 0 ? tables->squares[s - first] / n : 0;
		double variance = square - mean * mean;

		TLV_TRY_CONTINUE(ctx);
		/* Of a constant rounding alone is left. */
		(*deviation)[s - first] = variance > 1e-12 * square ? sqrt(variance) : 1;
		(*centre)[s - first] = mean;
		own[1] = 0;
		standardize_number(tables, s, mean, 1 / (*deviation)[s - first], pairs, triples);
	}
	standard->singles = singles;
	standard->pairs = pairs;
	standard->triples = triples;
	return TLV_OK;
}

/* ---- means ---- */

/* gram += S theta theta' S of one variable, and right += theta S times the second moments of its
 * categories with the number of that row. */
static void
add_variable(const membership_moments *moments, double factor, size_t row, size_t j, size_t k,
			 const double *table, double *gram, double *right)
{
	const double *pairs = moments->pairs + row * moments->categories;

	for (size_t c = 0; c < membership_counted(moments, j); c++)
	{
		size_t v = moments->offset[j] + c;
		double weight = 1 / (moments->mean[v] + 1e-3);
		double second = pairs[v] - factor * moments->mean[row] * moments->mean[v];

		for (size_t g = 0; g < k; g++)
		{
			right[g] += weight * table[v * k + g] * second;
			for (size_t h = 0; h <= g; h++)
				gram[g * k + h] += weight * table[v * k + g] * table[v * k + h];
		}
	}
}

tlv_status
membership_scalar_means(tlv_context *ctx, const membership_moments *moments, double alpha0,
						const membership_fit *fit, double *means)
{
	/* Part of the mean diagonal that is added to it: components alike in all categories share a
	 * mean. */
	const double ridge = 1e-9;
	size_t k = fit->k, first = moments->p - moments->scalars;
	double factor = alpha0 / (alpha0 + 1), all = 0, *gram, *right;

	TLV_TRY_NEW_ROWS(ctx, gram, k + 1, k);
	right = gram + k * k;
	for (size_t h = 0; h < k; h++)
		all += fit->weights[h];
	for (size_t s = 0; s < moments->scalars; s++)
	{
		size_t row = moments->offset[first + s] + 1;
		double trace = 0;

		TLV_TRY_CONTINUE(ctx);
		memset(gram, 0, (k + 1) * k * sizeof(double));
		for (size_t j = 0; j < first; j++)
			add_variable(moments, factor, row, j, k, fit->table, gram, right);
		for (size_t g = 0; g < k; g++)
			for (size_t h = g + 1; h < k; h++)
				gram[g * k + h] = gram[h * k + g];
		for (size_t h = 0; h < k; h++)
			trace += gram[h * k + h];
		for (size_t h = 0; h < k; h++)
			gram[h * k + h] += ridge * trace / (double) k;
		TLV_TRY(tlv_solve_spd(ctx, k, 1, gram, right));
		for (size_t h = 0; h < k; h++)
		{
			double weight = fit->weights[h] / all / (alpha0 > 0 ? alpha0 + 1 : 1);

			means[s * k + h] = moments->centre[s] + moments->deviation[s] * right[h] / weight;
		}
	}
	tlv_free(ctx, gram);
	return TLV_OK;
}
