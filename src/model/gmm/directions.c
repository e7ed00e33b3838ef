/*
 * directions.c - what is different where rows are directions (learn.h): they are divided by their
 * lengths, those of zeros are left out, and all that is known before the first model is a sample.
 */
#include "learn.h"

#include <math.h>

#include "internal.h"
#include "tensorlv/model/dense.h"
#include "tensorlv/model/refusals.h"

/* Twice the nats that each parameter of a component of few rows costs beyond log(n). */
#define GMM_FEW_ROWS 1.0

/* ---- the sample ---- */

/* The rows and their moments; in the leading directions; clusters and mixtures. */
static double
sample_memory(size_t d, double n, size_t most)
{
	double k = (double) most, wide = (double) d;
	double p = fmin(fmin(wide, k), GMM_WIDE_MOST_DIRECTIONS);

	return sizeof(double) *
		   (n * (wide + p / 2 + 2) + 6 * wide * wide + wide * (6 * k + 2 * p) + 4 * k * k);
}

/* Rows by their lengths, those of zeros left out; *n: how many are left. */
static tlv_status
take_directions(tlv_context *ctx, size_t d, size_t *n, double *x, gmm_learning *fit)
{
	double zeros = 0, scaled = 0, share = fit->evidence.n / (double) *n, length;
	size_t kept = 0;

	for (size_t t = 0; t < *n; t++)
	{
		TLV_TRY(tlv_directions_row(ctx, d, x + t * d, x + kept * d, &length));
		zeros += length == 0;
		scaled += length > 0 && fabs(length - 1) > GMM_UNIT_TOLERANCE;
		kept += length > 0;
	}
	*n = kept;
	fit->zeros = round(zeros * share);
	fit->scaled = round(scaled * share);
	fit->evidence.n -= fit->zeros;
	if (kept == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "all rows are zero: they have no direction");
	return TLV_OK;
}

/* Moments of order 2 of the sample, which stay until the end. */
static tlv_status
sample_moments(tlv_context *ctx, const tlv_gmm_sample *sample, const tlv_frame **moments)
{
	tlv_accumulator *accumulator;
	tlv_frame_builder *builder;
	tlv_frame *frame;
	void *image;
	size_t size;

	TLV_TRY(tlv_dense_moments_create(ctx, 2, &accumulator));
	for (size_t t = 0; t < sample->n; t++)
		TLV_TRY(tlv_add(ctx, accumulator, TLV_AS_VECTOR(sample->d, sample->rows + t * sample->d)));
	TLV_TRY_NEW(ctx, builder, 1);
	TLV_TRY_NEW(ctx, frame, 1);
	TLV_TRY(accumulator->class->build(ctx, accumulator, builder));
	TLV_TRY(tlv_frame_finish(ctx, builder, &image, &size));
	TLV_TRY(tlv_frame_open(ctx, image, size, frame));
	*moments = frame;
	return TLV_OK;
}

/* The unit that k-means and the floor of variances go by is 1 in every coordinate. */
tlv_status
gmm_direction_floor(tlv_context *ctx, size_t d, const double **floor)
{
	double *made;

	TLV_TRY_NEW(ctx, made, d);
	for (size_t i = 0; i < d; i++)
		made[i] = TLV_MIXTURE_FLOOR;
	*floor = made;
	return TLV_OK;
}

static tlv_status
open_sample(tlv_context *ctx, gmm_learning *fit, const tlv_frame *rows, size_t most)
{
	gmm_evidence *evidence = &fit->evidence;
	size_t n, d = evidence->d = tlv_frame_find(rows, "rows")->rows;
	double *x, count = fmin(evidence->n, tlv_frame_scalar(rows, "count", 0));

	if (d < 2)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a direction has two numbers at least, a row has %zu", d);
		return tlv_fail_hint(ctx, "Use another covariance for single numbers.");
	}
	TLV_TRY(tlv_require_memory(ctx, sample_memory(d, count, most), "the fit"));
	TLV_TRY(tlv_row_sample_rows(ctx, rows, &n, &x));
	TLV_TRY(take_directions(ctx, d, &n, x, fit));
	TLV_TRY(tlv_gmm_sample_open(ctx, n, d, x, true, evidence->options.seed, &evidence->sample));
	if (n < fit->options.fit.k)
		return tlv_refuse_few(ctx, (double) n, "rows", fit->options.fit.k, "components");
	if (d > GMM_FEW_DIMENSIONS)
		TLV_TRY(sample_moments(ctx, &evidence->sample, &evidence->moments));
	TLV_TRY(gmm_direction_floor(ctx, d, &evidence->floor));
	return gmm_fit_single(ctx, evidence, &fit->single);
}

tlv_status
gmm_collect_directions(tlv_context *ctx, tlv_source *rows, gmm_learning *fit)
{
	/* Of the memory that is left, the part that a sample may take. */
	const int sample_share = 6;
	gmm_evidence *evidence = &fit->evidence;
	size_t k = fit->options.fit.k, width = rows->rows.width[0];
	size_t most = k == 0 ? tlv_least(GMM_SAMPLE_K, fit->options.max_k) : k;
	double room = ((double) ctx->arena.limit - (double) ctx->arena.used) / sample_share;
	tlv_value *sample;

	evidence->n = HUGE_VAL;
	evidence->d = width > 0 ? width : 1;
	TLV_TRY(tlv_collect_first(ctx, rows, "sample", 0,
							  &(tlv_statistic){.aggregate = &tlv_aggregate_row_sample,
											   .count = gmm_sample_size(evidence, most, room),
											   .seed = evidence->options.seed},
							  "seen", &sample));
	evidence->n = tlv_frame_scalar(&sample->frame, "seen", 0);
	if ((double) k > evidence->n)
		return tlv_refuse_few(ctx, evidence->n, "rows", k, "components");
	TLV_TRY(open_sample(ctx, fit, &sample->frame, most));
	tlv_value_drop(sample);
	return TLV_OK;
}

/* ---- one component ---- */

static tlv_status
write_single(tlv_context *ctx, const gmm_evidence *evidence, void **image, size_t *size)
{
	tlv_mixture one;
	const tlv_gmm_parts parts = {.mixture = &one,
								 .rows = (double) evidence->sample.n,
								 .seed = (double) evidence->options.seed};
	int32_t *label;

	TLV_TRY_NEW0(ctx, label, evidence->sample.n);
	TLV_TRY(tlv_mixture_create(ctx, 1, evidence->d, TLV_COVARIANCE_DIRECTION, &one));
	TLV_TRY(tlv_gmm_of_labels(ctx, &evidence->sample, evidence->floor, label, &one));
	return tlv_gmm_write(ctx, &parts, image, size);
}

tlv_status
gmm_single_direction(tlv_context *ctx, const gmm_evidence *evidence, tlv_held *single)
{
	tlv_making made;

	return TLV_MAKE(ctx, &made, single, write_single(ctx, evidence, &made.image, &made.size));
}

/* Its direction is that of the mean of all rows, which those of the components make up where the
 * likelihood stands. */
double
gmm_single_direction_likelihood(const tlv_mixture *mixture)
{
	size_t d = mixture->d;
	double square = 0, length, kappa;

	for (size_t i = 0; i < d; i++)
	{
		double mean = 0;

		for (size_t j = 0; j < mixture->k; j++)
			mean += mixture->weights[j] * mixture->means[j * d + i] *
					tlv_directions_length(d, mixture->variances[j]);
		square += mean * mean;
	}
	length = sqrt(square);
	kappa = tlv_directions_kappa(d, fmin(length, 1));
	return tlv_directions_log_norm(d, kappa) + kappa * length;
}

/*
 * A component of fewer rows than it has parameters is not estimated from rows that are there for
 * others, too, but picks its own: it is charged as the Bayesian information criterion does, and
 * GMM_FEW_ROWS more for the choice.  Of 500 uniform directions in 50 dimensions 5 components
 * gain 2.9 a parameter, and up to 5.0; of 200 such 10 components up to 5.5.
 */
double
gmm_chance_of_directions(const tlv_mixture *mixture, double rows)
{
	double parameters = (double) mixture->d + 1, k = (double) mixture->k, small = 0;

	for (size_t j = 0; j < mixture->k; j++)
		small += rows * mixture->weights[j] < parameters;
	small = fmin(small, k - 1);
	return gmm_chance((k - 1 - small) * parameters) +
		   small * parameters * (log(rows) + GMM_FEW_ROWS);
}

/* ---- rows ---- */

tlv_status
gmm_warn_rows(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	if (fit->zeros > 0)
		TLV_TRY(
			tlv_warn(ctx, diagnostics,
					 &(tlv_warning){.code = "rows_skipped",
									.score = fit->zeros,
									.hint = "Filter these rows out, or use another covariance."},
					 fit->zeros == 1 ? "%.0f row is zero, has no direction and was skipped"
									 : "%.0f rows are zero, have no direction and were skipped",
					 fit->zeros));
	if (fit->scaled > 0)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){.code = "rows_scaled",
						   .score = fit->scaled,
						   .hint = "Use another covariance than 'direction' if lengths matter."},
			fit->scaled == 1 ? "%.0f row does not have length 1: only its direction counts"
							 : "%.0f rows do not have length 1: only their directions count",
			fit->scaled));
	return TLV_OK;
}
