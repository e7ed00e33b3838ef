/*
 * recover_kl.c - points as mixtures of corners, nearest in Kullback-Leibler divergence, and by the
 * inverse of the anchors' own block (anchors.h).
 */
#include "tensorlv/model/anchors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"

/* Corners that enter a step beside those of the mixture so far. */
#define ENTERING 8

/* What corners are mixed with of their mean, so that no entry of them is 0. */
#define CORNER_FLOOR 1e-5

/* One point and where its mixture stands. */
typedef struct descent
{
	size_t k;
	size_t n;			   /* entries of the point that are not 0 */
	int32_t *columns;	   /* n */
	double *entries;	   /* n */
	double *expected;	   /* n: of the mixture */
	const double *corners; /* k x d: those of a column side by side */
	double *mixture;	   /* k */
	double *next;		   /* k */
	double *gradient;	   /* k */
	/* the corners of the next step */
	size_t size;
	size_t *set;	  /* k */
	double *gram;	  /* k x k */
	double *moment;	  /* k */
	double *solution; /* k */
	double *gathered; /* k */
	double *work;	  /* k (k + 5) */
} descent;

/* The divergence of the point from a mixture, up to what does not depend on it. */
TLV_CLONES static double
divergence(const descent *at, const double *mixture)
{
	size_t k = at->k;
	double sum = 0;

	for (size_t e = 0; e < at->n; e++)
	{
		const double *restrict column = at->corners + (size_t) at->columns[e] * k;
		double expected = 0;

		for (size_t j = 0; j < k; j++)
			expected += mixture[j] * column[j];
		at->expected[e] = fmax(expected, DBL_MIN);
		sum -= at->entries[e] * log(at->expected[e]);
	}
	return sum;
}

/* Its gradient where it was computed last. */
TLV_CLONES static void
find_gradient(const descent *at)
{
	size_t k = at->k;

	memset(at->gradient, 0, k * sizeof(double));
	for (size_t e = 0; e < at->n; e++)
	{
		const double *restrict column = at->corners + (size_t) at->columns[e] * k;
		double ratio = at->entries[e] / at->expected[e];

		for (size_t j = 0; j < k; j++)
			at->gradient[j] -= ratio * column[j];
	}
}

/* How far the mixture may be from the best one, in nats: sum of c_j (g_j - least g). */
static double
duality_gap(const descent *at)
{
	double gap = 0, least = HUGE_VAL;

	for (size_t j = 0; j < at->k; j++)
		least = fmin(least, at->gradient[j]);
	for (size_t j = 0; j < at->k; j++)
		gap += at->mixture[j] * (at->gradient[j] - least);
	return gap;
}

/* Corners of the mixture, and those of the steepest descent beside them. */
static void
choose_set(descent *at)
{
	double mean = 0;

	at->size = 0;
	for (size_t j = 0; j < at->k; j++)
	{
		mean += at->mixture[j] * at->gradient[j];
		if (at->mixture[j] > 0)
			at->set[at->size++] = j;
	}
	for (size_t entering = 0; entering < ENTERING; entering++)
	{
		size_t best = at->k;

		for (size_t j = 0; j < at->k; j++)
			if (at->mixture[j] == 0 && at->gradient[j] < mean &&
				(best == at->k || at->gradient[j] < at->gradient[best]))
			{
				size_t other = 0;

				while (other < at->size && at->set[other] != j)
					other++;
				if (other == at->size)
					best = j;
			}
		if (best == at->k)
			return;
		at->set[at->size++] = best;
	}
}

/* The second derivatives at the set: sum of entries / expected^2 times corners' products. */
TLV_CLONES static void
anchors_find_gram(descent *at)
{
	size_t s = at->size;

	memset(at->gram, 0, s * s * sizeof(double));
	for (size_t e = 0; e < at->n; e++)
	{
		const double *restrict column = at->corners + (size_t) at->columns[e] * at->k;
		double *restrict gathered = at->gathered;
		double root = sqrt(at->entries[e]) / at->expected[e];

		for (size_t a = 0; a < s; a++)
			gathered[a] = root * column[at->set[a]];
		for (size_t a = 0; a < s; a++)
		{
			double *restrict row = at->gram + a * s;
			double x = gathered[a];

			for (size_t b = 0; b < s; b++)
				row[b] += x * gathered[b];
		}
	}
}

/* at->solution: the mixture of the set that is best by the second-order model of the divergence. */
static tlv_status
solve_model(tlv_context *ctx, descent *at)
{
	size_t s = at->size;

	anchors_find_gram(at);
	for (size_t a = 0; a < s; a++)
	{
		at->moment[a] = -at->gradient[at->set[a]];
		for (size_t b = 0; b < s; b++)
			at->moment[a] += at->gram[a * s + b] * at->mixture[at->set[b]];
	}
	return tlv_quadratic_nonnegative(ctx, s, at->gram, at->moment, true, at->solution, at->work);
}

/* As far towards it as lowers the divergence; false where nothing does. */
static bool
anchors_move(descent *at, double *value)
{
	/* A step must lower the divergence by this part of what its gradient says (Armijo). */
	const double lowered = 1e-4;
	const int most_halving = 30;
	double slope = 0, step = 1;

	for (size_t a = 0; a < at->size; a++)
		slope += at->gradient[at->set[a]] * (at->solution[a] - at->mixture[at->set[a]]);
	for (int halving = 0; halving < most_halving && slope < 0; halving++, step /= 2)
	{
		double next;

		memset(at->next, 0, at->k * sizeof(double));
		for (size_t a = 0; a < at->size; a++)
			at->next[at->set[a]] = (1 - step) * at->mixture[at->set[a]] + step * at->solution[a];
		next = divergence(at, at->next);
		if (next <= *value + lowered * step * slope)
		{
			memcpy(at->mixture, at->next, at->k * sizeof(double));
			*value = next;
			return true;
		}
	}
	return false;
}

/* Sequential quadratic programs over the corners that play a part (Kim, Carbonetto, Stephens,
 * Anitescu 2020). */
static tlv_status
anchors_descend(tlv_context *ctx, descent *at)
{
	/* Steps of a point at most, and the duality gap (nats) at which they end. */
	const int most_steps = 100;
	const double least_gap = 1e-7;
	double value = divergence(at, at->mixture);

	for (int steps = 0; steps < most_steps; steps++)
	{
		TLV_TRY_CONTINUE(ctx);
		find_gradient(at);
		if (!(duality_gap(at) >= least_gap))
			break;
		choose_set(at);
		TLV_TRY(solve_model(ctx, at));
		if (!anchors_move(at, &value))
			break;
	}
	return TLV_OK;
}

/* Corners column by column, each with a little of their mean. */
static tlv_status
transpose_corners(tlv_context *ctx, size_t d, size_t k, const double *corners, double **to)
{
	TLV_TRY_NEW_ROWS(ctx, *to, k, d);
	for (size_t i = 0; i < d; i++)
	{
		double mean = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
			mean += corners[j * d + i] / (double) k;
		for (size_t j = 0; j < k; j++)
			(*to)[i * k + j] = (1 - CORNER_FLOOR) * corners[j * d + i] + CORNER_FLOOR * mean;
	}
	return TLV_OK;
}

static void
gather_entries(descent *at, size_t d, const double *row)
{
	at->n = 0;
	for (size_t i = 0; i < d; i++)
		if (row[i] > 0)
		{
			at->columns[at->n] = (int32_t) i;
			at->entries[at->n++] = row[i];
		}
}

tlv_status
tlv_anchors_recover_kl(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
					   const double *corners, double *shares)
{
	descent at = {.k = k};
	double *by_column, *numbers;

	TLV_TRY(transpose_corners(ctx, points->d, k, corners, &by_column));
	TLV_TRY_NEW_ROWS(ctx, numbers, k, 2 * k + 10);
	TLV_TRY_NEW(ctx, at.set, k);
	TLV_TRY_NEW(ctx, at.columns, points->d);
	TLV_TRY_NEW(ctx, at.entries, 2 * points->d);
	at.expected = at.entries + points->d;
	at.corners = by_column;
	at.gram = numbers;
	at.work = at.gram + k * k;
	at.next = at.work + k * (k + 5);
	at.gradient = at.next + k;
	at.moment = at.gradient + k;
	at.solution = at.moment + k;
	at.gathered = at.solution + k;
	for (size_t i = 0; i < points->n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		at.mixture = shares + i * k;
		gather_entries(&at, points->d, points->rows + i * points->d);
		TLV_TRY(anchors_descend(ctx, &at));
	}
	tlv_free(ctx, by_column);
	tlv_free(ctx, numbers);
	tlv_free(ctx, at.set);
	tlv_free(ctx, at.columns);
	tlv_free(ctx, at.entries);
	return TLV_OK;
}

tlv_status
tlv_anchors_invert(tlv_context *ctx, const tlv_anchor_points *points, size_t k,
				   const double *corners, const int32_t *columns, double *shares)
{
	/* Singular values of the anchors' block below this part of the largest have no inverse. */
	const double singular = 1e-10;
	double *block, *inverse, *entries;
	size_t rank;

	TLV_TRY_NEW_ROWS(ctx, block, k, k);
	TLV_TRY_NEW_ROWS(ctx, inverse, k, k);
	TLV_TRY_NEW_ROWS(ctx, entries, k, points->n);
	for (size_t j = 0; j < k; j++)
		for (size_t c = 0; c < k; c++)
			block[j * k + c] = corners[j * points->d + (size_t) columns[c]];
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, block, singular, inverse, &rank));
	if (rank < k)
	{
		tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
				 "the co-occurrence of the %zu anchors among each other has rank %zu", k, rank);
		return tlv_fail_hint(ctx, "Use a smaller k, more documents, or method => 'anchors'.");
	}
	for (size_t i = 0; i < points->n; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t c = 0; c < k; c++)
			entries[i * k + c] = points->rows[i * points->d + (size_t) columns[c]];
	}
	TLV_TRY(tlv_gemm(ctx, false, false, k, points->n, k, 1, inverse, k, entries, k, 0, shares, k));
	tlv_free(ctx, block);
	tlv_free(ctx, inverse);
	tlv_free(ctx, entries);
	return TLV_OK;
}
