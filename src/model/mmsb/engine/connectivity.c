/*
 * connectivity.c - estimates of the connectivity between communities
 * (connectivity.h).
 */
#include "connectivity.h"

#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"

static float
power(float g, int exponent)
{
	return exponent == 2 ? g * g : g * g * g;
}

/* Sums of squared weights of the rows. */
static void
square_sums(const tlv_csr *a, double *sums)
{
	for (size_t u = 0; u < a->rows; u++)
	{
		sums[u] = 0;
		for (size_t e = a->start[u]; e < a->start[u + 1]; e++)
			sums[u] += a->value == NULL ? 1 : power(a->value[e], 2);
	}
}

/* y = G3 x for the cubed weights of a */
static tlv_status
multiply_cubed(tlv_context *ctx, const tlv_csr *a, size_t k, const float *x, float *y)
{
	tlv_csr cubed = *a;
	tlv_status status;

	if (a->value == NULL)
		return tlv_csr_multiply(ctx, a, k, x, y);
	TLV_TRY_NEW(ctx, cubed.value, a->entries);
	for (size_t e = 0; e < a->entries; e++)
		cubed.value[e] = power(a->value[e], 3);
	status = tlv_csr_multiply(ctx, &cubed, k, x, y);
	tlv_free(ctx, cubed.value);
	return status;
}

/* y -= factor of every column times x */
static void
subtract_scaled(size_t k, size_t n, const double *factor, const float *x, float *y)
{
	for (size_t u = 0; u < n; u++)
		for (size_t a = 0; a < k; a++)
			y[u * k + a] -= (float) factor[u] * x[u * k + a];
}

/* sums (k) of the columns of x times weight (NULL: 1) */
static void
weighted_sums(size_t k, size_t n, const float *x, const double *weight, double *sums)
{
	memset(sums, 0, k * sizeof(double));
	for (size_t u = 0; u < n; u++)
		for (size_t a = 0; a < k; a++)
			sums[a] += (weight == NULL ? 1 : weight[u]) * x[u * k + a];
}

/* A, k x k, without the paths that use an edge twice. */
static tlv_status
count_paths(tlv_context *ctx, tlv_mmsb_fit_state *fit, const double *squares[2], double *paths)
{
	const tlv_mmsb_side *rows = &fit->side[0], *columns = &fit->side[tlv_mmsb_other(fit, 0)];
	const tlv_star_moments *one = &fit->moments[0].stars;
	const tlv_star_moments *two = &fit->moments[tlv_mmsb_other(fit, 0)].stars;
	size_t k = fit->k, most = rows->n > columns->n ? rows->n : columns->n;
	float *product = tlv_alloc(ctx, k * most, sizeof(float));
	double *also = tlv_alloc(ctx, k * k, sizeof(double));

	TLV_TRY_ALLOC(ctx, product);
	TLV_TRY_ALLOC(ctx, also);
	TLV_TRY(tlv_csr_multiply(ctx, &rows->edges, k, two->scores, product));
	subtract_scaled(k, rows->n, squares[0], two->basis, product);
	TLV_TRY(tlv_gram_float(ctx, rows->n, k, one->scores, k, product, paths));
	TLV_TRY(multiply_cubed(ctx, &columns->edges, k, two->basis, product));
	subtract_scaled(k, columns->n, squares[1], two->scores, product);
	TLV_TRY(tlv_gram_float(ctx, columns->n, k, one->basis, k, product, also));
	for (size_t i = 0; i < k * k; i++)
		paths[i] += also[i];
	tlv_free(ctx, also);
	tlv_free(ctx, product);
	return TLV_OK;
}

/* s and u of side s: sums of memberships, and the mean degree of its communities. */
static void
community_degrees(const tlv_mmsb_fit_state *fit, size_t s, const double *squares_other,
				  double *sums, double *degrees)
{
	const tlv_star_moments *stars = &fit->moments[s].stars;
	size_t k = fit->k, n = fit->side[s].n, m = fit->side[tlv_mmsb_other(fit, s)].n;

	weighted_sums(k, m, stars->basis, squares_other, sums);
	weighted_sums(k, n, stars->scores, fit->side[s].degree, degrees);
	for (size_t a = 0; a < k; a++)
		degrees[a] -= sums[a];
	weighted_sums(k, n, stars->scores, NULL, sums);
	for (size_t a = 0; a < k; a++)
		degrees[a] /= sums[a];
}

tlv_status
tlv_connectivity_unbiased(tlv_context *ctx, tlv_mmsb_fit_state *fit, double *connectivity,
						  bool *sound)
{
	size_t k = fit->k, o = tlv_mmsb_other(fit, 0);
	double a0 = fit->options->alpha0, trace = 0;
	double n1 = (double) fit->side[0].n, n2 = (double) fit->side[o].n;
	double *work = tlv_alloc(ctx, 4 * k + fit->side[0].n + fit->side[o].n, sizeof(double));
	double *s1 = work, *u1, *s2, *u2;
	const double *squares[2];

	TLV_TRY_ALLOC(ctx, work);
	u1 = s1 + k;
	s2 = u1 + k;
	u2 = s2 + k;
	squares[0] = u2 + k;
	squares[1] = squares[0] + fit->side[0].n;
	square_sums(&fit->side[0].edges, u2 + k);
	square_sums(&fit->side[o].edges, u2 + k + fit->side[0].n);
	TLV_TRY(count_paths(ctx, fit, squares, connectivity));
	community_degrees(fit, 0, squares[1], s1, u1);
	community_degrees(fit, o, squares[0], s2, u2);
	*sound = true;
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			double *p = &connectivity[a + k * b];

			*p = (a0 + 1) * (a0 + 1) * *p / (s1[a] * s2[b]) -
				 a0 * (a0 + 1) * (u1[a] / n2 + u2[b] / n1) + a0 * a0 * fit->total / (n1 * n2);
			trace += a == b ? *p : 0;
			*sound &= isfinite(*p) != 0;
		}
	for (size_t a = 0; a < k; a++)
		*sound &= s1[a] > 0 && s2[a] > 0;
	*sound &= fit->sides == 2 || trace > 0;
	tlv_free(ctx, work);
	return TLV_OK;
}

/* shares of a side, times propensities where there are any; its own memory */
static tlv_status
weighted_shares(tlv_context *ctx, const tlv_mmsb_side *side, size_t k, float **weighted)
{
	TLV_TRY_NEW(ctx, *weighted, k * side->n);
	for (size_t u = 0; u < side->n; u++)
		for (size_t a = 0; a < k; a++)
			(*weighted)[u * k + a] = (side->propensity == NULL ? 1 : (float) side->propensity[u]) *
									 side->share[u * k + a];
	return TLV_OK;
}

/* b <- (x x' + r I)^-1 b, k x k */
static tlv_status
community_regress(tlv_context *ctx, size_t k, size_t n, const float *x, double *b)
{
	double *gram = tlv_alloc(ctx, k * k, sizeof(double));
	tlv_status status;

	TLV_TRY_ALLOC(ctx, gram);
	TLV_TRY(tlv_gram_float(ctx, n, k, x, k, x, gram));
	for (size_t a = 0; a < k; a++)
		gram[a + k * a] += 0.01 * (double) n / (double) k;
	status = tlv_solve_spd(ctx, k, k, gram, b);
	tlv_free(ctx, gram);
	return status;
}

static void
community_transpose(size_t k, double *a)
{
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < j; i++)
		{
			double kept = a[i + k * j];

			a[i + k * j] = a[j + k * i];
			a[j + k * i] = kept;
		}
}

tlv_status
tlv_connectivity_least_squares(tlv_context *ctx, const tlv_mmsb_fit_state *fit,
							   double *connectivity)
{
	const tlv_mmsb_side *rows = &fit->side[0], *columns = &fit->side[tlv_mmsb_other(fit, 0)];
	size_t k = fit->k;
	float *x, *y, *product;

	TLV_TRY(weighted_shares(ctx, rows, k, &x));
	TLV_TRY(weighted_shares(ctx, columns, k, &y));
	TLV_TRY_NEW(ctx, product, k * rows->n);
	TLV_TRY(tlv_csr_multiply(ctx, &rows->edges, k, y, product));
	TLV_TRY(tlv_gram_float(ctx, rows->n, k, x, k, product, connectivity));
	TLV_TRY(community_regress(ctx, k, rows->n, x, connectivity));
	community_transpose(k, connectivity);
	TLV_TRY(community_regress(ctx, k, columns->n, y, connectivity));
	community_transpose(k, connectivity);
	tlv_free(ctx, product);
	tlv_free(ctx, y);
	tlv_free(ctx, x);
	return TLV_OK;
}

tlv_status
tlv_community_edges(tlv_context *ctx, const tlv_mmsb_fit_state *fit, double *edges)
{
	const tlv_mmsb_side *rows = &fit->side[0];
	size_t k = fit->k;
	float *product;

	memset(edges, 0, k * k * sizeof(double));
	if (rows->share == NULL)
		return tlv_block_edges(ctx, &rows->edges, rows->label,
							   fit->side[tlv_mmsb_other(fit, 0)].label, k, true, edges);
	TLV_TRY_NEW(ctx, product, k * rows->n);
	TLV_TRY(
		tlv_csr_multiply(ctx, &rows->edges, k, fit->side[tlv_mmsb_other(fit, 0)].share, product));
	TLV_TRY(tlv_gram_float(ctx, rows->n, k, rows->share, k, product, edges));
	tlv_free(ctx, product);
	return TLV_OK;
}
