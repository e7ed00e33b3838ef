/*
 * dependence.c - whether neighbouring steps depend on each other, and how many states their pairs
 * show (internal.h).
 */
#include <math.h>
#include <string.h>

#include "learn.h"
#include "../tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"
#include "tensorlv/num/tuning.h"

/* Most symbols that are distinguished: the more frequent ones. */
#define MOST_CLASSES ((size_t) 24)
/* Numbers of a step that are looked at; up to so many, their distances from the mean, too. */
#define MOST_NUMBERS ((size_t) 48)
#define MOST_SPREADS ((size_t) 8)

/* ---- tables of classes ---- */

static void
table_margins(size_t c, const double *table, double *rows, double *columns, double *total)
{
	memset(rows, 0, 2 * c * sizeof(double));
	*total = 0;
	for (size_t j = 0; j < c; j++)
		for (size_t i = 0; i < c; i++)
		{
			rows[i] += table[j * c + i];
			columns[j] += table[j * c + i];
			*total += table[j * c + i];
		}
}

/*
 * Singular values of the table, scaled so that those but the first vanish where rows and columns
 * are independent (correspondence analysis); r x q: how many rows and columns are not empty.
 */
static tlv_status
table_spectrum(tlv_context *ctx, size_t c, const double *table, double *values, size_t *r,
			   size_t *q, double *total)
{
	double *rows, *columns, *scaled, *work;

	TLV_TRY_NEW(ctx, rows, 2 * c + c * c + tlv_singular_values_work(c, c));
	columns = rows + c;
	scaled = rows + 2 * c;
	work = scaled + c * c;
	table_margins(c, table, rows, columns, total);
	*r = *q = 0;
	for (size_t i = 0; i < c; i++)
	{
		*r += rows[i] > 0;
		*q += columns[i] > 0;
	}
	for (size_t j = 0; j < c; j++)
		for (size_t i = 0; i < c; i++)
		{
			double expected = rows[i] * columns[j];

			scaled[j * c + i] =
				expected > 0 ? (table[j * c + i] - expected / *total) / sqrt(expected) : 0;
		}
	TLV_TRY(tlv_singular_values(ctx, c, c, scaled, c, values, work));
	tlv_free(ctx, rows);
	return TLV_OK;
}

tlv_status
tlv_hmm_table_rank(tlv_context *ctx, size_t c, const double *table, tlv_hmm_rank *rank)
{
	double *values, total;
	size_t r, q, least;

	*rank = (tlv_hmm_rank){.k = 1, .p_value = NAN};
	TLV_TRY_NEW(ctx, values, c);
	TLV_TRY(table_spectrum(ctx, c, table, values, &r, &q, &total));
	least = r < q ? r : q;
	for (size_t k = 1; total >= LEAST_PAIRS && k < least; k++)
	{
		double rest = 0, p;

		for (size_t i = k - 1; i + 1 < least; i++)
			rest += values[i] * values[i];
		p = tlv_chisq_survival(total * rest, (double) ((r - k) * (q - k)));
		if (k == 1)
			rank->p_value = p;
		if (k <= TLV_HMM_RANKS)
			rank->enough[rank->tested++] = p;
		rank->k = k;
		if (!(p <= TLV_SIGNIFICANCE))
			break;
		rank->k = k + 1;
	}
	tlv_free(ctx, values);
	return TLV_OK;
}

tlv_status
tlv_hmm_classes(tlv_context *ctx, size_t m, const double *counts, double pairs, int32_t *class,
				size_t *classes)
{
	size_t most = (size_t) fmax(2, fmin((double) MOST_CLASSES, sqrt(pairs / PAIRS_BY_CLASS)));

	return tlv_frequent_classes(ctx, m, counts, most, class, classes);
}

/* The class of a symbol; -1 where it is missing or not known. */
static int32_t
hmm_class_of(const tlv_dictionary *dictionary, const int32_t *class, const tlv_part *part, size_t t)
{
	int32_t at = part->missing != NULL && part->missing[t]
					 ? -1
					 : tlv_dictionary_find(dictionary, part->ids[t]);

	return at >= 0 ? class[at] : -1;
}

static tlv_status
symbol_dependence(tlv_context *ctx, const tlv_hmm_data *data, size_t m, const int64_t *items,
				  tlv_hmm_rank *rank)
{
	tlv_dictionary dictionary = {0};
	double *counts, table[MOST_CLASSES * MOST_CLASSES] = {0};
	int32_t *class;
	size_t c;

	TLV_TRY_NEW0(ctx, counts, m);
	TLV_TRY_NEW0(ctx, class, m);
	TLV_TRY(tlv_dictionary_freeze(ctx, &dictionary, m, items));
	for (size_t i = 0; i < m; i++)
		class[i] = (int32_t) i;
	for (size_t i = 0; i < data->n; i++)
		for (size_t t = 0; t < data->rows[i].part[0].n; t++)
		{
			int32_t at = hmm_class_of(&dictionary, class, &data->rows[i].part[0], t);

			if (at >= 0)
				counts[at]++;
		}
	TLV_TRY(tlv_hmm_classes(ctx, m, counts, data->steps - (double) data->n, class, &c));
	for (size_t i = 0; i < data->n; i++)
	{
		const tlv_part *part = &data->rows[i].part[0];

		TLV_TRY_CONTINUE(ctx);
		for (size_t t = 0; t + 1 < part->n; t++)
		{
			int32_t a = hmm_class_of(&dictionary, class, part, t),
					b = hmm_class_of(&dictionary, class, part, t + 1);

			if (a >= 0 && b >= 0)
				table[(size_t) b * c + (size_t) a]++;
		}
	}
	TLV_TRY(tlv_hmm_table_rank(ctx, c, table, rank));
	tlv_free(ctx, class);
	tlv_free(ctx, counts);
	return TLV_OK;
}

/* ---- vectors ---- */

typedef struct step_scale
{
	size_t d, numbers, spreads;
	double *mean, *deviation;
} step_scale;

static tlv_status
measure_scale(tlv_context *ctx, const tlv_hmm_data *data, step_scale *s)
{
	double *n;

	TLV_TRY_NEW0(ctx, s->mean, 3 * s->d);
	s->deviation = s->mean + s->d;
	n = s->deviation + s->d;
	for (int round = 0; round < 2; round++)
	{
		double *to = round == 0 ? s->mean : s->deviation;

		memset(n, 0, s->d * sizeof(double));
		for (size_t i = 0; i < data->n; i++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t e = 0; e < data->rows[i].part[0].n * s->d; e++)
			{
				double x = data->rows[i].part[0].float64[e];
				size_t c = e % s->d;

				if (isnan(x))
					continue;
				to[c] += round == 0 ? x : (x - s->mean[c]) * (x - s->mean[c]);
				n[c]++;
			}
		}
		for (size_t c = 0; c < s->d; c++)
			to[c] = n[c] > 0 ? (round == 0 ? to[c] / n[c] : sqrt(to[c] / n[c])) : 0;
	}
	return TLV_OK;
}

/* A step as numbers that no single one of which counts for much: missing ones are at the mean. */
static void
step_numbers(const step_scale *s, const double *x, double *out)
{
	for (size_t c = 0; c < s->numbers; c++)
	{
		double z = s->deviation[c] > 0 ? (x[c] - s->mean[c]) / s->deviation[c] : 0;

		z = isnan(z) ? 0 : fmax(fmin(z, CLAMP), -CLAMP);
		out[c] = z;
		if (c < s->spreads)
			out[s->numbers + c] = fabs(z);
	}
}

/* Sums of a pair of steps, the constant 1 behind each: (f + 1) x (f + 1). */
static void
add_pair(size_t f, const double *a, const double *b, double *aa, double *ab, double *bb)
{
	for (size_t j = 0; j <= f; j++)
		for (size_t i = 0; i <= f; i++)
		{
			aa[j * (f + 1) + i] += a[i] * a[j];
			ab[j * (f + 1) + i] += a[i] * b[j];
			bb[j * (f + 1) + i] += b[i] * b[j];
		}
}

/* Sums of products to covariances, in place: f x f, with a little on the diagonal. */
static void
center_sums(size_t f, const double *sums, const double *left, const double *right, double n,
			bool same, double *out)
{
	for (size_t j = 0; j < f; j++)
		for (size_t i = 0; i < f; i++)
			out[j * f + i] =
				(sums[j * (f + 1) + i] - left[i] * right[j] / n) / n + (same && i == j ? 1e-9 : 0);
}

/* Pillai's trace of the canonical correlations of a step and the next: chi-squared of f^2. */
static tlv_status
pillai_test(tlv_context *ctx, size_t f, const double *aa, const double *ab, const double *bb,
			double *p_value)
{
	size_t g = f + 1;
	double n = aa[g * g - 1], trace = 0, *saa, *sbb, *sab, *sba;

	*p_value = NAN;
	if (n < fmax(LEAST_PAIRS, 3 * (double) f))
		return TLV_OK;
	TLV_TRY_NEW(ctx, saa, 4 * f * f);
	sbb = saa + f * f;
	sab = sbb + f * f;
	sba = sab + f * f;
	/* The sums themselves stand beside the constants. */
	center_sums(f, aa, aa + f * g, aa + f * g, n, true, saa);
	center_sums(f, bb, bb + f * g, bb + f * g, n, true, sbb);
	center_sums(f, ab, aa + f * g, bb + f * g, n, false, sab);
	for (size_t j = 0; j < f; j++)
		for (size_t i = 0; i < f; i++)
			sba[j * f + i] = sab[i * f + j];
	TLV_TRY(tlv_solve_spd(ctx, f, f, saa, sab));
	TLV_TRY(tlv_solve_spd(ctx, f, f, sbb, sba));
	for (size_t j = 0; j < f; j++)
		for (size_t i = 0; i < f; i++)
			trace += sab[j * f + i] * sba[i * f + j];
	*p_value = tlv_chisq_survival((n - 1) * fmax(trace, 0), (double) (f * f));
	tlv_free(ctx, saa);
	return TLV_OK;
}

static tlv_status
vector_dependence(tlv_context *ctx, const tlv_hmm_data *data, double *p_value)
{
	size_t d = data->rows[0].part[0].d;
	step_scale s = {.d = d, .numbers = tlv_least(d, MOST_NUMBERS)};
	double *a, *b, *aa, *ab, *bb;
	size_t f, g;

	s.spreads = d <= MOST_SPREADS ? d : 0;
	f = s.numbers + s.spreads;
	g = f + 1;
	TLV_TRY(measure_scale(ctx, data, &s));
	TLV_TRY_NEW0(ctx, a, 2 * g + 3 * g * g);
	b = a + g;
	aa = b + g;
	ab = aa + g * g;
	bb = ab + g * g;
	a[f] = b[f] = 1;
	for (size_t i = 0; i < data->n; i++)
	{
		const tlv_part *part = &data->rows[i].part[0];

		TLV_TRY_CONTINUE(ctx);
		for (size_t t = 0; t < part->n; t++)
		{
			TLV_TRY_CONTINUE_OFTEN(ctx, t);
			memcpy(a, b, f * sizeof(double));
			step_numbers(&s, part->float64 + t * d, b);
			if (t > 0)
				add_pair(f, a, b, aa, ab, bb);
		}
	}
	TLV_TRY(pillai_test(ctx, f, aa, ab, bb, p_value));
	tlv_free(ctx, a);
	tlv_free(ctx, s.mean);
	return TLV_OK;
}

tlv_status
tlv_hmm_dependence(tlv_context *ctx, const tlv_hmm_data *data, size_t m, const int64_t *items,
				   tlv_hmm_rank *rank)
{
	*rank = (tlv_hmm_rank){.p_value = NAN};
	if (data->rows[0].form == TLV_ROW_SYMBOLS)
		return symbol_dependence(ctx, data, m, items, rank);
	return vector_dependence(ctx, data, &rank->p_value);
}

tlv_status
tlv_hmm_tell_rank(tlv_context *ctx, const tlv_hmm_rank *rank, tlv_diagnostics *diagnostics)
{
	for (size_t k = 1; k <= rank->tested; k++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, rank->enough[k - 1], "p_enough_%zu", k));
	return TLV_OK;
}
