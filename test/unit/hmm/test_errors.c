/*
 * test_errors.c - scores of hidden Markov models against differences of the likelihood, and in how
 * many pieces sequences are.
 */
#include "hmm_fixture.h"
#include "tensorlv/model/errors.h"

static tlv_frame
errors_of(const tlv_frame *model, size_t n, const tlv_sequence *sequences)
{
	tlv_statistic statistic = {.aggregate = &tlv_aggregate_error_statistics, .constant = model};
	tlv_frame_builder *frame = room(1, sizeof(tlv_frame_builder));
	tlv_accumulator *accumulator;

	assert_ok(tlv_statistic_create(&ctx, &statistic, &accumulator));
	for (size_t i = 0; i < n; i++)
		add(accumulator, sequences[i], 0, sequences[i].n);
	tlv_frame_begin(frame, TLV_FRAME_MOMENTS, TLV_KIND_SCORE_PRODUCTS);
	assert_ok(accumulator->class->build(&ctx, accumulator, frame));
	return MADE(tlv_frame_finish, frame);
}

static double
likelihood_of(const tlv_frame *frame, const tlv_sequence *sequence)
{
	tlv_model *model;
	double value;

	assert_ok(tlv_hmm_open(&ctx, frame, &model));
	assert_ok(tlv_model_log_likelihood(&ctx, model, ROW_OF(*sequence), &value));
	return value;
}

/* Moves parameter `at` of the list by so much, a probability's logarithm. */
static void
move(const tlv_frame *frame, size_t at, double by)
{
	tlv_hmm_parts parts;
	double *emissions;
	size_t k, d;

	tlv_hmm_read(frame, &parts);
	k = parts.k;
	d = parts.d;
	emissions = (double *) parts.emissions;
	if (at < k)
		scale_one((double *) parts.initial, k, 1, at, exp(by));
	else if (at < k + k * k)
		scale_one((double *) parts.transitions + at / k * k - k, k, 1, at % k, exp(by));
	else if (!parts.gaussian)
		scale_one(emissions + (at - k - k * k) / d, d, k, (at - k - k * k) % d, exp(by));
	else if ((at - k - k * k) % (d + 1) < d)
		emissions[(at - k - k * k) / (d + 1) * d + (at - k - k * k) % (d + 1)] += by;
	else
		((double *) parts.variances)[(at - k - k * k) / (d + 1)] += by;
}

TEST(test_scores)
{
	const double step = 1e-5;

	for (int gaussian = 0; gaussian < 2; gaussian++)
	{
		tlv_frame model = simulated_model(gaussian ? 0 : 4, gaussian ? 2 : 0, 3, 5);
		size_t size = model.header->size;
		void *before = room(size, 1);
		int32_t *states;
		tlv_sequence sequence = drawn(model, 25, &states);
		tlv_frame errors = errors_of(&model, 1, &sequence);
		const tlv_section *scores = tlv_frame_find(&errors, "scores");

		assert_equal(tlv_frame_scalar(&errors, "pieces", 0), 1);
		assert_equal(tlv_frame_scalar(&errors, "units", 0), 25);
		assert_equal(scores->rows, gaussian ? 3 + 9 + 9 : 3 + 9 + 12);
		memcpy(before, model.header, size);
		for (size_t i = 0; i < scores->rows; i++)
		{
			double value[2];

			for (int side = 0; side < 2; side++)
			{
				move(&model, i, side == 0 ? -step : step);
				value[side] = likelihood_of(&model, &sequence);
				memcpy((void *) model.header, before, size);
			}
			assert_close(((const double *) tlv_section_data(&errors, scores))[i],
						 (value[1] - value[0]) / (2 * step), 1e-5);
		}
	}
}

/* Long sequences and short ones tell the same of transitions and emissions, step for step. */
TEST(test_pieces)
{
	tlv_frame model = simulated_model(4, 0, 2, 5), errors[2];
	tlv_sequence sequences[600], whole;
	int32_t *states;

	for (size_t i = 0; i < 600; i++)
		sequences[i] = drawn(model, 100, &states);
	whole = drawn(model, 60000, &states);
	errors[0] = errors_of(&model, 600, sequences);
	errors[1] = errors_of(&model, 1, &whole);
	assert_above(tlv_frame_scalar(&errors[1], "pieces", 0), 590);
	for (size_t i = 2; i < 14; i++)
	{
		size_t at = i * (i + 3) / 2;

		assert_between(tlv_frame_float64(&errors[0], "products")[at] /
						   tlv_frame_float64(&errors[1], "products")[at],
					   .75, 1.33);
	}
}

RUN_TESTS(setup, teardown)
