/*
 * statistics.c - what a pass over rows of three views under a model sums up, and the
 * model after the step of expectation maximisation that these sums are for.
 *
 * The stored value (kind view_statistics): scalars "rows", "nulls", "log_likelihood"; the model's
 * fingerprint "model"; "dimensions" (3, int64); "responsibilities" (k); of vectors, all views one
 * behind the other (d numbers; 0 of categories), "center" (d), "sums" (d x k) and "squares" (d x k)
 * about the center; of categories "counts1", "counts2" and "counts3" (k x d_t; k x 0 of vectors).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/step_prior.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/refusals.h"

/* Sizes: components; categories of the views; numbers of vectors of all views. */
#define SIZE_K	  TLV_SIZE_1
#define SIZE_D1	  TLV_SIZE_2
#define SIZE_D2	  TLV_SIZE_3
#define SIZE_D3	  TLV_SIZE_4
#define SIZE_WIDE TLV_SIZE_5

typedef struct statistics_state
{
	tlv_declared declared;
	multiview_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint; /* of the model */
	int64_t d[3];
	double *center; /* vectors: d */
	tlv_mixture_sums sums;
	double *counts[3];	   /* categories: k x d_t */
	tlv_mixture_rows rows; /* vectors */
} statistics_state;

/* ---- rows ---- */

static tlv_status
views_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;

	return tlv_mixture_rows_flush(
		ctx, &state->rows, state->model == NULL ? NULL : &state->model->worker, &state->sums);
}

static tlv_status
statistics_add_views(tlv_context *ctx, statistics_state *state, const tlv_part part[3])
{
	double *row;

	TLV_TRY(tlv_multiview_check_vectors(ctx, &state->model->parts, part));
	TLV_TRY(tlv_mixture_rows_next(ctx, &state->rows, state->model->mixture.d, &row));
	tlv_multiview_join_row(state->model, part, row);
	return tlv_mixture_rows_added(ctx, &state->rows, 1, &state->model->worker, &state->sums);
}

/* counts += share of every component; returns the probability of the row. */
static double
multiview_add_shares(size_t k, const double *restrict weights, const double *const p[3],
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

static void
statistics_add_categories(statistics_state *state, const tlv_part part[3])
{
	const multiview_model *model = state->model;
	size_t k = state->declared.sizes[SIZE_K], at = 0;
	const double *p[3];
	double *counts[3];

	for (int t = 0; t < 3; t++)
	{
		if (!tlv_multiview_knows(model, t, &part[t], &at))
		{
			state->declared.base.nulls++; /* as a row in which that view is missing */
			return;
		}
		p[t] = model->probabilities[t] + at * k;
		counts[t] = state->counts[t] + at * k;
	}
	/* No factor is below 1e-11: the product is a normal number. */
	state->sums.log_likelihood +=
		log(multiview_add_shares(k, model->parts.weights, p, counts, state->sums.responsibilities));
	state->sums.rows++;
}

static tlv_status
multiview_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	tlv_row whole;
	int64_t ids[3];
	bool vectors;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (row->form == TLV_ROW_VECTOR)
	{
		TLV_TRY(tlv_multiview_views_of_row(ctx, &state->model->parts, row, &whole, ids));
		row = &whole;
	}
	vectors = !is_categorical(&state->model->parts);
	if (vectors != (row->form == TLV_ROW_VIEWS))
		return tlv_multiview_refuse_row(ctx, &state->model->parts);
	TLV_TRY(tlv_row_require_parts(ctx, row));
	if (vectors)
		return statistics_add_views(ctx, state, row->part);
	statistics_add_categories(state, row->part);
	return TLV_OK;
}

tlv_status
tlv_multiview_statistics(tlv_context *ctx, tlv_model *model, const char *method,
						 tlv_accumulator **accumulator)
{
	multiview_model *own = (multiview_model *) model;
	size_t sizes[TLV_SIZES] = {own->parts.k};
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx,
							 "A multi-view mixture is refined by 'em', from rows of three views.");
	}
	for (int t = 0; t < 3; t++)
		*(is_categorical(&own->parts) ? &sizes[SIZE_D1 + t] : &sizes[SIZE_WIDE]) += own->parts.d[t];
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_view_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = own;
	state->fingerprint = model->frame.header->digest;
	for (int t = 0; t < 3; t++)
		state->d[t] = (int64_t) own->parts.d[t];
	if (sizes[SIZE_WIDE] > 0)
		memcpy(state->center, own->worker.center, sizes[SIZE_WIDE] * sizeof(double));
	return TLV_OK;
}

/* ---- the stored form ---- */

/* The dimensions are those of either form. */
static tlv_status
views_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const int64_t *d = tlv_frame_int64(frame, "dimensions");
	size_t wide = 0;
	bool right = true;

	for (int t = 0; t < 3; t++)
	{
		wide += (size_t) d[t];
		right &= sizes[SIZE_D1 + t] == (sizes[SIZE_WIDE] > 0 ? 0 : (size_t) d[t]);
	}
	if (!right || (sizes[SIZE_WIDE] > 0 && sizes[SIZE_WIDE] != wide))
		return tlv_fail(ctx, TLV_CORRUPT, "the sums are not of views of %lld, %lld and %lld",
						(long long) d[0], (long long) d[1], (long long) d[2]);
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"dimensions", TLV_INT64, TLV_THREE, TLV_ONE, TLV_POSITIVE, TLV_EQUAL, AT(d)},
	{"responsibilities", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM,
	 AT(sums.responsibilities)},
	{"counts1", TLV_FLOAT64, SIZE_K, SIZE_D1, TLV_NONNEGATIVE, TLV_SUM, AT(counts[0])},
	{"counts2", TLV_FLOAT64, SIZE_K, SIZE_D2, TLV_NONNEGATIVE, TLV_SUM, AT(counts[1])},
	{"counts3", TLV_FLOAT64, SIZE_K, SIZE_D3, TLV_NONNEGATIVE, TLV_SUM, AT(counts[2])},
	{"center", TLV_FLOAT64, SIZE_WIDE, TLV_ONE, TLV_ANY, TLV_EQUAL, AT(center)},
	{"sums", TLV_FLOAT64, SIZE_WIDE, SIZE_K, TLV_ANY, TLV_SUM, AT(sums.sums)},
	{"squares", TLV_FLOAT64, SIZE_WIDE, SIZE_K, TLV_NONNEGATIVE, TLV_SUM, AT(sums.squares)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_VIEW_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1},
	.most = {TLV_VIEW_MOST_COMPONENTS, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES,
			 TLV_VIEW_MOST_TRIPLES, 3 * (size_t) TLV_VIEW_MOST_TRIPLES},
	.flush = views_flush,
	.check_more = views_check_more,
};

static const tlv_accumulator_class statistics_class = {
	.name = "view_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_VECTOR | TLV_ROW_VIEWS | TLV_ROW_CATEGORIES,
	.add = multiview_statistics_add,
};
const tlv_kind tlv_kind_view_statistics = {TLV_KIND_LINE(VIEW_STATISTICS, view_statistics),
										   .accumulator = &statistics_class};

/* ---- the model after a step ---- */

/* Statistics of another model or of nothing are refused. */
static tlv_status
multiview_check_statistics(tlv_context *ctx, const tlv_frame *model,
						   const tlv_multiview_parts *parts, const tlv_frame *statistics)
{
	const int64_t *d;

	if (statistics->header->type != TLV_FRAME_MOMENTS ||
		statistics->header->kind != TLV_KIND_VIEW_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "a multi-view mixture");
	d = tlv_frame_int64(statistics, "dimensions");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	/* Equal digests mean equal shapes, but a value may come from anywhere. */
	if (tlv_frame_find(statistics, "responsibilities")->rows != parts->k ||
		(tlv_frame_find(statistics, "center")->rows == 0) != is_categorical(parts) ||
		(size_t) d[0] != parts->d[0] || (size_t) d[1] != parts->d[1] ||
		(size_t) d[2] != parts->d[2])
		return tlv_refuse_foreign_statistics(ctx);
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	return TLV_OK;
}

/* ---- vectors ---- */

/* Views one behind the other, d x k, into arrays of their own. */
static tlv_status
part_views(tlv_context *ctx, const size_t d[3], size_t k, const double *from, const double *to[3])
{
	for (int t = 0; t < 3; t++)
	{
		double *own = tlv_alloc(ctx, k, d[t] * sizeof(double));

		TLV_TRY_ALLOC(ctx, own);
		for (size_t j = 0; j < k; j++)
			memcpy(own + j * d[t], from + j * (d[0] + d[1] + d[2]), d[t] * sizeof(double));
		from += d[t];
		to[t] = own;
	}
	return TLV_OK;
}

void
tlv_multiview_join(const size_t d[3], size_t k, const double *const from[3], double *to)
{
	for (size_t j = 0; j < k; j++)
		for (int t = 0; t < 3; t++)
		{
			memcpy(to, from[t] + j * d[t], d[t] * sizeof(double));
			to += d[t];
		}
}

static tlv_status
maximize_vectors(tlv_context *ctx, const tlv_frame *statistics, double weight,
				 tlv_multiview_parts *parts)
{
	size_t k = parts->k, d = parts->d[0] + parts->d[1] + parts->d[2];
	tlv_mixture mixture = {0}, before = {0};
	tlv_mixture_sums sums = {0};
	double *floor;

	sums.rows = tlv_frame_scalar(statistics, "rows", 0);
	sums.responsibilities = (double *) tlv_frame_float64(statistics, "responsibilities");
	sums.sums = (double *) tlv_frame_float64(statistics, "sums");
	sums.squares = (double *) tlv_frame_float64(statistics, "squares");
	TLV_TRY(tlv_mixture_create(ctx, k, d, TLV_COVARIANCE_DIAGONAL, &mixture));
	TLV_TRY_NEW(ctx, floor, d);
	tlv_multiview_join(parts->d, k, parts->means, mixture.means);
	tlv_multiview_join(parts->d, k, parts->variances, mixture.variances);
	tlv_multiview_join(parts->d, 1, parts->floors, floor);
	TLV_TRY(tlv_mixture_create(ctx, k, d, TLV_COVARIANCE_DIAGONAL, &before));
	memcpy(before.weights, parts->weights, k * sizeof(double));
	memcpy(before.means, mixture.means, k * d * sizeof(double));
	memcpy(before.variances, mixture.variances, k * d * sizeof(double));
	TLV_TRY(tlv_mixture_maximize(ctx, &sums, tlv_frame_float64(statistics, "center"), floor, weight,
								 &mixture));
	if (weight < 1)
		TLV_TRY(tlv_mixture_blend(ctx, &before, weight, &mixture));
	tlv_mixture_free(ctx, &before);
	parts->weights = mixture.weights;
	TLV_TRY(part_views(ctx, parts->d, k, mixture.means, parts->means));
	TLV_TRY(part_views(ctx, parts->d, k, mixture.variances, parts->variances));
	tlv_free(ctx, floor);
	return TLV_OK;
}

/* ---- categories ---- */

static tlv_status
maximize_categories(tlv_context *ctx, const tlv_frame *statistics, double weight,
					tlv_multiview_parts *parts)
{
	static const char *const names[3] = {"counts1", "counts2", "counts3"};
	const double *responsibilities = tlv_frame_float64(statistics, "responsibilities");
	size_t k = parts->k;
	double rows = tlv_frame_scalar(statistics, "rows", 0);
	double *weights = tlv_alloc(ctx, k, sizeof(double));

	TLV_TRY_ALLOC(ctx, weights);
	for (size_t j = 0; j < k; j++)
		weights[j] = weight * (responsibilities[j] / rows) + (1 - weight) * parts->weights[j];
	for (int t = 0; t < 3; t++)
	{
		const double *counts = tlv_frame_float64(statistics, names[t]);
		size_t d = parts->d[t];
		double *means = tlv_alloc(ctx, k, d * sizeof(double));

		TLV_TRY_ALLOC(ctx, means);
		memcpy(means, parts->means[t], k * d * sizeof(double));
		for (size_t j = 0; j < k; j++)
		{
			double prior = tlv_category_prior(parts->weights[j] * rows, d);
			double old = tlv_step_kept(weight, parts->weights[j] * rows, prior * (double) d);
			double more = tlv_step_prior(weight, prior);
			double total = weight * responsibilities[j] + old + more * (double) d;

			for (size_t i = 0; i < d && responsibilities[j] > TLV_LEAST_OBSERVATIONS; i++)
				means[j * d + i] =
					(weight * counts[i * k + j] + old * parts->means[t][j * d + i] + more) / total;
		}
		parts->means[t] = means;
	}
	parts->weights = weights;
	return TLV_OK;
}

/* ---- a step of a stored model ---- */

tlv_status
tlv_multiview_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
					 const tlv_step *step, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_multiview_parts parts;

	tlv_multiview_read(model, &parts);
	TLV_TRY(multiview_check_statistics(ctx, model, &parts, statistics));
	TLV_TRY(is_categorical(&parts) ? maximize_categories(ctx, statistics, step->weight, &parts)
								   : maximize_vectors(ctx, statistics, step->weight, &parts));
	parts.order = step->order;
	parts.rows = tlv_frame_scalar(statistics, "rows", 0);
	parts.steps++;
	TLV_TRY(tlv_mixture_diagnose_step(ctx, model, statistics, parts.steps, &diagnostics));
	TLV_TRY(tlv_warnings_follow_weights(ctx, &diagnostics, parts.k, parts.weights));
	parts.diagnostics = &diagnostics;
	return tlv_multiview_write(ctx, &parts, image, size);
}
