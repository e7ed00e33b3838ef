/*
 * initialise.c - the model that refinement begins with (learn.h): the one that fits the moments, or
 * where documents are few the better one of that and the one of anchor words.
 */
#include "learn.h"
#include "../tuning.h"

#include <math.h>

/* Iterations of either initialisation of a contest. */
#define CONTEST_ITERATIONS 3

/* The two initialisations of a contest. */
enum
{
	BY_TENSOR,
	BY_ANCHORS,
	CONTESTANTS
};

/* ---- a model from moments ---- */

/* All items of the corpus, smoothed. */
static tlv_status
model_extend(tlv_context *ctx, lda_learning *fit)
{
	double smoothing = fit->counts.damped ? SMOOTHING_DAMPED : 0;
	const tlv_frame *summary = fit->words != NULL ? fit->words : fit->summary;
	tlv_making made;

	return TLV_MAKE(ctx, &made, &fit->model,
					tlv_lda_extend(ctx, &fit->model.frame, summary,
								   fit->words != NULL ? LDA_REPEATS : 1, smoothing,
								   fit->options.refine != NULL, &made.image, &made.size));
}

/* alpha0 of words in bursts is not of the moments, which give one to anchors. */
static tlv_status
lda_fit_moments(tlv_context *ctx, const lda_learning *fit, const tlv_frame *moments, void **image,
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
	status = TLV_MAKE(ctx, &made, &fit->model,
					  lda_fit_moments(ctx, fit, moments, &made.image, &made.size));
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

/* ---- the contest of the tensor and anchors ---- */

/* Are there documents enough that anchors may be the start, and does the caller leave it open? */
static bool
may_begin_with_anchors(const lda_learning *fit)
{
	return fit->options.start == TLV_LDA_START_CHOOSE && fit->options.fit.alpha0 != 0 &&
		   fit->k > 1 && tlv_frame_scalar(fit->summary, "documents", 0) >= CONTEST_LEAST;
}

/* Anchors instead of the tensor, where that exceeds the memory limit or is expensive. */
static bool
spares_tensor(const tlv_context *ctx, lda_learning *fit)
{
	/*
	 * For more topics than this there is no contest, and anchors are the initialisation of any
	 * number of documents: third moments take the cube of the directions in memory, and their
	 * decomposition grows faster than that.  Perplexity and CPU seconds of the whole fit from
	 * anchors and from the tensor, k = 300: newsgroups 1437 and 1583; AP 2278, 24 s, and 2294, 118
	 * s; descriptions of packages (120 documents a topic, ten words each) 147.5, 18 s, and 208.1,
	 * 125 s.  Simulated documents of 60 words, 61 a topic, k = 220, which the tensor suits: 2900,
	 * 10 s, and 2889, 112 s, with topics far from the truth from either (L1 1.67 and 1.69).
	 */
	const int cube_topics = 200;

	if (!may_begin_with_anchors(fit))
		return false;
	if (!tensor_fits(ctx, fit))
		fit->tensor_bytes = tensor_memory(fit);
	return fit->tensor_bytes > 0 || fit->k > cube_topics;
}

static bool
has_contest(const lda_learning *fit)
{
	return may_begin_with_anchors(fit) && fit->options.refine != NULL &&
		   tlv_frame_scalar(fit->summary, "documents", 0) < CONTEST_DOCUMENTS * (double) fit->k;
}

/* One initialisation of a contest, and what it has come to. */
typedef struct contestant
{
	tlv_held model;
	size_t identified;
	double perplexity[CONTEST_ITERATIONS]; /* before each iteration */
} contestant;

/* The model of all items and topics, from moments of all parts but one. */
static tlv_status
contestant_begin(tlv_context *ctx, lda_learning *fit, const tlv_frame *moments, contestant *one)
{
	fit->identified = 1;
	TLV_TRY(model_fit(ctx, fit, moments));
	TLV_TRY(model_complete(ctx, fit));
	one->model = fit->model;
	one->identified = fit->identified;
	fit->model = (tlv_held){0};
	return TLV_OK;
}

static tlv_status
contestants_begin(tlv_context *ctx, tlv_source *counts, lda_learning *fit, contestant *both)
{
	tlv_value *moments[CONTESTANTS];
	tlv_source others;

	tlv_source_without_fold(&others, counts, CONTEST_PARTS, 0);
	TLV_TRY(tlv_collect(
		ctx, &others, "moments", 0, CONTESTANTS,
		(tlv_statistic[]){
			{.aggregate = &tlv_aggregate_count_moments, .constant = &fit->subspace.frame},
			{.aggregate = &tlv_aggregate_anchor_moments, .constant = &fit->subspace.frame}},
		moments));
	for (int i = 0; i < CONTESTANTS; i++)
		TLV_TRY(tlv_require_rows_again(ctx, moments[i]));
	for (int i = CONTESTANTS - 1; i >= 0; i--)
		TLV_TRY(contestant_begin(ctx, fit, &moments[i]->frame, &both[i]));
	for (int i = 0; i < CONTESTANTS; i++)
		tlv_value_drop(moments[i]);
	lda_drop_subspace(ctx, fit);
	return TLV_OK;
}

/* One iteration of both. */
static tlv_status
contestants_refine(tlv_context *ctx, tlv_source *others, const lda_refinement *refinement,
				   int iteration, contestant *both)
{
	tlv_statistic statistics[CONTESTANTS];
	tlv_value *values[CONTESTANTS];

	for (int i = 0; i < CONTESTANTS; i++)
		statistics[i] = lda_statistics_of(&both[i].model, refinement);
	TLV_TRY(tlv_collect(ctx, others, "start", 0, CONTESTANTS, statistics, values));
	for (int i = 0; i < CONTESTANTS; i++)
	{
		TLV_TRY(tlv_require_rows_again(ctx, values[i]));
		both[i].perplexity[iteration] = tlv_lda_perplexity(&values[i]->frame);
		TLV_TRY(tlv_refine(ctx, &both[i].model, &values[i]->frame));
		tlv_value_drop(values[i]);
	}
	return TLV_OK;
}

/* How both predict the part that they have not seen. */
static tlv_status
contestants_predict(tlv_context *ctx, tlv_source *part, contestant *both, double *held_out)
{
	tlv_statistic statistics[CONTESTANTS];
	tlv_value *values[CONTESTANTS];

	for (int i = 0; i < CONTESTANTS; i++)
		statistics[i] = (tlv_statistic){.aggregate = &tlv_aggregate_completion,
										.constant = &both[i].model.frame};
	TLV_TRY(tlv_collect(ctx, part, "start", 0, CONTESTANTS, statistics, values));
	for (int i = 0; i < CONTESTANTS; i++)
	{
		if (values[i] != NULL && tlv_frame_scalar(&values[i]->frame, "tokens", 0) > 0)
			held_out[i] = tlv_lda_perplexity(&values[i]->frame);
		tlv_value_drop(values[i]);
	}
	return TLV_OK;
}

/* Iterations whose number the caller has not given count, so that as many follow as without a
 * contest. */
static void
count_iterations(const lda_learning *fit, const contestant *winner, int n,
				 lda_refinement *refinement)
{
	if (refinement->asked >= 0 || n < 2)
		return;
	refinement->done = n;
	refinement->perplexity[0] = winner->perplexity[n - 2];
	refinement->perplexity[1] = winner->perplexity[n - 1];
	if (lda_topics_move(refinement))
		refinement->planned =
			1 + lda_more_iterations(&fit->model.frame,
									1 - refinement->perplexity[1] / refinement->perplexity[0]);
}

/* The better one goes on, over all documents; without an answer it is that of the tensor. */
static tlv_status
hold_contest(tlv_context *ctx, tlv_source *documents, tlv_source *counts, lda_learning *fit,
			 lda_refinement *refinement)
{
	int n = refinement->asked >= 0 && refinement->asked < CONTEST_ITERATIONS ? refinement->asked
																			 : CONTEST_ITERATIONS;
	tlv_source ordered, others, part, *rows;
	contestant both[CONTESTANTS] = {0};
	int better, worse;

	TLV_TRY(contestants_begin(ctx, counts, fit, both));
	rows = lda_in_order(&ordered, documents, &both[BY_TENSOR].model, fit->k, refinement);
	tlv_source_without_fold(&others, rows, CONTEST_PARTS, 0);
	tlv_source_fold(&part, rows, CONTEST_PARTS, 0);
	for (int iteration = 0; iteration < n; iteration++)
		TLV_TRY(contestants_refine(ctx, &others, refinement, iteration, both));
	TLV_TRY(contestants_predict(ctx, &part, both, fit->held_out));
	better = fit->held_out[BY_ANCHORS] < fit->held_out[BY_TENSOR] ? BY_ANCHORS : BY_TENSOR;
	worse = CONTESTANTS - 1 - better;
	fit->model = both[better].model;
	fit->identified = both[better].identified;
	tlv_free(ctx, both[worse].model.image);
	count_iterations(fit, &both[better], n, refinement);
	return TLV_OK;
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

/* The moments of all documents that the model is fitted to. */
static tlv_status
lda_collect_moments(tlv_context *ctx, tlv_source *counts, lda_learning *fit, bool anchors,
					tlv_value **moments)
{
	/* Refused now rather than after the most expensive of all scans. */
	if (!anchors && !tensor_fits(ctx, fit))
		TLV_TRY(tlv_require_memory(ctx, tensor_memory(fit), "the fit"));
	return tlv_collect_again(ctx, counts, "moments", 0,
							 &(tlv_statistic){.aggregate = anchors ? &tlv_aggregate_anchor_moments
																   : &tlv_aggregate_count_moments,
											  .constant = &fit->subspace.frame},
							 moments);
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
lda_initialise(tlv_context *ctx, tlv_source *documents, lda_learning *fit, const tlv_frame *summary,
			   lda_refinement *refinement)
{
	tlv_source counts;
	tlv_value *moments;
	bool anchors;

	lda_see_counts(&counts, documents, fit);
	TLV_TRY(find_fitted_subspace(ctx, &counts, fit, summary));
	anchors = fit->options.start == TLV_LDA_START_ANCHORS || spares_tensor(ctx, fit);
	if (!anchors && has_contest(fit))
		return hold_contest(ctx, documents, &counts, fit, refinement);
	TLV_TRY(lda_collect_moments(ctx, &counts, fit, anchors, &moments));
	return begin_with_moments(ctx, fit, moments);
}
