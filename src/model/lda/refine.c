/*
 * refine.c - refinement steps until the perplexity stands or there are enough, and what the plan
 * says of the model at its end (plan.h).
 */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/names.h"

/* A k chosen to be so near to max_k is bounded by it. */
#define NEARLY_ALL_OF_MAX 0.9

/* Weight that the eigenvalue implies over that of the model: of 270 topics of moments alone 69 % of
 * the spurious and 3 % of the true ones are above. */
#define SPURIOUS_RATIO 2.0

/* z of the most significant directions of both halves, below which there may be no topics. */
#define DOUBTFUL_Z 2.0

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

/*
 * Steps that find correlations are of plain expectation maximisation, slow, but nothing in them is
 * random: every one goes nearly twice as far, up to where that still converges.  L1 of the topics
 * of 1500 simulated documents of 40 words, four topics that come in pairs: .34 before, .14 after 12
 * steps, .19 where they go as far as they lead.
 */
#define CORRELATED_RELAXATION 0.9

/* Tokens times topics, up to which one process sees the documents in the order of their contents,
 * so that a seed gives the same model whatever the plan and the order of the table: some ten
 * seconds of a fit. */
#define SETTLED_WORK 1e8

/* ---- the end ---- */

/* The items' texts of a model; none where there is no model. */
typedef struct given_labels
{
	size_t n;
	const int64_t *items;
	tlv_name_list list;
} given_labels;

static given_labels
labels_of(const tlv_frame *model)
{
	static const tlv_name_sections sections = {"label_offsets", "labels"};

	if (model == NULL || tlv_frame_find(model, "labels") == NULL)
		return (given_labels){0};
	return (given_labels){tlv_frame_find(model, "items")->rows, tlv_frame_int64(model, "items"),
						  tlv_name_list_of(model, &sections)};
}

/*
 * The labels of the model's items, empty for those that have none: sections of two arrays.  Items
 * that no document holds are those of fixed topics and have the labels that these give.
 */
static tlv_status
label_items(tlv_context *ctx, const tlv_names *names, const given_labels *others,
			const tlv_frame *model, tlv_plan_section section[2])
{
	size_t d = tlv_frame_find(model, "items")->rows, length = 0, at = 0, other = 0;
	size_t bytes = (size_t) names->offsets[names->n];
	const int64_t *items = tlv_frame_int64(model, "items");
	int64_t *offsets;
	char *text;

	if (others->n > 0)
		bytes += (size_t) others->list.offsets[others->n];
	TLV_TRY_NEW(ctx, offsets, d + 1);
	TLV_TRY_NEW(ctx, text, bytes);
	for (size_t i = 0; i < d; i++)
	{
		tlv_text name = {NULL, 0};

		offsets[i] = (int64_t) length;
		while (at < names->n && names->ids[at] < items[i])
			at++;
		while (other < others->n && others->items[other] < items[i])
			other++;
		if (at < names->n && names->ids[at] == items[i])
			name = (tlv_text){names->text + names->offsets[at],
							  (size_t) (names->offsets[at + 1] - names->offsets[at])};
		else if (other < others->n && others->items[other] == items[i])
			name = tlv_name_at(&others->list, other);
		if (name.length > 0)
			memcpy(text + length, name.bytes, name.length);
		length += name.length;
	}
	offsets[d] = (int64_t) length;
	/* in the order of lda_list: a model from JSON has the same bytes */
	section[0] = (tlv_plan_section){"labels", TLV_BYTES, length, 1, text};
	section[1] = (tlv_plan_section){"label_offsets", TLV_INT64, d + 1, 1, offsets};
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
	if (plan->nothing || (plan->k_chosen && plan->k == 1 && !plan->untested))
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "no_structure",
									.score = 1,
									.hint = "more or longer documents may show some; or give k"},
					 "no topic is significant in documents that were held out: one stands for "
					 "all"));
	if (plan->untested)
		TLV_TRY(tlv_warn(
			ctx, diagnostics, &(tlv_warning){.code = "k_untested", .score = 1, .hint = "give k"},
			"documents are too few, or too much alike, to hold some of them out: how many topics "
			"there are was not tested, and one stands for all"));
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

/* Documents from which moments are not unbiased, and may be of no use. */
static tlv_status
warn_of_short(tlv_context *ctx, const lda_plan *plan, tlv_diagnostics *to)
{
	if (plan->of_one_word)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "short_documents",
									   .score = plan->too_short,
									   .hint = "topics are seen in words that come together: put "
											   "texts that belong together into one document"},
						"every document is of one word: one topic of their shares stands for all");
	if (plan->times > 0)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "short_documents",
									   .score = plan->too_short,
									   .hint = "put texts that belong together into one document"},
						"most documents, %.0f, have fewer than %d words, from which moments are "
						"biased: the topics are those that refinement made of such a start",
						plan->too_short, TLV_MIN_LENGTH);
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
	if (plan->tensor_bytes > 0)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "anchors_for_memory",
										.score = plan->tensor_bytes,
										.hint = "method => 'tensor' decomposes them without "
												"forming them, a pass a step"},
						 "the third moments of %zu topics need %.0f MB: the topics started from "
						 "anchor words",
						 plan->k, ceil(plan->tensor_bytes / 1e6)));
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

/* Fixed topics keep their labels. */
static tlv_status
label_fixed(tlv_context *ctx, lda_plan *plan)
{
	tlv_making made;

	if (plan->options.fixed == NULL)
		return TLV_OK;
	tlv_plan_make(ctx, &made);
	return tlv_plan_made(
		ctx, &made, &plan->model,
		tlv_lda_label_fixed(ctx, &plan->model.frame, plan->options.fixed, &made.image, &made.size));
}

tlv_status
tlv_lda_finish(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	const tlv_names *names = plan->base.rows.names;
	tlv_diagnostics diagnostics = {0};
	const given_labels others = labels_of(plan->options.fixed);
	tlv_plan_section sections[2];

	if (tlv_lda_is_to_recur(plan))
		return tlv_lda_recur(ctx, plan, pass);
	TLV_TRY(label_fixed(ctx, plan));
	if (names != NULL)
		TLV_TRY(label_items(ctx, names, &others, &plan->model.frame, sections));
	TLV_TRY(diagnose_choices(ctx, plan, &diagnostics));
	TLV_TRY(warn_of_plan(ctx, plan, &diagnostics));
	TLV_TRY(warn_of_short(ctx, plan, &diagnostics));
	if (plan->recurrence != NULL && !isnan(plan->recurrence[0]))
		TLV_TRY(tlv_lda_diagnose_recurrence(ctx, plan, &diagnostics));
	else
		TLV_TRY(warn_of_spurious(ctx, plan, &diagnostics));
	return tlv_plan_finish(ctx, &plan->base, &plan->model.frame, &diagnostics,
						   names == NULL ? 0 : 2, sections);
}

static bool
will_test(const lda_plan *plan)
{
	return plan->options.test && plan->times == 0 && plan->doubtful && !plan->k_chosen &&
		   plan->k > 1;
}

/* The end, but where a given k is doubted what two halves of the documents say comes before. */
tlv_status
tlv_lda_finish_or_test(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	if (!will_test(plan))
		return tlv_lda_finish(ctx, plan, pass);
	plan->testing = true;
	plan->damp = false;
	tlv_lda_fold_begin(plan, 0, pass);
	return TLV_OK;
}

/* Correlations are found of topics that have been refined. */
static bool
has_prelude(const lda_plan *plan)
{
	return !plan->correlated && strcmp(plan->options.refine, "ctm") == 0;
}

const char *
tlv_lda_refinement(const lda_plan *plan)
{
	return has_prelude(plan) ? "stepwise" : plan->options.refine;
}

int
tlv_lda_iterations(const lda_plan *plan)
{
	return has_prelude(plan) ? -1 : plan->options.iterations;
}

bool
tlv_lda_topics_move(const lda_plan *plan)
{
	return strcmp(tlv_lda_refinement(plan), "stepwise") == 0;
}

/* Are the documents few enough to be seen by one process? */
bool
tlv_lda_is_settled(const lda_plan *plan)
{
	return tlv_lda_topics_move(plan) &&
		   (double) plan->k * tlv_diagnostics_find(&plan->model.frame, "tokens", INFINITY) <=
			   SETTLED_WORK;
}

static tlv_status take_statistics(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								  tlv_pass *pass);

/* One more refinement step, unless there are enough. */
tlv_status
tlv_lda_refine(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	int iterations = tlv_lda_iterations(plan);
	bool given = iterations >= 0;
	int limit = given ? iterations : plan->steps > 0 ? plan->steps : TLV_REFINE_MAX_STEPS;
	tlv_statistic *statistic;

	if (plan->refine_steps == limit && has_prelude(plan) && plan->k > 1)
	{
		plan->correlated = true;
		plan->refine_steps = plan->steps = 0;
		plan->perplexity[0] = plan->perplexity[1] = HUGE_VAL;
		return tlv_lda_refine(ctx, plan, pass);
	}
	if (plan->refine_steps == limit)
	{
		plan->at_limit = !given && plan->steps == 0;
		return tlv_lda_finish_or_test(ctx, plan, pass);
	}
	statistic = tlv_lda_ask(plan, pass, "refinement", &tlv_aggregate_statistics, take_statistics);
	pass->settled = tlv_lda_is_settled(plan);
	statistic->constant = &plan->model.frame;
	statistic->refine = tlv_lda_refinement(plan);
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
	int iterations = tlv_lda_iterations(plan), steps = iterations < 0 ? plan->steps : iterations;
	int left = steps - 1 - plan->refine_steps;

	if (plan->correlated)
		return CORRELATED_RELAXATION;
	if (!tlv_lda_topics_move(plan) || plan->refine_steps == 0 || left <= 0 ||
		tlv_frame_scalar(&plan->model.frame, "alpha0", 1) == 0)
		return 0;
	return RELAXATION * left / (steps - 1);
}

/* Steps after the first one, which has lowered the perplexity by that part. */
int
tlv_lda_more_steps(const lda_plan *plan, double fall)
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
	if (tlv_lda_topics_move(plan) && plan->refine_steps == 1)
		plan->steps = 1 + tlv_lda_more_steps(plan, 1 - perplexity / plan->perplexity[0]);
	return stands && !tlv_lda_topics_move(plan) && tlv_lda_iterations(plan) < 0;
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
		return tlv_lda_finish_or_test(ctx, plan, pass);
	return tlv_lda_refine(ctx, plan, pass);
}
