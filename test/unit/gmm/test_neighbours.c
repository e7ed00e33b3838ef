/*
 * test_neighbours.c - divisions of rows among one component more or fewer (internal.h), and starts
 * that are made from them.
 */
#include "gmm_fixture.h"
#include "model/gmm/internal.h"

/* Rows at the places, so many at each, each a little farther. */
static data
rows_at(size_t places, const double *place, size_t each)
{
	data rows = {.n = places * each, .d = 1, .x = room(places * each, sizeof(double))};

	for (size_t t = 0; t < rows.n; t++)
		rows.x[t] = place[t / each] + 0.1 * (double) (t % each);
	return rows;
}

/* Components at the means, of one variance. */
static tlv_mixture
mixture_at(size_t k, const double *mean)
{
	tlv_mixture mixture;

	assert_ok(tlv_mixture_create(&ctx, k, 1, TLV_COVARIANCE_COMMON, &mixture));
	for (size_t j = 0; j < k; j++)
	{
		mixture.weights[j] = 1 / (double) k;
		mixture.means[j] = mean[j];
		mixture.variances[j] = 1;
	}
	return mixture;
}

/* The label of the rows at the place, which all have the same; the sample is in a random order. */
static int32_t
label_at(const tlv_gmm_sample *sample, const int32_t *label, double place)
{
	int32_t found = -1;

	for (size_t t = 0; t < sample->n; t++)
		if (fabs(sample->rows[t] + sample->center[0] - place) < 2)
		{
			assert_true(found == -1 || found == label[t]);
			found = label[t];
		}
	assert_true(found >= 0);
	return found;
}

TEST(test_components_are_split_in_turn)
{
	static const double place[] = {0, 10, 100, 110}, mean[] = {5, 105};
	const data rows = rows_at(4, place, 5);
	tlv_gmm_sample sample = sample_of(&rows);
	tlv_mixture two = mixture_at(2, mean);
	int32_t *label, *second;

	assert_ok(gmm_neighbour_divisions(&ctx, &sample, &two, 3, &label));
	second = label + sample.n;
	assert_int_not_equal(label_at(&sample, label, 0), label_at(&sample, label, 10));
	assert_int_equal(label_at(&sample, label, 100), 1);
	assert_int_equal(label_at(&sample, label, 110), 1);
	assert_int_equal(label_at(&sample, second, 0), 0);
	assert_int_equal(label_at(&sample, second, 10), 0);
	assert_int_not_equal(label_at(&sample, second, 100), label_at(&sample, second, 110));
}

TEST(test_components_join_the_nearest)
{
	static const double place[] = {0, 10, 50};
	const data rows = rows_at(3, place, 5);
	tlv_gmm_sample sample = sample_of(&rows);
	tlv_mixture three = mixture_at(3, place);
	int32_t *label;

	assert_ok(gmm_neighbour_divisions(&ctx, &sample, &three, 2, &label));
	for (size_t j = 0; j < 3; j++)
	{
		const int32_t *own = label + j * sample.n;
		bool last = j == 2; /* which joins the second, the others each other */

		assert_int_equal(label_at(&sample, own, 0) == label_at(&sample, own, 10), !last);
		assert_int_equal(label_at(&sample, own, 10) == label_at(&sample, own, 50), last);
		for (size_t t = 0; t < sample.n; t++)
			assert_in_range(own[t], 0, 1);
	}
}

/* A component of equal rows has no axis. */
TEST(test_equal_rows_stay_together)
{
	data rows = {.n = 6, .d = 1, .x = room(6, sizeof(double))};
	static const double mean[] = {0, 9};
	tlv_mixture two = mixture_at(2, mean);
	tlv_gmm_sample sample;
	int32_t *label;

	rows.x[5] = 9;
	sample = sample_of(&rows);
	assert_ok(gmm_neighbour_divisions(&ctx, &sample, &two, 3, &label));
	(void) label_at(&sample, label, 0);
	assert_int_not_equal(label_at(&sample, label, 0), label_at(&sample, label, 9));
}

TEST(test_a_start_is_made_from_its_neighbour)
{
	static const double place[] = {0, 10, 100, 110}, mean[] = {5, 105};
	static const double floor[] = {1e-6};
	const data rows = rows_at(4, place, 10);
	tlv_gmm_sample sample = sample_of(&rows);
	tlv_mixture two = mixture_at(2, mean), mixture;
	tlv_gmm_start_options options = {
		.k = 3, .covariance = TLV_COVARIANCE_COMMON, .seed = 1, .steps = 50, .next = &two};
	tlv_frame model = MADE(tlv_gmm_start, &sample, floor, &options);

	tlv_gmm_read(&model, &mixture);
	assert_int_equal(mixture.k, 3);
	assert_close(mixture.weights[0], 0.5, 1e-6);
	assert_close(mixture.weights[1], 0.25, 1e-6);
	assert_close(mixture.weights[2], 0.25, 1e-6);
}

RUN_TESTS(setup, teardown)
