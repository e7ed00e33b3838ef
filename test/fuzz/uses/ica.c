/*
 * ica.c - uses of independent components: fits, their statistics, models.
 */
#include "uses.h"

#include "kind_uses.h"
#include "tensorlv/model/ica.h"

/* A model of independent components: its rows unmixed, its distance from itself. */
static void
use_components(const tlv_frame *frame)
{
	const tlv_section *mixing = tlv_frame_find(frame, "mixing");
	size_t d = mixing->rows;
	double *x = tlv_alloc0(&ctx, d + mixing->columns, sizeof(double)), index;
	tlv_model *open;

	if (x == NULL || d > 64)
		return;
	tlv_ica_amari(&ctx, d, mixing->columns, tlv_section_data(frame, mixing),
				  tlv_section_data(frame, mixing), &index);
	USE(tlv_kind_ica.model->open(&ctx, frame, &open));
	tlv_ica_unmix(&ctx, open, d, x, x + d);
}

/* Statistics that say they are of the model they are used with, whatever they are of. */
static void
use_component_statistics(const tlv_frame *frame)
{
	tlv_ica_simulation options = {.d = 3, .k = 3, .mixed = true, .seed = 1};
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_frame model;
	void *image;
	size_t size;

	USE(tlv_ica_simulate_model(&ctx, &options, &image, &size));
	USE(tlv_frame_open(&ctx, image, size, &model));
	*fingerprint = model.header->digest;
	USE(tlv_model_update(&ctx, &model, frame, 1, &image, &size));
	use_result(&ctx, image, size);
}

static void
use_component_fit(const tlv_frame *frame)
{
	tlv_ica_options options = {.keep_gaussian = true, .seed = 1, .decompose = {.steps = 20}};
	void *image;
	size_t size;

	if (tlv_frame_find(frame, "sum1")->rows > 6)
		return; /* too slow here */
	for (int noise = 0; noise < 2; noise++)
	{
		options.noise = noise != 0;
		if (tlv_ica_fit(&ctx, frame, &options, &image, &size) == TLV_OK)
			use_result(&ctx, image, size);
	}
}

USES(ica)
{
	if (kind == &tlv_kind_dense_moments || kind == &tlv_kind_dense_compressed)
		use_component_fit(frame);
	if (kind == &tlv_kind_component_statistics)
		use_component_statistics(frame);
	if (kind == &tlv_kind_ica)
		use_components(frame);
}
