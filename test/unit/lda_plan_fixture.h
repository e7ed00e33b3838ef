/*
 * lda_plan_fixture.h - plans of topics by anchors over simulated documents.
 */
#ifndef TENSORLV_TEST_LDA_PLAN_FIXTURE_H
#define TENSORLV_TEST_LDA_PLAN_FIXTURE_H

#include "lda_passes_fixture.h"

static tlv_plan *
make(plan_fixture *f, void *options)
{
	tlv_plan *plan;

	(void) f;
	assert_ok(tlv_lda_plan_create(&ctx, options, &plan));
	return plan;
}

static tlv_lda_plan_options
usual_plan_from(size_t k, tlv_lda_start start)
{
	return (tlv_lda_plan_options){
		.fit = {.k = k, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
		.start = start,
		.max_k = 20,
		.minimum_documents = -1,
		.iterations = -1,
	};
}

#endif
