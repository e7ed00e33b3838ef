/*
 * test_clusters.c - groups of variables against brute force, and the lengths of simulated trees
 * against distances of rows.
 */
#include "tree_fixture.h"
#include "tensorlv/model/tree_learn.h"

/* Two hidden nodes, 0 1 2 and 3 4 on either, 5 and 6 a tree of their own, 7 alone. */
static const int32_t forest_ends[] = {0, 8, 1, 8, 2, 8, 3, 9, 4, 9, 8, 9, 5, 6};
#define FOREST_P	 8
#define FOREST_NODES 10

static tlv_tree_parts
parts_of(tlv_frame frame)
{
	tlv_tree_parts parts;

	tlv_tree_read(&frame, &parts);
	return parts;
}

/* The length of the path between two nodes; HUGE_VAL between trees. */
static double
path_length(const tlv_tree_parts *parts, size_t a, size_t b)
{
	for (double up = 0;; up += parts->length[a], a = (size_t) parts->parent[a])
	{
		double down = 0;

		for (size_t v = b;; down += parts->length[v], v = (size_t) parts->parent[v])
		{
			if (v == a)
				return up + down;
			if (parts->parent[v] < 0)
				break;
		}
		if (parts->parent[a] < 0)
			return HUGE_VAL;
	}
}

/* Ward's inertia of groups. */
static double
inertia_of(const tlv_tree_parts *parts, const int32_t *cluster, int32_t groups)
{
	double sum = 0;

	for (int32_t g = 1; g <= groups; g++)
	{
		double pairs = 0, n = 0;

		for (size_t a = 0; a < parts->p; a++)
		{
			n += cluster[a] == g;
			for (size_t b = 0; b < a; b++)
				if (cluster[a] == g && cluster[b] == g)
					pairs += path_length(parts, a, b);
		}
		sum += n > 0 ? pairs / n : 0;
	}
	return sum;
}

/* Whether v is below w, or is w. */
static bool
is_below(const tlv_tree_parts *parts, size_t v, size_t w)
{
	for (;; v = (size_t) parts->parent[v])
	{
		if (v == w)
			return true;
		if (parts->parent[v] < 0)
			return false;
	}
}

/* Two groups are those of the best single cut; every number of groups is reached. */
TEST(test_best_cut)
{
	for (uint64_t seed = 1; seed <= 20; seed++)
	{
		tlv_tree tree = random_tree_of(11, seed);
		tlv_tree_parts parts = parts_of(simulated(&tree, seed % 2 == 0, 2, 2, seed));
		int32_t cluster[11], other[11];
		double best = HUGE_VAL, before = HUGE_VAL;

		for (size_t v = 0; v < parts.nodes; v++)
		{
			for (size_t a = 0; a < 11; a++)
				other[a] = is_below(&parts, a, v) ? 2 : 1;
			if (parts.parent[v] >= 0)
				best = fmin(best, inertia_of(&parts, other, 2));
		}
		assert_ok(tlv_tree_clusters(&ctx, &parts, 2, cluster));
		assert_close(inertia_of(&parts, cluster, 2), best, 1e-9);
		for (size_t m = 1; m <= 12; m++)
		{
			int32_t most = 0, sizes[13] = {0};
			double now;

			assert_ok(tlv_tree_clusters(&ctx, &parts, m, cluster));
			for (size_t a = 0; a < 11; a++)
			{
				most = cluster[a] > most ? cluster[a] : most;
				sizes[cluster[a]]++;
			}
			assert_int_equal(most, m < 11 ? m : 11);
			for (int32_t g = 1; g <= most; g++)
				assert_between(sizes[g], 1, g > 1 ? sizes[g - 1] : 11);
			now = inertia_of(&parts, cluster, most);
			assert_true(now < before || now == 0);
			before = now;
		}
		pool_reset(&memory, &ctx);
	}
}

TEST(test_forest)
{
	static const int32_t wanted[][FOREST_P] = {
		{1, 1, 1, 2, 2, 3, 3, 4}, /* by hidden nodes, and by trees where there is none */
		{1, 1, 1, 1, 1, 2, 2, 3}, /* one group is not enough for three trees */
		{1, 1, 1, 2, 2, 3, 3, 4},
	};
	static const size_t groups[] = {0, 1, 4};
	tlv_tree tree = tree_of(FOREST_P, FOREST_NODES, 7, forest_ends);
	tlv_tree_parts parts = parts_of(simulated(&tree, false, 2, 2, 3));
	int32_t cluster[FOREST_P];

	for (size_t v = 0; v < FOREST_NODES; v++)
		((double *) parts.length)[v] = v < FOREST_P ? 0.1 : 1;
	for (size_t i = 0; i < 3; i++)
	{
		assert_ok(tlv_tree_clusters(&ctx, &parts, groups[i], cluster));
		for (size_t v = 0; v < FOREST_P; v++)
			if (cluster[v] != wanted[i][v])
				fail_msg("groups %zu: variable %zu in %d, not %d", groups[i], v, cluster[v],
						 wanted[i][v]);
	}
}

/* Lengths of simulated models are the distances that their rows have. */
TEST(test_lengths)
{
	static const size_t forms[][2] = {{2, 2}, {3, 3}, {3, 5}, {4, 4}};

	for (size_t i = 0; i < 4; i++)
	{
		double within = 0, n = 0, mean = 0;

		for (uint64_t seed = 1; seed <= 6; seed++)
		{
			tlv_tree tree = random_tree_of(10, seed);
			tlv_frame model = simulated(&tree, false, forms[i][0], forms[i][1], seed);
			tlv_tree_parts parts = parts_of(model);
			tlv_tree_distance_options options = {.states = forms[i][0]};
			tlv_tree_distances distances;
			tlv_frame moments;

			tlv_rng_seed(&rng, seed);
			moments = category_moments(10, 20000, drawn_codes(model, 20000, 0));
			assert_ok(tlv_tree_distances_compute(&ctx, &moments, &options, &distances));
			for (size_t a = 0; a < 10; a++)
				for (size_t b = 0; b < a; b++)
				{
					double length = path_length(&parts, a, b);
					double z =
						(distances.distance[a * 10 + b] - length) / distances.error[a * 10 + b];

					if (length > (double) (forms[i][0] - 1)) /* correlations near 0 are biased */
						continue;
					within += fabs(z) < 2;
					mean += z;
					n++;
				}
			pool_reset(&memory, &ctx);
		}
		print_message("%zu and %zu states: %.3f within 2 errors, mean %.2f\n", forms[i][0],
					  forms[i][1], within / n, mean / n);
		assert_above(within / n, 0.85);
		assert_below(fabs(mean / n), 0.3);
	}
}

RUN_TESTS(setup, teardown)
