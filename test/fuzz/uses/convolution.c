/*
 * convolution.c - uses of templates: fits, what they say of a series, series drawn from them.
 */
#include "uses.h"

#include "kind_uses.h"
#include "tensorlv/model/convolution.h"

static void
use_series_fit(const tlv_frame *frame)
{
	tlv_convolution_options options = {.max_k = 2, .restarts = 2, .steps = 5, .iterations = 5};
	void *image;
	size_t size;

	if (tlv_frame_find(frame, "pairs")->rows > 12)
		return; /* too slow here */
	if (tlv_convolution_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
		use_result(&ctx, image, size);
}

static tlv_status
ignore_score(tlv_context *context, void *argument, size_t step, size_t l, double value)
{
	(void) context;
	(void) argument;
	(void) step;
	(void) l;
	(void) value;
	return TLV_OK;
}

static tlv_status
ignore_step(tlv_context *context, void *argument, size_t series, size_t t, double x,
			const double *activations)
{
	(void) activations;
	(void) series;
	return ignore_score(context, argument, t, 0, x);
}

static void
use_templates(const tlv_frame *frame)
{
	double x[40], *activations;
	tlv_posterior posterior = {0};
	size_t k = tlv_model_components(frame);
	tlv_model *open;

	if (k > 16)
		return; /* too slow here */
	for (size_t t = 0; t < 40; t++)
		x[t] = (double) (t % 7);
	activations = tlv_alloc(&ctx, 40 * k, sizeof(double));
	if (activations == NULL)
		return;
	USE(tlv_convolution_scores(&ctx, frame, TLV_AS_SEQUENCE(40, 1, x), ignore_score, NULL));
	USE(tlv_convolution_activations(&ctx, frame, TLV_AS_SEQUENCE(40, 1, x), activations));
	USE(tlv_convolution_simulate(&ctx, frame, 1, 20, 1, ignore_step, NULL));
	USE(tlv_model_open(&ctx, frame, &open));
	(void) tlv_model_infer(&ctx, open, TLV_AS_SEQUENCE(40, 1, x), &posterior);
	tlv_posterior_free(&ctx, &posterior);
}

USES(convolution)
{
	if (kind == &tlv_kind_series_moments)
		use_series_fit(frame);
	if (kind == &tlv_kind_convolution)
		use_templates(frame);
}
