/*
 * drift.c - weights and means of components in new rows (drift.h).
 */
#include "internal.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/num/linalg.h"

/* n (x - mu)' S^-1 (x - mu): shift is x - mu, work d x d and d. */
static tlv_status
mean_statistic(tlv_context *ctx, const tlv_mixture *own, size_t j, double rows, const double *shift,
			   double *work, double *statistic)
{
	size_t d = own->d, each = tlv_mixture_variances(d, own->covariance);
	const double *variances = own->variances + j * each;
	double *solved = work + d * d;

	*statistic = 0;
	for (size_t i = 0; i < d; i++)
		solved[i] = shift[i] / (each == 1 ? variances[0] : each == d ? variances[i] : 1);
	if (tlv_is_matrix(own->covariance))
	{
		tlv_packed2_unpack(d, variances, work);
		for (size_t i = 0; i < d; i++)
			solved[i] = shift[i];
		TLV_TRY(tlv_solve_spd(ctx, d, 1, work, solved));
	}
	for (size_t i = 0; i < d; i++)
		*statistic += rows * shift[i] * solved[i];
	return TLV_OK;
}

tlv_status
tlv_gmm_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  tlv_drift *drift)
{
	const double *responsibilities = NULL, *sums = NULL, *center = NULL;
	double *work, *shift, value;
	tlv_mixture own;
	size_t d;

	tlv_gmm_read(model, &own);
	d = own.d;
	TLV_TRY(tlv_frame_require(ctx, statistics, "responsibilities", TLV_FLOAT64, own.k, 1,
							  (const void **) &responsibilities));
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "sums", TLV_FLOAT64, d, own.k, (const void **) &sums));
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "center", TLV_FLOAT64, d, 1, (const void **) &center));
	TLV_TRY(tlv_drift_counts(ctx, drift, "weights", 0, own.k, 1, responsibilities, own.weights));
	TLV_TRY_NEW_ROWS(ctx, work, d, d + 2);
	shift = work + d * d + d;
	for (size_t j = 0; j < own.k && own.degrees == NULL; j++)
	{
		double rows = responsibilities[j];

		if (!(rows > 1))
			continue;
		for (size_t i = 0; i < d; i++)
			shift[i] = center[i] + sums[j * d + i] / rows - own.means[j * d + i];
		TLV_TRY(mean_statistic(ctx, &own, j, rows, shift, work, &value));
		TLV_TRY(tlv_drift_add(ctx, drift, "means", j + 1, value, (double) d));
	}
	tlv_free(ctx, work);
	return TLV_OK;
}
