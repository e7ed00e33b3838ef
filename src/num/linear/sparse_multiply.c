/*
 * sparse_multiply.c - products of sparse rows with blocks of vectors (sparse.h).
 *
 * The sum over a row's entries is kept in registers, a tile of at most
 * TILE_MOST of the block's l numbers at a time.  A tile consists of
 * vectors of which the last one may overlap the one before, so that there is no scalar tail.
 * What the entries some way ahead will read is asked for early, since a
 * processor cannot guess it.
 */
#include "tensorlv/num/sparse.h"

#include <string.h>

#include "tensorlv/num/lanes.h"

/* GCC and clang cut these into what the instruction set has. */
typedef float floats16 __attribute__((vector_size(64)));
typedef float floats8 __attribute__((vector_size(32)));
typedef float floats4 __attribute__((vector_size(16)));

#define VECTORS_MOST 16
#define TILE_MOST	 256

/* Number of terms that are summed in single precision before the sum is added to y. */
#define SEGMENT 4096

/* Bytes asked for ahead of their use; at least AHEAD_LEAST and at most AHEAD_MOST entries. */
#define AHEAD_BYTES 16384
#define AHEAD_LEAST 4
#define AHEAD_MOST	128

/* Rows of a matrix and one tile of the block they are multiplied with. */
typedef struct tile_job
{
	size_t rows;
	const size_t *start; /* rows + 1 */
	const int32_t *index;
	const float *value;
	size_t limit;  /* entries of the matrix: nothing is read beyond */
	size_t ahead;  /* entries */
	size_t stride; /* l */
	size_t width;  /* of the tile */
	const float *x;
	float *y;
	bool add; /* to y */
} tile_job;

static inline __attribute__((always_inline)) void
prefetch_row(const float *row, size_t width)
{
	/* Wherever the row starts, no line is left out: the last byte is asked for, too. */
	for (size_t i = 0; i < width; i += 16)
		__builtin_prefetch(row + i, 0, 2);
	__builtin_prefetch(row + width - 1, 0, 2);
}

#define VECTOR floats16
#define NAME   multiply_by_16
#include "sparse_tile.h"

#define VECTOR floats8
#define NAME   multiply_by_8
#include "sparse_tile.h"

#define VECTOR floats4
#define NAME   multiply_by_4
#include "sparse_tile.h"

#define VECTOR float
#define NAME   multiply_by_1
#include "sparse_tile.h"

#define CASE(vectors, fewer)                                                                       \
	if (count <= (vectors))                                                                        \
	{                                                                                              \
		multiply_by_16(job, vectors, fewer);                                                       \
		return;                                                                                    \
	}

/* The tile function for the job's width, its loops unrolled. */
TLV_CLONES static void
multiply_tile(const tile_job *job)
{
	const size_t width = job->width, count = (width + 15) / 16;

	if (width >= 16)
	{
		CASE(1, 0)
		CASE(2, 1)
		CASE(3, 2)
		CASE(4, 3)
		CASE(6, 4)
		CASE(8, 6)
		CASE(10, 8)
		CASE(13, 10)
		CASE(16, 13)
	}
	if (width >= 8)
		multiply_by_8(job, 2, 1);
	else if (width >= 4)
		multiply_by_4(job, 2, 1);
	else
		multiply_by_1(job, 3, 1);
}

/* All tiles of consecutive rows (or of a part of one row, whose bounds start then holds). */
static void
multiply_tiles(const tlv_csr *a, size_t rows, const size_t *start, size_t l, const float *x,
			   float *y, bool add)
{
	/* Tiles of about the same width, whole vectors but for the last one. */
	size_t tiles = (l + TILE_MOST - 1) / TILE_MOST, width = l;
	tile_job job = {.rows = rows,
					.start = start,
					.index = a->index,
					.value = a->value,
					.limit = a->entries,
					.stride = l,
					.add = add};

	if (tiles > 1)
		width = ((l + tiles - 1) / tiles + 15) / 16 * 16;
	for (size_t j = 0; j < l; j += width)
	{
		job.width = l - j < width ? l - j : width;
		job.ahead = AHEAD_BYTES / (job.width * sizeof(float));
		job.ahead = job.ahead < AHEAD_LEAST ? AHEAD_LEAST : job.ahead;
		job.ahead = job.ahead > AHEAD_MOST ? AHEAD_MOST : job.ahead;
		job.x = x + j;
		job.y = y + j;
		multiply_tile(&job);
	}
}

void
tlv_csr_multiply_rows(const tlv_csr *a, size_t first, size_t n, size_t l, const float *x, float *y)
{
	if (n > 0 && l > 0)
		multiply_tiles(a, n, a->start + first, l, x, y, false);
}

/* A product whose rows are divided into lanes. */
typedef struct csr_product
{
	const tlv_csr *a;
	size_t l, most; /* entries and rows of a step */
	const float *x;
	float *y;
	tlv_lanes lanes;
	size_t entry[TLV_LANES_MOST]; /* done of the next row, which is too long for a step */
} csr_product;

/* The next part of a row that is too long for a step. */
static void
multiply_part(csr_product *product, size_t lane)
{
	const tlv_csr *a = product->a;
	size_t row = product->lanes.next[lane], first = a->start[row] + product->entry[lane];
	size_t bounds[2] = {first, first + tlv_least(product->most, a->start[row + 1] - first)};

	multiply_tiles(a, 1, bounds, product->l, product->x, product->y + row * product->l,
				   product->entry[lane] > 0);
	product->entry[lane] += bounds[1] - first;
	if (bounds[1] < a->start[row + 1])
		return;
	product->entry[lane] = 0;
	product->lanes.next[lane]++;
}

static bool
multiply_step(void *argument, size_t lane)
{
	csr_product *product = argument;
	const size_t *start = product->a->start;
	size_t first = product->lanes.next[lane], end = product->lanes.end[lane], next = first;

	/* Rows of at most the given number of entries, where each row counts as one entry more. */
	while (next < end && start[next + 1] - start[first] + (next + 1 - first) <= product->most)
		next++;
	if (next == first && first < end)
		multiply_part(product, lane);
	else
	{
		tlv_csr_multiply_rows(product->a, first, next - first, product->l, product->x,
							  product->y + first * product->l);
		product->lanes.next[lane] = next;
	}
	return product->lanes.next[lane] < end;
}

tlv_status
tlv_csr_multiply(tlv_context *ctx, const tlv_csr *a, size_t l, const float *x, float *y)
{
	/* Products between two looks at the interrupt: 4 to 10 ms, mostly waiting for memory. */
	const int block_products = 8000000;
	csr_product product = {.a = a, .l = l, .most = block_products / (l + 1) + 1, .x = x, .y = y};

	if (l == 0)
		return TLV_OK;
	tlv_lanes_divide(a->rows, a->start, 1, TLV_LANES_MOST, &product.lanes);
	return tlv_lanes_run(ctx, product.lanes.count, multiply_step, &product);
}

/* ---- scaled rows ---- */

typedef struct scaling
{
	size_t l;
	const float *scale, *x;
	float *z;
} scaling;

static void
sparse_multiply_scale_rows(void *argument, size_t lane, size_t first, size_t n)
{
	const scaling *s = argument;
	size_t l = s->l;

	for (size_t j = first; j < first + n; j++)
		for (size_t i = 0; i < l; i++)
			s->z[j * l + i] = s->scale[j] * s->x[j * l + i];
}

tlv_status
tlv_scale_rows_float(tlv_context *ctx, size_t n, size_t l, const float *scale, const float *x,
					 float *z)
{
	scaling s = {l, scale, x, z};
	tlv_lanes lanes;

	tlv_lanes_divide(n, NULL, l / 8 + 1, TLV_LANES_MOST, &lanes);
	return tlv_lanes_rows(ctx, &lanes, sparse_multiply_scale_rows, &s);
}
