/*
 * rows.c - rows of categorical variables in memory, and numbers beside them (internal.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/sort.h"

/* Groups of a number's values, of about as many each. */
#define MEMBERSHIP_GROUPS 6

static tlv_status
find_states(tlv_context *ctx, const double *values, const int64_t *states, membership_rows *rows)
{
	TLV_TRY_NEW0(ctx, rows->states, rows->p);
	TLV_TRY_NEW0(ctx, rows->offset, rows->p + 1);
	for (size_t j = 0; j < rows->p - rows->scalars; j++)
		rows->states[j] = states != NULL && states[j] > 1 ? states[j] : 1;
	for (size_t j = rows->p - rows->scalars; j < rows->p; j++)
		rows->states[j] = MEMBERSHIP_GROUPS;
	for (size_t i = 0; i < rows->n * rows->slots; i++)
	{
		size_t j = i % rows->slots / rows->copies;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (j >= rows->p - rows->scalars)
			continue;
		if (values[i] == TLV_MEMBERSHIP_MISSING)
			continue;
		if (!(values[i] >= -1 && values[i] < TLV_MEMBERSHIP_MOST_STATES))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "%g in a row is not the number of a category", values[i]);
			return tlv_fail_hint(ctx, "Categories are numbered from 0 to %d.",
								 TLV_MEMBERSHIP_MOST_STATES - 1);
		}
		if (values[i] >= (double) rows->states[j])
			rows->states[j] = (int64_t) values[i] + 1;
	}
	for (size_t j = 0; j < rows->p; j++)
		rows->offset[j + 1] = rows->offset[j] + (size_t) rows->states[j];
	rows->categories = rows->offset[rows->p];
	if (rows->categories > TLV_MEMBERSHIP_MOST_TABLE)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu categories of all variables are more than %d",
				 rows->categories, TLV_MEMBERSHIP_MOST_TABLE);
		return tlv_fail_hint(ctx, "Join rare categories, or use fewer variables.");
	}
	return TLV_OK;
}

void
membership_find_marginal(membership_rows *rows)
{
	memset(rows->marginal, 0, rows->categories * sizeof(double));
	for (size_t i = 0; i < rows->n; i++)
	{
		size_t n = membership_row_items(rows, rows->codes, i, rows->items);

		for (size_t t = 0; t < n; t++)
			rows->marginal[rows->items[t]]++;
	}
	for (size_t j = 0; j < rows->p; j++)
	{
		double sum = 0, states = (double) rows->states[j];

		for (size_t c = rows->offset[j]; c < rows->offset[j + 1]; c++)
			sum += rows->marginal[c];
		for (size_t c = rows->offset[j]; c < rows->offset[j + 1]; c++)
			rows->marginal[c] = sum > 0 ? rows->marginal[c] / sum : 1 / states;
	}
}

#define SIGN ((uint64_t) 1 << 63)

/* The values of number s that are there, in order; work has room for as many. */
static tlv_status
order_number(tlv_context *ctx, const membership_rows *rows, size_t s, uint64_t *work,
			 double *sorted, size_t *n)
{
	static const tlv_sort_form form = {sizeof(uint64_t), sizeof(uint64_t), 0, 64};
	uint64_t *keys = work + rows->n;
	void *ordered;

	*n = 0;
	for (size_t i = 0; i < rows->n; i++)
	{
		double x = rows->numbers[i * rows->scalars + s];
		uint64_t key;

		if (isnan(x))
			continue;
		memcpy(&key, &x, sizeof(key));
		keys[(*n)++] = (key & SIGN) != 0 ? ~key : key | SIGN;
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, *n, keys, work, &ordered));
	for (size_t i = 0; i < *n; i++)
	{
		uint64_t key = ((const uint64_t *) ordered)[i];

		key = (key & SIGN) != 0 ? key & ~SIGN : ~key;
		memcpy(&sorted[i], &key, sizeof(key));
	}
	return TLV_OK;
}

/* The group of a value: how many bounds are not above it. */
static size_t
group_of(const double *bound, double x)
{
	size_t g = 0;

	while (g + 1 < MEMBERSHIP_GROUPS && x >= bound[g])
		g++;
	return g;
}

/* Of the logarithms of a number whose values, in order, begin with the least; none of numbers so
 * close to each other that their logarithms are as good as they are. */
static void
describe_logarithms(size_t n, const double *sorted, number_scale *scale)
{
	const double close = 1e-3;
	double mean = 0, square = 0;

	if (n == 0 || !(sorted[0] > DBL_MIN) || scale->deviation < close * scale->centre)
		return;
	for (size_t i = 0; i < n; i++)
		mean += log(sorted[i]) / (double) n;
	for (size_t i = 0; i < n; i++)
	{
		double beyond = log(sorted[i]) - mean;

		square += beyond * beyond / (double) n;
	}
	scale->log_centre = mean;
	scale->log_deviation = sqrt(square);
}

/* Mean and deviation, groups and what they hold, of number s. */
static void
describe_number(membership_rows *rows, size_t s, size_t n, const double *sorted)
{
	size_t j = rows->p - rows->scalars + s, q = rows->scalars;
	double bound[MEMBERSHIP_GROUPS], count[MEMBERSHIP_GROUPS] = {0}, mean = 0, square = 0;
	double *group = rows->group + 2 * rows->offset[j];

	rows->whole[s] = n > 0;
	for (size_t i = 0; i < n; i++)
	{
		mean += sorted[i] / (double) n;
		rows->whole[s] = rows->whole[s] && sorted[i] >= 0 && sorted[i] == floor(sorted[i]);
	}
	for (size_t i = 0; i < n; i++)
		square += (sorted[i] - mean) * (sorted[i] - mean) / (double) n;
	rows->scale[s] = (number_scale){.centre = mean, .deviation = sqrt(square)};
	if (square > 1e-24 * mean * mean)
		describe_logarithms(n, sorted, &rows->scale[s]);
	else
		rows->scale[s].deviation = 1;
	for (size_t g = 0; g < MEMBERSHIP_GROUPS; g++)
		bound[g] = n > 0 ? sorted[(g + 1) * (n - 1) / MEMBERSHIP_GROUPS] : 0;
	for (size_t i = 0; i < rows->n; i++)
	{
		double x = rows->numbers[i * q + s], before;
		size_t g;

		if (isnan(x))
			continue;
		g = group_of(bound, x);
		rows->codes[i * rows->slots + j] = (uint16_t) (1 + g);
		before = x - group[2 * g];
		group[2 * g] += before / ++count[g];
		group[2 * g + 1] += before * (x - group[2 * g]);
	}
	for (size_t g = 0; g < MEMBERSHIP_GROUPS; g++)
		group[2 * g + 1] /= fmax(count[g], 1);
}

/* Numbers of the rows, as values and by their groups. */
static tlv_status
take_numbers(tlv_context *ctx, const double *values, membership_rows *rows)
{
	size_t q = rows->scalars, first = rows->slots - q, n;
	double *sorted;
	uint64_t *work;

	TLV_TRY_NEW_ROWS(ctx, rows->numbers, rows->n, q);
	TLV_TRY_NEW(ctx, rows->scale, q);
	TLV_TRY_NEW(ctx, rows->whole, q);
	TLV_TRY_NEW0_ROWS(ctx, rows->group, rows->categories, 2);
	TLV_TRY_NEW(ctx, sorted, rows->n);
	TLV_TRY_NEW_ROWS(ctx, work, rows->n, 2);
	for (size_t i = 0; i < rows->n; i++)
		for (size_t s = 0; s < q; s++)
		{
			double x = values[i * rows->slots + first + s];

			if (!tlv_membership_is_missing(x) && !(fabs(x) <= TLV_MEMBERSHIP_LARGEST))
				return tlv_refuse_number(ctx, first + s, x, TLV_MEMBERSHIP_LARGEST);
			rows->numbers[i * q + s] = tlv_membership_is_missing(x) ? NAN : x;
			rows->codes[i * rows->slots + first + s] = 0;
		}
	for (size_t s = 0; s < q; s++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(order_number(ctx, rows, s, work, sorted, &n));
		describe_number(rows, s, n, sorted);
	}
	tlv_free(ctx, work);
	tlv_free(ctx, sorted);
	return TLV_OK;
}

tlv_status
membership_rows_create(tlv_context *ctx, size_t n, size_t slots, size_t copies, size_t scalars,
					   const double *values, const int64_t *states, membership_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	rows->n = n;
	rows->slots = slots;
	rows->copies = copies;
	rows->scalars = scalars;
	rows->p = slots / copies;
	TLV_TRY(find_states(ctx, values, states, rows));
	TLV_TRY_NEW_ROWS(ctx, rows->codes, n, slots);
	TLV_TRY_NEW(ctx, rows->items, slots);
	TLV_TRY_NEW(ctx, rows->marginal, rows->categories);
	for (size_t i = 0; i < n * slots; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (i % slots < slots - scalars)
			rows->codes[i] =
				values[i] == TLV_MEMBERSHIP_MISSING ? 0 : (uint16_t) ((int) values[i] + 1);
	}
	if (scalars > 0)
		TLV_TRY(take_numbers(ctx, values, rows));
	membership_find_marginal(rows);
	return TLV_OK;
}

tlv_status
membership_hold_out(tlv_context *ctx, uint64_t seed, membership_rows *rows)
{
	TLV_TRY_NEW0_ROWS(ctx, rows->held, rows->n, rows->slots);
	for (size_t i = 0; i < rows->n * rows->slots; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (tlv_mix64(seed ^ tlv_mix64(i)) % HELD_SHARE == 0)
		{
			rows->held[i] = rows->codes[i];
			rows->codes[i] = 0;
		}
	}
	membership_find_marginal(rows);
	return TLV_OK;
}

void
membership_take_back(tlv_context *ctx, membership_rows *rows)
{
	for (size_t i = 0; i < rows->n * rows->slots; i++)
		if (rows->held[i] != 0)
			rows->codes[i] = rows->held[i];
	tlv_free(ctx, rows->held);
	rows->held = NULL;
	membership_find_marginal(rows);
}

size_t
membership_row_items(const membership_rows *rows, const uint16_t *codes, size_t i, int32_t *items)
{
	const uint16_t *row = codes + i * rows->slots;
	size_t n = 0;

	for (size_t s = 0; s < rows->slots; s++)
		if (row[s] != 0)
			items[n++] = (int32_t) (rows->offset[s / rows->copies] + row[s] - 1);
	return n;
}
