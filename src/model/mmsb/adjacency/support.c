/*
 * support.c - which communities of rows of neighbours are real, and the errors of mixed
 * memberships (support.h, errors.h): communities are learnt again from the rows without a quarter
 * of the edges, four times.  An edge is left out at both of its ends.
 */
#include "../errors.h"
#include "learn.h"

#include <math.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"

/* Adds the distances of the communities to those without a part of the edges. */
static tlv_status
compare_part(tlv_context *ctx, const tlv_frame *model, const tlv_frame *part, double *apart)
{
	tlv_mmsb_parts whole, other;

	TLV_TRY(tlv_mmsb_read(ctx, model, &whole));
	TLV_TRY(tlv_mmsb_read(ctx, part, &other));
	TLV_TRY(tlv_mmsb_compare_side(ctx, &whole, &other, 0, apart));
	tlv_free(ctx, whole.side[0].memberships.start);
	tlv_free(ctx, other.side[0].memberships.start);
	return TLV_OK;
}

/* Distances of the k communities; a part that is refused leaves them unknown. */
static tlv_status
compare_parts(tlv_context *ctx, tlv_source *seen, const tlv_mmsb_options *options,
			  double directions, const tlv_frame *model, double *apart)
{
	for (int part = 0; part < TLV_SUPPORT_PARTS; part++)
	{
		tlv_scratch scratch;
		tlv_status status;
		tlv_held other;

		tlv_report(ctx, "support", part, TLV_SUPPORT_PARTS);
		tlv_scratch_begin(ctx, &scratch);
		status = tlv_neighbours_learn_part(ctx, seen, options, directions, part, &other);
		if (status == TLV_OK)
			status = compare_part(ctx, model, &other.frame, apart);
		tlv_scratch_end(ctx, &scratch);
		if (status == TLV_BAD_DATA || status == TLV_BAD_PARAMETER ||
			status == TLV_NOT_IDENTIFIABLE || status == TLV_NO_ROWS)
		{
			for (size_t a = 0; a < tlv_model_components(model); a++)
				apart[a] = NAN;
			return TLV_OK;
		}
		TLV_TRY(status);
	}
	return TLV_OK;
}

tlv_status
tlv_neighbours_find_support(tlv_context *ctx, tlv_source *seen, const tlv_mmsb_options *options,
							double directions, tlv_held *model)
{
	size_t k = tlv_model_components(&model->frame);
	tlv_diagnostics all = {0};
	tlv_making made;
	double *apart;

	if (k == 1)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, apart, k);
	TLV_TRY(compare_parts(ctx, seen, options, directions, &model->frame, apart));
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &model->frame, NULL));
	TLV_TRY(tlv_support_diagnose(ctx, "community", "spurious_component", "edges", k, apart, &all));
	TLV_TRY(TLV_MAKE(ctx, &made, model,
					 tlv_diagnostics_rewrite(ctx, &model->frame, &all, &made.image, &made.size)));
	tlv_diagnostics_free(ctx, &all);
	tlv_free(ctx, apart);
	return TLV_OK;
}
