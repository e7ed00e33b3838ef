/*
 * length.c - how long templates are, by the lags at which a series is correlated (convolution.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/convolution.h"

/* The least that is worth a look, for every template. */
#define CONVOLUTION_LEAST 8

/* The last lag of a clear correlation, by Bartlett's standard errors (1946), but for those after as
 * many unclear ones as lead up to it and CONVOLUTION_LEAST more; 0: there is none. */
static size_t
last_correlation(const series_sums *sums, size_t lags)
{
	double variance = sums->front[0] / sums->pairs[0], before = 1;
	size_t last = 0;

	for (size_t lag = 1; lag < lags && lag <= 2 * last + CONVOLUTION_LEAST; lag++)
	{
		double n = sums->pairs[lag];
		double r = sums->front[tlv_packed2_index(lag, lag)] / n / variance;

		if (r * r * n > TLV_CONVOLUTION_SIGNIFICANT * TLV_CONVOLUTION_SIGNIFICANT * before)
			last = lag;
		before += 2 * r * r;
	}
	return last;
}

/* The longest of k templates that are fitted; too many are refused by what they need (fit.c). */
static size_t
longest(size_t k, size_t lags)
{
	size_t least = k * TLV_CONVOLUTION_STEPS_EACH;

	if (k == 0 || k * lags <= TLV_CONVOLUTION_MOST_NUMBERS)
		return lags;
	return tlv_least(
		lags, TLV_CONVOLUTION_MOST_NUMBERS / k > least ? TLV_CONVOLUTION_MOST_NUMBERS / k : least);
}

tlv_status
tlv_convolution_choose_length(tlv_context *ctx, const tlv_frame *moments, size_t k, size_t *length)
{
	/* Steps of a template in those of the last correlation, which its faint ends do not reach. */
	const double room = 1.5;
	series_sums sums;
	size_t lags = 1, last, wanted;

	TLV_TRY(series_read(ctx, moments, &sums));
	*length = k * TLV_CONVOLUTION_STEPS_EACH > CONVOLUTION_LEAST ? k * TLV_CONVOLUTION_STEPS_EACH
																 : CONVOLUTION_LEAST;
	if (sums.pairs[0] > 0)
	{
		series_move(&sums, sums.single[0] / sums.pairs[0]);
		while (lags < sums.s && sums.pairs[lags] > 0)
			lags++;
		last = last_correlation(&sums, lags);
		wanted = last > 0 ? (size_t) ceil(room * (double) (last + 1)) : 0;
		if (*length < wanted)
			*length = wanted;
		*length = tlv_least(*length, longest(k, lags));
		if (*length < TLV_SERIES_LEAST_LAGS)
			*length = TLV_SERIES_LEAST_LAGS;
	}
	tlv_free(ctx, sums.third);
	return TLV_OK;
}
