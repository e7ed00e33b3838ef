/*
 * test_slices.c - topics by slices of the third moment, which is not formed: the sums against the
 * tensor's, the topics against its decomposition, the plan, its memory and every fault.
 */
#include "assertions.h"

#include "lda_learn_fixture.h"
#include "tensorlv/num/tensor3.h"

static tlv_frame
collect_frame(tlv_accumulator *accumulator, const corpus *c)
{
	void *image;
	size_t size;

	assert_ok(collect(accumulator, c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

/* The dominant subspace of exact pairs. */
static tlv_frame
subspace_of(const corpus *c, size_t rank)
{
	tlv_subspace_options options = {.rank = rank, .seed = 1};
	tlv_accumulator *pairs;
	tlv_frame frame;
	void *image;
	size_t size;

	assert_ok(tlv_count_pairs_create(&ctx, &pairs));
	frame = collect_frame(pairs, c);
	assert_ok(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	return checked(TLV_FRAME_SUBSPACE, image, size);
}

static tlv_frame
collected_in(const corpus *c, const tlv_frame *subspace,
			 tlv_status (*create)(tlv_context *, const tlv_subspace *, tlv_accumulator **))
{
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	assert_ok(tlv_subspace_open(&ctx, subspace, true, &opened));
	assert_ok(create(&ctx, opened, &accumulator));
	return collect_frame(accumulator, c);
}

static tlv_frame
whiten(const corpus *c, const tlv_frame *subspace, double alpha0, uint64_t seed)
{
	tlv_frame anchors = collected_in(c, subspace, tlv_anchor_moments_create);
	tlv_whitening_options options = {.alpha0 = alpha0, .seed = seed};
	void *image;
	size_t size;

	assert_ok(tlv_subspace_whiten(&ctx, &anchors, &options, &image, &size));
	return checked(TLV_FRAME_SUBSPACE, image, size);
}

/* Steps until nothing moves; the slices of the last basis, which *subspace becomes. */
static tlv_frame
climb(const corpus *c, tlv_frame *subspace, tlv_rotation *step)
{
	tlv_frame slices;
	int steps = 0;

	step->change = 1;
	do
	{
		void *image;
		size_t size;

		slices = collected_in(c, subspace, tlv_slice_moments_create);
		assert_ok(tlv_subspace_rotate(&ctx, subspace, &slices, step, &image, &size));
		if (step->change > 1e-11)
			*subspace = checked(TLV_FRAME_SUBSPACE, image, size);
	} while (step->change > 1e-11 && ++steps < 100);
	assert_true(steps < 100);
	return slices;
}

/* Slices, pairs and mean are those of compressed moments in the same basis, whatever that is, of
 * documents in which words repeat. */
static void
test_sums(void **state)
{
	corpus c = simulate(300, 40, 5, 25, 0.2, false);
	tlv_frame subspace = subspace_of(&c, 5);
	tlv_frame triples = collected_in(&c, &subspace, tlv_count_triples_create);
	tlv_frame slices = collected_in(&c, &subspace, tlv_slice_moments_create);
	const double *t = tlv_frame_float64(&triples, "triples");
	const double *s = tlv_frame_float64(&slices, "slices");

	(void) state;
	for (size_t a = 0; a < 5; a++)
		for (size_t l = 0; l < 5; l++)
		{
			double exact = a > l ? t[tlv_packed3_index(a, l, l)] : t[tlv_packed3_index(l, l, a)];

			if (!(fabs(s[l + 5 * a] - exact) <= 1e-10 * (1 + fabs(exact))))
				fail_msg("slice %zu, %zu: %.15g instead of %.15g", a, l, s[l + 5 * a], exact);
		}
	for (size_t p = 0; p < 15; p++)
		assert_true(fabs(tlv_frame_float64(&slices, "pairs")[p] -
						 tlv_frame_float64(&triples, "pairs")[p]) < 1e-9);
	for (size_t a = 0; a < 5; a++)
		assert_true(fabs(tlv_frame_float64(&slices, "mean")[a] -
						 tlv_frame_float64(&triples, "mean")[a]) < 1e-9);
	assert_true(tlv_frame_scalar(&slices, "tokens", 0) == tlv_frame_scalar(&triples, "tokens", 0));
}

/* Parts of the documents, merged in either order, are the whole. */
static void
test_merge(void **state)
{
	corpus c = simulate(200, 40, 4, 25, 0.2, false), one = c, other = c;
	tlv_frame subspace = subspace_of(&c, 4);
	tlv_frame whole = collected_in(&c, &subspace, tlv_slice_moments_create), part[2], merged;
	tlv_accumulator *accumulator;
	tlv_subspace *opened;

	(void) state;
	one.n = 77;
	other.n = c.n - 77;
	other.bags += 77;
	part[0] = collected_in(&one, &subspace, tlv_slice_moments_create);
	part[1] = collected_in(&other, &subspace, tlv_slice_moments_create);
	assert_ok(tlv_subspace_open(&ctx, &subspace, true, &opened));
	for (size_t first = 0; first < 2; first++)
	{
		one.n = 0;
		assert_ok(tlv_slice_moments_create(&ctx, opened, &accumulator));
		assert_ok(accumulator->class->merge(&ctx, accumulator, &part[first]));
		assert_ok(accumulator->class->merge(&ctx, accumulator, &part[1 - first]));
		merged = collect_frame(accumulator, &one);
		for (size_t i = 0; i < 16; i++)
			assert_true(fabs(tlv_frame_float64(&merged, "slices")[i] -
							 tlv_frame_float64(&whole, "slices")[i]) <
						1e-9 * (1 + fabs(tlv_frame_float64(&whole, "slices")[i])));
		assert_int_equal((int) tlv_frame_scalar(&merged, "documents", 0), 200);
	}
}

/* The same objective and topics as the tensor's decomposition, from any rotation, at several alpha0
 * and of single topics. */
static void
test_same_topics(void **state)
{
	static const double alpha0s[] = {0, 0.5, 3};

	(void) state;
	for (size_t a = 0; a < 3; a++)
	{
		corpus c = simulate(2000, 120, 6, 50, alpha0s[a] / 6 + 0.01, alpha0s[a] == 0);
		tlv_frame plain = subspace_of(&c, 6), white = whiten(&c, &plain, alpha0s[a], 7 + a);
		tlv_frame triples = collected_in(&c, &plain, tlv_count_triples_create), slices;
		tlv_lda_options options = {.alpha0 = alpha0s[a], .eta = TLV_LDA_ETA, .seed = 1};
		double objective = 0, worst = 0;
		tlv_frame tensor, model;
		tlv_rotation step;
		void *image;
		size_t size;

		options.subspace = tlv_count_triples_refer(&triples) ? &plain : NULL;
		assert_ok(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
		tensor = checked(TLV_FRAME_MODEL, image, size);
		slices = climb(&c, &white, &step);
		options.subspace = &white;
		assert_ok(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size));
		model = checked(TLV_FRAME_MODEL, image, size);
		assert_true(fabs(step.alpha0 - alpha0s[a]) < 1e-9);
		for (size_t j = 0; j < 6; j++)
		{
			char name[40];

			snprintf(name, sizeof(name), "tensor_eigenvalue_%zu", j + 1);
			objective += pow(diagnostic(tensor, name), 2);
		}
		for (size_t i = 0; i < 6 * tlv_frame_find(&model, "phi")->columns; i++)
			worst = fmax(worst, fabs(tlv_frame_float64(&model, "phi")[i] -
									 tlv_frame_float64(&tensor, "phi")[i]));
		print_message("alpha0 %g: objective %.10f and %.10f, topics differ by %.1e\n", alpha0s[a],
					  step.objective, objective, worst);
		assert_true(fabs(step.objective - objective) < 1e-8 * objective);
		assert_true(worst < 1e-8);
		assert_true(diagnostic(model, "converged") == 1);
	}
}

static void
test_refusals(void **state)
{
	corpus c = simulate(300, 40, 3, 25, 0.2, false), none = c;
	tlv_frame plain = subspace_of(&c, 3), white = whiten(&c, &plain, 1, 1), slices, wrong, anchors;
	tlv_lda_options options = {.alpha0 = 1, .eta = TLV_LDA_ETA, .seed = 1};
	tlv_whitening_options many = {.rank = 4, .alpha0 = 1}, negative = {.alpha0 = -1};
	tlv_rotation step;
	void *image;
	size_t size;

	(void) state;
	slices = collected_in(&c, &white, tlv_slice_moments_create);
	wrong = collected_in(&c, &plain, tlv_slice_moments_create);
	assert_int_equal(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size), TLV_BAD_PARAMETER);
	options.subspace = &plain;
	assert_int_equal(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size), TLV_BAD_PARAMETER);
	/* a basis that is not white, another k, another alpha0 */
	assert_int_equal(tlv_lda_fit_slices(&ctx, &wrong, &options, &image, &size), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_subspace_rotate(&ctx, &plain, &wrong, &step, &image, &size),
					 TLV_BAD_PARAMETER);
	options.subspace = &white;
	options.k = 2;
	assert_int_equal(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size), TLV_BAD_PARAMETER);
	options.k = 3;
	options.alpha0 = 2;
	assert_int_equal(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size), TLV_BAD_PARAMETER);
	/* no documents */
	none.n = 0;
	slices = collected_in(&none, &white, tlv_slice_moments_create);
	options.alpha0 = 1;
	assert_int_equal(tlv_lda_fit_slices(&ctx, &slices, &options, &image, &size), TLV_BAD_DATA);
	assert_int_equal(tlv_subspace_rotate(&ctx, &white, &slices, &step, &image, &size),
					 TLV_BAD_DATA);
	anchors = collected_in(&none, &plain, tlv_anchor_moments_create);
	assert_int_equal(tlv_subspace_whiten(&ctx, &anchors, &many, &image, &size), TLV_BAD_PARAMETER);
	assert_int_equal(tlv_subspace_whiten(&ctx, &anchors, &negative, &image, &size),
					 TLV_BAD_PARAMETER);
	negative.alpha0 = 1;
	assert_int_equal(tlv_subspace_whiten(&ctx, &anchors, &negative, &image, &size), TLV_BAD_DATA);
}

/* Where there is no room for third moments method joint goes without them, to the same topics. */
static void
test_plan(void **state)
{
	corpus c = simulate(1500, 80, 12, 60, 0.05, false);
	tlv_lda_learn_options options = usual_options_from(12, TLV_LDA_START_TENSOR);
	tlv_frame tensor, model;
	double worst = 0;

	(void) state;
	options.refine = NULL;
	options.fit.alpha0 = 0.6;
	use_corpus(&c);
	tensor = procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
	assert_true(isnan(tlv_diagnostics_find(&tensor, "slice_residual", NAN)));
	fixture_forget(&passes);
	passes.room = (size_t) (tlv_lda_fit_memory(12, 80, &options.fit) * 0.9);
	model = procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
	assert_false(isnan(tlv_diagnostics_find(&model, "slice_residual", NAN)));
	assert_true(diagnostic(model, "converged") == 1);
	for (size_t i = 0; i < 12 * 80; i++)
		worst = fmax(worst, fabs(tlv_frame_float64(&model, "phi")[i] -
								 tlv_frame_float64(&tensor, "phi")[i]));
	print_message("plan: topics differ by %.1e, L1 %.3f, %.0f passes\n", worst,
				  compare(&c, model).mean, diagnostic(model, "iterations"));
	assert_true(worst < 1e-6);
	/* without alpha0, which anchors estimate then */
	fixture_forget(&passes);
	options.fit.alpha0 = NAN;
	model = procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
	print_message("alpha0 of anchors %.2f (.60), L1 %.3f\n", diagnostic(model, "alpha0"),
				  compare(&c, model).mean);
	assert_true(diagnostic(model, "alpha0") > 0.3 && diagnostic(model, "alpha0") < 1.2);
	/* of single topics; and as many passes as were asked for */
	fixture_forget(&passes);
	options.fit.alpha0 = 0;
	options.fit.decompose.steps = 2;
	model = procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
	assert_true(diagnostic(model, "iterations") == 1);
	fixture_forget(&passes);
	/* another method is refused */
	options.fit.decompose.method = TLV_METHOD_ALS;
	passes.room = (size_t) (tlv_lda_fit_memory(12, 80, &options.fit) * 0.5);
	assert_int_equal(procedure_run(&passes, &tlv_lda_procedure, &options), TLV_MEMORY_LIMIT);
	fixture_forget(&passes);
	passes.room = 0;
}

/* Hundreds of topics, of more than there are: all of them are answered. */
static void
test_hundreds(void **state)
{
	corpus c = simulate(900, 400, 12, 60, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(201, TLV_LDA_START_TENSOR);
	tlv_frame model;

	(void) state;
	options.refine = "em";
	options.iterations = 1;
	use_corpus(&c);
	model = procedure_model(&passes, &tlv_lda_procedure, &options, options.errors);
	assert_null(tlv_frame_find(&model, "anchors"));
	assert_int_equal(tlv_frame_find(&model, "phi")->rows, 201);
	fixture_forget(&passes);
}

static void
test_faults(void **state)
{
	corpus c = simulate(150, 40, 3, 30, 0.1, false);
	tlv_lda_learn_options options = usual_options_from(3, TLV_LDA_START_TENSOR);

	(void) state;
	options.refine = "em";
	options.iterations = 1;
	options.fit.alpha0 = 0.3;
	use_corpus(&c);
	passes.changed = (fixture_rows){20, passes.rows[0].rows};
	passes.room = (size_t) (tlv_lda_fit_memory(3, 40, &options.fit) * 0.9);
	assert_at_least(procedure_fail_everywhere(&passes, &tlv_lda_procedure, &options, false), 8);
	fixture_forget(&passes);
	passes.room = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_sums, setup, teardown),
		cmocka_unit_test_setup_teardown(test_merge, setup, teardown),
		cmocka_unit_test_setup_teardown(test_same_topics, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_plan, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hundreds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
	};

	return cmocka_run_group_tests_name("lda_slices", tests, NULL, NULL);
}
