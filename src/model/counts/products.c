/*
 * products.c - passes over documents that multiply the pair moment with the directions of a
 * subspace (counts.h): the steps of its subspace iteration.
 *
 * y = sum of c S b_i over a document's items, S the scale of item i and b_i its row of the basis,
 * is gathered and scattered back to the items (block.h), so that the cost follows the non-zeros.
 * Where the vocabulary is large, memory is that of basis and products: entries of a block are c S,
 * which spares a scaled copy of the basis, and what tokens of the same place add is taken off the
 * sums in place.
 *
 * A few documents are far smaller than their products, which are as large as the basis whatever
 * their number: the value holds them (within_documents.h), and refers to its subspace.
 */
#include "tensorlv/model/counts.h"

#include <string.h>

#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop, and of a product of matrices. */
#define PRODUCT_ITEMS ((size_t) 4096)

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2 /* the items, or 0 where the value refers to its subspace */
#define SIZE_SUMS	   TLV_SIZE_3 /* the items, or 0 where all documents are held */
#define SIZE_DOCUMENTS TLV_SIZE_4 /* of values that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_5

typedef struct product_state
{
	tlv_within_state head; /* correction: sum of s2 c S, or s2 c^2 S^2 in distinct mode */

	double *ritz; /* its own: in the value they are those before */

	/* sums, merged ones included */
	double *products; /* width x d: but for the correction of what is uncorrected */
	double *rayleigh; /* width x width */

	double *rows; /* of the basis: scratch */
} product_state;

/* Entries of the block are scaled. */
static tlv_status
products_take(tlv_context *ctx, tlv_within_state *head)
{
	product_state *state = (product_state *) head;
	tlv_count_block *block = &head->block;

	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s2, state->products));
	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count;

		head->correction[entry->item] +=
			block->s2[entry->row] * (head->within.distinct != 0 ? c * c : c);
	}
	return TLV_OK;
}

static tlv_status
products_allocate(tlv_context *ctx, tlv_within_state *head)
{
	const tlv_subspace *subspace = head->within.subspace;

	return tlv_alloc_numbers(ctx, &((product_state *) head)->rows,
							 subspace->width * tlv_least(PRODUCT_ITEMS, subspace->d));
}

tlv_status
tlv_count_products_create(tlv_context *ctx, const tlv_subspace *subspace,
						  tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {subspace->width, subspace->d, subspace->d};
	product_state *state;

	TLV_TRY(tlv_within_create(ctx, &tlv_kind_count_products, subspace, sizes, accumulator));
	state = (product_state *) *accumulator;
	memcpy(state->ritz, tlv_frame_float64(&subspace->frame, "ritz"),
		   subspace->width * sizeof(double));
	return TLV_OK;
}

/*
 * Tokens of the same place, of items first .. first + n - 1: f_i b_i of their products and
 * sum_i f_i b_i b_i' of the square, f_i = S sum of s2 c S, in distinct mode sum of s2 c^2 S^2.
 */
static tlv_status
subtract_repeats(tlv_context *ctx, product_state *state, size_t first, size_t n)
{
	const tlv_within_state *head = &state->head;
	const tlv_subspace *subspace = head->within.subspace;
	size_t width = subspace->width;
	const double *basis = subspace->basis + first * width;

	for (size_t i = 0; i < n; i++)
	{
		double factor = head->correction[first + i] *
						(head->within.distinct != 0 ? 1 : subspace->scale[first + i]);

		for (size_t j = 0; j < width; j++)
		{
			state->rows[i * width + j] = factor * basis[i * width + j];
			state->products[(first + i) * width + j] -= state->rows[i * width + j];
		}
	}
	return tlv_gemm(ctx, false, true, width, width, n, -1, state->rows, width, basis, width, 1,
					head->square, width);
}

static tlv_status
products_correct(tlv_context *ctx, tlv_within_state *head)
{
	product_state *state = (product_state *) head;
	size_t width = head->within.subspace->width, d = head->within.subspace->d;
	size_t most = tlv_least(PRODUCT_ITEMS, d);

	for (size_t first = 0; first < d; first += most)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(subtract_repeats(ctx, state, first, tlv_least(most, d - first)));
	}
	for (size_t i = 0; i < width * width; i++)
		state->rayleigh[i] += head->square[i];
	return TLV_OK;
}

/* ---- stored values ---- */

static bool
products_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	const tlv_within_state *state = (const tlv_within_state *) accumulator;
	double width = (double) state->declared.sizes[SIZE_BASIS];

	(void) items;
	return tlv_within_few(&state->within, bytes,
						  (width + 3) * (double) state->declared.sizes[SIZE_SUMS] + width * width);
}

/* Sums are there of all documents that are not held. */
static tlv_status
products_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	double summed = tlv_frame_scalar(frame, "documents", 0);
	size_t below = sizes[SIZE_SUMS] > 0 ? sizes[SIZE_SUMS] : (size_t) TLV_DICTIONARY_MAX;

	TLV_TRY(tlv_count_check_counters(ctx, frame));
	if (tlv_documents_told(frame))
		TLV_TRY(tlv_within_check_documents(ctx, frame, below, &summed));
	if (sizes[SIZE_SUMS] == 0 && summed != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the products of %g documents are missing", summed);
	return sizes[SIZE_ITEMS] == 0
			   ? tlv_count_check_reference(ctx, frame, "products", sizes[SIZE_BASIS])
			   : tlv_count_check_subspace(ctx, frame, "products");
}

#define AT(member) offsetof(product_state, member)
/* The subspace's own Ritz values become the ones before. */
#define PRODUCTS_LIST                                                                              \
	TLV_WITHIN_COUNTERS, TLV_WITHIN_SQUARES, TLV_WITHIN_LIST, TLV_WITHIN_ITEMS(SIZE_ITEMS),        \
		{"ritz_before", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(ritz)},           \
		{"rayleigh", TLV_FLOAT64, SIZE_BASIS, SIZE_BASIS, TLV_ANY, TLV_SUM, AT(rayleigh)},         \
	{                                                                                              \
		"products", TLV_FLOAT64, SIZE_BASIS, SIZE_SUMS, TLV_ANY, TLV_SUM, AT(products)             \
	}

TLV_WITHIN_FORMS(TLV_KIND_COUNT_PRODUCTS, product_state, SIZE_DOCUMENTS, SIZE_ENTRIES,
				 TLV_DICTIONARY_MAX, PRODUCTS_LIST, .least = {1}, .check_more = products_check);

static const tlv_within_class products_class = {
	.class = {.name = "count_products", TLV_WITHIN_CLASS(&sums_sections)},
	.told = &told_sections,
	.items = SIZE_ITEMS,
	.sums = SIZE_SUMS,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.create = tlv_count_products_create,
	.allocate = products_allocate,
	.take = products_take,
	.correct = products_correct,
	.smaller = products_smaller,
};
const tlv_kind tlv_kind_count_products = {TLV_KIND_LINE(COUNT_PRODUCTS, count_products),
										  .check = tlv_within_check,
										  .accumulator = &products_class.class};
