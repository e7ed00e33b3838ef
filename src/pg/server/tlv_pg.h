/*
 * tlv_pg.h - what the files of the server floor share.
 */
#ifndef TLV_PG_H
#define TLV_PG_H

#include "postgres.h"

#include <math.h>

#include "access/tupdesc.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "lib/stringinfo.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"
#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#endif

#include "tensorlv/model/aggregate.h"
#include "tensorlv/num/bag.h"
#include "tensorlv/num/context.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/num/frame.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"

/* Begins the definition of a function that SQL calls by this name. */
#define TLV_FUNCTION(name)                                                                         \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)

/* The same of a function that makes a model, or another large value, of its arguments alone: it is
 * computed once for as long as its arguments are the same (kept_results.c). */
#define TLV_KEEPING_FUNCTION(name)                                                                 \
	static Datum name##_compute(PG_FUNCTION_ARGS);                                                 \
	TLV_FUNCTION(name)                                                                             \
	{                                                                                              \
		return TlvKeepResult(fcinfo, name##_compute);                                              \
	}                                                                                              \
	static Datum name##_compute(PG_FUNCTION_ARGS)

/* Returns what compute returns, from an earlier call where the arguments are identical; the
 * function is not called through DirectFunctionCall. */
extern Datum TlvKeepResult(FunctionCallInfo fcinfo, PGFunction compute);

/* Bytes of all results that are kept. */
extern size_t TlvKeptBytes(void);

/* Makes the server refuse to end the mode of a query that is read: once, at load (reading.c). */
extern void TlvGuardReading(void);

/* ---- settings (tensorlv.c) ---- */
typedef enum TlvProgress
{
	TLV_PROGRESS_OFF,
	TLV_PROGRESS_NOTICE,
	TLV_PROGRESS_LOG
} TlvProgress;

typedef enum TlvWarnings
{
	TLV_WARNINGS_OFF,
	TLV_WARNINGS_ON,
	TLV_WARNINGS_LOG
} TlvWarnings;

extern int tlv_work_mem;
extern int tlv_model_cache; /* kB */
extern int tlv_progress;
extern int tlv_warnings;

/* Bytes a fit may use: tensorlv.work_mem, below 0 maintenance_work_mem. */
extern size_t TlvWorkMemory(void);

/* Bytes that open values, an open model or the states of an aggregate may use: as many, and never
 * fewer than what a fit may as well be refused for by its own count, which says what it needs. */
#define TLV_LEAST_MEMORY ((size_t) 10 * 1024 * 1024)
extern size_t TlvValueMemory(void);

/* Threads that a loop of a fit may use: tensorlv.threads, within processors and the server's
 * workers. */
extern int TlvThreads(void);

/* Lets BLAS use tensorlv.blas_threads threads; one in a parallel worker. */
extern void TlvApplyBlasThreads(void);

/* ---- context of floors 1 and 2 (context.c) ---- */

/* A context whose memory lives in mcxt, up to limit bytes. */
extern void TlvContextInit(tlv_context *ctx, MemoryContext mcxt, size_t limit);

/* One of the current memory context, without a limit. */
extern tlv_context TlvCallContext(void);

/* Raises ctx->error as an error of the server. */
extern _Noreturn void TlvRaise(const tlv_context *ctx);

/* Says as a warning that there is no model because of that error. */
extern void TlvWarn(const tlv_context *ctx);

#define TlvCheck(ctx, expression)                                                                  \
	do                                                                                             \
	{                                                                                              \
		if ((expression) != TLV_OK)                                                                \
			TlvRaise(ctx);                                                                         \
	} while (0)

/*
 * The text as messages may show it, in the current memory context: what a limit in bytes has left
 * of a character is taken out.  Texts of the lower floors, which know no encodings, pass through
 * here.
 */
extern char *TlvWhole(const char *text);

/* Text of the database in UTF-8, without the incomplete character that a limit in bytes leaves.  A
 * database in SQL_ASCII has no encoding: its bytes are returned as they are. */
extern tlv_text TlvUtf8(const char *bytes, size_t n);

/* The first characters of a text of the user's, at most limit bytes. */
extern char *TlvClip(const char *text, int limit);

/* A function that was dropped while it is used: error 42883. */
extern _Noreturn void TlvRaiseDropped(Oid function);

/* Library and SQL objects do not belong together: the one error for what a version lacks. */
extern _Noreturn void TlvRaiseMismatch(const char *format, ...) pg_attribute_printf(1, 2);

/*
 * Soft errors of input functions: from 16 on what is wrong with a value goes to who asked for that
 * (pg_input_is_valid, COPY ... ON_ERROR ignore); before it is always raised.
 */
#if PG_VERSION_NUM < 160000
#define ereturn(escape, result, ...)                                                               \
	do                                                                                             \
	{                                                                                              \
		(void) (escape);                                                                           \
		ereport(ERROR, __VA_ARGS__);                                                               \
		return result;                                                                             \
	} while (0)
#endif

/*
 * What outlives a call, the state of an aggregate or an opened model, is in use while it is read or
 * changed: if an error leaves meanwhile, half of a change may be done.  Whoever comes later finds
 * it still in use: an exception block in PL/pgSQL lets the query go on.
 */
typedef bool TlvUse;

/* Refuses a state that an error has left in use. */
extern _Noreturn void TlvRefuseUnfinished(void);

static inline void
TlvBeginUse(TlvUse *in_use)
{
	if (unlikely(*in_use))
		TlvRefuseUnfinished();
	*in_use = true;
}

static inline void
TlvEndUse(TlvUse *in_use)
{
	*in_use = false;
}

/* In a loop over the entries of one value, whose index it gets: looks at interrupts at times. */
#define TlvLoopCheck(i)                                                                            \
	do                                                                                             \
	{                                                                                              \
		if (unlikely(((i) &0xffff) == 0xffff))                                                     \
			CHECK_FOR_INTERRUPTS();                                                                \
	} while (0)

/* memcpy for blocks of any size, with looks at interrupts. */
extern void TlvCopy(void *to, const void *from, size_t bytes);

/* A short-lived work space: a memory context of its own and a tlv_context on it. */
typedef struct TlvWork
{
	MemoryContext mcxt;
	tlv_context ctx;
} TlvWork;

/* The name, "tensorlv ...", is that of the context and, without its first word, what progress
 * shows. */
extern TlvWork *TlvWorkBegin(const char *name);
extern void TlvWorkEnd(TlvWork *work);

/*
 * From a formula of the lower floors to a value: between begin and end it is called with
 * maker.ctx, &maker.image and &maker.size.
 */
typedef struct TlvMaker
{
	TlvWork *work;
	tlv_context *ctx; /* the work's */
	void *image;
	size_t size;
} TlvMaker;

extern void TlvMakerBegin(TlvMaker *maker, const char *name);

/* The value, in the current memory context; everything else goes. */
extern struct varlena *TlvMakerEnd(TlvMaker *maker);

/* ---- warnings (warnings.c) ---- */

/* Before anything is planned or run: where the end of a statement is looked for. */
extern void TlvWarningsInit(void);

/* Does another extension plan statements, too? */
extern bool TlvPlannerIsHooked(void);

/* What a model that was just made warns of, but for what the model that it comes from (NULL: none)
 * warned of already: raised when the statement ends. */
extern void TlvRaiseWarnings(const tlv_frame *model, const tlv_frame *before);

/* A warning that no model carries, likewise. detail and hint may be NULL. */
extern void TlvRaiseWarning(int sqlstate, const char *code, const char *message, const char *detail,
							const char *hint);

/*
 * Rows of a statement with elements that a model does not know, in one message at its end: "3 rows
 * have NAME that the model does not know, the first of which is FIRST".  TlvCountsRows: they are
 * counted, since a statement runs and warnings are raised.  TlvCountRow counts one more of that
 * hint; false: it is the first, which TlvCountFirstRow counts, with its message.  Functions that
 * see the same rows count them once: the message has the most rows of one function.
 */
extern bool TlvCountsRows(void);
extern bool TlvCountRow(Oid function, const char *hint);
extern void TlvCountFirstRow(Oid function, const char *name, const char *first, const char *detail,
							 const char *hint);

/*
 * Begin and end of a pass of a driver: its aggregates count rows under a model that is not fitted
 * yet, of which no warning is raised.
 */
extern void TlvPassRunBegin(void);
extern void TlvPassRunEnd(void);
extern bool TlvPassRuns(void);

/*
 * Begin and end of a statement over rows of the caller's query that another statement has read: the
 * functions of models in it do not count them a second time.
 */
extern void TlvRepeatBegin(void);
extern void TlvRepeatEnd(void);

/* The text of a statement, with what its parallel workers have to know of the two. */
extern const char *TlvMarkedText(const char *text);

/* ---- progress (progress.c) ---- */

/* A computation begins that ends with mcxt; within another one, it is a part of that.  what it does
 * is shown until it says so itself. */
extern void TlvProgressBegin(MemoryContext mcxt, const char *what);

/* A pass of that number begins, of passes_left at most (0: not known); a stage has come so far. */
extern void TlvProgressPass(int pass, int passes_left, const char *stage);
extern void TlvProgressStage(const char *stage, double done, double total);

/* What runs will need so many bytes at once. */
extern void TlvProgressMemory(double bytes);

/* Tells what was said last again, once a second. */
extern void TlvProgressLook(void);

/* ---- stored values (value_frames.c, values.c) ---- */

/*
 * The frame of a value, unpacked in the current memory context where it is stored packed; raises an
 * error when it is damaged.  What is fetched and unpacked is charged to tensorlv.work_mem, together
 * with that of every other value that is open; what does not fit is refused before it is unpacked
 * (53400).  A kind that is wanted, unless it is NULL, is looked for in the header; function names
 * the caller.
 */
extern tlv_frame TlvKindFrame(Datum value, const tlv_kind *kind, const char *function);
extern tlv_frame TlvFrameOf(Datum value);
/* The same of a value in memory. */
extern tlv_frame TlvFrame(struct varlena *value);
/* The same for those who read sums: moments that are stored as documents are summed here. */
extern tlv_frame TlvSumsFrameOf(Datum value);
extern tlv_frame TlvSumsFrame(struct varlena *value);

/* Bytes that are charged now; of a value in memory those that unpacking it adds; an error unless
 * so many more may be charged. */
extern size_t TlvChargedBytes(void);
extern size_t TlvUnpackedBytes(struct varlena *value);
extern void TlvRequireBytes(double bytes, const char *what);

/* What a packed value stands for, of a copy of ours, which goes; not charged: whoever keeps it
 * counts it.  Another value is returned as it is. */
extern struct varlena *TlvPlainCopy(struct varlena *copy);

/* The same of a value that somebody keeps, in the memory of that context and within its limit. */
extern struct varlena *TlvPlainFor(tlv_context *ctx, Datum value);

/* Raises an error unless the value, which our own functions have made, is what its kind must be. */
extern void TlvRequireMade(tlv_context *ctx, struct varlena *value);

/* For assertions: the same, asked. */
extern bool TlvAccepts(tlv_context *ctx, struct varlena *value);

/* The record of a value's kind. */
extern const tlv_kind *TlvKind(const tlv_frame *frame);

/* An image (from an arena) as a value in the current memory context, as it is stored: packed where
 * that is smaller. */
extern struct varlena *TlvValue(const void *image, size_t size);

/* A frame built by a builder as a value in the current memory context, likewise. */
extern struct varlena *TlvBuild(tlv_context *ctx, tlv_frame_builder *builder);

/* Raises an error unless the value is of that kind; function names the caller. */
extern void TlvRequireKind(const tlv_frame *frame, const tlv_kind *kind, const char *function);

/* Merges a value into an accumulator; an error unless it is of the accumulator's kind. */
extern void TlvMerge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame);

/* a + b, in the current memory context; an error unless they are of one kind. */
extern struct varlena *TlvSum(const tlv_frame *a, const tlv_frame *b);

/*
 * What follows in a message as a value of that many bytes behind its length word; so many more
 * bytes, as its header has, may be read though they do not belong to it.
 */
extern struct varlena *TlvReceive(StringInfo message, int length, size_t header);

/* A value as a bytea, without its length word. */
extern bytea *TlvSend(struct varlena *value);

#define PG_GETARG_TLV(n) ((struct varlena *) PG_DETOAST_DATUM(PG_GETARG_DATUM(n)))

/* ---- rows (result_rows.c) ---- */

/* Prepares fcinfo to return rows of its declared type, materialised; then one call per row. */
extern void TlvInitRows(FunctionCallInfo fcinfo);

/* A column of a row. */
typedef struct TlvCell
{
	Datum value;
	bool isnull;
	void *owned; /* freed once the row is put, or NULL */
} TlvCell;

/*
 * One row, of as many cells as its type has columns:
 *     TlvPutRow(fcinfo, TlvInt4(rank), TlvText(name), TlvKnown(z));
 */
#define TlvPutRow(fcinfo, ...)                                                                     \
	TlvPutCells(fcinfo, lengthof(((TlvCell[]){__VA_ARGS__})), (TlvCell[]){__VA_ARGS__})

extern void TlvPutCells(FunctionCallInfo fcinfo, int n, const TlvCell *cells);

static inline TlvCell
TlvDatum(Datum value)
{
	return (TlvCell){.value = value};
}

static inline TlvCell
TlvBool(bool value)
{
	return TlvDatum(BoolGetDatum(value));
}

static inline TlvCell
TlvInt4(int32 value)
{
	return TlvDatum(Int32GetDatum(value));
}

static inline TlvCell
TlvInt8(int64 value)
{
	return TlvDatum(Int64GetDatum(value));
}

static inline TlvCell
TlvFloat8(double value)
{
	return TlvDatum(Float8GetDatum(value));
}

/* An array, a bag or a text made for this row; NULL where there is none. */
static inline TlvCell
TlvOwned(void *value)
{
	return (TlvCell){PointerGetDatum(value), value == NULL, value};
}

static inline TlvCell
TlvNullIf(bool isnull, TlvCell cell)
{
	cell.isnull |= isnull;
	return cell;
}

/* A number; NULL where it is NaN, not known. */
static inline TlvCell
TlvKnown(double value)
{
	return TlvNullIf(isnan(value), TlvFloat8(value));
}

/* A text; NULL where there is none. */
extern TlvCell TlvText(const char *value);

/* The same of one in a value, which may come from a database of another encoding: 22021. */
extern TlvCell TlvStoredText(tlv_text text);

/* Raises 22021 where texts of a stored warning are not in the encoding of the database: the value
 * may come from another one. */
extern void TlvVerifyWarning(const struct tlv_warning *warning);

/* ---- live aggregate states (expanded.c) ---- */

/*
 * One per aggregate context, shared by all its groups: a child memory context for every
 * state, the tlv_context on it, and the constants (subspaces, models) that were opened.
 * One context per group would make hashed grouping quadratic.  All of it together takes at most
 * tensorlv.work_mem.
 */
typedef struct TlvShared
{
	MemoryContext aggregate;
	MemoryContext mcxt;
	tlv_context ctx;
	size_t states;					/* that have begun */
	struct HTAB *constants;			/* NULL before the first */
	struct TlvCallNote *notes;		/* of calls without an expression (TlvCallNote) */
	const void *compares_bytes;		/* the call site whose strings were last allowed to be */
	MemoryContextCallback callback; /* takes it out of those that live */
} TlvShared;

/* Error 42809: a function of aggregates is called outside of one. */
extern _Noreturn void TlvRefuseCallByHand(void);

/* Error unless it is a call of an aggregate, whose memory context *mcxt gets unless it is NULL. */
static inline void
TlvRequireAggregate(FunctionCallInfo fcinfo, MemoryContext *mcxt)
{
	if (unlikely(!AggCheckCallContext(fcinfo, mcxt)))
		TlvRefuseCallByHand();
}

/* Finds or makes it; errors when fcinfo is no aggregate call. */
extern TlvShared *TlvSharedState(FunctionCallInfo fcinfo);

/* Another state begins, of so many bytes of its own beside those from the arena. */
extern void TlvCountState(TlvShared *shared, size_t bytes);

/* How many states have begun in the aggregate context of a tlv_context; 0: it is of none. */
extern size_t TlvStatesOf(const tlv_context *ctx);

/*
 * Key by which the same stored value is recognised without reading it: its TOAST pointer, or the
 * frame's header (with its digest) of one in memory.  Returns its size; 0 when there is none.
 */
#define TLV_KEY_SIZE 40
extern size_t TlvValueKey(Datum value, char *key);

/* What a pointer in memory points to; NULL for another value. */
extern struct varlena *TlvReferredValue(Datum value);

/* Puts a subspace or model given as a constant argument into the statistic, opened as its aggregate
 * wants it: once per aggregate context. */
extern void TlvOpenConstant(TlvShared *shared, Datum value, tlv_statistic *statistic);

/*
 * Drops the states of all aggregates below a context, whose results have been copied out of them:
 * nothing may be asked of these aggregates any more.
 */
extern void TlvDropStates(MemoryContext below);

/* Is it what a running statement of ours refers to (TlvStatementHeld)?  It outlives all states. */
extern bool TlvIsHeld(const struct varlena *value);

typedef struct TlvExpanded
{
	ExpandedObjectHeader header;
	int magic;
	TlvShared *shared;
	tlv_accumulator *accumulator;
	TlvUse in_use;
	uint64 edition;				/* increased before each change (TlvStateKey) */
	tlv_frame_header flat;		/* of the flat value of this edition; size 0: not made yet */
	tlv_frame_builder *builder; /* between get_flat_size and flatten_into */
	tlv_packing *packing;		/* likewise */
	size_t flat_size;
	/* The reader whose rows of that form the accumulator is known to take. */
	const struct TlvRowReader *reader;
	tlv_row_form form;
	/* The model that is the aggregate's constant; or NULL. */
	const struct tlv_model *model;
	/* Values that came as such are in it, or a model or subspace: they are what their kinds may be,
	 * but what follows from several of them is checked before it is handed out. */
	bool foreign;
} TlvExpanded;

extern TlvExpanded *TlvExpandedCreate(TlvShared *shared, tlv_accumulator *accumulator);
/* The live state of a value that may be changed, which will be; NULL for another value. */
extern TlvExpanded *TlvExpandedGet(Datum value);

/* The bytes that identify the content of a live state: those of its flat value (TlvValueKey) once
 * that was made, before then its edition, which no other content has; 0 for any other value. */
extern size_t TlvStateKey(Datum value, char *key);

/* The live state in argument 0 of a transition function; NULL when it is NULL or a flat value. */
extern TlvExpanded *TlvLiveState(FunctionCallInfo fcinfo);

/* A live state from an empty accumulator and, unless it is NULL, the flat value in argument 0. */
extern TlvExpanded *TlvBeginState(FunctionCallInfo fcinfo, TlvShared *shared,
								  tlv_accumulator *accumulator);

static inline Datum
TlvExpandedDatum(TlvExpanded *expanded)
{
	return EOHPGetRWDatum(&expanded->header);
}

/* ---- bags (bag.c) ---- */
extern Datum tlv_bag_in(PG_FUNCTION_ARGS);
extern Datum tlv_moments_in(PG_FUNCTION_ARGS); /* and of the others (values.c) */
extern Datum tlv_subspace_in(PG_FUNCTION_ARGS);
extern Datum tlv_model_in(PG_FUNCTION_ARGS);
extern Datum tlv_graph_in(PG_FUNCTION_ARGS);
extern Datum tlv_to_bag_tsvector(PG_FUNCTION_ARGS);

/* The bag that a text is the text form of, or that of the tsvector, which is then *words (otherwise
 * 0); false: of neither. */
extern bool TlvBagOfText(char *text, Datum *bag, Datum *words);
/* The bag of an array of text, whose elements are terms.  Error: 22004 for a null. */
extern Datum TlvBagOfTerms(Datum terms);
extern struct varlena *TlvBagValue(size_t n, const int64_t *items, const double *weights);

/* Items and weights of a bag, as many as are returned, in the current memory context. */
extern size_t TlvBagDecode(struct varlena *value, int64_t **items, double **weights);
#define TLV_BAG(value) ((const tlv_bag_image *) (value))

/* Stable 63-bit id of a term. */
extern int64 TlvTermId(const char *text, size_t length);

/* What an id is called: its name or, where that has no bytes, the digits of the number. */
extern TlvCell TlvIdCell(tlv_text name, int64 id);

/* What the i-th id of a list is called, its name, or the digits of the number; as a cell, too. */
extern char *TlvNameText(const tlv_name_list *names, size_t i, int64 id);
extern TlvCell TlvNameCell(const tlv_name_list *names, size_t i, int64 id);
/* The same of a category, which is called '' where the others have names. */
extern TlvCell TlvCategoryCell(const tlv_name_list *names, size_t i, int64 code);

/* ---- labels (labels.c) ---- */

/* The label of a model's component, numbered from 0; NULL where it has none. */
extern TlvCell TlvComponentLabel(const tlv_frame *model, size_t component);

/* What a dimension of a model of vectors is called, numbered from 0, behind so many in the views
 * before its own: its name, or the digits of its number, from 1. */
extern TlvCell TlvDimensionName(const tlv_frame *model, size_t before, size_t dimension);

/* ---- models (model.c) ---- */

/* A model that is open (model_cache.c); its memory context holds all of it. */
typedef struct TlvModelCache
{
	MemoryContext mcxt;
	tlv_context ctx;
	tlv_model *model;
	tlv_posterior posterior; /* filled again and again */
	struct tlv_drawn *drawn; /* NULL until it is wanted */
	/* the cache's own */
	struct TlvModelKey *key;
	size_t bytes;	  /* as of the last look */
	dlist_head sites; /* call sites that hold it */
	bool listed;	  /* it is found by its key */
	TlvUse in_use;
	dlist_node by_use;
} TlvModelCache;

/*
 * The model of an argument, opened unless the backend has it open.  fn_extra must have no other
 * use.  In use until TlvCachedModelEnd: one that an error left in use is opened anew.
 */
extern TlvModelCache *TlvCachedModel(FunctionCallInfo fcinfo, int argument);

/*
 * What a function keeps of its arguments from one call to the next, such as their types: kept, NULL
 * at first, and the memory that it lives in.  It belongs to the call site, in fn_extra.  An engine
 * that takes aggregates apart makes fn_extra for every row, and calls without an expression; there
 * the types of the arguments are those that the function declares, and the note belongs to the
 * function and its collation within the aggregate context.
 */
typedef struct TlvCallNote
{
	void *kept;
	MemoryContext mcxt;
	Oid function, collation; /* of an aggregate context's */
	struct TlvCallNote *next;
} TlvCallNote;

extern TlvCallNote *TlvNoteOfCall(FunctionCallInfo fcinfo);

static inline void
TlvCachedModelEnd(TlvModelCache *cache)
{
	TlvEndUse(&cache->in_use);
}

/* Raises an error unless the model is of that kind. */
extern tlv_frame TlvModelFrame(FunctionCallInfo fcinfo, int argument, const tlv_kind *kind,
							   const char *function);

/* The values of an array but those that are null, as they are stored. */
typedef struct TlvStoredArray
{
	size_t n;
	const tlv_frame_header **headers;
	MemoryContext opened; /* of the element that is open; NULL before the first */
} TlvStoredArray;

extern TlvStoredArray TlvReadArray(Datum array);

/* The frame of an element of a TlvStoredArray, until another one is opened. */
extern tlv_frame TlvOpenElement(void *array, size_t i);

/* The frames of all of them at once: their unpacked sizes are charged together, before the first
 * is unpacked. */
extern tlv_frame *TlvOpenArray(const TlvStoredArray *array);

/* tlv_drift: rows (test, component, statistic, p_value) (kinds.c). */
extern void TlvPutDrift(FunctionCallInfo fcinfo, const tlv_drift *drift);
/* A warning of the rows that statistics do not have. */
extern void TlvWarnSkipped(const tlv_frame *model, const tlv_frame *statistics);

/* ---- arguments ---- */

/* A seed argument: 0 .. 2^53 - 1, which every stored form holds exactly. */
extern uint64 TlvSeedArgument(FunctionCallInfo fcinfo, int argument);

/* A count argument of at least minimum. */
extern size_t TlvCountArgument(FunctionCallInfo fcinfo, int argument, const char *name,
							   int minimum);

#endif /* TLV_PG_H */
