/*
 * convolution.h - templates in series: x_t = m + sum_l sum_u w_l(u) f_l(t - u) + Gaussian noise.
 * Templates f_l are of at most s steps and of unit length; activations w_l(u) are independent and
 * skewed: all of one sign, say, and mostly 0.
 *
 * Lagged third moments c(a, b) = E (x_t - m)(x_{t+a} - m)(x_{t+b} - m), 0 <= a <= b < s, are
 * sum_l lambda_l sum_t f_l(t) f_l(t+a) f_l(t+b), lambda_l the third cumulant of an activation:
 * noise drops out.  Their transform on a grid of 2 s lags, on which nothing wraps around, is
 * sum_l lambda_l F_l(v) F_l(w) conj F_l(v + w), with F_l that of f_l.
 *
 * Moments (kind series_moments): scalars "nulls", "values", "segments", "windows" (1: collected of
 * cyclic windows of 2 s steps), "shift"; "pairs" (s): how many pairs of steps are so far apart;
 * sums over the steps t of which t + b is in the same segment, of x - shift, packed (a, b):
 * "third", "front" (x_t x_{t+a}), "back" (x_{t+a} x_{t+b}) and "single" (x_{t+a}), from which
 * the sums about any other shift follow exactly.
 *
 * The model's frame (kind convolution): scalars "values", "mean", "noise" (variance), "seed",
 * "residual" (of the third moments, relative), "windows"; "templates" (s x k, unit columns),
 * "cumulants" lambda (k, decreasing, of one step) and "variances" (k) of the activations, and
 * "weights" (k), the shares of the cumulants.
 *
 * Sources: Huang 2016, chapter 4 (cyclic windows, alternating least squares); Brillinger 1965,
 * Giannakis 1987 (third moments of linear processes).
 *
 * The room contains moments, fit, refinement and simulation.  Series are read from rows with times
 * on floor 3; states of sequences are in hmm.h.
 */
#ifndef TENSORLV_CONVOLUTION_H
#define TENSORLV_CONVOLUTION_H

#include "tensorlv/model/aggregate.h"
#include "tensorlv/model/model.h"
#include "tensorlv/model/source.h"

/* ---- moments ---- */

/* Lags, which are the most steps of a template. */
#define TLV_SERIES_LEAST_LAGS 4
#define TLV_SERIES_MOST_LAGS  128

/*
 * Rows are sequences of single numbers, cut where one is missing.  Constants: order (lags) and
 * refine, NULL or "windows": sums over cyclic windows of 2 s steps into which every segment is cut,
 * and of which an incomplete one is left out.  Errors of create: TLV_BAD_PARAMETER; of add:
 * TLV_BAD_DATA for steps of more than one number and for numbers that are not finite or too large.
 */
extern const tlv_aggregate tlv_aggregate_series_moments;

/* ---- fitting ---- */

typedef struct tlv_convolution_options
{
	size_t k; /* templates; 0: chosen, at most max_k */
	size_t max_k;
	size_t length;	/* steps; 0: as many as there are lags */
	int restarts;	/* random starts; 0: TLV_CONVOLUTION_RESTARTS */
	int steps;		/* sweeps of each; 0: TLV_CONVOLUTION_STEPS */
	int iterations; /* of the polish, at most; below 0: TLV_CONVOLUTION_ITERATIONS */
	uint64_t seed;
} tlv_convolution_options;

#define TLV_CONVOLUTION_RESTARTS   10
#define TLV_CONVOLUTION_STEPS	   100
#define TLV_CONVOLUTION_ITERATIONS 60
#define TLV_CONVOLUTION_MAX_K	   4
/* Numbers of all templates together. */
#define TLV_CONVOLUTION_MOST_NUMBERS 2048
/* Steps that a template has for every template that is sought. */
#define TLV_CONVOLUTION_STEPS_EACH 4
/* Standard errors above what a Gaussian series shows by chance. */
#define TLV_CONVOLUTION_SIGNIFICANT 3
/* A residual above this has no templates behind it. */
#define TLV_CONVOLUTION_RESIDUAL 0.4

/*
 * Alternating least squares of the transform from random starts, the three best of which are
 * polished by Levenberg and Marquardt's method on the moments themselves; the least residual
 * stays.  Variances of activations and noise are the non-negative least squares of the
 * autocovariances.  k chosen: the last template that takes away at least a fiftieth of the squares
 * of all third moments.
 *
 * Errors: TLV_BAD_PARAMETER for a length above the lags and k above length / 4; TLV_LIMIT for
 * more numbers than that; TLV_NO_ROWS; TLV_BAD_DATA for segments that are all shorter than a
 * template and a constant series; TLV_NOT_IDENTIFIABLE where third moments are what a Gaussian
 * series shows by chance; memory, TLV_CANCELLED.
 */
extern tlv_status tlv_convolution_fit(tlv_context *ctx, const tlv_frame *moments,
									  const tlv_convolution_options *options, void **image,
									  size_t *size);

/*
 * How many steps templates have, by moments of all lags: half as many again as there are up to the
 * last lag whose correlation is three of Bartlett's standard errors (1946) or more from 0, but for
 * one after a long stretch of none; at least 8 and as many as k templates need, at most the lags
 * that there are, and what k templates may have.  Errors: memory.
 */
extern tlv_status tlv_convolution_choose_length(tlv_context *ctx, const tlv_frame *moments,
												size_t k, size_t *length);

/* One pass for the moments, and the fit.  Where length is 0 it is what the moments of the most lags
 * choose, and the diagnostic "length".  Its options are tlv_convolution_options. */
extern const tlv_procedure tlv_convolution_procedure;

/* ---- the stored form ---- */

typedef struct tlv_convolution_parts
{
	size_t s;
	size_t k;
	double values;
	double mean;
	double noise;
	double seed;
	double residual;
	double windows;
	double *templates;
	double *cumulants;
	double *variances;
	double *weights;
	tlv_diagnostics *diagnostics;
} tlv_convolution_parts;

extern void tlv_convolution_read(const tlv_frame *frame, tlv_convolution_parts *parts);

/* ---- use ---- */

/* Of a series of n steps and template l, from 0; step by step.  scores are NaN at steps that are
 * missing. */
typedef tlv_status (*tlv_convolution_emit)(tlv_context *ctx, void *argument, size_t step, size_t l,
										   double value);

/*
 * Matched filter: the least squares amplitude of template l if it alone began at a step, sum_j
 * f_l(j) (x_{t+j} - mean), what is beyond a segment's end or missing counting as the mean.  Steps
 * that are missing are left out.  Errors: TLV_BAD_DATA for steps of several numbers, or one that is
 * not finite; memory, TLV_CANCELLED, those of emit.
 */
extern tlv_status tlv_convolution_scores(tlv_context *ctx, const tlv_frame *model,
										 const tlv_row *row, tlv_convolution_emit emit,
										 void *argument);

/*
 * Activations about their mean, by the linear filter of least expected error (Wiener):
 * v_l conj F_l x / (sum_m v_m |F_m|^2 + noise) in every frequency.  Without noise it is the
 * deconvolution of least length.  activations: n x k, 0 at steps that are missing.  Errors: the
 * same.
 */
extern tlv_status tlv_convolution_activations(tlv_context *ctx, const tlv_frame *model,
											  const tlv_row *row, double *activations);

/*
 * Distance of two unit templates, of sa and sb steps, at the best of all shifts: sqrt(2 - 2 r), r
 * their largest correlation; 0 .. 2.
 */
extern double tlv_template_distance(size_t sa, const double *a, size_t sb, const double *b);

/* ---- simulation ---- */

typedef struct tlv_convolution_simulation
{
	size_t k;
	size_t length;
	double noise; /* its standard deviation in those of the series without it */
	double rate;  /* events of a template in a step */
	uint64_t seed;
} tlv_convolution_simulation;

/* A model with random templates: sines of 1, 2, ... periods under a bell, and rough edges. */
extern tlv_status tlv_convolution_simulate_model(tlv_context *ctx,
												 const tlv_convolution_simulation *options,
												 void **image, size_t *size);

/* Takes step t of series number `series`, both from 1, and its k activations. */
typedef tlv_status (*tlv_convolution_take)(tlv_context *ctx, void *argument, size_t series,
										   size_t t, double x, const double *activations);

/* Series drawn from a model, true or fitted: Poisson many events with exponential amplitudes, of
 * the model's cumulants.  Errors: memory, TLV_CANCELLED, those of take. */
extern tlv_status tlv_convolution_simulate(tlv_context *ctx, const tlv_frame *model, size_t series,
										   size_t length, uint64_t seed, tlv_convolution_take take,
										   void *argument);

#endif /* TENSORLV_CONVOLUTION_H */
