/*
 * sections.c - accumulators of declared values (sections.h): creating them, building what is
 * stored; models written and read.
 */
#include "sections_internal.h"

#include <string.h>

#include "tensorlv/model/diagnostics.h"

/* ---- creating ---- */

static size_t
align16(size_t bytes)
{
	return (bytes + 15) & ~(size_t) 15;
}

/* All arrays in one block, in the order of the declarations, for the sizes of the state. */
tlv_status
tlv_sections_allocate(tlv_context *ctx, tlv_declared *state, const tlv_sections *sections)
{
	size_t bytes = 0;
	char *block;

	for (size_t i = 0; i < sections->n; i++)
		if (!is_fixed(&sections->list[i]))
			bytes += align16(number_count(&sections->list[i], state->sizes) *
							 number_size(&sections->list[i]));
	block = tlv_alloc0(ctx, bytes, 1);
	TLV_TRY_ALLOC(ctx, block);
	state->arrays = block;
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (is_fixed(declaration))
			continue;
		*(void **) ((char *) state + declaration->offset) = block;
		block += align16(number_count(declaration, state->sizes) * number_size(declaration));
	}
	state->known = true;
	return sections->sized == NULL ? TLV_OK : sections->sized(ctx, &state->base);
}

tlv_status
tlv_sections_create(tlv_context *ctx, const tlv_accumulator_class *class, const size_t *sizes,
					tlv_accumulator **accumulator)
{
	tlv_declared *state = tlv_alloc0(ctx, 1, class->sections->state);

	*accumulator = NULL;
	TLV_TRY_ALLOC(ctx, state);
	state->base.class = class;
	*accumulator = &state->base;
	if (sizes == NULL)
		return TLV_OK;
	memcpy(state->sizes, sizes, sizeof(state->sizes));
	return tlv_sections_allocate(ctx, state, class->sections);
}

void
tlv_sections_take(tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_declared *state = (tlv_declared *) accumulator;
	const tlv_sections *sections = accumulator->class->sections;

	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);
		size_t rows = count_of(declaration->rows, state->sizes);
		size_t columns = count_of(declaration->columns, state->sizes);

		if (declaration->merge == TLV_EQUAL && section != NULL &&
			section->element == declaration->element && declaration->element != TLV_SPARSE &&
			section->rows == rows && section->columns == columns && rows * columns > 0)
			memcpy(numbers_of(state, declaration), tlv_section_data(frame, section),
				   rows * columns * number_size(declaration));
	}
}

void
tlv_sections_sizes(const tlv_frame *frame, const tlv_sections *sections, size_t sizes[TLV_SIZES])
{
	bool known[TLV_SIZES] = {false};

	memset(sizes, 0, TLV_SIZES * sizeof(sizes[0]));
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);

		if (section == NULL)
			continue;
		if (is_size(declaration->rows) && !known[declaration->rows])
			sizes[declaration->rows] = section->rows;
		if (is_size(declaration->columns) && !known[declaration->columns])
			sizes[declaration->columns] = section->columns;
		known[declaration->rows % TLV_SIZES] |= is_size(declaration->rows);
		known[declaration->columns % TLV_SIZES] |= is_size(declaration->columns);
	}
}

/* ---- building ---- */

static bool
has_arrays(const tlv_sections *sections)
{
	for (size_t i = 0; i < sections->n; i++)
		if (!is_fixed(&sections->list[i]))
			return true;
	return false;
}

/* Rows may have come behind values that were merged: the counts beside the tables. */
static tlv_status
require_whole_counts(tlv_context *ctx, const tlv_declared *state, const tlv_sections *sections)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (declaration->range == TLV_WHOLE && is_fixed(declaration))
			TLV_TRY(tlv_require_whole_sum(ctx, declaration->name,
										  *(double *) numbers_of(state, declaration), 0));
	}
	return TLV_OK;
}

tlv_status
tlv_sections_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	return tlv_sections_build_form(ctx, accumulator, accumulator->class->sections, builder);
}

tlv_status
tlv_sections_build_form(tlv_context *ctx, tlv_accumulator *accumulator,
						const tlv_sections *sections, tlv_frame_builder *builder)
{
	const tlv_declared *state = (const tlv_declared *) accumulator;
	void *owned = NULL;
	tlv_status status;

	if (!state->known && sections->describe == NULL && has_arrays(sections))
		return tlv_fail(ctx, TLV_INTERNAL, "%s of nothing", accumulator->class->name);
	if (sections->flush != NULL)
		TLV_TRY(sections->flush(ctx, accumulator));
	if (sections->describe != NULL)
		TLV_TRY(sections->describe(ctx, accumulator, &owned));
	status = require_whole_counts(ctx, state, sections);
	if (status != TLV_OK)
	{
		tlv_free(ctx, owned);
		return status;
	}
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, sections->kind);
	builder->owned = owned;
	for (size_t i = 0; i < sections->n; i++)
		tlv_frame_add(builder, sections->list[i].name, sections->list[i].element,
					  count_of(sections->list[i].rows, state->sizes),
					  count_of(sections->list[i].columns, state->sizes),
					  numbers_of(state, &sections->list[i]));
	return TLV_OK;
}

/* ---- models ---- */

/* Where a size is in the parts; NULL where the kind has no such size. */
static size_t *
size_of_parts(const tlv_sections *sections, const void *parts, size_t s)
{
	return sections->most[s] == 0 ? NULL : (size_t *) ((char *) parts + sections->size_at[s]);
}

tlv_status
tlv_sections_write(tlv_context *ctx, const tlv_sections *sections, const void *parts, void **image,
				   size_t *size)
{
	static const tlv_diagnostics none = {0};
	const tlv_diagnostics *diagnostics =
		*(const tlv_diagnostics *const *) ((const char *) parts + sections->diagnostics);
	size_t sizes[TLV_SIZES] = {0};
	tlv_frame_builder *builder;

	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, sections->kind);
	for (size_t s = 0; s < TLV_SIZES; s++)
		if (size_of_parts(sections, parts, s) != NULL)
			sizes[s] = *size_of_parts(sections, parts, s);
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const void *numbers = numbers_of(parts, declaration);

		if (declaration->merge == TLV_KEPT || numbers != NULL)
			tlv_frame_add(builder, declaration->name, declaration->element,
						  count_of(declaration->rows, sizes), count_of(declaration->columns, sizes),
						  numbers);
	}
	tlv_diagnostics_add(diagnostics != NULL ? diagnostics : &none, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

void
tlv_sections_read(const tlv_frame *frame, const tlv_sections *sections, void *parts)
{
	size_t sizes[TLV_SIZES];

	memset(parts, 0, sections->state);
	tlv_sections_sizes(frame, sections, sizes);
	for (size_t s = 0; s < TLV_SIZES; s++)
		if (size_of_parts(sections, parts, s) != NULL)
			*size_of_parts(sections, parts, s) = sizes[s];
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);

		if (section == NULL)
			continue;
		if (is_fixed(declaration))
			memcpy(numbers_of(parts, declaration), tlv_section_data(frame, section),
				   number_count(declaration, sizes) * number_size(declaration));
		else
			*(const void **) ((char *) parts + declaration->offset) =
				tlv_section_data(frame, section);
	}
}
