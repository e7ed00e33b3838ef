/*
 * draw.c - components of vectors and directions as normal distributions, and their drawing
 * (internal.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"

/* Rows scatter about a direction with a variance of 1 / kappa, and about none with 1 / d. */
static tlv_status
direction_variances(tlv_context *ctx, const tlv_mixture *own, const double **variances)
{
	double *made, d = (double) own->d;

	TLV_TRY_NEW(ctx, made, own->k);
	for (size_t j = 0; j < own->k; j++)
		made[j] = 1 / fmax(own->variances[j], d);
	*variances = made;
	return TLV_OK;
}

tlv_status
tlv_gmm_normals(tlv_context *ctx, const tlv_frame *model, tlv_picture_normals *normals)
{
	tlv_mixture own;

	tlv_gmm_read(model, &own);
	*normals = (tlv_picture_normals){.n = own.k,
									 .d = own.d,
									 .weights = own.weights,
									 .means = own.means,
									 .variances = own.variances,
									 .each = tlv_mixture_variances(own.d, own.covariance),
									 .directions = own.covariance == TLV_COVARIANCE_DIRECTION,
									 .dimensions = tlv_dimension_names(model)};
	return normals->directions ? direction_variances(ctx, &own, &normals->variances) : TLV_OK;
}

tlv_status
tlv_gmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_picture_normals normals;

	TLV_TRY(tlv_gmm_normals(ctx, model, &normals));
	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY(tlv_draw_normals(ctx, picture, components, &normals));
	tlv_free(ctx, components);
	return TLV_OK;
}
