/*
 * match.c - the components of two mixtures of Gaussians, one to one (gmm.h).
 */
#include <math.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/num/linalg.h"

tlv_status
tlv_gmm_match(tlv_context *ctx, const tlv_mixture *a, const tlv_mixture *b, int64_t *assignment,
			  double *error)
{
	double *cost = tlv_alloc(ctx, a->k, b->k * sizeof(double));

	TLV_TRY_ALLOC(ctx, cost);
	for (size_t i = 0; i < a->k; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < b->k; j++)
			cost[i * b->k + j] =
				sqrt(tlv_squared_distance(a->d, a->means + i * a->d, b->means + j * b->d));
	}
	TLV_TRY(tlv_assign_components(ctx, a->k, b->k, cost, NAN, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}
