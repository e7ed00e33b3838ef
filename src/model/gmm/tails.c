/*
 * tails.c - would distributions of heavier tails do better than Gaussians (choose.h)?
 */
#include <math.h>

#include "choose.h"
#include "internal.h"
#include "tensorlv/model/diagnostics.h"

/* Rows that are looked at of each component; starts, and steps of each; steps between
 * two looks at what they gain. */
#define GMM_TAILS_EACH	 50.0
#define GMM_TAILS_STARTS 4
#define GMM_TAILS_STEPS	 30
#define LOOK			 5

static double
criterion(const tlv_mixture *mixture, double n, double log_likelihood)
{
	double parameters = tlv_mixture_parameters(mixture->k, mixture->d, mixture->covariance,
											   mixture->degrees != NULL);

	return parameters * log(n) - 2 * n * log_likelihood;
}

/* What t distributions of that likelihood say beside the criterion of the Gaussians. */
static void
gmm_judge(const tlv_mixture *fitted, double n, double log_likelihood, double other,
		  gmm_tails *tails)
{
	for (size_t j = 0; j < fitted->k; j++)
		tails->degrees = fmin(tails->degrees, fitted->degrees[j]);
	tails->heavy = criterion(fitted, n, log_likelihood) < other;
}

/* The Gaussians on the rows seen, which the others are fitted to: their criterion. */
static tlv_status
judge_gaussians(tlv_context *ctx, const tlv_gmm_sample *seen, const double *floor,
				tlv_mixture *gaussians, double *value)
{
	double likelihood, entropy;

	TLV_TRY(tlv_gmm_ascend(ctx, seen, floor, GMM_TAILS_STEPS, gaussians, &likelihood, &entropy));
	*value = criterion(gaussians, (double) seen->n, likelihood);
	return TLV_OK;
}

/*
 * As many t distributions, from the Gaussians, on the rows seen: up to GMM_TAILS_STEPS steps, fewer
 * where these cannot reach the likelihood `enough` even if they go on to gain as much as the last,
 * or where they are past it and gain little more.
 */
static tlv_status
gmm_climb(tlv_context *ctx, const tlv_gmm_sample *seen, const double *floor, double enough,
		  tlv_mixture *mixture, double *likelihood)
{
	/* Of what is gained beyond the Gaussians; so little more does not matter. */
	const double little = 0.05;
	double before = -HUGE_VAL, entropy;

	for (int left = GMM_TAILS_STEPS - LOOK; left >= 0; left -= LOOK)
	{
		double gain;

		TLV_TRY(tlv_gmm_ascend(ctx, seen, floor, LOOK, mixture, likelihood, &entropy));
		gain = *likelihood - before; /* at first: infinite */
		if (*likelihood + gain * left / LOOK < enough || gain < little * (*likelihood - enough))
			return TLV_OK;
		before = *likelihood;
	}
	return TLV_OK;
}

/* The same number of t distributions, from the Gaussians. */
static tlv_status
judge_same(tlv_context *ctx, const tlv_gmm_sample *seen, const double *floor,
		   const tlv_mixture *gaussians, double other, gmm_tails *tails)
{
	double n = (double) seen->n, likelihood;
	tlv_mixture mixture;

	TLV_TRY(tlv_mixture_create(ctx, gaussians->k, gaussians->d, gaussians->covariance, &mixture));
	tlv_gmm_copy(gaussians, &mixture);
	tlv_mixture_use_tails(&mixture);
	TLV_TRY(gmm_climb(ctx, seen, floor, (criterion(&mixture, n, 0) - other) / (2 * n), &mixture,
					  &likelihood));
	gmm_judge(&mixture, n, likelihood, other, tails);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

/* Another number of t distributions: by starts of their own. */
static tlv_status
judge_others(tlv_context *ctx, const gmm_evidence *evidence, const tlv_gmm_sample *seen,
			 const double *floor, double other, gmm_tails *tails)
{
	const tlv_gmm_start_options options = {.k = tails->k,
										   .covariance = evidence->options.covariance,
										   .tails = TLV_TAILS_T,
										   .seed = evidence->options.seed,
										   .starts = GMM_TAILS_STARTS,
										   .steps = GMM_TAILS_STEPS};
	tlv_mixture fitted;
	tlv_held held = {0};
	tlv_making made;

	tlv_make(ctx, &made);
	TLV_TRY(tlv_made(ctx, &made, &held,
					 tlv_gmm_start(ctx, seen, floor, &options, &made.image, &made.size)));
	tlv_gmm_read(&held.frame, &fitted);
	gmm_judge(&fitted, (double) seen->n,
			  tlv_diagnostics_find(&held.frame, "sample_mean_log_likelihood", -HUGE_VAL), other,
			  tails);
	tlv_free(ctx, held.image);
	return TLV_OK;
}

tlv_status
gmm_look_at_tails(tlv_context *ctx, const gmm_evidence *evidence, const tlv_held *gaussians,
				  size_t k, gmm_tails *tails)
{
	const double *floor = evidence->floor;
	tlv_gmm_sample seen = evidence->sample;
	tlv_mixture stored, normal;
	double other;

	seen.n = tlv_least((size_t) fmax(GMM_COMPARED_ROWS, GMM_TAILS_EACH * (double) k), seen.n);
	tlv_gmm_read(&gaussians->frame, &stored);
	TLV_TRY(tlv_mixture_create(ctx, stored.k, stored.d, stored.covariance, &normal));
	tlv_gmm_copy(&stored, &normal);
	TLV_TRY(judge_gaussians(ctx, &seen, floor, &normal, &other));
	*tails = (gmm_tails){.k = k, .degrees = TLV_MOST_DEGREES};
	TLV_TRY(k == normal.k ? judge_same(ctx, &seen, floor, &normal, other, tails)
						  : judge_others(ctx, evidence, &seen, floor, other, tails));
	tlv_mixture_free(ctx, &normal);
	return TLV_OK;
}
