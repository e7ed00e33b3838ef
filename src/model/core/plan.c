/*
 * plan.c - what all fits as plans have in common (plan.h).
 */
#include "tensorlv/model/plan.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/support.h"
#include "tensorlv/num/assert.h"

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

tlv_status
tlv_plan_next(tlv_context *ctx, tlv_plan *plan, tlv_value **values, tlv_pass *pass)
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

/* ---- over a source ---- */

/* A pass of the plan, over what it learns from: a view. */
static void
plan_see(const tlv_source *view, tlv_pass *pass)
{
	const tlv_pass *seen = &view->view;

	if (seen->folds > 0)
	{
		tlv_assert(pass->folds == 0);
		pass->folds = seen->folds;
		pass->fold = seen->fold;
		pass->others = seen->others;
	}
	pass->damp = pass->damp > 0 ? pass->damp : seen->damp;
	pass->scale = pass->scale > 0 ? pass->scale : seen->scale;
	pass->complete |= seen->complete;
	pass->settled |= seen->settled;
	if (view->within)
		pass->passes_left = 0;
}

tlv_status
tlv_plan_learn(tlv_context *ctx, tlv_plan *plan, tlv_source *view)
{
	tlv_source *rows = tlv_source_rows(view);
	tlv_value *own[TLV_PLAN_STATISTICS], **values = NULL;
	tlv_pass pass;

	for (;;)
	{
		tlv_source *source;
		tlv_status status;

		plan->rows = rows->rows;
		if (view->within)
			plan->rows.names = NULL;
		TLV_TRY(tlv_plan_next(ctx, plan, values, &pass));
		if (pass.n == 0)
			return TLV_OK;
		source = pass.source == 0 ? rows : rows->labels;
		if (pass.source == 0)
			plan_see(view, &pass);
		memset(own, 0, sizeof(own));
		values = own;
		status = source->pass(ctx, source, &pass, own);
		if (status != TLV_OK)
		{
			tlv_plan_abandon(plan);
			return status;
		}
	}
}

tlv_status
tlv_plan_run(tlv_context *ctx, tlv_plan *plan, size_t n, const tlv_row *rows)
{
	tlv_memory_source list;

	tlv_source_of_list(&list, n, rows);
	list.source.rows = plan->rows;
	return tlv_plan_learn(ctx, plan, &list.source);
}

tlv_status
tlv_plan_finish_with(tlv_context *ctx, tlv_plan *plan, const tlv_frame *model,
					 tlv_diagnostics *diagnostics, size_t n, const tlv_plan_section *sections)
{
	tlv_source rows = {.rows = plan->rows};
	tlv_held finished = {0};

	rows.rows.nulls = plan->nulls;
	TLV_TRY(tlv_source_finish(ctx, &rows, model, diagnostics, n, sections, &finished));
	plan->image = finished.image;
	plan->size = finished.size;
	return TLV_OK;
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
