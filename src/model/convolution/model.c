/*
 * model.c - the stored form of templates, and what it can do (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/assignment.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/page.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/model/picture.h"

/* ---- drawing: templates as lines over their steps ---- */

#define HEIGHT			 90.0  /* of a template */
#define CONVOLUTION_WIDE 480.0 /* all of its steps */

static tlv_status
draw_template(tlv_context *ctx, tlv_picture *picture, size_t l, size_t s, const double *f,
			  double largest)
{
	double middle = ((double) l + 0.5) * HEIGHT, step = CONVOLUTION_WIDE / (double) s;

	TLV_TRY(tlv_picture_add(
		ctx, picture,
		"<path d=\"M% %H%\" stroke=\"#ccd\" fill=\"none\"/><path fill=\"none\" "
		"stroke=\"$\" stroke-width=\"2\" d=\"",
		(double[]){TLV_PICTURE_NAMES, middle, TLV_PICTURE_NAMES + CONVOLUTION_WIDE}, l));
	for (size_t t = 0; t < s; t++)
		TLV_TRY(tlv_picture_add(ctx, picture, t == 0 ? "M% %" : "L% %",
								(double[]){TLV_PICTURE_NAMES + ((double) t + 0.5) * step,
										   middle - 0.42 * HEIGHT * f[t] / largest},
								l));
	return tlv_picture_add(ctx, picture, "\"><title>% steps</title></path>", (double[]){(double) s},
						   l);
}

static tlv_status
convolution_draw(tlv_context *ctx, const tlv_frame *model, tlv_picture *picture)
{
	tlv_picture_component *components;
	tlv_convolution_parts parts;
	double largest = 0;
	size_t n;

	tlv_convolution_read(model, &parts);
	TLV_TRY(tlv_picture_components(ctx, model, "template", &components));
	n = tlv_least(parts.k, TLV_PICTURE_COMPONENTS);
	for (size_t i = 0; i < parts.s * parts.k; i++)
		largest = fmax(largest, fabs(parts.templates[i]));
	for (size_t l = 0; l < n; l++)
	{
		TLV_TRY(draw_template(ctx, picture, l, parts.s, parts.templates + parts.s * l, largest));
		TLV_TRY(tlv_picture_name(ctx, picture, TLV_PICTURE_NAMES - 12, ((double) l + 0.55) * HEIGHT,
								 "text-anchor=\"end\"", components + l));
	}
	tlv_picture_reach(picture, TLV_PICTURE_NAMES + CONVOLUTION_WIDE, (double) n * HEIGHT);
	tlv_free(ctx, components);
	return TLV_OK;
}

/* Sizes: steps, templates. */
#define SIZE_S TLV_SIZE_1
#define SIZE_K TLV_SIZE_2

/* ---- the stored form ---- */

#define AT(member) offsetof(tlv_convolution_parts, member)
static const tlv_declaration convolution_list[] = {
	{"values", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(values)},
	{"mean", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_ANY, TLV_KEPT, AT(mean)},
	{"noise", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(noise)},
	{"seed", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_WHOLE, TLV_KEPT, AT(seed)},
	{"residual", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(residual)},
	{"windows", TLV_FLOAT64, TLV_ONE, TLV_ONE, TLV_FLAG, TLV_KEPT, AT(windows)},
	{"templates", TLV_FLOAT64, SIZE_S, SIZE_K, TLV_ANY, TLV_KEPT, AT(templates)},
	{"cumulants", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(cumulants)},
	{"variances", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_NONNEGATIVE, TLV_KEPT, AT(variances)},
	{"weights", TLV_FLOAT64, SIZE_K, TLV_ONE, TLV_COLUMN_SHARES, TLV_KEPT, AT(weights)},
};

static tlv_status
convolution_check_sizes(tlv_context *ctx, const tlv_frame *frame, size_t k)
{
	/* What numbers up to 1e60 give, so that what is worked out of a model stays finite. */
	const double largest_mean = 1e60, largest_variance = 1e125, largest_cumulant = 1e190;
	const double *variances = tlv_frame_float64(frame, "variances");
	const double *cumulants = tlv_frame_float64(frame, "cumulants");

	if (!(fabs(tlv_frame_scalar(frame, "mean", 0)) <= largest_mean) ||
		!(tlv_frame_scalar(frame, "noise", 0) <= largest_variance))
		return tlv_fail(ctx, TLV_CORRUPT, "the mean or the noise of a series is too large");
	for (size_t l = 0; l < k; l++)
		if (!(variances[l] <= largest_variance) || !(cumulants[l] <= largest_cumulant))
			return tlv_fail(ctx, TLV_CORRUPT, "the activations of template %zu are too large",
							l + 1);
	return TLV_OK;
}

/* Templates are of unit length. */
static tlv_status
convolution_check(tlv_context *ctx, const tlv_frame *frame, const size_t *sizes)
{
	const double *f = tlv_frame_float64(frame, "templates");

	TLV_TRY(convolution_check_sizes(ctx, frame, sizes[SIZE_K]));
	for (size_t l = 0; l < sizes[SIZE_K]; l++)
	{
		double length = 0;

		for (size_t t = 0; t < sizes[SIZE_S]; t++)
			length += f[sizes[SIZE_S] * l + t] * f[sizes[SIZE_S] * l + t];
		if (!(fabs(length - 1) < 1e-6))
			return tlv_fail(ctx, TLV_CORRUPT, "template %zu has the length %g, not 1", l + 1,
							sqrt(length));
	}
	return TLV_OK;
}

static const tlv_sections convolution_sections = {
	.state = sizeof(tlv_convolution_parts),
	.kind = TLV_KIND_CONVOLUTION,
	TLV_LIST(convolution_list),
	.least = {1, 1},
	.most = {TLV_SERIES_MOST_LAGS, TLV_CONVOLUTION_MOST_NUMBERS},
	.size_at = {AT(s), AT(k)},
	.diagnostics = AT(diagnostics),
	.check_more = convolution_check,
};
#undef AT

tlv_status
convolution_write(tlv_context *ctx, const tlv_convolution_parts *parts, void **image, size_t *size)
{
	double total = 0;

	for (size_t l = 0; l < parts->k; l++)
		total += parts->cumulants[l];
	for (size_t l = 0; l < parts->k; l++)
		parts->weights[l] = total > 0 ? parts->cumulants[l] / total : 1 / (double) parts->k;
	return tlv_sections_write(ctx, &convolution_sections, parts, image, size);
}

void
tlv_convolution_read(const tlv_frame *frame, tlv_convolution_parts *parts)
{
	tlv_sections_read(frame, &convolution_sections, parts);
}

static const tlv_field convolution_fields[] = {
	{"values", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"mean", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"noise", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"seed", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"residual", TLV_FIELD_NUMBER, .flags = TLV_DEFAULT_ZERO},
	{"windows", TLV_FIELD_FLAG, .flags = TLV_DEFAULT_ZERO},
	{"templates", TLV_FIELD_BY_COLUMNS, .flags = TLV_OF_COLUMNS},
	{"cumulants", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"variances", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT},
	{"weights", TLV_FIELD_LIST, .flags = TLV_OF_ROWS | TLV_ZERO_ABSENT | TLV_KEEP_TOTAL},
	{.form = TLV_FIELDS_END},
};
static const char *const convolution_series[] = {"share_1", NULL};
static const tlv_layout convolution_layout = {
	.fields = convolution_fields, .weights = "weights", .series = convolution_series};

/* ---- use ---- */

/* Of every step the share of each template in the squares of what they are at that step. */
static tlv_status
convolution_infer(tlv_context *ctx, tlv_model *model, const tlv_row *row, tlv_posterior *posterior)
{
	tlv_convolution_parts parts;
	size_t n = row->part[0].n, k, s;
	double *activations;

	tlv_convolution_read(&model->frame, &parts);
	k = parts.k;
	s = parts.s;
	TLV_TRY(tlv_posterior_begin(ctx, posterior, n, k));
	TLV_TRY_NEW(ctx, activations, n * k);
	TLV_TRY(tlv_convolution_activations(ctx, &model->frame, row, activations));
	for (size_t t = 0; t < n; t++)
	{
		double *shares = posterior->values + t * k, total = 0;

		TLV_TRY_CONTINUE_OFTEN(ctx, t);
		for (size_t l = 0; l < k; l++)
		{
			double x = 0;

			for (size_t j = 0; j < s && j <= t; j++)
				x += parts.templates[s * l + j] * activations[(t - j) * k + l];
			total += shares[l] = x * x;
		}
		for (size_t l = 0; l < k; l++)
			shares[l] = total > 0 ? shares[l] / total : 1 / (double) k;
	}
	tlv_free(ctx, activations);
	return TLV_OK;
}

static tlv_status
convolution_match(tlv_context *ctx, const tlv_frame *a, const tlv_frame *b, tlv_match *match)
{
	tlv_convolution_parts x, y;
	double *cost;

	tlv_convolution_read(a, &x);
	tlv_convolution_read(b, &y);
	TLV_TRY_NEW(ctx, cost, x.k * y.k);
	for (size_t i = 0; i < x.k; i++)
		for (size_t j = 0; j < y.k; j++)
		{
			TLV_TRY_CONTINUE(ctx);
			cost[i * y.k + j] =
				tlv_template_distance(x.s, x.templates + i * x.s, y.s, y.templates + j * y.s);
		}
	TLV_TRY(tlv_assign_components(ctx, x.k, y.k, cost, NAN, match->component, match->distance));
	tlv_free(ctx, cost);
	return TLV_OK;
}

static const char *const convolution_page_fields[] = {"templates", "cumulants", "variances",
													  "weights", NULL};
static const tlv_page_content convolution_contents[] = {
	{"templates", TLV_CONTENT_LOADINGS, .what = "lag"}, {.section = NULL}};
static const tlv_page_view convolution_page = {.contents = convolution_contents,
											   .view = "matrix",
											   .what = "template",
											   .fields = convolution_page_fields};

static const tlv_model_class convolution_class = {
	.sections = &convolution_sections,
	.layout = &convolution_layout,
	.draw = convolution_draw,
	.page = &convolution_page,
	.components_size = SIZE_K,
	.rows = TLV_ROW_SEQUENCE | TLV_ROWS_MISSING_ELEMENTS,
	.infer = convolution_infer,
	.log_likelihood = convolution_log_likelihood,
	.match = convolution_match,
	.no_estimates = "Templates are found from moments of series, whose windows depend on "
					"each other: fit two parts of the series, and tlv_match tells how far "
					"their templates are apart.",
};

const tlv_kind tlv_kind_convolution = {TLV_KIND_LINE(CONVOLUTION, convolution),
									   .model = &convolution_class};
