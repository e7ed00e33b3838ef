/*
 * mixed_membership.c - variational inference of mixed memberships
 * (mixed_membership.h).
 */
#include "mixed_pass.h"
#include "../tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* theta_u = degree / (pi_u . sums), mean 1: what the rates of side s let expect. */
static tlv_status
update_propensities(tlv_context *ctx, tlv_mixed_work *work, size_t s)
{
	/* Entries of shares worked on between two looks. */
	const int entry_chunk = 1000000;
	tlv_mixed_side *side = &work->model->side[s];
	size_t k = work->model->k, chunk = entry_chunk / (k + 1) + 1;
	double total = 0;

	if (side->propensity == NULL)
		return TLV_OK;
	for (size_t u = 0; u < side->n; u++)
	{
		double expected = 0;

		if (u % chunk == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t a = 0; a < k; a++)
			expected += side->share[u * k + a] * work->sums[a];
		total += side->propensity[u] = side->degree[u] / fmax(expected, DBL_MIN);
	}
	for (size_t u = 0; u < side->n; u++)
		side->propensity[u] *= (double) side->n / total;
	return TLV_OK;
}

void
tlv_connectivity_settle(size_t k, bool symmetric, double *p)
{
	/* Least entry of a P whose entries are all 0. */
	const double least_entry = 1e-12;
	double largest = 0, least;

	for (size_t b = 0; b < k && symmetric; b++)
		for (size_t a = 0; a < b; a++)
			p[a + k * b] = p[b + k * a] = (p[a + k * b] + p[b + k * a]) / 2;
	for (size_t i = 0; i < k * k; i++)
		largest = fmax(largest, p[i]);
	least = largest > 0 ? CONNECTIVITY_FLOOR * largest : least_entry;
	for (size_t i = 0; i < k * k; i++)
		p[i] = fmax(p[i], least);
}

/* P <- P A / (N N'). */
static tlv_status
update_connectivity(tlv_context *ctx, tlv_mixed_work *work)
{
	tlv_mixed_model *model = work->model;
	size_t k = model->k;
	double *sums = tlv_alloc(ctx, 2 * k, sizeof(double)), *p = model->connectivity;

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(tlv_mixed_sum_shares(ctx, work, 0, sums));
	TLV_TRY(tlv_mixed_sum_shares(ctx, work, model->sides - 1, sums + k));
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
			p[a + k * b] *= work->assigned[a + k * b] / fmax(sums[a] * sums[k + b], DBL_MIN);
	tlv_connectivity_settle(k, model->sides == 1, p);
	tlv_free(ctx, sums);
	return TLV_OK;
}

tlv_status
tlv_mixed_variational(tlv_context *ctx, tlv_mixed_model *model, bool update, int max_steps,
					  double tolerance, int *steps)
{
	tlv_mixed_work work;
	size_t nodes = model->side[0].n + (model->sides == 2 ? model->side[1].n : 0);

	TLV_TRY(tlv_mixed_work_create(ctx, model, update, &work));
	for (size_t s = 0; s < model->sides; s++)
		TLV_TRY(tlv_mixed_start_side(ctx, &work, s));
	for (*steps = 0; *steps < max_steps;)
	{
		double moved = 0, also;

		for (size_t s = 0; s < model->sides; s++)
		{
			TLV_TRY(tlv_mixed_update_side(ctx, &work, s, &also));
			TLV_TRY(update_propensities(ctx, &work, s));
			moved += also;
		}
		if (update)
			TLV_TRY(update_connectivity(ctx, &work));
		++*steps;
		tlv_report(ctx, "variational steps", *steps, max_steps);
		if (moved <= tolerance * (double) nodes)
			break;
	}
	tlv_mixed_work_free(ctx, &work);
	return TLV_OK;
}

/* Shares of the edges assigned to pairs of communities, and of those expected (sums: 2 k). */
static void
compare_edges(const tlv_mixed_work *work, const double *sums, double *distance, double *off)
{
	const double *p = work->model->connectivity;
	size_t k = work->model->k;
	double assigned = 0, expected = 0, same_assigned = 0, same_expected = 0;

	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			assigned += work->assigned[a + k * b] * p[a + k * b];
			expected += p[a + k * b] * sums[a] * sums[k + b];
		}
	*distance = 0;
	for (size_t b = 0; b < k; b++)
		for (size_t a = 0; a < k; a++)
		{
			double one = work->assigned[a + k * b] * p[a + k * b] / fmax(assigned, DBL_MIN);
			double two = p[a + k * b] * sums[a] * sums[k + b] / fmax(expected, DBL_MIN);

			*distance += fabs(one - two);
			same_assigned += a == b ? one : 0;
			same_expected += a == b ? two : 0;
		}
	*off = (1 - same_assigned) / fmax(1 - same_expected, 1e-12);
}

tlv_status
tlv_mixed_check(tlv_context *ctx, const tlv_mixed_model *model, double *distance, double *off)
{
	tlv_mixed_model copy = *model;
	size_t k = model->k;
	double *sums = tlv_alloc(ctx, 2 * k, sizeof(double));
	tlv_mixed_work work;

	TLV_TRY_ALLOC(ctx, sums);
	TLV_TRY(tlv_mixed_work_create(ctx, &copy, false, &work));
	TLV_TRY(tlv_mixed_assign_edges(ctx, &work));
	TLV_TRY(tlv_mixed_sum_shares(ctx, &work, 0, sums));
	TLV_TRY(tlv_mixed_sum_shares(ctx, &work, model->sides - 1, sums + k));
	compare_edges(&work, sums, distance, off);
	tlv_mixed_work_free(ctx, &work);
	tlv_free(ctx, sums);
	return TLV_OK;
}
