/*
 * network.c - layered sparse networks: arguments of fit and driver, reading and applying models,
 * simulating them.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "miscadmin.h"
#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "rows/any.h"
#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arrays.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "tensorlv/model/kind.h"
#include "tensorlv/model/layout.h"
#include "tensorlv/model/network.h"
#include "tensorlv/model/triple_table.h"

/* ---- fit and driver ---- */

typedef struct NetworkArguments
{
	tlv_network_options fit;
	Datum below; /* model, or 0 */
} NetworkArguments;

#define NETWORK_OPTION(member) offsetof(NetworkArguments, fit.member)
static const TlvArgument network_arguments[] = {
	{"layers", TLV_ARGUMENT_COUNT, NETWORK_OPTION(layers), .least = 1, .required = true},
	{"threshold", TLV_ARGUMENT_REAL, NETWORK_OPTION(threshold)},
	{"model", TLV_ARGUMENT_DATUM, offsetof(NetworkArguments, below)},
	{"refine", TLV_ARGUMENT_TEXT, NETWORK_OPTION(refine)},
	{"iterations", TLV_ARGUMENT_NUMBER, NETWORK_OPTION(iterations), .least = 0},
	{"seed", TLV_ARGUMENT_SEED, NETWORK_OPTION(seed)},
	{NULL}};

static void
read_arguments(FunctionCallInfo fcinfo, NetworkArguments *arguments)
{
	TlvReadArguments(fcinfo, network_arguments, arguments);
	/* NaN stands for one that is not given */
	if (isnan(arguments->fit.threshold) && !TlvArgumentIsNull(fcinfo, "threshold"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("threshold = NaN is not above 0 and at most 1")));
}

/* tlv_network(query, layers, ...) */
TLV_DRIVER_FUNCTION(tlv_network_driver)
{
	NetworkArguments arguments = {.fit = {.layers = 1, .threshold = NAN, .iterations = -1}};
	TlvDriver *driver;

	read_arguments(fcinfo, &arguments);
	driver = TlvDriverBegin(fcinfo);
	TlvDriverCheck(driver, &tlv_network_procedure, &arguments.fit);
	TlvReadSets(driver, TlvQueryText(fcinfo, "sets"));
	return TlvDriverLearn(fcinfo, driver, &tlv_network_procedure, &arguments.fit);
}

static tlv_status
fit_network(tlv_context *ctx, const tlv_frame *value, const void *options, void **image,
			size_t *size)
{
	const NetworkArguments *arguments = options;
	tlv_frame below;

	TLV_TRY(tlv_kind_require(ctx, value, &tlv_kind_cofire, "tlv_fit_network"));
	if (arguments->below == (Datum) 0)
		return tlv_network_fit(ctx, value, NULL, &arguments->fit, image, size);
	below = TlvFrameOf(arguments->below);
	TLV_TRY(tlv_kind_require(ctx, &below, &tlv_kind_network, "tlv_fit_network"));
	return tlv_network_fit(ctx, value, &below, &arguments->fit, image, size);
}

/* tlv_fit_network(moments, threshold, model, ...) */
TLV_FIT_FUNCTION(tlv_fit_network)
{
	NetworkArguments arguments = {.fit = {.layers = 1, .threshold = NAN, .seed = 1}};

	read_arguments(fcinfo, &arguments);
	return TlvFit(fcinfo, fit_network, &arguments);
}

/* ---- reading ---- */

/* Names of the items. */
static tlv_name_list
item_names(const tlv_network_parts *parts)
{
	return (tlv_name_list){parts->item_offsets, parts->item_names};
}

/* Rows (layer, unit, child, child_name, weight, share). */
TLV_FUNCTION(tlv_network_edges)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_network, "tlv_edges");
	tlv_network_parts parts;
	tlv_name_list items, labels = tlv_labels_of(&frame);

	tlv_network_read(&frame, &parts);
	items = item_names(&parts);
	TlvInitRows(fcinfo);
	for (size_t i = 0; i < parts.edges_n; i++)
	{
		size_t layer = tlv_network_layer(&parts, (size_t) parts.edge_units[i]);
		size_t child = (size_t) parts.edge_children[i];

		TlvLoopCheck(i);
		TlvPutRow(fcinfo, TlvInt4((int32) layer), TlvInt4((int32) parts.edge_units[i] + 1),
				  TlvInt8(layer == 1 ? parts.items[child] : (int64) child + 1),
				  layer == 1 ? TlvNameCell(&items, child, parts.items[child])
							 : TlvNameCell(&labels, child, (int64) child + 1),
				  TlvInt4((int32) parts.edge_weights[i]), TlvFloat8(parts.edge_shares[i]));
	}
	return (Datum) 0;
}

/* The numbers in an array of units, from 0. */
static int64_t *
unit_numbers(ArrayType *array, size_t *n)
{
	int64_t *units;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR, (errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
						errmsg("the units have one dimension, not %d", ARR_NDIM(array))));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("a unit is null")));
	*n = (size_t) ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	units = TlvAllocElements(*n, sizeof(int64_t));
	for (size_t i = 0; i < *n; i++)
	{
		units[i] = ((const int64 *) ARR_DATA_PTR(array))[i];
		units[i] = units[i] < 1 ? -1 : units[i] - 1;
	}
	return units;
}

/* tlv_decode(model, units): rows (item, item_name) */
TLV_FUNCTION(tlv_decode)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_network, "tlv_decode");
	TlvWork *work = TlvWorkBegin("tensorlv decoding");
	tlv_network_parts parts;
	size_t n, n_items;
	int64_t *units = unit_numbers(TLV_GETARG_ARRAY(1), &n);
	int32_t *items;
	tlv_name_list names;

	TlvInitRows(fcinfo);
	tlv_network_read(&frame, &parts);
	names = item_names(&parts);
	TlvCheck(&work->ctx, tlv_network_decode(&work->ctx, &frame, n, units, &n_items, &items));
	for (size_t i = 0; i < n_items; i++)
		TlvPutRow(fcinfo, TlvInt8(parts.items[items[i]]),
				  TlvNameCell(&names, (size_t) items[i], parts.items[items[i]]));
	TlvWorkEnd(work);
	return (Datum) 0;
}

/* ---- simulation ---- */

/* tlv_simulate_network_model(items, units, children, density, negative, seed) */
TLV_FUNCTION(tlv_simulate_network_model)
{
	tlv_network_simulation options = {.items = TlvNamedCount(fcinfo, "items", 3),
									  .children = TlvNamedNumber(fcinfo, "children"),
									  .density = TlvNamedNumber(fcinfo, "density"),
									  .negative = TlvNamedNumber(fcinfo, "negative"),
									  .seed = TlvNamedSeed(fcinfo)};
	ArrayType *array = TlvNamedArray(fcinfo, "units");
	size_t units[TLV_NETWORK_MOST_LAYERS];
	TlvMaker maker;

	if (ARR_NDIM(array) != 1 || array_contains_nulls(array) ||
		ARR_DIMS(array)[0] > TLV_NETWORK_MOST_LAYERS)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("units are not one to %d numbers, one for every layer",
							   TLV_NETWORK_MOST_LAYERS)));
	for (int l = 0; l < ARR_DIMS(array)[0]; l++)
		units[l] = (size_t) Max(((const int32 *) ARR_DATA_PTR(array))[l], 0);
	options.layers = (size_t) ARR_DIMS(array)[0];
	options.units = units;
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_network_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

static tlv_status
network_put_row(tlv_context *ctx, void *argument, size_t row, size_t n, const int64_t *active,
				size_t n_units, const int64_t *units)
{
	(void) ctx;
	TlvPutRow((FunctionCallInfo) argument, TlvInt8((int64) row), TlvOwned(TlvInt8Array(n, active)),
			  TlvOwned(TlvInt8Array(n_units, units)));
	return TLV_OK;
}

/* tlv_simulate_network(model, rows, flips, seed): rows (id, active, units) */
TLV_FUNCTION(tlv_simulate_network)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_network, "tlv_simulate_network");
	TlvWork *work = TlvWorkBegin("tensorlv simulation");

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_network_simulate(&work->ctx, &frame, TlvNamedCount(fcinfo, "rows", 0),
											  TlvNamedNumber(fcinfo, "flips"), TlvNamedSeed(fcinfo),
											  network_put_row, fcinfo));
	TlvWorkEnd(work);
	return (Datum) 0;
}
