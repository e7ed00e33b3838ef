/*
 * frame.c - reading, validating and writing frames (frame.h).
 */
#include "tensorlv/num/frame.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/rng.h"

static size_t
align8(size_t n)
{
	return (n + 7) & ~(size_t) 7;
}

uint64_t
tlv_fingerprint(const void *bytes, size_t size, uint64_t seed)
{
	const unsigned char *p = bytes;
	const uint64_t prime = UINT64_C(0x9e3779b97f4a7c15);
	uint64_t lane[4] = {seed ^ prime, seed + prime, ~seed, seed ^ (uint64_t) size};
	size_t left = size;

	/* Four independent lanes keep the multiplier busy. */
	for (; left >= 32; left -= 32, p += 32)
	{
		uint64_t word[4];

		memcpy(word, p, 32);
		for (int i = 0; i < 4; i++)
		{
			lane[i] = (lane[i] ^ word[i]) * prime;
			lane[i] ^= lane[i] >> 29;
		}
	}
	for (; left > 0; left -= left < 8 ? left : 8, p += 8)
	{
		uint64_t word = 0;

		memcpy(&word, p, left < 8 ? left : 8);
		lane[0] = tlv_mix64(lane[0] ^ word);
		if (left < 8)
			break;
	}
	return tlv_mix64(lane[0] ^ tlv_mix64(lane[1] ^ tlv_mix64(lane[2] ^ tlv_mix64(lane[3]))));
}

static uint64_t
frame_fingerprint(const tlv_frame_header *header)
{
	return tlv_fingerprint(header + 1, header->size - sizeof(*header),
						   ((uint64_t) header->type << 8) | header->kind);
}

/* A name is lower-case letters, digits and underscores, then zeros. */
static bool
valid_name(const char *name)
{
	size_t length = 0;

	while (length < TLV_FRAME_NAME_SIZE && name[length] != '\0')
	{
		char c = name[length];

		if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
		length++;
	}
	if (length == 0 || length == TLV_FRAME_NAME_SIZE)
		return false;
	for (size_t i = length; i < TLV_FRAME_NAME_SIZE; i++)
		if (name[i] != '\0')
			return false;
	return true;
}

static bool
section_bytes(const tlv_section *section, size_t *bytes)
{
	uint64_t count;

	return !__builtin_mul_overflow(section->rows, section->columns, &count) &&
		   !__builtin_mul_overflow(count, (uint64_t) tlv_element_size(section->element), bytes);
}

/* The one place each section may stand in: behind the one before it. */
static tlv_status
check_table(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_frame_header *header = frame->header;
	size_t expected = sizeof(*header) + header->sections * sizeof(tlv_section);

	for (uint32_t i = 0; i < header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];
		size_t bytes;

		if (!valid_name(section->name))
			return tlv_fail(ctx, TLV_CORRUPT, "section %u has no valid name", i);
		for (uint32_t j = 0; j < i; j++)
			if (memcmp(frame->table[j].name, section->name, TLV_FRAME_NAME_SIZE) == 0)
				return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" stands twice", section->name);
		if (section->element < TLV_FLOAT64 || section->element > TLV_BYTES ||
			section->reserved != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has unknown element type %u",
							section->name, section->element);
		if (section->offset != expected || !section_bytes(section, &bytes) ||
			bytes > header->size - expected || align8(bytes) > header->size - expected)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" does not lie inside the value",
							section->name);
		expected += align8(bytes);
	}
	if (expected != header->size)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %zu bytes, its sections need %zu",
						(size_t) header->size, expected);
	return TLV_OK;
}

tlv_status
tlv_frame_open(tlv_context *ctx, const void *image, size_t size, tlv_frame *frame)
{
	const tlv_frame_header *header = image;

	if (size < sizeof(*header))
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %zu bytes, its header alone needs %zu",
						size, sizeof(*header));
	if (header->version != TLV_FRAME_VERSION)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has format version %u, this is version %d",
						header->version, TLV_FRAME_VERSION);
	if (header->type < TLV_FRAME_MOMENTS || header->type > TLV_FRAME_GRAPH)
		return tlv_fail(ctx, TLV_CORRUPT, "the value is of unknown type %u", header->type);
	if (header->size != size)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %zu bytes, its header says %llu", size,
						(unsigned long long) header->size);
	if (header->sections > TLV_FRAME_MAX_SECTIONS ||
		header->sections * sizeof(tlv_section) > size - sizeof(*header) || header->reserved != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the value's header has %u sections", header->sections);
	frame->header = header;
	frame->table = (const tlv_section *) (header + 1);
	return check_table(ctx, frame);
}

static tlv_status
check_numbers(tlv_context *ctx, const tlv_frame *frame, const tlv_section *section)
{
	const char *data = tlv_section_data(frame, section);
	size_t bytes = section->rows * section->columns * tlv_element_size(section->element);

	if (section->element == TLV_FLOAT64)
	{
		const double *numbers = (const double *) data;

		for (size_t i = 0; i < bytes / sizeof(double); i++)
			if (!isfinite(numbers[i]))
				return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is not finite",
								i + 1, section->name);
	}
	for (size_t i = bytes; i < align8(bytes); i++)
		if (data[i] != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "padding of section \"%s\" is not zero",
							section->name);
	return TLV_OK;
}

tlv_status
tlv_frame_validate(tlv_context *ctx, const void *image, size_t size, tlv_frame *frame)
{
	TLV_TRY(tlv_frame_open(ctx, image, size, frame));
	for (uint32_t i = 0; i < frame->header->sections; i++)
		TLV_TRY(check_numbers(ctx, frame, &frame->table[i]));
	if (frame_fingerprint(frame->header) != frame->header->fingerprint)
		return tlv_fail(ctx, TLV_CORRUPT, "the value does not match its own fingerprint");
	return TLV_OK;
}

const tlv_section *
tlv_frame_find(const tlv_frame *frame, const char *name)
{
	for (uint32_t i = 0; i < frame->header->sections; i++)
		if (strncmp(frame->table[i].name, name, TLV_FRAME_NAME_SIZE) == 0)
			return &frame->table[i];
	return NULL;
}

static const void *
find_element(const tlv_frame *frame, const char *name, tlv_element element)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	return section != NULL && section->element == element ? tlv_section_data(frame, section) : NULL;
}

const double *
tlv_frame_float64(const tlv_frame *frame, const char *name)
{
	return find_element(frame, name, TLV_FLOAT64);
}

const int64_t *
tlv_frame_int64(const tlv_frame *frame, const char *name)
{
	return find_element(frame, name, TLV_INT64);
}

double
tlv_frame_scalar(const tlv_frame *frame, const char *name, double missing)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	if (section == NULL || section->element != TLV_FLOAT64 || section->rows != 1 ||
		section->columns != 1)
		return missing;
	return *(const double *) tlv_section_data(frame, section);
}

tlv_status
tlv_frame_require(tlv_context *ctx, const tlv_frame *frame, const char *name, tlv_element element,
				  uint64_t rows, uint64_t columns, const void **data)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	if (section == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing", name);
	if (section->element != element)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has elements of type %u instead of %d",
						name, section->element, element);
	if (section->rows != rows || section->columns != columns)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is %llu x %llu instead of %llu x %llu",
						name, (unsigned long long) section->rows,
						(unsigned long long) section->columns, (unsigned long long) rows,
						(unsigned long long) columns);
	if (data != NULL)
		*data = tlv_section_data(frame, section);
	return TLV_OK;
}

tlv_status
tlv_frame_require_minimum(tlv_context *ctx, const tlv_frame *frame, const char *name,
						  double minimum)
{
	const tlv_section *section = tlv_frame_find(frame, name);
	const double *numbers = tlv_frame_float64(frame, name);

	if (numbers == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing", name);
	for (size_t i = 0; i < section->rows * section->columns; i++)
		if (!(numbers[i] >= minimum))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g, below %g", i + 1,
							name, numbers[i], minimum);
	return TLV_OK;
}

tlv_status
tlv_frame_require_whole(tlv_context *ctx, const tlv_frame *frame, const char *name)
{
	double number;

	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, 1, 1, NULL));
	number = tlv_frame_scalar(frame, name, -1);
	if (!(number >= 0 && number <= 0x1p53 && number == floor(number)))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is %g, not a whole number", name, number);
	return TLV_OK;
}

tlv_status
tlv_frame_require_ascending(tlv_context *ctx, const tlv_frame *frame, const char *name)
{
	const tlv_section *section = tlv_frame_find(frame, name);
	const int64_t *numbers = tlv_frame_int64(frame, name);

	if (numbers == NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing", name);
	for (size_t i = 1; i < section->rows * section->columns; i++)
		if (numbers[i] <= numbers[i - 1])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" does not ascend at entry %zu", name,
							i + 1);
	return TLV_OK;
}

void
tlv_frame_begin(tlv_frame_builder *builder, tlv_frame_type type, uint8_t kind)
{
	builder->type = type;
	builder->kind = kind;
	builder->sections = 0;
	builder->size = sizeof(tlv_frame_header);
	builder->overflow = false;
	builder->owned = NULL;
}

void
tlv_frame_add(tlv_frame_builder *builder, const char *name, tlv_element element, uint64_t rows,
			  uint64_t columns, const void *data)
{
	tlv_section *section;
	size_t bytes;

	if (builder->sections == TLV_FRAME_MAX_SECTIONS)
	{
		builder->overflow = true;
		return;
	}
	section = &builder->table[builder->sections];
	memset(section, 0, sizeof(*section));
	strncpy(section->name, name, TLV_FRAME_NAME_SIZE - 1);
	section->element = element;
	section->rows = rows;
	section->columns = columns;
	if (!section_bytes(section, &bytes) || bytes > TLV_FRAME_MAX_BYTES)
	{
		builder->overflow = true;
		bytes = 0;
	}
	builder->data[builder->sections++] = data;
	builder->size += sizeof(*section) + align8(bytes);
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
	*size = builder->size;
	if (builder->overflow || builder->size > TLV_FRAME_MAX_BYTES)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_LIMIT, "the value would need %.0f MB, more than the limit of %zu MB",
					 builder->overflow ? INFINITY : (double) builder->size / (1024.0 * 1024.0),
					 TLV_FRAME_MAX_BYTES / (1024 * 1024));

		tlv_fail_hint(ctx, "%s", size_hint(builder->type));
		return status;
	}
	return TLV_OK;
}

/* By bits, which the compiler vectorises. */
static bool
all_finite(size_t n, const double *x)
{
	const uint64_t exponent = UINT64_C(0x7ff) << 52;
	uint64_t found = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint64_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		found |= (bits & exponent) == exponent;
	}
	return found == 0;
}

tlv_status
tlv_frame_require_finite(tlv_context *ctx, const tlv_frame_builder *builder)
{
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		const tlv_section *section = &builder->table[i];
		const double *x = builder->data[i] == NULL ? &builder->scalars[i] : builder->data[i];

		if (section->element == TLV_FLOAT64 && !all_finite(section->rows * section->columns, x))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "\"%s\" became too large to be a number", section->name);
			tlv_fail_hint(ctx, "Sums of rows overflow: scale the numbers down.");
			return TLV_BAD_DATA;
		}
	}
	return TLV_OK;
}

void
tlv_frame_write(const tlv_frame_builder *builder, void *image, size_t size)
{
	tlv_frame_header *header = image;
	tlv_section *table = (tlv_section *) (header + 1);
	size_t offset = sizeof(*header) + builder->sections * sizeof(tlv_section);

	header->version = TLV_FRAME_VERSION;
	header->type = builder->type;
	header->kind = builder->kind;
	header->sections = builder->sections;
	header->reserved = 0;
	header->size = size;
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		char *target = (char *) image + offset;
		const void *source = builder->data[i] != NULL ? builder->data[i] : &builder->scalars[i];
		size_t bytes = 0;

		table[i] = builder->table[i];
		table[i].offset = offset;
		section_bytes(&table[i], &bytes);
		if (bytes > 0)
			memcpy(target, source, bytes);
		memset(target + bytes, 0, align8(bytes) - bytes);
		offset += align8(bytes);
	}
	header->fingerprint = frame_fingerprint(header);
}

void
tlv_frame_add_from(tlv_frame_builder *builder, const tlv_frame *frame, const char *const *except)
{
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];
		bool wanted = true;

		for (const char *const *name = except; name != NULL && *name != NULL; name++)
			wanted &= strncmp(section->name, *name, TLV_FRAME_NAME_SIZE) != 0;
		if (wanted)
			tlv_frame_add(builder, section->name, section->element, section->rows, section->columns,
						  tlv_section_data(frame, section));
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
	tlv_frame_write(builder, *image, *size);
	tlv_free(ctx, builder->owned);
	builder->owned = NULL;
	return TLV_OK;
}
