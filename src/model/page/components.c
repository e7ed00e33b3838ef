/*
 * components.c - the components of a model on its page: their weights, places in the map and
 * neighbours, what each contains, and warnings (page.h).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/num/numbers.h"

/* Nearest components of one that are listed. */
#define NEIGHBOURS 5

typedef struct component_list
{
	size_t k; /* that are shown */
	double *weights;
	double *distance; /* k x k; NULL: not known */
	double *places;	  /* 2 each; NULL: there is no map */
	double explained;
	tlv_text *texts; /* what they contain; bytes NULL where it is not said */
} component_list;

/* ---- the list ---- */

/* Components of kinds that have no weights, and of models with very many, have no map. */
static tlv_status
measure_components(tlv_context *ctx, const tlv_frame *model, component_list *list)
{
	size_t all = tlv_model_components(model);
	bool possible = true;

	TLV_TRY_NEW(ctx, list->weights, all);
	for (size_t i = 0; i < all; i++)
		list->weights[i] = NAN;
	tlv_stored_weights(model, all, list->weights);
	if (tlv_layout_of(model)->weights == NULL)
		return TLV_OK;
	TLV_TRY(tlv_model_weights(ctx, model, list->weights));
	tlv_stored_weights(model, all, list->weights);
	if (all > TLV_PAGE_MAP)
		return TLV_OK;
	TLV_TRY_NEW0_ROWS(ctx, list->distance, all, all);
	TLV_TRY(tlv_model_distances(ctx, model, list->distance));
	TLV_TRY_NEW(ctx, list->places, 2 * all);
	TLV_TRY(tlv_page_scale(ctx, all, list->distance, list->places, &list->explained, &possible));
	if (!possible)
		list->places = NULL;
	return TLV_OK;
}

static tlv_status
list_components(tlv_context *ctx, const tlv_frame *model, component_list *list)
{
	*list = (component_list){.k = tlv_least(tlv_model_components(model), TLV_PAGE_COMPONENTS)};
	TLV_TRY_NEW0(ctx, list->texts, list->k + 1);
	TLV_TRY(tlv_page_describe(ctx, model, list->k, list->texts));
	return measure_components(ctx, model, list);
}

static tlv_status
put_component(tlv_context *ctx, const tlv_frame *model, const component_list *list, size_t i,
			  tlv_json_writer *data)
{
	TLV_TRY(tlv_json_put(ctx, data, i > 0 ? ",{\"number\":" : "{\"number\":"));
	TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) i + 1));
	TLV_TRY(tlv_page_put_key(ctx, data, "label"));
	TLV_TRY(tlv_page_put_text(ctx, data, tlv_component_label(model, i)));
	TLV_TRY(tlv_page_put_key(ctx, data, "weight"));
	TLV_TRY(tlv_page_put_number(ctx, data, list->weights[i], 5));
	if (list->texts[i].bytes != NULL)
	{
		TLV_TRY(tlv_page_put_key(ctx, data, "text"));
		TLV_TRY(tlv_page_put_text(ctx, data, list->texts[i]));
	}
	if (list->places != NULL)
	{
		TLV_TRY(tlv_page_put_key(ctx, data, "x"));
		TLV_TRY(tlv_page_put_number(ctx, data, list->places[2 * i], 4));
		TLV_TRY(tlv_page_put_key(ctx, data, "y"));
		TLV_TRY(tlv_page_put_number(ctx, data, list->places[2 * i + 1], 4));
	}
	return tlv_json_put(ctx, data, "}");
}

/* The nearest ones of a component: [number, distance]. */
static tlv_status
page_put_neighbours(tlv_context *ctx, const component_list *list, size_t i, tlv_json_writer *data)
{
	bool taken[TLV_PAGE_MAP] = {false};

	TLV_TRY(tlv_json_put(ctx, data, i > 0 ? ",[" : "["));
	taken[i] = true;
	for (size_t n = 0; n < tlv_least(NEIGHBOURS, list->k - 1); n++)
	{
		double least = HUGE_VAL;
		size_t best = list->k;

		for (size_t j = 0; j < list->k; j++)
			if (!taken[j] && list->weights[j] > 0 && list->distance[i * list->k + j] < least)
			{
				least = list->distance[i * list->k + j];
				best = j;
			}
		if (best == list->k)
			break;
		taken[best] = true;
		TLV_TRY(tlv_json_put(ctx, data, n > 0 ? ",[" : "["));
		TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) best + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, least, 3));
		TLV_TRY(tlv_json_put(ctx, data, "]"));
	}
	return tlv_json_put(ctx, data, "]");
}

/* "farthest": the largest distance of two components with a weight. */
static tlv_status
put_farthest(tlv_context *ctx, const component_list *list, tlv_json_writer *data)
{
	double most = 0;

	for (size_t i = 0; i < list->k; i++)
		for (size_t j = 0; j < i; j++)
			if (list->weights[i] > 0 && list->weights[j] > 0)
				most = fmax(most, list->distance[i * list->k + j]);
	TLV_TRY(tlv_page_put_key(ctx, data, "farthest"));
	return tlv_page_put_number(ctx, data, most, 3);
}

/* ---- the plain part ---- */

static tlv_status
put_plain_row(tlv_context *ctx, const tlv_frame *model, const tlv_page_view *view,
			  const component_list *list, size_t i, tlv_json_writer *plain)
{
	tlv_text label = tlv_component_label(model, i);
	char text[80];

	TLV_TRY(tlv_json_put(ctx, plain, "<tr><th scope=\"row\">"));
	snprintf(text, sizeof(text), "%.40s %zu", view->what, i + 1);
	TLV_TRY(tlv_json_put(ctx, plain, text));
	if (label.bytes != NULL)
	{
		TLV_TRY(tlv_json_put(ctx, plain, " <bdi>"));
		TLV_TRY(tlv_page_put_plain(ctx, plain, label));
		TLV_TRY(tlv_json_put(ctx, plain, "</bdi>"));
	}
	snprintf(text, sizeof(text), "</th><td class=\"num\">%.1f %%</td><td>", 100 * list->weights[i]);
	TLV_TRY(tlv_json_put(ctx, plain, isnan(list->weights[i]) ? "</th><td></td><td>" : text));
	TLV_TRY(tlv_page_put_plain(ctx, plain, list->texts[i]));
	return tlv_json_put(ctx, plain, "</td></tr>");
}

static tlv_status
put_plain_table(tlv_context *ctx, const tlv_frame *model, const tlv_page_view *view,
				const component_list *list, tlv_json_writer *plain)
{
	TLV_TRY(
		tlv_json_put(ctx, plain,
					 "<table><thead><tr><th scope=\"col\">component</th><th scope=\"col\" "
					 "class=\"num\">share</th><th scope=\"col\">content</th></tr></thead><tbody>"));
	for (size_t i = 0; i < list->k; i++)
		TLV_TRY(put_plain_row(ctx, model, view, list, i, plain));
	return tlv_json_put(ctx, plain, "</tbody></table>");
}

tlv_status
page_put_components(tlv_context *ctx, const tlv_frame *model, const tlv_page_view *view,
					tlv_page *page)
{
	component_list list;

	TLV_TRY(list_components(ctx, model, &list));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "components"));
	TLV_TRY(tlv_json_put(ctx, &page->data, "["));
	for (size_t i = 0; i < list.k; i++)
		TLV_TRY(put_component(ctx, model, &list, i, &page->data));
	TLV_TRY(tlv_json_put(ctx, &page->data, "]"));
	if (list.distance != NULL)
	{
		TLV_TRY(tlv_page_put_key(ctx, &page->data, "explained"));
		TLV_TRY(tlv_page_put_number(ctx, &page->data, list.explained, 3));
		TLV_TRY(tlv_page_put_key(ctx, &page->data, "neighbours"));
		TLV_TRY(tlv_json_put(ctx, &page->data, "["));
		for (size_t i = 0; i < list.k; i++)
			TLV_TRY(page_put_neighbours(ctx, &list, i, &page->data));
		TLV_TRY(tlv_json_put(ctx, &page->data, "]"));
		TLV_TRY(put_farthest(ctx, &list, &page->data));
		TLV_TRY(page_put_merges(ctx, list.k, list.distance, list.weights, &page->data));
	}
	return put_plain_table(ctx, model, view, &list, &page->plain);
}

/* ---- warnings ---- */

static tlv_status
put_warning(tlv_context *ctx, const tlv_warning *warning, bool first, tlv_page *page)
{
	const tlv_text message = {warning->message, strlen(warning->message)};
	const tlv_text hint = {warning->hint, strlen(warning->hint)};

	TLV_TRY(tlv_json_put(ctx, &page->data, first ? "{\"code\":" : ",{\"code\":"));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, (tlv_text){warning->code, strlen(warning->code)}));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "component"));
	if (warning->component == 0)
		TLV_TRY(tlv_json_put(ctx, &page->data, "null"));
	else
		TLV_TRY(tlv_json_put_integer(ctx, &page->data, (int64_t) warning->component));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "message"));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, message));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "hint"));
	TLV_TRY(tlv_page_put_text(ctx, &page->data, hint));
	TLV_TRY(tlv_json_put(ctx, &page->data, "}"));
	TLV_TRY(tlv_json_put(ctx, &page->plain, "<p class=\"warn\">"));
	TLV_TRY(tlv_page_put_plain(ctx, &page->plain, message));
	TLV_TRY(tlv_json_put(ctx, &page->plain, ". "));
	TLV_TRY(tlv_page_put_plain(ctx, &page->plain, hint));
	return tlv_json_put(ctx, &page->plain, "</p>");
}

tlv_status
page_put_warnings(tlv_context *ctx, const tlv_frame *model, tlv_page *page)
{
	tlv_diagnostics told = {0};
	tlv_warnings_walk walk;

	TLV_TRY(tlv_warnings_tell(ctx, model, &told));
	walk = tlv_warnings_of_list(&told);
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "warnings"));
	TLV_TRY(tlv_json_put(ctx, &page->data, "["));
	for (size_t n = 0; n < TLV_PAGE_WARNINGS && tlv_warnings_next(&walk); n++)
		TLV_TRY(put_warning(ctx, &walk.warning, n == 0, page));
	tlv_diagnostics_free(ctx, &told);
	return tlv_json_put(ctx, &page->data, "]");
}

/* ---- intervals ---- */

static tlv_status
put_interval(tlv_context *ctx, const tlv_estimate *estimate, bool first, tlv_json_writer *data)
{
	double low, high;
	const char *part = tlv_estimate_part_name(estimate->part);

	tlv_estimate_interval(estimate, TLV_INTERVAL_Z, &low, &high);
	TLV_TRY(tlv_json_put(ctx, data, first ? "[\"" : ",[\""));
	TLV_TRY(tlv_json_put(ctx, data, part));
	TLV_TRY(tlv_json_put(ctx, data, "\","));
	TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) estimate->component));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_json_put_integer(ctx, data, estimate->has_item ? estimate->item : 0));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_page_put_number(ctx, data, low, 4));
	TLV_TRY(tlv_json_put(ctx, data, ","));
	TLV_TRY(tlv_page_put_number(ctx, data, high, 4));
	return tlv_json_put(ctx, data, "]");
}

tlv_status
page_put_intervals(tlv_context *ctx, const tlv_frame *model, tlv_json_writer *data)
{
	tlv_estimates list = {0};
	size_t n = 0;

	if (tlv_frame_find(model, tlv_errors_section) == NULL)
		return TLV_OK;
	TLV_TRY(tlv_model_estimates(ctx, model, NULL, &list));
	TLV_TRY(tlv_page_put_key(ctx, data, "intervals"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t i = 0; i < list.n && n < TLV_PAGE_INTERVALS; i++)
		if (list.list[i].part != TLV_ESTIMATE_HIDDEN &&
			list.list[i].part != TLV_ESTIMATE_COVARIANCE)
			TLV_TRY(put_interval(ctx, list.list + i, n++ == 0, data));
	tlv_estimates_free(ctx, &list);
	return tlv_json_put(ctx, data, "]");
}

/* ---- an earlier model ---- */

/* For each component of the model the number of its partner before, 0 without, and their
 * distance. */
static tlv_status
put_pairs(tlv_context *ctx, const tlv_match *match, size_t k, tlv_json_writer *data)
{
	TLV_TRY(tlv_page_put_key(ctx, data, "pairs"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t i = 0; i < tlv_least(match->k, k); i++)
	{
		TLV_TRY(tlv_json_put(ctx, data, i > 0 ? ",[" : "["));
		TLV_TRY(tlv_json_put_integer(ctx, data, match->component[i] + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, match->distance[i], 3));
		TLV_TRY(tlv_json_put(ctx, data, "]"));
	}
	return tlv_json_put(ctx, data, "]");
}

tlv_status
page_put_before(tlv_context *ctx, const tlv_frame *model, const tlv_frame *before,
				const tlv_page_view *view, tlv_page *page)
{
	tlv_page_view own = *view;
	component_list list;
	tlv_match match;

	if (view->before == NULL)
		TLV_TRY(tlv_model_match(ctx, model, before, &match));
	else
		own.fields = view->before;
	TLV_TRY(list_components(ctx, before, &list));
	TLV_TRY(tlv_page_put_key(ctx, &page->data, "before"));
	TLV_TRY(tlv_json_put(ctx, &page->data, "{\"components\":["));
	for (size_t i = 0; i < list.k; i++)
		TLV_TRY(put_component(ctx, before, &list, i, &page->data));
	TLV_TRY(tlv_json_put(ctx, &page->data, "]"));
	if (view->before == NULL)
		TLV_TRY(put_pairs(ctx, &match, TLV_PAGE_COMPONENTS, &page->data));
	TLV_TRY(page_put_fields(ctx, before, &own, &page->data));
	return tlv_json_put(ctx, &page->data, "}");
}
