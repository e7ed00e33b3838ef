/*
 * subspace.c - the leading directions of documents, by block iteration: a scan of the documents an
 * iteration (learn.h).
 */
#include "learn.h"
#include "../tuning.h"

#include <math.h>

#include "tensorlv/num/assert.h"

void
lda_drop_subspace(tlv_context *ctx, lda_learning *fit)
{
	tlv_free(ctx, fit->subspace.image);
	fit->subspace.image = NULL;
}

static tlv_status
subspace_next(tlv_context *ctx, lda_learning *fit, const tlv_frame *moments,
			  const tlv_subspace_options *options)
{
	tlv_making made;

	if (options->begun == NULL && options->subspace == NULL)
		lda_drop_subspace(ctx, fit); /* the moments hold what they need of it */
	return TLV_MAKE(ctx, &made, &fit->subspace,
					tlv_subspace_from_moments(ctx, moments, options, &made.image, &made.size));
}

static double
measured_burstiness(const lda_learning *fit)
{
	const tlv_frame *subspace = &fit->subspace.frame;
	const double *ritz = tlv_frame_float64(subspace, "ritz");
	double sum = 0;

	for (size_t j = 0; j < tlv_frame_scalar(subspace, "rank", 0); j++)
		sum += fmax(ritz[j], 0);
	return sum > 0 ? fit->counts.trace / sum : HUGE_VAL;
}

bool
lda_is_bursty(double burstiness)
{
	return burstiness > BURST_LIMIT;
}

/*
 * The sum of the leading Ritz values increases with every iteration and stays below that of the
 * eigenvalues, so a small ratio is final, and a large one where no more than a multiple of its
 * last decrease is missing.
 */
static bool
burstiness_is_decided(int iterations, double before, double burstiness)
{
	return iterations >= DECIDED_ITERATIONS &&
		   (!lda_is_bursty(burstiness) ||
			lda_is_bursty(burstiness - DECIDED_FALLS * (before - burstiness)));
}

static bool
subspace_has_converged(const lda_learning *fit, int iterations)
{
	return iterations >= SUBSPACE_MOST ||
		   (iterations >= SUBSPACE_LEAST &&
			tlv_subspace_change(&fit->subspace.frame) < SUBSPACE_CHANGE);
}

static tlv_status
iterate(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	tlv_subspace_options same = {0};
	tlv_value *products;

	TLV_TRY(tlv_collect_again(ctx, documents, "subspace", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_count_products,
											   .constant = &fit->subspace.frame},
							  &products));
	same.subspace = tlv_count_refers(&products->frame) ? &fit->subspace.frame : NULL;
	TLV_TRY(subspace_next(ctx, fit, &products->frame, &same));
	tlv_value_drop(products);
	return TLV_OK;
}

tlv_status
lda_find_subspace(tlv_context *ctx, tlv_source *documents, lda_learning *fit,
				  const tlv_frame *summary, tlv_subspace_options *options, double *burstiness)
{
	options->seed = fit->options.fit.seed;
	lda_expect_tensor(ctx, fit, summary, options->rank);
	TLV_TRY(subspace_next(ctx, fit, summary, options));
	for (int iterations = 1;; iterations++)
	{
		TLV_TRY(iterate(ctx, documents, fit));
		if (burstiness != NULL)
		{
			double before = *burstiness;

			*burstiness = measured_burstiness(fit);
			if (burstiness_is_decided(iterations, before, *burstiness))
				return TLV_OK;
		}
		if (subspace_has_converged(fit, iterations))
			return TLV_OK;
	}
}
