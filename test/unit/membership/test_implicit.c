/*
 * test_implicit.c - components without the tensor of triples: those that it gives itself.
 */
#include "membership_fixture.h"
#include "model/membership/internal.h"

typedef struct example
{
	membership_rows rows;
	membership_moments moments;
	membership_basis basis;
} example;

/* A third of the values missing from the first variable on. */
static example
draw_example(drawn d, size_t copies, size_t k, double alpha0)
{
	example e;
	double *values = room(d.n * d.p, sizeof(double));

	for (size_t i = 0; i < d.n * d.p; i++)
		values[i] = tlv_mix64(i) % 3 == 0 && i % d.p < 3 ? -1 : d.codes[i];
	assert_ok(membership_rows_create(&ctx, d.n, d.p, copies, 0, values, NULL, &e.rows));
	assert_ok(membership_moments_of_rows(&ctx, &e.rows, &e.moments));
	assert_ok(membership_whiten(&ctx, &e.moments, k, alpha0, 1, &e.basis));
	return e;
}

/* Both forms; how far the probabilities and weights of one are from those of the other. */
static double
forms_differ(example *e, const tlv_decompose_options *options)
{
	const membership_triples triples = {.rows = &e->rows};
	membership_fit formed, not_formed;
	double most = 0;

	assert_ok(membership_decompose_form(&ctx, &e->moments, &e->basis, &triples, options,
										MEMBERSHIP_FORMED, &formed));
	assert_ok(membership_decompose_form(&ctx, &e->moments, &e->basis, &triples, options,
										MEMBERSHIP_NOT_FORMED, &not_formed));
	for (size_t i = 0; i < e->basis.k * e->moments.categories; i++)
		most = fmax(most, fabs(formed.table[i] - not_formed.table[i]));
	for (size_t h = 0; h < e->basis.k; h++)
		most = fmax(most, fabs(formed.weights[h] - not_formed.weights[h]));
	print_message("probabilities %.1e, residual %.6f, off by %.1e\n", most, formed.residual,
				  not_formed.residual - formed.residual);
	assert_close(not_formed.residual, formed.residual, 1e-9);
	return most;
}

static drawn
draw_simulated(bool mixed, size_t n, size_t p, size_t k, double alpha)
{
	return draw_members(n, (tlv_membership_simulation){.mixed = mixed,
													   .variables = p,
													   .categories = 4,
													   .k = k,
													   .alpha = alpha,
													   .concentration = 0.5,
													   .seed = 7});
}

/* With the triples of equal values put in five times. */
static void
test_memberships(void **state)
{
	example e = draw_example(draw_simulated(true, 900, 25, 5, 0.1), 1, 5, 0.5);

	(void) state;
	assert_below(forms_differ(&e, &(tlv_decompose_options){.seed = 1}), 1e-9);
}

static void
test_classes(void **state)
{
	example e = draw_example(draw_simulated(false, 700, 25, 6, 1), 1, 6, 0);

	(void) state;
	assert_below(forms_differ(&e, &(tlv_decompose_options){.seed = 1}), 1e-9);
}

/* Two copies of every variable, whose own blocks are seen. */
static void
test_copies(void **state)
{
	example e = draw_example(draw_simulated(true, 900, 24, 4, 0.1), 2, 4, 0.4);

	(void) state;
	assert_below(forms_differ(&e, &(tlv_decompose_options){.seed = 1}), 1e-9);
}

/* Many components, where the triples of equal values are left out. */
static void
test_many_components(void **state)
{
	example e;

	(void) state;
	MEASURED_WITHOUT_SANITIZERS();
	e = draw_example(draw_simulated(true, 4000, 60, 52, 0.01), 1, 52, 0.52);
	assert_below(forms_differ(&e, &(tlv_decompose_options){.seed = 1}), 1e-9);
}

/* What does not fit is not formed; what neither form has room for is refused. */
static void
test_memory(void **state)
{
	example e = draw_example(draw_simulated(true, 3000, 80, 120, 0.01), 1, 120, 1.2);
	const membership_triples triples = {.rows = &e.rows};
	const tlv_decompose_options options = {.seed = 1, .steps = 3};
	membership_fit wide, narrow;

	(void) state;
	assert_ok(membership_decompose_form(&ctx, &e.moments, &e.basis, &triples, &options,
										MEMBERSHIP_FORMED, &wide));
	ctx.arena.limit = ctx.arena.used + 14000000;
	assert_int_equal(membership_decompose_form(&ctx, &e.moments, &e.basis, &triples, &options,
											   MEMBERSHIP_FORMED, &narrow),
					 TLV_MEMORY_LIMIT);
	assert_ok(membership_decompose(&ctx, &e.moments, &e.basis, &triples, &options, &narrow));
	for (size_t i = 0; i < 120 * e.moments.categories; i++)
		assert_close(narrow.table[i], wide.table[i], 1e-7); /* steps of noise, not yet at rest */
	ctx.arena.limit = ctx.arena.used + 1000000;
	assert_int_equal(membership_decompose(&ctx, &e.moments, &e.basis, &triples, &options, &narrow),
					 TLV_MEMORY_LIMIT);
}

/* Other methods need the tensor, and triples that are all 0 have no components. */
static void
test_refused(void **state)
{
	example e = draw_example(draw_simulated(true, 300, 12, 3, 0.1), 1, 3, 0.3);
	const membership_triples triples = {.rows = &e.rows};
	tlv_decompose_options options = {.seed = 1, .method = TLV_METHOD_ALS};
	membership_fit fit;

	(void) state;
	assert_int_equal(membership_decompose_form(&ctx, &e.moments, &e.basis, &triples, &options,
											   MEMBERSHIP_NOT_FORMED, &fit),
					 TLV_BAD_PARAMETER);
	options.method = TLV_METHOD_JOINT;
	memset(e.basis.whiten, 0, 3 * e.moments.categories * sizeof(double));
	assert_int_equal(membership_decompose_form(&ctx, &e.moments, &e.basis, &triples, &options,
											   MEMBERSHIP_NOT_FORMED, &fit),
					 TLV_BAD_DATA);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_memberships, setup, forget),
		cmocka_unit_test_setup_teardown(test_classes, setup, forget),
		cmocka_unit_test_setup_teardown(test_copies, setup, forget),
		cmocka_unit_test_setup_teardown(test_many_components, setup, forget),
		cmocka_unit_test_setup_teardown(test_memory, setup, forget),
		cmocka_unit_test_setup_teardown(test_refused, setup, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
