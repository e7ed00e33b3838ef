/*
 * errors.c - estimates of mixtures of Gaussians and t distributions, and the score of a row
 * (errors.h).
 *
 * With r_j the responsibilities, u_j = S_j^-1 (x - mu_j) and h_j the row's expected precision (1 of
 * Gaussians), the score of log w_j is r_j - w_j, of mu_j r_j h_j u_j, of S_j r_j (h_j u_j u_j' -
 * S_j^-1) / 2 (Fisher's identity).
 *
 * Many parameters are divided: components are told apart by the weights alone then, means from
 * covariances, and coordinates of diagonal covariances from each other.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

typedef struct estimates_walk
{
	const tlv_mixture *mixture;
	const double *floor;
	double rows;
	tlv_name_list names;
	bool whole;	  /* all parameters are one block */
	size_t block; /* the last one */
	tlv_estimates *list;
} estimates_walk;

/* One more; apart: in a block of its own where they are divided. */
static tlv_status
add_estimate(tlv_context *ctx, estimates_walk *walk, bool apart, tlv_estimate estimate)
{
	if (apart && !walk->whole)
		walk->block++;
	estimate.block = walk->block;
	return tlv_estimates_add(ctx, walk->list, &estimate);
}

static tlv_status
add_weights(tlv_context *ctx, estimates_walk *walk)
{
	const tlv_mixture *own = walk->mixture;

	for (size_t j = 0; j < own->k; j++)
		TLV_TRY(add_estimate(ctx, walk, false,
							 (tlv_estimate){.part = TLV_ESTIMATE_WEIGHT,
											.component = j + 1,
											.estimate = own->weights[j],
											.group = 1,
											.fixed = own->k == 1 || own->weights[j] == 0}));
	return TLV_OK;
}

/* Means of a full covariance that a block does not hold. */
static bool
is_too_wide(const estimates_walk *walk)
{
	return !walk->whole && walk->mixture->d > TLV_SCORES_MOST_BLOCK &&
		   walk->mixture->covariance == TLV_COVARIANCE_FULL;
}

static tlv_status
add_means(tlv_context *ctx, estimates_walk *walk, size_t j, bool fixed)
{
	const tlv_mixture *own = walk->mixture;
	bool full = own->covariance == TLV_COVARIANCE_FULL;

	for (size_t i = 0; i < own->d; i++)
		TLV_TRY(add_estimate(ctx, walk, i == 0 || !full,
							 (tlv_estimate){.part = TLV_ESTIMATE_MEAN,
											.component = j + 1,
											.has_item = true,
											.item = (int64_t) i + 1,
											.name = {tlv_name_at(&walk->names, i)},
											.estimate = own->means[j * own->d + i],
											.fixed = fixed || is_too_wide(walk)}));
	return TLV_OK;
}

/* Of a full covariance the lower triangle by rows, as it is stored. */
static tlv_status
add_covariances(tlv_context *ctx, estimates_walk *walk, size_t j, bool fixed)
{
	const tlv_mixture *own = walk->mixture;
	const double *packed = own->variances + j * tlv_packed2_size(own->d);

	for (size_t a = 0; a < own->d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			tlv_estimate estimate = {
				.part = a == b ? TLV_ESTIMATE_VARIANCE : TLV_ESTIMATE_COVARIANCE,
				.component = j + 1,
				.has_item = true,
				.item = (int64_t) (a == b ? a + 1 : a * own->d + b + 1),
				.name = {tlv_name_at(&walk->names, a), tlv_name_at(&walk->names, b)},
				.number = {(int64_t) a + 1, (int64_t) b + 1},
				.between = a == b ? NULL : ", ",
				.estimate = packed[tlv_packed2_index(a, b)],
				.fixed = fixed || !walk->whole};

			TLV_TRY(add_estimate(ctx, walk, true, estimate));
		}
	return TLV_OK;
}

static tlv_status
add_variances(tlv_context *ctx, estimates_walk *walk, size_t j, bool fixed)
{
	const tlv_mixture *own = walk->mixture;
	bool diagonal = own->covariance == TLV_COVARIANCE_DIAGONAL;
	size_t each = diagonal ? own->d : 1;

	for (size_t i = 0; i < each; i++)
		TLV_TRY(add_estimate(
			ctx, walk, true,
			(tlv_estimate){.part = TLV_ESTIMATE_VARIANCE,
						   .component = own->covariance == TLV_COVARIANCE_COMMON ? 0 : j + 1,
						   .has_item = diagonal,
						   .item = (int64_t) i + 1,
						   .name = {tlv_name_at(&walk->names, i)},
						   .estimate = own->variances[j * each + i],
						   .fixed = fixed}));
	return TLV_OK;
}

/* Is a component's variance kept where it is by the floor? */
static tlv_status
is_at_floor(tlv_context *ctx, const estimates_walk *walk, size_t j, bool *found)
{
	tlv_mixture one = *walk->mixture;
	size_t n;

	one.variances += j * tlv_mixture_variances(one.d, one.covariance);
	one.k = 1;
	TLV_TRY(tlv_mixture_at_floor(ctx, &one, walk->floor, &n));
	*found = n > 0;
	return TLV_OK;
}

static tlv_status
add_component(tlv_context *ctx, estimates_walk *walk, size_t j)
{
	const tlv_mixture *own = walk->mixture;
	bool empty = own->weights[j] == 0 || (walk->rows > 0 && own->weights[j] * walk->rows < 1);
	bool common = own->covariance == TLV_COVARIANCE_COMMON, floored;

	TLV_TRY(is_at_floor(ctx, walk, j, &floored));
	TLV_TRY(add_means(ctx, walk, j, empty));
	if (own->covariance == TLV_COVARIANCE_FULL)
		TLV_TRY(add_covariances(ctx, walk, j, empty || floored));
	else if (!common || j + 1 == own->k)
		TLV_TRY(add_variances(ctx, walk, j, (empty && !common) || floored));
	if (own->degrees == NULL)
		return TLV_OK;
	return add_estimate(ctx, walk, true,
						(tlv_estimate){.part = TLV_ESTIMATE_HIDDEN,
									   .component = j + 1,
									   .estimate = own->degrees[j],
									   .fixed = empty || own->degrees[j] <= TLV_LEAST_DEGREES ||
												own->degrees[j] >= TLV_MOST_DEGREES});
}

tlv_status
tlv_gmm_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	tlv_mixture own;
	estimates_walk walk = {.mixture = &own,
						   .floor = tlv_frame_float64(model, "floor"),
						   .rows = tlv_frame_scalar(model, "rows", 0),
						   .names = tlv_dimension_names(model),
						   .list = list};

	tlv_gmm_read(model, &own);
	walk.whole = tlv_mixture_parameters(own.k, own.d, own.covariance, own.degrees != NULL) <
				 TLV_SCORES_MOST_BLOCK;
	TLV_TRY(add_weights(ctx, &walk));
	for (size_t j = 0; j < own.k; j++)
		TLV_TRY(add_component(ctx, &walk, j));
	return TLV_OK;
}

/* ---- the score of a row ---- */

/* The inverses of full covariances, packed, made once. */
static tlv_status
make_precisions(tlv_context *ctx, tlv_gmm_model *model)
{
	const tlv_mixture *own = &model->mixture;
	size_t d = own->d, packed = tlv_packed2_size(d);
	double *matrix, *inverse;

	TLV_TRY_NEW_ROWS(ctx, model->precisions, own->k, packed);
	TLV_TRY_NEW_ROWS(ctx, matrix, d, 2 * d);
	inverse = matrix + d * d;
	for (size_t j = 0; j < own->k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		tlv_packed2_unpack(d, own->variances + j * packed, matrix);
		memset(inverse, 0, d * d * sizeof(double));
		for (size_t i = 0; i < d; i++)
			inverse[i * d + i] = 1;
		TLV_TRY(tlv_solve_spd(ctx, d, d, matrix, inverse));
		tlv_packed2_pack(d, inverse, model->precisions + j * packed);
	}
	tlv_free(ctx, matrix);
	return TLV_OK;
}

/* u = S_j^-1 (x - mu_j); returns (x - mu_j)' u.  work: d. */
static double
solve_row(const tlv_gmm_model *model, size_t j, double *u, double *work)
{
	const tlv_mixture *own = &model->mixture;
	size_t d = own->d, each = tlv_mixture_variances(d, own->covariance);
	const double *variances = own->variances + j * each;
	const double *packed = model->precisions + j * tlv_packed2_size(d);
	double distance = 0;

	for (size_t i = 0; i < d; i++)
	{
		work[i] = model->row[i] + model->worker.center[i] - own->means[j * d + i];
		u[i] = own->covariance == TLV_COVARIANCE_FULL ? 0 : work[i] / variances[each == d ? i : 0];
	}
	for (size_t a = 0; own->covariance == TLV_COVARIANCE_FULL && a < d; a++)
		for (size_t b = 0; b <= a; b++, packed++)
		{
			u[a] += *packed * work[b];
			if (a != b)
				u[b] += *packed * work[a];
		}
	for (size_t i = 0; i < d; i++)
		distance += u[i] * work[i];
	return distance;
}

/* Of the variances of a component; returns how many these are.  h: expected precision. */
static size_t
score_variances(const tlv_gmm_model *model, size_t j, double share, double h, const double *u,
				double *scores)
{
	const tlv_mixture *own = &model->mixture;
	size_t d = own->d, n = 0;
	double variance = own->variances[j], sum = 0;

	if (own->covariance == TLV_COVARIANCE_FULL)
	{
		const double *packed = model->precisions + j * tlv_packed2_size(d);

		for (size_t a = 0; a < d; a++)
			for (size_t b = 0; b <= a; b++, n++)
				scores[n] = share * (h * u[a] * u[b] - packed[n]) * (a == b ? 0.5 : 1);
		return n;
	}
	if (own->covariance == TLV_COVARIANCE_DIAGONAL)
	{
		for (size_t i = 0; i < d; i++)
			scores[i] = share / 2 * (h * u[i] * u[i] - 1 / own->variances[j * d + i]);
		return d;
	}
	for (size_t i = 0; i < d; i++)
		sum += u[i] * u[i];
	scores[0] = share / 2 * (h * sum - (double) d / variance);
	return 1;
}

/* Of the degrees of freedom nu at that distance. */
static double
score_degrees(double nu, double d, double distance)
{
	double ratio = distance / nu;

	return 0.5 * (tlv_digamma((nu + d) / 2) - tlv_digamma(nu / 2) - d / nu - log1p(ratio) +
				  (nu + d) * ratio / (nu * (1 + ratio)));
}

tlv_status
tlv_gmm_score(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *scores,
			  double *counts)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	const tlv_mixture *own = &gmm->mixture;
	size_t d = own->d, at = own->k, common = 0;
	double spread = 0, *u;

	TLV_TRY(tlv_gmm_row(ctx, gmm, row->part[0].d, row->part[0].float64, gmm->row));
	TLV_TRY(tlv_mixture_expect(ctx, &gmm->worker, 1, gmm->row, NULL));
	if (gmm->work == NULL)
		TLV_TRY_NEW(ctx, gmm->work, 2 * d);
	if (own->covariance == TLV_COVARIANCE_FULL && gmm->precisions == NULL)
		TLV_TRY(make_precisions(ctx, gmm));
	u = gmm->work + d;
	for (size_t j = 0; j < own->k; j++)
	{
		double share = gmm->worker.shares[j * TLV_MIXTURE_BLOCK], h = 1, distance, one;

		scores[j] = share - own->weights[j];
		counts[j] += 1;
		distance = solve_row(gmm, j, u, gmm->work);
		if (own->degrees != NULL)
			h = (own->degrees[j] + (double) d) / (own->degrees[j] + distance);
		for (size_t i = 0; i < d; i++)
			scores[at++] = share * h * u[i];
		if (own->covariance != TLV_COVARIANCE_COMMON)
			at += score_variances(gmm, j, share, h, u, scores + at);
		else
		{
			score_variances(gmm, j, share, h, u, &one);
			spread += one;
			common = at++;
			at -= j + 1 < own->k;
		}
		if (own->degrees != NULL)
			scores[at++] = share * score_degrees(own->degrees[j], (double) d, distance);
	}
	if (own->covariance == TLV_COVARIANCE_COMMON)
		scores[common] = spread;
	return TLV_OK;
}
