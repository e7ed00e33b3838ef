/*
 * rows.c - rows of categorical variables in memory (internal.h).
 */
#include <string.h>

#include "internal.h"

/* Of so many cells one is held out. */
#define HELD_SHARE 10

static tlv_status
find_states(tlv_context *ctx, const double *values, const int64_t *states, membership_rows *rows)
{
	TLV_TRY_NEW0(ctx, rows->states, rows->p);
	TLV_TRY_NEW0(ctx, rows->offset, rows->p + 1);
	for (size_t j = 0; j < rows->p; j++)
		rows->states[j] = states != NULL && states[j] > 1 ? states[j] : 1;
	for (size_t i = 0; i < rows->n * rows->slots; i++)
	{
		size_t j = i % rows->slots / rows->copies;

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(values[i] >= -1 && values[i] < TLV_CATEGORY_MOST_STATES))
			return tlv_fail(ctx, TLV_BAD_DATA, "a sample has a category %g", values[i]);
		if (values[i] >= (double) rows->states[j])
			rows->states[j] = (int64_t) values[i] + 1;
	}
	for (size_t j = 0; j < rows->p; j++)
		rows->offset[j + 1] = rows->offset[j] + (size_t) rows->states[j];
	rows->categories = rows->offset[rows->p];
	return TLV_OK;
}

/* Shares of the categories of every variable in the rows; of one that is never there all alike. */
static void
find_marginal(membership_rows *rows)
{
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

tlv_status
membership_rows_create(tlv_context *ctx, size_t n, size_t slots, size_t copies,
					   const double *values, const int64_t *states, membership_rows *rows)
{
	memset(rows, 0, sizeof(*rows));
	rows->n = n;
	rows->slots = slots;
	rows->copies = copies;
	rows->p = slots / copies;
	TLV_TRY(find_states(ctx, values, states, rows));
	TLV_TRY_NEW_ROWS(ctx, rows->codes, n, slots);
	TLV_TRY_NEW(ctx, rows->items, slots);
	TLV_TRY_NEW0(ctx, rows->marginal, rows->categories);
	for (size_t i = 0; i < n * slots; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		rows->codes[i] = (uint8_t) ((int) values[i] + 1);
	}
	find_marginal(rows);
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
	memset(rows->marginal, 0, rows->categories * sizeof(double));
	find_marginal(rows);
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
	memset(rows->marginal, 0, rows->categories * sizeof(double));
	find_marginal(rows);
}

size_t
membership_row_items(const membership_rows *rows, const uint8_t *codes, size_t i, int32_t *items)
{
	const uint8_t *row = codes + i * rows->slots;
	size_t n = 0;

	for (size_t s = 0; s < rows->slots; s++)
		if (row[s] != 0)
			items[n++] = (int32_t) (rows->offset[s / rows->copies] + row[s] - 1);
	return n;
}
