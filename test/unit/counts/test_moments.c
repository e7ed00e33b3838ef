/*
 * test_moments.c - moments of documents against their definition: the
 * mean over ordered pairs and triples of distinct tokens, document weights
 * proportional to length, by plain loops over tokens.
 */
#include "count_fixture.h"
#include "tensorlv/num/tensor3.h"

/* pairs - diag(correction) are the ordered pairs of distinct tokens. */
TEST(test_pairs)
{
	tlv_accumulator *accumulator = new_pairs(), *summary;
	tlv_frame frame, short_frame;
	const double *pairs, *correction, *totals, *squares;

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
		assert_near(totals[i], p1[i]);
		assert_equal(tlv_frame_float64(&frame, "frequency")[i], holding);
		assert_near(squares[i], pairs[tlv_packed2_index(i, i)]);
		for (size_t j = 0; j <= i; j++)
			assert_near(pairs[tlv_packed2_index(i, j)] - (i == j ? correction[i] : 0), p2[i][j]);
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
			assert_near(tlv_frame_float64(&frame, "products")[i * width + a],
						tlv_frame_float64(&value, "scale")[i] * sum);
		}
	for (size_t a = 0; a < width; a++)
		for (size_t b = 0; b < width; b++)
			assert_near(tlv_frame_float64(&frame, "rayleigh")[b * width + a],
						pair_form(pair, w, a, b));
}

TEST(test_products)
{
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
		assert_near(tlv_frame_float64(&frame, "z_sum")[a], sum);
		assert_near(tlv_frame_float64(&frame, "z_squares")[a], squares);
		mean = sum / total_documents;
		z = mean / sqrt((squares / total_documents - mean * mean) / total_documents);
		/* A direction of one item has no pairs of distinct items: no z value. */
		if (squares == 0)
			assert_true(isnan(tlv_count_z(&frame, a)));
		else
			assert_close(tlv_count_z(&frame, a), z, 1e-9 * fmax(1, fabs(z)));
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
		assert_near(tlv_frame_float64(&frame, "totals")[i], p1[i]);
	for (size_t a = 0; a < width; a++)
	{
		double mean = 0;

		for (size_t i = 0; i < D; i++)
			mean += p1[i] * w[i][a];
		assert_near(tlv_frame_float64(&frame, "mean")[a], mean);
		for (size_t b = 0; b <= a; b++)
		{
			assert_near(tlv_frame_float64(&frame, "pairs")[tlv_packed2_index(a, b)],
						pair_form(pair, w, a, b));
			for (size_t c = 0; c <= b; c++)
			{
				double sum = 0;

				for (size_t i = 0; i < D; i++)
					for (size_t j = 0; j < D; j++)
						for (size_t l = 0; l < D; l++)
							sum += p3[i][j][l] * w[i][a] * w[j][b] * w[l][c];
				assert_near(tlv_frame_float64(&frame, "triples")[tlv_packed3_index(a, b, c)], sum);
			}
		}
	}
	if (distinct)
		check_quotients(frame, w, width);
	else
		assert_true(isnan(tlv_count_z(&frame, 0)));
}

TEST(test_triples)
{
	for (int distinct = 0; distinct < 2; distinct++)
	{
		check_triples(identity_subspace(distinct), distinct);
		check_triples(random_subspace(D, D, 6, distinct), distinct); /* a part of the block */
		check_triples(random_subspace(D, 1, 1, distinct), distinct);
		check_triples(random_subspace(5, 4, 3, distinct), distinct);
	}
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
		part[p]->nulls += p;
		parts[p] = stored(part[p]);
	}
	merged = empty_like(all);
	for (int p = 0; p < 3; p++)
		assert_ok(merged->class->merge(&ctx, merged, &parts[p]));
	assert_equal(merged->nulls, whole->nulls + 3);
	merged->nulls -= 3;
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
	own->nulls -= 2;
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
	assert_equal(tlv_frame_scalar(&first, "documents", -1), 0);
	accumulator = make(value);
	add_documents(accumulator, 0, 40);
	straight = make(value);
	add_documents(straight, 0, 40);
	assert_ok(accumulator->class->merge(&ctx, accumulator, &first));
	assert_same_bytes(stored(accumulator), stored(straight));
}

TEST(test_merging_and_building)
{
	static const maker makers[] = {make_pairs, make_summary, make_products, make_triples};

	for (size_t m = 0; m < 4; m++)
		for (int distinct = 0; distinct < 2; distinct++)
		{
			tlv_frame value = random_subspace(6, 4, 3, distinct);

			check_merging(makers[m], value);
			check_building(makers[m], value);
		}
}

/* Parts without a common item, and the order of first sight reversed. */
TEST(test_disjoint_parts)
{
	const int64_t low[2] = {1, 2}, high[3] = {10, 20, 30};
	const double counts[3] = {3, 2, 1};
	tlv_accumulator *a = new_pairs(), *b = new_pairs(), *both = new_pairs(), *merged;
	tlv_frame fa, fb, all;

	assert_ok(tlv_add(&ctx, a, TLV_AS_BAG(make_bag(3, high, counts))));
	assert_ok(tlv_add(&ctx, b, TLV_AS_BAG(make_bag(2, low, counts))));
	assert_ok(tlv_add(&ctx, both, TLV_AS_BAG(make_bag(2, low, counts))));
	assert_ok(tlv_add(&ctx, both, TLV_AS_BAG(make_bag(3, high, counts))));
	fa = stored(a);
	fb = stored(b);
	merged = empty_like(fa);
	assert_ok(merged->class->merge(&ctx, merged, &fa));
	assert_ok(merged->class->merge(&ctx, merged, &fb));
	all = stored(both);
	assert_same_numbers(stored(merged), all);
	assert_int_equal(tlv_frame_find(&all, "items")->rows, 5);
	/* one from each part: never together */
	assert_equal(tlv_frame_float64(&all, "pairs")[tlv_packed2_index(3, 1)], 0);
}

/* Other subspace, or a forged value with the same fingerprint but another shape. */
TEST(test_refused_merges)
{
	tlv_frame one = random_subspace(6, 4, 3, false), two = random_subspace(6, 4, 3, false);
	tlv_frame forged = random_subspace(5, 3, 2, false);

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
		*(tlv_digest *) tlv_frame_digest(&fc, "subspace") = *tlv_frame_digest(&fa, "subspace");
		empty = empty_like(fa);
		assert_ok(empty->class->merge(&ctx, empty, &fa));
		assert_int_equal(empty->class->merge(&ctx, empty, &fb), TLV_BAD_PARAMETER);
		assert_string_not_equal(ctx.error.hint, "");
		assert_int_equal(a->class->merge(&ctx, a, &fb), TLV_BAD_PARAMETER);
		assert_int_equal(empty->class->merge(&ctx, empty, &fc), TLV_BAD_PARAMETER);
		assert_int_equal(a->class->merge(&ctx, a, &fc), TLV_BAD_PARAMETER);
		assert_same_bytes(stored(empty), fa); /* as before */
		/* without a subspace: no rows, nothing to store, but no crash */
		empty = empty_like(fa);
		assert_int_equal(add_document(empty, 1), TLV_BAD_PARAMETER);
		assert_int_equal(empty->class->build(&ctx, empty, &builder), TLV_INTERNAL);
	}
}

TEST(test_bad_documents)
{
	const int64_t items[2] = {IDS[0], IDS[1]};
	const double fractions[2] = {3, 2.5}, huge[2] = {1e300, 1e300}, long_ago[2] = {0x1p53, 1};
	tlv_frame value = random_subspace(6, 4, 3, false);
	tlv_accumulator *accumulators[] = {new_pairs(), make_summary(value), make_products(value),
									   make_triples(value)};

	for (size_t a = 0; a < 4; a++)
	{
		tlv_accumulator *x = accumulators[a];
		tlv_frame before;

		add_documents(x, 0, 20);
		before = stored(x);
		assert_fails(tlv_add(&ctx, x, TLV_AS_BAG(make_bag(2, items, fractions))), TLV_BAD_DATA,
					 "2.5 of item -7");
		assert_string_not_equal(ctx.error.hint, "");
		/* Cubes of such counts would overflow: refused rather than stored as infinity. */
		assert_int_equal(tlv_add(&ctx, x, TLV_AS_BAG(make_bag(2, items, huge))), TLV_BAD_DATA);
		assert_same_bytes(stored(x), before);
		assert_ok(tlv_add(&ctx, x, TLV_AS_BAG(make_bag(2, items, long_ago))));
		stored(x); /* finite */
	}
}

/* One item more than the exact pairs can hold, one way and the other. */
TEST(test_too_many_items)
{
	enum
	{
		N = TLV_COUNT_PAIRS_MAX_ITEMS
	};
	int64_t *items = tlv_alloc(&ctx, N + 1, sizeof(int64_t));
	double *counts = tlv_alloc(&ctx, N + 1, sizeof(double));
	tlv_accumulator *full = new_pairs(), *summary = make_summary((tlv_frame){0}), *other;
	tlv_frame frame;

	for (int i = 0; i <= N; i++)
	{
		items[i] = 7 * i;
		counts[i] = 1;
	}
	assert_ok(tlv_add(&ctx, full, TLV_AS_BAG(make_bag(N, items, counts))));
	assert_ok(tlv_add(&ctx, full, TLV_AS_BAG(make_bag(3, items + 100, counts))));
	assert_fails(tlv_add(&ctx, full, TLV_AS_BAG(make_bag(3, items + N - 2, counts))), TLV_LIMIT,
				 "8192");
	assert_non_null(strstr(ctx.error.hint, "tlv_count_summary"));
	other = new_pairs();
	assert_ok(tlv_add(&ctx, other, TLV_AS_BAG(make_bag(3, items + N - 2, counts))));
	frame = stored(other);
	full = new_pairs();
	assert_ok(tlv_add(&ctx, full, TLV_AS_BAG(make_bag(N, items, counts))));
	assert_int_equal(full->class->merge(&ctx, full, &frame), TLV_LIMIT);
	/* The summary has no such limit. */
	assert_ok(tlv_add(&ctx, summary, TLV_AS_BAG(make_bag(N + 1, items, counts))));
	stored(summary);
}

/* Memory limits and moments: an error at every limit, never a crash. */
TEST(test_memory_limits)
{
	static const maker makers[] = {make_pairs, make_summary, make_products, make_triples};

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
			if (status != TLV_OK)
				assert_equal(status, TLV_MEMORY_LIMIT);
			refusals += status != TLV_OK;
			pool_reset(&memory, &ctx);
		}
		assert_above(refusals, 0);
	}
}

RUN_TESTS(setup_documents, teardown)
