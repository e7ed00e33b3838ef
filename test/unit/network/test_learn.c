/*
 * test_learn.c - learning layered networks from sets in memory: units and signs of random networks,
 * layers, counts against brute force, decoding, refusals, and a fault in every pass.
 */
#include "source_setup.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/network.h"
#include "tensorlv/model/triple_table.h"

/* ---- rows ---- */

static tlv_status
take_row(tlv_context *context, void *argument, size_t row, size_t n, const int64_t *active,
		 size_t n_units, const int64_t *units)
{
	tlv_row *rows = argument;
	int64_t *copy = room(n + 1, sizeof(int64_t));

	memcpy(copy, active, n * sizeof(int64_t));
	rows[row - 1] = *TLV_AS_SYMBOLS(n, copy);
	return TLV_OK;
}

/* n rows of a random network, which is returned. */
static tlv_frame
simulate(size_t n, size_t items, size_t layers, const size_t *units, double children,
		 double density, double flips)
{
	tlv_network_simulation options = {.items = items,
									  .layers = layers,
									  .units = units,
									  .children = children,
									  .density = density,
									  .negative = 0.5,
									  .seed = 3};
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_frame truth;

	truth = MADE(tlv_network_simulate_model, &options);
	assert_ok(tlv_network_simulate(&ctx, &truth, n, flips, 5, take_row, rows));
	fixture_use_rows((fixture_rows){n, rows});
	passes.told.form = TLV_ROW_SYMBOLS;
	passes.changed = (fixture_rows){n / 2, rows + n / 2};
	return truth;
}

/* ---- procedures ---- */

static tlv_network_options
usual_options(size_t layers)
{
	return (tlv_network_options){.layers = layers, .threshold = NAN, .iterations = -1, .seed = 1};
}

static tlv_frame
learn(tlv_network_options options)
{
	return procedure_model(&passes, &tlv_network_procedure, &options, false);
}

/* Units of the truth, of all layers, whose items the model has exactly. */
static int
found(tlv_frame truth, tlv_frame model)
{
	return components_found(truth, model, 0);
}

/* Edges of weight -1 of the truth that the model has, and those of the model that the truth has
 * not, of a network of one layer. */
static void
compare_signs(tlv_frame truth, tlv_frame model, int *there, int *all, int *wrong)
{
	tlv_network_parts x, y;
	tlv_match match;

	tlv_network_read(&truth, &x);
	tlv_network_read(&model, &y);
	assert_ok(tlv_model_match(&ctx, &truth, &model, &match));
	*there = *all = *wrong = 0;
	for (size_t i = 0; i < y.edges_n; i++)
		*wrong += y.edge_weights[i] < 0;
	for (size_t i = 0; i < x.edges_n; i++)
	{
		if (x.edge_weights[i] > 0)
			continue;
		++*all;
		for (size_t j = 0; j < y.edges_n; j++)
			*there += y.edge_weights[j] < 0 &&
					  y.edge_units[j] == match.component[x.edge_units[i]] &&
					  y.items[y.edge_children[j]] == x.items[x.edge_children[i]];
	}
	*wrong -= *there;
}

/* The units of every layer, the one that is on most often first. */
static void
assert_ordered(tlv_frame model)
{
	tlv_network_parts parts;
	size_t u = 0;

	tlv_network_read(&model, &parts);
	for (size_t l = 0; l < parts.layers_n; l++)
	{
		for (size_t i = 1; i < (size_t) parts.layers[l]; i++)
			assert_true(parts.weights[u + i] <= parts.weights[u + i - 1]);
		u += (size_t) parts.layers[l];
	}
}

TEST(test_one_layer)
{
	tlv_frame truth = simulate(6000, 200, 1, (size_t[]){40}, 24, 0.03, 0), model;
	int there, all, wrong;

	model = learn(usual_options(1));
	assert_ordered(model);
	compare_signs(truth, model, &there, &all, &wrong);
	printf("units of 40: %d; edges of weight -1: %d of %d, and %d that are not\n",
		   found(truth, model), there, all, wrong);
	assert_above(found(truth, model), 38);
	assert_above(there, 0.87 * all);
	assert_below(wrong, 6);
	truth = simulate(6000, 200, 1, (size_t[]){40}, 24, 0.03, 0.01);
	printf("with one in a hundred flipped: %d\n", found(truth, learn(usual_options(1))));
	assert_above(found(truth, learn(usual_options(1))), 36);
}

/* Every item is a child of six units: the valley of the counts is not between ones and others. */
TEST(test_many_units)
{
	for (int flips = 0; flips < 2; flips++)
	{
		tlv_frame truth = simulate(12000, 120, 1, (size_t[]){25}, 30, 0.05, 0.01 * flips);
		tlv_frame model = learn(usual_options(1));

		printf("units of 25 that share most items, %d in a hundred flipped: %d, and %zu in all\n",
			   flips, found(truth, model), tlv_model_components(&model));
		assert_above(found(truth, model), 20);
		assert_below((double) tlv_model_components(&model), 29);
	}
}

/* Units of three items, the fewest: two sets on in a row. */
TEST(test_threes)
{
	static const size_t sets[] = {30, 80};
	size_t n = 2000;
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_rng rng;

	for (int t = 0; t < 2; t++)
	{
		tlv_frame model;

		tlv_rng_seed(&rng, 7);
		for (size_t i = 0; i < n; i++)
		{
			int64_t *set = room(6, sizeof(int64_t));
			size_t a = (size_t) (tlv_rng_uniform(&rng) * (double) sets[t]);
			size_t b =
				(a + 1 + (size_t) (tlv_rng_uniform(&rng) * (double) (sets[t] - 1))) % sets[t];

			for (size_t v = 0; v < 6; v++)
				set[v] = (int64_t) (3 * ((v < 3) == (a < b) ? a : b) + v % 3);
			rows[i] = *TLV_AS_SYMBOLS(6, set);
		}
		fixture_use_rows((fixture_rows){n, rows});
		passes.told.form = TLV_ROW_SYMBOLS;
		model = learn(usual_options(1));
		printf("units of three of %zu: %zu\n", sets[t], tlv_model_components(&model));
		assert_above((double) tlv_model_components(&model), 0.88 * (double) sets[t]);
		assert_below((double) tlv_model_components(&model), (double) sets[t] + 1);
	}
}

/* Twelve sets of six items; sets come alone, and four at a time, which are three units above. */
TEST(test_two_layers)
{
	size_t n = 2000;
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_frame model;
	tlv_network_parts parts;
	tlv_rng rng;
	int32_t *items;
	size_t n_items;

	tlv_rng_seed(&rng, 4);
	for (size_t i = 0; i < n; i++)
	{
		int64_t *set = room(72, sizeof(int64_t));
		bool above[3];
		size_t m = 0;

		for (int t = 0; t < 3; t++)
			above[t] = tlv_rng_uniform(&rng) < 0.1;
		for (int u = 0; u < 12; u++)
			if (tlv_rng_uniform(&rng) < 0.15 || above[u / 4])
				for (int64_t v = 0; v < 6; v++)
					set[m++] = 6 * u + v;
		rows[i] = *TLV_AS_SYMBOLS(m, set);
	}
	fixture_use_rows((fixture_rows){n, rows});
	passes.told.form = TLV_ROW_SYMBOLS;
	model = learn(usual_options(2));
	assert_ordered(model);
	tlv_network_read(&model, &parts);
	assert_int_equal(parts.layers_n, 2);
	assert_true(parts.layers[0] == 12 && parts.layers[1] == 3);
	assert_int_equal(parts.edges_n, 72 + 12);
	/* a unit above has four sets on, and so all their items */
	assert_ok(tlv_network_decode(&ctx, &model, 1, (int64_t[]){12}, &n_items, &items));
	assert_int_equal(n_items, 24);
	assert_int_equal(tlv_network_decode(&ctx, &model, 2, (int64_t[]){0, 12}, &n_items, &items),
					 TLV_BAD_PARAMETER);
	assert_int_equal(tlv_network_decode(&ctx, &model, 1, (int64_t[]){15}, &n_items, &items),
					 TLV_BAD_PARAMETER);
}

/* ---- counts ---- */

static tlv_frame
build_value(tlv_accumulator *accumulator)
{
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_COFIRE);
	assert_ok(accumulator->class->build(&ctx, accumulator, &builder));
	return MADE(tlv_frame_finish, &builder);
}

TEST(test_counts)
{
	static const int64_t sets[][4] = {{7, -3, 7, 5}, {5, 7, 5, 5}, {9, 9, 9, 9}, {-3, 5, 7, 9}};
	static const struct
	{
		int x, y, z;
		double count;
	} expected[] = {{0, 0, 0, 2}, {0, 1, 1, 2}, {0, 1, 2, 2}, {0, 1, 3, 1}, {0, 2, 2, 2},
					{0, 2, 3, 1}, {0, 3, 3, 1}, {1, 1, 1, 3}, {1, 2, 2, 3}, {1, 2, 3, 1},
					{1, 3, 3, 1}, {2, 2, 2, 3}, {2, 3, 3, 1}, {3, 3, 3, 2}};
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_cofire};
	tlv_accumulator *a;
	tlv_frame frame, half;
	bool done;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &a));
	for (int i = 0; i < 4; i++)
		assert_ok(tlv_add(&ctx, a, TLV_AS_SYMBOLS(4, sets[i])));
	assert_ok(tlv_add(&ctx, a, TLV_AS_SYMBOLS(0, sets[0])));
	frame = build_value(a);
	assert_int_equal(tlv_frame_find(&frame, "cells")->rows, 14);
	for (size_t i = 0; i < 14; i++)
	{
		assert_int_equal(
			tlv_frame_int64(&frame, "cells")[i],
			tlv_triple_key((size_t) expected[i].x, (size_t) expected[i].y, (size_t) expected[i].z));
		assert_true(tlv_frame_float64(&frame, "counts")[i] == expected[i].count);
	}
	/* twice is twice, and what is taken away again is gone */
	assert_ok(a->class->merge(&ctx, a, &frame));
	half = build_value(a);
	assert_true(tlv_frame_scalar(&half, "rows", 0) == 10);
	assert_true(tlv_frame_float64(&half, "counts")[13] == 4);
	assert_ok(tlv_accumulator_subtract(&ctx, a, &frame, true, &done));
	assert_true(done);
	half = build_value(a);
	assert_true(tlv_digest_equal(&half.header->digest, &frame.header->digest));
}

/* Many items, of which most threes occur: an array, and from 465 items on a table again. */
TEST(test_array)
{
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_cofire};
	int64_t set[501];
	tlv_accumulator *a, *b;
	tlv_frame x, y;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &a));
	assert_ok(tlv_statistic_create(&ctx, &statistic, &b));
	for (int64_t i = 0; i < 501; i++)
		set[i] = i;
	for (int i = 0; i < 3; i++)
		assert_ok(tlv_add(&ctx, a, TLV_AS_SYMBOLS(40, set + 10 * i)));
	for (int i = 2; i >= 0; i--)
		assert_ok(tlv_add(&ctx, b, TLV_AS_SYMBOLS(40, set + 10 * i)));
	for (int i = 0; i < 440; i += 3)
	{
		assert_ok(tlv_add(&ctx, a, TLV_AS_SYMBOLS(3, set + 60 + i)));
		assert_ok(tlv_add(&ctx, b, TLV_AS_SYMBOLS(3, set + 60 + (438 - i))));
	}
	x = build_value(a);
	y = build_value(b);
	assert_true(tlv_digest_equal(&x.header->digest, &y.header->digest));
	assert_ok(a->class->merge(&ctx, a, &y));
	assert_true(tlv_frame_scalar(&x, "rows", 0) == 150);
}

/* ---- what cannot be learnt from ---- */

static void
expect_refusal(tlv_network_options options, tlv_status status, const char *message)
{
	assert_int_equal(tlv_network_procedure.check(&ctx, &options), status);
	assert_string_equal(ctx.error.message, message);
}

TEST(test_refusals)
{
	static int64_t long_set[TLV_NETWORK_MOST_ON + 1];
	const tlv_statistic statistic = {.aggregate = &tlv_aggregate_cofire};
	tlv_network_options options = usual_options(0);
	tlv_accumulator *a;

	expect_refusal(options, TLV_BAD_PARAMETER, "layers = 0 is not between 1 and 10");
	options = usual_options(1);
	options.threshold = 2;
	expect_refusal(options, TLV_BAD_PARAMETER, "threshold = 2 is not above 0 and at most 1");
	options = usual_options(1);
	options.refine = "gibbs";
	expect_refusal(options, TLV_BAD_PARAMETER, "there is no refinement \"gibbs\"");
	for (int64_t i = 0; i <= TLV_NETWORK_MOST_ON; i++)
		long_set[i] = i;
	assert_ok(tlv_statistic_create(&ctx, &statistic, &a));
	assert_int_equal(tlv_add(&ctx, a, TLV_AS_SYMBOLS(TLV_NETWORK_MOST_ON + 1, long_set)),
					 TLV_LIMIT);
}

/* Independent items: one unit, and a warning. */
TEST(test_no_structure)
{
	size_t n = 500;
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_warning warning;
	tlv_frame model;
	tlv_rng rng;

	tlv_rng_seed(&rng, 4);
	for (size_t i = 0; i < n; i++)
	{
		int64_t *set = room(20, sizeof(int64_t));
		size_t m = 0;

		for (int64_t v = 0; v < 20; v++)
			if (tlv_rng_uniform(&rng) < 0.2)
				set[m++] = v;
		rows[i] = *TLV_AS_SYMBOLS(m, set);
	}
	fixture_use_rows((fixture_rows){n, rows});
	passes.told.form = TLV_ROW_SYMBOLS;
	model = learn(usual_options(2));
	assert_int_equal(tlv_model_components(&model), 1);
	assert_true(model_warns(&model, "no_structure", &warning));
	assert_true(model_warns(&model, "fewer_components", &warning));
}

TEST(test_faults)
{
	tlv_network_options options = usual_options(1);

	simulate(600, 60, 1, (size_t[]){8}, 12, 0.08, 0);
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_network_procedure, &options, false),
					 3);
}

RUN_TESTS(setup, teardown)
