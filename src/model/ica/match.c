/*
 * match.c - the columns of two mixing matrices, one to one (ica.h).
 */
#include <math.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/ica.h"

/* Length of a column; its numbers may be of any magnitude. */
static double
ica_length_of(size_t d, const double *x)
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
	TLV_TRY_NEW(ctx, lengths, kb);
	for (size_t j = 0; j < kb; j++)
		lengths[j] = ica_length_of(d, b + j * d);
	for (size_t i = 0; i < ka; i++)
	{
		double own = ica_length_of(d, a + i * d);

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < kb; j++)
			cost[i * kb + j] = direction_distance(d, a + i * d, own, b + j * d, lengths[j]);
	}
	TLV_TRY(tlv_assign_components(ctx, ka, kb, cost, NAN, assignment, error));
	tlv_free(ctx, lengths);
	tlv_free(ctx, cost);
	return TLV_OK;
}
