/*
 * kmeans.c - Lloyd's iteration from several starts at once, for mixtures of Gaussians
 * (internal.h): the products of a block of rows with the centers of all starts are one GEMM.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* A start ends when its gain rises by less than this part. */
#define GAIN_TOLERANCE 1e-5
/* Centers of so many are multiplied at once, those of one start at least. */
#define MOST_CENTERS 512

typedef struct lloyd
{
	const gmm_lloyd *task;
	size_t alive;	/* starts that go on */
	size_t *start;	/* which they are */
	size_t group;	/* starts at most */
	double *scaled; /* d x (k group): centers times the metric */
	double *half;	/* k group: half their squared length */
	double *scores; /* TLV_MIXTURE_BLOCK x (k group) */
	double *best;	/* TLV_MIXTURE_BLOCK */
	double *gain;	/* group: sum of the scores of the nearest centers */
	double *before; /* group: the same a step ago */
	double *sums;	/* d x (k group): of the rows of a center */
	double *sizes;	/* k group */
	int32_t *found; /* TLV_MIXTURE_BLOCK */
} lloyd;

/* The nearest center has the largest score. */
TLV_CLONES static void
find_best(size_t n, size_t k, const double *restrict scores, double *restrict best,
		  int32_t *restrict found)
{
	for (size_t t = 0; t < n; t++)
	{
		best[t] = scores[t];
		found[t] = 0;
	}
	for (size_t j = 1; j < k; j++)
		for (size_t t = 0; t < n; t++)
		{
			double score = scores[j * TLV_MIXTURE_BLOCK + t];

			found[t] = score > best[t] ? (int32_t) j : found[t];
			best[t] = score > best[t] ? score : best[t];
		}
}

TLV_CLONES static void
add_row(size_t d, const double *restrict x, double sign, double *restrict sum)
{
	for (size_t i = 0; i < d; i++)
		sum[i] += sign * x[i];
}

/* Rows go over to their nearest centers; the sums follow. */
static bool
move_rows(lloyd *s, size_t g, size_t n, const double *x, int32_t *label)
{
	size_t k = s->task->k, d = s->task->d;
	double *sums = s->sums + g * k * d, *sizes = s->sizes + g * k;
	bool moved = false;

	for (size_t t = 0; t < n; t++)
	{
		int32_t to = s->found[t], from = label[t];

		s->gain[g] += s->best[t];
		if (to == from)
			continue;
		moved = true;
		label[t] = to;
		add_row(d, x + t * d, 1, sums + (size_t) to * d);
		sizes[to]++;
		if (from < 0)
			continue;
		add_row(d, x + t * d, -1, sums + (size_t) from * d);
		sizes[from]--;
	}
	return moved;
}

/* The centers of the starts that go on, ready for the products. */
static void
load_centers(lloyd *s)
{
	size_t k = s->task->k, d = s->task->d;

	for (size_t a = 0; a < s->alive; a++)
	{
		const double *metric = s->task->metric + s->start[a] * d;
		const double *centers = s->task->centers + s->start[a] * k * d;

		for (size_t j = 0; j < k; j++)
		{
			double *scaled = s->scaled + (a * k + j) * d, sum = 0;

			for (size_t i = 0; i < d; i++)
			{
				scaled[i] = metric[i] * centers[j * d + i];
				sum += scaled[i] * centers[j * d + i];
			}
			s->half[a * k + j] = sum / 2;
		}
	}
}

/* All rows to their nearest centers, of all starts that go on; moved: by start of the group. */
static tlv_status
assign(tlv_context *ctx, lloyd *s, size_t first_start, bool *moved)
{
	const gmm_lloyd *task = s->task;
	size_t k = task->k, d = task->d, columns = s->alive * k;

	load_centers(s);
	for (size_t first = 0; first < task->n; first += TLV_MIXTURE_BLOCK)
	{
		size_t n = task->n - first < TLV_MIXTURE_BLOCK ? task->n - first : TLV_MIXTURE_BLOCK;
		const double *x = task->rows + first * d;

		TLV_TRY_CONTINUE(ctx);
		for (size_t c = 0; c < columns; c++)
			for (size_t t = 0; t < n; t++)
				s->scores[c * TLV_MIXTURE_BLOCK + t] = -s->half[c];
		TLV_TRY(tlv_gemm(ctx, true, false, n, columns, d, 1, x, d, s->scaled, d, 1, s->scores,
						 TLV_MIXTURE_BLOCK));
		for (size_t a = 0; a < s->alive; a++)
		{
			size_t start = s->start[a], g = start - first_start;

			find_best(n, k, s->scores + a * k * TLV_MIXTURE_BLOCK, s->best, s->found);
			moved[g] |= move_rows(s, g, n, x, task->label + start * task->n + first);
		}
	}
	return TLV_OK;
}

/* Means of the clusters; one without rows keeps its center. */
static void
update_centers(const lloyd *s, size_t start, size_t g)
{
	size_t k = s->task->k, d = s->task->d;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d && s->sizes[g * k + j] > 0; i++)
			s->task->centers[(start * k + j) * d + i] =
				s->sums[(g * k + j) * d + i] / s->sizes[g * k + j];
}

/* The starts first .. first + starts - 1 to their ends. */
static tlv_status
run_group(tlv_context *ctx, lloyd *s, size_t first, size_t starts, bool *moved)
{
	const gmm_lloyd *task = s->task;

	memset(s->sums, 0, starts * task->k * task->d * sizeof(double));
	memset(s->sizes, 0, starts * task->k * sizeof(double));
	for (size_t t = 0; t < starts * task->n; t++)
		task->label[first * task->n + t] = -1;
	for (size_t g = 0; g < starts; g++)
	{
		s->start[g] = first + g;
		s->before[g] = -HUGE_VAL;
	}
	s->alive = starts;
	for (int step = 0; s->alive > 0; step++)
	{
		size_t alive = 0;

		memset(s->gain, 0, starts * sizeof(double));
		memset(moved, 0, starts * sizeof(bool));
		TLV_TRY(assign(ctx, s, first, moved));
		for (size_t a = 0; a < s->alive; a++)
		{
			size_t start = s->start[a], g = start - first;
			double rise = s->gain[g] - s->before[g];

			task->gain[start] = s->before[g] = s->gain[g];
			if (step >= task->steps[start] || !moved[g] || rise < GAIN_TOLERANCE * fabs(s->gain[g]))
				continue;
			update_centers(s, start, g);
			s->start[alive++] = start;
		}
		s->alive = alive;
	}
	return TLV_OK;
}

tlv_status
tlv_gmm_run_lloyd(tlv_context *ctx, const gmm_lloyd *task)
{
	size_t k = task->k, d = task->d, columns;
	lloyd s = {.task = task, .group = MOST_CENTERS / k + (k > MOST_CENTERS)};
	bool *moved;

	if (s.group > task->starts)
		s.group = task->starts;
	columns = s.group * k;
	s.scaled = tlv_alloc(ctx, columns, (2 * d + 2 + TLV_MIXTURE_BLOCK) * sizeof(double));
	TLV_TRY_ALLOC(ctx, s.scaled);
	s.sums = s.scaled + columns * d;
	s.half = s.sums + columns * d;
	s.sizes = s.half + columns;
	s.scores = s.sizes + columns;
	s.best = tlv_alloc(ctx, TLV_MIXTURE_BLOCK + 2 * s.group, sizeof(double));
	TLV_TRY_ALLOC(ctx, s.best);
	s.gain = s.best + TLV_MIXTURE_BLOCK;
	s.before = s.gain + s.group;
	s.found = tlv_alloc(ctx, TLV_MIXTURE_BLOCK, sizeof(int32_t));
	TLV_TRY_ALLOC(ctx, s.found);
	s.start = tlv_alloc(ctx, s.group, sizeof(size_t) + sizeof(bool));
	TLV_TRY_ALLOC(ctx, s.start);
	moved = (bool *) (s.start + s.group);
	for (size_t first = 0; first < task->starts; first += s.group)
		TLV_TRY(run_group(ctx, &s, first,
						  task->starts - first < s.group ? task->starts - first : s.group, moved));
	tlv_free(ctx, s.start);
	tlv_free(ctx, s.found);
	tlv_free(ctx, s.best);
	tlv_free(ctx, s.scaled);
	return TLV_OK;
}
