/*
 * polish.c - templates from lagged third moments by Levenberg and Marquardt's method
 * (convolution.h).
 *
 * Residuals are those of the cells (a, b) of the moments, times the root of how often each stands
 * in the grid; the derivative by f_l(u) is f_l(u+a) f_l(u+b) + f_l(u-a) f_l(u+b-a) +
 * f_l(u-b) f_l(u+a-b).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Cells of one product of matrices. */
#define CONVOLUTION_CELLS 256

typedef struct polish
{
	size_t s, k, p; /* p = s k */
	const double *c;
	double *padded;	   /* 3 s x k: s zeros, a template, s zeros */
	double *block;	   /* p x CONVOLUTION_CELLS */
	double *residuals; /* CONVOLUTION_CELLS */
	double *normal;	   /* p x p */
	double *damped;	   /* the same, which solving uses up */
	double *gradient;  /* p */
	double *step;	   /* p */
	double *trial;	   /* p */
} polish;

static void
pad(const polish *w, const double *f)
{
	for (size_t l = 0; l < w->k; l++)
		memcpy(w->padded + 3 * w->s * l + w->s, f + w->s * l, w->s * sizeof(double));
}

/* sum_t f(t) f(t + a) f(t + b); f has zeros behind it. */
TLV_CLONES static double
cell_of(size_t s, const double *restrict f, size_t a, size_t b)
{
	double x[4] = {0}, sum = 0;
	size_t t = 0, n = s - b;

	for (; t + 4 <= n; t += 4)
		for (size_t j = 0; j < 4; j++)
			x[j] += f[t + j] * f[t + j + a] * f[t + j + b];
	for (; t < n; t++)
		sum += f[t] * f[t + a] * f[t + b];
	return sum + x[0] + x[1] + x[2] + x[3];
}

static double
convolution_residual_at(const polish *w, size_t a, size_t b)
{
	double model = 0;

	for (size_t l = 0; l < w->k; l++)
		model += cell_of(w->s, w->padded + 3 * w->s * l + w->s, a, b);
	return sqrt(third_times(a, b)) * (w->c[tlv_packed2_index(b, a)] - model);
}

/* Of one template, to s numbers; f points behind s zeros. */
TLV_CLONES static void
derivative_at(size_t s, const double *restrict f, size_t a, size_t b, double times,
			  double *restrict to)
{
	const double *forward = f + a, *far = f + b, *back = f - a, *between = f + (b - a);
	const double *backward = f - b, *across = f - (b - a);

	for (size_t u = 0; u < s; u++)
		to[u] = times * (forward[u] * far[u] + back[u] * between[u] + backward[u] * across[u]);
}

static tlv_status
squares_at(tlv_context *ctx, const polish *w, const double *f, double *squares)
{
	pad(w, f);
	*squares = 0;
	for (size_t b = 0; b < w->s; b++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a <= b; a++)
		{
			double r = convolution_residual_at(w, a, b);

			*squares += r * r;
		}
	}
	return TLV_OK;
}

static tlv_status
add_block(tlv_context *ctx, const polish *w, size_t cells)
{
	TLV_TRY(tlv_syrk(ctx, false, w->p, cells, 1, w->block, w->p, 1, w->normal, w->p, false));
	return tlv_gemm(ctx, false, false, w->p, 1, cells, 1, w->block, w->p, w->residuals, cells, 1,
					w->gradient, w->p);
}

/* Normal equations at f. */
static tlv_status
form_normal(tlv_context *ctx, const polish *w, const double *f)
{
	size_t cells = 0;

	pad(w, f);
	memset(w->normal, 0, w->p * w->p * sizeof(double));
	memset(w->gradient, 0, w->p * sizeof(double));
	for (size_t b = 0; b < w->s; b++)
		for (size_t a = 0; a <= b; a++)
		{
			w->residuals[cells] = convolution_residual_at(w, a, b);
			for (size_t l = 0; l < w->k; l++)
				derivative_at(w->s, w->padded + 3 * w->s * l + w->s, a, b, sqrt(third_times(a, b)),
							  w->block + w->p * cells + w->s * l);
			if (++cells < CONVOLUTION_CELLS)
				continue;
			TLV_TRY_CONTINUE(ctx);
			TLV_TRY(add_block(ctx, w, cells));
			cells = 0;
		}
	return cells > 0 ? add_block(ctx, w, cells) : TLV_OK;
}

/* The step at this damping, and the squares after it. */
static tlv_status
try_step(tlv_context *ctx, const polish *w, double damping, const double *f, double *squares)
{
	double largest = 0;

	memcpy(w->damped, w->normal, w->p * w->p * sizeof(double));
	memcpy(w->step, w->gradient, w->p * sizeof(double));
	for (size_t i = 0; i < w->p; i++)
		largest = fmax(largest, w->normal[i + w->p * i]);
	for (size_t i = 0; i < w->p; i++)
		w->damped[i + w->p * i] += damping * (w->normal[i + w->p * i] + 1e-6 * largest) + TLV_TINY;
	*squares = INFINITY;
	if (tlv_solve_spd(ctx, w->p, 1, w->damped, w->step) != TLV_OK)
		return ctx->error.code == TLV_BAD_DATA ? TLV_OK : ctx->error.code;
	for (size_t i = 0; i < w->p; i++)
		w->trial[i] = f[i] + w->step[i];
	return squares_at(ctx, w, w->trial, squares);
}

static tlv_status
polish_begin(tlv_context *ctx, const third_moments *third, size_t k, polish *w)
{
	size_t s = third->s, p = s * k;

	*w = (polish){.s = s, .k = k, .p = p, .c = third->c};
	TLV_TRY_NEW0(ctx, w->padded,
				 3 * p + p * CONVOLUTION_CELLS + CONVOLUTION_CELLS + 2 * p * p + 3 * p);
	w->block = w->padded + 3 * p;
	w->residuals = w->block + p * CONVOLUTION_CELLS;
	w->normal = w->residuals + CONVOLUTION_CELLS;
	w->damped = w->normal + p * p;
	w->gradient = w->damped + p * p;
	w->step = w->gradient + p;
	w->trial = w->step + p;
	return TLV_OK;
}

tlv_status
convolution_polish(tlv_context *ctx, const third_moments *third, size_t k, int iterations,
				   double *f, double *residual)
{
	/* Relative decrease at which it stands. */
	const double stands = 1e-9;
	double squares, damping = 1e-3;
	bool fresh = false;
	polish w;

	TLV_TRY(polish_begin(ctx, third, k, &w));
	TLV_TRY(squares_at(ctx, &w, f, &squares));
	for (int i = 0; i < iterations && damping < 1e12; i++)
	{
		double after;

		if (!fresh)
			TLV_TRY(form_normal(ctx, &w, f));
		fresh = true;
		TLV_TRY(try_step(ctx, &w, damping, f, &after));
		if (!(after < squares))
		{
			damping *= 8;
			continue;
		}
		memcpy(f, w.trial, w.p * sizeof(double));
		fresh = false;
		damping = fmax(damping / 8, 1e-12);
		if (squares - after < stands * squares)
			i = iterations;
		squares = after;
	}
	*residual = sqrt(squares);
	tlv_free(ctx, w.padded);
	return TLV_OK;
}
