/*
 * tensor_products.c - products of third-order tensors with factors (tensor.h).
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor.h"

/* Entries between two looks at whether to stop. */
#define ENTRIES_BETWEEN ((size_t) 1 << 16)

static size_t
entries_of(const tlv_tensor *t)
{
	return t->dense != NULL ? t->d[0] * t->d[1] * t->d[2] : t->n;
}

static const double *
values_of(const tlv_tensor *t)
{
	return t->dense != NULL ? t->dense : t->entries;
}

double
tlv_tensor_norm2(const tlv_tensor *tensor)
{
	size_t n = entries_of(tensor);
	const double *x = values_of(tensor);
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i] * x[i];
	return sum;
}

tlv_status
tlv_tensor_largest(tlv_context *ctx, const tlv_tensor *tensor, double *largest)
{
	size_t n = entries_of(tensor);
	const double *x = values_of(tensor);

	*largest = 0;
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!isfinite(x[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "entry %zu of the tensor is %g", i + 1, x[i]);
		*largest = fmax(*largest, fabs(x[i]));
	}
	return TLV_OK;
}

tlv_status
tlv_tensor_measure(tlv_context *ctx, const tlv_tensor *tensor, double *norm2)
{
	double largest;

	TLV_TRY(tlv_tensor_largest(ctx, tensor, &largest));
	if (largest == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the tensor is zero");
	*norm2 = tlv_tensor_norm2(tensor);
	if (!(*norm2 >= 1e-290 && *norm2 <= 1e290))
		return tlv_fail(ctx, TLV_BAD_DATA, "entries up to %g are too large or too small", largest);
	return TLV_OK;
}

/* ---- the other factors' products ---- */

/* z += x o y, of k numbers each */
static inline void
add_product(size_t k, const double *restrict x, const double *restrict y, double *restrict z)
{
	for (size_t h = 0; h < k; h++)
		z[h] += x[h] * y[h];
}

double
tlv_tensor_work(const tlv_tensor *tensor, size_t k)
{
	return (double) k * (tensor->dense != NULL ? (double) tensor->d[0] * (double) tensor->d[1] : 1);
}

/* Rows of mode 0 or 1 from those of all pairs of both. */
TLV_CLONES static void
add_pairs(const size_t d[TLV_MODES], size_t first, size_t end, size_t k, const double *rows,
		  const double *other, int mode, double *z)
{
	for (size_t x = first; x < end; x++)
		for (size_t y = 0; y < d[1]; y++)
			add_product(k, rows + (x * d[1] + y) * k, other + (mode == 0 ? y : x) * k,
						z + (mode == 0 ? x : y) * k);
}

/* rows: of every pair of the first two modes the products of their factors. */
TLV_CLONES static void
projected_pair_products(const size_t d[TLV_MODES], size_t k, const double *a, const double *b,
						double *rows)
{
	for (size_t x = 0; x < d[0]; x++)
		for (size_t y = 0; y < d[1]; y++)
			for (size_t h = 0; h < k; h++)
				rows[(x * d[1] + y) * k + h] = a[x * k + h] * b[y * k + h];
}

static tlv_status
multiply_dense(tlv_context *ctx, const tlv_tensor *t, size_t k, double *const factor[TLV_MODES],
			   int mode, bool again, double *rows, double *z)
{
	const size_t *d = t->d;
	size_t some = 1 + ENTRIES_BETWEEN * 16 / (d[1] * k);

	if (mode == 2)
	{
		projected_pair_products(d, k, factor[0], factor[1], rows);
		return tlv_gemm(ctx, false, true, k, d[2], d[0] * d[1], 1, rows, k, t->dense, d[2], 0, z,
						k);
	}
	if (!again)
		TLV_TRY(tlv_gemm(ctx, false, false, k, d[0] * d[1], d[2], 1, factor[2], k, t->dense, d[2],
						 0, rows, k));
	memset(z, 0, d[mode] * k * sizeof(double));
	for (size_t x = 0; x < d[0]; x += some)
	{
		TLV_TRY_CONTINUE(ctx);
		add_pairs(d, x, tlv_least(x + some, d[0]), k, rows, factor[1 - mode], mode, z);
	}
	return TLV_OK;
}

/* Entries from `first` on that share their places in the first two modes; returns the end. */
static inline size_t
fibre_end(const tlv_tensor *t, size_t first, size_t end)
{
	size_t i = first + 1;

	while (i < end && t->at[0][i] == t->at[0][first] && t->at[1][i] == t->at[1][first])
		i++;
	return i;
}

/* Entries first .. end - 1; a fibre may be cut in two. */
TLV_CLONES static void
multiply_fibres(const tlv_tensor *t, size_t first, size_t end, size_t k,
				double *const factor[TLV_MODES], int mode, double *restrict row, double *restrict z)
{
	for (size_t i = first, next; i < end; i = next)
	{
		const double *restrict a = factor[0] + (size_t) t->at[0][i] * k;
		const double *restrict b = factor[1] + (size_t) t->at[1][i] * k;

		next = fibre_end(t, i, end);
		for (size_t h = 0; h < k; h++)
			row[h] = mode == 2 ? a[h] * b[h] : 0;
		for (size_t e = i; e < next; e++)
		{
			const double *restrict c = factor[2] + (size_t) t->at[2][e] * k;
			double *restrict out = z + (size_t) t->at[2][e] * k, value = t->entries[e];

			for (size_t h = 0; h < k && mode == 2; h++)
				out[h] += value * row[h];
			for (size_t h = 0; h < k && mode < 2; h++)
				row[h] += value * c[h];
		}
		if (mode < 2)
			add_product(k, row, mode == 0 ? b : a, z + (size_t) t->at[mode][i] * k);
	}
}

tlv_status
tlv_tensor_multiply(tlv_context *ctx, const tlv_tensor *tensor, size_t k,
					double *const factor[TLV_MODES], int mode, bool again, double *rows, double *z)
{
	size_t some = 1 + ENTRIES_BETWEEN * 16 / k;

	if (tensor->dense != NULL)
		return multiply_dense(ctx, tensor, k, factor, mode, again, rows, z);
	memset(z, 0, tensor->d[mode] * k * sizeof(double));
	for (size_t i = 0, next; i < tensor->n; i = next)
	{
		TLV_TRY_CONTINUE(ctx);
		next = tlv_least(i + some, tensor->n);
		multiply_fibres(tensor, i, next, k, factor, mode, rows, z);
	}
	return TLV_OK;
}

/* ---- in bases ---- */

double
tlv_tensor_project_work(const tlv_tensor *tensor, const size_t r[TLV_MODES])
{
	double pairs = (double) tensor->d[0] * (double) r[2];

	if (tensor->dense != NULL)
		return pairs * (double) tensor->d[1] + pairs * (double) r[1];
	return pairs * (double) r[1];
}

/* The last two modes of a dense tensor: r[2] x r[1] x d[0]. */
static tlv_status
project_dense(tlv_context *ctx, const tlv_tensor *t, const size_t r[TLV_MODES],
			  double *const u[TLV_MODES], double *work, double *out)
{
	const size_t *d = t->d;
	const double *rows = t->dense;

	if (u[2] != NULL)
	{
		TLV_TRY(tlv_gemm(ctx, false, false, r[2], d[0] * d[1], d[2], 1, u[2], r[2], rows, d[2], 0,
						 work, r[2]));
		rows = work;
	}
	if (u[1] == NULL)
		return tlv_copy(ctx, out, rows, r[2] * d[1] * d[0] * sizeof(double));
	for (size_t x = 0; x < d[0]; x++)
		TLV_TRY(tlv_gemm(ctx, false, true, r[2], r[1], d[1], 1, rows + x * r[2] * d[1], r[2], u[1],
						 r[1], 0, out + x * r[2] * r[1], r[2]));
	return TLV_OK;
}

/* out (r_b x r_a x d[mode]) of a sparse tensor: sums over entries of products with the rows of the
 * other two modes a < b. */
TLV_CLONES static void
project_entries(const tlv_tensor *t, size_t first, size_t end, const size_t r[TLV_MODES],
				double *const u[TLV_MODES], int mode, double *restrict out)
{
	int a = mode == 0 ? 1 : 0, b = mode == 2 ? 1 : 2;

	for (size_t i = first; i < end; i++)
	{
		const double *restrict x = u[a] + (size_t) t->at[a][i] * r[a];
		const double *restrict y = u[b] + (size_t) t->at[b][i] * r[b];
		double *restrict to = out + (size_t) t->at[mode][i] * r[a] * r[b];

		for (size_t p = 0; p < r[a]; p++)
		{
			double value = t->entries[i] * x[p];

			for (size_t q = 0; q < r[b]; q++)
				to[p * r[b] + q] += value * y[q];
		}
	}
}

tlv_status
tlv_tensor_unfold(tlv_context *ctx, const tlv_tensor *t, const size_t r[TLV_MODES],
				  double *const u[TLV_MODES], int mode, double *out)
{
	int a = mode == 0 ? 1 : 0, b = mode == 2 ? 1 : 2;
	size_t each = r[a] * r[b], some = 1 + ENTRIES_BETWEEN * 16 / each;

	memset(out, 0, t->d[mode] * each * sizeof(double));
	for (size_t i = 0; i < t->n; i += some)
	{
		TLV_TRY_CONTINUE(ctx);
		project_entries(t, i, tlv_least(i + some, t->n), r, u, mode, out);
	}
	return TLV_OK;
}

tlv_status
tlv_tensor_project(tlv_context *ctx, const tlv_tensor *tensor, const size_t r[TLV_MODES],
				   double *const u[TLV_MODES], double *work, double *out)
{
	double *rows = u[0] == NULL ? out : work;

	if (tensor->dense != NULL)
		TLV_TRY(project_dense(ctx, tensor, r, u, work + r[2] * r[1] * tensor->d[0], rows));
	else
		TLV_TRY(tlv_tensor_unfold(ctx, tensor, r, u, 0, rows));
	if (u[0] == NULL)
		return TLV_OK;
	return tlv_gemm(ctx, false, true, r[2] * r[1], r[0], tensor->d[0], 1, rows, r[2] * r[1], u[0],
					r[0], 0, out, r[2] * r[1]);
}

/* ---- factors ---- */

void
tlv_factors_balance(const size_t d[TLV_MODES], size_t k, double *const gram[TLV_MODES],
					double *const factor[TLV_MODES])
{
	for (size_t h = 0; h < k; h++)
	{
		double product = 1;

		for (int m = 0; m < TLV_MODES; m++)
			product *= sqrt(gram[m][h * k + h]);
		for (int m = 0; m < TLV_MODES && product > 0; m++)
		{
			double scale = cbrt(product) / sqrt(gram[m][h * k + h]);

			for (size_t i = 0; i < d[m]; i++)
				factor[m][i * k + h] *= scale;
		}
	}
}

/* The sign of the element of largest modulus of n numbers, every stride-th. */
static double
leading_sign(size_t n, size_t stride, const double *x)
{
	size_t largest = 0;

	for (size_t i = 1; i < n; i++)
		if (fabs(x[i * stride]) > fabs(x[largest * stride]))
			largest = i;
	return x[largest * stride] < 0 ? -1 : 1;
}

tlv_status
tlv_factors_order(tlv_context *ctx, const size_t d[TLV_MODES], size_t k,
				  double *const gram[TLV_MODES], double *const factor[TLV_MODES], double *weights,
				  double *to)
{
	size_t *order;
	double *own, *signs;

	TLV_TRY_NEW(ctx, order, k);
	TLV_TRY_NEW_ROWS(ctx, own, k, 1 + TLV_MODES);
	signs = own + k;
	memcpy(own, weights, k * sizeof(double));
	for (size_t h = 0; h < k; h++)
	{
		size_t at = h;

		for (; at > 0 && own[order[at - 1]] < own[h]; at--)
			order[at] = order[at - 1];
		order[at] = h;
		signs[h] = leading_sign(d[0], k, factor[0] + h);
		signs[k + h] = leading_sign(d[1], k, factor[1] + h);
		signs[2 * k + h] = signs[h] * signs[k + h];
	}
	for (size_t h = 0; h < k; h++)
		weights[h] = own[order[h]];
	for (int m = 0; m < TLV_MODES; m++)
		for (size_t i = 0; i < d[m]; i++, to += k)
			for (size_t h = 0; h < k; h++)
			{
				size_t from = order[h];
				double length = sqrt(gram[m][from * k + from]);

				to[h] = length > 0 ? signs[m * k + from] * factor[m][i * k + from] / length : 0;
			}
	tlv_free(ctx, own);
	tlv_free(ctx, order);
	return TLV_OK;
}
