/*
 * support.c - mixtures learnt anew from parts of the rows (tensorlv/model/support.h).
 */
#include "tensorlv/model/support.h"

#include <string.h>

#include "choose.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/refusals.h"

/* Starts, and steps of each, as of a small fit. */
#define GMM_SUPPORT_STARTS 10
#define GMM_SUPPORT_STEPS  200

static size_t
sample_count(const void *fit, const tlv_frame *model)
{
	size_t d = tlv_model_dimensions(model);

	(void) fit;
	return tlv_least(TLV_SUPPORT_ROWS, TLV_SUPPORT_NUMBERS / (d > 0 ? d : 1) + 1);
}

static tlv_status
sample_rows(tlv_context *ctx, const tlv_frame *model, const tlv_frame *sample, size_t *n,
			tlv_row **rows, bool *complete)
{
	size_t d = tlv_frame_find(sample, "rows")->rows;
	double *x;

	(void) model;
	TLV_TRY(tlv_row_sample_rows(ctx, sample, n, &x));
	*complete = (double) *n >= tlv_frame_scalar(sample, "seen", 0);
	TLV_TRY_NEW(ctx, *rows, *n);
	for (size_t i = 0; i < *n; i++)
		(*rows)[i] = *TLV_AS_VECTOR(d, x + i * d);
	return TLV_OK;
}

static tlv_status
learn_part(tlv_context *ctx, const void *fit, const tlv_frame *model, size_t n, const tlv_row *rows,
		   uint64_t seed, void **image, size_t *size)
{
	tlv_gmm_start_options options = {
		.seed = seed, .starts = GMM_SUPPORT_STARTS, .steps = GMM_SUPPORT_STEPS};
	const double *floor = tlv_frame_float64(model, "floor");
	tlv_gmm_sample sample;
	tlv_mixture mixture;
	bool directions;
	size_t d, kept = 0;
	double *x, length = 1;

	(void) fit;
	tlv_gmm_read(model, &mixture);
	directions = mixture.covariance == TLV_COVARIANCE_DIRECTION;
	options.k = mixture.k;
	options.covariance = mixture.covariance;
	options.tails = mixture.degrees != NULL ? TLV_TAILS_T : TLV_TAILS_NORMAL;
	d = mixture.d;
	TLV_TRY_NEW_ROWS(ctx, x, n, d);
	for (size_t i = 0; i < n; i++)
	{
		/* a query may return others than it did */
		if (rows[i].part[0].d != d)
			return tlv_refuse_width(ctx, (size_t) rows[i].part[0].d, d);
		if (directions)
			TLV_TRY(tlv_directions_row(ctx, d, rows[i].part[0].float64, x + kept * d, &length));
		else
			memcpy(x + kept * d, rows[i].part[0].float64, d * sizeof(double));
		kept += length > 0;
	}
	if (directions)
		TLV_TRY(gmm_direction_floor(ctx, d, &floor));
	TLV_TRY(tlv_gmm_sample_open(ctx, kept, d, x, directions, seed, &sample));
	return tlv_gmm_start(ctx, &sample, floor, &options, image, size);
}

const tlv_support_class gmm_support = {
	"component",  "spurious_component", &tlv_aggregate_row_sample,
	sample_count, sample_rows,			learn_part};
