/*
 * learn.c - the whole of learning latent Dirichlet allocation (lda.h): the number of topics where
 * it is not given, the summary of the documents, whether words come in bursts, the model that
 * refinement begins with, refinement until the perplexity converges, and the tests of the result.
 */
#include "learn.h"
#include "../tuning.h"
#include "tensorlv/num/plural.h"

#include <math.h>
#include <string.h>

void
lda_see_counts(tlv_source *view, tlv_source *documents, const lda_learning *fit)
{
	tlv_source_scaled(view, documents, fit->counts.repeats);
	if (fit->counts.damped)
		tlv_source_damped(view, view, DAMPING_CAP);
}

static tlv_status
lda_check(tlv_context *ctx, const void *argument)
{
	const tlv_lda_learn_options *options = argument;
	size_t k = options->fit.k, fixed;

	if (k > TLV_TOPICS_MOST)
		return tlv_fail(ctx, TLV_LIMIT, "k = %zu is more than %d", k, TLV_TOPICS_MOST);
	if (options->errors && options->refine != NULL && strcmp(options->refine, "ctm") == 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there are no standard errors of correlated topics");
		return tlv_fail_hint(ctx, "Leave errors out, or use another refinement than 'ctm'.");
	}
	fixed = options->fixed != NULL ? tlv_lda_fixed_topics(options->fixed) : 0;
	if (k > 0 && k < fixed)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu %s fixed, more than k = %zu", fixed,
				 tlv_plural((double) fixed, "topic is", "topics are"), k);
		return tlv_fail_hint(ctx, "k counts the fixed topics and those that are learnt.");
	}
	return TLV_OK;
}

void
lda_begin(const tlv_lda_learn_options *options, lda_learning *fit)
{
	*fit = (lda_learning){.options = *options, .k = options->fit.k};
	fit->counts.damped = options->counts == TLV_LDA_COUNTS_DAMPED;
	fit->counts.least = options->minimum_documents;
	fit->counts.burstiness = NAN;
	fit->held_out[0] = fit->held_out[1] = NAN;
}

/* ---- the summary ---- */

static tlv_status
learn_summarise(tlv_context *ctx, tlv_source *documents, lda_learning *fit, tlv_value **summary)
{
	const tlv_frame *fixed = fit->options.fixed;

	TLV_TRY(lda_summarise(ctx, documents, &fit->counts, summary));
	TLV_TRY(lda_require_documents(ctx, *summary, fit->choice.documents > 0));
	fit->summary = &(*summary)->frame;
	/* Documents of one word show how often each word occurs, and no more. */
	if (fit->counts.of_one_word && fixed == NULL)
		fit->k = 1;
	if (fixed != NULL && fit->k < tlv_lda_fixed_topics(fixed))
		fit->k = tlv_lda_fixed_topics(fixed);
	return TLV_OK;
}

/* ---- counts: as they are, or damped where words come in bursts ---- */

/*
 * Words in bursts repeat within a document more than any mixture of k topics explains: the trace of
 * the scaled second moment, which includes repetitions of a word, exceeds the sum of the k leading
 * eigenvalues over pairs of distinct words, which does not.  For documents of the model both agree.
 */
static tlv_status
measure_burstiness(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	tlv_subspace_options options = {
		.rank = fit->k, .distinct = true, .fewer = true, .twice = fit->options.errors};
	lda_counts *counts = &fit->counts;

	counts->trace = tlv_count_trace(fit->summary, 0);
	if (fit->options.counts != TLV_LDA_COUNTS_AUTO || counts->trace <= 1 + sqrt((double) fit->k))
		return TLV_OK;
	TLV_TRY(lda_find_subspace(ctx, documents, fit, fit->summary, &options, &counts->burstiness));
	counts->damped = lda_is_bursty(counts->burstiness);
	return TLV_OK;
}

/* In bursts, the moments see damped counts of words that enough documents hold. */
static void
lda_choose_items(lda_learning *fit)
{
	const double burst_alpha =
		0.1; /* each topic's, with which refinement begins when words come in bursts */
	double documents = tlv_frame_scalar(fit->summary, "documents", 0);

	if (fit->counts.least < 0)
		fit->counts.least =
			fit->counts.damped ? fmin(DAMPED_DOCUMENTS, ceil(documents / DAMPED_SHARE)) : 0;
	if (fit->options.fit.anchors.n > 0 && fit->options.minimum_documents < 0)
		fit->counts.least = fmin(fit->counts.least, TLV_LDA_ANCHOR_DOCUMENTS);
	/* The residual of moments that the model does not fit is no evidence of alpha0. */
	if (fit->counts.damped && isnan(fit->options.fit.alpha0))
	{
		fit->options.fit.alpha0 = burst_alpha * (double) fit->k;
		fit->options.fit.alpha0_free = true;
	}
}

tlv_status
lda_choose_counts(tlv_context *ctx, tlv_source *documents, lda_learning *fit, tlv_value **damped)
{
	tlv_source counts;

	*damped = NULL;
	if (fit->counts.repeats == 0)
		TLV_TRY(measure_burstiness(ctx, documents, fit));
	lda_choose_items(fit);
	if (!fit->counts.damped)
		return TLV_OK;
	lda_see_counts(&counts, documents, fit);
	TLV_TRY(tlv_collect_again(ctx, &counts, "summary", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_count_summary}, damped));
	if (lda_holds_documents(*damped))
		return TLV_OK;
	/* Documents of one word, say, are none when it counts twice at most. */
	tlv_value_drop(*damped);
	*damped = NULL;
	fit->counts.damped = false;
	return TLV_OK;
}

/* ---- the whole ---- */

/* A k that was given, and that the spectrum of the pairs does not bear out. */
bool
lda_is_to_be_tested(const lda_learning *fit)
{
	return fit->options.test && fit->counts.repeats == 0 && fit->doubtful && !fit->choice.chosen &&
		   fit->k > 1;
}

static tlv_status
lda_learn(tlv_context *ctx, tlv_source *documents, const void *options, tlv_held *model)
{
	tlv_value *summary, *words, *damped;
	lda_refinement refinement;
	lda_learning fit;

	lda_begin(options, &fit);
	fit.options.fit.names = documents->within ? NULL : tlv_source_rows(documents)->rows.names;
	if (fit.k == 0)
	{
		fit.choice.chosen = true;
		TLV_TRY(lda_choose_k(ctx, documents, &fit, NULL, NULL));
		fit.k = lda_chosen_k(&fit.choice);
	}
	TLV_TRY(learn_summarise(ctx, documents, &fit, &summary));
	TLV_TRY(lda_summarise_words(ctx, documents, &fit, &words));
	TLV_TRY(lda_choose_counts(ctx, documents, &fit, &damped));
	refinement = lda_begin_refinement(&fit);
	TLV_TRY(lda_initialise(ctx, documents, &fit, damped != NULL ? &damped->frame : fit.summary,
						   &refinement));
	tlv_value_drop(damped);
	if (fit.options.refine != NULL)
		TLV_TRY(lda_refine(ctx, documents, &fit, &refinement));
	if (lda_is_to_be_tested(&fit))
	{
		fit.choice.tested = true;
		TLV_TRY(lda_choose_k(ctx, documents, &fit, NULL, NULL));
	}
	if (fit.options.errors)
		TLV_TRY(lda_measure_recurrence(ctx, documents, &fit));
	TLV_TRY(lda_finish(ctx, documents, &fit, model));
	tlv_value_drop(summary);
	tlv_value_drop(words);
	return TLV_OK;
}

const tlv_procedure tlv_lda_procedure = {.check = lda_check, .learn = lda_learn};
