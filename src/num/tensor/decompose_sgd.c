/*
 * decompose_sgd.c - projected noisy gradient on the cross-correlation
 * objective (Ge, Huang, Jin, Yuan 2015; Huang 2016, section on orthogonal
 * tensors):
 *
 *     F(U) = sum_{i != j} <r_i, r_j>,  r_j = T(I, u_j, u_j),  ||u_j|| = 1,
 *     grad_i F = 4 T(s_i, u_i, I),     s_i = sum_{j != i} r_j.
 *
 * For orthogonal T with positive values F >= 0, and F = 0 exactly at signed
 * permutations of the components.  With equal values every other stationary
 * point is a strict saddle.  With unequal ones there are flat valleys as well:
 * one vector spread over two large components while two others share a small
 * one; F is constant along the valley, and only diffusion leads out of it.
 * Hence noise far above what a saddle would need.  Under noise in T components
 * may be lost all the same.
 *
 * The method is here because it is the one that needs no tensor at all, only
 * samples; on a given tensor prefer `joint`.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

/*
 * The gradient is measured in units of 4 ||T||^2 / k, four times the mean
 * squared value.  With these settings and the default number of steps all
 * components of orthogonal tensors with values in U(1, 3) were found, without
 * noise and with eps = .02, for 100 of 100 seeds at each k = 5 .. 10 and 20 of
 * 20 at k = 25 and 40.  With NOISE .1 up to 6 of 100 runs ended in a valley,
 * with 4 up to 4 of 100 had not settled.
 */
#define FIRST_STEP	 0.2
#define NOISE		 1.0 /* length of the noise of one vector, in the same units */
#define LONGEST_STEP 0.3 /* of one vector, against values of very unequal size */

double
tlv_sgd_memory(size_t k, const tlv_decompose_options *options)
{
	return 5 * (double) k * (double) k + 4 * (double) k;
}

/* Steps that take some seconds at most. */
static int
steps_of(size_t k, const tlv_decompose_options *options)
{
	double n = (double) k;

	if (options->steps > 0)
		return options->steps;
	return (int) fmin(2000, fmax(300, 5e10 / (n * n * n * n)));
}

/* u <- (u - step (gradient + noise on the sphere)) / length; *change is the longest step. */
static void
move(const tlv_descent *d, double *gradient, double *noise, double *lengths, double step,
	 double radius, double *change)
{
	size_t k = d->k;

	tlv_rng_fill_normal(d->rng, k * k, noise);
	tlv_rows_normalize(k, k, noise, lengths);
	for (size_t i = 0; i < k * k; i++)
		gradient[i] = gradient[i] / d->unit + radius * noise[i];
	/* Only the part along the sphere moves anything. */
	tlv_rows_dot(k, k, gradient, d->vectors, lengths);
	for (size_t j = 0; j < k; j++)
		for (size_t l = 0; l < k; l++)
			gradient[l + j * k] -= lengths[l] * d->vectors[l + j * k];
	tlv_rows_dot(k, k, gradient, gradient, lengths);
	*change = 0;
	for (size_t l = 0; l < k; l++)
	{
		double length = step * sqrt(lengths[l]);

		lengths[l] = length > LONGEST_STEP ? step * LONGEST_STEP / length : step;
		*change = fmax(*change, fmin(length, LONGEST_STEP));
	}
	for (size_t j = 0; j < k; j++)
		for (size_t l = 0; l < k; l++)
			d->vectors[l + j * k] -= lengths[l] * gradient[l + j * k];
	tlv_rows_normalize(k, k, d->vectors, lengths);
}

/*
 * Constant steps with noise for the first half; then steps of 1 / t and no
 * noise but that of the gradient, which settles at a minimum.
 */
tlv_status
tlv_descend(const tlv_descent *d, double *work)
{
	size_t k = d->k, rank;
	double *gradient = work, *noise = gradient + k * k, *lengths = noise + k * k;
	int steps = steps_of(k, d->options);
	double tolerance = d->options->tolerance > 0 ? d->options->tolerance : 1e-6, change = 1;

	tlv_rng_fill_normal(d->rng, k * k, d->vectors);
	TLV_TRY(tlv_orthonormalize(d->ctx, k, k, d->vectors, d->rng, &rank));
	for (int t = 0; t < steps; t++)
	{
		double part = 2 * (double) t / steps;
		double step = FIRST_STEP / (part < 1 ? 1 : 1 + 4 * (part - 1));

		tlv_report(d->ctx, "decompose", t, steps);
		TLV_TRY(d->gradient(d->argument, gradient));
		move(d, gradient, noise, lengths, step, part < 1 ? NOISE * (1 - part) : 0, &change);
		d->out->iterations++;
		if (part >= 1 && change <= tolerance)
			break;
	}
	d->out->converged = change <= tolerance;
	return TLV_OK;
}

/* ---- order 3 ---- */

typedef struct sgd
{
	tlv_solver *solver;
	double *responses; /* r_j, k x k transposed, then s_j */
} sgd;

/* T(s_j, u_j, I) */
static tlv_status
gradient(void *argument, double *out)
{
	sgd *w = argument;
	tlv_solver *s = w->solver;
	size_t k = s->k;

	TLV_TRY(tlv_solver_apply(s, k, s->vectors, s->vectors, w->responses));
	tlv_rows_others(k, k, w->responses);
	return tlv_solver_apply(s, k, w->responses, s->vectors, out);
}

void
tlv_rows_others(size_t n, size_t columns, double *x)
{
	for (size_t i = 0; i < columns; i++)
	{
		double *row = x + i * n, total = 0;

		for (size_t l = 0; l < n; l++)
			total += row[l];
		for (size_t l = 0; l < n; l++)
			row[l] = total - row[l];
	}
}

tlv_status
tlv_decompose_sgd(tlv_solver *solver)
{
	size_t k = solver->k;
	sgd w = {.solver = solver};
	tlv_descent descent = {.ctx = solver->ctx,
						   .k = k,
						   .vectors = solver->vectors,
						   .unit = solver->norm2 / (double) k,
						   .rng = &solver->rng,
						   .options = solver->options,
						   .out = solver->out,
						   .gradient = gradient,
						   .argument = &w};
	tlv_status status;

	w.responses = tlv_alloc(solver->ctx, 3 * k * k + k, sizeof(double));
	TLV_TRY_ALLOC(solver->ctx, w.responses);
	status = tlv_descend(&descent, w.responses + k * k);
	tlv_free(solver->ctx, w.responses);
	return status;
}
