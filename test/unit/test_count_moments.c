/*
 * test_count_moments.c - moments of documents against their definition: the
 * mean over ordered pairs and triples of distinct tokens, document weights
 * proportional to length, by plain loops over tokens.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pool.h"
#include "tensorlv/count_moments.h"
#include "tensorlv/kind.h"
#include "tensorlv/linalg.h"
#include "tensorlv/tensor3.h"
#include "tensorlv/topics.h"

#define D		  8	  /* items of the small documents */
#define DOCUMENTS 150 /* more than two blocks of rows */
#define LONGEST	  9

static pool memory;
static tlv_context ctx;
static tlv_rng rng;
static tlv_frame_builder builder;

/* Tokens of the small documents: positions of items. */
static int tokens[DOCUMENTS][LONGEST];
static int lengths[DOCUMENTS];
/* Item ids: not contiguous, both signs, out of the order of arrival. */
static const int64_t IDS[D] = {-5000000000, -7, 0, 3, 4, 1000, 70000, 9000000000};

/* Sums by the definition. */
static double total_tokens, total_documents, p1[D], p2[D][D], p2_distinct[D][D], p3[D][D][D];

static void
draw_documents(void)
{
	for (int t = 0; t < DOCUMENTS; t++)
	{
		lengths[t] = t % 10 == 0 ? (int) tlv_rng_below(&rng, 3)
								 : 3 + (int) tlv_rng_below(&rng, LONGEST - 2);
		for (int a = 0; a < lengths[t]; a++)
		{
			int one = (int) tlv_rng_below(&rng, D), two = (int) tlv_rng_below(&rng, D);

			tokens[t][a] = one < two ? one : two; /* uneven, many repeats */
		}
	}
}

/* Documents from .. to-1. */
static void
brute_force(int from, int to)
{
	total_tokens = total_documents = 0;
	memset(p1, 0, sizeof(p1));
	memset(p2, 0, sizeof(p2));
	memset(p2_distinct, 0, sizeof(p2_distinct));
	memset(p3, 0, sizeof(p3));
	for (int t = from; t < to; t++)
	{
		int n = lengths[t];
		double weight = n; /* w ~ L */
		const int *x = tokens[t];

		if (n < 3)
			continue;
		total_tokens += n;
		total_documents++;
		for (int a = 0; a < n; a++)
			p1[x[a]] += weight / n;
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++)
				if (a != b)
				{
					p2[x[a]][x[b]] += weight / (n * (n - 1));
					if (x[a] != x[b])
						p2_distinct[x[a]][x[b]] += weight / (n * (n - 1));
				}
		for (int a = 0; a < n; a++)
			for (int b = 0; b < n; b++)
				for (int c = 0; c < n; c++)
					if (a != b && b != c && a != c)
						p3[x[a]][x[b]][x[c]] += weight / (n * (n - 1) * (n - 2));
	}
}

static int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	pool_init(&memory, &ctx);
	tlv_rng_seed(&rng, 5);
	draw_documents();
	brute_force(0, DOCUMENTS);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	pool_reset(&memory, &ctx);
	return 0;
}

static void
assert_ok(tlv_status status)
{
	if (status != TLV_OK)
		fail_msg("status %d: %s", (int) status, ctx.error.message);
}

static void
assert_close(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
		fail_msg("%.17g instead of %.17g", a, b);
}

static tlv_bag_image *
make_bag(size_t n, const int64_t *items, const double *counts)
{
	tlv_bag_image *image = tlv_alloc0(&ctx, tlv_bag_size(n, items, counts), 1);

	tlv_bag_write(n, items, counts, image);
	return image;
}

static tlv_status
add_document(tlv_accumulator *accumulator, int t)
{
	tlv_bag_entry entries[LONGEST], work[LONGEST];
	int64_t items[LONGEST];
	double counts[LONGEST];
	size_t n;

	for (int a = 0; a < lengths[t]; a++)
		entries[a] = (tlv_bag_entry){IDS[tokens[t][a]], 1};
	n = tlv_bag_sort((size_t) lengths[t], entries, work);
	for (size_t i = 0; i < n; i++)
	{
		items[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	return accumulator->class->add_bag(&ctx, accumulator, make_bag(n, items, counts));
}

static void
add_documents(tlv_accumulator *accumulator, int from, int to)
{
	for (int t = from; t < to; t++)
		assert_ok(add_document(accumulator, t));
}

/* The stored value, which its own kind must accept. */
static tlv_frame
stored(tlv_accumulator *accumulator)
{
	const tlv_kind *kind;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &frame, &kind));
	assert_ptr_equal(kind->accumulator, accumulator->class);
	return frame;
}

static void
assert_same_bytes(tlv_frame a, tlv_frame b)
{
	assert_int_equal(a.header->size, b.header->size);
	assert_memory_equal(a.header, b.header, a.header->size);
}

/* Equal up to rounding in all sections; the same sections in the same order. */
static void
assert_same_numbers(tlv_frame a, tlv_frame b)
{
	assert_int_equal(a.header->kind, b.header->kind);
	assert_int_equal(a.header->sections, b.header->sections);
	for (uint32_t s = 0; s < a.header->sections; s++)
	{
		const tlv_section *x = &a.table[s], *y = &b.table[s];
		const double *u = tlv_section_data(&a, x), *v = tlv_section_data(&b, y);

		assert_string_equal(x->name, y->name);
		assert_int_equal(x->rows * x->columns, y->rows * y->columns);
		if (x->element != TLV_FLOAT64)
			assert_memory_equal(u, v, x->rows * x->columns * tlv_element_size(x->element));
		else
			for (size_t i = 0; i < x->rows * x->columns; i++)
				assert_close(u[i], v[i]);
	}
}

static tlv_accumulator *
new_pairs(void)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_count_pairs_create(&ctx, &accumulator));
	return accumulator;
}

static tlv_accumulator *
empty_like(tlv_frame frame)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_kind_find(TLV_FRAME_MOMENTS, frame.header->kind)
				  ->accumulator->create(&ctx, &accumulator));
	return accumulator;
}

static void
assert_counters(tlv_frame frame)
{
	double squares = 0;

	for (int t = 0; t < DOCUMENTS; t++)
		squares += lengths[t] < 3 ? 0 : lengths[t] * lengths[t];
	assert_true(tlv_frame_scalar(&frame, "documents", -1) == total_documents);
	assert_true(tlv_frame_scalar(&frame, "skipped", -1) == DOCUMENTS - total_documents);
	assert_true(tlv_frame_scalar(&frame, "tokens", -1) == total_tokens);
	assert_true(tlv_frame_scalar(&frame, "squared_lengths", -1) == squares);
}

/* pairs - diag(correction) are the ordered pairs of distinct tokens. */
static void
test_pairs(void **state)
{
	tlv_accumulator *accumulator = new_pairs(), *summary;
	tlv_frame frame, short_frame;
	const double *pairs, *correction, *totals, *squares;

	(void) state;
	add_documents(accumulator, 0, DOCUMENTS);
	frame = stored(accumulator);
	assert_counters(frame);
	assert_memory_equal(tlv_frame_int64(&frame, "items"), IDS, sizeof(IDS));
	totals = tlv_frame_float64(&frame, "totals");
	pairs = tlv_frame_float64(&frame, "pairs");
	correction = tlv_frame_float64(&frame, "correction");
	squares = tlv_frame_float64(&frame, "squares");
	for (size_t i = 0; i < D; i++)
	{
		double holding = 0;

		for (int t = 0; t < DOCUMENTS; t++)
		{
			bool holds = false;

			for (int a = 0; a < lengths[t]; a++)
				holds |= tokens[t][a] == (int) i;
			holding += lengths[t] >= 3 && holds;
		}
		assert_close(totals[i], p1[i]);
		assert_true(tlv_frame_float64(&frame, "frequency")[i] == holding);
		assert_close(squares[i], pairs[tlv_packed2_index(i, i)]);
		for (size_t j = 0; j <= i; j++)
			assert_close(pairs[tlv_packed2_index(i, j)] - (i == j ? correction[i] : 0), p2[i][j]);
	}
	/* The summary is the same without the matrix. */
	assert_ok(tlv_count_summary_create(&ctx, &summary));
	add_documents(summary, 0, DOCUMENTS);
	short_frame = stored(summary);
	assert_null(tlv_frame_find(&short_frame, "pairs"));
	assert_memory_equal(tlv_frame_float64(&short_frame, "totals"), totals, D * sizeof(double));
	assert_memory_equal(tlv_frame_float64(&short_frame, "squares"), squares, D * sizeof(double));
	assert_counters(short_frame);
}

/* A subspace value over the items IDS[first..] with a given basis. */
static tlv_frame
subspace_value(size_t d, const int64_t *items, size_t block, size_t rank, const double *scale,
			   const double *basis, bool distinct)
{
	double *numbers = tlv_alloc0(&ctx, 2 * block + d, sizeof(double));
	const tlv_kind *kind;
	tlv_frame frame;
	void *image;
	size_t size;

	tlv_frame_begin(&builder, TLV_FRAME_SUBSPACE, TLV_KIND_ITEM_SUBSPACE);
	tlv_frame_add_scalar(&builder, "rank", (double) rank);
	tlv_frame_add_scalar(&builder, "steps", 2);
	tlv_frame_add_scalar(&builder, "distinct", distinct);
	tlv_frame_add_scalar(&builder, "seed", 1);
	tlv_frame_add_scalar(&builder, "minimum_documents", 0);
	tlv_frame_add_scalar(&builder, "documents", 10);
	tlv_frame_add_scalar(&builder, "tokens", 100);
	tlv_frame_add_scalar(&builder, "trace", 1.5);
	tlv_frame_add(&builder, "items", TLV_INT64, d, 1, items);
	tlv_frame_add(&builder, "scale", TLV_FLOAT64, d, 1, scale);
	tlv_frame_add(&builder, "shares", TLV_FLOAT64, d, 1, numbers + 2 * block);
	tlv_frame_add(&builder, "ritz_before", TLV_FLOAT64, block, 1, numbers);
	tlv_frame_add(&builder, "ritz", TLV_FLOAT64, block, 1, numbers + block);
	tlv_frame_add(&builder, "basis", TLV_FLOAT64, block, d, basis);
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &frame, &kind));
	return frame;
}

/* A random orthonormal basis and random scaling, over the first d items. */
static tlv_frame
random_subspace(size_t d, size_t block, size_t rank, bool distinct)
{
	double scale[D], basis[D * D];
	size_t independent;

	for (size_t i = 0; i < d; i++)
		scale[i] = 0.5 + tlv_rng_uniform(&rng);
	tlv_rng_fill_normal(&rng, block * d, basis);
	assert_ok(tlv_orthonormalize(&ctx, block, d, basis, &rng, &independent));
	return subspace_value(d, IDS, block, rank, scale, basis, distinct);
}

static tlv_frame
identity_subspace(bool distinct)
{
	double scale[D], basis[D * D] = {0};

	for (size_t i = 0; i < D; i++)
		scale[i] = basis[i * D + i] = 1;
	return subspace_value(D, IDS, D, D, scale, basis, distinct);
}

static tlv_accumulator *
new_compressed(tlv_frame value, bool triples)
{
	tlv_subspace *subspace;
	tlv_accumulator *accumulator;

	assert_ok(tlv_subspace_open(&ctx, &value, triples, &subspace));
	assert_ok(triples ? tlv_count_triples_create(&ctx, subspace, &accumulator)
					  : tlv_count_products_create(&ctx, subspace, &accumulator));
	return accumulator;
}

/* W = scale * basis as a D x width array, zero for items that the subspace leaves out. */
static size_t
weights_of(tlv_frame value, bool triples, double w[D][D])
{
	size_t d = tlv_frame_find(&value, "items")->rows;
	size_t block = tlv_frame_find(&value, "basis")->rows;
	size_t width = triples ? (size_t) tlv_frame_scalar(&value, "rank", 0) : block;

	memset(w, 0, D * D * sizeof(double));
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < width; j++)
			w[i][j] = tlv_frame_float64(&value, "scale")[i] *
					  tlv_frame_float64(&value, "basis")[i * block + j];
	return width;
}

/* w_a' P2 w_b */
static double
pair_form(double (*pair)[D], double w[D][D], size_t a, size_t b)
{
	double sum = 0;

	for (size_t i = 0; i < D; i++)
		for (size_t j = 0; j < D; j++)
			sum += pair[i][j] * w[i][a] * w[j][b];
	return sum;
}

static void
check_products(tlv_frame value, bool distinct)
{
	double w[D][D], (*pair)[D] = distinct ? p2_distinct : p2;
	size_t width = weights_of(value, false, w), d = tlv_frame_find(&value, "items")->rows;
	tlv_accumulator *accumulator = new_compressed(value, false);
	tlv_frame frame;

	add_documents(accumulator, 0, DOCUMENTS);
	frame = stored(accumulator);
	assert_counters(frame);
	for (size_t i = 0; i < d; i++)
		for (size_t a = 0; a < width; a++)
		{
			double sum = 0; /* S P2 W */

			for (size_t j = 0; j < D; j++)
				sum += pair[i][j] * w[j][a];
			assert_close(tlv_frame_float64(&frame, "products")[i * width + a],
						 tlv_frame_float64(&value, "scale")[i] * sum);
		}
	for (size_t a = 0; a < width; a++)
		for (size_t b = 0; b < width; b++)
			assert_close(tlv_frame_float64(&frame, "rayleigh")[b * width + a],
						 pair_form(pair, w, a, b));
}

static void
test_products(void **state)
{
	(void) state;
	for (int distinct = 0; distinct < 2; distinct++)
	{
		check_products(identity_subspace(distinct), distinct);
		check_products(random_subspace(D, 5, 2, distinct), distinct);
		check_products(random_subspace(D, 1, 1, distinct), distinct);
		/* items left out: they stay in the lengths */
		check_products(random_subspace(5, 3, 2, distinct), distinct);
	}
}

/* Rayleigh quotients of pairs of distinct items, document by document. */
static void
check_quotients(tlv_frame frame, double w[D][D], size_t width)
{
	for (size_t a = 0; a < width; a++)
	{
		double sum = 0, squares = 0, mean, z;

		for (int t = 0; t < DOCUMENTS; t++)
		{
			int n = lengths[t];
			double q = 0;

			for (int b = 0; b < n; b++)
				for (int c = 0; c < n; c++)
					if (tokens[t][b] != tokens[t][c])
						q += w[tokens[t][b]][a] * w[tokens[t][c]][a] / (n * (n - 1));
			sum += n < 3 ? 0 : q;
			squares += n < 3 ? 0 : q * q;
		}
		assert_close(tlv_frame_float64(&frame, "z_sum")[a], sum);
		assert_close(tlv_frame_float64(&frame, "z_squares")[a], squares);
		mean = sum / total_documents;
		z = mean / sqrt((squares / total_documents - mean * mean) / total_documents);
		assert_true(fabs(tlv_count_z(&frame, a) - z) <= 1e-9 * fabs(z));
	}
}

static void
check_triples(tlv_frame value, bool distinct)
{
	double w[D][D], (*pair)[D] = distinct ? p2_distinct : p2;
	size_t width = weights_of(value, true, w), d = tlv_frame_find(&value, "items")->rows;
	tlv_accumulator *accumulator = new_compressed(value, true);
	tlv_frame frame;

	add_documents(accumulator, 0, DOCUMENTS);
	frame = stored(accumulator);
	assert_counters(frame);
	for (size_t i = 0; i < d; i++)
		assert_close(tlv_frame_float64(&frame, "totals")[i], p1[i]);
	for (size_t a = 0; a < width; a++)
	{
		double mean = 0;

		for (size_t i = 0; i < D; i++)
			mean += p1[i] * w[i][a];
		assert_close(tlv_frame_float64(&frame, "mean")[a], mean);
		for (size_t b = 0; b <= a; b++)
		{
			assert_close(tlv_frame_float64(&frame, "pairs")[tlv_packed2_index(a, b)],
						 pair_form(pair, w, a, b));
			for (size_t c = 0; c <= b; c++)
			{
				double sum = 0;

				for (size_t i = 0; i < D; i++)
					for (size_t j = 0; j < D; j++)
						for (size_t l = 0; l < D; l++)
							sum += p3[i][j][l] * w[i][a] * w[j][b] * w[l][c];
				assert_close(tlv_frame_float64(&frame, "triples")[tlv_packed3_index(a, b, c)],
							 sum);
			}
		}
	}
	if (distinct)
		check_quotients(frame, w, width);
	else
		assert_true(isnan(tlv_count_z(&frame, 0)));
}

static void
test_triples(void **state)
{
	(void) state;
	for (int distinct = 0; distinct < 2; distinct++)
	{
		check_triples(identity_subspace(distinct), distinct);
		check_triples(random_subspace(D, D, 6, distinct), distinct); /* a part of the block */
		check_triples(random_subspace(D, 1, 1, distinct), distinct);
		check_triples(random_subspace(5, 4, 3, distinct), distinct);
	}
}

typedef tlv_accumulator *(*maker)(tlv_frame value);

static tlv_accumulator *
make_pairs(tlv_frame value)
{
	(void) value;
	return new_pairs();
}

static tlv_accumulator *
make_summary(tlv_frame value)
{
	tlv_accumulator *accumulator;

	(void) value;
	assert_ok(tlv_count_summary_create(&ctx, &accumulator));
	return accumulator;
}

static tlv_accumulator *
make_products(tlv_frame value)
{
	return new_compressed(value, false);
}

static tlv_accumulator *
make_triples(tlv_frame value)
{
	return new_compressed(value, true);
}

/*
 * Parts merged through their stored forms, in whatever way, are the whole:
 * into an empty accumulator, into one that has rows of its own, nested.
 */
static void
check_merging(maker make, tlv_frame value)
{
	tlv_accumulator *whole = make(value), *backwards = make(value), *own = make(value);
	tlv_accumulator *part[3], *merged, *nested;
	tlv_frame all, parts[3];

	add_documents(whole, 0, DOCUMENTS);
	all = stored(whole);
	for (int t = DOCUMENTS; t-- > 0;)
		assert_ok(add_document(backwards, t));
	assert_same_numbers(stored(backwards), all);
	for (int p = 0; p < 3; p++)
	{
		part[p] = make(value);
		add_documents(part[p], p * DOCUMENTS / 3, (p + 1) * DOCUMENTS / 3);
		part[p]->nulls = p;
		parts[p] = stored(part[p]);
	}
	merged = empty_like(all);
	for (int p = 0; p < 3; p++)
		assert_ok(merged->class->merge(&ctx, merged, &parts[p]));
	assert_true(merged->nulls == 3);
	merged->nulls = 0;
	assert_same_numbers(stored(merged), all);
	nested = empty_like(all);
	{
		tlv_frame again = stored(merged);

		assert_ok(nested->class->merge(&ctx, nested, &again));
		assert_same_bytes(stored(nested), again); /* a copy, to the last bit */
	}
	add_documents(own, 0, DOCUMENTS / 3);
	assert_ok(own->class->merge(&ctx, own, &parts[2]));
	add_documents(own, DOCUMENTS / 3, 2 * DOCUMENTS / 3);
	own->nulls = 0;
	assert_same_numbers(stored(own), all);
}

/* build() changes nothing: twice the same bytes, and rows may follow. */
static void
check_building(maker make, tlv_frame value)
{
	tlv_accumulator *accumulator = make(value), *straight = make(value);
	tlv_frame first;

	add_documents(accumulator, 0, 40);
	first = stored(accumulator);
	assert_same_bytes(first, stored(accumulator));
	add_documents(accumulator, 40, DOCUMENTS);
	add_documents(straight, 0, DOCUMENTS);
	assert_same_numbers(stored(accumulator), stored(straight));
	/* nothing at all */
	straight = make(value);
	first = stored(straight);
	assert_true(tlv_frame_scalar(&first, "documents", -1) == 0);
	accumulator = make(value);
	add_documents(accumulator, 0, 40);
	straight = make(value);
	add_documents(straight, 0, 40);
	assert_ok(accumulator->class->merge(&ctx, accumulator, &first));
	assert_same_bytes(stored(accumulator), stored(straight));
}

static void
test_merging_and_building(void **state)
{
	static const maker makers[] = {make_pairs, make_summary, make_products, make_triples};

	(void) state;
	for (size_t m = 0; m < 4; m++)
		for (int distinct = 0; distinct < 2; distinct++)
		{
			tlv_frame value = random_subspace(6, 4, 3, distinct);

			check_merging(makers[m], value);
			check_building(makers[m], value);
		}
}

/* Parts without a common item, and the order of first sight reversed. */
static void
test_disjoint_parts(void **state)
{
	const int64_t low[2] = {1, 2}, high[3] = {10, 20, 30};
	const double counts[3] = {3, 2, 1};
	tlv_accumulator *a = new_pairs(), *b = new_pairs(), *both = new_pairs(), *merged;
	tlv_frame fa, fb, all;

	(void) state;
	assert_ok(a->class->add_bag(&ctx, a, make_bag(3, high, counts)));
	assert_ok(b->class->add_bag(&ctx, b, make_bag(2, low, counts)));
	assert_ok(both->class->add_bag(&ctx, both, make_bag(2, low, counts)));
	assert_ok(both->class->add_bag(&ctx, both, make_bag(3, high, counts)));
	fa = stored(a);
	fb = stored(b);
	merged = empty_like(fa);
	assert_ok(merged->class->merge(&ctx, merged, &fa));
	assert_ok(merged->class->merge(&ctx, merged, &fb));
	all = stored(both);
	assert_same_numbers(stored(merged), all);
	assert_int_equal(tlv_frame_find(&all, "items")->rows, 5);
	/* one from each part: never together */
	assert_true(tlv_frame_float64(&all, "pairs")[tlv_packed2_index(3, 1)] == 0);
}

/* Other subspace, or a forged value with the same fingerprint but another shape. */
static void
test_refused_merges(void **state)
{
	tlv_frame one = random_subspace(6, 4, 3, false), two = random_subspace(6, 4, 3, false);
	tlv_frame forged = random_subspace(5, 3, 2, false);

	(void) state;
	for (int triples = 0; triples < 2; triples++)
	{
		tlv_accumulator *a = new_compressed(one, triples), *b = new_compressed(two, triples);
		tlv_accumulator *c = new_compressed(forged, triples), *empty;
		tlv_frame fa, fb, fc;

		add_documents(a, 0, 10);
		add_documents(b, 0, 10);
		add_documents(c, 0, 10);
		fa = stored(a);
		fb = stored(b);
		fc = stored(c);
		*(int64_t *) tlv_frame_int64(&fc, "subspace") = *tlv_frame_int64(&fa, "subspace");
		empty = empty_like(fa);
		assert_ok(empty->class->merge(&ctx, empty, &fa));
		assert_int_equal(empty->class->merge(&ctx, empty, &fb), TLV_BAD_PARAMETER);
		assert_true(ctx.error.hint[0] != '\0');
		assert_int_equal(a->class->merge(&ctx, a, &fb), TLV_BAD_PARAMETER);
		assert_int_equal(empty->class->merge(&ctx, empty, &fc), TLV_BAD_PARAMETER);
		assert_int_equal(a->class->merge(&ctx, a, &fc), TLV_BAD_PARAMETER);
		assert_same_bytes(stored(empty), fa); /* as before */
		/* without a subspace: no rows, nothing to store, but no crash */
		empty = empty_like(fa);
		assert_int_equal(add_document(empty, 1), TLV_INTERNAL);
		assert_int_equal(empty->class->build(&ctx, empty, &builder), TLV_INTERNAL);
	}
}

static void
test_bad_documents(void **state)
{
	const int64_t items[2] = {IDS[0], IDS[1]};
	const double fractions[2] = {3, 2.5}, huge[2] = {1e300, 1e300}, long_ago[2] = {0x1p53, 1};
	tlv_frame value = random_subspace(6, 4, 3, false);
	tlv_accumulator *accumulators[] = {new_pairs(), make_summary(value), make_products(value),
									   make_triples(value)};

	(void) state;
	for (size_t a = 0; a < 4; a++)
	{
		tlv_accumulator *x = accumulators[a];
		tlv_frame before;

		add_documents(x, 0, 20);
		before = stored(x);
		assert_int_equal(x->class->add_bag(&ctx, x, make_bag(2, items, fractions)), TLV_BAD_DATA);
		assert_non_null(strstr(ctx.error.message, "2.5 of item -7"));
		assert_true(ctx.error.hint[0] != '\0');
		/* Cubes of such counts would overflow: refused rather than stored as infinity. */
		assert_int_equal(x->class->add_bag(&ctx, x, make_bag(2, items, huge)), TLV_BAD_DATA);
		assert_same_bytes(stored(x), before);
		assert_ok(x->class->add_bag(&ctx, x, make_bag(2, items, long_ago)));
		stored(x); /* finite */
	}
}

/* One item more than the exact pairs can hold, one way and the other. */
static void
test_too_many_items(void **state)
{
	enum { N = TLV_COUNT_PAIRS_MAX_ITEMS };
	int64_t *items = tlv_alloc(&ctx, N + 1, sizeof(int64_t));
	double *counts = tlv_alloc(&ctx, N + 1, sizeof(double));
	tlv_accumulator *full = new_pairs(), *summary = make_summary((tlv_frame){0}), *other;
	tlv_frame frame;

	(void) state;
	for (int i = 0; i <= N; i++)
	{
		items[i] = 7 * i;
		counts[i] = 1;
	}
	assert_ok(full->class->add_bag(&ctx, full, make_bag(N, items, counts)));
	assert_ok(full->class->add_bag(&ctx, full, make_bag(3, items + 100, counts)));
	assert_int_equal(full->class->add_bag(&ctx, full, make_bag(3, items + N - 2, counts)),
					 TLV_LIMIT);
	assert_non_null(strstr(ctx.error.message, "8192"));
	assert_non_null(strstr(ctx.error.hint, "tlv_count_summary"));
	other = new_pairs();
	assert_ok(other->class->add_bag(&ctx, other, make_bag(3, items + N - 2, counts)));
	frame = stored(other);
	full = new_pairs();
	assert_ok(full->class->add_bag(&ctx, full, make_bag(N, items, counts)));
	assert_int_equal(full->class->merge(&ctx, full, &frame), TLV_LIMIT);
	/* The summary has no such limit. */
	assert_ok(summary->class->add_bag(&ctx, summary, make_bag(N + 1, items, counts)));
	stored(summary);
}

/* Memory limits and moments: an error at every limit, never a crash. */
static void
test_memory_limits(void **state)
{
	static const maker makers[] = {make_pairs, make_summary, make_products, make_triples};

	(void) state;
	for (size_t m = 0; m < 4; m++)
	{
		tlv_status status = TLV_MEMORY_LIMIT;
		int refusals = 0;

		for (size_t limit = 256; status != TLV_OK; limit += limit / 32)
		{
			tlv_frame value = random_subspace(6, 4, 3, true), frame;
			tlv_accumulator *x = makers[m](value);
			tlv_accumulator *part = makers[m](value);

			add_documents(part, 0, 70);
			frame = stored(part);
			x = x->class == part->class && limit % 2 == 0 ? empty_like(frame) : x;
			ctx.arena.limit = ctx.arena.used + limit;
			status = x->class->merge(&ctx, x, &frame);
			if (status == TLV_OK)
				status = x->class->build(&ctx, x, &builder);
			assert_true(status == TLV_OK || status == TLV_MEMORY_LIMIT);
			refusals += status != TLV_OK;
			pool_reset(&memory, &ctx);
		}
		assert_true(refusals > 0);
	}
}

/* ---- subspaces ---- */

#define ITEMS_LDA 60
#define K_LDA	  4

typedef struct corpus
{
	size_t n;
	tlv_bag_image **bags;
} corpus;

/* Documents of LDA with K_LDA topics. */
static corpus
simulate(size_t n, size_t length, double alpha)
{
	double phi[K_LDA * ITEMS_LDA], alphas[K_LDA], theta[K_LDA];
	tlv_topics topics = {K_LDA, ITEMS_LDA, phi, alphas};
	tlv_topic_simulator *simulator;
	int32_t *index = tlv_alloc(&ctx, length, sizeof(int32_t));
	double *count = tlv_alloc(&ctx, length, sizeof(double));
	int64_t *items = tlv_alloc(&ctx, length, sizeof(int64_t));
	corpus c = {n, tlv_alloc(&ctx, n, sizeof(void *))};

	for (int j = 0; j < K_LDA; j++)
		alphas[j] = alpha;
	assert_ok(tlv_topic_random(&ctx, K_LDA, ITEMS_LDA, 0.3, &rng, phi));
	assert_ok(tlv_topic_simulator_create(&ctx, &topics, &simulator));
	for (size_t t = 0; t < n; t++)
	{
		size_t distinct;

		assert_ok(
			tlv_topic_simulate(&ctx, simulator, &rng, length, theta, &distinct, index, count));
		for (size_t i = 0; i < distinct; i++)
			items[i] = 3 * index[i] - 50;
		c.bags[t] = make_bag(distinct, items, count);
	}
	return c;
}

/* Documents t with t % parts == part. */
static void
add_corpus(tlv_accumulator *accumulator, corpus c, size_t parts, size_t part)
{
	for (size_t t = part; t < c.n; t += parts)
		assert_ok(accumulator->class->add_bag(&ctx, accumulator, c.bags[t]));
}

static tlv_frame
next_subspace(tlv_frame moments, size_t rank, double minimum, bool distinct)
{
	tlv_subspace_options options = {rank, minimum, distinct, 42};
	const tlv_kind *kind;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_subspace_from_moments(&ctx, &moments, &options, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_SUBSPACE, &frame, &kind));
	return frame;
}

/* Cosine of the largest principal angle between the leading k directions of two blocks. */
static double
smallest_cosine(tlv_frame a, tlv_frame b, size_t k)
{
	size_t d = tlv_frame_find(&a, "items")->rows;
	size_t la = tlv_frame_find(&a, "basis")->rows, lb = tlv_frame_find(&b, "basis")->rows;
	const double *x = tlv_frame_float64(&a, "basis"), *y = tlv_frame_float64(&b, "basis");
	double cross[16 * 16] = {0}, u[16 * 16], s[16], vt[16 * 16];

	for (size_t i = 0; i < d; i++)
		for (size_t p = 0; p < k; p++)
			for (size_t q = 0; q < k; q++)
				cross[q * k + p] += x[i * la + p] * y[i * lb + q];
	assert_ok(tlv_svd(&ctx, k, k, cross, u, s, vt));
	return s[k - 1];
}

/* S P2 S of the kept items, dense, from pairs. */
static double *
scaled_moment(tlv_frame pairs, tlv_frame subspace, bool distinct)
{
	size_t d = tlv_frame_find(&subspace, "items")->rows;
	const int64_t *all = tlv_frame_int64(&pairs, "items"), *kept = tlv_frame_int64(&subspace, "items");
	const double *scale = tlv_frame_float64(&subspace, "scale");
	double n = tlv_frame_scalar(&pairs, "tokens", 0);
	double *dense = tlv_alloc0(&ctx, d * d, sizeof(double));
	size_t at[ITEMS_LDA];

	for (size_t i = 0, a = 0; i < d; i++)
	{
		while (all[a] != kept[i])
			a++;
		at[i] = a;
	}
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < d; j++)
		{
			double x = tlv_frame_float64(&pairs, "pairs")[tlv_packed2_index(at[i], at[j])];

			if (i == j)
				x = distinct ? 0 : x - tlv_frame_float64(&pairs, "correction")[at[i]];
			dense[i * d + j] = scale[i] * scale[j] * x / n;
		}
	return dense;
}

/* From pairs, from iterated products, and from the dense eigenproblem: the same subspace. */
static void
check_subspace(corpus c, double minimum, bool distinct)
{
	tlv_accumulator *pairs = new_pairs(), *summary = make_summary((tlv_frame){0});
	tlv_frame moments, direct, iterated;
	double *dense, *values, trace = 0;
	size_t d;

	add_corpus(pairs, c, 1, 0);
	add_corpus(summary, c, 1, 0);
	moments = stored(pairs);
	direct = next_subspace(moments, K_LDA, minimum, distinct);
	iterated = next_subspace(stored(summary), K_LDA, minimum, distinct);
	assert_true(isinf(tlv_subspace_change(&iterated)));
	for (int step = 0; step < 30; step++)
	{
		tlv_accumulator *products = new_compressed(iterated, false);

		add_corpus(products, c, 1, 0);
		iterated = next_subspace(stored(products), step % 2 == 0 ? 0 : K_LDA, 0, false);
		assert_true(tlv_frame_scalar(&iterated, "steps", 0) == step + 1);
		if (tlv_subspace_change(&iterated) < 1e-9)
			break;
	}
	assert_true(tlv_subspace_change(&iterated) < 1e-9);
	assert_true(smallest_cosine(direct, iterated, K_LDA) > 1 - 1e-6);

	d = tlv_frame_find(&direct, "items")->rows;
	assert_true(minimum > 0 ? d < ITEMS_LDA : d > ITEMS_LDA - 5);
	dense = scaled_moment(moments, direct, distinct);
	for (size_t i = 0; i < d && !distinct; i++)
		trace += dense[i * d + i];
	if (!distinct)
	{
		assert_true(fabs(tlv_frame_scalar(&direct, "trace", 0) - trace) < 1e-10);
		assert_true(fabs(tlv_count_trace(&moments, minimum) - trace) < 1e-10);
		assert_true(trace < K_LDA); /* no bursts in LDA */
	}
	values = tlv_alloc(&ctx, d, sizeof(double));
	assert_ok(tlv_eigen_symmetric(&ctx, d, dense, values));
	for (size_t j = 0; j < K_LDA; j++)
	{
		assert_true(fabs(tlv_frame_float64(&iterated, "ritz")[j] - values[j]) < 1e-6);
		assert_true(fabs(tlv_frame_float64(&direct, "ritz")[j] - values[j]) < 1e-3);
	}
	if (!distinct && minimum == 0)
		assert_true(fabs(values[0] - 1) < 0.05); /* the leading direction is the mean */
}

static void
test_subspace(void **state)
{
	corpus c = simulate(1500, 30, 0.25);

	(void) state;
	check_subspace(c, 0, false);
	check_subspace(c, 0, true);
	check_subspace(c, 300, false); /* restricted: lengths still count all tokens */
	check_subspace(c, 300, true);
}

static void
test_subspace_refusals(void **state)
{
	tlv_accumulator *pairs = new_pairs(), *few = new_pairs();
	tlv_frame frame, small, triples;
	tlv_subspace_options options = {0, 0, false, 1};
	void *image;
	size_t size;

	(void) state;
	add_documents(pairs, 0, DOCUMENTS);
	frame = stored(pairs);
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.rank = D + 1;
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.rank = D;
	assert_ok(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	options.minimum_documents = DOCUMENTS;
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.minimum_documents = 0;
	add_documents(few, 1, 3);
	small = stored(few);
	options.rank = 3;
	assert_int_equal(tlv_subspace_from_moments(&ctx, &small, &options, &image, &size),
					 TLV_BAD_DATA);
	triples = stored(new_compressed(identity_subspace(false), true));
	assert_int_equal(tlv_subspace_from_moments(&ctx, &triples, &options, &image, &size),
					 TLV_BAD_PARAMETER);
}

/* The number of topics, from the rank test between two halves. */
static void
test_suggest_k(void **state)
{
	enum { MAX_K = 10 };
	corpus c = simulate(3000, 40, 0.2);
	tlv_frame learnt[2], test[2], plain;
	double z[MAX_K];
	size_t count, k;

	(void) state;
	for (size_t half = 0; half < 2; half++)
	{
		tlv_accumulator *pairs = new_pairs();

		add_corpus(pairs, c, 2, half);
		learnt[half] = next_subspace(stored(pairs), MAX_K, 0, true);
	}
	for (size_t half = 0; half < 2; half++)
	{
		tlv_accumulator *triples = new_compressed(learnt[half], true);

		add_corpus(triples, c, 2, 1 - half);
		test[half] = stored(triples);
	}
	assert_ok(tlv_count_suggest_k(&ctx, &test[0], &test[1], z, &count, &k));
	assert_int_equal(count, MAX_K);
	assert_int_equal(k, K_LDA);
	for (size_t j = 0; j < MAX_K; j++)
	{
		double a = tlv_count_z(&test[0], j), b = tlv_count_z(&test[1], j);

		assert_true(z[j] == fmin(a, b));
		assert_true(j < K_LDA ? z[j] > 8 : z[j] < 3); /* a clear gap */
	}
	plain = stored(new_compressed(identity_subspace(false), true));
	assert_int_equal(tlv_count_suggest_k(&ctx, &test[0], &plain, z, &count, &k),
					 TLV_BAD_PARAMETER);
	assert_true(ctx.error.hint[0] != '\0');
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_pairs, setup, teardown),
		cmocka_unit_test_setup_teardown(test_products, setup, teardown),
		cmocka_unit_test_setup_teardown(test_triples, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merging_and_building, setup, teardown),
		cmocka_unit_test_setup_teardown(test_disjoint_parts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refused_merges, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bad_documents, setup, teardown),
		cmocka_unit_test_setup_teardown(test_too_many_items, setup, teardown),
		cmocka_unit_test_setup_teardown(test_memory_limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_subspace, setup, teardown),
		cmocka_unit_test_setup_teardown(test_subspace_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_suggest_k, setup, teardown),
	};

	return cmocka_run_group_tests_name("count_moments", tests, NULL, NULL);
}
