/*
 * scale.c - positions of components in a map by classical scaling (page.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* Minus half the squared distances, with the means of rows and columns taken out. */
static void
centre_squares(size_t n, const double *distance, double *gram, double *mean)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
	{
		mean[i] = 0;
		for (size_t j = 0; j < n; j++)
			mean[i] += distance[i * n + j] * distance[i * n + j] / (double) n;
		all += mean[i] / (double) n;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			gram[i * n + j] =
				-0.5 * (distance[i * n + j] * distance[i * n + j] - mean[i] - mean[j] + all);
}

tlv_status
tlv_page_scale(tlv_context *ctx, size_t n, const double *distance, double *positions,
			   double *explained, bool *possible)
{
	double *gram, *values, positive = 0, shown = 0;

	memset(positions, 0, 2 * n * sizeof(double));
	*explained = 1;
	*possible = true;
	for (size_t i = 0; i < n * n; i++)
		*possible = *possible && isfinite(distance[i]);
	if (n < 2 || !*possible)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, gram, n, n);
	TLV_TRY_NEW(ctx, values, n);
	centre_squares(n, distance, gram, values);
	TLV_TRY(tlv_eigen_symmetric(ctx, n, gram, values));
	for (size_t j = 0; j < n && values[j] > 0; j++)
		positive += values[j];
	for (size_t j = 0; j < 2 && values[j] > 0; j++)
	{
		shown += values[j];
		for (size_t i = 0; i < n; i++)
			positions[2 * i + j] = gram[j * n + i] * sqrt(values[j]);
	}
	*explained = positive > 0 ? shown / positive : 1;
	tlv_free(ctx, gram);
	tlv_free(ctx, values);
	return TLV_OK;
}
