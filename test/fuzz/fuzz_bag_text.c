/*
 * fuzz_bag_text.c - any text as a bag.  What is accepted must have a valid
 * image, and its own text form must read back as the same bag.
 */
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/bag.h"

#define MAX_SIZE 512

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The image; aborts when it is not valid. */
static void *
image_of(tlv_context *ctx, size_t n, const int64_t *items, const double *weights, size_t *size)
{
	void *image;

	*size = tlv_bag_size(n, items, weights);
	image = malloc(*size);
	memset(image, 0, 4);
	tlv_bag_write(n, items, weights, image);
	if (tlv_bag_validate(ctx, image, *size) != TLV_OK)
		abort();
	return image;
}

static char *
text_of(size_t n, const int64_t *items, const double *weights)
{
	char *text = malloc(66 * n + 3);
	size_t at = 0;

	text[at++] = '{';
	for (size_t i = 0; i < n; i++)
	{
		if (i > 0)
			text[at++] = ',';
		at += tlv_bag_print_entry(items[i], weights[i], text + at);
	}
	memcpy(text + at, "}", 2);
	return text;
}

static void
check_accepted(tlv_context *ctx, size_t n, const int64_t *items, const double *weights)
{
	char *text = text_of(n, items, weights);
	size_t size, again_size, m;
	void *image = image_of(ctx, n, items, weights, &size), *again;
	int64_t *read;
	double *read_weights;

	if (tlv_bag_parse(ctx, text, &m, &read, &read_weights) != TLV_OK)
		abort();
	again = image_of(ctx, m, read, read_weights, &again_size);
	if (size != again_size || memcmp(image, again, size) != 0)
		abort();
	tlv_free(ctx, read_weights);
	tlv_free(ctx, read);
	free(again);
	free(image);
	free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static tlv_context ctx;
	static bool ready;
	char *text;
	size_t n;
	int64_t *items;
	double *weights;

	if (size > MAX_SIZE)
		return 0;
	text = malloc(size + 1);
	memcpy(text, data, size);
	text[size] = '\0';
	if (!ready)
		tlv_context_init_malloc(&ctx);
	ready = true;
	if (tlv_bag_parse(&ctx, text, &n, &items, &weights) == TLV_OK)
	{
		check_accepted(&ctx, n, items, weights);
		tlv_free(&ctx, weights);
		tlv_free(&ctx, items);
	}
	if (ctx.arena.used != 0)
		abort();
	free(text);
	return 0;
}
