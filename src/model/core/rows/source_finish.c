/*
 * source_finish.c - the end of a fit: what its passes have seen, and the names of its rows
 * (source.h).
 */
#include "tensorlv/model/source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/plural.h"

/* The names of the rows, if they are those of the model's dimensions. */
static tlv_name_list
finish_dimension_names(const tlv_rows *rows, const tlv_frame *model)
{
	const tlv_names *names = rows->names;

	/* Names of views are not those of their dimensions. */
	if (rows->form == TLV_ROW_VIEWS || names == NULL || names->ids != NULL ||
		names->n != tlv_model_dimensions(model) || names->n == 0 || names->offsets[names->n] == 0)
		return (tlv_name_list){NULL, NULL};
	return (tlv_name_list){names->offsets, names->text};
}

size_t
tlv_name_categories(const tlv_names *names, size_t categories, tlv_added_section sections[2])
{
	if (names == NULL || names->n != categories)
		return 0;
	sections[0] =
		(tlv_added_section){"category_offsets", TLV_INT64, names->n + 1, 1, names->offsets};
	sections[1] = (tlv_added_section){"category_names", TLV_BYTES,
									  (size_t) names->offsets[names->n], 1, names->text};
	return 2;
}

tlv_status
tlv_name_items(tlv_context *ctx, const tlv_names *names, size_t n, const int64_t *items,
			   const char *offsets_name, const char *bytes_name, tlv_added_section sections[2])
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
	sections[0] = (tlv_added_section){offsets_name, TLV_INT64, n + 1, 1, offsets};
	sections[1] = (tlv_added_section){bytes_name, TLV_BYTES, length, 1, text};
	return TLV_OK;
}

const char *
tlv_show_id(tlv_text name, int64_t id, char shown[TLV_SHOWN_NAME])
{
	if (name.length > 0)
		return tlv_show_name(name, shown);
	snprintf(shown, TLV_SHOWN_NAME, "%lld", (long long) id);
	return shown;
}

const char *
tlv_show_element(const char *name, size_t i, char shown[TLV_SHOWN_NAME])
{
	snprintf(shown, TLV_SHOWN_NAME, "%.*s[%zu]", TLV_SHOWN_NAME - 24, name, i + 1);
	return shown;
}

const char *
tlv_names_show(const tlv_names *names, size_t i, char shown[TLV_SHOWN_NAME])
{
	char array[TLV_SHOWN_NAME];
	bool named = names != NULL && i < names->n;
	size_t length =
		named && names->offsets != NULL ? (size_t) (names->offsets[i + 1] - names->offsets[i]) : 0;

	if (length > 0)
		return tlv_show_name((tlv_text){names->text + names->offsets[i], length}, shown);
	if (names != NULL && names->array.length > 0)
		return tlv_show_element(tlv_show_name(names->array, array), i, shown);
	return tlv_show_id((tlv_text){NULL, 0},
					   named && names->ids != NULL ? names->ids[i] : (int64_t) i + 1, shown);
}

static tlv_status
warn_rows(tlv_context *ctx, tlv_diagnostics *diagnostics, double rows, const char *lacking,
		  const char *columns, const char *hint)
{
	if (!(rows > 0))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "rows_skipped", .score = rows, .hint = hint},
					"%.0f %s%s%s%s %s skipped%s%s", rows, tlv_plural(rows, "row", "rows"),
					lacking == NULL || columns != NULL ? " with a null" : "",
					lacking == NULL	  ? ""
					: columns != NULL ? " or without "
									  : " without ",
					lacking != NULL ? lacking : "", tlv_plural(rows, "was", "were"),
					columns != NULL ? ": nulls are in " : "", columns != NULL ? columns : "");
}

tlv_status
tlv_warn_nulls(tlv_context *ctx, tlv_diagnostics *diagnostics, double nulls, const char *columns,
			   const char *hint)
{
	return warn_rows(ctx, diagnostics, nulls, NULL, columns, hint);
}

/* What rows lack that these statistics count beside those with a null. */
static const char *
statistics_lacking(const tlv_frame *statistics)
{
	unsigned rows = statistics->kind->accumulator->rows;

	if (rows == TLV_ROW_BAG)
		return "a word";
	return rows == TLV_ROW_CODES ? "a value" : NULL;
}

tlv_status
tlv_tell_nulls(tlv_context *ctx, const tlv_frame *value, void **image, size_t *size)
{
	double nulls = tlv_frame_scalar(value, "nulls", 0);
	tlv_diagnostics all = {0};
	tlv_frame model;
	tlv_warnings_walk walk;

	if (!(nulls > 0))
		return TLV_OK;
	TLV_TRY(tlv_frame_open(ctx, *image, *size, &model));
	walk = tlv_warnings_of(&model);
	while (tlv_warnings_next(&walk))
		if (strcmp(walk.warning.code, "rows_skipped") == 0 && walk.warning.score == nulls)
			return TLV_OK;
	TLV_TRY(tlv_diagnostics_copy(ctx, &all, &model, NULL));
	TLV_TRY(warn_rows(ctx, &all, nulls, statistics_lacking(value), NULL, NULL));
	return tlv_diagnostics_rewrite(ctx, &model, &all, image, size);
}

/* Passes of one fit that saw different rows: no engine of ours lets that happen, but there are
 * others. */
static tlv_status
warn_changed(tlv_context *ctx, const tlv_rows *rows, tlv_diagnostics *diagnostics)
{
	if (!(rows->other_count > 0))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "rows_changed", .score = fabs(rows->other_count - rows->count)},
		"the query returned %.0f rows in one pass and %.0f in another", rows->count,
		rows->other_count);
}

/* Columns of a query whose others are the dimensions of its rows. */
static tlv_status
warn_skipped_columns(tlv_context *ctx, const tlv_rows *rows, tlv_diagnostics *diagnostics)
{
	if (rows->skipped == 0)
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){
			.code = "columns_skipped", .score = rows->skipped, .hint = rows->skipped_hint},
		"%s %s skipped", rows->skipped_columns, tlv_plural(rows->skipped, "was", "were"));
}

/* Steps at one time have no order of their own. */
static tlv_status
warn_same_time(tlv_context *ctx, const tlv_rows *rows, tlv_diagnostics *diagnostics)
{
	double steps = rows->same_time;

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
write_finished(tlv_context *ctx, const tlv_rows *rows, const tlv_frame *model,
			   tlv_diagnostics *diagnostics, size_t n, const tlv_added_section *sections,
			   void **image, size_t *size)
{
	const char *replaced[TLV_DIAGNOSTICS_SECTIONS + TLV_ADDED_SECTIONS +
						 TLV_DIMENSION_NAMES_SECTIONS + 1] = {NULL};
	const tlv_name_list names = finish_dimension_names(rows, model);
	tlv_frame_builder *builder = tlv_alloc0(ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(ctx, builder);
	TLV_TRY(warn_rows(ctx, diagnostics, rows->nulls,
					  rows->null_total < rows->nulls ? rows->lacking : NULL, rows->null_columns,
					  NULL));
	TLV_TRY(warn_skipped_columns(ctx, rows, diagnostics));
	TLV_TRY(warn_changed(ctx, rows, diagnostics));
	TLV_TRY(warn_same_time(ctx, rows, diagnostics));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, rows->passes, "passes"));
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
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_assert(tlv_kind_accepts(ctx, *image, *size));
	tlv_scratch_keep(ctx, *image);
	return TLV_OK;
}

tlv_status
tlv_source_finish(tlv_context *ctx, const tlv_source *source, const tlv_frame *model,
				  tlv_diagnostics *diagnostics, size_t n, const tlv_added_section *sections,
				  tlv_held *finished)
{
	tlv_rows rows = source->of != NULL ? source->of->rows : source->rows;
	tlv_scratch scratch;
	tlv_status status;

	if (source->within)
		rows.names = NULL;
	tlv_scratch_begin(ctx, &scratch);
	status = write_finished(ctx, &rows, model, diagnostics, n, sections, &finished->image,
							&finished->size);
	tlv_scratch_end(ctx, &scratch);
	TLV_TRY(status);
	return tlv_frame_open(ctx, finished->image, finished->size, &finished->frame);
}

tlv_status
tlv_source_finish_after(tlv_context *ctx, const tlv_source *source, const tlv_frame *model,
						const tlv_diagnostics *diagnostics, tlv_held *finished)
{
	tlv_diagnostics all = {0};

	TLV_TRY(tlv_diagnostics_copy(ctx, &all, model, NULL));
	TLV_TRY(tlv_diagnostics_append(ctx, &all, diagnostics));
	return tlv_source_finish(ctx, source, model, &all, 0, NULL, finished);
}
