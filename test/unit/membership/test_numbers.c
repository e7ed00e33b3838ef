/*
 * test_numbers.c - numbers beside the categories, learnt from rows: means and variances, counts,
 * what is missing, a step of statistics.
 */
#include "membership_fixture.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/rng.h"

#define COMPONENTS 4
#define VARIABLES  10
#define NUMBERS	   4 /* two measurements, two counts */

/* Rows of both, as vectors. */
typedef struct beside
{
	drawn d;
	double means[NUMBERS][COMPONENTS];
	double *x;
} beside;

static double
poisson(tlv_rng *rng, double mean)
{
	double limit = exp(-mean), product = tlv_rng_uniform(rng), count = 0;

	while (product > limit)
	{
		product *= tlv_rng_uniform(rng);
		count++;
	}
	return count;
}

/* Of component h: measurements about 3 h apart with deviation 1, means of counts from 1 to 16. */
static beside
draw_beside(bool mixed, size_t n, uint64_t seed)
{
	beside b = {.d = draw_members(n, survey(mixed, VARIABLES, COMPONENTS, seed))};
	size_t d = VARIABLES + NUMBERS;
	tlv_rng rng;

	tlv_rng_seed(&rng, seed + 1);
	for (size_t s = 0; s < NUMBERS; s++)
		for (size_t h = 0; h < COMPONENTS; h++)
			b.means[s][h] = s < 2 ? 1000 + 3 * (double) ((h + s) % COMPONENTS)
								  : (double) (1 + 5 * ((h * 3 + s) % COMPONENTS));
	b.x = room(n * d, sizeof(double));
	for (size_t i = 0; i < n; i++)
	{
		double *row = b.x + i * d;

		for (size_t j = 0; j < VARIABLES; j++)
			row[j] = b.d.codes[i * VARIABLES + j];
		for (size_t s = 0; s < NUMBERS; s++)
		{
			double u = tlv_rng_uniform(&rng);
			size_t h = 0;

			while (h + 1 < COMPONENTS && u > b.d.memberships[i * COMPONENTS + h])
				u -= b.d.memberships[i * COMPONENTS + h++];
			row[VARIABLES + s] =
				s < 2 ? b.means[s][h] + tlv_rng_normal(&rng) : poisson(&rng, b.means[s][h]);
		}
		b.d.rows[i] = *TLV_AS_VECTOR(d, row);
	}
	passes.told.form = TLV_ROW_VECTOR;
	passes.told.width[0] = d;
	return b;
}

static tlv_frame
learn(bool mixed, int refine, size_t numbers)
{
	tlv_membership_learn_options options = {
		.fit = {.mixed = mixed, .k = COMPONENTS, .copies = 1, .seed = 1, .decompose = {.seed = 1}},
		.iterations = -1,
		.refine = refine,
		.scalars = numbers};

	return procedure_model(&passes, tlv_membership_procedure(&options), &options, false);
}

/* Largest error of a mean, in deviations of the component. */
static double
means_error(const beside *b, const tlv_frame *model, double *of_counts)
{
	tlv_membership_parts parts;
	tlv_match match;
	double worst = 0;

	*of_counts = 0;
	tlv_membership_read(model, &parts);
	assert_int_equal(parts.scalars, NUMBERS);
	assert_int_equal(parts.p, VARIABLES);
	assert_ok(tlv_model_match(&ctx, &b->d.truth, model, &match));
	for (size_t s = 0; s < NUMBERS; s++)
	{
		assert_int_equal(parts.scalar_counts[s], s >= 2);
		for (size_t h = 0; h < COMPONENTS; h++)
		{
			double mean = parts.scalar_means[s * COMPONENTS + (size_t) match.component[h]];
			double error = fabs(mean - b->means[s][h]);

			if (s < 2)
				worst = fmax(worst, error);
			else
				*of_counts = fmax(*of_counts, error / sqrt(b->means[s][h]));
		}
	}
	return worst;
}

static void
learn_and_compare(bool mixed, double most, double most_of_counts, double gain)
{
	beside b = draw_beside(mixed, 2000, 7);
	tlv_frame model = learn(mixed, 0, NUMBERS), bare;
	tlv_membership_parts parts;
	drawn plain;
	double counts, means = means_error(&b, &model, &counts), with, without;

	with = table_error(&b.d.truth, &model);
	plain = draw_members(b.d.n, survey(mixed, VARIABLES, COMPONENTS, 7));
	bare = learn(mixed, 0, 0);
	without = table_error(&plain.truth, &bare);
	tlv_membership_read(&model, &parts);
	printf("means %.4f, of counts %.4f; probabilities %.4f, without numbers %.4f; variance %.3f\n",
		   means, counts, with, without, parts.scalar_variances[0]);
	assert_below(means, most);
	assert_below(counts, most_of_counts);
	assert_below(with, gain * without);
	/* Where the categories tell classes apart, numbers cannot add much. */
	for (size_t i = 0; i < 2 * COMPONENTS; i++)
		assert_close(parts.scalar_variances[i], 1, 0.35);
}

TEST(test_memberships)
{
	learn_and_compare(true, 0.09, 0.2, 0.99);
}

TEST(test_classes)
{
	learn_and_compare(false, 0.16, 0.1, 1.02);
}

RUN_TESTS(setup, teardown)
