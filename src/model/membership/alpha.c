/*
 * alpha.c - the sum of the Dirichlet's parameters where it is not given: that at which the
 * decomposition explains the triples best, as that of topics is found (internal.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/num/linalg.h"

/* Values of alpha0 that are tried before parabolas. */
#define TRIED 7

typedef struct search
{
	const membership_moments *moments;
	const membership_triples *triples;
	const tlv_membership_options *options;
	size_t k;
	double rows, usual;
	double *table; /* k x categories: of the last components; all 0: there are none yet */
	double *start; /* k x k */
} search;

/* A logarithm of alpha0, and the residual there with what is added. */
typedef struct point
{
	double x, y;
} point;

/* The last components in the whitened directions, made orthonormal: where a decomposition begins.
 */
static tlv_status
begin_at_last(tlv_context *ctx, const search *own, const membership_basis *basis,
			  tlv_decompose_options *options)
{
	size_t k = own->k;

	if (options->method != TLV_METHOD_JOINT || own->table[0] == 0)
		return TLV_OK;
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, own->moments->categories, 1, basis->whiten, k,
					 own->table, k, 0, own->start, k));
	for (size_t h = 0; h < k; h++)
	{
		double *column = own->start + h * k, length = 0;

		for (size_t g = 0; g < k; g++)
			length += column[g] * column[g];
		for (size_t g = 0; g < k; g++)
			column[g] = length > 0 ? column[g] / sqrt(length) : g == h;
	}
	TLV_TRY(tlv_polar(ctx, k, own->start));
	options->initial = own->start;
	return TLV_OK;
}

/* The residual; INFINITY where the pairs do not show the components. */
static tlv_status
membership_measure(tlv_context *ctx, const search *own, double x, point *result)
{
	tlv_decompose_options options = own->options->decompose;
	membership_basis basis;
	membership_fit fit;
	tlv_scratch scratch;
	tlv_status status;

	*result = (point){x, INFINITY};
	TLV_TRY_CONTINUE(ctx);
	tlv_scratch_begin(ctx, &scratch);
	status = membership_whiten(ctx, own->moments, own->k, exp(x), own->options->seed, &basis);
	if (status == TLV_OK)
		status = membership_require_rank(ctx, own->moments, &basis);
	if (status == TLV_OK)
		status = begin_at_last(ctx, own, &basis, &options);
	if (status == TLV_OK)
		status = membership_decompose(ctx, own->moments, &basis, own->triples, &options, &fit);
	if (status == TLV_OK)
	{
		double beyond = x - log(own->usual), residual = fit.residual;

		result->y = residual + (ALPHA_DEPARTURE / own->rows + ALPHA_UNCLEAR * residual * residual) *
								   beyond * beyond;
		memcpy(own->table, fit.table, own->moments->categories * own->k * sizeof(double));
	}
	tlv_scratch_end(ctx, &scratch);
	return status == TLV_NOT_IDENTIFIABLE ? TLV_OK : status;
}

/* around[1] is the least of those that are tried, the others are beside it; at an end one of them
 * is the same. */
static tlv_status
try_all(tlv_context *ctx, const search *own, point around[3])
{
	point tried[TRIED];
	double least = log(LEAST_ALPHA * (double) own->k);
	size_t best = 0;

	for (size_t i = 0; i < TRIED; i++)
	{
		TLV_TRY(membership_measure(ctx, own, least + (double) i * log(ALPHA_FACTOR), &tried[i]));
		if (tried[i].y < tried[best].y)
			best = i;
	}
	for (size_t i = 0; i < 3; i++)
		around[i] = tried[tlv_least(best + i > 0 ? best + i - 1 : 0, TRIED - 1)];
	return TLV_OK;
}

/* Where the parabola through three points is least; of one that is not convex the middle. */
static double
least_of_parabola(const point around[3])
{
	double left = around[1].x - around[0].x, right = around[2].x - around[1].x;
	double rise = (around[2].y - around[1].y) / right, fall = (around[1].y - around[0].y) / left;
	double curve = (rise - fall) / (left + right);

	if (!isfinite(curve) || !(curve > 0))
		return around[1].x;
	return (around[0].x + around[1].x) / 2 - fall / (2 * curve);
}

/* The new point among the three, so that the least stays in the middle. */
static void
enclose(point around[3], point own)
{
	bool left = own.x < around[1].x;

	if (own.y < around[1].y)
	{
		around[left ? 2 : 0] = around[1];
		around[1] = own;
	}
	else
		around[left ? 0 : 2] = own;
}

static tlv_status
find_least(tlv_context *ctx, const search *own, double *alpha0)
{
	point around[3];

	TLV_TRY(try_all(ctx, own, around));
	for (int i = 0; i < PARABOLAS && around[1].y < around[0].y && around[1].y < around[2].y; i++)
	{
		point next;
		double x = least_of_parabola(around);

		if (!(x > around[0].x && x < around[2].x) || fabs(x - around[1].x) < ALPHA_NEAR)
			break;
		TLV_TRY(membership_measure(ctx, own, x, &next));
		enclose(around, next);
	}
	if (isfinite(around[1].y))
		*alpha0 = exp(around[1].x);
	return TLV_OK;
}

tlv_status
membership_find_alpha0(tlv_context *ctx, const membership_moments *moments,
					   const membership_triples *triples, const tlv_membership_options *options,
					   size_t k, double *alpha0)
{
	search own = {.moments = moments,
				  .triples = triples,
				  .options = options,
				  .k = k,
				  .rows = triples->rows != NULL ? (double) triples->rows->n : triples->tables->rows,
				  .usual = membership_alpha0(options, k)};

	*alpha0 = own.usual;
	if (!options->mixed || options->alpha0 > 0 || k < 2)
		return TLV_OK;
	TLV_TRY_NEW0_ROWS(ctx, own.table, moments->categories, k);
	TLV_TRY_NEW_ROWS(ctx, own.start, k, k);
	TLV_TRY(find_least(ctx, &own, alpha0));
	tlv_free(ctx, own.start);
	tlv_free(ctx, own.table);
	return TLV_OK;
}
