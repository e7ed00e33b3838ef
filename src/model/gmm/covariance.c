/*
 * covariance.c - which covariance the components have, where it is not said: the least criterion
 * over covariances, as well as over k, found on some rows of the sample (choose.h).
 *
 * What distinguishes covariances shows on few rows.  k-means starts give spherical and diagonal
 * mixtures of 1, 2, ... components; of full covariances, which need few components and cost most,
 * starts are the clusters of the best diagonal mixture, merged.
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
#define GMM_COVARIANCE_STARTS 8
#define GMM_COVARIANCE_STEPS  25
#define SMALL_STARTS		  24
#define SMALL_STEPS			  100
/* Clusters that are merged at most, by their number squared times the cube of d. */
#define MOST_MERGING 2e9

/* The rows, and what is known so far. */
typedef struct gmm_screen
{
	const gmm_evidence *evidence;
	const double *floor;
	tlv_gmm_sample seen;   /* the rows that mixtures are fitted to */
	tlv_gmm_sample others; /* as many that they have not seen; n = 0: there are none */
	int starts, steps;
	int rises; /* of the criterion in a row, after which a covariance is given up */
	gmm_covariances *found;
} gmm_screen;

static void
screen_begin(const gmm_evidence *evidence, size_t k, gmm_covariances *found, gmm_screen *screen)
{
	/* Of a sample that is hardly larger, all. */
	const double most_of = 0.6;
	const tlv_gmm_sample *sample = &evidence->sample;
	double d = (double) sample->d, wanted;
	bool small = gmm_is_small(evidence);

	wanted = fmax(GMM_COMPARED_ROWS, fmax(GMM_COVARIANCE_EACH, EACH_DIMENSION * d) * (double) k);
	*screen = (gmm_screen){.evidence = evidence,
						   .floor = evidence->floor,
						   .seen = *sample,
						   .others = {.d = sample->d, .center = sample->center},
						   .starts = small ? SMALL_STARTS : GMM_COVARIANCE_STARTS,
						   .steps = small ? SMALL_STEPS : GMM_COVARIANCE_STEPS,
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
screen_score(tlv_context *ctx, gmm_screen *screen, int steps, tlv_mixture *mixture, double *score)
{
	double n = (double) screen->evidence->sample.n, likelihood, other, entropy, more = 0;
	double parameters = tlv_mixture_parameters(mixture->k, mixture->d, mixture->covariance,
											   mixture->degrees != NULL);
	double *known = &screen->found->least[mixture->covariance];
	bool degenerate;

	TLV_TRY(
		tlv_gmm_ascend(ctx, &screen->seen, screen->floor, steps, mixture, &likelihood, &entropy));
	*score = parameters * log(n) - 2 * n * likelihood;
	if (screen->others.n > 0)
	{
		TLV_TRY(tlv_gmm_ascend(ctx, &screen->others, screen->floor, 0, mixture, &other, &more));
		entropy = (entropy + more) / 2;
		*score = parameters * (log(n) - 1) - n * (likelihood + other);
	}
	if (screen->evidence->groups)
		*score += 2 * n * entropy;
	TLV_TRY(
		gmm_is_degenerate(ctx, screen->evidence, mixture, (double) screen->seen.n, &degenerate));
	if (degenerate)
		*score = HUGE_VAL;
	if (!(*score >= *known))
		*known = *score;
	return TLV_OK;
}

/* A mixture of k components from starts, into held, and its criterion. */
static tlv_status
screen_start(tlv_context *ctx, gmm_screen *screen, size_t k, tlv_covariance covariance,
			 tlv_held *held, double *bic)
{
	tlv_gmm_start_options options = {.k = k,
									 .covariance = covariance,
									 .tails = screen->evidence->options.tails,
									 .seed = screen->evidence->options.seed,
									 .starts = k == 1 ? 1 : screen->starts,
									 .steps = screen->steps};
	tlv_mixture mixture;
	tlv_making made;

	tlv_make(ctx, &made);
	TLV_TRY(tlv_made(
		ctx, &made, held,
		tlv_gmm_start(ctx, &screen->seen, screen->floor, &options, &made.image, &made.size)));
	tlv_gmm_read(&held->frame, &mixture);
	return screen_score(ctx, screen, 0, &mixture, bic);
}

static void
drop(tlv_context *ctx, tlv_held *held)
{
	tlv_free(ctx, held->image);
	*held = (tlv_held){0};
}

/* The best of least .. most components into best. */
static tlv_status
screen_path(tlv_context *ctx, gmm_screen *screen, size_t least, size_t most,
			tlv_covariance covariance, tlv_held *best)
{
	double before = HUGE_VAL, best_bic = HUGE_VAL, bic;
	int rises = 0;

	for (size_t k = least; k <= most && k <= screen->seen.n && rises < screen->rises; k++)
	{
		tlv_held held = {0};

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(screen_start(ctx, screen, k, covariance, &held, &bic));
		rises = bic < before ? 0 : rises + 1;
		before = bic;
		if (best->image == NULL || bic < best_bic)
		{
			drop(ctx, best);
			*best = held;
			best_bic = bic;
		}
		else
			drop(ctx, &held);
	}
	return TLV_OK;
}

/* ---- full covariances ---- */

static void
screen_use_tails(const gmm_screen *screen, tlv_mixture *mixture)
{
	if (screen->evidence->options.tails == TLV_TAILS_T)
		tlv_mixture_use_tails(mixture);
}

/* The component of every row. */
static tlv_status
label_rows(tlv_context *ctx, const tlv_gmm_sample *rows, const tlv_mixture *mixture, int32_t *label)
{
	tlv_mixture_worker worker;

	TLV_TRY(tlv_mixture_worker_open(ctx, mixture, rows->center, &worker));
	TLV_TRY(tlv_mixture_worker_prepare(ctx, &worker));
	for (size_t first = 0; first < rows->n; first += TLV_MIXTURE_BLOCK)
	{
		size_t n = tlv_least(TLV_MIXTURE_BLOCK, rows->n - first);

		TLV_TRY(tlv_mixture_expect(ctx, &worker, n, rows->rows + first * rows->d, NULL));
		for (size_t t = 0; t < n; t++)
		{
			size_t best = 0;

			for (size_t j = 1; j < mixture->k; j++)
				if (worker.shares[j * TLV_MIXTURE_BLOCK + t] >
					worker.shares[best * TLV_MIXTURE_BLOCK + t])
					best = j;
			label[first + t] = (int32_t) best;
		}
	}
	tlv_mixture_worker_free(ctx, &worker);
	return TLV_OK;
}

/* The mixture of m groups of clusters: groups (clusters) says of which group each is. */
static tlv_status
screen_groups(tlv_context *ctx, gmm_screen *screen, size_t m, const int32_t *label,
			  const int32_t *groups, int32_t *merged)
{
	tlv_mixture mixture;
	double bic;

	for (size_t t = 0; t < screen->seen.n; t++)
		merged[t] = groups[label[t]];
	TLV_TRY(tlv_mixture_create(ctx, m, screen->seen.d, TLV_COVARIANCE_FULL, &mixture));
	screen_use_tails(screen, &mixture);
	TLV_TRY(tlv_gmm_of_labels(ctx, &screen->seen, screen->floor, merged, &mixture));
	TLV_TRY(screen_score(ctx, screen, screen->steps, &mixture, &bic));
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}

/* One component, the number of least criterion for rows of certain groups, and those beside it. */
static tlv_status
screen_merged(tlv_context *ctx, gmm_screen *screen, const tlv_held *diagonal)
{
	int32_t *label, *merged, *groups;
	double *criterion;
	tlv_mixture own;
	size_t best = 1;

	tlv_gmm_read(&diagonal->frame, &own);
	TLV_TRY_NEW_ROWS(ctx, label, screen->seen.n, 2);
	merged = label + screen->seen.n;
	TLV_TRY_NEW_ROWS(ctx, groups, own.k, own.k);
	TLV_TRY_NEW(ctx, criterion, own.k);
	TLV_TRY(label_rows(ctx, &screen->seen, &own, label));
	TLV_TRY(gmm_merge_clusters(ctx, &screen->seen, screen->floor, own.k, label, groups, criterion));
	for (size_t m = 2; m <= own.k; m++)
		best = criterion[m - 1] < criterion[best - 1] ? m : best;
	for (size_t m = 1; m <= own.k; m++)
		if (m == 1 || (m + 1 >= best && m <= best + 1))
			TLV_TRY(screen_groups(ctx, screen, m, label, groups + (m - 1) * own.k, merged));
	tlv_free(ctx, criterion);
	tlv_free(ctx, groups);
	tlv_free(ctx, label);
	return TLV_OK;
}

static tlv_status
screen_full(tlv_context *ctx, gmm_screen *screen, size_t k, const tlv_held *diagonal)
{
	/* Clusters that are merged at most, by their number squared times the cube of d. */
	const double most_merging = 2e9;
	double d = (double) screen->seen.d,
		   clusters = (double) tlv_frame_find(&diagonal->frame, "means")->columns;
	tlv_held held = {0};
	double bic;

	if (k == 0 && clusters * clusters * d * d * d <= most_merging)
		return screen_merged(ctx, screen, diagonal);
	TLV_TRY(screen_start(ctx, screen, k > 0 ? k : 1, TLV_COVARIANCE_FULL, &held, &bic));
	drop(ctx, &held);
	return TLV_OK;
}

/* ---- all of it ---- */

tlv_status
gmm_choose_covariance(tlv_context *ctx, const gmm_evidence *evidence, size_t k, size_t max_k,
					  gmm_covariances *found)
{
	size_t least = k > 0 ? k : 1, most = k > 0 ? k : max_k;
	tlv_held spherical = {0}, common = {0}, diagonal = {0}, tied = {0};
	gmm_screen screen;

	screen_begin(evidence, most, found, &screen);
	TLV_TRY(screen_path(ctx, &screen, least, most, TLV_COVARIANCE_SPHERICAL, &spherical));
	/* One variance for all has fewer parameters, and as many components as spherical ones or more.
	 */
	least = tlv_frame_find(&spherical.frame, "means")->columns;
	TLV_TRY(screen_path(ctx, &screen, least, most, TLV_COVARIANCE_COMMON, &common));
	least = k > 0 ? k : 1;
	if (evidence->d > 1) /* of one dimension they are all the same */
	{
		TLV_TRY(screen_path(ctx, &screen, least, most, TLV_COVARIANCE_DIAGONAL, &diagonal));
		TLV_TRY(screen_full(ctx, &screen, k, &diagonal));
		TLV_TRY(screen_path(ctx, &screen, least, most, TLV_COVARIANCE_TIED, &tied));
	}
	drop(ctx, &spherical);
	drop(ctx, &common);
	drop(ctx, &diagonal);
	drop(ctx, &tied);
	for (int c = 0; c < TLV_COVARIANCES; c++)
		if (found->least[c] < found->least[found->best])
			found->best = (tlv_covariance) c;
	return TLV_OK;
}
