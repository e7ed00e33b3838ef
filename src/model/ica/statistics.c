/*
 * statistics.c - sums over the rows for one step towards the most non-Gaussian or the most
 * likely components, with g = tanh of the outputs y = U (x - m), and the model after it.
 *
 * The stored value (kind component_statistics): scalars "rows", "nulls"; the
 * model's fingerprint "model"; "responses" (k x k, sum of y g(y)'), "slopes" (k, sum of
 * g'(y) = 1 - g(y)^2), "curvatures" (k x k, sum of g'(y) (y^2)'), "powers" (k x 4, sums of
 * y, y^2, y^3, y^4), and "products" (sum of y y'), which are k x k for steps of the likelihood and
 * of no size for the others.
 */
#include <math.h>
#include <string.h>

#include "tensorlv/num/fast_math.h"
#include "internal.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* The sizes: components, and as many again, or none, of the products. */
#define SIZE_K		  TLV_SIZE_1
#define SIZE_PRODUCTS TLV_SIZE_2

typedef struct statistics_state
{
	tlv_declared declared;
	tlv_ica_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t k; /* of the model */
	double rows;
	double *responses;	/* k x k */
	double *curvatures; /* k x k */
	double *products;	/* k x k, or of no size */
	bool likelihood;	/* they are wanted */
	double *slopes;		/* k */
	double *powers;		/* k x 4 */
	double *block;		/* d x TLV_BLOCK_ROWS rows that wait */
	double *outputs;	/* k x TLV_BLOCK_ROWS: y, g(y), g'(y), y^2 */
	size_t waiting;
} statistics_state;

/* g = tanh(y), its slope and y^2 of n rows of k outputs, and their sums. */
TLV_CLONES static void
add_outputs(size_t k, size_t n, const double *restrict y, double *restrict g,
			double *restrict slope, double *restrict square, double *restrict slopes,
			double *restrict powers)
{
	double *restrict first = powers, *restrict second = powers + k;
	double *restrict third = powers + 2 * k, *restrict fourth = powers + 3 * k;

	for (size_t i = 0; i < n * k; i++)
	{
		double e = tlv_exp_nonpositive(-2 * fabs(y[i])), t = (1 - e) / (1 + e);

		g[i] = copysign(t, y[i]);
		slope[i] = 1 - t * t;
		square[i] = y[i] * y[i];
	}
	for (size_t row = 0; row < n; row++, y += k, slope += k, square += k)
		for (size_t j = 0; j < k; j++)
		{
			slopes[j] += slope[j];
			first[j] += y[j];
			second[j] += square[j];
			third[j] += square[j] * y[j];
			fourth[j] += square[j] * square[j];
		}
}

static tlv_status
components_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;
	size_t k = state->k, n = state->waiting;
	double *y = state->outputs, *g, *slope, *square;

	if (n == 0)
		return TLV_OK;
	g = y + k * TLV_BLOCK_ROWS;
	slope = g + k * TLV_BLOCK_ROWS;
	square = slope + k * TLV_BLOCK_ROWS;
	state->waiting = 0;
	TLV_TRY(tlv_gemm(ctx, false, false, k, n, state->model->d, 1, state->model->unmixing, k,
					 state->block, state->model->d, 0, y, k));
	add_outputs(k, n, y, g, slope, square, state->slopes, state->powers);
	state->rows += (double) n;
	TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, slope, k, square, k, 1, state->curvatures, k));
	if (state->likelihood)
		TLV_TRY(tlv_gemm(ctx, false, true, k, k, n, 1, y, k, y, k, 1, state->products, k));
	return tlv_gemm(ctx, false, true, k, k, n, 1, y, k, g, k, 1, state->responses, k);
}

static tlv_status
ica_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (state->block == NULL)
	{
		TLV_TRY_NEW(ctx, state->block, (state->model->d + 4 * state->k) * TLV_BLOCK_ROWS);
		state->outputs = state->block + state->model->d * TLV_BLOCK_ROWS;
	}
	TLV_TRY(tlv_ica_center(ctx, state->model, row->part[0].d, row->part[0].float64,
						   state->block + state->waiting * state->model->d));
	return ++state->waiting == TLV_BLOCK_ROWS ? components_flush(ctx, accumulator) : TLV_OK;
}

tlv_status
tlv_ica_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_ica_model *ica = (tlv_ica_model *) model;
	bool likelihood = method != NULL && strcmp(method, "likelihood") == 0;
	const size_t sizes[TLV_SIZES] = {ica->k, likelihood ? ica->k : 0};
	statistics_state *state;

	if (method != NULL && !likelihood && strcmp(method, "tanh") != 0 && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'tanh' or 'likelihood'.");
	}
	if (ica->noise)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "a model fitted to noise has no refinement over the rows");
		return tlv_fail_hint(ctx, "The steps would fit the noise; fit with noise => false.");
	}
	TLV_TRY(
		tlv_sections_create(ctx, tlv_kind_component_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = ica;
	state->fingerprint = model->frame.header->digest;
	state->k = ica->k;
	state->likelihood = likelihood;
	return TLV_OK;
}

/* Products are of all components, or there are none. */
static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	(void) frame;
	if (sizes[1] != 0 && sizes[1] != sizes[0])
		return tlv_fail(ctx, TLV_CORRUPT, "products of %zu components, not %zu", sizes[1],
						sizes[0]);
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"slopes", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_SUM, AT(slopes)},
	{"powers", TLV_FLOAT64, SIZE_K, TLV_FOUR, TLV_ANY, TLV_SUM, AT(powers)},
	{"responses", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_SUM, AT(responses)},
	{"curvatures", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_ANY, TLV_SUM, AT(curvatures)},
	{"products", TLV_FLOAT64, SIZE_PRODUCTS, SIZE_PRODUCTS, TLV_ANY, TLV_SUM, AT(products)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_COMPONENT_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1},
	.most = {4000, 4000},
	.flush = components_flush,
	.check_more = statistics_check,
};

static const tlv_accumulator_class statistics_class = {.name = "component_statistics",
													   TLV_DECLARED(&statistics_sections),
													   .rows = TLV_ROW_VECTOR,
													   .add = ica_statistics_add};

const tlv_kind tlv_kind_component_statistics = {
	TLV_KIND_LINE(COMPONENT_STATISTICS, component_statistics), .accumulator = &statistics_class};

/* Excess kurtosis of every output from its sums of powers. */
static void
output_kurtosis(size_t k, double rows, const double *powers, double *kurtosis)
{
	for (size_t j = 0; j < k; j++)
	{
		double m = powers[j] / rows, s2 = powers[j + k] / rows, s3 = powers[j + 2 * k] / rows;
		double variance = s2 - m * m;
		double fourth = powers[j + 3 * k] / rows - 4 * m * s3 + 6 * m * m * s2 - 3 * m * m * m * m;

		kurtosis[j] = variance > 0 ? fourth / (variance * variance) - 3 : 0;
	}
}

static tlv_status
ica_check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
					 size_t k)
{
	if (statistics->header->kind != TLV_KIND_COMPONENT_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "components");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	return tlv_frame_require(ctx, statistics, "slopes", TLV_FLOAT64, k, 1, NULL);
}

/* The diagnostics of the model but those that the step renews. */
static tlv_status
renew_diagnostics(tlv_context *ctx, const tlv_frame *model, const tlv_ica_parts *parts)
{
	static const char *const renewed[] = {"kurtosis_", "standard_error", "refinement_steps",
										  "change"};
	tlv_diagnostics_walk walk = tlv_diagnostics_of(model);
	tlv_warnings_walk warned = tlv_warnings_of(model);

	while (tlv_diagnostics_next(&walk))
	{
		bool keep = true;

		for (size_t j = 0; j < sizeof(renewed) / sizeof(renewed[0]); j++)
			keep = keep && strncmp(walk.name, renewed[j], strlen(renewed[j])) != 0;
		if (keep)
			TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, walk.value, "%s", walk.name));
	}
	while (tlv_warnings_next(&warned))
		if (strcmp(warned.warning.code, "not_identified") != 0)
			TLV_TRY(
				tlv_warn(ctx, parts->diagnostics, &warned.warning, "%s", warned.warning.message));
	TLV_TRY(tlv_warnings_permute(ctx, parts->diagnostics, parts->k, parts->order));
	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, parts->steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, parts->change, "change"));
	return tlv_ica_diagnose(ctx, parts);
}

/* Sums near the largest double give a step that is not finite. */
static tlv_status
ica_require_finite(tlv_context *ctx, const tlv_ica_parts *parts)
{
	size_t size = parts->d * parts->k;
	double sum = 0 * parts->change;

	for (size_t i = 0; i < size; i++)
		sum += 0 * (parts->mixing[i] + parts->unmixing[i]);
	for (size_t j = 0; j < parts->k; j++)
		sum += 0 * parts->kurtosis[j];
	if (sum != 0) /* infinity or NaN times zero */
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the outputs of the rows are too large for a step");
		return tlv_fail_hint(ctx, "Choose units in which the numbers are nearer to 1.");
	}
	return TLV_OK;
}

/* The part `weight` of the way from no step to this one, and its inverse. */
static tlv_status
shorten_step(tlv_context *ctx, const tlv_ica_means *means, double weight, double *forth,
			 double *back)
{
	size_t k = means->k, rank;

	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < k; i++)
			forth[i + j * k] = weight * forth[i + j * k] + (i == j ? 1 - weight : 0);
	if (means->products == NULL)
		TLV_TRY(tlv_polar(ctx, k, forth));
	TLV_TRY(tlv_pseudo_inverse(ctx, k, k, forth, 1e-12, back, &rank));
	if (rank == k)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "the outputs of the rows depend on each other");
	return tlv_fail_hint(ctx, "Use a smaller k.");
}

/* ---- a step ---- */

/* A fixed-point step is taken while Newton's would turn farther, radians; and its least curvature.
 */
#define NEWTON_REACH	0.3
#define LEAST_CURVATURE 0.01
/* The largest entry of a step of the likelihood, and the least eigenvalue of a pair's Hessian: with
 * .01 a few fits in a hundred jump to and fro, with .3 steps are twice as many. */
#define LIKELIHOOD_REACH	 0.3
#define LIKELIHOOD_CURVATURE 0.1

/*
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

	out.variance = fmax(m->products[j * (m->k + 1)] / m->rows, TLV_TINY);
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
	vij = sqrt(fmax(b * b * vij - 2 * b + vji, TLV_TINY)) / determinant;
	vji =
		sqrt(fmax(a * a * (dj.square * di.variance) - 2 * a + di.square * dj.variance, TLV_TINY)) /
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

/*
 * One step from outputs y: forth (k x k) y are the next ones, of variance 1, and back is its
 * inverse; *change is the largest move of two components, in standard errors of sampling.  Sources:
 * see there.  Errors: TLV_BAD_DATA for outputs that depend on each other, memory, TLV_CANCELLED.
 */
static tlv_status
ica_step(tlv_context *ctx, const tlv_ica_means *means, double *forth, double *back, double *change)
{
	if (means->products != NULL)
		return likelihood_step(ctx, means, forth, back, change);
	return orthogonal_step(ctx, means, forth, back, change);
}

tlv_status
tlv_ica_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			   const tlv_step *step, void **image, size_t *size)
{
	const tlv_section *mixing = tlv_frame_find(model, "mixing");
	size_t d = mixing->rows, k = mixing->columns;
	const tlv_name_list columns = tlv_dimension_names(model);
	const tlv_names names = {.n = d, .offsets = columns.offsets, .text = columns.bytes};
	tlv_diagnostics diagnostics = {0};
	tlv_ica_parts parts = {.d = d, .k = k, .names = &names};
	tlv_ica_means means = {.k = k};
	double *r, *back;
	int64_t *order;

	TLV_TRY(ica_check_statistics(ctx, model, statistics, k));
	means.rows = tlv_frame_scalar(statistics, "rows", 0);
	means.responses = tlv_frame_float64(statistics, "responses");
	means.curvatures = tlv_frame_float64(statistics, "curvatures");
	means.slopes = tlv_frame_float64(statistics, "slopes");
	if (tlv_frame_find(statistics, "products")->rows > 0)
		means.products = tlv_frame_float64(statistics, "products");
	TLV_TRY_NEW(ctx, r, 2 * k * k + 2 * d * k + k);
	back = r + k * k;
	parts.mixing = back + k * k;
	parts.unmixing = parts.mixing + d * k;
	parts.kurtosis = parts.unmixing + d * k;
	parts.rows = means.rows;
	parts.noise = tlv_frame_scalar(model, "noise", 0);
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	parts.steps = tlv_frame_scalar(model, "steps", 0) + 1;
	parts.mean = tlv_frame_float64(model, "mean");
	parts.diagnostics = &diagnostics;
	TLV_TRY(ica_step(ctx, &means, r, back, &parts.change));
	output_kurtosis(k, parts.rows, tlv_frame_float64(statistics, "powers"), parts.kurtosis);
	if (step->weight < 1)
		TLV_TRY(shorten_step(ctx, &means, step->weight, r, back));
	for (size_t j = 0; j < k; j++)
		parts.kurtosis[j] = step->weight * parts.kurtosis[j] +
							(1 - step->weight) * tlv_frame_float64(model, "kurtosis")[j];
	TLV_TRY_NEW(ctx, order, k);
	parts.order = order;
	TLV_TRY(tlv_gemm(ctx, false, false, d, k, k, 1, tlv_section_data(model, mixing), d, back, k, 0,
					 parts.mixing, d));
	TLV_TRY(tlv_gemm(ctx, false, false, k, d, k, 1, r, k, tlv_frame_float64(model, "unmixing"), k,
					 0, parts.unmixing, k));
	TLV_TRY(ica_require_finite(ctx, &parts));
	TLV_TRY(tlv_ica_order(ctx, &parts));
	if (step->order != NULL)
		memcpy(step->order, order, k * sizeof(int64_t));
	TLV_TRY(renew_diagnostics(ctx, model, &parts));
	TLV_TRY(tlv_ica_write(ctx, &parts, image, size));
	tlv_free(ctx, order);
	tlv_free(ctx, r);
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}
