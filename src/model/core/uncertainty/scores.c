/*
 * scores.c - sums of outer products of rows' scores (errors.h).
 *
 * The stored value (kind score_products): scalars "rows", "nulls", "units" (rows or steps) and
 * "pieces" (scores; of a long sequence several); the model's fingerprint "model";
 * "blocks" (how many parameters each block has), "scores" (sums, p), "counts" (p) and "products"
 * (of every block the packed sums of outer products, one behind the other), and "curvature", which
 * is empty: only values of errors by the sandwich, which there are no more, have any.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/model/errors.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

struct tlv_score_sink
{
	tlv_declared declared;
	tlv_model *model;		/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	double rows, units, pieces;
	bool left_out; /* the row at hand */
	int64_t *blocks;
	double *scores, *counts, *products;
	double *curvature; /* of no parameter */
	double *waiting;   /* p x TLV_SMALL_BLOCK_ROWS */
	size_t n;		   /* of them */
	double *kept;	   /* p: the counts before a weighted row; NULL before the first */
	double *square;	   /* of the largest block */
};
typedef struct tlv_score_sink scores_state;

/* Sizes of the sections. */
#define SIZE_PARAMETERS TLV_SIZE_1
#define SIZE_BLOCKS		TLV_SIZE_2
#define SIZE_PRODUCTS	TLV_SIZE_3
#define SIZE_CURVATURE	TLV_SIZE_4

/* ---- collecting ---- */

/* Adds what waits to the sums. */
static tlv_status
scores_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	scores_state *state = (scores_state *) accumulator;
	size_t p = state->declared.sizes[SIZE_PARAMETERS], first = 0, n = state->n;
	double *into = state->products;

	state->n = 0;
	for (size_t b = 0; n > 0 && b < state->declared.sizes[SIZE_BLOCKS]; b++)
	{
		size_t size = (size_t) state->blocks[b];

		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(tlv_syrk(ctx, false, size, n, 1, state->waiting + first, p, 0, state->square, size,
						 false));
		for (size_t i = 0; i < size; i++)
			for (size_t c = 0; c <= i; c++)
				*into++ += state->square[c * size + i];
		first += size;
	}
	for (size_t t = 0; t < n; t++)
		for (size_t i = 0; i < p; i++)
			state->scores[i] += state->waiting[t * p + i];
	return TLV_OK;
}

tlv_status
tlv_scores_next(tlv_context *ctx, tlv_score_sink *sink, double units, double **scores,
				double **counts)
{
	size_t p = sink->declared.sizes[SIZE_PARAMETERS];

	if (sink->waiting == NULL)
		TLV_TRY_NEW_ROWS(ctx, sink->waiting, p, TLV_SMALL_BLOCK_ROWS);
	if (sink->n == TLV_SMALL_BLOCK_ROWS)
		TLV_TRY(scores_flush(ctx, &sink->declared.base));
	TLV_TRY(tlv_require_whole_sum(ctx, "units", sink->units, units));
	sink->units += units;
	sink->pieces++;
	*scores = sink->waiting + sink->n++ * p;
	*counts = sink->counts;
	memset(*scores, 0, p * sizeof(double));
	return TLV_OK;
}

void
tlv_scores_leave_out(tlv_score_sink *sink)
{
	sink->left_out = true;
}

/* The counts as they are before a row whose weight is not 1. */
static tlv_status
scores_keep_counts(tlv_context *ctx, scores_state *state)
{
	size_t p = state->declared.sizes[SIZE_PARAMETERS];

	if (state->kept == NULL)
		TLV_TRY_NEW(ctx, state->kept, p);
	memcpy(state->kept, state->counts, p * sizeof(double));
	return TLV_OK;
}

/* The last row's scores enter their sums with its weight, and their products, which are those of
 * what waits, with its weight as well. */
static void
weigh_last(scores_state *state, double weight)
{
	size_t p = state->declared.sizes[SIZE_PARAMETERS];
	double *last = state->waiting + (state->n - 1) * p, root = sqrt(weight);

	for (size_t i = 0; i < p; i++)
	{
		state->scores[i] += (weight - root) * last[i];
		last[i] *= root;
		state->counts[i] = state->kept[i] + weight * (state->counts[i] - state->kept[i]);
	}
}

static tlv_status
scores_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	scores_state *state = (scores_state *) accumulator;
	double weight = tlv_row_weight(row);

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_model_require(ctx, state->model, row->form, "an error"));
	if (weight != 1)
		TLV_TRY(scores_keep_counts(ctx, state));
	state->left_out = false;
	TLV_TRY(state->model->class->score(ctx, state->model, row, state));
	if (state->left_out)
	{
		state->declared.base.nulls++;
		return TLV_OK;
	}
	if (weight == 1)
		return tlv_count_one(ctx, "rows", &state->rows);
	weigh_last(state, weight);
	state->rows += weight;
	return TLV_OK;
}

/* Sizes of the blocks of a list of estimates, from the arena. */
static tlv_status
list_blocks(tlv_context *ctx, const tlv_estimates *list, size_t *n, int64_t **blocks,
			size_t *products)
{
	*n = list->n > 0 ? list->list[list->n - 1].block + 1 : 0;
	*products = 0;
	TLV_TRY_NEW0(ctx, *blocks, *n);
	for (size_t i = 0; i < list->n; i++)
		*products += (size_t)++(*blocks)[list->list[i].block];
	return TLV_OK;
}

static tlv_status
require_limits(tlv_context *ctx, size_t p, size_t n, const int64_t *blocks, size_t products)
{
	for (size_t b = 0; b < n; b++)
		if (blocks[b] > TLV_SCORES_MOST_BLOCK)
		{
			tlv_fail(ctx, TLV_LIMIT,
					 "standard errors of %lld parameters that depend on each other are too "
					 "many: the limit is %d",
					 (long long) blocks[b], TLV_SCORES_MOST_BLOCK);
			return tlv_fail_hint(ctx, "tlv_jackknife has no such limit.");
		}
	if (p > TLV_SCORES_MOST || products > TLV_SCORES_MOST_PRODUCTS)
	{
		tlv_fail(ctx, TLV_LIMIT, "standard errors of %zu parameters are too many", p);
		return tlv_fail_hint(ctx, "tlv_jackknife has no such limit.");
	}
	return TLV_OK;
}

static tlv_status
create_with_blocks(tlv_context *ctx, tlv_model *model, const tlv_estimates *list,
				   tlv_accumulator **accumulator)
{
	size_t sizes[TLV_SIZES] = {list->n}, largest = 0;
	scores_state *state;
	int64_t *blocks;

	TLV_TRY(list_blocks(ctx, list, &sizes[SIZE_BLOCKS], &blocks, &sizes[SIZE_PRODUCTS]));
	TLV_TRY(require_limits(ctx, list->n, sizes[SIZE_BLOCKS], blocks, sizes[SIZE_PRODUCTS]));
	TLV_TRY(tlv_require_memory(ctx,
							   sizeof(double) *
								   ((double) list->n * (TLV_SMALL_BLOCK_ROWS + 2) +
									(double) sizes[SIZE_PRODUCTS] + (double) sizes[SIZE_BLOCKS]),
							   "statistics of errors"));
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_score_products.accumulator, sizes, accumulator));
	state = (scores_state *) *accumulator;
	for (size_t b = 0; b < sizes[SIZE_BLOCKS]; b++)
	{
		state->blocks[b] = blocks[b];
		largest = (size_t) blocks[b] > largest ? (size_t) blocks[b] : largest;
	}
	TLV_TRY_NEW_ROWS(ctx, state->square, largest, largest);
	state->model = model;
	state->fingerprint = model->frame.header->digest;
	tlv_free(ctx, blocks);
	return TLV_OK;
}

tlv_status
tlv_scores_create(tlv_context *ctx, tlv_model *model, tlv_accumulator **accumulator)
{
	tlv_estimates list = {0};

	TLV_TRY(model->class->estimates(ctx, &model->frame, &list));
	TLV_TRY(create_with_blocks(ctx, model, &list, accumulator));
	tlv_estimates_free(ctx, &list);
	return TLV_OK;
}

/* ---- the stored value ---- */

static tlv_status
refuse_sandwich(tlv_context *ctx, const tlv_frame *frame)
{
	if (tlv_frame_find(frame, "curvature")->rows == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_GONE, "errors by the sandwich are no more");
	return tlv_fail_hint(ctx, "Use tlv_jackknife of fits to all but a group of the rows.");
}

/* The blocks make up the parameters and the products. */
static tlv_status
scores_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const int64_t *blocks = tlv_frame_int64(frame, "blocks");
	size_t p = 0, products = 0;

	for (size_t b = 0; b < sizes[SIZE_BLOCKS]; b++)
	{
		if (blocks[b] > TLV_SCORES_MOST_BLOCK)
			return tlv_fail(ctx, TLV_CORRUPT, "a block has %lld parameters", (long long) blocks[b]);
		p += (size_t) blocks[b];
		products += tlv_packed2_size((size_t) blocks[b]);
	}
	if (p != sizes[SIZE_PARAMETERS] || products != sizes[SIZE_PRODUCTS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"blocks\" does not fit the others");
	return refuse_sandwich(ctx, frame);
}

/* Values in tables are not checked when they are read. */
static tlv_status
scores_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	TLV_TRY(refuse_sandwich(ctx, frame));
	return tlv_sections_merge(ctx, accumulator, frame);
}

#define AT(member) offsetof(scores_state, member)
static const tlv_declaration scores_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"units", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(units)},
	{"pieces", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(pieces)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"scores", TLV_FLOAT64, SIZE_PARAMETERS, TLV_ONE, TLV_ANY, TLV_SUM, AT(scores)},
	{"counts", TLV_FLOAT64, SIZE_PARAMETERS, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(counts)},
	{"blocks", TLV_INT64, SIZE_BLOCKS, TLV_ONE, TLV_POSITIVE, TLV_EQUAL, AT(blocks)},
	{"products", TLV_FLOAT64, SIZE_PRODUCTS, TLV_ONE, TLV_ANY, TLV_SUM, AT(products)},
	{"curvature", TLV_FLOAT64, SIZE_CURVATURE, TLV_ONE, TLV_ANY, TLV_SUM, AT(curvature)},
};
#undef AT
static const tlv_sections scores_sections = {
	.state = sizeof(scores_state),
	.kind = TLV_KIND_SCORE_PRODUCTS,
	TLV_LIST(scores_list),
	.least = {1, 1, 1, 0},
	.most = {TLV_SCORES_MOST, TLV_SCORES_MOST, TLV_SCORES_MOST_PRODUCTS, TLV_SCORES_MOST_PRODUCTS},
	.flush = scores_flush,
	.check_more = scores_check_more,
};
static const tlv_accumulator_class scores_class = {
	.name = "score_products",
	.sections = &scores_sections,
	.merge = scores_merge,
	.build = tlv_sections_build,
	.rows = TLV_ROW_VECTOR | TLV_ROW_VIEWS | TLV_ROW_CATEGORIES | TLV_ROW_SEQUENCE |
			TLV_ROW_SYMBOLS | TLV_ROW_CODES | TLV_ROWS_MISSING_ELEMENTS,
	.weighting = TLV_WEIGHTING_EFFECTIVE,
	.add = scores_add,
};
const tlv_kind tlv_kind_score_products = {TLV_KIND_LINE(SCORE_PRODUCTS, score_products),
										  .accumulator = &scores_class};

/* ---- as the model asks for it ---- */

/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
tlv_status
tlv_scores_require(tlv_context *ctx, const tlv_frame *errors, const tlv_estimates *list,
				   const char *what)
{
	const tlv_section *section;
	int64_t *blocks;
	size_t n, products;
	bool same;

	TLV_TRY(tlv_kind_require(ctx, errors, &tlv_kind_score_products, what));
	TLV_TRY(refuse_sandwich(ctx, errors));
	TLV_TRY(list_blocks(ctx, list, &n, &blocks, &products));
	section = tlv_frame_find(errors, "blocks");
	same = section->rows == n && tlv_frame_find(errors, "scores")->rows == list->n &&
		   memcmp(blocks, tlv_section_data(errors, section), n * sizeof(int64_t)) == 0;
	tlv_free(ctx, blocks);
	if (!same)
		return tlv_refuse_foreign_statistics(ctx);
	if (!(tlv_frame_scalar(errors, "units", 0) > 0))
		return tlv_refuse_empty(ctx, "the statistics hold", "rows");
	return TLV_OK;
}
