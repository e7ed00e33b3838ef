/*
 * expanded.c - live aggregate states as expanded objects that share one memory
 * context per aggregate context.
 */
#include "tlv_pg.h"

#include "miscadmin.h"

#define EXPANDED_MAGIC 0x746c7678

typedef enum ConstantUse
{
	CONSTANT_BLOCK,		 /* subspace, whole block */
	CONSTANT_COMPRESSED, /* subspace, leading directions */
	CONSTANT_MODEL,
	CONSTANT_DENSE /* dense subspace */
} ConstantUse;

typedef struct TlvConstant
{
	struct TlvConstant *next;
	ConstantUse use;
	char key[TLV_KEY_SIZE]; /* how a row's argument is recognised without reading it */
	size_t key_size;
	struct varlena *image;
	void *opened;
} TlvConstant;

static const char *const shared_name = "tensorlv aggregate states";

static void
shared_callback(void *argument)
{
	(void) argument; /* all memory is the context's own */
}

static TlvShared *
find_shared(MemoryContext parent)
{
	for (MemoryContext child = parent->firstchild; child != NULL; child = child->nextchild)
		if (child->name == shared_name && child->reset_cbs != NULL &&
			child->reset_cbs->func == shared_callback)
			return child->reset_cbs->arg;
	return NULL;
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
	mcxt = AllocSetContextCreateInternal(aggregate, shared_name, ALLOCSET_DEFAULT_SIZES);
	shared = MemoryContextAllocZero(mcxt, sizeof(TlvShared));
	shared->mcxt = mcxt;
	TlvContextInit(&shared->ctx, mcxt, SIZE_MAX);
	shared->callback.func = shared_callback;
	shared->callback.arg = shared;
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
find_constant(TlvShared *shared, Datum value, ConstantUse use, bool *found)
{
	TlvConstant *constant;
	char key[sizeof(constant->key)];
	size_t size = TlvValueKey(value, key);
	MemoryContext old;

	StaticAssertStmt(sizeof(tlv_frame_header) <= sizeof(constant->key), "key is too short");
	*found = true;
	if (size > 0)
		for (constant = shared->constants; constant != NULL; constant = constant->next)
			if (constant->use == use && constant->key_size == size &&
				memcmp(constant->key, key, size) == 0)
				return constant;
	*found = false;
	old = MemoryContextSwitchTo(shared->mcxt);
	constant = palloc0(sizeof(TlvConstant));
	constant->use = use;
	memcpy(constant->key, key, size);
	constant->key_size = size;
	constant->image = (struct varlena *) PG_DETOAST_DATUM_COPY(value);
	MemoryContextSwitchTo(old);
	return constant;
}

/* Only once it is open is a constant remembered: an error must not leave half of one. */
static void *
remember(TlvShared *shared, TlvConstant *constant, void *opened)
{
	constant->opened = opened;
	constant->next = shared->constants;
	shared->constants = constant;
	return opened;
}

tlv_subspace *
TlvConstantSubspace(TlvShared *shared, Datum value, bool compressed)
{
	bool found;
	TlvConstant *constant =
		find_constant(shared, value, compressed ? CONSTANT_COMPRESSED : CONSTANT_BLOCK, &found);
	tlv_subspace *subspace;
	tlv_frame frame;

	if (found)
		return constant->opened;
	frame = TlvFrame(constant->image);
	TlvRequireKind(&frame, &tlv_kind_item_subspace, "counting in a subspace");
	TlvCheck(&shared->ctx, tlv_subspace_open(&shared->ctx, &frame, compressed, &subspace));
	return remember(shared, constant, subspace);
}

tlv_model *
TlvConstantModel(TlvShared *shared, Datum value)
{
	bool found;
	TlvConstant *constant = find_constant(shared, value, CONSTANT_MODEL, &found);
	tlv_model *model;
	tlv_frame frame;

	if (found)
		return constant->opened;
	frame = TlvFrame(constant->image);
	TlvCheck(&shared->ctx, TlvKind(&frame)->model->open(&shared->ctx, &frame, &model));
	return remember(shared, constant, model);
}

const tlv_frame *
TlvConstantDenseSubspace(TlvShared *shared, Datum value)
{
	bool found;
	TlvConstant *constant = find_constant(shared, value, CONSTANT_DENSE, &found);
	tlv_frame frame, *kept;

	if (found)
		return constant->opened;
	frame = TlvFrame(constant->image);
	TlvRequireKind(&frame, &tlv_kind_dense_subspace, "tlv_dense_moments");
	kept = MemoryContextAlloc(shared->mcxt, sizeof(tlv_frame));
	*kept = frame;
	return remember(shared, constant, kept);
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
	tlv_frame_write(builder, result, size);
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
