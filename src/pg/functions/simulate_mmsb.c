/*
 * simulate_mmsb.c - true mixed membership block models and graphs drawn from
 * them, for users' own checks, the tests and the benches.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "utils/builtins.h"

#include "server/arguments.h"
#include "tensorlv/model/mmsb.h"

/* In the order of tlv_graph_kind, which begins with 1. */
static const char *const graph_kinds[] = {"undirected", "directed", "bipartite", NULL};

/* The number of targets belongs to bipartite graphs, and only to them. */
static size_t
targets_argument(FunctionCallInfo fcinfo, tlv_graph_kind kind)
{
	if (kind == TLV_GRAPH_BIPARTITE)
		return TlvNamedCount(fcinfo, "targets", 1);
	if (!TlvArgumentIsNull(fcinfo, "targets"))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("targets is for bipartite graphs only"),
						errhint("Use kind => 'bipartite', or leave targets out.")));
	return 0;
}

/*
 * tlv_simulate_mmsb_model(nodes, k, alpha0, within, across, kind, targets, degree_exponent,
 * poisson, seed)
 */
TLV_FUNCTION(tlv_simulate_mmsb_model)
{
	tlv_mmsb_simulation options = {0};
	TlvMaker maker;

	options.nodes = TlvNamedCount(fcinfo, "nodes", 1);
	options.k = TlvNamedCount(fcinfo, "k", 1);
	options.alpha0 = TlvNamedNumber(fcinfo, "alpha0");
	options.within = TlvNamedNumber(fcinfo, "within");
	options.between = TlvNamedNumber(fcinfo, "across");
	options.graph = (tlv_graph_kind) (TLV_GRAPH_UNDIRECTED +
									  TlvNamedChoice(fcinfo, "kind", graph_kinds, "kind of graph"));
	options.targets = targets_argument(fcinfo, options.graph);
	options.degree_exponent = NAN;
	if (!TlvArgumentIsNull(fcinfo, "degree_exponent"))
	{
		options.degree_exponent = TlvNamedNumber(fcinfo, "degree_exponent");
		if (!isfinite(options.degree_exponent))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("degree_exponent = %g is not a number", options.degree_exponent)));
	}
	options.poisson = TlvNamedFlag(fcinfo, "poisson");
	options.seed = TlvNamedSeed(fcinfo);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_mmsb_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

static tlv_status
simulate_mmsb_put_edge(tlv_context *ctx, void *argument, int64_t src, int64_t dst, double weight)
{
	TlvPutRow((FunctionCallInfo) argument, TlvInt8(src), TlvInt8(dst), TlvFloat8(weight));
	return TLV_OK;
}

/* tlv_simulate_mmsb(model, seed): rows (src, dst, weight) */
TLV_FUNCTION(tlv_simulate_mmsb)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_mmsb, "tlv_simulate_mmsb");
	uint64 seed = TlvNamedSeed(fcinfo);
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	tlv_mmsb_parts parts;

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_mmsb_read(&work->ctx, &frame, &parts));
	TlvCheck(&work->ctx,
			 tlv_mmsb_simulate_edges(&work->ctx, &parts, seed, simulate_mmsb_put_edge, fcinfo));
	TlvWorkEnd(work);
	return (Datum) 0;
}
