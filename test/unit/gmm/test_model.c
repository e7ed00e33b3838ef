/*
 * test_model.c - densities against plain sums, dimensions, limits, and what the kind
 * of a mixture refuses.
 */
#include "gmm_fixture.h"

/* ---- densities, against plain formulas ---- */

static double
plain_density(const tlv_mixture *mixture, size_t j, const double *x)
{
	size_t d = mixture->d;
	double *a = malloc(d * d * sizeof(double)), *b = malloc(d * sizeof(double)), sum = 0;

	for (size_t i = 0; i < d; i++)
		for (size_t c = 0; c < d; c++)
		{
			double value = i == c ? mixture->variances[j] : 0;

			if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
				value = i == c ? mixture->variances[j * d + i] : 0;
			if (mixture->covariance == TLV_COVARIANCE_FULL)
				value = mixture->variances[j * tlv_packed2_size(d) + tlv_packed2_index(i, c)];
			a[c * d + i] = value;
		}
	for (size_t i = 0; i < d; i++)
		b[i] = x[i] - mixture->means[j * d + i];
	assert_ok(tlv_solve_spd(&ctx, d, 1, a, b));
	for (size_t i = 0; i < d; i++)
		sum += b[i] * (x[i] - mixture->means[j * d + i]) + 2 * log(a[i * d + i]) +
			   log(2 * 3.14159265358979323846);
	free(a);
	free(b);
	return mixture->weights[j] * exp(-sum / 2);
}

TEST(test_density)
{
	for (int c = TLV_COVARIANCE_COMMON; c <= TLV_COVARIANCE_FULL; c++)
	{
		data rows = simulate(50, 4, 3, 3, (tlv_covariance) c);
		tlv_mixture mixture;
		tlv_model *model;

		tlv_gmm_read(&rows.truth, &mixture);
		model = open_model(rows.truth);
		for (size_t t = 0; t < rows.n; t++)
		{
			double shares[3], density[3], total = 0, likelihood;

			assert_ok(infer_values(&ctx, model, TLV_AS_VECTOR(4, rows.x + 4 * t), shares));
			assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_VECTOR(4, rows.x + 4 * t),
											   &likelihood));
			for (size_t j = 0; j < 3; j++)
				total += density[j] = plain_density(&mixture, j, rows.x + 4 * t);
			assert_close(likelihood, log(total), 1e-9);
			for (size_t j = 0; j < 3; j++)
				assert_close(shares[j], density[j] / total, 1e-9);
		}
		pool_reset(&memory, &ctx);
	}
}

/* Log densities by the products of few dimensions and by the factors of many are the same. */
TEST(test_dimensions)
{
	for (size_t d = 38; d <= 43; d++)
	{
		data rows = simulate(200, d, 3, 5, TLV_COVARIANCE_FULL);
		double *x = tlv_alloc(&ctx, 60, sizeof(double)), *wide, value[2];
		tlv_mixture truth, wider;
		tlv_gmm_parts parts = {.mixture = &wider, .rows = 1};
		tlv_model *open;
		tlv_frame model;

		/* The same mixture beside independent standard normal dimensions, up to 60. */
		tlv_gmm_read(&rows.truth, &truth);
		wide = tlv_alloc(&ctx, 60, sizeof(double));
		for (size_t i = 0; i < 60; i++)
			wide[i] = TLV_MIXTURE_FLOOR;
		parts.floor = wide;
		assert_ok(tlv_mixture_create(&ctx, 3, 60, TLV_COVARIANCE_FULL, &wider));
		memcpy(wider.weights, truth.weights, 3 * sizeof(double));
		for (size_t j = 0; j < 3; j++)
		{
			double *own = wider.variances + j * tlv_packed2_size(60);

			memcpy(wider.means + j * 60, truth.means + j * d, d * sizeof(double));
			memcpy(own, truth.variances + j * tlv_packed2_size(d),
				   tlv_packed2_size(d) * sizeof(double));
			for (size_t i = d; i < 60; i++)
				own[tlv_packed2_index(i, i)] = 1;
		}
		model = MADE(tlv_gmm_write, &parts);
		for (size_t t = 0; t < rows.n; t += 20)
		{
			double rest = 0;

			for (size_t i = 0; i < 60; i++)
				x[i] = i < d ? rows.x[t * d + i] : 0.1 * (double) i;
			for (size_t i = d; i < 60; i++)
				rest -= 0.5 * (x[i] * x[i] + log(2 * acos(-1)));
			open = open_model(rows.truth);
			assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(d, x), &value[0]));
			open = open_model(model);
			assert_ok(tlv_model_log_likelihood(&ctx, open, TLV_AS_VECTOR(60, x), &value[1]));
			assert_close(value[0] + rest, value[1], 1e-8);
		}
		pool_reset(&memory, &ctx);
	}
}

/* Memory that is not there and a user who does not want to wait. */
TEST(test_limits)
{
	data rows = simulate(2000, 6, 4, 5, TLV_COVARIANCE_FULL);
	const tlv_gmm_sample sample = sample_of(&rows);
	tlv_frame third = moments(&rows, 3), model;
	tlv_gmm_start_options options = {
		.k = 4, .covariance = TLV_COVARIANCE_FULL, .seed = 1, .starts = 3, .steps = 10};
	double floor[6] = {1e-6, 1e-6, 1e-6, 1e-6, 1e-6, 1e-6};
	void *image;
	size_t size;

	assert_short_of_memory(100, try_fit(third, 4, TLV_COVARIANCE_FULL, &model));
	assert_short_of_memory(100, tlv_gmm_start(&ctx, &sample, floor, &options, &image, &size));
	for (size_t look = 1; look < 400; look += 57)
		assert_cancelled_at(look, tlv_gmm_start(&ctx, &sample, floor, &options, &image, &size));
}

/* Damaged images are told from good ones; so are floors that no variance may have. */
TEST(test_damage)
{
	data rows = simulate(10, 3, 2, 5, TLV_COVARIANCE_FULL);
	const struct
	{
		const char *section;
		double number;
	} damage[] = {{"weights", -1}, {"means", -1}, {"covariances", -1}, {"covariance", -1},
				  {"floor", -1},   {"floor", 0},  {"floor", 1.1e-316}, {"floor", 1e254}};

	for (size_t s = 0; s < sizeof(damage) / sizeof(damage[0]); s++)
	{
		const char *name = damage[s].section;
		double bad[64] = {damage[s].number, damage[s].number};
		const tlv_section *section = tlv_frame_find(&rows.truth, name);

		assert_int_equal(forged(&rows.truth, name, TLV_FLOAT64, section->rows, section->columns,
								s == 1 ? NULL : bad),
						 TLV_CORRUPT);
	}
}

RUN_TESTS(setup, teardown)
