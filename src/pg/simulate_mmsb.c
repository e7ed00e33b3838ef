/*
 * simulate_mmsb.c - true mixed membership block models and graphs drawn from
 * them, for users' own checks, the tests and the benches.
 */
#include "server/tlv_pg.h"

#include <math.h>

#include "utils/builtins.h"

#include "tensorlv/model/mmsb.h"

static tlv_graph_kind
kind_argument(FunctionCallInfo fcinfo, int argument)
{
	char *name =
		PG_ARGISNULL(argument) ? "undirected" : text_to_cstring(PG_GETARG_TEXT_PP(argument));
	tlv_graph_kind kind;

	if (!tlv_graph_kind_from_name(name, &kind))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("there is no kind of graph \"%.40s\"", name),
						errhint("Use 'undirected', 'directed' or 'bipartite'.")));
	return kind;
}

/* The number of targets belongs to bipartite graphs, and only to them. */
static size_t
targets_argument(FunctionCallInfo fcinfo, int argument, tlv_graph_kind kind)
{
	if (kind == TLV_GRAPH_BIPARTITE)
		return TlvCountArgument(fcinfo, argument, "targets", 1);
	if (!PG_ARGISNULL(argument))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("targets is for bipartite graphs only"),
						errhint("Use kind => 'bipartite', or leave targets out.")));
	return 0;
}

PG_FUNCTION_INFO_V1(tlv_simulate_mmsb_model);

/*
 * tlv_simulate_mmsb_model(nodes, k, alpha0, within, across, kind, targets, degree_exponent,
 * poisson, seed)
 */
Datum
tlv_simulate_mmsb_model(PG_FUNCTION_ARGS)
{
	tlv_mmsb_simulation options = {0};
	TlvMaker maker;

	options.nodes = TlvCountArgument(fcinfo, 0, "nodes", 1);
	options.k = TlvCountArgument(fcinfo, 1, "k", 1);
	options.alpha0 = TlvNumberArgument(fcinfo, 2, "alpha0");
	options.within = TlvNumberArgument(fcinfo, 3, "within");
	options.between = TlvNumberArgument(fcinfo, 4, "across");
	options.graph = kind_argument(fcinfo, 5);
	options.targets = targets_argument(fcinfo, 6, options.graph);
	options.degree_exponent = NAN;
	if (!PG_ARGISNULL(7))
	{
		options.degree_exponent = PG_GETARG_FLOAT8(7);
		if (!isfinite(options.degree_exponent))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("degree_exponent = %g is not a number", options.degree_exponent)));
	}
	options.poisson = !PG_ARGISNULL(8) && PG_GETARG_BOOL(8);
	options.seed = TlvSeedArgument(fcinfo, 9);
	TlvMakerBegin(&maker, "tensorlv simulation");
	TlvCheck(maker.ctx, tlv_mmsb_simulate_model(maker.ctx, &options, &maker.image, &maker.size));
	PG_RETURN_POINTER(TlvMakerEnd(&maker));
}

static tlv_status
put_edge(tlv_context *ctx, void *argument, int64_t src, int64_t dst, double weight)
{
	TlvPutRow((FunctionCallInfo) argument, TlvInt8(src), TlvInt8(dst), TlvFloat8(weight));
	return TLV_OK;
}

PG_FUNCTION_INFO_V1(tlv_simulate_mmsb);

/* tlv_simulate_mmsb(model, seed): rows (src, dst, weight) */
Datum
tlv_simulate_mmsb(PG_FUNCTION_ARGS)
{
	tlv_frame frame = TlvModelFrame(fcinfo, 0, &tlv_kind_mmsb, "tlv_simulate_mmsb");
	uint64 seed = TlvSeedArgument(fcinfo, 1);
	TlvWork *work = TlvWorkBegin("tensorlv simulation");
	tlv_mmsb_parts parts;

	TlvInitRows(fcinfo);
	TlvCheck(&work->ctx, tlv_mmsb_read(&work->ctx, &frame, &parts));
	TlvCheck(&work->ctx, tlv_mmsb_simulate_edges(&work->ctx, &parts, seed, put_edge, fcinfo));
	TlvWorkEnd(work);
	return (Datum) 0;
}
