/*
 * gmm_driver.c - tlv_gmm(query, ...): a mixture of Gaussians from the text of a query, in one
 * call: moments, fit, refinement steps until the likelihood stands; a loop over aggregate queries
 * with the caller's rights.  Where third moments alone do not carry the fit, starts from
 * a sample of the rows compete with it.
 */
#include "gmm.h"

#include <math.h>

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"

#include "tensorlv/model/dense.h"
#include "rows/vector_query.h"

/* Third moments are collected in all dimensions up to this number, their cost grows with its
 * cube; of more dimensions in the leading directions, by a pass of its own. */
#define MOST_THIRD 20
/* Moments of this residual are those of spherical components. */
#define TRUSTED_RESIDUAL 0.1

/* Passes of refinement, and steps on the sample, at most. */
#define MOST_STEPS 100
/* Steps after which two starts are compared. */
#define RIVAL_STEPS 5
/* Starts from the sample; fewer of full covariances of few rows, and of many components, which cost
 * most; more of spherical components of many rows, where they cost least. */
#define STARTS		 20
#define STARTS_FEWER 12
#define STARTS_MORE	 40
#define MANY		 50	  /* components */
#define LARGE		 5000 /* rows */
/* Rows of the sample: at least and at most, and what n d k (full: n d^2 k) shall not exceed. */
#define SAMPLE_LEAST  2000.0
#define SAMPLE_MOST	  20000.0
#define SAMPLE_EFFORT 5e8

/* k is chosen when the criterion has risen so many times in a row. */
#define MOST_RISES 2

typedef struct GmmDriver
{
	TlvRowSource rows;
	tlv_gmm_options options; /* k: 0 while it is not chosen */
	bool refine;
	int32 iterations; /* -1: until the likelihood stands */
	int32 max_k;
	size_t d;
	double n;
	struct varlena *moments;
	struct varlena *compressed; /* in the leading directions; NULL until they are needed */
	struct varlena *single;		/* one component: its floor is everybody's */
	double *sample;				/* d x sample_n; NULL until it is needed */
	size_t sample_n;
	double *bic; /* of k = 1, 2, ... */
	int32 n_bic;
} GmmDriver;

/* A start for refinement. */
typedef struct GmmStart
{
	struct varlena *model;
	struct varlena *fitted; /* the fit to the moments, also where another start won; or NULL */
	struct varlena *rival;	/* from the sample, where it may be better; or NULL */
	bool from_moments;
	bool stands;		   /* refined on all rows, until the likelihood stands */
	double log_likelihood; /* mean over the sample */
} GmmStart;

/* ---- diagnostics of a model ---- */

static double
diagnostic(struct varlena *model, const char *name)
{
	tlv_frame frame = TlvFrame(model);
	const tlv_section *names = tlv_frame_find(&frame, "diagnostic_names");
	const double *values = tlv_frame_float64(&frame, "diagnostics");
	const char *at = tlv_section_data(&frame, names), *end = at + names->rows;

	for (size_t i = 0; at < end; i++)
	{
		const char *stop = memchr(at, '\n', (size_t) (end - at));

		if ((size_t) (stop - at) == strlen(name) && memcmp(at, name, strlen(name)) == 0)
			return values[i];
		at = stop + 1;
	}
	return NAN;
}

/* Copies what is no warning: warnings of a start do not hold for what was refined from it. */
static void
copy_numbers(tlv_context *ctx, tlv_diagnostics *diagnostics, struct varlena *model, bool warnings,
			 bool again)
{
	tlv_frame frame = TlvFrame(model);
	const tlv_section *names = tlv_frame_find(&frame, "diagnostic_names");
	const double *values = tlv_frame_float64(&frame, "diagnostics");
	const char *at = tlv_section_data(&frame, names), *end = at + names->rows;

	for (size_t i = 0; at < end; i++)
	{
		const char *stop = memchr(at, '\n', (size_t) (end - at));
		int length = (int) (stop - at);
		bool shared = strncmp(at, "rows\n", 5) == 0 || strncmp(at, "dimensions\n", 11) == 0;

		if ((warnings || strncmp(at, "warning: ", 9) != 0) && !(again && shared))
			TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, values[i], "%.*s", length, at));
		at = stop + 1;
	}
}

/* ---- moments and sample ---- */

static void
collect_moments(GmmDriver *driver)
{
	int order;
	tlv_frame frame;

	driver->d = TlvVectorQueryWidth(&driver->rows);
	order = driver->d <= MOST_THIRD ? 3 : 2;
	driver->moments = TlvRowSourcePass(
		&driver->rows, psprintf("%s.tlv_dense_moments(x, %d)", driver->rows.schema, order), NULL,
		NULL, NULL);
	if (driver->moments != NULL)
	{
		frame = TlvFrame(driver->moments);
		driver->n = tlv_frame_scalar(&frame, "rows", 0);
	}
}

/* Moments in as many leading directions as the largest k that may be fitted; NULL when these are
 * too many. */
static struct varlena *
compressed_moments(GmmDriver *driver)
{
	size_t k = driver->options.k > 0 ? driver->options.k : (size_t) driver->max_k;
	tlv_frame frame = TlvFrame(driver->moments);
	struct varlena *subspace;
	TlvWork *work;
	void *image;
	size_t size;

	k = Min(Min(k, driver->d), TLV_DENSE_MOST_3);
	if (driver->compressed != NULL || driver->options.k > k)
		return driver->compressed;
	work = TlvWorkBegin("tensorlv subspace");
	TlvCheck(&work->ctx, tlv_dense_subspace(&work->ctx, &frame, k, &image, &size));
	subspace = TlvValue(image, size);
	TlvWorkEnd(work);
	driver->compressed = TlvRowSourcePass(
		&driver->rows, psprintf("%s.tlv_dense_moments(x, $1, 3)", driver->rows.schema), NULL,
		"tlv_subspace", subspace);
	return driver->compressed;
}

/* The fit of k components to the moments; NULL where these do not identify them. */
static struct varlena *
fit_moments(GmmDriver *driver, size_t k)
{
	tlv_gmm_options options = driver->options;
	struct varlena *moments = driver->moments, *result = NULL;
	tlv_status status;
	tlv_frame frame;
	TlvWork *work;
	void *image;
	size_t size;

	if (k > 1 && driver->d > MOST_THIRD)
		moments = compressed_moments(driver);
	if (moments == NULL)
		return NULL;
	frame = TlvFrame(moments);
	options.k = k;
	work = TlvWorkBegin("tensorlv fit");
	status = tlv_gmm_fit(&work->ctx, &frame, &options, &image, &size);
	if (status != TLV_OK && status != TLV_NOT_IDENTIFIABLE)
		TlvRaise(&work->ctx);
	if (status == TLV_OK)
		result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

/*
 * Does the fit stand without other starts beside it?  Of few rows they cost next to nothing, and
 * real data have better optima than the moments' even where the residual is small.
 */
static bool
is_trusted(const GmmDriver *driver, struct varlena *fitted, size_t k)
{
	if (k == 1)
		return true;
	return driver->options.covariance <= TLV_COVARIANCE_SPHERICAL && driver->n > SAMPLE_MOST &&
		   (double) k <= TLV_GMM_MOST_SHARE * (double) driver->d &&
		   diagnostic(fitted, "signal") >= TLV_GMM_SIGNAL &&
		   diagnostic(fitted, "residual") <= TRUSTED_RESIDUAL;
}

static void
require_sample(GmmDriver *driver)
{
	size_t k = driver->options.k > 0 ? driver->options.k : (size_t) driver->max_k;
	double d = (double) driver->d, each = d * (double) k, room, wanted;

	if (driver->sample != NULL)
		return;
	if (driver->options.covariance == TLV_COVARIANCE_FULL)
		each *= d;
	room = (double) TlvWorkMemory() / 4 / (d * sizeof(double));
	wanted = fmax(SAMPLE_EFFORT / each, fmax(SAMPLE_LEAST, 20 * (double) k));
	wanted = fmin(fmin(floor(wanted), SAMPLE_MOST), driver->n);
	wanted = fmax(fmin(wanted, floor(room)), fmin((double) k, driver->n));
	driver->sample =
		MemoryContextAllocHuge(driver->rows.mcxt, (Size) wanted * driver->d * sizeof(double));
	TlvVectorQuerySample(&driver->rows, driver->d, driver->n, (size_t) wanted, driver->options.seed,
						 driver->sample, &driver->sample_n);
}

/* ---- starts ---- */

static int
starts_of(const GmmDriver *driver, size_t k)
{
	bool large = driver->sample_n > LARGE;

	if (k == 1)
		return 1;
	if (k > MANY || (driver->options.covariance == TLV_COVARIANCE_FULL && !large))
		return STARTS_FEWER;
	return large && driver->options.covariance <= TLV_COVARIANCE_SPHERICAL ? STARTS_MORE : STARTS;
}

/* The best of k-means++ starts on the sample, and of the given one (NULL: none). */
static struct varlena *
start_from_sample(GmmDriver *driver, size_t k, struct varlena *given)
{
	tlv_frame single = TlvFrame(driver->single), frame;
	tlv_gmm_start_options options = {0};
	TlvWork *work = TlvWorkBegin("tensorlv starts");
	struct varlena *result;
	tlv_mixture mixture;
	void *image;
	size_t size;

	options.k = k;
	options.covariance = driver->options.covariance;
	options.seed = driver->options.seed;
	options.starts = starts_of(driver, k);
	options.steps = MOST_STEPS;
	if (given != NULL)
	{
		frame = TlvFrame(given);
		tlv_gmm_read(&frame, &mixture);
		options.given = &mixture;
	}
	TlvCheck(&work->ctx,
			 tlv_gmm_start(&work->ctx, driver->sample_n, driver->d, driver->sample,
						   tlv_frame_float64(&single, "floor"), &options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

/* A model refined on the sample. */
static struct varlena *
refine_on_sample(GmmDriver *driver, struct varlena *model, double *log_likelihood)
{
	tlv_frame frame = TlvFrame(model);
	TlvWork *work = TlvWorkBegin("tensorlv refinement");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx, tlv_gmm_refine(&work->ctx, &frame, driver->sample_n, driver->sample,
										MOST_STEPS, log_likelihood, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	return result;
}

/*
 * The start of k components: the fit to the moments, where that is trusted, else the best of it
 * and of starts from the sample, refined there.  Where the sample is not all rows, the fit to
 * the moments knows more than what was refined on the sample, and stays beside a start that seems
 * better until the whole data tell; but it knows nothing of diagonal and full covariances.
 */
static GmmStart
find_start(GmmDriver *driver, size_t k, bool measured)
{
	GmmStart start = {.log_likelihood = -HUGE_VAL};
	bool trusted, whole, spherical = driver->options.covariance <= TLV_COVARIANCE_SPHERICAL;
	struct varlena *best;

	start.fitted = start.model = k == 1 ? driver->single : fit_moments(driver, k);
	start.from_moments = start.fitted != NULL;
	trusted = start.fitted != NULL && (!driver->refine || is_trusted(driver, start.fitted, k));
	if (trusted && !measured)
		return start;
	require_sample(driver);
	whole = (double) driver->sample_n >= driver->n;
	if (trusted)
	{
		best = refine_on_sample(driver, start.fitted, &start.log_likelihood);
		if (whole && driver->refine)
			start.model = best;
		return start;
	}
	best = start_from_sample(driver, k, start.fitted);
	start.log_likelihood = diagnostic(best, "sample_mean_log_likelihood");
	start.from_moments = diagnostic(best, "start_given") > 0;
	start.stands = whole && diagnostic(best, "sample_stands") > 0;
	if (whole || !spherical || start.fitted == NULL)
		start.model = best;
	else if (!start.from_moments)
	{
		start.rival = best;
		start.from_moments = true;
	}
	return start;
}

/* k by the Bayesian information criterion on the sample. */
static GmmStart
choose_k(GmmDriver *driver)
{
	GmmStart best = {0};
	int rises = 0;

	require_sample(driver);
	driver->bic = palloc((Size) driver->max_k * sizeof(double));
	for (size_t k = 1; k <= (size_t) driver->max_k && (double) k <= driver->n && rises < MOST_RISES;
		 k++)
	{
		double n = (double) driver->sample_n;
		double parameters = tlv_mixture_parameters(k, driver->d, driver->options.covariance);
		GmmStart start = find_start(driver, k, true);
		double bic = parameters * log(n) - 2 * n * start.log_likelihood;

		CHECK_FOR_INTERRUPTS();
		rises = k > 1 && bic > driver->bic[k - 2] ? rises + 1 : 0;
		driver->bic[driver->n_bic++] = bic;
		if (driver->options.k == 0 || bic < driver->bic[driver->options.k - 1])
		{
			driver->options.k = k;
			best = start;
		}
	}
	return best;
}

/* ---- refinement ---- */

/*
 * Expectation maximisation, a pass a step, until the model has `limit` steps; one more pass tells
 * the likelihood at the end.
 */
static struct varlena *
refine_model(GmmDriver *driver, struct varlena *model, int limit, double *likelihood, bool *stands)
{
	char *expression = psprintf("%s.tlv_statistics(x, $1)", driver->rows.schema);
	tlv_frame frame = TlvFrame(model);
	double before = -HUGE_VAL;

	for (int step = (int) tlv_frame_scalar(&frame, "steps", 0);; step++)
	{
		struct varlena *statistics =
			TlvRowSourcePass(&driver->rows, expression, NULL, "tlv_model", model);

		if (statistics == NULL)
			ereport(ERROR, (errcode(ERRCODE_DATA_EXCEPTION),
							errmsg("the query returned vectors once and none when it was run "
								   "again"),
							errhint("A function in it gives other results each time although it "
									"is not declared VOLATILE.")));
		frame = TlvFrame(statistics);
		*likelihood = tlv_frame_scalar(&frame, "log_likelihood", 0) /
					  fmax(tlv_frame_scalar(&frame, "rows", 0), 1);
		*stands = *likelihood - before < TLV_GMM_TOLERANCE * (fabs(before) + 1);
		if (step >= limit || (driver->iterations < 0 && *stands))
			return model;
		before = *likelihood;
		model = TlvUpdateModel(model, statistics);
		pfree(statistics);
	}
}

/* Both starts some steps on all rows; the better one goes on. */
static struct varlena *
refine_start(GmmDriver *driver, GmmStart *start, double *likelihood, bool *stands)
{
	int limit = driver->iterations >= 0 ? driver->iterations : MOST_STEPS;
	int first = start->rival == NULL ? limit : Min(RIVAL_STEPS, limit);
	struct varlena *model = refine_model(driver, start->model, first, likelihood, stands);
	struct varlena *rival;
	double other;
	bool stands_too;

	if (start->rival == NULL)
		return model;
	rival = refine_model(driver, start->rival, first, &other, &stands_too);
	if (other > *likelihood)
	{
		start->from_moments = false;
		model = rival;
		*likelihood = other;
		*stands = stands_too;
	}
	if (first == limit || (driver->iterations < 0 && *stands))
		return model;
	return refine_model(driver, model, limit, likelihood, stands);
}

/* ---- the model with what only the driver knows ---- */

static void
add_warnings(tlv_context *ctx, const GmmDriver *driver, const tlv_frame *model, bool stands,
			 tlv_diagnostics *diagnostics)
{
	tlv_mixture mixture;
	size_t low, empty = 0;

	tlv_gmm_read(model, &mixture);
	TlvCheck(ctx, tlv_mixture_at_floor(ctx, &mixture, tlv_frame_float64(model, "floor"), &low));
	for (size_t j = 0; j < mixture.k; j++)
		empty += mixture.weights[j] * driver->n < 1;
	if (low > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, (double) low,
								   "warning: variances of so many components are at their floor, "
								   "a millionth of the data's: constant or dependent columns, or "
								   "equal rows; the likelihood says little"));
	if (empty > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, (double) empty,
								   "warning: so many components have less than one row: use a "
								   "smaller k"));
	if (driver->refine && driver->iterations < 0 && !stands)
		TlvCheck(ctx,
				 tlv_diagnose(ctx, diagnostics, MOST_STEPS,
							  "warning: the likelihood still rises after %d steps", MOST_STEPS));
	if (driver->n_bic > 0 && driver->options.k == (size_t) driver->max_k)
		TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, driver->max_k,
								   "warning: k is the largest that was tried, max_k = %d",
								   driver->max_k));
}

static void
add_criteria(tlv_context *ctx, const GmmDriver *driver, double likelihood,
			 tlv_diagnostics *diagnostics)
{
	double parameters =
		tlv_mixture_parameters(driver->options.k, driver->d, driver->options.covariance);

	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, likelihood, "mean_log_likelihood"));
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics, parameters, "parameters"));
	TlvCheck(ctx, tlv_diagnose(ctx, diagnostics,
							   parameters * log(driver->n) - 2 * driver->n * likelihood, "bic"));
	TlvCheck(ctx,
			 tlv_diagnose(ctx, diagnostics, 2 * parameters - 2 * driver->n * likelihood, "aic"));
}

static struct varlena *
finish_model(GmmDriver *driver, const GmmStart *start, struct varlena *model, double likelihood,
			 bool stands)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", "rows", NULL};
	tlv_frame frame = TlvFrame(model);
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_frame_builder *builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	tlv_diagnostics diagnostics = {0};
	tlv_context *ctx = &work->ctx;
	struct varlena *result;

	copy_numbers(ctx, &diagnostics, model, !driver->refine, false);
	if (start->fitted != NULL && isnan(diagnostic(model, "noise_variance")))
		copy_numbers(ctx, &diagnostics, start->fitted, false, true);
	TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, start->from_moments, "start_moments"));
	if (driver->refine && isnan(diagnostic(model, "refinement_steps")))
		TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, 0, "refinement_steps"));
	if (driver->refine)
		add_criteria(ctx, driver, likelihood, &diagnostics);
	add_warnings(ctx, driver, &frame, stands, &diagnostics);
	TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, driver->n_bic > 0, "k_chosen"));
	for (int32 k = 0; k < driver->n_bic; k++)
		TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, driver->bic[k], "bic_%d", k + 1));
	if (driver->n_bic > 0)
		TlvCheck(ctx, tlv_diagnose(ctx, &diagnostics, (double) driver->sample_n, "bic_rows"));
	TlvRowSourceDiagnose(&driver->rows, ctx, &diagnostics);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_GAUSSIAN_MIXTURE);
	tlv_frame_add_scalar(builder, "rows", driver->n);
	tlv_frame_add_from(builder, &frame, replaced);
	tlv_diagnostics_add(&diagnostics, builder);
	result = TlvBuild(ctx, builder);
	TlvWorkEnd(work);
	return result;
}

/* ---- the call ---- */

/* Arguments: query, k, covariance, refine, iterations, method, seed, restarts, steps, max_k */
static void
read_arguments(FunctionCallInfo fcinfo, GmmDriver *driver)
{
	char *refine = PG_ARGISNULL(3) ? "none" : text_to_cstring(PG_GETARG_TEXT_PP(3));

	TlvGmmOptions(fcinfo, 5, &driver->options);
	driver->options.k = PG_ARGISNULL(1) ? 0 : TlvCountArgument(fcinfo, 1, "k", 1);
	driver->options.covariance = TlvCovarianceArgument(fcinfo, 2, TLV_COVARIANCE_SPHERICAL);
	driver->refine = strcmp(refine, "em") == 0;
	if (!driver->refine && strcmp(refine, "none") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no refinement \"%.40s\"", refine),
						errhint("Use 'em' or 'none'.")));
	driver->iterations =
		PG_ARGISNULL(4) ? -1 : (int32) TlvCountArgument(fcinfo, 4, "iterations", 0);
	driver->max_k = (int32) TlvCountArgument(fcinfo, 9, "max_k", 1);
	if (driver->max_k > TLV_MIXTURE_MOST_COMPONENTS ||
		driver->options.k > TLV_MIXTURE_MOST_COMPONENTS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("k is more than %d", TLV_MIXTURE_MOST_COMPONENTS)));
}

static struct varlena *
run_driver(GmmDriver *driver, const char *query, Oid function)
{
	double likelihood = 0;
	bool stands = true;
	struct varlena *model;
	GmmStart start;

	TlvVectorQueryOpen(&driver->rows, query, function);
	collect_moments(driver);
	if (driver->n < 1)
		return NULL;
	if ((double) driver->options.k > driver->n)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("%.0f rows are too few for %zu components", driver->n, driver->options.k)));
	driver->single = fit_moments(driver, 1);
	start =
		driver->options.k == 0 ? choose_k(driver) : find_start(driver, driver->options.k, false);
	model = start.model;
	likelihood = start.log_likelihood;
	if (driver->refine && (driver->iterations >= 0 || !start.stands))
		model = refine_start(driver, &start, &likelihood, &stands);
	return finish_model(driver, &start, model, likelihood, stands);
}

PG_FUNCTION_INFO_V1(tlv_gmm);

/* tlv_gmm(query, ...): see read_arguments */
Datum
tlv_gmm(PG_FUNCTION_ARGS)
{
	struct varlena *model;
	GmmDriver *driver;
	int nest;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(GmmDriver));
	read_arguments(fcinfo, driver);
	/* Compiling a pass costs more than the expressions in it; an error resets the setting, too. */
	nest = NewGUCNestLevel();
	(void) set_config_option("jit", "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
	TlvRowSourceBegin(&driver->rows);
	model = run_driver(driver, text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo->flinfo->fn_oid);
	model = TlvRowSourceEnd(&driver->rows, model);
	AtEOXact_GUC(true, nest);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}
