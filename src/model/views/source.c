/*
 * source.c - products with the moments of three views, dense or counted
 * (view_solver.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/num/numbers.h"

/* The pair of views s < t among 12, 13, 23. */
static inline int
view_pair_of(int s, int t)
{
	return s + t - 1;
}

static inline void
view_add_scaled(size_t n, double factor, const double *restrict x, double *restrict y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += factor * x[i];
}

static tlv_status
multiply_cells(tlv_context *ctx, const tlv_view_source *source, int from, int to, size_t l,
			   const double *x, double *y)
{
	memset(y, 0, l * source->d[to] * sizeof(double));
	for (size_t e = 0; e < source->n; e++)
	{
		int64_t cell = source->cells[e];

		TLV_TRY_CONTINUE_OFTEN(ctx, e);
		view_add_scaled(l, source->counts[e] / source->total, x + tlv_triple_part(cell, from) * l,
						y + tlv_triple_part(cell, to) * l);
	}
	return TLV_OK;
}

tlv_status
tlv_view_multiply(tlv_context *ctx, const tlv_view_source *source, int from, int to, size_t l,
				  const double *x, double *y)
{
	const size_t *d = source->d;

	if (source->pairs[0] == NULL)
		return multiply_cells(ctx, source, from, to, l, x, y);
	if (from < to)
		return tlv_gemm(ctx, false, false, l, d[to], d[from], 1 / source->total, x, l,
						source->pairs[view_pair_of(from, to)], d[from], 0, y, l);
	return tlv_gemm(ctx, false, true, l, d[to], d[from], 1 / source->total, x, l,
					source->pairs[view_pair_of(to, from)], d[to], 0, y, l);
}

/* to (rows x columns) += x y' */
static inline void
add_outer(size_t rows, size_t columns, const double *restrict x, const double *restrict y,
		  double *restrict to)
{
	for (size_t j = 0; j < columns; j++)
		for (size_t i = 0; i < rows; i++)
			to[j * rows + i] += x[i] * y[j];
}

/*
 * Cells are in the order of their parts: those of one pair (1, 2) are added up first, then those
 * of one item of view 1.  t here is [b, c, a]; the caller turns it.
 */
static tlv_status
compress_cells(tlv_context *ctx, const tlv_view_source *source, size_t k, const double *a,
			   const double *b, const double *c, double *t, double *work)
{
	double *row = work, *slice = work + k; /* k, k x k */

	memset(work, 0, (k + k * k) * sizeof(double));
	memset(t, 0, k * k * k * sizeof(double));
	for (size_t e = 0; e < source->n; e++)
	{
		int64_t cell = source->cells[e], next = e + 1 < source->n ? source->cells[e + 1] : -1;
		size_t i1 = tlv_triple_part(cell, 0), i2 = tlv_triple_part(cell, 1);
		bool last1 = next < 0 || tlv_triple_part(next, 0) != i1;

		TLV_TRY_CONTINUE_OFTEN(ctx, e);
		view_add_scaled(k, source->counts[e] / source->total, c + tlv_triple_part(cell, 2) * k,
						row);
		if (!last1 && tlv_triple_part(next, 1) == i2)
			continue;
		add_outer(k, k, b + i2 * k, row, slice);
		memset(row, 0, k * sizeof(double));
		if (!last1)
			continue;
		TLV_TRY_CONTINUE(ctx);
		add_outer(k * k, k, slice, a + i1 * k, t);
		memset(slice, 0, k * k * sizeof(double));
	}
	return TLV_OK;
}

/* Mode by mode: k x d2 d3, then k x k x d3, then k x k x k. */
static tlv_status
compress_dense(tlv_context *ctx, const tlv_view_source *source, size_t k, const double *a,
			   const double *b, const double *c, double *t)
{
	size_t d1 = source->d[0], d2 = source->d[1], d3 = source->d[2];
	double *first = tlv_alloc(ctx, k * d2 * d3 + k * k * d3, sizeof(double)), *second;

	TLV_TRY_ALLOC(ctx, first);
	second = first + k * d2 * d3;
	TLV_TRY(tlv_gemm(ctx, false, false, k, d2 * d3, d1, 1 / source->total, a, k, source->triples,
					 d1, 0, first, k));
	for (size_t i = 0; i < d3; i++)
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, d2, 1, first + i * k * d2, k, b, k, 0,
						 second + i * k * k, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k * k, k, d3, 1, second, k * k, c, k, 0, t, k * k));
	tlv_free(ctx, first);
	return TLV_OK;
}

tlv_status
tlv_view_compress(tlv_context *ctx, const tlv_view_source *source, size_t k, const double *a,
				  const double *b, const double *c, double *t)
{
	double *turned;

	if (source->pairs[0] != NULL)
		return compress_dense(ctx, source, k, a, b, c, t);
	TLV_TRY_NEW(ctx, turned, k * k * k + k + k * k);
	TLV_TRY(compress_cells(ctx, source, k, a, b, c, turned, turned + k * k * k));
	for (size_t i = 0; i < k; i++)
		for (size_t rest = 0; rest < k * k; rest++)
			t[rest * k + i] = turned[i * k * k + rest];
	tlv_free(ctx, turned);
	return TLV_OK;
}

/* ---- vectors ---- */

/* Shared by all views: the mean of their means and of their variances. */
static void
make_common(tlv_dense_source *dense, size_t d)
{
	for (size_t i = 0; i < d; i++)
	{
		double center = 0, scale = 0;

		for (int t = 0; t < 3; t++)
		{
			center += dense->center[t][i] / 3;
			scale += dense->scale[t][i] / 3;
		}
		for (int t = 0; t < 3; t++)
		{
			dense->center[t][i] = center;
			dense->scale[t][i] = scale;
		}
	}
}

/* Means, and 1 / standard deviation; 0 for a column that does not vary beyond rounding. */
static void
measure_columns(const tlv_view_sums *sums, bool common, size_t k, tlv_dense_source *dense)
{
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < sums->d[t]; i++)
		{
			double mean = sums->sum[t][i] / sums->rows;
			double square = sums->square[t][i] / sums->rows;
			double variance = square - mean * mean;

			dense->center[t][i] = sums->shift[t][i] + mean;
			dense->scale[t][i] = variance;
			if (!(variance > 1e-14 * square + 1e-30 * dense->center[t][i] * dense->center[t][i]))
				dense->scale[t][i] = 0;
		}
	if (common)
		make_common(dense, sums->d[0]);
	for (int t = 0; t < 3; t++)
	{
		for (size_t i = 0; i < sums->d[t]; i++)
			dense->scale[t][i] = dense->scale[t][i] > 0 ? 1 / sqrt(dense->scale[t][i]) : 0;
		/* As large as the signal could be: the constant is never lost among noise.  One component
		 * is the mean of all rows, which is the constant: it is larger than any signal. */
		dense->scale[t][sums->d[t]] =
			sqrt(fmax(1, (double) sums->d[t] / (double) k)) * (k == 1 ? 2 : 1);
	}
}

/* pairs (d_s + 1) x (d_t + 1) from those of the centred rows, scaled. */
static void
view_fill_pairs(const tlv_view_sums *moved, const tlv_dense_source *dense, int p, int s, int t,
				double *out)
{
	size_t ds = moved->d[s], dt = moved->d[t];
	const double *fs = dense->scale[s], *ft = dense->scale[t];

	for (size_t j = 0; j <= dt; j++)
		for (size_t i = 0; i <= ds; i++)
		{
			double sum = i < ds && j < dt ? moved->pairs[p][j * ds + i]
						 : i < ds		  ? moved->sum[s][i]
						 : j < dt		  ? moved->sum[t][j]
										  : moved->rows;

			out[j * (ds + 1) + i] = fs[i] * ft[j] * sum;
		}
}

static void
fill_triples(const tlv_view_sums *moved, const tlv_dense_source *dense, double *out)
{
	size_t d1 = moved->d[0], d2 = moved->d[1], d3 = moved->d[2];

	for (size_t c = 0; c <= d3; c++)
		for (size_t b = 0; b <= d2; b++)
		{
			double factor = dense->scale[1][b] * dense->scale[2][c];
			const double *from = b < d2 && c < d3 ? moved->triples + (c * d2 + b) * d1
								 : b < d2		  ? moved->pairs[0] + b * d1
								 : c < d3		  ? moved->pairs[1] + c * d1
												  : moved->sum[0];
			double last = b < d2 && c < d3 ? moved->pairs[2][c * d2 + b]
						  : b < d2		   ? moved->sum[1][b]
						  : c < d3		   ? moved->sum[2][c]
										   : moved->rows;

			for (size_t a = 0; a < d1; a++)
				out[a] = factor * dense->scale[0][a] * from[a];
			out[d1] = factor * dense->scale[0][d1] * last;
			out += d1 + 1;
		}
}

/* A copy of the sums, moved to the centers. */
static tlv_status
move_copy(tlv_context *ctx, const tlv_view_sums *sums, const tlv_dense_source *dense,
		  tlv_view_sums *moved)
{
	size_t numbers;

	TLV_TRY(tlv_view_sums_create(ctx, sums->d, false, moved));
	numbers = (size_t) (moved->triples - moved->shift[0]) + sums->d[0] * sums->d[1] * sums->d[2];
	memcpy(moved->shift[0], sums->shift[0], numbers * sizeof(double));
	moved->rows = sums->rows;
	tlv_view_sums_move(moved, (const double *const *) dense->center);
	return TLV_OK;
}

tlv_status
tlv_dense_source_create(tlv_context *ctx, const tlv_view_sums *sums, bool common, size_t k,
						tlv_dense_source *dense)
{
	size_t d[3], wide = 0, pairs = 0, at;
	tlv_view_sums moved;
	double *block;

	memset(dense, 0, sizeof(*dense));
	for (int t = 0; t < 3; t++)
		wide += d[t] = sums->d[t] + 1;
	pairs = d[0] * d[1] + d[0] * d[2] + d[1] * d[2];
	TLV_TRY_NEW0(ctx, block, 2 * wide + pairs + d[0] * d[1] * d[2]);
	dense->block = block;
	for (int t = 0; t < 3; t++)
	{
		dense->center[t] = block;
		dense->scale[t] = block + wide;
		block += d[t];
	}
	block += wide;
	measure_columns(sums, common, k, dense);
	TLV_TRY(move_copy(ctx, sums, dense, &moved));
	at = 0;
	for (int s = 0; s < 2; s++)
		for (int t = s + 1; t < 3; t++)
		{
			view_fill_pairs(&moved, dense, view_pair_of(s, t), s, t, block + at);
			dense->source.pairs[view_pair_of(s, t)] = block + at;
			at += d[s] * d[t];
		}
	fill_triples(&moved, dense, block + at);
	dense->source.triples = block + at;
	tlv_view_sums_free(ctx, &moved);
	memcpy(dense->source.d, d, sizeof(d));
	dense->source.total = sums->rows;
	return TLV_OK;
}

void
tlv_dense_source_means(const tlv_dense_source *dense, int view, size_t k, const double *solved,
					   double *means)
{
	size_t d = dense->source.d[view] - 1;
	const double *center = dense->center[view], *scale = dense->scale[view];

	for (size_t j = 0; j < k; j++)
	{
		/* The constant says what the column's own scale is. */
		double constant = solved[d * k + j];
		double factor = fabs(constant) > 1e-8 * scale[d] ? scale[d] / constant : 1;

		for (size_t i = 0; i < d; i++)
			means[j * d + i] =
				center[i] + (scale[i] > 0 ? factor * solved[i * k + j] / scale[i] : 0);
	}
}

/* ---- expectations over counted triples ---- */

typedef struct cell_factors
{
	size_t k;
	const double *a, *b, *c;
	double *ga, *gb, *gc;
} cell_factors;

/* One cell; returns its probability. */
TLV_CLONES static double
add_cell(const cell_factors *f, int64_t cell, double count)
{
	size_t k = f->k;
	size_t i1 = tlv_triple_part(cell, 0) * k, i2 = tlv_triple_part(cell, 1) * k,
		   i3 = tlv_triple_part(cell, 2) * k;
	const double *restrict a = f->a + i1, *restrict b = f->b + i2, *restrict c = f->c + i3;
	double *restrict ga = f->ga + i1, *restrict gb = f->gb + i2, *restrict gc = f->gc + i3;
	double p = 0, ratio;

	for (size_t j = 0; j < k; j++)
		p += a[j] * b[j] * c[j];
	ratio = count / fmax(p, TLV_TINY);
	for (size_t j = 0; j < k; j++)
	{
		ga[j] += ratio * b[j] * c[j];
		gb[j] += ratio * a[j] * c[j];
		gc[j] += ratio * a[j] * b[j];
	}
	return p;
}

tlv_status
tlv_cell_expectations(tlv_context *ctx, const tlv_view_source *source, size_t k, const double *a,
					  const double *b, const double *c, double *ga, double *gb, double *gc,
					  double *likelihood)
{
	cell_factors f = {k, a, b, c, ga, gb, gc};

	memset(ga, 0, source->d[0] * k * sizeof(double));
	memset(gb, 0, source->d[1] * k * sizeof(double));
	memset(gc, 0, source->d[2] * k * sizeof(double));
	*likelihood = 0;
	for (size_t e = 0; e < source->n; e++)
	{
		if (e % 4096 == 4095)
			TLV_TRY_CONTINUE(ctx);
		*likelihood += source->counts[e] / source->total *
					   log(fmax(add_cell(&f, source->cells[e], source->counts[e]), TLV_TINY));
	}
	return TLV_OK;
}
