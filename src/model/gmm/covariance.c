/*
 * covariance.c - which covariance the components have, where it is not said: the least criterion
 * over covariances, as well as over k, found on some rows of the sample (choose.h).
 *
 * What distinguishes covariances shows on few rows, by few starts of 1, 2, ... components each.
 */
#include <math.h>
#include <string.h>

#include "choose.h"
#include "internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/linalg.h"

/* Rows that are looked at: of each component, and of each component and dimension. */
#define GMM_COVARIANCE_EACH 20.0
#define EACH_DIMENSION		10.0
/* Starts, and steps of each. */
#define GMM_COVARIANCE_STARTS 5
#define GMM_COVARIANCE_STEPS  25

/* The rows, and what is known so far. */
typedef struct gmm_screen
{
	const gmm_evidence *evidence;
	const double *floor;
	tlv_gmm_sample seen;   /* the rows that mixtures are fitted to */
	tlv_gmm_sample others; /* as many that they have not seen; n = 0: there are none */
	int rises;			   /* of the criterion in a row, after which a covariance is given up */
	gmm_covariances *found;
} gmm_screen;

static void
screen_begin(const gmm_evidence *evidence, size_t k, gmm_covariances *found, gmm_screen *screen)
{
	/* Of a sample that is hardly larger, all. */
	const double most_of = 0.6;
	const tlv_gmm_sample *sample = &evidence->sample;
	double d = (double) sample->d, wanted;

	wanted = fmax(GMM_COMPARED_ROWS, fmax(GMM_COVARIANCE_EACH, EACH_DIMENSION * d) * (double) k);
	*screen = (gmm_screen){.evidence = evidence,
						   .floor = evidence->floor,
						   .seen = *sample,
						   .others = {.d = sample->d, .center = sample->center},
						   .rises = gmm_most_rises(evidence),
						   .found = found};
	if (wanted < most_of * (double) sample->n)
	{
		screen->seen.n = (size_t) wanted;
		screen->others.n = tlv_least(screen->seen.n, sample->n - screen->seen.n);
		screen->others.rows = sample->rows + screen->seen.n * sample->d;
	}
	found->rows = screen->seen.n;
	found->best = TLV_COVARIANCE_SPHERICAL;
	for (int c = 0; c < TLV_COVARIANCES; c++)
		found->least[c] = NAN;
}

/*
 * What the criterion on the whole sample would be.  Fitted parameters overrate the rows that they
 * have seen as much as they underrate others; the whole sample, too, overrates by half a nat each.
 * Of a few rows at the floor of variances any likelihood can be had, which counts as none.
 */
static tlv_status
screen_score(tlv_context *ctx, gmm_screen *screen, tlv_mixture *mixture, double *score)
{
	double n = (double) screen->evidence->sample.n, likelihood, other, entropy, more = 0;
	double parameters = tlv_mixture_parameters(mixture->k, mixture->d, mixture->covariance,
											   mixture->degrees != NULL);
	bool degenerate;

	TLV_TRY(tlv_gmm_ascend(ctx, &screen->seen, screen->floor, 0, mixture, &likelihood, &entropy));
	*score = parameters * log(n) - 2 * n * likelihood;
	if (screen->others.n > 0)
	{
		TLV_TRY(tlv_gmm_ascend(ctx, &screen->others, screen->floor, 0, mixture, &other, &more));
		entropy = (entropy + more) / 2;
		*score = parameters * (log(n) - 1) - n * (likelihood + other);
	}
	if (screen->evidence->groups)
		*score += 2 * n * entropy;
	TLV_TRY(gmm_is_degenerate(ctx, screen->floor, mixture, (double) screen->seen.n, &degenerate));
	if (degenerate)
		*score = HUGE_VAL;
	return TLV_OK;
}

/* The criterion of k components, by the best of some starts, of those made from the mixture of one
 * component fewer (held; the best takes its place) and of the fit to the moments of all rows:
 * clusters of few rows in many dimensions end in different optima for different covariances,
 * which would decide between them. */
static tlv_status
screen_start(tlv_context *ctx, gmm_screen *screen, size_t k, tlv_covariance covariance,
			 tlv_held *fewer, double *bic)
{
	gmm_evidence evidence = *screen->evidence;
	tlv_gmm_start_options options = {.k = k,
									 .covariance = covariance,
									 .tails = screen->evidence->options.tails,
									 .seed = screen->evidence->options.seed,
									 .starts = k == 1 ? 1 : GMM_COVARIANCE_STARTS,
									 .steps = GMM_COVARIANCE_STEPS};
	tlv_held held = {0};
	gmm_start moments = {0};
	tlv_mixture mixture, given, next;
	tlv_making made;

	TLV_TRY_CONTINUE(ctx);
	if (fewer->image != NULL)
	{
		tlv_gmm_read(&fewer->frame, &next);
		options.next = &next;
	}
	evidence.options.covariance = covariance;
	if (k > 1)
		TLV_TRY(gmm_start_fit(ctx, &evidence, k, &moments));
	if (moments.fitted.image != NULL)
	{
		tlv_gmm_read(&moments.fitted.frame, &given);
		options.given = &given;
	}
	TLV_TRY(TLV_MAKE(
		ctx, &made, &held,
		tlv_gmm_start(ctx, &screen->seen, screen->floor, &options, &made.image, &made.size)));
	tlv_gmm_read(&held.frame, &mixture);
	TLV_TRY(screen_score(ctx, screen, &mixture, bic));
	tlv_free(ctx, fewer->image);
	*fewer = held;
	gmm_start_free(ctx, &moments);
	return TLV_OK;
}

/* The least criterion of least .. most components, and its number of these. */
static tlv_status
screen_path(tlv_context *ctx, gmm_screen *screen, size_t least, size_t most,
			tlv_covariance covariance, size_t *best)
{
	double *known = &screen->found->least[covariance], before = HUGE_VAL, bic = HUGE_VAL;
	tlv_held fewer = {0};
	int rises = 0;

	*best = least;
	for (size_t k = least; k <= most && k <= screen->seen.n && rises < screen->rises; k++)
	{
		TLV_TRY(screen_start(ctx, screen, k, covariance, &fewer, &bic));
		rises = bic < before ? 0 : rises + 1;
		before = bic;
		if (!(bic >= *known))
		{
			*known = bic;
			*best = k;
		}
	}
	tlv_free(ctx, fewer.image);
	return TLV_OK;
}

/* ---- all of it ---- */

tlv_status
gmm_choose_covariance(tlv_context *ctx, const gmm_evidence *evidence, size_t k, size_t max_k,
					  gmm_covariances *found)
{
	static const tlv_covariance others[] = {TLV_COVARIANCE_DIAGONAL, TLV_COVARIANCE_FULL,
											TLV_COVARIANCE_TIED};
	size_t least = k > 0 ? k : 1, most = k > 0 ? k : max_k, spherical, best;
	gmm_screen screen;

	screen_begin(evidence, most, found, &screen);
	TLV_TRY(screen_path(ctx, &screen, least, most, TLV_COVARIANCE_SPHERICAL, &spherical));
	/* One variance for all has fewer parameters, and as many components as spherical ones or more.
	 */
	TLV_TRY(screen_path(ctx, &screen, spherical, most, TLV_COVARIANCE_COMMON, &best));
	for (size_t i = 0; i < 3 && evidence->d > 1; i++) /* of one dimension they are all the same */
		TLV_TRY(screen_path(ctx, &screen, least, most, others[i], &best));
	for (int c = 0; c < TLV_COVARIANCES; c++)
		if (found->least[c] < found->least[found->best])
			found->best = (tlv_covariance) c;
	return TLV_OK;
}
