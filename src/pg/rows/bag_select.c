/*
 * bag_select.c - bags with some of their items only, and how alike two bags are.
 */
#include "any.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"

#include "server/arrays.h"

/* Items that are kept, ascending. */
typedef struct KeptItems
{
	size_t n;
	const int64_t *items;
} KeptItems;

/* What a call site keeps of the subspace that it had last. */
typedef struct KeptSubspace
{
	char value[TLV_KEY_SIZE];
	size_t value_size; /* 0: there is none */
	MemoryContext mcxt;
	KeptItems kept;
} KeptSubspace;

/* Both ascend; where one is much longer than the other it is searched, not walked. */
static size_t
next_at_least(const KeptItems *kept, size_t from, int64_t item)
{
	size_t step = 1, low = from, high;

	while (low + step < kept->n && kept->items[low + step] < item)
	{
		low += step;
		step *= 2;
	}
	high = Min(low + step, kept->n);
	while (low < high)
	{
		size_t middle = low + (high - low) / 2;

		if (kept->items[middle] < item)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct varlena *
keep_items(struct varlena *bag, const KeptItems *kept)
{
	int64_t *items;
	double *weights;
	size_t n = TlvBagDecode(bag, &items, &weights), left = 0, at = 0;

	for (size_t i = 0; i < n && at < kept->n; i++)
	{
		TlvLoopCheck(i);
		at = next_at_least(kept, at, items[i]);
		if (at == kept->n || kept->items[at] != items[i])
			continue;
		items[left] = items[i];
		weights[left++] = weights[i];
	}
	return TlvBagValue(left, items, weights);
}

/* Sorted, each once.  Error: 22004 for a NULL among them. */
static KeptItems
sorted_items(size_t n, tlv_bag_entry *entries)
{
	tlv_bag_entry *work = palloc_extended((n + 1) * sizeof(tlv_bag_entry), MCXT_ALLOC_HUGE);
	int64_t *items = (int64_t *) work;
	tlv_context ctx = TlvCallContext();

	TlvCheck(&ctx, tlv_bag_sort(&ctx, n, entries, work, &n));
	for (size_t i = 0; i < n; i++)
		items[i] = entries[i].item;
	return (KeptItems){n, items};
}

/* Elements of an array, of ids or of texts. */
static KeptItems
items_of_array(ArrayType *array, bool texts)
{
	tlv_bag_entry *entries;
	Datum *values;
	bool *nulls;
	int n = TlvArrayElements(array, 2 * sizeof(tlv_bag_entry), &values, &nulls);

	entries = palloc_extended((Size) (n + 1) * sizeof(tlv_bag_entry), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("element %d of the items is null", i + 1)));
		entries[i].weight = 1;
		entries[i].item = texts ? TlvTermId(VARDATA_ANY(DatumGetPointer(values[i])),
											VARSIZE_ANY_EXHDR(DatumGetPointer(values[i])))
								: DatumGetInt64(values[i]);
	}
	return sorted_items((size_t) n, entries);
}

/* tlv_bag_keep(bag, items bigint[]) */
TLV_FUNCTION(tlv_bag_keep_items)
{
	KeptItems kept = items_of_array(TLV_GETARG_ARRAY(1), false);

	PG_RETURN_POINTER(keep_items(PG_GETARG_TLV(0), &kept));
}

/* tlv_bag_keep(bag, terms text[]) */
TLV_FUNCTION(tlv_bag_keep_terms)
{
	KeptItems kept;

	TlvRequireByteEquality(fcinfo, false);
	kept = items_of_array(TLV_GETARG_ARRAY(1), true);

	PG_RETURN_POINTER(keep_items(PG_GETARG_TLV(0), &kept));
}

/* The dictionary of a subspace or a model of documents. */
static KeptItems
dictionary_of(const tlv_frame *frame)
{
	const tlv_section *items = tlv_frame_find(frame, "items");
	const tlv_kind *kind = TlvKind(frame);

	if (kind != &tlv_kind_lda && kind != &tlv_kind_item_subspace)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a value of kind %s has no items of bags", kind->name),
				 errhint("Give a topic model, a subspace over items, or an array of items.")));
	return (KeptItems){(size_t) items->rows, tlv_frame_int64(frame, "items")};
}

/* tlv_bag_keep(bag, model) */
TLV_FUNCTION(tlv_bag_keep_model)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 1);
	KeptItems kept;
	struct varlena *bag;

	kept = dictionary_of(&cache->model->frame);
	bag = keep_items(PG_GETARG_TLV(0), &kept);
	TlvCachedModelEnd(cache);
	PG_RETURN_POINTER(bag);
}

/* Its items, in a memory context of the call site's. */
static void
read_subspace(Datum value, KeptSubspace *subspace)
{
	MemoryContext old;
	KeptItems kept;
	tlv_frame frame;
	int64_t *items;

	MemoryContextReset(subspace->mcxt);
	subspace->value_size = 0;
	frame = TlvFrameOf(value);
	kept = dictionary_of(&frame);
	TlvRequireBytes((double) kept.n * sizeof(int64_t), "the items");
	old = MemoryContextSwitchTo(subspace->mcxt);
	items = palloc_extended(Max(kept.n, 1) * sizeof(int64_t), MCXT_ALLOC_HUGE);
	MemoryContextSwitchTo(old);
	TlvCopy(items, kept.items, kept.n * sizeof(int64_t));
	subspace->kept = (KeptItems){kept.n, items};
}

/* tlv_bag_keep(bag, subspace) */
TLV_FUNCTION(tlv_bag_keep_subspace)
{
	KeptSubspace *subspace = fcinfo->flinfo->fn_extra;
	char key[TLV_KEY_SIZE];
	size_t size = TlvValueKey(PG_GETARG_DATUM(1), key);

	if (subspace == NULL)
	{
		subspace = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(KeptSubspace));
		subspace->mcxt =
			AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "tensorlv items", ALLOCSET_SMALL_SIZES);
		fcinfo->flinfo->fn_extra = subspace;
	}
	if (size == 0 || subspace->value_size != size || memcmp(subspace->value, key, size) != 0)
	{
		read_subspace(PG_GETARG_DATUM(1), subspace);
		memcpy(subspace->value, key, size);
		subspace->value_size = size;
	}
	PG_RETURN_POINTER(keep_items(PG_GETARG_TLV(0), &subspace->kept));
}

/* Weights over the largest one: squares of those stay finite.  The sum of the squares. */
static double
bag_select_scale_weights(size_t n, double *weights)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < n; i++)
		largest = Max(largest, weights[i]);
	for (size_t i = 0; i < n; i++)
	{
		weights[i] /= largest;
		sum += weights[i] * weights[i];
	}
	return sum;
}

/* tlv_bag_similarity(a, b) */
TLV_FUNCTION(tlv_bag_similarity)
{
	double *weights[2], squares[2], sum = 0;
	int64_t *items[2];
	size_t n[2], at = 0;

	for (int s = 0; s < 2; s++)
	{
		n[s] = TlvBagDecode(PG_GETARG_TLV(s), &items[s], &weights[s]);
		if (n[s] == 0)
			PG_RETURN_FLOAT8(0);
		squares[s] = bag_select_scale_weights(n[s], weights[s]);
	}
	for (size_t i = 0; i < n[0] && at < n[1]; i++)
	{
		TlvLoopCheck(i);
		at = next_at_least(&(KeptItems){n[1], items[1]}, at, items[0][i]);
		if (at < n[1] && items[1][at] == items[0][i])
			sum += weights[0][i] * weights[1][at];
	}
	PG_RETURN_FLOAT8(Min(sum / sqrt(squares[0] * squares[1]), 1));
}
