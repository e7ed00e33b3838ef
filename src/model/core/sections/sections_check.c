/*
 * sections_check.c - whether a frame is what is declared (sections.h).
 */
#include <math.h>
#include <string.h>

#include "sections_internal.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/layout.h"

/* Rows of shares that are added up at once. */
#define ROWS_AT_ONCE ((size_t) 64)

/* Every declared section is there, of its element, no other is, and every size is within its
 * bounds. */
static tlv_status
check_sizes(tlv_context *ctx, const tlv_frame *frame, const tlv_sections *sections,
			size_t sizes[TLV_SIZES])
{
	size_t found = 0;

	for (size_t i = 0; sections->diagnostics != 0 && i < TLV_DIAGNOSTICS_SECTIONS; i++)
		found += tlv_frame_find(frame, tlv_diagnostics_sections[i]) != NULL;
	found += sections->diagnostics != 0 ? tlv_dimension_names_found(frame) : 0;
	found += sections->diagnostics != 0 && tlv_frame_find(frame, tlv_errors_section) != NULL;
	for (size_t i = 0; sections->diagnostics != 0 && i < TLV_LABEL_SECTIONS; i++)
		found += tlv_frame_find(frame, tlv_label_sections[i]) != NULL;
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_section *section = tlv_frame_find(frame, sections->list[i].name);

		if (section == NULL && sections->list[i].merge == TLV_GIVEN)
			continue;
		if (section == NULL)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing", sections->list[i].name);
		if (section->element != sections->list[i].element)
			return tlv_fail(ctx, TLV_CORRUPT,
							"section \"%s\" has elements of type %u instead of %d", section->name,
							section->element, sections->list[i].element);
		found++;
	}
	if (frame->header->sections != found)
		return tlv_fail(ctx, TLV_CORRUPT, "the value has %u sections instead of %zu",
						frame->header->sections, found);
	tlv_sections_sizes(frame, sections, sizes);
	for (size_t s = 0; s < TLV_SIZES; s++)
		if (sizes[s] < sections->least[s] || sizes[s] > sections->most[s])
			return tlv_fail(ctx, TLV_CORRUPT, "size %zu of the value is %zu, not %zu to %zu", s + 1,
							sizes[s], sections->least[s], sections->most[s]);
	return TLV_OK;
}

static tlv_status
refuse_number(tlv_context *ctx, const char *name, size_t at, double number)
{
	return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g", at + 1, name, number);
}

static tlv_status
check_integers(tlv_context *ctx, const tlv_frame *frame, const tlv_declaration *declaration,
			   size_t n)
{
	const int64_t *x = tlv_frame_int64(frame, declaration->name);

	if (declaration->range == TLV_ASCENDING)
		return tlv_frame_require_ascending(ctx, frame, declaration->name);
	for (size_t i = 0; declaration->range == TLV_POSITIVE && i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (x[i] < 1 || x[i] > INT32_MAX)
			return refuse_number(ctx, declaration->name, i, (double) x[i]);
	}
	return TLV_OK;
}

static tlv_status
check_share_sum(tlv_context *ctx, const char *name, const char *line, size_t at, double sum)
{
	if (fabs(sum - 1) < 1e-6)
		return TLV_OK;
	return tlv_fail(ctx, TLV_CORRUPT, "the shares in %s %zu of section \"%s\" sum to %g", line,
					at + 1, name, sum);
}

static tlv_status
check_column_shares(tlv_context *ctx, const tlv_section *section, const double *x, double least)
{
	size_t n = section->rows, at = 0;

	for (size_t j = 0; j < section->columns; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < n; i++, at++)
		{
			TLV_TRY_CONTINUE_AT(ctx, at);
			if (!(x[at] >= least))
				return refuse_number(ctx, section->name, at, x[at]);
			sum += x[at];
		}
		TLV_TRY(check_share_sum(ctx, section->name, "column", j, sum));
	}
	return TLV_OK;
}

/* Some rows at once: numbers of a row lie far from each other. */
static tlv_status
check_row_shares(tlv_context *ctx, const tlv_section *section, const double *x, double least)
{
	double sums[ROWS_AT_ONCE];

	for (size_t first = 0; first < section->rows; first += ROWS_AT_ONCE)
	{
		size_t n = tlv_least(section->rows - first, ROWS_AT_ONCE);

		memset(sums, 0, sizeof(sums));
		for (size_t j = 0; j < section->columns; j++)
			for (size_t i = 0; i < n; i++)
			{
				size_t at = j * section->rows + first + i;

				TLV_TRY_CONTINUE_AT(ctx, j * n + i);
				if (!(x[at] >= least))
					return refuse_number(ctx, section->name, at, x[at]);
				sums[i] += x[at];
			}
		for (size_t i = 0; i < n; i++)
			TLV_TRY(check_share_sum(ctx, section->name, "row", first + i, sums[i]));
	}
	return TLV_OK;
}

tlv_status
tlv_require_shares(tlv_context *ctx, const tlv_frame *frame, const char *name, bool rows,
				   double least)
{
	const tlv_section *section = tlv_frame_find(frame, name);
	const double *x = tlv_section_data(frame, section);

	return rows ? check_row_shares(ctx, section, x, least)
				: check_column_shares(ctx, section, x, least);
}

static tlv_status
check_range(tlv_context *ctx, const tlv_frame *frame, const tlv_declaration *declaration, size_t n)
{
	const double *x = tlv_frame_float64(frame, declaration->name);
	const float *narrow = tlv_frame_float32(frame, declaration->name);
	bool whole = declaration->range == TLV_WHOLE || declaration->range == TLV_COUNTED;
	double least = declaration->range == TLV_COUNTED ? 1 : 0;
	tlv_sparse sparse;

	if (declaration->element == TLV_INT64)
		return check_integers(ctx, frame, declaration, n);
	if (declaration->range == TLV_ANY)
		return TLV_OK;
	if (declaration->range == TLV_COLUMN_SHARES || declaration->range == TLV_ROW_SHARES)
		return tlv_require_shares(ctx, frame, declaration->name,
								  declaration->range == TLV_ROW_SHARES, 0);
	for (size_t i = 0; x != NULL && i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (declaration->range == TLV_FLAG && x[i] != 0 && x[i] != 1)
			return refuse_number(ctx, declaration->name, i, x[i]);
		if (!(x[i] >= least) || (whole && !(x[i] <= 0x1p53 && x[i] == floor(x[i]))))
			return refuse_number(ctx, declaration->name, i, x[i]);
	}
	for (size_t i = 0; narrow != NULL && i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(narrow[i] >= 0))
			return refuse_number(ctx, declaration->name, i, (double) narrow[i]);
	}
	if (!tlv_frame_sparse(frame, declaration->name, &sparse))
		return TLV_OK;
	for (size_t i = 0; i < sparse.n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!(sparse.values[i] >= 0))
			return refuse_number(ctx, declaration->name, sparse.positions[i], sparse.values[i]);
	}
	return TLV_OK;
}

tlv_status
tlv_sections_check(tlv_context *ctx, const tlv_frame *frame, const tlv_sections *sections)
{
	size_t sizes[TLV_SIZES] = {0};

	TLV_TRY(check_sizes(ctx, frame, sections, sizes));
	for (size_t i = 0; i < sections->n; i++)
	{
		const tlv_declaration *declaration = &sections->list[i];

		if (tlv_frame_find(frame, declaration->name) == NULL)
			continue;
		TLV_TRY(tlv_frame_require(ctx, frame, declaration->name, declaration->element,
								  count_of(declaration->rows, sizes),
								  count_of(declaration->columns, sizes), NULL));
		TLV_TRY(check_range(ctx, frame, declaration, number_count(declaration, sizes)));
	}
	if (sections->check_more != NULL)
		TLV_TRY(sections->check_more(ctx, frame, sizes));
	return sections->diagnostics == 0 ? TLV_OK : tlv_diagnostics_check(ctx, frame);
}
