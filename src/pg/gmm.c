/*
 * gmm.c - mixtures of Gaussians: arguments of the fit and the driver, reading components,
 * simulation.
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
#include "tensorlv/model/gmm.h"
#include "tensorlv/num/linalg.h"

/* ---- fitting ---- */

static const char *const gmm_refinements[] = {"em", "none", NULL};
static const char *const gmm_tails[] = {"normal", "t", NULL};

typedef struct GmmArguments
{
	tlv_gmm_plan_options plan;
	int refine; /* of those above */
} GmmArguments;

#define GMM_OPTION(member) offsetof(GmmArguments, plan.member)

/* Of tlv_fit_gmm and tlv_gmm. */
static const TlvArgument gmm_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, GMM_OPTION(fit.k), .least = 1},
	{"covariance", TLV_ARGUMENT_CHOICE, GMM_OPTION(fit.covariance), .what = "covariance",
	 .names = TlvCovarianceNames},
	{"tails", TLV_ARGUMENT_CHOICE, GMM_OPTION(fit.tails), .what = "kind of tails",
	 .names = gmm_tails},
	{"refine", TLV_ARGUMENT_CHOICE, offsetof(GmmArguments, refine), .what = "refinement",
	 .names = gmm_refinements},
	{"iterations", TLV_ARGUMENT_NUMBER, GMM_OPTION(iterations), .least = 0},
	TLV_DECOMPOSE_ARGUMENTS(GmmArguments, plan.fit.decompose, plan.fit.seed),
	{"max_k", TLV_ARGUMENT_COUNT, GMM_OPTION(max_k), .least = 1},
	{NULL}};

static tlv_gmm_plan_options
read_gmm_arguments(FunctionCallInfo fcinfo)
{
	GmmArguments arguments = {.plan = {.iterations = -1}, .refine = 1};

	TlvReadArguments(fcinfo, gmm_arguments, &arguments);
	arguments.plan.fit.any_covariance = TlvArgumentIsNull(fcinfo, "covariance");
	arguments.plan.refine = arguments.refine == 0;
	return arguments.plan;
}

static tlv_status
fit_gmm(tlv_context *ctx, const tlv_frame *moments, const void *options, void **image, size_t *size)
{
	return tlv_gmm_fit(ctx, moments, options, image, size);
}

/* tlv_fit_gmm(m, k, ...) */
TLV_FUNCTION(tlv_fit_gmm)
{
	tlv_gmm_plan_options options;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options = read_gmm_arguments(fcinfo);
	if (options.fit.k == 0)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("k is null")));
	return TlvFit(fcinfo, fit_gmm, &options.fit);
}

/* tlv_gmm(query, ...) */
TLV_FUNCTION(tlv_gmm)
{
	tlv_gmm_plan_options options;
	TlvDriver *driver;
	tlv_plan *plan;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	options = read_gmm_arguments(fcinfo);
	driver = TlvDriverBegin(fcinfo);
	TlvCheck(driver->ctx, tlv_gmm_plan_create(driver->ctx, &options, &plan));
	TlvReadVectors(driver, text_to_cstring(PG_GETARG_TEXT_PP(0)));
	return TlvDriverModel(fcinfo, driver, plan);
}

/* ---- reading ---- */

/* Variances of a component by coordinate, or its covariance matrix; NULL where it is spherical. */
static ArrayType *
covariance_array(const tlv_mixture *mixture, size_t j)
{
	size_t d = mixture->d;
	const double *own = mixture->variances + j * tlv_mixture_variances(d, mixture->covariance);
	ArrayType *array;
	double *full;

	if (mixture->covariance < TLV_COVARIANCE_DIAGONAL)
		return NULL;
	if (mixture->covariance == TLV_COVARIANCE_DIAGONAL)
		return TlvFloat8Array(d, own);
	full = palloc_extended(d * d * sizeof(double), MCXT_ALLOC_HUGE);
	tlv_packed2_unpack(d, own, full);
	array = TlvFloat8Box(2, (size_t[2]){d, d}, full);
	pfree(full);
	return array;
}

/* Mean over the coordinates of a component's variances. */
static double
mean_variance(const tlv_mixture *mixture, size_t j)
{
	size_t d = mixture->d;
	const double *own = mixture->variances + j * tlv_mixture_variances(d, mixture->covariance);
	double sum = 0;

	if (mixture->covariance < TLV_COVARIANCE_DIAGONAL)
		return own[0];
	for (size_t i = 0; i < d; i++)
		sum += own[mixture->covariance == TLV_COVARIANCE_FULL ? tlv_packed2_index(i, i) : i];
	return sum / (double) d;
}

/* Rows (component, weight, mean, variance, covariance, degrees). */
TLV_FUNCTION(tlv_components_rows)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_gaussian_mixture, "tlv_components");
	tlv_mixture mixture;

	TlvInitRows(fcinfo);
	tlv_gmm_read(&frame, &mixture);
	for (size_t j = 0; j < mixture.k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvFloat8(mixture.weights[j]),
				  TlvOwned(TlvFloat8Array(mixture.d, mixture.means + j * mixture.d)),
				  TlvFloat8(mean_variance(&mixture, j)), TlvOwned(covariance_array(&mixture, j)),
				  TlvNullIf(mixture.degrees == NULL,
							TlvFloat8(mixture.degrees != NULL ? mixture.degrees[j] : 0)));
	return (Datum) 0;
}

/* ---- simulation ---- */

/* tlv_simulate_gmm_model(d, k, separation, covariance, seed) */
TLV_FUNCTION(tlv_simulate_gmm_model)
{
	size_t d = TlvNamedCount(fcinfo, "d", 1), k = TlvNamedCount(fcinfo, "k", 1);
	double separation =
		TlvArgumentIsNull(fcinfo, "separation") ? 4 : TlvNamedNumber(fcinfo, "separation");
	tlv_covariance covariance =
		(tlv_covariance) TlvNamedChoice(fcinfo, "covariance", TlvCovarianceNames, "covariance");
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_gmm_random(maker.ctx, k, d, separation, covariance, seed, &maker.image,
									   &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_simulate_gmm(model, rows, seed): rows (row, x, component) */
TLV_FUNCTION(tlv_simulate_gmm)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_gaussian_mixture, "tlv_simulate_gmm");
	size_t rows = TlvNamedCount(fcinfo, "rows", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	tlv_gmm_simulator *simulator;
	tlv_mixture mixture;
	TlvWork *work;
	double *x;

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
