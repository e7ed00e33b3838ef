/*
 * within.c - what passes over documents within a subspace have in common (within.h).
 */
#include "within.h"

#include <string.h>

#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

void
tlv_within_begin(tlv_accumulator *accumulator, const tlv_subspace *subspace, tlv_within *within)
{
	within->subspace = subspace;
	tlv_sections_take(accumulator, &subspace->frame);
	within->fingerprint = subspace->fingerprint;
}

tlv_status
tlv_within_read(tlv_context *ctx, tlv_accumulator *accumulator, tlv_within *within,
				const tlv_bag_image *bag, tlv_document *document, bool *counts)
{
	if (within->subspace == NULL || within->no_rows)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_document_decode(ctx, document, bag));
	*counts = !(document->length < TLV_MIN_LENGTH);
	within->skipped += !*counts;
	if (!*counts)
		return TLV_OK;
	return tlv_dictionary_map(ctx, &within->subspace->dictionary, document->n, document->items,
							  document->counts, document->index, document->known,
							  &document->n_known);
}

tlv_status
tlv_within_require_all_pairs(tlv_context *ctx, const tlv_subspace *subspace, const char *what)
{
	if (!subspace->distinct)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_PARAMETER, "%s need a subspace of all pairs, not of distinct ones", what);
	return tlv_fail_hint(ctx, "Find it with distinct_pairs => false.");
}

void
tlv_within_basis(const tlv_subspace *subspace, double *basis)
{
	size_t width = subspace->width;

	for (size_t i = 0; i < subspace->d; i++)
		memcpy(basis + i * width, subspace->basis + i * subspace->block, width * sizeof(double));
}

tlv_status
tlv_within_subtract_repeats(tlv_context *ctx, const tlv_subspace *subspace,
							const double *correction, double *square)
{
	size_t width = subspace->width, d = subspace->d;
	double *scaled;

	TLV_TRY_NEW_ROWS(ctx, scaled, d, width);
	for (size_t i = 0; i < d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
			scaled[i * width + j] = correction[i] * subspace->weights[i * width + j];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, d, -1, scaled, width, subspace->weights, width,
					 1, square, width));
	tlv_free(ctx, scaled);
	return TLV_OK;
}

void
tlv_within_add_square(size_t width, const double *square, double *pairs)
{
	for (size_t i = 0; i < width; i++)
		for (size_t j = 0; j <= i; j++)
			pairs[tlv_packed2_index(i, j)] += square[j * width + i];
}
