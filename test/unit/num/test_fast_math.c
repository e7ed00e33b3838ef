/*
 * test_fast_math.c - the fast exponential and digamma against those of the libraries.
 */
#include "assertions.h"
#include "tensorlv/num/fast_math.h"
#include "tensorlv/num/rng.h"
#include "tensorlv/num/special.h"

TEST(test_exponential)
{
	double worst = 0;
	tlv_rng rng;

	tlv_rng_seed(&rng, 3);
	for (int i = 0; i < 1000000; i++)
	{
		/* everywhere, near 0, and at the borders of the reduction */
		double x = i % 3 == 0	? -700 * tlv_rng_uniform(&rng)
				   : i % 3 == 1 ? -exp(-40 * tlv_rng_uniform(&rng))
								: -(i % 1010) * log(2) / 2 + 1e-9 * tlv_rng_uniform(&rng);

		if (x > 0 || x < -700)
			continue;
		worst = fmax(worst, fabs(tlv_exp_nonpositive(x) / exp(x) - 1));
	}
	assert_below(worst, 4.5e-16); /* two units in the last place */
	assert_equal(tlv_exp_nonpositive(0), 1);
	assert_equal(tlv_exp_nonpositive(-701), tlv_exp_nonpositive(-700));
	assert_equal(tlv_exp_nonpositive(-HUGE_VAL), tlv_exp_nonpositive(-700));
	assert_between(tlv_exp_nonpositive(-HUGE_VAL), 0, 1e-300);
}

TEST(test_digamma)
{
	for (double x = 1e-8; x < 1e12; x *= 1.003)
	{
		double exact = tlv_digamma(x);

		assert_close(tlv_fast_digamma(x), exact, 1e-12 * fmax(1, fabs(exact)));
	}
}

RUN_TESTS(NULL, NULL)
