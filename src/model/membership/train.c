/*
 * train.c - rows in memory (internal.h): starts from moments and from k-means, refined without a
 * tenth of the cells; that which says more of these is refined with all.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

static tlv_status
fit_create(tlv_context *ctx, const membership_rows *rows, size_t k, membership_fit *fit)
{
	memset(fit, 0, sizeof(*fit));
	fit->k = k;
	TLV_TRY_NEW(ctx, fit->weights, k);
	TLV_TRY_NEW_ROWS(ctx, fit->table, rows->categories, k);
	return TLV_OK;
}

/* The memory of the copy is the context's. */
static tlv_status
membership_fit_copy(tlv_context *ctx, const membership_rows *rows, const membership_fit *fit,
					membership_fit *copy)
{
	TLV_TRY(fit_create(ctx, rows, fit->k, copy));
	memcpy(copy->weights, fit->weights, fit->k * sizeof(double));
	memcpy(copy->table, fit->table, rows->categories * fit->k * sizeof(double));
	return membership_numbers_copy(ctx, &fit->numbers, &copy->numbers);
}

static double
sum_of(size_t k, const double *weights)
{
	double sum = 0;

	tlv_assert(weights != NULL); /* a start was tried */
	for (size_t h = 0; h < k; h++)
		sum += weights[h];
	return sum;
}

/* ---- cells held out ---- */

static tlv_status
score_held(tlv_context *ctx, membership_rows *rows, bool mixed, const membership_fit *fit,
		   membership_training *training)
{
	membership_worker worker;

	TLV_TRY(membership_worker_create(ctx, mixed, fit->k, rows->categories, rows->slots, &worker));
	TLV_TRY(
		membership_worker_number(ctx, &worker, membership_real_categories(rows), &fit->numbers));
	TLV_TRY(membership_worker_set(ctx, &worker, rows->categories, fit->weights, fit->table));
	worker.most_steps = MIXED_STEPS;
	TLV_TRY(membership_score_held(ctx, rows, &worker, &training->held));
	membership_worker_free(ctx, &worker);
	return TLV_OK;
}

/* ---- starts ---- */

/* Parameters of rows that belong to the labels. */
static tlv_status
fit_labels(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
		   const int32_t *label, membership_fit *fit)
{
	size_t k = fit->k;
	membership_sums sums;

	TLV_TRY(membership_sums_create(ctx, rows, k, &sums));
	membership_sums_clear(rows, k, &sums);
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		sums.weights[label[i]]++;
		for (size_t s = 0; s < n; s++)
			sums.counts[(size_t) rows->items[s] * k + (size_t) label[i]]++;
	}
	membership_maximize(options->mixed, MEMBERSHIP_PRIOR, 1, rows->p, rows->states, k, &sums,
						fit->weights, fit->table);
	for (size_t h = 0; h < k && options->mixed; h++)
		fit->weights[h] = membership_alpha0(options, k) / (double) k;
	tlv_free(ctx, sums.counts);
	tlv_free(ctx, sums.weights);
	return TLV_OK;
}

/* k-means of the rows in the leading directions. */
static tlv_status
start_clusters(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			   const membership_basis *basis, int number, membership_fit *fit)
{
	size_t k = basis->k;
	tlv_kmeans_task task = {.n = rows->n, .d = k, .k = fit->k, .starts = 5, .max_steps = 50};
	float *points;
	int32_t *label;
	double inertia;
	tlv_rng rng;

	TLV_TRY_NEW0_ROWS(ctx, points, rows->n, k);
	TLV_TRY_NEW(ctx, label, rows->n);
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		for (size_t s = 0; s < n; s++)
		{
			size_t v = (size_t) rows->items[s];

			for (size_t h = 0; h < k; h++)
				points[i * k + h] += (float) (basis->scale[v] * basis->vector[v * k + h]);
		}
	}
	task.points = points;
	tlv_rng_seed(&rng, options->seed + (uint64_t) number);
	TLV_TRY(tlv_kmeans(ctx, &task, &rng, label, NULL, &inertia));
	TLV_TRY(fit_create(ctx, rows, fit->k, fit));
	TLV_TRY(fit_labels(ctx, rows, options, label, fit));
	tlv_free(ctx, label);
	tlv_free(ctx, points);
	return TLV_OK;
}

/* Directions where there are no moments: at random. */
static tlv_status
random_basis(tlv_context *ctx, const membership_rows *rows, size_t k, uint64_t seed,
			 membership_basis *basis)
{
	size_t d = rows->categories;
	tlv_rng rng;

	memset(basis, 0, sizeof(*basis));
	basis->k = k;
	tlv_rng_seed(&rng, seed);
	TLV_TRY_NEW(ctx, basis->scale, d);
	TLV_TRY_NEW_ROWS(ctx, basis->vector, d, k);
	TLV_TRY_NEW0(ctx, basis->value, k + 1);
	TLV_TRY(tlv_fill_normal(ctx, &rng, d * k, basis->vector));
	for (size_t v = 0; v < d; v++)
		basis->scale[v] = 1 / sqrt(rows->marginal[v] + 1e-3);
	return TLV_OK;
}

/* Moments of the rows; *found: their start is there. */
static tlv_status
start_moments(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			  size_t k, membership_basis *basis, membership_fit *fit, bool *found)
{
	const membership_triples triples = {.rows = rows};
	membership_moments moments;
	double alpha0;
	tlv_status status;

	*found = false;
	if (rows->p < 3)
		return random_basis(ctx, rows, 2 * k, options->seed, basis);
	if (rows->categories > MEMBERSHIP_MANY_CATEGORIES)
	{
		status = membership_start_of_anchors(ctx, rows, options, k, basis, fit);
		if (status == TLV_NOT_IDENTIFIABLE)
			return random_basis(ctx, rows, 2 * k, options->seed, basis);
		*found = status == TLV_OK;
		return status;
	}
	TLV_TRY(membership_moments_of_rows(ctx, rows, &moments));
	TLV_TRY(membership_find_alpha0(ctx, &moments, &triples, options, k, &alpha0));
	TLV_TRY(membership_whiten(ctx, &moments, k, alpha0, options->seed, basis));
	status = membership_require_rank(ctx, &moments, basis);
	if (status == TLV_OK)
		status = membership_decompose(ctx, &moments, basis, &triples, &options->decompose, fit);
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	TLV_TRY(status);
	*found = true;
	tlv_free(ctx, moments.pairs);
	return TLV_OK;
}

/* Tables of the rows, whose codes begin at 1. */
static tlv_status
tabulate_rows(tlv_context *ctx, membership_rows *rows, void **image, size_t *size)
{
	tlv_accumulator *sums;
	tlv_frame_builder *builder;

	TLV_TRY(tlv_category_moments_create(ctx, 0, 0, &sums));
	for (size_t i = 0; i < rows->n; i++)
	{
		for (size_t s = 0; s < rows->slots; s++)
			rows->items[s] = rows->codes[i * rows->slots + s] - 1;
		TLV_TRY(tlv_add(ctx, sums, TLV_AS_CODES(rows->slots, rows->items)));
	}
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(sums->class->build(ctx, sums, builder));
	return tlv_frame_finish(ctx, builder, image, size);
}

/* Factors of groups of variables beside moments that leave much of the triples unexplained; *found:
 * they are there. */
static tlv_status
start_beside(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			 const membership_fit *joint, double alpha0, membership_fit *fit, bool *found)
{
	const membership_moments moments = {.p = rows->p,
										.copies = rows->copies,
										.categories = rows->categories,
										.states = rows->states,
										.offset = rows->offset,
										.mean = rows->marginal};
	tlv_membership_options own = *options;
	tlv_category_tables tables;
	tlv_held tabulated = {0};
	tlv_making made;
	tlv_status status;

	*found = false;
	if (!options->mixed || rows->scalars > 0 || rows->copies > 1 ||
		rows->categories > MEMBERSHIP_MANY_CATEGORIES ||
		options->decompose.method != TLV_METHOD_JOINT || joint->residual < TLV_POOR_RESIDUAL)
		return TLV_OK;
	for (size_t j = 0; j < rows->p; j++)
		if (rows->states[j] > TLV_CATEGORY_MOST_STATES)
			return TLV_OK;
	TLV_TRY(TLV_MAKE(ctx, &made, &tabulated, tabulate_rows(ctx, rows, &made.image, &made.size)));
	TLV_TRY(tlv_category_open(ctx, &tabulated.frame, &tables));
	if (tables.triples == NULL)
		return TLV_OK;
	own.k = joint->k;
	own.alpha0 = alpha0;
	own.decompose = (tlv_decompose_options){.seed = options->decompose.seed};
	status = membership_partition_tables(ctx, &tables, &moments, &own, fit);
	*found = status == TLV_OK;
	tlv_category_close(ctx, &tables);
	tlv_free(ctx, tabulated.image);
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

static int
trial_steps(const membership_rows *rows)
{
	double values = (double) rows->n * (double) rows->slots;

	return (int) fmax(QUICK_STEPS, fmin(TRIAL_STEPS, TRIAL_WORK / values));
}

/* Priors are tried on parameters that are refined already: where steps are dear, in half as many.
 */
static int
prior_steps(const membership_rows *rows)
{
	int steps = trial_steps(rows);

	return steps < TRIAL_STEPS ? (steps + 1) / 2 : steps;
}

/* Parameters and a prior, tried without the cells that are held out: kept when they are the best so
 * far. */
static tlv_status
try_start(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
		  const char *name, double prior, int steps, membership_fit *fit, membership_training *best)
{
	membership_training own = *best;

	own.prior = prior;
	if (best->quick && steps > QUICK_STEPS)
		steps = QUICK_STEPS;
	TLV_TRY(membership_refine(ctx, rows, options, best->plain || best->few ? 0 : steps, fit, &own));
	TLV_TRY(score_held(ctx, rows, options->mixed, fit, &own));
	if (best->start != NULL && own.held.mean <= best->held.mean)
		return TLV_OK;
	own.start = name;
	own.fit.weights = fit->weights;
	own.fit.table = fit->table;
	own.fit.numbers = fit->numbers;
	own.fit.k = fit->k;
	*best = own;
	return TLV_OK;
}

/* The best start again with other priors. */
static tlv_status
try_priors(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	static const double priors[] = MEMBERSHIP_PRIORS;
	const membership_fit start = training->fit;

	for (size_t i = 0; i < sizeof(priors) / sizeof(priors[0]); i++)
	{
		membership_fit fit;

		TLV_TRY(membership_fit_copy(ctx, rows, &start, &fit));
		TLV_TRY(try_start(ctx, rows, &training->options, training->start, priors[i],
						  prior_steps(rows), &fit, training));
	}
	return TLV_OK;
}

/* The best start again with memberships as mixed as the moments say, as they usually are, and
 * between both: of few rows moments see purer ones than there are. */
static tlv_status
try_alphas(tlv_context *ctx, membership_rows *rows, double usual, membership_training *training)
{
	const membership_fit start = training->fit;
	double found = training->options.alpha0, factor = sqrt(usual / found);

	for (int i = 0; i < 3 && fabs(log(factor)) > ALPHAS_APART; i++)
	{
		membership_fit fit;

		TLV_TRY(membership_fit_copy(ctx, rows, &start, &fit));
		for (size_t h = 0; h < fit.k; h++)
			fit.weights[h] *= pow(factor, i);
		TLV_TRY(try_start(ctx, rows, &training->options, training->start, training->prior,
						  prior_steps(rows), &fit, training));
	}
	training->options.alpha0 = sum_of(start.k, training->fit.weights);
	return TLV_OK;
}

/* The weights again so that they add up to alpha0. */
static void
scale_weights(double alpha0, membership_fit *fit)
{
	double sum = sum_of(fit->k, fit->weights);

	for (size_t h = 0; h < fit->k; h++)
		fit->weights[h] *= alpha0 / sum;
}

/* The first rows, which are a random part of them. */
static membership_rows
trial_rows(const membership_rows *rows)
{
	size_t n = TRIAL_VALUES / rows->slots;
	membership_rows view = *rows;

	view.n = tlv_least(n < MEMBERSHIP_FEW_ROWS ? MEMBERSHIP_FEW_ROWS : n, rows->n);
	return view;
}

static tlv_status
membership_try_starts(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	tlv_membership_options *options = &training->options;
	membership_rows view = trial_rows(rows);
	int clusters = view.n < rows->n ? 1 : CLASS_CLUSTER_STARTS;
	size_t k = training->k;
	membership_fit fit = {.k = k}, whole = {.k = k};
	bool found, beside = false, free = options->mixed && options->alpha0 == 0;
	double usual = membership_alpha0(options, k);

	training->start = NULL;
	training->few = view.n < rows->n && view.n < TRIAL_EACH * k;
	TLV_TRY(start_moments(ctx, rows, options, k, &training->basis, &fit, &found));
	training->deficient = !found;
	if (found)
	{
		if (options->mixed)
			options->alpha0 = training->basis.alpha0;
		training->negative = fit.negative;
		training->residual = fit.residual;
		TLV_TRY(membership_fit_copy(ctx, rows, &fit, &whole));
		whole.residual = fit.residual;
		TLV_TRY(try_start(ctx, &view, options, "moments", MEMBERSHIP_PRIOR, trial_steps(&view),
						  &fit, training));
	}
	if (found && training->plain)
		TLV_TRY(start_beside(ctx, rows, options, &whole, training->basis.alpha0, &fit, &beside));
	if (beside)
	{
		TLV_TRY(try_start(ctx, &view, options, "partition", MEMBERSHIP_PRIOR, trial_steps(&view),
						  &fit, training));
		clusters = 0; /* as they are, they predict better than they are near */
	}
	for (int number = 0; number < clusters && k <= view.n; number++)
	{
		double before = training->start != NULL ? training->held.mean : -HUGE_VAL;

		fit.k = k;
		TLV_TRY(start_clusters(ctx, &view, options, &training->basis, number, &fit));
		TLV_TRY(try_start(ctx, &view, options, "clusters", MEMBERSHIP_PRIOR, trial_steps(&view),
						  &fit, training));
		if (training->held.mean > before)
			training->clusters = number;
	}
	if (training->start == NULL || training->plain || training->quick)
		return TLV_OK;
	if (!training->few)
		TLV_TRY(try_priors(ctx, &view, training));
	if (!training->few && free && found)
		TLV_TRY(try_alphas(ctx, &view, usual, training));
	/* moments of all rows say more than a trial over some */
	if (found && view.n < rows->n && strcmp(training->start, "clusters") != 0)
	{
		training->fit = whole;
		if (options->mixed)
			scale_weights(options->alpha0, &training->fit);
	}
	return TLV_OK;
}

/* The chosen start of all values, as it is. */
static tlv_status
take_start(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	const tlv_membership_options *options = &training->options;
	membership_fit fit = {.k = training->k}, beside = {.k = training->k};
	membership_rows view = *rows;
	membership_basis basis;
	bool found;

	view.n = tlv_least(rows->n, CLASS_CLUSTER_ROWS);
	if (strcmp(training->start, "clusters") == 0)
		return start_clusters(ctx, &view, options, &training->basis, training->clusters,
							  &training->fit);
	TLV_TRY(start_moments(ctx, rows, options, training->k, &basis, &fit, &found));
	if (!found) /* that of the values that were not held out stays */
		return TLV_OK;
	if (strcmp(training->start, "partition") == 0)
	{
		TLV_TRY(start_beside(ctx, rows, options, &fit, basis.alpha0, &beside, &found));
		if (found)
			fit = beside;
	}
	training->fit = fit;
	training->basis = basis;
	training->negative = fit.negative;
	training->residual = fit.residual;
	return TLV_OK;
}

static int
usual_steps(const membership_rows *rows, bool mixed)
{
	if (!mixed)
		return MEMBERSHIP_CLASS_STEPS;
	return rows->n * rows->slots <= TRIAL_VALUES ? MIXED_FEW_STEPS : MIXED_STEPS;
}

tlv_status
membership_train(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	int steps = training->steps >= 0 ? training->steps : usual_steps(rows, training->options.mixed);

	TLV_TRY(membership_hold_out(ctx, training->options.seed, rows));
	TLV_TRY(membership_try_starts(ctx, rows, training));
	membership_take_back(ctx, rows);
	if (training->start == NULL)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu %s fewer than %zu %s", rows->n,
						tlv_plural((double) rows->n, "row is", "rows are"), training->k,
						tlv_plural((double) training->k, "component", "components"));
	if (training->plain)
	{
		TLV_TRY(take_start(ctx, rows, training));
		return membership_start_numbers(ctx, rows, &training->fit);
	}
	return membership_refine(ctx, rows, &training->options, steps, &training->fit, training);
}
