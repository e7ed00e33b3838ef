/*
 * test_learn.c - learning dictionaries of vectors in memory: atoms found by every method, steps
 * over more rows than the sample holds, refusals, and a fault in every pass.
 */
#include "source_setup.h"
#include "tensorlv/model/coding.h"
#include "tensorlv/num/linalg.h"

/* ---- rows ---- */

static tlv_status
take_row(tlv_context *context, void *argument, size_t row, const double *x, const double *codes)
{
	tlv_row *rows = argument;
	size_t d = rows[row - 1].part[0].d;

	memcpy((double *) rows[row - 1].part[0].float64, x, d * sizeof(double));
	return TLV_OK;
}

/* n rows of a random dictionary, which is returned. */
static tlv_frame
simulate(size_t n, size_t d, size_t k, size_t sparsity, double noise)
{
	tlv_coding_simulation options = {.d = d, .k = k, .sparsity = sparsity, .seed = 3};
	double *x = room(n * d, sizeof(double));
	fixture_rows rows = fixture_rows_of(n, d, x);
	tlv_frame truth;

	truth = MADE(tlv_coding_simulate_model, &options);
	assert_ok(tlv_coding_simulate(&ctx, &truth, n, noise, 5, take_row, (void *) rows.rows));
	fixture_use_rows(rows);
	passes.changed = (fixture_rows){n / 2, rows.rows + n / 2};
	return truth;
}

/* ---- procedures ---- */

static tlv_coding_options
usual_options(size_t atoms, size_t sparsity)
{
	return (tlv_coding_options){.atoms = atoms,
								.sparsity = sparsity,
								.threshold = TLV_CODING_THRESHOLD,
								.common = TLV_CODING_COMMON,
								.iterations = -1,
								.seed = 1};
}

static tlv_frame
learn(tlv_coding_options options)
{
	return procedure_model(&passes, &tlv_coding_procedure, &options, false);
}

/* Atoms of the truth that the model has with a cosine above .95 in modulus. */
static int
found(tlv_frame truth, tlv_frame model)
{
	return components_found(truth, model, 0.05);
}

TEST(test_overcomplete)
{
	tlv_frame truth = simulate(3000, 32, 64, 3, 0.02), model = learn(usual_options(64, 3));
	const double *uses = tlv_frame_float64(&model, "weights");

	printf("atoms found of 64 in 32 dimensions: %d\n", found(truth, model));
	assert_above(found(truth, model), 59);
	assert_int_equal(passes.passes, 1); /* the sample is all rows */
	assert_below(tlv_frame_scalar(&model, "error", 1), 0.02);
	for (size_t j = 1; j < 64; j++)
		assert_true(uses[j] <= uses[j - 1]);
}

TEST(test_complete)
{
	tlv_frame truth = simulate(4000, 24, 24, 3, 0), model;
	tlv_coding_options options = usual_options(24, 3);

	options.method = TLV_CODING_ICA;
	model = learn(options);
	printf("atoms found of 24 in 24 dimensions by independent components: %d\n",
		   found(truth, model));
	assert_int_equal(found(truth, model), 24);
	/* not 0: pursuit is greedy, and now and then takes a wrong atom */
	assert_below(tlv_frame_scalar(&model, "error", 1), 0.005);
	options.refine = "none";
	assert_int_equal(found(truth, learn(options)), 24);
}

TEST(test_graph)
{
	tlv_frame truth = simulate(1500, 300, 30, 2, 0), model;
	tlv_coding_options options = usual_options(30, 2);

	options.method = TLV_CODING_GRAPH;
	options.refine = "none";
	options.restarts = 1;
	model = learn(options);
	printf("atoms found of 30 in 300 dimensions by the graph: %d\n", found(truth, model));
	assert_int_equal(found(truth, model), 30);
	assert_false(model_warns(&model, "not_identified", NULL));
	/* Where rows do not show who shares an atom, it says so and goes on from rows. */
	(void) simulate(600, 8, 16, 4, 0);
	options = usual_options(16, 4);
	options.method = TLV_CODING_GRAPH;
	model = learn(options);
	assert_true(model_warns(&model, "not_identified", NULL));
}

/* More rows than the sample: passes over all of them, each of which lessens the error. */
TEST(test_many_rows)
{
	tlv_frame truth = simulate(20500, 16, 12, 2, 0.1), few, more;
	tlv_coding_options options = usual_options(12, 2);

	options.restarts = 1;
	options.iterations = 1;
	few = learn(options);
	assert_int_equal(passes.passes, 2);
	options.iterations = -1;
	more = learn(options);
	assert_above(passes.passes, 2);
	assert_float_equal(tlv_frame_scalar(&more, "rows", 0), 20500, 0);
	assert_true(tlv_frame_scalar(&more, "error", 1) <= tlv_frame_scalar(&few, "error", 0) * 1.001);
	assert_int_equal(found(truth, more), 12);
	assert_false(model_warns(&more, "iterations_at_limit", NULL));
	/* Where nothing is left it ends at once. */
	(void) simulate(20500, 4, 2, 1, 0);
	options = usual_options(2, 1);
	more = learn(options);
	assert_below(tlv_frame_scalar(&more, "error", 1), 1e-12);
	assert_below(passes.passes, 5);
	assert_false(model_warns(&more, "iterations_at_limit", NULL));
}

/* Codes are the least squares of their atoms: what is left is orthogonal to them. */
TEST(test_codes)
{
	tlv_frame truth = simulate(50, 16, 24, 3, 0.1);
	const double *atoms = tlv_frame_float64(&truth, "atoms");
	tlv_model *model;

	assert_ok(tlv_model_open(&ctx, &truth, &model));
	for (size_t t = 0; t < 50; t++)
	{
		const double *x = passes.rows[0].rows[t].part[0].float64;
		double left[16], c[3];
		int32_t support[3];
		size_t n;

		assert_ok(tlv_coding_encode_row(&ctx, model, 16, x, &n, support, c));
		assert_int_equal(n, 3);
		memcpy(left, x, sizeof(left));
		for (size_t s = 0; s < n; s++)
			for (size_t i = 0; i < 16; i++)
				left[i] -= c[s] * atoms[i + 16 * (size_t) support[s]];
		for (size_t s = 0; s < n; s++)
		{
			double product = 0;

			for (size_t i = 0; i < 16; i++)
				product += left[i] * atoms[i + 16 * (size_t) support[s]];
			assert_below(fabs(product), 1e-12);
		}
	}
}

TEST(test_bad_options)
{
	tlv_coding_options options = usual_options(4, 5);

	assert_fails(tlv_coding_procedure.check(&ctx, &options), TLV_BAD_PARAMETER,
				 "sparsity = 5 is not between 1 and 4");
	options = usual_options(4001, 2);
	assert_int_equal(tlv_coding_procedure.check(&ctx, &options), TLV_BAD_PARAMETER);
	options = usual_options(4, 2);
	options.refine = "em";
	assert_fails(tlv_coding_procedure.check(&ctx, &options), TLV_BAD_PARAMETER,
				 "there is no refinement \"em\"");
	options.refine = NULL;
	options.common = 0;
	assert_int_equal(tlv_coding_procedure.check(&ctx, &options), TLV_BAD_PARAMETER);
	(void) simulate(100, 4, 6, 2, 0);
	options = usual_options(6, 5);
	assert_fails(procedure_run(&passes, &tlv_coding_procedure, &options), TLV_BAD_PARAMETER,
				 "sparsity = 5 exceeds the 4 numbers of a row");
	options = usual_options(6, 2);
	options.method = TLV_CODING_ICA;
	assert_int_equal(procedure_run(&passes, &tlv_coding_procedure, &options), TLV_BAD_PARAMETER);
}

/* Rows of zeros, fewer rows than atoms, one row again and again: an answer, never a number that is
 * none. */
TEST(test_degenerate)
{
	double x[40] = {0};
	tlv_coding_options options;
	tlv_frame model;

	fixture_use_rows(fixture_rows_of(10, 4, x));
	model = learn(usual_options(3, 1));
	assert_float_equal(tlv_frame_scalar(&model, "error", 1), 0, 0);
	assert_true(model_warns(&model, "empty_component", NULL));
	for (size_t i = 0; i < 40; i++)
		x[i] = (double) (1 + i % 4);
	fixture_use_rows(fixture_rows_of(10, 4, x));
	model = learn(usual_options(20, 2));
	assert_below(tlv_frame_scalar(&model, "error", 1), 1e-12);
	fixture_use_rows((fixture_rows){0, NULL});
	options = usual_options(2, 1);
	assert_fails(procedure_run(&passes, &tlv_coding_procedure, &options), TLV_NO_ROWS,
				 "the query returns no rows");
}

TEST(test_faults)
{
	tlv_coding_options options = usual_options(4, 2);

	(void) simulate(300, 5, 4, 2, 0);
	options.restarts = 1;
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_coding_procedure, &options, false), 2);
	options.method = TLV_CODING_GRAPH;
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_coding_procedure, &options, false), 2);
	options.method = TLV_CODING_ICA;
	assert_int_equal(procedure_fail_everywhere(&passes, &tlv_coding_procedure, &options, false), 2);
}

RUN_TESTS(setup, teardown)
