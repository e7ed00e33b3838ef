/*
 * code_tables.c - tables of two and three codes over rows, plain and weighted
 * (bit_planes.h).
 */
#include "tensorlv/num/bit_planes.h"

#include <string.h>

#include "tensorlv/num/context.h"

/* Rows whose cells are computed together, by vectors, before they are counted one by one. */
#define CHUNK ((size_t) 512)
/* Tables that take turns: a cell that occurs in neighbouring rows must not wait for itself. */
#define TURNS ((size_t) 4)

TLV_CLONES void
tlv_codes_join(size_t n, const uint8_t *restrict a, uint32_t stride, const uint8_t *restrict b,
			   uint32_t *restrict key)
{
	for (size_t r = 0; r < n; r++)
		key[r] = a[r] * stride + b[r];
}

TLV_CLONES static void
add_turns(size_t cells, const uint32_t *restrict scratch, uint32_t *restrict counts)
{
	const uint32_t *second = scratch + cells, *third = second + cells, *last = third + cells;

	for (size_t i = 0; i < cells; i++)
		counts[i] = scratch[i] + second[i] + third[i] + last[i];
}

/* Counts keys below `cells` in four tables in scratch. */
static void
count_turns(size_t n, const uint32_t *key, size_t cells, uint32_t *scratch)
{
	uint32_t *second = scratch + cells, *third = second + cells, *last = third + cells;
	size_t r = 0;

	for (; r + TURNS <= n; r += TURNS)
	{
		scratch[key[r]]++;
		second[key[r + 1]]++;
		third[key[r + 2]]++;
		last[key[r + 3]]++;
	}
	for (; r < n; r++)
		scratch[key[r]]++;
}

/* Tables that fit are counted in turns. */
static bool
takes_turns(size_t cells)
{
	return TURNS * cells <= TLV_TABLE_SCRATCH;
}

static void
begin_table(size_t cells, uint32_t *scratch, uint32_t *counts)
{
	if (takes_turns(cells))
		memset(scratch, 0, TURNS * cells * sizeof(uint32_t));
	else
		memset(counts, 0, cells * sizeof(uint32_t));
}

static void
count_chunk(size_t n, const uint32_t *key, size_t cells, uint32_t *scratch, uint32_t *counts)
{
	if (takes_turns(cells))
		count_turns(n, key, cells, scratch);
	else
		for (size_t r = 0; r < n; r++)
			counts[key[r]]++;
}

TLV_CLONES static void
join_short(size_t n, const uint8_t *restrict a, uint16_t stride, const uint8_t *restrict b,
		   uint16_t *restrict key)
{
	for (size_t r = 0; r < n; r++)
		key[r] = (uint16_t) (a[r] * stride + b[r]);
}

/* Four keys of two bytes are read at once. */
static void
count_short_turns(size_t n, const uint16_t *key, size_t cells, uint32_t *scratch)
{
	uint32_t *second = scratch + cells, *third = second + cells, *last = third + cells;
	size_t r = 0;

	for (; r + TURNS <= n; r += TURNS)
	{
		uint64_t four;

		memcpy(&four, key + r, sizeof(four));
		scratch[four & 0xffff]++;
		second[four >> 16 & 0xffff]++;
		third[four >> 32 & 0xffff]++;
		last[four >> 48]++;
	}
	for (; r < n; r++)
		scratch[key[r]]++;
}

void
tlv_codes_count(size_t n, const uint8_t *a, uint32_t stride, const uint8_t *b, size_t cells,
				uint32_t *scratch, uint32_t *counts)
{
	uint16_t key[CHUNK];

	begin_table(cells, scratch, counts);
	for (size_t r = 0; r < n; r += CHUNK)
	{
		size_t rows = n - r < CHUNK ? n - r : CHUNK;

		join_short(rows, a + r, (uint16_t) stride, b + r, key);
		if (takes_turns(cells))
			count_short_turns(rows, key, cells, scratch);
		else
			for (size_t i = 0; i < rows; i++)
				counts[key[i]]++;
	}
	if (takes_turns(cells))
		add_turns(cells, scratch, counts);
}

TLV_CLONES static void
join_key(size_t n, const uint32_t *restrict key, uint32_t stride, const uint8_t *restrict c,
		 uint32_t *restrict joint)
{
	for (size_t r = 0; r < n; r++)
		joint[r] = key[r] * stride + c[r];
}

void
tlv_keys_count(size_t n, const uint32_t *key, uint32_t stride, const uint8_t *c, size_t cells,
			   uint32_t *scratch, uint32_t *counts)
{
	uint32_t joint[CHUNK];

	begin_table(cells, scratch, counts);
	for (size_t r = 0; r < n; r += CHUNK)
	{
		size_t rows = n - r < CHUNK ? n - r : CHUNK;

		join_key(rows, key + r, stride, c + r, joint);
		count_chunk(rows, joint, cells, scratch, counts);
	}
	if (takes_turns(cells))
		add_turns(cells, scratch, counts);
}
