/*
 * keyed_sample.c - samples of the smallest keys (keyed_sample.h).
 */
#include "tensorlv/model/keyed_sample.h"

#include "tensorlv/num/rng.h"

uint64_t
tlv_keyed_sample_key(uint64_t seed, size_t bytes, const void *content)
{
	return tlv_mix64(tlv_fingerprint(content, bytes, tlv_mix64(seed)));
}

tlv_status
tlv_keyed_sample_create(tlv_context *ctx, const tlv_accumulator_class *class,
						tlv_accumulator **accumulator)
{
	TLV_TRY(tlv_sections_create(ctx, class, NULL, accumulator));
	((tlv_keyed_sample *) *accumulator)->largest = UINT64_MAX;
	return TLV_OK;
}

tlv_status
tlv_keyed_sample_begin(tlv_context *ctx, const tlv_accumulator_class *class,
					   const tlv_statistic *constants, size_t most, const char *what,
					   tlv_accumulator **accumulator)
{
	tlv_keyed_sample *sample;

	if (constants->count < 1 || constants->count > most)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "a sample of %zu %s is not between 1 and %zu",
						constants->count, what, most);
	TLV_TRY(tlv_keyed_sample_create(ctx, class, accumulator));
	sample = (tlv_keyed_sample *) *accumulator;
	sample->count = constants->count;
	sample->seed = constants->seed;
	return TLV_OK;
}

tlv_status
tlv_keyed_sample_join(tlv_context *ctx, tlv_keyed_sample *sample, const tlv_frame *frame,
					  const char *what)
{
	size_t count = (size_t) tlv_frame_scalar(frame, "count", 0);
	uint64_t seed = (uint64_t) tlv_frame_scalar(frame, "seed", 0);

	if (sample->count == 0)
	{
		sample->count = count;
		sample->seed = seed;
	}
	if (count == sample->count && seed == sample->seed)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "samples of %zu %s with seed %llu and of %zu %s with seed %llu cannot be merged",
			 sample->count, what, (unsigned long long) sample->seed, count, what,
			 (unsigned long long) seed);
	return tlv_fail_hint(ctx, "Collect all parts with the same arguments.");
}

void
tlv_keyed_sample_describe(tlv_keyed_sample *sample)
{
	sample->wanted = (double) sample->count;
	sample->stored_seed = (double) sample->seed;
}

tlv_status
tlv_keyed_sample_check(tlv_context *ctx, const tlv_frame *frame, double held, double most,
					   const char *what, uint64_t *seed)
{
	double wanted = tlv_frame_scalar(frame, "count", 0);

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	*seed = (uint64_t) tlv_frame_scalar(frame, "seed", 0);
	if (wanted < 1 || wanted > most || held > wanted)
		return tlv_fail(ctx, TLV_CORRUPT, "the %s of a sample are not as many as it says", what);
	return TLV_OK;
}

void
tlv_keyed_sample_share(size_t distinct, const double *counts, double seen, double n, double *share)
{
	double rate = n / seen, heavy = 0, light = 0;

	for (size_t t = 0; t < distinct; t++)
		*(counts[t] * rate >= 1 ? &heavy : &light) += counts[t];
	for (size_t t = 0; t < distinct; t++)
		if (counts[t] * rate >= 1)
			share[t] = light > 0 ? counts[t] * rate : counts[t] / heavy * n;
		else
			share[t] = counts[t] / light * (n - heavy * rate);
}
