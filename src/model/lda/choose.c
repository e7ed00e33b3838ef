/*
 * choose.c - the number of topics by cross-validation, and whether there are topics at all where
 * it was given (learn.h).
 *
 * Where tokens are few every document is seen in the leading directions of the other four fifths,
 * and z values are of all documents together: k is the number of directions before the first that
 * is not significant.  Where they are many two halves see each other, at a quarter of the cost, and
 * a direction counts that is significant in both.
 */
#include "learn.h"

#include <math.h>

#include "tensorlv/num/special.h"

/* Leading directions of either half, of which the most significant but the first, which is that of
 * the corpus' shares, tells whether there are topics. */
#define TESTED_RANK 10

/* Folds, the tokens of four of them at most, and standard errors that a direction of all documents
 * must reach. */
#define POOLED_FOLDS  5
#define POOLED_TOKENS 200000.0
#define POOLED_Z	  3.5
/* Fewer documents are no evidence. */
#define POOLED_LEAST 10.0

/* ---- documents in the directions of others ---- */

/*
 * Compressed moments of some documents in the leading directions of others, NULL where either are
 * none or too short: equal short documents are of one fold, so that what is held out is neither
 * random nor like the others.  Whether words come in bursts is not known yet, and distinct pairs
 * do not depend on it.
 */
static tlv_status
see_in_directions(tlv_context *ctx, tlv_source *others, tlv_source *seen, lda_learning *fit,
				  size_t rank, double *tokens, tlv_value **moments)
{
	tlv_subspace_options options = {.distinct = true};
	lda_counts counts = {0};
	tlv_value *summary;
	double most;

	*moments = NULL;
	TLV_TRY(lda_summarise(ctx, others, &counts, &summary));
	if (counts.repeats > 0 || !lda_holds_documents(summary))
	{
		tlv_value_drop(summary);
		return TLV_OK;
	}
	fit->choice.documents += tlv_frame_scalar(&summary->frame, "documents", 0);
	if (tokens != NULL &&
		(*tokens = tlv_frame_scalar(&summary->frame, "tokens", 0)) > POOLED_TOKENS)
	{
		tlv_value_drop(summary);
		return TLV_OK;
	}
	most = fmin((double) tlv_frame_find(&summary->frame, "items")->rows,
				tlv_frame_scalar(&summary->frame, "documents", 0));
	options.rank = (size_t) fmin((double) rank, most);
	TLV_TRY(lda_find_subspace(ctx, others, fit, &summary->frame, &options, NULL));
	tlv_value_drop(summary);
	return tlv_collect(ctx, seen, "choice of k", 0, 1,
					   &(tlv_statistic){.aggregate = &tlv_aggregate_count_moments,
										.constant = &fit->subspace.frame},
					   moments);
}

/* Each half of the documents in the directions of the other; NULL where one is too small. */
static tlv_status
see_halves(tlv_context *ctx, tlv_source *documents, lda_learning *fit, size_t rank,
		   tlv_value *moments[2])
{
	tlv_source half[2];

	for (int i = 0; i < 2; i++)
		tlv_source_fold(&half[i], documents, 2, i);
	moments[1] = NULL;
	TLV_TRY(see_in_directions(ctx, &half[0], &half[1], fit, rank, NULL, &moments[0]));
	if (moments[0] == NULL)
		return TLV_OK;
	return see_in_directions(ctx, &half[1], &half[0], fit, rank, NULL, &moments[1]);
}

/* ---- whether there are topics ---- */

/* z of the most significant direction but the first. */
static double
best_z(const tlv_frame *moments)
{
	double best = -HUGE_VAL;

	for (size_t j = 1; j < tlv_frame_find(moments, "mean")->rows; j++)
		best = fmax(best, tlv_count_z(moments, j)); /* not NaN */
	return best;
}

tlv_status
lda_test_topics(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	tlv_value *moments[2];

	TLV_TRY(see_halves(ctx, documents, fit, TESTED_RANK, moments));
	lda_drop_subspace(ctx, fit);
	if (moments[1] != NULL)
	{
		double z = best_z(&moments[0]->frame) + best_z(&moments[1]->frame);

		fit->topics_z = isfinite(z) ? z / sqrt(2) : NAN;
	}
	tlv_value_drop(moments[0]);
	tlv_value_drop(moments[1]);
	return TLV_OK;
}

/* ---- the choice of k ---- */

/* One topic, where a part of the documents is too small to test any. */
static tlv_status
choose_one(lda_choice *choice)
{
	choice->untested = true;
	choice->k = 1;
	return TLV_OK;
}

static tlv_status
choose_significant(lda_choice *choice, size_t k)
{
	choice->nothing = k == 0;
	choice->k = k + choice->nothing;
	return TLV_OK;
}

static tlv_status
choose_by_halves(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	lda_choice *choice = &fit->choice;
	tlv_value *moments[2];
	size_t k;

	TLV_TRY(see_halves(ctx, documents, fit, fit->options.max_k, moments));
	if (moments[1] == NULL)
	{
		tlv_value_drop(moments[0]);
		return choose_one(choice);
	}
	TLV_TRY_NEW(ctx, choice->z, tlv_frame_find(&moments[0]->frame, "mean")->rows);
	TLV_TRY(tlv_count_suggest_k(ctx, &moments[0]->frame, &moments[1]->frame, choice->z,
								&choice->n_z, &k));
	tlv_value_drop(moments[0]);
	tlv_value_drop(moments[1]);
	return choose_significant(choice, k);
}

/* Sums over the folds, by the rank of the direction. */
typedef struct lda_pool
{
	double documents;
	size_t n;	 /* directions that every fold has */
	double *sum; /* n x 2: of the z values of documents, and of their squares */
} lda_pool;

static void
pool_add(lda_pool *pool, const tlv_frame *moments)
{
	size_t n = tlv_frame_find(moments, "mean")->rows;
	const double *sums = tlv_frame_float64(moments, "z_sum");
	const double *squares = tlv_frame_float64(moments, "z_squares");

	pool->n = pool->documents == 0 ? n : tlv_least(n, pool->n);
	pool->documents += tlv_frame_scalar(moments, "documents", 0);
	for (size_t j = 0; j < pool->n; j++)
	{
		pool->sum[2 * j] += sums[j];
		pool->sum[2 * j + 1] += squares[j];
	}
}

static tlv_status
choose_pooled(tlv_context *ctx, const lda_pool *pool, lda_choice *choice)
{
	/* of few documents, too */
	double chance = tlv_normal_cdf(-POOLED_Z), n = pool->documents;
	bool significant = true, known = false;
	size_t k = 0;

	if (pool->n == 0 || n < POOLED_LEAST)
		return choose_one(choice);
	TLV_TRY_NEW(ctx, choice->z, pool->n);
	choice->n_z = pool->n;
	for (size_t j = 0; j < pool->n; j++)
	{
		choice->z[j] = tlv_count_z_of(n, pool->sum[2 * j], pool->sum[2 * j + 1]);
		known |= !isnan(choice->z[j]);
		significant &= choice->z[j] > 0 && tlv_student_survival(choice->z[j], n - 1) <= chance;
		k += significant;
	}
	/* The documents of every fold may be made of items that the others do not have. */
	return known ? choose_significant(choice, k) : choose_one(choice);
}

/* Every document in the directions of the other folds; *large: tokens are many, halves suffice. */
static tlv_status
pool_folds(tlv_context *ctx, tlv_source *documents, lda_learning *fit, lda_pool *pool, bool *large)
{
	for (int fold = 0; fold < POOLED_FOLDS; fold++)
	{
		tlv_source others, seen;
		tlv_value *moments;
		double tokens = 0;

		tlv_source_without_fold(&others, documents, POOLED_FOLDS, fold);
		tlv_source_fold(&seen, documents, POOLED_FOLDS, fold);
		TLV_TRY(see_in_directions(ctx, &others, &seen, fit, fit->options.max_k, &tokens, &moments));
		*large = tokens > POOLED_TOKENS;
		if (*large || tokens == 0)
		{
			pool->n = 0;
			return TLV_OK;
		}
		if (moments != NULL)
			pool_add(pool, &moments->frame);
		tlv_value_drop(moments);
	}
	return TLV_OK;
}

tlv_status
lda_choose_k(tlv_context *ctx, tlv_source *documents, lda_learning *fit)
{
	lda_pool pool = {0};
	bool large;

	fit->choice.chosen = true;
	TLV_TRY_NEW0(ctx, pool.sum, 2 * fit->options.max_k);
	TLV_TRY(pool_folds(ctx, documents, fit, &pool, &large));
	fit->choice.pooled = !large;
	TLV_TRY(large ? choose_by_halves(ctx, documents, fit)
				  : choose_pooled(ctx, &pool, &fit->choice));
	tlv_free(ctx, pool.sum);
	lda_drop_subspace(ctx, fit);
	return TLV_OK;
}
