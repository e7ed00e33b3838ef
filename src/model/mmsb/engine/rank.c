/*
 * rank.c - how many communities a graph supports: cross-validated
 * eigenvalues (Chen, Roch, Rohe, Yu 2021).
 *
 * A tenth of the edges is set aside; an eigenvector of the normalised rest counts when the edges
 * set aside agree with it, by more than two standard errors on average over the folds; or, where
 * edges are few, by more than 2.5 over all of ten folds together.  Unlike the Bethe Hessian's
 * count it also sees communities that avoid themselves.
 */
#include "../internal.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/rng.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

/* Directions of the subspace beside those that are tested. */
#define EXTRA 10

/* How the edges set aside agree with the j-th direction. */
typedef struct agreement
{
	double z;		/* sum over folds of the standardised sums */
	double sum;		/* over folds */
	double squares; /* over folds: of its terms */
} agreement;

typedef struct fold
{
	uint64_t seed;
	int part;			/* that is set aside */
	const tlv_csr *all; /* symmetric; sources before targets where there are two sides */
	tlv_csr train;		/* the same without what is set aside */
	float *scale;		/* 1 / sqrt(degree + mean degree) */
	float *scaled;		/* block x nodes, work space of the operator */
} fold;

static bool
set_aside(const fold *f, size_t u, size_t v)
{
	uint64_t hash =
		tlv_mix64(tlv_mix64(f->seed ^ (uint64_t) tlv_least(u, v)) + (uint64_t) (u < v ? v : u));

	return (int) (hash >> 32) % COMMUNITY_PARTS == f->part;
}

static tlv_status
split_edges(tlv_context *ctx, fold *f)
{
	const tlv_csr *all = f->all;
	size_t n = all->rows, at = 0;
	double *degree, mean = 0;

	TLV_TRY(tlv_csr_create(ctx, n, n, all->entries, all->value != NULL, &f->train));
	for (size_t u = 0; u < n; u++)
	{
		for (size_t e = all->start[u]; e < all->start[u + 1]; e++)
		{
			TLV_TRY_CONTINUE_AT(ctx, e);
			if (set_aside(f, u, (size_t) all->index[e]))
				continue;
			f->train.index[at] = all->index[e];
			if (all->value != NULL)
				f->train.value[at] = all->value[e];
			at++;
		}
		f->train.start[u + 1] = at;
	}
	f->train.entries = at;
	TLV_TRY_NEW(ctx, f->scale, n);
	TLV_TRY_NEW(ctx, degree, n);
	tlv_csr_row_sums(&f->train, degree);
	for (size_t u = 0; u < n; u++)
		mean += degree[u] / (double) n;
	for (size_t u = 0; u < n; u++)
		f->scale[u] = (float) (1 / sqrt(degree[u] + fmax(mean, 1e-9)));
	tlv_free(ctx, degree);
	return TLV_OK;
}

static void
free_fold(tlv_context *ctx, fold *f)
{
	tlv_csr_free(ctx, &f->train);
	tlv_free(ctx, f->scale);
	tlv_free(ctx, f->scaled);
}

/* z = s A s x over the edges kept */
static tlv_status
apply_train(tlv_context *ctx, void *argument, size_t l, const float *x, float *z)
{
	fold *f = argument;

	TLV_TRY(tlv_scale_rows_float(ctx, f->train.rows, l, f->scale, x, f->scaled));
	TLV_TRY(tlv_csr_multiply(ctx, &f->train, l, f->scaled, z));
	return tlv_scale_rows_float(ctx, f->train.rows, l, f->scale, z, z);
}

/* The agreement of the k leading directions of a block l x n with the edges set aside. */
static tlv_status
add_agreement(tlv_context *ctx, const fold *f, size_t k, size_t l, const float *x,
			  const double *value, agreement *z)
{
	double *sum = tlv_alloc0(ctx, 2 * k, sizeof(double)), *squares;

	TLV_TRY_ALLOC(ctx, sum);
	squares = sum + k;
	for (size_t u = 0; u < f->all->rows; u++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t e = f->all->start[u]; e < f->all->start[u + 1]; e++)
		{
			size_t v = (size_t) f->all->index[e];
			double g = f->all->value == NULL ? 1 : f->all->value[e];

			if (v < u || !set_aside(f, u, v))
				continue;
			for (size_t j = 0; j < k; j++)
			{
				double term = g * f->scale[u] * x[u * l + j] * f->scale[v] * x[v * l + j];

				sum[j] += term;
				squares[j] += term * term;
			}
		}
	}
	for (size_t j = 0; j < k; j++)
	{
		double agrees = value[j] > 0 ? sum[j] : -sum[j];

		z[j].z += agrees / sqrt(fmax(squares[j], TLV_TINY));
		z[j].sum += agrees;
		z[j].squares += squares[j];
	}
	tlv_free(ctx, sum);
	return TLV_OK;
}

static tlv_status
one_fold(tlv_context *ctx, const tlv_mmsb_fit_state *fit, const tlv_csr *all, int part, size_t most,
		 agreement *z)
{
	uint64_t seed = fit->options->seed;
	fold f = {.seed = seed, .part = part, .all = all};
	tlv_eigen_task task;
	size_t n, l;
	float *x;
	double *value;
	tlv_rng rng;
	int steps;

	TLV_TRY(split_edges(ctx, &f));
	n = f.train.rows;
	l = most + EXTRA < n ? most + EXTRA : n;
	/* of two sides every value comes with its negative: the positive ones say all */
	task = (tlv_eigen_task){.n = n,
							.k = most,
							.l = l,
							.tolerance = COMMUNITY_RANK_TOLERANCE,
							.max_steps = COMMUNITY_STEPS,
							.modulus = fit->sides == 1};
	TLV_TRY_NEW(ctx, x, l * n);
	TLV_TRY_NEW(ctx, f.scaled, l * n);
	TLV_TRY_NEW(ctx, value, l);
	tlv_rng_seed(&rng, seed + (uint64_t) part);
	TLV_TRY(tlv_subspace_iteration_float(ctx, &task, apply_train, &f, &rng, x, value, &steps));
	TLV_TRY(add_agreement(ctx, &f, most, l, x, value, z));
	tlv_free(ctx, value);
	tlv_free(ctx, x);
	free_fold(ctx, &f);
	return TLV_OK;
}

/* Standard errors by which a direction is agreed with, and whether that is enough. */
static double
standardize(const agreement *z, bool pooled, int folds)
{
	return pooled ? z->sum / sqrt(fmax(z->squares, TLV_TINY)) : z->z / folds;
}

static size_t
community_most_directions(const tlv_mmsb_fit_state *fit, size_t most)
{
	size_t n = fit->side[0].n + (fit->sides == 2 ? fit->side[1].n : 0);

	most = most + 2 <= n ? most : n > 2 ? n - 2 : 1;
	/* of two sides no more than the smaller one has nodes */
	for (size_t s = 0; s < fit->sides; s++)
		most = most < fit->side[s].n ? most : fit->side[s].n;
	return most;
}

tlv_status
tlv_mmsb_count_directions(tlv_context *ctx, tlv_mmsb_fit_state *fit, size_t looked_at, size_t *k)
{
	size_t n = fit->side[0].n + (fit->sides == 2 ? fit->side[1].n : 0);
	size_t most = community_most_directions(fit, looked_at);
	double entries = (double) fit->side[0].edges.entries;
	bool pooled = entries / (double) (3 - fit->sides) < FEW_EDGES;
	int folds = pooled								  ? COMMUNITY_PARTS
				: entries * (double) most > RANK_WORK ? 2
													  : COMMUNITY_FOLDS;
	tlv_csr all = fit->side[0].edges;
	agreement *z;

	TLV_TRY(tlv_require_memory(
		ctx, 16 * (double) n * (double) (most + EXTRA) + (fit->sides == 2 ? 32 : 12) * entries,
		"choosing k"));
	if (fit->sides == 2)
		TLV_TRY(tlv_mmsb_join_sides(ctx, fit, &all));
	TLV_TRY_NEW0(ctx, z, most);
	for (int i = 0; i < folds; i++)
	{
		tlv_report(ctx, "choosing k", i, folds);
		TLV_TRY(one_fold(ctx, fit, &all, i, most, z));
	}
	*k = 0;
	for (size_t j = 0; j < most; j++)
		if (standardize(&z[j], pooled, folds) > (pooled ? TLV_CHANCE_ERRORS : SIGNIFICANT_Z))
			++*k;
		else if (pooled)
			break; /* the others are no longer apart from the noise, and fold by fold not the same
					*/
	*k = *k > 0 ? *k : 1;
	for (size_t j = 0; j < most; j++)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, standardize(&z[j], pooled, folds), "z_%zu",
							 j + 1));
	tlv_free(ctx, z);
	if (fit->sides == 2)
		tlv_csr_free(ctx, &all);
	return TLV_OK;
}
