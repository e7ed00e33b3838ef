/*
 * context.c - the tlv_context of the server: memory contexts, interrupts,
 * progress, and errors with their SQLSTATEs.
 */
#include "tlv_pg.h"

#include <limits.h>
#include <math.h>
#include <sys/mman.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "tensorlv/num/assert.h"

/* Blocks from this size on are worth huge pages. */
#define LARGE_BLOCK ((size_t) 8 * 1024 * 1024)
#define HUGE_PAGE	((uintptr_t) 2 * 1024 * 1024)

/*
 * Rows of a large basis are read and written at random: with small pages every row is a TLB
 * miss, too.  Only advice: the system may not follow it.
 */
static void
advise_huge_pages(void *block, size_t bytes)
{
#ifdef MADV_HUGEPAGE
	uintptr_t from = ((uintptr_t) block + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	uintptr_t to = ((uintptr_t) block + bytes) & ~(HUGE_PAGE - 1);

	if (from < to)
		(void) madvise((void *) from, to - from, MADV_HUGEPAGE);
#else
#endif
}

static void *
server_alloc(void *owner, size_t bytes)
{
	void *block;

	if (bytes > MaxAllocHugeSize)
		return NULL;
	block = MemoryContextAllocExtended((MemoryContext) owner, bytes > 0 ? bytes : 1,
									   MCXT_ALLOC_HUGE | MCXT_ALLOC_NO_OOM);
	if (block != NULL && bytes >= LARGE_BLOCK)
		advise_huge_pages(block, bytes);
	return block;
}

static void
server_release(void *owner, void *pointer)
{
	pfree(pointer);
}

/*
 * Does whatever the server asks of a backend: barriers, conflicts with recovery, time limits, a
 * client that is gone.  An error may leave from here: every block is palloc'ed below a context of
 * ours, and what outlives the call is marked as in use meanwhile (TlvBeginUse).
 */
static bool
server_stop(void *argument)
{
	CHECK_FOR_INTERRUPTS();
	TlvProgressLook();
	return false;
}

/* What server_stop would find to do, but for telling how far the work is. */
static bool
server_pending(void *argument)
{
	return InterruptPending;
}

static void
server_progress(void *argument, const char *stage, double done, double total)
{
	TlvProgressStage(stage, done, total);
}

static void
server_memory(void *argument, double bytes)
{
	TlvProgressMemory(bytes);
}

void
TlvContextInit(tlv_context *ctx, MemoryContext mcxt, size_t limit)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->arena.alloc = server_alloc;
	ctx->arena.release = server_release;
	ctx->arena.owner = mcxt;
	ctx->arena.limit = limit;
	ctx->stop = server_stop;
	ctx->pending = server_pending;
	ctx->threads = TlvThreads();
	ctx->kind_of = tlv_kind_find;
	ctx->progress = server_progress;
	if (limit < SIZE_MAX)
		ctx->memory = server_memory;
}

tlv_context
TlvCallContext(void)
{
	tlv_context ctx;

	TlvContextInit(&ctx, CurrentMemoryContext, SIZE_MAX);
	return ctx;
}

static int
sqlstate_of(tlv_status status)
{
	switch (status)
	{
		case TLV_BAD_PARAMETER:
			return ERRCODE_INVALID_PARAMETER_VALUE;
		case TLV_BAD_DATA:
		case TLV_NOT_IDENTIFIABLE:
			return ERRCODE_DATA_EXCEPTION;
		case TLV_NO_ROWS:
			return ERRCODE_NO_DATA;
		case TLV_LIMIT:
			return ERRCODE_PROGRAM_LIMIT_EXCEEDED;
		case TLV_MEMORY_LIMIT:
			return ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
		case TLV_OUT_OF_MEMORY:
			return ERRCODE_OUT_OF_MEMORY;
		case TLV_CORRUPT:
			return ERRCODE_INVALID_BINARY_REPRESENTATION;
		case TLV_GONE:
			return ERRCODE_FEATURE_NOT_SUPPORTED;
		case TLV_CANCELLED:
			return ERRCODE_QUERY_CANCELED;
		default:
			return ERRCODE_INTERNAL_ERROR;
	}
}

/* Bytes of the character that begins there; none when it is cut, or none of the encoding. */
static int
character_length(const char *text, int length)
{
#if PG_VERSION_NUM >= 140000
	return Max(pg_encoding_verifymbchar(GetDatabaseEncoding(), text, length), 0);
#else
	return Max(pg_encoding_verifymb(GetDatabaseEncoding(), text, length), 0);
#endif
}

char *
TlvWhole(const char *text)
{
	int left = (int) strlen(text);
	char *whole = palloc((Size) left + 1), *to = whole;

	while (left > 0)
	{
		int length = character_length(text, left);

		memcpy(to, text, (size_t) length);
		to += length;
		text += Max(length, 1);
		left -= Max(length, 1);
	}
	*to = '\0';
	return whole;
}

/* Strings that the server converts must be below a quarter of what it allocates. */
#define CONVERTED_MOST (MaxAllocSize / MAX_CONVERSION_GROWTH - 1)

tlv_text
TlvUtf8(const char *bytes, size_t n)
{
	char *whole, *converted;

	if (bytes == NULL || GetDatabaseEncoding() == PG_UTF8 || GetDatabaseEncoding() == PG_SQL_ASCII)
		return (tlv_text){bytes, n};
	if (n > CONVERTED_MOST)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("the document is too large to be converted to UTF-8")));
	whole = TlvWhole(pnstrdup(bytes, n));
	converted = pg_server_to_any(whole, (int) strlen(whole), PG_UTF8);
	return (tlv_text){converted, strlen(converted)};
}

char *
TlvClip(const char *text, int limit)
{
	int length = (int) strnlen(text, (size_t) limit + MAX_MULTIBYTE_CHAR_LEN);

	return pnstrdup(text, pg_mbcliplen(text, length, limit));
}

void
TlvRaiseMismatch(const char *format, ...)
{
	char what[256];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg("%s", TlvWhole(what)),
					errdetail("The library is of version %s.", TENSORLV_VERSION),
					errhint("Run ALTER EXTENSION tensorlv UPDATE.")));
	pg_unreachable();
}

void
TlvRaiseDropped(Oid function)
{
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
					errmsg("function %u was dropped while it was used", function),
					errhint("Run the statement again once the function exists.")));
	pg_unreachable();
}

/* Less is not worth asking for: what follows may need that, too. */
#define LEAST_KILOBYTES ((double) TLV_LEAST_MEMORY / 1024)

/* The hint where so many bytes are needed: a value of the setting with which that gets on, with
 * something to spare for what follows, two digits and a unit; or that there is none. */
static int
hint_at_memory(double bytes)
{
	double kilobytes = Max(1.5 * bytes / 1024, LEAST_KILOBYTES);
	double unit = 1024 * pow(10, Max(floor(log10(kilobytes / 1024)) - 1, 0));

	if (bytes / 1024 > MAX_KILOBYTES)
		return errhint("No tensorlv.work_mem is so large: ask for fewer components or restarts.");
	return errhint("SET tensorlv.work_mem = '%.0fMB';",
				   Min(ceil(kilobytes / unit) * unit, MAX_KILOBYTES) / 1024);
}

/* The states of many groups, which hashed grouping keeps at once. */
static _Noreturn void
raise_of_groups(const tlv_context *ctx, size_t groups)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("the states of %zu groups need more memory than tensorlv.work_mem", groups),
			 errdetail("%s", TlvWhole(ctx->error.detail)), errhint("SET enable_hashagg = off;")));
	pg_unreachable();
}

void
TlvRaise(const tlv_context *ctx)
{
	const tlv_error *error = &ctx->error;
	size_t groups = error->code == TLV_MEMORY_LIMIT ? TlvStatesOf(ctx) : 0;

	if (error->code == TLV_CANCELLED)
		CHECK_FOR_INTERRUPTS();
	if (groups > 1)
		raise_of_groups(ctx, groups);
	ereport(ERROR, (errcode(sqlstate_of(error->code)), errmsg("%s", TlvWhole(error->message)),
					error->detail[0] != '\0' ? errdetail("%s", TlvWhole(error->detail)) : 0,
					error->code == TLV_MEMORY_LIMIT ? hint_at_memory(strtod(error->hint, NULL))
					: error->hint[0] != '\0'		? errhint("%s", TlvWhole(error->hint))
													: 0));
	pg_unreachable();
}

void
TlvWarn(const tlv_context *ctx)
{
	const tlv_error *error = &ctx->error;

	TlvRaiseWarning(sqlstate_of(error->code), "no_model",
					psprintf("there is no model: %s", error->message), error->detail, error->hint);
}

void
TlvCopy(void *to, const void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += TLV_COPY_PIECE)
	{
		CHECK_FOR_INTERRUPTS();
		memcpy((char *) to + at, (const char *) from + at, Min(bytes - at, TLV_COPY_PIECE));
	}
}

void
TlvRefuseUnfinished(void)
{
	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("the state of this aggregate was left unfinished by an error")));
	pg_unreachable();
}

TlvWork *
TlvWorkBegin(const char *name)
{
	MemoryContext mcxt =
		AllocSetContextCreateInternal(CurrentMemoryContext, name, ALLOCSET_DEFAULT_SIZES);
	TlvWork *work = MemoryContextAllocZero(mcxt, sizeof(TlvWork));

	work->mcxt = mcxt;
	TlvContextInit(&work->ctx, mcxt, TlvWorkMemory());
	/* Values that are open count, but for half of the setting a computation has itself. */
	work->ctx.arena.used = Min(TlvChargedBytes(), work->ctx.arena.limit / 2);
	TlvProgressBegin(mcxt, name + strlen("tensorlv "));
	TlvApplyBlasThreads();
	return work;
}

void
TlvWorkEnd(TlvWork *work)
{
	MemoryContextDelete(work->mcxt);
}

void
TlvMakerBegin(TlvMaker *maker, const char *name)
{
	maker->work = TlvWorkBegin(name);
	maker->ctx = &maker->work->ctx;
}

struct varlena *
TlvMakerEnd(TlvMaker *maker)
{
	struct varlena *value;

	TlvCheck(maker->ctx, tlv_kind_require_made(maker->ctx, maker->image, maker->size));
	TlvCheck(maker->ctx, tlv_model_round(maker->ctx, maker->image, maker->size));
	tlv_assert(tlv_kind_accepts(maker->ctx, maker->image, maker->size));
	value = TlvValue(maker->image, maker->size);
	TlvWorkEnd(maker->work);
	return value;
}
