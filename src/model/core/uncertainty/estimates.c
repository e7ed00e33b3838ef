/*
 * estimates.c - the estimates of a model as rows, their standard errors and intervals (errors.h).
 */
#include "tensorlv/model/errors.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tensorlv/model/kind.h"
#include "tensorlv/model/refusals.h"
#include "tensorlv/model/sections.h"
#include "tensorlv/num/plural.h"
#include "tensorlv/num/special.h"

const char tlv_errors_section[] = "standard_errors";

/* ---- lists ---- */

tlv_status
tlv_estimates_add(tlv_context *ctx, tlv_estimates *list, const tlv_estimate *estimate)
{
	TLV_TRY_CONTINUE_AT(ctx, list->n);
	TLV_TRY(tlv_reserve(ctx, &list->list, list->n + 1, &list->room, sizeof(tlv_estimate)));
	list->list[list->n] = *estimate;
	list->list[list->n++].standard_error = NAN;
	return TLV_OK;
}

void
tlv_estimates_free(tlv_context *ctx, tlv_estimates *list)
{
	tlv_free(ctx, list->draws);
	tlv_free(ctx, list->list);
	*list = (tlv_estimates){0};
}

const char *
tlv_estimate_part_name(tlv_estimate_part part)
{
	static const char *const names[] = {"weight",		"alpha",	  "probability", "mean",
										"variance",		"covariance", "transition",	 "initial",
										"connectivity", "mixing",	  "length",		 "hidden"};

	return names[part];
}

/* ---- of a model ---- */

static tlv_status
list_estimates(tlv_context *ctx, const tlv_frame *model, tlv_estimates *list)
{
	const tlv_model_class *class = model->kind->model;

	if (class->estimates == NULL)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "tlv_estimates is not defined for a model of kind %s",
				 model->kind->name);
		return tlv_fail_hint(ctx, "%s", class->no_estimates);
	}
	return class->estimates(ctx, model, list);
}

/* From error statistics, or of a class that needs none. */
static tlv_status
find_errors(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors, tlv_estimates *list)
{
	const tlv_model_class *class = model->kind->model;

	if (errors != NULL)
		TLV_TRY(tlv_require_model(ctx, errors, model));
	if (class->score != NULL)
		return tlv_scores_errors(ctx, model, errors, list);
	return class->standard_errors(ctx, model, errors, list);
}

static void
read_kept(const tlv_frame *model, tlv_estimates *list)
{
	const double *kept = tlv_frame_float64(model, tlv_errors_section);

	for (size_t i = 0; kept != NULL && i < list->n; i++)
	{
		list->list[i].standard_error = kept[i] >= 0 ? kept[i] : NAN;
		list->list[i].count = fmax(kept[list->n + i], 0);
		if (kept[list->n + i] < 0)
			list->list[i].degrees = -kept[list->n + i];
		else if (kept[i] < 0) /* its interval is the exact one of the count */
			list->list[i].degrees = 0;
	}
}

tlv_status
tlv_model_estimates(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors,
					tlv_estimates *list)
{
	const tlv_model_class *class = model->kind->model;

	TLV_TRY(list_estimates(ctx, model, list));
	if (errors != NULL && !tlv_errors_are_collected(model))
		return tlv_kind_undefined(ctx, model, "tlv_error_statistics");
	if (errors != NULL || (!tlv_errors_are_collected(model) && class->standard_errors != NULL &&
						   tlv_frame_find(model, tlv_errors_section) == NULL))
		return find_errors(ctx, model, errors, list);
	read_kept(model, list);
	return TLV_OK;
}

/* ---- intervals ---- */

/* Wilson's interval of a share of n observations. */
static void
wilson_interval(double p, double n, double z, double *low, double *high)
{
	double spread = z * z / n, center = (p + spread / 2) / (1 + spread);
	double half = z / (1 + spread) * sqrt(p * (1 - p) / n + spread / (4 * n));

	*low = fmax(center - half, 0);
	*high = fmin(center + half, 1);
}

/* The p below which a beta distribution of parameters a and b has that probability, by bisection.
 */
static double
beta_quantile(double a, double b, double probability)
{
	/* Steps of a bisection: to the last digit of what an interval is printed with. */
	const int beta_halvings = 40;
	double low = 0, high = 1;

	for (int i = 0; i < beta_halvings; i++)
	{
		double p = (low + high) / 2;

		if (1 - tlv_f_survival(b * p / (a * (1 - p)), 2 * a, 2 * b) < probability)
			low = p;
		else
			high = p;
	}
	return (low + high) / 2;
}

/* Clopper and Pearson's interval (1934) of a share of n observations, which holds at least as often
 * as it says. */
static void
exact_interval(double p, double n, double z, double *low, double *high)
{
	double x = p * n, tail = tlv_normal_cdf(-z);

	*low = x > 0 ? x < n ? beta_quantile(x, n - x + 1, tail) : pow(tail, 1 / n) : 0;
	*high = x < n ? x > 0 ? beta_quantile(x + 1, n - x, 1 - tail) : 1 - pow(tail, 1 / n) : 1;
}

/*
 * Interval of the probability of a word in a topic, whose error is small where the estimate is too
 * small.  The lower end is the estimate minus z errors.  The upper end is that of a score interval,
 * Wilson's, or that of a count where the estimate is less than two errors from 0, and at least z
 * errors up.  Score intervals at both ends exclude the truth below small probabilities too often.
 */
static void
word_interval(double p, double error, double z, double *low, double *high)
{
	double lowest, highest, root = sqrt(p);

	if (!(error >= 0))
		return;
	*low = fmax(p - z * error, 0);
	*high = fmin(p + z * error, 1);
	if (!(error > 0 && p > 0 && p < 1))
		return;
	if (p > 2 * error)
		wilson_interval(p, p * (1 - p) / (error * error), z, &lowest, &highest);
	else
		highest = pow(root + z * error / (2 * root), 2);
	*high = fmin(fmax(*high, highest), 1);
}

static void
probability_interval(const tlv_estimate *estimate, double z, double *low, double *high)
{
	/* Factor by which the interval of a parameter that few of its observations determine reaches
	 * further towards 0. */
	const double farther = 1.5;

	/* Observations of a category, or of all others, below which its interval is the exact one. */
	const double rare = 10.0;
	double p = estimate->estimate, error = estimate->standard_error, n = estimate->count, reach;

	if (estimate->plain)
	{
		word_interval(p, error, z, low, high);
		return;
	}
	if (error > 0 && p > 0 && p < 1)
		n = p * (1 - p) / (error * error);
	if (!(n > 0))
		return;
	if (n * fmin(p, 1 - p) < rare)
		exact_interval(p, n, z, low, high);
	else
		wilson_interval(p, n, z, low, high);
	/* told by less than half of its observations, it is not as far up as down */
	reach = z * sqrt(p * (1 - p) / n) * (2 * n < estimate->count ? farther : 1);
	if (p <= reach)
		*low = 0;
	if (1 - p <= reach)
		*high = 1;
}

/* The score interval of a rate from as many pairs as its error is that of. */
static void
rate_interval(const tlv_estimate *estimate, double z, double *low, double *high)
{
	double rate = estimate->estimate, error = estimate->standard_error, n = estimate->count;
	double half;

	if (error > 0 && rate > 0)
		n = rate / (error * error);
	if (!(n > 0))
		return;
	half = z * sqrt(rate / n + z * z / (4 * n * n));
	*low = rate * n >= z * z ? fmax(rate + z * z / (2 * n) - half, 0) : 0;
	*high = rate + z * z / (2 * n) + half;
}

static void
positive_interval(const tlv_estimate *estimate, double z, double *low, double *high)
{
	double factor = exp(z * estimate->standard_error / estimate->estimate);

	*low = estimate->estimate / factor;
	*high = estimate->estimate * factor;
}

/* Student's quantile of the given degrees of freedom at the probability of the normal quantile z:
 * of few degrees by bisection, else by Cornish and Fisher's expansion (1938), at 95 % to .003 from
 * 10 degrees on, to .0003 from 20 on. */
static double
student_quantile(double z, double degrees)
{
	const double few = 10;
	const int bisections = 60;
	double cube = z * z * z, low = z, high = 1e6, tail = erfc(z / M_SQRT2) / 2;

	for (int step = 0; degrees < few && z > 0 && step < bisections; step++)
	{
		double middle = sqrt(low * high);

		if (tlv_student_survival(middle, degrees) > tail)
			low = middle;
		else
			high = middle;
	}
	if (degrees < few && z > 0)
		return low;

	return z + (cube + z) / (4 * degrees) +
		   (5 * cube * z * z + 16 * cube + 3 * z) / (96 * degrees * degrees);
}

void
tlv_estimate_interval(const tlv_estimate *estimate, double z, double *low, double *high)
{
	if (estimate->degrees > 0 && (estimate->standard_error >= 0 || estimate->count > 0))
		z = student_quantile(z, estimate->degrees);
	*low = *high = NAN;
	switch (estimate->part)
	{
		case TLV_ESTIMATE_WEIGHT:
		case TLV_ESTIMATE_PROBABILITY:
		case TLV_ESTIMATE_TRANSITION:
		case TLV_ESTIMATE_INITIAL:
			probability_interval(estimate, z, low, high);
			break;
		case TLV_ESTIMATE_CONNECTIVITY:
			if (estimate->rate)
				rate_interval(estimate, z, low, high);
			else
				probability_interval(estimate, z, low, high);
			break;
		case TLV_ESTIMATE_ALPHA:
		case TLV_ESTIMATE_VARIANCE:
		case TLV_ESTIMATE_LENGTH:
			if (estimate->estimate > 0)
				positive_interval(estimate, z, low, high);
			break;
		default:
			*low = estimate->estimate - z * estimate->standard_error;
			*high = estimate->estimate + z * estimate->standard_error;
	}
	if (!isfinite(*low) || !isfinite(*high))
		*low = *high = NAN;
}

/* ---- kept in a model ---- */

bool
tlv_errors_are_collected(const tlv_frame *model)
{
	const tlv_model_class *class = model->kind->model;

	return class->score != NULL || class->errors != NULL;
}

tlv_status
tlv_errors_check(tlv_context *ctx, const tlv_frame *model)
{
	const tlv_section *section = tlv_frame_find(model, tlv_errors_section);
	tlv_estimates list = {0};
	const double *kept;

	if (section == NULL)
		return TLV_OK;
	if (section->element != TLV_FLOAT64 ||
		(section->columns != 2 && section->columns != 2 + TLV_DRAWS))
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has the wrong shape", section->name);
	TLV_TRY(list_estimates(ctx, model, &list));
	if (section->rows != list.n)
		return tlv_fail(ctx, TLV_CORRUPT, "section \"%s\" has the wrong shape", section->name);
	kept = tlv_section_data(model, section);
	for (size_t i = 0; i < section->columns * list.n; i++)
	{
		TLV_TRY_CONTINUE_AT(ctx, i);
		if (!isfinite(kept[i]) || (i < list.n && kept[i] < 0 && kept[i] != -1))
			return tlv_fail(ctx, TLV_CORRUPT, "entry %zu of section \"%s\" is %g", i + 1,
							section->name, kept[i]);
	}
	tlv_estimates_free(ctx, &list);
	return TLV_OK;
}

/* In single precision, which is stored in half the bytes. */
static double
kept_draw(double draw)
{
	return isfinite(draw) && fabs(draw) < FLT_MAX ? (double) (float) draw : 0;
}

tlv_status
tlv_errors_write(tlv_context *ctx, const tlv_frame *model, const tlv_estimates *list, void **image,
				 size_t *size)
{
	static const char *const replaced[] = {tlv_errors_section, NULL};
	size_t columns = list->draws != NULL ? 2 + TLV_DRAWS : 2;
	tlv_frame_builder *builder;
	double *kept;

	TLV_TRY_NEW_ROWS(ctx, kept, list->n, columns);
	for (size_t i = 0; i < list->n; i++)
	{
		double error = list->list[i].standard_error, count = list->list[i].count;
		bool known = error >= 0 && isfinite(error);

		TLV_TRY_CONTINUE_AT(ctx, i);
		kept[i] = known ? error : -1;
		kept[list->n + i] = count > 0 && isfinite(count) ? count : fmin(-list->list[i].degrees, 0);
		for (size_t r = 0; r + 2 < columns; r++)
			kept[(2 + r) * list->n + i] = known ? kept_draw(list->draws[i * TLV_DRAWS + r]) : 0;
	}
	TLV_TRY_NEW(ctx, builder, 1);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, model->header->kind);
	tlv_frame_add_from(builder, model, replaced);
	tlv_frame_add(builder, tlv_errors_section, TLV_FLOAT64, list->n, columns, kept);
	TLV_TRY(tlv_frame_finish(ctx, builder, image, size));
	tlv_free(ctx, builder);
	tlv_free(ctx, kept);
	return TLV_OK;
}

/* TLV_BAD_DATA where errors are asked for and no estimate has one. */
static tlv_status
require_some_known(tlv_context *ctx, const tlv_estimates *list)
{
	size_t free = 0;

	for (size_t i = 0; i < list->n; i++)
	{
		const tlv_estimate *own = &list->list[i];

		if (own->standard_error >= 0 || own->count > 0)
			return TLV_OK;
		free += !own->fixed;
	}
	if (free == 0)
		return TLV_OK;
	tlv_fail(ctx, TLV_BAD_DATA, "there are too few rows for errors of %zu %s", free,
			 tlv_plural((double) free, "estimate", "estimates"));
	return tlv_fail_hint(ctx, "Give more rows, of sequences more sequences, or decrease k.");
}

tlv_status
tlv_errors_put(tlv_context *ctx, const tlv_frame *model, const tlv_frame *errors, void **image,
			   size_t *size)
{
	tlv_estimates list = {0};

	TLV_TRY(list_estimates(ctx, model, &list));
	TLV_TRY(find_errors(ctx, model, errors, &list));
	TLV_TRY(require_some_known(ctx, &list));
	TLV_TRY(tlv_errors_write(ctx, model, &list, image, size));
	tlv_estimates_free(ctx, &list);
	return TLV_OK;
}

/* ---- the aggregate ---- */

static tlv_status
errors_open(tlv_context *ctx, const tlv_frame *constant, void **opened)
{
	return tlv_aggregate_statistics.open(ctx, constant, opened);
}

static tlv_status
errors_of_model(tlv_context *ctx, const tlv_statistic *constants, tlv_accumulator **accumulator)
{
	tlv_model *model = constants->opened;

	if (model == NULL)
		return tlv_refuse_no_constant(ctx, constants->aggregate->name, "model");
	if (!tlv_errors_are_collected(&model->frame))
		return tlv_kind_undefined(ctx, &model->frame, constants->aggregate->name);
	TLV_TRY(tlv_require_present(ctx, model, "error statistics"));
	if (model->class->score != NULL)
		return tlv_scores_create(ctx, model, accumulator);
	return model->class->errors(ctx, model, accumulator);
}

const tlv_aggregate tlv_aggregate_error_statistics = {"tlv_error_statistics", errors_open,
													  errors_of_model};
