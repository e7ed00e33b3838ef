/*
 * test_leave_out.c - compressed moments by group: their sums against those of the documents, topics
 * without a group against a fit to the others, every refusal and fault.
 */
#include "assertions.h"

#include "lda_fixture.h"
#include "tensorlv/num/rng.h"

#define GROUPS 4

/* The dominant subspace of exact pairs. */
static tlv_frame
subspace_of(const corpus *c, size_t rank, bool distinct)
{
	tlv_subspace_options options = {.rank = rank, .distinct = distinct, .seed = 1};
	tlv_accumulator *pairs;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_count_pairs_create(&ctx, &pairs));
	assert_ok(collect(pairs, c, &image, &size));
	frame = checked(TLV_FRAME_MOMENTS, image, size);
	assert_ok(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	return checked(TLV_FRAME_SUBSPACE, image, size);
}

static tlv_frame
stored(tlv_accumulator *accumulator)
{
	tlv_frame_builder builder;
	void *image;
	size_t size;

	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	assert_ok(tlv_frame_finish(&ctx, &builder, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

/* Documents from .. to - 1, document t of entity t, by group. */
static tlv_frame
grouped(const corpus *c, const tlv_frame *subspace, size_t from, size_t to)
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	assert_ok(tlv_subspace_open(&ctx, subspace, true, &opened));
	assert_ok(tlv_grouped_moments_create(&ctx, opened, GROUPS, &accumulator));
	for (size_t t = from; t < to; t++)
		assert_ok(tlv_add(&ctx, accumulator, TLV_AS_NEIGHBOURS((int64_t) t, c->bags[t])));
	return stored(accumulator);
}

/* Compressed moments of the documents that are not of that group. */
static tlv_frame
others(const corpus *c, const tlv_frame *subspace, size_t without)
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;
	tlv_frame triples, sums;

	assert_ok(tlv_subspace_open(&ctx, subspace, true, &opened));
	assert_ok(tlv_count_triples_create(&ctx, opened, &accumulator));
	for (size_t t = 0; t < c->n; t++)
		if (tlv_mix64(t) % GROUPS != without)
			assert_ok(tlv_add(&ctx, accumulator, TLV_AS_BAG(c->bags[t])));
	triples = stored(accumulator);
	assert_ok(tlv_count_triples_sums(&ctx, &triples, subspace, &sums));
	return sums;
}

static void
assert_same(const tlv_frame *a, const tlv_frame *b, const char *name)
{
	const tlv_section *section = tlv_frame_find(a, name);
	const double *x = tlv_frame_float64(a, name), *y = tlv_frame_float64(b, name);

	assert_int_equal(section->rows, tlv_frame_find(b, name)->rows);
	for (size_t i = 0; i < section->rows * section->columns; i++)
		if (!(fabs(x[i] - y[i]) <= 1e-9 * (1 + fabs(y[i]))))
			fail_msg("%s, entry %zu: %.15g instead of %.15g", name, i, x[i], y[i]);
}

/* All but each of the groups, and all of them, of documents in which words repeat. */
static void
test_sums(void **state)
{
	static const char *const names[] = {"documents", "tokens", "squared_lengths", "totals",
										"mean",		 "pairs",  "triples"};
	corpus c = simulate(300, 40, 5, 25, 0.2, false);
	tlv_frame subspace = subspace_of(&c, 5, false), moments = grouped(&c, &subspace, 0, c.n);
	tlv_grouped groups;

	(void) state;
	assert_ok(tlv_grouped_open(&ctx, &moments, &subspace, "", &groups));
	for (size_t g = 0; g <= GROUPS; g++)
	{
		tlv_frame right = others(&c, &subspace, g), found;
		double products[5 * 40];
		void *image;
		size_t size;

		assert_ok(tlv_grouped_without(&ctx, &groups, g, products, &image, &size));
		found = checked(TLV_FRAME_MOMENTS, image, size);
		for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
			assert_same(&found, &right, names[i]);
	}
}

/* Parts add up in either order, and go out again. */
static void
test_merge(void **state)
{
	corpus c = simulate(200, 40, 4, 25, 0.2, false);
	tlv_frame subspace = subspace_of(&c, 4, false), whole = grouped(&c, &subspace, 0, c.n);
	tlv_frame part[2] = {grouped(&c, &subspace, 0, 77), grouped(&c, &subspace, 77, c.n)}, sum;
	bool done;

	(void) state;
	for (size_t first = 0; first < 2; first++)
	{
		tlv_accumulator *accumulator;

		assert_ok(tlv_accumulator_create(&ctx, tlv_kind_grouped_moments.accumulator, &accumulator));
		assert_ok(accumulator->class->merge(&ctx, accumulator, &part[first]));
		assert_ok(accumulator->class->merge(&ctx, accumulator, &part[1 - first]));
		sum = stored(accumulator);
		assert_same(&sum, &whole, "products");
		assert_same(&sum, &whole, "triples");
		assert_ok(tlv_accumulator_subtract(&ctx, accumulator, &part[first], false, &done));
		sum = stored(accumulator);
		assert_same(&sum, &part[1 - first], "products");
		assert_same(&sum, &part[1 - first], "documents");
		assert_fails(tlv_add(&ctx, accumulator, TLV_AS_NEIGHBOURS(1, c.bags[0])), TLV_BAD_PARAMETER,
					 "take no rows");
	}
}

static double
distance(const tlv_frame *a, const tlv_frame *b)
{
	tlv_match match;
	double worst = 0;

	assert_ok(tlv_model_match(&ctx, a, b, &match));
	for (size_t j = 0; j < match.k; j++)
		worst = fmax(worst, match.distance[j]);
	return worst;
}

/* Of the documents that the basis is of, topics read through the products are those in the basis;
 * without a group they are nearer to a fit in a basis of their own than in the common one. */
static void
test_topics(void **state)
{
	corpus c = simulate(2000, 60, 4, 50, 0.2, false), rest = c;
	tlv_frame subspace = subspace_of(&c, 4, false), moments = grouped(&c, &subspace, 0, c.n);
	tlv_frame triples = others(&c, &subspace, GROUPS), own, plain, all, out, fresh;
	tlv_lda_options options = {.alpha0 = 0.8, .eta = TLV_LDA_ETA, .seed = 1, .subspace = &subspace};
	tlv_grouped groups;
	void *image;
	size_t size;

	(void) state;
	assert_ok(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
	plain = checked(TLV_FRAME_MODEL, image, size);
	assert_ok(tlv_lda_fit_grouped(&ctx, &moments, &options, &image, &size));
	all = checked(TLV_FRAME_MODEL, image, size);
	assert_true(distance(&all, &plain) < 1e-4);
	assert_ok(tlv_grouped_open(&ctx, &moments, &subspace, "", &groups));
	assert_ok(tlv_lda_fit_without(&ctx, &all, &groups, 1, &image, &size));
	out = checked(TLV_FRAME_MODEL, image, size);
	triples = others(&c, &subspace, 1);
	assert_ok(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
	plain = checked(TLV_FRAME_MODEL, image, size);
	rest.n = 0;
	rest.bags = room(c.n, sizeof(void *));
	for (size_t t = 0; t < c.n; t++)
		if (tlv_mix64(t) % GROUPS != 1)
			rest.bags[rest.n++] = c.bags[t];
	own = subspace_of(&rest, 4, false);
	triples = others(&c, &own, 1);
	options.subspace = &own;
	assert_ok(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
	fresh = checked(TLV_FRAME_MODEL, image, size);
	if (!(distance(&out, &fresh) < 0.2 * distance(&plain, &fresh)))
		fail_msg("%g from a fit of its own, in the basis alone %g", distance(&out, &fresh),
				 distance(&plain, &fresh));
}

static void
test_refusals(void **state)
{
	corpus c = simulate(60, 20, 3, 25, 0.2, false);
	tlv_frame subspace = subspace_of(&c, 3, false), apart = subspace_of(&c, 3, true);
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	(void) state;
	assert_ok(tlv_subspace_open(&ctx, &subspace, true, &opened));
	assert_fails(tlv_grouped_moments_create(&ctx, opened, 1, &accumulator), TLV_BAD_PARAMETER,
				 "groups = 1 is not");
	assert_fails(tlv_grouped_moments_create(&ctx, opened, TLV_MOST_GROUPS + 1, &accumulator),
				 TLV_BAD_PARAMETER, "groups = 1001 is not");
	assert_ok(tlv_subspace_open(&ctx, &apart, true, &opened));
	assert_fails(tlv_grouped_moments_create(&ctx, opened, 4, &accumulator), TLV_BAD_PARAMETER,
				 "distinct");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_topics, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
	};

	return cmocka_run_group_tests_name("lda_leave_out", tests, NULL, NULL);
}
