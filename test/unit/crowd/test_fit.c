/*
 * test_fit.c - what is true and who is right, of simulated workers: figures, known answers, values
 * merged day by day, models that say what they know.
 */
#include "crowd_fixture.h"

/* From moments alone; where they do not tell the classes apart, all is wrong. */
static double
moments_wrong(const crowd_rows *r, const tlv_frame *answers, const tlv_crowd_options *options)
{
	tlv_frame model;
	void *image;
	size_t size;
	tlv_status status = tlv_crowd_fit(&ctx, answers, options, &image, &size);

	assert_true(status == TLV_OK || status == TLV_NOT_IDENTIFIABLE);
	if (status != TLV_OK)
		return 100;
	model = frame_of(image, size);
	return wrong(r, &model);
}

/* Mean errors over seeds of the majority, of one start and of both, with the pool and without. */
ACCURACY_TEST(test_figures)
{
	static const struct
	{
		tlv_crowd_simulation s;
		double both; /* at most */
	} cases[] = {
		{{800, 60, 2, .17, 0, .6, 0, 0}, 6.0},	  {{800, 60, 4, .17, 0, .5, 0, 0}, 11.0},
		{{2665, 60, 5, .10, 0, .6, 0, 0}, 18.8},  {{2665, 60, 5, .10, 0, .4, 0, 0}, 26.3},
		{{2000, 60, 3, .20, .1, .6, .3, 0}, 4.3},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
	{
		double plain = 0, majority = 0, moments = 0, both = 0, alone = 0;
		const int seeds = 5;

		for (int seed = 1; seed <= seeds; seed++)
		{
			tlv_crowd_simulation s = cases[i].s;
			tlv_crowd_options options = tlv_crowd_defaults;
			crowd_rows r;
			tlv_frame answers, model;

			s.seed = (uint64_t) seed;
			r = draw(&s);
			answers = stored(collect(&r));
			model = fit(&answers, &options);
			both += wrong(&r, &model) / seeds;
			options.shrink = 0;
			model = fit(&answers, &options);
			alone += wrong(&r, &model) / seeds;
			options.shrink = 1;
			options.start = TLV_CROWD_MAJORITY;
			model = fit(&answers, &options);
			majority += wrong(&r, &model) / seeds;
			options.plain = true;
			model = fit(&answers, &options);
			plain += wrong(&r, &model) / seeds;
			options.start = TLV_CROWD_MOMENTS;
			moments += moments_wrong(&r, &answers, &options) / seeds;
			pool_reset(&memory, &ctx);
		}
		print_message("items %zu k %zu share %g skill %g-%g adversarial %g: from the majority "
					  "%.2f, ascended %.2f; from moments %.2f; both %.2f, without the pool %.2f\n",
					  cases[i].s.items, cases[i].s.k, cases[i].s.share, cases[i].s.low,
					  cases[i].s.high, cases[i].s.adversarial, plain, majority, moments, both,
					  alone);
		assert_below(both, cases[i].both);
		assert_below(both, plain);
	}
}

/* Sums over items: the probability that is said of the answer, whether it is right, the log of the
 * truth's; and those given more than .95, right or not. */
typedef struct said_sums
{
	double items, said, right, log_loss, sure, sure_wrong;
} said_sums;

static void
add_said(const tlv_frame *model, const int64_t *truth, said_sums *sums)
{
	tlv_crowd_parts parts;

	tlv_crowd_read(model, &parts);
	for (size_t i = 0; i < parts.items_n; i++)
	{
		double said, of_truth = 0;
		bool right = consensus(&parts, i, &said) == truth[parts.items[i]];

		for (size_t h = 0; h < parts.k; h++)
			if (parts.answers[parts.component_answers[h]] == truth[parts.items[i]])
				of_truth = parts.posterior[h + parts.k * i];
		sums->items++;
		sums->said += said;
		sums->right += right;
		sums->log_loss -= log(fmax(of_truth, 1e-9));
		sums->sure += said > .95;
		sums->sure_wrong += said > .95 && !right;
	}
}

/* Every item's answers by some of 12 workers, who are right in .5 to .95 of 3 classes. */
static tlv_frame
fit_few(tlv_rng *rng, size_t items, size_t each, int64_t *truth)
{
	tlv_accumulator *answers = empty();
	tlv_frame frame;

	for (size_t i = 0; i < items; i++)
	{
		bool asked[12] = {false};

		truth[i] = (int64_t) (3 * tlv_rng_uniform(rng));
		for (size_t n = 0; n < each;)
		{
			size_t worker = (size_t) (12 * tlv_rng_uniform(rng));
			bool knows = tlv_rng_uniform(rng) < .5 + .45 * (double) worker / 11;
			int64_t other = (int64_t) (1 + 2 * tlv_rng_uniform(rng));

			if (asked[worker])
				continue;
			asked[worker] = true;
			n++;
			give(answers, (int64_t) i, (int64_t) worker, knows ? truth[i] : (truth[i] + other) % 3);
		}
	}
	frame = stored(answers);
	return fit(&frame, &tlv_crowd_defaults);
}

/* How probable an answer is said to be is near how often it is right, also where few are given. */
ACCURACY_TEST(test_said)
{
	static const struct
	{
		size_t items, each, sets;
		double above, log_loss, sure_wrong; /* at most */
	} cases[] = {{150, 3, 100, .045, .435, .035},
				 {150, 5, 100, .025, .215, .015},
				 {600, 5, 20, .010, .18, .012}};

	for (size_t c = 0; c < 3; c++)
	{
		int64_t truth[600];
		said_sums sums = {0};
		tlv_rng rng;

		tlv_rng_seed(&rng, 1 + c);
		for (size_t set = 0; set < cases[c].sets; set++)
		{
			tlv_frame model = fit_few(&rng, cases[c].items, cases[c].each, truth);

			add_said(&model, truth, &sums);
			pool_reset(&memory, &ctx);
		}
		print_message("%zu items, %zu answers each: said %.3f, right %.3f, log loss %.3f, of the "
					  "sure %.3f wrong\n",
					  cases[c].items, cases[c].each, sums.said / sums.items,
					  sums.right / sums.items, sums.log_loss / sums.items,
					  sums.sure_wrong / sums.sure);
		assert_below(fabs(sums.said - sums.right) / sums.items, cases[c].above);
		assert_below(sums.log_loss / sums.items, cases[c].log_loss);
		assert_below(sums.sure_wrong / sums.sure, cases[c].sure_wrong);
	}
}

/* Answers of days, merged, are the answers of all days, in whatever order they came. */
TEST(test_days)
{
	tlv_crowd_simulation s = {300, 20, 3, .3, .2, .8, 0, 1};
	crowd_rows r = draw(&s);
	tlv_accumulator *all = collect(&r), *merged = empty(), *days[3] = {empty(), empty(), empty()};
	tlv_frame whole, parts;

	for (size_t i = r.n; i-- > 0;)
		give(days[i % 3], (int64_t) r.rows[i].item, (int64_t) r.rows[i].worker,
			 (int64_t) r.rows[i].answer);
	for (int d = 0; d < 3; d++)
	{
		tlv_frame day = stored(days[d]);

		assert_ok(merged->class->merge(&ctx, merged, &day));
	}
	whole = stored(all);
	parts = stored(merged);
	assert_equal(whole.header->size, parts.header->size);
	assert_memory_equal(whole.header->digest.bytes, parts.header->digest.bytes, TLV_DIGEST_SIZE);
}

/* Known answers of a tenth of the items help with all others, where most workers are bad. */
TEST(test_gold)
{
	tlv_crowd_simulation s = {1000, 20, 3, .3, 0, .9, .5, 3};
	crowd_rows r = draw(&s);
	tlv_accumulator *answers = collect(&r);
	tlv_frame without = stored(answers), with, model, better;
	tlv_crowd_parts parts;

	for (size_t i = 1; i <= s.items / 10; i++)
		give_known(answers, (int64_t) i, (int64_t) r.truth[i]);
	with = stored(answers);
	model = fit(&without, &tlv_crowd_defaults);
	better = fit(&with, &tlv_crowd_defaults);
	print_message("wrong: %.2f without, %.2f with known answers\n", wrong(&r, &model),
				  wrong(&r, &better));
	assert_below(wrong(&r, &better), 6);
	tlv_crowd_read(&better, &parts);
	assert_equal(parts.gold, (double) s.items / 10);
	assert_equal(parts.rows, (double) r.n);
	for (size_t i = 0; i < parts.items_n; i++)
	{
		double sure;
		int64_t said = consensus(&parts, i, &sure);

		assert_equal(parts.known[i], parts.items[i] <= (int64_t) s.items / 10);
		if (parts.known[i] > 0)
		{
			assert_equal(said, (int64_t) r.truth[parts.items[i]]);
			assert_below(fabs(sure - (1)), 1e-12);
		}
	}
}

/* Two known answers of one item: one of them is true, and the workers say which. */
TEST(test_contradictory_gold)
{
	tlv_accumulator *answers = empty();
	tlv_frame frame, model;
	tlv_crowd_parts parts;
	tlv_warning warning;
	double sure;

	for (int64_t item = 1; item <= 30; item++)
		for (int64_t worker = 1; worker <= 4; worker++)
			give(answers, item, worker, item == 1 ? 2 : 1 + item % 3);
	give_known(answers, 1, 1);
	give_known(answers, 1, 2);
	give_known(answers, 2, 1); /* against all workers */
	frame = stored(answers);
	model = fit(&frame, &tlv_crowd_defaults);
	tlv_crowd_read(&model, &parts);
	assert_equal(consensus(&parts, 0, &sure), 2);
	assert_equal(consensus(&parts, 1, &sure), 1);
	assert_below(fabs(sure - (1)), 1e-12);
	assert_true(model_warns(&model, "contradictory_gold", &warning));
	assert_equal(warning.score, 1);
}

/* The share of right answers of every worker (from 1), over many items. */
static double *
true_accuracy(tlv_crowd_simulation s)
{
	double *right = room(2 * (s.workers + 1), sizeof(double)), *n = right + s.workers + 1;
	crowd_rows r;

	s.items = 50000;
	r = draw(&s);
	for (size_t i = 0; i < r.n; i++)
	{
		right[r.rows[i].worker] += r.rows[i].answer == r.rows[i].truth;
		n[r.rows[i].worker]++;
	}
	for (size_t j = 1; j <= s.workers; j++)
		right[j] /= n[j];
	return right;
}

/* How often workers are right is near the truth by as much as their errors say. */
ACCURACY_TEST(test_errors)
{
	tlv_crowd_simulation s = {2000, 100, 3, .1, .2, .9, 0, 0};
	double within = 0, n = 0, square = 0;

	for (s.seed = 1; s.seed <= 5; s.seed++)
	{
		crowd_rows r = draw(&s);
		tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
		double *accuracy = true_accuracy(s);
		tlv_crowd_parts parts;

		tlv_crowd_read(&model, &parts);
		for (size_t j = 0; j < parts.workers_n; j++)
		{
			double z = (accuracy[parts.workers[j]] - parts.accuracy[j]) / parts.accuracy_error[j];

			within += fabs(z) < 2;
			square += z * z;
			n++;
		}
		pool_reset(&memory, &ctx);
	}
	print_message("within two errors: %.3f, root mean square of errors: %.3f\n", within / n,
				  sqrt(square / n));
	assert_above(within / n, 0.92);
	assert_below(fabs(sqrt(square / n) - 1), 0.15);
}

/* Little to go by: one worker, one item, one answer, only known ones.
 */
TEST(test_little)
{
	tlv_accumulator *one = empty(), *alike = empty(), *known = empty();
	tlv_frame frame, model;
	tlv_crowd_parts parts;
	double sure;

	give(one, 7, 8, 9);
	frame = stored(one);
	model = fit(&frame, &tlv_crowd_defaults);
	tlv_crowd_read(&model, &parts);
	assert_equal(consensus(&parts, 0, &sure), 9);
	assert_below(fabs(sure - (1)), 1e-12);
	assert_true(model_warns(&model, "no_structure", NULL));
	for (int64_t i = 0; i < 40; i++)
		give(alike, i / 4, i % 4, -5);
	frame = stored(alike);
	model = fit(&frame, &tlv_crowd_defaults);
	assert_true(model_warns(&model, "no_structure", NULL));
	give_known(known, 1, 2);
	frame = stored(known);
	model = fit(&frame, &tlv_crowd_defaults);
	tlv_crowd_read(&model, &parts);
	assert_equal(parts.workers_n, 0);
	assert_equal(consensus(&parts, 0, &sure), 2);
}

/* Workers who answered once or twice: nothing but what all say tells what is true. */
TEST(test_strangers)
{
	for (int64_t workers = 300; workers >= 150; workers /= 2)
	{
		tlv_accumulator *answers = empty();
		tlv_frame frame, model;
		tlv_crowd_parts parts;
		double sure;

		for (int64_t i = 0; i < 300; i++)
			give(answers, i / 3, i % workers, i % 3 == 0 ? 1 : 1 + i / 3 % 2);
		frame = stored(answers);
		model = fit(&frame, &tlv_crowd_defaults);
		tlv_crowd_read(&model, &parts);
		for (size_t i = 0; i < parts.items_n; i++)
			assert_equal(consensus(&parts, i, &sure), 1 + parts.items[i] % 2);
	}
}

/* What cannot be put together, and what there are too many of. */
TEST(test_refused)
{
	const tlv_text name = {"a", 1};
	tlv_accumulator *numbers = empty(), *names = empty(), *many = empty();
	int64_t item = 1, worker = 2, answer = 3;
	tlv_frame a, b;
	void *image;
	size_t size;

	a = stored(numbers);
	assert_int_equal(tlv_crowd_fit(&ctx, &a, &tlv_crowd_defaults, &image, &size), TLV_NO_ROWS);
	give(numbers, item, worker, answer);
	assert_ok(tlv_add(&ctx, names, TLV_AS_ANSWER(&item, NULL, &worker, &name, &answer, NULL)));
	a = stored(numbers);
	b = stored(names);
	assert_int_equal(numbers->class->merge(&ctx, numbers, &b), TLV_BAD_PARAMETER);
	assert_int_equal(names->class->merge(&ctx, names, &a), TLV_BAD_PARAMETER);
	for (int64_t i = 0; i <= (int64_t) TLV_CROWD_MOST_ANSWERS; i++)
		give(many, 1, 1, i);
	a = stored(many);
	assert_int_equal(tlv_crowd_fit(&ctx, &a, &tlv_crowd_defaults, &image, &size), TLV_LIMIT);
}

/* Every number of an array is looked at: the last as the first. */
TEST(test_forged)
{
	tlv_crowd_simulation s = {50, 6, 2, .8, .3, .9, 0, 4};
	crowd_rows r = draw(&s);
	tlv_frame answers = stored(collect(&r)), model = fit(&answers, &tlv_crowd_defaults);
	size_t last = tlv_frame_find(&model, "items")->rows - 1;

	assert_int_equal(changed(&model, "known", last, 0), TLV_OK);
	assert_int_equal(changed(&model, "known", 0, .5), TLV_CORRUPT);
	assert_int_equal(changed(&model, "known", last, .5), TLV_CORRUPT);
	assert_int_equal(changed(&model, "item_answers", last, -1), TLV_CORRUPT);
	assert_int_equal(changed(&model, "posterior", last, .5), TLV_CORRUPT);
	assert_int_equal(changed(&model, "confusions", 0, 2), TLV_CORRUPT);
	assert_int_equal(changed(&model, "told", 2, 3), TLV_CORRUPT);
}

/* How many of 30 draws bring the warning that workers agree by chance only. */
static int
chance_warnings(tlv_crowd_simulation options)
{
	int warned = 0;

	for (uint64_t seed = 1; seed <= 30; seed++)
	{
		crowd_rows r;
		tlv_frame answers, model;

		options.seed = seed;
		r = draw(&options);
		answers = stored(collect(&r));
		model = fit(&answers, &tlv_crowd_defaults);
		warned += model_warns(&model, "no_structure", NULL);
	}
	return warned;
}

/* Workers who only have habits, and some who know a third of the answers. */
ACCURACY_TEST(test_chance)
{
	tlv_crowd_simulation options = {.items = 200, .workers = 15, .k = 3, .share = 0.33};

	assert_at_least(chance_warnings(options), 29);
	options.low = options.high = 0.35;
	assert_at_most(chance_warnings(options), 1);
}

/* Workers who know little: classes of moments get the names of their answers, which those of one
 * division exchange in these draws. */
TEST(test_poor_workers)
{
	static const uint64_t seeds[] = {25, 26, 38, 63};
	tlv_crowd_simulation options = {
		.items = 2665, .workers = 60, .k = 5, .share = 0.1, .low = 0, .high = 0.4};

	for (size_t i = 0; i < 4; i += EVERY(4))
	{
		crowd_rows r;
		tlv_frame answers, model;
		double of_100;

		options.seed = seeds[i];
		r = draw(&options);
		answers = stored(collect(&r));
		model = fit(&answers, &tlv_crowd_defaults);
		of_100 = wrong(&r, &model);
		print_message("%.1f of 100 wrong\n", of_100);
		assert_below(of_100, 35);
	}
}

/* As many answers to choose from as there may be need no memory for a tensor. */
TEST(test_many_answers)
{
	tlv_accumulator *answers = empty();
	tlv_frame frame, model;

	for (int64_t i = 0; i < 3000; i++)
		give(answers, i / 3, i % 3, i / 3 % 300);
	frame = stored(answers);
	ctx.arena.limit = ctx.arena.used + ((size_t) 64 << 20); /* a tensor of 300^3 takes 206 MB */
	model = fit(&frame, &tlv_crowd_defaults);
	ctx.arena.limit = SIZE_MAX;
	assert_equal(tlv_model_components(&model), 300);
}

/* The posterior by weights and confusions of the model, unnormalised. */
static double
by_parameters(const tlv_crowd_parts *parts, size_t h, size_t n, const int64_t *workers,
			  const int64_t *said)
{
	double q = parts->weights[h];

	for (size_t i = 0; i < n; i++)
		for (size_t column = 0; column < parts->workers_n * parts->answers_n; column++)
			if (parts->workers[column / parts->answers_n] == workers[i] &&
				parts->answers[column % parts->answers_n] == said[i])
				q *= parts->confusions[h + parts->k * column];
	return q;
}

/* A new item of the same workers gets what their confusions say of it; who is not known counts as
 * the pool does, what is not known is not informative. */
TEST(test_infer)
{
	tlv_crowd_simulation s = {500, 10, 3, .5, .3, .9, 0, 2};
	crowd_rows r = draw(&s);
	tlv_frame answers = stored(collect(&r)), frame = fit(&answers, &tlv_crowd_defaults);
	int64_t workers[64], said[64], unknown = 1000;
	tlv_posterior posterior = {0};
	tlv_crowd_parts parts;
	size_t n = 0;
	tlv_model *model;
	double value, sum = 0;

	for (size_t i = 0; i < r.n && n < 64; i++)
		if (r.rows[i].item == 5)
		{
			workers[n] = (int64_t) r.rows[i].worker;
			said[n++] = (int64_t) r.rows[i].answer;
		}
	tlv_crowd_read(&frame, &parts);
	assert_ok(tlv_model_open(&ctx, &frame, &model));
	assert_ok(tlv_model_infer(&ctx, model, TLV_AS_ANSWERS(n, workers, said), &posterior));
	for (size_t h = 0; h < parts.k; h++)
		sum += by_parameters(&parts, h, n, workers, said);
	for (size_t h = 0; h < parts.k; h++)
		assert_close(posterior.values[h], by_parameters(&parts, h, n, workers, said) / sum, 1e-9);
	assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_ANSWERS(0, NULL, NULL), &value));
	assert_below(fabs(value - (0)), 1e-12);
	assert_ok(tlv_model_infer(&ctx, model, TLV_AS_ANSWERS(1, workers, &unknown), &posterior));
	for (size_t h = 0; h < parts.k; h++)
		assert_below(fabs(posterior.values[h] - (parts.weights[h])), 1e-9);
	assert_ok(tlv_model_infer(&ctx, model, TLV_AS_ANSWERS(1, &unknown, said), &posterior));
	assert_above(posterior.values[0] + posterior.values[1] + posterior.values[2], 1 - 1e-9);
}

RUN_TESTS(setup, teardown)
