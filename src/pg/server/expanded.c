/*
 * expanded.c - live aggregate states as expanded objects that share one memory
 * context per aggregate context.
 */
#include "tlv_pg.h"

#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/syscache.h"
#include "tensorlv/num/assert.h"

#define EXPANDED_MAGIC 0x746c7678

typedef struct TlvConstant
{
	struct TlvConstant *next;
	tlv_status (*open)(tlv_context *ctx, const tlv_frame *constant, void **opened);
	char key[TLV_KEY_SIZE]; /* how a row's argument is recognised without reading it */
	size_t key_size;
	struct varlena *image;
	tlv_frame frame;
	void *opened;
} TlvConstant;

/*
 * All that live: as a rule one or two.  Looking through the aggregate context's children instead
 * would be quadratic beside an aggregate that makes a context for each of its groups.
 */
static dlist_head live_shared = DLIST_STATIC_INIT(live_shared);

/* Runs before the context's memory goes. */
static void
shared_callback(void *argument)
{
	dlist_delete(&((TlvShared *) argument)->node);
}

static TlvShared *
find_shared(MemoryContext aggregate)
{
	dlist_iter iter;

	dlist_foreach(iter, &live_shared)
	{
		TlvShared *shared = dlist_container(TlvShared, node, iter.cur);

		if (shared->aggregate != aggregate)
			continue;
		dlist_move_head(&live_shared, &shared->node);
		return shared;
	}
	return NULL;
}

static bool
is_moving(Oid aggregate, Oid transition)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	bool moving;

	if (!HeapTupleIsValid(tuple))
		return false; /* a window function */
	moving = ((Form_pg_aggregate) GETSTRUCT(tuple))->aggmtransfn == transition;
	ReleaseSysCache(tuple);
	return moving;
}

/*
 * An inverse transition function in PL/pgSQL would take the live state over and free it, and the
 * server would go on with what it was.  Nobody needs moving aggregates over states of ours.
 */
static void
refuse_moving(FunctionCallInfo fcinfo)
{
	ListCell *cell;

	if (!IsA(fcinfo->context, WindowAggState))
		return;
	foreach (cell, ((WindowAggState *) fcinfo->context)->funcs)
		if (is_moving(((WindowFuncExprState *) lfirst(cell))->wfunc->winfnoid,
					  fcinfo->flinfo->fn_oid))
			ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
							errmsg("states of this extension have no moving aggregates"),
							errhint("Define the aggregate without MSFUNC and MINVFUNC.")));
}

TlvShared *
TlvSharedState(FunctionCallInfo fcinfo)
{
	MemoryContext aggregate, mcxt;
	TlvShared *shared;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("aggregate support function called outside an aggregate")));
	shared = find_shared(aggregate);
	if (shared != NULL)
		return shared;
	refuse_moving(fcinfo);
	mcxt = AllocSetContextCreate(aggregate, "tensorlv aggregate states", ALLOCSET_DEFAULT_SIZES);
	shared = MemoryContextAllocZero(mcxt, sizeof(TlvShared));
	shared->aggregate = aggregate;
	shared->mcxt = mcxt;
	TlvContextInit(&shared->ctx, mcxt, SIZE_MAX);
	shared->callback.func = shared_callback;
	shared->callback.arg = shared;
	dlist_push_head(&live_shared, &shared->node);
	MemoryContextRegisterResetCallback(mcxt, &shared->callback);
	TlvApplyBlasThreads();
	return shared;
}

size_t
TlvValueKey(Datum value, char *key)
{
	struct varlena *raw = (struct varlena *) DatumGetPointer(value);
	size_t size;

	if (VARATT_IS_EXTERNAL_ONDISK(raw))
		size = VARSIZE_EXTERNAL(raw);
	else if (!VARATT_IS_EXTENDED(raw) && VARSIZE(raw) >= sizeof(tlv_frame_header))
		size = sizeof(tlv_frame_header);
	else
		return 0;
	memcpy(key, raw, size);
	return size;
}

static TlvConstant *
find_constant(TlvShared *shared, const tlv_aggregate *aggregate, const char *key, size_t size)
{
	for (TlvConstant *constant = shared->constants; constant != NULL; constant = constant->next)
		if (constant->open == aggregate->open && constant->key_size == size && size > 0 &&
			memcmp(constant->key, key, size) == 0)
			return constant;
	return NULL;
}

/* Only once it is open is a constant remembered: an error must not leave half of one. */
static TlvConstant *
open_constant(TlvShared *shared, const tlv_aggregate *aggregate, Datum value, const char *key,
			  size_t size)
{
	MemoryContext old = MemoryContextSwitchTo(shared->mcxt);
	TlvConstant *constant = palloc0(sizeof(TlvConstant));

	constant->open = aggregate->open;
	memcpy(constant->key, key, size);
	constant->key_size = size;
	constant->image = (struct varlena *) PG_DETOAST_DATUM_COPY(value);
	MemoryContextSwitchTo(old);
	constant->frame = TlvFrame(constant->image);
	if (aggregate->open != NULL)
		TlvCheck(&shared->ctx, aggregate->open(&shared->ctx, &constant->frame, &constant->opened));
	constant->next = shared->constants;
	shared->constants = constant;
	return constant;
}

void
TlvOpenConstant(TlvShared *shared, Datum value, tlv_statistic *statistic)
{
	char key[TLV_KEY_SIZE];
	size_t size = TlvValueKey(value, key);
	TlvConstant *constant = find_constant(shared, statistic->aggregate, key, size);

	StaticAssertStmt(sizeof(tlv_frame_header) <= TLV_KEY_SIZE, "key is too short");
	if (constant == NULL)
		constant = open_constant(shared, statistic->aggregate, value, key, size);
	statistic->constant = &constant->frame;
	statistic->opened = constant->opened;
}

/* ---- the expanded object ---- */

static Size
expanded_flat_size(ExpandedObjectHeader *header)
{
	TlvExpanded *expanded = (TlvExpanded *) header;
	tlv_context *ctx = &expanded->shared->ctx;
	tlv_accumulator *accumulator = expanded->accumulator;
	tlv_frame_builder *builder;
	size_t size;

	if (expanded->builder != NULL) /* asked for the size twice, or an error came between */
	{
		tlv_free(ctx, expanded->builder->owned);
		pfree(expanded->builder);
		expanded->builder = NULL;
	}
	builder = MemoryContextAlloc(expanded->shared->mcxt, sizeof(tlv_frame_builder));
	builder->owned = NULL;
	TlvCheck(ctx, accumulator->class->build(ctx, accumulator, builder));
	CHECK_FOR_INTERRUPTS(); /* every look at hundreds of megabytes takes its time */
	TlvCheck(ctx, tlv_frame_size(ctx, builder, &size));
	TlvCheck(ctx, tlv_frame_require_finite(ctx, builder));
	expanded->builder = builder;
	return size;
}

static void
expanded_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	TlvExpanded *expanded = (TlvExpanded *) header;
	tlv_frame_builder *builder = expanded->builder;

	if (builder == NULL || builder->size != size)
		elog(ERROR, "aggregate state changed while it was flattened");
	CHECK_FOR_INTERRUPTS();
	SET_VARSIZE(result, size);
	TlvCheck(&expanded->shared->ctx,
			 tlv_frame_write(&expanded->shared->ctx, builder, result, size));
	tlv_assert(tlv_kind_accepts(&expanded->shared->ctx, result, size));
	tlv_free(&expanded->shared->ctx, builder->owned);
	pfree(builder);
	expanded->builder = NULL;
}

static const ExpandedObjectMethods expanded_methods = {expanded_flat_size, expanded_flatten};

TlvExpanded *
TlvExpandedCreate(TlvShared *shared, tlv_accumulator *accumulator)
{
	TlvExpanded *expanded = MemoryContextAllocZero(shared->mcxt, sizeof(TlvExpanded));

	EOH_init_header(&expanded->header, &expanded_methods, shared->mcxt);
	expanded->magic = EXPANDED_MAGIC;
	expanded->shared = shared;
	expanded->accumulator = accumulator;
	return expanded;
}

TlvExpanded *
TlvExpandedGet(Datum value)
{
	TlvExpanded *expanded;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW((struct varlena *) DatumGetPointer(value)))
		return NULL;
	expanded = (TlvExpanded *) DatumGetEOHP(value);
	if (expanded->header.eoh_methods != &expanded_methods || expanded->magic != EXPANDED_MAGIC)
		return NULL;
	return expanded;
}

TlvExpanded *
TlvLiveState(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(0) ? NULL : TlvExpandedGet(PG_GETARG_DATUM(0));
}

TlvExpanded *
TlvBeginState(FunctionCallInfo fcinfo, TlvShared *shared, tlv_accumulator *accumulator)
{
	if (!PG_ARGISNULL(0))
	{
		tlv_frame frame = TlvFrame(PG_GETARG_TLV(0));
		const tlv_kind *kind = TlvKind(&frame);

		if (kind->accumulator != accumulator->class)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the aggregate's state holds %s of kind %s, not %s",
								   kind->type == TLV_FRAME_GRAPH ? "a graph" : "moments",
								   kind->name, accumulator->class->name)));
		TlvCheck(&shared->ctx, accumulator->class->merge(&shared->ctx, accumulator, &frame));
	}
	return TlvExpandedCreate(shared, accumulator);
}
