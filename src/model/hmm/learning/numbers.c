/*
 * numbers.c - whether the symbols of sequences are numbers rather (learn.h).
 */
#include <math.h>

#include "learn.h"
#include "tensorlv/num/special.h"

/* How often each of m symbols, ascending, occurs; returns how many steps have one. */
static double
count_integers(const tlv_hmm_data *data, size_t m, const int64_t *items, double *counts)
{
	double steps = 0;

	for (size_t i = 0; i < data->n; i++)
		for (size_t t = 0; t < data->rows[i].part[0].n; t++)
		{
			int64_t symbol = data->rows[i].part[0].ids[t];
			size_t at = 0, end = m;

			while (at < end)
			{
				size_t middle = (at + end) / 2;

				if (items[middle] < symbol)
					at = middle + 1;
				else
					end = middle;
			}
			if (symbol == TLV_SYMBOL_MISSING || at == m)
				continue;
			counts[at]++;
			steps++;
		}
	return steps;
}

tlv_status
tlv_hmm_number_gain(tlv_context *ctx, const tlv_hmm_data *data, size_t m, const int64_t *items,
					double *gain)
{
	const double exact = 0.5; /* units are whole */
	double *counts, steps, mean = 0, variance = 0, frequencies = 0, unit = 0, range;

	*gain = -HUGE_VAL;
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY_NEW0(ctx, counts, m);
	steps = count_integers(data, m, items, counts);
	for (size_t i = 0; i < m; i++)
		mean += counts[i] * (double) items[i] / steps;
	for (size_t i = 0; i < m; i++)
	{
		double from_mean = (double) items[i] - mean;

		variance += counts[i] * from_mean * from_mean / steps;
		frequencies += counts[i] > 0 ? counts[i] * log(counts[i] / steps) : 0;
		if (i > 0)
			unit = tlv_common_divisor((double) items[i] - (double) items[0], unit, exact);
	}
	tlv_free(ctx, counts);
	if (m <= TLV_MOST_INTEGER_CATEGORIES)
		return TLV_OK;
	/* Which m integers of their range it is that occur, and how often. */
	range = ((double) items[m - 1] - (double) items[0]) / unit + 1;
	for (size_t i = 0; i < m; i++)
		frequencies -= log((range - (double) i) / (double) (i + 1));
	frequencies -= (double) (m - 1) / 2 * log(steps);
	*gain =
		steps * log(unit) - steps / 2 * (log(2 * M_PI * variance) + 1) - log(steps) - frequencies;
	return TLV_OK;
}
