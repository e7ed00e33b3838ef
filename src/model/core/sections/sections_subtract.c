/*
 * sections_subtract.c - subtracts sums of declared values from others, and multiplies them
 * (accumulator.h): a value whose sums were multiplied by -1 is merged.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "sections_internal.h"
#include "tensorlv/num/numbers.h"

/* Whether such values are sums at all places, so that taking one out is adding it negated. */
static bool
is_sum(const tlv_sections *sections)
{
	if (sections == NULL || (sections->describe != NULL && !sections->takes_away))
		return false;
	for (size_t i = 0; i < sections->n && !sections->takes_away; i++)
		if (sections->list[i].merge != TLV_SUM && sections->list[i].merge != TLV_EQUAL)
			return false;
	return true;
}

/* The declaration of a stored value. */
static const tlv_sections *
form_of(const tlv_accumulator_class *class, const tlv_frame *frame)
{
	return class->form != NULL ? class->form(frame) : class->sections;
}

static bool
all_whole(size_t n, const double *numbers)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(numbers[i]) <= 0x1p53 && numbers[i] == floor(numbers[i])))
			return false;
	return true;
}

/* Whether every sum is a sum of integers, and therefore exact in any order of the summands. */
static tlv_status
sums_whole(tlv_context *ctx, const tlv_declared *state, const tlv_sections *sections,
		   const tlv_frame *frame, bool *whole)
{
	*whole = sections->describe == NULL;
	for (size_t i = 0; i < sections->n && *whole; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);
		size_t n = number_count(declaration, state->sizes);
		tlv_sparse sparse;

		TLV_TRY_CONTINUE(ctx);
		if (declaration->merge != TLV_SUM || declaration->element == TLV_INT64)
			continue;
		if (declaration->element == TLV_FLOAT32)
			*whole = false;
		else if (tlv_frame_sparse(frame, declaration->name, &sparse))
			*whole =
				all_whole(n, numbers_of(state, declaration)) && all_whole(sparse.n, sparse.values);
		else
			*whole = all_whole(n, numbers_of(state, declaration)) &&
					 all_whole(section->rows * section->columns, tlv_section_data(frame, section));
	}
	return TLV_OK;
}

static void
multiply_section(const tlv_section *section, void *data, double times)
{
	size_t n = section->element == TLV_SPARSE ? section->entries : section->rows * section->columns;

	for (size_t i = 0; i < n; i++)
		if (section->element == TLV_INT64)
			((int64_t *) data)[i] = (int64_t) ((double) ((int64_t *) data)[i] * times);
		else if (section->element == TLV_FLOAT32)
			((float *) data)[i] *= (float) times;
		else
			((double *) data)[i] *= times;
}

/* Is a section of a kind that is sums one of these? */
static bool
section_is_sum(const tlv_sections *sections, const tlv_declaration *declaration)
{
	if (declaration->merge == TLV_SUM)
		return true;
	if (declaration->merge != TLV_OWN || declaration->element == TLV_INT64 ||
		declaration->element == TLV_BYTES)
		return false;
	for (size_t i = 0; sections->no_sums != NULL && sections->no_sums[i] != NULL; i++)
		if (strcmp(sections->no_sums[i], declaration->name) == 0)
			return false;
	return true;
}

/* Is it one number that counts rows or the like? */
static bool
is_count(const tlv_declaration *declaration, const tlv_section *section)
{
	return declaration->element == TLV_FLOAT64 && declaration->range == TLV_WHOLE &&
		   section->rows * section->columns == 1;
}

/* A copy whose sums are multiplied by the factor; counts are rounded. */
static tlv_status
multiplied_copy(tlv_context *ctx, const tlv_sections *sections, const tlv_frame *frame,
				double times, tlv_frame *multiplied)
{
	char *image = tlv_alloc(ctx, frame->header->size, 1);

	TLV_TRY_ALLOC(ctx, image);
	TLV_TRY(tlv_copy(ctx, image, frame->header, frame->header->size));
	TLV_TRY(tlv_frame_open(ctx, image, frame->header->size, multiplied));
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(multiplied, declaration->name);

		TLV_TRY_CONTINUE(ctx);
		if (!section_is_sum(sections, declaration))
			continue;
		multiply_section(section, image + section->offset, times);
		if (is_count(declaration, section))
			*(double *) (image + section->offset) =
				nearbyint(*(double *) (image + section->offset));
	}
	return TLV_OK;
}

tlv_status
tlv_require_left(tlv_context *ctx, const char *name, size_t n, const double *taken, double *left)
{
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (left[i] >= 0)
			continue;
		if (left[i] < -TLV_ROUNDING * (taken == NULL ? 1 : fabs(taken[i])))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "more of \"%s\" is taken away than there is", name);
			return tlv_fail_hint(ctx, "Subtract only what was added before.");
		}
		left[i] = 0;
	}
	return TLV_OK;
}

/* What cannot be negative is not, but for rounding. */
static tlv_status
require_left(tlv_context *ctx, const tlv_declared *state, const tlv_sections *sections,
			 const tlv_frame *negated)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		size_t n = number_count(declaration, state->sizes);
		const double *taken = tlv_frame_float64(negated, declaration->name);

		if (declaration->merge != TLV_SUM || declaration->range == TLV_ANY ||
			(sections->describe != NULL && !is_fixed(declaration)) ||
			(declaration->element != TLV_FLOAT64 && declaration->element != TLV_SPARSE))
			continue;
		TLV_TRY(tlv_require_left(ctx, declaration->name, n, taken, numbers_of(state, declaration)));
	}
	return TLV_OK;
}

tlv_status
tlv_accumulator_subtract(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
						 bool exactly, bool *done)
{
	const tlv_sections *sections = accumulator->class->sections;
	tlv_declared *state = (tlv_declared *) accumulator;
	tlv_frame negated;

	*done = is_sum(sections) && (state->known || sections->describe != NULL);
	if (accumulator->class->subtract != NULL)
		return accumulator->class->subtract(ctx, accumulator, frame, exactly, done);
	if (*done && exactly && accumulator->class->exact != NULL)
		*done = accumulator->class->exact(accumulator, frame);
	else if (*done && exactly)
		TLV_TRY(sums_whole(ctx, state, sections, frame, done));
	if (!*done && !exactly)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "values of kind %s cannot be subtracted from each other",
				 accumulator->class->name);
		return tlv_fail_hint(ctx, "Add up the other parts instead, by tlv_rollup.");
	}
	if (!*done)
		return TLV_OK;
	TLV_TRY(multiplied_copy(ctx, form_of(accumulator->class, frame), frame, -1, &negated));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, &negated));
	TLV_TRY(require_left(ctx, state, sections, &negated));
	tlv_free(ctx, (void *) negated.header);
	return TLV_OK;
}

/* ---- a value several times ---- */

static tlv_status
refuse_fraction(tlv_context *ctx, const char *name, double number, double times)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%g times %g of \"%s\" is not an integer up to 2^53", times,
			 number, name);
	return tlv_fail_hint(ctx, "Counts of rows must remain integers; tlv_update(model, statistics, "
							  "weight) gives statistics a weight.");
}

/*
 * The factor nearest to that one by which the rows stay whole, so that means and the like are what
 * they were: their count is the first one but those of rows that were left out.
 */
static double
whole_times(const tlv_sections *sections, const tlv_frame *frame, double times)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);
		double number;

		if (!section_is_sum(sections, declaration) || !is_count(declaration, section) ||
			strcmp(declaration->name, "nulls") == 0 || strcmp(declaration->name, "skipped") == 0)
			continue;
		number = *tlv_frame_float64(frame, declaration->name);
		if (number > 0 && times * number >= 0.5 && times * number <= 0x1p53)
			return nearbyint(times * number) / number;
		if (number > 0)
			return times;
	}
	return times;
}

/* Counts must stay whole: single ones are rounded, unless nothing would be left of them; those of
 * many cannot be, as a small one would stay for ever. */
static bool
stays_whole(double number, double times, bool single)
{
	double value = times * number;

	if (!(fabs(value) <= 0x1p53))
		return false;
	return value == floor(value) || (single && value >= 0.5);
}

static tlv_status
require_whole_times(tlv_context *ctx, const tlv_sections *sections, const tlv_frame *frame,
					double times)
{
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];
		const tlv_section *section = tlv_frame_find(frame, declaration->name);
		bool int64 = declaration->element == TLV_INT64;
		size_t n = section->rows * section->columns;

		TLV_TRY_CONTINUE(ctx);
		if (!section_is_sum(sections, declaration) ||
			(!int64 && declaration->range != TLV_WHOLE && declaration->range != TLV_COUNTED))
			continue;
		for (size_t j = 0; j < n; j++)
		{
			double number = int64 ? (double) tlv_frame_int64(frame, declaration->name)[j]
								  : tlv_frame_float64(frame, declaration->name)[j];

			bool left_out = strcmp(declaration->name, "nulls") == 0 ||
							strcmp(declaration->name, "skipped") == 0;

			if (!stays_whole(number, times, !int64 && is_count(declaration, section)) &&
				!(left_out && fabs(times * number) <= 0x1p53))
				return refuse_fraction(ctx, declaration->name, number, times);
		}
	}
	return TLV_OK;
}

tlv_status
tlv_accumulator_merge_times(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame,
							double times)
{
	const tlv_sections *sections = form_of(accumulator->class, frame);
	tlv_frame multiplied;

	if (!(times > 0 && times <= DBL_MAX))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "%g is not a finite number above 0", times);
	if (accumulator->class->merge_times != NULL)
		return accumulator->class->merge_times(ctx, accumulator, frame, times);
	if (!is_sum(sections))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"values of kind %s are no sums that can be multiplied",
						accumulator->class->name);
	times = whole_times(sections, frame, times);
	TLV_TRY(require_whole_times(ctx, sections, frame, times));
	TLV_TRY(multiplied_copy(ctx, sections, frame, times, &multiplied));
	TLV_TRY(accumulator->class->merge(ctx, accumulator, &multiplied));
	tlv_free(ctx, (void *) multiplied.header);
	return TLV_OK;
}
