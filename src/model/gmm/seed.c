/*
 * seed.c - centers to begin k-means with, of several starts at once (internal.h): greedy
 * k-means++ (Arthur, Vassilvitskii 2007, section 4), each center the best of some rows that are
 * drawn in proportion to their squared distance from the centers before.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

typedef struct seeding
{
	const gmm_lloyd *task;
	size_t trials;	/* rows drawn for every center */
	size_t *drawn;	/* trials x starts: which they are */
	double *half;	/* n x starts: half the squared length of the rows */
	double *best;	/* n x starts: x'c - |c|^2/2 of the nearest center c so far */
	double *scaled; /* d x (trials starts): drawn rows times the metric */
	double *offset; /* trials starts: half their squared length */
	double *scores; /* TLV_MIXTURE_BLOCK x (trials starts) */
	double *sums;	/* trials starts: of the larger of score and best */
} seeding;

/* Half the squared length of all rows by the metric of every start; equal metrics follow each
 * other. */
static tlv_status
measure_rows(tlv_context *ctx, seeding *s)
{
	const gmm_lloyd *task = s->task;
	size_t n = task->n, d = task->d;

	for (size_t start = 0; start < task->starts; start++)
	{
		const double *metric = task->metric + start * d;
		double *half = s->half + start * n;

		if (start > 0 && memcmp(metric, metric - d, d * sizeof(double)) == 0)
		{
			memcpy(half, half - n, n * sizeof(double));
			continue;
		}
		for (size_t t = 0; t < n; t++)
		{
			const double *x = task->rows + t * d;

			if (t % TLV_MIXTURE_BLOCK == 0)
				TLV_TRY_CONTINUE(ctx);
			half[t] = 0;
			for (size_t i = 0; i < d; i++)
				half[t] += 0.5 * metric[i] * x[i] * x[i];
		}
	}
	return TLV_OK;
}

TLV_CLONES static double
sum_distances(size_t n, const double *restrict half, const double *restrict best)
{
	double lane[8] = {0}, sum = 0;
	size_t t = 0;

	for (; t + 8 <= n; t += 8)
		for (size_t l = 0; l < 8; l++)
			lane[l] += half[t + l] > best[t + l] ? half[t + l] - best[t + l] : 0;
	for (; t < n; t++)
		sum += half[t] > best[t] ? half[t] - best[t] : 0;
	for (size_t l = 0; l < 8; l++)
		sum += lane[l];
	return sum;
}

/* A row, in proportion to its squared distance; any when all are at centers, or there are none. */
static size_t
draw_row(const seeding *s, size_t start, double total, tlv_rng *rng)
{
	size_t n = s->task->n;
	const double *half = s->half + start * n, *best = s->best + start * n;
	double target = total * tlv_rng_uniform(rng);

	if (!(total > 0 && isfinite(total)))
		return (size_t) tlv_rng_below(rng, n);
	for (size_t t = 0; t + 1 < n; t++)
	{
		target -= half[t] > best[t] ? half[t] - best[t] : 0;
		if (target < 0)
			return t;
	}
	return n - 1;
}

/* The columns of a product: one row of each start, or all its trials. */
static void
load_columns(seeding *s, size_t trials)
{
	const gmm_lloyd *task = s->task;
	size_t d = task->d;

	for (size_t c = 0; c < task->starts * trials; c++)
	{
		const double *metric = task->metric + c / trials * d, *x = task->rows + s->drawn[c] * d;
		double sum = 0;

		for (size_t i = 0; i < d; i++)
		{
			s->scaled[c * d + i] = metric[i] * x[i];
			sum += s->scaled[c * d + i] * x[i];
		}
		s->offset[c] = sum / 2;
		s->sums[c] = 0;
	}
}

/* The sum of the larger of score - offset and best, which is replaced on request. */
TLV_CLONES static double
fold(size_t n, const double *restrict scores, double offset, double *restrict best, bool replace)
{
	double lane[8] = {0}, sum = 0;
	size_t t = 0;

	for (; t + 8 <= n; t += 8)
		for (size_t l = 0; l < 8; l++)
		{
			double score = scores[t + l] - offset;

			lane[l] += score > best[t + l] ? score : best[t + l];
		}
	for (; t < n; t++)
		sum += fmax(scores[t] - offset, best[t]);
	for (t = 0; t < n && replace; t++)
		best[t] = scores[t] - offset > best[t] ? scores[t] - offset : best[t];
	for (size_t l = 0; l < 8; l++)
		sum += lane[l];
	return sum;
}

static tlv_status
score_rows(tlv_context *ctx, seeding *s, size_t trials, bool replace)
{
	const gmm_lloyd *task = s->task;
	size_t d = task->d, columns = task->starts * trials;

	load_columns(s, trials);
	for (size_t first = 0; first < task->n; first += TLV_MIXTURE_BLOCK)
	{
		size_t n = task->n - first < TLV_MIXTURE_BLOCK ? task->n - first : TLV_MIXTURE_BLOCK;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_gemm(ctx, true, false, n, columns, d, 1, task->rows + first * d, d, s->scaled,
						 d, 0, s->scores, TLV_MIXTURE_BLOCK));
		for (size_t c = 0; c < columns; c++)
			s->sums[c] += fold(n, s->scores + c * TLV_MIXTURE_BLOCK, s->offset[c],
							   s->best + c / trials * task->n + first, replace);
	}
	return TLV_OK;
}

/* The center number j of all starts. */
static tlv_status
choose_centers(tlv_context *ctx, seeding *s, size_t j, tlv_rng *rng)
{
	const gmm_lloyd *task = s->task;
	size_t n = task->n, d = task->d, trials = s->trials;

	for (size_t start = 0; start < task->starts; start++)
	{
		double total = j == 0 ? 0 : sum_distances(n, s->half + start * n, s->best + start * n);

		TLV_TRY_CONTINUE(ctx);
		for (size_t trial = 0; trial < trials; trial++)
			s->drawn[start * trials + trial] = draw_row(s, start, total, rng);
	}
	TLV_TRY(score_rows(ctx, s, trials, false));
	for (size_t start = 0; start < task->starts; start++)
	{
		const double *sums = s->sums + start * trials;
		size_t winner = 0;

		for (size_t trial = 1; trial < trials && j > 0; trial++)
			if (sums[trial] > sums[winner])
				winner = trial;
		s->drawn[start] = s->drawn[start * trials + winner];
		memcpy(task->centers + (start * task->k + j) * d, task->rows + s->drawn[start] * d,
			   d * sizeof(double));
	}
	return score_rows(ctx, s, 1, true);
}

tlv_status
tlv_gmm_seed_lloyd(tlv_context *ctx, const gmm_lloyd *task, tlv_rng *rng)
{
	seeding s = {.task = task, .trials = 2 + (size_t) log((double) task->k)};
	size_t rows = task->n * task->starts, columns = task->starts * s.trials;

	s.half = tlv_alloc(ctx, rows, 2 * sizeof(double));
	TLV_TRY_ALLOC(ctx, s.half);
	s.best = s.half + rows;
	s.scaled = tlv_alloc(ctx, columns, (task->d + 2 + TLV_MIXTURE_BLOCK) * sizeof(double));
	TLV_TRY_ALLOC(ctx, s.scaled);
	s.offset = s.scaled + columns * task->d;
	s.sums = s.offset + columns;
	s.scores = s.sums + columns;
	s.drawn = tlv_alloc(ctx, columns, sizeof(size_t));
	TLV_TRY_ALLOC(ctx, s.drawn);
	TLV_TRY(measure_rows(ctx, &s));
	for (size_t t = 0; t < rows; t++)
		s.best[t] = -HUGE_VAL;
	for (size_t j = 0; j < task->k; j++)
		TLV_TRY(choose_centers(ctx, &s, j, rng));
	tlv_free(ctx, s.drawn);
	tlv_free(ctx, s.scaled);
	tlv_free(ctx, s.half);
	return TLV_OK;
}
