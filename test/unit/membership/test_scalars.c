/* Numbers beside the categories of mixed membership: their means in the components. */
#include "../membership_fixture.h"

#include "tensorlv/model/kind.h"
#include "tensorlv/num/rng.h"

/* Numbers of every row: scale * (its component's mean + noise) + shift; counts where they are to
 * be.  Of each, the component is drawn anew from the row's memberships. */
typedef struct numbers
{
	size_t q;
	double *means; /* q x k */
	double *x;	   /* n x q */
	double scale, shift;
	bool counts;
} numbers;

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

static void
draw_numbers(const drawn *d, uint64_t seed, numbers *to)
{
	size_t k = d->parts.k;
	tlv_rng rng;

	to->means = room(to->q * k, sizeof(double));
	to->x = room(d->n * to->q, sizeof(double));
	tlv_rng_seed(&rng, seed);
	for (size_t i = 0; i < to->q * k; i++)
		to->means[i] = to->counts ? 6 * tlv_rng_uniform(&rng) : tlv_rng_normal(&rng);
	for (size_t i = 0; i < d->n; i++)
		for (size_t s = 0; s < to->q; s++)
		{
			double u = tlv_rng_uniform(&rng), mean;
			size_t h = 0;

			while (h + 1 < k && u > d->memberships[i * k + h])
				u -= d->memberships[i * k + h++];
			mean = to->means[s * k + h];
			to->x[i * to->q + s] =
				to->shift +
				to->scale * (to->counts ? poisson(&rng, mean) : mean + 0.5 * tlv_rng_normal(&rng));
		}
	for (size_t i = 0; i < to->q * k; i++)
		to->means[i] = to->shift + to->scale * to->means[i];
}

static tlv_accumulator *
collect_numbers(const drawn *d, const numbers *more, size_t from, size_t to)
{
	tlv_accumulator *accumulator;

	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_mixed_moments.accumulator, &accumulator));
	for (size_t i = from; i < to; i++)
		assert_ok(tlv_add(&ctx, accumulator,
						  TLV_AS_MIXED(d->p, d->codes + i * d->p, more->q, more->x + i * more->q)));
	return accumulator;
}

static tlv_frame
build_moments(tlv_accumulator *accumulator)
{
	tlv_frame_builder *builder = room(1, sizeof(tlv_frame_builder));
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(accumulator->class->build(&ctx, accumulator, builder));
	assert_ok(tlv_frame_finish(&ctx, builder, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MOMENTS, &frame));
	return frame;
}

static tlv_frame
fit_moments(const tlv_frame *moments, size_t k, double alpha0)
{
	tlv_membership_options options = {
		.mixed = true, .k = k, .alpha0 = alpha0, .copies = 1, .seed = 1};
	tlv_frame model;
	void *image;
	size_t size;

	options.decompose.seed = 1;
	assert_ok(tlv_membership_fit(&ctx, moments, &options, &image, &size));
	assert_ok(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &model));
	return model;
}

/* Root of the mean squared error of the means, in units of the scale, components matched. */
static double
means_error(const drawn *d, const numbers *more, const tlv_frame *model)
{
	size_t k = d->parts.k;
	tlv_membership_parts parts;
	tlv_match match;
	double sum = 0;

	tlv_membership_read(model, &parts);
	assert_int_equal(parts.scalars, more->q);
	assert_ok(tlv_model_match(&ctx, &d->truth, model, &match));
	for (size_t s = 0; s < more->q; s++)
		for (size_t h = 0; h < k; h++)
		{
			double gap =
				more->means[s * k + h] - parts.scalar_means[s * k + (size_t) match.component[h]];

			sum += gap * gap;
		}
	return sqrt(sum / (double) (more->q * k)) / more->scale;
}

static const tlv_membership_simulation few = {.mixed = true,
											  .variables = 10,
											  .categories = 4,
											  .k = 4,
											  .alpha = 0.1,
											  .concentration = 0.5,
											  .seed = 5};

static void
test_means_of_measurements(void **state)
{
	drawn d = draw_members(5000, few);
	numbers more = {.q = 6, .scale = 100, .shift = 2e4};
	tlv_frame with, without, moments;
	double means, table, bare;

	(void) state;
	draw_numbers(&d, 7, &more);
	moments = build_moments(collect_numbers(&d, &more, 0, d.n));
	with = fit_moments(&moments, few.k, 0.4);
	moments = category_table(&d);
	without = fit_moments(&moments, few.k, 0.4);
	means = means_error(&d, &more, &with);
	table = table_error(&d.truth, &with);
	bare = table_error(&d.truth, &without);
	printf("means %.4f; probabilities %.4f, without numbers %.4f\n", means, table, bare);
	assert_true(means < 0.03);
	assert_true(table < 0.95 * bare);
}

static void
test_means_of_counts(void **state)
{
	drawn d = draw_members(5000, few);
	numbers more = {.q = 3, .scale = 1, .counts = true};
	tlv_frame model, moments;
	double means;

	(void) state;
	draw_numbers(&d, 8, &more);
	moments = build_moments(collect_numbers(&d, &more, 0, d.n));
	model = fit_moments(&moments, few.k, 0.4);
	means = means_error(&d, &more, &model);
	printf("means %.4f\n", means);
	assert_true(means < 0.12);
}

/* Numbers that are missing where one category is seen are no more than fewer rows. */
static void
test_missing_numbers(void **state)
{
	drawn d = draw_members(8000, few);
	numbers more = {.q = 2, .scale = 1};
	tlv_frame model, moments;
	double means;

	(void) state;
	draw_numbers(&d, 9, &more);
	for (size_t i = 0; i < d.n; i++)
	{
		if (i % 3 == 0)
			more.x[i * 2 + i % 2] = NAN;
		if (i % 5 == 0)
			d.codes[i * d.p + i % d.p] = TLV_CATEGORY_MISSING;
	}
	moments = build_moments(collect_numbers(&d, &more, 0, d.n));
	model = fit_moments(&moments, few.k, 0.4);
	means = means_error(&d, &more, &model);
	printf("means %.4f\n", means);
	assert_true(means < 0.05);
}

static void
test_merged_parts(void **state)
{
	drawn d = draw_members(600, few);
	numbers more = {.q = 2, .scale = 1};
	tlv_accumulator *all, *sum;
	tlv_frame a, b, whole;

	(void) state;
	draw_numbers(&d, 10, &more);
	/* Whole numbers add up exactly in any order. */
	for (size_t i = 0; i < d.n * more.q; i++)
		more.x[i] = floor(10 * more.x[i]);
	all = collect_numbers(&d, &more, 0, d.n);
	whole = build_moments(all);
	a = build_moments(collect_numbers(&d, &more, 0, 1));
	b = build_moments(collect_numbers(&d, &more, 1, d.n));
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_mixed_moments.accumulator, &sum));
	assert_ok(sum->class->merge(&ctx, sum, &b));
	assert_ok(sum->class->merge(&ctx, sum, &a));
	a = build_moments(sum);
	assert_int_equal(a.header->size, whole.header->size);
	assert_memory_equal(a.header, whole.header, whole.header->size);
}

static void
test_refused_numbers(void **state)
{
	const int32_t codes[2] = {0, 1}, high[2] = {0, 100};
	const double x[2] = {1, 2}, infinite[2] = {1, INFINITY};
	tlv_accumulator *accumulator;
	tlv_frame moments;

	(void) state;
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_mixed_moments.accumulator, &accumulator));
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_MIXED(0, codes, 2, x)), TLV_BAD_DATA,
				 "a row has no categories");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_MIXED(2, codes, 0, x)), TLV_BAD_DATA,
				 "a row has no numbers");
	assert_ok(tlv_add(&ctx, accumulator, TLV_AS_MIXED(2, codes, 2, x)));
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_MIXED(2, codes, 1, x)), TLV_BAD_DATA,
				 "a row has 2 categories and 1 number, the first one 2 and 2");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_MIXED(2, high, 2, x)), TLV_BAD_DATA,
				 "value 2 of a row is 100, not a state from 0 to 99");
	assert_fails(tlv_add(&ctx, accumulator, TLV_AS_MIXED(2, codes, 2, infinite)), TLV_BAD_DATA,
				 "number 2 of a row is inf, beyond 1e+90");
	moments = build_moments(accumulator);
	assert_true(tlv_frame_scalar(&moments, "rows", 0) == 1);
}

/* A constant number has its value as its mean, and says nothing. */
static void
test_constant_number(void **state)
{
	drawn d = draw_members(3000, few);
	numbers more = {.q = 1, .scale = 1};
	tlv_frame model, moments;
	tlv_membership_parts parts;

	(void) state;
	draw_numbers(&d, 11, &more);
	for (size_t i = 0; i < d.n; i++)
		more.x[i] = 0.1;
	moments = build_moments(collect_numbers(&d, &more, 0, d.n));
	model = fit_moments(&moments, few.k, 0.4);
	tlv_membership_read(&model, &parts);
	for (size_t h = 0; h < few.k; h++)
		assert_true(fabs(parts.scalar_means[h] - 0.1) < 1e-9);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_means_of_measurements, setup, forget),
		cmocka_unit_test_setup_teardown(test_means_of_counts, setup, forget),
		cmocka_unit_test_setup_teardown(test_missing_numbers, setup, forget),
		cmocka_unit_test_setup_teardown(test_merged_parts, setup, forget),
		cmocka_unit_test_setup_teardown(test_refused_numbers, setup, forget),
		cmocka_unit_test_setup_teardown(test_constant_number, setup, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
