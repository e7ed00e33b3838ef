/*
 * errors.c - estimates of communities, and the standard errors of block models (errors.h).
 */
#include "errors.h"
#include "tuning.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/tuning.h"

#include <math.h>

/* ---- estimates ---- */

/* An estimate of community a of side s, which is named where there are two. */
static tlv_status
add_of_side(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_estimate_part part, size_t s,
			size_t a, double value, tlv_estimates *list)
{
	static const tlv_text sides[] = {{"source", 6}, {"target", 6}};
	tlv_estimate one = {.part = part, .component = a + 1, .estimate = value};

	if (parts->sides == 2 && !parts->tied)
	{
		one.has_item = true;
		one.item = one.number[0] = (int64_t) s + 1;
		one.name[0] = sides[s];
	}
	return tlv_estimates_add(ctx, list, &one);
}

static double
sum_of_sizes(const tlv_mmsb_parts *parts, size_t s)
{
	double sum = 0;

	for (size_t a = 0; a < parts->k; a++)
		sum += parts->sizes[s * parts->k + a];
	return sum;
}

static tlv_status
mmsb_list_parts(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_estimates *list)
{
	size_t k = parts->k;

	for (size_t s = 0; s < (parts->tied ? 1 : parts->sides); s++)
	{
		double nodes = sum_of_sizes(parts, s);

		for (size_t a = 0; a < k; a++)
			TLV_TRY(add_of_side(ctx, parts, TLV_ESTIMATE_WEIGHT, s, a,
								nodes > 0 ? parts->sizes[s * k + a] / nodes : 0, list));
	}
	for (size_t s = 0; parts->alpha0 > 0 && s < parts->sides; s++)
		for (size_t a = 0; a < k; a++)
			TLV_TRY(
				add_of_side(ctx, parts, TLV_ESTIMATE_ALPHA, s, a, parts->alpha[s * k + a], list));
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			TLV_TRY(tlv_estimates_add(
				ctx, list,
				&(tlv_estimate){.part = TLV_ESTIMATE_CONNECTIVITY,
								.component = a + 1,
								.has_item = true,
								.item = (int64_t) b + 1,
								.number = {(int64_t) b + 1},
								.estimate = parts->connectivity[a + k * b],
								.rate = parts->poisson || parts->degree_corrected}));
	return TLV_OK;
}

static tlv_status
open_parts(tlv_context *ctx, const tlv_frame *model, tlv_mmsb_parts *parts)
{
	double k;

	TLV_TRY(tlv_mmsb_read(ctx, model, parts));
	k = (double) parts->k;
	return tlv_require_memory(ctx, 3.0 * sizeof(tlv_estimate) * k * (4 + k),
							  "the estimates of the communities");
}

static void
close_parts(tlv_context *ctx, tlv_mmsb_parts *parts)
{
	for (size_t s = 0; s < parts->sides; s++)
		tlv_free(ctx, parts->side[s].memberships.start);
}

tlv_status
tlv_mmsb_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_mmsb_parts parts;

	TLV_TRY(open_parts(ctx, model, &parts));
	TLV_TRY(mmsb_list_parts(ctx, &parts, list));
	close_parts(ctx, &parts);
	return TLV_OK;
}

/* ---- block models ---- */

/* Sums over the nodes of a side, by community: of memberships, of their squares. */
typedef struct side_sums
{
	double *first, *second;
} side_sums;

static tlv_status
sum_side(tlv_context *ctx, const tlv_mmsb_parts *parts, size_t s, side_sums *sums)
{
	const tlv_memberships *memberships = &parts->side[s].memberships;

	TLV_TRY_NEW0(ctx, sums->first, 2 * parts->k);
	sums->second = sums->first + parts->k;
	for (size_t u = 0; u < memberships->n; u++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, u);
		for (size_t e = memberships->start[u]; e < memberships->start[u + 1]; e++)
		{
			double x = memberships->share[e];

			sums->first[memberships->community[e]] += x;
			sums->second[memberships->community[e]] += x * x;
		}
	}
	return TLV_OK;
}

/* The error of P from the pairs of nodes that it is of, and from how many they are. */
static void
connectivity_error(const tlv_mmsb_parts *parts, const side_sums *from, const side_sums *to,
				   size_t a, size_t b, tlv_estimate *one)
{
	bool within = a == b && parts->graph != TLV_GRAPH_BIPARTITE;
	bool twice = within && parts->graph == TLV_GRAPH_UNDIRECTED;
	double pairs = from->first[a] * to->first[b] - (within ? from->second[a] : 0);
	double squares = from->second[a] * to->second[b];
	double p = one->estimate, part;

	pairs /= twice ? 2 : 1;
	squares /= twice ? 2 : 1;
	/* Propensities are estimated, too: intervals as of known ones hold .92 instead of .95. */
	if (!(pairs > 0) || parts->degree_corrected)
		return;
	one->count = pairs;
	part = parts->poisson ? 0 : fmin(p * squares / pairs, 1);
	if (p * pairs >= TLV_LEAST_EXPECTED)
		one->standard_error = sqrt(p * (1 - part) / pairs);
}

static tlv_status
mmsb_block_errors(tlv_context *ctx, const tlv_mmsb_parts *parts, tlv_estimates *list)
{
	size_t k = parts->k, at = 0;
	side_sums sums[2] = {{NULL, NULL}, {NULL, NULL}};

	tlv_assert(parts->sides == 1 || parts->sides == 2);
	for (size_t s = 0; s < parts->sides; s++)
	{
		double nodes = sum_of_sizes(parts, s);

		TLV_TRY(sum_side(ctx, parts, s, &sums[s]));
		for (size_t a = 0; a < k && !(parts->tied && s == 1); a++, at++)
		{
			double w = list->list[at].estimate;

			list->list[at].count = nodes;
			if (w > 0 && w < 1)
				list->list[at].standard_error = sqrt(w * (1 - w) / nodes);
		}
	}
	tlv_assert(sums[0].first != NULL && sums[parts->sides - 1].first != NULL);
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			connectivity_error(parts, &sums[0], &sums[parts->sides - 1], a, b,
							   &list->list[at + a * k + b]);
	for (size_t s = 0; s < parts->sides; s++)
		tlv_free(ctx, sums[s].first);
	return TLV_OK;
}

tlv_status
tlv_mmsb_standard_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
						 tlv_estimates *list)
{
	tlv_mmsb_parts parts;

	(void) errors;
	TLV_TRY(open_parts(ctx, model, &parts));
	if (!(parts.alpha0 > 0))
		TLV_TRY(mmsb_block_errors(ctx, &parts, list));
	close_parts(ctx, &parts);
	return TLV_OK;
}
