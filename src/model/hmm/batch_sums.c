/*
 * batch_sums.c - expected statistics from the posteriors of many sequences (batch_sums.h).
 */
#include <string.h>

#include "batch_sums.h"

TLV_CLONES void
tlv_hmm_add_pairs(size_t k, size_t n, const tlv_octet *restrict weighted,
				  const tlv_octet *restrict before, double *restrict pairs)
{
	for (size_t to = 0; to < k; to++)
	{
		size_t from = 0;

		for (; from + 4 <= k; from += 4)
		{
			tlv_octet a = {0}, b = {0}, c = {0}, d = {0};

			for (size_t r = 0; r < n; r++)
			{
				tlv_octet w = weighted[r * k + to];
				const tlv_octet *x = before + r * k + from;

				a += w * x[0];
				b += w * x[1];
				c += w * x[2];
				d += w * x[3];
			}
			pairs[to + k * from] += tlv_octet_sum(&a);
			pairs[to + k * (from + 1)] += tlv_octet_sum(&b);
			pairs[to + k * (from + 2)] += tlv_octet_sum(&c);
			pairs[to + k * (from + 3)] += tlv_octet_sum(&d);
		}
		for (; from < k; from++)
		{
			tlv_octet a = {0};

			for (size_t r = 0; r < n; r++)
				a += weighted[r * k + to] * before[r * k + from];
			pairs[to + k * from] += tlv_octet_sum(&a);
		}
	}
}

void
tlv_hmm_add_symbols(size_t k, size_t d, const int32_t *at, size_t n, const double *gamma,
					double *restrict emissions)
{
	for (size_t r = 0; r < n; r++, gamma += k * TLV_OCTET, at += TLV_OCTET)
		for (size_t l = 0; l < TLV_OCTET; l++)
		{
			double *own = emissions + (size_t) at[l] * k;

			for (size_t j = 0; (size_t) at[l] < d && j < k; j++)
				own[j] += gamma[j * TLV_OCTET + l];
		}
}

/* Weighted deviations from the means, in padded sums: weights, deviations, squares. */
TLV_CLONES static void
add_spherical(size_t stride, size_t d, const double *restrict means, const double *restrict x,
			  const double *restrict gamma, double *restrict sums)
{
	double *weights = sums, *deviations = sums + stride, *squares = deviations + d * stride;

	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet share = *(const tlv_octet *) (gamma + b), square = {0};

		for (size_t i = 0; i < d; i++)
		{
			tlv_octet difference = x[i] - *(const tlv_octet *) (means + i * stride + b);

			*(tlv_octet *) (deviations + i * stride + b) += share * difference;
			square += difference * difference;
		}
		*(tlv_octet *) (weights + b) += share;
		*(tlv_octet *) (squares + b) += share * square;
	}
}

TLV_CLONES static void
add_diagonal(size_t stride, size_t d, const double *restrict means, const double *restrict x,
			 const double *restrict gamma, double *restrict sums)
{
	double *weights = sums, *deviations = sums + stride, *squares = deviations + d * stride;

	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet share = *(const tlv_octet *) (gamma + b);

		for (size_t i = 0; i < d; i++)
		{
			tlv_octet difference = x[i] - *(const tlv_octet *) (means + i * stride + b);
			tlv_octet weighted = share * difference;

			*(tlv_octet *) (deviations + i * stride + b) += weighted;
			*(tlv_octet *) (squares + i * stride + b) += weighted * difference;
		}
		*(tlv_octet *) (weights + b) += share;
	}
}

/* difference: d x stride */
TLV_CLONES static void
add_full(size_t stride, size_t d, const double *restrict means, const double *restrict x,
		 const double *restrict gamma, double *restrict difference, double *restrict sums)
{
	double *weights = sums, *deviations = sums + stride, *products = deviations + d * stride;

	for (size_t b = 0; b < stride; b += TLV_OCTET)
	{
		tlv_octet share = *(const tlv_octet *) (gamma + b);
		double *product = products + b;

		for (size_t i = 0; i < d; i++)
		{
			tlv_octet own = x[i] - *(const tlv_octet *) (means + i * stride + b);
			tlv_octet weighted = share * own;

			*(tlv_octet *) (difference + i * stride + b) = own;
			*(tlv_octet *) (deviations + i * stride + b) += weighted;
			for (size_t c = 0; c <= i; c++, product += stride)
				*(tlv_octet *) product +=
					weighted * *(const tlv_octet *) (difference + c * stride + b);
		}
		*(tlv_octet *) (weights + b) += share;
	}
}

/* sums: tlv_hmm_vector_sums numbers of every state */
static inline void
add_vector(const tlv_hmm_model *model, const double *x, const double *gamma, double *sums)
{
	size_t d = model->parts.d, stride = model->stride;

	if (model->parts.covariance < TLV_COVARIANCE_DIAGONAL)
		add_spherical(stride, d, model->means, x, gamma, sums);
	else if (model->parts.covariance == TLV_COVARIANCE_DIAGONAL)
		add_diagonal(stride, d, model->means, x, gamma, sums);
	else
		add_full(stride, d, model->means, x, gamma, sums + (1 + d + model->variances) * stride,
				 sums);
}

static void
fold_vectors(const tlv_hmm_model *model, const double *work, tlv_hmm_sums *sums)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride, n = model->variances;

	for (size_t j = 0; j < k; j++)
	{
		sums->weights[j] += work[j];
		for (size_t i = 0; i < d; i++)
			sums->deviations[i * k + j] += work[(1 + i) * stride + j];
		for (size_t e = 0; e < n; e++)
			sums->squares[e * k + j] += work[(1 + d + e) * stride + j];
	}
}

void
tlv_hmm_add_vectors(const tlv_hmm_model *model, size_t n, const double *x, const double *gamma,
					double *work, tlv_hmm_sums *sums)
{
	size_t d = model->parts.d, stride = model->stride;

	memset(work, 0, tlv_hmm_vector_sums(model) * stride * sizeof(double));
	for (size_t i = 0; i < n; i++)
		if (model->missing && tlv_hmm_is_incomplete(d, x + i * d))
			tlv_hmm_add_incomplete(model, x + i * d, gamma + i * stride, work);
		else
			add_vector(model, x + i * d, gamma + i * stride, work);
	fold_vectors(model, work, sums);
}

void
tlv_hmm_add_lane_vectors(const tlv_hmm_model *model, const tlv_hmm_batch *batch, size_t row,
						 size_t n, const double *gamma, double *work, tlv_hmm_sums *sums)
{
	size_t k = model->parts.k, d = model->parts.d, stride = model->stride;
	double *own = work + tlv_hmm_vector_sums(model) * stride;

	memset(work, 0, (tlv_hmm_vector_sums(model) + 1) * stride * sizeof(double));
	for (size_t r = 0; r < n; r++, gamma += k * TLV_OCTET)
		for (size_t l = 0; l < TLV_OCTET; l++)
		{
			if (row + r >= batch->filled[l])
				continue;
			for (size_t j = 0; j < k; j++)
				own[j] = gamma[j * TLV_OCTET + l];
			add_vector(model, batch->x + ((row + r) * TLV_OCTET + l) * d, own, work);
		}
	fold_vectors(model, work, sums);
}

void
tlv_hmm_add_first(size_t k, const uint8_t *starts, size_t n, const double *gamma, double *initial)
{
	for (size_t r = 0; r < n; r++, gamma += k * TLV_OCTET)
		for (size_t l = 0; starts[r] != 0 && l < TLV_OCTET; l++)
			for (size_t j = 0; (starts[r] >> l & 1U) != 0 && j < k; j++)
				initial[j] += gamma[j * TLV_OCTET + l];
}
