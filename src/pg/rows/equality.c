/*
 * equality.c - names of a model by the equality of a type that takes several spellings for equal:
 * citext, and texts of collations that are not deterministic (any.h).
 *
 * A model has the first spelling of each id.  A row may have another one, and only the type itself
 * knows that they are equal: the names of the model are read as values of that type, once at every
 * call site, and found by its own hash function and equality.
 */
#include "any.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "query/query.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/layout.h"

/* A name of the model. */
typedef struct EqualName
{
	tlv_text text;
	Datum value; /* of the type */
	uint32 hash;
	int64 next; /* the one of the same slot; -1: none */
} EqualName;

struct TlvEquality
{
	Oid collation;
	TypeCacheEntry *type;
	bool text;		/* its values are texts themselves */
	FmgrInfo input; /* otherwise what makes them of texts */
	Oid parameter;
	MemoryContext mcxt; /* of what follows */
	bool filled;		/* with the names of the model of that fingerprint */
	tlv_digest model;
	size_t n, room, mask;
	EqualName *names;
	int64 *slots;	 /* the first name of each */
	tlv_text *found; /* names that are equal to one that was asked for; room for n */
};

TlvEquality *
TlvEqualityOf(Oid base, Oid collation, MemoryContext mcxt)
{
	TypeCacheEntry *type;
	TlvEquality *equality;
	Oid input;

	if (!TlvHasSpellings(base, collation))
		return NULL;
	type = lookup_type_cache(base, TYPECACHE_EQ_OPR_FINFO | TYPECACHE_HASH_PROC_FINFO |
									   TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (!OidIsValid(type->hash_proc_finfo.fn_oid) || !OidIsValid(type->eq_opr_finfo.fn_oid) ||
		!OidIsValid(type->hash_extended_proc_finfo.fn_oid))
		return NULL;
	equality = MemoryContextAllocZero(mcxt, sizeof(TlvEquality));
	equality->collation = OidIsValid(collation) ? collation : DEFAULT_COLLATION_OID;
	equality->type = type;
	equality->text = TlvIsTextType(base);
	getTypeInputInfo(base, &input, &equality->parameter);
	fmgr_info_cxt(input, &equality->input, mcxt);
	equality->mcxt = AllocSetContextCreate(mcxt, "tensorlv names", ALLOCSET_SMALL_SIZES);
	return equality;
}

int64
TlvEqualId(TlvEquality *equality, Datum value)
{
	return DatumGetInt64(FunctionCall2Coll(&equality->type->hash_extended_proc_finfo,
										   equality->collation, value, Int64GetDatum(0)));
}

/* ---- the names of a model ---- */

/* A text as a value of the type. */
static Datum
value_of(TlvEquality *equality, tlv_text text)
{
	if (equality->text)
		return PointerGetDatum(cstring_to_text_with_len(text.bytes, (int) text.length));
	return InputFunctionCall(&equality->input, pnstrdup(text.bytes, text.length),
							 equality->parameter, -1);
}

static uint32
hash_of(TlvEquality *equality, Datum value)
{
	return DatumGetUInt32(
		FunctionCall1Coll(&equality->type->hash_proc_finfo, equality->collation, value));
}

/* A model of a database of another encoding may have names that are none here. */
static void
equality_add_name(TlvEquality *equality, tlv_text text)
{
	EqualName *name;

	TlvLoopCheck(equality->n);
	if (text.bytes == NULL || !pg_verifymbstr(text.bytes, (int) text.length, true))
		return;
	if (equality->n == equality->room)
	{
		equality->room = Max(2 * equality->room, 64);
		equality->names = equality->names == NULL
							  ? palloc_extended(equality->room * sizeof(EqualName), MCXT_ALLOC_HUGE)
							  : repalloc_huge(equality->names, equality->room * sizeof(EqualName));
	}
	name = &equality->names[equality->n++];
	name->text = (tlv_text){pnstrdup(text.bytes, text.length), text.length};
	name->value = value_of(equality, name->text);
	name->hash = hash_of(equality, name->value);
}

static void
equality_add_list(TlvEquality *equality, const tlv_frame *model, const tlv_name_sections *sections)
{
	const tlv_section *offsets = tlv_frame_find(model, sections->offsets);
	tlv_name_list list;

	if (offsets == NULL || offsets->element != TLV_INT64 || offsets->rows == 0)
		return;
	list = tlv_name_list_of(model, sections);
	for (size_t i = 0; i + 1 < offsets->rows; i++)
		equality_add_name(equality, tlv_name_at(&list, i));
}

/* Variables, whose names may be lines. */
static void
add_variables(TlvEquality *equality, const tlv_frame *model)
{
	tlv_value_names names = tlv_value_names_of(model);
	tlv_text name;

	while (tlv_value_names_next(&names, &name))
	{
		char *bytes = pnstrdup(name.bytes, name.length);

		tlv_lines_decode(bytes, name.length);
		equality_add_name(equality, (tlv_text){bytes, name.length});
	}
}

/* All names in the model, whatever they are names of: who asks knows which of them he means. */
static void
equality_add_names(TlvEquality *equality, const tlv_frame *model)
{
	const tlv_field *field = tlv_layout_of(model)->fields;
	bool listed = false;

	for (; field->form != TLV_FIELDS_END; field++)
	{
		bool bytes_first = (field->flags & TLV_BYTES_FIRST) != 0;
		tlv_name_sections sections = {bytes_first ? field->beside : field->name,
									  bytes_first ? field->name : field->beside};

		if (field->form != TLV_FIELD_TEXTS)
			continue;
		listed |= strcmp(sections.bytes, "names") == 0;
		equality_add_list(equality, model, &sections);
	}
	if (!listed) /* of tensors */
		equality_add_list(equality, model, &(tlv_name_sections){"name_offsets", "names"});
	add_variables(equality, model);
}

static void
link_names(TlvEquality *equality)
{
	size_t slots = 16;

	while (slots < 2 * equality->n)
		slots *= 2;
	equality->mask = slots - 1;
	equality->slots = palloc_extended(slots * sizeof(int64), MCXT_ALLOC_HUGE);
	equality->found = palloc_extended(Max(equality->n, 1) * sizeof(tlv_text), MCXT_ALLOC_HUGE);
	for (size_t s = 0; s < slots; s++)
		equality->slots[s] = -1;
	for (size_t i = 0; i < equality->n; i++)
	{
		int64 *slot = &equality->slots[equality->names[i].hash & equality->mask];

		equality->names[i].next = *slot;
		*slot = (int64) i;
	}
}

static void
fill(TlvEquality *equality, const tlv_frame *model)
{
	MemoryContext before;

	if (equality->filled && tlv_digest_equal(&equality->model, &model->header->digest))
		return;
	equality->filled = false;
	MemoryContextReset(equality->mcxt);
	equality->names = NULL;
	equality->n = equality->room = 0;
	before = MemoryContextSwitchTo(equality->mcxt);
	equality_add_names(equality, model);
	link_names(equality);
	MemoryContextSwitchTo(before);
	equality->model = model->header->digest;
	equality->filled = true;
}

/* ---- equal ones ---- */

size_t
TlvEqualNames(TlvEquality *equality, const tlv_frame *model, tlv_text given, const tlv_text **names)
{
	Datum value = value_of(equality, given);
	uint32 hash = hash_of(equality, value);
	size_t n = 0;

	fill(equality, model);
	for (int64 at = equality->slots[hash & equality->mask]; at >= 0; at = equality->names[at].next)
	{
		const EqualName *name = &equality->names[at];

		if (name->hash == hash &&
			DatumGetBool(FunctionCall2Coll(&equality->type->eq_opr_finfo, equality->collation,
										   name->value, value)))
			equality->found[n++] = name->text;
	}
	*names = equality->found;
	return n;
}
