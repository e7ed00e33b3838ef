/*
 * plan.c - what all fits as plans have in common (plan.h).
 */
#include "tensorlv/model/plan.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/support.h"
#include "tensorlv/num/assert.h"

void
tlv_value_drop(tlv_value *value)
{
	if (value != NULL)
		value->release(value);
}

void
tlv_plan_keep(tlv_plan *plan, int slot, tlv_value **value)
{
	tlv_assert(slot >= 0 && slot < TLV_PLAN_KEPT);
	tlv_value_drop(plan->kept[slot]);
	plan->kept[slot] = *value;
	*value = NULL;
}

void
tlv_plan_abandon(tlv_plan *plan)
{
	for (int slot = 0; slot < TLV_PLAN_KEPT; slot++)
	{
		tlv_value_drop(plan->kept[slot]);
		plan->kept[slot] = NULL;
	}
	if (plan->class->abandon != NULL)
		plan->class->abandon(plan);
}

static tlv_status
plan_step(tlv_context *ctx, tlv_plan *plan, tlv_value **values, tlv_pass *pass)
{
	tlv_plan_step step = plan->then != NULL ? plan->then : plan->class->next;

	TLV_TRY_CONTINUE(ctx);
	plan->then = NULL;
	return step(ctx, plan, values, pass);
}

/* The most rows with a null that a pass over the rows has met. */
static void
plan_count_nulls(tlv_plan *plan, tlv_value *const *values)
{
	if (values == NULL || plan->asked_source != 0)
		return;
	for (size_t i = 0; i < plan->asked; i++)
		if (values[i] != NULL)
			plan->nulls = fmax(plan->nulls, tlv_frame_scalar(&values[i]->frame, "nulls", 0));
}

/* One step, and the end of what it was given. */
static tlv_status
plan_advance(tlv_context *ctx, tlv_plan *plan, tlv_value **values, tlv_pass *pass)
{
	tlv_value *none[TLV_PLAN_STATISTICS] = {NULL};
	size_t asked = plan->asked;
	tlv_status status;

	memset(pass, 0, sizeof(*pass));
	if (values == NULL && asked > 0)
		values = none;
	plan_count_nulls(plan, values);
	status = plan_step(ctx, plan, values, pass);
	if (plan->errors && pass->passes_left > 0)
		pass->passes_left += plan->class->support != NULL && !plan->supported ? 2 : 1;
	if (status == TLV_OK && pass->n == 0 && plan->errors && plan->image != NULL)
		status = plan->class->support != NULL && !plan->supported
					 ? tlv_plan_ask_support(ctx, plan, pass)
					 : tlv_plan_ask_errors(ctx, plan, pass);
	for (size_t i = 0; i < asked; i++)
		tlv_value_drop(values[i]);
	if (status != TLV_OK || pass->n == 0)
		tlv_plan_abandon(plan);
	plan->asked = pass->n;
	plan->asked_source = pass->source;
	return status;
}

tlv_status
tlv_plan_next(tlv_context *ctx, tlv_plan *plan, tlv_value **values, tlv_pass *pass)
{
	TLV_TRY(plan_advance(ctx, plan, values, pass));
	while (tlv_plan_in_memory(plan, pass))
	{
		tlv_value *own[TLV_PLAN_STATISTICS];
		tlv_status status = tlv_plan_pass_in_memory(ctx, plan, pass, own);

		if (status != TLV_OK)
		{
			tlv_plan_abandon(plan);
			return status;
		}
		TLV_TRY(plan_advance(ctx, plan, own, pass));
	}
	return TLV_OK;
}

tlv_statistic *
tlv_plan_ask(tlv_plan *plan, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
			 tlv_plan_step then)
{
	tlv_statistic *statistic = &plan->statistics[pass->n++];

	tlv_assert(pass->n <= TLV_PLAN_STATISTICS && aggregate != NULL);
	memset(statistic, 0, sizeof(*statistic));
	statistic->aggregate = aggregate;
	pass->statistics = plan->statistics;
	pass->stage = stage;
	plan->then = then;
	return statistic;
}

double
tlv_plan_mean_likelihood(const tlv_frame *statistics, const char *count)
{
	return tlv_frame_scalar(statistics, "log_likelihood", 0) /
		   fmax(tlv_frame_scalar(statistics, count, 0), 1);
}

tlv_status
tlv_plan_require_rows(tlv_context *ctx, const tlv_value *value, const char *count)
{
	double nulls;

	if (value == NULL)
		return tlv_fail(ctx, TLV_NO_ROWS, "the query returns no rows");
	if (count == NULL || tlv_frame_scalar(&value->frame, count, 0) >= 1)
		return TLV_OK;
	nulls = tlv_frame_scalar(&value->frame, "nulls", 0);
	tlv_fail(ctx, TLV_NO_ROWS, "the query returns no rows that can be used");
	if (nulls == 0)
		return TLV_NO_ROWS;
	tlv_fail_detail(ctx, "Rows with a null: %.0f.", nulls);
	return tlv_fail_hint(ctx, "Fill what is missing, or leave out the columns where it is.");
}

tlv_status
tlv_plan_rows_gone(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the query returned rows once and none when it was run again");
	return tlv_fail_hint(ctx, "A function in it gives other results each time although it is not "
							  "declared VOLATILE.");
}

tlv_status
tlv_plan_require(tlv_context *ctx, const tlv_value *value)
{
	return value == NULL ? tlv_plan_rows_gone(ctx) : TLV_OK;
}

tlv_status
tlv_plan_hold(tlv_context *ctx, tlv_held *held, void *image, size_t size)
{
	void *before = held->image;

	TLV_TRY(tlv_kind_require_made(ctx, image, size));
	tlv_assert(tlv_kind_accepts(ctx, image, size));
	if (ctx->scratch != NULL)
		tlv_scratch_keep(ctx, image);
	held->image = image;
	held->size = size;
	tlv_free(ctx, before);
	return tlv_frame_open(ctx, image, size, &held->frame);
}

void
tlv_plan_make(tlv_context *ctx, tlv_making *making)
{
	tlv_scratch_begin(ctx, &making->scratch);
}

tlv_status
tlv_plan_made(tlv_context *ctx, tlv_making *making, tlv_held *held, tlv_status status)
{
	if (status == TLV_OK)
		status = tlv_plan_hold(ctx, held, making->image, making->size);
	tlv_scratch_end(ctx, &making->scratch);
	return status;
}

tlv_status
tlv_plan_refine(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics)
{
	tlv_making made;

	tlv_plan_make(ctx, &made);
	return tlv_plan_made(
		ctx, &made, model,
		tlv_model_step(ctx, &model->frame, statistics, &tlv_whole_step, &made.image, &made.size));
}

/* The names of the rows, if they are those of the model's dimensions. */
static tlv_name_list
plan_dimension_names(const tlv_plan *plan, const tlv_frame *model)
{
	const tlv_names *names = plan->rows.names;

	if (names == NULL || names->ids != NULL || names->n != tlv_model_dimensions(model) ||
		names->n == 0 || names->offsets[names->n] == 0)
		return (tlv_name_list){NULL, NULL};
	return (tlv_name_list){names->offsets, names->text};
}

size_t
tlv_plan_name_categories(const tlv_names *names, size_t categories, tlv_plan_section sections[2])
{
	if (names == NULL || names->n != categories)
		return 0;
	sections[0] =
		(tlv_plan_section){"category_offsets", TLV_INT64, names->n + 1, 1, names->offsets};
	sections[1] = (tlv_plan_section){"category_names", TLV_BYTES, (size_t) names->offsets[names->n],
									 1, names->text};
	return 2;
}

tlv_status
tlv_plan_name_items(tlv_context *ctx, const tlv_names *names, size_t n, const int64_t *items,
					const char *offsets_name, const char *bytes_name, tlv_plan_section sections[2])
{
	size_t length = 0, at = 0;
	int64_t *offsets;
	char *text;

	TLV_TRY_NEW(ctx, offsets, n + 1);
	TLV_TRY_NEW(ctx, text, (size_t) names->offsets[names->n]);
	for (size_t i = 0; i < n; i++)
	{
		offsets[i] = (int64_t) length;
		while (at < names->n && names->ids[at] < items[i])
			at++;
		if (at < names->n && names->ids[at] == items[i])
		{
			size_t size = (size_t) (names->offsets[at + 1] - names->offsets[at]);

			memcpy(text + length, names->text + names->offsets[at], size);
			length += size;
		}
	}
	offsets[n] = (int64_t) length;
	sections[0] = (tlv_plan_section){offsets_name, TLV_INT64, n + 1, 1, offsets};
	sections[1] = (tlv_plan_section){bytes_name, TLV_BYTES, length, 1, text};
	return TLV_OK;
}

/* Rows that had a null are gone: whoever reads the model should know. */
static tlv_status
plan_warn_nulls(tlv_context *ctx, const tlv_plan *plan, tlv_diagnostics *diagnostics)
{
	if (!(plan->nulls > 0))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics, &(tlv_warning){.code = "rows_left_out", .score = plan->nulls},
					plan->nulls == 1 ? "%.0f row with a null was left out"
									 : "%.0f rows with a null were left out",
					plan->nulls);
}

/* Passes of one fit that saw different rows: no engine of ours lets that happen, but there are
 * others. */
static tlv_status
plan_warn_changed(tlv_context *ctx, const tlv_plan *plan, tlv_diagnostics *diagnostics)
{
	const tlv_rows *rows = &plan->rows;

	if (!(rows->other_count > 0))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "rows_changed", .score = fabs(rows->other_count - rows->count)},
		"the query gave %.0f rows in one pass and %.0f in another", rows->count, rows->other_count);
}

/* Steps at one time have no order of their own. */
static tlv_status
plan_warn_same_time(tlv_context *ctx, const tlv_plan *plan, tlv_diagnostics *diagnostics)
{
	double steps = plan->rows.same_time;

	if (!(steps > 0))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics, &(tlv_warning){.code = "same_time", .score = steps},
					steps == 1
						? "%.0f step has the time of the one before it: they follow each "
						  "other in the order of their values"
						: "%.0f steps have the time of the one before them: they follow each "
						  "other in the order of their values",
					steps);
}

static tlv_status
write_finished(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
			   tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	const char *replaced[TLV_DIAGNOSTICS_SECTIONS + TLV_PLAN_SECTIONS +
						 TLV_DIMENSION_NAMES_SECTIONS + 1] = {NULL};
	const tlv_name_list names = plan_dimension_names(plan, model);
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY(plan_warn_nulls(ctx, plan, diagnostics));
	TLV_TRY(plan_warn_changed(ctx, plan, diagnostics));
	TLV_TRY(plan_warn_same_time(ctx, plan, diagnostics));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->rows.passes, "passes"));
	for (size_t i = 0; i < TLV_DIAGNOSTICS_SECTIONS; i++)
		replaced[i] = tlv_diagnostics_sections[i];
	for (size_t i = 0; i < n; i++)
		replaced[TLV_DIAGNOSTICS_SECTIONS + i] = sections[i].name;
	if (names.offsets != NULL)
	{
		replaced[TLV_DIAGNOSTICS_SECTIONS + n] = tlv_dimension_names_sections.offsets;
		replaced[TLV_DIAGNOSTICS_SECTIONS + n + 1] = tlv_dimension_names_sections.bytes;
	}
	tlv_frame_begin(builder, model->header->type, model->header->kind);
	tlv_frame_add_from(builder, model, replaced);
	for (size_t i = 0; i < n; i++)
		tlv_frame_add(builder, sections[i].name, sections[i].element, sections[i].rows,
					  sections[i].columns, sections[i].data);
	tlv_name_list_add(builder, &tlv_dimension_names_sections, tlv_model_dimensions(model), &names);
	tlv_diagnostics_add(diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, &plan->image, &plan->size));
	tlv_assert(tlv_kind_accepts(ctx, plan->image, plan->size));
	tlv_scratch_keep(ctx, plan->image);
	return TLV_OK;
}

tlv_status
tlv_plan_finish_with(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
					 tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = write_finished(ctx, plan, model, diagnostics, n, sections);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

tlv_status
tlv_plan_finish(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
				const tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	tlv_diagnostics all = {0};

	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, NULL));
	if (diagnostics != NULL)
		TLV_TRY(tlv_diagnostics_append(ctx, &all, diagnostics));
	return tlv_plan_finish_with(ctx, plan, model, &all, n, sections);
}
