/*
 * mutations.h - stored values changed as their declaration says (sections.h): every section is left
 * out, is of another element, has a row too many where its shape is fixed, and holds what its range
 * forbids.  Whatever is changed so must be refused.
 *
 * Used for the test's own kind (core/test_sections.c) and for every seed of a declared kind when
 * the fuzzers' corpus is made.
 */
#ifndef TENSORLV_TEST_MUTATIONS_H
#define TENSORLV_TEST_MUTATIONS_H

#include <stdio.h>
#include <string.h>

#include "tensorlv/model/sections.h"

typedef enum mutation
{
	MUTATION_MISSING,
	MUTATION_ELEMENT,
	MUTATION_ROW,	/* of a fixed shape */
	MUTATION_RANGE, /* the last number */
	MUTATION_EXTRA, /* a section that is not declared */
	MUTATIONS
} mutation;

static const char *const mutation_names[MUTATIONS] = {"missing", "of another element",
													  "a row too long", "out of its range",
													  "followed by one that is not declared"};

/* The last number of a section, in the copy, as its range forbids it; false when it cannot. */
static inline bool
break_range(tlv_range range, const tlv_section *section, void *copy)
{
	size_t n = section->rows * section->columns;
	double *number = (double *) copy + n - 1;
	int64_t *whole = (int64_t *) copy + n - 1;

	if (n == 0 || (section->element != TLV_FLOAT64 && section->element != TLV_INT64 &&
				   section->element != TLV_SPARSE))
		return false;
	switch (range)
	{
		case TLV_NONNEGATIVE:
			*number = -1;
			return true;
		case TLV_WHOLE:
			*number += 0.5;
			return *number < 0x1p51;
		case TLV_COUNTED:
			*number = 0;
			return true;
		case TLV_FLAG:
		case TLV_COLUMN_SHARES:
		case TLV_ROW_SHARES:
			*number += 0.5;
			return true;
		case TLV_POSITIVE:
			*whole = 0;
			return true;
		case TLV_ASCENDING:
			if (n > 1)
				*whole = whole[-1];
			return n > 1;
		default:
			return false;
	}
}

/* Section `at` of a value as it is to be built, changed; copy has room for a row more. */
static inline bool
mutate_section(const tlv_declaration *declared, mutation how, tlv_section *section, void *copy)
{
	switch (how)
	{
		case MUTATION_ELEMENT:
			if (section->element != TLV_FLOAT64 && section->element != TLV_INT64)
				return false;
			section->element = section->element == TLV_INT64 ? TLV_FLOAT64 : TLV_INT64;
			return true;
		case MUTATION_ROW:
			section->rows++;
			return declared->rows >= TLV_ONE && section->element != TLV_SPARSE;
		case MUTATION_RANGE:
			return break_range(declared->range, section, copy);
		default:
			return true;
	}
}

/*
 * A copy, from the arena, of a section as a builder takes it (of a sparse one all numbers), with
 * room for a row more; NULL when there is none.
 */
static inline void *
copy_section(tlv_context *ctx, const tlv_frame *frame, const tlv_section *section)
{
	tlv_section whole = *section;
	tlv_sparse sparse;
	size_t bytes;
	char *copy;

	if (section->element == TLV_SPARSE)
		whole.element = TLV_FLOAT64;
	if (!tlv_section_bytes(&whole, &bytes))
		return NULL;
	copy = tlv_alloc0(ctx, bytes + 8 * section->columns + 8, 1);
	if (copy == NULL)
		return NULL;
	if (section->element != TLV_SPARSE)
		memcpy(copy, tlv_section_data(frame, section), bytes);
	else if (tlv_frame_sparse(frame, section->name, &sparse))
		for (size_t i = 0; i < sparse.n; i++)
			((double *) copy)[sparse.positions[i]] = sparse.values[i];
	return copy;
}

/* The value with that change, from the arena, as a frame; false when it cannot be made so. */
static inline bool
mutated_frame(tlv_context *ctx, const tlv_frame *frame, const tlv_sections *sections, size_t at,
			  mutation how, tlv_frame *mutated)
{
	static tlv_frame_builder builder;
	const double extra = 1;
	const char *name = sections->list[at].name;
	void *image;
	size_t size;

	if (tlv_frame_find(frame, name) == NULL ||
		(how == MUTATION_MISSING && sections->list[at].merge == TLV_GIVEN))
		return false;
	tlv_frame_begin(&builder, (tlv_frame_type) frame->header->type, frame->header->kind);
	for (uint32_t i = 0; i < frame->header->sections; i++)
	{
		tlv_section section = frame->table[i];
		void *copy = copy_section(ctx, frame, &section);

		if (copy == NULL)
			return false;
		if (strcmp(section.name, name) == 0 && how == MUTATION_MISSING)
			continue;
		if (strcmp(section.name, name) == 0 &&
			!mutate_section(&sections->list[at], how, &section, copy))
			return false;
		tlv_frame_add(&builder, section.name, (tlv_element) section.element, section.rows,
					  section.columns, copy);
	}
	if (how == MUTATION_EXTRA)
		tlv_frame_add(&builder, "zzz", TLV_FLOAT64, 1, 1, &extra);
	return tlv_frame_finish(ctx, &builder, &image, &size) == TLV_OK &&
		   tlv_frame_open(ctx, image, size, mutated) == TLV_OK;
}

/*
 * Tries all changes of a value that is as declared; returns how many were refused, and in
 * *accepted one that was not, in words (empty: none).
 */
static inline size_t
count_refused_mutations(tlv_context *ctx, const tlv_frame *frame, const tlv_sections *sections,
						char accepted[128])
{
	size_t refused = 0;

	accepted[0] = '\0';
	for (size_t at = 0; at < sections->n; at++)
		for (int how = 0; how < MUTATIONS; how++)
		{
			tlv_frame mutated;

			if (!mutated_frame(ctx, frame, sections, at, (mutation) how, &mutated))
				continue;
			if (tlv_sections_check(ctx, &mutated, sections) == TLV_OK)
				snprintf(accepted, 128, "section \"%s\" %s", sections->list[at].name,
						 mutation_names[how]);
			else
				refused++;
		}
	return refused;
}

#endif /* TENSORLV_TEST_MUTATIONS_H */
