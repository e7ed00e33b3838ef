/*
 * plan.c - what all fits as plans have in common (plan.h).
 */
#include "tensorlv/model/plan.h"

#include <string.h>

#include "tensorlv/model/kind.h"

void
tlv_value_drop(tlv_value *value)
{
	if (value != NULL)
		value->release(value);
}

tlv_status
tlv_plan_next(tlv_context *ctx, tlv_plan *plan, tlv_value *const *values, tlv_pass *pass)
{
	memset(pass, 0, sizeof(*pass));
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(plan->class->next(ctx, plan, values, pass));
	plan->asked = pass->n;
	return TLV_OK;
}

tlv_status
tlv_plan_rows_gone(tlv_context *ctx)
{
	tlv_status status =
		tlv_fail(ctx, TLV_BAD_DATA, "the query returned rows once and none when it was run again");

	tlv_fail_hint(ctx, "A function in it gives other results each time although it is not "
					   "declared VOLATILE.");
	return status;
}

tlv_status
tlv_plan_hold(tlv_context *ctx, tlv_held *held, void *image, size_t size)
{
	void *before = held->image;

	if (ctx->scratch != NULL)
		tlv_scratch_keep(ctx, image);
	held->image = image;
	held->size = size;
	tlv_free(ctx, before);
	return tlv_frame_open(ctx, image, size, &held->frame);
}

tlv_status
tlv_plan_refine(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics)
{
	const tlv_frame_header *header = model->frame.header;
	const tlv_kind *kind = tlv_kind_find(header->type, header->kind);
	tlv_scratch scratch;
	tlv_status status;
	void *image;
	size_t size;

	tlv_scratch_begin(ctx, &scratch);
	status = kind->model->update(ctx, &model->frame, statistics, &image, &size);
	if (status == TLV_OK)
		status = tlv_plan_hold(ctx, model, image, size);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

/* All of one list after another. */
static tlv_status
append_diagnostics(tlv_context *ctx, tlv_diagnostics *to, const tlv_diagnostics *from)
{
	const char *at = from->names;

	for (size_t i = 0; i < from->n; i++)
	{
		const char *end = from->names + from->names_length;
		const char *stop = memchr(at, '\n', (size_t) (end - at));

		TLV_TRY(tlv_diagnose(ctx, to, from->values[i], "%.*s", (int) (stop - at), at));
		at = stop + 1;
	}
	return TLV_OK;
}

static tlv_status
write_finished(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
			   const tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	tlv_diagnostics all = {0};
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, NULL));
	if (diagnostics != NULL)
		TLV_TRY(append_diagnostics(ctx, &all, diagnostics));
	TLV_TRY(tlv_diagnose(ctx, &all, plan->rows.passes, "passes"));
	TLV_TRY(tlv_diagnose(ctx, &all, plan->rows.seconds, "seconds"));
	tlv_frame_begin(builder, model->header->type, model->header->kind);
	tlv_frame_add_from(builder, model, replaced);
	for (size_t i = 0; i < n; i++)
		tlv_frame_add(builder, sections[i].name, sections[i].element, sections[i].rows,
					  sections[i].columns, sections[i].data);
	tlv_diagnostics_add(&all, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, &plan->image, &plan->size));
	tlv_scratch_keep(ctx, plan->image);
	return TLV_OK;
}

tlv_status
tlv_plan_finish(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
				const tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = write_finished(ctx, plan, model, diagnostics, n, sections);
	tlv_scratch_end(ctx, &scratch);
	return status;
}
