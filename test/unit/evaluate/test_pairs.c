/*
 * test_pairs.c - measures of partitions, covers and memberships against
 * values computed elsewhere, limits, round trips, broken values.
 */
#include "rows.h"
#include "pool_setup.h"
#include "tensorlv/model/evaluate.h"
#include "tensorlv/num/special.h"

static double
measure(tlv_status (*compute)(tlv_context *, const tlv_frame *, double *), tlv_frame frame)
{
	double value = -7;

	assert_ok(compute(&ctx, &frame, &value));
	return value;
}

/* ---- partitions ---- */

static tlv_frame
partitions(int64_t first, int64_t last, int64_t (*a)(int64_t), int64_t (*b)(int64_t))
{
	tlv_accumulator *pairs;

	assert_ok(tlv_statistic_create(&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_label_pairs},
								   &pairs));
	for (int64_t i = first; i <= last; i++)
		assert_ok(tlv_add(&ctx, pairs, TLV_AS_LABELS(a(i), b(i))));
	return stored(pairs);
}

static int64_t
squares(int64_t i)
{
	return i * i % 7;
}
static int64_t
others(int64_t i)
{
	return (i * i + (i % 5 == 0)) % 6;
}
static int64_t
renamed(int64_t i)
{
	return INT64_MAX - squares(i) * (INT64_MAX / 4);
}
static int64_t
one(int64_t i)
{
	return i > 0 ? -3 : 0;
}
static int64_t
own(int64_t i)
{
	return i;
}

TEST(test_labels)
{
	tlv_frame all = partitions(1, 200, squares, others), parts[3];

	/* scikit-learn 1.x: normalized_mutual_info_score, adjusted_rand_score */
	assert_close(measure(tlv_label_nmi, all), 0.0013503981104796535, 1e-14);
	assert_close(measure(tlv_label_ari, all), -0.01365886464380214, 1e-14);
	assert_close(measure(tlv_label_nmi, partitions(1, 50, squares, renamed)), 1, 1e-14);
	assert_equal(measure(tlv_label_ari, partitions(1, 50, squares, renamed)), 1);
	assert_equal(measure(tlv_label_nmi, partitions(1, 50, one, one)), 1);
	assert_equal(measure(tlv_label_ari, partitions(1, 50, one, one)), 1);
	assert_equal(measure(tlv_label_nmi, partitions(1, 50, one, squares)), 0);
	assert_equal(measure(tlv_label_ari, partitions(1, 50, one, squares)), 0);
	assert_equal(measure(tlv_label_nmi, partitions(1, 50, own, one)), 0);
	assert_equal(measure(tlv_label_nmi, partitions(1, 1, own, own)), 1);
	assert_true(isnan(measure(tlv_label_nmi, partitions(1, 0, own, own))));
	assert_true(isnan(measure(tlv_label_ari, partitions(1, 0, own, own))));

	/* whatever the parts and their order, the same bytes */
	parts[0] = partitions(120, 200, squares, others);
	parts[1] = partitions(1, 0, squares, others);
	parts[2] = partitions(1, 119, squares, others);
	assert_true(tlv_digest_equal(&merged(3, parts).header->digest, &all.header->digest));
}

TEST(test_broken_labels)
{
	tlv_frame all = partitions(1, 20, squares, others);
	size_t n = tlv_frame_find(&all, "pairs")->rows;
	int64_t *pairs = tlv_alloc(&ctx, n, sizeof(int64_t));
	double *counts = tlv_alloc(&ctx, n, sizeof(double)), twenty = 20, more = 21;

	memcpy(pairs, tlv_frame_int64(&all, "pairs"), n * sizeof(int64_t));
	memcpy(counts, tlv_frame_float64(&all, "counts"), n * sizeof(double));
	assert_ok(forged(&all, "nodes", TLV_FLOAT64, 1, 1, &twenty));
	assert_int_equal(forged(&all, "nodes", TLV_FLOAT64, 1, 1, &more), TLV_CORRUPT);
	assert_int_equal(forged(&all, "counts", TLV_FLOAT64, n, 1, NULL), TLV_CORRUPT);
	assert_int_equal(forged(&all, "counts", TLV_FLOAT64, n - 1, 1, counts), TLV_CORRUPT);
	counts[0] += 0.5;
	counts[1] -= 0.5;
	assert_int_equal(forged(&all, "counts", TLV_FLOAT64, n, 1, counts), TLV_CORRUPT);
	counts[0] += counts[1];
	counts[1] = 0;
	assert_int_equal(forged(&all, "counts", TLV_FLOAT64, n, 1, counts), TLV_CORRUPT);
	pairs[n - 1] += INT64_C(1) << 32;
	assert_int_equal(forged(&all, "pairs", TLV_INT64, n, 1, pairs), TLV_CORRUPT);
	pairs[n - 1] = pairs[0];
	assert_int_equal(forged(&all, "pairs", TLV_INT64, n, 1, pairs), TLV_CORRUPT);
	memcpy(pairs, tlv_frame_int64(&all, "pairs"), n * sizeof(int64_t));
	pairs[0] = -1;
	assert_int_equal(forged(&all, "pairs", TLV_INT64, n, 1, pairs), TLV_CORRUPT);
	pairs[0] = 0;
	assert_int_equal(forged(&all, "labels_a", TLV_INT64, 1, 1, pairs), TLV_CORRUPT);
}

/* ---- covers ---- */

/* Communities of node i of 200: every combination of sizes, some of them disjoint. */
static size_t
cover_a(int64_t i, int64_t *c)
{
	size_t n = 0;

	if (i <= 3)
		c[n++] = 51;
	for (int64_t j = 4; j >= 1; j--)
		if (i * j % 5 < 2)
			c[n++] = j;
	if (i <= 50)
		c[n++] = 50;
	return n;
}

static size_t
cover_b(int64_t i, int64_t *c)
{
	size_t n = 0;

	for (int64_t j = 1; j <= 5; j++)
		if ((i * j + i / 9) % 7 < 2)
			c[n++] = j;
	if (i > 55)
		c[n++] = 99;
	if (n > 0)
		c[n++] = c[0]; /* named twice */
	return n;
}

static size_t
everybody(int64_t i, int64_t *c)
{
	c[0] = 8;
	return i > 0;
}

static size_t
nobody(int64_t i, int64_t *c)
{
	return i < 0;
}

static tlv_frame
covers(int64_t first, int64_t last, size_t (*a)(int64_t, int64_t *),
	   size_t (*b)(int64_t, int64_t *))
{
	tlv_accumulator *pairs;

	assert_ok(tlv_statistic_create(&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_cover_pairs},
								   &pairs));
	for (int64_t i = first; i <= last; i++)
	{
		int64_t c_a[10], c_b[10];

		assert_ok(tlv_add(&ctx, pairs, TLV_AS_COVERS(a(i, c_a), c_a, b(i, c_b), c_b)));
	}
	return stored(pairs);
}

TEST(test_covers)
{
	tlv_frame all = covers(1, 200, cover_a, cover_b), parts[2];

	/* a slow reference over sets of nodes, all pairs of communities */
	assert_close(measure(tlv_cover_nmi, all), 0.02914694853140265, 1e-14);
	assert_close(measure(tlv_cover_f1, all), 0.39246082761186962, 1e-14);
	assert_close(measure(tlv_cover_nmi, covers(1, 200, cover_b, cover_a)), 0.02914694853140265,
				 1e-14);
	assert_equal(measure(tlv_cover_nmi, covers(1, 200, cover_a, cover_a)), 1);
	assert_equal(measure(tlv_cover_f1, covers(1, 200, cover_a, cover_a)), 1);
	assert_equal(measure(tlv_cover_nmi, covers(1, 9, everybody, everybody)), 1);
	assert_equal(measure(tlv_cover_nmi, covers(1, 200, everybody, cover_a)), 0);
	assert_equal(measure(tlv_cover_nmi, covers(1, 9, everybody, nobody)), 0);
	assert_equal(measure(tlv_cover_f1, covers(1, 9, everybody, nobody)), 0);
	assert_true(isnan(measure(tlv_cover_nmi, covers(1, 9, nobody, nobody))));
	assert_true(isnan(measure(tlv_cover_f1, covers(1, 0, cover_a, cover_b))));
	assert_equal(tlv_frame_scalar(&all, "nodes", 0), 200);
	assert_equal(tlv_frame_float64(&all, "sizes_b")[5], 145);

	parts[0] = covers(77, 200, cover_a, cover_b);
	parts[1] = covers(1, 76, cover_a, cover_b);
	assert_true(tlv_digest_equal(&merged(2, parts).header->digest, &all.header->digest));
}

TEST(test_broken_covers)
{
	tlv_frame all = covers(1, 200, cover_a, cover_b);
	double sizes[6], counts[40];
	size_t n = tlv_frame_find(&all, "pairs")->rows;

	assert_at_most(n, 40);
	memcpy(sizes, tlv_frame_float64(&all, "sizes_a"), sizeof(sizes));
	assert_ok(forged(&all, "sizes_a", TLV_FLOAT64, 6, 1, sizes));
	assert_int_equal(forged(&all, "sizes_a", TLV_FLOAT64, 5, 1, sizes), TLV_CORRUPT);
	sizes[0] = 201;
	assert_int_equal(forged(&all, "sizes_a", TLV_FLOAT64, 6, 1, sizes), TLV_CORRUPT);
	sizes[0] = 1; /* less than it shares */
	assert_int_equal(forged(&all, "sizes_a", TLV_FLOAT64, 6, 1, sizes), TLV_CORRUPT);
	sizes[0] = 200; /* two large communities must share more */
	assert_int_equal(forged(&all, "sizes_a", TLV_FLOAT64, 6, 1, sizes), TLV_CORRUPT);
	memcpy(counts, tlv_frame_float64(&all, "counts"), n * sizeof(double));
	counts[0] = 200;
	assert_int_equal(forged(&all, "counts", TLV_FLOAT64, n, 1, counts), TLV_CORRUPT);
}

/* ---- memberships ---- */

static void
memberships(int i, double *truth, double *estimate)
{
	double sum = 0;

	truth[0] = i % 7 + 1;
	truth[1] = i * i % 5 + 1;
	truth[2] = 3 * i % 4 + 1;
	estimate[0] = 3 * i % 4 + 1 + i % 3;
	estimate[1] = i % 7 + 1;
	estimate[2] = i * i % 5 + 2;
	estimate[3] = 2;
	sum = truth[0] + truth[1] + truth[2];
	for (int j = 0; j < 3; j++)
		truth[j] /= sum;
	sum = estimate[0] + estimate[1] + estimate[2] + estimate[3];
	for (int j = 0; j < 4; j++)
		estimate[j] /= sum;
}

static tlv_frame
compared(int first, int last)
{
	tlv_accumulator *pairs;

	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &pairs));
	for (int i = first; i <= last; i++)
	{
		double truth[3], estimate[4];

		memberships(i, truth, estimate);
		assert_ok(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(3, truth, 4, estimate)));
	}
	return stored(pairs);
}

/* numpy, scipy.stats.t.sf: correlation, t, p, q, error of some pairs */
static const struct
{
	size_t pair;
	double correlation, t, p_value, q_value, error;
	bool matched, assigned;
} expected[] = {
	{0, -0.473367989589322, -4.09264091283968, 0.999933228613418, 0.99999999105599,
	 0.225073217331344, false, false},
	{1, 0.968282285295245, 29.513542932097, 6.26802068176888e-37, 3.76081240906132e-36,
	 0.123798183455691, true, true},
	{3, -0.145001941446274, -1.116097506975, 0.865508450429614, 0.99999999105599, 0.264136432095023,
	 false, false},
	{6, 0.974319079280815, 32.9534764512082, 1.49295688709398e-39, 1.79154826451278e-38,
	 0.0425431439189179, true, true},
	{8, 0.870735130896627, 13.4850840404239, 7.87861494810861e-20, 3.15144597924344e-19,
	 0.0525858787468695, true, true},
	{11, 0.264277347465789, 2.08687143108796, 0.0206525400274834, 0.0619576200824502,
	 0.137746641330233, false, false},
};

static void
check_match(tlv_frame frame)
{
	tlv_membership_match match;

	assert_ok(tlv_membership_compare(&ctx, &frame, 0.01, &match));
	assert_equal(match.k_a, 3);
	assert_equal(match.k_b, 4);
	assert_equal(match.nodes, 60);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
	{
		const tlv_component_pair *pair = &match.pairs[expected[i].pair];

		assert_close(pair->correlation, expected[i].correlation, 1e-12);
		assert_close(pair->t, expected[i].t, 1e-10 * fabs(expected[i].t));
		assert_close(pair->p_value, expected[i].p_value, 1e-9 * expected[i].p_value);
		assert_close(pair->q_value, expected[i].q_value, 1e-9 * expected[i].q_value);
		assert_close(pair->error, expected[i].error, 1e-14);
		assert_equal(pair->matched, expected[i].matched);
		assert_equal(pair->assigned, expected[i].assigned);
	}
	assert_equal(match.recovery_ratio, 1);
	assert_close(match.error, 0.072975735373826192, 1e-13);
	assert_close(match.l1, 0.18717485523019578, 1e-13);
	/* nothing is sure enough */
	assert_ok(tlv_membership_compare(&ctx, &frame, 1e-40, &match));
	assert_equal(match.recovery_ratio, 0);
	assert_equal(match.error, 0);
	assert_int_equal(tlv_membership_compare(&ctx, &frame, -0.1, &match), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_membership_compare(&ctx, &frame, NAN, &match), TLV_BAD_PARAMETER);
}

TEST(test_memberships)
{
	tlv_frame parts[4] = {compared(31, 60), compared(1, 0), compared(1, 1), compared(2, 30)};

	check_match(compared(1, 60));
	check_match(merged(4, parts));
}

/* k truths and k' estimates, n rows of them. */
static tlv_membership_match
match_rows(size_t n, size_t k_a, const double *a, size_t k_b, const double *b)
{
	tlv_accumulator *pairs;
	tlv_membership_match match;
	tlv_frame frame;

	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &pairs));
	for (size_t i = 0; i < n; i++)
		assert_ok(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(k_a, a + i * k_a, k_b, b + i * k_b)));
	frame = stored(pairs);
	assert_ok(tlv_membership_compare(&ctx, &frame, 0.01, &match));
	return match;
}

TEST(test_odd_memberships)
{
	static const double a[] = {1, 0, 0, 1, 1, 0, 0, 1, 0.5, 0.5, 0.1, 0.9};
	static const double constant[] = {0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9, 0.1, 0.9};
	static const double single[] = {1, 1, 1, 1, 1, 1};
	tlv_membership_match match = match_rows(6, 2, a, 2, a);
	tlv_accumulator *pairs;
	double bad[2] = {0.5, 0.5};

	assert_close(match.pairs[0].correlation, 1, 1e-15);
	assert_true(isfinite(match.pairs[0].t));
	assert_above(match.pairs[0].t, 1e6);
	assert_below(match.pairs[0].p_value, 1e-20);
	assert_true(match.pairs[0].matched);
	assert_equal(match.l1, 0);
	assert_close(match.pairs[1].correlation, -1, 1e-15);
	assert_true(isfinite(match.pairs[1].t));
	assert_below(match.pairs[1].t, -1e6);
	assert_above(match.pairs[1].p_value, 0.999);
	assert_true(!match.pairs[1].matched);
	/* what does not vary is matched by nothing */
	match = match_rows(6, 2, a, 2, constant);
	for (int i = 0; i < 4; i++)
	{
		assert_true(isnan(match.pairs[i].correlation));
		assert_equal(match.pairs[i].q_value, 1);
	}
	assert_equal(match.recovery_ratio, 0);
	assert_equal(match.pairs[0].assigned + match.pairs[1].assigned, 1);
	/* fewer estimated than true: the missing one is 0 */
	match = match_rows(6, 2, a, 1, single);
	assert_close(match.l1, (6 - 3.4 + 2.6) / 12, 1e-14);
	assert_true(match.pairs[1].assigned && !match.pairs[0].assigned);
	/* and more */
	assert_close(match_rows(6, 1, single, 2, a).l1, (6 - 3.4 + 2.6) / 12, 1e-14);
	/* two nodes are no evidence */
	match = match_rows(2, 2, a, 2, a);
	assert_close(match.pairs[0].correlation, 1, 1e-15);
	assert_equal(match.pairs[0].p_value, 1);
	assert_true(isnan(match.pairs[0].t));

	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &pairs));
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(0, bad, 2, bad)), TLV_BAD_DATA);
	assert_ok(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(2, bad, 2, bad)));
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(2, bad, 1, bad)), TLV_BAD_DATA);
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(1, bad, 2, bad)), TLV_BAD_DATA);
	bad[1] = NAN;
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(2, bad, 2, bad)), TLV_BAD_DATA);
	bad[1] = -HUGE_VAL;
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(2, bad, 2, bad)), TLV_BAD_DATA);
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(100000, bad, 100000, bad)),
					 TLV_BAD_DATA);
	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &pairs));
	assert_int_equal(tlv_add(&ctx, pairs, TLV_AS_MEMBERSHIPS(100000, bad, 100000, bad)), TLV_LIMIT);
}

TEST(test_broken_memberships)
{
	tlv_frame all = compared(1, 60), none = compared(1, 0), other;
	tlv_accumulator *sum;
	double numbers[12], zero = 0;
	tlv_membership_match match;

	memcpy(numbers, tlv_frame_float64(&all, "products"), sizeof(numbers));
	assert_ok(forged(&all, "products", TLV_FLOAT64, 4, 3, numbers));
	assert_int_equal(forged(&all, "products", TLV_FLOAT64, 3, 4, numbers), TLV_CORRUPT);
	numbers[5] *= 10;
	assert_int_equal(forged(&all, "products", TLV_FLOAT64, 4, 3, numbers), TLV_CORRUPT);
	numbers[0] = -1;
	assert_int_equal(forged(&all, "squares_a", TLV_FLOAT64, 3, 1, numbers), TLV_CORRUPT);
	assert_int_equal(forged(&all, "absolutes_b", TLV_FLOAT64, 4, 1, numbers), TLV_CORRUPT);
	assert_int_equal(forged(&all, "nodes", TLV_FLOAT64, 1, 1, &zero), TLV_CORRUPT);
	assert_int_equal(forged(&none, "means_a", TLV_FLOAT64, 1, 1, &zero), TLV_CORRUPT);
	assert_int_equal(tlv_membership_compare(&ctx, &none, 0.01, &match), TLV_BAD_DATA);
	/* memberships of other numbers of components do not merge */
	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &sum));
	assert_ok(tlv_add(&ctx, sum, TLV_AS_MEMBERSHIPS(2, numbers, 2, numbers)));
	other = stored(sum);
	assert_ok(tlv_statistic_create(
		&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_membership_pairs}, &sum));
	assert_ok(sum->class->merge(&ctx, sum, &all));
	assert_int_equal(sum->class->merge(&ctx, sum, &other), TLV_BAD_PARAMETER);
	assert_ok(sum->class->merge(&ctx, sum, &none));
}

/* ---- faults ---- */

/* A sum of covers, and its score. */
static tlv_status
sum_and_score(const tlv_frame *all)
{
	tlv_accumulator *sum;
	int64_t c[10];
	double value;

	TLV_TRY(tlv_statistic_create(&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_cover_pairs},
								 &sum));
	for (int64_t i = 1; i <= 60; i++)
		TLV_TRY(tlv_add(&ctx, sum, TLV_AS_COVERS(cover_a(i, c), c, 1, c + 1)));
	TLV_TRY(sum->class->merge(&ctx, sum, all));
	TLV_TRY(sum->class->build(&ctx, sum, &builder));
	return tlv_cover_nmi(&ctx, all, &value);
}

TEST(test_faults)
{
	tlv_frame all = covers(1, 200, cover_a, cover_b);
	tlv_accumulator *sum;
	double value;

	assert_above(COUNT_REFUSALS(128, sum_and_score(&all)), 0);
	assert_cancelled_at(1, tlv_cover_nmi(&ctx, &all, &value));
	assert_ok(tlv_statistic_create(&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_cover_pairs},
								   &sum));
	assert_cancelled_at(1, sum->class->merge(&ctx, sum, &all));
}

/* Every walk over a large table, and over the communities of one node, can be cancelled. */
TEST(test_stops)
{
	const tlv_statistic of_labels = {.aggregate = &tlv_aggregate_label_pairs};
	const tlv_statistic of_covers = {.aggregate = &tlv_aggregate_cover_pairs};
	const int64_t many = 70000;
	int64_t *same = tlv_alloc0(&ctx, (size_t) many, sizeof(int64_t));
	tlv_accumulator *labels, *covers;
	tlv_frame pairs, shared;
	double value;

	assert_ok(tlv_statistic_create(&ctx, &of_labels, &labels));
	assert_ok(tlv_statistic_create(&ctx, &of_covers, &covers));
	for (int64_t i = 0; i < many; i++)
	{
		assert_ok(tlv_add(&ctx, labels, TLV_AS_LABELS(i, i / 2)));
		assert_ok(tlv_add(&ctx, covers, TLV_AS_COVERS(1, &i, 1, &i)));
	}
	pairs = stored(labels);
	shared = stored(covers);
	assert_cancelled_at(1, tlv_label_nmi(&ctx, &pairs, &value));
	assert_cancelled_at(1, tlv_label_ari(&ctx, &pairs, &value));
	assert_cancelled_at(1, tlv_cover_f1(&ctx, &shared, &value));
	assert_cancelled_at(1, tlv_kind_check(&ctx, &tlv_kind_cover_pairs, &shared));
	assert_cancelled_at(1, tlv_add(&ctx, covers, TLV_AS_COVERS((size_t) many, same, 0, same)));
}

/* A count that cannot be added to any more, of a value that may come from anywhere. */
TEST(test_largest_count)
{
	const tlv_statistic of_labels = {.aggregate = &tlv_aggregate_label_pairs};
	tlv_accumulator *labels;
	tlv_frame one;

	assert_ok(tlv_statistic_create(&ctx, &of_labels, &labels));
	assert_ok(tlv_add(&ctx, labels, TLV_AS_LABELS(1, 2)));
	one = stored(labels);
	*(double *) (uintptr_t) tlv_frame_float64(&one, "nodes") = 0x1p53 - 1;
	*(double *) (uintptr_t) tlv_frame_float64(&one, "counts") = 0x1p53 - 1;
	assert_ok(tlv_kind_check(&ctx, &tlv_kind_label_pairs, &one));
	assert_ok(tlv_accumulator_create(&ctx, labels->class, &labels));
	assert_ok(labels->class->merge(&ctx, labels, &one));
	assert_ok(tlv_add(&ctx, labels, TLV_AS_LABELS(1, 3)));
	assert_fails(tlv_add(&ctx, labels, TLV_AS_LABELS(1, 3)), TLV_LIMIT, "more than 2^53");
	one = stored(labels);
	assert_equal(tlv_frame_scalar(&one, "nodes", 0), 0x1p53);
}

/* Squares too small for a number, and products with large numbers that are none too small. */
TEST(test_lost_squares)
{
	const tlv_statistic of_memberships = {.aggregate = &tlv_aggregate_membership_pairs};
	tlv_accumulator *sum;
	tlv_frame frame;

	assert_ok(tlv_statistic_create(&ctx, &of_memberships, &sum));
	for (int sign = -1; sign <= 1; sign += 2)
	{
		double small = sign * 1e-170, large = sign * 1e100;

		assert_ok(tlv_add(&ctx, sum, TLV_AS_MEMBERSHIPS(1, &small, 1, &large)));
	}
	frame = stored(sum);
	assert_equal(*tlv_frame_float64(&frame, "squares_a"), 0);
	assert_close(*tlv_frame_float64(&frame, "products"), 2e-70, 1e-80);
}

TEST(test_student)
{
	/* scipy.stats.t.sf */
	static const double x[][3] = {{1.5, 3, 0.11529193262241147},	 {0.3, 58, 0.38262487263249056},
								  {40, 58, 3.1351261560966232e-44},	 {-2, 10, 0.96330598261462985},
								  {3, 1e6, 0.0013499312707109001},	 {5, 2.5, 0.011725594985430925},
								  {12, 1e5, 1.8722529059782093e-33}, {0, 7, 0.5}};

	for (size_t i = 0; i < sizeof(x) / sizeof(x[0]); i++)
		assert_close(tlv_student_survival(x[i][0], x[i][1]), x[i][2], 1e-9 * x[i][2]);
	assert_equal(tlv_student_survival(HUGE_VAL, 3), 0);
	assert_equal(tlv_student_survival(-HUGE_VAL, 3), 1);
	if (tlv_student_survival(1e200, 3) != 0)
		assert_below(tlv_student_survival(1e200, 3), 1e-300);
	assert_equal(tlv_student_survival(100, 1e9), 0);
	assert_true(isnan(tlv_student_survival(NAN, 3)) && isnan(tlv_student_survival(1, 0)));
}

RUN_TESTS(setup, teardown)
