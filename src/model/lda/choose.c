/*
 * choose.c - k by cross-validation: the subspace of either half of the documents, seen by the
 * other; and whether there are topics at all where k was given (plan.h).
 */
#include "plan.h"

#include <math.h>

/* Of so many directions in either half of the documents the most significant but the first, which
 * is that of the corpus' shares, tells whether there are topics. */
#define DOUBTFUL_RANK 10

static tlv_status take_fold_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									tlv_pass *pass);

void
tlv_lda_fold_begin(lda_plan *plan, int fold, tlv_pass *pass)
{
	plan->folds = 2;
	plan->fold = fold;
	tlv_lda_ask_summary(plan, pass, take_fold_summary);
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
		tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
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
test_topics(tlv_context *ctx, lda_plan *plan, const tlv_frame *second, tlv_pass *pass)
{
	double z = best_z(&plan->base.kept[KEPT_FOLD]->frame) + best_z(second);

	plan->topics_z = isfinite(z) ? z / sqrt(2) : NAN;
	return tlv_lda_finish(ctx, plan, pass);
}

/* One topic, where one half of the documents is too small to tell. */
static tlv_status
choose_one(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	tlv_value *none = NULL;

	tlv_plan_keep(&plan->base, KEPT_FOLD, &none);
	if (plan->testing)
		return tlv_lda_finish(ctx, plan, pass);
	plan->k_chosen = plan->nothing = true;
	plan->k = 1;
	plan->folds = plan->fold = 0;
	tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
	return TLV_OK;
}

static tlv_status
take_fold_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	if (values[0] == NULL)
		return choose_one(ctx, plan, pass);
	if (base->kept[KEPT_FOLD] != NULL && plan->testing)
		return test_topics(ctx, plan, &values[0]->frame, pass);
	if (base->kept[KEPT_FOLD] != NULL)
		return choose_k(ctx, plan, &values[0]->frame, pass);
	tlv_plan_keep(base, KEPT_FOLD, &values[0]);
	tlv_lda_fold_begin(plan, 1, pass);
	return TLV_OK;
}

/* The other half in the subspace of this one. */
static tlv_status
ask_fold_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	plan->fold = 1 - plan->fold;
	tlv_lda_ask(plan, pass, "choice of k", &tlv_aggregate_count_moments, take_fold_moments)
		->constant = &plan->subspace.frame;
	return TLV_OK;
}

/* Whether words come in bursts is not known yet, and distinct pairs are blind to them. */
static tlv_status
take_fold_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	tlv_subspace_options options = {.distinct = true};
	lda_plan *plan = lda_plan_of(base);
	double most;

	if (!tlv_lda_holds_documents(values[0]))
		return choose_one(ctx, plan, pass);
	plan->seen = true;
	most = fmin((double) tlv_frame_find(&values[0]->frame, "items")->rows,
				tlv_frame_scalar(&values[0]->frame, "documents", 0));
	options.rank =
		(size_t) fmin(plan->testing ? DOUBTFUL_RANK : (double) plan->options.max_k, most);
	return tlv_lda_subspace_begin(ctx, plan, &values[0]->frame, &options, ask_fold_moments, pass);
}
