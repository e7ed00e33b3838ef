/*
 * draw.c - components of vectors and directions as normal distributions, and their drawing
 * (internal.h, directions.h).
 */
#include "directions/directions.h"
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"

static tlv_status
draw_components(tlv_context *ctx, const tlv_frame *model, const tlv_picture_normals *normals,
				tlv_picture *picture)
{
	tlv_picture_component *components;

	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY(tlv_draw_normals(ctx, picture, components, normals));
	tlv_free(ctx, components);
	return TLV_OK;
}

tlv_status
tlv_gmm_normals(tlv_context *ctx, const tlv_frame *model, tlv_picture_normals *normals)
{
	tlv_mixture own;

	(void) ctx;
	tlv_gmm_read(model, &own);
	*normals = (tlv_picture_normals){.n = own.k,
									 .d = own.d,
									 .weights = own.weights,
									 .means = own.means,
									 .variances = own.variances,
									 .each = tlv_mixture_variances(own.d, own.covariance),
									 .dimensions = tlv_dimension_names(model)};
	return TLV_OK;
}

tlv_status
tlv_gmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_normals normals;

	TLV_TRY(tlv_gmm_normals(ctx, model, &normals));
	return draw_components(ctx, model, &normals, picture);
}

/* Rows scatter about a direction with a variance of 1 / kappa, and about none with 1 / d. */
tlv_status
directions_normals(tlv_context *ctx, const tlv_frame *model, tlv_picture_normals *normals)
{
	tlv_directions own;
	double *variances;

	tlv_directions_read(model, &own);
	TLV_TRY_NEW(ctx, variances, own.k);
	for (size_t j = 0; j < own.k; j++)
		variances[j] = 1 / (own.kappas[j] > (double) own.d ? own.kappas[j] : (double) own.d);
	*normals = (tlv_picture_normals){.n = own.k,
									 .d = own.d,
									 .weights = own.weights,
									 .means = own.means,
									 .variances = variances,
									 .each = 1,
									 .directions = true,
									 .dimensions = tlv_dimension_names(model)};
	return TLV_OK;
}

tlv_status
directions_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_normals normals;

	TLV_TRY(directions_normals(ctx, model, &normals));
	return draw_components(ctx, model, &normals, picture);
}
