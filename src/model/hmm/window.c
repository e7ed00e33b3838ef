/*
 * window.c - transitions by non-negative least squares, and EM on the
 * counts of windows (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/tuning.h"

#define GRADIENT_TOLERANCE 1e-10

/* ---- least squares ---- */

static tlv_status
exact_least_squares(tlv_context *ctx, size_t k, const double *gram, const double *moment, double *h)
{
	size_t n = k * k;
	double *large = tlv_alloc(ctx, n * n + n * (n + 5), sizeof(double));

	TLV_TRY_ALLOC(ctx, large);
	for (size_t b = 0; b < n; b++)
		for (size_t a = 0; a < n; a++)
			large[b * n + a] = gram[(b % k) * k + a % k] * gram[(b / k) * k + a / k];
	TLV_TRY(tlv_quadratic_nonnegative(ctx, n, large, moment, false, h, large + n * n));
	tlv_free(ctx, large);
	return TLV_OK;
}

/* gradient = gram h gram - moment */
static tlv_status
gradient_at(tlv_context *ctx, size_t k, const double *gram, const double *moment, const double *h,
			double *work, double *gradient)
{
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, gram, k, h, k, 0, work, k));
	memcpy(gradient, moment, k * k * sizeof(double));
	return tlv_gemm(ctx, false, false, k, k, k, 1, work, k, gram, k, -1, gradient, k);
}

/* Accelerated projected gradient (Beck, Teboulle 2009) with restarts (O'Donoghue, Candes 2015). */
static tlv_status
gradient_least_squares(tlv_context *ctx, size_t k, const double *gram, const double *moment,
					   double *h)
{
	const int gradient_steps = 2000;
	size_t n = k * k;
	double *y = tlv_alloc(ctx, 3 * n, sizeof(double)), *work, *gradient, norm = 0, momentum = 1;

	TLV_TRY_ALLOC(ctx, y);
	work = y + n;
	gradient = work + n;
	for (size_t e = 0; e < n; e++)
		norm += gram[e] * gram[e];
	memcpy(y, h, n * sizeof(double));
	/* ||gram||_F^2 bounds the curvature. */
	for (int step = 0; step < gradient_steps && norm > 0; step++)
	{
		double next = (1 + sqrt(1 + 4 * momentum * momentum)) / 2, change = 0, size = 0, along = 0;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(gradient_at(ctx, k, gram, moment, y, work, gradient));
		for (size_t e = 0; e < n; e++)
		{
			double value = fmax(y[e] - gradient[e] / norm, 0), moved = value - h[e];

			along += gradient[e] * moved;
			change += moved * moved;
			size += value * value;
			y[e] = value + (momentum - 1) / next * moved;
			h[e] = value;
		}
		momentum = along > 0 ? 1 : next;
		if (along > 0)
			memcpy(y, h, n * sizeof(double));
		if (change <= GRADIENT_TOLERANCE * GRADIENT_TOLERANCE * size)
			break;
	}
	tlv_free(ctx, y);
	return TLV_OK;
}

/* (gram^-1 moment gram^-1), negative entries cut: where the gradient starts. */
static tlv_status
inverse_start(tlv_context *ctx, size_t k, const double *gram, const double *moment, double *h)
{
	double *work = tlv_alloc(ctx, 2 * k * k, sizeof(double)), trace = 0, *turned;

	TLV_TRY_ALLOC(ctx, work);
	turned = work + k * k;
	for (size_t j = 0; j < k; j++)
		trace += gram[j * k + j];
	memcpy(h, moment, k * k * sizeof(double));
	for (int side = 0; side < 2; side++)
	{
		memcpy(work, gram, k * k * sizeof(double));
		for (size_t j = 0; j < k; j++)
			work[j * k + j] += 1e-10 * trace;
		TLV_TRY(tlv_solve_spd(ctx, k, k, work, h));
		for (size_t j = 0; j < k; j++)
			for (size_t i = 0; i < k; i++)
				turned[i * k + j] = h[j * k + i];
		memcpy(h, turned, k * k * sizeof(double));
	}
	for (size_t e = 0; e < k * k; e++)
		h[e] = fmax(h[e], 0);
	tlv_free(ctx, work);
	return TLV_OK;
}

tlv_status
tlv_hmm_least_squares(tlv_context *ctx, size_t k, const double *gram, const double *moment,
					  double *h)
{
	/* Up to so many states an exact active set over the k^2 unknowns. */
	const int exact_states = 16;

	if (k <= exact_states)
		return exact_least_squares(ctx, k, gram, moment, h);
	TLV_TRY(inverse_start(ctx, k, gram, moment, h));
	return gradient_least_squares(ctx, k, gram, moment, h);
}

/* ---- EM ---- */

typedef struct window_em
{
	const tlv_view_source *source;
	size_t k;
	size_t m;
	double *emissions, *transitions, *initial; /* of a window */
	double *a, *c;							   /* k x m: x_1 with h_2; x_3 given h_2 */
	double *ga, *gb, *gc;					   /* k x m: cell expectations */
	double *spread;							   /* k x m */
	double *joint;							   /* k x k: P(h_2, h_1) */
	double *first, *second; /* k x k: expected pairs (1, 2) and (2, 3), [to + k from] */
} window_em;

static tlv_status
allocate_em(tlv_context *ctx, window_em *em)
{
	size_t k = em->k, m = em->m;
	double *block = tlv_alloc(ctx, 6 * k * m + 3 * k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	em->a = block;
	em->c = block + k * m;
	em->ga = block + 2 * k * m;
	em->gb = block + 3 * k * m;
	em->gc = block + 4 * k * m;
	em->spread = block + 5 * k * m;
	em->joint = block + 6 * k * m;
	em->first = em->joint + k * k;
	em->second = em->first + k * k;
	return TLV_OK;
}

/* The views' factors given h_2, and the expectations of the cells under them. */
static tlv_status
window_expectations(tlv_context *ctx, void *state, double *likelihood)
{
	window_em *em = state;
	size_t k = em->k, m = em->m;

	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			em->joint[i * k + j] = em->transitions[i * k + j] * em->initial[i];
	TLV_TRY(tlv_gemm(ctx, false, false, k, m, k, 1, em->joint, k, em->emissions, k, 0, em->a, k));
	TLV_TRY(
		tlv_gemm(ctx, true, false, k, m, k, 1, em->transitions, k, em->emissions, k, 0, em->c, k));
	return tlv_cell_expectations(ctx, em->source, k, em->a, em->emissions, em->c, em->ga, em->gb,
								 em->gc, likelihood);
}

static tlv_status
window_normalize(tlv_context *ctx, void *state)
{
	const window_em *em = state;

	(void) ctx;
	tlv_normalize_rows(em->k, em->m, 0, em->emissions);
	tlv_normalize_columns(em->k, em->k, 0, em->transitions);
	tlv_normalize_columns(em->k, 1, 0, em->initial);
	return TLV_OK;
}

/* What the states of steps 1, 2 and 3 are expected to emit and where they go. */
static tlv_status
window_maximize(tlv_context *ctx, void *state)
{
	window_em *em = state;
	size_t k = em->k, m = em->m;

	TLV_TRY(tlv_gemm(ctx, false, true, k, k, m, 1, em->ga, k, em->emissions, k, 0, em->first, k));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, m, 1, em->emissions, k, em->gc, k, 0, em->second, k));
	TLV_TRY(tlv_gemm(ctx, true, false, k, m, k, 1, em->joint, k, em->ga, k, 0, em->spread, k));
	TLV_TRY(
		tlv_gemm(ctx, false, false, k, m, k, 1, em->transitions, k, em->gc, k, 1, em->spread, k));
	for (size_t e = 0; e < k * m; e++)
		em->emissions[e] *= em->gb[e] + em->spread[e];
	for (size_t i = 0; i < k; i++)
	{
		em->initial[i] = 0;
		for (size_t j = 0; j < k; j++)
		{
			double pair = em->joint[i * k + j] * em->first[i * k + j];

			em->initial[i] += pair;
			em->transitions[i * k + j] = pair + em->transitions[i * k + j] * em->second[i * k + j];
		}
	}
	return window_normalize(ctx, state);
}

tlv_status
tlv_hmm_window_em(tlv_context *ctx, const tlv_view_source *source, size_t k, int iterations,
				  double *emissions, double *transitions, double *first, tlv_em *em)
{
	window_em own = {.source = source,
					 .k = k,
					 .m = source->d[0],
					 .emissions = emissions,
					 .transitions = transitions,
					 .initial = first};
	tlv_em run = tlv_em_of_counts("window EM", 3, iterations);

	run.state = &own;
	run.expect = window_expectations;
	run.maximize = window_maximize;
	run.changed = window_normalize;
	memcpy(run.block, (double *[]){emissions, transitions, first}, 3 * sizeof(double *));
	memcpy(run.numbers, (size_t[]){k * own.m, k * k, k}, 3 * sizeof(size_t));
	TLV_TRY(allocate_em(ctx, &own));
	tlv_normalize_rows(k, own.m, TLV_EM_LEAST, emissions);
	tlv_normalize_columns(k, k, TLV_EM_LEAST, transitions);
	tlv_normalize_columns(k, 1, TLV_EM_LEAST, first);
	TLV_TRY(tlv_em_run(ctx, &run));
	*em = run;
	em->state = NULL;
	tlv_free(ctx, own.a);
	return TLV_OK;
}

tlv_status
tlv_hmm_diagnose_windows(tlv_context *ctx, const tlv_em *em, const tlv_hmm_options *options,
						 tlv_diagnostics *diagnostics)
{
	bool limited = !em->stands && em->growth > TLV_EM_TOLERANCE;
	int done = em->taken - 1;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, done, "window_iterations"));
	if (limited && !options->start)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = em->growth},
						 "EM on the counts of windows stopped at its limit of %d %s while the "
						 "log-likelihood per window still increased",
						 done, tlv_plural((double) done, "iteration", "iterations")));
	return tlv_diagnose(ctx, diagnostics, em->likelihood, "window_log_likelihood");
}

void
tlv_hmm_window_source(const tlv_frame *moments, tlv_view_source *source)
{
	memset(source, 0, sizeof(*source));
	source->d[0] = source->d[1] = source->d[2] = tlv_frame_find(moments, "items")->rows;
	source->n = tlv_frame_find(moments, "cells")->rows;
	source->cells = tlv_frame_int64(moments, "cells");
	source->counts = tlv_frame_float64(moments, "counts");
	for (size_t e = 0; e < source->n; e++)
		source->total += source->counts[e];
}
