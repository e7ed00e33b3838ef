/*
 * test_documents.c - small values that hold documents: whatever becomes of them, they add up to
 * the sums of the same rows, bit by bit.
 */
#include "count_fixture.h"

#define ITEMS 400
#define EACH  8
#define SMALL 30
#define RANK  10

/* Document t of EACH distinct items, some of which the subspace does not have. */
static tlv_status
add_one(tlv_accumulator *accumulator, int t)
{
	int64_t items[EACH];
	double counts[EACH];
	tlv_rng own;

	tlv_rng_seed(&own, (uint64_t) t + 100);
	for (int i = 0; i < EACH; i++)
	{
		items[i] = i * (ITEMS / EACH + 7) + (int64_t) tlv_rng_below(&own, ITEMS / EACH);
		counts[i] = 1 + (double) (tlv_rng_below(&own, 4) == 0);
	}
	if (accumulator->class->rows == TLV_ROW_NEIGHBOURS)
		return tlv_add(&ctx, accumulator, TLV_AS_NEIGHBOURS(t, make_bag(EACH, items, counts)));
	return tlv_add(&ctx, accumulator, TLV_AS_BAG(make_bag(EACH, items, counts)));
}

/* Of items that no subspace here has. */
static tlv_status
add_unknown(tlv_accumulator *accumulator, int t)
{
	const int64_t items[2] = {ITEMS + t, ITEMS + t + 1};
	const double counts[2] = {3, 1 + t % 2};

	if (accumulator->class->rows == TLV_ROW_NEIGHBOURS)
		return tlv_add(&ctx, accumulator, TLV_AS_NEIGHBOURS(t, make_bag(2, items, counts)));
	return tlv_add(&ctx, accumulator, TLV_AS_BAG(make_bag(2, items, counts)));
}

static tlv_accumulator *
with_documents(tlv_accumulator *accumulator, int from, int to)
{
	for (int t = from; t < to; t++)
		assert_ok(add_one(accumulator, t));
	return accumulator;
}

/* As it would be stored; told: it holds documents. */
static tlv_frame
kept(tlv_accumulator *accumulator, bool told)
{
	tlv_frame frame;

	assert_ok(tlv_accumulator_store(&ctx, accumulator, &builder));
	frame = MADE(tlv_frame_finish, &builder);
	assert_int_equal(tlv_frame_find(&frame, "document_items") != NULL, told);
	return frame;
}

static tlv_frame
wide_subspace(void)
{
	double *scale = tlv_alloc(&ctx, ITEMS, sizeof(double));
	double *basis = tlv_alloc(&ctx, ITEMS * RANK, sizeof(double));
	int64_t *items = tlv_alloc(&ctx, ITEMS, sizeof(int64_t));
	size_t independent;

	for (size_t i = 0; i < ITEMS; i++)
	{
		scale[i] = 0.5 + tlv_rng_uniform(&rng);
		items[i] = (int64_t) i;
	}
	tlv_rng_fill_normal(&rng, ITEMS * RANK, basis);
	assert_ok(tlv_orthonormalize(&ctx, RANK, ITEMS, basis, &rng, &independent));
	return subspace_value(ITEMS, items, RANK, RANK, scale, basis, false);
}

static tlv_frame
merged_into(tlv_accumulator *into, tlv_frame a, tlv_frame b, bool told)
{
	assert_ok(into->class->merge(&ctx, into, &a));
	assert_ok(into->class->merge(&ctx, into, &b));
	return kept(into, told);
}

static tlv_frame
taken_out(tlv_frame a, tlv_frame b, bool exactly)
{
	tlv_accumulator *x = empty_like(a);
	bool done;

	assert_ok(x->class->merge(&ctx, x, &a));
	assert_ok(tlv_accumulator_subtract(&ctx, x, &b, exactly, &done));
	assert_true(done);
	return kept(x, true);
}

static tlv_frame
times(double factor, tlv_frame a)
{
	tlv_accumulator *x = empty_like(a);

	assert_ok(tlv_accumulator_merge_times(&ctx, x, &a, factor));
	return kept(x, true);
}

static tlv_frame
sums_of(tlv_frame told, tlv_frame subspace)
{
	const tlv_accumulator_class *class = told.kind->accumulator;
	tlv_frame sums;
	void *image;
	size_t size;

	if (class->sums == NULL)
	{
		assert_ok(tlv_count_complete(&ctx, &told, &subspace, "", &sums));
		return sums;
	}
	assert_ok(class->sums(&ctx, &told, &image, &size));
	assert_non_null(image);
	assert_ok(tlv_frame_open(&ctx, image, size, &sums));
	return sums;
}

static tlv_accumulator *
make_anchors(tlv_frame value)
{
	tlv_subspace *subspace;
	tlv_accumulator *accumulator;

	assert_ok(tlv_subspace_open(&ctx, &value, true, &subspace));
	assert_ok(tlv_anchor_moments_create(&ctx, subspace, &accumulator));
	return accumulator;
}

static double
documents_of(tlv_frame frame)
{
	return tlv_frame_scalar(&frame, "documents", 0);
}

static const maker makers[] = {make_summary, make_pairs, make_triples, make_products, make_anchors};
#define KINDS		(sizeof(makers) / sizeof(makers[0]))
#define IN_SUBSPACE 2 /* the first of those whose documents refer to their subspace */
#define PRODUCTS	3 /* whose sums do not hold it */

/* Every way to the same documents gives the same bytes, and the same sums. */
TEST(test_ways)
{
	for (size_t m = 0; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace();
		tlv_frame whole = kept(with_documents(makers[m](subspace), 0, SMALL), true);
		tlv_frame sums = stored(with_documents(makers[m](subspace), 0, SMALL));
		tlv_frame one = kept(with_documents(makers[m](subspace), 0, 11), true);
		tlv_frame two = kept(with_documents(makers[m](subspace), 11, SMALL), true);
		tlv_accumulator *turned = with_documents(makers[m](subspace), 11, SMALL);
		bool done;

		assert_same_bytes(kept(with_documents(turned, 0, 11), true), whole);
		/* storing changes nothing */
		assert_same_bytes(kept(turned, true), whole);
		assert_same_bytes(merged_into(empty_like(one), one, two, true), whole);
		assert_same_bytes(merged_into(makers[m](subspace), two, one, true), whole);
		assert_same_bytes(taken_out(whole, two, true), one);
		assert_same_bytes(taken_out(whole, one, false), two);
		assert_same_bytes(times(0.5, merged_into(empty_like(one), whole, whole, true)), whole);
		assert_same_bytes(times(2, whole), merged_into(empty_like(one), whole, whole, true));
		/* sums */
		assert_null(tlv_frame_find(&sums, "document_items"));
		assert_same_bytes(sums_of(whole, subspace), sums);
		assert_same_bytes(stored(turned), sums);
		assert_int_equal(tlv_accumulator_subtract(&ctx, turned, &one, true, &done), TLV_OK);
		assert_true(m >= IN_SUBSPACE ? !done : done);
	}
}

/* Documents that are not there cannot be taken away. */
TEST(test_more_than_there_is)
{
	for (size_t m = 0; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace();
		tlv_frame one = kept(with_documents(makers[m](subspace), 0, 20), true);
		tlv_frame two = kept(with_documents(makers[m](subspace), 15, 25), true);
		tlv_accumulator *x = empty_like(one);
		bool done;

		assert_ok(x->class->merge(&ctx, x, &one));
		assert_ok(tlv_accumulator_subtract(&ctx, x, &two, false, &done));
		assert_int_equal(tlv_accumulator_store(&ctx, x, &builder), TLV_BAD_DATA);
	}
}

/* Many documents are sums; what is added to these without their subspace is told, unless they hold
 * what it takes. */
TEST(test_many)
{
	for (size_t m = 0; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace();
		bool refers = m == PRODUCTS;
		tlv_frame many = kept(with_documents(makers[m](subspace), 0, 2500), false);
		tlv_frame few = kept(with_documents(makers[m](subspace), 2500, 2500 + SMALL), true);
		tlv_frame all = stored(with_documents(makers[m](subspace), 0, 2500 + SMALL));
		tlv_frame both = merged_into(empty_like(many), many, few, refers), less;
		tlv_accumulator *x = empty_like(both);
		bool done;

		if (m >= IN_SUBSPACE)
			assert_same_numbers(merged_into(makers[m](subspace), few, many, false), all);
		assert_same_numbers(merged_into(empty_like(many), few, many, refers), both);
		assert_same_numbers(refers ? sums_of(both, subspace) : both, all);
		assert_ok(x->class->merge(&ctx, x, &both));
		assert_ok(tlv_accumulator_subtract(&ctx, x, &few, false, &done));
		less = kept(x, m >= IN_SUBSPACE && !refers);
		assert_equal(documents_of(less), 2500);
		/* documents of the sums that are told apart again */
		few = kept(with_documents(makers[m](subspace), 100, 120), true);
		x = empty_like(many);
		assert_ok(x->class->merge(&ctx, x, &many));
		assert_ok(tlv_accumulator_subtract(&ctx, x, &few, false, &done));
		less = kept(x, m >= IN_SUBSPACE);
		both = merged_into(makers[m](subspace), less, few, false);
		assert_same_numbers(both, stored(with_documents(makers[m](subspace), 0, 2500)));
		pool_reset(&memory, &ctx);
	}
}

/* Documents none of whose items the subspace has are held by their lengths. */
TEST(test_unknown_items)
{
	for (size_t m = IN_SUBSPACE; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace(), few, twice;
		tlv_accumulator *x = makers[m](subspace), *y = makers[m](subspace);

		for (int t = 0; t < SMALL; t++)
		{
			assert_ok(add_unknown(x, t));
			assert_ok(add_unknown(y, t));
			assert_ok(add_unknown(y, t));
		}
		few = kept(x, true);
		twice = merged_into(empty_like(few), few, few, true);
		assert_int_equal(tlv_frame_find(&few, "document_items")->rows, 0);
		assert_at_most(tlv_frame_find(&few, "document_times")->rows, 6);
		assert_same_numbers(sums_of(twice, subspace), stored(y));
	}
}

/* Many documents of nothing but their lengths: equal ones are put together now and then, not at
 * each. */
TEST(test_many_lengths)
{
	tlv_frame subspace = wide_subspace(), frame;
	tlv_accumulator *x = make_products(subspace);
	const int64_t item = ITEMS;
	double tokens = 0;

	for (int t = 0; t < 15000; t++)
	{
		const double count = 3 + t % 7500;

		tokens += count;
		assert_ok(tlv_add(&ctx, x, TLV_AS_BAG(make_bag(1, &item, &count))));
	}
	frame = kept(x, true);
	assert_equal(tlv_frame_scalar(&frame, "tokens", 0), tokens);
	assert_int_equal(tlv_frame_find(&frame, "document_times")->rows, 7500);
}

/* What is left of parts that cancel is a value of no documents, stored as sums, too. */
TEST(test_nothing_left)
{
	for (size_t m = IN_SUBSPACE; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace();
		tlv_frame few = kept(with_documents(makers[m](subspace), 0, SMALL), true);
		tlv_accumulator *x = empty_like(few);
		bool done;

		assert_ok(x->class->merge(&ctx, x, &few));
		assert_ok(tlv_accumulator_subtract(&ctx, x, &few, true, &done));
		assert_true(done);
		assert_equal(documents_of(stored(x)), 0);
	}
}

/* Part of all rows, and the same part of the first of them taken out. */
static tlv_frame
part_left(maker make, tlv_frame subspace, double part, bool told)
{
	tlv_frame all = stored(with_documents(make(subspace), 0, 50));
	tlv_accumulator *first = with_documents(make(subspace), 0, 40), *x = empty_like(all);
	tlv_accumulator *taken = empty_like(all);
	tlv_frame few = told ? kept(first, true) : stored(first), left;
	bool done;

	assert_ok(tlv_accumulator_merge_times(&ctx, taken, &few, part));
	few = kept(taken, told);
	assert_ok(tlv_accumulator_merge_times(&ctx, x, &all, part));
	assert_ok(tlv_accumulator_subtract(&ctx, x, &few, false, &done));
	left = kept(x, told);
	return told ? sums_of(left, subspace) : left;
}

/* Items of documents that are gone are gone, whatever rounding makes of their parts. */
TEST(test_parts)
{
	for (size_t m = IN_SUBSPACE; m < KINDS; m++)
		/* products have no totals */
		for (int tenths = 1; tenths < 10 && makers[m] != make_products; tenths++)
		{
			tlv_frame subspace = wide_subspace();
			tlv_frame told = part_left(makers[m], subspace, tenths / 10.0, true);
			tlv_frame sums = part_left(makers[m], subspace, tenths / 10.0, false);

			for (size_t i = 0; i < ITEMS; i++)
			{
				double total = tlv_frame_float64(&told, "totals")[i];

				assert_close(total, tlv_frame_float64(&sums, "totals")[i], 1e-12);
				assert_true(total == 0 || total > 0.09);
			}
		}
}

/* A value that says it is of the subspace, with an item that this does not have. */
TEST(test_forged_place)
{
	for (size_t m = IN_SUBSPACE; m < KINDS; m++)
	{
		tlv_frame subspace = wide_subspace();
		tlv_frame few = kept(with_documents(makers[m](subspace), 0, 3), true);
		tlv_accumulator *x = makers[m](subspace);
		int64_t *items = (int64_t *) tlv_frame_int64(&few, "document_items");
		size_t last = tlv_frame_find(&few, "document_items")->rows - 1;

		items[last] = ITEMS;
		assert_int_equal(x->class->merge(&ctx, x, &few), TLV_BAD_PARAMETER);
		items[last] = -1;
		assert_int_equal(x->class->merge(&ctx, x, &few), TLV_BAD_PARAMETER);
		items[last] = ITEMS - 1;
		assert_ok(x->class->merge(&ctx, x, &few));
	}
}

/* Whether the check of the kind takes a value one number of which is another. */
static bool
accepts_number(tlv_frame value, const char *name, double number)
{
	double *at = (double *) tlv_frame_float64(&value, name), before = *at;
	bool accepted;

	*at = number;
	accepted = tlv_kind_check(&ctx, value.kind, &value) == TLV_OK;
	*at = before;
	return accepted;
}

/* Products of few documents are these, and nothing else; what they say of themselves is checked. */
TEST(test_products)
{
	tlv_frame subspace = wide_subspace(), other = wide_subspace(), next, next_told;
	tlv_frame few = kept(with_documents(make_products(subspace), 0, SMALL), true);
	tlv_frame sums = stored(with_documents(make_products(subspace), 0, SMALL));
	tlv_subspace_options options = {.subspace = &subspace};
	void *image;
	size_t size;

	assert_true(tlv_count_refers(&few) && !tlv_count_refers(&sums));
	assert_int_equal(tlv_frame_find(&few, "products")->columns, 0);
	assert_true(accepts_number(few, "rank", RANK));
	assert_false(accepts_number(few, "rank", RANK + 1));
	assert_false(accepts_number(few, "rank", 0));
	assert_false(accepts_number(few, "documents", SMALL + 1));
	assert_false(accepts_number(few, "documents", SMALL - 1));
	assert_false(accepts_number(few, "document_times", 0));
	assert_false(accepts_number(few, "document_rest", -1));
	assert_false(accepts_number(few, "document_sizes", EACH * SMALL + 1));
	assert_false(accepts_number(few, "document_counts", 0.5));
	/* either leads to the same step */
	next_told = MADE(tlv_subspace_from_moments, &few, &options);
	next = MADE(tlv_subspace_from_moments, &sums, &options);
	assert_same_bytes(next_told, next);
	options.subspace = NULL;
	assert_ok(tlv_subspace_from_moments(&ctx, &sums, &options, &image, &size));
	assert_int_equal(tlv_subspace_from_moments(&ctx, &few, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.subspace = &other;
	assert_int_equal(tlv_subspace_from_moments(&ctx, &few, &options, &image, &size),
					 TLV_BAD_PARAMETER);
}

/* A step from products that hold documents: what the first error names is enough, and not much
 * more. */
TEST(test_step_memory)
{
	tlv_frame subspace = wide_subspace();
	tlv_frame few = kept(with_documents(make_products(subspace), 0, SMALL), true);
	tlv_subspace_options options = {.subspace = &subspace};
	size_t used = ctx.arena.used, size, named, left;
	void *image;

	ctx.arena.limit = used + 1000;
	assert_equal(tlv_subspace_from_moments(&ctx, &few, &options, &image, &size), TLV_MEMORY_LIMIT);
	named = (size_t) strtod(ctx.error.hint, NULL);
	left = ctx.arena.used - used; /* by the attempt */
	ctx.arena.limit = named + left;
	ctx.arena.expected = 0;
	ctx.arena.peak = 0;
	assert_ok(tlv_subspace_from_moments(&ctx, &few, &options, &image, &size));
	print_message("named %zu bytes, used %zu\n", named - used, ctx.arena.peak - left - used);
	assert_below((double) (named - used), 1.5 * (double) (ctx.arena.peak - left - used));
}

RUN_TESTS(setup_documents, teardown)
