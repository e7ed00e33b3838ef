/*
 * frame_build.c - frames from the sections that a builder collects (frame.h).
 */
#include "tensorlv/num/frame.h"

#include "frame_packing.h"
#include "frame_sections.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/sha256.h"

void
tlv_frame_begin(tlv_frame_builder *builder, tlv_frame_type type, uint8_t kind)
{
	builder->type = type;
	builder->kind = kind;
	builder->sections = 0;
	builder->size = sizeof(tlv_frame_header);
	builder->overflow = false;
	builder->large = false;
	builder->owned = NULL;
}

/* Numbers that are not 0; more of them than a frame can hold are found by its size. */
static uint32_t
count_entries(tlv_frame_builder *builder, uint64_t rows, uint64_t columns, const double *numbers)
{
	uint64_t count, n = 0;

	if (__builtin_mul_overflow(rows, columns, &count) || count > UINT64_C(1) << 32)
	{
		builder->overflow = true;
		return 0;
	}
	for (uint64_t i = 0; i < count; i++)
		n += numbers[i] != 0;
	builder->overflow |= n > UINT32_MAX;
	return (uint32_t) n;
}

/* For an assertion. */
static bool
name_is_new(const tlv_frame_builder *builder, const char *name)
{
	for (uint32_t i = 0; i < builder->sections; i++)
		if (strncmp(builder->table[i].name, name, TLV_FRAME_NAME_SIZE) == 0)
			return false;
	return true;
}

/* All sections together fit a size_t. */
#define SECTION_MAX_BYTES (SIZE_MAX / 2 / TLV_FRAME_MAX_SECTIONS)

static void
add_section(tlv_frame_builder *builder, const tlv_section *section, const void *data, bool packed)
{
	uint32_t slot = builder->sections;
	size_t bytes;

	if (slot == TLV_FRAME_MAX_SECTIONS)
	{
		builder->overflow = true;
		return;
	}
	tlv_assert(tlv_section_name_is_valid(section->name) && name_is_new(builder, section->name));
	builder->table[slot] = *section;
	builder->data[slot] = data;
	builder->packed[slot] = packed;
	builder->sections++;
	if (!tlv_section_bytes(section, &bytes) || bytes > SECTION_MAX_BYTES)
	{
		builder->overflow = true;
		bytes = 0;
	}
	builder->size += sizeof(*section) + align8(bytes);
}

void
tlv_frame_add(tlv_frame_builder *builder, const char *name, tlv_element element, uint64_t rows,
			  uint64_t columns, const void *data)
{
	tlv_section section = {.element = element, .rows = rows, .columns = columns};

	tlv_assert(strlen(name) < TLV_FRAME_NAME_SIZE);
	strncpy(section.name, name, TLV_FRAME_NAME_SIZE - 1);
	if (element == TLV_SPARSE)
		section.entries = count_entries(builder, rows, columns, data);
	add_section(builder, &section, data, false);
}

void
tlv_frame_add_scalar(tlv_frame_builder *builder, const char *name, double value)
{
	uint32_t slot = builder->sections;

	if (slot < TLV_FRAME_MAX_SECTIONS)
		builder->scalars[slot] = value;
	/* The builder may be copied before it is written: no pointer into itself. */
	tlv_frame_add(builder, name, TLV_FLOAT64, 1, 1, NULL);
}

/* What makes a value of that type smaller. */
static const char *
size_hint(tlv_frame_type type)
{
	if (type == TLV_FRAME_GRAPH)
		return "Collect fewer edges, with WHERE, or several graphs, with GROUP BY.";
	if (type == TLV_FRAME_MODEL)
		return "Use fewer distinct items (min_documents) or nodes, or a smaller k.";
	return "Use fewer distinct items (min_documents) or a smaller k.";
}

tlv_status
tlv_frame_size(tlv_context *ctx, const tlv_frame_builder *builder, size_t *size)
{
	const size_t limit = TLV_FRAME_MAX_BYTES / (1024 * 1024);

	*size = builder->size;
	if (builder->overflow || (builder->size > TLV_FRAME_MAX_BYTES && !builder->large))
	{
		if (builder->overflow)
			tlv_fail(ctx, TLV_LIMIT, "the value would need more than the limit of %zu MB", limit);
		else
			tlv_fail(ctx, TLV_LIMIT, "the value would need %.0f MB, more than the limit of %zu MB",
					 (double) builder->size / (1024.0 * 1024.0), limit);
		return tlv_fail_hint(ctx, "%s", size_hint(builder->type));
	}
	return TLV_OK;
}

static tlv_status
builder_finite(tlv_context *ctx, const tlv_frame_builder *builder, uint32_t i, bool *finite)
{
	const tlv_section *section = &builder->table[i];
	const void *data = builder->data[i] == NULL ? &builder->scalars[i] : builder->data[i];

	if (section->element == TLV_SPARSE && !builder->packed[i])
		return tlv_numbers_finite(ctx, TLV_FLOAT64, section->rows * section->columns, data, finite);
	return tlv_section_finite(ctx, section, data, finite);
}

tlv_status
tlv_frame_require_finite(tlv_context *ctx, const tlv_frame_builder *builder)
{
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		bool finite;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(builder_finite(ctx, builder, i, &finite));
		if (!finite)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "\"%s\" became too large to be a number",
					 builder->table[i].name);
			return tlv_fail_hint(ctx, "Sums of rows overflow: scale the numbers down.");
		}
	}
	return TLV_OK;
}

/* A sparse section as it is stored, from all its numbers. */
static tlv_status
pack_sparse(tlv_context *ctx, const tlv_section *section, const double *numbers, void *target)
{
	uint64_t count = section->rows * section->columns;
	double *values = target;
	uint32_t *positions = (uint32_t *) (values + section->entries);
	size_t n = 0;

	tlv_assert(numbers != NULL || count == 0);
	for (uint64_t i = 0; i < count && n < section->entries; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (numbers[i] != 0)
		{
			values[n] = numbers[i];
			positions[n++] = (uint32_t) i;
		}
	}
	return TLV_OK;
}

static tlv_status
write_section(tlv_context *ctx, const tlv_frame_builder *builder, uint32_t i, char *target,
			  size_t bytes)
{
	const tlv_section *section = &builder->table[i];
	const void *source = builder->data[i] != NULL ? builder->data[i] : &builder->scalars[i];

	tlv_assert(builder->data[i] != NULL || bytes <= sizeof(double));
	if (section->element == TLV_SPARSE && !builder->packed[i])
		TLV_TRY(pack_sparse(ctx, section, source, target));
	else
		TLV_TRY(tlv_copy(ctx, target, source, bytes));
	memset(target + bytes, 0, align8(bytes) - bytes);
	return TLV_OK;
}

static void
fill_header(const tlv_frame_builder *builder, tlv_frame_header *header)
{
	header->version = TLV_FRAME_VERSION;
	header->type = (uint8_t) builder->type;
	header->kind = builder->kind;
	header->sections = builder->sections;
	header->reserved = 0;
	header->size = builder->size;
}

/* Adds a section as it is stored, padding included. */
static tlv_status
hash_section(tlv_context *ctx, const tlv_frame_builder *builder, uint32_t i, size_t bytes,
			 tlv_sha256 *hash)
{
	const char *data = builder->data[i] != NULL ? builder->data[i] : (void *) &builder->scalars[i];
	static const char padding[8] = {0};
	void *written = NULL;

	if (builder->table[i].element == TLV_SPARSE && !builder->packed[i])
	{
		written = tlv_alloc(ctx, bytes > 0 ? bytes : 1, 1);
		TLV_TRY_ALLOC(ctx, written);
		TLV_TRY(pack_sparse(ctx, &builder->table[i], builder->data[i], written));
		data = written;
	}
	for (size_t at = 0; at < bytes; at += DIGEST_PIECE)
	{
		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		tlv_sha256_add(hash, data + at, tlv_least(bytes - at, DIGEST_PIECE));
	}
	tlv_sha256_add(hash, padding, align8(bytes) - bytes);
	tlv_free(ctx, written);
	return TLV_OK;
}

tlv_status
tlv_builder_digest(tlv_context *ctx, const tlv_frame_builder *builder, tlv_digest *digest)
{
	size_t offset = sizeof(tlv_frame_header) + builder->sections * sizeof(tlv_section), bytes = 0;
	unsigned char whole[TLV_SHA256_SIZE];
	tlv_frame_header header;
	tlv_sha256 hash;

	fill_header(builder, &header);
	tlv_sha256_init(&hash);
	tlv_sha256_add(&hash, &header.version,
				   offsetof(tlv_frame_header, digest) - offsetof(tlv_frame_header, version));
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		tlv_section section = builder->table[i];

		section.offset = offset;
		tlv_section_bytes(&section, &bytes);
		tlv_sha256_add(&hash, &section, sizeof(section));
		offset += align8(bytes);
	}
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_section_bytes(&builder->table[i], &bytes);
		TLV_TRY(hash_section(ctx, builder, i, bytes, &hash));
	}
	tlv_sha256_finish(&hash, whole);
	memcpy(digest->bytes, whole, TLV_DIGEST_SIZE);
	return TLV_OK;
}

tlv_status
tlv_frame_write(tlv_context *ctx, const tlv_frame_builder *builder, void *image, size_t size)
{
	tlv_frame_header *header = image;
	tlv_section *table = (tlv_section *) (header + 1);
	size_t offset = sizeof(*header) + builder->sections * sizeof(tlv_section);

	tlv_assert((uintptr_t) image % 8 == 0 && !builder->overflow && size == builder->size);
	fill_header(builder, header);
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		size_t bytes = 0;

		table[i] = builder->table[i];
		table[i].offset = offset;
		tlv_section_bytes(&table[i], &bytes);
		tlv_assert(align8(bytes) <= size - offset);
		TLV_TRY(write_section(ctx, builder, i, (char *) image + offset, bytes));
		offset += align8(bytes);
	}
	tlv_assert(offset == size);
	return tlv_frame_seal(ctx, header);
}

bool
tlv_is_listed(const char *const *list, const char *name)
{
	for (; list != NULL && *list != NULL; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

void
tlv_frame_add_from(tlv_frame_builder *builder, const tlv_frame *frame, const char *const *except)
{
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];

		if (!tlv_is_listed(except, section->name))
			add_section(builder, section, tlv_section_data(frame, section), true);
	}
}

tlv_status
tlv_frame_finish(tlv_context *ctx, tlv_frame_builder *builder, void **image, size_t *size)
{
	TLV_TRY(tlv_frame_size(ctx, builder, size));
	TLV_TRY(tlv_frame_require_finite(ctx, builder));
	*image = tlv_alloc(ctx, *size, 1);
	TLV_TRY_ALLOC(ctx, *image);
	memset(*image, 0, sizeof(uint32_t));
	TLV_TRY(tlv_frame_write(ctx, builder, *image, *size));
	tlv_free(ctx, builder->owned);
	builder->owned = NULL;
	return TLV_OK;
}
