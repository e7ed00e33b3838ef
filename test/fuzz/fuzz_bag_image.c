/*
 * fuzz_bag_image.c - bytes of unknown origin as the image of a bag.  What is
 * accepted must be the one image of its contents.
 */
#include <stdlib.h>
#include <string.h>

#include "tensorlv/num/bag.h"

#define MAX_SIZE 1024

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Decodes, encodes again, compares. */
static void
check_accepted(tlv_context *ctx, const tlv_bag_image *image, size_t size)
{
	int64_t *items = tlv_alloc(ctx, image->n, sizeof(int64_t));
	double *weights = tlv_alloc(ctx, image->n, sizeof(double));
	char *again = malloc(size);

	if (tlv_bag_read(ctx, image, items, weights) != TLV_OK)
		abort();
	for (size_t i = 0; i < image->n; i++)
		if ((i > 0 && items[i] <= items[i - 1]) ||
			tlv_bag_check_weight(ctx, items[i], weights[i]) != TLV_OK)
			abort();
	if (tlv_bag_size(image->n, items, weights) != size)
		abort();
	memcpy(again, &image->length_word, 4);
	tlv_bag_write(image->n, items, weights, again);
	if (memcmp(again, image, size) != 0)
		abort();
	free(again);
	tlv_free(ctx, weights);
	tlv_free(ctx, items);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static tlv_context ctx;
	static bool ready;
	void *image;

	if (size > MAX_SIZE)
		return 0;
	image = malloc(size > 0 ? size : 1); /* of the exact size and aligned, as in the server */
	memcpy(image, data, size);
	if (!ready)
		tlv_context_init_malloc(&ctx);
	ready = true;
	if (tlv_bag_validate(&ctx, image, size) == TLV_OK)
		check_accepted(&ctx, image, size);
	if (ctx.arena.used != 0)
		abort();
	free(image);
	return 0;
}
