/*
 * internal.h - what the files of this room share.
 */
#ifndef CONVOLUTION_INTERNAL_H
#define CONVOLUTION_INTERNAL_H

#include "tensorlv/model/convolution.h"
#include "tensorlv/num/rng.h"

/* ---- moments.c ---- */

/* Sums of x - shift over steps (convolution.h); packed (a, b) at tlv_packed2_index(b, a). */
typedef struct series_sums
{
	size_t s;
	double values, segments, windows, shift;
	double *pairs; /* s */
	double *third, *front, *back, *single;
} series_sums;

/* A copy of a stored value, whose arrays are one block at third.  Errors: memory. */
extern tlv_status series_read(tlv_context *ctx, const tlv_frame *frame, series_sums *sums);

/* The sums about shift + delta. */
extern void series_move(series_sums *sums, double delta);

/* TLV_BAD_DATA unless steps are single numbers, finite where they are not missing. */
extern tlv_status series_require_numbers(tlv_context *ctx, const tlv_part *part);

/* The next stretch without a missing step: where it begins, from `from` on, and where it ends. */
extern size_t series_segment(const tlv_part *part, size_t from, size_t *end);

/* ---- what is fitted (third.c) ---- */

/* Lagged moments about the mean of steps 0 .. s - 1. */
typedef struct third_moments
{
	size_t s;
	double values, mean;
	double segments, short_segments; /* all, and those of fewer than s - 1 steps */
	double *covariance;				 /* s: at each lag */
	double *c;						 /* packed (a, b), scaled so that the whole grid has length 1 */
	double scale;					 /* what c was divided by */
	double chance; /* the share of the grid's squares that a Gaussian series would have */
	double z;	   /* how many standard errors it has more than that */
} third_moments;

extern tlv_status third_read(tlv_context *ctx, const tlv_frame *moments, size_t s,
							 third_moments *third);

/* How often cell (a, b), a <= b, stands in the grid. */
static inline double
third_times(size_t a, size_t b)
{
	return b == 0 ? 1 : a == 0 || a == b ? 3 : 6;
}

/* The grid of 2 s x 2 s lags -s .. s - 1 (modulo 2 s), complex. */
extern void third_grid(const third_moments *third, double *grid);

/* ---- starts (starts.c) ---- */

typedef struct convolution_start
{
	double *f; /* s x k, scaled so that c is the sum of their moments */
	double residual;
} convolution_start;

/* Alternating least squares from the given number of random initialisations. *starts holds the
 * estimates, the least residual first. */
extern tlv_status convolution_starts(tlv_context *ctx, const third_moments *third, size_t k,
									 const tlv_convolution_options *options,
									 convolution_start **starts, size_t *n);

/* ---- polish.c ---- */

/* Levenberg and Marquardt's steps on f (s x k); *residual: ||c - model|| over the grid. */
extern tlv_status convolution_polish(tlv_context *ctx, const third_moments *third, size_t k,
									 int iterations, double *f, double *residual);

/* ---- model.c ---- */

/* The frame of these parts; weights, which have room, follow from the cumulants. */
extern tlv_status convolution_write(tlv_context *ctx, const tlv_convolution_parts *parts,
									void **image, size_t *size);

/* ---- apply.c ---- */

/*
 * The likelihood of a series as if it were Gaussian with the model's spectrum (Whittle 1953), every
 * stretch without a gap for itself: it tells series of another spectrum from its own.
 */
extern tlv_status convolution_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row,
											 double *value);

#endif /* CONVOLUTION_INTERNAL_H */
