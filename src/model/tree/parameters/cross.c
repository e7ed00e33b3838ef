/*
 * cross.c - the cross moment of two nodes of a tree from those of what
 * stands for them, by least squares (tree_selection.h).
 */
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tuning.h"

/* Sum of A'A over a side's stand-ins, with its ridge. */
static tlv_status
side_gram(tlv_context *ctx, const tree_side *side, double *gram)
{
	size_t k = side->k;
	double trace = 0;

	memset(gram, 0, k * k * sizeof(double));
	for (size_t i = 0; i < side->n; i++)
		if (side->a[i] == NULL)
			for (size_t j = 0; j < k; j++)
				gram[j * k + j] += 1;
		else
			TLV_TRY(tlv_gemm(ctx, true, false, k, k, side->d[i], 1, side->a[i], side->d[i],
							 side->a[i], side->d[i], 1, gram, k));
	for (size_t j = 0; j < k; j++)
		trace += gram[j * k + j];
	for (size_t j = 0; j < k; j++)
		gram[j * k + j] += TLV_RIDGE * trace / (double) k;
	return TLV_OK;
}

/* sum (k_v x k_u) += A_c' P_ac' A_a; the table is P_ac' column by column. */
static tlv_status
add_projected(tlv_context *ctx, const tree_side *u, size_t a, const tree_side *v, size_t c,
			  const double *table, double *half, double *sum)
{
	size_t da = u->d[a], dc = v->d[c];

	if (v->a[c] != NULL)
		TLV_TRY(tlv_gemm(ctx, true, false, v->k, da, dc, 1, v->a[c], dc, table, dc, 0, half, v->k));
	else
		memcpy(half, table, da * dc * sizeof(double));
	if (u->a[a] != NULL)
		return tlv_gemm(ctx, false, false, v->k, u->k, da, 1, half, v->k, u->a[a], da, 1, sum,
						v->k);
	for (size_t e = 0; e < v->k * u->k; e++)
		sum[e] += half[e];
	return TLV_OK;
}

tlv_status
tlv_tree_cross_solve(tlv_context *ctx, const tree_side *u, const tree_side *v,
					 const double *const *pairs, double *joint)
{
	size_t most = 0, ku = u->k, kv = v->k;
	double *block, *turned, *half;

	for (size_t i = 0; i < u->n; i++)
		most = most > u->d[i] ? most : u->d[i];
	TLV_TRY_NEW(ctx, block, ku * ku + kv * kv + ku * kv + most * kv);
	turned = block + ku * ku + kv * kv;
	half = turned + ku * kv;
	memset(joint, 0, ku * kv * sizeof(double));
	for (size_t a = 0; a < u->n; a++)
		for (size_t c = 0; c < v->n; c++)
			TLV_TRY(add_projected(ctx, u, a, v, c, pairs[a * v->n + c], half, joint));
	TLV_TRY(side_gram(ctx, u, block));
	TLV_TRY(side_gram(ctx, v, block + ku * ku));
	TLV_TRY(tlv_solve_spd(ctx, kv, ku, block + ku * ku, joint));
	for (size_t x = 0; x < ku; x++)
		for (size_t y = 0; y < kv; y++)
			turned[y * ku + x] = joint[x * kv + y];
	TLV_TRY(tlv_solve_spd(ctx, ku, kv, block, turned));
	for (size_t x = 0; x < ku; x++)
		for (size_t y = 0; y < kv; y++)
			joint[x * kv + y] = turned[y * ku + x];
	tlv_free(ctx, block);
	return TLV_OK;
}
