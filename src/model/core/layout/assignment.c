/*
 * assignment.c - the components of two models, one to one (assignment.h).
 */
#include "tensorlv/model/assignment.h"

#include "tensorlv/num/optimize.h"

/* *to (kb rows of ka) becomes the transpose of cost (ka rows of kb). */
static tlv_status
layout_transpose(tlv_context *ctx, size_t ka, size_t kb, const double *cost, double **to)
{
	TLV_TRY_NEW_ROWS(ctx, *to, kb, ka);
	for (size_t i = 0; i < kb; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < ka; j++)
			(*to)[i * ka + j] = cost[j * kb + i];
	}
	return TLV_OK;
}

tlv_status
tlv_assign_components(tlv_context *ctx, size_t ka, size_t kb, const double *cost, double alone,
					  int64_t *partner, double *error)
{
	/* The smaller model's components are the rows of the assignment. */
	bool turned = ka > kb;
	size_t less = turned ? kb : ka, more = turned ? ka : kb;
	const double *rows = cost;
	double *transposed = NULL, total;
	int64_t *chosen;

	TLV_TRY_NEW(ctx, chosen, less);
	if (turned)
	{
		TLV_TRY(layout_transpose(ctx, ka, kb, cost, &transposed));
		rows = transposed;
	}
	TLV_TRY(tlv_assignment(ctx, less, more, rows, chosen, &total));
	for (size_t j = 0; j < ka; j++)
	{
		partner[j] = -1;
		error[j] = alone;
	}
	for (size_t i = 0; i < less; i++)
	{
		size_t j = turned ? (size_t) chosen[i] : i;

		partner[j] = turned ? (int64_t) i : chosen[i];
		error[j] = rows[i * more + (size_t) chosen[i]];
	}
	tlv_free(ctx, chosen);
	tlv_free(ctx, transposed);
	return TLV_OK;
}
