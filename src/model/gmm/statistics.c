/*
 * statistics.c - what a pass over rows under a given mixture sums up: the statistics for one step
 * of expectation maximisation.
 *
 * The stored value (kind mixture_statistics): scalars "rows", "nulls", "log_likelihood",
 * "entropy", the model's fingerprint "model", its "center" (d); "responsibilities" (k), "sums" (d x
 * k) and "squares" (1 x k of |x - c|^2, d x k, or packed x k), all about the center; of t
 * distributions "weighted" and "logs" (k), else 0.
 *
 * Of directions (kind direction_statistics): "rows", "nulls", "zeros" (rows without a direction,
 * left out), "scaled" (rows whose length was not 1), "log_likelihood", "model", "responsibilities"
 * and "sums".
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"

/* Sizes: dimensions, components, squares of a component: 1, d, or packed. */
#define SIZE_D		 TLV_SIZE_1
#define SIZE_K		 TLV_SIZE_2
#define SIZE_SQUARES TLV_SIZE_3

typedef struct statistics_state
{
	tlv_declared declared;
	tlv_gmm_model *model;	/* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	double *center;			/* d; of directions NULL */
	double zeros, scaled;	/* of directions: rows */
	tlv_mixture_sums sums;
	tlv_mixture_rows rows;
} statistics_state;

static tlv_status
mixture_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;

	return tlv_mixture_rows_flush(
		ctx, &state->rows, state->model == NULL ? NULL : &state->model->worker, &state->sums);
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	double *next, length;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(tlv_mixture_rows_next(ctx, &state->rows, state->model->mixture.d, &next));
	TLV_TRY(tlv_gmm_row(ctx, state->model, row->part[0].d, row->part[0].float64, next, &length));
	if (length == 0)
	{
		state->zeros++;
		return TLV_OK;
	}
	state->scaled += fabs(length - 1) > GMM_UNIT_TOLERANCE;
	return tlv_mixture_rows_added(ctx, &state->rows, tlv_row_weight(row), &state->model->worker,
								  &state->sums);
}

tlv_status
tlv_gmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_gmm_model *gmm = (tlv_gmm_model *) model;
	bool directions = gmm->mixture.covariance == TLV_COVARIANCE_DIRECTION;
	size_t d = gmm->mixture.d;
	const size_t sizes[TLV_SIZES] = {
		d, gmm->mixture.k, directions ? 0 : tlv_mixture_variances(d, gmm->mixture.covariance)};
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "A mixture is refined by 'em'.");
	}
	TLV_TRY(tlv_sections_create(
		ctx, (directions ? tlv_kind_direction_statistics : tlv_kind_mixture_statistics).accumulator,
		sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = gmm;
	state->fingerprint = model->frame.header->digest;
	if (!directions)
		memcpy(state->center, gmm->worker.center, d * sizeof(double));
	return TLV_OK;
}

/* The squares are of one of the three covariances. */
static tlv_status
mixture_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	size_t d = sizes[SIZE_D], squares = sizes[SIZE_SQUARES];

	if (squares != 1 && squares != d && squares != tlv_packed2_size(d))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"squares\" has the wrong shape");
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"entropy", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.entropy)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"center", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(center)},
	{"responsibilities", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM,
	 AT(sums.responsibilities)},
	{"weighted", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.weighted)},
	{"logs", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.logs)},
	{"sums", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.sums)},
	{"squares", TLV_FLOAT64, SIZE_SQUARES, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.squares)},
};
static const tlv_declaration directions_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"zeros", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(zeros)},
	{"scaled", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(scaled)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"responsibilities", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM,
	 AT(sums.responsibilities)},
	{"sums", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.sums)},
};
#undef AT

static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_MIXTURE_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1, 1, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS,
			 TLV_MIXTURE_MOST_DIMENSIONS *(TLV_MIXTURE_MOST_DIMENSIONS + 1) / 2},
	.flush = mixture_flush,
	.check_more = mixture_check_more,
};

static const tlv_sections directions_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_DIRECTION_STATISTICS,
	TLV_LIST(directions_list),
	.least = {2, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS},
	.flush = mixture_flush,
};

static const tlv_accumulator_class statistics_class = {
	.name = "mixture_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_VECTOR,
	.weighting = TLV_WEIGHTING_SUMS,
	.add = statistics_add,
};
static const tlv_accumulator_class directions_class = {
	.name = "direction_statistics",
	TLV_DECLARED(&directions_sections),
	.rows = TLV_ROW_VECTOR,
	.weighting = TLV_WEIGHTING_SUMS,
	.add = statistics_add,
};

const tlv_kind tlv_kind_mixture_statistics = {TLV_KIND_LINE(MIXTURE_STATISTICS, mixture_statistics),
											  .accumulator = &statistics_class};
const tlv_kind tlv_kind_direction_statistics = {
	TLV_KIND_LINE(DIRECTION_STATISTICS, direction_statistics), .accumulator = &directions_class};

/* ---- a step of a stored model ---- */

/* Statistics of another model or of nothing are refused. */
static tlv_status
gmm_check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics)
{
	const tlv_section *means = tlv_frame_find(model, "means");
	bool directions = model->header->kind == TLV_KIND_DIRECTION_MIXTURE;
	size_t variances;

	if (statistics->header->type != TLV_FRAME_MOMENTS ||
		statistics->header->kind !=
			(directions ? TLV_KIND_DIRECTION_STATISTICS : TLV_KIND_MIXTURE_STATISTICS))
		return tlv_refuse_kind_of_statistics(ctx,
											 directions ? "a mixture of directions" : "a mixture");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	variances = tlv_mixture_variances(means->rows,
									  (tlv_covariance) tlv_frame_scalar(model, "covariance", 0));
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "sums", TLV_FLOAT64, means->rows, means->columns, NULL));
	return directions ? TLV_OK
					  : tlv_frame_require(ctx, statistics, "squares", TLV_FLOAT64, variances,
										  means->columns, NULL);
}

tlv_status
tlv_gmm_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			   const tlv_step *step, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_mixture before, mixture = {0};
	tlv_gmm_parts parts = {0};
	tlv_mixture_sums sums = {0};

	TLV_TRY(gmm_check_statistics(ctx, model, statistics));
	sums.rows = tlv_frame_scalar(statistics, "rows", 0);
	sums.log_likelihood = tlv_frame_scalar(statistics, "log_likelihood", 0);
	sums.responsibilities = (double *) tlv_frame_float64(statistics, "responsibilities");
	sums.sums = (double *) tlv_frame_float64(statistics, "sums");
	sums.squares = (double *) tlv_frame_float64(statistics, "squares");
	sums.weighted = (double *) tlv_frame_float64(statistics, "weighted");
	sums.logs = (double *) tlv_frame_float64(statistics, "logs");
	tlv_gmm_read(model, &before);
	TLV_TRY(tlv_mixture_create(ctx, before.k, before.d, before.covariance, &mixture));
	tlv_gmm_copy(&before, &mixture);
	TLV_TRY(tlv_mixture_maximize(ctx, &sums, tlv_frame_float64(statistics, "center"),
								 tlv_frame_float64(model, "floor"), step->weight, &mixture));
	if (step->weight < 1)
		TLV_TRY(tlv_mixture_blend(ctx, &before, step->weight, &mixture));
	parts.order = step->order;
	parts.mixture = &mixture;
	parts.floor = tlv_frame_float64(model, "floor");
	parts.rows = round(sums.rows);
	parts.steps = tlv_frame_scalar(model, "steps", 0) + 1;
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	parts.diagnostics = &diagnostics;
	TLV_TRY(tlv_mixture_diagnose_step(ctx, model, statistics, parts.steps, &diagnostics));
	TLV_TRY(tlv_warnings_follow_weights(ctx, &diagnostics, mixture.k, mixture.weights));
	TLV_TRY(tlv_gmm_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_mixture_free(ctx, &mixture);
	return TLV_OK;
}
