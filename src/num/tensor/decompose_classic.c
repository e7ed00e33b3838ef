/*
 * decompose_classic.c - older ways to decompose a tensor, for comparison and for what they are good
 * at: the singular vectors of its flattening, simultaneous diagonalisation of two contractions
 * (Jennrich's algorithm), and power steps of all vectors at once.
 */
#include <math.h>
#include <string.h>

#include "decompose_internal.h"

#define CLASSIC_CHANGE 1e-10

/* ---- flattening ---- */

double
tlv_flattening_memory(size_t k, const tlv_decompose_options *options)
{
	return 3 * (double) k * (double) k + 2 * (double) k;
}

/* gram = sum over m of T(:, :, m) T(:, :, m)', which is sum lambda^2 v v'. */
static tlv_status
flattening_gram(tlv_solver *s, double *diagonal, double *gram)
{
	size_t k = s->k;

	for (size_t a = 0; a < k; a++)
		memcpy(diagonal + a * k, s->half + k * tlv_packed2_index(a, a), k * sizeof(double));
	TLV_TRY(tlv_syrk(s->ctx, false, k, s->pairs, 2, s->half, k, 0, gram, k, true));
	return tlv_syrk(s->ctx, false, k, k, -1, diagonal, k, 1, gram, k, true);
}

tlv_status
tlv_decompose_flattening(tlv_solver *s)
{
	size_t k = s->k;
	double *gram, *values;

	TLV_TRY_NEW_ROWS(s->ctx, gram, k, 2 * k);
	TLV_TRY_NEW(s->ctx, values, k);
	TLV_TRY(flattening_gram(s, gram + k * k, gram));
	TLV_TRY(tlv_eigen_symmetric(s->ctx, k, gram, values));
	for (size_t l = 0; l < k; l++)
		for (size_t i = 0; i < k; i++)
			s->vectors[l + i * k] = gram[i + l * k];
	s->orthonormal = s->out->converged = true;
	s->out->iterations = 1;
	tlv_free(s->ctx, values);
	tlv_free(s->ctx, gram);
	return TLV_OK;
}

/* ---- Jennrich ---- */

double
tlv_jennrich_memory(size_t k, const tlv_decompose_options *options)
{
	return 12 * (double) k * (double) k + 4 * (double) k + 2000;
}

/* T(I, I, x) for one random x; rows: 2 k x k. */
static tlv_status
random_contraction(tlv_solver *s, double *rows, double *out)
{
	size_t k = s->k;
	double *unit = rows, *same = rows + k * k;

	memset(unit, 0, k * k * sizeof(double));
	for (size_t j = 0; j < k; j++)
	{
		double x = tlv_rng_normal(&s->rng);

		unit[j + j * k] = 1;
		for (size_t l = 0; l < k; l++)
			same[l + j * k] = x;
	}
	return tlv_solver_apply(s, k, unit, same, out);
}

tlv_status
tlv_decompose_jennrich(tlv_solver *s)
{
	size_t k = s->k, rank;
	double *rows, *first, *second, *lengths;
	bool real;

	TLV_TRY_NEW_ROWS(s->ctx, rows, k, 4 * k);
	TLV_TRY_NEW(s->ctx, lengths, k);
	first = rows + 2 * k * k;
	second = first + k * k;
	TLV_TRY(random_contraction(s, rows, first));
	TLV_TRY(random_contraction(s, rows, second));
	TLV_TRY(tlv_pseudo_inverse(s->ctx, k, k, second, 1e-13, rows, &rank));
	TLV_TRY(tlv_gemm(s->ctx, false, false, k, k, k, 1, first, k, rows, k, 0, second, k));
	TLV_TRY(tlv_eigen_general(s->ctx, k, second, rows, &real));
	for (size_t l = 0; l < k; l++)
		for (size_t i = 0; i < k; i++)
			s->vectors[l + i * k] = rows[i + l * k];
	tlv_rows_normalize(k, k, s->vectors, lengths);
	s->out->converged = real;
	s->out->iterations = 1;
	tlv_free(s->ctx, lengths);
	tlv_free(s->ctx, rows);
	return TLV_OK;
}

/* ---- simultaneous power ---- */

double
tlv_simultaneous_memory(size_t k, const tlv_decompose_options *options)
{
	return 6 * (double) k * (double) k;
}

/* All vectors at once, made orthonormal in their order after every step. */
tlv_status
tlv_decompose_simultaneous(tlv_solver *s)
{
	const int default_steps = 200;
	size_t k = s->k, rank;
	int steps = s->options->steps > 0 ? s->options->steps : default_steps;
	double tolerance = s->options->tolerance > 0 ? s->options->tolerance : CLASSIC_CHANGE;
	double *before, *basis;

	TLV_TRY_NEW_ROWS(s->ctx, before, k, 2 * k);
	basis = before + k * k;
	tlv_rng_fill_normal(&s->rng, k * k, s->vectors);
	TLV_TRY(tlv_orthonormalize(s->ctx, k, k, s->vectors, &s->rng, &rank));
	for (int step = 0; step < steps && !s->out->converged; step++)
	{
		double change = 0;

		tlv_report(s->ctx, "decompose", step, steps);
		memcpy(before, s->vectors, k * k * sizeof(double));
		TLV_TRY(tlv_solver_apply(s, k, before, before, basis));
		memcpy(s->vectors, basis, k * k * sizeof(double));
		TLV_TRY(tlv_orthonormalize(s->ctx, k, k, s->vectors, &s->rng, &rank));
		for (size_t i = 0; i < k * k; i++)
			change = fmax(change, fabs(s->vectors[i] - before[i]));
		s->out->iterations++;
		s->out->converged = change <= tolerance;
	}
	s->orthonormal = true;
	tlv_free(s->ctx, before);
	return TLV_OK;
}
