/*
 * choice.c - the number of components by the scores of held-out rows (choice.h).
 */
#include "tensorlv/model/choice.h"

#include <math.h>

#include "tensorlv/num/rng.h"
#include "tensorlv/num/numbers.h"

/* The grids, whose steps grow by 1.6 or by 1.25; what is beyond them is `most` itself. */
#define GRID 20
static const size_t coarse_grid[GRID] = {1, 2, 3, 5, 8, 13, 20, 32, 50, 80, 128, 200, 320, 512};
static const size_t fine_grid[GRID] = {1,  2,  3,  4,  5,  6,  8,  10,	13,	 16,
									   20, 25, 32, 40, 50, 64, 80, 100, 128, 160};

/* k that are tried beyond the best one before the grid ends. */
#define BEYOND 2

/* Errors by which more components must be better than one, a test at the level of 1 %.  Errors up
 * to which further rows decide. */
#define ERRORS_OF_ONE 2.33
#define ERRORS_CLEAR  4.0

void
tlv_choice_begin(size_t least, size_t most, bool fine, tlv_choice *choice)
{
	*choice = (tlv_choice){.least = least > 0 ? least : 1, .fine = fine};
	choice->most = most > choice->least ? most : choice->least;
}

/* ---- scores ---- */

static double
mean_score(const tlv_choice_point *point)
{
	double score = 0, count = 0;

	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		score += point->score[g];
		count += point->count[g];
	}
	return count > 0 ? score / count : -HUGE_VAL;
}

/* Standard error of the difference between two points, by their groups. */
static double
difference_error(const tlv_choice_point *a, const tlv_choice_point *b)
{
	double rise = a->mean - b->mean, count = 0, squares = 0, groups = 0;

	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		double d = a->score[g] - b->score[g] - rise * a->count[g];

		groups += a->count[g] > 0;
		count += a->count[g];
		squares += d * d;
	}
	return groups > 1 ? sqrt(squares * groups / (groups - 1)) / count : HUGE_VAL;
}

/* By how many standard errors the best point is better than another. */
static double
errors_below(const tlv_choice *choice, size_t point)
{
	double best = choice->points[choice->best].mean, below = best - choice->points[point].mean;

	/* Models that predict the same differ by rounding, and so do their errors. */
	return below > TLV_ROUNDING * (1 + fabs(best)) ? below / choice->points[point].error : 0;
}

static bool
is_worse(const tlv_choice *choice, size_t point)
{
	bool one = choice->points[point].k == 1;

	return errors_below(choice, point) > (one ? ERRORS_OF_ONE : 1);
}

static bool
has_fallen(const tlv_choice *choice)
{
	size_t n = choice->n;

	if (n <= choice->best + BEYOND)
		return false;
	if (choice->fine)
		return true;
	for (size_t i = n - BEYOND; i < n; i++)
		if (!is_worse(choice, i))
			return false;
	return true;
}

double
tlv_choice_gain(const tlv_choice *choice, size_t point)
{
	double first = choice->points[0].mean, rise = choice->points[choice->best].mean - first;

	return rise > 0 ? (choice->points[point].mean - first) / rise : 1;
}

/* Means and errors of the points that are compared; the others keep their distance from the best.
 */
static void
choice_measure(tlv_choice *choice, size_t first, size_t last)
{
	double shift = 0;

	if (choice->narrowed)
		shift = mean_score(&choice->points[choice->best]) - choice->points[choice->best].mean;
	for (size_t i = 0; i < choice->n; i++)
		choice->points[i].mean =
			i < first || i > last ? choice->points[i].mean + shift : mean_score(&choice->points[i]);
	choice->best = first;
	for (size_t i = first + 1; i <= last; i++)
		if (choice->points[i].mean > choice->points[choice->best].mean)
			choice->best = i;
	for (size_t i = first; i <= last; i++)
		choice->points[i].error =
			i == choice->best ? 0
							  : difference_error(&choice->points[choice->best], &choice->points[i]);
}

void
tlv_choice_decide(tlv_choice *choice)
{
	/* Part of the rise that a reader may be content with. */
	const double content = 0.9;
	size_t n = choice->n, first = choice->narrowed ? choice->first : 0;

	choice_measure(choice, first, choice->narrowed ? choice->last : n - 1);
	for (choice->chosen = first; is_worse(choice, choice->chosen);)
		choice->chosen++;
	for (choice->gain = 0; tlv_choice_gain(choice, choice->gain) < content;)
		choice->gain++;
	if (choice->ended)
		return;
	choice->limited = choice->points[n - 1].k >= choice->most;
	choice->ended = choice->limited || n == TLV_CHOICE_POINTS || has_fallen(choice);
}

/* The point of k, which is added where there is none. */
static tlv_status
find_point(tlv_context *ctx, tlv_choice *choice, size_t k, tlv_choice_point **found)
{
	tlv_choice_point point = {.k = k};
	size_t at = choice->n;

	for (size_t i = 0; i < choice->n; i++)
		if (choice->points[i].k == k)
		{
			*found = &choice->points[i];
			return TLV_OK;
		}
	TLV_TRY_NEW0(ctx, point.score, 2 * TLV_CHOICE_GROUPS);
	point.count = point.score + TLV_CHOICE_GROUPS;
	for (; at > 0 && choice->points[at - 1].k > k; at--)
		choice->points[at] = choice->points[at - 1];
	choice->points[at] = point;
	choice->n++;
	*found = &choice->points[at];
	return TLV_OK;
}

tlv_status
tlv_choice_add(tlv_context *ctx, tlv_choice *choice, size_t k, const double *score,
			   const double *count)
{
	tlv_choice_point *point;

	TLV_TRY(find_point(ctx, choice, k, &point));
	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		point->score[g] += score[g];
		point->count[g] += count[g];
	}
	return TLV_OK;
}

/* On a fine grid: do less than ERRORS_CLEAR errors separate the best k from the next smaller one,
 * or from the chosen one? */
static bool
each_is_open(const tlv_choice *choice)
{
	size_t best = choice->best, rival = choice->chosen < best ? choice->chosen : best - 1;

	return best > 0 && errors_below(choice, rival) < ERRORS_CLEAR;
}

/* Is it open whether there is more than one component? */
static bool
one_is_open(const tlv_choice *choice)
{
	double errors = errors_below(choice, 0);

	return choice->points[0].k == 1 && errors > 1 && errors < ERRORS_CLEAR;
}

bool
tlv_choice_is_open(tlv_choice *choice)
{
	/* Error of a difference, in nats, that leaves nothing open. */
	const double small_error = 0.01;
	bool one = one_is_open(choice) && (!choice->narrowed || choice->first == 0);

	if (choice->fine ? !each_is_open(choice)
					 : !one && (choice->chosen == choice->best ||
								choice->points[choice->chosen].error <= small_error))
		return false;
	if (!choice->narrowed)
	{
		choice->first = one ? 0 : choice->chosen - (choice->chosen > 0);
		choice->last = tlv_least(choice->best + choice->fine, choice->n - 1);
		choice->narrowed = true;
	}
	return true;
}

/* ---- what is tried next ---- */

static size_t
next_of_grid(const tlv_choice *choice)
{
	const size_t *grid = choice->fine ? fine_grid : coarse_grid;
	size_t last = choice->points[choice->n - 1].k;

	for (size_t i = 0; i < GRID; i++)
		if (grid[i] > last)
			return grid[i] < choice->most ? grid[i] : choice->most;
	return choice->most;
}

size_t
tlv_choice_next(const tlv_choice *choice)
{
	/* A chosen k above is not refined: its neighbours differ by less than any reader sees. */
	const int refined_most = 40;
	size_t k, below;

	if (choice->n == 0)
		return choice->least;
	if (!choice->ended)
		return next_of_grid(choice);
	k = choice->points[choice->chosen].k;
	if (choice->n == TLV_CHOICE_POINTS || choice->chosen == 0 || k > refined_most ||
		choice->best + 1 == choice->n)
		return 0;
	below = choice->points[choice->chosen - 1].k;
	return k - below > 1 ? (k + below) / 2 : 0;
}

/* ---- the search ---- */

tlv_status
tlv_choice_draw_folds(tlv_context *ctx, size_t n, size_t folds, int64_t **fold)
{
	tlv_rng rng;

	tlv_rng_seed(&rng, TLV_CHOICE_SEED);
	TLV_TRY_NEW(ctx, *fold, n);
	TLV_TRY(tlv_rng_permutation(ctx, &rng, n, *fold));
	for (size_t i = 0; i < n; i++)
		(*fold)[i] %= (int64_t) folds;
	return TLV_OK;
}

/* Adds the folds first .. end - 1 under one k. */
static tlv_status
add_folds(tlv_context *ctx, tlv_choice *choice, size_t k, tlv_choice_score score_fold, void *search,
		  size_t first, size_t end)
{
	double score[TLV_CHOICE_GROUPS] = {0}, count[TLV_CHOICE_GROUPS] = {0};
	tlv_status status = TLV_OK;

	tlv_report(ctx, "number of components", (double) k, (double) choice->most);
	for (size_t fold = first; fold < end && status == TLV_OK; fold++)
	{
		tlv_scratch scratch;

		tlv_scratch_begin(ctx, &scratch);
		status = score_fold(ctx, search, k, fold, score, count);
		tlv_scratch_end(ctx, &scratch);
	}
	TLV_TRY(status);
	return tlv_choice_add(ctx, choice, k, score, count);
}

tlv_status
tlv_choice_follow(tlv_context *ctx, tlv_choice *choice, tlv_choice_score score, void *search,
				  size_t first, size_t folds)
{
	size_t k;

	while ((k = tlv_choice_next(choice)) > 0)
	{
		TLV_TRY(add_folds(ctx, choice, k, score, search, 0, first));
		tlv_choice_decide(choice);
	}
	for (size_t fold = first; fold < folds && tlv_choice_is_open(choice); fold++)
	{
		for (size_t i = choice->first; i <= choice->last; i++)
			TLV_TRY(add_folds(ctx, choice, choice->points[i].k, score, search, fold, fold + 1));
		tlv_choice_decide(choice);
	}
	return TLV_OK;
}

tlv_status
tlv_choice_tell(tlv_context *ctx, const tlv_choice *choice, tlv_diagnostics *diagnostics)
{
	const tlv_choice_point *points = choice->points;

	for (size_t i = 0; i < choice->n; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, points[i].mean, "held_out_%zu", points[i].k));
	for (size_t i = 0; i < choice->n; i++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, points[i].error, "held_out_error_%zu", points[i].k));
	return TLV_OK;
}
