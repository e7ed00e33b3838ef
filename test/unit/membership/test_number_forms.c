/*
 * test_number_forms.c - distributions of a number in a component: densities are those of the
 * textbook, the greatest posterior of expected statistics is what they were expected under, scores
 * are the derivatives of densities.
 */
#include <math.h>

#include "assertions.h"
#include "tests.h"
#include "model/membership/internal.h"

static const number_scale around = {
	.centre = 5, .deviation = 3, .log_centre = 1.4, .log_deviation = 0.7};

static double
log_density(int64_t form, double x, double mean, double variance)
{
	const number_form *own = membership_number_form(form);
	double t[2], c[3], base = own->statistics(&around, x, t);

	own->coefficients(&around, mean, variance, c);
	return base + c[0] + c[1] * t[0] + c[2] * t[1];
}

static double
textbook(int64_t form, double x, double m, double v)
{
	double w = log(1 + v / (m * m)), u = log(m) - w / 2, a = m * m / v, b = m / v;

	switch (form)
	{
		case TLV_NUMBER_POISSON:
			return x * log(m) - m - lgamma(x + 1);
		case TLV_NUMBER_LOGNORMAL:
			return -log(x) - log(2 * M_PI * w) / 2 - pow(log(x) - u, 2) / (2 * w);
		case TLV_NUMBER_GAMMA:
			return a * log(b) + (a - 1) * log(x) - b * x - lgamma(a);
		default:
			return -log(2 * M_PI * v) / 2 - pow(x - m, 2) / (2 * v);
	}
}

TEST(test_densities)
{
	for (int64_t form = 0; form < TLV_NUMBER_FORMS; form++)
		for (double x = 1; x < 20; x += 3)
			for (double mean = .5; mean < 30; mean *= 4)
				for (double variance = .2; variance < 100; variance *= 5)
				{
					double v = form == TLV_NUMBER_POISSON ? mean : variance;
					double own = textbook(form, x, mean, v);

					assert_close(log_density(form, x, mean, v), own, 1e-9 * (1 + fabs(own)));
				}
}

/* So many values that priors say nothing. */
TEST(test_maxima)
{
	const number_step step = {.count = .05, .narrow = 1, .kept = 0};
	const double n = 1e9;

	for (int64_t form = 0; form < TLV_NUMBER_FORMS; form++)
		for (double mean = .5; mean < 30; mean *= 4)
			for (double part = .03; part < 4; part *= 3)
			{
				const number_form *own = membership_number_form(form);
				double variance = form == TLV_NUMBER_POISSON ? mean : part * mean * mean, t[2];
				double m = 1, v = 1;

				if (form == TLV_NUMBER_NORMAL && variance < 0.1)
					continue; /* below the least one */
				own->expected(&around, mean, variance, t);
				t[0] *= n;
				t[1] *= n;
				own->maximize(&step, &around, n, t, &m, &v);
				assert_close(m, mean, 1e-5 * mean);
				assert_close(v, variance, 1e-4 * variance);
			}
}

TEST(test_scores)
{
	const double apart = 1e-6;

	for (int64_t form = 0; form < TLV_NUMBER_FORMS; form++)
		for (double x = 1; x < 20; x += 3)
		{
			double mean = 4, variance = form == TLV_NUMBER_POISSON ? 4 : 7, score[2], slope;

			membership_number_form(form)->score(x, mean, variance, score);
			slope = (log_density(form, x, mean + apart, variance) -
					 log_density(form, x, mean - apart, variance)) /
					(2 * apart);
			assert_close(score[0], slope, 1e-6 * (1 + fabs(slope)));
			if (form == TLV_NUMBER_POISSON)
				continue;
			slope = (log_density(form, x, mean, variance + apart) -
					 log_density(form, x, mean, variance - apart)) /
					(2 * apart);
			assert_close(score[1], slope, 1e-6 * (1 + fabs(slope)));
		}
}

RUN_TESTS(NULL, NULL)
