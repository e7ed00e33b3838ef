/*
 * document.c - a bag as a document of words (counts.h).
 */
#include "tensorlv/model/counts.h"

#include <math.h>
#include <string.h>

tlv_status
tlv_document_decode(tlv_context *ctx, tlv_document *document, const tlv_bag_image *bag)
{
	size_t n = bag->n;

	if (n > document->room)
	{
		size_t room = n < 64 ? 64 : n + n / 2;

		tlv_free(ctx, document->items);
		tlv_free(ctx, document->counts);
		tlv_free(ctx, document->index);
		tlv_free(ctx, document->known);
		memset(document, 0, sizeof(*document));
		TLV_TRY_NEW(ctx, document->items, room);
		document->counts = tlv_alloc(ctx, room, sizeof(double));
		TLV_TRY_ALLOC(ctx, document->counts);
		TLV_TRY_NEW(ctx, document->index, room);
		document->known = tlv_alloc(ctx, room, sizeof(double));
		TLV_TRY_ALLOC(ctx, document->known);
		document->room = room;
	}
	TLV_TRY(tlv_bag_read(ctx, bag, document->items, document->counts));
	document->n = n;
	document->length = 0;
	for (size_t i = 0; i < n; i++)
		document->length += document->counts[i];
	/* Stored in 0, 1, 2 or 4 bytes they are integers, and their sum is exact. */
	if (bag->weight_width == 8)
	{
		if (!(document->length <= TLV_MAX_LENGTH))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "a document has %g tokens, more than 2^53",
					 document->length);
			return tlv_fail_hint(ctx, "Divide all counts by one number, and round them.");
		}
		for (size_t i = 0; i < n; i++)
			if (document->counts[i] != floor(document->counts[i]))
			{
				tlv_fail(ctx, TLV_BAD_DATA, "count %g of item %lld is not an integer",
						 document->counts[i], (long long) document->items[i]);
				return tlv_fail_hint(ctx,
									 "Topic models count words: round the weights, or scale them "
									 "to integers, before collecting.");
			}
	}
	return TLV_OK;
}
