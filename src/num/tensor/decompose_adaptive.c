/*
 * decompose_adaptive.c - power steps from one vector after another, of which only those components
 * are taken out that are in the way (Ge 2013, algorithm 7.3), from three kinds of starts.
 *
 * A component that was found is subtracted where |value <theta, v>| is above a level: what an error
 * of the component leaves is then felt along directions alone that are done with.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

typedef struct adaptive
{
	tlv_solver *solver;
	size_t starts, found;
	double *values; /* k: of those found */
	double *rows;	/* starts x k */
	double *images; /* starts x k */
	double *along;	/* starts */
	double *basis;	/* k x k: starts by columns, of the trace */
	double *work;	/* k x k */
} adaptive;

static size_t
starts_of(size_t k, const tlv_decompose_options *o)
{
	const int least_starts = 10, most_starts = 50;
	size_t usual = 2 * k > least_starts ? 2 * k : least_starts;

	if (o->restarts > 0)
		return (size_t) o->restarts;
	return usual > most_starts ? most_starts : usual;
}

double
tlv_adaptive_memory(size_t k, const tlv_decompose_options *options)
{
	double n = (double) k, starts = (double) starts_of(k, options);

	return 2 * starts * n + starts + 4 * n * n + 2 * n;
}

/* images_l = T~(I, x_l, x_l) of n rows, each without the components in its way. */
static tlv_status
adaptive_step(adaptive *w, size_t n, const double *x, double *images)
{
	/* Above this part of the mean value found so far a component is in the way. */
	const double level = 0.05;
	tlv_solver *s = w->solver;
	size_t k = s->k;
	double mean = 0;

	TLV_TRY(tlv_solver_apply(s, n, x, x, images));
	for (size_t j = 0; j < w->found; j++)
		mean += fabs(w->values[j]) / (double) w->found;
	for (size_t j = 0; j < w->found; j++)
	{
		memset(w->along, 0, n * sizeof(double));
		for (size_t i = 0; i < k; i++)
			for (size_t l = 0; l < n; l++)
				w->along[l] += x[l + i * n] * s->vectors[j + i * k];
		for (size_t l = 0; l < n; l++)
			w->along[l] = fabs(w->values[j] * w->along[l]) > level * mean
							  ? w->values[j] * w->along[l] * w->along[l]
							  : 0;
		for (size_t i = 0; i < k; i++)
			for (size_t l = 0; l < n; l++)
				images[l + i * n] -= w->along[l] * s->vectors[j + i * k];
	}
	return TLV_OK;
}

/* ---- starts ---- */

/* The contraction T(I, I, g), of a vector g of k numbers. */
static tlv_status
contract(adaptive *w, const double *g, double *out)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;
	double *same = w->basis;

	memset(w->work, 0, k * k * sizeof(double));
	for (size_t j = 0; j < k; j++)
	{
		w->work[j + j * k] = 1;
		for (size_t l = 0; l < k; l++)
			same[l + j * k] = g[j];
	}
	return tlv_solver_apply(s, k, w->work, same, out);
}

/* Eigenvectors of T(I, I, t), t the sum over i of T(e_i, e_i, I): sum lambda^2 v v'. */
static tlv_status
start_trace(adaptive *w, double *matrix, double *values)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;
	double *t = values;

	memset(t, 0, k * sizeof(double));
	for (size_t a = 0; a < k; a++)
		for (size_t i = 0; i < k; i++)
			t[i] += s->half[i + k * tlv_packed2_index(a, a)];
	TLV_TRY(contract(w, t, matrix));
	TLV_TRY(tlv_eigen_symmetric(s->ctx, k, matrix, values));
	for (size_t l = 0; l < w->starts; l++)
		for (size_t i = 0; i < k; i++)
			w->rows[l + i * w->starts] =
				matrix[i + (l % k) * k] + (l < k ? 0 : .1 * tlv_rng_normal(&s->rng));
	return TLV_OK;
}

/* The leading singular vector of T(I, I, g), of a random g for every start. */
static tlv_status
start_svd(adaptive *w, double *matrix, double *values)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;

	for (size_t l = 0; l < w->starts; l++)
	{
		size_t leading;

		tlv_rng_fill_normal(&s->rng, k, values);
		TLV_TRY(contract(w, values, matrix));
		TLV_TRY(tlv_eigen_symmetric(s->ctx, k, matrix, values));
		leading = fabs(values[0]) >= fabs(values[k - 1]) ? 0 : k - 1;
		for (size_t i = 0; i < k; i++)
			w->rows[l + i * w->starts] = matrix[i + leading * k];
	}
	return TLV_OK;
}

static tlv_status
draw_starts(adaptive *w, double *matrix, double *values)
{
	tlv_solver *s = w->solver;

	if (s->options->method == TLV_METHOD_ADAPTIVE_TRACE)
		TLV_TRY(start_trace(w, matrix, values));
	else if (s->options->method == TLV_METHOD_ADAPTIVE_SVD)
		TLV_TRY(start_svd(w, matrix, values));
	else
		tlv_rng_fill_normal(&s->rng, w->starts * s->k, w->rows);
	tlv_rows_normalize(w->starts, s->k, w->rows, w->along);
	return TLV_OK;
}

/* ---- the components ---- */

/* The best of all starts goes on, and is one more component. */
static tlv_status
find_component(adaptive *w, int steps, double *lengths)
{
	tlv_solver *s = w->solver;
	size_t k = s->k, n = w->starts, best = 0;
	double *one = w->work;

	for (int step = 0; step < steps; step++)
	{
		TLV_TRY(adaptive_step(w, n, w->rows, w->images));
		tlv_rows_normalize(n, k, w->images, lengths);
		memcpy(w->rows, w->images, n * k * sizeof(double));
		s->out->iterations++;
	}
	TLV_TRY(adaptive_step(w, n, w->rows, w->images));
	tlv_rows_dot(n, k, w->rows, w->images, lengths);
	for (size_t l = 1; l < n; l++)
		best = lengths[l] > lengths[best] ? l : best;
	for (size_t i = 0; i < k; i++)
		one[i] = w->rows[best + i * n];
	for (int step = 0; step < steps; step++)
	{
		TLV_TRY(adaptive_step(w, 1, one, one + k));
		tlv_rows_normalize(1, k, one + k, lengths);
		memcpy(one, one + k, k * sizeof(double));
	}
	TLV_TRY(tlv_solver_apply(s, 1, one, one, one + k));
	tlv_rows_dot(1, k, one, one + k, &w->values[w->found]);
	for (size_t i = 0; i < k; i++)
		s->vectors[w->found + i * k] = one[i];
	w->found++;
	return TLV_OK;
}

tlv_status
tlv_decompose_adaptive(tlv_solver *s)
{
	const int default_steps = 30;
	size_t k = s->k;
	int steps = s->options->steps > 0 ? s->options->steps : default_steps;
	adaptive w = {.solver = s, .starts = starts_of(k, s->options)};
	double *lengths, *matrix;

	TLV_TRY_NEW_ROWS(s->ctx, w.rows, w.starts, 2 * k);
	w.images = w.rows + w.starts * k;
	TLV_TRY_NEW(s->ctx, w.along, 2 * w.starts + 3 * k);
	lengths = w.along + w.starts;
	w.values = lengths + w.starts;
	TLV_TRY_NEW_ROWS(s->ctx, w.basis, k, 3 * k + 2);
	w.work = w.basis + k * k;
	matrix = w.work + k * k + 2 * k;
	for (size_t j = 0; j < k; j++)
	{
		tlv_report(s->ctx, "decompose", (double) j, (double) k);
		TLV_TRY_CONTINUE(s->ctx);
		TLV_TRY(draw_starts(&w, matrix, w.values + k));
		TLV_TRY(find_component(&w, steps, lengths));
	}
	s->out->converged = true;
	tlv_free(s->ctx, w.basis);
	tlv_free(s->ctx, w.along);
	tlv_free(s->ctx, w.rows);
	return TLV_OK;
}
