/*
 * test_model.c - what is done with a fitted model: refinement, extension,
 * coherence; and what happens when memory runs out or the user cancels.
 */
#include "lda_fixture.h"
#include "tensorlv/num/linalg.h"
#include "infer.h"

/* ---- refinement and extension ---- */

TEST(test_update)
{
	corpus c = simulate(1500, 200, 5, 40, 0.2, false);
	tlv_frame start = fit(moments(&c, 5), 5, 1);
	double before = compare(&c, start).mean;

	for (int m = 0; m < 2; m++)
	{
		tlv_frame model = start;
		double perplexity[3];

		for (int step = 1; step <= 3; step++)
		{
			char name[40];

			model = refine(&c, model, m == 0 ? "gibbs" : "stepwise");
			snprintf(name, sizeof(name), "perplexity_before_step_%d", step);
			perplexity[step - 1] = present_diagnostic(model, name);
			assert_equal(tlv_frame_scalar(&model, "steps", 0), step);
			assert_equal(present_diagnostic(model, "refinement_steps"), step);
		}
		assert_above(perplexity[0], perplexity[2]);
		assert_above(perplexity[2], 1);
		assert_below(perplexity[0], 200);
		assert_below(compare(&c, model).mean, before);
		/* what the fit said is still there */
		assert_equal(present_diagnostic(model, "residual"), present_diagnostic(start, "residual"));
		/* same statistics, same bytes */
		assert_true(tlv_digest_equal(&refine(&c, start, "gibbs").header->digest,
									 &refine(&c, start, "gibbs").header->digest));
	}
}

/* Statistics in parts are those of the whole; those of another model are refused. */
TEST(test_statistics)
{
	corpus c = simulate(400, 100, 3, 30, 0.2, false), half = c, rest = c;
	tlv_frame model = fit(moments(&c, 3), 3, 0.6), other, whole, parts[2], forged;
	tlv_accumulator *accumulator, *merged;
	tlv_model *open;
	void *image;
	size_t size;

	half.n = 150;
	rest.bags += 150;
	rest.n -= 150;
	open = open_model(model);
	for (int p = 0; p < 3; p++)
	{
		assert_ok(tlv_kind_lda.model->statistics(&ctx, open, "gibbs", &accumulator));
		assert_ok(collect(accumulator, p == 0 ? &c : p == 1 ? &half : &rest, &image, &size));
		*(p == 0 ? &whole : &parts[p - 1]) = checked(TLV_FRAME_MOMENTS, image, size);
	}
	assert_ok(tlv_accumulator_create(&ctx, tlv_kind_topic_statistics.accumulator, &merged));
	assert_int_equal(tlv_add(&ctx, merged, TLV_AS_BAG(c.bags[0])), TLV_BAD_PARAMETER);
	for (int p = 2; p-- > 0;)
		assert_ok(merged->class->merge(&ctx, merged, &parts[p]));
	parts[0] = stored(merged);
	assert_equal(tlv_frame_scalar(&whole, "documents", 0), 400);
	assert_equal(tlv_frame_scalar(&whole, "tokens", 0), 400 * 30);
	assert_at_most(section_difference(whole, parts[0], "expected"), 1e-9);
	other = refine(&c, model, "gibbs");
	assert_int_equal(
		tlv_kind_lda.model->update(&ctx, &other, &whole, &tlv_whole_step, &image, &size),
		TLV_BAD_PARAMETER);
	assert_string_not_equal(ctx.error.hint, "");
	assert_int_equal(tlv_kind_lda.model->statistics(&ctx, open, "em", &accumulator),
					 TLV_BAD_PARAMETER);
	/* a forged value: this model's fingerprint, fewer items */
	tlv_frame_begin(&builder, TLV_FRAME_MOMENTS, TLV_KIND_TOPIC_STATISTICS);
	tlv_frame_add_from(&builder, &whole, (const char *const[]){"expected", NULL});
	tlv_frame_add(&builder, "expected", TLV_FLOAT64, 3, 1, tlv_frame_float64(&whole, "expected"));
	forged = MADE(tlv_frame_finish, &builder);
	assert_int_equal(
		tlv_kind_lda.model->update(&ctx, &model, &forged, &tlv_whole_step, &image, &size),
		TLV_CORRUPT);
	assert_int_equal(merged->class->merge(&ctx, merged, &forged), TLV_BAD_PARAMETER);
}

/* Topics after a step of that weight, and where each was before. */
static tlv_frame
stepped(tlv_frame model, const tlv_frame *statistics, double weight, int64_t *order)
{
	tlv_step step = {weight, order};

	return MADE(tlv_kind_lda.model->update, &model, statistics, &step);
}

/* Old topics, new counts and the smoothing count by the weight w as step_prior.h derives: n (theta
 * phi) and c with 1 - w and w, the smoothing of the old with w (1 - w) and the new one with w^2. */
TEST(test_weight)
{
	static const double weights[] = {1e-9, 0.01, 0.3, 0.9, 1};
	corpus c = simulate(400, 100, 3, 30, 0.2, false), few = c;
	tlv_frame model = refine(&c, fit(moments(&c, 3), 3, 0.6), "gibbs"), statistics;
	size_t d = tlv_frame_find(&model, "phi")->columns;
	double eta = tlv_frame_scalar(&model, "eta", 0), tokens;
	const double *phi = tlv_frame_float64(&model, "phi"), *counts;
	void *image;
	size_t size;

	few.n = 3;
	assert_ok(collect(statistics_begin(model, "gibbs"), &few, &image, &size));
	statistics = checked(TLV_FRAME_MOMENTS, image, size);
	tokens = tlv_frame_scalar(&statistics, "tokens", 0);
	counts = tlv_frame_float64(&statistics, "expected");
	assert_above(eta, 0);
	for (int s = 0; s < 5; s++)
	{
		double w = weights[s];
		int64_t order[3];
		tlv_frame next = stepped(model, &statistics, w, order);

		for (size_t j = 0; j < 3; j++)
		{
			size_t was = (size_t) order[j];
			double n = tokens * tlv_frame_float64(&model, "weights")[was];
			double old = (1 - w) * (n + w * eta * (double) d);
			double sum = old + w * w * eta * (double) d;

			for (size_t i = 0; i < d; i++)
				sum += w * counts[i * 3 + was];
			for (size_t i = 0; i < d; i++)
				assert_close(tlv_frame_float64(&next, "phi")[i * 3 + j],
							 (old * phi[i * 3 + was] + w * counts[i * 3 + was] + w * w * eta) / sum,
							 1e-12);
			for (size_t i = 0; i < d && w < 1e-6; i++)
				assert_close(tlv_frame_float64(&next, "phi")[i * 3 + j], phi[i * 3 + was], 1e-7);
		}
	}
}

TEST(test_extend)
{
	corpus c = simulate(1500, 150, 4, 40, 0.2, false), part = c;
	tlv_accumulator *summary;
	tlv_frame all, small, model, extended;
	void *image;
	size_t size, d;

	/* A model over the items that many documents hold, extended to all of them. */
	assert_ok(tlv_count_pairs_create(&ctx, &summary));
	assert_ok(collect(summary, &part, &image, &size));
	all = checked(TLV_FRAME_MOMENTS, image, size);
	{
		tlv_subspace_options options = {.rank = 4, .minimum_documents = 150, .seed = 1};
		tlv_subspace *subspace;
		tlv_accumulator *triples;

		small = MADE(tlv_subspace_from_moments, &all, &options);
		assert_ok(tlv_subspace_open(&ctx, &small, true, &subspace));
		assert_ok(tlv_count_triples_create(&ctx, subspace, &triples));
		assert_ok(collect(triples, &c, &image, &size));
		model = fit(checked(TLV_FRAME_MOMENTS, image, size), 4, 0.8);
	}
	d = tlv_frame_find(&all, "items")->rows;
	assert_below(tlv_frame_find(&model, "items")->rows, d);
	extended = MADE(tlv_lda_extend, &model, &all, 1, 0.05, false);
	assert_int_equal(tlv_frame_find(&extended, "items")->rows, d);
	for (size_t j = 0; j < 4; j++)
	{
		double sum = 0;

		for (size_t i = 0; i < d; i++)
		{
			double p = tlv_frame_float64(&extended, "phi")[i * 4 + j];

			assert_at_least(p, 0.05 * tlv_frame_float64(&extended, "shares")[i] * (1 - 1e-12));
			sum += p;
		}
		assert_close(sum, 1, 1e-12);
	}
	assert_below(compare(&c, extended).mean, 0.2);
	assert_below(compare(&c, refine(&c, extended, "gibbs")).mean, compare(&c, extended).mean);
	/* A summary without some of the model's items: topics still are distributions. */
	part.n = 3;
	assert_ok(tlv_count_summary_create(&ctx, &summary));
	assert_ok(collect(summary, &part, &image, &size));
	all = checked(TLV_FRAME_MOMENTS, image, size);
	assert_ok(tlv_lda_extend(&ctx, &model, &all, 1, 0, false, &image, &size));
	checked(TLV_FRAME_MODEL, image, size);
}

/* Two topics over three items. */
static tlv_status
from_parameters(const int64_t *items, const double *phi, const double *alpha, void **image,
				size_t *size)
{
	tlv_lda_parameters parameters = {
		.k = 2, .d = 3, .items = items, .phi = phi, .alpha = alpha, .seed = 9};

	return tlv_lda_from_parameters(&ctx, &parameters, image, size);
}

TEST(test_from_parameters)
{
	const int64_t items[3] = {-4, 2, 9};
	const double phi[6] = {1, 2, 3, 0, 0, 2}, alpha[2] = {0.5, 1.5}, bad[2] = {0.5, 0};
	double negative[6];
	tlv_frame model;
	void *image;
	size_t size;

	assert_ok(from_parameters(items, phi, alpha, &image, &size));
	model = frame_of(image, size);
	/* normalised, and ordered by decreasing alpha: the second topic comes first */
	assert_equal(tlv_frame_float64(&model, "phi")[0], 0.5);
	assert_equal(tlv_frame_float64(&model, "phi")[1], 0.25);
	assert_equal(tlv_frame_float64(&model, "alpha")[0], 1.5);
	assert_equal(tlv_frame_float64(&model, "weights")[1], 0.25);
	assert_close(tlv_frame_float64(&model, "shares")[0], 0.75 * 0.5 + 0.25 * 0.25, 1e-15);
	assert_equal(tlv_frame_scalar(&model, "alpha0", 0), 2);
	assert_int_equal(from_parameters(items, phi, bad, &image, &size), TLV_BAD_PARAMETER);
	memcpy(negative, phi, sizeof(phi));
	negative[3] = -1;
	assert_int_equal(from_parameters(items, negative, alpha, &image, &size), TLV_BAD_PARAMETER);
	/* so different that a weight would vanish from the stored model */
	assert_int_equal(from_parameters(items, phi, (const double[]){1e-200, 1e200}, &image, &size),
					 TLV_BAD_PARAMETER);
	assert_int_equal(from_parameters(items, phi, (const double[]){1e308, 1e308}, &image, &size),
					 TLV_BAD_PARAMETER);
}

/* Joint document frequencies of top items, counted again by plain loops. */
TEST(test_coherence_counts)
{
	enum
	{
		TOP = 4,
		K = 3
	};
	corpus c = simulate(200, 60, K, 25, 0.2, false);
	tlv_frame model = fit(moments(&c, K), K, 0.6), frame;
	tlv_accumulator *accumulator;
	const int64_t *top;
	void *image;
	size_t size;
	tlv_model *open = open_model(model);

	assert_int_equal(tlv_kind_lda.model->coherence(&ctx, open, 1, &accumulator), TLV_BAD_PARAMETER);
	assert_ok(tlv_kind_lda.model->coherence(&ctx, open, TOP, &accumulator));
	assert_ok(collect(accumulator, &c, &image, &size));
	frame = checked(TLV_FRAME_MOMENTS, image, size);
	top = tlv_frame_int64(&frame, "items");
	for (size_t j = 0; j < K; j++)
		for (size_t a = 0; a < TOP; a++)
			for (size_t b = 0; b <= a; b++)
			{
				double both = 0;

				for (size_t t = 0; t < c.n; t++)
				{
					int64_t items[25];
					double counts[25];
					int found = 0;

					assert_ok(tlv_bag_read(&ctx, c.bags[t], items, counts));
					for (size_t i = 0; i < c.bags[t]->n; i++)
						found |= (items[i] == top[j * TOP + a]) | (items[i] == top[j * TOP + b])
																	  << 1;
					both += found == 3;
				}
				assert_equal(
					tlv_frame_float64(&frame,
									  "joint")[j * tlv_packed2_size(TOP) + tlv_packed2_index(a, b)],
					both);
			}
}

/* ---- cancelling and memory limits ---- */

/*
 * Everything a session does with a small corpus.  The bags stand outside the
 * context, so that it can be thrown away after an error.
 */
static tlv_status
whole_session(const corpus *c)
{
	tlv_accumulator *pairs, *triples, *statistics, *coherence, *completion;
	tlv_subspace_options sub = {.rank = 3, .seed = 1};
	tlv_lda_options options = {.k = 3, .alpha0 = NAN, .eta = 0.1, .seed = 1};
	tlv_frame frame, model, summary;
	tlv_subspace *subspace;
	tlv_model *open;
	double shares[3], value;
	void *image;
	size_t size;

	TLV_TRY(tlv_count_pairs_create(&ctx, &pairs));
	TLV_TRY(collect(pairs, c, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &summary));
	TLV_TRY(tlv_subspace_from_moments(&ctx, &summary, &sub, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &frame));
	TLV_TRY(tlv_subspace_open(&ctx, &frame, true, &subspace));
	TLV_TRY(tlv_count_triples_create(&ctx, subspace, &triples));
	TLV_TRY(collect(triples, c, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &frame));
	TLV_TRY(tlv_lda_fit(&ctx, &frame, &options, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &model));
	TLV_TRY(tlv_lda_extend(&ctx, &model, &summary, 1, 0.01, false, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &model));
	TLV_TRY(tlv_kind_lda.model->open(&ctx, &model, &open));
	TLV_TRY(infer_values(&ctx, open, TLV_AS_BAG(c->bags[0]), shares));
	TLV_TRY(tlv_model_log_likelihood(&ctx, open, TLV_AS_BAG(c->bags[0]), &value));
	TLV_TRY(tlv_kind_lda.model->coherence(&ctx, open, 5, &coherence));
	TLV_TRY(collect(coherence, c, &image, &size));
	TLV_TRY(tlv_kind_lda.model->completion(&ctx, open, &completion));
	TLV_TRY(collect(completion, c, &image, &size));
	TLV_TRY(tlv_kind_lda.model->statistics(&ctx, open, "gibbs", &statistics));
	TLV_TRY(collect(statistics, c, &image, &size));
	TLV_TRY(tlv_frame_open(&ctx, image, size, &frame));
	return tlv_kind_lda.model->update(&ctx, &model, &frame, &tlv_whole_step, &image, &size);
}

/* A corpus in plain memory. */
static corpus
outside(corpus c)
{
	for (size_t t = 0; t < c.n; t++)
	{
		size_t bytes = tlv_bag_image_size(c.bags[t]);
		void *copy = test_malloc(bytes);

		memcpy(copy, c.bags[t], bytes);
		c.bags[t] = copy;
	}
	c.bags = memcpy(test_malloc(c.n * sizeof(void *)), c.bags, c.n * sizeof(void *));
	return c;
}

static void
free_outside(corpus c)
{
	for (size_t t = 0; t < c.n; t++)
		test_free(c.bags[t]);
	test_free(c.bags);
}

/* Asked to stop at the n-th question, for many n: stopped at once, and nothing else happens. */
TEST(test_cancel)
{
	corpus c = outside(simulate(60, 40, 3, 20, 0.2, false));
	size_t questions, step;

	pool_reset(&memory, &ctx);
	assert_ok(whole_session(&c));
	questions = memory.calls;
	assert_above(questions, 50);
	step = questions / 150 + 1;
	for (size_t at = 1; at <= questions; at += step)
	{
		pool_reset(&memory, &ctx);
		assert_cancelled_at(at, whole_session(&c));
		assert_int_equal(ctx.error.code, TLV_CANCELLED);
	}
	free_outside(c);
}

/* At every limit TLV_MEMORY_LIMIT and no crash, and the limit is never exceeded. */
TEST(test_memory_limits)
{
	corpus c = outside(simulate(60, 40, 3, 20, 0.2, false));
	size_t peak;
	int refusals = 0;

	pool_reset(&memory, &ctx);
	assert_ok(whole_session(&c));
	peak = ctx.arena.peak;
	for (size_t limit = 0; limit < peak; limit += peak / 400 + 1)
	{
		pool_reset(&memory, &ctx);
		ctx.arena.limit = limit;
		assert_int_equal(whole_session(&c), TLV_MEMORY_LIMIT);
		assert_at_most(ctx.arena.peak, limit);
		refusals++;
	}
	assert_above(refusals, 100);
	/* Enough is enough: fits ask for what decomposing may need at most. */
	pool_reset(&memory, &ctx);
	ctx.arena.limit = peak + (size_t) tlv_lda_fit_memory(3, 40, &(tlv_lda_options){.k = 3});
	assert_ok(whole_session(&c));
	free_outside(c);
}

/* What the fit says it will need is what it needs: no less, and not much more than 8 MB more. */
TEST(test_memory_estimate)
{
	corpus c = simulate(500, 300, 8, 30, 0.2, false);
	tlv_frame triples = moments(&c, 8);
	tlv_lda_options options = {.k = 8, .alpha0 = 1, .eta = 0.1};
	double estimate = tlv_lda_fit_memory(8, 300, &options);
	size_t before = ctx.arena.used, size;
	void *image;

	ctx.arena.peak = before;
	assert_ok(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
	assert_at_most((double) (ctx.arena.peak - before), estimate + (double) size + 65536);
	assert_at_most(estimate, 4 * (double) (ctx.arena.peak - before) + 0x1p23);
}

RUN_TESTS(setup, teardown)
