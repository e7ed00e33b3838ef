/*
 * topics.c - uses of subspaces of items, and moments that topic models are fitted to or belong to:
 * fits, steps.
 */
#include "uses.h"
#include "rows.h"

#include <math.h>
#include <stdlib.h>

#include "kind_uses.h"
#include "tensorlv/model/counts.h"
#include "tensorlv/model/lda.h"

#define MODE_SEARCH 2 /* estimate alpha0 */
#define MODE_SINGLE 4 /* single topic model */
#define MODE_SGD	8 /* other methods than joint */
#define MODE_POWER	16

/* Rows, then the stored form; false on error. */
static bool
collect(tlv_accumulator *accumulator, const tlv_frame *like, tlv_frame *frame)
{
	use_material material;

	gather_material(&ctx, like, &material);
	add_rows(&ctx, accumulator, &material);
	return build_checked(&ctx, &builder, accumulator, frame);
}

static void
use_subspace(const tlv_frame *frame)
{
	tlv_subspace_options options = {.seed = 1};

	tlv_subspace_change(frame);
	for (int compressed = 0; compressed < 2; compressed++)
	{
		tlv_subspace *subspace;
		tlv_accumulator *accumulator;
		tlv_frame moments;
		void *image;
		size_t size;

		USE(tlv_subspace_open(&ctx, frame, compressed, &subspace));
		if (compressed)
		{
			USE(tlv_anchor_moments_create(&ctx, subspace, &accumulator));
			if (!collect(accumulator, frame, &moments))
				return;
			accumulator->class->merge(&ctx, accumulator, &moments);
		}
		else
		{
			USE(tlv_pair_moments_create(&ctx, subspace, &accumulator));
			if (!collect(accumulator, frame, &moments))
				return;
			accumulator->class->merge(&ctx, accumulator, &moments);
		}
		USE(compressed ? tlv_count_triples_create(&ctx, subspace, &accumulator)
					   : tlv_count_products_create(&ctx, subspace, &accumulator));
		if (!collect(accumulator, frame, &moments))
			return;
		accumulator->class->merge(&ctx, accumulator, &moments);
		if (!compressed)
			tlv_subspace_from_moments(&ctx, &moments, &options, &image, &size);
	}
}

/* A subspace of so many items, which the moments say to belong to. */
static bool
subspace_for(const tlv_frame *moments, size_t n, size_t rank, tlv_frame *subspace)
{
	static const int64_t items[] = {1, 2, 3, 5, 7, 8};
	static const double counts[] = {1, 2, 1, 3, 1, 1};
	tlv_subspace_options options = {.rank = rank, .seed = 1};
	tlv_accumulator *accumulator;
	tlv_bag_image *bag;
	tlv_frame frame;
	void *image;
	size_t size;

	if (n == 0 || n > sizeof(items) / sizeof(items[0]))
		return false;
	bag = tlv_alloc0(&ctx, tlv_bag_size(n, items, counts), 1);
	if (bag == NULL)
		return false;
	tlv_bag_write(n, items, counts, bag);
	if (tlv_count_summary_create(&ctx, &accumulator) != TLV_OK ||
		tlv_add(&ctx, accumulator, TLV_AS_BAG(bag)) != TLV_OK ||
		!build_checked(&ctx, &builder, accumulator, &frame) ||
		tlv_subspace_from_moments(&ctx, &frame, &options, &image, &size) != TLV_OK ||
		tlv_frame_open(&ctx, image, size, subspace) != TLV_OK)
		return false;
	*(tlv_digest *) tlv_frame_digest(moments, "subspace") = subspace->header->digest;
	return true;
}

/* Products of a subspace as wide as theirs. */
static void
use_products(const tlv_frame *products)
{
	tlv_frame subspace;
	tlv_subspace_options options = {.subspace = &subspace};
	void *image;
	size_t size;

	if (subspace_for(products, tlv_frame_find(products, "rayleigh")->rows, 1, &subspace))
		tlv_subspace_from_moments(&ctx, products, &options, &image, &size);
}

static void
use_fit(const tlv_frame *frame, uint8_t mode)
{
	tlv_lda_options options = {.alpha0 = mode & MODE_SEARCH	  ? NAN
										 : mode & MODE_SINGLE ? 0
															  : 1.5,
							   .eta = 0.1,
							   .seed = 1};
	tlv_frame model;
	void *image;
	size_t size, k;
	double z[1024];

	options.decompose.method = mode & MODE_SGD	   ? TLV_METHOD_ALS
							   : mode & MODE_POWER ? TLV_METHOD_POWER
												   : TLV_METHOD_JOINT;
	if (tlv_frame_find(frame, "mean")->rows <= 1024)
		tlv_count_suggest_k(&ctx, frame, frame, z, &size, &k);
	if (tlv_frame_find(frame, "mean")->rows > 12)
		return; /* too slow here */
	USE(tlv_lda_fit(&ctx, frame, &options, &image, &size));
	/* A fit that succeeds gives a model that can be stored and read back. */
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &model) != TLV_OK)
		abort();
}

static void
use_anchors(const tlv_frame *frame, uint8_t mode, bool exact)
{
	const size_t first[] = {0, 1};
	bool any = tlv_frame_find(frame, "items")->rows > 0;
	const int64_t items[] = {any ? tlv_frame_int64(frame, "items")[0] : 1};
	tlv_lda_options options = {.alpha0 = mode & MODE_SEARCH ? NAN : 1.5,
							   .eta = 0.1,
							   .seed = 1,
							   .fewer = (mode & MODE_SINGLE) != 0};
	tlv_frame model;
	void *image;
	size_t size;

	if (mode & MODE_SGD)
		options.anchors = (tlv_lda_anchors){1, first, items, NULL};
	if (exact)
	{
		options.k = 1 + mode % 3u;
		options.recovery = (tlv_lda_recovery) (mode / 3u % 3);
		if (tlv_frame_find(frame, "items")->rows > 40)
			return; /* too slow here */
		USE(tlv_lda_fit_pairs(&ctx, frame, &options, &image, &size));
	}
	else
	{
		if (tlv_frame_find(frame, "basis")->rows > 12)
			return;
		USE(tlv_lda_fit_anchors(&ctx, frame, &options, &image, &size));
	}
	if (tlv_kind_validate(&ctx, image, size, TLV_FRAME_MODEL, &model) != TLV_OK)
		abort();
}

/* A small model that is always the same, for statistics to be used with. */
static bool
fixed_model(tlv_frame *model)
{
	static const int64_t items[4] = {1, 2, 5, 9};
	static const double phi[8] = {1, 2, 3, 4, 5, 6, 7, 8}, alpha[2] = {0.5, 1};
	void *image;
	size_t size;

	return tlv_lda_from_parameters(
			   &ctx,
			   &(tlv_lda_parameters){
				   .k = 2, .d = 4, .items = items, .phi = phi, .alpha = alpha, .seed = 1},
			   &image, &size) == TLV_OK &&
		   tlv_frame_open(&ctx, image, size, model) == TLV_OK;
}

/* The value says that it belongs to the fixed model: shapes must be compared none the less. */
static void
use_with_model(const tlv_frame *frame)
{
	tlv_digest *fingerprint = (tlv_digest *) tlv_frame_digest(frame, "model");
	tlv_accumulator *accumulator = NULL;
	tlv_model *open;
	tlv_frame model;
	void *image;
	size_t size;

	if (!fixed_model(&model))
		return;
	if (frame->header->kind == TLV_KIND_COUNT_SUMMARY ||
		frame->header->kind == TLV_KIND_COUNT_PAIRS) /* no fit has another one */
		tlv_lda_extend(&ctx, &model, frame, 1, 0.01, false, &image, &size);
	if (fingerprint == NULL)
		return;
	*fingerprint = model.header->digest;
	if (frame->header->kind == TLV_KIND_TOPIC_STATISTICS ||
		frame->header->kind == TLV_KIND_LOGISTIC_STATISTICS)
		tlv_model_update(&ctx, &model, frame, 1, &image, &size);
	USE(tlv_kind_lda.model->open(&ctx, &model, &open));
	if (frame->header->kind == TLV_KIND_TOPIC_STATISTICS)
		USE(tlv_kind_lda.model->statistics(&ctx, open, "gibbs", &accumulator));
	else if (frame->header->kind == TLV_KIND_LOGISTIC_STATISTICS)
		USE(tlv_kind_lda.model->statistics(&ctx, open, "ctm", &accumulator));
	else if (frame->header->kind == TLV_KIND_COHERENCE)
		USE(tlv_kind_lda.model->coherence(&ctx, open, 2, &accumulator));
	if (accumulator != NULL)
		accumulator->class->merge(&ctx, accumulator, frame);
}

USES(topics)
{
	tlv_subspace_options options = {
		.rank = 1 + mode % 3u, .minimum_documents = mode & 4, .distinct = mode & 8, .seed = mode};
	tlv_lda_correlations correlations;
	void *image;
	size_t size;

	if (kind == &tlv_kind_item_subspace)
		use_subspace(frame);
	if (kind == &tlv_kind_lda && tlv_lda_is_correlated(frame))
		tlv_lda_logistic_correlate(&ctx, frame, &correlations);
	if (kind->type != TLV_FRAME_MOMENTS)
		return;
	if (kind == &tlv_kind_count_summary || kind == &tlv_kind_count_pairs)
		tlv_count_trace(frame, options.minimum_documents);
	tlv_subspace_from_moments(&ctx, frame, &options, &image, &size);
	if (kind == &tlv_kind_count_products)
		use_products(frame);
	if (kind == &tlv_kind_count_triples)
		use_fit(frame, mode);
	if (kind == &tlv_kind_anchor_moments)
		use_anchors(frame, mode, false);
	if (kind == &tlv_kind_count_pairs)
		use_anchors(frame, mode, true);
	if (kind == &tlv_kind_topic_products)
		tlv_lda_correlate(&ctx, frame, &correlations);
	use_with_model(frame);
}
