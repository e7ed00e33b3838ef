/*
 * third.c - third moments of a series at all lags, and how far they are from those of a Gaussian
 * one (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* Lag h of the covariance, of either sign; 0 beyond what is known. */
static double
convolution_covariance_at(const third_moments *third, int64_t h)
{
	size_t lag = (size_t) (h < 0 ? -h : h);

	return lag < third->s ? third->covariance[lag] : 0;
}

/* sum_h r(h) r(h + a) r(h + b): over r(0)^3 s, how alike the errors of two cells are. */
static double
overlap(const third_moments *third, int64_t a, int64_t b)
{
	int64_t s = (int64_t) third->s;
	double sum = 0;

	for (int64_t h = -s + 1; h < s; h++)
		sum += convolution_covariance_at(third, h) * convolution_covariance_at(third, h + a) *
			   convolution_covariance_at(third, h + b);
	return sum;
}

/*
 * The squares that the grid of a Gaussian series with this covariance would have on average, and
 * how many standard errors those of this one are above it.  A cell has the variance sum_h r(h)^3 /
 * values, those of two equal lags twice that; cells whose lags differ by little have like errors.
 */
static tlv_status
weigh_chance(tlv_context *ctx, third_moments *third, double squares)
{
	/* Of the variance cubed: what overlaps count at least, where a series swings so much that they
	 * cancel. */
	const double least_overlap = 0.05;
	int64_t s = (int64_t) third->s;
	double cells = 3.0 * (double) (s * s) + 3.0 * (double) s, own = overlap(third, 0, 0), like = 0;
	double variance = third->covariance[0];

	own = fmax(own, least_overlap * variance * variance * variance);
	for (int64_t a = -s + 1; a < s; a++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (int64_t b = -s + 1; b < s; b++)
		{
			double ratio = overlap(third, a, b) / own;

			like += ratio * ratio;
		}
	}
	third->chance = cells * own / third->values / squares;
	third->z = (1 / third->chance - 1) / sqrt(12 * fmax(like, 1) / cells);
	return TLV_OK;
}

/* Means over the pairs of every lag, about the mean of all numbers. */
static tlv_status
take_means(tlv_context *ctx, series_sums *sums, third_moments *third)
{
	size_t s = third->s;

	for (size_t b = 0; b < s; b++)
		if (!(sums->pairs[b] > 0))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "no segment of the series is longer than %zu %s", b,
					 tlv_plural((double) b, "step", "steps"));
			if (b < TLV_SERIES_LEAST_LAGS)
				return tlv_fail_hint(ctx, "Give series of at least %d steps without a gap.",
									 TLV_SERIES_LEAST_LAGS);
			return tlv_fail_hint(ctx, "Templates of at most %zu %s can be sought in them.", b,
								 tlv_plural((double) b, "step", "steps"));
		}
	series_move(sums, sums->single[0] / sums->pairs[0]);
	third->values = sums->values;
	third->mean = sums->shift;
	third->segments = sums->segments;
	/* A segment of more than b steps has one more pair that is b apart than pairs b + 1 apart. */
	third->short_segments =
		sums->windows != 0 ? 0 : sums->segments - (sums->pairs[s - 2] - sums->pairs[s - 1]);
	for (size_t b = 0; b < s; b++)
	{
		third->covariance[b] = sums->front[tlv_packed2_index(b, b)] / sums->pairs[b];
		for (size_t a = 0; a <= b; a++)
			third->c[tlv_packed2_index(b, a)] =
				sums->third[tlv_packed2_index(b, a)] / sums->pairs[b];
	}
	return TLV_OK;
}

static double
squares_of(const third_moments *third)
{
	double squares = 0;

	for (size_t b = 0; b < third->s; b++)
		for (size_t a = 0; a <= b; a++)
		{
			double c = third->c[tlv_packed2_index(b, a)];

			squares += third_times(a, b) * c * c;
		}
	return squares;
}

tlv_status
third_read(tlv_context *ctx, const tlv_frame *moments, size_t s, third_moments *third)
{
	double squares;
	series_sums sums;

	TLV_TRY(series_read(ctx, moments, &sums));
	third->s = s;
	TLV_TRY_NEW(ctx, third->covariance, s + tlv_packed2_size(s));
	third->c = third->covariance + s;
	TLV_TRY(take_means(ctx, &sums, third));
	tlv_free(ctx, sums.third);
	squares = squares_of(third);
	if (!(third->covariance[0] > 1e-20 * third->mean * third->mean))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the series is constant");
		return tlv_fail_hint(ctx,
							 "Templates are found in what varies; leave out series that do not.");
	}
	if (!(squares > 0) || !isfinite(squares) || !isfinite(third->covariance[0]))
		return tlv_fail(ctx, TLV_BAD_DATA, "the third moments of the series are %s",
						squares == 0 ? "0" : "no numbers");
	TLV_TRY(weigh_chance(ctx, third, squares));
	third->scale = sqrt(squares);
	for (size_t i = 0; i < tlv_packed2_size(s); i++)
		third->c[i] /= third->scale;
	return TLV_OK;
}

void
third_grid(const third_moments *third, double *grid)
{
	int64_t s = (int64_t) third->s, n = 2 * s;

	memset(grid, 0, (size_t) (2 * n * n) * sizeof(double));
	for (int64_t i = -s; i < s; i++)
		for (int64_t j = -s; j < s; j++)
		{
			int64_t low = i < j ? i : j, high = i < j ? j : i;
			int64_t least = low < 0 ? low : 0, most = high > 0 ? high : 0;
			int64_t b = most - least, a = low + high - least - most - least;

			/* The three lags 0, i, j, sorted and from the least: 0, a, b. */
			if (b < s)
				grid[2 * ((i + n) % n * n + (j + n) % n)] =
					third->c[tlv_packed2_index((size_t) b, (size_t) a)];
		}
}
