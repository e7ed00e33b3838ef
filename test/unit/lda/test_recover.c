/*
 * test_recover.c - topics by anchor words from the exact co-occurrence: exactness by all three
 * recoveries on that of infinitely many documents, the runoff of rare items, accuracy on simulated
 * documents with every fault on the way, and refusals.
 */

#include "lda_fixture.h"
#include "tensorlv/num/linalg.h"

/* ---- infinitely many documents ---- */

#define EXACT_D 30
#define EXACT_K 4
#define MERGED	6 /* of the last items, which are counted as one */

static const double exact_alpha[EXACT_K] = {0.4, 0.1, 0.7, 0.2};

typedef struct exact
{
	double phi[EXACT_K * EXACT_D];
	double q[EXACT_D * EXACT_D];
	double p1[EXACT_D];
} exact;

/* Topics of which item j belongs to topic j alone, and Q = A R A' under LDA. */
static exact
exact_topics(void)
{
	exact x = {.phi = {0}};

	assert_ok(tlv_topic_random(&ctx, EXACT_K, EXACT_D, 0.3, &rng, x.phi));
	for (size_t j = 0; j < EXACT_K; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < EXACT_D; i++)
			sum += x.phi[i * EXACT_K + j] = i < EXACT_K ? .05 * (i == j) : x.phi[i * EXACT_K + j];
		for (size_t i = 0; i < EXACT_D; i++)
			x.phi[i * EXACT_K + j] /= sum;
	}
	for (size_t a = 0; a < EXACT_D; a++)
		for (size_t b = 0; b < EXACT_D; b++)
			for (size_t j = 0; j < EXACT_K; j++)
				for (size_t l = 0; l < EXACT_K; l++)
					x.q[a * EXACT_D + b] += exact_alpha[j] * (exact_alpha[l] + (j == l)) /
											(1.4 * 2.4) * x.phi[a * EXACT_K + j] *
											x.phi[b * EXACT_K + l];
	for (size_t a = 0; a < EXACT_D; a++)
		for (size_t b = 0; b < EXACT_D; b++)
			x.p1[a] += x.q[a * EXACT_D + b];
	return x;
}

/* The value that they would give, the last items as one where `merged`. */
static tlv_frame
exact_pairs(const exact *x, bool merged)
{
	size_t d = merged ? EXACT_D - MERGED + 1 : EXACT_D;
	double pairs[EXACT_D * (EXACT_D + 1) / 2] = {0}, totals[EXACT_D] = {0}, tokens = 3e12;
	double frequency[EXACT_D], correction[EXACT_D], squares[EXACT_D];
	int64_t items[EXACT_D];

	for (size_t a = 0; a < EXACT_D; a++)
	{
		size_t at = a < d ? a : d - 1;

		totals[at] += tokens * x->p1[a];
		for (size_t b = 0; b < EXACT_D; b++)
		{
			size_t other = b < d ? b : d - 1;

			if (other <= at)
				pairs[tlv_packed2_index(at, other)] += tokens * x->q[a * EXACT_D + b];
		}
	}
	for (size_t i = 0; i < d; i++)
	{
		items[i] = merged && i == d - 1 ? TLV_RUNOFF_ITEM : 100 + 2 * (int64_t) i;
		frequency[i] = 50;
		correction[i] = .1 * totals[i];
		squares[i] = pairs[tlv_packed2_index(i, i)] += correction[i];
	}
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_COUNT_PAIRS);
	tlv_frame_add_scalar(&builder, "documents", 100);
	tlv_frame_add_scalar(&builder, "skipped", 0);
	tlv_frame_add_scalar(&builder, "nulls", 0);
	tlv_frame_add_scalar(&builder, "tokens", tokens);
	tlv_frame_add_scalar(&builder, "squared_lengths", 9e22);
	tlv_frame_add(&builder, "items", TLV_INT64, d, 1, items);
	tlv_frame_add(&builder, "totals", TLV_FLOAT64, d, 1, totals);
	tlv_frame_add(&builder, "frequency", TLV_FLOAT64, d, 1, frequency);
	tlv_frame_add(&builder, "correction", TLV_FLOAT64, d, 1, correction);
	tlv_frame_add(&builder, "squares", TLV_FLOAT64, d, 1, squares);
	tlv_frame_add(&builder, "pairs", TLV_FLOAT64, tlv_packed2_size(d), 1, pairs);
	return MADE(tlv_frame_finish, &builder);
}

static tlv_frame
fit_pairs(tlv_frame moments, const tlv_lda_options *options)
{
	return MADE(tlv_lda_fit_pairs, &moments, options);
}

static const tlv_lda_options usual = {.k = EXACT_K, .alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1};

/* Topics, weights and alpha0 by every recovery: exactly, or as near as the gap of the gradient. */
TEST(test_exact)
{
	static const double bounds[][2] = {
		[TLV_LDA_RECOVER_L2] = {1e-8, 1e-6},
		[TLV_LDA_RECOVER_KL] = {.03, .1},
		[TLV_LDA_RECOVER_INVERSE] = {1e-8, 1e-6},
	};
	exact x = exact_topics();
	double alpha[EXACT_K];
	corpus truth = {.k = EXACT_K, .d = EXACT_D, .phi = x.phi, .alpha = alpha};
	tlv_lda_options options = usual;

	memcpy(alpha, exact_alpha, sizeof(alpha));
	for (int recovery = TLV_LDA_RECOVER_L2; recovery <= TLV_LDA_RECOVER_INVERSE; recovery++)
	{
		tlv_frame model;
		errors e;

		options.recovery = recovery;
		model = fit_pairs(exact_pairs(&x, false), &options);
		e = compare(&truth, model);
		print_message("recovery %d: L1 %g, alpha0 %.6f\n", recovery, e.worst,
					  tlv_frame_scalar(&model, "alpha0", 0));
		assert_below(e.worst, bounds[recovery][0]);
		assert_close(tlv_frame_scalar(&model, "alpha0", 0), 1.4, bounds[recovery][1]);
		assert_null(tlv_frame_find(&model, "warnings"));
		assert_equal(present_diagnostic(model, "runoff_share"), 0);
		for (size_t j = 0; j < EXACT_K; j++)
			assert_below(tlv_frame_int64(&model, "anchors")[j] - 100, 2 * EXACT_K);
	}
}

/* Items counted as one leave the others what they are, but for scale, and are in no topic. */
TEST(test_runoff)
{
	exact x = exact_topics();
	tlv_lda_options options = usual;

	for (int recovery = TLV_LDA_RECOVER_L2; recovery <= TLV_LDA_RECOVER_INVERSE; recovery += 2)
	{
		tlv_frame all, model;
		double share = 0;

		options.recovery = recovery;
		all = fit_pairs(exact_pairs(&x, false), &options);
		model = fit_pairs(exact_pairs(&x, true), &options);
		assert_int_equal(tlv_frame_find(&model, "items")->rows, EXACT_D - MERGED);
		for (size_t i = EXACT_D - MERGED; i < EXACT_D; i++)
			share += x.p1[i];
		assert_close(present_diagnostic(model, "runoff_share"), share, 1e-12);
		for (size_t j = 0; j < EXACT_K; j++)
		{
			int64_t anchor = tlv_frame_int64(&model, "anchors")[j];
			size_t other = 0;
			double left = 0;

			while (tlv_frame_int64(&all, "anchors")[other] != anchor)
				assert_below(++other, EXACT_K);
			for (size_t i = 0; i < EXACT_D - MERGED; i++)
				left += tlv_frame_float64(&all, "phi")[i * EXACT_K + other];
			for (size_t i = 0; i < EXACT_D - MERGED; i++)
				assert_close(tlv_frame_float64(&model, "phi")[i * EXACT_K + j],
							 tlv_frame_float64(&all, "phi")[i * EXACT_K + other] / left, 1e-8);
		}
	}
}

TEST(test_refusals)
{
	exact x = exact_topics();
	tlv_frame pairs = exact_pairs(&x, true);
	tlv_lda_options options = usual;
	void *image;
	size_t size;

	options.k = 0;
	assert_fails(tlv_lda_fit_pairs(&ctx, &pairs, &options, &image, &size), TLV_BAD_PARAMETER,
				 "do not identify it");
	options.k = EXACT_D - MERGED + 1;
	assert_fails(tlv_lda_fit_pairs(&ctx, &pairs, &options, &image, &size), TLV_BAD_PARAMETER,
				 "more than the 24 items");
	/* rows of rank 4: no fifth corner stands out of the hull of four */
	options.k = 5;
	assert_fails(tlv_lda_fit_pairs(&ctx, &pairs, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "only 4 of 5 topics");
	options.k = EXACT_K;
	options.alpha0 = -1;
	assert_fails(tlv_lda_fit_pairs(&ctx, &pairs, &options, &image, &size), TLV_BAD_PARAMETER,
				 "alpha0 = -1");
}

/* ---- documents ---- */

/* The co-occurrences of simulated documents, fitted; the status of the first step that fails. */
static tlv_status
collect_and_fit(const corpus *c, const tlv_lda_options *options, tlv_frame *model)
{
	tlv_accumulator *accumulator;
	tlv_frame moments;
	void *image;
	size_t size;

	TLV_TRY(tlv_count_pairs_create(&ctx, &accumulator));
	TLV_TRY(collect(accumulator, c, &image, &size));
	TLV_TRY(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &moments));
	TLV_TRY(tlv_lda_fit_pairs(&ctx, &moments, options, &image, &size));
	return tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, model);
}

TEST(test_documents)
{
	static const double bounds[] = {.3, .3, .9};
	corpus c = simulate(3000, 200, 5, 50, 0.2, false);

	for (int recovery = TLV_LDA_RECOVER_L2; recovery <= TLV_LDA_RECOVER_INVERSE; recovery++)
	{
		tlv_lda_options options = usual;
		tlv_frame model;
		double mean;

		options.k = 5;
		options.recovery = recovery;
		assert_ok(collect_and_fit(&c, &options, &model));
		mean = compare(&c, model).mean;
		print_message("recovery %d of documents: mean L1 %.4f\n", recovery, mean);
		assert_below(mean, bounds[recovery]);
		assert_int_equal(tlv_frame_find(&model, "anchors")->rows, 5);
	}
}

/* A cancel at any look, and memory that ends at any step of 64 kB, end in their own errors. */
TEST(test_faults)
{
	corpus c = simulate(300, 40, 2, 30, 0.1, false);
	tlv_lda_options options = usual;
	tlv_frame model;

	options.k = 2;
	options.recovery = TLV_LDA_RECOVER_KL;
	assert_cancelled_anywhere(1, 20, collect_and_fit(&c, &options, &model));
	assert_above(COUNT_REFUSALS(65536, collect_and_fit(&c, &options, &model)), 1);
}

RUN_TESTS(setup, teardown)
