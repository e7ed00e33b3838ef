/*
 * test_source.c - views of rows: a fit over a fold is that of its rows, with support and errors,
 * and where it holds them in memory.
 */
#include "gmm_fixture.h"
#include "tensorlv/model/gmm.h"

#define FOLDS 3

typedef struct over_fold
{
	const tlv_gmm_learn_options *options;
	bool others;
	tlv_held model;
} over_fold;

static tlv_status
learn_fold(tlv_context *context, tlv_source *rows, void *argument)
{
	over_fold *to = argument;
	tlv_source view;

	if (to->others)
		tlv_source_without_fold(&view, rows, FOLDS, 1);
	else
		tlv_source_fold(&view, rows, FOLDS, 1);
	return tlv_learn(context, &tlv_gmm_procedure, to->options, &view, true, &to->model);
}

/* The rows of the fold alone, or of the others. */
static fixture_rows
rows_of(fixture_rows all, bool others)
{
	tlv_row *rows = room(all.n, sizeof(tlv_row));
	size_t n = 0;

	for (size_t t = 0; t < all.n; t++)
		if ((fixture_fold_of(&all.rows[t], FOLDS) == 1) != others)
			rows[n++] = all.rows[t];
	return (fixture_rows){n, rows};
}

TEST(test_folds)
{
	for (size_t d = 3; d <= 120; d += 117)
	{
		tlv_gmm_learn_options options = {
			.fit = {.k = 2, .seed = 1}, .refine = true, .iterations = 3};
		size_t n = 300;
		double *x = room(n * d, sizeof(double));
		fixture_rows all;
		tlv_rng rng;

		tlv_rng_stream(&rng, 1, d);
		for (size_t i = 0; i < n * d; i++)
			x[i] = tlv_rng_normal(&rng) + (i / d % 2 == 0 ? 3 : 0);
		all = fixture_rows_of(n, d, x);
		for (int others = 0; others <= 1; others++)
		{
			over_fold to = {.options = &options, .others = others == 1};
			tlv_frame alone;
			tlv_held none = {0};
			int passes_of_all;

			fixture_use_rows(all);
			assert_ok(fixture_learn(
				&passes, &(fixture_learner){.function = learn_fold, .argument = &to}, &none));
			passes_of_all = passes.passes;
			fixture_forget(&passes);
			fixture_use_rows(rows_of(all, others == 1));
			alone = procedure_model(&passes, &tlv_gmm_procedure, &options, true);
			assert_int_equal(passes.passes, passes_of_all);
			assert_int_equal(alone.header->size, to.model.size);
			assert_memory_equal(alone.header, to.model.image, to.model.size);
		}
	}
}

RUN_TESTS(setup, teardown)
