/*
 * finish.c - the end of learning topics: labels, diagnostics and warnings of the model (learn.h).
 */
#include "learn.h"
#include "../tuning.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/num/names.h"
#include "tensorlv/num/plural.h"

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
			const tlv_frame *model, tlv_added_section section[2])
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
	section[0] = (tlv_added_section){"labels", TLV_BYTES, length, 1, text};
	section[1] = (tlv_added_section){"label_offsets", TLV_INT64, d + 1, 1, offsets};
	return TLV_OK;
}

/* The scores by k, and what follows from them. */
static tlv_status
diagnose_curve(tlv_context *ctx, const lda_choice *choice, tlv_diagnostics *to)
{
	const tlv_choice *curve = &choice->curve;
	size_t k;

	if (curve->n == 0 || choice->untested)
		return TLV_OK;
	TLV_TRY(tlv_choice_tell(ctx, curve, to));
	TLV_TRY(tlv_diagnose(ctx, to, (double) curve->points[curve->gain].k, "k_of_gain"));
	k = lda_chosen_k(choice);
	if (k == 1)
		return tlv_warn(
			ctx, to,
			&(tlv_warning){.code = "no_structure",
						   .score = 1,
						   .hint = choice->chosen ? "Collect more or longer documents, or give k."
												  : "Omit k, or collect more or longer documents."},
			choice->chosen
				? "one topic predicts held-out documents as well as more: the model has one topic"
				: "the documents show no topics: one topic predicts held-out documents as well as "
				  "more");
	if (choice->chosen && curve->limited && k == curve->most)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "k_at_limit",
									   .score = (double) k,
									   .hint = "Increase max_k, or give k."},
						"k = %zu is the limit: more topics may predict better", k);
	return TLV_OK;
}

static tlv_status
diagnose_choices(tlv_context *ctx, const lda_learning *fit, tlv_diagnostics *diagnostics)
{
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->choice.chosen, "k_chosen"));
	TLV_TRY(diagnose_curve(ctx, &fit->choice, diagnostics));
	if (fit->choice.chosen && fit->choice.untested)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "k_untested", .score = 1, .hint = "Give k."},
						 "documents are too few or too similar to hold some of them out: the "
						 "number of topics is not tested, and the model has one"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->counts.damped, "counts_damped"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->counts.trace, "trace_raw_counts"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->held_out[0], "held_out_perplexity_tensor"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->held_out[1], "held_out_perplexity_anchors"));
	TLV_TRY(
		tlv_diagnose(ctx, diagnostics, fit->counts.burstiness, "burstiness")); /* nothing for NaN */
	return TLV_OK;
}

/* Documents from which moments are not unbiased, and may be of no use. */
static tlv_status
lda_warn_of_short(tlv_context *ctx, const lda_learning *fit, tlv_diagnostics *to)
{
	if (fit->counts.of_one_word)
		return tlv_warn(
			ctx, to,
			&(tlv_warning){.code = "no_structure",
						   .score = fit->counts.too_short,
						   .hint = "Put texts that belong together into one document: topics are "
								   "identified by words that occur together."},
			"every document has one word: the model has one topic, the word frequencies");
	if (fit->counts.repeats > 0)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "rows_skipped",
									   .score = fit->counts.too_short,
									   .hint = "Put texts that belong together into one document."},
						"most documents, %.0f, have fewer than %d words, from which moments are "
						"biased: the topics come from refinement of such an initial estimate",
						fit->counts.too_short, TLV_MIN_LENGTH);
	if (fit->counts.too_short > 0)
		return tlv_warn(ctx, to,
						&(tlv_warning){.code = "rows_skipped",
									   .score = fit->counts.too_short,
									   .hint = "Put texts that belong together into one document: "
											   "only refinement reads shorter ones."},
						fit->counts.too_short == 1
							? "%.0f document has fewer than %d words and is not in the moments"
							: "%.0f documents have fewer than %d words and are not in the moments",
						fit->counts.too_short, TLV_MIN_LENGTH);
	return TLV_OK;
}

/* Fewer topics than were asked for, and refinement that did not come to its end. */
static tlv_status
finish_warn_of_fit(tlv_context *ctx, const lda_learning *fit, tlv_diagnostics *to)
{
	if (fit->identified < fit->k)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "not_identified",
										.score = (double) fit->identified,
										.hint = "Use a smaller k, or collect more documents."},
						 "the moments identify %zu of the %zu topics: the others are initialised "
						 "from random parts of these",
						 fit->identified, fit->k));
	if (fit->tensor_bytes > 0)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "anchors_for_memory",
										.score = fit->tensor_bytes,
										.hint = "Increase tensorlv.work_mem."},
						 "the third moments of %zu %s need %.0f MB: the initial estimate is "
						 "from anchor words",
						 fit->k, tlv_plural((double) fit->k, "topic", "topics"),
						 ceil(fit->tensor_bytes / 1e6)));
	if (fit->at_limit)
		TLV_TRY(tlv_warn(ctx, to,
						 &(tlv_warning){.code = "iterations_at_limit",
										.score = fit->iterations,
										.hint = "Increase iterations."},
						 "refinement ended after %d %s, before the perplexity converged",
						 fit->iterations,
						 tlv_plural((double) fit->iterations, "iteration", "iterations")));
	return TLV_OK;
}

/*
 * Spurious topics: the weight that the eigenvalue of the tensor implies is far above the weight
 * that the documents give to the topic.  Where words come in bursts neither the moments nor the
 * counts that are damped for them follow the model, and the ratio tells nothing: of 40 topics of
 * two such corpora those above the bound come again from parts of the documents as often as the
 * others. Nor does it where short documents repeat their words to have third moments, which
 * warn_of_short tells.
 */
static tlv_status
warn_of_spurious(tlv_context *ctx, const lda_learning *fit, tlv_diagnostics *to)
{
	const double *weights = tlv_frame_float64(&fit->model.frame, "weights");

	if (fit->k == 1 || fit->counts.damped || fit->counts.repeats > 0)
		return TLV_OK;
	for (size_t j = 0; j < fit->k; j++)
	{
		char name[48];
		double ratio;

		snprintf(name, sizeof(name), "implied_weight_%zu", j + 1);
		ratio = tlv_diagnostics_find(&fit->model.frame, name, 0) / weights[j];
		if (ratio > SPURIOUS_RATIO)
			TLV_TRY(tlv_warn(
				ctx, to,
				&(tlv_warning){
					.code = "spurious_component",
					.component = j + 1,
					.score = ratio,
					.hint =
						"Compare it with a fit to a part of the documents, or use a smaller k."},
				"topic %zu may be spurious: the moments imply %.1f times its weight", j + 1,
				ratio));
	}
	return TLV_OK;
}

/* Fixed topics keep their labels. */
static tlv_status
label_fixed(tlv_context *ctx, lda_learning *fit)
{
	tlv_making made;

	if (fit->options.fixed == NULL)
		return TLV_OK;
	return TLV_MAKE(
		ctx, &made, &fit->model,
		tlv_lda_label_fixed(ctx, &fit->model.frame, fit->options.fixed, &made.image, &made.size));
}

tlv_status
lda_finish(tlv_context *ctx, tlv_source *documents, lda_learning *fit, tlv_held *finished)
{
	const tlv_names *names = documents->within ? NULL : tlv_source_rows(documents)->rows.names;
	const given_labels others = labels_of(fit->options.fixed);
	tlv_diagnostics diagnostics = {0};
	tlv_added_section sections[2];

	TLV_TRY(label_fixed(ctx, fit));
	if (names != NULL)
		TLV_TRY(label_items(ctx, names, &others, &fit->model.frame, sections));
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, &fit->model.frame, NULL));
	TLV_TRY(diagnose_choices(ctx, fit, &diagnostics));
	TLV_TRY(finish_warn_of_fit(ctx, fit, &diagnostics));
	TLV_TRY(lda_warn_of_short(ctx, fit, &diagnostics));
	if (fit->recurrence != NULL && !isnan(fit->recurrence[0]))
		TLV_TRY(lda_diagnose_recurrence(ctx, fit, &diagnostics));
	else
		TLV_TRY(warn_of_spurious(ctx, fit, &diagnostics));
	return tlv_source_finish(ctx, documents, &fit->model.frame, &diagnostics, names == NULL ? 0 : 2,
							 sections, finished);
}
