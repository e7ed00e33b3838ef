/*
 * encode.c - codes of rows by orthogonal matching pursuit, many rows under the same atoms
 * (Rubinstein, Zibulevsky, Elad 2008, algorithm 2).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* Operations of a row above which every one looks at tlv_should_stop(). */
#define MUCH ((size_t) 1 << 20)

tlv_status
tlv_coder_create(tlv_context *ctx, size_t d, size_t k, size_t sparsity, tlv_coder *coder)
{
	*coder = (tlv_coder){.d = d, .k = k, .sparsity = sparsity};
	TLV_TRY_NEW_ROWS(ctx, coder->gram, k, k);
	TLV_TRY_NEW_ROWS(ctx, coder->products, k, CODE_BLOCK + 1);
	coder->left = coder->products + k * CODE_BLOCK;
	TLV_TRY_NEW_ROWS(ctx, coder->factor, sparsity, sparsity + CODE_BLOCK + 1);
	coder->solved = coder->factor + sparsity * sparsity;
	coder->coefficients = coder->solved + sparsity;
	TLV_TRY_NEW_ROWS(ctx, coder->support, CODE_BLOCK, sparsity + 1);
	coder->found = coder->support + CODE_BLOCK * sparsity;
	TLV_TRY_NEW(ctx, coder->energies, 2 * CODE_BLOCK);
	coder->errors = coder->energies + CODE_BLOCK;
	return TLV_OK;
}

tlv_status
tlv_coder_use(tlv_context *ctx, tlv_coder *coder, const double *atoms)
{
	coder->atoms = atoms;
	return tlv_gemm(ctx, true, false, coder->k, coder->k, coder->d, 1, atoms, coder->d, atoms,
					coder->d, 0, coder->gram, coder->k);
}

/* The place of the largest modulus. */
TLV_CLONES static size_t
largest_of(size_t k, const double *restrict x)
{
	double largest = 0;
	size_t at = 0;

	for (size_t j = 0; j < k; j++)
		largest = largest > fabs(x[j]) ? largest : fabs(x[j]);
	while (at + 1 < k && fabs(x[at]) < largest)
		at++;
	return at;
}

/* left = products - G(:, found) c */
TLV_CLONES static void
correlations_left(size_t k, size_t n, const double *restrict products, const double *restrict gram,
				  const int32_t *restrict support, const double *restrict c, double *restrict left)
{
	memcpy(left, products, k * sizeof(double));
	for (size_t t = 0; t < n; t++)
	{
		const double *restrict column = gram + (size_t) support[t] * k;
		double weight = c[t];

		for (size_t j = 0; j < k; j++)
			left[j] -= weight * column[j];
	}
}

/* Adds atom j to the factor of those found; false where it is in their span. */
static bool
extend_factor(const tlv_coder *coder, size_t n, const int32_t *support, size_t j)
{
	/* An atom whose part outside those found is shorter (squared) is one of their span. */
	const double dependent = 1e-10;
	size_t s = coder->sparsity;
	double *line = coder->factor + n, rest = coder->gram[j + j * coder->k];

	for (size_t t = 0; t < n; t++)
	{
		double x = coder->gram[(size_t) support[t] + j * coder->k];

		for (size_t u = 0; u < t; u++)
			x -= line[u * s] * coder->factor[t + u * s];
		line[t * s] = x / coder->factor[t + t * s];
		rest -= line[t * s] * line[t * s];
	}
	if (!(rest > dependent))
		return false;
	line[n * s] = sqrt(rest);
	return true;
}

/* c of n atoms: L L' c = their products with the row. */
static void
solve_code(const tlv_coder *coder, size_t n, const int32_t *support, const double *products,
		   double *c)
{
	size_t s = coder->sparsity;

	for (size_t t = 0; t < n; t++)
	{
		double x = products[support[t]];

		for (size_t u = 0; u < t; u++)
			x -= coder->factor[t + u * s] * coder->solved[u];
		coder->solved[t] = x / coder->factor[t + t * s];
	}
	for (size_t t = n; t-- > 0;)
	{
		double x = coder->solved[t];

		for (size_t u = t + 1; u < n; u++)
			x -= coder->factor[u + t * s] * c[u];
		c[t] = x / coder->factor[t + t * s];
	}
}

/* The code of row i of the block. */
static void
pursue(tlv_coder *coder, size_t i)
{
	/* What is left of a row's energy below this part of it is rounding. */
	const double exact = 1e-24;
	const double *products = coder->products + i * coder->k;
	int32_t *support = coder->support + i * coder->sparsity;
	double *c = coder->coefficients + i * coder->sparsity, energy = coder->energies[i];
	double error = energy;
	size_t n = 0;

	memcpy(coder->left, products, coder->k * sizeof(double));
	while (n < coder->sparsity && error > exact * energy)
	{
		size_t j = largest_of(coder->k, coder->left);

		if (coder->left[j] == 0 || !extend_factor(coder, n, support, j))
			break;
		support[n++] = (int32_t) j;
		solve_code(coder, n, support, products, c);
		error = energy;
		for (size_t t = 0; t < n; t++)
			error -= c[t] * products[support[t]];
		if (n < coder->sparsity)
			correlations_left(coder->k, n, products, coder->gram, support, c, coder->left);
	}
	coder->found[i] = (int32_t) n;
	coder->errors[i] = fmax(error, 0);
}

tlv_status
tlv_coder_run(tlv_context *ctx, tlv_coder *coder, size_t n, const double *rows)
{
	size_t d = coder->d;

	for (size_t i = 0; i < n; i++)
	{
		double sum = 0;

		for (size_t e = 0; e < d; e++)
			sum += rows[e + i * d] * rows[e + i * d];
		if (!isfinite(sum))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "the squares of a row's numbers add up to no number");
			return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
		}
		coder->energies[i] = sum;
	}
	TLV_TRY(tlv_gemm(ctx, true, false, coder->k, n, d, 1, coder->atoms, d, rows, d, 0,
					 coder->products, coder->k));
	for (size_t i = 0; i < n; i++)
	{
		if (i % 16 == 0 || coder->sparsity * coder->sparsity * coder->k > MUCH)
			TLV_TRY_CONTINUE(ctx);
		pursue(coder, i);
	}
	return TLV_OK;
}
