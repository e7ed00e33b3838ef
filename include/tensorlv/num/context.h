/*
 * context.h - what every function of the plain C library is handed: memory,
 * error, interrupt and progress.
 *
 * Floors 1 and 2 never print, exit, longjmp or call malloc by themselves.
 * They allocate from ctx->arena, return a tlv_status, fill ctx->error, call
 * tlv_should_stop() at least every 50 ms of work and report progress through
 * a callback.  The server hands in a context that sits on memory contexts and
 * interrupts; the unit tests hand in tlv_context_init_malloc().
 */
#ifndef TENSORLV_CONTEXT_H
#define TENSORLV_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tlv_status
{
	TLV_OK = 0,
	TLV_BAD_PARAMETER,	  /* a caller's parameter is out of its range: 22023 */
	TLV_BAD_DATA,		  /* the data cannot be used: 22000 */
	TLV_NO_ROWS,		  /* there are no rows to learn from: 02000 */
	TLV_NOT_IDENTIFIABLE, /* the data do not determine the model: 22000, with DETAIL */
	TLV_LIMIT,			  /* a size limit is exceeded: 54000 */
	TLV_MEMORY_LIMIT,	  /* more memory than allowed is needed: 53400 */
	TLV_OUT_OF_MEMORY,	  /* the system has none left: 53200 */
	TLV_CORRUPT,		  /* a stored image does not pass validation: 22P03 */
	TLV_GONE,			  /* a stored value of a kind that is no longer there: 0A000 */
	TLV_CANCELLED,		  /* should_stop() said so: 57014 */
	TLV_INTERNAL		  /* cannot happen: XX000 */
} tlv_status;

typedef struct tlv_error
{
	tlv_status code;
	char message[256];
	char detail[1024];
	char hint[256]; /* of TLV_MEMORY_LIMIT: the bytes that would do, in digits */
} tlv_error;

/*
 * An allocator with a byte limit.  alloc must return NULL rather than fail in
 * any other way; memory is aligned to at least 8 bytes and not zeroed.
 */
typedef struct tlv_arena
{
	void *(*alloc)(void *owner, size_t bytes);
	void (*release)(void *owner, void *pointer);
	void *owner;
	size_t limit; /* bytes that may be in use at once; SIZE_MAX for no limit */
	size_t used;
	size_t peak;
	double expected; /* bytes in use at the peak of what is going on, as far as it is known */
} tlv_arena;

/* Blocks of a scratch, or a place between two of them. */
typedef struct tlv_block_ring
{
	struct tlv_block_ring *next, *before;
} tlv_block_ring;

/* A stretch of work whose memory is given back at its end. */
typedef struct tlv_scratch
{
	tlv_block_ring blocks;
	struct tlv_scratch *outer;
} tlv_scratch;

typedef struct tlv_context
{
	tlv_arena arena;
	tlv_scratch *scratch;			   /* the innermost that has begun; NULL: none */
	bool (*stop)(void *stop_argument); /* may be NULL */
	void *stop_argument;
	/* Whether there is a reason to ask stop() now, without side effects; may be NULL.  It is asked
	 * while threads run (lanes.h), where stop() may not be. */
	bool (*pending)(void *stop_argument);
	int threads; /* that a loop may use, the calling one included; 0 and 1: no other */
	void (*progress)(void *progress_argument, const char *stage, double done, double total);
	/* So many bytes will be in use at once, as is known beforehand. */
	void (*memory)(void *progress_argument, double bytes);
	void *progress_argument; /* of both, which may be NULL */
	/* The record of a kind of stored values (kind.h), or NULL: what frames are given when they are
	 * opened.  NULL where the floor above has no kinds. */
	const struct tlv_kind *(*kind_of)(unsigned type, unsigned code);
	tlv_error error;
} tlv_context;

/* A context on malloc without limit, interrupts or progress. */
extern void tlv_context_init_malloc(tlv_context *ctx);

/*
 * count * size bytes, zeroed by tlv_alloc0.  On overflow, limit or exhaustion
 * NULL, with ctx->error filled.  Zero bytes give a valid pointer.  Setting and copying
 * large blocks takes its time: tlv_alloc0 and tlv_realloc also give NULL when asked to stop.
 */
extern void *tlv_alloc(tlv_context *ctx, size_t count, size_t size);
extern void *tlv_alloc0(tlv_context *ctx, size_t count, size_t size);

/* Grows (or shrinks) to count * size bytes, contents kept; NULL leaves the old block valid. */
extern void *tlv_realloc(tlv_context *ctx, void *pointer, size_t count, size_t size);

/*
 * Room for at least n elements of that size in an array that grows, by a half of itself at least:
 * *array points to it, of any type (NULL: there is none yet), and *room is how many it has room
 * for.  Errors: those of tlv_realloc.
 */
extern tlv_status tlv_reserve(tlv_context *ctx, void *array, size_t n, size_t *room, size_t size);

/* Gives a block back; NULL is allowed. */
extern void tlv_free(tlv_context *ctx, void *pointer);

/* Bytes that are set or copied between two looks at tlv_should_stop(): new pages cost most. */
#define TLV_COPY_PIECE ((size_t) 16 << 20)

/* memcpy for blocks of any size, with looks at tlv_should_stop(). */
extern tlv_status tlv_copy(tlv_context *ctx, void *to, const void *from, size_t bytes);

/*
 * What is allocated between begin and end is given back at the end, unless it was kept: a trial
 * fit leaves nothing behind but its result.  Scratches nest; blocks from before may be freed and
 * grown in one and stay what they are.  Whoever begins one ends it, also after an error.
 */
extern void tlv_scratch_begin(tlv_context *ctx, tlv_scratch *scratch);
/* Takes a block out of the innermost scratch; it belongs to the one around it, if any. */
extern void tlv_scratch_keep(tlv_context *ctx, void *pointer);
extern void tlv_scratch_end(tlv_context *ctx, tlv_scratch *scratch);

/*
 * Counts memory that the caller has from elsewhere, so many bytes instead of so many before, as if
 * it were from the arena.  Error: TLV_MEMORY_LIMIT, and nothing has changed.
 */
extern tlv_status tlv_count_memory(tlv_context *ctx, size_t before, size_t bytes);

/*
 * Checks a requirement computed beforehand against the limit that is left.
 * Returns TLV_MEMORY_LIMIT with what is needed in the message, allowed and in use in the detail.
 */
extern tlv_status tlv_require_memory(tlv_context *ctx, double bytes, const char *what);

/*
 * What follows will need so many bytes more at its peak.  Nothing is refused for it; an error of
 * memory names enough for all of it, not for the next step alone.
 */
extern void tlv_expect_memory(tlv_context *ctx, double bytes);

/* True when the caller wants the work to end; the function then returns TLV_CANCELLED. */
static inline bool
tlv_should_stop(tlv_context *ctx)
{
	return ctx->stop != NULL && (ctx->stop)(ctx->stop_argument);
}

static inline void
tlv_report(tlv_context *ctx, const char *stage, double done, double total)
{
	if (ctx->progress != NULL)
		ctx->progress(ctx->progress_argument, stage, done, total);
}

/* Fills ctx->error (printf-like) and returns code; detail and hint are cleared. */
extern tlv_status tlv_fail(tlv_context *ctx, tlv_status code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
extern void tlv_fail_detail(tlv_context *ctx, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A detail that lists numbers, as many as fit, to so many digits: "WHAT 3, 2, 1." */
extern void tlv_fail_values(tlv_context *ctx, const char *what, int digits, size_t n,
							const double *values);
/* Returns the code of the error that it is a hint to. */
extern tlv_status tlv_fail_hint(tlv_context *ctx, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Returns TLV_CANCELLED with its error filled. */
extern tlv_status tlv_cancelled(tlv_context *ctx);

#ifdef __clang_analyzer__
/* It sees one file at a time, and would take failures for TLV_OK. */
#define tlv_fail(ctx, code, ...) ((tlv_fail) (ctx, code, __VA_ARGS__), (code))
#define tlv_fail_hint(ctx, ...)	 ((tlv_fail_hint) (ctx, __VA_ARGS__), TLV_BAD_PARAMETER)
#define tlv_cancelled(ctx)		 ((tlv_cancelled) (ctx), TLV_CANCELLED)
#endif

/* Return from the calling function when expression is not TLV_OK. */
#define TLV_TRY(expression)                                                                        \
	do                                                                                             \
	{                                                                                              \
		tlv_status tlv_try_status = (expression);                                                  \
		if (tlv_try_status != TLV_OK)                                                              \
			return tlv_try_status;                                                                 \
	} while (0)

/* Return ctx->error.code from the calling function when an allocation gave NULL. */
#define TLV_TRY_ALLOC(ctx, pointer)                                                                \
	do                                                                                             \
	{                                                                                              \
		if ((pointer) == NULL)                                                                     \
			return (ctx)->error.code != TLV_OK ? (ctx)->error.code : TLV_INTERNAL;                 \
	} while (0)

/*
 * The pointer becomes an array of n elements of its type, or of n rows of so many, or the calling
 * function returns as with TLV_TRY_ALLOC; with 0 they are zero.
 */
#define TLV_TRY_NEW(ctx, pointer, n)			 TLV_TRY_NEW_BY(tlv_alloc, ctx, pointer, n, 1)
#define TLV_TRY_NEW0(ctx, pointer, n)			 TLV_TRY_NEW_BY(tlv_alloc0, ctx, pointer, n, 1)
#define TLV_TRY_NEW_ROWS(ctx, pointer, n, each)	 TLV_TRY_NEW_BY(tlv_alloc, ctx, pointer, n, each)
#define TLV_TRY_NEW0_ROWS(ctx, pointer, n, each) TLV_TRY_NEW_BY(tlv_alloc0, ctx, pointer, n, each)
#define TLV_TRY_NEW_BY(allocate, ctx, pointer, n, each)                                            \
	do                                                                                             \
	{                                                                                              \
		(pointer) = allocate(ctx, n, (each) * sizeof(*(pointer)));                                 \
		TLV_TRY_ALLOC(ctx, pointer);                                                               \
	} while (0)

/* Return TLV_CANCELLED from the calling function when asked to stop. */
#define TLV_TRY_CONTINUE(ctx)                                                                      \
	do                                                                                             \
	{                                                                                              \
		if (tlv_should_stop(ctx))                                                                  \
			return tlv_cancelled(ctx);                                                             \
	} while (0)

/* The same at the i-th turn of a loop that does little in each. */
#define TLV_TRY_CONTINUE_AT(ctx, i)                                                                \
	do                                                                                             \
	{                                                                                              \
		if (((i) &0xffff) == 0xffff)                                                               \
			TLV_TRY_CONTINUE(ctx);                                                                 \
	} while (0)

/* The same of a loop that takes microseconds in each. */
#define TLV_TRY_CONTINUE_OFTEN(ctx, i)                                                             \
	do                                                                                             \
	{                                                                                              \
		if ((i) % 64 == 0)                                                                         \
			TLV_TRY_CONTINUE(ctx);                                                                 \
	} while (0)

/* n numbers, all 0. */
static inline tlv_status
tlv_alloc_numbers(tlv_context *ctx, double **numbers, size_t n)
{
	*numbers = tlv_alloc0(ctx, n, sizeof(double));
	TLV_TRY_ALLOC(ctx, *numbers);
	return TLV_OK;
}

static inline size_t
tlv_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Hot loops are compiled for several instruction sets and chosen at load time
 * (never -march=native).  Off where the mechanism is missing: other
 * compilers, other processors, and under AddressSanitizer and ThreadSanitizer, whose run time is
 * not up when the choice is made.
 */
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) &&                             \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define TLV_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define TLV_CLONES
#endif

#endif /* TENSORLV_CONTEXT_H */
