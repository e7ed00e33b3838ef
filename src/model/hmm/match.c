/*
 * match.c - the states of two hidden Markov models, one to one (hmm.h).
 */
#include <math.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/hmm.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"

/* L1 distance of the emissions of two states over all symbols of either. */
static double
emission_distance(const tlv_hmm_parts *a, size_t state_a, const tlv_hmm_parts *b, size_t state_b)
{
	size_t i = 0, j = 0;
	double sum = 0;

	while (i < a->d || j < b->d)
	{
		bool in_a = i < a->d && (j >= b->d || a->items[i] <= b->items[j]);
		bool in_b = j < b->d && (i >= a->d || b->items[j] <= a->items[i]);

		sum += fabs((in_a ? a->emissions[i * a->k + state_a] : 0) -
					(in_b ? b->emissions[j * b->k + state_b] : 0));
		i += in_a;
		j += in_b;
	}
	return sum;
}

static tlv_status
check_alike(tlv_context *ctx, const tlv_hmm_parts *a, const tlv_hmm_parts *b)
{
	if (a->gaussian != b->gaussian)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "one model is of symbols, one of vectors");
		return tlv_fail_hint(ctx, "Fit both to sequences of the same form.");
	}
	if (a->gaussian && a->d != b->d)
		return tlv_refuse_dimensions(ctx, a->d, b->d);
	return TLV_OK;
}

tlv_status
tlv_hmm_match(tlv_context *ctx, const tlv_hmm_parts *a, const tlv_hmm_parts *b, int64_t *assignment,
			  double *error)
{
	double *cost;

	TLV_TRY(check_alike(ctx, a, b));
	cost = tlv_alloc(ctx, a->k, b->k * sizeof(double));
	TLV_TRY_ALLOC(ctx, cost);
	for (size_t i = 0; i < a->k; i++)
		for (size_t j = 0; j < b->k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * b->k + j] = a->gaussian
									 ? sqrt(tlv_squared_distance(a->d, a->emissions + i * a->d,
																 b->emissions + j * a->d))
									 : emission_distance(a, i, b, j);
		}
	TLV_TRY(tlv_assign_components(ctx, a->k, b->k, cost, NAN, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}
