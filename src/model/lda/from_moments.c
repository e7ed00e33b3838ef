/*
 * from_moments.c - where refinement starts (plan.h): the model that fits the moments, or where
 * documents are few the better one of that and the one of anchor words.
 */
#include "plan.h"

#include <math.h>

/* What is added to every item of a topic, in parts of its share of the corpus. */
#define SMOOTHING_DAMPED 0.1
#define SMOOTHING_RAW	 0.0

/* A given k is doubted where the second eigenvalue of the pairs is not so many times the edge of
 * the spectrum that independent words have: on text it is ten times as much and more. */
#define DOUBTFUL_EDGES 3.0

/*
 * With fewer documents than this for every topic anchors may be the better start: both are made of
 * all documents but one part, refined by so many steps, and predict the second halves of that part.
 * AP, perplexity of documents that no start has seen after five steps, from the tensor and from
 * anchors: k = 50 2440 and 2426, k = 100 2370 and 2346; k = 20, 96 documents a topic, 2720 and
 * 2717.
 */
#define RIVAL_DOCUMENTS 40
#define RIVAL_PARTS		10
#define RIVAL_LEAST		100 /* documents in all, or the part says nothing */

/*
 * For more topics than this there is no contest, and anchors are the start of any number of
 * documents: third moments take the cube of the directions in memory, and their decomposition grows
 * faster than that.  Perplexity and CPU seconds of the whole fit from anchors and from the tensor,
 * k = 300: newsgroups 1437 and 1583; AP 2278, 24 s, and 2294, 118 s; descriptions of packages (120
 * documents a topic, ten words each) 147.5, 18 s, and 208.1, 125 s.  Simulated documents of 60
 * words, 61 a topic, k = 220, which the tensor suits: 2900, 10 s, and 2889, 112 s, with topics far
 * from the truth from either (L1 1.67 and 1.69).
 */
#define CUBE_TOPICS 200

/* Items in fewer documents are counted as one where co-occurrences are exact. */
#define PAIRS_DOCUMENTS 5

/* ---- the fit ---- */

/* All items of the corpus, smoothed: what the refinement steps start from. */
static tlv_status
model_extend(tlv_context *ctx, lda_plan *plan)
{
	double smoothing = plan->damped ? SMOOTHING_DAMPED : SMOOTHING_RAW;
	tlv_making made;

	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->model,
						 tlv_lda_extend(ctx, &plan->model.frame,
										&plan->base.kept[KEPT_SUMMARY]->frame, smoothing,
										&made.image, &made.size));
}

/* The corpus as one topic: the moments identify none. */
static tlv_status
model_begin(tlv_context *ctx, lda_plan *plan)
{
	tlv_making made;

	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->model,
						 tlv_lda_corpus_topic(ctx, &plan->base.kept[KEPT_SUMMARY]->frame,
											  &plan->options.fit, &made.image, &made.size));
}

/* alpha0 of words in bursts is not of the moments, which give one to anchors. */
static tlv_status
fit_moments(tlv_context *ctx, const lda_plan *plan, const tlv_frame *moments, void **image,
			size_t *size)
{
	tlv_lda_options options = plan->options.fit;

	if (moments->header->kind == TLV_KIND_COUNT_TRIPLES)
		return tlv_lda_fit(ctx, moments, &options, image, size);
	if (moments->header->kind == TLV_KIND_SLICE_MOMENTS)
		return tlv_lda_fit_slices(ctx, moments, &options, image, size);
	if (options.alpha0_free)
		options.alpha0 = NAN;
	if (moments->header->kind == TLV_KIND_COUNT_PAIRS)
		return tlv_lda_fit_pairs(ctx, moments, &options, image, size);
	return tlv_lda_fit_anchors(ctx, moments, &options, image, size);
}

/* Do moments need the subspace that they were collected in? */
static bool
refers(const tlv_frame *moments)
{
	return moments->header->kind == TLV_KIND_SLICE_MOMENTS || tlv_count_refers(moments) ||
		   (moments->header->kind == TLV_KIND_COUNT_TRIPLES && tlv_count_triples_refer(moments));
}

static tlv_status
model_fit(tlv_context *ctx, lda_plan *plan, const tlv_frame *triples)
{
	tlv_making made;
	tlv_status status;

	plan->options.fit.k = plan->k;
	plan->options.fit.fewer = true;
	plan->options.fit.repeated = plan->times > 0;
	plan->options.fit.subspace = refers(triples) ? &plan->subspace.frame : NULL;
	tlv_plan_make(ctx, &made);
	status = tlv_plan_made(ctx, &made, &plan->model,
						   fit_moments(ctx, plan, triples, &made.image, &made.size));
	if (status == TLV_NOT_IDENTIFIABLE)
		return model_begin(ctx, plan);
	if (status == TLV_OK)
		plan->identified = tlv_frame_find(&plan->model.frame, "phi")->rows;
	return status;
}

/* As many topics as were asked for: where the moments give fewer, parts of those. */
static tlv_status
model_fill(tlv_context *ctx, lda_plan *plan)
{
	tlv_making made;

	if (plan->identified >= plan->k)
		return TLV_OK;
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->model,
						 tlv_lda_fill(ctx, &plan->model.frame, plan->k, &made.image, &made.size));
}

/* The fixed topics in their places. */
static tlv_status
model_fix(tlv_context *ctx, lda_plan *plan)
{
	tlv_making made;

	if (plan->options.fixed == NULL)
		return TLV_OK;
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_lda_fix(ctx, &plan->model.frame, plan->options.fixed, &made.image, &made.size));
}

/* All items and topics, of what the moments have given. */
static tlv_status
model_complete(tlv_context *ctx, lda_plan *plan)
{
	TLV_TRY(model_extend(ctx, plan));
	TLV_TRY(model_fill(ctx, plan));
	return model_fix(ctx, plan);
}

/* ---- the tensor's start and that of anchor words ---- */

static tlv_status take_rival_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
										tlv_pass *pass);

/* Steps that were not asked for by number count, so that as many follow as without a rival. */
static void
count_rival_steps(lda_plan *plan, const double *perplexity)
{
	int n = plan->rival_steps;

	if (tlv_lda_iterations(plan) >= 0 || n < 2)
		return;
	plan->refine_steps = n;
	plan->perplexity[0] = perplexity[n - 2];
	plan->perplexity[1] = perplexity[n - 1];
	if (tlv_lda_topics_move(plan))
		plan->steps = 1 + tlv_lda_more_steps(plan, 1 - perplexity[1] / perplexity[0]);
}

/* The better one goes on, over all documents; without an answer it is that of the tensor. */
static tlv_status
take_rival_completion(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	int better = 0;

	for (int i = 0; i < 2; i++)
		if (values[i] != NULL && tlv_frame_scalar(&values[i]->frame, "tokens", 0) > 0)
			plan->held_out[i] = tlv_lda_perplexity(&values[i]->frame);
	if (plan->held_out[1] < plan->held_out[0])
	{
		better = 1;
		TLV_TRY(tlv_plan_hold(ctx, &plan->model, plan->rival.image, plan->rival.size));
		plan->identified = plan->rival_identified;
	}
	else
		tlv_free(ctx, plan->rival.image);
	plan->rival.image = NULL;
	plan->folds = 0;
	count_rival_steps(plan, plan->rival_perplexity[better]);
	return tlv_lda_refine(ctx, plan, pass);
}

/* The next step of both, or how they predict documents that they have not seen. */
static void
ask_rivals(lda_plan *plan, tlv_pass *pass)
{
	int given = tlv_lda_iterations(plan);
	bool more = plan->rival_steps < (given >= 0 && given < RIVAL_STEPS ? given : RIVAL_STEPS);

	plan->rivals = more; /* all parts but one, or that one */
	for (int i = 0; i < 2; i++)
	{
		tlv_statistic *statistic =
			more
				? tlv_lda_ask(plan, pass, "start", &tlv_aggregate_statistics, take_rival_statistics)
				: tlv_lda_ask(plan, pass, "start", &tlv_aggregate_completion,
							  take_rival_completion);

		pass->settled = tlv_lda_is_settled(plan);
		statistic->constant = i == 0 ? &plan->model.frame : &plan->rival.frame;
		statistic->refine = more ? tlv_lda_refinement(plan) : NULL;
	}
}

static tlv_status
take_rival_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_require(ctx, values[1]));
	for (int i = 0; i < 2; i++)
		plan->rival_perplexity[i][plan->rival_steps] = tlv_lda_perplexity(&values[i]->frame);
	TLV_TRY(tlv_plan_refine(ctx, &plan->model, &values[0]->frame));
	TLV_TRY(tlv_plan_refine(ctx, &plan->rival, &values[1]->frame));
	plan->rival_steps++;
	ask_rivals(plan, pass);
	return TLV_OK;
}

/* A model of all items and topics, from moments. */
static tlv_status
rival_start(tlv_context *ctx, lda_plan *plan, const tlv_frame *moments)
{
	plan->identified = 1;
	TLV_TRY(model_fit(ctx, plan, moments));
	return model_complete(ctx, plan);
}

/* The moments of all parts but one. */
static tlv_status
take_rival_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(tlv_plan_require(ctx, values[1]));
	TLV_TRY(rival_start(ctx, plan, &values[1]->frame));
	plan->rival = plan->model;
	plan->rival_identified = plan->identified;
	plan->model = (tlv_held){0};
	TLV_TRY(rival_start(ctx, plan, &values[0]->frame));
	tlv_lda_subspace_drop(ctx, plan);
	plan->damp = false;
	ask_rivals(plan, pass);
	return TLV_OK;
}

/* Are there documents enough that anchors may be the start, and does the caller leave it open? */
static bool
may_begin_with_anchors(const lda_plan *plan)
{
	double documents = tlv_frame_scalar(&plan->base.kept[KEPT_SUMMARY]->frame, "documents", 0);

	return plan->options.start == TLV_LDA_START_CHOOSE && plan->options.fit.alpha0 != 0 &&
		   plan->k > 1 && documents >= RIVAL_LEAST;
}

/* Whether anchors are tried, too. */
static bool
has_rivals(const lda_plan *plan)
{
	double documents = tlv_frame_scalar(&plan->base.kept[KEPT_SUMMARY]->frame, "documents", 0);

	return may_begin_with_anchors(plan) && plan->options.refine != NULL &&
		   documents < RIVAL_DOCUMENTS * (double) plan->k;
}

/* What the fit of third moments in the subspace takes. */
static double
tensor_memory(const lda_plan *plan)
{
	const tlv_frame *subspace = &plan->subspace.frame;

	return tlv_lda_fit_memory((size_t) tlv_frame_scalar(subspace, "rank", 0),
							  tlv_frame_find(subspace, "items")->rows, &plan->options.fit);
}

/* Is the method one that has no use for anything but the tensor? */
static bool
needs_tensor(const lda_plan *plan)
{
	const tlv_decompose_options *decompose = &plan->options.fit.decompose;

	return plan->options.start == TLV_LDA_START_TENSOR &&
		   (decompose->method != TLV_METHOD_JOINT || decompose->starts > 1);
}

/* Of many topics the tensor takes more than the subspace, which is the first to be refused. */
void
tlv_lda_expect_tensor(tlv_context *ctx, const lda_plan *plan, const tlv_frame *summary, size_t rank)
{
	if (needs_tensor(plan))
		tlv_expect_memory(ctx, tlv_lda_fit_memory(rank, tlv_frame_find(summary, "items")->rows,
												  &plan->options.fit));
}

/* Is there room for it, once the subspace is dropped? */
static bool
tensor_fits(const tlv_context *ctx, const lda_plan *plan)
{
	double left = (double) ctx->arena.limit - (double) ctx->arena.used;

	return tensor_memory(plan) <= left + (double) plan->subspace.size;
}

/*
 * The tensor without being formed, by passes over the documents, where there is no room for it or
 * it costs more: (n + V) k^3 / 6 to form it, and about 60 steps of k^4, all starts together.
 */
static bool
takes_slices(const tlv_context *ctx, const lda_plan *plan)
{
	const tlv_frame *summary = &plan->base.kept[KEPT_SUMMARY]->frame;
	const tlv_decompose_options *decompose = &plan->options.fit.decompose;
	double k = tlv_frame_scalar(&plan->subspace.frame, "rank", 0);
	double rows = tlv_frame_scalar(summary, "documents", 0) +
				  (double) tlv_frame_find(&plan->subspace.frame, "items")->rows;
	double formed = k * k * k * (rows / 6 + 60 * k);
	double passes = TLV_LDA_SLICE_STEPS / 2.0 *
					(2 * rows * k * k + 4 * tlv_frame_scalar(summary, "tokens", 0) * k);

	/* several starts are compared where the tensor is at hand */
	if (decompose->method != TLV_METHOD_JOINT || decompose->starts > 1 || k < 2)
		return false;
	return !tensor_fits(ctx, plan) || (k > CUBE_TOPICS && passes < formed);
}

/* Anchors in the place of the tensor, where there is no room for it or it is dear. */
static bool
spares_tensor(const tlv_context *ctx, lda_plan *plan)
{
	if (!may_begin_with_anchors(plan))
		return false;
	if (!tensor_fits(ctx, plan))
		plan->tensor_bytes = tensor_memory(plan);
	return plan->tensor_bytes > 0 || (plan->options.refine != NULL && plan->k > CUBE_TOPICS);
}

static void
ask_rival_moments(lda_plan *plan, tlv_pass *pass)
{
	plan->rivals = true;
	plan->folds = RIVAL_PARTS;
	plan->fold = 0;
	tlv_lda_ask(plan, pass, "moments", &tlv_aggregate_count_moments, take_rival_moments)->constant =
		&plan->subspace.frame;
	tlv_lda_ask(plan, pass, "moments", &tlv_aggregate_anchor_moments, take_rival_moments)
		->constant = &plan->subspace.frame;
}

/* ---- from moments to refinement ---- */

tlv_status
tlv_lda_take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	if (!refers(&values[0]->frame))
		tlv_lda_subspace_drop(ctx, plan);
	TLV_TRY(model_fit(ctx, plan, &values[0]->frame));
	tlv_lda_subspace_drop(ctx, plan);
	if (plan->options.refine == NULL)
	{
		TLV_TRY(plan->options.fixed == NULL ? model_fill(ctx, plan) : model_complete(ctx, plan));
		return tlv_lda_finish_or_test(ctx, plan, pass);
	}
	plan->damp = false; /* refinement sees the counts as they are */
	TLV_TRY(model_complete(ctx, plan));
	return tlv_lda_refine(ctx, plan, pass);
}

/*
 * The largest eigenvalue but one of S P2 S where words are independent: of documents of L words the
 * sum of T random matrices of rank one over d items less its diagonal, (d + 2 sqrt(d T)) / (T L)
 * (Marchenko, Pastur 1967).
 */
static double
noise_edge(const tlv_frame *summary, double minimum_documents)
{
	const double *frequency = tlv_frame_float64(summary, "frequency");
	double documents = tlv_frame_scalar(summary, "documents", 0), items = 0;

	for (size_t i = 0; i < tlv_frame_find(summary, "items")->rows; i++)
		items += frequency[i] >= minimum_documents;
	return (items + 2 * sqrt(items * documents)) / tlv_frame_scalar(summary, "tokens", 1);
}

static tlv_status
ask_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	const tlv_frame *subspace = &plan->subspace.frame;
	bool anchors = plan->options.start == TLV_LDA_START_ANCHORS || spares_tensor(ctx, plan);

	plan->doubtful = tlv_frame_scalar(subspace, "rank", 0) < 2 ||
					 tlv_frame_float64(subspace, "ritz")[1] < DOUBTFUL_EDGES * plan->edge;

	if (!anchors && !has_rivals(plan) && takes_slices(ctx, plan))
	{
		tlv_lda_slices_begin(plan, pass);
		return TLV_OK;
	}
	/* Refused now rather than after the dearest of all passes. */
	if (!anchors && !tensor_fits(ctx, plan))
		TLV_TRY(tlv_require_memory(ctx, tensor_memory(plan), "the fit"));
	if (!anchors && has_rivals(plan))
	{
		ask_rival_moments(plan, pass);
		return TLV_OK;
	}
	tlv_lda_ask(plan, pass, "moments",
				anchors ? &tlv_aggregate_anchor_moments : &tlv_aggregate_count_moments,
				tlv_lda_take_moments)
		->constant = &plan->subspace.frame;
	return TLV_OK;
}

/* ---- the exact co-occurrence ---- */

/* Items told apart are those in enough documents, and no more than there is room for. */
static tlv_status
require_few_items(tlv_context *ctx, const lda_plan *plan, const tlv_frame *summary)
{
	const double *frequency = tlv_frame_float64(summary, "frequency");
	double items = 0;

	for (size_t i = 0; i < tlv_frame_find(summary, "items")->rows; i++)
		items += frequency[i] >= plan->minimum_documents;
	if (items >= TLV_COUNT_PAIRS_MAX_ITEMS)
	{
		tlv_fail(ctx, TLV_LIMIT,
				 "%.0f items are in %.0f documents or more: too many for exact co-occurrences, "
				 "which are of %d at most",
				 items, plan->minimum_documents, TLV_COUNT_PAIRS_MAX_ITEMS - 1);
		return tlv_fail_hint(ctx, "Raise min_documents, by which rarer items are counted as one, "
								  "or use method => 'anchors'.");
	}
	/* The packed sums, their image, and the rows that a fit makes of them. */
	return tlv_require_memory(ctx, sizeof(double) * 2 * items * items, "the exact co-occurrences");
}

/* A subspace of no use but to say which items are told apart. */
static tlv_status
ask_pairs(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary, tlv_pass *pass)
{
	tlv_subspace_options options = {.rank = 1, .fewer = true};
	tlv_making made;

	plan->minimum_documents = fmax(plan->minimum_documents, PAIRS_DOCUMENTS);
	if (plan->options.minimum_documents >= 0)
		plan->minimum_documents = plan->options.minimum_documents;
	options.minimum_documents = plan->minimum_documents;
	options.seed = plan->options.fit.seed;
	TLV_TRY(require_few_items(ctx, plan, summary));
	tlv_plan_make(ctx, &made);
	TLV_TRY(
		tlv_plan_made(ctx, &made, &plan->subspace,
					  tlv_subspace_from_moments(ctx, summary, &options, &made.image, &made.size)));
	tlv_lda_ask(plan, pass, "moments", &tlv_aggregate_pair_moments, tlv_lda_take_moments)
		->constant = &plan->subspace.frame;
	return TLV_OK;
}

tlv_status
tlv_lda_fit_subspace(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary, tlv_pass *pass)
{
	tlv_subspace_options options = {.rank = plan->k,
									.fewer = true,
									.twice = plan->base.errors,
									.minimum_documents = plan->minimum_documents};

	plan->edge = noise_edge(summary, plan->minimum_documents);
	if (plan->options.start == TLV_LDA_START_PAIRS)
		return ask_pairs(ctx, plan, summary, pass);
	return tlv_lda_subspace_begin(ctx, plan, summary, &options, ask_moments, pass);
}
