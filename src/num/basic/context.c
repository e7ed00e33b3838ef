/*
 * context.c - memory, errors and limits of the plain C library (context.h).
 */
#include "tensorlv/num/context.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/assert.h"

/*
 * What stands right before every block.  The owner need not align better than
 * malloc or palloc do: blocks are aligned here, large ones to a cache line so
 * that vector loads do not straddle two.
 */
typedef struct block_header
{
	tlv_block_ring ring; /* of its scratch; NULL without one */
	void *raw;			 /* what the owner gave */
	size_t total;		 /* what was asked of the owner */
} block_header;

#define LARGE_ALIGN 64

static void *
malloc_alloc(void *owner, size_t bytes)
{
	return malloc(bytes);
}

static void
malloc_release(void *owner, void *pointer)
{
	free(pointer);
}

void
tlv_context_init_malloc(tlv_context *ctx)
{
	memset(ctx, 0, sizeof(*ctx));
	ctx->arena.alloc = malloc_alloc;
	ctx->arena.release = malloc_release;
	ctx->arena.limit = SIZE_MAX;
}

/* "131 kB", "92.4 MB", "1.5 GB": at least as much. */
static void
write_size(char *text, size_t size, double bytes)
{
	double kilobytes = ceil(bytes / 1024);

	if (kilobytes < 1024)
		snprintf(text, size, "%.0f kB", kilobytes);
	else if (kilobytes < 1024.0 * 1024)
		snprintf(text, size, "%.1f MB", ceil(kilobytes / 102.4) / 10);
	else
		snprintf(text, size, "%.1f GB", ceil(kilobytes / (102.4 * 1024)) / 10);
}

static tlv_status
over_limit(tlv_context *ctx, double bytes, const char *what)
{
	char needed[32], used[32], limit[32];

	write_size(needed, sizeof(needed), bytes);
	write_size(used, sizeof(used), (double) ctx->arena.used);
	write_size(limit, sizeof(limit), (double) ctx->arena.limit);
	tlv_fail(ctx, TLV_MEMORY_LIMIT, "%s of memory are needed for %s", needed, what);
	tlv_fail_detail(ctx, "%s are allowed, of which %s are in use.", limit, used);
	return tlv_fail_hint(ctx, "%.0f", fmax((double) ctx->arena.used + bytes, ctx->arena.expected));
}

static block_header *
header_of(void *pointer)
{
	return (block_header *) pointer - 1;
}

static void
block_link(block_header *header, tlv_block_ring *behind)
{
	header->ring.before = behind;
	header->ring.next = behind->next;
	behind->next->before = &header->ring;
	behind->next = &header->ring;
}

static void
block_unlink(block_header *header)
{
	if (header->ring.next == NULL)
		return;
	tlv_assert(header->ring.before->next == &header->ring);
	tlv_assert(header->ring.next->before == &header->ring);
	header->ring.before->next = header->ring.next;
	header->ring.next->before = header->ring.before;
	header->ring.next = header->ring.before = NULL;
}

/* A block that is in no scratch. */
static void *
block_alloc(tlv_context *ctx, size_t count, size_t size)
{
	const int small_align = 16;
	const int large_block = 1024;
	size_t bytes, align, total;
	void *raw;
	block_header *header;

	if (__builtin_mul_overflow(count, size, &bytes) ||
		__builtin_add_overflow(bytes, sizeof(block_header) + LARGE_ALIGN, &total))
	{
		tlv_fail(ctx, TLV_LIMIT, "an array of %zu elements of %zu bytes is too large", count, size);
		return NULL;
	}
	align = bytes >= large_block ? LARGE_ALIGN : small_align;
	total = bytes + sizeof(block_header) + align;
	if (ctx->arena.used > ctx->arena.limit || total > ctx->arena.limit - ctx->arena.used)
	{
		over_limit(ctx, (double) total, "an array");
		return NULL;
	}
	raw = ctx->arena.alloc(ctx->arena.owner, total);
	if (raw == NULL)
	{
		tlv_fail(ctx, TLV_OUT_OF_MEMORY, "out of memory: an array of %zu bytes", total);
		return NULL;
	}
	header = (block_header *) (((uintptr_t) raw + sizeof(block_header) + align - 1) &
							   ~(uintptr_t) (align - 1)) -
			 1;
	header->ring.next = header->ring.before = NULL;
	header->raw = raw;
	header->total = total;
	ctx->arena.used += total;
	if (ctx->arena.used > ctx->arena.peak)
		ctx->arena.peak = ctx->arena.used;
	return header + 1;
}

void *
tlv_alloc(tlv_context *ctx, size_t count, size_t size)
{
	void *pointer = block_alloc(ctx, count, size);

	if (pointer != NULL && ctx->scratch != NULL)
		block_link(header_of(pointer), &ctx->scratch->blocks);
	return pointer;
}

static size_t
piece_from(size_t at, size_t bytes)
{
	return bytes - at < TLV_COPY_PIECE ? bytes - at : TLV_COPY_PIECE;
}

void *
tlv_alloc0(tlv_context *ctx, size_t count, size_t size)
{
	char *pointer = tlv_alloc(ctx, count, size);

	for (size_t at = 0; pointer != NULL && at < count * size; at += TLV_COPY_PIECE)
	{
		if (at > 0 && tlv_should_stop(ctx))
		{
			tlv_free(ctx, pointer);
			tlv_cancelled(ctx);
			return NULL;
		}
		memset(pointer + at, 0, piece_from(at, count * size));
	}
	return pointer;
}

tlv_status
tlv_copy(tlv_context *ctx, void *to, const void *from, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += TLV_COPY_PIECE)
	{
		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		memcpy((char *) to + at, (const char *) from + at, piece_from(at, bytes));
	}
	return TLV_OK;
}

/* Bytes that the caller may use in a block. */
static size_t
usable_bytes(void *pointer)
{
	block_header *header = header_of(pointer);

	return header->total - (size_t) ((char *) pointer - (char *) header->raw);
}

/* A block that grows stays in the scratch that it is in. */
void *
tlv_realloc(tlv_context *ctx, void *pointer, size_t count, size_t size)
{
	block_header *header;
	size_t kept;
	void *fresh;

	if (pointer == NULL)
		return tlv_alloc(ctx, count, size);
	fresh = block_alloc(ctx, count, size);
	if (fresh == NULL)
		return NULL;
	header = header_of(pointer);
	kept = usable_bytes(pointer);
	if (tlv_copy(ctx, fresh, pointer, kept < count * size ? kept : count * size) != TLV_OK)
	{
		tlv_free(ctx, fresh);
		return NULL;
	}
	if (header->ring.next != NULL)
		block_link(header_of(fresh), &header->ring);
	tlv_free(ctx, pointer);
	return fresh;
}

tlv_status
tlv_reserve(tlv_context *ctx, void *array, size_t n, size_t *room, size_t size)
{
	size_t larger = *room + *room / 2 + 64;
	void *block;

	if (n <= *room)
		return TLV_OK;
	larger = larger < n ? n : larger;
	memcpy(&block, array, sizeof(block));
	block = tlv_realloc(ctx, block, larger, size);
	TLV_TRY_ALLOC(ctx, block);
	memcpy(array, &block, sizeof(block));
	*room = larger;
	return TLV_OK;
}

void
tlv_free(tlv_context *ctx, void *pointer)
{
	block_header *header;

	if (pointer == NULL)
		return;
	header = header_of(pointer);
	block_unlink(header);
	tlv_assert(header->total <= ctx->arena.used);
	ctx->arena.used -= header->total;
	ctx->arena.release(ctx->arena.owner, header->raw);
}

/* ---- scratches ---- */

void
tlv_scratch_begin(tlv_context *ctx, tlv_scratch *scratch)
{
	scratch->blocks.next = scratch->blocks.before = &scratch->blocks;
	scratch->outer = ctx->scratch;
	ctx->scratch = scratch;
}

void
tlv_scratch_keep(tlv_context *ctx, void *pointer)
{
	block_header *header = header_of(pointer);

	tlv_assert(ctx->scratch != NULL);
	block_unlink(header);
	if (ctx->scratch->outer != NULL)
		block_link(header, &ctx->scratch->outer->blocks);
}

void
tlv_scratch_end(tlv_context *ctx, tlv_scratch *scratch)
{
	tlv_assert(ctx->scratch == scratch);
	while (scratch->blocks.next != &scratch->blocks)
		tlv_free(ctx, (block_header *) scratch->blocks.next + 1);
	ctx->scratch = scratch->outer;
}

static void
tell_memory(const tlv_context *ctx, double bytes)
{
	if (ctx->memory != NULL)
		ctx->memory(ctx->progress_argument, (double) ctx->arena.used + bytes);
}

tlv_status
tlv_require_memory(tlv_context *ctx, double bytes, const char *what)
{
	double left =
		ctx->arena.limit > ctx->arena.used ? (double) (ctx->arena.limit - ctx->arena.used) : 0;

	/* Written so that a NaN counts as too much. */
	if (!(bytes <= left))
		return over_limit(ctx, bytes, what);
	tell_memory(ctx, bytes);
	return TLV_OK;
}

tlv_status
tlv_count_memory(tlv_context *ctx, size_t before, size_t bytes)
{
	size_t others = ctx->arena.used - before;

	if (bytes > before && (others > ctx->arena.limit || bytes > ctx->arena.limit - others))
		return over_limit(ctx, (double) (bytes - before), "an array");
	ctx->arena.used = others + bytes;
	if (ctx->arena.used > ctx->arena.peak)
		ctx->arena.peak = ctx->arena.used;
	return TLV_OK;
}

void
tlv_expect_memory(tlv_context *ctx, double bytes)
{
	ctx->arena.expected = fmax((double) ctx->arena.used + bytes, ctx->arena.expected);
	tell_memory(ctx, bytes);
}

/* Annotations for the static analyzer (context.h). */
#undef tlv_fail
#undef tlv_fail_hint
#undef tlv_cancelled

tlv_status
tlv_fail(tlv_context *ctx, tlv_status code, const char *format, ...)
{
	va_list arguments;

	ctx->error.code = code;
	ctx->error.detail[0] = '\0';
	ctx->error.hint[0] = '\0';
	va_start(arguments, format);
	vsnprintf(ctx->error.message, sizeof(ctx->error.message), format, arguments);
	va_end(arguments);
	return code;
}

void
tlv_fail_detail(tlv_context *ctx, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(ctx->error.detail, sizeof(ctx->error.detail), format, arguments);
	va_end(arguments);
}

void
tlv_fail_values(tlv_context *ctx, const char *what, int digits, size_t n, const double *values)
{
	char *text = ctx->error.detail;
	size_t room = sizeof(ctx->error.detail), used = (size_t) snprintf(text, room, "%s", what);

	for (size_t i = 0; i < n && used + 16 < room; i++)
		used += (size_t) snprintf(text + used, room - used, "%s%.*g", i > 0 ? ", " : " ", digits,
								  values[i]);
	snprintf(text + used, room - used, ".");
}

tlv_status
tlv_fail_hint(tlv_context *ctx, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(ctx->error.hint, sizeof(ctx->error.hint), format, arguments);
	va_end(arguments);
	return ctx->error.code;
}

tlv_status
tlv_cancelled(tlv_context *ctx)
{
	return tlv_fail(ctx, TLV_CANCELLED, "the computation was cancelled");
}
