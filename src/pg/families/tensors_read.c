/*
 * tensors_read.c - what is read from tensors and from models of them.
 */
#include "server/tlv_pg.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rows/any.h"
#include "query/query.h"
#include "tensorlv/model/tensors.h"
#include "tensorlv/model/triple_table.h"

/* ---- rows ---- */

/* What an item is called: its name, or the digits of the number. */
static TlvCell
item_name(const tlv_tensor_ids *ids, int mode, size_t place)
{
	int64 id = ids->items[mode][place];

	return TlvIdCell(tlv_tensor_name(ids, mode, id), id);
}

static TlvCell
item_id(const tlv_tensor_ids *ids, int mode, size_t place)
{
	return TlvInt8(ids->items[mode][place]);
}

/* Refuses a model that is of no tensor. */
static void
require_tensor_model(const tlv_frame *frame, const char *function)
{
	if (!tlv_is_tensor_model(frame))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s takes models of tensors, not one of kind %s", function,
							   TlvKind(frame)->name),
						errhint("tlv_fit_cp, tlv_fit_tucker and tlv_fit_tensor_train make them.")));
}

/* Rows (component, mode, item, item_name, weight) of a mode's factor, r x items. */
static void
put_factor(FunctionCallInfo fcinfo, const tlv_tensor_ids *ids, int mode, size_t r, size_t h,
		   const double *factor)
{
	for (size_t i = 0; i < ids->d[mode]; i++)
		TlvPutRow(fcinfo, TlvInt4((int32) h + 1), TlvInt4(mode + 1), item_id(ids, mode, i),
				  item_name(ids, mode, i), TlvFloat8(factor[h + i * r]));
}

TLV_FUNCTION(tlv_factors_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_tucker_parts tucker;
	tlv_cp_parts cp;

	TlvInitRows(fcinfo);
	if (TlvKind(&frame) == &tlv_kind_tucker)
	{
		tlv_tucker_read(&frame, &tucker);
		for (int m = 0; m < TLV_MODES; m++)
			for (size_t h = 0; h < tucker.r[m]; h++)
				put_factor(fcinfo, &tucker.ids, m, tucker.r[m], h, tucker.factors[m]);
		return (Datum) 0;
	}
	if (TlvKind(&frame) != &tlv_kind_cp)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("tlv_factors takes models of kind cp or tucker, not %s",
							   TlvKind(&frame)->name),
						errhint("tlv_kinds() lists the functions that apply to each kind.")));
	tlv_cp_read(&frame, &cp);
	for (size_t h = 0; h < cp.k; h++)
		for (int m = 0; m < TLV_MODES; m++)
			put_factor(fcinfo, &cp.ids, m, cp.k, h, cp.factors[m]);
	return (Datum) 0;
}

/* Rows (component_i, component_j, component_l, weight) of an array of three dimensions. */
static void
put_core(FunctionCallInfo fcinfo, const size_t r[TLV_MODES], const double *core)
{
	for (size_t i = 0; i < r[0] * r[1] * r[2]; i++)
		TlvPutRow(fcinfo, TlvInt4((int32) (i / r[2] / r[1]) + 1),
				  TlvInt4((int32) (i / r[2] % r[1]) + 1), TlvInt4((int32) (i % r[2]) + 1),
				  TlvFloat8(core[i]));
}

TLV_FUNCTION(tlv_tensor_core_rows)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	const tlv_kind *kind = TlvKind(&frame);
	tlv_tucker_parts tucker;
	tlv_train_parts train;
	tlv_cp_parts cp;

	require_tensor_model(&frame, "tlv_tensor_core");
	TlvInitRows(fcinfo);
	if (kind == &tlv_kind_tucker)
	{
		tlv_tucker_read(&frame, &tucker);
		put_core(fcinfo, tucker.r, tucker.core);
		return (Datum) 0;
	}
	if (kind == &tlv_kind_tensor_train)
	{
		tlv_train_read(&frame, &train);
		put_core(fcinfo, (size_t[]){train.r[0], train.ids.d[1], train.r[1]}, train.cores[1]);
		return (Datum) 0;
	}
	tlv_cp_read(&frame, &cp);
	for (size_t h = 0; h < cp.k; h++)
		TlvPutRow(fcinfo, TlvInt4((int32) h + 1), TlvInt4((int32) h + 1), TlvInt4((int32) h + 1),
				  TlvFloat8(cp.scales[h]));
	return (Datum) 0;
}

/* A row (i, i_name, j, j_name, l, l_name, entry). */
static void
tensors_read_put_entry(FunctionCallInfo fcinfo, const tlv_tensor_ids *ids,
					   const size_t place[TLV_MODES], double value)
{
	TlvPutRow(fcinfo, item_id(ids, 0, place[0]), item_name(ids, 0, place[0]),
			  item_id(ids, 1, place[1]), item_name(ids, 1, place[1]), item_id(ids, 2, place[2]),
			  item_name(ids, 2, place[2]), TlvFloat8(value));
}

/* tlv_tensor_entries(moments): those other than 0 */
TLV_FUNCTION(tlv_tensor_entries_collected)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_tensor_ids ids;
	const int64_t *cells;
	const double *values;
	size_t n;

	TlvRequireKind(&frame, &tlv_kind_tensor_entries, "tlv_tensor_entries");
	tlv_tensor_read_ids(&frame, &ids);
	cells = tlv_frame_int64(&frame, "cells");
	values = tlv_frame_float64(&frame, "values");
	n = tlv_frame_find(&frame, "cells")->rows;
	TlvInitRows(fcinfo);
	for (size_t i = 0; i < n; i++)
	{
		size_t place[TLV_MODES] = {tlv_triple_part(cells[i], 0), tlv_triple_part(cells[i], 1),
								   tlv_triple_part(cells[i], 2)};

		tensors_read_put_entry(fcinfo, &ids, place, values[i]);
	}
	return (Datum) 0;
}

/* tlv_tensor_entries(model): all of them, as the model has them */
TLV_FUNCTION(tlv_tensor_entries_modelled)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	tlv_tensor_ids ids;
	size_t place[TLV_MODES];

	require_tensor_model(&frame, "tlv_tensor_entries");
	tlv_tensor_read_ids(&frame, &ids);
	TlvInitRows(fcinfo);
	for (place[0] = 0; place[0] < ids.d[0]; place[0]++)
		for (place[1] = 0; place[1] < ids.d[1]; place[1]++)
			for (place[2] = 0; place[2] < ids.d[2]; place[2]++)
				tensors_read_put_entry(fcinfo, &ids, place, tlv_tensor_model_entry(&frame, place));
	return (Datum) 0;
}

/* ---- single entries ---- */

/* What a call site keeps: the types of the ids in its three arguments. */
static const AnyType *
types_of_ids(FunctionCallInfo fcinfo)
{
	TlvCallNote *note = TlvNoteOfCall(fcinfo);
	AnyType *types = note->kept;

	if (types != NULL)
		return types;
	types = MemoryContextAllocZero(note->mcxt, TLV_MODES * sizeof(AnyType));
	for (int m = 0; m < TLV_MODES; m++)
		TlvIdType(fcinfo, m + 1, note->mcxt, &types[m]);
	note->kept = types;
	return types;
}

/* The place of the item that is called so, or by an equal name; -1: none is. */
static ptrdiff_t
place_of_name(const tlv_frame *frame, const tlv_tensor_ids *ids, int mode, TlvEquality *equality,
			  tlv_text name)
{
	ptrdiff_t at = tlv_tensor_place(ids, mode, TlvTermId(name.bytes, name.length));
	const tlv_text *equal;
	size_t n;

	if (at >= 0 || equality == NULL)
		return at;
	n = TlvEqualNames(equality, frame, name, &equal);
	for (size_t i = 0; i < n && at < 0; i++)
		at = tlv_tensor_place(ids, mode, TlvTermId(equal[i].bytes, equal[i].length));
	return at;
}

static ptrdiff_t
place_of_number(const tlv_tensor_ids *ids, int mode, int64 number)
{
	ptrdiff_t at;

	if (ids->told[mode] != 2)
		return tlv_tensor_place(ids, mode, number);
	at = tlv_tensor_place(ids, mode, TlvDigitsId(number));
	if (at < 0)
		TlvRefuseNumberId(number);
	return at;
}

/* The place of the item whose id is in an argument that is declared "any", or text; -1: it is not
 * known. */
static ptrdiff_t
place_argument(FunctionCallInfo fcinfo, const tlv_frame *frame, const tlv_tensor_ids *ids, int mode)
{
	const AnyType *type = &types_of_ids(fcinfo)[mode];
	Datum value = PG_GETARG_DATUM(mode + 1);
	text *given;
	tlv_text name;

	if (TlvIsIntegerType(type->base))
		return place_of_number(ids, mode, TlvIdOf(type->base, value));
	if (type->form != ANY_LITERAL && !TlvIsIdType(type->base))
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("items of mode %d of the model are identified by %s, not by values of type %s",
					mode + 1, ids->told[mode] == 1 ? "number" : "name", format_type_be(type->type)),
			 errhint("Cast the value to %s.", ids->told[mode] == 1 ? "bigint" : "text")));
	given = type->form == ANY_LITERAL ? cstring_to_text(DatumGetCString(value))
									  : TlvTextOf(type->base, value);
	name = (tlv_text){VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given)};
	if (ids->told[mode] == 1)
		return tlv_tensor_place(ids, mode, TlvNumberId(name));
	return place_of_name(frame, ids, mode, type->equality, name);
}

/* tlv_tensor_at(model, i, j, l): NULL where an item is not known */
TLV_FUNCTION(tlv_tensor_at)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	const tlv_frame *frame = &cache->model->frame;
	size_t place[TLV_MODES];
	bool known = true;
	double value = 0;
	tlv_tensor_ids ids;

	require_tensor_model(frame, "tlv_tensor_at");
	tlv_tensor_read_ids(frame, &ids);
	for (int m = 0; m < TLV_MODES; m++)
	{
		ptrdiff_t at = place_argument(fcinfo, frame, &ids, m);

		known &= at >= 0;
		place[m] = (size_t) at;
	}
	if (known)
		value = tlv_tensor_model_entry(frame, place);
	TlvCachedModelEnd(cache);
	if (!known)
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(value);
}
