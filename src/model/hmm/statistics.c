/*
 * statistics.c - expected sufficient statistics of sequences under a
 * hidden Markov model, and the model that follows: one Baum-Welch step (Baum,
 * Petrie, Soules, Weiss 1970) as an aggregate.
 *
 * The value (kind sequence_statistics): scalars "sequences", "nulls", "empty",
 * "steps", "log_likelihood", "states" (k), "width" (d), "gaussian"; "model"
 * (fingerprint); "sums": initial states (k), pairs (k x k, [to + k from]), then of
 * symbols the expected emissions (k x d), of vectors the sums of weight times x - mean
 * (k x d), weights (k) and sums of weight |x - mean|^2 (k).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"

/* Less expected steps than this do not move a state. */
#define LEAST_STEPS 1e-8
/* Part of the mean variance below which a state's is not taken: it would shrink to a point. */
#define VARIANCE_FLOOR 1e-4

typedef struct statistics_state
{
	tlv_accumulator base;
	tlv_hmm_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t k;
	size_t d;
	bool gaussian;
	double sequences;
	double empty;
	double steps;
	tlv_hmm_sums sums; /* in one block, from sums.initial on */
	tlv_hmm_batch batch;
	double *work; /* vectors: stride x (d + 2) */
	const tlv_sequence *sequence;
} statistics_state;

static size_t
sum_count(const statistics_state *state)
{
	return state->k * (1 + state->k + state->d + (state->gaussian ? 2 : 0));
}

static tlv_status
allocate_sums(tlv_context *ctx, statistics_state *state)
{
	tlv_hmm_sums *sums = &state->sums;
	size_t k = state->k;

	sums->initial = tlv_alloc0(ctx, sum_count(state), sizeof(double));
	TLV_TRY_ALLOC(ctx, sums->initial);
	sums->pairs = sums->initial + k;
	sums->emissions = sums->deviations = sums->pairs + k * k;
	sums->weights = sums->emissions + k * state->d;
	sums->squares = sums->weights + k;
	return TLV_OK;
}

static tlv_status
statistics_create(tlv_context *ctx, tlv_accumulator **accumulator)
{
	statistics_state *state = tlv_alloc0(ctx, 1, sizeof(statistics_state));

	TLV_TRY_ALLOC(ctx, state);
	state->base.class = tlv_kind_sequence_statistics.accumulator;
	*accumulator = &state->base;
	return TLV_OK;
}

tlv_status
tlv_hmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	statistics_state *state;

	(void) method; /* there is one */
	TLV_TRY(statistics_create(ctx, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = hmm;
	state->fingerprint = model->frame.header->digest;
	state->k = hmm->parts.k;
	state->d = hmm->parts.d;
	state->gaussian = hmm->parts.gaussian;
	return allocate_sums(ctx, state);
}

/* ---- one sequence ---- */

static tlv_status
visit_block(tlv_context *ctx, void *argument, size_t first, size_t n, const int32_t *at,
			const double *gamma)
{
	statistics_state *state = argument;
	size_t k = state->k, stride = state->model->stride;

	for (size_t j = 0; first == 0 && j < k; j++)
		state->sums.initial[j] += gamma[j];
	if (state->gaussian)
	{
		if (state->work == NULL)
		{
			state->work = tlv_alloc(ctx, state->d + 2, stride * sizeof(double));
			TLV_TRY_ALLOC(ctx, state->work);
		}
		tlv_hmm_add_vectors(state->model, n, state->sequence->x + first * state->d, gamma,
							state->work, &state->sums);
		return TLV_OK;
	}
	for (size_t i = 0; i < n; i++, gamma += stride)
	{
		double *own = state->sums.emissions + (size_t) at[i] * k;

		for (size_t j = 0; (size_t) at[i] < state->d && j < k; j++)
			own[j] += gamma[j];
	}
	return TLV_OK;
}

/* A sequence that is too long to wait for others. */
static tlv_status
add_long(tlv_context *ctx, statistics_state *state, const tlv_sequence *sequence)
{
	double log_likelihood;

	state->sequence = sequence;
	TLV_TRY(tlv_hmm_smooth(ctx, state->model, sequence, visit_block, state, state->sums.pairs,
						   &log_likelihood));
	state->sequence = NULL;
	state->sums.log_likelihood += log_likelihood;
	return TLV_OK;
}

static tlv_status
statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	tlv_sequence sequence = tlv_sequence_of_row(row);
	size_t n = sequence.n;
	bool full = n > 0;

	if (state->model == NULL)
		return tlv_fail(ctx, TLV_INTERNAL, "statistics without a model cannot take rows");
	if (n == 0)
	{
		state->empty++;
		return TLV_OK;
	}
	TLV_TRY(tlv_hmm_check_sequence(ctx, state->model, &sequence));
	if (n > tlv_hmm_batch_most(state->model))
		TLV_TRY(add_long(ctx, state, &sequence));
	else
		TLV_TRY(tlv_hmm_batch_add(ctx, state->model, &state->batch, &sequence, &full));
	if (n <= tlv_hmm_batch_most(state->model) && full)
	{
		TLV_TRY(tlv_hmm_batch_run(ctx, state->model, &state->batch, &state->sums));
		TLV_TRY(tlv_hmm_batch_add(ctx, state->model, &state->batch, &sequence, &full));
	}
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
}

/* ---- stored values ---- */

static tlv_status
refuse_other_model(tlv_context *ctx)
{
	tlv_status status =
		tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics were collected under different models");

	tlv_fail_hint(ctx, "Collect all parts with one and the same model.");
	return status;
}

static tlv_status
statistics_merge(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_frame *frame)
{
	statistics_state *state = (statistics_state *) accumulator;
	const tlv_section *sums = tlv_frame_find(frame, "sums");
	const double *numbers = tlv_frame_float64(frame, "sums");
	size_t k = (size_t) tlv_frame_scalar(frame, "states", 0);
	size_t d = (size_t) tlv_frame_scalar(frame, "width", 0);
	bool gaussian = tlv_frame_scalar(frame, "gaussian", 0) != 0;

	if (state->sums.initial == NULL)
	{
		state->fingerprint = *tlv_frame_digest(frame, "model");
		state->k = k;
		state->d = d;
		state->gaussian = gaussian;
		TLV_TRY(allocate_sums(ctx, state));
	}
	if (!tlv_digest_equal(&state->fingerprint, tlv_frame_digest(frame, "model")) || state->k != k ||
		state->d != d || state->gaussian != gaussian || sums->rows != sum_count(state))
		return refuse_other_model(ctx);
	for (size_t i = 0; i < sums->rows; i++)
		state->sums.initial[i] += numbers[i];
	state->base.nulls += tlv_frame_scalar(frame, "nulls", 0);
	state->sequences += tlv_frame_scalar(frame, "sequences", 0);
	state->empty += tlv_frame_scalar(frame, "empty", 0);
	state->steps += tlv_frame_scalar(frame, "steps", 0);
	state->sums.log_likelihood += tlv_frame_scalar(frame, "log_likelihood", 0);
	return TLV_OK;
}

static tlv_status
statistics_build(tlv_context *ctx, tlv_accumulator *accumulator, tlv_frame_builder *builder)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model != NULL)
		TLV_TRY(tlv_hmm_batch_run(ctx, state->model, &state->batch, &state->sums));
	if (!isfinite(state->sums.log_likelihood))
		return tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too far from the model's");
	for (size_t i = 0; i < sum_count(state); i++)
		if (!isfinite(state->sums.initial[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "the numbers are too large");
	tlv_frame_begin(builder, TLV_FRAME_MOMENTS, TLV_KIND_SEQUENCE_STATISTICS);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "states", (double) state->k);
	tlv_frame_add_scalar(builder, "width", (double) state->d);
	tlv_frame_add_scalar(builder, "gaussian", state->gaussian);
	tlv_frame_add_scalar(builder, "sequences", state->sequences);
	tlv_frame_add_scalar(builder, "nulls", state->base.nulls);
	tlv_frame_add_scalar(builder, "empty", state->empty);
	tlv_frame_add_scalar(builder, "steps", state->steps);
	tlv_frame_add_scalar(builder, "log_likelihood", state->sums.log_likelihood);
	tlv_frame_add_digest(builder, "model", &state->fingerprint);
	tlv_frame_add(builder, "sums", TLV_FLOAT64, sum_count(state), 1, state->sums.initial);
	return TLV_OK;
}

static tlv_status
statistics_check(tlv_context *ctx, const tlv_frame *frame)
{
	static const char *const scalars[] = {"states", "width", "gaussian", "sequences",
										  "nulls",	"empty", "steps"};
	double k, d;

	for (size_t i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		TLV_TRY(tlv_frame_require_whole(ctx, frame, scalars[i]));
	k = tlv_frame_scalar(frame, "states", 0);
	d = tlv_frame_scalar(frame, "width", 0);
	if (k < 1 || k > UINT16_MAX || d < 1 || k * (3 + k + d) > (double) TLV_FRAME_MAX_BYTES / 8)
		return tlv_fail(ctx, TLV_CORRUPT, "the statistics are of %g states and %g numbers", k, d);
	TLV_TRY(tlv_frame_require(ctx, frame, "log_likelihood", TLV_FLOAT64, 1, 1, NULL));
	TLV_TRY(tlv_frame_require_digest(ctx, frame, "model"));
	return tlv_frame_require(
		ctx, frame, "sums", TLV_FLOAT64,
		(uint64_t) (k * (1 + k + d + (tlv_frame_scalar(frame, "gaussian", 0) != 0 ? 2 : 0))), 1,
		NULL);
}

static const tlv_accumulator_class statistics_class = {
	.name = "sequence_statistics",
	.create = statistics_create,
	.merge = statistics_merge,
	.build = statistics_build,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS,
	.add = statistics_add,
};
const tlv_kind tlv_kind_sequence_statistics = {
	TLV_KIND_LINE(SEQUENCE_STATISTICS, sequence_statistics), .check = statistics_check,
	.accumulator = &statistics_class};

/* ---- the model after the step ---- */

/* Shares of expected counts; as before where nothing was expected. */
static void
share(size_t n, size_t stride, const double *counts, const double *before, double *shares)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fmax(counts[i * stride], 0);
	for (size_t i = 0; i < n; i++)
		shares[i * stride] =
			sum > LEAST_STEPS ? fmax(counts[i * stride], 0) / sum : before[i * stride];
}

/* Means and variances of vectors; a common floor keeps a state from shrinking to one point. */
static void
update_vectors(const statistics_state *sums, const tlv_hmm_parts *before, double *means,
			   double *variances)
{
	size_t k = sums->k, d = sums->d;
	double total = 0, weight = 0;

	memcpy(means, before->emissions, k * d * sizeof(double));
	memcpy(variances, before->variances, k * sizeof(double));
	for (size_t j = 0; j < k; j++)
	{
		double moved = 0;

		if (!(sums->sums.weights[j] > LEAST_STEPS))
			continue;
		for (size_t i = 0; i < d; i++)
		{
			double step = sums->sums.deviations[i * k + j] / sums->sums.weights[j];

			means[j * d + i] += step;
			moved += step * step;
		}
		variances[j] = fmax(sums->sums.squares[j] / sums->sums.weights[j] - moved, 0) / (double) d;
		total += variances[j] * sums->sums.weights[j];
		weight += sums->sums.weights[j];
	}
	for (size_t j = 0; j < k && weight > 0; j++)
		variances[j] = fmax(variances[j], VARIANCE_FLOOR * total / weight);
}

static tlv_status
read_sums(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
		  tlv_accumulator **accumulator)
{
	if (statistics->header->kind != TLV_KIND_SEQUENCE_STATISTICS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"a hidden Markov model is updated with sequence_statistics only");
	if (!tlv_digest_equal(tlv_frame_digest(statistics, "model"), &model->header->digest))
		return tlv_fail(ctx, TLV_BAD_PARAMETER,
						"the statistics were collected under another model");
	if (tlv_frame_scalar(statistics, "steps", 0) == 0)
		return tlv_fail(ctx, TLV_BAD_DATA, "the statistics hold no sequence");
	TLV_TRY(statistics_create(ctx, accumulator));
	return statistics_merge(ctx, *accumulator, statistics);
}

tlv_status
tlv_hmm_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, void **image,
			   size_t *size)
{
	static const char *const replaced[] = {"log_likelihood", "log_likelihood_per_step",
										   "refinement_steps", NULL};
	tlv_hmm_parts before, after;
	tlv_diagnostics diagnostics = {0};
	tlv_accumulator *accumulator = NULL;
	const statistics_state *sums;
	double *block, *emissions, *transitions, *variances;
	size_t k, d;

	TLV_TRY(read_sums(ctx, model, statistics, &accumulator));
	if (accumulator == NULL) /* cannot be */
		return tlv_fail(ctx, TLV_INTERNAL, "no statistics");
	sums = (const statistics_state *) accumulator;
	tlv_hmm_read(model, &before);
	k = before.k;
	d = before.d;
	if (sums->k != k || sums->d != d || sums->gaussian != before.gaussian)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "the statistics are not of this model");
	block = tlv_alloc(ctx, 2 * k + k * k + k * d, sizeof(double));
	TLV_TRY_ALLOC(ctx, block);
	transitions = block + k;
	variances = transitions + k * k;
	emissions = variances + k;
	share(k, 1, sums->sums.initial, before.initial, block);
	for (size_t j = 0; j < k; j++)
	{
		share(k, 1, sums->sums.pairs + j * k, before.transitions + j * k, transitions + j * k);
		if (!before.gaussian)
			share(d, k, sums->sums.emissions + j, before.emissions + j, emissions + j);
	}
	if (before.gaussian)
		update_vectors(sums, &before, emissions, variances);
	TLV_TRY(tlv_diagnostics_copy(ctx, &diagnostics, model, replaced));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, before.steps + 1, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, sums->sums.log_likelihood, "log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, &diagnostics, sums->sums.log_likelihood / sums->steps,
						 "log_likelihood_per_step"));
	after = before;
	after.steps = before.steps + 1;
	after.initial = block;
	after.transitions = transitions;
	after.emissions = emissions;
	after.variances = variances;
	after.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &after, image, size);
}
