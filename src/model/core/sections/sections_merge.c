/*
 * sections_merge.c - merging of declared values (sections.h).
 */
#include <string.h>

#include "sections_internal.h"
#include "tensorlv/model/refusals.h"

/* Numbers between two looks at whether to stop: some milliseconds. */
#define NUMBERS_BETWEEN ((size_t) 1 << 20)

/* Whether the given number of numbers of a section is the same in both. */
static bool
is_equal(const tlv_declared *state, const tlv_declaration *declaration, const tlv_frame *frame,
		 size_t count)
{
	return memcmp(numbers_of(state, declaration),
				  tlv_section_data(frame, tlv_frame_find(frame, declaration->name)),
				  count * number_size(declaration)) == 0;
}

/* Whether what two values are about is one and the same, as far as it is of one size in both. */
static bool
is_same_subject(const tlv_declared *state, const tlv_frame *frame, const size_t *sizes)
{
	const tlv_sections *sections = state->base.class->sections;
	bool named = false;

	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t count = number_count(declaration, sizes);

		if (declaration->merge != TLV_EQUAL || count == 0 ||
			count != number_count(declaration, state->sizes))
			continue;
		named = true;
		if (!is_equal(state, declaration, frame, count))
			return false;
	}
	return named;
}

/* The one error for values that are not of the same thing; same: they are, but collected in
 * different ways. */
static tlv_status
refuse_other(tlv_context *ctx, const tlv_sections *sections, bool same)
{
	bool of_subspace = false;

	if (same)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the values were collected with different options");
		return tlv_fail_hint(ctx, "Collect all parts with the same arguments.");
	}
	for (size_t i = 0; i < sections->n; i++)
		of_subspace |= strcmp(sections->list[i].name, "subspace") == 0;
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 of_subspace ? "the moments were collected in different subspaces"
						 : "the statistics were collected under different models");
	return tlv_fail_hint(ctx, of_subspace
								  ? "Collect all parts with one and the same tlv_subspace value."
								  : "Collect all parts with one and the same model.");
}

tlv_status
tlv_require_model(tlv_context *ctx, const tlv_frame *statistics, const tlv_frame *model)
{
	const tlv_digest *own = tlv_frame_digest(statistics, "model"); /* NULL: of none */

	if (own != NULL && tlv_digest_equal(own, &model->header->digest))
		return TLV_OK;
	return tlv_refuse_foreign_statistics(ctx);
}

/* Sections that must be equal, of a frame of the same sizes. */
static tlv_status
require_equal(tlv_context *ctx, const tlv_declared *state, const tlv_sections *sections,
			  const tlv_frame *frame, const size_t *sizes)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t count = number_count(declaration, sizes);

		if (declaration->merge == TLV_EQUAL && count > 0 &&
			!is_equal(state, declaration, frame, count))
			return refuse_other(ctx, sections, false);
	}
	return TLV_OK;
}

/* Sizes, and sections that must be equal; the frame is as declared, so that digests that are the
 * same mean equal sizes, but a value may come from anywhere. */
static tlv_status
require_same(tlv_context *ctx, const tlv_declared *state, const tlv_frame *frame,
			 const size_t *sizes)
{
	const tlv_sections *sections = state->base.class->sections;

	for (size_t s = 0; s < TLV_SIZES; s++)
		if (sizes[s] != state->sizes[s])
			return refuse_other(ctx, sections, is_same_subject(state, frame, sizes));
	return require_equal(ctx, state, sections, frame, sizes);
}

/* What must be equal, from a frame of the same sizes. */
static tlv_status
take_equal(tlv_context *ctx, tlv_declared *state, const tlv_sections *sections,
		   const tlv_frame *frame)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (declaration->merge == TLV_EQUAL)
			TLV_TRY(tlv_copy(ctx, numbers_of(state, declaration),
							 tlv_section_data(frame, tlv_frame_find(frame, declaration->name)),
							 number_count(declaration, state->sizes) * number_size(declaration)));
	}
	return TLV_OK;
}

tlv_status
tlv_require_whole_sum(tlv_context *ctx, const char *name, double a, double b)
{
	return a + b <= 0x1p53
			   ? TLV_OK
			   : tlv_fail(ctx, TLV_LIMIT, "\"%s\" would be %g, more than 2^53", name, a + b);
}

/* Whether numbers of a section are added to those at the same place, by whoever. */
static bool
is_whole_sum(const tlv_sections *sections, const tlv_declaration *declaration)
{
	if (sections->describe != NULL)
		return is_fixed(declaration) &&
			   (declaration->merge == TLV_SUM || declaration->merge == TLV_OWN);
	return declaration->merge == TLV_SUM;
}

/* Finds integer sums that would no longer be exact, before anything is added. */
static tlv_status
require_whole_sums(tlv_context *ctx, const tlv_declared *state, const tlv_sections *sections,
				   const tlv_frame *frame, const size_t *sizes)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const double *to, *from;

		if (declaration->range != TLV_WHOLE || !is_whole_sum(sections, declaration))
			continue;
		to = numbers_of(state, declaration);
		from = tlv_frame_float64(frame, declaration->name);
		for (size_t j = 0; j < number_count(declaration, sizes); j++)
		{
			TLV_TRY_CONTINUE_AT(ctx, j);
			TLV_TRY(tlv_require_whole_sum(ctx, declaration->name, to[j], from[j]));
		}
	}
	return TLV_OK;
}

tlv_status
tlv_sections_resize(tlv_context *ctx, tlv_accumulator *accumulator, tlv_dimension size, size_t n)
{
	tlv_declared *state = (tlv_declared *) accumulator;
	const tlv_sections *sections = state->base.class->sections;
	const void **before = tlv_alloc(ctx, sections->n, sizeof(void *));
	size_t sizes[TLV_SIZES];
	void *old = state->arrays;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, before);
	memcpy(sizes, state->sizes, sizeof(sizes));
	for (size_t i = 0; i < sections->n; i++)
		before[i] = numbers_of(state, &sections->list[i]);
	state->sizes[size] = n;
	status = tlv_sections_allocate(ctx, state, sections);
	if (status != TLV_OK)
	{
		state->sizes[size] = sizes[size];
		return status;
	}
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t count = number_count(declaration, state->sizes);

		if (!is_fixed(declaration) && count > 0 && count == number_count(declaration, sizes))
			memcpy(numbers_of(state, declaration), before[i], count * number_size(declaration));
	}
	tlv_free(ctx, before);
	tlv_free(ctx, old);
	return TLV_OK;
}

/* ---- sums ---- */

TLV_CLONES static void
add_float64(size_t n, const double *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

TLV_CLONES static void
add_float32(size_t n, const float *restrict from, float *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* n numbers of a section, from `at` on. */
static void
merge_numbers(const tlv_declaration *declaration, size_t at, size_t n, const void *from, void *to)
{
	size_t bytes = at * number_size(declaration);

	from = (const char *) from + bytes;
	to = (char *) to + bytes;
	if (declaration->element == TLV_FLOAT32)
		add_float32(n, from, to);
	else if (declaration->element == TLV_FLOAT64)
		add_float64(n, from, to);
	else
		for (size_t i = 0; i < n; i++)
			((int64_t *) to)[i] += ((const int64_t *) from)[i];
}

static tlv_status
merge_section(tlv_context *ctx, tlv_declared *state, const tlv_declaration *declaration,
			  const tlv_frame *frame)
{
	const tlv_section *section = tlv_frame_find(frame, declaration->name);
	size_t n = section->rows * section->columns;
	void *to = numbers_of(state, declaration);
	tlv_sparse sparse;

	if (tlv_frame_sparse(frame, declaration->name, &sparse))
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t i = 0; i < sparse.n; i++)
			((double *) to)[sparse.positions[i]] += sparse.values[i];
		return TLV_OK;
	}
	for (size_t at = 0; at < n; at += NUMBERS_BETWEEN)
	{
		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		merge_numbers(declaration, at, tlv_least(n - at, NUMBERS_BETWEEN),
					  tlv_section_data(frame, section), to);
	}
	return TLV_OK;
}

/* All sums of a declaration, one by one. */
static tlv_status
sections_merge_sums(tlv_context *ctx, tlv_declared *state, const tlv_sections *sections,
					const tlv_frame *frame)
{
	for (size_t i = 0; i < sections->n; i++)
		if (sections->list[i].merge == TLV_SUM)
			TLV_TRY(merge_section(ctx, state, &sections->list[i], frame));
	return TLV_OK;
}

tlv_status
tlv_sections_match(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_sections *sections,
				   const tlv_frame *frame)
{
	tlv_declared *state = (tlv_declared *) accumulator;

	if (state->known)
		return require_equal(ctx, state, sections, frame, state->sizes);
	state->known = true;
	return take_equal(ctx, state, sections, frame);
}

tlv_status
tlv_sections_merge_form(tlv_context *ctx, tlv_accumulator *accumulator,
						const tlv_sections *sections, const tlv_frame *frame)
{
	tlv_declared *state = (tlv_declared *) accumulator;
	size_t sizes[TLV_SIZES];

	tlv_sections_sizes(frame, sections, sizes);
	if (sections->flush != NULL)
		TLV_TRY(sections->flush(ctx, accumulator));
	TLV_TRY(tlv_sections_match(ctx, accumulator, sections, frame));
	TLV_TRY(require_whole_sums(ctx, state, sections, frame, sizes));
	if (sections->merge_own != NULL)
		TLV_TRY(sections->merge_own(ctx, accumulator, frame));
	return sections_merge_sums(ctx, state, sections, frame);
}

tlv_status
tlv_sections_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_declared *state = (tlv_declared *) accumulator;
	const tlv_sections *sections = accumulator->class->sections;
	size_t sizes[TLV_SIZES];

	if (sections->describe != NULL)
		return tlv_sections_merge_form(ctx, accumulator, sections, frame);
	tlv_sections_sizes(frame, sections, sizes);
	if (state->known)
		TLV_TRY(require_same(ctx, state, frame, sizes));
	else
	{
		memcpy(state->sizes, sizes, sizeof(state->sizes));
		TLV_TRY(tlv_sections_allocate(ctx, state, sections));
		TLV_TRY(take_equal(ctx, state, sections, frame));
	}
	if (sections->flush != NULL)
		TLV_TRY(sections->flush(ctx, accumulator));
	TLV_TRY(require_whole_sums(ctx, state, sections, frame, sizes));
	TLV_TRY(sections_merge_sums(ctx, state, sections, frame));
	return sections->merge_own == NULL ? TLV_OK : sections->merge_own(ctx, accumulator, frame);
}
