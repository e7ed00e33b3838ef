/*
 * frame_unpack.c - frames from packed bytes of any origin (frame.h, frame_packing.h).
 *
 * What the bytes say is believed as far as it stays within them and within the frame's size; what
 * comes of them is for the validation of the frame.
 */
#include <math.h>

#include "frame_packing.h"

/* Usual numbers that are copied at once, about. */
#define UNPACK_PIECE ((size_t) 1 << 18)

/* Bytes that are read; past the end everything is 0 and damaged. */
typedef struct unpack_input
{
	const unsigned char *at, *end;
	bool damaged;
} unpack_input;

static void
take_bytes(unpack_input *in, void *to, size_t n)
{
	if ((size_t) (in->end - in->at) < n)
	{
		in->damaged = true;
		in->at = in->end;
		memset(to, 0, n);
		return;
	}
	memcpy(to, in->at, n);
	in->at += n;
}

static inline uint64_t
take_whole(unpack_input *in)
{
	uint64_t number = 0;

	for (int shift = 0; shift < 64 && in->at < in->end; shift += 7)
	{
		unsigned char byte = *in->at++;

		number |= (uint64_t) (byte & 0x7f) << shift;
		if (byte < 0x80)
			return number;
	}
	in->damaged = true;
	return 0;
}

static inline unsigned char
take_byte(unpack_input *in)
{
	unsigned char byte;

	take_bytes(in, &byte, 1);
	return byte;
}

/* ---- numbers ---- */

typedef struct unpack_numbers
{
	unsigned char code;
	double divisor;
	bool narrow; /* into single precision */
	void *data;
} unpack_numbers;

static inline double
take_number(unpack_input *in, unsigned char code, double divisor)
{
	double number = 0;
	float single = 0;

	switch (code)
	{
		case CODE_SINGLE:
			take_bytes(in, &single, sizeof(single));
			return single;
		case CODE_WHOLE:
			return (double) take_whole(in);
		case CODE_RATIO:
			return (double) take_whole(in) / divisor;
		default:
			take_bytes(in, &number, sizeof(number));
			return number;
	}
}

static inline void
set_number(const unpack_numbers *numbers, uint64_t i, double number)
{
	if (numbers->narrow)
		((float *) numbers->data)[i] = (float) number;
	else
		((double *) numbers->data)[i] = number;
}

static void
begin_numbers(unpack_input *in, unpack_numbers *numbers)
{
	numbers->divisor = 1;
	if (numbers->code == CODE_RATIO)
		take_bytes(in, &numbers->divisor, sizeof(numbers->divisor));
	in->damaged |= numbers->code >= CODES;
}

static tlv_status
unpack_dense(tlv_context *ctx, unpack_input *in, unpack_numbers *numbers, uint64_t n)
{
	begin_numbers(in, numbers);
	for (uint64_t i = 0; i < n && !in->damaged; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		set_number(numbers, i, take_number(in, numbers->code, numbers->divisor));
	}
	return TLV_OK;
}

/* Every number the usual one of its row. */
static tlv_status
unpack_usual(tlv_context *ctx, unpack_input *in, const unpack_numbers *numbers, uint64_t rows,
			 uint64_t n)
{
	unsigned char code = take_byte(in);

	in->damaged |= code >= CODE_RATIO || rows == 0 || n < rows;
	for (uint64_t r = 0; r < rows && !in->damaged; r++)
		set_number(numbers, r, take_number(in, code, 1));
	for (uint64_t at = rows, turn = 1; at < n && !in->damaged; turn++)
	{
		size_t size = numbers->narrow ? sizeof(float) : sizeof(double);
		/* what is there, doubled, but not more than a piece of it */
		uint64_t more = tlv_least(tlv_least(at, n - at), rows * (UNPACK_PIECE / rows + 1));

		if (turn % 16 == 0)
			TLV_TRY_CONTINUE(ctx);
		memcpy((char *) numbers->data + at * size, numbers->data, more * size);
		at += more;
	}
	return TLV_OK;
}

/* Distances are ahead of the numbers: two places are read at once. */
static tlv_status
unpack_sparse(tlv_context *ctx, unpack_input *in, unpack_numbers *numbers, uint64_t rows,
			  uint64_t n)
{
	uint64_t apart, position = 0;
	unpack_input distances;

	TLV_TRY(unpack_usual(ctx, in, numbers, rows, n));
	apart = take_whole(in);
	in->damaged |= apart > n;
	distances = *in;
	for (uint64_t i = 0; i < apart && !in->damaged; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		(void) take_whole(in);
	}
	begin_numbers(in, numbers);
	for (uint64_t i = 0; i < apart && !in->damaged; i++)
	{
		uint64_t distance = take_whole(&distances);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (distance >= n - position)
		{
			in->damaged = true;
			break;
		}
		position += distance;
		set_number(numbers, position++, take_number(in, numbers->code, numbers->divisor));
	}
	return TLV_OK;
}

/* A section that is sparse in the frame, too: its numbers, then their positions. */
static tlv_status
unpack_entries(tlv_context *ctx, unpack_input *in, unpack_numbers *numbers, uint64_t entries)
{
	uint32_t *positions = (uint32_t *) ((double *) numbers->data + entries);
	uint64_t next = 0;

	for (uint64_t i = 0; i < entries && !in->damaged; i++)
	{
		uint64_t distance = take_whole(in);

		TLV_TRY_CONTINUE_AT(ctx, i);
		in->damaged |= distance > UINT32_MAX || next > UINT32_MAX - distance;
		positions[i] = (uint32_t) (next + distance);
		next += distance + 1;
	}
	return unpack_dense(ctx, in, numbers, entries);
}

static tlv_status
unpack_steps(tlv_context *ctx, unpack_input *in, int64_t *numbers, uint64_t n)
{
	uint64_t before = 0;

	for (uint64_t i = 0; i < n && !in->damaged; i++)
	{
		uint64_t step = take_whole(in);

		TLV_TRY_CONTINUE_AT(ctx, i);
		before += (step >> 1) ^ (~(step & 1) + 1);
		numbers[i] = (int64_t) before;
	}
	return TLV_OK;
}

/* ---- the whole ---- */

typedef struct unpack_section
{
	unsigned char form;
	uint64_t bytes; /* packed */
	size_t whole;	/* unpacked, without padding */
} unpack_section;

static tlv_status
unpack_data(tlv_context *ctx, unpack_input *in, const unpack_section *how,
			const tlv_section *section, void *target)
{
	unpack_numbers numbers = {
		.code = how->form & PACKED_CODE, .narrow = section->element == TLV_FLOAT32, .data = target};
	uint64_t n = section->rows * section->columns;
	bool real = section->element == TLV_FLOAT64 || section->element == TLV_FLOAT32;
	unsigned char form = how->form & PACKED_FORM;

	if (how->form == PACKED_PLAIN && !real && section->element != TLV_SPARSE &&
		how->bytes == how->whole)
	{
		TLV_TRY(tlv_copy(ctx, target, in->at, how->whole));
		in->at += how->whole;
	}
	else if (how->form == PACKED_STEPS && section->element == TLV_INT64)
		return unpack_steps(ctx, in, target, n);
	else if (form == PACKED_DENSE && real)
		return unpack_dense(ctx, in, &numbers, n);
	else if (form == PACKED_SPARSE && real)
		return unpack_sparse(ctx, in, &numbers, packed_rows(section), n);
	else if (form == PACKED_ENTRIES && section->element == TLV_SPARSE)
		return unpack_entries(ctx, in, &numbers, section->entries);
	else
		in->damaged = true;
	return TLV_OK;
}

/* The table of the frame, offsets included; damaged unless its sections fill its size. */
static void
unpack_table(unpack_input *in, uint32_t n, size_t size, tlv_section *table, unpack_section *how)
{
	size_t offset = sizeof(tlv_frame_header) + n * sizeof(*table);

	for (uint32_t i = 0; i < n && !in->damaged; i++)
	{
		unsigned char length = take_byte(in);

		memset(&table[i], 0, sizeof(table[i]));
		in->damaged |= length >= TLV_FRAME_NAME_SIZE;
		if (in->damaged)
			return;
		take_bytes(in, table[i].name, length);
		table[i].element = take_byte(in);
		table[i].entries = (uint32_t) take_whole(in);
		table[i].rows = take_whole(in);
		table[i].columns = take_whole(in);
		table[i].offset = offset;
		how[i].form = take_byte(in);
		how[i].bytes = take_whole(in);
		in->damaged |= !tlv_section_bytes(&table[i], &how[i].whole) || offset > size ||
					   how[i].whole > size - offset;
		if (!in->damaged)
			offset += (how[i].whole + 7) & ~(size_t) 7;
	}
	in->damaged |= offset != size;
}

static tlv_status
unpack_sections(tlv_context *ctx, unpack_input *in, uint32_t n, const tlv_section *table,
				const unpack_section *how, size_t most, char *image)
{
	for (uint32_t i = 0; i < n && !in->damaged; i++)
	{
		unpack_input own = {in->at, in->at + how[i].bytes, false};
		char *target = image + table[i].offset;

		TLV_TRY_CONTINUE(ctx);
		if (how[i].bytes > (size_t) (in->end - in->at))
		{
			in->damaged = true;
			break;
		}
		if (how[i].whole > most)
		{
			in->at = own.end;
			continue;
		}
		TLV_TRY(unpack_data(ctx, &own, &how[i], &table[i], target));
		in->damaged |= own.damaged || own.at != own.end;
		in->at = own.end;
		memset(target + how[i].whole, 0, -how[i].whole & 7);
	}
	in->damaged |= in->at != in->end;
	return TLV_OK;
}

/* Behind the header and the size that the frame has, which is possible. */
static tlv_status
begin_frame(tlv_context *ctx, const void *image, size_t size, unpack_input *in, size_t *frame_size)
{
	const tlv_frame_header *packed = image;
	uint64_t whole;

	if (!tlv_frame_is_packed(image, size))
		return tlv_fail(ctx, TLV_CORRUPT, "the value is not packed");
	if (packed->size != size)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %zu bytes, its header says %llu", size,
						(unsigned long long) packed->size);
	if (packed->sections > TLV_FRAME_MAX_SECTIONS || packed->reserved != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the value's header has %u sections", packed->sections);
	*in = (unpack_input){(const unsigned char *) (packed + 1), (const unsigned char *) image + size,
						 false};
	whole = take_whole(in);
	if (in->damaged || whole > TLV_FRAME_MAX_BYTES || whole / PACKED_MOST_GROWTH > size ||
		whole < sizeof(*packed) + packed->sections * sizeof(tlv_section))
		return tlv_fail(ctx, TLV_CORRUPT, "the packed value's size is not possible");
	*frame_size = whole;
	return TLV_OK;
}

tlv_status
tlv_frame_unpacked_size(tlv_context *ctx, const void *image, size_t size, size_t *frame_size)
{
	unpack_input in;

	return begin_frame(ctx, image, size, &in, frame_size);
}

tlv_status
tlv_frame_unpack_small(tlv_context *ctx, const void *image, size_t size, size_t most, void *frame)
{
	const tlv_frame_header *packed = image;
	tlv_frame_header *header = frame;
	tlv_section *table = (tlv_section *) (header + 1);
	unpack_section *how;
	unpack_input in;
	size_t whole;
	tlv_status status;

	TLV_TRY(begin_frame(ctx, image, size, &in, &whole));
	*header = *packed;
	header->version = TLV_FRAME_VERSION;
	header->size = whole;
	TLV_TRY_NEW(ctx, how, packed->sections);
	unpack_table(&in, packed->sections, whole, table, how);
	status =
		in.damaged ? TLV_OK : unpack_sections(ctx, &in, packed->sections, table, how, most, frame);
	tlv_free(ctx, how);
	if (status != TLV_OK)
		return status;
	if (in.damaged)
		return tlv_fail(ctx, TLV_CORRUPT, "the packed value does not hold what its table says");
	return TLV_OK;
}

tlv_status
tlv_frame_unpack(tlv_context *ctx, const void *image, size_t size, void **frame, size_t *frame_size)
{
	tlv_status status;

	TLV_TRY(tlv_frame_unpacked_size(ctx, image, size, frame_size));
	*frame = tlv_alloc(ctx, *frame_size, 1);
	TLV_TRY_ALLOC(ctx, *frame);
	status = tlv_frame_unpack_small(ctx, image, size, SIZE_MAX, *frame);
	if (status != TLV_OK)
	{
		tlv_free(ctx, *frame);
		*frame = NULL;
	}
	return status;
}
