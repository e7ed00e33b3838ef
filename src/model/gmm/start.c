/*
 * start.c - a mixture of Gaussians from rows in memory: k-means++ starts and expectation
 * maximisation, the better half of the starts going on (gmm.h).
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "wide.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/em.h"
#include "tensorlv/num/kmeans.h"
#include "tensorlv/num/linalg.h"

/* Sums of squares nearer than this part are those of the same clusters. */
#define SAME_CLUSTERS 1e-9

/* Up to so many rows x components x dimensions starts cost next to nothing. */
#define SMALL 20000.0
/* Of more rows than this, starts cost little beside the refinement on all of them. */
#define GMM_START_LARGE 5000
/* Kinds of starts, which follow each other in turn. */
#define START_KINDS 3

/* Rows that are looked at: in all, by component, and by component and dimension of full
 * covariances, the most of these. */
typedef struct gmm_effort
{
	double rows;
	double each;
	double each_dimension;
} gmm_effort;

/* What is done with every start. */
typedef struct gmm_plan
{
	gmm_effort seeds;			  /* rows of k-means++ */
	int lloyd_steps[START_KINDS]; /* of k-means, at most */
	double kept;				  /* this part goes on after k-means, by its sum of squares */
	int steps; /* of expectation maximisation in the first round; each round doubles them */
} gmm_plan;

/*
 * Of few rows, and of k-means to its end, all go on: the best optima may begin in poor clusters.
 * Else the sum of squares tells early which clusters are good for a spherical mixture, less so for
 * a diagonal one, and not for full covariances; and few steps leave starts more different, as do
 * few rows to begin with (but among few, spherical components miss what lies far out).
 */
static const gmm_plan small_plan = {{2500, 100, 0}, {30, 30, 30}, 1, 4};
static const gmm_plan spherical_plan = {{2500, 100, 0}, {3, 3, 3}, 0.3, 2};
static const gmm_plan large_plan = {{2500, 100, 0}, {10, 10, 10}, 0.4, 2}; /* spherical */
static const gmm_plan diagonal_plan = {{500, 50, 0}, {3, 1, 1}, 0.5, 2};
static const gmm_plan large_diagonal_plan = {{200, 25, 0}, {10, 0, 3}, 1, 2};
static const gmm_plan full_plan = {{1000, 100, 0}, {10, 0, 3}, 1, 1};

/* Rows of k-means, and of the first round; each round doubles them, too. */
static const gmm_effort kmeans_effort = {2500, 250, 10};
static const gmm_effort first_effort = {500, 50, 10};

/* A sample, and the floor of variances. */
typedef struct gmm_sample
{
	size_t n, d;
	const double *floor; /* d */
	const double *center, *scale;
	const double *rows;
} gmm_sample;

static gmm_sample
with_floor(const tlv_gmm_sample *rows, const double *floor)
{
	return (gmm_sample){rows->n, rows->d, floor, rows->center, rows->scale, rows->rows};
}

typedef struct gmm_candidate
{
	tlv_mixture mixture;
	double log_likelihood; /* mean over the rows looked at last */
	double entropy;		   /* the same, of responsibilities */
	size_t rows;		   /* their number */
	int steps;			   /* done */
	bool stands;
	bool given;
	bool degenerate; /* after all steps (internal.h) */
} gmm_candidate;

/* ---- expectation maximisation ---- */

/* A candidate and the rows that it is refined on. */
typedef struct start_refinement
{
	const gmm_sample *sample;
	size_t n; /* rows, the first ones */
	gmm_candidate *candidate;
	const tlv_em *em;
	tlv_mixture_worker worker;
	tlv_mixture_sums sums;
} start_refinement;

static tlv_status
start_expect(tlv_context *ctx, void *state, double *likelihood)
{
	start_refinement *own = state;
	const gmm_sample *sample = own->sample;

	tlv_mixture_sums_clear(own->worker.mixture, &own->sums);
	TLV_TRY(tlv_mixture_worker_prepare(ctx, &own->worker));
	for (size_t first = 0; first < own->n; first += TLV_MIXTURE_BLOCK)
		TLV_TRY(tlv_mixture_expect(ctx, &own->worker, tlv_least(TLV_MIXTURE_BLOCK, own->n - first),
								   sample->rows + first * sample->d, &own->sums));
	*likelihood = own->sums.log_likelihood / own->sums.rows;
	return TLV_OK;
}

static tlv_status
start_maximize(tlv_context *ctx, void *state)
{
	start_refinement *own = state;

	if (own->em->stands) /* it keeps the likelihood that is known */
		return TLV_OK;
	own->candidate->steps++;
	return tlv_mixture_maximize(ctx, &own->sums, own->sample->center, own->sample->floor, 1,
								&own->candidate->mixture);
}

/*
 * Up to `steps` iterations on the first n rows.  log_likelihood is that of the mixture before the
 * last maximisation, with `finish` that of the mixture at the end.
 */
static tlv_status
start_refine(tlv_context *ctx, const gmm_sample *sample, size_t n, int steps, bool finish,
			 gmm_candidate *candidate)
{
	bool again = candidate->rows == n;
	start_refinement own = {.sample = sample, .n = n, .candidate = candidate};
	tlv_em em = {.state = &own,
				 .expect = start_expect,
				 .maximize = start_maximize,
				 .limit = steps + finish,
				 .steps_on = !finish,
				 .tolerance = TLV_MIXTURE_TOLERANCE,
				 .relative = TLV_MIXTURE_TOLERANCE,
				 .likelihood = again ? candidate->log_likelihood : -HUGE_VAL};

	if (again && candidate->stands)
		return TLV_OK;
	own.em = &em;
	TLV_TRY(tlv_mixture_sums_create(ctx, &candidate->mixture, &own.sums));
	TLV_TRY(tlv_mixture_worker_open(ctx, &candidate->mixture, sample->center, &own.worker));
	if (sample->d >= GMM_WIDE && candidate->mixture.covariance <= TLV_COVARIANCE_SPHERICAL)
		TLV_TRY(tlv_mixture_worker_narrow(ctx, &own.worker));
	TLV_TRY(tlv_em_run(ctx, &em));
	candidate->rows = n;
	candidate->stands = em.stands;
	candidate->log_likelihood = em.likelihood;
	if (em.taken > 0)
		candidate->entropy = own.sums.entropy / own.sums.rows;
	tlv_mixture_worker_free(ctx, &own.worker);
	tlv_mixture_sums_free(ctx, &own.sums);
	return TLV_OK;
}

/* ---- starts ---- */

/* Clusters of the first rows, of every start. */
typedef struct gmm_clusters
{
	size_t n;
	size_t starts;
	size_t own_units; /* so many starts, the first, are in units of every coordinate's own */
	bool one_unit;	  /* which are the same */
	int32_t *label;	  /* n x starts */
	double *inertia;  /* starts: sums of squares within clusters, in the units of the start */
} gmm_clusters;

/*
 * The first n rows, each coordinate by the root of its own variance, or all by that of their mean:
 * what squared differences count in k-means.
 */
static void
gmm_scale_rows(const gmm_sample *sample, size_t n, bool own, float *points)
{
	size_t d = sample->d;
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += sample->scale[i] / (double) d;
	for (size_t i = 0; i < d; i++)
	{
		double factor = 1 / sqrt(own ? sample->scale[i] : mean);

		for (size_t t = 0; t < n; t++)
			points[t * d + i] = (float) (factor * sample->rows[t * d + i]);
	}
}

/* A mixture from the clusters of the first n rows. */
static tlv_status
mixture_of_clusters(tlv_context *ctx, const gmm_sample *sample, size_t n, const int32_t *label,
					tlv_mixture *mixture)
{
	size_t d = sample->d;
	tlv_mixture_worker worker;
	tlv_mixture_sums sums;

	for (size_t j = 0; j < mixture->k; j++) /* of a component without rows */
	{
		memcpy(mixture->means + j * d, sample->center, d * sizeof(double));
		if (mixture->covariance == TLV_COVARIANCE_DIRECTION) /* anywhere */
			mixture->means[j * d + j % d] = 1;
	}
	TLV_TRY(tlv_mixture_sums_create(ctx, mixture, &sums));
	TLV_TRY(tlv_mixture_worker_open(ctx, mixture, sample->center, &worker));
	for (size_t first = 0; first < n; first += TLV_MIXTURE_BLOCK)
		TLV_TRY(tlv_mixture_add_labelled(ctx, &worker, tlv_least(TLV_MIXTURE_BLOCK, n - first),
										 sample->rows + first * d, label + first, &sums));
	TLV_TRY(tlv_mixture_maximize(ctx, &sums, sample->center, sample->floor, 1, mixture));
	tlv_mixture_worker_free(ctx, &worker);
	tlv_mixture_sums_free(ctx, &sums);
	return TLV_OK;
}

/* Variances of the whole sample: what a component without rows keeps. */
static void
widen(const gmm_sample *sample, tlv_mixture *mixture)
{
	size_t d = sample->d, variances = tlv_mixture_variances(d, mixture->covariance);
	double mean = 0;

	for (size_t i = 0; i < d; i++)
		mean += sample->scale[i] / (double) d;
	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * variances;

		if (variances == 1)
			own[0] = mean;
		for (size_t i = 0; i < d && variances > 1; i++)
			own[tlv_is_matrix(mixture->covariance) ? tlv_packed2_index(i, i) : i] =
				sample->scale[i];
	}
}

static int
compare_candidates(const void *a, const void *b)
{
	const gmm_candidate *x = a, *y = b;

	if (x->degenerate != y->degenerate)
		return x->degenerate ? 1 : -1;
	return x->log_likelihood > y->log_likelihood ? -1 : x->log_likelihood < y->log_likelihood;
}

void
tlv_gmm_copy(const tlv_mixture *from, tlv_mixture *to)
{
	size_t k = from->k, d = from->d;

	memcpy(to->weights, from->weights, k * sizeof(double));
	memcpy(to->means, from->means, k * d * sizeof(double));
	memcpy(to->variances, from->variances,
		   k * tlv_mixture_variances(d, from->covariance) * sizeof(double));
	if (from->degrees == NULL)
		return;
	tlv_mixture_use_tails(to);
	memcpy(to->degrees, from->degrees, k * sizeof(double));
}

/* The clusters of starts a and b are the same, as far as their sums of squares can tell. */
static bool
same_clusters(const gmm_clusters *clusters, size_t a, size_t b)
{
	const double *inertia = clusters->inertia;

	return fabs(inertia[a] - inertia[b]) <= SAME_CLUSTERS * fabs(inertia[a]);
}

/* Is the start among the best `kept` of its own units, and the first with its clusters? */
static bool
is_kept(const gmm_clusters *clusters, size_t start, size_t kept)
{
	size_t better = 0;

	for (size_t s = 0; s < clusters->starts; s++)
	{
		if (!clusters->one_unit && (s < clusters->own_units) != (start < clusters->own_units))
			continue;
		if (s < start && same_clusters(clusters, s, start))
			return false;
		better +=
			clusters->inertia[s] < clusters->inertia[start] && !same_clusters(clusters, s, start);
	}
	return better < kept;
}

/* One more candidate, whose variances are those of the whole sample. */
static tlv_status
open_candidate(tlv_context *ctx, const gmm_sample *sample, const tlv_gmm_start_options *options,
			   tlv_mixture *mixture)
{
	TLV_TRY(tlv_mixture_create(ctx, options->k, sample->d, options->covariance, mixture));
	if (options->tails == TLV_TAILS_T)
		tlv_mixture_use_tails(mixture);
	widen(sample, mixture);
	return TLV_OK;
}

/* Candidates from the better clusters. */
static tlv_status
add_clusters(tlv_context *ctx, const gmm_sample *sample, const gmm_clusters *clusters,
			 const tlv_gmm_start_options *options, size_t kept, gmm_candidate *candidates,
			 int *found)
{
	for (size_t s = 0; s < clusters->starts; s++)
	{
		tlv_mixture *mixture = &candidates[*found].mixture;

		if (!is_kept(clusters, s, kept))
			continue;
		++*found;
		TLV_TRY(open_candidate(ctx, sample, options, mixture));
		TLV_TRY(mixture_of_clusters(ctx, sample, clusters->n, clusters->label + s * clusters->n,
									mixture));
	}
	return TLV_OK;
}

/* Candidates from the mixture of one component more or fewer. */
static tlv_status
add_neighbours(tlv_context *ctx, const tlv_gmm_sample *rows, const gmm_sample *sample,
			   const tlv_gmm_start_options *options, gmm_candidate *candidates, int *found)
{
	int32_t *label;

	TLV_TRY(gmm_neighbour_divisions(ctx, rows, options->next, options->k, &label));
	for (size_t j = 0; j < options->next->k; j++)
	{
		tlv_mixture *mixture = &candidates[(*found)++].mixture;

		TLV_TRY(open_candidate(ctx, sample, options, mixture));
		TLV_TRY(mixture_of_clusters(ctx, sample, rows->n, label + j * rows->n, mixture));
	}
	tlv_free(ctx, label);
	return TLV_OK;
}

static size_t
rows_of(const gmm_sample *sample, const tlv_gmm_start_options *options, const gmm_effort *effort)
{
	double k = (double) options->k, wanted = fmax(effort->rows, effort->each * k);

	if (tlv_is_matrix(options->covariance))
		wanted = fmax(wanted, effort->each_dimension * k * (double) sample->d);
	return wanted < 0.7 * (double) sample->n ? (size_t) wanted : sample->n;
}

/* The starts first .. end - 1 of k-means, which have the same units. */
static tlv_status
cluster_rows(tlv_context *ctx, tlv_kmeans_task *task, size_t first, size_t end,
			 const gmm_plan *plan, tlv_rng *rng, gmm_clusters *clusters)
{
	int *steps = tlv_alloc(ctx, end - first, sizeof(int));

	TLV_TRY_ALLOC(ctx, steps);
	for (size_t s = first; s < end; s++)
		steps[s - first] = plan->lloyd_steps[s % START_KINDS];
	task->starts = (int) (end - first);
	TLV_TRY(tlv_kmeans_starts(ctx, task, steps, rng, clusters->label + first * clusters->n,
							  clusters->inertia + first));
	tlv_free(ctx, steps);
	return TLV_OK;
}

static tlv_status
cluster_starts(tlv_context *ctx, const gmm_sample *sample, const gmm_plan *plan,
			   const tlv_gmm_start_options *options, gmm_clusters *clusters)
{
	size_t n = clusters->n, d = sample->d, own = clusters->own_units;
	float *points = tlv_alloc(ctx, n, d * sizeof(float));
	tlv_kmeans_task task = {.n = n,
							.d = d,
							.points = points,
							.k = options->k,
							.among = rows_of(sample, options, &plan->seeds)};
	tlv_rng rng;

	TLV_TRY_ALLOC(ctx, points);
	tlv_rng_seed(&rng, options->seed);
	if (own > 0)
	{
		gmm_scale_rows(sample, n, true, points);
		TLV_TRY(cluster_rows(ctx, &task, 0, own, plan, &rng, clusters));
	}
	if (own < clusters->starts)
	{
		gmm_scale_rows(sample, n, false, points);
		TLV_TRY(cluster_rows(ctx, &task, own, clusters->starts, plan, &rng, clusters));
	}
	tlv_free(ctx, points);
	return TLV_OK;
}

/* All candidates: the starts, in units of their own for the first half where the covariance does
 * not depend on units, those made from a neighbour, and the given mixture. */
static tlv_status
make_candidates(tlv_context *ctx, const tlv_gmm_sample *rows, const gmm_sample *sample,
				const gmm_plan *plan, const tlv_gmm_start_options *options,
				gmm_candidate *candidates, int *found)
{
	size_t starts = (size_t) options->starts;
	bool own_units =
		options->covariance == TLV_COVARIANCE_DIAGONAL || tlv_is_matrix(options->covariance);
	gmm_clusters clusters = {.n = rows_of(sample, options, &kmeans_effort),
							 .starts = starts,
							 .own_units = own_units ? (starts + 1) / 2 : 0,
							 .one_unit = sample->d == 1};
	size_t kept = (size_t) ceil(plan->kept * (double) (own_units ? clusters.own_units : starts));

	if (starts > 0)
	{
		TLV_TRY_NEW_ROWS(ctx, clusters.label, starts, clusters.n);
		TLV_TRY_NEW(ctx, clusters.inertia, starts);
		TLV_TRY(cluster_starts(ctx, sample, plan, options, &clusters));
	}
	TLV_TRY(add_clusters(ctx, sample, &clusters, options, kept, candidates, found));
	tlv_free(ctx, clusters.inertia);
	tlv_free(ctx, clusters.label);
	if (options->next != NULL)
	{
		tlv_gmm_sample first = *rows;

		first.n = clusters.n;
		TLV_TRY(add_neighbours(ctx, &first, sample, options, candidates, found));
	}
	if (options->given == NULL)
		return TLV_OK;
	candidates[*found].given = true;
	TLV_TRY(open_candidate(ctx, sample, options, &candidates[*found].mixture));
	tlv_gmm_copy(options->given, &candidates[(*found)++].mixture);
	return TLV_OK;
}

/* The better half of the candidates, sorted; of several that are the same mixture, one. */
static int
keep_better(gmm_candidate *candidates, int alive)
{
	/* Likelihoods nearer than this part of themselves are those of the same mixture. */
	const double same = 1e-10;
	int kept = 1;

	qsort(candidates, (size_t) alive, sizeof(gmm_candidate), compare_candidates);
	for (int s = 1; s < alive && kept < (alive + 1) / 2; s++)
	{
		double last = candidates[kept - 1].log_likelihood;

		if (last - candidates[s].log_likelihood > same * (fabs(last) + 1))
		{
			gmm_candidate better = candidates[s];

			candidates[s] = candidates[kept];
			candidates[kept++] = better;
		}
	}
	return kept;
}

static const gmm_plan *
plan_of(const gmm_sample *sample, const tlv_gmm_start_options *options)
{
	double work = (double) sample->n * (double) sample->d * (double) options->k;

	if (work <= SMALL)
		return &small_plan;
	if (tlv_is_matrix(options->covariance))
		return &full_plan;
	if (options->covariance == TLV_COVARIANCE_DIAGONAL)
		return sample->n > GMM_START_LARGE ? &large_diagonal_plan : &diagonal_plan;
	return sample->n > GMM_START_LARGE ? &large_plan : &spherical_plan;
}

/* Of few rows, all candidates cost little. */
static bool
looks_at_all(const gmm_plan *plan, const tlv_gmm_start_options *options)
{
	return options->others && plan == &small_plan;
}

/* All steps of a candidate. */
static tlv_status
finish_candidate(tlv_context *ctx, const gmm_sample *sample, const tlv_gmm_start_options *options,
				 gmm_candidate *candidate)
{
	TLV_TRY(start_refine(ctx, sample, sample->n, options->steps, true, candidate));
	return gmm_is_degenerate(ctx, sample->floor, &candidate->mixture, (double) sample->n,
							 &candidate->degenerate);
}

/* The best of the candidates becomes the first: of few rows of all to the end, else of those that
 * are the better half, after ever more steps. */
static tlv_status
gmm_run_starts(tlv_context *ctx, const gmm_sample *sample, const gmm_plan *plan,
			   const tlv_gmm_start_options *options, gmm_candidate *candidates, int number)
{
	size_t n = rows_of(sample, options, &first_effort);
	int alive = number;

	if (looks_at_all(plan, options))
	{
		for (int s = 0; s < number; s++)
			TLV_TRY(finish_candidate(ctx, sample, options, &candidates[s]));
		qsort(candidates, (size_t) number, sizeof(gmm_candidate), compare_candidates);
		return TLV_OK;
	}
	for (int steps = plan->steps; alive > 1; steps *= 2)
	{
		for (int s = 0; s < alive; s++)
			TLV_TRY(start_refine(ctx, sample, n, steps < options->steps ? steps : options->steps,
								 false, &candidates[s]));
		alive = keep_better(candidates, alive);
		n = tlv_least(2 * n, sample->n);
	}
	return start_refine(ctx, sample, sample->n, options->steps, true, &candidates[0]);
}

/* How the others, which have been refined to the end, divide the rows. */
static tlv_status
look_at_others(tlv_context *ctx, const tlv_gmm_sample *rows, int number, gmm_candidate *candidates,
			   tlv_diagnostics *diagnostics)
{
	const gmm_likely best = {&candidates->mixture, candidates->log_likelihood};
	gmm_another nearest = {0};

	gmm_sort_components(&candidates->mixture, NULL);
	for (int s = 1; s < number && !candidates[s].degenerate; s++)
	{
		const gmm_likely other = {&candidates[s].mixture, candidates[s].log_likelihood};

		TLV_TRY(gmm_compare_another(ctx, rows, &best, &other, &nearest));
	}
	return gmm_warn_of_another(ctx, best.mixture->k, &nearest, diagnostics);
}

/* ---- starts ---- */

static tlv_status
write_best(tlv_context *ctx, const gmm_sample *sample, const tlv_gmm_start_options *options,
		   gmm_candidate *best, tlv_diagnostics *diagnostics, void **image, size_t *size)
{
	tlv_gmm_parts parts = {0};

	parts.mixture = &best->mixture;
	parts.floor = sample->floor;
	parts.rows = (double) sample->n;
	parts.seed = (double) options->seed;
	parts.diagnostics = diagnostics;
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) sample->n, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) sample->d, "dimensions"));
	if (options->starts > 0)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, options->starts, "starts"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, best->given, "start_given"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, best->steps, "sample_steps"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, best->stands, "sample_stands"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) sample->n, "sample_rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, best->log_likelihood, "sample_mean_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, best->entropy, "sample_mean_entropy"));
	return tlv_gmm_write(ctx, &parts, image, size);
}

tlv_status
tlv_gmm_start(tlv_context *ctx, const tlv_gmm_sample *rows, const double *floor,
			  const tlv_gmm_start_options *options, void **image, size_t *size)
{
	const gmm_sample sample = with_floor(rows, floor);
	const gmm_plan *plan = plan_of(&sample, options);
	int most = options->starts + (options->given != NULL), number = 0;
	tlv_diagnostics diagnostics = {0};
	gmm_candidate *candidates;

	tlv_assert(options->given == NULL ||
			   (options->given->degrees != NULL) == (options->tails == TLV_TAILS_T));
	if (options->next != NULL)
		most += (int) options->next->k;
	if (options->k == 0 || options->k > TLV_MIXTURE_MOST_COMPONENTS || most < 1)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu, %d starts", options->k, options->starts);
	if (rows->n < options->k)
		return tlv_refuse_few(ctx, (double) rows->n, "rows", options->k, "components");
	TLV_TRY_NEW0(ctx, candidates, (size_t) most);
	TLV_TRY(make_candidates(ctx, rows, &sample, plan, options, candidates, &number));
	TLV_TRY(gmm_run_starts(ctx, &sample, plan, options, candidates, number));
	if (looks_at_all(plan, options))
		TLV_TRY(look_at_others(ctx, rows, number, candidates, &diagnostics));
	TLV_TRY(write_best(ctx, &sample, options, &candidates[0], &diagnostics, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	for (int s = 0; s < number; s++)
		tlv_mixture_free(ctx, &candidates[s].mixture);
	tlv_free(ctx, candidates);
	return TLV_OK;
}

/* ---- a given start ---- */

tlv_status
tlv_gmm_ascend(tlv_context *ctx, const tlv_gmm_sample *rows, const double *floor, int steps,
			   tlv_mixture *mixture, double *log_likelihood, double *entropy)
{
	const gmm_sample sample = with_floor(rows, floor);
	gmm_candidate candidate = {.mixture = *mixture};

	TLV_TRY(start_refine(ctx, &sample, rows->n, steps, true, &candidate));
	*log_likelihood = candidate.log_likelihood;
	*entropy = candidate.entropy;
	return TLV_OK;
}

tlv_status
tlv_gmm_of_labels(tlv_context *ctx, const tlv_gmm_sample *rows, const double *floor,
				  const int32_t *label, tlv_mixture *mixture)
{
	const gmm_sample sample = with_floor(rows, floor);

	widen(&sample, mixture);
	return mixture_of_clusters(ctx, &sample, rows->n, label, mixture);
}
