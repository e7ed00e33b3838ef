/*
 * simulate.c - true templates, and series drawn from them (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/assert.h"

/* Roughness of a template beside its sine. */
#define ROUGH 0.15

static tlv_status
convolution_check_simulation(tlv_context *ctx, const tlv_convolution_simulation *o)
{
	if (o->length < TLV_SERIES_LEAST_LAGS || o->length > TLV_SERIES_MOST_LAGS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "length = %zu is not between %d and %d", o->length,
						TLV_SERIES_LEAST_LAGS, TLV_SERIES_MOST_LAGS);
	if (o->k < 1 || o->k > o->length / TLV_CONVOLUTION_STEPS_EACH)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is not between 1 and %zu", o->k,
						o->length / TLV_CONVOLUTION_STEPS_EACH);
	if (!(o->noise >= 0 && o->noise <= 1e6))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "noise = %g is not between 0 and 1e6", o->noise);
	if (!(o->rate > 0 && o->rate <= 100))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "rate = %g is not above 0 and at most 100",
						o->rate);
	return TLV_OK;
}

static void
simulate_draw_template(tlv_rng *rng, size_t l, size_t s, double *f)
{
	double phase = 3 * tlv_rng_uniform(rng), length = 0;

	for (size_t t = 0; t < s; t++)
	{
		double bell = ((double) t - (double) s / 2) * (4 + (double) l) / (double) s;
		double rough = s > 1 ? 0.5 - 0.5 * cos(2 * M_PI * (double) t / ((double) s - 1)) : 1;

		f[t] =
			sin(2 * M_PI * ((double) l + 1) * (double) t / (double) s + phase) * exp(-bell * bell) +
			ROUGH * rough * tlv_rng_normal(rng);
		length += f[t] * f[t];
	}
	for (size_t t = 0; t < s; t++)
		f[t] /= sqrt(length);
}

tlv_status
tlv_convolution_simulate_model(tlv_context *ctx, const tlv_convolution_simulation *options,
							   void **image, size_t *size)
{
	size_t s = options->length, k = options->k;
	tlv_diagnostics diagnostics = {0};
	tlv_convolution_parts parts = {
		.s = s, .k = k, .seed = (double) options->seed, .diagnostics = &diagnostics};
	tlv_rng rng;

	TLV_TRY(convolution_check_simulation(ctx, options));
	TLV_TRY_NEW(ctx, parts.templates, s * k + 3 * k);
	parts.cumulants = parts.templates + s * k;
	parts.variances = parts.cumulants + k;
	parts.weights = parts.variances + k;
	tlv_rng_seed(&rng, options->seed);
	for (size_t l = 0; l < k; l++)
	{
		simulate_draw_template(&rng, l, s, parts.templates + s * l);
		/* of Poisson many exponential amplitudes of mean 1 */
		parts.variances[l] = 2 * options->rate;
		parts.cumulants[l] = 6 * options->rate;
		for (size_t t = 0; t < s; t++)
			parts.mean += options->rate * parts.templates[s * l + t];
	}
	parts.noise = options->noise * options->noise * 2 * options->rate * (double) k;
	TLV_TRY(convolution_write(ctx, &parts, image, size));
	tlv_free(ctx, parts.templates);
	return TLV_OK;
}

/* Events of a step and their amplitudes: rate and scale from the variance and the third cumulant.
 */
typedef struct events
{
	double rate, scale;
} events;

static events
events_of(const tlv_convolution_parts *parts, size_t l)
{
	double variance = parts->variances[l], scale;

	if (!(parts->cumulants[l] > 0))
		return (events){0, 0};
	if (!(variance > 0)) /* not known: as if there were an event in every hundredth step */
		return (events){0.01, cbrt(parts->cumulants[l] / 0.06)};
	scale = fmin(parts->cumulants[l] / (3 * variance), 1e60);
	return (events){fmin(variance / (2 * scale * scale), 1e6), scale};
}

/* What series have in common. */
typedef struct simulation
{
	const tlv_convolution_parts *parts;
	const events *events;
	double base;	/* of the mean, what events do not give */
	double *recent; /* s x k: activations of the last s steps, by step modulo s */
	double *current;
} simulation;

static double
step_value(const simulation *w, size_t t)
{
	size_t s = w->parts->s;
	double x = w->base;

	for (size_t l = 0; l < w->parts->k; l++)
		for (size_t j = 0; j < s && j <= t; j++)
			x += w->parts->templates[s * l + j] * w->recent[s * l + (t - j) % s];
	return x;
}

static void
draw_step(const simulation *w, size_t t, tlv_rng *rng)
{
	size_t s = w->parts->s;

	tlv_assert(s > 0);
	for (size_t l = 0; l < w->parts->k; l++)
	{
		double n = (double) tlv_rng_poisson(rng, w->events[l].rate);

		w->current[l] = n > 0 ? w->events[l].scale * tlv_rng_gamma(rng, n) : 0;
		w->recent[s * l + t % s] = w->current[l];
	}
}

/* A series begins as it goes on: s steps before the first are drawn, too. */
static tlv_status
simulate_series(tlv_context *ctx, const simulation *w, size_t series, size_t length, uint64_t seed,
				tlv_convolution_take take, void *argument)
{
	double deviation = sqrt(w->parts->noise);
	size_t s = w->parts->s;
	tlv_rng rng;

	tlv_rng_stream(&rng, seed, series);
	for (size_t t = 0; t < length + s; t++)
	{
		double x;

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		draw_step(w, t, &rng);
		if (t < s)
			continue;
		x = step_value(w, t) + deviation * tlv_rng_normal(&rng);
		TLV_TRY(take(ctx, argument, series, t - s + 1, x, w->current));
	}
	return TLV_OK;
}

tlv_status
tlv_convolution_simulate(tlv_context *ctx, const tlv_frame *model, size_t series, size_t length,
						 uint64_t seed, tlv_convolution_take take, void *argument)
{
	tlv_convolution_parts parts;
	events *drawn;
	simulation w;

	tlv_convolution_read(model, &parts);
	TLV_TRY_NEW(ctx, drawn, parts.k);
	w = (simulation){.parts = &parts, .events = drawn, .base = parts.mean};
	for (size_t l = 0; l < parts.k; l++)
	{
		drawn[l] = events_of(&parts, l);
		for (size_t t = 0; t < parts.s; t++)
			w.base -= drawn[l].rate * drawn[l].scale * parts.templates[parts.s * l + t];
	}
	TLV_TRY_NEW0(ctx, w.recent, (parts.s + 1) * parts.k);
	w.current = w.recent + parts.s * parts.k;
	for (size_t i = 1; i <= series; i++)
		TLV_TRY(simulate_series(ctx, &w, i, length, seed, take, argument));
	tlv_free(ctx, w.recent);
	tlv_free(ctx, drawn);
	return TLV_OK;
}
