/*
 * measures.c - what a page says about the fit (page.h): scores of the numbers of components that
 * were tried, measures of single components, and how components merge.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/layout.h"

/* Diagnostics by the number of components, and by component. */
static const char *const by_number[] = {"held_out",	   "held_out_error", "bic",
										"icl",		   "evidence",		 "p_enough",
										"residual_of", "recurrence",	 "conductance"};

/* A diagnostic "bic_12" of the list: [name, 12, value]. */
static tlv_status
put_measure(tlv_context *ctx, const tlv_diagnostics_walk *walk, size_t *n, tlv_json_writer *data)
{
	size_t length = strlen(walk->name);

	while (length > 0 && isdigit((unsigned char) walk->name[length - 1]))
		length--;
	if (length < 2 || walk->name[length] == '\0' || walk->name[length - 1] != '_')
		return TLV_OK;
	for (size_t i = 0; i < sizeof(by_number) / sizeof(*by_number); i++)
		if (strlen(by_number[i]) == length - 1 &&
			strncmp(walk->name, by_number[i], length - 1) == 0)
		{
			TLV_TRY(tlv_json_put(ctx, data, (*n)++ > 0 ? ",[\"" : "[\""));
			TLV_TRY(tlv_json_put(ctx, data, by_number[i]));
			TLV_TRY(tlv_json_put(ctx, data, "\","));
			TLV_TRY(tlv_json_put_integer(ctx, data, strtol(walk->name + length, NULL, 10)));
			TLV_TRY(tlv_json_put(ctx, data, ","));
			TLV_TRY(tlv_page_put_number(ctx, data, walk->value, 8));
			return tlv_json_put(ctx, data, "]");
		}
	return TLV_OK;
}

tlv_status
page_put_measures(tlv_context *ctx, const tlv_frame *model, tlv_json_writer *data)
{
	/* Entries of a list at most. */
	const int most = 1000;
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);
	size_t n = 0;

	TLV_TRY(tlv_page_put_key(ctx, data, "measures"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	while (n < most && tlv_diagnostics_next(&walk))
		TLV_TRY(put_measure(ctx, &walk, &n, data));
	return tlv_json_put(ctx, data, "]");
}

tlv_status
page_put_merges(tlv_context *ctx, size_t k, double *distance, const double *weights,
				tlv_json_writer *data)
{
	double *left;
	size_t count;
	tlv_merger *mergers;

	TLV_TRY_NEW(ctx, left, k);
	TLV_TRY_NEW(ctx, mergers, k);
	memcpy(left, weights, k * sizeof(double));
	TLV_TRY(tlv_merge_components(ctx, k, distance, left, 1, mergers, &count, NULL));
	TLV_TRY(tlv_page_put_key(ctx, data, "merges"));
	TLV_TRY(tlv_json_put(ctx, data, "["));
	for (size_t i = 0; i < count; i++)
	{
		TLV_TRY(tlv_json_put(ctx, data, i > 0 ? ",[" : "["));
		TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) mergers[i].a + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_json_put_integer(ctx, data, (int64_t) mergers[i].b + 1));
		TLV_TRY(tlv_json_put(ctx, data, ","));
		TLV_TRY(tlv_page_put_number(ctx, data, mergers[i].distance, 3));
		TLV_TRY(tlv_json_put(ctx, data, "]"));
	}
	tlv_free(ctx, mergers);
	tlv_free(ctx, left);
	return tlv_json_put(ctx, data, "]");
}
