/*
 * suggest.c - what documents say about the number of topics (lda.h): the curve by which the driver
 * chooses k, and as evidence beside it the coherence of the topics and the directions of either
 * half of the documents that are significant in the other.
 */
#include "learn.h"
#include "../tuning.h"

#include <math.h>
#include <string.h>

#include "tensorlv/model/topics.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/tuning.h"

typedef struct suggestions
{
	tlv_source *documents;
	const char *criterion;
	size_t n_coherence;
	tlv_suggestion coherence[TLV_CHOICE_POINTS];
	size_t n_rows;
	tlv_suggestion *rows;
} suggestions;

static bool
wants(const suggestions *all, const char *criterion)
{
	return all->criterion == NULL || strcmp(all->criterion, criterion) == 0;
}

/* Behind the other rows of its criterion, which begin at `first`, by ascending k. */
static void
suggest_row(suggestions *all, size_t first, const tlv_suggestion *row)
{
	size_t at = all->n_rows++;

	for (; at > first && all->rows[at - 1].k > row->k; at--)
		all->rows[at] = all->rows[at - 1];
	all->rows[at] = *row;
}

/* ---- the curve ---- */

static void
suggest_curve(const lda_choice *choice, const char *criterion, suggestions *all)
{
	const tlv_choice *curve = &choice->curve;
	bool gain = strcmp(criterion, TLV_SUGGEST_GAIN) == 0;

	for (size_t i = 0; i < curve->n; i++)
	{
		const tlv_choice_point *point = &curve->points[i];

		all->rows[all->n_rows++] =
			(tlv_suggestion){.k = point->k,
							 .criterion = criterion,
							 .score = gain ? tlv_choice_gain(curve, i) : point->mean,
							 .standard_error = gain ? NAN : point->error,
							 .chosen = i == (gain ? curve->gain : curve->chosen)};
	}
	if (curve->n == 0)
		all->rows[all->n_rows++] = (tlv_suggestion){
			.k = 1, .criterion = criterion, .score = NAN, .standard_error = NAN, .chosen = true};
}

/* ---- coherence of the topics, over all documents ---- */

/* Mean and standard error over the topics of a model. */
static void
measure_coherence(const tlv_frame *counts, double *mean, double *error)
{
	size_t top = tlv_frame_find(counts, "items")->rows,
		   k = tlv_frame_find(counts, "items")->columns;
	const double *joint = tlv_frame_float64(counts, "joint");
	double documents = tlv_frame_scalar(counts, "documents", 0), sum = 0, squares = 0;

	for (size_t j = 0; j < k; j++)
	{
		double npmi, umass;

		tlv_topic_coherence(top, joint + j * tlv_packed2_size(top), documents, &npmi, &umass);
		sum += npmi;
		squares += npmi * npmi;
	}
	*mean = sum / (double) k;
	*error = k > 1 ? sqrt(fmax(squares - sum * *mean, 0) / ((double) k * (double) (k - 1))) : NAN;
}

/* Of a model that the search for k has learnt. */
static tlv_status
note_coherence(tlv_context *ctx, void *argument, size_t k, const tlv_held *model)
{
	suggestions *all = argument;
	tlv_suggestion *row = &all->coherence[all->n_coherence];
	tlv_value *value;

	if (!wants(all, TLV_SUGGEST_COHERENCE) ||
		tlv_frame_find(&model->frame, "items")->rows < TLV_COHERENCE_TOP)
		return TLV_OK;
	TLV_TRY(tlv_collect(
		ctx, all->documents, "coherence", 0, 1,
		&(tlv_statistic){.aggregate = &tlv_aggregate_coherence, .constant = &model->frame},
		&value));
	if (value == NULL)
		return TLV_OK;
	*row = (tlv_suggestion){.k = k, .criterion = TLV_SUGGEST_COHERENCE};
	measure_coherence(&value->frame, &row->score, &row->standard_error);
	tlv_value_drop(value);
	all->n_coherence++;
	return TLV_OK;
}

/* The k of the most coherent topics is chosen. */
static void
suggest_coherence(suggestions *all)
{
	size_t first = all->n_rows, best;

	for (size_t i = 0; i < all->n_coherence; i++)
		suggest_row(all, first, &all->coherence[i]);
	for (size_t i = best = first; i < all->n_rows; i++)
		if (all->rows[i].score > all->rows[best].score)
			best = i;
	if (best < all->n_rows)
		all->rows[best].chosen = true;
}

/* ---- significant directions ---- */

size_t
tlv_lda_suggest_significance(size_t n, const double *z, size_t k, tlv_suggestion *rows)
{
	for (size_t j = 0; j < n; j++)
	{
		double score = isnan(z[j]) ? -HUGE_VAL : z[j];
		size_t at = j;

		for (; at > 0 && rows[at - 1].score < score; at--)
			rows[at].score = rows[at - 1].score;
		rows[at].score = score;
	}
	if (n == 0)
		rows[n++].score = -HUGE_VAL;
	for (size_t j = 0; j < n; j++)
		rows[j] = (tlv_suggestion){.k = j + 1,
								   .criterion = TLV_SUGGEST_SIGNIFICANCE,
								   .score = isfinite(rows[j].score) ? rows[j].score : NAN,
								   .standard_error = 1,
								   .chosen = j + 1 == (k > 0 ? k : 1)};
	return n;
}

/*
 * Compressed moments of some documents in the leading directions of others, NULL where either are
 * none or too short.  Whether words come in bursts does not matter to pairs of distinct words.
 */
static tlv_status
see_in_directions(tlv_context *ctx, tlv_source *others, tlv_source *seen, lda_learning *fit,
				  tlv_value **moments)
{
	tlv_subspace_options options = {.distinct = true};
	size_t most = fit->options.max_k > 0 ? fit->options.max_k : TLV_TESTED_RANK;
	lda_counts counts = {0};
	tlv_value *summary;

	*moments = NULL;
	TLV_TRY(lda_summarise(ctx, others, &counts, &summary));
	if (counts.repeats > 0 || !lda_holds_documents(summary))
	{
		tlv_value_drop(summary);
		return TLV_OK;
	}
	options.rank =
		(size_t) fmin((double) tlv_least(most, tlv_frame_find(&summary->frame, "items")->rows),
					  tlv_frame_scalar(&summary->frame, "documents", 0));
	TLV_TRY(lda_find_subspace(ctx, others, fit, &summary->frame, &options, NULL));
	tlv_value_drop(summary);
	return tlv_collect(ctx, seen, "significance", 0, 1,
					   &(tlv_statistic){.aggregate = &tlv_aggregate_count_moments,
										.constant = &fit->subspace.frame},
					   moments);
}

/* Either half of the documents in the directions of the other. */
static tlv_status
suggest_significant(tlv_context *ctx, tlv_source *documents, lda_learning *fit, suggestions *all)
{
	tlv_value *moments[2] = {0};
	double *z = NULL;
	size_t n = 0, k = 0;

	for (int i = 0; i < 2; i++)
	{
		tlv_source others, seen;

		tlv_source_fold(&others, documents, 2, i);
		tlv_source_fold(&seen, documents, 2, 1 - i);
		if (i == 0 || moments[0] != NULL)
			TLV_TRY(see_in_directions(ctx, &others, &seen, fit, &moments[i]));
	}
	if (moments[1] != NULL)
	{
		TLV_TRY_NEW(ctx, z, tlv_frame_find(&moments[0]->frame, "mean")->rows);
		TLV_TRY(tlv_count_suggest_k(ctx, &moments[0]->frame, &moments[1]->frame, z, &n, &k));
	}
	all->n_rows += tlv_lda_suggest_significance(n, z, k, all->rows + all->n_rows);
	tlv_value_drop(moments[0]);
	tlv_value_drop(moments[1]);
	lda_drop_subspace(ctx, fit);
	return TLV_OK;
}

/* ---- the whole ---- */

/* The search of the driver, over documents that can be learnt from. */
static tlv_status
suggest_searched(tlv_context *ctx, tlv_source *documents, lda_learning *fit, suggestions *all)
{
	tlv_value *summary;

	TLV_TRY(lda_choose_k(ctx, documents, fit, note_coherence, all));
	if (fit->choice.untested)
	{
		TLV_TRY(lda_summarise(ctx, documents, &fit->counts, &summary));
		TLV_TRY(lda_require_documents(ctx, summary, fit->choice.documents > 0));
		tlv_value_drop(summary);
	}
	if (wants(all, TLV_SUGGEST_HELD_OUT))
		suggest_curve(&fit->choice, TLV_SUGGEST_HELD_OUT, all);
	if (wants(all, TLV_SUGGEST_GAIN))
		suggest_curve(&fit->choice, TLV_SUGGEST_GAIN, all);
	suggest_coherence(all);
	return TLV_OK;
}

tlv_status
tlv_lda_suggest(tlv_context *ctx, tlv_source *documents, const tlv_lda_learn_options *options,
				const char *criterion, tlv_suggestion **rows, size_t *n)
{
	size_t tested = options->max_k > 0 ? options->max_k : TLV_TESTED_RANK;
	suggestions all = {.criterion = criterion};
	tlv_source within;
	lda_learning fit;

	TLV_TRY_CONTINUE(ctx);
	lda_begin(options, &fit);
	tlv_source_within(&within, documents);
	all.documents = &within;
	TLV_TRY_NEW0(ctx, all.rows, 3 * (TLV_CHOICE_POINTS + 1) + tested + 1);
	if (criterion == NULL || strcmp(criterion, TLV_SUGGEST_SIGNIFICANCE) != 0)
		TLV_TRY(suggest_searched(ctx, &within, &fit, &all));
	if (wants(&all, TLV_SUGGEST_SIGNIFICANCE))
		TLV_TRY(suggest_significant(ctx, &within, &fit, &all));
	*rows = all.rows;
	*n = all.n_rows;
	return TLV_OK;
}
