/*
 * evaluate.c - what is done with whole topics: the M step of refinement,
 * matching two models, coherence (topics.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/topics.h"

static size_t
chunk_items(size_t operations)
{
	/* Floating-point operations between two looks at tlv_should_stop(): some milliseconds. */
	const int chunk_operations = 10000000;
	size_t chunk = chunk_operations / (operations + 1);

	return chunk == 0 ? 1 : chunk;
}

tlv_status
tlv_topic_maximize(tlv_context *ctx, size_t k, size_t d, const double *items, double eta,
				   const double *prior, double *phi)
{
	size_t chunk = chunk_items(k);
	double *sum;

	if (!(eta >= 0 && isfinite(eta)))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "eta is %g, not 0 or positive", eta);
	TLV_TRY_NEW0(ctx, sum, k);
	for (size_t i = 0; i < d; i++)
	{
		double smoothing = prior == NULL ? eta : eta * prior[i] * (double) d;

		if (i % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
		{
			phi[j + k * i] = items[j + k * i] + smoothing;
			sum[j] += phi[j + k * i];
		}
	}
	for (size_t i = 0; i < d; i++)
	{
		if (i % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < k; j++)
			/* A topic without a token falls back on the smoothing distribution. */
			phi[j + k * i] = sum[j] > 0		 ? phi[j + k * i] / sum[j]
							 : prior != NULL ? prior[i]
											 : 1.0 / (double) d;
	}
	tlv_free(ctx, sum);
	return TLV_OK;
}

/* distance[ja * kb + jb], 0 at first, += L1 distance of topic ja of a and topic jb of b */
static tlv_status
evaluate_topic_distances(tlv_context *ctx, size_t d, size_t ka, const double *phi_a, size_t kb,
						 const double *phi_b, double *distance)
{
	size_t chunk = chunk_items(kb);

	for (size_t i = 0; i < d; i++)
	{
		const double *restrict b = phi_b + i * kb;

		for (size_t ja = 0; ja < ka; ja++)
		{
			double a = phi_a[ja + i * ka];
			double *restrict row = distance + ja * kb;

			if ((i * ka + ja) % chunk == 0)
				TLV_TRY_CONTINUE(ctx);
			for (size_t jb = 0; jb < kb; jb++)
				row[jb] += fabs(a - b[jb]);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_topic_match(tlv_context *ctx, size_t d, size_t ka, const double *phi_a, size_t kb,
				const double *phi_b, int64_t *assignment, double *error)
{
	double *distance;
	tlv_status status;

	if (ka == 0 || kb == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a model without topics has no match");
	TLV_TRY_NEW0(ctx, distance, ka * kb);
	status = evaluate_topic_distances(ctx, d, ka, phi_a, kb, phi_b, distance);
	if (status == TLV_OK)
		status = tlv_assign_components(ctx, ka, kb, distance, 2, assignment, error);
	tlv_free(ctx, distance);
	return status;
}

/* Normalised pointwise mutual information of two items. */
static double
pair_npmi(double single_a, double single_b, double both, double documents)
{
	if (both <= 0)
		return -1;
	/* Both in every document: the limit of perfect company. */
	if (both >= documents)
		return 1;
	return log(both * documents / (single_a * single_b)) / -log(both / documents);
}

void
tlv_topic_coherence(size_t m, const double *joint, double documents, double *npmi, double *umass)
{
	double pairs = 0;
	double umass_pairs = 0;

	*npmi = 0;
	*umass = 0;
	for (size_t i = 1; i < m; i++)
		for (size_t j = 0; j < i; j++)
		{
			/* j is the more probable one */
			double single_i = joint[tlv_packed2_index(i, i)];
			double single_j = joint[tlv_packed2_index(j, j)];
			double both = joint[tlv_packed2_index(i, j)];

			*npmi += pair_npmi(single_i, single_j, both, documents);
			pairs++;
			if (single_j > 0)
			{
				*umass += log((both + 1) / single_j);
				umass_pairs++;
			}
		}
	*npmi = pairs > 0 ? *npmi / pairs : NAN;
	*umass = umass_pairs > 0 ? *umass / umass_pairs : NAN;
}
