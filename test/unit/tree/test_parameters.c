/*
 * test_parameters.c - parameters of latent trees of categories by triplet
 * decompositions and linear solves: held-out likelihood beside the truth's, one pass and two,
 * weak triples, choice of states, regularisation, refusals.
 */
#include "tree_fixture.h"

#define HELD_OUT 5000

/* Parameters on a structure from rows, in one pass or two, then steps of EM. */
static tlv_frame
learned(const tlv_tree *tree, size_t p, size_t n, const int32_t *rows, size_t k, int steps)
{
	tlv_frame moments = category_moments(p, n, rows);
	tlv_frame model = fitted_tree(moments, tree, (tlv_tree_fit_options){.states = k});
	tlv_tree_parts parts;

	tlv_tree_read(&model, &parts);
	if (parts.tables == NULL)
		model = updated(model, statistics_of(model, p, n, rows));
	for (int i = 0; i < steps; i++)
		model = updated(model, statistics_of(model, p, n, rows));
	return model;
}

/* Loss of held-out log-likelihood per row against the truth, of the start and after EM. */
static void
check_accuracy(size_t p, size_t n, size_t k, size_t d, uint64_t seed, double start, double refined)
{
	tlv_tree tree = random_tree_of(p, seed);
	tlv_frame truth = simulated(&tree, false, k, d, seed), model;
	int32_t *rows = drawn_codes(truth, n + HELD_OUT, 0), *held = rows + n * p;
	double best = mean_log_likelihood(truth, p, HELD_OUT, held), loss;

	model = learned(&tree, p, n, rows, k, 0);
	loss = best - mean_log_likelihood(model, p, HELD_OUT, held);
	assert_below(loss, start);
	for (int i = 0; i < 10; i++)
		model = updated(model, statistics_of(model, p, n, rows));
	loss = best - mean_log_likelihood(model, p, HELD_OUT, held);
	assert_below(loss, refined);
}

/* Bounds about 1.3 times what was measured; EM's loss is near the least, parameters / (2 rows). */
TEST(test_accuracy)
{
	check_accuracy(20, 10000, 3, 3, 1, 0.020, 0.012);
	check_accuracy(20, 10000, 3, 3, 2, 0.024, 0.014);
	check_accuracy(20, 10000, 3, 6, 1, 0.028, 0.019);
	check_accuracy(50, 10000, 2, 2, 1, 0.022, 0.012);
}

/* With missing values the tables of triples and pairs are of fewer rows, but no worse than that. */
TEST(test_missing)
{
	tlv_tree tree = random_tree_of(12, 4);
	tlv_frame truth = simulated(&tree, false, 2, 3, 4), model;
	int32_t *rows = drawn_codes(truth, 8000, 0.2), *held = drawn_codes(truth, HELD_OUT, 0);

	model = learned(&tree, 12, 8000, rows, 2, 3);
	assert_below(mean_log_likelihood(truth, 12, HELD_OUT, held) -
					 mean_log_likelihood(model, 12, HELD_OUT, held),
				 0.015);
}

/* Expected counts of a value that may come from anywhere, whose sums overflow. */
TEST(test_forged_counts)
{
	tlv_tree tree = random_tree_of(6, 1);
	tlv_frame truth = simulated(&tree, false, 2, 3, 1), model, statistics;
	int32_t *rows = drawn_codes(truth, 500, 0);
	const tlv_section *counts;

	model = learned(&tree, 6, 500, rows, 2, 0);
	statistics = statistics_of(model, 6, 500, rows);
	counts = tlv_frame_find(&statistics, "counts");
	for (size_t i = 0; i < counts->rows; i++)
		((double *) (uintptr_t) tlv_section_data(&statistics, counts))[i] = 1e308;
	assert_ok(tlv_kind_check(&ctx, &tlv_kind_tree_statistics, &statistics));
	(void) updated(model, statistics);
}

/* Tables of triples taken from the moments, or from a second pass over the rows: one model. */
TEST(test_two_passes)
{
	tlv_tree tree = random_tree_of(10, 1);
	tlv_frame truth = simulated(&tree, false, 2, 3, 1), kept, dropped, once, plan, twice, parts[2];
	int32_t *rows = drawn_codes(truth, 3000, 0.1);
	static const char *const triples[] = {"triples", "triples_kept", NULL};
	tlv_accumulator *accumulator;
	tlv_tree_parts a, b;
	void *image;
	size_t size;

	kept = category_moments(10, 3000, rows);
	assert_non_null(tlv_frame_find(&kept, "triples"));
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_CATEGORY_MOMENTS);
	builder.owned = NULL;
	tlv_frame_add_from(&builder, &kept, triples);
	tlv_frame_add_scalar(&builder, "triples_kept", 0);
	dropped = MADE(tlv_frame_finish, &builder);
	once = fitted_tree(kept, &tree, (tlv_tree_fit_options){.states = 2});
	plan = fitted_tree(dropped, &tree, (tlv_tree_fit_options){.states = 2});
	assert_null(tlv_frame_find(&plan, "tables"));
	parts[0] = statistics_of(plan, 10, 1000, rows);
	parts[1] = statistics_of(plan, 10, 2000, rows + 10000);
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_tree_triples.accumulator, &accumulator));
	for (int i = 0; i < 2; i++)
		assert_ok(accumulator->class->merge(&ctx, accumulator, &parts[i]));
	twice = updated(plan, stored(accumulator));
	tlv_tree_read(&once, &a);
	tlv_tree_read(&twice, &b);
	assert_int_equal(a.entries, b.entries);
	assert_all_close(a.entries, a.tables, b.tables, 1e-9);
	/* What does not fit the plan. */
	assert_true(refused_with(plan, "pairs", 0, -1));
	assert_true(refused_with(plan, "triples", 0, 5e-324 * 10));
	assert_true(refused_with(parts[0], "tables", 0, -1));
	assert_int_equal(
		tlv_kind_tree.model->update(&ctx, &once, &parts[0], &tlv_whole_step, &image, &size),
		TLV_BAD_PARAMETER);
}

/* No hidden nodes: the tables are shares of the pairs. */
TEST(test_observed_only)
{
	static const int32_t ends[] = {0, 1, 1, 2};
	int32_t rows[] = {0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 1, 1, -1, 0};
	tlv_tree tree = tree_of(3, 3, 2, ends);
	tlv_frame model = fitted_tree(category_moments(3, 6, rows), &tree, (tlv_tree_fit_options){0});
	size_t offset[4], child;
	tlv_tree_parts parts;

	tlv_tree_read(&model, &parts);
	assert_non_null(parts.tables);
	tlv_tree_table_offsets(&parts, offset);
	child = parts.parent[0] == 1 ? 0 : 1;
	/* Variables 0 and 1: 2 rows (0, 1), 1 (1, 0), 1 (1, 1), 1 (0, 0). */
	assert_close(parts.tables[offset[child] + 1], child == 0 ? 1.1 / 2.2 : 2.1 / 3.2, 1e-9);
}

/* Hidden nodes get as many states as their variables show. */
TEST(test_states)
{
	tlv_tree tree = random_tree_of(12, 3);
	tlv_frame truth = simulated(&tree, false, 3, 5, 2), model;
	int32_t *rows = drawn_codes(truth, 20000, 0);
	tlv_frame moments = category_moments(12, 20000, rows);
	tlv_tree_fit_options options = {.states = 5, .seed = 1};
	tlv_tree_parts parts;
	void *image;
	size_t size;

	model = fitted_tree(moments, &tree, (tlv_tree_fit_options){.states = 0});
	tlv_tree_read(&model, &parts);
	for (size_t v = 12; v < parts.nodes; v++)
		assert_int_equal(parts.states[v], 3);
	for (; options.states < 7; options.states++) /* 6: more than any variable has */
	{
		model = fitted_tree(moments, &tree, options);
		tlv_tree_read(&model, &parts);
		for (size_t v = 12; v < parts.nodes; v++)
			assert_int_equal(parts.states[v], 3);
		assert_true(model_warns(&model, "fewer_components", NULL));
	}
	options.states = 1;
	assert_int_equal(tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	options.states = 101;
	assert_int_equal(tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size),
					 TLV_BAD_PARAMETER);
	tree = random_tree_of(11, 3);
	options.states = 2;
	assert_int_equal(tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size), TLV_BAD_DATA);
}

/* Hidden nodes that are one in truth are merged; those that are not, stay. */
TEST(test_regularise)
{
	static const int32_t star[] = {0, 6, 1, 6, 2, 6, 3, 6, 4, 6, 5, 6};
	static const int32_t split[] = {0, 6, 1, 6, 2, 6, 3, 7, 4, 7, 5, 7, 6, 7};
	tlv_tree one = tree_of(6, 7, 6, star), two = tree_of(6, 8, 7, split);
	tlv_frame truth = simulated(&one, false, 2, 2, 1), model;
	int32_t *rows = drawn_codes(truth, 5000, 0);
	tlv_tree_fit_options options = {.states = 2, .regularise = true};
	tlv_tree_parts parts;

	model = fitted_tree(category_moments(6, 5000, rows), &two, options);
	tlv_tree_read(&model, &parts);
	assert_int_equal(parts.nodes, 7);
	assert_equal(diagnostic(model, "merged_nodes"), 1);
	assert_below(mean_log_likelihood(truth, 6, 5000, rows) -
					 mean_log_likelihood(model, 6, 5000, rows),
				 0.01);
	truth = simulated(&two, false, 2, 2, 1);
	rows = drawn_codes(truth, 5000, 0);
	model = fitted_tree(category_moments(6, 5000, rows), &two, options);
	tlv_tree_read(&model, &parts);
	assert_int_equal(parts.nodes, 8);
}

/* A forest with a constant variable, one never seen, and a hidden node without a triple. */
TEST(test_weak)
{
	static const int32_t ends[] = {0, 7, 1, 7, 2, 7, 3, 8, 4, 8};
	tlv_tree tree = tree_of(7, 9, 5, ends), full;
	static const int32_t joined[] = {0, 7, 1, 7, 2, 7, 3, 8, 4, 8, 7, 8};
	tlv_frame model;
	int32_t *rows;

	full = tree_of(7, 9, 6, joined);
	rows = drawn_codes(simulated(&full, false, 2, 2, 1), 3000, 0);
	for (size_t i = 0; i < 3000; i++)
	{
		rows[7 * i + 5] = 0;
		rows[7 * i + 6] = -1;
	}
	model =
		fitted_tree(category_moments(7, 3000, rows), &tree, (tlv_tree_fit_options){.states = 2});
	assert_true(model_warns(&model, "not_identified", NULL));
	for (int i = 0; i < 5; i++)
		model = updated(model, statistics_of(model, 7, 3000, rows));
	assert_below(mean_log_likelihood(model, 7, 3000, rows), 0);
	/* More states than the rows show at some node: a start that EM can go on from. */
	assert_true(isfinite(mean_log_likelihood(model, 7, 10, rows)));
}

/* The work ends at once when it is asked to. */
TEST(test_stop)
{
	tlv_tree tree = random_tree_of(12, 3);
	tlv_frame truth = simulated(&tree, false, 2, 3, 2);
	tlv_frame moments = category_moments(12, 500, drawn_codes(truth, 500, 0));
	tlv_tree_fit_options options = {.states = 2};
	void *image;
	size_t size;

	for (size_t look = 1; look < 60; look += 7)
		assert_cancelled_at(look, tlv_tree_fit(&ctx, &moments, &tree, &options, &image, &size));
}

RUN_TESTS(setup, teardown)
