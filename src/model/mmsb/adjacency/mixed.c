/*
 * mixed.c - mixed memberships of rows of neighbours (mixed.h).
 */
#include "mixed.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "../mixed/memberships.h"
#include "tensorlv/num/fast_math.h"

/* As in mixed/least_squares.c and mixed/mixed_pass.c: least alpha0, least entry of P of its
 * largest, and parameters that have no share. */
#define LEAST_ALPHA0	   0.01
#define CONNECTIVITY_FLOOR 1e-3
#define LEAST_PARAMETER	   0.04

/* Steps of a node that the model does not know: its shares begin even. */
#define STEPS_OF_NEW 10

struct tlv_mixed_rows
{
	const tlv_mmsb_parts *parts;
	size_t k;
	double alpha;
	double *connectivity; /* k x k: P over its largest entry */
	double *exposure;	  /* k: sum over nodes v of theta_v P pi_v, over its mean */
	double *rate;		  /* k: of one neighbour */
	double *weight;		  /* k: of the node */
	double *gamma;		  /* k: its parameters */
	double *row;		  /* k: sum of neighbours' rates over what the node expects */
	double *mean;		  /* k: of their shares */
	double likelihood;	  /* of the neighbours, under the weights */
};

static double
propensity_of(const tlv_mmsb_parts *parts, size_t v)
{
	return parts->degree_corrected ? parts->side[0].propensity[v] : 1;
}

/* sum over nodes of theta_v pi_v */
static void
sum_shares(const tlv_mmsb_parts *parts, double *sums)
{
	tlv_memberships_sums(&parts->side[0].memberships, parts->k,
						 parts->degree_corrected ? parts->side[0].propensity : NULL, sums);
}

static double
largest_entry(size_t n, const double *x)
{
	double largest = 0;

	for (size_t i = 0; i < n; i++)
		largest = fmax(largest, x[i]);
	return largest;
}

/* Exposures of communities, over their mean: P sums. */
static void
find_exposure(size_t k, const double *connectivity, const double *sums, double *exposure)
{
	double mean = 0;

	for (size_t a = 0; a < k; a++)
	{
		exposure[a] = 0;
		for (size_t b = 0; b < k; b++)
			exposure[a] += connectivity[a + k * b] * sums[b];
		mean += exposure[a] / (double) k;
	}
	for (size_t a = 0; a < k; a++)
		exposure[a] = fmax(exposure[a] / fmax(mean, DBL_MIN), 1e-12);
}

tlv_status
tlv_mixed_rows_open(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_mixed_rows **rows)
{
	size_t k = parts->k;
	double largest = fmax(largest_entry(k * k, parts->connectivity), DBL_MIN);
	tlv_mixed_rows *own;
	double *numbers;

	TLV_TRY_NEW0(ctx, own, 1);
	TLV_TRY_NEW0(ctx, numbers, k * (k + 6));
	*own = (tlv_mixed_rows){.parts = parts, .k = k};
	own->alpha = fmax(parts->alpha0, LEAST_ALPHA0) / (double) k;
	own->connectivity = numbers;
	own->exposure = numbers + k * k;
	own->rate = own->exposure + k;
	own->weight = own->rate + k;
	own->gamma = own->weight + k;
	own->row = own->gamma + k;
	own->mean = own->row + k;
	for (size_t i = 0; i < k * k; i++)
		own->connectivity[i] = parts->connectivity[i] / largest;
	sum_shares(parts, own->rate);
	find_exposure(k, own->connectivity, own->rate, own->exposure);
	*rows = own;
	return TLV_OK;
}

/* F_v = theta_v P pi_v */
static void
neighbour_rates(tlv_mixed_rows *rows, size_t v)
{
	const tlv_memberships *m = &rows->parts->side[0].memberships;
	double theta = propensity_of(rows->parts, v);
	size_t k = rows->k;

	memset(rows->rate, 0, k * sizeof(double));
	for (size_t e = m->start[v]; e < m->start[v + 1]; e++)
	{
		const double *restrict column = rows->connectivity + k * m->community[e];
		double x = theta * m->share[e];

		for (size_t a = 0; a < k; a++)
			rows->rate[a] += x * column[a];
	}
}

/* W = exp(E log pi) under the parameters, by exposure, relative to the largest. */
static void
weigh(tlv_mixed_rows *rows)
{
	double largest = largest_entry(rows->k, rows->gamma);
	double highest = tlv_fast_digamma(fmax(largest, LEAST_PARAMETER));

	for (size_t a = 0; a < rows->k; a++)
		rows->weight[a] =
			rows->gamma[a] > LEAST_PARAMETER || rows->gamma[a] == largest
				? exp(tlv_fast_digamma(fmax(rows->gamma[a], LEAST_PARAMETER)) - highest) /
					  rows->exposure[a]
				: 0;
}

/* The parameters that shares in the model tell, or even ones. */
static void
begin_node(tlv_mixed_rows *rows, int32_t u, double degree)
{
	const tlv_memberships *m = &rows->parts->side[0].memberships;
	bool known = u >= 0 && m->start[u] < m->start[u + 1];
	double total = 0;

	for (size_t a = 0; a < rows->k; a++)
		rows->gamma[a] = known ? 0 : 1 / (double) rows->k;
	for (size_t e = known ? m->start[u] : 0; known && e < m->start[u + 1]; e++)
		rows->gamma[m->community[e]] = m->share[e] * rows->exposure[m->community[e]];
	for (size_t a = 0; a < rows->k; a++)
		total += rows->gamma[a];
	for (size_t a = 0; a < rows->k; a++)
		rows->gamma[a] = rows->alpha + degree * rows->gamma[a] / fmax(total, DBL_MIN);
}

/* Sums over the neighbours under the node's weights, and the parameters that follow. */
static void
step_node(tlv_mixed_rows *rows, size_t n, const int32_t *neighbour, const double *weight)
{
	const tlv_memberships *m = &rows->parts->side[0].memberships;
	size_t k = rows->k;
	double all = 0;

	weigh(rows);
	memset(rows->row, 0, k * sizeof(double));
	memset(rows->mean, 0, k * sizeof(double));
	rows->likelihood = 0;
	for (size_t a = 0; a < k; a++)
		all += rows->weight[a] * rows->exposure[a];
	for (size_t i = 0; i < n; i++)
	{
		size_t v = (size_t) neighbour[i];
		double expected = DBL_MIN, factor;

		if (weight[i] == 0 || m->start[v] == m->start[v + 1])
			continue;
		neighbour_rates(rows, v);
		for (size_t a = 0; a < k; a++)
			expected += rows->weight[a] * rows->rate[a];
		factor = weight[i] / expected;
		rows->likelihood += weight[i] * log(expected / all);
		for (size_t a = 0; a < k; a++)
			rows->row[a] += factor * rows->rate[a];
		factor *= propensity_of(rows->parts, v);
		for (size_t e = m->start[v]; e < m->start[v + 1]; e++)
			rows->mean[m->community[e]] += factor * m->share[e];
	}
	for (size_t a = 0; a < k; a++)
		rows->gamma[a] = rows->alpha + rows->weight[a] * rows->row[a];
}

double
tlv_mixed_rows_infer(tlv_mixed_rows *rows, int32_t u, double degree, size_t n,
					 const int32_t *neighbour, const double *weight, double *share, double *edges)
{
	const tlv_memberships *m = &rows->parts->side[0].memberships;
	bool known = u >= 0 && m->start[u] < m->start[u + 1];
	size_t k = rows->k;
	double total = 0;

	begin_node(rows, u, degree);
	for (int step = known ? STEPS_OF_NEW - 1 : 0; step < STEPS_OF_NEW; step++)
		step_node(rows, n, neighbour, weight);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			edges[a + k * b] += rows->weight[a] * rows->connectivity[a + k * b] * rows->mean[b];
	for (size_t a = 0; a < k; a++)
		total += share[a] = rows->gamma[a] / rows->exposure[a];
	for (size_t a = 0; a < k; a++)
		share[a] /= total;
	return rows->likelihood;
}

/* ---- the next model ---- */

/* theta = degree over what the shares let expect, mean 1. */
static void
set_propensities(const tlv_mmsb_parts *parts, const double *exposure, double *propensity)
{
	const tlv_memberships *m = &parts->side[0].memberships;
	double total = 0;

	for (size_t u = 0; u < m->n; u++)
	{
		double expected = 0;

		for (size_t e = m->start[u]; e < m->start[u + 1]; e++)
			expected += m->share[e] * exposure[m->community[e]];
		propensity[u] = expected > 0 ? parts->side[0].degree[u] / expected : 0;
		total += propensity[u];
	}
	for (size_t u = 0; u < m->n; u++)
		propensity[u] = total > 0 ? propensity[u] * (double) m->n / total : 1;
}

/* Symmetric, and no entry below the floor. */
static void
settle_connectivity(size_t k, double *connectivity)
{
	double largest = largest_entry(k * k, connectivity);

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a <= b; a++)
		{
			double both = (connectivity[a + k * b] + connectivity[b + k * a]) / 2;

			connectivity[a + k * b] = connectivity[b + k * a] =
				fmax(both, CONNECTIVITY_FLOOR * largest);
		}
}

tlv_status
tlv_mixed_rows_update(tlv_context *ctx, const tlv_mmsb_parts *before, const double *edges,
					  tlv_mmsb_parts *parts, double *connectivity, double *alpha,
					  double *propensity)
{
	size_t k = parts->k;
	double *sums, *exposure, total = 0;

	TLV_TRY_NEW0(ctx, sums, 2 * k);
	exposure = sums + k;
	sum_shares(before, sums);
	find_exposure(k, before->connectivity, sums, exposure);
	set_propensities(parts, exposure, propensity);
	parts->side[0].propensity = propensity;
	sum_shares(parts, sums);
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			connectivity[a + k * b] = edges[a + k * b] / fmax(sums[a] * sums[b], DBL_MIN);
	settle_connectivity(k, connectivity);
	tlv_memberships_sums(&parts->side[0].memberships, k, NULL, sums);
	for (size_t a = 0; a < k; a++)
		total += sums[a];
	for (size_t a = 0; a < k; a++)
		alpha[a] = parts->alpha0 * sums[a] / fmax(total, DBL_MIN);
	tlv_free(ctx, sums);
	return TLV_OK;
}
