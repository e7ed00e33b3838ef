/*
 * train.c - rows in memory (internal.h): starts from moments and from k-means, refined without a
 * tenth of the cells; that which says more of these is refined with all.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/assert.h"

/* Steps of a trial, the values that it is over, and its rows at least; over more values fewer. */
#define TRIAL_STEPS	 30
#define LEAST_STEPS	 8
#define TRIAL_WORK	 4e6
#define TRIAL_VALUES 200000
#define TRIAL_ROWS	 500
/* Rows of a trial for every component: of fewer starts are compared as they are, since what refines
 * them fits these rows alone. */
#define TRIAL_EACH 30
/* Steps of a row's membership where held-out cells are compared. */
#define SCORE_STEPS 20
/* Steps of what is chosen when their number is left to us: of chains fewer over many values. */
#define CLASS_STEPS		 500
#define MIXED_STEPS		 20
#define MIXED_MOST_STEPS 60
/* The likelihood of a row stands when it rises by less, for every value. */
#define TOLERANCE 1e-6
/* Above so many categories only some variables' moments are taken, and the others follow. */
#define MANY_CATEGORIES 2000
/* Of the logarithm of a root: sums of the Dirichlet's parameters are tried that differ by more. */
#define ALPHAS_APART 0.5
/* Starts from k-means, each from other first centers. */
#define CLUSTER_STARTS 2
/* Rows at most that k-means goes through where its clusters are the answer. */
#define CLUSTER_ROWS 10000

static tlv_status
fit_create(tlv_context *ctx, const membership_rows *rows, size_t k, membership_fit *fit)
{
	memset(fit, 0, sizeof(*fit));
	fit->k = k;
	TLV_TRY_NEW(ctx, fit->weights, k);
	TLV_TRY_NEW_ROWS(ctx, fit->table, rows->categories, k);
	return TLV_OK;
}

static tlv_status
fit_copy(tlv_context *ctx, const membership_rows *rows, const membership_fit *fit,
		 membership_fit *copy)
{
	TLV_TRY(fit_create(ctx, rows, fit->k, copy));
	memcpy(copy->weights, fit->weights, fit->k * sizeof(double));
	memcpy(copy->table, fit->table, rows->categories * fit->k * sizeof(double));
	return membership_numbers_copy(ctx, &fit->numbers, &copy->numbers);
}

static tlv_status
sums_create(tlv_context *ctx, const membership_rows *rows, size_t k, membership_sums *sums)
{
	TLV_TRY_NEW_ROWS(ctx, sums->weights, k, 1);
	TLV_TRY_NEW_ROWS(ctx, sums->counts, membership_sum_rows(rows), k);
	return TLV_OK;
}

static void
sums_clear(const membership_rows *rows, size_t k, membership_sums *sums)
{
	sums->rows = sums->log_likelihood = 0;
	memset(sums->weights, 0, k * sizeof(double));
	memset(sums->counts, 0, membership_sum_rows(rows) * k * sizeof(double));
}

static bool
all_positive(size_t k, double *weights)
{
	bool positive = true;

	tlv_assert(weights != NULL);
	for (size_t h = 0; h < k; h++)
		positive = positive && weights[h] > 0;
	return positive;
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

/* ---- numbers ---- */

/* Parameters of the numbers from the shares of their groups in the components, unless they are
 * known. */
static tlv_status
start_numbers(tlv_context *ctx, const membership_rows *rows, membership_fit *fit)
{
	size_t k = fit->k, q = rows->scalars;

	if (q == 0 || fit->numbers.q > 0)
		return TLV_OK;
	TLV_TRY(membership_numbers_create(ctx, q, k, &fit->numbers));
	memcpy(fit->numbers.centre, rows->centre, q * sizeof(double));
	memcpy(fit->numbers.deviation, rows->deviation, q * sizeof(double));
	for (size_t i = 0; i < q * k; i++)
	{
		size_t s = i / k, j = rows->p - q + s;
		double mean = 0, variance = 0;

		for (size_t v = rows->offset[j]; v < rows->offset[j + 1]; v++)
		{
			double share = fit->table[v * k + i % k], own = rows->group[2 * v] - rows->centre[s];

			mean += share * own;
			variance += share * (rows->group[2 * v + 1] + own * own);
		}
		fit->numbers.mean[i] = rows->centre[s] + mean;
		fit->numbers.variance[i] =
			fmax(variance - mean * mean, 0.05 * rows->deviation[s] * rows->deviation[s]);
	}
	return TLV_OK;
}

/* Items of row i, numbers by their values. */
static size_t
row_members(const membership_rows *rows, const uint16_t *codes, size_t i, membership_worker *worker)
{
	const uint16_t *row = codes + i * rows->slots;
	size_t n = 0, counted = rows->slots - rows->scalars;

	if (rows->scalars == 0)
		return membership_row_items(rows, codes, i, rows->items);
	for (size_t s = 0; s < counted; s++)
		if (row[s] != 0)
			rows->items[n++] = (int32_t) (rows->offset[s] + row[s] - 1);
	for (size_t s = 0; s < rows->scalars; s++)
		if (row[counted + s] != 0)
			rows->items[n++] =
				membership_worker_take(worker, s, rows->numbers[i * rows->scalars + s]);
	return n;
}

/* The sums of the logarithms of factorials of all values that are there (q). */
static tlv_status
sum_logs(tlv_context *ctx, const membership_rows *rows, double *logs)
{
	size_t q = rows->scalars;

	for (size_t i = 0; i < rows->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t s = 0; s < q; s++)
			if (rows->whole[s] && rows->codes[(i + 1) * rows->slots - q + s] != 0)
				logs[s] += lgamma(rows->numbers[i * q + s] + 1);
	}
	return TLV_OK;
}

/* ---- refinement ---- */

/* What a refinement works with. */
typedef struct refinement
{
	membership_worker worker;
	membership_sums sums, late; /* of a step; of the later half of all steps */
	uint8_t *draws;				/* n x slots: the chains of mixed membership; or NULL */
	double *logs;				/* scalars: of factorials of the rows' counts */
} refinement;

static tlv_status
refinement_begin(tlv_context *ctx, const membership_rows *rows, bool mixed, membership_fit *fit,
				 refinement *own)
{
	size_t k = fit->k;

	memset(own, 0, sizeof(*own));
	TLV_TRY(membership_worker_create(ctx, mixed, k, rows->categories, rows->slots, &own->worker));
	TLV_TRY(start_numbers(ctx, rows, fit));
	TLV_TRY(membership_worker_number(ctx, &own->worker, membership_real_categories(rows),
									 &fit->numbers));
	TLV_TRY_NEW0(ctx, own->logs, rows->scalars + 1);
	TLV_TRY(sum_logs(ctx, rows, own->logs));
	TLV_TRY(sums_create(ctx, rows, k, &own->sums));
	TLV_TRY(sums_create(ctx, rows, k, &own->late));
	sums_clear(rows, k, &own->late);
	if (mixed)
		TLV_TRY_NEW_ROWS(ctx, own->draws, rows->n, rows->slots);
	return TLV_OK;
}

static void
refinement_end(tlv_context *ctx, refinement *own)
{
	tlv_free(ctx, own->draws);
	tlv_free(ctx, own->logs);
	tlv_free(ctx, own->late.counts);
	tlv_free(ctx, own->late.weights);
	tlv_free(ctx, own->sums.counts);
	tlv_free(ctx, own->sums.weights);
	membership_worker_free(ctx, &own->worker);
}

/* The sums of all rows under the parameters. */
static tlv_status
refinement_expect(tlv_context *ctx, membership_rows *rows, uint64_t seed, int step, refinement *own)
{
	sums_clear(rows, own->worker.k, &own->sums);
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = row_members(rows, rows->codes, i, &own->worker);
		membership_chain chain = {own->draws + i * rows->slots, step > 0};

		if (i % 16 == 0)
			TLV_TRY_CONTINUE(ctx);
		membership_expect(&own->worker, n, rows->items, tlv_mix64(seed + i) + (uint64_t) step,
						  own->draws != NULL ? &chain : NULL, &own->sums);
	}
	return TLV_OK;
}

/* Sums of the later half together: draws of a chain, of which one step alone has but a few. */
static void
add_late(const membership_rows *rows, refinement *own)
{
	size_t k = own->worker.k;

	own->late.rows += own->sums.rows;
	for (size_t h = 0; h < k; h++)
		own->late.weights[h] += own->sums.weights[h];
	for (size_t i = 0; i < k * membership_sum_rows(rows); i++)
		own->late.counts[i] += own->sums.counts[i];
}

static void
scale_late(const membership_rows *rows, refinement *own)
{
	double scale = (double) rows->n / own->late.rows;

	for (size_t i = 0; i < own->worker.k * membership_sum_rows(rows); i++)
		own->late.counts[i] *= scale;
}

/* Parameters from sums, those of numbers included. */
static void
refinement_maximize(const membership_rows *rows, const refinement *own,
					const membership_training *training, const membership_sums *sums,
					membership_fit *fit)
{
	membership_maximize(own->worker.mixed, training->prior, rows->p - rows->scalars, rows->states,
						fit->k, sums, fit->weights, fit->table);
	membership_numbers_maximize(sums->counts + membership_real_categories(rows) * fit->k,
								rows->whole, own->logs, &fit->numbers);
}

/* At most so many steps, of classes until the likelihood stands. */
static tlv_status
refine(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options, int steps,
	   membership_fit *fit, membership_training *training)
{
	double before = -HUGE_VAL;
	refinement own;

	tlv_assert(all_positive(fit->k, fit->weights));
	TLV_TRY(refinement_begin(ctx, rows, options->mixed, fit, &own));
	training->stands = false;
	for (training->taken = 0; training->taken < steps && !training->stands; training->taken++)
	{
		membership_worker_set(&own.worker, rows->categories, fit->weights, fit->table);
		own.worker.silent = options->mixed && training->taken + 1 < steps;
		TLV_TRY(refinement_expect(ctx, rows, options->seed, training->taken, &own));
		refinement_maximize(rows, &own, training, &own.sums, fit);
		if (training->taken >= steps / 2)
			add_late(rows, &own);
		training->likelihood = own.sums.log_likelihood / own.sums.rows;
		training->stands =
			!options->mixed && training->likelihood - before < TOLERANCE * (double) rows->slots;
		before = training->likelihood;
	}
	if (options->mixed && steps > 0)
	{
		scale_late(rows, &own);
		refinement_maximize(rows, &own, training, &own.late, fit);
	}
	refinement_end(ctx, &own);
	return TLV_OK;
}

/* ---- cells held out ---- */

typedef struct held_score
{
	double cells, sum, marginal, squares; /* of the difference of both */
} held_score;

/* Logarithm of what an item is among all rows: a share, or a normal density. */
static double
log_marginal(const membership_worker *worker, const membership_rows *rows, int32_t item)
{
	size_t s = (size_t) item - worker->first;
	double beyond;

	if ((size_t) item < worker->first)
		return log(fmax(rows->marginal[item], 1e-3 / (double) rows->n));
	beyond = (worker->x[s] - rows->centre[s]) / rows->deviation[s];
	return -beyond * beyond / 2 - log(2 * M_PI) / 2 - log(rows->deviation[s]);
}

static void
score_row(const membership_worker *worker, const membership_rows *rows, size_t n, held_score *score)
{
	for (size_t s = 0; s < n; s++)
	{
		const double *own = membership_item(worker, rows->items[s]);
		double p = 0, m = log_marginal(worker, rows, rows->items[s]);

		for (size_t h = 0; h < worker->k; h++)
			p += worker->shares[h] * own[h];
		p = log(fmax(p, TLV_MEMBERSHIP_LEAST));
		if ((size_t) rows->items[s] >= worker->first)
			p += worker->largest[(size_t) rows->items[s] - worker->first];
		score->cells++;
		score->sum += p;
		score->marginal += m;
		score->squares += (p - m) * (p - m);
	}
}

static tlv_status
score_held(tlv_context *ctx, membership_rows *rows, bool mixed, const membership_fit *fit,
		   membership_training *training)
{
	membership_worker worker;
	held_score score = {0};
	double mean, before;

	TLV_TRY(membership_worker_create(ctx, mixed, fit->k, rows->categories, rows->slots, &worker));
	TLV_TRY(
		membership_worker_number(ctx, &worker, membership_real_categories(rows), &fit->numbers));
	membership_worker_set(&worker, rows->categories, fit->weights, fit->table);
	worker.most_steps = SCORE_STEPS;
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = row_members(rows, rows->codes, i, &worker);

		if (i % 64 == 0)
			TLV_TRY_CONTINUE(ctx);
		(void) membership_infer(&worker, n, rows->items);
		n = row_members(rows, rows->held, i, &worker);
		before = score.sum;
		score_row(&worker, rows, n, &score);
		if (training->others != NULL)
			training->others[i] = score.sum - before;
	}
	score.cells = fmax(score.cells, 1);
	training->cells = score.cells;
	training->held = score.sum / score.cells;
	training->marginal = score.marginal / score.cells;
	mean = training->held - training->marginal;
	training->held_error = sqrt(fmax(score.squares / score.cells - mean * mean, 0) / score.cells);
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

	TLV_TRY(sums_create(ctx, rows, k, &sums));
	sums_clear(rows, k, &sums);
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		sums.weights[label[i]]++;
		for (size_t s = 0; s < n; s++)
			sums.counts[(size_t) rows->items[s] * k + (size_t) label[i]]++;
	}
	membership_maximize(options->mixed, MEMBERSHIP_PRIOR, rows->p, rows->states, k, &sums,
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
	if (rows->categories > MANY_CATEGORIES)
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
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_OK;
	TLV_TRY(status);
	TLV_TRY(membership_decompose(ctx, &moments, basis, &triples, &options->decompose, fit));
	*found = true;
	tlv_free(ctx, moments.pairs);
	return TLV_OK;
}

/* The same, or by partitions, of which the joint moments have said alpha0. */
static tlv_status
start_components(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
				 size_t k, membership_basis *basis, membership_fit *fit, bool *found)
{
	tlv_membership_options own = *options;
	membership_fit joint = {.k = k};

	own.partition = false;
	if (!options->partition)
		return start_moments(ctx, rows, options, k, basis, fit, found);
	if (own.mixed && own.alpha0 == 0)
	{
		TLV_TRY(start_moments(ctx, rows, &own, k, basis, &joint, found));
		own.alpha0 = *found ? basis->alpha0 : membership_alpha0(options, k);
	}
	own.partition = *found = true;
	TLV_TRY(random_basis(ctx, rows, 2 * k, options->seed, basis));
	basis->alpha0 = own.alpha0;
	return membership_start_of_partitions(ctx, rows, &own, k, fit);
}

/* Factors of groups of variables beside moments that leave much of the triples unexplained; *found:
 * they are there. */
static tlv_status
start_beside(tlv_context *ctx, membership_rows *rows, const tlv_membership_options *options,
			 const membership_fit *moments, double alpha0, membership_fit *fit, bool *found)
{
	tlv_membership_options own = *options;
	tlv_status status;

	*found = false;
	if (!options->mixed || options->partition || rows->scalars > 0 || rows->copies > 1 ||
		rows->categories > MANY_CATEGORIES || options->decompose.method != TLV_METHOD_JOINT ||
		moments->residual < MEMBERSHIP_NOISY)
		return TLV_OK;
	own.partition = true;
	own.alpha0 = alpha0;
	own.decompose = (tlv_decompose_options){.seed = options->decompose.seed};
	status = membership_start_of_partitions(ctx, rows, &own, moments->k, fit);
	*found = status == TLV_OK;
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

static int
trial_steps(const membership_rows *rows)
{
	double values = (double) rows->n * (double) rows->slots;

	return (int) fmax(LEAST_STEPS, fmin(TRIAL_STEPS, TRIAL_WORK / values));
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
	TLV_TRY(refine(ctx, rows, options, best->plain || best->few ? 0 : steps, fit, &own));
	TLV_TRY(score_held(ctx, rows, options->mixed, fit, &own));
	if (best->start != NULL && own.held <= best->held)
		return TLV_OK;
	own.start = name;
	own.scores = best->others;
	own.others = best->scores;
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

		TLV_TRY(fit_copy(ctx, rows, &start, &fit));
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

		TLV_TRY(fit_copy(ctx, rows, &start, &fit));
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

size_t
membership_trial_rows(const membership_rows *rows)
{
	size_t n = TRIAL_VALUES / rows->slots;

	return tlv_least(n < TRIAL_ROWS ? TRIAL_ROWS : n, rows->n);
}

/* The first rows, which are a random part of them. */
static membership_rows
trial_rows(const membership_rows *rows)
{
	membership_rows view = *rows;

	view.n = membership_trial_rows(rows);
	return view;
}

static tlv_status
try_starts(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	tlv_membership_options *options = &training->options;
	membership_rows view = trial_rows(rows);
	int clusters = options->partition ? 0 : view.n < rows->n ? 1 : CLUSTER_STARTS;
	size_t k = training->k;
	membership_fit fit = {.k = k}, whole = {.k = k};
	bool found, beside = false, free = options->mixed && options->alpha0 == 0;
	double usual = membership_alpha0(options, k);

	training->start = NULL;
	training->few = view.n < rows->n && view.n < TRIAL_EACH * k;
	TLV_TRY(start_components(ctx, rows, options, k, &training->basis, &fit, &found));
	training->deficient = !found;
	if (found)
	{
		if (options->mixed)
			options->alpha0 = training->basis.alpha0;
		training->negative = fit.negative;
		training->residual = fit.residual;
		TLV_TRY(fit_copy(ctx, rows, &fit, &whole));
		whole.residual = fit.residual;
		TLV_TRY(try_start(ctx, &view, options, options->partition ? "partition" : "moments",
						  MEMBERSHIP_PRIOR, trial_steps(&view), &fit, training));
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
		double before = training->start != NULL ? training->held : -HUGE_VAL;

		fit.k = k;
		TLV_TRY(start_clusters(ctx, &view, options, &training->basis, number, &fit));
		TLV_TRY(try_start(ctx, &view, options, "clusters", MEMBERSHIP_PRIOR, trial_steps(&view),
						  &fit, training));
		if (training->held > before)
			training->clusters = number;
	}
	if (training->start == NULL || training->plain)
		return TLV_OK;
	if (!training->few)
		TLV_TRY(try_priors(ctx, &view, training));
	if (!training->few && free && found)
		TLV_TRY(try_alphas(ctx, &view, usual, training));
	/* moments of all rows say more than a trial over some */
	if (view.n < rows->n && strcmp(training->start, "clusters") != 0)
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
	tlv_membership_options own = training->options, *options = &own;
	membership_fit fit = {.k = training->k};
	membership_rows view = *rows;
	membership_basis basis;
	bool found;

	view.n = tlv_least(rows->n, CLUSTER_ROWS);
	if (strcmp(training->start, "clusters") == 0)
		return start_clusters(ctx, &view, options, &training->basis, training->clusters,
							  &training->fit);
	own.partition = strcmp(training->start, "partition") == 0;
	TLV_TRY(start_components(ctx, rows, options, training->k, &basis, &fit, &found));
	if (!found) /* that of the values that were not held out stays */
		return TLV_OK;
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
		return CLASS_STEPS;
	return rows->n * rows->slots <= TRIAL_VALUES ? MIXED_MOST_STEPS : MIXED_STEPS;
}

tlv_status
membership_train(tlv_context *ctx, membership_rows *rows, membership_training *training)
{
	int steps = training->steps >= 0 ? training->steps : usual_steps(rows, training->options.mixed);

	TLV_TRY(membership_hold_out(ctx, training->options.seed, rows));
	TLV_TRY(try_starts(ctx, rows, training));
	membership_take_back(ctx, rows);
	if (training->start == NULL)
		return tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%zu rows are fewer than %zu components",
						rows->n, training->k);
	if (training->plain)
	{
		TLV_TRY(take_start(ctx, rows, training));
		return start_numbers(ctx, rows, &training->fit);
	}
	return refine(ctx, rows, &training->options, steps, &training->fit, training);
}
