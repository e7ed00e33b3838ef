/*
 * sections_merge.c - merging of declared values (sections.h).
 */
#include <string.h>

#include "sections_internal.h"
#include "tensorlv/model/refusals.h"

/* Numbers between two looks at whether to stop: some milliseconds. */
#define NUMBERS_BETWEEN ((size_t) 1 << 20)

/* Whether a section holds the keys of that size, and is merged by union. */
static bool
is_united(const tlv_sections *sections, size_t size)
{
	for (size_t i = 0; i < sections->n; i++)
		if (sections->list[i].merge == TLV_UNION && (size_t) sections->list[i].rows == size)
			return true;
	return false;
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
		if (memcmp(numbers_of(state, declaration),
				   tlv_section_data(frame, tlv_frame_find(frame, declaration->name)),
				   count * number_size(declaration)) != 0)
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
			memcmp(numbers_of(state, declaration),
				   tlv_section_data(frame, tlv_frame_find(frame, declaration->name)),
				   count * number_size(declaration)) != 0)
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
		if (sizes[s] != state->sizes[s] && !is_united(sections, s))
			return refuse_other(ctx, sections, is_same_subject(state, frame, sizes));
	return require_equal(ctx, state, sections, frame, sizes);
}

/* An empty accumulator becomes one of the frame's sizes and of what it is about. */
static tlv_status
adopt(tlv_context *ctx, tlv_declared *state, const tlv_frame *frame, const size_t *sizes)
{
	const tlv_sections *sections = state->base.class->sections;

	memcpy(state->sizes, sizes, sizeof(state->sizes));
	TLV_TRY(tlv_sections_allocate(ctx, state, sections));
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t count = number_count(declaration, sizes);

		if (declaration->merge != TLV_SUM && declaration->merge != TLV_OWN && count > 0)
		{
			const tlv_section *section = tlv_frame_find(frame, declaration->name);

			if (declaration->element == TLV_SPARSE)
				TLV_TRY(tlv_section_numbers(ctx, frame, section, numbers_of(state, declaration)));
			else
				TLV_TRY(tlv_copy(ctx, numbers_of(state, declaration),
								 tlv_section_data(frame, section),
								 count * number_size(declaration)));
		}
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
	return declaration->merge == TLV_SUM && !is_united(sections, declaration->rows);
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

/* ---- keys of either of two values ---- */

/* Where the keys of the frame are, size by size; NULL of sizes that are not united. */
typedef struct union_maps
{
	size_t *at[TLV_SIZES];
} union_maps;

/* Ascending keys of either: how many; where each of a and b goes. */
static size_t
unite_keys(size_t n_a, const int64_t *a, size_t n_b, const int64_t *b, size_t *at_a, size_t *at_b)
{
	size_t n = 0, i = 0, j = 0;

	while (i < n_a || j < n_b)
	{
		bool from_a = i < n_a && (j == n_b || a[i] <= b[j]);
		bool from_b = j < n_b && (i == n_a || b[j] <= a[i]);

		if (from_a)
			at_a[i++] = n;
		if (from_b)
			at_b[j++] = n;
		n++;
	}
	return n;
}

/* rows x columns numbers into a block of more rows: row i becomes row at[i]. */
static void
spread_rows(const tlv_declaration *declaration, size_t rows, size_t columns, const void *from,
			const size_t *at, size_t to_rows, void *to)
{
	size_t each = number_size(declaration);

	for (size_t c = 0; c < columns; c++)
		for (size_t i = 0; i < rows; i++)
			memcpy((char *) to + (c * to_rows + at[i]) * each,
				   (const char *) from + (c * rows + i) * each, each);
}

/* The arrays of the state, for sizes[size] rows of that size; old row i is row at[i] now, and where
 * at is NULL arrays of that size are zero. */
static tlv_status
grow_arrays(tlv_context *ctx, tlv_declared *state, size_t size, size_t rows, const size_t *at)
{
	const tlv_sections *sections = state->base.class->sections;
	const void **before = tlv_alloc(ctx, sections->n, sizeof(void *));
	size_t old_rows = state->sizes[size], sizes[TLV_SIZES];
	void *old = state->arrays;
	tlv_status status;

	TLV_TRY_ALLOC(ctx, before);
	memcpy(sizes, state->sizes, sizeof(sizes));
	for (size_t i = 0; i < sections->n; i++)
		before[i] = numbers_of(state, &sections->list[i]);
	state->sizes[size] = rows;
	status = tlv_sections_allocate(ctx, state, sections);
	if (status != TLV_OK)
	{
		state->sizes[size] = old_rows;
		return status;
	}
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t count = number_count(declaration, state->sizes);
		void *to = numbers_of(state, declaration);

		if ((size_t) declaration->rows == size && at != NULL)
			spread_rows(declaration, old_rows, count_of(declaration->columns, state->sizes),
						before[i], at, rows, to);
		else if (!is_fixed(declaration) && count > 0 && count == number_count(declaration, sizes))
			memcpy(to, before[i], count * number_size(declaration));
	}
	tlv_free(ctx, before);
	tlv_free(ctx, old);
	return TLV_OK;
}

tlv_status
tlv_sections_resize(tlv_context *ctx, tlv_accumulator *accumulator, tlv_dimension size, size_t n)
{
	return grow_arrays(ctx, (tlv_declared *) accumulator, size, n, NULL);
}

static tlv_status
unite_section(tlv_context *ctx, tlv_declared *state, const tlv_declaration *declaration,
			  const tlv_frame *frame, union_maps *maps)
{
	size_t own = state->sizes[declaration->rows], rows;
	size_t other = tlv_frame_find(frame, declaration->name)->rows;
	const int64_t *keys = tlv_frame_int64(frame, declaration->name);
	size_t *at = tlv_alloc(ctx, own + other, sizeof(size_t));

	TLV_TRY_ALLOC(ctx, at);
	rows = unite_keys(own, numbers_of(state, declaration), other, keys, at + other, at);
	if (rows > state->base.class->sections->most[declaration->rows])
		return tlv_fail(ctx, TLV_LIMIT, "\"%s\" would have %zu entries", declaration->name, rows);
	TLV_TRY(grow_arrays(ctx, state, declaration->rows, rows, at + other));
	spread_rows(declaration, other, 1, keys, at, rows, numbers_of(state, declaration));
	maps->at[declaration->rows] = at;
	return TLV_OK;
}

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

static void
add_sparse(const tlv_sparse *from, double *to)
{
	for (size_t i = 0; i < from->n; i++)
		to[from->positions[i]] += from->values[i];
}

/* The smaller or larger of either, of any element. */
static void
take_extreme(const tlv_declaration *declaration, size_t n, const void *from, void *to)
{
	bool smaller = declaration->merge == TLV_MIN;

	for (size_t i = 0; i < n; i++)
		if (declaration->element == TLV_INT64)
		{
			int64_t x = ((const int64_t *) from)[i], *y = (int64_t *) to + i;

			*y = smaller == (x < *y) ? x : *y;
		}
		else if (declaration->element == TLV_FLOAT32)
		{
			float x = ((const float *) from)[i], *y = (float *) to + i;

			*y = smaller == (x < *y) ? x : *y;
		}
		else
		{
			double x = ((const double *) from)[i], *y = (double *) to + i;

			*y = smaller == (x < *y) ? x : *y;
		}
}

/* n numbers of a section, from `at` on. */
static void
merge_numbers(const tlv_declaration *declaration, size_t at, size_t n, const void *from, void *to)
{
	size_t bytes = at * number_size(declaration);

	from = (const char *) from + bytes;
	to = (char *) to + bytes;
	if (declaration->merge == TLV_MIN || declaration->merge == TLV_MAX)
		take_extreme(declaration, n, from, to);
	else if (declaration->element == TLV_FLOAT32)
		add_float32(n, from, to);
	else if (declaration->element == TLV_FLOAT64 || declaration->element == TLV_SPARSE)
		add_float64(n, from, to);
	else
		for (size_t i = 0; i < n; i++)
			((int64_t *) to)[i] += ((const int64_t *) from)[i];
}

/* The rows of a frame's section, by key: only sums can be merged so. */
static tlv_status
merge_rows(tlv_context *ctx, tlv_declared *state, const tlv_declaration *declaration,
		   const tlv_frame *frame, const size_t *at)
{
	const tlv_section *section = tlv_frame_find(frame, declaration->name);
	size_t rows = state->sizes[declaration->rows], n = section->rows * section->columns;
	size_t each = number_size(declaration);
	char *spread = tlv_alloc0(ctx, rows * section->columns, each), *numbers;

	TLV_TRY_ALLOC(ctx, spread);
	numbers = tlv_alloc(ctx, n, each);
	TLV_TRY_ALLOC(ctx, numbers);
	if (declaration->element == TLV_SPARSE)
		TLV_TRY(tlv_section_numbers(ctx, frame, section, (double *) numbers));
	else if (n > 0)
		TLV_TRY(tlv_copy(ctx, numbers, tlv_section_data(frame, section), n * each));
	TLV_TRY_CONTINUE(ctx);
	spread_rows(declaration, section->rows, section->columns, numbers, at, rows, spread);
	TLV_TRY_CONTINUE(ctx);
	merge_numbers(declaration, 0, rows * section->columns, spread, numbers_of(state, declaration));
	tlv_free(ctx, numbers);
	tlv_free(ctx, spread);
	return TLV_OK;
}

static tlv_status
merge_section(tlv_context *ctx, tlv_declared *state, const tlv_declaration *declaration,
			  const tlv_frame *frame)
{
	const tlv_section *section = tlv_frame_find(frame, declaration->name);
	const void *from = tlv_section_data(frame, section);
	size_t n = section->rows * section->columns;
	void *to = numbers_of(state, declaration), *unpacked = NULL;
	tlv_sparse sparse;

	if (declaration->element == TLV_SPARSE && declaration->merge == TLV_SUM)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_frame_sparse(frame, declaration->name, &sparse);
		add_sparse(&sparse, to);
		return TLV_OK;
	}
	if (declaration->element == TLV_SPARSE)
	{
		unpacked = tlv_alloc(ctx, n, sizeof(double));
		TLV_TRY_ALLOC(ctx, unpacked);
		TLV_TRY(tlv_section_numbers(ctx, frame, section, unpacked));
		from = unpacked;
	}
	for (size_t at = 0; at < n; at += NUMBERS_BETWEEN)
	{
		if (at > 0)
			TLV_TRY_CONTINUE(ctx);
		merge_numbers(declaration, at, n - at < NUMBERS_BETWEEN ? n - at : NUMBERS_BETWEEN, from,
					  to);
	}
	tlv_free(ctx, unpacked);
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
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (declaration->merge == TLV_EQUAL)
			memcpy(numbers_of(state, declaration),
				   tlv_section_data(frame, tlv_frame_find(frame, declaration->name)),
				   number_count(declaration, state->sizes) * number_size(declaration));
	}
	return TLV_OK;
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
	for (size_t i = 0; i < sections->n; i++)
		if (sections->list[i].merge == TLV_SUM)
			TLV_TRY(merge_section(ctx, state, &sections->list[i], frame));
	return TLV_OK;
}

tlv_status
tlv_sections_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	tlv_declared *state = (tlv_declared *) accumulator;
	const tlv_sections *sections = accumulator->class->sections;
	bool first = !state->known;
	size_t sizes[TLV_SIZES];
	union_maps maps = {0};

	if (sections->describe != NULL)
		return tlv_sections_merge_form(ctx, accumulator, sections, frame);
	tlv_sections_sizes(frame, sections, sizes);
	if (first)
		TLV_TRY(adopt(ctx, state, frame, sizes));
	else
		TLV_TRY(require_same(ctx, state, frame, sizes));
	if (sections->flush != NULL)
		TLV_TRY(sections->flush(ctx, accumulator));
	TLV_TRY(require_whole_sums(ctx, state, sections, frame, sizes));
	for (size_t i = 0; i < sections->n && !first; i++)
		if (sections->list[i].merge == TLV_UNION)
			TLV_TRY(unite_section(ctx, state, &sections->list[i], frame, &maps));
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (declaration->merge == TLV_SUM && is_size(declaration->rows) &&
			maps.at[declaration->rows] != NULL)
			TLV_TRY(merge_rows(ctx, state, declaration, frame, maps.at[declaration->rows]));
		else if (declaration->merge == TLV_SUM ||
				 (!first && (declaration->merge == TLV_MIN || declaration->merge == TLV_MAX)))
			TLV_TRY(merge_section(ctx, state, declaration, frame));
	}
	for (size_t s = 0; s < TLV_SIZES; s++)
		tlv_free(ctx, maps.at[s]);
	return sections->merge_own == NULL ? TLV_OK : sections->merge_own(ctx, accumulator, frame);
}
