/*
 * fit.c - distances and parameters of trees of either kind of variables (tree.h, tree_learn.h).
 */
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/tree_gaussian.h"
#include "tensorlv/model/tree_learn.h"
#include "tensorlv/num/plural.h"

tlv_status
tlv_tree_distances_compute(tlv_context *ctx, const tlv_frame *moments,
						   const tlv_tree_distance_options *options, tlv_tree_distances *distances)
{
	tlv_category_tables tables;
	tlv_status status;

	memset(distances, 0, sizeof(*distances));
	if (moments->header->type == TLV_FRAME_MOMENTS &&
		moments->header->kind == TLV_KIND_DENSE_MOMENTS)
		return tlv_tree_distances_dense(ctx, moments, options, distances);
	if (moments->header->type != TLV_FRAME_MOMENTS ||
		moments->header->kind != TLV_KIND_CATEGORY_MOMENTS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "trees are learned from category moments or dense moments");
		return tlv_fail_hint(ctx,
							 "Make them by tlv_category_moments(v) or tlv_dense_moments(x, 2).");
	}
	TLV_TRY(tlv_category_open(ctx, moments, &tables));
	status = tlv_tree_distances_of_tables(ctx, &tables, options, distances);
	tlv_category_close(ctx, &tables);
	return status;
}

static tlv_status
fit_check_names(tlv_context *ctx, const tlv_tree *tree, const tlv_tree_fit_options *options)
{
	size_t lines = 0, n = options->names_length;

	if (options->names == NULL)
		return TLV_OK;
	for (size_t i = 0; i < n; i++)
		lines += options->names[i] == '\n';
	if (lines != tree->p || options->names[n - 1] != '\n')
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "there are %zu names for %zu %s", lines, tree->p,
						tlv_plural((double) tree->p, "variable", "variables"));
	return TLV_OK;
}

tlv_status
tlv_tree_fit(tlv_context *ctx, const tlv_frame *moments, const tlv_tree *tree,
			 const tlv_tree_fit_options *options, void **image, size_t *size)
{
	TLV_TRY(fit_check_names(ctx, tree, options));
	if (moments->header->kind == TLV_KIND_DENSE_MOMENTS && options->regularise)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "only trees of categories are regularised");
		return tlv_fail_hint(ctx, "Omit regularise.");
	}
	if (moments->header->kind == TLV_KIND_DENSE_MOMENTS)
		return tlv_tree_gaussian_fit(ctx, moments, tree, options, image, size);
	if (moments->header->kind != TLV_KIND_CATEGORY_MOMENTS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"a tree is fitted to category_moments or dense_moments");
	return tlv_tree_fit_categories(ctx, moments, tree, options, image, size);
}
