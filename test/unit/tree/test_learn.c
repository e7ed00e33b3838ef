/*
 * test_learn.c - learning latent trees from rows in memory: accuracy of the whole fit,
 * names, rows with missing values, when it stops, and everything that can go wrong on the way.
 */
#include "source_fixture.h"
#include "tensorlv/model/tree_learn.h"
#include "tree_fixture.h"

#define P		 12
#define HELD_OUT 5000
#define MANY	 130 /* variables, of whose triples there are no tables */

static source_fixture f;

static tlv_tree_procedure_options
usual_options(void)
{
	tlv_tree_procedure_options usual = {.iterations = -1};

	usual.learn.structure.z = 2;
	usual.learn.structure.significance = 0.01;
	usual.learn.fit.seed = usual.learn.fit.decompose.seed = 1;
	return usual;
}

/* ---- rows ---- */

static tlv_row *
code_rows(size_t p, size_t n, const int32_t *codes)
{
	tlv_row *rows = room(n, sizeof(tlv_row));

	for (size_t i = 0; i < n; i++)
		rows[i] = *TLV_AS_CODES(p, codes + i * p);
	return rows;
}

/* Rows of numbers; one in `gap` has its first number missing, none when it is 0. */
static tlv_row *
number_rows(tlv_frame model, size_t n, size_t gap)
{
	bool *missing = room(P, sizeof(bool));
	tlv_row *rows = room(n, sizeof(tlv_row));
	tlv_tree_sampler *sampler;

	missing[0] = true;
	assert_ok(tlv_tree_sampler_create(&ctx, &model, &sampler));
	for (size_t i = 0; i < n; i++)
	{
		double *x = room(P, sizeof(double));

		tlv_tree_sample(sampler, &rng, NULL, x);
		rows[i] = *TLV_AS_VECTOR(P, x);
		if (gap > 0 && i % gap == 0)
		{
			x[0] = NAN;
			rows[i].part[0].missing = missing;
		}
	}
	return rows;
}

static void
use_codes(size_t p, size_t n, const int32_t *codes, const int32_t *changed)
{
	fixture_begin(&f, &ctx, &memory);
	f.told.form = TLV_ROW_CODES;
	f.rows[0] = (fixture_rows){n, code_rows(p, n, codes)};
	f.changed = (fixture_rows){n, code_rows(p, n, changed)};
}

static void
use_numbers(tlv_frame model, size_t n, size_t gap)
{
	fixture_begin(&f, &ctx, &memory);
	f.told.form = TLV_ROW_VECTOR;
	f.rows[0] = (fixture_rows){n, number_rows(model, n, gap)};
	f.changed = (fixture_rows){n, number_rows(model, n, 0)};
}

/* ---- accuracy ---- */

static size_t
splits_that_differ(tlv_frame model, const tlv_tree *truth)
{
	size_t different, total;
	tlv_tree_parts parts;
	tlv_tree tree;

	tlv_tree_read(&model, &parts);
	assert_ok(tlv_tree_of_model(&ctx, &parts, &tree));
	assert_ok(tlv_tree_robinson_foulds(&ctx, truth, &tree, &different, &total));
	return different;
}

/* Structure and parameters of categories: loss of held-out likelihood per row against the truth. */
TEST(test_categories)
{
	tlv_tree tree = random_tree_of(P, 1);
	tlv_frame truth = simulated(&tree, false, 2, 3, 1), model;
	int32_t *rows = drawn_codes(truth, 10000, 0.1), *held = drawn_codes(truth, HELD_OUT, 0);
	double best = mean_log_likelihood(truth, P, HELD_OUT, held);
	tlv_tree_procedure_options options = usual_options();

	use_codes(P, 10000, rows, rows);
	model = procedure_model(&f, &tlv_tree_procedure, &options, false);
	assert_int_equal(splits_that_differ(model, &tree), 0);
	assert_below(best - mean_log_likelihood(model, P, HELD_OUT, held), 0.0032);
	assert_at_most(diagnostic(model, "refinement_steps"), 10);
}

/* Rows of numbers with a gap are left out, and the model says how many. */
TEST(test_numbers)
{
	tlv_tree tree = random_tree_of(P, 2);
	tlv_frame truth = simulated(&tree, true, 1, 1, 2), model;
	tlv_tree_procedure_options options = usual_options();
	tlv_warning warning;

	use_numbers(truth, 5000, 0);
	model = procedure_model(&f, &tlv_tree_procedure, &options, false);
	assert_int_equal(splits_that_differ(model, &tree), 0);
	assert_false(model_warns(&model, "rows_skipped", NULL));
	use_numbers(truth, 5000, 10);
	model = procedure_model(&f, &tlv_tree_procedure, &options, false);
	assert_int_equal(splits_that_differ(model, &tree), 0);
	assert_true(model_warns(&model, "rows_skipped", &warning));
	assert_equal(warning.score, 500);
	assert_equal(diagnostic(model, "passes"), 1);
	use_numbers(truth, 20, 1);
	assert_fails(procedure_run(&f, &tlv_tree_procedure, &options), TLV_NO_ROWS,
				 "the query returns no rows that can be used");
	assert_string_equal(ctx.error.hint,
						"Fill what is missing, or leave out the columns where it is.");
}

/* ---- what it does when ---- */

/* Moments of few variables hold tables of triples, those of many take a pass for them. */
TEST(test_steps)
{
	static const size_t variables[] = {P, MANY};
	static const int iterations[] = {0, 3};

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < 2; j++)
		{
			size_t p = variables[i];
			tlv_tree tree = random_tree_of(p, 3);
			int32_t *rows = drawn_codes(simulated(&tree, false, 2, 2, 3), 1000, 0);
			tlv_tree_procedure_options options = usual_options();
			tlv_frame model;

			options.iterations = iterations[j];
			use_codes(p, 1000, rows, rows);
			model = procedure_small_model(&f, &tlv_tree_procedure, &options, 4);
			assert_non_null(tlv_frame_float64(&model, "tables"));
			assert_int_equal(f.passes, 1 + (int) i + iterations[j]);
		}
}

/* Replicates are drawn row by row of categories, of numbers from their moments. */
TEST(test_bootstrap)
{
	tlv_tree tree = random_tree_of(P, 1);
	int32_t *codes = drawn_codes(simulated(&tree, false, 2, 3, 1), 3000, 0);
	tlv_tree_procedure_options options = usual_options();

	options.replicates = 10;
	use_codes(P, 3000, codes, codes);
	assert_equal(
		diagnostic(procedure_model(&f, &tlv_tree_procedure, &options, false), "replicates"), 10);
	use_numbers(simulated(&tree, true, 1, 1, 1), 3000, 0);
	assert_equal(
		diagnostic(procedure_model(&f, &tlv_tree_procedure, &options, false), "replicates"), 10);
}

/* ---- names ---- */

/* n names out of one text, cut at bars. */
static tlv_names
names_of(const char *text)
{
	size_t length = strlen(text);
	int64_t *offsets = room(length + 2, sizeof(int64_t));
	char *bytes = room(length + 1, 1), *to = bytes;
	tlv_names names = {.n = 1, .offsets = offsets, .text = bytes};

	for (size_t i = 0; i < length; i++)
		if (text[i] == '|')
			offsets[names.n++] = to - bytes;
		else
			*to++ = text[i];
	offsets[names.n] = to - bytes;
	return names;
}

TEST(test_names)
{
	static const char *const expected = "a\nhat\nh0\nH1\nh1x\nh\n\xc3\xa4\ng\nh01\ni\nj\nk\n";
	tlv_tree tree = random_tree_of(P, 1);
	int32_t *rows = drawn_codes(simulated(&tree, false, 2, 3, 1), 2000, 0);
	tlv_names names = names_of("a|hat|h0|H1|h1x|h|\xc3\xa4|g|h01|i|j|k"), none = {0};
	tlv_tree_procedure_options options = usual_options(), grouped = usual_options();
	tlv_tree_parts parts;
	tlv_frame model;

	use_codes(P, 2000, rows, rows);
	f.told.names = &names;
	model = procedure_model(&f, &tlv_tree_procedure, &options, false);
	tlv_tree_read(&model, &parts);
	assert_int_equal(parts.names_length, strlen(expected));
	assert_memory_equal(parts.names, expected, parts.names_length);
	grouped.learn.distance.groups = 1;
	assert_fails(procedure_run(&f, &tlv_tree_procedure, &grouped), TLV_BAD_PARAMETER,
				 "groups are of the elements of arrays");
	f.told.names = &none; /* no variable: no rows */
	assert_fails(procedure_run(&f, &tlv_tree_procedure, &options), TLV_NO_ROWS,
				 "the query returns no row with a category");
}

/* Any text is a name, once: a line end within it is told from that behind it. */
TEST(test_lines)
{
	static const char expected[] = "a\0b\n\nh12\n\0\n\0\0\na\nb\n";
	tlv_names names = names_of("a\nb||h12|\n|\n\n|a|b");
	size_t length;
	char *lines;

	assert_ok(tlv_tree_join_names(&ctx, &names, &lines, &length));
	assert_int_equal(length, sizeof(expected) - 1);
	assert_memory_equal(lines, expected, length);
}

TEST(test_refused_names)
{
	static const struct
	{
		const char *names;
		const char *words;
	} cases[] = {
		{"a||b|", "two variables have the name \"\""},
		{"bb|a|bb", "two variables have the name \"bb\""},
		{"b|bb|b", "two variables have the name \"b\""},
	};
	char *lines, text[2 * 242];
	size_t length;
	tlv_names names;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		names = names_of(cases[i].names);
		assert_fails(tlv_tree_join_names(&ctx, &names, &lines, &length), TLV_BAD_PARAMETER,
					 cases[i].words);
	}
	/* A long name is not cut within a character. */
	for (size_t i = 0; i < sizeof(text); i += 2)
		memcpy(text + i, "\xc3\xa4", 2);
	text[0] = text[242] = 'x';
	text[1] = text[243] = 'y';
	text[240] = 'z';
	text[482] = 'z';
	text[241] = '|';
	text[483] = '\0';
	names = names_of(text);
	assert_int_equal(tlv_tree_join_names(&ctx, &names, &lines, &length), TLV_BAD_PARAMETER);
	assert_null(strstr(ctx.error.message, "\xc3\""));
}

/* ---- what can go wrong ---- */

TEST(test_faults)
{
	tlv_tree tree = random_tree_of(P, 1), large = random_tree_of(MANY, 3);
	tlv_frame truth = simulated(&tree, false, 2, 3, 1), wide = simulated(&large, false, 2, 2, 3);
	tlv_tree_procedure_options options = usual_options();

	options.iterations = 2;
	use_codes(P, 500, drawn_codes(truth, 500, 0), drawn_codes(truth, 500, 0));
	procedure_fail_everywhere(&f, &tlv_tree_procedure, &options, false);
	use_codes(MANY, 300, drawn_codes(wide, 300, 0), drawn_codes(wide, 300, 0));
	procedure_fail_everywhere(&f, &tlv_tree_procedure, &options, false);
	use_numbers(simulated(&tree, true, 1, 1, 1), 500, 7);
	procedure_fail_everywhere(&f, &tlv_tree_procedure, &options, false);
}

RUN_TESTS(setup, teardown)
