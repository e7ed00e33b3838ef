/*
 * cp_missing.c - a sum of products of a tensor of which some entries are missing: weighted
 * alternating least squares, with weight 1 for known entries and 0 for the others (Tomasi, Bro
 * 2005).
 *
 * For item i of a mode, with p(e) the products of the factors of the other two modes at entry e,
 * the vector x of the item solves A x = b, where b sums T(e) p(e) and A sums p(e) p(e)' over the
 * known entries of the item: the list of the known ones, or the whole less the list of the missing
 * ones, for which A begins as the Hadamard product of the other factors' Gram matrices.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/cp.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tuning.h"

typedef struct missing_work
{
	const tlv_tensor *tensor;
	const tlv_tensor_known *known;
	size_t k;
	bool nonnegative;
	double norm2; /* sum of squared entries */
	/* the list by items of each mode: entries order[m][start[m][i]] .. order[m][start[m][i + 1]] */
	size_t *start[TLV_MODES];
	int32_t *order[TLV_MODES];
	double *factor[TLV_MODES]; /* k x d[m], one behind the other */
	double *best;			   /* the same of the best start */
	double *gram[TLV_MODES];   /* k x k */
	double *all;			   /* k x k: A of an item without a listed entry */
	double *a, *copy;		   /* k x k: A of one item */
	double *x, *products;	   /* k */
	double *z;				   /* k x the largest side */
	double *rows;			   /* of tlv_tensor_multiply */
} missing_work;

static size_t
tensor_items_of(const tlv_tensor *t)
{
	return t->d[0] + t->d[1] + t->d[2];
}

/* ---- the list by items ---- */

static tlv_status
order_list(tlv_context *ctx, missing_work *w, int mode)
{
	size_t n = w->known->n, d = w->tensor->d[mode], *next;

	TLV_TRY_NEW0(ctx, w->start[mode], d + 1);
	TLV_TRY_NEW(ctx, w->order[mode], n + 1);
	for (size_t e = 0; e < n; e++)
		w->start[mode][w->known->at[mode][e] + 1]++;
	for (size_t i = 0; i < d; i++)
		w->start[mode][i + 1] += w->start[mode][i];
	TLV_TRY_NEW(ctx, next, d + 1);
	memcpy(next, w->start[mode], d * sizeof(size_t));
	for (size_t e = 0; e < n; e++)
	{
		TLV_TRY_CONTINUE_AT(ctx, e);
		w->order[mode][next[w->known->at[mode][e]]++] = (int32_t) e;
	}
	tlv_free(ctx, next);
	return TLV_OK;
}

static tlv_status
tensor_work_begin(tlv_context *ctx, const tlv_tensor_source *source, size_t k, missing_work *w)
{
	const tlv_tensor *t = &source->tensor;
	size_t largest = 0, items = tensor_items_of(t);
	double rows = tlv_tensor_work(t, k);

	w->tensor = t;
	w->known = &source->known;
	w->k = k;
	w->norm2 = tlv_tensor_norm2(t);
	for (int m = 0; m < TLV_MODES; m++)
		largest = t->d[m] > largest ? t->d[m] : largest;
	TLV_TRY(tlv_require_memory(ctx,
							   8 * ((double) k * (2 * (double) items + (double) largest + 2) +
									rows + 6 * (double) k * (double) k) +
								   12 * (double) w->known->n + 8 * (double) items,
							   "the factors of a tensor with missing entries"));
	for (int m = 0; m < TLV_MODES; m++)
	{
		TLV_TRY(order_list(ctx, w, m));
		TLV_TRY_NEW_ROWS(ctx, w->gram[m], k, k);
	}
	TLV_TRY_NEW_ROWS(ctx, w->factor[0], items, k);
	w->factor[1] = w->factor[0] + k * t->d[0];
	w->factor[2] = w->factor[1] + k * t->d[1];
	TLV_TRY_NEW_ROWS(ctx, w->best, items, k);
	TLV_TRY_NEW_ROWS(ctx, w->all, k, 3 * k + 2);
	w->a = w->all + k * k;
	w->copy = w->a + k * k;
	w->x = w->copy + k * k;
	w->products = w->x + k;
	TLV_TRY_NEW_ROWS(ctx, w->z, largest, k);
	TLV_TRY_NEW(ctx, w->rows, (size_t) rows + 1);
	return TLV_OK;
}

/* ---- one mode ---- */

static tlv_status
tensor_find_gram(tlv_context *ctx, missing_work *w, int mode)
{
	size_t k = w->k;

	return tlv_gemm(ctx, false, true, k, k, w->tensor->d[mode], 1, w->factor[mode], k,
					w->factor[mode], k, 0, w->gram[mode], k);
}

/* A of an item: of the whole where the missing ones are listed, plus or minus the listed ones. */
static void
fill_normal(const missing_work *w, int mode, size_t item)
{
	int one = mode == 0 ? 1 : 0, two = mode == 2 ? 1 : 2;
	size_t k = w->k;
	double sign = w->known->listed ? 1 : -1;

	memcpy(w->a, w->all, k * k * sizeof(double));
	for (size_t s = w->start[mode][item]; s < w->start[mode][item + 1]; s++)
	{
		size_t e = (size_t) w->order[mode][s];
		const double *b = w->factor[one] + k * (size_t) w->known->at[one][e];
		const double *c = w->factor[two] + k * (size_t) w->known->at[two][e];

		for (size_t h = 0; h < k; h++)
			w->products[h] = b[h] * c[h];
		for (size_t h = 0; h < k; h++)
			for (size_t g = h; g < k; g++)
				w->a[g + h * k] += sign * w->products[h] * w->products[g];
	}
	for (size_t h = 0; h < k; h++)
		for (size_t g = 0; g < h; g++)
			w->a[g + h * k] = w->a[h + g * k];
}

/* The least squares over vectors without negative elements, from x on. */
static void
tensor_descend(const missing_work *w, const double *b, double *x)
{
	/* Passes of coordinate descent that find a vector without negative elements. */
	const int bounded_passes = 5;
	size_t k = w->k;

	for (int pass = 0; pass < bounded_passes; pass++)
		for (size_t h = 0; h < k; h++)
		{
			double slope = b[h], diagonal = w->a[h + h * k];

			for (size_t g = 0; g < k; g++)
				slope -= w->a[g + h * k] * x[g];
			if (diagonal > 0)
				x[h] = fmax(x[h] + slope / diagonal, 0);
		}
}

/* Solves for one item; lowers *residual, the sum of squares, by what its vector explains. */
static tlv_status
solve_item(tlv_context *ctx, missing_work *w, int mode, size_t item, double *residual)
{
	size_t k = w->k;
	double *x = w->factor[mode] + item * k, trace = 0, ridge;
	const double *b = w->z + item * k;

	fill_normal(w, mode, item);
	for (size_t h = 0; h < k; h++)
		trace += w->a[h + h * k];
	ridge = TLV_RIDGE * trace / (double) k;
	if (w->nonnegative)
		tensor_descend(w, b, x);
	else if (trace > 0)
	{
		memcpy(w->copy, w->a, k * k * sizeof(double));
		for (size_t h = 0; h < k; h++)
		{
			w->copy[h + h * k] += ridge;
			w->x[h] = b[h] + ridge * x[h];
		}
		/* not positive definite by rounding: the vector stays */
		if (tlv_cholesky(ctx, k, w->copy) == TLV_OK)
		{
			TLV_TRY(tlv_solve_triangle(ctx, false, k, 1, w->copy, w->x));
			TLV_TRY(tlv_solve_triangle(ctx, true, k, 1, w->copy, w->x));
			memcpy(x, w->x, k * sizeof(double));
		}
		else
			TLV_TRY_CONTINUE(ctx);
	}
	for (size_t h = 0; h < k; h++)
	{
		double ax = 0;

		for (size_t g = 0; g < k; g++)
			ax += w->a[g + h * k] * x[g];
		*residual += x[h] * (ax - 2 * b[h]);
	}
	return TLV_OK;
}

static tlv_status
tensor_solve_mode(tlv_context *ctx, missing_work *w, int mode, double *residual)
{
	int one = mode == 0 ? 1 : 0, two = mode == 2 ? 1 : 2;
	size_t k = w->k, looks = 1 + 65536 / (k * k);

	TLV_TRY(tlv_tensor_multiply(ctx, w->tensor, k, w->factor, mode, false, w->rows, w->z));
	for (size_t i = 0; i < k * k; i++)
		w->all[i] = w->known->listed ? 0 : w->gram[one][i] * w->gram[two][i];
	*residual = w->norm2;
	for (size_t i = 0; i < w->tensor->d[mode]; i++)
	{
		if (i % looks == 0)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(solve_item(ctx, w, mode, i, residual));
	}
	return tensor_find_gram(ctx, w, mode);
}

/* Lengths of a component's vectors become equal in all modes. */
static tlv_status
tensor_balance(tlv_context *ctx, missing_work *w)
{
	tlv_factors_balance(w->tensor->d, w->k, w->gram, w->factor);
	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY(tensor_find_gram(ctx, w, m));
	return TLV_OK;
}

/* Sweeps until the residual converges, at most the given number. */
static tlv_status
tensor_run_sweeps(tlv_context *ctx, missing_work *w, int most, double *residual,
				  tlv_factors_found *found)
{
	/* A sweep that lowers the sum of squared residuals by less, relative to it and to the sum of
	 * squared entries, is the last. */
	const double tolerance = 1e-7, exact = 1e-15;

	found->converged = false;
	for (int m = 0; m < TLV_MODES; m++)
		TLV_TRY(tensor_find_gram(ctx, w, m));
	for (int s = 0; s < most && !found->converged; s++)
	{
		double before = *residual;

		TLV_TRY(tensor_balance(ctx, w));
		for (int m = 0; m < TLV_MODES; m++)
			TLV_TRY(tensor_solve_mode(ctx, w, m, residual));
		*residual = fmax(*residual, 0);
		found->sweeps++;
		found->converged = before - *residual <= tolerance * *residual + exact * w->norm2;
	}
	return TLV_OK;
}

/* ---- starts ---- */

static void
tensor_draw_start(missing_work *w, uint64_t seed, uint64_t number)
{
	size_t n = w->k * tensor_items_of(w->tensor);
	tlv_rng rng;

	tlv_rng_stream(&rng, seed, number);
	tlv_rng_fill_normal(&rng, n, w->factor[0]);
	for (size_t i = 0; w->nonnegative && i < n; i++)
		w->factor[0][i] = fabs(w->factor[0][i]);
}

static tlv_status
tensor_run_starts(tlv_context *ctx, missing_work *w, const tlv_cp_fit_options *o,
				  tlv_factors_found *found)
{
	/* Sweeps of a start before the best one goes on. */
	const int trial_sweeps = 40;
	const int usual_iterations = 2000;
	const int usual_restarts = 4;
	int starts = o->restarts > 0 ? o->restarts : usual_restarts;
	int most = o->iterations > 0 ? o->iterations : usual_iterations;
	size_t bytes = w->k * tensor_items_of(w->tensor) * sizeof(double);
	double residual, least = INFINITY;

	for (int s = 0; s < starts; s++)
	{
		tensor_draw_start(w, o->seed, (uint64_t) s);
		residual = INFINITY;
		TLV_TRY(tensor_run_sweeps(ctx, w, (int) tlv_least((size_t) most, trial_sweeps), &residual,
								  found));
		if (residual >= least)
			continue;
		least = residual;
		memcpy(w->best, w->factor[0], bytes);
	}
	memcpy(w->factor[0], w->best, bytes);
	residual = least;
	TLV_TRY(tensor_run_sweeps(ctx, w, most, &residual, found));
	found->residual = sqrt(residual / w->norm2);
	return tensor_balance(ctx, w);
}

/* ---- the result ---- */

/* Vectors of length 1, their lengths in the scales, by decreasing scale. */
static tlv_status
tensor_take_factors(tlv_context *ctx, const missing_work *w, double *factors, double *scales)
{
	for (size_t h = 0; h < w->k; h++)
		scales[h] = pow(w->gram[0][h + h * w->k], 1.5);
	return tlv_factors_order(ctx, w->tensor->d, w->k, w->gram, w->factor, scales, factors);
}

tlv_status
tlv_cp_of_known(tlv_context *ctx, const tlv_tensor_source *source,
				const tlv_cp_fit_options *options, double *factors, double *scales,
				tlv_factors_found *found)
{
	missing_work w = {.nonnegative = options->nonnegative};
	tlv_scratch scratch;
	tlv_status status;

	*found = (tlv_factors_found){0};
	TLV_TRY(tlv_cp_check(ctx, &source->tensor, options->k));
	tlv_scratch_begin(ctx, &scratch);
	status = tensor_work_begin(ctx, source, options->k, &w);
	if (status == TLV_OK)
		status = tensor_run_starts(ctx, &w, options, found);
	if (status == TLV_OK)
		status = tensor_take_factors(ctx, &w, factors, scales);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
