/*
 * sums.c - sums over rows of three vectors (view_sums.h).
 */
#include "tensorlv/model/view_sums.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/model/views.h"

/* Numbers of the products of views 2 and 3 that wait: enough for BLAS-3, few enough for the cache.
 */
#define BLOCK_NUMBERS ((size_t) 65536)
#define MOST_ROWS	  ((size_t) 512)
#define LEAST_ROWS	  ((size_t) 4)

static const char *const pair_names[3] = {"pairs12", "pairs13", "pairs23"};
static const int pair_first[3] = {0, 0, 1};
static const int pair_second[3] = {1, 2, 2};

static tlv_status
check_dimensions(tlv_context *ctx, const size_t d[3])
{
	for (int t = 0; t < 3; t++)
		if (d[t] == 0)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "view %d has no numbers", t + 1);
			return tlv_fail_hint(ctx, "Each of the three views is an array of numbers.");
		}
	if ((double) d[0] * (double) d[1] * (double) d[2] <= TLV_VIEW_MOST_TRIPLES)
		return TLV_OK;
	tlv_fail(ctx, TLV_LIMIT, "views of %zu, %zu and %zu numbers have more than %d third moments",
			 d[0], d[1], d[2], TLV_VIEW_MOST_TRIPLES);
	return tlv_fail_hint(ctx, "Reduce the dimensions first, for instance to the leading principal "
							  "components.");
}

static tlv_status
view_create_rows(tlv_context *ctx, tlv_view_sums *sums)
{
	size_t products = sums->d[1] * sums->d[2], room = BLOCK_NUMBERS / products;
	double *block;

	room = room > MOST_ROWS ? MOST_ROWS : room < LEAST_ROWS ? LEAST_ROWS : room;
	sums->room = room;
	TLV_TRY_NEW(ctx, block, (sums->d[0] + sums->d[1] + sums->d[2] + products) * room);
	for (int t = 0; t < 3; t++)
	{
		sums->row[t] = block;
		block += sums->d[t] * room;
	}
	sums->products = block;
	return TLV_OK;
}

tlv_status
tlv_view_sums_create(tlv_context *ctx, const size_t d[3], bool with_rows, tlv_view_sums *sums)
{
	size_t wide = d[0] + d[1] + d[2];
	double *block;

	memset(sums, 0, sizeof(*sums));
	TLV_TRY(check_dimensions(ctx, d));
	memcpy(sums->d, d, sizeof(sums->d));
	TLV_TRY_NEW0(ctx, block,
				 3 * wide + d[0] * d[1] + d[0] * d[2] + d[1] * d[2] + d[0] * d[1] * d[2]);
	for (int t = 0; t < 3; t++)
	{
		sums->shift[t] = block;
		sums->sum[t] = block + wide;
		sums->square[t] = block + 2 * wide;
		block += d[t];
	}
	block += 2 * wide;
	for (int p = 0; p < 3; p++)
	{
		sums->pairs[p] = block;
		block += d[pair_first[p]] * d[pair_second[p]];
	}
	sums->triples = block;
	if (with_rows)
		TLV_TRY(view_create_rows(ctx, sums));
	return TLV_OK;
}

void
tlv_view_sums_free(tlv_context *ctx, tlv_view_sums *sums)
{
	tlv_free(ctx, sums->shift[0]);
	tlv_free(ctx, sums->row[0]);
	memset(sums, 0, sizeof(*sums));
}

/* z[i + d2 j] = b[i] c[j] of one row */
TLV_CLONES static void
row_products(size_t d2, size_t d3, const double *restrict b, const double *restrict c,
			 double *restrict z)
{
	for (size_t j = 0; j < d3; j++)
		for (size_t i = 0; i < d2; i++)
			z[j * d2 + i] = b[i] * c[j];
}

TLV_CLONES static void
row_sums(size_t d, size_t n, const double *restrict x, double *restrict sum,
		 double *restrict square)
{
	for (size_t r = 0; r < n; r++)
		for (size_t i = 0; i < d; i++)
		{
			sum[i] += x[r * d + i];
			square[i] += x[r * d + i] * x[r * d + i];
		}
}

tlv_status
tlv_view_sums_flush(tlv_context *ctx, tlv_view_sums *sums)
{
	size_t n = sums->waiting, d2 = sums->d[1], d3 = sums->d[2];

	if (n == 0)
		return TLV_OK;
	for (int t = 0; t < 3; t++)
		row_sums(sums->d[t], n, sums->row[t], sums->sum[t], sums->square[t]);
	for (int p = 0; p < 3; p++)
	{
		size_t a = sums->d[pair_first[p]], b = sums->d[pair_second[p]];

		TLV_TRY(tlv_gemm(ctx, false, true, a, b, n, 1, sums->row[pair_first[p]], a,
						 sums->row[pair_second[p]], b, 1, sums->pairs[p], a));
	}
	for (size_t r = 0; r < n; r++)
		row_products(d2, d3, sums->row[1] + r * d2, sums->row[2] + r * d3,
					 sums->products + r * d2 * d3);
	TLV_TRY(tlv_gemm(ctx, false, true, sums->d[0], d2 * d3, n, 1, sums->row[0], sums->d[0],
					 sums->products, d2 * d3, 1, sums->triples, sums->d[0]));
	sums->rows += (double) n;
	sums->waiting = 0;
	return TLV_OK;
}

static tlv_status
view_refuse_number(tlv_context *ctx, int view, size_t at, double value)
{
	tlv_fail(ctx, TLV_BAD_DATA, "number %zu of view %d is %s", at + 1, view + 1,
			 isnan(value) ? "NaN" : "infinite");
	return tlv_fail_hint(ctx, "Leave such rows out, or replace the number.");
}

tlv_status
tlv_view_sums_add(tlv_context *ctx, tlv_view_sums *sums, const double *const x[3])
{
	bool first = sums->rows == 0 && sums->waiting == 0;

	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < sums->d[t]; i++)
			if (!isfinite(x[t][i]))
				return view_refuse_number(ctx, t, i, x[t][i]);
	if (sums->waiting == sums->room)
		TLV_TRY(tlv_view_sums_flush(ctx, sums));
	for (int t = 0; t < 3; t++)
	{
		double *restrict row = sums->row[t] + sums->waiting * sums->d[t];

		if (first)
			memcpy(sums->shift[t], x[t], sums->d[t] * sizeof(double));
		for (size_t i = 0; i < sums->d[t]; i++)
			row[i] = x[t][i] - sums->shift[t][i];
	}
	sums->waiting++;
	return TLV_OK;
}

/* triples, then pairs, sums and squares, of rows to which delta_t is added. */
void
tlv_view_sums_move(tlv_view_sums *sums, const double *const shift[3])
{
	size_t d1 = sums->d[0], d2 = sums->d[1], d3 = sums->d[2];
	double n = sums->rows;
	const double *s1 = sums->sum[0], *s2 = sums->sum[1], *s3 = sums->sum[2];

#define DELTA(t, i) (sums->shift[t][i] - shift[t][i])
	for (size_t c = 0; c < d3; c++)
		for (size_t b = 0; b < d2; b++)
		{
			double *restrict out = sums->triples + (c * d2 + b) * d1;
			double db = DELTA(1, b), dc = DELTA(2, c);
			double p23 = sums->pairs[2][c * d2 + b] + db * s3[c] + dc * s2[b] + n * db * dc;

			for (size_t a = 0; a < d1; a++)
				out[a] += DELTA(0, a) * p23 + db * sums->pairs[1][c * d1 + a] +
						  dc * sums->pairs[0][b * d1 + a] + db * dc * s1[a];
		}
	for (int p = 0; p < 3; p++)
	{
		int s = pair_first[p], t = pair_second[p];
		size_t da = sums->d[s];

		for (size_t b = 0; b < sums->d[t]; b++)
			for (size_t a = 0; a < da; a++)
				sums->pairs[p][b * da + a] += DELTA(s, a) * sums->sum[t][b] +
											  DELTA(t, b) * sums->sum[s][a] +
											  n * DELTA(s, a) * DELTA(t, b);
	}
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < sums->d[t]; i++)
		{
			double delta = DELTA(t, i);

			sums->square[t][i] += 2 * delta * sums->sum[t][i] + n * delta * delta;
			sums->square[t][i] = sums->square[t][i] < 0 ? 0 : sums->square[t][i]; /* NaN stays */
			sums->sum[t][i] += n * delta;
			sums->shift[t][i] = shift[t][i];
		}
#undef DELTA
}

static void
add_numbers(size_t n, const double *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

void
tlv_view_sums_merge(tlv_view_sums *sums, tlv_view_sums *other)
{
	if (sums->rows >= other->rows)
		tlv_view_sums_move(other, (const double *const *) sums->shift);
	else
		tlv_view_sums_move(sums, (const double *const *) other->shift);
	for (int t = 0; t < 3; t++)
	{
		add_numbers(sums->d[t], other->sum[t], sums->sum[t]);
		add_numbers(sums->d[t], other->square[t], sums->square[t]);
		add_numbers(sums->d[pair_first[t]] * sums->d[pair_second[t]], other->pairs[t],
					sums->pairs[t]);
	}
	add_numbers(sums->d[0] * sums->d[1] * sums->d[2], other->triples, sums->triples);
	sums->rows += other->rows;
}

/* The block behind the shifts is contiguous: one look at all of it. */
tlv_status
tlv_view_sums_require_finite(tlv_context *ctx, const tlv_view_sums *sums)
{
	size_t n = (size_t) (sums->triples - sums->shift[0]) + sums->d[0] * sums->d[1] * sums->d[2];

	for (size_t i = 0; i < n; i++)
		if (!isfinite(sums->shift[0][i]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too large for third moments");
			return tlv_fail_hint(ctx,
								 "Scale the columns, for instance to a standard deviation of 1.");
		}
	return TLV_OK;
}

tlv_status
tlv_view_sums_read(tlv_context *ctx, const tlv_frame *frame, bool with_rows, tlv_view_sums *sums)
{
	char name[TLV_FRAME_NAME_SIZE];
	size_t d[3];

	for (int t = 0; t < 3; t++)
	{
		snprintf(name, sizeof(name), "sum%d", t + 1);
		d[t] = tlv_frame_find(frame, name)->rows;
	}
	TLV_TRY(tlv_view_sums_create(ctx, d, with_rows, sums));
	sums->rows = tlv_frame_scalar(frame, "rows", 0);
	for (int t = 0; t < 3; t++)
	{
		size_t bytes = d[t] * sizeof(double);

		snprintf(name, sizeof(name), "shift%d", t + 1);
		memcpy(sums->shift[t], tlv_frame_float64(frame, name), bytes);
		snprintf(name, sizeof(name), "sum%d", t + 1);
		memcpy(sums->sum[t], tlv_frame_float64(frame, name), bytes);
		snprintf(name, sizeof(name), "square%d", t + 1);
		memcpy(sums->square[t], tlv_frame_float64(frame, name), bytes);
		memcpy(sums->pairs[t], tlv_frame_float64(frame, pair_names[t]),
			   d[pair_first[t]] * d[pair_second[t]] * sizeof(double));
	}
	memcpy(sums->triples, tlv_frame_float64(frame, "triples"), d[0] * d[1] * d[2] * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_view_sums_check(tlv_context *ctx, const size_t d[3])
{
	if (d[0] == 0 || d[1] == 0 || d[2] == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "a view has no numbers");
	if ((double) d[0] * (double) d[1] * (double) d[2] > TLV_VIEW_MOST_TRIPLES)
		return tlv_fail(ctx, TLV_CORRUPT, "the views have too many third moments");
	return TLV_OK;
}
