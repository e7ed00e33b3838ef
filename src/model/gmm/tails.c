/*
 * tails.c - would distributions of heavier tails do better than Gaussians (choose.h)?
 */
#include <math.h>

#include "choose.h"
#include "internal.h"
#include "tensorlv/model/diagnostics.h"

/* Rows that are looked at, in all and of each component; starts, and steps of each. */
#define ROWS   2000.0
#define EACH   50.0
#define STARTS 4
#define STEPS  30

static double
criterion(const tlv_mixture *mixture, double n, double log_likelihood)
{
	double parameters = tlv_mixture_parameters(mixture->k, mixture->d, mixture->covariance,
											   mixture->degrees != NULL);

	return parameters * log(n) - 2 * n * log_likelihood;
}

/* The Gaussians on the rows seen, which the others are fitted to: their criterion. */
static tlv_status
judge_gaussians(tlv_context *ctx, const tlv_gmm_sample *seen, const double *floor,
				tlv_mixture *gaussians, double *value)
{
	double likelihood, entropy;

	TLV_TRY(tlv_gmm_ascend(ctx, seen, floor, STEPS, gaussians, &likelihood, &entropy));
	*value = criterion(gaussians, (double) seen->n, likelihood);
	return TLV_OK;
}

/* The same as t distributions, one more start. */
static tlv_status
copy_with_tails(tlv_context *ctx, const tlv_mixture *gaussians, tlv_mixture *copy)
{
	TLV_TRY(tlv_mixture_create(ctx, gaussians->k, gaussians->d, gaussians->covariance, copy));
	tlv_gmm_copy(gaussians, copy);
	tlv_mixture_use_tails(copy);
	return TLV_OK;
}

tlv_status
gmm_look_at_tails(tlv_context *ctx, const gmm_evidence *evidence, const tlv_held *gaussians,
				  size_t k, gmm_tails *tails)
{
	const double *floor = tlv_frame_float64(evidence->single, "floor");
	tlv_gmm_start_options options = {.k = k,
									 .covariance = evidence->options.covariance,
									 .tails = TLV_TAILS_T,
									 .seed = evidence->options.seed,
									 .starts = STARTS,
									 .steps = STEPS};
	tlv_gmm_sample seen = evidence->sample;
	tlv_mixture stored, normal, start, fitted;
	tlv_held held = {0};
	tlv_making made;
	double other;

	seen.n = tlv_least((size_t) fmax(ROWS, EACH * (double) k), seen.n);
	tlv_gmm_read(&gaussians->frame, &stored);
	TLV_TRY(tlv_mixture_create(ctx, stored.k, stored.d, stored.covariance, &normal));
	tlv_gmm_copy(&stored, &normal);
	TLV_TRY(judge_gaussians(ctx, &seen, floor, &normal, &other));
	TLV_TRY(copy_with_tails(ctx, &normal, &start));
	if (k == normal.k)
	{
		options.given = &start;
		options.starts = 1;
	}
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &held,
						  tlv_gmm_start(ctx, &seen, floor, &options, &made.image, &made.size)));
	tlv_gmm_read(&held.frame, &fitted);
	*tails = (gmm_tails){.k = k, .degrees = TLV_MOST_DEGREES};
	for (size_t j = 0; j < k; j++)
		tails->degrees = fmin(tails->degrees, fitted.degrees[j]);
	tails->heavy = criterion(&fitted, (double) seen.n,
							 tlv_diagnostics_find(&held.frame, "sample_mean_log_likelihood",
												  -HUGE_VAL)) < other;
	tlv_mixture_free(ctx, &start);
	tlv_mixture_free(ctx, &normal);
	tlv_free(ctx, held.image);
	return TLV_OK;
}
