/*
 * rows.c - rows that wait for a block of expectation (mixture.h).
 */
#include "tensorlv/model/mixture.h"

tlv_status
tlv_mixture_rows_next(tlv_context *ctx, tlv_mixture_rows *rows, size_t d, double **row)
{
	if (rows->x == NULL)
		TLV_TRY_NEW_ROWS(ctx, rows->x, d, TLV_MIXTURE_BLOCK);
	*row = rows->x + rows->n * d;
	return TLV_OK;
}

tlv_status
tlv_mixture_rows_added(tlv_context *ctx, tlv_mixture_rows *rows, double weight,
					   tlv_mixture_worker *worker, tlv_mixture_sums *sums)
{
	rows->weighted |= weight != 1;
	rows->weights[rows->n] = weight;
	return ++rows->n == TLV_MIXTURE_BLOCK ? tlv_mixture_rows_flush(ctx, rows, worker, sums)
										  : TLV_OK;
}

tlv_status
tlv_mixture_rows_flush(tlv_context *ctx, tlv_mixture_rows *rows, tlv_mixture_worker *worker,
					   tlv_mixture_sums *sums)
{
	size_t n = rows->n;
	tlv_status status;

	rows->n = 0;
	if (n == 0)
		return TLV_OK;
	worker->weights = rows->weighted ? rows->weights : NULL;
	status = tlv_mixture_expect(ctx, worker, n, rows->x, sums);
	worker->weights = NULL;
	return status;
}
