/*
 * groups.c - components merged by likeness: average linkage, components counting by their weights
 * (layout.h).
 */
#include <math.h>

#include "tensorlv/model/layout.h"

/* The distance of two components: that of tlv_match of models of one component each. */
static tlv_status
match_distances(tlv_context *ctx, const tlv_frame *model, size_t k, double *distance)
{
	tlv_frame *single;

	TLV_TRY_NEW(ctx, single, k);
	for (size_t i = 0; i < k; i++)
	{
		const tlv_place place = {(int64_t) i, -1};
		void *image;
		size_t size;

		TLV_TRY(tlv_model_arrange(ctx, model, NULL, 1, &place, &image, &size));
		TLV_TRY(tlv_frame_open(ctx, image, size, single + i));
	}
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < i; j++)
		{
			tlv_match match;

			TLV_TRY_CONTINUE(ctx);
			TLV_TRY(tlv_model_match(ctx, single + i, single + j, &match));
			distance[i * k + j] = distance[j * k + i] = match.distance[0];
			tlv_free(ctx, match.component);
			tlv_free(ctx, match.distance);
		}
	for (size_t i = 0; i < k; i++)
		tlv_free(ctx, (void *) single[i].header);
	tlv_free(ctx, single);
	return TLV_OK;
}

tlv_status
tlv_model_distances(tlv_context *ctx, const tlv_frame *model, double *distance)
{
	const tlv_layout *layout = tlv_layout_of(model);

	return layout->apart != NULL
			   ? layout->apart(ctx, model, distance)
			   : match_distances(ctx, model, tlv_model_components(model), distance);
}

/* Groups a and b become one, which is a. */
static void
merge_groups(size_t k, size_t a, size_t b, double *distance, double *weights, int64_t *group)
{
	double both = weights[a] + weights[b];

	for (size_t j = 0; j < k; j++)
	{
		double to = (weights[a] * distance[a * k + j] + weights[b] * distance[b * k + j]) / both;

		distance[a * k + j] = distance[j * k + a] = to;
		if (group != NULL && group[j] == (int64_t) b)
			group[j] = (int64_t) a;
	}
	weights[a] = both;
	weights[b] = 0;
}

/* The two groups that are nearest to each other; false: there is one only. */
static bool
nearest_groups(size_t k, const double *distance, const double *weights, size_t *a, size_t *b)
{
	double least = HUGE_VAL;

	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < i && weights[i] > 0; j++)
			if (weights[j] > 0 && distance[i * k + j] < least)
			{
				least = distance[i * k + j];
				*a = j;
				*b = i;
			}
	return least < HUGE_VAL;
}

/* From 0, in the order of their first components; below 0 of one that is not there. */
static void
number_groups(size_t k, const bool *absent, int64_t *number, int64_t *group)
{
	int64_t groups = 0;

	for (size_t j = 0; j < k; j++)
		number[j] = -1;
	for (size_t j = 0; j < k; j++)
	{
		if (!absent[j] && number[group[j]] < 0)
			number[group[j]] = groups++;
		group[j] = absent[j] ? -1 : number[group[j]];
	}
}

tlv_status
tlv_merge_components(tlv_context *ctx, size_t k, double *distance, double *weights, size_t n,
					 tlv_merger *mergers, size_t *count, int64_t *group)
{
	size_t present = 0, a = 0, b = 0;

	*count = 0;
	for (size_t j = 0; j < k; j++)
		present += weights[j] > 0;
	for (; present > n && nearest_groups(k, distance, weights, &a, &b); present--)
	{
		TLV_TRY_CONTINUE(ctx);
		mergers[(*count)++] = (tlv_merger){a, b, distance[b * k + a]};
		merge_groups(k, a, b, distance, weights, group);
	}
	return TLV_OK;
}

tlv_status
tlv_model_groups(tlv_context *ctx, const tlv_frame *model, size_t n, int64_t **group)
{
	size_t k = tlv_model_components(model), merged;
	double *distance, *weights;
	tlv_merger *mergers;
	int64_t *number;
	bool *absent;

	TLV_TRY_NEW(ctx, mergers, k);
	TLV_TRY_NEW(ctx, *group, 2 * k);
	number = *group + k;
	TLV_TRY_NEW(ctx, absent, k);
	TLV_TRY_NEW(ctx, weights, k);
	TLV_TRY_NEW0_ROWS(ctx, distance, k, k);
	TLV_TRY(tlv_model_weights(ctx, model, weights));
	TLV_TRY(tlv_model_distances(ctx, model, distance));
	for (size_t j = 0; j < k; j++)
	{
		(*group)[j] = (int64_t) j;
		absent[j] = !(weights[j] > 0);
	}
	TLV_TRY(tlv_merge_components(ctx, k, distance, weights, n, mergers, &merged, *group));
	number_groups(k, absent, number, *group);
	tlv_free(ctx, distance);
	tlv_free(ctx, weights);
	tlv_free(ctx, absent);
	tlv_free(ctx, mergers);
	return TLV_OK;
}
