/*
 * ica_driver.c - tlv_ica(query, ...): independent components of the vectors of
 * a query, in one call.  A loop over aggregate queries with the caller's
 * rights, and nothing more: moments, fit, refinement steps until they settle.
 */
#include "ica.h"

#include "executor/spi.h"
#include "utils/builtins.h"

#include "tensorlv/model/dense.h"
#include "rows/vector_query.h"

/* Steps when the number is left to us; they settle in three to ten. */
#define MAX_STEPS 100

typedef struct IcaDriver
{
	TlvRowSource rows; /* the query's, as a source of passes */
	tlv_ica_options options;
	bool refine;
	bool seen;		  /* the query has returned rows */
	int32 iterations; /* -1: until they settle */
} IcaDriver;

static struct varlena *
pass(IcaDriver *driver, const char *aggregate, const char *type, struct varlena *parameter)
{
	char *expression = psprintf("%s.%s", driver->rows.schema, aggregate);
	struct varlena *value;

	if (driver->seen)
		return TlvRowSourceAgain(&driver->rows, expression, type, parameter);
	value = TlvRowSourcePass(&driver->rows, expression, NULL, type, parameter);
	driver->seen = value != NULL;
	return value;
}

/* Above the limit of whole moments: those in the k leading directions, in two passes. */
static struct varlena *
compressed_moments(IcaDriver *driver, size_t d)
{
	struct varlena *pairs, *subspace;
	TlvWork *work;
	tlv_frame frame;
	void *image;
	size_t size;

	if (driver->options.k == 0 || driver->options.k > TLV_DENSE_MOST_4)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("vectors of %zu elements are too long for all their "
							   "fourth moments",
							   d),
						errhint("Give k, at most %d: the components are then sought in the k "
								"leading directions of the covariance.",
								TLV_DENSE_MOST_4)));
	pairs = pass(driver, "tlv_dense_moments(x, 2)", NULL, NULL);
	if (pairs == NULL)
		return NULL;
	frame = TlvFrame(pairs);
	work = TlvWorkBegin("tensorlv subspace");
	TlvCheck(&work->ctx, tlv_dense_subspace(&work->ctx, &frame, driver->options.k, &image, &size));
	subspace = TlvValue(image, size);
	TlvWorkEnd(work);
	return pass(driver, "tlv_dense_moments(x, $1)", "tlv_subspace", subspace);
}

static struct varlena *
refine_model(IcaDriver *driver, struct varlena *model)
{
	int32 limit = driver->iterations >= 0 ? driver->iterations : MAX_STEPS;

	for (int32 step = 0; step < limit; step++)
	{
		struct varlena *statistics =
			pass(driver, "tlv_statistics(x, $1, 'tanh')", "tlv_model", model);
		struct varlena *next = TlvUpdateModel(model, statistics);
		tlv_frame frame;

		pfree(model);
		pfree(statistics);
		model = next;
		frame = TlvFrame(model);
		if (driver->iterations < 0 && tlv_ica_settled(&frame))
			break;
	}
	return model;
}

/* The model with what only the driver knows. */
static struct varlena *
finish_model(IcaDriver *driver, struct varlena *model)
{
	static const char *const replaced[] = {"diagnostics", "diagnostic_names", NULL};
	tlv_frame frame = TlvFrame(model);
	TlvWork *work = TlvWorkBegin("tensorlv model");
	tlv_frame_builder *builder = MemoryContextAlloc(work->mcxt, sizeof(tlv_frame_builder));
	tlv_diagnostics diagnostics = {0};
	struct varlena *result;

	TlvCheck(&work->ctx, tlv_diagnostics_copy(&work->ctx, &diagnostics, &frame, NULL));
	if (driver->refine && driver->iterations < 0 && !tlv_ica_settled(&frame))
		TlvCheck(&work->ctx,
				 tlv_diagnose(&work->ctx, &diagnostics, tlv_frame_scalar(&frame, "change", 1),
							  "warning: the refinement did not settle in %d steps", MAX_STEPS));
	TlvRowSourceDiagnose(&driver->rows, &work->ctx, &diagnostics);
	tlv_frame_begin(builder, TLV_FRAME_MODEL, TLV_KIND_ICA);
	tlv_frame_add_from(builder, &frame, replaced);
	tlv_diagnostics_add(&diagnostics, builder);
	result = TlvBuild(&work->ctx, builder);
	TlvWorkEnd(work);
	return result;
}

/* Arguments: query, k, noise, refine, iterations, method, seed, steps, keep_gaussian */
static void
read_arguments(FunctionCallInfo fcinfo, IcaDriver *driver)
{
	char *refine = PG_ARGISNULL(3) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(3));

	TlvIcaOptions(fcinfo, 1, 5, &driver->options);
	if (refine != NULL && strcmp(refine, "tanh") != 0 && strcmp(refine, "none") != 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no refinement \"%.40s\"", refine),
						errhint("Use 'tanh' or 'none'.")));
	driver->refine = refine != NULL ? strcmp(refine, "tanh") == 0 : !driver->options.noise;
	if (driver->refine && driver->options.noise)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a model fitted to noise has no refinement over the rows"),
						errhint("The steps would fit the noise: use refine => 'none', or noise => "
								"false.")));
	driver->iterations =
		PG_ARGISNULL(4) ? -1 : (int32) TlvCountArgument(fcinfo, 4, "iterations", 0);
}

/* The model in the driver's memory; NULL without rows. */
static struct varlena *
run(IcaDriver *driver, const char *query, Oid function)
{
	struct varlena *moments, *model;
	size_t d;

	TlvVectorQueryOpen(&driver->rows, query, function);
	d = TlvVectorQueryWidth(&driver->rows);
	moments = d > TLV_DENSE_MOST_4 ? compressed_moments(driver, d)
								   : pass(driver, "tlv_dense_moments(x, 4)", NULL, NULL);
	if (moments == NULL)
		return NULL;
	model = TlvIcaFit(moments, &driver->options);
	if (driver->refine)
		model = refine_model(driver, model);
	return finish_model(driver, model);
}

PG_FUNCTION_INFO_V1(tlv_ica);

/* tlv_ica(query, ...): see read_arguments */
Datum
tlv_ica(PG_FUNCTION_ARGS)
{
	struct varlena *model;
	IcaDriver *driver;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	driver = palloc0(sizeof(IcaDriver));
	read_arguments(fcinfo, driver);
	TlvRowSourceBegin(&driver->rows);
	model = run(driver, text_to_cstring(PG_GETARG_TEXT_PP(0)), fcinfo->flinfo->fn_oid);
	model = TlvRowSourceEnd(&driver->rows, model);
	if (model == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(model);
}
