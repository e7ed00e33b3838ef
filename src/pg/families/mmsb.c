/*
 * mmsb.c - mixed membership block models: arguments of the fit and the driver, reading
 * memberships, communities and their connectivity.
 */
#include "server/tlv_pg.h"

#include "utils/builtins.h"

#include "rows/queries.h"
#include "rows/vectors.h"
#include "server/arguments.h"
#include "server/fit.h"
#include "functions/suggest.h"
#include "tensorlv/model/drift.h"
#include "tensorlv/model/mmsb.h"

/* ---- fitting ---- */

typedef struct MmsbArguments
{
	tlv_mmsb_learn_options learn;
	Datum labels; /* a bag, or a query; 0: none */
	Datum refine;
	bool corrected;
	bool directed;
	bool bipartite;
} MmsbArguments;

#define MMSB_OPTION(member) offsetof(MmsbArguments, member)

/* Of tlv_fit_mmsb and tlv_mmsb. */
static const TlvArgument mmsb_arguments[] = {
	{"k", TLV_ARGUMENT_COUNT, MMSB_OPTION(learn.fit.k), .least = 1},
	{"alpha0", TLV_ARGUMENT_REAL, MMSB_OPTION(learn.fit.alpha0)},
	{"refine", TLV_ARGUMENT_DATUM, MMSB_OPTION(refine)},
	{"degree_corrected", TLV_ARGUMENT_FLAG, MMSB_OPTION(corrected)},
	{"edges", TLV_ARGUMENT_CHOICE, MMSB_OPTION(learn.fit.edges), .what = "model of edges",
	 .names = tlv_edge_model_names},
	{"sides", TLV_ARGUMENT_CHOICE, MMSB_OPTION(learn.fit.sides), .what = "choice of sides",
	 .names = tlv_side_choice_names},
	{"labels", TLV_ARGUMENT_DATUM, MMSB_OPTION(labels)},
	{"max_k", TLV_ARGUMENT_COUNT, MMSB_OPTION(learn.fit.max_k), .least = 1},
	{"directed", TLV_ARGUMENT_FLAG, MMSB_OPTION(directed)},
	{"bipartite", TLV_ARGUMENT_FLAG, MMSB_OPTION(bipartite)},
	TLV_DECOMPOSE_ARGUMENTS(MmsbArguments, learn.fit.decompose, learn.fit.seed),
	{NULL}};

static MmsbArguments
read_mmsb_arguments(FunctionCallInfo fcinfo)
{
	/* In the order of the others. */
	static const char *const mixed_refinements[] = {"auto", "none", "em", NULL};
	MmsbArguments arguments = {.learn.graph = TLV_GRAPH_UNDIRECTED};
	double alpha0;

	TlvReadArguments(fcinfo, mmsb_arguments, &arguments);
	arguments.learn.fit.degree_corrected =
		TlvArgumentIsNull(fcinfo, "degree_corrected")
			? TLV_DEGREES_CHOSEN
			: (arguments.corrected ? TLV_DEGREES_CORRECTED : TLV_DEGREES_PLAIN);
	alpha0 = arguments.learn.fit.alpha0;
	if (!(alpha0 >= 0 && alpha0 <= 1e6))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("alpha0 = %g is not between 0 and 1e6", alpha0),
						errhint("alpha0 is the sum of the Dirichlet parameters; 0 gives every "
								"node one community.")));
	if (arguments.refine != 0)
		arguments.learn.fit.refine =
			TlvChoice(TextDatumGetCString(arguments.refine),
					  alpha0 > 0 ? mixed_refinements : tlv_mmsb_refinement_names,
					  alpha0 > 0 ? "refinement of mixed memberships" : "refinement");
	if (arguments.directed && arguments.bipartite)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a graph is directed or bipartite, not both"),
						errhint("The edges of a bipartite graph lead from one set of nodes to "
								"the other anyway.")));
	if (arguments.directed || arguments.bipartite)
		arguments.learn.graph = arguments.directed ? TLV_GRAPH_DIRECTED : TLV_GRAPH_BIPARTITE;
	return arguments;
}

static tlv_status
fit_mmsb(tlv_context *ctx, const tlv_frame *graph, const void *argument, void **image, size_t *size)
{
	const MmsbArguments *arguments = argument;
	tlv_mmsb_options options = arguments->learn.fit;

	if (arguments->labels != 0)
		TLV_TRY(
			tlv_mmsb_labels_of_bag(ctx, TLV_BAG(PG_DETOAST_DATUM(arguments->labels)), &options));
	return tlv_mmsb_fit(ctx, graph, &options, image, size);
}

/* tlv_fit_mmsb(g, ...) */
TLV_FIT_FUNCTION(tlv_fit_mmsb)
{
	MmsbArguments arguments = read_mmsb_arguments(fcinfo);

	return TlvFit(fcinfo, fit_mmsb, &arguments);
}

/* tlv_mmsb(query, ...) */
TLV_DRIVER_FUNCTION(tlv_mmsb)
{
	MmsbArguments arguments = read_mmsb_arguments(fcinfo);
	TlvDriver *driver;

	arguments.learn.errors = TlvWantsErrors(fcinfo);
	driver = TlvDriverBegin(fcinfo);
	TlvReadEdges(driver, TlvQueryText(fcinfo, "edges"), arguments.bipartite);
	if (arguments.labels != 0)
		TlvReadLabels(driver, text_to_cstring(DatumGetTextPP(arguments.labels)));
	return TlvDriverLearn(fcinfo, driver, &tlv_mmsb_procedure, &arguments.learn);
}

/* ---- the number of communities ---- */

static tlv_mmsb_learn_options
mmsb_search(const TlvSearch *search)
{
	return (tlv_mmsb_learn_options){.graph = TLV_GRAPH_UNDIRECTED,
									.fit = {.max_k = search->max_k,
											.directions = true,
											.degree_corrected = TLV_DEGREES_CHOSEN,
											.seed = search->seed,
											.decompose.seed = search->seed}};
}

static void
learn_mmsb_search(FunctionCallInfo fcinfo, TlvDriver *driver, const TlvSearch *search,
				  tlv_held *model)
{
	tlv_mmsb_learn_options options = mmsb_search(search);

	TlvReadEdges(driver, TlvQueryText(fcinfo, "edges"), false);
	TlvDriverRunProcedure(driver, &tlv_mmsb_procedure, &options, model);
}

static tlv_status
fit_mmsb_search(tlv_context *ctx, const tlv_frame *graph, const void *search, void **image,
				size_t *size)
{
	tlv_mmsb_learn_options options = mmsb_search(search);

	return tlv_mmsb_fit(ctx, graph, &options.fit, image, size);
}

static const char *const mmsb_criteria[] = {TLV_SUGGEST_EVIDENCE, TLV_SUGGEST_SIGNIFICANCE, NULL};
const TlvSearcher TlvSearchMmsb = {mmsb_criteria, fit_mmsb_search, false, learn_mmsb_search};

/* ---- reading ---- */

/* A model opened for reading rows from. */
typedef struct MmsbReader
{
	tlv_context ctx;
	tlv_frame frame;
	tlv_mmsb_parts parts;
} MmsbReader;

static void
open_reader(FunctionCallInfo fcinfo, const char *function, MmsbReader *reader)
{
	reader->frame = TlvModelFrame(fcinfo, 0, &tlv_kind_mmsb, function);
	TlvContextInit(&reader->ctx, CurrentMemoryContext, TlvValueMemory());
	TlvCheck(&reader->ctx, tlv_mmsb_read(&reader->ctx, &reader->frame, &reader->parts));
	TlvInitRows(fcinfo);
}

/* What a node is called. */
static TlvCell
mmsb_node_name(const tlv_mmsb_parts *parts, size_t side, size_t u)
{
	return TlvNameCell(&parts->side[side].names, u, parts->side[side].nodes[u]);
}

/* Sides whose memberships are shown: those of tied ones are the same. */
static size_t
shown_sides(const tlv_mmsb_parts *parts)
{
	return parts->tied ? 1 : parts->sides;
}

/* How a side is called in rows. */
static Datum
side_name(const tlv_mmsb_parts *parts, size_t side)
{
	const char *name = shown_sides(parts) == 1 ? "both" : side == 0 ? "source" : "target";

	return PointerGetDatum(cstring_to_text(name));
}

/* A node of a side, as rows begin. */
typedef struct MmsbNode
{
	MmsbReader *reader;
	size_t side;
	size_t node;
	Datum side_name;
} MmsbNode;

/* The row of one membership; community NULL: there is none. */
static void
put_membership(FunctionCallInfo fcinfo, const MmsbNode *node, const size_t *community, double share)
{
	MmsbReader *reader = node->reader;
	bool none = community == NULL;
	size_t j = none ? 0 : *community;

	TlvPutRow(fcinfo, TlvInt8(reader->parts.side[node->side].nodes[node->node]),
			  mmsb_node_name(&reader->parts, node->side, node->node), TlvDatum(node->side_name),
			  TlvNullIf(none, TlvInt4((int32) j + 1)),
			  none ? TlvOwned(NULL) : TlvComponentLabel(&reader->frame, j),
			  TlvNullIf(none, TlvFloat8(share)));
}

/* Those that are 0, of the communities from..to - 1. */
static void
put_absent(FunctionCallInfo fcinfo, const MmsbNode *node, size_t from, size_t to)
{
	for (size_t j = from; j < to; j++)
		put_membership(fcinfo, node, &j, 0);
}

/* Of at least threshold: 0 has all communities; below 0 has those above 0. */
static void
mmsb_put_memberships(FunctionCallInfo fcinfo, const MmsbNode *node, double threshold)
{
	const tlv_memberships *memberships = &node->reader->parts.side[node->side].memberships;
	size_t first = memberships->start[node->node], end = memberships->start[node->node + 1];
	size_t next = 0;
	double sum = 0;

	if (first == end && threshold <= 0)
		put_membership(fcinfo, node, NULL, 0);
	for (size_t i = first; i < end; i++)
		sum += memberships->share[i];
	for (size_t i = first; i < end; i++)
	{
		size_t community = memberships->community[i];
		double share = memberships->share[i] / sum;

		if (threshold == 0)
			put_absent(fcinfo, node, next, community);
		if (threshold < 0 ? share > 0 : share >= threshold)
			put_membership(fcinfo, node, &community, share);
		next = community + 1;
	}
	if (threshold == 0 && first < end)
		put_absent(fcinfo, node, next, node->reader->parts.k);
}

/* Rows (node, node_name, side, community, label, membership). */
TLV_FUNCTION(tlv_memberships_rows)
{
	double threshold = -1;
	MmsbReader reader;
	MmsbNode node = {.reader = &reader};

	if (!TlvArgumentIsNull(fcinfo, "threshold"))
	{
		threshold = TlvNamedNumber(fcinfo, "threshold");
		if (!(threshold >= 0 && threshold <= 1))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("threshold = %g is not between 0 and 1", threshold)));
	}
	if (PG_ARGISNULL(0))
	{
		TlvInitRows(fcinfo);
		return (Datum) 0;
	}
	open_reader(fcinfo, "tlv_memberships", &reader);
	for (node.side = 0; node.side < shown_sides(&reader.parts); node.side++)
	{
		node.side_name = side_name(&reader.parts, node.side);
		for (node.node = 0; node.node < reader.parts.side[node.side].memberships.n; node.node++)
			mmsb_put_memberships(fcinfo, &node, threshold);
	}
	return (Datum) 0;
}

/* Rows (community, label, side, alpha, size). */
TLV_FUNCTION(tlv_communities_rows)
{
	MmsbReader reader;
	size_t k;

	open_reader(fcinfo, "tlv_communities", &reader);
	k = reader.parts.k;
	for (size_t s = 0; s < shown_sides(&reader.parts); s++)
		for (size_t j = 0; j < k; j++)
			TlvPutRow(fcinfo, TlvInt4((int32) j + 1), TlvComponentLabel(&reader.frame, j),
					  TlvDatum(side_name(&reader.parts, s)),
					  TlvFloat8(reader.parts.alpha[s * k + j]),
					  TlvFloat8(reader.parts.sizes[s * k + j]));
	return (Datum) 0;
}

/* Rows (community_a, community_b, probability), a of the source, b of the target. */
TLV_FUNCTION(tlv_connectivity_rows)
{
	MmsbReader reader;
	size_t k;

	open_reader(fcinfo, "tlv_connectivity", &reader);
	k = reader.parts.k;
	for (size_t a = 0; a < k; a++)
		for (size_t b = 0; b < k; b++)
			TlvPutRow(fcinfo, TlvInt4((int32) a + 1), TlvInt4((int32) b + 1),
					  TlvFloat8(reader.parts.connectivity[a + k * b]));
	return (Datum) 0;
}

/* Rows (node, node_name, bridgeness, degree_corrected, side); nodes without edges have none. */
TLV_FUNCTION(tlv_bridgeness_rows)
{
	MmsbReader reader;

	open_reader(fcinfo, "tlv_bridgeness", &reader);
	for (size_t s = 0; s < shown_sides(&reader.parts); s++)
	{
		const tlv_memberships *memberships = &reader.parts.side[s].memberships;
		Datum side = side_name(&reader.parts, s);

		for (size_t u = 0; u < memberships->n; u++)
		{
			size_t first = memberships->start[u], n = memberships->start[u + 1] - first;
			double b = tlv_bridgeness(reader.parts.k, n, memberships->share + first);
			double degree = reader.parts.side[s].degree[u] +
							(reader.parts.tied ? reader.parts.side[1].degree[u] : 0);

			TlvPutRow(fcinfo, TlvInt8(reader.parts.side[s].nodes[u]),
					  mmsb_node_name(&reader.parts, s, u), TlvNullIf(n == 0, TlvFloat8(b)),
					  TlvNullIf(n == 0, TlvFloat8(b * degree)), TlvDatum(side));
		}
	}
	return (Datum) 0;
}

/* By their headers, before any of the reference is opened. */
static void
require_graphs(const tlv_frame *model, const tlv_frame *graph, const TlvStoredArray *reference)
{
	TlvWork *work = TlvWorkBegin("tensorlv drift");

	TlvCheck(&work->ctx, tlv_mmsb_require_graphs(&work->ctx, model, graph->header, reference->n,
												 reference->headers));
	TlvWorkEnd(work);
}

static void
warn_unknown_edges(const tlv_drift *drift)
{
	if (drift->unknown_edges > 0)
		TlvRaiseWarning(
			ERRCODE_WARNING, "rows_skipped",
			psprintf("%zu of %zu edges of the graph %s skipped: nodes that the model does "
					 "not know",
					 drift->unknown_edges, drift->edges, drift->unknown_edges == 1 ? "is" : "are"),
			NULL,
			"Spell nodes as in the edges that the model was learnt from, or fit a model "
			"to edges that have these nodes.");
}

/* tlv_drift(model, graph, reference): rows (test, component, statistic, p_value) */
TLV_FUNCTION(tlv_graph_drift_rows)
{
	tlv_drift drift = {.n = 0};
	tlv_frame model, graph, *reference;
	TlvStoredArray array;
	TlvWork *work;

	TlvInitRows(fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(2))
		return (Datum) 0;
	model = TlvModelFrame(fcinfo, 0, &tlv_kind_mmsb, "tlv_drift of graphs");
	graph = TlvFrameOf(PG_GETARG_DATUM(1));
	array = TlvReadArray(PG_GETARG_DATUM(2));
	require_graphs(&model, &graph, &array);
	reference = TlvOpenArray(&array);
	work = TlvWorkBegin("tensorlv drift");
	TlvCheck(&work->ctx, tlv_mmsb_drift(&work->ctx, &model, &graph, array.n, reference, &drift));
	warn_unknown_edges(&drift);
	TlvPutDrift(fcinfo, &drift);
	TlvWorkEnd(work);
	return (Datum) 0;
}
