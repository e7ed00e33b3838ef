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

#include "block.h"
#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* Items between two looks at whether to stop, and of a product of matrices. */
#define ITEMS_BETWEEN ((size_t) 4096)

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2 /* the items, or 0 where the value refers to its subspace */
#define SIZE_SUMS	   TLV_SIZE_3 /* the items, or 0 where all documents are held */
#define SIZE_DOCUMENTS TLV_SIZE_4 /* of values that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_5

typedef struct product_state
{
	tlv_declared declared;
	tlv_within within;

	double *ritz; /* its own: in the value they are those before */

	double documents;
	double tokens;
	double squared_lengths;

	/* sums over rows seen here since the last flush */
	size_t uncorrected; /* documents */
	double *correction; /* d: sum of s2 c S, or s2 c^2 S^2 in distinct mode */
	double *square;		/* width x width, lower triangle: sum of s2 y y' */

	/* sums, merged ones included */
	double *products; /* width x d: but for the correction of what is uncorrected */
	double *rayleigh; /* width x width */

	tlv_count_block block; /* rows that are not in the sums yet */
	double *scaled;		   /* the block's y times s2; rows of the basis */
	tlv_document document;
} product_state;

/* All rows of the block into the sums. */
static tlv_status
flush_block(tlv_context *ctx, product_state *state)
{
	tlv_count_block *block = &state->block;
	size_t width = state->within.subspace->width, rows = block->rows;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(ctx, block, state->within.subspace->basis));
	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s2, state->products));
	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count;

		state->correction[entry->item] +=
			block->s2[entry->row] * (state->within.distinct != 0 ? c * c : c);
	}
	for (size_t t = 0; t < rows; t++)
		for (size_t j = 0; j < width; j++)
			state->scaled[t * width + j] = block->s2[t] * block->y[t * width + j];
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->scaled, width, block->y, width,
					 1, state->square, width));
	state->uncorrected += rows;
	tlv_count_block_reset(block);
	return TLV_OK;
}

/* Entries of the block are scaled. */
static tlv_status
product_enter(tlv_context *ctx, tlv_accumulator *accumulator, tlv_document *document, double times)
{
	product_state *state = (product_state *) accumulator;
	bool full;

	for (size_t i = 0; i < document->n_known; i++)
		document->known[i] *= state->within.subspace->scale[document->index[i]];
	TLV_TRY(tlv_count_block_add(ctx, &state->block, document, times, &full));
	return full ? flush_block(ctx, state) : TLV_OK;
}

static tlv_status
product_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	product_state *state = (product_state *) accumulator;
	tlv_document *document = &state->document;
	bool counts;

	TLV_TRY(tlv_within_read(ctx, accumulator, &state->within, row->bag, document, &counts));
	if (!counts)
		return TLV_OK;
	TLV_TRY(state->within.closed ? product_enter(ctx, accumulator, document, 1)
								 : tlv_within_hold(ctx, accumulator, document));
	state->documents++;
	state->tokens += document->length;
	state->squared_lengths += document->length * document->length;
	return TLV_OK;
}

tlv_status
tlv_count_products_create(tlv_context *ctx, const tlv_subspace *subspace,
						  tlv_accumulator **accumulator)
{
	size_t width = subspace->width, d = subspace->d, rows;
	const size_t sizes[TLV_SIZES] = {width, d, d};
	product_state *state;

	TLV_TRY(tlv_sections_create(ctx, tlv_kind_count_products.accumulator, sizes, accumulator));
	state = (product_state *) *accumulator;
	tlv_within_begin(*accumulator, subspace, &state->within);
	memcpy(state->ritz, tlv_frame_float64(&subspace->frame, "ritz"), width * sizeof(double));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, width * width));
	TLV_TRY(tlv_count_block_init(ctx, &state->block, width, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d));
	rows = state->block.room_rows > ITEMS_BETWEEN ? state->block.room_rows : ITEMS_BETWEEN;
	return tlv_alloc_numbers(ctx, &state->scaled,
							 width * tlv_least(rows, d + state->block.room_rows));
}

/*
 * Tokens of the same place, of items first .. first + n - 1: f_i b_i of their products and
 * sum_i f_i b_i b_i' of the square, f_i = S sum of s2 c S, in distinct mode sum of s2 c^2 S^2.
 */
static tlv_status
subtract_repeats(tlv_context *ctx, product_state *state, size_t first, size_t n)
{
	const tlv_subspace *subspace = state->within.subspace;
	size_t width = subspace->width;
	const double *basis = subspace->basis + first * width;

	for (size_t i = 0; i < n; i++)
	{
		double factor = state->correction[first + i] *
						(state->within.distinct != 0 ? 1 : subspace->scale[first + i]);

		for (size_t j = 0; j < width; j++)
		{
			state->scaled[i * width + j] = factor * basis[i * width + j];
			state->products[(first + i) * width + j] -= state->scaled[i * width + j];
		}
	}
	return tlv_gemm(ctx, false, true, width, width, n, -1, state->scaled, width, basis, width, 1,
					state->square, width);
}

/* Rows that wait enter the sums, and what is uncorrected becomes complete. */
static tlv_status
product_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	product_state *state = (product_state *) accumulator;
	size_t width, d, most;

	if (state->within.subspace == NULL)
		return TLV_OK;
	TLV_TRY(flush_block(ctx, state));
	if (state->uncorrected == 0)
		return TLV_OK;
	width = state->within.subspace->width;
	d = state->within.subspace->d;
	most = tlv_least(ITEMS_BETWEEN, d);
	for (size_t first = 0; first < d; first += most)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(subtract_repeats(ctx, state, first, tlv_least(most, d - first)));
	}
	for (size_t i = 0; i < width * width; i++)
		state->rayleigh[i] += state->square[i];
	memset(state->correction, 0, d * sizeof(double));
	memset(state->square, 0, width * width * sizeof(double));
	state->uncorrected = 0;
	return TLV_OK;
}

/* ---- stored values ---- */

static bool
products_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	const product_state *state = (const product_state *) accumulator;
	double width = (double) state->declared.sizes[SIZE_BASIS];

	(void) items;
	return tlv_within_few(&state->within, bytes,
						  (width + 3) * (double) state->declared.sizes[SIZE_SUMS] + width * width);
}

tlv_status
tlv_count_products_sums(tlv_context *ctx, const tlv_frame *products, const tlv_frame *subspace,
						tlv_frame *sums)
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	TLV_TRY(tlv_subspace_open(ctx, subspace, false, &opened));
	TLV_TRY(tlv_count_products_create(ctx, opened, &accumulator));
	return tlv_within_sums(ctx, accumulator, products, sums);
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
	TLV_WITHIN_COUNTERS(product_state), TLV_WITHIN_SQUARES(product_state),                         \
		TLV_WITHIN_LIST(product_state), TLV_WITHIN_ITEMS(product_state, SIZE_ITEMS),               \
		{"ritz_before", TLV_FLOAT64, SIZE_BASIS, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(ritz)},           \
		{"rayleigh", TLV_FLOAT64, SIZE_BASIS, SIZE_BASIS, TLV_ANY, TLV_SUM, AT(rayleigh)},         \
	{                                                                                              \
		"products", TLV_FLOAT64, SIZE_BASIS, SIZE_SUMS, TLV_ANY, TLV_SUM, AT(products)             \
	}

static const tlv_declaration products_list[] = {PRODUCTS_LIST};
/* Of products that hold documents; their sums are of what came otherwise. */
static const tlv_declaration told_list[] = {
	PRODUCTS_LIST,
	TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, product_state, within.documents)};
#undef AT
#define PRODUCTS_SECTIONS(of)                                                                      \
	.state = sizeof(product_state), .kind = TLV_KIND_COUNT_PRODUCTS, TLV_LIST(of), .least = {1},   \
	.flush = product_flush, .check_more = products_check, .no_sums = tlv_document_no_sums
#define PRODUCTS_MOST                                                                              \
	(size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX
static const tlv_sections products_sections = {
	PRODUCTS_SECTIONS(products_list),
	.most = {PRODUCTS_MOST},
};
static const tlv_sections products_told = {
	PRODUCTS_SECTIONS(told_list),
	.takes_away = true,
	.most = {PRODUCTS_MOST, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};

static const tlv_within_class products_class = {
	.class =
		{
			.name = "count_products",
			TLV_WITHIN_CLASS(&products_sections),
			.rows = TLV_ROW_BAG,
			.add = product_add,
		},
	.within = offsetof(product_state, within),
	.told = &products_told,
	.items = SIZE_ITEMS,
	.sums = SIZE_SUMS,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.enter = product_enter,
	.smaller = products_smaller,
};
const tlv_kind tlv_kind_count_products = {TLV_KIND_LINE(COUNT_PRODUCTS, count_products),
										  .check = tlv_within_check,
										  .accumulator = &products_class.class};
