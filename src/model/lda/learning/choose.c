/*
 * choose.c - the number of topics by the documents of a fifth that models of several k, learnt from
 * the other four, predict (learn.h, choice.h).
 *
 * What is predicted is new words: those of one half of a document that the other half lacks.  A
 * word that comes in bursts predicts itself, and so would more topics, each one frequent word,
 * where there are none.
 */
#include "learn.h"

#include <math.h>
#include <string.h>

#include "../internal.h"
#include "../tuning.h"
#include "tensorlv/model/choice.h"

typedef struct member_search
{
	lda_learning *fit;
	tlv_source training, held_out;
	lda_counts counts; /* of the training documents */
	const tlv_frame *summary, *words;
	lda_member_use each;
	void *argument;
} member_search;

/* ---- one member ---- */

/* Its model, refined for a few iterations; nothing else stays but what the scratch gives back. */
static tlv_status
member_learn(tlv_context *ctx, member_search *search, size_t k, lda_learning *fit)
{
	tlv_value *damped;
	lda_refinement refinement;

	lda_begin(&search->fit->options, fit);
	fit->k = k;
	fit->options.refine = "stepwise";
	fit->options.iterations = MEMBER_ITERATIONS;
	fit->options.errors = fit->options.test = false;
	/* With fewer topics than there are the others look like bursts. */
	if (fit->options.counts == TLV_LDA_COUNTS_AUTO)
		fit->options.counts = TLV_LDA_COUNTS_RAW;
	fit->options.start = tlv_frame_scalar(search->summary, "tokens", 0) <
								 SHORT_DOCUMENTS * tlv_frame_scalar(search->summary, "documents", 0)
							 ? TLV_LDA_START_TENSOR
							 : TLV_LDA_START_ANCHORS;
	fit->counts.repeats = search->counts.repeats;
	fit->summary = search->summary;
	fit->words = search->words;
	TLV_TRY(lda_choose_counts(ctx, &search->training, fit, &damped));
	refinement = lda_begin_refinement(fit);
	TLV_TRY(lda_initialise(ctx, &search->training, fit,
						   damped != NULL ? &damped->frame : fit->summary, &refinement));
	tlv_value_drop(damped);
	return lda_refine(ctx, &search->training, fit, &refinement);
}

/* Which words are scored; are there documents enough that have any? */
static bool
choose_words(lda_choice *choice, const tlv_frame *scores)
{
	const double *own = tlv_frame_float64(scores, "new_words");
	const double *all = tlv_frame_float64(scores, "all_words");
	double sums[2] = {0};
	size_t groups = 0;

	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
	{
		sums[0] += own[g];
		sums[1] += all[g];
	}
	choice->all_words = sums[0] < NEW_WORDS * sums[1];
	for (size_t g = 0; g < TLV_CHOICE_GROUPS; g++)
		groups += (choice->all_words ? all : own)[g] > 0;
	return groups >= 2; /* as many as a standard error needs */
}

/* Its sums over the documents that were held out; none: *seen is false. */
static tlv_status
member_score(tlv_context *ctx, member_search *search, const tlv_held *model, double *sums,
			 bool *seen)
{
	tlv_statistic statistic = {
		.aggregate = &tlv_aggregate_statistics, .constant = &model->frame, .refine = LDA_HELD_OUT};
	lda_choice *choice = &search->fit->choice;
	const double *scores, *words;
	tlv_value *value;

	TLV_TRY(tlv_collect(ctx, &search->held_out, "choice of k", 0, 1, &statistic, &value));
	*seen = value != NULL;
	if (value == NULL)
		return TLV_OK;
	if (choice->curve.n == 0)
		*seen = choose_words(choice, &value->frame);
	scores = tlv_frame_float64(&value->frame, choice->all_words ? "all_scores" : "new_scores");
	words = tlv_frame_float64(&value->frame, choice->all_words ? "all_words" : "new_words");
	memcpy(sums, scores, TLV_CHOICE_GROUPS * sizeof(double));
	memcpy(sums + TLV_CHOICE_GROUPS, words, TLV_CHOICE_GROUPS * sizeof(double));
	tlv_value_drop(value);
	return TLV_OK;
}

static tlv_status
member_learn_and_score(tlv_context *ctx, member_search *search, size_t k, double *sums, bool *seen)
{
	lda_learning fit;

	TLV_TRY(member_learn(ctx, search, k, &fit));
	TLV_TRY(member_score(ctx, search, &fit.model, sums, seen));
	return *seen && search->each != NULL ? search->each(ctx, search->argument, k, &fit.model)
										 : TLV_OK;
}

/*
 * The sums of one k, TLV_CHOICE_GROUPS scores and as many counts.  There are none, *seen is false,
 * without documents that were held out.
 */
static tlv_status
member_sums(tlv_context *ctx, member_search *search, size_t k, double *sums, bool *seen)
{
	tlv_scratch scratch;
	tlv_status status;

	tlv_scratch_begin(ctx, &scratch);
	status = member_learn_and_score(ctx, search, k, sums, seen);
	tlv_scratch_end(ctx, &scratch);
	return status;
}

/* ---- the curve ---- */

/* Bounds of k; fixed topics count among them. */
static void
begin_curve(lda_learning *fit, double training_documents)
{
	double documents = training_documents * TLV_FOLDS / (TLV_FOLDS - 1);
	double most = fit->k > 0 ? (double) fit->k : (double) fit->options.max_k;
	size_t least = fit->options.fixed != NULL ? tlv_lda_fixed_topics(fit->options.fixed) : 1;

	if (most == 0)
		most = fmin(fmax(floor(documents / 2), LEAST_K), MOST_K);
	tlv_choice_begin(least, (size_t) most, false, &fit->choice.curve);
}

/* The grid, and what refines it, in the first fold. */
static tlv_status
follow_curve(tlv_context *ctx, member_search *search)
{
	lda_choice *choice = &search->fit->choice;
	double *sums;
	bool seen;
	size_t k;

	TLV_TRY_NEW(ctx, sums, 2 * TLV_CHOICE_GROUPS);
	begin_curve(search->fit, choice->documents);
	while ((k = tlv_choice_next(&choice->curve)) > 0)
	{
		TLV_TRY(member_sums(ctx, search, k, sums, &seen));
		if (!seen)
			break;
		TLV_TRY(tlv_choice_add(ctx, &choice->curve, k, sums, sums + TLV_CHOICE_GROUPS));
		tlv_choice_decide(&choice->curve);
	}
	choice->untested = choice->curve.n == 0;
	tlv_free(ctx, sums);
	return TLV_OK;
}

/* The k that are left, in a further fold; a fold in which not all of them can be learnt does not
 * count. */
static tlv_status
continue_curve(tlv_context *ctx, member_search *search)
{
	tlv_choice *curve = &search->fit->choice.curve;
	size_t n = curve->last - curve->first + 1, done;
	double *sums;
	bool seen = true;

	TLV_TRY_NEW(ctx, sums, n * 2 * TLV_CHOICE_GROUPS);
	for (done = 0; done < n && seen; done++)
		TLV_TRY(member_sums(ctx, search, curve->points[curve->first + done].k,
							sums + done * 2 * TLV_CHOICE_GROUPS, &seen));
	for (size_t i = 0; i < n && seen; i++)
	{
		const double *own = sums + i * 2 * TLV_CHOICE_GROUPS;

		TLV_TRY(tlv_choice_add(ctx, curve, curve->points[curve->first + i].k, own,
							   own + TLV_CHOICE_GROUPS));
	}
	tlv_choice_decide(curve);
	tlv_free(ctx, sums);
	return TLV_OK;
}

/* The models of a fold: learnt from the other folds, they predict this one.  Too few documents
 * leave k untested. */
static tlv_status
search_fold(tlv_context *ctx, tlv_source *documents, member_search *search, int fold)
{
	lda_learning training = {.options = search->fit->options};
	lda_choice *choice = &search->fit->choice;
	tlv_value *summary, *words = NULL;
	tlv_status status = TLV_OK;

	tlv_source_within(&search->training, documents);
	tlv_source_fold(&search->held_out, &search->training, TLV_FOLDS, fold);
	tlv_source_without_fold(&search->training, &search->training, TLV_FOLDS, fold);
	TLV_TRY(lda_summarise(ctx, &search->training, &training.counts, &summary));
	if (summary != NULL && fold == 0)
		choice->documents = tlv_frame_scalar(&summary->frame, "documents", 0);
	if (choice->documents < LEAST_LEARNT || !lda_holds_documents(summary) ||
		training.counts.of_one_word)
		choice->untested = choice->curve.n == 0;
	else
	{
		search->counts = training.counts;
		search->summary = training.summary = &summary->frame;
		TLV_TRY(lda_summarise_words(ctx, &search->training, &training, &words));
		search->words = training.words;
		status = (fold == 0 ? follow_curve : continue_curve)(ctx, search);
	}
	tlv_value_drop(summary);
	tlv_value_drop(words);
	return status;
}

size_t
lda_chosen_k(const lda_choice *choice)
{
	return choice->untested ? 1 : choice->curve.points[choice->curve.chosen].k;
}

tlv_status
lda_choose_k(tlv_context *ctx, tlv_source *documents, lda_learning *fit, lda_member_use each,
			 void *argument)
{
	member_search search = {.fit = fit, .each = each, .argument = argument};
	lda_choice *choice = &fit->choice;

	TLV_TRY(search_fold(ctx, documents, &search, 0));
	search.each = NULL;
	for (int fold = 1; fold < TLV_FOLDS && !choice->untested && tlv_choice_is_open(&choice->curve);
		 fold++)
		TLV_TRY(search_fold(ctx, documents, &search, fold));
	return TLV_OK;
}
