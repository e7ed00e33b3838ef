/*
 * statistics.c - expected counts of rows under a model, and the model after a step
 * (membership.h).
 *
 * The stored value (kind category_statistics): scalars "rows", "nulls", "log_likelihood" (of the
 * rows, under the model), the model's fingerprint "model"; "weights" (k: rows of each component)
 * and "counts" (k x categories, and, behind them, four for every number with a
 * distribution: how often, what is above its centre and below, squares).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tuning.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/step_prior.h"
#include "tensorlv/model/view_solver.h"

/* The sizes: components, categories. */
#define SIZE_K TLV_SIZE_1
#define SIZE_V TLV_SIZE_2

typedef struct statistics_state
{
	tlv_declared declared;
	membership_model *model; /* NULL when only stored values are merged */
	tlv_digest fingerprint;
	membership_sums sums;
} statistics_state;

static tlv_status
membership_statistics_add(tlv_context *ctx, tlv_accumulator *accumulator, const tlv_row *row)
{
	statistics_state *state = (statistics_state *) accumulator;
	membership_model *model = state->model;
	double rows = state->sums.rows;
	uint64_t seed;
	size_t n;

	if (model == NULL)
		return tlv_accumulator_refuse_rows(ctx, accumulator);
	TLV_TRY(membership_items(ctx, model, row, &n));
	if (n == 0)
	{
		accumulator->nulls++;
		return TLV_OK;
	}
	TLV_TRY(tlv_count_one(ctx, "rows", &rows));
	/* The chain of a row follows from the model and its content, wherever it stands. */
	seed = tlv_fingerprint(model->items, n * sizeof(int32_t), tlv_digest_word(&state->fingerprint));
	for (size_t i = 0; i < n; i++)
		if ((size_t) model->items[i] >= model->worker.first)
			seed = tlv_fingerprint(&model->worker.x[(size_t) model->items[i] - model->worker.first],
								   sizeof(double), seed);
	membership_expect(&model->worker, n, model->items, tlv_row_weight(row), seed, &state->sums);
	return TLV_OK;
}

tlv_status
membership_statistics(tlv_context *ctx, tlv_model *model, const char *method,
					  tlv_accumulator **accumulator)
{
	membership_model *own = (membership_model *) model;
	const size_t sizes[TLV_SIZES] = {own->parts.k, own->parts.categories +
													   MEMBERSHIP_NUMBER_SUMS * own->numbers.q};
	const char *usual = own->mixed ? "gibbs" : "em";
	statistics_state *state;

	if (method != NULL && strcmp(method, usual) != 0)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "there is no refinement \"%.40s\"", method);
		return tlv_fail_hint(ctx, "Use '%s'.", usual);
	}
	TLV_TRY(tlv_sections_create(ctx, tlv_kind_category_statistics.accumulator, sizes, accumulator));
	state = (statistics_state *) *accumulator;
	state->model = own;
	state->fingerprint = model->frame.header->digest;
	return TLV_OK;
}

#define AT(member) offsetof(statistics_state, member)
static const tlv_declaration statistics_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(sums.rows)},
	{"nulls", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_SUM, AT(declared.base.nulls)},
	{"log_likelihood", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_SUM, AT(sums.log_likelihood)},
	{"model", TLV_BYTES, TLV_ONE, TLV_DIGEST_ROW, TLV_ANY, TLV_EQUAL, AT(fingerprint)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_SUM, AT(sums.weights)},
	{"counts", TLV_FLOAT64, SIZE_K, SIZE_V, TLV_NONNEGATIVE, TLV_SUM, AT(sums.counts)},
};
#undef AT
static const tlv_sections statistics_sections = {
	.state = sizeof(statistics_state),
	.kind = TLV_KIND_CATEGORY_STATISTICS,
	TLV_LIST(statistics_list),
	.least = {1, 1},
	.most = {TLV_MEMBERSHIP_MOST_COMPONENTS, 2 * TLV_MEMBERSHIP_MOST_TABLE},
};

static const tlv_accumulator_class statistics_class = {.name = "category_statistics",
													   TLV_DECLARED(&statistics_sections),
													   .rows = TLV_ROW_CODES | TLV_ROW_VECTOR |
															   TLV_ROWS_MISSING_ELEMENTS,
													   .weighting = TLV_WEIGHTING_SUMS,
													   .add = membership_statistics_add};

const tlv_kind tlv_kind_category_statistics = {
	TLV_KIND_LINE(CATEGORY_STATISTICS, category_statistics), .accumulator = &statistics_class};

/* ---- a step ---- */

static tlv_status
take_statistics(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				const tlv_membership_parts *parts, membership_sums *sums)
{
	const double *weights = NULL, *counts = NULL;
	size_t k = parts->k, q = tlv_membership_numbers(parts);
	size_t rows = parts->categories + MEMBERSHIP_NUMBER_SUMS * q, numbers = k * rows;

	if (statistics->header->kind != TLV_KIND_CATEGORY_STATISTICS)
		return tlv_refuse_kind_of_statistics(ctx, "categories");
	TLV_TRY(tlv_require_model(ctx, statistics, model));
	/* Equal fingerprints mean equal shapes, but a value may come from anywhere. */
	TLV_TRY(
		tlv_frame_require(ctx, statistics, "weights", TLV_FLOAT64, k, 1, (const void **) &weights));
	TLV_TRY(tlv_frame_require(ctx, statistics, "counts", TLV_FLOAT64, k, rows,
							  (const void **) &counts));
	sums->rows = tlv_frame_scalar(statistics, "rows", 0);
	if (!(sums->rows > 0))
		return tlv_refuse_empty_statistics(ctx);
	TLV_TRY_NEW(ctx, sums->weights, k);
	TLV_TRY_NEW(ctx, sums->counts, numbers);
	memcpy(sums->weights, weights, k * sizeof(double));
	memcpy(sums->counts, counts, numbers * sizeof(double));
	return TLV_OK;
}

/* Of the numbers; total: the components' weights together. */
static void
blend_numbers(const tlv_membership_parts *parts, const membership_numbers *numbers, double weight,
			  double total, double *sums)
{
	size_t k = parts->k;

	for (size_t s = 0; s < numbers->q; s++, sums += MEMBERSHIP_NUMBER_SUMS * k)
	{
		double all = 0;

		for (size_t h = 0; h < k; h++)
			all += sums[h];
		for (size_t h = 0; h < k; h++)
		{
			double more = tlv_step_kept(weight, all * parts->weights[h] / total, MEMBERSHIP_COUNT);
			double t[2];

			membership_number_form(numbers->form[s])
				->expected(&numbers->scale[s], numbers->mean[s * k + h],
						   numbers->variance[s * k + h], t);
			sums[h] = weight * sums[h] + more;
			sums[k + h] = weight * sums[k + h] + more * fmax(t[0], 0);
			sums[2 * k + h] = weight * sums[2 * k + h] + more * fmax(-t[0], 0);
			sums[3 * k + h] = weight * sums[3 * k + h] + more * t[1];
		}
	}
}

/* As if weight times these rows and 1 - weight times as many that the model expects had come, whose
 * probabilities hold the priors already (step_prior.h). */
static void
blend_sums(const tlv_membership_parts *parts, const membership_numbers *numbers, double weight,
		   membership_sums *sums)
{
	size_t k = parts->k, first = 0;
	double total = 0, classes = MEMBERSHIP_COUNT * (double) k;

	for (size_t h = 0; h < k; h++)
		total += parts->weights[h];
	for (size_t j = 0; j < parts->p; first += (size_t) parts->states[j++])
	{
		size_t end = (first + (size_t) parts->states[j]) * k;
		double all = 0, prior = parts->prior + MEMBERSHIP_COUNT * (double) parts->states[j];

		for (size_t i = first * k; i < end; i++)
			all += sums->counts[i];
		for (size_t i = first * k; i < end; i++)
			sums->counts[i] = weight * sums->counts[i] +
							  tlv_step_kept(weight, all * parts->weights[i % k] / total, prior) *
								  parts->probabilities[i];
	}
	blend_numbers(parts, numbers, weight, total, sums->counts + parts->categories * k);
	for (size_t h = 0; h < k; h++)
		sums->weights[h] = weight * sums->weights[h] +
						   tlv_step_kept(weight, sums->rows, classes) * parts->weights[h] / total;
}

/* Parameters of a variable that the rows do not contain, in a component, stay as they are: counts
 * are those of the rows alone. */
static void
keep_unobserved(const tlv_membership_parts *parts, const double *counts, double *probabilities,
				membership_numbers *numbers)
{
	size_t k = parts->k, at = 0;

	for (size_t j = 0; j < parts->p; j++)
	{
		size_t end = at + (size_t) parts->states[j] * k;

		for (size_t h = 0; h < k; h++)
		{
			double observed = 0;

			for (size_t i = at + h; i < end; i += k)
				observed += counts[i];
			for (size_t i = at + h; i < end && observed < TLV_LEAST_OBSERVATIONS; i += k)
				probabilities[i] = parts->probabilities[i];
		}
		at = end;
	}
	for (size_t s = 0; s < numbers->q; s++)
		for (size_t h = 0; h < k; h++)
			if (counts[at + s * MEMBERSHIP_NUMBER_SUMS * k + h] < TLV_LEAST_OBSERVATIONS)
			{
				numbers->mean[s * k + h] = parts->scalar_means[s * k + h];
				numbers->variance[s * k + h] = parts->scalar_variances[s * k + h];
			}
}

static tlv_status
diagnose_step(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
			  const tlv_membership_parts *next, tlv_diagnostics *diagnostics)
{
	static const char *const renewed[] = {"refinement_steps", "mean_log_likelihood", NULL};

	TLV_TRY(tlv_diagnostics_copy(ctx, diagnostics, model, renewed));
	TLV_TRY(tlv_warnings_follow_weights(ctx, diagnostics, next->k, next->weights));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, next->steps, "refinement_steps"));
	return tlv_diagnose(ctx, diagnostics,
						tlv_frame_scalar(statistics, "log_likelihood", 0) /
							tlv_frame_scalar(statistics, "rows", 1),
						"mean_log_likelihood");
}

tlv_status
membership_update(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				  const tlv_step *step, void **image, size_t *size)
{
	bool mixed = tlv_membership_is_mixed(model);
	tlv_diagnostics diagnostics = {0};
	tlv_membership_parts parts, next;
	membership_numbers numbers = {0};
	membership_sums sums = {0};

	tlv_membership_read(model, &parts);
	TLV_TRY(membership_numbers_of(ctx, &parts, &numbers));
	TLV_TRY(take_statistics(ctx, model, statistics, &parts, &sums));
	if (step->weight < 1)
		blend_sums(&parts, &numbers, step->weight, &sums);
	next = parts;
	next.rows = round(sums.rows);
	next.steps++;
	next.diagnostics = &diagnostics;
	TLV_TRY_NEW(ctx, next.weights, parts.k);
	TLV_TRY_NEW_ROWS(ctx, next.probabilities, parts.categories, parts.k);
	memcpy(next.weights, parts.weights, parts.k * sizeof(double));
	membership_maximize(mixed, parts.prior, tlv_step_prior(step->weight, 1), parts.p, parts.states,
						parts.k, &sums, next.weights, next.probabilities);
	membership_numbers_maximize(step->weight, sums.counts + parts.categories * parts.k, NULL, NULL,
								&numbers);
	keep_unobserved(&parts, tlv_frame_float64(statistics, "counts"), next.probabilities, &numbers);
	if (numbers.q > 0)
	{
		next.scalar_means = numbers.mean;
		next.scalar_variances = numbers.variance;
	}
	TLV_TRY(diagnose_step(ctx, model, statistics, &next, &diagnostics));
	TLV_TRY(tlv_membership_write(ctx, &next, mixed, step->order, image, size));
	tlv_free(ctx, next.probabilities);
	tlv_free(ctx, next.weights);
	tlv_free(ctx, sums.counts);
	tlv_free(ctx, sums.weights);
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}
