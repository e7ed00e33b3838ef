/*
 * model.c - the stored form of a hidden Markov model and what it can do
 * (hmm.h, model.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/model_json.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

tlv_status
tlv_stationary(tlv_context *ctx, size_t k, const double *transitions, double *work,
			   double *stationary)
{
	double sum = 0;

	memcpy(work, transitions, k * k * sizeof(double));
#define P(from, to) work[(from) *k + (to)]
	for (size_t n = k; n-- > 1;)
	{
		double leave = 0;

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < n; j++)
			leave += P(n, j);
		for (size_t i = 0; i < n; i++)
			P(i, n) /= leave;
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n; j++)
				P(i, j) += P(i, n) * P(n, j);
	}
	for (size_t n = 0; n < k; n++)
	{
		stationary[n] = n == 0 ? 1 : 0;
		for (size_t i = 0; i < n; i++)
			stationary[n] += stationary[i] * P(i, n);
		sum += stationary[n];
	}
#undef P
	for (size_t j = 0; j < k; j++)
		stationary[j] /= sum;
	return TLV_OK;
}

static const tlv_name_sections name_sections = {"name_offsets", "names"};

/* ---- writing ---- */

/* Raises to the least probability; the sum. */
static double
raise_least(size_t n, double *p, size_t stride)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i * stride] = fmax(p[i * stride], TLV_LEAST_PROBABILITY);
	return sum;
}

/*
 * Raises to the least probability and normalises; stride between entries.  Estimates that are far
 * from a sum of 1 are scaled first: the least would no longer be.
 */
static void
hmm_normalize(size_t n, double *p, size_t stride)
{
	double sum = raise_least(n, p, stride);

	if (sum > 2)
	{
		for (size_t i = 0; i < n; i++)
			p[i * stride] /= sum;
		sum = raise_least(n, p, stride);
	}
	for (size_t i = 0; i < n; i++)
		p[i * stride] /= sum;
}

typedef struct hmm_copy
{
	double *initial, *transitions, *stationary, *emissions, *variances, *work;
	int64_t *order;
	size_t numbers; /* of a state's covariance */
} hmm_copy;

static tlv_status
allocate_copy(tlv_context *ctx, const tlv_hmm_parts *parts, hmm_copy *copy)
{
	size_t k = parts->k, numbers = tlv_hmm_covariance_numbers(parts);
	double *block = tlv_alloc(ctx, k, (4 + 2 * k + parts->d + numbers) * sizeof(double));

	TLV_TRY_ALLOC(ctx, block);
	copy->numbers = numbers;
	copy->initial = block;
	copy->stationary = block + k;
	copy->order = (int64_t *) (block + 3 * k);
	copy->transitions = block + 4 * k;
	copy->work = copy->transitions + k * k;
	copy->emissions = copy->work + k * k;
	copy->variances = copy->emissions + k * parts->d;
	return TLV_OK;
}

/* Normalised transitions in the given order, or (order NULL) as they are. */
static void
copy_transitions(const tlv_hmm_parts *parts, const int64_t *order, double *transitions)
{
	size_t k = parts->k;

	for (size_t from = 0; from < k; from++)
	{
		const double *old = parts->transitions + (order != NULL ? (size_t) order[from] : from) * k;

		for (size_t to = 0; to < k; to++)
			transitions[from * k + to] = old[order != NULL ? (size_t) order[to] : to];
		hmm_normalize(k, transitions + from * k, 1);
	}
}

static tlv_status
copy_emissions(tlv_context *ctx, const tlv_hmm_parts *parts, const int64_t *order,
			   double *emissions)
{
	size_t k = parts->k, d = parts->d;

	for (size_t j = 0; j < k; j++)
	{
		size_t old = (size_t) order[j];

		TLV_TRY_CONTINUE(ctx);
		if (parts->gaussian)
		{
			memcpy(emissions + j * d, parts->emissions + old * d, d * sizeof(double));
			continue;
		}
		for (size_t i = 0; i < d; i++)
			emissions[i * k + j] = parts->emissions[i * k + old];
		hmm_normalize(d, emissions + j, k);
	}
	return TLV_OK;
}

/* Variances are normal numbers, and so are the diagonals of factors. */
static void
copy_variances(const tlv_hmm_parts *parts, const hmm_copy *copy)
{
	bool full = parts->gaussian && parts->covariance == TLV_COVARIANCE_FULL;

	for (size_t j = 0; j < parts->k; j++)
	{
		double *own = copy->variances + j * copy->numbers;

		if (copy->numbers > 0)
			memcpy(own, parts->variances + (size_t) copy->order[j] * copy->numbers,
				   copy->numbers * sizeof(double));
		for (size_t i = 0; full && i < parts->d; i++)
			own[i * (i + 3) / 2] = fmax(own[i * (i + 3) / 2], sqrt(TLV_LEAST_VARIANCE));
		for (size_t e = 0; !full && e < copy->numbers; e++)
			own[e] = fmax(own[e], TLV_LEAST_VARIANCE);
	}
}

static tlv_status
write_frame(tlv_context *ctx, const tlv_hmm_parts *parts, const hmm_copy *copy, void **image,
			size_t *size)
{
	tlv_frame_builder *builder = tlv_alloc(ctx, 1, sizeof(tlv_frame_builder));
	size_t k = parts->k, d = parts->d;

	TLV_TRY_ALLOC(ctx, builder);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_HMM);
	builder->owned = NULL;
	tlv_frame_add_scalar(builder, "seed", parts->seed);
	tlv_frame_add_scalar(builder, "steps", parts->steps);
	tlv_frame_add_scalar(builder, "constraints", parts->constraints);
	tlv_frame_add(builder, "initial", TLV_FLOAT64, k, 1, copy->initial);
	tlv_frame_add(builder, "stationary", TLV_FLOAT64, k, 1, copy->stationary);
	tlv_frame_add(builder, "transitions", TLV_FLOAT64, k, k, copy->transitions);
	if (parts->gaussian)
	{
		tlv_frame_add_scalar(builder, "covariance", parts->covariance);
		tlv_frame_add(builder, "means", TLV_FLOAT64, d, k, copy->emissions);
		tlv_frame_add(builder, "variances", TLV_FLOAT64, copy->numbers, k, copy->variances);
	}
	else
	{
		tlv_frame_add(builder, "items", TLV_INT64, d, 1, parts->items);
		tlv_frame_add(builder, "emissions", TLV_FLOAT64, k, d, copy->emissions);
		tlv_name_list_add(builder, &name_sections, d, &parts->names);
	}
	tlv_diagnostics_add(parts->diagnostics, builder);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	return TLV_OK;
}

tlv_status
tlv_hmm_write(tlv_context *ctx, const tlv_hmm_parts *parts, void **image, size_t *size)
{
	size_t k = parts->k;
	double *stationary;
	hmm_copy copy;

	TLV_TRY(allocate_copy(ctx, parts, &copy));
	copy_transitions(parts, NULL, copy.transitions);
	stationary = copy.initial + 2 * k;
	TLV_TRY(tlv_stationary(ctx, k, copy.transitions, copy.work, stationary));
	tlv_order_weights(k, stationary, copy.order);
	for (size_t j = 0; (parts->in_order || parts->constraints != 0) && j < k; j++)
		copy.order[j] = (int64_t) j;
	if (parts->order != NULL)
		memcpy(parts->order, copy.order, k * sizeof(int64_t));
	for (size_t j = 0; j < k; j++)
	{
		copy.stationary[j] = stationary[copy.order[j]];
		copy.initial[j] = parts->initial[copy.order[j]];
	}
	copy_variances(parts, &copy);
	hmm_normalize(k, copy.initial, 1);
	copy_transitions(parts, copy.order, copy.transitions);
	TLV_TRY(copy_emissions(ctx, parts, copy.order, copy.emissions));
	TLV_TRY(tlv_diagnostics_permute(ctx, parts->diagnostics, "tensor_eigenvalue_1", k, copy.order));
	TLV_TRY(tlv_warnings_permute(ctx, parts->diagnostics, k, copy.order));
	TLV_TRY(write_frame(ctx, parts, &copy, image, size));
	tlv_free(ctx, copy.initial);
	return TLV_OK;
}

void
tlv_hmm_read(const tlv_frame *frame, tlv_hmm_parts *parts)
{
	const tlv_section *items = tlv_frame_find(frame, "items");

	memset(parts, 0, sizeof(*parts));
	parts->k = tlv_frame_find(frame, "initial")->rows;
	parts->gaussian = items == NULL;
	parts->d = items != NULL ? items->rows : tlv_frame_find(frame, "means")->rows;
	parts->seed = tlv_frame_scalar(frame, "seed", 0);
	parts->steps = tlv_frame_scalar(frame, "steps", 0);
	parts->constraints = (unsigned) tlv_frame_scalar(frame, "constraints", 0);
	parts->initial = tlv_frame_float64(frame, "initial");
	parts->transitions = tlv_frame_float64(frame, "transitions");
	parts->items = tlv_frame_int64(frame, "items");
	if (items != NULL)
		parts->names = tlv_name_list_of(frame, &name_sections);
	parts->emissions = tlv_frame_float64(frame, parts->gaussian ? "means" : "emissions");
	parts->variances = parts->gaussian ? tlv_frame_float64(frame, "variances") : NULL;
	parts->covariance =
		(tlv_covariance) tlv_frame_scalar(frame, "covariance", TLV_COVARIANCE_SPHERICAL);
}

/* ---- validation ---- */

/*
 * n probabilities, stride between them, none of them too small, summing to 1.  Of states those are
 * 0, and no other, whose stationary probability is: states that are not there.
 */
static tlv_status
check_distribution(tlv_context *ctx, const char *name, size_t n, const double *p, size_t stride,
				   const double *stationary)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
	{
		bool absent = stationary != NULL && stationary[i] == 0;

		if (absent ? p[i * stride] != 0 : !(p[i * stride] >= TLV_LEAST_PROBABILITY / 10))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has a probability of %g", name,
							p[i * stride]);
		sum += p[i * stride];
	}
	if (!(fabs(sum - 1) < 1e-6))
		return tlv_fail(ctx, TLV_CORRUPT, "probabilities of section \"%s\" sum to %g", name, sum);
	return TLV_OK;
}

static tlv_status
check_symbols(tlv_context *ctx, const tlv_frame *frame, uint64_t k)
{
	const tlv_section *items = tlv_frame_find(frame, "items");
	const double *emissions;
	uint64_t m = items->rows;

	if (m == 0 || m > TRIPLE_MOST)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"items\" is empty or too long");
	TLV_TRY(tlv_frame_require(ctx, frame, "items", TLV_INT64, m, 1, NULL));
	TLV_TRY(tlv_frame_require_ascending(ctx, frame, "items"));
	TLV_TRY(tlv_frame_require(ctx, frame, "emissions", TLV_FLOAT64, k, m, NULL));
	TLV_TRY(tlv_name_list_check(ctx, frame, &name_sections, m));
	emissions = tlv_frame_float64(frame, "emissions");
	for (uint64_t j = 0; j < k; j++)
		TLV_TRY(check_distribution(ctx, "emissions", m, emissions + j, k, NULL));
	return TLV_OK;
}

static tlv_status
check_vectors(tlv_context *ctx, const tlv_frame *frame, uint64_t k)
{
	const tlv_section *means = tlv_frame_find(frame, "means");
	double covariance = tlv_frame_scalar(frame, "covariance", -1);
	const double *numbers;
	uint64_t n, d;

	if (means == NULL || means->rows == 0 || means->rows > TLV_MIXTURE_MOST_DIMENSIONS)
		return tlv_fail(ctx, TLV_CORRUPT, "the model's emissions are missing");
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "covariance"));
	if (covariance > TLV_COVARIANCE_FULL)
		return tlv_fail(ctx, TLV_CORRUPT, "there is no covariance %g", covariance);
	d = means->rows;
	n = tlv_mixture_variances(d, (tlv_covariance) covariance);
	TLV_TRY(tlv_frame_require(ctx, frame, "means", TLV_FLOAT64, d, k, NULL));
	TLV_TRY(
		tlv_frame_require(ctx, frame, "variances", TLV_FLOAT64, n, k, (const void **) &numbers));
	if (covariance < TLV_COVARIANCE_FULL)
		return tlv_frame_require_minimum(ctx, frame, "variances", TLV_LEAST_VARIANCE / 10);
	for (uint64_t e = 0; e < k * d; e++)
	{
		uint64_t i = e % d;

		if (!(numbers[e / d * n + i * (i + 3) / 2] >= sqrt(TLV_LEAST_VARIANCE / 10)))
			return tlv_fail(ctx, TLV_CORRUPT, "a factor of a covariance has no positive diagonal");
	}
	return TLV_OK;
}

static tlv_status
model_hmm_check(tlv_context *ctx, const tlv_frame *frame)
{
	const tlv_section *initial = tlv_frame_find(frame, "initial");
	uint64_t k;

	TLV_TRY(tlv_frame_require_whole(ctx, frame, "seed"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "steps"));
	TLV_TRY(tlv_frame_require_whole(ctx, frame, "constraints"));
	if (tlv_frame_scalar(frame, "constraints", 0) > 7)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"constraints\" is not a set of constraints");
	if (initial == NULL || initial->rows == 0 || initial->rows > UINT16_MAX)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"initial\" is missing or has no states");
	k = initial->rows;
	TLV_TRY(tlv_frame_require(ctx, frame, "initial", TLV_FLOAT64, k, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "stationary", TLV_FLOAT64, k, 1, NULL));
	TLV_TRY(tlv_frame_require(ctx, frame, "transitions", TLV_FLOAT64, k, k, NULL));
	TLV_TRY(tlv_frame_require_minimum(ctx, frame, "stationary", 0));
	TLV_TRY(check_distribution(ctx, "initial", k, tlv_frame_float64(frame, "initial"), 1,
							   tlv_frame_float64(frame, "stationary")));
	for (uint64_t j = 0; j < k; j++)
		TLV_TRY(check_distribution(ctx, "transitions", k,
								   tlv_frame_float64(frame, "transitions") + j * k, 1,
								   tlv_frame_float64(frame, "stationary")));
	if (tlv_frame_find(frame, "items") != NULL)
		TLV_TRY(check_symbols(ctx, frame, k));
	else
		TLV_TRY(check_vectors(ctx, frame, k));
	return tlv_diagnostics_check(ctx, frame);
}

/* ---- layout ---- */

static const char *const covariance_names[] = {"common", "spherical", "diagonal", "full", NULL};
static const tlv_field hmm_fields[] = {
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"constraints", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"initial", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"stationary", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{"transitions", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_ROWS | TLV_OF_COLUMNS | TLV_NOT_TO,
	 .least = TLV_LEAST_PROBABILITY},
	{"covariance", TLV_FIELD_CHOICE, .flags = TLV_MAY_BE_EMPTY, .names = covariance_names},
	{"means", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY},
	{"variances", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY},
	{"items", TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY, .json = "symbols"},
	{"emissions", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY, .keys = "items",
	 .least = TLV_LEAST_PROBABILITY},
	{"name_offsets", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY, .beside = "names",
	 .json = "symbol_names"},
	{.form = TLV_FIELDS_END},
};
/* The stationary probabilities are those of the transitions. */
static tlv_status
hmm_complete(tlv_context *ctx, tlv_given *given)
{
	const tlv_given *transitions = tlv_given_find(given, "transitions");
	size_t k = transitions->rows;
	double *stationary, *work;

	if (tlv_given_find(given, "stationary")->given || k == 0 || transitions->columns != k)
		return TLV_OK;
	for (size_t i = 0; i < k * k; i++)
		if (!(transitions->numbers[i] > 0))
			return tlv_fail(ctx, TLV_BAD_PARAMETER,
							"transitions of probability 0 need \"stationary\" in the JSON");
	TLV_TRY(tlv_given_fill(ctx, given, "stationary", k, &stationary));
	TLV_TRY_NEW_ROWS(ctx, work, k, k);
	TLV_TRY(tlv_stationary(ctx, k, transitions->numbers, work, stationary));
	tlv_free(ctx, work);
	return TLV_OK;
}

static const char *const hmm_series[] = {"tensor_eigenvalue_1", "recurrence_1", NULL};
static const tlv_layout hmm_layout = {
	.fields = hmm_fields,
	.weights = "stationary",
	.series = hmm_series,
	.complete = hmm_complete,
};

/* ---- use ---- */

static size_t
hmm_components(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "initial")->rows;
}

typedef struct share_target
{
	size_t k;
	size_t stride;
	double *shares;
} share_target;

/* Rounding on long ways is taken off: every step's sum to 1. */
static tlv_status
keep_shares(tlv_context *ctx, void *argument, size_t first, size_t n, const int32_t *at,
			const double *gamma)
{
	const share_target *target = argument;
	double *shares = target->shares + first * target->k;

	for (size_t i = 0; i < n; i++, shares += target->k, gamma += target->stride)
	{
		double sum = 0;

		for (size_t j = 0; j < target->k; j++)
			sum += gamma[j];
		for (size_t j = 0; j < target->k; j++)
			shares[j] = gamma[j] / sum;
	}
	return TLV_OK;
}

static tlv_status
hmm_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	tlv_sequence sequence = tlv_sequence_of_row(row);
	share_target target = {hmm->parts.k, hmm->stride, NULL};
	double log_likelihood;

	TLV_TRY(tlv_posterior_begin(ctx, posterior, sequence.n, hmm->parts.k));
	if (sequence.n == 0)
		return TLV_OK;
	TLV_TRY(tlv_hmm_check_sequence(ctx, hmm, &sequence));
	target.shares = posterior->values;
	return tlv_hmm_smooth(ctx, hmm, &sequence, keep_shares, &target, NULL, &log_likelihood);
}

static tlv_status
hmm_log_likelihood(tlv_context *ctx, tlv_model *model, const tlv_row *row, double *value)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	tlv_sequence sequence = tlv_sequence_of_row(row);

	*value = 0;
	if (sequence.n == 0)
		return TLV_OK;
	TLV_TRY(tlv_hmm_check_sequence(ctx, hmm, &sequence));
	return tlv_hmm_smooth(ctx, hmm, &sequence, NULL, NULL, NULL, value);
}

static tlv_status
hmm_decode(tlv_context *ctx, tlv_model *model, const tlv_row *row, int32_t *states)
{
	tlv_hmm_model *hmm = (tlv_hmm_model *) model;
	tlv_sequence sequence = tlv_sequence_of_row(row);

	if (sequence.n == 0)
		return TLV_OK;
	TLV_TRY(tlv_hmm_check_sequence(ctx, hmm, &sequence));
	return tlv_hmm_decode(ctx, hmm, &sequence, states);
}

static tlv_status
hmm_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_hmm_parts parts_a, parts_b;

	tlv_hmm_read(a, &parts_a);
	tlv_hmm_read(b, &parts_b);
	return tlv_hmm_match(ctx, &parts_a, &parts_b, match->component, match->distance);
}

/* Of a step, unless steps are symbols. */
static size_t
hmm_dimensions(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "items") == NULL ? tlv_frame_find(frame, "means")->rows : 0;
}

/* Those of symbols. */
static tlv_ids
hmm_ids(const tlv_model *model, int part, int64_t id, bool *known)
{
	const tlv_hmm_model *own = (const tlv_hmm_model *) model;

	(void) part;
	if (own->parts.gaussian)
		return TLV_IDS_ANY;
	*known = tlv_dictionary_find(&own->dictionary, id) >= 0;
	return own->parts.names.offsets != NULL ? TLV_IDS_NAMES : TLV_IDS_NUMBERS;
}

/* States and their transitions. */
static tlv_status
hmm_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_hmm_parts parts;

	TLV_TRY(tlv_picture_components(ctx, model, "state", &components));
	tlv_hmm_read(model, &parts);
	TLV_TRY(tlv_draw_chain(ctx, picture, parts.k, components, parts.transitions));
	tlv_free(ctx, components);
	return TLV_OK;
}

/* Transitions, and symbols or means of the states, in new sequences. */
static tlv_status
hmm_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics, tlv_drift *drift)
{
	const double *pairs = NULL, *emissions = NULL;
	tlv_hmm_parts own;
	size_t k;

	tlv_hmm_read(model, &own);
	k = own.k;
	TLV_TRY(tlv_frame_require(ctx, statistics, "pairs", TLV_FLOAT64, k, k, (const void **) &pairs));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "transitions", j + 1, k, 1, pairs + j * k,
								 own.transitions + j * k));
	if (own.gaussian)
		return TLV_OK;
	TLV_TRY(tlv_frame_require(ctx, statistics, "emissions", TLV_FLOAT64, k, own.d,
							  (const void **) &emissions));
	for (size_t j = 0; j < k; j++)
		TLV_TRY(tlv_drift_counts(ctx, drift, "emissions", j + 1, own.d, k, emissions + j,
								 own.emissions + j));
	return TLV_OK;
}

static const char *const hmm_page_fields[] = {
	"initial",	 "stationary", "transitions", "covariance",	  "means",
	"variances", "items",	   "emissions",	  "name_offsets", NULL};
static const tlv_page_content hmm_contents[] = {
	{"means", TLV_CONTENT_NUMBERS, .what = "dimension", .variances = "variances", .from = 1},
	{"emissions", TLV_CONTENT_PROBABILITIES, .what = "symbol", .ids = "items"},
	{.section = NULL}};
static const tlv_page_view hmm_page = {
	.contents = hmm_contents, .view = "chain", .what = "state", .fields = hmm_page_fields};

static const tlv_model_class hmm_class = {
	.layout = &hmm_layout,
	.drift = hmm_drift,
	.estimates = tlv_hmm_estimates,
	.score = tlv_hmm_score,
	.redraw = tlv_hmm_redraw,
	.draw = hmm_draw,
	.page = &hmm_page,
	.open = tlv_hmm_open,
	.components = hmm_components,
	.dimensions = hmm_dimensions,
	.ids = hmm_ids,
	.rows = TLV_ROW_SEQUENCE | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS,
	.infer = hmm_infer,
	.log_likelihood = hmm_log_likelihood,
	.decode = hmm_decode,
	.impute = tlv_hmm_impute,
	.statistics = tlv_hmm_statistics,
	.update = tlv_hmm_update,
	.match = hmm_match,
};
const tlv_kind tlv_kind_hmm = {TLV_KIND_LINE(HMM, hmm), .check = model_hmm_check,
							   .model = &hmm_class};
