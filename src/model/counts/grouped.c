/*
 * grouped.c - compressed moments of documents by groups of entities, which share the basis: what a
 * jackknife needs (counts.h).
 *
 * Of every group the totals of the items, the products Z_i = sum_t s2 c_ti y_t - g_i w_i of the
 * pair moment with the basis, and the third moment.  All else follows: m = W'totals, Q = W'Z.
 *
 * These sums are as large as the basis times the groups, whatever the number of documents: a value
 * of a few holds the documents with their groups (within_documents.h), and refers to its subspace.
 */
#include "tensorlv/model/counts.h"

#include <math.h>
#include <string.h>

#include "block.h"
#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/assert.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/tensor3.h"

/* Items between two looks at whether to stop. */
#define ITEMS_BETWEEN 4096

/* The sizes. */
#define SIZE_BASIS	   TLV_SIZE_1
#define SIZE_ITEMS	   TLV_SIZE_2
#define SIZE_SUMS	   TLV_SIZE_3 /* the groups, or 0 where all documents are held */
#define SIZE_RITZ	   TLV_SIZE_4 /* as many as the subspace has directions */
#define SIZE_GROUPS	   TLV_SIZE_5
#define SIZE_HELD	   TLV_SIZE_6 /* the items, or 0 where the value refers to its subspace */
#define SIZE_DOCUMENTS TLV_SIZE_7 /* of values that hold documents, items by their places */
#define SIZE_ENTRIES   TLV_SIZE_8

/* Most directions, as of compressed moments. */
#define MOST_DIRECTIONS 1000

/* Of the documents of a group: what counters may be rounded by. */
#define COUNTERS_TOLERANCE 1e-6

typedef struct grouped_state
{
	tlv_declared declared;
	tlv_within within;
	size_t groups;

	double *ritz;
	double *basis; /* width x d */

	/* by group */
	double *documents;
	double *tokens;
	double *squared_lengths;
	double *totals;	  /* d x groups */
	double *products; /* width x d x groups, not yet corrected for repeated tokens */
	double *cubes;	  /* packed x groups, likewise */

	/* of rows since the last flush */
	bool uncorrected;
	double *scattered;		 /* width x d x groups: sum of s3 c y */
	double *correction;		 /* d x groups: sum of s2 c */
	double *correction3;	 /* d x groups: sum of s3 c */
	tlv_count_block *blocks; /* groups: rows that are not in the sums yet */
	double *work;
	tlv_document document;
} grouped_state;

/* ---- rows ---- */

static void
add_item_sums(grouped_state *state, size_t group)
{
	const tlv_count_block *block = &state->blocks[group];
	size_t first = group * state->within.subspace->d;

	for (size_t i = 0; i < block->n; i++)
	{
		const tlv_count_entry *entry = &block->entries[i];
		size_t at = first + (size_t) entry->item;

		tlv_count_add(&state->totals[at], block->times[entry->row] * entry->count);
		state->correction[at] += block->s2[entry->row] * entry->count;
		state->correction3[at] += block->s3[entry->row] * entry->count;
	}
}

/* The rows of one group that wait enter its sums. */
static tlv_status
flush_block(tlv_context *ctx, grouped_state *state, size_t group)
{
	tlv_count_block *block = &state->blocks[group];
	size_t width = state->within.subspace->width, d = state->within.subspace->d;

	if (block->rows == 0)
		return TLV_OK;
	TLV_TRY(tlv_count_block_gather(ctx, block, state->within.subspace->weights));
	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s2, state->products + group * width * d));
	TLV_TRY(tlv_count_block_scatter(ctx, block, block->s3, state->scattered + group * width * d));
	add_item_sums(state, group);
	tlv_packed3_add_cubes(width, block->rows, block->y, block->s3,
						  state->cubes + group * tlv_packed3_size(width), state->work);
	state->uncorrected = true;
	tlv_count_block_reset(block);
	return TLV_OK;
}

/* The block of a group, made when its first document comes. */
static tlv_status
open_block(tlv_context *ctx, grouped_state *state, size_t group)
{
	tlv_count_block *block = &state->blocks[group];

	if (block->room_rows > 0)
		return TLV_OK;
	TLV_TRY(
		tlv_count_block_init(ctx, block, state->within.subspace->width, state->within.subspace->d));
	if (state->work != NULL)
		return TLV_OK;
	return tlv_alloc_numbers(ctx, &state->work,
							 tlv_tensor3_work(state->within.subspace->width, block->room_rows));
}

/* Known items of a document, and its length, into the block of its group. */
static tlv_status
grouped_enter(tlv_context *ctx, tlv_accumulator *accumulator, tlv_document *document, double times)
{
	grouped_state *state = (grouped_state *) accumulator;
	size_t group = document->group;
	bool full;

	tlv_assert(group < state->groups);
	TLV_TRY(open_block(ctx, state, group));
	TLV_TRY(tlv_count_block_add(ctx, &state->blocks[group], document, times, &full));
	return full ? flush_block(ctx, state, group) : TLV_OK;
}

static tlv_status
grouped_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	grouped_state *state = (grouped_state *) accumulator;
	tlv_document *document = &state->document;
	size_t group;
	bool counts;

	TLV_TRY(
		tlv_within_read(ctx, accumulator, &state->within, row->neighbours.bag, document, &counts));
	if (!counts)
		return TLV_OK;
	group = document->group = tlv_mix64((uint64_t) row->neighbours.node) % state->groups;
	TLV_TRY(state->within.closed ? grouped_enter(ctx, accumulator, document, 1)
								 : tlv_within_hold(ctx, accumulator, document));
	state->documents[group]++;
	state->tokens[group] += document->length;
	state->squared_lengths[group] += document->length * document->length;
	return TLV_OK;
}

/* What only rows need. */
static tlv_status
allocate_rows(tlv_context *ctx, tlv_accumulator *accumulator)
{
	grouped_state *state = (grouped_state *) accumulator;
	size_t width = state->within.subspace->width, n;

	state->groups = state->declared.sizes[SIZE_GROUPS];
	n = state->within.subspace->d * state->groups;
	if (state->declared.sizes[SIZE_SUMS] == 0)
		TLV_TRY(tlv_sections_resize(ctx, accumulator, SIZE_SUMS, state->groups));
	TLV_TRY_NEW0(ctx, state->blocks, state->groups);
	TLV_TRY(tlv_alloc_numbers(ctx, &state->scattered, width * n));
	TLV_TRY(tlv_alloc_numbers(ctx, &state->correction, n));
	return tlv_alloc_numbers(ctx, &state->correction3, n);
}

tlv_status
tlv_grouped_moments_create(tlv_context *ctx, const tlv_subspace *subspace, size_t groups,
						   tlv_accumulator **accumulator)
{
	size_t width = subspace->width;
	const size_t sizes[TLV_SIZES] = {width,			  subspace->d, groups,
									 subspace->block, groups,	   subspace->d};
	grouped_state *state;

	TLV_TRY(tlv_within_require_all_pairs(ctx, subspace, "moments by group"));
	if (groups < 2 || groups > TLV_MOST_GROUPS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "groups = %zu is not between 2 and %d", groups,
				 TLV_MOST_GROUPS);
		return tlv_fail_hint(ctx, "Take 20 groups or so.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_grouped_moments.accumulator, sizes, accumulator));
	state = (grouped_state *) *accumulator;
	tlv_within_begin(*accumulator, subspace, &state->within);
	tlv_within_basis(subspace, state->basis);
	memcpy(state->ritz, tlv_frame_float64(&subspace->frame, "ritz"),
		   subspace->block * sizeof(double));
	return allocate_rows(ctx, *accumulator);
}

/*
 * What tokens of the same place add: g_i w_i of the products, and of the third moment, as in
 * compressed.c, Sym3[sum_i w_i (x) w_i (x) (u_i - (2/3) g3_i w_i)], u_i = sum_t s3 c_ti y_t.
 */
static tlv_status
correct_group(tlv_context *ctx, grouped_state *state, size_t group)
{
	size_t width = state->within.subspace->width, d = state->within.subspace->d;
	const double *weights = state->within.subspace->weights;
	double *r = state->scattered + group * width * d,
		   *products = state->products + group * width * d;

	for (size_t i = 0; i < d; i++)
	{
		double g2 = state->correction[group * d + i];
		double g3 = 2 * state->correction3[group * d + i] / 3;

		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
		{
			products[i * width + j] -= g2 * weights[i * width + j];
			r[i * width + j] = g3 * weights[i * width + j] - r[i * width + j];
		}
	}
	return tlv_packed3_add_squares(ctx, width, d, weights, r,
								   state->cubes + group * tlv_packed3_size(width));
}

/* Rows that wait enter the sums, and what is uncorrected becomes complete. */
static tlv_status
grouped_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	grouped_state *state = (grouped_state *) accumulator;
	size_t width, d;

	if (state->within.subspace == NULL)
		return TLV_OK;
	width = state->within.subspace->width;
	d = state->within.subspace->d;
	for (size_t g = 0; g < state->groups; g++)
		TLV_TRY(flush_block(ctx, state, g));
	if (!state->uncorrected)
		return TLV_OK;
	for (size_t g = 0; g < state->groups; g++)
		TLV_TRY(correct_group(ctx, state, g));
	memset(state->scattered, 0, width * d * state->groups * sizeof(double));
	memset(state->correction, 0, d * state->groups * sizeof(double));
	memset(state->correction3, 0, d * state->groups * sizeof(double));
	state->uncorrected = false;
	return TLV_OK;
}

/* ---- the groups of a stored value ---- */

/* to += sign times the n numbers that a section has of a group. */
static tlv_status
add_group(tlv_context *ctx, const tlv_frame *grouped, const char *name, size_t n, size_t group,
		  double sign, double *to)
{
	const double *from = tlv_frame_float64(grouped, name) + group * n;

	for (size_t i = 0; i < n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		to[i] += sign * from[i];
	}
	return TLV_OK;
}

tlv_status
tlv_grouped_moments_sums(tlv_context *ctx, const tlv_frame *moments, const tlv_frame *subspace,
						 tlv_frame *sums)
{
	size_t groups = tlv_frame_find(moments, "documents")->rows;
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	TLV_TRY(tlv_subspace_open(ctx, subspace, true, &opened));
	TLV_TRY(tlv_grouped_moments_create(ctx, opened, groups, &accumulator));
	return tlv_within_sums(ctx, accumulator, moments, sums);
}

/* Those of a value that holds all of them. */
static tlv_status
open_sums(tlv_context *ctx, const tlv_frame *grouped, tlv_grouped *all)
{
	size_t width = tlv_frame_find(grouped, "basis")->rows;
	size_t d = tlv_frame_find(grouped, "items")->rows;
	size_t groups = tlv_frame_find(grouped, "documents")->rows;
	const double *scale = tlv_frame_float64(grouped, "scale");
	const double *basis = tlv_frame_float64(grouped, "basis");

	*all = (tlv_grouped){.frame = *grouped, .width = width, .d = d, .groups = groups};
	TLV_TRY_NEW0(ctx, all->totals, d);
	TLV_TRY(tlv_alloc_numbers(ctx, &all->products, width * d));
	TLV_TRY_NEW0(ctx, all->cubes, tlv_packed3_size(width));
	TLV_TRY(tlv_alloc_numbers(ctx, &all->weights, width * d));
	for (size_t g = 0; g < groups; g++)
	{
		TLV_TRY_CONTINUE(ctx);
		TLV_TRY(add_group(ctx, grouped, "totals", d, g, 1, all->totals));
		TLV_TRY(add_group(ctx, grouped, "products", width * d, g, 1, all->products));
		TLV_TRY(add_group(ctx, grouped, "triples", tlv_packed3_size(width), g, 1, all->cubes));
	}
	for (size_t i = 0; i < d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
			all->weights[i * width + j] = scale[i] * basis[i * width + j];
	}
	return TLV_OK;
}

tlv_status
tlv_grouped_open(tlv_context *ctx, const tlv_frame *grouped, const tlv_frame *subspace,
				 const char *call, tlv_grouped *all)
{
	tlv_frame complete;

	TLV_TRY(tlv_count_complete(ctx, grouped, subspace, call, &complete));
	return open_sums(ctx, &complete, all);
}

/* The counters of the groups but that one. */
static double
count_without(const tlv_grouped *all, const char *name, size_t without)
{
	double sum = 0;

	for (size_t g = 0; g < all->groups; g++)
		sum += g == without ? 0 : tlv_frame_float64(&all->frame, name)[g];
	return sum;
}

/* m = W'totals and the packed Q = W'Z. */
static tlv_status
compress(tlv_context *ctx, const tlv_grouped *all, const double *totals, const double *products,
		 double *mean, double *pairs)
{
	size_t width = all->width, d = all->d;
	double *square;

	TLV_TRY_NEW_ROWS(ctx, square, width, width);
	memset(mean, 0, width * sizeof(double));
	for (size_t i = 0; i < d; i++)
	{
		if (i % ITEMS_BETWEEN == 0)
			TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < width; j++)
			mean[j] += totals[i] * all->weights[i * width + j];
	}
	TLV_TRY(tlv_gemm(ctx, false, true, width, width, d, 1, products, width, all->weights, width, 0,
					 square, width));
	for (size_t i = 0; i < width; i++)
		for (size_t j = 0; j <= i; j++)
			pairs[tlv_packed2_index(i, j)] = (square[i * width + j] + square[j * width + i]) / 2;
	tlv_free(ctx, square);
	return TLV_OK;
}

tlv_status
tlv_grouped_without(tlv_context *ctx, const tlv_grouped *all, size_t without, double *products,
					void **image, size_t *size)
{
	static const char *const by_group[] = {
		"documents", "tokens", "squared_lengths", "totals", "products", "triples", NULL};
	size_t width = all->width, d = all->d, packed = tlv_packed3_size(width);
	double *totals, *cubes, *mean, *pairs, *none, counters[3];
	tlv_frame_builder *builder;

	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY_NEW(ctx, totals, d);
	TLV_TRY_NEW(ctx, cubes, packed);
	TLV_TRY_NEW(ctx, mean, width);
	TLV_TRY_NEW0(ctx, none, width);
	TLV_TRY_NEW(ctx, pairs, tlv_packed2_size(width));
	TLV_TRY(tlv_copy(ctx, products, all->products, width * d * sizeof(double)));
	TLV_TRY(tlv_copy(ctx, totals, all->totals, d * sizeof(double)));
	TLV_TRY(tlv_copy(ctx, cubes, all->cubes, packed * sizeof(double)));
	if (without < all->groups)
	{
		TLV_TRY(add_group(ctx, &all->frame, "totals", d, without, -1, totals));
		TLV_TRY(add_group(ctx, &all->frame, "products", width * d, without, -1, products));
		TLV_TRY(add_group(ctx, &all->frame, "triples", packed, without, -1, cubes));
	}
	for (size_t i = 0; i < d; i++) /* of moments that were scaled: rounding */
		totals[i] = fmax(totals[i], 0);
	TLV_TRY(compress(ctx, all, totals, products, mean, pairs));
	counters[0] = count_without(all, "documents", without);
	counters[1] = count_without(all, "tokens", without);
	counters[2] = count_without(all, "squared_lengths", without);
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_COUNT_TRIPLES);
	tlv_frame_add_scalar(builder, "documents", counters[0]);
	tlv_frame_add_scalar(builder, "tokens", counters[1]);
	tlv_frame_add_scalar(builder, "squared_lengths", counters[2]);
	tlv_frame_add_from(builder, &all->frame, by_group);
	tlv_frame_add(builder, "totals", TLV_FLOAT64, d, 1, totals);
	tlv_frame_add(builder, "mean", TLV_FLOAT64, width, 1, mean);
	tlv_frame_add(builder, "pairs", TLV_FLOAT64, tlv_packed2_size(width), 1, pairs);
	tlv_frame_add(builder, "triples", TLV_FLOAT64, packed, 1, cubes);
	tlv_frame_add(builder, "z_sum", TLV_FLOAT64, width, 1, none);
	tlv_frame_add(builder, "z_squares", TLV_FLOAT64, width, 1, none);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	return tlv_kind_require_made(ctx, *image, *size);
}

/* ---- the declaration ---- */

/* Documents of a value are of its groups, and no more than their counters say where there are no
 * sums. */
static tlv_status
check_documents(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *documents = tlv_frame_float64(frame, "documents");
	const double *times = tlv_frame_float64(frame, "document_times");
	const double *of = tlv_frame_float64(frame, "document_groups");
	double *held, summed;

	TLV_TRY_NEW0(ctx, held, sizes[SIZE_GROUPS]);
	for (size_t t = 0; t < sizes[SIZE_DOCUMENTS]; t++)
	{
		TLV_TRY_CONTINUE_AT(ctx, t);
		if (of[t] >= (double) sizes[SIZE_GROUPS])
			return tlv_fail(ctx, TLV_CORRUPT, "document %zu is of group %g of %zu", t + 1,
							of[t] + 1, sizes[SIZE_GROUPS]);
		held[(size_t) of[t]] += times[t];
	}
	for (size_t g = 0; g < sizes[SIZE_GROUPS]; g++)
	{
		summed = documents[g] - held[g];
		if (summed < -COUNTERS_TOLERANCE * documents[g] ||
			(sizes[SIZE_SUMS] == 0 && summed > COUNTERS_TOLERANCE * documents[g]))
			return tlv_fail(ctx, TLV_CORRUPT, "group %zu holds %g documents instead of %g", g + 1,
							held[g], documents[g]);
	}
	tlv_free(ctx, held);
	return tlv_within_check_documents(ctx, frame, sizes[SIZE_ITEMS], &summed);
}

/* Sums are there of all documents that are not held. */
static tlv_status
check_sums(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *documents = tlv_frame_float64(frame, "documents");

	if (sizes[SIZE_SUMS] != 0 && sizes[SIZE_SUMS] != sizes[SIZE_GROUPS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"totals\" has the wrong shape");
	if (tlv_documents_told(frame))
		return check_documents(ctx, frame, sizes);
	for (size_t g = 0; sizes[SIZE_SUMS] == 0 && g < sizes[SIZE_GROUPS]; g++)
		if (documents[g] != 0)
			return tlv_fail(ctx, TLV_CORRUPT, "the sums of %g documents are missing", documents[g]);
	return TLV_OK;
}

static tlv_status
grouped_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	if (tlv_frame_scalar(frame, "rank", 0) != (double) sizes[SIZE_BASIS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"basis\" has the wrong shape");
	if (tlv_frame_scalar(frame, "distinct", 0) != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"distinct\" is not 0");
	if (sizes[SIZE_RITZ] < sizes[SIZE_BASIS] || sizes[SIZE_RITZ] > sizes[SIZE_ITEMS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"ritz\" has the wrong shape");
	if (sizes[SIZE_HELD] != 0 && sizes[SIZE_HELD] != sizes[SIZE_ITEMS])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" has the wrong shape");
	TLV_TRY(check_sums(ctx, frame, sizes));
	return sizes[SIZE_HELD] == 0 ? tlv_count_check_reference(ctx, frame, "basis", sizes[SIZE_BASIS])
								 : tlv_count_check_subspace(ctx, frame, "basis");
}

static bool
grouped_smaller(const tlv_accumulator *accumulator, double bytes, size_t items)
{
	const grouped_state *state = (const grouped_state *) accumulator;
	size_t width = state->declared.sizes[SIZE_BASIS];
	double groups = (double) state->groups;
	double entries = fmin(groups * (double) items, (double) state->within.documents.entries);

	return tlv_within_few(&state->within, bytes,
						  (double) (width + 3) * (double) state->declared.sizes[SIZE_HELD] +
							  (double) (width + 1) * entries +
							  groups * (double) tlv_packed3_size(width));
}

#define AT(member) offsetof(grouped_state, member)
#define GROUPED_LIST                                                                               \
	TLV_WITHIN_COUNTERS(grouped_state, SIZE_GROUPS),                                               \
		TLV_WITHIN_SQUARES(grouped_state, SIZE_GROUPS), TLV_WITHIN_LIST(grouped_state),            \
		TLV_WITHIN_ITEMS(grouped_state, SIZE_HELD),                                                \
		{"ritz", TLV_FLOAT64, SIZE_RITZ, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(ritz)},                   \
		{"basis", TLV_FLOAT64, SIZE_BASIS, SIZE_HELD, TLV_ANY, TLV_EQUAL, AT(basis)},              \
		{"totals", TLV_FLOAT64, SIZE_ITEMS, SIZE_SUMS, TLV_NONNEGATIVE, TLV_SUM, AT(totals)},      \
		{"products", TLV_FLOAT64, SIZE_BASIS, TLV_2_TIMES_3, TLV_ANY, TLV_SUM, AT(products)},      \
	{                                                                                              \
		"triples", TLV_FLOAT64, TLV_CUBES_1, SIZE_SUMS, TLV_ANY, TLV_SUM, AT(cubes)                \
	}

static const tlv_declaration grouped_list[] = {GROUPED_LIST};
/* Of moments that hold documents; their sums are of what came otherwise. */
static const tlv_declaration told_list[] = {
	GROUPED_LIST, TLV_DOCUMENT_GROUPS(SIZE_DOCUMENTS, grouped_state, within.documents),
	TLV_DOCUMENT_LIST(SIZE_DOCUMENTS, SIZE_ENTRIES, grouped_state, within.documents)};
#undef AT
#define GROUPED_SECTIONS(of)                                                                       \
	.state = sizeof(grouped_state), .kind = TLV_KIND_GROUPED_MOMENTS, TLV_LIST(of),                \
	.least = {1, 1, 0, 1, 2}, .flush = grouped_flush, .check_more = grouped_check,                 \
	.no_sums = tlv_document_no_sums
#define GROUPED_MOST                                                                               \
	MOST_DIRECTIONS, (size_t) TLV_DICTIONARY_MAX, TLV_MOST_GROUPS, (size_t) TLV_DICTIONARY_MAX,    \
		TLV_MOST_GROUPS, (size_t) TLV_DICTIONARY_MAX
static const tlv_sections grouped_sections = {
	GROUPED_SECTIONS(grouped_list),
	.most = {GROUPED_MOST},
};
static const tlv_sections grouped_told = {
	GROUPED_SECTIONS(told_list),
	.takes_away = true,
	.most = {GROUPED_MOST, (size_t) TLV_DICTIONARY_MAX, (size_t) TLV_DICTIONARY_MAX},
};

static const tlv_within_class grouped_class = {
	.class =
		{
			.name = "grouped_moments",
			TLV_WITHIN_CLASS(&grouped_sections),
			.rows = TLV_ROW_NEIGHBOURS,
			.add = grouped_add,
		},
	.within = offsetof(grouped_state, within),
	.told = &grouped_told,
	.items = SIZE_HELD,
	.sums = SIZE_SUMS,
	.documents = SIZE_DOCUMENTS,
	.entries = SIZE_ENTRIES,
	.enter = grouped_enter,
	.basis = offsetof(grouped_state, basis),
	.allocate = allocate_rows,
	.smaller = grouped_smaller,
};
const tlv_kind tlv_kind_grouped_moments = {TLV_KIND_LINE(GROUPED_MOMENTS, grouped_moments),
										   .check = tlv_within_check,
										   .accumulator = &grouped_class.class};
