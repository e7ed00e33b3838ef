/*
 * test_model.c - latent trees of categories as models: belief propagation against
 * enumeration, EM, merging of statistics, the stored form.
 */
#include "tree_fixture.h"
#include "infer.h"
#include "tensorlv/model/dimension_names.h"

/* Hidden 6 (of 0, 1, and 7), hidden 7 (of 2 and the observed inner node 3, behind which 4 is);
 * 5 stands alone. */
static const int32_t small_ends[] = {0, 6, 1, 6, 6, 7, 2, 7, 3, 7, 4, 3};
#define SMALL_P		6
#define SMALL_NODES 8

static tlv_frame
small_model(size_t k, size_t d)
{
	tlv_tree tree = tree_of(SMALL_P, SMALL_NODES, 6, small_ends);

	return simulated(&tree, false, k, d, 3);
}

/* P(all nodes) under a model. */
static double
joint_probability(const tlv_tree_parts *parts, const size_t *offset, const int32_t *x)
{
	double product = 1;

	for (size_t v = 0; v < parts->nodes; v++)
		product *= parts->tables[offset[v] + (size_t) x[v] +
								 (parts->parent[v] < 0
									  ? 0
									  : (size_t) x[parts->parent[v]] * (size_t) parts->states[v])];
	return product;
}

/* The likelihood of a row and the posteriors of all nodes (nodes x 8) by going through all. */
static double
enumerate(tlv_frame model, const int32_t *row, double *posterior)
{
	tlv_tree_parts parts;
	size_t offset[SMALL_NODES + 1];
	int32_t x[SMALL_NODES] = {0};
	double sum = 0;

	tlv_tree_read(&model, &parts);
	tlv_tree_table_offsets(&parts, offset);
	memset(posterior, 0, SMALL_NODES * 8 * sizeof(double));
	for (;;)
	{
		bool fits = true;
		size_t v = 0;

		for (size_t o = 0; o < SMALL_P; o++)
			fits = fits && (row[o] < 0 || row[o] == x[o]);
		if (fits)
		{
			double p = joint_probability(&parts, offset, x);

			sum += p;
			for (size_t o = 0; o < SMALL_NODES; o++)
				posterior[o * 8 + (size_t) x[o]] += p;
		}
		while (v < SMALL_NODES && ++x[v] == parts.states[v])
			x[v++] = 0;
		if (v == SMALL_NODES)
			break;
	}
	for (size_t e = 0; e < SMALL_NODES * 8; e++)
		posterior[e] /= sum;
	return sum;
}

static void
check_rows(size_t k, size_t d, size_t n)
{
	tlv_frame frame = small_model(k, d);
	tlv_model *model = open_model(frame);
	int32_t *rows = drawn_codes(frame, n, 0.3);
	double exact[SMALL_NODES * 8], value;
	tlv_posterior posterior = {0};

	for (int32_t v = 0; v < SMALL_P; v++)
		rows[v] = -1; /* one row without anything */
	for (size_t i = 0; i < n; i++)
	{
		const int32_t *row = rows + i * SMALL_P;
		double likelihood = enumerate(frame, row, exact);
		size_t at = 0;

		assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(SMALL_P, row), &value));
		assert_close(value, log(likelihood), 1e-12);
		assert_ok(tlv_model_infer(&ctx, model, TLV_AS_CODES(SMALL_P, row), &posterior));
		for (size_t e = 0; e < SMALL_NODES + SMALL_P; e++)
		{
			size_t v = e < SMALL_NODES ? e : e - SMALL_NODES;
			size_t states = v < SMALL_P ? d : k;

			if ((e < SMALL_P) || (v < SMALL_P && row[v] >= 0))
				continue;
			for (size_t y = 0; y < states; y++)
				assert_close(posterior.values[at++], exact[v * 8 + y], 1e-12);
		}
		assert_int_equal(at, posterior.total);
	}
}

TEST(test_enumeration)
{
	check_rows(2, 2, 40);
	check_rows(3, 4, 10);
}

/* Tables so large that they go through BLAS agree with small ones: a state split into equal ones.
 */
TEST(test_large_tables)
{
	static const int32_t ends[] = {0, 3, 1, 3, 2, 4, 3, 4};
	tlv_tree tree = tree_of(3, 5, 4, ends);
	tlv_frame frame = simulated(&tree, false, 9, 12, 1);
	int32_t *rows = drawn_codes(frame, 70, 0.2);
	tlv_frame statistics = statistics_of(frame, 3, 70, rows);
	tlv_model *model = open_model(frame);
	double sum = 0, value;
	size_t offset[6];
	tlv_tree_parts parts;

	for (size_t i = 0; i < 70; i++)
	{
		assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(3, rows + 3 * i), &value));
		sum += value;
	}
	assert_close(sum, tlv_frame_scalar(&statistics, "log_likelihood", 0), 1e-9);
	/* Expected pairs of the hidden nodes: as many as rows. */
	tlv_tree_read(&frame, &parts);
	tlv_tree_table_offsets(&parts, offset);
	for (size_t v = 3; v < 5; v++)
	{
		double total = 0;

		for (size_t e = offset[v]; e < offset[v + 1]; e++)
			total += tlv_frame_float64(&statistics, "counts")[e];
		assert_close(total, 70, 1e-9);
	}
}

/* Expected counts of an edge are the sums of the rows' posteriors. */
TEST(test_counts)
{
	tlv_frame frame = small_model(2, 3);
	int32_t *rows = drawn_codes(frame, 100, 0.3);
	tlv_frame statistics = statistics_of(frame, SMALL_P, 100, rows);
	const double *counts = tlv_frame_float64(&statistics, "counts");
	double exact[SMALL_NODES * 8], expected[6] = {0}, root[8] = {0};
	tlv_tree_parts parts;
	size_t offset[SMALL_NODES + 1], parent;

	tlv_tree_read(&frame, &parts);
	tlv_tree_table_offsets(&parts, offset);
	parent = (size_t) parts.parent[0];
	for (size_t i = 0; i < 100; i++)
	{
		enumerate(frame, rows + i * SMALL_P, exact);
		for (size_t v = 0; v < SMALL_NODES; v++)
			if (parts.parent[v] < 0 && v >= SMALL_P)
				for (size_t y = 0; y < 2; y++)
					root[y] += exact[v * 8 + y];
		if (rows[i * SMALL_P] >= 0)
			for (size_t x = 0; x < 2; x++)
				expected[x * 3 + (size_t) rows[i * SMALL_P]] += exact[parent * 8 + x];
	}
	for (size_t e = 0; e < 6; e++)
		assert_close(counts[offset[0] + e], expected[e], 1e-10);
	for (size_t v = SMALL_P; v < SMALL_NODES; v++)
		if (parts.parent[v] < 0)
			for (size_t y = 0; y < 2; y++)
				assert_close(counts[offset[v] + y], root[y], 1e-10);
}

/* A star of many leaves: no underflow, and the same as a naive mixture in logarithms. */
TEST(test_large_star)
{
	enum
	{
		leaves = 1500
	};
	int32_t *ends = room(2 * leaves, sizeof(int32_t)), *rows;
	tlv_tree_parts parts;
	size_t *offset = room(leaves + 2, sizeof(size_t));
	tlv_model *model;
	tlv_frame frame;
	tlv_tree tree;

	for (int32_t v = 0; v < leaves; v++)
	{
		ends[2 * v] = v;
		ends[2 * v + 1] = leaves;
	}
	tree = tree_of(leaves, leaves + 1, leaves, ends);
	frame = simulated(&tree, false, 2, 5, 1);
	rows = drawn_codes(frame, 5, 0);
	model = open_model(frame);
	tlv_tree_read(&frame, &parts);
	tlv_tree_table_offsets(&parts, offset);
	for (size_t i = 0; i < 5; i++)
	{
		double each[2], exact, value;

		for (size_t x = 0; x < 2; x++)
		{
			each[x] = log(parts.tables[offset[leaves] + x]);
			for (size_t v = 0; v < leaves; v++)
				each[x] += log(parts.tables[offset[v] + x * 5 + (size_t) rows[i * leaves + v]]);
		}
		exact = fmax(each[0], each[1]) + log1p(exp(-fabs(each[0] - each[1])));
		assert_ok(
			tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(leaves, rows + i * leaves), &value));
		assert_close(value, exact, 1e-8);
	}
}

TEST(test_em)
{
	tlv_tree tree = random_tree_of(10, 2);
	tlv_frame truth = simulated(&tree, false, 3, 3, 5), start = simulated(&tree, false, 3, 3, 6);
	int32_t *rows = drawn_codes(truth, 2000, 0.1);
	double before = -HUGE_VAL;

	for (int step = 0; step < 15; step++)
	{
		tlv_frame statistics = statistics_of(start, 10, 2000, rows);
		double now = tlv_frame_scalar(&statistics, "log_likelihood", 0);

		assert_above(now, before - 1e-3);
		before = now;
		start = updated(start, statistics);
	}
	assert_equal(diagnostic(start, "refinement_steps"), 15);
	/* Not far below the truth, and above it on these rows or near it: another optimum may be met.
	 */
	assert_above(before / 2000, mean_log_likelihood(truth, 10, 2000, rows) - 0.5);
}

TEST(test_merge)
{
	tlv_frame frame = small_model(2, 3);
	int32_t *rows = drawn_codes(frame, 333, 0.2);
	tlv_frame whole = statistics_of(frame, SMALL_P, 333, rows);
	tlv_frame first = statistics_of(frame, SMALL_P, 100, rows);
	tlv_frame second = statistics_of(frame, SMALL_P, 233, rows + 100 * SMALL_P);
	tlv_frame other = statistics_of(small_model(3, 3), SMALL_P, 100, rows), both;
	tlv_accumulator *accumulator;

	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_tree_statistics.accumulator, &accumulator));
	assert_ok(accumulator->class->merge(&ctx, accumulator, &first));
	assert_ok(accumulator->class->merge(&ctx, accumulator, &second));
	assert_int_equal(accumulator->class->merge(&ctx, accumulator, &other), TLV_BAD_PARAMETER);
	both = stored(accumulator);
	assert_at_most(section_difference(both, whole, "counts"), 1e-9);
	assert_close(tlv_frame_scalar(&both, "log_likelihood", 0),
				 tlv_frame_scalar(&whole, "log_likelihood", 0), 1e-8);
	assert_equal(tlv_frame_scalar(&both, "rows", 0), 333);
}

TEST(test_refusals)
{
	tlv_frame frame = small_model(2, 3);
	tlv_model *model = open_model(frame);
	int32_t row[SMALL_P] = {0, 1, 2, 0, 1, 3};
	double value, x[SMALL_P] = {0};
	tlv_accumulator *accumulator;
	void *image;
	size_t size;

	assert_fails(tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(SMALL_P, row), &value),
				 TLV_BAD_DATA, "value 3 of variable 6");
	row[5] = -2;
	assert_int_equal(tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(SMALL_P, row), &value),
					 TLV_BAD_DATA);
	assert_int_equal(tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(5, row), &value),
					 TLV_BAD_DATA);
	assert_int_equal(tlv_model_log_likelihood(&ctx, model, TLV_AS_VECTOR(SMALL_P, x), &value),
					 TLV_BAD_PARAMETER);
	assert_ok(model->class->statistics(&ctx, model, "em", &accumulator));
	frame = stored(accumulator);
	assert_int_equal(
		model->class->update(&ctx, &model->frame, &frame, &tlv_whole_step, &image, &size),
		TLV_NO_ROWS);
}

TEST(test_frames)
{
	tlv_frame frame = small_model(2, 3);
	tlv_frame statistics = statistics_of(frame, SMALL_P, 50, drawn_codes(frame, 50, 0));

	assert_true(refused_with(frame, "tables", 0, 0.9));
	assert_true(refused_with(frame, "tables", 0, -0.1));
	assert_true(refused_with(frame, "observed", 0, 100));
	assert_true(refused_with(frame, "observed", 0, 0));
	assert_true(refused_with(frame, "gaussian", 0, 1));
	assert_true(refused_with(frame, "length", 0, -1));
	assert_true(refused_with(frame, "support", 0, -2));
	/* Integers: the bits of these doubles. */
	assert_true(refused_with(frame, "parent", 0, 1.0));
	assert_true(refused_with(frame, "states", 2, 0.0));
	assert_true(refused_with(frame, "states", 2, 5e-324 * 2)); /* 2: another shape */
	assert_true(refused_with(frame, "parent", 6, 5e-324 * 6)); /* its own parent */
	assert_true(refused_with(statistics, "counts", 3, -1));
	assert_true(refused_with(statistics, "rows", 0, 0.5));
}

/* Every single byte of the payload, changed: refused or still usable, never a crash. */
TEST(test_bytes)
{
	tlv_frame frame = small_model(2, 2);
	size_t size = frame.header->size;
	int32_t row[SMALL_P] = {0, 1, -1, 0, 1, 1};
	char *image = room(size, 1);

	for (size_t at = sizeof(tlv_frame_header); at < size; at += 3)
	{
		tlv_frame_builder *again = room(1, sizeof(tlv_frame_builder));
		tlv_frame copy;
		tlv_model *model;
		double value;
		void *written;
		size_t bytes;

		memcpy(image, frame.header, size);
		image[at] ^= (char) (1 << at % 8);
		if (tlv_frame_open(&ctx, image, size, &copy) != TLV_OK)
			continue;
		tlv_frame_begin(again, TLV_FRAME_MODEL, TLV_KIND_TREE);
		again->owned = NULL;
		tlv_frame_add_from(again, &copy, NULL);
		if (tlv_frame_finish(&ctx, again, &written, &bytes) != TLV_OK ||
			tlv_kind_validate(&ctx, written, bytes, TLV_FRAME_MODEL, &copy) != TLV_OK)
			continue;
		if (copy.kind->model->open(&ctx, &copy, &model) == TLV_OK &&
			tlv_model_log_likelihood(&ctx, model, TLV_AS_CODES(SMALL_P, row), &value) == TLV_OK)
		{
			assert_true(isfinite(value));
			assert_below(value, 1e-9);
		}
	}
}

/* 6 variables of 2 states, "no" and "yes". */
static const int64_t category_ends[13] = {0, 2, 5, 7, 10, 12, 15, 17, 20, 22, 25, 27, 30};
static tlv_diagnostics no_diagnostics;

static tlv_tree_parts
named_parts(tlv_frame frame)
{
	tlv_tree_parts parts;

	tlv_tree_read(&frame, &parts);
	parts.category_offsets = category_ends;
	parts.category_ends = 13;
	parts.category_names = "noyesnoyesnoyesnoyesnoyesnoyes";
	parts.category_bytes = 30;
	parts.diagnostics = &no_diagnostics;
	return parts;
}

/* Names of the categories: they pass through writing, steps and checks, and must be of all. */
TEST(test_category_names)
{
	static const char *const wrong[] = {"category_offsets", "category_names"};
	tlv_tree_parts parts = named_parts(small_model(2, 2));
	tlv_frame named = MADE(tlv_tree_write, &parts);
	tlv_code_names names;
	void *image;
	size_t size;

	named = updated(named, statistics_of(named, SMALL_P, 50, drawn_codes(named, 50, 0)));
	tlv_kind_tree.model->code_names(&named, &names);
	assert_int_equal(names.variables, SMALL_P);
	assert_int_equal(tlv_code_called(&names, 5, 10, (tlv_text){"yes", 3}), 1);
	assert_int_equal(tlv_code_called(&names, 5, 10, (tlv_text){"ye", 2}), -1);
	for (size_t i = 0; i < 2; i++)
		assert_true(refused_with(named, wrong[i], 3, 0));
	assert_true(refused_with(named, "states", 2, 5e-324)); /* 1: other categories */
	parts.category_ends = 12;
	assert_ok(tlv_tree_write(&ctx, &parts, &image, &size));
	assert_int_not_equal(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &named), TLV_OK);
}

/* Variables that are numbers, by their ranges: numbers have codes, and what is missing is the mean
 * of the ranges.  Ranges pass through steps, ascend, and are of all categories. */
TEST(test_ranges)
{
	/* of the variables the second and the last are numbers */
	static const int64_t ranged[6] = {0, 1, 0, 0, 0, 1};
	static const double lower[12] = {0, 0, -5, 10, 0, 0, 0, 0, 0, 0, 1, 2};
	static const double centres[12] = {0, 0, 3, 20, 0, 0, 0, 0, 0, 0, 1.5, 4};
	static const int32_t row[6] = {1, -1, 0, 0, 1, 1};
	tlv_posterior filled = {0}, posterior = {0};
	tlv_tree_parts parts = named_parts(small_model(2, 2));
	tlv_frame frame;
	tlv_code_names names;
	const double *of_missing;
	void *image;
	size_t size;

	parts.ranges = (tlv_code_ranges){ranged, lower, centres};
	parts.variables = SMALL_P;
	parts.range_ends = 12;
	frame = MADE(tlv_tree_write, &parts);
	frame = updated(frame, statistics_of(frame, SMALL_P, 50, drawn_codes(frame, 50, 0)));
	tlv_kind_tree.model->code_names(&frame, &names);
	assert_false(tlv_code_is_ranged(&names, 0));
	assert_true(tlv_code_is_ranged(&names, 1));
	assert_int_equal(tlv_code_of_number(&names, 1, 2, -100), 0);
	assert_int_equal(tlv_code_of_number(&names, 1, 2, 9.99), 0);
	assert_int_equal(tlv_code_of_number(&names, 1, 2, 10), 1);
	assert_int_equal(tlv_code_of_number(&names, 5, 10, HUGE_VAL), 1);
	assert_ok(tlv_model_infer(&ctx, open_model(frame), TLV_AS_CODES(SMALL_P, row), &posterior));
	of_missing = posterior.values + posterior.total - 2;
	assert_ok(tlv_model_impute(&ctx, open_model(frame), TLV_AS_CODES(SMALL_P, row), &filled));
	assert_close(filled.values[1], 3 * of_missing[0] + 20 * of_missing[1], 1e-12);
	assert_equal(filled.values[0], 1);
	assert_equal(filled.values[5], 4);
	assert_true(refused_with(frame, "ranged", 1, 1.0)); /* the bits of that double */
	assert_true(refused_with(frame, "lower", 3, -5));
	parts.range_ends = 11;
	assert_ok(tlv_tree_write(&ctx, &parts, &image, &size));
	assert_int_not_equal(tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &frame), TLV_OK);
}

/* The names of a row's values, where they are a tree's: of single columns in their order. */
TEST(test_value_names)
{
	tlv_frame frame = small_model(2, 2);
	tlv_tree_parts parts;
	tlv_value_names names;
	tlv_text name;
	size_t n = 0;

	assert_int_equal(tlv_value_names_of(&frame).n, 0);
	tlv_tree_read(&frame, &parts);
	parts.names = "a\nbb\nc\nd\ne\nf g\n";
	parts.names_length = strlen(parts.names);
	parts.diagnostics = &no_diagnostics;
	frame = MADE(tlv_tree_write, &parts);
	names = tlv_value_names_of(&frame);
	while (tlv_value_names_next(&names, &name))
	{
		n++;
		if (n == 2)
			assert_memory_equal(name.bytes, "bb", name.length);
	}
	assert_int_equal(n, SMALL_P);
	assert_memory_equal(name.bytes, "f g", 3);
}

TEST(test_names)
{
	tlv_frame frame = small_model(2, 2);
	tlv_tree_parts parts;
	char **names;
	tlv_tree tree;

	tlv_tree_read(&frame, &parts);
	assert_ok(tlv_tree_names(&ctx, &parts, &names));
	assert_string_equal(names[0], "v1");
	assert_string_equal(names[7], "h2");
	tlv_tree_names_free(&ctx, names);
	parts.names = "a\nbb\nc\nd\ne\nf g\n";
	parts.names_length = strlen(parts.names);
	parts.diagnostics = &no_diagnostics;
	frame = MADE(tlv_tree_write, &parts);
	tlv_tree_read(&frame, &parts);
	assert_ok(tlv_tree_names(&ctx, &parts, &names));
	assert_string_equal(names[1], "bb");
	assert_string_equal(names[5], "f g");
	assert_string_equal(names[6], "h1");
	/* Hidden nodes have as many h's as no variable has before its number. */
	parts.names = "h1\n\na\0b\nhh20\nh03\nhhhh1\n";
	parts.names_length = 23;
	frame = MADE(tlv_tree_write, &parts);
	tlv_tree_read(&frame, &parts);
	assert_ok(tlv_tree_names(&ctx, &parts, &names));
	assert_string_equal(names[0], "h1");
	assert_string_equal(names[1], "");
	assert_string_equal(names[2], "a\nb");
	assert_string_equal(names[5], "hhhh1");
	assert_string_equal(names[6], "hhh1");
	assert_string_equal(names[7], "hhh2");
	assert_ok(tlv_tree_of_model(&ctx, &parts, &tree));
	assert_int_equal(tree.edges, 6);
	assert_true(isnan(tree.support[0]));
}

RUN_TESTS(setup, teardown)
