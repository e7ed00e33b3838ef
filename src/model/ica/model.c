/*
 * model.c - the stored form of a model of independent components, and what
 * it can do (ica.h).
 */
#include "tensorlv/model/ica.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/model/dimension_names.h"
#include "tensorlv/model/picture.h"
#include "tensorlv/model/errors.h"
#include "tensorlv/model/assignment.h"

/* Sizes: dimensions, components. */
#define SIZE_D TLV_SIZE_1
#define SIZE_K TLV_SIZE_2

/* ---- order and signs ---- */

/* Copies k lines of the given length in the given order. The lines are contiguous, or stride_in
 * apart. */
static void
permute(size_t k, size_t stride_in, size_t length, const int64_t *order, double *x, double *work)
{
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < length; i++)
			work[j * length + i] = stride_in == 1 ? x[(size_t) order[j] * length + i]
												  : x[(size_t) order[j] + i * stride_in];
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < length; i++)
			x[stride_in == 1 ? j * length + i : j + i * stride_in] = work[j * length + i];
}

static void
choose_signs(tlv_ica_parts *parts)
{
	for (size_t j = 0; j < parts->k; j++)
	{
		double *column = parts->mixing + j * parts->d;
		size_t largest = 0;

		for (size_t i = 1; i < parts->d; i++)
			largest = fabs(column[i]) > fabs(column[largest]) ? i : largest;
		if (!(column[largest] < 0))
			continue;
		for (size_t i = 0; i < parts->d; i++)
		{
			column[i] = -column[i];
			parts->unmixing[j + i * parts->k] = -parts->unmixing[j + i * parts->k];
		}
	}
}

tlv_status
tlv_ica_order(tlv_context *ctx, tlv_ica_parts *parts)
{
	size_t k = parts->k, d = parts->d;
	double *work = tlv_alloc(ctx, k * d, sizeof(double));
	int64_t *order;

	TLV_TRY_ALLOC(ctx, work);
	TLV_TRY_NEW(ctx, order, 2 * k);
	for (size_t j = 0; j < k; j++)
	{
		size_t at = j;

		for (; at > 0 && fabs(parts->kurtosis[order[at - 1]]) < fabs(parts->kurtosis[j]); at--)
			order[at] = order[at - 1];
		order[at] = (int64_t) j;
	}
	permute(k, 1, d, order, parts->mixing, work);
	permute(k, k, d, order, parts->unmixing, work);
	permute(k, 1, 1, order, parts->kurtosis, work);
	for (size_t j = 0; j < k && parts->sources != NULL; j++)
		order[k + j] = parts->sources[order[j]];
	if (parts->sources != NULL)
		memcpy(parts->sources, order + k, k * sizeof(int64_t));
	if (parts->order != NULL)
		memcpy(parts->order, order, k * sizeof(int64_t));
	choose_signs(parts);
	tlv_free(ctx, order);
	tlv_free(ctx, work);
	return TLV_OK;
}

/* ---- Gaussian components ---- */

size_t
tlv_ica_gaussian(size_t k, const double *kurtosis, double rows)
{
	size_t n = 0;

	for (size_t j = 0; j < k; j++)
		n += !(fabs(kurtosis[j]) >= TLV_ICA_GAUSSIAN * sqrt(24 / rows));
	return n;
}

const char *
tlv_ica_show(const tlv_ica_parts *parts, size_t j, char shown[TLV_SHOWN_NAME])
{
	double most = -1;
	size_t strongest = 0;
	char name[TLV_SHOWN_NAME];

	for (size_t i = 0; i < parts->d; i++)
	{
		double own = pow(parts->mixing[i + j * parts->d], 2), all = 0;

		for (size_t l = 0; l < parts->k; l++)
			all += pow(parts->mixing[i + l * parts->d], 2);
		if (!(own / all > most))
			continue;
		most = own / all;
		strongest = i;
	}
	snprintf(shown, TLV_SHOWN_NAME, "%zu (strongest in column %.84s)", j + 1,
			 tlv_names_show(parts->names, strongest, name));
	return shown;
}

/* The work of a name is that of all columns in all components: only for those that are shown. */
void
tlv_ica_list(const tlv_ica_parts *parts, size_t j, tlv_shown_list *list)
{
	char shown[TLV_SHOWN_NAME];

	tlv_shown_add(list, list->n < TLV_SHOWN_MOST ? tlv_ica_show(parts, j, shown) : "");
}

/* Those of no kurtosis, with their columns and by number. */
static void
list_gaussian(const tlv_ica_parts *parts, tlv_shown_list *list, tlv_shown_list *numbers)
{
	double limit = TLV_ICA_GAUSSIAN * sqrt(24 / parts->rows);

	for (size_t j = 0; j < parts->k; j++)
		if (!(fabs(parts->kurtosis[j]) >= limit))
		{
			tlv_ica_list(parts, j, list);
			tlv_shown_add_number(numbers, j + 1);
		}
}

tlv_status
tlv_ica_require_sources(tlv_context *ctx, const tlv_ica_parts *parts)
{
	tlv_shown_list list = {0}, numbers = {0};
	char values[400];
	size_t at = 0;

	list_gaussian(parts, &list, &numbers);
	if (list.n < 2)
		return TLV_OK;
	/* The columns are in the detail: names of three are longer than a message may be. */
	(void) tlv_fail(ctx, TLV_NOT_IDENTIFIABLE, "%s have no kurtosis and cannot be distinguished",
					tlv_shown_text(&numbers, "component"));
	for (size_t j = 0; j < parts->k && at < sizeof(values) - 32; j++)
		at += (size_t) snprintf(values + at, sizeof(values) - at, "%s%.3g", j > 0 ? ", " : "",
								parts->kurtosis[j]);
	tlv_fail_detail(ctx,
					"These are %s. Excess kurtosis of the components: %s; %d standard errors are "
					"%.3g.",
					tlv_shown_text(&list, "component"), values, TLV_ICA_GAUSSIAN,
					TLV_ICA_GAUSSIAN * sqrt(24 / parts->rows));
	return tlv_fail_hint(ctx,
						 "At most one source may be Gaussian: use a smaller k or more rows; or let "
						 "keep_gaussian be true, and trust the other components only.");
}

tlv_status
tlv_ica_warn_gaussian(tlv_context *ctx, const tlv_ica_parts *parts)
{
	tlv_shown_list list = {0}, numbers = {0};

	if (!(parts->rows > 0))
		return TLV_OK;
	list_gaussian(parts, &list, &numbers);
	if (list.n < 2)
		return TLV_OK;
	return tlv_warn(ctx, parts->diagnostics,
					&(tlv_warning){.code = "not_identified", .score = (double) list.n},
					"%s have no kurtosis: they span the right subspace but are not identified "
					"within it",
					tlv_shown_text(&list, "component"));
}

tlv_status
tlv_ica_diagnose(tlv_context *ctx, const tlv_ica_parts *parts)
{
	for (size_t j = 0; j < parts->k; j++)
		TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, parts->kurtosis[j], "kurtosis_%zu", j + 1));
	if (parts->rows > 0)
		TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, sqrt(24 / parts->rows), "standard_error"));
	return tlv_ica_warn_gaussian(ctx, parts);
}

/* ---- the stored form ---- */

tlv_status
tlv_ica_write(tlv_context *ctx, const tlv_ica_parts *parts, void **image, size_t *size)
{
	return tlv_sections_write(ctx, tlv_kind_ica.model->sections, parts, image, size);
}

static tlv_status
ica_check_more(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const int64_t *sources = tlv_frame_int64(frame, "sources");

	if (sizes[SIZE_K] > sizes[SIZE_D])
		return tlv_fail(ctx, TLV_CORRUPT, "section \"mixing\" has more columns than rows");
	for (size_t j = 0; sources != NULL && j < sizes[SIZE_K]; j++)
		if (sources[j] < 0 || sources[j] >= TLV_ICA_SOURCES)
			return tlv_fail(ctx, TLV_CORRUPT, "source %zu is of unknown law %lld", j + 1,
							(long long) sources[j]);
	return TLV_OK;
}

#define AT(member) offsetof(tlv_ica_parts, member)
static const tlv_declaration ica_list[] = {
	{"rows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(rows)},
	{"noise", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(noise)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"steps", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(steps)},
	{"change", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(change)},
	{"mean", TLV_FLOAT64, SIZE_D, TLV_ONE, TLV_ANY, TLV_KEPT, AT(mean)},
	{"mixing", TLV_FLOAT64, SIZE_D, SIZE_K, TLV_ANY, TLV_KEPT, AT(mixing)},
	{"unmixing", TLV_FLOAT64, SIZE_K, SIZE_D, TLV_ANY, TLV_KEPT, AT(unmixing)},
	{"kurtosis", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_KEPT, AT(kurtosis)},
	{"sources", TLV_INT64, SIZE_K, TLV_ONE, TLV_ANY, TLV_GIVEN, AT(sources)},
	{"noise_factor", TLV_FLOAT64, SIZE_D, SIZE_D, TLV_ANY, TLV_GIVEN, AT(noise_factor)},
};
static const tlv_sections ica_sections = {
	.state = sizeof(tlv_ica_parts),
	.kind = TLV_KIND_ICA,
	TLV_LIST(ica_list),
	.least = {1, 1},
	.most = {SIZE_MAX, SIZE_MAX},
	.size_at = {AT(d), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = ica_check_more,
};
#undef AT

/* ---- layout ---- */

static bool
ica_opposed(const tlv_frame *model, size_t i, const tlv_frame *reference, size_t j)
{
	size_t d = tlv_frame_find(model, "mixing")->rows;
	const double *x = tlv_frame_float64(model, "mixing") + i * d;
	const double *y = tlv_frame_float64(reference, "mixing") + j * d;
	double product = 0;

	for (size_t e = 0; e < d; e++)
		product += copysign(sqrt(fabs(x[e])), x[e]) * copysign(sqrt(fabs(y[e])), y[e]);
	return product < 0;
}

static const tlv_field ica_fields[] = {
	{"rows", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"noise", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"steps", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"change", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"mean", TLV_FIELD_LIST, .flags = 0},
	{"mixing", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS | TLV_ZERO_ABSENT | TLV_ORIENTED},
	{"unmixing", TLV_FIELD_BY_ROWS, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_ORIENTED},
	{"kurtosis", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"sources", TLV_FIELD_IDS, .flags = TLV_OF_ROWS | TLV_MAY_BE_EMPTY},
	{"noise_factor", TLV_FIELD_BY_COLUMNS, .flags = TLV_MAY_BE_EMPTY},
	{.form = TLV_FIELDS_END},
};
static const char *const ica_series[] = {"kurtosis_1", "uncertainty_1", NULL};
static const tlv_layout ica_layout = {
	.fields = ica_fields, .weights = "mixing", .series = ica_series, .opposed = ica_opposed};

/* ---- use ---- */

static void
ica_read(const tlv_frame *frame, tlv_ica_model *ica)
{
	const tlv_section *mixing = tlv_frame_find(frame, "mixing");

	ica->d = mixing->rows;
	ica->k = mixing->columns;
	ica->noise = tlv_frame_scalar(frame, "noise", 0) != 0;
	ica->mean = tlv_frame_float64(frame, "mean");
	ica->unmixing = tlv_frame_float64(frame, "unmixing");
}

static tlv_status
ica_open(tlv_context *ctx, const tlv_frame *frame, tlv_model **model)
{
	TLV_TRY(tlv_model_create(ctx, frame, sizeof(tlv_ica_model), model));
	ica_read(frame, (tlv_ica_model *) *model);
	return TLV_OK;
}

tlv_status
tlv_ica_center(tlv_context *ctx, const tlv_ica_model *model, size_t d, const double *x, double *out)
{
	if (d != model->d)
		return tlv_refuse_width(ctx, d, model->d);
	for (size_t i = 0; i < d; i++)
	{
		out[i] = x[i] - model->mean[i];
		if (!isfinite(out[i]))
			return tlv_refuse_element(ctx, i, x[i]);
	}
	return TLV_OK;
}

tlv_status
tlv_ica_unmix(tlv_context *ctx, const tlv_model *model, size_t d, const double *x, double *y)
{
	const tlv_ica_model *ica = (const tlv_ica_model *) model;
	tlv_ica_model whole;
	double sum = 0;
	size_t k;

	/* Of a model with sources that are not there another one is open: their outputs are 0. */
	if (model->class != tlv_kind_ica.model)
	{
		ica_read(&model->frame, &whole);
		ica = &whole;
	}
	k = ica->k;

	if (d != ica->d)
		return tlv_ica_center(ctx, ica, d, x, y);
	memset(y, 0, k * sizeof(double));
	for (size_t i = 0; i < d; i++)
	{
		const double *column = ica->unmixing + i * k;
		double centered = x[i] - ica->mean[i];

		if (!isfinite(centered))
			return tlv_refuse_element(ctx, i, x[i]);
		for (size_t j = 0; j < k; j++)
			y[j] += column[j] * centered;
	}
	for (size_t j = 0; j < k; j++)
		sum += y[j] * 0;
	if (sum != 0) /* infinity or NaN times zero */
		return tlv_fail(ctx, TLV_BAD_DATA, "a component of a row is too large for a number");
	return TLV_OK;
}

bool
tlv_ica_settled(const tlv_frame *model)
{
	return tlv_frame_scalar(model, "change", 1) < TLV_ICA_SETTLED;
}

/* ---- Amari index ---- */

/* Sum over rows (of a k x k matrix, by the given strides) of sum / largest - 1. */
static double
beside_largest(size_t k, const double *p, size_t row, size_t column)
{
	double total = 0;

	for (size_t i = 0; i < k; i++)
	{
		double sum = 0, largest = 0;

		for (size_t j = 0; j < k; j++)
		{
			double x = fabs(p[i * row + j * column]);

			sum += x;
			largest = fmax(largest, x);
		}
		total += largest > 0 ? sum / largest - 1 : (double) k - 1;
	}
	return total;
}

/*
 * Copies of both in units in which the entries of every dimension of a square a are at most 1:
 * the index is the same, and the inverse does not suffer.
 */
static tlv_status
common_units(tlv_context *ctx, size_t d, size_t k, const double *a, const double *b, double *x,
			 double *y)
{
	for (size_t i = 0; i < d * k; i++)
		if (!isfinite(a[i]) || !isfinite(b[i]))
			return tlv_fail(ctx, TLV_BAD_DATA, "a mixing matrix has an entry that is not finite");
	memcpy(x, a, d * k * sizeof(double));
	memcpy(y, b, d * k * sizeof(double));
	for (size_t i = 0; i < d && d == k; i++)
	{
		double largest = 0;

		for (size_t j = 0; j < k; j++)
			largest = fmax(largest, fabs(a[i + j * d]));
		for (size_t j = 0; j < k && largest > 0; j++)
		{
			x[i + j * d] /= largest;
			y[i + j * d] /= largest;
		}
	}
	return TLV_OK;
}

tlv_status
tlv_ica_amari(tlv_context *ctx, size_t d, size_t k, const double *a, const double *b, double *index)
{
	double *inverse = tlv_alloc(ctx, 3 * k * d + k * k, sizeof(double)), *p, *x, *y;
	size_t rank;

	*index = 0;
	TLV_TRY_ALLOC(ctx, inverse);
	x = inverse + k * d;
	y = x + k * d;
	p = y + k * d;
	TLV_TRY(common_units(ctx, d, k, a, b, x, y));
	TLV_TRY(tlv_pseudo_inverse(ctx, d, k, x, 1e-12, inverse, &rank));
	if (rank < k)
		return tlv_fail(ctx, TLV_BAD_DATA, "a mixing matrix of %zu %s has rank %zu", k,
						tlv_plural((double) k, "column", "columns"), rank);
	TLV_TRY(tlv_gemm(ctx, false, false, k, k, d, 1, inverse, k, y, d, 0, p, k));
	if (k > 1)
		*index = (beside_largest(k, p, 1, k) + beside_largest(k, p, k, 1)) /
				 (2 * (double) k * ((double) k - 1));
	if (!isfinite(*index))
	{
		tlv_fail(ctx, TLV_BAD_DATA, "the mixing matrices are too large to compare");
		return tlv_fail_hint(ctx, "Divide each of them by its largest entry.");
	}
	tlv_free(ctx, inverse);
	return TLV_OK;
}

static tlv_status
ica_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	const tlv_section *x = tlv_frame_find(a, "mixing"), *y = tlv_frame_find(b, "mixing");

	if (x->rows != y->rows)
		return tlv_refuse_dimensions(ctx, (size_t) x->rows, (size_t) y->rows);
	return tlv_mixing_match(ctx, x->rows, x->columns, tlv_section_data(a, x), y->columns,
							tlv_section_data(b, y), match->component, match->distance);
}

/* How many numbers a row has. */
static size_t
ica_dimensions(const tlv_frame *frame)
{
	return tlv_frame_find(frame, "mixing")->rows;
}

static const char *const ica_page_fields[] = {"mean", "mixing", "kurtosis", "sources", NULL};

/* How much of every source is in every dimension. */
static tlv_status
ica_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	const double *mixing = tlv_section_data(model, section);
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns;
	tlv_picture_component *components;
	double *numbers;

	TLV_TRY(tlv_picture_components(ctx, model, "source", &components));
	TLV_TRY_NEW_ROWS(ctx, numbers, k, d);
	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < k; j++)
			numbers[j + k * i] = mixing[i + d * j];
	TLV_TRY(tlv_draw_matrix(ctx, picture, k, components, d, numbers, &names));
	tlv_free(ctx, numbers);
	tlv_free(ctx, components);
	return TLV_OK;
}

static tlv_status
add_number(tlv_context *ctx, tlv_estimate_part part, size_t component, size_t i,
		   const tlv_name_list *names, double value, tlv_estimates *list)
{
	return tlv_estimates_add(ctx, list,
							 &(tlv_estimate){.part = part,
											 .component = component,
											 .has_item = true,
											 .item = (int64_t) i + 1,
											 .name = {tlv_name_at(names, i)},
											 .number = {(int64_t) i + 1},
											 .estimate = value});
}

/* The means, and of every component what it adds to every dimension; their standard errors are
 * those of a jackknife. */
static tlv_status
ica_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	const tlv_section *section = tlv_frame_find(model, "mixing");
	const double *mixing = tlv_section_data(model, section);
	const double *mean = tlv_frame_float64(model, "mean");
	const tlv_name_list names = tlv_dimension_names(model);
	size_t d = section->rows, k = section->columns;

	TLV_TRY(tlv_require_memory(ctx, 3.0 * sizeof(tlv_estimate) * (double) d * (double) (k + 1),
							   "the estimates of the components"));
	for (size_t i = 0; i < d; i++)
		TLV_TRY(add_number(ctx, TLV_ESTIMATE_MEAN, 0, i, &names, mean[i], list));
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			TLV_TRY(
				add_number(ctx, TLV_ESTIMATE_MIXING, j + 1, i, &names, mixing[j * d + i], list));
	return TLV_OK;
}
static const tlv_page_content ica_contents[] = {
	{"mixing", TLV_CONTENT_LOADINGS, .what = "dimension", .from = 1}, {.section = NULL}};
static const tlv_page_view ica_page = {
	.contents = ica_contents, .view = "matrix", .what = "source", .fields = ica_page_fields};

static const tlv_model_class ica_class = {
	.sections = &ica_sections,
	.layout = &ica_layout,
	.draw = ica_draw,
	.page = &ica_page,
	.open = ica_open,
	.components_size = SIZE_K,
	.dimensions = ica_dimensions,
	.statistics = tlv_ica_statistics,
	.update = tlv_ica_update,
	.match = ica_match,
	.estimates = ica_estimates,
};

const tlv_kind tlv_kind_ica = {TLV_KIND_LINE(ICA, ica), .model = &ica_class};

/* ---- matching ---- */

/* Length of a column; its numbers may be of any magnitude. */
static double
ica_length_of(size_t d, const double *x)
{
	double largest = 0, sum = 0;

	for (size_t i = 0; i < d; i++)
		largest = fmax(largest, fabs(x[i]));
	for (size_t i = 0; i < d && largest > 0; i++)
		sum += (x[i] / largest) * (x[i] / largest);
	return largest * sqrt(sum);
}

static double
direction_distance(size_t d, const double *x, double x_length, const double *y, double y_length)
{
	double minus = 0, plus = 0;

	for (size_t i = 0; i < d; i++)
	{
		double u = x_length > 0 ? x[i] / x_length : 0, v = y_length > 0 ? y[i] / y_length : 0;

		minus += (u - v) * (u - v);
		plus += (u + v) * (u + v);
	}
	return sqrt(fmin(minus, plus));
}

tlv_status
tlv_mixing_match(tlv_context *ctx, size_t d, size_t ka, const double *a, size_t kb, const double *b,
				 int64_t *assignment, double *error)
{
	double *cost = tlv_alloc(ctx, ka, kb * sizeof(double)), *lengths;

	TLV_TRY_ALLOC(ctx, cost);
	TLV_TRY_NEW(ctx, lengths, kb);
	for (size_t j = 0; j < kb; j++)
		lengths[j] = ica_length_of(d, b + j * d);
	for (size_t i = 0; i < ka; i++)
	{
		double own = ica_length_of(d, a + i * d);

		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < kb; j++)
			cost[i * kb + j] = direction_distance(d, a + i * d, own, b + j * d, lengths[j]);
	}
	TLV_TRY(tlv_assign_components(ctx, ka, kb, cost, NAN, assignment, error));
	tlv_free(ctx, lengths);
	tlv_free(ctx, cost);
	return TLV_OK;
}
