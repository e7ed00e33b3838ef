/*
 * apply.c - where templates are in a series (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/fft.h"
#include "tensorlv/num/numbers.h"

/* The response of a filter is taken to be 0 beyond this number of template lengths. */
#define CONVOLUTION_REACH 8
/* Lower bound on the length of a transform, relative to its discarded part. */
#define CONVOLUTION_PIECES 4
/* Relative to the strongest frequency: a frequency without noise whose power is below is ignored.
 */
#define LEAST_POWER 1e-9

/* ---- matched filter ---- */

static tlv_status
score_segment(tlv_context *ctx, const tlv_convolution_parts *parts, const tlv_part *part,
			  size_t from, size_t end, tlv_convolution_emit emit, void *argument)
{
	for (size_t t = from; t < end; t++)
	{
		size_t most = tlv_least(parts->s, end - t);

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		for (size_t l = 0; l < parts->k; l++)
		{
			const double *f = parts->templates + parts->s * l, *x = part->float64 + t;
			double score = 0;

			for (size_t j = 0; j < most; j++)
				score += f[j] * (x[j] - parts->mean);
			TLV_TRY(emit(ctx, argument, t, l, score));
		}
	}
	return TLV_OK;
}

tlv_status
tlv_convolution_scores(tlv_context *ctx, const tlv_frame *model, const tlv_row *row,
					   tlv_convolution_emit emit, void *argument)
{
	const tlv_part *part = &row->part[0];
	tlv_convolution_parts parts;
	size_t end, from;

	tlv_convolution_read(model, &parts);
	TLV_TRY(series_require_numbers(ctx, part));
	for (from = series_segment(part, 0, &end); from < end; from = series_segment(part, end, &end))
		TLV_TRY(score_segment(ctx, &parts, part, from, end, emit, argument));
	return TLV_OK;
}

/* ---- deconvolution ---- */

/* The filter of least expected error in n frequencies. */
typedef struct wiener
{
	size_t n, reach;  /* length of a piece, what is not believed at either end of it */
	double *spectrum; /* n x k, complex: F_l, then the filter of activation l */
	double *wave;	  /* n, complex */
	double *answer;	  /* n, complex */
} wiener;

static tlv_status
transform_templates(tlv_context *ctx, const tlv_convolution_parts *parts, wiener *w)
{
	for (size_t l = 0; l < parts->k; l++)
	{
		double *f = w->spectrum + 2 * w->n * l;

		memset(f, 0, 2 * w->n * sizeof(double));
		for (size_t t = 0; t < parts->s; t++)
			f[2 * t] = parts->templates[parts->s * l + t];
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_fft(ctx, w->n, f, false));
	}
	return TLV_OK;
}

/* Shares of the variance of all activations, alike where it is not known, and the noise beside it.
 */
static double
relative_variances(const tlv_convolution_parts *parts, double *shares)
{
	double sum = 0;

	for (size_t l = 0; l < parts->k; l++)
		sum += parts->variances[l];
	for (size_t l = 0; l < parts->k; l++)
		shares[l] = sum > 0 ? parts->variances[l] / sum : 1 / (double) parts->k;
	return sum > 0 ? parts->noise / sum : 0;
}

static tlv_status
wiener_begin(tlv_context *ctx, const tlv_convolution_parts *parts, size_t longest, wiener *w)
{
	double *power, *shares, largest = 0, noise;

	w->reach = CONVOLUTION_REACH * parts->s;
	w->n = tlv_power_of_two(
		tlv_least(2 * CONVOLUTION_PIECES, CONVOLUTION_PIECES + longest / w->reach) * w->reach);
	TLV_TRY(tlv_require_memory(ctx, 8.0 * (double) (w->n * (2 * parts->k + 5)), "the filters"));
	TLV_TRY_NEW(ctx, w->spectrum, w->n * (2 * parts->k + 5));
	w->wave = w->spectrum + 2 * w->n * parts->k;
	w->answer = w->wave + 2 * w->n;
	power = w->answer + 2 * w->n;
	TLV_TRY(transform_templates(ctx, parts, w));
	TLV_TRY_NEW(ctx, shares, parts->k);
	noise = relative_variances(parts, shares);
	for (size_t i = 0; i < w->n; i++)
	{
		if (i % 16 == 0)
			TLV_TRY_CONTINUE(ctx);
		power[i] = 0;
		for (size_t l = 0; l < parts->k; l++)
		{
			const double *f = w->spectrum + 2 * (w->n * l + i);

			power[i] += shares[l] * (f[0] * f[0] + f[1] * f[1]);
		}
		largest = fmax(largest, power[i]);
	}
	for (size_t l = 0; l < parts->k; l++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < w->n; i++)
		{
			double *f = w->spectrum + 2 * (w->n * l + i);
			double factor = shares[l] / (power[i] + fmax(noise, LEAST_POWER * largest));

			f[0] *= factor;
			f[1] *= -factor;
		}
	}
	tlv_free(ctx, shares);
	return TLV_OK;
}

/* Activations at steps at .. at + m - 1 of a segment of n numbers, from the piece around them. */
static tlv_status
deconvolve_piece(tlv_context *ctx, const tlv_convolution_parts *parts, const wiener *w, size_t n,
				 const double *x, size_t at, size_t m, double *activations)
{
	size_t before = tlv_least(at, w->reach);

	memset(w->wave, 0, 2 * w->n * sizeof(double));
	for (size_t t = 0; t < w->n - w->reach && at - before + t < n; t++)
		w->wave[2 * t] = x[at - before + t] - parts->mean;
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(tlv_fft(ctx, w->n, w->wave, false));
	for (size_t l = 0; l < parts->k; l++)
	{
		const double *f = w->spectrum + 2 * w->n * l;

		for (size_t i = 0; i < w->n; i++)
		{
			w->answer[2 * i] = f[2 * i] * w->wave[2 * i] - f[2 * i + 1] * w->wave[2 * i + 1];
			w->answer[2 * i + 1] = f[2 * i] * w->wave[2 * i + 1] + f[2 * i + 1] * w->wave[2 * i];
		}
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_fft(ctx, w->n, w->answer, true));
		for (size_t t = 0; t < m; t++)
			activations[(at + t) * parts->k + l] = w->answer[2 * (before + t)];
	}
	return TLV_OK;
}

tlv_status
tlv_convolution_activations(tlv_context *ctx, const tlv_frame *model, const tlv_row *row,
							double *activations)
{
	const tlv_part *part = &row->part[0];
	tlv_convolution_parts parts;
	size_t end, from, step;
	wiener w;

	tlv_convolution_read(model, &parts);
	TLV_TRY(series_require_numbers(ctx, part));
	memset(activations, 0, part->n * parts.k * sizeof(double));
	TLV_TRY(wiener_begin(ctx, &parts, part->n, &w));
	step = w.n - 3 * w.reach;
	for (from = series_segment(part, 0, &end); from < end; from = series_segment(part, end, &end))
		for (size_t at = 0; at < end - from; at += step)
			TLV_TRY(deconvolve_piece(ctx, &parts, &w, end - from, part->float64 + from, at,
									 tlv_least(step, end - from - at),
									 activations + from * parts.k));
	tlv_free(ctx, w.spectrum);
	return TLV_OK;
}

/* ---- likelihood ---- */

/* Longest stretch that is transformed at once. */
#define STRETCH ((size_t) 1 << 16)

/* The spectrum of the series at n frequencies: noise + sum_l v_l |F_l|^2; wave: 2 n numbers. */
static tlv_status
spectrum_of(tlv_context *ctx, const tlv_convolution_parts *parts, size_t n, double *wave,
			double *spectrum)
{
	double largest = 0;

	tlv_assert(n > 0);
	for (size_t i = 0; i < n; i++)
		spectrum[i] = parts->noise;
	for (size_t l = 0; l < parts->k; l++)
	{
		memset(wave, 0, 2 * n * sizeof(double));
		for (size_t t = 0; t < parts->s; t++)
			wave[2 * (t % n)] += parts->templates[parts->s * l + t];
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_fft(ctx, n, wave, false));
		for (size_t i = 0; i < n; i++)
			spectrum[i] += parts->variances[l] *
						   (wave[2 * i] * wave[2 * i] + wave[2 * i + 1] * wave[2 * i + 1]);
	}
	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, spectrum[i]);
	for (size_t i = 0; i < n; i++)
		spectrum[i] = fmax(spectrum[i], fmax(LEAST_POWER * largest, TLV_TINY));
	return TLV_OK;
}

static tlv_status
add_likelihood(tlv_context *ctx, const tlv_convolution_parts *parts, size_t n, const double *x,
			   double *wave, double *value)
{
	double *spectrum = wave + 2 * n;

	TLV_TRY(spectrum_of(ctx, parts, n, wave, spectrum));
	for (size_t t = 0; t < n; t++)
	{
		wave[2 * t] = x[t] - parts->mean;
		wave[2 * t + 1] = 0;
	}
	TLV_TRY(tlv_fft(ctx, n, wave, false));
	for (size_t i = 0; i < n; i++)
		*value -= (log(2 * M_PI * spectrum[i]) +
				   (wave[2 * i] * wave[2 * i] + wave[2 * i + 1] * wave[2 * i + 1]) /
					   ((double) n * spectrum[i])) /
				  2;
	return TLV_OK;
}

tlv_status
convolution_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	const tlv_part *part = &row->part[0];
	tlv_convolution_parts parts;
	size_t end, from;
	double *wave;

	tlv_convolution_read(&model->frame, &parts);
	TLV_TRY(series_require_numbers(ctx, part));
	TLV_TRY_NEW(ctx, wave, 3 * tlv_least(part->n, STRETCH));
	*value = 0;
	for (from = series_segment(part, 0, &end); from < end; from = series_segment(part, end, &end))
		for (size_t at = from; at < end; at += STRETCH)
			TLV_TRY(add_likelihood(ctx, &parts, tlv_least(STRETCH, end - at), part->float64 + at,
								   wave, value));
	tlv_free(ctx, wave);
	return TLV_OK;
}
