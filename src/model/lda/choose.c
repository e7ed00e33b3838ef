/*
 * choose.c - k by cross-validation, and whether there are topics at all where k was given (plan.h).
 *
 * Where tokens are few every document is seen in the leading directions of the other four fifths,
 * and z values are of all documents together: k is the number of directions before the first that
 * is not significant.  Where they are many two halves see each other, at a quarter of the cost, and
 * a direction counts that is significant in both.
 */
#include "plan.h"

#include <math.h>

#include "tensorlv/num/special.h"

/* Of so many directions in either half of the documents the most significant but the first, which
 * is that of the corpus' shares, tells whether there are topics. */
#define DOUBTFUL_RANK 10

/* Folds of few tokens, of which four are at most so many, and standard errors that a direction of
 * all documents must reach. */
#define POOLED_FOLDS  5
#define POOLED_TOKENS 200000.0
#define POOLED_Z	  3.5
/* Fewer documents tell nothing. */
#define POOLED_LEAST 10.0

static tlv_status take_fold_summary(tlv_context *ctx, tlv_plan *base, tlv_value **values,
									tlv_pass *pass);

void
tlv_lda_fold_begin(lda_plan *plan, int fold, tlv_pass *pass)
{
	plan->folds = 2;
	plan->fold = fold;
	plan->pooled = false;
	tlv_lda_ask_summary(plan, pass, take_fold_summary);
}

/* k is known: a plan for k alone ends here. */
static tlv_status
take_k(lda_plan *plan, tlv_pass *pass)
{
	plan->k_chosen = true;
	plan->folds = plan->fold = 0;
	plan->others = false;
	plan->nothing = plan->k == 0;
	plan->k += plan->nothing;
	if (!plan->options.only_k)
		tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
	return TLV_OK;
}

/* The k that both halves agree on. */
static tlv_status
choose_k(tlv_context *ctx, lda_plan *plan, const tlv_frame *second, tlv_pass *pass)
{
	const tlv_frame *first = &plan->base.kept[KEPT_FOLD]->frame;
	tlv_value *none = NULL;

	TLV_TRY_NEW(ctx, plan->z, tlv_frame_find(first, "mean")->rows);
	TLV_TRY(tlv_count_suggest_k(ctx, first, second, plan->z, &plan->n_z, &plan->k));
	tlv_plan_keep(&plan->base, KEPT_FOLD, &none);
	return take_k(plan, pass);
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
	plan->k_chosen = plan->untested = true;
	plan->k = 1;
	plan->n_z = plan->z != NULL ? plan->n_z : 0;
	plan->folds = plan->fold = 0;
	plan->others = false;
	tlv_lda_ask_summary(plan, pass, tlv_lda_take_summary);
	return TLV_OK;
}

/* ---- folds that are pooled ---- */

void
tlv_lda_choose_begin(lda_plan *plan, tlv_pass *pass)
{
	plan->pooled = plan->others = true;
	plan->folds = POOLED_FOLDS;
	plan->fold = 0;
	tlv_lda_ask_summary(plan, pass, take_fold_summary);
}

/* What the documents of one fold say about the directions of the others. */
static tlv_status
add_fold(tlv_context *ctx, lda_plan *plan, const tlv_frame *triples)
{
	size_t n = tlv_frame_find(triples, "mean")->rows;
	const double *sums = tlv_frame_float64(triples, "z_sum");
	const double *squares = tlv_frame_float64(triples, "z_squares");

	if (plan->pool == NULL)
		TLV_TRY_NEW0(ctx, plan->pool, 2 * plan->options.max_k);
	plan->n_z = plan->pool_fitted == 0 ? n : tlv_least(n, plan->n_z);
	plan->pool_fitted += tlv_frame_scalar(triples, "documents", 0);
	for (size_t j = 0; j < plan->n_z; j++)
	{
		plan->pool[2 * j] += sums[j];
		plan->pool[2 * j + 1] += squares[j];
	}
	return TLV_OK;
}

/* All folds have been seen. */
static tlv_status
choose_pooled(tlv_context *ctx, lda_plan *plan, tlv_pass *pass)
{
	double n = plan->pool_fitted, chance = tlv_normal_cdf(-POOLED_Z); /* of few documents, too */
	bool stands = true, heard = false;

	if (plan->n_z == 0 || n < POOLED_LEAST)
		return choose_one(ctx, plan, pass);
	TLV_TRY_NEW(ctx, plan->z, plan->n_z);
	for (size_t j = 0; j < plan->n_z; j++)
	{
		plan->z[j] = tlv_count_z_of(n, plan->pool[2 * j], plan->pool[2 * j + 1]);
		heard |= !isnan(plan->z[j]);
		stands &= plan->z[j] > 0 && tlv_student_survival(plan->z[j], n - 1) <= chance;
		plan->k += stands;
	}
	tlv_free(ctx, plan->pool);
	/* The documents of every fold are made of items that the others do not know. */
	return heard ? take_k(plan, pass) : choose_one(ctx, plan, pass);
}

static tlv_status
take_pooled_moments(tlv_context *ctx, tlv_plan *base, tlv_value **values, tlv_pass *pass)
{
	lda_plan *plan = lda_plan_of(base);

	if (values[0] != NULL)
		TLV_TRY(add_fold(ctx, plan, &values[0]->frame));
	if (++plan->fold == POOLED_FOLDS)
		return choose_pooled(ctx, plan, pass);
	plan->others = true;
	tlv_lda_ask_summary(plan, pass, take_fold_summary);
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

	if (plan->pooled)
		plan->others = false;
	else
		plan->fold = 1 - plan->fold;
	tlv_lda_ask(plan, pass, "choice of k", &tlv_aggregate_count_moments,
				plan->pooled ? take_pooled_moments : take_fold_moments)
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

	if (tlv_lda_repeats_words(plan, values[0]))
	{
		tlv_lda_ask_summary(plan, pass, take_fold_summary);
		return TLV_OK;
	}
	if (plan->times > 0)
	{
		/* Short documents come again and again, and equal ones are of one fold: what is held out
		 * is neither chance nor like the others. */
		tlv_lda_judge_afresh(plan);
		return choose_one(ctx, plan, pass);
	}
	if (!tlv_lda_holds_documents(values[0]))
		return choose_one(ctx, plan, pass);
	plan->seen = true;
	if (plan->pooled && tlv_frame_scalar(&values[0]->frame, "tokens", 0) > POOLED_TOKENS)
	{
		plan->pooled = plan->others = false;
		tlv_lda_fold_begin(plan, 0, pass);
		return TLV_OK;
	}
	most = fmin((double) tlv_frame_find(&values[0]->frame, "items")->rows,
				tlv_frame_scalar(&values[0]->frame, "documents", 0));
	options.rank =
		(size_t) fmin(plan->testing ? DOUBTFUL_RANK : (double) plan->options.max_k, most);
	return tlv_lda_subspace_begin(ctx, plan, &values[0]->frame, &options, ask_fold_moments, pass);
}
