/*
 * drift.c - are documents as others were? (drift.h)
 *
 * Of statistics of a step: do they use the words of the topics as the model says?  Of statistics of
 * errors, which know how documents differ from each other, beside those of a reference:
 *
 *     shares      s = sum N / tokens of either, their covariance from the documents: Hotelling's
 *                 test of the difference, and Student's of every topic
 *     likelihood  its mean per token, whose error comes from the documents
 *     new words   words of a group of documents beyond what the topics explain, r = S (p - A P'p):
 * the squared distance between the means of r without its bias, over pairs of groups
 */
#include "tensorlv/model/drift.h"

#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- shares of topics ---- */

typedef struct topic_shares
{
	double *share;		/* k */
	double *covariance; /* k x k */
	double degrees;		/* documents, such as weigh alike, less one */
	double likelihood;	/* per token */
	double likelihood_variance;
} topic_shares;

static tlv_status
shares_of(tlv_context *ctx, size_t k, const tlv_frame *errors, topic_shares *to)
{
	const double *totals = tlv_frame_float64(errors, "totals");
	double tokens = tlv_frame_scalar(errors, "tokens", 0), all = 0, lengths = 0, *length;
	double mean = tlv_frame_scalar(errors, "log_likelihood", 0) / tokens;

	TLV_TRY_NEW_ROWS(ctx, to->covariance, k, k);
	TLV_TRY_NEW(ctx, to->share, 2 * k);
	length = to->share + k;
	tlv_packed2_unpack(k, tlv_frame_float64(errors, "products"), to->covariance);
	for (size_t j = 0; j < k; j++)
		all += totals[j];
	for (size_t j = 0; j < k; j++)
	{
		to->share[j] = totals[j] / all;
		length[j] = 0;
		for (size_t l = 0; l < k; l++)
			length[j] += to->covariance[j * k + l];
		lengths += length[j];
	}
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			to->covariance[a * k + b] =
				(to->covariance[a * k + b] - to->share[a] * length[b] - to->share[b] * length[a] +
				 to->share[a] * to->share[b] * lengths) /
				(all * all);
	to->degrees = all * all / lengths - 1;
	to->likelihood = mean;
	to->likelihood_variance = fmax(tlv_frame_scalar(errors, "likelihood_squares", 0) -
									   2 * mean * tlv_frame_scalar(errors, "likelihood_tokens", 0) +
									   mean * mean * lengths,
								   0) /
							  (tokens * tokens);
	return TLV_OK;
}

/* Hotelling's T^2 of the difference, whose parts sum to 0, so that a constant may be added to the
 * covariance. */
static tlv_status
test_all_shares(tlv_context *ctx, size_t k, const topic_shares *new, const topic_shares *old,
				tlv_drift *drift)
{
	double p = (double) k - 1, degrees = new->degrees, trace = 0, value = 0, *covariance, *solved;
	tlv_status status;

	if (!(degrees >= p))
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, covariance, k, k);
	TLV_TRY_NEW(ctx, solved, k);
	for (size_t j = 0; j < k; j++)
		trace += new->covariance[j * k + j] + old->covariance[j * k + j];
	for (size_t e = 0; e < k * k; e++)
		covariance[e] = new->covariance[e] + old->covariance[e] + trace / (double) k;
	for (size_t j = 0; j < k; j++)
		solved[j] = new->share[j] - old->share[j];
	status = tlv_solve_spd(ctx, k, 1, covariance, solved);
	if (status == TLV_OK)
		for (size_t j = 0; j < k; j++)
			value += solved[j] * (new->share[j] - old->share[j]);
	tlv_free(ctx, covariance);
	tlv_free(ctx, solved);
	if (status == TLV_BAD_DATA)
		return TLV_OK;
	TLV_TRY(status);
	value *= (degrees - p + 1) / (degrees * p);
	return tlv_drift_put(ctx, drift, "shares", 0, value, tlv_f_survival(value, p, degrees - p + 1));
}

static tlv_status
test_student(tlv_context *ctx, const char *test, size_t component, double difference,
			 double variance, double degrees, tlv_drift *drift)
{
	double t = difference / sqrt(variance);

	return tlv_drift_put(ctx, drift, test, component, t,
						 fmin(1, 2 * tlv_student_survival(fabs(t), degrees)));
}

static tlv_status
test_shares(tlv_context *ctx, size_t k, const tlv_frame *statistics, const tlv_frame *reference,
			tlv_drift *drift)
{
	topic_shares new, old;

	TLV_TRY(shares_of(ctx, k, statistics, &new));
	TLV_TRY(shares_of(ctx, k, reference, &old));
	if (k > 1)
		TLV_TRY(test_all_shares(ctx, k, &new, &old, drift));
	TLV_TRY(test_student(ctx, "likelihood", 0, new.likelihood - old.likelihood,
						 new.likelihood_variance + old.likelihood_variance, new.degrees, drift));
	for (size_t j = 0; k > 1 && j < k; j++)
		TLV_TRY(test_student(ctx, "share", j + 1, new.share[j] - old.share[j],
							 new.covariance[j * k + j] + old.covariance[j * k + j], new.degrees,
							 drift));
	tlv_free(ctx, new.share);
	tlv_free(ctx, new.covariance);
	tlv_free(ctx, old.share);
	tlv_free(ctx, old.covariance);
	return TLV_OK;
}

/* ---- words that no topic explains ---- */

/* Words of groups beyond what the topics explain, d x groups; groups of no tokens are left out. */
typedef struct unexplained
{
	size_t groups;
	double *rest;
} unexplained;

/* rest = S (p - A P'p) of one group. */
static tlv_status
explain_group(tlv_context *ctx, const tlv_lda_model *model, const double *inverse,
			  const double *words, double tokens, double *rest)
{
	size_t k = model->topics.k, d = model->topics.d;
	double *shares;

	TLV_TRY_NEW0(ctx, shares, k);
	for (size_t i = 0; i < d; i++)
	{
		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; words[i] > 0 && j < k; j++)
			shares[j] += words[i] / tokens * inverse[i * k + j];
	}
	for (size_t i = 0; i < d; i++)
	{
		const double *phi = model->topics.phi + i * k;
		double explained = 0, share = 0;

		LDA_TRY_LOOK(ctx, i, k);
		for (size_t j = 0; j < k; j++)
		{
			explained += phi[j] * shares[j];
			share += phi[j] * model->weights[j];
		}
		rest[i] = share > 0 ? (words[i] / tokens - explained) / sqrt(share) : 0;
	}
	tlv_free(ctx, shares);
	return TLV_OK;
}

static tlv_status
explain(tlv_context *ctx, const tlv_lda_model *model, const double *inverse,
		const tlv_frame *errors, unexplained *to)
{
	const double *words = tlv_frame_float64(errors, "words");
	size_t d = model->topics.d;

	TLV_TRY_NEW_ROWS(ctx, to->rest, d, TLV_LDA_GROUPS);
	to->groups = 0;
	for (size_t g = 0; g < TLV_LDA_GROUPS; g++)
	{
		double tokens = 0;

		for (size_t i = 0; i < d; i++)
			tokens += words[g * d + i];
		if (tokens > 0)
			TLV_TRY(explain_group(ctx, model, inverse, words + g * d, tokens,
								  to->rest + d * to->groups++));
	}
	return TLV_OK;
}

/* Mean and variance of a number of products. */
typedef struct product_moments
{
	double n, mean, variance;
} product_moments;

static product_moments
moments_of(size_t groups_a, size_t groups_b, const double *products, size_t stride, bool same)
{
	double n = 0, sum = 0, squares = 0;

	for (size_t a = 0; a < groups_a; a++)
		for (size_t b = 0; b < (same ? a : groups_b); b++)
		{
			double x = products[b * stride + a];

			n++;
			sum += x;
			squares += x * x;
		}
	return (product_moments){n, sum / n, (squares - sum * sum / n) / (n - 1)};
}

/*
 * u = r'r of pairs within the new, plus within the old, less twice between them: 0 in the mean
 * where both are the same.  Groups are centred at the mean of the old ones; its variance is that of
 * the products.
 */
static tlv_status
compare_rests(tlv_context *ctx, size_t d, unexplained *new, unexplained *old, tlv_drift *drift)
{
	size_t n = new->groups, m = old->groups;
	product_moments within, before, between;
	double *center, *products, u, variance;

	if (n < 3 || m < 3)
		return TLV_OK;
	TLV_TRY_NEW0(ctx, center, d);
	for (size_t b = 0; b < m; b++)
		for (size_t i = 0; i < d; i++)
			center[i] += old->rest[b * d + i] / (double) m;
	for (size_t i = 0; i < d; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		for (size_t a = 0; a < n; a++)
			new->rest[a * d + i] -= center[i];
		for (size_t b = 0; b < m; b++)
			old->rest[b * d + i] -= center[i];
	}
	TLV_TRY_NEW_ROWS(ctx, products, n > m ? n : m, n > m ? n : m);
	TLV_TRY(tlv_gemm(ctx, true, false, n, n, d, 1, new->rest, d, new->rest, d, 0, products, n));
	within = moments_of(n, n, products, n, true);
	TLV_TRY(tlv_gemm(ctx, true, false, m, m, d, 1, old->rest, d, old->rest, d, 0, products, m));
	before = moments_of(m, m, products, m, true);
	TLV_TRY(tlv_gemm(ctx, true, false, n, m, d, 1, new->rest, d, old->rest, d, 0, products, n));
	between = moments_of(n, m, products, n, false);
	u = within.mean + before.mean - 2 * between.mean;
	variance =
		within.variance / within.n + before.variance / before.n + 4 * between.variance / between.n;
	tlv_free(ctx, center);
	tlv_free(ctx, products);
	u /= sqrt(variance);
	return tlv_drift_put(ctx, drift, "new words", 0, u, tlv_normal_cdf(-u));
}

static tlv_status
test_words(tlv_context *ctx, const tlv_frame *frame, const tlv_frame *statistics,
		   const tlv_frame *reference, tlv_drift *drift)
{
	const tlv_section *phi = tlv_frame_find(frame, "phi");
	tlv_lda_model model = {.weights = tlv_frame_float64(frame, "weights")};
	unexplained new, old;
	double *inverse;

	model.topics =
		(tlv_topics){.k = phi->rows, .d = phi->columns, .phi = tlv_section_data(frame, phi)};
	TLV_TRY(tlv_require_memory(
		ctx, sizeof(double) * (double) phi->columns * (double) (phi->rows + 2 * TLV_LDA_GROUPS + 2),
		"the tests"));
	TLV_TRY_NEW_ROWS(ctx, inverse, phi->rows, phi->columns);
	TLV_TRY(tlv_lda_invert(ctx, &model, inverse));
	TLV_TRY(explain(ctx, &model, inverse, statistics, &new));
	TLV_TRY(explain(ctx, &model, inverse, reference, &old));
	TLV_TRY(compare_rests(ctx, phi->columns, &new, &old, drift));
	tlv_free(ctx, inverse);
	tlv_free(ctx, new.rest);
	tlv_free(ctx, old.rest);
	return TLV_OK;
}

/* ---- the member of the class ---- */

static tlv_status
test_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, tlv_drift *drift)
{
	const tlv_section *phi = tlv_frame_find(model, "phi");
	size_t k = phi->rows, d = phi->columns;
	const double *counts = NULL;
	double *shares;

	if (tlv_frame_find(statistics, "expected") == NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "tlv_drift is not defined for statistics of kind %s",
				 statistics->kind->name);
		return tlv_fail_hint(ctx, "Collect tlv_statistics(bag, model) for tests against the model, "
								  "or tlv_error_statistics(bag, model) for tests against others.");
	}
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "expected", TLV_FLOAT64, k, d, (const void **) &counts));
	TLV_TRY_NEW_ROWS(ctx, shares, k, d);
	TLV_TRY(tlv_section_numbers(ctx, model, phi, shares));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "words", j + 1, d, k, counts + j, shares + j));
	tlv_free(ctx, shares);
	return TLV_OK;
}

tlv_status
tlv_lda_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  tlv_drift *drift)
{
	if (statistics->header->kind != TLV_KIND_TOPIC_ERRORS)
		return test_step(ctx, model, statistics, drift);
	if (drift->references == 0 && !drift->periods)
		return tlv_drift_ask_reference(ctx, "documents");
	if (drift->periods)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "documents are not tested against the periods of a reference");
		return tlv_fail_hint(
			ctx, "Give one value of all periods, which the aggregate tlv_rollup makes.");
	}
	TLV_TRY(tlv_lda_require_errors(ctx, model, statistics));
	TLV_TRY(tlv_lda_require_errors(ctx, model, drift->reference));
	if (!(tlv_frame_scalar(drift->reference, "tokens", 0) > 0))
		return tlv_refuse_empty(ctx, "the reference holds", "documents");
	drift->compared = true;
	TLV_TRY(
		test_shares(ctx, tlv_frame_find(model, "phi")->rows, statistics, drift->reference, drift));
	return test_words(ctx, model, statistics, drift->reference, drift);
}
