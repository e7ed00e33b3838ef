/*
 * packed2.c - packed symmetric matrices (linalg.h).
 */
#include "tensorlv/num/linalg.h"

#include <string.h>

#define TILE 256

void
tlv_packed2_unpack(size_t n, const double *packed, double *full)
{
	const size_t tile = 32;

	/* Rows of the lower triangle are columns of the upper one: contiguous copies. */
	for (size_t i = 0; i < n; i++)
		memcpy(full + i * n, packed + tlv_packed2_index(i, 0), (i + 1) * sizeof(double));
	for (size_t i0 = 0; i0 < n; i0 += tile)
		for (size_t j0 = 0; j0 <= i0; j0 += tile)
			for (size_t i = i0; i < tlv_least(i0 + tile, n); i++)
				for (size_t j = j0; j < tlv_least(j0 + tile, i); j++)
					full[i + j * n] = full[j + i * n];
}

void
tlv_packed2_pack(size_t n, const double *full, double *packed)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++)
			packed[tlv_packed2_index(i, j)] = full[i + j * n];
}

/*
 * Tile of D P D with rows i0.. and columns j0 <= i0.., row by row, so that
 * as a column-major matrix it is the transpose: columns x rows with leading
 * dimension TILE.  A diagonal tile is filled on both sides.
 */
TLV_CLONES static void
unpack_tile(const double *restrict packed, const double *restrict scale, size_t i0, size_t rows,
			size_t j0, size_t columns, double *restrict tile)
{
	for (size_t i = 0; i < rows; i++)
	{
		const double *restrict row = packed + tlv_packed2_index(i0 + i, 0) + j0;
		double *restrict out = tile + i * TILE;
		size_t n = tlv_least(columns, i0 + i - j0 + 1);

		if (scale == NULL)
			memcpy(out, row, n * sizeof(double));
		else
			for (size_t j = 0; j < n; j++)
				out[j] = row[j] * scale[i0 + i] * scale[j0 + j];
	}
	if (i0 == j0)
		for (size_t i = 0; i < rows; i++)
			for (size_t j = 0; j < i; j++)
				tile[i + j * TILE] = tile[j + i * TILE];
}

tlv_status
tlv_packed2_multiply(tlv_context *ctx, size_t d, const double *packed, const double *scale,
					 size_t l, const double *x, double *z)
{
	double *tile = tlv_alloc(ctx, TILE * TILE, sizeof(double));
	tlv_status status = TLV_OK;

	TLV_TRY_ALLOC(ctx, tile);
	memset(z, 0, l * d * sizeof(double));
	for (size_t i = 0; i < d && status == TLV_OK; i += TILE)
		for (size_t j = 0; j <= i && status == TLV_OK; j += TILE)
		{
			size_t rows = tlv_least(TILE, d - i), columns = tlv_least(TILE, d - j);

			unpack_tile(packed, scale, i, rows, j, columns, tile);
			/* z over the tile's rows from x over its columns, and the other way round. */
			status = tlv_gemm(ctx, false, false, l, rows, columns, 1, x + j * l, l, tile, TILE, 1,
							  z + i * l, l);
			if (status == TLV_OK && i != j)
				status = tlv_gemm(ctx, false, true, l, columns, rows, 1, x + i * l, l, tile, TILE,
								  1, z + j * l, l);
		}
	tlv_free(ctx, tile);
	return status;
}
