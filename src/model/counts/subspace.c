/*
 * subspace.c - subspace values over items: the random start from a
 * summary, the next block from products, the dominant subspace from exact
 * pairs (counts.h; numerics: block subspace iteration on S P2 S).
 */
#include "tensorlv/model/counts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "within_documents.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* Directions of a block beside those that are sought. */
#define LEAST_SPARE ((size_t) 10)
#define MOST_SPARE	((size_t) 64)

/* A summary keeps an item when enough documents hold it. */
static size_t
kept_items(const tlv_frame *summary, double minimum_documents, int32_t *kept)
{
	size_t d = tlv_frame_find(summary, "items")->rows, n = 0;
	const double *frequency = tlv_frame_float64(summary, "frequency");

	for (size_t i = 0; i < d; i++)
		if (frequency[i] >= minimum_documents)
			kept[n++] = (int32_t) i;
	return n;
}

/* S_i = (P1_i + 1 / (2 tokens))^-1/2: correspondence-analysis scaling. */
static double
item_scale(double total, double tokens)
{
	return sqrt(tokens / (total + 0.5));
}

double
tlv_count_trace(const tlv_frame *summary, double minimum_documents)
{
	size_t d = tlv_frame_find(summary, "items")->rows;
	const double *totals = tlv_frame_float64(summary, "totals");
	const double *frequency = tlv_frame_float64(summary, "frequency");
	const double *correction = tlv_frame_float64(summary, "correction");
	const double *squares = tlv_frame_float64(summary, "squares");
	double trace = 0;

	for (size_t i = 0; i < d; i++)
		if (frequency[i] >= minimum_documents)
			trace += (squares[i] - correction[i]) / (totals[i] + 0.5);
	return trace;
}

double
tlv_subspace_change(const tlv_frame *subspace)
{
	size_t rank = (size_t) tlv_frame_scalar(subspace, "rank", 0);

	if (tlv_frame_scalar(subspace, "steps", 0) < 2)
		return INFINITY;
	return tlv_ritz_change(rank, tlv_frame_float64(subspace, "ritz_before"),
						   tlv_frame_float64(subspace, "ritz"));
}

static tlv_status
scale_basis(tlv_context *ctx, tlv_subspace *s)
{
	TLV_TRY_NEW(ctx, s->weights, s->width * s->d);
	for (size_t i = 0; i < s->d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < s->width; j++)
			s->weights[i * s->width + j] = s->scale[i] * s->basis[i * s->block + j];
	}
	return TLV_OK;
}

tlv_status
tlv_subspace_open(tlv_context *ctx, const tlv_frame *frame, bool compressed,
				  tlv_subspace **subspace)
{
	tlv_subspace *s = tlv_alloc0(ctx, 1, sizeof(tlv_subspace));

	TLV_TRY_ALLOC(ctx, s);
	s->frame = *frame;
	s->d = tlv_frame_find(frame, "basis")->columns;
	s->block = tlv_frame_find(frame, "basis")->rows;
	s->rank = (size_t) tlv_frame_scalar(frame, "rank", 0);
	s->distinct = tlv_frame_scalar(frame, "distinct", 0) != 0;
	s->width = compressed ? s->rank : s->block;
	s->items = tlv_frame_int64(frame, "items");
	s->scale = tlv_frame_float64(frame, "scale");
	s->basis = tlv_frame_float64(frame, "basis");
	s->fingerprint = frame->header->digest;
	if (compressed)
		TLV_TRY(scale_basis(ctx, s));
	TLV_TRY(tlv_dictionary_freeze(ctx, &s->dictionary, s->d, s->items));
	*subspace = s;
	return TLV_OK;
}

/* The parts of a subspace value that is being built. */
typedef struct subspace_parts
{
	size_t d;
	size_t rank;
	size_t block;
	double steps;
	double distinct;
	double seed;
	double minimum_documents;
	double documents;
	double tokens;
	double trace;
	const int64_t *items;
	const double *scale;
	const double *shares;
	const double *ritz_before;
	const double *ritz;
	const double *basis;
} subspace_parts;

static tlv_status
write_subspace(tlv_context *ctx, const subspace_parts *p, void **image, size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(ctx, builder);
	tlv_frame_begin(builder, TLV_FRAME_SUBSPACE, TLV_KIND_ITEM_SUBSPACE);
	tlv_frame_add_scalar(builder, "rank", (double) p->rank);
	tlv_frame_add_scalar(builder, "steps", p->steps);
	tlv_frame_add_scalar(builder, "distinct", p->distinct);
	tlv_frame_add_scalar(builder, "seed", p->seed);
	tlv_frame_add_scalar(builder, "minimum_documents", p->minimum_documents);
	tlv_frame_add_scalar(builder, "documents", p->documents);
	tlv_frame_add_scalar(builder, "tokens", p->tokens);
	tlv_frame_add_scalar(builder, "trace", p->trace);
	tlv_frame_add(builder, "items", TLV_INT64, p->d, 1, p->items);
	tlv_frame_add(builder, "scale", TLV_FLOAT64, p->d, 1, p->scale);
	tlv_frame_add(builder, "shares", TLV_FLOAT64, p->d, 1, p->shares);
	tlv_frame_add(builder, "ritz_before", TLV_FLOAT64, p->block, 1, p->ritz_before);
	tlv_frame_add(builder, "ritz", TLV_FLOAT64, p->block, 1, p->ritz);
	tlv_frame_add(builder, "basis", TLV_FLOAT64, p->block, p->d, p->basis);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

static tlv_status
check_rank(tlv_context *ctx, size_t rank, size_t d, double documents)
{
	if (rank == 0)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "k must be at least 1");
	if (d == 0)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "no item is in enough documents");
		return tlv_fail_hint(ctx, "Lower min_documents.");
	}
	if (rank > d)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "k = %zu is more than the %zu items", rank, d);
		return tlv_fail_hint(ctx, "Use a smaller k, or keep more items (min_documents).");
	}
	if (documents >= (double) rank)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "%.0f %s of at least %d tokens %s too few for k = %zu", documents,
			 tlv_plural(documents, "document", "documents"), TLV_MIN_LENGTH,
			 tlv_plural(documents, "is", "are"), rank);
	return tlv_fail_hint(ctx, "Each document needs 3 tokens or more; the others are skipped.");
}

/*
 * Directions beside those that are sought, by which the iteration converges.  As many as those
 * doubled the memory of fits of hundreds of topics, whose perplexity was the same by anchor words
 * and at most 1 % less by the tensor (bench/README.md, many_topics).
 */
static size_t
spare_directions(size_t rank)
{
	return rank < LEAST_SPARE ? LEAST_SPARE : tlv_least(rank, MOST_SPARE);
}

/* Work space and value of a subspace: three blocks and what goes with them. */
static double
subspace_memory(const subspace_parts *p)
{
	double block = (double) p->block, d = (double) p->d;

	return sizeof(double) * (3 * block * d + 4 * d + 4 * block * block);
}

static tlv_status
require_memory(tlv_context *ctx, const subspace_parts *p)
{
	return tlv_require_memory(ctx, subspace_memory(p), "the subspace");
}

/* Items kept, their scaling and shares, from a summary or from pairs. */
static tlv_status
choose_items(tlv_context *ctx, const tlv_frame *summary, const tlv_subspace_options *options,
			 subspace_parts *p, int32_t **kept)
{
	size_t all = tlv_frame_find(summary, "items")->rows;
	const int64_t *items = tlv_frame_int64(summary, "items");
	const double *totals = tlv_frame_float64(summary, "totals");
	int64_t *own_items;
	double *numbers;

	TLV_TRY_NEW(ctx, *kept, all);
	p->tokens = tlv_frame_scalar(summary, "tokens", 0);
	p->documents = tlv_frame_scalar(summary, "documents", 0);
	p->d = kept_items(summary, options->minimum_documents, *kept);
	p->rank = options->rank;
	if (options->fewer)
		p->rank = (size_t) fmax(1, fmin((double) p->rank, fmin((double) p->d, p->documents)));
	TLV_TRY(check_rank(ctx, p->rank, p->d, p->documents));
	p->block = tlv_least(p->rank + spare_directions(p->rank), p->d);
	if (options->twice)
		tlv_expect_memory(ctx, 2 * subspace_memory(p));
	TLV_TRY(require_memory(ctx, p));
	p->distinct = options->distinct;
	p->seed = (double) options->seed;
	p->minimum_documents = options->minimum_documents;
	p->trace = tlv_count_trace(summary, options->minimum_documents);
	TLV_TRY_NEW(ctx, own_items, p->d);
	numbers = tlv_alloc(ctx, 2 * p->d, sizeof(double));
	TLV_TRY_ALLOC(ctx, numbers);
	for (size_t i = 0; i < p->d; i++)
	{
		own_items[i] = items[(*kept)[i]];
		numbers[i] = item_scale(totals[(*kept)[i]], p->tokens);
		numbers[p->d + i] = totals[(*kept)[i]] / p->tokens;
	}
	p->items = own_items;
	p->scale = numbers;
	p->shares = numbers + p->d;
	return TLV_OK;
}

/* What the subspace begun says of items; of others, and of directions that it lacks, nothing. */
static tlv_status
copy_begun(tlv_context *ctx, const tlv_frame *begun, const subspace_parts *p, double *basis)
{
	const tlv_section *section = tlv_frame_find(begun, "basis");
	const double *from = tlv_frame_float64(begun, "basis");
	const int64_t *items = tlv_frame_int64(begun, "items");
	size_t common = tlv_least(section->rows, p->block);

	for (size_t i = 0, at = 0; i < p->d && at < section->columns;)
	{
		TLV_TRY_CONTINUE_AT(ctx, i + at);
		if (items[at] == p->items[i])
			memcpy(basis + i * p->block, from + at * section->rows, common * sizeof(double));
		if (items[at] <= p->items[i])
			at++;
		else
			i++;
	}
	return TLV_OK;
}

static tlv_status
from_summary(tlv_context *ctx, const tlv_frame *summary, const tlv_subspace_options *options,
			 void **image, size_t *size)
{
	subspace_parts p = {0};
	int32_t *kept;
	double *basis, *ritz;
	tlv_rng rng;
	size_t rank;

	TLV_TRY(choose_items(ctx, summary, options, &p, &kept));
	TLV_TRY_NEW0(ctx, basis, p.block * p.d);
	ritz = tlv_alloc0(ctx, p.block, sizeof(double));
	TLV_TRY_ALLOC(ctx, ritz);
	tlv_rng_seed(&rng, options->seed);
	if (options->begun != NULL)
		TLV_TRY(copy_begun(ctx, options->begun, &p, basis));
	else
		TLV_TRY(tlv_fill_normal(ctx, &rng, p.block * p.d, basis));
	TLV_TRY(tlv_orthonormalize(ctx, p.block, p.d, basis, &rng, &rank));
	p.ritz_before = p.ritz = ritz;
	p.basis = basis;
	return write_subspace(ctx, &p, image, size);
}

bool
tlv_count_refers(const tlv_frame *moments)
{
	uint8_t kind = moments->header->kind;

	return (kind == TLV_KIND_COUNT_PRODUCTS || kind == TLV_KIND_ANCHOR_MOMENTS ||
			kind == TLV_KIND_COUNT_TRIPLES) &&
		   tlv_frame_find(moments, "items")->rows == 0;
}

tlv_status
tlv_count_complete(tlv_context *ctx, const tlv_frame *moments, const tlv_frame *subspace,
				   const char *call, tlv_frame *complete)
{
	*complete = *moments;
	if (subspace != NULL &&
		!tlv_digest_equal(tlv_frame_digest(moments, "subspace"), &subspace->header->digest))
		return tlv_refuse_foreign_subspace(ctx);
	if (!tlv_count_refers(moments))
		return TLV_OK;
	if (subspace == NULL)
		return tlv_refuse_no_subspace(ctx, call);
	/* sums of triples do not need what they refer to */
	if (moments->header->kind == TLV_KIND_COUNT_TRIPLES && !tlv_documents_told(moments))
		return TLV_OK;
	return tlv_within_sums(ctx, moments, subspace, complete);
}

static tlv_status
next_of_products(tlv_context *ctx, const tlv_frame *products, const tlv_subspace_options *options,
				 void **image, size_t *size)
{
	subspace_parts p = {0};
	const tlv_section *product = tlv_frame_find(products, "products");
	const double *rayleigh = tlv_frame_float64(products, "rayleigh");
	const double *sums = tlv_frame_float64(products, "products");
	double *basis, *z, *b, *ritz;
	tlv_rng rng;

	p.block = product->rows;
	p.d = product->columns;
	p.rank = options->rank > 0 ? options->rank : (size_t) tlv_frame_scalar(products, "rank", 0);
	p.tokens = tlv_frame_scalar(products, "tokens", 0);
	p.documents = tlv_frame_scalar(products, "documents", 0);
	TLV_TRY(check_rank(ctx, p.rank, p.block, p.documents));
	TLV_TRY(require_memory(ctx, &p));
	p.steps = tlv_frame_scalar(products, "steps", 0) + 1;
	p.distinct = tlv_frame_scalar(products, "distinct", 0);
	p.seed = tlv_frame_scalar(products, "seed", 0);
	p.minimum_documents = tlv_frame_scalar(products, "minimum_documents", 0);
	p.trace = tlv_frame_scalar(products, "trace", 0);
	p.items = tlv_frame_int64(products, "items");
	p.scale = tlv_frame_float64(products, "scale");
	p.shares = tlv_frame_float64(products, "shares");
	p.ritz_before = tlv_frame_float64(products, "ritz_before");

	TLV_TRY_NEW0(ctx, basis, p.block * p.d);
	z = tlv_alloc(ctx, p.block * p.d, sizeof(double));
	TLV_TRY_ALLOC(ctx, z);
	TLV_TRY_NEW(ctx, b, p.block * p.block);
	ritz = tlv_alloc(ctx, p.block, sizeof(double));
	TLV_TRY_ALLOC(ctx, ritz);
	for (size_t i = 0; i < p.d; i++)
	{
		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = i * p.block; j < (i + 1) * p.block; j++)
			z[j] = sums[j] / p.tokens;
	}
	for (size_t i = 0; i < p.block * p.block; i++)
		b[i] = rayleigh[i] / p.tokens;
	/* Replacement directions must differ from step to step. */
	tlv_rng_seed(&rng, tlv_mix64((uint64_t) p.seed + 1000 * (uint64_t) p.steps));
	TLV_TRY(tlv_subspace_step(ctx, p.d, p.block, basis, z, b, &rng, ritz));
	tlv_free(ctx, z);
	p.ritz = ritz;
	p.basis = basis;
	return write_subspace(ctx, &p, image, size);
}

/*
 * Of a step whose sums are yet to be made: the subspace opened, the sums and their value, then
 * three blocks of the step; what there is for each item besides comes to 30 numbers at most.
 */
static double
step_memory(size_t block, const tlv_frame *subspace)
{
	double d = (double) tlv_frame_find(subspace, "items")->rows;

	return sizeof(double) * (7.0 * (double) block + 30) * d;
}

static tlv_status
from_products(tlv_context *ctx, const tlv_frame *products, const tlv_subspace_options *options,
			  void **image, size_t *size)
{
	const tlv_section *product = tlv_frame_find(products, "products");
	tlv_frame complete;

	if (tlv_count_refers(products) && options->subspace != NULL)
		tlv_expect_memory(ctx, step_memory(product->rows, options->subspace));
	TLV_TRY(tlv_count_complete(ctx, products, options->subspace,
							   "tlv_find_subspace(products, subspace => ...)", &complete));
	return next_of_products(ctx, &complete, options, image, size);
}

typedef struct pair_operator
{
	double *packed; /* P2 of the kept items */
	const double *scale;
} pair_operator;

static tlv_status
apply_pairs(tlv_context *ctx, void *argument, size_t d, size_t l, const double *x, double *z)
{
	const pair_operator *op = argument;

	return tlv_packed2_multiply(ctx, d, op->packed, op->scale, l, x, z);
}

/* P2 of the kept items: pairs - diag(correction), or with zero diagonal when distinct. */
static tlv_status
pair_moment(tlv_context *ctx, const tlv_frame *moments, const subspace_parts *p,
			const int32_t *kept, double **packed)
{
	const double *pairs = tlv_frame_float64(moments, "pairs");
	const double *correction = tlv_frame_float64(moments, "correction");

	TLV_TRY_NEW(ctx, *packed, tlv_packed2_size(p->d));
	for (size_t i = 0; i < p->d; i++)
	{
		double *row = *packed + tlv_packed2_index(i, 0);
		const double *source = pairs + tlv_packed2_index((size_t) kept[i], 0);

		TLV_TRY_CONTINUE_OFTEN(ctx, i);
		for (size_t j = 0; j < i; j++)
			row[j] = source[kept[j]] / p->tokens;
		row[i] = p->distinct != 0 ? 0 : (source[kept[i]] - correction[kept[i]]) / p->tokens;
	}
	return TLV_OK;
}

static tlv_status
from_pairs(tlv_context *ctx, const tlv_frame *moments, const tlv_subspace_options *options,
		   void **image, size_t *size)
{
	/* The iteration on an exact pair moment. */
	const double pairs_tolerance = 1e-4;
	const int pairs_steps = 60;
	subspace_parts p = {0};
	pair_operator op;
	tlv_eigen_task task;
	int32_t *kept;
	double *basis, *ritz;
	int steps;
	tlv_rng rng;

	TLV_TRY(choose_items(ctx, moments, options, &p, &kept));
	TLV_TRY(pair_moment(ctx, moments, &p, kept, &op.packed));
	op.scale = p.scale;
	TLV_TRY_NEW(ctx, basis, p.block * p.d);
	ritz = tlv_alloc0(ctx, p.block, sizeof(double));
	TLV_TRY_ALLOC(ctx, ritz);
	tlv_rng_seed(&rng, options->seed);
	task = (tlv_eigen_task){.n = p.d,
							.k = p.rank,
							.l = p.block,
							.tolerance = pairs_tolerance,
							.max_steps = pairs_steps};
	TLV_TRY(tlv_subspace_iteration(ctx, &task, apply_pairs, &op, &rng, basis, ritz, &steps));
	p.steps = steps;
	p.ritz_before = p.ritz = ritz;
	p.basis = basis;
	return write_subspace(ctx, &p, image, size);
}

tlv_status
tlv_subspace_from_moments(tlv_context *ctx, const tlv_frame *moments,
						  const tlv_subspace_options *options, void **image, size_t *size)
{
	switch (moments->header->kind)
	{
		case TLV_KIND_COUNT_SUMMARY:
			return from_summary(ctx, moments, options, image, size);
		case TLV_KIND_COUNT_PAIRS:
			return from_pairs(ctx, moments, options, image, size);
		case TLV_KIND_COUNT_PRODUCTS:
			return from_products(ctx, moments, options, image, size);
		default:
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "these moments do not lead to a subspace over items");
			return tlv_fail_hint(ctx, "Give what tlv_count_summary(bag) or tlv_count_products(bag, "
									  "subspace) has collected.");
		}
	}
}

/* Numbers of the subspace that all that refers to it has. */
static tlv_status
check_subspace_scalars(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const scalars[] = {"distinct", "minimum_documents"};
	static const char *const whole[] = {"rank", "steps", "seed"};

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, scalars[i], TLV_FLOAT64, 1, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, scalars[i], 0));
	}
	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		TLV_TRY(tlv_frame_require_whole(ctx, frame, whole[i]));
	return tlv_frame_require(ctx, frame, "trace", TLV_FLOAT64, 1, 1, NULL);
}

tlv_status
tlv_count_check_reference(tlv_context *ctx, const tlv_frame *frame, const char *wide, size_t width)
{
	const tlv_section *section = tlv_frame_find(frame, wide);
	double rank = tlv_frame_scalar(frame, "rank", 0);

	TLV_TRY(check_subspace_scalars(ctx, frame));
	if (section == NULL || rank < 1 || rank > (double) width ||
		(section->columns > 0 && section->columns < width))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or has the wrong shape", wide);
	return tlv_frame_require(ctx, frame, wide, TLV_FLOAT64, width, section->columns, NULL);
}

tlv_status
tlv_count_check_subspace(tlv_context *ctx, const tlv_frame *frame, const char *wide)
{
	const tlv_section *section = tlv_frame_find(frame, wide);
	uint64_t d = 0;
	double rank;

	TLV_TRY(check_subspace_scalars(ctx, frame));
	TLV_TRY(tlv_count_check_items(ctx, frame, &d));
	TLV_TRY(tlv_frame_require(ctx, frame, "scale", TLV_FLOAT64, d, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "scale", DBL_MIN)); /* topics are divided by it */
	TLV_TRY(tlv_frame_require(ctx, frame, "shares", TLV_FLOAT64, d, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "shares", 0));
	rank = tlv_frame_scalar(frame, "rank", 0);
	if (section == NULL || section->rows > d || rank < 1 || rank > (double) section->rows)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" is missing or has the wrong shape", wide);
	return tlv_frame_require(ctx, frame, wide, TLV_FLOAT64, section->rows, d, NULL);
}

static tlv_status
subspace_check(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const counters[] = {"documents", "tokens"};
	uint64_t width;

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, counters[i], TLV_FLOAT64, 1, 1, NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, counters[i], 0));
	}
	TLV_TRY(tlv_count_check_subspace(ctx, frame, "basis"));
	width = tlv_frame_find(frame, "basis")->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "ritz", TLV_FLOAT64, width, 1, NULL));
	return tlv_frame_require(ctx, frame, "ritz_before", TLV_FLOAT64, width, 1, NULL);
}

const tlv_kind tlv_kind_item_subspace = {TLV_KIND_LINE(ITEM_SUBSPACE, item_subspace),
										 .check = subspace_check};
