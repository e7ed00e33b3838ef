/*
 * cumulant4.c - fourth cumulants (cumulant4.h).
 */
#include "tensorlv/num/cumulant4.h"

#include <math.h>

#include "tensorlv/num/linalg.h"

/* How many of the 24 permutations of a >= b >= c >= e differ. */
static inline double
cumulant4_multiplicity(size_t a, size_t b, size_t c, size_t e)
{
	if (a == b && b == c)
		return c == e ? 1 : 4;
	if (b == c && c == e)
		return 4;
	if (a == b && c == e)
		return 6;
	return a == b || b == c || c == e ? 12 : 24;
}

double
tlv_cumulant4_norm(size_t k, const double *packed)
{
	size_t size = k * (k + 1) * (k + 2) / 6 * (k + 3) / 4;
	double largest, sum = 0;

	/* Scaled by the largest entry, so that squares neither overflow nor vanish. */
	largest = tlv_largest_modulus(size, packed);
	if (!(largest > 0) || isinf(largest))
		return largest;
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				for (size_t e = 0; e <= c; e++)
				{
					double x = *packed++ / largest;

					sum += x * x * cumulant4_multiplicity(a, b, c, e);
				}
	return largest * sqrt(sum);
}

void
tlv_cumulant4_to_pairs(size_t k, const double *packed, double factor, double *pairs)
{
	size_t n = tlv_packed2_size(k);

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
			{
				size_t ab = tlv_packed2_index(a, b), ac = tlv_packed2_index(a, c);
				size_t bc = tlv_packed2_index(b, c);

				for (size_t e = 0; e <= c; e++)
				{
					size_t ae = tlv_packed2_index(a, e), be = tlv_packed2_index(b, e);
					size_t ce = tlv_packed2_index(c, e);
					double x = factor * *packed++;

					pairs[ab + n * ce] = pairs[ce + n * ab] = x;
					pairs[ac + n * be] = pairs[be + n * ac] = x;
					pairs[ae + n * bc] = pairs[bc + n * ae] = x;
				}
			}
}

void
tlv_cumulant4_from_pairs(size_t k, const double *pairs, double *packed)
{
	size_t n = tlv_packed2_size(k);

	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				for (size_t e = 0; e <= c; e++)
					*packed++ = pairs[tlv_packed2_index(a, b) + n * tlv_packed2_index(c, e)];
}

double
tlv_cumulant4_compress_memory(size_t d, size_t k)
{
	double pairs = (double) tlv_packed2_size(d), out = (double) tlv_packed2_size(k);

	return sizeof(double) * (pairs * (pairs + out) + out * out + (double) (d * d + d * k + k * k));
}

/*
 * out (n x pairs of k) = W' M_j W for the n columns of in (pairs of d x n), packed symmetric
 * matrices M_j.  work holds d*d + d*k + k*k doubles.
 */
static tlv_status
compress_columns(tlv_context *ctx, size_t d, size_t k, size_t n, const double *in, const double *w,
				 double *out, double *work)
{
	size_t rows = tlv_packed2_size(d);
	double *full = work, *half = full + d * d, *small = half + d * k;

	for (size_t j = 0; j < n; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_packed2_unpack(d, in + j * rows, full);
		TLV_TRY(tlv_gemm(ctx, false, false, d, k, d, 1, full, d, w, d, 0, half, d));
		TLV_TRY(tlv_gemm(ctx, true, false, k, k, d, 1, w, d, half, d, 0, small, k));
		for (size_t a = 0, pair = 0; a < k; a++)
			for (size_t b = 0; b <= a; b++, pair++)
				out[j + n * pair] = small[a + k * b];
	}
	return TLV_OK;
}

tlv_status
tlv_cumulant4_compress(tlv_context *ctx, size_t d, size_t k, const double *packed, const double *w,
					   double *out)
{
	size_t pairs = tlv_packed2_size(d), small = tlv_packed2_size(k);
	double *matrix, *half = NULL;
	tlv_status status;

	TLV_TRY(tlv_require_memory(ctx, tlv_cumulant4_compress_memory(d, k), "the fourth moment"));
	TLV_TRY_NEW(ctx, matrix, pairs * pairs);
	half = tlv_alloc(ctx, pairs * small + small * small + d * d + d * k + k * k, sizeof(double));
	if (half == NULL)
	{
		tlv_free(ctx, matrix);
		return ctx->error.code;
	}
	tlv_cumulant4_to_pairs(d, packed, 1, matrix);
	status = compress_columns(ctx, d, k, pairs, matrix, w, half, half + (pairs + small) * small);
	if (status == TLV_OK)
		status = compress_columns(ctx, d, k, small, half, w, half + pairs * small,
								  half + (pairs + small) * small);
	if (status == TLV_OK)
		tlv_cumulant4_from_pairs(k, half + pairs * small, out);
	tlv_free(ctx, half);
	tlv_free(ctx, matrix);
	return status;
}

void
tlv_cumulant4_subtract_gaussian(size_t k, double *packed)
{
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b <= a; b++)
			for (size_t c = 0; c <= b; c++)
				for (size_t e = 0; e <= c; e++, packed++)
					if (a == b && c == e)
						*packed -= a == c ? 3 : 1;
}
