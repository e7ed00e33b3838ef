/*
 * logistic.c - documents whose shares are logistic-normal, theta = softmax(x) with x normal:
 * correlated topics (Blei, Lafferty 2007), by Laplace's approximation (topics.h).
 *
 * The mode of x is found by Newton's method on the expected log-likelihood given what topics the
 * tokens have, which is concave and a lower bound that touches; a step costs a Cholesky factor of k
 * x k.  At the mode the information of the tokens themselves is taken, less what is lost since
 * their topics are not seen, by one product of BLAS-3 over the document's items.
 */
#include "worker.h"
#include "tuning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"
#include "tensorlv/num/tuning.h"

struct tlv_topic_logistic
{
	size_t k;
	double *mean;	   /* k */
	double *precision; /* k x k */
	double *hessian;   /* k x k; after the mode its Cholesky factor, lower */
	double *latent;	   /* k: x */
	double *away;	   /* k: x less its mean */
	double *step;	   /* k */
	double *theta;	   /* k */
	double *gradient;  /* k */
	double *rows;	   /* k x TLV_SMALL_BLOCK_ROWS */
};

/* Bytes that it holds. */
static double
logistic_memory(size_t k)
{
	return sizeof(double) * (double) k *
		   (3 * (double) k + 6 + TLV_SMALL_BLOCK_ROWS); /* one k x k while inverting */
}

tlv_status
tlv_topic_logistic_create(tlv_context *ctx, const tlv_logistic_normal *normal,
						  tlv_topic_logistic **made)
{
	size_t k = normal->k;
	tlv_topic_logistic *own;
	tlv_status status;

	*made = NULL;
	if (k > TLV_LOGISTIC_TOPICS_MOST)
	{
		tlv_fail(ctx, TLV_LIMIT,
				 "%zu topics are too many for correlations, which are of %d at most", k,
				 TLV_LOGISTIC_TOPICS_MOST);
		return tlv_fail_hint(ctx, "Use fewer topics, or another refinement.");
	}
	TLV_TRY(tlv_require_memory(ctx, logistic_memory(k), "correlated topics"));
	TLV_TRY_NEW0(ctx, own, 1);
	*made = own;
	own->k = k;
	TLV_TRY_NEW_ROWS(ctx, own->mean, k, 2 * k + 6 + TLV_SMALL_BLOCK_ROWS);
	own->precision = own->mean + k;
	own->hessian = own->precision + k * k;
	own->latent = own->hessian + k * k;
	own->away = own->latent + k;
	own->step = own->away + k;
	own->theta = own->step + k;
	own->gradient = own->theta + k;
	own->rows = own->gradient + k;
	memcpy(own->mean, normal->mean, k * sizeof(double));
	memcpy(own->precision, normal->covariance, k * k * sizeof(double));
	status = tlv_cholesky(ctx, k, own->precision);
	if (status == TLV_OK)
		status = tlv_invert_cholesky(ctx, k, own->precision);
	if (status != TLV_OK)
	{
		tlv_topic_logistic_destroy(ctx, own);
		*made = NULL;
	}
	return status;
}

void
tlv_topic_logistic_destroy(tlv_context *ctx, tlv_topic_logistic *own)
{
	if (own == NULL)
		return;
	tlv_free(ctx, own->mean);
	tlv_free(ctx, own);
}

/* theta = softmax(x), in double and for the worker's kernels. */
static void
logistic_shares(tlv_topic_logistic *own, const double *x, tlv_topic_worker *worker)
{
	double largest = -HUGE_VAL, sum = 0;

	for (size_t j = 0; j < own->k; j++)
		largest = fmax(largest, x[j]);
	for (size_t j = 0; j < own->k; j++)
		sum += own->theta[j] = exp(x[j] - largest);
	for (size_t j = 0; j < own->k; j++)
	{
		own->theta[j] /= sum;
		worker->theta[j] = (float) own->theta[j];
	}
}

/* step = gradient: expected tokens - tokens theta - precision (x - mean) */
static TLV_CLONES void
logistic_gradient(tlv_topic_logistic *own, const tlv_topic_worker *worker, double tokens)
{
	size_t k = own->k;

	for (size_t j = 0; j < k; j++)
		own->step[j] = own->theta[j] * ((double) worker->row[j] - tokens);
	for (size_t l = 0; l < k; l++)
	{
		const double *restrict column = own->precision + l * k;
		double *restrict step = own->step;
		double away = own->away[l];

		for (size_t j = 0; j < k; j++)
			step[j] -= away * column[j];
	}
}

/* Lower triangle of the information where the topics of the tokens are known: precision + tokens
 * (diag(theta) - theta theta'). */
static TLV_CLONES void
logistic_information(tlv_topic_logistic *own, double tokens)
{
	size_t k = own->k;

	for (size_t l = 0; l < k; l++)
	{
		const double *restrict column = own->precision + l * k, *restrict theta = own->theta;
		double *restrict to = own->hessian + l * k;
		double share = tokens * own->theta[l];

		for (size_t j = l; j < k; j++)
			to[j] = column[j] - share * theta[j];
		to[l] += share;
	}
}

/* own->latent becomes the mode; own->hessian what the last step was made with. */
static tlv_status
logistic_mode(tlv_context *ctx, tlv_topic_logistic *own, tlv_topic_worker *worker, size_t n,
			  const int32_t *index, const double *count, double tokens)
{
	size_t k = own->k;

	memcpy(own->latent, own->mean, k * sizeof(double));
	memset(own->away, 0, k * sizeof(double));
	for (int step = 0; step < TLV_INFER_STEPS; step++)
	{
		double gain = 0, longest = 0;

		logistic_shares(own, own->latent, worker);
		TLV_TRY(tlv_topic_add_up(ctx, worker, n, index, count));
		logistic_gradient(own, worker, tokens);
		memcpy(own->gradient, own->step, k * sizeof(double));
		logistic_information(own, tokens);
		TLV_TRY(tlv_solve_spd(ctx, k, 1, own->hessian, own->step));
		for (size_t j = 0; j < k; j++)
		{
			gain += own->step[j] * own->gradient[j];
			longest = fmax(longest, fabs(own->step[j]));
		}
		for (size_t j = 0; j < k; j++)
		{
			own->away[j] += own->step[j] * fmin(1, MODE_MOST_MOVE / fmax(longest, TLV_TINY));
			own->latent[j] = own->mean[j] + own->away[j];
		}
		if (!(gain > TLV_TOPIC_INFER_CHANGE))
			break;
	}
	logistic_shares(own, own->latent, worker);
	return TLV_OK;
}

/* Row by row what topic the tokens of n items have, k each, and the items' probabilities. */
static void
logistic_rows(const tlv_topic_logistic *own, const tlv_topic_worker *worker, size_t n,
			  const int32_t *index, double *rows, double *probability)
{
	size_t k = own->k;

	for (size_t i = 0; i < n; i++)
	{
		const float *phi = tlv_topic_row(worker, index[i]);
		double sum = 0;

		for (size_t j = 0; j < k; j++)
			sum += rows[i * k + j] = own->theta[j] * (double) phi[j];
		sum = fmax(sum, DBL_MIN);
		for (size_t j = 0; j < k; j++)
			rows[i * k + j] /= sum;
		probability[i] = sum;
	}
}

/*
 * own->hessian becomes the Cholesky factor of the posterior's precision at the mode:
 * precision + tokens (diag(theta) - theta theta') - sum_i c_i (diag(r_i) - r_i r_i'), where r_i are
 * the probabilities of the topics of item i; where that is not positive definite, without the last
 * sum.
 */
static tlv_status
logistic_posterior(tlv_context *ctx, tlv_topic_logistic *own, const tlv_topic_worker *worker,
				   size_t n, const int32_t *index, const double *count, double tokens)
{
	double probability[TLV_SMALL_BLOCK_ROWS];
	size_t k = own->k;
	tlv_status status;

	logistic_information(own, tokens);
	for (size_t i = 0; i < n; i += TLV_SMALL_BLOCK_ROWS)
	{
		size_t m = n - i < TLV_SMALL_BLOCK_ROWS ? n - i : TLV_SMALL_BLOCK_ROWS;

		TLV_TRY_CONTINUE(ctx);
		logistic_rows(own, worker, m, index + i, own->rows, probability);
		for (size_t a = 0; a < m; a++)
		{
			double *row = own->rows + a * k, c = count[i + a], root = sqrt(c);

			for (size_t j = 0; j < k; j++)
			{
				own->hessian[j + j * k] -= c * row[j];
				row[j] *= root;
			}
		}
		TLV_TRY(tlv_syrk(ctx, false, k, m, 1, own->rows, k, 1, own->hessian, k, false));
	}
	status = tlv_cholesky(ctx, k, own->hessian);
	if (status != TLV_BAD_DATA)
		return status;
	logistic_information(own, tokens);
	return tlv_cholesky(ctx, k, own->hessian);
}

tlv_status
tlv_topic_logistic_infer(tlv_context *ctx, tlv_topic_logistic *own, tlv_topic_worker *worker,
						 size_t n, const int32_t *index, const double *count, double *theta)
{
	double tokens;

	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, false, &tokens));
	TLV_TRY(logistic_mode(ctx, own, worker, n, index, count, tokens));
	memcpy(theta, own->theta, own->k * sizeof(double));
	return TLV_OK;
}

/* ---- what a document adds to the sums ---- */

/* Expected topics of the tokens under worker->theta. */
static TLV_CLONES void
logistic_collect(tlv_topic_worker *worker, size_t n, const int32_t *index, const double *count,
				 double *items)
{
	size_t width = worker->width;

	for (size_t i = 0; i < n; i++)
	{
		const float *restrict phi = tlv_topic_row(worker, index[i]), *restrict theta =
																		 worker->theta;
		float *restrict product = worker->product;
		float lane[TLV_REGISTER_FLOATS] = {0};

		for (size_t b = 0; b < width; b += TLV_REGISTER_FLOATS)
			for (size_t l = 0; l < TLV_REGISTER_FLOATS; l++)
			{
				product[b + l] = phi[b + l] * theta[b + l];
				lane[l] += product[b + l];
			}
		tlv_add_topic_row(worker->k, items + (size_t) index[i] * worker->k, product,
						  count[i] / ((double) tlv_lanes_sum(lane) + FLT_MIN));
	}
}

/*
 * sum of count ln p(item | the rest of the document): the mode without one token of the item is, by
 * one step, the mode less H^-1 (r - theta), and so its logarithm less by (r - theta)' H^-1 (r -
 * theta).
 */
static tlv_status
logistic_likelihood(tlv_context *ctx, tlv_topic_logistic *own, const tlv_topic_worker *worker,
					size_t n, const int32_t *index, const double *count, double *sum)
{
	double probability[TLV_SMALL_BLOCK_ROWS];
	size_t k = own->k;

	for (size_t i = 0; i < n; i += TLV_SMALL_BLOCK_ROWS)
	{
		size_t m = n - i < TLV_SMALL_BLOCK_ROWS ? n - i : TLV_SMALL_BLOCK_ROWS;

		TLV_TRY_CONTINUE(ctx);
		logistic_rows(own, worker, m, index + i, own->rows, probability);
		for (size_t a = 0; a < m; a++)
			for (size_t j = 0; j < k; j++)
				own->rows[a * k + j] -= own->theta[j];
		TLV_TRY(tlv_solve_triangle(ctx, false, k, m, own->hessian, own->rows));
		for (size_t a = 0; a < m; a++)
		{
			double lost = 0;

			for (size_t j = 0; j < k; j++)
				lost += own->rows[a * k + j] * own->rows[a * k + j];
			*sum += count[i + a] * (log(probability[a]) - fmin(count[i + a], 1) * lost);
		}
	}
	return TLV_OK;
}

/* Mean and second moment of x less the model's mean. */
static TLV_CLONES void
logistic_sums(const tlv_topic_logistic *own, tlv_logistic_statistics *sums)
{
	size_t k = own->k;

	for (size_t l = 0; l < k; l++)
	{
		const double *restrict column = own->hessian + l * k, *restrict away = own->away;
		double *restrict to = sums->latent_products + l * k;
		double own_away = own->away[l];

		sums->latent[l] += own_away;
		for (size_t j = l; j < k; j++)
			to[j] += column[j] + own_away * away[j];
	}
}

tlv_status
tlv_topic_logistic_expect(tlv_context *ctx, tlv_topic_logistic *own, tlv_topic_worker *worker,
						  size_t n, const int32_t *index, const double *count,
						  tlv_logistic_statistics *sums)
{
	size_t chunk = tlv_topic_chunk(worker);
	double tokens;

	TLV_TRY(tlv_topic_check_document(ctx, worker, n, index, count, false, &tokens));
	TLV_TRY(logistic_mode(ctx, own, worker, n, index, count, tokens));
	TLV_TRY(logistic_posterior(ctx, own, worker, n, index, count, tokens));
	TLV_TRY(logistic_likelihood(ctx, own, worker, n, index, count, &sums->log_likelihood));
	for (size_t i = 0; i < n; i += chunk)
	{
		TLV_TRY_CONTINUE(ctx);
		logistic_collect(worker, n - i < chunk ? n - i : chunk, index + i, count + i, sums->items);
	}
	for (size_t j = 0; j < own->k; j++)
		sums->shares[j] += own->theta[j];
	TLV_TRY(tlv_invert_cholesky(ctx, own->k, own->hessian));
	logistic_sums(own, sums);
	sums->documents++;
	sums->tokens += tokens;
	return TLV_OK;
}
