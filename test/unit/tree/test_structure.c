/*
 * test_structure.c - structure from exact distances, forests, contraction, splits, random
 * trees; refusals, cancellation and memory.
 */
#include "tree_learning_fixture.h"

static const tlv_tree_method latent[3] = {TLV_TREE_CLNJ, TLV_TREE_CLRG, TLV_TREE_NJ};

/* The same nodes and edges, and the same path lengths: then the trees are the same. */
static bool
is_same_tree(const tlv_tree *a, const tlv_tree *b)
{
	double *paths_a, *paths_b, largest = 0;

	if (a->nodes != b->nodes || a->edges != b->edges || splits_that_differ(a, b) > 0)
		return false;
	paths_a = path_lengths(a, a->p);
	paths_b = path_lengths(b, b->p);
	for (size_t i = 0; i < a->p * a->p; i++)
		largest = fmax(largest, fabs(paths_a[i] - paths_b[i]) / (1 + paths_b[i]));
	return largest < 1e-6;
}

/* Variables are leaves, and no hidden node is needless. */
static void
assert_leaves(const tlv_tree *tree)
{
	size_t *degree = room(tree->nodes, sizeof(size_t));

	for (size_t h = 0; h < 2 * tree->edges; h++)
		degree[tree->ends[h]]++;
	for (size_t v = 0; v < tree->nodes; v++)
		if (v < tree->p)
			assert_equal(degree[v], 1);
		else
			assert_at_least(degree[v], 3);
}

static bool
recovers(uint64_t seed, tlv_tree_method method, bool inside)
{
	tlv_tree_options options = {.method = method, .z = 2, .observed_inside = inside};
	size_t p = 8 + tlv_rng_below(&rng, 53);
	size_t contractions = seed % 3 == 0 ? 0 : (p - 3) / (seed % 3 == 1 ? 3 : 2);
	tlv_tree_distances distances;
	tlv_tree truth, found;
	bool same;

	assert_ok(tlv_tree_random(&ctx, p, contractions, seed, &truth));
	if (inside)
		observe_some(&truth);
	distances = exact_distances(&truth, seed % 2 == 0 ? 0 : 1e-7);
	assert_ok(tlv_tree_structure(&ctx, &distances, &options, &found));
	same = is_same_tree(&found, &truth);
	pool_reset(&memory, &ctx);
	return same;
}

TEST(test_exact)
{
	for (int m = 0; m < 3; m++)
		for (int inside = 0; inside < 2; inside++)
		{
			size_t right = 0;

			for (uint64_t seed = 0; seed < 400; seed++)
				right += recovers(seed, latent[m], inside);
			assert_int_equal(right, 400);
		}
}

/* An observed inner node stays a leaf, at distance 0, unless told otherwise. */
TEST(test_observed_outside)
{
	tlv_tree truth, found;
	tlv_tree_options options = {.method = TLV_TREE_CLNJ, .z = 2};
	tlv_tree_distances distances;

	assert_ok(tlv_tree_random(&ctx, 30, 8, 3, &truth));
	observe_some(&truth);
	assert_above(truth.p, 30);
	distances = exact_distances(&truth, 1e-7);
	assert_ok(tlv_tree_structure(&ctx, &distances, &options, &found));
	assert_leaves(&found);
	assert_int_equal(splits_that_differ(&found, &truth), 0);
}

/* Without contraction a star of equal distances stays resolved; with it one hidden node is left. */
TEST(test_contraction)
{
	enum
	{
		P = 40
	};
	tlv_tree_distances d = no_distances(P, 1000);
	tlv_tree found;

	for (size_t a = 0; a < P; a++)
		for (size_t b = 0; b < a; b++)
		{
			d.distance[a * P + b] = d.distance[b * P + a] = 1 + 0.02 * tlv_rng_normal(&rng);
			d.error[a * P + b] = d.error[b * P + a] = 0.02;
		}
	for (int m = 0; m < 3; m += 2)
	{
		tlv_tree_options options = {.method = latent[m]};

		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		assert_int_equal(found.edges, 2 * P - 3);
		options.z = 2;
		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		assert_at_most(found.nodes, P + 6);
		options.z = 4;
		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		assert_int_equal(found.nodes, P + 1);
		for (size_t e = 0; e < found.edges; e++)
		{
			assert_close(found.length[e], 0.5, 0.05);
			assert_above(found.error[e], 0);
			assert_below(found.error[e], 0.05);
			assert_true(isnan(found.support[e]));
		}
	}
}

/* Two trees, a pair and two lone variables: five components, whatever the method. */
TEST(test_forest)
{
	tlv_tree parts[2], found;
	size_t p = 20 + 15 + 2 + 2, at = 0;
	tlv_tree_distances d = no_distances(p, 1e6);

	for (size_t i = 0; i < p * p; i++)
	{
		d.distance[i] = i % (p + 1) == 0 ? 0 : 7 + 0.1 * tlv_rng_uniform(&rng);
		d.error[i] = i % (p + 1) == 0 ? 0 : 1;
		d.independent[i] = i % (p + 1) == 0 ? 0 : 0.2;
	}
	for (int t = 0; t < 2; at += parts[t++].p)
	{
		tlv_tree_distances part;

		assert_ok(tlv_tree_random(&ctx, t == 0 ? 20 : 15, 3, 4, &parts[t]));
		part = exact_distances(&parts[t], 1e-6);
		for (size_t a = 0; a < part.p; a++)
			for (size_t b = 0; b < part.p; b++)
			{
				size_t to = (at + a) * p + at + b;

				d.distance[to] = part.distance[a * part.p + b];
				d.error[to] = part.error[a * part.p + b];
				d.independent[to] = 1e-20;
			}
	}
	d.distance[35 * p + 36] = d.distance[36 * p + 35] = 0.5;
	d.independent[35 * p + 36] = d.independent[36 * p + 35] = 1e-20;
	for (int m = 0; m < 3; m++)
	{
		tlv_tree_options options = {.method = latent[m], .z = 2, .significance = 0.05};
		tlv_tree_rooting rooting;

		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		assert_ok(tlv_tree_root(&ctx, &found, &rooting));
		assert_int_equal(rooting.components, 5);
		assert_int_equal(found.edges, found.nodes - 5);
		assert_int_equal(found.nodes - p, parts[0].nodes - 20 + parts[1].nodes - 15);
		options.significance = 0;
		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		assert_int_equal(found.edges, found.nodes - 1);
	}
}

/* The spanning tree of distances along a chain is the chain; p-values of 1 cut it. */
TEST(test_chow_liu)
{
	size_t p = 50;
	tlv_tree_distances d = no_distances(p, 100);
	tlv_tree_options options = {.method = TLV_TREE_CHOW_LIU, .z = 2, .observed_inside = true};
	tlv_tree found;

	for (size_t a = 0; a < p; a++)
		for (size_t b = 0; b < p; b++)
		{
			/* the order along the chain is that of 7 v modulo 50 */
			d.distance[a * p + b] = fabs((double) (7 * a % p) - (double) (7 * b % p));
			d.error[a * p + b] = a == b ? 0 : 0.3;
		}
	assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
	assert_int_equal(found.nodes, p);
	assert_int_equal(found.edges, p - 1);
	for (size_t e = 0; e < found.edges; e++)
	{
		assert_close(found.length[e], 1, 0);
		assert_close(found.error[e], 0.3, 1e-12);
	}
	for (size_t i = 0; i < p * p; i++)
		d.independent[i] = 1;
	options.significance = 0.05;
	assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
	assert_int_equal(found.edges, 0);
	d.p = 2;
	options.significance = 0;
	assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
	assert_int_equal(found.edges, 1);
}

/* Two trees of six variables, of which 1 and 2 have changed places. */
static const int32_t ends_a[] = {0, 6, 1, 6, 6, 7, 2, 7, 7, 8, 3, 8, 8, 9, 4, 9, 5, 9};
static const int32_t ends_b[] = {0, 6, 2, 6, 6, 7, 1, 7, 7, 8, 3, 8, 8, 9, 4, 9, 5, 9};

TEST(test_splits)
{
	static const int32_t ends_star[] = {0, 6, 1, 6, 2, 6, 3, 6, 4, 6, 5, 6};
	/* the same as a, with node 2 inside; and a forest {0,1,2} {3,4,5} */
	static const int32_t ends_inside[] = {0, 6, 1, 6, 6, 2, 2, 7, 3, 7, 7, 8, 4, 8, 5, 8};
	static const int32_t ends_forest[] = {0, 6, 1, 6, 2, 6, 3, 7, 4, 7, 5, 7};
	tlv_tree a = tree_of(6, 10, 9, ends_a), b = tree_of(6, 10, 9, ends_b);
	tlv_tree star = tree_of(6, 7, 6, ends_star), inside = tree_of(6, 9, 8, ends_inside);
	tlv_tree forest = tree_of(6, 8, 6, ends_forest), other;
	double sums[27] = {0};
	size_t different, total;

	assert_ok(tlv_tree_robinson_foulds(&ctx, &a, &b, &different, &total));
	assert_int_equal(different, 2);
	assert_int_equal(total, 6);
	assert_int_equal(splits_that_differ(&a, &a), 0);
	assert_int_equal(splits_that_differ(&a, &star), 3);
	/* 01|2345 and 45|0123 are shared, 012|345 comes from the edges 2 - 7 and 7 - 8 */
	assert_int_equal(splits_that_differ(&a, &inside), 0);
	assert_int_equal(splits_that_differ(&forest, &star), 0);
	assert_int_equal(splits_that_differ(&forest, &a), 3);
	for (int i = 0; i < 3; i++)
		assert_ok(tlv_tree_add_lengths(&ctx, &a, i == 1 ? &b : &a, sums));
	for (size_t e = 0; e < 9; e++)
		assert_close(sums[3 * e], e == 2 ? 2 : 3, 0);
	assert_ok(tlv_tree_random(&ctx, 7, 0, 1, &other));
	assert_fails(tlv_tree_robinson_foulds(&ctx, &a, &other, &different, &total), TLV_BAD_PARAMETER,
				 "of 6 and of 7 variables");
}

/* Lengths of the edges of two trees, by what these divide. */
TEST(test_lengths_of_splits)
{
	static const double apart[] = {0.5, 2.5, 0, -1.5, 0.5, 0.5, 0.5, 0.5, 0.5};
	tlv_tree a = tree_of(6, 10, 9, ends_a), b = tree_of(6, 10, 9, ends_b), other;
	double sums[27] = {0};

	for (size_t e = 0; e < 9; e++)
	{
		a.length[e] = (double) e;
		b.length[e] = (double) e + 0.5;
	}
	for (int i = 0; i < 2; i++)
		assert_ok(tlv_tree_add_lengths(&ctx, &a, &b, sums));
	for (size_t e = 0; e < 9; e++)
	{
		assert_close(sums[3 * e], e == 2 ? 0 : 2, 0);
		assert_close(sums[3 * e + 1], 2 * apart[e], 0);
		assert_close(sums[3 * e + 2], 2 * apart[e] * apart[e], 0);
	}
	assert_ok(tlv_tree_random(&ctx, 7, 0, 1, &other));
	assert_fails(tlv_tree_add_lengths(&ctx, &a, &other, sums), TLV_BAD_PARAMETER,
				 "of 6 and of 7 variables");
}

TEST(test_random)
{
	tlv_tree tree, again;

	for (size_t p = 3; p < 40; p++)
		for (size_t contractions = 0; contractions < 50; contractions += 7)
		{
			size_t taken = contractions < p - 3 ? contractions : p - 3;

			assert_ok(tlv_tree_random(&ctx, p, contractions, p, &tree));
			assert_ok(tlv_tree_random(&ctx, p, contractions, p, &again));
			assert_int_equal(tree.nodes, 2 * p - 2 - taken);
			assert_int_equal(tree.edges, tree.nodes - 1);
			assert_int_equal(splits_that_differ(&tree, &again), 0);
			assert_leaves(&tree);
		}
	assert_fails(tlv_tree_random(&ctx, 2, 0, 1, &tree), TLV_BAD_PARAMETER, "2 leaves");
}

TEST(test_refuse)
{
	tlv_tree truth, found;
	tlv_tree_distances d;
	tlv_tree_options options = {.method = TLV_TREE_CLNJ, .z = -1};

	assert_ok(tlv_tree_random(&ctx, 5, 0, 1, &truth));
	d = exact_distances(&truth, 1e-3);
	assert_fails(tlv_tree_structure(&ctx, &d, &options, &found), TLV_BAD_PARAMETER, "z is -1");
	options.z = NAN;
	assert_int_equal(tlv_tree_structure(&ctx, &d, &options, &found), TLV_BAD_PARAMETER);
	options.z = 2;
	options.significance = 1;
	assert_fails(tlv_tree_structure(&ctx, &d, &options, &found), TLV_BAD_PARAMETER,
				 "significance is 1");
	options.significance = 0;
	d.p = 2;
	assert_fails(tlv_tree_structure(&ctx, &d, &options, &found), TLV_BAD_DATA,
				 "at least 3 variables, there are 2");
	d.p = 0;
	options.method = TLV_TREE_CHOW_LIU;
	assert_int_equal(tlv_tree_structure(&ctx, &d, &options, &found), TLV_BAD_DATA);
	assert_null(found.ends);
}

/* Stopped at any point the work ends there; short of memory at any point it says so. */
TEST(test_stop)
{
	tlv_tree truth, found;
	tlv_tree_distances d;

	assert_ok(tlv_tree_random(&ctx, 60, 15, 1, &truth));
	d = exact_distances(&truth, 0.01);
	for (int m = 0; m < 3; m++)
	{
		tlv_tree_options options = {.method = latent[m], .z = 2};
		size_t used = ctx.arena.used, calls, need;

		memory.calls = memory.stop_at = 0;
		ctx.arena.peak = used;
		assert_ok(tlv_tree_structure(&ctx, &d, &options, &found));
		need = ctx.arena.peak - used;
		calls = memory.calls;
		assert_above(calls, 60);
		tlv_tree_free(&ctx, &found);
		assert_int_equal(ctx.arena.used, used); /* nothing else is left behind */
		for (size_t at = 1; at <= calls; at += 1 + calls / 50)
		{
			assert_cancelled_at(at, tlv_tree_structure(&ctx, &d, &options, &found));
			assert_null(found.ends);
		}
		for (size_t limit = 1; limit < 50; limit++)
		{
			assert_short_of_memory(need * limit / 50,
								   tlv_tree_structure(&ctx, &d, &options, &found));
			assert_null(found.ends);
		}
	}
}

RUN_TESTS(setup, teardown)
