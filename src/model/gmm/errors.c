/*
 * errors.c - estimates of mixtures, and the score of a row (errors.h).
 */
#include "internal.h"
#include "tensorlv/model/dimension_names.h"

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
