/*
 * test_partition.c - mixed membership by three groups of variables and nonnegative factors.
 */
#include "membership_fixture.h"
#include "tensorlv/num/rng.h"

/* The start alone, of tables. */
static tlv_frame
fit_tables(const tlv_frame *moments, tlv_membership_options options)
{
	tlv_frame model;

	options.mixed = options.partition = true;
	options.copies = options.copies > 0 ? options.copies : 1;
	options.seed = 1;
	options.decompose.restarts = 2;
	model = MADE(tlv_membership_fit, moments, &options);
	return model;
}

/* Both solvers. */
ACCURACY_TEST(test_one_partition)
{
	tlv_frame moments;
	double error;
	drawn d;

	d = draw_members(3000, survey(true, 25, 3, 3));
	moments = category_table(&d);
	for (int solver = 0; solver < 2; solver++)
	{
		tlv_frame start = fit_tables(
			&moments, (tlv_membership_options){.k = 3, .solver = (tlv_nonnegative_method) solver});

		error = table_error(&d.truth, &start);
		printf("solver %d: %.4f\n", solver, error);
		assert_true(error < 0.022);
	}
}

static size_t
drawn_of(tlv_rng *rng, size_t n, const double *weights, size_t stride)
{
	double below = tlv_rng_uniform(rng);
	size_t i = 0;

	while (i + 1 < n && below >= weights[i * stride])
		below -= weights[stride * i++];
	return i;
}

/* Every variable of the rows a second time, side by side: of the same row's memberships. */
static drawn
drawn_twice(const drawn *d)
{
	drawn twice = *d;
	tlv_rng rng;

	tlv_rng_seed(&rng, 7);
	twice.p = 2 * d->p;
	twice.codes = room(d->n * twice.p, sizeof(int32_t));
	twice.rows = room(d->n, sizeof(tlv_row));
	for (size_t i = 0; i < d->n; i++)
	{
		for (size_t j = 0; j < d->p; j++)
		{
			size_t h = drawn_of(&rng, d->parts.k, d->memberships + i * d->parts.k, 1);
			const double *table = d->parts.probabilities + 4 * j * d->parts.k + h;

			twice.codes[i * twice.p + 2 * j] = d->codes[i * d->p + j];
			twice.codes[i * twice.p + 2 * j + 1] = (int32_t) drawn_of(&rng, 4, table, d->parts.k);
		}
		twice.rows[i] = *TLV_AS_CODES(twice.p, twice.codes + i * twice.p);
	}
	return twice;
}

/* Without rows: tables of triples, of copies, too, with values missing. */
TEST(test_partitions_of_tables)
{
	drawn d = draw_members(4000, survey(true, 15, 3, 3)), twice = drawn_twice(&d);

	for (size_t copies = 1; copies <= 2; copies++)
	{
		drawn *rows = copies == 1 ? &d : &twice;
		tlv_membership_options options = {.k = 3, .copies = copies};
		tlv_frame moments, model;
		double error;

		for (size_t i = 0; i < d.n; i++)
			rows->codes[i * rows->p + (i * 7) % rows->p] = TLV_CATEGORY_MISSING;
		moments = category_table(rows);
		model = fit_tables(&moments, options);
		error = table_error(&d.truth, &model);
		printf("copies %zu: %.4f\n", copies, error);
		assert_true(error < (copies == 1 ? 0.022 : 0.016));
	}
}

TEST(test_refused_partitions)
{
	drawn d = draw_members(200, survey(true, 6, 2, 5));
	const tlv_membership_options options = {.mixed = true, .partition = true, .k = 9, .copies = 1};
	tlv_frame moments = category_table(&d);
	void *image;
	size_t size;

	assert_fails(tlv_membership_fit(&ctx, &moments, &options, &image, &size), TLV_NOT_IDENTIFIABLE,
				 "9 components are not identified by three groups of 6 variables");
}

RUN_TESTS(setup, teardown)
