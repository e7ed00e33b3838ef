/*
 * step.c - from the means of a pass to the step of a refinement (internal.h).
 *
 * Orthogonal steps (FastICA; Hyvarinen 1999): with outputs y of variance 1 the symmetric
 * fixed-point step V <- polar(E[z g(V'z)'] - V diag(E[g'])) of whitened rows z is, in the
 * coordinates of y, the rotation R = polar(E[y g(y)'] - diag(E[g'(y)])): so U <- R'U, A <- A R, and
 * nothing else is needed.
 *
 * Where components are not quite independent it creeps.  Once it turns little, the turn of a pair
 * is Newton's, with what the rows say about the curvature (Ablin, Cardoso, Gramfort 2018): for
 * s_j = sign(E[g'(y_j)] - E[y_j g_j]) the sum of s_j E[log cosh y_j] is least where
 * D_ij = s_j E[y_i g_j] - s_i E[y_j g_i] vanishes, and its second derivative by the angle is
 * s_i (E[g'_i y_j^2] - E[y_i g_i]) + s_j (E[g'_j y_i^2] - E[y_j g_j]).  Both steps stand at the
 * same points.
 *
 * Steps of the likelihood (Picard in its extended form, of the same authors) leave the covariance
 * of the outputs free.  The density of y_j is proportional to exp(-s_j log cosh y_j - m_j y_j^2 /
 * 2): heavy tails for s_j = 1, light ones for -1, and m_j such that the variance of y_j is what it
 * is. With psi_j = s_j g + m_j y the gradient of the step y <- (I + E) y is E[psi_i y_j], the
 * Hessian of the pair (E_ij, E_ji) is h_ij = E[psi'_i y_j^2] and h_ji with 1 beside the diagonal,
 * and the step is Newton's by pairs.
 */
#include <math.h>

#include "internal.h"
#include "tensorlv/num/linalg.h"

/* A fixed-point step is taken while Newton's would turn farther, radians; and its least curvature.
 */
#define NEWTON_REACH	0.3
#define LEAST_CURVATURE 0.01
/* The largest entry of a step of the likelihood, and the least eigenvalue of a pair's Hessian: with
 * .01 a few fits in a hundred jump to and fro, with .3 steps are twice as many. */
#define LIKELIHOOD_REACH	 0.3
#define LIKELIHOOD_CURVATURE 0.1

/* E[y_i g_j] */
static inline double
response(const tlv_ica_means *m, size_t i, size_t j)
{
	return m->responses[i + j * m->k] / m->rows;
}

/* E[g'_j] - E[y_j g_j]: 0 for Gaussian outputs, positive where large values are frequent. */
static inline double
source_gain(const tlv_ica_means *m, size_t j)
{
	return m->slopes[j] / m->rows - response(m, j, j);
}

/* ---- orthogonal steps ---- */

/* R = polar(E[y g'] - diag(E[g'])), columns signed so that it is near the identity. */
static tlv_status
ica_fixed_point(tlv_context *ctx, const tlv_ica_means *m, double *r)
{
	size_t k = m->k;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			r[i + j * k] = i == j ? -source_gain(m, j) : response(m, i, j);
	TLV_TRY(tlv_polar(ctx, k, r));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0, negative = r[j + j * k] < 0; i < k && negative; i++)
			r[i + j * k] = -r[i + j * k];
	return TLV_OK;
}

/* r = I + the antisymmetric matrix of Newton's angles; returns the largest. */
static double
newton_angles(const tlv_ica_means *m, double *r)
{
	size_t k = m->k;
	double largest = 0;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i <= j; i++)
		{
			double si = copysign(1, source_gain(m, i)), sj = copysign(1, source_gain(m, j));
			double slope = sj * response(m, i, j) - si * response(m, j, i);
			double curvature = si * (m->curvatures[i + j * k] / m->rows - response(m, i, i)) +
							   sj * (m->curvatures[j + i * k] / m->rows - response(m, j, j));
			double angle = i == j ? 0 : -slope / fmax(LEAST_CURVATURE, fabs(curvature));

			r[i + j * k] = angle;
			r[j + i * k] = i == j ? 1 : -angle;
			largest = fmax(largest, fabs(angle));
		}
	return largest;
}

/*
 * The largest turn of two components towards each other, in standard errors of such a turn
 * (symmetric fixed point: Tichavsky, Koldovsky, Oja 2006).  Two components that are nearly
 * Gaussian turn far and freely, which means nothing.
 */
static double
largest_turn(const tlv_ica_means *m, const double *r)
{
	double largest = 0;

	for (size_t j = 0; j < m->k; j++)
		for (size_t i = 0; i < m->k; i++)
		{
			double ri = response(m, i, i), rj = response(m, j, j), own = source_gain(m, j);
			double noise = 2 - (m->slopes[i] + m->slopes[j]) / m->rows - ri * ri - rj * rj;
			double error = sqrt(fmax(0, noise) + own * own) / (fabs(source_gain(m, i)) + fabs(own));

			if (i != j && error > 0)
				largest = fmax(largest, fabs(r[i + j * m->k]) / error);
		}
	return largest * sqrt(m->rows);
}

/* back = R, forth = R' */
static tlv_status
orthogonal_step(tlv_context *ctx, const tlv_ica_means *m, double *forth, double *back,
				double *change)
{
	size_t k = m->k;

	if (newton_angles(m, back) <= NEWTON_REACH)
		TLV_TRY(tlv_polar(ctx, k, back));
	else
		TLV_TRY(ica_fixed_point(ctx, m, back));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			forth[i + j * k] = back[j + i * k];
	*change = largest_turn(m, back);
	return TLV_OK;
}

/* ---- steps of the likelihood ---- */

/* The density of output j, as psi_j = sign g + share y. */
typedef struct output_density
{
	double sign;
	double share;
	double variance; /* E[y_j^2] */
	double square;	 /* E[psi_j^2] */
} output_density;

static output_density
density_of(const tlv_ica_means *m, size_t j)
{
	output_density out = {.sign = copysign(1, source_gain(m, j))};
	double own = response(m, j, j);

	out.variance = fmax(m->products[j * (m->k + 1)] / m->rows, 1e-300);
	out.share = (1 - out.sign * own) / out.variance;
	out.square = 1 - m->slopes[j] / m->rows + 2 * out.sign * out.share * own +
				 out.share * out.share * out.variance;
	return out;
}

/* E[psi_i y_j] */
static double
likelihood_gradient(const tlv_ica_means *m, output_density di, size_t i, size_t j)
{
	return di.sign * response(m, j, i) + di.share * m->products[i + j * m->k] / m->rows;
}

/* E[psi'_i y_j^2] */
static double
likelihood_curvature(const tlv_ica_means *m, output_density di, output_density dj, size_t i,
					 size_t j)
{
	return di.sign * m->curvatures[i + j * m->k] / m->rows + di.share * dj.variance;
}

/*
 * The entries (i, j) and (j, i) of the step; returns the larger one in standard errors of the
 * estimate, from the variance E[psi_i^2] E[y_j^2] of a gradient.
 */
static double
likelihood_pair(const tlv_ica_means *m, size_t i, size_t j, double *step)
{
	output_density di = density_of(m, i), dj = density_of(m, j);
	double gij = likelihood_gradient(m, di, i, j), gji = likelihood_gradient(m, dj, j, i);
	double a = likelihood_curvature(m, di, dj, i, j), b = likelihood_curvature(m, dj, di, j, i);
	double least = (a + b - sqrt((a - b) * (a - b) + 4)) / 2;
	double shift = fmax(0, LIKELIHOOD_CURVATURE - least), vij, vji, determinant;

	a += shift;
	b += shift;
	determinant = a * b - 1;
	vij = di.square * dj.variance;
	vji = dj.square * di.variance;
	step[i + j * m->k] = -(b * gij - gji) / determinant;
	step[j + i * m->k] = -(a * gji - gij) / determinant;
	vij = sqrt(fmax(b * b * vij - 2 * b + vji, 1e-300)) / determinant;
	vji = sqrt(fmax(a * a * (dj.square * di.variance) - 2 * a + di.square * dj.variance, 1e-300)) /
		  determinant;
	return fmax(fabs(step[i + j * m->k]) / vij, fabs(step[j + i * m->k]) / vji) * sqrt(m->rows);
}

/* forth = D (I + E), D such that variances are 1 after it; entries above the reach shrink all. */
static void
likelihood_scale(const tlv_ica_means *m, double *forth)
{
	size_t k = m->k;
	double largest = 0;

	for (size_t i = 0; i < k * k; i++)
		largest = fmax(largest, fabs(forth[i]));
	for (size_t i = 0; i < k * k && largest > LIKELIHOOD_REACH; i++)
		forth[i] *= LIKELIHOOD_REACH / largest;
	for (size_t i = 0; i < k; i++)
	{
		double variance = 0;

		forth[i * (k + 1)] = 1;
		for (size_t a = 0; a < k; a++)
			for (size_t b = 0; b < k; b++)
				variance += forth[i + a * k] * forth[i + b * k] * m->products[a + b * k] / m->rows;
		for (size_t j = 0; j < k && variance > 0; j++)
			forth[i + j * k] /= sqrt(variance);
	}
}

static tlv_status
likelihood_step(tlv_context *ctx, const tlv_ica_means *m, double *forth, double *back,
				double *change)
{
	size_t k = m->k, rank;

	*change = 0;
	for (size_t j = 0; j < k; j++)
	{
		TLV_TRY_CONTINUE(ctx);
		forth[j * (k + 1)] = 0;
		for (size_t i = 0; i < j; i++)
			*change = fmax(*change, likelihood_pair(m, i, j, forth));
	}
	likelihood_scale(m, forth);
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, forth, 1e-12, back, &rank));
	if (rank < k)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the outputs of the rows depend on each other");
		return tlv_fail_hint(ctx, "Use a smaller k.");
	}
	return TLV_OK;
}

tlv_status
tlv_ica_step(tlv_context *ctx, const tlv_ica_means *means, double *forth, double *back,
			 double *change)
{
	if (means->products != NULL)
		return likelihood_step(ctx, means, forth, back, change);
	return orthogonal_step(ctx, means, forth, back, change);
}
