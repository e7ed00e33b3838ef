/*
 * initialise.c - the model that refinement begins with (learn.h): the one that fits the third
 * moments, or where documents are few for k the one of anchor words.
 */
#include "learn.h"

#include <math.h>

/* What is added to every item of a topic, relative to its share of the corpus. */
#define SMOOTHING_DAMPED 0.1
#define SMOOTHING_RAW	 0.0

/* A given k is tested where the second eigenvalue of the pairs is below this multiple of the edge
 * of the spectrum that independent words have: on text it is ten times as large and more. */
#define DOUBTFUL_EDGES 3.0

/*
 * With fewer documents than this for every topic anchors are the initialisation, which are the
 * cheaper one.  Perplexity of documents that the model has not seen, 58 fits to fifteen corpora
 * with k = 10 to 100: .1 % less from anchors than from the tensor (standard error .2), with more
 * documents .6 % less (.8).  The winner of a contest of both on a held-out tenth was .3 % better
 * than anchors (.2), and took the time of both: with k = 100 twenty times as long.
 */
#define FEW_DOCUMENTS	40
#define LEAST_DOCUMENTS 100 /* in all, for anchors */

/*
 * For more topics than this anchors are the initialisation of any number of documents: third
 * moments take the cube of the directions in memory, and their decomposition grows faster than
 * that.  Perplexity and CPU seconds of the whole fit from anchors and from the tensor, k = 300:
 * newsgroups 1437 and 1583; AP 2278, 24 s, and 2294, 118 s; descriptions of packages (120 documents
 * a topic, ten words each) 147.5, 18 s, and 208.1, 125 s.  Simulated documents of 60 words, 61 a
 * topic, k = 220, which the tensor suits: 2900, 10 s, and 2889, 112 s, with topics far from the
 * truth from either (L1 1.67 and 1.69).
 */
#define CUBE_TOPICS 200

/* ---- a model from moments ---- */

/* All items of the corpus, smoothed. */
static tlv_status
model_extend(tlv_context *ctx, lda_learning *fit)
{
	double smoothing = fit->counts.damped ? SMOOTHING_DAMPED : SMOOTHING_RAW;
	const tlv_frame *summary = fit->words != NULL ? fit->words : fit->summary;
	tlv_making made;

	return TLV_MAKE(ctx, &made, &fit->model,
					tlv_lda_extend(ctx, &fit->model.frame, summary,
								   fit->words != NULL ? LDA_REPEATS : 1, smoothing,
								   fit->options.refine != NULL, &made.image, &made.size));
}

/* alpha0 of words in bursts is not of the moments, which give one to anchors. */
static tlv_status
fit_moments(tlv_context *ctx, const lda_learning *fit, const tlv_frame *moments, void **image,
			size_t *size)
{
	tlv_lda_options options = fit->options.fit;

	if (moments->header->kind == TLV_KIND_COUNT_TRIPLES)
		return tlv_lda_fit(ctx, moments, &options, image, size);
	if (options.alpha0_free)
		options.alpha0 = NAN;
	return tlv_lda_fit_anchors(ctx, moments, &options, image, size);
}

/* Of moments that identify no topic, the corpus as one. */
static tlv_status
model_fit(tlv_context *ctx, lda_learning *fit, const tlv_frame *moments)
{
	tlv_making made;
	tlv_status status;

	fit->options.fit.k = fit->k;
	fit->options.fit.fewer = true;
	fit->options.fit.repeated = fit->counts.repeats > 0;
	fit->options.fit.subspace = tlv_count_refers(moments) ? &fit->subspace.frame : NULL;
	status =
		TLV_MAKE(ctx, &made, &fit->model, fit_moments(ctx, fit, moments, &made.image, &made.size));
	if (status == TLV_NOT_IDENTIFIABLE)
		return TLV_MAKE(
			ctx, &made, &fit->model,
			tlv_lda_corpus_topic(ctx, fit->summary, &fit->options.fit, &made.image, &made.size));
	if (status == TLV_OK)
		fit->identified = tlv_frame_find(&fit->model.frame, "phi")->rows;
	return status;
}

/* As many topics as were asked for: where the moments give fewer, parts of those. */
static tlv_status
model_fill(tlv_context *ctx, lda_learning *fit)
{
	tlv_making made;

	if (fit->identified >= fit->k)
		return TLV_OK;
	return TLV_MAKE(ctx, &made, &fit->model,
					tlv_lda_fill(ctx, &fit->model.frame, fit->k, &made.image, &made.size));
}

/* The fixed topics in their places. */
static tlv_status
model_fix(tlv_context *ctx, lda_learning *fit)
{
	tlv_making made;

	if (fit->options.fixed == NULL)
		return TLV_OK;
	return TLV_MAKE(
		ctx, &made, &fit->model,
		tlv_lda_fix(ctx, &fit->model.frame, fit->options.fixed, &made.image, &made.size));
}

/* All items and topics, of what the moments have given. */
static tlv_status
model_complete(tlv_context *ctx, lda_learning *fit)
{
	TLV_TRY(model_extend(ctx, fit));
	TLV_TRY(model_fill(ctx, fit));
	return model_fix(ctx, fit);
}

/* ---- what the tensor takes ---- */

/* What the fit of third moments in the subspace takes. */
static double
tensor_memory(const lda_learning *fit)
{
	const tlv_frame *subspace = &fit->subspace.frame;

	return tlv_lda_fit_memory((size_t) tlv_frame_scalar(subspace, "rank", 0),
							  tlv_frame_find(subspace, "items")->rows, &fit->options.fit);
}

/* Of many topics the tensor takes more than the subspace, which is the first to be refused. */
void
lda_expect_tensor(tlv_context *ctx, const lda_learning *fit, const tlv_frame *summary, size_t rank)
{
	if (fit->options.start == TLV_LDA_START_TENSOR)
		tlv_expect_memory(ctx, tlv_lda_fit_memory(rank, tlv_frame_find(summary, "items")->rows,
												  &fit->options.fit));
}

/* Is there memory for it, once the subspace is dropped? */
static bool
tensor_fits(const tlv_context *ctx, const lda_learning *fit)
{
	double left = (double) ctx->arena.limit - (double) ctx->arena.used;

	return tensor_memory(fit) <= left + (double) fit->subspace.size;
}

/* Anchors instead of the tensor, where the caller leaves it open: where documents are few, or the
 * tensor is expensive or exceeds the memory limit. */
static bool
begins_with_anchors(const tlv_context *ctx, lda_learning *fit)
{
	double documents = tlv_frame_scalar(fit->summary, "documents", 0);

	if (fit->options.start != TLV_LDA_START_CHOOSE)
		return fit->options.start == TLV_LDA_START_ANCHORS;
	if (fit->options.fit.alpha0 == 0 || fit->k == 1 || documents < LEAST_DOCUMENTS)
		return false;
	if (fit->k > CUBE_TOPICS ||
		(fit->options.refine != NULL && documents < FEW_DOCUMENTS * (double) fit->k))
		return true;
	if (!tensor_fits(ctx, fit))
		fit->tensor_bytes = tensor_memory(fit);
	return fit->tensor_bytes > 0;
}

/* ---- from the summary to refinement ---- */

/*
 * The largest eigenvalue but one of S P2 S where words are independent: of documents of L words the
 * sum of T random matrices of rank one over d items less its diagonal, (d + 2 sqrt(d T)) / (T L)
 * (Marchenko, Pastur 1967).
 */
static double
noise_edge(const tlv_frame *summary, double least)
{
	const double *frequency = tlv_frame_float64(summary, "frequency");
	double documents = tlv_frame_scalar(summary, "documents", 0), items = 0;

	for (size_t i = 0; i < tlv_frame_find(summary, "items")->rows; i++)
		items += frequency[i] >= least;
	return (items + 2 * sqrt(items * documents)) / tlv_frame_scalar(summary, "tokens", 1);
}

/* Whether it is doubtful that there are topics at all. */
static bool
is_near_noise(const lda_learning *fit, double edge)
{
	const tlv_frame *subspace = &fit->subspace.frame;

	return tlv_frame_scalar(subspace, "rank", 0) < 2 ||
		   tlv_frame_float64(subspace, "ritz")[1] < DOUBTFUL_EDGES * edge;
}

/* The moments that the model is fitted to. */
static tlv_status
collect_moments(tlv_context *ctx, tlv_source *counts, lda_learning *fit, tlv_value **moments)
{
	const tlv_aggregate *aggregate =
		fit->anchored ? &tlv_aggregate_anchor_moments : &tlv_aggregate_count_moments;

	/* Refused now rather than after the most expensive of all scans. */
	if (!fit->anchored && !tensor_fits(ctx, fit))
		TLV_TRY(tlv_require_memory(ctx, tensor_memory(fit), "the fit"));
	return tlv_collect_again(
		ctx, counts, "moments", 0,
		&(tlv_statistic){.aggregate = aggregate, .constant = &fit->subspace.frame}, moments);
}

/* Refinement needs all items and topics, a model of moments alone those of fixed topics. */
static tlv_status
begin_with_moments(tlv_context *ctx, lda_learning *fit, tlv_value *moments)
{
	if (!tlv_count_refers(&moments->frame))
		lda_drop_subspace(ctx, fit);
	TLV_TRY(model_fit(ctx, fit, &moments->frame));
	tlv_value_drop(moments);
	lda_drop_subspace(ctx, fit);
	if (fit->options.refine == NULL && fit->options.fixed == NULL)
		return model_fill(ctx, fit);
	return model_complete(ctx, fit);
}

/* begun: the subspace of other counts, with which this one begins. */
static tlv_status
find_fitted_subspace(tlv_context *ctx, tlv_source *counts, lda_learning *fit,
					 const tlv_frame *summary)
{
	const tlv_frame before = fit->subspace.frame;
	tlv_subspace_options options = {.rank = fit->k,
									.fewer = true,
									.twice = fit->options.errors,
									.minimum_documents = fit->counts.least,
									.begun = fit->subspace.image != NULL ? &before : NULL};
	double edge = noise_edge(summary, fit->counts.least);

	TLV_TRY(lda_find_subspace(ctx, counts, fit, summary, &options, NULL));
	fit->doubtful = is_near_noise(fit, edge);
	return TLV_OK;
}

tlv_status
lda_initialise(tlv_context *ctx, tlv_source *documents, lda_learning *fit, const tlv_frame *summary)
{
	tlv_source counts;
	tlv_value *moments;

	lda_see_counts(&counts, documents, fit);
	TLV_TRY(find_fitted_subspace(ctx, &counts, fit, summary));
	fit->anchored = begins_with_anchors(ctx, fit);
	TLV_TRY(collect_moments(ctx, &counts, fit, &moments));
	return begin_with_moments(ctx, fit, moments);
}
