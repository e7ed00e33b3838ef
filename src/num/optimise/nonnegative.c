/*
 * nonnegative.c - nonnegative factors of third-order tensors (nonnegative.h).
 *
 * With X the factor of a mode and K the products of the other two, row by row, the model's part is
 * |T - X K'|, quadratic in X with Q = K'K, the entry-wise product of the other factors' Gram
 * matrices, and Z = T K.  The methods differ in the step from (Q, Z).  Factors lie row after row:
 * k x d for the column-major products.
 */
#include "nonnegative_internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tucker.h"

#define USUAL_SWEEPS	300
#define USUAL_TOLERANCE 1e-9
/* On a core: sweeps of a start, and of the best one. */
#define CORE_TRIAL	   300
#define CORE_SWEEPS	   2000
#define CORE_TOLERANCE 1e-11

/* ---- products ---- */

static tlv_status
find_gram(tlv_context *ctx, nonnegative_work *work, int mode)
{
	return tlv_syrk(ctx, false, work->k, work->d[mode], 1, work->factor[mode], work->k, 0,
					work->gram[mode], work->k, true);
}

/* z of a mode from the core: the factors go into the bases, and what comes out of these. */
static tlv_status
multiply_core(tlv_context *ctx, nonnegative_work *work, int mode)
{
	size_t k = work->k;

	for (int m = 0; m < 3; m++)
		if (m != mode)
			TLV_TRY(tlv_gemm(ctx, false, true, k, work->r[m], work->d[m], 1, work->factor[m], k,
							 work->basis[m], work->r[m], 0, work->inside[m], k));
	TLV_TRY(tlv_tensor_multiply(ctx, &work->core, k, work->inside, mode, false, work->rows,
								work->inside_z));
	return tlv_gemm(ctx, false, false, k, work->d[mode], work->r[mode], 1, work->inside_z, k,
					work->basis[mode], work->r[mode], 0, work->z, k);
}

/* ---- sweeps ---- */

static tlv_status
sweep_mode(tlv_context *ctx, nonnegative_work *work, int mode)
{
	size_t k = work->k;

	/* the rows of the first mode serve the second, unless something else needed their place */
	if (work->on_core)
		TLV_TRY(multiply_core(ctx, work, mode));
	else
		TLV_TRY(tlv_tensor_multiply(ctx, &work->tensor, k, work->factor, mode, mode == 1,
									work->rows, work->z));
	for (size_t i = 0; i < k * k; i++)
		work->q[i] = work->gram[(mode + 1) % 3][i] * work->gram[(mode + 2) % 3][i];
	TLV_TRY(tlv_nonnegative_step(ctx, work, mode));
	return find_gram(ctx, work, mode);
}

/* Squared distance of the model from the tensor, after the third mode's step: z is of the other two
 * as they are. */
static tlv_status
find_residual(tlv_context *ctx, nonnegative_work *work, double *residual)
{
	size_t k = work->k;
	double square = 0, along = 0;

	for (size_t i = 0; i < k * k; i++)
		square += work->gram[0][i] * work->gram[1][i] * work->gram[2][i];
	for (size_t i = 0; i < work->d[2] * k; i++)
		along += work->z[i] * work->factor[2][i];
	*residual = fmax(work->norm - 2 * along + square, 0);
	return TLV_OK;
}

static tlv_status
find_grams(tlv_context *ctx, nonnegative_work *work)
{
	for (int mode = 0; mode < 3; mode++)
		TLV_TRY(find_gram(ctx, work, mode));
	return TLV_OK;
}

/* factor += ahead (factor - last), not below zero; the factors themselves are kept in `saved`. */
static tlv_status
step_ahead(tlv_context *ctx, nonnegative_work *work, double ahead)
{
	double *x = work->factor[0];

	memcpy(work->saved, x, work->all * sizeof(double));
	if (ahead == 0)
		return TLV_OK;
	for (size_t i = 0; i < work->all; i++)
		x[i] = fmax(x[i] + ahead * (x[i] - work->last[i]), LEAST_ENTRY);
	return find_grams(ctx, work);
}

typedef struct sweeps
{
	int most;
	double tolerance;
	double residual; /* squared */
	bool stood;
} sweeps;

static tlv_status
sweep_modes(tlv_context *ctx, nonnegative_work *work, sweeps *run)
{
	for (int mode = 0; mode < 3; mode++)
		TLV_TRY(sweep_mode(ctx, work, mode));
	work->sweeps++;
	return find_residual(ctx, work, &run->residual);
}

/* Sweeps, and where there is room for it each from a point beyond the last (as in cp.c): one that
 * was of no use is taken back, and the next goes less far. */
static tlv_status
run_sweeps(tlv_context *ctx, nonnegative_work *work, sweeps *run)
{
	/* How far the next sweep starts beyond the last: at first, at most, at least; times how much.
	 */
	const double ahead_first = 0.5, ahead_most = 1.0, ahead_least = 0.05, ahead_growth = 1.05;
	double before = HUGE_VAL, ahead = 0, reach = ahead_first;

	run->stood = false;
	TLV_TRY(find_grams(ctx, work));
	for (int sweep = 0; sweep < run->most && !run->stood; sweep++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_report(ctx, "decompose", sweep, run->most);
		if (work->last != NULL)
			TLV_TRY(step_ahead(ctx, work, ahead));
		TLV_TRY(sweep_modes(ctx, work, run));
		if (ahead > 0 && run->residual > before)
		{
			memcpy(work->factor[0], work->saved, work->all * sizeof(double));
			TLV_TRY(find_grams(ctx, work));
			run->residual = before;
			reach = fmax(reach / 2, ahead_least);
			ahead = 0;
			continue;
		}
		run->stood = before - run->residual < run->tolerance * work->norm;
		before = run->residual;
		if (work->last == NULL)
			continue;
		memcpy(work->last, work->saved, work->all * sizeof(double));
		ahead = sweep < 2 ? 0 : reach;
		reach = fmin(reach * ahead_growth, ahead_most);
	}
	return TLV_OK;
}

/* A tolerance that was given, or the usual one. */
static double
tolerance_of(const nonnegative_work *work, double usual)
{
	return work->options->tolerance > 0 ? work->options->tolerance : usual;
}

/* The number that was given, or the usual one. */
static int
most_sweeps(const nonnegative_work *work, int usual)
{
	return work->options->sweeps > 0 ? work->options->sweeps : usual;
}

static tlv_status
nonnegative_run_start(tlv_context *ctx, nonnegative_work *work, tlv_rng *rng, sweeps *run)
{
	const int multiplicative_sweeps = 1000;
	run->tolerance = tolerance_of(work, work->on_core ? CORE_TOLERANCE : USUAL_TOLERANCE);
	run->most =
		most_sweeps(work, work->on_core									  ? CORE_TRIAL
						  : work->options->method == TLV_NONNEGATIVE_HALS ? USUAL_SWEEPS
																		  : multiplicative_sweeps);
	for (size_t i = 0; i < work->all; i++)
		work->factor[0][i] = tlv_rng_uniform(rng);
	return run_sweeps(ctx, work, run);
}

/* Columns of length 1, the lengths in the weights, by decreasing weight. */
static tlv_status
take_factors(tlv_context *ctx, const nonnegative_work *work, double scale, double *factors,
			 double *weights)
{
	for (size_t h = 0; h < work->k; h++)
	{
		weights[h] = scale;
		for (int mode = 0; mode < 3; mode++)
			weights[h] *= sqrt(fmax(work->gram[mode][h * work->k + h], 0));
	}
	return tlv_factors_order(ctx, work->d, work->k, work->gram, work->factor, weights, factors);
}

/* The tensor with entries up to 1. */
static tlv_status
scale_tensor(tlv_context *ctx, const tlv_tensor *tensor, double scale, nonnegative_work *work)
{
	bool dense = tensor->dense != NULL;
	size_t all = dense ? tensor->d[0] * tensor->d[1] * tensor->d[2] : tensor->n;
	const double *given = dense ? tensor->dense : tensor->entries;
	double *own;

	work->tensor = *tensor;
	TLV_TRY_NEW(ctx, own, all);
	for (size_t i = 0; i < all; i++)
	{
		own[i] = given[i] / scale;
		work->norm += own[i] * own[i];
	}
	if (dense)
		work->tensor.dense = own;
	else
		work->tensor.entries = own;
	return TLV_OK;
}

static tlv_status
nonnegative_begin(tlv_context *ctx, const tlv_tensor *tensor, size_t k, double scale,
				  nonnegative_work *work)
{
	const size_t *d = tensor->d;

	work->d = d;
	work->k = k;
	TLV_TRY(scale_tensor(ctx, tensor, scale, work));
	for (int mode = 0; mode < 3; mode++)
	{
		work->most = d[mode] > work->most ? d[mode] : work->most;
		work->all += d[mode] * k;
		TLV_TRY_NEW_ROWS(ctx, work->gram[mode], k, k);
	}
	TLV_TRY_NEW(ctx, work->factor[0], work->all);
	work->factor[1] = work->factor[0] + d[0] * k;
	work->factor[2] = work->factor[1] + d[1] * k;
	TLV_TRY_NEW(ctx, work->best, work->all);
	TLV_TRY_NEW(ctx, work->rows, (size_t) tlv_tensor_work(tensor, k));
	TLV_TRY_NEW_ROWS(ctx, work->z, work->most, k);
	TLV_TRY_NEW_ROWS(ctx, work->below, work->most, k);
	TLV_TRY_NEW_ROWS(ctx, work->q, k, k);
	TLV_TRY_NEW_ROWS(ctx, work->copy, k, k);
	TLV_TRY_NEW(ctx, work->values, k);
	return TLV_OK;
}

static tlv_status
check_tensor(tlv_context *ctx, const tlv_tensor *tensor, size_t k, double *largest)
{
	const size_t *d = tensor->d;
	double items = (double) d[0] + (double) d[1] + (double) d[2];
	double entries =
		tensor->dense != NULL ? (double) d[0] * (double) d[1] * (double) d[2] : (double) tensor->n;

	if (k == 0 || d[0] == 0 || d[1] == 0 || d[2] == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu components of a tensor of %zu x %zu x %zu", k,
						d[0], d[1], d[2]);
	TLV_TRY(tlv_require_memory(
		ctx, 8 * (entries + tlv_tensor_work(tensor, k) + (double) k * (6 * items + 6 * (double) k)),
		"a tensor's factors"));
	return tlv_tensor_largest(ctx, tensor, largest);
}

/* ---- on a core ---- */

/* Whether there are bases of at most k directions a mode that are smaller. */
static bool
has_core(const nonnegative_work *work)
{
	const size_t *d = work->d, k = work->k;

	return work->options->core && work->options->method == TLV_NONNEGATIVE_HALS &&
		   work->tensor.dense != NULL && (k < d[0] || k < d[1] || k < d[2]);
}

static tlv_status
find_core(tlv_context *ctx, nonnegative_work *work)
{
	const tlv_tucker_options options = {.iterations = 0, .seed = work->options->seed};
	size_t *r = work->r, most;
	double *core;
	tlv_factors_found found;

	for (int m = 0; m < 3; m++)
		r[m] = tlv_least(work->k, work->d[m]);
	for (int m = 0; m < 3; m++)
		r[m] = tlv_least(r[m], r[(m + 1) % 3] * r[(m + 2) % 3]);
	most = r[0] > r[1] ? r[0] : r[1];
	most = most > r[2] ? most : r[2];
	TLV_TRY(tlv_require_memory(ctx, tlv_tucker_memory(&work->tensor, r), "a tensor's core"));
	for (int m = 0; m < 3; m++)
	{
		TLV_TRY_NEW_ROWS(ctx, work->basis[m], r[m], work->d[m]);
		TLV_TRY_NEW_ROWS(ctx, work->inside[m], r[m], work->k);
	}
	TLV_TRY_NEW_ROWS(ctx, work->inside_z, most, work->k);
	TLV_TRY_NEW(ctx, core, r[0] * r[1] * r[2]);
	TLV_TRY(tlv_tucker(ctx, &work->tensor, r, &options, work->basis, core, &found));
	work->core = (tlv_tensor){.d = {r[0], r[1], r[2]}, .dense = core};
	TLV_TRY_NEW(ctx, work->last, work->all);
	TLV_TRY_NEW(ctx, work->saved, work->all);
	work->tensor_norm = work->norm;
	work->norm = tlv_tensor_norm2(&work->core);
	work->on_core = true;
	return TLV_OK;
}

/* ---- the call ---- */

/* The best of all starts in the factors; *found: its residual, of the core where it is of that. */
static tlv_status
run_starts(tlv_context *ctx, nonnegative_work *work, sweeps *found)
{
	const int usual_restarts = 4;
	int restarts = work->options->restarts > 0 ? work->options->restarts : usual_restarts;
	tlv_rng rng;

	found->residual = HUGE_VAL;
	tlv_rng_seed(&rng, work->options->seed);
	for (int start = 0; start < restarts; start++)
	{
		sweeps run = {.residual = HUGE_VAL};

		TLV_TRY(nonnegative_run_start(ctx, work, &rng, &run));
		if (run.residual >= found->residual)
			continue;
		*found = run;
		memcpy(work->best, work->factor[0], work->all * sizeof(double));
	}
	memcpy(work->factor[0], work->best, work->all * sizeof(double));
	return find_grams(ctx, work);
}

/* The best start goes on with the core, then with the tensor itself. */
static tlv_status
leave_core(tlv_context *ctx, nonnegative_work *work, sweeps *found)
{
	found->most = most_sweeps(work, CORE_SWEEPS);
	TLV_TRY(run_sweeps(ctx, work, found));
	work->on_core = false;
	work->norm = work->tensor_norm;
	found->tolerance = tolerance_of(work, USUAL_TOLERANCE);
	found->most = most_sweeps(work, USUAL_SWEEPS);
	return run_sweeps(ctx, work, found);
}

static tlv_status
find_factors(tlv_context *ctx, nonnegative_work *work, double scale, double *factors,
			 double *weights, sweeps *found)
{
	if (has_core(work))
		TLV_TRY(find_core(ctx, work));
	TLV_TRY(run_starts(ctx, work, found));
	if (work->on_core)
		TLV_TRY(leave_core(ctx, work, found));
	return take_factors(ctx, work, scale, factors, weights);
}

tlv_status
tlv_nonnegative_factors(tlv_context *ctx, const tlv_tensor *tensor, size_t k,
						const tlv_nonnegative_options *options, double *factors, double *weights,
						tlv_factors_found *found)
{
	nonnegative_work work = {.options = options};
	const size_t *d = tensor->d;
	double scale = 0;
	sweeps run = {.stood = true};
	tlv_scratch scratch;
	tlv_status status;

	TLV_TRY(check_tensor(ctx, tensor, k, &scale));
	*found = (tlv_factors_found){.converged = true};
	memset(factors, 0, (d[0] + d[1] + d[2]) * k * sizeof(double));
	memset(weights, 0, k * sizeof(double));
	if (scale == 0)
		return TLV_OK;
	tlv_scratch_begin(ctx, &scratch);
	status = nonnegative_begin(ctx, tensor, k, scale, &work);
	if (status == TLV_OK && work.norm > 0)
		status = find_factors(ctx, &work, scale, factors, weights, &run);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	found->sweeps = work.sweeps;
	found->converged = run.stood;
	found->residual = work.norm > 0 ? sqrt(run.residual / work.norm) : 0;
	return TLV_OK;
}

tlv_status
tlv_nonnegative_cp(tlv_context *ctx, const size_t d[3], size_t k, const double *tensor,
				   const tlv_nonnegative_options *options, double *factors, double *weights,
				   double *residual)
{
	tlv_factors_found found;

	TLV_TRY(tlv_nonnegative_factors(ctx, &(tlv_tensor){.d = {d[0], d[1], d[2]}, .dense = tensor}, k,
									options, factors, weights, &found));
	*residual = found.residual;
	return TLV_OK;
}
