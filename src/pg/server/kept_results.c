/*
 * kept_results.c - functions that make a model keep their results.
 *
 * The planner evaluates an expression of a subquery, a CTE or a view wherever its column is used: a
 * model that is made there would be made for every row of the outer query.  A call site therefore
 * keeps its last result.  Earlier ones, and those of other call sites, are found as long as there
 * is a call site, because the rows of several models may alternate.  Arguments are compared by a
 * few bytes where a few bytes identify them: the TOAST pointer of a stored value, the header of a
 * value of ours, which contains the digest of its content, and that header or the edition of the
 * live state of an aggregate.  All others are compared whole.
 *
 * Kept results count towards tensorlv.model_cache, with all memory that they take; one that does
 * not fit is not kept, nor is the NULL of a NULL, which takes no time.  Those that no call site has
 * returned last take at most half of it, and the longest unused are dropped first.
 */
#include "tlv_pg.h"

#include "catalog/pg_proc.h"
#include "common/hashfn.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "query/query.h"

/* How arguments of one type are compared. */
typedef struct ArgumentType
{
	int16 length;
	bool by_value;
	bool has_header; /* its values begin with the header of a frame */
} ArgumentType;

/* The bytes that identify an argument: length bytes at whole, or in short_key where that is NULL.
 * A NULL argument has none. */
typedef struct ArgumentKey
{
	const char *whole;
	size_t length;
	bool is_null;
	char short_key[TLV_KEY_SIZE];
} ArgumentKey;

/* A result with the arguments that it was made of.  All of it lies in mcxt. */
typedef struct KeptResult
{
	MemoryContext mcxt;
	dlist_node by_use;	/* of results_by_use */
	dlist_node by_hash; /* of results_by_hash */
	uint32 hash;		/* of the function and its arguments */
	Oid function;
	int n;
	ArgumentKey *keys;
	Datum value;
	bool is_null;
	size_t bytes; /* of mcxt */
	int pins;	  /* call sites that have returned it last, and contexts in which it is in use */
} KeptResult;

/* What a call site has in fn_extra. */
typedef struct KeepingSite
{
	MemoryContextCallback callback;
	int n; /* arguments that the function declares */
	ArgumentType *types;
	KeptResult *result; /* pinned; NULL: none */
} KeepingSite;

/* A result was returned into a memory context and may be read until that is reset. */
typedef struct ResultInUse
{
	MemoryContextCallback callback;
	KeptResult *result;
} ResultInUse;

#define HASH_CHAINS 1024

static dlist_head results_by_use = DLIST_STATIC_INIT(results_by_use); /* the last used is last */
static dlist_head results_by_hash[HASH_CHAINS];						  /* zeros are empty lists */
static size_t kept_bytes = 0;
static int n_sites = 0;

size_t
TlvKeptBytes(void)
{
	return kept_bytes;
}

static void
result_drop(KeptResult *result)
{
	dlist_delete(&result->by_use);
	dlist_delete(&result->by_hash);
	kept_bytes -= result->bytes;
	MemoryContextDelete(result->mcxt);
}

static void
result_unpin(KeptResult *result)
{
	if (--result->pins == 0 && n_sites == 0)
		result_drop(result);
}

/* Drops results that nobody uses, the longest unused first, until at most limit bytes are kept. */
static void
results_trim(size_t limit)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, &results_by_use)
	{
		KeptResult *result = dlist_container(KeptResult, by_use, iter.cur);

		if (kept_bytes <= limit)
			break;
		if (result->pins == 0)
			result_drop(result);
	}
}

/* ---- arguments ---- */

static void
read_argument_types(FunctionCallInfo fcinfo, KeepingSite *site)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(fcinfo->flinfo->fn_oid));
	oidvector *declared;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	declared = &((Form_pg_proc) GETSTRUCT(tuple))->proargtypes;
	site->n = Min(PG_NARGS(), declared->dim1);
	site->types = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt,
										 (size_t) Max(site->n, 1) * sizeof(ArgumentType));
	for (int i = 0; i < site->n; i++)
	{
		ArgumentType *type = &site->types[i];

		get_typlenbyval(declared->values[i], &type->length, &type->by_value);
		type->has_header = TlvIsFrameType(declared->values[i]);
	}
	ReleaseSysCache(tuple);
}

static void
varlena_key(Datum value, bool has_header, ArgumentKey *key)
{
	struct varlena *raw = (struct varlena *) DatumGetPointer(value);

	if (has_header || VARATT_IS_EXTERNAL(raw))
		key->length = TlvValueKey(value, key->short_key);
	if (key->length == 0 && has_header)
		key->length = TlvStateKey(value, key->short_key);
	if (key->length > 0)
		return;
	if (VARATT_IS_EXTERNAL(raw))
		raw = PG_DETOAST_DATUM(value);
	key->whole = (const char *) raw;
	key->length = VARSIZE_ANY(raw);
}

static void
argument_key(FunctionCallInfo fcinfo, int n, const ArgumentType *type, ArgumentKey *key)
{
	Datum value = PG_GETARG_DATUM(n);

	memset(key, 0, sizeof(*key));
	key->is_null = PG_ARGISNULL(n);
	if (key->is_null)
		return;
	if (type->length == -1)
	{
		varlena_key(value, type->has_header, key);
		return;
	}
	key->length = type->by_value	   ? sizeof(Datum)
				  : type->length == -2 ? strlen(DatumGetCString(value)) + 1
									   : (size_t) type->length;
	if (type->by_value)
		memcpy(key->short_key, &value, sizeof(Datum));
	else
		key->whole = DatumGetPointer(value);
}

static bool
same_arguments(const KeptResult *result, const ArgumentKey *keys)
{
	for (int i = 0; i < result->n; i++)
	{
		const ArgumentKey *a = &result->keys[i], *b = &keys[i];

		if (a->is_null != b->is_null || a->length != b->length ||
			(a->whole == NULL) != (b->whole == NULL) ||
			memcmp(a->whole != NULL ? a->whole : a->short_key,
				   b->whole != NULL ? b->whole : b->short_key, a->length) != 0)
			return false;
	}
	return true;
}

/* ---- results ---- */

static uint32
hash_arguments(Oid function, int n, const ArgumentKey *keys)
{
	uint32 hash = murmurhash32(function);

	for (int i = 0; i < n; i++)
	{
		const char *bytes = keys[i].whole != NULL ? keys[i].whole : keys[i].short_key;

		hash = hash_combine(
			hash,
			keys[i].is_null ? 0 : hash_bytes((const unsigned char *) bytes, (int) keys[i].length));
	}
	return hash;
}

static KeptResult *
result_find(Oid function, uint32 hash, int n, const ArgumentKey *keys)
{
	dlist_iter iter;

	dlist_foreach(iter, &results_by_hash[hash % HASH_CHAINS])
	{
		KeptResult *result = dlist_container(KeptResult, by_hash, iter.cur);

		if (result->hash != hash || result->function != function || result->n != n ||
			!same_arguments(result, keys))
			continue;
		dlist_delete(&result->by_use);
		dlist_push_tail(&results_by_use, &result->by_use);
		return result;
	}
	return NULL;
}

/* Keeps a copy, pinned once; NULL: there is no room for it. */
static KeptResult *
result_keep(Oid function, int n, const ArgumentKey *keys, Datum value, bool is_null)
{
	size_t most = (size_t) tlv_model_cache * 1024;
	MemoryContext mcxt, old;
	KeptResult *result;
	size_t bytes;

	if (!is_null && VARSIZE_ANY(DatumGetPointer(value)) > most)
		return NULL;
	/* The call's own until it is complete: an error leaves nothing behind. */
	mcxt = AllocSetContextCreate(CurrentMemoryContext, "tensorlv result", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(mcxt);
	result = palloc0(sizeof(KeptResult));
	*result = (KeptResult){.mcxt = mcxt, .function = function, .n = n, .pins = 1};
	result->keys = palloc((size_t) Max(n, 1) * sizeof(ArgumentKey));
	memcpy(result->keys, keys, (size_t) n * sizeof(ArgumentKey));
	for (int i = 0; i < n; i++)
		if (keys[i].whole != NULL)
		{
			char *whole = palloc(keys[i].length);

			TlvCopy(whole, keys[i].whole, keys[i].length);
			result->keys[i].whole = whole;
		}
	result->is_null = is_null;
	result->value = is_null ? (Datum) 0 : datumCopy(value, false, -1);
	MemoryContextSwitchTo(old);
	bytes = MemoryContextMemAllocated(mcxt, true);
	results_trim(most / 2 > bytes ? most / 2 - bytes : 0);
	if (kept_bytes + bytes > most)
	{
		MemoryContextDelete(mcxt);
		return NULL;
	}
	result->bytes = bytes;
	MemoryContextSetParent(mcxt, TopMemoryContext);
	result->hash = hash_arguments(function, n, result->keys);
	dlist_push_tail(&results_by_use, &result->by_use);
	dlist_push_head(&results_by_hash[result->hash % HASH_CHAINS], &result->by_hash);
	kept_bytes += bytes;
	return result;
}

static void
result_used(void *result_in_use)
{
	result_unpin(((ResultInUse *) result_in_use)->result);
}

/* The kept value itself, which stays until the current memory context is reset. */
static Datum
result_return(FunctionCallInfo fcinfo, KeptResult *result)
{
	ResultInUse *use;

	if (result->is_null)
		PG_RETURN_NULL();
	use = palloc(sizeof(ResultInUse));
	use->callback.func = result_used;
	use->callback.arg = use;
	use->result = result;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &use->callback);
	result->pins++;
	return result->value;
}

/* ---- call sites ---- */

static void
site_release(KeepingSite *site)
{
	KeptResult *result = site->result;

	site->result = NULL;
	if (result != NULL)
		result_unpin(result);
}

/* The plan is gone.  Without any call site nothing is kept. */
static void
kept_site_end(void *argument)
{
	n_sites--;
	site_release(argument);
	if (n_sites == 0)
		results_trim(0);
}

static KeepingSite *
keeping_site(FunctionCallInfo fcinfo)
{
	KeepingSite *site = fcinfo->flinfo->fn_extra;

	if (site != NULL)
		return site;
	site = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(KeepingSite));
	read_argument_types(fcinfo, site);
	site->callback.func = kept_site_end;
	site->callback.arg = site;
	MemoryContextRegisterResetCallback(fcinfo->flinfo->fn_mcxt, &site->callback);
	n_sites++;
	fcinfo->flinfo->fn_extra = site;
	return site;
}

/* A value that cannot be kept: an input function has reported a soft error, or the value is the
 * argument itself, stored elsewhere. */
static bool
is_passing(FunctionCallInfo fcinfo, Datum value)
{
#if PG_VERSION_NUM >= 160000
	if (SOFT_ERROR_OCCURRED(fcinfo->context))
		return true;
#endif
	return !fcinfo->isnull && VARATT_IS_EXTERNAL(DatumGetPointer(value));
}

Datum
TlvKeepResult(FunctionCallInfo fcinfo, PGFunction make)
{
	KeepingSite *site = keeping_site(fcinfo);
	Oid function = fcinfo->flinfo->fn_oid;
	int n = site->n;
	ArgumentKey *keys = palloc((size_t) Max(n, 1) * sizeof(ArgumentKey));
	Datum value;

	for (int i = 0; i < n; i++)
		argument_key(fcinfo, i, &site->types[i], &keys[i]);
	if (site->result != NULL && same_arguments(site->result, keys))
		return result_return(fcinfo, site->result);
	site_release(site);
	site->result = result_find(function, hash_arguments(function, n, keys), n, keys);
	if (site->result != NULL)
	{
		site->result->pins++;
		return result_return(fcinfo, site->result);
	}
	ereport(DEBUG1, (errmsg_internal("%s computes a result", get_func_name(function))));
	value = make(fcinfo);
	if (is_passing(fcinfo, value))
		return value;
	/* A live state that was flattened meanwhile comes as the flat value to other rows. */
	for (int i = 0; i < n; i++)
		if (site->types[i].has_header)
			argument_key(fcinfo, i, &site->types[i], &keys[i]);
	if (!(fcinfo->isnull && n > 0 && keys[0].is_null))
		site->result = result_keep(function, n, keys, value, fcinfo->isnull);
	return value;
}
