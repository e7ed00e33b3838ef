/*
 * frame_pack.c - frames into fewer bytes (frame.h, frame_packing.h).
 *
 * Every section is looked at once to choose its form; the bytes are counted and then written by
 * the same functions.
 */
#include <math.h>

#include "frame_packing.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/sha256.h"

/* Bytes that are counted or written. */
typedef struct pack_output
{
	unsigned char *at; /* NULL: counted only */
	uint64_t n;
} pack_output;

static inline void
put_bytes(pack_output *out, const void *bytes, size_t n)
{
	if (out->at != NULL)
	{
		memcpy(out->at, bytes, n);
		out->at += n;
	}
	out->n += n;
}

static inline void
put_whole(pack_output *out, uint64_t number)
{
	unsigned char bytes[10];
	size_t n = 0;

	do
	{
		bytes[n] = (unsigned char) ((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
		number >>= 7;
		n++;
	} while (number > 0);
	put_bytes(out, bytes, n);
}

/* ---- codes of numbers ---- */

static inline bool
frame_pack_is_whole(double number)
{
	return number >= 0 && number <= 0x1p53 && number == floor(number) && !signbit(number);
}

static inline bool
is_single(double number)
{
	return fabs(number) <= 0x1.fffffep127 && bits_of((double) (float) number) == bits_of(number);
}

static inline bool
is_ratio(double number, double divisor)
{
	double whole = rint(number * divisor);

	return frame_pack_is_whole(whole) && bits_of(whole / divisor) == bits_of(number);
}

/* What is known of numbers that were looked at. */
typedef struct number_range
{
	bool single, whole;
	double least; /* above 0 */
	double largest;
	bool negative;
	size_t n;
} number_range;

static inline void
range_look(number_range *range, double number)
{
	range->single = range->single && is_single(number);
	range->whole = range->whole && frame_pack_is_whole(number);
	range->negative |= signbit(number) != 0;
	range->largest = fmax(range->largest, fabs(number));
	if (number > 0 && number < range->least)
		range->least = number;
	range->n++;
}

#define NO_NUMBERS ((number_range){true, true, HUGE_VAL, 0, false, 0})

/* Nothing is left but to store them as they are. */
static inline bool
range_is_open(const number_range *range)
{
	return !range->single && !range->whole && (range->negative || range->largest > 1);
}

static void
put_number(pack_output *out, packed_code code, double divisor, double number)
{
	float single = (float) number;

	switch (code)
	{
		case CODE_SINGLE:
			put_bytes(out, &single, sizeof(single));
			break;
		case CODE_WHOLE:
			put_whole(out, (uint64_t) number);
			break;
		case CODE_RATIO:
			put_whole(out, (uint64_t) rint(number * divisor));
			break;
		default:
			put_bytes(out, &number, sizeof(number));
	}
}

/* ---- a section ---- */

typedef struct section_packing
{
	const tlv_section *section;
	const void *data;
	bool entries; /* a sparse section whose data are as they are stored */
	unsigned char form;
	packed_code code;
	packed_code usual_code;
	double divisor;
	uint64_t rows;	/* of the sparse form */
	uint64_t n;		/* numbers */
	uint64_t apart; /* of them not the usual one of their row */
	double *usual;
	uint64_t bytes;
} section_packing;

struct tlv_packing
{
	const tlv_frame_builder *builder;
	tlv_frame_builder *own; /* of an image that is packed */
	const tlv_digest *digest;
	bool plain; /* it is stored as it is */
	uint64_t size;
	section_packing sections[];
};

static inline double
number_at(const section_packing *packing, uint64_t i)
{
	return packing->section->element == TLV_FLOAT32 ? ((const float *) packing->data)[i]
													: ((const double *) packing->data)[i];
}

/* A walk over the numbers that are stored one by one. */
typedef struct apart_walk
{
	const section_packing *packing;
	uint64_t next; /* position after the last one */
	uint64_t row;  /* of it, in the sparse form */
	uint64_t taken;
} apart_walk;

/*
 * The next number that is stored one by one: of the sparse form one that is not the usual one, of a
 * sparse section one that is not 0.  Its position is walk->next - 1.
 */
static inline bool
walk_on(apart_walk *walk, double *number)
{
	const section_packing *packing = walk->packing;
	bool all = packing->form == PACKED_DENSE || packing->entries;

	while (walk->next < packing->n)
	{
		double usual = packing->form == PACKED_SPARSE ? packing->usual[walk->row] : 0;
		bool apart;

		*number = number_at(packing, walk->next++);
		apart = packing->form == PACKED_SPARSE ? bits_of(*number) != bits_of(usual) : *number != 0;
		walk->row = walk->row + 1 == packing->rows ? 0 : walk->row + 1;
		if (!all && !apart)
			continue;
		walk->taken++;
		return true;
	}
	return false;
}

/* Boyer and Moore: what fills more than half of a row is what is left. */
static tlv_status
find_usual(tlv_context *ctx, section_packing *packing)
{
	uint64_t *votes, row = 0;

	TLV_TRY_NEW0(ctx, packing->usual, packing->rows);
	TLV_TRY_NEW0(ctx, votes, packing->rows);
	for (uint64_t i = 0; i < packing->n; i++)
	{
		double number = number_at(packing, i);

		TLV_TRY_CONTINUE_AT(ctx, i);
		if (votes[row] == 0)
			packing->usual[row] = number;
		votes[row] += bits_of(number) == bits_of(packing->usual[row]) ? 1 : UINT64_MAX;
		row = row + 1 == packing->rows ? 0 : row + 1;
	}
	tlv_free(ctx, votes);
	return TLV_OK;
}

/* How many are stored one by one, or half of all where there are more. */
static tlv_status
count_apart(tlv_context *ctx, section_packing *packing)
{
	apart_walk walk = {packing, 0, 0, 0};
	double number;

	while (walk.taken < packing->n / 2 && walk_on(&walk, &number))
		TLV_TRY_CONTINUE_AT(ctx, walk.taken);
	packing->apart = walk.taken;
	return TLV_OK;
}

/* The range of what is stored one by one. */
static tlv_status
look_at_numbers(tlv_context *ctx, section_packing *packing, number_range *range)
{
	apart_walk walk = {packing, 0, 0, 0};
	double number;

	*range = NO_NUMBERS;
	while (walk_on(&walk, &number))
	{
		TLV_TRY_CONTINUE_AT(ctx, walk.taken);
		if (!range_is_open(range))
			range_look(range, number);
		else if (packing->form == PACKED_DENSE)
			walk.taken = walk.next = packing->n;
	}
	range->n = walk.taken;
	packing->apart = walk.taken;
	return TLV_OK;
}

/* Whether all numbers are integers over the divisor. In most cases without such a divisor, one of
 * the first numbers shows it. */
static tlv_status
divides(tlv_context *ctx, const section_packing *packing, double divisor, bool *all)
{
	apart_walk walk = {packing, 0, 0, 0};
	double number;

	*all = true;
	while (*all && walk_on(&walk, &number))
	{
		TLV_TRY_CONTINUE_AT(ctx, walk.taken);
		*all = is_ratio(number, divisor);
	}
	return TLV_OK;
}

/* The least power of two of which all are multiples of the inverse; those that are not show it at
 * once.  0 when there is none. */
static tlv_status
find_power(tlv_context *ctx, section_packing *packing)
{
	/* Largest power of two among the divisors: what single precision holds of shares. */
	const int ratio_most_bits = 24;

	for (int e = 1; e <= ratio_most_bits; e++)
	{
		bool all;

		TLV_TRY(divides(ctx, packing, ldexp(1, e), &all));
		if (!all)
			continue;
		packing->divisor = ldexp(1, e);
		return TLV_OK;
	}
	return TLV_OK;
}

/* Shares: counts over their sum, or over a power of two.  0 when there is no such divisor. */
static tlv_status
find_divisor(tlv_context *ctx, section_packing *packing, const number_range *range)
{
	/* Numbers of fewer have no divisor. */
	const int ratio_least_numbers = 16;

	/* Number of multiples of the inverse of the least number that are tried as divisors. */
	const int ratios_tried = 64;
	packing->divisor = 0;
	if (range->n < ratio_least_numbers || range->negative || range->largest > 1 ||
		range->least < 0x1p-45)
		return TLV_OK;
	for (int c = 1; c <= ratios_tried; c++)
	{
		double divisor = rint(c / range->least);
		bool all;

		TLV_TRY(divides(ctx, packing, divisor, &all));
		if (!all)
			continue;
		packing->divisor = divisor;
		return TLV_OK;
	}
	return range->single ? find_power(ctx, packing) : TLV_OK;
}

/* Bytes of the numbers one by one in that code. */
static tlv_status
put_numbers(tlv_context *ctx, pack_output *out, const section_packing *packing, packed_code code)
{
	apart_walk walk = {packing, 0, 0, 0};
	double number;

	if (code == CODE_RATIO)
		put_bytes(out, &packing->divisor, sizeof(packing->divisor));
	while (walk_on(&walk, &number))
	{
		TLV_TRY_CONTINUE_AT(ctx, walk.taken);
		put_number(out, code, packing->divisor, number);
	}
	return TLV_OK;
}

/* The narrowest code of what is stored one by one, and its bytes. */
static tlv_status
choose_code(tlv_context *ctx, section_packing *packing, uint64_t *bytes)
{
	number_range range;
	bool possible[CODES];

	TLV_TRY(look_at_numbers(ctx, packing, &range));
	*bytes = range.n * sizeof(double);
	packing->code = CODE_DOUBLE;
	packing->divisor = 0;
	if (!range.whole)
		TLV_TRY(find_divisor(ctx, packing, &range));
	possible[CODE_SINGLE] = range.single;
	possible[CODE_WHOLE] = range.whole;
	possible[CODE_RATIO] = packing->divisor > 0;
	for (packed_code code = CODE_SINGLE; code < CODES; code++)
	{
		pack_output out = {NULL, range.n * sizeof(float)};

		if (!possible[code])
			continue;
		if (code != CODE_SINGLE)
		{
			out.n = 0;
			TLV_TRY(put_numbers(ctx, &out, packing, code));
		}
		if (out.n >= *bytes)
			continue;
		*bytes = out.n;
		packing->code = code;
	}
	return TLV_OK;
}

/* Distances between the exceptional rows. */
static tlv_status
put_distances(tlv_context *ctx, pack_output *out, const section_packing *packing)
{
	const uint32_t *positions =
		packing->entries ? (const uint32_t *) ((const double *) packing->data + packing->n) : NULL;
	apart_walk walk = {packing, 0, 0, 0};
	uint64_t next = 0;
	double number;

	while (walk_on(&walk, &number))
	{
		uint64_t position = positions != NULL ? positions[walk.next - 1] : walk.next - 1;

		TLV_TRY_CONTINUE_AT(ctx, walk.taken);
		put_whole(out, position - next);
		next = position + 1;
	}
	return TLV_OK;
}

/* The usual numbers of the rows: their code, and themselves. */
static void
put_usual(pack_output *out, section_packing *packing)
{
	number_range range = NO_NUMBERS;
	unsigned char code;

	for (uint64_t r = 0; r < packing->rows; r++)
		range_look(&range, packing->usual[r]);
	packing->usual_code = range.whole && range.largest < 0x1p14 ? CODE_WHOLE
						  : range.single						? CODE_SINGLE
																: CODE_DOUBLE;
	code = (unsigned char) packing->usual_code;
	put_bytes(out, &code, 1);
	for (uint64_t r = 0; r < packing->rows; r++)
		put_number(out, packing->usual_code, 0, packing->usual[r]);
}

/* Where the numbers that are stored one by one stand; they follow. */
static tlv_status
put_places(tlv_context *ctx, pack_output *out, section_packing *packing)
{
	if (packing->form == PACKED_DENSE)
		return TLV_OK;
	if (packing->form == PACKED_SPARSE)
	{
		put_usual(out, packing);
		put_whole(out, packing->apart);
	}
	return put_distances(ctx, out, packing);
}

/* The bytes of the form that is set, for which the code is chosen. */
static tlv_status
weigh_form(tlv_context *ctx, section_packing *packing, unsigned char form)
{
	pack_output out = {NULL, 0};

	packing->form = form;
	TLV_TRY(choose_code(ctx, packing, &packing->bytes));
	TLV_TRY(put_places(ctx, &out, packing));
	packing->bytes += out.n;
	return TLV_OK;
}

static tlv_status
choose_numbers(tlv_context *ctx, section_packing *packing)
{
	section_packing dense;

	TLV_TRY(weigh_form(ctx, packing, PACKED_DENSE));
	if (packing->n < 2)
		return TLV_OK;
	dense = *packing;
	TLV_TRY(find_usual(ctx, packing));
	packing->form = PACKED_SPARSE;
	TLV_TRY(count_apart(ctx, packing));
	if (packing->apart < packing->n / 2)
		TLV_TRY(weigh_form(ctx, packing, PACKED_SPARSE));
	if (packing->apart < packing->n / 2 && packing->bytes < dense.bytes)
		return TLV_OK;
	tlv_free(ctx, packing->usual);
	*packing = dense;
	return TLV_OK;
}

static inline uint64_t
frame_pack_zigzag(int64_t number)
{
	return ((uint64_t) number << 1) ^ (number < 0 ? UINT64_MAX : 0);
}

static tlv_status
put_steps(tlv_context *ctx, pack_output *out, const section_packing *packing)
{
	const int64_t *numbers = packing->data;
	int64_t before = 0;

	for (uint64_t i = 0; i < packing->n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		put_whole(out, frame_pack_zigzag((int64_t) ((uint64_t) numbers[i] - (uint64_t) before)));
		before = numbers[i];
	}
	return TLV_OK;
}

static tlv_status
choose_integers(tlv_context *ctx, section_packing *packing)
{
	pack_output out = {NULL, 0};

	TLV_TRY(put_steps(ctx, &out, packing));
	packing->bytes = packing->n * sizeof(int64_t);
	packing->form = PACKED_PLAIN;
	if (out.n < packing->bytes)
	{
		packing->form = PACKED_STEPS;
		packing->bytes = out.n;
	}
	return TLV_OK;
}

static tlv_status
section_choose(tlv_context *ctx, section_packing *packing)
{
	const tlv_section *section = packing->section;

	packing->n = section->rows * section->columns;
	packing->rows = packed_rows(section);
	switch (section->element)
	{
		case TLV_BYTES:
			packing->form = PACKED_PLAIN;
			packing->bytes = packing->n;
			return TLV_OK;
		case TLV_INT64:
			return choose_integers(ctx, packing);
		case TLV_SPARSE:
			if (packing->entries)
				packing->n = section->entries;
			return weigh_form(ctx, packing, PACKED_ENTRIES);
		default:
			return choose_numbers(ctx, packing);
	}
}

static tlv_status
section_write(tlv_context *ctx, section_packing *packing, pack_output *out)
{
	switch (packing->form)
	{
		case PACKED_PLAIN:
			TLV_TRY(tlv_copy(ctx, out->at, packing->data, packing->bytes));
			out->at += packing->bytes;
			out->n += packing->bytes;
			return TLV_OK;
		case PACKED_STEPS:
			return put_steps(ctx, out, packing);
		default:
			TLV_TRY(put_places(ctx, out, packing));
			return put_numbers(ctx, out, packing, packing->code);
	}
}

/* ---- the whole ---- */

static void
put_table(pack_output *out, const tlv_packing *packing)
{
	const tlv_frame_builder *builder = packing->builder;

	put_whole(out, builder->size);
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		const section_packing *own = &packing->sections[i];
		const tlv_section *section = own->section;
		unsigned char length = (unsigned char) strlen(section->name);
		unsigned char element = (unsigned char) section->element;
		unsigned char form = (unsigned char) (own->form | own->code);

		put_bytes(out, &length, 1);
		put_bytes(out, section->name, length);
		put_bytes(out, &element, 1);
		put_whole(out, section->entries);
		put_whole(out, section->rows);
		put_whole(out, section->columns);
		put_bytes(out, &form, 1);
		put_whole(out, own->bytes);
	}
}

/* At most 7/8 of what it stands for, and not so little that anything may come of it. */
static bool
pays(const tlv_packing *packing)
{
	uint64_t whole = packing->builder->size;

	return packing->size <= whole / 8 * 7 && packing->size >= whole / PACKED_MOST_GROWTH;
}

tlv_status
tlv_frame_pack(tlv_context *ctx, const tlv_frame_builder *builder, tlv_packing **packing,
			   size_t *size)
{
	pack_output out = {NULL, sizeof(tlv_frame_header)};
	tlv_packing *made;

	TLV_TRY(tlv_frame_size(ctx, builder, size));
	made = tlv_alloc0(ctx, 1, sizeof(*made) + builder->sections * sizeof(section_packing));
	TLV_TRY_ALLOC(ctx, made);
	made->builder = builder;
	for (uint32_t i = 0; i < builder->sections; i++)
	{
		section_packing *own = &made->sections[i];

		own->section = &builder->table[i];
		own->data = builder->data[i] != NULL ? builder->data[i] : &builder->scalars[i];
		own->entries = builder->packed[i] && own->section->element == TLV_SPARSE;
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(section_choose(ctx, own));
		out.n += own->bytes;
	}
	put_table(&out, made);
	made->size = out.n;
	made->plain = !pays(made);
	*size = made->plain ? builder->size : (size_t) made->size;
	*packing = made;
	return TLV_OK;
}

tlv_status
tlv_frame_pack_image(tlv_context *ctx, const tlv_frame *frame, tlv_packing **packing, size_t *size)
{
	tlv_frame_builder *builder;

	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, (tlv_frame_type) frame->header->type, frame->header->kind);
	tlv_frame_add_from(builder, frame, NULL);
	TLV_TRY(tlv_frame_pack(ctx, builder, packing, size));
	(*packing)->own = builder;
	(*packing)->digest = &frame->header->digest;
	return TLV_OK;
}

void
tlv_packing_free(tlv_context *ctx, tlv_packing *packing)
{
	if (packing == NULL)
		return;
	for (uint32_t i = 0; i < packing->builder->sections; i++)
		tlv_free(ctx, packing->sections[i].usual);
	tlv_free(ctx, packing->own);
	tlv_free(ctx, packing);
}

tlv_status
tlv_packing_write(tlv_context *ctx, tlv_packing *packing, void *image, size_t size)
{
	const tlv_frame_builder *builder = packing->builder;
	tlv_frame_header *header = image;
	pack_output out = {(unsigned char *) (header + 1), sizeof(*header)};

	tlv_assert(size == (packing->plain ? builder->size : packing->size));
	if (packing->plain)
		TLV_TRY(tlv_frame_write(ctx, builder, image, size));
	else
	{
		header->version = TLV_FRAME_PACKED;
		header->type = (uint8_t) builder->type;
		header->kind = builder->kind;
		header->sections = builder->sections;
		header->reserved = 0;
		header->size = size;
		if (packing->digest != NULL)
			header->digest = *packing->digest;
		else
			TLV_TRY(tlv_builder_digest(ctx, builder, &header->digest));
		put_table(&out, packing);
		for (uint32_t i = 0; i < builder->sections; i++)
			TLV_TRY(section_write(ctx, &packing->sections[i], &out));
		tlv_assert(out.n == size);
	}
	tlv_packing_free(ctx, packing);
	return TLV_OK;
}
