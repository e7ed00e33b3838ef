/*
 * test_plan.c - the plan of hidden Markov models, run over sequences in memory: accuracy of the
 * whole fit, when it stops, what it holds, and everything that can go wrong on the way.
 */
#include "assertions.h"
#include "model/hmm/internal.h"
#include "plan_fixture.h"
#include "view_fixture.h"

static plan_fixture f;

static tlv_plan *
make(plan_fixture *fixture, void *argument)
{
	tlv_plan *plan;

	assert_ok(tlv_hmm_plan_create(fixture->ctx, argument, &plan));
	return plan;
}

static tlv_frame
simulated_model(size_t symbols, size_t dimensions, size_t k, uint64_t seed)
{
	tlv_hmm_simulation simulation = {k, symbols, dimensions, 0.7, 0.3, 4, seed};
	void *image;
	size_t size;

	assert_ok(tlv_hmm_simulate_model(&ctx, &simulation, &image, &size));
	return checked(TLV_FRAME_MODEL, image, size);
}

/* n sequences of so many steps each, as rows. */
static tlv_row *
drawn_rows(tlv_frame model, size_t n, size_t steps)
{
	tlv_row *rows = room(n, sizeof(tlv_row));
	int32_t *states = room(steps, sizeof(int32_t));
	tlv_hmm_parts parts;

	tlv_hmm_read(&model, &parts);
	for (size_t i = 0; i < n; i++)
	{
		int64_t *symbols = parts.gaussian ? NULL : room(steps, sizeof(int64_t));
		double *x = parts.gaussian ? room(steps * parts.d, sizeof(double)) : NULL;

		tlv_hmm_simulate(&parts, &rng, steps, states, symbols, x);
		rows[i] =
			parts.gaussian ? *TLV_AS_SEQUENCE(steps, parts.d, x) : *TLV_AS_SYMBOLS(steps, symbols);
	}
	return rows;
}

static void
use_rows(tlv_frame model, size_t n, size_t steps)
{
	plan_begin(&f, &ctx, &memory);
	f.rows[0] = (plan_rows){n, drawn_rows(model, n, steps)};
	f.changed = (plan_rows){n, drawn_rows(model, n, steps)};
	f.told.form = f.rows[0].rows[0].form;
}

static tlv_hmm_plan_options
options_of(size_t k, tlv_hmm_refinement refine, int iterations)
{
	return (tlv_hmm_plan_options){
		.fit = {.k = k, .seed = 1}, .refine = refine, .iterations = iterations};
}

/* ---- accuracy ---- */

/* Mean L1 (Euclidean) distance of emissions, mean L1 distance of transitions. */
static void
compare(tlv_frame truth, tlv_frame model, double *emissions, double *transitions)
{
	tlv_hmm_parts a, b;
	size_t along, step;
	int64_t as[20];

	tlv_hmm_read(&truth, &a);
	tlv_hmm_read(&model, &b);
	along = a.gaussian ? a.d : 1;
	step = a.gaussian ? 1 : a.k;
	*emissions =
		match(a.k, a.d, a.gaussian, a.emissions, along, step, b.emissions, along, step, as);
	*transitions = 0;
	for (size_t i = 0; i < a.k; i++)
		for (size_t j = 0; j < a.k; j++)
			*transitions += fabs(a.transitions[i * a.k + j] -
								 b.transitions[(size_t) as[i] * a.k + (size_t) as[j]]) /
							(double) a.k;
}

/* Steps until the likelihood stands, which is said when it does not. */
static void
check_accuracy(size_t symbols, size_t dimensions, size_t k, size_t n, double most_emissions,
			   double most_transitions)
{
	tlv_frame truth = simulated_model(symbols, dimensions, k, 2), model;
	tlv_hmm_plan_options options = options_of(k, TLV_HMM_REFINE_BAUM_WELCH, -1);
	double emissions, transitions;
	bool warned;

	use_rows(truth, n, 500);
	model = plan_model(&f, make(&f, &options));
	compare(truth, model, &emissions, &transitions);
	assert_below(emissions, most_emissions);
	assert_below(transitions, most_transitions);
	warned = tlv_warnings_find(&model, "iterations_at_limit", NULL);
	assert_equal(warned, diagnostic(model, "refinement_steps") == TLV_HMM_MAX_STEPS);
	assert_equal(diagnostic(model, "passes"), diagnostic(model, "refinement_steps") + 1);
	plan_forget(&f);
}

static void
test_accuracy(void **state)
{
	(void) state;
	check_accuracy(8, 0, 3, 40, 0.045, 0.041);
	check_accuracy(0, 8, 4, 100, 0.043, 0.022);
}

/* ---- what it does when ---- */

/* Every kind of refinement takes as many passes as it says; what it holds is its model. */
static void
test_steps(void **state)
{
	static const tlv_hmm_refinement kinds[] = {TLV_HMM_REFINE_NONE, TLV_HMM_REFINE_WINDOWS,
											   TLV_HMM_REFINE_BAUM_WELCH,
											   TLV_HMM_REFINE_BAUM_WELCH};
	static const int iterations[] = {-1, -1, 0, 7};

	(void) state;
	use_rows(simulated_model(50, 0, 2, 3), 20, 100);
	for (size_t i = 0; i < 4; i++)
	{
		tlv_hmm_plan_options options = options_of(2, kinds[i], iterations[i]);
		tlv_frame model = plan_small_model(&f, make(&f, &options), 4);

		assert_int_equal(f.passes, 1 + (iterations[i] > 0 ? iterations[i] : 0));
		assert_equal(isnan(diagnostic(model, "window_iterations")),
					 kinds[i] == TLV_HMM_REFINE_NONE);
		plan_forget(&f);
	}
}

static void
test_names(void **state)
{
	(void) state;
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_BAUM_WELCH], "baum-welch");
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_WINDOWS], "windows");
	assert_string_equal(tlv_hmm_refinement_names[TLV_HMM_REFINE_NONE], "none");
	assert_null(tlv_hmm_refinement_names[3]);
}

/* ---- what can go wrong ---- */

static void
test_refusals(void **state)
{
	tlv_hmm_plan_options two = options_of(2, TLV_HMM_REFINE_BAUM_WELCH, -1);
	tlv_hmm_plan_options nine = options_of(9, TLV_HMM_REFINE_BAUM_WELCH, -1);
	tlv_frame truth = simulated_model(4, 0, 2, 3);

	(void) state;
	use_rows(truth, 20, 2);
	assert_fails(plan_run(&f, make(&f, &two)), TLV_BAD_DATA, "no sequence of at least 3 steps");
	assert_string_equal(ctx.error.detail, "20 sequences are shorter.");
	plan_forget(&f);
	use_rows(truth, 20, 20);
	assert_fails(plan_run(&f, make(&f, &nine)), TLV_BAD_PARAMETER,
				 "k = 9 is more than the 4 distinct symbols");
	plan_forget(&f);
}

static void
test_faults(void **state)
{
	tlv_hmm_plan_options options = options_of(2, TLV_HMM_REFINE_BAUM_WELCH, 2);

	(void) state;
	for (int vectors = 0; vectors < 2; vectors++)
	{
		use_rows(simulated_model(vectors ? 0 : 4, vectors ? 3 : 0, 2, 3), 10, 60);
		plan_fail_everywhere(&f, make, &options);
		plan_forget(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_accuracy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_steps, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_refusals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
