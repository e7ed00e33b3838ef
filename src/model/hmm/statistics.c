/*
 * statistics.c - expected sufficient statistics of sequences under a
 * hidden Markov model, and the model that follows: one Baum-Welch step (Baum,
 * Petrie, Soules, Weiss 1970) as an aggregate.
 *
 * The value (kind sequence_statistics): scalars "sequences", "nulls", "empty",
 * "steps", "log_likelihood"; "model" (fingerprint); "initial" states (k), "pairs" (k x k,
 * [to + k from]); "emissions" (k x d): of symbols their expected numbers, of vectors the sums of
 * weight times x - mean; of vectors "weights" (k) and "squares", sums of
 * weight |x - mean|^2 (k), or of the squares of coordinates or the packed products (k x as many).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/numbers.h"

/* Sizes: states, symbols or numbers of a vector, 1 of vectors. */
#define SIZE_K		 TLV_SIZE_1
#define SIZE_D		 TLV_SIZE_2
#define SIZE_VECTORS TLV_SIZE_3
#define SIZE_SQUARES TLV_SIZE_4

typedef struct statistics_state
{
	tlv_declared declared;
	tlv_hmm_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	size_t k;
	size_t d;
	bool gaussian;
	double sequences;
	double empty;
	double steps;
	tlv_hmm_sums sums;
	tlv_hmm_batch batch;
	double *work; /* vectors: stride x tlv_hmm_vector_sums */
	const tlv_sequence *sequence;
} statistics_state;

/* What was allocated, or read; the deviations of vectors lie where emissions do. */
static tlv_status
sequences_sized(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;

	state->k = state->declared.sizes[SIZE_K];
	state->d = state->declared.sizes[SIZE_D];
	state->gaussian = state->declared.sizes[SIZE_VECTORS] > 0;
	state->sums.deviations = state->sums.emissions;
	return TLV_OK;
}

tlv_status
tlv_hmm_statistics(tlv_context *ctx, tlv_model *model, const char *method,
				   tlv_accumulator **accumulator)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	const size_t sizes[TLV_SIZES] = {hmm->parts.k, hmm->parts.d, hmm->parts.gaussian,
									 hmm->variances};
	statistics_state *state;

	if (method != NULL && strcmp(method, "em") != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use 'em'.");
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_sequence_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = hmm;
	state->fingerprint = model->frame.header->digest;
	return TLV_OK;
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
			state->work =
				tlv_alloc(ctx, tlv_hmm_vector_sums(state->model), stride * sizeof(double));
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

/* A sequence that is too long to wait for others, or of which numbers are missing. */
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

static bool
is_all_missing(const tlv_sequence *sequence, size_t d)
{
	if (sequence->x == NULL || sequence->missing == NULL)
		return false;
	for (size_t i = 0; i < sequence->n * d; i++)
		if (!sequence->missing[i])
			return false;
	return true;
}

static tlv_status
hmm_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	tlv_sequence sequence = tlv_sequence_of_row(row);
	size_t n = sequence.n;
	bool full = n > 0, alone;

	if (state->model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	if (n == 0 || is_all_missing(&sequence, state->d))
	{
		state->empty++;
		return TLV_OK;
	}
	TLV_TRY(tlv_hmm_check_sequence(ctx, state->model, &sequence));
	alone =
		n > tlv_hmm_batch_most(state->model) || (sequence.x != NULL && sequence.missing != NULL);
	if (alone)
		TLV_TRY(add_long(ctx, state, &sequence));
	else
		TLV_TRY(tlv_hmm_batch_add(ctx, state->model, &state->batch, &sequence, &full));
	if (!alone && full)
	{
		TLV_TRY(tlv_hmm_batch_run(ctx, state->model, &state->batch, &state->sums));
		TLV_TRY(tlv_hmm_batch_add(ctx, state->model, &state->batch, &sequence, &full));
	}
	state->sequences++;
	state->steps += (double) n;
	return TLV_OK;
}

/* ---- stored values ---- */

/* Sequences that wait enter the sums. */
static tlv_status
sequences_flush(tlv_context *ctx, tlv_accumulator *accumulator)
{
	statistics_state *state = (statistics_state *) accumulator;

	if (state->model != NULL)
		TLV_TRY(tlv_hmm_batch_run(ctx, state->model, &state->batch, &state->sums));
	if (!isfinite(state->sums.log_likelihood))
		return tlv_refuse_far_numbers(ctx);
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"sequences", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sequences)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"empty", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(empty)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(steps)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"initial", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.initial)},
	{"pairs", TLV_FLOAT64, SIZE_K, SIZE_K, TLV_NONNEGATIVE, TLV_SUM, AT(sums.pairs)},
	{"emissions", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_ANY, TLV_SUM, AT(sums.emissions)},
	{"weights", TLV_FLOAT64, SIZE_K, SIZE_VECTORS, TLV_NONNEGATIVE, TLV_SUM, AT(sums.weights)},
	{"squares", TLV_FLOAT64, SIZE_K, SIZE_SQUARES, TLV_ANY, TLV_SUM, AT(sums.squares)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_SEQUENCE_STATISTICS,
	.n = sizeof(statistics_list) / sizeof(statistics_list[0]),
	.list = statistics_list,
	.least = {1, 1, 0, 0},
	.most = {UINT16_MAX, TLV_DICTIONARY_MAX, 1, TLV_FRAME_MAX_BYTES / sizeof(double)},
	.flush = sequences_flush,
	.sized = sequences_sized,
};

static const tlv_accumulator_class statistics_class = {
	.name = "sequence_statistics",
	TLV_DECLARED(&statistics_sections),
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.add = hmm_statistics_add,
};
const tlv_kind tlv_kind_sequence_statistics = {
	TLV_KIND_LINE(SEQUENCE_STATISTICS, sequence_statistics), .accumulator = &statistics_class};

/* ---- the model after the step ---- */

/* Shares of expected counts; as before where nothing was expected. */
static void
hmm_share(size_t n, size_t stride, const double *counts, const double *before, double *shares)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fmax(counts[i * stride], 0);
	for (size_t i = 0; i < n; i++)
		shares[i * stride] =
			sum > TLV_ROUNDING ? fmax(counts[i * stride], 0) / sum : before[i * stride];
}

/* Expected steps with a symbol that the model knows, or with a vector. */
static double
observed_steps(const tlv_frame *statistics)
{
	const tlv_section *sums = tlv_frame_find(statistics, "weights");
	double observed = 0;

	if (sums->rows * sums->columns == 0)
		sums = tlv_frame_find(statistics, "emissions");
	for (size_t i = 0; i < sums->rows * sums->columns; i++)
		observed += tlv_frame_float64(statistics, sums->name)[i];
	return observed;
}

static tlv_status
read_sums(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
		  tlv_accumulator **accumulator)
{
	if (statistics->header->kind != TLV_KIND_SEQUENCE_STATISTICS)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER,
				 "a hidden Markov model is updated with sequence_statistics only");
		return tlv_fail_hint(ctx, "Collect them with tlv_statistics(sequence, model).");
	}
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	if (!(observed_steps(statistics) > TLV_ROUNDING))
		return tlv_refuse_empty_statistics(ctx);
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_sequence_statistics.accumulator, NULL, accumulator));
	return tlv_sections_merge(ctx, *accumulator, statistics);
}

/* The chain after the step, as far as it is free. */
static void
update_chain(const tlv_hmm_sums *sums, const tlv_hmm_parts *before, double *initial,
			 double *transitions)
{
	size_t k = before->k;
	bool left_right = (before->constraints & TLV_HMM_LEFT_RIGHT) != 0;

	memcpy(initial, before->initial, k * sizeof(double));
	memcpy(transitions, before->transitions, k * k * sizeof(double));
	if (!left_right)
		hmm_share(k, 1, sums->initial, before->initial, initial);
	for (size_t j = 0; (before->constraints & TLV_HMM_FIXED_TRANSITIONS) == 0 && j < k; j++)
	{
		hmm_share(k, 1, sums->pairs + j * k, before->transitions + j * k, transitions + j * k);
		for (size_t to = 0; left_right && to < j; to++)
			transitions[j * k + to] = 0;
	}
}

static tlv_status
update_diagnostics(tlv_context *ctx, const tlv_frame *model, const statistics_state *sums,
				   double steps, tlv_diagnostics *diagnostics)
{
	static const char *const replaced[] = {"log_likelihood", "log_likelihood_per_step",
										   "refinement_steps", NULL};

	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, replaced));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, steps, "refinement_steps"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sums->sums.log_likelihood, "log_likelihood"));
	return tlv_diagnose(ctx, diagnostics, sums->sums.log_likelihood / sums->steps,
						"log_likelihood_per_step");
}

static tlv_status
require_shape(tlv_context *ctx, const statistics_state *sums, const tlv_hmm_parts *model)
{
	size_t numbers = model->gaussian ? tlv_mixture_variances(model->d, model->covariance) : 0;

	if (sums->k != model->k || sums->d != model->d || sums->gaussian != model->gaussian ||
		sums->declared.sizes[SIZE_SQUARES] != numbers)
		return tlv_refuse_foreign_statistics(ctx);
	return TLV_OK;
}

/* ---- steps of the model's own ---- */

static double
hmm_total_of(size_t n, const double *x)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return sum;
}

/* Powers of the transition probabilities, as k x k matrices from the left. */
typedef struct chain_powers
{
	double *power; /* of n steps */
	double *sum;   /* of the powers of 0 to n - 1 steps */
	double *room;
} chain_powers;

static void
hmm_swap(double **a, double **b)
{
	double *c = *a;

	*a = *b;
	*b = c;
}

/* From n steps to 2 n. */
static tlv_status
double_powers(tlv_context *ctx, size_t k, chain_powers *powers)
{
	memcpy(powers->room, powers->sum, k * k * sizeof(double));
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, powers->sum, k, powers->power, k, 1,
					 powers->room, k));
	hmm_swap(&powers->sum, &powers->room);
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, k, 1, powers->power, k, powers->power, k, 0,
					 powers->room, k));
	hmm_swap(&powers->power, &powers->room);
	return TLV_OK;
}

/*
 * The part of its first steps that the chain is expected to spend in each state: states that it
 * leaves for good, as one from left to right does, have no stationary probability.
 */
static tlv_status
expect_occupancy(tlv_context *ctx, const tlv_hmm_parts *model, uint64_t steps, double *occupancy)
{
	size_t k = model->k;
	double *now, *next;
	chain_powers powers;

	TLV_TRY_NEW_ROWS(ctx, now, k, 2 + 3 * k);
	next = now + k;
	powers = (chain_powers){next + k, next + k + k * k, next + k + 2 * k * k};
	memcpy(now, model->initial, k * sizeof(double));
	memcpy(powers.power, model->transitions, k * k * sizeof(double));
	for (size_t i = 0; i < k * k; i++)
		powers.sum[i] = i % (k + 1) == 0;
	memset(occupancy, 0, k * sizeof(double));
	for (uint64_t left = steps; left > 0; left /= 2)
	{
		TLV_TRY_CONTINUE(ctx);
		if (left % 2 == 1)
		{
			TLV_TRY(tlv_gemm(ctx, false, false, k, 1, k, 1 / (double) steps, powers.sum, k, now, k,
							 1, occupancy, k));
			TLV_TRY(tlv_gemm(ctx, false, false, k, 1, k, 1, powers.power, k, now, k, 0, next, k));
			memcpy(now, next, k * sizeof(double));
		}
		if (left > 1)
			TLV_TRY(double_powers(ctx, k, &powers));
	}
	tlv_free(ctx, now);
	return TLV_OK;
}

/* The square of coordinates i and c about the mean of state j; of all, spherical. */
static double
expected_square(const tlv_hmm_parts *model, size_t j, size_t i, size_t c)
{
	double sum = 0;

	if (model->covariance >= TLV_COVARIANCE_DIAGONAL)
		return tlv_hmm_covariance(model, j, i, c);
	for (size_t e = 0; e < model->d; e++)
		sum += tlv_hmm_variance(model, j, e);
	return sum;
}

/* Squares of a state as they lie: k x one, coordinates, or pairs of coordinates. */
static void
keep_squares(const tlv_hmm_parts *model, size_t j, double weight, double kept, double *squares)
{
	size_t k = model->k, d = model->covariance < TLV_COVARIANCE_DIAGONAL ? 1 : model->d, e = 0;
	bool full = model->covariance == TLV_COVARIANCE_FULL;

	for (size_t i = 0; i < d; i++)
		for (size_t c = full ? 0 : i; c <= i; c++, e++)
			squares[e * k + j] =
				weight * squares[e * k + j] + kept * expected_square(model, j, i, c);
}

static void
keep_emissions(const tlv_hmm_parts *model, const double *occupancy, double steps, double weight,
			   tlv_hmm_sums *sums)
{
	size_t k = model->k, d = model->d;

	for (size_t j = 0; j < k; j++)
	{
		double kept = (1 - weight) * steps * occupancy[j];

		for (size_t i = 0; i < d && !model->gaussian; i++)
			sums->emissions[i * k + j] =
				weight * sums->emissions[i * k + j] + kept * model->emissions[i * k + j];
		if (!model->gaussian)
			continue;
		sums->weights[j] = weight * sums->weights[j] + kept;
		for (size_t i = 0; i < d; i++)
			sums->deviations[i * k + j] *= weight;
		keep_squares(model, j, weight, kept, sums->squares);
	}
}

/* The sums of weight times the steps, and of 1 - weight times as many of the model itself,
 * in sequences of their mean length. */
static tlv_status
hmm_keep(tlv_context *ctx, const tlv_hmm_parts *model, double weight, tlv_hmm_sums *sums)
{
	/* Sequences are no longer. */
	const double most_steps = 1e15;
	size_t k = model->k;
	double first = hmm_total_of(k, sums->initial), pairs = hmm_total_of(k * k, sums->pairs);
	double steps = model->gaussian ? hmm_total_of(k, sums->weights)
								   : hmm_total_of(k * model->d, sums->emissions);
	double length = fmin(fmax(rint(steps / fmax(first, 1)), 1), most_steps), *occupancy;

	TLV_TRY_NEW(ctx, occupancy, k);
	TLV_TRY(expect_occupancy(ctx, model, (uint64_t) fmax(length - 1, 1), occupancy));
	for (size_t j = 0; j < k; j++)
	{
		sums->initial[j] = weight * sums->initial[j] + (1 - weight) * first * model->initial[j];
		for (size_t to = 0; to < k; to++)
			sums->pairs[j * k + to] =
				weight * sums->pairs[j * k + to] +
				(1 - weight) * pairs * occupancy[j] * model->transitions[j * k + to];
	}
	TLV_TRY(expect_occupancy(ctx, model, (uint64_t) length, occupancy));
	keep_emissions(model, occupancy, steps, weight, sums);
	tlv_free(ctx, occupancy);
	return TLV_OK;
}

tlv_status
tlv_hmm_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			 const tlv_step *step, bool in_order, void **image, size_t *size)
{
	tlv_hmm_parts before, after;
	tlv_diagnostics diagnostics = {0};
	tlv_accumulator *accumulator = NULL;
	const statistics_state *sums;
	double *block, *emissions, *transitions, *variances;
	size_t k, d, numbers;

	TLV_TRY(read_sums(ctx, model, statistics, &accumulator));
	if (accumulator == NULL) /* cannot be */
		return tlv_fail(ctx, TLV_INTERNAL, "no statistics");
	sums = (const statistics_state *) accumulator;
	tlv_hmm_read(model, &before);
	TLV_TRY(require_shape(ctx, sums, &before));
	k = before.k;
	d = before.d;
	numbers = sums->declared.sizes[SIZE_SQUARES];
	TLV_TRY_NEW(ctx, block, k * (1 + k + numbers + d) + 2 * d);
	transitions = block + k;
	variances = transitions + k * k;
	emissions = variances + k * numbers;
	if (step->weight < 1)
		TLV_TRY(hmm_keep(ctx, &before, step->weight, &((statistics_state *) accumulator)->sums));
	update_chain(&sums->sums, &before, block, transitions);
	if (before.gaussian)
		tlv_hmm_maximize_vectors(&sums->sums, &before, emissions, variances, emissions + k * d);
	else
		memcpy(emissions, before.emissions, k * d * sizeof(double));
	for (size_t j = 0;
		 !before.gaussian && (before.constraints & TLV_HMM_FIXED_EMISSIONS) == 0 && j < k; j++)
		hmm_share(d, k, sums->sums.emissions + j, before.emissions + j, emissions + j);
	TLV_TRY(update_diagnostics(ctx, model, sums, before.steps + 1, &diagnostics));
	after = before;
	after.in_order = in_order;
	after.order = step->order;
	after.steps = before.steps + 1;
	after.initial = block;
	after.transitions = transitions;
	after.emissions = emissions;
	after.variances = variances;
	after.diagnostics = &diagnostics;
	return tlv_hmm_write(ctx, &after, image, size);
}

tlv_status
tlv_hmm_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			   const tlv_step *step, void **image, size_t *size)
{
	return tlv_hmm_step(ctx, model, statistics, step, false, image, size);
}
