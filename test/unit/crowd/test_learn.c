/*
 * test_learn.c - the whole of learning from answers, with labels and without, and every fault
 * between two passes.
 */
#include "crowd_fixture.h"
#include "source_fixture.h"

static source_fixture passes;

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
	passes = (source_fixture){.ctx = &ctx, .memory = &memory};
	passes.rows[0] = (fixture_rows){r->n, rows};
	passes.changed = (fixture_rows){r->n / 2, rows + r->n / 2};
	if (labels)
		passes.rows[1] = (fixture_rows){n, known};
}

TEST(test_learn)
{
	crowd_rows r = draw(&(tlv_crowd_simulation){300, 20, 3, .3, 0, .6, 0, 1});
	tlv_frame model;
	tlv_crowd_parts parts;

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

static size_t
four_pieces(tlv_source *source, double row_bytes)
{
	assert_true(row_bytes >= 24);
	return 4;
}

/* Answers that are collected in pieces are those that are collected at once. */
TEST(test_pieces)
{
	crowd_rows r = draw(&(tlv_crowd_simulation){300, 20, 3, .3, 0, .6, 0, 1});
	tlv_memory_source answers[2];
	tlv_held model[2];

	use_answers(&r, false);
	for (int i = 0; i < 2; i++)
	{
		tlv_source_of_list(&answers[i], passes.rows[0].n, passes.rows[0].rows);
		answers[i].source.rows.form = TLV_ROW_ANSWER;
	}
	answers[1].source.pieces = four_pieces;
	for (int i = 0; i < 2; i++)
		assert_ok(tlv_learn(&ctx, &tlv_crowd_procedure, &tlv_crowd_defaults, &answers[i].source,
							false, &model[i]));
	assert_int_equal(model[0].size, model[1].size);
	assert_memory_equal(model[0].image, model[1].image, model[0].size);
	assert_null(answers[1].source.values);
}

TEST(test_faults)
{
	crowd_rows r = draw(&(tlv_crowd_simulation){100, 10, 2, .5, 0, .6, 0, 1});

	use_answers(&r, true);
	assert_int_equal(
		procedure_fail_everywhere(&passes, &tlv_crowd_procedure, &tlv_crowd_defaults, true), 3);
}

RUN_TESTS(setup, teardown)
