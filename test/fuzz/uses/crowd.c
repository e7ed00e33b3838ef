/*
 * crowd.c - uses of answers of workers: fits from every start, new items.
 */
#include "uses.h"
#include "rows.h"

#include "kind_uses.h"
#include "tensorlv/model/crowd.h"

static void
use_crowd_fit(const tlv_frame *frame)
{
	tlv_crowd_options options = tlv_crowd_defaults;
	void *image;
	size_t size;

	if (tlv_frame_find(frame, "answers")->rows > 20 || tlv_frame_find(frame, "entries")->rows > 500)
		return; /* too slow here */
	options.iterations = 10;
	options.restarts = 2;
	for (int start = TLV_CROWD_BOTH; start <= TLV_CROWD_MOMENTS; start++)
	{
		options.start = (tlv_crowd_start) start;
		if (tlv_crowd_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
			use_result(&ctx, image, size);
	}
}

/* An item that all workers answer alike, and somebody whom the model does not know. */
static void
use_crowd(const tlv_frame *frame)
{
	tlv_crowd_parts parts;
	tlv_posterior posterior = {0};
	int64_t workers[3] = {0, 1, -7}, answers[3] = {0, 0, 1};
	tlv_model *open;
	double value;

	tlv_crowd_read(frame, &parts);
	for (size_t j = 0; j < parts.workers_n && j < 2; j++)
		workers[j] = parts.workers[j];
	for (size_t i = 0; i < 3; i++)
		answers[i] = parts.answers[i % parts.answers_n];
	USE(tlv_model_open(&ctx, frame, &open));
	(void) tlv_model_infer(&ctx, open, TLV_AS_ANSWERS(3, workers, answers), &posterior);
	(void) tlv_model_log_likelihood(&ctx, open, TLV_AS_ANSWERS(3, workers, answers), &value);
	for (size_t j = 0; j < parts.names_n; j++)
		(void) tlv_crowd_name(&parts, TLV_CROWD_ITEMS, parts.name_ids[j]);
	tlv_posterior_free(&ctx, &posterior);
}

USES(crowd)
{
	if (kind == &tlv_kind_crowd_answers)
		use_crowd_fit(frame);
	if (kind == &tlv_kind_crowd)
		use_crowd(frame);
}
