/*
 * lda_learn_fixture.h - topics learnt over simulated documents.
 */
#ifndef TENSORLV_TEST_LDA_LEARN_FIXTURE_H
#define TENSORLV_TEST_LDA_LEARN_FIXTURE_H

#include "lda_passes_fixture.h"

static tlv_lda_learn_options
usual_options_from(size_t k, tlv_lda_start start)
{
	return (tlv_lda_learn_options){
		.fit = {.k = k, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
		.start = start,
		.max_k = 20,
		.minimum_documents = -1,
		.iterations = -1,
	};
}

/* The model of the documents in use. */
static inline tlv_frame
learn(tlv_lda_learn_options options)
{
	return procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
}

#endif
