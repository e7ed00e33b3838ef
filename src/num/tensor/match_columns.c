/*
 * match_columns.c - which columns of two matrices belong together (match_columns.h).
 */
#include "tensorlv/num/match_columns.h"

#include <math.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"

/* cosine (k x k, column-major): of column t of b with column s of a at s k + t. */
static tlv_status
find_cosines(tlv_context *ctx, size_t n, size_t k, const double *a, const double *b, double *cosine)
{
	double *length;

	TLV_TRY_NEW0_ROWS(ctx, length, k, 2);
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t h = 0; h < k; h++)
		{
			length[h] += a[i * k + h] * a[i * k + h];
			length[k + h] += b[i * k + h] * b[i * k + h];
		}
	}
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, b, k, a, k, 0, cosine, k));
	for (size_t s = 0; s < k; s++)
		for (size_t t = 0; t < k; t++)
		{
			double scale = sqrt(length[s]) * sqrt(length[k + t]);

			cosine[s * k + t] = scale > 0 ? cosine[s * k + t] / scale : 0;
		}
	tlv_free(ctx, length);
	return TLV_OK;
}

tlv_status
tlv_match_columns(tlv_context *ctx, size_t n, size_t k, const double *a, const double *b,
				  int64_t *partner)
{
	double *cosine, total;

	TLV_TRY_NEW_ROWS(ctx, cosine, k, k);
	TLV_TRY(find_cosines(ctx, n, k, a, b, cosine));
	for (size_t i = 0; i < k * k; i++)
		cosine[i] = 1 - cosine[i];
	TLV_TRY(tlv_assignment(ctx, k, k, cosine, partner, &total));
	tlv_free(ctx, cosine);
	return TLV_OK;
}
