/*
 * multiview.c - uses of moments of three views and with multi-view
 * mixtures of unknown origin: fits, and rows with a view missing.
 */
#include "uses.h"

#include <stdlib.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/multiview.h"

/* More dimensions or categories are too slow here. */
#define VIEW_MOST 30

static void
use_view_model(tlv_context *ctx, const tlv_frame *frame)
{
	tlv_posterior posterior = {0};
	int64_t category[3];
	tlv_row row;
	tlv_multiview_parts parts;
	double *x[3], *shares, value;
	int64_t *assignment;
	tlv_model *model;

	tlv_multiview_read(frame, &parts);
	shares = tlv_alloc(ctx, parts.k, sizeof(double));
	assignment = tlv_alloc(ctx, parts.k, sizeof(int64_t));
	if (shares == NULL || assignment == NULL ||
		tlv_kind_multiview.model->open(ctx, frame, &model) != TLV_OK)
		return;
	for (int t = 0; t < 3; t++)
	{
		x[t] = tlv_alloc0(ctx, parts.d[t], sizeof(double));
		if (x[t] == NULL)
			return;
		category[t] = parts.items[0] == NULL ? 0 : parts.items[t][parts.d[t] - 1];
	}
	row = parts.items[0] == NULL ? *TLV_AS_VIEWS(parts.d, (const double *const *) x)
								 : *TLV_AS_CATEGORIES(category);
	row.part[1].type = TLV_PART_NONE;
	tlv_model_infer(ctx, model, &row, &posterior);
	tlv_model_log_likelihood(ctx, model, &row, &value);
	if (parts.k <= VIEW_MOST)
		tlv_multiview_match(ctx, &parts, &parts, assignment, shares);
}

/* A fit that succeeds gives a model that can be stored and read back. */
static void
use_view_moments(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const names[2][3] = {{"items1", "items2", "items3"},
											{"sum1", "sum2", "sum3"}};
	bool vectors = frame->header->kind == TLV_KIND_VIEW_MOMENTS;
	tlv_multiview_options options = {.k = 2, .iterations = 3, .seed = 1};
	tlv_frame model;
	void *image;
	size_t size;

	for (int t = 0; t < 3; t++)
	{
		const tlv_section *section = tlv_frame_find(frame, names[vectors][t]);

		if (section != NULL && section->rows > VIEW_MOST)
			return;
	}
	if (tlv_multiview_fit(ctx, frame, &options, &image, &size) != TLV_OK)
		return;
	if (tlv_frame_validate(ctx, image, size, &model) != TLV_OK)
		return; /* a mean overflowed */
	if (tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &model) != TLV_OK)
		abort();
	use_view_model(ctx, &model);
}

USES(multiview)
{
	if (kind == &tlv_kind_view_moments || kind == &tlv_kind_category_views)
		use_view_moments(&ctx, frame);
	if (kind == &tlv_kind_multiview)
		use_view_model(&ctx, frame);
}
