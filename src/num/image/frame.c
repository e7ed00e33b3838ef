/*
 * frame.c - reading and validating frames (frame.h).
 */
#include "tensorlv/num/frame.h"

#include <math.h>
#include <string.h>

#include "frame_sections.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/sha256.h"

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

static tlv_status
digest_frame(tlv_context *ctx, const tlv_frame_header *header, tlv_digest *digest)
{
	const char *content = (const char *) (header + 1);
	size_t size = header->size - sizeof(*header);
	unsigned char whole[TLV_SHA256_SIZE];
	tlv_sha256 hash;

	tlv_sha256_init(&hash);
	tlv_sha256_add(&hash, &header->version,
				   offsetof(tlv_frame_header, digest) - offsetof(tlv_frame_header, version));
	for (size_t at = 0; at < size; at += DIGEST_PIECE)
	{
		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		tlv_sha256_add(&hash, content + at, size - at < DIGEST_PIECE ? size - at : DIGEST_PIECE);
	}
	tlv_sha256_finish(&hash, whole);
	memcpy(digest->bytes, whole, TLV_DIGEST_SIZE);
	return TLV_OK;
}

tlv_status
tlv_frame_seal(tlv_context *ctx, tlv_frame_header *header)
{
	return digest_frame(ctx, header, &header->digest);
}

bool
tlv_section_name_is_valid(const char *name)
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

bool
tlv_section_bytes(const tlv_section *section, size_t *bytes)
{
	uint64_t count;

	if (__builtin_mul_overflow(section->rows, section->columns, &count))
		return false;
	if (section->element == TLV_SPARSE)
	{
		if (count > UINT64_C(1) << 32 || section->entries > count)
			return false;
		count = section->entries;
	}
	return !__builtin_mul_overflow(count, (uint64_t) tlv_element_size(section->element), bytes);
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

		if (!tlv_section_name_is_valid(section->name))
			return tlv_fail(ctx, TLV_CORRUPT, "section %u has no valid name", i);
		for (uint32_t j = 0; j < i; j++)
			if (memcmp(frame->table[j].name, section->name, TLV_FRAME_NAME_SIZE) == 0)
				return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" occurs twice", section->name);
		if (section->element < TLV_FLOAT64 || section->element > TLV_SPARSE ||
			(section->element != TLV_SPARSE && section->entries != 0))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has unknown element type %u",
							section->name, section->element);
		if (section->offset != expected || !tlv_section_bytes(section, &bytes) ||
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
	frame->kind = ctx->kind_of != NULL ? ctx->kind_of(header->type, header->kind) : NULL;
	return check_table(ctx, frame);
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

static bool
all_finite_float(size_t n, const float *x)
{
	const uint32_t exponent = UINT32_C(0xff) << 23;
	uint32_t found = 0;

	for (size_t i = 0; i < n; i++)
	{
		uint32_t bits;

		memcpy(&bits, x + i, sizeof(bits));
		found |= (bits & exponent) == exponent;
	}
	return found == 0;
}

static void
sparse_view(const tlv_section *section, const void *data, tlv_sparse *sparse)
{
	sparse->n = section->entries;
	sparse->values = data;
	sparse->positions = (const uint32_t *) (sparse->values + sparse->n);
}

/* One form only: positions ascend and lie in the block, no number is 0. */
static tlv_status
check_sparse(tlv_context *ctx, const tlv_section *section, const void *data)
{
	uint64_t count = section->rows * section->columns, next = 0;
	tlv_sparse sparse;

	sparse_view(section, data, &sparse);
	for (size_t i = 0; i < sparse.n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (sparse.positions[i] < next || sparse.positions[i] >= count)
			return tlv_fail(ctx, TLV_CORRUPT,
							"position %zu of section \"%s\" is %u, not from %llu to %llu", i + 1,
							section->name, sparse.positions[i], (unsigned long long) next,
							(unsigned long long) count);
		next = (uint64_t) sparse.positions[i] + 1;
		if (sparse.values[i] == 0)
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is 0", i + 1,
							section->name);
	}
	return TLV_OK;
}

tlv_status
tlv_numbers_finite(tlv_context *ctx, uint32_t element, size_t count, const void *data, bool *finite)
{
	*finite = true;
	for (size_t at = 0; at < count && element != TLV_INT64 && element != TLV_BYTES;
		 at += NUMBERS_PIECE)
	{
		size_t n = tlv_least(count - at, NUMBERS_PIECE);

		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		*finite &= element == TLV_FLOAT32 ? all_finite_float(n, (const float *) data + at)
										  : all_finite(n, (const double *) data + at);
	}
	return TLV_OK;
}

tlv_status
tlv_section_finite(tlv_context *ctx, const tlv_section *section, const void *data, bool *finite)
{
	size_t count =
		section->element == TLV_SPARSE ? section->entries : section->rows * section->columns;

	return tlv_numbers_finite(ctx, section->element, count, data, finite);
}

/* The first that is not finite of numbers among which there is one. */
static size_t
first_infinite(const tlv_section *section, const void *data)
{
	size_t i = 0;

	while (section->element == TLV_FLOAT32 ? isfinite(((const float *) data)[i])
										   : isfinite(((const double *) data)[i]))
		i++;
	return i;
}

static tlv_status
check_numbers(tlv_context *ctx, const tlv_frame *frame, const tlv_section *section)
{
	const char *data = tlv_section_data(frame, section);
	size_t bytes = 0;
	bool finite;

	TLV_TRY(tlv_section_finite(ctx, section, data, &finite));
	if (!finite)
		return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is not finite",
						first_infinite(section, data) + 1, section->name);
	if (section->element == TLV_SPARSE)
		TLV_TRY(check_sparse(ctx, section, data));
	tlv_section_bytes(section, &bytes);
	for (size_t i = bytes; i < align8(bytes); i++)
		if (data[i] != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "padding of section \"%s\" is not zero",
							section->name);
	return TLV_OK;
}

tlv_status
tlv_frame_validate(tlv_context *ctx, const void *image, size_t size, tlv_frame *frame)
{
	tlv_digest digest;

	TLV_TRY(tlv_frame_open(ctx, image, size, frame));
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(check_numbers(ctx, frame, &frame->table[i]));
	}
	TLV_TRY(digest_frame(ctx, frame->header, &digest));
	if (!tlv_digest_equal(&digest, &frame->header->digest))
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

const void *
tlv_frame_data(const tlv_frame *frame, const char *name)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	return section != NULL ? tlv_section_data(frame, section) : NULL;
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

const float *
tlv_frame_float32(const tlv_frame *frame, const char *name)
{
	return find_element(frame, name, TLV_FLOAT32);
}

bool
tlv_frame_sparse(const tlv_frame *frame, const char *name, tlv_sparse *sparse)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	if (section == NULL || section->element != TLV_SPARSE)
		return false;
	sparse_view(section, tlv_section_data(frame, section), sparse);
	return true;
}

tlv_status
tlv_section_numbers(tlv_context *ctx, const tlv_frame *frame, const tlv_section *section,
					double *numbers)
{
	const void *data = tlv_section_data(frame, section);
	size_t count = section->rows * section->columns;
	tlv_sparse sparse;

	if (section->element == TLV_FLOAT64)
		return tlv_copy(ctx, numbers, data, count * sizeof(double));
	for (size_t i = 0; i < count; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		numbers[i] = section->element == TLV_FLOAT32 ? ((const float *) data)[i] : 0;
	}
	if (section->element == TLV_FLOAT32)
		return TLV_OK;
	sparse_view(section, data, &sparse);
	for (size_t i = 0; i < sparse.n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		numbers[sparse.positions[i]] = sparse.values[i];
	}
	return TLV_OK;
}

void
tlv_narrow_numbers(uint32_t element, size_t n, double *numbers)
{
	float *to = (float *) numbers;

	for (size_t i = 0; element == TLV_FLOAT32 && i < n; i++)
	{
		float value = (float) numbers[i];

		memcpy(to + i, &value, sizeof(value));
	}
}

const tlv_digest *
tlv_frame_digest(const tlv_frame *frame, const char *name)
{
	const tlv_section *section = tlv_frame_find(frame, name);

	if (section == NULL || section->element != TLV_BYTES || section->rows != 1 ||
		section->columns != TLV_DIGEST_SIZE)
		return NULL;
	return tlv_section_data(frame, section);
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
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(numbers[i] >= minimum))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g, below %g", i + 1,
							name, numbers[i], minimum);
	}
	return TLV_OK;
}

tlv_status
tlv_frame_require_whole(tlv_context *ctx, const tlv_frame *frame, const char *name)
{
	double number;

	TLV_TRY(tlv_frame_require(ctx, frame, name, TLV_FLOAT64, 1, 1, NULL));
	number = tlv_frame_scalar(frame, name, -1);
	if (!(number >= 0 && number <= 0x1p53 && number == floor(number)))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is %g, not an integer", name, number);
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
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (numbers[i] <= numbers[i - 1])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" does not ascend at entry %zu", name,
							i + 1);
	}
	return TLV_OK;
}
