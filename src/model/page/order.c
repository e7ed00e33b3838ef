/*
 * order.c - which words, nodes and dimensions come first (page.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/num/sort.h"

size_t
tlv_page_name_length(const tlv_name_list *names, size_t all, size_t shown)
{
	double bytes = names->offsets == NULL || all == 0
					   ? 0
					   : (double) names->offsets[all] * (double) shown / (double) all;

	if (bytes <= TLV_PAGE_NAMES)
		return TLV_PAGE_TEXT;
	return TLV_PAGE_NAMES / shown > 24 ? TLV_PAGE_NAMES / shown : 24;
}

/* Scores that are not negative have the order of their bits as floats. */
typedef struct scored
{
	uint64_t key, at;
} scored;

tlv_status
tlv_page_order(tlv_context *ctx, size_t n, const double *scores, size_t *order)
{
	const tlv_sort_form form = {.record = sizeof(scored), .key = 8, .at = 0, .bits = 32};
	scored *records;
	void *sorted;

	TLV_TRY_NEW(ctx, records, 2 * n);
	for (size_t i = 0; i < n; i++)
	{
		float score = (float) scores[i];
		uint32_t bits;

		memcpy(&bits, &score, sizeof(bits));
		records[i] = (scored){(uint32_t) ~bits, i};
	}
	TLV_TRY(tlv_radix_sort(ctx, &form, n, records, records + n, &sorted));
	for (size_t i = 0; i < n; i++)
		order[i] = ((scored *) sorted)[i].at;
	tlv_free(ctx, records);
	return TLV_OK;
}
