/*
 * groups.c - the evidence of a partition, from sums over pairs of groups (groups.h).
 */
#include "groups.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"

#define INSIDE	0
#define BETWEEN 1

/* ---- the distribution of an edge ---- */

static double
log_beta(double a, double b)
{
	return tlv_fast_lgamma(a) + tlv_fast_lgamma(b) - tlv_fast_lgamma(a + b);
}

static void
prepare_bernoulli(tlv_rate_prior *prior)
{
	prior->rate_constant = -log_beta(prior->shape * prior->mean, prior->shape * (1 - prior->mean));
}

static double
bernoulli_evidence(const tlv_rate_prior *prior, double e, double x)
{
	return log_beta(e + prior->shape * prior->mean, x - e + prior->shape * (1 - prior->mean)) +
		   prior->rate_constant;
}

static double
bernoulli_mean(double e, double x)
{
	return (e + 0.5) / (x + 1);
}

static double
bernoulli_weakest(double mean)
{
	return 1 / fmin(mean, 1 - mean);
}

static void
prepare_corrected(tlv_rate_prior *prior)
{
	prior->rate_constant =
		prior->shape * log(prior->shape / prior->mean) - tlv_fast_lgamma(prior->shape);
}

static double
corrected_evidence(const tlv_rate_prior *prior, double e, double x)
{
	return tlv_fast_lgamma(e + prior->shape) -
		   (e + prior->shape) * log(x + prior->shape / prior->mean) + prior->rate_constant;
}

static double
corrected_mean(double e, double x)
{
	return (e + 0.5) / (x + 0.5);
}

static double
corrected_weakest(double mean)
{
	(void) mean;
	return 1;
}

const tlv_edge_law tlv_bernoulli_law = {false, prepare_bernoulli, bernoulli_evidence,
										bernoulli_mean, bernoulli_weakest};
const tlv_edge_law tlv_corrected_law = {true, prepare_corrected, corrected_evidence, corrected_mean,
										corrected_weakest};

/* ---- scores ---- */

static void
prepare_scores(tlv_rate_prior *prior)
{
	prior->score_constant = prior->freedom / 2 * log(prior->freedom * prior->variance) +
							log(prior->strength) / 2 - tlv_fast_lgamma(prior->freedom / 2);
}

/* n scores of this sum and of these squares: normal, of unknown mean and variance. */
static double
scores_evidence(const tlv_rate_prior *prior, double n, double sum, double squares)
{
	double mean, within, strength = prior->strength + n, freedom = prior->freedom + n;

	if (n <= 0)
		return 0;
	mean = sum / n;
	within = fmax(squares - n * mean * mean, 0);
	mean -= prior->centre;
	return prior->score_constant + tlv_fast_lgamma(freedom / 2) - log(strength) / 2 -
		   freedom / 2 *
			   log(prior->freedom * prior->variance + within +
				   prior->strength * n / strength * mean * mean) -
		   n / 2 * log(M_PI);
}

/* ---- pairs and groups ---- */

double
tlv_groups_expected(const tlv_groups *groups, bool same, const double size[2],
					const double degree[2])
{
	if (groups->task->law->corrected)
		return degree[0] * degree[1] / groups->total / (same ? 4 : 2);
	return same ? size[0] * (size[0] - 1) / 2 : size[0] * size[1];
}

double
tlv_groups_pair(tlv_groups *groups, size_t class, double c, double s, double q, double x)
{
	const tlv_group_task *task = groups->task;
	const tlv_rate_prior *prior = &groups->prior[class];
	double value = x > 0 ? task->law->evidence(prior, c, x) : 0;

	groups->evaluations++;
	return task->follow ? value + scores_evidence(prior, c, s, q) : value;
}

static double
expected_between(const tlv_groups *groups, size_t a, size_t b)
{
	return tlv_groups_expected(groups, a == b, (double[]){groups->size[a], groups->size[b]},
							   (double[]){groups->degree[a], groups->degree[b]});
}

double
tlv_groups_members(const tlv_groups *groups, double size, double degree, double told)
{
	double value = tlv_fast_lgamma(size + 1), alike;

	if (!groups->task->law->corrected)
		return value;
	alike = tlv_fast_lgamma(degree + 1) + tlv_fast_lgamma(size) - tlv_fast_lgamma(size + degree);
	told -= tlv_fast_lgamma(size + 1) + tlv_log_partitions(degree, size);
	return value + degree * log(degree / (2 * groups->total)) - tlv_fast_lgamma(degree + 1) +
		   fmax(alike, told);
}

static double
groups_log_choose(double n, double m)
{
	return tlv_fast_lgamma(n + 1) - tlv_fast_lgamma(m + 1) - tlv_fast_lgamma(n - m + 1);
}

double
tlv_groups_number(const tlv_groups *groups, size_t k)
{
	double n = (double) groups->n, value = -groups_log_choose(n - 1, (double) k - 1);

	if (groups->task->law->corrected)
		value -= groups_log_choose(2 * groups->total + (double) k - 1, (double) k - 1);
	return value;
}

double
tlv_groups_evidence(const tlv_groups *groups)
{
	double value = groups->constant + tlv_groups_number(groups, groups->k);

	for (size_t a = 0; a < groups->k; a++)
	{
		value += tlv_groups_members(groups, groups->size[a], groups->degree[a], groups->told[a]);
		for (size_t b = a; b < groups->k; b++)
			value += groups->value[a * groups->room + b];
	}
	return value;
}

/* ---- priors ---- */

/* Values of the pairs of a class, of rates or of scores. */
static double
class_value(const tlv_groups *groups, size_t class, const tlv_rate_prior *prior, bool scores)
{
	double sum = 0;

	for (size_t a = 0; a < groups->k; a++)
		for (size_t b = class == INSIDE ? a : a + 1; b < (class == INSIDE ? a + 1 : groups->k); b++)
		{
			size_t i = a * groups->room + b;
			double x = expected_between(groups, a, b);

			if (scores)
				sum += scores_evidence(prior, groups->count[i], groups->sum[i], groups->squares[i]);
			else if (x > 0)
				sum += groups->task->law->evidence(prior, groups->count[i], x);
		}
	return sum;
}

/* Sums over the pairs of a class; within: squares around the means of pairs of more than one. */
typedef struct class_sums
{
	double count, expected, sum, squares, within, freedom;
} class_sums;

static class_sums
sum_class(const tlv_groups *groups, size_t class)
{
	class_sums sums = {0};

	for (size_t a = 0; a < groups->k; a++)
		for (size_t b = class == INSIDE ? a : a + 1; b < (class == INSIDE ? a + 1 : groups->k); b++)
		{
			size_t i = a * groups->room + b;
			double n = groups->count[i];

			sums.count += n;
			sums.expected += expected_between(groups, a, b);
			sums.sum += groups->sum[i];
			sums.squares += groups->squares[i];
			if (n > 1)
			{
				sums.within += fmax(groups->squares[i] - groups->sum[i] * groups->sum[i] / n, 0);
				sums.freedom += n - 1;
			}
		}
	return sums;
}

static void
fit_rate(tlv_groups *groups, size_t class, const class_sums *sums, bool weak)
{
	/* Exponents of 2 of the shapes of rates that are compared. */
	const int first_shape = -3, last_shape = 12;
	const tlv_edge_law *law = groups->task->law;
	tlv_rate_prior *prior = &groups->prior[class], best;
	double most = -HUGE_VAL;
	int first = weak ? 0 : first_shape, last = weak ? 0 : last_shape;

	prior->mean = law->mean(sums->count, sums->expected);
	best = *prior;
	for (int i = first; i <= last; i++)
	{
		double value;

		prior->shape = exp2(i) * law->weakest(prior->mean);
		law->prepare(prior);
		value = class_value(groups, class, prior, false);
		if (value > most)
		{
			most = value;
			best = *prior;
		}
	}
	*prior = best;
}

/* The best prior of scores for one variance. */
static void
fit_variance(const tlv_groups *groups, size_t class, double variance, tlv_rate_prior *best,
			 double *most)
{
	/* The same of what is known beforehand of the mean of scores, and of their variance, in edges.
	 */
	const int first_strength = -6, last_strength = 6, last_freedom = 12;
	tlv_rate_prior prior = *best;

	prior.variance = variance;
	for (int s = first_strength; s <= last_strength; s++)
		for (int f = 0; f <= last_freedom; f += 2)
		{
			double value;

			prior.strength = exp2(s);
			prior.freedom = exp2(f);
			prepare_scores(&prior);
			value = class_value(groups, class, &prior, true);
			if (value > *most)
			{
				*most = value;
				*best = prior;
			}
		}
}

static void
fit_scores(tlv_groups *groups, size_t class, const class_sums *sums, bool weak)
{
	/* What priors are at most while nothing is known of the groups, in edges. */
	const int weak_freedom = 64;
	tlv_rate_prior *prior = &groups->prior[class];
	double n = fmax(sums->count, 1), most = -HUGE_VAL, variance;

	prior->centre = sums->sum / n;
	variance = fmax(sums->squares / n - prior->centre * prior->centre, 1e-12);
	fit_variance(groups, class, variance, prior, &most);
	if (sums->freedom > 0 && sums->within > 0)
		fit_variance(groups, class, sums->within / sums->freedom, prior, &most);
	if (weak)
	{
		prior->strength = 1;
		prior->freedom = fmin(prior->freedom, weak_freedom);
		prepare_scores(prior);
	}
}

/* A class without pairs has the prior of the other one. */
tlv_status
tlv_groups_fit(tlv_context *ctx, tlv_groups *groups, bool weak)
{
	for (size_t class = INSIDE; class <= BETWEEN; class ++)
	{
		class_sums sums = sum_class(groups, class);

		TLV_TRY_CONTINUE(ctx);
		fit_rate(groups, class, &sums, weak);
		if (groups->task->follow)
			fit_scores(groups, class, &sums, weak);
	}
	for (size_t a = 0; a < groups->k; a++)
		for (size_t b = a; b < groups->k; b++)
		{
			size_t i = a * groups->room + b;

			groups->value[i] = groups->value[b * groups->room + a] =
				tlv_groups_pair(groups, a == b ? INSIDE : BETWEEN, groups->count[i], groups->sum[i],
								groups->squares[i], expected_between(groups, a, b));
		}
	return TLV_OK;
}

/* ---- opening ---- */

/* Nodes come by decreasing degree: each degree that occurs is a grade. */
static tlv_status
grade_nodes(tlv_context *ctx, tlv_groups *groups)
{
	const tlv_mmsb_side *side = &groups->task->fit->side[0];
	double logarithms = 0;

	if (!groups->task->law->corrected)
		return TLV_OK;
	TLV_TRY_NEW(ctx, groups->grade, groups->n);
	for (size_t u = 0; u < groups->n; u++)
	{
		groups->grades += u == 0 || side->degree[u] != side->degree[u - 1];
		groups->grade[u] = (int32_t) groups->grades - 1;
		logarithms += tlv_fast_lgamma(side->degree[u] + 1);
	}
	groups->constant += logarithms + groups->total * log(2 * groups->total);
	return TLV_OK;
}

static tlv_status
allocate_groups(tlv_context *ctx, tlv_groups *groups)
{
	size_t k = groups->room, square = k * k;

	TLV_TRY(tlv_require_memory(ctx,
							   8 * (4 * (double) square + 6 * (double) k) +
								   4 * (double) k * (double) (groups->grades + 1),
							   "the edges between groups"));
	TLV_TRY_NEW0(ctx, groups->count, 4 * square + 6 * k);
	groups->sum = groups->count + square;
	groups->squares = groups->sum + square;
	groups->value = groups->squares + square;
	groups->size = groups->value + square;
	groups->degree = groups->size + k;
	groups->told = groups->degree + k;
	groups->own_count = groups->told + k;
	groups->own_sum = groups->own_count + k;
	groups->own_squares = groups->own_sum + k;
	if (groups->grades > 0)
		TLV_TRY_NEW0_ROWS(ctx, groups->run, k, groups->grades);
	return TLV_OK;
}

/* Sums over the edges; those inside a group are met from both ends. */
static tlv_status
community_count_groups(tlv_context *ctx, tlv_groups *groups)
{
	const tlv_csr *rows = groups->edges;
	const tlv_rank_scores *scores = groups->task->scores;

	for (size_t u = 0; u < groups->n; u++)
	{
		size_t a = (size_t) groups->label[u];

		TLV_TRY_CONTINUE_AT(ctx, u);
		groups->size[a] += 1;
		groups->degree[a] += (double) (rows->start[u + 1] - rows->start[u]);
		if (groups->grades > 0)
			groups->told[a] += log(++groups->run[a * groups->grades + (size_t) groups->grade[u]]);
		for (size_t e = rows->start[u]; e < rows->start[u + 1]; e++)
		{
			size_t b = (size_t) groups->label[rows->index[e]], i = a * groups->room + b;
			double part = a == b ? 0.5 : 1;

			groups->count[i] += part;
			if (scores == NULL)
				continue;
			groups->sum[i] += part * (double) scores->score[e];
			groups->squares[i] += part * (double) scores->square[e];
		}
	}
	return TLV_OK;
}

/* Scores that are alike for all edges, by the best prior: what they add to every partition. */
static double
common_scores(const tlv_groups *groups)
{
	tlv_groups one = {
		.task = groups->task, .n = groups->n, .k = 1, .room = 1, .total = groups->total};
	double sums[3] = {0}, size = (double) groups->n, degree = 2 * groups->total, most = -HUGE_VAL;
	tlv_rate_prior prior = {0};

	for (size_t a = 0; a < groups->k; a++)
		for (size_t b = a; b < groups->k; b++)
		{
			sums[0] += groups->count[a * groups->room + b];
			sums[1] += groups->sum[a * groups->room + b];
			sums[2] += groups->squares[a * groups->room + b];
		}
	one.count = &sums[0];
	one.sum = &sums[1];
	one.squares = &sums[2];
	one.size = &size;
	one.degree = &degree;
	prior.centre = sums[1] / sums[0];
	fit_variance(&one, INSIDE, fmax(sums[2] / sums[0] - prior.centre * prior.centre, 1e-12), &prior,
				 &most);
	return most;
}

tlv_status
tlv_groups_open(tlv_context *ctx, const tlv_group_task *task, int32_t *label, size_t k,
				tlv_groups *groups)
{
	const tlv_mmsb_side *side = &task->fit->side[0];

	*groups = (tlv_groups){.task = task,
						   .edges = &side->edges,
						   .n = side->n,
						   .k = k,
						   .room = k,
						   .total = (double) side->edges.entries / 2,
						   .label = label};
	tlv_rng_seed(&groups->rng, task->seed);
	groups->constant = -tlv_fast_lgamma((double) side->n + 1) - log((double) side->n);
	TLV_TRY(grade_nodes(ctx, groups));
	TLV_TRY(allocate_groups(ctx, groups));
	TLV_TRY(community_count_groups(ctx, groups));
	if (task->scores != NULL && !task->follow)
		groups->constant += common_scores(groups);
	return tlv_groups_fit(ctx, groups, false);
}

void
tlv_groups_close(tlv_context *ctx, tlv_groups *groups)
{
	tlv_free(ctx, groups->count);
	tlv_free(ctx, groups->run);
	tlv_free(ctx, groups->grade);
}
