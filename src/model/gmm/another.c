/*
 * another.c - another start of a mixture that is nearly as likely as the best, and divides the rows
 * otherwise (internal.h).
 */
#include "internal.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/assignment.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/source.h"

/* Rows that are in another component than their partner's: moved[j] are those that j loses or
 * gains; returns all.  common (k x k): rows of each component of both. */
static double
count_moved(size_t k, const double *common, const int64_t *partner, double *moved)
{
	double all = 0;

	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
		{
			double rows = i == j ? 0 : -common[i * k + (size_t) partner[j]];

			moved[i] += rows;
			moved[j] += rows;
			all += rows;
		}
	return all;
}

/* The rows that both divide otherwise, after their components are assigned to each other so that
 * these are fewest. */
static tlv_status
compare_divisions(tlv_context *ctx, const tlv_gmm_sample *rows, const tlv_mixture *best,
				  const tlv_mixture *other, double *moved, double *all)
{
	size_t n = rows->n, k = best->k;
	int32_t *label;
	double *common;
	int64_t *partner;

	TLV_TRY_NEW_ROWS(ctx, label, n, 2);
	TLV_TRY_NEW0(ctx, common, k * k + k);
	TLV_TRY_NEW(ctx, partner, k);
	TLV_TRY(gmm_assign_rows(ctx, rows, best, label));
	TLV_TRY(gmm_assign_rows(ctx, rows, other, label + n));
	for (size_t t = 0; t < n; t++)
		common[(size_t) label[t] * k + (size_t) label[n + t]] -= 1; /* a cost */
	TLV_TRY(tlv_assign_components(ctx, k, k, common, 0, partner, common + k * k));
	*all = count_moved(k, common, partner, moved);
	tlv_free(ctx, partner);
	tlv_free(ctx, common);
	tlv_free(ctx, label);
	return TLV_OK;
}

tlv_status
gmm_compare_another(tlv_context *ctx, const tlv_gmm_sample *rows, const gmm_likely *best,
					const gmm_likely *other, gmm_another *nearest)
{
	/* The most nats behind the best, and the part of the rows that must be elsewhere. */
	const double most_behind = 3, least_moved = 0.03;
	double n = (double) rows->n, behind = n * (best->log_likelihood - other->log_likelihood);
	double all, *moved;

	if (!(behind <= most_behind) || (nearest->moved != NULL && behind >= nearest->behind))
		return TLV_OK;
	TLV_TRY_NEW0(ctx, moved, best->mixture->k);
	TLV_TRY(compare_divisions(ctx, rows, best->mixture, other->mixture, moved, &all));
	if (!(all > least_moved * n))
	{
		tlv_free(ctx, moved);
		return TLV_OK;
	}
	tlv_free(ctx, nearest->moved);
	*nearest = (gmm_another){behind, moved};
	return TLV_OK;
}

tlv_status
gmm_warn_of_another(tlv_context *ctx, size_t k, const gmm_another *nearest,
					tlv_diagnostics *diagnostics)
{
	/* Components that exchange this part, or more, of the rows of the one that exchanges most. */
	const double named = 0.25;
	tlv_shown_list components = {0};
	double most = 0;

	if (nearest->moved == NULL)
		return TLV_OK;
	for (size_t j = 0; j < k; j++)
		most = fmax(most, nearest->moved[j]);
	for (size_t j = 0; j < k; j++)
		if (nearest->moved[j] >= named * most)
			tlv_shown_add_number(&components, j + 1);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "another_model", .score = nearest->behind},
					"rows of %s could as well be divided otherwise: intervals and posteriors hold "
					"only for this division",
					tlv_shown_text(&components, "component"));
}
