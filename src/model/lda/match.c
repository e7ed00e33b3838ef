/*
 * match.c - the topics of two models, one to one, over the items of either (lda.h).
 */
#include <string.h>

#include "internal.h"
#include "tensorlv/model/topics.h"

tlv_status
tlv_lda_topics_over(tlv_context *ctx, const tlv_frame *frame, size_t d, const int64_t *items,
					double **result)
{
	const tlv_section *phi = tlv_frame_find(frame, "phi");
	const int64_t *own = tlv_frame_int64(frame, "items");
	size_t k = phi->rows, at = 0;

	TLV_TRY_NEW0(ctx, *result, k * d);
	for (size_t i = 0; i < d; i++)
		if (at < phi->columns && own[at] == items[i])
			memcpy(*result + i * k, (const double *) tlv_section_data(frame, phi) + at++ * k,
				   k * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_lda_union_items(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, size_t *d,
					int64_t **items)
{
	size_t na = tlv_frame_find(a, "items")->rows, nb = tlv_frame_find(b, "items")->rows;
	const int64_t *x = tlv_frame_int64(a, "items"), *y = tlv_frame_int64(b, "items");
	size_t i = 0, j = 0, n = 0;

	TLV_TRY_NEW(ctx, *items, na + nb);
	while (i < na || j < nb)
	{
		int64_t next = j >= nb || (i < na && x[i] <= y[j]) ? x[i] : y[j];

		i += i < na && x[i] == next;
		j += j < nb && y[j] == next;
		(*items)[n++] = next;
	}
	*d = n;
	return TLV_OK;
}

tlv_status
tlv_lda_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	double *phi_a, *phi_b;
	int64_t *items;
	size_t d;

	TLV_TRY(tlv_lda_union_items(ctx, a, b, &d, &items));
	TLV_TRY(tlv_lda_topics_over(ctx, a, d, items, &phi_a));
	TLV_TRY(tlv_lda_topics_over(ctx, b, d, items, &phi_b));
	TLV_TRY(tlv_topic_match(ctx, d, match->k, phi_a, tlv_frame_find(b, "phi")->rows, phi_b,
							match->component, match->distance));
	tlv_free(ctx, phi_b);
	tlv_free(ctx, phi_a);
	tlv_free(ctx, items);
	return TLV_OK;
}
