/*
 * test_subspace.c - the dominant subspace of the pair moment by every
 * way that leads to it, and the number of topics.
 */
#include "count_fixture.h"
#include "tensorlv/model/topics.h"

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
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_BAG(c.bags[t])));
}

static tlv_frame
next_subspace(tlv_frame moments, size_t rank, double minimum, bool distinct)
{
	tlv_subspace_options options = {
		.rank = rank, .minimum_documents = minimum, .distinct = distinct, .seed = 42};

	return MADE(tlv_subspace_from_moments, &moments, &options);
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
	const int64_t *all = tlv_frame_int64(&pairs, "items"),
				  *kept = tlv_frame_int64(&subspace, "items");
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
		assert_equal(tlv_frame_scalar(&iterated, "steps", 0), step + 1);
		if (tlv_subspace_change(&iterated) < 1e-9)
			break;
	}
	assert_below(tlv_subspace_change(&iterated), 1e-9);
	assert_above(smallest_cosine(direct, iterated, K_LDA), 1 - 1e-6);

	d = tlv_frame_find(&direct, "items")->rows;
	if (minimum > 0)
		assert_below(d, ITEMS_LDA);
	else
		assert_above(d, ITEMS_LDA - 5);
	dense = scaled_moment(moments, direct, distinct);
	for (size_t i = 0; i < d && !distinct; i++)
		trace += dense[i * d + i];
	if (!distinct)
	{
		assert_close(tlv_frame_scalar(&direct, "trace", 0), trace, 1e-10);
		assert_close(tlv_count_trace(&moments, minimum), trace, 1e-10);
		assert_below(trace, K_LDA); /* no bursts in LDA */
	}
	values = tlv_alloc(&ctx, d, sizeof(double));
	assert_ok(tlv_eigen_symmetric(&ctx, d, dense, values));
	for (size_t j = 0; j < K_LDA; j++)
	{
		assert_close(tlv_frame_float64(&iterated, "ritz")[j], values[j], 1e-6);
		assert_close(tlv_frame_float64(&direct, "ritz")[j], values[j], 1e-3);
	}
	if (!distinct && minimum == 0)
		assert_close(values[0], 1, 0.05); /* the leading direction is the mean */
}

TEST(test_subspace)
{
	corpus c = simulate(1500, 30, 0.25);

	check_subspace(c, 0, false);
	check_subspace(c, 0, true);
	check_subspace(c, 300, false); /* restricted: lengths still count all tokens */
	check_subspace(c, 300, true);
}

/* A subspace that begins with another one: of the same items, of more, of fewer and of none that it
 * has.  It stands after fewer steps where it knows the items, and is the same in the end. */
TEST(test_begun)
{
	corpus c = simulate(1500, 30, 0.25);
	tlv_accumulator *summary = make_summary((tlv_frame){0});
	const double minimum[4][2] = {{0, 0}, {0, 300}, {300, 0}, {300, 1e9}};
	tlv_frame counts;
	int taken[4];

	add_corpus(summary, c, 1, 0);
	counts = stored(summary);
	for (int i = 0; i < 4; i++)
	{
		tlv_frame at = next_subspace(counts, K_LDA, i == 3 ? 0 : minimum[i][0], false), direct;
		tlv_subspace_options options = {
			.rank = K_LDA, .minimum_documents = minimum[i][1], .seed = 42};
		tlv_accumulator *pairs = new_pairs();

		for (int step = 0; step < 12; step++)
		{
			tlv_accumulator *products = new_compressed(at, false);

			add_corpus(products, c, 1, 0);
			at = next_subspace(stored(products), 0, 0, false);
		}
		options.begun = &at;
		if (i == 3)
		{
			/* items that the counts do not have */
			int64_t *items = (int64_t *) tlv_frame_int64(&at, "items");

			for (size_t j = 0; j < tlv_frame_find(&at, "items")->rows; j++)
				items[j] += 100000;
			options.minimum_documents = 0;
		}
		at = MADE(tlv_subspace_from_moments, &counts, &options);
		for (taken[i] = 0; taken[i] < 30; taken[i]++)
		{
			tlv_accumulator *products = new_compressed(at, false);

			add_corpus(products, c, 1, 0);
			at = next_subspace(stored(products), 0, 0, false);
			if (tlv_subspace_change(&at) < 1e-6)
				break;
		}
		add_corpus(pairs, c, 1, 0);
		direct = next_subspace(stored(pairs), K_LDA, options.minimum_documents, false);
		assert_above(smallest_cosine(direct, at, K_LDA), 1 - 1e-4);
	}
	print_message("steps: the same items %d, fewer %d, more %d, others %d\n", taken[0], taken[1],
				  taken[2], taken[3]);
	assert_below(taken[0], 3);
	assert_below(taken[0], taken[3]);
}

TEST(test_subspace_refusals)
{
	tlv_accumulator *pairs = new_pairs(), *few = new_pairs();
	tlv_frame frame, small, triples;
	tlv_subspace_options options = {.seed = 1};
	void *image;
	size_t size;

	add_documents(pairs, 0, DOCUMENTS);
	frame = stored(pairs);
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.rank = D + 1;
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.rank = D;
	assert_ok(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	options.minimum_documents = DOCUMENTS; /* leaves no item */
	assert_int_equal(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size),
					 TLV_BAD_DATA);
	assert_non_null(strstr(ctx.error.hint, "min_documents"));
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
TEST(test_suggest_k)
{
	enum
	{
		MAX_K = 10
	};
	corpus c = simulate(3000, 40, 0.2);
	tlv_frame learnt[2], test[2], plain;
	double z[MAX_K];
	size_t count, k;

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

		assert_equal(z[j], fmin(a, b));
		if (j < K_LDA)
			assert_above(z[j], 8);
		else
			assert_below(z[j], 3); /* a clear gap */
	}
	plain = stored(new_compressed(identity_subspace(false), true));
	assert_int_equal(tlv_count_suggest_k(&ctx, &test[0], &plain, z, &count, &k), TLV_BAD_PARAMETER);
	assert_string_not_equal(ctx.error.hint, "");
}

/*
 * A basis too large for the cache takes another way through the documents,
 * sorted by item; blocks of it end in the middle of these documents.
 */
TEST(test_large_basis)
{
	enum
	{
		ITEMS = 70000,
		WIDTH = 32,
		N = 2500,
		LENGTH = 8
	};
	double *scale = tlv_alloc(&ctx, ITEMS, sizeof(double)), *y = tlv_alloc(&ctx, WIDTH, 8);
	double *basis = tlv_alloc(&ctx, ITEMS * WIDTH, sizeof(double));
	double *expected = tlv_alloc0(&ctx, ITEMS * WIDTH, sizeof(double));
	int64_t *items = tlv_alloc(&ctx, ITEMS, sizeof(int64_t));
	tlv_accumulator *accumulator;
	tlv_frame value, frame;

	for (size_t i = 0; i < ITEMS; i++)
	{
		items[i] = (int64_t) i;
		scale[i] = 0.5 + tlv_rng_uniform(&rng);
	}
	tlv_rng_fill_normal(&rng, ITEMS * WIDTH, basis);
	value = subspace_value(ITEMS, items, WIDTH, WIDTH, scale, basis, false);
	accumulator = new_compressed(value, false);
	for (int t = 0; t < N; t++)
	{
		int64_t own[LENGTH];
		double counts[LENGTH], length = 0;

		memset(y, 0, WIDTH * sizeof(double));
		for (int64_t a = 0; a < LENGTH; a++)
		{
			own[a] = (int64_t) tlv_rng_below(&rng, ITEMS / LENGTH) + a * (ITEMS / LENGTH);
			counts[a] = 1 + (double) tlv_rng_below(&rng, 3);
			length += counts[a];
			for (int j = 0; j < WIDTH; j++)
				y[j] += counts[a] * scale[own[a]] * basis[own[a] * WIDTH + j];
		}
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_BAG(make_bag(LENGTH, own, counts))));
		for (int a = 0; a < LENGTH; a++)
			for (int j = 0; j < WIDTH; j++)
				expected[own[a] * WIDTH + j] += scale[own[a]] * counts[a] / (length - 1) *
												(y[j] - scale[own[a]] * basis[own[a] * WIDTH + j]);
	}
	frame = stored(accumulator);
	for (size_t i = 0; i < (size_t) ITEMS * WIDTH; i++)
		assert_near(tlv_frame_float64(&frame, "products")[i], expected[i]);
}

RUN_TESTS(setup_documents, teardown)
