/*
 * fit.c - from lagged moments to templates (convolution.h).
 */
#include <math.h>
#include <string.h>

#include "internal.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/optimize.h"
#include "tensorlv/num/plural.h"

/* Starts that are polished. */
#define POLISHED 3
/* Two fits are as good when their residuals differ by less than this part, and other when a
 * template's distance is above that. */
#define AS_GOOD 0.01
#define OTHER	0.3
/* A template is longer than its window when its first or last steps hold this share of it. */
#define EDGE 0.05

/* Templates of one k: f (s x k), scaled so that their moments are those of third.c. */
typedef struct convolution_fit
{
	size_t k;
	double *f;
	double residual;
	size_t doubted; /* from 1: of the template that an equally good fit has not; 0: none */
	double apart;	/* how far that is */
} convolution_fit;

/* ---- checks ---- */

static tlv_status
check_length(tlv_context *ctx, const tlv_convolution_options *o, size_t lags, size_t *s)
{
	*s = o->length > 0 ? o->length : lags;
	if (*s < TLV_SERIES_LEAST_LAGS)
		return tlv_fail(ctx, TLV_BAD_PARAMETER, "length = %zu is below %d", *s,
						TLV_SERIES_LEAST_LAGS);
	if (*s > lags)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "length = %zu, but moments were collected of %zu lags", *s,
				 lags);
		return tlv_fail_hint(ctx, "Collect tlv_series_moments(x, %zu).", *s);
	}
	return TLV_OK;
}

static tlv_status
check_k(tlv_context *ctx, const tlv_convolution_options *o, size_t s)
{
	if (o->k * TLV_CONVOLUTION_STEPS_EACH > s)
	{
		tlv_fail(ctx, TLV_BAD_PARAMETER, "%zu templates of %zu %s are not identified", o->k, s,
				 tlv_plural((double) s, "step", "steps"));
		return tlv_fail_hint(ctx, "There may be at most length / %d, here %zu.",
							 TLV_CONVOLUTION_STEPS_EACH, s / TLV_CONVOLUTION_STEPS_EACH);
	}
	if (o->k * s > TLV_CONVOLUTION_MOST_NUMBERS)
	{
		tlv_fail(ctx, TLV_LIMIT, "%zu templates of %zu steps are more than %d numbers", o->k, s,
				 TLV_CONVOLUTION_MOST_NUMBERS);
		return tlv_fail_hint(ctx, "Use fewer templates, or average several steps into one.");
	}
	return TLV_OK;
}

static tlv_status
check_third(tlv_context *ctx, const third_moments *third)
{
	if (third->z >= TLV_CONVOLUTION_SIGNIFICANT)
		return TLV_OK;
	tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
			 "the third moments of the series do not exceed their sampling error");
	tlv_fail_detail(ctx, "Their excess over those of Gaussian noise is %.2g standard errors.",
					third->z);
	return tlv_fail_hint(ctx, "Activations must be of one sign, or at least skewed: templates that "
							  "come as often upside down cannot be seen.");
}

static double
memory_of(size_t s, size_t k, size_t starts)
{
	double n = 2 * (double) s, p = (double) (s * k);

	return 8 * (4 * n * n + 20 * n * (double) k + n * (double) (4 * k * k + 2 * k) + 2 * p * p +
				300 * p + (double) starts * p + 4 * (double) (s * s));
}

/* ---- one k ---- */

double
tlv_template_distance(size_t sa, const double *a, size_t sb, const double *b)
{
	double best = -1;

	for (size_t shift = 0; shift < sa + sb - 1; shift++)
	{
		/* step t of a meets step t + shift - (sa - 1) of b */
		size_t from = shift < sa - 1 ? sa - 1 - shift : 0;
		double product = 0;

		for (size_t t = from; t < sa && t + shift - (sa - 1) < sb; t++)
			product += a[t] * b[t + shift - (sa - 1)];
		best = fmax(best, product);
	}
	return sqrt(fmax(0, 2 - 2 * fmin(best, 1)));
}

static double
fit_length_of(size_t s, const double *f)
{
	double sum = 0;

	for (size_t t = 0; t < s; t++)
		sum += f[t] * f[t];
	return sqrt(sum);
}

/* Distance of two filters of any length. */
static double
filters_apart(size_t s, const double *a, const double *b, double *work)
{
	double la = fit_length_of(s, a), lb = fit_length_of(s, b);

	for (size_t t = 0; t < s; t++)
	{
		work[t] = la > 0 ? a[t] / la : 0;
		work[s + t] = lb > 0 ? b[t] / lb : 0;
	}
	return tlv_template_distance(s, work, s, work + s);
}

/* Which filter of the best fit is farthest from all of an equally good one. */
static tlv_status
compare_fits(tlv_context *ctx, size_t s, const double *other, convolution_fit *best)
{
	double *work = tlv_alloc(ctx, 2 * s, sizeof(double));

	TLV_TRY_ALLOC(ctx, work);
	for (size_t l = 0; l < best->k; l++)
	{
		double nearest = INFINITY;

		for (size_t m = 0; m < best->k; m++)
			nearest = fmin(nearest, filters_apart(s, best->f + s * l, other + s * m, work));
		if (nearest <= fmax(OTHER, best->apart))
			continue;
		best->apart = nearest;
		best->doubted = l + 1;
	}
	tlv_free(ctx, work);
	return TLV_OK;
}

static tlv_status
fit_templates(tlv_context *ctx, const third_moments *third, size_t k,
			  const tlv_convolution_options *options, convolution_fit *fit)
{
	int iterations = options->iterations >= 0 ? options->iterations : TLV_CONVOLUTION_ITERATIONS;
	convolution_start *starts;
	size_t n, best = 0, polished;

	TLV_TRY(convolution_starts(ctx, third, k, options, &starts, &n));
	polished = tlv_least(n, POLISHED);
	for (size_t i = 0; i < polished; i++)
	{
		tlv_report(ctx, "polish", (double) i, (double) polished);
		TLV_TRY(convolution_polish(ctx, third, k, iterations, starts[i].f, &starts[i].residual));
		best = starts[i].residual < starts[best].residual ? i : best;
	}
	*fit = (convolution_fit){.k = k, .f = starts[best].f, .residual = starts[best].residual};
	for (size_t i = 0; i < polished; i++)
		if (i != best && starts[i].residual < (1 + AS_GOOD) * fit->residual)
			TLV_TRY(compare_fits(ctx, third->s, starts[i].f, fit));
	return TLV_OK;
}

/* The last k that takes away enough of the squares of the third moments. */
static tlv_status
choose_k(tlv_context *ctx, const third_moments *third, const tlv_convolution_options *options,
		 tlv_diagnostics *diagnostics, convolution_fit *fit)
{
	/* k chosen: what one more template must take away, of all squares; or so often what chance
	 * leaves. */
	const double least_gain = 0.02;
	const int chance_gained = 5;
	size_t most = tlv_least(options->max_k, third->s / TLV_CONVOLUTION_STEPS_EACH);
	double least = fmax(least_gain, chance_gained * third->chance);
	convolution_fit next;

	most = tlv_least(most, TLV_CONVOLUTION_MOST_NUMBERS / third->s);
	for (size_t k = 1; k <= most; k++)
	{
		TLV_TRY(fit_templates(ctx, third, k, options, &next));
		TLV_TRY(tlv_diagnose(ctx, diagnostics, next.residual, "residual_of_%zu", k));
		if (k > 1 && fit->residual * fit->residual - next.residual * next.residual < least)
			return TLV_OK;
		*fit = next;
		if (fit->residual * fit->residual < least)
			return TLV_OK;
	}
	if (most == options->max_k && most > 1)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "k_at_limit",
									   .score = (double) most,
									   .hint = "Increase max_k, or give k."},
						"the number of templates, %zu, is the largest that max_k allows", most);
	return TLV_OK;
}

/* ---- the model ---- */

/* Unit templates and their cumulants, the largest first. */
static tlv_status
take_templates(tlv_context *ctx, const third_moments *third, convolution_fit *fit,
			   tlv_convolution_parts *parts)
{
	size_t s = third->s, k = fit->k, doubted = fit->doubted;
	size_t *order;

	TLV_TRY_NEW(ctx, order, k);
	for (size_t l = 0; l < k; l++)
	{
		double own = fit_length_of(s, fit->f + s * l);
		size_t at = l;

		for (; at > 0 && fit_length_of(s, fit->f + s * order[at - 1]) < own; at--)
			order[at] = order[at - 1];
		order[at] = l;
	}
	for (size_t l = 0; l < k; l++)
	{
		const double *f = fit->f + s * order[l];
		double length = fit_length_of(s, f);

		if (!(length > 1e-6))
		{
			tlv_fail(ctx, TLV_NOT_IDENTIFIABLE,
					 "the third moments of the series do not show %zu %s", k,
					 tlv_plural((double) k, "template", "templates"));
			return tlv_fail_hint(ctx, "Use a smaller k, or more data.");
		}
		parts->cumulants[l] = third->scale * length * length * length;
		for (size_t t = 0; t < s; t++)
			parts->templates[s * l + t] = f[t] / length;
		if (order[l] + 1 == doubted)
			fit->doubted = l + 1;
	}
	tlv_free(ctx, order);
	return TLV_OK;
}

static double
autocorrelation(size_t s, const double *f, size_t lag)
{
	double sum = 0;

	for (size_t t = 0; t + lag < s; t++)
		sum += f[t] * f[t + lag];
	return sum;
}

/* Variances of activations and noise: non-negative least squares of the covariances at all lags, of
 * which those above 0 count twice. */
static tlv_status
take_variances(tlv_context *ctx, const third_moments *third, tlv_convolution_parts *parts)
{
	size_t s = third->s, k = parts->k;
	double *a = tlv_alloc0(ctx, s * (k + 2) + k + 1, sizeof(double)), *right, *x, residual;

	TLV_TRY_ALLOC(ctx, a);
	right = a + s * (k + 1);
	x = right + s;
	for (size_t h = 0; h < s; h++)
	{
		double root = h == 0 ? 1 : M_SQRT2;

		for (size_t l = 0; l < k; l++)
			a[s * l + h] = root * autocorrelation(s, parts->templates + s * l, h);
		right[h] = root * third->covariance[h] / third->covariance[0];
	}
	a[s * k] = 1;
	TLV_TRY(tlv_nnls(ctx, s, k + 1, a, right, x, &residual));
	for (size_t l = 0; l < k; l++)
		parts->variances[l] = third->covariance[0] * x[l];
	parts->noise = third->covariance[0] * x[k];
	tlv_free(ctx, a);
	return TLV_OK;
}

/* The share that a template has of the squares of the grid, alone. */
static double
share_of(const third_moments *third, const tlv_convolution_parts *parts, size_t l)
{
	const double *f = parts->templates + parts->s * l;
	double scale = parts->cumulants[l] / third->scale, sum = 0;

	for (size_t b = 0; b < parts->s; b++)
		for (size_t a = 0; a <= b; a++)
		{
			double c = 0;

			for (size_t t = 0; t + b < parts->s; t++)
				c += f[t] * f[t + a] * f[t + b];
			sum += third_times(a, b) * scale * c * scale * c;
		}
	return sum;
}

/* Of the first or the last twentieth of its steps, whichever has more. */
static double
edge_of(const tlv_convolution_parts *parts, size_t l)
{
	const double *f = parts->templates + parts->s * l;
	size_t n = 1 + parts->s / 20;
	double first = 0, last = 0;

	for (size_t t = 0; t < n; t++)
	{
		first += f[t] * f[t];
		last += f[parts->s - 1 - t] * f[parts->s - 1 - t];
	}
	return fmax(first, last);
}

static tlv_status
warn_of_template(tlv_context *ctx, const third_moments *third, const tlv_convolution_parts *parts,
				 size_t l)
{
	double share = share_of(third, parts, l), edge = edge_of(parts, l);

	TLV_TRY(tlv_diagnose(ctx, parts->diagnostics, share, "share_%zu", l + 1));
	if (share < third->chance)
		TLV_TRY(tlv_warn(ctx, parts->diagnostics,
						 &(tlv_warning){.code = "spurious_component",
										.component = l + 1,
										.score = share,
										.hint = "Use a smaller k, or more data."},
						 "template %zu explains no more of the third moments than sampling error",
						 l + 1));
	if (edge > EDGE)
		TLV_TRY(tlv_warn(ctx, parts->diagnostics,
						 &(tlv_warning){.code = "length_at_limit",
										.component = l + 1,
										.score = edge,
										.hint = "Use a greater length."},
						 "template %zu reaches an end of its %zu %s and may be longer", l + 1,
						 parts->s, tlv_plural((double) parts->s, "step", "steps")));
	return TLV_OK;
}

/* Series and stretches between gaps that are too short to show a template count in the mean and the
 * noise all the same. */
static tlv_status
warn_short(tlv_context *ctx, const third_moments *third, tlv_diagnostics *diagnostics)
{
	double n = third->short_segments;

	if (!(n > 0))
		return TLV_OK;
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "few_rows",
					   .score = n,
					   .hint = "Leave out short series, or give a smaller length."},
		"%.0f of %.0f series and stretches between gaps %s fewer than %zu of the %zu steps of a "
		"template: their values count in the mean and the noise, and show no template",
		n, third->segments, tlv_plural(n, "has", "have"), third->s - 1, third->s);
}

static tlv_status
diagnose_fit(tlv_context *ctx, const third_moments *third, const convolution_fit *fit,
			 const tlv_convolution_parts *parts)
{
	tlv_diagnostics *diagnostics = parts->diagnostics;

	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->residual, "residual"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, sqrt(third->chance), "residual_by_chance"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, third->z, "z"));
	TLV_TRY(warn_short(ctx, third, diagnostics));
	for (size_t l = 0; l < parts->k; l++)
		TLV_TRY(warn_of_template(ctx, third, parts, l));
	if (fit->residual > TLV_CONVOLUTION_RESIDUAL)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "no_structure",
										.score = fit->residual,
										.hint = "Try another length, more templates or more data."},
						 "%zu %s of %zu steps %s %.0f %% of the third moments unexplained",
						 parts->k, tlv_plural((double) parts->k, "template", "templates"), parts->s,
						 tlv_plural((double) parts->k, "leaves", "leave"), 100 * fit->residual));
	if (fit->doubted > 0)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "spurious_component",
										.component = fit->doubted,
										.score = fit->apart,
										.hint = "Use a smaller k, or more data."},
						 "another initialisation fits as well without template %zu", fit->doubted));
	return TLV_OK;
}

static tlv_status
write_fit(tlv_context *ctx, const third_moments *third, convolution_fit *fit,
		  tlv_convolution_parts *parts, void **image, size_t *size)
{
	size_t s = third->s, k = fit->k;

	parts->s = s;
	parts->k = k;
	TLV_TRY_NEW0(ctx, parts->templates, s * k + 3 * k);
	parts->cumulants = parts->templates + s * k;
	parts->variances = parts->cumulants + k;
	parts->weights = parts->variances + k;
	parts->values = third->values;
	parts->mean = third->mean;
	parts->residual = fit->residual;
	TLV_TRY(take_templates(ctx, third, fit, parts));
	TLV_TRY(take_variances(ctx, third, parts));
	TLV_TRY(diagnose_fit(ctx, third, fit, parts));
	TLV_TRY(convolution_write(ctx, parts, image, size));
	tlv_free(ctx, parts->templates);
	return TLV_OK;
}

tlv_status
tlv_convolution_fit(tlv_context *ctx, const tlv_frame *moments,
					const tlv_convolution_options *options, void **image, size_t *size)
{
	size_t lags, s, starts;
	tlv_diagnostics diagnostics = {0};
	tlv_convolution_parts parts = {.seed = (double) options->seed, .diagnostics = &diagnostics};
	convolution_fit fit = {0};
	third_moments third = {0};

	TLV_TRY(tlv_kind_require(ctx, moments, &tlv_kind_series_moments, "tlv_fit_convolution"));
	lags = tlv_frame_find(moments, "pairs")->rows;
	TLV_TRY(check_length(ctx, options, lags, &s));
	TLV_TRY(check_k(ctx, options, s));
	if (tlv_frame_scalar(moments, "values", 0) == 0)
	{
		tlv_fail(ctx, TLV_NO_ROWS, "the moments are of no numbers");
		return tlv_fail_hint(ctx, "Collect them from series of numbers that are not null.");
	}
	starts = (size_t) (options->restarts > 0 ? options->restarts : TLV_CONVOLUTION_RESTARTS);
	TLV_TRY(tlv_require_memory(
		ctx,
		memory_of(s,
				  options->k > 0 ? options->k
								 : tlv_least(options->max_k, TLV_CONVOLUTION_MOST_NUMBERS / s),
				  starts),
		"the fit"));
	TLV_TRY(third_read(ctx, moments, s, &third));
	TLV_TRY(check_third(ctx, &third));
	if (options->k > 0)
		TLV_TRY(fit_templates(ctx, &third, options->k, options, &fit));
	else
		TLV_TRY(choose_k(ctx, &third, options, &diagnostics, &fit));
	parts.windows = tlv_frame_scalar(moments, "windows", 0);
	TLV_TRY(write_fit(ctx, &third, &fit, &parts, image, size));
	tlv_diagnostics_free(ctx, &diagnostics);
	return TLV_OK;
}
