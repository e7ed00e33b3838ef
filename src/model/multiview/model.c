/*
 * model.c - the stored form of a multi-view mixture and what it can
 * do (multiview.h, model.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/triple_table.h"
#include "tensorlv/model/view_solver.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/multiview.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/sort.h"
#include "tensorlv/num/numbers.h"

/* Sizes: components, numbers or categories of the views, offsets and bytes of their names. */
#define SIZE_K	   TLV_SIZE_1
#define SIZE_D	   TLV_SIZE_2
#define SIZE_ENDS  TLV_SIZE_5
#define SIZE_BYTES TLV_SIZE_6

/* ---- writing ---- */

static void
copy_ordered(size_t d, size_t k, const double *from, const int64_t *order, double smallest,
			 bool normalise, double *to)
{
	for (size_t j = 0; j < k; j++)
	{
		const double *column = from + (size_t) order[j] * d;
		double sum = 0;

		for (size_t i = 0; i < d; i++)
			sum += to[j * d + i] = fmax(column[i], smallest);
		for (size_t i = 0; normalise && i < d; i++)
			to[j * d + i] /= sum;
	}
}

tlv_status
tlv_multiview_write(tlv_context *ctx, const tlv_multiview_parts *parts, void **image, size_t *size)
{
	size_t k = parts->k, wide = parts->d[0] + parts->d[1] + parts->d[2];
	bool vectors = parts->variances[0] != NULL;
	tlv_multiview_parts ordered = *parts;
	double *weights, *at;
	int64_t *order;

	TLV_TRY_NEW(ctx, weights, 2 * k + 2 * k * wide);
	order = (int64_t *) (weights + k);
	at = weights + 2 * k;
	tlv_order_weights(k, parts->weights, order);
	if (parts->order != NULL)
		memcpy(parts->order, order, k * sizeof(int64_t));
	copy_ordered(1, k, parts->weights, order, TLV_LEAST_PROBABILITY, false, weights);
	ordered.weights = weights;
	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		copy_ordered(d, k, parts->means[t], order, vectors ? -HUGE_VAL : TLV_LEAST_PROBABILITY,
					 !vectors, at);
		ordered.means[t] = at;
		at += d * k;
		if (!vectors)
			continue;
		copy_ordered(d, k, parts->variances[t], order, TLV_LEAST_VARIANCE, false, at);
		ordered.variances[t] = at;
		at += d * k;
	}
	TLV_TRY(tlv_diagnostics_permute(ctx, parts->diagnostics, "tensor_eigenvalue_1", k, order));
	TLV_TRY(tlv_sections_write(ctx, tlv_kind_multiview.model->sections, &ordered, image, size));
	tlv_free(ctx, weights);
	return TLV_OK;
}

void
tlv_multiview_read(const tlv_frame *frame, tlv_multiview_parts *parts)
{
	tlv_sections_read(frame, tlv_kind_multiview.model->sections, parts);
}

tlv_name_list
tlv_multiview_names(const tlv_multiview_parts *parts, int view)
{
	const int64_t *offsets = parts->category_offsets;

	for (int t = 0; t < view && offsets != NULL; t++)
		offsets += parts->d[t];
	return (tlv_name_list){offsets, parts->category_names};
}

bool
tlv_multiview_is_named(const tlv_multiview_parts *parts, int view)
{
	const int64_t *offsets = tlv_multiview_names(parts, view).offsets;

	return offsets != NULL && offsets[parts->d[view]] > offsets[0];
}

double
tlv_multiview_parameters(const tlv_multiview_parts *parts)
{
	double k = (double) parts->k, sum = k - 1;

	for (int t = 0; t < 3; t++)
		sum +=
			is_categorical(parts) ? k * ((double) parts->d[t] - 1) : 2 * k * (double) parts->d[t];
	return sum;
}

/* ---- validation ---- */

static tlv_status
check_view(tlv_context *ctx, const tlv_frame *frame, const tlv_multiview_parts *parts, int t)
{
	static const char *const means[] = {"means1", "means2", "means3"};
	static const char *const variances[] = {"variances1", "variances2", "variances3"};
	bool categories = parts->items[0] != NULL;

	if ((parts->items[t] != NULL) != categories || (parts->variances[t] != NULL) == categories ||
		(parts->floors[t] != NULL) == categories)
		return tlv_fail(ctx, TLV_CORRUPT, "view %d is neither of categories nor of vectors", t + 1);
	if (!categories)
		return tlv_frame_require_minimum(ctx, frame, variances[t], TLV_LEAST_VARIANCE / 10);
	if (parts->d[t] > TRIPLE_MOST)
		return tlv_fail(ctx, TLV_CORRUPT, "view %d has %zu categories", t + 1, parts->d[t]);
	return tlv_require_shares(ctx, frame, means[t], false, TLV_LEAST_PROBABILITY / 10);
}

/* One for every category of every view, which may be empty. */
static tlv_status
multiview_check_names(tlv_context *ctx, const tlv_multiview_parts *parts)
{
	const int64_t *offsets = parts->category_offsets;
	size_t n = parts->d[0] + parts->d[1] + parts->d[2];

	if (offsets == NULL && parts->category_names == NULL)
		return TLV_OK;
	if (parts->items[0] == NULL || offsets == NULL || parts->category_names == NULL ||
		parts->category_ends != n + 1 || offsets[0] != 0)
		return tlv_fail(ctx, TLV_CORRUPT, "the model has names of other categories than its own");
	for (size_t i = 0; i < n; i++)
		if (offsets[i + 1] < offsets[i])
			return tlv_fail(ctx, TLV_CORRUPT, "section \"category_offsets\" does not ascend");
	if ((uint64_t) offsets[n] != parts->category_bytes ||
		memchr(parts->category_names, 0, parts->category_bytes) != NULL)
		return tlv_fail(ctx, TLV_CORRUPT, "the names of categories are not %zu bytes of text",
						parts->category_bytes);
	return TLV_OK;
}

/* 0 of a component that is not there. */
static tlv_status
multiview_check_weights(tlv_context *ctx, const tlv_multiview_parts *parts)
{
	double sum = 0;

	for (size_t j = 0; j < parts->k; j++)
	{
		if (parts->weights[j] != 0 && !(parts->weights[j] >= TLV_LEAST_PROBABILITY / 10))
			return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" holds %g", parts->weights[j]);
		sum += parts->weights[j];
	}
	if (!(sum > 0))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"weights\" sums to %g", sum);
	return TLV_OK;
}

static tlv_status
multiview_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	tlv_multiview_parts parts;

	(void) sizes;
	tlv_multiview_read(frame, &parts);
	TLV_TRY(multiview_check_weights(ctx, &parts));
	TLV_TRY(multiview_check_names(ctx, &parts));
	for (int t = 0; t < 3; t++)
		TLV_TRY(check_view(ctx, frame, &parts, t));
	return TLV_OK;
}

#define AT(member) offsetof(tlv_multiview_parts, member)
/* View t, from 1. */
#define VIEW(t, D)                                                                                   \
	{"items" #t, TLV_INT64, D, TLV_ONE, TLV_ASCENDING, TLV_GIVEN, AT(items[(t) -1])},                \
		{"means" #t, TLV_FLOAT64, D, SIZE_K, TLV_ANY, TLV_KEPT, AT(means[(t) -1])},                  \
		{"variances" #t, TLV_FLOAT64, D, SIZE_K, TLV_NONNEGATIVE, TLV_GIVEN, AT(variances[(t) -1])}, \
	{                                                                                                \
		"floor" #t, TLV_FLOAT64, D, TLV_ONE, TLV_NONNEGATIVE, TLV_GIVEN, AT(floors[(t) -1])          \
	}
static const tlv_declaration multiview_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(rows)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(weights)},
	VIEW(1, SIZE_D),
	VIEW(2, SIZE_D + 1),
	VIEW(3, SIZE_D + 2),
	{"category_offsets", TLV_INT64, SIZE_ENDS, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(category_offsets)},
	{"category_names", TLV_BYTES, SIZE_BYTES, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(category_names)},
};
static const tlv_sections multiview_sections = {
	.state = sizeof(tlv_multiview_parts),
	.kind = TLV_KIND_MULTIVIEW,
	TLV_LIST(multiview_list),
	.least = {1, 1, 1, 1},
	.most = {TLV_VIEW_MOST_COMPONENTS, TLV_VIEW_MOST_TRIPLES, TLV_VIEW_MOST_TRIPLES,
			 TLV_VIEW_MOST_TRIPLES, SIZE_MAX, SIZE_MAX},
	.size_at = {AT(k), AT(d[0]), AT(d[1]), AT(d[2]), AT(category_ends), AT(category_bytes)},
	.diagnostics = AT(diagnostics),
	.check_more = multiview_check_more,
};
#undef VIEW
#undef AT

/* View t, from 1. */
#define VIEW(t)                                                                                    \
	{"items" #t, TLV_FIELD_IDS, .flags = TLV_MAY_BE_EMPTY},                                        \
		{"means" #t, TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS, .keys = "items" #t,            \
		 .least = TLV_LEAST_PROBABILITY},                                                          \
		{"variances" #t, TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_MAY_BE_EMPTY},        \
	{                                                                                              \
		"floor" #t, TLV_FIELD_LIST, .flags = TLV_MAY_BE_EMPTY                                      \
	}
static const tlv_field multiview_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	VIEW(1),
	VIEW(2),
	VIEW(3),
	{"category_offsets", TLV_FIELD_TEXTS, .flags = TLV_MAY_BE_EMPTY, .beside = "category_names",
	 .json = "category_names"},
	{.form = TLV_FIELDS_END},
};
#undef VIEW
static const char *const multiview_series[] = {"tensor_eigenvalue_1", "recurrence_1", NULL};
static const tlv_spread multiview_spreads[] = {{.variances = "variances1", .means = "means1"},
											   {.variances = "variances2", .means = "means2"},
											   {.variances = "variances3", .means = "means3"},
											   {.variances = NULL}};
static const tlv_layout multiview_layout = {.spreads = multiview_spreads,
											.fields = multiview_fields,
											.weights = "weights",
											.series = multiview_series};

/* ---- use ---- */

/* The mixture of all views. */
static tlv_status
model_open_vectors(tlv_context *ctx, multiview_model *model)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t d = parts->d[0] + parts->d[1] + parts->d[2];

	TLV_TRY(tlv_mixture_create(ctx, parts->k, d, TLV_COVARIANCE_DIAGONAL, &model->mixture));
	memcpy(model->mixture.weights, parts->weights, parts->k * sizeof(double));
	tlv_multiview_join(parts->d, parts->k, parts->means, model->mixture.means);
	tlv_multiview_join(parts->d, parts->k, parts->variances, model->mixture.variances);
	TLV_TRY(tlv_mixture_worker_create(ctx, &model->mixture, &model->worker));
	TLV_TRY_NEW(ctx, model->row, d);
	TLV_TRY_NEW(ctx, model->missing, d);
	return TLV_OK;
}

static tlv_status
model_open_categories(tlv_context *ctx, multiview_model *model)
{
	const tlv_multiview_parts *parts = &model->parts;
	size_t k = parts->k;

	for (int t = 0; t < 3; t++)
	{
		size_t d = parts->d[t];

		TLV_TRY(tlv_dictionary_freeze(ctx, &model->dictionary[t], d, parts->items[t]));
		TLV_TRY_NEW_ROWS(ctx, model->probabilities[t], k, d);
		for (size_t i = 0; i < d; i++)
		{
			TLV_TRY_CONTINUE(ctx);
			for (size_t j = 0; j < k; j++)
				model->probabilities[t][i * k + j] = parts->means[t][j * d + i];
		}
	}
	return TLV_OK;
}

static tlv_status
multiview_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **opened)
{
	multiview_model *model;

	TLV_TRY(tlv_model_create(ctx, frame, sizeof(multiview_model), opened));
	model = (multiview_model *) *opened;
	tlv_multiview_read(frame, &model->parts);
	model->base.rows &=
		~(unsigned) (is_categorical(&model->parts) ? TLV_ROW_VIEWS : TLV_ROW_CATEGORIES);
	if (is_categorical(&model->parts)) /* three numbers in an array, each a view */
		model->base.rows |= TLV_ROWS_MISSING_OF_MANY;
	TLV_TRY_NEW(ctx, model->joint, model->parts.k);
	TLV_TRY(is_categorical(&model->parts) ? model_open_categories(ctx, model)
										  : model_open_vectors(ctx, model));
	return TLV_OK;
}

static tlv_status
multiview_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_multiview_parts parts_a, parts_b;

	tlv_multiview_read(a, &parts_a);
	tlv_multiview_read(b, &parts_b);
	return tlv_multiview_match(ctx, &parts_a, &parts_b, match->component, match->distance);
}

/* Of views that are vectors: theirs, one behind the other. */
static size_t
multiview_dimensions(const tlv_frame *frame)
{
	tlv_multiview_parts parts;

	tlv_multiview_read(frame, &parts);
	return is_categorical(&parts) ? 0 : parts.d[0] + parts.d[1] + parts.d[2];
}

/* Those of categories. */
static tlv_ids
multiview_ids(const tlv_model *model, int view, int64_t id, bool *known)
{
	const multiview_model *own = (const multiview_model *) model;

	if (!is_categorical(&own->parts))
		return TLV_IDS_ANY;
	*known = tlv_dictionary_find(&own->dictionary[view], id) >= 0;
	return tlv_multiview_is_named(&own->parts, view) ? TLV_IDS_NAMES : TLV_IDS_NUMBERS;
}

/* The means, or the probabilities of categories, of every component in every view. */
static tlv_status
multiview_picture(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_name_list none = {NULL, NULL};
	tlv_picture_component *components;
	tlv_multiview_parts parts;
	size_t k, columns, at = 0;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "component", &components));
	tlv_multiview_read(model, &parts);
	k = parts.k;
	columns = parts.d[0] + parts.d[1] + parts.d[2];
	TLV_TRY_NEW_ROWS(ctx, numbers, k, columns);
	for (int t = 0; t < 3; t++)
		for (size_t i = 0; i < parts.d[t]; i++, at++)
			for (size_t j = 0; j < k; j++)
				numbers[j + k * at] = parts.means[t][j * parts.d[t] + i];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, columns, numbers, &none));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* Weights and categories of components in new rows. */
static tlv_status
multiview_drift(tlv_context *ctx, const tlv_frame *model, const tlv_frame *statistics,
				tlv_drift *drift)
{
	static const char *const names[3] = {"counts1", "counts2", "counts3"};
	static const char *const tests[3] = {"categories of view 1", "categories of view 2",
										 "categories of view 3"};
	const double *responsibilities = NULL, *counts = NULL;
	tlv_multiview_parts own;
	size_t k;

	tlv_multiview_read(model, &own);
	k = own.k;
	TLV_TRY(tlv_frame_require(ctx, statistics, "responsibilities", TLV_FLOAT64, k, 1,
							  (const void **) &responsibilities));
	TLV_TRY(tlv_drift_counts(ctx, drift, "weights", 0, k, 1, responsibilities, own.weights));
	for (int t = 0; t < 3 && is_categorical(&own); t++)
	{
		double *shares;

		TLV_TRY(tlv_frame_require(ctx, statistics, names[t], TLV_FLOAT64, k, own.d[t],
								  (const void **) &counts));
		TLV_TRY_NEW_ROWS(ctx, shares, k, own.d[t]);
		for (size_t i = 0; i < own.d[t]; i++)
			for (size_t j = 0; j < k; j++)
				shares[i * k + j] = own.means[t][j * own.d[t] + i];
		for (size_t j = 0; j < k; j++)
			TLV_TRY(
				tlv_drift_counts(ctx, drift, tests[t], j + 1, own.d[t], k, counts + j, shares + j));
		tlv_free(ctx, shares);
	}
	return TLV_OK;
}

static const char *const multiview_page_fields[] = {
	"weights",	  "items1", "means1", "variances1", "items2",			"means2",
	"variances2", "items3", "means3", "variances3", "category_offsets", NULL};
static const tlv_page_content multiview_contents[] = {
	{"means1", TLV_CONTENT_NUMBERS, .what = "view 1:", .ids = "items1", .variances = "variances1",
	 .from = 1},
	{"means2", TLV_CONTENT_NUMBERS, .what = "view 2:", .ids = "items2", .variances = "variances2",
	 .from = 1},
	{"means3", TLV_CONTENT_NUMBERS, .what = "view 3:", .ids = "items3", .variances = "variances3",
	 .from = 1},
	{.section = NULL}};
static const tlv_page_view multiview_page = {.contents = multiview_contents,
											 .view = "profiles",
											 .what = "component",
											 .fields = multiview_page_fields};

static const tlv_model_class multiview_class = {
	.sections = &multiview_sections,
	.layout = &multiview_layout,
	.drift = multiview_drift,
	.estimates = tlv_multiview_estimates,
	.score = tlv_multiview_score,
	.redraw = tlv_multiview_redraw,
	.draw = multiview_picture,
	.page = &multiview_page,
	.open = multiview_open,
	.components_size = SIZE_K,
	.dimensions = multiview_dimensions,
	.ids = multiview_ids,
	.rows = TLV_ROW_VECTOR | TLV_ROW_VIEWS | TLV_ROW_CATEGORIES | TLV_ROWS_MISSING_VIEWS,
	.infer = tlv_multiview_infer,
	.impute = tlv_multiview_impute,
	.log_likelihood = tlv_multiview_log_likelihood,
	.statistics = tlv_multiview_statistics,
	.update = tlv_multiview_update,
	.match = multiview_match,
};
const tlv_kind tlv_kind_multiview = {TLV_KIND_LINE(MULTIVIEW, multiview),
									 .model = &multiview_class};

/* ---- matching ---- */

/* L1 distance of the probabilities of two views over all categories of either, both ascending. */
static double
category_distance(const tlv_multiview_parts *a, size_t ja, const tlv_multiview_parts *b, size_t jb,
				  int view)
{
	const int64_t *x = a->items[view], *y = b->items[view];
	const double *p = a->means[view] + ja * a->d[view], *q = b->means[view] + jb * b->d[view];
	size_t i = 0, j = 0;
	double sum = 0;

	while (i < a->d[view] || j < b->d[view])
	{
		bool in_a = i < a->d[view] && (j >= b->d[view] || x[i] <= y[j]);
		bool in_b = j < b->d[view] && (i >= a->d[view] || y[j] <= x[i]);

		sum += fabs((in_a ? p[i] : 0) - (in_b ? q[j] : 0));
		i += in_a;
		j += in_b;
	}
	return sum;
}

static double
multiview_component_distance(const tlv_multiview_parts *a, size_t i, const tlv_multiview_parts *b,
							 size_t j)
{
	double sum = 0;

	for (int t = 0; t < 3; t++)
		if (a->items[0] != NULL)
			sum += category_distance(a, i, b, j, t) / 3;
		else
			sum +=
				tlv_squared_distance(a->d[t], a->means[t] + i * a->d[t], b->means[t] + j * a->d[t]);
	return a->items[0] != NULL ? sum : sqrt(sum);
}

tlv_status
tlv_multiview_match(tlv_context *ctx, const tlv_multiview_parts *a, const tlv_multiview_parts *b,
					int64_t *assignment, double *error)
{
	double *cost;

	if ((a->items[0] != NULL) != (b->items[0] != NULL))
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "one model is of categories, one of vectors");
	for (int t = 0; t < 3 && a->items[0] == NULL; t++)
		if (a->d[t] != b->d[t])
		{
			tlv_fail(ctx, TLV_BAD_PARAMETER, "view %d has %zu and %zu %s", t + 1, a->d[t], b->d[t],
					 tlv_plural((double) b->d[t], "dimension", "dimensions"));
			return tlv_fail_hint(ctx, "Fit both to the same columns in the same order.");
		}
	TLV_TRY_NEW_ROWS(ctx, cost, a->k, b->k);
	for (size_t i = 0; i < a->k; i++)
		for (size_t j = 0; j < b->k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * b->k + j] = multiview_component_distance(a, i, b, j);
		}
	TLV_TRY(tlv_assign_components(ctx, a->k, b->k, cost, NAN, assignment, error));
	tlv_free(ctx, cost);
	return TLV_OK;
}
