/*
 * ica.c - independent components: arguments of the fit and the driver, reading and applying,
 * comparing and simulating them.
 */
#include "server/tlv_pg.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "rows/any.h"
#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/ica.h"
#include "tensorlv/num/linalg.h"
#include "tensorlv/num/plural.h"

/* ---- fitting ---- */

typedef struct IcaArguments
{
	tlv_ica_learn_options learn;
	int method; /* of those below */
} IcaArguments;

/* What decomposes a fourth cumulant. */
static const char *const ica_methods[] = {"joint", "sgd", NULL};
static const tlv_method ica_method[] = {TLV_METHOD_JOINT, TLV_METHOD_SGD};

#define ICA_OPTION(member) offsetof(IcaArguments, learn.member)

/* Of tlv_fit_ica and tlv_ica. */
static const TlvArgument ica_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, ICA_OPTION(fit.k), .least = 1},
	{"max_k", TLV_ARGUMENT_COUNT, ICA_OPTION(fit.max_k), .least = 1},
	{"noise", TLV_ARGUMENT_FLAG, ICA_OPTION(fit.noise)},
	{"method", TLV_ARGUMENT_CHOICE, offsetof(IcaArguments, method), .what = "method",
	 .names = ica_methods},
	{"seed", TLV_ARGUMENT_SEED, ICA_OPTION(fit.seed)},
	{"seed", TLV_ARGUMENT_SEED, ICA_OPTION(fit.decompose.seed)},
	{"steps", TLV_ARGUMENT_NUMBER, ICA_OPTION(fit.decompose.steps), .least = 1},
	{"keep_gaussian", TLV_ARGUMENT_FLAG, ICA_OPTION(fit.keep_gaussian)},
	{"refine", TLV_ARGUMENT_TEXT, ICA_OPTION(refine)},
	{"iterations", TLV_ARGUMENT_NUMBER, ICA_OPTION(iterations), .least = 0},
	{NULL}};

static tlv_ica_learn_options
read_ica_arguments(FunctionCallInfo fcinfo)
{
	IcaArguments arguments = {.learn = {.iterations = -1, .fit.keep_gaussian = true}};

	TlvReadArguments(fcinfo, ica_arguments, &arguments);
	arguments.learn.fit.decompose.method = ica_method[arguments.method];
	return arguments.learn;
}

TLV_FIT_VALUE(fit_ica, tlv_ica_fit)

/* tlv_fit_ica(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_ica)
{
	tlv_ica_learn_options options = read_ica_arguments(fcinfo);

	return TlvFit(fcinfo, fit_ica, &options.fit);
}

/* tlv_ica(query, ...) */
TLV_DRIVER_FUNCTION(tlv_ica)
{
	tlv_ica_learn_options options = read_ica_arguments(fcinfo);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	TlvDriverCheck(driver, &tlv_ica_procedure, &options);
	TlvReadVectors(driver, TlvQueryText(fcinfo, "vectors"));
	return TlvDriverLearn(fcinfo, driver, &tlv_ica_procedure, &options);
}

/* ---- reading ---- */

/* Rows (component, dimension, dimension_name, weight) of a matrix by its strides. */
static Datum
ica_put_matrix(FunctionCallInfo fcinfo, const tlv_frame *frame, size_t k, size_t d,
			   const double *numbers, size_t component, size_t dimension)
{
	TlvInitRows(fcinfo);
	for (size_t j = 0; j < k; j++)
		for (size_t i = 0; i < d; i++)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt4((int32) i + 1),
					  TlvDimensionName(frame, 0, i),
					  TlvFloat8(numbers[j * component + i * dimension]));
	return (Datum) 0;
}

/* Rows (component, dimension, dimension_name, weight) of the mixing matrix, or of what undoes it.
 */
TLV_FUNCTION(tlv_mixing_rows)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_ica, "tlv_mixing");
	bool inverse = TlvNamedFlag(fcinfo, "inverse");
	const tlv_section *matrix = tlv_frame_find(&frame, inverse ? "unmixing" : "mixing");
	const double *numbers = tlv_section_data(&frame, matrix);

	if (inverse)
		return ica_put_matrix(fcinfo, &frame, matrix->rows, matrix->columns, numbers, 1,
							  matrix->rows);
	return ica_put_matrix(fcinfo, &frame, matrix->columns, matrix->rows, numbers, matrix->rows, 1);
}

/* tlv_unmix(model, x): the sources of one row, or rows x components of many */
TLV_FUNCTION(tlv_unmix)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	TlvRowCursor cursor;
	ArrayType *result;
	size_t k, row = 0;
	double *sources;

	TlvRequireKind(&model->frame, &tlv_kind_ica, "tlv_unmix");
	(void) TlvAnyOpen(fcinfo, 1, model, TLV_ROW_VECTOR, "tlv_unmix", &cursor);
	k = tlv_model_components(&model->frame);
	TlvRequireArray(cursor.rows, k);
	sources = palloc_extended(cursor.rows * k * sizeof(double), MCXT_ALLOC_HUGE);
	for (; TlvCursorNext(&cursor); row++)
	{
		if (row % 1024 == 1023)
			CHECK_FOR_INTERRUPTS();
		TlvCheckRow(&cache->ctx, &model->frame,
					tlv_ica_unmix(&cache->ctx, model, cursor.row.part[0].d,
								  cursor.row.part[0].float64, sources + row * k));
	}
	result = cursor.many ? TlvFloat8Box(2, (size_t[2]){cursor.rows, k}, sources)
						 : TlvFloat8Array(k, sources);
	TlvCursorClose(&cursor);
	TlvCachedModelEnd(cache);
	PG_RETURN_ARRAYTYPE_P(result);
}

/* ---- comparing ---- */

static Datum
amari(TlvWork *work, size_t d, size_t k, const double *a, const double *b)
{
	double index;

	TlvCheck(&work->ctx, tlv_ica_amari(&work->ctx, d, k, a, b, &index));
	TlvWorkEnd(work);
	PG_RETURN_FLOAT8(index);
}

/* Matrices of shapes that cannot be compared are refused before they are fetched. */
static TlvWork *
begin_comparison(size_t da, size_t ka, size_t db, size_t kb)
{
	TlvWork *work;

	if (da != db || ka != kb)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("mixing matrices of %zu x %zu and %zu x %zu cannot be compared", da,
							   ka, db, kb),
						errhint("Both must have the same dimensions and components.")));
	if (ka > da)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a mixing matrix has %zu components in %zu %s", ka, da,
							   tlv_plural((double) da, "dimension", "dimensions")),
						errhint("Its rows are dimensions, its columns components.")));
	work = TlvWorkBegin("tensorlv comparison");
	TlvCheck(&work->ctx, tlv_require_svd(&work->ctx, da, ka));
	return work;
}

/* Column-major, from an array of rows. */
static tlv_status
columns_of(tlv_context *ctx, const TlvVectors *matrix, double **columns)
{
	TLV_TRY_NEW_ROWS(ctx, *columns, matrix->rows, matrix->d);
	for (size_t i = 0; i < matrix->rows; i++)
	{
		TLV_TRY_CONTINUE(ctx);
		for (size_t j = 0; j < matrix->d; j++)
			(*columns)[i + j * matrix->rows] = matrix->x[i * matrix->d + j];
	}
	return TLV_OK;
}

/* tlv_amari(a, b) of float8[][], dimensions x components */
TLV_FUNCTION(tlv_amari_arrays)
{
	int of_first[MAXDIM], of_second[MAXDIM];
	double *of_a, *of_b;
	TlvVectors a, b;
	TlvWork *work;

	if (TlvArrayDims(PG_GETARG_DATUM(0), of_first) != 2 ||
		TlvArrayDims(PG_GETARG_DATUM(1), of_second) != 2)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("a mixing matrix is an array of two dimensions"),
						errhint("Its rows are dimensions, its columns components.")));
	work = begin_comparison((size_t) of_first[0], (size_t) of_first[1], (size_t) of_second[0],
							(size_t) of_second[1]);
	TlvRequireArrays(fcinfo, 0, 2);
	a = TlvVectorsOf(TLV_GETARG_ARRAY(0));
	b = TlvVectorsOf(TLV_GETARG_ARRAY(1));
	TlvCheck(&work->ctx, columns_of(&work->ctx, &a, &of_a));
	TlvCheck(&work->ctx, columns_of(&work->ctx, &b, &of_b));
	return amari(work, a.rows, a.d, of_a, of_b);
}

/* tlv_amari(a, b) of models */
TLV_FUNCTION(tlv_amari_models)
{
	tlv_frame a = TlvModelFrame(fcinfo, 0, &tlv_kind_ica, "tlv_amari");
	tlv_frame b = TlvModelFrame(fcinfo, 1, &tlv_kind_ica, "tlv_amari");
	const tlv_section *x = tlv_frame_find(&a, "mixing"), *y = tlv_frame_find(&b, "mixing");

	TlvWork *work = begin_comparison(x->rows, x->columns, y->rows, y->columns);

	return amari(work, x->rows, x->columns, tlv_section_data(&a, x), tlv_section_data(&b, y));
}

/* ---- simulation ---- */

/* All laws in turn, and those of tlv_ica_source in its order. */
static const char *const ica_laws[] = {"mix",		  "laplace",  "uniform", "binary",
									   "exponential", "gaussian", NULL};

static struct varlena *
ica_simulate_model(FunctionCallInfo fcinfo)
{
	int law = TlvNamedChoice(fcinfo, "sources", ica_laws, "law of sources");
	tlv_ica_simulation options = {0};
	TlvMaker maker;

	options.d = TlvNamedCount(fcinfo, "dimensions", 1);
	options.k = TlvArgumentIsNull(fcinfo, "k") ? options.d : TlvNamedCount(fcinfo, "k", 1);
	options.noise = TlvArgumentIsNull(fcinfo, "noise") ? 0 : TlvNamedNumber(fcinfo, "noise");
	options.seed = TlvNamedSeed(fcinfo);
	options.mixed = law == 0;
	options.source = (tlv_ica_source) (options.mixed ? 0 : law - 1);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_ica_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	return TlvMakerEnd(&maker);
}

/* tlv_simulate_ica_model(dimensions, k, noise, sources, seed) */
TLV_FUNCTION(tlv_simulate_ica_model)
{
	PG_RETURN_POINTER(ica_simulate_model(fcinfo));
}

typedef struct Simulation
{
	FunctionCallInfo fcinfo;
	size_t d;
	size_t k;
} Simulation;

static tlv_status
ica_put_row(tlv_context *ctx, void *argument, size_t row, const double *x, const double *sources)
{
	Simulation *s = argument;
	TlvPutRow(s->fcinfo, TlvInt8((int64) row), TlvOwned(TlvFloat8Array(s->d, x)),
			  TlvOwned(TlvFloat8Array(s->k, sources)));
	return TLV_OK;
}

static Datum
simulate_rows(FunctionCallInfo fcinfo, const tlv_frame *model)
{
	const tlv_section *mixing = tlv_frame_find(model, "mixing");
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	Simulation s = {fcinfo, mixing->rows, mixing->columns};

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_ica_simulate(&work->ctx, model, TlvNamedCount(fcinfo, "rows", 0),
										  TlvNamedSeed(fcinfo), ica_put_row, &s));
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* tlv_simulate_ica(model, rows, seed): rows (id, x, sources) */
TLV_FUNCTION(tlv_simulate_ica)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_ica, "tlv_simulate_ica");

	return simulate_rows(fcinfo, &frame);
}

/* tlv_simulate_ica(rows, dimensions, noise, sources, seed): of the model of that seed */
TLV_FUNCTION(tlv_simulate_ica_dimensions)
{
	tlv_frame frame = TlvFrame(ica_simulate_model(fcinfo));

	return simulate_rows(fcinfo, &frame);
}
