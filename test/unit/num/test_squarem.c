/*
 * test_squarem.c - extrapolation of fixed-point steps: of a linear contraction it ends at the fixed
 * point, and numbers that are 0 do not keep the others from moving.
 */
#include "assertions.h"
#include "tensorlv/num/squarem.h"

#define N 4

/* Where the numbers go that stand at offset e, e ratio and e ratio^2 from their fixed points. */
static double
extrapolated(const double *fixed, const double *e, double ratio, double longest, double *out)
{
	tlv_squarem s = {0};
	double step = 0;

	for (int pass = 0; pass < 2; pass++)
	{
		for (int i = 0; i < N; i++)
			out[i] = tlv_squarem_number(&s, 1, fixed[i] + e[i], fixed[i] + ratio * e[i],
										fixed[i] + ratio * ratio * e[i]);
		if (pass == 0)
			step = tlv_squarem_begin_step(&s, longest);
	}
	return step;
}

TEST(test_linear)
{
	const double fixed[N] = {1, -2, 30, 0}, e[N] = {0.5, -0.1, 2, -1};
	double out[N];

	for (int percent = 50; percent < 100; percent += 7)
	{
		double ratio = percent / 100.0, step = extrapolated(fixed, e, ratio, 1000, out);

		assert_close(step, 1 / (1 - ratio), 1e-9 / (1 - ratio));
		assert_all_close(N, out, fixed, 1e-9);
	}
	/* a step that is cut stays on the way, a point that stands still stands */
	assert_equal(extrapolated(fixed, e, 0.99, TLV_SQUAREM_LONGEST, out), TLV_SQUAREM_LONGEST);
	for (int i = 0; i < N; i++)
		assert_between((out[i] - fixed[i]) / e[i], 0.9, 0.99);
	assert_equal(extrapolated(fixed, (double[N]){0}, 0.5, 1000, out), 1);
	for (int i = 0; i < N; i++)
		assert_equal(out[i], fixed[i]);
}

/* Of numbers above 0 the logarithms; 0 stays, and tells nothing. */
TEST(test_positive)
{
	const double a[N] = {0, exp(-1), 0.2, 1e-300}, b[N] = {0, exp(-0.9), 0, 1e-302};
	const double c[N] = {0, exp(-0.81), 0.3, 1e-304};
	tlv_squarem s = {0};

	for (int i = 0; i < 3; i++)
		assert_equal(tlv_squarem_positive(&s, 1, a[i], b[i], c[i]), c[i]);
	assert_close(tlv_squarem_begin_step(&s, 1000), 10, 1e-9);
	assert_equal(tlv_squarem_positive(&s, 1, a[0], b[0], c[0]), 0);
	assert_close(tlv_squarem_positive(&s, 1, a[1], b[1], c[1]), 1, 1e-9);
	assert_equal(tlv_squarem_positive(&s, 1, a[2], b[2], c[2]), c[2]);
	/* it falls by no more than a factor of e^3 */
	assert_close(tlv_squarem_positive(&s, 1, a[3], b[3], c[3]) / c[3], exp(-3), 1e-9);
}

RUN_TESTS(NULL, NULL)
