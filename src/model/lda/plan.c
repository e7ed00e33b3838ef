/*
 * plan.c - latent Dirichlet allocation as a plan (lda.h): summary, products until the subspace
 * stands, compressed moments, fit, refinement steps until the perplexity stands.  Before that,
 * where they are not given, k by cross-validation and whether words come in bursts.
 */
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/assert.h"

/* The subspace stands when its leading Ritz values move by less than this, or after so many
 * steps. */
#define SUBSPACE_TOLERANCE 0.01
#define SUBSPACE_MIN_STEPS 4
#define SUBSPACE_MAX_STEPS 12

/* Repetitions so many times beyond what the topics explain count as bursts. */
#define BURST_LIMIT 2.0

/* That is decided before the subspace stands, after so many steps, where the ratio cannot fall to
 * the limit by so many times the last fall: falls halve, at least, from step to step (AP, k = 200:
 * 3.93, 2.75, 2.55, 2.49, 2.47, .., 2.44). */
#define PLAIN_STEPS 3
#define PLAIN_FALLS 2

/* Counts that the moments see when words come in bursts: at most this, in enough documents. */
#define DAMPING_CAP		 2.0
#define DAMPED_DOCUMENTS 20
#define DAMPED_SHARE	 50 /* or one in so many documents, if that is less */
#define BURST_ALPHA		 0.1 /* each topic's, from which refinement starts when words come in bursts */

/*
 * Moments need three words of a document.  Where fewer than one document in so many has them, of
 * those that have a word, each word of all documents counts thrice: among the pairs of a document
 * of two words stand then those of a word with itself, by which every eigenvalue of the scaled pair
 * moment grows alike, so that the leading directions stay.  The third moment is biased, and a start
 * for refinement, which sees the words as they are.
 */
#define LONG_ONE_IN 10
/* So many longer ones are enough for moments of their own, whatever there is beside them. */
#define LONG_ENOUGH 1000
#define SHORT_TIMES TLV_MIN_LENGTH

/* ---- passes ---- */

/* Each word counts thrice, so that the summary holds every document that has one. */
static bool
count_with_words(lda_plan *plan, double documents)
{
	plan->judged = true;
	plan->too_short = documents - plan->longer;
	if (plan->longer * LONG_ONE_IN > documents)
	{
		plan->times = 0;
		return true;
	}
	plan->damp = plan->damped = false;
	return false;
}

bool
tlv_lda_repeats_words(lda_plan *plan, const tlv_value *summary)
{
	double documents, skipped;

	if (plan->judged || summary == NULL)
		return false;
	documents = tlv_frame_scalar(&summary->frame, "documents", 0);
	if (plan->times > 0)
		return count_with_words(plan, documents);
	skipped = tlv_frame_scalar(&summary->frame, "skipped", 0);
	if (skipped == 0 || documents >= LONG_ENOUGH || documents * LONG_ONE_IN > documents + skipped)
		return false;
	plan->longer = documents;
	plan->times = SHORT_TIMES;
	return true;
}

void
tlv_lda_judge_afresh(lda_plan *plan)
{
	plan->judged = false;
	plan->times = 0;
}

/* Only the moments, which are sums of counts, need them. */
static bool
takes_counts(const tlv_aggregate *aggregate)
{
	return aggregate != &tlv_aggregate_statistics && aggregate != &tlv_aggregate_completion;
}

/* One statistic over the rows of the moment; then is the step that takes its value. */
tlv_statistic *
tlv_lda_ask(lda_plan *plan, tlv_pass *pass, const char *stage, const tlv_aggregate *aggregate,
			tlv_plan_step then)
{
	pass->damp = plan->damp ? DAMPING_CAP : 0;
	pass->scale = takes_counts(aggregate) ? plan->times : 0;
	pass->folds = plan->folds;
	pass->fold = plan->fold;
	pass->others = plan->rivals || plan->others;
	return tlv_plan_ask(&plan->base, pass, stage, aggregate, then);
}

void
tlv_lda_ask_summary(lda_plan *plan, tlv_pass *pass, tlv_plan_step then)
{
	tlv_lda_ask(plan, pass, "summary", &tlv_aggregate_count_summary, then);
}

bool
tlv_lda_holds_documents(const tlv_value *summary)
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
	if (tlv_lda_holds_documents(summary))
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
	tlv_fail_detail(ctx, shorter == 1 ? "%.0f document is shorter." : "%.0f documents are shorter.",
					shorter);
	return tlv_fail_hint(ctx, "Give a row (doc, item [, count]) for every item of a document; text "
							  "is taken apart by to_tsvector(text).");
}

/* ---- a subspace, by block iteration: one pass over the documents a step ---- */

void
tlv_lda_subspace_drop(tlv_context *ctx, lda_plan *plan)
{
	tlv_free(ctx, plan->subspace.image);
	plan->subspace.image = NULL;
}

static tlv_status
subspace_next(tlv_context *ctx, lda_plan *plan, const tlv_frame *moments,
			  const tlv_subspace_options *options)
{
	tlv_making made;

	tlv_assert(plan != NULL);
	if (options->begun == NULL && options->subspace == NULL)
		tlv_lda_subspace_drop(ctx, plan); /* the moments hold what they need of it */
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
 * Whether bursts are told apart before the subspace stands.  The sum of the leading Ritz values
 * grows with every step and stays below that of the eigenvalues, so a small ratio is final, and a
 * large one where no more than a multiple of what it fell by in the last step is missing.
 */
static bool
bursts_are_plain(lda_plan *plan)
{
	double before = plan->bursts;

	plan->bursts = measured_bursts(plan);
	return plan->subspace_steps >= PLAIN_STEPS &&
		   (plan->bursts <= BURST_LIMIT ||
			plan->bursts - PLAIN_FALLS * (before - plan->bursts) > BURST_LIMIT);
}

static tlv_status measure_bursts(tlv_context *ctx, tlv_plan *base, tlv_value **values,
								 tlv_pass *pass);

static void
ask_products(lda_plan *plan, tlv_pass *pass)
{
	tlv_lda_ask(plan, pass, "subspace", &tlv_aggregate_count_products, take_products)->constant =
		&plan->subspace.frame;
}

/* The subspace of those documents that the summary is of; found comes when it stands. */
tlv_status
tlv_lda_subspace_begin(tlv_context *ctx, lda_plan *plan, const tlv_frame *summary,
					   tlv_subspace_options *options, tlv_plan_step found, tlv_pass *pass)
{
	const tlv_frame before = plan->subspace.frame;

	options->seed = plan->options.fit.seed;
	options->begun = plan->begun ? &before : NULL;
	plan->begun = false;
	plan->subspace_steps = 0;
	plan->subspace_found = found;
	tlv_lda_expect_tensor(ctx, plan, summary, options->rank);
	TLV_TRY(subspace_next(ctx, plan, summary, options));
	ask_products(plan, pass);
	return TLV_OK;
}

static tlv_status
take_products(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);
	tlv_subspace_options same = {0};
	const tlv_frame *products;

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	products = &values[0]->frame;
	same.subspace = tlv_count_refers(products) ? &plan->subspace.frame : NULL;
	TLV_TRY(subspace_next(ctx, plan, products, &same));
	plan->subspace_steps++;
	if (plan->subspace_steps >= SUBSPACE_MAX_STEPS ||
		(plan->subspace_steps >= SUBSPACE_MIN_STEPS &&
		 tlv_subspace_change(&plan->subspace.frame) < SUBSPACE_TOLERANCE) ||
		(plan->subspace_found == measure_bursts && bursts_are_plain(plan)))
		return plan->subspace_found(ctx, base, values, pass);
	ask_products(plan, pass);
	return TLV_OK;
}

/* ---- counts: raw, or damped where words come in bursts ---- */

static tlv_status
take_damped_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	TLV_TRY(tlv_plan_require(ctx, values[0]));
	if (tlv_lda_holds_documents(values[0]))
		return tlv_lda_fit_subspace(ctx, plan, &values[0]->frame, pass);
	/* Documents of one word, say, are nothing when it counts twice at most. */
	plan->damp = plan->damped = false;
	return tlv_lda_fit_subspace(ctx, plan, &base->kept[KEPT_SUMMARY]->frame, pass);
}

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
		return tlv_lda_fit_subspace(ctx, plan, summary, pass);
	tlv_lda_ask_summary(plan, pass, take_damped_summary);
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
	plan->begun = true;
	return counts_chosen(ctx, plan, pass);
}

/* Documents of one word say how often each word comes, and no more. */
static tlv_status
begin_short(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	const tlv_frame *summary = &plan->base.kept[KEPT_SUMMARY]->frame;

	plan->of_one_word = tlv_frame_scalar(summary, "tokens", 0) <=
						plan->times * tlv_frame_scalar(summary, "documents", 0);
	if (plan->of_one_word && plan->options.fixed == NULL)
		plan->k = 1;
	return counts_chosen(ctx, plan, pass);
}

tlv_status
tlv_lda_take_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tlv_subspace_options options = {.distinct = true, .fewer = true, .twice = base->errors};
	lda_plan *plan = lda_plan_of(base);
	const tlv_frame *summary;

	if (tlv_lda_repeats_words(plan, values[0]))
	{
		tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
		return TLV_OK;
	}
	TLV_TRY(require_documents(ctx, plan, values[0]));
	if (plan->options.only_k)
		return TLV_OK;
	if (plan->options.fixed != NULL && plan->k < tlv_lda_fixed_topics(plan->options.fixed))
		plan->k = tlv_lda_fixed_topics(plan->options.fixed);
	tlv_plan_keep(base, KEPT_SUMMARY, &values[0]);
	summary = &base->kept[KEPT_SUMMARY]->frame;
	if (plan->times > 0)
		return begin_short(ctx, plan, pass);
	plan->trace = tlv_count_trace(summary, 0);
	options.rank = plan->k;
	if (plan->options.counts == TLV_LDA_COUNTS_AUTO && plan->trace > 1 + sqrt((double) plan->k))
		return tlv_lda_subspace_begin(ctx, plan, summary, &options, measure_bursts, pass);
	return counts_chosen(ctx, plan, pass);
}

/* ---- the plan ---- */

static tlv_status
lda_begin(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	if (base->errors && plan->options.refine != NULL && strcmp(plan->options.refine, "ctm") == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there are no standard errors of correlated topics");
		return tlv_fail_hint(ctx, "Leave errors out, or use another refinement than 'ctm'.");
	}
	if (plan->k == 0)
		tlv_lda_choose_begin(plan, pass);
	else
		tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
	return TLV_OK;
}

static void
lda_abandon(tlv_plan *base)
{
	if (lda_plan_of(base)->part != NULL)
		tlv_plan_abandon(lda_plan_of(base)->part);
}

static const tlv_plan_class lda_plan_class = {
	.name = "tlv_lda", .next = lda_begin, .abandon = lda_abandon};

tlv_status
tlv_lda_plan_create(tlv_context *ctx, const tlv_lda_plan_options *options, tlv_plan **result)
{
	lda_plan *plan;

	if (options->fit.k > TLV_TOPICS_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "k = %zu is more than %d", options->fit.k, TLV_TOPICS_MOST);
	if (options->fixed != NULL && options->fit.k > 0 &&
		options->fit.k < tlv_lda_fixed_topics(options->fixed))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu topics are fixed, more than k = %zu",
				 tlv_lda_fixed_topics(options->fixed), options->fit.k);
		return tlv_fail_hint(ctx, "k counts the fixed topics and those that are learnt.");
	}
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

bool
tlv_lda_plan_pooled(const tlv_plan *plan)
{
	return ((const lda_plan *) plan)->pooled;
}

const double *
tlv_lda_plan_z(const tlv_plan *plan, size_t *n)
{
	*n = ((const lda_plan *) plan)->n_z;
	return ((const lda_plan *) plan)->z;
}
