/*
 * rank.c - how many components the dependence of two views shows (view_solver.h).
 *
 * Of k components the cross moment of two views has rank k, or k - 1 about the means: what its
 * other singular values add up to, times the rows, is then chi-squared.
 */
#include <math.h>

#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* A scaled cross moment, zero where its views are independent. */
typedef struct cross
{
	size_t r, q;	/* rows, columns */
	double n;		/* rows of data */
	double free[2]; /* of a table the rows and columns that are not empty; 0: of vectors */
	double *scaled; /* r x q */
	double *values; /* singular, of least(r, q) */
} cross;

static tlv_status
cross_open(tlv_context *ctx, size_t r, size_t q, double n, cross *c)
{
	*c = (cross){.r = r, .q = q, .n = n};
	TLV_TRY_NEW0(ctx, c->scaled, r * q + tlv_least(r, q) + tlv_singular_values_work(r, q));
	c->values = c->scaled + r * q;
	return TLV_OK;
}

/* p that k components are enough, from what the singular values leave. */
static double
p_of_rank(const cross *c, size_t k, double rest)
{
	if (c->free[0] > 0)
		return tlv_chisq_survival(c->n * rest,
								  (c->free[0] - (double) k) * (c->free[1] - (double) k));
	/* Numbers of a view may depend on each other in any way: then the sum is one of chi-squared
	 * variables whose weights add up to r q, and far in the tail largest where one has them all
	 * (Szekely, Bakirov 2003). */
	return tlv_chisq_survival(c->n * rest / ((double) c->r * (double) c->q), 1);
}

/* The least k that is enough, 1 at least. */
static tlv_status
cross_rank(tlv_context *ctx, cross *c, double least_rows, tlv_view_rank *rank)
{
	size_t least = tlv_least(c->r, c->q);
	double most = c->free[0] > 0 ? fmin(c->free[0], c->free[1]) : (double) least + 1, rest = 0;

	*rank = (tlv_view_rank){.k = 1, .p_value = NAN};
	TLV_TRY(tlv_singular_values(ctx, c->r, c->q, c->scaled, least, c->values, c->values + least));
	for (size_t i = 0; i < least; i++)
		rest += c->values[i] * c->values[i];
	for (; (double) rank->k < most && c->n >= least_rows; rank->k++)
	{
		double p = p_of_rank(c, rank->k, fmax(rest, 0));

		if (rank->k == 1)
			rank->p_value = p;
		if (rank->tested < TLV_VIEW_RANKS)
			rank->enough[rank->tested++] = p;
		if (!(p <= TLV_VIEW_SIGNIFICANCE))
			break;
		rest -= c->values[rank->k - 1] * c->values[rank->k - 1];
	}
	tlv_free(ctx, c->scaled);
	return TLV_OK;
}

/* ---- vectors: correlations ---- */

tlv_status
tlv_view_vector_rank(tlv_context *ctx, const tlv_view_sums *sums, int pair, double least_rows,
					 tlv_view_rank *rank)
{
	int s = pair == 2, t = pair == 0 ? 1 : 2;
	double n = sums->rows;
	cross c;

	TLV_TRY(cross_open(ctx, sums->d[s], sums->d[t], n, &c));
	for (size_t j = 0; j < c.q; j++)
	{
		double b = sums->sum[t][j], vb = sums->square[t][j] - b * b / n;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < c.r; i++)
		{
			double a = sums->sum[s][i], va = sums->square[s][i] - a * a / n;

			c.scaled[j * c.r + i] =
				va > 0 && vb > 0
					? (sums->pairs[pair][j * c.r + i] - a * b / n) / sqrt(va) / sqrt(vb)
					: 0;
		}
	}
	return cross_rank(ctx, &c, least_rows, rank);
}

/* ---- categories: tables ---- */

tlv_status
tlv_view_table_rank(tlv_context *ctx, size_t r, size_t q, const double *table, double least_rows,
					tlv_view_rank *rank)
{
	double *rows, *columns, n = 0;
	cross c;

	TLV_TRY_NEW0(ctx, rows, r + q);
	columns = rows + r;
	for (size_t e = 0; e < r * q; e++)
	{
		rows[e % r] += table[e];
		columns[e / r] += table[e];
		n += table[e];
	}
	TLV_TRY(cross_open(ctx, r, q, n, &c));
	for (size_t i = 0; i < r + q; i++)
		c.free[i >= r] += rows[i] > 0;
	for (size_t e = 0; e < r * q; e++)
	{
		double expected = rows[e % r] * columns[e / r] / n;

		c.scaled[e] = expected > 0 ? (table[e] - expected) / sqrt(expected * n) : 0;
	}
	tlv_free(ctx, rows);
	return cross_rank(ctx, &c, least_rows, rank);
}
