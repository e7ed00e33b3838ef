/*
 * test_moments.c - windows and beginnings of sequences of which numbers are missing.
 */
#include "pool_setup.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sequences.h"

static double
mean_beginning(const tlv_frame *frame)
{
	return *tlv_frame_float64(frame, "shift1") +
		   *tlv_frame_float64(frame, "initial") / tlv_frame_scalar(frame, "sequences", 0);
}

/* The mean of the first steps, wherever the sequence without a whole window stands. */
TEST(test_beginnings)
{
	static const double whole[2][3] = {{5, 6, 7}, {8, 2, 4}}, broken[3] = {1, NAN, 3};
	static const bool missing[3] = {false, true, false};

	for (int at = 0; at < 3; at++)
	{
		tlv_accumulator *sums, *both;
		tlv_row row = *TLV_AS_SEQUENCE(3, 1, broken);
		tlv_frame frame;

		row.part[0].missing = missing;
		assert_ok(tlv_sequence_moments_create(&ctx, &sums));
		for (int i = 0, next = 0; i < 3; i++)
			assert_ok(tlv_add(&ctx, sums, i == at ? &row : TLV_AS_SEQUENCE(3, 1, whole[next++])));
		frame = stored(sums);
		assert_close(mean_beginning(&frame), (5 + 8 + 1) / 3.0, 1e-14);
		assert_ok(tlv_accumulator_create(&ctx, sums->class, &both));
		assert_ok(both->class->merge(&ctx, both, &frame));
		assert_ok(both->class->merge(&ctx, both, &frame));
		frame = stored(both);
		assert_close(mean_beginning(&frame), (5 + 8 + 1) / 3.0, 1e-14);
	}
}

RUN_TESTS(setup, teardown)
