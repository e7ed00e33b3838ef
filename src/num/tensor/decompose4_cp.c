/*
 * decompose4_cp.c - the vectors of a fourth-order tensor that need not be
 * orthogonal, by alternating least squares from a given start (decompose.h).
 *
 * Four factors are fitted as if the tensor were not symmetric, each the least-squares solution
 * given the three others; from a symmetric start they agree in the limit, up to signs.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

typedef struct cp
{
	tlv_solver4 *solver;
	double *factors[4]; /* k x k transposed: row l is the vector of component l */
	double *gram;		/* k x k */
	double *product;	/* k x k */
	double *before;		/* k x k */
	double *lengths;	/* k */
} cp;

/* gram = the products, entry by entry, of the Gram matrices of the other factors */
static tlv_status
gram_of_others(cp *w, int target)
{
	tlv_solver4 *s = w->solver;
	size_t k = s->k;

	for (int i = 1; i < 4; i++)
	{
		const double *factor = w->factors[(target + i) % 4];

		TLV_TRY(
			tlv_syrk(s->ctx, false, k, k, 1, factor, k, 0, i == 1 ? w->gram : w->product, k, true));
		for (size_t j = 0; j < k * k && i > 1; j++)
			w->gram[j] *= w->product[j];
	}
	return TLV_OK;
}

static tlv_status
update_cp(cp *w, int target)
{
	tlv_solver4 *s = w->solver;
	double *a = w->factors[target];

	TLV_TRY(gram_of_others(w, target));
	TLV_TRY(tlv_solver4_apply(s, w->factors[(target + 1) % 4], w->factors[(target + 2) % 4],
							  w->factors[(target + 3) % 4], a));
	/* outer is free between contractions */
	return tlv_solve_factor(s->ctx, s->k, w->gram, w->product, s->outer, w->lengths, a);
}

tlv_status
tlv_solver4_cp(tlv_solver4 *s, double *work)
{
	const double default_tolerance = 1e-8;
	const int default_sweeps = 200;
	size_t k = s->k;
	cp w = {.solver = s};
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : default_tolerance;
	int sweeps = s->options->steps > 0 ? s->options->steps : default_sweeps;

	for (int i = 0; i < 4; i++, work += k * k)
		w.factors[i] = work;
	w.gram = work;
	w.product = w.gram + k * k;
	w.before = w.product + k * k;
	w.lengths = w.before + k * k;
	for (size_t i = 0; i < k; i++)
		for (size_t l = 0; l < k; l++)
			w.factors[0][l + i * k] = s->options->initial[i + l * k];
	tlv_rows_normalize(k, k, w.factors[0], w.lengths);
	for (int i = 1; i < 4; i++)
		memcpy(w.factors[i], w.factors[0], k * k * sizeof(double));
	for (int sweep = 0; sweep < sweeps && !s->out->converged; sweep++)
	{
		double change = 0;

		tlv_report(s->ctx, "decompose", sweep, sweeps);
		memcpy(w.before, w.factors[0], k * k * sizeof(double));
		for (int i = 0; i < 4; i++)
			TLV_TRY(update_cp(&w, i));
		for (size_t i = 0; i < k * k; i++)
			change = fmax(change, fabs(w.factors[0][i] - w.before[i]));
		s->out->iterations++;
		s->out->converged = change <= tolerance;
	}
	memcpy(s->vectors, w.factors[0], k * k * sizeof(double));
	return TLV_OK;
}
