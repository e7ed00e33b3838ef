/*
 * plan_memory.c - passes over rows that a plan holds in memory (plan.h).
 */
#include "tensorlv/model/plan.h"

#include "tensorlv/num/assert.h"

/* Rows that are added between two looks at whether to stop. */
#define ROWS_BETWEEN 64

typedef struct memory_value
{
	tlv_value base; /* first */
	tlv_context *ctx;
	void *image;
} memory_value;

static void
memory_value_release(tlv_value *value)
{
	memory_value *own = (memory_value *) value;

	tlv_free(own->ctx, own->image);
	tlv_free(own->ctx, own);
}

/* Rows of a plan: such as it holds, or a list. */
typedef struct memory_rows
{
	const tlv_plan_memory *held; /* NULL: a list */
	size_t n;
	const tlv_row *list;
} memory_rows;

static tlv_status
add_list(tlv_context *ctx, const memory_rows *rows, tlv_accumulator *accumulator)
{
	for (size_t t = 0; t < rows->n; t++)
	{
		if (t % ROWS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_add(ctx, accumulator, &rows->list[t]));
	}
	return TLV_OK;
}

/* Adds all rows, each shifted back to where it came from. */
static tlv_status
add_held(tlv_context *ctx, const tlv_plan_memory *rows, tlv_accumulator *accumulator)
{
	double *x;

	TLV_TRY_NEW(ctx, x, rows->d);
	for (size_t t = 0; t < rows->n; t++)
	{
		const double *row = rows->rows + t * rows->d;

		if (t % ROWS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < rows->d; i++)
			x[i] = row[i] + rows->center[i];
		TLV_TRY(tlv_add(ctx, accumulator, TLV_AS_VECTOR(rows->d, x)));
	}
	return TLV_OK;
}

/* The value of a statistic; what it takes on the way is in a scratch. */
static tlv_status
collect(tlv_context *ctx, const memory_rows *rows, const tlv_statistic *statistic, void **image,
		size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));
	tlv_accumulator *accumulator;

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY(tlv_statistic_create(ctx, statistic, &accumulator));
	TLV_TRY(rows->held != NULL ? add_held(ctx, rows->held, accumulator)
							   : add_list(ctx, rows, accumulator));
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_scratch_keep(ctx, *image);
	return TLV_OK;
}

static tlv_status
memory_value_create(tlv_context *ctx, const memory_rows *rows, const tlv_statistic *statistic,
					tlv_value **value)
{
	memory_value *own;
	tlv_scratch scratch;
	tlv_status status;
	size_t size;

	TLV_TRY_NEW0(ctx, own, 1);
	own->ctx = ctx;
	own->base.release = memory_value_release;
	tlv_scratch_begin(ctx, &scratch);
	status = collect(ctx, rows, statistic, &own->image, &size);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	*value = &own->base;
	return tlv_frame_open(ctx, own->image, size, &own->base.frame);
}

bool
tlv_plan_in_memory(const tlv_plan *plan, const tlv_pass *pass)
{
	return plan->memory.n > 0 && pass->n > 0 && pass->source == 0 && pass->folds == 0 &&
		   pass->damp == 0 && pass->scale == 0 && !pass->complete;
}

static tlv_status
pass_over(tlv_context *ctx, const memory_rows *rows, const tlv_pass *pass, tlv_value **values)
{
	tlv_status status = TLV_OK;

	tlv_assert(pass->n <= TLV_PLAN_STATISTICS);
	for (size_t i = 0; i < pass->n; i++)
		values[i] = NULL;
	for (size_t i = 0; i < pass->n && status == TLV_OK; i++)
		status = memory_value_create(ctx, rows, &pass->statistics[i], &values[i]);
	for (size_t i = 0; i < pass->n && status != TLV_OK; i++)
	{
		tlv_value_drop(values[i]);
		values[i] = NULL;
	}
	return status;
}

tlv_status
tlv_plan_pass_in_memory(tlv_context *ctx, const tlv_plan *plan, const tlv_pass *pass,
						tlv_value **values)
{
	return pass_over(ctx, &(const memory_rows){.held = &plan->memory}, pass, values);
}

tlv_status
tlv_plan_run(tlv_context *ctx, tlv_plan *plan, size_t n, const tlv_row *rows)
{
	const memory_rows list = {.n = n, .list = rows};
	tlv_value *own[TLV_PLAN_STATISTICS], **values = NULL;
	tlv_pass pass;

	for (;;)
	{
		tlv_status status;

		TLV_TRY(tlv_plan_next(ctx, plan, values, &pass));
		if (pass.n == 0)
			return TLV_OK;
		tlv_assert(pass.source == 0 && pass.folds == 0 && pass.damp == 0 && !pass.complete);
		values = own;
		status = pass_over(ctx, &list, &pass, own);
		if (status != TLV_OK)
		{
			tlv_plan_abandon(plan);
			return status;
		}
	}
}
