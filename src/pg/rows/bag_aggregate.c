/*
 * bag_aggregate.c - tlv_bag_agg(item [, weight]): the items of one group, and the
 * roll-up of bags.
 *
 * There are as many groups as documents, so a state is small and cheap: an
 * expanded object with an array of unsorted pairs, in one memory context
 * shared by all groups.
 */
#include "any.h"

#include <float.h>
#include <math.h>

#include "miscadmin.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"

#define BAG_STATE_MAGIC 0x746c7662

typedef struct BagState
{
	ExpandedObjectHeader header;
	int magic;
	TlvShared *shared;
	uint32 n;
	uint32 room;
	bool sorted;  /* distinct items, ascending */
	uint64 zeros; /* rows of weight 0: there is a bag, though they are nothing in it */
	TlvUse in_use;
	tlv_bag_entry *entries;
	struct varlena *flat; /* between get_flat_size and flatten_into */
} BagState;

/* Sorts the pairs and adds up duplicates; the state is in use. */
static void
bag_aggregate_compact(BagState *state)
{
	tlv_context *ctx = &state->shared->ctx;
	tlv_bag_entry *work;
	bool ascending = true;
	size_t distinct;

	if (state->sorted)
		return;
	for (uint32 i = 1; i < state->n && ascending; i++)
		ascending = state->entries[i - 1].item < state->entries[i].item;
	if (!ascending)
	{
		/* not in the caller's context: a tuple sort's (from 17 on) does not know pfree */
		work = MemoryContextAllocExtended(state->shared->mcxt,
										  (Size) state->n * sizeof(tlv_bag_entry), MCXT_ALLOC_HUGE);
		TlvCheck(ctx, tlv_bag_sort(ctx, state->n, state->entries, work, &distinct));
		state->n = (uint32) distinct;
		pfree(work);
	}
	state->sorted = true;
}

static Size
bag_flat_size(ExpandedObjectHeader *header)
{
	BagState *state = (BagState *) header;
	int64_t *items;
	double *weights;
	MemoryContext old;

	TlvBeginUse(&state->in_use);
	bag_aggregate_compact(state);
	old = MemoryContextSwitchTo(state->shared->mcxt);
	if (state->flat != NULL)
	{
		pfree(state->flat);
		state->flat = NULL;
	}
	items = palloc_extended((Size) (state->n + 1) * 2 * sizeof(int64_t), MCXT_ALLOC_HUGE);
	weights = (double *) (items + state->n);
	for (uint32 i = 0; i < state->n; i++)
	{
		TlvLoopCheck(i);
		items[i] = state->entries[i].item;
		weights[i] = state->entries[i].weight;
		if (tlv_bag_check_weight(&state->shared->ctx, items[i], weights[i]) != TLV_OK)
			TlvRaise(&state->shared->ctx); /* a sum that overflowed */
	}
	state->flat = TlvBagValue(state->n, items, weights);
	pfree(items);
	MemoryContextSwitchTo(old);
	TlvEndUse(&state->in_use);
	return VARSIZE(state->flat);
}

static void
bag_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	BagState *state = (BagState *) header;

	if (state->flat == NULL || VARSIZE(state->flat) != size)
		elog(ERROR, "aggregate state changed while it was flattened");
	TlvCopy(result, state->flat, size);
	pfree(state->flat);
	state->flat = NULL;
}

static const ExpandedObjectMethods bag_methods = {bag_flat_size, bag_flatten};

static BagState *
create_state(TlvShared *shared)
{
	BagState *state;

	TlvCountState(shared, sizeof(BagState));
	state = MemoryContextAllocZero(shared->mcxt, sizeof(BagState));
	EOH_init_header(&state->header, &bag_methods, shared->mcxt);
	state->magic = BAG_STATE_MAGIC;
	state->shared = shared;
	return state;
}

/* To be looked at only. */
static BagState *
see_state(Datum value)
{
	BagState *state;

	if (!VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
		return NULL;
	state = (BagState *) DatumGetEOHP(value);
	return state->header.eoh_methods == &bag_methods && state->magic == BAG_STATE_MAGIC ? state
																						: NULL;
}

static BagState *
get_state(Datum value)
{
	if (!VARATT_IS_EXTERNAL_EXPANDED_RW((struct varlena *) DatumGetPointer(value)))
		return NULL;
	return see_state(value);
}

/* Room for more pairs; duplicates are folded first when that may make room. */
static void
bag_aggregate_reserve(BagState *state, uint32 more)
{
	const int first_room = 4; /* most groups of a million have few items */
	Size room;

	if (state->room - state->n >= more)
		return;
	if (state->n > 4096 && !state->sorted)
	{
		bag_aggregate_compact(state);
		if (state->n <= state->room / 2 && state->room - state->n >= more)
			return;
	}
	room = Max((Size) first_room, (Size) state->room * 2);
	while (room < (Size) state->n + more)
		room *= 2;
	if (room > 2 * (Size) TLV_BAG_MAX_ITEMS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a bag holds at most %d items", TLV_BAG_MAX_ITEMS)));
	TlvCheck(&state->shared->ctx,
			 tlv_count_memory(&state->shared->ctx, state->room * sizeof(tlv_bag_entry),
							  room * sizeof(tlv_bag_entry)));
	if (state->entries == NULL)
		state->entries = MemoryContextAllocHuge(state->shared->mcxt, room * sizeof(tlv_bag_entry));
	else
		state->entries = repalloc_huge(state->entries, room * sizeof(tlv_bag_entry));
	state->room = (uint32) room;
}

static bool
is_weight(double weight)
{
	return weight > 0 && weight <= DBL_MAX;
}

/* There is room. */
static void
put(BagState *state, int64 item, double weight)
{
	/* The check's message is worth its time only when it fails. */
	if (unlikely(!is_weight(weight)))
	{
		(void) tlv_bag_check_weight(&state->shared->ctx, item, weight);
		TlvRaise(&state->shared->ctx);
	}
	state->entries[state->n++] = (tlv_bag_entry){item, weight};
	state->sorted = false;
}

/* A weight of 0 is no entry. */
static void
append(BagState *state, int64 item, double weight)
{
	if (weight == 0)
	{
		state->zeros++;
		return;
	}
	if (unlikely(state->n == state->room))
	{
		TlvBeginUse(&state->in_use);
		bag_aggregate_reserve(state, 1);
		TlvEndUse(&state->in_use);
	}
	put(state, item, weight);
}

static void
append_bag(BagState *state, struct varlena *value)
{
	const tlv_bag_image *bag = TLV_BAG(value);
	int64_t *items = palloc_extended((Size) (bag->n + 1) * 2 * sizeof(int64_t), MCXT_ALLOC_HUGE);
	double *weights = (double *) (items + bag->n);
	tlv_context *ctx = &state->shared->ctx;

	TlvCheck(ctx, tlv_bag_read(ctx, bag, items, weights));
	bag_aggregate_reserve(state, bag->n);
	for (uint32 i = 0; i < bag->n; i++)
	{
		TlvLoopCheck(i);
		put(state, items[i], weights[i]);
	}
	pfree(items);
}

static void
append_state(BagState *state, const BagState *other)
{
	uint32 n = other->n;

	state->zeros += other->zeros;
	bag_aggregate_reserve(state, n);
	for (uint32 i = 0; i < n; i++)
	{
		TlvLoopCheck(i);
		put(state, other->entries[i].item, other->entries[i].weight);
	}
}

/* The state of argument 0, or a new one holding it. */
static BagState *
state_argument(FunctionCallInfo fcinfo)
{
	BagState *state = PG_ARGISNULL(0) ? NULL : get_state(PG_GETARG_DATUM(0));

	if (state != NULL)
		return state;
	state = create_state(TlvSharedState(fcinfo));
	if (!PG_ARGISNULL(0))
		append_bag(state, PG_GETARG_TLV(0));
	return state;
}

/* A row with a NULL in it is skipped; without any other row the result is NULL. */
#define SKIP_NULL_ROW()                                                                            \
	do                                                                                             \
	{                                                                                              \
		TlvRequireAggregate(fcinfo, NULL);                                                         \
		for (int argument = 1; argument < PG_NARGS(); argument++)                                  \
			if (PG_ARGISNULL(argument))                                                            \
			{                                                                                      \
				if (PG_ARGISNULL(0))                                                               \
					PG_RETURN_NULL();                                                              \
				PG_RETURN_DATUM(PG_GETARG_DATUM(0));                                               \
			}                                                                                      \
	} while (0)

static double
weight_argument(FunctionCallInfo fcinfo)
{
	return PG_NARGS() > 2 ? PG_GETARG_FLOAT8(2) : 1;
}

/* Documents are many: the types of a call site are looked at once.  Engines that call this function
 * through an aggregate of theirs do so with an FmgrInfo that is not the site's own. */
static tlv_text
term_argument(FunctionCallInfo fcinfo, TlvShared *shared)
{
	text *term = PG_GETARG_TEXT_PP(1);
	const Aggref *aggregate = AggGetAggref(fcinfo);
	const void *site = aggregate != NULL ? (const void *) aggregate : fcinfo->flinfo;

	if (shared->compares_bytes != site)
		TlvRequireByteEquality(fcinfo, false);
	shared->compares_bytes = site;
	return (tlv_text){VARDATA_ANY(term), VARSIZE_ANY_EXHDR(term)};
}

TLV_FUNCTION(tlv_bag_accum)
{
	BagState *state;

	SKIP_NULL_ROW();
	state = state_argument(fcinfo);
	append(state, PG_GETARG_INT64(1), weight_argument(fcinfo));
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

TLV_FUNCTION(tlv_bag_accum_text)
{
	BagState *state;
	tlv_text term;
	double weight;

	SKIP_NULL_ROW();
	state = state_argument(fcinfo);
	term = term_argument(fcinfo, state->shared);
	weight = weight_argument(fcinfo);
	if (unlikely(!is_weight(weight) && weight != 0))
		TlvCheck(&state->shared->ctx, tlv_bag_check_term_weight(&state->shared->ctx, term, weight));
	append(state, TlvTermId(term.bytes, term.length), weight);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

/* Strict; also the transition function of tlv_rollup(tlv_bag). */
TLV_FUNCTION(tlv_bag_combine)
{
	BagState *state, *other;

	TlvRequireAggregate(fcinfo, NULL);
	state = state_argument(fcinfo);
	other = get_state(PG_GETARG_DATUM(1));
	TlvBeginUse(&state->in_use);
	if (other != NULL)
		append_state(state, other);
	else
		append_bag(state, PG_GETARG_TLV(1));
	TlvEndUse(&state->in_use);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

static bool
bag_aggregate_all_whole(const BagState *state, uint32 from)
{
	for (uint32 i = from; i < state->n; i++)
	{
		TlvLoopCheck(i);
		if (!(fabs(state->entries[i].weight) <= 0x1p53 &&
			  state->entries[i].weight == floor(state->entries[i].weight)))
			return false;
	}
	return true;
}

/* Items of which nothing is left go; the state is sorted. */
static void
bag_aggregate_drop_empty(BagState *state)
{
	uint32 left = 0;

	for (uint32 i = 0; i < state->n; i++)
	{
		TlvLoopCheck(i);
		if (state->entries[i].weight < 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("more is subtracted from the bag than it contains"),
							errhint("Subtract only what was added before.")));
		if (state->entries[i].weight > 0)
			state->entries[left++] = state->entries[i];
	}
	state->n = left;
}

/* Inverse transition function of tlv_rollup(tlv_bag): of whole weights, whose sums are exact. */
TLV_FUNCTION(tlv_bag_inverse)
{
	BagState *state;
	uint32 before;

	TlvRequireAggregate(fcinfo, NULL);
	state = state_argument(fcinfo);
	TlvBeginUse(&state->in_use);
	bag_aggregate_compact(state);
	before = state->n;
	append_bag(state, PG_GETARG_TLV(1));
	if (!bag_aggregate_all_whole(state, 0))
	{
		state->n = before;
		state->sorted = true;
		TlvEndUse(&state->in_use);
		PG_RETURN_NULL();
	}
	for (uint32 i = before; i < state->n; i++)
		state->entries[i].weight = -state->entries[i].weight;
	bag_aggregate_compact(state);
	bag_aggregate_drop_empty(state);
	TlvEndUse(&state->in_use);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

/* An item's place in the state, which is sorted; n where it is not there. */
static uint32
find_item(const BagState *state, int64 item)
{
	uint32 low = 0, high = state->n;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (state->entries[middle].item < item)
			low = middle + 1;
		else
			high = middle;
	}
	return low < state->n && state->entries[low].item == item ? low : state->n;
}

/* Takes an item out; false: weights are not whole, so that their sums are not exact. */
static bool
take_item(BagState *state, int64 item, double weight)
{
	bool whole = weight > 0 && weight <= 0x1p53 && weight == floor(weight);
	uint32 at;

	TlvBeginUse(&state->in_use);
	bag_aggregate_compact(state);
	whole = whole && bag_aggregate_all_whole(state, 0);
	at = find_item(state, item);
	if (whole && (at == state->n || state->entries[at].weight < weight))
		ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
						errmsg("more is subtracted from the bag than it contains"),
						errhint("Subtract only what was added before.")));
	if (whole)
	{
		state->entries[at].weight -= weight;
		bag_aggregate_drop_empty(state);
	}
	TlvEndUse(&state->in_use);
	return whole;
}

static Datum
bag_aggregate_take_row(FunctionCallInfo fcinfo, BagState *state, int64 item)
{
	double weight = weight_argument(fcinfo);

	if (weight == 0)
		state->zeros -= state->zeros > 0;
	else if (!take_item(state, item, weight))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}

/* The transition in a window that moves, whose state is never NULL. */
#define KEEP_NULL_ROW()                                                                            \
	do                                                                                             \
	{                                                                                              \
		TlvRequireAggregate(fcinfo, NULL);                                                         \
		for (int argument = 1; argument < PG_NARGS(); argument++)                                  \
			if (PG_ARGISNULL(argument))                                                            \
				PG_RETURN_DATUM(EOHPGetRWDatum(&state_argument(fcinfo)->header));                  \
	} while (0)

TLV_FUNCTION(tlv_bag_moving_accum)
{
	KEEP_NULL_ROW();
	return tlv_bag_accum(fcinfo);
}

TLV_FUNCTION(tlv_bag_moving_accum_text)
{
	KEEP_NULL_ROW();
	return tlv_bag_accum_text(fcinfo);
}

/* No row, no bag. */
TLV_FUNCTION(tlv_bag_moving_final)
{
	BagState *state;

	TlvRequireAggregate(fcinfo, NULL);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	state = see_state(PG_GETARG_DATUM(0));
	if (state != NULL ? state->n + state->zeros == 0 : TLV_BAG(PG_GETARG_TLV(0))->n == 0)
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Inverse transition functions of tlv_bag_agg. */
TLV_FUNCTION(tlv_bag_accum_inverse)
{
	SKIP_NULL_ROW();
	return bag_aggregate_take_row(fcinfo, state_argument(fcinfo), PG_GETARG_INT64(1));
}

TLV_FUNCTION(tlv_bag_accum_text_inverse)
{
	BagState *state;
	tlv_text term;

	SKIP_NULL_ROW();
	state = state_argument(fcinfo);
	term = term_argument(fcinfo, state->shared);
	return bag_aggregate_take_row(fcinfo, state, TlvTermId(term.bytes, term.length));
}
