/*
 * logistic.c - topics whose shares are logistic-normal (Blei, Lafferty 2007): what a pass over
 * documents sums up, the M step, and the correlations that the model says (lda.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/lda.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Draws of shares that the model's correlations are means of, and how many at once. */
#define DRAWS	   16384
#define DRAWS_STEP 64
#define DRAWS_SEED 31

/* Sizes: topics, items. */
#define SIZE_K TLV_SIZE_1
#define SIZE_D TLV_SIZE_2

bool
tlv_lda_is_correlated(const tlv_frame *model)
{
	return tlv_frame_find(model, "logistic_mean") != NULL;
}

/*
 * Of a model that has none it is the normal distribution near the Dirichlet's: logarithms of
 * independent gamma variates have about these variances.
 */
tlv_status
tlv_lda_logistic_normal(tlv_context *ctx, const tlv_frame *model, tlv_logistic_normal *normal)
{
	const double *alpha = tlv_frame_float64(model, "alpha");
	size_t k = tlv_frame_find(model, "phi")->rows;
	double *mean, *covariance;

	normal->k = k;
	if (tlv_lda_is_correlated(model))
	{
		normal->mean = tlv_frame_float64(model, "logistic_mean");
		normal->covariance = tlv_frame_float64(model, "logistic_covariance");
		return TLV_OK;
	}
	TLV_TRY_NEW(ctx, mean, k);
	TLV_TRY_NEW0_ROWS(ctx, covariance, k, k);
	for (size_t j = 0; j < k; j++)
	{
		mean[j] = log(alpha[j]);
		covariance[j * k + j] =
			fmin(1 / alpha[j] + 1 / (2 * alpha[j] * alpha[j]), START_VARIANCE_MOST);
	}
	normal->mean = mean;
	normal->covariance = covariance;
	return TLV_OK;
}

/* Of a stored model: symmetric, and of variances above 0. */
tlv_status
tlv_lda_check_logistic(tlv_context *ctx, const tlv_frame *frame, size_t k)
{
	const double *mean = tlv_frame_float64(frame, "logistic_mean");
	const double *covariance = tlv_frame_float64(frame, "logistic_covariance");

	if ((mean == NULL) != (covariance == NULL))
		return tlv_fail(ctx, TLV_CORRUPT,
						"of the mean of logistic shares and their covariance one is missing");
	if (mean == NULL)
		return TLV_OK;
	if (tlv_frame_scalar(frame, "alpha0", 0) == 0)
		return tlv_fail(ctx, TLV_CORRUPT, "documents of a single topic have no correlations");
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		if (!(fabs(mean[j]) <= TLV_LARGEST_NUMBER))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"logistic_mean\" is %g", j + 1,
							mean[j]);
		if (!(covariance[j * k + j] > 0 && covariance[j * k + j] <= TLV_LARGEST_NUMBER))
			return tlv_fail(ctx, TLV_CORRUPT,
							"variance %zu of section \"logistic_covariance\" is %g", j + 1,
							covariance[j * k + j]);
		for (size_t i = 0; i < j; i++)
			if (covariance[i * k + j] != covariance[j * k + i])
				return tlv_fail(ctx, TLV_CORRUPT,
								"section \"logistic_covariance\" is not symmetric");
	}
	return TLV_OK;
}

/* ---- statistics ---- */

typedef struct logistic_state
{
	tlv_declared declared;
	tlv_lda_model *model; /* NULL when only stored values are merged */
	tlv_topic_logistic *logistic;
	tlv_digest fingerprint;
	double skipped; /* documents without a known item */
	tlv_logistic_statistics sums;
} logistic_state;

static tlv_status
logistic_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	logistic_state *state = (logistic_state *) accumulator;
	tlv_lda_model *model = state->model;

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_lda_document(ctx, model, row->bag));
	if (model->document.n_known == 0)
	{
		state->skipped++;
		return TLV_OK;
	}
	return tlv_topic_logistic_expect(ctx, state->logistic, model->worker, model->document.n_known,
									 model->document.index, model->document.known, &state->sums);
}

tlv_status
tlv_lda_logistic_statistics(tlv_context *ctx, tlv_lda_model *lda, tlv_accumulator **accumulator)
{
	const size_t sizes[TLV_SIZES] = {lda->topics.k, lda->topics.d};
	tlv_logistic_normal normal;
	logistic_state *state;

	if (lda->single)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "documents of a single topic have no correlations of topics");
		return tlv_fail_hint(ctx, "Give an alpha0 above 0, or another refinement than 'ctm'.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_logistic_statistics.accumulator, sizes, accumulator));
	state = (logistic_state *) *accumulator;
	state->model = lda;
	state->fingerprint = lda->base.frame.header->digest;
	state->logistic = lda->logistic;
	if (state->logistic != NULL)
		return TLV_OK;
	TLV_TRY(tlv_lda_logistic_normal(ctx, &lda->base.frame, &normal));
	return tlv_topic_logistic_create(ctx, &normal, &state->logistic);
}

#define AT(member) offsetof(logistic_state, member)
static const tlv_declaration logistic_list[] = {
	{"documents", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.documents)},
	{"skipped", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(skipped)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"tokens", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.tokens)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"shares", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.shares)},
	{"latent", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.latent)},
	{"latent_products", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.latent_products)},
	{"expected", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_NONNEGATIVE, TLV_SUM, AT(sums.items)},
};
#undef AT
static const tlv_sections logistic_sections = {
	.state = sizeof(logistic_state),
	.kind = TLV_KIND_LOGISTIC_STATISTICS,
	TLV_LIST(logistic_list),
	.least = {1},
	.most = {TLV_LOGISTIC_TOPICS_MOST, TLV_DICTIONARY_MAX},
};

static const tlv_accumulator_class logistic_class = {
	.name = "logistic_statistics",
	TLV_DECLARED(&logistic_sections),
	.rows = TLV_ROW_BAG,
	.add = logistic_add,
};
const tlv_kind tlv_kind_logistic_statistics = {
	TLV_KIND_LINE(LOGISTIC_STATISTICS, logistic_statistics), .accumulator = &logistic_class};

/* ---- the M step ---- */

/*
 * The old covariance, and weight times that of the documents, both about the new mean; moved is the
 * way between the means.  The prior counts beside the documents / weight on which the model comes
 * to rest, and pulls nothing but what they bring: the old covariance has had it (step_prior.h).
 */
static void
logistic_covariance(const tlv_logistic_normal *old, const double *products, double documents,
					double weight, const double *moved, double *covariance)
{
	double trace = 0, counted = weight;
	double prior = counted / (documents + counted);
	size_t k = old->k;

	for (size_t l = 0; l < k; l++)
		for (size_t j = l; j < k; j++)
		{
			double second = weight * products[l * k + j] / documents;

			covariance[l * k + j] = second - moved[l] * moved[j];
		}
	for (size_t j = 0; j < k; j++)
		trace += covariance[j * k + j];
	for (size_t l = 0; l < k; l++)
		for (size_t j = l; j < k; j++)
		{
			double own = (1 - prior) * covariance[l * k + j];

			covariance[l * k + j] = covariance[j * k + l] =
				own + (j == l ? prior * trace / (double) k : 0) +
				(1 - weight) * old->covariance[l * k + j];
		}
}

tlv_status
tlv_lda_maximize_logistic(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
						  double weight, double *weights, double *mean, double *covariance)
{
	const double *latent = tlv_frame_float64(statistics, "latent");
	const double *shares = tlv_frame_float64(statistics, "shares");
	const double *own = tlv_frame_float64(model, "weights");
	double documents = tlv_frame_scalar(statistics, "documents", 0), sum = 0, *moved, *factor;
	tlv_logistic_normal old;
	tlv_status status;
	size_t k;

	TLV_TRY(tlv_lda_logistic_normal(ctx, model, &old));
	k = old.k;
	TLV_TRY_NEW(ctx, moved, k);
	for (size_t j = 0; j < k; j++)
	{
		moved[j] = weight * latent[j] / documents;
		mean[j] = old.mean[j] + moved[j];
		sum += shares[j];
	}
	for (size_t j = 0; j < k; j++)
		weights[j] = fmax(weight * shares[j] / sum + (1 - weight) * own[j], TLV_TINY);
	logistic_covariance(&old, tlv_frame_float64(statistics, "latent_products"), documents, weight,
						moved, covariance);
	tlv_free(ctx, moved);
	TLV_TRY_NEW_ROWS(ctx, factor, k, k);
	memcpy(factor, covariance, k * k * sizeof(double));
	status = tlv_cholesky(ctx, k, factor);
	tlv_free(ctx, factor);
	return status;
}

tlv_status
tlv_lda_order_logistic(tlv_context *ctx, size_t k, const int64_t *order, const double **mean,
					   const double **covariance)
{
	double *means, *covariances;

	if (*mean == NULL || *covariance == NULL)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, means, k, k + 1);
	covariances = means + k;
	for (size_t j = 0; j < k; j++)
	{
		means[j] = (*mean)[order[j]];
		for (size_t l = 0; l < k; l++)
			covariances[l + j * k] = (*covariance)[(size_t) order[l] + (size_t) order[j] * k];
	}
	*mean = means;
	*covariance = covariances;
	return TLV_OK;
}

/* ---- the correlations that the model says ---- */

/* The distribution of the topics that are there: place says which they are. */
static tlv_status
present_part(tlv_context *ctx, const tlv_frame *model, size_t *place, tlv_logistic_normal *part)
{
	size_t k = tlv_frame_find(model, "phi")->rows, n = 0;
	tlv_logistic_normal all;
	double *mean;

	TLV_TRY(tlv_lda_logistic_normal(ctx, model, &all));
	for (size_t j = 0; j < k; j++)
		if (tlv_frame_float64(model, "weights")[j] > 0)
			place[n++] = j;
	TLV_TRY_NEW_ROWS(ctx, mean, n, n + 1);
	for (size_t j = 0; j < n; j++)
	{
		mean[j] = all.mean[place[j]];
		for (size_t l = 0; l < n; l++)
			mean[n + l + j * n] = all.covariance[place[l] + place[j] * k];
	}
	*part = (tlv_logistic_normal){n, mean, mean + n};
	return TLV_OK;
}

/* square (n x n) = mean of theta theta' over draws of x in antithetic pairs. */
static tlv_status
average_products(tlv_context *ctx, const tlv_logistic_normal *normal, double *square)
{
	size_t n = normal->k;
	double *factor, *draws, *shares;
	tlv_rng rng;

	TLV_TRY_NEW_ROWS(ctx, factor, n, n);
	TLV_TRY_NEW_ROWS(ctx, draws, n, 2 * DRAWS_STEP);
	shares = draws + n * DRAWS_STEP;
	memcpy(factor, normal->covariance, n * n * sizeof(double));
	TLV_TRY(tlv_cholesky(ctx, n, factor));
	for (size_t j = 0; j < n; j++)
		memset(factor + j * n, 0, j * sizeof(double));
	memset(square, 0, n * n * sizeof(double));
	tlv_rng_seed(&rng, DRAWS_SEED);
	for (size_t s = 0; s < DRAWS; s += DRAWS_STEP)
	{
		TLV_TRY(tlv_fill_normal(ctx, &rng, n * DRAWS_STEP / 2, shares));
		TLV_TRY(tlv_gemm(ctx, false, false, n, DRAWS_STEP / 2, n, 1, factor, n, shares, n, 0, draws,
						 n));
		for (size_t t = 0; t < DRAWS_STEP; t++)
		{
			const double *draw = draws + t / 2 * n;
			double sign = t % 2 == 0 ? 1 : -1, largest = -HUGE_VAL, sum = 0,
				   *share = shares + t * n;

			for (size_t j = 0; j < n; j++)
				largest = fmax(largest, share[j] = normal->mean[j] + sign * draw[j]);
			for (size_t j = 0; j < n; j++)
				sum += share[j] = exp(share[j] - largest);
			for (size_t j = 0; j < n; j++)
				share[j] /= sum;
		}
		TLV_TRY(tlv_syrk(ctx, false, n, DRAWS_STEP, 1.0 / DRAWS, shares, n, 1, square, n, true));
	}
	tlv_free(ctx, draws);
	tlv_free(ctx, factor);
	return TLV_OK;
}

tlv_status
tlv_lda_logistic_correlate(tlv_context *ctx, const tlv_frame *model, tlv_lda_correlations *to)
{
	size_t k = tlv_frame_find(model, "phi")->rows, packed = tlv_packed2_size(k), *place;
	tlv_logistic_normal part;
	double *square;

	if (!tlv_lda_is_correlated(model))
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "the topics of the model have no correlations of their own");
		return tlv_fail_hint(
			ctx, "Refine them with refine => 'ctm', or give tlv_topic_products(bag, model).");
	}
	to->k = k;
	to->present = tlv_frame_float64(model, "weights");
	to->alpha0 = NAN;
	TLV_TRY_NEW(ctx, place, k);
	TLV_TRY_NEW0(ctx, to->second, 3 * packed + k);
	to->correlation = to->second + packed;
	to->error = to->correlation + packed;
	to->means = to->error + packed;
	TLV_TRY(present_part(ctx, model, place, &part));
	TLV_TRY_NEW_ROWS(ctx, square, part.k, part.k);
	TLV_TRY(average_products(ctx, &part, square));
	for (size_t a = 0; a < part.k; a++)
		for (size_t b = 0; b <= a; b++)
			to->second[tlv_packed2_index(place[a], place[b])] = square[a + b * part.k];
	for (size_t p = 0; p < packed; p++)
		to->error[p] = NAN;
	tlv_lda_complete_correlations(to);
	return TLV_OK;
}
