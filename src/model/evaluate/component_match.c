/*
 * component_match.c - assigning the components of two models (match.h).
 */
#include "tensorlv/model/match.h"

#include <math.h>

#include "tensorlv/num/optimize.h"

/* cost: ka x kb, row by row; the smaller model's components are the rows of the assignment. */
static tlv_status
assign(tlv_context *ctx, size_t ka, size_t kb, const double *cost, int64_t *assignment,
	   double *error)
{
	bool swapped = ka > kb;
	size_t less = swapped ? kb : ka, more = swapped ? ka : kb;
	double *turned = tlv_alloc(ctx, less, more * sizeof(double)), total;
	int64_t *own = tlv_alloc(ctx, less, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, turned);
	TLV_TRY_ALLOC(ctx, own);
	for (size_t i = 0; i < less; i++)
		for (size_t j = 0; j < more; j++)
			turned[i * more + j] = swapped ? cost[j * kb + i] : cost[i * kb + j];
	TLV_TRY(tlv_assignment(ctx, less, more, turned, own, &total));
	for (size_t j = 0; j < ka; j++)
	{
		assignment[j] = -1;
		error[j] = NAN;
	}
	for (size_t i = 0; i < less; i++)
	{
		size_t j = swapped ? (size_t) own[i] : i;

		assignment[j] = swapped ? (int64_t) i : own[i];
		error[j] = turned[i * more + (size_t) own[i]];
	}
	tlv_free(ctx, own);
	tlv_free(ctx, turned);
	return TLV_OK;
}

static double
squared_distance(size_t d, const double *restrict a, const double *restrict b)
{
	double sum = 0;

	for (size_t i = 0; i < d; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	return sum;
}

/* L1 distance of the probabilities of two views over all categories of either, both ascending. */
static double
category_distance(const tlv_multiview_parts *a, size_t ja, const tlv_multiview_parts *b, size_t jb,
				  int view)
{
	const int64_t *x = a->items[view], *y = b->items[view];
	const double *p = a->means[view] + ja * a->d[view], *q = b->means[view] + jb * b->d[view];
	size_t i = 0, j = 0;
	double sum = 0;

	while (i < a->d[view] || j < b->d[view])
	{
		bool in_a = i < a->d[view] && (j >= b->d[view] || x[i] <= y[j]);
		bool in_b = j < b->d[view] && (i >= a->d[view] || y[j] <= x[i]);

		sum += fabs((in_a ? p[i] : 0) - (in_b ? q[j] : 0));
		i += in_a;
		j += in_b;
	}
	return sum;
}

static double
component_distance(const tlv_multiview_parts *a, size_t i, const tlv_multiview_parts *b, size_t j)
{
	double sum = 0;

	for (int t = 0; t < 3; t++)
		if (a->items[0] != NULL)
			sum += category_distance(a, i, b, j, t) / 3;
		else
			sum += squared_distance(a->d[t], a->means[t] + i * a->d[t], b->means[t] + j * a->d[t]);
	return a->items[0] != NULL ? sum : sqrt(sum);
}

tlv_status
tlv_multiview_match(tlv_context *ctx, const tlv_multiview_parts *a, const tlv_multiview_parts *b,
					int64_t *assignment, double *error)
{
	double *cost;

	if ((a->items[0] != NULL) != (b->items[0] != NULL))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "one model is of categories, one of vectors");
	for (int t = 0; t < 3 && a->items[0] == NULL; t++)
		if (a->d[t] != b->d[t])
			return tlv_fail(ctx, TLV_BAD_PARAMETER, "view %d has %zu and %zu dimensions", t + 1,
							a->d[t], b->d[t]);
	cost = tlv_alloc(ctx, a->k, b->k * sizeof(double));
	TLV_TRY_ALLOC(ctx, cost);
	for (size_t i = 0; i < a->k; i++)
		for (size_t j = 0; j < b->k; j++)
		{
			if (j % 64 == 0)
				TLV_TRY_CONTINUE(ctx);
			cost[i * b->k + j] = component_distance(a, i, b, j);
		}
	TLV_TRY(assign(ctx, a->k, b->k, cost, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}

/* Length of a column; its numbers may be of any magnitude. */
static double
length_of(size_t d, const double *x)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < d; i++)
		largest = fmax(largest, fabs(x[i]));
	for (size_t i = 0; i < d && largest > 0; i++)
		sum += (x[i] / largest) * (x[i] / largest);
	return largest * sqrt(sum);
}

static double
direction_distance(size_t d, const double *x, double x_length, const double *y, double y_length)
{
	double minus = 0, plus = 0;

	for (size_t i = 0; i < d; i++)
	{
		double u = x_length > 0 ? x[i] / x_length : 0, v = y_length > 0 ? y[i] / y_length : 0;

		minus += (u - v) * (u - v);
		plus += (u + v) * (u + v);
	}
	return sqrt(fmin(minus, plus));
}

tlv_status
tlv_mixing_match(tlv_context *ctx, size_t d, size_t ka, const double *a, size_t kb, const double *b,
				 int64_t *assignment, double *error)
{
	double *cost = tlv_alloc(ctx, ka, kb * sizeof(double)), *lengths;

	TLV_TRY_ALLOC(ctx, cost);
	lengths = tlv_alloc(ctx, kb, sizeof(double));
	TLV_TRY_ALLOC(ctx, lengths);
	for (size_t j = 0; j < kb; j++)
		lengths[j] = length_of(d, b + j * d);
	for (size_t i = 0; i < ka; i++)
	{
		double own = length_of(d, a + i * d);

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < kb; j++)
			cost[i * kb + j] = direction_distance(d, a + i * d, own, b + j * d, lengths[j]);
	}
	TLV_TRY(assign(ctx, ka, kb, cost, assignment, error));
	tlv_free(ctx, lengths);
	tlv_free(ctx, cost);
	return TLV_OK;
}
