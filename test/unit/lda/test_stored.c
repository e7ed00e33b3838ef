/*
 * test_stored.c - what is kept of documents and topics: moments of a few documents that refer to
 * their subspace, topics of many items in few bytes.
 */
#include "lda_fixture.h"

#define PARTS 40

static size_t
packed_size(tlv_frame frame)
{
	tlv_packing *packing;
	size_t size;

	assert_ok(tlv_frame_pack_image(&ctx, &frame, &packing, &size));
	tlv_packing_free(&ctx, packing);
	return size;
}

static tlv_frame
summary_of(const corpus *c)
{
	tlv_accumulator *summary;
	void *image;
	size_t size;

	assert_ok(tlv_count_pairs_create(&ctx, &summary));
	assert_ok(collect(summary, c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

static tlv_frame
subspace_of(tlv_frame pairs, size_t rank)
{
	tlv_subspace_options options = {.rank = rank, .seed = 1};

	return MADE(tlv_subspace_from_moments, &pairs, &options);
}

static tlv_frame
triples_of(tlv_frame subspace, corpus c, size_t from, size_t n)
{
	tlv_subspace *open;
	tlv_accumulator *triples;
	void *image;
	size_t size;

	c.bags += from;
	c.n = n;
	assert_ok(tlv_subspace_open(&ctx, &subspace, true, &open));
	assert_ok(tlv_count_triples_create(&ctx, open, &triples));
	assert_ok(collect(triples, &c, &image, &size));
	return checked(TLV_FRAME_MOMENTS, image, size);
}

/* Merged and fitted with the subspace they are what all documents are, in whatever order of parts
 * that hold it and parts that refer to it. */
TEST(test_reference)
{
	corpus c = simulate(400, 1500, 4, 50, .1, false);
	tlv_frame subspace = subspace_of(summary_of(&c), 4), other = subspace_of(summary_of(&c), 5);
	tlv_frame all = triples_of(subspace, c, 0, c.n), sum = {0}, most, least;
	tlv_lda_options options = {.alpha0 = .4, .eta = TLV_LDA_ETA, .seed = 1};
	size_t size, bags = 0, part = c.n / PARTS;
	void *image;

	for (size_t p = 0; p < PARTS; p++)
	{
		tlv_frame month = triples_of(subspace, c, p * part, part);

		assert_true(tlv_count_refers(&month));
		assert_true(packed_size(month) < 3000);
		sum = p == 0 ? month : merged(2, (tlv_frame[]){sum, month});
	}
	for (size_t t = 0; t < part; t++)
		bags += tlv_bag_image_size(c.bags[t]);
	assert_at_most(packed_size(triples_of(subspace, c, 0, part)), 3. * (double) bags);
	assert_true(tlv_count_refers(&sum));
	assert_false(tlv_count_refers(&all));
	assert_below(section_difference(all, sum, "triples"), 1e-9);
	assert_below(section_difference(all, sum, "totals"), 1e-300);

	assert_fails(tlv_lda_fit(&ctx, &sum, &options, &image, &size), TLV_BAD_PARAMETER,
				 "refer to the subspace");
	options.subspace = &other;
	assert_fails(tlv_lda_fit(&ctx, &sum, &options, &image, &size), TLV_BAD_PARAMETER,
				 "another subspace");
	assert_fails(tlv_lda_fit(&ctx, &all, &options, &image, &size), TLV_BAD_PARAMETER,
				 "another subspace");
	options.subspace = &subspace;
	assert_ok(tlv_lda_fit(&ctx, &sum, &options, &image, &size));
	assert_below(section_difference(fit(all, 0, .4), checked(TLV_FRAME_MODEL, image, size), "phi"),
				 1e-9);

	most = triples_of(subspace, c, part, c.n - part);
	least = triples_of(subspace, c, 0, part);
	assert_false(tlv_count_refers(&most));
	assert_below(section_difference(all, merged(2, (tlv_frame[]){most, least}), "triples"), 1e-9);
	assert_below(section_difference(all, merged(2, (tlv_frame[]){least, most}), "triples"), 1e-9);
	most = merged(2, (tlv_frame[]){most, least});
	least = merged(2, (tlv_frame[]){least, triples_of(subspace, c, part, c.n - part)});
	assert_false(tlv_count_refers(&most));
	assert_false(tlv_count_refers(&least));
	options.subspace = NULL;
	assert_ok(tlv_lda_fit(&ctx, &most, &options, &image, &size));
	assert_below(section_difference(fit(all, 0, .4), checked(TLV_FRAME_MODEL, image, size), "phi"),
				 1e-9);
}

/* exp(- mean log-likelihood of a token) under a model's topics, documents' mixtures inferred. */
static double
perplexity(const corpus *c, tlv_frame frame)
{
	double sum = 0, tokens = 0, value;
	tlv_model *model = open_model(frame);

	for (size_t t = 0; t < c->n; t++)
	{
		tlv_document document = {0};

		assert_ok(tlv_model_log_likelihood(&ctx, model, TLV_AS_BAG(c->bags[t]), &value));
		assert_ok(tlv_document_decode(&ctx, &document, c->bags[t]));
		sum += value;
		tokens += document.length;
	}
	return exp(-sum / tokens);
}

/* Topics as refinement leaves them: what was never seen has the pseudo-count. */
TEST(test_rounded_topics)
{
	corpus c = simulate(1500, 4000, 8, 60, .1, false), fresh;
	tlv_lda_parameters truth = {
		.k = c.k, .d = c.d, .items = c.items, .phi = c.phi, .alpha = c.alpha, .seed = 1};
	tlv_frame model;
	void *image, *copy;
	size_t size, before;
	double exact;

	assert_ok(tlv_lda_from_parameters(&ctx, &truth, &image, &size));
	model = refine(&c, checked(TLV_FRAME_MODEL, image, size), "gibbs");
	before = model.header->size;
	fresh = c;
	exact = perplexity(&fresh, model);
	copy = room(before, 1);
	memcpy(copy, model.header, before);
	assert_ok(tlv_model_round(&ctx, copy, before));
	model = checked(TLV_FRAME_MODEL, copy, before);
	assert_close(perplexity(&fresh, model) / exact, 1, 1e-3);
	assert_at_most(packed_size(model), (double) before / 4.5);
	memcpy(image = room(before, 1), copy, before);
	assert_ok(tlv_model_round(&ctx, image, before));
	assert_memory_equal(image, copy, before); /* once and for all */
}

/* A model of few numbers stays as it is. */
TEST(test_small_topics)
{
	corpus c = simulate(1, 500, 8, 60, .1, false);
	tlv_lda_parameters truth = {
		.k = c.k, .d = c.d, .items = c.items, .phi = c.phi, .alpha = c.alpha, .seed = 1};
	void *image, *copy;
	size_t size;

	assert_ok(tlv_lda_from_parameters(&ctx, &truth, &image, &size));
	copy = room(size, 1);
	memcpy(copy, image, size);
	assert_ok(tlv_model_round(&ctx, copy, size));
	assert_memory_equal(copy, image, size);
}

RUN_TESTS(setup, teardown)
