/*
 * errors.c - estimates of independent components (tensorlv/model/errors.h): the means, and of every
 * component what it adds to every dimension.  Their standard errors are those of a jackknife.
 */
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/ica.h"

static tlv_status
add_number(tlv_context *ctx, tlv_estimate_part part, size_t component, size_t i,
		   const tlv_name_list *names, double value, tlv_estimates *list)
{
	return tlv_estimates_add(ctx, list,
							 &(tlv_estimate){.part = part,
											 .component = component,
											 .has_item = true,
											 .item = (int64_t) i + 1,
											 .name = {tlv_name_at(names, i)},
											 .number = {(int64_t) i + 1},
											 .estimate = value});
}

tlv_status
tlv_ica_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	const double *mixing = tlv_section_data(model, section);
	const double *mean = tlv_frame_float64(model, "mean");
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns;

	TLV_TRY(tlv_require_memory(ctx, 3.0 * sizeof(tlv_estimate) * (double) d * (double) (k + 1),
							   "the estimates of the components"));
	for (size_t i = 0; i < d; i++)
		TLV_TRY(add_number(ctx, TLV_ESTIMATE_MEAN, 0, i, &names, mean[i], list));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			TLV_TRY(
				add_number(ctx, TLV_ESTIMATE_MIXING, j + 1, i, &names, mixing[j * d + i], list));
	return TLV_OK;
}
