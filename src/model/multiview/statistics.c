/*
 * statistics.c - what a pass over rows of three views under a model sums up, and the
 * model after the step of expectation maximisation that these sums are for.
 *
 * The stored value (kind view_statistics): scalars "rows", "nulls", "log_likelihood"; the model's
 * fingerprint "model"; "dimensions" (3, int64); "responsibilities" (k); of vectors, all views one
 * behind the other (d numbers), "center" (d), "sums" (d x k) and "squares" (d x k) about the
 * center; of categories "counts1", "counts2" and "counts3" (k x d_t).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/triple_table.h"

static const char *const count_names[3] = {"counts1", "counts2", "counts3"};

typedef struct statistics_state
{
	tlv_accumulator base;
	multiview_model *model; /* NULL when only stored values are merged */
	bool known;				/* what follows is */
	bool vectors;
	tlv_digest fingerprint; /* of the model */
	int64_t d[3];
	tlv_mixture shape;	   /* of vectors, without parameters; k also of categories */
	double *center;		   /* vectors: d */
	tlv_mixture_sums sums; /* of categories without sums and squares */
	double *counts[3];	   /* categories: k x d_t */
	double *block;		   /* vectors: d x TLV_MIXTURE_BLOCK rows that wait */
	size_t waiting;
} statistics_state;

/* ---- rows ---- */

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
statistics_add_views(tlv_context *ctx, statistics_state *state, const tlv_part part[3])
{
	const double *center = state->center;
	double *row;

	TLV_TRY(tlv_multiview_check_vectors(ctx, &state->model->parts, part));
	if (state->block == NULL)
	{
		state->block = tlv_alloc(ctx, state->shape.d, TLV_MIXTURE_BLOCK * sizeof(double));
		TLV_TRY_ALLOC(ctx, state->block);
	}
	row = state->block + state->waiting * state->shape.d;
	for (int t = 0; t < 3; t++)
	{
		size_t d = part[t].d;

		for (size_t i = 0; i < d; i++)
			row[i] = part[t].float64[i] - center[i];
		row += d;
		center += d;
	}
	return ++state->waiting == TLV_MIXTURE_BLOCK ? flush(ctx, state) : TLV_OK;
}

/* counts += share of every component; returns the probability of the row. */
static double
add_shares(size_t k, const double *restrict weights, const double *const p[3],
		   double *const counts[3], double *restrict responsibilities)
{
	const double *restrict a = p[0], *restrict b = p[1], *restrict c = p[2];
	double sum = 0;

	for (size_t j = 0; j < k; j++)
		sum += weights[j] * a[j] * b[j] * c[j];
	for (size_t j = 0; j < k; j++)
	{
		double share = weights[j] * a[j] * b[j] * c[j] / sum;

		responsibilities[j] += share;
		for (int t = 0; t < 3; t++)
			counts[t][j] += share;
	}
	return sum;
}

static tlv_status
statistics_add_categories(tlv_context *ctx, statistics_state *state, const tlv_part part[3])
{
	const multiview_model *model = state->model;
	size_t k = state->shape.k, at = 0;
	const double *p[3];
	double *counts[3];

	for (int t = 0; t < 3; t++)
	{
		TLV_TRY(tlv_multiview_position(ctx, model, t, part[t].ids[0], &at));
		p[t] = model->probabilities[t] + at * k;
		counts[t] = state->counts[t] + at * k;
	}
	/* No factor is below 1e-11: the product is a normal number. */
	state->sums.log_likelihood +=
		log(add_shares(k, model->parts.weights, p, counts, state->sums.responsibilities));
	state->sums.rows++;
	return TLV_OK;
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	if (state->vectors != (row->form == TLV_ROW_VIEWS))
		return tlv_multiview_refuse_row(ctx, &state->model->parts);
	TLV_TRY(tlv_row_require_parts(ctx, row));
	return state->vectors ? statistics_add_views(ctx, state, row->part)
						  : statistics_add_categories(ctx, state, row->part);
}

/* ---- states ---- */

static tlv_status
statistics_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	statistics_state *state = tlv_alloc0(ctx, 1, sizeof(statistics_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_view_statistics.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

/* Sums of the shape that state's d and shape.k say; center: of vectors. */
static tlv_status
allocate(tlv_context *ctx, statistics_state *state, const double *center)
{
	size_t k = state->shape.k, d = 0;
	double *block;

	for (int t = 0; t < 3; t++)
		d += (size_t) state->d[t];
	state->shape.d = d;
	state->shape.covariance = TLV_COVARIANCE_DIAGONAL;
	state->vectors = center != NULL;
	if (state->vectors)
	{
		TLV_TRY(tlv_mixture_sums_create(ctx, &state->shape, &state->sums));
		state->center = tlv_alloc(ctx, d, sizeof(double));
		TLV_TRY_ALLOC(ctx, state->center);
		memcpy(state->center, center, d * sizeof(double));
	}
	else
	{
		block = tlv_alloc0(ctx, d + 1, k * sizeof(double));
		TLV_TRY_ALLOC(ctx, block);
		state->sums.responsibilities = block;
		block += k;
		for (int t = 0; t < 3; t++)
		{
			state->counts[t] = block;
			block += (size_t) state->d[t] * k;
		}
	}
	state->known = true;
	return TLV_OK;
}

/* The model as a mixture of vectors of all views, and what blocks of rows need; once. */
static tlv_status
prepare(tlv_context *ctx, multiview_model *model)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t d = parts->d[0] + parts->d[1] + parts->d[2];

	if (model->prepared)
		return TLV_OK;
	TLV_TRY(tlv_mixture_create(ctx, parts->k, d, TLV_COVARIANCE_DIAGONAL, &model->mixture));
	memcpy(model->mixture.weights, parts->weights, parts->k * sizeof(double));
	tlv_multiview_join(parts->d, parts->k, parts->means, model->mixture.means);
	tlv_multiview_join(parts->d, parts->k, parts->variances, model->mixture.variances);
	TLV_TRY(tlv_mixture_worker_open(ctx, &model->mixture, NULL, &model->worker));
	TLV_TRY(tlv_mixture_worker_prepare(ctx, &model->worker));
	model->prepared = true;
	return TLV_OK;
}

tlv_status
tlv_multiview_statistics(tlv_context *ctx, tlv_model *model, const char *method,
						 tlv_accumulator **accumulator)
{
	multiview_model *own = (multiview_model *) model;
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_status status =
			tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);

		tlv_fail_hint(ctx, "A multi-view mixture is refined by 'em', from rows of three views.");
		return status;
	}
	if (!is_categorical(&own->parts))
		TLV_TRY(prepare(ctx, own));
	TLV_TRY(statistics_create(ctx, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = own;
	state->fingerprint = model->frame.header->digest;
	state->shape.k = own->parts.k;
	for (int t = 0; t < 3; t++)
		state->d[t] = (int64_t) own->parts.d[t];
	return allocate(ctx, state, is_categorical(&own->parts) ? NULL : own->worker.center);
}

/* ---- merging and storing ---- */

static void
add_numbers(size_t n, const double *restrict from, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

static tlv_status
statistics_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	statistics_state *state = (statistics_state *) accumulator;
	const int64_t *d = tlv_frame_int64(frame, "dimensions");
	const double *center = tlv_frame_float64(frame, "center");
	size_t k = tlv_frame_find(frame, "responsibilities")->rows;

	if (!state->known)
	{
		state->fingerprint = *tlv_frame_digest(frame, "model");
		state->shape.k = k;
		memcpy(state->d, d, sizeof(state->d));
		TLV_TRY(allocate(ctx, state, center));
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) ||
		state->shape.k != k || memcmp(state->d, d, sizeof(state->d)) != 0 ||
		state->vectors != (center != NULL) ||
		(state->vectors && memcmp(state->center, center, state->shape.d * sizeof(double)) != 0))
	{
		tlv_status status = tlv_fail(ctx, TLV_BAD_PARAMETER,
									 "the statistics were collected under different models");

		tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
		return status;
	}
	add_numbers(k, tlv_frame_float64(frame, "responsibilities"), state->sums.responsibilities);
	if (state->vectors)
	{
		add_numbers(k * state->shape.d, tlv_frame_float64(frame, "sums"), state->sums.sums);
		add_numbers(k * state->shape.d, tlv_frame_float64(frame, "squares"), state->sums.squares);
	}
	for (int t = 0; t < 3 && !state->vectors; t++)
		add_numbers(k * (size_t) d[t], tlv_frame_float64(frame, count_names[t]), state->counts[t]);
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
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_VIEW_STATISTICS);
	tlv_frame_add_scalar(builder, "rows", state->sums.rows);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "log_likelihood", state->sums.log_likelihood);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "dimensions", TLV_INT64, 3, 1, state->d);
	tlv_frame_add(builder, "responsibilities", TLV_FLOAT64, k, 1, state->sums.responsibilities);
	for (int t = 0; t < 3 && !state->vectors; t++)
		tlv_frame_add(builder, count_names[t], TLV_FLOAT64, k, (uint64_t) state->d[t],
					  state->counts[t]);
	if (!state->vectors)
		return TLV_OK;
	tlv_frame_add(builder, "center", TLV_FLOAT64, d, 1, state->center);
	tlv_frame_add(builder, "sums", TLV_FLOAT64, d, k, state->sums.sums);
	tlv_frame_add(builder, "squares", TLV_FLOAT64, d, k, state->sums.squares);
	return TLV_OK;
}

static tlv_status
check_sums(tlv_context *ctx, const tlv_frame *frame, const uint64_t d[3], uint64_t k)
{
	uint64_t wide = d[0] + d[1] + d[2];

	if (tlv_frame_find(frame, "center") != NULL)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, "center", TLV_FLOAT64, wide, 1, NULL));
		TLV_TRY(tlv_frame_require(ctx, frame, "sums", TLV_FLOAT64, wide, k, NULL));
		TLV_TRY(tlv_frame_require(ctx, frame, "squares", TLV_FLOAT64, wide, k, NULL));
		return tlv_frame_require_minimum(ctx, frame, "squares", 0);
	}
	for (int t = 0; t < 3; t++)
	{
		TLV_TRY(tlv_frame_require(ctx, frame, count_names[t], TLV_FLOAT64, k, d[t], NULL));
		TLV_TRY(tlv_frame_require_minimum(ctx, frame, count_names[t], 0));
	}
	return TLV_OK;
}

static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *responsibilities = tlv_frame_find(frame, "responsibilities");
	const int64_t *dimensions = NULL;
	uint64_t d[3], k;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "rows"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "nulls"));
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	TLV_TRY(
		tlv_frame_require(ctx, frame, "dimensions", TLV_INT64, 3, 1, (const void **) &dimensions));
	for (int t = 0; t < 3; t++)
	{
		if (dimensions[t] < 1 || dimensions[t] > TLV_VIEW_MOST_TRIPLES)
			return tlv_fail(ctx, TLV_CORRUPT, "view %d has %lld dimensions", t + 1,
							(long long) dimensions[t]);
		d[t] = (uint64_t) dimensions[t];
	}
	if (responsibilities == NULL || responsibilities->rows == 0 ||
		responsibilities->rows > TLV_VIEW_MOST_COMPONENTS)
		return tlv_fail(ctx, TLV_CORRUPT,
						"section \"responsibilities\" is missing or has the wrong shape");
	k = responsibilities->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "responsibilities", TLV_FLOAT64, k, 1, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "responsibilities", 0));
	return check_sums(ctx, frame, d, k);
}

static const tlv_accumulator_class statistics_class = {
	.name = "view_statistics",
	.create = statistics_create,
	.merge = statistics_merge,
	.build = statistics_build,
	.rows = TLV_ROW_VIEWS | TLV_ROW_CATEGORIES,
	.add = statistics_add,
};
const tlv_kind tlv_kind_view_statistics = {TLV_KIND_LINE(VIEW_STATISTICS, view_statistics),
										   .check = statistics_check,
										   .accumulator = &statistics_class};
