/*
 * convolution.c - seeds of lagged moments of series, of all lags and of windows, and models of
 * templates.
 */
#include "seeds.h"

#include "tensorlv/model/convolution.h"

SEEDS(convolution)
{
	tlv_convolution_simulation simulation = {.k = 1, .length = 6, .noise = .1, .rate = .1};
	tlv_convolution_options options = {.k = 1, .max_k = 1, .restarts = 2, .iterations = -1};
	tlv_accumulator *accumulator;
	tlv_frame moments;
	double x[200];
	void *image;
	size_t size;

	must(tlv_convolution_simulate_model(&ctx, &simulation, &image, &size));
	save_frame("convolution-simulation", image, size);
	for (size_t t = 0; t < 200; t++)
		x[t] = t % 17 < 4 ? 3 - (double) (t % 17) + .1 * tlv_rng_uniform(&rng) : 0;
	for (int windows = 0; windows < 2; windows++)
	{
		tlv_statistic statistic = {.aggregate = &tlv_aggregate_series_moments,
								   .order = 6,
								   .refine = windows != 0 ? "windows" : NULL};

		must(tlv_statistic_create(&ctx, &statistic, &accumulator));
		must(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(120, 1, x)));
		must(tlv_add(&ctx, accumulator, TLV_AS_SEQUENCE(80, 1, x + 120)));
		moments = save_collected(windows != 0 ? "series-windows" : "series-moments", accumulator);
		must(tlv_convolution_fit(&ctx, &moments, &options, &image, &size));
		save_frame(windows != 0 ? "convolution-windows" : "convolution", image, size);
	}
}
