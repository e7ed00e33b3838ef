/*
 * draw.c - the topics of a model as cards of their words (internal.h).
 */
#include <inttypes.h>
#include <stdio.h>

#include "internal.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/num/names.h"

static const tlv_name_sections term_sections = {"label_offsets", "labels"};

/* Positions of the most probable items of topic j, the first first; how many there are. */
static size_t
top_items(size_t k, size_t d, size_t j, const double *phi, size_t *top)
{
	size_t n = 0;

	for (size_t i = 0; i < d; i++)
	{
		double p = phi[i * k + j];
		size_t at;

		if (!(p > 0) || (n == TLV_PICTURE_WORDS && p <= phi[top[n - 1] * k + j]))
			continue;
		n += n < TLV_PICTURE_WORDS;
		for (at = n - 1; at > 0 && phi[top[at - 1] * k + j] < p; at--)
			top[at] = top[at - 1];
		top[at] = i;
	}
	return n;
}

tlv_status
tlv_lda_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_section *section = tlv_frame_find(model, "phi");
	const tlv_name_list terms = tlv_name_list_of(model, &term_sections);
	const int64_t *items = tlv_frame_int64(model, "items");
	size_t k = section->rows, d = section->columns, top[TLV_PICTURE_WORDS];
	char numbers[TLV_PICTURE_WORDS][24];
	tlv_picture_component *components;
	double *phi;

	TLV_TRY(tlv_picture_components(ctx, model, "topic", &components));
	TLV_TRY_NEW_ROWS(ctx, phi, k, d);
	tlv_section_numbers(model, section, phi);
	for (size_t j = 0; j < tlv_least(k, TLV_PICTURE_COMPONENTS); j++)
	{
		size_t n = top_items(k, d, j, phi, top);
		double shares[TLV_PICTURE_WORDS];
		tlv_text words[TLV_PICTURE_WORDS];

		TLV_TRY_CONTINUE(ctx);
		for (size_t w = 0; w < n; w++)
		{
			int length = snprintf(numbers[w], sizeof(numbers[w]), "%" PRId64, items[top[w]]);

			shares[w] = phi[top[w] * k + j];
			words[w] = tlv_name_at(&terms, top[w]);
			if (words[w].bytes == NULL)
				words[w] = (tlv_text){numbers[w], (size_t) length};
		}
		TLV_TRY(tlv_draw_words(ctx, picture, j, components + j, n, words, shares));
	}
	tlv_free(ctx, phi);
	tlv_free(ctx, components);
	return TLV_OK;
}
