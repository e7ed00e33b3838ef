/*
 * test_copies.c - workers who copy a common key are found and count as one; others are not, and
 * change nothing.
 */
#include "crowd_fixture.h"

/* Workers of whom the first copy, each answering `each` of 400 items on average. */
typedef struct copying
{
	size_t workers, copiers, k, each;
	double knows; /* what the key knows */
} copying;

/* A copier says what the key does in nine of ten answers.  Cliques have keys of their own. */
static crowd_rows
draw_copies(const copying *c, size_t cliques, uint64_t seed)
{
	const size_t items = 400;
	crowd_rows r = draw(&(tlv_crowd_simulation){
		items, c->workers, c->k, (double) c->each / (double) c->workers, .2, .8, 0, seed});
	size_t *key = room(cliques * (items + 1), sizeof(size_t));
	tlv_rng rng;

	tlv_rng_seed(&rng, 1000 + seed);
	for (size_t i = 0; i < cliques * (items + 1); i++)
		key[i] = tlv_rng_uniform(&rng) < c->knows && i % (items + 1) > 0
					 ? r.truth[i % (items + 1)]
					 : 1 + tlv_rng_below(&rng, c->k);
	for (size_t i = 0; i < r.n; i++)
		if (r.rows[i].worker <= c->copiers && tlv_rng_uniform(&rng) < .9)
			r.rows[i].answer = key[r.rows[i].worker % cliques * (items + 1) + r.rows[i].item];
	return r;
}

/* The group that the model has a worker in. */
static double
group_in(const tlv_crowd_parts *parts, int64_t worker)
{
	for (size_t j = 0; j < parts->workers_n && parts->copies != NULL; j++)
		if (parts->workers[j] == worker)
			return parts->copies[j];
	return 0;
}

/* Those of the workers from one to another whom a model has in a group. */
static double
named(const tlv_frame *model, size_t from, size_t to)
{
	tlv_crowd_parts parts;
	double n = 0;

	tlv_crowd_read(model, &parts);
	for (size_t j = from; j <= to; j++)
		n += group_in(&parts, (int64_t) j) > 0;
	return n;
}

/* Copiers are found, nobody else is named, and fewer items are wrong than where they count as
 * independent. */
ACCURACY_TEST(test_found)
{
	static const struct
	{
		copying c;
		double found, wrong, less; /* at least; at most, of 100; the least difference */
	} cases[] = {
		{{30, 8, 2, 10, .25}, .95, 5.0, 4},	  {{30, 8, 4, 5, .25}, .9, 23, 4},
		{{30, 8, 4, 10, .25}, .95, 7.0, 3},	  {{30, 8, 8, 10, .25}, .95, 7.5, 8},
		{{40, 12, 4, 10, .25}, .95, 7.5, 12}, {{40, 12, 2, 10, .25}, .95, 4.5, 8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		const copying *c = &cases[i].c;
		double found = 0, honest = 0, with = 0, without = 0;
		const int seeds = 5;

		for (uint64_t seed = 1; seed <= (uint64_t) seeds; seed++)
		{
			crowd_rows r = draw_copies(c, 1, seed);
			tlv_crowd_options options = tlv_crowd_defaults;
			tlv_frame answers = stored(collect(&r)), model = fit(&answers, &options);

			found += named(&model, 1, c->copiers) / (double) c->copiers / seeds;
			honest += named(&model, c->copiers + 1, c->workers) / seeds;
			with += wrong(&r, &model) / seeds;
			options.independent = true;
			model = fit(&answers, &options);
			without += wrong(&r, &model) / seeds;
			assert_equal(named(&model, 1, c->workers), 0);
			pool_reset(&memory, &ctx);
		}
		print_message("%zu workers, %zu copy, k %zu, %zu answers: found %.2f, honest %.1f, wrong "
					  "%.1f, as independent %.1f\n",
					  c->workers, c->copiers, c->k, c->each, found, honest, with, without);
		assert_at_least(found, cases[i].found);
		assert_at_most(honest, .4);
		assert_below(with, cases[i].wrong);
		assert_above(without - with, cases[i].less);
	}
}

/* Where nobody copies, nobody is named, and the model is that of independent workers to the byte.
 */
TEST(test_nobody)
{
	static const size_t ks[] = {2, 4, 8}, each[] = {3, 5, 10};

	for (size_t i = 0; i < 9; i += EVERY(4))
		for (uint64_t seed = 4; seed <= 6; seed += EVERY(3))
		{
			copying c = {30, 0, ks[i / 3], each[i % 3], 0};
			crowd_rows r = draw_copies(&c, 1, seed);
			tlv_crowd_options options = tlv_crowd_defaults;
			tlv_frame answers = stored(collect(&r)), model = fit(&answers, &options), other;

			assert_equal(named(&model, 1, c.workers), 0);
			options.independent = true;
			other = fit(&answers, &options);
			assert_memory_equal(model.header->digest.bytes, other.header->digest.bytes,
								TLV_DIGEST_SIZE);
		}
}

/* Other numbers of workers and items, the same groups. */
TEST(test_order)
{
	copying c = {30, 8, 3, 10, .25};
	crowd_rows r = draw_copies(&c, 1, 3), other = r;
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults), moved;
	tlv_crowd_parts parts, moved_parts;

	other.rows = room(r.n, sizeof(tlv_crowd_answer));
	for (size_t i = 0; i < r.n; i++)
	{
		other.rows[i] = r.rows[i];
		other.rows[i].worker = 7 * r.rows[i].worker % 31;
		other.rows[i].item = 1000 - r.rows[i].item;
	}
	answers = stored(collect(&other));
	moved = fit(&answers, &tlv_crowd_defaults);
	tlv_crowd_read(&model, &parts);
	tlv_crowd_read(&moved, &moved_parts);
	assert_equal(named(&model, 1, 8), 8);
	for (int64_t j = 1; j <= 30; j++)
		assert_equal(group_in(&parts, j), group_in(&moved_parts, 7 * j % 31));
}

/* Two keys are two groups. */
TEST(test_two_groups)
{
	copying c = {40, 12, 4, 12, .25};
	crowd_rows r = draw_copies(&c, 2, 1);
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
	tlv_crowd_parts parts;

	tlv_crowd_read(&model, &parts);
	for (int64_t j = 1; j <= 12; j++)
	{
		assert_above(group_in(&parts, j), 0);
		assert_equal(group_in(&parts, j), group_in(&parts, 1 + (j - 1) % 2));
	}
	assert_unequal(group_in(&parts, 1), group_in(&parts, 2));
	assert_equal(named(&model, 13, 40), 0);
}

/* The warning says who, how many more, and how often. */
TEST(test_warning)
{
	copying c = {30, 8, 4, 10, .25};
	crowd_rows r = draw_copies(&c, 1, 2);
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
	tlv_warning warning = {0};

	assert_true(model_warns(&model, "copying_workers", &warning));
	assert_above(warning.score, .6);
	assert_below(warning.score, .95);
	assert_non_null(strstr(warning.message, "workers 1, 2, 3 and 5 more give the same answers"));
	assert_non_null(strstr(warning.hint, "copies => 'ignore'"));
}

/* As above of a new item: what two of a group say alike is what one says. */
static void
infer_new(const tlv_frame *frame, size_t n, const int64_t *workers, const int64_t *said, double *q)
{
	tlv_posterior posterior = {0};
	tlv_model *model;

	assert_ok(tlv_model_open(&ctx, frame, &model));
	assert_ok(tlv_model_infer(&ctx, model, TLV_AS_ANSWERS(n, workers, said), &posterior));
	memcpy(q, posterior.values, 4 * sizeof(double));
}

TEST(test_infer)
{
	copying c = {30, 8, 4, 10, .25};
	crowd_rows r = draw_copies(&c, 1, 2);
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
	const int64_t copiers[] = {1, 2}, honest[] = {29, 30}, alike[] = {3, 3};
	double one[4], two[4], both[4], sum = 0;

	infer_new(&model, 1, copiers, alike, one);
	infer_new(&model, 1, copiers + 1, alike, two);
	infer_new(&model, 2, copiers, alike, both);
	for (size_t h = 0; h < 4; h++)
		sum += sqrt(one[h] * two[h]);
	for (size_t h = 0; h < 4; h++)
		assert_close(both[h], sqrt(one[h] * two[h]) / sum, 1e-9);
	infer_new(&model, 1, honest, alike, one);
	infer_new(&model, 2, honest, alike, both);
	assert_unequal(one[0], both[0]);
}

/* Too little to compare: three workers, one answer, no item of two workers, all of them alike. */
TEST(test_too_little)
{
	tlv_accumulator *three = empty(), *one = empty(), *apart = empty(), *alike = empty();
	tlv_frame frame, model;

	for (int64_t i = 0; i < 200; i++)
	{
		for (int64_t j = 1; j <= 3; j++)
			give(three, i, j, i * 7919 % 3);
		for (int64_t j = 1; j <= 6; j++)
		{
			give(one, i, j, 1);
			give(alike, i, j, i * 7919 % 3);
		}
		give(apart, i, 1 + i % 6, i * 7919 % 3);
	}
	frame = stored(three);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 3), 0);
	frame = stored(one);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 6), 0);
	frame = stored(apart);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 6), 0);
	/* all who agree always may be right always */
	frame = stored(alike);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 6), 0);
}

/* What all know is no copying: known answers say so, also where the others guess. */
TEST(test_known)
{
	copying c = {20, 5, 4, 8, 1};
	crowd_rows r = draw_copies(&c, 1, 5);
	tlv_accumulator *answers = collect(&r);
	tlv_frame frame, model;

	for (size_t i = 1; i <= r.items; i++)
		give_known(answers, (int64_t) i, (int64_t) r.truth[i]);
	frame = stored(answers);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 20), 0);
}

/* More workers to an item than are compared, and a worker who answers twice. */
TEST(test_many_answers_of_an_item)
{
	copying c = {120, 20, 3, 60, .25};
	crowd_rows r = draw_copies(&c, 1, 4);
	tlv_accumulator *answers = collect(&r);
	tlv_frame frame, model;

	give(answers, 1, 1, 1);
	give(answers, 1, 1, 2);
	frame = stored(answers);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_equal(named(&model, 1, 20), 20);
	assert_equal(named(&model, 21, 120), 0);
}

/* Groups are integers from 0 to the most that there may be, one of every worker. */
TEST(test_forged)
{
	copying c = {30, 8, 4, 10, .25};
	crowd_rows r = draw_copies(&c, 1, 2);
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
	tlv_section *section = (tlv_section *) tlv_frame_find(&model, "copies");
	size_t last = section->rows - 1;

	assert_int_equal(changed(&model, "copies", last, 0), TLV_OK);
	assert_int_equal(changed(&model, "copies", last, 20), TLV_OK);
	assert_int_equal(changed(&model, "copies", last, 21), TLV_CORRUPT);
	assert_int_equal(changed(&model, "copies", last, .5), TLV_CORRUPT);
	assert_int_equal(changed(&model, "copies", 0, -1), TLV_CORRUPT);
	section->rows--;
	assert_int_equal(tlv_kind_check(&ctx, &tlv_kind_crowd, &model), TLV_CORRUPT);
}

RUN_TESTS(setup, teardown)
