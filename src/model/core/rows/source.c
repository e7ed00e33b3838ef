/*
 * source.c - views of rows, passes over them, and what all procedures have in common (source.h).
 */
#include "tensorlv/model/source.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/model.h"
#include "tensorlv/num/assert.h"

/* ---- values ---- */

void
tlv_value_drop(tlv_value *value)
{
	if (value == NULL)
		return;
	if (value->link != NULL)
	{
		*value->link = value->next;
		if (value->next != NULL)
			value->next->link = value->link;
	}
	value->release(value);
}

static void
source_take_value(tlv_source *source, tlv_value *value)
{
	value->next = source->values;
	value->link = &source->values;
	if (value->next != NULL)
		value->next->link = &value->next;
	source->values = value;
}

static void
source_drop_values(tlv_source *source)
{
	while (source->values != NULL)
		tlv_value_drop(source->values);
}

/* ---- views ---- */

/* view may be the source itself. */
static void
view_begin(tlv_source *view, tlv_source *source)
{
	tlv_source *rows = tlv_source_rows(source);
	const tlv_pass seen = source->view;
	bool within = source->within;

	tlv_assert(view != rows);
	*view = (tlv_source){.of = rows, .view = seen, .within = within, .rows = rows->rows};
}

void
tlv_source_within(tlv_source *view, tlv_source *source)
{
	view_begin(view, source);
	view->within = true;
}

void
tlv_source_fold(tlv_source *view, tlv_source *source, int folds, int fold)
{
	view_begin(view, source);
	tlv_assert(view->view.folds == 0);
	view->view.folds = folds;
	view->view.fold = fold;
}

void
tlv_source_without_fold(tlv_source *view, tlv_source *source, int folds, int fold)
{
	tlv_source_fold(view, source, folds, fold);
	view->view.others = true;
}

void
tlv_source_damped(tlv_source *view, tlv_source *source, double cap)
{
	view_begin(view, source);
	view->view.damp = cap;
}

void
tlv_source_scaled(tlv_source *view, tlv_source *source, double factor)
{
	view_begin(view, source);
	view->view.scale = factor;
}

void
tlv_source_complete(tlv_source *view, tlv_source *source)
{
	view_begin(view, source);
	view->view.complete = true;
}

void
tlv_source_ordered(tlv_source *view, tlv_source *source)
{
	view_begin(view, source);
	view->view.settled = true;
}

void
tlv_source_reported(tlv_source *view, tlv_source *source, const char *stage)
{
	view_begin(view, source);
	view->view.stage = stage;
}

/* ---- passes ---- */

/* The most rows with a null that a pass over the rows has met. */
static void
source_count_nulls(tlv_source *rows, const tlv_pass *pass, size_t n, tlv_value *const *values)
{
	double nulls = 0;

	for (size_t i = 0; i < n; i++)
	{
		double own = values[i] == NULL ? 0 : tlv_frame_scalar(&values[i]->frame, "nulls", 0);

		nulls = pass->pieces > 1 ? nulls + own : fmax(nulls, own);
	}
	rows->rows.nulls = fmax(rows->rows.nulls, nulls);
}

/* pass has its statistics, and how many pieces. */
static tlv_status
source_run(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left, tlv_pass *pass,
		   tlv_value **values)
{
	tlv_source *rows = tlv_source_rows(source);
	size_t n = pass->pieces > 1 ? pass->pieces : pass->n;

	pass->stage = source->view.stage != NULL ? source->view.stage : stage;
	pass->passes_left = passes_left > 0 && !source->within ? passes_left + rows->passes_after : 0;
	for (size_t i = 0; i < n; i++)
		values[i] = NULL;
	if (source->held != NULL)
		TLV_TRY(source->held->pass(ctx, source->held, pass, values));
	else
		TLV_TRY(rows->pass(ctx, rows, pass, values));
	source_count_nulls(rows, pass, n, values);
	for (size_t i = 0; i < n; i++)
		if (values[i] != NULL)
			source_take_value(rows, values[i]);
	TLV_TRY_CONTINUE(ctx);
	return TLV_OK;
}

tlv_status
tlv_collect(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left, size_t n,
			const tlv_statistic *statistics, tlv_value **values)
{
	tlv_pass pass = {0};

	if (source->held == NULL)
		pass = source->view;
	tlv_assert(n > 0 && n <= TLV_PASS_STATISTICS);
	pass.n = n;
	pass.statistics = statistics;
	return source_run(ctx, source, stage, passes_left, &pass, values);
}

tlv_status
tlv_collect_again(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left,
				  const tlv_statistic *statistic, tlv_value **value)
{
	TLV_TRY(tlv_collect(ctx, source, stage, passes_left, 1, statistic, value));
	return tlv_require_rows_again(ctx, *value);
}

tlv_status
tlv_collect_first(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left,
				  const tlv_statistic *statistic, const char *count, tlv_value **value)
{
	TLV_TRY(tlv_collect(ctx, source, stage, passes_left, 1, statistic, value));
	return tlv_require_rows(ctx, *value, count);
}

/* ---- in pieces ---- */

/* What the values of all pieces are together, as an image of this process. */
static tlv_status
unite_pieces(tlv_context *ctx, size_t n, tlv_value *const *pieces, void **image, size_t *size)
{
	tlv_accumulator *accumulator = NULL;
	tlv_frame_builder *builder;

	for (size_t i = 0; i < n; i++)
	{
		const tlv_frame *frame = pieces[i] == NULL ? NULL : &pieces[i]->frame;

		if (frame == NULL)
			continue;
		if (accumulator == NULL)
		{
			TLV_TRY(tlv_accumulator_create(ctx, frame->kind->accumulator, &accumulator));
			accumulator->large = true;
		}
		TLV_TRY(accumulator->class->merge(ctx, accumulator, frame));
	}
	*image = NULL;
	if (accumulator == NULL)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, builder, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	builder->large = true;
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_scratch_keep(ctx, *image);
	return TLV_OK;
}

static tlv_status
collect_pieces(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left,
			   tlv_pass *pass, tlv_value **value)
{
	size_t n = pass->pieces, size;
	tlv_value **pieces;
	tlv_scratch scratch;
	tlv_status status;
	void *image;

	pieces = tlv_alloc0(ctx, n, sizeof(void *));
	TLV_TRY_ALLOC(ctx, pieces);
	TLV_TRY(source_run(ctx, source, stage, passes_left, pass, pieces));
	tlv_scratch_begin(ctx, &scratch);
	status = unite_pieces(ctx, n, pieces, &image, &size);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	for (size_t i = 0; i < n; i++)
		tlv_value_drop(pieces[i]);
	tlv_free(ctx, pieces);
	if (image == NULL)
		return TLV_OK;
	TLV_TRY(tlv_value_of_image(ctx, image, size, value));
	source_take_value(tlv_source_rows(source), *value);
	return TLV_OK;
}

tlv_status
tlv_collect_growing(tlv_context *ctx, tlv_source *source, const char *stage, int passes_left,
					const tlv_statistic *statistic, double row_bytes, tlv_value **value)
{
	tlv_source *rows = tlv_source_rows(source);
	tlv_pass pass = source->view;

	*value = NULL;
	pass.pieces = source->held == NULL && rows->pieces != NULL ? rows->pieces(rows, row_bytes) : 1;
	if (pass.pieces <= 1)
		return tlv_collect(ctx, source, stage, passes_left, 1, statistic, value);
	pass.n = 1;
	pass.statistics = statistic;
	return collect_pieces(ctx, source, stage, passes_left, &pass, value);
}

/* ---- procedures ---- */

static tlv_status
learn_all(tlv_context *ctx, const tlv_procedure *procedure, const void *options, tlv_source *rows,
		  bool errors, tlv_held *model)
{
	if (procedure->check != NULL)
		TLV_TRY(procedure->check(ctx, options));
	TLV_TRY_CONTINUE(ctx);
	TLV_TRY(procedure->learn(ctx, rows, options, model));
	if (!errors || procedure->own_errors || model->image == NULL)
		return TLV_OK;
	if (procedure->support != NULL)
		TLV_TRY(tlv_find_support(ctx, procedure->support, options, rows, model));
	return tlv_collect_errors(ctx, rows, model);
}

tlv_status
tlv_learn(tlv_context *ctx, const tlv_procedure *procedure, const void *options, tlv_source *rows,
		  bool errors, tlv_held *model)
{
	tlv_status status;

	*model = (tlv_held){0};
	rows->passes_after = errors ? 1 + (procedure->support != NULL) : 0;
	if (rows->labels != NULL)
		rows->labels->passes_after = rows->passes_after;
	status = learn_all(ctx, procedure, options, rows, errors, model);
	if (rows->of == NULL)
		tlv_source_end(rows);
	return status;
}

void
tlv_source_end(tlv_source *rows)
{
	source_drop_values(rows);
	if (rows->labels != NULL)
		source_drop_values(rows->labels);
}

/* ---- models between passes ---- */

tlv_status
tlv_hold(tlv_context *ctx, tlv_held *held, void *image, size_t size)
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
tlv_make(tlv_context *ctx, tlv_making *making)
{
	tlv_scratch_begin(ctx, &making->scratch);
}

tlv_status
tlv_made(tlv_context *ctx, tlv_making *making, tlv_held *held, tlv_status status)
{
	if (status == TLV_OK)
		status = tlv_hold(ctx, held, making->image, making->size);
	tlv_scratch_end(ctx, &making->scratch);
	return status;
}

tlv_status
tlv_refine(tlv_context *ctx, tlv_held *model, const tlv_frame *statistics)
{
	tlv_making made;

	tlv_make(ctx, &made);
	return tlv_made(
		ctx, &made, model,
		tlv_model_step(ctx, &model->frame, statistics, &tlv_whole_step, &made.image, &made.size));
}

/* ---- refusals ---- */

double
tlv_mean_likelihood(const tlv_frame *statistics, const char *count)
{
	return tlv_frame_scalar(statistics, "log_likelihood", 0) /
		   fmax(tlv_frame_scalar(statistics, count, 0), 1);
}

tlv_status
tlv_refuse_partial_rows(tlv_context *ctx, double rows)
{
	tlv_fail(ctx, TLV_NO_ROWS, "the query returns no rows that can be used");
	tlv_fail_detail(ctx, "Rows that were left out: %.0f.", rows);
	return tlv_fail_hint(ctx, "Fill what is missing, or leave out the columns where it is.");
}

tlv_status
tlv_refuse_no_categories(tlv_context *ctx, const tlv_rows *rows)
{
	tlv_fail(ctx, TLV_NO_ROWS, "the query returns no row with a category");
	if (rows->skipped_columns == NULL)
		return TLV_NO_ROWS;
	tlv_fail_detail(ctx, "Left out: %s.", rows->skipped_columns);
	return tlv_fail_hint(ctx, "%s", rows->skipped_hint);
}

tlv_status
tlv_require_rows(tlv_context *ctx, const tlv_value *value, const char *count)
{
	double nulls;

	if (value == NULL)
		return tlv_fail(ctx, TLV_NO_ROWS, "the query returns no rows");
	if (count == NULL || tlv_frame_scalar(&value->frame, count, 0) >= 1)
		return TLV_OK;
	nulls = tlv_frame_scalar(&value->frame, "nulls", 0);
	if (nulls > 0)
		return tlv_refuse_partial_rows(ctx, nulls);
	return tlv_fail(ctx, TLV_NO_ROWS, "the query returns no rows that can be used");
}

tlv_status
tlv_rows_gone(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the query returned rows once and none when it was run again");
	return tlv_fail_hint(ctx, "A function in it gives other results each time although it is not "
							  "declared VOLATILE.");
}

tlv_status
tlv_require_rows_again(tlv_context *ctx, const tlv_value *value)
{
	return value == NULL ? tlv_rows_gone(ctx) : TLV_OK;
}
