/*
 * test_learn.c - the whole of learning from answers, with labels and without, and every fault
 * between two passes.
 */
#include "crowd_fixture.h"
#include "plan_fixture.h"

static plan_fixture passes;

static int
forget(void **state)
{
	plan_forget(&passes);
	return teardown(state);
}

/* Answers and, of every tenth item, what is true. */
static void
use_answers(const crowd_rows *r, bool labels)
{
	tlv_row *rows = room(r->n + r->items, sizeof(tlv_row)), *known = rows + r->n;
	int64_t *ids = room(3 * (r->n + r->items), sizeof(int64_t));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++, ids += 3)
	{
		ids[0] = (int64_t) r->rows[i].item;
		ids[1] = (int64_t) r->rows[i].worker;
		ids[2] = (int64_t) r->rows[i].answer;
		rows[i] = *TLV_AS_ANSWER(ids, NULL, ids + 1, NULL, ids + 2, NULL);
	}
	for (size_t item = 1; item <= r->items; item += 10, ids += 3)
	{
		ids[0] = (int64_t) item;
		ids[2] = (int64_t) r->truth[item];
		known[n++] = *TLV_AS_ANSWER(ids, NULL, NULL, NULL, ids + 2, NULL);
	}
	plan_forget(&passes);
	passes = (plan_fixture){.ctx = &ctx, .memory = &memory};
	passes.rows[0] = (plan_rows){r->n, rows};
	passes.changed = (plan_rows){r->n / 2, rows + r->n / 2};
	if (labels)
		passes.rows[1] = (plan_rows){n, known};
}

static void
test_learn(void **state)
{
	crowd_rows r = draw(&(tlv_crowd_simulation){300, 20, 3, .3, 0, .6, 0, 1});
	tlv_frame model;
	tlv_crowd_parts parts;

	(void) state;
	for (int labels = 0; labels <= 1; labels++)
	{
		use_answers(&r, labels == 1);
		model = procedure_model(&passes, &tlv_crowd_procedure, &tlv_crowd_defaults, false);
		tlv_crowd_read(&model, &parts);
		assert_int_equal(passes.passes, 1 + labels);
		assert_equal(parts.gold, labels == 1 ? 30.0 : 0.0);
		assert_below(wrong(&r, &model), 20);
	}
}

static void
test_faults(void **state)
{
	crowd_rows r = draw(&(tlv_crowd_simulation){100, 10, 2, .5, 0, .6, 0, 1});

	(void) state;
	use_answers(&r, true);
	assert_int_equal(
		procedure_fail_everywhere(&passes, &tlv_crowd_procedure, &tlv_crowd_defaults, true), 3);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_learn, setup, forget),
		cmocka_unit_test_setup_teardown(test_faults, setup, forget),
	};

	return cmocka_run_group_tests_name("crowd_learn", tests, NULL, NULL);
}
