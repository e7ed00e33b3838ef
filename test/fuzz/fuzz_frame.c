/*
 * fuzz_frame.c - bytes of unknown origin as a stored value: moments, subspace
 * or model.  Whatever validation lets through is then used as the server
 * would use it: what every kind can do by its record (kind_uses.h), and what families can
 * beyond that (uses.h); nothing may crash or read out of bounds.
 *
 * Input: one byte of mode, then the image.  With bit 0 of the mode set, the
 * fields that mutations break first (version, sizes, offsets, fingerprint,
 * numbers that are not finite) are repaired, so that mutations reach the
 * checks of the kinds.
 */
#include <math.h>

#include "change_numbers.h"
#include "kind_uses.h"
#include "pool.h"
#include "tensorlv/num/linalg.h"
#include "uses.h"

#define MAX_SIZE	  16384
#define MEMORY_LIMIT  ((size_t) 32 << 20)
#define MODE_REPAIR	  1
#define MOST_FAMILIES 100

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);
extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

tlv_context ctx;
tlv_frame_builder builder;
static pool memory;
static kind_uses families[MOST_FAMILIES];
static size_t n_families;

void
announce_uses(kind_uses uses)
{
	if (n_families == MOST_FAMILIES)
		abort();
	families[n_families++] = uses;
}

static size_t
align8(size_t n)
{
	return (n + 7) & ~(size_t) 7;
}

/* Puts the sections one behind the other; the frame's new size, or 0 when it is too large. */
static size_t
repair_table(tlv_frame_header *header, size_t size)
{
	tlv_section *table = (tlv_section *) (header + 1);
	size_t most = (size - sizeof(*header)) / sizeof(tlv_section), at, bytes;

	if (header->sections > most)
		header->sections = (uint32_t) most;
	at = sizeof(*header) + header->sections * sizeof(tlv_section);
	for (uint32_t i = 0; i < header->sections; i++)
	{
		tlv_section *section = &table[i];

		section->element = 1 + (section->element + 4) % 5;
		section->rows %= MAX_SIZE;
		section->columns %= MAX_SIZE;
		section->entries = section->element == TLV_SPARSE ? section->entries % MAX_SIZE : 0;
		section->offset = at;
		if (!tlv_section_bytes(section, &bytes))
			return 0;
		at += align8(bytes);
		if (at > 4 * MAX_SIZE)
			return 0;
	}
	return at;
}

static void
repair_numbers(char *image, const tlv_section *section)
{
	double *numbers = (double *) (image + section->offset);
	size_t bytes = 0;

	tlv_section_bytes(section, &bytes);
	for (size_t i = 0; section->element == TLV_FLOAT64 && i < bytes / 8; i++)
		if (!isfinite(numbers[i]))
			numbers[i] = 1;
	memset(image + section->offset + bytes, 0, align8(bytes) - bytes);
}

/* A repaired copy in memory of the exact size, or NULL. */
static char *
repaired(const uint8_t *data, size_t size, size_t *new_size)
{
	char *image;
	tlv_frame_header *header;

	if (size < sizeof(tlv_frame_header))
		return NULL;
	image = calloc(1, 4 * MAX_SIZE + MAX_SIZE);
	memcpy(image, data, size);
	header = (tlv_frame_header *) image;
	*new_size = repair_table(header, size);
	if (*new_size > 0)
	{
		char *exact = malloc(*new_size);

		memcpy(exact, image, *new_size);
		free(image);
		image = exact;
		header = (tlv_frame_header *) image;
		header->version = TLV_FRAME_VERSION;
		header->type = (uint8_t) (1 + (header->type + 2) % 3);
		header->reserved = 0;
		header->size = *new_size;
		for (uint32_t i = 0; i < header->sections; i++)
			repair_numbers(image, (const tlv_section *) (header + 1) + i);
		if (tlv_frame_seal(&ctx, header) != TLV_OK)
			abort();
		return image;
	}
	free(image);
	return NULL;
}

/* What is valid is stored packed and comes back as it was. */
static void
pack_and_unpack(const tlv_frame *frame)
{
	tlv_packing *packing;
	size_t size, back_size;
	void *bytes, *back;

	if (tlv_frame_pack_image(&ctx, frame, &packing, &size) != TLV_OK)
		return;
	bytes = tlv_alloc(&ctx, size, 1);
	if (bytes == NULL || tlv_packing_write(&ctx, packing, bytes, size) != TLV_OK ||
		!tlv_frame_is_packed(bytes, size) ||
		tlv_frame_unpack(&ctx, bytes, size, &back, &back_size) != TLV_OK)
		return;
	if (back_size != frame->header->size ||
		memcmp((char *) back + 4, (const char *) frame->header + 4, back_size - 4) != 0)
		abort();
	tlv_free(&ctx, back);
	tlv_free(&ctx, bytes);
}

static void
use_image(const void *image, size_t size, uint8_t mode)
{
	for (tlv_frame_type type = TLV_FRAME_MOMENTS; type <= TLV_FRAME_MODEL; type++)
	{
		tlv_frame frame;

		pool_reset(&memory, &ctx);
		ctx.arena.limit = MEMORY_LIMIT;
		memory.stop_at = 20000;
		if (tlv_kind_validate(&ctx, image, size, type, &frame) != TLV_OK)
			continue;
		pack_and_unpack(&frame);
		if (type == TLV_FRAME_MOMENTS)
			use_any_moments(&ctx, &builder, &frame, frame.kind);
		if (type == TLV_FRAME_MODEL)
			use_any_model(&ctx, &builder, &frame, frame.kind);
		for (size_t i = 0; i < n_families; i++)
			families[i](&frame, frame.kind, mode >> 1);
	}
	pool_reset(&memory, &ctx);
}

/* What packed bytes stand for, in memory of its own; NULL where it is nothing. */
static char *
unpacked(char *image, size_t *size)
{
	size_t whole;
	void *frame;
	char *copy = NULL;

	ctx.arena.limit = MEMORY_LIMIT;
	if (tlv_frame_unpack(&ctx, image, *size, &frame, &whole) == TLV_OK)
	{
		copy = malloc(whole);
		memcpy(copy, frame, whole);
		*size = whole;
	}
	free(image);
	pool_reset(&memory, &ctx);
	return copy;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static bool ready;
	size_t image_size = size - 1;
	char *image;

	if (size < 1 || size > MAX_SIZE)
		return 0;
	if (!ready)
	{
		tlv_num_init();
		tlv_blas_set_threads(1);
		pool_init(&memory, &ctx);
		ready = true;
	}
	if (data[0] & MODE_REPAIR)
		image = repaired(data + 1, size - 1, &image_size);
	else
	{
		image = malloc(image_size > 0 ? image_size : 1);
		memcpy(image, data + 1, image_size);
		if (tlv_frame_is_packed(image, image_size))
			image = unpacked(image, &image_size);
	}
	if (image != NULL)
		use_image(image, image_size, data[0]);
	free(image);
	return 0;
}

/* Every third mutation is one of numbers. */
size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	if (seed % 3 != 0 || size < 2)
		return LLVMFuzzerMutate(data, size, most);
	data[0] |= MODE_REPAIR;
	change_numbers((char *) data + 1, size - 1, seed);
	return size;
}
