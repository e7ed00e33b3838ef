/*
 * test_match_columns.c - which columns of two matrices belong together.
 */
#include "assertions.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/match_columns.h"

static tlv_context ctx;

static int
setup(void **state)
{
	(void) state;
	tlv_num_init();
	tlv_context_init_malloc(&ctx);
	return 0;
}

static int
teardown(void **state)
{
	(void) state;
	return ctx.arena.used == 0 ? 0 : -1;
}

/* Columns one to one, though two of them have the same nearest. */
static void
test_matching(void **state)
{
	const double r[12] = {.029, .042, .995, .997, .950, 0, .038, .309, .056, .056, .033, .084};
	const double q[12] = {.041, .284, .122, .068, .890, .908, .997, .356, .377, .010, .018, .138};
	const int64_t best[3] = {2, 1, 0};
	int64_t partner[3];

	(void) state;
	assert_ok(tlv_match_columns(&ctx, 4, 3, r, q, partner));
	assert_memory_equal(partner, best, sizeof(best));
	assert_ok(tlv_match_columns(&ctx, 4, 3, r, r, partner));
	for (int64_t s = 0; s < 3; s++)
		assert_int_equal(partner[s], s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_matching, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
