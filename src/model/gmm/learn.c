/*
 * learn.c - the whole of learning mixtures of Gaussians (gmm.h): moments, the fit to them, starts
 * from a sample where these alone do not carry it (choose.h), then steps of expectation
 * maximisation until the likelihood converges.
 */
#include "learn.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/dense.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/model/support.h"
#include "choose.h"
#include "tensorlv/model/dimension_names.h"

/* Steps after which two starts are compared. */
#define RIVAL_STEPS 5

/* The largest number of components that may be fitted. */
static size_t
largest_k(const gmm_learning *fit)
{
	return fit->options.fit.k > 0 ? fit->options.fit.k : fit->options.max_k;
}

static bool
of_directions(const gmm_learning *fit)
{
	return fit->evidence.options.covariance == TLV_COVARIANCE_DIRECTION;
}

/* ---- moments ---- */

static tlv_status
collect_moments(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, tlv_value **moments)
{
	gmm_evidence *evidence = &fit->evidence;
	size_t k = fit->options.fit.k;

	TLV_TRY(
		tlv_collect_first(ctx, rows, "moments", 0,
						  &(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments,
										   .order = rows->rows.width[0] <= GMM_MOST_THIRD ? 3 : 2},
						  "rows", moments));
	evidence->moments = &(*moments)->frame;
	evidence->n = rows->rows.effective > 0 ? rows->rows.effective
										   : tlv_frame_scalar(evidence->moments, "rows", 0);
	evidence->d = tlv_frame_find(evidence->moments, "shift")->rows;
	if ((double) k > evidence->n)
		return tlv_refuse_few(ctx, evidence->n, "rows", k, "components");
	TLV_TRY(gmm_fit_single(ctx, evidence, &fit->single));
	return gmm_single_likelihoods(ctx, evidence, fit->single_likelihood);
}

/* Moments in as many leading directions as components may be fitted. */
static tlv_status
collect_compressed(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, size_t directions,
				   tlv_value **compressed)
{
	tlv_held subspace = {0};
	tlv_making made;

	TLV_TRY(TLV_MAKE(
		ctx, &made, &subspace,
		tlv_dense_subspace(ctx, fit->evidence.moments, directions, &made.image, &made.size)));
	TLV_TRY(tlv_collect_again(ctx, rows, "moments", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_dense_moments,
											   .constant = &subspace.frame,
											   .order = 3},
							  compressed));
	fit->evidence.compressed = &(*compressed)->frame;
	tlv_free(ctx, subspace.image);
	return TLV_OK;
}

/* ---- the sample ---- */

static tlv_status
refuse_width(tlv_context *ctx, size_t before, size_t now)
{
	tlv_fail(ctx, TLV_BAD_DATA,
			 "the query returned vectors of %zu %s once and of %zu when it was run again", before,
			 tlv_plural((double) before, "number", "numbers"), now);
	return tlv_fail_hint(ctx, "A function in it gives other results each time although it is not "
							  "declared VOLATILE.");
}

/* Bytes that a sample may take. */
static double
sample_room(const tlv_context *ctx)
{
	/* Of the memory that is left, the part that a sample may take. */
	const int sample_share = 4;

	return ((double) ctx->arena.limit - (double) ctx->arena.used) / sample_share;
}

/* So many rows, in a random order. */
static tlv_status
gmm_collect_sample(tlv_context *ctx, tlv_source *rows, gmm_evidence *evidence, size_t count)
{
	uint64_t seed = evidence->options.seed;
	const tlv_section *drawn;
	tlv_value *sample;
	double *x;
	size_t n;

	TLV_TRY(tlv_collect_again(
		ctx, rows, "sample", 0,
		&(tlv_statistic){.aggregate = &tlv_aggregate_row_sample, .count = count, .seed = seed},
		&sample));
	drawn = tlv_frame_find(&sample->frame, "rows");
	if (drawn->columns == 0)
		return tlv_rows_gone(ctx);
	if (drawn->rows != evidence->d)
		return refuse_width(ctx, evidence->d, drawn->rows);
	TLV_TRY(tlv_row_sample_rows(ctx, &sample->frame, &n, &x));
	tlv_value_drop(sample);
	return tlv_gmm_sample_open(ctx, n, evidence->d, x, false, seed, &evidence->sample);
}

/* ---- the start ---- */

/* What the moments decide, once more under the floor that the columns of the sample have. */
static tlv_status
fit_under_columns(tlv_context *ctx, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	bool bound = false;

	evidence->options.columns = evidence->sample.columns;
	for (size_t i = 0; i < evidence->d && evidence->options.columns != NULL; i++)
		bound |= evidence->options.columns[i].unit > 0;
	if (!bound)
		return TLV_OK;
	TLV_TRY(gmm_fit_single(ctx, evidence, &fit->single));
	TLV_TRY(gmm_single_likelihoods(ctx, evidence, fit->single_likelihood));
	if (fit->start.fitted.image == NULL)
		return TLV_OK;
	gmm_start_free(ctx, &fit->start);
	return gmm_start_fit(ctx, evidence, fit->options.fit.k, &fit->start);
}

/* The sample is there: the covariance, and what depends on it. */
static tlv_status
choose_covariance(tlv_context *ctx, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	size_t n;

	TLV_TRY(gmm_choose_covariance(ctx, evidence, fit->options.fit.k, fit->options.max_k,
								  &fit->covariances));
	evidence->options.covariance = fit->covariances.best;
	TLV_TRY(gmm_fit_single(ctx, evidence, &fit->single));
	/* Rows of a sample are in random order: the first of them are one, too. */
	n = gmm_sample_size(evidence, largest_k(fit), HUGE_VAL);
	evidence->sample.n = tlv_least(n, evidence->sample.n);
	return TLV_OK;
}

static tlv_status
start_from_sample(tlv_context *ctx, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	gmm_start *start = &fit->start;

	if (fit->covariance_chosen)
		TLV_TRY(choose_covariance(ctx, fit));
	if (fit->k_chosen)
		TLV_TRY(gmm_choose_k(ctx, evidence, fit->options.max_k, start, &fit->criteria));
	else
	{
		if (fit->covariance_chosen)
			TLV_TRY(gmm_start_fit(ctx, evidence, fit->options.fit.k, start));
		TLV_TRY(gmm_start_measure(ctx, evidence, NULL, start));
	}
	if (evidence->options.tails == TLV_TAILS_NORMAL && fit->options.refine && !of_directions(fit))
		TLV_TRY(gmm_look_at_tails(ctx, evidence, gmm_start_model(start), gmm_learning_groups(fit),
								  &fit->tails));
	return TLV_OK;
}

static tlv_status
find_start(tlv_context *ctx, tlv_source *rows, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	size_t most = tlv_least(evidence->d, TLV_DENSE_MOST_3), k = fit->options.fit.k;
	tlv_value *compressed = NULL;

	/* One component needs no third moments, and more than a compressed tensor holds have none. */
	if (evidence->d > GMM_MOST_THIRD && largest_k(fit) > 1 && k <= most && evidence->n >= 2 &&
		!of_directions(fit))
		TLV_TRY(collect_compressed(ctx, rows, fit, tlv_least(largest_k(fit), most), &compressed));
	if (!fit->k_chosen && !fit->covariance_chosen)
		TLV_TRY(gmm_start_fit(ctx, evidence, k, &fit->start));
	if (fit->k_chosen || fit->covariance_chosen || !gmm_start_is_trusted(evidence, &fit->start))
	{
		size_t count = gmm_sample_size(evidence, largest_k(fit), sample_room(ctx));

		if (!of_directions(fit))
		{
			TLV_TRY(gmm_collect_sample(ctx, rows, evidence, count));
			TLV_TRY(fit_under_columns(ctx, fit));
		}
		TLV_TRY(start_from_sample(ctx, fit));
	}
	evidence->compressed = NULL;
	tlv_value_drop(compressed);
	return TLV_OK;
}

/* ---- wide rows: starts and k from the sample in the leading directions ---- */

static bool
is_wide(const gmm_learning *fit)
{
	const gmm_evidence *evidence = &fit->evidence;

	if (fit->k_chosen && fit->options.criterion == TLV_GMM_BIC)
		return false;
	if (of_directions(fit))
		return evidence->d > GMM_FEW_DIMENSIONS && largest_k(fit) > 1 && evidence->n > 1;
	return fit->options.refine && evidence->d >= GMM_WIDE && largest_k(fit) > 1 &&
		   evidence->n > 1 && evidence->options.covariance <= TLV_COVARIANCE_SPHERICAL &&
		   evidence->options.tails == TLV_TAILS_NORMAL;
}

/* The sample, which is all rows where there is room for them: then no further pass reads them, and
 * the first of them are the sample. */
static tlv_status
collect_wide_sample(tlv_context *ctx, tlv_source *rows, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	tlv_gmm_sample *sample = &evidence->sample;
	size_t k = fit->k_chosen
				   ? tlv_least(tlv_least(GMM_WIDE_MOST_DIRECTIONS, largest_k(fit)), GMM_SAMPLE_K)
				   : fit->options.fit.k;
	size_t count = gmm_sample_size(evidence, k, sample_room(ctx));

	if (evidence->n * (double) (evidence->d * sizeof(double)) <= sample_room(ctx))
		count = (size_t) evidence->n;
	TLV_TRY(gmm_collect_sample(ctx, rows, evidence, count));
	if ((double) sample->n < evidence->n)
		return TLV_OK;
	TLV_TRY(tlv_source_hold_vectors(ctx, rows, sample->n, sample->d, sample->rows, sample->center));
	sample->n = tlv_least(sample->n, gmm_sample_size(evidence, k, HUGE_VAL));
	return TLV_OK;
}

static double
third_moments(size_t k)
{
	return (double) k * (double) (k + 1) * (double) (k + 2) / 6;
}

/* Clusters, and where these overlap the fit to third moments as well, where so many components have
 * them, and rows enough for them. */
static tlv_status
start_wide(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, const gmm_projected *points)
{
	gmm_evidence *evidence = &fit->evidence;
	gmm_start *start = &fit->start, clusters;
	tlv_value *compressed;

	if (start->k == 1)
		return gmm_start_fit(ctx, evidence, 1, start);
	TLV_TRY(gmm_wide_clusters(ctx, evidence, points, start));
	if (of_directions(fit) || start->k > GMM_WIDE_MOST_DIRECTIONS ||
		start->entropy <= GMM_WIDE_SEPARATE || third_moments(start->k) > evidence->n)
		return TLV_OK;
	clusters = *start;
	TLV_TRY(collect_compressed(ctx, rows, fit, start->k, &compressed));
	TLV_TRY(gmm_start_fit(ctx, evidence, start->k, start));
	if (gmm_start_is_trusted(evidence, start))
		gmm_start_free(ctx, &clusters);
	else
		TLV_TRY(gmm_wide_better(ctx, evidence, &clusters, start));
	evidence->compressed = NULL;
	tlv_value_drop(compressed);
	return TLV_OK;
}

static tlv_status
find_wide_start(tlv_context *ctx, tlv_source *rows, gmm_learning *fit)
{
	gmm_evidence *evidence = &fit->evidence;
	size_t most = tlv_least(tlv_least(GMM_WIDE_MOST_DIRECTIONS, largest_k(fit)), evidence->d);
	tlv_held leading = {0};
	gmm_projected points;
	tlv_making made;

	TLV_TRY(TLV_MAKE(ctx, &made, &leading,
					 tlv_dense_subspace(ctx, evidence->moments, most, &made.image, &made.size)));
	if (!of_directions(fit)) /* of which it is there */
		TLV_TRY(collect_wide_sample(ctx, rows, fit));
	TLV_TRY(gmm_wide_project(ctx, evidence, &leading.frame, &points));
	fit->start.k = fit->options.fit.k;
	if (fit->k_chosen)
	{
		TLV_TRY(gmm_wide_choose(ctx, evidence, &points, fit->options.max_k, &fit->choice));
		fit->start.k = fit->choice.k;
	}
	TLV_TRY(start_wide(ctx, rows, fit, &points));
	tlv_free(ctx, points.points);
	/* One cloud whose rows differ in length is divided into Gaussians of several variances. */
	if (fit->k_chosen && fit->start.k > 1 && !of_directions(fit))
		TLV_TRY(gmm_look_at_tails(ctx, evidence, gmm_start_model(&fit->start), 1, &fit->tails));
	return TLV_OK;
}

/* ---- refinement: a pass a step, and one more for the likelihood at the end ---- */

/* Until the model has so many steps or, where these are not given, the likelihood stands. */
static tlv_status
refine(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, int limit, bool last,
	   gmm_refined *refined)
{
	int left = limit - (int) tlv_frame_scalar(&refined->model->frame, "steps", 0);
	tlv_source_ascent ascent = {.source = rows,
								.model = refined->model,
								.stage = "refinement",
								.more = !last,
								.em = {.limit = 1 + (left > 0 ? left : 0),
									   .to_the_limit = fit->options.iterations >= 0,
									   .tolerance = TLV_MIXTURE_TOLERANCE,
									   .relative = TLV_MIXTURE_TOLERANCE}};
	const tlv_frame *sums;
	double n;

	TLV_TRY(tlv_source_ascend(ctx, &ascent));
	sums = &ascent.sums->frame;
	n = tlv_frame_scalar(sums, "rows", 0);
	refined->likelihood = ascent.em.likelihood;
	refined->stands = ascent.em.stands;
	refined->entropy = tlv_frame_scalar(sums, "entropy", 0) / n;
	fit->evidence.n = rows->rows.effective > 0 ? rows->rows.effective : n;
	fit->zeros = tlv_frame_scalar(sums, "zeros", 0);
	fit->scaled = tlv_frame_scalar(sums, "scaled", 0);
	tlv_value_drop(ascent.sums);
	return TLV_OK;
}

/* Two rivals: some steps each on all rows; *best is the better one. */
static tlv_status
refine_rivals(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, int limit, tlv_held *first,
			  gmm_refined *best)
{
	gmm_refined rival = {.model = &fit->start.sampled};

	/* The fit itself stays, for its diagnostics. */
	TLV_TRY(gmm_copy_model(ctx, &fit->start.fitted.frame, first));
	best->model = first;
	TLV_TRY(refine(ctx, rows, fit, limit, false, best));
	TLV_TRY(refine(ctx, rows, fit, limit, false, &rival));
	if (rival.likelihood > best->likelihood)
	{
		fit->start.from_moments = false;
		*best = rival;
	}
	return TLV_OK;
}

static tlv_status
refine_start(tlv_context *ctx, tlv_source *rows, gmm_learning *fit, tlv_held *first)
{
	const gmm_start *start = &fit->start;
	bool to_the_end = fit->options.iterations<0, weighted = rows->rows.effective> 0;
	int most = to_the_end ? GMM_MOST_STEPS : fit->options.iterations;
	gmm_refined *refined = &fit->refined;

	*refined =
		(gmm_refined){gmm_start_model(&fit->start), start->log_likelihood, start->entropy, true};
	if (!fit->options.refine || (to_the_end && start->stands && !weighted))
		return TLV_OK;
	if (start->rivals)
	{
		int some = most < RIVAL_STEPS ? most : RIVAL_STEPS;

		TLV_TRY(refine_rivals(ctx, rows, fit, some, first, refined));
		if (some == most || (to_the_end && refined->stands))
			return TLV_OK;
	}
	return refine(ctx, rows, fit, most, true, refined);
}

/* ---- the whole ---- */

static tlv_status
gmm_check_options(tlv_context *ctx, const void *argument)
{
	const tlv_gmm_learn_options *options = argument;
	bool k = options->fit.k > TLV_MIXTURE_MOST_COMPONENTS;

	if (!k && options->max_k <= TLV_MIXTURE_MOST_COMPONENTS)
		return TLV_OK;
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s = %zu is more than %d", k ? "k" : "max_k",
					k ? options->fit.k : options->max_k, TLV_MIXTURE_MOST_COMPONENTS);
}

static tlv_status
gmm_begin(tlv_context *ctx, tlv_source *rows, const tlv_gmm_learn_options *options,
		  gmm_learning *fit)
{
	/* The largest k that is tried where it is not said; of wide rows GMM_WIDE_MOST_K. */
	const int usual_most_k = 10;
	gmm_evidence *evidence = &fit->evidence;

	*fit = (gmm_learning){.options = *options,
						  .evidence = {.options = options->fit,
									   .refine = options->refine,
									   .groups = options->criterion == TLV_GMM_ICL},
						  .k_chosen = options->fit.k == 0,
						  .covariance_chosen = options->fit.any_covariance,
						  .logarithms_likelihood = -HUGE_VAL};
	TLV_TRY(tlv_source_require_iterations(ctx, rows, options->refine, options->iterations));
	evidence->options.any_covariance = false;
	evidence->options.names = tlv_source_rows(rows)->rows.names;
	if (fit->covariance_chosen) /* until there is a sample */
		evidence->options.covariance = TLV_COVARIANCE_SPHERICAL;
	if (options->max_k == 0)
		fit->options.max_k = rows->rows.width[0] >= GMM_WIDE && options->refine &&
									 options->fit.tails == TLV_TAILS_NORMAL &&
									 evidence->options.covariance <= TLV_COVARIANCE_SPHERICAL
								 ? GMM_WIDE_MOST_K
								 : usual_most_k;
	if (options->max_k == 0 && of_directions(fit))
		fit->options.max_k = GMM_WIDE_MOST_K;
	TLV_TRY_NEW0(ctx, fit->criteria.bic, fit->options.max_k);
	TLV_TRY_NEW0(ctx, fit->criteria.icl, fit->options.max_k);
	return TLV_OK;
}

static tlv_status
gmm_learn(tlv_context *ctx, tlv_source *rows, const void *options, tlv_held *model)
{
	tlv_value *moments = NULL;
	tlv_held first = {0}; /* of two rivals */
	gmm_learning fit;

	TLV_TRY(gmm_begin(ctx, rows, options, &fit));
	TLV_TRY(of_directions(&fit) ? gmm_collect_directions(ctx, rows, &fit)
								: collect_moments(ctx, rows, &fit, &moments));
	if (fit.evidence.d >= GMM_WIDE)
		fit.covariance_chosen = false;
	TLV_TRY(is_wide(&fit) ? find_wide_start(ctx, rows, &fit) : find_start(ctx, rows, &fit));
	if (fit.start.k > 1 && fit.options.refine && !of_directions(&fit))
		TLV_TRY(gmm_look_at_logarithms(ctx, &fit.evidence.sample, &fit.logarithms_likelihood));
	fit.evidence.moments = NULL;
	tlv_value_drop(moments); /* they have served, and the sample unless it is all rows */
	if (rows->held == NULL)
		tlv_gmm_sample_free(ctx, &fit.evidence.sample);
	TLV_TRY(refine_start(ctx, rows, &fit, &first));
	return gmm_finish(ctx, rows, &fit, model);
}

/* ---- support ---- */

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

static const tlv_support_class gmm_support = {
	"component",  "spurious_component", &tlv_aggregate_row_sample,
	sample_count, sample_rows,			learn_part};

const tlv_procedure tlv_gmm_procedure = {
	.check = gmm_check_options, .learn = gmm_learn, .support = &gmm_support};
