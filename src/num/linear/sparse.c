/*
 * sparse.c - making, transposing and summing compressed sparse rows (sparse.h).
 */
#include "tensorlv/num/sparse.h"

#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/lanes.h"

/* Entries handled between two looks at the interrupt: about 10 ms when every one misses the caches.
 */
#define ENTRIES_PER_BLOCK 100000

tlv_status
tlv_csr_create(tlv_context *ctx, size_t rows, size_t columns, size_t entries, bool weighted,
			   tlv_csr *a)
{
	tlv_status status;

	memset(a, 0, sizeof(*a));
	if (rows > INT32_MAX || columns > INT32_MAX)
		return tlv_fail(ctx, TLV_LIMIT, "a sparse matrix of %zu x %zu exceeds %d rows or columns",
						rows, columns, INT32_MAX);
	a->rows = rows;
	a->columns = columns;
	a->entries = entries;
	a->start = tlv_alloc0(ctx, rows + 1, sizeof(size_t));
	if (a->start != NULL)
		a->index = tlv_alloc(ctx, entries, sizeof(int32_t));
	if (a->index != NULL && weighted)
		a->value = tlv_alloc(ctx, entries, sizeof(float));
	if (a->index == NULL || (weighted && a->value == NULL))
	{
		tlv_csr_free(ctx, a);
		return ctx->error.code;
	}
	status = tlv_lanes_touch(ctx, a->index, entries * sizeof(int32_t));
	if (status == TLV_OK && weighted)
		status = tlv_lanes_touch(ctx, a->value, entries * sizeof(float));
	if (status != TLV_OK)
		tlv_csr_free(ctx, a);
	return status;
}

void
tlv_csr_free(tlv_context *ctx, tlv_csr *a)
{
	tlv_free(ctx, a->value);
	tlv_free(ctx, a->index);
	tlv_free(ctx, a->start);
	memset(a, 0, sizeof(*a));
}

/* start[j + 1] = number of entries in column j, then summed up. */
static tlv_status
count_columns(tlv_context *ctx, const tlv_csr *a, size_t *start)
{
	for (size_t p = 0; p < a->entries; p += ENTRIES_PER_BLOCK)
	{
		size_t end = a->entries - p > ENTRIES_PER_BLOCK ? p + ENTRIES_PER_BLOCK : a->entries;

		TLV_TRY_CONTINUE(ctx);
		for (size_t q = p; q < end; q++)
			start[a->index[q] + 1]++;
	}
	for (size_t j = 0; j < a->columns; j++)
		start[j + 1] += start[j];
	tlv_assert(start[a->columns] == a->entries);
	return TLV_OK;
}

/* Entries to where next[column] says, row by row, so that rows ascend in every column. */
static tlv_status
scatter(tlv_context *ctx, const tlv_csr *a, size_t *next, tlv_csr *t)
{
	for (size_t i = 0, row_end = 0, p = 0; i < a->rows; i++)
		for (row_end = a->start[i + 1]; p < row_end; p++)
		{
			size_t to = next[a->index[p]]++;

			TLV_TRY_CONTINUE_AT(ctx, p);
			t->index[to] = (int32_t) i;
			if (a->value != NULL)
				t->value[to] = a->value[p];
		}
	return TLV_OK;
}

tlv_status
tlv_csr_transpose(tlv_context *ctx, const tlv_csr *a, tlv_csr *transposed)
{
	tlv_status status =
		tlv_csr_create(ctx, a->columns, a->rows, a->entries, a->value != NULL, transposed);
	size_t *next = NULL;

	if (status == TLV_OK)
		status = count_columns(ctx, a, transposed->start);
	if (status == TLV_OK)
	{
		next = tlv_alloc(ctx, a->columns, sizeof(size_t));
		status = next == NULL ? ctx->error.code : TLV_OK;
	}
	if (status == TLV_OK && next != NULL)
	{
		memcpy(next, transposed->start, a->columns * sizeof(size_t));
		status = scatter(ctx, a, next, transposed);
	}
	tlv_free(ctx, next);
	if (status != TLV_OK)
		tlv_csr_free(ctx, transposed);
	return status;
}

void
tlv_csr_row_sums(const tlv_csr *a, double *sums)
{
	for (size_t i = 0; i < a->rows; i++)
	{
		double sum = a->value == NULL ? (double) (a->start[i + 1] - a->start[i]) : 0;

		for (size_t p = a->start[i]; a->value != NULL && p < a->start[i + 1]; p++)
			sum += (double) a->value[p];
		sums[i] = sum;
	}
}
