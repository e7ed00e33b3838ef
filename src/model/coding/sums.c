/*
 * sums.c - what the codes of rows add up to, and the atoms of least squares that follow.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* y += a x */
TLV_CLONES static void
add_multiple(size_t n, double a, const double *restrict x, double *restrict y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

void
tlv_code_sums_add(const tlv_coder *coder, size_t n, const double *rows, tlv_code_sums *sums)
{
	size_t d = coder->d, k = coder->k;

	sums->rows += (double) n;
	for (size_t i = 0; i < n; i++)
	{
		const int32_t *support = coder->support + i * coder->sparsity;
		const double *c = coder->coefficients + i * coder->sparsity;

		sums->energy += coder->energies[i];
		sums->error += coder->errors[i];
		for (int32_t t = 0; t < coder->found[i]; t++)
		{
			size_t j = (size_t) support[t];

			sums->uses[j]++;
			for (int32_t u = 0; u < coder->found[i]; u++)
				sums->codes[(size_t) support[u] + j * k] += c[u] * c[t];
			add_multiple(d, c[t], rows + i * d, sums->products + j * d);
		}
	}
}

/* Columns of unit length; codes in the scale that undoes it.  An atom of no length is as before. */
static void
normalize(size_t d, size_t k, const double *before, double *atoms, double *codes)
{
	for (size_t j = 0; j < k; j++)
	{
		double *atom = atoms + j * d, largest = tlv_largest_modulus(d, atom), length = 0;

		for (size_t i = 0; i < d && largest > 0; i++)
			length += (atom[i] / largest) * (atom[i] / largest);
		length = largest * sqrt(length);
		if (!(length > 0) || !isfinite(length))
		{
			memcpy(atom, before + j * d, d * sizeof(double));
			continue;
		}
		for (size_t i = 0; i < d; i++)
			atom[i] /= length;
		for (size_t i = 0; i < k; i++)
		{
			codes[i + j * k] *= length;
			codes[j + i * k] *= length;
		}
	}
}

tlv_status
tlv_code_solve(tlv_context *ctx, size_t d, size_t k, const tlv_code_sums *sums,
			   const double *before, double *atoms, double *codes)
{
	/* Part of the mean diagonal of the codes that is added to all of it. */
	const double ridge = 1e-10;
	double *a = tlv_alloc(ctx, k, (k + d) * sizeof(double)), *b, mean = 0;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, a);
	b = a + k * k;
	for (size_t j = 0; j < k; j++)
		mean += sums->codes[j + j * k] / (double) k;
	memcpy(a, sums->codes, k * k * sizeof(double));
	for (size_t j = 0; j < k; j++)
		a[j + j * k] += sums->codes[j + j * k] > 0 ? ridge * mean : 1;
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			b[j + i * k] = sums->products[i + j * d];
	status = mean > 0 && isfinite(mean) ? tlv_solve_spd(ctx, k, d, a, b) : TLV_OK;
	if (status == TLV_BAD_DATA) /* codes of one pattern alone: atoms stay as they are */
		memset(b, 0, k * d * sizeof(double));
	else
		TLV_TRY(status);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			atoms[i + j * d] = mean > 0 ? b[j + i * k] : 0;
	for (size_t i = 0; i < k * k; i++)
		codes[i] = sums->codes[i] / sums->rows;
	normalize(d, k, before, atoms, codes);
	tlv_free(ctx, a);
	return TLV_OK;
}
