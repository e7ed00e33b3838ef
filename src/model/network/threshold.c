/*
 * threshold.c - from how many rows on three items belong together (internal.h).
 *
 * The threshold lies in the uppermost valley of the distribution of what pairs do not explain
 * (excess.c), in logarithms; where there is none it is five standard deviations of the count that
 * the three most frequent items would have if they were independent.  Of the sets that are found
 * follows a better one: units that overlap fill valleys.
 */
#include <math.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/triple_table.h"

/* Bins of the distribution of counts, in a factor of 2 and in all. */
#define BINS_PER_OCTAVE 4
#define BINS			256

/* The excess that chance gives at most: five standard deviations of the count of the three items
 * that are on most often, and two rows. */
static double
chance(size_t n, const int64_t *cells, const double *counts, double rows)
{
	double most[3] = {0, 0, 0}, expected;

	for (size_t i = 0; i < n; i++)
	{
		double count = counts[i];

		if (tlv_triple_part(cells[i], 0) != tlv_triple_part(cells[i], 2))
			continue;
		for (int t = 0; t < 3; t++)
			if (count > most[t])
			{
				double less = most[t];

				most[t] = count;
				count = less;
			}
	}
	expected = most[0] * (most[1] / rows) * (most[2] / rows);
	return 5 * sqrt(expected) + 2;
}

/*
 * The uppermost valley between two peaks of some height, since units share units above them, whose
 * items are on together, too, but less often; where there is none, the deepest between any two.
 * Returns its bin, or -1.
 */
static int
find_valley(const double *bins)
{
	double left[BINS] = {0}, right = 0, deepest = LEAST_DEPTH, upper = 0;
	int at = -1, best = -1;

	for (int b = 0; b < BINS; b++)
		left[b] = fmax(b > 0 ? left[b - 1] : 0, bins[b]);
	for (int b = BINS - 1; b > 0; b--)
	{
		double peaks = fmin(left[b], right), depth = peaks / fmax(bins[b], 0.5);

		if (best >= 0 && bins[b] > upper * LEAST_DEPTH)
			return best; /* the next peak has begun */
		if (peaks >= HIGH_PEAK && depth > LEAST_DEPTH && (best < 0 || bins[b] < upper))
		{
			best = b;
			upper = fmax(bins[b], 0.5);
		}
		if (peaks >= LEAST_PEAK && depth > deepest)
		{
			deepest = depth;
			at = b;
		}
		right = fmax(right, bins[b]);
	}
	return best >= 0 ? best : at;
}

/* The middle of the empty stretch, if any, about a valley. */
static double
valley_middle(const double *bins, int at, double least)
{
	int first = at, last = at;

	while (first > 0 && bins[first - 1] <= bins[at])
		first--;
	while (last < BINS - 1 && bins[last + 1] <= bins[at])
		last++;
	return least * pow(2, (first + last + 1) / 2.0 / BINS_PER_OCTAVE);
}

tlv_status
tlv_network_choose_threshold(tlv_context *ctx, const tlv_network_threes *threes,
							 tlv_network_sets *sets)
{
	size_t n = threes->n;
	const int64_t *cells = threes->cells;
	const double *counts = threes->counts;
	double bins[BINS] = {0}, smooth[BINS];
	int valley;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (tlv_is_three(cells[i]) && counts[i] >= LEAST_COUNT)
			bins[(int) fmin(BINS - 1, BINS_PER_OCTAVE * log2(counts[i] / LEAST_COUNT))]++;
	}
	for (int b = 0; b < BINS; b++)
		smooth[b] = (bins[b > 0 ? b - 1 : 0] + 2 * bins[b] + bins[b < BINS - 1 ? b + 1 : b]) / 4;
	valley = find_valley(smooth);
	sets->gap = valley >= 0;
	sets->threshold = valley >= 0
						  ? valley_middle(smooth, valley, LEAST_COUNT)
						  : chance(n, cells, counts, tlv_frame_scalar(threes->frame, "rows", 1));
	return TLV_OK;
}
