/*
 * rank.c - how many components the dependence of views tells apart (internal.h).
 *
 * Of k components the cross moment of two views has rank k, or k - 1 about the means: what its
 * other singular values add up to, times the rows, is then chi-squared.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tuning.h"

/* Fewer rows say nothing. */
#define MULTIVIEW_LEAST_ROWS 20.0

/* The views of a pair. */
static const int pair_from[3] = {0, 0, 1}, pair_to[3] = {1, 2, 2};

/* A scaled cross moment, zero where its views are independent. */
typedef struct cross
{
	size_t r, q;					/* rows, columns */
	double n;						/* rows of data */
	bool table;						/* of categories: (r - k)(q - k) degrees of freedom are left */
	double *scaled;					/* r x q */
	double *values;					/* singular, of least(r, q) */
	size_t rank;					/* found */
	double p_value[2];				/* of independence; that the next component is none */
	double enough[MULTIVIEW_CURVE]; /* that 1, 2, ... are */
} cross;

static tlv_status
cross_open(tlv_context *ctx, size_t r, size_t q, cross *c)
{
	c->r = r;
	c->q = q;
	TLV_TRY_NEW0(ctx, c->scaled, r * q + tlv_least(r, q) + tlv_singular_values_work(r, q));
	c->values = c->scaled + r * q;
	return TLV_OK;
}

/* p that k components are enough, from what the singular values leave. */
static double
p_of_rank(const cross *c, size_t k, double rest)
{
	double r = (double) c->r, q = (double) c->q;

	if (c->table)
		return tlv_chisq_survival(c->n * rest, (r - (double) k) * (q - (double) k));
	/* Numbers of a view may depend on each other in any way: then the sum is one of chi-squared
	 * variables whose weights add up to r q, and far in the tail largest where one has them all
	 * (Szekely, Bakirov 2003). */
	return tlv_chisq_survival(c->n * rest / (r * q), 1);
}

/* The least k that is enough, 1 at least. */
static tlv_status
cross_rank(tlv_context *ctx, cross *c)
{
	size_t least = tlv_least(c->r, c->q), most = c->table ? least : least + 1;
	double rest = 0;

	TLV_TRY(tlv_singular_values(ctx, c->r, c->q, c->scaled, least, c->values, c->values + least));
	for (size_t i = 0; i < least; i++)
		rest += c->values[i] * c->values[i];
	c->p_value[0] = c->p_value[1] = NAN;
	for (size_t i = 0; i < MULTIVIEW_CURVE; i++)
		c->enough[i] = 1;
	for (c->rank = 1; c->rank < most && c->n >= MULTIVIEW_LEAST_ROWS; c->rank++)
	{
		c->p_value[1] = p_of_rank(c, c->rank, fmax(rest, 0));
		if (c->rank <= MULTIVIEW_CURVE)
			c->enough[c->rank - 1] = c->p_value[1];
		if (c->rank == 1)
			c->p_value[0] = c->p_value[1];
		if (!(c->p_value[1] <= TLV_SIGNIFICANCE))
			break;
		rest -= c->values[c->rank - 1] * c->values[c->rank - 1];
	}
	return TLV_OK;
}

/* ---- vectors: correlations ---- */

static tlv_status
correlate_views(tlv_context *ctx, const tlv_view_sums *sums, int pair, cross *c)
{
	int s = pair_from[pair], t = pair_to[pair];
	double n = c->n = sums->rows;

	TLV_TRY(cross_open(ctx, sums->d[s], sums->d[t], c));
	for (size_t j = 0; j < c->q; j++)
	{
		double b = sums->sum[t][j], vb = sums->square[t][j] - b * b / n;

		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < c->r; i++)
		{
			double a = sums->sum[s][i], va = sums->square[s][i] - a * a / n;

			c->scaled[j * c->r + i] =
				va > 0 && vb > 0 ? (sums->pairs[pair][j * c->r + i] - a * b / n) / sqrt(va * vb)
								 : 0;
		}
	}
	return cross_rank(ctx, c);
}

/* ---- categories: tables ---- */

/* The class of every category of a view, the frequent ones first, and how many there are. */
static tlv_status
classify(tlv_context *ctx, const tlv_view_source *source, int view, int32_t *class, size_t *classes)
{
	/* The most frequent categories of a view are told apart, the others are one: so many at most,
	 * and so that rows for a cell of a table are no fewer. */
	const int most_classes = 50;
	size_t d = source->d[view];
	double most = fmax(2, fmin(most_classes, sqrt(source->total / TLV_LEAST_EXPECTED)));
	double *counts;

	TLV_TRY_NEW0(ctx, counts, d);
	for (size_t e = 0; e < source->n; e++)
		counts[tlv_triple_part(source->cells[e], view)] += source->counts[e];
	TLV_TRY(tlv_frequent_classes(ctx, d, counts, (size_t) most, class, classes));
	tlv_free(ctx, counts);
	return TLV_OK;
}

/* Counts of pairs of classes, by the roots of what independence expects, less these roots. */
static tlv_status
tabulate_views(tlv_context *ctx, const tlv_view_source *source, int pair, int32_t *const class[3],
			   const size_t classes[3], cross *c)
{
	int s = pair_from[pair], t = pair_to[pair];
	double *rows, *columns;

	c->table = true;
	c->n = source->total;
	TLV_TRY(cross_open(ctx, classes[s], classes[t], c));
	TLV_TRY_NEW0(ctx, rows, c->r + c->q);
	columns = rows + c->r;
	for (size_t e = 0; e < source->n; e++)
	{
		size_t i = (size_t) class[s][tlv_triple_part(source->cells[e], s)];
		size_t j = (size_t) class[t][tlv_triple_part(source->cells[e], t)];

		c->scaled[j * c->r + i] += source->counts[e];
		rows[i] += source->counts[e];
		columns[j] += source->counts[e];
	}
	for (size_t j = 0; j < c->q; j++)
		for (size_t i = 0; i < c->r; i++)
		{
			double expected = rows[i] * columns[j] / c->n;

			c->scaled[j * c->r + i] =
				expected > 0 ? (c->scaled[j * c->r + i] - expected) / sqrt(expected * c->n) : 0;
		}
	tlv_free(ctx, rows);
	return cross_rank(ctx, c);
}

/* ---- all three pairs ---- */

static double
middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* The middle of three ranks and, of independence, of their p-values. */
static void
take_middle(tlv_context *ctx, cross crosses[3], multiview_rank *found)
{
	for (int pair = 0; pair < 3; pair++)
	{
		found->by_pair[pair] = crosses[pair].rank;
		tlv_free(ctx, crosses[pair].scaled);
	}
	found->k = (size_t) middle_of((double) crosses[0].rank, (double) crosses[1].rank,
								  (double) crosses[2].rank);
	found->p_value = middle_of(crosses[0].p_value[0], crosses[1].p_value[0], crosses[2].p_value[0]);
	for (size_t i = 0; i < tlv_least(found->k, MULTIVIEW_CURVE); i++)
		found->enough[i] =
			middle_of(crosses[0].enough[i], crosses[1].enough[i], crosses[2].enough[i]);
}

static tlv_status
rank_of_vectors(tlv_context *ctx, const tlv_frame *moments, multiview_rank *found)
{
	cross crosses[3] = {0};
	tlv_view_sums sums;

	TLV_TRY(tlv_view_sums_read(ctx, moments, false, &sums));
	for (int pair = 0; pair < 3; pair++)
		TLV_TRY(correlate_views(ctx, &sums, pair, &crosses[pair]));
	take_middle(ctx, crosses, found);
	tlv_view_sums_free(ctx, &sums);
	return TLV_OK;
}

static tlv_status
rank_of_categories(tlv_context *ctx, const tlv_view_source *source, multiview_rank *found)
{
	cross crosses[3] = {0};
	int32_t *class[3];
	size_t classes[3];

	for (int t = 0; t < 3; t++)
	{
		TLV_TRY_NEW(ctx, class[t], source -> d[t]);
		TLV_TRY(classify(ctx, source, t, class[t], &classes[t]));
	}
	for (int pair = 0; pair < 3; pair++)
		TLV_TRY(tabulate_views(ctx, source, pair, class, classes, &crosses[pair]));
	take_middle(ctx, crosses, found);
	for (int t = 0; t < 3; t++)
		tlv_free(ctx, class[t]);
	return TLV_OK;
}

tlv_status
tlv_multiview_rank(tlv_context *ctx, const tlv_frame *moments, multiview_rank *found)
{
	tlv_view_source cells = {0};

	*found = (multiview_rank){.k = 1, .by_pair = {1, 1, 1}, .p_value = NAN};
	for (size_t i = 0; i < MULTIVIEW_CURVE; i++)
		found->enough[i] = NAN;
	if (moments->header->kind == TLV_KIND_VIEW_MOMENTS)
		return tlv_frame_scalar(moments, "rows", 0) < MULTIVIEW_LEAST_ROWS
				   ? TLV_OK
				   : rank_of_vectors(ctx, moments, found);
	tlv_multiview_cells(moments, &cells);
	return cells.total < MULTIVIEW_LEAST_ROWS ? TLV_OK : rank_of_categories(ctx, &cells, found);
}

tlv_status
tlv_multiview_warn_rank(tlv_context *ctx, double p_value, tlv_diagnostics *diagnostics)
{
	if (!(p_value > TLV_SIGNIFICANCE))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "no_structure",
					   .score = p_value,
					   .hint = "Give more rows, or views that have the components in common."},
		"the views do not depend on each other: there are no components to distinguish");
}
