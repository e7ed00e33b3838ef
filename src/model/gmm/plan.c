/*
 * plan.c - mixtures of Gaussians as a plan (gmm.h): moments, the fit to them, starts from a sample
 * where these alone do not carry it (choose.h), then steps of expectation maximisation until the
 * likelihood stands.
 */
#include "plan.h"

#include <math.h>

#include "tensorlv/model/refusals.h"
#include "tensorlv/model/dense.h"

/* Steps after which two starts are compared. */
#define RIVAL_STEPS 5

/* The largest k that is tried where it is not said; of wide rows GMM_WIDE_MOST_K. */
#define USUAL_MOST_K 10

/* Of the memory that is left, the part that a sample may take. */
#define SAMPLE_SHARE 4

/* The sample of wide rows is as large as for so many components where k is chosen. */
#define WIDE_SAMPLE_K 30

/* Values that are kept over several passes. */
enum
{
	KEPT_MOMENTS,
	KEPT_COMPRESSED
};

static gmm_plan *
gmm_plan_of(tlv_plan *plan)
{
	return (gmm_plan *) plan;
}

/* The largest number of components that may be fitted. */
static size_t
largest_k(const gmm_plan *plan)
{
	return plan->options.fit.k > 0 ? plan->options.fit.k : plan->options.max_k;
}

/* Steps of refinement, at most. */
static int
most_steps(const gmm_plan *plan)
{
	return plan->options.iterations >= 0 ? plan->options.iterations : GMM_MOST_STEPS;
}

/* ---- refinement: a pass a step, and one more for the likelihood at the end ---- */

static tlv_status take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								  tlv_pass *pass);

static tlv_status
finish_refined(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	return gmm_plan_finish(ctx, gmm_plan_of(base));
}

static int
steps_done(const gmm_plan *plan)
{
	return (int) tlv_frame_scalar(&plan->model->frame, "steps", 0);
}

static void
gmm_ask_statistics(gmm_plan *plan, tlv_pass *pass)
{
	tlv_plan_ask(&plan->base, pass, "refinement", &tlv_aggregate_statistics, take_statistics)
		->constant = &plan->model->frame;
	if (plan->refined == finish_refined)
		pass->passes_left = 1 + (int) fmax(plan->limit - steps_done(plan), 0);
}

static void
refine_begin(gmm_plan *plan, tlv_held *model, int limit, tlv_plan_step refined, tlv_pass *pass)
{
	plan->model = model;
	plan->limit = limit;
	plan->before = -HUGE_VAL;
	plan->refined = refined;
	gmm_ask_statistics(plan, pass);
}

static tlv_status
take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	const tlv_frame *sums;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	sums = &values[0]->frame;
	plan->likelihood = tlv_plan_mean_likelihood(sums, "rows");
	plan->entropy =
		tlv_frame_scalar(sums, "entropy", 0) / fmax(tlv_frame_scalar(sums, "rows", 0), 1);
	plan->stands = plan->likelihood - plan->before < TLV_GMM_TOLERANCE * (fabs(plan->before) + 1);
	if (steps_done(plan) >= plan->limit || (plan->options.iterations < 0 && plan->stands))
		return plan->refined(ctx, base, values, pass);
	plan->before = plan->likelihood;
	TLV_TRY(tlv_plan_refine(ctx, plan->model, sums));
	gmm_ask_statistics(plan, pass);
	return TLV_OK;
}

/* ---- two rivals: some steps each on all rows, then the better one goes on ---- */

static tlv_status
second_refined(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	int most = most_steps(plan);

	if (plan->likelihood > plan->first_likelihood)
		plan->start.from_moments = false;
	else
	{
		plan->model = &plan->first;
		plan->likelihood = plan->first_likelihood;
		plan->entropy = plan->first_entropy;
		plan->stands = plan->first_stands;
	}
	if (plan->limit == most || (plan->options.iterations < 0 && plan->stands))
		return gmm_plan_finish(ctx, plan);
	refine_begin(plan, plan->model, most, finish_refined, pass);
	return TLV_OK;
}

static tlv_status
first_refined(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);

	plan->first_likelihood = plan->likelihood;
	plan->first_entropy = plan->entropy;
	plan->first_stands = plan->stands;
	refine_begin(plan, &plan->start.sampled, plan->limit, second_refined, pass);
	return TLV_OK;
}

/* The start is found: what it still needs. */
static tlv_status
gmm_refine_start(tlv_context *ctx, gmm_plan *plan, tlv_pass *pass)
{
	gmm_start *start = &plan->start;
	int most = most_steps(plan);

	if (start->k > 1 && plan->options.refine)
		TLV_TRY(gmm_look_at_logarithms(ctx, &plan->evidence.sample, &plan->logarithms_likelihood));
	tlv_plan_abandon(&plan->base); /* moments and sample have served */
	if (plan->base.memory.n == 0)
		tlv_gmm_sample_free(ctx, &plan->evidence.sample);
	tlv_free(ctx, plan->points);
	plan->model = gmm_start_model(start);
	plan->likelihood = start->log_likelihood;
	plan->entropy = start->entropy;
	plan->stands = true;
	if (!plan->options.refine || (plan->options.iterations < 0 && start->stands))
		return gmm_plan_finish(ctx, plan);
	if (!start->rivals)
	{
		refine_begin(plan, plan->model, most, finish_refined, pass);
		return TLV_OK;
	}
	/* The fit itself stays, for its diagnostics. */
	TLV_TRY(gmm_copy_model(ctx, &start->fitted.frame, &plan->first));
	refine_begin(plan, &plan->first, most < RIVAL_STEPS ? most : RIVAL_STEPS, first_refined, pass);
	return TLV_OK;
}

/* ---- starts ---- */

static tlv_status
refuse_width(tlv_context *ctx, size_t before, size_t now)
{
	tlv_fail(ctx, TLV_BAD_DATA,
			 "the query returned vectors of %zu numbers once and of %zu when it was run again",
			 before, now);
	return tlv_fail_hint(ctx, "A function in it gives other results each time although it is not "
							  "declared VOLATILE.");
}

/* The sample is there: the covariance, and what depends on it. */
static tlv_status
gmm_decide_covariance(tlv_context *ctx, gmm_plan *plan)
{
	gmm_evidence *rows = &plan->evidence;
	size_t n;

	TLV_TRY(gmm_choose_covariance(ctx, rows, plan->options.fit.k, plan->options.max_k,
								  &plan->covariances));
	rows->options.covariance = plan->covariances.best;
	TLV_TRY(gmm_fit_single(ctx, rows, &plan->single));
	/* Rows of a sample are in random order: the first of them are one, too. */
	n = gmm_sample_size(rows, largest_k(plan), HUGE_VAL);
	rows->sample.n = tlv_least(n, rows->sample.n);
	return TLV_OK;
}

/* The rows of a sample, in a random order. */
static tlv_status
open_sample(tlv_context *ctx, gmm_plan *plan, tlv_value **values)
{
	gmm_evidence *rows = &plan->evidence;
	const tlv_section *sample;
	double *x;
	size_t n;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	sample = tlv_frame_find(&values[0]->frame, "rows");
	if (sample->columns == 0)
		return tlv_plan_rows_gone(ctx);
	if (sample->rows != rows->d)
		return refuse_width(ctx, rows->d, sample->rows);
	TLV_TRY(tlv_row_sample_rows(ctx, &values[0]->frame, &n, &x));
	tlv_value_drop(values[0]);
	values[0] = NULL;
	return tlv_gmm_sample_open(ctx, n, rows->d, x, rows->options.seed, &rows->sample);
}

static tlv_status
take_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	gmm_evidence *rows = &plan->evidence;

	TLV_TRY(open_sample(ctx, plan, values));
	if (plan->covariance_chosen)
		TLV_TRY(gmm_decide_covariance(ctx, plan));
	if (plan->k_chosen)
		TLV_TRY(gmm_choose_k(ctx, rows, plan->options.max_k, &plan->start, &plan->criteria));
	else
	{
		if (plan->covariance_chosen)
			TLV_TRY(gmm_start_fit(ctx, rows, plan->options.fit.k, &plan->start));
		TLV_TRY(gmm_start_measure(ctx, rows, &plan->start));
	}
	if (rows->options.tails == TLV_TAILS_NORMAL && plan->options.refine)
		TLV_TRY(gmm_look_at_tails(ctx, rows, gmm_start_model(&plan->start), gmm_plan_groups(plan),
								  &plan->tails));
	return gmm_refine_start(ctx, plan, pass);
}

static void
ask_sample(gmm_plan *plan, size_t count, tlv_plan_step then, tlv_pass *pass)
{
	tlv_statistic *sample =
		tlv_plan_ask(&plan->base, pass, "sample", &tlv_aggregate_row_sample, then);

	sample->count = count;
	sample->seed = plan->evidence.options.seed;
}

/* Bytes that a sample may take. */
static double
sample_room(const tlv_context *ctx)
{
	return ((double) ctx->arena.limit - (double) ctx->arena.used) / SAMPLE_SHARE;
}

/* All moments are there. */
static tlv_status
gmm_find_start(tlv_context *ctx, gmm_plan *plan, tlv_pass *pass)
{
	const gmm_evidence *rows = &plan->evidence;

	if (!plan->k_chosen && !plan->covariance_chosen)
	{
		TLV_TRY(gmm_start_fit(ctx, rows, plan->options.fit.k, &plan->start));
		if (gmm_start_is_trusted(rows, &plan->start))
			return gmm_refine_start(ctx, plan, pass);
	}
	ask_sample(plan, gmm_sample_size(rows, largest_k(plan), sample_room(ctx)), take_sample, pass);
	return TLV_OK;
}

/* ---- moments ---- */

static tlv_status
take_compressed(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	tlv_plan_keep(base, KEPT_COMPRESSED, &values[0]);
	plan->evidence.compressed = &base->kept[KEPT_COMPRESSED]->frame;
	return gmm_find_start(ctx, plan, pass);
}

/* Moments in as many leading directions as components may be fitted. */
static tlv_status
ask_compressed(tlv_context *ctx, gmm_plan *plan, size_t directions, tlv_plan_step then,
			   tlv_pass *pass)
{
	tlv_making made;
	tlv_statistic *compressed;

	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->subspace,
		tlv_dense_subspace(ctx, plan->evidence.moments, directions, &made.image, &made.size)));
	compressed = tlv_plan_ask(&plan->base, pass, "moments", &tlv_aggregate_dense_moments, then);
	compressed->constant = &plan->subspace.frame;
	compressed->order = 3;
	return TLV_OK;
}

/* ---- wide rows: starts and k from the sample in the leading directions ---- */

static bool
is_wide(const gmm_plan *plan)
{
	const gmm_evidence *rows = &plan->evidence;

	return plan->options.refine && rows->d >= GMM_WIDE && largest_k(plan) > 1 && rows->n > 1 &&
		   rows->options.covariance <= TLV_COVARIANCE_SPHERICAL &&
		   rows->options.tails == TLV_TAILS_NORMAL && rows->options.views == TLV_GMM_MOMENTS;
}

static tlv_status
take_wide_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	gmm_evidence *rows = &plan->evidence;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	tlv_plan_keep(base, KEPT_COMPRESSED, &values[0]);
	rows->compressed = &base->kept[KEPT_COMPRESSED]->frame;
	TLV_TRY(gmm_start_fit(ctx, rows, plan->start.k, &plan->start));
	if (gmm_start_is_trusted(rows, &plan->start))
		gmm_start_free(ctx, &plan->clusters);
	else
		TLV_TRY(gmm_wide_better(ctx, rows, &plan->clusters, &plan->start));
	return gmm_refine_start(ctx, plan, pass);
}

static double
third_moments(size_t k)
{
	return (double) k * (double) (k + 1) * (double) (k + 2) / 6;
}

/* The start of wide rows: clusters, and where these overlap the fit to third moments as well, where
 * so many components have them, and rows enough for them. */
static tlv_status
find_wide_start(tlv_context *ctx, gmm_plan *plan, tlv_pass *pass)
{
	const gmm_evidence *rows = &plan->evidence;
	gmm_start *start = &plan->start;

	if (start->k == 1)
	{
		TLV_TRY(gmm_start_fit(ctx, rows, 1, start));
		return gmm_refine_start(ctx, plan, pass);
	}
	TLV_TRY(gmm_wide_clusters(ctx, rows, plan->directions, plan->points, start));
	if (start->k > GMM_WIDE_MOST_DIRECTIONS || start->entropy <= GMM_WIDE_SEPARATE ||
		third_moments(start->k) > rows->n)
		return gmm_refine_start(ctx, plan, pass);
	plan->clusters = *start;
	return ask_compressed(ctx, plan, start->k, take_wide_moments, pass);
}

/* Components that the sample of wide rows is large enough for. */
static size_t
wide_sample_k(const gmm_plan *plan)
{
	return plan->k_chosen
			   ? tlv_least(tlv_least(GMM_WIDE_MOST_DIRECTIONS, largest_k(plan)), WIDE_SAMPLE_K)
			   : plan->options.fit.k;
}

/* Where the sample is all rows no further pass reads them; the first of them are the sample then.
 */
static void
hold_rows(gmm_plan *plan)
{
	gmm_evidence *rows = &plan->evidence;
	tlv_gmm_sample *sample = &rows->sample;

	if ((double) sample->n < rows->n)
		return;
	plan->base.memory = (tlv_plan_memory){sample->n, sample->d, sample->rows, sample->center};
	sample->n = tlv_least(sample->n, gmm_sample_size(rows, wide_sample_k(plan), HUGE_VAL));
}

/* The number of components, if it is not given, and then the start. */
static tlv_status
take_wide_sample(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	gmm_evidence *rows = &plan->evidence;

	TLV_TRY(open_sample(ctx, plan, values));
	hold_rows(plan);
	plan->directions = gmm_wide_directions(&plan->leading.frame);
	TLV_TRY(gmm_wide_project(ctx, &rows->sample, &plan->leading.frame, plan->directions,
							 &plan->points));
	plan->start.k = plan->options.fit.k;
	if (plan->k_chosen)
	{
		TLV_TRY(gmm_wide_choose(ctx, rows, plan->directions, plan->points, plan->options.max_k,
								&plan->choice));
		plan->start.k = plan->choice.k;
	}
	return find_wide_start(ctx, plan, pass);
}

static tlv_status
ask_wide(tlv_context *ctx, gmm_plan *plan, tlv_pass *pass)
{
	const gmm_evidence *rows = &plan->evidence;
	size_t most = tlv_least(GMM_WIDE_MOST_DIRECTIONS, largest_k(plan));
	tlv_making made;

	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(
		ctx, &made, &plan->leading,
		tlv_dense_subspace(ctx, rows->moments, tlv_least(most, rows->d), &made.image, &made.size)));
	most = gmm_sample_size(rows, wide_sample_k(plan), sample_room(ctx));
	if (rows->n * (double) (rows->d * sizeof(double)) <= sample_room(ctx))
		most = (size_t) rows->n;
	ask_sample(plan, most, take_wide_sample, pass);
	return TLV_OK;
}

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	gmm_evidence *rows = &plan->evidence;
	size_t most, k = plan->options.fit.k;

	TLV_TRY(tlv_plan_require_rows(ctx, values[0], "rows"));
	tlv_plan_keep(base, KEPT_MOMENTS, &values[0]);
	rows->moments = &base->kept[KEPT_MOMENTS]->frame;
	rows->n = tlv_frame_scalar(rows->moments, "rows", 0);
	rows->d = tlv_frame_find(rows->moments, "shift")->rows;
	if ((double) k > rows->n)
		return tlv_refuse_few(ctx, rows->n, "rows", k, "components");
	TLV_TRY(gmm_fit_single(ctx, rows, &plan->single));
	TLV_TRY(gmm_single_likelihoods(ctx, rows, plan->single_likelihood));
	rows->single = &plan->single.frame;
	if (rows->d >= GMM_WIDE)
		plan->covariance_chosen = false;
	if (is_wide(plan))
		return ask_wide(ctx, plan, pass);
	/* One component needs no third moments, and more than a compressed tensor holds have none. */
	most = rows->d < TLV_DENSE_MOST_3 ? rows->d : TLV_DENSE_MOST_3;
	if (rows->d <= GMM_MOST_THIRD || largest_k(plan) == 1 || k > most || rows->n < 2)
		return gmm_find_start(ctx, plan, pass);
	return ask_compressed(ctx, plan, largest_k(plan) < most ? largest_k(plan) : most,
						  take_compressed, pass);
}

/* ---- the plan ---- */

static tlv_status
gmm_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	gmm_plan *plan = gmm_plan_of(base);
	bool third = base->rows.width[0] <= GMM_MOST_THIRD;

	if (plan->options.max_k == 0)
		plan->options.max_k = base->rows.width[0] >= GMM_WIDE && plan->options.refine &&
									  plan->options.fit.tails == TLV_TAILS_NORMAL &&
									  plan->evidence.options.covariance <= TLV_COVARIANCE_SPHERICAL
								  ? GMM_WIDE_MOST_K
								  : USUAL_MOST_K;
	TLV_TRY_NEW0(ctx, plan->criteria.bic, plan->options.max_k);
	TLV_TRY_NEW0(ctx, plan->criteria.icl, plan->options.max_k);
	tlv_plan_ask(&plan->base, pass, "moments", &tlv_aggregate_dense_moments, take_moments)->order =
		third ? 3 : 2;
	return TLV_OK;
}

static const tlv_plan_class gmm_plan_class = {
	.name = "tlv_gmm", .next = gmm_begin, .support = &gmm_support};

tlv_status
tlv_gmm_plan_create(tlv_context *ctx, const tlv_gmm_plan_options *options, tlv_plan **result)
{
	gmm_plan *plan;

	if (options->fit.k > TLV_MIXTURE_MOST_COMPONENTS ||
		options->max_k > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%s = %zu is more than %d",
						options->fit.k > TLV_MIXTURE_MOST_COMPONENTS ? "k" : "max_k",
						options->fit.k > TLV_MIXTURE_MOST_COMPONENTS ? options->fit.k
																	 : options->max_k,
						TLV_MIXTURE_MOST_COMPONENTS);
	TLV_TRY_NEW0(ctx, plan, 1);
	plan->base.class = &gmm_plan_class;
	plan->options = *options;
	plan->evidence.options = options->fit;
	plan->evidence.refine = options->refine;
	plan->k_chosen = options->fit.k == 0;
	plan->logarithms_likelihood = -HUGE_VAL;
	plan->covariance_chosen = options->fit.any_covariance;
	plan->evidence.options.any_covariance = false;
	if (plan->covariance_chosen) /* until there is a sample */
		plan->evidence.options.covariance = TLV_COVARIANCE_SPHERICAL;
	*result = &plan->base;
	return TLV_OK;
}
