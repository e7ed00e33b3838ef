/*
 * expanded.c - live aggregate states as expanded objects that share one memory
 * context per aggregate context.
 */
#include "tlv_pg.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "utils/hsearch.h"
#include "utils/syscache.h"
#include "tensorlv/num/assert.h"

#define EXPANDED_MAGIC 0x746c7678

/* How a constant is found again: by what opens it and by the key of its bytes (TlvValueKey). */
typedef struct ConstantKey
{
	tlv_status (*open)(tlv_context *ctx, const tlv_frame *constant, void **opened);
	size_t size;
	char bytes[TLV_KEY_SIZE]; /* zeros behind them */
} ConstantKey;

typedef struct TlvConstant
{
	ConstantKey key; /* first: of the hash table */
	tlv_frame frame;
	void *opened;
} TlvConstant;

/*
 * All that live, by their aggregate contexts.  Not in fn_extra: of grouping sets one function
 * serves many aggregate contexts in turn, and several functions share one context.  Looking through
 * the aggregate context's children would be quadratic beside an aggregate that makes a context for
 * each of its groups, a list beside many aggregate contexts that live at once.
 */
typedef struct LiveShared
{
	MemoryContext aggregate; /* first: the key */
	TlvShared *shared;
} LiveShared;

static HTAB *live_shared = NULL;

static uint64 last_edition = 0;

/* Runs before the context's memory goes. */
static void
shared_callback(void *argument)
{
	(void) hash_search(live_shared, &((TlvShared *) argument)->aggregate, HASH_REMOVE, NULL);
}

static TlvShared *
find_shared(MemoryContext aggregate)
{
	LiveShared *live;

	if (live_shared == NULL)
	{
		HASHCTL control = {.keysize = sizeof(MemoryContext), .entrysize = sizeof(LiveShared)};

		live_shared =
			hash_create("tensorlv aggregate contexts", 16, &control, HASH_ELEM | HASH_BLOBS);
	}
	live = hash_search(live_shared, &aggregate, HASH_FIND, NULL);
	return live != NULL ? live->shared : NULL;
}

/* Entered last: an error before leaves nothing, one here only what goes with the context. */
static void
enter_shared(TlvShared *shared)
{
	LiveShared *live = hash_search(live_shared, &shared->aggregate, HASH_ENTER, NULL);

	live->shared = shared;
	shared->callback.func = shared_callback;
	shared->callback.arg = shared;
	MemoryContextRegisterResetCallback(shared->mcxt, &shared->callback);
}

/* Whether it is one of ours, which know that the state is shared. */
static bool
is_own_inverse(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Form_pg_proc proc;
	const char *name;
	bool own;

	if (!HeapTupleIsValid(tuple))
		return false;
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	name = NameStr(proc->proname);
	own = proc->prolang == ClanguageId && strncmp(name, "tlv_", 4) == 0 && strlen(name) > 8 &&
		  strcmp(name + strlen(name) - 8, "_inverse") == 0;
	ReleaseSysCache(tuple);
	return own;
}

static bool
is_moving(Oid aggregate, Oid transition)
{
	HeapTuple tuple = SearchSysCache1(AGGFNOID, ObjectIdGetDatum(aggregate));
	Form_pg_aggregate form;
	bool moving;

	if (!HeapTupleIsValid(tuple))
		return false; /* a window function */
	form = (Form_pg_aggregate) GETSTRUCT(tuple);
	moving = form->aggmtransfn == transition && !is_own_inverse(form->aggminvtransfn);
	ReleaseSysCache(tuple);
	return moving;
}

/*
 * An inverse transition function in PL/pgSQL would take the live state over and free it, and the
 * server would go on with what it was.
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

void
TlvRefuseCallByHand(void)
{
	ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
					errmsg("aggregate support function called outside an aggregate")));
}

TlvShared *
TlvSharedState(FunctionCallInfo fcinfo)
{
	MemoryContext aggregate, mcxt;
	TlvShared *shared;

	TlvRequireAggregate(fcinfo, &aggregate);
	shared = find_shared(aggregate);
	if (shared != NULL)
		return shared;
	refuse_moving(fcinfo);
	mcxt = AllocSetContextCreate(aggregate, "tensorlv aggregate states", ALLOCSET_DEFAULT_SIZES);
	shared = MemoryContextAllocZero(mcxt, sizeof(TlvShared));
	shared->aggregate = aggregate;
	shared->mcxt = mcxt;
	TlvContextInit(&shared->ctx, mcxt, TlvValueMemory());
	shared->ctx.memory = NULL; /* it is no fit's */
	enter_shared(shared);
	TlvApplyBlasThreads();
	return shared;
}

void
TlvCountState(TlvShared *shared, size_t bytes)
{
	shared->states++;
	TlvCheck(&shared->ctx, tlv_count_memory(&shared->ctx, 0, bytes));
}

size_t
TlvStatesOf(const tlv_context *ctx)
{
	HASH_SEQ_STATUS all;
	LiveShared *live;
	size_t states = 0;

	if (live_shared == NULL)
		return 0;
	hash_seq_init(&all, live_shared);
	while ((live = hash_seq_search(&all)) != NULL)
		if (&live->shared->ctx == ctx)
			states = live->shared->states;
	return states;
}

static bool
expanded_is_below(MemoryContext context, MemoryContext above)
{
	while (context != NULL && context != above)
		context = MemoryContextGetParent(context);
	return context != NULL;
}

void
TlvDropStates(MemoryContext below)
{
	HASH_SEQ_STATUS all;
	LiveShared *live;

	if (live_shared == NULL)
		return;
	hash_seq_init(&all, live_shared);
	while ((live = hash_seq_search(&all)) != NULL)
		if (expanded_is_below(live->aggregate, below))
			MemoryContextDelete(live->shared->mcxt); /* which takes it out of the table */
}

struct varlena *
TlvReferredValue(Datum value)
{
	struct varlena *raw = (struct varlena *) DatumGetPointer(value);
	struct varatt_indirect pointer;

	if (!VARATT_IS_EXTERNAL_INDIRECT(raw))
		return NULL;
	VARATT_EXTERNAL_GET_POINTER(pointer, raw);
	return pointer.pointer;
}

size_t
TlvValueKey(Datum value, char *key)
{
	struct varlena *raw = (struct varlena *) DatumGetPointer(value);
	size_t size;

	if (VARATT_IS_EXTERNAL_ONDISK(raw) ||
		(VARATT_IS_EXTERNAL_INDIRECT(raw) && TlvIsHeld(TlvReferredValue(value))))
		size = VARSIZE_EXTERNAL(raw);
	else if (!VARATT_IS_EXTENDED(raw) && VARSIZE(raw) >= sizeof(tlv_frame_header))
		size = sizeof(tlv_frame_header);
	else
		return 0;
	memcpy(key, raw, size);
	return size;
}

/* Made with the first constant: groups may come with as many models as there are groups. */
static HTAB *
constants_of(TlvShared *shared)
{
	HASHCTL control = {.keysize = sizeof(ConstantKey), .entrysize = sizeof(TlvConstant)};

	if (shared->constants != NULL)
		return shared->constants;
	control.hcxt = shared->mcxt;
	shared->constants =
		hash_create("tensorlv constants", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	return shared->constants;
}

/* Only once it is open is a constant remembered: an error must not leave half of one. */
static TlvConstant
open_constant(TlvShared *shared, const ConstantKey *key, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(shared->mcxt);
	TlvConstant constant = {.key = *key};
	struct varlena *image = TlvReferredValue(value);

	if (image == NULL || !TlvIsHeld(image))
		image = TlvPlainFor(&shared->ctx, value);
	constant.frame = TlvFrame(image);
	MemoryContextSwitchTo(old);
	if (key->open != NULL)
		TlvCheck(&shared->ctx, key->open(&shared->ctx, &constant.frame, &constant.opened));
	return constant;
}

void
TlvOpenConstant(TlvShared *shared, Datum value, tlv_statistic *statistic)
{
	HTAB *constants = constants_of(shared);
	ConstantKey key;
	TlvConstant *constant, opened;

	StaticAssertStmt(sizeof(tlv_frame_header) <= TLV_KEY_SIZE, "key is too short");
	memset(&key, 0, sizeof(key));
	key.open = statistic->aggregate->open;
	key.size = TlvValueKey(value, key.bytes);
	constant = key.size > 0 ? hash_search(constants, &key, HASH_FIND, NULL) : NULL;
	if (constant == NULL)
	{
		opened = open_constant(shared, &key, value);
		constant = key.size > 0 ? hash_search(constants, &key, HASH_ENTER, NULL)
								: MemoryContextAlloc(shared->mcxt, sizeof(TlvConstant));
		*constant = opened;
	}
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

	TlvBeginUse(&expanded->in_use);
	if (expanded->builder != NULL) /* asked for the size twice, or an error came between */
	{
		tlv_packing_free(ctx, expanded->packing);
		tlv_free(ctx, expanded->builder->owned);
		pfree(expanded->builder);
		expanded->builder = NULL;
		expanded->packing = NULL;
	}
	builder = MemoryContextAlloc(expanded->shared->mcxt, sizeof(tlv_frame_builder));
	builder->owned = NULL;
	TlvCheck(ctx, tlv_accumulator_store(ctx, accumulator, builder));
	CHECK_FOR_INTERRUPTS(); /* every look at hundreds of megabytes takes its time */
	TlvCheck(ctx, tlv_frame_require_finite(ctx, builder));
	TlvCheck(ctx, tlv_frame_pack(ctx, builder, &expanded->packing, &size));
	expanded->builder = builder;
	expanded->flat_size = size;
	TlvEndUse(&expanded->in_use);
	return size;
}

/* The caller's context may be a tuple sort's, which (from 17 on) does not know pfree. */
static void
expanded_flatten(ExpandedObjectHeader *header, void *result, Size size)
{
	TlvExpanded *expanded = (TlvExpanded *) header;
	tlv_frame_builder *builder = expanded->builder;
	MemoryContext old;

	if (builder == NULL || expanded->flat_size != size)
		elog(ERROR, "aggregate state changed while it was flattened");
	TlvBeginUse(&expanded->in_use);
	CHECK_FOR_INTERRUPTS();
	old = MemoryContextSwitchTo(expanded->shared->mcxt);
	SET_VARSIZE(result, size);
	TlvCheck(&expanded->shared->ctx,
			 tlv_packing_write(&expanded->shared->ctx, expanded->packing, result, size));
	expanded->packing = NULL;
	if (expanded->foreign)
		TlvRequireMade(&expanded->shared->ctx, result);
	tlv_assert(TlvAccepts(&expanded->shared->ctx, result));
	memcpy(&expanded->flat, result, sizeof(expanded->flat));
	tlv_free(&expanded->shared->ctx, builder->owned);
	pfree(builder);
	expanded->builder = NULL;
	MemoryContextSwitchTo(old);
	TlvEndUse(&expanded->in_use);
}

static const ExpandedObjectMethods expanded_methods = {expanded_flat_size, expanded_flatten};

TlvExpanded *
TlvExpandedCreate(TlvShared *shared, tlv_accumulator *accumulator)
{
	TlvExpanded *expanded;

	TlvCountState(shared, sizeof(TlvExpanded));
	expanded = MemoryContextAllocZero(shared->mcxt, sizeof(TlvExpanded));
	EOH_init_header(&expanded->header, &expanded_methods, shared->mcxt);
	expanded->magic = EXPANDED_MAGIC;
	expanded->shared = shared;
	expanded->accumulator = accumulator;
	expanded->edition = ++last_edition;
	return expanded;
}

/* The live state that an expanded value is; NULL: it is something else. */
static inline TlvExpanded *
live_state(Datum value)
{
	TlvExpanded *expanded = (TlvExpanded *) DatumGetEOHP(value);

	return expanded->header.eoh_methods == &expanded_methods && expanded->magic == EXPANDED_MAGIC
			   ? expanded
			   : NULL;
}

size_t
TlvStateKey(Datum value, char *key)
{
	const TlvExpanded *expanded;

	if (!VARATT_IS_EXTERNAL_EXPANDED((struct varlena *) DatumGetPointer(value)))
		return 0;
	expanded = live_state(value);
	if (expanded == NULL)
		return 0;
	if (expanded->flat.size > 0)
	{
		memcpy(key, &expanded->flat, sizeof(expanded->flat));
		return sizeof(expanded->flat);
	}
	memcpy(key, &expanded->edition, sizeof(expanded->edition));
	return sizeof(expanded->edition);
}

TlvExpanded *
TlvExpandedGet(Datum value)
{
	TlvExpanded *expanded;

	if (!VARATT_IS_EXTERNAL_EXPANDED_RW((struct varlena *) DatumGetPointer(value)))
		return NULL;
	expanded = live_state(value);
	if (expanded == NULL)
		return NULL;
	expanded->edition = ++last_edition;
	expanded->flat.size = 0;
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
	TlvExpanded *expanded;

	if (!PG_ARGISNULL(0))
	{
		tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
		const tlv_kind *kind = TlvKind(&frame);

		if (kind->accumulator != accumulator->class)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("the aggregate's state holds %s of kind %s, not %s",
								   kind->type == TLV_FRAME_GRAPH ? "a graph" : "moments",
								   kind->name, accumulator->class->name)));
		TlvCheck(&shared->ctx, accumulator->class->merge(&shared->ctx, accumulator, &frame));
	}
	expanded = TlvExpandedCreate(shared, accumulator);
	expanded->foreign = !PG_ARGISNULL(0);
	return expanded;
}
