/*
 * tensor3_products.h - sums of outer products into a packed tensor, for
 * numbers of type REAL and their GEMM: included once for each.  Not a header in the usual sense.
 */

/* products[pair + pairs * t] = weight_t y_a y_b for the rows t of one chunk; no weight is 1. */
TLV_CLONES static void
PRODUCTS(pair_products)(size_t k, pair_block block, size_t n, const REAL *restrict y,
						const double *restrict weight, REAL *restrict products)
{
	for (size_t t = 0; t < n; t++)
	{
		const REAL *restrict row = y + t * k;

		for (size_t b = block.first; b < block.end; b++)
		{
			REAL factor = weight == NULL ? row[b] : (REAL) weight[t] * row[b];

			for (size_t a = b; a < k; a++)
				products[a - b] = factor * row[a];
			products += k - b;
		}
	}
}

/* w_a r_b + r_a w_b */
TLV_CLONES static void
PRODUCTS(mixed_products)(size_t k, pair_block block, size_t n, const REAL *restrict w,
						 const REAL *restrict r, REAL *restrict products)
{
	for (size_t t = 0; t < n; t++)
	{
		const REAL *restrict wt = w + t * k, *restrict rt = r + t * k;

		for (size_t b = block.first; b < block.end; b++)
		{
			for (size_t a = b; a < k; a++)
				products[a - b] = wt[a] * rt[b] + rt[a] * wt[b];
			products += k - b;
		}
	}
}

/* sums (c x pair) = or += sum over t of y[c, t] products[pair, t] */
static void
PRODUCTS(add_products)(size_t k, pair_block block, size_t n, const REAL *y, const REAL *products,
					   REAL *sums, bool add)
{
	GEMM(CblasColMajor, CblasNoTrans, CblasTrans, (int) block.end, (int) block.pairs, (int) n, 1, y,
		 (int) k, products, (int) block.pairs, add ? 1 : 0, sums, (int) block.end);
}

TLV_CLONES static void
PRODUCTS(add_to_packed)(size_t k, pair_block block, const REAL *restrict sums,
						double *restrict packed)
{
	for (size_t b = block.first; b < block.end; b++)
		for (size_t a = b; a < k; a++)
		{
			double *restrict run = packed + tlv_packed3_index(a, b, 0);

			for (size_t c = 0; c <= b; c++)
				run[c] += sums[c];
			sums += block.end;
		}
}

/* Without a context (NULL) it cannot be stopped, nor fail. */
static tlv_status
PRODUCTS(add_cubes)(tlv_context *ctx, size_t k, size_t n, const REAL *y, const double *weight,
					double *packed, REAL *work)
{
	REAL *products = work + most_pairs(k) * k;
	pair_block block;

	if (n == 0)
		return TLV_OK;
	for (size_t first = 0; first < k; first = block.end)
	{
		block = tensor3_next_block(k, first);
		for (size_t t = 0; t < n; t += TENSOR3_CHUNK)
		{
			size_t rows = tlv_least(TENSOR3_CHUNK, n - t);

			if (ctx != NULL)
				TLV_TRY_CONTINUE(ctx);
			PRODUCTS(pair_products)
			(k, block, rows, y + t * k, weight == NULL ? NULL : weight + t, products);
			PRODUCTS(add_products)(k, block, rows, y + t * k, products, work, t > 0);
		}
		PRODUCTS(add_to_packed)(k, block, work, packed);
	}
	return TLV_OK;
}

static tlv_status
PRODUCTS(add_squares)(tlv_context *ctx, size_t k, size_t n, const REAL *w, const REAL *r,
					  double *packed, REAL *work)
{
	REAL *products = work + most_pairs(k) * k;
	pair_block block;

	for (size_t first = 0; first < k; first = block.end)
	{
		block = tensor3_next_block(k, first);
		for (size_t t = 0; t < n; t += TENSOR3_CHUNK)
		{
			size_t rows = tlv_least(TENSOR3_CHUNK, n - t), at = t * k;

			TLV_TRY_CONTINUE(ctx);
			PRODUCTS(pair_products)(k, block, rows, w + at, NULL, products);
			PRODUCTS(add_products)(k, block, rows, r + at, products, work, t > 0);
			PRODUCTS(mixed_products)(k, block, rows, w + at, r + at, products);
			PRODUCTS(add_products)(k, block, rows, w + at, products, work, true);
		}
		PRODUCTS(add_to_packed)(k, block, work, packed);
	}
	return TLV_OK;
}
