/*
 * kind_uses.h - what the frame harness does with a value of any kind, by its record alone: moments
 * are merged and built again; models are opened, infer from rows of every form that they take,
 * collect statistics of them and are updated.  Rows are made from the value's own shapes and
 * numbers.
 */
#ifndef TENSORLV_FUZZ_KIND_USES_H
#define TENSORLV_FUZZ_KIND_USES_H

#include <math.h>
#include <stdlib.h>

#include "tensorlv/model/kind.h"
#include "rows.h"

#define USE_STEPS	   6  /* of a sequence */
#define USE_WIDTHS	   6  /* sorts of rows */
#define USE_MOST_WIDTH 40 /* wider rows are too slow here */

/* What rows are made of. */
typedef struct use_material
{
	size_t n_widths;
	size_t widths[USE_WIDTHS];
	size_t n_ids;
	int64_t ids[16];
	size_t views[3]; /* numbers of three views, if the value says so */
	const tlv_bag_image *bag;
	double numbers[USE_STEPS * USE_MOST_WIDTH];
	int32_t codes[USE_MOST_WIDTH];
} use_material;

static inline void
add_width(use_material *material, uint64_t width)
{
	if (width == 0 || width > USE_MOST_WIDTH || material->n_widths == USE_WIDTHS)
		return;
	for (size_t i = 0; i < material->n_widths; i++)
		if (material->widths[i] == width)
			return;
	material->widths[material->n_widths++] = width;
}

/* Up to 12 of the ids with counts 1, 2, 3, ... */
static inline const tlv_bag_image *
material_bag(tlv_context *ctx, const use_material *material)
{
	tlv_bag_entry entries[16], work[16];
	int64_t ids[16];
	double counts[16];
	size_t n;
	void *image;

	for (size_t i = 0; i < material->n_ids; i++)
		entries[i] = (tlv_bag_entry){material->ids[i], (double) i + 1};
	if (tlv_bag_sort(ctx, material->n_ids, entries, work, &n) != TLV_OK)
		return NULL;
	for (size_t i = 0; i < n; i++)
	{
		ids[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	image = tlv_alloc(ctx, tlv_bag_size(n, ids, counts), 1);
	if (image != NULL)
		tlv_bag_write(n, ids, counts, image);
	return image;
}

/* Shapes and ids of a frame; and an id that it hardly has. */
static inline void
gather_material(tlv_context *ctx, const tlv_frame *frame, use_material *material)
{
	*material = (use_material){.n_ids = 1, .ids = {INT64_C(-77777777777)}, .views = {2, 3, 2}};
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		const tlv_section *section = &frame->table[i];
		size_t n = section->rows * section->columns;
		const int64_t *ids = tlv_section_data(frame, section);

		add_width(material, section->rows);
		add_width(material, section->columns);
		if (section->element != TLV_INT64)
			continue;
		for (size_t j = 0; j < n && material->n_ids < 13; j++)
			material->ids[material->n_ids++] = ids[j];
		for (size_t t = 0; t < 3 && n == 3; t++)
			material->views[t] = ids[t] > 0 && ids[t] <= USE_MOST_WIDTH ? (size_t) ids[t] : 1;
	}
	for (size_t i = 0; i < USE_STEPS * USE_MOST_WIDTH; i++)
		material->numbers[i] = (double) (i * i % 7);
	for (size_t i = 0; i < USE_MOST_WIDTH; i++)
		material->codes[i] = (int32_t) (i % 3) - 1;
	material->bag = material_bag(ctx, material);
}

/* A row of that form and width; false when there is none. */
static inline bool
make_row(const use_material *m, tlv_row_form form, size_t width, tlv_row *row)
{
	const double *x = m->numbers;
	const int64_t *ids = m->ids;

	switch (form)
	{
		case TLV_ROW_BAG:
			*row = (tlv_row){.form = form, .bag = m->bag};
			return m->bag != NULL;
		case TLV_ROW_VECTOR:
			*row = *TLV_AS_VECTOR(width, x);
			return true;
		case TLV_ROW_VIEWS:
			*row = *TLV_AS_VIEWS(m->views, ((const double *const[3]){x, x + 1, x + 2}));
			return true;
		case TLV_ROW_CATEGORIES:
			*row = *TLV_AS_CATEGORIES(ids + (m->n_ids > 3 ? m->n_ids - 3 : 0));
			return true;
		case TLV_ROW_SEQUENCE:
			*row = *TLV_AS_SEQUENCE(USE_STEPS, width, x);
			return true;
		case TLV_ROW_SYMBOLS:
			*row = *TLV_AS_SYMBOLS(m->n_ids, ids);
			return true;
		case TLV_ROW_CODES:
			*row = *TLV_AS_CODES(width, m->codes);
			return true;
		case TLV_ROW_COVERS:
			*row = *TLV_AS_COVERS(m->n_ids, ids, 1, ids);
			return true;
		case TLV_ROW_MEMBERSHIPS:
			*row = *TLV_AS_MEMBERSHIPS(width, x, 2, x);
			return true;
		case TLV_ROW_NAMED_EDGE:
			*row = *TLV_AS_NAMED_EDGE(ids[0], "a", ids[m->n_ids - 1], "bc", 1);
			return m->n_ids > 0;
		case TLV_ROW_NEIGHBOURS:
			*row = *TLV_AS_NEIGHBOURS((int64_t) width, m->bag);
			return m->bag != NULL;
		default:
			return false; /* edges and labels need no shape: fuzz_graph, make_corpus */
	}
}

/* Rows of every form that an accumulator takes; whatever it refuses leaves it as it was. */
static inline void
add_rows(tlv_context *ctx, tlv_accumulator *accumulator, const use_material *material)
{
	for (unsigned form = 1; form <= TLV_ROW_NEIGHBOURS; form *= 2)
		for (size_t w = 0; (accumulator->class->rows & form) != 0 && w < material->n_widths; w++)
		{
			tlv_row row;

			if (make_row(material, (tlv_row_form) form, material->widths[w], &row))
				tlv_add(ctx, accumulator, &row);
		}
}

/* The stored form, which must be what its kind says; false on errors, numbers that overflow and
 * counts above 2^53 too. */
static inline bool
build_checked(tlv_context *ctx, tlv_frame_builder *builder, tlv_accumulator *accumulator,
			  tlv_frame *frame)
{
	const tlv_kind *kind;
	void *image;
	size_t size;

	if (accumulator->class->build(ctx, accumulator, builder) != TLV_OK ||
		tlv_frame_finish(ctx, builder, &image, &size) != TLV_OK ||
		tlv_frame_open(ctx, image, size, frame) != TLV_OK)
		return false;
	kind = frame->kind;
	if (kind == NULL)
		abort();
	if (tlv_kind_check(ctx, kind, frame) != TLV_OK)
		abort();
	return true;
}

/* A model that a fit or an update has made can be stored and read back; an update with statistics
 * of no observation makes none (NULL). */
static inline void
use_result(tlv_context *ctx, void *image, size_t size)
{
	tlv_frame model;

	if (image == NULL)
		return;
	if (tlv_kind_validate(ctx, image, size, TLV_FRAME_MODEL, &model) != TLV_OK)
		abort();
}

/* What a model says of rows is finite. */
static inline void
infer_rows(tlv_context *ctx, tlv_model *model, const use_material *material)
{
	tlv_posterior posterior = {0};
	int32_t states[16];
	double value;

	for (unsigned form = 1; form <= TLV_ROW_NEIGHBOURS; form *= 2)
		for (size_t w = 0; (model->class->rows & form) != 0 && w < material->n_widths; w++)
		{
			tlv_row row;

			if (!make_row(material, (tlv_row_form) form, material->widths[w], &row))
				continue;
			if (tlv_model_infer(ctx, model, &row, &posterior) == TLV_OK)
				for (size_t i = 0; i < posterior.total; i++)
					if (!isfinite(posterior.values[i]))
						abort();
			if (tlv_model_log_likelihood(ctx, model, &row, &value) == TLV_OK && isnan(value))
				abort();
			if (model->class->decode != NULL)
				tlv_model_decode(ctx, model, &row, states);
		}
}

/* Statistics by every refinement that a model has, and the model after each. */
static inline void
refine_model(tlv_context *ctx, tlv_frame_builder *builder, tlv_model *model,
			 const use_material *material)
{
	static const char *const methods[] = {NULL, "em", "gibbs", "stepwise"};

	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
	{
		tlv_accumulator *accumulator;
		tlv_frame statistics;
		void *image;
		size_t size;

		if (model->class->statistics == NULL ||
			model->class->statistics(ctx, model, methods[i], &accumulator) != TLV_OK)
			continue;
		add_rows(ctx, accumulator, material);
		if (!build_checked(ctx, builder, accumulator, &statistics))
			continue;
		accumulator->class->merge(ctx, accumulator, &statistics);
		for (int weight = 1; weight <= 2; weight++)
			if (tlv_model_update(ctx, &model->frame, &statistics, weight / 2.0, &image, &size) ==
				TLV_OK)
				use_result(ctx, image, size);
	}
}

static inline void
use_any_model(tlv_context *ctx, tlv_frame_builder *builder, const tlv_frame *frame,
			  const tlv_kind *kind)
{
	const tlv_model_class *class = kind->model;
	tlv_accumulator *accumulator;
	use_material material;
	tlv_frame collected;
	const int64_t *place;
	tlv_model *model;
	tlv_match match;

	gather_material(ctx, frame, &material);
	if (tlv_model_components(frame) > 256)
		return; /* too slow here */
	if (class->match != NULL && tlv_model_components(frame) <= 32)
		tlv_model_match(ctx, frame, frame, &match);
	if (class->open == NULL || tlv_model_open(ctx, frame, &model) != TLV_OK)
		return;
	infer_rows(ctx, model, &material);
	model = tlv_model_present(model, &place); /* as whoever collects anything of its rows */
	refine_model(ctx, builder, model, &material);
	for (int i = 0; i < 2; i++)
	{
		tlv_status status = TLV_BAD_PARAMETER;

		if (i == 0 && class->completion != NULL)
			status = class->completion(ctx, model, &accumulator);
		if (i == 1 && class->coherence != NULL)
			status = class->coherence(ctx, model, 2, &accumulator);
		if (status != TLV_OK)
			continue;
		add_rows(ctx, accumulator, &material);
		build_checked(ctx, builder, accumulator, &collected);
	}
}

/* Merged into an empty accumulator, twice, given back as a value of the same kind, and into that
 * rows are added where it takes any. */
static inline void
use_any_moments(tlv_context *ctx, tlv_frame_builder *builder, const tlv_frame *frame,
				const tlv_kind *kind)
{
	tlv_accumulator *accumulator;
	use_material material;
	tlv_frame sum;

	if (tlv_accumulator_create(ctx, kind->accumulator, &accumulator) != TLV_OK ||
		kind->accumulator->merge(ctx, accumulator, frame) != TLV_OK ||
		kind->accumulator->merge(ctx, accumulator, frame) != TLV_OK ||
		!build_checked(ctx, builder, accumulator, &sum))
		return;
	gather_material(ctx, frame, &material);
	add_rows(ctx, accumulator, &material);
	build_checked(ctx, builder, accumulator, &sum);
}

#endif /* TENSORLV_FUZZ_KIND_USES_H */
