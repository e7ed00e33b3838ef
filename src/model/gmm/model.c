/*
 * model.c - the stored forms of mixtures of Gaussians and of directions, and what they can do with
 * a row (gmm.h, model.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"

/* Sizes: dimensions, components, of Gaussians numbers of a component's variances. */
#define SIZE_D	  TLV_SIZE_1
#define SIZE_K	  TLV_SIZE_2
#define SIZE_EACH TLV_SIZE_3

/* What is stored; of directions d, k, rows, steps, seed, weights, means, variances. */
typedef struct gmm_stored
{
	size_t d, k, each;
	double covariance, rows, steps, seed;
	const double *weights;
	const double *means;
	const double *covariances; /* of full covariances, packed; or NULL */
	const double *variances;   /* of others; concentrations of directions; or NULL */
	const double *degrees;	   /* of t distributions; or NULL */
	const double *floor;
	const tlv_diagnostics *diagnostics;
} gmm_stored;

/* ---- writing ---- */

static void
swap(double *a, double *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		double value = a[i];

		a[i] = b[i];
		b[i] = value;
	}
}

/* k is small beside what components hold. */
void
gmm_sort_components(tlv_mixture *mixture, int64_t *order)
{
	size_t k = mixture->k, d = mixture->d;
	size_t variances = tlv_mixture_variances(d, mixture->covariance);

	for (size_t j = 0; j + 1 < k; j++)
	{
		size_t best = j;

		for (size_t i = j + 1; i < k; i++)
			best = mixture->weights[i] > mixture->weights[best] ? i : best;
		if (best == j)
			continue;
		if (order != NULL)
		{
			int64_t number = order[j];

			order[j] = order[best];
			order[best] = number;
		}
		swap(mixture->weights + j, mixture->weights + best, 1);
		swap(mixture->means + j * d, mixture->means + best * d, d);
		if (mixture->degrees != NULL)
			swap(mixture->degrees + j, mixture->degrees + best, 1);
		swap(mixture->variances + j * variances, mixture->variances + best * variances, variances);
	}
}

tlv_status
tlv_gmm_write(tlv_context *ctx, const tlv_gmm_parts *parts, void **image, size_t *size)
{
	tlv_mixture mixture = *parts->mixture;
	bool full = tlv_is_matrix(mixture.covariance);
	const gmm_stored stored = {
		.d = mixture.d,
		.k = mixture.k,
		.each = tlv_mixture_variances(mixture.d, mixture.covariance),
		.covariance = mixture.covariance,
		.rows = parts->rows,
		.steps = parts->steps,
		.seed = parts->seed,
		.weights = mixture.weights,
		.means = mixture.means,
		.covariances = full ? mixture.variances : NULL,
		.variances = full ? NULL : mixture.variances,
		.degrees = mixture.degrees,
		.floor = parts->floor,
		.diagnostics = parts->diagnostics,
	};

	gmm_sort_components(&mixture, parts->order);
	return tlv_sections_write(ctx,
							  (mixture.covariance == TLV_COVARIANCE_DIRECTION
								   ? tlv_kind_direction_mixture
								   : tlv_kind_gaussian_mixture)
								  .model->sections,
							  &stored, image, size);
}

/* ---- reading ---- */

void
tlv_gmm_read(const tlv_frame *model, tlv_mixture *mixture)
{
	bool directions = model->header->kind == TLV_KIND_DIRECTION_MIXTURE;
	gmm_stored stored;

	tlv_sections_read(
		model,
		(directions ? tlv_kind_direction_mixture : tlv_kind_gaussian_mixture).model->sections,
		&stored);
	mixture->d = stored.d;
	mixture->k = stored.k;
	mixture->covariance =
		directions ? TLV_COVARIANCE_DIRECTION : (tlv_covariance) stored.covariance;
	mixture->weights = (double *) stored.weights;
	mixture->means = (double *) stored.means;
	mixture->variances =
		(double *) (stored.variances != NULL ? stored.variances : stored.covariances);
	mixture->degrees = (double *) stored.degrees;
}

static tlv_status
gmm_check_range(tlv_context *ctx, const tlv_frame *frame, const char *name, double least,
				double most)
{
	const tlv_section *section = tlv_frame_find(frame, name);
	const double *numbers = tlv_section_data(frame, section);

	for (uint64_t i = 0; i < section->rows * section->columns; i++)
		if (!(numbers[i] >= least && numbers[i] <= most))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" holds %g", name, numbers[i]);
	return TLV_OK;
}

/* 0 of a component that is not there. */
static tlv_status
check_weights(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *section = tlv_frame_find(frame, "weights");
	const double *weights = tlv_section_data(frame, section);
	/* What weights that are added up, as by tlv_merge, may exceed 1 by. */
	const double rounding = 1e-9;

	for (uint64_t j = 0; j < section->rows; j++)
		if (weights[j] != 0 && !(weights[j] >= DBL_MIN && weights[j] <= 1 + rounding))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" holds %g", weights[j]);
	return TLV_OK;
}

/* Variances are positive; covariances have a positive diagonal, the rest is found on opening. */
static tlv_status
gmm_check_variances(tlv_context *ctx, const tlv_frame *frame, const gmm_stored *stored)
{
	const double square = TLV_MIXTURE_LARGEST * TLV_MIXTURE_LARGEST;
	bool full;

	if (stored->covariance > TLV_COVARIANCE_TIED)
		return tlv_fail(ctx, TLV_CORRUPT, "there is no covariance %g", stored->covariance);
	full = tlv_is_matrix((tlv_covariance) stored->covariance);
	if ((stored->covariances != NULL) != full || (stored->variances != NULL) == full ||
		stored->each != tlv_mixture_variances(stored->d, (tlv_covariance) stored->covariance))
		return tlv_fail(ctx, TLV_CORRUPT, "the variances are not those of the covariance");
	if (!full)
		return gmm_check_range(ctx, frame, "variances", DBL_MIN, square);
	TLV_TRY(gmm_check_range(ctx, frame, "covariances", -square, square));
	for (size_t j = 0; j < stored->k; j++)
		for (size_t i = 0; i < stored->d; i++)
			if (!(stored->covariances[j * stored->each + tlv_packed2_index(i, i)] >= DBL_MIN))
				return tlv_fail(ctx, TLV_CORRUPT,
								"a variance in section \"covariances\" is not positive");
	return TLV_OK;
}

static tlv_status
gmm_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	gmm_stored stored;

	(void) sizes;
	tlv_sections_read(frame, tlv_kind_gaussian_mixture.model->sections, &stored);
	TLV_TRY(
		gmm_check_range(ctx, frame, "means", -10 * TLV_MIXTURE_LARGEST, 10 * TLV_MIXTURE_LARGEST));
	TLV_TRY(check_weights(ctx, frame));
	TLV_TRY(gmm_check_variances(ctx, frame, &stored));
	if (stored.degrees != NULL)
		TLV_TRY(gmm_check_range(ctx, frame, "degrees", TLV_LEAST_DEGREES, TLV_MOST_DEGREES));
	/* What a step of EM puts in a variance's place is one. */
	return gmm_check_range(ctx, frame, "floor", DBL_MIN,
						   2 * TLV_MIXTURE_FLOOR * TLV_MIXTURE_LARGEST * TLV_MIXTURE_LARGEST);
}

static tlv_status
directions_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	/* A mean direction is as long as 1 but for this. */
	const double length_tolerance = 1e-6;
	size_t d = sizes[SIZE_D];
	tlv_mixture own;

	tlv_gmm_read(frame, &own);
	TLV_TRY(check_weights(ctx, frame));
	TLV_TRY(gmm_check_range(ctx, frame, "kappas", 0, TLV_DIRECTIONS_MOST_KAPPA * (double) d));
	for (size_t j = 0; j < own.k; j++)
	{
		double square = 0;

		for (size_t i = 0; i < d; i++)
			square += own.means[j * d + i] * own.means[j * d + i];
		if (!(fabs(square - 1) <= length_tolerance))
			return tlv_fail(ctx, TLV_CORRUPT, "a direction in section \"means\" is as long as %g",
							sqrt(square));
	}
	return TLV_OK;
}

#define AT(member) offsetof(gmm_stored, member)
static const tlv_declaration gmm_list[] = {
	{"covariance", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(covariance)},
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(rows)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
	{"means", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_KEPT, AT(means)},
	{"covariances", TLV_FLOAT64, SIZE_EACH, SIZE_K, TLV_ANY, TLV_GIVEN, AT(covariances)},
	{"variances", TLV_FLOAT64, SIZE_EACH, SIZE_K, TLV_NONNEGATIVE, TLV_GIVEN, AT(variances)},
	{"degrees", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_GIVEN, AT(degrees)},
	{"floor", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(floor)},
};
static const tlv_sections gmm_sections = {
	.state = sizeof(gmm_stored),
	.kind = TLV_KIND_GAUSSIAN_MIXTURE,
	TLV_LIST(gmm_list),
	.least = {1, 1, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS, SIZE_MAX},
	.size_at = {AT(d), AT(k), AT(each)},
	.diagnostics = AT(diagnostics),
	.check_more = gmm_check_more,
};
static const tlv_declaration directions_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(rows)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
	{"means", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_KEPT, AT(means)},
	{"kappas", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(variances)},
};

static const tlv_sections directions_sections = {
	.state = sizeof(gmm_stored),
	.kind = TLV_KIND_DIRECTION_MIXTURE,
	TLV_LIST(directions_list),
	.least = {2, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS},
	.size_at = {AT(d), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = directions_check_more,
};

#undef AT

static const tlv_field directions_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"means", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS},
	{"kappas", TLV_FIELD_LIST, .flags = TLV_OF_ROWS},
	{.form = TLV_FIELDS_END},
};
static const tlv_layout directions_layout = {.fields = directions_fields, .weights = "weights"};

static const char *const covariance_names[] = {"common", "spherical", "diagonal",
											   "full",	 "tied",	  NULL};
static const tlv_field gmm_fields[] = {
	{"covariance", TLV_FIELD_CHOICE, .names = covariance_names},
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"means", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS},
	{"covariances", TLV_FIELD_SYMMETRIC, .flags = TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY},
	{"variances", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY},
	{"degrees", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY},
	{"floor", TLV_FIELD_LIST, .flags = 0},
	{.form = TLV_FIELDS_END},
};
/* The floor that a fit to rows of the mixture's own variances would have had. */
static tlv_status
gmm_complete(tlv_context *ctx, tlv_given *given)
{
	const tlv_given *weights = tlv_given_find(given, "weights");
	const tlv_given *means = tlv_given_find(given, "means");
	const tlv_given *full = tlv_given_find(given, "covariances");
	const tlv_given *own = full->given ? full : tlv_given_find(given, "variances");
	size_t d = means->rows, k = means->columns;
	double *floor, *mean;

	if (tlv_given_find(given, "floor")->given || d == 0 || weights->rows != k ||
		own->columns != k ||
		own->rows != (full->given	   ? tlv_packed2_size(d)
					  : own->rows == 1 ? 1
									   : d))
		return TLV_OK;
	TLV_TRY(tlv_given_fill(ctx, given, "floor", d, &floor));
	TLV_TRY_NEW0(ctx, mean, 2 * d);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
		{
			size_t e = full->given ? tlv_packed2_index(i, i) : own->rows == 1 ? 0 : i;
			double x = means->numbers[j * d + i];

			mean[i] += weights->numbers[j] * x;
			mean[d + i] += weights->numbers[j] * (own->numbers[j * own->rows + e] + x * x);
		}
	for (size_t i = 0; i < d; i++)
		mean[d + i] -= mean[i] * mean[i];
	TLV_TRY(tlv_mixture_floor(ctx, d, mean + d, NULL, floor));
	tlv_free(ctx, mean);
	return TLV_OK;
}

static const char *const gmm_series[] = {"tensor_eigenvalue_1", "recurrence_1", NULL};
static const tlv_spread gmm_spreads[] = {{.variances = "covariances",
										  .means = "means",
										  .own = "covariance",
										  .shared = TLV_COVARIANCE_TIED,
										  .separate = TLV_COVARIANCE_FULL},
										 {.variances = "variances",
										  .means = "means",
										  .own = "covariance",
										  .shared = TLV_COVARIANCE_COMMON,
										  .separate = TLV_COVARIANCE_SPHERICAL},
										 {.variances = NULL}};
static const tlv_layout gmm_layout = {
	.spreads = gmm_spreads,
	.fields = gmm_fields,
	.weights = "weights",
	.series = gmm_series,
	.complete = gmm_complete,
};

/* ---- applying ---- */

static tlv_status
gmm_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	tlv_gmm_model *gmm;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_gmm_model), model));
	gmm = (tlv_gmm_model *) *model;
	tlv_gmm_read(frame, &gmm->mixture);
	TLV_TRY(tlv_mixture_worker_create(ctx, &gmm->mixture, &gmm->worker));
	TLV_TRY_NEW(ctx, gmm->row, gmm->mixture.d);
	return TLV_OK;
}

tlv_status
tlv_gmm_row(tlv_context *ctx, const tlv_gmm_model *model, size_t d, const double *x, double *row,
			double *length)
{
	const double *center = model->worker.center;
	bool fits = true;

	if (d != model->mixture.d)
		return tlv_refuse_width(ctx, d, model->mixture.d);
	if (model->mixture.covariance == TLV_COVARIANCE_DIRECTION)
		return tlv_directions_row(ctx, d, x, row, length);
	*length = 1;
	for (size_t i = 0; i < d; i++)
	{
		row[i] = x[i] - center[i];
		fits &= fabs(x[i]) <= TLV_MIXTURE_LARGEST; /* and no NaN */
	}
	for (size_t i = 0; i < d && !fits; i++)
		if (!(fabs(x[i]) <= TLV_MIXTURE_LARGEST))
			return tlv_refuse_number(ctx, i, x[i], TLV_MIXTURE_LARGEST);
	return TLV_OK;
}

/* The row's densities and shares are then in the worker. */
static tlv_status
expect_row(tlv_context *ctx, tlv_gmm_model *gmm, const tlv_part *part)
{
	double length;

	TLV_TRY(tlv_gmm_row(ctx, gmm, part->d, part->float64, gmm->row, &length));
	if (length == 0)
		return tlv_directions_refuse_zeros(ctx);
	return tlv_mixture_expect(ctx, &gmm->worker, 1, gmm->row, NULL);
}

static bool
has_gaps(const tlv_part *part)
{
	for (size_t i = 0; part->missing != NULL && i < part->d; i++)
		if (part->missing[i])
			return true;
	return false;
}

/* The same of a row with missing numbers; its shares. */
static tlv_status
expect_given(tlv_context *ctx, const tlv_gmm_model *gmm, const tlv_part *part, double *shares,
			 double *log_likelihood)
{
	if (part->d != gmm->mixture.d)
		return tlv_refuse_width(ctx, part->d, gmm->mixture.d);
	return tlv_mixture_infer_given(ctx, &gmm->mixture, part->float64, part->missing, shares,
								   log_likelihood);
}

static tlv_status
gmm_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	double value;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, gmm->mixture.k));
	if (has_gaps(&row->part[0]))
		return expect_given(ctx, gmm, &row->part[0], posterior->values, &value);
	TLV_TRY(expect_row(ctx, gmm, &row->part[0]));
	for (size_t j = 0; j < gmm->mixture.k; j++)
		posterior->values[j] = gmm->worker.shares[j * TLV_MIXTURE_BLOCK];
	return TLV_OK;
}

static tlv_status
gmm_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;

	if (has_gaps(&row->part[0]))
		return expect_given(ctx, gmm, &row->part[0], gmm->worker.shares, value);
	TLV_TRY(expect_row(ctx, gmm, &row->part[0]));
	*value = gmm->worker.density[0];
	return TLV_OK;
}

static tlv_status
gmm_impute(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *filled)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	const tlv_mixture *mixture = &gmm->mixture;
	const tlv_part *part = &row->part[0];
	double length;

	if (part->d != mixture->d)
		return tlv_refuse_width(ctx, part->d, mixture->d);
	TLV_TRY(tlv_posterior_begin(ctx, filled, 1, part->d));
	if (part->missing != NULL)
		return tlv_mixture_impute(ctx, mixture, NULL, part->float64, part->missing, filled->values);
	/* are they numbers? */
	TLV_TRY(tlv_gmm_row(ctx, gmm, part->d, part->float64, gmm->row, &length));
	memcpy(filled->values, part->float64, part->d * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_gmm_match(tlv_context *ctx, const tlv_mixture *a, const tlv_mixture *b, int64_t *assignment,
			  double *error)
{
	double *cost = tlv_alloc(ctx, a->k, b->k * sizeof(double));

	TLV_TRY_ALLOC(ctx, cost);
	for (size_t i = 0; i < a->k; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < b->k; j++)
			cost[i * b->k + j] =
				sqrt(tlv_squared_distance(a->d, a->means + i * a->d, b->means + j * b->d));
	}
	TLV_TRY(tlv_assign_components(ctx, a->k, b->k, cost, NAN, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}

static tlv_status
gmm_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_mixture mixture_a, mixture_b;

	tlv_gmm_read(a, &mixture_a);
	tlv_gmm_read(b, &mixture_b);
	if (mixture_a.d != mixture_b.d)
		return tlv_refuse_dimensions(ctx, mixture_a.d, mixture_b.d);
	return tlv_gmm_match(ctx, &mixture_a, &mixture_b, match->component, match->distance);
}

/* How many numbers a row has. */
static size_t
gmm_dimensions(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "means")->rows;
}

/* Rows scatter about a direction with a variance of 1 / kappa, and about none with 1 / d. */
static tlv_status
direction_variances(tlv_context *ctx, const tlv_mixture *own, const double **variances)
{
	double *made, d = (double) own->d;

	TLV_TRY_NEW(ctx, made, own->k);
	for (size_t j = 0; j < own->k; j++)
		made[j] = 1 / fmax(own->variances[j], d);
	*variances = made;
	return TLV_OK;
}

static tlv_status
gmm_normals(tlv_context *ctx, const tlv_frame *model, tlv_picture_normals *normals)
{
	tlv_mixture own;

	tlv_gmm_read(model, &own);
	*normals = (tlv_picture_normals){.n = own.k,
									 .d = own.d,
									 .weights = own.weights,
									 .means = own.means,
									 .variances = own.variances,
									 .each = tlv_mixture_variances(own.d, own.covariance),
									 .directions = own.covariance == TLV_COVARIANCE_DIRECTION,
									 .dimensions = tlv_dimension_names(model)};
	return normals->directions ? direction_variances(ctx, &own, &normals->variances) : TLV_OK;
}

static tlv_status
gmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_picture_normals normals;

	TLV_TRY(gmm_normals(ctx, model, &normals));
	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	TLV_TRY(tlv_draw_normals(ctx, picture, components, &normals));
	tlv_free(ctx, components);
	return TLV_OK;
}

static const char *const gmm_page_fields[] = {"covariance", "weights", "means", "covariances",
											  "variances",	"degrees", NULL};
static const tlv_page_content gmm_contents[] = {{"means", TLV_CONTENT_NUMBERS, .what = "dimension",
												 .variances = "variances",
												 .covariances = "covariances", .from = 1},
												{.section = NULL}};
static const tlv_page_view gmm_page = {
	.contents = gmm_contents, .view = "profiles", .what = "component", .fields = gmm_page_fields};

static const char *const directions_page_fields[] = {"weights", "means", "kappas", NULL};
static const tlv_page_content directions_contents[] = {
	{"means", TLV_CONTENT_NUMBERS, .what = "dimension", .concentrations = "kappas", .from = 1},
	{.section = NULL}};
static const tlv_page_view directions_page = {.contents = directions_contents,
											  .view = "profiles",
											  .what = "component",
											  .fields = directions_page_fields};

/* What models of either kind do. */
#define GMM_MEMBERS                                                                                \
	.estimates = tlv_gmm_estimates, .score = tlv_gmm_score, .redraw = tlv_gmm_redraw,              \
	.normals = gmm_normals, .draw = gmm_draw, .open = gmm_open, .components_size = SIZE_K,         \
	.dimensions = gmm_dimensions, .rows = TLV_ROW_VECTOR | TLV_ROWS_MISSING_OF_MANY,               \
	.infer = gmm_infer, .log_likelihood = gmm_log_likelihood, .statistics = tlv_gmm_statistics,    \
	.update = tlv_gmm_update, .match = gmm_match

static const tlv_model_class gmm_class = {
	.sections = &gmm_sections,
	.layout = &gmm_layout,
	.page = &gmm_page,
	.drift = tlv_gmm_drift,
	.impute = gmm_impute,
	GMM_MEMBERS,
};

static const tlv_model_class directions_class = {
	.sections = &directions_sections,
	.layout = &directions_layout,
	.page = &directions_page,
	GMM_MEMBERS,
};
const tlv_kind tlv_kind_gaussian_mixture = {TLV_KIND_LINE(GAUSSIAN_MIXTURE, gaussian_mixture),
											.model = &gmm_class};
const tlv_kind tlv_kind_direction_mixture = {TLV_KIND_LINE(DIRECTION_MIXTURE, direction_mixture),
											 .model = &directions_class};
