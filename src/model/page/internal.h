/*
 * internal.h - the pieces that a page is put together from (page.h).
 */
#ifndef TENSORLV_PAGE_INTERNAL_H
#define TENSORLV_PAGE_INTERNAL_H

#include "tensorlv/model/page.h"

/* The plural of what a component is called. */
extern void page_plural(const tlv_page_view *view, char word[64]);

/* Significant digits of a number of the page. */
#define PAGE_DIGITS 4

/* "fields": the listed sections of the layout, and the names of dimensions. */
extern tlv_status page_put_fields(tlv_context *ctx, const tlv_frame *model,
								  const tlv_page_view *view, tlv_json_writer *data);

/* "components", "neighbours" and "explained", and the table of the plain part. */
extern tlv_status page_put_components(tlv_context *ctx, const tlv_frame *model,
									  const tlv_page_view *view, tlv_page *page);

/* "warnings", also in the plain part. */
extern tlv_status page_put_warnings(tlv_context *ctx, const tlv_frame *model, tlv_page *page);

/* "facts", also in the plain part. */
extern tlv_status page_put_facts(tlv_context *ctx, const tlv_frame *model, tlv_page *page);

/* "intervals": of all estimates whose standard error the model keeps. */
extern tlv_status page_put_intervals(tlv_context *ctx, const tlv_frame *model,
									 tlv_json_writer *data);

/* "before": the components of an earlier model, its fields, and, unless the script makes them, the
 * pairs of both. */
extern tlv_status page_put_before(tlv_context *ctx, const tlv_frame *model, const tlv_frame *before,
								  const tlv_page_view *view, tlv_page *page);

/* "examples" and "given", of k components.  Errors: TLV_BAD_PARAMETER. */
extern tlv_status page_put_examples(tlv_context *ctx, const tlv_json *json, size_t k,
									tlv_json_writer *data);

/* Refuses a member of an example, which is not what it must be. */
extern tlv_status page_refuse_member(tlv_context *ctx, size_t number, const char *key,
									 const char *expected);

/* The number of a node; whether it is one. */
extern bool page_read_number(const tlv_json_node *node, double *value);

/* "measures": numbered diagnostics, [name, number, value]. */
extern tlv_status page_put_measures(tlv_context *ctx, const tlv_frame *model,
									tlv_json_writer *data);

/* "merges": the k components merged by their distances (k x k, used up) as tlv_groups does. */
extern tlv_status page_put_merges(tlv_context *ctx, size_t k, double *distance,
								  const double *weights, tlv_json_writer *data);

/* "points": rows of vectors with the components that they belong to, and how many examples had one.
 */
extern tlv_status page_put_rows(tlv_context *ctx, const tlv_picture_rows *rows,
								const tlv_json *examples, const size_t plane[2],
								tlv_json_writer *data);

#endif /* TENSORLV_PAGE_INTERNAL_H */
