/*
 * choose.c - starts of mixtures of Gaussians, and how many components (choose.h).
 */
#include "choose.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/diagnostics.h"

/* Starts from the sample; fewer of full covariances of few rows, and of many components, which cost
 * most; more of spherical components of many rows, where they cost least. */
#define GMM_CHOOSE_STARTS 20
#define STARTS_FEWER	  12
#define STARTS_MORE		  40
#define GMM_CHOOSE_LARGE  5000 /* rows */

/* Rows of the sample: at least and at most, of each component at least, and what n d k (full:
 * n d^2 k) shall not exceed. */
#define SAMPLE_LEAST  2000.0
#define SAMPLE_MOST	  20000.0
#define SAMPLE_EACH	  20.0
#define SAMPLE_EFFORT 5e8

void
gmm_start_free(tlv_context *ctx, gmm_start *start)
{
	tlv_free(ctx, start->fitted.image);
	tlv_free(ctx, start->sampled.image);
	memset(start, 0, sizeof(*start));
}

/* ---- fits to the moments ---- */

static tlv_status
fit_to(tlv_context *ctx, const gmm_evidence *evidence, const tlv_frame *moments, size_t k,
	   tlv_held *fitted)
{
	tlv_gmm_options options = evidence->options;
	tlv_making made;

	options.k = k;
	tlv_make(ctx, &made);
	return tlv_made(ctx, &made, fitted,
					tlv_gmm_fit(ctx, moments, &options, &made.image, &made.size));
}

tlv_status
gmm_fit_single(tlv_context *ctx, gmm_evidence *evidence, tlv_held *single)
{
	if (evidence->options.covariance == TLV_COVARIANCE_DIRECTION)
		TLV_TRY(gmm_single_direction(ctx, evidence, single));
	else
		TLV_TRY(fit_to(ctx, evidence, evidence->moments, 1, single));
	evidence->single = &single->frame;
	if (evidence->floor == NULL || evidence->options.covariance != TLV_COVARIANCE_DIRECTION)
		evidence->floor = tlv_frame_float64(&single->frame, "floor");
	return TLV_OK;
}

tlv_status
gmm_copy_model(tlv_context *ctx, const tlv_frame *model, tlv_held *copy)
{
	tlv_making made;

	return TLV_MAKE(ctx, &made, copy, tlv_frame_copy(ctx, model, &made.image, &made.size));
}

tlv_status
gmm_start_fit(tlv_context *ctx, const gmm_evidence *evidence, size_t k, gmm_start *start)
{
	const tlv_frame *moments =
		evidence->d > GMM_MOST_THIRD ? evidence->compressed : evidence->moments;
	tlv_status status = TLV_NOT_IDENTIFIABLE;

	memset(start, 0, sizeof(*start));
	start->k = k;
	start->log_likelihood = -HUGE_VAL;
	if (k == 1)
		status = gmm_copy_model(ctx, evidence->single, &start->fitted);
	else if (moments != NULL)
		status = fit_to(ctx, evidence, moments, k, &start->fitted);
	start->from_moments = status == TLV_OK;
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

static bool
is_spherical(const gmm_evidence *evidence)
{
	return evidence->options.covariance <= TLV_COVARIANCE_SPHERICAL &&
		   evidence->options.tails == TLV_TAILS_NORMAL;
}

/*
 * Of few rows other starts cost next to nothing, and real data have better optima than the moments'
 * even where the residual is small.
 */
bool
gmm_start_is_trusted(const gmm_evidence *evidence, const gmm_start *start)
{
	/* Moments of this residual are those of spherical components. */
	const double trusted_residual = 0.1;
	const tlv_frame *fitted = &start->fitted.frame;

	if (start->fitted.image == NULL || evidence->options.tails != TLV_TAILS_NORMAL)
		return false;
	if (!evidence->refine || start->k == 1)
		return true;
	return is_spherical(evidence) && evidence->n > SAMPLE_MOST &&
		   (double) start->k <= TLV_GMM_MOST_SHARE * (double) evidence->d &&
		   tlv_diagnostics_find(fitted, "signal", NAN) >= TLV_GMM_SIGNAL &&
		   tlv_diagnostics_find(fitted, "residual", NAN) <= trusted_residual;
}

/* ---- starts from the sample ---- */

size_t
gmm_sample_size(const gmm_evidence *evidence, size_t k, double room)
{
	double d = (double) evidence->d, each = d * (double) k,
		   fits = floor(room / (d * sizeof(double)));
	double wanted;

	if (tlv_is_matrix(evidence->options.covariance))
		each *= d;
	wanted = fmax(SAMPLE_EFFORT / each, fmax(SAMPLE_LEAST, SAMPLE_EACH * (double) k));
	wanted = fmin(fmin(floor(wanted), SAMPLE_MOST), evidence->n);
	return (size_t) fmax(fmin(wanted, fits), fmin((double) k, evidence->n));
}

/* How many starts from the sample. */
static int
number_of_starts(const gmm_evidence *evidence, size_t k)
{
	const int many = 50; /* components */
	bool large = evidence->sample.n > GMM_CHOOSE_LARGE;

	if (k == 1)
		return 1;
	if (k > many || (tlv_is_matrix(evidence->options.covariance) && !large))
		return STARTS_FEWER;
	return large && is_spherical(evidence) ? STARTS_MORE : GMM_CHOOSE_STARTS;
}

tlv_status
gmm_start_from_sample(tlv_context *ctx, const gmm_evidence *evidence, const tlv_mixture *given,
					  const tlv_mixture *next, int starts, gmm_start *start, bool *given_won)
{
	const tlv_gmm_start_options options = {.k = start->k,
										   .covariance = evidence->options.covariance,
										   .tails = evidence->options.tails,
										   .seed = evidence->options.seed,
										   .starts = starts,
										   .steps = GMM_MOST_STEPS,
										   .given = given,
										   .next = next,
										   .others = true};
	const tlv_frame *best = &start->sampled.frame;
	bool whole = (double) evidence->sample.n >= evidence->n;
	tlv_making made;

	TLV_TRY(TLV_MAKE(
		ctx, &made, &start->sampled,
		tlv_gmm_start(ctx, &evidence->sample, evidence->floor, &options, &made.image, &made.size)));
	start->log_likelihood = tlv_diagnostics_find(best, "sample_mean_log_likelihood", NAN);
	start->entropy = tlv_diagnostics_find(best, "sample_mean_entropy", NAN);
	start->stands = whole && tlv_diagnostics_find(best, "sample_stands", 0) > 0;
	if (given_won != NULL)
		*given_won = tlv_diagnostics_find(best, "start_given", 0) > 0;
	return TLV_OK;
}

static void
drop_sampled(tlv_context *ctx, gmm_start *start)
{
	tlv_free(ctx, start->sampled.image);
	start->sampled.image = NULL;
}

/*
 * Where the sample is not all rows, the fit to the moments knows more than what was refined on the
 * sample, and stays beside a start that seems better until the whole data tell; but it knows
 * nothing of diagonal and full covariances.
 */
tlv_status
gmm_start_measure(tlv_context *ctx, const gmm_evidence *evidence, const tlv_mixture *next,
				  gmm_start *start)
{
	bool whole = (double) evidence->sample.n >= evidence->n, fitted = start->fitted.image != NULL;
	tlv_mixture given;

	if (fitted)
		tlv_gmm_read(&start->fitted.frame, &given);
	if (gmm_start_is_trusted(evidence, start))
	{
		TLV_TRY(gmm_start_from_sample(ctx, evidence, &given, NULL, 0, start, NULL));
		if (!whole || !evidence->refine)
			drop_sampled(ctx, start);
		return TLV_OK;
	}
	TLV_TRY(gmm_start_from_sample(ctx, evidence, fitted ? &given : NULL, next,
								  number_of_starts(evidence, start->k), start,
								  &start->from_moments));
	if (whole || !is_spherical(evidence) || !fitted)
		return TLV_OK;
	start->rivals = !start->from_moments;
	if (start->from_moments)
		drop_sampled(ctx, start);
	start->from_moments = true;
	return TLV_OK;
}

/* ---- the number of components ---- */

tlv_status
gmm_is_degenerate(tlv_context *ctx, const double *floor, const tlv_mixture *mixture, double n,
				  bool *degenerate)
{
	size_t d = mixture->d, variances = tlv_mixture_variances(d, mixture->covariance);

	*degenerate = false;
	for (size_t j = 0; j < mixture->k && !*degenerate; j++)
	{
		const tlv_mixture one = {.k = 1,
								 .d = d,
								 .covariance = mixture->covariance,
								 .weights = mixture->weights + j,
								 .means = mixture->means + j * d,
								 .variances = mixture->variances + j * variances};
		size_t low = 0;

		if (mixture->weights[j] * n < (double) d + 1)
			TLV_TRY(tlv_mixture_at_floor(ctx, &one, floor, &low));
		*degenerate = low > 0;
	}
	return TLV_OK;
}

/* The mixture that a start is on the sample. */
static void
gmm_read_start(const gmm_start *start, tlv_mixture *mixture)
{
	tlv_gmm_read(start->sampled.image != NULL ? &start->sampled.frame : &start->fitted.frame,
				 mixture);
}

/* The criteria of a start on the sample. */
static tlv_status
judge_start(tlv_context *ctx, const gmm_evidence *evidence, gmm_start *start, double *bic,
			double *icl)
{
	double n = (double) evidence->sample.n;
	double parameters = tlv_mixture_parameters(start->k, evidence->d, evidence->options.covariance,
											   evidence->options.tails == TLV_TAILS_T);
	tlv_mixture mixture;
	bool degenerate;

	gmm_read_start(start, &mixture);
	TLV_TRY(gmm_is_degenerate(ctx, evidence->floor, &mixture, n, &degenerate));
	*bic = degenerate ? HUGE_VAL : parameters * log(n) - 2 * n * start->log_likelihood;
	*icl = *bic + 2 * n * start->entropy;
	return TLV_OK;
}

size_t
gmm_least(size_t n, const double *criterion)
{
	size_t least = 1;

	for (size_t k = 2; k <= n; k++)
		least = criterion[k - 1] < criterion[least - 1] ? k : least;
	return least;
}

/* The starts of all numbers of components that were tried. */
typedef struct gmm_path
{
	const gmm_evidence *evidence;
	gmm_start *starts; /* by k - 1 */
	gmm_criteria *criteria;
} gmm_path;

/* The start of k components, once more from what it is and from that of one more or fewer. */
static tlv_status
improve_start(tlv_context *ctx, const gmm_path *path, size_t k, size_t neighbour, bool *better)
{
	gmm_start *own = &path->starts[k - 1], start = {.k = k};
	double *bic = path->criteria->bic + k - 1, *icl = path->criteria->icl + k - 1, with, entropy;
	tlv_mixture given, next;

	TLV_TRY_CONTINUE(ctx);
	gmm_read_start(own, &given);
	gmm_read_start(&path->starts[neighbour - 1], &next);
	TLV_TRY(gmm_start_from_sample(ctx, path->evidence, &given, &next, 0, &start, NULL));
	TLV_TRY(judge_start(ctx, path->evidence, &start, &with, &entropy));
	if (!(with < *bic - TLV_MIXTURE_TOLERANCE * fabs(*bic)))
	{
		gmm_start_free(ctx, &start);
		return TLV_OK;
	}
	tlv_free(ctx, own->sampled.image);
	start.fitted = own->fitted;
	*own = start;
	*bic = with;
	*icl = entropy;
	*better = true;
	return TLV_OK;
}

/* Every number of components from its neighbours, up and down, as long as any gets better. */
static tlv_status
improve_path(tlv_context *ctx, const gmm_path *path)
{
	size_t n = path->criteria->n;
	bool better = true;

	for (int sweep = 0; sweep < GMM_SWEEPS && better; sweep++)
	{
		better = false;
		for (size_t k = 2; k <= n; k++)
			TLV_TRY(improve_start(ctx, path, k, k - 1, &better));
		for (size_t k = n; k-- > 2;)
			TLV_TRY(improve_start(ctx, path, k, k + 1, &better));
	}
	return TLV_OK;
}

/* The next number of components. */
static tlv_status
go_on(tlv_context *ctx, const gmm_path *path, size_t k)
{
	gmm_start *start = &path->starts[k - 1];
	tlv_mixture before;

	TLV_TRY_CONTINUE(ctx);
	if (k > 1)
		gmm_read_start(start - 1, &before);
	TLV_TRY(gmm_start_fit(ctx, path->evidence, k, start));
	TLV_TRY(gmm_start_measure(ctx, path->evidence, k > 1 ? &before : NULL, start));
	TLV_TRY(judge_start(ctx, path->evidence, start, &path->criteria->bic[k - 1],
						&path->criteria->icl[k - 1]));
	path->criteria->n = k;
	return TLV_OK;
}

tlv_status
gmm_choose_k(tlv_context *ctx, const gmm_evidence *evidence, size_t max_k, gmm_start *best,
			 gmm_criteria *criteria)
{
	double *bic = criteria->bic;
	int rises = 0, most_rises = gmm_most_rises(evidence);
	gmm_path path = {.evidence = evidence, .criteria = criteria};
	size_t least;

	TLV_TRY_NEW0(ctx, path.starts, max_k);
	criteria->n = 0;
	for (size_t k = 1; k <= max_k && (double) k <= evidence->n && rises < most_rises; k++)
	{
		TLV_TRY(go_on(ctx, &path, k));
		rises = k > 1 && !(bic[k - 1] <= bic[k - 2] && isfinite(bic[k - 1])) ? rises + 1 : 0;
	}
	if (gmm_is_small(evidence))
		TLV_TRY(improve_path(ctx, &path));
	least = gmm_least(criteria->n, evidence->groups ? criteria->icl : bic);
	*best = path.starts[least - 1];
	memset(&path.starts[least - 1], 0, sizeof(gmm_start));
	for (size_t k = 1; k <= criteria->n; k++)
		gmm_start_free(ctx, &path.starts[k - 1]);
	tlv_free(ctx, path.starts);
	return TLV_OK;
}
