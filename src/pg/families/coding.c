/*
 * coding.c - sparse coding: arguments of the driver, reading and applying dictionaries,
 * simulating them.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "rows/any.h"
#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "tensorlv/model/coding.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/network.h"

/* ---- the driver ---- */

typedef struct DictionaryArguments
{
	tlv_coding_options fit;
	int method; /* of tlv_coding_method, in its order */
} DictionaryArguments;

static const char *const dictionary_methods[] = {"mod", "graph", "ica", NULL};

#define DICTIONARY_OPTION(member) offsetof(DictionaryArguments, fit.member)
static const TlvArgument dictionary_arguments[] = {
	{"atoms", TLV_ARGUMENT_COUNT, DICTIONARY_OPTION(atoms), .least = 1},
	{"sparsity", TLV_ARGUMENT_COUNT, DICTIONARY_OPTION(sparsity), .least = 1},
	{"threshold", TLV_ARGUMENT_REAL, DICTIONARY_OPTION(threshold)},
	{"f", TLV_ARGUMENT_REAL, DICTIONARY_OPTION(common)},
	{"refine", TLV_ARGUMENT_TEXT, DICTIONARY_OPTION(refine)},
	{"iterations", TLV_ARGUMENT_NUMBER, DICTIONARY_OPTION(iterations), .least = 0},
	{"method", TLV_ARGUMENT_CHOICE, offsetof(DictionaryArguments, method), .what = "method",
	 .names = dictionary_methods},
	{"restarts", TLV_ARGUMENT_NUMBER, DICTIONARY_OPTION(restarts), .least = 1},
	{"seed", TLV_ARGUMENT_SEED, DICTIONARY_OPTION(seed)},
	{NULL}};

/* tlv_dictionary(query, atoms, sparsity, ...) */
TLV_DRIVER_FUNCTION(tlv_dictionary_driver)
{
	DictionaryArguments arguments = {
		.fit = {.threshold = TLV_CODING_THRESHOLD, .common = TLV_CODING_COMMON, .iterations = -1}};
	TlvDriver *driver;

	TlvReadArguments(fcinfo, dictionary_arguments, &arguments);
	arguments.fit.method = (tlv_coding_method) arguments.method;
	driver = TlvDriverBegin(fcinfo);
	TlvDriverCheck(driver, &tlv_coding_procedure, &arguments.fit);
	TlvReadVectors(driver, TlvQueryText(fcinfo, "vectors"));
	return TlvDriverLearn(fcinfo, driver, &tlv_coding_procedure, &arguments.fit);
}

/* ---- reading and applying ---- */

/* Rows (atom, dimension, dimension_name, weight). */
TLV_FUNCTION(tlv_atoms)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_dictionary, "tlv_atoms");
	const tlv_section *atoms = tlv_frame_find(&frame, "atoms");
	const double *numbers = tlv_section_data(&frame, atoms);

	TlvInitRows(fcinfo);
	for (size_t j = 0; j < atoms->columns; j++)
		for (size_t i = 0; i < atoms->rows; i++)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvInt4((int32) i + 1),
					  TlvDimensionName(&frame, 0, i), TlvFloat8(numbers[i + j * atoms->rows]));
	return (Datum) 0;
}

/* What codes rows of a model: atoms and coefficients (those of one row), *n of them. */
typedef tlv_status (*EncodeRow)(TlvModelCache *cache, const tlv_row *row, size_t *n,
								const int32_t **atoms, const double **coefficients);

/* Of a dictionary; arrays of the model's sparsity are begun by the first row. */
static tlv_status
encode_vector(TlvModelCache *cache, const tlv_row *row, size_t *n, const int32_t **atoms,
			  const double **coefficients)
{
	size_t room = (size_t) tlv_frame_scalar(&cache->model->frame, "sparsity", 1);

	if (*atoms == NULL)
	{
		*atoms = palloc(room * sizeof(int32_t));
		*coefficients = palloc(room * sizeof(double));
	}
	return tlv_coding_encode_row(&cache->ctx, cache->model, row->part[0].d, row->part[0].float64, n,
								 (int32_t *) *atoms, (double *) *coefficients);
}

/* Of a network: the units that are on. */
static tlv_status
encode_set(TlvModelCache *cache, const tlv_row *row, size_t *n, const int32_t **atoms,
		   const double **coefficients)
{
	return tlv_network_encode(&cache->ctx, cache->model, row, n, atoms, coefficients);
}

/* tlv_encode(model, x): rows (step, atom, coefficient); of many vectors, step is the vector */
TLV_FUNCTION(tlv_encode)
{
	TlvModelCache *cache = TlvCachedModel(fcinfo, 0);
	tlv_model *model = cache->model;
	bool network = TlvKind(&model->frame) == &tlv_kind_network;
	EncodeRow encode = network ? encode_set : encode_vector;
	TlvRowCursor cursor = {0};
	size_t n;
	int32 step = 0;
	const int32_t *atoms = NULL;
	const double *coefficients = NULL;

	if (!network)
		TlvRequireKind(&model->frame, &tlv_kind_dictionary, "tlv_encode");
	TlvInitRows(fcinfo);
	(void) TlvAnyOpen(fcinfo, 1, model,
					  network ? TLV_ROW_BAG | TLV_ROW_SYMBOLS | TLV_ROWS_MISSING_ELEMENTS
							  : TLV_ROW_VECTOR,
					  "tlv_encode", &cursor);
	while (TlvCursorNext(&cursor))
	{
		step++;
		CHECK_FOR_INTERRUPTS();
		TlvCheck(&cache->ctx, encode(cache, &cursor.row, &n, &atoms, &coefficients));
		for (size_t t = 0; t < n; t++)
			TlvPutRow(fcinfo, TlvInt4(step), TlvInt4(atoms[t] + 1), TlvFloat8(coefficients[t]));
	}
	TlvCursorClose(&cursor);
	TlvCachedModelEnd(cache);
	return (Datum) 0;
}

/* ---- simulation ---- */

static struct varlena *
simulate_model(FunctionCallInfo fcinfo)
{
	tlv_coding_simulation options = {0};
	TlvMaker maker;

	options.d = TlvNamedCount(fcinfo, "dimensions", 1);
	options.k = TlvNamedCount(fcinfo, "atoms", 1);
	options.sparsity = TlvNamedCount(fcinfo, "sparsity", 1);
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_coding_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	return TlvMakerEnd(&maker);
}

/* tlv_simulate_dictionary_model(dimensions, atoms, sparsity, seed) */
TLV_FUNCTION(tlv_simulate_dictionary_model)
{
	PG_RETURN_POINTER(simulate_model(fcinfo));
}

typedef struct Simulation
{
	FunctionCallInfo fcinfo;
	size_t d;
	size_t k;
} Simulation;

static tlv_status
coding_put_row(tlv_context *ctx, void *argument, size_t row, const double *x, const double *codes)
{
	Simulation *s = argument;

	TlvPutRow(s->fcinfo, TlvInt8((int64) row), TlvOwned(TlvFloat8Array(s->d, x)),
			  TlvOwned(TlvFloat8Array(s->k, codes)));
	return TLV_OK;
}

/* tlv_simulate_dictionary(model, rows, noise, seed): rows (id, x, codes) */
TLV_FUNCTION(tlv_simulate_dictionary)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_dictionary, "tlv_simulate_dictionary");
	const tlv_section *atoms = tlv_frame_find(&frame, "atoms");
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	Simulation s = {fcinfo, atoms->rows, atoms->columns};

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_coding_simulate(&work->ctx, &frame, TlvNamedCount(fcinfo, "rows", 0),
											 TlvNamedNumber(fcinfo, "noise"), TlvNamedSeed(fcinfo),
											 coding_put_row, &s));
	TlvWorkEnd(work);
	return (Datum) 0;
}
