/*
 * view_uses.h - what the frame harness does with moments of three views and with multi-view
 * mixtures of unknown origin: fits, rows, a step of refinement.
 */
#ifndef TENSORLV_FUZZ_VIEW_USES_H
#define TENSORLV_FUZZ_VIEW_USES_H

#include <stdlib.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/multiview.h"

/* More dimensions or categories are too slow here. */
#define VIEW_MOST 30

/* Rows that the model may have drawn, into its statistics, and the model after a step. */
static inline void
refine_views(tlv_context *ctx, tlv_frame_builder *builder, tlv_model *model,
			 const tlv_multiview_parts *parts, double *const x[3])
{
	tlv_accumulator *accumulator;
	int64_t category[3] = {0, 0, 0};
	tlv_frame statistics;
	tlv_rng rng;
	void *image;
	size_t size;

	if (model->class->statistics(ctx, model, "em", &accumulator) != TLV_OK)
		return;
	tlv_rng_seed(&rng, 1);
	for (int t = 0; t < 5; t++)
	{
		tlv_multiview_draw(parts, &rng, x, category);
		if ((parts->items[0] != NULL
				 ? tlv_add(ctx, accumulator, TLV_AS_CATEGORIES(category))
				 : tlv_add(ctx, accumulator, TLV_AS_VIEWS(parts->d, (const double *const *) x))) !=
			TLV_OK)
			return;
	}
	if (accumulator->class->build(ctx, accumulator, builder) != TLV_OK ||
		tlv_frame_finish(ctx, builder, &image, &size) != TLV_OK ||
		tlv_frame_open(ctx, image, size, &statistics) != TLV_OK)
		return;
	accumulator->class->merge(ctx, accumulator, &statistics);
	model->class->update(ctx, &model->frame, &statistics, &image, &size);
}

static inline void
use_view_model(tlv_context *ctx, tlv_frame_builder *builder, const tlv_frame *frame)
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
	refine_views(ctx, builder, model, &parts, x);
}

/* A fit that succeeds gives a model that can be stored and read back. */
static inline void
use_view_moments(tlv_context *ctx, tlv_frame_builder *builder, const tlv_frame *frame)
{
	static const char *const names[2][3] = {{"items1", "items2", "items3"},
											{"sum1", "sum2", "sum3"}};
	bool vectors = frame->header->kind == TLV_KIND_VIEW_MOMENTS;
	tlv_multiview_options options = {.k = 2, .iterations = 3, .seed = 1};
	const tlv_kind *kind;
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
	if (tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &model, &kind) != TLV_OK)
		abort();
	use_view_model(ctx, builder, &model);
}

#endif /* TENSORLV_FUZZ_VIEW_USES_H */
