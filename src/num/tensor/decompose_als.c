/*
 * decompose_als.c - alternating least squares, the factors orthogonalised in
 * the first sweeps (Sharan, Valiant 2017).
 *
 * Three factors are fitted as if the tensor were not symmetric; the first is
 * reported.  Without the orthogonalisation several columns run into the same
 * component; with it the result is that of the power method at a tenth of the
 * cost, but not the joint optimum, because the columns are free again at the end.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

#define ORTHOGONAL_SWEEPS 20

typedef struct als
{
	tlv_solver *solver;
	double *factors[3]; /* k x k transposed: row l is the vector of component l */
	double *gram;		/* k x k */
	double *inverse;	/* k x k */
	double *product;	/* k x k */
	double *lengths;	/* k */
	double *previous;	/* k */
} als;

double
tlv_als_memory(size_t k, const tlv_decompose_options *options)
{
	/* and a pseudo-inverse by singular values */
	return 14 * (double) k * (double) k + 4 * (double) k + 2000;
}

/* gram = (B B') o (C C') */
static tlv_status
gram_of(als *w, const double *b, const double *c)
{
	tlv_solver *s = w->solver;
	size_t k = s->k;

	TLV_TRY(tlv_syrk(s->ctx, false, k, k, 1, b, k, 0, w->gram, k, true));
	TLV_TRY(tlv_syrk(s->ctx, false, k, k, 1, c, k, 0, w->product, k, true));
	for (size_t i = 0; i < k * k; i++)
		w->gram[i] *= w->product[i];
	return TLV_OK;
}

tlv_status
tlv_solve_factor(tlv_context *ctx, size_t k, const double *gram, double *inverse, double *right,
				 double *lengths, double *a)
{
	tlv_status status;
	size_t rank;

	memcpy(inverse, gram, k * k * sizeof(double));
	memcpy(right, a, k * k * sizeof(double));
	status = tlv_solve_spd(ctx, k, k, inverse, a);
	if (status == TLV_BAD_DATA)
	{
		TLV_TRY(tlv_pseudo_inverse(ctx, k, k, gram, 1e-12, inverse, &rank));
		status = tlv_gemm(ctx, false, false, k, k, k, 1, inverse, k, right, k, 0, a, k);
	}
	TLV_TRY(status);
	tlv_rows_normalize(k, k, a, lengths);
	return TLV_OK;
}

/* The least-squares factor given the two others, rows normalised. */
static tlv_status
update_als(als *w, int target)
{
	tlv_solver *s = w->solver;
	double *a = w->factors[target];
	const double *b = w->factors[(target + 1) % 3], *c = w->factors[(target + 2) % 3];

	TLV_TRY(gram_of(w, b, c));
	TLV_TRY(tlv_solver_apply(s, s->k, b, c, a));
	return tlv_solve_factor(s->ctx, s->k, w->gram, w->inverse, w->product, w->lengths, a);
}

static tlv_status
run_als(als *w)
{
	const int default_sweeps = 100;
	tlv_solver *s = w->solver;
	size_t k = s->k, rank;
	int sweeps = s->options->steps > 0 ? s->options->steps : default_sweeps;
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : 1e-9;

	for (int i = 0; i < 3; i++)
		tlv_rng_fill_normal(&s->rng, k * k, w->factors[i]);
	for (int sweep = 0; sweep < sweeps && !s->out->converged; sweep++)
	{
		double change = 0;

		tlv_report(s->ctx, "decompose", sweep, sweeps);
		for (int i = 0; i < 3 && sweep < ORTHOGONAL_SWEEPS; i++)
			TLV_TRY(tlv_orthonormalize(s->ctx, k, k, w->factors[i], &s->rng, &rank));
		memcpy(w->previous, w->lengths, k * sizeof(double));
		for (int i = 0; i < 3; i++)
			TLV_TRY(update_als(w, i));
		for (size_t l = 0; l < k; l++)
			change = fmax(change, fabs(w->lengths[l] - w->previous[l]));
		s->out->iterations++;
		/* The lengths approximate the values, here about 1 in size. */
		s->out->converged = sweep > ORTHOGONAL_SWEEPS && change <= tolerance;
	}
	memcpy(s->vectors, w->factors[0], k * k * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_decompose_als(tlv_solver *solver)
{
	size_t k = solver->k;
	als w = {.solver = solver};
	double *next = tlv_alloc0(solver->ctx, 6 * k * k + 2 * k, sizeof(double));
	tlv_status status;

	TLV_TRY_ALLOC(solver->ctx, next);
	for (int i = 0; i < 3; i++, next += k * k)
		w.factors[i] = next;
	w.gram = next;
	w.inverse = w.gram + k * k;
	w.product = w.inverse + k * k;
	w.lengths = w.product + k * k;
	w.previous = w.lengths + k;
	status = run_als(&w);
	tlv_free(solver->ctx, w.factors[0]);
	return status;
}
