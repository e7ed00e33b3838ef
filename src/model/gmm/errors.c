/*
 * errors.c - estimates of mixtures, and the score of a row (errors.h).
 */
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/num/linalg.h"

tlv_status
tlv_gmm_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_mixture own;
	tlv_mixture_listing listing = {.mixture = &own,
								   .floor = tlv_frame_float64(model, "floor"),
								   .rows = tlv_frame_scalar(model, "rows", 0),
								   .names = tlv_dimension_names(model),
								   .list = list};

	tlv_gmm_read(model, &own);
	listing.student = own.covariance != TLV_COVARIANCE_DIRECTION;
	/* A fit to moments alone is no mode: how far it is from one is part of its errors. */
	listing.penalised = listing.student && !tlv_is_shared(own.covariance) &&
						(tlv_frame_scalar(model, "steps", 0) > 0 ||
						 tlv_diagnostics_find(model, "sample_steps", 0) > 0);
	listing.whole = tlv_mixture_parameters(own.k, own.d, own.covariance, own.degrees != NULL) <
					TLV_SCORES_MOST_BLOCK;
	if (own.covariance == TLV_COVARIANCE_DIRECTION) /* the largest of a mean is listed, too */
		listing.whole = (double) own.k * (double) (own.d + 2) <= TLV_SCORES_MOST_BLOCK;
	TLV_TRY(tlv_mixture_list_weights(ctx, &listing));
	return tlv_mixture_list_components(ctx, &listing);
}

tlv_status
tlv_gmm_score(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_score_sink *sink)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	const tlv_mixture *own = &gmm->mixture;
	const double *x = own->covariance == TLV_COVARIANCE_DIRECTION ? gmm->row : row->part[0].float64;
	double *scores, *counts, length;

	TLV_TRY(tlv_gmm_row(ctx, gmm, row->part[0].d, row->part[0].float64, gmm->row, &length));
	if (length == 0) /* the fit left it out, too */
		return TLV_OK;
	TLV_TRY(tlv_mixture_expect(ctx, &gmm->worker, 1, gmm->row, NULL));
	if (gmm->scorer.mixture == NULL)
		TLV_TRY(tlv_mixture_scorer_open(ctx, own, &gmm->scorer));
	TLV_TRY(tlv_scores_next(ctx, sink, 1, &scores, &counts));
	for (size_t j = 0; j < own->k; j++)
	{
		double share = gmm->worker.shares[j * TLV_MIXTURE_BLOCK];

		scores[j] = share - own->weights[j];
		counts[j] += 1;
		tlv_mixture_score(&gmm->scorer, j, share, x, scores + own->k);
	}
	return TLV_OK;
}

tlv_status
tlv_gmm_redraw(tlv_context *ctx, const tlv_frame *model, const double *values, void **image,
			   size_t *size)
{
	tlv_mixture own;
	tlv_frame copy;

	TLV_TRY(tlv_frame_copy(ctx, model, image, size));
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &copy));
	tlv_gmm_read(&copy, &own);
	tlv_draw_shares(own.k, values, own.weights, 1);
	return tlv_mixture_redraw(ctx, values + own.k, &own);
}

/* ---- tests of new rows ---- */

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
