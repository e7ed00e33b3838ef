/*
 * plan.c - latent Dirichlet allocation as a plan (lda.h): summary, products until the subspace
 * stands, compressed moments, fit, refinement steps until the perplexity stands.  Before that,
 * where they are not given, k by cross-validation and whether words come in bursts.
 */
#include "tensorlv/model/lda.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/counts.h"
#include "tensorlv/model/kind.h"

/* The subspace stands when its leading Ritz values move by less than this, or after so many
 * steps. */
#define SUBSPACE_TOLERANCE 0.01
#define SUBSPACE_MIN_STEPS 4
#define SUBSPACE_MAX_STEPS 12

/* Repetitions so many times beyond what the topics explain count as bursts. */
#define BURST_LIMIT 2.0

/* With so many directions that is decided after so few steps of the subspace where the ratio is
 * so many times the limit.  At k = 100 it is 4.08, 3.97 and 3.46 after three steps on AP,
 * newsgroups and package texts, and 3.72, 3.71 and 2.97 in the end; after two it was still half as
 * much again. */
#define DEAR_DIRECTIONS 64
#define PLAIN_STEPS		3
#define PLAIN_RATIO		1.5

/* Counts that the moments see when words come in bursts: at most this, in enough documents. */
#define BURST_ALPHA		  0.1 /* each topic's, from which refinement starts */
#define DAMPING_CAP		  2.0
#define DAMPED_DOCUMENTS  20
#define DAMPED_SHARE	  50 /* or one in so many documents, if that is less */
#define SMOOTHING_DAMPED  0.1
#define SMOOTHING_RAW	  0.0
#define NEARLY_ALL_OF_MAX 0.9

/* Weight that the eigenvalue implies over that of the model: of 270 topics of moments alone 69 % of
 * the spurious and 3 % of the true ones are above. */
#define SPURIOUS_RATIO 2.0

/* A given k is doubted where the second eigenvalue of the pairs is not so many times the edge of
 * the spectrum that independent words have: on text it is ten times as much and more. */
#define DOUBTFUL_EDGES 3.0
/* Of so many directions in either half of the documents the most significant but the first, which
 * is that of the corpus' shares, tell together: above this there are topics. */
#define DOUBTFUL_RANK 10
#define DOUBTFUL_Z	  2.0

/*
 * Where topics move there are as many more steps as the first one was long: MORE_STEPS times the
 * square root of the part by which it lowered the perplexity, and more where there are many tokens
 * for a parameter, so that what is still gained holds for other documents, too (fourth root).
 * They go beyond the step of expectation maximisation, at first RELAXATION times as far again, and
 * ever less.  Held-out perplexity of about 20 steps, and of 1000 sweeps of tomotopy: AP, k = 20,
 * 2640 and 2699; AP, k = 50, 2414 and 2493; 20 newsgroups, k = 20, 2255 and 2270.
 */
#define MORE_STEPS 42
#define MOST_STEPS 60
#define RELAXATION 3.0

/* Tokens times topics, up to which one process sees the documents in the order of their contents,
 * so that a seed gives the same model whatever the plan and the order of the table: some ten
 * seconds of a fit. */
#define SETTLED_WORK 1e8

/*
 * With fewer documents than this for every topic anchors may be the better start: both are made of
 * all documents but one part, refined by so many steps, and predict the second halves of that part.
 * AP, perplexity of documents that no start has seen after five steps, from the tensor and from
 * anchors: k = 50 2440 and 2426, k = 100 2370 and 2346; k = 20, 96 documents a topic, 2720 and
 * 2717.
 */
#define RIVAL_DOCUMENTS 40
#define RIVAL_PARTS		10
#define RIVAL_STEPS		3
#define RIVAL_LEAST		100 /* documents in all, or the part says nothing */

/* Values that are kept over several passes. */
enum
{
	KEPT_SUMMARY, /* of the raw counts */
	KEPT_FOLD	  /* triples of the second fold in the subspace of the first */
};

typedef struct lda_plan
{
	tlv_plan base;
	tlv_lda_plan_options options;
	size_t k;
	bool k_chosen;
	size_t identified; /* topics that the moments give; the others are parts of these */
	bool nothing;	   /* no direction is significant in both halves: one topic */
	bool at_limit;	   /* refinement ended at its limit, not because the perplexity stood */
	bool seen;		   /* a pass has found documents */
	bool damped;
	double minimum_documents;
	double trace;
	double bursts; /* NaN: not measured, the trace is small */
	double *z;	   /* of the directions that k was chosen from */
	size_t n_z;
	double edge;	 /* of the spectrum of pairs of independent words */
	bool doubtful;	 /* whether there are topics at all */
	bool testing;	 /* the passes of the choice of k only tell that */
	double topics_z; /* of that test; NaN: there was none */
	/* The rows that are passed over, and the subspace that is sought over them. */
	int folds, fold;
	bool damp;
	tlv_held subspace;
	int subspace_steps;
	tlv_plan_step subspace_found; /* what comes when it stands */
	/* The start by anchor words beside that of the tensor, which is the model. */
	bool rivals;
	tlv_held rival;
	size_t rival_identified;
	int rival_steps;
	double rival_perplexity[2][RIVAL_STEPS]; /* before each of them, of the tensor's and the
												anchors' */
	double held_out[2]; /* perplexity of the tensor's start and of the anchors'; NaN: no contest */
	/* Refinement. */
	tlv_held model;
	int refine_steps;
	double perplexity[2]; /* of the last two steps, the later one last */
	int steps;			  /* where topics move: how many there will be; 0: not known yet */
} lda_plan;

static lda_plan *
lda_plan_of(tlv_plan *plan)
{
	return (lda_plan *) plan;
}

/* ---- passes ---- */

/* One statistic over the rows of the moment; then is the step that takes its value. */
static tlv_statistic *
lda_ask(lda_plan *plan, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
		tlv_plan_step then)
{
	pass->damp = plan->damp ? DAMPING_CAP : 0;
	pass->folds = plan->folds;
	pass->fold = plan->fold;
	pass->others = plan->rivals;
	return tlv_plan_ask(&plan->base, pass, stage, aggregate, then);
}

static void
ask_summary(lda_plan *plan, tlv_pass *pass, tlv_plan_step then)
{
	lda_ask(plan, pass, "summary", &tlv_aggregate_count_summary, then);
}

static bool
holds_documents(const tlv_value *summary)
{
	return summary != NULL && tlv_frame_scalar(&summary->frame, "documents", 0) >= 1;
}

/* A summary of documents that can be learnt from. */
static tlv_status
require_documents(tlv_context *ctx, lda_plan *plan, const tlv_value *summary)
{
	double shorter = 0;

	if (summary == NULL && plan->seen)
		return tlv_plan_rows_gone(ctx);
	if (holds_documents(summary))
	{
		plan->seen = true;
		return TLV_OK;
	}
	if (summary != NULL)
		shorter = tlv_frame_scalar(&summary->frame, "skipped", 0);
	if (shorter == 0)
		return tlv_plan_require_rows(ctx, summary, "documents");
	tlv_fail(ctx, TLV_BAD_DATA, "the query returns no document of at least %d tokens",
			 TLV_MIN_LENGTH);
	tlv_fail_detail(ctx, "%.0f documents are shorter.", shorter);
	return TLV_BAD_DATA;
}

/* ---- a subspace, by block iteration: one pass over the documents a step ---- */

static void
subspace_drop(tlv_context *ctx, lda_plan *plan)
{
	tlv_free(ctx, plan->subspace.image);
	plan->subspace.image = NULL;
}

static tlv_status
subspace_next(tlv_context *ctx, lda_plan *plan, const tlv_frame *moments,
			  const tlv_subspace_options *options)
{
	tlv_making made;

	subspace_drop(ctx, plan); /* the moments hold what they need of it */
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(ctx, &made, &plan->subspace,
						 tlv_subspace_from_moments(ctx, moments, options, &made.image, &made.size));
}

static tlv_status take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								tlv_pass *pass);

static double
measured_bursts(const lda_plan *plan)
{
	const double *ritz = tlv_frame_float64(&plan->subspace.frame, "ritz");
	double sum = 0;

	for (size_t j = 0; j < tlv_frame_scalar(&plan->subspace.frame, "rank", 0); j++)
		sum += fmax(ritz[j], 0);
	return sum > 0 ? plan->trace / sum : HUGE_VAL;
}

/*
 * Whether bursts are told apart before the subspace stands, where there are many directions and a
 * step is dear.  The sum of the leading Ritz values grows with every step and stays below that of
 * the eigenvalues, so a small ratio is final; a large one is where so much is not missing any more.
 */
static bool
bursts_are_plain(const lda_plan *plan)
{
	double bursts = measured_bursts(plan);

	return plan->k >= DEAR_DIRECTIONS && plan->subspace_steps >= PLAIN_STEPS &&
		   (bursts <= BURST_LIMIT || bursts > PLAIN_RATIO * BURST_LIMIT);
}

static tlv_status measure_bursts(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								 tlv_pass *pass);

static void
ask_products(lda_plan *plan, tlv_pass *pass)
{
	lda_ask(plan, pass, "subspace", &tlv_aggregate_count_products, take_products)->constant =
		&plan->subspace.frame;
}

/* The subspace of those documents that the summary is of; found comes when it stands. */
static tlv_status
subspace_begin(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary,
			   tlv_subspace_options *options, tlv_plan_step found, tlv_pass *pass)
{
	options->seed = plan->options.fit.seed;
	plan->subspace_steps = 0;
	plan->subspace_found = found;
	TLV_TRY(subspace_next(ctx, plan, summary, options));
	ask_products(plan, pass);
	return TLV_OK;
}

static tlv_status
take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	const tlv_subspace_options same = {0};
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	TLV_TRY(subspace_next(ctx, plan, &values[0]->frame, &same));
	plan->subspace_steps++;
	if (plan->subspace_steps >= SUBSPACE_MAX_STEPS ||
		(plan->subspace_steps >= SUBSPACE_MIN_STEPS &&
		 tlv_subspace_change(&plan->subspace.frame) < SUBSPACE_TOLERANCE) ||
		(plan->subspace_found == measure_bursts && bursts_are_plain(plan)))
		return plan->subspace_found(ctx, base, values, pass);
	ask_products(plan, pass);
	return TLV_OK;
}

/* ---- refinement and the end ---- */

/* The labels of the model's items, empty for those that have none: sections of two arrays. */
static tlv_status
label_items(tlv_context *ctx, const tlv_names *names, const tlv_frame *model,
			tlv_plan_section section[2])
{
	size_t d = tlv_frame_find(model, "items")->rows, length = 0, at = 0;
	const int64_t *items = tlv_frame_int64(model, "items");
	int64_t *offsets = tlv_alloc(ctx, d + 1, sizeof(int64_t));
	char *text = tlv_alloc(ctx, (size_t) names->offsets[names->n], 1);

	TLV_TRY_ALLOC(ctx, offsets);
	TLV_TRY_ALLOC(ctx, text);
	for (size_t i = 0; i < d; i++)
	{
		offsets[i] = (int64_t) length;
		while (at < names->n && names->ids[at] < items[i])
			at++;
		if (at < names->n && names->ids[at] == items[i])
		{
			size_t size = (size_t) (names->offsets[at + 1] - names->offsets[at]);

			memcpy(text + length, names->text + names->offsets[at], size);
			length += size;
		}
	}
	offsets[d] = (int64_t) length;
	section[0] = (tlv_plan_section){"label_offsets", TLV_INT64, d + 1, 1, offsets};
	section[1] = (tlv_plan_section){"labels", TLV_BYTES, length, 1, text};
	return TLV_OK;
}

static tlv_status
diagnose_choices(tlv_context *ctx, const lda_plan *plan, tlv_diagnostics *diagnostics)
{
	int max_k = (int) plan->options.max_k;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->k_chosen, "k_chosen"));
	if (plan->k_chosen && (double) plan->k >= NEARLY_ALL_OF_MAX * max_k)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "k_at_limit",
									.score = (double) plan->k,
									.hint = "k is an upper bound, choose a smaller one by purpose"},
					 "nearly all of the max_k = %d directions are significant", max_k));
	if (plan->nothing)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "no_structure",
									.score = 1,
									.hint = "more or longer documents may show some; or give k"},
					 "no topic is significant in both halves of the documents: one stands for "
					 "all"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->topics_z, "z_topics"));
	if (plan->topics_z < DOUBTFUL_Z)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "no_structure",
										.score = plan->topics_z,
										.hint = "leave k out, or collect more or longer documents"},
						 "the documents show no topics: beside the shares of the corpus nothing in "
						 "them is significant"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->damped, "counts_damped"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->trace, "trace_raw_counts"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->held_out[0], "held_out_perplexity_tensor"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->held_out[1], "held_out_perplexity_anchors"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->bursts, "burstiness")); /* nothing for NaN */
	for (size_t j = 0; j < plan->n_z; j++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, plan->z[j], "z_%zu", j + 1));
	return TLV_OK;
}

/* Fewer topics than were asked for, and refinement that did not come to its end. */
static tlv_status
warn_of_plan(tlv_context *ctx, const lda_plan *plan, tlv_diagnostics *to)
{
	if (plan->identified < plan->k)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "not_identified",
										.score = (double) plan->identified,
										.hint = "use a smaller k, or collect more documents"},
						 "the moments identify %zu of the %zu topics: the others started from "
						 "random parts of these",
						 plan->identified, plan->k));
	if (plan->at_limit)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = plan->refine_steps,
										.hint = "give more iterations"},
						 "refinement ended after %d steps, before the perplexity stood",
						 plan->refine_steps));
	return TLV_OK;
}

/*
 * Spurious topics: the weight that the eigenvalue of the tensor implies is far above the weight
 * that the documents give to the topic.  Where words come in bursts neither the moments nor the
 * counts that are damped for them follow the model, and the ratio says nothing: of 40 topics of two
 * such corpora those above the bound come again from parts of the documents as often as the others.
 */
static tlv_status
warn_of_spurious(tlv_context *ctx, const lda_plan *plan, tlv_diagnostics *to)
{
	const double *weights = tlv_frame_float64(&plan->model.frame, "weights");

	for (size_t j = 0; plan->k > 1 && !plan->damped && j < plan->k; j++)
	{
		char name[48];
		double ratio;

		snprintf(name, sizeof(name), "implied_weight_%zu", j + 1);
		ratio = tlv_diagnostics_find(&plan->model.frame, name, 0) / weights[j];
		if (ratio > SPURIOUS_RATIO)
			TLV_TRY(tlv_warn(ctx, to,
							 &(tlv_warning){.code = "spurious_topic",
											.component = j + 1,
											.score = ratio,
											.hint = "see whether it comes again from a part of the "
													"documents; or use a smaller k"},
							 "topic %zu may be spurious: the moments imply %.1f times its weight",
							 j + 1, ratio));
	}
	return TLV_OK;
}

static tlv_status
lda_finish(tlv_context *ctx, lda_plan *plan)
{
	const tlv_names *names = plan->base.rows.names;
	tlv_diagnostics diagnostics = {0};
	tlv_plan_section sections[2];

	if (names != NULL)
		TLV_TRY(label_items(ctx, names, &plan->model.frame, sections));
	TLV_TRY(diagnose_choices(ctx, plan, &diagnostics));
	TLV_TRY(warn_of_plan(ctx, plan, &diagnostics));
	TLV_TRY(warn_of_spurious(ctx, plan, &diagnostics));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics,
						   names == NULL ? 0 : 2, sections);
}

static void fold_begin(lda_plan *plan, int fold, tlv_pass *pass);

static bool
will_test(const lda_plan *plan)
{
	return plan->options.test && plan->doubtful && !plan->k_chosen && plan->k > 1;
}

/* The end, but where a given k is doubted what two halves of the documents say comes before. */
static tlv_status
finish_or_test(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	if (!will_test(plan))
		return lda_finish(ctx, plan);
	plan->testing = true;
	plan->damp = false;
	fold_begin(plan, 0, pass);
	return TLV_OK;
}

static bool
topics_move(const lda_plan *plan)
{
	return strcmp(plan->options.refine, "stepwise") == 0;
}

/* Are the documents few enough to be seen by one process? */
static bool
is_settled(const lda_plan *plan)
{
	return topics_move(plan) &&
		   (double) plan->k * tlv_diagnostics_find(&plan->model.frame, "tokens", INFINITY) <=
			   SETTLED_WORK;
}

static tlv_status take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								  tlv_pass *pass);

/* One more refinement step, unless there are enough. */
static tlv_status
refine_or_finish(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	bool given = plan->options.iterations >= 0;
	int limit = given			  ? plan->options.iterations
				: plan->steps > 0 ? plan->steps
								  : TLV_REFINE_MAX_STEPS;
	tlv_statistic *statistic;

	if (plan->refine_steps == limit)
	{
		plan->at_limit = !given && plan->steps == 0;
		return finish_or_test(ctx, plan, pass);
	}
	statistic = lda_ask(plan, pass, "refinement", &tlv_aggregate_statistics, take_statistics);
	pass->settled = is_settled(plan);
	statistic->constant = &plan->model.frame;
	statistic->refine = plan->options.refine;
	pass->passes_left = will_test(plan) ? 0 : limit - plan->refine_steps;
	return TLV_OK;
}

/*
 * By how much the model goes beyond a step: nothing in the first one, then RELAXATION times the
 * step, and ever less to the end.
 */
static double
relaxation(const lda_plan *plan)
{
	int steps = plan->options.iterations < 0 ? plan->steps : plan->options.iterations;
	int left = steps - 1 - plan->refine_steps;

	if (!topics_move(plan) || plan->refine_steps == 0 || left <= 0 ||
		tlv_frame_scalar(&plan->model.frame, "alpha0", 1) == 0)
		return 0;
	return RELAXATION * left / (steps - 1);
}

/* Steps after the first one, which has lowered the perplexity by that part. */
static int
more_steps(const lda_plan *plan, double fall)
{
	const tlv_section *phi = tlv_frame_find(&plan->model.frame, "phi");
	double tokens = tlv_diagnostics_find(&plan->model.frame, "tokens", 0);
	double plenty = sqrt(sqrt(tokens / ((double) phi->rows * (double) phi->columns)));

	return (int) fmax(fmin(ceil(MORE_STEPS * sqrt(fmax(fall, 0)) * plenty), MOST_STEPS),
					  TLV_REFINE_MIN_STEPS - 1);
}

/* Notes the perplexity before this step; whether the likelihood stands: two steps together have
 * hardly raised it. */
static bool
perplexity_stands(lda_plan *plan, double perplexity)
{
	bool stands = plan->refine_steps + 1 >= TLV_REFINE_MIN_STEPS &&
				  perplexity > (1 - TLV_REFINE_TOLERANCE) * plan->perplexity[0];

	plan->perplexity[0] = plan->perplexity[1];
	plan->perplexity[1] = perplexity;
	if (topics_move(plan) && plan->refine_steps == 1)
		plan->steps = 1 + more_steps(plan, 1 - perplexity / plan->perplexity[0]);
	return stands && !topics_move(plan) && plan->options.iterations < 0;
}

/* The model by a step. */
static tlv_status
take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	tlv_step step = {0};
	tlv_making made;
	bool stands;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	stands = perplexity_stands(plan, tlv_lda_perplexity(&values[0]->frame));
	step.weight = 1 + relaxation(plan);
	tlv_plan_make(ctx, &made);
	TLV_TRY(tlv_plan_made(ctx, &made, &plan->model,
						  tlv_model_step(ctx, &plan->model.frame, &values[0]->frame, &step,
										 &made.image, &made.size)));
	plan->refine_steps++;
	if (stands)
		return finish_or_test(ctx, plan, pass);
	return refine_or_finish(ctx, plan, pass);
}

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

/* ---- the fit ---- */

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

	if (moments->header->kind != TLV_KIND_ANCHOR_MOMENTS)
		return tlv_lda_fit(ctx, moments, &options, image, size);
	if (options.alpha0_free)
		options.alpha0 = NAN;
	return tlv_lda_fit_anchors(ctx, moments, &options, image, size);
}

static tlv_status
model_fit(tlv_context *ctx, lda_plan *plan, const tlv_frame *triples)
{
	tlv_making made;
	tlv_status status;

	plan->options.fit.k = plan->k;
	plan->options.fit.fewer = true;
	plan->options.fit.subspace = tlv_count_triples_refer(triples) ? &plan->subspace.frame : NULL;
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

/* ---- the tensor's start and that of anchor words ---- */

static tlv_status take_rival_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
										tlv_pass *pass);

/* Steps that were not asked for by number count, so that as many follow as without a rival. */
static void
count_rival_steps(lda_plan *plan, const double *perplexity)
{
	int n = plan->rival_steps;

	if (plan->options.iterations >= 0 || n < 2)
		return;
	plan->refine_steps = n;
	plan->perplexity[0] = perplexity[n - 2];
	plan->perplexity[1] = perplexity[n - 1];
	if (topics_move(plan))
		plan->steps = 1 + more_steps(plan, 1 - perplexity[1] / perplexity[0]);
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
	return refine_or_finish(ctx, plan, pass);
}

/* The next step of both, or how they predict documents that they have not seen. */
static void
ask_rivals(lda_plan *plan, tlv_pass *pass)
{
	int given = plan->options.iterations;
	bool more = plan->rival_steps < (given >= 0 && given < RIVAL_STEPS ? given : RIVAL_STEPS);

	plan->rivals = more; /* all parts but one, or that one */
	for (int i = 0; i < 2; i++)
	{
		tlv_statistic *statistic =
			more ? lda_ask(plan, pass, "start", &tlv_aggregate_statistics, take_rival_statistics)
				 : lda_ask(plan, pass, "start", &tlv_aggregate_completion, take_rival_completion);

		pass->settled = is_settled(plan);
		statistic->constant = i == 0 ? &plan->model.frame : &plan->rival.frame;
		statistic->refine = more ? plan->options.refine : NULL;
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
	TLV_TRY(model_extend(ctx, plan));
	return model_fill(ctx, plan);
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
	subspace_drop(ctx, plan);
	plan->damp = false;
	ask_rivals(plan, pass);
	return TLV_OK;
}

/* Whether anchors are tried, too. */
static bool
has_rivals(const lda_plan *plan)
{
	double documents = tlv_frame_scalar(&plan->base.kept[KEPT_SUMMARY]->frame, "documents", 0);

	return plan->options.start == TLV_LDA_START_CHOOSE && plan->options.refine != NULL &&
		   plan->options.fit.alpha0 != 0 && plan->k > 1 && documents >= RIVAL_LEAST &&
		   documents < RIVAL_DOCUMENTS * (double) plan->k;
}

static void
ask_rival_moments(lda_plan *plan, tlv_pass *pass)
{
	plan->rivals = true;
	plan->folds = RIVAL_PARTS;
	plan->fold = 0;
	lda_ask(plan, pass, "moments", &tlv_aggregate_count_moments, take_rival_moments)->constant =
		&plan->subspace.frame;
	lda_ask(plan, pass, "moments", &tlv_aggregate_anchor_moments, take_rival_moments)->constant =
		&plan->subspace.frame;
}

/* ---- from moments to refinement ---- */

static tlv_status
take_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	if (!tlv_count_triples_refer(&values[0]->frame))
		subspace_drop(ctx, plan);
	TLV_TRY(model_fit(ctx, plan, &values[0]->frame));
	subspace_drop(ctx, plan);
	if (plan->options.refine == NULL)
	{
		TLV_TRY(model_fill(ctx, plan));
		return finish_or_test(ctx, plan, pass);
	}
	plan->damp = false; /* refinement sees the counts as they are */
	TLV_TRY(model_extend(ctx, plan));
	TLV_TRY(model_fill(ctx, plan));
	return refine_or_finish(ctx, plan, pass);
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

	plan->doubtful = tlv_frame_scalar(subspace, "rank", 0) < 2 ||
					 tlv_frame_float64(subspace, "ritz")[1] < DOUBTFUL_EDGES * plan->edge;

	if (has_rivals(plan))
	{
		ask_rival_moments(plan, pass);
		return TLV_OK;
	}
	lda_ask(plan, pass, "moments",
			plan->options.start == TLV_LDA_START_ANCHORS ? &tlv_aggregate_anchor_moments
														 : &tlv_aggregate_count_moments,
			take_moments)
		->constant = &plan->subspace.frame;
	return TLV_OK;
}

static tlv_status
fit_subspace(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary, tlv_pass *pass)
{
	tlv_subspace_options options = {
		.rank = plan->k, .fewer = true, .minimum_documents = plan->minimum_documents};

	plan->edge = noise_edge(summary, plan->minimum_documents);
	return subspace_begin(ctx, plan, summary, &options, ask_moments, pass);
}

static tlv_status
take_damped_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	if (holds_documents(values[0]))
		return fit_subspace(ctx, plan, &values[0]->frame, pass);
	/* Documents of one word, say, are nothing when it counts twice at most. */
	plan->damp = plan->damped = false;
	return fit_subspace(ctx, plan, &base->kept[KEPT_SUMMARY]->frame, pass);
}

/* ---- counts: raw, or damped where words come in bursts ---- */

/* In bursts, the moments see damped counts of words that enough documents hold. */
static tlv_status
counts_chosen(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	const tlv_frame *summary = &plan->base.kept[KEPT_SUMMARY]->frame;
	double documents = tlv_frame_scalar(summary, "documents", 0);

	/* The residual of moments that the model does not fit says nothing about alpha0. */
	if (plan->damped && isnan(plan->options.fit.alpha0))
	{
		plan->options.fit.alpha0 = BURST_ALPHA * (double) plan->k;
		plan->options.fit.alpha0_free = true;
	}
	if (plan->minimum_documents < 0)
		plan->minimum_documents =
			plan->damped ? fmin(DAMPED_DOCUMENTS, ceil(documents / DAMPED_SHARE)) : 0;
	if (plan->options.fit.anchors.n > 0 && plan->options.minimum_documents < 0)
		plan->minimum_documents = fmin(plan->minimum_documents, TLV_LDA_ANCHOR_DOCUMENTS);
	plan->damp = plan->damped;
	if (!plan->damped)
		return fit_subspace(ctx, plan, summary, pass);
	ask_summary(plan, pass, take_damped_summary);
	return TLV_OK;
}

/*
 * Words in bursts repeat within a document more than any mixture of k topics explains: the trace of
 * the scaled second moment, where repetitions of a word stand, exceeds the sum of the k
 * leading eigenvalues over pairs of distinct words, where they do not.  For documents of the
 * model both agree.
 */
static tlv_status
measure_bursts(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	plan->bursts = measured_bursts(plan);
	plan->damped = plan->bursts > BURST_LIMIT;
	return counts_chosen(ctx, plan, pass);
}

static tlv_status
take_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tlv_subspace_options options = {.distinct = true, .fewer = true};
	lda_plan *plan = lda_plan_of(base);
	const tlv_frame *summary;

	TLV_TRY(require_documents(ctx, plan, values[0]));
	if (plan->options.only_k)
		return TLV_OK;
	tlv_plan_keep(base, KEPT_SUMMARY, &values[0]);
	summary = &base->kept[KEPT_SUMMARY]->frame;
	plan->trace = tlv_count_trace(summary, 0);
	options.rank = plan->k;
	if (plan->options.counts == TLV_LDA_COUNTS_AUTO && plan->trace > 1 + sqrt((double) plan->k))
		return subspace_begin(ctx, plan, summary, &options, measure_bursts, pass);
	return counts_chosen(ctx, plan, pass);
}

/* ---- k by cross-validation: the subspace of either half, seen by the other ---- */

static tlv_status take_fold_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									tlv_pass *pass);

static void
fold_begin(lda_plan *plan, int fold, tlv_pass *pass)
{
	plan->folds = 2;
	plan->fold = fold;
	ask_summary(plan, pass, take_fold_summary);
}

/* The k that both halves agree on; a plan for k alone ends here. */
static tlv_status
choose_k(tlv_context *ctx, lda_plan *plan, const tlv_frame *second, tlv_pass *pass)
{
	const tlv_frame *first = &plan->base.kept[KEPT_FOLD]->frame;
	tlv_value *none = NULL;

	TLV_TRY_NEW(ctx, plan->z, tlv_frame_find(first, "mean")->rows);
	TLV_TRY(tlv_count_suggest_k(ctx, first, second, plan->z, &plan->n_z, &plan->k));
	tlv_plan_keep(&plan->base, KEPT_FOLD, &none);
	plan->k_chosen = true;
	plan->folds = plan->fold = 0;
	plan->nothing = plan->k == 0;
	plan->k += plan->nothing;
	if (!plan->options.only_k)
		ask_summary(plan, pass, take_summary);
	return TLV_OK;
}

/* z of the most significant direction but the first. */
static double
best_z(const tlv_frame *triples)
{
	double best = -HUGE_VAL;

	for (size_t j = 1; j < tlv_frame_find(triples, "mean")->rows; j++)
		best = fmax(best, tlv_count_z(triples, j)); /* not NaN */
	return best;
}

/* Whether the two halves together show topics. */
static tlv_status
test_topics(tlv_context *ctx, lda_plan *plan, const tlv_frame *second)
{
	double z = best_z(&plan->base.kept[KEPT_FOLD]->frame) + best_z(second);

	plan->topics_z = isfinite(z) ? z / sqrt(2) : NAN;
	return lda_finish(ctx, plan);
}

/* One topic, where one half of the documents is too small to tell. */
static tlv_status
choose_one(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	tlv_value *none = NULL;

	tlv_plan_keep(&plan->base, KEPT_FOLD, &none);
	if (plan->testing)
		return lda_finish(ctx, plan);
	plan->k_chosen = plan->nothing = true;
	plan->k = 1;
	plan->folds = plan->fold = 0;
	ask_summary(plan, pass, take_summary);
	return TLV_OK;
}

static tlv_status
take_fold_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	if (values[0] == NULL)
		return choose_one(ctx, plan, pass);
	if (base->kept[KEPT_FOLD] != NULL && plan->testing)
		return test_topics(ctx, plan, &values[0]->frame);
	if (base->kept[KEPT_FOLD] != NULL)
		return choose_k(ctx, plan, &values[0]->frame, pass);
	tlv_plan_keep(base, KEPT_FOLD, &values[0]);
	fold_begin(plan, 1, pass);
	return TLV_OK;
}

/* The other half in the subspace of this one. */
static tlv_status
ask_fold_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	plan->fold = 1 - plan->fold;
	lda_ask(plan, pass, "choice of k", &tlv_aggregate_count_moments, take_fold_moments)->constant =
		&plan->subspace.frame;
	return TLV_OK;
}

/* Whether words come in bursts is not known yet, and distinct pairs are blind to them. */
static tlv_status
take_fold_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tlv_subspace_options options = {.distinct = true};
	lda_plan *plan = lda_plan_of(base);
	double most;

	if (!holds_documents(values[0]))
		return choose_one(ctx, plan, pass);
	plan->seen = true;
	most = fmin((double) tlv_frame_find(&values[0]->frame, "items")->rows,
				tlv_frame_scalar(&values[0]->frame, "documents", 0));
	options.rank =
		(size_t) fmin(plan->testing ? DOUBTFUL_RANK : (double) plan->options.max_k, most);
	return subspace_begin(ctx, plan, &values[0]->frame, &options, ask_fold_moments, pass);
}

/* ---- the plan ---- */

static tlv_status
lda_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	if (plan->k == 0)
		fold_begin(plan, 0, pass);
	else
		ask_summary(plan, pass, take_summary);
	return TLV_OK;
}

static const tlv_plan_class lda_plan_class = {.name = "tlv_lda", .next = lda_begin};

tlv_status
tlv_lda_plan_create(tlv_context *ctx, const tlv_lda_plan_options *options, tlv_plan **result)
{
	lda_plan *plan;

	if (options->fit.k > TLV_TOPICS_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "k = %zu is more than %d", options->fit.k, TLV_TOPICS_MOST);
	TLV_TRY_NEW0(ctx, plan, 1);
	plan->base.class = &lda_plan_class;
	plan->options = *options;
	plan->k = options->fit.k;
	plan->damped = options->counts == TLV_LDA_COUNTS_DAMPED;
	plan->minimum_documents = options->minimum_documents;
	plan->bursts = plan->topics_z = plan->held_out[0] = plan->held_out[1] = NAN;
	plan->perplexity[0] = plan->perplexity[1] = HUGE_VAL;
	*result = &plan->base;
	return TLV_OK;
}

size_t
tlv_lda_plan_k(const tlv_plan *plan)
{
	return ((const lda_plan *) plan)->k;
}

const double *
tlv_lda_plan_z(const tlv_plan *plan, size_t *n)
{
	*n = ((const lda_plan *) plan)->n_z;
	return ((const lda_plan *) plan)->z;
}
