/*
 * cp_model.c - the stored form of a sum of products, which component of one is which of another,
 * and its picture (tensors.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/model/triple_table.h"

#define SIZE_K TLV_SIZE_6

/* Items of a mode that a picture shows: the first ones. */
#define DRAWN_ITEMS ((size_t) 20)

static const char *const factor_sections[TLV_MODES] = {"factor_1", "factor_2", "factor_3"};

void
tlv_cp_read(const tlv_frame *model, tlv_cp_parts *parts)
{
	memset(parts, 0, sizeof(*parts));
	tlv_sections_read(model, tlv_kind_cp.model->sections, parts);
}

/* ---- the stored form ---- */

/* Vectors have length 1, or 0 where a component is not there. */
static tlv_status
cp_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	/* How far the length of a vector may be from 1. */
	const double rounding = 1e-6;
	const double *nonnegative = tlv_frame_float64(frame, "nonnegative");
	size_t k = sizes[SIZE_K];

	TLV_TRY(tlv_tensor_check_ids(ctx, frame, sizes));
	for (int m = 0; m < TLV_MODES; m++)
	{
		const tlv_section *section = tlv_frame_find(frame, factor_sections[m]);
		const double *x = tlv_section_data(frame, section);

		for (size_t h = 0; h < k; h++)
		{
			double square = 0;

			TLV_TRY_CONTINUE(ctx);
			for (size_t i = 0; i < section->columns; i++)
			{
				TLV_TRY_CONTINUE_AT(ctx, i);
				square += x[h + i * k] * x[h + i * k];
				if (nonnegative[0] != 0 && x[h + i * k] < 0)
					return tlv_fail(ctx, TLV_CORRUPT, "component %zu has a negative entry", h + 1);
			}
			if (square != 0 && !(fabs(square - 1) <= rounding))
				return tlv_fail(ctx, TLV_CORRUPT, "component %zu of mode %d has length %g", h + 1,
								m + 1, sqrt(square));
		}
	}
	return TLV_OK;
}

#define AT(member) offsetof(tlv_cp_parts, member)
#define NUMBER(name, range)                                                                        \
	{                                                                                              \
#name, TLV_FLOAT64, TLV_ONE, TLV_ONE, range, TLV_KEPT, AT(name)                            \
	}
static const tlv_declaration cp_list[] = {
	NUMBER(entries, TLV_WHOLE),
	NUMBER(nulls, TLV_WHOLE),
	NUMBER(nonnegative, TLV_FLAG),
	NUMBER(residual, TLV_NONNEGATIVE),
	NUMBER(sweeps, TLV_WHOLE),
	NUMBER(seed, TLV_WHOLE),
	TENSOR_ID_SECTIONS(tlv_cp_parts, TLV_KEPT),
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
	{"scales", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(scales)},
	{"factor_1", TLV_FLOAT64, SIZE_K, SIZE_I, TLV_ANY, TLV_KEPT, AT(factors[0])},
	{"factor_2", TLV_FLOAT64, SIZE_K, SIZE_J, TLV_ANY, TLV_KEPT, AT(factors[1])},
	{"factor_3", TLV_FLOAT64, SIZE_K, SIZE_L, TLV_ANY, TLV_KEPT, AT(factors[2])},
};
#undef NUMBER

static const tlv_sections cp_sections = {
	.state = sizeof(tlv_cp_parts),
	.kind = TLV_KIND_CP,
	TLV_LIST(cp_list),
	.least = {1, 0, 1, 1, 0, 1},
	.most = {TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES, TLV_FRAME_MAX_BYTES,
			 TLV_FRAME_MAX_BYTES, 2000},
	.size_at = {TENSOR_ID_SIZES(tlv_cp_parts), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = cp_check_more,
};
#undef AT

static const tlv_field cp_fields[] = {
	{"entries", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"nulls", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"nonnegative", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"residual", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"sweeps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	TENSOR_ID_FIELDS,
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"scales", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"factor_1", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_UNIT_LENGTH, .keys = "items_1"},
	{"factor_2", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_UNIT_LENGTH, .keys = "items_2"},
	{"factor_3", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_UNIT_LENGTH, .keys = "items_3"},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout cp_layout = {.fields = cp_fields, .weights = "weights"};

/* ---- comparing ---- */

/* The cosine of two vectors of a mode, over the items that both have. */
static double
mode_cosine(const tlv_cp_parts *a, size_t g, const tlv_cp_parts *b, size_t h, int mode)
{
	size_t x = 0, y = 0;
	double sum = 0;

	while (x < a->ids.d[mode] && y < b->ids.d[mode])
	{
		int64_t left = a->ids.items[mode][x], right = b->ids.items[mode][y];

		if (left == right)
			sum += a->factors[mode][g + x * a->k] * b->factors[mode][h + y * b->k];
		x += left <= right;
		y += right <= left;
	}
	return sum;
}

static tlv_status
cp_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_cp_parts x, y;
	double *cost;

	tlv_cp_read(a, &x);
	tlv_cp_read(b, &y);
	TLV_TRY_NEW_ROWS(ctx, cost, x.k, y.k);
	for (size_t g = 0; g < x.k; g++)
		for (size_t h = 0; h < y.k; h++)
		{
			double product = 1;

			TLV_TRY_CONTINUE(ctx);
			for (int m = 0; m < TLV_MODES; m++)
				product *= mode_cosine(&x, g, &y, h, m);
			cost[g * y.k + h] = fmax(0, 1 - product);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

/* ---- the picture: components by rows, the first items of every mode by columns ---- */

typedef struct drawn_items
{
	size_t n;
	int64_t offsets[TLV_MODES * DRAWN_ITEMS + 1];
	char bytes[TLV_MODES * DRAWN_ITEMS * 24];
} drawn_items;

static void
tensor_add_item(drawn_items *drawn, const tlv_tensor_ids *ids, int mode, size_t i)
{
	char *to = drawn->bytes + drawn->offsets[drawn->n];
	tlv_text name = tlv_tensor_name(ids, mode, ids->items[mode][i]);
	size_t length;

	if (name.bytes == NULL)
		length = (size_t) snprintf(to, 24, "%lld", (long long) ids->items[mode][i]);
	else
	{
		length = tlv_cut_length(name, 23);
		memcpy(to, name.bytes, length);
	}
	drawn->offsets[drawn->n + 1] = drawn->offsets[drawn->n] + (int64_t) length;
	drawn->n++;
}

static tlv_status
cp_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_name_list heads;
	tlv_cp_parts parts;
	drawn_items *drawn;
	double *numbers;

	tlv_cp_read(model, &parts);
	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY_NEW0(ctx, drawn, 1);
	TLV_TRY_NEW_ROWS(ctx, numbers, TLV_MODES * DRAWN_ITEMS, parts.k);
	for (int m = 0; m < TLV_MODES; m++)
		for (size_t i = 0; i < tlv_least(parts.ids.d[m], DRAWN_ITEMS); i++)
		{
			memcpy(numbers + parts.k * drawn->n, parts.factors[m] + parts.k * i,
				   parts.k * sizeof(double));
			tensor_add_item(drawn, &parts.ids, m, i);
		}
	heads = (tlv_name_list){drawn->offsets, drawn->bytes};
	TLV_TRY(tlv_draw_matrix(ctx, picture, parts.k, components, drawn->n, numbers, &heads));
	tlv_free(ctx, numbers);
	tlv_free(ctx, drawn);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* ---- use ---- */

static const char *const cp_page_fields[] = {"told",	 "items_1",		 "items_2",	 "items_3",
											 "name_ids", "name_offsets", "weights",	 "scales",
											 "factor_1", "factor_2",	 "factor_3", NULL};
static const tlv_page_content cp_contents[] = {
	{"factor_1", TLV_CONTENT_LOADINGS, .what = "mode 1:", .ids = "items_1", .from = 1},
	{"factor_2", TLV_CONTENT_LOADINGS, .what = "mode 2:", .ids = "items_2", .from = 1},
	{"factor_3", TLV_CONTENT_LOADINGS, .what = "mode 3:", .ids = "items_3", .from = 1},
	{.section = NULL}};
static const tlv_page_view cp_page = {
	.contents = cp_contents, .view = "matrix", .what = "component", .fields = cp_page_fields};

static const tlv_model_class cp_class = {
	.sections = &cp_sections,
	.layout = &cp_layout,
	.components_size = SIZE_K,
	.match = cp_match,
	.no_estimates = tlv_tensor_no_estimates,
	.draw = cp_draw,
	.page = &cp_page,
};
const tlv_kind tlv_kind_cp = {TLV_KIND_LINE(CP, cp), .model = &cp_class};
