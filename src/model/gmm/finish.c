/*
 * finish.c - the end of learning a mixture of Gaussians: its criteria, warnings and other
 * diagnostics, and the model (learn.h).
 */
#include "learn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tensorlv/model/diagnostics.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

static double
model_parameters(const gmm_learning *fit)
{
	const gmm_evidence *rows = &fit->evidence;

	return tlv_mixture_parameters(fit->start.k, rows->d, rows->options.covariance,
								  rows->options.tails == TLV_TAILS_T);
}

/* The Bayesian information criterion. */
static double
model_criterion(const gmm_learning *fit)
{
	double n = fit->evidence.n;

	return model_parameters(fit) * log(n) - 2 * n * fit->refined.likelihood;
}

static tlv_status
diagnose_criteria(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	const gmm_evidence *rows = &fit->evidence;
	double parameters = model_parameters(fit), likelihood = fit->refined.likelihood;
	double bic = model_criterion(fit);

	TLV_TRY(tlv_diagnose(ctx, diagnostics, likelihood, "mean_log_likelihood"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, bic, "bic"));
	TLV_TRY(tlv_diagnose(ctx, diagnostics, bic + 2 * rows->n * fit->refined.entropy, "icl"));
	return tlv_diagnose(ctx, diagnostics, 2 * parameters - 2 * rows->n * likelihood, "aic");
}

size_t
gmm_learning_groups(const gmm_learning *fit)
{
	const gmm_criteria *criteria = &fit->criteria;

	return criteria->n > 0 ? gmm_least(criteria->n, criteria->icl) : fit->start.k;
}

/* Do the criteria of density and of groups choose different k? */
static tlv_status
diagnose_overlap(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	size_t groups = gmm_learning_groups(fit), components;

	if (!fit->k_chosen || fit->criteria.n == 0)
		return TLV_OK;
	components = gmm_least(fit->criteria.n, fit->criteria.bic);
	if (groups == components)
		return TLV_OK;
	if (fit->evidence.groups)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "components_overlap",
									   .score = (double) components,
									   .hint = "Omit criterion to describe the density."},
						"groups that ICL finds are not single Gaussians: BIC prefers k = %zu "
						"components, which overlap",
						components);
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "components_overlap",
					   .score = (double) groups,
					   .hint = "Use criterion => 'icl' to find groups; keep the components to "
							   "describe the density."},
		"components overlap and describe one shape, not groups: ICL, which counts overlapping "
		"components as one, prefers k = %zu",
		groups);
}

/* Does one Gaussian of logarithms describe the rows better than the mixture? */
static tlv_status
diagnose_logarithms(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	double n = fit->evidence.n, single = fit->logarithms_likelihood;
	double parameters = tlv_mixture_parameters(1, fit->evidence.d, TLV_COVARIANCE_FULL, false);

	if (fit->start.k < 2 || !isfinite(single) ||
		parameters * log(n) - 2 * n * single >= model_criterion(fit))
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "one_skewed_shape",
								   .score = single - fit->refined.likelihood,
								   .hint = "Take the logarithms of columns of one sign."},
					"components describe one skewed shape: one Gaussian of the logarithms fits the "
					"rows better");
}

/* Says that k was chosen, and is 1. */
static tlv_status
warn_of_one(tlv_context *ctx, tlv_diagnostics *diagnostics)
{
	return tlv_warn(
		ctx, diagnostics,
		&(tlv_warning){.code = "no_structure", .score = 1, .hint = "Collect more rows, or give k."},
		"the rows show no groups: the model has one component");
}

/* The mean gain of n rows over one component, and a warning where it is no more than chance. */
static tlv_status
diagnose_gain(tlv_context *ctx, tlv_diagnostics *diagnostics, double n, double gain, double chance)
{
	TLV_TRY(tlv_diagnose(ctx, diagnostics, gain, "gain_over_one"));
	if (2 * n * gain > chance)
		return TLV_OK;
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "no_structure",
								   .score = gain,
								   .hint = "Omit k, or collect more rows."},
					"the rows show no groups: one component describes them as well");
}

/* Is there more than chance in what k components gain over one of the same form of covariance, and
 * more than the Bayesian information criterion charges for their parameters? */
static tlv_status
diagnose_single(tlv_context *ctx, const gmm_learning *fit, const tlv_mixture *mixture,
				tlv_diagnostics *diagnostics)
{
	const gmm_evidence *rows = &fit->evidence;
	tlv_covariance form = rows->options.covariance;
	bool directions = form == TLV_COVARIANCE_DIRECTION;
	double gain = fit->refined.likelihood - (directions ? gmm_single_direction_likelihood(mixture)
														: fit->single_likelihood[form]);
	double more = model_parameters(fit) - tlv_mixture_parameters(1, rows->d, form, false);

	if (fit->k_chosen && fit->start.k == 1)
		return warn_of_one(ctx, diagnostics);
	if (fit->k_chosen || fit->start.k < 2 || rows->options.tails == TLV_TAILS_T ||
		!fit->options.refine || !isfinite(gain))
		return TLV_OK;
	return diagnose_gain(ctx, diagnostics, rows->n, gain,
						 directions ? gmm_chance_of_directions(mixture, rows->n)
									: fmin(gmm_chance(more), log(rows->n) * more));
}

/* ---- variances at the floor ---- */

/* Why a variance is at the floor, by what its column holds. */
typedef enum gmm_floor_cause
{
	CAUSE_UNKNOWN, /* it is constant or depends on others, or rows are equal */
	CAUSE_VALUE,   /* half of the component's rows, or more, may have its most frequent value */
	CAUSE_UNIT,	   /* multiples of a unit */
	CAUSES
} gmm_floor_cause;

typedef struct gmm_low
{
	tlv_shown_list components, columns[CAUSES]; /* the latter of the first component */
	const tlv_mixture_column *column;			/* the last of the last cause that there is */
	bool integers;								/* columns of units hold integers alone */
} gmm_low;

static gmm_floor_cause
cause_of(const tlv_mixture_column *column, double weight)
{
	if (column == NULL)
		return CAUSE_UNKNOWN;
	if (column->unit > 0)
		return CAUSE_UNIT;
	return column->share >= weight / 2 && column->share < 1 ? CAUSE_VALUE : CAUSE_UNKNOWN;
}

/* Part of each column in what is at the floor in a component; 1 of all where it has one variance,
 * and where the covariance is too large to be decomposed. */
static tlv_status
floor_shares(tlv_context *ctx, const tlv_mixture *one, const double *floor, double *shares)
{
	const size_t most_decomposed = 256;
	size_t d = one->d;
	double *matrix;

	for (size_t i = 0; i < d; i++)
		shares[i] =
			one->covariance != TLV_COVARIANCE_DIAGONAL || one->variances[i] <= floor[i] ? 1 : 0;
	if (!tlv_is_matrix(one->covariance) || d > most_decomposed)
		return TLV_OK;
	TLV_TRY_NEW_ROWS(ctx, matrix, d, d);
	tlv_packed2_unpack(d, one->variances, matrix);
	TLV_TRY(tlv_mixture_floor_shares(ctx, d, matrix, floor, shares));
	tlv_free(ctx, matrix);
	return TLV_OK;
}

static tlv_status
list_low_columns(tlv_context *ctx, const gmm_evidence *rows, const tlv_mixture *one,
				 const double *floor, gmm_low *low)
{
	/* Part of the largest share in the directions at the floor that a column has which is named. */
	const double least_share = 0.1;
	double most = 0;
	char shown[TLV_SHOWN_NAME];
	double *shares;

	low->integers = true;
	TLV_TRY_NEW(ctx, shares, one->d);
	TLV_TRY(floor_shares(ctx, one, floor, shares));
	for (size_t i = 0; i < one->d; i++)
		most = fmax(most, shares[i]);
	for (size_t i = 0; i < one->d; i++)
	{
		const tlv_mixture_column *column = rows->options.columns;
		gmm_floor_cause cause;

		if (!(shares[i] > 0) || shares[i] < least_share * most)
			continue;
		column += column != NULL ? i : 0;
		cause = cause_of(column, one->weights[0]);
		tlv_shown_add(&low->columns[cause], tlv_names_show(rows->options.names, i, shown));
		if (cause == CAUSE_UNIT && column != NULL)
			low->integers &=
				column->unit == round(column->unit) && column->value == round(column->value);
		if (cause == CAUSE_UNIT || (cause == CAUSE_VALUE && low->columns[CAUSE_UNIT].n == 0))
			low->column = column;
	}
	if (one->d > 1 && low->columns[CAUSE_VALUE].n == one->d) /* whole rows are equal */
	{
		low->columns[CAUSE_UNKNOWN] = low->columns[CAUSE_VALUE];
		low->columns[CAUSE_VALUE].n = 0;
	}
	tlv_free(ctx, shares);
	return TLV_OK;
}

/* Lists the components that are at the floor, and the columns that are in the first of them. */
static tlv_status
list_low(tlv_context *ctx, const gmm_evidence *rows, const tlv_mixture *mixture,
		 const double *floor, gmm_low *low)
{
	size_t variances = tlv_mixture_variances(mixture->d, mixture->covariance), found;
	tlv_mixture one = *mixture;

	one.k = 1;
	for (size_t j = 0; j < mixture->k; j++)
	{
		one.variances = mixture->variances + j * variances;
		one.weights = mixture->weights + j;
		TLV_TRY(tlv_mixture_at_floor(ctx, &one, floor, &found));
		if (found == 0)
			continue;
		tlv_shown_add_number(&low->components, j + 1);
		if (low->components.n == 1 && mixture->covariance != TLV_COVARIANCE_DIRECTION)
			TLV_TRY(list_low_columns(ctx, rows, &one, floor, low));
	}
	return TLV_OK;
}

/* Several columns of full covariances have variances in other directions than their own. */
static tlv_status
warn_of_units(tlv_context *ctx, bool full, gmm_low *low, tlv_diagnostics *diagnostics)
{
	tlv_shown_list *columns = &low->columns[CAUSE_UNIT];
	const char *what = low->integers ? "counts or categories" : "rounded numbers";
	char holds[120];

	snprintf(holds, sizeof(holds), full ? "are constant or dependent but for rounding" : "hold %s",
			 what);
	if (columns->n == 1)
		snprintf(holds, sizeof(holds), "holds %s, multiples of %g with %g in %.0f %% of the rows",
				 what, low->column->unit, low->column->value, 100 * low->column->share);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "variances_at_floor",
								   .score = (double) low->components.n,
								   .hint = "Read columns of categories as text in tlv_lca, or use "
										   "a smaller k."},
					"the variances of %s are at their floor, the least that rounded values "
					"resolve: %s %s",
					tlv_shown_text(&low->components, "component"),
					tlv_shown_text(columns, "column"), holds);
}

static tlv_status
warn_of_value(tlv_context *ctx, gmm_low *low, tlv_diagnostics *diagnostics)
{
	tlv_shown_list *columns = &low->columns[CAUSE_VALUE];
	char value[80] = " each in many rows";

	if (columns->n == 1)
		snprintf(value, sizeof(value), ", %g, in %.0f %% of the rows", low->column->value,
				 100 * low->column->share);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "variances_at_floor",
								   .score = (double) low->components.n,
								   .hint = "Fit the rows of other values by themselves, or use a "
										   "smaller k."},
					"the variances of %s are at their floor, a millionth of the variance of the "
					"data: %s %s one value%s",
					tlv_shown_text(&low->components, "component"),
					tlv_shown_text(columns, "column"), columns->n == 1 ? "holds" : "hold", value);
}

static tlv_status
warn_of_floor(tlv_context *ctx, const gmm_evidence *rows, const tlv_frame *model, size_t *found,
			  tlv_diagnostics *diagnostics)
{
	gmm_low low = {0};
	tlv_shown_list *columns = &low.columns[CAUSE_UNKNOWN];
	tlv_mixture mixture;

	tlv_gmm_read(model, &mixture);
	TLV_TRY(list_low(ctx, rows, &mixture, tlv_frame_float64(model, "floor"), &low));
	*found = low.components.n;
	if (*found == 0)
		return TLV_OK;
	if (mixture.covariance == TLV_COVARIANCE_DIRECTION)
		return tlv_warn(ctx, diagnostics,
						&(tlv_warning){.code = "variances_at_floor",
									   .score = (double) *found,
									   .hint = "Filter equal rows out, or use a smaller k."},
						"the concentrations of %s are at their limit: their rows are equal",
						tlv_shown_text(&low.components, "component"));
	if (low.columns[CAUSE_UNIT].n > 0)
		return warn_of_units(ctx, tlv_is_matrix(mixture.covariance), &low, diagnostics);
	if (low.columns[CAUSE_VALUE].n > 0)
		return warn_of_value(ctx, &low, diagnostics);
	return tlv_warn(ctx, diagnostics,
					&(tlv_warning){.code = "variances_at_floor", .score = (double) *found},
					"the variances of %s are at their floor, a millionth of the variance of the "
					"data: %s %s constant or dependent, or rows are equal",
					tlv_shown_text(&low.components, "component"),
					columns->n > 0 ? tlv_shown_text(columns, "column") : "columns",
					columns->n > 0 ? tlv_shown_verb(columns) : "are");
}

/* The warning of a start that is the model, or that more steps do not change; not where
 * variances are at the floor, which then decides how likely models are. */
static tlv_status
diagnose_another(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	const gmm_start *start = &fit->start;
	tlv_warnings_walk walk;

	if (!start->stands || start->sampled.image == NULL || !fit->options.refine)
		return TLV_OK;
	walk = tlv_warnings_of(&start->sampled.frame);
	while (tlv_warnings_next(&walk))
		if (strcmp(walk.warning.code, "another_model") == 0)
			TLV_TRY(tlv_warn(ctx, diagnostics, &walk.warning, "%s", walk.warning.message));
	return TLV_OK;
}

/* ---- all of them ---- */

static tlv_status
diagnose_warnings(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	const tlv_frame *model = &fit->refined.model->frame;
	int max_k = (int) fit->options.max_k;
	size_t low;
	tlv_mixture mixture;

	tlv_gmm_read(model, &mixture);
	TLV_TRY(warn_of_floor(ctx, &fit->evidence, model, &low, diagnostics));
	/* Where no variance is the data's own, neither are the tails. */
	if (fit->tails.heavy && low < mixture.k)
		TLV_TRY(tlv_warn(
			ctx, diagnostics,
			&(tlv_warning){
				.code = "heavy_tails", .score = fit->tails.degrees, .hint = "Use tails => 't'."},
			"more rows are far out than Gaussians have: %zu %s better", fit->tails.k,
			tlv_plural((double) fit->tails.k, "t distribution fits", "t distributions fit")));
	TLV_TRY(tlv_mixture_warn_empty(ctx, diagnostics, mixture.k, mixture.weights, fit->evidence.n));
	if (fit->options.refine && fit->options.iterations < 0 && !fit->refined.stands)
		TLV_TRY(tlv_warn(ctx, diagnostics,
						 &(tlv_warning){.code = "iterations_at_limit", .score = GMM_MOST_STEPS},
						 "the log-likelihood still increases after %d iterations", GMM_MOST_STEPS));
	if (fit->k_chosen && fit->start.k == fit->options.max_k)
		TLV_TRY(tlv_warn(ctx, diagnostics, &(tlv_warning){.code = "k_at_limit", .score = max_k},
						 "k is the largest that was tried, max_k = %d", max_k));
	TLV_TRY(diagnose_single(ctx, fit, &mixture, diagnostics));
	if (low == 0) /* else it is the floor that is compared */
	{
		TLV_TRY(diagnose_logarithms(ctx, fit, diagnostics));
		TLV_TRY(diagnose_another(ctx, fit, diagnostics));
	}
	TLV_TRY(diagnose_overlap(ctx, fit, diagnostics));
	return gmm_warn_rows(ctx, fit, diagnostics);
}

static tlv_status
diagnose_covariances(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	static const char *const names[TLV_COVARIANCES] = {"common", "spherical", "diagonal", "full",
													   "tied"};
	const char *criterion = fit->evidence.groups ? "icl" : "bic";

	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->covariance_chosen, "covariance_chosen"));
	if (!fit->covariance_chosen)
		return TLV_OK;
	for (int c = 0; c < TLV_COVARIANCES; c++)
		if (isfinite(fit->covariances.least[c]))
			TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->covariances.least[c], "%s_%s", criterion,
								 names[c]));
	return tlv_diagnose(ctx, diagnostics, (double) fit->covariances.rows, "covariance_rows");
}

static tlv_status
diagnose_choice(tlv_context *ctx, const gmm_learning *fit, tlv_diagnostics *diagnostics)
{
	TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->k_chosen, "k_chosen"));
	if (fit->criteria.n > 0 && fit->evidence.groups)
		TLV_TRY(tlv_diagnose(ctx, diagnostics,
							 (double) gmm_least(fit->criteria.n, fit->criteria.bic), "k_of_bic"));
	for (size_t k = 1; k <= fit->choice.tried; k++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->choice.icl[k - 1], "icl_%zu", k));
	for (size_t k = 1; k <= fit->criteria.n; k++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->criteria.bic[k - 1], "bic_%zu", k));
	for (size_t k = 1; k <= fit->criteria.n; k++)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, fit->criteria.icl[k - 1], "icl_%zu", k));
	if (fit->k_chosen || fit->covariance_chosen)
		TLV_TRY(tlv_diagnose(ctx, diagnostics, (double) fit->evidence.sample.n, "bic_rows"));
	return diagnose_covariances(ctx, fit, diagnostics);
}

tlv_status
gmm_finish(tlv_context *ctx, const tlv_source *source, const gmm_learning *fit, tlv_held *finished)
{
	static const char *const known[] = {"rows", "dimensions", NULL};
	const tlv_added_section rows = {"rows", TLV_FLOAT64, 1, 1, &fit->evidence.n};
	const tlv_frame *model = &fit->refined.model->frame;
	bool refine = fit->options.refine;
	tlv_diagnostics all = {0};

	/* Warnings of a start do not hold for what was refined from it. */
	TLV_TRY((refine ? tlv_diagnostics_copy_numbers : tlv_diagnostics_copy)(ctx, &all, model, NULL));
	if (fit->start.fitted.image != NULL &&
		isnan(tlv_diagnostics_find(model, "noise_variance", NAN)))
		TLV_TRY(tlv_diagnostics_copy_numbers(ctx, &all, &fit->start.fitted.frame, known));
	TLV_TRY(tlv_diagnose(ctx, &all, fit->start.from_moments, "start_moments"));
	if (refine && isnan(tlv_diagnostics_find(model, "refinement_steps", NAN)))
		TLV_TRY(tlv_diagnose(ctx, &all, 0, "refinement_steps"));
	if (refine)
		TLV_TRY(diagnose_criteria(ctx, fit, &all));
	TLV_TRY(diagnose_warnings(ctx, fit, &all));
	TLV_TRY(diagnose_choice(ctx, fit, &all));
	return tlv_source_finish(ctx, source, model, &all, 1, &rows, finished);
}
