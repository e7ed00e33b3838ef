/*
 * compressed.c - passes over documents within a subspace: products of
 * the pair moment with the basis, and the compressed moments up to order 3
 * (counts.h).
 *
 * Both gather y = W'c of a document (W = scale * basis) and scatter back to
 * its items: cost proportional to non-zeros times width (block.h).  Rows
 * are collected in blocks, which enter the small dense moments by BLAS-3.
 */
#include "tensorlv/model/counts.h"

#include <string.h>

#include "block.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tensor3.h"

typedef struct compressed_state
{
	tlv_accumulator base;
	bool triples;				  /* compressed moments; else products */
	const tlv_subspace *subspace; /* NULL when only stored values are merged */
	void *origin; /* copy of the first merged value, which then describes the subspace */
	tlv_frame origin_frame;
	tlv_digest fingerprint; /* of the subspace */
	size_t d;
	size_t width;
	bool distinct;
	double documents;
	double skipped;
	double tokens;
	double squared_lengths;

	/* sums over rows seen here, not yet corrected for repeated tokens */
	double *scattered;	 /* width x d: sum of s c_i y, s = 1/(L-1) for products, s3 for triples */
	double *correction;	 /* d: sum of s2 c, or s2 c^2 in distinct mode */
	double *correction3; /* d, triples: sum of s3 c */
	double *totals;		 /* d, triples: sum of c */

	/* sums complete in themselves, merged ones included */
	double *products; /* width x d (products) */
	double *square;	  /* width x width, lower triangle: sum of s2 y y' */
	double *cubes;	  /* packed (triples) */
	double *mean;	  /* width (triples): sum of y */
	double *z_sum;	  /* width (triples, distinct) */
	double *z_squares;

	tlv_count_block block; /* rows that are not in the sums yet */
	double *scaled;		   /* the block's y times s2, or its quotients */
	double *work;
	tlv_document document;
} compressed_state;

/* Per-item sums of the block's non-zeros. */
static void
add_item_sums(compressed_state *state)
{
	const tlv_count_block *block = &state->block;

	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		double c = entry->count;

		state->correction[entry->item] += block->s2[entry->row] * (state->distinct ? c * c : c);
		if (state->triples)
		{
			state->correction3[entry->item] += block->s3[entry->row] * c;
			state->totals[entry->item] += c;
		}
	}
}

/* q_tj = (y_tj^2 - sum of c_ti^2 W_ij^2) / (L (L - 1)): pairs of distinct items only */
static tlv_status
add_quotients(tlv_context *ctx, compressed_state *state)
{
	tlv_count_block *block = &state->block;
	size_t width = state->width;

	TLV_TRY(tlv_count_block_squares(ctx, block, state->subspace->weights, state->scaled));
	for (size_t t = 0; t < block->rows; t++)
	{
		double length = 1 + 1 / block->s2[t];
		double s = block->s2[t] / length;

		for (size_t j = 0; j < width; j++)
		{
			double y = block->y[t * width + j];
			double q = s * (y * y - state->scaled[t * width + j]);

			state->z_sum[j] += q;
			state->z_squares[j] += q * q;
		}
	}
	return TLV_OK;
}

static void
scale_rows(compressed_state *state)
{
	const tlv_count_block *block = &state->block;
	size_t width = state->width;

	for (size_t t = 0; t < block->rows; t++)
		for (size_t j = 0; j < width; j++)
			state->scaled[t * width + j] = block->s2[t] * block->y[t * width + j];
}

/* All rows of the block into the sums. */
static tlv_status
flush_block(tlv_context *ctx, compressed_state *state)
{
	tlv_count_block *block = &state->block;
	size_t width = state->width, rows = block->rows;

	if (rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(ctx, block, state->subspace->weights));
	TLV_TRY(tlv_count_block_scatter(ctx, block, state->triples ? block->s3 : block->s2,
									state->scattered));
	add_item_sums(state);
	if (state->triples)
	{
		for (size_t t = 0; t < rows; t++)
			for (size_t j = 0; j < width; j++)
				state->mean[j] += block->y[t * width + j];
		tlv_packed3_add_cubes(width, rows, block->y, block->s3, state->cubes, state->work);
		if (state->distinct)
			TLV_TRY(add_quotients(ctx, state));
	}
	scale_rows(state);
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, rows, 1, state->scaled, width, block->y, width,
					 1, state->square, width));
	tlv_count_block_reset(block);
	return TLV_OK;
}

static tlv_status
compressed_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	compressed_state *state = (compressed_state *) accumulator;
	tlv_document *document = &state->document;
	bool full;

	if (state->subspace == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "a roll-up of stored moments takes no documents");
	TLV_TRY(tlv_document_decode(ctx, document, row->bag));
	if (document->length < TLV_MIN_LENGTH)
	{
		state->skipped++;
		return TLV_OK;
	}
	document->n_known =
		tlv_dictionary_map(&state->subspace->dictionary, document->n, document->items,
						   document->counts, document->index, document->known);
	TLV_TRY(tlv_count_block_add(ctx, &state->block, document, &full));
	state->documents++;
	state->tokens += document->length;
	state->squared_lengths += document->length * document->length;
	return full ? flush_block(ctx, state) : TLV_OK;
}

/* Sums that merged values need, too. */
static tlv_status
allocate_sums(tlv_context *ctx, compressed_state *state)
{
	size_t width = state->width, d = state->d;

	TLV_TRY(tlv_alloc_numbers(ctx, &state->square, width * width));
	if (!state->triples)
		return tlv_alloc_numbers(ctx, &state->products, width * d);
	TLV_TRY(tlv_alloc_numbers(ctx, &state->totals, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->cubes, tlv_packed3_size(width)));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->mean, width));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->z_sum, width));
	return tlv_alloc_numbers(ctx, &state->z_squares, width);
}

/* What only rows need. */
static tlv_status
allocate_rows(tlv_context *ctx, compressed_state *state)
{
	size_t width = state->width, d = state->d;

	TLV_TRY(tlv_count_block_init(ctx, &state->block, width, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->scattered, width * d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, d));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->scaled, width * state->block.room_rows));
	if (!state->triples)
		return TLV_OK;
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction3, d));
	return tlv_alloc_numbers(ctx, &state->work, tlv_tensor3_work(width, state->block.room_rows));
}

static tlv_status
count_compressed_create(tlv_context *ctx, const tlv_kind *kind, const tlv_subspace *subspace,
						tlv_accumulator **accumulator)
{
	compressed_state *state = tlv_alloc0(ctx, 1, sizeof(compressed_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = kind->accumulator;
	state->triples = kind->code == TLV_KIND_COUNT_TRIPLES;
	*accumulator = &state->base;
	if (subspace == NULL)
		return TLV_OK; /* the first merged value tells the sizes */
	state->subspace = subspace;
	state->origin_frame = subspace->frame;
	state->fingerprint = subspace->fingerprint;
	state->d = subspace->d;
	state->width = subspace->width;
	state->distinct = subspace->distinct;
	TLV_TRY(allocate_sums(ctx, state));
	return allocate_rows(ctx, state);
}

tlv_status
tlv_count_products_create(tlv_context *ctx, const tlv_subspace *subspace,
						  tlv_accumulator **accumulator)
{
	return count_compressed_create(ctx, &tlv_kind_count_products, subspace, accumulator);
}

tlv_status
tlv_count_triples_create(tlv_context *ctx, const tlv_subspace *subspace,
						 tlv_accumulator **accumulator)
{
	return count_compressed_create(ctx, &tlv_kind_count_triples, subspace, accumulator);
}

static tlv_status
products_create_empty(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return count_compressed_create(ctx, &tlv_kind_count_products, NULL, accumulator);
}

static tlv_status
triples_create_empty(tlv_context *ctx, tlv_accumulator **accumulator)
{
	return count_compressed_create(ctx, &tlv_kind_count_triples, NULL, accumulator);
}

/* The section that is width x d in either kind. */
static const tlv_section *
wide_section(const compressed_state *state, const tlv_frame *frame)
{
	return tlv_frame_find(frame, state->triples ? "basis" : "products");
}

/* The first merged value describes the subspace: keep a copy of it. */
static tlv_status
adopt_origin(tlv_context *ctx, compressed_state *state, const tlv_frame *frame)
{
	const tlv_section *wide = wide_section(state, frame);

	state->origin = tlv_alloc(ctx, frame->header->size, 1);
	TLV_TRY_ALLOC(ctx, state->origin);
	memcpy(state->origin, frame->header, frame->header->size);
	TLV_TRY(tlv_frame_open(ctx, state->origin, frame->header->size, &state->origin_frame));
	state->fingerprint = *tlv_frame_digest(frame, "subspace");
	state->width = wide->rows;
	state->d = wide->columns;
	state->distinct = tlv_frame_scalar(frame, "distinct", 0) != 0;
	return allocate_sums(ctx, state);
}

static void
add_section(const tlv_frame *frame, const char *name, size_t n, double *sum)
{
	const double *numbers = tlv_frame_float64(frame, name);

	for (size_t i = 0; i < n; i++)
		sum[i] += numbers[i];
}

static tlv_status
compressed_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	compressed_state *state = (compressed_state *) accumulator;
	size_t width;

	if (state->square == NULL)
		TLV_TRY(adopt_origin(ctx, state, frame));
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "subspace")) ||
		state->width != wide_section(state, frame)->rows ||
		state->d != wide_section(state, frame)->columns)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER, "the moments were collected in different subspaces");

		tlv_fail_hint(ctx, "Collect all parts with one and the same tlv_subspace value.");
		return status;
	}
	width = state->width;
	if (state->triples)
	{
		const double *packed = tlv_frame_float64(frame, "pairs");

		for (size_t i = 0; i < width; i++)
			for (size_t j = 0; j <= i; j++)
				state->square[j * width + i] += packed[tlv_packed2_index(i, j)];
		add_section(frame, "triples", tlv_packed3_size(width), state->cubes);
		add_section(frame, "mean", width, state->mean);
		add_section(frame, "totals", state->d, state->totals);
		add_section(frame, "z_sum", width, state->z_sum);
		add_section(frame, "z_squares", width, state->z_squares);
	}
	else
	{
		add_section(frame, "rayleigh", width * width, state->square);
		add_section(frame, "products", width * state->d, state->products);
	}
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->documents += tlv_frame_scalar(frame, "documents", 0);
	state->skipped += tlv_frame_scalar(frame, "skipped", 0);
	state->tokens += tlv_frame_scalar(frame, "tokens", 0);
	state->squared_lengths += tlv_frame_scalar(frame, "squared_lengths", 0);
	return TLV_OK;
}

/* sum_i correction_i w_i w_i' as a width x width matrix, added to square with factor -1 */
static tlv_status
subtract_repeats(tlv_context *ctx, const compressed_state *state, double *square)
{
	size_t width = state->width, d = state->d;
	double *scaled = tlv_alloc(ctx, width * d, sizeof(double));

	TLV_TRY_ALLOC(ctx, scaled);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < width; j++)
			scaled[i * width + j] = state->correction[i] * state->subspace->weights[i * width + j];
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, d, -1, scaled, width, state->subspace->weights,
					 width, 1, square, width));
	tlv_free(ctx, scaled);
	return TLV_OK;
}

static void
add_common(const compressed_state *state, tlv_frame_builder *builder)
{
	static const char *const inherited[] = {
		"rank", "steps", "distinct", "seed", "minimum_documents", "trace"};

	tlv_frame_add_scalar(builder, "documents", state->documents);
	tlv_frame_add_scalar(builder, "skipped", state->skipped);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "tokens", state->tokens);
	tlv_frame_add_scalar(builder, "squared_lengths", state->squared_lengths);
	for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++)
		tlv_frame_add_scalar(builder, inherited[i],
							 tlv_frame_scalar(&state->origin_frame, inherited[i], 0));
	tlv_frame_add_digest(builder, "subspace", &state->fingerprint);
	tlv_frame_add(builder, "items", TLV_INT64, state->d, 1,
				  tlv_frame_int64(&state->origin_frame, "items"));
	tlv_frame_add(builder, "scale", TLV_FLOAT64, state->d, 1,
				  tlv_frame_float64(&state->origin_frame, "scale"));
	tlv_frame_add(builder, "shares", TLV_FLOAT64, state->d, 1,
				  tlv_frame_float64(&state->origin_frame, "shares"));
}

/* Neither a subspace nor a merged value: there is nothing to describe. */
static tlv_status
require_origin(tlv_context *ctx, const compressed_state *state)
{
	return state->square != NULL ? TLV_OK
								 : tlv_fail(ctx, TLV_INTERNAL, "moments without a subspace");
}

/* Z_i = S_i (sum_t s2 c_ti y_t - correction_i w_i), raw sums */
static tlv_status
products_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	compressed_state *state = (compressed_state *) accumulator;
	size_t width = state->width, d = state->d;
	const tlv_section *ritz;
	double *products, *square;

	TLV_TRY(require_origin(ctx, state));
	if (state->subspace != NULL)
		TLV_TRY(flush_block(ctx, state));
	products = tlv_alloc(ctx, width * d + width * width, sizeof(double));
	TLV_TRY_ALLOC(ctx, products);
	square = products + width * d;
	memcpy(products, state->products, width * d * sizeof(double));
	memcpy(square, state->square, width * width * sizeof(double));
	if (state->subspace != NULL)
	{
		for (size_t i = 0; i < d; i++)
			for (size_t j = 0; j < width; j++)
				products[i * width + j] +=
					state->subspace->scale[i] *
					(state->scattered[i * width + j] -
					 state->correction[i] * state->subspace->weights[i * width + j]);
		TLV_TRY(subtract_repeats(ctx, state, square));
	}
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_COUNT_PRODUCTS);
	builder->owned = products;
	add_common(state, builder);
	/* The subspace's own Ritz values become the ones before. */
	ritz = tlv_frame_find(&state->origin_frame, state->subspace != NULL ? "ritz" : "ritz_before");
	tlv_frame_add(builder, "ritz_before", TLV_FLOAT64, ritz->rows, 1,
				  tlv_section_data(&state->origin_frame, ritz));
	tlv_frame_add(builder, "rayleigh", TLV_FLOAT64, width, width, square);
	tlv_frame_add(builder, "products", TLV_FLOAT64, width, d, products);
	return TLV_OK;
}

/*
 * T = sum_t s3 y^(x)3 + Sym3[sum_i w_i (x) w_i (x) r_i], r_i = -u_i + (2/3) g3_i w_i,
 * u_i = sum_t s3 c_ti y_t: exactly the triples of distinct tokens.
 */
static tlv_status
correct_cubes(tlv_context *ctx, const compressed_state *state, double *cubes)
{
	size_t width = state->width, d = state->d;
	const double *weights = state->subspace->weights;
	double *r = tlv_alloc(ctx, width * d, sizeof(double));

	TLV_TRY_ALLOC(ctx, r);
	for (size_t i = 0; i < d; i++)
	{
		double g = 2 * state->correction3[i] / 3;

		for (size_t j = 0; j < width; j++)
			r[i * width + j] = g * weights[i * width + j] - state->scattered[i * width + j];
	}
	TLV_TRY(tlv_packed3_add_squares(ctx, width, d, weights, r, cubes));
	tlv_free(ctx, r);
	return TLV_OK;
}

static tlv_status
triples_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	compressed_state *state = (compressed_state *) accumulator;
	size_t width = state->width, d = state->d;
	size_t n2 = tlv_packed2_size(width), n3 = tlv_packed3_size(width);
	const tlv_section *basis, *ritz;
	double *owned, *pairs, *cubes, *narrow, *square;

	TLV_TRY(require_origin(ctx, state));
	if (state->subspace != NULL)
		TLV_TRY(flush_block(ctx, state));
	owned = tlv_alloc(ctx, n2 + n3 + width * d + width * width, sizeof(double));
	TLV_TRY_ALLOC(ctx, owned);
	pairs = owned;
	cubes = pairs + n2;
	narrow = cubes + n3;
	square = narrow + width * d;
	memcpy(square, state->square, width * width * sizeof(double));
	memcpy(cubes, state->cubes, n3 * sizeof(double));
	if (state->subspace != NULL)
	{
		TLV_TRY(subtract_repeats(ctx, state, square));
		TLV_TRY(correct_cubes(ctx, state, cubes));
	}
	tlv_packed2_pack(width, square, pairs);
	/* The leading directions of a block, or all of a stored value's. */
	basis = tlv_frame_find(&state->origin_frame, "basis");
	for (size_t i = 0; i < d; i++)
		memcpy(narrow + i * width,
			   (const double *) tlv_section_data(&state->origin_frame, basis) + i * basis->rows,
			   width * sizeof(double));
	ritz = tlv_frame_find(&state->origin_frame, "ritz");

	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_COUNT_TRIPLES);
	builder->owned = owned;
	add_common(state, builder);
	tlv_frame_add(builder, "totals", TLV_FLOAT64, d, 1, state->totals);
	tlv_frame_add(builder, "ritz", TLV_FLOAT64, ritz->rows, 1,
				  tlv_section_data(&state->origin_frame, ritz));
	tlv_frame_add(builder, "basis", TLV_FLOAT64, width, d, narrow);
	tlv_frame_add(builder, "mean", TLV_FLOAT64, width, 1, state->mean);
	tlv_frame_add(builder, "pairs", TLV_FLOAT64, n2, 1, pairs);
	tlv_frame_add(builder, "triples", TLV_FLOAT64, n3, 1, cubes);
	tlv_frame_add(builder, "z_sum", TLV_FLOAT64, width, 1, state->z_sum);
	tlv_frame_add(builder, "z_squares", TLV_FLOAT64, width, 1, state->z_squares);
	return TLV_OK;
}

/* Counters, and what both kinds inherit from their subspace. */
static tlv_status
check_common(tlv_context *ctx, const tlv_frame *frame, const char *wide, uint64_t *width,
			 uint64_t *d)
{
	TLV_TRY(tlv_count_check_counters(ctx, frame));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "subspace"));
	return tlv_count_check_subspace(ctx, frame, wide, width, d);
}

static tlv_status
products_check(tlv_context *ctx, const tlv_frame *frame)
{
	uint64_t width = 0, d = 0;

	TLV_TRY(check_common(ctx, frame, "products", &width, &d));
	TLV_TRY(tlv_frame_require(ctx, frame, "ritz_before", TLV_FLOAT64, width, 1, NULL));
	return tlv_frame_require(ctx, frame, "rayleigh", TLV_FLOAT64, width, width, NULL);
}

static tlv_status
triples_check(tlv_context *ctx, const tlv_frame *frame)
{
	uint64_t width = 0, d = 0;
	const tlv_section *ritz = tlv_frame_find(frame, "ritz");

	TLV_TRY(check_common(ctx, frame, "basis", &width, &d));
	if (ritz == NULL || ritz->rows < width || ritz->rows > d ||
		tlv_frame_scalar(frame, "rank", 0) != (double) width)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"ritz\" is missing or has the wrong shape");
	TLV_TRY(tlv_frame_require(ctx, frame, "ritz", TLV_FLOAT64, ritz->rows, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "totals", TLV_FLOAT64, d, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "totals", 0));
	TLV_TRY(tlv_frame_require(ctx, frame, "mean", TLV_FLOAT64, width, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "pairs", TLV_FLOAT64, tlv_packed2_size(width), 1, NULL));
	TLV_TRY(
		tlv_frame_require(ctx, frame, "triples", TLV_FLOAT64, tlv_packed3_size(width), 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "z_sum", TLV_FLOAT64, width, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "z_squares", TLV_FLOAT64, width, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, "z_squares", 0);
}

static const tlv_accumulator_class products_class = {
	.name = "count_products",
	.create = products_create_empty,
	.merge = compressed_merge,
	.build = products_build,
	.rows = TLV_ROW_BAG,
	.add = compressed_add,
};
static const tlv_accumulator_class triples_class = {
	.name = "count_triples",
	.create = triples_create_empty,
	.merge = compressed_merge,
	.build = triples_build,
	.rows = TLV_ROW_BAG,
	.add = compressed_add,
};

const tlv_kind tlv_kind_count_products = {TLV_KIND_LINE(COUNT_PRODUCTS, count_products),
										  .check = products_check, .accumulator = &products_class};
const tlv_kind tlv_kind_count_triples = {TLV_KIND_LINE(COUNT_TRIPLES, count_triples),
										 .check = triples_check, .accumulator = &triples_class};
