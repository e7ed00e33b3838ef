/*
 * fuzz_json.c - any text as the JSON of a model.  What is accepted must be a valid model, whose own
 * JSON reads back as the same.
 */
#include <stdlib.h>
#include <string.h>

#include "print_number.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"

#define MAX_SIZE 8192
/* Bytes that reading may take. */
#define MEMORY ((size_t) 64 << 20)

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_accepted(tlv_context *ctx, const void *image, size_t size)
{
	tlv_json_writer writer = {.most = (size_t) 1 << 28, .number = print_number};
	tlv_frame frame;
	char *text;
	void *again;
	size_t again_size;

	if (!tlv_kind_accepts(ctx, image, size) || tlv_frame_open(ctx, image, size, &frame) != TLV_OK)
		abort();
	if (tlv_model_put_json(ctx, &frame, &writer) != TLV_OK)
		abort();
	text = malloc(writer.n + 1);
	memcpy(text, writer.bytes, writer.n);
	text[writer.n] = '\0';
	if (tlv_model_from_json(ctx, text, writer.n, false, &again, &again_size) != TLV_OK ||
		again_size != size || memcmp(image, again, size) != 0)
		abort();
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tlv_scratch scratch;
	tlv_context ctx;
	size_t made;
	void *image;
	char *text;

	if (size > MAX_SIZE)
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	tlv_context_init_malloc(&ctx);
	ctx.kind_of = tlv_kind_find;
	ctx.arena.limit = MEMORY;
	tlv_scratch_begin(&ctx, &scratch);
	if (tlv_model_from_json(&ctx, text, size, false, &image, &made) == TLV_OK)
	{
		ctx.arena.limit = SIZE_MAX;
		check_accepted(&ctx, image, made);
	}
	tlv_scratch_end(&ctx, &scratch);
	if (ctx.arena.used != 0)
		abort();
	free(text);
	return 0;
}
