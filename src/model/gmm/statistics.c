/*
 * statistics.c - what a pass over rows under a given mixture of Gaussians sums up: the
 * statistics for one step of expectation maximisation.
 *
 * The stored value (kind mixture_statistics): scalars "rows", "nulls", "log_likelihood", the
 * model's fingerprint "model", its "center" (d); "responsibilities" (k), "sums" (d x k) and
 * "squares" (1 x k of |x - c|^2, d x k, or packed x k), all about the center.
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

typedef struct statistics_state
{
	tlv_accumulator base;
	tlv_gmm_model *model;	/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	tlv_mixture shape;		/* without parameters */
	double *center;			/* d; NULL while nothing is known */
	tlv_mixture_sums sums;
	double *block; /* d x TLV_MIXTURE_BLOCK rows that wait */
	size_t waiting;
} statistics_state;

static tlv_status
flush(tlv_context *ctx, statistics_state *state)
{
	size_t n = state->waiting;

	if (n == 0)
		return TLV_OK;
	state->waiting = 0;
	return tlv_mixture_expect(ctx, &state->model->worker, n, state->block, &state->sums);
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	if (state->block == NULL)
	{
		state->block = tlv_alloc(ctx, state->shape.d, TLV_MIXTURE_BLOCK * sizeof(double));
		TLV_TRY_ALLOC(ctx, state->block);
	}
	TLV_TRY(tlv_gmm_row(ctx, state->model, row->part[0].d, row->part[0].float64,
						state->block + state->waiting * state->shape.d));
	return ++state->waiting == TLV_MIXTURE_BLOCK ? flush(ctx, state) : TLV_OK;
}

static tlv_status
statistics_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	statistics_state *state = tlv_alloc0(ctx, 1, sizeof(statistics_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_mixture_statistics.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

static tlv_status
allocate(tlv_context *ctx, statistics_state *state, const double *center)
{
	TLV_TRY(tlv_mixture_sums_create(ctx, &state->shape, &state->sums));
	state->center = tlv_alloc(ctx, state->shape.d, sizeof(double));
	TLV_TRY_ALLOC(ctx, state->center);
	memcpy(state->center, center, state->shape.d * sizeof(double));
	return TLV_OK;
}

tlv_status
tlv_gmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);

		tlv_fail_hint(ctx, "A mixture is refined by 'em'.");
		return status;
	}
	TLV_TRY(statistics_create(ctx, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = gmm;
	state->fingerprint = model->frame.header->digest;
	state->shape = gmm->mixture;
	return allocate(ctx, state, gmm->worker.center);
}

static tlv_status
refuse_other_model(tlv_context *ctx)
{
	tlv_status status =
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics were collected under different models");

	tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
	return status;
}

/* The covariance that the shape of the squares means; d = 1 is spherical in all but the name. */
static tlv_covariance
shape_of_squares(size_t rows, size_t d)
{
	if (rows == 1)
		return TLV_COVARIANCE_SPHERICAL;
	return rows == d ? TLV_COVARIANCE_DIAGONAL : TLV_COVARIANCE_FULL;
}

static tlv_status
statistics_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	statistics_state *state = (statistics_state *) accumulator;
	const tlv_section *sums = tlv_frame_find(frame, "sums");
	const tlv_section *squares = tlv_frame_find(frame, "squares");
	const double *numbers[3] = {tlv_frame_float64(frame, "responsibilities"),
								tlv_section_data(frame, sums), tlv_section_data(frame, squares)};
	size_t k = sums->columns, d = sums->rows;

	if (state->center == NULL)
	{
		state->fingerprint = *tlv_frame_digest(frame, "model");
		state->shape.k = k;
		state->shape.d = d;
		state->shape.covariance = shape_of_squares(squares->rows, d);
		TLV_TRY(allocate(ctx, state, tlv_frame_float64(frame, "center")));
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->shape.k != k || state->shape.d != d ||
		tlv_mixture_variances(d, state->shape.covariance) != squares->rows ||
		memcmp(state->center, tlv_frame_float64(frame, "center"), d * sizeof(double)) != 0)
		return refuse_other_model(ctx);
	for (size_t j = 0; j < k; j++)
		state->sums.responsibilities[j] += numbers[0][j];
	for (size_t i = 0; i < k * d; i++)
		state->sums.sums[i] += numbers[1][i];
	for (size_t i = 0; i < k * squares->rows; i++)
		state->sums.squares[i] += numbers[2][i];
	state->sums.rows += tlv_frame_scalar(frame, "rows", 0);
	state->sums.log_likelihood += tlv_frame_scalar(frame, "log_likelihood", 0);
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	return TLV_OK;
}

static tlv_status
statistics_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	statistics_state *state = (statistics_state *) accumulator;
	size_t k = state->shape.k, d = state->shape.d;

	TLV_TRY(flush(ctx, state));
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_MIXTURE_STATISTICS);
	tlv_frame_add_scalar(builder, "rows", state->sums.rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "log_likelihood", state->sums.log_likelihood);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "center", TLV_FLOAT64, d, 1, state->center);
	tlv_frame_add(builder, "responsibilities", TLV_FLOAT64, k, 1, state->sums.responsibilities);
	tlv_frame_add(builder, "sums", TLV_FLOAT64, d, k, state->sums.sums);
	tlv_frame_add(builder, "squares", TLV_FLOAT64,
				  tlv_mixture_variances(d, state->shape.covariance), k, state->sums.squares);
	return TLV_OK;
}

static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *sums = tlv_frame_find(frame, "sums");
	const tlv_section *squares = tlv_frame_find(frame, "squares");
	uint64_t d, k;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	if (sums == NULL || sums->element != TLV_FLOAT64 || sums->rows == 0 || sums->columns == 0 ||
		sums->rows > TLV_MIXTURE_MOST_DIMENSIONS || sums->columns > TLV_MIXTURE_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"sums\" is missing or has the wrong shape");
	d = sums->rows;
	k = sums->columns;
	if (squares == NULL || squares->element != TLV_FLOAT64 || squares->columns != k ||
		(squares->rows != 1 && squares->rows != d && squares->rows != tlv_packed2_size(d)))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"squares\" is missing or has the wrong shape");
	TLV_TRY(tlv_frame_require(ctx, frame, "center", TLV_FLOAT64, d, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "responsibilities", TLV_FLOAT64, k, 1, NULL));
	return tlv_frame_require_minimum(ctx, frame, "responsibilities", 0);
}

static const tlv_accumulator_class statistics_class = {
	.name = "mixture_statistics",
	.create = statistics_create,
	.merge = statistics_merge,
	.build = statistics_build,
	.rows = TLV_ROW_VECTOR,
	.add = statistics_add,
};
const tlv_kind tlv_kind_mixture_statistics = {TLV_KIND_LINE(MIXTURE_STATISTICS, mixture_statistics),
											  .check = statistics_check,
											  .accumulator = &statistics_class};

/* ---- a step of a stored model ---- */

/* Statistics of another model or of nothing are refused. */
static tlv_status
check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics)
{
	const tlv_section *means = tlv_frame_find(model, "means");
	size_t variances;

	if (statistics->header->type != TLV_FRAME_MOMENTS ||
		statistics->header->kind != TLV_KIND_MIXTURE_STATISTICS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "these moments are no statistics of a mixture");
	if (!tlv_digest_equal(tlv_frame_digest(statistics, "model"), &model->header->digest))
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics were collected under another model");

		tlv_fail_hint(ctx, "Collect tlv_statistics(x, model) with the model that is updated.");
		return status;
	}
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_fail(ctx, TLV_BAD_DATA, "the statistics hold no rows");
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	variances = tlv_mixture_variances(means->rows,
									  (tlv_covariance) tlv_frame_scalar(model, "covariance", 0));
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "sums", TLV_FLOAT64, means->rows, means->columns, NULL));
	return tlv_frame_require(ctx, statistics, "squares", TLV_FLOAT64, variances, means->columns,
							 NULL);
}

/* What a pass found out about the model before the step. */
static tlv_status
diagnose_step(tlv_context *ctx, const tlv_frame *model, const tlv_mixture_sums *sums, double step,
			  tlv_diagnostics *diagnostics)
{
	static const char *const renewed[] = {"refinement_steps", "rows", NULL};

	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, renewed));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sums->rows, "rows"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, step, "refinement_steps"));
	return tlv_diagnose(ctx, diagnostics, sums->log_likelihood / sums->rows,
						"mean_log_likelihood_before_step_%.0f", step);
}

tlv_status
tlv_gmm_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, void **image,
			   size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_mixture before, mixture = {0};
	tlv_gmm_parts parts = {0};
	tlv_mixture_sums sums = {0};

	TLV_TRY(check_statistics(ctx, model, statistics));
	sums.rows = tlv_frame_scalar(statistics, "rows", 0);
	sums.log_likelihood = tlv_frame_scalar(statistics, "log_likelihood", 0);
	sums.responsibilities = (double *) tlv_frame_float64(statistics, "responsibilities");
	sums.sums = (double *) tlv_frame_float64(statistics, "sums");
	sums.squares = (double *) tlv_frame_float64(statistics, "squares");
	tlv_gmm_read(model, &before);
	TLV_TRY(tlv_mixture_create(ctx, before.k, before.d, before.covariance, &mixture));
	memcpy(mixture.means, before.means, before.k * before.d * sizeof(double));
	memcpy(mixture.variances, before.variances,
		   before.k * tlv_mixture_variances(before.d, before.covariance) * sizeof(double));
	tlv_mixture_maximize(&sums, tlv_frame_float64(statistics, "center"),
						 tlv_frame_float64(model, "floor"), &mixture);
	parts.mixture = &mixture;
	parts.floor = tlv_frame_float64(model, "floor");
	parts.rows = sums.rows;
	parts.steps = tlv_frame_scalar(model, "steps", 0) + 1;
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	parts.diagnostics = &diagnostics;
	TLV_TRY(diagnose_step(ctx, model, &sums, parts.steps, &diagnostics));
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_free(ctx, diagnostics.names);
	tlv_free(ctx, diagnostics.values);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}
