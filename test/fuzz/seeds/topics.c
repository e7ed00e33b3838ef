/*
 * topics.c - seeds of counts of documents, subspaces of items, topic models and what is collected
 * under them.
 */
#include "seeds.h"
#include "rows.h"

#include <math.h>
#include <stdio.h>

#include "tensorlv/model/counts.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/lda.h"

/* Documents over items 1, 2, 5, 9, 11, 12: two topics, nearly disjoint. */
static const tlv_bag_image *
document(size_t t)
{
	static const int64_t topics[2][3] = {{1, 2, 5}, {9, 11, 12}};
	int64_t items[4];
	double counts[4];
	size_t size;

	for (size_t i = 0; i < 3; i++)
	{
		items[i] = topics[t % 2][i];
		counts[i] = 1 + (double) tlv_rng_below(&rng, 4);
	}
	return make_bag(3, items, counts, &size);
}

static tlv_frame
collect(const char *name, tlv_accumulator *accumulator)
{
	for (size_t t = 0; t < 20; t++)
		must(tlv_add(&ctx, accumulator, TLV_AS_BAG(document(t))));
	return save_collected(name, accumulator);
}

/* Few enough that they are stored in the place of their sums. */
static void
save_documents(const char *name, tlv_accumulator *accumulator)
{
	for (size_t t = 0; t < 2; t++)
		must(tlv_add(&ctx, accumulator, TLV_AS_BAG(document(t))));
	save_stored(name, accumulator);
}

/* To be repaired, and fitted in other ways than the usual one (fuzz_frame.c). */
static void
save_for_fits(const char *name, const tlv_frame *triples)
{
	for (int mode = 3; mode <= 9; mode += mode - 1)
	{
		char full[40];

		snprintf(full, sizeof(full), "%s-%d", name, mode);
		save("frame", full, mode, triples->header, triples->header->size);
	}
}

static tlv_frame
save_moments(bool distinct)
{
	tlv_accumulator *accumulator;
	tlv_subspace_options options = {.rank = 2, .distinct = distinct, .seed = 1};
	tlv_subspace *subspace;
	tlv_frame frame, pairs;
	void *image;
	size_t size;

	must(tlv_count_summary_create(&ctx, &accumulator));
	frame = collect("summary", accumulator);
	must(tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size));
	frame = save_frame(distinct ? "random-distinct" : "random", image, size);
	must(tlv_subspace_open(&ctx, &frame, false, &subspace));
	must(tlv_count_products_create(&ctx, subspace, &accumulator));
	frame = collect(distinct ? "products-distinct" : "products", accumulator);
	must(tlv_count_products_create(&ctx, subspace, &accumulator));
	save_documents(distinct ? "products-documents-distinct" : "products-documents", accumulator);
	must(tlv_count_pairs_create(&ctx, &accumulator));
	pairs = collect("pairs", accumulator);
	must(tlv_subspace_from_moments(&ctx, &pairs, &options, &image, &size));
	frame = save_frame(distinct ? "subspace-distinct" : "subspace", image, size);
	must(tlv_subspace_open(&ctx, &frame, true, &subspace));
	must(tlv_count_triples_create(&ctx, subspace, &accumulator));
	save_documents("triples-documents", accumulator);
	must(tlv_count_summary_create(&ctx, &accumulator));
	save_documents("summary-documents", accumulator);
	must(tlv_count_pairs_create(&ctx, &accumulator));
	save_documents("pairs-documents", accumulator);
	must(tlv_count_triples_create(&ctx, subspace, &accumulator));
	frame = collect(distinct ? "triples-distinct" : "triples", accumulator);
	save_for_fits(distinct ? "triples-distinct" : "triples", &frame);
	return frame;
}

/* Anchor moments, and the model with the anchors that they give. */
static void
save_anchors(void)
{
	const tlv_lda_options options = {.k = 2, .alpha0 = NAN, .eta = 0.1, .seed = 1};
	const tlv_subspace_options two = {.rank = 2, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_subspace *subspace;
	tlv_frame frame;
	void *image;
	size_t size;

	must(tlv_count_pairs_create(&ctx, &accumulator));
	frame = collect("pairs", accumulator);
	must(tlv_subspace_from_moments(&ctx, &frame, &two, &image, &size));
	must(tlv_frame_open(&ctx, image, size, &frame));
	must(tlv_subspace_open(&ctx, &frame, true, &subspace));
	must(tlv_anchor_moments_create(&ctx, subspace, &accumulator));
	frame = collect("anchor-moments", accumulator);
	must(tlv_anchor_moments_create(&ctx, subspace, &accumulator));
	save_documents("anchor-moments-documents", accumulator);
	must(tlv_lda_fit_anchors(&ctx, &frame, &options, &image, &size));
	frame = save_frame("anchors", image, size);
	must(tlv_lda_fix(&ctx, &frame, &frame, &image, &size));
	save_frame("fixed", image, size);
}

/* Statistics of errors of refined topics, and the model with what they say. */
static void
save_errors(const tlv_frame *model)
{
	tlv_accumulator *accumulator;
	tlv_model *open;
	tlv_frame errors;
	void *image;
	size_t size;

	must(tlv_kind_lda.model->open(&ctx, model, &open));
	must(tlv_kind_lda.model->errors(&ctx, open, &accumulator));
	errors = collect("errors-refined", accumulator);
	must(tlv_errors_put(&ctx, model, &errors, &image, &size));
	save_frame("with-errors", image, size);
}

static void
save_models(tlv_frame triples)
{
	const tlv_model_class *class = tlv_kind_lda.model;

	for (int single = 0; single < 2; single++)
	{
		tlv_lda_options options = {.k = 2, .alpha0 = single ? 0 : 1, .eta = 0.1, .seed = 1};
		tlv_accumulator *accumulator;
		tlv_model *open;
		tlv_frame model, updated, statistics;
		void *image;
		size_t size;

		must(tlv_lda_fit(&ctx, &triples, &options, &image, &size));
		model = save_frame(single ? "single" : "lda", image, size);
		must(class->open(&ctx, &model, &open));
		must(class->statistics(&ctx, open, "gibbs", &accumulator));
		statistics = collect(single ? "statistics-single" : "statistics", accumulator);
		must(class->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
		updated = save_frame(single ? "updated-single" : "updated", image, size);
		save_errors(&updated);
		if (!single)
		{
			must(class->statistics(&ctx, open, "ctm", &accumulator));
			statistics = collect("statistics-correlated", accumulator);
			must(class->update(&ctx, &model, &statistics, &(tlv_step){1, NULL}, &image, &size));
			save_frame("correlated", image, size);
		}
		must(class->statistics(&ctx, open, "held_out", &accumulator));
		collect("held-out", accumulator);
		must(class->completion(&ctx, open, &accumulator));
		collect("completion", accumulator);
		must(class->coherence(&ctx, open, 3, &accumulator));
		collect("coherence", accumulator);
		must(tlv_statistic_create(
			&ctx, &(tlv_statistic){.aggregate = &tlv_aggregate_topic_products, .constant = &model},
			&accumulator));
		collect("topic-products", accumulator);
		must(class->errors(&ctx, open, &accumulator));
		collect(single ? "errors-single" : "errors", accumulator);
	}
}

SEEDS(topics)
{
	save_models(save_moments(false));
	save_moments(true);
	save_anchors();
}
