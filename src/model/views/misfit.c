/*
 * misfit.c - which coordinate of the views a poor decomposition explains least (view_solver.h).
 */
#include "tensorlv/model/view_solver.h"

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tuning.h"

/* Squared norms of the rows of E[x_t x_s'] A_s - A_t diag(w) A_s' A_s: the largest is in *most. */
static tlv_status
compare_view(tlv_context *ctx, const tlv_view_source *source, int t, int s,
			 tlv_view_solution *solution, double *most)
{
	size_t k = solution->k, d = source->d[t], variables = source->pairs[0] != NULL ? d - 1 : d;
	const double *other = solution->means[s];
	double *gram, *rest;

	TLV_TRY(tlv_alloc_numbers(ctx, &gram, k * k));
	TLV_TRY(tlv_alloc_numbers(ctx, &rest, k * d));
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, source->d[s], 1, other, k, other, k, 0, gram, k));
	for (size_t h = 0; h < k; h++)
		for (size_t j = 0; j < k; j++)
			gram[h * k + j] *= solution->weights[h];
	TLV_TRY(tlv_view_multiply(ctx, source, s, t, k, other, rest));
	TLV_TRY(tlv_gemm(ctx, false, false, k, d, k, -1, gram, k, solution->means[t], k, 1, rest, k));
	/* The last coordinate of vectors is a constant. */
	for (size_t i = 0; i < variables; i++)
	{
		double norm = 0;

		for (size_t j = 0; j < k; j++)
			norm += rest[i * k + j] * rest[i * k + j];
		if (!(norm > *most))
			continue;
		*most = norm;
		solution->least_view = t;
		solution->least = i;
	}
	tlv_free(ctx, rest);
	tlv_free(ctx, gram);
	return TLV_OK;
}

tlv_status
tlv_view_find_least(tlv_context *ctx, const tlv_view_source *source, tlv_view_solution *solution)
{
	double most = -1;

	solution->misfit = solution->decomposition.residual > TLV_POOR_RESIDUAL;
	/* Views 1 and 3 were regressed on view 2, not on each other. */
	for (int t = 0; solution->misfit && t < 3; t++)
		TLV_TRY(compare_view(ctx, source, t, t == 0 ? 2 : 0, solution, &most));
	return TLV_OK;
}
