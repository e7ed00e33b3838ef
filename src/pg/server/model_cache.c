/*
 * model_cache.c - models that are open: a session keeps those that it used last, as many as
 * tensorlv.model_cache allows, so that a statement that applies a stored model reads its first
 * bytes only.
 *
 * A model is known by the head of its frame, in which the digest of its content is: an image that
 * was updated, rolled back or moved is the same or another by what it is, not by where it lies.
 * Call sites hold the model that they used last, which spares them looking for it.  Held models
 * count, too: beyond the limit the one that was used longest ago is taken from its call sites. Only
 * the model that was used last stays while a call site holds it, whatever its size.
 */
#include "tlv_pg.h"

#include "access/detoast.h"
#include "utils/hsearch.h"

/* What is read of a value to know it; the length word is the server's. */
typedef struct TlvModelKey
{
	char head[sizeof(tlv_frame_header) - VARHDRSZ];
	uint32 size; /* of the whole value */
} TlvModelKey;

typedef struct ListedModel
{
	TlvModelKey key;
	TlvModelCache *model;
} ListedModel;

/* A place in a plan that calls: what its argument was last, and the model of that. */
typedef struct CallSite
{
	char value[TLV_KEY_SIZE]; /* TlvValueKey */
	size_t value_size;		  /* 0: it has none */
	TlvModelCache *model;	  /* held; NULL: none */
	dlist_node of_model;	  /* of the model's sites */
	TlvCallNote note;
	MemoryContextCallback callback;
} CallSite;

/* Made by the first model. */
static MemoryContext models_context = NULL;
static HTAB *listed_models = NULL;
static dlist_head listed_by_use = DLIST_STATIC_INIT(listed_by_use); /* the last used last */
static size_t listed_bytes = 0;

static void
model_delist(TlvModelCache *model)
{
	if (!model->listed)
		return;
	hash_search(listed_models, model->key, HASH_REMOVE, NULL);
	dlist_delete(&model->by_use);
	listed_bytes -= model->bytes;
	model->listed = false;
}

static bool
is_held(const TlvModelCache *model)
{
	return !dlist_is_empty((dlist_head *) &model->sites);
}

static void
site_let_go(CallSite *site)
{
	dlist_delete(&site->of_model);
	site->model = NULL;
	site->value_size = 0;
}

/* The call sites that hold it look for theirs anew. */
static void
model_drop(TlvModelCache *model)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &model->sites)
		site_let_go(dlist_container(CallSite, of_model, iter.cur));
	model_delist(model);
	MemoryContextDelete(model->mcxt);
}

/* Those go first that were used longest ago; one that is in use stays, as does one that a call site
 * is about to use. */
static void
models_trim(const TlvModelCache *wanted)
{
	size_t most = (size_t) tlv_model_cache * 1024;
	size_t limit = most - Min(TlvKeptBytes(), most);
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &listed_by_use)
	{
		TlvModelCache *model = dlist_container(TlvModelCache, by_use, iter.cur);
		bool last = dlist_tail_node(&listed_by_use) == iter.cur;

		if (listed_bytes <= limit)
			break;
		if (model != wanted && !model->in_use && (!last || !is_held(model)))
			model_drop(model);
	}
}

/* ---- call sites ---- */

static void
model_cache_site_release(CallSite *site)
{
	TlvModelCache *model = site->model;

	if (model == NULL)
		return;
	site_let_go(site);
	/* An error may have left it half changed. */
	if (model->in_use)
		model_delist(model);
	if (!model->listed && !is_held(model))
		MemoryContextDelete(model->mcxt);
}

/* The plan is gone. */
static void
site_end(void *argument)
{
	model_cache_site_release(argument);
	models_trim(NULL);
}

static CallSite *
call_site(FunctionCallInfo fcinfo)
{
	CallSite *site = fcinfo->flinfo->fn_extra;

	if (site != NULL)
		return site;
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(CallSite));
	site->note.mcxt = fcinfo->flinfo->fn_mcxt;
	site->callback.func = site_end;
	site->callback.arg = site;
	MemoryContextRegisterResetCallback(fcinfo->flinfo->fn_mcxt, &site->callback);
	fcinfo->flinfo->fn_extra = site;
	return site;
}

static TlvCallNote *
note_of_context(TlvShared *shared, Oid function, Oid collation)
{
	TlvCallNote *note = shared->notes;

	while (note != NULL && (note->function != function || note->collation != collation))
		note = note->next;
	if (note != NULL)
		return note;
	note = MemoryContextAllocZero(shared->mcxt, sizeof(TlvCallNote));
	note->mcxt = shared->mcxt;
	note->function = function;
	note->collation = collation;
	note->next = shared->notes;
	shared->notes = note;
	return note;
}

TlvCallNote *
TlvNoteOfCall(FunctionCallInfo fcinfo)
{
	const TlvExpanded *state;

	if (fcinfo->flinfo->fn_expr != NULL || !AggCheckCallContext(fcinfo, NULL))
		return &call_site(fcinfo)->note;
	state = TlvLiveState(fcinfo);
	return note_of_context(state != NULL ? state->shared : TlvSharedState(fcinfo),
						   fcinfo->flinfo->fn_oid, PG_GET_COLLATION());
}

/* ---- opening ---- */

/* A value that is too short to be a model has a key that no model has. */
static void
model_cache_read_key(Datum value, TlvModelKey *key)
{
	struct varlena *raw = (struct varlena *) DatumGetPointer(value);
	struct varlena *referred = TlvReferredValue(value), *head;

	memset(key, 0, sizeof(*key));
	raw = referred != NULL ? referred : raw;
	key->size = (uint32) toast_raw_datum_size(PointerGetDatum(raw));
	head = VARATT_IS_EXTENDED(raw) ? detoast_attr_slice(raw, 0, sizeof(key->head)) : raw;
	memcpy(key->head, VARDATA_ANY(head), Min(VARSIZE_ANY_EXHDR(head), sizeof(key->head)));
	if (head != raw)
		pfree(head);
}

static void
prepare_cache(void)
{
	HASHCTL control = {.keysize = sizeof(TlvModelKey), .entrysize = sizeof(ListedModel)};

	if (listed_models != NULL)
		return;
	if (models_context == NULL)
		models_context =
			AllocSetContextCreate(TopMemoryContext, "tensorlv models", ALLOCSET_DEFAULT_SIZES);
	control.hcxt = models_context;
	listed_models =
		hash_create("tensorlv models", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* The call's own until the model is open: an error leaves nothing behind. */
static TlvModelCache *
model_open(Datum value, const TlvModelKey *key)
{
	MemoryContext mcxt =
		AllocSetContextCreate(CurrentMemoryContext, "tensorlv model", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(mcxt);
	TlvModelCache *model = palloc0(sizeof(TlvModelCache));
	ListedModel *listed;
	tlv_frame frame;

	model->mcxt = mcxt;
	model->key = palloc(sizeof(TlvModelKey));
	*model->key = *key;
	dlist_init(&model->sites);
	TlvContextInit(&model->ctx, mcxt, TlvValueMemory());
	model->ctx.memory = NULL; /* it is no fit's */
	frame = TlvFrame(TlvPlainFor(&model->ctx, value));
	TlvCheck(&model->ctx, tlv_model_open(&model->ctx, &frame, &model->model));
	MemoryContextSwitchTo(old);
	listed = hash_search(listed_models, key, HASH_ENTER, NULL);
	listed->model = model;
	MemoryContextSetParent(mcxt, models_context);
	model->bytes = MemoryContextMemAllocated(mcxt, true);
	dlist_push_tail(&listed_by_use, &model->by_use);
	listed_bytes += model->bytes;
	model->listed = true;
	return model;
}

/* One that is open; NULL: none is. */
static TlvModelCache *
model_find(const TlvModelKey *key)
{
	const ListedModel *listed = hash_search(listed_models, key, HASH_FIND, NULL);
	TlvModelCache *model;

	if (listed == NULL)
		return NULL;
	model = listed->model;
	if (model->in_use)
	{
		model_delist(model);
		if (!is_held(model))
			MemoryContextDelete(model->mcxt);
		return NULL;
	}
	return model;
}

/* It is now the last used; what it takes may have grown, as its posteriors do. */
static void
model_used(TlvModelCache *model)
{
	if (!model->listed)
		return;
	listed_bytes -= model->bytes;
	model->bytes = MemoryContextMemAllocated(model->mcxt, true);
	listed_bytes += model->bytes;
	dlist_delete(&model->by_use);
	dlist_push_tail(&listed_by_use, &model->by_use);
	model->ctx.arena.limit = TlvValueMemory();
}

TlvModelCache *
TlvCachedModel(FunctionCallInfo fcinfo, int argument)
{
	Datum value = PG_GETARG_DATUM(argument);
	CallSite *site = call_site(fcinfo);
	char bytes[TLV_KEY_SIZE];
	size_t size = TlvValueKey(value, bytes);
	TlvModelKey key;

	if (site->model == NULL || site->model->in_use || size == 0 || site->value_size != size ||
		memcmp(site->value, bytes, size) != 0)
	{
		prepare_cache();
		model_cache_read_key(value, &key);
		model_cache_site_release(site);
		site->model = model_find(&key);
		if (site->model == NULL)
			site->model = model_open(value, &key);
		dlist_push_tail(&site->model->sites, &site->of_model);
		memcpy(site->value, bytes, size);
		site->value_size = size;
	}
	model_used(site->model);
	models_trim(site->model);
	TlvBeginUse(&site->model->in_use);
	return site->model;
}
