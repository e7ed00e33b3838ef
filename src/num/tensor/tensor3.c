/*
 * tensor3.c - symmetric third-order tensors (tensor3.h).
 */
#include "tensorlv/num/tensor3.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

/* Rows of data that go into one product, and pairs: what stays in cache. */
#define TENSOR3_CHUNK	   128
#define TENSOR3_MOST_PAIRS 128

/* ---- packed and full ---- */

void
tlv_packed3_unpack(size_t k, const double *packed, double *full)
{
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				double x = *packed++;

				full[c + k * (b + k * a)] = x;
				full[b + k * (c + k * a)] = x;
				full[c + k * (a + k * b)] = x;
				full[a + k * (c + k * b)] = x;
				full[b + k * (a + k * c)] = x;
				full[a + k * (b + k * c)] = x;
			}
}

double
tlv_packed3_norm(size_t k, const double *packed)
{
	double largest, sum = 0;
	size_t size = tlv_packed3_size(k);

	/* Scaled by the largest entry, so that squares neither overflow nor vanish. */
	largest = tlv_largest_modulus(size, packed);
	if (!(largest > 0) || isinf(largest))
		return largest;
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				double x = *packed++ / largest;

				/* How many of the 6 permutations of (a, b, c) differ. */
				sum += x * x * (a == b && b == c ? 1 : a == b || b == c ? 3 : 6);
			}
	return largest * sqrt(sum);
}

/* ---- sums of outer products ---- */

/*
 * The pairs (a, b), a >= b, of first <= b < end.  They go with the single indices c < end, of
 * which c <= b is kept: only below the last b of a block is anything computed in vain.
 */
typedef struct pair_block
{
	size_t first, end;
	size_t pairs;
} pair_block;

/* Pairs per product: those of one b at least. */
static size_t
most_pairs(size_t k)
{
	return k > TENSOR3_MOST_PAIRS ? k : tlv_least(TENSOR3_MOST_PAIRS, tlv_packed2_size(k));
}

static pair_block
tensor3_next_block(size_t k, size_t first)
{
	pair_block block = {first, first + 1, k - first};

	while (block.end < k && block.pairs + k - block.end <= most_pairs(k))
		block.pairs += k - block.end++;
	return block;
}

size_t
tlv_tensor3_work(size_t k, size_t n)
{
	return most_pairs(k) * (tlv_least(n, TENSOR3_CHUNK) + k);
}

#define REAL		   double
#define GEMM		   cblas_dgemm
#define PRODUCTS(name) name##_double
#include "tensor3_products.h"
#undef REAL
#undef GEMM
#undef PRODUCTS
#define REAL		   float
#define GEMM		   cblas_sgemm
#define PRODUCTS(name) name##_float
#include "tensor3_products.h"

void
tlv_packed3_add_cubes(size_t k, size_t n, const double *y, const double *weight, double *packed,
					  double *work)
{
	(void) add_cubes_double(NULL, k, n, y, weight, packed, work);
}

tlv_status
tlv_packed3_add_cubes_float(tlv_context *ctx, size_t k, size_t n, const float *y,
							const double *weight, double *packed, float *work)
{
	return add_cubes_float(ctx, k, n, y, weight, packed, work);
}

tlv_status
tlv_packed3_add_squares(tlv_context *ctx, size_t k, size_t n, const double *w, const double *r,
						double *packed)
{
	double *work;
	tlv_status status;

	if (n == 0 || k == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, work, tlv_tensor3_work(k, n));
	status = add_squares_double(ctx, k, n, w, r, packed, work);
	tlv_free(ctx, work);
	return status;
}

tlv_status
tlv_packed3_add_squares_float(tlv_context *ctx, size_t k, size_t n, const float *w, const float *r,
							  double *packed)
{
	float *work;
	tlv_status status;

	if (n == 0 || k == 0)
		return TLV_OK;
	TLV_TRY_NEW(ctx, work, tlv_tensor3_work(k, n));
	status = add_squares_float(ctx, k, n, w, r, packed, work);
	tlv_free(ctx, work);
	return status;
}

TLV_CLONES void
tlv_packed3_add_product(size_t k, double c, const double *restrict q, const double *restrict m,
						double *restrict packed)
{
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
		{
			/* q is symmetric: its columns a and b are contiguous. */
			const double *restrict qa = q + a * k, *restrict qb = q + b * k;
			double ab = c * qa[b], ma = c * m[a], mb = c * m[b];

			for (size_t i = 0; i <= b; i++)
				packed[i] += ab * m[i] + mb * qa[i] + ma * qb[i];
			packed += b + 1;
		}
}

TLV_CLONES void
tlv_packed3_add_cube(size_t k, double c, const double *restrict m, double *restrict packed)
{
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
		{
			double factor = c * m[a] * m[b];

			for (size_t i = 0; i <= b; i++)
				packed[i] += factor * m[i];
			packed += b + 1;
		}
}

/* ---- multilinear compression ---- */

/* The full symmetric k x k slice T(a, ., .). */
static void
slice(size_t k, const double *packed, size_t a, double *out)
{
	for (size_t b = 0; b < k; b++)
	{
		const double *level = packed + tlv_packed3_index(b, 0, 0);

		if (b <= a)
			memcpy(out + b * k, packed + tlv_packed3_index(a, b, 0), (b + 1) * sizeof(double));
		else
		{
			memcpy(out + b * k, level + a * (a + 1) / 2, (a + 1) * sizeof(double));
			for (size_t c = a + 1; c <= b; c++)
				out[c + b * k] = level[c * (c + 1) / 2 + a];
		}
	}
	for (size_t b = 0; b < k; b++)
		for (size_t c = b + 1; c < k; c++)
			out[c + b * k] = out[b + c * k];
}

typedef struct compress_work
{
	size_t batch;	 /* slices in one product */
	double *slices;	 /* k x k x batch */
	double *half;	 /* r x k x batch: one index compressed */
	double *square;	 /* r x r: two */
	double *squares; /* r(r+1)/2 x k */
	double *product; /* r(r+1)/2 x r: all three */
} compress_work;

static tlv_status
tensor3_compress(tlv_context *ctx, size_t k, size_t r, const double *packed, const double *m,
				 double *out, const compress_work *w)
{
	size_t pairs = tlv_packed2_size(r);

	for (size_t a0 = 0; a0 < k; a0 += w->batch)
	{
		size_t n = tlv_least(w->batch, k - a0);

		for (size_t a = 0; a < n; a++)
			slice(k, packed, a0 + a, w->slices + a * k * k);
		TLV_TRY(tlv_gemm(ctx, true, false, r, k * n, k, 1, m, k, w->slices, k, 0, w->half, r));
		for (size_t a = 0; a < n; a++)
		{
			TLV_TRY(tlv_gemm(ctx, false, false, r, r, k, 1, w->half + a * r * k, r, m, k, 0,
							 w->square, r));
			tlv_packed2_pack(r, w->square, w->squares + (a0 + a) * pairs);
		}
	}
	/* Column p of the product is the symmetric matrix T(M, M, m_p). */
	TLV_TRY(
		tlv_gemm(ctx, false, false, pairs, r, k, 1, w->squares, pairs, m, k, 0, w->product, pairs));
	for (size_t p = 0; p < r; p++)
		memcpy(out + tlv_packed3_index(p, 0, 0), w->product + p * pairs,
			   tlv_packed2_size(p + 1) * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_packed3_compress(tlv_context *ctx, size_t k, size_t r, const double *packed, const double *m,
					 double *out)
{
	compress_work w = {0};
	size_t pairs = tlv_packed2_size(r);
	tlv_status status;

	if (r == 0)
		return TLV_OK;
	if (k == 0)
	{
		memset(out, 0, tlv_packed3_size(r) * sizeof(double));
		return TLV_OK;
	}
	/* About 2 MB of slices. */
	w.batch = tlv_least(k, 1 + 262144 / (k * k));
	TLV_TRY_NEW(ctx, w.slices, w.batch * k * (k + r) + r * r + pairs * (k + r));
	w.half = w.slices + w.batch * k * k;
	w.square = w.half + w.batch * k * r;
	w.squares = w.square + r * r;
	w.product = w.squares + pairs * k;
	status = tensor3_compress(ctx, k, r, packed, m, out, &w);
	tlv_free(ctx, w.slices);
	return status;
}
