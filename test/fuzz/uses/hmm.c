/*
 * hmm.c - uses of hidden Markov models: fits, their statistics, transitions.
 */
#include "uses.h"

#include "kind_uses.h"
#include "tensorlv/model/hmm.h"

/* A hidden Markov model: its transitions matched with themselves. */
static void
use_chain(const tlv_frame *frame)
{
	size_t k = tlv_model_components(frame);
	int64_t *assignment = tlv_alloc(&ctx, k, sizeof(int64_t));
	double *error = tlv_alloc(&ctx, k, sizeof(double));
	tlv_hmm_parts parts;

	tlv_hmm_read(frame, &parts);
	if (assignment == NULL || error == NULL || k > 64)
		return;
	(void) tlv_hmm_match(&ctx, &parts, &parts, assignment, error);
}

/* Statistics that say they are of the model they are used with, whatever they are of. */
static void
use_chain_statistics(const tlv_frame *frame)
{
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_frame model;
	void *image;
	size_t size;

	for (int vectors = 0; vectors < 2; vectors++)
	{
		tlv_hmm_simulation options = {2, vectors ? 0 : 4, vectors ? 2 : 0, 0.7, 0.3, 4, 1};

		USE(tlv_hmm_simulate_model(&ctx, &options, &image, &size));
		USE(tlv_frame_open(&ctx, image, size, &model));
		*fingerprint = model.header->digest;
		if (tlv_model_update(&ctx, &model, frame, 1, &image, &size) == TLV_OK)
			use_result(&ctx, image, size);
	}
}

static void
use_chain_fit(const tlv_frame *frame)
{
	tlv_hmm_options options = {
		.k = 2, .iterations = 5, .seed = 1, .decompose = {.steps = 20, .restarts = 2}};
	const tlv_section *initial = tlv_frame_find(frame, "initial");
	void *image;
	size_t size;

	if (initial != NULL && initial->rows > 12)
		return; /* too slow here */
	if (tlv_hmm_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
		use_result(&ctx, image, size);
}

USES(hmm)
{
	if (kind == &tlv_kind_sequence_moments)
		use_chain_fit(frame);
	if (kind == &tlv_kind_sequence_statistics)
		use_chain_statistics(frame);
	if (kind == &tlv_kind_hmm)
		use_chain(frame);
}
