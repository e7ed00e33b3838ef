/*
 * tensor4.c - symmetric fourth-order tensors (tensor4.h).
 */
#include "tensorlv/num/tensor4.h"

#include <cblas.h>
#include <string.h>

#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

/*
 * Rows of data that go into one product, and pairs on its left: the fewer, the less is computed in
 * vain, which counts for vectors of 8 to 20 elements.
 */
#define TENSOR4_CHUNK 256
#define LEFT_PAIRS	  32

/* Every quotient is exact: binomial coefficients. */
size_t
tlv_packed4_index(size_t a, size_t b, size_t c, size_t e)
{
	tlv_assert(a >= b);
	return a * (a + 1) * (a + 2) / 6 * (a + 3) / 4 + tlv_packed3_index(b, c, e);
}

tlv_status
tlv_packed4_unpack(tlv_context *ctx, size_t d, const double *packed, double *full)
{
	size_t side = d * d * d, sorted[4];

	for (size_t i = 0; i < side * d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		sorted[0] = i / side;
		sorted[1] = i / (d * d) % d;
		sorted[2] = i / d % d;
		sorted[3] = i % d;
		for (int j = 1; j < 4; j++) /* descending */
			for (int l = j; l > 0 && sorted[l] > sorted[l - 1]; l--)
			{
				size_t swap = sorted[l];

				sorted[l] = sorted[l - 1];
				sorted[l - 1] = swap;
			}
		full[i] = packed[tlv_packed4_index(sorted[0], sorted[1], sorted[2], sorted[3])];
	}
	return TLV_OK;
}

/* Pairs on the left of one product: those of one b at least. */
static size_t
left_room(size_t k)
{
	return k > LEFT_PAIRS ? k : tlv_least(LEFT_PAIRS, tlv_packed2_size(k));
}

size_t
tlv_tensor4_work(size_t k)
{
	size_t pairs = tlv_packed2_size(k);

	return TENSOR4_CHUNK * k + TENSOR4_CHUNK * pairs + left_room(k) * (TENSOR4_CHUNK + pairs);
}

/* products[t + rows * pair] = y_a y_b; columns is y transposed. */
TLV_CLONES static void
pair_products(size_t k, size_t rows, const double *restrict y, double *restrict columns,
			  double *restrict products)
{
	for (size_t a = 0; a < k; a++)
		for (size_t t = 0; t < rows; t++)
			columns[t + rows * a] = y[a + k * t];
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
		{
			const double *u = columns + rows * a, *v = columns + rows * b;

			for (size_t t = 0; t < rows; t++)
				products[t] = u[t] * v[t];
			products += rows;
		}
}

/* The pairs (a, b), first <= b < end, a >= b, that stand on the left of one product. */
typedef struct left_block
{
	size_t first, end;
	size_t pairs;
} left_block;

static left_block
tensor4_next_block(size_t k, size_t first)
{
	left_block block = {first, first + 1, k - first};

	while (block.end < k && block.pairs + k - block.end <= left_room(k))
		block.pairs += k - block.end++;
	return block;
}

TLV_CLONES static void
add_to_packed(size_t k, left_block block, size_t height, const double *restrict sums,
			  double *restrict packed)
{
	for (size_t b = block.first; b < block.end; b++)
		for (size_t a = b; a < k; a++)
		{
			double *restrict target = packed + tlv_packed4_index(a, b, 0, 0);

			for (size_t i = 0; i < tlv_packed2_size(b + 1); i++)
				target[i] += sums[i];
			sums += height;
		}
}

/*
 * The pairs with b go with the pairs (c, e), c <= b, which come first in the packed order: only
 * below the last b of a block is anything computed in vain.
 */
static void
tensor4_add_block(size_t k, left_block block, size_t rows, const double *products, double *left,
				  double *sums, double *packed)
{
	size_t height = tlv_packed2_size(block.end);
	double *column = left;

	for (size_t b = block.first; b < block.end; b++)
		for (size_t a = b; a < k; a++, column += rows)
			memcpy(column, products + rows * tlv_packed2_index(a, b), rows * sizeof(double));
	cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, (int) height, (int) block.pairs,
				(int) rows, 1, products, (int) rows, left, (int) rows, 0, sums, (int) height);
	add_to_packed(k, block, height, sums, packed);
}

tlv_status
tlv_packed4_add_fourths(tlv_context *ctx, size_t k, size_t n, const double *y, double *packed,
						double *work)
{
	double *columns = work, *products = columns + TENSOR4_CHUNK * k;
	double *left = products + TENSOR4_CHUNK * tlv_packed2_size(k),
		   *sums = left + left_room(k) * TENSOR4_CHUNK;

	for (size_t t = 0; t < n; t += TENSOR4_CHUNK)
	{
		size_t rows = tlv_least(TENSOR4_CHUNK, n - t);
		left_block block;

		pair_products(k, rows, y + k * t, columns, products);
		for (size_t first = 0; first < k; first = block.end)
		{
			TLV_TRY_CONTINUE(ctx);
			block = tensor4_next_block(k, first);
			tensor4_add_block(k, block, rows, products, left, sums, packed);
		}
	}
	return TLV_OK;
}

/* The entries (a, b, c, 0 .. c). */
TLV_CLONES static void
translate_run(size_t k, size_t a, size_t b, size_t c, double n, const double *delta,
			  const double *sum1, const double *sum2, const double *sum3, double *restrict run)
{
	const double *ab = sum3 + tlv_packed3_index(a, b, 0), *ac = sum3 + tlv_packed3_index(a, c, 0);
	const double *bc = sum3 + tlv_packed3_index(b, c, 0);
	const double *at_a = sum2 + k * a, *at_b = sum2 + k * b, *at_c = sum2 + k * c;
	double da = delta[a], db = delta[b], dc = delta[c];
	double dab = da * db, dac = da * dc, dbc = db * dc, dabc = dab * dc;
	double fixed = ab[c] + at_a[b] * dc + at_a[c] * db + at_b[c] * da + sum1[a] * dbc +
				   sum1[b] * dac + sum1[c] * dab + n * dabc;

	for (size_t e = 0; e <= c; e++)
		run[e] += fixed * delta[e] + ab[e] * dc + ac[e] * db + bc[e] * da + at_a[e] * dbc +
				  at_b[e] * dac + at_c[e] * dab + sum1[e] * dabc;
}

void
tlv_packed4_translate(size_t k, double n, const double *delta, const double *sum1,
					  const double *sum2, const double *sum3, double *packed)
{
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				translate_run(k, a, b, c, n, delta, sum1, sum2, sum3, packed);
				packed += c + 1;
			}
}
