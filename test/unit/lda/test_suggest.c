/*
 * test_suggest.c - what documents say about the number of topics: both criteria on simulated
 * documents, few documents, and every fault in every state.
 */

#include "lda_passes_fixture.h"

typedef struct asked
{
	size_t max_k;
	const char *criterion;
	tlv_suggestion *rows;
	size_t n;
} asked;

static tlv_status
suggest(tlv_context *context, tlv_source *rows, void *argument)
{
	asked *to = argument;
	tlv_lda_learn_options options = {
		.fit = {.alpha0 = NAN, .eta = TLV_LDA_ETA, .seed = 1},
		.max_k = to->max_k,
		.minimum_documents = -1,
		.iterations = -1,
	};

	return tlv_lda_suggest(context, rows, &options, to->criterion, &to->rows, &to->n);
}

static tlv_status
run(asked *to)
{
	tlv_held none;

	return fixture_learn(&passes, &(fixture_learner){.function = suggest, .argument = to}, &none);
}

/* The rows of one criterion; *n of them. */
static const tlv_suggestion *
suggested(size_t max_k, const char *wanted, size_t *n)
{
	asked to = {max_k, wanted, NULL, 0};

	fixture_forget(&passes);
	assert_ok(run(&to));
	*n = to.n;
	return to.rows;
}

static size_t
chosen_of(const tlv_suggestion *rows, size_t n)
{
	size_t k = 0, times = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].chosen)
		{
			k = rows[i].k;
			times++;
		}
	assert_int_equal(times, 1);
	return k;
}

/* True topics hold together; a mixture of all does not. */
static void
assert_coherent(size_t k)
{
	const tlv_suggestion *rows;
	double best = -1, all = 1, of_truth = -1;
	size_t n;

	rows = suggested(20, TLV_SUGGEST_COHERENCE, &n);
	assert_between(n, 3, TLV_PASS_STATISTICS);
	(void) chosen_of(rows, n);
	for (size_t j = 0; j < n; j++)
	{
		print_message("k %zu: %zu coherence %.4f +- %.4f%s\n", k, rows[j].k, rows[j].score,
					  rows[j].standard_error, rows[j].chosen ? " *" : "");
		assert_string_equal(rows[j].criterion, TLV_SUGGEST_COHERENCE);
		assert_true(rows[j].score >= -1 && rows[j].score <= 1);
		assert_true(isnan(rows[j].standard_error) == (rows[j].k == 1));
		best = fmax(best, rows[j].score);
		all = rows[j].k == 1 ? rows[j].score : all;
		of_truth = rows[j].k == k ? rows[j].score : of_truth;
		assert_int_equal(rows[j].chosen && rows[j].score < best, false);
	}
	assert_above(of_truth, all + 0.05);
	assert_above(of_truth, 0.8 * best);
}

/* Both find as many topics as there are; the curve rises up to there and no farther. */
ACCURACY_TEST(test_simulated)
{
	for (size_t k = 3; k <= 6; k += 3)
	{
		corpus c = simulate(3000, 80, k, 60, 0.1, false);
		const tlv_suggestion *rows;
		double before = -HUGE_VAL, top = 0;
		size_t n;

		use_corpus(&c);
		rows = suggested(20, TLV_SUGGEST_SIGNIFICANCE, &n);
		assert_int_equal(chosen_of(rows, n), k);
		for (size_t j = 0; j < n; j++)
		{
			assert_int_equal(rows[j].k, j + 1);
			assert_true(j < k ? rows[j].score > 3.5 : j > k || !(rows[j].score > 3.5));
		}
		rows = suggested(20, TLV_SUGGEST_HELD_OUT, &n);
		assert_at_most(n, TLV_PASS_STATISTICS);
		for (size_t j = 0; j < n; j++)
		{
			print_message("k %zu: %zu %.4f +- %.4f%s\n", k, rows[j].k, rows[j].score,
						  rows[j].standard_error, rows[j].chosen ? " *" : "");
			assert_string_equal(rows[j].criterion, TLV_SUGGEST_HELD_OUT);
			if (rows[j].k <= k)
				assert_above(rows[j].score, before);
			else
				assert_at_most(rows[j].score, top + 0.01);
			before = rows[j].score;
			top = rows[j].k == k ? rows[j].score : top;
			assert_below(rows[j].standard_error, 0.05);
		}
		assert_between(chosen_of(rows, n), k, k + 1);
		assert_int_equal(rows[0].k, 1);
		assert_coherent(k);
		teardown(NULL);
		setup(NULL);
	}
}

/* The rows of one criterion, which lie beside each other: one at least. */
static const tlv_suggestion *
rows_of(const tlv_suggestion *rows, size_t n, const char *criterion, size_t *length)
{
	size_t first = 0, after;

	while (first < n && strcmp(rows[first].criterion, criterion) != 0)
		first++;
	for (after = first; after < n && strcmp(rows[after].criterion, criterion) == 0;)
		after++;
	*length = after - first;
	assert_above(*length, 0);
	return rows + first;
}

/* Independent words: one topic by significance and likelihood; all three in one run. */
TEST(test_nothing)
{
	corpus c = simulate(1000, 40, 1, 40, 0.1, false);
	const tlv_suggestion *rows, *found;
	size_t n, length;

	use_corpus(&c);
	rows = suggested(10, NULL, &n);
	found = rows_of(rows, n, TLV_SUGGEST_SIGNIFICANCE, &length);
	assert_int_equal(chosen_of(found, length), 1);
	found = rows_of(rows, n, TLV_SUGGEST_HELD_OUT, &length);
	assert_int_equal(chosen_of(found, length), 1);
	(void) rows_of(rows, n, TLV_SUGGEST_COHERENCE, &length);
	assert_between(length, 1, TLV_PASS_STATISTICS);
}

/* One document, and two: an answer, if need be without a curve; none: the error for that. */
TEST(test_few)
{
	corpus c = simulate(40, 30, 2, 40, 0.1, false);
	const tlv_suggestion *rows;
	asked ten = {10, NULL, NULL, 0};
	size_t n, length;

	for (c.n = 1; c.n <= 40; c.n = c.n < 4 ? c.n + 1 : 4 * c.n)
	{
		use_corpus(&c);
		rows = suggested(10, NULL, &n);
		(void) rows_of(rows, n, TLV_SUGGEST_SIGNIFICANCE, &length);
	}
	fixture_forget(&passes);
	passes = (source_fixture){.ctx = &ctx, .memory = &memory};
	passes.told.form = TLV_ROW_BAG;
	assert_fails(run(&ten), TLV_NO_ROWS, "the query returns no rows");
}

/* Cancelled, or left without rows, anywhere: no value of the plans within stays behind. */
TEST(test_left)
{
	corpus c = simulate(300, 30, 2, 40, 0.1, false);
	asked four = {4, NULL, NULL, 0};
	int most;

	use_corpus(&c);
	assert_ok(run(&four));
	most = (int) passes.steps;
	assert_above(most, 20);
	for (int step = 1; step <= most; step++)
	{
		fixture_no_faults(&passes);
		passes.stop_at = step;
		passes.stop_after = 0;
		assert_int_equal(run(&four), TLV_CANCELLED);
		fixture_no_faults(&passes);
		passes.nothing_at = step;
		(void) run(&four);
	}
	fixture_no_faults(&passes);
}

RUN_TESTS(setup, teardown)
