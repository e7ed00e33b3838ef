/*
 * rows.c - forms of rows, and the one place where an accumulator refuses a row of the wrong form;
 * the memory of posteriors.
 */
#include "tensorlv/model/accumulator.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/source.h"
#include "tensorlv/num/assert.h"

static const struct
{
	tlv_row_form form;
	const char *name;
} row_names[] = {
	{TLV_ROW_BAG, "bags"},
	{TLV_ROW_EDGE, "edges"},
	{TLV_ROW_VECTOR, "vectors"},
	{TLV_ROW_VIEWS, "views of vectors"},
	{TLV_ROW_CATEGORIES, "views of categories"},
	{TLV_ROW_SEQUENCE, "sequences of vectors"},
	{TLV_ROW_SYMBOLS, "sequences of symbols"},
	{TLV_ROW_CODES, "rows of categorical variables"},
	{TLV_ROW_LABELS, "pairs of labels"},
	{TLV_ROW_COVERS, "pairs of sets"},
	{TLV_ROW_MEMBERSHIPS, "pairs of membership vectors"},
	{TLV_ROW_NAMED_EDGE, "edges between names"},
	{TLV_ROW_ANSWER, "answers of workers"},
	{TLV_ROW_ANSWERS, "answers of several workers to one item"},
	{TLV_ROW_NEIGHBOURS, "nodes with bags of their neighbours"},
	{TLV_ROW_ENTRY, "entries of a tensor"},
};
#define FORMS (sizeof(row_names) / sizeof(row_names[0]))

const char *
tlv_row_name(tlv_row_form form)
{
	for (size_t i = 0; i < FORMS; i++)
		if (row_names[i].form == form)
			return row_names[i].name;
	return "rows of no known form";
}

tlv_status
tlv_row_require_parts(tlv_context *ctx, const tlv_row *row)
{
	for (int t = 0; t < 3; t++)
		if (row->part[t].type == TLV_PART_NONE)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "view %d of a row is missing", t + 1);
			return tlv_fail_hint(ctx, "Give all three: ROW(x1, x2, x3).");
		}
	return TLV_OK;
}

/* The names of a set of forms: "bags", "vectors or sequences of symbols". */
static void
row_names_write(unsigned forms, size_t size, char *text)
{
	size_t at = 0;

	text[0] = '\0';
	for (size_t i = 0; i < FORMS; i++)
		if ((forms & row_names[i].form) != 0 && at < size)
			at += (size_t) snprintf(text + at, size - at, "%s%s", at > 0 ? " or " : "",
									row_names[i].name);
}

tlv_status
tlv_accumulator_require(tlv_context *ctx, const tlv_accumulator *accumulator, tlv_row_form form)
{
	char names[256];

	if ((accumulator->class->rows & form) != 0)
		return TLV_OK;
	(void) tlv_fail(ctx, TLV_BAD_PARAMETER, "rows of %s are not %s", accumulator->class->name,
					tlv_row_name(form));
	row_names_write(accumulator->class->rows, sizeof(names), names);
	return tlv_fail_hint(ctx, "They are %s.", names);
}

tlv_status
tlv_accumulator_refuse_rows(tlv_context *ctx, const tlv_accumulator *accumulator)
{
	return tlv_fail(ctx, TLV_BAD_PARAMETER, "merged values of kind %s take no rows",
					accumulator->class->name);
}

tlv_status
tlv_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	TLV_TRY(tlv_accumulator_require(ctx, accumulator, row->form));
	tlv_assert(accumulator->class->add != NULL);
	return accumulator->class->add(ctx, accumulator, row);
}

/* ---- posteriors ---- */

static tlv_status
posterior_values(tlv_context *ctx, tlv_posterior *posterior)
{
	if (posterior->total <= posterior->room && posterior->values != NULL)
		return TLV_OK;
	tlv_free(ctx, posterior->values);
	posterior->room = 0;
	TLV_TRY_NEW(ctx, posterior->values, posterior->total > 0 ? posterior->total : 1);
	posterior->room = posterior->total;
	return TLV_OK;
}

tlv_status
tlv_posterior_begin(tlv_context *ctx, tlv_posterior *posterior, size_t n, size_t width)
{
	posterior->n = n;
	posterior->width = width;
	posterior->widths = NULL;
	if (width > 0 && n > SIZE_MAX / sizeof(double) / width)
		return tlv_fail(ctx, TLV_LIMIT,
						"a posterior of %zu times %zu numbers is too large for one value", n,
						width);
	posterior->total = n * width;
	return posterior_values(ctx, posterior);
}

tlv_status
tlv_posterior_begin_blocks(tlv_context *ctx, tlv_posterior *posterior, size_t n,
						   const size_t *widths)
{
	if (n > posterior->widths_room || posterior->widths_memory == NULL)
	{
		tlv_free(ctx, posterior->widths_memory);
		posterior->widths_room = 0;
		TLV_TRY_NEW(ctx, posterior->widths_memory, n + 1);
		posterior->widths_room = n;
	}
	posterior->n = n;
	posterior->width = 0;
	posterior->widths = posterior->widths_memory;
	posterior->total = 0;
	for (size_t i = 0; i < n; i++)
		posterior->total += posterior->widths[i] = widths[i];
	return posterior_values(ctx, posterior);
}

void
tlv_posterior_free(tlv_context *ctx, tlv_posterior *posterior)
{
	tlv_free(ctx, posterior->widths_memory);
	tlv_free(ctx, posterior->values);
	memset(posterior, 0, sizeof(*posterior));
}

tlv_status
tlv_require_exact_id(tlv_context *ctx, int64_t id, tlv_text name)
{
	char shown[TLV_SHOWN_NAME];

	if (id >= -(INT64_C(1) << 53) && id <= INT64_C(1) << 53)
		return TLV_OK;
	if (name.length > 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%s is a string, and imputed rows are numbers",
				 tlv_show_name(name, shown));
		return tlv_fail_hint(ctx,
							 "Weight the probabilities of the strings in each component by the "
							 "posterior probabilities that tlv_infer returns.");
	}
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "%" PRId64 ", or the string that it stands for, is not exact as a float8", id);
	return tlv_fail_hint(ctx, "Use numbers from -2^53 to 2^53 for categories.");
}
