/*
 * model.c - the stored form of a mixture of Gaussians, and what it can do with a
 * row (gmm.h, model.h).
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

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

/* Components by descending weight; k is small beside what they hold. */
static void
sort_components(tlv_mixture *mixture)
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
		swap(mixture->weights + j, mixture->weights + best, 1);
		swap(mixture->means + j * d, mixture->means + best * d, d);
		swap(mixture->variances + j * variances, mixture->variances + best * variances, variances);
	}
}

tlv_status
tlv_gmm_write(tlv_context *ctx, const tlv_gmm_parts *parts, void **image, size_t *size)
{
	static const tlv_diagnostics none = {0};
	tlv_mixture mixture = *parts->mixture;
	size_t k = mixture.k, d = mixture.d, variances = tlv_mixture_variances(d, mixture.covariance);
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));

	TLV_TRY_ALLOC(ctx, builder);
	sort_components(&mixture);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_GAUSSIAN_MIXTURE);
	tlv_frame_add_scalar(builder, "covariance", mixture.covariance);
	tlv_frame_add_scalar(builder, "rows", parts->rows);
	tlv_frame_add_scalar(builder, "steps", parts->steps);
	tlv_frame_add_scalar(builder, "seed", parts->seed);
	tlv_frame_add(builder, "weights", TLV_FLOAT64, k, 1, mixture.weights);
	tlv_frame_add(builder, "means", TLV_FLOAT64, d, k, mixture.means);
	if (mixture.covariance == TLV_COVARIANCE_FULL)
		tlv_frame_add(builder, "covariances", TLV_FLOAT64, variances, k, mixture.variances);
	else
		tlv_frame_add(builder, "variances", TLV_FLOAT64, variances, k, mixture.variances);
	tlv_frame_add(builder, "floor", TLV_FLOAT64, d, 1, parts->floor);
	tlv_diagnostics_add(parts->diagnostics != NULL ? parts->diagnostics : &none, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

/* ---- reading ---- */

void
tlv_gmm_read(const tlv_frame *model, tlv_mixture *mixture)
{
	const tlv_section *means = tlv_frame_find(model, "means");

	mixture->d = means->rows;
	mixture->k = means->columns;
	mixture->covariance = (tlv_covariance) tlv_frame_scalar(model, "covariance", 0);
	mixture->weights = (double *) tlv_frame_float64(model, "weights");
	mixture->means = (double *) tlv_section_data(model, means);
	mixture->variances = (double *) tlv_frame_float64(
		model, mixture->covariance == TLV_COVARIANCE_FULL ? "covariances" : "variances");
}

static tlv_status
check_range(tlv_context *ctx, const tlv_frame *frame, const char *name, double least, double most)
{
	const tlv_section *section = tlv_frame_find(frame, name);
	const double *numbers = tlv_section_data(frame, section);

	for (uint64_t i = 0; i < section->rows * section->columns; i++)
		if (!(numbers[i] >= least && numbers[i] <= most))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" holds %g", name, numbers[i]);
	return TLV_OK;
}

static tlv_status
check_weights(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *section = tlv_frame_find(frame, "weights");
	const double *weights = tlv_section_data(frame, section);
	double sum = 0;

	TLV_TRY(check_range(ctx, frame, "weights", DBL_MIN, 1));
	for (uint64_t j = 0; j < section->rows; j++)
	{
		if (j > 0 && weights[j] > weights[j - 1])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" does not descend");
		sum += weights[j];
	}
	if (!(fabs(sum - 1) < 1e-6))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" sums to %g", sum);
	return TLV_OK;
}

/* Variances are positive; covariances have a positive diagonal, the rest is found on opening. */
static tlv_status
check_variances(tlv_context *ctx, const tlv_frame *frame, tlv_covariance covariance, uint64_t d,
				uint64_t k)
{
	const double square = TLV_MIXTURE_LARGEST * TLV_MIXTURE_LARGEST;
	const double *numbers;

	if (covariance != TLV_COVARIANCE_FULL)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, "variances", TLV_FLOAT64,
								  tlv_mixture_variances(d, covariance), k, NULL));
		return check_range(ctx, frame, "variances", DBL_MIN, square);
	}
	TLV_TRY(tlv_frame_require(ctx, frame, "covariances", TLV_FLOAT64, tlv_packed2_size(d), k,
							  (const void **) &numbers));
	TLV_TRY(check_range(ctx, frame, "covariances", -square, square));
	for (uint64_t j = 0; j < k; j++)
		for (uint64_t i = 0; i < d; i++)
			if (!(numbers[j * tlv_packed2_size(d) + tlv_packed2_index(i, i)] >= DBL_MIN))
				return tlv_fail(ctx, TLV_CORRUPT,
								"a variance in section \"covariances\" is not "
								"positive");
	return TLV_OK;
}

static tlv_status
gmm_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *means = tlv_frame_find(frame, "means");
	double covariance = tlv_frame_scalar(frame, "covariance", -1);
	uint64_t d, k;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "covariance"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "steps"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	if (covariance > TLV_COVARIANCE_FULL)
		return tlv_fail(ctx, TLV_CORRUPT, "there is no covariance %g", covariance);
	if (means == NULL || means->element != TLV_FLOAT64 || means->rows == 0 || means->columns == 0 ||
		means->rows > TLV_MIXTURE_MOST_DIMENSIONS || means->columns > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"means\" is missing or has the wrong shape");
	d = means->rows;
	k = means->columns;
	TLV_TRY(check_range(ctx, frame, "means", -10 * TLV_MIXTURE_LARGEST, 10 * TLV_MIXTURE_LARGEST));
	TLV_TRY(tlv_frame_require(ctx, frame, "weights", TLV_FLOAT64, k, 1, NULL));
	TLV_TRY(check_weights(ctx, frame));
	TLV_TRY(check_variances(ctx, frame, (tlv_covariance) covariance, d, k));
	TLV_TRY(tlv_frame_require(ctx, frame, "floor", TLV_FLOAT64, d, 1, NULL));
	/* What a step of EM puts in a variance's place is one. */
	TLV_TRY(check_range(ctx, frame, "floor", DBL_MIN,
						2 * TLV_MIXTURE_FLOOR * TLV_MIXTURE_LARGEST * TLV_MIXTURE_LARGEST));
	return tlv_diagnostics_check(ctx, frame);
}

/* ---- applying ---- */

static tlv_status
gmm_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	tlv_gmm_model *gmm = tlv_alloc0(ctx, 1, sizeof(tlv_gmm_model));

	TLV_TRY_ALLOC(ctx, gmm);
	gmm->base.class = tlv_kind_gaussian_mixture.model;
	gmm->base.frame = *frame;
	tlv_gmm_read(frame, &gmm->mixture);
	TLV_TRY(tlv_mixture_worker_create(ctx, &gmm->mixture, &gmm->worker));
	TLV_TRY_NEW(ctx, gmm->row, gmm->mixture.d);
	*model = &gmm->base;
	return TLV_OK;
}

static size_t
gmm_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "means")->columns;
}

tlv_status
tlv_gmm_row(tlv_context *ctx, const tlv_gmm_model *model, size_t d, const double *x, double *row)
{
	const double *center = model->worker.center;
	bool fits = true;

	if (d != model->mixture.d)
		return tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu numbers, the mixture %zu dimensions", d,
						model->mixture.d);
	for (size_t i = 0; i < d; i++)
	{
		row[i] = x[i] - center[i];
		fits &= fabs(x[i]) <= TLV_MIXTURE_LARGEST; /* and no NaN */
	}
	for (size_t i = 0; i < d && !fits; i++)
		if (!(fabs(x[i]) <= TLV_MIXTURE_LARGEST))
			return tlv_fail(ctx, TLV_BAD_DATA, "number %zu of a row is %g, beyond %g", i + 1, x[i],
							TLV_MIXTURE_LARGEST);
	return TLV_OK;
}

/* The row's densities and shares are then in the worker. */
static tlv_status
expect_row(tlv_context *ctx, tlv_gmm_model *gmm, const tlv_part *part)
{
	TLV_TRY(tlv_gmm_row(ctx, gmm, part->d, part->float64, gmm->row));
	return tlv_mixture_expect(ctx, &gmm->worker, 1, gmm->row, NULL);
}

static tlv_status
gmm_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;

	TLV_TRY(expect_row(ctx, gmm, &row->part[0]));
	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, gmm->mixture.k));
	for (size_t j = 0; j < gmm->mixture.k; j++)
		posterior->values[j] = gmm->worker.shares[j * TLV_MIXTURE_BLOCK];
	return TLV_OK;
}

static tlv_status
gmm_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;

	TLV_TRY(expect_row(ctx, gmm, &row->part[0]));
	*value = gmm->worker.density[0];
	return TLV_OK;
}

static tlv_status
gmm_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_mixture mixture_a, mixture_b;

	tlv_gmm_read(a, &mixture_a);
	tlv_gmm_read(b, &mixture_b);
	if (mixture_a.d != mixture_b.d)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the mixtures have %zu and %zu dimensions",
						mixture_a.d, mixture_b.d);
	return tlv_gmm_match(ctx, &mixture_a, &mixture_b, match->component, match->distance);
}

static const tlv_model_class gmm_class = {
	.open = gmm_open,
	.components = gmm_components,
	.rows = TLV_ROW_VECTOR,
	.infer = gmm_infer,
	.log_likelihood = gmm_log_likelihood,
	.statistics = tlv_gmm_statistics,
	.update = tlv_gmm_update,
	.match = gmm_match,
};
const tlv_kind tlv_kind_gaussian_mixture = {TLV_KIND_LINE(GAUSSIAN_MIXTURE, gaussian_mixture),
											.check = gmm_check, .model = &gmm_class};
