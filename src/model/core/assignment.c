/*
 * assignment.c - the components of two models, one to one (assignment.h).
 */
#include "tensorlv/model/assignment.h"

#include "tensorlv/num/optimize.h"

tlv_status
tlv_assign_components(tlv_context *ctx, size_t ka, size_t kb, const double *cost, double alone,
					  int64_t *partner, double *error)
{
	/* The smaller model's components are the rows of the assignment. */
	bool turned = ka > kb;
	size_t less = turned ? kb : ka, more = turned ? ka : kb;
	double *rows = tlv_alloc(ctx, less, more * sizeof(double)), total;
	int64_t *chosen = tlv_alloc(ctx, less, sizeof(int64_t));

	TLV_TRY_ALLOC(ctx, rows);
	TLV_TRY_ALLOC(ctx, chosen);
	for (size_t i = 0; i < less; i++)
		for (size_t j = 0; j < more; j++)
			rows[i * more + j] = turned ? cost[j * kb + i] : cost[i * kb + j];
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
	tlv_free(ctx, rows);
	return TLV_OK;
}
