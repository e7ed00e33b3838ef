/*
 * ids.c - the items of a tensor's modes, and tensors from stored entries and from arrays
 * (tensors.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/num/sort.h"

static const char *const item_sections[TLV_MODES] = {"items_1", "items_2", "items_3"};

/* ---- names ---- */

ptrdiff_t
tlv_tensor_place(const tlv_tensor_ids *ids, int mode, int64_t id)
{
	size_t at = tlv_find_id(ids->items[mode], ids->d[mode], id);

	return at < ids->d[mode] ? (ptrdiff_t) at : -1;
}

tlv_text
tlv_tensor_name(const tlv_tensor_ids *ids, int mode, int64_t id)
{
	const tlv_name_list list = {ids->name_offsets, ids->names};
	size_t at;

	if (ids->told[mode] != 2)
		return (tlv_text){NULL, 0};
	at = tlv_find_id(ids->name_ids, ids->names_n, id);
	return at == ids->names_n ? (tlv_text){"", 0} : tlv_name_at(&list, at);
}

/* ---- stored ---- */

tlv_status
tlv_tensor_check_ids(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const size_t d[TLV_MODES] = {sizes[SIZE_I], sizes[SIZE_J], sizes[SIZE_L]};
	const double *told = tlv_frame_float64(frame, "told");

	for (int m = 0; m < TLV_MODES; m++)
		if (!(told[m] == (d[m] == 0 ? 0 : 1) || (d[m] > 0 && told[m] == 2)))
			return tlv_fail(ctx, TLV_CORRUPT, "ids of mode %d have the unknown form %g", m + 1,
							told[m]);
	return tlv_id_names_check(ctx, frame, sizes[SIZE_NAMES]);
}

void
tlv_tensor_read_ids(const tlv_frame *frame, tlv_tensor_ids *ids)
{
	for (int m = 0; m < TLV_MODES; m++)
	{
		ids->d[m] = tlv_frame_find(frame, item_sections[m])->rows;
		ids->items[m] = (int64_t *) tlv_frame_int64(frame, item_sections[m]);
	}
	memcpy(ids->told, tlv_frame_float64(frame, "told"), sizeof(ids->told));
	ids->names_n = tlv_frame_find(frame, "name_ids")->rows;
	ids->bytes_n = tlv_frame_find(frame, "names")->rows;
	ids->name_ids = (int64_t *) tlv_frame_int64(frame, "name_ids");
	ids->name_offsets = (int64_t *) tlv_frame_int64(frame, "name_offsets");
	ids->names = (char *) tlv_section_data(frame, tlv_frame_find(frame, "names"));
}

/* ---- tensors ---- */

/* The places of n cells, mode by mode, in the places of the items that are left: place[m][p], NULL:
 * all are. */
static tlv_status
list_places(tlv_context *ctx, size_t n, const int64_t *cells, int32_t *const place[TLV_MODES],
			const int32_t *at[TLV_MODES])
{
	int32_t *to;

	TLV_TRY_NEW_ROWS(ctx, to, n + (n == 0), TLV_MODES);
	for (int m = 0; m < TLV_MODES; m++)
	{
		for (size_t i = 0; i < n; i++)
		{
			size_t own = tlv_triple_part(cells[i], m);

			TLV_TRY_CONTINUE_AT(ctx, i);
			to[i] = place != NULL ? place[m][own] : (int32_t) own;
		}
		at[m] = to;
		to += n;
	}
	return TLV_OK;
}

tlv_status
tlv_tensor_make_dense(tlv_context *ctx, tlv_tensor *t)
{
	double *dense;

	if (t->dense != NULL)
		return TLV_OK;
	TLV_TRY(tlv_require_memory(ctx, 8 * (double) t->d[0] * (double) t->d[1] * (double) t->d[2],
							   "the tensor as an array"));
	TLV_TRY_NEW0(ctx, dense, t->d[0] * t->d[1] * t->d[2]);
	for (size_t i = 0; i < t->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		dense[((size_t) t->at[0][i] * t->d[1] + (size_t) t->at[1][i]) * t->d[2] +
			  (size_t) t->at[2][i]] = t->entries[i];
	}
	t->dense = dense;
	return TLV_OK;
}

/* The cells of two ascending lists without a common one, ascending. */
static tlv_status
join_cells(tlv_context *ctx, size_t n, const int64_t *a, size_t m, const int64_t *b,
		   int64_t **joined)
{
	TLV_TRY_NEW(ctx, *joined, n + m + 1);
	for (size_t i = 0, j = 0; i < n || j < m;)
	{
		TLV_TRY_CONTINUE_AT(ctx, i + j);
		if (j == m || (i < n && a[i] < b[j]))
			(*joined)[i + j] = a[i], i++;
		else
			(*joined)[i + j] = b[j], j++;
	}
	return TLV_OK;
}

/* The cells of an ascending list that are not in another one, in the place of the list. */
static tlv_status
without_cells(tlv_context *ctx, size_t *n, int64_t *cells, size_t m, const int64_t *others)
{
	size_t left = 0;

	for (size_t i = 0, j = 0; i < *n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (; j < m && others[j] < cells[i]; j++)
			;
		if (j == m || others[j] != cells[i])
			cells[left++] = cells[i];
	}
	*n = left;
	return TLV_OK;
}

/* What the stored entries say: cells with a value, those of them that are 0 too, and cells that are
 * missing. */
typedef struct known_cells
{
	size_t seen_n, missing_n;
	int64_t *seen, *missing;
} known_cells;

static tlv_status
read_cells(tlv_context *ctx, const tlv_frame *entries, known_cells *cells)
{
	size_t n = tlv_frame_find(entries, "cells")->rows;
	size_t zeros_n = tlv_frame_find(entries, "zero_cells")->rows;
	const int64_t *values = tlv_frame_int64(entries, "cells");
	int64_t *zeros;

	TLV_TRY_NEW(ctx, zeros, zeros_n + 1);
	memcpy(zeros, tlv_frame_int64(entries, "zero_cells"), zeros_n * sizeof(int64_t));
	TLV_TRY(without_cells(ctx, &zeros_n, zeros, n, values));
	TLV_TRY(join_cells(ctx, n, values, zeros_n, zeros, &cells->seen));
	cells->seen_n = n + zeros_n;
	cells->missing_n = tlv_frame_find(entries, "null_cells")->rows;
	TLV_TRY_NEW(ctx, cells->missing, cells->missing_n + 1);
	memcpy(cells->missing, tlv_frame_int64(entries, "null_cells"),
		   cells->missing_n * sizeof(int64_t));
	tlv_free(ctx, zeros);
	return without_cells(ctx, &cells->missing_n, cells->missing, cells->seen_n, cells->seen);
}

/* Leaves out the items without a value, and finds the places of the others: -1 of one that is left
 * out. */
static tlv_status
tensor_leave_out(tlv_context *ctx, const known_cells *cells, tlv_tensor_ids *ids,
				 int32_t *place[TLV_MODES])
{
	for (int m = 0; m < TLV_MODES; m++)
	{
		size_t left = 0;
		int64_t *items;

		TLV_TRY_NEW(ctx, place[m], ids->d[m] + 1);
		TLV_TRY_NEW(ctx, items, ids->d[m] + 1);
		for (size_t i = 0; i < ids->d[m]; i++)
			place[m][i] = -1;
		for (size_t i = 0; i < cells->seen_n; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			place[m][tlv_triple_part(cells->seen[i], m)] = 0;
		}
		for (size_t i = 0; i < ids->d[m]; i++)
			if (place[m][i] == 0)
			{
				items[left] = ids->items[m][i];
				place[m][i] = (int32_t) left++;
			}
		ids->items[m] = items;
		ids->d[m] = left;
	}
	return TLV_OK;
}

/* Missing cells of the items that are there. */
static tlv_status
drop_cells(tlv_context *ctx, known_cells *cells, int32_t *const place[TLV_MODES])
{
	size_t left = 0;

	for (size_t i = 0; i < cells->missing_n; i++)
	{
		bool there = true;

		TLV_TRY_CONTINUE_AT(ctx, i);
		for (int m = 0; m < TLV_MODES; m++)
			there &= place[m][tlv_triple_part(cells->missing[i], m)] >= 0;
		if (there)
			cells->missing[left++] = cells->missing[i];
	}
	cells->missing_n = left;
	return TLV_OK;
}

tlv_status
tlv_tensor_load(tlv_context *ctx, const tlv_frame *entries, bool absent_missing,
				tlv_tensor_source *source)
{
	/* A tensor of fewer entries than this share of all is worked on as it is, sparse. */
	const double dense_share = 0.25;
	tlv_tensor *t = &source->tensor;
	known_cells cells;
	int32_t *place[TLV_MODES];
	double all = 1;

	memset(source, 0, sizeof(*source));
	tlv_tensor_read_ids(entries, &source->ids);
	source->nulls = source->skipped = tlv_frame_scalar(entries, "nulls", 0);
	for (size_t i = 0, n = tlv_frame_find(entries, "null_rows")->rows; i < n; i++)
		source->skipped -= tlv_frame_float64(entries, "null_rows")[i];
	t->n = tlv_frame_find(entries, "cells")->rows;
	t->entries = tlv_frame_float64(entries, "values");
	if (t->n == 0)
		return tlv_fail(ctx, TLV_NO_ROWS,
						source->nulls > 0 ? "all entries of the tensor are null or 0"
										  : "the tensor has no entry other than 0");
	TLV_TRY(read_cells(ctx, entries, &cells));
	TLV_TRY(tensor_leave_out(ctx, &cells, &source->ids, place));
	TLV_TRY(drop_cells(ctx, &cells, place));
	for (int m = 0; m < TLV_MODES; m++)
	{
		t->d[m] = source->ids.d[m];
		all *= (double) t->d[m];
	}
	TLV_TRY(list_places(ctx, t->n, tlv_frame_int64(entries, "cells"), place, t->at));
	source->known.listed = absent_missing && (double) cells.seen_n < all;
	source->known.n = source->known.listed ? cells.seen_n : cells.missing_n;
	if (absent_missing && !source->known.listed)
		source->known.n = 0;
	TLV_TRY(list_places(ctx, source->known.n, source->known.listed ? cells.seen : cells.missing,
						place, source->known.at));
	if ((double) t->n >= dense_share * all)
		return tlv_tensor_make_dense(ctx, t);
	return TLV_OK;
}

/* The list of missing entries of an array, every item of which has another one. */
static tlv_status
list_missing(tlv_context *ctx, const size_t d[TLV_MODES], const int64_t first[TLV_MODES],
			 const bool *missing, tlv_tensor_known *known)
{
	size_t all = d[0] * d[1] * d[2], n = 0;
	int64_t *cells;
	bool *seen[TLV_MODES];

	for (int m = 0; m < TLV_MODES; m++)
	{
		if (d[m] > TRIPLE_MOST)
			return tlv_fail(ctx, TLV_LIMIT,
							"a tensor with missing entries has at most %zu items a mode",
							TRIPLE_MOST);
		TLV_TRY_NEW0(ctx, seen[m], d[m] + 1);
	}
	for (size_t i = 0; i < all; i++)
		known->n += missing[i];
	TLV_TRY_NEW(ctx, cells, known->n + 1);
	for (size_t i = 0; i < all; i++)
	{
		const size_t at[TLV_MODES] = {i / (d[1] * d[2]), i / d[2] % d[1], i % d[2]};

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (missing[i])
			cells[n++] = tlv_triple_key(at[0], at[1], at[2]);
		for (int m = 0; m < TLV_MODES; m++)
			seen[m][at[m]] |= !missing[i];
	}
	for (int m = 0; m < TLV_MODES; m++)
		for (size_t i = 0; i < d[m]; i++)
			if (!seen[m][i])
			{
				tlv_fail(ctx, TLV_BAD_DATA,
						 "all entries with subscript %lld of dimension %d are null",
						 (long long) first[m] + (long long) i, m + 1);
				return tlv_fail_hint(ctx, "Leave this subscript out of the array.");
			}
	return list_places(ctx, n, cells, NULL, known->at);
}

tlv_status
tlv_tensor_of_array(tlv_context *ctx, const size_t d[TLV_MODES], const int64_t first[TLV_MODES],
					const double *numbers, const bool *missing, tlv_tensor_source *source)
{
	int64_t *items;
	size_t all = d[0] * d[1] * d[2];

	memset(source, 0, sizeof(*source));
	if (missing != NULL)
		TLV_TRY(list_missing(ctx, d, first, missing, &source->known));
	TLV_TRY_NEW0(ctx, items, d[0] + d[1] + d[2] + 1);
	source->ids.name_offsets = items + d[0] + d[1] + d[2];
	source->ids.name_ids = items;
	source->ids.names = (char *) items;
	for (int m = 0; m < TLV_MODES; m++)
	{
		source->tensor.d[m] = source->ids.d[m] = d[m];
		source->ids.told[m] = 1;
		source->ids.items[m] = items;
		for (size_t i = 0; i < d[m]; i++)
			*items++ = first[m] + (int64_t) i;
	}
	source->tensor.dense = numbers;
	for (size_t i = 0; i < all; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		source->tensor.n += numbers[i] != 0;
	}
	return TLV_OK;
}
