/*
 * gmm.c - mixtures of Gaussians: arguments of the fit and the driver, simulation.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"

/* ---- fitting ---- */

static const char *const gmm_refinements[] = {"auto", "em", "none", NULL};
static const char *const gmm_tails[] = {"normal", "t", NULL};
static const char *const gmm_criteria[] = {TLV_SUGGEST_BIC, TLV_SUGGEST_ICL, NULL};

/* By the numbers of tlv_covariance. */
static const char *const gmm_covariances[] = {"common", "spherical", "diagonal", "full",
											  "tied",	"direction", NULL};

/* Directions are fitted neither to moments nor with t distributions. */
static const char *const gmm_variances[] = {"common", "spherical", "diagonal",
											"full",	  "tied",	   NULL};
static const char *const gmm_normal[] = {"normal", NULL};

typedef struct GmmArguments
{
	tlv_gmm_learn_options learn;
	const char *covariance, *tails;
	int refine; /* of those above */
} GmmArguments;

#define GMM_OPTION(member) offsetof(GmmArguments, learn.member)

/* Of tlv_fit_gmm, which sees moments, and of tlv_gmm, which sees the rows. */
static const TlvArgument gmm_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, GMM_OPTION(fit.k), .least = 1},
	{"covariance", TLV_ARGUMENT_TEXT, offsetof(GmmArguments, covariance)},
	{"criterion", TLV_ARGUMENT_CHOICE, GMM_OPTION(criterion), .what = "criterion",
	 .names = gmm_criteria},
	{"tails", TLV_ARGUMENT_TEXT, offsetof(GmmArguments, tails)},
	{"refine", TLV_ARGUMENT_CHOICE, offsetof(GmmArguments, refine), .what = "refinement",
	 .names = gmm_refinements},
	{"iterations", TLV_ARGUMENT_NUMBER, GMM_OPTION(iterations), .least = 0},
	TLV_DECOMPOSE_ARGUMENTS(GmmArguments, learn.fit.decompose, learn.fit.seed),
	{"max_k", TLV_ARGUMENT_COUNT, GMM_OPTION(max_k), .least = 1},
	{"max_k", TLV_ARGUMENT_COUNT, GMM_OPTION(fit.max_k), .least = 1},
	{NULL}};

static tlv_gmm_learn_options
read_gmm_arguments(FunctionCallInfo fcinfo, bool of_rows)
{
	const int gmm_unrefined = 2;
	GmmArguments arguments = {.learn = {.iterations = -1, .criterion = TLV_GMM_AUTO}};
	tlv_gmm_options *fit = &arguments.learn.fit;
	bool tailed;

	TlvReadArguments(fcinfo, gmm_arguments, &arguments);
	tailed = arguments.tails != NULL && strcmp(arguments.tails, gmm_tails[TLV_TAILS_T]) == 0;
	fit->any_covariance = arguments.covariance == NULL;
	if (arguments.covariance != NULL)
		fit->covariance =
			TlvChoiceAmong(arguments.covariance, gmm_covariances,
						   of_rows && !tailed ? gmm_covariances : gmm_variances, "covariance");
	if (arguments.tails != NULL)
		fit->tails = TlvChoiceAmong(
			arguments.tails, gmm_tails,
			fit->covariance == TLV_COVARIANCE_DIRECTION ? gmm_normal : gmm_tails, "kind of tails");
	arguments.learn.refine = arguments.refine != gmm_unrefined;
	return arguments.learn;
}

TLV_FIT_VALUE(fit_gmm, tlv_gmm_fit)

/* tlv_fit_gmm(m, k, ...) */
TLV_FIT_FUNCTION(tlv_fit_gmm)
{
	tlv_gmm_learn_options options = read_gmm_arguments(fcinfo, false);

	if (options.fit.covariance == TLV_COVARIANCE_DIRECTION)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("moments do not tell directions from lengths"),
						errhint("Use tlv_gmm, which sees the rows.")));
	return TlvFit(fcinfo, fit_gmm, &options.fit);
}

/* tlv_gmm(query, ...) */
TLV_DRIVER_FUNCTION(tlv_gmm)
{
	tlv_gmm_learn_options options = read_gmm_arguments(fcinfo, true);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	if (options.fit.covariance == TLV_COVARIANCE_DIRECTION && options.fit.tails != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("directions have no tails"), errhint("Leave tails out.")));
	TlvDriverCheck(driver, &tlv_gmm_procedure, &options);
	TlvReadVectors(driver, TlvQueryText(fcinfo, "vectors"));
	return TlvDriverLearn(fcinfo, driver, &tlv_gmm_procedure, &options);
}

/* ---- the number of components ---- */

static tlv_gmm_learn_options
gmm_search(const TlvSearch *search)
{
	return (tlv_gmm_learn_options){.iterations = -1,
								   .refine = true,
								   .criterion = TLV_GMM_AUTO,
								   .max_k = search->max_k,
								   .fit = {.any_covariance = true,
										   .max_k = search->max_k,
										   .seed = search->seed,
										   .decompose.seed = search->seed}};
}

static void
learn_gmm_search(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
				 tlv_held *model)
{
	tlv_gmm_learn_options options = gmm_search(search);

	TlvDriverCheck(driver, &tlv_gmm_procedure, &options);
	TlvReadVectors(driver, TlvQueryText(fcinfo, "vectors"));
	TlvDriverRunProcedure(driver, &tlv_gmm_procedure, &options, model);
}

static tlv_status
fit_gmm_search(tlv_context *ctx, const tlv_frame *moments, const void *search, void **image,
			   size_t *size)
{
	tlv_gmm_learn_options options = gmm_search(search);

	return tlv_gmm_fit(ctx, moments, &options.fit, image, size);
}

const TlvSearcher TlvSearchGmm = {gmm_criteria, fit_gmm_search, false, learn_gmm_search};

/* ---- simulation ---- */

/* tlv_simulate_gmm_model(d, k, separation, covariance, seed) */
TLV_FUNCTION(tlv_simulate_gmm_model)
{
	size_t d = TlvNamedCount(fcinfo, "dimensions", 1), k = TlvNamedCount(fcinfo, "k", 1);
	double separation =
		TlvArgumentIsNull(fcinfo, "separation") ? 4 : TlvNamedNumber(fcinfo, "separation");
	int covariance = TlvNamedChoice(fcinfo, "covariance", gmm_covariances, "covariance");
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_gmm_random(maker.ctx, k, d, separation, (tlv_covariance) covariance,
									   seed, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_simulate_gmm(model, rows, seed): rows (id, x, component) */
TLV_FUNCTION(tlv_simulate_gmm)
{
	tlv_frame frame = TlvFrameOf(PG_GETARG_DATUM(0));
	size_t rows = TlvNamedCount(fcinfo, "rows", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	tlv_gmm_simulator *simulator = NULL;
	tlv_mixture mixture;
	TlvWork *work;
	double *x;

	if (TlvKind(&frame) != &tlv_kind_direction_mixture)
		TlvRequireKind(&frame, &tlv_kind_gaussian_mixture, "tlv_simulate_gmm");
	TlvInitRows(fcinfo);
	work = TlvWorkBegin("tensorlv simulation");
	tlv_gmm_read(&frame, &mixture);
	TlvCheck(&work->ctx, tlv_gmm_simulator_create(&work->ctx, &mixture, &simulator));
	x = MemoryContextAllocHuge(work->mcxt, mixture.d * sizeof(double));
	for (size_t t = 1; t <= rows; t++)
	{
		int component;
		tlv_rng rng;

		tlv_rng_stream(&rng, seed, t);
		component = (int) tlv_gmm_simulate(simulator, &rng, x);
		TlvPutRow(fcinfo, TlvInt8((int64) t), TlvOwned(TlvFloat8Array(mixture.d, x)),
				  TlvInt4(component + 1));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
