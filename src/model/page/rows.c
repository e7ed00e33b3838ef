/*
 * rows.c - rows of the caller's that are drawn among components: read from the examples, and
 * written into the digest of a page (page.h).
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/picture.h"

/* Dimensions of a row that the page has. */
#define DIMENSIONS 64

/* ---- reading ---- */

static tlv_text
page_name_of(const tlv_json *json, size_t example)
{
	size_t title = tlv_json_member(json, example, "title");
	size_t at = title != 0 ? title : tlv_json_member(json, example, "id");

	if (at == 0 || json->nodes[at].type != TLV_JSON_STRING)
		return (tlv_text){NULL, 0};
	return tlv_json_text(json, at);
}

static tlv_status
page_read_row(tlv_context *ctx, const tlv_json *json, size_t example, size_t number,
			  tlv_picture_rows *rows)
{
	size_t x = tlv_json_member(json, example, "x"), at = x + 1;
	double *row = rows->x + rows->n * rows->d;

	if (x == 0 || json->nodes[x].type != TLV_JSON_ARRAY)
		return TLV_OK;
	if (json->nodes[x].n != rows->d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "\"x\" of example %zu is not a row of the model", number);
		return tlv_fail_hint(ctx, "Give one number for each dimension of the model, %zu in all.",
							 rows->d);
	}
	for (size_t i = 0; i < rows->d; i++, at = json->nodes[at].next)
		if (json->nodes[at].type == TLV_JSON_NULL)
			row[i] = NAN;
		else if (!page_read_number(json->nodes + at, row + i))
			return page_refuse_member(ctx, number, "x", "an array of numbers");
	rows->component[rows->n] =
		(size_t) json->nodes[tlv_json_member(json, example, "component")].integer - 1;
	rows->names[rows->n++] = page_name_of(json, example);
	return TLV_OK;
}

/* Directions are rows of length 1; missing coordinates count as 0. */
static void
page_scale_rows(tlv_picture_rows *rows)
{
	for (size_t r = 0; r < rows->n; r++)
	{
		double *row = rows->x + r * rows->d, sum = 0;

		for (size_t i = 0; i < rows->d; i++)
			sum += isnan(row[i]) ? 0 : row[i] * row[i];
		for (size_t i = 0; i < rows->d && sum > 0; i++)
			row[i] /= sqrt(sum);
	}
}

tlv_status
tlv_page_rows(tlv_context *ctx, const tlv_json *examples, const tlv_frame *model,
			  tlv_picture_rows *rows)
{
	size_t k = tlv_model_components(model), d = tlv_model_dimensions(model);
	tlv_picture_normals normals;
	tlv_json_writer checked = {.most = TLV_PAGE_DIGEST_MOST};
	size_t most, at = 1;

	TLV_TRY(page_put_examples(ctx, examples, k, &checked));
	tlv_free(ctx, checked.bytes);
	most = tlv_least((size_t) examples->nodes[0].n, TLV_PICTURE_ROWS);
	*rows = (tlv_picture_rows){.d = d};
	TLV_TRY_NEW_ROWS(ctx, rows->x, d, most + 1);
	TLV_TRY_NEW(ctx, rows->component, most + 1);
	TLV_TRY_NEW(ctx, rows->names, most + 1);
	for (size_t i = 0; i < examples->nodes[0].n && rows->n < most; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		TLV_TRY(page_read_row(ctx, examples, at, i + 1, rows));
		at = examples->nodes[at].next;
	}
	TLV_TRY(model->kind->model->normals(ctx, model, &normals));
	if (normals.directions)
		page_scale_rows(rows);
	return TLV_OK;
}

/* ---- writing ---- */

/* The dimensions that the page has: the two of the drawing, and the first others. */
static size_t
choose_dimensions(size_t d, const size_t plane[2], int64_t *at)
{
	size_t n = 0;

	at[n++] = (int64_t) plane[0];
	if (plane[1] != plane[0])
		at[n++] = (int64_t) plane[1];
	for (size_t i = 0; i < d && n < DIMENSIONS; i++)
		if (i != plane[0] && i != plane[1])
			at[n++] = (int64_t) i;
	return n;
}

static tlv_status
page_put_row(tlv_context *ctx, const tlv_picture_rows *rows, size_t r, size_t n, const int64_t *at,
			 tlv_json_writer *data)
{
	tlv_text name = rows->names[r];

	name.length = name.bytes != NULL ? tlv_cut_length(name, TLV_PAGE_TITLE) : 0;
	TLV_TRY(tlv_json_put(ctx, data, r > 0 ? ",[" : "["));
	TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) rows->component[r] + 1));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_page_put_text(ctx, data, name));
	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, rows->x[r * rows->d + (size_t) at[i]], PAGE_DIGITS));
	}
	return tlv_json_put(ctx, data, "]");
}

/* Examples that have a row. */
static int64_t
page_count_rows(const tlv_json *examples)
{
	int64_t given = 0;
	size_t at = 1;

	for (uint64_t i = 0; i < examples->nodes[0].n; i++, at = examples->nodes[at].next)
	{
		size_t x = tlv_json_member(examples, at, "x");

		given += x != 0 && examples->nodes[x].type == TLV_JSON_ARRAY;
	}
	return given;
}

tlv_status
page_put_rows(tlv_context *ctx, const tlv_picture_rows *rows, const tlv_json *examples,
			  const size_t plane[2], tlv_json_writer *data)
{
	int64_t at[DIMENSIONS];
	size_t n = choose_dimensions(rows->d, plane, at), start = data->n;

	TLV_TRY(tlv_page_put_key(ctx, data, "points"));
	TLV_TRY(tlv_json_put(ctx, data, "{\"given\":"));
	TLV_TRY(tlv_json_put_integer(ctx, data, page_count_rows(examples)));
	TLV_TRY(tlv_page_put_key(ctx, data, "at"));
	TLV_TRY(tlv_page_put_integers(ctx, data, n, at));
	TLV_TRY(tlv_page_put_key(ctx, data, "rows"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t r = 0; r < rows->n && data->n - start <= TLV_PAGE_EXAMPLE_ALL; r++)
		TLV_TRY(page_put_row(ctx, rows, r, n, at, data));
	return tlv_json_put(ctx, data, "]}");
}
