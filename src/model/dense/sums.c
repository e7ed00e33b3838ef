/*
 * sums.c - sums of powers of vectors about a point (sums.h).
 */
#include "sums.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"
#include "tensorlv/num/tensor4.h"
#include "tensorlv/num/numbers.h"

/* The sum over 10^15 rows of the highest power stays below 10^303. */
double
dense_sums_reach(int order)
{
	return order == 2 ? 1e140 : order == 3 ? 1e95 : 1e72;
}

tlv_status
dense_sums_init(tlv_context *ctx, dense_sums *sums, size_t d, int order)
{
	size_t square = d * d, cubes = order >= 3 ? tlv_packed3_size(d) : 0;
	size_t fourths = order >= 4 ? tlv_packed4_size(d) : 0;

	memset(sums, 0, sizeof(*sums));
	TLV_TRY_NEW0(ctx, sums->sum1, d + square + cubes + fourths);
	sums->d = d;
	sums->order = order;
	sums->sum2 = sums->sum1 + d;
	sums->sum3 = order >= 3 ? sums->sum2 + square : NULL;
	sums->sum4 = order >= 4 ? sums->sum3 + cubes : NULL;
	return TLV_OK;
}

void
dense_sums_free(tlv_context *ctx, dense_sums *sums)
{
	tlv_free(ctx, sums->sum1);
	tlv_free(ctx, sums->block);
	tlv_free(ctx, sums->weights);
	tlv_free(ctx, sums->work);
	memset(sums, 0, sizeof(*sums));
}

/* ---- rows ---- */

tlv_status
dense_block_grow(tlv_context *ctx, size_t d, double **block, size_t *room)
{
	size_t rows = *room == 0 ? 1 : 2 * *room;
	double *grown = tlv_realloc(ctx, *block, rows * d, sizeof(double));

	TLV_TRY_ALLOC(ctx, grown);
	*block = grown;
	*room = rows;
	return TLV_OK;
}

tlv_status
dense_sums_next(tlv_context *ctx, dense_sums *sums, double **row)
{
	if (sums->block_rows == sums->block_room)
	{
		if (sums->block_room < TLV_BLOCK_ROWS)
			TLV_TRY(dense_block_grow(ctx, sums->d, &sums->block, &sums->block_room));
		else
			TLV_TRY(dense_sums_flush(ctx, sums));
	}
	tlv_assert(sums->block_rows < sums->block_room);
	*row = sums->block + sums->block_rows * sums->d;
	return TLV_OK;
}

TLV_CLONES static void
add_rows(size_t d, size_t rows, const double *restrict block, double *restrict sum1)
{
	for (size_t t = 0; t < rows; t++)
		for (size_t j = 0; j < d; j++)
			sum1[j] += block[t * d + j];
}

tlv_status
dense_sums_weigh(tlv_context *ctx, dense_sums *sums, double weight)
{
	if (sums->weights == NULL && weight == 1)
		return TLV_OK;
	if (sums->weights == NULL)
	{
		TLV_TRY_NEW(ctx, sums->weights, TLV_BLOCK_ROWS);
		for (size_t t = 0; t < TLV_BLOCK_ROWS; t++)
			sums->weights[t] = 1;
	}
	sums->weights[sums->block_rows] = weight;
	return TLV_OK;
}

/* The block's rows times their weights, in sum1, and then times the roots of these, whose products
 * are weighted. */
static void
weigh_block(dense_sums *sums)
{
	for (size_t t = 0; t < sums->block_rows; t++)
	{
		double *row = sums->block + t * sums->d, root = sqrt(sums->weights[t]);

		for (size_t j = 0; j < sums->d; j++)
		{
			sums->sum1[j] += sums->weights[t] * row[j];
			row[j] *= root;
		}
	}
}

static double
block_weight(const dense_sums *sums)
{
	double sum = 0;

	if (sums->weights == NULL)
		return (double) sums->block_rows;
	for (size_t t = 0; t < sums->block_rows; t++)
		sum += sums->weights[t];
	return sum;
}

static tlv_status
make_work(tlv_context *ctx, dense_sums *sums)
{
	size_t third = tlv_tensor3_work(sums->d, TLV_BLOCK_ROWS);
	size_t fourth = sums->order >= 4 ? tlv_tensor4_work(sums->d) : 0;

	TLV_TRY_NEW(ctx, sums->work, third > fourth ? third : fourth);
	return TLV_OK;
}

/* Work space stays only where full blocks come: it is larger than the sums of a small group. */
tlv_status
dense_sums_flush(tlv_context *ctx, dense_sums *sums)
{
	size_t d = sums->d, rows = sums->block_rows;
	bool full = rows == TLV_BLOCK_ROWS;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY_CONTINUE(ctx);
	if (sums->order >= 3 && sums->work == NULL)
		TLV_TRY(make_work(ctx, sums));
	if (sums->order >= 3)
		tlv_packed3_add_cubes(d, rows, sums->block, sums->weights, sums->sum3, sums->work);
	if (sums->weights != NULL)
		weigh_block(sums);
	else
		add_rows(d, rows, sums->block, sums->sum1);
	TLV_TRY(tlv_syrk(ctx, false, d, rows, 1, sums->block, d, 1, sums->sum2, d, false));
	if (sums->order >= 4)
		TLV_TRY(tlv_packed4_add_fourths(ctx, d, rows, sums->block, sums->sum4, sums->work));
	sums->rows += block_weight(sums);
	sums->block_rows = 0;
	if (!full)
	{
		tlv_free(ctx, sums->work);
		sums->work = NULL;
	}
	return TLV_OK;
}

/* Branch-free: the usual row has nothing to say. */
TLV_CLONES static bool
shift_row(size_t d, double reach, const double *restrict x, const double *restrict shift,
		  double *restrict row)
{
	bool within = true;

	for (size_t j = 0; j < d; j++)
	{
		row[j] = x[j] - shift[j];
		within &= fabs(row[j]) <= reach; /* NaN is not */
	}
	return within;
}

tlv_status
dense_sums_shift(tlv_context *ctx, int order, size_t d, const double *x, const double *shift,
				 double *row)
{
	double reach = dense_sums_reach(order);
	size_t j = 0;

	if (shift_row(d, reach, x, shift, row))
		return TLV_OK;
	while (j + 1 < d && fabs(row[j]) <= reach)
		j++;
	if (!isfinite(x[j]))
		return tlv_refuse_element(ctx, j, x[j]);
	tlv_fail(ctx, TLV_BAD_DATA,
			 "element %zu of a vector is %g, %g from the point that moments are taken "
			 "about: its power of order %d would overflow",
			 j + 1, x[j], row[j], order);
	return tlv_fail_hint(ctx, "Divide this element by a constant in all rows.");
}

/* ---- another point ---- */

static void
mirror(size_t d, double *square)
{
	for (size_t j = 0; j < d; j++)
		for (size_t i = j + 1; i < d; i++)
			square[j + d * i] = square[i + d * j];
}

/* sum3 += the terms with delta of the sum of (y + delta)^(x)3; sum2 is full. */
TLV_CLONES static void
translate3(size_t d, double n, const double *restrict delta, const double *restrict sum1,
		   const double *restrict sum2, double *restrict sum3)
{
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			const double *restrict at_a = sum2 + d * a, *restrict at_b = sum2 + d * b;
			double da = delta[a], db = delta[b], dab = da * db;
			double fixed = at_a[b] + sum1[a] * db + sum1[b] * da + n * dab;

			for (size_t c = 0; c <= b; c++)
				sum3[c] += fixed * delta[c] + at_a[c] * db + at_b[c] * da + sum1[c] * dab;
			sum3 += b + 1;
		}
}

TLV_CLONES static void
translate2(size_t d, double n, const double *restrict delta, const double *restrict sum1,
		   double *restrict sum2)
{
	for (size_t j = 0; j < d; j++)
	{
		double dj = delta[j], fixed = sum1[j] + n * dj;

		for (size_t i = j; i < d; i++)
			sum2[i + d * j] += fixed * delta[i] + sum1[i] * dj;
		/* rounding; NaN stays, and so do sums that are to be taken out */
		sum2[j + d * j] = n > 0 && sum2[j + d * j] < 0 ? 0 : sum2[j + d * j];
	}
}

/* From the highest order down: each needs the lower ones as they were. */
void
dense_sums_translate(dense_sums *sums, const double *delta)
{
	size_t d = sums->d;
	bool moves = false;

	for (size_t j = 0; j < d; j++)
		moves |= delta[j] != 0;
	if (!moves)
		return;
	if (sums->order >= 3)
		mirror(d, sums->sum2);
	if (sums->order >= 4)
		tlv_packed4_translate(d, sums->rows, delta, sums->sum1, sums->sum2, sums->sum3, sums->sum4);
	if (sums->order >= 3)
		translate3(d, sums->rows, delta, sums->sum1, sums->sum2, sums->sum3);
	translate2(d, sums->rows, delta, sums->sum1, sums->sum2);
	for (size_t j = 0; j < d; j++)
		sums->sum1[j] += sums->rows * delta[j];
}

void
dense_sums_add(dense_sums *sums, const dense_sums *other)
{
	size_t d = sums->d, count = d + d * d;

	count += sums->order >= 3 ? tlv_packed3_size(d) : 0;
	count += sums->order >= 4 ? tlv_packed4_size(d) : 0;
	for (size_t i = 0; i < count; i++)
		sums->sum1[i] += other->sum1[i];
	sums->rows += other->rows;
}

/* ---- sections ---- */

/* What is within reach of every shift cannot overflow; a chain of merges far apart might. */
tlv_status
dense_sums_require_finite(tlv_context *ctx, const dense_sums *sums)
{
	size_t d = sums->d, count = d + d * d;
	double sum = 0;

	count += sums->order >= 3 ? tlv_packed3_size(d) : 0;
	count += sums->order >= 4 ? tlv_packed4_size(d) : 0;
	for (size_t i = 0; i < count; i++)
		sum += sums->sum1[i] * 0;
	if (sum != 0) /* infinity or NaN times zero */
	{
		tlv_fail(ctx, TLV_BAD_DATA, "sums of powers of order %d overflow", sums->order);
		return tlv_fail_hint(ctx, "Divide all vectors by a constant.");
	}
	return TLV_OK;
}

tlv_status
dense_sums_read(tlv_context *ctx, const tlv_frame *frame, dense_sums *sums)
{
	int order = (int) tlv_frame_scalar(frame, "order", 2);
	size_t d = tlv_frame_find(frame, "sum1")->rows;

	TLV_TRY(dense_sums_init(ctx, sums, d, order));
	memcpy(sums->sum1, tlv_frame_float64(frame, "sum1"), d * sizeof(double));
	tlv_packed2_unpack(d, tlv_frame_float64(frame, "sum2"), sums->sum2);
	if (order >= 3)
		memcpy(sums->sum3, tlv_frame_float64(frame, "sum3"), tlv_packed3_size(d) * sizeof(double));
	if (order >= 4)
		memcpy(sums->sum4, tlv_frame_float64(frame, "sum4"), tlv_packed4_size(d) * sizeof(double));
	sums->rows = tlv_frame_scalar(frame, "rows", 0);
	return TLV_OK;
}

tlv_status
dense_sums_check(tlv_context *ctx, const tlv_frame *frame, size_t d)
{
	double order = tlv_frame_scalar(frame, "order", 0), rows = tlv_frame_scalar(frame, "rows", -1);
	const double *sum2;

	if (order < 2 || order > 4)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"order\" is %g, not 2, 3 or 4", order);
	if (d > (order == 2 ? TLV_DENSE_MOST_2 : order == 3 ? TLV_DENSE_MOST_3 : TLV_DENSE_MOST_4))
		return tlv_fail(ctx, TLV_CORRUPT, "dimension %zu is too large for order %g", d, order);
	TLV_TRY(tlv_frame_require(ctx, frame, "sum3", TLV_FLOAT64, order >= 3 ? tlv_packed3_size(d) : 0,
							  1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "sum4", TLV_FLOAT64, order >= 4 ? tlv_packed4_size(d) : 0,
							  1, NULL));
	sum2 = tlv_frame_float64(frame, "sum2");
	for (size_t j = 0; j < d; j++)
		if (sum2[tlv_packed2_index(j, j)] < 0)
			return tlv_fail(ctx, TLV_CORRUPT, "the sum of squares of element %zu is negative",
							j + 1);
	if (rows == 0)
		for (size_t j = 0; j < d; j++)
			if (sum2[tlv_packed2_index(j, j)] != 0)
				return tlv_fail(ctx, TLV_CORRUPT, "no rows, but their sums are not zero");
	return TLV_OK;
}
