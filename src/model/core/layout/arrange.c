/*
 * arrange.c - a model with its components at other numbers, some gone, some not there (layout.h).
 *
 * What stands in a section for a component is taken from the model itself, or, for one that it has
 * not, from the reference that had it.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"

typedef struct arrangement
{
	const tlv_frame *model, *reference; /* reference NULL: no component is of it */
	const tlv_layout *layout;
	size_t n;
	const tlv_place *places;
	bool *opposed; /* n: to be turned round; NULL: none */
} arrangement;

/* One section on its way: all numbers as doubles, but for int64, which are copied. */
typedef struct section_move
{
	const tlv_field *field;
	size_t rows, columns;		  /* before */
	size_t new_rows, new_columns; /* after */
	double *own;				  /* rows x columns */
	size_t other_rows;			  /* of the reference */
	double *other;				  /* NULL: no component is of it */
	bool keyed;					  /* the other axis is of ids, which need not be the same */
	int32_t *at; /* of the axis that is no component's: where it is in the reference, -1 nowhere */
	double *to;
} section_move;

const tlv_layout *
tlv_layout_of(const tlv_frame *model)
{
	return model->kind->model->layout;
}

const tlv_field *
tlv_layout_field(const tlv_layout *layout, const char *section)
{
	for (const tlv_field *field = layout->fields; field->form != TLV_FIELDS_END; field++)
		if (strcmp(field->name, section) == 0)
			return field;
	return NULL;
}

/* ---- weights ---- */

bool
tlv_component_is_absent(const tlv_frame *model, size_t component)
{
	const tlv_layout *layout = tlv_layout_of(model);
	const tlv_section *section =
		layout->weights != NULL ? tlv_frame_find(model, layout->weights) : NULL;
	const double *numbers;
	bool by_rows;
	size_t n;

	if (section == NULL)
		return false;
	numbers = tlv_section_data(model, section);
	by_rows = (tlv_layout_field(layout, layout->weights)->flags & TLV_OF_ROWS) != 0;
	n = by_rows ? section->columns : section->rows;
	for (size_t i = 0; i < n; i++)
		if (numbers[by_rows ? component + i * section->rows : i + component * n] != 0)
			return false;
	return true;
}

tlv_status
tlv_model_weights(tlv_context *ctx, const tlv_frame *model, double *weights)
{
	const tlv_layout *layout = tlv_layout_of(model);
	size_t k = tlv_model_components(model);
	const tlv_section *section;
	const double *numbers;
	double total = 0;
	bool by_rows;

	if (layout->weights == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "components of a model of kind %s have no weights",
						model->kind->name);
	section = tlv_frame_find(model, layout->weights);
	numbers = tlv_section_data(model, section);
	by_rows = (tlv_layout_field(layout, layout->weights)->flags & TLV_OF_ROWS) != 0;
	for (size_t j = 0; j < k; j++)
	{
		double sum = 0;

		for (size_t i = 0; by_rows && i < section->columns; i++)
			sum += numbers[j + i * k];
		for (size_t i = 0; !by_rows && i < section->rows; i++)
			sum += numbers[i + j * section->rows] * numbers[i + j * section->rows];
		total += weights[j] = sum;
	}
	for (size_t j = 0; total > 0 && j < k; j++)
		weights[j] /= total;
	return TLV_OK;
}

/* ---- one section ---- */

/* How many of n components are the model's own. */
static size_t
components_left(size_t n, const tlv_place *places)
{
	size_t present = 0;

	for (size_t i = 0; i < n; i++)
		present += places[i].own >= 0;
	return present;
}

static bool
is_from_reference(const arrangement *all)
{
	return components_left(all->n, all->places) < all->n;
}

static tlv_status
refuse_shape(tlv_context *ctx, const char *name)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "a component of the reference is not in the model, and its \"%s\" has another shape",
			 name);
	return tlv_fail_hint(
		ctx, "Give options that were left to the rows, such as covariance, one value in "
			 "both fits.");
}

/* Where the model's ids are in the reference: both ascend. */
static tlv_status
map_keys(tlv_context *ctx, const arrangement *all, const char *keys, size_t n, int32_t *at)
{
	const tlv_section *other = tlv_frame_find(all->reference, keys);
	const int64_t *own = tlv_frame_int64(all->model, keys);
	const int64_t *theirs = tlv_frame_int64(all->reference, keys);
	size_t j = 0;

	if (own == NULL || theirs == NULL)
		return refuse_shape(ctx, keys);
	for (size_t i = 0; i < n; i++)
	{
		while (j < other->rows && theirs[j] < own[i])
			j++;
		at[i] = j < other->rows && theirs[j] == own[i] ? (int32_t) j : -1;
	}
	return TLV_OK;
}

/* What the reference has in the same section. */
static tlv_status
read_other(tlv_context *ctx, const arrangement *all, const tlv_section *section, section_move *move)
{
	const tlv_section *other = tlv_frame_find(all->reference, section->name);
	unsigned axes = move->field->flags & (TLV_OF_ROWS | TLV_OF_COLUMNS);
	size_t along = axes == TLV_OF_ROWS ? move->columns : move->rows;

	if (other == NULL || other->element != section->element)
		return refuse_shape(ctx, section->name);
	move->other_rows = other->rows;
	move->keyed =
		move->field->keys != NULL && tlv_frame_find(all->model, move->field->keys) != NULL;
	if (axes != (TLV_OF_ROWS | TLV_OF_COLUMNS))
	{
		if (!move->keyed && along != (axes == TLV_OF_ROWS ? other->columns : other->rows))
			return refuse_shape(ctx, section->name);
		TLV_TRY_NEW(ctx, move->at, along);
		for (size_t i = 0; i < along; i++)
			move->at[i] = (int32_t) i;
		if (move->keyed)
			TLV_TRY(map_keys(ctx, all, move->field->keys, along, move->at));
	}
	TLV_TRY_NEW_ROWS(ctx, move->other, other->rows, other->columns);
	TLV_TRY(tlv_section_numbers(ctx, all->reference, other, move->other));
	return TLV_OK;
}

/* The number at a row and column after the move. */
static double
moved_number(const arrangement *all, const section_move *move, size_t row, size_t column)
{
	unsigned flags = move->field->flags;
	tlv_place r = {(int64_t) row, (int64_t) row}, c = {(int64_t) column, (int64_t) column};
	double sign = 1;

	if ((flags & TLV_OF_ROWS) != 0)
		r = all->places[row];
	else if (move->at != NULL)
		r.other = move->at[row];
	if ((flags & TLV_OF_COLUMNS) != 0)
		c = all->places[column];
	else if (move->at != NULL)
		c.other = move->at[column];
	if ((flags & TLV_ORIENTED) != 0 && all->opposed != NULL)
		sign = all->opposed[(flags & TLV_OF_ROWS) != 0 ? row : column] ? -1 : 1;
	if (r.own >= 0 && c.own >= 0)
		return sign * move->own[(size_t) r.own + (size_t) c.own * move->rows];
	if ((flags & TLV_ZERO_ABSENT) != 0 || ((flags & TLV_NOT_TO) != 0 && r.own < 0))
		return 0;
	if (move->other == NULL || r.other < 0 || c.other < 0)
		return 0;
	return move->other[(size_t) r.other + (size_t) c.other * move->other_rows];
}

/* Of n numbers, every stride-th. */
static double
total_of(size_t n, size_t stride, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i * stride];
	return sum;
}

/* n numbers, every stride-th, as shares of at least the least: all of them, or those of the
 * components that are there, where places is not NULL. */
static void
share_line(size_t n, size_t stride, const tlv_place *places, double least, double *x)
{
	double sum = total_of(n, stride, x);
	size_t shared = places != NULL ? components_left(n, places) : n;

	for (size_t i = 0; i < n; i++)
		if (places == NULL || places[i].own >= 0)
			x[i * stride] = sum > 0 ? fmax(x[i * stride] / sum, least) : 1 / (double) shared;
	sum = total_of(n, stride, x);
	for (size_t i = 0; i < n; i++)
		x[i * stride] /= sum;
}

/* n numbers, every stride-th, as a vector of length 1, unless all are 0. */
static void
scale_line(size_t n, size_t stride, double *x)
{
	double square = 0;

	for (size_t i = 0; i < n; i++)
		square += x[i * stride] * x[i * stride];
	for (size_t i = 0; square > 0 && i < n; i++)
		x[i * stride] /= sqrt(square);
}

/* Lines of the reference over other ids: they are distributions again, or of length 1. */
static tlv_status
settle_over_keys(tlv_context *ctx, const arrangement *all, const section_move *move)
{
	bool by_rows = (move->field->flags & TLV_OF_ROWS) != 0;
	size_t n = by_rows ? move->new_columns : move->new_rows;
	size_t stride = by_rows ? move->new_rows : 1;

	for (size_t i = 0; i < all->n; i++)
	{
		double *line = move->to + (by_rows ? i : i * move->new_rows);

		TLV_TRY_CONTINUE(ctx);
		if (all->places[i].own < 0 && (move->field->flags & TLV_UNIT_LENGTH) != 0)
			scale_line(n, stride, line);
		else if (all->places[i].own < 0)
			share_line(n, stride, NULL, move->field->least, line);
	}
	return TLV_OK;
}

/* What sections must be when components have come or gone. */
static tlv_status
settle_section(tlv_context *ctx, const arrangement *all, const section_move *move)
{
	bool whole = components_left(all->n, all->places) == tlv_model_components(all->model);

	if (move->keyed && move->at != NULL)
		TLV_TRY(settle_over_keys(ctx, all, move));
	for (size_t c = 0; c < move->new_columns; c++)
	{
		double *column = move->to + c * move->new_rows;

		TLV_TRY_CONTINUE(ctx);
		if ((move->field->flags & TLV_NOT_TO) != 0 && (!whole || all->places[c].own < 0))
			share_line(all->n, 1, all->places, move->field->least, column);
		if ((move->field->flags & TLV_KEEP_TOTAL) != 0 && !whole)
		{
			double before = total_of(move->rows, 1, move->own + c * move->rows);
			double now = total_of(move->new_rows, 1, column);

			for (size_t i = 0; now > 0 && i < move->new_rows; i++)
				column[i] *= before / now;
		}
	}
	return TLV_OK;
}

static tlv_status
move_doubles(tlv_context *ctx, const arrangement *all, const tlv_section *section,
			 section_move *move)
{
	TLV_TRY_NEW_ROWS(ctx, move->own, move->rows, move->columns);
	TLV_TRY(tlv_section_numbers(ctx, all->model, section, move->own));
	if (is_from_reference(all) && (move->field->flags & TLV_ZERO_ABSENT) == 0)
		TLV_TRY(read_other(ctx, all, section, move));
	TLV_TRY_NEW_ROWS(ctx, move->to, move->new_rows, move->new_columns);
	for (size_t c = 0; c < move->new_columns; c++)
		for (size_t r = 0; r < move->new_rows; r++)
		{
			TLV_TRY_CONTINUE_AT(ctx, c * move->new_rows + r);
			move->to[r + c * move->new_rows] = moved_number(all, move, r, c);
		}
	TLV_TRY(settle_section(ctx, all, move));
	tlv_free(ctx, move->at);
	tlv_free(ctx, move->other);
	tlv_free(ctx, move->own);
	return TLV_OK;
}

/* One integer for each component. */
static tlv_status
move_integers(tlv_context *ctx, const arrangement *all, const tlv_section *section, int64_t **to)
{
	const int64_t *own = tlv_frame_int64(all->model, section->name);
	const int64_t *other =
		is_from_reference(all) ? tlv_frame_int64(all->reference, section->name) : NULL;

	TLV_TRY_NEW(ctx, *to, all->n);
	for (size_t i = 0; i < all->n; i++)
	{
		tlv_place place = all->places[i];

		if (place.own < 0 && other == NULL)
			return refuse_shape(ctx, section->name);
		(*to)[i] = place.own >= 0 ? own[place.own] : other[place.other];
	}
	return TLV_OK;
}

static tlv_status
arrange_add_section(tlv_context *ctx, const arrangement *all, const tlv_section *section,
					const tlv_field *field, tlv_frame_builder *builder)
{
	section_move move = {.field = field, .rows = section->rows, .columns = section->columns};
	int64_t *integers;

	move.new_rows = (field->flags & TLV_OF_ROWS) != 0 ? all->n : move.rows;
	move.new_columns = (field->flags & TLV_OF_COLUMNS) != 0 ? all->n : move.columns;
	if (section->element == TLV_INT64)
	{
		TLV_TRY(move_integers(ctx, all, section, &integers));
		tlv_frame_add(builder, section->name, TLV_INT64, move.new_rows, move.new_columns, integers);
		return TLV_OK;
	}
	TLV_TRY(move_doubles(ctx, all, section, &move));
	tlv_narrow_numbers(section->element, move.new_rows * move.new_columns, move.to);
	tlv_frame_add(builder, section->name, (tlv_element) section->element, move.new_rows,
				  move.new_columns, move.to);
	return TLV_OK;
}

/* ---- diagnostics and labels ---- */

/* Warnings follow their components; those of components that are gone go with them. */
static tlv_status
arrange_warnings(tlv_context *ctx, const arrangement *all, tlv_diagnostics *diagnostics)
{
	tlv_warnings_walk walk = tlv_warnings_of(all->model);
	size_t k = tlv_model_components(all->model), *place;

	TLV_TRY_NEW0(ctx, place, k);
	for (size_t i = 0; i < all->n; i++)
		if (all->places[i].own >= 0)
			place[all->places[i].own] = i + 1;
	while (tlv_warnings_next(&walk))
		TLV_TRY(tlv_warning_place(ctx, diagnostics, &walk.warning, k, place));
	tlv_free(ctx, place);
	return TLV_OK;
}

/* Series of values of components are reordered, or left out where some have come or gone. */
static tlv_status
arrange_diagnostics(tlv_context *ctx, const arrangement *all, tlv_diagnostics *diagnostics)
{
	size_t k = tlv_model_components(all->model);
	bool same = all->n == k && components_left(k, all->places) == k;
	int64_t *order;

	TLV_TRY_NEW(ctx, order, all->n);
	for (size_t i = 0; i < all->n; i++)
		order[i] = all->places[i].own;
	TLV_TRY(tlv_diagnostics_copy_numbers(ctx, diagnostics, all->model, NULL));
	for (const char *const *first = all->layout->series; first != NULL && *first != NULL; first++)
		TLV_TRY(tlv_diagnostics_permute(ctx, diagnostics, *first, same ? k : 0, order));
	tlv_free(ctx, order);
	return arrange_warnings(ctx, all, diagnostics);
}

/* The label at a place: the reference's goes first. */
static tlv_text
label_at(const arrangement *all, tlv_place place, tlv_text (*label_of)(const tlv_frame *, size_t))
{
	tlv_text label = {NULL, 0};

	if (place.other >= 0 && all->reference != NULL)
		label = label_of(all->reference, (size_t) place.other);
	if (label.bytes == NULL && place.own >= 0)
		label = label_of(all->model, (size_t) place.own);
	return label;
}

static tlv_status
put_labels(tlv_context *ctx, const arrangement *all, void **image, size_t *size)
{
	tlv_text *labels;
	tlv_frame frame;
	bool any = false;
	void *bare = *image;

	TLV_TRY_NEW(ctx, labels, all->n);
	for (size_t i = 0; i < all->n; i++)
	{
		tlv_place place = all->places[i];

		labels[i] = label_at(all, place, tlv_given_label);
		if (labels[i].bytes == NULL)
			labels[i] = label_at(all, place, tlv_component_label);
		any |= labels[i].bytes != NULL;
	}
	if (any)
	{
		TLV_TRY(tlv_frame_open(ctx, bare, *size, &frame));
		TLV_TRY(tlv_labels_put(ctx, &frame, labels, image, size));
		tlv_free(ctx, bare);
	}
	tlv_free(ctx, labels);
	return TLV_OK;
}

/* ---- the whole model ---- */

/* A section that not both models have, where components come from the other one. */
static bool
must_go(const arrangement *all, const tlv_section *section, const tlv_field *field)
{
	return field != NULL && (field->flags & TLV_MAY_GO) != 0 && is_from_reference(all) &&
		   tlv_frame_find(all->reference, section->name) == NULL;
}

/* A section that is of no component, but for a number that follows how many there are. */
static tlv_status
keep_section(tlv_context *ctx, const arrangement *all, const tlv_section *section,
			 const tlv_field *field, tlv_frame_builder *builder)
{
	const void *data = tlv_section_data(all->model, section);

	if (section->element == TLV_SPARSE)
		return tlv_fail(ctx, TLV_INTERNAL, "section \"%s\" is of no component", section->name);
	if (field != NULL && (field->flags & TLV_AT_MOST_N) != 0)
	{
		double *number = tlv_alloc(ctx, 1, sizeof(double));

		TLV_TRY_ALLOC(ctx, number);
		*number = fmin(*(const double *) data, (double) all->n);
		data = number;
	}
	tlv_frame_add(builder, section->name, (tlv_element) section->element, section->rows,
				  section->columns, data);
	return TLV_OK;
}

/* Where components come from a model whose ids have to be this one's. */
static tlv_status
require_same_ids(tlv_context *ctx, const arrangement *all)
{
	for (const tlv_field *field = all->layout->fields; field->form != TLV_FIELDS_END; field++)
	{
		const tlv_section *own = tlv_frame_find(all->model, field->name), *other;

		if ((field->flags & TLV_SAME_IDS) == 0 || own == NULL)
			continue;
		other = tlv_frame_find(all->reference, field->name);
		if (other != NULL && other->rows == own->rows &&
			memcmp(tlv_frame_int64(all->model, field->name),
				   tlv_frame_int64(all->reference, field->name), own->rows * sizeof(int64_t)) == 0)
			continue;
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a component of the reference is not in the model, and the %s of both are not the "
				 "same",
				 field->name);
		return tlv_fail_hint(ctx, "Fit both to rows that have the same %s.", field->name);
	}
	return TLV_OK;
}

static tlv_status
arrange_sections(tlv_context *ctx, const arrangement *all, const tlv_diagnostics *diagnostics,
				 void **image, size_t *size)
{
	const tlv_frame *model = all->model;
	tlv_frame_builder *builder;

	if (is_from_reference(all))
		TLV_TRY(require_same_ids(ctx, all));
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, model->header->kind);
	for (uint32_t s = 0; s < model->header->sections; s++)
	{
		const tlv_section *section = model->table + s;
		const tlv_field *field = tlv_layout_field(all->layout, section->name);

		if (must_go(all, section, field) ||
			tlv_is_listed(tlv_diagnostics_sections, section->name) ||
			tlv_is_listed(tlv_label_sections, section->name) ||
			strcmp(section->name, tlv_errors_section) == 0)
			continue;
		if (field != NULL && (field->flags & (TLV_OF_ROWS | TLV_OF_COLUMNS)) != 0)
			TLV_TRY(arrange_add_section(ctx, all, section, field, builder));
		else
			TLV_TRY(keep_section(ctx, all, section, field, builder));
	}
	tlv_diagnostics_add(diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

static tlv_status
orient_components(tlv_context *ctx, arrangement *all)
{
	if (all->layout->opposed == NULL || all->reference == NULL)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, all->opposed, all->n);
	for (size_t i = 0; i < all->n; i++)
		all->opposed[i] = all->places[i].own >= 0 && all->places[i].other >= 0 &&
						  all->layout->opposed(all->model, (size_t) all->places[i].own,
											   all->reference, (size_t) all->places[i].other);
	return TLV_OK;
}

tlv_status
tlv_model_arrange(tlv_context *ctx, const tlv_frame *model, const tlv_frame *reference, size_t n,
				  const tlv_place *places, void **image, size_t *size)
{
	arrangement all = {.model = model,
					   .reference = reference,
					   .layout = tlv_layout_of(model),
					   .n = n,
					   .places = places};
	tlv_diagnostics diagnostics = {0};

	if (all.layout->weights == NULL)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"components of a model of kind %s have fixed numbers", model->kind->name);
	TLV_TRY(arrange_diagnostics(ctx, &all, &diagnostics));
	TLV_TRY(orient_components(ctx, &all));
	if (all.layout->arrange != NULL)
		TLV_TRY(all.layout->arrange(ctx, model, reference, n, places, &diagnostics, image, size));
	else
		TLV_TRY(arrange_sections(ctx, &all, &diagnostics, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	TLV_TRY(tlv_dimension_names_keep(ctx, model, image, size));
	return put_labels(ctx, &all, image, size);
}
