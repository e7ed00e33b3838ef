/*
 * test_sample.c - samples of whole sequences: the same in whatever order and parts they arrive,
 * and cancelled when asked to.
 */
#include "pool_setup.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sequences.h"

#define SEQUENCES 20000
#define WANTED	  3000

static tlv_accumulator *
sample_begin(void)
{
	const tlv_statistic wanted = {
		.aggregate = &tlv_aggregate_sequence_sample, .count = WANTED, .seed = 7};
	tlv_accumulator *sample;

	assert_ok(tlv_statistic_create(&ctx, &wanted, &sample));
	return sample;
}

/* Sequence number t, of one to three symbols; every third is one of seven. */
static void
add_sequence(tlv_accumulator *sample, int64_t t)
{
	const int64_t name = t % 3 == 0 ? t % 7 : t, symbols[3] = {name, 2 * name, 3 * name};

	assert_ok(tlv_add(&ctx, sample, TLV_AS_SYMBOLS((size_t) (name % 3) + 1, symbols)));
}

TEST(test_order)
{
	tlv_accumulator *forward = sample_begin(), *backward = sample_begin(), *merged, *part;
	tlv_frame one, other;

	for (int64_t t = 0; t < SEQUENCES; t++)
		add_sequence(forward, t);
	for (int64_t t = SEQUENCES; t-- > 0;)
		add_sequence(backward, t);
	one = stored(forward);
	other = stored(backward);
	assert_int_equal(one.header->size, other.header->size);
	assert_memory_equal(one.header, other.header, one.header->size);
	assert_above((double) tlv_frame_find(&one, "symbols")->rows,
				 WANTED - 3); /* the next has three */
	assert_equal(tlv_frame_scalar(&one, "sequences", 0), SEQUENCES);

	assert_ok(tlv_accumulator_create(&ctx, forward->class, &merged));
	for (int p = 2; p >= 0; p--)
	{
		part = sample_begin();
		for (int64_t t = 0; t < SEQUENCES; t++)
			if ((t + t / 10) % 3 == p)
				add_sequence(part, t);
		other = stored(part);
		assert_ok(merged->class->merge(&ctx, merged, &other));
	}
	other = stored(merged);
	assert_int_equal(one.header->size, other.header->size);
	assert_memory_equal(one.header, other.header, one.header->size);
}

/* Equal sequences are held once, and rows stand for all of them in proportion. */
TEST(test_equal)
{
	tlv_accumulator *sample = sample_begin();
	tlv_frame frame;
	tlv_row *rows;
	size_t n, found[8] = {0};

	for (int64_t t = 0; t < SEQUENCES; t++)
		add_sequence(sample, 3 * (t % 16 < 10 ? 0 : t));
	frame = stored(sample);
	assert_int_equal(tlv_frame_find(&frame, "lengths")->rows, 7);
	assert_ok(tlv_sequence_sample_rows(&ctx, &frame, 700, &n, &rows));
	assert_int_equal(n, 700);
	for (size_t i = 0; i < n; i++)
		found[rows[i].part[0].ids[0]]++;
	for (size_t i = 0; i < 7; i++)
		assert_float_equal((double) found[i], i == 0 ? 475 : 37.5, 2);
	for (size_t i = 0; i < 70; i++)
		found[7] += rows[i].part[0].ids[0] == 0;
	assert_float_equal((double) found[7], 47.5, 12);
}

/* The sort of the sequences that are held looks at whether to stop. */
TEST(test_stop)
{
	tlv_accumulator *sample = sample_begin();

	for (int64_t t = 0; t < 1000; t++)
		add_sequence(sample, t);
	assert_cancelled_at(1, sample->class->build(&ctx, sample, &builder));
}

RUN_TESTS(setup, teardown)
