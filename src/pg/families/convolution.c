/*
 * convolution.c - templates in series: arguments of the fit and the driver, reading, applying and
 * simulating them.
 */
#include "server/tlv_pg.h"

#include "rows/any.h"
#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/convolution.h"

/* ---- fitting ---- */

#define CONVOLUTION_OPTION(member) offsetof(tlv_convolution_options, member)

/* Of tlv_fit_convolution and tlv_convolution. */
static const TlvArgument convolution_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, CONVOLUTION_OPTION(k), .least = 1},
	{"length", TLV_ARGUMENT_COUNT, CONVOLUTION_OPTION(length), .least = TLV_SERIES_LEAST_LAGS},
	{"iterations", TLV_ARGUMENT_NUMBER, CONVOLUTION_OPTION(iterations), .least = 0},
	{"restarts", TLV_ARGUMENT_NUMBER, CONVOLUTION_OPTION(restarts), .least = 1},
	{"steps", TLV_ARGUMENT_NUMBER, CONVOLUTION_OPTION(steps), .least = 1},
	{"seed", TLV_ARGUMENT_SEED, CONVOLUTION_OPTION(seed)},
	{"max_k", TLV_ARGUMENT_COUNT, CONVOLUTION_OPTION(max_k), .least = 1, .required = true},
	{NULL}};

static tlv_convolution_options
read_convolution_arguments(FunctionCallInfo fcinfo)
{
	tlv_convolution_options options = {.iterations = -1, .max_k = TLV_CONVOLUTION_MAX_K};

	TlvReadArguments(fcinfo, convolution_arguments, &options);
	return options;
}

TLV_FIT_VALUE(fit_convolution, tlv_convolution_fit)

/* tlv_fit_convolution(m, ...) */
TLV_FIT_FUNCTION(tlv_fit_convolution)
{
	tlv_convolution_options options = read_convolution_arguments(fcinfo);

	return TlvFit(fcinfo, fit_convolution, &options);
}

/* tlv_convolution(query, ...) */
TLV_DRIVER_FUNCTION(tlv_convolution)
{
	tlv_convolution_options options = read_convolution_arguments(fcinfo);
	TlvDriver *driver = TlvDriverBegin(fcinfo);

	TlvReadSeries(driver, TlvQueryText(fcinfo, "series"));
	return TlvDriverLearn(fcinfo, driver, &tlv_convolution_procedure, &options);
}

/* ---- reading ---- */

/* Rows (template, lag, weight). */
TLV_FUNCTION(tlv_templates_rows)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_convolution, "tlv_templates");
	tlv_convolution_parts parts;

	tlv_convolution_read(&frame, &parts);
	TlvInitRows(fcinfo);
	for (size_t l = 0; l < parts.k; l++)
		for (size_t t = 0; t < parts.s; t++)
			TlvPutRow(fcinfo, TlvInt4((int32) l + 1), TlvInt4((int32) t),
					  TlvFloat8(parts.templates[parts.s * l + t]));
	return (Datum) 0;
}

/* ---- applying ---- */

/* A call (model, x); false: there is no series. */
static bool
open_series(FunctionCallInfo fcinfo, const char *what, TlvModelCache **cache, TlvRowCursor *cursor)
{
	tlv_model *model;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return false;
	*cache = TlvCachedModel(fcinfo, 0);
	model = (*cache)->model;
	TlvRequireKind(&model->frame, &tlv_kind_convolution, what);
	if (TlvAnyOpen(fcinfo, 1, model, model->rows, what, cursor) && TlvCursorNext(cursor))
		return true;
	TlvCachedModelEnd(*cache);
	return false;
}

/* Where rows go, and the activations (steps x k) that stand beside the scores. */
typedef struct ScoreRows
{
	FunctionCallInfo fcinfo;
	size_t k;
	double *activations;
} ScoreRows;

static tlv_status
put_position_scores(tlv_context *ctx, void *argument, size_t step, size_t l, double score)
{
	const ScoreRows *rows = argument;

	(void) ctx;
	TlvPutRow(rows->fcinfo, TlvInt4((int32) step + 1), TlvInt4((int32) l + 1), TlvFloat8(score),
			  TlvFloat8(rows->activations[step * rows->k + l]));
	return TLV_OK;
}

/* Rows (position, template, score, activation), but at steps that are missing. */
TLV_FUNCTION(tlv_template_scores)
{
	TlvModelCache *cache;
	TlvRowCursor cursor;
	ScoreRows rows = {.fcinfo = fcinfo};
	size_t n;

	TlvInitRows(fcinfo);
	if (!open_series(fcinfo, "tlv_template_scores", &cache, &cursor))
		return (Datum) 0;
	rows.k = tlv_model_components(&cache->model->frame);
	n = cursor.row.part[0].n;
	TlvRequireArray(n, rows.k);
	rows.activations = palloc_extended((n + 1) * rows.k * sizeof(double), MCXT_ALLOC_HUGE);
	TlvCheck(&cache->ctx, tlv_convolution_activations(&cache->ctx, &cache->model->frame,
													  &cursor.row, rows.activations));
	TlvCheck(&cache->ctx, tlv_convolution_scores(&cache->ctx, &cache->model->frame, &cursor.row,
												 put_position_scores, &rows));
	pfree(rows.activations);
	TlvCursorClose(&cursor);
	TlvCachedModelEnd(cache);
	return (Datum) 0;
}

/* ---- simulation ---- */

/* tlv_simulate_convolution_model(k, length, noise, rate, seed) */
TLV_FUNCTION(tlv_simulate_convolution_model)
{
	tlv_convolution_simulation options = {0};
	TlvMaker maker;

	options.k = TlvNamedCount(fcinfo, "k", 1);
	options.length = TlvNamedCount(fcinfo, "length", TLV_SERIES_LEAST_LAGS);
	options.noise = TlvNamedNumber(fcinfo, "noise");
	options.rate = TlvNamedNumber(fcinfo, "rate");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx,
			 tlv_convolution_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

typedef struct Simulation
{
	FunctionCallInfo fcinfo;
	size_t k;
} Simulation;

static tlv_status
put_step(tlv_context *ctx, void *argument, size_t series, size_t t, double x,
		 const double *activations)
{
	Simulation *s = argument;

	(void) ctx;
	TlvPutRow(s->fcinfo, TlvInt8((int64) series), TlvInt8((int64) t), TlvFloat8(x),
			  TlvOwned(TlvFloat8Array(s->k, activations)));
	return TLV_OK;
}

/* tlv_simulate_convolution(model, series, length, seed): rows (series, t, x, activations) */
TLV_FUNCTION(tlv_simulate_convolution)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_convolution, "tlv_simulate_convolution");
	Simulation s = {fcinfo, tlv_model_components(&frame)};
	TlvWork *work = TlvWorkBegin("tensorlv simulation");

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx,
			 tlv_convolution_simulate(&work->ctx, &frame, TlvNamedCount(fcinfo, "series", 0),
									  TlvNamedCount(fcinfo, "length", 1), TlvNamedSeed(fcinfo),
									  put_step, &s));
	TlvWorkEnd(work);
	return (Datum) 0;
}
