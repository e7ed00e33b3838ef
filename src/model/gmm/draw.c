/*
 * draw.c - components of vectors and directions in their first two dimensions (internal.h,
 * directions.h).
 */
#include "directions/directions.h"
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/linalg.h"

tlv_status
tlv_gmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list names = tlv_dimension_names(model);
	tlv_picture_component *components;
	double *covariances;
	tlv_mixture own;
	size_t each;

	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	tlv_gmm_read(model, &own);
	each = tlv_mixture_variances(own.d, own.covariance);
	TLV_TRY_NEW0(ctx, covariances, 3 * own.k);
	for (size_t j = 0; j < own.k; j++)
	{
		const double *v = own.variances + j * each;
		bool full = own.covariance == TLV_COVARIANCE_FULL;

		covariances[3 * j] = v[0];
		covariances[3 * j + 1] = full && own.d > 1 ? v[tlv_packed2_index(1, 0)] : 0;
		if (own.d > 1)
			covariances[3 * j + 2] = full ? v[tlv_packed2_index(1, 1)] : v[each == 1 ? 0 : 1];
	}
	TLV_TRY(
		tlv_draw_ellipses(ctx, picture, own.k, components, own.d, own.means, covariances, &names));
	tlv_free(ctx, covariances);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* Rows scatter about a direction with a variance of 1 / kappa. */
tlv_status
directions_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list names = tlv_dimension_names(model);
	tlv_picture_component *components;
	tlv_directions own;
	double *covariances;

	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	tlv_directions_read(model, &own);
	TLV_TRY_NEW0(ctx, covariances, 3 * own.k);
	for (size_t j = 0; j < own.k; j++)
		covariances[3 * j] = covariances[3 * j + 2] =
			1 / (own.kappas[j] > (double) own.d ? own.kappas[j] : (double) own.d);
	TLV_TRY(
		tlv_draw_ellipses(ctx, picture, own.k, components, own.d, own.means, covariances, &names));
	tlv_free(ctx, covariances);
	tlv_free(ctx, components);
	return TLV_OK;
}
