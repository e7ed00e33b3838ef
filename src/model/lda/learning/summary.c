/*
 * summary.c - the summary of documents, and whether their words are to be repeated for the moments
 * (learn.h).
 */
#include "learn.h"
#include "../tuning.h"

static tlv_status
collect_summary(tlv_context *ctx, tlv_source *documents, double repeats, tlv_value **summary)
{
	tlv_source counts;

	tlv_source_scaled(&counts, documents, repeats);
	return tlv_collect(ctx, &counts, "summary", 0, 1,
					   &(tlv_statistic){.aggregate = &tlv_aggregate_count_summary}, summary);
}

bool
lda_holds_documents(const tlv_value *summary)
{
	return summary != NULL && tlv_frame_scalar(&summary->frame, "documents", 0) >= 1;
}

/* May most documents have a word, but fewer than moments need? */
static bool
may_be_short(const tlv_value *summary)
{
	double documents, skipped;

	if (summary == NULL)
		return false;
	documents = tlv_frame_scalar(&summary->frame, "documents", 0);
	skipped = tlv_frame_scalar(&summary->frame, "skipped", 0);
	return skipped > 0 && documents < LONG_ENOUGH && documents * LONG_ONE_IN <= documents + skipped;
}

/*
 * A document that was skipped may have no word at all.  With its words repeated the summary holds
 * every document that has one, and tells both apart.
 */
tlv_status
lda_summarise(tlv_context *ctx, tlv_source *documents, lda_counts *counts, tlv_value **summary)
{
	double longer, all;

	TLV_TRY(collect_summary(ctx, documents, 0, summary));
	if (!may_be_short(*summary))
		return TLV_OK;
	longer = tlv_frame_scalar(&(*summary)->frame, "documents", 0);
	tlv_value_drop(*summary);
	TLV_TRY(collect_summary(ctx, documents, LDA_REPEATS, summary));
	all = *summary != NULL ? tlv_frame_scalar(&(*summary)->frame, "documents", 0) : 0;
	if (longer * LONG_ONE_IN > all)
	{
		tlv_value_drop(*summary);
		return collect_summary(ctx, documents, 0, summary);
	}
	counts->repeats = LDA_REPEATS;
	counts->too_short = all - longer;
	counts->of_one_word = tlv_frame_scalar(&(*summary)->frame, "tokens", 0) <= LDA_REPEATS * all;
	counts->damped = false;
	return TLV_OK;
}

/* The vocabulary of the model is that of all documents. */
tlv_status
lda_summarise_words(tlv_context *ctx, tlv_source *documents, lda_learning *fit, tlv_value **words)
{
	*words = NULL;
	if (fit->counts.repeats > 0 || tlv_frame_scalar(fit->summary, "skipped", 0) == 0)
		return TLV_OK;
	TLV_TRY(collect_summary(ctx, documents, LDA_REPEATS, words));
	TLV_TRY(tlv_require_rows(ctx, *words, "documents"));
	fit->counts.too_short = tlv_frame_scalar(&(*words)->frame, "documents", 0) -
							tlv_frame_scalar(fit->summary, "documents", 0);
	fit->words = fit->counts.too_short > 0 ? &(*words)->frame : NULL;
	return TLV_OK;
}

tlv_status
lda_require_documents(tlv_context *ctx, const tlv_value *summary, bool seen)
{
	double shorter = 0;

	if (summary == NULL && seen)
		return tlv_rows_gone(ctx);
	if (lda_holds_documents(summary))
		return TLV_OK;
	if (summary != NULL)
		shorter = tlv_frame_scalar(&summary->frame, "skipped", 0);
	if (shorter == 0)
		return tlv_require_rows(ctx, summary, "documents");
	tlv_fail(ctx, TLV_NO_ROWS, "the query returns no document of at least %d tokens",
			 TLV_MIN_LENGTH);
	tlv_fail_detail(ctx, shorter == 1 ? "%.0f document is shorter." : "%.0f documents are shorter.",
					shorter);
	return tlv_fail_hint(ctx, "Give a row (doc, item [, count]) for every item of a document; "
							  "to_tsvector(text) tokenises text.");
}
