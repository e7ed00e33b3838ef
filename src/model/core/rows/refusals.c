/*
 * refusals.c - what several kinds of statistics and of models refuse (refusals.h).
 */
#define TLV_REFUSALS_HERE
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/plural.h"

#include <math.h>
#include <string.h>

/* ---- rows ---- */

tlv_status
tlv_refuse_width(tlv_context *ctx, size_t width, size_t d)
{
	tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, those of the model have %zu", width,
			 tlv_plural((double) width, "number", "numbers"), d);
	return tlv_fail_hint(ctx, "Give the columns that the model was fitted to, in their order.");
}

tlv_status
tlv_refuse_length(tlv_context *ctx, size_t d, size_t first)
{
	tlv_fail(ctx, TLV_BAD_DATA, "a vector has length %zu, the first one %zu", d, first);
	return tlv_fail_hint(ctx, "All rows must have the same columns.");
}

static const char *
name_of(double x)
{
	return isnan(x) ? "NaN" : isinf(x) ? "infinite" : "too large";
}

static tlv_status
hint_at_number(tlv_context *ctx)
{
	return tlv_fail_hint(ctx, "Leave such rows out, or replace the number.");
}

tlv_status
tlv_refuse_element(tlv_context *ctx, size_t at, double x)
{
	tlv_fail(ctx, TLV_BAD_DATA, "element %zu of a vector is %s", at + 1, name_of(x));
	return hint_at_number(ctx);
}

tlv_status
tlv_refuse_step(tlv_context *ctx, size_t at, size_t d, double x)
{
	tlv_fail(ctx, TLV_BAD_DATA, "number %zu of step %zu is %s", at % d + 1, at / d + 1, name_of(x));
	return tlv_fail_hint(ctx, "Leave such steps out, or replace the number.");
}

tlv_status
tlv_refuse_number(tlv_context *ctx, size_t at, double x, double most)
{
	if (isnan(x))
		tlv_fail(ctx, TLV_BAD_DATA, "number %zu of a row is NaN", at + 1);
	else
		tlv_fail(ctx, TLV_BAD_DATA, "number %zu of a row is %g, beyond %g", at + 1, x, most);
	return hint_at_number(ctx);
}

static tlv_status
hint_at_units(tlv_context *ctx)
{
	return tlv_fail_hint(ctx,
						 "Give numbers in the units of the rows that the model was fitted to.");
}

tlv_status
tlv_refuse_far_row(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_DATA,
			 "a row is too far from all components: its likelihood under each of them is 0");
	return hint_at_units(ctx);
}

tlv_status
tlv_refuse_far_numbers(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too far from the model's");
	return hint_at_units(ctx);
}

tlv_status
tlv_refuse_few(tlv_context *ctx, double n, const char *rows, size_t k, const char *components)
{
	if (n == 1) /* of what, without its s */
		tlv_fail(ctx, TLV_BAD_DATA, "1 %.*s is too few for %zu %s", (int) strlen(rows) - 1, rows, k,
				 components);
	else
		tlv_fail(ctx, TLV_BAD_DATA, "%.0f %s are too few for %zu %s", n, rows, k, components);
	return tlv_fail_hint(ctx, "Ask for fewer %s, or give more %s.", components, rows);
}

/* ---- moments and statistics ---- */

tlv_status
tlv_refuse_empty_statistics(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_NO_ROWS, "the statistics contain no observation");
	return tlv_fail_hint(ctx, "Collect statistics of rows that have a value the model knows.");
}

tlv_status
tlv_refuse_empty(tlv_context *ctx, const char *moments_hold, const char *rows)
{
	tlv_fail(ctx, TLV_BAD_DATA, "%s no %s", moments_hold, rows);
	return tlv_fail_hint(ctx, "Null %s, and those that hold nothing to learn from, do not count.",
						 rows);
}

tlv_status
tlv_refuse_taken(tlv_context *ctx, const char *rows)
{
	tlv_fail(ctx, TLV_BAD_DATA, "more %s are taken away than there are", rows);
	return tlv_fail_hint(ctx, "Subtract only what was added before.");
}

tlv_status
tlv_refuse_kind_of_statistics(tlv_context *ctx, const char *model)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "these moments are not statistics of %s", model);
	return tlv_fail_hint(ctx, "Collect them with tlv_statistics(x, model).");
}

tlv_status
tlv_refuse_foreign_statistics(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics were collected under another model");
	return tlv_fail_hint(ctx, "Collect them again under this model: a model that was updated, "
							  "aligned or refitted is a different model.");
}

tlv_status
tlv_refuse_no_constant(tlv_context *ctx, const char *aggregate, const char *what)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s needs a %s", aggregate, what);
	return tlv_fail_hint(ctx, "The %s is null: see whether the query that gives it has a row.",
						 what);
}

tlv_status
tlv_refuse_foreign_subspace(tlv_context *ctx)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the moments were collected in another subspace");
	return tlv_fail_hint(ctx, "Give the tlv_subspace value that they were collected in.");
}

tlv_status
tlv_refuse_no_subspace(tlv_context *ctx, const char *call)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER,
			 "these moments refer to the subspace that they were collected in");
	return tlv_fail_hint(ctx, "Those of few documents do, and sums of such. Pass it, too: %s.",
						 call);
}

/* ---- models ---- */

tlv_status
tlv_refuse_dimensions(tlv_context *ctx, size_t a, size_t b)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "the models have %zu and %zu %s", a, b,
			 tlv_plural((double) b, "dimension", "dimensions"));
	return tlv_fail_hint(ctx, "Fit both to the same columns in the same order.");
}

tlv_status
tlv_refuse_steps(tlv_context *ctx, const char *kind)
{
	tlv_fail(ctx, TLV_BAD_PARAMETER, "a model of kind %s has no refinement steps", kind);
	return tlv_fail_hint(ctx, "Fit it again to all rows.");
}
