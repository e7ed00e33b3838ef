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

#include <math.h>
#include <string.h>

#include "tensorlv/num/rng.h"

#define PARTS		  10 /* one of them is set aside */
#define FOLDS		  5
#define LARGE_FOLDS	  2
#define LARGE_WORK	  1e9 /* entries x directions */
#define SIGNIFICANT_Z 2.0

/* Few edges: every one is set aside once, and the folds are pooled. */
#define FEW_EDGES 2000
#define POOLED_Z  2.5
#define EXTRA	  10
#define STEPS	  16
#define TOLERANCE 1e-2

/* Edges between two looks at tlv_should_stop(): some milliseconds. */
#define CHUNK_EDGES 65536

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
	int part;	   /* that is set aside */
	tlv_csr train; /* symmetric; sources before targets where there are two sides */
	tlv_csr test;  /* every edge once, rows of the source */
	float *scale;  /* 1 / sqrt(degree + mean degree) */
	float *scaled; /* block x nodes, work space of the operator */
} fold;

static bool
set_aside(uint64_t seed, int part, size_t u, size_t v)
{
	uint64_t hash = tlv_mix64(tlv_mix64(seed ^ (uint64_t) u) + (uint64_t) v);

	return (int) (hash >> 32) % PARTS == part;
}

/* Ends of an edge in the symmetric graph; false for the second sight of an undirected edge. */
static bool
ends(const tlv_mmsb_fit_state *fit, size_t row, size_t column, size_t *u, size_t *v)
{
	*u = row;
	*v = fit->sides == 1 ? column : fit->side[0].n + column;
	return *u < *v;
}

/* Counts (fill = false) or writes the entries of a fold. */
static tlv_status
scan_edges(tlv_context *ctx, const tlv_mmsb_fit_state *fit, fold *f, bool fill)
{
	const tlv_csr *edges = &fit->side[0].edges;

	for (size_t row = 0; row < edges->rows; row++)
		for (size_t e = edges->start[row]; e < edges->start[row + 1]; e++)
		{
			size_t u, v;
			float g = edges->value == NULL ? 1 : edges->value[e];

			if (e % CHUNK_EDGES == 0)
				TLV_TRY_CONTINUE(ctx);
			if (!ends(fit, row, (size_t) edges->index[e], &u, &v))
				continue;
			if (set_aside(f->seed, f->part, u, v))
			{
				size_t at = f->test.start[u + 1]++;

				if (!fill)
					continue;
				f->test.index[at] = (int32_t) v;
				if (f->test.value != NULL)
					f->test.value[at] = g;
				continue;
			}
			for (int turn = 0; turn < 2; turn++)
			{
				size_t at = f->train.start[(turn == 0 ? u : v) + 1]++;

				if (!fill)
					continue;
				f->train.index[at] = (int32_t) (turn == 0 ? v : u);
				if (f->train.value != NULL)
					f->train.value[at] = g;
			}
		}
	return TLV_OK;
}

/* Counts per row at start[row + 1] to places where rows begin, shifted by one for filling. */
static size_t
begin_rows(tlv_csr *a)
{
	size_t total = 0;

	for (size_t u = 0; u < a->rows; u++)
	{
		size_t n = a->start[u + 1];

		a->start[u + 1] = total;
		total += n;
	}
	return total;
}

/* Starts alone; entries follow once they are counted. */
static tlv_status
create_rows(tlv_context *ctx, size_t n, tlv_csr *a)
{
	memset(a, 0, sizeof(*a));
	a->rows = a->columns = n;
	TLV_TRY_NEW0(ctx, a->start, n + 1);
	return TLV_OK;
}

static tlv_status
create_entries(tlv_context *ctx, bool weighted, tlv_csr *a)
{
	a->entries = begin_rows(a);
	TLV_TRY_NEW(ctx, a->index, a->entries);
	if (weighted)
		TLV_TRY_NEW(ctx, a->value, a->entries);
	return TLV_OK;
}

static tlv_status
split_edges(tlv_context *ctx, const tlv_mmsb_fit_state *fit, fold *f)
{
	size_t n = fit->side[0].n + (fit->sides == 2 ? fit->side[1].n : 0);
	bool weighted = fit->side[0].edges.value != NULL;
	double *degree, mean = 0;

	TLV_TRY(create_rows(ctx, n, &f->train));
	TLV_TRY(create_rows(ctx, n, &f->test));
	TLV_TRY(scan_edges(ctx, fit, f, false));
	TLV_TRY(create_entries(ctx, weighted, &f->train));
	TLV_TRY(create_entries(ctx, weighted, &f->test));
	TLV_TRY(scan_edges(ctx, fit, f, true));
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
	tlv_csr_free(ctx, &f->test);
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
	for (size_t u = 0; u < f->test.rows; u++)
	{
		if (u % 4096 == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t e = f->test.start[u]; e < f->test.start[u + 1]; e++)
		{
			size_t v = (size_t) f->test.index[e];
			double g = f->test.value == NULL ? 1 : f->test.value[e];

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

		z[j].z += agrees / sqrt(fmax(squares[j], 1e-300));
		z[j].sum += agrees;
		z[j].squares += squares[j];
	}
	tlv_free(ctx, sum);
	return TLV_OK;
}

static tlv_status
one_fold(tlv_context *ctx, const tlv_mmsb_fit_state *fit, uint64_t seed, int part, size_t most,
		 agreement *z)
{
	fold f = {.seed = seed, .part = part};
	tlv_eigen_task task;
	size_t n, l;
	float *x;
	double *value;
	tlv_rng rng;
	int steps;

	TLV_TRY(split_edges(ctx, fit, &f));
	n = f.train.rows;
	l = most + EXTRA < n ? most + EXTRA : n;
	/* of two sides every value comes with its negative: the positive ones say all */
	task = (tlv_eigen_task){.n = n,
							.k = most,
							.l = l,
							.tolerance = TOLERANCE,
							.max_steps = STEPS,
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
	return pooled ? z->sum / sqrt(fmax(z->squares, 1e-300)) : z->z / folds;
}

static size_t
most_directions(const tlv_mmsb_fit_state *fit, size_t most)
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
	size_t most = most_directions(fit, looked_at);
	double entries = (double) fit->side[0].edges.entries;
	bool pooled = entries / (double) (3 - fit->sides) < FEW_EDGES;
	int folds = pooled ? PARTS : entries * (double) most > LARGE_WORK ? LARGE_FOLDS : FOLDS;
	agreement *z;

	TLV_TRY(tlv_require_memory(ctx, 16 * (double) n * (double) (most + EXTRA) + 20 * entries,
							   "choosing k"));
	TLV_TRY_NEW0(ctx, z, most);
	for (int i = 0; i < folds; i++)
	{
		tlv_report(ctx, "choosing k", i, folds);
		TLV_TRY(one_fold(ctx, fit, fit->options->seed, i, most, z));
	}
	*k = 0;
	for (size_t j = 0; j < most; j++)
		if (standardize(&z[j], pooled, folds) > (pooled ? POOLED_Z : SIGNIFICANT_Z))
			++*k;
		else if (pooled)
			break; /* the others are no longer apart from the noise, and fold by fold not the same
					*/
	*k = *k > 0 ? *k : 1;
	for (size_t j = 0; j < most; j++)
		TLV_TRY(tlv_diagnose(ctx, &fit->diagnostics, standardize(&z[j], pooled, folds), "z_%zu",
							 j + 1));
	tlv_free(ctx, z);
	return TLV_OK;
}
