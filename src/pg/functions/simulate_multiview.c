/*
 * simulate_multiview.c - random multi-view mixtures and rows drawn from them.
 */
#include "server/tlv_pg.h"

#include "miscadmin.h"
#include "utils/array.h"

#include "rows/vectors.h"
#include "server/arguments.h"
#include "tensorlv/model/multiview.h"

/* Three positive numbers. */
static void
sizes_argument(FunctionCallInfo fcinfo, const char *name, size_t d[3])
{
	ArrayType *array = TlvNamedArray(fcinfo, name);
	const int32 *sizes = (const int32 *) ARR_DATA_PTR(array);

	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != 3 || ARR_HASNULL(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s are not an array of three numbers", name),
						errhint("Give one for each view: %s => '{5,8,3}'.", name)));
	for (int t = 0; t < 3; t++)
	{
		if (sizes[t] < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("%d %s of view %d are not at least 1", sizes[t], name, t + 1)));
		d[t] = (size_t) sizes[t];
	}
}

/* tlv_simulate_multiview_model(dimensions, k, categories, separation, concentration, seed) */
TLV_FUNCTION(tlv_simulate_multiview_model)
{
	tlv_multiview_simulation options = {0};
	TlvMaker maker;

	options.categories = TlvArgumentIsNull(fcinfo, "dimensions");
	if (options.categories == TlvArgumentIsNull(fcinfo, "categories"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("either dimensions or categories must be given"),
						errhint("dimensions => '{5,8,3}' makes a model of vectors of 5, 8 and 3 "
								"numbers, categories => '{4,4,6}' one of categories.")));
	sizes_argument(fcinfo, options.categories ? "categories" : "dimensions", options.d);
	options.k = TlvNamedCount(fcinfo, "k", 1);
	options.separation = TlvNamedNumber(fcinfo, "separation");
	options.concentration = TlvNamedNumber(fcinfo, "concentration");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_multiview_random(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

/* tlv_simulate_multiview(model, rows, seed): rows (id, x1 .. x3, category1 .. 3, component) */
TLV_FUNCTION(tlv_simulate_multiview)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_multiview, "tlv_simulate_multiview");
	size_t rows = TlvNamedCount(fcinfo, "rows", 0);
	uint64 seed = TlvNamedSeed(fcinfo);
	tlv_multiview_parts parts;
	int64_t category[3] = {0, 0, 0};
	double *x[3];

	tlv_multiview_read(&frame, &parts);
	for (int t = 0; t < 3; t++)
		x[t] = palloc_extended(parts.d[t] * sizeof(double), MCXT_ALLOC_HUGE);
	TlvInitRows(fcinfo);
	for (size_t i = 1; i <= rows; i++)
	{
		bool vectors = parts.items[0] == NULL;
		TlvCell view[3], symbol[3];
		int component;
		tlv_rng rng;

		tlv_rng_stream(&rng, seed, i);
		component = (int) tlv_multiview_draw(&parts, &rng, x, category);
		for (int t = 0; t < 3; t++)
		{
			view[t] = TlvOwned(vectors ? TlvFloat8Array(parts.d[t], x[t]) : NULL);
			symbol[t] = TlvNullIf(vectors, TlvInt8(category[t]));
		}
		TlvPutRow(fcinfo, TlvInt8((int64) i), view[0], view[1], view[2], symbol[0], symbol[1],
				  symbol[2], TlvInt4(component + 1));
	}
	return (Datum) 0;
}
