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
#include "tensorlv/model/directions.h"
#include "tensorlv/model/gmm.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/special.h"

/* ---- fitting ---- */

static const char *const gmm_refinements[] = {"em", "none", NULL};
static const char *const gmm_tails[] = {"normal", "t", NULL};

/* Forms of covariance, and behind them what has none. */
static const char *const gmm_covariances[] = {"common", "spherical", "diagonal",
											  "full",	"direction", NULL};
#define GMM_DIRECTION (TLV_COVARIANCE_FULL + 1)

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
	 .names = gmm_covariances},
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
	if ((int) options.fit.covariance == GMM_DIRECTION)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("moments do not tell directions from lengths"),
						errhint("Use tlv_gmm, which sees the rows.")));
	return TlvFit(fcinfo, fit_gmm, &options.fit);
}

/* The plan of either family. */
static tlv_plan *
gmm_plan(tlv_context *ctx, const tlv_gmm_plan_options *options)
{
	const tlv_directions_plan_options directions = {.k = options->fit.k,
													.max_k = options->max_k,
													.seed = options->fit.seed,
													.refine = options->refine,
													.iterations = options->iterations,
													.decompose = options->fit.decompose};
	bool directed = (int) options->fit.covariance == GMM_DIRECTION;
	tlv_plan *plan;

	if (directed && options->fit.tails != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("directions have no tails"), errhint("Leave tails out.")));
	TlvCheck(ctx, directed ? tlv_directions_plan_create(ctx, &directions, &plan)
						   : tlv_gmm_plan_create(ctx, options, &plan));
	return plan;
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
	plan = gmm_plan(driver->ctx, &options);
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

/* A mixture of directions, else the frame of a mixture of Gaussians, or an error. */
static bool
is_directions(FunctionCallInfo fcinfo, const char *function, tlv_frame *frame)
{
	bool directions;

	*frame = TlvFrame(PG_GETARG_TLV(0));
	directions = TlvKind(frame) == &tlv_kind_direction_mixture;
	if (!directions)
		TlvRequireKind(frame, &tlv_kind_gaussian_mixture, function);
	return directions;
}

/* The variance of directions about their mean, in each of the other dimensions. */
static void
put_directions(FunctionCallInfo fcinfo, const tlv_frame *frame)
{
	tlv_directions directions;

	tlv_directions_read(frame, &directions);
	for (size_t j = 0; j < directions.k; j++)
	{
		double kappa = directions.kappas[j], d = (double) directions.d;
		double length = tlv_bessel_ratio(d / 2 - 1, kappa);

		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvFloat8(directions.weights[j]),
				  TlvOwned(TlvFloat8Array(directions.d, directions.means + j * directions.d)),
				  TlvFloat8(kappa > 0 ? length / kappa : 1 / d), TlvOwned(NULL), TlvOwned(NULL),
				  TlvFloat8(kappa));
	}
}

/* Rows (component, weight, mean, variance, covariance, degrees, kappa). */
TLV_FUNCTION(tlv_components_rows)
{
	tlv_frame frame;
	tlv_mixture mixture;
	bool directions = is_directions(fcinfo, "tlv_components", &frame);

	TlvInitRows(fcinfo);
	if (directions)
	{
		put_directions(fcinfo, &frame);
		return (Datum) 0;
	}
	tlv_gmm_read(&frame, &mixture);
	for (size_t j = 0; j < mixture.k; j++)
		TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvFloat8(mixture.weights[j]),
				  TlvOwned(TlvFloat8Array(mixture.d, mixture.means + j * mixture.d)),
				  TlvFloat8(mean_variance(&mixture, j)), TlvOwned(covariance_array(&mixture, j)),
				  TlvNullIf(mixture.degrees == NULL,
							TlvFloat8(mixture.degrees != NULL ? mixture.degrees[j] : 0)),
				  TlvOwned(NULL));
	return (Datum) 0;
}

/* ---- simulation ---- */

/* tlv_simulate_gmm_model(d, k, separation, covariance, seed) */
TLV_FUNCTION(tlv_simulate_gmm_model)
{
	size_t d = TlvNamedCount(fcinfo, "d", 1), k = TlvNamedCount(fcinfo, "k", 1);
	double separation =
		TlvArgumentIsNull(fcinfo, "separation") ? 4 : TlvNamedNumber(fcinfo, "separation");
	int covariance = TlvNamedChoice(fcinfo, "covariance", gmm_covariances, "covariance");
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvMaker maker;

	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx,
			 covariance == GMM_DIRECTION
				 ? tlv_directions_random(maker.ctx, k, d, separation, true, seed, &maker.image,
										 &maker.size)
				 : tlv_gmm_random(maker.ctx, k, d, separation, (tlv_covariance) covariance, seed,
								  &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_simulate_gmm(model, rows, seed): rows (id, x, component) */
TLV_FUNCTION(tlv_simulate_gmm)
{
	tlv_frame frame;
	bool directed = is_directions(fcinfo, "tlv_simulate_gmm", &frame);
	size_t rows = TlvNamedCount(fcinfo, "rows", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	tlv_gmm_simulator *simulator = NULL;
	tlv_directions directions;
	tlv_mixture mixture;
	TlvWork *work;
	size_t d;
	double *x;

	TlvInitRows(fcinfo);
	work = TlvWorkBegin("tensorlv simulation");
	if (directed)
		tlv_directions_read(&frame, &directions);
	else
	{
		tlv_gmm_read(&frame, &mixture);
		TlvCheck(&work->ctx, tlv_gmm_simulator_create(&work->ctx, &mixture, &simulator));
	}
	d = directed ? directions.d : mixture.d;
	x = MemoryContextAllocHuge(work->mcxt, d * sizeof(double));
	for (size_t t = 1; t <= rows; t++)
	{
		int component;
		tlv_rng rng;

		tlv_rng_stream(&rng, seed, t);
		component = (int) (directed ? tlv_directions_simulate(&directions, &rng, x)
									: tlv_gmm_simulate(simulator, &rng, x));
		TlvPutRow(fcinfo, TlvInt8((int64) t), TlvOwned(TlvFloat8Array(d, x)),
				  TlvInt4(component + 1));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
