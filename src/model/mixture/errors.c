/*
 * errors.c - estimates of components that are Gaussians or t distributions, and their part of the
 * score of a row (errors.h).
 *
 * With r_j the share of a row, u_j = S_j^-1 (x - mu_j) and h_j its expected precision (1 of
 * Gaussians), the score of mu_j is r_j h_j u_j, of S_j r_j (h_j u_j u_j' - S_j^-1) / 2 (Fisher's
 * identity).
 *
 * Many parameters are divided: components are told apart by the weights alone then, means from
 * covariances, and coordinates of diagonal covariances from each other.
 */
#include <math.h>
#include <string.h>

#include "worker.h"

#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- estimates ---- */

/* Of the standard error: rows of the component less those that determine a covariance. */
static double
degrees_of_error(const tlv_mixture *own, size_t component, double rows)
{
	const double least = 2;

	if (component > 0 && !tlv_is_shared(own->covariance))
		rows *= own->weights[component - 1];
	return fmax(rows - (double) (tlv_is_matrix(own->covariance) ? own->d + 1 : 2), least);
}

tlv_status
mixture_add_estimate(tlv_context *ctx, tlv_mixture_listing *listing, bool apart,
					 tlv_estimate estimate)
{
	const tlv_mixture *own = listing->mixture;

	if (apart && !listing->whole)
		listing->block++;
	estimate.block = listing->block;
	estimate.penalised = listing->penalised;
	if (listing->student && listing->rows > 0)
		estimate.degrees = degrees_of_error(own, estimate.component, listing->rows);
	return tlv_estimates_add(ctx, listing->list, &estimate);
}

tlv_status
tlv_mixture_list_weights(tlv_context *ctx, tlv_mixture_listing *listing)
{
	const tlv_mixture *own = listing->mixture;

	bool many = own->k > TLV_SCORES_MOST_BLOCK; /* of which none has a standard error */

	for (size_t j = 0; j < own->k; j++)
		TLV_TRY(mixture_add_estimate(
			ctx, listing, many && j > 0,
			(tlv_estimate){.part = TLV_ESTIMATE_WEIGHT,
						   .component = j + 1,
						   .estimate = own->weights[j],
						   .group = 1,
						   .fixed = many || own->k == 1 || own->weights[j] == 0}));
	return TLV_OK;
}

/* Means of a full covariance that a block does not hold. */
static bool
is_too_wide(const tlv_mixture_listing *listing)
{
	return !listing->whole && listing->mixture->d > TLV_SCORES_MOST_BLOCK &&
		   tlv_is_matrix(listing->mixture->covariance);
}

/* What dimension i is called: by its name, or by its view and its number there. */
static void
name_dimension(const tlv_mixture_listing *listing, size_t i, tlv_estimate *estimate)
{
	size_t view = 0;

	estimate->name[0] = tlv_name_at(&listing->names, i);
	estimate->item = (int64_t) i + 1;
	estimate->has_item = true;
	if (listing->views == NULL || estimate->name[0].bytes != NULL)
		return;
	while (i >= listing->views[view])
		i -= listing->views[view++];
	estimate->number[0] = (int64_t) view + 1;
	estimate->number[1] = (int64_t) i + 1;
	estimate->between = ".";
}

static tlv_status
mixture_add_means(tlv_context *ctx, tlv_mixture_listing *listing, size_t j, bool fixed)
{
	const tlv_mixture *own = listing->mixture;
	bool full = tlv_is_matrix(own->covariance);

	for (size_t i = 0; i < own->d; i++)
	{
		tlv_estimate estimate = {.part = TLV_ESTIMATE_MEAN,
								 .component = j + 1,
								 .estimate = own->means[j * own->d + i],
								 .fixed = fixed || listing->fixed_means || is_too_wide(listing)};

		name_dimension(listing, i, &estimate);
		TLV_TRY(mixture_add_estimate(ctx, listing, i == 0 || !full, estimate));
	}
	return TLV_OK;
}

/* Of a full covariance the lower triangle by rows, as it is stored. */
static tlv_status
add_covariances(tlv_context *ctx, tlv_mixture_listing *listing, size_t j, bool fixed)
{
	const tlv_mixture *own = listing->mixture;
	const double *packed = own->variances + j * tlv_packed2_size(own->d);

	for (size_t a = 0; a < own->d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			tlv_estimate estimate = {
				.part = a == b ? TLV_ESTIMATE_VARIANCE : TLV_ESTIMATE_COVARIANCE,
				.component = tlv_is_shared(own->covariance) ? 0 : j + 1,
				.has_item = true,
				.item = (int64_t) (a == b ? a + 1 : a * own->d + b + 1),
				.name = {tlv_name_at(&listing->names, a), tlv_name_at(&listing->names, b)},
				.number = {(int64_t) a + 1, (int64_t) b + 1},
				.between = a == b ? NULL : ", ",
				.estimate = packed[tlv_packed2_index(a, b)],
				.fixed = fixed || !listing->whole};

			TLV_TRY(mixture_add_estimate(ctx, listing, true, estimate));
		}
	return TLV_OK;
}

static tlv_status
add_variances(tlv_context *ctx, tlv_mixture_listing *listing, size_t j, bool fixed)
{
	const tlv_mixture *own = listing->mixture;
	bool diagonal = own->covariance == TLV_COVARIANCE_DIAGONAL;
	size_t each = diagonal ? own->d : 1;

	for (size_t i = 0; i < each; i++)
	{
		tlv_estimate estimate = {.part = TLV_ESTIMATE_VARIANCE,
								 .component = tlv_is_shared(own->covariance) ? 0 : j + 1,
								 .estimate = own->variances[j * each + i],
								 .fixed = fixed};

		if (diagonal)
			name_dimension(listing, i, &estimate);
		TLV_TRY(mixture_add_estimate(ctx, listing, true, estimate));
	}
	return TLV_OK;
}

/* Is a component's variance kept where it is by the floor? */
static tlv_status
is_at_floor(tlv_context *ctx, const tlv_mixture_listing *listing, size_t j, bool *found)
{
	tlv_mixture one = *listing->mixture;
	size_t n;

	*found = false;
	if (listing->floor == NULL)
		return TLV_OK;
	one.variances += j * tlv_mixture_variances(one.d, one.covariance);
	one.k = 1;
	TLV_TRY(tlv_mixture_at_floor(ctx, &one, listing->floor, &n));
	*found = n > 0;
	return TLV_OK;
}

static tlv_status
add_component(tlv_context *ctx, tlv_mixture_listing *listing, size_t j)
{
	const tlv_mixture *own = listing->mixture;
	bool empty = own->weights[j] == 0 || (listing->rows > 0 && own->weights[j] * listing->rows < 1);
	bool common = tlv_is_shared(own->covariance), floored;

	TLV_TRY(is_at_floor(ctx, listing, j, &floored));
	TLV_TRY(mixture_add_means(ctx, listing, j, empty));
	if (!common || j + 1 == own->k)
		TLV_TRY((tlv_is_matrix(own->covariance) ? add_covariances : add_variances)(
			ctx, listing, j, (empty && !common) || floored));
	if (own->degrees == NULL)
		return TLV_OK;
	return mixture_add_estimate(ctx, listing, true,
								(tlv_estimate){.part = TLV_ESTIMATE_HIDDEN,
											   .component = j + 1,
											   .estimate = own->degrees[j],
											   .fixed = empty ||
														own->degrees[j] <= TLV_LEAST_DEGREES ||
														own->degrees[j] >= TLV_MOST_DEGREES});
}

tlv_status
tlv_mixture_list_components(tlv_context *ctx, tlv_mixture_listing *listing)
{
	bool directed = listing->mixture->covariance == TLV_COVARIANCE_DIRECTION;

	for (size_t j = 0; j < listing->mixture->k; j++)
		TLV_TRY((directed ? mixture_list_direction : add_component)(ctx, listing, j));
	return TLV_OK;
}

/* ---- the score of a row ---- */

/* The inverses of full covariances, packed, made once. */
static tlv_status
make_precisions(tlv_context *ctx, tlv_mixture_scorer *scorer)
{
	const tlv_mixture *own = scorer->mixture;
	size_t d = own->d, packed = tlv_packed2_size(d);
	double *matrix, *inverse;

	TLV_TRY_NEW_ROWS(ctx, scorer->precisions, own->k, packed);
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
		tlv_packed2_pack(d, inverse, scorer->precisions + j * packed);
	}
	tlv_free(ctx, matrix);
	return TLV_OK;
}

/* u = S_j^-1 (x - mu_j); returns (x - mu_j)' u.  work: d. */
static double
solve_row(const tlv_mixture_scorer *scorer, size_t j, const double *x, double *u, double *work)
{
	const tlv_mixture *own = scorer->mixture;
	size_t d = own->d, each = tlv_mixture_variances(d, own->covariance);
	const double *variances = own->variances + j * each;
	const double *packed =
		scorer->precisions == NULL ? NULL : scorer->precisions + j * tlv_packed2_size(d);
	double distance = 0;

	for (size_t i = 0; i < d; i++)
	{
		work[i] = x[i] - own->means[j * d + i];
		u[i] = tlv_is_matrix(own->covariance) ? 0 : work[i] / variances[each == d ? i : 0];
	}
	for (size_t a = 0; packed != NULL && a < d; a++)
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

/* Adds that of the variances of a component.  h: expected precision. */
static void
score_variances(const tlv_mixture_scorer *scorer, size_t j, double share, double h, const double *u,
				double *scores)
{
	const tlv_mixture *own = scorer->mixture;
	size_t d = own->d, n = 0;
	double variance = own->variances[j], sum = 0;

	if (tlv_is_matrix(own->covariance))
	{
		const double *packed = scorer->precisions + j * tlv_packed2_size(d);

		for (size_t a = 0; a < d; a++)
			for (size_t b = 0; b <= a; b++, n++)
				scores[n] += share * (h * u[a] * u[b] - packed[n]) * (a == b ? 0.5 : 1);
		return;
	}
	if (own->covariance == TLV_COVARIANCE_DIAGONAL)
	{
		for (size_t i = 0; i < d; i++)
			scores[i] += share / 2 * (h * u[i] * u[i] - 1 / own->variances[j * d + i]);
		return;
	}
	for (size_t i = 0; i < d; i++)
		sum += u[i] * u[i];
	scores[0] += share / 2 * (h * sum - (double) d / variance);
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
tlv_mixture_scorer_open(tlv_context *ctx, const tlv_mixture *mixture, tlv_mixture_scorer *scorer)
{
	*scorer = (tlv_mixture_scorer){.mixture = mixture};
	TLV_TRY_NEW(ctx, scorer->work, 2 * mixture->d);
	return tlv_is_matrix(mixture->covariance) ? make_precisions(ctx, scorer) : TLV_OK;
}

void
tlv_mixture_score(const tlv_mixture_scorer *scorer, size_t j, double share, const double *x,
				  double *scores)
{
	const tlv_mixture *own = scorer->mixture;
	bool common = tlv_is_shared(own->covariance), tails = own->degrees != NULL;
	size_t d = own->d, last = own->k - 1, each = tlv_mixture_variances(d, own->covariance);
	size_t first = j * (d + (common ? 0 : each) + tails);
	double *u = scorer->work + d, distance, h = 1;

	if (own->covariance == TLV_COVARIANCE_DIRECTION)
	{
		mixture_score_direction(own, j, share, x, scores + first);
		return;
	}
	distance = solve_row(scorer, j, x, u, scorer->work);
	if (tails)
		h = (own->degrees[j] + (double) d) / (own->degrees[j] + distance);
	for (size_t i = 0; i < d; i++)
		scores[first + i] += share * h * u[i];
	score_variances(scorer, j, share, h, u, scores + (common ? last * (d + tails) : first) + d);
	if (tails)
		scores[first + d + (common && j != last ? 0 : each)] +=
			share * score_degrees(own->degrees[j], (double) d, distance);
}

/* ---- other values of the estimates ---- */

/* Largest factor of a variance, as a logarithm. */
#define MIXTURE_MOST_LOGARITHM 4.0

static double
bounded_exp(double x)
{
	return exp(fmin(fmax(x, -MIXTURE_MOST_LOGARITHM), MIXTURE_MOST_LOGARITHM));
}

/* d x d from its packed lower triangle, less another. */
static void
unpack_difference(size_t d, const double *packed, const double *minus, double *matrix)
{
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
		{
			size_t at = tlv_packed2_index(a, b);
			double value = packed[at] - (minus == NULL ? 0 : minus[at]);

			matrix[b * d + a] = matrix[a * d + b] = value;
		}
}

/* matrix, symmetric, becomes L^-1 matrix L'^-1. */
static tlv_status
mixture_whiten(tlv_context *ctx, size_t d, const double *factor, double *matrix)
{
	TLV_TRY(tlv_solve_triangle(ctx, false, d, d, factor, matrix));
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b < a; b++)
		{
			double kept = matrix[b * d + a];

			matrix[b * d + a] = matrix[a * d + b];
			matrix[a * d + b] = kept;
		}
	return tlv_solve_triangle(ctx, false, d, d, factor, matrix);
}

/* One covariance, packed. */
static tlv_status
redraw_covariance(tlv_context *ctx, size_t d, const double *values, double *packed)
{
	double *factor, *matrix, *product, *eigenvalues;

	TLV_TRY_CONTINUE(ctx);
	if (memcmp(values, packed, tlv_packed2_size(d) * sizeof(double)) == 0)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, factor, d, 3 * d + 1);
	matrix = factor + d * d;
	product = matrix + d * d;
	eigenvalues = product + d * d;
	unpack_difference(d, packed, NULL, factor);
	TLV_TRY(tlv_cholesky(ctx, d, factor));
	for (size_t b = 1; b < d; b++)
		memset(factor + b * d, 0, b * sizeof(double));
	unpack_difference(d, values, packed, matrix);
	TLV_TRY(mixture_whiten(ctx, d, factor, matrix));
	TLV_TRY(tlv_eigen_symmetric(ctx, d, matrix, eigenvalues));
	TLV_TRY(tlv_gemm(ctx, false, false, d, d, d, 1, factor, d, matrix, d, 0, product, d));
	for (size_t c = 0; c < d; c++)
		for (size_t r = 0; r < d; r++)
			product[c * d + r] *= sqrt(bounded_exp(eigenvalues[c]));
	TLV_TRY(tlv_syrk(ctx, false, d, d, 1, product, d, 0, matrix, d, false));
	for (size_t a = 0; a < d; a++)
		for (size_t b = 0; b <= a; b++)
			packed[tlv_packed2_index(a, b)] = matrix[b * d + a];
	tlv_free(ctx, factor);
	return TLV_OK;
}

static double
redraw_degrees(double value, double own)
{
	return fmin(fmax(own * bounded_exp(value / own - 1), TLV_LEAST_DEGREES), TLV_MOST_DEGREES);
}

tlv_status
tlv_mixture_redraw(tlv_context *ctx, const double *values, tlv_mixture *mixture)
{
	size_t d = mixture->d, each = tlv_mixture_variances(d, mixture->covariance);
	bool common = tlv_is_shared(mixture->covariance);

	for (size_t j = 0; j < mixture->k; j++)
	{
		double *own = mixture->variances + j * each;

		if (mixture->covariance == TLV_COVARIANCE_DIRECTION)
		{
			mixture_redraw_direction(mixture, j, values);
			values += d + 1;
			continue;
		}
		memcpy(mixture->means + j * d, values, d * sizeof(double));
		values += d;
		if ((!common || j + 1 == mixture->k) && tlv_is_matrix(mixture->covariance))
			TLV_TRY(redraw_covariance(ctx, d, values, own));
		else if (!common || j + 1 == mixture->k)
			for (size_t i = 0; i < each; i++)
				own[i] *= bounded_exp(values[i] / own[i] - 1);
		values += common && j + 1 < mixture->k ? 0 : each;
		if (mixture->degrees != NULL)
			mixture->degrees[j] = redraw_degrees(*values++, mixture->degrees[j]);
	}
	for (size_t j = 0; common && j + 1 < mixture->k; j++)
		memcpy(mixture->variances + j * each, mixture->variances + (mixture->k - 1) * each,
			   each * sizeof(double));
	return TLV_OK;
}
