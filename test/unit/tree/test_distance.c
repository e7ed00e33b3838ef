/*
 * test_distance.c - information distances of categories, numbers and vectors, their standard
 * errors and tests of independence, and the trees that are learned from drawn rows.
 */
#include "tensorlv/model/dense.h"
#include "tree_learning_fixture.h"

/* ---- singular values ---- */

TEST(test_singular_values)
{
	static const size_t shapes[8][2] = {{1, 1}, {2, 2}, {3, 3},	  {2, 7},
										{6, 4}, {7, 7}, {31, 12}, {20, 40}};

	for (int c = 0; c < 8; c++)
	{
		size_t m = shapes[c][0], n = shapes[c][1], r = m < n ? m : n;
		double *a = room(m * n, sizeof(double)), *copy = room(m * n, sizeof(double));
		double *s = room(r, sizeof(double)), *exact = room(r, sizeof(double));
		double *work = room(tlv_singular_values_work(m, n), sizeof(double));

		tlv_rng_fill_normal(&rng, m * n, a);
		memcpy(copy, a, m * n * sizeof(double));
		assert_ok(tlv_svd(&ctx, m, n, copy, room(m * r, 8), exact, room(r * n, 8)));
		for (size_t k = 1; k <= r; k++)
		{
			assert_ok(tlv_singular_values(&ctx, m, n, a, k, s, work));
			assert_all_close(k, s, exact, 1e-9 * exact[0]);
		}
	}
}

/* ---- categories ---- */

/* Tables of two variables from one of counts. */
typedef struct two
{
	int64_t states[2];
	size_t offset[3], pair_row[2];
	tlv_category_tables tables;
} two;

static const tlv_category_tables *
two_variables(two *t, size_t a, size_t b, const double *counts)
{
	double rows = 0;

	for (size_t i = 0; i < a * b; i++)
		rows += counts[i];
	*t = (two){{(int64_t) a, (int64_t) b}, {0, a, a + b}, {0, a * b}, {0}};
	t->tables = (tlv_category_tables){.p = 2,
									  .rows = rows,
									  .states = t->states,
									  .offset = t->offset,
									  .pair_row = t->pair_row,
									  .pairs = counts,
									  .pair_entries = a * b};
	return &t->tables;
}

static tlv_tree_distances
distances_of(const tlv_category_tables *tables, size_t states, tlv_tree_metric metric,
			 double shrinkage)
{
	tlv_tree_distance_options options = {
		.states = states, .metric = metric, .shrinkage = shrinkage};
	tlv_tree_distances d;

	assert_ok(tlv_tree_distances_of_tables(&ctx, tables, &options, &d));
	assert_close(d.distance[0] + d.distance[3] + d.error[0] + d.error[3], 0, 0);
	assert_close(d.distance[1], d.distance[2], 0);
	assert_close(d.error[1], d.error[2], 0);
	assert_close(d.independent[1], d.independent[2], 0);
	return d;
}

static double
distance_of(size_t d, const double *counts, size_t states, tlv_tree_metric metric, double shrinkage)
{
	two t;

	return distances_of(two_variables(&t, d, d, counts), states, metric, shrinkage).distance[1];
}

/*
 * Four leaves in two pairs below two hidden nodes of 3 states: expected tables of 1e12 rows have
 * distances that fulfil the four-point condition, for d = k and d > k, shrunk or not; Huang's are
 * the same for d = k and have other lengths of leaves for d > k.
 */
TEST(test_additive)
{
	static const int pair[6][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

	for (size_t d = 3; d <= 6; d += 3)
		for (int variant = 0; variant < 3; variant++)
		{
			double leaf[4][18], inner[9], root[3] = {0.3, 0.3, 0.4}, result[6], canonical[6];

			for (int i = 0; i < 4; i++)
				draw_table(d, 3, 0.7, leaf[i]);
			draw_table(3, 3, 0.7, inner);
			for (int q = 0; q < 6; q++)
			{
				int a = pair[q][0], b = pair[q][1];
				double counts[36] = {0};

				for (size_t x = 0; x < d; x++)
					for (size_t y = 0; y < d; y++)
						for (size_t h = 0; h < 3; h++)
							for (size_t g = 0; g < 3; g++)
							{
								double joint = root[h] * inner[h * 3 + g];
								size_t left = a < 2 ? h : g, right = b < 2 ? h : g;

								counts[x * d + y] +=
									1e12 * joint * leaf[a][left * d + x] * leaf[b][right * d + y];
							}
				canonical[q] = distance_of(d, counts, 3, TLV_METRIC_CANONICAL, 0);
				result[q] = distance_of(
					d, counts, 3, variant == 1 ? TLV_METRIC_DETERMINANT : TLV_METRIC_CANONICAL,
					variant == 2 ? 0.3 : 0);
				assert_above(canonical[q], 0);
				if (variant == 1)
					assert_equal(fabs(result[q] - canonical[q]) < 1e-6, d == 3);
			}
			assert_close(result[2] + result[5], result[3] + result[4], 1e-6);
			assert_below(result[0] + result[1], result[2] + result[5] - 0.1);
		}
}

/* The closed form of 2 x 2 tables against phi of the table, and the general way. */
TEST(test_binary)
{
	double counts[4] = {400, 120, 90, 390}, wide[6] = {400, 120, 0, 90, 390, 0}, cell[4], phi;
	tlv_tree_distances d, with_empty;
	two t;

	for (int i = 0; i < 4; i++)
		cell[i] = counts[i] + 0.25;
	phi = (cell[0] * cell[3] - cell[1] * cell[2]) / sqrt((cell[0] + cell[1]) * (cell[2] + cell[3]) *
														 (cell[0] + cell[2]) * (cell[1] + cell[3]));
	d = distances_of(two_variables(&t, 2, 2, counts), 2, TLV_METRIC_CANONICAL, 0);
	assert_close(d.distance[1], -log(phi), 1e-12);
	assert_close(d.error[1], sqrt((1 - phi * phi) / 1000) / phi, 1e-12);
	assert_below(d.independent[1], 1e-60);
	/* a state that was never seen changes nothing */
	with_empty = distances_of(two_variables(&t, 2, 3, wide), 2, TLV_METRIC_CANONICAL, 0);
	assert_close(with_empty.distance[1], d.distance[1], 1e-12);
	/* the general way, with so little shrinkage that there is none, and no half row */
	for (int i = 0; i < 4; i++)
		counts[i] *= 1e9;
	assert_close(distance_of(2, counts, 2, TLV_METRIC_CANONICAL, 1e-12),
				 distance_of(2, counts, 2, TLV_METRIC_CANONICAL, 0), 1e-8);
}

/* Standard errors against the spread of 300 samples from one tree. */
TEST(test_errors)
{
	enum
	{
		SAMPLES = 300,
		ROWS = 2000
	};
	double mean = 0, square = 0, error = 0;
	tlv_tree tree;
	int32_t *x;

	assert_ok(tlv_tree_random(&ctx, 3, 0, 1, &tree));
	x = draw_states(&tree, (size_t) SAMPLES * ROWS, 3, 3, 0.7, 0.9);
	for (size_t s = 0; s < SAMPLES; s++)
	{
		tlv_tree_distances d = category_distances(ROWS, 3, x + s * ROWS * 3, 3);

		mean += d.distance[1] / SAMPLES;
		square += d.distance[1] * d.distance[1] / SAMPLES;
		error += d.error[1] / SAMPLES;
	}
	assert_close(sqrt(square - mean * mean) / error, 1.1, 0.2);
}

/* Of independent variables, some states of them rare, a part of about .05 has a p-value below it.
 */
ACCURACY_TEST(test_independence)
{
	static const size_t sizes[5][2] = {{2, 2}, {3, 4}, {10, 10}, {31, 31}, {2, 31}};
	static const size_t rows[5] = {400, 400, 1000, 3000, 300};

	for (int c = 0; c < 5; c++)
	{
		double share[2][31], alpha[31], below = 0, far_below = 0;

		for (size_t i = 0; i < 31; i++)
			alpha[i] = 1;
		for (int trial = 0; trial < 2000; trial++)
		{
			double counts[31 * 31] = {0}, p;
			two t;

			for (int v = 0; v < 2; v++)
				tlv_rng_dirichlet(&rng, sizes[c][v], alpha, share[v]);
			for (size_t i = 0; i < rows[c]; i++)
			{
				size_t x = (size_t) draw_state(sizes[c][0], share[0]);
				size_t y = (size_t) draw_state(sizes[c][1], share[1]);

				counts[x * sizes[c][1] + y]++;
			}
			p = distances_of(two_variables(&t, sizes[c][0], sizes[c][1], counts), 2,
							 TLV_METRIC_CANONICAL, 0)
					.independent[1];
			assert_between(p, 0, 1);
			below += p < 0.05;
			far_below += p < 1e-4;
			pool_reset(&memory, &ctx);
		}
		if (getenv("TLV_SHOW") != NULL)
			printf("%zu x %zu: %g below .05, %g below .0001\n", sizes[c][0], sizes[c][1],
				   below / 2000, far_below / 2000);
		assert_above(below / 2000, 0.02);
		assert_below(below / 2000, 0.08);
		assert_at_most(far_below, 3);
	}
}

/* A constant, one never present, and a pair that is always equal. */
TEST(test_degenerate)
{
	enum
	{
		N = 500
	};
	int32_t x[N * 5];
	tlv_tree_distance_options options = {.states = 2};
	tlv_tree_options structure = {.method = TLV_TREE_CLNJ, .z = 2, .significance = 0.05};
	tlv_tree_distances d;
	tlv_tree tree;
	tlv_frame frame;
	double farthest = log(2 * sqrt(N));

	for (int i = 0; i < N; i++)
	{
		x[i * 5] = 1;
		x[i * 5 + 1] = -1;
		x[i * 5 + 2] = x[i * 5 + 3] = (int32_t) tlv_rng_below(&rng, 2);
		x[i * 5 + 4] = tlv_rng_uniform(&rng) < 0.8 ? x[i * 5 + 2] : 1 - x[i * 5 + 2];
	}
	for (int metric = 0; metric < 2; metric++)
	{
		options.metric = (tlv_tree_metric) metric;
		frame = category_moments(5, N, x);
		assert_ok(tlv_tree_distances_compute(&ctx, &frame, &options, &d));
		for (size_t i = 0; i < 25; i++)
		{
			assert_true(isfinite(d.distance[i]));
			assert_true(isfinite(d.error[i]));
			assert_at_least(d.distance[i], 0);
			assert_at_least(d.error[i], 0);
			assert_between(d.independent[i], 0, 1);
		}
		for (size_t v = 2; v < 5; v++)
			for (size_t u = 0; u < 2; u++)
			{
				assert_close(d.distance[u * 5 + v], farthest, 1e-9);
				assert_close(d.independent[u * 5 + v], 1, 0);
				assert_close(d.error[u * 5 + v], 2, 0.01);
			}
		assert_below(d.distance[2 * 5 + 3], 0.0025);
		assert_below(d.independent[2 * 5 + 3], 1e-100);
		assert_close(d.distance[2 * 5 + 4], -log(0.6), 0.15);
	}
	assert_ok(tlv_tree_structure(&ctx, &d, &structure, &tree));
	assert_int_equal(tree.nodes, 6);
	assert_int_equal(tree.edges, 3); /* two stand alone */
}

/* Every pair from the rows in which both are present, at random: the same but for the noise. */
TEST(test_missing)
{
	size_t n = 20000, p = 12;
	tlv_tree_distances whole, part;
	tlv_tree truth;
	int32_t *x;

	assert_ok(tlv_tree_random(&ctx, p, 3, 2, &truth));
	x = draw_states(&truth, n, 3, 3, 0.7, 0.9);
	whole = category_distances(n, p, x, 3);
	for (size_t i = 0; i < n * p; i++)
		if (tlv_rng_uniform(&rng) < 0.3)
			x[i] = -1;
	part = category_distances(n, p, x, 3);
	for (size_t a = 0; a < p; a++)
		for (size_t b = 0; b < a; b++)
		{
			double error = part.error[a * p + b];

			assert_close(part.distance[a * p + b], whole.distance[a * p + b], 4 * error);
			/* half the rows */
			if (whole.error[a * p + b] < 0.05)
				assert_close(error / whole.error[a * p + b], 1 / 0.7, 0.15);
		}
	for (size_t i = 0; i < n; i++) /* two that are never seen together, in fewer than 4 rows */
		x[i * p + (i % 2)] = i < 3 ? 1 : -1;
	part = category_distances(n, p, x, 3);
	assert_close(part.independent[1], 1, 0);
	assert_close(part.distance[1], 2 * log(2 * sqrt((double) n)), 1e-9);
}

/* ---- numbers ---- */

TEST(test_numbers)
{
	enum
	{
		N = 4000
	};
	double *x = room((size_t) N * 4, sizeof(double)), sums[5] = {0}, r;
	tlv_tree_distance_options options = {.states = 1};
	tlv_tree_distances d;
	tlv_frame frame;

	for (size_t i = 0; i < N; i++)
	{
		double *row = x + i * 4;

		row[0] = tlv_rng_normal(&rng);
		row[1] = 1e-6 * (0.6 * row[0] + 0.8 * tlv_rng_normal(&rng)) + 3;
		row[2] = 7; /* constant */
		row[3] = -5 * row[0];
		sums[0] += row[0] / N;
		sums[1] += row[1] / N;
	}
	for (size_t i = 0; i < N; i++)
	{
		double u = x[i * 4] - sums[0], v = x[i * 4 + 1] - sums[1];

		sums[2] += u * u;
		sums[3] += u * v;
		sums[4] += v * v;
	}
	r = sums[3] / sqrt(sums[2] * sums[4]);
	frame = dense_moments(4, N, x);
	assert_ok(tlv_tree_distances_compute(&ctx, &frame, &options, &d));
	assert_close(d.distance[1], -log(r), 1e-8);
	assert_close(d.error[1], (1 - r * r) / (r * sqrt(N)), 1e-8);
	assert_below(d.independent[1], 1e-100);
	assert_close(d.distance[2], log(2 * sqrt(N)), 1e-9);
	assert_close(d.independent[2], 1, 0);
	assert_close(d.distance[3], 1e-9, 1e-10);
}

/*
 * Vectors of 2 and 3 numbers that show a hidden pair each, in a chain: canonical correlations add
 * up; a column twice, and columns of other sizes, change nothing.
 */
TEST(test_vectors)
{
	enum
	{
		N = 40000,
		D = 11
	};
	static const int64_t column[D] = {0, 1, 2, 3, 0, 1, 2, 3, 2, 3, 3};
	double *x = room((size_t) N * D, sizeof(double));
	tlv_tree_distance_options options = {.states = 2, .groups = 4, .column = column, .columns = D};
	tlv_tree_distances d;
	tlv_frame frame;

	for (size_t i = 0; i < N; i++)
	{
		double *row = x + i * D, z[2] = {tlv_rng_normal(&rng), tlv_rng_normal(&rng)};

		for (size_t v = 0; v < 4; v++)
		{
			for (int c = 0; c < 2 && v > 0; c++)
				z[c] = 0.8 * z[c] + 0.6 * tlv_rng_normal(&rng);
			row[v] = z[0] + z[1];
			row[v + 4] = 1e4 * (z[0] - 0.5 * z[1]);
		}
		row[8] = tlv_rng_normal(&rng); /* nothing */
		row[9] = tlv_rng_normal(&rng);
		row[10] = row[3];
	}
	frame = dense_moments(D, N, x);
	assert_ok(tlv_tree_distances_compute(&ctx, &frame, &options, &d));
	for (size_t a = 0; a < 4; a++)
		for (size_t b = 0; b < a; b++)
		{
			assert_close(d.distance[a * 4 + b], -2 * log(0.8) * (double) (a - b), 0.05);
			assert_below(d.independent[a * 4 + b], 1e-100);
		}
}

TEST(test_refuse)
{
	static const int64_t column[3] = {0, 2, 2}, outside[3] = {0, 1, 5};
	double counts[4] = {1, 1, 1, 0}, x[12] = {1, 2, 3, 4, 1, 2, 5, 6, 7, 2, 8, 1};
	tlv_tree_distance_options options = {.states = 1};
	tlv_tree_distances d;
	tlv_frame frame;
	two t;

	two_variables(&t, 2, 2, counts);
	assert_fails(tlv_tree_distances_of_tables(&ctx, &t.tables, &options, &d), TLV_BAD_PARAMETER,
				 "1 state");
	options.states = 2;
	assert_fails(tlv_tree_distances_of_tables(&ctx, &t.tables, &options, &d), TLV_BAD_DATA,
				 "at least 4 rows, there are 3");
	options.shrinkage = -1;
	assert_fails(tlv_tree_distances_of_tables(&ctx, &t.tables, &options, &d), TLV_BAD_PARAMETER,
				 "shrinkage is -1");
	options.shrinkage = 0;
	t.tables.p = 0;
	assert_fails(tlv_tree_distances_of_tables(&ctx, &t.tables, &options, &d), TLV_BAD_DATA,
				 "at least one variable");
	options.groups = 3;
	assert_fails(tlv_tree_distances_of_tables(&ctx, &t.tables, &options, &d), TLV_BAD_PARAMETER,
				 "for vectors");
	options.column = column;
	options.columns = 2;
	frame = dense_moments(3, 4, x);
	assert_fails(tlv_tree_distances_compute(&ctx, &frame, &options, &d), TLV_BAD_PARAMETER,
				 "groups of 2 columns, the rows have 3");
	options.columns = 3;
	assert_fails(tlv_tree_distances_compute(&ctx, &frame, &options, &d), TLV_BAD_PARAMETER,
				 "group 2 has no columns");
	options.column = outside;
	assert_fails(tlv_tree_distances_compute(&ctx, &frame, &options, &d), TLV_BAD_PARAMETER,
				 "column 3 is of group 6");
	options.groups = 0;
	options.states = 0;
	assert_fails(tlv_tree_distances_compute(&ctx, &frame, &options, &d), TLV_BAD_PARAMETER,
				 "dimension 0");
	assert_null(d.distance);
}

/* ---- learning ---- */

/* Total of differing splits over five trees; *splits gets how many there are in the true ones. */
static size_t
total_difference(size_t p, size_t n, size_t states, size_t *splits)
{
	tlv_tree_options options = {.method = TLV_TREE_CLNJ, .z = 2};
	size_t total = 0;

	*splits = 0;
	for (uint64_t seed = 0; seed < 5; seed++)
	{
		tlv_tree truth, found;
		tlv_tree_distances d;

		assert_ok(tlv_tree_random(&ctx, p, (p - 3) / 3, seed, &truth));
		if (states > 0)
			d = category_distances(n, p, draw_states(&truth, n, states, states, 0.6, 0.9), states);
		else
		{
			tlv_tree_distance_options of_numbers = {.states = 1};
			tlv_frame frame = dense_moments(p, n, draw_gaussian(&truth, n, 0.6, 0.9));

			assert_ok(tlv_tree_distances_compute(&ctx, &frame, &of_numbers, &d));
		}
		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		total += splits_that_differ(&found, &truth);
		*splits += truth.nodes - p - 1;
		pool_reset(&memory, &ctx);
	}
	if (getenv("TLV_SHOW") != NULL)
		printf("p = %zu, n = %zu, states %zu: %zu of %zu\n", p, n, states, total, *splits);
	return total;
}

TEST(test_learn)
{
	size_t splits;

	assert_at_most(total_difference(20, 5000, 0, &splits), 4);
	assert_int_equal(splits, 60);
	assert_at_most(total_difference(20, 5000, 3, &splits), 9);
	assert_at_most(total_difference(50, 10000, 2, &splits), 9);
}

TEST(test_stop)
{
	size_t p = 25, n = 200;
	tlv_tree_distance_options options = {.states = 3};
	tlv_tree truth;
	tlv_frame frame[2];

	assert_ok(tlv_tree_random(&ctx, p, 0, 1, &truth));
	frame[0] = category_moments(p, n, draw_states(&truth, n, 3, 3, 0.7, 0.9));
	frame[1] = dense_moments(p, n, draw_gaussian(&truth, n, 0.7, 0.9));
	for (int f = 0; f < 2; f++)
	{
		tlv_tree_distances d;
		size_t used = ctx.arena.used, need;

		ctx.arena.peak = used;
		assert_ok(tlv_tree_distances_compute(&ctx, &frame[f], &options, &d));
		tlv_tree_distances_free(&ctx, &d);
		assert_int_equal(ctx.arena.used, used);
		need = ctx.arena.peak - used;
		assert_cancelled_at(p / 2, tlv_tree_distances_compute(&ctx, &frame[f], &options, &d));
		assert_null(d.distance);
		for (size_t limit = 1; limit < 40; limit++)
		{
			assert_short_of_memory(need * limit / 40,
								   tlv_tree_distances_compute(&ctx, &frame[f], &options, &d));
			assert_null(d.distance);
		}
	}
}

RUN_TESTS(setup, teardown)
