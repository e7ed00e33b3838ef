/*
 * model.c - the stored form of latent classes and of mixed membership, and what they infer
 * (membership.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/page.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

/* Sizes: variables, categories of all, components, bytes of names, numbers. */
#define SIZE_P TLV_SIZE_1
#define SIZE_V TLV_SIZE_2
#define SIZE_K TLV_SIZE_3
#define SIZE_B TLV_SIZE_4
#define SIZE_Q TLV_SIZE_5

/* Most of the square of a number. */
#define MOST_SQUARE (TLV_MEMBERSHIP_LARGEST * TLV_MEMBERSHIP_LARGEST)

bool
tlv_membership_is_mixed(const tlv_frame *model)
{
	return model->header->kind == TLV_KIND_GRADE_OF_MEMBERSHIP;
}

static const tlv_sections *
sections_of(bool mixed)
{
	return (mixed ? &tlv_kind_grade_of_membership : &tlv_kind_latent_classes)->model->sections;
}

tlv_code_names
tlv_membership_names(const tlv_membership_parts *parts)
{
	return (tlv_code_names){.variables = parts->p,
							.copies = (size_t) parts->copies,
							.states = parts->states,
							.names = {parts->name_offsets, parts->names}};
}

void
tlv_membership_read(const tlv_frame *frame, tlv_membership_parts *parts)
{
	tlv_sections_read(frame, sections_of(tlv_membership_is_mixed(frame)), parts);
}

/* Columns of the table in that order; least and sums of 1 are kept by those who made it. */
static void
membership_order_components(const tlv_membership_parts *from, const int64_t *order, double *weights,
							double *table)
{
	size_t k = from->k;

	for (size_t h = 0; h < k; h++)
		weights[h] = from->weights[order[h]];
	for (size_t v = 0; v < from->categories; v++)
		for (size_t h = 0; h < k; h++)
			table[v * k + h] = from->probabilities[v * k + (size_t) order[h]];
}

/* Every variable's probabilities, at least LEAST, sum to 1 for every component. */
static void
normalize_probabilities(const tlv_membership_parts *parts)
{
	size_t k = parts->k, first = 0;

	for (size_t j = 0; j < parts->p; first += (size_t) parts->states[j++])
		for (size_t h = 0; h < k; h++)
		{
			double *table = parts->probabilities + first * k + h, sum = 0;

			for (size_t c = 0; c < (size_t) parts->states[j]; c++)
				sum += table[c * k] = fmax(table[c * k], TLV_LEAST_PROBABILITY);
			for (size_t c = 0; c < (size_t) parts->states[j]; c++)
				table[c * k] /= sum;
		}
}

tlv_status
tlv_membership_write(tlv_context *ctx, const tlv_membership_parts *parts, bool mixed,
					 int64_t *order, void **image, size_t *size)
{
	size_t k = parts->k;
	tlv_membership_parts ordered = *parts;
	int64_t *own;
	double *numbers, *means, *variances;

	TLV_TRY_NEW(ctx, own, k);
	TLV_TRY_NEW_ROWS(ctx, numbers, k, parts->categories + 2 * parts->scalars + 1);
	tlv_order_weights(k, parts->weights, own);
	ordered.weights = numbers;
	ordered.probabilities = numbers + k;
	means = ordered.probabilities + parts->categories * k;
	variances = means + parts->scalars * k;
	for (size_t s = 0; s < parts->scalars; s++)
		for (size_t h = 0; h < k; h++)
		{
			means[s * k + h] = parts->scalar_means[s * k + (size_t) own[h]];
			if (parts->scalar_variances != NULL)
				variances[s * k + h] = parts->scalar_variances[s * k + (size_t) own[h]];
		}
	if (parts->scalars > 0)
		ordered.scalar_means = means;
	if (parts->scalar_variances != NULL)
		ordered.scalar_variances = variances;
	membership_order_components(parts, own, ordered.weights, ordered.probabilities);
	normalize_probabilities(&ordered);
	if (order != NULL)
		memcpy(order, own, k * sizeof(int64_t));
	TLV_TRY(tlv_sections_write(ctx, sections_of(mixed), &ordered, image, size));
	tlv_free(ctx, numbers);
	tlv_free(ctx, own);
	return TLV_OK;
}

/* ---- validation ---- */

static tlv_status
check_probabilities(tlv_context *ctx, const tlv_membership_parts *parts)
{
	size_t k = parts->k, first = 0;

	for (size_t j = 0; j < parts->p; first += (size_t) parts->states[j++])
		for (size_t h = 0; h < k; h++)
		{
			const double *table = parts->probabilities + first * k + h;
			double sum = 0;

			for (size_t c = 0; c < (size_t) parts->states[j]; c++)
			{
				if (!(table[c * k] >= TLV_LEAST_PROBABILITY / 10))
					return tlv_fail(ctx, TLV_CORRUPT, "section \"probabilities\" holds %g",
									table[c * k]);
				sum += table[c * k];
			}
			if (!(fabs(sum - 1) <= 1e-6))
				return tlv_fail(ctx, TLV_CORRUPT,
								"probabilities of variable %zu in component %zu sum to %g", j + 1,
								h + 1, sum);
		}
	return TLV_OK;
}

static tlv_status
check_names(tlv_context *ctx, const tlv_membership_parts *parts)
{
	if ((parts->name_offsets == NULL) != (parts->names == NULL))
		return tlv_fail(ctx, TLV_CORRUPT, "names of categories lack their offsets, or bytes");
	if (parts->name_offsets == NULL)
		return TLV_OK;
	if (parts->name_offsets[0] != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the first name begins at %lld",
						(long long) parts->name_offsets[0]);
	for (size_t v = 0; v < parts->categories; v++)
		if (parts->name_offsets[v + 1] < parts->name_offsets[v])
			return tlv_fail(ctx, TLV_CORRUPT, "name %zu ends before it begins", v + 1);
	if ((size_t) parts->name_offsets[parts->categories] != parts->category_bytes)
		return tlv_fail(ctx, TLV_CORRUPT, "the names of categories have %zu bytes",
						parts->category_bytes);
	return TLV_OK;
}

static tlv_status
membership_check_numbers(tlv_context *ctx, const tlv_membership_parts *parts)
{
	if ((parts->scalar_variances == NULL) != (parts->scalar_counts == NULL) ||
		(parts->scalar_variances != NULL && parts->scalar_means == NULL))
		return tlv_fail(ctx, TLV_CORRUPT,
						"numbers lack their means, variances or what they are counts of");
	if (parts->scalar_variances == NULL)
		return TLV_OK;
	if (parts->copies != 1)
		return tlv_fail(ctx, TLV_CORRUPT, "%g copies of variables with numbers beside them",
						parts->copies);
	if (parts->p + parts->scalars > TLV_CATEGORY_MOST_VARIABLES)
		return tlv_fail(ctx, TLV_CORRUPT, "%zu variables and %zu numbers", parts->p,
						parts->scalars);
	for (size_t i = 0; i < parts->scalars * parts->k; i++)
	{
		int64_t form = parts->scalar_counts[i / parts->k];

		if (!(parts->scalar_variances[i] > 0 && parts->scalar_variances[i] <= MOST_SQUARE))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"scalar_variances\" holds %g",
							parts->scalar_variances[i]);
		if (!(fabs(parts->scalar_means[i]) <= TLV_MEMBERSHIP_LARGEST) ||
			(form != TLV_NUMBER_NORMAL && !(parts->scalar_means[i] > 0)))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"scalar_means\" holds %g",
							parts->scalar_means[i]);
		if (form < 0 || form >= TLV_NUMBER_FORMS)
			return tlv_fail(ctx, TLV_CORRUPT, "section \"scalar_counts\" holds %lld",
							(long long) form);
	}
	return TLV_OK;
}

static tlv_status
model_membership_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	tlv_membership_parts parts;
	size_t categories = 0;
	double sum = 0;

	(void) sizes;
	tlv_membership_read(frame, &parts);
	if (!(parts.copies >= 1 && parts.copies * (double) parts.p <= TLV_CATEGORY_MOST_VARIABLES))
		return tlv_fail(ctx, TLV_CORRUPT, "%g copies of %zu variables", parts.copies, parts.p);
	for (size_t j = 0; j < parts.p; j++)
	{
		if (parts.states[j] > TLV_MEMBERSHIP_MOST_STATES)
			return tlv_fail(ctx, TLV_CORRUPT, "variable %zu has %lld categories", j + 1,
							(long long) parts.states[j]);
		categories += (size_t) parts.states[j];
	}
	if (categories != parts.categories)
		return tlv_fail(ctx, TLV_CORRUPT, "probabilities of %zu categories, not %zu",
						parts.categories, categories);
	for (size_t h = 0; h < parts.k; h++)
		sum += parts.weights[h];
	if (!(sum > 0 && sum <= (tlv_membership_is_mixed(frame) ? 1e7 : 1 + 1e-6)))
		return tlv_fail(ctx, TLV_CORRUPT, "the weights of components sum to %g", sum);
	TLV_TRY(check_names(ctx, &parts));
	TLV_TRY(membership_check_numbers(ctx, &parts));
	return check_probabilities(ctx, &parts);
}

#define AT(member) offsetof(tlv_membership_parts, member)
#define MEMBERSHIP_LIST(weights_name)                                                              \
	{                                                                                              \
		{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(rows)},                    \
			{"copies", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_COUNTED, TLV_KEPT, AT(copies)},          \
			{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},              \
			{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},                \
			{"prior", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(prior)},        \
			{"states", TLV_INT64, SIZE_P, TLV_ONE, TLV_POSITIVE, TLV_KEPT, AT(states)},            \
			{weights_name, TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(weights)},  \
			{"probabilities", TLV_FLOAT64, SIZE_K,			 SIZE_V,                               \
			 TLV_NONNEGATIVE, TLV_KEPT,	   AT(probabilities)},                                     \
			{"category_offsets", TLV_INT64,		  TLV_2_AND_1, TLV_ONE, TLV_ANY,                   \
			 TLV_GIVEN,			 AT(name_offsets)},                                                \
			{"category_names", TLV_BYTES, SIZE_B, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(names)},         \
			{"scalar_means", TLV_FLOAT64, SIZE_K, SIZE_Q, TLV_ANY, TLV_GIVEN, AT(scalar_means)},   \
			{"scalar_variances", TLV_FLOAT64,		  SIZE_K, SIZE_Q, TLV_NONNEGATIVE,             \
			 TLV_GIVEN,			 AT(scalar_variances)},                                            \
			{"scalar_counts", TLV_INT64, SIZE_Q, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(scalar_counts)},  \
	}
#define MEMBERSHIP_SECTIONS(code, array)                                                           \
	{                                                                                              \
		.state = sizeof(tlv_membership_parts), .kind = (code), TLV_LIST(array),                    \
		.least = {1, 1, 1, 0, 0},                                                                  \
		.most = {TLV_CATEGORY_MOST_VARIABLES, TLV_MEMBERSHIP_MOST_TABLE,                           \
				 TLV_MEMBERSHIP_MOST_COMPONENTS, SIZE_MAX, TLV_CATEGORY_MOST_VARIABLES},           \
		.size_at = {AT(p), AT(categories), AT(k), AT(category_bytes), AT(scalars)},                \
		.diagnostics = AT(diagnostics), .check_more = model_membership_check,                      \
	}

static const tlv_declaration classes_list[] = MEMBERSHIP_LIST("weights");
static const tlv_declaration mixed_list[] = MEMBERSHIP_LIST("alpha");
static const tlv_sections classes_sections =
	MEMBERSHIP_SECTIONS(TLV_KIND_LATENT_CLASSES, classes_list);
static const tlv_sections mixed_sections =
	MEMBERSHIP_SECTIONS(TLV_KIND_GRADE_OF_MEMBERSHIP, mixed_list);
#undef AT

/* ---- layout ---- */

#define MEMBERSHIP_FIELDS(weights_name)                                                            \
	{                                                                                              \
		{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},                                     \
			{"copies", TLV_FIELD_NUMBER, .flags = 0},                                              \
			{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},                                \
			{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},                                 \
			{"prior", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},                                \
			{"states", TLV_FIELD_IDS, .flags = 0},                                                 \
			{weights_name, TLV_FIELD_LIST,                                                         \
			 .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},                             \
			{"probabilities", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS},                            \
			{"category_offsets", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY,                       \
			 .beside = "category_names", .json = "category_names"},                                \
			{"scalar_means", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY},          \
			{"scalar_variances", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY},      \
			{"scalar_counts", TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY},                           \
		{                                                                                          \
			.form = TLV_FIELDS_END                                                                 \
		}                                                                                          \
	}
static const tlv_field classes_fields[] = MEMBERSHIP_FIELDS("weights");
static const tlv_field mixed_fields[] = MEMBERSHIP_FIELDS("alpha");
static const char *const membership_series[] = {"recurrence_1", NULL};
static const tlv_spread membership_spreads[] = {
	{.variances = "scalar_variances", .means = "scalar_means", .counts = "scalar_counts"},
	{.variances = NULL}};
static const tlv_layout classes_layout = {.spreads = membership_spreads,
										  .fields = classes_fields,
										  .weights = "weights",
										  .series = membership_series};
static const tlv_layout mixed_layout = {.spreads = membership_spreads,
										.fields = mixed_fields,
										.weights = "alpha",
										.series = membership_series};

/* ---- use ---- */

static tlv_status
membership_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	membership_model *model;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(membership_model), opened));
	model = (membership_model *) *opened;
	tlv_membership_read(frame, &model->parts);
	model->mixed = tlv_membership_is_mixed(frame);
	model->slots = model->parts.p * (size_t) model->parts.copies;
	TLV_TRY_NEW0(ctx, model->offset, model->parts.p + 1);
	for (size_t j = 0; j < model->parts.p; j++)
		model->offset[j + 1] = model->offset[j] + (size_t) model->parts.states[j];
	TLV_TRY_NEW(ctx, model->items, model->slots + model->parts.scalars);
	TLV_TRY(membership_worker_create(ctx, model->mixed, model->parts.k, model->parts.categories,
									 model->slots + model->parts.scalars, &model->worker));
	TLV_TRY(membership_numbers_of(ctx, &model->parts, &model->numbers));
	if (model->numbers.q > 0)
		model->base.rows = TLV_ROW_VECTOR | TLV_ROWS_MISSING_ELEMENTS;
	TLV_TRY(
		membership_worker_number(ctx, &model->worker, model->parts.categories, &model->numbers));
	TLV_TRY(membership_worker_set(ctx, &model->worker, model->parts.categories,
								  model->parts.weights, model->parts.probabilities));
	return TLV_OK;
}

/* Items of a vector: codes, and numbers behind them. */
static tlv_status
items_of_vector(tlv_context *ctx, membership_model *model, const tlv_part *part, size_t *n)
{
	const double *x = part->float64;
	size_t q = model->numbers.q;

	if (part->d != model->slots + q)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, those of the model %zu: %zu %s, %zu %s",
				 part->d, tlv_plural((double) part->d, "value", "values"), model->slots + q,
				 model->slots, tlv_plural((double) model->slots, "category", "categories"), q,
				 tlv_plural((double) q, "number", "numbers"));
		return tlv_fail_hint(ctx,
							 "Give the variables that the model was fitted to, in their order.");
	}
	for (size_t s = 0; s < model->slots; s++)
	{
		if (!(x[s] >= 0 && x[s] < (double) model->parts.states[s]))
			continue;
		if (x[s] != floor(x[s]))
		{
			tlv_fail(ctx, TLV_BAD_DATA, "value %zu of a row is %g, not a category", s + 1, x[s]);
			return tlv_fail_hint(
				ctx, "Give the numbers of categories, from 0, and NULL for what is missing.");
		}
		model->items[(*n)++] = (int32_t) model->offset[s] + (int32_t) x[s];
	}
	for (size_t s = 0; s < q; s++)
	{
		double number = x[model->slots + s];

		if (tlv_membership_is_missing(number))
			continue;
		if (!(fabs(number) <= TLV_MEMBERSHIP_LARGEST))
			return tlv_refuse_number(ctx, s, number, TLV_MEMBERSHIP_LARGEST);
		if (model->numbers.form[s] > TLV_NUMBER_POISSON && number <= 0)
			continue; /* as if it were missing: so are categories that the model does not know */
		if (model->numbers.form[s] == TLV_NUMBER_POISSON && number < 0)
		{
			tlv_fail(ctx, TLV_BAD_DATA, "number %zu of a row is %g: the model's are counts, from 0",
					 s + 1, number);
			return tlv_fail_hint(ctx, "Leave such rows out, or give NULL for the count.");
		}
		model->items[(*n)++] = membership_worker_take(&model->worker, s, number);
	}
	return TLV_OK;
}

/* A category that the model does not know counts as missing. */
tlv_status
membership_items(tlv_context *ctx, membership_model *model, const tlv_row *row, size_t *n)
{
	const tlv_part *part = &row->part[0];
	size_t copies = (size_t) model->parts.copies;

	*n = 0;
	if ((row->form == TLV_ROW_VECTOR) != (model->numbers.q > 0))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "rows of the model are %s",
						tlv_row_name(model->numbers.q > 0 ? TLV_ROW_VECTOR : TLV_ROW_CODES));
	if (model->numbers.q > 0)
		return items_of_vector(ctx, model, part, n);
	if (part->d != model->slots)
	{
		tlv_fail(ctx, TLV_BAD_DATA, "a row has %zu %s, those of the model %zu", part->d,
				 tlv_plural((double) part->d, "value", "values"), model->slots);
		return tlv_fail_hint(ctx,
							 "Give the variables that the model was fitted to, in their order.");
	}
	for (size_t s = 0; s < model->slots; s++)
	{
		int32_t code = part->codes[s];

		if (code < 0 || code >= model->parts.states[s / copies])
			continue;
		model->items[(*n)++] = (int32_t) model->offset[s / copies] + code;
	}
	return TLV_OK;
}

static tlv_status
membership_infer_row(tlv_context *ctx, tlv_model *opened, const tlv_row *row,
					 tlv_posterior *posterior)
{
	membership_model *model = (membership_model *) opened;
	size_t n;

	TLV_TRY(membership_items(ctx, model, row, &n));
	(void) membership_infer(&model->worker, n, model->items);
	TLV_TRY(tlv_posterior_begin(ctx, posterior, 1, model->parts.k));
	memcpy(posterior->values, model->worker.shares, model->parts.k * sizeof(double));
	return TLV_OK;
}

static tlv_status
membership_log_likelihood(tlv_context *ctx, tlv_model *opened, const tlv_row *row, double *value)
{
	membership_model *model = (membership_model *) opened;
	size_t n;

	TLV_TRY(membership_items(ctx, model, row, &n));
	*value = membership_infer(&model->worker, n, model->items);
	return TLV_OK;
}

static void
membership_code_names(const tlv_frame *frame, tlv_code_names *names)
{
	tlv_membership_parts parts;

	tlv_membership_read(frame, &parts);
	*names = tlv_membership_names(&parts);
}

/* A category that is missing: the most probable one, given the shares of the components. */
static double
likeliest_category(const membership_model *model, size_t j)
{
	const tlv_code_names names = tlv_membership_names(&model->parts);
	size_t k = model->parts.k, first = model->offset[j];
	const double *table = model->parts.probabilities + first * k;
	double most = -1;
	int64_t best = 0;

	for (int64_t c = 0; c < model->parts.states[j]; c++)
	{
		double p = 0;

		for (size_t h = 0; h < k; h++)
			p += model->worker.shares[h] * table[(size_t) c * k + h];
		if (p > most)
			best = c;
		most = fmax(most, p);
	}
	return (double) tlv_code_number(&names, j, first, best);
}

/* What is missing becomes the most probable category, or the mean. */
static tlv_status
membership_impute(tlv_context *ctx, tlv_model *opened, const tlv_row *row, tlv_posterior *filled)
{
	membership_model *model = (membership_model *) opened;
	const tlv_code_names names = tlv_membership_names(&model->parts);
	size_t n, k = model->parts.k, copies = (size_t) model->parts.copies, q = model->numbers.q;
	const tlv_part *part = &row->part[0];

	TLV_TRY(membership_items(ctx, model, row, &n));
	(void) membership_infer(&model->worker, n, model->items);
	TLV_TRY(tlv_posterior_begin(ctx, filled, 1, model->slots + q));
	for (size_t s = 0; s < model->slots; s++)
	{
		bool there = q > 0 ? part->float64[s] >= 0 : part->codes[s] >= 0;
		int64_t code = !there ? -1 : q > 0 ? (int64_t) part->float64[s] : part->codes[s];

		filled->values[s] =
			there ? (double) tlv_code_number(&names, s / copies, model->offset[s / copies], code)
				  : likeliest_category(model, s / copies);
	}
	for (size_t s = 0; s < q; s++)
	{
		double mean = 0;

		for (size_t h = 0; h < k; h++)
			mean += model->worker.shares[h] * model->numbers.mean[s * k + h];
		filled->values[model->slots + s] = part->float64[model->slots + s];
		if (tlv_membership_is_missing(filled->values[model->slots + s]))
			filled->values[model->slots + s] = mean;
	}
	return TLV_OK;
}

/* How many variables a row has, numbers that belong to it among them. */
static size_t
membership_dimensions(const tlv_frame *frame)
{
	const tlv_section *variances = tlv_frame_find(frame, "scalar_variances");

	return tlv_frame_find(frame, "states")->rows + (variances != NULL ? variances->columns : 0);
}

static const char *const membership_page_fields[] = {"states",
													 "probabilities",
													 "category_offsets",
													 "scalar_means",
													 "scalar_variances",
													 "scalar_counts",
													 NULL};
static const tlv_page_content membership_contents[] = {
	{"probabilities", TLV_CONTENT_CATEGORIES, .what = "variable"},
	{"scalar_means", TLV_CONTENT_NUMBERS, .what = "number", .variances = "scalar_variances",
	 .from = 1},
	{.section = NULL}};
static const tlv_page_view classes_page = {.contents = membership_contents,
										   .view = "profiles",
										   .what = "class",
										   .fields = membership_page_fields};
static const tlv_page_view mixed_page = {.contents = membership_contents,
										 .view = "profiles",
										 .what = "profile",
										 .fields = membership_page_fields};

#define MEMBERSHIP_CLASS(own_sections, own_layout, own_page, approximate, why_certain)             \
	{                                                                                              \
		.sections = &(own_sections), .layout = &(own_layout), .open = membership_open,             \
		.components_size = SIZE_K, .dimensions = membership_dimensions, .rows = TLV_ROW_CODES,     \
		.infer = membership_infer_row, .log_likelihood = membership_log_likelihood,                \
		.impute = membership_impute, .code_names = membership_code_names,                          \
		.statistics = membership_statistics, .update = membership_update,                          \
		.match = membership_match, .draw = membership_draw_picture, .page = &(own_page),           \
		.estimates = membership_estimates, .score = membership_score, .redraw = membership_redraw, \
		.approximate_scores = (approximate), .certain = (why_certain),                             \
	}
static const tlv_model_class classes_class =
	MEMBERSHIP_CLASS(classes_sections, classes_layout, classes_page, false,
					 "Posteriors of classes are as certain as they should be, since their "
					 "probabilities have a prior: take tlv_infer(model, row).");
static const tlv_model_class mixed_class =
	MEMBERSHIP_CLASS(mixed_sections, mixed_layout, mixed_page, true, NULL);

const tlv_kind tlv_kind_latent_classes = {TLV_KIND_LINE(LATENT_CLASSES, latent_classes),
										  .model = &classes_class};
const tlv_kind tlv_kind_grade_of_membership = {
	TLV_KIND_LINE(GRADE_OF_MEMBERSHIP, grade_of_membership), .model = &mixed_class};
