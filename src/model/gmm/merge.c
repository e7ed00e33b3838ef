/*
 * merge.c - clusters of rows merged two by two, such that Gaussians of full covariance lose least
 * by it: groups that few rows suffice to find, however they are stretched (choose.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "choose.h"
#include "tensorlv/num/linalg.h"

/* Sums of every cluster, about the center. */
typedef struct gmm_merge
{
	size_t k, d;
	double n;
	double *rows;	  /* k */
	double *sums;	  /* d x k */
	double *products; /* packed x k */
	double *usual;	  /* d: variances within clusters, which few rows lean to */
	double *matrix;	  /* d x d */
	double *both;	  /* d + packed: the sums of two clusters */
	double *alone;	  /* k: cost of each */
	double *together; /* k x k: of two merged */
	bool *gone;		  /* k: merged into another */
} gmm_merge;

static tlv_status
merge_create(tlv_context *ctx, size_t k, size_t d, gmm_merge *merge)
{
	size_t packed = tlv_packed2_size(d);

	*merge = (gmm_merge){.k = k, .d = d};
	TLV_TRY_NEW0_ROWS(ctx, merge->rows, k, 1 + d + packed);
	merge->sums = merge->rows + k;
	merge->products = merge->sums + d * k;
	TLV_TRY_NEW0(ctx, merge->usual, 2 * d + d * d + packed);
	merge->matrix = merge->usual + d;
	merge->both = merge->matrix + d * d;
	TLV_TRY_NEW_ROWS(ctx, merge->alone, k, k + 1);
	merge->together = merge->alone + k;
	TLV_TRY_NEW0(ctx, merge->gone, k);
	return TLV_OK;
}

static tlv_status
merge_add_rows(tlv_context *ctx, const tlv_gmm_sample *sample, const int32_t *label,
			   gmm_merge *merge)
{
	/* Rows between two questions whether to stop. */
	const int check_rows = 256;
	size_t d = merge->d, packed = tlv_packed2_size(d);

	for (size_t t = 0; t < sample->n; t++)
	{
		const double *x = sample->rows + t * d;
		size_t j = (size_t) label[t];
		double *product = merge->products + j * packed;

		if (t % check_rows == 0)
			TLV_TRY_CONTINUE(ctx);
		merge->rows[j]++;
		for (size_t i = 0; i < d; i++)
		{
			merge->sums[j * d + i] += x[i];
			for (size_t c = 0; c <= i; c++)
				product[tlv_packed2_index(i, c)] += x[i] * x[c];
		}
	}
	merge->n = (double) sample->n;
	return TLV_OK;
}

static void
merge_find_usual(gmm_merge *merge, const double *floor)
{
	size_t d = merge->d, packed = tlv_packed2_size(d);

	for (size_t i = 0; i < d; i++)
	{
		for (size_t j = 0; j < merge->k; j++)
		{
			double sum = merge->sums[j * d + i], rows = fmax(merge->rows[j], 1);

			merge->usual[i] +=
				merge->products[j * packed + tlv_packed2_index(i, i)] - sum * sum / rows;
		}
		merge->usual[i] = fmax(merge->usual[i] / merge->n, floor[i]);
	}
}

/*
 * Minus the log-likelihood of so many rows with these sums, each known to be of this cluster.  The
 * covariance has d + 1 rows of the usual variances added.
 */
static tlv_status
merge_cost(tlv_context *ctx, gmm_merge *merge, double rows, const double *sums,
		   const double *products, double *cost)
{
	size_t d = merge->d;
	double prior = (double) d + 1, log_det = 0;

	*cost = 0;
	if (rows < 0.5)
		return TLV_OK;
	TLV_TRY_CONTINUE(ctx);
	for (size_t i = 0; i < d; i++)
	{
		for (size_t c = 0; c <= i; c++)
			merge->matrix[i * d + c] = merge->matrix[c * d + i] =
				(products[tlv_packed2_index(i, c)] - sums[i] * sums[c] / rows) / (rows + prior);
		merge->matrix[i * d + i] += prior * merge->usual[i] / (rows + prior);
	}
	TLV_TRY(tlv_solve_spd(ctx, d, 0, merge->matrix, NULL));
	for (size_t i = 0; i < d; i++)
		log_det += 2 * log(fmax(merge->matrix[i * d + i], DBL_MIN));
	*cost = rows * (log_det / 2 - log(rows / merge->n));
	return TLV_OK;
}

static tlv_status
merge_cost_of_two(tlv_context *ctx, gmm_merge *merge, size_t a, size_t b)
{
	size_t d = merge->d, packed = tlv_packed2_size(d);
	double *products = merge->both + d, *cost = &merge->together[a * merge->k + b];

	for (size_t i = 0; i < d; i++)
		merge->both[i] = merge->sums[a * d + i] + merge->sums[b * d + i];
	for (size_t i = 0; i < packed; i++)
		products[i] = merge->products[a * packed + i] + merge->products[b * packed + i];
	TLV_TRY(merge_cost(ctx, merge, merge->rows[a] + merge->rows[b], merge->both, products, cost));
	merge->together[b * merge->k + a] = *cost;
	return TLV_OK;
}

/* The two clusters that lose least, a < b. */
static void
merge_find_pair(const gmm_merge *merge, size_t *a, size_t *b)
{
	double least = HUGE_VAL;

	*a = *b = merge->k;
	for (size_t i = 0; i < merge->k; i++)
		for (size_t j = i + 1; j < merge->k && !merge->gone[i]; j++)
		{
			double loss = merge->together[i * merge->k + j] - merge->alone[i] - merge->alone[j];

			if (merge->gone[j] || (*a < merge->k && !(loss < least)))
				continue;
			least = loss;
			*a = i;
			*b = j;
		}
}

/* b goes into a. */
static tlv_status
merge_two(tlv_context *ctx, gmm_merge *merge, size_t a, size_t b)
{
	size_t k = merge->k, d = merge->d, packed = tlv_packed2_size(d);

	merge->rows[a] += merge->rows[b];
	for (size_t i = 0; i < d; i++)
		merge->sums[a * d + i] += merge->sums[b * d + i];
	for (size_t i = 0; i < packed; i++)
		merge->products[a * packed + i] += merge->products[b * packed + i];
	merge->alone[a] = merge->together[a * k + b];
	merge->gone[b] = true;
	for (size_t j = 0; j < k; j++)
		if (j != a && !merge->gone[j])
			TLV_TRY(merge_cost_of_two(ctx, merge, a, j));
	return TLV_OK;
}

static double
merge_criterion(const gmm_merge *merge, size_t groups)
{
	double cost = 0;

	for (size_t j = 0; j < merge->k; j++)
		cost += merge->gone[j] ? 0 : merge->alone[j];
	return 2 * cost +
		   tlv_mixture_parameters(groups, merge->d, TLV_COVARIANCE_FULL, false) * log(merge->n);
}

/* Groups are numbered anew, in the order of their first clusters. */
static void
gmm_number_groups(size_t k, const int32_t *leader, int32_t *groups)
{
	int32_t n = 0;

	for (size_t j = 0; j < k; j++)
		groups[j] = leader[j] == (int32_t) j ? n++ : groups[leader[j]];
}

tlv_status
gmm_merge_clusters(tlv_context *ctx, const tlv_gmm_sample *sample, const double *floor, size_t k,
				   const int32_t *label, int32_t *groups, double *criterion)
{
	size_t d = sample->d, packed = tlv_packed2_size(d);
	int32_t *leader; /* k: the first cluster of each one's group */
	gmm_merge merge;

	TLV_TRY(merge_create(ctx, k, d, &merge));
	TLV_TRY_NEW(ctx, leader, k);
	TLV_TRY(merge_add_rows(ctx, sample, label, &merge));
	merge_find_usual(&merge, floor);
	for (size_t j = 0; j < k; j++)
	{
		leader[j] = (int32_t) j;
		TLV_TRY(merge_cost(ctx, &merge, merge.rows[j], merge.sums + j * d,
						   merge.products + j * packed, &merge.alone[j]));
	}
	for (size_t a = 0; a < k; a++)
		for (size_t b = a + 1; b < k; b++)
			TLV_TRY(merge_cost_of_two(ctx, &merge, a, b));
	for (size_t m = k; m >= 1; m--)
	{
		size_t a, b;

		criterion[m - 1] = merge_criterion(&merge, m);
		gmm_number_groups(k, leader, groups + (m - 1) * k);
		if (m == 1)
			break;
		merge_find_pair(&merge, &a, &b);
		for (size_t j = 0; j < k; j++)
			leader[j] = leader[j] == (int32_t) b ? (int32_t) a : leader[j];
		TLV_TRY(merge_two(ctx, &merge, a, b));
	}
	tlv_free(ctx, leader);
	tlv_free(ctx, merge.gone);
	tlv_free(ctx, merge.alone);
	tlv_free(ctx, merge.usual);
	tlv_free(ctx, merge.rows);
	return TLV_OK;
}
