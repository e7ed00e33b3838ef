/*
 * directions_statistics.c - what a pass over rows under a given mixture of directions sums up: the
 * statistics for one step of expectation maximisation.
 *
 * The stored value (kind direction_statistics): scalars "rows", "nulls", "zeros" (rows without a
 * direction, left out), "scaled" (rows whose length was not 1), "log_likelihood"; the model's
 * fingerprint "model"; "responsibilities" (k) and "sums" (d x k) of directions.
 */
#include <math.h>
#include <string.h>

#include "directions.h"
#include "tensorlv/model/diagnostics.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/mixture.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"

#define SIZE_D TLV_SIZE_1
#define SIZE_K TLV_SIZE_2

typedef struct statistics_state
{
	tlv_declared declared;
	directions_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;	 /* of the model */
	double zeros, scaled;
	directions_sums sums;
	double *block; /* d x DIRECTIONS_BLOCK rows that wait */
	size_t waiting;
} statistics_state;

static tlv_status
directions_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;
	size_t n = state->waiting;

	if (n == 0)
		return TLV_OK;
	state->waiting = 0;
	return directions_expect(ctx, &state->model->worker, n, state->block, &state->sums);
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	double length;
	size_t d;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	d = state->model->directions.d;
	if (state->block == NULL)
	{
		TLV_TRY_NEW_ROWS(ctx, state->block, d, DIRECTIONS_BLOCK);
	}
	TLV_TRY(directions_row(ctx, d, row->part[0].d, row->part[0].float64,
						   state->block + state->waiting * d, &length));
	state->zeros += length == 0;
	if (length == 0)
		return TLV_OK;
	state->scaled += fabs(length - 1) > DIRECTIONS_UNIT;
	return ++state->waiting == DIRECTIONS_BLOCK ? directions_flush(ctx, accumulator) : TLV_OK;
}

tlv_status
directions_statistics(tlv_context *ctx, tlv_model *model, const char *method,
					  tlv_accumulator **accumulator)
{
	directions_model *own = (directions_model *) model;
	const size_t sizes[TLV_SIZES] = {own->directions.d, own->directions.k};
	statistics_state *state;

	if (method != NULL && method[0] != '\0' && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "A mixture is refined by 'em'.");
	}
	TLV_TRY(
		tlv_sections_create(ctx, tlv_kind_direction_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = own;
	state->fingerprint = model->frame.header->digest;
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
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
	.kind = TLV_KIND_DIRECTION_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {2, 1},
	.most = {TLV_MIXTURE_MOST_DIMENSIONS, TLV_MIXTURE_MOST_COMPONENTS},
	.flush = directions_flush,
};

static const tlv_accumulator_class statistics_class = {
	.name = "direction_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_VECTOR,
	.add = statistics_add,
};
const tlv_kind tlv_kind_direction_statistics = {
	TLV_KIND_LINE(DIRECTION_STATISTICS, direction_statistics), .accumulator = &statistics_class};

/* ---- a step of a stored model ---- */

static tlv_status
check_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics)
{
	const tlv_section *means = tlv_frame_find(model, "means");

	if (statistics->header->type != TLV_FRAME_MOMENTS ||
		statistics->header->kind != TLV_KIND_DIRECTION_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "a mixture of directions");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(tlv_frame_scalar(statistics, "rows", 0) > 0))
		return tlv_refuse_empty_statistics(ctx);
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	return tlv_frame_require(ctx, statistics, "sums", TLV_FLOAT64, means->rows, means->columns,
							 NULL);
}

/* The sums of weight times the rows and 1 - weight times as many rows of the mixture itself. */
static tlv_status
directions_keep(tlv_context *ctx, const tlv_directions *before, double weight,
				directions_sums *sums)
{
	const double *responsibilities = sums->responsibilities, *added = sums->sums;
	size_t k = before->k, d = before->d;

	TLV_TRY_NEW_ROWS(ctx, sums->responsibilities, k, 1 + d);
	sums->sums = sums->responsibilities + k;
	for (size_t j = 0; j < k; j++)
	{
		double kept = (1 - weight) * sums->rows * before->weights[j];
		double length = kept * tlv_directions_length(d, before->kappas[j]);

		sums->responsibilities[j] = weight * responsibilities[j] + kept;
		for (size_t i = 0; i < d; i++)
			sums->sums[j * d + i] = weight * added[j * d + i] + length * before->means[j * d + i];
	}
	return TLV_OK;
}

tlv_status
directions_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				  const tlv_step *step, void **image, size_t *size)
{
	tlv_diagnostics diagnostics = {0};
	tlv_directions before, directions;
	tlv_directions_parts parts = {.directions = &directions, .diagnostics = &diagnostics};
	directions_sums sums = {0};

	TLV_TRY(check_statistics(ctx, model, statistics));
	sums.rows = tlv_frame_scalar(statistics, "rows", 0);
	sums.responsibilities = (double *) tlv_frame_float64(statistics, "responsibilities");
	sums.sums = (double *) tlv_frame_float64(statistics, "sums");
	tlv_directions_read(model, &before);
	TLV_TRY(tlv_directions_create(ctx, before.k, before.d, &directions));
	memcpy(directions.means, before.means, before.k * before.d * sizeof(double));
	memcpy(directions.kappas, before.kappas, before.k * sizeof(double));
	if (step->weight < 1)
		TLV_TRY(directions_keep(ctx, &before, step->weight, &sums));
	directions_maximize(&sums, &directions);
	parts.order = step->order;
	parts.rows = sums.rows;
	parts.steps = tlv_frame_scalar(model, "steps", 0) + 1;
	parts.seed = tlv_frame_scalar(model, "seed", 0);
	TLV_TRY(tlv_mixture_diagnose_step(ctx, model, statistics, parts.steps, &diagnostics));
	TLV_TRY(tlv_directions_write(ctx, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	tlv_directions_free(ctx, &directions);
	return TLV_OK;
}
