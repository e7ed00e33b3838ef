/*
 * numbers.c - whether the symbols of sequences are numbers rather (learn.h).
 */
#include <math.h>

#include "learn.h"
#include "tensorlv/num/special.h"

/* How often each of m symbols, ascending, occurs, and how many steps have one. */
static tlv_status
count_integers(tlv_context *ctx, const tlv_hmm_data *data, size_t m, const int64_t *items,
			   double *counts, double *steps)
{
	size_t looked = 0;

	*steps = 0;
	for (size_t i = 0; i < data->n; i++)
		for (size_t t = 0; t < data->rows[i].part[0].n; t++)
		{
			int64_t symbol = data->rows[i].part[0].ids[t];
			size_t at = 0, end = m;

			TLV_TRY_CONTINUE_AT(ctx, looked++);
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
			(*steps)++;
		}
	return TLV_OK;
}

tlv_status
tlv_hmm_number_gain(tlv_context *ctx, const tlv_hmm_data *data, size_t m, const int64_t *items,
					double *gain)
{
	const double exact = 0.5; /* units are whole */
	double *counts, steps, mean = 0, variance = 0, unit = 0, range, equal, symbols, numbers;

	*gain = -HUGE_VAL;
	if (m <= TLV_MOST_INTEGER_CATEGORIES)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, counts, m);
	TLV_TRY(count_integers(ctx, data, m, items, counts, &steps));
	equal = steps * log((double) m);
	symbols = tlv_log_choose(steps + (double) m - 1, (double) m - 1);
	for (size_t i = 0; i < m; i++)
	{
		mean += counts[i] * (double) items[i] / steps;
		symbols -= counts[i] > 0 ? counts[i] * log(counts[i] / steps) : 0;
		if (i > 0)
			unit = tlv_common_divisor((double) items[i] - (double) items[0], unit, exact);
	}
	/* Either costs to say which m integers of their range it is that occur. */
	symbols = fmin(symbols, equal);
	range = ((double) items[m - 1] - (double) items[0]) / unit + 1;
	for (size_t i = 0; i < m; i++)
	{
		double from_mean = (double) items[i] - mean;

		variance += counts[i] * from_mean * from_mean / steps;
		symbols += log((range - (double) i) / (double) (i + 1));
	}
	tlv_free(ctx, counts);
	numbers = steps / 2 * (log(2 * M_PI * variance) + 1) - steps * log(unit) + log(steps);
	*gain = symbols - numbers;
	return TLV_OK;
}
