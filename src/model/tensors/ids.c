/*
 * ids.c - the items of a tensor's modes, and tensors from stored entries and from arrays
 * (tensors.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"

/* A tensor of fewer entries than this share of all is worked on as it is, sparse. */
#define DENSE_SHARE 0.25

const char *const tlv_tensor_item_sections[TLV_MODES] = {"items_1", "items_2", "items_3"};
static const tlv_name_sections name_sections = {"name_offsets", "names"};

/* ---- names ---- */

/* The place of an id in an ascending list, or -1. */
static ptrdiff_t
place_of(size_t n, const int64_t *ids, int64_t id)
{
	size_t low = 0, high = n;

	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (ids[middle] < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && ids[low] == id ? (ptrdiff_t) low : -1;
}

ptrdiff_t
tlv_tensor_place(const tlv_tensor_ids *ids, int mode, int64_t id)
{
	return place_of(ids->d[mode], ids->items[mode], id);
}

tlv_text
tlv_tensor_name(const tlv_tensor_ids *ids, int mode, int64_t id)
{
	const tlv_name_list list = {ids->name_offsets, ids->names};
	ptrdiff_t at;

	if (ids->told[mode] != 2)
		return (tlv_text){NULL, 0};
	at = place_of(ids->names_n, ids->name_ids, id);
	return at < 0 ? (tlv_text){"", 0} : tlv_name_at(&list, (size_t) at);
}

/* ---- stored ---- */

tlv_status
tlv_tensor_check_ids(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const size_t d[TLV_MODES] = {sizes[SIZE_I], sizes[SIZE_J], sizes[SIZE_L]};
	const double *told = tlv_frame_float64(frame, "told");

	for (int m = 0; m < TLV_MODES; m++)
		if (!(told[m] == (d[m] == 0 ? 0 : 1) || (d[m] > 0 && told[m] == 2)))
			return tlv_fail(ctx, TLV_CORRUPT, "items of mode %d are told in way %g", m + 1,
							told[m]);
	if (sizes[SIZE_NAMES] > 0)
		return tlv_name_list_check(ctx, frame, &name_sections, sizes[SIZE_NAMES]);
	if (tlv_frame_int64(frame, "name_offsets")[0] != 0 || sizes[SIZE_BYTES] > 0)
		return tlv_fail(ctx, TLV_CORRUPT, "names of no ids");
	return TLV_OK;
}

void
tlv_tensor_read_ids(const tlv_frame *frame, tlv_tensor_ids *ids)
{
	for (int m = 0; m < TLV_MODES; m++)
	{
		ids->d[m] = tlv_frame_find(frame, tlv_tensor_item_sections[m])->rows;
		ids->items[m] = (int64_t *) tlv_frame_int64(frame, tlv_tensor_item_sections[m]);
	}
	memcpy(ids->told, tlv_frame_float64(frame, "told"), sizeof(ids->told));
	ids->names_n = tlv_frame_find(frame, "name_ids")->rows;
	ids->bytes_n = tlv_frame_find(frame, "names")->rows;
	ids->name_ids = (int64_t *) tlv_frame_int64(frame, "name_ids");
	ids->name_offsets = (int64_t *) tlv_frame_int64(frame, "name_offsets");
	ids->names = (char *) tlv_section_data(frame, tlv_frame_find(frame, "names"));
}

/* ---- tensors ---- */

static tlv_status
list_places(tlv_context *ctx, tlv_tensor *t, const int64_t *cells)
{
	int32_t *at;

	TLV_TRY_NEW_ROWS(ctx, at, t->n, TLV_MODES);
	for (int m = 0; m < TLV_MODES; m++)
	{
		for (size_t i = 0; i < t->n; i++)
		{
			TLV_TRY_CONTINUE_AT(ctx, i);
			at[i] = (int32_t) tlv_triple_part(cells[i], m);
		}
		t->at[m] = at;
		at += t->n;
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

tlv_status
tlv_tensor_load(tlv_context *ctx, const tlv_frame *entries, tlv_tensor_source *source)
{
	const int64_t *cells = tlv_frame_int64(entries, "cells");
	tlv_tensor *t = &source->tensor;
	double all = 1;

	memset(source, 0, sizeof(*source));
	tlv_tensor_read_ids(entries, &source->ids);
	source->nulls = tlv_frame_scalar(entries, "nulls", 0);
	t->n = tlv_frame_find(entries, "cells")->rows;
	t->entries = tlv_frame_float64(entries, "values");
	if (t->n == 0)
		return tlv_fail(ctx, TLV_NO_ROWS, "the tensor has no entry other than 0");
	for (int m = 0; m < TLV_MODES; m++)
	{
		t->d[m] = source->ids.d[m];
		all *= (double) t->d[m];
	}
	TLV_TRY(list_places(ctx, t, cells));
	if ((double) t->n >= DENSE_SHARE * all)
		return tlv_tensor_make_dense(ctx, t);
	return TLV_OK;
}

tlv_status
tlv_tensor_of_array(tlv_context *ctx, const size_t d[TLV_MODES], const int64_t first[TLV_MODES],
					const double *numbers, tlv_tensor_source *source)
{
	int64_t *items;
	size_t all = d[0] * d[1] * d[2];

	memset(source, 0, sizeof(*source));
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
