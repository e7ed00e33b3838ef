/*
 * order.c - which words, nodes and dimensions come first (page.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/num/sort.h"

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
