/*
 * fields.c - the declared sections of a model in the digest of its page (page.h): as tlv_to_json
 * writes them, with fewer digits, and of a long axis the part that tells components apart best.
 */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/layout.h"

/* Axes of a model of which only a part is shown. */
#define AXES 8
/* Texts of a list. */
#define TEXTS 5000

/* What is shown of an axis of n entries: m of them, ascending. */
typedef struct shown_axis
{
	char view; /* see view_of */
	size_t n, m;
	size_t *at;
} shown_axis;

typedef struct field_writer
{
	const tlv_frame *model;
	const tlv_layout *layout;
	tlv_json_writer *data;
	shown_axis axes[AXES];
	size_t count;
	bool first; /* no field has been written yet */
} field_writer;

/* A matrix as a list of lists: outer lists, inner entries of each. */
typedef struct field_matrix
{
	size_t outer, inner, outer_step, inner_step;
	bool outer_components, square;
} field_matrix;

static bool
is_matrix(const tlv_field *field)
{
	return field->form == TLV_FIELD_BY_ROWS || field->form == TLV_FIELD_BY_COLUMNS ||
		   field->form == TLV_FIELD_SYMMETRIC;
}

static size_t
page_packed_side(size_t packed)
{
	size_t d = (size_t) sqrt(2.0 * (double) packed);

	while (d * (d + 1) / 2 > packed)
		d--;
	return d;
}

static field_matrix
matrix_of(const tlv_field *field, const tlv_section *section)
{
	size_t rows = section->rows, columns = section->columns;
	unsigned both = TLV_OF_ROWS | TLV_OF_COLUMNS;
	field_matrix m = {columns,
					  rows,
					  rows,
					  1,
					  (field->flags & TLV_OF_COLUMNS) != 0,
					  (field->flags & both) == both};

	if (field->form == TLV_FIELD_BY_ROWS)
		m = (field_matrix){rows, columns, 1, rows, (field->flags & TLV_OF_ROWS) != 0, m.square};
	else if (field->form == TLV_FIELD_SYMMETRIC)
		m.inner = page_packed_side(rows);
	return m;
}

/* ---- long axes ---- */

/* The view or mode that a section is of, by the digit at the end of its name: '\0' where models
 * have one. */
static char
view_of(const char *name)
{
	char last = name[strlen(name) - 1];

	return isdigit((unsigned char) last) ? last : '\0';
}

/* The axis of n entries of the named section's view: axes of other views may be as long. */
static const shown_axis *
axis_of(const field_writer *w, const char *name, size_t n)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->axes[i].n == n && w->axes[i].view == view_of(name))
			return w->axes + i;
	return NULL;
}

/* Entries along the axis of a section that may be shown in part; 0: none may be, as of numbers that
 * belong to components. */
static size_t
axis_length(const field_writer *w, const tlv_field *field, const tlv_section *section)
{
	field_matrix m;

	if (is_matrix(field))
	{
		m = matrix_of(field, section);
		return m.square ? 0 : m.inner;
	}
	if (field->form == TLV_FIELD_LIST || field->form == TLV_FIELD_IDS)
		return (field->flags & (TLV_OF_ROWS | TLV_OF_COLUMNS)) != 0
				   ? 0
				   : section->rows * section->columns;
	if (field->form != TLV_FIELD_TEXTS)
		return 0;
	return ((field->flags & TLV_BYTES_FIRST) != 0 ? tlv_frame_find(w->model, field->beside)->rows
												  : section->rows) -
		   1;
}

static const shown_axis *
axis_of_field(const field_writer *w, const tlv_field *field, const tlv_section *section)
{
	return axis_of(w, field->name, axis_length(w, field, section));
}

/* The entries of which the lists differ most: by their mean absolute deviation. */
static tlv_status
choose_entries(tlv_context *ctx, const field_matrix *m, const double *numbers, shown_axis *axis)
{
	bool *chosen;
	double *score;
	size_t *order;

	TLV_TRY_NEW0(ctx, score, m->inner);
	TLV_TRY_NEW(ctx, order, m->inner);
	TLV_TRY_NEW0(ctx, chosen, m->inner);
	TLV_TRY_NEW(ctx, axis->at, axis->m);
	for (size_t i = 0; i < m->inner; i++)
	{
		double mean = 0;

		if (i % 1024 == 1023)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < m->outer; j++)
			mean += numbers[j * m->outer_step + i * m->inner_step] / (double) m->outer;
		for (size_t j = 0; j < m->outer; j++)
			score[i] += fabs(numbers[j * m->outer_step + i * m->inner_step] - mean);
	}
	TLV_TRY(tlv_page_order(ctx, m->inner, score, order));
	for (size_t i = 0; i < axis->m; i++)
		chosen[order[i]] = true;
	for (size_t i = 0, n = 0; i < m->inner; i++)
		if (chosen[i])
			axis->at[n++] = i;
	tlv_free(ctx, chosen);
	tlv_free(ctx, order);
	tlv_free(ctx, score);
	return TLV_OK;
}

/* Decides what is shown of the inner axis of a matrix of components, unless another matrix has. */
static tlv_status
shorten_axis(tlv_context *ctx, field_writer *w, const tlv_field *field, const tlv_section *section)
{
	field_matrix m = matrix_of(field, section);
	size_t outer = tlv_least(m.outer, TLV_PAGE_COMPONENTS), most;
	double *numbers;

	most = TLV_PAGE_NUMBERS / (outer > 0 ? outer : 1);
	if (field->form == TLV_FIELD_SYMMETRIC || !m.outer_components || m.square || m.inner <= most ||
		axis_of_field(w, field, section) != NULL || w->count == AXES)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, numbers, section->rows, section->columns);
	TLV_TRY(tlv_section_numbers(ctx, w->model, section, numbers));
	w->axes[w->count] = (shown_axis){.view = view_of(field->name), .n = m.inner, .m = most};
	TLV_TRY(choose_entries(ctx, &m, numbers, w->axes + w->count));
	w->count++;
	tlv_free(ctx, numbers);
	return TLV_OK;
}

/* The i-th entry that is shown of an axis of n, of which at most `most` are. */
static size_t
shown_count(const shown_axis *axis, size_t n, size_t most)
{
	return tlv_least(axis != NULL ? axis->m : n, most);
}

static size_t
shown_entry(const shown_axis *axis, size_t i)
{
	return axis != NULL ? axis->at[i] : i;
}

/* ---- forms ---- */

static tlv_status
put_comma(tlv_context *ctx, tlv_json_writer *data, size_t i)
{
	return i > 0 ? tlv_json_put(ctx, data, ",") : TLV_OK;
}

static tlv_status
put_list(tlv_context *ctx, field_writer *w, const shown_axis *axis, const tlv_section *section)
{
	const int64_t *integers = tlv_frame_int64(w->model, section->name);
	size_t n = section->rows * section->columns;
	double *numbers = NULL;

	if (integers == NULL)
	{
		TLV_TRY_NEW(ctx, numbers, n);
		TLV_TRY(tlv_section_numbers(ctx, w->model, section, numbers));
	}
	TLV_TRY(tlv_json_put(ctx, w->data, "["));
	for (size_t i = 0; i < shown_count(axis, n, TLV_PAGE_NUMBERS); i++)
	{
		TLV_TRY(put_comma(ctx, w->data, i));
		if (integers != NULL)
			TLV_TRY(tlv_json_put_integer(ctx, w->data, integers[shown_entry(axis, i)]));
		else
			TLV_TRY(tlv_page_put_number(ctx, w->data, numbers[shown_entry(axis, i)], PAGE_DIGITS));
	}
	tlv_free(ctx, numbers);
	return tlv_json_put(ctx, w->data, "]");
}

/* A component's covariances: the lower triangle, or, where that is too long, the variances. */
static tlv_status
put_triangle(tlv_context *ctx, field_writer *w, const shown_axis *axis, size_t n, bool diagonal,
			 const double *packed)
{
	for (size_t i = 0; i < n; i++)
		for (size_t j = diagonal ? i : 0; j <= i; j++)
		{
			size_t row = shown_entry(axis, i);

			TLV_TRY(put_comma(ctx, w->data, i + j));
			TLV_TRY(tlv_page_put_number(
				ctx, w->data, packed[row * (row + 1) / 2 + shown_entry(axis, j)], PAGE_DIGITS));
		}
	return TLV_OK;
}

static tlv_status
page_put_matrix(tlv_context *ctx, field_writer *w, const tlv_field *field,
				const tlv_section *section)
{
	field_matrix m = matrix_of(field, section);
	const shown_axis *axis = axis_of_field(w, field, section);
	size_t inner = shown_count(axis, m.inner, m.square ? TLV_PAGE_SQUARE : m.inner);
	size_t outer = tlv_least(m.outer, m.square			   ? TLV_PAGE_SQUARE
									  : m.outer_components ? TLV_PAGE_COMPONENTS
														   : TLV_PAGE_NUMBERS / (inner + 1) + 1);
	bool diagonal = outer * inner * (inner + 1) / 2 > 2 * TLV_PAGE_NUMBERS;
	double *numbers;

	TLV_TRY_NEW_ROWS(ctx, numbers, section->rows, section->columns);
	TLV_TRY(tlv_section_numbers(ctx, w->model, section, numbers));
	TLV_TRY(tlv_json_put(ctx, w->data, "["));
	for (size_t j = 0; j < outer; j++)
	{
		const double *list = numbers + j * m.outer_step;

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_json_put(ctx, w->data, j > 0 ? ",[" : "["));
		if (field->form == TLV_FIELD_SYMMETRIC)
			TLV_TRY(put_triangle(ctx, w, axis, inner, diagonal, list));
		for (size_t i = 0; i < inner && field->form != TLV_FIELD_SYMMETRIC; i++)
		{
			TLV_TRY(put_comma(ctx, w->data, i));
			TLV_TRY(tlv_page_put_number(ctx, w->data, list[shown_entry(axis, i) * m.inner_step],
										PAGE_DIGITS));
		}
		TLV_TRY(tlv_json_put(ctx, w->data, "]"));
	}
	tlv_free(ctx, numbers);
	return tlv_json_put(ctx, w->data, "]");
}

static tlv_status
page_put_texts(tlv_context *ctx, field_writer *w, const shown_axis *axis, size_t n,
			   tlv_name_list names)
{
	size_t shown = shown_count(axis, n, TEXTS);
	tlv_page_lengths lengths = {{0}};
	size_t most;

	for (size_t i = 0; i < shown; i++)
		tlv_page_count_name(&lengths, tlv_name_at(&names, shown_entry(axis, i)));
	most = tlv_page_name_length(&lengths);
	TLV_TRY(tlv_json_put(ctx, w->data, "["));
	for (size_t i = 0; i < shown; i++)
	{
		tlv_text text = tlv_name_at(&names, shown_entry(axis, i));

		TLV_TRY(put_comma(ctx, w->data, i));
		TLV_TRY(tlv_page_put_text(ctx, w->data, tlv_page_cut_name(text, most)));
	}
	return tlv_json_put(ctx, w->data, "]");
}

/* Texts that are each ended by '\n' (num/names.h). */
static tlv_status
page_put_lines(tlv_context *ctx, field_writer *w, const tlv_section *section)
{
	const char *at = tlv_section_data(w->model, section), *end = at + section->rows;

	TLV_TRY(tlv_json_put(ctx, w->data, "["));
	for (size_t i = 0; at < end && i < TEXTS; i++)
	{
		const char *line = memchr(at, '\n', (size_t) (end - at));
		size_t n = line != NULL ? (size_t) (line - at) : (size_t) (end - at);

		TLV_TRY(put_comma(ctx, w->data, i));
		TLV_TRY(tlv_page_put_text(
			ctx, w->data, (tlv_text){at, tlv_cut_length((tlv_text){at, n}, TLV_PAGE_TEXT)}));
		at += n + 1;
	}
	return tlv_json_put(ctx, w->data, "]");
}

static tlv_status
put_form(tlv_context *ctx, field_writer *w, const tlv_field *field, const tlv_section *section)
{
	double number = tlv_frame_scalar(w->model, field->name, NAN);
	tlv_name_sections texts = {field->name, field->beside};
	const shown_axis *axis = axis_of_field(w, field, section);

	switch (field->form)
	{
		case TLV_FIELD_NUMBER:
			return tlv_page_put_number(ctx, w->data, number, 12);
		case TLV_FIELD_FLAG:
			return tlv_json_put(ctx, w->data, number != 0 ? "true" : "false");
		case TLV_FIELD_CHOICE:
			return tlv_json_put_string(
				ctx, w->data,
				(tlv_text){field->names[(size_t) number], strlen(field->names[(size_t) number])});
		case TLV_FIELD_TEXTS:
			if ((field->flags & TLV_BYTES_FIRST) != 0)
				texts = (tlv_name_sections){field->beside, field->name};
			return page_put_texts(ctx, w, axis, axis_length(w, field, section),
								  tlv_name_list_of(w->model, &texts));
		case TLV_FIELD_LINES:
			return page_put_lines(ctx, w, section);
		case TLV_FIELD_LIST:
		case TLV_FIELD_IDS:
			return put_list(ctx, w, axis, section);
		default:
			return page_put_matrix(ctx, w, field, section);
	}
}

static tlv_status
fields_put_name(tlv_context *ctx, field_writer *w, const char *name)
{
	TLV_TRY(tlv_json_put(ctx, w->data, w->first ? "\"" : ",\""));
	w->first = false;
	TLV_TRY(tlv_json_put(ctx, w->data, name));
	return tlv_json_put(ctx, w->data, "\":");
}

static const char *
name_in_json(const tlv_field *field)
{
	return field->json != NULL ? field->json : field->name;
}

/* Which entries are shown of axes that are not shown whole, and the fields along each: [entries,
 * [place from 0, ...], [name, ...]]. */
static tlv_status
put_axes(tlv_context *ctx, field_writer *w, const tlv_page_view *view)
{
	TLV_TRY(fields_put_name(ctx, w, "shown"));
	TLV_TRY(tlv_json_put(ctx, w->data, "["));
	for (size_t i = 0; i < w->count; i++)
	{
		const shown_axis *axis = w->axes + i;
		const char *between = "\"";

		TLV_TRY(tlv_json_put(ctx, w->data, i > 0 ? ",[" : "["));
		TLV_TRY(tlv_json_put_integer(ctx, w->data, (int64_t) axis->n));
		TLV_TRY(tlv_json_put(ctx, w->data, ","));
		TLV_TRY(tlv_page_put_integers(ctx, w->data, axis->m, (const int64_t *) axis->at));
		TLV_TRY(tlv_json_put(ctx, w->data, ",["));
		for (const char *const *name = view->fields; *name != NULL; name++)
		{
			const tlv_field *field = tlv_layout_field(w->layout, *name);
			const tlv_section *section = tlv_frame_find(w->model, *name);

			if (section == NULL || axis_of_field(w, field, section) != axis)
				continue;
			TLV_TRY(tlv_json_put(ctx, w->data, between));
			TLV_TRY(tlv_json_put(ctx, w->data, name_in_json(field)));
			between = "\",\"";
		}
		TLV_TRY(tlv_json_put(ctx, w->data, "\"]]"));
	}
	return tlv_json_put(ctx, w->data, "]");
}

tlv_status
page_put_fields(tlv_context *ctx, const tlv_frame *model, const tlv_page_view *view,
				tlv_json_writer *data)
{
	field_writer w = {.model = model, .layout = tlv_layout_of(model), .data = data, .first = true};
	const tlv_name_list dimensions = tlv_dimension_names(model);

	TLV_TRY(tlv_page_put_key(ctx, data, "fields"));
	TLV_TRY(tlv_json_put(ctx, data, "{"));
	for (const char *const *name = view->fields; name != NULL && *name != NULL; name++)
	{
		const tlv_field *field = tlv_layout_field(w.layout, *name);
		const tlv_section *section = tlv_frame_find(model, *name);

		if (section != NULL && is_matrix(field))
			TLV_TRY(shorten_axis(ctx, &w, field, section));
	}
	for (const char *const *name = view->fields; name != NULL && *name != NULL; name++)
	{
		const tlv_field *field = tlv_layout_field(w.layout, *name);
		const tlv_section *section = tlv_frame_find(model, *name);

		if (section == NULL)
			continue;
		TLV_TRY(fields_put_name(ctx, &w, name_in_json(field)));
		TLV_TRY(put_form(ctx, &w, field, section));
	}
	if (dimensions.offsets != NULL)
	{
		size_t d = tlv_model_dimensions(model);

		TLV_TRY(fields_put_name(ctx, &w, "dimension_names"));
		TLV_TRY(page_put_texts(ctx, &w, axis_of(&w, "dimension_names", d), d, dimensions));
	}
	TLV_TRY(put_axes(ctx, &w, view));
	for (size_t i = 0; i < w.count; i++)
		tlv_free(ctx, w.axes[i].at);
	return tlv_json_put(ctx, data, "}");
}
