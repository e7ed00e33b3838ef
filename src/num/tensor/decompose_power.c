/*
 * decompose_power.c - the robust tensor power method with deflation
 * (Anandkumar, Ge, Hsu, Kakade, Telgarsky 2014, Algorithm 1).
 *
 * Kept for comparison: each component inherits the errors of those taken out
 * before it, which costs half as much error again as the joint method.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

typedef struct power
{
	tlv_solver *solver;
	size_t restarts; /* L, all iterated at once */
	int steps;
	double *u;		/* L x k transposed */
	double *images; /* L x k transposed */
	double *values; /* L */
	double *vector; /* k, the component being polished */
	double *image;	/* k */
} power;

static size_t
restarts_of(size_t k, const tlv_decompose_options *options)
{
	if (options->restarts > 0)
		return (size_t) options->restarts;
	return (size_t) fmax(10, fmin(2 * (double) k, 50));
}

double
tlv_power_memory(size_t k, const tlv_decompose_options *options)
{
	double restarts = (double) restarts_of(k, options);

	return restarts * (2 * (double) k + 1) + 2 * (double) k;
}

/* The best restart after all steps, copied to w->vector. */
static tlv_status
best_restart(power *w)
{
	tlv_solver *s = w->solver;
	size_t n = w->restarts, best = 0;

	tlv_rng_fill_normal(&s->rng, n * s->k, w->u);
	tlv_rows_normalize(n, s->k, w->u, w->values);
	for (int step = 0; step < w->steps; step++)
	{
		TLV_TRY(tlv_solver_apply(s, n, w->u, w->u, w->images));
		tlv_rows_normalize(n, s->k, w->images, w->values);
		memcpy(w->u, w->images, n * s->k * sizeof(double));
		s->out->iterations++;
	}
	TLV_TRY(tlv_solver_apply(s, n, w->u, w->u, w->images));
	tlv_rows_dot(n, s->k, w->images, w->u, w->values);
	for (size_t l = 1; l < n; l++)
		if (w->values[l] > w->values[best])
			best = l;
	for (size_t j = 0; j < s->k; j++)
		w->vector[j] = w->u[best + j * n];
	return TLV_OK;
}

/* Further iterations on the best vector until it converges. */
static tlv_status
polish(power *w, double tolerance, bool *converged)
{
	const int final_steps = 30;
	tlv_solver *s = w->solver;
	double change = 1, length;

	for (int step = 0; step < final_steps && change > tolerance; step++)
	{
		TLV_TRY(tlv_solver_apply(s, 1, w->vector, w->vector, w->image));
		tlv_rows_normalize(1, s->k, w->image, &length);
		change = 0;
		for (size_t j = 0; j < s->k; j++)
			change = fmax(change, fabs(w->image[j] - w->vector[j]));
		memcpy(w->vector, w->image, s->k * sizeof(double));
		s->out->iterations++;
	}
	*converged = change <= tolerance;
	return TLV_OK;
}

/* T <- T - T(v, v, v) v (x) v (x) v */
static tlv_status
deflate(power *w)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;
	const double *v = w->vector;
	double value;

	TLV_TRY(tlv_solver_apply(s, 1, v, v, w->image));
	tlv_rows_dot(1, k, w->image, v, &value);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
		{
			double factor = value * v[a] * v[b], *column = s->half + k * tlv_packed2_index(a, b);

			for (size_t c = 0; c < k; c++)
				column[c] -= factor * v[c];
		}
	return TLV_OK;
}

static tlv_status
run_power(power *w)
{
	tlv_solver *s = w->solver;
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : 1e-10;

	s->out->converged = true;
	for (size_t r = 0; r < s->k; r++)
	{
		bool converged;

		tlv_report(s->ctx, "decompose", (double) r, (double) s->k);
		TLV_TRY(best_restart(w));
		TLV_TRY(polish(w, tolerance, &converged));
		s->out->converged = s->out->converged && converged;
		for (size_t j = 0; j < s->k; j++)
			s->vectors[r + j * s->k] = w->vector[j];
		TLV_TRY(deflate(w));
	}
	/* Values and residual are those of the tensor itself, not of what deflation left of it. */
	tlv_fill_half(s->k, s->packed, 1 / s->scale, s->k, s->half);
	return TLV_OK;
}

tlv_status
tlv_decompose_power(tlv_solver *solver)
{
	size_t k = solver->k, n = restarts_of(k, solver->options);
	power w = {.solver = solver, .restarts = n};
	tlv_status status;

	w.steps = solver->options->steps > 0 ? solver->options->steps : 20;
	w.u = tlv_alloc(solver->ctx, n * (2 * k + 1) + 2 * k, sizeof(double));
	TLV_TRY_ALLOC(solver->ctx, w.u);
	w.images = w.u + n * k;
	w.values = w.images + n * k;
	w.vector = w.values + n;
	w.image = w.vector + k;
	status = run_power(&w);
	tlv_free(solver->ctx, w.u);
	return status;
}
