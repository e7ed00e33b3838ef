/*
 * count_fixture.h - small documents, their moments by the definition, and
 * accumulators and subspaces to compare with; shared by the tests of count moments.
 */
#ifndef TENSORLV_TEST_COUNT_FIXTURE_H
#define TENSORLV_TEST_COUNT_FIXTURE_H

#include "pool_setup.h"
#include "rows.h"
#include "tensorlv/model/counts.h"

#define D		  8	  /* items of the small documents */
#define DOCUMENTS 150 /* more than two blocks of rows */
#define LONGEST	  9

/* Tokens of the small documents: positions of items. */
static int tokens[DOCUMENTS][LONGEST];
static int lengths[DOCUMENTS];
/* Item ids: not contiguous, both signs, out of the order of arrival. */
static const int64_t IDS[D] = {-5000000000, -7, 0, 3, 4, 1000, 70000, 9000000000};

/* Sums by the definition. */
static double total_tokens, total_documents, p1[D], p2[D][D], p2_distinct[D][D], p3[D][D][D];

static inline void
draw_documents(void)
{
	for (int t = 0; t < DOCUMENTS; t++)
	{
		lengths[t] =
			t % 10 == 0 ? (int) tlv_rng_below(&rng, 3) : 3 + (int) tlv_rng_below(&rng, LONGEST - 2);
		for (int a = 0; a < lengths[t]; a++)
		{
			int one = (int) tlv_rng_below(&rng, D), two = (int) tlv_rng_below(&rng, D);

			tokens[t][a] = one < two ? one : two; /* uneven, many repeats */
		}
	}
}

/* Documents from .. to-1. */
static inline void
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

static inline int
setup_documents(void **state)
{
	(void) setup(state);
	draw_documents();
	brute_force(0, DOCUMENTS);
	return 0;
}

static inline void
assert_near(double a, double b)
{
	if (!(fabs(a - b) <= 1e-12 * fmax(1, fabs(b))))
		fail_msg("%.17g instead of %.17g", a, b);
}

static inline tlv_bag_image *
make_bag(size_t n, const int64_t *items, const double *counts)
{
	tlv_bag_image *image = tlv_alloc0(&ctx, tlv_bag_size(n, items, counts), 1);

	tlv_bag_write(n, items, counts, image);
	return image;
}

static inline tlv_status
add_document(tlv_accumulator *accumulator, int t)
{
	tlv_bag_entry entries[LONGEST], work[LONGEST];
	int64_t items[LONGEST];
	double counts[LONGEST];
	size_t n;

	for (int a = 0; a < lengths[t]; a++)
		entries[a] = (tlv_bag_entry){IDS[tokens[t][a]], 1};
	TLV_TRY(tlv_bag_sort(&ctx, (size_t) lengths[t], entries, work, &n));
	for (size_t i = 0; i < n; i++)
	{
		items[i] = entries[i].item;
		counts[i] = entries[i].weight;
	}
	return tlv_add(&ctx, accumulator, TLV_AS_BAG(make_bag(n, items, counts)));
}

static inline void
add_documents(tlv_accumulator *accumulator, int from, int to)
{
	for (int t = from; t < to; t++)
		assert_ok(add_document(accumulator, t));
}

/* Equal up to rounding in all sections; the same sections in the same order. */
static inline void
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
				assert_near(u[i], v[i]);
	}
}

static inline tlv_accumulator *
new_pairs(void)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_count_pairs_create(&ctx, &accumulator));
	return accumulator;
}

static inline tlv_accumulator *
empty_like(tlv_frame frame)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_accumulator_create(&ctx, frame.kind->accumulator, &accumulator));
	return accumulator;
}

static inline void
assert_counters(tlv_frame frame)
{
	double squares = 0, empty = 0;

	for (int t = 0; t < DOCUMENTS; t++)
	{
		empty += lengths[t] == 0;
		squares += lengths[t] < 3 ? 0 : lengths[t] * lengths[t];
	}
	assert_equal(tlv_frame_scalar(&frame, "documents", -1), total_documents);
	assert_equal(tlv_frame_scalar(&frame, "skipped", -1), DOCUMENTS - total_documents - empty);
	assert_equal(tlv_frame_scalar(&frame, "nulls", -1), empty);
	assert_equal(tlv_frame_scalar(&frame, "tokens", -1), total_tokens);
	assert_equal(tlv_frame_scalar(&frame, "squared_lengths", -1), squares);
}

/* A subspace value over the items IDS[first..] with a given basis. */
static inline tlv_frame
subspace_value(size_t d, const int64_t *items, size_t block, size_t rank, const double *scale,
			   const double *basis, bool distinct)
{
	double *numbers = tlv_alloc0(&ctx, 2 * block + d, sizeof(double));

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
	return MADE(tlv_frame_finish, &builder);
}

/* A random orthonormal basis and random scaling, over the first d items. */
static inline tlv_frame
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

static inline tlv_frame
identity_subspace(bool distinct)
{
	double scale[D], basis[D * D] = {0};

	for (size_t i = 0; i < D; i++)
		scale[i] = basis[i * D + i] = 1;
	return subspace_value(D, IDS, D, D, scale, basis, distinct);
}

static inline tlv_accumulator *
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
static inline size_t
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

typedef tlv_accumulator *(*maker)(tlv_frame value);

static inline tlv_accumulator *
make_pairs(tlv_frame value)
{
	return new_pairs();
}

static inline tlv_accumulator *
make_summary(tlv_frame value)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_count_summary_create(&ctx, &accumulator));
	return accumulator;
}

static inline tlv_accumulator *
make_products(tlv_frame value)
{
	return new_compressed(value, false);
}

static inline tlv_accumulator *
make_triples(tlv_frame value)
{
	return new_compressed(value, true);
}

#endif /* TENSORLV_TEST_COUNT_FIXTURE_H */
