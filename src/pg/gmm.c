/*
 * gmm.c - mixtures of Gaussians: fitting to moments, reading components, simulation.
 */
#include "gmm.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "tensorlv/num/linalg.h"
#include "rows/vectors.h"

/* ---- arguments ---- */

tlv_covariance
TlvCovarianceArgument(FunctionCallInfo fcinfo, int argument, tlv_covariance usual)
{
	tlv_covariance covariance = usual;
	char *name;

	if (PG_ARGISNULL(argument))
		return usual;
	name = text_to_cstring(PG_GETARG_TEXT_PP(argument));
	if (!tlv_covariance_from_name(name, &covariance))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no covariance \"%.40s\"", name),
						errhint("Use 'common', 'spherical', 'diagonal' or 'full'.")));
	return covariance;
}

void
TlvGmmOptions(FunctionCallInfo fcinfo, int first, tlv_gmm_options *options)
{
	char *method = PG_ARGISNULL(first) ? "joint" : text_to_cstring(PG_GETARG_TEXT_PP(first));

	memset(options, 0, sizeof(*options));
	if (!tlv_method_from_name(method, &options->decompose.method))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no method \"%.40s\"", method),
						errhint("Use 'joint', 'power', 'als' or 'sgd'.")));
	options->seed = TlvSeedArgument(fcinfo, first + 1);
	options->decompose.seed = options->seed;
	if (!PG_ARGISNULL(first + 2))
		options->decompose.restarts = (int) TlvCountArgument(fcinfo, first + 2, "restarts", 1);
	if (!PG_ARGISNULL(first + 3))
		options->decompose.steps = (int) TlvCountArgument(fcinfo, first + 3, "steps", 1);
	options->decompose.starts = options->decompose.restarts;
}

/* ---- fitting ---- */

PG_FUNCTION_INFO_V1(tlv_fit_gmm);

/* tlv_fit_gmm(m, k, covariance, method, seed, restarts, steps) */
Datum
tlv_fit_gmm(PG_FUNCTION_ARGS)
{
	tlv_gmm_options options;
	struct varlena *result;
	tlv_frame frame;
	TlvWork *work;
	void *image;
	size_t size;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	TlvGmmOptions(fcinfo, 3, &options);
	options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	options.covariance = TlvCovarianceArgument(fcinfo, 2, TLV_COVARIANCE_COMMON);
	frame = TlvFrame(PG_GETARG_TLV(0));
	work = TlvWorkBegin("tensorlv fit");
	TlvCheck(&work->ctx, tlv_gmm_fit(&work->ctx, &frame, &options, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	PG_RETURN_POINTER(result);
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

PG_FUNCTION_INFO_V1(tlv_components_rows);

/* Rows (component, weight, mean, variance, covariance). */
Datum
tlv_components_rows(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_gaussian_mixture, "tlv_components");
	tlv_mixture mixture;

	TlvInitRows(fcinfo);
	tlv_gmm_read(&frame, &mixture);
	for (size_t j = 0; j < mixture.k; j++)
	{
		ArrayType *mean = TlvFloat8Array(mixture.d, mixture.means + j * mixture.d);
		ArrayType *covariance = covariance_array(&mixture, j);
		Datum values[5] = {Int32GetDatum((int32) j + 1), Float8GetDatum(mixture.weights[j]),
						   PointerGetDatum(mean), Float8GetDatum(mean_variance(&mixture, j)),
						   PointerGetDatum(covariance)};
		bool nulls[5] = {false, false, false, false, covariance == NULL};

		TlvPutRow(fcinfo, values, nulls);
		pfree(mean);
		if (covariance != NULL)
			pfree(covariance);
	}
	return (Datum) 0;
}

/* ---- simulation ---- */

PG_FUNCTION_INFO_V1(tlv_simulate_gmm_model);

/* tlv_simulate_gmm_model(d, k, separation, covariance, seed) */
Datum
tlv_simulate_gmm_model(PG_FUNCTION_ARGS)
{
	size_t d = TlvCountArgument(fcinfo, 0, "d", 1), k = TlvCountArgument(fcinfo, 1, "k", 1);
	double separation = PG_ARGISNULL(2) ? 4 : PG_GETARG_FLOAT8(2);
	tlv_covariance covariance = TlvCovarianceArgument(fcinfo, 3, TLV_COVARIANCE_COMMON);
	uint64 seed = TlvSeedArgument(fcinfo, 4);
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	struct varlena *result;
	void *image;
	size_t size;

	TlvCheck(&work->ctx,
			 tlv_gmm_random(&work->ctx, k, d, separation, covariance, seed, &image, &size));
	result = TlvValue(image, size);
	TlvWorkEnd(work);
	PG_RETURN_POINTER(result);
}

PG_FUNCTION_INFO_V1(tlv_simulate_gmm);

/* tlv_simulate_gmm(model, rows, seed): rows (row, x, component) */
Datum
tlv_simulate_gmm(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_gaussian_mixture, "tlv_simulate_gmm");
	size_t rows = TlvCountArgument(fcinfo, 1, "rows", 0);
	uint64 seed = TlvSeedArgument(fcinfo, 2);
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
		Datum values[3];
		bool nulls[3] = {false, false, false};
		tlv_rng rng;

		/* Every row has a stream of its own: the first ones do not depend on how many follow. */
		tlv_rng_seed(&rng, tlv_mix64(seed) + t);
		values[2] = Int32GetDatum((int32) tlv_gmm_simulate(simulator, &rng, x) + 1);
		values[0] = Int64GetDatum((int64) t);
		values[1] = PointerGetDatum(TlvFloat8Array(mixture.d, x));
		TlvPutRow(fcinfo, values, nulls);
		pfree(DatumGetPointer(values[1]));
	}
	TlvWorkEnd(work);
	return (Datum) 0;
}
